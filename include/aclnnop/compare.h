/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comparisons and logic share. Their own headers say which one they are.
 *
 *     ACLNN_COMPARISON(aclnnEqTensor, aclTensor)     declares
 *         aclnnStatus aclnnEqTensorGetWorkspaceSize(const aclTensor *self, const aclTensor *other,
 *                                                   aclTensor *out, uint64_t *workspaceSize,
 *                                                   aclOpExecutor **executor);
 *         aclnnStatus aclnnEqTensor(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
 *                                   aclrtStream stream);
 *     ACLNN_COMPARISON_IN_PLACE(aclnnInplaceEqTensor, aclTensor)     declares the same of
 *         (aclTensor *selfRef, const aclTensor *other)
 *
 * Phase 1 checks the arguments and prepares the work: workspaceSize gets the bytes that phase 2 needs,
 * executor what it takes. The tensors read have rank 0 to 8 and broadcast to the shape of what is written;
 * beside a scalar it is self's. Any strides and offsets will do, and out may be an input or overlap one. out
 * has any dtype of FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8 to UINT64, BOOL, COMPLEX64 and
 * COMPLEX128, and gets 1 where the relation holds and 0 elsewhere. BFLOAT16 is not on Ascend910A. On failure
 * the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self, other or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes of self and other; dtypes
 *   that do not promote; rank over 8; shapes that do not broadcast; the dtype and the shape of out; an output
 *   that overlaps itself
 * Phase 2 queues the work on stream, as every function's: aclnn/aclnn_base.h.
 */
#ifndef BELAY_ACLNNOP_COMPARE_H
#define BELAY_ACLNNOP_COMPARE_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
#define ACLNN_COMPARISON_LINKAGE extern "C" __attribute__((visibility("default")))
#else
#define ACLNN_COMPARISON_LINKAGE extern __attribute__((visibility("default")))
#endif

#define ACLNN_COMPARISON_PHASE_2(name)                                                 \
    ACLNN_COMPARISON_LINKAGE aclnnStatus name(void *workspace, uint64_t workspaceSize, \
                                              aclOpExecutor *executor, aclrtStream stream);

#define ACLNN_COMPARISON(name, operand)                                                                      \
    ACLNN_COMPARISON_LINKAGE aclnnStatus name##GetWorkspaceSize(const aclTensor *self, const operand *other, \
                                                                aclTensor *out, uint64_t *workspaceSize,     \
                                                                aclOpExecutor **executor);                   \
    ACLNN_COMPARISON_PHASE_2(name)

#define ACLNN_COMPARISON_IN_PLACE(name, operand)                                                      \
    ACLNN_COMPARISON_LINKAGE aclnnStatus name##GetWorkspaceSize(                                      \
        aclTensor *selfRef, const operand *other, uint64_t *workspaceSize, aclOpExecutor **executor); \
    ACLNN_COMPARISON_PHASE_2(name)

#endif
