/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logistic loss of x and targets y, ln(1 + e^(-x y)), as ln(1 + e^-|x y|) + max(-x y, 0), which never
 * overflows; its sum and mean; and its gradient by x, -g y sigma(-x y), of a mean divided by the number of
 * losses.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/blocks.h"
#include "simd/loops/reduce_formula.h"
#include "simd/maths/short.h"

static inline doubles formula_soft_margin_loss(const doubles *x, const void *prepared)
{
    const doubles product = x[0] * x[1];
    return short_log1p(short_exp(-absolute(product))) + at_least(-product, 0);
}

static inline doubles formula_soft_margin_loss_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles product = x[1] * x[2], power = short_exp(-absolute(product));
    return -x[0] * x[2] * (choose(product > 0, power, broadcast(1)) / (1 + power)) / number[0];
}

FORMULA_KERNELS(soft_margin_loss, 2, .doubles = formula_soft_margin_loss)
FORMULA_KERNELS(soft_margin_loss_backward, 3, .doubles = formula_soft_margin_loss_backward)

REDUCE_FORMULA(sum, formula_soft_margin_loss, 2)
REDUCE_LOOPS(sum, ARITHMETIC_FP64, 1, sum_steps)
REDUCE_KERNELS(soft_margin_loss) = {.of = {[ARITHMETIC_FP64] = REDUCE_KERNEL(sum, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "ops/composite/loss.h"
#include "ops/signature.h"

#define SOFT_MARGIN_LOSS(X, of)          LOSS_OF_TWO(X, of, &dtypes_fp32_fp16_bf16, &dtypes_floats_complex)
SIGNATURE(SOFT_MARGIN_LOSS)
#define SOFT_MARGIN_LOSS_BACKWARD(X, of) GRADIENT_OF_TWO(X, of, out)
SIGNATURE(SOFT_MARGIN_LOSS_BACKWARD)

KERNEL_LEVELS(soft_margin_loss);
REDUCE_LEVELS(soft_margin_loss);
static const struct loss soft_margin_loss = {
    {{soft_margin_loss_kernels, .cost_ps = {2500, 2500}}, .out = DTYPE_CASTABLE, .broadcasts = true},
    {soft_margin_loss_reduce_kernels, .element_ps = 1200, .end = loss_divide}};
FORMULA(soft_margin_loss_backward, .out = DTYPE_CASTABLE, .broadcasts = true);

FUNCTION_OF(aclnnSoftMarginLoss, SOFT_MARGIN_LOSS, .stem = "soft_margin_loss", OF_LOSS(soft_margin_loss));

FUNCTION_OF(aclnnSoftMarginLossBackward, SOFT_MARGIN_LOSS_BACKWARD, .stem = "soft_margin_loss_backward",
            OF_LOSS_GRADIENT(soft_margin_loss_backward_formula));

#endif
