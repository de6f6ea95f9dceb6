/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the processor notes of operations on floats: IEEE 754's flags, which are raised by whatever is
 * rounded, out of range or invalid, and stay so. A loop that must not round looks at them once, at its end.
 *
 * Compilers know nothing of that. Between forget_exceptions() and exceptions_raised() all numbers come from
 * memory, and whatever is computed of them goes through COMPUTE_HERE(). Nothing else here reads the flags,
 * and the caller of kernels puts them back (runtime/float_environment.h).
 */
#ifndef BELAY_SIMD_EXCEPTIONS_H
#define BELAY_SIMD_EXCEPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "simd/vector.h"

#if defined(__x86_64__)

/* All but those of subnormal operands. */
enum { EXCEPTIONS = 0x3d };

static inline void forget_exceptions(void)
{
    uint32_t control = __builtin_ia32_stmxcsr();
    if ((control & EXCEPTIONS) != 0) /* writing takes longer than reading */
        __builtin_ia32_ldmxcsr(control & ~(uint32_t)EXCEPTIONS);
    __asm__ volatile("" : : : "memory");
}

static inline bool exceptions_raised(void)
{
    return (__builtin_ia32_stmxcsr() & EXCEPTIONS) != 0;
}

/* The value, which is computed before what follows. */
#define COMPUTE_HERE(value) __asm__ volatile("" : "+v"(value))

/* Whether there are flags at all: some emulators have none. */
static inline bool exceptions_tell(void)
{
    const volatile float three = 3;
    forget_exceptions();
    float third = 1 / three;
    COMPUTE_HERE(third);
    return exceptions_raised();
}

#else

static inline void forget_exceptions(void)
{
}

static inline bool exceptions_raised(void)
{
    return true;
}

static inline bool exceptions_tell(void)
{
    return false;
}

#define COMPUTE_HERE(value) ((void)(value))

#endif

#endif
