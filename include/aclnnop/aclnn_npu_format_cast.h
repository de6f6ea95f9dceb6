/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies a tensor into another format: from plain memory into blocks and back. srcTensor, dstTensor: of one
 * shape and dtype, one of FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64,
 * COMPLEX128, and on Ascend950 HIFLOAT8, FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E8M0. Bits are copied; what is
 * stored around the elements becomes 0.
 *
 * A tensor is in blocks if aclCreateTensor was given such a format and the storage shape that belongs to it,
 * whose last dim is C0:
 * - FRACTAL_NZ (29, and 50 to 54) of (..., k, n): (..., ceil(n / C0), ceil(k / 16), 16, C0)
 * - NC1HWC0 (3) of (n, c, h, w): (n, ceil(c / C0), h, w, C0); of fewer dims n is missing, then w and h
 * - FRACTAL_Z (4) of the same: (ceil(c / C0) h w, ceil(n / 16), 16, C0)
 * - NDC1HWC0 (32) of (n, c, d, h, w): (n, d, ceil(c / C0), h, w, C0)
 * - FRACTAL_Z_3D (33) of the same: (d ceil(c / C0) h w, ceil(n / 16), 16, C0)
 * Its view is the whole plain tensor, some rows of a matrix in FRACTAL_NZ, or either with its last two dims
 * exchanged, or a row of such a matrix as one dim, where only one row can have its place; strides and offset
 * count elements of the plain tensor. Every function reads and writes such a
 * tensor as the plain one; 161002: another view or storage shape, and on
 * Ascend950 a contiguous srcTensor that begins at a later element, into blocks whose padding has room for
 * those in front of it, as torch_npu would read these. A storage of one dim, or of
 * the view's dims, is plain memory, whatever its format is called.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NPU_FORMAT_CAST_H
#define BELAY_ACLNNOP_ACLNN_NPU_FORMAT_CAST_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnNpuFormatCast, const aclTensor *srcTensor, aclTensor *dstTensor)

/*
 * What a cast of srcTensor to dstFormat (an aclFormat) writes to: the storage shape, and the format. It has
 * this one phase. C0 is 32 bytes of additionalDtype (an aclDataType), or of srcTensor's dtype where that is
 * -1. To a format in blocks srcTensor is plain and has 1 to 4 dims for formats 3 and 4, 5 for 32 and 33, 2 to
 * 6 for FRACTAL_NZ; to a plain format it may be either, and the shape is that of its view. A contiguous view
 * that begins at a later element has more in its first dim, so that as many elements as its offset fit in front
 * of it: a dstTensor whose storage shape is one dim of that many elements, and whose offset is 0, gets the
 * elements at srcTensor's offset, where torch_npu reads them then. *dstShape: an
 * array of *dstShapeSize dims, for the caller to release with free or delete[]. *actualFormat is dstFormat;
 * on Ascend950 FRACTAL_NZ of FLOAT and INT32 is 50 with an additionalDtype of 2 bytes, and 51 with one of 1.
 * - 161001: an argument is NULL
 * - 161002: srcTensor is not live, impossible or empty, or has another rank, another dtype, or more elements
 *   in that format than 2^63 - 1 bytes
 * - 361001: from blocks to other blocks, a format that is none of these, or an additionalDtype without
 *   whole bytes; or as everywhere. 561101: no memory for the dims
 */
ACLNN_FUNCTION_LINKAGE aclnnStatus aclnnNpuFormatCastCalculateSizeAndFormat(
    const aclTensor *srcTensor, const int dstFormat, const int additionalDtype, int64_t **dstShape,
    uint64_t *dstShapeSize, int *actualFormat);

#endif
