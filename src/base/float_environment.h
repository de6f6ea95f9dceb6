/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Results must not depend on the rounding mode or the flush-to-zero switches of the thread that happens to
 * compute them, and a program must not find flags raised by work that ran on its thread. Kernels compute in
 * SSE, AVX or NEON registers alone, so that one control register is all there is to it.
 */
#ifndef BELAY_BASE_FLOAT_ENVIRONMENT_H
#define BELAY_BASE_FLOAT_ENVIRONMENT_H

#include <stdint.h>

#if defined(__x86_64__)

/* All exceptions masked, none raised, round to nearest, subnormals kept. */
static const uint32_t FLOAT_CONTROL_DEFAULT = 0x1F80;

struct float_environment {
    uint32_t control;
};

static inline struct float_environment float_environment_enter(void)
{
    struct float_environment saved = {__builtin_ia32_stmxcsr()};
    if (saved.control != FLOAT_CONTROL_DEFAULT)
        __builtin_ia32_ldmxcsr(FLOAT_CONTROL_DEFAULT);
    return saved;
}

/* Reading the register to see whether anything is to be restored would take longer than restoring it. */
static inline void float_environment_leave(struct float_environment saved)
{
    __builtin_ia32_ldmxcsr(saved.control);
}

#elif defined(__aarch64__)

struct float_environment {
    uint64_t control, status;
};

static inline struct float_environment float_environment_enter(void)
{
    struct float_environment saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved.control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(saved.status));
    if (saved.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)));
    return saved;
}

static inline void float_environment_leave(struct float_environment saved)
{
    if (saved.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"(saved.control));
    __asm__ volatile("msr fpsr, %0" : : "r"(saved.status));
}

#else
#include <fenv.h>

struct float_environment {
    fenv_t environment;
};

static inline struct float_environment float_environment_enter(void)
{
    struct float_environment saved;
    fegetenv(&saved.environment);
    fesetenv(FE_DFL_ENV);
    return saved;
}

static inline void float_environment_leave(struct float_environment saved)
{
    fesetenv(&saved.environment);
}

#endif

#endif
