/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LessScalar, by which PyTorch's number >= tensor is computed: less, or equal, and false of NaN.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"

static void equal_numbers_count_and_nan_does_not(void **state)
{
    static const double numbers[] = {0, 1, 2, -3, (double)NAN};
    static const bool wanted[] = {true, true, false, true, false};
    const int64_t count = 5, one = 1;
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        struct layout self = layout_create(short_dtypes[k], 1, &count, LAYOUT_CONTIGUOUS),
                      out = layout_create(ACL_BOOL, 1, &count, LAYOUT_CONTIGUOUS);
        for (int64_t i = 0; i < count; i++)
            set_element(&self, i, numbers[i]);
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.scalar = aclCreateScalar((void *)(uintptr_t)&one, ACL_INT64)},
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnLessScalar"), argument), 0);
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(*layout_element(&out, i), wanted[i]);
        assert_int_equal(aclDestroyScalar(argument[1].scalar), 0);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_numbers_count_and_nan_does_not)};
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
