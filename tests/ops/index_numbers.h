/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of indices, for tests of the functions that find elements by them. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_INDEX_NUMBERS_H
#define BELAY_TESTS_OPS_INDEX_NUMBERS_H

#include "ops/whole_tensor.h"
#include "tensor/dtype.h"

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

enum { FAULT = 507035 };

static const aclDataType of_each_size[] = {ACL_BOOL, ACL_BF16, ACL_FLOAT, ACL_INT64, ACL_COMPLEX128};

static inline int64_t number_at(const struct view *view, const int64_t *index)
{
    int32_t single;
    int64_t number;
    const unsigned char *place = arena[view->arena] + place_of(view, index);
    memcpy(&single, place, sizeof single);
    memcpy(&number, place, sizeof number);
    return view->dtype == ACL_INT32 ? single : number;
}

static inline void set_number(const struct view *view, const int64_t *index, int64_t number)
{
    const int32_t single = (int32_t)number;
    unsigned char *place = arena[view->arena] + place_of(view, index);
    if (view->dtype == ACL_INT32)
        memcpy(place, &single, sizeof single);
    else
        memcpy(place, &number, sizeof number);
}

/* Legal indices for a dim, negative ones too. */
static inline void fill_indices(const struct view *view, int64_t size)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    if (count_of(view) == 0)
        return;
    do
        set_number(view, index, random_below(2 * size) - size);
    while (next_index(view->rank, view->shape, index));
}

#endif
