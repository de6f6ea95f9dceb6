/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rules for arguments, each in exactly one place. An operator's phase 1 is a list of these checks in the
 * order of its contract; the first that fails decides the code and the sentence. None of them writes to the
 * caller's memory, looks at data, allocates or locks.
 */
#ifndef BELAY_OPS_CHECK_H
#define BELAY_OPS_CHECK_H

#include <stdint.h>

#include "ops/broadcast.h"
#include "ops/operator.h"
#include "ops/promote.h"
#include "runtime/checks.h"
#include "runtime/error.h"
#include "tensor/tensor.h"

/* One call of phase 1. Arrays are indexed by parameter; entries of other kinds are not set. */
struct call {
    const struct operator_description *description;
    const struct settings *settings;
    const union argument *argument;
    uint64_t *workspace_bytes; /* where both results go */
    aclOpExecutor **executor;
    unsigned tensor_count;
    unsigned tensor_parameter[PARAMETERS_MAX]; /* the parameters that are tensors, in their order */
    struct tensor_view tensor[PARAMETERS_MAX];
    struct scalar_value scalar[PARAMETERS_MAX]; /* unset where an optional one is NULL */
    bool is_uniform;                            /* all tensors are contiguous and of one shape */
};

/* Where the result goes: the last parameter that is written, which is an input of what works in place. */
static inline unsigned call_output(const struct call *call)
{
    unsigned parameter = call->description->parameter_count - 1;
    while (parameter > 0 && !parameter_is_written(&call->description->parameter[parameter]))
        parameter--;
    return parameter;
}

/*
 * What follows is in line up to the decision, since a call makes a dozen of these checks and nearly all of
 * them pass; the functions named judge_ look into what is not plainly right.
 */

static inline aclDataType call_dtype(const struct call *call, unsigned parameter)
{
    enum parameter_kind kind = call->description->parameter[parameter].kind;
    return kind == PARAMETER_SCALAR  ? call->scalar[parameter].dtype
           : kind == PARAMETER_DTYPE ? (aclDataType)call->argument[parameter].int64
                                     : call->tensor[parameter].dtype;
}

aclnnStatus tell_dtype(const struct call *call, unsigned parameter, aclDataType dtype) __attribute__((cold));
aclnnStatus tell_same_dtype(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
    __attribute__((cold));
aclnnStatus tell_rank(const struct call *call, unsigned parameter) __attribute__((cold));
aclnnStatus judge_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint);
aclnnStatus judge_broadcast(const struct call *call, const unsigned *parameters, unsigned count,
                            unsigned output);
aclnnStatus judge_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                            aclDataType *dtype);
aclnnStatus judge_castable(const struct call *call, aclDataType dtype, unsigned parameter);

/* The dtype of a tensor or scalar, or one that is an argument, is in its parameter's set for this product. */
static inline aclnnStatus check_dtype(const struct call *call, unsigned parameter)
{
    aclDataType dtype = call_dtype(call, parameter);
    const struct dtype_set *set = call->description->parameter[parameter].dtypes;
    bool is_in_set = (unsigned)dtype < 64 && (set->on[call->settings->product] >> dtype & 1) != 0;
    return __builtin_expect(is_in_set || !CHECKS_ARE_ON, 1) ? ACLNN_SUCCESS
                                                            : tell_dtype(call, parameter, dtype);
}

/* hint as for check_same_shape. */
static inline aclnnStatus check_same_dtype(const struct call *call, unsigned parameter, unsigned reference,
                                           const char *hint)
{
    bool is_same = call->tensor[parameter].dtype == call->tensor[reference].dtype;
    return __builtin_expect(is_same || !CHECKS_ARE_ON, 1) ? ACLNN_SUCCESS
                                                          : tell_same_dtype(call, parameter, reference, hint);
}

/* At most OPERAND_RANK_MAX dims; to be checked before shapes are broadcast. */
static inline aclnnStatus check_rank(const struct call *call, unsigned parameter)
{
    bool is_small = call->tensor[parameter].rank <= OPERAND_RANK_MAX;
    return __builtin_expect(is_small || !CHECKS_ARE_ON, 1) ? ACLNN_SUCCESS : tell_rank(call, parameter);
}

/* hint is NULL, or says which product would accept the call: "Ascend950PR broadcasts". */
static inline aclnnStatus check_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                                           const char *hint)
{
    return call->is_uniform || !CHECKS_ARE_ON ? ACLNN_SUCCESS
                                              : judge_same_shape(call, parameter, reference, hint);
}

/* The parameters broadcast together, and the output has the shape that they broadcast to. */
static inline aclnnStatus check_broadcast(const struct call *call, const unsigned *parameters, unsigned count,
                                          unsigned output)
{
    return call->is_uniform || !CHECKS_ARE_ON ? ACLNN_SUCCESS
                                              : judge_broadcast(call, parameters, count, output);
}

/* The parameters promote together, to *dtype. */
static inline aclnnStatus check_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                                          aclDataType *dtype)
{
    *dtype = call_dtype(call, parameters[0]);
    for (unsigned i = 1; i < count; i++)
        if (call_dtype(call, parameters[i]) != *dtype)
            return judge_promotion(call, parameters, count, dtype);
    return ACLNN_SUCCESS;
}

/* A result of this dtype may be stored in the output, and this product has the output's dtype. */
static inline aclnnStatus check_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    if (call->tensor[parameter].dtype != dtype)
        TRY(judge_castable(call, dtype, parameter));
    return check_dtype(call, parameter);
}

/* The parameters broadcast together, to *shape, which has no more than 2^63 - 1 elements. */
aclnnStatus check_broadcast_together(const struct call *call, const unsigned *parameters, unsigned count,
                                     struct shape *shape);

/* The output has this dtype, which the inputs promote to. */
aclnnStatus check_output_dtype(const struct call *call, unsigned parameter, aclDataType dtype);

/* An int64 that selects is one of the parameter's choices. */
aclnnStatus check_choice(const struct call *call, unsigned parameter);

/* A float is zero (of either sign) or more; NaN is not. */
aclnnStatus check_not_negative(const struct call *call, unsigned parameter);

/* A scalar that may be NULL has one of its dtypes. value is its value in fp32, otherwise where it is NULL. */
aclnnStatus check_optional_fp32(const struct call *call, unsigned parameter, double otherwise, double *value);

/* No two indices of the output name one element, as far as overlap.h looks into it. */
aclnnStatus check_no_self_overlap(const struct call *call, unsigned parameter);

#endif
