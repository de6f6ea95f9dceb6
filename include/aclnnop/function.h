/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How headers of operators declare functions, and what all of these have in common. Each header says what its
 * own functions compute, of which dtypes and shapes, and what they refuse beyond this.
 *
 *     ACLNN_FUNCTION(aclnnElu, const aclTensor *self, ..., aclTensor *out)     declares
 *         aclnnStatus aclnnEluGetWorkspaceSize(const aclTensor *self, ..., aclTensor *out,
 *                                              uint64_t *workspaceSize, aclOpExecutor **executor);
 *         aclnnStatus aclnnElu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
 *                              aclrtStream stream);
 *
 * Phase 1 checks the arguments and prepares the work: workspaceSize gets the bytes that phase 2 needs,
 * executor what it takes. Tensors have rank 0 to 8, any strides and offsets; what is written may be an input
 * or overlap one, which is read as if copied first; functions of lists that go on by index (operators.md)
 * read of lists what earlier indices have left. Tensors without elements take no work. BFLOAT16 is not on
 * Ascend910A. On failure the results are left alone:
 * - 161001: workspaceSize or executor is NULL; then, in the order of the arguments, one that is not optional
 * - 161002, in this order: a handle that is not live; a view that cannot be; dtypes of inputs and scalars;
 *   dtypes that do not promote, or differ where they must not; rank over 8; shapes that do not fit; values of
 *   attributes; dtypes and shapes of outputs; an output that overlaps itself
 * - 361001 and 561101 as everywhere
 * Phase 2 queues the work on stream, as every function's: aclnn/aclnn_base.h has its rules.
 *
 * The same bits on every processor, with any number of threads and in any layout. NaN results are the
 * canonical quiet NaN where a header does not say that bits are copied.
 */
#ifndef BELAY_ACLNNOP_FUNCTION_H
#define BELAY_ACLNNOP_FUNCTION_H

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
#define ACLNN_FUNCTION_LINKAGE extern "C" __attribute__((visibility("default")))
#else
#define ACLNN_FUNCTION_LINKAGE extern __attribute__((visibility("default")))
#endif

#define ACLNN_FUNCTION(name, ...)                                                                   \
    ACLNN_FUNCTION_LINKAGE aclnnStatus name##GetWorkspaceSize(__VA_ARGS__, uint64_t *workspaceSize, \
                                                              aclOpExecutor **executor);            \
    ACLNN_FUNCTION_LINKAGE aclnnStatus name(void *workspace, uint64_t workspaceSize,                \
                                            aclOpExecutor *executor, aclrtStream stream);

/*
 * Declares aclnnXxxGetMaxWorkspaceSize beside aclnnXxxGetWorkspaceSize: the same, with the same arguments and
 * codes, executor included. What workspaceSize gets is enough for all calls that differ from this one in the
 * numbers of their arrays alone (lengths, say), so that one workspace serves them.
 */
#define ACLNN_MAX_WORKSPACE(name) \
    ACLNN_FUNCTION_LINKAGE __typeof__(name##GetWorkspaceSize) name##GetMaxWorkspaceSize;

#endif
