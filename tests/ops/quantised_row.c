/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Few rows by quantised weights against the order of operations that contraction.h states, bit by bit: on
 * every level, with several numbers of threads, where such rows have their own way and where weights are
 * packed, for odd sizes, groups, offsets and special scales, and within the weights' memory.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ops/contraction/quantised.h"
#include "simd/vector/level_table.h"
#include "support/bits.h"
#include "support/conversion.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/sanitizer.h"

LEVEL_TABLE(contraction_pack, packs, pack_quantised);
LEVEL_TABLE(contraction_multiply_row, row_multiplications, multiply_quantised_row);

/* Of the contract, written down a second time. */
enum { BLOCK = 256 };

enum { X, WEIGHT, OUT, OPERANDS };

struct drawn {
    struct quantised plan;
    uint8_t *weight; /* what it begins with is element (0, 0), and it ends with the last one */
    uint8_t *scale, *offset;
    uint8_t *x;
    float *expected, *out;
};

static float number(const uint8_t *from, aclDataType dtype, int64_t at)
{
    float value;
    conversion_reference(from + at * 2, dtype, &value, ACL_FLOAT);
    return value;
}

static void draw_halves(uint8_t *to, aclDataType dtype, uint64_t count, bool is_special)
{
    static const float special[] = {INFINITY, -INFINITY, NAN, 0, -0.0f, 65504, 6e-8f};
    for (uint64_t i = 0; i < count; i++) {
        float value = (float)(random_below(4001) - 2000) * 0x1p-11f;
        if (is_special && random_below(30) == 0)
            value = special[random_below(7)];
        conversion_reference(&value, ACL_FLOAT, to + 2 * i, dtype);
    }
}

/* Scales or offsets of groups by columns, either way round, or one for all. */
static struct quantised_factor draw_factor(const struct quantised *plan, uint8_t **memory, aclDataType dtype,
                                           bool is_special)
{
    const uint64_t columns = plan->product.columns,
                   groups = (plan->product.depth + plan->group - 1) / plan->group;
    *memory = malloc(columns * groups * 2);
    draw_halves(*memory, dtype, columns * groups, is_special);
    const bool is_one = random_below(6) == 0, is_turned = random_below(3) > 0;
    return (struct quantised_factor){.dtype = dtype,
                                     .first = *memory,
                                     .lane = is_one      ? 0
                                             : is_turned ? (int64_t)groups
                                                         : 1,
                                     .group = is_one      ? 0
                                              : is_turned ? 1
                                                          : (int64_t)columns};
}

static struct drawn draw(bool is_wide)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 100, 129};
    static const uint64_t depths[] = {1,  3,   4,   15,  16,  31,  32,  33,  61,
                                      64, 255, 256, 257, 300, 512, 777, 1111};
    static const uint64_t groups[] = {1, 5, 8, 16, 24, 32, 40, 64, 100, 256, 320, 4096};
    struct drawn drawn = {
        .plan = {.product = {.rows = random_below(2) == 0 ? 1 : 1 + (uint64_t)random_below(ROWS_ACROSS),
                             .columns = is_wide ? 1099 : sizes[random_below(13)],
                             .depth = depths[random_below(17)],
                             .alpha = 1},
                 .is_in_halves = random_below(2) == 0,
                 .lanes_packed = 1,
                 .group = groups[random_below(12)]}};
    struct contraction *product = &drawn.plan.product;
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const bool is_special = random_below(4) == 0;
    /* Columns with a gap between them, or none, which for INT4 may begin within a byte. */
    const int64_t apart = (int64_t)product->depth + random_below(4);
    product->left = (struct contraction_matrix){
        .dtype = dtype, .bytes = 2, .address = X, .stride = {(int64_t)product->depth, 1}};
    product->right = (struct contraction_matrix){.dtype = ACL_INT8, .address = WEIGHT, .stride = {apart, 1}};
    product->out = (struct contraction_matrix){
        .dtype = ACL_FLOAT, .bytes = 4, .address = OUT, .stride = {(int64_t)product->columns, 1}};
    drawn.plan.first = drawn.plan.is_in_halves ? (uint32_t)random_below(4) == 0 : 0;
    const uint64_t reach =
        drawn.plan.first + (product->columns - 1) * (uint64_t)apart + product->depth; /* elements */
    const uint64_t bytes = drawn.plan.is_in_halves ? (reach + 1) / 2 : reach;
    drawn.weight = malloc(bytes);
    for (uint64_t i = 0; i < bytes; i++)
        drawn.weight[i] = (uint8_t)random_below(256);
    drawn.plan.scale = draw_factor(&drawn.plan, &drawn.scale, dtype, is_special);
    if (random_below(2) == 0)
        drawn.plan.offset = draw_factor(&drawn.plan, &drawn.offset, dtype, false);
    drawn.x = malloc(product->rows * product->depth * 2);
    draw_halves(drawn.x, dtype, product->rows * product->depth, is_special);
    drawn.expected = malloc(product->rows * product->columns * sizeof(float));
    drawn.out = malloc(product->rows * product->columns * sizeof(float));
    return drawn;
}

static void release(const struct drawn *drawn)
{
    void *const all[] = {drawn->weight, drawn->scale, drawn->offset, drawn->x, drawn->expected, drawn->out};
    for (int i = 0; i < 6; i++)
        free(all[i]);
}

static float weight_at(const struct drawn *drawn, uint64_t column, uint64_t k)
{
    const struct quantised *plan = &drawn->plan;
    const uint64_t at = plan->first + column * (uint64_t)plan->product.right.stride[0] + k;
    int value = plan->is_in_halves ? drawn->weight[at / 2] >> (at % 2 * 4) & 15 : drawn->weight[at];
    value -= plan->is_in_halves ? (value & 8) * 2 : (value & 128) * 2;
    const int64_t group = (int64_t)(k / plan->group), lane = (int64_t)column;
    const struct quantised_factor *scale = &plan->scale, *offset = &plan->offset;
    const float shift = offset->first == NULL ? 0
                                              : number(offset->first, offset->dtype,
                                                       lane * offset->lane + group * offset->group);
    return ((float)value + shift) *
           number(scale->first, scale->dtype, lane * scale->lane + group * scale->group);
}

static void expect(const struct drawn *drawn)
{
    const struct contraction *product = &drawn->plan.product;
    for (uint64_t i = 0; i < product->rows; i++)
        for (uint64_t j = 0; j < product->columns; j++) {
            float total = 0;
            for (uint64_t first = 0; first < product->depth; first += BLOCK) {
                float sum = 0;
                for (uint64_t k = first; k < product->depth && k < first + BLOCK; k++)
                    sum = fmaf(number(drawn->x, product->left.dtype, (int64_t)(i * product->depth + k)),
                               weight_at(drawn, j, k), sum);
                total = first == 0 ? sum : total + sum;
            }
            drawn->expected[i * product->columns + j] = isnan(total) ? fp32_from(0x7fc00000) : total;
        }
}

static void run_on(const struct drawn *drawn, enum isa_level level, uint32_t threads, bool is_packed)
{
    struct quantised plan = drawn->plan;
    const size_t bytes = plan.product.rows * plan.product.columns * sizeof(float);
    plan.product.pack_right = packs[level];
    if (!is_packed)
        plan.product.multiply_row = row_multiplications[level];
    contraction_prepare(&plan.product, level, threads);
    void *address[OPERANDS] = {drawn->x, drawn->weight, drawn->out};
    const size_t needed = contraction_work_bytes(&plan);
    void *scratch = needed > 0 ? aligned_alloc(64, (needed + 63) / 64 * 64) : NULL;
    memset(drawn->out, 0x5a, bytes);
    assert_int_equal(contraction_run(&plan, address, scratch), 0);
    free(scratch);
    if (memcmp(drawn->out, drawn->expected, bytes) != 0)
        fail_msg("%s, %u threads, %s: %u rows and %u columns by %u, %u a group, INT%d: the bits differ",
                 isa_level_name(level), threads, is_packed ? "packed" : "few rows",
                 (unsigned)plan.product.rows, (unsigned)plan.product.columns, (unsigned)plan.product.depth,
                 (unsigned)plan.group, plan.is_in_halves ? 4 : 8);
}

/* Rows that have a way of their own and those that have not, and some of several tiles. */
static void few_rows_have_the_bits_of_many(void **state)
{
    enum { WIDE = 25 };
    static const uint32_t threads[] = {1, 2, 3, 8};
    int whole = 0;
    (void)state;
    for (int n = 0; n < times_effort(UNDER_SANITIZER ? 60 : 500); n++) {
        struct drawn drawn = draw(n % WIDE == WIDE - 1);
        const bool has_own = quantised_row_is_whole(&drawn.plan);
        whole += has_own;
        expect(&drawn);
        for (enum isa_level level = 0; level <= processor_kernel_level(); level++)
            for (int t = 0; t < 4; t++) {
                run_on(&drawn, level, threads[t], true);
                if (has_own)
                    run_on(&drawn, level, threads[t], false);
            }
        release(&drawn);
    }
    assert_true(whole > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_have_the_bits_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
