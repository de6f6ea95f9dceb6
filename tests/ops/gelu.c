/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGelu: its contract, call by call.
 */
#include "aclnnop/aclnn_gelu.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    {"out of another dtype", {"f32[4]", "f16[4]"}, .status = INVALID, .message = "out|FLOAT16"},
    {"DOUBLE is refused", {"f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"the dtype of self comes before that of out",
     {"f64[4]", "i8[4]"},
     .status = INVALID,
     .message = "self|DOUBLE"},
    {"many elements", {"f32[5003]", "f32[5003]"}},
    {"a rank of self comes before the shapes",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[2]"},
     .status = INVALID,
     .message = "self|9 dims"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnGeluGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    reference_activation(ACTIVATION_GELU, input, input_dtype, input_dtype[0], 0, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test forward = {
        .api = "aclnnGelu",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnGelu,
        .element = element,
    };
    return contract_main(&forward);
}
