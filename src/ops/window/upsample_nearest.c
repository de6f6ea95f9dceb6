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
#include "ops/window/upsample.h"

#define TENSOR(name_, sample_)   READ(name_, &dtypes_floats_uint8, .sample = sample_)
#define RESULT(name_)            WRITTEN(name_, &dtypes_floats_uint8)
#define GRADIENT(name_, sample_) READ(name_, &dtypes_floats, .sample = sample_)
#define SUM(name_)               WRITTEN(name_, &dtypes_floats)

static const struct parameter of_nearest_1d[] = {TENSOR("self", "2x3x4"),
                                                 NUMBERS("outputSize", .sample = "6"), RESULT("out")};
FUNCTION(aclnnUpsampleNearest1d, (const aclTensor *self, const aclIntArray *outputSize, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(out)), .stem = "upsample_nearest_1d", PARAMETERS(of_nearest_1d),
         UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, false)));

static const struct parameter of_nearest_1d_v2[] = {TENSOR("self", "2x3x4"),
                                                    NUMBERS("outputSize", .sample = "6"),
                                                    USUAL("scaleL", FLOAT, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearest1dV2,
         (const aclTensor *self, const aclIntArray *outputSize, float scaleL, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scaleL), ARG(out)), .stem = "upsample_nearest_1d_v2",
         PARAMETERS(of_nearest_1d_v2), UPSAMPLE(promise_exact, (1, UPSAMPLE_NEAREST, false, true)));

static const struct parameter of_nearest_1d_backward[] = {
    GRADIENT("gradOut", "2x3x6"), NUMBERS("outputSize", .sample = "6"),
    NUMBERS("inputSize", .sample = "2,3,4"), USUAL("scales", DOUBLE, "0"), SUM("out")};
FUNCTION(aclnnUpsampleNearest1dBackward,
         (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scales, aclTensor *out),
         (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(scales), ARG(out)),
         .stem = "upsample_nearest_1d_backward", PARAMETERS(of_nearest_1d_backward),
         UPSAMPLE(promise_sum, (1, UPSAMPLE_NEAREST, true, true)));

static const struct parameter of_nearest_exact1d[] = {TENSOR("self", "2x3x4"),
                                                      NUMBERS("outputSize", .sample = "6"),
                                                      USUAL("scales", DOUBLE, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearestExact1d,
         (const aclTensor *self, const aclIntArray *outputSize, double scales, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scales), ARG(out)), .stem = "upsample_nearest_exact1d",
         PARAMETERS(of_nearest_exact1d), UPSAMPLE(promise_exact, (1, UPSAMPLE_EXACT, false, true)));

static const struct parameter of_nearest_exact1d_backward[] = {
    GRADIENT("gradOutput", "2x3x6"), NUMBERS("outputSize", .sample = "6"),
    NUMBERS("inputSize", .sample = "2,3,4"), USUAL("scales", DOUBLE, "0"), SUM("out")};
FUNCTION(aclnnUpsampleNearestExact1dBackward,
         (const aclTensor *gradOutput, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scales, aclTensor *out),
         (ARG(gradOutput), ARG(outputSize), ARG(inputSize), ARG(scales), ARG(out)),
         .stem = "upsample_nearest_exact1d_backward", PARAMETERS(of_nearest_exact1d_backward),
         UPSAMPLE(promise_sum, (1, UPSAMPLE_EXACT, true, true)));

static const struct parameter of_nearest_2d[] = {TENSOR("self", "2x3x4x5"),
                                                 NUMBERS("outputSize", .sample = "6,3"), RESULT("out")};
FUNCTION(aclnnUpsampleNearest2d, (const aclTensor *self, const aclIntArray *outputSize, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(out)), .stem = "upsample_nearest_2d", PARAMETERS(of_nearest_2d),
         UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, false)));

static const struct parameter of_nearest_2d_v2[] = {
    TENSOR("self", "2x3x4x5"), NUMBERS("outputSize", .sample = "6,3"), USUAL("scalesH", FLOAT, "0"),
    USUAL("scalesW", FLOAT, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearest2dV2,
         (const aclTensor *self, const aclIntArray *outputSize, float scalesH, float scalesW, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scalesH), ARG(scalesW), ARG(out)), .stem = "upsample_nearest_2d_v2",
         PARAMETERS(of_nearest_2d_v2), UPSAMPLE(promise_exact, (2, UPSAMPLE_NEAREST, false, true)));

static const struct parameter of_nearest_2d_backward[] = {GRADIENT("gradOut", "2x3x6x3"),
                                                          NUMBERS("outputSize", .sample = "6,3"),
                                                          NUMBERS("inputSize", .sample = "2,3,4,5"),
                                                          USUAL("scalesH", DOUBLE, "0"),
                                                          USUAL("scalesW", DOUBLE, "0"),
                                                          SUM("out")};
FUNCTION(aclnnUpsampleNearest2dBackward,
         (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scalesH, double scalesW, aclTensor *out),
         (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_2d_backward", PARAMETERS(of_nearest_2d_backward),
         UPSAMPLE(promise_sum, (2, UPSAMPLE_NEAREST, true, true)));

static const struct parameter of_nearest_exact2d[] = {
    TENSOR("self", "2x3x4x5"), NUMBERS("outputSize", .sample = "6,3"), USUAL("scalesH", DOUBLE, "0"),
    USUAL("scalesW", DOUBLE, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearestExact2d,
         (const aclTensor *self, const aclIntArray *outputSize, double scalesH, double scalesW,
          aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_exact2d", PARAMETERS(of_nearest_exact2d),
         UPSAMPLE(promise_exact, (2, UPSAMPLE_EXACT, false, true)));

static const struct parameter of_nearest_exact2d_backward[] = {GRADIENT("gradOutput", "2x3x6x3"),
                                                               NUMBERS("outputSize", .sample = "6,3"),
                                                               NUMBERS("inputSize", .sample = "2,3,4,5"),
                                                               USUAL("scalesH", DOUBLE, "0"),
                                                               USUAL("scalesW", DOUBLE, "0"),
                                                               SUM("out")};
FUNCTION(aclnnUpsampleNearestExact2dBackward,
         (const aclTensor *gradOutput, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scalesH, double scalesW, aclTensor *out),
         (ARG(gradOutput), ARG(outputSize), ARG(inputSize), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_exact2d_backward", PARAMETERS(of_nearest_exact2d_backward),
         UPSAMPLE(promise_sum, (2, UPSAMPLE_EXACT, true, true)));

static const struct parameter of_nearest_3d[] = {
    TENSOR("self", "2x3x4x2x3"),   NUMBERS("outputSize", .sample = "3,4,2"),
    USUAL("scalesD", DOUBLE, "0"), USUAL("scalesH", DOUBLE, "0"),
    USUAL("scalesW", DOUBLE, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearest3d,
         (const aclTensor *self, const aclIntArray *outputSize, double scalesD, double scalesH,
          double scalesW, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scalesD), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_3d", PARAMETERS(of_nearest_3d),
         UPSAMPLE(promise_exact, (3, UPSAMPLE_NEAREST, false, true)));

static const struct parameter of_nearest_3d_backward[] = {GRADIENT("gradOut", "2x3x3x4x2"),
                                                          NUMBERS("outputSize", .sample = "3,4,2"),
                                                          NUMBERS("inputSize", .sample = "2,3,4,2,3"),
                                                          USUAL("scalesD", DOUBLE, "0"),
                                                          USUAL("scalesH", DOUBLE, "0"),
                                                          USUAL("scalesW", DOUBLE, "0"),
                                                          SUM("out")};
FUNCTION(aclnnUpsampleNearest3dBackward,
         (const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scalesD, double scalesH, double scalesW, aclTensor *out),
         (ARG(gradOut), ARG(outputSize), ARG(inputSize), ARG(scalesD), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_3d_backward", PARAMETERS(of_nearest_3d_backward),
         UPSAMPLE(promise_sum, (3, UPSAMPLE_NEAREST, true, true)));

static const struct parameter of_nearest_exact3d[] = {
    TENSOR("self", "2x3x4x2x3"),   NUMBERS("outputSize", .sample = "3,4,2"),
    USUAL("scalesD", DOUBLE, "0"), USUAL("scalesH", DOUBLE, "0"),
    USUAL("scalesW", DOUBLE, "0"), RESULT("out")};
FUNCTION(aclnnUpsampleNearestExact3d,
         (const aclTensor *self, const aclIntArray *outputSize, double scalesD, double scalesH,
          double scalesW, aclTensor *out),
         (ARG(self), ARG(outputSize), ARG(scalesD), ARG(scalesH), ARG(scalesW), ARG(out)),
         .stem = "upsample_nearest_exact3d", PARAMETERS(of_nearest_exact3d),
         UPSAMPLE(promise_exact, (3, UPSAMPLE_EXACT, false, true)));

static const struct parameter of_nearest_exact3d_backward[] = {GRADIENT("gradOutput", "2x3x3x4x2"),
                                                               NUMBERS("outputSize", .sample = "3,4,2"),
                                                               NUMBERS("inputSize", .sample = "2,3,4,2,3"),
                                                               USUAL("scalesD", DOUBLE, "0"),
                                                               USUAL("scalesH", DOUBLE, "0"),
                                                               USUAL("scalesW", DOUBLE, "0"),
                                                               SUM("out")};
FUNCTION(aclnnUpsampleNearestExact3dBackward,
         (const aclTensor *gradOutput, const aclIntArray *outputSize, const aclIntArray *inputSize,
          double scalesD, double scalesH, double scalesW, aclTensor *out),
         (ARG(gradOutput), ARG(outputSize), ARG(inputSize), ARG(scalesD), ARG(scalesH), ARG(scalesW),
          ARG(out)),
         .stem = "upsample_nearest_exact3d_backward", PARAMETERS(of_nearest_exact3d_backward),
         UPSAMPLE(promise_sum, (3, UPSAMPLE_EXACT, true, true)));
