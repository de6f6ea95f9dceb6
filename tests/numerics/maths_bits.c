/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the functions of src/simd/maths give before anything rounds it, bit for bit as it is recorded, on every level:
 * pairs, what is left in doubt, and doubles that results of fewer bits are made of. Operators show little of it: what an
 * estimate leaves in doubt is computed again, and most bits of a double are gone in a float. Numbers are drawn from
 * where the function bends, so that each part of a table is met, and where it takes any number from all of them;
 * every eighth of these functions' numbers is a special value.
 *
 *     maths_bits             compares with maths_bits.txt
 *     maths_bits --record    prints a digest for each level, of which scripts/recorded_digests.py makes it
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "base/processor.h"
#include "base/splitmix.h"
#include "numerics/maths_bits.h"
#include "simd/vector/level_table.h"
#include "support/effort.h"

#ifdef BELAY_LEVELS_ABOVE_BASELINE
extern const struct maths_function maths_functions_baseline[MATHS_FUNCTIONS_MOST],
    maths_functions_avx2[MATHS_FUNCTIONS_MOST], AVX512_NAME(maths_functions)[MATHS_FUNCTIONS_MOST];
static const struct maths_function *const tables[ISA_KERNEL_LEVELS] = {
    maths_functions_baseline, maths_functions_avx2, AVX512_NAME(maths_functions)};
#else
extern const struct maths_function maths_functions_baseline[MATHS_FUNCTIONS_MOST];
static const struct maths_function *const tables[] = {maths_functions_baseline};
#endif

/* Tables of floats get more: their last coefficients change one result of many thousands. */
enum { BATCHES = 2048, BATCHES_OF_TABLES = 16 * BATCHES, LINE = 128 };

static bool is_recording;

static double any_double(uint64_t drawn)
{
    double value;
    memcpy(&value, &drawn, sizeof value);
    return value;
}

static double any_float(uint64_t drawn)
{
    const uint32_t bits = (uint32_t)(drawn >> 16);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double draw(const struct maths_function *function, uint64_t drawn)
{
    static const double special[] = {0,           1,          0.5,    2,
                                     0.25,        3,          8,      0x1p-30,
                                     100,         0x1p-149,   1000,   (double)INFINITY,
                                     (double)NAN, 0x1.8p-127, 0x1p60, 0x1.fffffep127};
    const unsigned kind = drawn & 7;
    double value = function->least + (function->most - function->least) * (double)(drawn >> 11) * 0x1p-53;
    if (function->takes_any && kind == 0)
        value = drawn >> 7 & 1 ? -special[drawn >> 3 & 15] : special[drawn >> 3 & 15];
    else if (function->takes_any && kind < 3)
        value = function->takes_floats || drawn >> 3 & 1 ? any_float(drawn) : any_double(splitmix_at(drawn));
    return function->takes_floats ? (double)(float)value : value;
}

/* A power: one that is often used for all, or for each, or any. */
static double draw_power(uint64_t of_batch, uint64_t drawn)
{
    static const double often[] = {
        2,           1,     -1,      0.5, 0,    -0.5, 3, -2, 1.5, (double)INFINITY, -(double)INFINITY,
        (double)NAN, 1e300, 0x1p-80, 7,   -0.25};
    const unsigned kind = of_batch & 3;
    return kind == 0   ? often[of_batch >> 2 & 15]
           : kind == 1 ? often[drawn >> 2 & 15]
                       : (double)(float)((double)(drawn >> 11) * 0x1p-47 - 32);
}

/* NaN has no bits of its own. */
static double canonical(double value)
{
    return value == value ? value : (double)NAN;
}

static uint64_t digest_of(const struct maths_function *function)
{
    uint64_t digest = 0;
    const uint64_t seed = XXH64(function->name, strlen(function->name), 0);
    const uint64_t batches = function->takes_floats && !function->takes_any ? BATCHES_OF_TABLES : BATCHES;
    for (uint64_t batch = 0; batch < batches; batch++) {
        double x[MATHS_BATCH], y[MATHS_BATCH], result[2][MATHS_BATCH];
        for (unsigned i = 0; i < MATHS_BATCH; i++) {
            const uint64_t drawn = splitmix_at(seed + (batch * MATHS_BATCH + i) * SPLITMIX_STEP);
            x[i] = draw(function, drawn);
            y[i] = draw_power(splitmix_at(seed ^ batch), splitmix_at(drawn));
        }
        function->run(x, y, result[0], result[1]);
        for (unsigned i = 0; i < MATHS_BATCH; i++) {
            result[0][i] = canonical(result[0][i]);
            result[1][i] = canonical(result[1][i]);
        }
        digest = XXH64(result, sizeof result, digest);
    }
    return digest;
}

/* Whether the digest is in the function's line. Estimates whose last bits are each level's own have several. */
static bool is_recorded(const char *name, uint64_t digest)
{
    char line[LINE], text[LINE];
    FILE *file = fopen(MATHS_BITS, "r");
    const size_t length = strlen(name);
    bool is_found = false;
    assert_non_null(file);
    (void)snprintf(text, sizeof text, " %016llx", (unsigned long long)digest);
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found =
            strncmp(line, name, length) == 0 && line[length] == ' ' && strstr(line + length, text) != NULL;
    (void)fclose(file);
    return is_found;
}

static void bits_are_as_recorded_on_every_level(void **state)
{
    unsigned wrong = 0;
    /* With the least effort, which is the sanitizers', each fourth function. */
    const unsigned stride = !is_recording && effort() < 0.1 ? 4 : 1;
    (void)state;
    for (unsigned i = 0; i < MATHS_FUNCTIONS_MOST && maths_functions_baseline[i].name != NULL; i += stride) {
        const char *name = maths_functions_baseline[i].name;
        for (unsigned level = 0; level <= (unsigned)processor_kernel_level(); level++) {
            const uint64_t digest = digest_of(&tables[level][i]);
            if (is_recording && level == 0)
                printf("%s%s", i > 0 ? "\n" : "", name);
            if (is_recording)
                printf(" %016llx", (unsigned long long)digest);
            if (!is_recording && !is_recorded(name, digest) && ++wrong > 0)
                print_message("%s at level %s: other bits come out than are recorded\n", name,
                              isa_level_name((enum isa_level)level));
        }
    }
    if (is_recording)
        printf("\n");
    assert_int_equal(wrong, 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_as_recorded_on_every_level)};
    is_recording = count > 1 && strcmp(words[1], "--record") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
