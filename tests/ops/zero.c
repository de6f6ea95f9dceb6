/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceZero, and the dtypes that it alone accepts.
 */
#include "aclnnop/aclnn_zero.h"

#include "ops/contract_constant.h"

static const struct call calls[] = {
    {"UINT16", {"u16[1001]"}},
    {"COMPLEX64", {"c64[1001]"}},
    {"COMPLEX128, turned", {"c128[11,13]{1,11}"}},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceZeroGetWorkspaceSize(operand[0], workspace_size, executor);
}

int main(void)
{
    return contract_constant_main(
        (struct operator_under_test){
            .api = "aclnnInplaceZero",
            .calls = calls,
            .call_count = (int)(sizeof calls / sizeof calls[0]),
            .accepted =
                UINT64_C(1) << ACL_UINT16 | UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
            .phase_1 = phase_1,
            .phase_2 = aclnnInplaceZero,
        },
        0);
}
