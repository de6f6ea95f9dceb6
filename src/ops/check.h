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

#include "ops/call.h"
#include "ops/check_message.h"
#include "ops/promote.h"
#include "base/checks.h"
#include "base/error.h"
#include "tensor/tensor.h"

/*
 * What follows is in line up to the decision, since a call makes a dozen of these checks and nearly all of
 * them pass; the functions named judge_ look into what is not plainly right.
 */

aclnnStatus tell_same_dtype(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
    __attribute__((cold));
aclnnStatus tell_rank(const struct call *call, unsigned parameter) __attribute__((cold));
aclnnStatus judge_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint);
aclnnStatus judge_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                            aclDataType *dtype);

/* The dtype of a tensor or scalar, or one that is an argument, is in its parameter's set for this product. */
static inline aclnnStatus check_dtype(const struct call *call, unsigned parameter)
{
    aclDataType dtype = call_dtype(call, parameter);
    const struct dtype_set *set = call->function->parameter[parameter].dtypes;
    bool is_in_set = dtype_is_in(set, call->settings->product, dtype);
    return __builtin_expect(is_in_set || !CHECKS_ARE_ON, 1) ? ACLNN_SUCCESS
                                                            : tell_dtype(call, parameter, dtype);
}

/* check_dtype() for a tensor of a list, whose dtype this is. */
static inline aclnnStatus check_dtype_in_list(const struct call *call, unsigned list, aclDataType dtype)
{
    const struct dtype_set *set = call->function->parameter[list].dtypes;
    bool is_in_set = dtype_is_in(set, call->settings->product, dtype);
    return is_in_set ? ACLNN_SUCCESS : tell_dtype(call, list, dtype);
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

aclnnStatus judge_castable(const struct call *call, aclDataType dtype, unsigned parameter);

/* A result of this dtype may be stored in the tensor. */
static inline aclnnStatus check_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    return call->tensor[parameter].dtype == dtype ? ACLNN_SUCCESS : judge_castable(call, dtype, parameter);
}

/* The parameters broadcast together, to *shape, which has no more than 2^63 - 1 elements. */
aclnnStatus check_broadcast_together(const struct call *call, const unsigned *parameters, unsigned count,
                                     struct shape *shape);

aclnnStatus check_one_element(const struct call *call, unsigned parameter);

/* A shape of an output that is not one of the inputs' has no more than 2^63 - 1 elements. */
aclnnStatus check_element_count(const struct call *call, const struct shape *shape);

/* Elements that are added up, or compared, are of a dtype that is computed in and not only moved. */
aclnnStatus check_is_computed_in(const struct call *call, unsigned parameter);

/* An int64 that selects is one of the parameter's choices. */
aclnnStatus check_choice(const struct call *call, unsigned parameter);

/*
 * value, of the parameter, names a dim of a tensor of that rank: -rank to rank - 1, negative ones counted
 * from behind; a rank of 0 counts as 1. *dim is the dim, from 0 on.
 */
aclnnStatus check_dim(const struct call *call, unsigned parameter, int64_t value, uint32_t rank,
                      uint32_t *dim);

/* A float is zero (of either sign) or more; NaN is not. */
aclnnStatus check_not_negative(const struct call *call, unsigned parameter);

/* A scalar that may be NULL has one of its dtypes. value is its value in fp32, otherwise where it is NULL. */
aclnnStatus check_optional_fp32(const struct call *call, unsigned parameter, double otherwise, double *value);

/*
 * An output has the shape that the parameters broadcast to, and this dtype. Where all tensors have one shape
 * there is nothing to work out.
 */
aclnnStatus result_broadcast(struct result *result, const struct call *call, const unsigned *parameters,
                             unsigned count, aclDataType dtype, enum dtype_rule rule);

/* The outputs that were given are what infer says, and none overlaps itself. */
aclnnStatus check_outputs(const struct call *call, const struct result *result);

#endif
