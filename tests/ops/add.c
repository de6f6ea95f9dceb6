/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnAdd, aclnnAdds, aclnnInplaceAdd and aclnnInplaceAdds: their contract, call by call.
 */
#include "aclnnop/aclnn_add.h"

#include "ops/contract_arithmetic.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, other, out */
static const struct call calls[] = {
    {"alpha NULL", {"f32[4]", "f32[4]", "f32[4]"}, "alpha=NULL", .status = NULLPTR_, .message = "alpha"},
    {"other NULL comes before alpha NULL",
     {"f32[4]", "NULL", "f32[4]"},
     "alpha=NULL",
     .status = NULLPTR_,
     .message = "other"},
    {"alpha NULL comes before out NULL",
     {"f32[4]", "f32[4]", "NULL"},
     "alpha=NULL",
     .status = NULLPTR_,
     .message = "alpha"},
    {"alpha NULL comes before a stale self",
     {"stale", "f32[4]", "f32[4]"},
     "alpha=NULL",
     .status = NULLPTR_,
     .message = "alpha"},
    {"a stale alpha", {"f32[4]", "f32[4]", "f32[4]"}, "alpha=stale", .status = INVALID, .message = "alpha"},
    {"a foreign alpha",
     {"f32[4]", "f32[4]", "f32[4]"},
     "alpha=foreign",
     .status = INVALID,
     .message = "alpha"},
    {"a stale alpha comes before a dtype of self",
     {"str[4]", "f32[4]", "f32[4]"},
     "alpha=stale",
     .status = INVALID,
     .message = "alpha"},
    {"a dtype of self comes before one of other",
     {"u16[4]", "u32[4]", "f32[4]"},
     .status = INVALID,
     .message = "self has dtype UINT16"},
    {"a dtype of other comes before one of alpha",
     {"i32[4]", "str[4]", "i32[4]"},
     "alpha=f32:1",
     .status = INVALID,
     .message = "other has dtype STRING"},
    {"a FLOAT alpha of 1 for integers",
     {"i32[4]", "i32[4]", "i32[4]"},
     "alpha=f32:1",
     .status = INVALID,
     .message = "alpha has dtype FLOAT|INT32|INT64"},
    {"a FLOAT alpha for BOOL",
     {"bool[4]", "bool[4]", "bool[4]"},
     "alpha=f32:1",
     .status = INVALID,
     .message = "alpha has dtype FLOAT|BOOL"},
    {"a complex alpha for FLOAT",
     {"f32[4]", "f32[4]", "f32[4]"},
     "alpha=c64:1",
     .status = INVALID,
     .message = "alpha has dtype COMPLEX64"},
    {"a BFLOAT16 alpha where the product has none",
     {"f32[4]", "f32[4]", "f32[4]"},
     "alpha=bf16:1",
     "a",
     .status = INVALID,
     .message = "alpha has dtype BFLOAT16|Ascend910B"},
    {"an alpha that does not fit comes before an out that does not",
     {"i32[4]", "i32[4]", "bool[4]"},
     "alpha=f32:1",
     .status = INVALID,
     .message = "alpha"},
    {"a dtype of out comes before a rank",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[2]", "i32[2]"},
     .status = INVALID,
     .message = "out has dtype INT32|FLOAT result|DOUBLE"},
    {"rank 9 of self comes before that of other",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]", "f32[2]"},
     .status = INVALID,
     .message = "self has 9 dims"},

    /* What is broadcast. */
    {"one element and many", {"f32[]", "f32[3,5]", "f32[3,5]"}},
    {"many and one element", {"f16[3,5]", "f16[1,1]", "f16[3,5]"}},
    {"both in part", {"i32[3,1]", "i32[1,5]", "i32[3,5]"}, "alpha=i64:3"},
    {"an empty one and one element", {"f32[0,3]", "f32[1]", "f32[0,3]"}},
    {"out smaller than the broadcast",
     {"f32[3,1]", "f32[5]", "f32[3,1]"},
     .status = INVALID,
     .message = "out|shape"},

    /* Values, each of many elements, so that whole registers and their ends are there. */
    {"FLOAT", {"f32[1021]", "f32[1021]", "f32[1021]"}, "alpha=f32:1"},
    {"FLOAT with alpha", {"f32[1021]", "f32[1021]", "f32[1021]"}, "alpha=f32:0.3"},
    {"FLOAT with alpha -1", {"f32[1021]", "f32[1021]", "f32[1021]"}, "alpha=f64:-1"},
    {"FLOAT with alpha 0", {"f32[1021]", "f32[1021]", "f32[1021]"}, "alpha=f64:0"},
    {"FLOAT with alpha NaN", {"f32[67]", "f32[67]", "f32[67]"}, "alpha=f32:nan"},
    {"FLOAT with alpha infinite", {"f32[67]", "f32[67]", "f32[67]"}, "alpha=f32:-inf"},
    {"FLOAT with alpha 1 + 1e-12 as FLOAT is 1",
     {"f32[301]", "f32[301]", "f32[301]"},
     "alpha=f64:1.000000000001"},
    {"FLOAT with alpha subnormal", {"f32[301]", "f32[301]", "f32[301]"}, "alpha=f32:1e-40"},
    {"FLOAT16", {"f16[1021]", "f16[1021]", "f16[1021]"}},
    {"FLOAT16 with alpha", {"f16[1021]", "f16[1021]", "f16[1021]"}, "alpha=f32:0.3"},
    {"FLOAT16 with alpha 3", {"f16[1021]", "f16[1021]", "f16[1021]"}, "alpha=i64:3"},
    {"FLOAT16 with a tiny alpha", {"f16[1021]", "f16[1021]", "f16[1021]"}, "alpha=f32:1e-20"},
    {"FLOAT16 with a large alpha", {"f16[1021]", "f16[1021]", "f16[1021]"}, "alpha=f32:1e20"},
    {"BFLOAT16", {"bf16[1021]", "bf16[1021]", "bf16[1021]"}, .products = "bc"},
    {"BFLOAT16 with alpha", {"bf16[1021]", "bf16[1021]", "bf16[1021]"}, "alpha=f32:0.3", "bc"},
    {"BFLOAT16, tame, with alpha",
     {"bf16[1021]!tame", "bf16[1021]!tame", "bf16[1021]"},
     "alpha=f32:0.3",
     "bc"},
    {"BFLOAT16, benign, with alpha",
     {"bf16[1021]!benign", "bf16[1021]!benign", "bf16[1021]"},
     "alpha=f32:1.7",
     "bc"},
    {"DOUBLE", {"f64[1021]", "f64[1021]", "f64[1021]"}},
    {"DOUBLE with alpha", {"f64[1021]", "f64[1021]", "f64[1021]"}, "alpha=f64:0.3"},
    {"DOUBLE, benign, with alpha", {"f64[1021]!benign", "f64[1021]!benign", "f64[1021]"}, "alpha=f64:-0.3"},
    {"DOUBLE with alpha 1 + 1e-12", {"f64[301]", "f64[301]", "f64[301]"}, "alpha=f64:1.000000000001"},
    {"DOUBLE with a huge alpha", {"f64[301]", "f64[301]", "f64[301]"}, "alpha=f64:1e300"},
    {"INT8", {"i8[1021]", "i8[1021]", "i8[1021]"}, "alpha=i64:-77"},
    {"UINT8", {"u8[1021]", "u8[1021]", "u8[1021]"}, "alpha=i64:1"},
    {"INT16", {"i16[1021]", "i16[1021]", "i16[1021]"}, "alpha=i64:12345"},
    {"INT32", {"i32[1021]", "i32[1021]", "i32[1021]"}, "alpha=i64:0x123456789abcdef"},
    {"INT64", {"i64[1021]", "i64[1021]", "i64[1021]"}, "alpha=i64:0x123456789abcdef"},
    {"BOOL", {"bool[1021]", "bool[1021]", "bool[1021]"}, "alpha=i64:256"},
    {"BOOL with alpha 0", {"bool[1021]", "bool[1021]", "bool[1021]"}, "alpha=bool:0"},
    {"COMPLEX64", {"c64[301]", "c64[301]", "c64[301]"}, "alpha=c64:0.3,-0.7"},
    {"COMPLEX64, tame", {"c64[301]!tame", "c64[301]!tame", "c64[301]"}, "alpha=c64:0.3,-0.7"},
    {"COMPLEX64 with alpha 1", {"c64[301]", "c64[301]", "c64[301]"}, "alpha=i64:1"},
    {"COMPLEX128", {"c128[301]", "c128[301]", "c128[301]"}, "alpha=c128:0.3,-0.7"},
    {"COMPLEX128, tame", {"c128[301]!tame", "c128[301]!tame", "c128[301]"}, "alpha=c128:0.3,-0.7"},
    {"COMPLEX128 with a huge alpha", {"c128[301]", "c128[301]", "c128[301]"}, "alpha=c128:1e300,-1e308"},
    {"INT64 and FLOAT16", {"i64[301]", "f16[301]", "f16[301]"}, "alpha=f32:0.5"},
    {"a column of INT8 and a row of DOUBLE", {"i8[31,1]", "f64[17]", "c128[31,17]{1,31}"}, "alpha=i64:-1"},
    {"many elements", {"f32[70001]!benign", "f32[70001]!benign", "f32[70001]"}, "alpha=f32:2.5"},

    /* In one memory. */
    {"INT32 and a column of itself", {"i32[40,40]", "i32[40,40]{1,40}=0", "i32[40,40]=0"}, "alpha=i64:1"},
};

/* self, out */
static const struct call calls_scalar[] = {
    {"other NULL", {"f32[4]", "f32[4]"}, "other=NULL", .status = NULLPTR_, .message = "other"},
    {"alpha NULL", {"f32[4]", "f32[4]"}, "alpha=NULL", .status = NULLPTR_, .message = "alpha"},
    {"a stale other", {"f32[4]", "f32[4]"}, "other=stale", .status = INVALID, .message = "other"},
    {"a stale alpha", {"f32[4]", "f32[4]"}, "alpha=stale", .status = INVALID, .message = "alpha"},
    {"BOOL and UINT16 do not promote",
     {"bool[4]", "bool[4]"},
     "other=u16:1 alpha=i64:1",
     .status = INVALID,
     .message = "other has dtype UINT16|promote"},
    {"a FLOAT scalar for INT32 in INT32",
     {"i32[4]", "i32[4]"},
     "other=f32:1",
     .status = INVALID,
     .message = "out has dtype INT32|FLOAT result"},
    {"FLOAT16 and 0.1", {"f16[1021]", "f16[1021]"}, "other=f64:0.1"},
    {"FLOAT16 and 0.1 with alpha", {"f16[1021]", "f16[1021]"}, "other=f64:0.1 alpha=f32:0.3"},
    {"FLOAT16 and 0.1 in FLOAT", {"f16[1021]", "f32[1021]"}, "other=f64:0.1"},
    {"FLOAT16 and 2049, which it has not", {"f16[301]", "f32[301]"}, "other=i64:2049"},
    {"FLOAT16 and 65504 in FLOAT", {"f16[301]", "f32[301]"}, "other=i64:65504"},
    {"FLOAT16 and 65536 in FLOAT", {"f16[301]", "f32[301]"}, "other=i64:65536"},
    {"FLOAT16 and an alpha that it has not", {"f16[301]", "f32[301]"}, "other=i64:1 alpha=f32:0.1"},
    {"BFLOAT16 and 257 in FLOAT", {"bf16[301]", "f32[301]"}, "other=i64:257", "bc"},
    {"BFLOAT16 and 0.1", {"bf16[1021]", "bf16[1021]"}, "other=f32:0.1 alpha=f32:-0.3", "bc"},
    {"BFLOAT16 and 1e-30", {"bf16[1021]", "bf16[1021]"}, "other=f32:1e-30 alpha=f32:1e-8", "bc"},
    {"FLOAT and 0.1", {"f32[1021]", "f32[1021]"}, "other=f64:0.1"},
    {"FLOAT and 0.1 with alpha", {"f32[1021]", "f32[1021]"}, "other=f64:0.1 alpha=f64:0.7"},
    {"FLOAT and -0", {"f32[301]", "f32[301]"}, "other=f32:-0.0"},
    {"FLOAT and NaN", {"f32[301]", "f32[301]"}, "other=f32:nan"},
    {"DOUBLE and 0.1 with alpha", {"f64[1021]", "f64[1021]"}, "other=f64:0.1 alpha=f64:0.7"},
    {"INT8 and 1000 wraps", {"i8[1021]", "i8[1021]"}, "other=i64:1000 alpha=i64:3"},
    {"INT64 and a product that wraps", {"i64[301]", "i64[301]"}, "other=i64:0x7fffffffffffffff alpha=i64:3"},
    {"BOOL or true is written as 1", {"bool[301]", "i32[301]"}, "other=bool:1 alpha=bool:1"},
    {"BOOL alone", {"bool[301]", "f32[301]"}, "other=bool:1 alpha=bool:0"},
    {"COMPLEX64 and a complex alpha", {"c64[301]", "c64[301]"}, "other=c64:0.1,7 alpha=c64:0.3,-0.7"},
    {"COMPLEX128 and a complex alpha", {"c128[301]", "c128[301]"}, "other=c128:0.1,7 alpha=c128:0.3,-0.7"},
    {"FLOAT and a complex scalar", {"f32[301]", "c64[301]"}, "other=c64:0.1,7 alpha=c64:0.3,-0.7"},
};

/* other, selfRef */
static const struct call calls_in_place[] = {
    {"other NULL comes before alpha NULL",
     {"NULL", "f32[4]"},
     "alpha=NULL",
     .status = NULLPTR_,
     .message = "other"},
    {"selfRef NULL comes before other NULL", {"NULL", "NULL"}, .status = NULLPTR_, .message = "selfRef"},
    {"alpha NULL comes before shapes",
     {"f32[5]", "f32[4]"},
     "alpha=NULL",
     .status = NULLPTR_,
     .message = "alpha"},
    {"FLOAT to INT32", {"f32[4]", "i32[4]"}, .status = INVALID, .message = "selfRef has dtype INT32"},
    {"FLOAT to FLOAT16", {"f32[301]", "f16[301]"}},
    {"other broadcasts", {"f32[5]", "f32[3,5]"}},
    {"selfRef does not", {"f32[3,5]", "f32[5]"}, .status = INVALID, .message = "selfRef|shape"},
    {"to itself", {"f32[301]", "f32[301]=0"}},
    {"a row of itself", {"i16[6]+30", "i16[6,6]=0"}, "alpha=i64:1"},
    {"itself turned", {"f16[40,40]", "f16[40,40]{1,40}=0"}},
    {"a part from further on in itself", {"f64[900]+33", "f64[900]=0"}, "alpha=f64:0.1"},
    {"INT64 with gaps", {"i8[300,101]", "i64[300,101]{303,3}+1"}, "alpha=i64:-2"},
};

/* selfRef */
static const struct call calls_scalar_in_place[] = {
    {"other NULL", {"f32[4]"}, "other=NULL", .status = NULLPTR_, .message = "other"},
    {"FLOAT to INT32", {"i32[4]"}, "other=f32:1", .status = INVALID, .message = "selfRef has dtype INT32"},
    {"FLOAT with gaps", {"f32[300,101]{303,3}+1"}, "other=f32:1.1 alpha=f32:0.7"},
    {"INT16", {"i16[1021]"}, "other=i64:-3 alpha=i64:3"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnAddGetWorkspaceSize(operand[0], operand[1], attributes->alpha_handle, operand[2],
                                    workspace_size, executor);
}

static aclnnStatus phase_1_scalar(aclTensor *const *operand, const struct attributes *attributes,
                                  uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnAddsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                     operand[1], workspace_size, executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceAddGetWorkspaceSize(operand[1], operand[0], attributes->alpha_handle, workspace_size,
                                           executor);
}

static aclnnStatus phase_1_scalar_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceAddsGetWorkspaceSize(operand[0], attributes->slope_handle, attributes->alpha_handle,
                                            workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    arithmetic_contract_element(ARITHMETIC_ADD, TENSORS, input, input_dtype, output, output_dtype,
                                attributes);
}

static void element_scalar(const void *const *input, const aclDataType *input_dtype, void *output,
                           aclDataType output_dtype, const struct attributes *attributes)
{
    arithmetic_contract_element(ARITHMETIC_ADD, SCALAR, input, input_dtype, output, output_dtype, attributes);
}

static void element_in_place(const void *const *input, const aclDataType *input_dtype, void *output,
                             aclDataType output_dtype, const struct attributes *attributes)
{
    arithmetic_contract_element(ARITHMETIC_ADD, TENSORS_IN_PLACE, input, input_dtype, output, output_dtype,
                                attributes);
}

int main(void)
{
    static const struct operator_under_test of_tensors = {
        .api = "aclnnAdd", .phase_1 = phase_1, .phase_2 = aclnnAdd, .element = element};
    static const struct operator_under_test of_scalars = {
        .api = "aclnnAdds", .phase_1 = phase_1_scalar, .phase_2 = aclnnAdds, .element = element_scalar};
    static const struct operator_under_test in_place = {.api = "aclnnInplaceAdd",
                                                        .phase_1 = phase_1_in_place,
                                                        .phase_2 = aclnnInplaceAdd,
                                                        .element = element_in_place};
    static const struct operator_under_test scalar_in_place = {.api = "aclnnInplaceAdds",
                                                               .phase_1 = phase_1_scalar_in_place,
                                                               .phase_2 = aclnnInplaceAdds,
                                                               .element = element_scalar};
    int failed = arithmetic_main(ARITHMETIC_ADD, TENSORS, &of_tensors, calls, COUNT(calls));
    failed += arithmetic_main(ARITHMETIC_ADD, SCALAR, &of_scalars, calls_scalar, COUNT(calls_scalar));
    failed +=
        arithmetic_main(ARITHMETIC_ADD, TENSORS_IN_PLACE, &in_place, calls_in_place, COUNT(calls_in_place));
    return failed + arithmetic_main(ARITHMETIC_ADD, SCALAR_IN_PLACE, &scalar_in_place, calls_scalar_in_place,
                                    COUNT(calls_scalar_in_place));
}
