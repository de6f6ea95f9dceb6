/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclDataTypeSize for every value that an enumerator may have, and for others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl_base.h"

static void sizes_are_those_that_programs_know(void **state)
{
    (void)state;
    /* Values -1 to 41; those that no dtype has count as all others do. */
    static const unsigned char sizes[] = {
        0,                                   /* undefined */
        4, 2, 1, 4, 1, 8,  2, 2, 4, 8, 8, 8, /* FLOAT to DOUBLE; 5 is free */
        1, 0, 8, 8, 8, 16,                   /* BOOL, STRING, two free ones, COMPLEX64, COMPLEX128 */
        8, 8, 8, 8, 8, 8,  8, 8, 8,          /* 18 to 26 are free */
        2, 8, 1, 1, 8, 8,  4,                /* BF16, free, INT4, UINT1, two free ones, COMPLEX32 */
        1, 1, 1, 1, 8, 8,  8, 8,             /* the 8-bit formats; the 6-bit and 4-bit ones */
    };
    assert_int_equal(sizeof sizes, 43);
    for (int dtype = -1; dtype <= 41; dtype++) {
        if (aclDataTypeSize((aclDataType)dtype) != sizes[dtype + 1])
            fail_msg("dtype %d has %zu", dtype, aclDataTypeSize((aclDataType)dtype));
    }
}

static void unknown_values_count_as_the_rest(void **state)
{
    (void)state;
    assert_int_equal(aclDataTypeSize((aclDataType)42), 8);
    assert_int_equal(aclDataTypeSize((aclDataType)99), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_that_programs_know),
        cmocka_unit_test(unknown_values_count_as_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
