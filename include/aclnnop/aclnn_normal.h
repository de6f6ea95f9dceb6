/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fills a tensor with random numbers of a normal distribution.
 *
 *     selfRef = mean + std z
 *
 * The generator is Philox4x32-10 (Salmon and others, 2011) with key = seed and counter = (b, offset), all
 * of 64 bits, low word first; signed ones by their bits. Element i, counted in row-major order of the view
 * whatever its strides, has word w = i mod 4 of block b = i / 4; in DOUBLE the 64 bits x of words 2 (i mod 2)
 * and 2 (i mod 2) + 1, low word first, of block b = i / 2. Two offsets never share a block: a program
 * that counts its calls in offset gets independent numbers from each. So the same seed, offset, shape and
 * dtype give the same bits on every processor, number of threads and layout, in this release and later ones;
 * other libraries and devices give other numbers.
 *
 * z is that of Box and Muller, computed in DOUBLE with a relative error below 2^-49: of elements 2 n and
 * 2 n + 1, z = R cos(2 pi u2) and z = R sin(2 pi u2) with R = sqrt(-2 ln u1), u1 = (w + 1) / 2^32 of the
 * first one's word and u2 = w / 2^32 of the second's; in DOUBLE u1 = ((x >> 11) + 1) / 2^53 and u2 = (x >>
 * 11) / 2^53. The formula is rounded to DOUBLE after the product and after the sum, then once to selfRef's
 * dtype; integers lose the fraction, of BOOL what is not 0 is true. A NaN among mean and std gives the
 * canonical quiet NaN, of integers 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NORMAL_H
#define BELAY_ACLNNOP_ACLNN_NORMAL_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides and offsets will do. With an empty tensor, phase 2 does nothing. On failure the
 * results are left alone.
 * - selfRef: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64, UINT8 or BOOL, rank 0 to 8;
 *   it is written though the prototype has const
 * - mean: any
 * - std: 0 or more, or NaN
 * - seed, offset: any
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 * - 161001: workspaceSize or executor is NULL; then selfRef
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype; the rank; std below
 * 0; a selfRef that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnInplaceNormalGetWorkspaceSize(const aclTensor *selfRef, float mean, float std, int64_t seed,
                                               int64_t offset, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnInplaceNormal(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

/*
 * The same with seed and offset in device memory, which is read when the work runs, before anything is
 * written: seed = *seedTensor, offset = *offsetTensor + offset.
 * - seedTensor, offsetTensor: INT64, one element each
 * - 161001: workspaceSize or executor is NULL; then selfRef, seedTensor or offsetTensor
 * - 161002: as above; dtype and count of seedTensor, then of offsetTensor, come behind the rank
 */
aclnnStatus aclnnInplaceNormalTensorGetWorkspaceSize(const aclTensor *selfRef, float mean, float std,
                                                     const aclTensor *seedTensor,
                                                     const aclTensor *offsetTensor, int64_t offset,
                                                     uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnInplaceNormalTensor(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
