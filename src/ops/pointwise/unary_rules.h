/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What functions of one tensor take and give: the rules that a line of pointwise/unary.h names. For each the
 * dtypes of self, of out and of what works in place, what infer says of out, and the kernels of complex
 * numbers.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_RULES_H
#define BELAY_OPS_POINTWISE_UNARY_RULES_H

/* Integers count as FLOAT. out is any of its set, to which the result is converted; what the result may be
 * cast to; or of the dtype of the result (same). */
#define RULE_TO_FLOATS    real, flt4, flt4, infer_any, REAL_ALONE
#define RULE_TO_COMPLEX   real_and_complex, flt4_and_complex, flt4_and_complex, infer_any, COMPLEX_TOO
#define RULE_CASTABLE     real, flt4_and_complex, flt4, infer_castable, REAL_ALONE
#define RULE_FROM_COMPLEX real_and_complex, flt4_and_complex, flt4_and_complex, infer_castable, COMPLEX_TOO
#define RULE_ROOT         real_and_complex, flt4_and_complex, flt4_and_complex, infer_root, COMPLEX_TOO
#define RULE_EXP          of_exp, flt4_and_complex, flt4_and_complex, infer_castable, COMPLEX_TOO
#define RULE_EXPM1        flt3_int64_bool, flt4_and_complex, flt3, infer_castable, REAL_ALONE
#define RULE_NEG          of_neg, everything, of_neg, infer_castable, COMPLEX_TOO
#define RULE_LOG10        real_and_complex, flt4_and_complex, flt4_and_complex, infer_same, COMPLEX_TOO
#define RULE_SAME_FLOATS  flt4, flt4, flt4, infer_same, REAL_ALONE
#define RULE_WHOLE        flt4_and_whole, flt4_and_whole, flt4_and_whole, infer_same, REAL_ALONE
#define RULE_ROUND        flt4_and_large, flt4_and_large, flt4_and_large, infer_same, REAL_ALONE
#define RULE_FRAC         flt3_and_integers, flt3_and_integers, flt3_and_integers, infer_same, REAL_ALONE
#define RULE_ABS          real_and_complex64, real, real, infer_absolute, COMPLEX64_TOO
#define RULE_ANGLE        real_and_complex64, flt4, flt4, infer_absolute, COMPLEX64_TOO
#define RULE_SIGN         of_sign, of_sign, of_sign, infer_same, COMPLEX_TOO
#define RULE_SQUARE       flt4_and_integers, flt4_and_integers, flt4_and_integers, infer_same, REAL_ALONE
#define RULE_TO_BOOL      real, of_truth, of_truth, infer_bool, REAL_ALONE

#ifndef KERNEL_PASS
#include "ops/dtype_set.h"
#include "tensor/dtype.h"

/* The oldest product has no BFLOAT16, and only its successors have complex numbers of Abs. */
#define SET(name, of)                      \
    static const struct dtype_set name = { \
        .on = {(of), (of) | DTYPE_BIT(ACL_BF16), (of) | DTYPE_BIT(ACL_BF16)}}
#define FLT3    DTYPES_FP32_FP16
#define FLT4    DTYPES_OLD_FLOATS
#define BOOLEAN DTYPE_BIT(ACL_BOOL)
#define LARGE   (DTYPE_BIT(ACL_INT32) | DTYPE_BIT(ACL_INT64))
#define REAL    (FLT4 | DTYPES_INTEGERS | BOOLEAN)

SET(flt3, FLT3);
SET(flt4, FLT4);
SET(flt4_and_complex, FLT4 | DTYPES_COMPLEX);
SET(real, REAL);
SET(real_and_complex, REAL | DTYPES_COMPLEX);
SET(of_exp, FLT4 | DTYPE_BIT(ACL_INT64) | BOOLEAN | DTYPES_COMPLEX);
SET(flt3_int64_bool, FLT3 | DTYPE_BIT(ACL_INT64) | BOOLEAN);
SET(flt4_and_whole, FLT4 | DTYPES_INTEGERS | DTYPES_NATURALS);
SET(flt4_and_large, FLT4 | LARGE);
SET(flt4_and_integers, FLT4 | DTYPES_INTEGERS);
SET(flt3_and_integers, FLT3 | DTYPES_INTEGERS);
SET(of_neg, FLT4 | DTYPE_BIT(ACL_INT8) | LARGE | DTYPES_COMPLEX);
SET(of_sign, FLT4 | LARGE | BOOLEAN | DTYPES_COMPLEX);
SET(everything, REAL | DTYPES_NATURALS | DTYPES_COMPLEX);
static const struct dtype_set real_and_complex64 = {
    .on = {REAL, REAL | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_COMPLEX64),
           REAL | DTYPE_BIT(ACL_BF16) | DTYPE_BIT(ACL_COMPLEX64)}};
static const struct dtype_set of_truth = {.on = {BOOLEAN, BOOLEAN, BOOLEAN}};

#undef SET
#undef FLT3
#undef FLT4
#undef BOOLEAN
#undef LARGE
#undef REAL
#endif

#endif
