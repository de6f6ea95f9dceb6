/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * InplaceMaskedScatter in any layout against a loop over elements, a source that is too short or shares
 * memory with what is written, and what it refuses.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/failure.h"

enum { FAULT = 507035 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT64, ACL_BOOL};

static bool is_true_at(const struct layout *mask, unsigned rank, const int64_t *shape, int64_t k)
{
    return broadcast_element(mask, rank, shape, k) != 0;
}

static void elements_go_where_the_mask_is_true(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        int64_t shape[LAYOUT_RANK_MAX], trues = 0, taken = 0;
        const unsigned rank = draw_dims(shape, 0, 4, round % 20 == 0 ? 60000 : 3000);
        struct layout self = layout_create(dtypes[random_below(6)], rank, shape,
                                           (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout mask = draw_smaller(random_below(2) == 0 ? ACL_BOOL : ACL_UINT8, rank, shape,
                                          (enum layout_kind)random_below(LAYOUT_KINDS));
        layout_fill(&self, 9, MANY_SPECIALS);
        layout_fill(&mask, 1, false);
        for (int64_t k = 0; mask.dtype == ACL_UINT8 && k < mask.count; k++)
            set_element(&mask, k, (double)(random_below(3) == 0 ? random_below(256) : 0));
        for (int64_t k = 0; k < self.count; k++)
            trues += is_true_at(&mask, rank, shape, k);
        const bool is_short = random_below(8) == 0 && trues > 0;
        const int64_t count = is_short ? trues - 1 : trues + random_below(3);
        struct layout source =
            layout_create(self.dtype, 1, &count, (enum layout_kind)random_below(LAYOUT_KINDS));
        layout_fill(&source, 9, MANY_SPECIALS);
        unsigned char *wanted = malloc((size_t)self.count * self.bytes);
        for (int64_t k = 0; k < self.count; k++)
            memcpy(wanted + (size_t)k * self.bytes,
                   !is_short && is_true_at(&mask, rank, shape, k) ? layout_element(&source, taken++)
                                                                  : layout_element(&self, k),
                   self.bytes);
        const union argument argument[] = {
            {.tensor = self.tensor}, {.tensor = mask.tensor}, {.tensor = source.tensor}};
        const struct function *function = find("aclnnInplaceMaskedScatter");
        if (is_short)
            assert_failure(call_function(function, argument), FAULT,
                           "aclnnInplaceMaskedScatter: source holds ");
        else
            assert_int_equal(call_function(function, argument), 0);
        for (int64_t k = 0; k < self.count; k++)
            assert_memory_equal(layout_element(&self, k), wanted + (size_t)k * self.bytes, self.bytes);
        free(wanted);
        layout_destroy(&self);
        layout_destroy(&mask);
        layout_destroy(&source);
    }
}

/* The source is the tensor itself: its first elements go to where the mask is true. */
static void a_source_that_is_written(void **state)
{
    (void)state;
    const int64_t count = 2000;
    struct layout self = layout_create(ACL_INT32, 1, &count, LAYOUT_CONTIGUOUS);
    struct layout mask = layout_create(ACL_BOOL, 1, &count, LAYOUT_CONTIGUOUS);
    for (int64_t k = 0; k < count; k++) {
        set_element(&self, k, (double)k);
        *layout_element(&mask, k) = k % 3 == 2;
    }
    const union argument argument[] = {
        {.tensor = self.tensor}, {.tensor = mask.tensor}, {.tensor = self.tensor}};
    assert_int_equal(call_function(find("aclnnInplaceMaskedScatter"), argument), 0);
    for (int64_t k = 0; k < count; k++)
        assert_true(element_of(&self, k) == (double)(k % 3 == 2 ? k / 3 : k));
    layout_destroy(&self);
    layout_destroy(&mask);
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnInplaceMaskedScatter"));
    replace(&attempt, 1, tensor_with(ACL_BOOL, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mask has shape [2]");
    replace(&attempt, 1, tensor_with(ACL_BOOL, 3, DIMS(2, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mask has shape [2, 2, 3]");
    replace_dtype(&attempt, 2, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "source has dtype INT32");
    replace_dtype(&attempt, 1, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mask has dtype INT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_go_where_the_mask_is_true),
        cmocka_unit_test(a_source_that_is_written),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
