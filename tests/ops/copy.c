/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceCopy: what is its own among the rows, and every pair of dtypes.
 */
#include "aclnnop/aclnn_copy.h"

#include <string.h>

#include "ops/contract.h"
#include "ops/contract_pairs.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct call own[] = {
    /* In the call selfRef is the first argument, here the last operand. */
    {"all NULL: selfRef is named", {"NULL", "NULL"}, .status = NULLPTR_, .message = "selfRef"},
    {"of two stale handles selfRef is named", {"stale", "stale"}, .status = INVALID, .message = "selfRef"},
    {"src NULL comes before a stale selfRef", {"NULL", "stale"}, .status = NULLPTR_, .message = "src"},
    {"of two dtypes that of selfRef is named",
     {"str[4]", "c32[4]"},
     .status = INVALID,
     .message = "selfRef has dtype COMPLEX32"},
    {"of two impossible views that of selfRef is named",
     {"f32[4]{-1}", "f32[-4]"},
     .status = INVALID,
     .message = "selfRef"},
    {"of two ranks that of selfRef is named",
     {"f32[1,1,1,1,1,1,1,1,2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "selfRef|9 dims"},
    {"the dtype of src comes before the rank of selfRef",
     {"str[2]", "f32[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "src has dtype STRING"},

    /* src broadcasts, selfRef does not. */
    {"one element to all", {"f32[]", "f32[3,5]"}},
    {"one element of rank 2 to all", {"f16[1,1]", "f16[3,5]"}},
    {"a row", {"i32[5]", "i32[3,5]"}},
    {"a column to turned memory", {"i8[3,1]", "i8[3,5]{1,3}"}},
    {"in the middle, in front and to another dtype", {"u8[3,1,2]", "c64[2,3,4,2]"}},
    {"a leading 1", {"f32[4]", "f32[1,4]"}},
    {"a leading 1 of src", {"f32[1,4]", "f32[4]"}, .status = INVALID, .message = "selfRef|shape"},
    {"selfRef does not broadcast", {"f32[3,5]", "f32[3,1]"}, .status = INVALID, .message = "selfRef|shape"},
    {"nor in front", {"f32[3,5]", "f32[5]"}, .status = INVALID, .message = "selfRef|shape"},
    {"to an empty one", {"f32[1]", "f32[0]"}},
    {"an empty one to more", {"f32[0]", "f32[1]"}, .status = INVALID, .message = "shape"},
    {"rank 8 from rank 0", {"bool[]", "i64[2,1,3,1,2,1,2,3]"}},

    /* In one memory. */
    {"a row of itself to all rows", {"f32[6]+30", "f32[6,6]=0"}},
    {"a turned one over itself", {"i16[40,40]", "i16[40,40]{1,40}=0"}},
    {"a part from further on in itself", {"u64[900]+33", "u64[900]=0"}},
    {"to another dtype of the same size", {"i32[999]", "f32[999]=0"}},
    {"16-byte elements that are not aligned", {"c128[10]!odd", "u8[10]"}, .status_of_phase_2 = INVALID},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceCopyGetWorkspaceSize(operand[1], operand[0], workspace_size, executor);
}

int main(void)
{
    static struct call calls[COUNT(own) + PAIRS_MAX];
    memcpy(calls, own, sizeof own);
    const struct operator_under_test copy = {
        .api = "aclnnInplaceCopy",
        .operand_count = 2,
        .operand_names = {"src", "selfRef"},
        .broadcasts_to_output = true,
        .output_comes_first = true,
        .calls = calls,
        .call_count = add_pairs(calls, COUNT(own), true),
        .accepted = ALL_DTYPES,
        .phase_1 = phase_1,
        .phase_2 = aclnnInplaceCopy,
        .element = convert_element,
    };
    return contract_main(&copy);
}
