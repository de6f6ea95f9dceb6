/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of floats of 8 and of 4 bits in tests, with codes drawn at random, and powers of two as MX has them.
 * Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_SMALL_FLOATS_H
#define BELAY_TESTS_OPS_SMALL_FLOATS_H

#include "ops/codes.h"

struct small {
    aclDataType dtype;
    aclTensor *tensor;    /* of 4 bits */
    struct layout layout; /* the call's; of 4 bits bytes, over which the call has a tensor of its own */
};

static inline unsigned drawn_code(aclDataType dtype)
{
    for (;;) {
        const unsigned code = (unsigned)random_below(dtype == ACL_FLOAT4_E2M1 ? 16 : 256);
        const double value = code_value(dtype, code);
        if (isfinite(value) && fabs(value) < 300)
            return code;
    }
}

static inline struct small give_small(struct named_call *call, const char *name, aclDataType dtype,
                                      unsigned rank, const int64_t *shape)
{
    struct small small = {.dtype = dtype};
    int64_t count = 1, stride[LAYOUT_RANK_MAX];
    for (unsigned i = rank; i-- > 0; count *= shape[i])
        stride[i] = count;
    if (dtype != ACL_FLOAT4_E2M1) {
        small.layout = *give_tensor(call, name, dtype, rank, shape);
        for (int64_t i = 0; i < count; i++)
            *layout_element(&small.layout, i) = (unsigned char)drawn_code(dtype);
        return small;
    }
    const int64_t bytes[] = {(count + 1) / 2};
    small.layout = layout_create(ACL_INT8, 1, bytes, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < bytes[0]; i++)
        small.layout.memory[i] = (unsigned char)random_below(256);
    small.tensor = aclCreateTensor(shape, rank, dtype, stride, 0, ACL_FORMAT_ND, shape, rank,
                                   memory_known_as(small.layout.memory));
    call->argument[place_named(call, name)].tensor = small.tensor;
    return small;
}

/* Tensors that the function wants in lists become lists of one. */
static inline void list_tensors(struct named_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const aclTensor *tensor = call->argument[i].tensor;
        if (call->function->parameter[i].kind == PARAMETER_TENSOR_LIST && tensor != NULL)
            call->argument[i].tensors = aclCreateTensorList(&tensor, 1);
    }
}

static inline void end_small(struct small *small)
{
    if (small->dtype != ACL_FLOAT4_E2M1)
        return;
    assert_int_equal(aclDestroyTensor(small->tensor), 0);
    layout_destroy(&small->layout);
}

static inline double small_value(const struct small *small, int64_t i)
{
    const unsigned code = small->dtype == ACL_FLOAT4_E2M1 ? small->layout.memory[i / 2] >> (i % 2 * 4) & 15
                                                          : *layout_element(&small->layout, i);
    return code_value(small->dtype, code);
}

static inline void fill_powers(const struct layout *layout)
{
    for (int64_t i = 0; i < layout->count; i++)
        *layout_element(layout, i) = (unsigned char)(120 + random_below(14));
}

static inline long double power_at(const struct layout *layout, int64_t i)
{
    return ldexpl(1, *layout_element(layout, i) - 127);
}

#endif
