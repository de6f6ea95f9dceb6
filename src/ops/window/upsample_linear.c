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
#include "ops/window/upsample.h"

#define TENSOR(name_, sample_) READ(name_, &dtypes_floats, .sample = sample_)
#define RESULT(name_)          WRITTEN(name_, &dtypes_floats)

static const struct parameter of_linear_1d[] = {TENSOR("self", "2x3x4"), NUMBERS("outputSize", .sample = "6"),
                                                USUAL("alignCorners", BOOL, "false"),
                                                USUAL("scale", DOUBLE, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleLinear1d,
         (const aclTensor *self, const aclIntArray *outputSize, bool alignCorners, double scale,
          aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(alignCorners), ARG(scale), ARG(out)), .stem = "upsample_linear_1d",
         PARAMETERS(of_linear_1d), UPSAMPLE(promise_sum, (1, UPSAMPLE_LINEAR, false, true)));

static const struct parameter of_linear_1d_backward[] = {TENSOR("gradOut", "2x3x6"),
                                                         NUMBERS("outputSize", .sample = "6"),
                                                         NUMBERS("inputSize", .sample = "2,3,4"),
                                                         USUAL("alignCorners", BOOL, "false"),
                                                         USUAL("scales", DOUBLE, "0"),
                                                         RESULT("out")};
FUNCTION(aclnnUpsampleLinear1dBackward,
         (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
          bool alignCorners, double scales, aclTensor *out),
         (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(alignCorners), ARG(scales), ARG(out)),
         .stem = "upsample_linear_1d_backward", PARAMETERS(of_linear_1d_backward),
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

static const struct parameter of_trilinear_3d[] = {TENSOR("self", "2x3x4x2x3"),
                                                   NUMBERS("outputSize", .sample = "3,4,2"),
                                                   USUAL("alignCorners", BOOL, "false"),
                                                   USUAL("scalesD", DOUBLE, "0"),
                                                   USUAL("scalesH", DOUBLE, "0"),
                                                   USUAL("scalesW", DOUBLE, "0"),
                                                   RESULT("out")};
FUNCTION(aclnnUpsampleTrilinear3d,
         (const aclTensor *self, const aclIntArray *outputSize, bool alignCorners, double scalesD,
          double scalesH, double scalesW, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(alignCorners), ARG(scalesD), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_trilinear_3d", PARAMETERS(of_trilinear_3d),
         UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, false, true)));

static const struct parameter of_trilinear_3d_backward[] = {TENSOR("gradOut", "2x3x3x4x2"),
                                                            NUMBERS("outputSize", .sample = "3,4,2"),
                                                            NUMBERS("inputSize", .sample = "2,3,4,2,3"),
                                                            USUAL("alignCorners", BOOL, "false"),
                                                            USUAL("scalesD", DOUBLE, "0"),
                                                            USUAL("scalesH", DOUBLE, "0"),
                                                            USUAL("scalesW", DOUBLE, "0"),
                                                            RESULT("gradInput")};
FUNCTION(aclnnUpsampleTrilinear3dBackward,
         (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
          bool alignCorners, double scalesD, double scalesH, double scalesW, aclTensor *gradInput),
         (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(alignCorners), ARG(scalesD), ARG(scalesH),
          ARG(scalesW), ARG(gradInput)),
         .stem = "upsample_trilinear_3d_backward", PARAMETERS(of_trilinear_3d_backward),
         UPSAMPLE(promise_sum, (3, UPSAMPLE_LINEAR, true, true)));
