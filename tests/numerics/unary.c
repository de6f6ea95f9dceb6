/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every function of the table in pointwise/unary.h against MPFR, on every level: FLOAT16 and BFLOAT16 are
 * the exact result rounded once for all 65,536 arguments, DOUBLE is within 1 ulp of it and FLOAT, of which
 * every stride-th number is taken, within 1 ulp too; all levels give the same bits.
 *
 *     unary [--stride N] [STEM]      --stride 1 --verbose prints the greatest error of FLOAT for all 2^32
 *
 * FLOAT is told by DOUBLE, whose own error of 1 ulp is no more than 2^-29 of FLOAT's. Functions that promise
 * to be rounded once are what DOUBLE rounds to.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/processor.h"
#include "simd/vector/kernel.h"
#include "support/bits.h"
#include "support/effort.h"
#include "support/unary_reference.h"

#define UNARY(api, stem, ...) KERNEL_LEVELS(stem);
#define UNARY_IN_PLACE(...)
#include "ops/pointwise/unary.h"

static const struct function_under_test {
    const char *stem;
    const struct kernels *const *kernels;
    bool is_rounded_once;
    reference_function *reference;
} functions[] = {
#define ROUNDED    true
#define MATHS      false
#define LONG_MATHS false
#define UNARY(api, stem, self, out, rule, integers, promise, reference) \
    {#stem, stem##_kernels, promise, reference},
#define UNARY_IN_PLACE(...)
#include "ops/pointwise/unary.h"
};

static double value_of(enum arithmetic dtype, uint64_t bits)
{
    if (dtype == ARITHMETIC_FP64)
        return fp64_from(bits);
    if (dtype == ARITHMETIC_FP32)
        return (double)fp32_from((uint32_t)bits);
    if (dtype == ARITHMETIC_BF16)
        return (double)fp32_from((uint32_t)bits << 16);
    double magnitude = (bits & 0x7c00) == 0
                           ? ldexp((double)(bits & 0x3ff), -24)
                           : ldexp((double)(bits & 0x3ff) + 1024, (int)(bits >> 10 & 31) - 25);
    magnitude = (bits & 0x7c00) != 0x7c00 ? magnitude : (bits & 0x3ff) != 0 ? (double)NAN : (double)INFINITY;
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

static bool is_same(double a, double b)
{
    return fp64_bits(a) == fp64_bits(b) || (isnan(a) && isnan(b));
}

static void run(const struct function_under_test *function, enum isa_level level, enum arithmetic dtype,
                const void *input, void *output, size_t count)
{
    function->kernels[level]->run[ACCURACY_DEFAULT][dtype](&input, output, count, NULL, false);
}

/* All 65,536 of a dtype of 16 bits. */
static long judge_halves(const struct function_under_test *function, enum arithmetic dtype,
                         enum isa_level highest)
{
    enum { COUNT = 65536 };
    static uint16_t input[COUNT], output[ISA_KERNEL_LEVELS][COUNT];
    long faults = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        input[i] = (uint16_t)i;
    for (enum isa_level level = ISA_BASELINE; level <= highest; level++)
        run(function, level, dtype, input, output[level], COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        double x = value_of(dtype, i), wanted = unary_nearest(function->reference, dtype, x);
        for (enum isa_level level = ISA_BASELINE; level <= highest; level++) {
            double found = value_of(dtype, output[level][i]);
            if (!is_same(found, wanted) && faults++ < 3)
                printf("%s of %s, %s: %a gives %a and not %a\n", function->stem, unary_formats[dtype].name,
                       isa_level_name(level), x, found, wanted);
        }
    }
    return faults;
}

enum { BLOCK = 4096 };

/* Numbers of all sizes, most of them where functions are not 0, 1 or infinite. */
static double draw(uint64_t *state)
{
    static const double special[] = {0.0,
                                     1.0,
                                     0.5,
                                     (double)INFINITY,
                                     2.0,
                                     0x1p-1074,
                                     0x1p-1022,
                                     0x1.fffffffffffffp1023,
                                     709.782712893384,
                                     745.1332191019411,
                                     27.226,
                                     1.5707963267948966};
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint64_t word = *state ^ *state >> 29, kind = word >> 60;
    const double sign = (word & 1) != 0 ? -1 : 1;
    if (kind == 0)
        return sign * special[(word >> 8) % (sizeof special / sizeof *special)];
    if (kind < 4)
        return fp64_from(word << 7 ^ word);
    return sign * ldexp((double)(word << 5 >> 11) * 0x1p-53, (int)(kind - 8) * 2);
}

enum { BLOCKS = 128 };

/* MPFR judges a block, and the levels each other in all of them. */
static double judge_fp64(const struct function_under_test *function, enum isa_level highest, long *faults)
{
    static double input[BLOCK], output[ISA_KERNEL_LEVELS][BLOCK];
    uint64_t state = 1;
    double greatest = 0;
    for (int block = 0; block < BLOCKS; block++) {
        for (int i = 0; i < BLOCK; i++)
            input[i] = draw(&state);
        for (enum isa_level level = ISA_BASELINE; level <= highest; level++)
            run(function, level, ARITHMETIC_FP64, input, output[level], BLOCK - 1);
        for (enum isa_level level = ISA_AVX2; level <= highest; level++)
            if (memcmp(output[level], output[ISA_BASELINE], (BLOCK - 1) * sizeof(double)) != 0 &&
                (*faults)++ < 3)
                printf("%s of fp64: %s has other bits\n", function->stem, isa_level_name(level));
    }
    for (int i = 0; i < BLOCK - 1; i++) {
        const double wanted = unary_nearest(function->reference, ARITHMETIC_FP64, input[i]),
                     found = output[0][i];
        bool is_right = is_same(wanted, found);
        if (!is_right && isfinite(wanted) && isfinite(found) && wanted != 0 && found != 0) {
            double error = unary_error_in_ulp(function->reference, input[i], found);
            greatest = error > greatest ? error : greatest;
            is_right = error <= 1;
        }
        if (!is_right && (*faults)++ < 3)
            printf("%s of fp64: %a gives %a and not %a\n", function->stem, input[i], found, wanted);
    }
    return greatest;
}

/* How far a finite float lies from a double, in units of the last place that fp32 has there. */
static double error_in_fp32_ulp(float found, double exact)
{
    const double size = fmax(fabs(exact), 0x1p-126);
    return fabs((double)found - exact) / ldexp(1, ilogb(size) - 23);
}

/* The greatest error of finite results in ulp; those beyond 1 ulp, others that are not the nearest, or that
 * differ between levels, are faults. */
static double judge_fp32(const struct function_under_test *function, enum isa_level highest, uint64_t stride,
                         long *faults)
{
    static float input[BLOCK], output[ISA_KERNEL_LEVELS][BLOCK];
    static double wider[BLOCK], exact[BLOCK];
    double greatest = 0;
    for (uint64_t next = 0; next < UINT64_C(1) << 32;) {
        int count = 0;
        for (; count < BLOCK && next < UINT64_C(1) << 32; next += stride)
            input[count++] = fp32_from((uint32_t)next);
        for (int i = 0; i < count; i++)
            wider[i] = (double)input[i];
        for (enum isa_level level = stride > 1 ? ISA_BASELINE : highest; level <= highest; level++)
            run(function, level, ARITHMETIC_FP32, input, output[level], (size_t)count);
        run(function, highest, ARITHMETIC_FP64, wider, exact, (size_t)count);
        for (int i = 0; i < count; i++) {
            const float found = output[highest][i];
            bool is_right = is_same((double)found, (double)(float)exact[i]);
            if (!is_right && isfinite(found) && isfinite(exact[i]) && (double)found * exact[i] >= 0) {
                const double error = error_in_fp32_ulp(found, exact[i]);
                greatest = fmax(greatest, error);
                is_right = error <= 1 && !function->is_rounded_once;
            }
            for (enum isa_level level = ISA_BASELINE; stride > 1 && level < highest; level++)
                is_right &= fp32_bits(output[level][i]) == fp32_bits(found);
            if (!is_right && (*faults)++ < 3)
                printf("%s of fp32: %a gives %a, fp64 has %a, or not on all levels\n", function->stem,
                       wider[i], (double)found, exact[i]);
        }
    }
    return greatest;
}

int main(int argc, char **argv)
{
    const enum isa_level highest = processor_kernel_level();
    uint64_t stride = (uint64_t)stride_of_effort(16397);
    const char *only = NULL;
    bool is_verbose = false;
    long faults = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--stride") == 0 && i + 1 < argc)
            stride = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--verbose") == 0)
            is_verbose = true;
        else
            only = argv[i];
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function_under_test *function = &functions[i];
        if (only && strcmp(only, function->stem) != 0)
            continue;
        faults += judge_halves(function, ARITHMETIC_FP16, highest);
        faults += judge_halves(function, ARITHMETIC_BF16, highest);
        double greatest = judge_fp64(function, highest, &faults);
        double greatest_fp32 = judge_fp32(function, highest, stride, &faults);
        if (is_verbose)
            printf("%-12s fp64 %.3f ulp, fp32 %.3f\n", function->stem, greatest, greatest_fp32);
    }
    mpfr_free_cache();
    printf("%ld faults\n", faults);
    return faults != 0;
}
