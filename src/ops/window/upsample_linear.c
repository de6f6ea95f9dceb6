/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling by means of neighbours, and the gradients of it.
 */
#include "aclnnop/aclnn_upsample_bicubic2d_aa.h"
#include "aclnnop/aclnn_upsample_bicubic2d_aa_grad.h"
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear2d_aa.h"
#include "aclnnop/aclnn_upsample_bilinear2d_aa_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward_v2.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"
#include "ops/signature.h"
#include "ops/window/upsample.h"

/* DOUBLE is among the dtypes where two neighbours are blended. */
#define SCALE(X, of, kind) X(of, kind, scale, .usual = "0")
#define BLENDED(X, of, set, sample_, size, scales) \
    X(of, IN, self, &(set), .sample = sample_)     \
    X(of, INTS, outputSize, .sample = size)        \
    X(of, BOOL, alignCorners, .usual = "false")    \
    scales(X, of, DOUBLE) X(of, OUT, out, &(set))
#define GRADIENT(X, of, set, sample_, size, from, scales, out) \
    X(of, IN, gradOut, &(set), .sample = sample_)              \
    X(of, INTS, outputSize, .sample = size)                    \
    X(of, INTS, inputSize, .sample = from)                     \
    X(of, BOOL, alignCorners, .usual = "false")                \
    scales(X, of, DOUBLE) X(of, OUT, out, &(set))
#define PLANES(set)          BLENDED, set, PLANE, SCALES_2
#define PLANES_BACKWARD(set) GRADIENT, set, PLANE_BACKWARD, SCALES_2, out

FUNCTION_LIKE(aclnnUpsampleLinear1d, (BLENDED, dtypes_floats, LINE, SCALE), .stem = "upsample_linear_1d",
              UPSAMPLE(promise_sum, (1, UPSAMPLE_LINEAR, false, true)));
FUNCTION_LIKE(aclnnUpsampleLinear1dBackward, (GRADIENT, dtypes_floats, LINE_BACKWARD, SCALES_1, out),
              .stem = "upsample_linear_1d_backward", UPSAMPLE(promise_sum, (1, UPSAMPLE_LINEAR, true, true)));
FUNCTION_LIKE(aclnnUpsampleBilinear2d, (PLANES(dtypes_floats)), .stem = "upsample_bilinear_2d",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_LINEAR, false, true)));
FUNCTION_LIKE(aclnnUpsampleBilinear2dBackward, (PLANES_BACKWARD(dtypes_floats)),
              .stem = "upsample_bilinear_2d_backward",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_LINEAR, true, true)));
FUNCTION_LIKE(aclnnUpsampleBilinear2dBackwardV2, (PLANES_BACKWARD(dtypes_floats)),
              .stem = "upsample_bilinear_2d_backward_v2",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_LINEAR, true, true)));
FUNCTION_LIKE(aclnnUpsampleBicubic2d, (PLANES(dtypes_fp32_fp16_bf16)), .stem = "upsample_bicubic_2d",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_CUBIC, false, true)));
FUNCTION_LIKE(aclnnUpsampleBicubic2dBackward, (PLANES_BACKWARD(dtypes_fp32_fp16_bf16)),
              .stem = "upsample_bicubic_2d_backward", UPSAMPLE(promise_sum, (2, UPSAMPLE_CUBIC, true, true)));
FUNCTION_LIKE(aclnnUpsampleBilinear2dAA, (PLANES(dtypes_fp32_fp16_bf16)), .stem = "upsample_bilinear2d_aa",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_SMOOTH_LINEAR, false, true)));
FUNCTION_LIKE(aclnnUpsampleBilinear2dAABackward, (PLANES_BACKWARD(dtypes_fp32_fp16_bf16)),
              .stem = "upsample_bilinear2d_aa_backward",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_SMOOTH_LINEAR, true, true)));
FUNCTION_LIKE(aclnnUpsampleBicubic2dAA, (PLANES(dtypes_fp32_fp16_bf16)), .stem = "upsample_bicubic2d_aa",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_SMOOTH_CUBIC, false, true)));
FUNCTION_LIKE(aclnnUpsampleBicubic2dAAGrad, (PLANES_BACKWARD(dtypes_fp32_fp16_bf16)),
              .stem = "upsample_bicubic2d_aa_grad",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_SMOOTH_CUBIC, true, true)));
FUNCTION_LIKE(aclnnUpsampleTrilinear3d, (BLENDED, dtypes_floats, VOLUME, SCALES_3),
              .stem = "upsample_trilinear_3d", UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, false, true)));
FUNCTION_LIKE(aclnnUpsampleTrilinear3dBackward,
              (GRADIENT, dtypes_floats, VOLUME_BACKWARD, SCALES_3, gradInput),
              .stem = "upsample_trilinear_3d_backward",
              UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, true, true)));
