/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceFillScalar: what is its own among the rows, and every dtype filled from every other one.
 */
#include "aclnnop/aclnn_fill_scalar.h"

#include <string.h>

#include "ops/contract.h"
#include "ops/contract_pairs.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct call own[] = {
    {"value NULL", {"f32[4]"}, "value=NULL", .status = NULLPTR_, .message = "value"},
    {"selfRef NULL comes before value NULL",
     {"NULL"},
     "value=NULL",
     .status = NULLPTR_,
     .message = "selfRef"},
    {"value NULL comes before a stale selfRef",
     {"stale"},
     "value=NULL",
     .status = NULLPTR_,
     .message = "value"},
    {"a stale value", {"f32[4]"}, "value=stale", .status = INVALID, .message = "value"},
    {"a foreign value", {"f32[4]"}, "value=foreign", .status = INVALID, .message = "value"},
    {"a stale selfRef comes before a stale value",
     {"stale"},
     "value=stale",
     .status = INVALID,
     .message = "selfRef"},
    {"a stale value comes before an impossible view",
     {"f32[-4]"},
     "value=stale",
     .status = INVALID,
     .message = "value"},
    {"the dtype of selfRef comes before that of value",
     {"str[4]"},
     "value=bf16:1",
     "a",
     .status = INVALID,
     .message = "selfRef"},
    {"a BFLOAT16 value", {"f32[4]"}, "value=bf16:1.25", "bc"},
    {"a BFLOAT16 value on the oldest product",
     {"f32[4]"},
     "value=bf16:1",
     "a",
     .status = INVALID,
     .message = "value|BFLOAT16"},
    {"UINT16 on the oldest product",
     {"u16[4]"},
     "value=u16:1",
     "a",
     .status = INVALID,
     .message = "selfRef|UINT16|Ascend910B"},
    {"UINT32 on the oldest product", {"u32[4]"}, "value=u32:1", "a", .status = INVALID, .message = "selfRef"},
    {"UINT64 on the oldest product", {"u64[4]"}, "value=u64:1", "a", .status = INVALID, .message = "selfRef"},
    {"a UINT16 value on the oldest product",
     {"f32[4]"},
     "value=u16:1",
     "a",
     .status = INVALID,
     .message = "value|UINT16"},
    {"UINT16 by its own", {"u16[4]"}, "value=u16:65535", "bc"},
    {"UINT32 by its own", {"u32[4]"}, "value=u32:4294967295", "bc"},
    {"UINT64 by its own", {"u64[4]"}, "value=u64:-1", "bc"},
    {"UINT16 by INT64", {"u16[4]"}, "value=i64:1", "bc", .status = INVALID, .message = "value|promote"},
    {"UINT32 by COMPLEX64", {"u32[4]"}, "value=c64:1", "bc", .status = INVALID, .message = "promote"},
    {"UINT64 by UINT32", {"u64[4]"}, "value=u32:1", "bc", .status = INVALID, .message = "promote"},
    {"FLOAT by UINT16", {"f32[4]"}, "value=u16:1", "bc", .status = INVALID, .message = "promote"},
    {"promotion comes before the rank",
     {"u16[1,1,1,1,1,1,1,1,2]"},
     "value=i64:1",
     "bc",
     .status = INVALID,
     .message = "promote"},
    {"the dtype of value comes before the rank",
     {"f32[1,1,1,1,1,1,1,1,2]"},
     "value=bf16:1",
     "a",
     .status = INVALID,
     .message = "value"},
    {"empty, with a value that does not promote",
     {"u16[0]"},
     "value=i64:1",
     "bc",
     .status = INVALID,
     .message = "promote"},

    /* What is stored. */
    {"2.7 in INT32", {"i32[7]"}, "value=f32:2.7"},
    {"-2.7 in INT8", {"i8[7]"}, "value=f64:-2.7"},
    {"300.7 in INT8", {"i8[7]"}, "value=f32:300.7"},
    {"-1.5 in UINT8", {"u8[7]"}, "value=f32:-1.5"},
    {"infinity in INT32", {"i32[7]"}, "value=f32:inf"},
    {"-infinity in INT64", {"i64[7]"}, "value=f64:-inf"},
    {"NaN in INT64", {"i64[7]"}, "value=f32:nan"},
    {"NaN in BOOL", {"bool[7]"}, "value=f32:nan"},
    {"1e-8 in BOOL", {"bool[7]"}, "value=f32:1e-8"},
    {"-0 in BOOL", {"bool[7]"}, "value=f64:-0.0"},
    {"-0 in FLOAT16", {"f16[7]"}, "value=f64:-0.0"},
    {"256 in BOOL", {"bool[7]"}, "value=i32:256"},
    {"258 in INT8", {"i8[7]"}, "value=i64:258"},
    {"0.1 in FLOAT16", {"f16[7]"}, "value=f64:0.1"},
    {"1e39 in FLOAT", {"f32[7]"}, "value=f64:1e39"},
    {"2^53 + 1 in DOUBLE", {"f64[7]"}, "value=i64:9007199254740993"},
    {"a tie and a bit in BFLOAT16", {"bf16[7]"}, "value=i64:0x4040000000000001", "bc"},
    {"a complex value in COMPLEX64", {"c64[7]"}, "value=c128:0.1,-2"},
    {"a complex value in COMPLEX128", {"c128[7]"}, "value=c64:0.1,nan"},
    {"a real value in COMPLEX128", {"c128[7]"}, "value=i8:-3"},
    {"a complex value in FLOAT is 0", {"f32[7]"}, "value=c64:5,5"},
    {"a complex value in INT16 is 0", {"i16[7]"}, "value=c128:5,5"},
    {"a complex value in BOOL is false", {"bool[7]"}, "value=c128:5,5"},
    {"many elements", {"c128[30001]"}, "value=c128:1,2"},
    {"many elements with gaps", {"i16[300,101]{303,3}+1"}, "value=i32:-2"},
    {"many turned elements", {"i8[300,101]{1,300}+7"}, "value=i32:-2"},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    return aclnnInplaceFillScalarGetWorkspaceSize(operand[0], attributes->slope_handle, workspace_size,
                                                  executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)input;
    (void)input_dtype;
    bool is_from_complex =
        attributes->slope_dtype == ACL_COMPLEX64 || attributes->slope_dtype == ACL_COMPLEX128;
    bool is_to_complex = output_dtype == ACL_COMPLEX64 || output_dtype == ACL_COMPLEX128;
    if (is_from_complex && !is_to_complex)
        memset(output, 0, conversion_bytes(output_dtype));
    else
        conversion_reference(attributes->slope_bytes, attributes->slope_dtype, output, output_dtype);
}

/* Every selfRef by every value that is not only for itself. */
static int add_dtypes(struct call *calls, int count)
{
    static char texts[CONVERSION_DTYPES * CONVERSION_DTYPES][2][40];
    for (int i = 0; i < CONVERSION_DTYPES * CONVERSION_DTYPES; i++) {
        aclDataType to = conversion_dtypes[i / CONVERSION_DTYPES],
                    from = conversion_dtypes[i % CONVERSION_DTYPES];
        bool is_newer = to == ACL_BF16 || from == ACL_BF16;
        bool is_natural = to == ACL_UINT16 || to == ACL_UINT32 || to == ACL_UINT64 || from == ACL_UINT16 ||
                          from == ACL_UINT32 || from == ACL_UINT64;
        snprintf(texts[i][0], sizeof texts[i][0], "%s[5,7]{16,2}", pair_names[i / CONVERSION_DTYPES]);
        snprintf(texts[i][1], sizeof texts[i][1], "value=%s:%s", pair_names[i % CONVERSION_DTYPES],
                 from == ACL_FLOAT || from == ACL_DOUBLE ? "-77.7" : "1");
        calls[count++] = (struct call){.name = texts[i][0],
                                       .operand = {texts[i][0]},
                                       .attributes = texts[i][1],
                                       .products = is_newer || is_natural ? "bc" : NULL,
                                       .status = is_natural && to != from ? INVALID : OK_};
    }
    return count;
}

int main(void)
{
    static struct call calls[COUNT(own) + CONVERSION_DTYPES * CONVERSION_DTYPES];
    memcpy(calls, own, sizeof own);
    const struct operator_under_test fill_scalar = {
        .api = "aclnnInplaceFillScalar",
        .operand_count = 1,
        .is_in_place = true,
        .gives_one_value = true,
        .operand_names = {"selfRef"},
        .calls = calls,
        .call_count = add_dtypes(calls, COUNT(own)),
        .default_attributes = "value=f32:2.5",
        .accepted = ALL_DTYPES,
        .phase_1 = phase_1,
        .phase_2 = aclnnInplaceFillScalar,
        .element = element,
    };
    return contract_main(&fill_scalar);
}
