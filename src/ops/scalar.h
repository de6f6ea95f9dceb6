/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tests and conversions of scalar arguments. Phase 1 runs in the caller's floating-point environment, whose
 * rounding mode and treatment of subnormals may be anything: they are done in integers, or leave it.
 */
#ifndef BELAY_OPS_SCALAR_H
#define BELAY_OPS_SCALAR_H

#include <stdbool.h>

#include "base/product.h"
#include "tensor/tensor.h"

/* True for +-0, positive numbers and +inf. */
bool fp32_is_zero_or_more(float value);

/* Whether a real scalar is below 0 as it was given, before any rounding; -0 and NaN are not. */
bool scalar_is_negative(const struct scalar_value *scalar);

/* A real scalar's value rounded once to a float, to nearest with ties to even. NaN becomes the canonical one.
 * Both are returned in a double. */
double scalar_to_fp32(const struct scalar_value *scalar);
double scalar_to_fp64(const struct scalar_value *scalar);

/* Whether a real scalar is a number of FLOAT16 or BFLOAT16, infinities and NaN included; true of other dtypes
 * and of complex numbers, of which it is not asked. */
bool scalar_is_exact(const struct scalar_value *scalar, aclDataType dtype);

/*
 * The real scalar of a sum or a difference beside a tensor of FLOAT16 or BFLOAT16: the kernels of Ascend910A
 * and Ascend910B are of the tensor's dtype, to which it is rounded, as on PyTorch's CPU; that of Ascend950
 * keeps what is no number of it. Beside tensors of other dtypes it stays as it is.
 */
struct scalar_value scalar_of_sum(const struct scalar_value *scalar, aclDataType tensor,
                                  enum product product);

/*
 * Writes the scalar as an element, aligned as one, of any dtype that convert.h knows, by its rules. A complex
 * value is 0 in a real dtype. NaN becomes the canonical one.
 */
void scalar_convert(const struct scalar_value *scalar, aclDataType dtype, void *element);

#endif
