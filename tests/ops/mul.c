/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnMul, aclnnMuls, aclnnInplaceMul and aclnnInplaceMuls: their contract, call by call.
 */
#include "aclnnop/aclnn_mul.h"

#include "ops/contract_arithmetic.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, other, out */
static const struct call calls[] = {
    {"a dtype of self comes before one of other",
     {"u16[4]", "u32[4]", "f32[4]"},
     .status = INVALID,
     .message = "self has dtype UINT16"},
    {"a dtype of out is one of the list",
     {"i32[4]", "i32[4]", "u32[4]"},
     .status = INVALID,
     .message = "out has dtype UINT32"},
    {"a dtype of out comes before what casts",
     {"f32[4]", "f32[4]", "u32[4]"},
     .status = INVALID,
     .message = "out has dtype UINT32"},
    {"FLOAT to INT32",
     {"f32[301]", "f32[301]", "i32[301]"},
     NULL,
     "ab",
     .status = INVALID,
     .message = "out has dtype INT32|result of dtype FLOAT"},
    {"FLOAT to INT32 on the newest product", {"f32[301]", "f32[301]", "i32[301]"}, NULL, "c"},
    {"COMPLEX64 to FLOAT on the newest product", {"c64[301]", "f32[301]", "f32[301]"}, NULL, "c"},
    {"rank 9 of self comes before that of other",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]", "f32[2]"},
     .status = INVALID,
     .message = "self has 9 dims"},
    {"one element and many", {"f32[]", "f32[3,5]", "f32[3,5]"}},
    {"many and one element", {"f16[3,5]", "f16[1,1]", "f16[3,5]"}},
    {"a row that is longer than tiles", {"f32[3,5003]", "f32[5003]", "f32[3,5003]"}},
    {"both in part", {"i32[3,1]", "i32[1,5]", "i32[3,5]"}},
    {"an empty one and one element", {"f32[0,3]", "f32[1]", "f32[0,3]"}},
    {"out smaller than the broadcast",
     {"f32[3,1]", "f32[5]", "f32[3,1]"},
     .status = INVALID,
     .message = "out|shape"},
    {"FLOAT", {"f32[1021]", "f32[1021]", "f32[1021]"}},
    {"FLOAT, tame", {"f32[1021]!tame", "f32[1021]!tame", "f32[1021]"}},
    {"FLOAT, benign", {"f32[1021]!benign", "f32[1021]!benign", "f32[1021]"}},
    {"FLOAT16", {"f16[1021]", "f16[1021]", "f16[1021]"}},
    {"FLOAT16, tame", {"f16[1021]!tame", "f16[1021]!tame", "f16[1021]"}},
    {"FLOAT16, benign", {"f16[1021]!benign", "f16[1021]!benign", "f16[1021]"}},
    {"BFLOAT16", {"bf16[1021]", "bf16[1021]", "bf16[1021]"}, .products = "bc"},
    {"BFLOAT16, tame", {"bf16[1021]!tame", "bf16[1021]!tame", "bf16[1021]"}, .products = "bc"},
    {"BFLOAT16, benign", {"bf16[1021]!benign", "bf16[1021]!benign", "bf16[1021]"}, .products = "bc"},
    {"DOUBLE", {"f64[1021]", "f64[1021]", "f64[1021]"}},
    {"DOUBLE, tame", {"f64[1021]!tame", "f64[1021]!tame", "f64[1021]"}},
    {"DOUBLE, benign", {"f64[1021]!benign", "f64[1021]!benign", "f64[1021]"}},
    {"INT8", {"i8[1021]", "i8[1021]", "i8[1021]"}},
    {"UINT8", {"u8[1021]", "u8[1021]", "u8[1021]"}},
    {"INT16", {"i16[1021]", "i16[1021]", "i16[1021]"}},
    {"INT32", {"i32[1021]", "i32[1021]", "i32[1021]"}},
    {"INT64", {"i64[1021]", "i64[1021]", "i64[1021]"}},
    {"BOOL", {"bool[1021]", "bool[1021]", "bool[1021]"}},
    {"COMPLEX64", {"c64[301]", "c64[301]", "c64[301]"}},
    {"COMPLEX64, tame", {"c64[301]!tame", "c64[301]!tame", "c64[301]"}},
    {"COMPLEX64, benign", {"c64[301]!benign", "c64[301]!benign", "c64[301]"}},
    {"COMPLEX128", {"c128[301]", "c128[301]", "c128[301]"}},
    {"COMPLEX128, tame", {"c128[301]!tame", "c128[301]!tame", "c128[301]"}},
    {"COMPLEX128, benign", {"c128[301]!benign", "c128[301]!benign", "c128[301]"}},
};

/* self, out */
static const struct call calls_scalar[] = {
    {"other NULL", {"f32[4]", "f32[4]"}, "other=NULL", .status = NULLPTR_, .message = "other"},
    {"a stale other", {"f32[4]", "f32[4]"}, "other=stale", .status = INVALID, .message = "other"},
    {"BOOL and UINT16 do not promote",
     {"bool[4]", "bool[4]"},
     "other=u16:1",
     .status = INVALID,
     .message = "other has dtype UINT16|promote"},
    {"INT32 and 0.5", {"i32[301]", "i32[301]"}, "other=f32:0.5", "ab"},
    {"INT32 and 0.5 on the newest product",
     {"i32[301]", "i32[301]"},
     "other=f32:0.5",
     "c",
     .status = INVALID,
     .message = "out has dtype INT32|result of dtype FLOAT"},
    {"FLOAT16 and 0.1", {"f16[1021]", "f16[1021]"}, "other=f64:0.1"},
    {"FLOAT16 and 0.1 in FLOAT", {"f16[1021]", "f32[1021]"}, "other=f64:0.1"},
    {"FLOAT16 and 1e-30", {"f16[1021]", "f16[1021]"}, "other=f32:1e-30"},
    {"FLOAT16 and 1e30", {"f16[1021]", "f16[1021]"}, "other=f32:1e30"},
    {"BFLOAT16 and 0.1", {"bf16[1021]", "bf16[1021]"}, "other=f32:0.1", "bc"},
    {"BFLOAT16, benign, and 0.1", {"bf16[1021]!benign", "bf16[1021]"}, "other=f32:0.1", "bc"},
    {"BFLOAT16 and 0.1 in FLOAT", {"bf16[1021]", "f32[1021]"}, "other=f32:0.1", "bc"},
    {"BFLOAT16 and 0.1 in FLOAT16", {"bf16[1021]", "f16[1021]"}, "other=f32:0.1", "bc"},
    {"BFLOAT16 and 1e-30", {"bf16[1021]", "bf16[1021]"}, "other=f32:1e-30", "bc"},
    {"BFLOAT16 and 1e30", {"bf16[1021]", "bf16[1021]"}, "other=f32:1e30", "bc"},
    {"FLOAT and 0.1", {"f32[1021]", "f32[1021]"}, "other=f64:0.1"},
    {"FLOAT and 0", {"f32[301]", "f32[301]"}, "other=f32:-0.0"},
    {"FLOAT and NaN", {"f32[301]", "f32[301]"}, "other=f32:nan"},
    {"FLOAT16 and NaN", {"f16[301]", "f16[301]"}, "other=f32:nan"},
    {"FLOAT16 and infinity", {"f16[301]", "f16[301]"}, "other=f32:-inf"},
    {"FLOAT16 and 0", {"f16[301]", "f16[301]"}, "other=f32:0"},
    {"DOUBLE and 0.1", {"f64[1021]", "f64[1021]"}, "other=f64:0.1"},
    {"COMPLEX64 and a complex scalar", {"c64[301]", "c64[301]"}, "other=c64:0.3,-0.7"},
    {"COMPLEX128 and a complex scalar", {"c128[301]", "c128[301]"}, "other=c128:0.3,-0.7"},
    {"COMPLEX128 and a huge scalar", {"c128[301]", "c128[301]"}, "other=c128:1e300,-1e308"},
    {"COMPLEX128 and a tiny scalar", {"c128[301]", "c128[301]"}, "other=c128:1e-300,-1e-308"},
    {"FLOAT and a complex scalar in FLOAT", {"f32[301]", "f32[301]"}, "other=c64:0.3,-0.7", "ab"},
};

/* other, selfRef */
static const struct call calls_in_place[] = {
    {"selfRef NULL comes before other NULL", {"NULL", "NULL"}, .status = NULLPTR_, .message = "selfRef"},
    {"FLOAT to FLOAT16", {"f32[301]", "f16[301]"}},
    {"FLOAT to INT32",
     {"f32[301]", "i32[301]"},
     NULL,
     "ab",
     .status = INVALID,
     .message = "selfRef has dtype INT32"},
    {"other broadcasts", {"f32[5]", "f32[3,5]"}},
    {"selfRef does not", {"f32[3,5]", "f32[5]"}, .status = INVALID, .message = "selfRef|shape"},
    {"by itself", {"f32[301]", "f32[301]=0"}},
    {"by a row of itself", {"f32[6]+30", "f32[6,6]=0"}},
    {"by itself turned", {"f16[40,40]", "f16[40,40]{1,40}=0"}},
};

/* selfRef */
static const struct call calls_scalar_in_place[] = {
    {"other NULL", {"f32[4]"}, "other=NULL", .status = NULLPTR_, .message = "other"},
    {"INT32 by 1.5", {"i32[301]"}, "other=f32:1.5", "ab"},
    {"INT32 by 1.5 on the newest product", {"i32[301]"}, "other=f32:1.5", "c", .status = INVALID},
    {"FLOAT with gaps", {"f32[300,101]{303,3}+1"}, "other=f32:1.1"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnMulGetWorkspaceSize(operand[0], operand[1], operand[2], workspace_size, executor);
}

static aclnnStatus phase_1_scalar(aclTensor *const *operand, const struct attributes *attributes,
                                  uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnMulsGetWorkspaceSize(operand[0], attributes->slope_handle, operand[1], workspace_size,
                                     executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceMulGetWorkspaceSize(operand[1], operand[0], workspace_size, executor);
}

static aclnnStatus phase_1_scalar_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceMulsGetWorkspaceSize(operand[0], attributes->slope_handle, workspace_size, executor);
}

int main(void)
{
    static const struct operator_under_test phases[ARITHMETIC_FORMS] = {
        [TENSORS] = {.api = "aclnnMul", .phase_1 = phase_1, .phase_2 = aclnnMul},
        [SCALAR] = {.api = "aclnnMuls", .phase_1 = phase_1_scalar, .phase_2 = aclnnMuls},
        [TENSORS_IN_PLACE] = {.api = "aclnnInplaceMul",
                              .phase_1 = phase_1_in_place,
                              .phase_2 = aclnnInplaceMul},
        [SCALAR_IN_PLACE] = {.api = "aclnnInplaceMuls",
                             .phase_1 = phase_1_scalar_in_place,
                             .phase_2 = aclnnInplaceMuls},
    };
    static const struct arithmetic_rows rows[ARITHMETIC_FORMS] = {
        [TENSORS] = {calls, COUNT(calls)},
        [SCALAR] = {calls_scalar, COUNT(calls_scalar)},
        [TENSORS_IN_PLACE] = {calls_in_place, COUNT(calls_in_place)},
        [SCALAR_IN_PLACE] = {calls_scalar_in_place, COUNT(calls_scalar_in_place)},
    };
    return arithmetic_main(ARITHMETIC_MUL, phases, rows);
}
