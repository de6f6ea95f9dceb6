/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels under test, straight from their object files, and the parameters they take.
 */
#ifndef BELAY_TESTS_NUMERICS_KERNEL_TABLE_H
#define BELAY_TESTS_NUMERICS_KERNEL_TABLE_H

#include <string.h>

#include "numerics/family.h"
#include "numerics/reference.h"
#include "simd/vector/kernel.h"

KERNEL_LEVELS(div);
KERNEL_LEVELS(gelu);
KERNEL_LEVELS(gelu_backward);
KERNEL_LEVELS(hardswish);
KERNEL_LEVELS(hardswish_backward);
KERNEL_LEVELS(hardswish_backward_v2);
KERNEL_LEVELS(leaky_relu);
KERNEL_LEVELS(leaky_relu_backward);
KERNEL_LEVELS(linear);
KERNEL_LEVELS(mul);
KERNEL_LEVELS(relu);
KERNEL_LEVELS(sigmoid);
KERNEL_LEVELS(sigmoid_backward);
KERNEL_LEVELS(silu);
KERNEL_LEVELS(silu_backward);
KERNEL_LEVELS(smooth_l1_loss);
KERNEL_LEVELS(smooth_l1_loss_backward);
KERNEL_LEVELS(swish);
KERNEL_LEVELS(swish_backward);
KERNEL_LEVELS(tanh);
KERNEL_LEVELS(tanh_backward);
KERNEL_LEVELS(threshold_backward);

static const struct kernels *const *const kernel_table[PROVED_OPERATORS] = {
    [HARDSWISH_BACKWARD] = hardswish_backward_kernels,
    [LEAKY_RELU_BACKWARD] = leaky_relu_backward_kernels,
    [SILU_BACKWARD] = silu_backward_kernels,
    [SMOOTH_L1_LOSS_BACKWARD] = smooth_l1_loss_backward_kernels,
    [HARDSWISH] = hardswish_kernels,
    [LEAKY_RELU] = leaky_relu_kernels,
    [HARDSWISH_BACKWARD_V2] = hardswish_backward_v2_kernels,
    [SILU] = silu_kernels,
    [SWISH] = swish_kernels,
    [SWISH_BACKWARD] = swish_backward_kernels,
    [SMOOTH_L1_LOSS] = smooth_l1_loss_kernels,
    [RELU] = relu_kernels,
    [THRESHOLD_BACKWARD] = threshold_backward_kernels,
    [SIGMOID] = sigmoid_kernels,
    [SIGMOID_BACKWARD] = sigmoid_backward_kernels,
    [TANH] = tanh_kernels,
    [TANH_BACKWARD] = tanh_backward_kernels,
    [GELU] = gelu_kernels,
    [GELU_BACKWARD] = gelu_backward_kernels,
    [ADD] = linear_kernels,
    [SUB] = linear_kernels,
    [MUL] = mul_kernels,
    [DIV] = div_kernels,
    [ADDS] = linear_kernels,
    [SUBS] = linear_kernels,
    [MULS] = mul_kernels,
    [DIVS] = div_kernels,
};

/* Laid out as at the top of the operators' files. A union of the two would do, but clang 14 copies only what
 * both have of it. */
struct kernel_parameters {
    _Alignas(8) unsigned char bytes[PARAMETER_BYTES];
};

static inline struct kernel_parameters parameters_of(const struct task *task)
{
    const struct {
        float beta;
        uint64_t divisor;
    } smooth_l1 = {task->beta, task->divisor};
    struct kernel_parameters parameters = {{0}};
    if (is_calculation(task->stem)) {
        calculation_parameters(task, parameters.bytes);
    } else if (has_beta(task->stem))
        memcpy(parameters.bytes, &smooth_l1, sizeof smooth_l1);
    else
        memcpy(parameters.bytes, &task->slope, sizeof task->slope);
    return parameters;
}

#endif
