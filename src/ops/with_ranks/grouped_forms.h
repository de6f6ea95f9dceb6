/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to the experts of other ranks and products that come back: the parameters of each function, and which
 * part of the computation each of them is (all_to_all_grouped.c).
 */
#ifndef BELAY_OPS_WITH_RANKS_GROUPED_FORMS_H
#define BELAY_OPS_WITH_RANKS_GROUPED_FORMS_H

#include "aclnnop/aclnn_allto_allv_grouped_mat_mul.h"
#include "aclnnop/aclnn_allto_allv_grouped_mat_mul_v2.h"
#include "aclnnop/aclnn_allto_allv_quant_grouped_mat_mul.h"
#include "aclnnop/aclnn_allto_allv_quant_grouped_mat_mul_v2.h"
#include "aclnnop/aclnn_grouped_mat_mul_allto_allv.h"
#include "aclnnop/aclnn_grouped_mat_mul_allto_allv_v2.h"
#include "aclnnop/aclnn_quant_grouped_mat_mul_allto_allv.h"
#include "aclnnop/aclnn_quant_grouped_mat_mul_allto_allv_v2.h"

#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/with_ranks/with_ranks.h"

/* Of the experts' rows and of the others: what is multiplied, by what, with which scales, and what comes out. */
enum { X, WEIGHT, X_SCALE, WEIGHT_SCALE, Y, MM_X, MM_WEIGHT, MM_X_SCALE, MM_WEIGHT_SCALE, MM_Y, PERMUTED };
enum {
    GROUP_NAME,
    WORLD,
    SENT,
    RECEIVED,
    PERMUTES,
    WAY_MODE,
    TURNS,
    X_MODE,
    WEIGHT_MODE,
    MM_TURNS,
    MM_X_MODE,
    MM_WEIGHT_MODE
};

#define COUNT_TENSORS(X, of)                                                                    \
    X(of, IN, sendCountsTensorOptional, &dtypes_int32_int64, .is_optional = true, .sample = "") \
    X(of, IN, recvCountsTensorOptional, &dtypes_int32_int64, .is_optional = true, .sample = "")
#define GROUPED(X, of)                                                                           \
    X(of, IN, gmmX, &dtypes_fp16_bf16, .sample = "3x4:FLOAT16")                                  \
    X(of, IN, gmmWeight, &dtypes_fp16_bf16, .sample = "2x4x3:FLOAT16")                           \
    COUNT_TENSORS(X, of)                                                                         \
    X(of, IN, mmXOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "2x4:FLOAT16")      \
    X(of, IN, mmWeightOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "4x3:FLOAT16") \
    GROUP(X, of, group)
#define COUNTED(X, of)                            \
    X(of, INT64, epWorldSize, .usual = "1")       \
    X(of, INTS, sendCounts, .sample = "1,2")      \
    X(of, INTS, recvCounts, .sample = "1,2")      \
    X(of, BOOL, transGmmWeight, .usual = "false") \
    X(of, BOOL, transMmWeight, .usual = "false")
#define THERE_OUT(X, of, moved, made)                  \
    X(of, BOOL, permuteOutFlag, .usual = "true")       \
    X(of, OUT, gmmY, made)                             \
    X(of, OUT, mmYOptional, made, .is_optional = true) \
    X(of, OUT, permuteOutOptional, moved, .is_optional = true)
#define BACK_OUT(X, of, made)   X(of, OUT, y, made) X(of, OUT, mmYOptional, made, .is_optional = true)
#define FLOATS_THERE_OUT(X, of) THERE_OUT(X, of, &dtypes_fp16_bf16, &dtypes_fp16_bf16)
#define THERE(X, of)            GROUPED(X, of) COUNTED(X, of) FLOATS_THERE_OUT(X, of)
#define THERE_V2(X, of)         GROUPED(X, of) COMM_MODE(X, of) COUNTED(X, of) FLOATS_THERE_OUT(X, of)
#define BACK(X, of)             GROUPED(X, of) COUNTED(X, of) BACK_OUT(X, of, &dtypes_fp16_bf16)
#define BACK_V2(X, of)          GROUPED(X, of) COMM_MODE(X, of) COUNTED(X, of) BACK_OUT(X, of, &dtypes_fp16_bf16)

/* Of rows that are quantised, and have scales. */
#define QUANTISED(X, of, name, optional, sample_) \
    X(of, IN, name, &dtypes_int8_on_950_float8_hifloat8, .is_optional = optional, .sample = sample_ ":INT8")
#define SCALE(X, of, name, optional) \
    X(of, IN, name, &dtypes_fp32_float8_e8m0, .is_optional = optional, .sample = "1")
#define QUANT_GROUPED(X, of)                        \
    QUANTISED(X, of, gmmX, false, "3x4")            \
    QUANTISED(X, of, gmmWeight, false, "2x4x3")     \
    SCALE(X, of, gmmXScale, false)                  \
    SCALE(X, of, gmmWeightScale, false)             \
    COUNT_TENSORS(X, of)                            \
    QUANTISED(X, of, mmXOptional, true, "2x4")      \
    QUANTISED(X, of, mmWeightOptional, true, "4x3") \
    SCALE(X, of, mmXScaleOptional, true)            \
    SCALE(X, of, mmWeightScaleOptional, true)
#define QUANT_MODES(X, of)                         \
    X(of, INT64, gmmXQuantMode, .usual = "1")      \
    X(of, INT64, gmmWeightQuantMode, .usual = "1") \
    X(of, INT64, mmXQuantMode, .usual = "1")       \
    X(of, INT64, mmWeightQuantMode, .usual = "1")
#define GROUP_SIZE(X, of) X(of, INT64, groupSize, .usual = "0")
#define QUANT_THERE_OUT(X, of) \
    GROUP_SIZE(X, of) THERE_OUT(X, of, &dtypes_int8_on_950_float8_hifloat8, &dtypes_fp32_fp16_bf16)
#define QUANT_THERE(X, of) \
    QUANT_GROUPED(X, of) QUANT_MODES(X, of) GROUP(X, of, group) COUNTED(X, of) QUANT_THERE_OUT(X, of)
#define QUANT_THERE_V2(X, of) \
    QUANT_GROUPED(X, of)      \
    QUANT_MODES(X, of) GROUP(X, of, group) COMM_MODE(X, of) COUNTED(X, of) QUANT_THERE_OUT(X, of)
#define QUANT_WAY(X, of)                                                               \
    QUANT_GROUPED(X, of)                                                               \
    X(of, IN, commQuantScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "") \
    QUANT_MODES(X, of)                                                                 \
    X(of, INT64, commQuantMode, .usual = "0")                                          \
    X(of, INT64, commQuantDtype, .usual = "-1")                                        \
    GROUP_SIZE(X, of) GROUP(X, of, group)
#define QUANT_BACK(X, of) QUANT_WAY(X, of) COUNTED(X, of) BACK_OUT(X, of, &dtypes_fp32_fp16_bf16)
#define QUANT_BACK_V2(X, of) \
    QUANT_WAY(X, of) COMM_MODE(X, of) COUNTED(X, of) BACK_OUT(X, of, &dtypes_fp32_fp16_bf16)
SIGNATURE(THERE)
SIGNATURE(THERE_V2)
SIGNATURE(BACK)
SIGNATURE(BACK_V2)
SIGNATURE(QUANT_THERE)
SIGNATURE(QUANT_THERE_V2)
SIGNATURE(QUANT_BACK)
SIGNATURE(QUANT_BACK_V2)

#define PARTS_OF(of)                                                                   \
    [X] = AT(of##_gmmX), [WEIGHT] = AT(of##_gmmWeight), [MM_X] = AT(of##_mmXOptional), \
    [MM_WEIGHT] = AT(of##_mmWeightOptional), [MM_Y] = AT(of##_mmYOptional)
#define SCALES_OF(of)                                                         \
    [X_SCALE] = AT(of##_gmmXScale), [WEIGHT_SCALE] = AT(of##_gmmWeightScale), \
    [MM_X_SCALE] = AT(of##_mmXScaleOptional), [MM_WEIGHT_SCALE] = AT(of##_mmWeightScaleOptional)
#define NUMBERS_OF(of)                                                                           \
    [GROUP_NAME] = AT(of##_group), [WORLD] = AT(of##_epWorldSize), [SENT] = AT(of##_sendCounts), \
    [RECEIVED] = AT(of##_recvCounts), [TURNS] = AT(of##_transGmmWeight), [MM_TURNS] = AT(of##_transMmWeight)
#define MODES_OF(of)                                                                \
    [X_MODE] = AT(of##_gmmXQuantMode), [WEIGHT_MODE] = AT(of##_gmmWeightQuantMode), \
    [MM_X_MODE] = AT(of##_mmXQuantMode), [MM_WEIGHT_MODE] = AT(of##_mmWeightQuantMode)
#define THERE_PARTS(of)   PARTS_OF(of), [Y] = AT(of##_gmmY), [PERMUTED] = AT(of##_permuteOutOptional)
#define THERE_NUMBERS(of) NUMBERS_OF(of), [PERMUTES] = AT(of##_permuteOutFlag)
#define BACK_PARTS(of)    PARTS_OF(of), [Y] = AT(of##_y)
#define WAY_OF(of)        [WAY_MODE] = AT(of##_commQuantMode)
static const struct form form_there = {
    {THERE_PARTS(THERE)}, {THERE_NUMBERS(THERE)}, GROUP_ALL_TO_ALL_GROUPED_MATMUL};
static const struct form form_there_v2 = {
    {THERE_PARTS(THERE_V2)}, {THERE_NUMBERS(THERE_V2)}, GROUP_ALL_TO_ALL_GROUPED_MATMUL};
static const struct form form_back = {
    {BACK_PARTS(BACK)}, {NUMBERS_OF(BACK)}, GROUP_GROUPED_MATMUL_ALL_TO_ALL};
static const struct form form_back_v2 = {
    {BACK_PARTS(BACK_V2)}, {NUMBERS_OF(BACK_V2)}, GROUP_GROUPED_MATMUL_ALL_TO_ALL};
static const struct form form_quant_there = {{THERE_PARTS(QUANT_THERE), SCALES_OF(QUANT_THERE)},
                                             {THERE_NUMBERS(QUANT_THERE), MODES_OF(QUANT_THERE)},
                                             GROUP_ALL_TO_ALL_GROUPED_MATMUL};
static const struct form form_quant_there_v2 = {{THERE_PARTS(QUANT_THERE_V2), SCALES_OF(QUANT_THERE_V2)},
                                                {THERE_NUMBERS(QUANT_THERE_V2), MODES_OF(QUANT_THERE_V2)},
                                                GROUP_ALL_TO_ALL_GROUPED_MATMUL};
static const struct form form_quant_back = {
    {BACK_PARTS(QUANT_BACK), SCALES_OF(QUANT_BACK)},
    {NUMBERS_OF(QUANT_BACK), MODES_OF(QUANT_BACK), WAY_OF(QUANT_BACK)},
    GROUP_GROUPED_MATMUL_ALL_TO_ALL};
static const struct form form_quant_back_v2 = {
    {BACK_PARTS(QUANT_BACK_V2), SCALES_OF(QUANT_BACK_V2)},
    {NUMBERS_OF(QUANT_BACK_V2), MODES_OF(QUANT_BACK_V2), WAY_OF(QUANT_BACK_V2)},
    GROUP_GROUPED_MATMUL_ALL_TO_ALL};

#endif
