/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of optimizers, and what they compute with.
 */
#ifndef BELAY_OPS_COMPOSITE_OPTIMIZER_NUMBERS_H
#define BELAY_OPS_COMPOSITE_OPTIMIZER_NUMBERS_H

#include <stdbool.h>

#include "simd/loops/rows_kernel.h"

enum { VAR, M, V, MAX, GRAD, OPTIMIZER_TENSORS };

/* What a step of Adam and its like computes with; all but rate and root is as the program gives it. */
struct adam_numbers {
    double lr, beta1, beta2, decay, eps;
    double t;          /* with this step */
    double rate, root; /* lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t) */
    double scale;      /* what gradients are divided by, if has_scale */
    bool has_scale, amsgrad, maximize;
    bool is_in_gradient; /* decay times var is added to the gradient; otherwise lr times that is taken off */
    bool is_nesterov;    /* the next m's part in beta1 and the gradient's rest are what var moves by */
    bool max_is_v;       /* MAX is read alone, and the greater one goes to V */
};

struct sgd_numbers {
    double lr, momentum, dampening, decay, scale;
    bool has_scale, maximize, nesterov, is_first;
};

rows_function adam_rates_baseline, adam_rates_avx2, adam_rates_avx512;
rows_function adam_baseline, adam_avx2, adam_avx512;
rows_function sgd_baseline, sgd_avx2, sgd_avx512;

#endif
