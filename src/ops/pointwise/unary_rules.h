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
#define RULE_TO_FLOATS dtypes_floats_integers_bool, dtypes_floats, dtypes_floats, infer_any, REAL_ALONE
#define RULE_TO_COMPLEX \
    dtypes_floats_integers_bool_complex, dtypes_floats_complex, dtypes_floats_complex, infer_any, COMPLEX_TOO
#define RULE_CASTABLE \
    dtypes_floats_integers_bool, dtypes_floats_complex, dtypes_floats, infer_castable, REAL_ALONE
#define RULE_FROM_COMPLEX                                                                              \
    dtypes_floats_integers_bool_complex, dtypes_floats_complex, dtypes_floats_complex, infer_castable, \
        COMPLEX_TOO
#define RULE_ROOT \
    dtypes_floats_integers_bool_complex, dtypes_floats_complex, dtypes_floats_complex, infer_root, COMPLEX_TOO
#define RULE_EXP                                                                                    \
    dtypes_floats_int64_bool_complex, dtypes_floats_complex, dtypes_floats_complex, infer_castable, \
        COMPLEX_TOO
#define RULE_EXPM1 \
    dtypes_fp32_fp16_bf16_int64_bool, dtypes_floats_complex, dtypes_fp32_fp16_bf16, infer_castable, REAL_ALONE
#define RULE_NEG                                                                                \
    dtypes_floats_int8_int32_int64_complex, dtypes_all, dtypes_floats_int8_int32_int64_complex, \
        infer_castable, COMPLEX_TOO
#define RULE_LOG10 \
    dtypes_floats_integers_bool_complex, dtypes_floats_complex, dtypes_floats_complex, infer_same, COMPLEX_TOO
#define RULE_SAME_FLOATS dtypes_floats, dtypes_floats, dtypes_floats, infer_same, REAL_ALONE
#define RULE_WHOLE                                                                                     \
    dtypes_floats_integers_naturals, dtypes_floats_integers_naturals, dtypes_floats_integers_naturals, \
        infer_same, REAL_ALONE
#define RULE_ROUND \
    dtypes_floats_int32_int64, dtypes_floats_int32_int64, dtypes_floats_int32_int64, infer_same, REAL_ALONE
#define RULE_FRAC                                                                                   \
    dtypes_fp32_fp16_bf16_integers, dtypes_fp32_fp16_bf16_integers, dtypes_fp32_fp16_bf16_integers, \
        infer_same, REAL_ALONE
#define RULE_ABS                                                                                             \
    dtypes_floats_integers_bool_on_910b_complex64, dtypes_floats_integers_bool, dtypes_floats_integers_bool, \
        infer_absolute, COMPLEX64_TOO
#define RULE_ANGLE \
    dtypes_floats_integers_bool_on_910b_complex64, dtypes_floats, dtypes_floats, infer_absolute, COMPLEX64_TOO
#define RULE_SIGN                                                                   \
    dtypes_floats_int32_int64_bool_complex, dtypes_floats_int32_int64_bool_complex, \
        dtypes_floats_int32_int64_bool_complex, infer_same, COMPLEX_TOO
#define RULE_SQUARE \
    dtypes_floats_integers, dtypes_floats_integers, dtypes_floats_integers, infer_same, REAL_ALONE
#define RULE_TO_BOOL dtypes_floats_integers_bool, dtypes_bool, dtypes_bool, infer_bool, REAL_ALONE

#ifndef KERNEL_PASS
#include "ops/dtypes.h"
#endif

#endif
