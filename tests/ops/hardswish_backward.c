/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnHardswishBackward: its contract, call by call. What every operator must do is in contract_rows.c.
 */
#include "aclnnop/aclnn_hardswish_backward.h"

#include "ops/hardswish_backward_calls.h"
#include "support/reference.h"

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnHardswishBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size,
                                                  executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_hardswish_backward(result, input[0], input[1]);
}

int main(void)
{
    static const struct operator_under_test hardswish_backward = {
        .api = "aclnnHardswishBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "self", "out"},
        .calls = hardswish_backward_calls,
        .call_count = HARDSWISH_BACKWARD_CALLS,
        .phase_1 = phase_1,
        .phase_2 = aclnnHardswishBackward,
        .reference = reference,
    };
    return contract_main(&hardswish_backward);
}
