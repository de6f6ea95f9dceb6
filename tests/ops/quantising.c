/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits with given scales, and products of them, in any layout against loops: AscendQuant,
 * scales in 64 bits, QuantMatmul; worked examples, what is refused, and that bits depend neither on the level
 * nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/named_call.h"
#include "support/effort.h"

#define NUMBERS(...) ((const double[]){__VA_ARGS__})

static double limited(double value, double most)
{
    const double whole = nearbyint(value);
    return isnan(value) ? 0 : whole > most ? most : whole < -most - 1 ? -most - 1 : whole;
}

/* The number with a place among those that lie in bytes: INT8, or INT4 two to a byte in the order of bits. */
static int number_at(const struct layout *y, int64_t i, bool is_short)
{
    if (!is_short)
        return (int8_t)*layout_element(y, i);
    const unsigned char *element = layout_element(y, i / (int64_t)(2 * y->bytes));
    const int half = element[i / 2 % (int64_t)y->bytes] >> (i % 2 * 4) & 15;
    return half > 7 ? half - 16 : half;
}

static const char *const roundings[] = {"rint", "round", "floor", "ceil", "trunc"};

static double rounded(double value, int rounding)
{
    return rounding == 2 ? floor(value) : rounding == 3 ? ceil(value) : rounding == 4 ? trunc(value) : value;
}

struct quant {
    int64_t shape[3];
    int axis, rounding;
    bool is_packed, is_v3, is_squared, has_offset, is_one;
};

static struct named_call call_of_quant(struct quant *q)
{
    *q = (struct quant){.shape = {1 + random_below(4), 1 + random_below(6), 8 * (1 + random_below(90))},
                        .is_v3 = random_below(2) == 0,
                        .rounding = (int)random_below(5),
                        .is_packed = random_below(2) == 0,
                        .is_squared = random_below(2) == 0,
                        .has_offset = random_below(2) == 0,
                        .is_one = random_below(3) == 0};
    struct named_call call = call_begin_named(q->is_v3 ? "aclnnAscendQuantV3" : "aclnnAscendQuant");
    q->axis = q->is_v3 ? (int)random_below(3) : 2;
    const struct layout *x = give_tensor(&call, "x", short_dtypes[random_below(3)], 3, q->shape);
    for (int64_t i = 0; i < x->count; i++) /* of some the products end in .5, or are far away */
        set_element(x, i, random_below(40) == 0 ? (double)NAN : (double)(random_below(801) - 400) / 2);
    const int64_t count = q->is_one ? 1 : q->shape[q->axis], one[] = {1, 1, 1};
    for (int i = 0; i < (q->has_offset ? 2 : 1); i++) {
        int64_t shape[3];
        memcpy(shape, one, sizeof shape);
        shape[q->axis] = count;
        const struct layout *factor =
            random_below(2) == 0 ? GIVE(&call, i == 0 ? "scale" : "offset", ACL_FLOAT, count)
                                 : give_tensor(&call, i == 0 ? "scale" : "offset", ACL_FLOAT, 3, shape);
        for (int64_t k = 0; k < factor->count; k++)
            set_element(factor, k, (double)(1 + random_below(4)) / 2);
    }
    call.argument[place_named(&call, "roundMode")].string = roundings[q->rounding];
    give_number(&call, "sqrtMode", q->is_squared);
    give_number(&call, "dstType", q->is_packed ? ACL_INT32 : ACL_INT8);
    give_number(&call, "axis", random_below(2) == 0 ? q->axis : q->axis - 3);
    GIVE(&call, "y", q->is_packed ? ACL_INT32 : ACL_INT8, q->shape[0], q->shape[1],
         q->is_packed ? q->shape[2] / 8 : q->shape[2]);
    return call;
}

static void numbers_are_those_of_the_scales(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        struct quant q;
        struct named_call call = call_of_quant(&q);
        assert_int_equal(run_named(&call), 0);
        const struct layout *x = tensor_named(&call, "x"), *scale = tensor_named(&call, "scale");
        const int64_t place[] = {q.shape[1] * q.shape[2], q.shape[2], 1};
        for (int64_t i = 0; i < x->count; i++) {
            const int64_t own = q.is_one ? 0 : i / place[q.axis] % q.shape[q.axis];
            const double s = element_of(scale, own);
            const double offset = q.has_offset ? element_of(tensor_named(&call, "offset"), own) : 0;
            const double value = element_of(x, i) * s * (q.is_squared ? s : 1) + offset;
            assert_int_equal(number_at(tensor_named(&call, "y"), i, q.is_packed),
                             (int)limited(rounded(value, q.rounding), q.is_packed ? 7 : 127));
        }
        end_named(&call);
    }
}

static void int4_may_be_two_to_a_byte(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnAscendQuantV3");
    set_numbers(GIVE(&call, "x", ACL_FLOAT, 1, 4), NUMBERS(1, -2, 3.5, 90));
    set_numbers(GIVE(&call, "scale", ACL_FLOAT, 1), NUMBERS(1));
    give_number(&call, "dstType", ACL_INT4);
    struct layout bytes = layout_create(ACL_INT8, 1, (int64_t[]){2}, LAYOUT_CONTIGUOUS);
    const int y = place_named(&call, "y");
    const int64_t shape[] = {1, 4}, stride[] = {4, 1};
    aclTensor *out = aclCreateTensor(shape, 2, ACL_INT4, stride, 0, ACL_FORMAT_ND, shape, 2,
                                     memory_known_as(bytes.memory));
    call.argument[y].tensor = out;
    assert_int_equal(run_named(&call), 0);
    assert_int_equal(bytes.memory[0], 0xe1);
    assert_int_equal(bytes.memory[1], 0x74);
    assert_int_equal(aclDestroyTensor(out), 0);
    layout_destroy(&bytes);
    end_named(&call);
}

static void scales_of_64_bits_are_as_worked_out(void **state)
{
    const double none = (double)NAN;
    const struct {
        double scale, offset, mode;
        uint64_t bits;
    } rows[] = {{1, none, 0, UINT64_C(0x40003F800000)},
                {.1, none, 0, UINT64_C(0x40003DCCC000)},
                {.1, -3, 0, UINT64_C(0x7FA03DCCC000)},
                {2.5, 300, 0, UINT64_C(0x5FE040200000)},
                {1 + 0x1p-11, none, 0, UINT64_C(0x40003F800000)},
                {1 + 0x1p-11, none, 1, UINT64_C(0x40003F800000)},
                {1 + 0x1.8p-11, none, 1, UINT64_C(0x40003F802000)},
                {1 + 0x1.8p-10, none, 1, UINT64_C(0x40003F804000)},
                {(double)INFINITY, none, 1, UINT64_C(0x40007F800000)}};
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int v = rows[i].mode > 0 ? 3 : 2; v <= 3; v++) {
            struct named_call call =
                call_begin_named(v == 2 ? "aclnnTransQuantParamV2" : "aclnnTransQuantParamV3");
            set_numbers(GIVE(&call, "scale", ACL_FLOAT, 1), &rows[i].scale);
            if (!isnan(rows[i].offset))
                set_numbers(GIVE(&call, "offset", ACL_FLOAT, 2), NUMBERS(rows[i].offset, rows[i].offset));
            give_number(&call, "roundMode", rows[i].mode);
            const struct layout *out =
                GIVE(&call, "out", v == 2 ? ACL_INT64 : ACL_UINT64, isnan(rows[i].offset) ? 1 : 2);
            assert_int_equal(run_named(&call), 0);
            for (int64_t k = 0; k < out->count; k++) {
                uint64_t bits;
                memcpy(&bits, layout_element(out, k), sizeof bits);
                assert_int_equal(bits, rows[i].bits);
            }
            end_named(&call);
        }
}

/* Products. */

struct byte_product {
    int64_t batches[2], rows, columns, depth; /* of x1 and of x2 */
    bool turns[2], has_bits, is_bias_whole, is_bias_by_batch;
    aclDataType out;
};

static void give_bytes(struct named_call *call, const char *name, int64_t batches, int64_t rows,
                       int64_t columns, bool turns, bool has_batch)
{
    const int64_t shape[] = {batches, turns ? columns : rows, turns ? rows : columns};
    const struct layout *layout = give_tensor(call, name, ACL_INT8, has_batch ? 3 : 2, shape + !has_batch);
    for (int64_t i = 0; i < layout->count; i++)
        set_whole(layout, i, random_below(16) == 0 ? -128 : random_below(256) - 128);
}

static struct named_call call_of_product(struct byte_product *p)
{
    static const aclDataType outs[] = {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_INT8, ACL_INT32};
    const bool has_batch = random_below(2) == 0;
    *p = (struct byte_product){.batches = {1, 1},
                               .rows = 1 + random_below(11),
                               .columns = 1 + random_below(150),
                               .depth = 1 + random_below(70),
                               .turns = {random_below(2) == 0, random_below(2) == 0},
                               .has_bits = random_below(2) == 0,
                               .is_bias_whole = random_below(2) == 0,
                               .out = outs[random_below(5)]};
    if (has_batch) {
        const int64_t batches = 1 + random_below(3);
        p->batches[0] = random_below(3) == 0 ? 1 : batches;
        p->batches[1] = random_below(3) == 0 ? 1 : batches;
    }
    p->is_bias_whole = p->is_bias_whole || p->out == ACL_INT32;
    const int64_t batches = p->batches[0] > p->batches[1] ? p->batches[0] : p->batches[1];
    struct named_call call =
        call_begin_named(random_below(2) == 0 ? "aclnnQuantMatmulV5" : "aclnnQuantMatmulWeightNz");
    give_bytes(&call, "x1", p->batches[0], p->rows, p->depth, p->turns[0], has_batch);
    give_bytes(&call, "x2", p->batches[1], p->depth, p->columns, p->turns[1], has_batch);
    if (random_below(2) == 0)
        GIVE(&call, "x1Scale", ACL_FLOAT, random_below(3) == 0 ? 1 : p->rows);
    static const aclDataType scales[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    const struct layout *scale = GIVE(&call, "x2Scale", p->has_bits ? ACL_INT64 : scales[random_below(3)],
                                      random_below(3) == 0 ? 1 : p->columns);
    for (int64_t i = 0; p->has_bits && i < scale->count; i++) {
        const float value = 0.001f * (float)(1 + random_below(100));
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        set_whole(scale, i, (int64_t)((uint64_t)bits | (uint64_t)random_below(512) << 37));
    }
    if (p->out == ACL_INT8 && random_below(2) == 0)
        GIVE(&call, "x2Offset", ACL_FLOAT, random_below(2) == 0 ? 1 : p->columns);
    if (random_below(3) > 0) {
        p->is_bias_by_batch = has_batch && random_below(2) == 0;
        const struct layout *bias =
            p->is_bias_by_batch
                ? GIVE(&call, "bias", p->is_bias_whole ? ACL_INT32 : ACL_BF16, batches, 1, p->columns)
                : GIVE(&call, "bias", p->is_bias_whole ? ACL_INT32 : ACL_FLOAT, p->columns);
        for (int64_t i = 0; p->is_bias_whole && i < bias->count; i++)
            set_whole(bias, i, random_below(2001) - 1000);
    }
    give_number(&call, "transposeX1", p->turns[0]);
    give_number(&call, "transposeX2", p->turns[1]);
    if (has_batch)
        GIVE(&call, "out", p->out, batches, p->rows, p->columns);
    else
        GIVE(&call, "out", p->out, p->rows, p->columns);
    return call;
}

static int64_t byte_of(struct named_call *call, const char *name, int64_t batch, int64_t batches,
                       int64_t rows, int64_t columns, int64_t row, int64_t column, bool turns)
{
    const int64_t first = batches == 1 ? 0 : batch * rows * columns;
    return whole_of(tensor_named(call, name), first + (turns ? column * rows + row : row * columns + column));
}

static double factor_of(struct named_call *call, const char *name, int64_t i, double otherwise)
{
    return !is_named(call, name)                  ? otherwise
           : tensor_named(call, name)->count == 1 ? element_of(tensor_named(call, name), 0)
                                                  : element_of(tensor_named(call, name), i);
}

static void judge_product(struct named_call *call, const struct byte_product *p, int64_t at)
{
    const int64_t column = at % p->columns, row = at / p->columns % p->rows,
                  batch = at / p->columns / p->rows;
    const struct layout *out = tensor_named(call, "out"), *scales = tensor_named(call, "x2Scale");
    int64_t sum = 0;
    for (int64_t k = 0; k < p->depth; k++)
        sum += byte_of(call, "x1", batch, p->batches[0], p->rows, p->depth, row, k, p->turns[0]) *
               byte_of(call, "x2", batch, p->batches[1], p->depth, p->columns, k, column, p->turns[1]);
    const double bias =
        is_named(call, "bias")
            ? element_of(tensor_named(call, "bias"), (p->is_bias_by_batch ? batch * p->columns : 0) + column)
            : 0;
    double scale, offset = 0;
    if (p->has_bits) {
        const uint64_t bits = (uint64_t)whole_of(scales, scales->count == 1 ? 0 : column);
        const uint32_t kept = (uint32_t)bits & 0xffffe000U;
        float value;
        memcpy(&value, &kept, sizeof value);
        scale = (double)value;
        offset = (double)((int64_t)(bits << 18) >> 55);
    } else {
        scale = factor_of(call, "x2Scale", column, 1);
    }
    offset = factor_of(call, "x2Offset", column, offset);
    if (p->out == ACL_INT32) {
        assert_int_equal(whole_of(out, at), sum + (int64_t)bias);
        return;
    }
    const long double value = ((long double)sum + (p->is_bias_whole ? (long double)bias : 0)) *
                                  (long double)scale * (long double)factor_of(call, "x1Scale", row, 1) +
                              (p->is_bias_whole ? 0 : (long double)bias);
    if (p->out == ACL_INT8)
        assert_true(fabs((double)whole_of(out, at) - limited((double)value + offset, 127)) <=
                    (fabs((double)value + offset - floor((double)value + offset) - .5) < 1e-6));
    else
        assert_near("product", out, at, value, p->out, 0x1p-40L);
}

static void products_are_exact_and_scaled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        struct byte_product p;
        struct named_call call = call_of_product(&p);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < tensor_named(&call, "out")->count; i++)
            judge_product(&call, &p, i);
        end_named(&call);
    }
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    const int invalid = ACLNN_ERR_PARAM_INVALID;
    (void)state;
    struct named_call call = call_begin_named("aclnnAscendQuantV3");
    GIVE(&call, "x", ACL_FLOAT, 2, 12);
    GIVE(&call, "scale", ACL_FLOAT, 12);
    GIVE(&call, "y", ACL_INT8, 2, 12);
    give_number(&call, "axis", 2);
    assert_named_refused(&call, invalid, "axis is 2");
    give_number(&call, "axis", 0);
    assert_named_refused(&call, invalid, "scale has shape [12]; 1 element, or 2, those of dim 0 of x");
    give_number(&call, "axis", -1);
    give_number(&call, "dstType", ACL_INT32);
    assert_named_refused(&call, invalid, "x has rows of 12 elements; multiples of 8");
    give_number(&call, "dstType", ACL_UINT8);
    assert_named_refused(&call, invalid, "dstType is 4");
    give_number(&call, "dstType", ACL_INT8);
    call.argument[place_named(&call, "roundMode")].string = "up";
    assert_named_refused(&call, invalid, "roundMode is \"up\"");
    GIVE(&call, "offset", ACL_FLOAT, 1);
    assert_named_refused(&call, invalid, "offsetOptional has 1 elements; 12, as scale has");
    end_named(&call);
    call = call_begin_named("aclnnTransQuantParamV3");
    GIVE(&call, "scale", ACL_FLOAT, 2);
    GIVE(&call, "out", ACL_INT64, 2);
    give_number(&call, "roundMode", 2);
    assert_named_refused(&call, invalid, "roundMode is 2; 0 or 1 is expected");
    GIVE(&call, "offset", ACL_FLOAT, 3);
    assert_named_refused(&call, invalid, "offsetOptional has 3 elements; 1 or 2");
    end_named(&call);
    call = call_begin_named("aclnnQuantMatmulV5");
    GIVE(&call, "x1", ACL_INT8, 3, 4);
    GIVE(&call, "x2", ACL_INT8, 4, 5);
    GIVE(&call, "x2Scale", ACL_FLOAT, 4);
    GIVE(&call, "out", ACL_FLOAT16, 3, 5);
    assert_named_refused(&call, invalid, "x2Scale has shape [4]; 1 element or 5 are expected");
    GIVE(&call, "x2Scale", ACL_FLOAT, 0);
    assert_named_refused(&call, invalid, "x2Scale has shape [0]; 1 element or 5 are expected");
    GIVE(&call, "x2Scale", ACL_FLOAT, 4);
    give_number(&call, "transposeX2", 1);
    assert_named_refused(&call, invalid, "the sums run along 4 and 5 elements");
    give_number(&call, "transposeX1", 1);
    give_number(&call, "transposeX2", 0);
    assert_named_refused(&call, invalid, "the sums run along 3 and 4 elements");
    give_number(&call, "transposeX1", 0);
    GIVE(&call, "yScale", ACL_FLOAT, 5);
    assert_named_refused(&call, invalid, "yScaleOptional is given; NULL is expected");
    end_named(&call);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 24; round++) {
        struct quant q;
        struct byte_product p;
        struct named_call calls[] = {call_of_quant(&q), call_of_product(&p)};
        for (int i = 0; i < 2; i++) {
            if (run_named(&calls[i]) != 0)
                return 0;
            hash = hash_named(&calls[i], hash);
            end_named(&calls[i]);
        }
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_scales),
        cmocka_unit_test(int4_may_be_two_to_a_byte),
        cmocka_unit_test(scales_of_64_bits_are_as_worked_out),
        cmocka_unit_test(products_are_exact_and_scaled),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
