/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products before or after a collective: the parameters of each function, and which part of the computation
 * each of them is (matmul_with_ranks.c).
 */
#ifndef BELAY_OPS_WITH_RANKS_MATMUL_FORMS_H
#define BELAY_OPS_WITH_RANKS_MATMUL_FORMS_H

#include "aclnnop/aclnn_all_gather_matmul.h"
#include "aclnnop/aclnn_all_gather_matmul_v2.h"
#include "aclnnop/aclnn_matmul_all_reduce.h"
#include "aclnnop/aclnn_matmul_all_reduce_v2.h"
#include "aclnnop/aclnn_matmul_all_reduce_v3.h"
#include "aclnnop/aclnn_matmul_reduce_scatter.h"
#include "aclnnop/aclnn_matmul_reduce_scatter_v2.h"
#include "aclnnop/aclnn_quant_matmul_all_reduce.h"
#include "aclnnop/aclnn_quant_matmul_all_reduce_v2.h"
#include "aclnnop/aclnn_quant_matmul_all_reduce_v3.h"
#include "aclnnop/aclnn_quant_matmul_all_reduce_v4.h"
#include "aclnnop/aclnn_quant_matmul_all_reduce_v5.h"
#include "aclnnop/aclnn_weight_quant_matmul_all_reduce.h"
#include "aclnnop/aclnn_weight_quant_matmul_all_reduce_v2.h"

#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/with_ranks/with_ranks.h"

enum {
    X1,
    X2,
    BIAS,
    X3,
    X1_SCALE,
    X2_SCALE,
    QUANT_SCALE,
    WAY_SCALE,
    SUM_SCALE,
    WEIGHT_SCALE, /* of whole numbers, by which rows of floats are multiplied */
    WEIGHT_OFFSET,
    INPUTS,
    OUT = INPUTS,
    GATHERED,
    AMAX
};
enum { GROUP_NAME, REDUCTION, GATHER_INDEX, WAY_MODE, WEIGHT_GROUP };

#define ROWS_BY(X, of, set) \
    X(of, IN, x1, set, .sample = "2x4:FLOAT16") X(of, IN, x2, set, .sample = "4x3:FLOAT16")
#define BIASED(X, of, set) X(of, IN, bias, set, .is_optional = true, .sample = "3:FLOAT16")
#define ADDED(X, of)       X(of, IN, x3, &dtypes_fp16_bf16, .is_optional = true, .sample = "2x3:FLOAT16")
#define REDUCED(X, of)     GROUP(X, of, group) X(of, CONST_TEXT, reduceOp, .usual = "sum")
#define SCALED(X, of)                                                         \
    X(of, IN, x1Scale, &dtypes_fp32, .is_optional = true, .sample = "")       \
    X(of, IN, x2Scale, &dtypes_fp32_int64, .is_optional = true, .sample = "") \
    X(of, IN, quantScale, &dtypes_fp32, .is_optional = true, .sample = "")    \
    X(of, INT64, blockSize, .usual = "0")
#define ALL_REDUCE_V1(X, of)          \
    ROWS_BY(X, of, &dtypes_fp16_bf16) \
    BIASED(X, of, &dtypes_fp16_bf16)  \
    REDUCED(X, of) COMM_TURN(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define ALL_REDUCE_V2(X, of)          \
    ROWS_BY(X, of, &dtypes_fp16_bf16) \
    BIASED(X, of, &dtypes_fp16_bf16)  \
    ADDED(X, of) REDUCED(X, of) COMM_TURN(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define ALL_REDUCE_V3(X, of)          \
    ROWS_BY(X, of, &dtypes_fp16_bf16) \
    BIASED(X, of, &dtypes_fp16_bf16)  \
    ADDED(X, of) REDUCED(X, of) COMM_MODE(X, of) COMM_TURN(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define WHOLE_ROWS(X, of)                                                    \
    X(of, IN, x1, &dtypes_int8, .sample = "2x4:INT8")                        \
    X(of, IN, x2, &dtypes_int8, .sample = "4x3:INT8")                        \
    X(of, IN, bias, &dtypes_int32, .is_optional = true, .sample = "3:INT32") \
    X(of, IN, x3, &dtypes_fp16_bf16, .is_optional = true, .sample = "2x3:FLOAT16")
#define COLUMN_SCALE(X, of, name) X(of, IN, name, &dtypes_fp32_fp16_bf16_int64_uint64, .sample = "3")
#define ROW_SCALE(X, of, name)    X(of, IN, name, &dtypes_fp32, .is_optional = true, .sample = "2")
#define WAY_SCALES(X, of)                                                                 \
    X(of, IN, commQuantScale1, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "") \
    X(of, IN, commQuantScale2, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "")
#define TURNS_AND_OUT(X, of) COMM_TURN(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define WAY_MODES(X, of)                      \
    COMM_TURN(X, of)                          \
    X(of, INT64, groupSize, .usual = "0")     \
    X(of, INT64, commQuantMode, .usual = "0") \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define QUANT_V1(X, of) \
    WHOLE_ROWS(X, of) COLUMN_SCALE(X, of, dequantScale) REDUCED(X, of) TURNS_AND_OUT(X, of)
#define QUANT_V2(X, of) \
    WHOLE_ROWS(X, of)   \
    COLUMN_SCALE(X, of, dequantScale) ROW_SCALE(X, of, pertokenScale) REDUCED(X, of) TURNS_AND_OUT(X, of)
#define QUANT_V3(X, of)               \
    WHOLE_ROWS(X, of)                 \
    COLUMN_SCALE(X, of, dequantScale) \
    ROW_SCALE(X, of, pertokenScale) WAY_SCALES(X, of) REDUCED(X, of) TURNS_AND_OUT(X, of)
#define QUANT_V4(X, of) \
    WHOLE_ROWS(X, of)   \
    ROW_SCALE(X, of, x1Scale) COLUMN_SCALE(X, of, x2Scale) WAY_SCALES(X, of) REDUCED(X, of) WAY_MODES(X, of)
#define QUANT_V5(X, of)       \
    WHOLE_ROWS(X, of)         \
    ROW_SCALE(X, of, x1Scale) \
    COLUMN_SCALE(X, of, x2Scale) WAY_SCALES(X, of) REDUCED(X, of) COMM_MODE(X, of) WAY_MODES(X, of)
#define BY_WHOLE(X, of)                                                                       \
    X(of, IN, x1, &dtypes_fp16_bf16, .sample = "2x4:FLOAT16")                                 \
    X(of, IN, x2, &dtypes_int8_int32_int4, .sample = "4x8:INT8")                              \
    X(of, IN, bias, &dtypes_fp16_bf16, .is_optional = true, .sample = "8:FLOAT16")            \
    X(of, IN, antiquantScale, &dtypes_fp16_bf16, .sample = "8:FLOAT16")                       \
    X(of, IN, antiquantOffset, &dtypes_fp16_bf16, .is_optional = true, .sample = "8:FLOAT16") \
    X(of, IN, x3, &dtypes_fp16_bf16, .is_optional = true, .sample = "2x8:FLOAT16")            \
    REDUCED(X, of)
#define WEIGHT_GROUPS(X, of)                       \
    COMM_TURN(X, of)                               \
    X(of, INT64, antiquantGroupSize, .usual = "0") \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define WEIGHT_V1(X, of) BY_WHOLE(X, of) WEIGHT_GROUPS(X, of)
#define WEIGHT_V2(X, of) BY_WHOLE(X, of) COMM_MODE(X, of) WEIGHT_GROUPS(X, of)
#define GATHER(X, of)                           \
    ROWS_BY(X, of, &dtypes_fp16_bf16)           \
    BIASED(X, of, &dtypes_fp16_bf16)            \
    GROUP(X, of, group)                         \
    X(of, INT64, gatherIndex, .usual = "0")     \
    COMM_TURN(X, of)                            \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16) \
    X(of, CONST_OUT, gatherOut, &dtypes_fp16_bf16, .is_optional = true)
#define GATHER_V2(X, of)                                                     \
    ROWS_BY(X, of, &dtypes_fp16_bf16_int8)                                   \
    BIASED(X, of, &dtypes_fp32_fp16_bf16_int32)                              \
    SCALED(X, of)                                                            \
    GROUP(X, of, group)                                                      \
    X(of, INT64, gatherIndex, .usual = "0")                                  \
    COMM_TURN(X, of)                                                         \
    X(of, INT64, groupSize, .usual = "0")                                    \
    COMM_MODE(X, of)                                                         \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16)                              \
    X(of, CONST_OUT, gatherOut, &dtypes_fp16_bf16_int8, .is_optional = true) \
    X(of, CONST_OUT, amaxOut, &dtypes_fp32, .is_optional = true)
#define SCATTER(X, of)                \
    ROWS_BY(X, of, &dtypes_fp16_bf16) \
    BIASED(X, of, &dtypes_fp16_bf16)  \
    REDUCED(X, of) COMM_TURN(X, of) X(of, CONST_OUT, output, &dtypes_fp16_bf16)
#define SCATTER_V2(X, of)                       \
    ROWS_BY(X, of, &dtypes_fp16_bf16_int8)      \
    BIASED(X, of, &dtypes_fp32_fp16_bf16_int32) \
    SCALED(X, of)                               \
    REDUCED(X, of)                              \
    COMM_TURN(X, of)                            \
    X(of, INT64, groupSize, .usual = "0")       \
    COMM_MODE(X, of)                            \
    X(of, CONST_OUT, output, &dtypes_fp16_bf16) X(of, CONST_OUT, amaxOut, &dtypes_fp32, .is_optional = true)
SIGNATURE(ALL_REDUCE_V1)
SIGNATURE(ALL_REDUCE_V2)
SIGNATURE(ALL_REDUCE_V3)
SIGNATURE(QUANT_V1)
SIGNATURE(QUANT_V2)
SIGNATURE(QUANT_V3)
SIGNATURE(QUANT_V4)
SIGNATURE(QUANT_V5)
SIGNATURE(WEIGHT_V1)
SIGNATURE(WEIGHT_V2)
SIGNATURE(GATHER)
SIGNATURE(GATHER_V2)
SIGNATURE(SCATTER)
SIGNATURE(SCATTER_V2)

#define PARTS_OF(of) [X1] = AT(of##_x1), [X2] = AT(of##_x2), [BIAS] = AT(of##_bias), [OUT] = AT(of##_output)
#define SCALES_OF(of)                                                                                  \
    [X1_SCALE] = AT(of##_x1Scale), [X2_SCALE] = AT(of##_x2Scale), [QUANT_SCALE] = AT(of##_quantScale), \
    [AMAX] = AT(of##_amaxOut)
#define REDUCES_OF(of)                                                 \
    {                                                                  \
        [GROUP_NAME] = AT(of##_group), [REDUCTION] = AT(of##_reduceOp) \
    }
#define GATHERS_OF(of)                                                       \
    {                                                                        \
        [GROUP_NAME] = AT(of##_group), [GATHER_INDEX] = AT(of##_gatherIndex) \
    }
static const struct form form_all_reduce_v1 = {
    {PARTS_OF(ALL_REDUCE_V1)}, REDUCES_OF(ALL_REDUCE_V1), GROUP_MATMUL_ALL_REDUCE};
static const struct form form_all_reduce_v2 = {{PARTS_OF(ALL_REDUCE_V2), [X3] = AT(ALL_REDUCE_V2_x3)},
                                               REDUCES_OF(ALL_REDUCE_V2),
                                               GROUP_MATMUL_ALL_REDUCE};
static const struct form form_all_reduce_v3 = {{PARTS_OF(ALL_REDUCE_V3), [X3] = AT(ALL_REDUCE_V3_x3)},
                                               REDUCES_OF(ALL_REDUCE_V3),
                                               GROUP_MATMUL_ALL_REDUCE};
#define WHOLE_OF(of) PARTS_OF(of), [X3] = AT(of##_x3)
#define WAY_OF(of)   [WAY_SCALE] = AT(of##_commQuantScale1), [SUM_SCALE] = AT(of##_commQuantScale2)
#define NAMES_OF(of) [GROUP_NAME] = AT(of##_group), [REDUCTION] = AT(of##_reduceOp)
static const struct form form_quant_v1 = {{WHOLE_OF(QUANT_V1), [X2_SCALE] = AT(QUANT_V1_dequantScale)},
                                          {NAMES_OF(QUANT_V1)},
                                          GROUP_MATMUL_ALL_REDUCE};
static const struct form form_quant_v2 = {
    {WHOLE_OF(QUANT_V2), [X2_SCALE] = AT(QUANT_V2_dequantScale), [X1_SCALE] = AT(QUANT_V2_pertokenScale)},
    {NAMES_OF(QUANT_V2)},
    GROUP_MATMUL_ALL_REDUCE};
static const struct form form_quant_v3 = {
    {WHOLE_OF(QUANT_V3),
     WAY_OF(QUANT_V3), [X2_SCALE] = AT(QUANT_V3_dequantScale), [X1_SCALE] = AT(QUANT_V3_pertokenScale)},
    {NAMES_OF(QUANT_V3)},
    GROUP_MATMUL_ALL_REDUCE};
static const struct form form_quant_v4 = {
    {WHOLE_OF(QUANT_V4),
     WAY_OF(QUANT_V4), [X1_SCALE] = AT(QUANT_V4_x1Scale), [X2_SCALE] = AT(QUANT_V4_x2Scale)},
    {NAMES_OF(QUANT_V4), [WAY_MODE] = AT(QUANT_V4_commQuantMode)},
    GROUP_MATMUL_ALL_REDUCE};
static const struct form form_quant_v5 = {
    {WHOLE_OF(QUANT_V5),
     WAY_OF(QUANT_V5), [X1_SCALE] = AT(QUANT_V5_x1Scale), [X2_SCALE] = AT(QUANT_V5_x2Scale)},
    {NAMES_OF(QUANT_V5), [WAY_MODE] = AT(QUANT_V5_commQuantMode)},
    GROUP_MATMUL_ALL_REDUCE};
#define BY_WHOLE_OF(of)                                                                                   \
    {WHOLE_OF(of), [WEIGHT_SCALE] = AT(of##_antiquantScale), [WEIGHT_OFFSET] = AT(of##_antiquantOffset)}, \
        {NAMES_OF(of), [WEIGHT_GROUP] = AT(of##_antiquantGroupSize)}, GROUP_MATMUL_ALL_REDUCE
static const struct form form_weight_v1 = {BY_WHOLE_OF(WEIGHT_V1)};
static const struct form form_weight_v2 = {BY_WHOLE_OF(WEIGHT_V2)};
static const struct form form_gather = {
    {PARTS_OF(GATHER), [GATHERED] = AT(GATHER_gatherOut)}, GATHERS_OF(GATHER), GROUP_ALL_GATHER_MATMUL};
static const struct form form_gather_v2 = {
    {PARTS_OF(GATHER_V2), SCALES_OF(GATHER_V2), [GATHERED] = AT(GATHER_V2_gatherOut)},
    GATHERS_OF(GATHER_V2),
    GROUP_ALL_GATHER_MATMUL};
static const struct form form_scatter = {
    {PARTS_OF(SCATTER)}, REDUCES_OF(SCATTER), GROUP_MATMUL_REDUCE_SCATTER};
static const struct form form_scatter_v2 = {
    {PARTS_OF(SCATTER_V2), SCALES_OF(SCATTER_V2)}, REDUCES_OF(SCATTER_V2), GROUP_MATMUL_REDUCE_SCATTER};

#endif
