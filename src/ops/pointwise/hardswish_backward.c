/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput * g(self), where g(x) = 0 for x < -3, x/3 + 1/2 for -3 <= x <= 3, and 1 for x > 3.
 *
 * Both ends are closed: g(-3) = -1/2 and g(3) = 3/2. It is a real multiplication: inf * 0 and NaN * 0 are
 * NaN, and a finite negative gradient times 0 is -0. self = NaN gives NaN, self = +inf the gradient, self =
 * -inf gradient * 0.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
enum { IS_CLOSED = 1 };
#include "simd/hardswish_gradient.h"

KERNELS(hardswish_backward) = HARDSWISH_KERNELS;

#else

/* The contract. */
#include "aclnnop/aclnn_hardswish_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, OUT };

KERNEL_LEVELS(hardswish_backward);
static const struct elementwise elementwise = {hardswish_backward_kernels, .cost_ps = {110, 110},
                                               .cost_16_bits_ps = 95};

/* Where both dtypes are wrong, self's is named. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    return elementwise_infer_alike(call, result);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16),
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnHardswishBackward, (const aclTensor *gradOutput, const aclTensor *self, aclTensor *out),
         (ARG(gradOutput), ARG(self), ARG(out)), .stem = "hardswish_backward", PARAMETERS(parameters),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
