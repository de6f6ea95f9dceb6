/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Median, NanMedian, MedianDim, NanMedianDim and Kthvalue in any layout and dtype against a sort of each
 * line; of nothing; and what they refuse.
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

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};

enum which { MEDIAN, NAN_MEDIAN, MEDIAN_DIM, NAN_MEDIAN_DIM, KTHVALUE, FUNCTIONS };
static const char *const names[] = {"aclnnMedian", "aclnnNanMedian", "aclnnMedianDim", "aclnnNanMedianDim",
                                    "aclnnKthvalue"};

struct number {
    long double value;
    int64_t place;
};

static int compare(const void *a, const void *b)
{
    const struct number *x = a, *y = b;
    if (isnan(x->value) != isnan(y->value))
        return isnan(x->value) ? 1 : -1;
    if (!isnan(x->value) && x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* The number in the order of what is asked for. */
static int64_t number_of_choice(enum which which, const struct number *row, int64_t length, int64_t k)
{
    int64_t numbers = length;
    while (numbers > 0 && isnan(row[numbers - 1].value))
        numbers--;
    if (which == KTHVALUE)
        return k - 1;
    if (which == MEDIAN || which == MEDIAN_DIM)
        return numbers < length ? numbers : (length - 1) / 2;
    return numbers > 0 ? (numbers - 1) / 2 : 0;
}

static void try_lines(enum which which, struct lines lines, aclDataType dtype)
{
    const bool is_whole = which <= NAN_MEDIAN, keeps = random_below(2) == 0;
    struct layout self =
        layout_create(dtype, lines.rank, lines.shape, (enum layout_kind)random_below(LAYOUT_KINDS));
    const int64_t one = 1, dim = dim_argument(&lines), k = 1 + random_below(lines.length);
    if (is_whole) {
        lines.length = self.count;
        lines.count = lines.inner = 1;
    }
    struct layout values = is_whole ? layout_create(dtype, keeps, &one, LAYOUT_GAPS)
                                    : create_along(&lines, dtype, 1, keeps, LAYOUT_GAPS);
    struct layout indices = is_whole ? values : create_along(&lines, ACL_INT64, 1, keeps, LAYOUT_PERMUTED);
    fill_with_ties(&self);
    union argument argument[6] = {{.tensor = self.tensor}};
    unsigned count = 1;
    if (which == KTHVALUE)
        argument[count++] = argument_of_integer(k);
    if (!is_whole) {
        argument[count++] = argument_of_integer(dim);
        argument[count++] = argument_of_bool(keeps);
    }
    argument[count++].tensor = values.tensor;
    argument[count].tensor = indices.tensor;
    assert_int_equal(call_function(find(names[which]), argument), 0);
    struct number *row = malloc((size_t)lines.length * sizeof *row);
    for (int64_t line = 0; line < lines.count; line++) {
        for (int64_t i = 0; i < lines.length; i++)
            row[i] =
                (struct number){number_of_element(&self, line_element(&lines, line, i, lines.length)), i};
        qsort(row, (size_t)lines.length, sizeof *row, compare);
        const int64_t place = row[number_of_choice(which, row, lines.length, k)].place;
        const int64_t to = line_element(&lines, line, 0, 1);
        if (!is_whole)
            assert_int_equal(index_of(&indices, to), place);
        assert_memory_equal(layout_element(&values, to),
                            layout_element(&self, line_element(&lines, line, place, lines.length)),
                            self.bytes);
    }
    free(row);
    layout_destroy(&self);
    layout_destroy(&values);
    if (!is_whole)
        layout_destroy(&indices);
}

static void all_layouts_and_dtypes(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(500); i++)
        try_lines((enum which)(i % FUNCTIONS), draw_lines(4, 20000), dtypes[random_below(8)]);
}

static void long_lines(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++) {
        const int64_t length = 4096 + random_below(90000);
        const struct lines lines = {.rank = 1, .shape = {length}, .length = length, .inner = 1, .count = 1};
        try_lines((enum which)(i % FUNCTIONS), lines, dtypes[i % 8]);
    }
}

static void of_nothing(void **state)
{
    (void)state;
    static const int64_t none[] = {0, 3};
    for (int i = 0; i < 2; i++) {
        struct layout self = layout_create(i == 0 ? ACL_FLOAT16 : ACL_FLOAT, 2, none, LAYOUT_CONTIGUOUS);
        struct layout out = layout_create(self.dtype, 0, NULL, LAYOUT_CONTIGUOUS);
        const union argument argument[] = {{.tensor = self.tensor}, {.tensor = out.tensor}};
        assert_int_equal(call_function(find(names[i]), argument), 0);
        assert_true(isnan(element_of(&out, 0)));
        layout_destroy(&self);
        layout_destroy(&out);
    }
    struct attempt attempt = accepted(find("aclnnMedian"));
    replace(&attempt, 0, tensor_with(ACL_INT32, 1, none, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has no elements; 1 or more");
    release(&attempt);
    attempt = accepted(find("aclnnMedianDim"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, (const int64_t[]){2, 0}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 0 elements along dim");
    release(&attempt);
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnKthvalue"));
    for (int64_t k = 0; k <= 4; k += 4) {
        attempt.argument[1].int64 = k;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, k == 0 ? "k is 0; 1 to the 3" : "k is 4; 1 to");
    }
    attempt.argument[1].int64 = 3;
    assert_accepted(&attempt);
    attempt.argument[2].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim names dim 2 of self");
    attempt.argument[2].int64 = -1;
    replace_dtype(&attempt, 5, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indicesOut has dtype INT32");
    replace_dtype(&attempt, 0, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype DOUBLE");
    release(&attempt);
    attempt = accepted(find("aclnnMedian"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, (const int64_t[]){2}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "valuesOut has shape [2]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_and_dtypes),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(of_nothing),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
