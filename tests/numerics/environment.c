/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program's floating-point environment changes no result, and is the same after each call: 48 combinations
 * of rounding mode, treatment of subnormals, and exceptions raised or trapped, each with work that runs at
 * once and work that is queued. Workers start in the environment of the combination that comes first.
 */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "numerics/call.h"
#include "numerics/draw.h"
#include "numerics/kernel_table.h"
#include "numerics/sweep.h"
#include "numerics/hold.h"
#include "support/child.h"

enum { ELEMENTS = 400, COMBINATIONS = 48 }; /* some blocks of every level, and a tail */

/* All that a thread's floating-point instructions depend on and leave behind. */
struct environment {
    uint64_t control; /* the control register, and on x86-64 the x87 control word above it */
    uint64_t status;
};

#if defined(__x86_64__)

static void set_environment(struct environment environment)
{
    uint16_t word = (uint16_t)(environment.control >> 32);
    __asm__ volatile("fldcw %0" : : "m"(word));
    __builtin_ia32_ldmxcsr((unsigned)environment.control);
}

static struct environment get_environment(void)
{
    uint16_t word, status;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return (struct environment){(uint64_t)word << 32 | __builtin_ia32_stmxcsr(), status};
}

/* Bits of MXCSR: rounding 13 and 14, flush to zero 15, subnormals are zero 6, raised 0 to 5, masked 7 to 12.
 */
static struct environment combination(int index)
{
    static const unsigned exceptions[] = {0x1f80, 0x1fbf, 0x1f80 & ~0x1680u}; /* none, all raised, trapped */
    unsigned rounding = (unsigned)index % 4, flush = (unsigned)index / 4 % 2, zeros = (unsigned)index / 8 % 2;
    unsigned control = exceptions[index / 16] | rounding << 13 | flush << 15 | zeros << 6;
    return (struct environment){(uint64_t)(0x037f | rounding << 10) << 32 | control, 0};
}

#else

static void set_environment(struct environment environment)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    fesetround(modes[environment.control % 4]);
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept((int)environment.status);
}

static struct environment get_environment(void)
{
    uint64_t mode = fegetround() == FE_TONEAREST  ? 0
                    : fegetround() == FE_DOWNWARD ? 1
                    : fegetround() == FE_UPWARD   ? 2
                                                  : 3;
    return (struct environment){mode, (uint64_t)fetestexcept(FE_ALL_EXCEPT)};
}

static struct environment combination(int index)
{
    static const int raised[] = {0,
                                 FE_ALL_EXCEPT,
                                 FE_INEXACT,
                                 FE_UNDERFLOW,
                                 FE_OVERFLOW,
                                 FE_INVALID,
                                 FE_DIVBYZERO,
                                 FE_INEXACT | FE_UNDERFLOW,
                                 FE_INEXACT | FE_OVERFLOW,
                                 FE_INVALID | FE_INEXACT,
                                 FE_DIVBYZERO | FE_INVALID,
                                 0};
    return (struct environment){(uint64_t)index % 4, (uint64_t)raised[index / 4]};
}

#endif

static aclrtStream stream;

static struct call make_call(enum reference_operator stem, enum arithmetic dtype, char *arena)
{
    const size_t bytes = (size_t)formats[dtype].bits / 8;
    struct call call = {.task = nth_task(stem, dtype, has_beta(stem) ? 6 : 5)};
    struct generator generator = {.state = 77};
    char *array[INPUTS_MAX + 1];
    for (int i = 0; i <= INPUTS_MAX; i++)
        array[i] = arena + (size_t)i * ELEMENTS * 8;
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint64_t bits[INPUTS_MAX];
        draw_inputs(&generator, &call.task, bits);
        for (int j = 0; j < INPUTS_MAX; j++)
            memcpy(array[j] + i * bytes, &bits[j], bytes);
    }
    for (int i = 0; i < INPUTS_MAX; i++)
        call.input[i] = row_of(array[i], ELEMENTS);
    call.output = row_of(array[INPUTS_MAX], ELEMENTS);
    /* A slope that each rounding mode would take to another fp32, and a mean for smooth L1. */
    call.task.slope = 0.3;
    if (stem == SMOOTH_L1_LOSS_BACKWARD)
        call.task.divisor = ELEMENTS;
    return call;
}

/* Whether the call left the environment as it was; its results lie in the output afterwards. */
static bool is_kept_by(const struct call *call, struct environment environment, bool is_queued)
{
    if (is_queued && hold_stream(stream) != 0)
        return false;
    set_environment(environment);
    struct environment before = get_environment();
    aclnnStatus status = launch(call, stream);
    struct environment after_launch = get_environment();
    let_stream_go();
    set_environment(before);
    aclError error = aclrtSynchronizeStream(stream);
    struct environment after = get_environment();
    set_environment(combination(0));
    return status == 0 && error == 0 && memcmp(&before, &after_launch, sizeof before) == 0 &&
           memcmp(&before, &after, sizeof before) == 0;
}

/* The combination with which the process begins. */
static int first_combination;

static int try_all(void)
{
    char *arena;
    const struct settings *settings;
    int result = 0;
    set_environment(combination(first_combination));
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    CHILD_CHECK(aclrtMallocHost((void **)&arena, (INPUTS_MAX + 1) * ELEMENTS * 8) == 0);
    CHILD_CHECK(hold_stream(stream) == 0); /* starts a worker */
    let_stream_go();
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(settings_get(&settings) == 0);
    set_environment(combination(0));
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++) {
            if (!kernel_table[stem][ISA_BASELINE]->run[settings->accuracy][dtype])
                continue;
            struct call call = make_call((enum reference_operator)stem, (enum arithmetic)dtype, arena);
            uint64_t compared = 0, different = 0, changed = 0;
            for (int i = 0; i < COMBINATIONS; i++)
                for (int is_queued = 0; is_queued < 2; is_queued++) {
                    memset(call.output.data, 0x5a, ELEMENTS * 8);
                    changed += !is_kept_by(&call, combination(i), is_queued);
                    compared += ELEMENTS;
                    different += count_differences(&call, settings->accuracy);
                }
            printf(
                "%-23s %s %-7s %-8s %d environments, first %d: compared %llu different %llu changed %llu\n",
                reference_operator_names[stem], formats[dtype].name,
                settings->accuracy == ACCURACY_EXACT ? "exact" : "default", isa_level_name(settings->isa),
                COMBINATIONS, first_combination, (unsigned long long)compared, (unsigned long long)different,
                (unsigned long long)changed);
            result |= different != 0 || changed != 0;
        }
    fflush(stdout);
    CHILD_CHECK(aclrtFreeHost(arena) == 0 && aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    return result;
}

static void no_environment_changes_results_or_is_changed(void **state)
{
    (void)state;
    /* To nearest; towards zero with subnormals flushed and read as zero, and exceptions trapped. */
    static const int first[] = {0, 15, 47};
    static const char *const accuracies[] = {"default", "exact"};
    for (int level = 0; level <= (int)processor_kernel_level(); level++)
        for (int i = 0; i < 2; i++) {
            setenv("BELAY_ACCURACY", accuracies[i], 1);
            first_combination = first[level % 3];
            assert_int_equal(run_in_child("BELAY_ISA", isa_level_name((enum isa_level)level), try_all), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_environment_changes_results_or_is_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
