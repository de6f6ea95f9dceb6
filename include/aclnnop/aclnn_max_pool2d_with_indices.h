/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max pooling: the greatest element of each window of a plane, and where in its window it lies.
 *
 *     out[oh, ow] = the maximum of self[oh strideH - paddingH + i, ow strideW - paddingW + j]
 *                   over 0 <= i < kernelH, 0 <= j < kernelW, as far as self has these places
 *
 * for each plane H x W of self. Padding never is the maximum. The first of equal elements in row-major order
 * is taken, +0 and -0 being equal; the last NaN is taken before any number. out has the element's own bits.
 *
 * indices is a plane of bits for each place in a window: row p = i kernelW + j of a plane (n, c) has bit
 * (o mod 8), the least significant being 0, of byte o / 8 set exactly if the maximum of window
 * o = oh outW + ow lies at its place (i, j). Every window has one bit among all rows; all other bits are 0.
 * The layout is this library's own: it is meant for the gradient of the same library.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_H
#define BELAY_ACLNNOP_ACLNN_MAX_POOL2D_WITH_INDICES_H

#include "aclnnop/function.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides (0 for self too) and offsets will do; the outputs may overlap self, which is read as
 * if copied first. Without elements, phase 2 does nothing. On failure the results are left alone.
 * - self: FLOAT, FLOAT16 or BFLOAT16 (not on Ascend910A), shape (N, C, H, W) or (C, H, W)
 * - kernelSize, stride, padding, dilation: of H and of W, or one number for both. kernelSize and stride are 1
 *   or more, NULL or an empty stride being kernelSize; padding 0 to kernelSize / 2; dilation 1
 * - ceilMode: whether the number of windows, (H + 2 padding - kernelSize) / stride + 1, is rounded up; a
 * window that begins behind self does not count in any case
 * - out: self's dtype, shape (N, C, outH, outW), without N as self
 * - indices: INT8 or UINT8, shape (N, C, kernelH kernelW, ((outH outW + 15) / 16 + 1) 32), without N as self
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 * - 161001: workspaceSize or executor is NULL; then self, kernelSize, padding, dilation, out or indices
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype and rank of self; the
 *   arrays, for H and then for W, and a plane without windows; the dtypes and shapes of the outputs; an
 * output that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnMaxPool2dWithMaskGetWorkspaceSize(const aclTensor *self, const aclIntArray *kernelSize,
                                                   const aclIntArray *stride, const aclIntArray *padding,
                                                   const aclIntArray *dilation, bool ceilMode, aclTensor *out,
                                                   aclTensor *indices, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnMaxPool2dWithMask(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * The same maxima, and their places in planes.
 * As MaxPool2dWithMask, but dilation may be more than 1, and indices: INT32 or INT64, of out's shape, has
 * h W + w of each maximum.
 */
ACLNN_FUNCTION(aclnnMaxPool2dWithIndices, const aclTensor *self, const aclIntArray *kernelSize,
               const aclIntArray *stride, const aclIntArray *padding, const aclIntArray *dilation,
               bool ceilMode, aclTensor *out, aclTensor *indices)

#endif
