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
#include "runtime/error.h"
#include "tensor/tensor.h"

/* One call of phase 1. Arrays are indexed by parameter; entries of other kinds are not set. */
struct call {
    const struct operator_description *description;
    const struct settings *settings;
    const union argument *argument;
    uint64_t *workspace_bytes; /* where both results go */
    aclOpExecutor **executor;
    struct tensor_view tensor[PARAMETERS_MAX];
    struct scalar_value scalar[PARAMETERS_MAX]; /* unset where an optional one is NULL */
};

/*
 * Fills in the call and makes the checks that all operators share, in this order: the library can be used
 * (361001); workspaceSize and executor not NULL, then no required handle NULL, in argument order (161001);
 * every handle a live one of its kind, then every view possible, in argument order (161002).
 */
aclnnStatus check_arguments(struct call *call, const struct operator_description *description,
                            const union argument *argument, uint64_t *workspaceSize,
                            aclOpExecutor **executor);

/* The dtype of a tensor or scalar is in its parameter's set for this product. */
aclnnStatus check_dtype(const struct call *call, unsigned parameter);

/* hint as for check_same_shape. */
aclnnStatus check_same_dtype(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint);

/* At most OPERAND_RANK_MAX dims. To be checked before anything reads the shape. */
aclnnStatus check_rank(const struct call *call, unsigned parameter);

/* hint is NULL, or says which product would accept the call: "Ascend950PR broadcasts". */
aclnnStatus check_same_shape(const struct call *call, unsigned parameter, unsigned reference,
                             const char *hint);

/* The parameters broadcast together, to *shape. */
aclnnStatus check_broadcast(const struct call *call, const unsigned *parameters, unsigned count,
                            struct shape *shape);

/* The output has this shape, which the inputs broadcast to. */
aclnnStatus check_output_shape(const struct call *call, unsigned parameter, const struct shape *shape);

/* The output has this dtype, which the inputs promote to. */
aclnnStatus check_output_dtype(const struct call *call, unsigned parameter, aclDataType dtype);

/* The parameters promote together, to *dtype. */
aclnnStatus check_promotion(const struct call *call, const unsigned *parameters, unsigned count,
                            aclDataType *dtype);

/* A result of this dtype may be stored in the output, and this product has the output's dtype. */
aclnnStatus check_castable(const struct call *call, aclDataType dtype, unsigned parameter);

/* An int64 that selects is one of the parameter's choices. */
aclnnStatus check_choice(const struct call *call, unsigned parameter);

/* A float is zero (of either sign) or more; NaN is not. */
aclnnStatus check_not_negative(const struct call *call, unsigned parameter);

/* No two indices of the output name one element, as far as overlap.h looks into it. */
aclnnStatus check_no_self_overlap(const struct call *call, unsigned parameter);

#endif
