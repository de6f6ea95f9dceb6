/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSigmoid and aclnnInplaceSigmoid: their contract, call by call.
 */
#include "aclnnop/aclnn_sigmoid.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    {"f32 to f32", {"f32[131]", "f32[131]"}},
    {"f32 to f16", {"f32[131]", "f16[131]"}},
    {"f32 to f64", {"f32[131]", "f64[131]"}},
    {"f32 to c64", {"f32[131]", "c64[131]"}},
    {"f32 to c128", {"f32[131]", "c128[131]"}},
    {"f16 to f32", {"f16[131]", "f32[131]"}},
    {"f16 to f16", {"f16[131]", "f16[131]"}},
    {"f16 to f64", {"f16[131]", "f64[131]"}},
    {"f16 to c64", {"f16[131]", "c64[131]"}},
    {"f16 to c128", {"f16[131]", "c128[131]"}},
    {"f64 to f32", {"f64[131]", "f32[131]"}},
    {"f64 to f16", {"f64[131]", "f16[131]"}},
    {"f64 to f64", {"f64[131]", "f64[131]"}},
    {"f64 to c64", {"f64[131]", "c64[131]"}},
    {"f64 to c128", {"f64[131]", "c128[131]"}},
    {"c64 to f32", {"c64[131]", "f32[131]"}},
    {"c64 to f16", {"c64[131]", "f16[131]"}},
    {"c64 to f64", {"c64[131]", "f64[131]"}},
    {"c64 to c64", {"c64[131]", "c64[131]"}},
    {"c64 to c128", {"c64[131]", "c128[131]"}},
    {"c128 to f32", {"c128[131]", "f32[131]"}},
    {"c128 to f16", {"c128[131]", "f16[131]"}},
    {"c128 to f64", {"c128[131]", "f64[131]"}},
    {"c128 to c64", {"c128[131]", "c64[131]"}},
    {"c128 to c128", {"c128[131]", "c128[131]"}},
    {"i8 to f32", {"i8[131]", "f32[131]"}},
    {"i8 to f16", {"i8[131]", "f16[131]"}},
    {"i8 to f64", {"i8[131]", "f64[131]"}},
    {"i8 to c64", {"i8[131]", "c64[131]"}},
    {"i8 to c128", {"i8[131]", "c128[131]"}},
    {"i16 to f32", {"i16[131]", "f32[131]"}},
    {"i16 to f16", {"i16[131]", "f16[131]"}},
    {"i16 to f64", {"i16[131]", "f64[131]"}},
    {"i16 to c64", {"i16[131]", "c64[131]"}},
    {"i16 to c128", {"i16[131]", "c128[131]"}},
    {"i32 to f32", {"i32[131]", "f32[131]"}},
    {"i32 to f16", {"i32[131]", "f16[131]"}},
    {"i32 to f64", {"i32[131]", "f64[131]"}},
    {"i32 to c64", {"i32[131]", "c64[131]"}},
    {"i32 to c128", {"i32[131]", "c128[131]"}},
    {"i64 to f32", {"i64[131]", "f32[131]"}},
    {"i64 to f16", {"i64[131]", "f16[131]"}},
    {"i64 to f64", {"i64[131]", "f64[131]"}},
    {"i64 to c64", {"i64[131]", "c64[131]"}},
    {"i64 to c128", {"i64[131]", "c128[131]"}},
    {"u8 to f32", {"u8[131]", "f32[131]"}},
    {"u8 to f16", {"u8[131]", "f16[131]"}},
    {"u8 to f64", {"u8[131]", "f64[131]"}},
    {"u8 to c64", {"u8[131]", "c64[131]"}},
    {"u8 to c128", {"u8[131]", "c128[131]"}},
    {"bool to f32", {"bool[131]", "f32[131]"}},
    {"bool to f16", {"bool[131]", "f16[131]"}},
    {"bool to f64", {"bool[131]", "f64[131]"}},
    {"bool to c64", {"bool[131]", "c64[131]"}},
    {"bool to c128", {"bool[131]", "c128[131]"}},
    {"bf16 to f32", {"bf16[131]", "f32[131]"}, .products = "bc"},
    {"bf16 to f16", {"bf16[131]", "f16[131]"}, .products = "bc"},
    {"bf16 to f64", {"bf16[131]", "f64[131]"}, .products = "bc"},
    {"bf16 to c64", {"bf16[131]", "c64[131]"}, .products = "bc"},
    {"bf16 to c128", {"bf16[131]", "c128[131]"}, .products = "bc"},
    {"bf16 to bf16", {"bf16[131]", "bf16[131]"}, .products = "bc"},
    {"f32 to bf16", {"f32[131]", "bf16[131]"}, .products = "bc"},
    {"f16 to bf16", {"f16[131]", "bf16[131]"}, .products = "bc"},
    {"f64 to bf16", {"f64[131]", "bf16[131]"}, .products = "bc"},
    {"c64 to bf16", {"c64[131]", "bf16[131]"}, .products = "bc"},
    {"c128 to bf16", {"c128[131]", "bf16[131]"}, .products = "bc"},
    {"i32 to bf16", {"i32[131]", "bf16[131]"}, .products = "bc"},
    {"bool to bf16", {"bool[131]", "bf16[131]"}, .products = "bc"},
    {"COMPLEX128 transposed", {"c128[5,7]{1,5}", "c128[5,7]"}},
    {"COMPLEX64 strided", {"c64[5,7]{16,2}", "c64[5,7]{1,5}"}},
    {"many elements, DOUBLE", {"f64[3001]", "f64[3001]"}},
    {"many elements, COMPLEX64", {"c64[1501]", "c64[1501]"}},
    {"many elements, COMPLEX128", {"c128[1501]", "c128[1501]"}},
    {"BFLOAT16 as out on the oldest product",
     {"f32[4]", "bf16[4]"},
     .products = "a",
     .status = INVALID,
     .message = "out|BFLOAT16"},
    {"UINT16 is refused", {"u16[4]", "f32[4]"}, .status = INVALID, .message = "self|UINT16"},
    {"out of INT32 is refused", {"i32[4]", "i32[4]"}, .status = INVALID, .message = "out|INT32"},
    {"out of BOOL is refused", {"f32[4]", "bool[4]"}, .status = INVALID, .message = "out|BOOL"},
    {"out of INT8 is refused", {"i8[4]", "i8[4]"}, .status = INVALID, .message = "out|INT8"},
    {"the dtype of self comes before that of out",
     {"u32[4]", "i8[4]"},
     .status = INVALID,
     .message = "self|UINT32"},
    {"the dtype of out comes before the shapes",
     {"f32[4]", "i8[5]"},
     .status = INVALID,
     .message = "out|INT8"},
    {"rank 9 in both",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "self|9 dims"},
};

/* selfRef */
static const struct call calls_in_place[] = {
    {"f64", {"f64[301]"}},
    {"c64", {"c64[301]"}},
    {"c128", {"c128[301]"}},
    {"c64 with gaps", {"c64[9,5]{16,2}"}},
    {"INT8 is refused", {"i8[4]"}, .status = INVALID, .message = "selfRef|INT8"},
    {"INT32 is refused", {"i32[4]"}, .status = INVALID, .message = "selfRef|INT32"},
    {"UINT8 is refused", {"u8[4]"}, .status = INVALID, .message = "selfRef|UINT8"},
    {"BOOL is refused", {"bool[4]"}, .status = INVALID, .message = "selfRef|BOOL"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnSigmoidGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceSigmoidGetWorkspaceSize(operand[0], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    aclDataType arithmetic = reference_is_float(input_dtype[0]) ? input_dtype[0] : output_dtype;
    reference_activation(ACTIVATION_SIGMOID, input, input_dtype, arithmetic, 0, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test forward = {
        .api = "aclnnSigmoid",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT16 | UINT64_C(1) << ACL_INT32 |
                    UINT64_C(1) << ACL_INT64 | UINT64_C(1) << ACL_UINT8 | UINT64_C(1) << ACL_BOOL |
                    UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .has_rank_after_shapes = true,
        .phase_1 = phase_1,
        .phase_2 = aclnnSigmoid,
        .element = element,
    };
    static const struct operator_under_test in_place = {
        .api = "aclnnInplaceSigmoid",
        .operand_count = 1,
        .is_in_place = true,
        .operand_names = {"selfRef"},
        .calls = calls_in_place,
        .call_count = COUNT(calls_in_place),
        .accepted = UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .phase_1 = phase_1_in_place,
        .phase_2 = aclnnInplaceSigmoid,
        .element = element,
    };
    int failed = contract_main(&forward);
    return contract_main(&in_place) + failed;
}
