/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a row of values must be as numbers of few bits with its scales, by plain loops over codes. Include cmocka.h
 * before.
 */
#ifndef BELAY_TESTS_OPS_MADE_ROW_H
#define BELAY_TESTS_OPS_MADE_ROW_H

#include "ops/codes.h"

enum { NO_SCALE = 0, ROW = 1, BLOCK = 128, MX = 32 }; /* numbers that a scale is of, but for the first two */

struct made_row {
    aclDataType dtype;
    int scales;
    bool has_pairs; /* of scales of 128 there is an even number */
    float least;    /* what the greatest size of an MX block is at least */
};

static inline int64_t made_scales(const struct made_row *made, int64_t width)
{
    const int64_t blocks = made->scales > ROW ? (width + made->scales - 1) / made->scales : made->scales;
    return made->has_pairs || made->scales == MX ? (blocks + 1) / 2 * 2 : blocks;
}

/* The tensor of scales, in one of the shapes of as many elements. */
static inline void give_made_scales(struct named_call *call, const char *name, const struct made_row *made,
                                    int64_t rows, int64_t width)
{
    const int64_t count = made_scales(made, width), flat[] = {rows * count}, each[] = {rows, count},
                  pairs[] = {rows, count / 2, 2};
    const unsigned rank = 1 + (unsigned)random_below(count % 2 == 0 ? 3 : 2);
    const int64_t *shape = rank == 1 ? flat : rank == 2 ? each : pairs;
    if (made->scales == MX)
        give_codes(call, name, ACL_FLOAT8_E8M0, rank, shape);
    else
        give_tensor(call, name, ACL_FLOAT, made->scales == ROW ? 1 : rank,
                    made->scales == ROW ? flat : shape);
}

/* A number's code, of INT4 in INT32 too. */
static inline unsigned made_code(const struct layout *y, bool is_words, aclDataType dtype, int64_t i)
{
    return is_words ? (unsigned)((uint32_t)whole_of(y, i / 8) >> i % 8 * 4 & 15)
                    : code_at(y, i, dtype_is_packed(dtype));
}

static inline double made_scale(const struct made_row *made, const double *value, int64_t count)
{
    const double greatest = greatest_of(value, count, 1), most = code_most(made->dtype);
    if (made->scales == NO_SCALE)
        return 1;
    if (made->scales != MX)
        return made->scales == ROW ? (double)(float)(greatest / most)
                                   : (double)((float)greatest / (float)most);
    const double size = isnan(greatest) || greatest > (double)made->least ? greatest : (double)made->least;
    return (double)power_of(made->dtype, dtype_is_packed(made->dtype) ? 0 : 1, size, 0);
}

/* Row `row` of the tensors is made of the values. */
static inline void expect_made(const struct made_row *made, const struct layout *y, bool is_words,
                               const struct layout *scales, int64_t row, int64_t width, const double *value)
{
    const int64_t step = made->scales > ROW ? made->scales : width, count = made_scales(made, width);
    const double most = code_most(made->dtype),
                 least = made->dtype == ACL_INT8 || made->dtype == ACL_INT4 ? -most - 1 : -most;
    for (int64_t first = 0, block = 0; first < width; first += step, block++) {
        const int64_t some = width - first < step ? width - first : step, at = row * count + block;
        double scale = made_scale(made, value + first, some);
        if (made->scales == MX)
            assert_int_equal(code_at(scales, at, false), (unsigned)scale);
        else if (made->scales != NO_SCALE)
            assert_true(isnan(scale) ? isnan(element_of(scales, at)) : element_of(scales, at) == scale);
        const bool is_nothing = made->scales == MX ? scale == 255 : scale == 0;
        scale = made->scales == MX ? ldexp(1, (int)scale - 127) : scale;
        for (int64_t i = first; i < first + some; i++) {
            const double quotient = value[i] / scale;
            const unsigned code = made_code(y, is_words, made->dtype, row * width + i);
            if (is_nothing)
                assert_int_equal(code, 0);
            else
                assert_nearest("row", i, made->dtype, code,
                               isnan(quotient) ? quotient : fmax(least, fmin(most, quotient)));
        }
    }
    for (int64_t block = (width + step - 1) / step; block < count; block++)
        assert_true(made->scales == MX ? code_at(scales, row * count + block, false) == 0
                                       : element_of(scales, row * count + block) == 0);
}

/* A row that nothing has come for. */
static inline void expect_nothing(const struct made_row *made, const struct layout *y, bool is_words,
                                  const struct layout *scales, int64_t row, int64_t width)
{
    const int64_t count = made_scales(made, width);
    for (int64_t i = row * width; i < (row + 1) * width; i++)
        assert_int_equal(made_code(y, is_words, made->dtype, i), 0);
    for (int64_t i = row * count; i < (row + 1) * count; i++)
        assert_true(made->scales == MX ? code_at(scales, i, false) == 0 : element_of(scales, i) == 0);
}

#endif
