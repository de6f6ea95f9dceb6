/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Unique, Unique2, UniqueDim and UniqueConsecutive: whole tensors in random layouts against loops over pairs,
 * the shapes that outputs have in the end, and what they refuse.
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

static const aclDataType dtypes[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,   ACL_DOUBLE,   ACL_INT8,
                                     ACL_INT16,  ACL_INT32,   ACL_INT64,  ACL_UINT8,    ACL_BOOL,
                                     ACL_UINT16, ACL_UINT32,  ACL_UINT64, ACL_COMPLEX64};

static bool are_equal(const struct layout *self, int64_t a, int64_t b)
{
    if (self->dtype != ACL_COMPLEX64)
        return number_of_element(self, a) == number_of_element(self, b);
    float x[2], y[2];
    memcpy(x, layout_element(self, a), sizeof x);
    memcpy(y, layout_element(self, b), sizeof y);
    return x[0] == y[0] && x[1] == y[1];
}

/* Few different numbers. */
static void fill_with_few(const struct layout *self)
{
    layout_fill(self, 3, false);
    for (int64_t k = 0; k < self->count; k++) {
        const float parts[] = {(float)random_below(2), random_below(2) == 0 ? 0.0F : -0.0F};
        if (self->dtype == ACL_COMPLEX64)
            memcpy(layout_element(self, k), parts, sizeof parts);
        else if (random_below(20) > 0)
            set_element(self, k,
                        is_float_dtype(self->dtype) && random_below(12) == 0 ? (double)NAN
                        : random_below(3) == 0                               ? -0.0
                                                                             : (double)random_below(5));
    }
}

static void assert_view(const struct layout *layout, unsigned rank, const int64_t *shape)
{
    int64_t *dims;
    uint64_t count;
    assert_int_equal(aclGetViewShape(layout->tensor, &dims, &count), 0);
    assert_int_equal(count, rank);
    for (unsigned i = 0; i < rank; i++)
        assert_int_equal(dims[i], shape[i]);
    free(dims);
}

/* The element of a value that is packed in its new shape, or lies along its strides. */
static const unsigned char *packed(const struct layout *value, const int64_t *shape, int64_t number)
{
    int64_t place = value->offset, rest = number;
    bool is_contiguous = true;
    for (unsigned i = value->rank, step = 1; i-- > 0; step *= (unsigned)value->shape[i])
        is_contiguous = is_contiguous && (value->stride[i] == step || value->shape[i] == 1);
    for (unsigned i = value->rank; i-- > 0 && !is_contiguous; rest /= shape[i])
        place += rest % shape[i] * value->stride[i];
    return value->memory + (size_t)(is_contiguous ? place + number : place) * value->bytes;
}

enum which { UNIQUE, UNIQUE2, SLICES, FLATTENED, ALONG, FUNCTIONS };
static const char *const names[] = {"aclnnUnique", "aclnnUnique2", "aclnnUniqueDim", "aclnnUniqueConsecutive",
                                    "aclnnUniqueConsecutive"};

static bool slices_are_equal(const struct layout *self, const struct lines *lines, int64_t a, int64_t b)
{
    bool are = true;
    for (int64_t line = 0; line < lines->count && are; line++)
        are = are_equal(self, line_element(lines, line, a, lines->length),
                        line_element(lines, line, b, lines->length));
    return are;
}

/* For each place of a line the run that it belongs to, and the places that runs begin with. */
static int64_t find_runs(enum which which, const struct layout *self, const struct lines *lines,
                         int64_t *begin, int64_t *run)
{
    int64_t found = 0;
    for (int64_t i = 0; i < lines->length; i++) {
        run[i] = which < FLATTENED ? 0 : found > 0 ? found - 1 : 0;
        while (run[i] < found && !slices_are_equal(self, lines, which < FLATTENED ? begin[run[i]] : i - 1, i))
            run[i]++;
        if (run[i] == found)
            begin[found++] = i;
    }
    return found;
}

/* Whether slice a stands before b: the first elements that differ decide, NaN is the greatest; of others the
 * former. */
static bool stands_before(const struct layout *self, const struct lines *lines, int64_t a, int64_t b)
{
    for (int64_t line = 0; line < lines->count; line++) {
        const long double x = number_of_element(self, line_element(lines, line, a, lines->length));
        const long double y = number_of_element(self, line_element(lines, line, b, lines->length));
        if (isnan(x) != isnan(y))
            return isnan(y);
        if (!isnan(x) && x != y)
            return x < y;
    }
    return a < b;
}

/* Ascending. */
static void sort_runs(const struct layout *self, const struct lines *lines, int64_t found, int64_t *begin,
                      int64_t *run)
{
    int64_t *rank = malloc((size_t)found * sizeof *rank), *sorted = malloc((size_t)found * sizeof *sorted);
    for (int64_t a = 0; a < found; a++) {
        rank[a] = 0;
        for (int64_t b = 0; b < found; b++)
            rank[a] += a != b && stands_before(self, lines, begin[b], begin[a]);
        sorted[rank[a]] = begin[a];
    }
    for (int64_t i = 0; i < lines->length; i++)
        run[i] = rank[run[i]];
    memcpy(begin, sorted, (size_t)found * sizeof *begin);
    free(rank);
    free(sorted);
}

static void try_one(enum which which, struct lines lines, aclDataType dtype, bool is_plain)
{
    const bool returns_inverse = random_below(2) == 0, returns_counts = random_below(2) == 0;
    const bool has_counts = which == SLICES || (which != UNIQUE && returns_counts);
    const bool has_inverse = returns_inverse || (which == UNIQUE2 && returns_counts);
    const aclDataType integer = which >= FLATTENED && random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
    const int64_t dim = dim_argument(&lines), none = 0;
    struct layout self =
        layout_create(dtype, lines.rank, lines.shape, (enum layout_kind)random_below(LAYOUT_KINDS));
    const bool is_flat = (which != ALONG && which != SLICES) || lines.rank == 0;
    if (is_flat)
        lines.length = self.count;
    const struct lines whole = {.rank = 1, .length = self.count, .inner = 1, .count = 1};
    const enum layout_kind kind = is_plain ? LAYOUT_CONTIGUOUS : LAYOUT_GAPS;
    struct layout value =
        layout_create(dtype, is_flat ? 1 : lines.rank, is_flat ? &lines.length : lines.shape, kind);
    struct layout inverse = has_inverse && is_flat
                                ? layout_create(integer, lines.rank, lines.shape, LAYOUT_PERMUTED)
                                : layout_create(integer, 1, has_inverse ? &lines.length : &none, kind);
    struct layout counts = layout_create(integer, 1, has_counts ? &lines.length : &none, kind);
    fill_with_few(&self);
    int64_t *begin = malloc((size_t)lines.length * sizeof *begin),
            *run = malloc((size_t)lines.length * sizeof *run);
    const struct lines *own = is_flat ? &whole : &lines;
    const int64_t found = find_runs(which, &self, own, begin, run);
    if (which < FLATTENED)
        sort_runs(&self, own, found, begin, run);
    union argument argument[7] = {{.tensor = self.tensor}};
    unsigned count = 1;
    if (which < FLATTENED)
        argument[count++] = argument_of_bool(random_below(2) == 0);
    argument[count++] = argument_of_bool(returns_inverse);
    if (which != UNIQUE && which != SLICES)
        argument[count++] = argument_of_bool(returns_counts);
    if (which >= SLICES)
        argument[count++] = argument_of_integer(which == FLATTENED ? 1000 : dim);
    argument[count++].tensor = value.tensor;
    argument[count++].tensor = inverse.tensor;
    argument[count].tensor = counts.tensor;
    assert_int_equal(call_function(find(names[which]), argument), 0);
    int64_t shape[LAYOUT_RANK_MAX] = {found};
    for (unsigned i = 0; !is_flat && i < lines.rank; i++)
        shape[i] = i == lines.dim ? found : lines.shape[i];
    assert_view(&value, value.rank, shape);
    for (int64_t line = 0; line < own->count; line++)
        for (int64_t r = 0; r < found; r++)
            assert_memory_equal(packed(&value, shape, line_element(own, line, r, found)),
                                layout_element(&self, line_element(own, line, begin[r], own->length)),
                                value.bytes);
    for (int64_t i = 0; has_inverse && i < lines.length; i++)
        assert_int_equal(index_of(&inverse, i), run[i]);
    for (int64_t r = 0, sum; has_counts && r < found; r++) {
        sum = 0;
        for (int64_t i = 0; i < lines.length; i++)
            sum += run[i] == r;
        assert_int_equal(index_of(&counts, r), sum);
    }
    if (has_counts)
        assert_view(&counts, 1, &found);
    free(begin);
    free(run);
    layout_destroy(&self);
    layout_destroy(&value);
    layout_destroy(&inverse);
    layout_destroy(&counts);
}

static void all_layouts_and_dtypes(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(400); i++) {
        const enum which which = (enum which)(i % FUNCTIONS);
        try_one(which, draw_lines(4, 600), dtypes[random_below(which >= FLATTENED ? 14 : 13)],
                random_below(2) == 0);
    }
}

static void long_ones(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct lines lines = {.rank = 1, .shape = {70001}, .length = 70001, .inner = 1, .count = 1};
        try_one((enum which)(i % 3), lines, i == 3 ? ACL_INT64 : ACL_INT8, true);
    }
}

static void of_nothing(void **state)
{
    (void)state;
    const int64_t shape[] = {3, 0}, none = 0;
    struct layout self = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
    struct layout value = layout_create(ACL_FLOAT, 1, &none, LAYOUT_CONTIGUOUS);
    struct layout inverse = layout_create(ACL_INT64, 2, shape, LAYOUT_CONTIGUOUS);
    struct layout counts = layout_create(ACL_INT64, 1, &none, LAYOUT_CONTIGUOUS);
    const union argument argument[] = {{.tensor = self.tensor},  argument_of_bool(true),
                                       argument_of_bool(true),   argument_of_bool(true),
                                       {.tensor = value.tensor}, {.tensor = inverse.tensor},
                                       {.tensor = counts.tensor}};
    assert_int_equal(call_function(find("aclnnUnique2"), argument), 0);
    assert_view(&value, 1, &none);
    layout_destroy(&self);
    layout_destroy(&value);
    layout_destroy(&inverse);
    layout_destroy(&counts);
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnUnique2"));
    replace_dtype(&attempt, 5, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inverseOut has dtype INT32");
    replace_dtype(&attempt, 5, ACL_INT64);
    replace(&attempt, 4, tensor_with(ACL_FLOAT, 1, (const int64_t[]){5}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "valueOut has shape [5]; [6]");
    replace_dtype(&attempt, 0, ACL_COMPLEX64);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype COMPLEX64");
    release(&attempt);
    attempt = accepted(find("aclnnUniqueConsecutive"));
    attempt.argument[3].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is 2");
    attempt.argument[3].int64 = 1000;
    replace_dtype(&attempt, 6, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inverseOut is INT64 and countsOut is INT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_and_dtypes),
        cmocka_unit_test(long_ones),
        cmocka_unit_test(of_nothing),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
