/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IndexFill, IndexCopy, GatherNd, ScatterNd, ScatterNdUpdate and TfScatterAdd in any layout against loops over indices;
 * indices that are not legal; and what they refuse.
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
#include "support/failure.h"

enum { FAULT = 507035 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};

static struct layout draw_layout(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 9, MANY_SPECIALS);
    return layout;
}

/* Elements in row-major order. */
static unsigned char *copy_of(const struct layout *layout)
{
    unsigned char *copy = malloc((size_t)layout->count * layout->bytes + 1);
    for (int64_t i = 0; i < layout->count; i++)
        memcpy(copy + (size_t)i * layout->bytes, layout_element(layout, i), layout->bytes);
    return copy;
}

static void assert_elements(const char *name, const struct layout *layout, unsigned char *wanted)
{
    for (int64_t i = 0; i < layout->count; i++)
        if (memcmp(layout_element(layout, i), wanted + (size_t)i * layout->bytes, layout->bytes) != 0)
            fail_msg("%s: element %lld", name, (long long)i);
    free(wanted);
}

static void slices_along_a_dim(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        const struct lines lines = draw_lines(4, 3000);
        const bool fills = round % 4 < 2, is_inplace = round % 2 == 0;
        const int64_t count = random_below(6), size = lines.length;
        const aclDataType dtype = dtypes[random_below(10)];
        struct layout self = draw_layout(dtype, lines.rank, lines.shape, !is_inplace);
        struct layout out = draw_layout(dtype, lines.rank, lines.shape, false);
        const int64_t indices = lines.rank == 0 && !fills ? 1 : count;
        struct layout index =
            layout_create(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, &indices, LAYOUT_GAPS);
        struct layout source = create_along(&lines, dtype, indices, true, (enum layout_kind)random_below(4));
        layout_fill(&source, 9, MANY_SPECIALS);
        unsigned char *wanted = copy_of(&self);
        const float number = 2.5F;
        float rounded = number;
        aclScalar *value = aclCreateScalar(&rounded, ACL_FLOAT);
        for (int64_t i = 0; i < indices; i++) {
            const int64_t drawn = fills ? random_below(4 * size) - 2 * size : random_below(size);
            const int64_t place = drawn < 0 ? drawn + size : drawn;
            set_index(&index, i, drawn);
            for (int64_t line = 0; line < lines.count && place >= 0 && place < size; line++) {
                unsigned char *to = wanted + (size_t)line_element(&lines, line, place, size) * self.bytes;
                if (fills)
                    conversion_reference(&number, ACL_FLOAT, to, dtype);
                else
                    memcpy(to, layout_element(&source, line_element(&lines, line, i, indices)), self.bytes);
            }
        }
        const union argument argument[] = {{.tensor = self.tensor},
                                           argument_of_integer(dim_argument(&lines)),
                                           {.tensor = index.tensor},
                                           {.handle = fills ? (void *)value : (void *)source.tensor},
                                           {.tensor = out.tensor}};
        static const char *const names[] = {"aclnnInplaceIndexFill", "aclnnIndexFill",
                                            "aclnnInplaceIndexCopy", "aclnnIndexCopy"};
        assert_int_equal(call_function(find(names[round % 4]), argument), 0);
        assert_elements(names[round % 4], is_inplace ? &self : &out, wanted);
        assert_int_equal(aclDestroyScalar(value), 0);
        layout_destroy(&self);
        layout_destroy(&out);
        layout_destroy(&index);
        layout_destroy(&source);
    }
}

/* Rows of indices are places in the first dims. */
static void places_in_several_dims(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        int64_t shape[LAYOUT_RANK_MAX], place[LAYOUT_RANK_MAX], inner = 1, rows = 1;
        const unsigned rank = draw_dims(shape, 1, 4, 3000), columns = 1 + (unsigned)random_below(rank);
        const unsigned leading = (unsigned)random_below(3);
        const aclDataType dtype = dtypes[random_below(10)];
        int64_t of_indices[LAYOUT_RANK_MAX], direct[LAYOUT_RANK_MAX];
        for (unsigned i = 0; i < leading; i++)
            rows *= of_indices[i] = direct[i] = random_below(5);
        of_indices[leading] = columns;
        for (unsigned i = columns; i < rank; i++)
            inner *= direct[leading + i - columns] = shape[i];
        const bool is_read = round % 3 == 0, is_inplace = round % 3 == 2;
        struct layout self = draw_layout(dtype, rank, shape, !is_inplace);
        struct layout out = draw_layout(dtype, rank, shape, false);
        struct layout index = layout_create(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, leading + 1,
                                            of_indices, (enum layout_kind)random_below(3));
        struct layout other = draw_layout(dtype, leading + rank - columns, direct, !is_read);
        unsigned char *wanted = is_read ? copy_of(&other) : copy_of(&self);
        for (int64_t row = 0; row < rows; row++) {
            int64_t number = 0;
            const bool is_padding = !is_read && random_below(4) == 0;
            const unsigned all = (unsigned)random_below(2); /* of its columns, or one */
            for (unsigned i = 0; i < columns; i++) {
                place[i] = random_below(shape[i]);
                number = number * shape[i] + place[i];
                set_index(&index, row * columns + i,
                          is_padding && (all != 0 || i == (unsigned)row % columns) ? -1
                          : is_read && random_below(2) == 0                        ? place[i] - shape[i]
                                                                                   : place[i]);
            }
            for (int64_t k = 0; k < inner && !is_padding; k++)
                if (is_read)
                    memcpy(wanted + (size_t)(row * inner + k) * self.bytes,
                           layout_element(&self, number * inner + k), self.bytes);
                else
                    memcpy(wanted + (size_t)(number * inner + k) * self.bytes,
                           layout_element(&other, row * inner + k), self.bytes);
        }
        const union argument reading[] = {{.tensor = self.tensor},
                                          {.tensor = index.tensor},
                                          argument_of_bool(false),
                                          {.tensor = other.tensor}};
        const union argument writing[] = {{.tensor = self.tensor},
                                          {.tensor = index.tensor},
                                          {.tensor = other.tensor},
                                          {.tensor = out.tensor}};
        static const char *const names[] = {"aclnnGatherNd", "aclnnScatterNd", "aclnnScatterNdUpdate"};
        assert_int_equal(call_function(find(names[round % 3]), is_read ? reading : writing), 0);
        assert_elements(names[round % 3], is_read ? &other : is_inplace ? &self : &out, wanted);
        layout_destroy(&self);
        layout_destroy(&out);
        layout_destroy(&index);
        layout_destroy(&other);
    }
}

/* Small whole numbers, so that sums are exact: their references are numbers beside the elements. */
static void fill_small(struct layout *layout, float *number)
{
    for (int64_t i = 0; i < layout->count; i++) {
        number[i] = (float)(random_below(7) - 3);
        conversion_reference(&number[i], ACL_FLOAT, layout_element(layout, i), layout->dtype);
    }
}

/* Each row adds to the place that it names, rows of one place all of them, one with a -1 nowhere. */
static void places_are_added_to(void **state)
{
    static const aclDataType added[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT32};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t shape[] = {3, 2, 1 + random_below(5)}, leading = random_below(9);
        const unsigned columns = 1 + (unsigned)random_below(3), inner_rank = 3 - columns;
        const int64_t of_indices[] = {leading, columns};
        int64_t of_updates[3] = {leading}, inner = 1;
        for (unsigned i = 0; i < inner_rank; i++)
            inner *= of_updates[1 + i] = shape[columns + i];
        const aclDataType dtype = added[random_below(6)];
        struct layout self = layout_create(dtype, 3, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout updates =
            layout_create(dtype, 1 + inner_rank, of_updates, (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout index =
            layout_create(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 2, of_indices, LAYOUT_GAPS);
        float sum[3 * 2 * 5], addend[9 * 2 * 5];
        fill_small(&self, sum);
        fill_small(&updates, addend);
        for (int64_t row = 0; row < leading; row++) {
            const bool is_padding = random_below(4) == 0;
            int64_t number = 0;
            for (unsigned i = 0; i < columns; i++) {
                const int64_t place = random_below(shape[i]);
                number = number * shape[i] + place;
                set_index(&index, row * columns + i, is_padding && i == columns - 1 ? -1 : place);
            }
            for (int64_t k = 0; k < inner && !is_padding; k++)
                sum[number * inner + k] += addend[row * inner + k];
        }
        unsigned char *wanted = copy_of(&self);
        for (int64_t i = 0; i < self.count; i++)
            conversion_reference(&sum[i], ACL_FLOAT, wanted + (size_t)i * self.bytes, dtype);
        const union argument argument[] = {
            {.tensor = self.tensor}, {.tensor = index.tensor}, {.tensor = updates.tensor}};
        assert_int_equal(call_function(find("aclnnTfScatterAdd"), argument), 0);
        assert_elements("aclnnTfScatterAdd", &self, wanted);
        layout_destroy(&self);
        layout_destroy(&updates);
        layout_destroy(&index);
    }
}

/* Of a call whose sample's index, of INT64, lies in the common memory. */
static void assert_fault(const char *name, unsigned index, int64_t second, const char *sentence)
{
    const int64_t shape[] = {2, 3}, rows[] = {2, 1}, two = 2;
    struct layout self = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
    struct layout other = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
    struct layout numbers =
        layout_create(ACL_INT64, index == 2 ? 1 : 2, index == 2 ? &two : rows, LAYOUT_CONTIGUOUS);
    set_index(&numbers, 0, 0);
    set_index(&numbers, 1, second);
    const union argument copying[] = {{.tensor = self.tensor},
                                      argument_of_integer(0),
                                      {.tensor = numbers.tensor},
                                      {.tensor = other.tensor}};
    const union argument scattering[] = {
        {.tensor = self.tensor}, {.tensor = numbers.tensor}, {.tensor = other.tensor}};
    assert_failure(call_function(find(name), index == 2 ? copying : scattering), FAULT, sentence);
    layout_destroy(&self);
    layout_destroy(&other);
    layout_destroy(&numbers);
}

static void faults(void **state)
{
    (void)state;
    assert_fault("aclnnInplaceIndexCopy", 2, -1, "index holds -1 at [1]; 0 to 1 are expected");
    assert_fault("aclnnInplaceIndexCopy", 2, 2, "index holds 2 at [1]; 0 to 1 are expected");
    assert_fault("aclnnScatterNdUpdate", 1, -2, "indices holds -2 at [1]; -1 to 1 are expected");
    assert_fault("aclnnScatterNdUpdate", 1, 2, "indices holds 2 at [1]; -1 to 1 are expected");
    assert_fault("aclnnTfScatterAdd", 1, 2, "indices holds 2 at [1]; -1 to 1 are expected");
    struct attempt attempt = accepted(find("aclnnIndexCopy"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, (const int64_t[]){3, 3}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "source has size 3 in dim 0; 2, the number of indices");
    replace_dtype(&attempt, 3, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "source has dtype INT32");
    replace(&attempt, 2, tensor_with(ACL_INT64, 2, (const int64_t[]){1, 2}, NULL));
    replace_dtype(&attempt, 3, ACL_FLOAT);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "index has 2 dims; 0 or 1");
    release(&attempt);
    attempt = accepted(find("aclnnScatterNd"));
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 2, (const int64_t[]){4, 2}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "updates has shape [4, 2]");
    replace(&attempt, 1, tensor_with(ACL_INT64, 2, (const int64_t[]){4, 3}, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has size 3 in its last dim; 1 to 2");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_along_a_dim),
        cmocka_unit_test(places_in_several_dims),
        cmocka_unit_test(places_are_added_to),
        cmocka_unit_test(faults),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
