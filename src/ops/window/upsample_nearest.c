/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Resampling by the nearest element, by either of two rules, and the gradients of it.
 */
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/window/upsample.h"

/* What is made, and what is handed back. The first functions have no scales, or scales in FLOAT. */
#define SCALE_L(X, of, kind) X(of, kind, scaleL, .usual = "0")
#define NEAREST(X, of, sample_, size, scales, kind)          \
    X(of, IN, self, &dtypes_floats_uint8, .sample = sample_) \
    X(of, INTS, outputSize, .sample = size)                  \
    scales(X, of, kind) X(of, OUT, out, &dtypes_floats_uint8)
#define GRADIENT(X, of, grad, sample_, size, from, scales) \
    X(of, IN, grad, &dtypes_floats, .sample = sample_)     \
    X(of, INTS, outputSize, .sample = size)                \
    X(of, INTS, inputSize, .sample = from)                 \
    scales(X, of, DOUBLE) X(of, OUT, out, &dtypes_floats)

FUNCTION_LIKE(aclnnUpsampleNearest1d, (NEAREST, LINE, NO_SCALES, ), .stem = "upsample_nearest_1d",
              UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, false)));
FUNCTION_LIKE(aclnnUpsampleNearest1dV2, (NEAREST, LINE, SCALE_L, FLOAT), .stem = "upsample_nearest_1d_v2",
              UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearest1dBackward, (GRADIENT, gradOut, LINE_BACKWARD, SCALES_1),
              .stem = "upsample_nearest_1d_backward",
              UPSAMPLE(promise_sum, (1, UPSAMPLE_NEAREST, true, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact1d, (NEAREST, LINE, SCALES_1, DOUBLE),
              .stem = "upsample_nearest_exact1d", UPSAMPLE(promise_exact, (1, UPSAMPLE_EXACT, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact1dBackward, (GRADIENT, gradOutput, LINE_BACKWARD, SCALES_1),
              .stem = "upsample_nearest_exact1d_backward",
              UPSAMPLE(promise_sum, (1, UPSAMPLE_EXACT, true, true)));
FUNCTION_LIKE(aclnnUpsampleNearest2d, (NEAREST, PLANE, NO_SCALES, ), .stem = "upsample_nearest_2d",
              UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, false)));
FUNCTION_LIKE(aclnnUpsampleNearest2dV2, (NEAREST, PLANE, SCALES_2, FLOAT), .stem = "upsample_nearest_2d_v2",
              UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearest2dBackward, (GRADIENT, gradOut, PLANE_BACKWARD, SCALES_2),
              .stem = "upsample_nearest_2d_backward",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_NEAREST, true, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact2d, (NEAREST, PLANE, SCALES_2, DOUBLE),
              .stem = "upsample_nearest_exact2d", UPSAMPLE(promise_exact, (2, UPSAMPLE_EXACT, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact2dBackward, (GRADIENT, gradOutput, PLANE_BACKWARD, SCALES_2),
              .stem = "upsample_nearest_exact2d_backward",
              UPSAMPLE(promise_sum, (2, UPSAMPLE_EXACT, true, true)));
FUNCTION_LIKE(aclnnUpsampleNearest3d, (NEAREST, VOLUME, SCALES_3, DOUBLE), .stem = "upsample_nearest_3d",
              UPSAMPLE(promise_exact, (3, UPSAMPLE_NEAREST, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearest3dBackward, (GRADIENT, gradOut, VOLUME_BACKWARD, SCALES_3),
              .stem = "upsample_nearest_3d_backward",
              UPSAMPLE(promise_sum, (3, UPSAMPLE_NEAREST, true, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact3d, (NEAREST, VOLUME, SCALES_3, DOUBLE),
              .stem = "upsample_nearest_exact3d", UPSAMPLE(promise_exact, (3, UPSAMPLE_EXACT, false, true)));
FUNCTION_LIKE(aclnnUpsampleNearestExact3dBackward, (GRADIENT, gradOutput, VOLUME_BACKWARD, SCALES_3),
              .stem = "upsample_nearest_exact3d_backward",
              UPSAMPLE(promise_sum, (3, UPSAMPLE_EXACT, true, true)));
