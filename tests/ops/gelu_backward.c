/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGeluBackward: its contract, call by call.
 */
#include "aclnnop/aclnn_gelu_backward.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, self, gradInput */
static const struct call calls[] = {
    {"f32 and f32 to f32", {"f32[131]", "f32[131]", "f32[131]"}},
    {"f32 and f32 to f16", {"f32[131]", "f32[131]", "f16[131]"}},
    {"f32 and f16 to f32", {"f32[131]", "f16[131]", "f32[131]"}},
    {"f32 and f16 to f16", {"f32[131]", "f16[131]", "f16[131]"}},
    {"f16 and f32 to f32", {"f16[131]", "f32[131]", "f32[131]"}},
    {"f16 and f32 to f16", {"f16[131]", "f32[131]", "f16[131]"}},
    {"f16 and f16 to f32", {"f16[131]", "f16[131]", "f32[131]"}},
    {"f16 and f16 to f16", {"f16[131]", "f16[131]", "f16[131]"}},
    {"bf16 and bf16 to bf16", {"bf16[131]", "bf16[131]", "bf16[131]"}, .products = "bc"},
    {"bf16 and f16 to f32", {"bf16[131]", "f16[131]", "f32[131]"}, .products = "bc"},
    {"bf16 and f16 to bf16", {"bf16[131]", "f16[131]", "bf16[131]"}, .products = "bc"},
    {"f32 and bf16 to f16", {"f32[131]", "bf16[131]", "f16[131]"}, .products = "bc"},
    {"f16 and bf16 to f16", {"f16[131]", "bf16[131]", "f16[131]"}, .products = "bc"},
    {"many elements", {"f32[5003]", "f32[5003]", "f32[5003]"}},
    {"DOUBLE is refused", {"f64[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"an integer beside a float",
     {"i32[4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradOutput|INT32"},
    {"gradInput of DOUBLE", {"f32[4]", "f32[4]", "f64[4]"}, .status = INVALID, .message = "gradInput|DOUBLE"},
    {"the second broadcasts", {"f32[4,5]", "f32[5]", "f32[4,5]"}},
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
    return aclnnGeluBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    aclDataType arithmetic = reference_promote(input_dtype[0], input_dtype[1]);
    reference_activation(ACTIVATION_GELU_BACKWARD, input, input_dtype, arithmetic, 0, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test backward = {
        .api = "aclnnGeluBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "self", "gradInput"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnGeluBackward,
        .element = element,
    };
    return contract_main(&backward);
}
