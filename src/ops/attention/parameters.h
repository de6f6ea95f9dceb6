/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parameters that the functions of attention have in common. Samples are of one batch with 2 heads of 4
 * elements, 3 rows and 5 keys; those of TND have 6 rows and 7 keys in two sequences.
 */
#ifndef BELAY_OPS_ATTENTION_PARAMETERS_H
#define BELAY_OPS_ATTENTION_PARAMETERS_H

#include "ops/attention/attention.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define OPERAND(X, of, name, sample_) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define OPTIONAL(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = sample_)
#define STATISTIC(X, of, name, sample_) X(of, IN, name, &dtypes_fp32, .sample = sample_)
#define NOT_READ(X, of, name)           X(of, UNUSED, name, &dtypes_all, .is_optional = true)
#define NUMBERS(X, of, name, sample_)   X(of, INTS, name, .is_optional = true, .sample = sample_)
#define LENGTHS(X, of, name, sample_)   X(of, INTS, name, .sample = sample_)
#define OPTIONAL_TEXT(X, of, name)      X(of, TEXT, name, .is_optional = true)
#define NUMBER(X, of, name, usual_)     X(of, INT64, name, .usual = usual_)
#define RESULT(X, of, name)             X(of, CONST_OUT, name, &dtypes_fp32_fp16_bf16)

/* Lists that several functions have in common. */
#define MASKS(X, of)                                                                     \
    X(of, IN, dropMaskOptional, &dtypes_uint8, .is_optional = true, .sample = "8:UINT8") \
    NOT_READ(X, of, paddingMaskOptional)                                                 \
    X(of, IN, attenMaskOptional, &dtypes_uint8_bool, .is_optional = true, .sample = "3x5:BOOL")
#define ROPES(X, of)                              \
    OPTIONAL(X, of, queryRopeOptional, "1x2x3x2") \
    OPTIONAL(X, of, keyRopeOptional, "1x2x5x2")
#define SINK_OF_HEADS(X, of) X(of, IN, sinkOptional, &dtypes_fp32, .is_optional = true, .sample = "2")
#define PREFIX(X, of)        NUMBERS(X, of, prefixOptional, "")
#define STARTS(X, of)                      \
    NUMBERS(X, of, qStartIdxOptional, "1") \
    NUMBERS(X, of, kvStartIdxOptional, "0")
#define VALUES_UP_TO_LAYOUT(X, of, layout)  \
    X(of, DOUBLE, scaleValue, .usual = "1") \
    X(of, DOUBLE, keepProb, .usual = "1")   \
    NUMBER(X, of, preTokens, "2147483647")  \
    NUMBER(X, of, nextTokens, "2147483647") \
    NUMBER(X, of, headNum, "2")             \
    X(of, TEXT, inputLayout, .usual = layout)
#define PRECISE_AND_MODE(X, of)      \
    NUMBER(X, of, innerPrecise, "0") \
    NUMBER(X, of, sparseMode, "0")
#define PSE_TYPE(X, of) NUMBER(X, of, pseType, "1")

/* Floats of 8 bits, and a scale for each block of rows or keys. */
#define CODED(X, of, name, sample_) \
    X(of, IN, name, &dtypes_hifloat8_float8, .sample = sample_ ":FLOAT8_E4M3FN")
#define BLOCKS(X, of, name) X(of, IN, name, &dtypes_fp32, .sample = "1x2x1")
#define MASK_OF_CODED(X, of) \
    X(of, IN, attenMaskOptional, &dtypes_uint8_bool, .is_optional = true, .sample = "3x5:BOOL")
#define VALUES_OF_CODED(X, of)                \
    X(of, DOUBLE, scaleValue, .usual = "1")   \
    NUMBER(X, of, preTokens, "2147483647")    \
    NUMBER(X, of, nextTokens, "2147483647")   \
    NUMBER(X, of, headNum, "2")               \
    X(of, TEXT, inputLayout, .usual = "BNSD") \
    NUMBER(X, of, sparseMode, "0")
#define PLACES_OF_CODED(of)                                                                            \
    .is_quantised = true, .rope = NOWHERE, .scales = of##_dScaleQ, .sink = NOWHERE, .prefix = NOWHERE, \
    .lengths = NOWHERE, .starts = NOWHERE, .numbers = of##_scaleValue, .statistics_layout = NOWHERE,   \
    .sparse_mode = of##_sparseMode, .pse_type = NOWHERE, .seed = NOWHERE

#endif
