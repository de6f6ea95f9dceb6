/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places in a walk: moved on by any number of steps they are where counting from the beginning leads.
 */
#include "ops/nest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void steps_lead_where_counting_does(void **state)
{
    static const int64_t shapes[][3] = {{2, 3, 5}, {4, 1, 3}, {1, 6, 1}, {3, 2, 2}};
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct nest nest;
        nest_begin(&nest, 2);
        for (int k = 0; k < 3; k++)
            nest_add(&nest, shapes[s][k], (const int64_t[]){100 - 37 * k, 7 * k + 1});
        for (uint64_t from = 0; from < nest.count; from++)
            for (uint64_t steps = 0; steps <= 2 * nest.count; steps++) {
                struct nest_place place = nest_place_at(&nest, from);
                const struct nest_place wanted = nest_place_at(&nest, (from + steps) % nest.count);
                nest_advance(&nest, &place, steps);
                assert_memory_equal(place.index, wanted.index, nest.axis_count * sizeof place.index[0]);
                assert_int_equal(place.offset[0], wanted.offset[0]);
                assert_int_equal(place.offset[1], wanted.offset[1]);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_lead_where_counting_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
