/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Halves of rows of which one, through a sigmoid, opens the other, and gelu of rows, as numbers of few bits.
 */
#include "aclnnop/aclnn_dequant_swiglu_quant.h"
#include "aclnnop/aclnn_dequant_swiglu_quant_v2.h"
#include "aclnnop/aclnn_gelu_quant.h"
#include "aclnnop/aclnn_swi_glu_quant_v2.h"
#include "ops/quantise/row.h"

#define FLT3                                  &dtypes_fp32_fp16_bf16
#define OPTION(X, of, name, dtypes_, sample_) X(of, IN, name, dtypes_, .is_optional = true, .sample = sample_)

#define DEQUANT_INPUTS(X, of)                                     \
    X(of, IN, x, &dtypes_fp32_fp16_bf16_int32, .sample = "2x6")   \
    OPTION(X, of, weightScaleOptional, &dtypes_fp32, "")          \
    OPTION(X, of, activationScaleOptional, &dtypes_fp32, "")      \
    OPTION(X, of, biasOptional, &dtypes_fp32_fp16_bf16_int32, "") \
    OPTION(X, of, quantScaleOptional, FLT3, "3")                  \
    OPTION(X, of, quantOffsetOptional, FLT3, "3")                 \
    OPTION(X, of, groupIndexOptional, &dtypes_int64, "")          \
    X(of, BOOL, activateLeft, .usual = "false")                   \
    X(of, TEXT, quantModeOptional, .is_optional = true, .usual = "static")
#define DEQUANT_RESULTS(X, of, set) X(of, OUT, yOut, set) X(of, OUT, scaleOut, &dtypes_fp32)
#define DEQUANT(X, of)              DEQUANT_INPUTS(X, of) DEQUANT_RESULTS(X, of, &dtypes_int8_int32_int4_hifloat8_float8)
#define DEQUANT_V2(X, of)                                                \
    DEQUANT_INPUTS(X, of)                                                \
    X(of, INT64, dstType, .usual = "2")                                  \
    X(of, TEXT, roundModeOptional, .is_optional = true, .usual = "rint") \
    X(of, INT64, activateDim, .usual = "-1")                             \
    X(of, INT64, swigluMode, .usual = "0")                               \
    X(of, DOUBLE, clampLimit, .usual = "7")                              \
    X(of, DOUBLE, gluAlpha, .usual = "1.702")                            \
    X(of, DOUBLE, gluBias, .usual = "1")                                 \
    DEQUANT_RESULTS(X, of, &dtypes_int8_int32_int4_hifloat8_float8_float4)
SIGNATURE(DEQUANT)
SIGNATURE(DEQUANT_V2)

#define SWIGLU(X, of)                                                       \
    X(of, IN, x, FLT3, .sample = "2x6")                                     \
    OPTION(X, of, smoothScalesOptional, &dtypes_fp32, "1x3")                \
    OPTION(X, of, offsetsOptional, &dtypes_fp32, "1x3")                     \
    OPTION(X, of, groupIndexOptional, &dtypes_int32_int64, "1:INT32")       \
    X(of, BOOL, activateLeft, .usual = "false")                             \
    X(of, TEXT, quantModeOptional, .is_optional = true, .usual = "dynamic") \
    X(of, INT64, groupListType, .usual = "0")                               \
    X(of, INT64, dstType, .usual = "2")                                     \
    X(of, OUT, yOut, &dtypes_int8_int32_int4_hifloat8_float8)               \
    X(of, OUT, scaleOut, &dtypes_fp32)
SIGNATURE(SWIGLU)

#define GELU(X, of)                                                 \
    X(of, IN, self, FLT3)                                           \
    OPTION(X, of, inputScaleOptional, FLT3, "3")                    \
    OPTION(X, of, inputOffsetOptional, FLT3, "3")                   \
    X(of, TEXT, approximate, .is_optional = true, .usual = "none")  \
    X(of, TEXT, quantMode, .is_optional = true, .usual = "dynamic") \
    X(of, TEXT, roundMode, .is_optional = true, .usual = "rint")    \
    X(of, INT64, dstType, .usual = "2")                             \
    X(of, OUT, y, &dtypes_int8_int32_int4_hifloat8_float8)          \
    X(of, OUT, outScaleOptional, &dtypes_fp32, .is_optional = true)
SIGNATURE(GELU)

#define PARTS_OF(list)                                                                   \
    [X] = AT(list##_x), [WEIGHT_SCALE] = AT(list##_weightScaleOptional),                 \
    [ROW_SCALE] = AT(list##_activationScaleOptional), [BIAS] = AT(list##_biasOptional),  \
    [FACTOR] = AT(list##_quantScaleOptional), [OFFSET] = AT(list##_quantOffsetOptional), \
    [GROUPS] = AT(list##_groupIndexOptional), [Y] = AT(list##_yOut), [SCALE] = AT(list##_scaleOut)
#define CHOICES_OF(list) [LEFT] = AT(list##_activateLeft), [QUANT_MODE] = AT(list##_quantModeOptional)
#define DEQUANTISED      .stage = row_of_gates, .given = OVER, .made = BY_SIZE, .groups = COUNTS
static const struct row_form dequantised = {{PARTS_OF(DEQUANT)}, {CHOICES_OF(DEQUANT)}, DEQUANTISED};
static const struct row_form dequantised_v2 = {
    {PARTS_OF(DEQUANT_V2)},
    {CHOICES_OF(DEQUANT_V2), [DST_TYPE] = AT(DEQUANT_V2_dstType),
     [ROUND_MODE] = AT(DEQUANT_V2_roundModeOptional), [ACTIVATE_DIM] = AT(DEQUANT_V2_activateDim),
     [SWIGLU_MODE] = AT(DEQUANT_V2_swigluMode), [CLAMP] = AT(DEQUANT_V2_clampLimit),
     [ALPHA] = AT(DEQUANT_V2_gluAlpha), [SHIFT] = AT(DEQUANT_V2_gluBias)},
    DEQUANTISED};
static const struct row_form swiglu = {
    {[X] = AT(SWIGLU_x),
     [FACTOR] = AT(SWIGLU_smoothScalesOptional),
     [OFFSET] = AT(SWIGLU_offsetsOptional),
     [GROUPS] = AT(SWIGLU_groupIndexOptional),
     [Y] = AT(SWIGLU_yOut),
     [SCALE] = AT(SWIGLU_scaleOut)},
    {CHOICES_OF(SWIGLU), [GROUP_TYPE] = AT(SWIGLU_groupListType), [DST_TYPE] = AT(SWIGLU_dstType)},
    .stage = row_of_gates,
    .given = TIMES,
    .made = BY_SIZE_TIMES,
    .is_made = true,
    .may_be_by_group = true,
    .may_be_pairs = true,
    .has_given_groups = true};
static const struct row_form gelu = {{[X] = AT(GELU_self),
                                      [FACTOR] = AT(GELU_inputScaleOptional),
                                      [OFFSET] = AT(GELU_inputOffsetOptional),
                                      [Y] = AT(GELU_y),
                                      [SCALE] = AT(GELU_outScaleOptional)},
                                     {[APPROXIMATE] = AT(GELU_approximate),
                                      [QUANT_MODE] = AT(GELU_quantMode),
                                      [ROUND_MODE] = AT(GELU_roundMode),
                                      [DST_TYPE] = AT(GELU_dstType)},
                                     .stage = row_of_gelu,
                                     .given = TIMES,
                                     .made = BY_SIZE,
                                     .is_made = true};

#define ROWS_OF(form) .promise = &promise_formula, QUANTISED_ROWS(form)
FUNCTION_OF(aclnnDequantSwigluQuant, DEQUANT, .stem = "dequant_swiglu_quant", ROWS_OF(dequantised));
FUNCTION_OF(aclnnDequantSwigluQuantV2, DEQUANT_V2, .stem = "dequant_swiglu_quant_v2",
            ROWS_OF(dequantised_v2));
FUNCTION_OF(aclnnSwiGluQuantV2, SWIGLU, .stem = "swi_glu_quant_v2", ROWS_OF(swiglu));
FUNCTION_OF(aclnnGeluQuant, GELU, .stem = "gelu_quant", ROWS_OF(gelu));
