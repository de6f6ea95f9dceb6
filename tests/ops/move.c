/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels that copy and fill, at every level: all lengths near a line, through the caches and past them,
 * and nothing written beside the elements.
 */
#include "simd/vector/kernel.h"
#include "simd/loops/move.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/processor.h"
#include "support/random.h"

KERNEL_LEVELS(copy);
KERNEL_LEVELS(fill);

enum { BYTES = 4096, EDGE = 64 };

static _Alignas(64) unsigned char source[BYTES], target[BYTES], expected[BYTES];

static void refill(void)
{
    for (size_t i = 0; i < BYTES; i++) {
        source[i] = (unsigned char)random_bits();
        target[i] = expected[i] = (unsigned char)random_bits();
    }
}

static void assert_copies(kernel_function *kernel)
{
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
        const struct copy_parameters parameters = {.element_bytes = bytes};
        for (size_t count = 0; count <= 3 * EDGE; count++) {
            /* Whole lines may go past the caches; the source lies anywhere. */
            bool is_whole = count * bytes % EDGE == 0;
            for (int streams = 0; streams <= is_whole; streams++) {
                refill();
                const void *input[] = {source + bytes};
                memcpy(expected + EDGE, source + bytes, count * bytes);
                kernel(input, target + EDGE, count, &parameters, streams);
                put_fence();
                assert_memory_equal(target, expected, BYTES);
            }
        }
        const void *same[] = {target + EDGE};
        kernel(same, target + EDGE, 5, &parameters, false);
        assert_memory_equal(target, expected, BYTES);
    }
}

static void copies_are_the_same_bytes(void **state)
{
    (void)state;
    for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++)
        assert_copies(copy_kernels[level]->any);
}

static void assert_fills(kernel_function *kernel)
{
    for (uint32_t bytes = 1; bytes <= 16; bytes *= 2) {
        struct fill_parameters parameters = {.element_bytes = bytes};
        for (size_t i = 0; i < MOVE_BYTES; i++)
            parameters.pattern[i] = (unsigned char)(7 + i % bytes);
        for (size_t count = 0; count <= 3 * EDGE; count++) {
            bool is_whole = count * bytes % EDGE == 0;
            for (int streams = 0; streams <= is_whole; streams++) {
                refill();
                size_t first = streams ? EDGE : EDGE + bytes; /* anywhere, but where lines are asked for */
                for (size_t i = 0; i < count * bytes; i++)
                    expected[first + i] = (unsigned char)(7 + i % bytes);
                kernel(NULL, target + first, count, &parameters, streams);
                put_fence();
                assert_memory_equal(target, expected, BYTES);
            }
        }
    }
}

static void fills_repeat_the_element(void **state)
{
    (void)state;
    for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++)
        assert_fills(fill_kernels[level]->any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_the_same_bytes),
        cmocka_unit_test(fills_repeat_the_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
