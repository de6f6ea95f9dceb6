/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every kind of operator by name that a program computes: its results beside PyTorch's and formulas, with
 * operands on the device and on the host, whose memory is written over when the call returns; and that each
 * is refused, once, in the stream, with a sum behind it that is right.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_add.h"
#include "runtime/named_operator.h"
#include "support/failure.h"

enum { OPERANDS = 16, ELEMENTS = 512, RANK = 8 };

/* Operands are "f 2,3: 1 2 3 4 5 6": a dtype (f FLOAT, h FLOAT16, i INT32, l INT64, b BOOL, u UINT8), dims,
 * "-" for none, and elements. H before it: memory of the host; =1: an output in the place of input 1; *: one
 * that is not compared. Attributes are "name:kind=value", kinds i, b, f, s and I for a list. */
static const struct row {
    const char *kind, *inputs, *attributes, *outputs;
} rows[] = {
#include "ops/by_name_rows.h"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static aclrtStream stream;

struct operand {
    bool is_left_out, is_on_host, is_any, is_in_place;
    int of; /* the input whose place it takes */
    aclDataType dtype;
    int rank;
    int64_t dims[RANK], count;
    double value[ELEMENTS];
    size_t bytes;
    void *memory;
    aclTensorDesc *desc;
    aclDataBuffer *buffer;
};

struct call {
    int inputs, outputs;
    struct operand *in, *out;
    aclopAttr *attr;
};

static size_t element_bytes(aclDataType dtype)
{
    return dtype == ACL_INT64                        ? 8
           : dtype == ACL_BOOL || dtype == ACL_UINT8 ? 1
           : dtype == ACL_FLOAT16                    ? 2
                                                     : 4;
}

static void store(aclDataType dtype, double value, unsigned char *at)
{
    const float fp32 = (float)value;
    const int32_t int32 = (int32_t)value;
    const int64_t int64 = (int64_t)value;
    const uint16_t half = aclFloatToFloat16(fp32);
    const void *from = dtype == ACL_FLOAT     ? (const void *)&fp32
                       : dtype == ACL_FLOAT16 ? (const void *)&half
                       : dtype == ACL_INT32   ? (const void *)&int32
                                              : (const void *)&int64;
    memcpy(at, from, element_bytes(dtype)); /* the low byte of what has one */
}

static double load(aclDataType dtype, const unsigned char *at)
{
    float fp32;
    int32_t int32;
    int64_t int64;
    uint16_t half;
    switch (dtype) {
    case ACL_FLOAT:
        memcpy(&fp32, at, sizeof fp32);
        return (double)fp32;
    case ACL_FLOAT16:
        memcpy(&half, at, sizeof half);
        return (double)aclFloat16ToFloat(half);
    case ACL_INT32:
        memcpy(&int32, at, sizeof int32);
        return int32;
    case ACL_INT64:
        memcpy(&int64, at, sizeof int64);
        return (double)int64;
    default:
        return *at;
    }
}

static void parse(const char *text, struct operand *operand)
{
    char *end;
    *operand = (struct operand){.count = 1};
    if (strncmp(text, "none", 4) == 0) {
        operand->is_left_out = true;
        operand->desc = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, NULL, ACL_FORMAT_UNDEFINED);
        operand->buffer = aclCreateDataBuffer(NULL, 0);
        return;
    }
    for (;; text++) {
        if (*text == '=') {
            operand->is_in_place = true;
            operand->of = (int)strtol(text + 1, &end, 10);
            text = end - 1;
        } else if (*text == 'H') {
            operand->is_on_host = true;
        } else if (*text == '*') {
            operand->is_any = true;
        } else if (*text != ' ') {
            break;
        }
    }
    static const char letters[] = "fhilbu";
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64, ACL_BOOL, ACL_UINT8};
    const char *letter = strchr(letters, *text);
    assert_non_null(letter);
    operand->dtype = dtypes[letter - letters];
    for (text += 2; *text != ':'; text += *text == ',' || *text == '-')
        if (*text != '-') {
            operand->dims[operand->rank] = strtoll(text, &end, 10);
            operand->count *= operand->dims[operand->rank++];
            text = end;
        }
    text++;
    for (int64_t i = 0; i < operand->count; i++) {
        operand->value[i] = strtod(text, &end);
        assert_ptr_not_equal(text, end);
        text = end;
    }
    operand->bytes = (size_t)operand->count * element_bytes(operand->dtype);
}

/* Memory of the operand, with its elements or something else. */
static void place(struct operand *operand, bool is_filled)
{
    unsigned char host[ELEMENTS * 8];
    const size_t each = element_bytes(operand->dtype);
    memset(host, 0x5A, sizeof host);
    for (int64_t i = 0; is_filled && i < operand->count; i++)
        store(operand->dtype, operand->value[i], host + (size_t)i * each);
    if (operand->is_on_host) {
        operand->memory = malloc(operand->bytes + 1);
        assert_non_null(operand->memory);
        memcpy(operand->memory, host, operand->bytes);
    } else {
        assert_int_equal(aclrtMalloc(&operand->memory, operand->bytes + 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(
            aclrtMemcpy(operand->memory, operand->bytes + 1, host, operand->bytes, ACL_MEMCPY_HOST_TO_DEVICE),
            0);
    }
}

static void describe(struct operand *operand)
{
    operand->desc = aclCreateTensorDesc(operand->dtype, operand->rank, operand->dims, ACL_FORMAT_ND);
    operand->buffer = aclCreateDataBuffer(operand->memory, operand->bytes);
    assert_non_null(operand->desc);
    assert_non_null(operand->buffer);
}

static int parse_list(const char *text, struct operand *operand)
{
    char copy[8192], *rest = NULL;
    int count = 0;
    assert_true(strlen(text) < sizeof copy);
    memcpy(copy, text, strlen(text) + 1);
    for (char *at = strtok_r(copy, "|", &rest); at != NULL; at = strtok_r(NULL, "|", &rest)) {
        assert_true(count < OPERANDS);
        parse(at + strspn(at, " "), &operand[count++]);
    }
    return count;
}

static void set_attribute(aclopAttr *attr, char *text)
{
    char *kind = strchr(text, ':'), *value = strchr(text, '='), *rest = NULL;
    int64_t list[16];
    int count = 0;
    *kind++ = '\0';
    *value++ = '\0';
    switch (*kind) {
    case 'i':
        assert_int_equal(aclopSetAttrInt(attr, text, atoll(value)), 0);
        break;
    case 'b':
        assert_int_equal(aclopSetAttrBool(attr, text, (uint8_t)atoi(value)), 0);
        break;
    case 'f':
        assert_int_equal(aclopSetAttrFloat(attr, text, (float)atof(value)), 0);
        break;
    case 's':
        assert_int_equal(aclopSetAttrString(attr, text, value), 0);
        break;
    default:
        for (char *at = strtok_r(value, ",", &rest); at != NULL; at = strtok_r(NULL, ",", &rest))
            list[count++] = atoll(at);
        assert_int_equal(aclopSetAttrListInt(attr, text, count, list), 0);
    }
}

static void open_call(const struct row *row, struct call *call)
{
    char attributes[512], *rest = NULL;
    call->in = calloc(2 * OPERANDS, sizeof *call->in);
    assert_non_null(call->in);
    call->out = call->in + OPERANDS;
    call->inputs = parse_list(row->inputs, call->in);
    call->outputs = parse_list(row->outputs, call->out);
    for (int i = 0; i < call->inputs; i++)
        if (!call->in[i].is_left_out) {
            place(&call->in[i], true);
            describe(&call->in[i]);
        }
    for (int i = 0; i < call->outputs; i++) {
        struct operand *out = &call->out[i];
        if (out->is_in_place)
            out->memory = call->in[out->of].memory;
        else
            place(out, false);
        describe(out);
    }
    call->attr = aclopCreateAttr();
    snprintf(attributes, sizeof attributes, "%s", row->attributes);
    for (char *at = strtok_r(attributes, " ", &rest); at != NULL; at = strtok_r(NULL, " ", &rest))
        set_attribute(call->attr, at);
}

/* What the call was given of the host is gone. */
static void take_away(struct call *call)
{
    for (int i = 0; i < call->inputs; i++)
        if (call->in[i].is_on_host)
            memset(call->in[i].memory, 0xFF, call->in[i].bytes);
    aclopDestroyAttr(call->attr);
}

static void close_call(struct call *call)
{
    for (int i = 0; i < 2 * OPERANDS; i++) {
        struct operand *operand = &call->in[i];
        if (operand->desc == NULL)
            continue;
        aclDestroyTensorDesc(operand->desc);
        assert_int_equal(aclDestroyDataBuffer(operand->buffer), 0);
        if (operand->is_on_host)
            free(operand->memory);
        else if (!operand->is_in_place && operand->memory != NULL)
            assert_int_equal(aclrtFree(operand->memory), 0);
    }
    free(call->in);
}

static int execute(const char *kind, const struct call *call, int inputs)
{
    aclTensorDesc *ins[OPERANDS], *outs[OPERANDS];
    aclDataBuffer *froms[OPERANDS], *tos[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) {
        ins[i] = call->in[i].desc, froms[i] = call->in[i].buffer;
        outs[i] = call->out[i].desc, tos[i] = call->out[i].buffer;
    }
    return aclopCompileAndExecuteV2(kind, inputs, ins, froms, call->outputs, outs, tos, call->attr,
                                    ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream);
}

/* By a handle, which outlives what it was made of and is not needed by what it has queued. */
static int execute_by_handle(const char *kind, struct call *call)
{
    const aclTensorDesc *ins[OPERANDS], *outs[OPERANDS];
    const aclDataBuffer *froms[OPERANDS];
    aclDataBuffer *tos[OPERANDS];
    for (int i = 0; i < OPERANDS; i++) {
        ins[i] = call->in[i].desc, froms[i] = call->in[i].buffer;
        outs[i] = call->out[i].desc, tos[i] = call->out[i].buffer;
    }
    aclopHandle *handle;
    assert_int_equal(aclopCreateHandle(kind, call->inputs, ins, call->outputs, outs, call->attr, &handle), 0);
    aclopDestroyAttr(call->attr);
    call->attr = NULL;
    for (int i = 0; i < call->inputs; i++)
        assert_int_equal(aclSetTensorShape(call->in[i].desc, 1, (int64_t[]){1 << 20}), 0);
    const int queued = aclopExecWithHandle(handle, call->inputs, froms, call->outputs, tos, stream);
    aclopDestroyHandle(handle);
    return queued;
}

static int compare(const struct row *row, const struct operand *out)
{
    unsigned char host[ELEMENTS * 8];
    if (out->is_any)
        return 0;
    assert_int_equal(aclrtMemcpy(host, sizeof host, out->memory, out->bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int64_t i = 0; i < out->count; i++) {
        const double value = load(out->dtype, host + (size_t)i * element_bytes(out->dtype)),
                     bound = (out->dtype == ACL_FLOAT ? 4e-6 : 0) * (1 + fabs(out->value[i]));
        if (!(fabs(value - out->value[i]) <= bound)) {
            print_error("%s (%s; %s): element %d is %.9g instead of %.9g\n", row->kind, row->inputs,
                        row->attributes, (int)i, value, out->value[i]);
            return 1;
        }
    }
    return 0;
}

static void every_row_is_right(void **state)
{
    int wrong = 0;
    (void)state;
    for (int at = 0; at < 2 * ROWS; at++) {
        const int i = at / 2;
        struct call call;
        open_call(&rows[i], &call);
        const int queued =
            at % 2 == 0 ? execute(rows[i].kind, &call, call.inputs) : execute_by_handle(rows[i].kind, &call);
        take_away(&call);
        const int status = queued != 0 ? queued : aclrtSynchronizeStream(stream);
        if (status != 0) {
            const char *sentence = aclGetRecentErrMsg();
            print_error("%s (%s; %s): %d, %s\n", rows[i].kind, rows[i].inputs, rows[i].attributes, status,
                        sentence != NULL ? sentence : "");
            wrong++;
        } else {
            for (int k = 0; k < call.outputs; k++)
                wrong += compare(&rows[i], &call.out[k]);
        }
        close_call(&call);
    }
    assert_int_equal(wrong, 0);
}

static const struct row *row_of(const char *kind)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].kind, kind) == 0)
            return &rows[i];
    return NULL;
}

static void every_kind_has_a_row(void **state)
{
    (void)state;
    for (const struct named_operator *kind = named_operator_last(); kind != NULL; kind = kind->next)
        if (kind->program != NULL && row_of(kind->name) == NULL)
            fail_msg("%s has no row", kind->name);
}

static void see_sum(const char *kind, float number)
{
    static const int64_t shape[] = {1}, stride[] = {1};
    float values[3] = {number, 2 * number, -1}, alpha = 1, *memory;
    aclTensor *tensor[3];
    uint64_t bytes;
    aclOpExecutor *executor;
    assert_int_equal(aclrtMalloc((void **)&memory, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(memory, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    for (int i = 0; i < 3; i++)
        tensor[i] = aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, memory + i);
    aclScalar *one = aclCreateScalar(&alpha, ACL_FLOAT);
    assert_int_equal(aclnnAddGetWorkspaceSize(tensor[0], tensor[1], one, tensor[2], &bytes, &executor), 0);
    assert_int_equal(aclnnAdd(NULL, bytes, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(values, sizeof values, memory, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    if (values[2] != 3 * number)
        fail_msg("behind %s the sum is %g", kind, (double)values[2]);
    for (int i = 0; i < 3; i++)
        aclDestroyTensor(tensor[i]);
    aclDestroyScalar(one);
    aclrtFree(memory);
}

/* With inputs left off, and with outputs whose buffers are too short. */
static void every_kind_that_is_refused_fails_in_the_stream(void **state)
{
    float number = 1;
    (void)state;
    for (const struct named_operator *kind = named_operator_last(); kind != NULL; kind = kind->next) {
        assert_int_equal(aclopCompileAndExecute(kind->name, 60, NULL, NULL, 0, NULL, NULL, NULL,
                                                ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL, stream),
                         0);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "expected");
        see_sum(kind->name, number++);
        const struct row *row = row_of(kind->name);
        struct call call;
        if (row == NULL || row->outputs[0] == '\0')
            continue;
        open_call(row, &call);
        assert_int_equal(aclUpdateDataBuffer(call.out[0].buffer, call.out[0].memory, 0), 0);
        assert_int_equal(execute(row->kind, &call, call.inputs), 0);
        take_away(&call);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "0 bytes");
        see_sum(kind->name, number++);
        close_call(&call);
    }
}

static const struct {
    struct row row;
    const char *sentence;
} refused[] = {
    {{"Cumsum", "f 2: 1 2 | Hl 1: 0", "exclusive:b=1", "f 2: 0 0"},
     "the attribute exclusive of Cumsum is 1; 0 is expected"},
    {{"MaxPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=1,1,2,2 strides:I=1,1,2,2 padding:s=FULL data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "the attribute padding of MaxPool is \"FULL\"; VALID,SAME is expected"},
    {{"AvgPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=1,1,2,2 strides:I=1,1,0,2 padding:s=SAME data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "AvgPool has a window of 2 each 0; 1 or more is expected"},
    {{"MaxPool", "f 1,1,2,2: 1 2 3 4", "ksize:I=2,2 strides:I=2,2 padding:s=SAME data_format:s=NCHW",
      "f 1,1,1,1: 0"},
     "MaxPool has no tensor, ksize or strides of 4 axes"},
    {{"MirrorPad", "f 2: 1 2 | Hl 2: 2 0", "mode:s=REFLECT", "f 4: 0 0 0 0"},
     "MirrorPad continues 2 elements of axis 0 by 2 and 0; 0 to 1 are expected"},
    {{"MirrorPad", "f 2: 1 2 | Hl 3: 1 1 1", "mode:s=REFLECT", "f 4: 0 0 0 0"},
     "MirrorPad of 1 axes has 3 numbers; two for each are expected"},
    {{"SplitD", "f 2: 1 2", "split_dim:i=1", "f 1: 0 | f 1: 0"}, "output 0 of SplitD has no axis 1"},
    {{"Unpack", "f 2,2: 1 2 3 4", "axis:i=2", "f 2: 0 0 | f 2: 0 0"}, "Unpack cannot be computed"},
    {{"Conv2D", "f 1,1,2,2: 1 2 3 4 | f 1,1,1,1: 1", "strides:I=1,1,1,1", "f 1,1,2,2: 0 0 0 0"},
     "Conv2D has no attribute pads"},
    {{"KLDiv", "f 1: 1 | f 1: 1", "reduction:s=median", "f 1: 0"},
     "is \"median\"; one of {none,mean,sum,batchmean} is expected"},
    {{"SoftmaxV2", "f 1,2: 1 2", "axes:I=0,1", "f 1,2: 0 0"}, "is 2 numbers; one is expected"},
    {{"Add", "f 2: 1 2 | f 3: 1 2 3", "", "f 3: 0 0 0"}, "aclnnAdd"},
    {{"Slice", "f 2: 1 2 | Hl 2: 0 0 | Hl 2: 1 1", "", "f 1: 0"}, "lists of 2 and 1 numbers"},
    {{"Slice", "f 2: 1 2 | Hf 1: 0", "", "f 1: 0"}, "Slice has 2 inputs; 3 are expected"},
    {{"AsStrided", "f 2: 1 2 | Hl 1: 2 | Hl 1: 2 | Hl 1: 0", "", "f 2: 0 0"}, "leave its 2 elements"},
    {{"Assign", "f 2: 1 2 | f 1: 1", "", "=0 f 2: 0 0"}, "Assign is to copy 4 bytes of FLOAT to 8 bytes"},
    {{"Reluu", "f 2: 1 2", "", "f 2: 0 0"},
     "Reluu of FLOAT [2] is not in this release of Belay; the nearest kinds that it has by name are Relu"},
};

static void what_is_not_computed_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct call call;
        open_call(&refused[i].row, &call);
        assert_int_equal(execute(refused[i].row.kind, &call, call.inputs), 0);
        take_away(&call);
        assert_failure(aclrtSynchronizeStream(stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                       refused[i].sentence);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        close_call(&call);
    }
}

static void casts_have_a_function_of_their_own(void **state)
{
    static const struct row row = {"Cast", "f 3: 1.75 -2.5 3", "", "i 3: 1 -2 3"};
    (void)state;
    for (int form = 0; form < 4; form++) {
        const uint8_t truncate = form % 2 != 0;
        aclopHandle *handle = NULL;
        struct call call;
        open_call(&row, &call);
        if (form < 2) {
            assert_int_equal(aclopCast(call.in[0].desc, call.in[0].buffer, call.out[0].desc,
                                       call.out[0].buffer, truncate, stream),
                             0);
        } else {
            const aclDataBuffer *const from = call.in[0].buffer;
            assert_int_equal(aclopCreateHandleForCast(call.in[0].desc, call.out[0].desc, truncate, &handle),
                             0);
            assert_int_equal(aclopExecWithHandle(handle, 1, &from, 1, &call.out[0].buffer, stream), 0);
        }
        aclopDestroyHandle(handle);
        take_away(&call);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(compare(&row, &call.out[0]), 0);
        close_call(&call);
    }
}

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_right),
        cmocka_unit_test(every_kind_has_a_row),
        cmocka_unit_test(every_kind_that_is_refused_fails_in_the_stream),
        cmocka_unit_test(what_is_not_computed_says_why),
        cmocka_unit_test(casts_have_a_function_of_their_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
