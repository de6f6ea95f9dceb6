/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Plans made by hand: how they are classified, and walks over more elements than memory holds.
 */
#include "ops/loops/elementwise_plan.h"
#include "base/processor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define NEST(count_, axes, ...)                                                                            \
    {                                                                                                      \
        .view_count = OPERANDS, .axis_count = (axes), .count = (uint64_t)(count_), .axis = { __VA_ARGS__ } \
    }

static void operands_without_gaps_are_taken_as_they_lie(void **state)
{
    (void)state;
    struct elementwise_plan plan = {
        .input_count = 1,
        .arithmetic = ACL_FLOAT,
        .operand[0] = {.dtype = ACL_FLOAT},
        .operand[OUTPUT] = {.dtype = ACL_FLOAT},
        .nest = NEST(60, 3, {4, {15, [OUTPUT] = 15}}, {3, {5, [OUTPUT] = 5}}, {5, {1, [OUTPUT] = 1}}),
    };
    elementwise_classify(&plan);
    assert_true(plan.is_direct && plan.operand[0].is_linear && plan.operand[0].is_output_view);
    plan.nest.axis[0].stride[0] = 16;
    elementwise_classify(&plan);
    assert_false(plan.is_direct || plan.operand[0].is_linear || plan.operand[0].is_output_view);
}

/* Sizes that no machine holds: a kernel that touches nothing, on addresses that are none. */
static const uintptr_t FIRST_READ = (uintptr_t)1 << 44, FIRST_WRITTEN = (uintptr_t)1 << 46;
static _Atomic uint64_t elements_seen, sum_of_indices, elements_streamed;
static atomic_uint strangers;

/* Of 0 to count - 1, modulo 2^64. */
static uint64_t sum_below(uint64_t count)
{
    return count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
}

/* The parameters are the length of a row and the distance between the beginnings of two rows of the output.
 */
static void record(const void *const *input, void *output, size_t count, const void *parameters,
                   bool non_temporal)
{
    uint64_t read = (uintptr_t)input[0] - FIRST_READ, written = (uintptr_t)output - FIRST_WRITTEN, row[2];
    memcpy(row, parameters, sizeof row);
    uint64_t index = written / 4 / row[1] * row[0] + written / 4 % row[1];
    if (written % 4 != 0 || read != index * 4 || (non_temporal && (written % 64 != 0 || count % 16 != 0)))
        atomic_fetch_add(&strangers, 1);
    atomic_fetch_add(&elements_seen, count);
    atomic_fetch_add(&elements_streamed, non_temporal ? count : 0);
    atomic_fetch_add(&sum_of_indices, index * count + sum_below(count));
}

static void assert_walked_once(const struct elementwise_plan *plan)
{
    void *const address[] = {(void *)FIRST_READ, (void *)FIRST_WRITTEN}; /* never dereferenced */
    atomic_store(&elements_seen, 0);
    atomic_store(&sum_of_indices, 0);
    atomic_store(&elements_streamed, 0);
    assert_int_equal(elementwise_run(plan, address, NULL), 0);
    assert_true(atomic_load(&elements_seen) == plan->count);
    assert_true(atomic_load(&sum_of_indices) == sum_below(plan->count));
    assert_int_equal(atomic_load(&strangers), 0);
}

static void more_than_2_to_the_31_elements_are_walked_to_the_end(void **state)
{
    (void)state;
    const int64_t count = (INT64_C(1) << 33) + 12345;
    uint64_t row[2] = {(uint64_t)count, (uint64_t)count};
    struct elementwise_plan plan = {
        .kernel = record,
        .arithmetic = ACL_FLOAT,
        .arithmetic_bytes = 4,
        .input_count = 1,
        .count = (uint64_t)count,
        .chunk = 1 << 16,
        .cost_ns = UINT64_MAX,
        .operand[0] = {.dtype = ACL_FLOAT, .bytes = 4, .address = 0, .extent = (uint64_t)count},
        .operand[OUTPUT] = {.dtype = ACL_FLOAT, .bytes = 4, .address = 1, .extent = (uint64_t)count},
        .nest = NEST(count, 1, {count, {1, [OUTPUT] = 1}}),
    };
    memcpy(plan.parameters, row, sizeof row);
    elementwise_classify(&plan);
    assert_walked_once(&plan);

    /* Rows that are in place, with gaps between them in the output. */
    const int64_t rows = (1 << 18) + 7, columns = 8200;
    row[0] = (uint64_t)columns;
    row[1] = (uint64_t)columns + 8;
    memcpy(plan.parameters, row, sizeof row);
    plan.count = (uint64_t)(rows * columns);
    plan.nest = (struct nest)NEST(rows * columns, 2, {rows, {columns, [OUTPUT] = columns + 8}},
                                  {columns, {1, [OUTPUT] = 1}});
    elementwise_classify(&plan);
    assert_walked_once(&plan);
}

/* The parameter is where the output begins. Each element is its own index. */
static void write_index(const void *const *input, void *output, size_t count, const void *parameters,
                        bool non_temporal)
{
    uintptr_t first;
    memcpy(&first, parameters, sizeof first);
    if (non_temporal && ((uintptr_t)output % 64 != 0 || count % (64 / sizeof(uint16_t)) != 0))
        atomic_fetch_add(&strangers, 1);
    atomic_fetch_add(&elements_streamed, non_temporal ? count : 0);
    uint16_t *target = (uint16_t *)output;
    const uint16_t *source = (const uint16_t *)input[0];
    for (size_t i = 0; i < count; i++)
        target[i] = (uint16_t)(((uintptr_t)output - first) / sizeof(uint16_t) + i + source[i]);
}

static void what_exceeds_the_caches_is_streamed_in_whole_lines_from_any_alignment(void **state)
{
    (void)state;
    enum { LONGEST = 3 * 4096 + 77, LINE = 32 };
    static uint16_t zeros[LONGEST], output[LONGEST + 2 * LINE];
    static const int64_t counts[] = {1, 2, 31, 32, 33, 63, 64, 65, 4096, LONGEST};
    for (unsigned k = 0; k < sizeof counts / sizeof counts[0]; k++)
        for (size_t offset = 0; offset < LINE; offset++) {
            int64_t count = counts[k];
            struct elementwise_plan plan = {
                .kernel = write_index,
                .arithmetic = ACL_FLOAT16,
                .result = ACL_FLOAT16,
                .arithmetic_bytes = 2,
                .input_count = 1,
                .count = (uint64_t)count,
                .chunk = 4096,
                .cost_ns = UINT64_MAX,
                .non_temporal = true,
                .operand[0] = {.dtype = ACL_FLOAT16, .bytes = 2, .address = 0, .extent = (uint64_t)count},
                .operand[OUTPUT] = {.dtype = ACL_FLOAT16,
                                    .bytes = 2,
                                    .address = 1,
                                    .extent = (uint64_t)count},
                .nest = NEST(count, 1, {count, {1, [OUTPUT] = 1}}),
            };
            uint16_t *first = output + offset;
            memcpy(plan.parameters, &first, sizeof first);
            elementwise_classify(&plan);
            memset(output, 0xAA, sizeof output);
            atomic_store(&elements_streamed, 0);
            assert_int_equal(elementwise_run(&plan, (void *const[]){zeros, first}, NULL), 0);
            for (size_t i = 0; i < LONGEST + 2 * LINE; i++)
                assert_int_equal(output[i], i >= offset && i < offset + (size_t)count ? i - offset : 0xAAAA);
            assert_int_equal(atomic_load(&strangers), 0);
            assert_true(atomic_load(&elements_streamed) >= (uint64_t)(count > 2 * LINE ? count / 2 : 0));
        }
}

/* a + 3 b, in unsigned integers of the plan's size, which the parameter tells. */
static void combine(const void *const *input, void *output, size_t count, const void *parameters,
                    bool non_temporal)
{
    uint32_t bytes;
    memcpy(&bytes, parameters, sizeof bytes);
    (void)non_temporal;
    for (size_t i = 0; i < count; i++) {
        uint64_t a = 0, b = 0; /* this machine's low bytes come first */
        memcpy(&a, (const unsigned char *)input[0] + i * bytes, bytes);
        memcpy(&b, (const unsigned char *)input[1] + i * bytes, bytes);
        a += 3 * b;
        memcpy((unsigned char *)output + i * bytes, &a, bytes);
    }
}

/* How an input of rows and columns lies in memory. */
enum lie { LIES_IN_ROWS, LIES_ACROSS, LIES_WIDE, IS_ROW, IS_COLUMN, IS_ONE, LIES };

static void set_strides(struct elementwise_plan *plan, uint32_t input, enum lie lie)
{
    int64_t rows = plan->nest.axis[0].size, columns = plan->nest.axis[1].size;
    const int64_t stride[LIES][2] = {{columns, 1}, {1, rows}, {2 * columns, 2}, {0, 1}, {1, 0}, {0, 0}};
    plan->nest.axis[0].stride[input] = stride[lie][0];
    plan->nest.axis[1].stride[input] = stride[lie][1];
}

/* Plans are copied without what lies behind their last axis. */
static void classify_beside_garbage(struct elementwise_plan *plan)
{
    struct elementwise_plan other;
    memcpy(&other, plan, sizeof other);
    for (uint32_t k = plan->nest.axis_count; k < TENSOR_RANK_MAX; k++)
        other.nest.axis[k] = (struct nest_axis){1, {1, 1, 1, 1, 1}};
    elementwise_classify(plan);
    elementwise_classify(&other);
    assert_memory_equal(plan, &other, elementwise_plan_bytes(plan));
}

static unsigned char walk_input[2][12 << 20], walk_output[6 << 20];

static void check_walk(const enum lie *lie, int64_t rows, int64_t columns, uint32_t bytes,
                       enum isa_level level, bool non_temporal)
{
    const aclDataType dtype = bytes == 2 ? ACL_BF16 : bytes == 4 ? ACL_FLOAT : ACL_DOUBLE;
    const uint64_t count = (uint64_t)(rows * columns);
    struct elementwise_plan plan = {
        .kernel = combine,
        .transfer = transfer_of(level),
        .arithmetic = dtype,
        .result = dtype,
        .arithmetic_bytes = bytes,
        .input_count = 2,
        .count = count,
        .chunk = 1 << 12,
        .cost_ns = UINT64_MAX,
        .non_temporal = non_temporal,
        .operand[OUTPUT] = {.dtype = dtype, .bytes = bytes, .address = 2, .extent = count},
        .nest = NEST(count, 2, {rows, {0, [OUTPUT] = columns}}, {columns, {0, [OUTPUT] = 1}}),
    };
    memcpy(plan.parameters, &bytes, sizeof bytes);
    for (uint32_t i = 0; i < 2; i++) {
        set_strides(&plan, i, lie[i]);
        int64_t extent =
            1 + (rows - 1) * plan.nest.axis[0].stride[i] + (columns - 1) * plan.nest.axis[1].stride[i];
        plan.operand[i] =
            (struct walk_operand){.dtype = dtype, .bytes = bytes, .address = i, .extent = (uint64_t)extent};
    }
    classify_beside_garbage(&plan);
    memset(walk_output, 0xAA, (count + 1) * bytes);
    void *const address[] = {walk_input[0], walk_input[1], walk_output};
    assert_int_equal(elementwise_run(&plan, address, NULL), 0);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value[2] = {0, 0}, found = 0, mask = UINT64_MAX >> (64 - 8 * bytes);
        for (uint32_t k = 0; k < 2; k++) {
            int64_t row = (int64_t)i / columns, column = (int64_t)i % columns;
            int64_t place = row * plan.nest.axis[0].stride[k] + column * plan.nest.axis[1].stride[k];
            memcpy(&value[k], walk_input[k] + (uint64_t)place * bytes, bytes);
        }
        memcpy(&found, walk_output + i * bytes, bytes);
        if (found != ((value[0] + 3 * value[1]) & mask))
            fail_msg("element %llu of %lld x %lld, %u bytes, level %d, inputs %d and %d",
                     (unsigned long long)i, (long long)rows, (long long)columns, bytes, (int)level,
                     (int)lie[0], (int)lie[1]);
    }
    for (uint32_t i = 0; i < bytes; i++)
        assert_int_equal(walk_output[count * bytes + i], 0xAA);
}

/* One size is so large that an output across the walk is written in long tiles. */
static void every_element_finds_its_place_in_rows_and_across(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 700},  {3, 1000}, {16, 16},  {17, 33},   {31, 500},
                                       {40, 300}, {300, 9},  {257, 65}, {515, 260}, {1100, 1030}};
    uint64_t bits = 1;
    for (size_t i = 0; i < sizeof walk_input; i++) {
        bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407;
        ((unsigned char *)walk_input)[i] = (unsigned char)(bits >> 56);
    }
    for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++)
        for (uint32_t bytes = 2; bytes <= 8; bytes *= 2)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
                for (int first = 0; first < LIES; first++)
                    for (int second = 0; second < LIES; second++) {
                        const enum lie lie[] = {(enum lie)first, (enum lie)second};
                        bool is_large = sizes[k][0] * sizes[k][1] > 1 << 20;
                        if (is_large && (bytes != 4 || second != LIES_ACROSS))
                            continue;
                        check_walk(lie, sizes[k][0], sizes[k][1], bytes, level, first == second);
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_without_gaps_are_taken_as_they_lie),
        cmocka_unit_test(more_than_2_to_the_31_elements_are_walked_to_the_end),
        cmocka_unit_test(every_element_finds_its_place_in_rows_and_across),
        cmocka_unit_test(what_exceeds_the_caches_is_streamed_in_whole_lines_from_any_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
