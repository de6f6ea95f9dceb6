/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tables of handles: their limit, the end of a slot's generations, and what is said of a handle that a lookup
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/handle.h"

struct object {
    struct handle_slot slot;
    int number;
};

/* Above index and generation, as in handle.c. */
enum { KIND_SHIFT = 56 };

enum { LIMIT = HANDLE_FIRST_CHUNK + 10 }; /* the second chunk is not used up */

static struct handle_table table = HANDLE_TABLE(HANDLE_EVENT, struct object, LIMIT);

static void a_table_holds_as_many_objects_as_its_limit_says(void **state)
{
    (void)state;
    static struct object *objects[LIMIT];
    static uint64_t handles[LIMIT];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < LIMIT; i++) {
            objects[i] = (struct object *)handle_acquire(&table);
            assert_non_null(objects[i]);
            objects[i]->number = i;
            handles[i] = handle_publish(&table, objects[i]);
        }
        assert_null(handle_acquire(&table));
        assert_null(handle_acquire(&table));
        for (int i = 0; i < LIMIT; i++) {
            assert_ptr_equal(handle_find(&table, handles[i]), objects[i]);
            assert_int_equal(objects[i]->number, i);
        }
        for (int i = 0; i < LIMIT; i++) {
            assert_true(handle_retire(objects[i], handles[i]));
            assert_false(handle_retire(objects[i], handles[i]));
            assert_null(handle_find(&table, handles[i]));
            handle_release(&table, objects[i]);
        }
    }
}

static void a_slot_whose_generations_are_used_up_is_not_given_out_again(void **state)
{
    (void)state;
    struct object *object = (struct object *)handle_acquire(&table);
    assert_non_null(object);
    object->slot.generation = UINT32_MAX - 2;
    for (int i = 0; i < 2; i++) {
        uint64_t handle = handle_publish(&table, object);
        assert_ptr_equal(handle_find(&table, handle), object);
        assert_true(handle_retire(object, handle));
        handle_release(&table, object);
        /* The slot that was given back last is the first to be used again. */
        assert_true((i == 0) == (handle_acquire(&table) == object));
    }
}

static void what_is_wrong_with_a_handle_is_said(void **state)
{
    (void)state;
    struct object *object = (struct object *)handle_acquire(&table);
    assert_non_null(object);
    uint64_t handle = handle_publish(&table, object);
    const uint64_t kind = UINT64_C(31) << KIND_SHIFT;
    assert_int_equal(handle >> KIND_SHIFT & 31, HANDLE_EVENT);
    assert_string_equal(handle_fault(&table, 0), "is NULL");
    assert_string_equal(handle_fault(&table, (uintptr_t)object), "is not a handle of this library");
    assert_string_equal(handle_fault(&table, handle & ~kind), "is not a handle of this library");
    assert_string_equal(handle_fault(&table, (handle & ~kind) | (uint64_t)HANDLE_KINDS << KIND_SHIFT),
                        "is not a handle of this library");
    assert_string_equal(handle_fault(&table, (handle & ~kind) | (uint64_t)HANDLE_STREAM << KIND_SHIFT),
                        "is a stream");
    /* A slot that the table has not, and a generation that none had. */
    assert_string_equal(handle_fault(&table, handle | ((1u << HANDLE_INDEX_BITS) - 1)),
                        "is not a handle of this library");
    assert_string_equal(handle_fault(&table, handle & ~(UINT64_C(0xffffffff) << HANDLE_INDEX_BITS)),
                        "is not a handle of this library");
    for (int bit = 0; bit < 64; bit++)
        assert_null(handle_find(&table, handle ^ UINT64_C(1) << bit));
    assert_null(handle_find(&table, 0));
    assert_false(handle_retire(object, 0));
    assert_true(handle_retire(object, handle));
    assert_string_equal(handle_fault(&table, handle), "was destroyed");
    handle_release(&table, object);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (int kind = 1; kind < HANDLE_KINDS; kind++) {
        assert_non_null(handle_kind_name((enum handle_kind)kind));
        assert_string_not_equal(handle_kind_name((enum handle_kind)kind), "unknown object");
    }
    assert_string_equal(handle_kind_name((enum handle_kind)0), "unknown object");
    assert_string_equal(handle_kind_name(HANDLE_KINDS), "unknown object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_holds_as_many_objects_as_its_limit_says),
        cmocka_unit_test(a_slot_whose_generations_are_used_up_is_not_given_out_again),
        cmocka_unit_test(what_is_wrong_with_a_handle_is_said),
        cmocka_unit_test(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
