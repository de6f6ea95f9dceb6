/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSub, aclnnSubs, aclnnInplaceSub and aclnnInplaceSubs: the phases; contract_sums.c has the calls.
 */
#include "aclnnop/aclnn_sub.h"

#include "ops/contract_arithmetic.h"

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnSubGetWorkspaceSize(operand[0], operand[1], attributes->alpha_handle, operand[2],
                                    workspace_size, executor);
}

static aclnnStatus phase_1_scalar(aclTensor *const *operand, const struct attributes *attributes,
                                  uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnSubsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                     operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceSubGetWorkspaceSize(operand[1], operand[0], attributes->alpha_handle, workspace_size,
                                           executor);
}

static aclnnStatus phase_1_scalar_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceSubsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                            workspace_size, executor);
}

int main(void)
{
    static const struct operator_under_test phases[ARITHMETIC_FORMS] = {
        [TENSORS] = {.api = "aclnnSub", .phase_1 = phase_1, .phase_2 = aclnnSub},
        [SCALAR] = {.api = "aclnnSubs", .phase_1 = phase_1_scalar, .phase_2 = aclnnSubs},
        [TENSORS_IN_PLACE] = {.api = "aclnnInplaceSub",
                              .phase_1 = phase_1_in_place,
                              .phase_2 = aclnnInplaceSub},
        [SCALAR_IN_PLACE] = {.api = "aclnnInplaceSubs",
                             .phase_1 = phase_1_scalar_in_place,
                             .phase_2 = aclnnInplaceSubs},
    };
    return arithmetic_main(ARITHMETIC_SUB, phases, sum_rows);
}
