/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/contraction.h"

#ifdef PLANTED
#define products_are_rounded products_are_rounded_planted
#endif

bool products_are_rounded(void)
{
    /* (1 + 2^-30)^2 rounds to 1 + 2^-29; a fused multiply-add keeps 2^-60 of it. */
    volatile double factor = 1 + 0x1p-30, rounded = 1 + 0x1p-29;
    double a = factor, b = factor, c = rounded;
    return a * b - c == 0;
}
