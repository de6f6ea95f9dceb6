/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnAdd, aclnnAdds, aclnnInplaceAdd and aclnnInplaceAdds: the phases; contract_sums.c has the calls.
 */
#include "aclnnop/aclnn_add.h"

#include "ops/contract_arithmetic.h"

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnAddGetWorkspaceSize(operand[0], operand[1], attributes->alpha_handle, operand[2],
                                    workspace_size, executor);
}

static aclnnStatus phase_1_scalar(aclTensor *const *operand, const struct attributes *attributes,
                                  uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnAddsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                     operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceAddGetWorkspaceSize(operand[1], operand[0], attributes->alpha_handle, workspace_size,
                                           executor);
}

static aclnnStatus phase_1_scalar_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceAddsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                            workspace_size, executor);
}

int main(void)
{
    static const struct operator_under_test phases[ARITHMETIC_FORMS] = {
        [TENSORS] = {.api = "aclnnAdd", .phase_1 = phase_1, .phase_2 = aclnnAdd},
        [SCALAR] = {.api = "aclnnAdds", .phase_1 = phase_1_scalar, .phase_2 = aclnnAdds},
        [TENSORS_IN_PLACE] = {.api = "aclnnInplaceAdd",
                              .phase_1 = phase_1_in_place,
                              .phase_2 = aclnnInplaceAdd},
        [SCALAR_IN_PLACE] = {.api = "aclnnInplaceAdds",
                             .phase_1 = phase_1_scalar_in_place,
                             .phase_2 = aclnnInplaceAdds},
    };
    return arithmetic_main(ARITHMETIC_ADD, phases, sum_rows);
}
