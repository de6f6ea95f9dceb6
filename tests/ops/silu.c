/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSilu: its contract, call by call.
 */
#include "aclnnop/aclnn_silu.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    {"rank 9", {"f32[1,1,1,1,1,1,1,2,3]", "f32[1,1,1,1,1,1,1,2,3]"}},
    {"rank 25",
     {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]"}},
    {"rank 25, of which nothing can be merged",
     {"f32[2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,1]{1,7,2,7,4,7,8,7,16,7,32,7,64,7,128,7,256,7,512,"
      "7,1024,7,2048,7,1}",
      "f32[2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,1]"}},
    {"the last of 25 dims differs",
     {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3]"},
     .status = INVALID,
     .message = "out|shape"},
    {"rank 9 is not rank 8",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "out|shape"},
    {"self DOUBLE", {"f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"out DOUBLE", {"f32[4]", "f64[4]"}, .status = INVALID, .message = "out|DOUBLE"},
    {"out COMPLEX64", {"f32[4]", "c64[4]"}, .status = INVALID, .message = "out|COMPLEX64"},
    {"out FLOAT for FLOAT16", {"f16[4]", "f32[4]"}, .status = INVALID, .message = "out"},
    {"out FLOAT16 for FLOAT", {"f32[4]", "f16[4]"}, .status = INVALID, .message = "out"},
    {"out BFLOAT16 for FLOAT16",
     {"f16[4]", "bf16[4]"},
     .products = "bc",
     .status = INVALID,
     .message = "out"},
    {"both wrong: self is named", {"i8[4]", "i16[4]"}, .status = INVALID, .message = "self|INT8"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnSiluGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_silu(result, input[0]);
}

int main(void)
{
    static const struct operator_under_test silu = {
        .api = "aclnnSilu",
        .operand_count = 2,
        .has_any_rank = true,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnSilu,
        .reference = reference,
    };
    return contract_main(&silu);
}
