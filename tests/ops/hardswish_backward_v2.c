/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnHardswishBackwardV2: its contract, call by call.
 */
#include "aclnnop/aclnn_hardswish_backward_v2.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, self, out */
static const struct call calls[] = {
    {"the ends", {"f32[301]", "f32[301]", "f32[301]"}},
    {"empty is looked at after the shapes",
     {"f32[0]", "f32[0,1]", "f32[0,1]"},
     .status = INVALID,
     .message = "shape"},
    {"self DOUBLE", {"f64[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "DOUBLE"},
    {"gradOutput DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"both wrong", {"i8[4]", "i16[4]", "f32[4]"}, .status = INVALID, .message = "self|INT16"},
    {"gradOutput f16, self f32", {"f16[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput"},
    {"gradOutput f32, self f16", {"f32[4]", "f16[4]", "f16[4]"}, .status = INVALID, .message = "gradOutput"},
    {"gradOutput f16, self bf16",
     {"f16[4]", "bf16[4]", "bf16[4]"},
     .status = INVALID,
     .message = "gradOutput",
     .products = "bc"},
    {"out FLOAT for FLOAT16", {"f16[4]", "f16[4]", "f32[4]"}, .status = INVALID, .message = "out"},
    {"out FLOAT16 for FLOAT", {"f32[4]", "f32[4]", "f16[4]"}, .status = INVALID, .message = "out"},
    {"out DOUBLE", {"f32[4]", "f32[4]", "f64[4]"}, .status = INVALID, .message = "out"},
    {"out COMPLEX64", {"f32[4]", "f32[4]", "c64[4]"}, .status = INVALID, .message = "out"},
    {"a dtype comes before a shape", {"f32[4]", "f32[5]", "f16[4]"}, .status = INVALID, .message = "out"},
    {"gradOutput of another shape", {"f32[5]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"no broadcast", {"f32[1]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"no broadcast of self", {"f32[4]", "f32[1]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"another rank with a leading 1",
     {"f32[1,4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "shape"},
    {"rank 0 is not rank 1", {"f32[]", "f32[1]", "f32[1]"}, .status = INVALID, .message = "shape"},
    {"both shapes wrong: gradOutput is named",
     {"f32[5]", "f32[4]", "f32[6]"},
     .status = INVALID,
     .message = "gradOutput|shape"},
};

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
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnHardswishBackwardV2,
        .reference = reference,
    };
    return contract_main(&hardswish_backward_v2);
}
