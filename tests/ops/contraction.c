/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contraction loop against the order of operations that contraction.h states, element by element and bit
 * by bit, on every level, with several numbers of threads, for layouts, dtypes and batches drawn at
 * random; and that order against exact arithmetic.
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

#include "ops/contraction/contraction.h"
#include "support/bits.h"
#include "support/conversion.h"
#include "support/effort.h"
#include "support/guarded.h"
#include "support/random.h"
#include "support/sanitizer.h"

/* Of the contract, written down a second time. */
enum { BLOCK = 256 };

enum { LEFT, RIGHT, SELF, OUT, MATRICES, ROOM = 5 << 18 };

static unsigned char *memory[MATRICES], *before;
static unsigned char *input_end[SELF]; /* of memory for inputs, behind which nothing may be touched */
static size_t room; /* of it the elements that the plan in hand may reach, and some behind them */
static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < MATRICES; i++)
        memory[i] = malloc(ROOM * 4);
    before = malloc(ROOM * 4);
    input_end[LEFT] = guarded_end(ROOM * 4), input_end[RIGHT] = guarded_end(ROOM * 4);
    return input_end[LEFT] == NULL || input_end[RIGHT] == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MATRICES; i++)
        free(memory[i]);
    free(before);
    return 0;
}

/* A float of few bits, so that sums cancel and tie; or with any exponent; or special. */
static float draw_number(int kind)
{
    if (kind == 0)
        return (float)(random_below(2001) - 1000) * 0x1p-10f;
    if (kind == 1)
        return fp32_from((uint32_t)random_bits() & 0xbfffffff); /* below 2 */
    if (kind == 2)
        return ldexpf((float)(random_below(63) - 31), (int)random_below(60) - 110);
    static const float special[] = {INFINITY, -INFINITY, NAN, 0, -0.0f, 3e38f, 1e-45f, -1e-40f};
    return random_below(20) == 0 ? special[random_below(8)] : (float)random_below(9) - 4;
}

static void fill(int which, aclDataType dtype, int kind)
{
    enum { DRAWN = 4096, STEP = 4093 }; /* the drawn ones again, at other phases of the vectors */
    size_t bytes = conversion_bytes(dtype);
    for (size_t i = 0; i < DRAWN; i++) {
        float value = draw_number(kind);
        conversion_reference(&value, ACL_FLOAT, memory[which] + i * bytes, dtype);
    }
    for (size_t done = STEP; done < room; done += STEP) {
        size_t rest = room - done < STEP ? room - done : STEP;
        memcpy(memory[which] + done * bytes, memory[which], rest * bytes);
    }
}

static float element(const struct contraction_matrix *matrix, int64_t offset)
{
    float value;
    conversion_reference(memory[matrix->address] + offset * matrix->bytes, matrix->dtype, &value, ACL_FLOAT);
    return value;
}

/* Any order of the three dims, gaps, no distance at all for inputs. */
static struct contraction_matrix draw_matrix(uint32_t address, aclDataType dtype, uint64_t size0,
                                             uint64_t size1, uint64_t batch)
{
    struct contraction_matrix matrix = {
        .dtype = dtype, .bytes = (uint32_t)conversion_bytes(dtype), .address = address};
    bool is_turned = random_below(2) == 0, is_batch_first = random_below(4) == 0;
    int64_t gap = random_below(3) == 0 ? random_below(5) : 0, step = random_below(8) == 0 ? 2 : 1;
    int64_t stride = step * (is_batch_first ? (int64_t)batch : 1);
    matrix.stride[is_turned ? 0 : 1] = stride;
    stride = stride * (int64_t)(is_turned ? size0 : size1) + gap;
    matrix.stride[is_turned ? 1 : 0] = stride;
    matrix.batch_stride[0] = is_batch_first ? step : stride * (int64_t)(is_turned ? size1 : size0);
    if (address == SELF || (address != OUT && random_below(6) == 0)) {
        int64_t repeats = random_below(4);
        matrix.stride[0] = (repeats & 1) != 0 ? 0 : matrix.stride[0];
        matrix.stride[1] = repeats == 2 ? 0 : matrix.stride[1];
        matrix.batch_stride[0] = random_below(2) == 0 ? 0 : matrix.batch_stride[0];
    }
    return matrix;
}

static size_t reach_of(const struct contraction_matrix *matrix, uint64_t size0, uint64_t size1,
                       uint64_t batch)
{
    return (size_t)((int64_t)size0 * matrix->stride[0] + (int64_t)size1 * matrix->stride[1] +
                    (int64_t)batch * matrix->batch_stride[0]);
}

static void measure(const struct contraction *plan)
{
    const uint64_t batch = plan->batch_axes == 0 ? 1 : plan->batch_size[0];
    const size_t reach[MATRICES] = {reach_of(&plan->left, plan->rows, plan->depth, batch),
                                    reach_of(&plan->right, plan->columns, plan->depth, batch),
                                    reach_of(&plan->self, plan->rows, plan->columns, batch),
                                    reach_of(&plan->out, plan->rows, plan->columns, batch)};
    room = 0;
    for (int i = 0; i < MATRICES; i++)
        room = reach[i] > room ? reach[i] : room;
    room = room + 4096 < ROOM ? room + 4096 : ROOM;
}

static struct contraction draw_plan(int kind, bool is_exact)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 8, 14, 15, 16, 17, 31, 32, 33, 47, 64, 65, 100};
    static const uint64_t depths[] = {0,   1,   2,   5,   8,   31,  64,   255, 256,
                                      257, 300, 511, 512, 513, 700, 1024, 1300};
    static const double factors[] = {1, 1, 1, 0.5, -3, (double)0.1f, 0};
    struct contraction plan = {.rows = random_below(4) == 0 ? 1 : sizes[random_below(16)],
                               .columns = sizes[random_below(16)],
                               .depth = depths[random_below(17)],
                               .batch_axes = (uint32_t)random_below(2),
                               .has_self = random_below(2) == 0,
                               .is_exact = is_exact,
                               .alpha = 1};
    uint64_t batch = plan.batch_axes == 0 ? 1 : 1 + (uint64_t)random_below(4);
    plan.batch_size[0] = batch;
    plan.beta = plan.has_self ? factors[random_below(6)] : 0;
    plan.alpha = plan.depth > 0 ? factors[random_below(6)] : 1;
    aclDataType dtype[MATRICES];
    for (int i = 0; i < MATRICES; i++)
        dtype[i] = dtypes[random_below(2) == 0 ? 0 : random_below(3)];
    plan.left = draw_matrix(LEFT, dtype[LEFT], plan.rows, plan.depth, batch);
    plan.right = draw_matrix(RIGHT, dtype[RIGHT], plan.columns, plan.depth, batch);
    plan.self = draw_matrix(SELF, dtype[SELF], plan.rows, plan.columns, batch);
    plan.out = draw_matrix(OUT, dtype[OUT], plan.rows, plan.columns, batch);
    measure(&plan);
    for (int i = 0; i < MATRICES; i++)
        fill(i, dtype[i], kind);
    return plan;
}

/* An element as contraction.h has it; exact: the same in DOUBLE. */
static double expected_sum(const struct contraction *plan, uint64_t batch, uint64_t i, uint64_t j)
{
    int64_t left = (int64_t)i * plan->left.stride[0] + (int64_t)batch * plan->left.batch_stride[0];
    int64_t right = (int64_t)j * plan->right.stride[0] + (int64_t)batch * plan->right.batch_stride[0];
    const bool is_paired = !plan->is_exact && plan->left.dtype == ACL_BF16 && plan->right.dtype == ACL_BF16;
    double total = 0;
    for (uint64_t first = 0; first < plan->depth; first += BLOCK) {
        const uint64_t end = first + BLOCK < plan->depth ? first + BLOCK : plan->depth;
        double sum = 0;
        for (uint64_t n = first; n < end; n++) {
            const uint64_t k = is_paired && (n ^ 1) < end ? n ^ 1 : n;
            float a = element(&plan->left, left + (int64_t)k * plan->left.stride[1]);
            float b = element(&plan->right, right + (int64_t)k * plan->right.stride[1]);
            sum = plan->is_exact ? fma((double)a, (double)b, sum) : (double)fmaf(a, b, (float)sum);
        }
        total = first == 0 ? sum : plan->is_exact ? total + sum : (double)((float)total + (float)sum);
    }
    return total;
}

static void expected_element(const struct contraction *plan, uint64_t batch, uint64_t i, uint64_t j, void *to)
{
    double value = plan->alpha * expected_sum(plan, batch, i, j);
    const float alpha = (float)plan->alpha, beta = (float)plan->beta;
    float single = alpha * (float)expected_sum(plan, batch, i, j);
    if (plan->has_self) {
        float self =
            element(&plan->self, (int64_t)i * plan->self.stride[0] + (int64_t)j * plan->self.stride[1] +
                                     (int64_t)batch * plan->self.batch_stride[0]);
        float addend = beta * self;
        single = plan->depth == 0 ? addend : fmaf(alpha, (float)expected_sum(plan, batch, i, j), addend);
        value = plan->depth == 0 ? plan->beta * (double)self : value + plan->beta * (double)self;
    }
    if (isnan(plan->is_exact ? value : (double)single))
        single = fp32_from(0x7fc00000), value = (double)single;
    if (plan->is_exact)
        conversion_reference(&value, ACL_DOUBLE, to, plan->out.dtype);
    else
        conversion_reference(&single, ACL_FLOAT, to, plan->out.dtype);
}

static int64_t out_offset(const struct contraction *plan, uint64_t batch, uint64_t i, uint64_t j)
{
    return (int64_t)i * plan->out.stride[0] + (int64_t)j * plan->out.stride[1] +
           (int64_t)batch * plan->out.batch_stride[0];
}

/* The output's whole memory as it must be, from what lies in it now. */
static unsigned char *expect(const struct contraction *plan)
{
    unsigned char *expected = malloc(room * 4);
    memcpy(expected, memory[plan->out.address], room * 4);
    for (uint64_t batch = 0; batch < (plan->batch_axes == 0 ? 1 : plan->batch_size[0]); batch++)
        for (uint64_t i = 0; i < plan->rows; i++)
            for (uint64_t j = 0; j < plan->columns; j++)
                expected_element(plan, batch, i, j,
                                 expected + out_offset(plan, batch, i, j) * plan->out.bytes);
    return expected;
}

/* An input whose last element is the last one that may be touched. */
static unsigned char *guarded(const struct contraction *plan, const struct contraction_matrix *matrix,
                              uint64_t lanes)
{
    const uint64_t batch = plan->batch_axes == 0 ? 1 : plan->batch_size[0];
    if (plan->depth == 0)
        return input_end[matrix->address];
    const size_t bytes = (reach_of(matrix, lanes - 1, plan->depth - 1, batch - 1) + 1) * matrix->bytes;
    return memcpy(input_end[matrix->address] - bytes, memory[matrix->address], bytes);
}

static void run_on(const struct contraction *asked, enum isa_level level, uint32_t threads)
{
    struct contraction plan = *asked;
    void *address[MATRICES] = {guarded(asked, &asked->left, asked->rows),
                               guarded(asked, &asked->right, asked->columns), memory[SELF], memory[OUT]};
    contraction_prepare(&plan, level, threads);
    size_t bytes = contraction_work_bytes(&plan);
    void *scratch = bytes > 0 ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;
    assert_int_equal(contraction_run(&plan, address, scratch), 0);
    free(scratch);
}

static void expect_everywhere(const struct contraction *plan)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    unsigned char *expected = expect(plan);
    memcpy(before, memory[plan->out.address], room * 4);
    for (enum isa_level level = 0; level <= processor_level(); level++)
        for (int t = 0; t < 4; t++) {
            memcpy(memory[plan->out.address], before, room * 4);
            run_on(plan, level, threads[t]);
            if (memcmp(memory[plan->out.address], expected, room * 4) == 0)
                continue;
            size_t at = 0;
            while (memory[plan->out.address][at] == expected[at])
                at++;
            fail_msg(
                "%s, %u threads: (%llu, %llu) by %llu, left {%lld,%lld}, right {%lld,%lld}: element at %zu "
                "differs",
                isa_level_name(level), threads[t], (unsigned long long)plan->rows,
                (unsigned long long)plan->columns, (unsigned long long)plan->depth,
                (long long)plan->left.stride[0], (long long)plan->left.stride[1],
                (long long)plan->right.stride[0], (long long)plan->right.stride[1], at / plan->out.bytes);
        }
    free(expected);
}

static void runs_alike_everywhere(void **state)
{
    (void)state;
    for (int n = 0; n < times_effort(UNDER_SANITIZER ? 6 : 64); n++) {
        struct contraction plan = draw_plan((int)random_below(4), random_below(4) == 0);
        expect_everywhere(&plan);
    }
}

/* Large enough for several tiles, and for threads of their own. */
static void runs_alike_in_tiles(void **state)
{
    (void)state;
    static const uint64_t sizes[][3] = {
        {300, 700, 300}, {1, 2500, 600}, {2500, 1, 1100}, {520, 40, 257}, {1, 4500, 39}};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        struct contraction plan = draw_plan(0, false);
        plan.rows = sizes[n][0] / (UNDER_SANITIZER && sizes[n][0] > 100 ? 2 : 1);
        plan.columns = sizes[n][1] / (UNDER_SANITIZER && sizes[n][1] > 100 ? 2 : 1);
        plan.depth = sizes[n][2];
        plan.batch_axes = 0;
        plan.alpha = 1;
        if (n == 1) /* more bytes of floats than a cache may still have */
            plan.right.dtype = ACL_FLOAT, plan.right.bytes = 4;
        /* The right operand is small enough to repeat: its lanes overlap. */
        plan.left.stride[0] = n == 2 ? 300 : (int64_t)plan.depth;
        plan.left.stride[1] = 1;
        plan.right.stride[0] = n == 1 ? 300 : 1;
        plan.right.stride[1] = n == 1 ? 1 : (int64_t)plan.columns;
        plan.self.stride[0] = 0;
        plan.self.stride[1] = 1;
        plan.out.stride[0] = (int64_t)plan.columns;
        plan.out.stride[1] = 1;
        room = ROOM;
        const aclDataType dtype[MATRICES] = {plan.left.dtype, plan.right.dtype, plan.self.dtype,
                                             plan.out.dtype};
        for (int i = 0; i < MATRICES; i++)
            fill(i, dtype[i], 0);
        expect_everywhere(&plan);
    }
}

/* One row by columns that lie side by side, or whose steps do: of all lengths that are split differently. */
static void runs_alike_in_a_single_row(void **state)
{
    (void)state;
    static const uint64_t depths[] = {7, 8, 256, 300, 511, 512, 771, 1024, 1283, 2048};
    for (size_t n = 0; n < 6 * sizeof depths / sizeof *depths; n++) {
        const aclDataType dtype = dtypes[n % 3];
        const bool are_columns = n / 3 % 2 == 1;
        struct contraction plan = {.rows = 1, .columns = 45, .depth = depths[n / 6], .alpha = 1};
        const int64_t depth = (int64_t)plan.depth;
        plan.left = (struct contraction_matrix){.bytes = 4, .address = LEFT, .stride = {depth, 1}};
        plan.right = (struct contraction_matrix){
            .dtype = dtype, .bytes = dtype == ACL_FLOAT ? 4 : 2, .address = RIGHT, .stride = {depth + 3, 1}};
        if (are_columns)
            plan.right.stride[0] = 1, plan.right.stride[1] = 48;
        plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {45, 1}};
        room = 1 << 17;
        fill(LEFT, ACL_FLOAT, 0);
        fill(RIGHT, dtype, 0);
        expect_everywhere(&plan);
    }
}

/* Rows of 16 bits by few columns: one behind the other, or as far apart as whole vectors are long; or turned. */
static void runs_alike_by_rows_of_16_bits(void **state)
{
    (void)state;
    static const uint64_t depths[] = {13, 16, 29, 32, 256, 269};
    enum { RIGHT_TURNED, LEFT_TURNED, NEITHER_TURNED, LAYOUTS };
    for (size_t n = 0; n < 4 * LAYOUTS * sizeof depths / sizeof *depths; n++) {
        const aclDataType dtype = dtypes[1 + n % 2];
        const uint64_t steps = depths[n / 4 / LAYOUTS];
        const int64_t depth = (int64_t)steps, apart = n / 2 % 2 == 0 ? depth : (depth + 15) / 16 * 16;
        struct contraction plan = {.rows = 19, .columns = 48, .depth = steps, .alpha = 1};
        plan.left =
            (struct contraction_matrix){.dtype = dtype, .bytes = 2, .address = LEFT, .stride = {apart, 1}};
        plan.right = plan.left;
        plan.right.dtype = ACL_FLOAT16;
        plan.right.address = RIGHT;
        if (n / 4 % LAYOUTS != RIGHT_TURNED)
            plan.right.stride[0] = 1, plan.right.stride[1] = 48;
        if (n / 4 % LAYOUTS == LEFT_TURNED)
            plan.left.stride[0] = 1, plan.left.stride[1] = 19;
        plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {48, 1}};
        room = 1 << 14;
        fill(LEFT, dtype, 0);
        fill(RIGHT, ACL_FLOAT16, 0);
        expect_everywhere(&plan);
        plan.is_exact = true; /* in which columns of halves are not read where they lie */
        if (n % 5 == 0)
            expect_everywhere(&plan);
    }
}

/* One row by columns of more bytes than a cache may still have, which overlap and so take little memory: some of them,
 * whose steps lie side by side, or which do so themselves. */
static void runs_alike_beyond_the_caches(void **state)
{
    (void)state;
    enum { DEPTH = 1283, COLUMNS = (4 << 20) / 2 / DEPTH + 45 };
    for (int n = 0; n < 6; n++) {
        const aclDataType dtype = dtypes[n % 3];
        struct contraction plan = {.rows = 1, .columns = COLUMNS, .depth = DEPTH, .alpha = 1};
        plan.left = (struct contraction_matrix){.bytes = 4, .address = LEFT, .stride = {DEPTH, 1}};
        plan.right = (struct contraction_matrix){
            .dtype = dtype, .bytes = dtype == ACL_FLOAT ? 4 : 2, .address = RIGHT, .stride = {2, 1}};
        if (n < 3)
            plan.right.stride[0] = 1, plan.right.stride[1] = 2;
        plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {COLUMNS, 1}};
        room = 2 * COLUMNS + 2 * DEPTH;
        assert_true(room < ROOM);
        fill(LEFT, ACL_FLOAT, 1); /* sums of any exponents are rounded, so that their order is seen */
        fill(RIGHT, dtype, 0);
        for (enum isa_level level = 0; level <= processor_level(); level++) {
            memset(memory[OUT], 0xff, COLUMNS * sizeof(float));
            run_on(&plan, level, 2);
            for (uint64_t j = 0; j < COLUMNS; j += j + 45 < COLUMNS ? 31 : 1) {
                float expected;
                expected_element(&plan, 0, 0, j, &expected);
                assert_memory_equal(memory[OUT] + j * sizeof expected, &expected, sizeof expected);
            }
        }
    }
}

/* Results in the place of self. */
static void reads_self_before_it_writes(void **state)
{
    (void)state;
    for (int n = 0; n < (UNDER_SANITIZER ? 3 : 10); n++) {
        struct contraction plan = draw_plan(0, false);
        plan.out.dtype = plan.left.dtype = plan.right.dtype = plan.self.dtype = ACL_FLOAT;
        plan.out.bytes = plan.left.bytes = plan.right.bytes = plan.self.bytes = 4;
        for (int i = 0; i < MATRICES; i++)
            fill(i, ACL_FLOAT, 0);
        plan.out.address = SELF;
        plan.self = plan.out;
        expect_everywhere(&plan);
    }
}

/* self that is not to be read, and nothing to add up. */
static void leaves_out_what_is_left_out(void **state)
{
    (void)state;
    struct contraction plan = {.rows = 5, .columns = 20, .alpha = 1, .beta = -2, .has_self = true};
    plan.left = plan.right = (struct contraction_matrix){.bytes = 4, .stride = {1, 1}};
    plan.self = (struct contraction_matrix){.bytes = 4, .address = SELF, .stride = {20, 1}};
    plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {20, 1}};
    for (int i = 0; i < 100; i++)
        ((float *)(void *)memory[SELF])[i] = 0.0f;
    void *address[MATRICES] = {NULL, NULL, memory[SELF], memory[OUT]};
    contraction_prepare(&plan, processor_level(), 2);
    assert_int_equal(contraction_work_bytes(&plan), 0);
    assert_int_equal(contraction_run(&plan, address, NULL), 0);
    for (int i = 0; i < 100; i++) /* -2 * 0, with its sign */
        assert_int_equal(fp32_bits(((float *)(void *)memory[OUT])[i]), 0x80000000);
    plan.has_self = false;
    assert_int_equal(contraction_run(&plan, address, NULL), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(fp32_bits(((float *)(void *)memory[OUT])[i]), 0);
}

/*
 * (2^22 + 1) * 2^-149 + 2^-150 * (1 - 2^-46): just below a tie of subnormal floats, where DOUBLE no longer
 * tells.
 */
static void rounds_tiny_sums_once(void **state)
{
    (void)state;
    static const float left[] = {(1 + 0x1p-22f) * 0x1p-63f, (1 + 0x1p-23f) * 0x1p-75f};
    static const float right[] = {0x1p-64f, (1 - 0x1p-23f) * 0x1p-75f};
    struct contraction plan = {.rows = 4, .columns = 40, .depth = 2, .alpha = 1};
    plan.left = (struct contraction_matrix){.bytes = 4, .address = LEFT, .stride = {2, 1}};
    plan.right = (struct contraction_matrix){.bytes = 4, .address = RIGHT, .stride = {2, 1}};
    plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {40, 1}};
    for (size_t i = 0; i < 80; i++) {
        memcpy(memory[LEFT] + i * 4, &left[i % 2], 4);
        memcpy(memory[RIGHT] + i * 4, &right[i % 2], 4);
    }
    for (enum isa_level level = 0; level <= processor_level(); level++) {
        run_on(&plan, level, 1);
        for (int64_t i = 0; i < 160; i++)
            assert_int_equal(fp32_bits(element(&plan.out, i)), (1 << 22) + 1);
    }
}

/*
 * A chain of 256 roundings, and one for each block that is added: |sum - exact| is at most
 * (256 + blocks) * 2^-24 times the sum of the products' magnitudes, to first order; in DOUBLE 2^-53, and one
 * rounding to FLOAT.
 */
static void keeps_its_bound(void **state)
{
    (void)state;
    for (int n = 0; n < 12; n++) {
        struct contraction plan = {
            .rows = 13, .columns = 40, .depth = 3000, .alpha = 1, .is_exact = n % 3 == 0};
        plan.left = (struct contraction_matrix){.bytes = 4, .address = LEFT, .stride = {3000, 1}};
        plan.right = (struct contraction_matrix){.bytes = 4, .address = RIGHT, .stride = {1, 40}};
        plan.out = (struct contraction_matrix){.bytes = 4, .address = OUT, .stride = {40, 1}};
        room = 3000 * 40;
        fill(LEFT, ACL_FLOAT, n % 2);
        fill(RIGHT, ACL_FLOAT, n % 2);
        run_on(&plan, processor_level(), 2);
        for (uint64_t i = 0; i < plan.rows; i++)
            for (uint64_t j = 0; j < plan.columns; j++) {
                long double sum = 0, magnitude = 0;
                for (uint64_t k = 0; k < plan.depth; k++) {
                    long double product = (long double)element(&plan.left, (int64_t)(i * 3000 + k)) *
                                          (long double)element(&plan.right, (int64_t)(j + 40 * k));
                    sum += product;
                    magnitude += fabsl(product);
                }
                long double bound = plan.is_exact ? 0x1p-24L * fabsl(sum) + 3100 * 0x1p-53L * magnitude
                                                  : 268 * 0x1p-24L * magnitude;
                long double error = fabsl((long double)element(&plan.out, (int64_t)(i * 40 + j)) - sum);
                assert_true(error <= bound + 0x1p-148L);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_alike_everywhere),
        cmocka_unit_test(runs_alike_in_tiles),
        cmocka_unit_test(runs_alike_in_a_single_row),
        cmocka_unit_test(runs_alike_beyond_the_caches),
        cmocka_unit_test(runs_alike_by_rows_of_16_bits),
        cmocka_unit_test(reads_self_before_it_writes),
        cmocka_unit_test(leaves_out_what_is_left_out),
        cmocka_unit_test(rounds_tiny_sums_once),
        cmocka_unit_test(keeps_its_bound),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
