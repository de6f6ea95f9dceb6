/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSignbit: whether the sign is set, of every dtype that has one; of zeros and NaN, too, whose sign is
 * that of their bits.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/layout.h"
#include "ops/losses.h"

static const double values[] = {
    0.0, -0.0, 1, -1, 100, -100, 0x1p-14, -0x1p-14, (double)INFINITY, -(double)INFINITY};
enum { VALUES = sizeof values / sizeof values[0], WITH_NAN = VALUES + 2 };

/* Numbers, and of floats the two NaNs; the sign of what has no sign is not set. */
static void the_sign_of_each_dtype(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
    (void)state;
    for (size_t d = 0; d < sizeof dtypes / sizeof dtypes[0]; d++) {
        const bool is_float = is_float_dtype(dtypes[d]);
        const bool is_natural = dtypes[d] == ACL_UINT8 || dtypes[d] == ACL_BOOL;
        const int64_t count = is_float ? WITH_NAN : VALUES - 2;
        struct layout self = layout_create(dtypes[d], 1, &count, LAYOUT_CONTIGUOUS);
        struct layout out = layout_create(ACL_BOOL, 1, &count, LAYOUT_CONTIGUOUS);
        for (int64_t i = 0; i < count; i++) {
            unsigned char *element = layout_element(&self, i);
            if (i < VALUES)
                set_element(&self, i, is_natural ? fabs(values[i]) : values[i]);
            else
                set_element(&self, i, (double)NAN);
            if (i >= VALUES) { /* the sign is the top bit of the last byte */
                element[self.bytes - 1] &= 0x7f;
                element[self.bytes - 1] |= i == VALUES ? 0 : 0x80;
            }
        }
        const union argument argument[] = {{.tensor = self.tensor}, {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnSignbit"), argument), 0);
        for (int64_t i = 0; i < count; i++) {
            const bool is_negative = i >= VALUES ? i > VALUES : signbit(values[i]) != 0;
            const bool has_sign = is_float || (!is_natural && values[i] <= -1);
            if (*layout_element(&out, i) != (is_negative && has_sign))
                fail_msg("%s, element %lld: %d", dtype_name(dtypes[d]), (long long)i,
                         *layout_element(&out, i));
        }
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_sign_of_each_dtype)};
    assert_int_equal(aclInit(NULL) | aclrtSetDevice(0), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
