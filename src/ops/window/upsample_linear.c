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

#define TENSOR(X, of, name_, sample_) X(of, IN, name_, &dtypes_floats, .sample = sample_)
#define RESULT(X, of, name_)          X(of, OUT, name_, &dtypes_floats)
#define UPSAMPLE_LINEAR1D(X, of)                \
    TENSOR(X, of, self, "2x3x4")                \
    X(of, INTS, outputSize, .sample = "6")      \
    X(of, BOOL, alignCorners, .usual = "false") \
    X(of, DOUBLE, scale, .usual = "0")          \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_LINEAR1D)

FUNCTION_OF(aclnnUpsampleLinear1d, UPSAMPLE_LINEAR1D, .stem = "upsample_linear_1d",
            UPSAMPLE(promise_sum, (1, UPSAMPLE_LINEAR, false, true)));

#define UPSAMPLE_LINEAR1D_BACKWARD(X, of)       \
    TENSOR(X, of, gradOut, "2x3x6")             \
    X(of, INTS, outputSize, .sample = "6")      \
    X(of, INTS, inputSize, .sample = "2,3,4")   \
    X(of, BOOL, alignCorners, .usual = "false") \
    X(of, DOUBLE, scales, .usual = "0")         \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_LINEAR1D_BACKWARD)

FUNCTION_OF(aclnnUpsampleLinear1dBackward, UPSAMPLE_LINEAR1D_BACKWARD, .stem = "upsample_linear_1d_backward",
            UPSAMPLE(promise_sum, (1, UPSAMPLE_LINEAR, true, true)));

/* Functions of two axes, and their gradients; DOUBLE where two neighbours are blended. */
#define OF_PLANES(name, stem_, way_, dtypes_)                                                          \
    static const struct parameter stem_##_parameters[] = {READ("self", dtypes_, .sample = "2x3x4x5"),  \
                                                          NUMBERS("outputSize", .sample = "6,3"),      \
                                                          USUAL("alignCorners", BOOL, "false"),        \
                                                          USUAL("scalesH", DOUBLE, "0"),               \
                                                          USUAL("scalesW", DOUBLE, "0"),               \
                                                          WRITTEN("out", dtypes_)};                    \
    FUNCTION(name,                                                                                     \
             (const aclTensor *self, const aclIntArray *outputSize, bool alignCorners, double scalesH, \
              double scalesW, aclTensor *out),                                                         \
             (ARG(self), ARG(outputSize), ARG(alignCorners), ARG(scalesH), ARG(scalesW), ARG(out)),    \
             .stem = #stem_, PARAMETERS(stem_##_parameters), UPSAMPLE(promise_sum, (2, way_, false, true)));
#define OF_PLANES_BACKWARD(name, stem_, way_, dtypes_)                                                      \
    static const struct parameter stem_##_parameters[] = {READ("gradOut", dtypes_, .sample = "2x3x6x3"),    \
                                                          NUMBERS("outputSize", .sample = "6,3"),           \
                                                          NUMBERS("inputSize", .sample = "2,3,4,5"),        \
                                                          USUAL("alignCorners", BOOL, "false"),             \
                                                          USUAL("scalesH", DOUBLE, "0"),                    \
                                                          USUAL("scalesW", DOUBLE, "0"),                    \
                                                          WRITTEN("out", dtypes_)};                         \
    FUNCTION(name,                                                                                          \
             (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,        \
              bool alignCorners, double scalesH, double scalesW, aclTensor *out),                           \
             (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(alignCorners), ARG(scalesH), ARG(scalesW), \
              ARG(out)),                                                                                    \
             .stem = #stem_, PARAMETERS(stem_##_parameters), UPSAMPLE(promise_sum, (2, way_, true, true)));

OF_PLANES(aclnnUpsampleBilinear2d, upsample_bilinear_2d, UPSAMPLE_LINEAR, &dtypes_floats)
OF_PLANES_BACKWARD(aclnnUpsampleBilinear2dBackward, upsample_bilinear_2d_backward, UPSAMPLE_LINEAR,
                   &dtypes_floats)
OF_PLANES_BACKWARD(aclnnUpsampleBilinear2dBackwardV2, upsample_bilinear_2d_backward_v2, UPSAMPLE_LINEAR,
                   &dtypes_floats)
OF_PLANES(aclnnUpsampleBicubic2d, upsample_bicubic_2d, UPSAMPLE_CUBIC, &dtypes_fp32_fp16_bf16)
OF_PLANES_BACKWARD(aclnnUpsampleBicubic2dBackward, upsample_bicubic_2d_backward, UPSAMPLE_CUBIC,
                   &dtypes_fp32_fp16_bf16)
OF_PLANES(aclnnUpsampleBilinear2dAA, upsample_bilinear2d_aa, UPSAMPLE_SMOOTH_LINEAR, &dtypes_fp32_fp16_bf16)
OF_PLANES_BACKWARD(aclnnUpsampleBilinear2dAABackward, upsample_bilinear2d_aa_backward, UPSAMPLE_SMOOTH_LINEAR,
                   &dtypes_fp32_fp16_bf16)
OF_PLANES(aclnnUpsampleBicubic2dAA, upsample_bicubic2d_aa, UPSAMPLE_SMOOTH_CUBIC, &dtypes_fp32_fp16_bf16)
OF_PLANES_BACKWARD(aclnnUpsampleBicubic2dAAGrad, upsample_bicubic2d_aa_grad, UPSAMPLE_SMOOTH_CUBIC,
                   &dtypes_fp32_fp16_bf16)

#define UPSAMPLE_TRILINEAR3D(X, of)             \
    TENSOR(X, of, self, "2x3x4x2x3")            \
    X(of, INTS, outputSize, .sample = "3,4,2")  \
    X(of, BOOL, alignCorners, .usual = "false") \
    X(of, DOUBLE, scalesD, .usual = "0")        \
    X(of, DOUBLE, scalesH, .usual = "0")        \
    X(of, DOUBLE, scalesW, .usual = "0")        \
    RESULT(X, of, out)
SIGNATURE(UPSAMPLE_TRILINEAR3D)

FUNCTION_OF(aclnnUpsampleTrilinear3d, UPSAMPLE_TRILINEAR3D, .stem = "upsample_trilinear_3d",
            UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, false, true)));

#define UPSAMPLE_TRILINEAR3D_BACKWARD(X, of)      \
    TENSOR(X, of, gradOut, "2x3x3x4x2")           \
    X(of, INTS, outputSize, .sample = "3,4,2")    \
    X(of, INTS, inputSize, .sample = "2,3,4,2,3") \
    X(of, BOOL, alignCorners, .usual = "false")   \
    X(of, DOUBLE, scalesD, .usual = "0")          \
    X(of, DOUBLE, scalesH, .usual = "0")          \
    X(of, DOUBLE, scalesW, .usual = "0")          \
    RESULT(X, of, gradInput)
SIGNATURE(UPSAMPLE_TRILINEAR3D_BACKWARD)

FUNCTION_OF(aclnnUpsampleTrilinear3dBackward, UPSAMPLE_TRILINEAR3D_BACKWARD,
            .stem = "upsample_trilinear_3d_backward",
            UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, true, true)));
