/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * s'(self), where s'(x) = sigma(x) (1 + x (1 - sigma(x))) and sigma(x) = 1 / (1 +
 * e^-x).
 *
 * Every finite x gives the exact value rounded once, at the root near x = -1.27846454 and in the far tail
 * too. x = +-inf or NaN gives NaN. An infinite gradient with a finite x gives an infinity with the sign of
 * s'(x).
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */

#else

/* The contract. */

#endif
