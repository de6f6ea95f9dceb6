/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What Add, Sub, Mul and Div share of their contracts: the dtype that tensors, or a tensor and a scalar, are
 * computed in, the checks up to it, and the parameters of their kernels.
 */
#ifndef BELAY_OPS_ARITHMETIC_H
#define BELAY_OPS_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What the kernels get: the scalar arguments in the dtype of the arithmetic. 16-bit floats have them in fp32,
 * floats as doubles; a real number has no imaginary part.
 */
struct arithmetic_parameters {
    double other[2], alpha[2];
    uint64_t other_bits, alpha_bits; /* of integers: the low bits, as many as elements have; of BOOL 0 or 1 */
    bool has_scalar;                 /* other is a scalar: the kernel has one input */
    bool subtracts;                  /* Sub: alpha of real numbers is negative already */
    bool alpha_is_one;               /* of complex numbers: no product */
};

#ifndef KERNEL_PASS

#include "ops/check.h"
#include "ops/pointwise/elementwise.h"

/* The places of the parameters that all of these operators have. */
enum { SELF, OTHER, ALPHA };

/*
 * What comes out of these operators, and their plans. The functions with and without an output share one: out
 * is where the result goes, self of what works in place. Add and Sub have ALPHA behind OTHER.
 */
aclnnStatus linear_infer(const struct call *call, struct result *result);
aclnnStatus linear_scalar_infer(const struct call *call, struct result *result);
aclnnStatus product_infer(const struct call *call, struct result *result);
aclnnStatus product_scalar_infer(const struct call *call, struct result *result);
aclnnStatus quotient_infer(const struct call *call, struct result *result);
aclnnStatus quotient_scalar_infer(const struct call *call, struct result *result);
aclnnStatus sum_plan(const struct call *call, const struct result *result);
aclnnStatus sum_scalar_plan(const struct call *call, const struct result *result);
aclnnStatus difference_plan(const struct call *call, const struct result *result);
aclnnStatus difference_scalar_plan(const struct call *call, const struct result *result);
aclnnStatus product_plan(const struct call *call, const struct result *result);
aclnnStatus product_scalar_plan(const struct call *call, const struct result *result);
aclnnStatus quotient_plan(const struct call *call, const struct result *result);
aclnnStatus quotient_scalar_plan(const struct call *call, const struct result *result);

/* The parameters of a sum or difference with this alpha; and the other operand, where that is a scalar. */
struct arithmetic_parameters arithmetic_sum(const struct scalar_value *alpha, aclDataType computed,
                                            bool subtracts);
void arithmetic_set_scalar(struct arithmetic_parameters *parameters, const struct scalar_value *scalar,
                           aclDataType computed);

#endif

#endif
