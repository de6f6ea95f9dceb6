/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an operator says about itself: its name, its parameters, what they may be, and its two phases. The
 * checks, `belay ops`, `belay eval`, the documents and the tests are all made from this one description.
 */
#ifndef BELAY_OPS_OPERATOR_H
#define BELAY_OPS_OPERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aclnn/acl_meta.h"
#include "ops/dtype_set.h"
#include "runtime/export.h"
#include "tensor/executor.h"

struct call; /* ops/check.h */
struct elementwise;

enum { PARAMETERS_MAX = 8 };

enum parameter_kind {
    PARAMETER_INPUT,       /* const aclTensor * */
    PARAMETER_OUTPUT,      /* aclTensor * */
    PARAMETER_IN_PLACE,    /* aclTensor *: an input whose memory the results take */
    PARAMETER_OVERWRITTEN, /* aclTensor *: given like one, but what it holds is not read */
    PARAMETER_SCALAR,      /* const aclScalar * */
    PARAMETER_DTYPE,       /* aclDataType, of the output */
    PARAMETER_INT64,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_BOOL
};

struct parameter {
    const char *name;
    enum parameter_kind kind;
    const struct dtype_set *dtypes;  /* of a tensor, a scalar or a dtype: all that some call may have here */
    const char *const *choice_names; /* of an int64 that selects: what 0, 1, ... mean, ended by NULL */
    const char *default_text; /* of an attribute: what `belay eval` and Python pass where nothing is given; of
                                 a scalar that is no DOUBLE with its dtype, as in 1:INT64 */
    bool is_optional;         /* of a scalar: NULL is allowed */
};

static inline bool parameter_is_read(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_INPUT || parameter->kind == PARAMETER_IN_PLACE;
}

/* The program gives the tensor to have it changed. */
static inline bool parameter_is_changed(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_IN_PLACE || parameter->kind == PARAMETER_OVERWRITTEN;
}

static inline bool parameter_is_written(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_OUTPUT || parameter_is_changed(parameter);
}

static inline bool parameter_is_tensor(const struct parameter *parameter)
{
    return parameter_is_read(parameter) || parameter_is_written(parameter);
}

/* One argument of a call, by the kind of its parameter. */
union argument {
    const aclTensor *tensor;
    const aclScalar *scalar;
    int64_t int64; /* a dtype too */
    float fp32;
    double fp64;
    bool boolean;
};

_Static_assert(sizeof(union argument) == sizeof(uint64_t), "executors remember arguments as words");
_Static_assert((int)PARAMETERS_MAX <= (int)EXECUTOR_ARGUMENTS_MAX, "executors remember all arguments");

/*
 * Arguments that are shorter, in whole words: executor_repeat reads them as words, which takes a processor
 * far longer where they were written in parts.
 */
static inline union argument argument_of_bool(bool value)
{
    uint64_t word = 0;
    union argument argument;
    memcpy(&word, &value, sizeof value);
    memcpy(&argument, &word, sizeof argument);
    return argument;
}

static inline union argument argument_of_fp32(float value)
{
    uint64_t word = 0;
    union argument argument;
    memcpy(&word, &value, sizeof value);
    memcpy(&argument, &word, sizeof argument);
    return argument;
}

struct operator_description {
    struct operation operation; /* its name is the API's; its address is what phase 2 compares */
    const char *stem;           /* "silu_backward" in aclnnop/aclnn_silu_backward.h */
    uint32_t parameter_count;
    struct parameter parameter[PARAMETERS_MAX]; /* in the order of the call */

    /* Results are the formula rounded once; where these are set, FLOAT by default, and DOUBLE, are promised
     * within 1 or 2 ulp only. */
    bool is_fp32_within_one_ulp, is_fp64_within_two_ulp;

    /* The parameter, an int64 with choices, that makes the result one element unless it is 0; NULL: there is
     * none.
     */
    const char *reduced_by;

    const struct elementwise *elementwise; /* its kernels and what they cost */

    /* Phase 1 after the checks that all operators share: those of its contract, in their order, and what is
     * to be done. Functions that differ in where the result goes alone have the same one (call_output). */
    aclnnStatus (*plan)(const struct call *call);

    /* Phase 2: the function that programs call. */
    aclnnStatus (*launch)(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                          aclrtStream stream);
};

/*
 * Opens the definition of a description and enters it into the list of all operators, which the linker
 * collects: an operator is known as soon as its file is part of the library.
 */
#define OPERATOR(stem)                                             \
    static const struct operator_description stem;                 \
    static const struct operator_description *const stem##_entry   \
        __attribute__((used, section("belay_operators"))) = &stem; \
    static const struct operator_description stem

/*
 * Phase 1 with its arguments in an array, in the order of the parameters, NULL handles included. First come
 * the checks that all operators share, in this order: the library can be used (361001); workspaceSize and
 * executor not NULL, then no required handle NULL, in argument order (161001); every handle a live one of its
 * kind, then every view possible, in argument order (161002).
 */
aclnnStatus operator_plan_anew(const struct operator_description *description, const union argument *argument,
                               uint64_t *workspaceSize, aclOpExecutor **executor) SHARED(operator_plan_anew);

/* Phase 1 as programs call it: a call that repeats the thread's last one takes over its executor. */
static inline aclnnStatus operator_plan(const struct operator_description *description,
                                        const union argument *argument, uint64_t *workspaceSize,
                                        aclOpExecutor **executor)
{
    if (executor_repeat(&description->operation, argument, description->parameter_count, workspaceSize,
                        executor))
        return ACLNN_SUCCESS;
    return operator_plan_anew(description, argument, workspaceSize, executor);
}

/* All operators, by the alphabet of their stems; of those that share one, by that of their names, and those
 * that work in place behind the others. */
const struct operator_description *const *operators(size_t *count) SHARED(operators);

/*
 * The description of one of them, counted from 0, as an object of JSON on one line: as snprintf writes, with
 * the length of the whole text as the result. 0 when there are not so many.
 */
size_t operator_json(size_t index, char *text, size_t size) SHARED(operator_json);

/* Defines phase 2 of a function of one description: every operator has the same one. */
#define PHASE_2(function, description)                                                                \
    aclnnStatus function(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,            \
                         aclrtStream stream)                                                          \
    {                                                                                                 \
        return executor_launch(&(description).operation, workspace, workspaceSize, executor, stream); \
    }

#endif
