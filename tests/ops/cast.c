/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnCast: what is its own among the rows, and every pair of dtypes.
 */
#include "aclnnop/aclnn_cast.h"

#include <stdlib.h>
#include <string.h>

#include "ops/contract.h"
#include "ops/contract_pairs.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct call own[] = {
    /* The dtype that is asked for. */
    {"out of another dtype than dtype",
     {"f32[4]", "f32[4]"},
     "dtype=f16",
     .status = INVALID,
     .message = "out has dtype FLOAT|FLOAT16"},
    {"out of another dtype of the same size",
     {"f32[4]", "i32[4]"},
     "dtype=u32",
     .status = INVALID,
     .message = "out has dtype INT32|UINT32"},
    {"dtype that nothing is cast to",
     {"f32[4]", "f32[4]"},
     "dtype=c32",
     .status = INVALID,
     .message = "dtype is COMPLEX32"},
    {"dtype STRING", {"f32[4]", "f32[4]"}, "dtype=str", .status = INVALID, .message = "dtype is STRING"},
    {"dtype undefined", {"f32[4]", "f32[4]"}, "dtype=undefined", .status = INVALID, .message = "dtype is -1"},
    {"dtype unknown", {"f32[4]", "f32[4]"}, "dtype=unknown", .status = INVALID, .message = "dtype is 999"},
    {"dtype BFLOAT16 on the oldest product",
     {"f32[4]", "bf16[4]"},
     "dtype=bf16",
     "a",
     .status = INVALID,
     .message = "dtype is BFLOAT16|Ascend910B"},
    {"the dtype of self comes before dtype",
     {"str[4]", "f32[4]"},
     "dtype=c32",
     .status = INVALID,
     .message = "self has dtype STRING"},
    {"dtype comes before the dtype of out",
     {"f32[4]", "str[4]"},
     "dtype=c32",
     .status = INVALID,
     .message = "dtype is COMPLEX32"},
    {"dtype comes before a rank",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[2]"},
     "dtype=c32",
     .status = INVALID,
     .message = "dtype is COMPLEX32"},
    {"the dtype of out comes before a shape",
     {"f32[4]", "i8[5]"},
     "dtype=f32",
     .status = INVALID,
     .message = "out has dtype INT8"},
    {"out NULL comes before dtype", {"f32[4]", "NULL"}, "dtype=c32", .status = NULLPTR_, .message = "out"},

    /* Shapes are equal. */
    {"self does not broadcast", {"f32[1]", "i32[4]"}, .status = INVALID, .message = "out|shape"},
    {"nor does it in front", {"f32[4]", "i32[2,4]"}, .status = INVALID, .message = "out|shape"},
    {"empty, to another dtype", {"f32[0,3]", "c128[0,3]"}},
    {"empty of another shape", {"f32[0,3]", "i8[0,4]"}, .status = INVALID, .message = "out|shape"},
    {"rank 0 to another dtype", {"c128[]", "bool[]"}},
    {"rank 9 of another dtype",
     {"i8[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "self|9 dims"},

    /* In one memory. */
    {"to a dtype of the same size in place", {"f32[3000]", "i32[3000]=0"}},
    {"to a wider dtype over itself", {"f64[600]", "c128[300]=0"}, .status = INVALID, .message = "shape"},
    {"to a narrower dtype over itself", {"f32[3000]", "bf16[3000]=0"}, .products = "bc"},
    {"to a narrower dtype further on", {"i64[3000]", "u8[3000]=0+777"}},
    {"the same bits over themselves, turned", {"c64[30,30]", "c64[30,30]{1,30}=0"}},
    {"the same bits in place", {"u16[3000]", "u16[3000]=0"}},
    {"16-bit elements that are odd ones out", {"u8[100]", "i16[100]!odd"}, .status_of_phase_2 = INVALID},
    {"16-byte elements", {"u8[100]", "c128[100]!odd"}, .status_of_phase_2 = INVALID},
    {"large", {"i32[300,401]{401,1}", "f16[300,401]{1,300}"}},
    {"large and of one dtype", {"bool[300,401]{1,300}", "bool[300,401]"}},
};

/* Where a row does not say it, dtype is out's, or one that the product has. */
static aclDataType dtype_of(const aclTensor *out, const struct attributes *attributes, bool is_given)
{
    aclDataType dtype = ACL_DT_UNDEFINED;
    if (is_given)
        return attributes->dtype;
    if (aclGetDataType(out, &dtype) != 0)
        return ACL_FLOAT;
    bool is_oldest = strcmp(getenv("BELAY_SOC"), "Ascend910A") == 0;
    for (int i = 0; i < CONVERSION_DTYPES; i++)
        if (conversion_dtypes[i] == dtype && !(is_oldest && dtype == ACL_BF16))
            return dtype;
    return ACL_FLOAT;
}

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    aclDataType dtype = dtype_of(operand[1], attributes, attributes->has_dtype);
    return aclnnCastGetWorkspaceSize(operand[0], dtype, operand[1], workspace_size, executor);
}

int main(void)
{
    static struct call calls[COUNT(own) + PAIRS_MAX];
    memcpy(calls, own, sizeof own);
    const struct operator_under_test cast = {
        .api = "aclnnCast",
        .operand_count = 2,
        .operand_names = {"self", "out"},
        .calls = calls,
        .call_count = add_pairs(calls, COUNT(own), false),
        .accepted = ALL_DTYPES,
        .phase_1 = phase_1,
        .phase_2 = aclnnCast,
        .element = convert_element,
    };
    return contract_main(&cast);
}
