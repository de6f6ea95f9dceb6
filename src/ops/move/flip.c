/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Flip: dims backwards. Roll: dims turned, or the whole tensor as if it had one dim. Bits stay as they are.
 */
#include "aclnnop/aclnn_flip.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_roll.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/move/segments.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define FLIP(X, of)                                             \
    X(of, IN, self, &dtypes_floats_integers_bool_complex_small) \
    X(of, INTS, dims, .sample = "0")                            \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex_small)
SIGNATURE(FLIP)
#define ROLL(X, of)                                                                                   \
    X(of, IN, x,                                                                                      \
      &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_uint32_bool_small_on_910b_int16_on_950_complex64) \
    X(of, INTS, shifts, .sample = "1")                                                                \
    X(of, INTS, dims, .sample = "0")                                                                  \
    X(of, OUT, out,                                                                                   \
      &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_uint32_bool_small_on_910b_int16_on_950_complex64)
SIGNATURE(ROLL)

/* The dims that are named, a bit for each; names of dims of a rank 0 are not looked at. */
static aclnnStatus read_flipped(const struct call *call, uint32_t *flipped)
{
    const struct call_values *dims = &call->values[FLIP_dims];
    const uint32_t rank = call->tensor[FLIP_self].rank;
    *flipped = 0;
    for (uint64_t i = 0; i < dims->count && rank > 0; i++) {
        uint32_t dim;
        TRY(check_dim(call, FLIP_dims, dims->value.int64[i], rank, &dim));
        if (*flipped >> dim & 1)
            return refuse(call, "dims names dim %u twice; once at most is expected", dim);
        *flipped |= 1u << dim;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_flip(const struct call *call, struct result *result)
{
    uint32_t flipped;
    TRY(check_dtype(call, FLIP_self));
    TRY(check_rank(call, FLIP_self));
    TRY(read_flipped(call, &flipped));
    result_like(result, call, FLIP_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_flip(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[FLIP_self];
    struct segments segments[OPERAND_RANK_MAX];
    uint32_t flipped;
    (void)result;
    TRY(read_flipped(call, &flipped));
    for (uint32_t i = 0; i < self->rank; i++) {
        segments[i] = segments_whole(self->shape[i]);
        if (flipped >> i & 1)
            segments[i].segment[0] = (struct segment){self->shape[i], self->shape[i] - 1, -1, 0};
    }
    return segments_plan(call, FLIP_self, FLIP_out, segments, call->tensor[FLIP_out].stride);
}

FUNCTION_OF(aclnnFlip, FLIP, .stem = "flip", MOVE, .infer = infer_flip, .plan = plan_flip);

/* shift modulo size, from 0 on. */
static int64_t turn_of(int64_t shift, int64_t size)
{
    const int64_t turn = shift % size;
    return turn < 0 ? turn + size : turn;
}

static bool is_flat(const struct call *call)
{
    return call->values[ROLL_dims].count == 0;
}

/* How far each dim is turned; a dim that is named twice by both. */
static aclnnStatus read_turns(const struct call *call, int64_t turn[OPERAND_RANK_MAX])
{
    const struct tensor_view *self = &call->tensor[FLIP_self];
    const struct call_values *shifts = &call->values[ROLL_shifts], *dims = &call->values[ROLL_dims];
    for (uint32_t i = 0; i < self->rank; i++)
        turn[i] = 0;
    for (uint64_t i = 0; i < dims->count; i++) {
        uint32_t dim;
        TRY(check_dim(call, ROLL_dims, dims->value.int64[i], self->rank, &dim));
        if (self->shape[dim] > 0)
            turn[dim] = (int64_t)(((uint64_t)turn[dim] +
                                   (uint64_t)turn_of(shifts->value.int64[i], self->shape[dim])) %
                                  (uint64_t)self->shape[dim]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_roll(const struct call *call, struct result *result)
{
    const struct call_values *shifts = &call->values[ROLL_shifts], *dims = &call->values[ROLL_dims];
    const struct tensor_view *self = &call->tensor[FLIP_self];
    int64_t turn[OPERAND_RANK_MAX];
    TRY(check_dtype(call, FLIP_self));
    TRY(check_rank(call, FLIP_self));
    result_like(result, call, FLIP_self);
    if (self->count == 0)
        return ACLNN_SUCCESS;
    if (is_flat(call) ? shifts->count != 1 : dims->count != shifts->count)
        return refuse(call,
                      "shifts has %" PRIu64 " elements and dims has %" PRIu64
                      "; as many are expected, or one shift without dims",
                      shifts->count, dims->count);
    if (self->rank == 0 && (dims->count > 0 || shifts->count != 1))
        return refuse(call, "x has no dims; one shift and no dims are expected");
    return read_turns(call, turn);
}

/* The dims that are turned: those of the tensor, or one of all its elements. */
struct turned {
    uint32_t rank;
    int64_t shape[OPERAND_RANK_MAX], turn[OPERAND_RANK_MAX];
};

/* The number of the element of x that comes to the beginning of a row. */
static uint64_t find_row(const struct turned *turned, uint64_t row)
{
    uint64_t number = 0, step = 1;
    for (uint32_t i = turned->rank - 1; i-- > 0;) {
        const uint64_t size = (uint64_t)turned->shape[i], index = row % size;
        const uint64_t from = index + size - (uint64_t)turned->turn[i];
        number += (from < size ? from : from - size) * step;
        row /= size;
        step *= size;
    }
    return number;
}

/* Rows of the last dim, or what a piece has of them, in two runs at most. */
static void make_rolled(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct turned *turned = (const struct turned *)walk->parameters;
    const uint64_t columns = (uint64_t)turned->shape[turned->rank - 1];
    const uint64_t turn = (uint64_t)turned->turn[turned->rank - 1];
    unsigned char *element = (unsigned char *)elements;
    while (count > 0) {
        const uint64_t row = at / columns, column = at % columns;
        const uint64_t from = column < turn ? column + columns - turn : column - turn;
        uint64_t run = column < turn ? turn - column : columns - column;
        run = run < count ? run : count;
        numbered_read(walk, 0, find_row(turned, row) * columns + from, run, element);
        element += run * walk->input[0].port.span.bytes;
        at += run;
        count -= run;
    }
}

static aclnnStatus plan_roll(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[FLIP_self];
    struct turned turned = {.rank = self->rank};
    if (self->count == 0)
        return call_idle(call);
    if (is_flat(call)) {
        turned.rank = 1;
        turned.shape[0] = self->count;
        turned.turn[0] = turn_of(call->values[ROLL_shifts].value.int64[0], self->count);
    } else {
        memcpy(turned.shape, self->shape, self->rank * sizeof self->shape[0]);
        TRY(read_turns(call, turned.turn));
    }
    struct numbered_request request = numbered_request(call, ROLL_out, make_rolled, result->computed);
    numbered_add_input(&request, call, FLIP_self, false);
    request.parameters = &turned;
    request.parameter_bytes = sizeof turned;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnRoll, ROLL, .stem = "roll", .family = FAMILY_MOVE, .promise = &promise_exact, NUMBERED,
            .infer = infer_roll, .plan = plan_roll);
