/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of normalisations and of their gradients: tensors in any layout and dtype, what they held before, and
 * what outputs must hold. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_NORMALISATION_H
#define BELAY_TESTS_OPS_NORMALISATION_H

#include <math.h>

#include "ops/arena.h"
#include "ops/losses.h"

enum { ELEMENTS = 20000, TENSORS = 16 };

static inline aclDataType draw_dtype(void)
{
    return short_dtypes[random_below(3)];
}

static inline enum layout_kind draw_kind(bool may_repeat)
{
    return (enum layout_kind)random_below(may_repeat ? LAYOUT_KINDS : LAYOUT_REPEATED);
}

/* The tensors of one call, and what they held before it. */
struct call_of {
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[TENSORS];
    long double before[TENSORS][ELEMENTS];
    bool is_given[TENSORS]; /* by the place among the arguments */
};

static struct call_of call;

static inline void give(unsigned place, aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read,
                        double size)
{
    struct layout *layout = &call.tensor[place];
    *layout = layout_create(dtype, rank, shape, draw_kind(is_read));
    layout_fill(layout, size, false);
    call.argument[place].tensor = layout->tensor;
    call.is_given[place] = true;
    for (int64_t i = 0; i < layout->count; i++)
        call.before[place][i] = (long double)element_of(layout, i);
}

/* Numbers that are positive. */
static inline void give_positive(unsigned place, aclDataType dtype, unsigned rank, const int64_t *shape)
{
    give(place, dtype, rank, shape, false, 1);
    for (int64_t i = 0; i < call.tensor[place].count; i++) {
        set_element(&call.tensor[place], i, 0.25 + fabs(element_of(&call.tensor[place], i)));
        call.before[place][i] = (long double)element_of(&call.tensor[place], i);
    }
}

/* What a tensor held, or a number where it was not given. */
static inline long double had(unsigned place, int64_t i, long double otherwise)
{
    return call.is_given[place] ? call.before[place][i] : otherwise;
}

static inline void give_mask(unsigned place, bool *mask)
{
    for (int i = 0; i < 3; i++)
        mask[i] = random_below(4) > 0;
    call.argument[place].bools = aclCreateBoolArray(mask, 3);
}

/* An output is what is expected, or as it was where it is not asked for. */
static inline void assert_output(const char *name, unsigned place, bool is_written, const long double *exact,
                                 long double slack)
{
    const struct layout *out = &call.tensor[place];
    for (int64_t i = 0; call.is_given[place] && i < out->count; i++)
        assert_near(name, out, i, is_written ? exact[i] : call.before[place][i], out->dtype,
                    is_written ? slack : 0);
}

static inline void forget_call(const struct function *function)
{
    for (unsigned i = 0; i < function->parameter_count; i++) {
        if (call.is_given[i])
            layout_destroy(&call.tensor[i]);
        else if (parameter_is_handle(&function->parameter[i]) &&
                 !parameter_is_tensor(&function->parameter[i]))
            release_argument(&function->parameter[i], call.argument[i]);
    }
    memset(&call, 0, offsetof(struct call_of, before));
    memset(call.is_given, 0, sizeof call.is_given);
}

/* gradInput, and gradWeight and gradBias by some index of the elements, of g and n = (x - mean) rstd. */
static long double exact[3][ELEMENTS];

static inline void clear_exact(void)
{
    memset(exact, 0, sizeof exact);
}

/* The channel of an element. */
static inline int64_t channel_of(const struct layout *layout, int64_t i)
{
    for (unsigned k = layout->rank; k-- > 2;)
        i /= layout->shape[k];
    return i % layout->shape[1];
}

static inline uint64_t hash_of_call(const struct function *function, uint64_t hash)
{
    if (call_function(function, call.argument) != 0)
        return 0;
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (call.is_given[i] && parameter_is_written(&function->parameter[i]))
            hash = hash_of(call.tensor[i].memory, (size_t)(call.tensor[i].reach + 1) * call.tensor[i].bytes,
                           hash);
    forget_call(function);
    return hash;
}

#endif
