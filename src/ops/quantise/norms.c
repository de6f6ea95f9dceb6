/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Norms x rstd gamma + beta, rstd = 1 / sqrt(mean of x^2 + epsilon), of x or of x1 + x2, as numbers of few bits, as
 * FLOAT, or in place.
 */
#include "aclnnop/aclnn_add_rms_norm_cast.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_mx_quant.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant_v2.h"
#include "aclnnop/aclnn_add_rms_norm_quant.h"
#include "aclnnop/aclnn_add_rms_norm_quant_v2.h"
#include "aclnnop/aclnn_inplace_add_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_mx_quant.h"
#include "aclnnop/aclnn_rms_norm_quant.h"
#include "aclnnop/aclnn_rms_norm_quant_v3.h"
#include "ops/quantise/row.h"

#define FLT3        &dtypes_fp32_fp16_bf16
#define Q           &dtypes_int8_int32_int4_hifloat8_float8
#define ZERO_POINTS &dtypes_fp32_fp16_bf16_int8_int32

#define GIVEN(X, of, name)   X(of, IN, name, FLT3, .sample = "3")
#define OPTION(X, of, name)  X(of, IN, name, FLT3, .is_optional = true, .sample = "3")
#define OFFSETS(X, of, name) X(of, IN, name, ZERO_POINTS, .is_optional = true, .sample = "3")
#define EPSILON_OF(X, of)    X(of, DOUBLE, epsilon, .usual = "1e-06")
#define SUMMANDS(X, of)      X(of, IN, x1, FLT3) X(of, IN, x2, FLT3) GIVEN(X, of, gamma)

#define RMS_NORM_QUANT(X, of)                          \
    X(of, IN, x, FLT3)                                 \
    GIVEN(X, of, gamma)                                \
    GIVEN(X, of, beta)                                 \
    X(of, IN, scale, FLT3, .sample = "1")              \
    X(of, IN, offset, ZERO_POINTS, .sample = "1:INT8") \
    EPSILON_OF(X, of)                                  \
    X(of, OUT, y, Q)
SIGNATURE(RMS_NORM_QUANT)

#define RMS_NORM_QUANT_V3(X, of)             \
    X(of, IN, x, FLT3)                       \
    GIVEN(X, of, gamma)                      \
    GIVEN(X, of, scale)                      \
    OFFSETS(X, of, offsetOptional)           \
    OPTION(X, of, betaOptional)              \
    EPSILON_OF(X, of)                        \
    X(of, BOOL, divMode, .usual = "true")    \
    X(of, BOOL, outputRstd, .usual = "true") \
    X(of, OUT, y, Q)                         \
    X(of, OUT, rstdOutOptional, &dtypes_fp32, .is_optional = true)
SIGNATURE(RMS_NORM_QUANT_V3)

#define ADD_QUANT_INPUTS(X, of)         \
    SUMMANDS(X, of)                     \
    GIVEN(X, of, scales1)               \
    OPTION(X, of, scales2Optional)      \
    OFFSETS(X, of, zeroPoints1Optional) \
    OFFSETS(X, of, zeroPoints2Optional)
#define ADD_QUANT_RESULTS(X, of)          \
    X(of, INT64, axis, .usual = "-1")     \
    EPSILON_OF(X, of)                     \
    X(of, BOOL, divMode, .usual = "true") \
    X(of, OUT, y1, Q)                     \
    X(of, OUT, y2, Q)                     \
    X(of, OUT, xOut, FLT3)
#define ADD_QUANT(X, of) ADD_QUANT_INPUTS(X, of) ADD_QUANT_RESULTS(X, of)
#define ADD_QUANT_V2(X, of)     \
    ADD_QUANT_INPUTS(X, of)     \
    OPTION(X, of, betaOptional) \
    ADD_QUANT_RESULTS(X, of)    \
    X(of, OUT, rmsNormOutOptional, FLT3, .is_optional = true)
SIGNATURE(ADD_QUANT)
SIGNATURE(ADD_QUANT_V2)

#define ADD_DYNAMIC(X, of)                                                       \
    SUMMANDS(X, of)                                                              \
    OPTION(X, of, smoothScale1Optional)                                          \
    OPTION(X, of, smoothScale2Optional)                                          \
    OPTION(X, of, betaOptional)                                                  \
    EPSILON_OF(X, of)                                                            \
    X(of, BOOLS, outputMaskOptional, .is_optional = true, .sample = "true,true") \
    X(of, OUT, y1, Q)                                                            \
    X(of, OUT, y2, Q)                                                            \
    X(of, OUT, xOut, FLT3)                                                       \
    X(of, OUT, scale1, &dtypes_fp32)                                             \
    X(of, OUT, scale2, &dtypes_fp32)
SIGNATURE(ADD_DYNAMIC)

#define ADD_CAST(X, of)               \
    SUMMANDS(X, of)                   \
    EPSILON_OF(X, of)                 \
    X(of, OUT, y1Out, &dtypes_fp32)   \
    X(of, OUT, y2Out, FLT3)           \
    X(of, OUT, rstdOut, &dtypes_fp32) \
    X(of, OUT, xOut, FLT3)
SIGNATURE(ADD_CAST)

#define INPLACE(X, of)       \
    X(of, BOTH, x1Ref, FLT3) \
    X(of, BOTH, x2Ref, FLT3) \
    GIVEN(X, of, gamma)      \
    EPSILON_OF(X, of)        \
    X(of, OUT, rstdOut, &dtypes_fp32)
SIGNATURE(INPLACE)

#define MX_CHOICES(X, of)                                        \
    OPTION(X, of, betaOptional)                                  \
    EPSILON_OF(X, of)                                            \
    X(of, INT64, scaleAlg, .usual = "0")                         \
    X(of, TEXT, roundMode, .is_optional = true, .usual = "rint") \
    X(of, INT64, dstType, .usual = "36")                         \
    X(of, BOOL, outputRstd, .usual = "true")                     \
    X(of, OUT, yOut, &dtypes_float8_float4, .is_unpacked = true)
#define MX_RESULTS(X, of)                       \
    X(of, OUT, mxscaleOut, &dtypes_float8_e8m0) \
    X(of, OUT, rstdOut, &dtypes_fp32, .is_optional = true)
#define MX_OF_X(X, of)   X(of, IN, x, FLT3) GIVEN(X, of, gamma) MX_CHOICES(X, of) MX_RESULTS(X, of)
#define MX_OF_SUM(X, of) SUMMANDS(X, of) MX_CHOICES(X, of) X(of, OUT, xOut, FLT3) MX_RESULTS(X, of)
SIGNATURE(MX_OF_X)
SIGNATURE(MX_OF_SUM)

/* The places of beta and of what comes behind it are one further in the second version. */
static aclnnStatus check_axis(const struct call *call)
{
    const unsigned axis = row_form(call)->choice[AXIS] - 1U;
    const int64_t value = call->argument[axis].int64;
    return value == -1 || value == (int64_t)part_view(call, X)->rank - 1
               ? ACLNN_SUCCESS
               : refuse(call, "axis is %lld; -1, the last dim of x1, is expected", (long long)value);
}

#define OF_NORM .stage = row_of_norm, .given = OVER
static const struct row_form of_x = {{[X] = AT(RMS_NORM_QUANT_x),
                                      [GAMMA] = AT(RMS_NORM_QUANT_gamma),
                                      [BETA] = AT(RMS_NORM_QUANT_beta),
                                      [FACTOR] = AT(RMS_NORM_QUANT_scale),
                                      [OFFSET] = AT(RMS_NORM_QUANT_offset),
                                      [Y] = AT(RMS_NORM_QUANT_y)},
                                     {[EPSILON] = AT(RMS_NORM_QUANT_epsilon)},
                                     OF_NORM};
static const struct row_form of_x_v3 = {{[X] = AT(RMS_NORM_QUANT_V3_x),
                                         [GAMMA] = AT(RMS_NORM_QUANT_V3_gamma),
                                         [BETA] = AT(RMS_NORM_QUANT_V3_betaOptional),
                                         [FACTOR] = AT(RMS_NORM_QUANT_V3_scale),
                                         [OFFSET] = AT(RMS_NORM_QUANT_V3_offsetOptional),
                                         [Y] = AT(RMS_NORM_QUANT_V3_y),
                                         [RSTD] = AT(RMS_NORM_QUANT_V3_rstdOutOptional)},
                                        {[EPSILON] = AT(RMS_NORM_QUANT_V3_epsilon),
                                         [DIVIDES] = AT(RMS_NORM_QUANT_V3_divMode),
                                         [WITH_RSTD] = AT(RMS_NORM_QUANT_V3_outputRstd)},
                                        OF_NORM};
#define SUM_OF(list) \
    [X] = AT(list##_x1), [X2] = AT(list##_x2), [GAMMA] = AT(list##_gamma), [SUM] = AT(list##_xOut)
#define GIVEN_OF(list)                                                                                   \
    SUM_OF(list), [FACTOR] = AT(list##_scales1), [FACTOR2] = AT(list##_scales2Optional),                 \
                  [OFFSET] = AT(list##_zeroPoints1Optional), [OFFSET2] = AT(list##_zeroPoints2Optional), \
                  [Y] = AT(list##_y1), [Y2] = AT(list##_y2)
#define CHOICES_OF(list) \
    [EPSILON] = AT(list##_epsilon), [DIVIDES] = AT(list##_divMode), [AXIS] = AT(list##_axis)
static const struct row_form of_sum = {
    {GIVEN_OF(ADD_QUANT)}, {CHOICES_OF(ADD_QUANT)}, .check = check_axis, OF_NORM};
static const struct row_form of_sum_v2 = {{GIVEN_OF(ADD_QUANT_V2), [BETA] = AT(ADD_QUANT_V2_betaOptional),
                                           [NORM] = AT(ADD_QUANT_V2_rmsNormOutOptional)},
                                          {CHOICES_OF(ADD_QUANT_V2)},
                                          .check = check_axis,
                                          OF_NORM};
static const struct row_form of_sum_dynamic = {
    {SUM_OF(ADD_DYNAMIC), [BETA] = AT(ADD_DYNAMIC_betaOptional),
     [FACTOR] = AT(ADD_DYNAMIC_smoothScale1Optional), [FACTOR2] = AT(ADD_DYNAMIC_smoothScale2Optional),
     [Y] = AT(ADD_DYNAMIC_y1), [Y2] = AT(ADD_DYNAMIC_y2), [SCALE] = AT(ADD_DYNAMIC_scale1),
     [SCALE2] = AT(ADD_DYNAMIC_scale2)},
    {[EPSILON] = AT(ADD_DYNAMIC_epsilon), [MASK] = AT(ADD_DYNAMIC_outputMaskOptional)},
    .stage = row_of_norm,
    .made = BY_SIZE,
    .is_made = true};
static const struct row_form of_sum_cast = {
    {SUM_OF(ADD_CAST), [Y] = AT(ADD_CAST_y1Out), [Y2] = AT(ADD_CAST_y2Out), [RSTD] = AT(ADD_CAST_rstdOut)},
    {[EPSILON] = AT(ADD_CAST_epsilon)},
    .stage = row_of_norm};
static const struct row_form of_sum_in_place = {{[X] = AT(INPLACE_x1Ref),
                                                 [X2] = AT(INPLACE_x2Ref),
                                                 [GAMMA] = AT(INPLACE_gamma),
                                                 [Y] = AT(INPLACE_x1Ref),
                                                 [SUM] = AT(INPLACE_x2Ref),
                                                 [RSTD] = AT(INPLACE_rstdOut)},
                                                {[EPSILON] = AT(INPLACE_epsilon)},
                                                .stage = row_of_norm,
                                                .has_rounded_sum = true};

#define MX_PARTS(list)                                                                   \
    [GAMMA] = AT(list##_gamma), [BETA] = AT(list##_betaOptional), [Y] = AT(list##_yOut), \
    [SCALE] = AT(list##_mxscaleOut), [RSTD] = AT(list##_rstdOut)
#define MX_CHOICES_OF(list)                                                                               \
    [EPSILON] = AT(list##_epsilon), [WITH_RSTD] = AT(list##_outputRstd), [DST_TYPE] = AT(list##_dstType), \
    [ROUND_MODE] = AT(list##_roundMode), [SCALE_RULE] = AT(list##_scaleAlg)
static const struct row_form of_x_mx = {
    {[X] = AT(MX_OF_X_x), MX_PARTS(MX_OF_X)}, {MX_CHOICES_OF(MX_OF_X)}, .stage = row_of_norm};
static const struct row_form of_sum_mx = {
    {[X] = AT(MX_OF_SUM_x1), [X2] = AT(MX_OF_SUM_x2), [SUM] = AT(MX_OF_SUM_xOut), MX_PARTS(MX_OF_SUM)},
    {MX_CHOICES_OF(MX_OF_SUM)},
    .stage = row_of_norm};

#define ROWS_OF(form) .promise = &promise_sum, QUANTISED_ROWS(form)
FUNCTION_OF(aclnnRmsNormQuant, RMS_NORM_QUANT, .stem = "rms_norm_quant", ROWS_OF(of_x));
FUNCTION_OF(aclnnRmsNormQuantV3, RMS_NORM_QUANT_V3, .stem = "rms_norm_quant_v3", ROWS_OF(of_x_v3));
FUNCTION_OF(aclnnAddRmsNormQuant, ADD_QUANT, .stem = "add_rms_norm_quant", ROWS_OF(of_sum));
FUNCTION_OF(aclnnAddRmsNormQuantV2, ADD_QUANT_V2, .stem = "add_rms_norm_quant_v2", ROWS_OF(of_sum_v2));
FUNCTION_OF(aclnnAddRmsNormDynamicQuantV2, ADD_DYNAMIC, .stem = "add_rms_norm_dynamic_quant_v2",
            ROWS_OF(of_sum_dynamic));
FUNCTION_OF(aclnnAddRmsNormCast, ADD_CAST, .stem = "add_rms_norm_cast", ROWS_OF(of_sum_cast));
FUNCTION_OF(aclnnInplaceAddRmsNorm, INPLACE, .stem = "inplace_add_rms_norm", ROWS_OF(of_sum_in_place));
FUNCTION_OF(aclnnRmsNormDynamicMxQuant, MX_OF_X, .stem = "rms_norm_dynamic_mx_quant", .promise = &promise_sum,
            MX_ROWS(of_x_mx));
FUNCTION_OF(aclnnAddRmsNormDynamicMxQuant, MX_OF_SUM, .stem = "add_rms_norm_dynamic_mx_quant",
            .promise = &promise_sum, MX_ROWS(of_sum_mx));
