/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of BFLOAT16 by BFLOAT16 in the order that contraction.h states, pair by pair, bit by bit: on every
 * level, with several numbers of threads, in every layout that packing has a way for, with numbers that forbid
 * the processor's products of pairs; and that instruction's own order, where it is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "ops/contraction/contraction.h"
#include "support/bits.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/sanitizer.h"

/* Of the contract, written down a second time. */
enum { BLOCK = 256 };
enum {
    LEFT,
    RIGHT,
    SELF,
    OUT,
    LANES_MOST = 80,
    DEPTH_MOST = 600,
    ROOM = LANES_MOST * (DEPTH_MOST + 16),
    SIDES = 2
};

/* Lanes side by side, steps side by side, blocks of either (FRACTAL_NZ), and a batch that is added up. */
enum layout { LANES, STEPS, LANE_BLOCKS, STEP_BLOCKS, JOINED, LAYOUTS };
enum { GROUP = 16, PARTS = 3 };

static uint16_t number[SIDES][LANES_MOST][DEPTH_MOST], memory[SIDES][ROOM];
static float expected[LANES_MOST][LANES_MOST], got[LANES_MOST][LANES_MOST];
static uint16_t got_half[LANES_MOST][LANES_MOST]; /* of results in BFLOAT16 */

static float float_of(uint16_t half)
{
    return fp32_from((uint32_t)half << 16);
}

/* Either sign; sizes from 2^-50 on where they are small, up to overflow where they are large. */
enum sizes { ORDINARY, SMALL, LARGE, SIZES };
static uint16_t draw_half(enum sizes sizes)
{
    const unsigned least = sizes == ORDINARY ? 120 : sizes == SMALL ? 127 - 50 : 185;
    const unsigned some = (unsigned)random_below(sizes == SMALL ? 3 : 8);
    return (uint16_t)(random_below(2) << 15 | (least + some) << 7 | random_below(128));
}

static void fill(uint64_t lanes, uint64_t depth, int side, enum sizes sizes)
{
    for (uint64_t i = 0; i < lanes; i++)
        for (uint64_t k = 0; k < depth; k++)
            number[side][i][k] = random_below(16) == 0 ? (uint16_t)(random_below(2) << 15) : draw_half(sizes);
}

/* Puts the numbers where the layout has them. */
static struct contraction_matrix lay(int side, uint64_t lanes, uint64_t depth, enum layout layout)
{
    struct contraction_matrix matrix = {.dtype = ACL_BF16, .bytes = 2, .address = (uint32_t)side};
    const int64_t blocks[] = {GROUP, 1};
    const uint64_t of_part = depth / PARTS;
    switch (layout) {
    case LANES:
        matrix.stride[0] = 1, matrix.stride[1] = (int64_t)lanes;
        break;
    case JOINED:
        matrix.stride[0] = (int64_t)of_part, matrix.stride[1] = 1;
        matrix.batch_stride[0] = (int64_t)(of_part * lanes);
        break;
    case LANE_BLOCKS:
    case STEP_BLOCKS:
        matrix.grouped_side = layout == STEP_BLOCKS;
        matrix.group = GROUP;
        matrix.stride[0] = blocks[layout == LANE_BLOCKS], matrix.stride[1] = blocks[layout == STEP_BLOCKS];
        matrix.group_stride = (int64_t)(layout == LANE_BLOCKS ? depth : lanes) * GROUP;
        break;
    default:
        matrix.stride[0] = (int64_t)depth, matrix.stride[1] = 1;
    }
    for (uint64_t i = 0; i < lanes; i++)
        for (uint64_t k = 0; k < depth; k++) {
            int64_t place = (int64_t)i * matrix.stride[0] + (int64_t)k * matrix.stride[1];
            if (layout == JOINED)
                place = (int64_t)(k / of_part) * matrix.batch_stride[0] + (int64_t)i * matrix.stride[0] +
                        (int64_t)(k % of_part);
            if (layout == LANE_BLOCKS)
                place = (int64_t)(i / GROUP) * matrix.group_stride + (int64_t)(i % GROUP + k * GROUP);
            if (layout == STEP_BLOCKS)
                place = (int64_t)(k / GROUP) * matrix.group_stride + (int64_t)(k % GROUP + i * GROUP);
            memory[side][place] = number[side][i][k];
        }
    return matrix;
}

/* Of each pair the odd one first. */
static float sum_of(uint64_t row, uint64_t column, uint64_t depth)
{
    float total = 0;
    for (uint64_t first = 0; first < depth; first += BLOCK) {
        const uint64_t end = first + BLOCK < depth ? first + BLOCK : depth;
        float sum = 0;
        for (uint64_t k = first; k < end; k += 2) {
            if (k + 1 < end)
                sum = fmaf(float_of(number[LEFT][row][k + 1]), float_of(number[RIGHT][column][k + 1]), sum);
            sum = fmaf(float_of(number[LEFT][row][k]), float_of(number[RIGHT][column][k]), sum);
        }
        total = first == 0 ? sum : total + sum;
    }
    return isnan(total) ? fp32_from(0x7fc00000) : total;
}

struct product {
    uint64_t rows, columns, depth;
    enum layout layout[SIDES];
};

static void expect(const struct product *product)
{
    for (uint64_t i = 0; i < product->rows; i++)
        for (uint64_t j = 0; j < product->columns; j++)
            expected[i][j] = sum_of(i, j, product->depth);
}

/*
 * Whether the plan takes the processor's products of pairs where there are any; and whether lanes in blocks, whose
 * panels begin anywhere and are the plain way's, have become the left operand's.
 */
struct taken {
    bool quick_pairs, left_blocks;
};

static struct taken run_on(const struct product *product, enum isa_level level, uint32_t threads,
                           aclDataType dtype)
{
    const bool is_half = dtype == ACL_BF16;
    const bool is_joined = product->layout[LEFT] == JOINED;
    struct contraction plan = {
        .rows = product->rows,
        .columns = product->columns,
        .depth = product->depth,
        .left = lay(LEFT, product->rows, product->depth, product->layout[LEFT]),
        .right = lay(RIGHT, product->columns, product->depth, product->layout[RIGHT]),
        .out = {.dtype = dtype, .bytes = is_half ? 2 : 4, .address = OUT, .stride = {LANES_MOST, 1}},
        .pack_left = is_joined ? contraction_pack_joined : NULL,
        .pack_right = is_joined ? contraction_pack_joined : NULL,
        .joined = is_joined ? PARTS : 0,
        .alpha = 1};
    contraction_prepare(&plan, level, threads);
    void *address[] = {memory[LEFT], memory[RIGHT], NULL, is_half ? (void *)got_half : (void *)got};
    size_t bytes = contraction_work_bytes(&plan);
    void *scratch = bytes > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    memset(got, 0xee, sizeof got);
    memset(got_half, 0xee, sizeof got_half);
    assert_int_equal(contraction_run(&plan, address, scratch), 0);
    free(scratch);
    return (struct taken){plan.has_quick_pairs,
                          plan.left.address == RIGHT && product->layout[RIGHT] == LANE_BLOCKS};
}

static uint16_t half_of(float value)
{
    const uint32_t bits = fp32_bits(value);
    return isnan(value) ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* An element of the output, and what it is to be; behind a row's last nothing is written. */
static uint32_t got_bits(aclDataType dtype, uint64_t i, uint64_t j)
{
    return dtype == ACL_BF16 ? got_half[i][j] : fp32_bits(got[i][j]);
}

static uint32_t expected_bits(const struct product *product, aclDataType dtype, uint64_t i, uint64_t j)
{
    const bool is_half = dtype == ACL_BF16;
    if (j >= product->columns)
        return is_half ? 0xeeee : 0xeeeeeeee;
    return is_half ? half_of(expected[i][j]) : fp32_bits(expected[i][j]);
}

static void expect_everywhere(const struct product *product)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    expect(product);
    for (enum isa_level level = 0; level <= processor_level(); level++)
        for (int t = 0; t < 4; t++) {
            const aclDataType dtype = t % 2 == 0 ? ACL_FLOAT : ACL_BF16;
            const struct taken taken = run_on(product, level, threads[t], dtype);
            assert_int_equal(taken.quick_pairs, level == ISA_AVX512_BF16 && !taken.left_blocks);
            for (uint64_t i = 0; i < product->rows; i++)
                for (uint64_t j = 0; j < LANES_MOST; j++) {
                    const uint32_t bits = got_bits(dtype, i, j), wanted = expected_bits(product, dtype, i, j);
                    if (bits != wanted)
                        fail_msg("%s, %u threads, layouts %d and %d: (%llu, %llu) of %llu x %llu x %llu is "
                                 "%#x; %#x is expected",
                                 isa_level_name(level), threads[t], product->layout[LEFT],
                                 product->layout[RIGHT], (unsigned long long)i, (unsigned long long)j,
                                 (unsigned long long)product->rows, (unsigned long long)product->columns,
                                 (unsigned long long)product->depth, bits, wanted);
                }
        }
}

static const uint64_t depths[] = {1, 2, 3, 16, 31, 64, 255, 256, 257, 258, 300, 513, 600};
enum { DEPTHS = sizeof depths / sizeof *depths };

static struct product draw_product(int n)
{
    static const uint64_t sizes[] = {2, 5, 14, 15, 16, 17, 33, 48, 70, 80};
    struct product product = {.rows = sizes[random_below(10)],
                              .columns = sizes[random_below(10)],
                              .depth = depths[n % DEPTHS],
                              .layout = {(enum layout)(n % 2), (enum layout)(n / 2 % JOINED)}};
    if (product.rows > product.columns) { /* blocks are the right side's, as weights are */
        const uint64_t rows = product.rows;
        product.rows = product.columns;
        product.columns = rows;
    }
    return product;
}

static void pairs_come_in_their_order_everywhere(void **state)
{
    (void)state;
    for (int n = 0; n < times_effort(UNDER_SANITIZER ? 12 : 104); n++) {
        const struct product product = draw_product(n);
        const enum sizes sizes = (enum sizes)(n % SIZES);
        fill(product.rows, product.depth, LEFT, sizes);
        fill(product.columns, product.depth, RIGHT, sizes);
        expect_everywhere(&product);
    }
}

/* One such element in a corner of either operand. */
static void what_forbids_the_quick_way_has_the_same_order(void **state)
{
    (void)state;
    static const uint16_t forbidden[] = {0x0001, 0x807f, 0x2600, 0xa67f, 0x7f80,
                                         0xff80, 0x7fc0, 0xffff, 0x0080};
    enum { FORBIDDEN = sizeof forbidden / sizeof *forbidden };
    for (int n = 0; n < times_effort(UNDER_SANITIZER ? FORBIDDEN : 8 * FORBIDDEN); n++) {
        const struct product product = draw_product(n);
        const int side = n / FORBIDDEN % 2;
        const uint64_t lanes = side == LEFT ? product.rows : product.columns;
        fill(product.rows, product.depth, LEFT, SMALL);
        fill(product.columns, product.depth, RIGHT, SMALL);
        number[side][random_below(4) == 0 ? 0 : lanes - 1][random_below(4) == 0 ? 0 : product.depth - 1] =
            forbidden[n % FORBIDDEN];
        expect_everywhere(&product);
    }
}

/* What packing says of a panel that has one such element in a corner, or none. */
static bool may_be_quick(const struct contraction_kernels *kernels, uint16_t corner, enum layout layout,
                         uint64_t depth)
{
    enum { LANES_HERE = 22, WIDTH = 32 };
    static float panel[WIDTH * (DEPTH_MOST + 1)];
    fill(LANES_HERE, depth, LEFT, SMALL);
    number[LEFT][LANES_HERE - 1][depth - 1] = corner;
    const struct contraction_matrix matrix = lay(LEFT, LANES_HERE, depth, layout);
    const struct contraction_panel asked = {.operand = &matrix,
                                            .matrix = (const unsigned char *)memory[LEFT],
                                            .lanes = LANES_HERE,
                                            .width = WIDTH,
                                            .depth = (uint32_t)depth,
                                            .to = panel};
    const bool may_be = kernels->pack_pairs(&asked);
    if (layout == STEPS)
        assert_int_equal(kernels->are_ordinary(&asked), may_be);
    return may_be;
}

static void packing_finds_what_forbids_the_quick_way(void **state)
{
    (void)state;
    static const uint16_t forbidden[] = {0x0001, 0x807f, 0x2600, 0xa67f, 0x7f80,
                                         0xff80, 0x7fc0, 0xffff, 0x0080};
    static const uint16_t allowed[] = {0, 0x8000, 0x2680, 0xa680, 0x3f80, 0x7f7f, 0xff7f};
    struct contraction plan = {.rows = 2, .columns = 20, .depth = 2, .alpha = 1};
    contraction_prepare(&plan, processor_level(), 1);
    if (plan.kernels->pack_pairs == NULL)
        skip();
    for (enum layout layout = 0; layout < JOINED; layout++)
        for (size_t n = 0; n < DEPTHS; n++) {
            const uint64_t depth = depths[n] < BLOCK ? depths[n] : BLOCK;
            for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
                assert_false(may_be_quick(plan.kernels, forbidden[i], layout, depth));
            for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
                assert_true(may_be_quick(plan.kernels, allowed[i], layout, depth));
        }
}

/* Larger than a tile, so that a part of it goes one way and the rest the other. */
static void a_part_may_go_another_way(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct product product = {
            LANES_MOST, LANES_MOST, DEPTH_MOST, {(enum layout)(n % 2), (enum layout)(n / 2)}};
        fill(LANES_MOST, DEPTH_MOST, LEFT, ORDINARY);
        fill(LANES_MOST, DEPTH_MOST, RIGHT, ORDINARY);
        number[n % 2][40][BLOCK + 7] = 0x0003;
        number[!(n % 2)][LANES_MOST - 1][DEPTH_MOST - 2] = 0x8001;
        expect_everywhere(&product);
    }
}

/* A subnormal number that all of a sum is made of, in a row or a column of a later block: by the quick way there
 * is nothing of it. */
static void what_a_later_block_forbids_is_seen(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n++) {
        struct product product = {
            LANES_MOST, LANES_MOST, DEPTH_MOST, {(enum layout)(n % 2), (enum layout)(n / 2 % 2)}};
        const int side = n < 4 ? LEFT : RIGHT;
        fill(LANES_MOST, DEPTH_MOST, !side, LARGE);
        memset(number[side], 0, sizeof number[side]);
        number[side][40][BLOCK + 7] = 0x0003;
        expect_everywhere(&product);
    }
}

static void one_row_and_joined_batches_have_the_same_order(void **state)
{
    (void)state;
    for (int n = 0; n < 4 * DEPTHS; n++) {
        struct product product = {1, 45, depths[n % DEPTHS], {STEPS, (enum layout)(n / DEPTHS)}};
        if (n / DEPTHS == 2) /* by the number of columns */
            product.rows = 45, product.columns = 1, product.layout[LEFT] = STEPS,
            product.layout[RIGHT] = LANES;
        if (n / DEPTHS == 3)
            product = (struct product){7, 20, 3 * (depths[n % DEPTHS] / 3 + 1), {JOINED, JOINED}};
        if (product.depth > DEPTH_MOST)
            product.depth = DEPTH_MOST;
        fill(product.rows, product.depth, LEFT, (enum sizes)(n % SIZES));
        fill(product.columns, product.depth, RIGHT, (enum sizes)(n % SIZES));
        expect(&product);
        for (enum isa_level level = 0; level <= processor_level(); level++) {
            (void)run_on(&product, level, 2, ACL_FLOAT);
            for (uint64_t i = 0; i < product.rows; i++)
                for (uint64_t j = 0; j < product.columns; j++)
                    assert_int_equal(fp32_bits(got[i][j]), fp32_bits(expected[i][j]));
        }
    }
}

/* FLOAT by BFLOAT16 keeps the order of steps: the sum of 2^24, 1, -2^24 and 1 is 1 in it, and 0 in that of pairs. */
static void other_dtypes_keep_the_order_of_steps(void **state)
{
    (void)state;
    static const float left[] = {0x1p24f, 1, -0x1p24f, 1};
    static const uint16_t half[] = {0x4b80, 0x3f80, 0xcb80, 0x3f80}, one[] = {0x3f80, 0x3f80, 0x3f80, 0x3f80};
    for (enum isa_level level = 0; level <= processor_level(); level++)
        for (int is_mixed = 0; is_mixed < 2; is_mixed++) {
            struct contraction plan = {.rows = 3, .columns = 20, .depth = 4, .alpha = 1};
            plan.left = (struct contraction_matrix){
                .dtype = is_mixed ? ACL_FLOAT : ACL_BF16, .bytes = is_mixed ? 4 : 2, .stride = {0, 1}};
            plan.right =
                (struct contraction_matrix){.dtype = ACL_BF16, .bytes = 2, .address = 1, .stride = {0, 1}};
            plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {LANES_MOST, 1}};
            void *address[] = {is_mixed ? (void *)(uintptr_t)left : (void *)(uintptr_t)half,
                               (void *)(uintptr_t)one, NULL, got};
            contraction_prepare(&plan, level, 1);
            assert_int_equal(contraction_work_bytes(&plan), 0);
            assert_int_equal(contraction_run(&plan, address, NULL), 0);
            /* 1 + 2^24 is a tie that goes to 2^24, whichever comes first. */
            assert_true(got[2][19] == (is_mixed ? 1.0F : 0.0F));
        }
}

#ifdef __x86_64__
/* VDPBF16PS: sum + high * high, then + low * low. */
static __attribute__((target("avx512f,avx512bf16"))) void multiply_pairs(const uint32_t *left,
                                                                         const uint32_t *right, float *sum)
{
    const __m512i a = _mm512_loadu_si512(left), b = _mm512_loadu_si512(right);
    _mm512_storeu_ps(sum, _mm512_dpbf16_ps(_mm512_loadu_ps(sum), (__m512bh)a, (__m512bh)b));
}
#endif

static void the_instruction_adds_the_odd_product_first(void **state)
{
    (void)state;
    if (processor_level() < ISA_AVX512_BF16) {
        print_message("not tried: this processor has no products of pairs of BFLOAT16\n");
        skip();
    }
#ifdef __x86_64__
    uint32_t left[16], right[16];
    float sum[16], wanted[16];
    for (int n = 0; n < times_effort(60000); n++) {
        for (int i = 0; i < 16; i++) {
            const enum sizes sizes = (enum sizes)random_below(SIZES);
            left[i] = (uint32_t)draw_half(sizes) << 16 | draw_half(sizes);
            right[i] = (uint32_t)draw_half(sizes) << 16 | draw_half(sizes);
            /* About as large as the products, so that all of their bits count. */
            sum[i] = ldexpf((float)(random_below(1 << 25) - (1 << 24)),
                            ilogbf(float_of((uint16_t)left[i])) + ilogbf(float_of((uint16_t)right[i])) - 24);
            wanted[i] =
                fmaf(float_of((uint16_t)(left[i] >> 16)), float_of((uint16_t)(right[i] >> 16)), sum[i]);
            wanted[i] = fmaf(float_of((uint16_t)left[i]), float_of((uint16_t)right[i]), wanted[i]);
        }
        multiply_pairs(left, right, sum);
        for (int i = 0; i < 16; i++)
            if (!isnan(wanted[i]) || !isnan(sum[i]))
                assert_int_equal(fp32_bits(sum[i]), fp32_bits(wanted[i]));
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_come_in_their_order_everywhere),
        cmocka_unit_test(what_forbids_the_quick_way_has_the_same_order),
        cmocka_unit_test(packing_finds_what_forbids_the_quick_way),
        cmocka_unit_test(a_part_may_go_another_way),
        cmocka_unit_test(what_a_later_block_forbids_is_seen),
        cmocka_unit_test(one_row_and_joined_batches_have_the_same_order),
        cmocka_unit_test(other_dtypes_keep_the_order_of_steps),
        cmocka_unit_test(the_instruction_adds_the_odd_product_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
