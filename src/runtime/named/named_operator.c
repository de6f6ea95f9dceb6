/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Running an operator by its name: Identity, with which frameworks copy a tensor between two plain formats,
 * and what other libraries offer. Every other name is work that fails, with a sentence that says what it was
 * to be run on.
 */
#include <stdarg.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_op_compiler.h"
#include "runtime/named/block_format.h"
#include "runtime/named/compile_option.h"
#include "runtime/memory/copy.h"
#include "base/error.h"
#include "base/name_distance.h"
#include "runtime/streams/fault.h"
#include "runtime/named/named_operator.h"
#include "runtime/named/op_attribute.h"
#include "runtime/streams/refusal.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/named/tensor_desc.h"
#include "runtime/timeline/trace.h"

enum { OPERANDS_TEXT = 512, NAMES_TEXT = NAMED_NEAREST_BYTES };

/* One list of operands, as the call gives it. */
struct operands {
    const char *words; /* "input", "output" */
    int count;
    const aclTensorDesc *const *desc;
    const aclDataBuffer *const *buffer;
    bool is_writable; /* the descriptions: dims that only the work tells are written there */
};

static const char *dtype_name(aclDataType dtype)
{
    static const char *const names[] = {
        [ACL_FLOAT] = "FLOAT",   [ACL_FLOAT16] = "FLOAT16",     [ACL_INT8] = "INT8",
        [ACL_INT32] = "INT32",   [ACL_UINT8] = "UINT8",         [ACL_INT16] = "INT16",
        [ACL_UINT16] = "UINT16", [ACL_UINT32] = "UINT32",       [ACL_INT64] = "INT64",
        [ACL_UINT64] = "UINT64", [ACL_DOUBLE] = "DOUBLE",       [ACL_BOOL] = "BOOL",
        [ACL_STRING] = "STRING", [ACL_COMPLEX64] = "COMPLEX64", [ACL_COMPLEX128] = "COMPLEX128",
        [ACL_BF16] = "BF16",
    };
    bool is_known = (int)dtype >= 0 && (size_t)dtype < sizeof names / sizeof names[0] && names[dtype] != NULL;
    return is_known ? names[dtype] : "another dtype";
}

__attribute__((format(printf, 3, 4))) static void append(char text[OPERANDS_TEXT], size_t *length,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text + *length, OPERANDS_TEXT - *length, format, arguments);
    va_end(arguments);
    if (written > 0)
        *length += (size_t)written < OPERANDS_TEXT - *length ? (size_t)written : OPERANDS_TEXT - 1 - *length;
}

/* "FLOAT [2, 3], FLOAT [3, 4]"; an operand that is not there, not live or of no dtype is "nothing". */
static void describe(const struct operands *inputs, char text[OPERANDS_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; inputs->desc != NULL && i < inputs->count && length < OPERANDS_TEXT - 1; i++) {
        struct tensor_desc_view view;
        append(text, &length, i > 0 ? ", " : "");
        if (!tensor_desc_peek(inputs->desc[i], &view) || view.dtype == ACL_DT_UNDEFINED) {
            append(text, &length, "nothing");
            continue;
        }
        append(text, &length, "%s [", dtype_name(view.dtype));
        for (int32_t k = 0; k < view.rank; k++)
            append(text, &length, k > 0 ? ", %lld" : "%lld", (long long)view.dims[k]);
        append(text, &length, "]");
    }
}

/* How operands in blocks become plain ones; NULL as long as no library has offered it. */
static named_conversion *_Atomic conversion;

void named_operator_convert_by(named_conversion *offered)
{
    atomic_store(&conversion, offered);
}

static bool is_in_blocks(const struct named_operand *operand)
{
    return operand->is_there && block_format_name(operand->view.format) != NULL;
}

static int run_plain(struct named_call *call, named_function *function, aclrtStream stream)
{
    bool has_blocks = false;
    for (int i = 0; i < call->inputs; i++)
        has_blocks |= is_in_blocks(&call->input[i]);
    for (int i = 0; i < call->outputs; i++)
        has_blocks |= is_in_blocks(&call->output[i]);
    return has_blocks ? atomic_load(&conversion)(call, function, stream) : function(call, stream);
}

static bool is_left_out(const struct operands *operands, int i)
{
    struct tensor_desc_view view;
    return operands->desc[i] == NULL ||
           (tensor_desc_peek(operands->desc[i], &view) && view.dtype == ACL_DT_UNDEFINED);
}

/* Operands that are optional may be left out at the end of the list, too. */
static int check_count(const char *api, const char *type, const char *words, int count, int expected,
                       uint32_t optional)
{
    if (expected == NAMED_LIST && count > 0)
        expected = count;
    bool is_complete = count >= 0 && count <= expected;
    for (int i = expected; is_complete && i-- > count;)
        is_complete = i < 32 && (optional >> i & 1);
    return is_complete ? 0
                       : fail(ACL_ERROR_INVALID_PARAM, "%s: %.64s has %d %ss; %d %s expected", api, type,
                              count, words, expected, expected == 1 ? "is" : "are");
}

int named_operator_check_counts(const char *api, const struct named_operator *named, int inputs, int outputs)
{
    TRY(check_count(api, named->name, "input", inputs, named->inputs, named->optional));
    return check_count(api, named->name, "output", outputs, named->outputs, 0);
}

static int check_operands(const char *api, const char *type, const struct operands *operands, int expected,
                          uint32_t optional)
{
    TRY(check_count(api, type, operands->words, operands->count, expected, optional));
    for (int i = 0; i < operands->count; i++)
        if (operands->desc == NULL || operands->buffer == NULL ||
            ((operands->desc[i] == NULL || operands->buffer[i] == NULL) &&
             !(i < 32 && optional >> i & 1 && is_left_out(operands, i))))
            return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                        "%s: the description or the buffer of the %s is NULL; one of each is expected", api,
                        operands->words);
    return 0;
}

/* What the description says of it, and its buffer, which must have room for that. */
static int read_operand(const char *api, const char *type, const struct operands *operands, int i,
                        struct named_operand *operand)
{
    operand->is_there = true;
    operand->desc = operands->is_writable ? (aclTensorDesc *)(uintptr_t)operands->desc[i] : NULL;
    TRY(tensor_desc_read(api, operands->desc[i], &operand->view));
    if (is_in_blocks(operand) && atomic_load(&conversion) == NULL)
        return fail(
            ACL_ERROR_API_NOT_SUPPORT,
            "%s: the %s of %.64s has format %s (%d), which libopapi knows and is not loaded; a format "
            "whose elements lie in the order of the dims is expected",
            api, operands->words, type, block_format_name(operand->view.format), (int)operand->view.format);
    size_t bytes;
    TRY(data_buffer_read(api, operands->buffer[i], &operand->address, &bytes));
    if (bytes < operand->view.bytes)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: the buffer of the %s has %zu bytes; %zu, as its description says, are expected", api,
                    operands->words, bytes, operand->view.bytes);
    return 0;
}

static int copy_identity(const struct named_call *call, aclrtStream stream)
{
    const struct named_operand *from = &call->input[0], *to = &call->output[0];
    if (from->view.dtype != to->view.dtype || from->view.bytes != to->view.bytes)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: Identity is to copy %zu bytes of %s to %zu bytes of %s; the same dtype and size are "
                    "expected",
                    call->api, from->view.bytes, dtype_name(from->view.dtype), to->view.bytes,
                    dtype_name(to->view.dtype));
    return copy_in_stream(call->api, to->address, to->view.bytes, from->address, from->view.bytes,
                          ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static const struct named_operator identity = {"Identity", 1, 1, 0, copy_identity, NULL, NULL};

/* The last that was offered; each leads to the one before it. */
static const struct named_operator *_Atomic last_offered = &identity;

void named_operator_offer(struct named_operator *offered)
{
    offered->next = atomic_load(&last_offered);
    while (!atomic_compare_exchange_weak(&last_offered, &offered->next, offered))
        continue;
}

const struct named_operator *named_operator_last(void)
{
    return atomic_load(&last_offered);
}

/*
 * Programs that call operators by name alone are not linked with the library that offers them, or the linker
 * has left it out, as they name none of its functions. It lies beside this one and stays for good.
 */
static void *volatile kinds_library;

static void open_kinds(void)
{
    /* Kept: a call in the end would be a jump, and the loader look for it beside whoever called this. */
    kinds_library = dlopen("libopapi.so", RTLD_NOW | RTLD_LOCAL);
}

static const struct named_operator *find_offered(const char *type)
{
    const struct named_operator *offered = atomic_load(&last_offered);
    while (offered != NULL && strcmp(type, offered->name) != 0)
        offered = offered->next;
    return offered;
}

const struct named_operator *named_operator_find(const char *type)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct named_operator *offered = find_offered(type);
    if (offered != NULL)
        return offered;
    pthread_once(&once, open_kinds);
    return find_offered(type);
}

/* "CdistGrad, Cast": the three kinds that are nearest to the name. */
void named_operator_nearest(const char *type, char names[NAMES_TEXT])
{
    enum { NEAREST = 3 };
    const char *nearest[NEAREST] = {NULL};
    int length = 0;
    for (const struct named_operator *offered = atomic_load(&last_offered); offered != NULL;
         offered = offered->next) {
        const char *name = offered->name;
        for (int i = 0; i < NEAREST && name != NULL; i++)
            if (nearest[i] == NULL || name_distance(type, name) < name_distance(type, nearest[i])) {
                const char *farther = nearest[i];
                nearest[i] = name;
                name = farther;
            }
    }
    for (int i = 0; i < NEAREST && nearest[i] != NULL && length < NAMES_TEXT; i++)
        length += snprintf(names + length, (size_t)(NAMES_TEXT - length), i > 0 ? ", %s" : "%s", nearest[i]);
}

static int read_operands(struct named_call *call, const struct named_operator *named,
                         const struct operands *inputs, const struct operands *outputs)
{
    for (int i = 0; i < inputs->count; i++)
        if (i >= 32 || !(named->optional >> i & 1) || !is_left_out(inputs, i))
            TRY(read_operand(call->api, named->name, inputs, i, &call->input[i]));
    for (int i = 0; i < outputs->count; i++)
        TRY(read_operand(call->api, named->name, outputs, i, &call->output[i]));
    return 0;
}

static int run_offered(const char *api, const struct named_operator *named, const struct operands *inputs,
                       const struct operands *outputs, const aclopAttr *attr, aclrtStream stream)
{
    TRY(check_operands(api, named->name, inputs, named->inputs, named->optional));
    TRY(check_operands(api, named->name, outputs, named->outputs, 0));
    TRY(op_attribute_check(api, attr));
    const size_t ins = (size_t)(inputs->count > NAMED_INPUTS ? inputs->count : NAMED_INPUTS),
                 outs = (size_t)(outputs->count > NAMED_OUTPUTS ? outputs->count : NAMED_OUTPUTS);
    struct named_operand *operand = calloc(ins + outs, sizeof *operand);
    if (operand == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for the operands", api);
    struct named_call call = {.api = api,
                              .named = named,
                              .inputs = inputs->count,
                              .outputs = outputs->count,
                              .input = operand,
                              .output = operand + ins,
                              .attr = attr};
    int status = read_operands(&call, named, inputs, outputs);
    if (status == 0)
        status = run_plain(&call, named->function, stream);
    free(operand);
    return status;
}

static int fail_missing(const char *api, const char *type, const struct operands *inputs, aclrtStream stream)
{
    char text[OPERANDS_TEXT], names[NAMES_TEXT], sentence[FAULT_SENTENCE_BYTES];
    describe(inputs, text);
    named_operator_nearest(type, names);
    snprintf(sentence, sizeof sentence,
             "%.64s of %.160s is not in this release of Belay%s; the nearest kinds that it has by name are "
             "%s, and the others are aclnn functions",
             type, text[0] != '\0' ? text : "no inputs", compile_option_advice(), names);
    return refusal_queue(api, stream, sentence);
}

/*
 * What cannot be run fails as work of the stream, not at the call (refusal.h): whoever calls operators by
 * name is a framework, which queues calls.
 */
static int run(const char *api, const char *type, const struct operands *inputs,
               const struct operands *outputs, const aclopAttr *attr, aclrtStream stream)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (type == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                    "%s: opType is NULL; the name of an operator is expected", api);
    const struct named_operator *offered = named_operator_find(type);
    const int status =
        offered != NULL ? run_offered(api, offered, inputs, outputs, attr, stream) : NAMED_UNKNOWN;
    if (status == 0)
        return 0;
    if (status == NAMED_UNKNOWN)
        return fail_missing(api, type, inputs, stream);
    return refusal_queue(api, stream, error_last_sentence());
}

int named_operator_run(const char *api, const char *type, int inputs, const aclTensorDesc *const *input_desc,
                       const aclDataBuffer *const *input, int outputs,
                       const aclTensorDesc *const *output_desc, const aclDataBuffer *const *output,
                       const aclopAttr *attr, aclrtStream stream)
{
    struct operands from = {"input", inputs, input_desc, input, false};
    struct operands to = {"output", outputs, output_desc, output, false};
    return run(api, type, &from, &to, attr, stream);
}

aclError aclopCompileAndExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                                const aclDataBuffer *const inputs[], int numOutputs,
                                const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                                const aclopAttr *attr, aclopEngineType engineType,
                                aclopCompileType compileFlag, const char *opPath, aclrtStream stream)
{
    TRACE_THIS_CALL;
    (void)engineType, (void)compileFlag, (void)opPath; /* how a compiler would go about it */
    struct operands from = {"input", numInputs, inputDesc, inputs, false};
    struct operands to = {"output", numOutputs, outputDesc, (const aclDataBuffer *const *)outputs, false};
    return run("aclopCompileAndExecute", opType, &from, &to, attr, stream);
}

aclError aclopCompileAndExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                                  aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                                  aclDataBuffer *outputs[], aclopAttr *attr, aclopEngineType engineType,
                                  aclopCompileType compileFlag, const char *opPath, aclrtStream stream)
{
    TRACE_THIS_CALL;
    (void)engineType, (void)compileFlag, (void)opPath;
    struct operands from = {"input", numInputs, (const aclTensorDesc *const *)inputDesc,
                            (const aclDataBuffer *const *)inputs, false};
    struct operands to = {"output", numOutputs, (const aclTensorDesc *const *)outputDesc,
                          (const aclDataBuffer *const *)outputs, true};
    return run("aclopCompileAndExecuteV2", opType, &from, &to, attr, stream);
}

/* Nothing is compiled, so that an operator of a model folder is the one of that name. */
aclError aclopExecute(const char *opType, int numInputs, const aclTensorDesc *const inputDesc[],
                      const aclDataBuffer *const inputs[], int numOutputs,
                      const aclTensorDesc *const outputDesc[], aclDataBuffer *const outputs[],
                      const aclopAttr *attr, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct operands from = {"input", numInputs, inputDesc, inputs, false};
    struct operands to = {"output", numOutputs, outputDesc, (const aclDataBuffer *const *)outputs, false};
    return run("aclopExecute", opType, &from, &to, attr, stream);
}

aclError aclopExecuteV2(const char *opType, int numInputs, aclTensorDesc *inputDesc[],
                        aclDataBuffer *inputs[], int numOutputs, aclTensorDesc *outputDesc[],
                        aclDataBuffer *outputs[], aclopAttr *attr, aclrtStream stream)
{
    TRACE_THIS_CALL;
    struct operands from = {"input", numInputs, (const aclTensorDesc *const *)inputDesc,
                            (const aclDataBuffer *const *)inputs, false};
    struct operands to = {"output", numOutputs, (const aclTensorDesc *const *)outputDesc,
                          (const aclDataBuffer *const *)outputs, true};
    return run("aclopExecuteV2", opType, &from, &to, attr, stream);
}

/* A conversion drops what is behind the point anyway: truncate changes nothing. */
aclError aclopCast(const aclTensorDesc *srcDesc, const aclDataBuffer *srcBuffer, const aclTensorDesc *dstDesc,
                   aclDataBuffer *dstBuffer, uint8_t truncate, aclrtStream stream)
{
    TRACE_THIS_CALL;
    (void)truncate;
    const aclDataBuffer *const target = dstBuffer;
    struct operands from = {"input", 1, &srcDesc, &srcBuffer, false},
                    to = {"output", 1, &dstDesc, &target, false};
    return run("aclopCast", "Cast", &from, &to, NULL, stream);
}
