/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that are made of x and become numbers in MX blocks: gates and their gradients, x in two levels of scales, x
 * times a matrix.
 */
#include "aclnnop/aclnn_dynamic_dual_level_mx_quant.h"
#include "aclnnop/aclnn_rotate_quant.h"
#include "aclnnop/aclnn_swiglu_backward_mx_quant_with_dual_axis.h"
#include "aclnnop/aclnn_swiglu_mx_quant.h"
#include "aclnnop/aclnn_swiglu_mx_quant_with_dual_axis.h"

#include <inttypes.h>

#include "ops/quantise/row.h"

#define FLT3        &dtypes_fp32_fp16_bf16
#define X_OF(X, of) X(of, IN, x, FLT3, .sample = "4x64")
#define GROUPS_OF(X, of) \
    X(of, IN, groupIndexOptional, &dtypes_int64, .is_optional = true, .sample = "1:INT64")
#define LEFT_OF(X, of) X(of, BOOL, activateLeft, .usual = "true")
#define ROUND(X, of)   X(of, TEXT, roundModeOptional, .is_optional = true, .usual = "rint")
#define RULE(X, of)    X(of, INT64, scaleAlg, .usual = "0")
#define TO(X, of)      X(of, INT64, dstType, .usual = "36")
#define MOST_OF(X, of) X(of, DOUBLE, maxDtypeValue, .usual = "0")
#define PAIR(X, of, y_, s) \
    X(of, OUT, y_, &dtypes_float8_float4, .is_unpacked = true) X(of, OUT, s, &dtypes_float8_e8m0)

#define SWIGLU_MX(X, of)                      \
    X_OF(X, of)                               \
    GROUPS_OF(X, of)                          \
    X(of, INT64, activateDim, .usual = "-1")  \
    LEFT_OF(X, of)                            \
    X(of, INT64, swigluMode, .usual = "0")    \
    X(of, DOUBLE, clampLimit, .usual = "7")   \
    X(of, DOUBLE, gluAlpha, .usual = "1.702") \
    X(of, DOUBLE, gluBias, .usual = "1")      \
    X(of, INT64, groupMode, .usual = "0")     \
    X(of, INT64, axis, .usual = "-1")         \
    TO(X, of) ROUND(X, of) RULE(X, of) MOST_OF(X, of) PAIR(X, of, yOut, mxscaleOut)
#define DUAL_END(X, of) \
    GROUPS_OF(X, of)    \
    LEFT_OF(X, of)      \
    ROUND(X, of)        \
    RULE(X, of) TO(X, of) MOST_OF(X, of) PAIR(X, of, y1Out, mxscale1Out) PAIR(X, of, y2Out, mxscale2Out)
#define SWIGLU_DUAL(X, of)   X_OF(X, of) DUAL_END(X, of)
#define BACKWARD_DUAL(X, of) X_OF(X, of) X(of, IN, yGrad, FLT3, .sample = "4x32") DUAL_END(X, of)
SIGNATURE(SWIGLU_MX)
SIGNATURE(SWIGLU_DUAL)
SIGNATURE(BACKWARD_DUAL)

#define LEVELS(X, of)                                                         \
    X_OF(X, of)                                                               \
    X(of, IN, smoothScaleOptional, FLT3, .is_optional = true, .sample = "64") \
    ROUND(X, of)                                                              \
    X(of, INT64, level0BlockSize, .usual = "512")                             \
    X(of, INT64, level1BlockSize, .usual = "32")                              \
    X(of, OUT, yOut, &dtypes_float4_e2m1, .is_unpacked = true)                \
    X(of, OUT, level0ScaleOut, &dtypes_fp32) X(of, OUT, level1ScaleOut, &dtypes_float8_e8m0)
SIGNATURE(LEVELS)

#define ROTATE(X, of)                                                       \
    X_OF(X, of)                                                             \
    X(of, IN, rotation, FLT3, .sample = "32x32")                            \
    X(of, IN, alphaOptional, FLT3, .is_optional = true, .sample = "1")      \
    X(of, INT64, axis, .usual = "-1")                                       \
    ROUND(X, of)                                                            \
    RULE(X, of)                                                             \
    X(of, DOUBLE, dstTypeMax, .usual = "0")                                 \
    X(of, BOOL, trans, .usual = "false")                                    \
    X(of, OUT, yOut, &dtypes_int8_int32_float8_float4, .is_unpacked = true) \
    X(of, OUT, scaleOut, &dtypes_fp32_float8_e8m0)
SIGNATURE(ROTATE)

static aclnnStatus check_swiglu_mode(const struct call *call)
{
    const int64_t mode = row_choice(call, SWIGLU_MODE)->int64;
    return mode == 0 || mode == 1 ? ACLNN_SUCCESS
                                  : refuse(call, "swigluMode is %" PRId64 "; 0 or 1 is expected", mode);
}

static aclnnStatus check_rotate(const struct call *call)
{
    const int64_t axis = call->argument[ROTATE_axis].int64;
    if (axis != -1 && axis != (int64_t)call->tensor[ROTATE_x].rank - 1)
        return refuse(call, "axis is %" PRId64 "; -1, the last dim, is expected", axis);
    return !call->argument[ROTATE_trans].boolean ? ACLNN_SUCCESS
                                                 : refuse(call, "trans is true; false is expected");
}

/* Floats of few bits have scales of blocks, whole numbers one of their row. */
static bool rotate_has_blocks(const struct call *call)
{
    return call->has_outputs && call_has(call, ROTATE_yOut) && call->tensor[ROTATE_yOut].dtype != ACL_INT8 &&
           call->tensor[ROTATE_yOut].dtype != ACL_INT32 && check_dtype(call, ROTATE_yOut) == ACLNN_SUCCESS;
}

static aclnnStatus rotate_infer(const struct call *call, struct result *result)
{
    return rotate_has_blocks(call) ? mx_rows_infer(call, result) : row_infer(call, result);
}

static aclnnStatus rotate_plan(const struct call *call, const struct result *result)
{
    return rotate_has_blocks(call) ? mx_rows_plan(call, result) : row_plan(call, result);
}

#define CHOICES_OF(list)                                                           \
    [LEFT] = AT(list##_activateLeft), [ROUND_MODE] = AT(list##_roundModeOptional), \
    [SCALE_RULE] = AT(list##_scaleAlg), [DST_TYPE] = AT(list##_dstType), [MOST] = AT(list##_maxDtypeValue)
#define DUAL_PARTS(list)                                                                  \
    [X] = AT(list##_x), [GROUPS] = AT(list##_groupIndexOptional), [Y] = AT(list##_y1Out), \
    [SCALE] = AT(list##_mxscale1Out), [Y2] = AT(list##_y2Out), [SCALE2] = AT(list##_mxscale2Out)
static const struct row_form swiglu_mx = {
    {[X] = AT(SWIGLU_MX_x),
     [GROUPS] = AT(SWIGLU_MX_groupIndexOptional),
     [Y] = AT(SWIGLU_MX_yOut),
     [SCALE] = AT(SWIGLU_MX_mxscaleOut)},
    {CHOICES_OF(SWIGLU_MX), [ACTIVATE_DIM] = AT(SWIGLU_MX_activateDim),
     [SWIGLU_MODE] = AT(SWIGLU_MX_swigluMode), [CLAMP] = AT(SWIGLU_MX_clampLimit),
     [ALPHA] = AT(SWIGLU_MX_gluAlpha), [SHIFT] = AT(SWIGLU_MX_gluBias),
     [GROUP_TYPE] = AT(SWIGLU_MX_groupMode), [BLOCK_AXIS] = AT(SWIGLU_MX_axis)},
    .stage = row_of_gates,
    .check = check_swiglu_mode};
static const struct row_form swiglu_dual = {
    {DUAL_PARTS(SWIGLU_DUAL)}, {CHOICES_OF(SWIGLU_DUAL)}, .stage = row_of_gates};
static const struct row_form backward_dual = {
    {DUAL_PARTS(BACKWARD_DUAL), [GRADIENT] = AT(BACKWARD_DUAL_yGrad)},
    {CHOICES_OF(BACKWARD_DUAL)},
    .stage = row_of_gate_gradients};
static const struct row_form levels = {{[X] = AT(LEVELS_x),
                                        [FACTOR] = AT(LEVELS_smoothScaleOptional),
                                        [Y] = AT(LEVELS_yOut),
                                        [LEVEL] = AT(LEVELS_level0ScaleOut),
                                        [SCALE] = AT(LEVELS_level1ScaleOut)},
                                       {[ROUND_MODE] = AT(LEVELS_roundModeOptional),
                                        [LEVEL_SIZE] = AT(LEVELS_level0BlockSize),
                                        [BLOCK_SIZE] = AT(LEVELS_level1BlockSize)},
                                       .stage = row_of_levels};
static const struct row_form rotated = {{[X] = AT(ROTATE_x),
                                         [ROTATION] = AT(ROTATE_rotation),
                                         [CLIP] = AT(ROTATE_alphaOptional),
                                         [Y] = AT(ROTATE_yOut),
                                         [SCALE] = AT(ROTATE_scaleOut)},
                                        {[ROUND_MODE] = AT(ROTATE_roundModeOptional),
                                         [SCALE_RULE] = AT(ROTATE_scaleAlg),
                                         [MOST] = AT(ROTATE_dstTypeMax)},
                                        .stage = row_of_rotated,
                                        .check = check_rotate,
                                        .dtype_is_of_y = true,
                                        .made = BY_SIZE,
                                        .is_made = true};

FUNCTION_OF(aclnnSwigluMxQuant, SWIGLU_MX, .stem = "swiglu_mx_quant", .promise = &promise_formula,
            MX_ROWS(swiglu_mx));
FUNCTION_OF(aclnnSwigluMxQuantWithDualAxis, SWIGLU_DUAL, .stem = "swiglu_mx_quant_with_dual_axis",
            .promise = &promise_formula, MX_ROWS(swiglu_dual));
FUNCTION_OF(aclnnSwigluBackwardMxQuantWithDualAxis, BACKWARD_DUAL,
            .stem = "swiglu_backward_mx_quant_with_dual_axis", .promise = &promise_formula,
            MX_ROWS(backward_dual));
FUNCTION_OF(aclnnDynamicDualLevelMxQuant, LEVELS, .stem = "dynamic_dual_level_mx_quant",
            .promise = &promise_exact, MX_ROWS(levels));
FUNCTION_OF(aclnnRotateQuant, ROTATE, .stem = "rotate_quant", .promise = &promise_sum,
            .family = FAMILY_QUANTISE, .of_family = &rotated, .infer = rotate_infer, .plan = rotate_plan,
            ROW_TASKS);
