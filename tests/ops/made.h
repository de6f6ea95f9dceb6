/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls on views whose results are told element by element, by row-major numbers, before they run: outputs
 * may share memory with inputs. Include placed.h before.
 */
#ifndef BELAY_TESTS_OPS_MADE_H
#define BELAY_TESTS_OPS_MADE_H

#include "support/conversion.h"

/* Writes what the element with this number becomes. */
typedef void expect_function(const void *context, int64_t number, unsigned char *element);

/* A layout drawn at random, of any strides. */
static inline struct view drawn_view(unsigned in, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = view_of(in, dtype, rank, shape);
    lay_out(&view, random_below(2) == 0, random_below(2) == 0);
    view.offset = random_below(7);
    return view;
}

/* A dtype of the parameter's set on the product that is emulated by default. */
static inline aclDataType draw_dtype_of(const char *name, unsigned parameter)
{
    const uint64_t set = find(name)->parameter[parameter].dtypes->on[PRODUCT_910B];
    for (;;) {
        const int dtype = (int)random_below(41);
        if ((set >> dtype & 1) != 0)
            return (aclDataType)dtype;
    }
}

/* A shape of so many dims at most; each of size 1 at least. */
static inline uint32_t draw_shape(int64_t *shape, uint32_t least_rank, uint32_t most_rank)
{
    const uint32_t rank = least_rank + (uint32_t)random_below(most_rank - least_rank + 1);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + random_below(rank > 3 ? 4 : rank > 1 ? 12 : 3000);
    return rank;
}

static inline void destroy_arguments(const struct function *function, const union argument *argument)
{
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameter[i].kind == PARAMETER_SCALAR)
            assert_int_equal(aclDestroyScalar(argument[i].scalar), 0);
        else if (function->parameter[i].kind == PARAMETER_INT_ARRAY)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
        else if (function->parameter[i].kind == PARAMETER_TENSOR_LIST)
            assert_int_equal(aclDestroyTensorList(argument[i].tensors), 0);
}

/* Runs and judges every element of the view, and everything between elements. */
static inline void assert_made(const char *name, const union argument *argument, const struct view *out,
                               expect_function *expect, const void *context)
{
    static unsigned char *wanted;
    const struct function *function = find(name);
    const size_t used = bytes_of(out) + 64;
    assert_true(used < PLACED_BYTES);
    wanted = (unsigned char *)realloc(wanted, used);
    memcpy(wanted, arena[out->arena], used);
    for (int64_t i = 0; i < count_of(out); i++)
        expect(context, i, element_of(wanted, out, i));
    call_placed(function, argument);
    for (int64_t i = 0; i < count_of(out); i++)
        if (memcmp(element_of(wanted, out, i), element_of(arena[out->arena], out, i),
                   dtype_bytes(out->dtype)) != 0)
            fail_msg("%s of %s: element %lld of %lld", name, dtype_name(out->dtype), (long long)i,
                     (long long)count_of(out));
    assert_memory_equal(arena[out->arena], wanted, used);
    destroy_arguments(function, argument);
}

static inline union argument int_array(const int64_t *value, uint64_t count)
{
    return argument_of_pointer(aclCreateIntArray(value, count));
}

static inline union argument real_scalar(double value)
{
    return argument_of_pointer(aclCreateScalar(&value, ACL_DOUBLE));
}

static inline union argument whole_scalar(int64_t value)
{
    return argument_of_pointer(aclCreateScalar(&value, ACL_INT64));
}

#endif
