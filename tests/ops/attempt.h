/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of phase 1 through the descriptions of the operators: one that is accepted, to be spoilt, and what
 * must hold for one that is refused. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_ATTEMPT_H
#define BELAY_TESTS_OPS_ATTEMPT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/check.h"
#include "ops/find_operator.h"
#include "support/failure.h"
#include "tensor/dtype.h"

static char memory[1 << 16];

static inline aclTensor *tensor_with(aclDataType dtype, unsigned rank, const int64_t *shape,
                                     const int64_t *stride)
{
    int64_t contiguous[TENSOR_RANK_MAX], step = 1;
    for (unsigned i = rank; i-- > 0;) {
        contiguous[i] = step;
        step *= shape[i];
    }
    aclTensor *tensor = aclCreateTensor(shape, rank, dtype, stride != NULL ? stride : contiguous, 0,
                                        ACL_FORMAT_ND, shape, rank, memory);
    assert_non_null(tensor);
    return tensor;
}

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static inline aclTensor *plain(aclDataType dtype)
{
    return tensor_with(dtype, 2, DIMS(2, 3), NULL);
}

static inline aclScalar *scalar_of(aclDataType dtype)
{
    /* 1 or close to it in every dtype, and never negative. */
    uint64_t bytes[2] = {0, 0};
    const float single = 1;
    const double wide = 1;
    if (dtype == ACL_FLOAT)
        memcpy(bytes, &single, sizeof single);
    else if (dtype == ACL_DOUBLE)
        memcpy(bytes, &wide, sizeof wide);
    else
        bytes[0] = 1;
    return aclCreateScalar(bytes, dtype);
}

/* What is usual, or the sample: a number, which is 1 where nothing is said. */
static inline double number_of(const struct parameter *parameter)
{
    const char *text = parameter->usual != NULL ? parameter->usual : parameter->sample;
    if (parameter->choices != NULL)
        for (int i = 0; text != NULL && parameter->choices[i] != NULL; i++)
            if (strcmp(parameter->choices[i], text) == 0)
                return i;
    return parameter->choices != NULL ? 0 : text != NULL ? strtod(text, NULL) : 1;
}

/* 1, but 0 where that is usual: it may be all that some dtype takes; and so what is below it, as a bound. */
static inline aclScalar *usual_scalar(const struct parameter *parameter)
{
    if (parameter->dtypes != NULL && (parameter->dtypes->on[PRODUCT_910B] & DTYPE_BIT(ACL_FLOAT)) == 0)
        return scalar_of(ACL_INT64);
    float usual = parameter->usual != NULL ? strtof(parameter->usual, NULL) : 1;
    return usual <= 0 ? aclCreateScalar(&usual, ACL_FLOAT) : scalar_of(ACL_FLOAT);
}

static inline aclDataType dtype_of_name(const char *name)
{
    for (int dtype = 0; dtype < 64; dtype++)
        if (strcmp(dtype_name((aclDataType)dtype), name) == 0)
            return (aclDataType)dtype;
    fail_msg("%s is not a dtype", name);
    return ACL_DT_UNDEFINED;
}

static inline aclDataType sample_dtype(const struct parameter *parameter)
{
    const char *dtype = parameter->sample != NULL ? strchr(parameter->sample, ':') : NULL;
    return dtype != NULL ? dtype_of_name(dtype + 1) : ACL_FLOAT;
}

/* A tensor as its parameter's sample says: 2x3 of FLOAT unless it says otherwise. */
static inline aclTensor *sample_tensor(const struct parameter *parameter)
{
    int64_t shape[TENSOR_RANK_MAX];
    unsigned rank = 0;
    const char *text = parameter->sample;
    if (text == NULL)
        return plain(ACL_FLOAT);
    while (*text >= '0' && *text <= '9') {
        char *end;
        shape[rank++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return tensor_with(sample_dtype(parameter), rank, shape, NULL);
}

/* The numbers of an array: "0,1". */
static inline uint64_t sample_numbers(const struct parameter *parameter, double *number)
{
    const char *text = parameter->usual != NULL ? parameter->usual : parameter->sample;
    uint64_t count = 0;
    while (text != NULL && *text != 0) {
        char *end;
        bool is_word = *text == 't' || *text == 'f';
        number[count++] = is_word ? *text == 't' : strtod(text, &end);
        text = strchr(text, ',');
        text = text != NULL ? text + 1 : NULL;
    }
    return count;
}

static inline const void *sample_array(const struct parameter *parameter)
{
    double number[16];
    int64_t ints[16];
    bool bools[16];
    float floats[16];
    uint64_t count = sample_numbers(parameter, number);
    for (uint64_t i = 0; i < count; i++) {
        ints[i] = (int64_t)number[i];
        bools[i] = number[i] != 0;
        floats[i] = (float)number[i];
    }
    return parameter->kind == PARAMETER_INT_ARRAY    ? (const void *)aclCreateIntArray(ints, count)
           : parameter->kind == PARAMETER_BOOL_ARRAY ? (const void *)aclCreateBoolArray(bools, count)
                                                     : (const void *)aclCreateFloatArray(floats, count);
}

enum { LIST_LENGTH = 2 };

static inline unsigned sample_length(const struct parameter *parameter)
{
    return parameter->sample_length != 0 ? parameter->sample_length : LIST_LENGTH;
}

static inline const void *sample_list(const struct parameter *parameter)
{
    const aclTensor *tensor[LIST_LENGTH];
    const aclScalar *scalar[LIST_LENGTH];
    const unsigned length = sample_length(parameter);
    for (unsigned i = 0; i < length; i++) {
        tensor[i] = parameter->kind == PARAMETER_TENSOR_LIST ? sample_tensor(parameter) : NULL;
        scalar[i] = parameter->kind == PARAMETER_SCALAR_LIST ? usual_scalar(parameter) : NULL;
    }
    return parameter->kind == PARAMETER_TENSOR_LIST ? (const void *)aclCreateTensorList(tensor, length)
                                                    : (const void *)aclCreateScalarList(scalar, length);
}

/* A call that is accepted; tests change one argument of it. */
struct attempt {
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
};

/* Only NULL is accepted. */
static inline bool must_be_null(const struct parameter *parameter)
{
    return parameter->is_optional && parameter->sample != NULL && parameter->sample[0] == 0;
}

static inline bool is_tensor(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_TENSOR && !must_be_null(parameter);
}

static inline bool is_handle(const struct parameter *parameter)
{
    return parameter_is_handle(parameter) && !must_be_null(parameter);
}

static inline union argument sample_argument(const struct parameter *parameter)
{
    const bool has_number = !parameter_is_handle(parameter) && parameter->kind != PARAMETER_DTYPE;
    double number = has_number ? number_of(parameter) : 0;
    if (must_be_null(parameter))
        return argument_of_pointer(NULL);
    switch (parameter->kind) {
    case PARAMETER_TENSOR:
        return argument_of_pointer(sample_tensor(parameter));
    case PARAMETER_SCALAR:
        return argument_of_pointer(usual_scalar(parameter));
    case PARAMETER_TENSOR_LIST:
    case PARAMETER_SCALAR_LIST:
        return argument_of_pointer(sample_list(parameter));
    case PARAMETER_INT_ARRAY:
    case PARAMETER_BOOL_ARRAY:
    case PARAMETER_FLOAT_ARRAY:
        return argument_of_pointer(sample_array(parameter));
    case PARAMETER_DTYPE:
        return argument_of_integer(parameter->sample != NULL ? dtype_of_name(parameter->sample) : ACL_FLOAT);
    case PARAMETER_FLOAT:
        return argument_of_fp32((float)number);
    case PARAMETER_DOUBLE:
        return argument_of_fp64(number);
    case PARAMETER_BOOL:
        return argument_of_bool(parameter->usual != NULL && strcmp(parameter->usual, "true") == 0);
    case PARAMETER_STRING:
        return argument_of_pointer(parameter->usual);
    default:
        /* Not by the number, as a double holds no greatest INT64. */
        return argument_of_integer(parameter->usual != NULL && parameter->choices == NULL
                                       ? strtoll(parameter->usual, NULL, 10)
                                       : (int64_t)number);
    }
}

/* The outputs, of which infer tells dtype and shape. */
static inline void create_outputs(struct attempt *attempt)
{
    const struct function *function = attempt->function;
    struct result result;
    if (function_infer(function, attempt->argument, &result) != 0)
        fail_msg("%s: the sample is refused: %s", function->operation.name, aclGetRecentErrMsg());
    for (unsigned i = 0, written = 0; i < function->parameter_count; i++) {
        const struct output *output = &result.output[written];
        written += parameter_is_written(&function->parameter[i]);
        if (!parameter_is_output(&function->parameter[i]))
            continue;
        const aclTensor *tensor[LIST_LENGTH];
        bool is_list = function->parameter[i].kind == PARAMETER_TENSOR_LIST;
        const unsigned length = is_list ? sample_length(&function->parameter[output->like]) : 1;
        for (unsigned k = 0; k < length; k++)
            tensor[k] = is_list ? sample_tensor(&function->parameter[output->like])
                                : tensor_with(output->dtype, output->shape.rank, output->shape.dim, NULL);
        attempt->argument[i].handle =
            is_list ? (const void *)aclCreateTensorList(tensor, length) : (const void *)tensor[0];
    }
}

static inline struct attempt accepted(const struct function *function)
{
    struct attempt attempt = {.function = function};
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (!parameter_is_output(&function->parameter[i]))
            attempt.argument[i] = sample_argument(&function->parameter[i]);
    create_outputs(&attempt);
    return attempt;
}

static inline void release_argument(const struct parameter *parameter, union argument argument)
{
    if (parameter->kind == PARAMETER_TENSOR)
        (void)aclDestroyTensor(argument.tensor);
    else if (parameter->kind == PARAMETER_SCALAR)
        (void)aclDestroyScalar(argument.scalar);
    else if (parameter->kind == PARAMETER_TENSOR_LIST)
        (void)aclDestroyTensorList(argument.tensors);
    else if (parameter->kind == PARAMETER_SCALAR_LIST)
        (void)aclDestroyScalarList(argument.scalars);
    else if (parameter->kind == PARAMETER_INT_ARRAY)
        (void)aclDestroyIntArray(argument.ints);
    else if (parameter->kind == PARAMETER_BOOL_ARRAY)
        (void)aclDestroyBoolArray(argument.bools);
    else if (parameter->kind == PARAMETER_FLOAT_ARRAY)
        (void)aclDestroyFloatArray(argument.floats);
}

static inline void release(struct attempt *attempt)
{
    for (unsigned i = 0; i < attempt->function->parameter_count; i++)
        release_argument(&attempt->function->parameter[i], attempt->argument[i]);
    (void)aclGetRecentErrMsg(); /* some were given up on purpose */
}

static inline void assert_accepted(const struct attempt *attempt)
{
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = NULL;
    if (function_plan_anew(attempt->function, attempt->argument, &workspace_bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(workspace_bytes, 0);
    assert_non_null(executor);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

/* Nothing is written, and the sentence begins with the API and contains the text. */
static inline void assert_refused(const struct attempt *attempt, aclnnStatus status, const char *text)
{
    static char untouched;
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = (aclOpExecutor *)(void *)&untouched;
    char wanted[512];
    snprintf(wanted, sizeof wanted, "%s: %s", attempt->function->operation.name, text);
    (void)aclGetRecentErrMsg();
    assert_int_equal(function_plan_anew(attempt->function, attempt->argument, &workspace_bytes, &executor),
                     status);
    assert_int_equal(workspace_bytes, 77);
    assert_ptr_equal(executor, &untouched);
    assert_sentence(wanted);
}

static inline void replace(struct attempt *attempt, unsigned parameter, aclTensor *tensor)
{
    assert_int_equal(aclDestroyTensor(attempt->argument[parameter].tensor), 0);
    attempt->argument[parameter].tensor = tensor;
}

/* A tensor of the same shape with another dtype. */
static inline void replace_dtype(struct attempt *attempt, unsigned parameter, aclDataType dtype)
{
    struct tensor_view view;
    assert_true(tensor_read(attempt->argument[parameter].tensor, &view));
    replace(attempt, parameter, tensor_with(dtype, view.rank, view.shape, NULL));
}

#endif
