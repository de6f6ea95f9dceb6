/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnTanh and aclnnInplaceTanh: their contract, call by call.
 */
#include "aclnnop/aclnn_tanh.h"

#include "ops/contract.h"
#include "support/conversion.h"
#include "support/reference_activations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    {"f32 to f32", {"f32[131]", "f32[131]"}},
    {"f32 to f16", {"f32[131]", "f16[131]"}},
    {"f16 to f32", {"f16[131]", "f32[131]"}},
    {"f16 to f16", {"f16[131]", "f16[131]"}},
    {"i8 to f32", {"i8[131]", "f32[131]"}},
    {"i8 to f16", {"i8[131]", "f16[131]"}},
    {"i16 to f32", {"i16[131]", "f32[131]"}},
    {"i16 to f16", {"i16[131]", "f16[131]"}},
    {"i32 to f32", {"i32[131]", "f32[131]"}},
    {"i32 to f16", {"i32[131]", "f16[131]"}},
    {"i64 to f32", {"i64[131]", "f32[131]"}},
    {"i64 to f16", {"i64[131]", "f16[131]"}},
    {"u8 to f32", {"u8[131]", "f32[131]"}},
    {"u8 to f16", {"u8[131]", "f16[131]"}},
    {"bool to f32", {"bool[131]", "f32[131]"}},
    {"bool to f16", {"bool[131]", "f16[131]"}},
    {"bf16 to f32", {"bf16[131]", "f32[131]"}, .products = "bc"},
    {"bf16 to f16", {"bf16[131]", "f16[131]"}, .products = "bc"},
    {"bf16 to bf16", {"bf16[131]", "bf16[131]"}, .products = "bc"},
    {"f32 to bf16", {"f32[131]", "bf16[131]"}, .products = "bc"},
    {"f16 to bf16", {"f16[131]", "bf16[131]"}, .products = "bc"},
    {"i32 to bf16", {"i32[131]", "bf16[131]"}, .products = "bc"},
    {"bool to bf16", {"bool[131]", "bf16[131]"}, .products = "bc"},
    {"DOUBLE is refused", {"f64[4]", "f64[4]"}, .status = INVALID, .message = "self|DOUBLE"},
    {"DOUBLE as out is refused", {"f32[4]", "f64[4]"}, .status = INVALID, .message = "out|DOUBLE"},
    {"out of INT32 is refused", {"i32[4]", "i32[4]"}, .status = INVALID, .message = "out|INT32"},
    {"out of BOOL is refused", {"bool[4]", "bool[4]"}, .status = INVALID, .message = "out|BOOL"},
    {"the dtype of self comes before that of out",
     {"f64[4]", "i32[4]"},
     .status = INVALID,
     .message = "self|DOUBLE"},
    {"many elements", {"f32[5003]", "f32[5003]"}},
};

/* selfRef */
static const struct call calls_in_place[] = {
    {"INT8 is refused", {"i8[4]"}, .status = INVALID, .message = "selfRef|INT8"},
    {"INT32 is refused", {"i32[4]"}, .status = INVALID, .message = "selfRef|INT32"},
    {"DOUBLE is refused", {"f64[4]"}, .status = INVALID, .message = "selfRef|DOUBLE"},
    {"BOOL is refused", {"bool[4]"}, .status = INVALID, .message = "selfRef|BOOL"},
    {"f16 with gaps", {"f16[9,5]{16,2}"}},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnTanhGetWorkspaceSize(operand[0], operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceTanhGetWorkspaceSize(operand[0], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)attributes;
    aclDataType arithmetic = reference_is_float(input_dtype[0]) ? input_dtype[0] : ACL_FLOAT;
    reference_activation(ACTIVATION_TANH, input, input_dtype, arithmetic, 0, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test forward = {
        .api = "aclnnTanh",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT16 | UINT64_C(1) << ACL_INT32 |
                    UINT64_C(1) << ACL_INT64 | UINT64_C(1) << ACL_UINT8 | UINT64_C(1) << ACL_BOOL |
                    UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .phase_1 = phase_1,
        .phase_2 = aclnnTanh,
        .element = element,
    };
    static const struct operator_under_test in_place = {
        .api = "aclnnInplaceTanh",
        .operand_count = 1,
        .is_in_place = true,
        .operand_names = {"selfRef"},
        .calls = calls_in_place,
        .call_count = COUNT(calls_in_place),
        .accepted = UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .phase_1 = phase_1_in_place,
        .phase_2 = aclnnInplaceTanh,
        .element = element,
    };
    int failed = contract_main(&forward);
    return contract_main(&in_place) + failed;
}
