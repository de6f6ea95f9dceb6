/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnHardswish and aclnnInplaceHardswish: their contract, call by call.
 */
#include "aclnnop/aclnn_hardswish.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    /* Ranks over 8. */
    {"rank 9", {"f32[1,1,1,1,1,1,1,2,3]", "f32[1,1,1,1,1,1,1,2,3]"}},
    {"rank 25",
     {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]"}},
    {"rank 25, of which nothing can be merged",
     {"f32[2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,1]{1,7,2,7,4,7,8,7,16,7,32,7,64,7,128,7,256,7,512,"
      "7,1024,7,2048,7,1}",
      "f32[2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,2,1,1]"}},
    {"rank 12 in another order for each operand",
     {"f16[2,2,2,2,2,2,2,2,2,2,2,3]{1,2,4,8,16,32,64,128,256,512,1024,2048}",
      "f16[2,2,2,2,2,2,2,2,2,2,2,3]{3,6,12,24,48,96,192,384,768,1536,3072,1}"}},
    {"rank 9, written through strides",
     {"f32[2,1,2,1,2,1,2,1,3]", "f32[2,1,2,1,2,1,2,1,3]{96,1,48,1,24,1,9,1,2}"}},
    {"rank 9, shifted over its own memory", {"f32[2,2,2,2,2,2,2,2,2]+7", "f32[2,2,2,2,2,2,2,2,2]=0"}},
    {"the last of 25 dims differs",
     {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]",
      "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3]"},
     .status = INVALID,
     .message = "out|shape"},
    {"rank 9 is not rank 8",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "out|shape"},
    {"rank 10 with stride 0 in out",
     {"f32[2,2,1,1,1,1,1,1,1,2]", "f32[2,2,1,1,1,1,1,1,1,2]{4,2,1,1,1,1,1,1,1,0}"},
     .status = INVALID,
     .message = "out|overlap"},

    /* Other dtypes of out. */
    {"FLOAT to FLOAT16", {"f32[301]", "f16[301]"}},
    {"FLOAT16 to FLOAT", {"f16[301]", "f32[301]"}},
    {"FLOAT to BFLOAT16", {"f32[301]", "bf16[301]"}, .products = "bc"},
    {"BFLOAT16 to FLOAT16", {"bf16[301]", "f16[301]"}, .products = "bc"},
    {"FLOAT16 to BFLOAT16, transposed", {"f16[5,9]", "bf16[5,9]{1,5}"}, .products = "bc"},
    {"out COMPLEX64", {"f32[4]", "c64[4]"}, .status = INVALID, .message = "out|COMPLEX64"},
    {"out COMPLEX128", {"f32[4]", "c128[4]"}, .status = INVALID, .message = "out|COMPLEX128"},
    {"self DOUBLE", {"f64[4]", "f32[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"out DOUBLE", {"f32[4]", "f64[4]"}, .status = INVALID, .message = "out|DOUBLE"},
    {"both wrong: self is named", {"i8[4]", "i16[4]"}, .status = INVALID, .message = "self|INT8"},
};

/* self */
static const struct call calls_in_place[] = {
    {"many rows with gaps", {"f16[70,60]{64,1}"}},
    {"permuted rank 4", {"f32[2,3,4,5]{3,1,30,6}"}},
    {"rank 9", {"f32[1,1,1,1,1,1,1,2,3]"}},
    {"rank 12 with gaps", {"f32[2,2,2,2,2,2,2,2,2,1,2,3]{5120,2560,1280,640,320,160,80,40,20,1,9,2}"}},
    {"rank 25", {"f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]"}},
    {"strides 0", {"f32[4,3]{0,0}"}, .status = INVALID, .message = "overlap"},
    {"DOUBLE", {"f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnHardswishGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceHardswishGetWorkspaceSize(operand[0], workspace_size, executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)attributes, (void)count, (void)arithmetic;
    reference_hardswish(result, input[0]);
}

int main(void)
{
    static const struct operator_under_test hardswish = {
        .api = "aclnnHardswish",
        .operand_count = 2,
        .has_any_rank = true,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .phase_1 = phase_1,
        .phase_2 = aclnnHardswish,
        .reference = reference,
    };
    static const struct operator_under_test in_place = {
        .api = "aclnnInplaceHardswish",
        .operand_count = 1,
        .is_in_place = true,
        .has_any_rank = true,
        .operand_names = {"self"},
        .calls = calls_in_place,
        .call_count = COUNT(calls_in_place),
        .phase_1 = phase_1_in_place,
        .phase_2 = aclnnInplaceHardswish,
        .reference = reference,
    };
    int failed = contract_main(&hardswish);
    return contract_main(&in_place) + failed;
}
