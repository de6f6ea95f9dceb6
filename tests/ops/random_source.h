/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Seeds and offsets of calls of random functions, and operands of theirs that are real numbers.
 */
#ifndef BELAY_TESTS_OPS_RANDOM_SOURCE_H
#define BELAY_TESTS_OPS_RANDOM_SOURCE_H

#include <stdint.h>
#include <string.h>

#include "ops/attempt.h"
#include "ops/placed.h"
#include "ops/made.h"
#include "ops/random_reference.h"

/* Seed and offset of a call, also where they are in tensors behind one another in arena 3. */
struct source {
    uint64_t seed, offset, more;
};

static inline struct source draw_source(void)
{
    return (struct source){random_bits(), random_bits(), random_bits()};
}

/* The arguments from the seed on. */
static inline void set_source(const struct function *function, unsigned at, const struct source *source,
                              union argument *argument)
{
    argument[at] = argument_of_integer((int64_t)source->seed);
    argument[at + 1] = argument_of_integer((int64_t)source->offset);
    if (function->parameter[at].kind != PARAMETER_TENSOR)
        return;
    const uint64_t part = source->offset - source->more;
    struct view seed = view_of(3, ACL_INT64, 1, DIMS(1)), offset = view_of(3, ACL_INT64, 1, DIMS(1));
    offset.offset = 1;
    memcpy(arena[3], &source->seed, sizeof source->seed);
    memcpy(arena[3] + 8, &part, sizeof part);
    argument[at] = argument_of_pointer(create_placed(&seed));
    argument[at + 1] = argument_of_pointer(create_placed(&offset));
    argument[at + 2] = argument_of_integer((int64_t)source->more);
}

static inline void fill_reals(const struct view *view, double low, double high)
{
    for (int64_t i = 0; i < count_of(view); i++) {
        const double value = low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
        conversion_reference(&value, ACL_DOUBLE, element_of(arena[view->arena], view, i), view->dtype);
    }
}

static inline double real_at(const struct view *view, int64_t number)
{
    double value;
    conversion_reference(element_of(arena[view->arena], view, number), view->dtype, &value, ACL_DOUBLE);
    return value;
}

#endif
