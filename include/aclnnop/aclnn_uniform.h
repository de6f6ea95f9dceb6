/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fills a tensor with random numbers of a uniform distribution.
 *
 *     selfRef = from + U (to - from), 0 <= U < 1
 *
 * The generator is Philox4x32-10 (Salmon and others, 2011) with key = seed and counter = (b, offset), all
 * of 64 bits, low word first; signed ones by their bits. Element i, counted in row-major order of the view
 * whatever its strides, has word w = i mod 4 of block b = i / 4; in DOUBLE the 64 bits x of words 2 (i mod 2)
 * and 2 (i mod 2) + 1, low word first, of block b = i / 2. Two offsets never share a block: a program
 * that counts its calls in offset gets independent numbers from each. So the same seed, offset, shape and
 * dtype give the same bits on every processor, number of threads and layout, in this release and later ones;
 * other libraries and devices give other numbers.
 *
 * U is (w >> 8) / 2^24, in DOUBLE (x >> 11) / 2^53. The formula is computed in DOUBLE and rounded once. Where
 * from < to, what would not be below to is the largest number below it that the dtype has; integers lose the
 * fraction of a DOUBLE below to.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UNIFORM_H
#define BELAY_ACLNNOP_ACLNN_UNIFORM_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Phase 1. Any strides and offsets will do. With an empty tensor, phase 2 does nothing. On failure the
 * results are left alone.
 * - selfRef: FLOAT, FLOAT16, BFLOAT16 (not on Ascend910A), DOUBLE, INT8 to INT64 or UINT8, rank 0 to 8; it is
 *   written though the prototype has const
 * - from, to: from <= to
 * - seed, offset: any
 * - workspaceSize: gets the bytes that phase 2 needs, 0 nearly always (BELAY_WORKSPACE raises it)
 * - executor: gets what phase 2 or aclDestroyAclOpExecutor takes
 * - 161001: workspaceSize or executor is NULL; then selfRef
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype; the rank; from
 * greater than to, or NaN; a selfRef that overlaps itself
 * - 361001 and 561101 as everywhere
 */
aclnnStatus aclnnInplaceUniformGetWorkspaceSize(const aclTensor *selfRef, double from, double to,
                                                uint64_t seed, uint64_t offset, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnInplaceUniform(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                aclrtStream stream);

/*
 * The same with seed and offset in device memory, which is read when the work runs, before anything is
 * written: seed = *seedTensor, offset = *offsetTensor + offset.
 * - seedTensor, offsetTensor: INT64 or UINT64, one element each
 * - 161001: workspaceSize or executor is NULL; then selfRef, seedTensor or offsetTensor
 * - 161002: as above; dtype and count of seedTensor, then of offsetTensor, come behind the rank
 */
aclnnStatus aclnnInplaceUniformTensorGetWorkspaceSize(const aclTensor *selfRef, double from, double to,
                                                      const aclTensor *seedTensor,
                                                      const aclTensor *offsetTensor, uint64_t offset,
                                                      uint64_t *workspaceSize, aclOpExecutor **executor);

/* Phase 2: queues the work on stream; the rules are those of every operator, as aclnn_add.h has them. */
aclnnStatus aclnnInplaceUniformTensor(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                      aclrtStream stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
