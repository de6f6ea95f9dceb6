/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion between every two dtypes at every level: all elements of 8 and 16 bits, and of longer ones
 * special values and tens of thousands of others, half of which lie where a rounding or a bound decides.
 * numerics/prove_conversions judges all of 32 bits, when it is asked to (docs/accuracy.md).
 */
#include "ops/transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/conversion.h"
#include "support/conversion_draw.h"
#include "support/effort.h"
#include "support/random.h"

static _Alignas(64) unsigned char source[CONVERT_MAX * 16], expected[CONVERT_MAX * 16],
    found[CONVERT_MAX * 16 + 1];

/* The first count elements of source, to every other dtype. */
static void assert_converted(aclDataType from, size_t count)
{
    size_t from_bytes = conversion_bytes(from);
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType to = conversion_dtypes[k];
        size_t bytes = conversion_bytes(to);
        if (to == from)
            continue;
        for (size_t i = 0; i < count; i++)
            conversion_reference(source + i * from_bytes, from, expected + i * bytes, to);
        for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
            found[count * bytes] = 0xA5;
            transfer_of(level)->convert(source, from, found, to, count);
            assert_int_equal(found[count * bytes], 0xA5);
            if (memcmp(found, expected, count * bytes) == 0)
                continue;
            for (size_t i = 0; i < count; i++) {
                uint64_t value[2] = {0}, want[2] = {0}, got[2] = {0};
                memcpy(value, source + i * from_bytes, from_bytes);
                memcpy(want, expected + i * bytes, bytes);
                memcpy(got, found + i * bytes, bytes);
                if (memcmp(want, got, sizeof want) != 0)
                    fail_msg(
                        "dtype %d to %d at level %d: %016llx %016llx became %016llx %016llx, not %016llx "
                        "%016llx",
                        from, to, level, (unsigned long long)value[1], (unsigned long long)value[0],
                        (unsigned long long)got[1], (unsigned long long)got[0], (unsigned long long)want[1],
                        (unsigned long long)want[0]);
            }
        }
    }
}

static void every_element_of_8_and_16_bits_is_converted(void **state)
{
    (void)state;
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType from = conversion_dtypes[k];
        size_t bytes = conversion_bytes(from);
        if (bytes > 2)
            continue;
        for (uint32_t first = 0; first < 1u << 8 * bytes; first += CONVERT_MAX) {
            for (uint32_t i = 0; i < CONVERT_MAX; i++) {
                uint32_t element = first + i;
                memcpy(source + i * bytes, &element, bytes);
            }
            assert_converted(from, CONVERT_MAX);
        }
    }
}

static void numbers_of_32_and_64_bits_are_converted(void **state)
{
    (void)state;
    const uint32_t blocks = (uint32_t)times_effort(64);
    uint64_t state_of_draws = 88172645463325252U;
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType from = conversion_dtypes[k];
        size_t bytes = conversion_bytes(from);
        if (bytes <= 2)
            continue;
        for (uint32_t block = 0; block < blocks; block++) {
            for (uint32_t i = 0; i < CONVERT_MAX; i++)
                conversion_draw(&state_of_draws, from, block * CONVERT_MAX + i, source + i * bytes);
            assert_converted(from, CONVERT_MAX);
        }
    }
}

/* Vector body and tail agree, and nothing is written behind. */
static void all_lengths_convert_alike(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, CONVERT_MAX - 1};
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        size_t bytes = conversion_bytes(conversion_dtypes[k]);
        for (unsigned n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
            for (size_t i = 0; i < lengths[n] * bytes; i++)
                source[i] = (unsigned char)random_bits();
            assert_converted(conversion_dtypes[k], lengths[n]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_of_8_and_16_bits_is_converted),
        cmocka_unit_test(numbers_of_32_and_64_bits_are_converted),
        cmocka_unit_test(all_lengths_convert_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
