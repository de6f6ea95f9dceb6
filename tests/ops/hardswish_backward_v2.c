/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnHardswishBackwardV2: its contract, call by call.
 */
#include "aclnnop/aclnn_hardswish_backward_v2.h"

#include "ops/hardswish_backward_calls.h"
#include "support/reference.h"

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnHardswishBackwardV2GetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size,
                                                    executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_hardswish_backward_v2(result, input[0], input[1]);
}

int main(void)
{
    static const struct operator_under_test hardswish_backward_v2 = {
        .api = "aclnnHardswishBackwardV2",
        .operand_count = 3,
        .operand_names = {"gradOutput", "self", "out"},
        .calls = hardswish_backward_calls,
        .call_count = HARDSWISH_BACKWARD_CALLS,
        .phase_1 = phase_1,
        .phase_2 = aclnnHardswishBackwardV2,
        .reference = reference,
    };
    return contract_main(&hardswish_backward_v2);
}
