/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How numbers of 8 and of 4 bits, and factors, are read.
 */
#include "ops/contraction/numbers.h"

#include <string.h>

#include "ops/contraction/scale_bits.h"

enum { WORD = 8, BLOCKED_DIMS = 4, CODES_AT_ONCE = 256 };

/* Of eight numbers to an element, which dim they lie along: that of stride 1; of two such, one of size 1. */
static uint32_t packed_dim(const struct tensor_view *view)
{
    const uint32_t last = view->rank - 1;
    if (view->stride[last - 1] != 1 || (view->stride[last] == 1 && view->shape[last] == 1))
        return last;
    return view->stride[last] != 1 || view->shape[last - 1] == 1 ? last - 1 : last;
}

/* (.., n / c, k / r, r, c), in which blocks are one behind the other. */
static void set_blocks(const struct tensor_view *view, int64_t packs, struct numbers *numbers)
{
    const uint32_t first = view->rank - BLOCKED_DIMS;
    const int64_t *shape = view->shape + first, *stride = view->stride + first;
    const int64_t step = packs == 1 ? 1 : WORD;
    numbers->stride[0] = size_times(stride[2], step);
    numbers->stride[1] = packs == 1 ? stride[3] : 1;
    numbers->block[0] = shape[2], numbers->block[1] = size_times(shape[3], packs);
    numbers->outer[0] = size_times(stride[1], step), numbers->outer[1] = size_times(stride[0], step);
    numbers->size[0] = size_times(shape[1], shape[2]);
    numbers->size[1] = size_times(shape[0], numbers->block[1]);
}

bool matrix_of_numbers(const struct tensor_view *view, bool is_stacked, uint32_t address,
                       struct numbers *numbers)
{
    const uint32_t rank = view->rank - is_stacked;
    const int64_t packs = numbers_in(view->dtype);
    *numbers = (struct numbers){.address = address,
                                .is_in_halves = packs > 1 || dtype_is_packed(view->dtype),
                                .codes = is_small_float(view->dtype) ? view->dtype
                                         : view->dtype == ACL_FLOAT  ? ACL_FLOAT4_E2M1
                                                                     : ACL_INT8};
    /* The address of what is packed is that of its byte. */
    numbers->first = dtype_is_packed(view->dtype) ? view->offset % 2 : 0;
    if (view->rank < (is_stacked ? 3U : 2U) || (rank != 2 && rank != BLOCKED_DIMS))
        return false;
    if (rank == BLOCKED_DIMS) {
        set_blocks(view, packs, numbers);
        return true;
    }
    const uint32_t packed = packs == 1 ? view->rank : packed_dim(view);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t dim = view->rank - 2 + i;
        numbers->size[i] = view->shape[dim];
        numbers->stride[i] = size_times(view->stride[dim], packs);
        if (dim != packed)
            continue;
        if (__builtin_mul_overflow(view->shape[dim], packs, &numbers->size[i]))
            return false;
        numbers->stride[i] = 1;
    }
    return true;
}

struct numbers numbers_turned(const struct numbers *own)
{
    struct numbers turned = *own;
    for (int i = 0; i < 2; i++) {
        turned.stride[i] = own->stride[!i], turned.block[i] = own->block[!i];
        turned.outer[i] = own->outer[!i], turned.size[i] = own->size[!i];
    }
    return turned;
}

static int64_t place_along(const struct numbers *numbers, int side, uint64_t index)
{
    const int64_t block = numbers->block[side], at = (int64_t)index;
    return block == 0 ? at * numbers->stride[side]
                      : at / block * numbers->outer[side] + at % block * numbers->stride[side];
}

static int8_t half_at(const uint8_t *from, int64_t place)
{
    return (int8_t)(((from[place / 2] >> (place % 2 * 4) & 15) ^ 8) - 8);
}

/* Numbers that are so far apart. */
static void read_run(const struct numbers *numbers, const uint8_t *from, int64_t place, int64_t step,
                     uint64_t count, int8_t *to)
{
    if (!numbers->is_in_halves && step == 1)
        memcpy(to, from + place, count);
    for (uint64_t i = 0; !numbers->is_in_halves && step != 1 && i < count; i++)
        to[i] = (int8_t)from[place + (int64_t)i * step];
    for (uint64_t i = 0; numbers->is_in_halves && i < count; i++)
        to[i] = half_at(from, place + (int64_t)i * step);
}

void numbers_read(const struct numbers *numbers, void *const *address, uint64_t row, uint64_t column,
                  uint64_t count, int8_t *to)
{
    const uint8_t *from = address[numbers->address];
    const int64_t first = numbers->first + place_along(numbers, 0, row);
    const uint64_t block = (uint64_t)numbers->block[1];
    for (uint64_t some; count > 0; count -= some, column += some, to += some) {
        some = block == 0 || count < block - column % block ? count : block - column % block;
        read_run(numbers, from, first + place_along(numbers, 1, column), numbers->stride[1], some, to);
    }
}

void numbers_read_floats(const struct numbers *numbers, const struct transfer *transfer, void *const *address,
                         uint64_t row, uint64_t column, uint64_t count, float *to)
{
    int8_t code[CODES_AT_ONCE] __attribute__((uninitialized));
    for (uint64_t some; count > 0; count -= some, column += some, to += some) {
        some = count < CODES_AT_ONCE ? count : CODES_AT_ONCE;
        numbers_read(numbers, address, row, column, some, code);
        transfer->convert(code, numbers->codes, to, ACL_FLOAT, (size_t)some);
    }
}

const int8_t *numbers_direct(const struct numbers *numbers, void *const *address, uint64_t depth)
{
    const bool is_direct = !numbers->is_in_halves && numbers->block[0] == 0 && numbers->block[1] == 0 &&
                           (numbers->stride[1] == 1 || depth == 1) &&
                           (numbers->stride[0] == (int64_t)depth || numbers->size[0] == 1);
    return is_direct ? (const int8_t *)address[numbers->address] + numbers->first : NULL;
}

static bool has_bits(const struct factors *factors)
{
    return factors->dtype == ACL_INT64 || factors->dtype == ACL_UINT64;
}

/* A factor as it is stored. */
static const unsigned char *factor_at(const struct factors *factors, void *const *address, uint64_t part,
                                      uint64_t lane)
{
    const int64_t of_part =
        factors->is_paired ? (int64_t)(part / 2) * factors->stride[0] + (int64_t)(part % 2) * factors->second
                           : (int64_t)part * factors->stride[0];
    const int64_t place = factors->first + of_part + (int64_t)(lane / factors->lanes) * factors->stride[1];
    return (const unsigned char *)address[factors->address] + place * (int64_t)factors->bytes;
}

static uint64_t bits_at(const struct factors *factors, void *const *address, uint64_t part, uint64_t lane)
{
    uint64_t bits;
    memcpy(&bits, factor_at(factors, address, part, lane), sizeof bits);
    return bits;
}

static double factor_in_bits(const struct factors *factors, uint64_t bits)
{
    return factors->is_plain ? float_in_bits((uint32_t)bits) : scale_in_bits(bits);
}

struct factors factors_of_view(const struct tensor_view *view, uint32_t address, int64_t part_stride,
                               int64_t lane_stride)
{
    return (struct factors){.is_given = true,
                            .dtype = view->dtype,
                            .bytes = dtype_bytes(view->dtype),
                            .address = address,
                            .stride = {part_stride, lane_stride},
                            .lanes = 1};
}

void factors_read(const struct factors *factors, const struct transfer *transfer, void *const *address,
                  uint64_t part, uint64_t lane, uint64_t count, double *to)
{
    const bool is_row = factors->lanes == 1 && factors->stride[1] == 1 && !has_bits(factors);
    if (is_row)
        transfer_convert(transfer, factor_at(factors, address, part, lane), factors->dtype, to, ACL_DOUBLE,
                         count);
    for (uint64_t i = 0; !is_row && i < count; i++) {
        const bool repeats = i > 0 && (factors->stride[1] == 0 ||
                                       (lane + i) / factors->lanes == (lane + i - 1) / factors->lanes);
        if (repeats)
            to[i] = to[i - 1];
        else if (has_bits(factors))
            to[i] = factor_in_bits(factors, bits_at(factors, address, part, lane + i));
        else
            transfer_convert(transfer, factor_at(factors, address, part, lane + i), factors->dtype, to + i,
                             ACL_DOUBLE, 1);
    }
}

void factors_read_offsets(const struct factors *factors, void *const *address, uint64_t lane, uint64_t count,
                          double *to)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = has_bits(factors) ? offset_in_bits(bits_at(factors, address, 0, lane + i)) : 0;
}
