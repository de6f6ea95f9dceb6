/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Losses of the difference d = self - target, d^2 and |d|, their sums and means, and the gradients by self:
 * 2 g d and g sign(d), of a mean divided by the number of losses; sign(0) is 0, and NaN stays.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/loops/reduce_formula.h"

static inline doubles formula_mse_loss(const doubles *x, const void *prepared)
{
    return (x[0] - x[1]) * (x[0] - x[1]);
}

static inline doubles formula_l1_loss(const doubles *x, const void *prepared)
{
    return absolute(x[0] - x[1]);
}

static inline int64_t integer_l1_loss(const int64_t *x, const int64_t *number)
{
    const uint64_t distance = (uint64_t)x[0] - (uint64_t)x[1]; /* which wraps */
    return (int64_t)((int64_t)distance < 0 ? -distance : distance);
}

static inline doubles formula_mse_loss_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    return 2 * x[0] * (x[1] - x[2]) / number[0];
}

static inline doubles formula_l1_loss_backward(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles d = x[1] - x[2];
    return x[0] * choose(d > 0, broadcast(1), choose(d < 0, broadcast(-1), d)) / number[0];
}

FORMULA_INTEGER(l1_loss, 2, int64_t, FORMULA_ITSELF, FORMULA_ITSELF)
FORMULA_KERNELS(mse_loss, 2, .doubles = formula_mse_loss)
FORMULA_KERNELS_BESIDE(l1_loss, ([ARITHMETIC_INT64] = l1_loss_int64_t), 2, .doubles = formula_l1_loss)
FORMULA_KERNELS(mse_loss_backward, 3, .doubles = formula_mse_loss_backward)
FORMULA_KERNELS(l1_loss_backward, 3, .doubles = formula_l1_loss_backward)

static inline longs merge_integers(longs state, longs other)
{
    return (longs)((ulongs)state + (ulongs)other);
}

REDUCE_FORMULA(square, formula_mse_loss, 2)
REDUCE_FORMULA(distance, formula_l1_loss, 2)

static inline longs add_integer_distance(longs state, const longs *input, const void *parameters)
{
    const longs distance = (longs)((ulongs)input[0] - (ulongs)input[1]), is_negative = distance < 0;
    (void)parameters;
    return merge_integers(state, (longs)((ulongs)(distance ^ is_negative) - (ulongs)is_negative));
}

static const struct reduce_steps integer_steps = {
    .step = add_integer_distance, .merge = merge_integers, .inputs = 2};

REDUCE_FLOATS(squares, square_steps)
REDUCE_FLOATS(distances, distance_steps)
REDUCE_LOOPS(distances_int64, ARITHMETIC_INT64, 1, integer_steps)

REDUCE_KERNELS(mse_loss) = {.of = {REDUCE_FLOAT_KERNELS(squares, 0)}};
REDUCE_KERNELS(l1_loss) = {
    .of = {REDUCE_FLOAT_KERNELS(distances, 0), [ARITHMETIC_INT64] = REDUCE_KERNEL(distances_int64, 1, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "ops/composite/loss.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define L1_LOSS(X, of)           LOSS_OF_TWO(X, of, &dtypes_fp32_fp16_bf16_int64, &dtypes_floats_int64)
SIGNATURE(L1_LOSS)
#define MSE_LOSS_BACKWARD(X, of) GRADIENT_OF_TWO(X, of, out)
SIGNATURE(MSE_LOSS_BACKWARD)

KERNEL_LEVELS(mse_loss);
KERNEL_LEVELS(l1_loss);
REDUCE_LEVELS(mse_loss);
REDUCE_LEVELS(l1_loss);

static const struct loss mse_loss = {
    {{mse_loss_kernels, .cost_ps = {300, 300}}, .out = DTYPE_CASTABLE, .broadcasts = true},
    {mse_loss_reduce_kernels, .element_ps = 60, .end = loss_divide}};
static const struct loss l1_loss = {
    {{l1_loss_kernels, .cost_ps = {300, 300}}, .out = DTYPE_CASTABLE, .broadcasts = true},
    {l1_loss_reduce_kernels, .element_ps = 60, .end = loss_divide}};

FORMULA(mse_loss_backward, .out = DTYPE_CASTABLE, .broadcasts = true, .is_of_one_dtype = true);
FORMULA(l1_loss_backward, .out = DTYPE_CASTABLE, .broadcasts = true);

#define MSE_LOSS(X, of) LOSS_OF_TWO(X, of, &dtypes_fp32_fp16_bf16, &dtypes_floats_complex)
SIGNATURE(MSE_LOSS)

#define L1_LOSS_BACKWARD(X, of) GRADIENT_OF_TWO(X, of, gradInput)
SIGNATURE(L1_LOSS_BACKWARD)

FUNCTION_OF(aclnnMseLoss, MSE_LOSS, .stem = "mse_loss", OF_LOSS(mse_loss));
FUNCTION_OF(aclnnL1Loss, L1_LOSS, .stem = "l1_loss", OF_LOSS(l1_loss));

FUNCTION_OF(aclnnMseLossBackward, MSE_LOSS_BACKWARD, .stem = "mse_loss_backward",
            OF_LOSS_GRADIENT(mse_loss_backward_formula));

FUNCTION_OF(aclnnL1LossBackward, L1_LOSS_BACKWARD, .stem = "l1_loss_backward",
            OF_LOSS_GRADIENT(l1_loss_backward_formula));

#endif
