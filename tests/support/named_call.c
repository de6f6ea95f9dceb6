/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Text, made into calls of operators by name.
 */
#include "support/named_call.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t element_bytes(aclDataType dtype)
{
    return dtype == ACL_INT64 || dtype == ACL_UINT64 ? 8
           : dtype == ACL_BOOL || dtype == ACL_UINT8 ? 1
           : dtype == ACL_FLOAT16                    ? 2
                                                     : 4;
}

static void store(aclDataType dtype, double value, unsigned char *at)
{
    const float fp32 = (float)value;
    const int32_t int32 = dtype == ACL_INT32 ? (int32_t)value : 0;
    const bool is_number = dtype == ACL_FLOAT || dtype == ACL_FLOAT16;
    const int64_t int64 = is_number ? 0 : (int64_t)value;
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
    *operand = (struct operand){.count = 1, .format = ACL_FORMAT_ND};
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
        } else if (*text == 'N' || *text == 'K') {
            operand->format = *text == 'K' ? ACL_FORMAT_HWCN : ACL_FORMAT_NHWC;
        } else if (*text == '*') {
            operand->is_any = true;
        } else if (*text != ' ') {
            break;
        }
    }
    static const char letters[] = "fhilbuq";
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64,
                                         ACL_BOOL,  ACL_UINT8,   ACL_UINT64};
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
    if (operand->format == ACL_FORMAT_NHWC && operand->rank == 5)
        operand->format = ACL_FORMAT_NDHWC;
    operand->desc = aclCreateTensorDesc(operand->dtype, operand->rank, operand->dims, operand->format);
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
    float floats[16];
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
    case 'F':
        for (char *at = strtok_r(value, ",", &rest); at != NULL; at = strtok_r(NULL, ",", &rest))
            floats[count++] = (float)atof(at);
        assert_int_equal(aclopSetAttrListFloat(attr, text, count, floats), 0);
        break;
    default:
        for (char *at = strtok_r(value, ",", &rest); at != NULL; at = strtok_r(NULL, ",", &rest))
            list[count++] = atoll(at);
        assert_int_equal(aclopSetAttrListInt(attr, text, count, list), 0);
    }
}

void open_call(const struct row *row, struct call *call)
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

void take_away(struct call *call)
{
    for (int i = 0; i < call->inputs; i++)
        if (call->in[i].is_on_host)
            memset(call->in[i].memory, 0xFF, call->in[i].bytes);
    aclopDestroyAttr(call->attr);
}

void close_call(struct call *call)
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

int execute(const char *kind, const struct call *call, int inputs, aclrtStream stream)
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

int execute_by_handle(const char *kind, struct call *call, aclrtStream stream)
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

int compare(const struct row *row, const struct operand *out)
{
    unsigned char host[ELEMENTS * 8];
    if (out->is_any)
        return 0;
    assert_int_equal(aclrtMemcpy(host, sizeof host, out->memory, out->bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int64_t i = 0; i < out->count; i++) {
        const double value = load(out->dtype, host + (size_t)i * element_bytes(out->dtype)),
                     bound = (out->dtype == ACL_FLOAT ? 4e-6 : 0) * (1 + fabs(out->value[i])),
                     expected = out->dtype == ACL_FLOAT16 /* whose digits are too few */
                                    ? (double)aclFloat16ToFloat(aclFloatToFloat16((float)out->value[i]))
                                    : out->value[i];
        if (!(fabs(value - expected) <= bound)) {
            print_error("%s (%s; %s): element %d is %.9g instead of %.9g\n", row->kind, row->inputs,
                        row->attributes, (int)i, value, out->value[i]);
            return 1;
        }
    }
    return 0;
}
