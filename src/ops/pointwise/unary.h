/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of one tensor, element by element: one line each, from which descriptions, both phases, kernels
 * and tests are made (unary.c, tests/numerics/unary.c, tests/ops/unary.c). Each of these defines the two
 * macros and includes this file, so that a function has its line here for debuggers and in its description.
 * The formula is maths_<stem> in src/simd/maths, over vectors of doubles.
 *
 *     UNARY(api, stem, self, out, rule, integers, promise, reference)
 *     UNARY_IN_PLACE(api, stem, self, rule, promise)     the same in place, of a parameter selfRef
 *
 * self, out: the public names of the parameters. rule: which dtypes (unary_rules.h). integers: FROM_FLOATS,
 * computed in FLOAT, or which kernels integers have of their own (unary_integers.h). Complex numbers have
 * complex_<stem> of simd/loops/complex_functions.h where the rule says so. promise: ROUNDED, the
 * exact result rounded once, or MATHS, where FLOAT and DOUBLE are within 1 ulp. reference: the function of
 * MPFR, or of tests/support/unary_reference.h, that gives the exact result.
 */
#pragma push_macro("SOURCE_FILE")
#undef SOURCE_FILE
#define SOURCE_FILE "src/ops/pointwise/unary.h"

UNARY(aclnnAbs, abs, self, out, ABS, ABS_INTEGERS, ROUNDED, mpfr_abs)
UNARY(aclnnAcos, acos, input, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, mpfr_acos)
UNARY_IN_PLACE(aclnnInplaceAcos, acos, input, TO_FLOATS, LONG_MATHS)
UNARY(aclnnAcosh, acosh, self, out, FROM_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_acosh)
UNARY_IN_PLACE(aclnnInplaceAcosh, acosh, self, FROM_COMPLEX, LONG_MATHS)
UNARY(aclnnAngleV2, angle_v2, x, out, ANGLE, FROM_FLOATS, ROUNDED, reference_angle)
UNARY(aclnnAsin, asin, self, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, mpfr_asin)
UNARY_IN_PLACE(aclnnInplaceAsin, asin, self, TO_FLOATS, LONG_MATHS)
UNARY(aclnnAsinh, asinh, input, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_asinh)
UNARY_IN_PLACE(aclnnInplaceAsinh, asinh, input, TO_COMPLEX, LONG_MATHS)
UNARY(aclnnAtan, atan, input, out, TO_FLOATS, FROM_FLOATS, MATHS, mpfr_atan)
UNARY_IN_PLACE(aclnnInplaceAtan, atan, input, TO_FLOATS, MATHS)
UNARY(aclnnAtanh, atanh, input, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_atanh)
UNARY_IN_PLACE(aclnnInplaceAtanh, atanh, input, TO_COMPLEX, LONG_MATHS)
UNARY(aclnnCeil, ceil, self, out, SAME_FLOATS, FROM_FLOATS, ROUNDED, mpfr_rint_ceil)
UNARY_IN_PLACE(aclnnInplaceCeil, ceil, self, SAME_FLOATS, ROUNDED)
UNARY(aclnnCos, cos, input, out, TO_COMPLEX, FROM_FLOATS, MATHS, mpfr_cos)
UNARY_IN_PLACE(aclnnInplaceCos, cos, input, TO_COMPLEX, MATHS)
UNARY(aclnnCosh, cosh, self, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_cosh)
UNARY_IN_PLACE(aclnnInplaceCosh, cosh, self, TO_COMPLEX, LONG_MATHS)
UNARY(aclnnErf, erf, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_erf)
UNARY_IN_PLACE(aclnnInplaceErf, erf, self, CASTABLE, MATHS)
UNARY(aclnnErfc, erfc, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_erfc)
UNARY_IN_PLACE(aclnnInplaceErfc, erfc, self, CASTABLE, MATHS)
UNARY(aclnnExp, exp, self, out, EXP, FROM_FLOATS, MATHS, mpfr_exp)
UNARY_IN_PLACE(aclnnInplaceExp, exp, self, EXP, MATHS)
UNARY(aclnnExp2, exp2, self, out, CASTABLE, FROM_FLOATS, MATHS, mpfr_exp2)
UNARY_IN_PLACE(aclnnInplaceExp2, exp2, self, CASTABLE, MATHS)
UNARY(aclnnExpm1, expm1, self, out, EXPM1, FROM_FLOATS, MATHS, mpfr_expm1)
UNARY_IN_PLACE(aclnnInplaceExpm1, expm1, self, EXPM1, MATHS)
UNARY(aclnnFloor, floor, self, out, WHOLE, SAME_INTEGERS, ROUNDED, mpfr_rint_floor)
UNARY_IN_PLACE(aclnnInplaceFloor, floor, self, WHOLE, ROUNDED)
UNARY(aclnnFrac, frac, input, out, FRAC, ZERO_INTEGERS, ROUNDED, reference_frac)
UNARY_IN_PLACE(aclnnInplaceFrac, frac, input, FRAC, ROUNDED)
UNARY(aclnnLog, log, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_log)
UNARY_IN_PLACE(aclnnInplaceLog, log, self, FROM_COMPLEX, MATHS)
UNARY(aclnnLog10, log10, self, out, LOG10, FROM_FLOATS, MATHS, mpfr_log10)
UNARY_IN_PLACE(aclnnInplaceLog10, log10, self, LOG10, MATHS)
UNARY(aclnnLog1p, log1p, self, out, TO_FLOATS, FROM_FLOATS, MATHS, mpfr_log1p)
UNARY_IN_PLACE(aclnnInplaceLog1p, log1p, self, TO_FLOATS, MATHS)
UNARY(aclnnLog2, log2, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_log2)
UNARY_IN_PLACE(aclnnInplaceLog2, log2, self, FROM_COMPLEX, MATHS)
UNARY(aclnnNeg, neg, self, out, NEG, NEG_INTEGERS, ROUNDED, mpfr_neg)
UNARY_IN_PLACE(aclnnInplaceNeg, neg, self, NEG, ROUNDED)
UNARY(aclnnReciprocal, reciprocal, self, out, TO_COMPLEX, FROM_FLOATS, ROUNDED, reference_reciprocal)
UNARY_IN_PLACE(aclnnInplaceReciprocal, reciprocal, self, TO_COMPLEX, ROUNDED)
UNARY(aclnnRound, round, self, out, ROUND, SAME_INTEGERS, ROUNDED, mpfr_rint_roundeven)
UNARY_IN_PLACE(aclnnInplaceRound, round, self, ROUND, ROUNDED)
UNARY(aclnnRsqrt, rsqrt, self, out, TO_COMPLEX, FROM_FLOATS, MATHS, reference_rsqrt)
UNARY_IN_PLACE(aclnnInplaceRsqrt, rsqrt, self, TO_COMPLEX, MATHS)
UNARY(aclnnSign, sign, self, result, SIGN, SIGN_INTEGERS, ROUNDED, reference_sign)
UNARY(aclnnSin, sin, self, out, TO_COMPLEX, FROM_FLOATS, MATHS, mpfr_sin)
UNARY_IN_PLACE(aclnnInplaceSin, sin, self, TO_COMPLEX, MATHS)
UNARY(aclnnSinc, sinc, self, out, TO_FLOATS, FROM_FLOATS, LONG_MATHS, reference_sinc)
UNARY_IN_PLACE(aclnnInplaceSinc, sinc, self, TO_FLOATS, LONG_MATHS)
UNARY(aclnnSinh, sinh, self, out, TO_COMPLEX, FROM_FLOATS, LONG_MATHS, mpfr_sinh)
UNARY_IN_PLACE(aclnnInplaceSinh, sinh, self, TO_COMPLEX, LONG_MATHS)
UNARY(aclnnSqrt, sqrt, self, out, ROOT, ROOT_INTEGERS, ROUNDED, mpfr_sqrt)
UNARY_IN_PLACE(aclnnInplaceSqrt, sqrt, self, ROOT, ROUNDED)
UNARY(aclnnSquare, square, self, out, SQUARE, SQUARE_INTEGERS, ROUNDED, mpfr_sqr)
UNARY(aclnnTan, tan, self, out, FROM_COMPLEX, FROM_FLOATS, MATHS, mpfr_tan)
UNARY_IN_PLACE(aclnnInplaceTan, tan, self, FROM_COMPLEX, MATHS)
UNARY(aclnnTrunc, trunc, self, out, WHOLE, SAME_INTEGERS, ROUNDED, mpfr_rint_trunc)
UNARY_IN_PLACE(aclnnInplaceTrunc, trunc, self, WHOLE, ROUNDED)
UNARY(aclnnIsFinite, isfinite, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isfinite)
UNARY(aclnnIsInf, is_inf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isinf)
UNARY(aclnnIsPosInf, isposinf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isposinf)
UNARY(aclnnIsNegInf, isneginf, self, out, TO_BOOL, FROM_FLOATS, ROUNDED, reference_isneginf)

#undef UNARY
#undef UNARY_IN_PLACE
#pragma pop_macro("SOURCE_FILE")
