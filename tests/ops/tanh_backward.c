/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnTanhBackward: its contract, call by call.
 */
#include "aclnnop/aclnn_tanh_backward.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, output, gradInput */
static const struct call calls[] = {
    {"DOUBLE", {"f64[1021]", "f64[1021]", "f64[1021]"}},
    {"DOUBLE, of one size", {"f64[1021]!benign", "f64[1021]!benign", "f64[1021]"}},
    {"many elements", {"f32[5003]", "f32[5003]", "f32[5003]"}},
    {"output of another dtype",
     {"f32[4]", "f16[4]", "f32[4]"},
     .status = INVALID,
     .message = "output|FLOAT16"},
    {"gradInput of another dtype",
     {"f32[4]", "f32[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradInput|FLOAT16"},
    {"gradInput of COMPLEX64",
     {"f32[4]", "f32[4]", "c64[4]"},
     .status = INVALID,
     .message = "gradInput|COMPLEX64"},
    {"differing dtypes come before a rank",
     {"f32[1,1,1,1,1,1,1,1,2]", "f16[2]", "f32[2]"},
     .status = INVALID,
     .message = "output|FLOAT16"},
    {"the second broadcasts", {"f64[4,5]", "f64[5]", "f64[4,5]"}},
    {"the first broadcasts", {"f16[4,1]", "f16[4,5]", "f16[4,5]"}},
    {"both broadcast", {"f32[4,1]", "f32[1,5]", "f32[4,5]"}},
    {"one element for all", {"f32[]", "f32[3,5]", "f32[3,5]"}},
    {"they do not fit", {"f32[4,3]", "f32[4]", "f32[4,3]"}, .status = INVALID, .message = "shape"},
    {"gradInput is not what they broadcast to",
     {"f32[4,1]", "f32[1,5]", "f32[5,4]"},
     .status = INVALID,
     .message = "gradInput|shape"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnTanhBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    aclDataType arithmetic = reference_promote(input_dtype[0], input_dtype[1]);
    reference_activation(ACTIVATION_TANH_BACKWARD, input, input_dtype, arithmetic, 0, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test backward = {
        .api = "aclnnTanhBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "output", "gradInput"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnTanhBackward,
        .element = element,
    };
    return contract_main(&backward);
}
