/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnInplaceFillTensor: every pair of dtypes in any layout, and what is refused.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,     ACL_INT16,
                                     ACL_INT32, ACL_INT64,   ACL_UINT8, ACL_BOOL,   ACL_COMPLEX64};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static void every_element_is_the_value(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(3) * DTYPES * DTYPES; i++) {
        const int64_t shape[] = {random_below(9), random_below(40)};
        struct layout value = layout_create(dtypes[i % DTYPES], (unsigned)random_below(3), DIMS(1, 1),
                                            (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout self = layout_create(dtypes[i / DTYPES % DTYPES], 2, shape,
                                           (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&value, 50, MANY_SPECIALS);
        unsigned char expected[16];
        conversion_reference(layout_element(&value, 0), value.dtype, expected, self.dtype);
        const union argument argument[] = {argument_of_pointer(self.tensor),
                                           argument_of_pointer(value.tensor)};
        assert_int_equal(call_function(find("aclnnInplaceFillTensor"), argument), 0);
        for (int64_t k = 0; k < self.count; k++)
            assert_memory_equal(layout_element(&self, k), expected, self.bytes);
        layout_destroy(&value), layout_destroy(&self);
    }
}

static void more_than_one_value_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnInplaceFillTensor"));
    assert_accepted(&attempt);
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "value has 3 elements; one is expected");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(1, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has shape [2, 3]");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "value has 0 elements; one is expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_is_the_value),
        cmocka_unit_test(more_than_one_value_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
