/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of reductions: every fp16 and bf16, every rounding, every type and reduction, and threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hccl/reduce.h"
#include "hccl/reference.h"

enum { MOST_RANKS = 5 };

static void compare(HcclDataType type, HcclReduceOp reduction, uint32_t ranks, uint64_t count, uint64_t seed)
{
    const size_t bytes = reference_bytes(type);
    unsigned char *from[MOST_RANKS], *out = (unsigned char *)malloc(count * bytes + 1);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        from[rank] = (unsigned char *)malloc(count * bytes + 1);
        reference_fill(type, from[rank], count, seed + rank);
    }
    reduce(type, reduction, (const void *const *)from, ranks, out, count);
    for (uint64_t i = 0; i < count; i++) {
        const void *element[MOST_RANKS];
        unsigned char expected[8];
        for (uint32_t rank = 0; rank < ranks; rank++)
            element[rank] = from[rank] + i * bytes;
        reference_reduce(type, reduction, element, ranks, expected);
        if (memcmp(expected, out + i * bytes, bytes) != 0) {
            print_error("type %d, reduction %d, %u ranks, element %llu of %llu\n", (int)type, (int)reduction,
                        (unsigned)ranks, (unsigned long long)i, (unsigned long long)count);
            fail();
        }
    }
    /* The result may take the place of a contribution. */
    reduce(type, reduction, (const void *const *)from, ranks, from[ranks - 1], count);
    assert_memory_equal(from[ranks - 1], out, count * bytes);
    for (uint32_t rank = 0; rank < ranks; rank++)
        free(from[rank]);
    free(out);
}

static void every_type_and_reduction(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 7, 511, 512, 513, 5000};
    for (int type = 0; type < REDUCED_TYPES; type++)
        for (int reduction = 0; reduction < REDUCTIONS; reduction++)
            for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++)
                for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                    compare((HcclDataType)type, (HcclReduceOp)reduction, ranks, counts[i], ranks * 77 + i);
}

/* Products of two fp16 or bf16 fall on every kind of tie, subnormal numbers and overflow. */
static void every_kind_of_rounding(void **state)
{
    (void)state;
    static const HcclDataType narrow[] = {HCCL_DATA_TYPE_FP16, HCCL_DATA_TYPE_BFP16};
    enum { COUNT = 1 << 16 };
    static uint16_t all[COUNT], factor[COUNT], out[COUNT];
    static const uint16_t factors[] = {0x3800, 0x3400, 0x0001, 0x1400, 0x7bff,
                                       0x3c01, 0x3f00, 0x3f80, 0x3e80, 0x2e00};
    for (size_t type = 0; type < 2; type++)
        for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
            for (int reduction = HCCL_REDUCE_SUM; reduction <= HCCL_REDUCE_PROD; reduction++) {
                for (uint32_t i = 0; i < COUNT; i++) {
                    all[i] = (uint16_t)i;
                    factor[i] = factors[f];
                }
                const void *const from[] = {all, factor};
                reduce(narrow[type], (HcclReduceOp)reduction, from, 2, out, COUNT);
                for (uint32_t i = 0; i < COUNT; i++) {
                    const void *const element[] = {&all[i], &factor[i]};
                    uint16_t expected;
                    reference_reduce(narrow[type], (HcclReduceOp)reduction, element, 2, &expected);
                    assert_int_equal(out[i], expected);
                }
            }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    compare(HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, 3, 700001, 1);
    compare(HCCL_DATA_TYPE_BFP16, HCCL_REDUCE_SUM, 4, 300007, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_reduction),
        cmocka_unit_test(every_kind_of_rounding),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
