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

enum { SELF, FLIP_DIMS, FLIP_OUT, SHIFTS = 1, ROLL_DIMS, ROLL_OUT };

/* The dims that are named, a bit for each; names of dims of a rank 0 are not looked at. */
static aclnnStatus read_flipped(const struct call *call, uint32_t *flipped)
{
    const struct call_values *dims = &call->values[FLIP_DIMS];
    const uint32_t rank = call->tensor[SELF].rank;
    *flipped = 0;
    for (uint64_t i = 0; i < dims->count && rank > 0; i++) {
        uint32_t dim;
        TRY(check_dim(call, FLIP_DIMS, dims->value.int64[i], rank, &dim));
        if (*flipped >> dim & 1)
            return refuse(call, "dims names dim %u twice; once at most is expected", dim);
        *flipped |= 1u << dim;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_flip(const struct call *call, struct result *result)
{
    uint32_t flipped;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(read_flipped(call, &flipped));
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_flip(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    struct segments segments[OPERAND_RANK_MAX];
    uint32_t flipped;
    (void)result;
    TRY(read_flipped(call, &flipped));
    for (uint32_t i = 0; i < self->rank; i++) {
        segments[i] = segments_whole(self->shape[i]);
        if (flipped >> i & 1)
            segments[i].segment[0] = (struct segment){self->shape[i], self->shape[i] - 1, -1, 0};
    }
    return segments_plan(call, SELF, FLIP_OUT, segments, call->tensor[FLIP_OUT].stride);
}

static const struct parameter of_flip[] = {
    [SELF] = READ("self", &dtypes_floats_integers_bool_complex_float8),
    [FLIP_DIMS] = {"dims", .kind = PARAMETER_INT_ARRAY, .sample = "0"},
    [FLIP_OUT] = WRITTEN("out", &dtypes_floats_integers_bool_complex_float8),
};
FUNCTION(aclnnFlip, (const aclTensor *self, const aclIntArray *dims, aclTensor *out),
         (ARG(self), ARG(dims), ARG(out)), .stem = "flip", PARAMETERS(of_flip), MOVE, .infer = infer_flip,
         .plan = plan_flip);

/* shift modulo size, from 0 on. */
static int64_t turn_of(int64_t shift, int64_t size)
{
    const int64_t turn = shift % size;
    return turn < 0 ? turn + size : turn;
}

static bool is_flat(const struct call *call)
{
    return call->values[ROLL_DIMS].count == 0;
}

/* How far each dim is turned; a dim that is named twice by both. */
static aclnnStatus read_turns(const struct call *call, int64_t turn[OPERAND_RANK_MAX])
{
    const struct tensor_view *self = &call->tensor[SELF];
    const struct call_values *shifts = &call->values[SHIFTS], *dims = &call->values[ROLL_DIMS];
    for (uint32_t i = 0; i < self->rank; i++)
        turn[i] = 0;
    for (uint64_t i = 0; i < dims->count; i++) {
        uint32_t dim;
        TRY(check_dim(call, ROLL_DIMS, dims->value.int64[i], self->rank, &dim));
        if (self->shape[dim] > 0)
            turn[dim] = (int64_t)(((uint64_t)turn[dim] +
                                   (uint64_t)turn_of(shifts->value.int64[i], self->shape[dim])) %
                                  (uint64_t)self->shape[dim]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_roll(const struct call *call, struct result *result)
{
    const struct call_values *shifts = &call->values[SHIFTS], *dims = &call->values[ROLL_DIMS];
    const struct tensor_view *self = &call->tensor[SELF];
    int64_t turn[OPERAND_RANK_MAX];
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
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
        element += run * walk->span[0]->bytes;
        at += run;
        count -= run;
    }
}

static aclnnStatus plan_roll(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    struct turned turned = {.rank = self->rank};
    if (self->count == 0)
        return call_idle(call);
    if (is_flat(call)) {
        turned.rank = 1;
        turned.shape[0] = self->count;
        turned.turn[0] = turn_of(call->values[SHIFTS].value.int64[0], self->count);
    } else {
        memcpy(turned.shape, self->shape, self->rank * sizeof self->shape[0]);
        TRY(read_turns(call, turned.turn));
    }
    struct numbered_request request = numbered_request(call, ROLL_OUT, make_rolled, result->computed);
    numbered_add_input(&request, call, SELF, false);
    request.parameters = &turned;
    request.parameter_bytes = sizeof turned;
    return numbered_plan(call, &request, 1);
}

static const struct parameter of_roll[] = {
    [SELF] = READ(
        "x", &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_uint32_bool_float8_on_910b_int16_on_950_complex64),
    [SHIFTS] = {"shifts", .kind = PARAMETER_INT_ARRAY, .sample = "1"},
    [ROLL_DIMS] = {"dims", .kind = PARAMETER_INT_ARRAY, .sample = "0"},
    [ROLL_OUT] = WRITTEN(
        "out",
        &dtypes_fp32_fp16_bf16_int8_int32_int64_uint8_uint32_bool_float8_on_910b_int16_on_950_complex64),
};
FUNCTION(aclnnRoll, (const aclTensor *x, const aclIntArray *shifts, const aclIntArray *dims, aclTensor *out),
         (ARG(x), ARG(shifts), ARG(dims), ARG(out)), .stem = "roll", PARAMETERS(of_roll),
         .family = FAMILY_MOVE, .promise = &promise_exact, NUMBERED, .infer = infer_roll, .plan = plan_roll);
