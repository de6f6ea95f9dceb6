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

static aclnnStatus plan(const struct call *call)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_same_dtype(call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_dtype(call, OUT, SELF, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OUT));
    TRY(check_same_shape(call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_shape(call, OUT, SELF, NULL));
    return elementwise_plan(call, call->tensor[SELF].dtype, NULL, 0);
}

OPERATOR(hardswish_backward) = {
    .operation = ELEMENTWISE("aclnnHardswishBackward"),
    .stem = "hardswish_backward",
    .parameter_count = 3,
    .parameter =
        {
            [GRAD_OUTPUT] = {.name = "gradOutput", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_fp32_fp16_bf16},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnHardswishBackward,
};

aclnnStatus aclnnHardswishBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput}, {.tensor = self}, {.tensor = out}};
    return operator_plan(&hardswish_backward, argument, workspaceSize, executor);
}

PHASE_2(aclnnHardswishBackward, hardswish_backward)

#endif
