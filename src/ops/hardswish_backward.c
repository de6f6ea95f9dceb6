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

#else

/* The contract. */

#endif
