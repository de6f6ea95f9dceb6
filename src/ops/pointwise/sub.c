/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self - alpha * other, where other is a tensor or a scalar.
 *
 * Rounded once, the product included. Integers wrap. BOOL is true where self and (alpha and other) differ. Of
 * complex numbers alpha * other is (ac - bd) + (ad + bc)i, and other as it is where alpha is 1. The kernels
 * are linear.c's.
 */
#include "ops/pointwise/arithmetic.h"
#include "simd/kernel.h"

#include "aclnnop/aclnn_sub.h"

enum { OUT = ALPHA + 1 };

KERNEL_LEVELS(linear);
static const struct elementwise elementwise = {linear_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 80};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = READ("other", &dtypes_arithmetic),
    [ALPHA] = SCALAR("alpha", &dtypes_all, .usual = "1:INT64"),
    [OUT] = WRITTEN("out", &dtypes_all),
};

FUNCTION(aclnnSub, (const aclTensor *self, const aclTensor *other, const aclScalar *alpha, aclTensor *out),
         (ARG(self), ARG(other), ARG(alpha), ARG(out)), .stem = "sub", PARAMETERS(parameters),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = linear_infer,
         .plan = difference_plan);

static const struct parameter parameters_of_scalar[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = SCALAR("other", &dtypes_all),
    [ALPHA] = SCALAR("alpha", &dtypes_all, .usual = "1:INT64"),
    [OUT] = WRITTEN("out", &dtypes_all),
};

FUNCTION(aclnnSubs, (const aclTensor *self, const aclScalar *other, const aclScalar *alpha, aclTensor *out),
         (ARG(self), ARG(other), ARG(alpha), ARG(out)), .stem = "sub", PARAMETERS(parameters_of_scalar),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = linear_scalar_infer,
         .plan = difference_scalar_plan);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_arithmetic),
    [OTHER] = READ("other", &dtypes_arithmetic),
    [ALPHA] = SCALAR("alpha", &dtypes_all, .usual = "1:INT64"),
};

FUNCTION(aclnnInplaceSub, (aclTensor * selfRef, const aclTensor *other, const aclScalar *alpha),
         (ARG(selfRef), ARG(other), ARG(alpha)), .stem = "sub", PARAMETERS(in_place),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = linear_infer,
         .plan = difference_plan);

static const struct parameter in_place_scalar[] = {
    [SELF] = BOTH("selfRef", &dtypes_arithmetic),
    [OTHER] = SCALAR("other", &dtypes_all),
    [ALPHA] = SCALAR("alpha", &dtypes_all, .usual = "1:INT64"),
};

FUNCTION(aclnnInplaceSubs, (aclTensor * selfRef, const aclScalar *other, const aclScalar *alpha),
         (ARG(selfRef), ARG(other), ARG(alpha)), .stem = "sub", PARAMETERS(in_place_scalar),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = linear_scalar_infer,
         .plan = difference_scalar_plan);
