/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The maths that kernels call, by name and dtype: belay_kernel_exp_fp32, belay_kernel_exp_fp64, ...
 */
#ifndef BELAY_KERNEL_MATHS_H
#define BELAY_KERNEL_MATHS_H

/* FLOAT has a formula of its own for these, and is computed in doubles for those. X(name) each. */
#define KERNEL_MATHS_OF_FLOATS(X) X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)
#define KERNEL_MATHS_BY_DOUBLES(X) \
    X(sin)                         \
    X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(erf) X(erfc)

#define DECLARE_KERNEL_MATHS(name)             \
    float belay_kernel_##name##_fp32(float x); \
    double belay_kernel_##name##_fp64(double x);

#include <stdint.h>

#pragma GCC visibility push(default)
KERNEL_MATHS_OF_FLOATS(DECLARE_KERNEL_MATHS)
KERNEL_MATHS_BY_DOUBLES(DECLARE_KERNEL_MATHS)
float belay_kernel_pow_fp32(float x, float y);
double belay_kernel_pow_fp64(double x, double y);
/* The angle of the point (x, y). */
float belay_kernel_atan2_fp32(float y, float x);
double belay_kernel_atan2_fp64(double y, double x);
/* What is left of x when the multiples of y that are nearer to 0 are taken off. */
float belay_kernel_fmod_fp32(float x, float y);
double belay_kernel_fmod_fp64(double x, double y);
/* The exponent of x as a number, -infinity for 0; x times 2 to the whole number y, rounded once. */
float belay_kernel_ilogb_fp32(float x);
float belay_kernel_ldexp_fp32(float x, float y);
/* x to the power of y, of which the low bits are kept; 0, 1 or -1 for a y below 0. */
int64_t belay_kernel_pow_int64(int64_t x, int64_t y);
#pragma GCC visibility pop
#undef DECLARE_KERNEL_MATHS

#endif
