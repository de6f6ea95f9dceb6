/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of phase 1 through the descriptions of the operators: one that is accepted, to be spoilt, and what
 * must hold for one that is refused. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_ATTEMPT_H
#define BELAY_TESTS_OPS_ATTEMPT_H

#include <stdio.h>
#include <string.h>

#include "ops/check.h"
#include "ops/find_operator.h"
#include "support/failure.h"

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

/* 1, but 0 where that is usual: it may be all that some dtype takes. */
static inline aclScalar *usual_scalar(const struct parameter *parameter)
{
    float zero = 0;
    bool is_zero = parameter->default_text != NULL && strcmp(parameter->default_text, "0") == 0;
    return is_zero ? aclCreateScalar(&zero, ACL_FLOAT) : scalar_of(ACL_FLOAT);
}

/* A call that is accepted; tests change one argument of it. */
struct attempt {
    const struct operator_description *description;
    union argument argument[PARAMETERS_MAX];
};

static inline bool is_tensor(const struct parameter *parameter)
{
    return parameter_is_tensor(parameter);
}

static inline bool is_handle(const struct parameter *parameter)
{
    return is_tensor(parameter) || parameter->kind == PARAMETER_SCALAR;
}

static inline struct attempt accepted(const struct operator_description *description)
{
    struct attempt attempt = {.description = description};
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        if (is_tensor(parameter))
            attempt.argument[i].tensor = plain(ACL_FLOAT);
        else if (parameter->kind == PARAMETER_SCALAR)
            attempt.argument[i].scalar = usual_scalar(parameter);
        else if (parameter->kind == PARAMETER_FLOAT)
            attempt.argument[i].fp32 = 1;
        else if (parameter->kind == PARAMETER_DOUBLE)
            attempt.argument[i].fp64 = 1;
    }
    return attempt;
}

static inline void release(struct attempt *attempt)
{
    for (unsigned i = 0; i < attempt->description->parameter_count; i++) {
        if (is_tensor(&attempt->description->parameter[i]))
            (void)aclDestroyTensor(attempt->argument[i].tensor);
        else if (attempt->description->parameter[i].kind == PARAMETER_SCALAR)
            (void)aclDestroyScalar(attempt->argument[i].scalar);
    }
    (void)aclGetRecentErrMsg(); /* some were given up on purpose */
}

static inline void assert_accepted(const struct attempt *attempt)
{
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = NULL;
    if (operator_plan_anew(attempt->description, attempt->argument, &workspace_bytes, &executor) != 0)
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
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", attempt->description->operation.name, text);
    (void)aclGetRecentErrMsg();
    assert_int_equal(operator_plan_anew(attempt->description, attempt->argument, &workspace_bytes, &executor),
                     status);
    assert_int_equal(workspace_bytes, 77);
    assert_ptr_equal(executor, &untouched);
    assert_sentence(expected);
}

static inline void replace(struct attempt *attempt, unsigned parameter, aclTensor *tensor)
{
    assert_int_equal(aclDestroyTensor(attempt->argument[parameter].tensor), 0);
    attempt->argument[parameter].tensor = tensor;
}

#endif
