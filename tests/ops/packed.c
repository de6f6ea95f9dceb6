/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors of 4 bits, two elements to a byte: casts and copies in any layout, also where an element begins in the
 * middle of a byte, with nothing beside them written; tensors that share bytes; tensors in blocks.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "aclnnop/aclnn_npu_format_cast.h"
#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static const aclDataType formats[] = {ACL_INT4, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2};

static double value_of(aclDataType dtype, unsigned code)
{
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const double sign = code > 7 ? -1 : 1;
    if (dtype == ACL_INT4)
        return code > 7 ? (double)code - 16 : code;
    return dtype == ACL_FLOAT4_E2M1 ? sign * e2m1[code % 8] : sign * (code % 8) / 4;
}

/* Places count elements, the memory is twice as much as it needs. */
static struct layout drawn(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        ACL_INT8, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    const int64_t storage = layout.reach + 1;
    for (int64_t i = 0; i < storage; i++)
        layout.memory[i] = (unsigned char)random_bits();
    assert_int_equal(aclDestroyTensor(layout.tensor), 0);
    layout.tensor = aclCreateTensor(shape, rank, dtype, layout.stride, layout.offset, ACL_FORMAT_ND, &storage,
                                    1, memory_known_as(layout.memory));
    assert_non_null(layout.tensor);
    return layout;
}

static unsigned half_at(const unsigned char *bytes, int64_t place)
{
    return bytes[place / 2] >> place % 2 * 4 & 15;
}

static unsigned half_of(const struct layout *layout, int64_t index)
{
    return half_at(layout->memory, layout_place(layout, index));
}

/* That all halves of bytes are what they were, but those of elements. */
static void assert_others_kept(const struct layout *layout, const unsigned char *before)
{
    unsigned char *is_element = calloc((size_t)layout->reach + 2, 1);
    for (int64_t i = 0; i < layout->count; i++)
        is_element[layout_place(layout, i)] = 1;
    for (int64_t place = 0; place <= layout->reach; place++)
        if (!is_element[place])
            assert_int_equal(half_at(layout->memory, place), half_at(before, place));
    free(is_element);
}

static void elements_are_cast_and_copied_in_any_layout(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 4, 2000);
        const aclDataType dtype = formats[round % 3];
        struct layout self = drawn(dtype, rank, shape, true), same = drawn(dtype, rank, shape, false),
                      single = layout_create(ACL_FLOAT, rank, shape, LAYOUT_PERMUTED);
        unsigned char *before = malloc((size_t)same.reach + 1);
        memcpy(before, same.memory, (size_t)same.reach + 1);
        const union argument copy[] = {{.tensor = same.tensor}, {.tensor = self.tensor}};
        const union argument widen[] = {
            {.tensor = self.tensor}, argument_of_integer(ACL_FLOAT), {.tensor = single.tensor}};
        assert_int_equal(call_function(find("aclnnInplaceCopy"), copy), 0);
        assert_int_equal(call_function(find("aclnnCast"), widen), 0);
        for (int64_t i = 0; i < self.count; i++) {
            assert_int_equal(half_of(&same, i), half_of(&self, i));
            assert_true(element_of(&single, i) == value_of(dtype, half_of(&self, i)));
        }
        assert_others_kept(&same, before);
        const union argument narrow[] = {
            {.tensor = single.tensor}, argument_of_integer(dtype), {.tensor = same.tensor}};
        for (int64_t i = 0; i < same.count; i++)
            same.memory[layout_place(&same, i) / 2] ^= 0x11;
        memcpy(before, same.memory, (size_t)same.reach + 1);
        assert_int_equal(call_function(find("aclnnCast"), narrow), 0);
        for (int64_t i = 0; i < self.count; i++)
            assert_int_equal(half_of(&same, i), half_of(&self, i));
        assert_others_kept(&same, before);
        free(before);
        layout_destroy(&self);
        layout_destroy(&same);
        layout_destroy(&single);
    }
}

/* A row moved by one element within itself, and parts of one tensor that share bytes. */
static void tensors_that_share_bytes(void **state)
{
    (void)state;
    const int64_t count = 6, all = 16, step = 1;
    for (int64_t from = 0; from < 4; from++)
        for (int64_t to = 0; to < 4; to++) {
            for (unsigned i = 0; i < 8; i++)
                arena[i] = expected[i] = (unsigned char)(0x11 * i + 0x10);
            void *const device = memory_known_as(arena);
            const union argument copy[] = {{.tensor = aclCreateTensor(&count, 1, ACL_FLOAT4_E2M1, &step, to,
                                                                      ACL_FORMAT_ND, &all, 1, device)},
                                           {.tensor = aclCreateTensor(&count, 1, ACL_FLOAT4_E2M1, &step, from,
                                                                      ACL_FORMAT_ND, &all, 1, device)}};
            assert_int_equal(call_function(find("aclnnInplaceCopy"), copy), 0);
            for (int64_t i = 0; i < 16; i++) {
                const int64_t place = i >= to && i < to + count ? i - to + from : i;
                assert_int_equal(half_at(arena, i), half_at(expected, place));
            }
            assert_int_equal(aclDestroyTensor(copy[0].tensor), 0);
            assert_int_equal(aclDestroyTensor(copy[1].tensor), 0);
        }
    /* Columns 0 to 2 and 3 to 4 of rows of 5, which meet in bytes. */
    const int64_t shape[][2] = {{3, 3}, {3, 2}}, whole[] = {3, 5}, stride[] = {5, 1};
    memset(arena, 0, 64);
    for (int64_t i = 0; i < 15; i++)
        arena[64 + i / 2] |= (unsigned char)((i % 15 + 1) << i % 2 * 4);
    char *const device = memory_known_as(arena);
    const aclTensor *part[2];
    for (int i = 0; i < 2; i++)
        part[i] = aclCreateTensor(shape[i], 2, ACL_INT4, stride, i * 3, ACL_FORMAT_ND, whole, 2, device);
    const int64_t sizes[] = {3, 2};
    const union argument split[] = {
        {.tensor = aclCreateTensor(whole, 2, ACL_INT4, NULL, 0, ACL_FORMAT_ND, whole, 2, device + 64)},
        argument_of_pointer(aclCreateIntArray(sizes, 2)),
        argument_of_integer(1),
        argument_of_pointer(aclCreateTensorList(part, 2))};
    assert_int_equal(call_function(find("aclnnSplitWithSize"), split), 0);
    assert_memory_equal(arena, arena + 64, 7);
    assert_int_equal(half_at(arena, 14), half_at(arena + 64, 14));
    assert_int_equal(aclDestroyTensor(split[0].tensor), 0);
    assert_int_equal(aclDestroyIntArray(split[1].ints), 0);
    assert_int_equal(aclDestroyTensorList(split[3].tensors), 0);
}

/* FRACTAL_NZ of FLOAT4 has blocks of 32 columns, and is told as the format with that C0. */
static void tensors_in_blocks(void **state)
{
    enum { ROWS = 18, COLUMNS = 40, BLOCKS = 2 * 2 * 16 * 32 };
    const int64_t shape[] = {ROWS, COLUMNS}, stored[] = {2, 2, 16, 32};
    int64_t *dims = NULL;
    uint64_t rank = 0;
    int format = 0;
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS / 2; i++)
        arena[i] = (unsigned char)random_bits();
    char *const device = memory_known_as(arena);
    aclTensor *plain = aclCreateTensor(shape, 2, ACL_FLOAT4_E2M1, NULL, 0, ACL_FORMAT_ND, shape, 2, device),
              *blocked = aclCreateTensor(shape, 2, ACL_FLOAT4_E2M1, NULL, 0, ACL_FORMAT_FRACTAL_NZ_C0_32,
                                         stored, 4, device + 4096);
    assert_int_equal(
        aclnnNpuFormatCastCalculateSizeAndFormat(plain, 29, ACL_FLOAT8_E4M3FN, &dims, &rank, &format), 0);
    assert_int_equal(rank, 4);
    assert_memory_equal(dims, stored, sizeof stored);
    assert_int_equal(format, ACL_FORMAT_FRACTAL_NZ_C0_32);
    free(dims);
    const union argument there[] = {{.tensor = plain}, {.tensor = blocked}};
    assert_int_equal(call_function(find("aclnnNpuFormatCast"), there), 0);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            assert_int_equal(half_at(arena + 4096, ((j / 32 * 2 + i / 16) * 16 + i % 16) * 32 + j % 32),
                             half_at(arena, i * COLUMNS + j));
    memcpy(expected, arena, ROWS * COLUMNS / 2);
    memset(arena, 0, ROWS * COLUMNS / 2);
    const union argument back[] = {{.tensor = blocked}, {.tensor = plain}};
    assert_int_equal(call_function(find("aclnnNpuFormatCast"), back), 0);
    assert_memory_equal(arena, expected, ROWS * COLUMNS / 2);
    assert_int_equal(aclDestroyTensor(plain), 0);
    assert_int_equal(aclDestroyTensor(blocked), 0);
}

/* The block must hold all bytes and no more. */
static void memory_is_counted_in_halves(void **state)
{
    const int64_t count = 7;
    void *four;
    (void)state;
    assert_int_equal(aclrtMalloc(&four, 32, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int64_t more = 0; more < 3; more++) {
        const int64_t length = 57 + count + more; /* 64 elements are 32 bytes */
        uint64_t workspace_bytes;
        aclOpExecutor *executor;
        const union argument zero[] = {
            {.tensor = aclCreateTensor(&length, 1, ACL_INT4, NULL, 0, ACL_FORMAT_ND, &length, 1, four)}};
        assert_int_equal(function_plan_anew(find("aclnnInplaceZero"), zero, &workspace_bytes, &executor), 0);
        assert_int_equal(find("aclnnInplaceZero")->launch(NULL, workspace_bytes, executor, stream),
                         more == 0 ? 0 : 161002);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(aclDestroyTensor(zero[0].tensor), 0);
    }
    assert_int_equal(aclrtFree(four), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_cast_and_copied_in_any_layout),
        cmocka_unit_test(tensors_that_share_bytes),
        cmocka_unit_test(tensors_in_blocks),
        cmocka_unit_test(memory_is_counted_in_halves),
    };
    setenv("BELAY_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
