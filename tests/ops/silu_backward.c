/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSiluBackward: its contract, call by call. What every operator must do is in contract_rows.c.
 */
#include "aclnnop/aclnn_silu_backward.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, self, gradInput */
static const struct call calls[] = {
    /* Broadcast and mixed dtypes: Ascend950 alone. */
    {"gradOutput broadcasts", {"f32[1]", "f32[4]", "f32[4]"}, .products = "c"},
    {"gradOutput broadcasts: other products refuse it",
     {"f32[1]", "f32[4]", "f32[4]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"self broadcasts over rows", {"f16[3,4]", "f16[4]", "f16[3,4]"}, .products = "c"},
    {"self broadcasts over rows: other products refuse it",
     {"f16[3,4]", "f16[4]", "f16[3,4]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"both broadcast", {"f32[3,1]", "f32[1,4]", "f32[3,4]"}, .products = "c"},
    {"both broadcast: other products refuse it",
     {"f32[3,1]", "f32[1,4]", "f32[3,4]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"a scalar of rank 0", {"f32[]", "f32[2,3]", "f32[2,3]"}, .products = "c"},
    {"a scalar of rank 0: other products refuse it",
     {"f32[]", "f32[2,3]", "f32[2,3]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"an outer product of rank 8",
     {"f32[2,1,2,1,2,1,2,1]", "f32[1,3,1,2,1,2,1,2]", "f32[2,3,2,2,2,2,2,2]"},
     .products = "c"},
    {"an outer product of rank 8: other products refuse it",
     {"f32[2,1,2,1,2,1,2,1]", "f32[1,3,1,2,1,2,1,2]", "f32[2,3,2,2,2,2,2,2]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"0 with 1 gives 0", {"f32[0]", "f32[1]", "f32[0]"}, .products = "c"},
    {"0 with 1 gives 0: other products refuse it",
     {"f32[0]", "f32[1]", "f32[0]"},
     .products = "ab",
     .status = INVALID,
     .message = "shape"},
    {"f16 with f32 gives FLOAT", {"f16[19]", "f32[19]", "f32[19]"}, .products = "c"},
    {"f16 with f32: others refuse it",
     {"f16[19]", "f32[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"f32 with f16 gives FLOAT", {"f32[19]", "f16[19]", "f32[19]"}, .products = "c"},
    {"f32 with f16: others refuse it",
     {"f32[19]", "f16[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"bf16 with f32 gives FLOAT", {"bf16[19]", "f32[19]", "f32[19]"}, .products = "c"},
    {"bf16 with f32: others refuse it",
     {"bf16[19]", "f32[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"f32 with bf16 gives FLOAT", {"f32[19]", "bf16[19]", "f32[19]"}, .products = "c"},
    {"f32 with bf16: others refuse it",
     {"f32[19]", "bf16[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"f16 with bf16 gives FLOAT", {"f16[19]", "bf16[19]", "f32[19]"}, .products = "c"},
    {"f16 with bf16: others refuse it",
     {"f16[19]", "bf16[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"bf16 with f16 gives FLOAT", {"bf16[19]", "f16[19]", "f32[19]"}, .products = "c"},
    {"bf16 with f16: others refuse it",
     {"bf16[19]", "f16[19]", "f32[19]"},
     .products = "ab",
     .status = INVALID,
     .message = "aclnnSiluBackward"},
    {"mixed dtypes and broadcast together", {"f16[5,1]", "f32[4]", "f32[5,4]{1,5}"}, .products = "c"},
    {"mixed dtypes into FLOAT16",
     {"f16[4]", "f32[4]", "f16[4]"},
     .products = "c",
     .status = INVALID,
     .message = "gradInput"},
    {"mixed dtypes into BFLOAT16",
     {"bf16[4]", "f32[4]", "bf16[4]"},
     .products = "c",
     .status = INVALID,
     .message = "gradInput"},
    {"equal dtypes into FLOAT", {"f16[4]", "f16[4]", "f32[4]"}, .status = INVALID, .message = "gradInput"},
    {"gradInput must have the broadcast shape",
     {"f32[3,1]", "f32[1,4]", "f32[3,1]"},
     .products = "c",
     .status = INVALID,
     .message = "gradInput|shape"},
    {"gradInput larger than the broadcast shape",
     {"f32[4]", "f32[4]", "f32[2,4]"},
     .status = INVALID,
     .message = "gradInput|shape"},
    {"0 with 2 does not broadcast", {"f32[0]", "f32[2]", "f32[0]"}, .status = INVALID, .message = "shape"},

    /* Dtypes. */
    {"self f64", {"f32[4]", "f64[4]", "f32[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"gradOutput DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"all wrong: gradOutput is named",
     {"i8[4]", "i16[4]", "u8[4]"},
     .status = INVALID,
     .message = "gradOutput|INT8"},
    {"gradInput FLOAT16 for FLOAT",
     {"f32[4]", "f32[4]", "f16[4]"},
     .status = INVALID,
     .message = "gradInput"},

    /* Rank and shape. */
    {"rank 9 in gradInput alone",
     {"f32[2]", "f32[2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "gradInput|9 dims"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnSiluBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size, executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_silu_backward(result, input[0], input[1]);
}

int main(void)
{
    static const struct operator_under_test silu_backward = {
        .api = "aclnnSiluBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "self", "gradInput"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnSiluBackward,
        .reference = reference,
    };
    return contract_main(&silu_backward);
}
