/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels under test, straight from their object files, and the parameters they take.
 */
#ifndef BELAY_TESTS_NUMERICS_KERNEL_TABLE_H
#define BELAY_TESTS_NUMERICS_KERNEL_TABLE_H

#include "numerics/reference.h"
#include "simd/kernel.h"

KERNEL_LEVELS(hardswish);
KERNEL_LEVELS(hardswish_backward);
KERNEL_LEVELS(leaky_relu);
KERNEL_LEVELS(leaky_relu_backward);
KERNEL_LEVELS(silu_backward);
KERNEL_LEVELS(smooth_l1_loss_backward);

static const struct kernels *const *const kernel_table[REFERENCE_OPERATORS] = {
    [HARDSWISH_BACKWARD] = hardswish_backward_kernels,
    [LEAKY_RELU_BACKWARD] = leaky_relu_backward_kernels,
    [SILU_BACKWARD] = silu_backward_kernels,
    [SMOOTH_L1_LOSS_BACKWARD] = smooth_l1_loss_backward_kernels,
    [HARDSWISH] = hardswish_kernels,
    [LEAKY_RELU] = leaky_relu_kernels,
};

/* The layouts that stand at the top of the operators' files. */
union kernel_parameters {
    double slope;
    struct {
        float beta;
        uint64_t divisor;
    } smooth_l1;
};

static inline union kernel_parameters parameters_of(const struct task *task)
{
    union kernel_parameters parameters = {.slope = task->slope};
    if (has_beta(task->stem)) {
        parameters.smooth_l1.beta = task->beta;
        parameters.smooth_l1.divisor = task->divisor;
    }
    return parameters;
}

#endif
