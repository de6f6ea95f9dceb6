/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What functions of one tensor share. Their own headers say what they compute.
 *
 *     ACLNN_UNARY(aclnnExp, self, out)     declares
 *         aclnnStatus aclnnExpGetWorkspaceSize(const aclTensor *self, aclTensor *out,
 *                                              uint64_t *workspaceSize, aclOpExecutor **executor);
 *         aclnnStatus aclnnExp(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
 *                              aclrtStream stream);
 *     ACLNN_UNARY_IN_PLACE(aclnnInplaceExp, selfRef)     declares the same of (aclTensor *selfRef)
 *
 * Phase 1 checks the arguments and prepares the work: workspaceSize gets the bytes that phase 2 needs,
 * executor what it takes. out has the shape of self, of rank 0 to 8; any strides and offsets will do, and out
 * may be self or overlap it. A result that is not of out's dtype is converted as aclnnCast does. BFLOAT16 is
 * not on Ascend910A. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then self or out is NULL
 * - 161002, in this order: a handle that is not live; a view that cannot be; the dtype of self; its rank; the
 *   dtype of out; its shape; an output that overlaps itself
 * Phase 2 queues the work on stream, as every function's: aclnn/aclnn_base.h. The form in place writes to
 * selfRef, which stands for self and out.
 *
 * Results are the exact value rounded once where nothing else is said: to FLOAT and DOUBLE within 1 unit in
 * the last place, and the same bits on every processor. NaN results are the canonical quiet NaN.
 */
#ifndef BELAY_ACLNNOP_UNARY_H
#define BELAY_ACLNNOP_UNARY_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
#define ACLNN_UNARY_LINKAGE extern "C" __attribute__((visibility("default")))
#else
#define ACLNN_UNARY_LINKAGE extern __attribute__((visibility("default")))
#endif

#define ACLNN_UNARY_PHASE_2(name)                                                                          \
    ACLNN_UNARY_LINKAGE aclnnStatus name(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, \
                                         aclrtStream stream);

#define ACLNN_UNARY(name, self, out)                                                               \
    ACLNN_UNARY_LINKAGE aclnnStatus name##GetWorkspaceSize(                                        \
        const aclTensor *self, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor); \
    ACLNN_UNARY_PHASE_2(name)

#define ACLNN_UNARY_IN_PLACE(name, selfRef)                                                             \
    ACLNN_UNARY_LINKAGE aclnnStatus name##GetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize, \
                                                           aclOpExecutor **executor);                   \
    ACLNN_UNARY_PHASE_2(name)

#endif
