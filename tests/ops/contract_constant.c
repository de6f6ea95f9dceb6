/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is their own among the rows of operators that give every element one value, and every dtype.
 */
#include "ops/contract_constant.h"

#include <string.h>

#include "support/conversion.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

enum { OWN_ROWS_MAX = 8 };

static const struct call calls[] = {
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

static const uint64_t accepted = UINT64_C(1) << ACL_INT8 | UINT64_C(1) << ACL_INT16 |
                                 UINT64_C(1) << ACL_INT32 | UINT64_C(1) << ACL_INT64 |
                                 UINT64_C(1) << ACL_UINT8 | UINT64_C(1) << ACL_BOOL;

static uint8_t value_of_elements;

static void element(const void *const *input, const aclDataType *input_dtype, void *output,
                    aclDataType output_dtype, const struct attributes *attributes)
{
    (void)input;
    (void)input_dtype;
    (void)attributes;
    conversion_reference(&value_of_elements, ACL_UINT8, output, output_dtype);
}

int contract_constant_main(struct operator_under_test operator_under_test, uint8_t value)
{
    static struct call rows[COUNT(calls) + OWN_ROWS_MAX];
    if (operator_under_test.call_count > OWN_ROWS_MAX)
        return 1;
    memcpy(rows, calls, sizeof calls);
    for (int i = 0; i < operator_under_test.call_count; i++)
        rows[COUNT(calls) + i] = operator_under_test.calls[i];
    value_of_elements = value;
    operator_under_test.operand_count = 1;
    operator_under_test.is_in_place = true;
    operator_under_test.gives_one_value = true;
    operator_under_test.operand_names[0] = "selfRef";
    operator_under_test.calls = rows;
    operator_under_test.call_count += COUNT(calls);
    operator_under_test.accepted |= accepted;
    operator_under_test.element = element;
    return contract_main(&operator_under_test);
}
