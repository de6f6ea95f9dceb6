/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * SearchSorted, SearchSorteds, Bincount and Histc in any layout and dtype against loops, and what they
 * refuse.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "ops/lines.h"
#include "ops/promote.h"
#include "support/effort.h"

enum { FAULT = 507035 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};

/* An element as the dtype that two promote to. */
static long double promoted(const unsigned char *element, aclDataType dtype, aclDataType to)
{
    unsigned char cast[16];
    int64_t integer;
    double real;
    conversion_reference(element, dtype, cast, to);
    if (is_float_dtype(to)) {
        conversion_reference(cast, to, &real, ACL_DOUBLE);
        return (long double)real;
    }
    conversion_reference(cast, to, &integer, ACL_INT64);
    return (long double)integer;
}

static void values_find_their_places(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        const bool is_scalar = round % 5 == 0, right = random_below(2) == 0, is_single = random_below(2) == 0;
        const bool is_row = is_scalar || random_below(2) == 0, has_sorter = random_below(3) == 0;
        int64_t shape[LAYOUT_RANK_MAX], rows[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, is_row ? 0 : 1, 3, 2000);
        const unsigned row_rank = is_row ? 1 : rank;
        memcpy(rows, shape, sizeof shape);
        const int64_t length = rows[row_rank - 1] = random_below(20);
        const aclDataType of_rows = dtypes[random_below(9)], own = dtypes[random_below(9)];
        const aclDataType together = promote(of_rows, own);
        struct layout sequence =
            layout_create(of_rows, row_rank, rows, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout self =
            layout_create(own, is_scalar ? 0 : rank, shape, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout sorter = layout_create(ACL_INT64, row_rank, rows, LAYOUT_GAPS);
        struct layout out =
            layout_create(is_single ? ACL_INT32 : ACL_INT64, self.rank, shape, LAYOUT_PERMUTED);
        fill_with_ties(&sequence); /* not sorted: the halving decides */
        fill_with_ties(&self);
        for (int64_t i = 0; i < sorter.count; i++)
            set_index(&sorter, i, random_below(length));
        aclScalar *scalar = aclCreateScalar(layout_element(&self, 0), own);
        const union argument argument[] = {
            {.tensor = sequence.tensor},
            {.handle = is_scalar ? (const void *)scalar : (const void *)self.tensor},
            argument_of_bool(is_single),
            argument_of_bool(right),
            {.tensor = has_sorter ? sorter.tensor : NULL},
            {.tensor = out.tensor}};
        assert_int_equal(
            call_function(find(is_scalar ? "aclnnSearchSorteds" : "aclnnSearchSorted"), argument), 0);
        if (is_row && !is_scalar && !has_sorter) /* the same by the other name */
            assert_int_equal(call_function(find("aclnnBucketize"),
                                           (const union argument[]){argument[1], argument[0], argument[2],
                                                                    argument[3], argument[5]}),
                             0);
        for (int64_t i = 0; i < out.count; i++) {
            const long double value = promoted(layout_element(&self, i), own, together);
            const int64_t first = is_row ? 0 : i / shape[rank - 1] * length;
            int64_t low = 0, high = length;
            while (low < high) {
                const int64_t middle = (low + high) / 2;
                const int64_t at = first + (has_sorter ? index_of(&sorter, first + middle) : middle);
                const long double there = promoted(layout_element(&sequence, at), of_rows, together);
                if (right ? !(there > value) : !(there >= value))
                    low = middle + 1;
                else
                    high = middle;
            }
            assert_int_equal(index_of(&out, i), low);
        }
        assert_int_equal(aclDestroyScalar(scalar), 0);
        layout_destroy(&sequence);
        layout_destroy(&self);
        layout_destroy(&sorter);
        layout_destroy(&out);
    }
}

static void numbers_are_counted(void **state)
{
    static const aclDataType counted[] = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
    static const aclDataType weighing[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,
                                           ACL_INT32, ACL_INT64,   ACL_UINT8,  ACL_BOOL};
    static const aclDataType results[] = {ACL_INT32, ACL_INT64, ACL_FLOAT, ACL_DOUBLE};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t count = random_below(2000), length = random_below(40);
        const bool has_weights = random_below(2) == 0;
        struct layout self = layout_create(counted[random_below(5)], 1, &count, LAYOUT_GAPS);
        struct layout weights = layout_create(weighing[random_below(8)], 1, &count, LAYOUT_GAPS);
        struct layout out = layout_create(results[random_below(4)], 1, &length, LAYOUT_GAPS);
        const aclDataType wide = has_weights && is_float_dtype(out.dtype) ? ACL_DOUBLE : ACL_INT64;
        layout_fill(&weights, 5, false);
        for (int64_t i = 0; i < count; i++)
            set_index(&self, i, random_below(45)); /* some behind the end */
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.tensor = has_weights ? weights.tensor : NULL},
                                           argument_of_integer(random_below(9)),
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnBincount"), argument), 0);
        for (int64_t v = 0; v < length; v++) {
            unsigned char wanted[8];
            double real = 0;
            uint64_t integer = 0;
            for (int64_t i = 0; i < count; i++) {
                union {
                    double real;
                    uint64_t integer;
                } weight = {.integer = 1};
                if (index_of(&self, i) != v)
                    continue;
                if (has_weights)
                    conversion_reference(layout_element(&weights, i), weights.dtype, &weight, wide);
                if (wide == ACL_DOUBLE)
                    real += weight.real;
                else
                    integer += weight.integer;
            }
            conversion_reference(wide == ACL_DOUBLE ? (const void *)&real : &integer, wide, wanted,
                                 out.dtype);
            assert_memory_equal(layout_element(&out, v), wanted, out.bytes);
        }
        layout_destroy(&self);
        layout_destroy(&weights);
        layout_destroy(&out);
    }
}

static void elements_fall_into_bins(void **state)
{
    static const aclDataType binned[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 3, 2000);
        const int64_t bins = 1 + random_below(20);
        const bool is_free = random_below(3) == 0;
        struct layout self = layout_create(binned[random_below(6)], rank, shape, LAYOUT_PERMUTED);
        struct layout out =
            layout_create(random_below(2) == 0 ? self.dtype : ACL_FLOAT, 1, &bins, LAYOUT_GAPS);
        float least = is_free ? 3 : (float)(random_below(40) - 20) / 4;
        float greatest = is_free ? least : least + (float)random_below(30) / 4;
        int64_t count[20] = {0};
        layout_fill(&self, 9, false);
        for (int64_t i = 0; i < self.count; i++)
            set_element(&self, i, (double)(random_below(64) - (self.dtype == ACL_UINT8 ? 0 : 32)) / 4);
        double low = (double)least, high = (double)greatest;
        if (low == high) {
            low = (double)INFINITY;
            high = -(double)INFINITY;
            for (int64_t i = 0; i < self.count; i++) {
                low = fmin(low, element_of(&self, i));
                high = fmax(high, element_of(&self, i));
            }
            if (low == high) {
                low -= 1;
                high += 1;
            }
        }
        for (int64_t i = 0; i < self.count; i++) {
            const double value = element_of(&self, i);
            const int64_t bin = (int64_t)floor((value - low) * (double)bins / (high - low));
            if (value >= low && value <= high)
                count[bin < bins ? bin : bins - 1]++;
        }
        aclScalar *min = aclCreateScalar(&least, ACL_FLOAT), *max = aclCreateScalar(&greatest, ACL_FLOAT);
        const union argument argument[] = {{.tensor = self.tensor},
                                           argument_of_integer(bins),
                                           {.scalar = min},
                                           {.scalar = max},
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnHistc"), argument), 0);
        for (int64_t i = 0; i < bins; i++) {
            unsigned char wanted[8];
            conversion_reference(&count[i], ACL_INT64, wanted, out.dtype);
            assert_memory_equal(layout_element(&out, i), wanted, out.bytes);
        }
        assert_int_equal(aclDestroyScalar(min) | aclDestroyScalar(max), 0);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void faults(void **state)
{
    (void)state;
    const int64_t three = 3;
    struct layout self = layout_create(ACL_INT64, 1, &three, LAYOUT_CONTIGUOUS);
    struct layout sorter = layout_create(ACL_INT64, 1, &three, LAYOUT_CONTIGUOUS);
    struct layout out = layout_create(ACL_INT64, 1, &three, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < 3; i++) {
        set_index(&self, i, i == 2 ? -4 : 0);
        set_index(&sorter, i, i == 1 ? 3 : 0);
    }
    const union argument counting[] = {
        {.tensor = self.tensor}, {.tensor = NULL}, argument_of_integer(0), {.tensor = out.tensor}};
    const union argument searching[] = {{.tensor = self.tensor},   {.tensor = self.tensor},
                                        argument_of_bool(false),   argument_of_bool(false),
                                        {.tensor = sorter.tensor}, {.tensor = out.tensor}};
    assert_failure(call_function(find("aclnnBincount"), counting), FAULT,
                   "self holds -4 at [2]; 0 or more is expected");
    assert_failure(call_function(find("aclnnSearchSorted"), searching), FAULT,
                   "sorter holds 3 at element 1; 0 to 2 are expected");
    layout_destroy(&self);
    layout_destroy(&sorter);
    layout_destroy(&out);
    struct attempt attempt = accepted(find("aclnnSearchSorted"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, (const int64_t[]){3, 4}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the shapes of sortedSequence and self differ");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, (const int64_t[]){2, 5}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "sorter has shape [4]");
    attempt.argument[2] = argument_of_bool(true);
    replace(&attempt, 4, tensor_with(ACL_INT64, 2, (const int64_t[]){2, 5}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype INT64");
    release(&attempt);
    attempt = accepted(find("aclnnBucketize"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, (const int64_t[]){2, 5}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "boundaries has 2 dims; 1 is expected");
    release(&attempt);
    attempt = accepted(find("aclnnHistc"));
    attempt.argument[1].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "bins is 0");
    release(&attempt);
    attempt = accepted(find("aclnnBincount"));
    attempt.argument[2].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "minlength is -1");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_find_their_places),
        cmocka_unit_test(numbers_are_counted),
        cmocka_unit_test(elements_fall_into_bins),
        cmocka_unit_test(faults),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
