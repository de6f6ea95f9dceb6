/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of numbers by Belay's own formulas, many at a time: the same bits on every machine, none of libm's. They
 * may write where they read. Exponentials, logarithms and roots are computed in floats, the others in doubles and
 * rounded once.
 */
#ifndef ASCENDC_MATHS_H
#define ASCENDC_MATHS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BELAY_KERNEL_MATHS_IN_FLOATS(X) \
    X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(rsqrt)
#define BELAY_KERNEL_MATHS_IN_DOUBLES(X) \
    X(sin)                               \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)

#pragma GCC visibility push(default)
#define BELAY_KERNEL_MATHS(name) void belay_kernel_##name##_fp32s(float *to, const float *from, size_t count);
BELAY_KERNEL_MATHS_IN_FLOATS(BELAY_KERNEL_MATHS)
BELAY_KERNEL_MATHS_IN_DOUBLES(BELAY_KERNEL_MATHS)
#undef BELAY_KERNEL_MATHS
void belay_kernel_power_fp32s(float *to, const float *from, const float *exponents, size_t count);
/* 1 / (1 + e^-x), and x of that. */
void belay_kernel_logistic_fp32s(float *to, const float *from, size_t count);
void belay_kernel_silu_fp32s(float *to, const float *from, size_t count);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
