/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The maths of AscendC's vector instructions, many numbers at a time, by the vectors that the operators are made of.
 */
#include "ascendc/maths.h"

#include "simd/maths/arc.h"
#include "simd/maths/area.h"
#include "simd/maths/circle.h"
#include "simd/maths/error_function.h"
#include "simd/maths/exponential.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/power.h"

#include <string.h>

static inline doubles maths_tanh(doubles x)
{
    const doubles t = maths_expm1(-2 * absolute(x));
    return with_sign_of(-t / (t + 2), x);
}

static inline doubles maths_logistic(doubles x)
{
    return 1 / (1 + maths_exp(-x));
}

static inline doubles maths_silu(doubles x)
{
    return x / (1 + maths_exp(-x));
}

/* The last ones, fewer than a vector has, go through one that is filled with zeros. */
static inline __attribute__((always_inline)) void in_floats(vector (*function)(vector), float *to,
                                                            const float *from, size_t count)
{
    for (size_t i = 0; i < count; i += VECTOR_LANES) {
        const size_t some = count - i < VECTOR_LANES ? count - i : VECTOR_LANES;
        vector x = {0};
        memcpy(&x, from + i, some * sizeof *from);
        x = function(x);
        memcpy(to + i, &x, some * sizeof *to);
    }
}

static inline __attribute__((always_inline)) void in_doubles(doubles (*function)(doubles), float *to,
                                                             const float *from, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        doubles x = {0};
        for (size_t lane = 0; lane < LANES && i + lane < count; lane++)
            x[lane] = (double)from[i + lane];
        x = function(x);
        for (size_t lane = 0; lane < LANES && i + lane < count; lane++)
            to[i + lane] = (float)x[lane];
    }
}

#define IN_FLOATS(name)                                                          \
    void belay_kernel_##name##_fp32s(float *to, const float *from, size_t count) \
    {                                                                            \
        in_floats(fp32_maths_##name, to, from, count);                           \
    }
#define IN_DOUBLES(name)                                                         \
    void belay_kernel_##name##_fp32s(float *to, const float *from, size_t count) \
    {                                                                            \
        in_doubles(maths_##name, to, from, count);                               \
    }
BELAY_KERNEL_MATHS_IN_FLOATS(IN_FLOATS)
BELAY_KERNEL_MATHS_IN_DOUBLES(IN_DOUBLES)
IN_DOUBLES(logistic)
IN_DOUBLES(silu)

void belay_kernel_power_fp32s(float *to, const float *from, const float *exponents, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)maths_pow(broadcast((double)from[i]), broadcast((double)exponents[i]))[0];
}
