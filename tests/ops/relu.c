/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnRelu and aclnnInplaceRelu: their contract, call by call.
 */
#include "aclnnop/aclnn_relu.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    {"I8", {"i8[301]", "i8[301]"}},
    {"I32", {"i32[301]", "i32[301]"}},
    {"I64", {"i64[301]", "i64[301]"}},
    {"U8", {"u8[301]", "u8[301]"}},
    {"i8, transposed", {"i8[7,9]{1,7}", "i8[7,9]"}},
    {"i32, transposed", {"i32[7,9]{1,7}", "i32[7,9]"}},
    {"i64, transposed", {"i64[7,9]{1,7}", "i64[7,9]"}},
    {"u8, transposed", {"u8[7,9]{1,7}", "u8[7,9]"}},
    {"i8, strided out", {"i8[7,9]", "i8[7,9]{30,3}+2"}},
    {"i32, strided out", {"i32[7,9]", "i32[7,9]{30,3}+2"}},
    {"i64, strided out", {"i64[7,9]", "i64[7,9]{30,3}+2"}},
    {"u8, strided out", {"u8[7,9]", "u8[7,9]{30,3}+2"}},
    /* What others accept. */
    {"DOUBLE is refused", {"f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"INT16 is refused", {"i16[4]", "i16[4]"}, .status = INVALID, .message = "self|INT16"},
    {"BOOL is refused", {"bool[4]", "bool[4]"}, .status = INVALID, .message = "self|BOOL"},
    {"out of another dtype", {"f32[4]", "f16[4]"}, .status = INVALID, .message = "out|FLOAT16"},
    {"out of another dtype, integers", {"i32[4]", "i64[4]"}, .status = INVALID, .message = "out|INT64"},
    {"the dtype of self comes before that of out",
     {"i16[4]", "f16[4]"},
     .status = INVALID,
     .message = "self|INT16"},
    {"a rank of self comes before one of out",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "self|9 dims"},
    {"many elements", {"f16[70003]", "f16[70003]"}},
    {"many integers", {"i8[70003]", "i8[70003]"}},
    {"empty integers", {"i64[0,3]", "i64[0,3]"}},
};

/* selfRef */
static const struct call calls_in_place[] = {
    {"I8", {"i8[301]"}},
    {"I32", {"i32[301]"}},
    {"I64", {"i64[301]"}},
    {"U8", {"u8[301]"}},
    {"u8 with gaps", {"u8[9,5]{16,2}"}},
    {"i32 with gaps", {"i32[9,5]{16,2}"}},
    {"DOUBLE is refused", {"f64[4]"}, .status = INVALID, .message = "selfRef|DOUBLE"},
    {"INT16 is refused", {"i16[4]"}, .status = INVALID, .message = "selfRef|INT16"},
    {"the dtype comes before the rank",
     {"i16[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "selfRef|INT16"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnReluGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceReluGetWorkspaceSize(operand[0], workspace_size, executor);
}

/* Integers by their own comparison: MPFR has none of 64 bits. */
static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    if (reference_is_float(output_dtype)) {
        reference_activation(ACTIVATION_RELU, input, input_dtype, output_dtype, 0, output, output_dtype);
        return;
    }
    int64_t value;
    conversion_reference(input[0], input_dtype[0], &value, ACL_INT64);
    value = value > 0 ? value : 0;
    conversion_reference(&value, ACL_INT64, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test forward = {
        .api = "aclnnRelu",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT32 | UINT64_C(1) << ACL_INT64 |
                    UINT64_C(1) << ACL_UINT8,
        .phase_1 = phase_1,
        .phase_2 = aclnnRelu,
        .element = element,
    };
    static const struct operator_under_test in_place = {
        .api = "aclnnInplaceRelu",
        .operand_count = 1,
        .is_in_place = true,
        .operand_names = {"selfRef"},
        .calls = calls_in_place,
        .call_count = COUNT(calls_in_place),
        .accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT32 | UINT64_C(1) << ACL_INT64 |
                    UINT64_C(1) << ACL_UINT8,
        .phase_1 = phase_1_in_place,
        .phase_2 = aclnnInplaceRelu,
        .element = element,
    };
    int failed = contract_main(&forward);
    return contract_main(&in_place) + failed;
}
