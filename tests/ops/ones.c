/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceOne.
 */
#include "aclnnop/aclnn_ones.h"

#include "ops/contract_constant.h"

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceOneGetWorkspaceSize(operand[0], workspace_size, executor);
}

static const struct call calls[] = {{"UINT16", {"u16[1001]+1"}}};

int main(void)
{
    return contract_constant_main((struct operator_under_test){.api = "aclnnInplaceOne",
                                                               .calls = calls,
                                                               .call_count = 1,
                                                               .accepted = UINT64_C(1) << ACL_UINT16,
                                                               .phase_1 = phase_1,
                                                               .phase_2 = aclnnInplaceOne},
                                  1);
}
