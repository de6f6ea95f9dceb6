/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSigmoidBackward: its contract, call by call.
 */
#include "aclnnop/aclnn_sigmoid_backward.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, output, gradInput */
static const struct call calls[] = {
    {"f32 and f32 to f32", {"f32[131]", "f32[131]", "f32[131]"}},
    {"f32 and f16 to f32", {"f32[131]", "f16[131]", "f32[131]"}},
    {"f32 and f64 to f64", {"f32[131]", "f64[131]", "f64[131]"}},
    {"f32 and c64 to c64", {"f32[131]", "c64[131]", "c64[131]"}},
    {"f32 and c128 to c128", {"f32[131]", "c128[131]", "c128[131]"}},
    {"f16 and f32 to f32", {"f16[131]", "f32[131]", "f32[131]"}},
    {"f16 and f16 to f16", {"f16[131]", "f16[131]", "f16[131]"}},
    {"f16 and f64 to f64", {"f16[131]", "f64[131]", "f64[131]"}},
    {"f16 and c64 to c64", {"f16[131]", "c64[131]", "c64[131]"}},
    {"f16 and c128 to c128", {"f16[131]", "c128[131]", "c128[131]"}},
    {"f64 and f32 to f64", {"f64[131]", "f32[131]", "f64[131]"}},
    {"f64 and f16 to f64", {"f64[131]", "f16[131]", "f64[131]"}},
    {"f64 and f64 to f64", {"f64[131]", "f64[131]", "f64[131]"}},
    {"f64 and c64 to c128", {"f64[131]", "c64[131]", "c128[131]"}},
    {"f64 and c128 to c128", {"f64[131]", "c128[131]", "c128[131]"}},
    {"c64 and f32 to c64", {"c64[131]", "f32[131]", "c64[131]"}},
    {"c64 and f16 to c64", {"c64[131]", "f16[131]", "c64[131]"}},
    {"c64 and f64 to c128", {"c64[131]", "f64[131]", "c128[131]"}},
    {"c64 and c64 to c64", {"c64[131]", "c64[131]", "c64[131]"}},
    {"c64 and c128 to c128", {"c64[131]", "c128[131]", "c128[131]"}},
    {"c128 and f32 to c128", {"c128[131]", "f32[131]", "c128[131]"}},
    {"c128 and f16 to c128", {"c128[131]", "f16[131]", "c128[131]"}},
    {"c128 and f64 to c128", {"c128[131]", "f64[131]", "c128[131]"}},
    {"c128 and c64 to c128", {"c128[131]", "c64[131]", "c128[131]"}},
    {"c128 and c128 to c128", {"c128[131]", "c128[131]", "c128[131]"}},
    {"bf16 and bf16", {"bf16[131]", "bf16[131]", "bf16[131]"}, .products = "bc"},
    {"bf16 and f16", {"bf16[131]", "f16[131]", "f32[131]"}, .products = "bc"},
    {"bf16 and f32", {"bf16[131]", "f32[131]", "f32[131]"}, .products = "bc"},
    {"bf16 and f64", {"bf16[131]", "f64[131]", "f64[131]"}, .products = "bc"},
    {"bf16 and c64", {"bf16[131]", "c64[131]", "c64[131]"}, .products = "bc"},
    {"bf16 and c128", {"bf16[131]", "c128[131]", "c128[131]"}, .products = "bc"},
    {"FLOAT to FLOAT16", {"f32[131]", "f32[131]", "f16[131]"}},
    {"DOUBLE to FLOAT", {"f64[131]", "f64[131]", "f32[131]"}},
    {"FLOAT16 to COMPLEX64", {"f16[31]", "f16[31]", "c64[31]"}},
    {"COMPLEX128 to COMPLEX64", {"c128[31]", "c128[31]", "c64[31]"}},
    {"BFLOAT16 and FLOAT16 to BFLOAT16", {"bf16[131]", "f16[131]", "bf16[131]"}, .products = "bc"},
    {"DOUBLE, many", {"f64[5003]", "f64[5003]", "f64[5003]"}},
    {"COMPLEX64, many", {"c64[2003]", "c64[2003]", "c64[2003]"}},
    {"DOUBLE of one size, many", {"f64[5003]!benign", "f64[5003]!benign", "f64[5003]"}},
    {"a complex result for a real gradInput",
     {"c64[4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "gradInput|FLOAT"},
    {"a complex result for a real gradInput of DOUBLE",
     {"f32[4]", "c128[4]", "f64[4]"},
     .status = INVALID,
     .message = "gradInput|DOUBLE"},
    {"gradInput of INT32", {"f32[4]", "f32[4]", "i32[4]"}, .status = INVALID, .message = "gradInput|INT32"},
    {"a rank comes before a complex result",
     {"c64[1,1,1,1,1,1,1,1,2]", "f32[2]", "f32[2]"},
     .status = INVALID,
     .message = "gradOutput|9 dims"},
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
    return aclnnSigmoidBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    aclDataType arithmetic = reference_promote(input_dtype[0], input_dtype[1]);
    reference_activation(ACTIVATION_SIGMOID_BACKWARD, input, input_dtype, arithmetic, 0, output,
                         output_dtype);
}

int main(void)
{
    static const struct operator_under_test backward = {
        .api = "aclnnSigmoidBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "output", "gradInput"},
        .calls = calls,
        .call_count = COUNT(calls),
        .accepted = UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .phase_1 = phase_1,
        .phase_2 = aclnnSigmoidBackward,
        .element = element,
    };
    return contract_main(&backward);
}
