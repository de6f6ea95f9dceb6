/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * d = self - target, exact; r = sign(d) where |d| >= beta, d / beta where |d| < beta;
 * gradInput = gradOut * r * (1/N for mean, 1 otherwise), N = the number of elements of gradInput.
 *
 * sign(+-0) is that same zero. beta = +inf gives 0 with the sign of d for finite d; d = +-inf gives +-1.
 * Equal infinities, or a NaN anywhere, give NaN. beta * N is divided by in one step, never multiplied by a
 * reciprocal.
 */
#include "simd/kernel.h"

struct smooth_l1_loss_backward_parameters {
    float beta;
    uint64_t divisor; /* N for mean, 1 otherwise */
};

#ifdef KERNEL_PASS

/* The maths. */

#else

/* The contract. */

#endif
