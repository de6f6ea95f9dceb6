/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnGroupNormSwish by x, gamma and beta; mean and rstd are what it gave. dy, x and
 * dxOut have one dtype, FLOAT, FLOAT16 or BFLOAT16, and one shape of rank 2 to 8, of which dim 1 counts
 * channels; the other inputs are FLOAT or of that dtype, mean and rstd with an element for each group of
 * each image, gamma and beta for each channel. dgammaOut and dbetaOut are left alone, and may be NULL,
 * where they are not required. dataFormatOptional changes nothing. In DOUBLE, sums in a fixed order,
 * rounded once. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUP_NORM_SWISH_GRAD_H
#define BELAY_ACLNNOP_ACLNN_GROUP_NORM_SWISH_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupNormSwishGrad, const aclTensor *dy, const aclTensor *mean, const aclTensor *rstd,
               const aclTensor *x, const aclTensor *gamma, const aclTensor *beta, int64_t numGroups,
               char *dataFormatOptional, double swishScale, bool dgammaIsRequire, bool dbetaIsRequire,
               aclTensor *dxOut, aclTensor *dgammaOut, aclTensor *dbetaOut)
#endif
