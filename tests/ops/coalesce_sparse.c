/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * CoalesceSparse in any layout and dtype against loops; places outside; what is refused, and that bits depend
 * neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    for (size_t i = 0; i < (size_t)(layout.reach + 1) * layout.bytes; i++)
        layout.memory[i] = (unsigned char)random_bits();
    return layout;
}

enum { FAULT = 507035 };

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

struct sparse {
    int64_t entries, places, dims, width;
    struct layout unique, place, indices, values, new_indices, new_values;
};

static int64_t whole_at(const struct layout *layout, int64_t i)
{
    int64_t value = 0;
    if (layout->dtype == ACL_INT64)
        memcpy(&value, layout_element(layout, i), sizeof value);
    else
        conversion_reference(layout_element(layout, i), layout->dtype, &value, ACL_INT64);
    return value;
}

static void set_whole(const struct layout *layout, int64_t i, int64_t value)
{
    if (layout->dtype == ACL_INT64)
        memcpy(layout_element(layout, i), &value, sizeof value);
    else
        conversion_reference(&value, ACL_INT64, layout_element(layout, i), layout->dtype);
}

static aclDataType draw_index_dtype(void)
{
    return random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
}

static struct sparse draw_sparse(aclDataType dtype)
{
    int64_t shape[LAYOUT_RANK_MAX];
    struct sparse s = {.entries = random_below(60), .dims = 1 + random_below(3), .width = 1};
    const unsigned more = draw_dims(shape + 1, 0, 2, 1500);
    s.places = s.entries == 0 ? random_below(3) : 1 + random_below(s.entries);
    for (unsigned i = 1; i <= more; i++)
        s.width *= shape[i];
    s.unique = made(draw_index_dtype(), 1, &s.places, true);
    s.place = made(draw_index_dtype(), 1, &s.entries, false);
    s.indices = made(draw_index_dtype(), 2, DIMS(s.entries, s.dims), false);
    s.new_indices = made(s.indices.dtype, 2, DIMS(s.places, s.dims), false);
    shape[0] = s.entries;
    s.values = made(dtype, more + 1, shape, true);
    shape[0] = s.places;
    s.new_values = made(dtype, more + 1, shape, false);
    if (is_float_dtype(dtype))
        layout_fill(&s.values, 3, false);
    for (int64_t i = 0; i < s.entries; i++) {
        const int64_t place = random_below(s.places);
        set_whole(&s.place, i, place);
        for (int64_t d = 0; d < s.dims; d++)
            set_whole(&s.indices, i * s.dims + d, place * 10 + d);
    }
    return s;
}

static int call_sparse(const struct sparse *s)
{
    const union argument argument[] = {{.tensor = s->unique.tensor},      {.tensor = s->place.tensor},
                                       {.tensor = s->indices.tensor},     {.tensor = s->values.tensor},
                                       {.tensor = s->new_indices.tensor}, {.tensor = s->new_values.tensor}};
    return call_function(find("aclnnCoalesceSparse"), argument);
}

static void forget(struct sparse *s)
{
    struct layout *const all[] = {&s->unique, &s->place,       &s->indices,
                                  &s->values, &s->new_indices, &s->new_values};
    for (int i = 0; i < 6; i++)
        layout_destroy(all[i]);
}

static void judge_value(const struct sparse *s, int64_t place, int64_t column)
{
    const aclDataType dtype = s->values.dtype;
    unsigned char wanted[8];
    double sum = 0;
    uint64_t whole = 0;
    for (int64_t i = 0; i < s->entries; i++) {
        if (whole_at(&s->place, i) != place)
            continue;
        if (is_float_dtype(dtype))
            sum += element_of(&s->values, i * s->width + column);
        else
            whole += (uint64_t)whole_at(&s->values, i * s->width + column);
    }
    if (dtype == ACL_DOUBLE || dtype == ACL_INT64)
        memcpy(wanted, dtype == ACL_DOUBLE ? (const void *)&sum : (const void *)&whole, 8);
    else if (is_float_dtype(dtype))
        conversion_reference(&sum, ACL_DOUBLE, wanted, dtype);
    else
        conversion_reference(&whole, ACL_INT64, wanted, dtype);
    assert_memory_equal(layout_element(&s->new_values, place * s->width + column), wanted, s->values.bytes);
}

static void entries_are_added_up(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct sparse s = draw_sparse(dtypes[round % DTYPES]);
        assert_int_equal(call_sparse(&s), 0);
        for (int64_t place = 0; place < s.places; place++) {
            bool has = false;
            for (int64_t i = 0; i < s.entries; i++)
                has = has || whole_at(&s.place, i) == place;
            for (int64_t d = 0; d < s.dims; d++)
                assert_int_equal(whole_at(&s.new_indices, place * s.dims + d), has ? place * 10 + d : 0);
            for (int64_t column = 0; column < s.width; column++)
                judge_value(&s, place, column);
        }
        forget(&s);
    }
}

static void places_outside_fail(void **state)
{
    (void)state;
    for (int bad = 0; bad < 2; bad++) {
        struct sparse s = draw_sparse(ACL_FLOAT);
        while (s.entries == 0 || s.new_values.count == 0) {
            forget(&s);
            s = draw_sparse(ACL_FLOAT);
        }
        const float kept = *(float *)layout_element(&s.new_values, 0);
        set_whole(&s.place, s.entries - 1, bad == 0 ? s.places : -1);
        assert_failure(call_sparse(&s), FAULT, "aclnnCoalesceSparse: uniqueIndices holds ");
        assert_memory_equal(layout_element(&s.new_values, 0), &kept, sizeof kept);
        forget(&s);
    }
}

static void what_is_not_in_the_contract(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnCoalesceSparse"));
    replace_dtype(&attempt, 3, ACL_BOOL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "values has dtype BOOL");
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, DIMS(2, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "values has 2 dims and 2 rows; 1 dim or more and 3 rows");
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "values has 0 dims and 0 rows");
    replace(&attempt, 2, tensor_with(ACL_INT64, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has 1 dims; 2 are expected");
    replace(&attempt, 1, tensor_with(ACL_INT64, 2, DIMS(3, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "uniqueLen has 1 dims and uniqueIndices 2");
    release(&attempt);
    attempt = accepted(find("aclnnCoalesceSparse"));
    replace(&attempt, 0, tensor_with(ACL_INT64, 1, DIMS(0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "uniqueLen has no elements and uniqueIndices has 3");
    replace(&attempt, 0, tensor_with(ACL_INT64, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "newIndices has shape [2, 2]; [1, 2]");
    release(&attempt);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 30; round++) {
        struct sparse s = draw_sparse(dtypes[round % DTYPES]);
        if (call_sparse(&s) != 0)
            return 0;
        hash = hash_of(s.new_values.memory, (size_t)(s.new_values.reach + 1) * s.new_values.bytes, hash);
        forget(&s);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_added_up),
        cmocka_unit_test(places_outside_fail),
        cmocka_unit_test(what_is_not_in_the_contract),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
