/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of any function, made of its description: its tensors as samples and infer say, in memory and layouts
 * that a test chooses, with contents that most functions take. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_SAMPLED_CALL_H
#define BELAY_TESTS_OPS_SAMPLED_CALL_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "ops/attempt.h"
#include "ops/sample_group.h"
#include "support/effort.h"
#include "support/random.h"

enum { OPERANDS_MOST = 64, PLACE_BYTES = 1 << 16 };

struct sampled_operand {
    unsigned parameter;
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX], offset;
    size_t count, bytes; /* elements; bytes of all of them side by side */
    unsigned char *address;
    const aclTensor *tensor; /* while there is one */
};

struct sampled_call {
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    uint32_t length[PARAMETERS_MAX]; /* of tensors */
    uint32_t first[PARAMETERS_MAX];  /* the number of the first one */
    struct sampled_operand operand[OPERANDS_MOST];
    uint32_t operands;
    bool is_too_large;
};

/* How samples are changed: floats of another dtype where that is allowed; more elements, 9 rows of 70 where rows and
 * columns are 0, or rows of none; one parameter that is not what its sample says, a tensor that is left out or one of
 * some other attributes; all sizes that are one number, another one. */
struct sampling {
    aclDataType dtype;
    bool is_large, is_empty;
    const struct parameter *other;
    unsigned which; /* of OTHERS */
    int64_t rows, columns, size, other_size;
};

enum { OTHERS = 3 };

/* What integers are: good as indices and ends, all 0, all 1, and 2, of which two make up four. With the last
 * one, matrices of floats have a great diagonal: others may have no root. */
enum contents { CONTENTS_ENDS, CONTENTS_ZERO, CONTENTS_ONE, CONTENTS_TWO, CONTENTS };

static unsigned char *arena; /* a place for each operand */
static aclrtStream stream;
static const struct settings *settings;

static inline unsigned char *place_of(uint32_t operand)
{
    return arena + (size_t)operand * PLACE_BYTES + PLACE_BYTES / 4;
}

static inline void set_contiguous(struct sampled_operand *operand)
{
    int64_t step = 1;
    for (uint32_t i = operand->rank; i-- > 0; step *= operand->shape[i])
        operand->stride[i] = step;
    operand->offset = 0;
}

static inline void add_sampled(struct sampled_call *call, unsigned parameter, aclDataType dtype,
                               uint32_t rank, const int64_t *shape)
{
    struct sampled_operand *operand = &call->operand[call->operands];
    assert_true(call->operands < OPERANDS_MOST);
    *operand = (struct sampled_operand){.parameter = parameter,
                                        .dtype = dtype,
                                        .rank = rank,
                                        .count = 1,
                                        .address = place_of(call->operands++)};
    memcpy(operand->shape, shape, rank * sizeof shape[0]);
    for (uint32_t i = 0; i < rank; i++)
        operand->count *= (size_t)shape[i];
    operand->bytes = operand->count * dtype_bytes(dtype);
    set_contiguous(operand);
    call->is_too_large |= operand->bytes > PLACE_BYTES / 8;
    call->length[parameter]++;
}

/* The tensor of a parameter as its sample says, with another dtype if it has it and its sample names none,
 * and larger where it may be of any shape. */
static inline void add_sample(struct sampled_call *call, unsigned parameter, const struct sampling *sampling)
{
    const struct parameter *of = &call->function->parameter[parameter];
    struct tensor_view view;
    aclTensor *sample = sample_tensor(of);
    assert_true(tensor_read(sample, &view));
    const bool is_named = of->sample != NULL && strchr(of->sample, ':') != NULL;
    if (!is_named && sampling->dtype != ACL_DT_UNDEFINED &&
        (of->dtypes->on[settings->product] & DTYPE_BIT(sampling->dtype)) != 0)
        view.dtype = sampling->dtype;
    if (sampling->is_large && of->sample == NULL) {
        view.shape[0] = sampling->rows != 0 ? sampling->rows : 9;
        view.shape[1] = sampling->is_empty ? 0 : sampling->columns != 0 ? sampling->columns : 70;
    }
    for (uint32_t i = 0; sampling->size != 0 && i < view.rank; i++)
        view.shape[i] = view.shape[i] == sampling->size ? sampling->other_size : view.shape[i];
    add_sampled(call, parameter, view.dtype, view.rank, view.shape);
    assert_int_equal(aclDestroyTensor(sample), 0);
}

/* The handles of all tensors, where they lie now. */
static inline void begin_tensors(struct sampled_call *call)
{
    for (uint32_t i = 0; i < call->operands; i++) {
        struct sampled_operand *operand = &call->operand[i];
        const int64_t storage = INT64_C(1) << 40;
        operand->tensor = aclCreateTensor(operand->shape, operand->rank, operand->dtype, operand->stride,
                                          operand->offset, ACL_FORMAT_ND, &storage, 1, operand->address);
    }
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const aclTensor *tensor[OPERANDS_MOST];
        for (uint32_t k = 0; k < call->length[i]; k++)
            tensor[k] = call->operand[call->first[i] + k].tensor;
        if (call->length[i] > 0)
            call->argument[i].handle = call->function->parameter[i].kind == PARAMETER_TENSOR_LIST
                                           ? (const void *)aclCreateTensorList(tensor, call->length[i])
                                           : (const void *)tensor[0];
    }
}

static inline void end_tensors(struct sampled_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->length[i] > 0)
            release_argument(&call->function->parameter[i], call->argument[i]);
}

/* An array of integers with one of them, or all of them, greater, or with sizes that are other ones. */
static inline const void *other_integers(const struct parameter *parameter, const struct sampling *sampling)
{
    double number[16];
    int64_t integer[16];
    const uint64_t count = sample_numbers(parameter, number);
    for (uint64_t i = 0; i < count; i++) {
        integer[i] = (int64_t)number[i];
        if (parameter == sampling->other)
            integer[i] += sampling->which == 0 ? i == 0 : sampling->which == 1 ? i + 1 == count : 1;
        else if (integer[i] == sampling->size)
            integer[i] = sampling->other_size;
    }
    return aclCreateIntArray(integer, count);
}

/* An attribute that is neither usual nor its sample, where its kind has such a one. */
static inline union argument other_argument(const struct parameter *parameter,
                                            const struct sampling *sampling)
{
    static const double numbers[OTHERS] = {0.625, -1.5, 3};
    static const int64_t steps[OTHERS] = {1, -1, 2};
    const union argument usual = sample_argument(parameter);
    const double number = numbers[sampling->which];
    const bool is_float = sampling->dtype != ACL_INT32;
    float single = (float)number;
    int64_t integer = 1 + steps[sampling->which];
    switch (parameter->kind) {
    case PARAMETER_SCALAR:
        (void)aclDestroyScalar(usual.scalar);
        return argument_of_pointer(is_float ? aclCreateScalar(&single, ACL_FLOAT)
                                            : aclCreateScalar(&integer, ACL_INT64));
    case PARAMETER_FLOAT:
        return argument_of_fp32(single);
    case PARAMETER_DOUBLE:
        return argument_of_fp64(number);
    case PARAMETER_BOOL:
        return argument_of_bool(!usual.boolean);
    case PARAMETER_INT_ARRAY:
        (void)aclDestroyIntArray(usual.ints);
        return argument_of_pointer(other_integers(parameter, sampling));
    default:
        return parameter_is_handle(parameter) || parameter->kind == PARAMETER_STRING ||
                       usual.int64 > INT64_MAX - 2 || usual.int64 == INT64_MIN
                   ? usual
                   : argument_of_integer(usual.int64 + steps[sampling->which]);
    }
}

static inline void sample_inputs(struct sampled_call *call, const struct sampling *sampling)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        call->first[i] = call->operands;
        if (parameter_is_output(parameter))
            continue;
        const bool is_other = parameter == sampling->other,
                   is_list = parameter->kind == PARAMETER_TENSOR_LIST;
        if (must_be_null(parameter) || (is_other && parameter_is_tensor(parameter)))
            call->argument[i] = argument_of_pointer(NULL);
        else if (parameter_is_tensor(parameter))
            for (unsigned k = 0; k < (is_list ? sample_length(parameter) : 1); k++)
                add_sample(call, i, sampling);
        else if (parameter->kind == PARAMETER_INT_ARRAY && sampling->size != 0)
            call->argument[i] = argument_of_pointer(other_integers(parameter, sampling));
        else
            call->argument[i] = is_other ? other_argument(parameter, sampling) : sample_argument(parameter);
    }
}

/* False where infer refuses the inputs. */
static inline bool infer_outputs(struct sampled_call *call)
{
    const struct function *function = call->function;
    struct result result;
    begin_tensors(call);
    const bool is_accepted = function_infer(function, call->argument, &result) == 0;
    end_tensors(call);
    for (unsigned i = 0, written = 0; is_accepted && i < function->parameter_count; i++) {
        const struct output *output = &result.output[written];
        written += parameter_is_written(&function->parameter[i]);
        if (!parameter_is_output(&function->parameter[i]))
            continue;
        call->first[i] = call->operands;
        if (function->parameter[i].kind != PARAMETER_TENSOR_LIST) {
            add_sampled(call, i, output->dtype, output->shape.rank, output->shape.dim);
            continue;
        }
        for (uint32_t k = 0; k < call->length[output->like]; k++) {
            const struct sampled_operand like = call->operand[call->first[output->like] + k];
            add_sampled(call, i, output->dtype == ACL_DT_UNDEFINED ? like.dtype : output->dtype, like.rank,
                        like.shape);
        }
    }
    return is_accepted && !call->is_too_large;
}

/* Whether an element is on the diagonal of its matrix. */
static inline bool is_on_diagonal(const struct sampled_operand *operand, size_t element)
{
    if (operand->rank < 2)
        return false;
    const size_t rows = (size_t)operand->shape[operand->rank - 2],
                 columns = (size_t)operand->shape[operand->rank - 1];
    return element % (rows * columns) / columns == element % columns;
}

/* Numbers for an operand, side by side, by its dtype. */
static inline void fill_numbers(const struct sampled_operand *operand, unsigned char *to,
                                enum contents contents)
{
    const size_t bytes = dtype_bytes(operand->dtype);
    for (size_t i = 0; i < operand->count; i++) {
        const double drawn = 0.25 + (double)random_below(1000) / 512,
                     number = contents != CONTENTS_TWO || operand->rank < 2 ? drawn
                              : is_on_diagonal(operand, i)                  ? 4
                                                                            : 0.25;
        const float single = (float)number;
        const uint16_t half = (uint16_t)(0x3800 + random_below(1024)), brain = (uint16_t)(0x3f00 + i % 128);
        const uint64_t whole = contents == CONTENTS_ENDS ? i > 0 : (uint64_t)contents - CONTENTS_ZERO;
        const void *from = operand->dtype == ACL_DOUBLE    ? (const void *)&number
                           : operand->dtype == ACL_FLOAT   ? (const void *)&single
                           : operand->dtype == ACL_FLOAT16 ? (const void *)&half
                           : operand->dtype == ACL_BF16    ? (const void *)&brain
                                                           : (const void *)&whole;
        memset(to + i * bytes, 0, bytes);
        memcpy(to + i * bytes, from, bytes < sizeof whole ? bytes : sizeof whole);
    }
}

/* Runs the call with tensors that there are. */
static inline int run_tensors(const struct sampled_call *call)
{
    const struct function *function = call->function;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    int status = function_plan_anew(function, call->argument, &workspace_bytes, &executor);
    if (status != 0)
        return status;
    assert_int_equal(workspace_bytes, 0);
    status = function->launch(NULL, 0, executor, stream);
    return status != 0 ? status : aclrtSynchronizeStream(stream);
}

static inline int run_call(struct sampled_call *call)
{
    begin_tensors(call);
    const int status = run_tensors(call);
    end_tensors(call);
    return status;
}

static inline const struct parameter *parameter_of(const struct sampled_call *call, uint32_t operand)
{
    return &call->function->parameter[call->operand[operand].parameter];
}

static inline bool is_written(const struct sampled_call *call, uint32_t operand)
{
    return parameter_is_written(parameter_of(call, operand));
}

/* "out[1]" */
static inline const char *name_of(const struct sampled_call *call, uint32_t operand, char (*text)[64])
{
    const bool is_list = parameter_of(call, operand)->kind == PARAMETER_TENSOR_LIST;
    snprintf(*text, sizeof *text, is_list ? "%s[%u]" : "%s", parameter_of(call, operand)->name,
             operand - call->first[call->operand[operand].parameter]);
    return *text;
}

/* A call of a function, with contents of operands that it runs on; false where its sample is not accepted. */
static inline bool sample_call(struct sampled_call *call, const struct function *function,
                               const struct sampling *sampling, enum contents *contents)
{
    memset(call, 0, sizeof *call);
    call->function = function;
    sample_inputs(call, sampling);
    bool runs = false;
    const bool is_call = infer_outputs(call);
    for (int i = 0; is_call && !runs && i < CONTENTS; i++) {
        *contents = (enum contents)i;
        for (uint32_t k = 0; k < call->operands; k++)
            fill_numbers(&call->operand[k], call->operand[k].address, *contents);
        runs = run_call(call) == 0;
        (void)aclGetRecentErrMsg();
    }
    return runs;
}

static inline void end_call(struct sampled_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->length[i] == 0 && !parameter_is_output(&call->function->parameter[i]))
            release_argument(&call->function->parameter[i], call->argument[i]);
    (void)aclGetRecentErrMsg();
}

static inline int set_up(void **state)
{
    (void)state;
    return settings_get(&settings) != 0 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 ||
           open_sample_group() != 0 || aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&arena, (size_t)OPERANDS_MOST * PLACE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    return close_sample_group() != 0 || aclrtFree(arena) != 0 || aclrtDestroyStream(stream) != 0 ||
           aclrtResetDevice(0) != 0 || aclFinalize() != 0;
}

/* Tries every function by each sampling, or by the first one where another pass has tried all of them; how many
 * functions there are, and how many had a call by one sampling at least. */
static inline uint32_t try_functions(bool (*try_function)(const struct function *, const struct sampling *),
                                     const struct sampling *sampling, size_t samplings, size_t *count)
{
    const struct function *const *list = functions(count);
    uint32_t tried = 0;
    for (size_t i = 0; i < *count; i++) {
        const bool is_on = is_on_this_product(list[i]); /* there is nothing to try otherwise */
        bool runs = !is_on;
        for (size_t k = 0; is_on && k < (effort() < 0.25 ? 1 : samplings); k++)
            runs |= try_function(list[i], &sampling[k]);
        tried += runs;
        if (!runs)
            print_message("%s is not tried: its sample is not accepted\n", list[i]->operation.name);
    }
    return tried;
}

#endif
