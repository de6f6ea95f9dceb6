/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceZero: what is its own among the rows, and every dtype.
 */
#include "aclnnop/aclnn_zero.h"

#include "ops/contract.h"
#include "support/conversion.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static const struct call calls[] = {
    {"UINT16", {"u16[1001]"}},
    {"COMPLEX64", {"c64[1001]"}},
    {"COMPLEX128, turned", {"c128[11,13]{1,11}"}},
    {"a dtype comes before a rank",
     {"str[1,1,1,1,1,1,1,1,2]"},
     .status = INVALID,
     .message = "selfRef|STRING"},
    {"a rank comes before an overlap",
     {"f32[1,1,1,1,1,1,1,1,2]{1,1,1,1,1,1,1,1,0}"},
     .status = INVALID,
     .message = "selfRef|9 dims"},
    {"DOUBLE with gaps", {"f64[9,5]{20,3}+1"}},
    {"INT8", {"i8[1001]"}},
    {"INT16", {"i16[1001]+1"}},
    {"INT32, turned", {"i32[11,13]{1,11}"}},
    {"INT64", {"i64[1001]"}},
    {"UINT8", {"u8[1001]+3"}},
    {"BOOL", {"bool[1001]"}},
    {"empty BOOL", {"bool[0,7]"}},
    {"many elements", {"f32[200001]"}},
    {"many elements of 2 bytes", {"f16[200001]+1"}},
};

static aclnnStatus phase_1(aclTensor *const *operand, const struct attributes *attributes,
                           uint64_t *workspace_size, aclOpExecutor **executor)
{
    (void)attributes;
    return aclnnInplaceZeroGetWorkspaceSize(operand[0], workspace_size, executor);
}

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    static const uint8_t value = 0;
    (void)input;
    (void)input_dtype;
    (void)attributes;
    conversion_reference(&value, ACL_UINT8, output, output_dtype);
}

int main(void)
{
    static const struct operator_under_test zero = {
        .api = "aclnnInplaceZero",
        .operand_count = 1,
        .is_in_place = true,
        .operand_names = {"selfRef"},
        .calls = calls,
        .call_count = COUNT(calls),
        .accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT16 | UINT64_C(1) << ACL_INT32 |
                    UINT64_C(1) << ACL_INT64 | UINT64_C(1) << ACL_UINT8 | UINT64_C(1) << ACL_BOOL |
                    UINT64_C(1) << ACL_UINT16 | UINT64_C(1) << ACL_COMPLEX64 | UINT64_C(1) << ACL_COMPLEX128,
        .phase_1 = phase_1,
        .phase_2 = aclnnInplaceZero,
        .element = element,
    };
    return contract_main(&zero);
}
