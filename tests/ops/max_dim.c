/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * MaxDim, MinDim, ArgMax, ArgMin, Cummax and Cummin in any layout and dtype against a loop over each line;
 * long lines; values in self's place; and what they refuse.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "ops/lines.h"
#include "support/effort.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
static const char *const names[] = {"aclnnMaxDim", "aclnnMinDim", "aclnnArgMax",
                                    "aclnnArgMin", "aclnnCummax", "aclnnCummin"};

/* Whether a stands before b, NaN before everything. */
static bool is_before(long double a, long double b, bool is_max)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && !isnan(b);
    return is_max ? a > b : a < b;
}

/* A call on lines, and a loop over each of them. */
static void assert_extremes(unsigned which, const struct lines *lines, const struct layout *self, bool keeps)
{
    const bool is_running = which >= 4, has_values = which < 2 || is_running, is_max = which % 2 == 0;
    const int64_t length = is_running ? lines->length : 1;
    struct layout values = create_along(lines, self->dtype, length, keeps || is_running,
                                        (enum layout_kind)random_below(LAYOUT_REPEATED));
    struct layout indices =
        create_along(lines, random_below(2) == 0 ? ACL_INT32 : ACL_INT64, length, keeps || is_running,
                     (enum layout_kind)random_below(LAYOUT_REPEATED));
    union argument argument[5] = {{.tensor = self->tensor}, argument_of_integer(dim_argument(lines))};
    unsigned count = 2;
    if (!is_running)
        argument[count++] = argument_of_bool(keeps);
    if (has_values)
        argument[count++].tensor = values.tensor;
    argument[count++].tensor = indices.tensor;
    assert_int_equal(call_function(find(names[which]), argument), 0);
    for (int64_t line = 0; line < lines->count; line++) {
        int64_t best = 0;
        for (int64_t i = 0; i < lines->length; i++) {
            const int64_t from = line_element(lines, line, i, lines->length);
            const int64_t old = line_element(lines, line, best, lines->length);
            const long double a = number_of_element(self, from), b = number_of_element(self, old);
            if (is_running ? !is_before(b, a, is_max) : is_before(a, b, is_max))
                best = i;
            if (!is_running && i + 1 < lines->length)
                continue;
            const int64_t to = line_element(lines, line, is_running ? i : 0, length);
            const int64_t chosen = line_element(lines, line, best, lines->length);
            if (index_of(&indices, to) != best)
                fail_msg("%s: line %lld: %lld, not %lld", names[which], (long long)line,
                         (long long)index_of(&indices, to), (long long)best);
            if (has_values)
                assert_memory_equal(layout_element(&values, to), layout_element(self, chosen), self->bytes);
        }
    }
    layout_destroy(&values);
    layout_destroy(&indices);
}

static void extremes_of_all_layouts_and_dtypes(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(600); i++) {
        const unsigned which = (unsigned)i % 6;
        const struct lines lines = draw_lines(4, 20000);
        const bool may_be_bool = which != 2 && which != 3;
        struct layout self = layout_create(dtypes[random_below(may_be_bool ? 10 : 9)], lines.rank,
                                           lines.shape, (enum layout_kind)random_below(LAYOUT_KINDS));
        fill_with_ties(&self);
        assert_extremes(which, &lines, &self, random_below(2) == 0);
        layout_destroy(&self);
    }
}

/* Lines that threads share out, whose greatest elements are anywhere, at the ends too. */
static void long_lines(void **state)
{
    static const aclDataType some[] = {ACL_FLOAT, ACL_BF16, ACL_INT64};
    (void)state;
    for (int i = 0; i < 18; i++) {
        struct lines lines = {.rank = 2, .dim = 1, .shape = {1 + i % 3, 200001}, .inner = 1};
        lines.length = lines.shape[1];
        lines.count = lines.shape[0];
        struct layout self = layout_create(some[i / 6], 2, lines.shape, (enum layout_kind)(i % 2));
        layout_fill(&self, 1, false);
        for (int k = 0; k < 2; k++) /* of two equal ones the first */
            set_element(&self, k == 0 && i % 2 == 0 ? 200000 : random_below(self.count), 7);
        assert_extremes((unsigned)i % 6, &lines, &self, true);
        layout_destroy(&self);
    }
}

static void values_in_the_place_of_self(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        const struct lines lines = draw_lines(3, 5000);
        const enum layout_kind kind = (enum layout_kind)random_below(LAYOUT_REPEATED);
        struct layout self = layout_create(ACL_FLOAT16, lines.rank, lines.shape, kind);
        struct layout values = create_along(&lines, ACL_FLOAT16, lines.length, true, LAYOUT_CONTIGUOUS);
        struct layout indices = create_along(&lines, ACL_INT64, lines.length, true, LAYOUT_CONTIGUOUS);
        fill_with_ties(&self);
        union argument argument[] = {{.tensor = self.tensor},
                                     argument_of_integer(dim_argument(&lines)),
                                     {.tensor = values.tensor},
                                     {.tensor = indices.tensor}};
        assert_int_equal(call_function(find("aclnnCummax"), argument), 0);
        argument[2].tensor = self.tensor;
        assert_int_equal(call_function(find("aclnnCummax"), argument), 0);
        for (int64_t k = 0; k < self.count; k++)
            assert_memory_equal(layout_element(&self, k), layout_element(&values, k), self.bytes);
        layout_destroy(&self);
        layout_destroy(&values);
        layout_destroy(&indices);
    }
}

static void faults_are_refused(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 6; which++) {
        struct attempt attempt = accepted(find(names[which]));
        const unsigned last = attempt.function->parameter_count - 1;
        attempt.argument[1].int64 = 2;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, which < 4 ? "dim names dim 2" : "dim is 2");
        attempt.argument[1].int64 = -3;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, which < 4 ? "dim names dim -3" : "dim is -3");
        attempt.argument[1].int64 = 1;
        replace_dtype(&attempt, last, ACL_INT32);
        assert_accepted(&attempt);
        replace_dtype(&attempt, last, ACL_FLOAT);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       which == 2 || which == 3 ? "out has dtype FLOAT; " : "indices");
        replace_dtype(&attempt, last, ACL_INT64);
        if (which < 4)
            replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
        if (which < 4)
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names a dim of self that has size 0");
        replace_dtype(&attempt, 0, which == 2 || which == 3 ? ACL_BOOL : ACL_UINT32);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype ");
        release(&attempt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_of_all_layouts_and_dtypes),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(values_in_the_place_of_self),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
