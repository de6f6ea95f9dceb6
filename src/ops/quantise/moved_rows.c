/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over a row that is moved: scales of pieces, or of the row before its first piece, and codes.
 */
#include "ops/quantise/moved_rows.h"

#include "ops/quantise/number.h"

struct moved_rows moved_rows_of(aclDataType dtype, enum moved_scales scales, float least)
{
    const struct number_format *format = number_format_of(dtype);
    return (struct moved_rows){
        .number = {.format = format,
                   .rounding = dtype == ACL_HIFLOAT8 ? ROUNDING_ROUND : ROUNDING_RINT,
                   .rule = dtype_is_packed(dtype) ? MX_EXPONENT : MX_QUOTIENT,
                   .least = least},
        .scales = scales,
    };
}

uint64_t moved_scale_count(const struct moved_rows *rows, uint64_t width)
{
    const uint64_t blocks = width / MOVED_BLOCK + (width % MOVED_BLOCK != 0);
    switch (rows->scales) {
    case MOVED_NO_SCALES:
        return 0;
    case MOVED_ROW_SCALES:
        return 1;
    case MOVED_BLOCK_SCALES:
        return rows->has_pairs ? blocks + blocks % 2 : blocks;
    case MOVED_MX_SCALES:
        break;
    }
    return 2 * mx_pairs(width);
}

aclDataType moved_scale_dtype(const struct moved_rows *rows)
{
    return rows->scales == MOVED_MX_SCALES ? ACL_FLOAT8_E8M0 : ACL_FLOAT;
}

static uint64_t part_of(uint64_t width, uint64_t at, uint64_t most)
{
    return width - at < most ? width - at : most;
}

static float scale_of_row(const struct moved_rows *rows, const struct moved_way *way, uint64_t row,
                          uint64_t width, double *value)
{
    double greatest = 0;
    for (uint64_t at = 0; at < width; at += MOVED_PIECE) {
        const uint64_t count = part_of(width, at, MOVED_PIECE);
        way->bring(way->context, row, at, count, value);
        greatest = greatest_size(value, count, greatest);
    }
    return scale_of_size(greatest, rows->number.format->most);
}

/* Numbers over the scale of their row; those of a row of zeros are 0. */
static void encode_over(const struct number_format *format, enum rounding rounding, float scale,
                        double *value, uint64_t count, uint8_t *code)
{
    for (uint64_t i = 0; i < count; i++)
        value[i] = scale == 0 && value[i] == 0 ? 0 : value[i] / (double)scale;
    numbers_encode(format, rounding, value, count, code);
}

/* Blocks of 128 numbers, and their scales. */
static void encode_blocks(const struct moved_rows *rows, double *value, uint64_t count, uint8_t *code,
                          float *scale)
{
    const struct number_format *format = rows->number.format;
    for (uint64_t at = 0; at < count; at += MOVED_BLOCK) {
        const uint64_t some = part_of(count, at, MOVED_BLOCK);
        const float own = (float)greatest_size(value + at, some, 0) / (float)format->most;
        block_encode(format, rows->number.rounding, own, value + at, some, code + at);
        scale[at / MOVED_BLOCK] = own;
    }
}

static void encode_mx(const struct moved_rows *rows, const double *value, uint64_t count, uint8_t *code,
                      uint8_t *power)
{
    for (uint64_t at = 0; at < count; at += MX_BLOCK)
        power[at / MX_BLOCK] =
            mx_encode_values(&rows->number, value + at, part_of(count, at, MX_BLOCK), code + at);
}

void moved_row_write(const struct moved_rows *rows, const struct moved_way *way, uint64_t row, uint64_t width)
{
    const struct number_format *format = rows->number.format;
    double value[MOVED_PIECE] __attribute__((uninitialized));
    float scale = 1;
    if (rows->scales == MOVED_ROW_SCALES) {
        scale = scale_of_row(rows, way, row, width, value);
        way->put_scales(way->context, row, 0, 1, &scale);
    }
    for (uint64_t at = 0; at < width; at += MOVED_PIECE) {
        const uint64_t count = part_of(width, at, MOVED_PIECE);
        uint8_t code[MOVED_PIECE] __attribute__((uninitialized)), power[MOVED_PIECE / MX_BLOCK] = {0};
        float scales[MOVED_PIECE / MOVED_BLOCK] = {0};
        way->bring(way->context, row, at, count, value);
        switch (rows->scales) {
        case MOVED_NO_SCALES:
            numbers_encode(format, rows->number.rounding, value, count, code);
            break;
        case MOVED_ROW_SCALES:
            encode_over(format, rows->number.rounding, scale, value, count, code);
            break;
        case MOVED_BLOCK_SCALES:
            encode_blocks(rows, value, count, code, scales);
            way->put_scales(way->context, row, at / MOVED_BLOCK, moved_scale_count(rows, count), scales);
            break;
        case MOVED_MX_SCALES:
            encode_mx(rows, value, count, code, power);
            way->put_scales(way->context, row, at / MX_BLOCK, moved_scale_count(rows, count), power);
            break;
        }
        way->put(way->context, row, at, count, code);
    }
}
