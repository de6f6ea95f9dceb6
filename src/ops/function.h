/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a public function says about itself: its name, its parameters, what comes out, and its two phases. It
 * says nothing of how it computes; that is its family's. The checks, `belay ops`, `belay eval`, Python, the
 * benchmark, the documents and the tests are all made from this one description.
 */
#ifndef BELAY_OPS_FUNCTION_H
#define BELAY_OPS_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "aclnn/acl_meta.h"
#include "ops/dtypes.h"
#include "ops/promise.h"
#include "base/export.h"
#include "tensor/executor.h"

struct call;   /* ops/call.h */
struct result; /* ops/call.h */

/* A call keeps what was given in a bit for each parameter. */
enum { PARAMETERS_MAX = 48 };

enum parameter_kind {
    PARAMETER_TENSOR,      /* const aclTensor * */
    PARAMETER_TENSOR_LIST, /* const aclTensorList * */
    PARAMETER_SCALAR,      /* const aclScalar * */
    PARAMETER_SCALAR_LIST, /* const aclScalarList * */
    PARAMETER_INT_ARRAY,   /* const aclIntArray * */
    PARAMETER_BOOL_ARRAY,  /* const aclBoolArray * */
    PARAMETER_FLOAT_ARRAY, /* const aclFloatArray * */
    PARAMETER_DTYPE,       /* aclDataType, of an output */
    PARAMETER_INT64,
    PARAMETER_INT32,
    PARAMETER_INT8,
    PARAMETER_FLOAT,
    PARAMETER_DOUBLE,
    PARAMETER_BOOL,
    PARAMETER_STRING, /* const char * */
    PARAMETER_KINDS
};

/* What becomes of a tensor or of a list's tensors; everything else is read. */
enum parameter_role {
    ROLE_READ,
    ROLE_WRITTEN,     /* an output: `infer` says what it must be */
    ROLE_BOTH,        /* an input whose memory the results take */
    ROLE_OVERWRITTEN, /* given like one, but what it holds is not read */
    ROLE_IGNORED,     /* must be given and is not looked at: any dtype and shape, neither read nor written */
};

struct parameter {
    const char *name;
    const struct dtype_set *dtypes; /* of tensors, scalars and a dtype: all that some call may have here */
    enum parameter_kind kind;
    enum parameter_role role;
    bool is_partly_read;  /* of a tensor that is read: some of its elements may not matter, those that are not
                             selected or that keep their values */
    bool may_be_infinite; /* of an output: infinity stands for something there */
    bool is_unpacked;     /* elements of 4 bits come to the function, and from it, one to a byte */
    bool is_optional;     /* of a handle or a string: NULL is allowed */
    uint8_t sample_length; /* of a list of tensors that sample describes; 0: 2. Here, where there is room */
    const char *const *choices; /* of an integer that selects: what 0, 1, ... mean, ended by NULL */
    const char *usual;  /* what `belay eval` and Python pass where nothing is given; of a scalar that is no
                           DOUBLE with its dtype, as in 1:INT64 */
    const char *sample; /* of an input in a call that is accepted, for tests and benchmarks: 3x4, 3x4:INT64;
                           NULL: 2x3:FLOAT; empty: of an optional one that must be NULL; of what is no tensor
                           where there is nothing usual: 0,1 */
};

static inline bool parameter_is_tensor(const struct parameter *parameter)
{
    return parameter->kind <= PARAMETER_TENSOR_LIST; /* or several */
}

static inline bool parameter_is_read(const struct parameter *parameter)
{
    return parameter_is_tensor(parameter) && (parameter->role == ROLE_READ || parameter->role == ROLE_BOTH);
}

/* The program gives the tensor to have it changed. */
static inline bool parameter_is_changed(const struct parameter *parameter)
{
    return parameter->role == ROLE_BOTH || parameter->role == ROLE_OVERWRITTEN;
}

static inline bool parameter_is_written(const struct parameter *parameter)
{
    return parameter->role != ROLE_READ && parameter->role != ROLE_IGNORED;
}

/* A tensor or list that is written and nothing else: what infer tells dtypes and shapes of. */
static inline bool parameter_is_output(const struct parameter *parameter)
{
    return parameter->role == ROLE_WRITTEN;
}

/* An object of the library, or several; NULL is a fault unless the parameter is optional. */
static inline bool parameter_is_handle(const struct parameter *parameter)
{
    return parameter->kind < PARAMETER_DTYPE;
}

/* "tensor", "scalar list", "int64": for sentences, JSON and tables. */
const char *parameter_kind_name(enum parameter_kind kind) SHARED(parameter_kind_name);

/* One argument of a call, by the kind of its parameter. */
union argument {
    const aclTensor *tensor;
    const aclTensorList *tensors;
    const aclScalar *scalar;
    const aclScalarList *scalars;
    const aclIntArray *ints;
    const aclBoolArray *bools;
    const aclFloatArray *floats;
    const void *handle; /* any of these */
    const char *string;
    int64_t int64; /* also of INT32, INT8 and a dtype */
    float fp32;
    double fp64;
    bool boolean;
};

_Static_assert(sizeof(union argument) == sizeof(uint64_t), "executors remember arguments as words");

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

static inline union argument argument_of_fp64(double value)
{
    return (union argument){.fp64 = value};
}

static inline union argument argument_of_integer(int64_t value)
{
    return (union argument){.int64 = value};
}

static inline union argument argument_of_natural(uint64_t value)
{
    return (union argument){.int64 = (int64_t)value};
}

static inline union argument argument_of_pointer(const void *value)
{
    return (union argument){.handle = value};
}

/* An argument from what C has it as; an aclDataType is an int. */
#define ARG(value)                           \
    _Generic((value), bool                   \
             : argument_of_bool, float       \
             : argument_of_fp32, double      \
             : argument_of_fp64, int8_t      \
             : argument_of_integer, int      \
             : argument_of_integer, int64_t  \
             : argument_of_integer, uint64_t \
             : argument_of_natural, default  \
             : argument_of_pointer)(value)

/* The families, each a folder below src/ops with its loop. */
enum function_family {
    FAMILY_POINTWISE,
    FAMILY_REDUCTION,
    FAMILY_ROWS,
    FAMILY_INDEX,
    FAMILY_MOVE,
    FAMILY_CONTRACTION,
    FAMILY_WINDOW,
    FAMILY_RANDOM,
    FAMILY_CREATE,
    FAMILY_SORTING,
    FAMILY_SCAN,
    FAMILY_COMPOSITE,
    FAMILY_FOREACH,
    FAMILY_ATTENTION,
    FAMILY_RECURRENT,
    FAMILY_EXPERTS,
    FAMILY_CACHE,
    FAMILY_SAMPLING,
    FAMILY_QUANTISE,
    FAMILY_WITH_RANKS,
    FAMILY_CUSTOM,
    FAMILIES
};

const char *family_name(enum function_family family) SHARED(family_name);

struct function {
    struct operation operation; /* its name is the API's; its address is what phase 2 compares */
    const char *stem;           /* "silu_backward" in aclnnop/aclnn_silu_backward.h */
    const char *file;           /* where its definition ends: the path within the tree, */
    int line;                   /* and the line; `belay ops --where` finds the one with the name */
    uint32_t parameter_count;
    const struct parameter *parameter; /* in the order of the call */
    enum function_family family;
    const struct promise *promise; /* what is promised about its numbers */
    const void *of_family;         /* what the family's loop needs, as its header says */

    /*
     * The checks of inputs and attributes that are the function's own, in their order, and what comes out:
     * dtype and shape of every output. It does not look at outputs unless call->has_outputs.
     */
    aclnnStatus (*infer)(const struct call *call, struct result *result);

    /* The end of phase 1: makes the executor. The outputs are what infer said. */
    aclnnStatus (*plan)(const struct call *call, const struct result *result);

    /* Phase 2: the function that programs call. */
    aclnnStatus (*launch)(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                          aclrtStream stream);
};

#define PARAMETERS(list) .parameter = (list), .parameter_count = sizeof(list) / sizeof(list)[0]

/* For the macros below: arguments in parentheses without them. */
#define UNWRAP(...) __VA_ARGS__

/* The build says it of each source, as a path within the tree; a table that is included says its own. */
#ifndef SOURCE_FILE
#define SOURCE_FILE __FILE__
#endif

/*
 * Defines a public function: its description, which the linker collects into the list of all functions, and
 * its two phases. FUNCTION_OF in ops/signature.h gives it the declarations and arguments of phase 1, in
 * parentheses; the rest initialises the description.
 */
#define FUNCTION(api, declarations, arguments, ...)                                                       \
    static const struct function api##_function;                                                          \
    static const struct function *const api##_entry __attribute__((used, section("belay_functions"))) =   \
        &api##_function;                                                                                  \
    aclnnStatus api##GetWorkspaceSize(UNWRAP declarations, uint64_t *workspaceSize,                       \
                                      aclOpExecutor **executor)                                           \
    {                                                                                                     \
        const union argument argument[] = {UNWRAP arguments};                                             \
        return function_plan(&api##_function, argument, workspaceSize, executor);                         \
    }                                                                                                     \
    aclnnStatus api(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream) \
    {                                                                                                     \
        return executor_launch(&api##_function.operation, workspace, workspaceSize, executor, stream);    \
    }                                                                                                     \
    static const struct function api##_function = {                                                       \
        .operation.name = #api, .file = SOURCE_FILE, .line = __LINE__, .launch = api, __VA_ARGS__}

/* A function under a second name. */
#define ALSO_CALLED(name, function) extern __typeof__(function) name __attribute__((alias(#function)))

/*
 * Phase 1 with its arguments in an array, in the order of the parameters, NULL handles included. First come
 * the checks that all functions share, in this order: the library can be used (361001); workspaceSize and
 * executor not NULL, then no required handle NULL, in argument order (161001); every handle a live one of its
 * kind, then every view possible, in argument order (161002). Then infer's, then those of the outputs.
 */
aclnnStatus function_plan_anew(const struct function *function, const union argument *argument,
                               uint64_t *workspaceSize, aclOpExecutor **executor) SHARED(function_plan_anew);

/* Phase 1 as programs call it: a call that repeats the thread's last one takes over its executor. */
static inline aclnnStatus function_plan(const struct function *function, const union argument *argument,
                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    if (executor_repeat(&function->operation, argument, function->parameter_count, workspaceSize, executor))
        return ACLNN_SUCCESS;
    return function_plan_anew(function, argument, workspaceSize, executor);
}

/* The end of a refused phase 1: its status, or 0 and an executor whose work fails with the recorded sentence,
 * on a thread whose calls fail in their streams (runtime/streams/refusal.h). */
aclnnStatus function_refuse_later(const struct function *function, aclnnStatus status,
                                  uint64_t *workspaceSize, aclOpExecutor **executor) __attribute__((cold));

/*
 * What the outputs of this call would have to be, with the statuses of phase 1. Arguments of outputs are not
 * looked at and may be NULL.
 */
aclnnStatus function_infer(const struct function *function, const union argument *argument,
                           struct result *result) SHARED(function_infer);

/* All functions, by the alphabet of their stems; of those that share one, by that of their names, and those
 * that work in place behind the others. The first call loads the operators of the projects that the environment
 * names (custom/package.c), which are among them. */
const struct function *const *functions(size_t *count) SHARED(functions);

/*
 * The description of one of them, counted from 0, as an object of JSON on one line: as snprintf writes, with
 * the length of the whole text as the result. 0 when there are not so many.
 */
size_t function_json(size_t index, char *text, size_t size) SHARED(function_json);

/*
 * function_infer of the function with that number, its result as an object of JSON in the same way: dtype and
 * shape of each output, of a list the parameter that its tensors are like, and whether each has one element
 * of that one's dtype instead of its shape. 0 with a recorded sentence, and *status, where the call is
 * refused.
 */
size_t function_infer_json(size_t index, const union argument *argument, aclnnStatus *status, char *text,
                           size_t size) SHARED(function_infer_json);

#endif
