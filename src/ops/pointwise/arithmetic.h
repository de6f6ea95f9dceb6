/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the kernels of Add, Sub, Mul and Div get, and how a contract makes it.
 */
#ifndef BELAY_OPS_POINTWISE_ARITHMETIC_H
#define BELAY_OPS_POINTWISE_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

/*
 * The scalar arguments in the dtype of the arithmetic. 16-bit floats have them in fp32, floats as doubles; a
 * real number has no imaginary part.
 */
struct arithmetic_parameters {
    double other[2], alpha[2];
    uint64_t other_bits, alpha_bits; /* of integers: the low bits, as many as elements have; of BOOL 0 or 1 */
    bool has_scalar;                 /* other is a scalar: the kernel has one input */
    bool subtracts;                  /* Sub: alpha of real numbers is negative already */
    bool alpha_is_one;               /* of complex numbers: no product */
};

/* Of parameters that begin with these: the scalar, or NULL where other is a tensor. */
static inline const double *arithmetic_scalar(const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return parameters->has_scalar ? parameters->other : NULL;
}

struct scalar_value;

/* The parameters of a sum or difference with this alpha; and the other operand, where that is a scalar. */
struct arithmetic_parameters arithmetic_sum(const struct scalar_value *alpha, aclDataType computed,
                                            bool subtracts);
void arithmetic_set_scalar(struct arithmetic_parameters *parameters, const struct scalar_value *scalar,
                           aclDataType computed);

#endif
