/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of one tensor, element by element: one line each, from which descriptions, both phases, kernels
 * and tests are made (unary.c, tests/numerics/unary.c, tests/ops/unary.c). The formula is maths_<stem> in
 * src/simd/maths_*.h, over vectors of doubles.
 *
 *     UNARY(name, stem, self, out, rule, integers, promise, reference)
 *
 * self, out: the public names of the parameters. rule: which dtypes (unary_rules.h). integers: FROM_FLOATS,
 * computed in FLOAT, or which kernels integers have of their own (unary_integers.h). Complex numbers have
 * complex_<stem> of simd/maths_complex.h where the rule says so. promise: ROUNDED, the
 * exact result rounded once, or MATHS, where FLOAT and DOUBLE are within 1 ulp. reference: the function of
 * MPFR, or of tests/support/unary_reference.h, that gives the exact result.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_H
#define BELAY_OPS_POINTWISE_UNARY_H

#define UNARY_FUNCTIONS(UNARY)                                                                       \
    UNARY(Abs, abs, self, out, ABS, ABS_INTEGERS, ROUNDED, mpfr_abs)                                 \
    UNARY(Acos, acos, input, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, mpfr_acos)                     \
    UNARY(Acosh, acosh, self, out, FROM_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_acosh)                \
    UNARY(AngleV2, angle_v2, x, out, ANGLE, FROM_FLOATS, ROUNDED, reference_angle)                   \
    UNARY(Asin, asin, self, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, mpfr_asin)                      \
    UNARY(Asinh, asinh, input, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_asinh)                 \
    UNARY(Atan, atan, input, out, TO_FLOATS, FROM_FLOATS, MATHS, mpfr_atan)                          \
    UNARY(Atanh, atanh, input, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_atanh)                 \
    UNARY(Ceil, ceil, self, out, SAME_FLOATS, FROM_FLOATS, ROUNDED, mpfr_rint_ceil)                  \
    UNARY(Cos, cos, input, out, TO_COMPLEX, FROM_FLOATS, MATHS, mpfr_cos)                            \
    UNARY(Cosh, cosh, self, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_cosh)                     \
    UNARY(Erf, erf, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_erf)                               \
    UNARY(Erfc, erfc, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_erfc)                            \
    UNARY(Exp, exp, self, out, EXP, FROM_FLOATS, MATHS, mpfr_exp)                                    \
    UNARY(Exp2, exp2, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_exp2)                            \
    UNARY(Expm1, expm1, self, out, EXPM1, FROM_FLOATS, MATHS, mpfr_expm1)                            \
    UNARY(Floor, floor, self, out, WHOLE, SAME_INTEGERS, ROUNDED, mpfr_rint_floor)                   \
    UNARY(Frac, frac, input, out, FRAC, ZERO_INTEGERS, ROUNDED, reference_frac)                      \
    UNARY(Log, log, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_log)                           \
    UNARY(Log10, log10, self, out, LOG10, FROM_FLOATS, MATHS, mpfr_log10)                            \
    UNARY(Log1p, log1p, self, out, TO_FLOATS, FROM_FLOATS, MATHS, mpfr_log1p)                        \
    UNARY(Log2, log2, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_log2)                        \
    UNARY(Neg, neg, self, out, NEG, NEG_INTEGERS, ROUNDED, mpfr_neg)                                 \
    UNARY(Reciprocal, reciprocal, self, out, TO_COMPLEX, FROM_FLOATS, ROUNDED, reference_reciprocal) \
    UNARY(Round, round, self, out, ROUND, SAME_INTEGERS, ROUNDED, mpfr_rint_roundeven)               \
    UNARY(Rsqrt, rsqrt, self, out, TO_COMPLEX, FROM_FLOATS, MATHS, reference_rsqrt)                  \
    UNARY(Sign, sign, self, result, SIGN, SIGN_INTEGERS, ROUNDED, reference_sign)                    \
    UNARY(Sin, sin, self, out, TO_COMPLEX, FROM_FLOATS, MATHS, mpfr_sin)                             \
    UNARY(Sinc, sinc, self, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, reference_sinc)                 \
    UNARY(Sinh, sinh, self, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_sinh)                     \
    UNARY(Sqrt, sqrt, self, out, ROOT, ROOT_INTEGERS, ROUNDED, mpfr_sqrt)                            \
    UNARY(Square, square, self, out, SQUARE, SQUARE_INTEGERS, ROUNDED, mpfr_sqr)                     \
    UNARY(Tan, tan, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_tan)                           \
    UNARY(Trunc, trunc, self, out, WHOLE, SAME_INTEGERS, ROUNDED, mpfr_rint_trunc)                   \
    UNARY(IsFinite, isfinite, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isfinite)          \
    UNARY(IsInf, is_inf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isinf)                  \
    UNARY(IsPosInf, isposinf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isposinf)          \
    UNARY(IsNegInf, isneginf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isneginf)

#endif
