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

#pragma GCC visibility push(default)
KERNEL_MATHS_OF_FLOATS(DECLARE_KERNEL_MATHS)
KERNEL_MATHS_BY_DOUBLES(DECLARE_KERNEL_MATHS)
float belay_kernel_pow_fp32(float x, float y);
double belay_kernel_pow_fp64(double x, double y);
#pragma GCC visibility pop
#undef DECLARE_KERNEL_MATHS

#endif
