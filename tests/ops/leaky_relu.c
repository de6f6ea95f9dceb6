/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnLeakyRelu and aclnnInplaceLeakyRelu: their contract, call by call.
 */
#include "aclnnop/aclnn_leaky_relu.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* self, out */
static const struct call calls[] = {
    /* Other dtypes of out. */
    {"FLOAT to FLOAT16", {"f32[301]", "f16[301]"}},
    {"FLOAT16 to FLOAT", {"f16[301]", "f32[301]"}},
    {"FLOAT to BFLOAT16", {"f32[301]", "bf16[301]"}, .products = "bc"},
    {"BFLOAT16 to FLOAT16", {"bf16[301]", "f16[301]"}, .products = "bc"},
    {"FLOAT16 to BFLOAT16, transposed", {"f16[5,9]", "bf16[5,9]{1,5}"}, .products = "bc"},
    {"DOUBLE", {"f64[5,7]", "f64[5,7]"}},
    {"a length with a tail, DOUBLE", {"f64[1021]", "f64[1021]"}},
    {"FLOAT to DOUBLE", {"f32[301]", "f64[301]"}},
    {"DOUBLE to FLOAT", {"f64[301]", "f32[301]"}},
    {"DOUBLE to FLOAT16", {"f64[301]", "f16[301]"}},
    {"FLOAT16 to COMPLEX64", {"f16[31]", "c64[31]"}},
    {"DOUBLE to COMPLEX128", {"f64[31]", "c128[31]"}},
    {"FLOAT to COMPLEX128, transposed", {"f32[5,6]", "c128[5,6]{1,5}"}},

    /* Slopes. */
    {"f32 with slope f32:0.01", {"f32[67]", "f32[67]"}, "slope=f32:0.01"},
    {"f32 with slope f64:0.01", {"f32[67]", "f32[67]"}, "slope=f64:0.01"},
    {"f32 with slope f16:0.2", {"f32[67]", "f32[67]"}, "slope=f16:0.2"},
    {"f32 with slope i64:-3", {"f32[67]", "f32[67]"}, "slope=i64:-3"},
    {"f32 with slope i64:9007199254740993", {"f32[67]", "f32[67]"}, "slope=i64:9007199254740993"},
    {"f32 with slope i8:2", {"f32[67]", "f32[67]"}, "slope=i8:2"},
    {"f32 with slope i16:-7", {"f32[67]", "f32[67]"}, "slope=i16:-7"},
    {"f32 with slope i32:100003", {"f32[67]", "f32[67]"}, "slope=i32:100003"},
    {"f32 with slope u8:255", {"f32[67]", "f32[67]"}, "slope=u8:255"},
    {"f32 with slope bool:1", {"f32[67]", "f32[67]"}, "slope=bool:1"},
    {"f32 with slope bool:0", {"f32[67]", "f32[67]"}, "slope=bool:0"},
    {"f32 with slope f32:0", {"f32[67]", "f32[67]"}, "slope=f32:0"},
    {"f32 with slope f32:-0.0", {"f32[67]", "f32[67]"}, "slope=f32:-0.0"},
    {"f32 with slope f32:inf", {"f32[67]", "f32[67]"}, "slope=f32:inf"},
    {"f32 with slope f32:-inf", {"f32[67]", "f32[67]"}, "slope=f32:-inf"},
    {"f32 with slope f32:nan", {"f32[67]", "f32[67]"}, "slope=f32:nan"},
    {"f32 with slope f64:1e-310", {"f32[67]", "f32[67]"}, "slope=f64:1e-310"},
    {"f32 with slope f32:1e-45", {"f32[67]", "f32[67]"}, "slope=f32:1e-45"},
    {"f32 with slope f64:1e300", {"f32[67]", "f32[67]"}, "slope=f64:1e300"},
    {"f32 with slope f64:-0.2", {"f32[67]", "f32[67]"}, "slope=f64:-0.2"},
    {"f16 with slope f32:0.01", {"f16[67]", "f16[67]"}, "slope=f32:0.01"},
    {"f16 with slope f64:0.01", {"f16[67]", "f16[67]"}, "slope=f64:0.01"},
    {"f16 with slope f16:0.2", {"f16[67]", "f16[67]"}, "slope=f16:0.2"},
    {"f16 with slope i64:-3", {"f16[67]", "f16[67]"}, "slope=i64:-3"},
    {"f16 with slope i64:9007199254740993", {"f16[67]", "f16[67]"}, "slope=i64:9007199254740993"},
    {"f16 with slope i8:2", {"f16[67]", "f16[67]"}, "slope=i8:2"},
    {"f16 with slope i16:-7", {"f16[67]", "f16[67]"}, "slope=i16:-7"},
    {"f16 with slope i32:100003", {"f16[67]", "f16[67]"}, "slope=i32:100003"},
    {"f16 with slope u8:255", {"f16[67]", "f16[67]"}, "slope=u8:255"},
    {"f16 with slope bool:1", {"f16[67]", "f16[67]"}, "slope=bool:1"},
    {"f16 with slope bool:0", {"f16[67]", "f16[67]"}, "slope=bool:0"},
    {"f16 with slope f32:0", {"f16[67]", "f16[67]"}, "slope=f32:0"},
    {"f16 with slope f32:-0.0", {"f16[67]", "f16[67]"}, "slope=f32:-0.0"},
    {"f16 with slope f32:inf", {"f16[67]", "f16[67]"}, "slope=f32:inf"},
    {"f16 with slope f32:-inf", {"f16[67]", "f16[67]"}, "slope=f32:-inf"},
    {"f16 with slope f32:nan", {"f16[67]", "f16[67]"}, "slope=f32:nan"},
    {"f16 with slope f64:1e-310", {"f16[67]", "f16[67]"}, "slope=f64:1e-310"},
    {"f16 with slope f32:1e-45", {"f16[67]", "f16[67]"}, "slope=f32:1e-45"},
    {"f16 with slope f64:1e300", {"f16[67]", "f16[67]"}, "slope=f64:1e300"},
    {"f16 with slope f64:-0.2", {"f16[67]", "f16[67]"}, "slope=f64:-0.2"},
    {"f64 with slope f32:0.01", {"f64[67]", "f64[67]"}, "slope=f32:0.01"},
    {"f64 with slope f64:0.01", {"f64[67]", "f64[67]"}, "slope=f64:0.01"},
    {"f64 with slope f16:0.2", {"f64[67]", "f64[67]"}, "slope=f16:0.2"},
    {"f64 with slope i64:-3", {"f64[67]", "f64[67]"}, "slope=i64:-3"},
    {"f64 with slope i64:9007199254740993", {"f64[67]", "f64[67]"}, "slope=i64:9007199254740993"},
    {"f64 with slope i8:2", {"f64[67]", "f64[67]"}, "slope=i8:2"},
    {"f64 with slope i16:-7", {"f64[67]", "f64[67]"}, "slope=i16:-7"},
    {"f64 with slope i32:100003", {"f64[67]", "f64[67]"}, "slope=i32:100003"},
    {"f64 with slope u8:255", {"f64[67]", "f64[67]"}, "slope=u8:255"},
    {"f64 with slope bool:1", {"f64[67]", "f64[67]"}, "slope=bool:1"},
    {"f64 with slope bool:0", {"f64[67]", "f64[67]"}, "slope=bool:0"},
    {"f64 with slope f32:0", {"f64[67]", "f64[67]"}, "slope=f32:0"},
    {"f64 with slope f32:-0.0", {"f64[67]", "f64[67]"}, "slope=f32:-0.0"},
    {"f64 with slope f32:inf", {"f64[67]", "f64[67]"}, "slope=f32:inf"},
    {"f64 with slope f32:-inf", {"f64[67]", "f64[67]"}, "slope=f32:-inf"},
    {"f64 with slope f32:nan", {"f64[67]", "f64[67]"}, "slope=f32:nan"},
    {"f64 with slope f64:1e-310", {"f64[67]", "f64[67]"}, "slope=f64:1e-310"},
    {"f64 with slope f32:1e-45", {"f64[67]", "f64[67]"}, "slope=f32:1e-45"},
    {"f64 with slope f64:1e300", {"f64[67]", "f64[67]"}, "slope=f64:1e300"},
    {"f64 with slope f64:-0.2", {"f64[67]", "f64[67]"}, "slope=f64:-0.2"},
    {"bf16 with slope f32:0.01", {"bf16[67]", "bf16[67]"}, "slope=f32:0.01", .products = "bc"},
    {"bf16 with slope bf16:0.2", {"bf16[67]", "bf16[67]"}, "slope=bf16:0.2", .products = "bc"},
    {"bf16 with slope f64:-0.3", {"bf16[67]", "bf16[67]"}, "slope=f64:-0.3", .products = "bc"},
    {"f64 to f16 with slope f64:0.01", {"f64[67]", "f16[67]"}, "slope=f64:0.01"},
    {"f64 to f16 with slope f32:inf", {"f64[67]", "f16[67]"}, "slope=f32:inf"},
    {"a slope of BFLOAT16 where the product has it",
     {"f32[67]", "f32[67]"},
     "slope=bf16:0.2",
     .products = "bc"},
    {"a slope of BFLOAT16 where it has not",
     {"f32[4]", "f32[4]"},
     "slope=bf16:0.2",
     .products = "a",
     .status = INVALID,
     .message = "negativeSlope|BFLOAT16"},
    {"a slope of COMPLEX64",
     {"f32[4]", "f32[4]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "negativeSlope|COMPLEX64"},
    {"slope NULL", {"f32[4]", "f32[4]"}, "slope=NULL", .status = NULLPTR_, .message = "negativeSlope"},
    {"a stale slope", {"f32[4]", "f32[4]"}, "slope=stale", .status = INVALID, .message = "negativeSlope"},
    {"a foreign slope", {"f32[4]", "f32[4]"}, "slope=foreign", .status = INVALID, .message = "negativeSlope"},
    {"slope NULL comes before out NULL",
     {"f32[4]", "NULL"},
     "slope=NULL",
     .status = NULLPTR_,
     .message = "negativeSlope"},
    {"a wrong self comes before a wrong slope",
     {"i8[4]", "f32[4]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "self"},
    {"a wrong slope comes before a wrong out",
     {"f32[4]", "i8[4]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "negativeSlope"},
};

/* selfRef */
static const struct call calls_in_place[] = {
    {"many rows with gaps", {"f16[70,60]{64,1}"}},
    {"permuted rank 4", {"f32[2,3,4,5]{3,1,30,6}"}},
    {"strides 0", {"f32[4,3]{0,0}"}, .status = INVALID, .message = "overlap"},
    {"DOUBLE", {"f64[1021]"}},

    /* Slopes. */
    {"f32 with slope f32:0.01", {"f32[67]"}, "slope=f32:0.01"},
    {"f32 with slope f64:0.01", {"f32[67]"}, "slope=f64:0.01"},
    {"f32 with slope f16:0.2", {"f32[67]"}, "slope=f16:0.2"},
    {"f32 with slope i64:-3", {"f32[67]"}, "slope=i64:-3"},
    {"f32 with slope i64:9007199254740993", {"f32[67]"}, "slope=i64:9007199254740993"},
    {"f32 with slope i8:2", {"f32[67]"}, "slope=i8:2"},
    {"f32 with slope i16:-7", {"f32[67]"}, "slope=i16:-7"},
    {"f32 with slope i32:100003", {"f32[67]"}, "slope=i32:100003"},
    {"f32 with slope u8:255", {"f32[67]"}, "slope=u8:255"},
    {"f32 with slope bool:1", {"f32[67]"}, "slope=bool:1"},
    {"f32 with slope f32:inf", {"f32[67]"}, "slope=f32:inf"},
    {"f16 with slope f32:0.01", {"f16[67]"}, "slope=f32:0.01"},
    {"f16 with slope f64:0.01", {"f16[67]"}, "slope=f64:0.01"},
    {"f16 with slope f16:0.2", {"f16[67]"}, "slope=f16:0.2"},
    {"f16 with slope i64:-3", {"f16[67]"}, "slope=i64:-3"},
    {"f16 with slope i64:9007199254740993", {"f16[67]"}, "slope=i64:9007199254740993"},
    {"f16 with slope i8:2", {"f16[67]"}, "slope=i8:2"},
    {"f16 with slope i16:-7", {"f16[67]"}, "slope=i16:-7"},
    {"f16 with slope i32:100003", {"f16[67]"}, "slope=i32:100003"},
    {"f16 with slope u8:255", {"f16[67]"}, "slope=u8:255"},
    {"f16 with slope bool:1", {"f16[67]"}, "slope=bool:1"},
    {"f16 with slope f32:inf", {"f16[67]"}, "slope=f32:inf"},
    {"f64 with slope f32:0.01", {"f64[67]"}, "slope=f32:0.01"},
    {"f64 with slope f64:0.01", {"f64[67]"}, "slope=f64:0.01"},
    {"f64 with slope f16:0.2", {"f64[67]"}, "slope=f16:0.2"},
    {"f64 with slope i64:-3", {"f64[67]"}, "slope=i64:-3"},
    {"f64 with slope i64:9007199254740993", {"f64[67]"}, "slope=i64:9007199254740993"},
    {"f64 with slope i8:2", {"f64[67]"}, "slope=i8:2"},
    {"f64 with slope i16:-7", {"f64[67]"}, "slope=i16:-7"},
    {"f64 with slope i32:100003", {"f64[67]"}, "slope=i32:100003"},
    {"f64 with slope u8:255", {"f64[67]"}, "slope=u8:255"},
    {"f64 with slope bool:1", {"f64[67]"}, "slope=bool:1"},
    {"f64 with slope f32:inf", {"f64[67]"}, "slope=f32:inf"},
    {"slope NULL", {"f32[4]"}, "slope=NULL", .status = NULLPTR_, .message = "negativeSlope"},
    {"a slope of COMPLEX64", {"f32[4]"}, "slope=c64:1", .status = INVALID, .message = "negativeSlope"},
    {"a stale slope", {"f32[4]"}, "slope=stale", .status = INVALID, .message = "negativeSlope"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnLeakyReluGetWorkspaceSize(operand[0], attributes->slope_handle, operand[1], workspace_size,
                                          executor);
}

static aclnnStatus phase_1_in_place(aclTensor *const *operand, const struct attributes *attributes,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceLeakyReluGetWorkspaceSize(operand[0], attributes->slope_handle, workspace_size,
                                                 executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)count;
    reference_leaky_relu(result, input[0], contract_slope(attributes, arithmetic));
}

int main(void)
{
    static const struct operator_under_test leaky_relu = {
        .api = "aclnnLeakyRelu",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = COUNT(calls),
        .default_attributes = "slope=f32:0.01",
        .phase_1 = phase_1,
        .phase_2 = aclnnLeakyRelu,
        .reference = reference,
    };
    static const struct operator_under_test in_place = {
        .api = "aclnnInplaceLeakyRelu",
        .operand_count = 1,
        .is_in_place = true,
        .operand_names = {"selfRef"},
        .calls = calls_in_place,
        .call_count = COUNT(calls_in_place),
        .default_attributes = "slope=f32:0.01",
        .phase_1 = phase_1_in_place,
        .phase_2 = aclnnInplaceLeakyRelu,
        .reference = reference,
    };
    int failed = contract_main(&leaky_relu);
    return contract_main(&in_place) + failed;
}
