/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self with a value around it, or without some of its edges. Pairs of numbers, low and high, begin with
 * the last dim; what is below 0 crops. Bits stay as they are.
 */
#include "aclnnop/aclnn_constant_pad_nd.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define CONSTANT_PAD_ND(X, of)                      \
    X(of, IN, self, &dtypes_all_small)              \
    X(of, INTS, pad, .sample = "1,1")               \
    X(of, SCALAR, value, &dtypes_all, .usual = "0") \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(CONSTANT_PAD_ND)

struct padding {
    uint32_t rank, bytes;
    int64_t size[OPERAND_RANK_MAX], low[OPERAND_RANK_MAX]; /* of self; index 0 of out is -low there */
    int64_t shape[OPERAND_RANK_MAX];                       /* of out */
    _Alignas(16) unsigned char element[16];
};

/* The number of self's element at the beginning of a row of out, or -1 where the row has none. */
static int64_t find_row(const struct padding *padding, uint64_t row)
{
    int64_t number = 0, step = padding->rank > 0 ? padding->size[padding->rank - 1] : 1;
    for (uint32_t i = padding->rank; i-- > 1;) {
        const uint64_t size = (uint64_t)padding->shape[i - 1];
        const int64_t index = (int64_t)(row % size) - padding->low[i - 1];
        if (index < 0 || index >= padding->size[i - 1])
            return -1;
        number += index * step;
        step *= padding->size[i - 1];
        row /= size;
    }
    return number;
}

static unsigned char *fill(const struct padding *padding, unsigned char *element, int64_t count)
{
    for (int64_t i = 0; i < count; i++, element += padding->bytes)
        memcpy(element, padding->element, padding->bytes);
    return element;
}

/* Row by row: the value, what self has, the value. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct padding *padding = (const struct padding *)walk->parameters;
    const uint32_t last = padding->rank - 1;
    const int64_t columns = padding->rank > 0 ? padding->shape[last] : 1;
    const int64_t own = padding->rank > 0 ? padding->size[last] : 1,
                  low = padding->rank > 0 ? padding->low[last] : 0;
    unsigned char *element = (unsigned char *)elements;
    int64_t column = (int64_t)(at % (uint64_t)columns), left = (int64_t)count;
    for (uint64_t row = at / (uint64_t)columns; left > 0; row++, column = 0) {
        const int64_t end = columns - column < left ? columns : column + left;
        const int64_t number = find_row(padding, row);
        int64_t first = low < column ? column : low > end ? end : low;
        int64_t behind = low + own < first ? first : low + own > end ? end : low + own;
        if (number < 0)
            first = behind = end;
        element = fill(padding, element, first - column);
        if (behind > first)
            numbered_read(walk, 0, (uint64_t)(number + first - low), (uint64_t)(behind - first), element);
        element = fill(padding, element + (behind - first) * (int64_t)padding->bytes, end - behind);
        left -= end - column;
    }
}

static aclnnStatus tell_padding(const struct call *call, uint32_t dim, int64_t low, int64_t high)
{
    return refuse(call,
                  "pad holds %" PRId64 " and %" PRId64 " for dim %u of self, of size %" PRId64
                  "; they are expected to leave elements that there are",
                  low, high, dim, call->tensor[CONSTANT_PAD_ND_self].shape[dim]);
}

static aclnnStatus read_padding(const struct call *call, struct padding *padding)
{
    const struct tensor_view *self = &call->tensor[CONSTANT_PAD_ND_self];
    const struct call_values *pad = &call->values[CONSTANT_PAD_ND_pad];
    *padding = (struct padding){.rank = self->rank, .bytes = dtype_bytes(self->dtype)};
    if (pad->count % 2 != 0 || pad->count > 2 * (uint64_t)self->rank)
        return refuse(call,
                      "pad has %" PRIu64
                      " elements; pairs are expected, for as many dims as self has (%u) at most",
                      pad->count, self->rank);
    for (uint32_t i = 0; i < self->rank; i++) {
        const uint64_t pair = self->rank - 1 - i;
        const bool is_padded = 2 * pair < pad->count;
        const int64_t low = is_padded ? pad->value.int64[2 * pair] : 0;
        const int64_t high = is_padded ? pad->value.int64[2 * pair + 1] : 0, size = self->shape[i];
        int64_t all;
        if (low < -size || high < -size || __builtin_add_overflow(low, high, &all) || all < -size ||
            __builtin_add_overflow(all, size, &all))
            return tell_padding(call, i, low, high);
        padding->size[i] = size;
        padding->low[i] = low;
        padding->shape[i] = all;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[CONSTANT_PAD_ND_self];
    struct padding padding;
    TRY(check_dtype(call, CONSTANT_PAD_ND_self));
    TRY(check_dtype(call, CONSTANT_PAD_ND_value));
    TRY(check_rank(call, CONSTANT_PAD_ND_self));
    TRY(read_padding(call, &padding));
    struct shape *shape = result_reshaped(result, call, CONSTANT_PAD_ND_self, shape_of(self));
    memcpy(shape->dim, padding.shape, self->rank * sizeof padding.shape[0]);
    return check_element_count(call, shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, CONSTANT_PAD_ND_out, make, result->computed);
    struct padding padding;
    TRY(read_padding(call, &padding));
    scalar_convert(&call->scalar[CONSTANT_PAD_ND_value], result->computed, padding.element);
    if (call->tensor[CONSTANT_PAD_ND_self].count > 0)
        numbered_add_input(&request, call, CONSTANT_PAD_ND_self, false);
    request.parameters = &padding;
    request.parameter_bytes = sizeof padding;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnConstantPadNd, CONSTANT_PAD_ND, .stem = "constant_pad_nd", .family = FAMILY_MOVE,
            .promise = &promise_exact, NUMBERED, .infer = infer, .plan = plan);
