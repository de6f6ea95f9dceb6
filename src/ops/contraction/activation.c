/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Activations of rows of doubles, and rows of values that become elements of a tensor, rounded once.
 */
#include "ops/contraction/activation.h"

#include <string.h>

#include "ops/loops/row_maths.h"
#include "ops/loops/tasks.h"
#include "ops/quantise/number.h"
#include "simd/vector/level_table.h"
#include "tensor/dtype.h"

LEVEL_TABLE(const struct row_maths, maths_of, row_maths);

enum { PIECE = 512, ELEMENT_PS = 2000, ROWS_AT_ONCE = 4 };

/* x times the logistic function of what stands in room; of -infinity it is 0. */
static void gate(const struct row_maths *maths, double *value, uint64_t count, double *room)
{
    maths->logistic(room, count);
    for (uint64_t i = 0; i < count; i++)
        value[i] = room[i] == 0 ? 0 : value[i] * room[i];
}

void activate(enum activation activation, enum isa_level isa, double *value, uint64_t count, double *room)
{
    const struct row_maths *maths = maths_of[isa];
    switch (activation) {
    case ACTIVATION_NONE:
        break;
    case ACTIVATION_RELU:
        for (uint64_t i = 0; i < count; i++)
            value[i] = value[i] <= 0 ? 0 : value[i];
        break;
    case ACTIVATION_GELU_TANH:
        for (uint64_t i = 0; i < count; i++)
            room[i] = 0x1.9884533d43651p+0 * (value[i] + 0.044715 * value[i] * value[i] * value[i]);
        gate(maths, value, count, room);
        break;
    case ACTIVATION_GELU_ERF:
        for (uint64_t i = 0; i < count; i++)
            room[i] = value[i] * -0x1.6a09e667f3bcdp-1;
        maths->error_complement(room, count);
        for (uint64_t i = 0; i < count; i++)
            value[i] = room[i] == 0 ? 0 : value[i] * (0.5 * room[i]);
        break;
    case ACTIVATION_FAST_GELU:
    case ACTIVATION_SILU:
        for (uint64_t i = 0; i < count; i++)
            room[i] = activation == ACTIVATION_SILU ? value[i] : 1.702 * value[i];
        gate(maths, value, count, room);
        break;
    }
}

void activate_swiglu(enum isa_level isa, double *value, uint64_t half, double *room)
{
    activate(ACTIVATION_SILU, isa, value, half, room);
    for (uint64_t i = 0; i < half; i++)
        value[i] *= value[half + i];
}

struct target target_of(const struct transfer *transfer, enum isa_level isa, const struct tensor_view *view,
                        uint32_t address)
{
    return (struct target){.transfer = transfer,
                           .isa = isa,
                           .dtype = view->dtype,
                           .address = address,
                           .bytes = dtype_bytes(view->dtype),
                           .stride = {view->stride[view->rank - 2], view->stride[view->rank - 1]},
                           .columns = (uint64_t)view->shape[view->rank - 1]};
}

struct taking {
    const struct target *target;
    unsigned char *first; /* of the first row; of values NULL: zeros */
    double *value;
};

static void round_piece(const struct target *target, const double *value, uint64_t count, void *to)
{
    int8_t *number = to;
    if (target->dtype == ACL_INT8)
        for (uint64_t i = 0; i < count; i++)
            number[i] = quantised_number(value[i], 127);
    else
        transfer_convert(target->transfer, value, ACL_DOUBLE, to, target->dtype, count);
}

static void add_what_is_there(const struct target *target, const unsigned char *from, uint64_t count,
                              double *value)
{
    _Alignas(64) unsigned char piece[PIECE * 8] __attribute__((uninitialized));
    double there[PIECE] __attribute__((uninitialized));
    const struct block block = {1, (size_t)count, 0, target->stride[1]};
    target->transfer->gather(piece, from, &block, target->bytes);
    transfer_convert(target->transfer, piece, target->dtype, there, ACL_DOUBLE, count);
    for (uint64_t i = 0; i < count; i++)
        value[i] += there[i];
}

static void take_row(void *context, uint64_t row)
{
    const struct taking *taking = context;
    const struct target *target = taking->target;
    unsigned char *to = taking->first + (int64_t)row * target->stride[0] * (int64_t)target->bytes;
    _Alignas(64) unsigned char piece[PIECE * 8] __attribute__((uninitialized));
    double room[PIECE] __attribute__((uninitialized));
    memset(piece, 0, sizeof piece);
    for (uint64_t j = 0, some; j < target->columns; j += some) {
        some = target->columns - j < PIECE ? target->columns - j : PIECE;
        if (taking->value != NULL) {
            double *value = taking->value + row * target->columns + j;
            activate(target->activation, target->isa, value, some, room);
            if (target->adds)
                add_what_is_there(target, to + (int64_t)j * target->stride[1] * (int64_t)target->bytes, some,
                                  value);
            round_piece(target, value, some, piece);
        }
        const struct block block = {1, (size_t)some, 0, target->stride[1]};
        target->transfer->scatter(to + (int64_t)j * target->stride[1] * (int64_t)target->bytes, &block, piece,
                                  target->bytes);
    }
}

static void take_rows(const struct target *target, void *const *address, uint64_t row, uint64_t rows,
                      double *value)
{
    struct taking taking = {.target = target, .value = value};
    if (rows == 0 || target->columns == 0)
        return;
    taking.first = (unsigned char *)address[target->address] +
                   (target->first + (int64_t)row * target->stride[0]) * (int64_t)target->bytes;
    tasks_run(take_row, &taking, rows, ROWS_AT_ONCE, rows * target->columns * ELEMENT_PS / 1000);
}

void target_take(const struct target *target, void *const *address, uint64_t row, uint64_t rows,
                 double *value)
{
    take_rows(target, address, row, rows, value);
}

void target_clear(const struct target *target, void *const *address, uint64_t row, uint64_t rows)
{
    take_rows(target, address, row, rows, NULL);
}
