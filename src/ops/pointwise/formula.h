/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of functions that are a formula of some tensors and some numbers (simd/loops/formula.h): what
 * is read promotes to a float dtype, in which the formula is computed, and scalars and numbers are read in
 * it, 16 bits counting as FLOAT. They reach the formula in the order of the call.
 */
#ifndef BELAY_OPS_POINTWISE_FORMULA_H
#define BELAY_OPS_POINTWISE_FORMULA_H

#include "ops/check.h"
#include "ops/loops/elementwise.h"
#include "simd/loops/formula_numbers.h"

/* In which dtype a call is computed. ACL_DT_UNDEFINED with a recorded sentence where there is none. */
typedef aclDataType formula_dtype(const struct call *call);

struct formula_contract {
    struct elementwise elementwise;
    enum dtype_rule out;  /* how the output's dtype is judged */
    bool broadcasts;      /* shapes broadcast; otherwise they are equal */
    bool casts_scalars;   /* scalars are of dtypes that may become the computed one */
    bool is_sum;          /* scalars that stand for inputs are as scalar_of_sum has them */
    bool is_of_one_dtype; /* what is read has one dtype; otherwise it promotes */
    unsigned inputs;      /* the formula's x are so many of the first tensors and scalars; 0: all tensors */
    formula_dtype *dtype; /* NULL: what the tensors promote to */
    const struct dtype_set *computes; /* what this may be; NULL: anything */
};

aclnnStatus formula_infer(const struct call *call, struct result *result);
/* formula_infer() for functions whose scalars must not be below 0; NaN is not below. */
aclnnStatus formula_infer_not_negative(const struct call *call, struct result *result);

/* formula_infer() for functions whose output has the first tensor's dtype, be it one of integers. */
aclnnStatus formula_infer_as_first(const struct call *call, struct result *result);

aclnnStatus formula_plan(const struct call *call, const struct result *result);

/* The tensors that are read and given: their parameters, in the order of the call. */
unsigned formula_inputs(const struct call *call, unsigned *parameter);

/* A scalar as the formula of this dtype takes it. */
double formula_scalar(const struct call *call, unsigned parameter, aclDataType computed);

/* What the plan hands to the kernels. */
struct formula_numbers formula_numbers_of(const struct call *call, aclDataType computed);

/*
 * Dtypes that calls are computed in. Beside the first scalar the first tensor keeps its dtype unless the
 * scalar is of a later kind (BOOL, integer, float): with that it promotes, on the newest product to FLOAT.
 * All together promote whatever their kinds. Out's is that of the output, if one is given.
 */
aclDataType formula_beside_scalar(const struct call *call);
aclDataType formula_all_together(const struct call *call);
aclDataType formula_of_out(const struct call *call);

/* FORMULA(elu, .out = DTYPE_CASTABLE); declares it and its kernels, FORMULA_BY one with kernels that are
 * another's and have been declared; OF_FORMULA(elu, formula_infer) is of a description. */
#define FORMULA(stem_, ...) \
    KERNEL_LEVELS(stem_);   \
    FORMULA_BY(stem_, stem_, 1500, __VA_ARGS__)
#define FORMULA_BY(name, kernels_, cost, ...)               \
    static const struct formula_contract name##_formula = { \
        {kernels_##_kernels, .cost_ps = {cost, cost}, .skips_absent = true}, __VA_ARGS__}
#define OF_FORMULA(stem_, infer_) \
    ELEMENTWISE(&stem_##_formula.elementwise), .infer = (infer_), .plan = formula_plan

#endif
