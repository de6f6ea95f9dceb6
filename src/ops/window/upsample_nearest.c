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

#define TENSOR(X, of, name_, sample_)   X(of, IN, name_, &dtypes_floats_uint8, .sample = sample_)
#define RESULT(X, of, name_)            X(of, OUT, name_, &dtypes_floats_uint8)
#define GRADIENT(X, of, name_, sample_) X(of, IN, name_, &dtypes_floats, .sample = sample_)
#define SUM(X, of, name_)               X(of, OUT, name_, &dtypes_floats)
#define UPSAMPLE_NEAREST1D(X, of)          \
    TENSOR(X, of, self, "2x3x4")           \
    X(of, INTS, outputSize, .sample = "6") \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST1D)

FUNCTION_OF(aclnnUpsampleNearest1d, UPSAMPLE_NEAREST1D, .stem = "upsample_nearest_1d",
            UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, false)));

#define UPSAMPLE_NEAREST1D_V2(X, of)       \
    TENSOR(X, of, self, "2x3x4")           \
    X(of, INTS, outputSize, .sample = "6") \
    X(of, FLOAT, scaleL, .usual = "0")     \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST1D_V2)

FUNCTION_OF(aclnnUpsampleNearest1dV2, UPSAMPLE_NEAREST1D_V2, .stem = "upsample_nearest_1d_v2",
            UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, true)));

#define UPSAMPLE_NEAREST1D_BACKWARD(X, of)    \
    GRADIENT(X, of, gradOut, "2x3x6")         \
    X(of, INTS, outputSize, .sample = "6")    \
    X(of, INTS, inputSize, .sample = "2,3,4") \
    X(of, DOUBLE, scales, .usual = "0")       \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST1D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearest1dBackward, UPSAMPLE_NEAREST1D_BACKWARD,
            .stem = "upsample_nearest_1d_backward", UPSAMPLE(promise_sum, (1, UPSAMPLE_NEAREST, true, true)));

#define UPSAMPLE_NEAREST_EXACT1D(X, of)    \
    TENSOR(X, of, self, "2x3x4")           \
    X(of, INTS, outputSize, .sample = "6") \
    X(of, DOUBLE, scales, .usual = "0")    \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT1D)

FUNCTION_OF(aclnnUpsampleNearestExact1d, UPSAMPLE_NEAREST_EXACT1D, .stem = "upsample_nearest_exact1d",
            UPSAMPLE(promise_exact, (1, UPSAMPLE_EXACT, false, true)));

#define UPSAMPLE_NEAREST_EXACT1D_BACKWARD(X, of) \
    GRADIENT(X, of, gradOutput, "2x3x6")         \
    X(of, INTS, outputSize, .sample = "6")       \
    X(of, INTS, inputSize, .sample = "2,3,4")    \
    X(of, DOUBLE, scales, .usual = "0")          \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT1D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearestExact1dBackward, UPSAMPLE_NEAREST_EXACT1D_BACKWARD,
            .stem = "upsample_nearest_exact1d_backward",
            UPSAMPLE(promise_sum, (1, UPSAMPLE_EXACT, true, true)));

#define UPSAMPLE_NEAREST2D(X, of)            \
    TENSOR(X, of, self, "2x3x4x5")           \
    X(of, INTS, outputSize, .sample = "6,3") \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST2D)

FUNCTION_OF(aclnnUpsampleNearest2d, UPSAMPLE_NEAREST2D, .stem = "upsample_nearest_2d",
            UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, false)));

#define UPSAMPLE_NEAREST2D_V2(X, of)         \
    TENSOR(X, of, self, "2x3x4x5")           \
    X(of, INTS, outputSize, .sample = "6,3") \
    X(of, FLOAT, scalesH, .usual = "0")      \
    X(of, FLOAT, scalesW, .usual = "0")      \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST2D_V2)

FUNCTION_OF(aclnnUpsampleNearest2dV2, UPSAMPLE_NEAREST2D_V2, .stem = "upsample_nearest_2d_v2",
            UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, true)));

#define UPSAMPLE_NEAREST2D_BACKWARD(X, of)      \
    GRADIENT(X, of, gradOut, "2x3x6x3")         \
    X(of, INTS, outputSize, .sample = "6,3")    \
    X(of, INTS, inputSize, .sample = "2,3,4,5") \
    X(of, DOUBLE, scalesH, .usual = "0")        \
    X(of, DOUBLE, scalesW, .usual = "0")        \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST2D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearest2dBackward, UPSAMPLE_NEAREST2D_BACKWARD,
            .stem = "upsample_nearest_2d_backward", UPSAMPLE(promise_sum, (2, UPSAMPLE_NEAREST, true, true)));

#define UPSAMPLE_NEAREST_EXACT2D(X, of)      \
    TENSOR(X, of, self, "2x3x4x5")           \
    X(of, INTS, outputSize, .sample = "6,3") \
    X(of, DOUBLE, scalesH, .usual = "0")     \
    X(of, DOUBLE, scalesW, .usual = "0")     \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT2D)

FUNCTION_OF(aclnnUpsampleNearestExact2d, UPSAMPLE_NEAREST_EXACT2D, .stem = "upsample_nearest_exact2d",
            UPSAMPLE(promise_exact, (2, UPSAMPLE_EXACT, false, true)));

#define UPSAMPLE_NEAREST_EXACT2D_BACKWARD(X, of) \
    GRADIENT(X, of, gradOutput, "2x3x6x3")       \
    X(of, INTS, outputSize, .sample = "6,3")     \
    X(of, INTS, inputSize, .sample = "2,3,4,5")  \
    X(of, DOUBLE, scalesH, .usual = "0")         \
    X(of, DOUBLE, scalesW, .usual = "0")         \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT2D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearestExact2dBackward, UPSAMPLE_NEAREST_EXACT2D_BACKWARD,
            .stem = "upsample_nearest_exact2d_backward",
            UPSAMPLE(promise_sum, (2, UPSAMPLE_EXACT, true, true)));

#define UPSAMPLE_NEAREST3D(X, of)              \
    TENSOR(X, of, self, "2x3x4x2x3")           \
    X(of, INTS, outputSize, .sample = "3,4,2") \
    X(of, DOUBLE, scalesD, .usual = "0")       \
    X(of, DOUBLE, scalesH, .usual = "0")       \
    X(of, DOUBLE, scalesW, .usual = "0")       \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST3D)

FUNCTION_OF(aclnnUpsampleNearest3d, UPSAMPLE_NEAREST3D, .stem = "upsample_nearest_3d",
            UPSAMPLE(promise_exact, (3, UPSAMPLE_NEAREST, false, true)));

#define UPSAMPLE_NEAREST3D_BACKWARD(X, of)        \
    GRADIENT(X, of, gradOut, "2x3x3x4x2")         \
    X(of, INTS, outputSize, .sample = "3,4,2")    \
    X(of, INTS, inputSize, .sample = "2,3,4,2,3") \
    X(of, DOUBLE, scalesD, .usual = "0")          \
    X(of, DOUBLE, scalesH, .usual = "0")          \
    X(of, DOUBLE, scalesW, .usual = "0")          \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST3D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearest3dBackward, UPSAMPLE_NEAREST3D_BACKWARD,
            .stem = "upsample_nearest_3d_backward", UPSAMPLE(promise_sum, (3, UPSAMPLE_NEAREST, true, true)));

#define UPSAMPLE_NEAREST_EXACT3D(X, of)        \
    TENSOR(X, of, self, "2x3x4x2x3")           \
    X(of, INTS, outputSize, .sample = "3,4,2") \
    X(of, DOUBLE, scalesD, .usual = "0")       \
    X(of, DOUBLE, scalesH, .usual = "0")       \
    X(of, DOUBLE, scalesW, .usual = "0")       \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT3D)

FUNCTION_OF(aclnnUpsampleNearestExact3d, UPSAMPLE_NEAREST_EXACT3D, .stem = "upsample_nearest_exact3d",
            UPSAMPLE(promise_exact, (3, UPSAMPLE_EXACT, false, true)));

#define UPSAMPLE_NEAREST_EXACT3D_BACKWARD(X, of)  \
    GRADIENT(X, of, gradOutput, "2x3x3x4x2")      \
    X(of, INTS, outputSize, .sample = "3,4,2")    \
    X(of, INTS, inputSize, .sample = "2,3,4,2,3") \
    X(of, DOUBLE, scalesD, .usual = "0")          \
    X(of, DOUBLE, scalesH, .usual = "0")          \
    X(of, DOUBLE, scalesW, .usual = "0")          \
    SUM(X, of, out)
SIGNATURE(UPSAMPLE_NEAREST_EXACT3D_BACKWARD)

FUNCTION_OF(aclnnUpsampleNearestExact3dBackward, UPSAMPLE_NEAREST_EXACT3D_BACKWARD,
            .stem = "upsample_nearest_exact3d_backward",
            UPSAMPLE(promise_sum, (3, UPSAMPLE_EXACT, true, true)));
