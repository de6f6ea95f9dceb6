/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 and of 4 bits in blocks with scales that are made of them, in any layout, against loops over all
 * elements: MX blocks along a dim, along two, of groups of rows and of 32 by 32; blocks of rows and columns with
 * FLOAT scales. The codes and powers of single numbers are proved by small_numbers.c. Worked examples, and what
 * is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ops/number_tensor.h"
#include "ops/quantise/formats.h"
#include "support/effort.h"

enum { X_RANK = 3, ELEMENTS_MOST = 1 << 16 };

/* Numbers of many sizes; in some tensors infinity or NaN, and runs of zeros. */
static struct layout *give_x(struct named_call *call, unsigned rank, const int64_t *shape)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    struct layout *x = give_tensor(call, "x", dtypes[random_below(3)], rank, shape);
    const int64_t zeros = random_below(100);
    for (int64_t i = 0; i < x->count; i++) {
        const double number = ldexp((double)random_below(2001) - 1000, (int)random_below(12) - 12);
        set_element(x, i, i >= zeros && i < zeros + 80 ? (i % 2 != 0 ? -0.0 : 0) : number);
    }
    if (x->count > 0 && random_below(3) == 0)
        set_element(x, random_below(x->count), random_below(2) == 0 ? (double)NAN : -(double)INFINITY);
    return x;
}

static double greatest_of(const double *value, int64_t count)
{
    double greatest = 0;
    for (int64_t i = 0; i < count; i++)
        greatest = isnan(value[i]) || isnan(greatest) ? (double)NAN : fmax(greatest, fabs(value[i]));
    return greatest;
}

/* The byte of the page's rules, by whole powers of two. */
static int power_of(const struct number_format *format, int rule, double greatest, double most, double least)
{
    int exponent;
    if (!(greatest <= 0x1.fffffep127))
        return 255;
    greatest = rule == 1 && least > greatest ? least : greatest;
    if (greatest == 0)
        return 0;
    if (rule == 0) {
        frexp(greatest, &exponent);
        return exponent - 1 - format->emax + 127;
    }
    const float quotient = (float)greatest / (float)(rule == 2 && most > 0 ? most : format->most);
    const double part = frexp((double)quotient, &exponent);
    return exponent - 1 + (part > 0.5) + 127;
}

struct mx {
    aclDataType dtype;
    int rule;
    enum rounding rounding;
    double most, least;
};

static struct mx drawn_mx(bool has_e1m2_rule)
{
    static const aclDataType dtypes[] = {ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT4_E2M1,
                                         ACL_FLOAT4_E1M2};
    struct mx mx = {.dtype = dtypes[random_below(4)]};
    const bool is_float4 = dtype_is_packed(mx.dtype);
    const bool has_rule = mx.dtype != ACL_FLOAT4_E1M2 || has_e1m2_rule;
    mx.rule = has_rule && random_below(2) == 0 ? (is_float4 ? 2 : 1) : 0;
    mx.rounding = is_float4 ? (enum rounding)random_below(ROUNDING_HYBRID) : ROUNDING_RINT;
    if (mx.rule == 2 && random_below(2) == 0)
        mx.most =
            mx.dtype == ACL_FLOAT4_E2M1 ? 6 + (double)random_below(7) : 1.75 + (double)random_below(8) / 4;
    if (mx.rule == 1 && random_below(2) == 0)
        mx.least = (double)random_below(100) / 8;
    return mx;
}

static const char *const names[] = {"rint", "round", "floor", "ceil", "trunc", "hybrid"};

static void give_mx(struct named_call *call, struct mx *mx)
{
    mx->rule = place_named(call, "scaleAlg") < 0 ? 0 : mx->rule;
    mx->most = place_named(call, "dstTypeMax") < 0 || mx->rule != 2 ? 0 : mx->most;
    mx->least = place_named(call, "maxLowBound") < 0 || mx->rule != 1 ? 0 : mx->least;
    give_number(call, "dstType", mx->dtype);
    give_number(call, "scaleAlg", mx->rule);
    give_number(call, "dstTypeMax", mx->most);
    give_number(call, "maxLowBound", mx->least);
    give_text(call, "roundMode",
              mx->rounding == ROUNDING_RINT && random_below(2) == 0 ? NULL : names[mx->rounding]);
}

/* One block, whose elements have these numbers: y, and the byte. */
static void expect_block(struct named_call *call, const struct mx *mx, const char *y_name,
                         const int64_t *number, int64_t count, int power)
{
    const struct layout *x = tensor_named(call, "x"), *y = tensor_named(call, y_name);
    for (int64_t i = 0; i < count; i++) {
        const double value = element_of(x, number[i]);
        uint8_t code;
        mx_encode_block(number_format_of(mx->dtype), mx->rounding, (uint8_t)power, &value, 1, &code);
        if (code_at(y, number[i], dtype_is_packed(mx->dtype)) != code)
            fail_msg("%s: %s[%d] of %g over 2^%d is %u and not %u", call->function->operation.name, y_name,
                     (int)number[i], value, power - 127, code_at(y, number[i], dtype_is_packed(mx->dtype)),
                     code);
    }
}

static int power_of_numbers(struct named_call *call, const struct mx *mx, const int64_t *number,
                            int64_t count)
{
    double *value = malloc((size_t)(count + 1) * sizeof *value);
    for (int64_t i = 0; i < count; i++)
        value[i] = element_of(tensor_named(call, "x"), number[i]);
    const int power =
        power_of(number_format_of(mx->dtype), mx->rule, greatest_of(value, count), mx->most, mx->least);
    free(value);
    return power;
}

static void shape_of_scales(int64_t *scale, unsigned rank, const int64_t *shape, unsigned axis, int64_t pairs)
{
    memcpy(scale, shape, rank * sizeof *shape);
    scale[axis] = pairs;
    scale[rank] = 2;
}

/* Every block along the axis, from rows on that begin groups: ends holds where these end. */
static void expect_along(struct named_call *call, const struct mx *mx, unsigned axis, int64_t block,
                         const int64_t *end, int64_t groups, const char *y_name, const char *scale_name)
{
    static int64_t number[ELEMENTS_MOST];
    const struct layout *x = tensor_named(call, "x"), *scale = tensor_named(call, scale_name);
    int64_t inner = 1, outer = 1;
    for (unsigned k = 0; k < axis; k++)
        outer *= x->shape[k];
    for (unsigned k = axis + 1; k < x->rank; k++)
        inner *= x->shape[k];
    const int64_t pairs = scale->shape[axis];
    unsigned char *is_told = calloc((size_t)scale->count + 1, 1);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            int64_t begin = 0;
            for (int64_t g = 0; g < groups; begin = end[g++])
                for (int64_t row = begin, b = 0; row < end[g]; row += block, b++) {
                    int64_t count = 0;
                    for (int64_t k = row; k < end[g] && k < row + block; k++)
                        number[count++] = (o * x->shape[axis] + k) * inner + i;
                    const int64_t pair = (groups > 1 ? begin / (2 * block) + g : 0) + b / 2;
                    const int64_t place = ((o * pairs + pair) * inner + i) * 2 + b % 2;
                    const int power = power_of_numbers(call, mx, number, count);
                    is_told[place] = 1;
                    if (code_at(scale, place, false) != (unsigned)power)
                        fail_msg("%s: the scale of block %d is %u and not %d", call->function->operation.name,
                                 (int)b, code_at(scale, place, false), power);
                    expect_block(call, mx, y_name, number, count, power);
                }
        }
    for (int64_t i = 0; i < scale->count; i++)
        assert_true(is_told[i] || code_at(scale, i, false) == 0);
    free(is_told);
}

static int64_t pairs_of(int64_t length, int64_t block)
{
    return (length + 2 * block - 1) / (2 * block);
}

static void draw_shape(int64_t *shape, unsigned rank)
{
    for (unsigned k = 0; k < rank; k++)
        shape[k] = 1 + random_below(k + 2 >= rank ? 150 : 3);
    shape[rank - 1] += shape[rank - 1] % 2;
}

static void blocks_along_a_dim(void **state)
{
    static const char *const functions[] = {"aclnnDynamicMxQuant", "aclnnDynamicMxQuantV2",
                                            "aclnnDynamicMxQuantV3"};
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        int64_t shape[X_RANK], scale[X_RANK + 1];
        const unsigned rank = 1 + (unsigned)random_below(X_RANK), axis = (unsigned)random_below(rank);
        struct named_call call = call_begin_named(functions[round % 3]);
        struct mx mx = drawn_mx(false);
        draw_shape(shape, rank);
        give_mx(&call, &mx);
        const int64_t block = mx.rule == 2 ? 32 : 32 * (1 + random_below(3));
        give_number(&call, "blocksize", (double)block);
        give_number(&call, "axis", random_below(2) == 0 ? axis : (double)axis - rank);
        give_x(&call, rank, shape);
        give_codes(&call, "y", mx.dtype, rank, shape);
        shape_of_scales(scale, rank, shape, axis, pairs_of(shape[axis], block));
        give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, rank + 1, scale);
        assert_int_equal(run_named(&call), 0);
        expect_along(&call, &mx, axis, block, &shape[axis], 1, "y", "mxscale");
        end_named(&call);
    }
}

static void blocks_along_both_dims(void **state)
{
    static const char *const functions[] = {"aclnnDynamicMxQuantWithDualAxis",
                                            "aclnnDynamicMxQuantWithDualAxisV2"};
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        int64_t shape[X_RANK], scale[X_RANK + 1];
        const unsigned rank = 2 + (unsigned)random_below(2);
        struct named_call call = call_begin_named(functions[round % 2]);
        struct mx mx = drawn_mx(false);
        draw_shape(shape, rank);
        give_mx(&call, &mx);
        give_x(&call, rank, shape);
        for (unsigned i = 0; i < 2; i++) {
            const unsigned axis = rank - 1 - i;
            give_codes(&call, i == 0 ? "y1" : "y2", mx.dtype, rank, shape);
            shape_of_scales(scale, rank, shape, axis, pairs_of(shape[axis], 32));
            give_codes(&call, i == 0 ? "mxscale1" : "mxscale2", ACL_FLOAT8_E8M0, rank + 1, scale);
        }
        assert_int_equal(run_named(&call), 0);
        expect_along(&call, &mx, rank - 1, 32, &shape[rank - 1], 1, "y1", "mxscale1");
        expect_along(&call, &mx, rank - 2, 32, &shape[rank - 2], 1, "y2", "mxscale2");
        end_named(&call);
    }
}

/* Where groups end: the last one at the last row. */
static int64_t draw_groups(int64_t *end, int64_t rows)
{
    const int64_t groups = 2 + random_below(4);
    for (int64_t g = 0; g < groups; g++)
        end[g] = g + 1 == groups ? rows : random_below(rows + 1);
    for (int64_t g = 0; g < groups; g++)
        for (int64_t k = g + 1; k < groups; k++)
            if (end[k] < end[g]) {
                const int64_t kept = end[g];
                end[g] = end[k];
                end[k] = kept;
            }
    return groups;
}

static void give_groups(struct named_call *call, const char *name, const int64_t *end, int64_t groups)
{
    const struct layout *list = give_tensor(call, name, ACL_INT32, 1, &groups);
    for (int64_t g = 0; g < groups; g++)
        set_whole(list, g, end[g]);
}

static void blocks_of_groups_of_rows(void **state)
{
    static const char *const functions[] = {"aclnnGroupedDynamicMxQuant", "aclnnGroupedDynamicMxQuantV2"};
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        int64_t shape[X_RANK], scale[X_RANK + 1], end[8];
        struct named_call call = call_begin_named(functions[round % 2]);
        struct mx mx = drawn_mx(true);
        draw_shape(shape, 2);
        const int64_t groups = draw_groups(end, shape[0]);
        give_mx(&call, &mx);
        give_x(&call, 2, shape);
        give_groups(&call, "groupIndex", end, groups);
        give_codes(&call, "y", mx.dtype, 2, shape);
        shape_of_scales(scale, 2, shape, 0, shape[0] / 64 + groups);
        give_codes(&call, "mxscale", ACL_FLOAT8_E8M0, 3, scale);
        assert_int_equal(run_named(&call), 0);
        expect_along(&call, &mx, 0, 32, end, groups, "y", "mxscale");
        end_named(&call);
    }
}

static void blocks_of_32_by_32(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(30); round++) {
        static int64_t number[32 * 32];
        int64_t shape[X_RANK], scale[X_RANK + 1];
        const unsigned rank = 2 + (unsigned)random_below(2);
        struct named_call call = call_begin_named("aclnnDynamicBlockMxQuant");
        struct mx mx = drawn_mx(false);
        draw_shape(shape, rank);
        give_mx(&call, &mx);
        give_x(&call, rank, shape);
        give_codes(&call, "y", mx.dtype, rank, shape);
        const int64_t rows = shape[rank - 2], columns = shape[rank - 1], wide = pairs_of(columns, 32),
                      high = pairs_of(rows, 32), batch = rank == 3 ? shape[0] : 1;
        shape_of_scales(scale, rank, shape, rank - 1, wide);
        give_codes(&call, "scale1", ACL_FLOAT8_E8M0, rank + 1, scale);
        shape_of_scales(scale, rank, shape, rank - 2, high);
        give_codes(&call, "scale2", ACL_FLOAT8_E8M0, rank + 1, scale);
        assert_int_equal(run_named(&call), 0);
        for (int64_t b = 0; b < batch; b++)
            for (int64_t down = 0; down < 2 * high; down++)
                for (int64_t across = 0; across < 2 * wide; across++) {
                    int64_t count = 0;
                    for (int64_t i = 32 * down; i < 32 * down + 32 && i < rows; i++)
                        for (int64_t k = 32 * across; k < 32 * across + 32 && k < columns; k++)
                            number[count++] = (b * rows + i) * columns + k;
                    const int power = count == 0 ? 0 : power_of_numbers(&call, &mx, number, count);
                    expect_block(&call, &mx, "y", number, count, power);
                    for (int64_t i = 32 * down; i < 32 * down + 32 && i < rows; i++)
                        assert_int_equal(code_at(tensor_named(&call, "scale1"),
                                                 ((b * rows + i) * wide + across / 2) * 2 + across % 2,
                                                 false),
                                         power);
                    for (int64_t k = 32 * across; k < 32 * across + 32 && k < columns; k++)
                        assert_int_equal(code_at(tensor_named(&call, "scale2"),
                                                 ((b * high + down / 2) * columns + k) * 2 + down % 2, false),
                                         power);
                }
        end_named(&call);
    }
}

static void expect_block_of_floats(struct named_call *call, const struct number_format *format,
                                   enum rounding rounding, double most, double least, const int64_t *number,
                                   int64_t count, float found)
{
    static double value[ELEMENTS_MOST];
    for (int64_t i = 0; i < count; i++)
        value[i] = element_of(tensor_named(call, "x"), number[i]);
    const double greatest = greatest_of(value, count);
    float scale = (float)greatest / (float)most;
    scale = greatest != 0 && scale < (float)least ? (float)least : scale;
    assert_true(found == scale || (isnan(found) && isnan(scale)));
    for (int64_t i = 0; i < count; i++) {
        double quotient = scale == 0 ? 0 : value[i] / (double)scale;
        quotient = format->is_whole && quotient < -127 ? -127 : quotient;
        uint8_t code;
        numbers_encode(format, rounding, &quotient, 1, &code);
        assert_int_equal(code_at(tensor_named(call, "y"), number[i], false), code);
    }
}

static void blocks_with_float_scales(void **state)
{
    static const char *const functions[] = {"aclnnDynamicBlockQuant", "aclnnDynamicBlockQuantV2",
                                            "aclnnGroupedDynamicBlockQuant",
                                            "aclnnGroupedDynamicBlockQuantV2"};
    static const aclDataType dtypes[] = {ACL_INT8, ACL_HIFLOAT8, ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN};
    static const int64_t high[] = {1, 64, 128}, wide[] = {64, 128, 192, 256};
    static const double limits[] = {15, 56, 224, 32768};
    static int64_t number[ELEMENTS_MOST];
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        int64_t shape[X_RANK], scale[X_RANK], end[8];
        struct named_call call = call_begin_named(functions[round % 4]);
        const bool is_grouped = round % 4 >= 2;
        const unsigned rank = 2 + (unsigned)random_below(2);
        const struct number_format *format = number_format_of(dtypes[random_below(4)]);
        const enum rounding rounding =
            format->dtype != ACL_HIFLOAT8
                ? ROUNDING_RINT
                : (enum rounding)(random_below(2) == 0 ? ROUNDING_ROUND : ROUNDING_HYBRID);
        const int64_t rows = high[random_below(3)], columns = wide[random_below(4)];
        const double least = random_below(2) == 0 ? 0 : (double)random_below(100) / 512;
        const bool has_most = place_named(&call, "dstTypeMax") >= 0 && format->dtype == ACL_HIFLOAT8;
        const double most = has_most ? limits[random_below(4)] : format->most;
        draw_shape(shape, rank);
        shape[rank - 1] += random_below(150);
        give_number(&call, "dstType", format->dtype);
        give_number(&call, "rowBlockSize", (double)rows);
        give_number(&call, "colBlockSize", (double)columns);
        give_number(&call, "minScale", least);
        give_number(&call, "dstTypeMax", has_most ? most : 0);
        give_text(&call, "roundMode", names[rounding]);
        give_x(&call, rank, shape);
        give_codes(&call, "y", format->dtype, rank, shape);
        end[0] = shape[rank - 2];
        const int64_t groups = is_grouped ? draw_groups(end, shape[rank - 2]) : 1;
        if (is_grouped)
            give_groups(&call, "groupList", end, groups);
        memcpy(scale, shape, sizeof scale);
        scale[rank - 2] = is_grouped ? shape[rank - 2] / rows + groups : (shape[rank - 2] + rows - 1) / rows;
        scale[rank - 1] = (shape[rank - 1] + columns - 1) / columns;
        const struct layout *scales = give_tensor(&call, "scale", ACL_FLOAT, rank, scale);
        assert_int_equal(run_named(&call), 0);
        unsigned char *is_told = calloc((size_t)scales->count + 1, 1);
        for (int64_t b = 0; b < (rank == 3 ? shape[0] : 1); b++)
            for (int64_t g = 0, begin = 0; g < groups; begin = end[g++])
                for (int64_t row = begin; row < end[g]; row += rows)
                    for (int64_t column = 0; column < shape[rank - 1]; column += columns) {
                        int64_t count = 0;
                        for (int64_t i = row; i < row + rows && i < end[g]; i++)
                            for (int64_t k = column; k < column + columns && k < shape[rank - 1]; k++)
                                number[count++] = (b * shape[rank - 2] + i) * shape[rank - 1] + k;
                        const int64_t down = (is_grouped ? begin / rows + g : 0) + (row - begin) / rows;
                        const int64_t place =
                            (b * scale[rank - 2] + down) * scale[rank - 1] + column / columns;
                        is_told[place] = 1;
                        expect_block_of_floats(&call, format, rounding, most, least, number, count,
                                               (float)element_of(scales, place));
                    }
        for (int64_t i = 0; i < scales->count; i++)
            assert_true(is_told[i] || element_of(scales, i) == 0);
        free(is_told);
        end_named(&call);
    }
}

#include "ops/block_quant_refused.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_along_a_dim),
        cmocka_unit_test(blocks_along_both_dims),
        cmocka_unit_test(blocks_of_groups_of_rows),
        cmocka_unit_test(blocks_of_32_by_32),
        cmocka_unit_test(blocks_with_float_scales),
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(what_is_no_choice_is_refused),
        cmocka_unit_test(groups_that_fall_are_told_by_the_stream),
    };
    const struct CMUnitTest older[] = {cmocka_unit_test(other_products_have_none)};
    const pid_t child = fork();
    if (child == 0) {
        setenv("BELAY_SOC", "Ascend910B3", 1);
        _exit(cmocka_run_group_tests(older, open_arena, close_arena) == 0 ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
