/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSwishBackward: its contract, call by call.
 */
#include "aclnnop/aclnn_swish_backward.h"

#include "ops/contract.h"
#include "support/reference.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* gradOutput, self, gradInput */
static const struct call calls[] = {
    {"empty is looked at after the shapes",
     {"f32[0]", "f32[0,1]", "f32[0,1]"},
     .status = INVALID,
     .message = "shape"},
    {"self DOUBLE", {"f64[4]", "f64[4]", "f64[4]"}, .status = INVALID, .message = "DOUBLE"},
    {"gradOutput DOUBLE", {"f64[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|DOUBLE"},
    {"both wrong", {"i8[4]", "i16[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput|INT8"},
    {"gradOutput f16, self f32", {"f16[4]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "gradOutput"},
    {"gradOutput f32, self f16", {"f32[4]", "f16[4]", "f16[4]"}, .status = INVALID, .message = "gradOutput"},
    {"gradOutput f16, self bf16",
     {"f16[4]", "bf16[4]", "bf16[4]"},
     .status = INVALID,
     .message = "gradOutput",
     .products = "bc"},
    {"out FLOAT for FLOAT16", {"f16[4]", "f16[4]", "f32[4]"}, .status = INVALID, .message = "gradInput"},
    {"out FLOAT16 for FLOAT", {"f32[4]", "f32[4]", "f16[4]"}, .status = INVALID, .message = "gradInput"},
    {"out DOUBLE", {"f32[4]", "f32[4]", "f64[4]"}, .status = INVALID, .message = "gradInput"},
    {"out COMPLEX64", {"f32[4]", "f32[4]", "c64[4]"}, .status = INVALID, .message = "gradInput"},
    {"gradOutput of another shape", {"f32[5]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"no broadcast", {"f32[1]", "f32[4]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"no broadcast of self", {"f32[4]", "f32[1]", "f32[4]"}, .status = INVALID, .message = "shape"},
    {"another rank with a leading 1",
     {"f32[1,4]", "f32[4]", "f32[4]"},
     .status = INVALID,
     .message = "shape"},
    {"rank 0 is not rank 1", {"f32[]", "f32[1]", "f32[1]"}, .status = INVALID, .message = "shape"},
    {"f32 with beta f32:1", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:1"},
    {"f32 with beta f32:0", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:0"},
    {"f32 with beta f32:-0.0", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:-0.0"},
    {"f32 with beta f32:1.702", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:1.702"},
    {"f32 with beta f32:-0.5", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:-0.5"},
    {"f32 with beta f32:1e-30", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:1e-30"},
    {"f32 with beta f32:1e-45", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:1e-45"},
    {"f32 with beta f32:3e38", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:3e38"},
    {"f32 with beta f32:-3e38", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:-3e38"},
    {"f32 with beta f32:inf", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:inf"},
    {"f32 with beta f32:-inf", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:-inf"},
    {"f32 with beta f32:nan", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f32:nan"},
    {"f32 with beta f64:0.1", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f64:0.1"},
    {"f32 with beta f64:1e300", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f64:1e300"},
    {"f32 with beta f64:1e-310", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f64:1e-310"},
    {"f32 with beta f16:0.2", {"f32[67]", "f32[67]", "f32[67]"}, "slope=f16:0.2"},
    {"f32 with beta i8:-2", {"f32[67]", "f32[67]", "f32[67]"}, "slope=i8:-2"},
    {"f32 with beta i16:3", {"f32[67]", "f32[67]", "f32[67]"}, "slope=i16:3"},
    {"f32 with beta i32:100003", {"f32[67]", "f32[67]", "f32[67]"}, "slope=i32:100003"},
    {"f32 with beta i64:9007199254740993", {"f32[67]", "f32[67]", "f32[67]"}, "slope=i64:9007199254740993"},
    {"f32 with beta u8:255", {"f32[67]", "f32[67]", "f32[67]"}, "slope=u8:255"},
    {"f32 with beta bool:0", {"f32[67]", "f32[67]", "f32[67]"}, "slope=bool:0"},
    {"f32 with beta bool:1", {"f32[67]", "f32[67]", "f32[67]"}, "slope=bool:1"},
    {"f16 with beta f32:1", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:1"},
    {"f16 with beta f32:0", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:0"},
    {"f16 with beta f32:-0.0", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:-0.0"},
    {"f16 with beta f32:1.702", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:1.702"},
    {"f16 with beta f32:-0.5", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:-0.5"},
    {"f16 with beta f32:1e-30", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:1e-30"},
    {"f16 with beta f32:1e-45", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:1e-45"},
    {"f16 with beta f32:3e38", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:3e38"},
    {"f16 with beta f32:-3e38", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:-3e38"},
    {"f16 with beta f32:inf", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:inf"},
    {"f16 with beta f32:-inf", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:-inf"},
    {"f16 with beta f32:nan", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f32:nan"},
    {"f16 with beta f64:0.1", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f64:0.1"},
    {"f16 with beta f64:1e300", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f64:1e300"},
    {"f16 with beta f64:1e-310", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f64:1e-310"},
    {"f16 with beta f16:0.2", {"f16[67]", "f16[67]", "f16[67]"}, "slope=f16:0.2"},
    {"f16 with beta i8:-2", {"f16[67]", "f16[67]", "f16[67]"}, "slope=i8:-2"},
    {"f16 with beta i16:3", {"f16[67]", "f16[67]", "f16[67]"}, "slope=i16:3"},
    {"f16 with beta i32:100003", {"f16[67]", "f16[67]", "f16[67]"}, "slope=i32:100003"},
    {"f16 with beta i64:9007199254740993", {"f16[67]", "f16[67]", "f16[67]"}, "slope=i64:9007199254740993"},
    {"f16 with beta u8:255", {"f16[67]", "f16[67]", "f16[67]"}, "slope=u8:255"},
    {"f16 with beta bool:0", {"f16[67]", "f16[67]", "f16[67]"}, "slope=bool:0"},
    {"f16 with beta bool:1", {"f16[67]", "f16[67]", "f16[67]"}, "slope=bool:1"},
    {"bf16 with beta bf16:0.2", {"bf16[67]", "bf16[67]", "bf16[67]"}, "slope=bf16:0.2", .products = "bc"},
    {"bf16 with beta f32:-1.5", {"bf16[67]", "bf16[67]", "bf16[67]"}, "slope=f32:-1.5", .products = "bc"},
    {"bf16 with beta f32:inf", {"bf16[67]", "bf16[67]", "bf16[67]"}, "slope=f32:inf", .products = "bc"},
    {"betaOptional NULL is 1", {"f32[67]", "f32[67]", "f32[67]"}, "slope=NULL"},
    {"betaOptional NULL is 1, FLOAT16", {"f16[67]", "f16[67]", "f16[67]"}, "slope=NULL"},
    {"beta of u16", {"f32[67]", "f32[67]", "f32[67]"}, "slope=u16:3"},
    {"beta of u32", {"f32[67]", "f32[67]", "f32[67]"}, "slope=u32:3"},
    {"beta of u64", {"f32[67]", "f32[67]", "f32[67]"}, "slope=u64:3"},
    {"beta of COMPLEX64",
     {"f32[4]", "f32[4]", "f32[4]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "betaOptional|COMPLEX64"},
    {"beta of BFLOAT16 where the product has it not",
     {"f32[4]", "f32[4]", "f32[4]"},
     "slope=bf16:1",
     .products = "a",
     .status = INVALID,
     .message = "betaOptional|BFLOAT16"},
    {"a stale beta",
     {"f32[4]", "f32[4]", "f32[4]"},
     "slope=stale",
     .status = INVALID,
     .message = "betaOptional"},
    {"a foreign beta",
     {"f32[4]", "f32[4]", "f32[4]"},
     "slope=foreign",
     .status = INVALID,
     .message = "betaOptional"},
    {"a wrong dtype of a tensor comes before that of beta",
     {"i32[4]", "f32[4]", "f32[4]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "INT32"},
    {"a wrong beta comes before a rank",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     "slope=c64:1",
     .status = INVALID,
     .message = "betaOptional"},
    {"out NULL comes before a stale beta",
     {"f32[4]", "f32[4]", "NULL"},
     "slope=stale",
     .status = NULLPTR_,
     .message = "gradInput"},
};

/* beta rounded to fp32; 1 where it is not given. */
static double beta_of(const struct attributes *attributes)
{
    return attributes->slope_handle == NULL ? 1 : contract_slope(attributes, ACL_FLOAT);
}

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnSwishBackwardGetWorkspaceSize(operand[0], operand[1], attributes->slope_handle, operand[2],
                                              workspace_size, executor);
}

static void reference(mpfr_ptr result, const double *input, const struct attributes *attributes,
                      uint64_t count, aclDataType arithmetic)
{
    (void)count, (void)arithmetic;
    reference_swish_backward(result, input[0], input[1], beta_of(attributes));
}

int main(void)
{
    static const struct operator_under_test swish_backward = {
        .api = "aclnnSwishBackward",
        .operand_count = 3,
        .operand_names = {"gradOutput", "self", "gradInput"},
        .calls = calls,
        .call_count = COUNT(calls),
        .default_attributes = "slope=f32:1.5",
        .phase_1 = phase_1,
        .phase_2 = aclnnSwishBackward,
        .reference = reference,
    };
    return contract_main(&swish_backward);
}
