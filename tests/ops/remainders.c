/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fmod and Remainder on every level against the C library's fmod, which is exact: numbers of all sizes, so that
 * quotients have up to 2,100 digits, beside special ones, in registers that they share and alone.
 */
#include "ops/pointwise/formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/processor.h"
#include "ops/attempt.h"
#include "ops/layout.h"
#include "simd/loops/formula_numbers.h"
#include "support/effort.h"

enum { COUNT = 4096, SPECIALS = 16 };

static const struct kind {
    enum arithmetic arithmetic;
    aclDataType dtype;
} kinds[] = {{ARITHMETIC_FP32, ACL_FLOAT},
             {ARITHMETIC_FP16, ACL_FLOAT16},
             {ARITHMETIC_BF16, ACL_BF16},
             {ARITHMETIC_FP64, ACL_DOUBLE}};

static const double specials[SPECIALS] = {0,
                                          -0.0,
                                          (double)INFINITY,
                                          -(double)INFINITY,
                                          (double)NAN,
                                          0x1p-149,
                                          0x1p-126,
                                          0x1.fffffep127,
                                          0x1p-1074,
                                          0x1p-900,
                                          0x1p1000,
                                          1,
                                          -3,
                                          0x1.8p50 + 0.5,
                                          0x1.fffffffffffffp1023,
                                          0x1p-24};

/* Of every third pair of numbers one is special, and of all others some. */
static double drawn(int i, int which, const struct kind *kind)
{
    if (i < SPECIALS * SPECIALS)
        return specials[which == 0 ? i / SPECIALS : i % SPECIALS];
    if (random_below(40) == 0)
        return specials[random_below(SPECIALS)];
    const uint64_t bits = random_bits();
    double number = 0;
    if (i % 8 < 4) /* alike in size */
        number = ldexp((double)(int64_t)bits, (int)(random_below(40) - 60 - 20 * which));
    else
        conversion_reference(&bits, kind->dtype, &number, ACL_DOUBLE);
    return number;
}

static double expected(double a, double b, bool is_remainder)
{
    const double rest = fmod(a, b);
    return is_remainder && rest != 0 && signbit(rest) != signbit(b) ? rest + b : rest;
}

static void judge(const char *name, bool is_remainder, const struct kind *kind, enum isa_level level)
{
    static unsigned char a[COUNT * 8], b[COUNT * 8], out[COUNT * 8];
    const size_t bytes = conversion_bytes(kind->dtype);
    const struct formula_contract *formula = find(name)->of_family;
    const struct formula_numbers numbers = {{0}, {0}, {0}};
    kernel_function *run = formula->elementwise.kernels[level]->run[ACCURACY_DEFAULT][kind->arithmetic];
    for (int i = 0; i < COUNT; i++) {
        const double number[] = {drawn(i, 0, kind), drawn(i, 1, kind)};
        conversion_reference(&number[0], ACL_DOUBLE, a + (size_t)i * bytes, kind->dtype);
        conversion_reference(&number[1], ACL_DOUBLE, b + (size_t)i * bytes, kind->dtype);
    }
    run((const void *const[]){a, b}, out, COUNT, &numbers, false);
    for (size_t i = 0; i < COUNT; i++) {
        unsigned char alone[8], wanted[8];
        double x, y, found;
        conversion_reference(a + i * bytes, kind->dtype, &x, ACL_DOUBLE);
        conversion_reference(b + i * bytes, kind->dtype, &y, ACL_DOUBLE);
        conversion_reference(out + i * bytes, kind->dtype, &found, ACL_DOUBLE);
        const double exact = expected(x, y, is_remainder);
        conversion_reference(&exact, ACL_DOUBLE, wanted, kind->dtype);
        if (isnan(exact) ? !isnan(found) : memcmp(out + i * bytes, wanted, bytes) != 0)
            fail_msg("%s of %s, %s: %a by %a gives %a and not %a", name, dtype_name(kind->dtype),
                     isa_level_name(level), x, y, found, exact);
        run((const void *const[]){a + i * bytes, b + i * bytes}, alone, 1, &numbers, false);
        if (memcmp(out + i * bytes, alone, bytes) != 0)
            fail_msg("%s of %s, %s: %a by %a gives other bits alone", name, dtype_name(kind->dtype),
                     isa_level_name(level), x, y);
    }
}

static void every_rest_is_that_of_the_c_library(void **state)
{
    (void)state;
    for (int call = 0; call < times_effort(20); call++)
        for (enum isa_level level = 0; level <= processor_kernel_level(); level++)
            for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
                judge("aclnnFmodTensor", false, &kinds[k], level);
                judge("aclnnRemainderTensorTensor", true, &kinds[k], level);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rest_is_that_of_the_c_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
