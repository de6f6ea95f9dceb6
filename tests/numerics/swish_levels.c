/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Swish of FLOAT with a beta so large that results of small numbers are subnormal, which levels without an
 * instruction that scales make by two products: the same bits on every level, whatever lies beside a number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/processor.h"
#include "simd/vector/kernel.h"
#include "support/random.h"

KERNEL_LEVELS(swish);

enum { COUNT = 4096 };

static void run(enum isa_level level, const float *input, float *output, double beta)
{
    const void *const source = input;
    swish_kernels[level]->run[ACCURACY_DEFAULT][ARITHMETIC_FP32](&source, output, COUNT, &beta, false);
}

static void subnormal_results_have_the_same_bits_on_every_level(void **state)
{
    static const double betas[] = {0x1p40, -0x1p45, 0x1p60};
    static float input[COUNT], wanted[COUNT], found[COUNT];
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double beta = betas[k % 3];
        for (int i = 0; i < COUNT; i++)
            input[i] =
                k >= 3 && i % 5 == 0 ? 600 : (float)(-(60 + (double)random_below(1 << 24) * 0x1p-18) / beta);
        run(ISA_BASELINE, input, wanted, beta);
        for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
            run(level, input, found, beta);
            for (int i = 0; i < COUNT; i++)
                if (memcmp(&found[i], &wanted[i], sizeof found[i]) != 0)
                    fail_msg("beta %a, %s, %a: %a and not %a", beta, isa_level_name(level), (double)input[i],
                             (double)found[i], (double)wanted[i]);
        }
        for (int i = 0; i + 1 < COUNT; i++) /* each beside numbers that scale */
            input[i] = i % 2 == 0 ? 600 : input[i];
        for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
            run(level, input, found, beta);
            for (int i = 1; i < COUNT; i += 2)
                assert_memory_equal(&found[i], &wanted[i], sizeof found[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(subnormal_results_have_the_same_bits_on_every_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
