/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The maths of kernels, one number at a time: Belay's own functions, which give the same bits on every machine,
 * in the place of libm's. A lane of a vector is what the operators compute for an element.
 */
#include "kernel/maths.h"

#include <math.h>

#include "simd/maths/arc.h"
#include "simd/maths/area.h"
#include "simd/maths/circle.h"
#include "simd/maths/error_function.h"
#include "simd/maths/exponential.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/power.h"

/* -t / (t + 2) of t = e^(-2 |x|) - 1, with the sign of x: no cancellation anywhere. */
static inline doubles maths_tanh(doubles x)
{
    const doubles t = maths_expm1(-2 * absolute(x));
    return with_sign_of(-t / (t + 2), x);
}

#define OF_FLOAT(name)                             \
    float belay_kernel_##name##_fp32(float x)      \
    {                                              \
        return fp32_maths_##name(vector_of(x))[0]; \
    }
#define OF_DOUBLE(name)                         \
    double belay_kernel_##name##_fp64(double x) \
    {                                           \
        return maths_##name(broadcast(x))[0];   \
    }
#define OF_FLOAT_BY_DOUBLE(name)                             \
    float belay_kernel_##name##_fp32(float x)                \
    {                                                        \
        return (float)maths_##name(broadcast((double)x))[0]; \
    }

KERNEL_MATHS_OF_FLOATS(OF_FLOAT)
KERNEL_MATHS_BY_DOUBLES(OF_FLOAT_BY_DOUBLE)
KERNEL_MATHS_OF_FLOATS(OF_DOUBLE)
KERNEL_MATHS_BY_DOUBLES(OF_DOUBLE)

float belay_kernel_pow_fp32(float x, float y)
{
    return (float)maths_pow(broadcast((double)x), broadcast((double)y))[0];
}

double belay_kernel_pow_fp64(double x, double y)
{
    return maths_pow(broadcast(x), broadcast(y))[0];
}

float belay_kernel_atan2_fp32(float y, float x)
{
    return (float)maths_atan2(broadcast((double)y), broadcast((double)x))[0];
}

double belay_kernel_atan2_fp64(double y, double x)
{
    return maths_atan2(broadcast(y), broadcast(x))[0];
}

/* The C library's are exact. */
float belay_kernel_fmod_fp32(float x, float y)
{
    return fmodf(x, y);
}

double belay_kernel_fmod_fp64(double x, double y)
{
    return fmod(x, y);
}

float belay_kernel_ilogb_fp32(float x)
{
    return logbf(x);
}

float belay_kernel_ldexp_fp32(float x, float y)
{
    const float least = -400, most = 400;
    const int power = (int)(y > most ? most : y > least ? y : least);
    return (float)ldexp((double)x, power); /* of doubles it is exact */
}

int64_t belay_kernel_pow_int64(int64_t x, int64_t y)
{
    uint64_t factor = (uint64_t)x, value = 1;
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y & 1) != 0 ? -1 : 1 : 0;
    for (; y > 0; y >>= 1, factor *= factor)
        value *= (y & 1) != 0 ? factor : 1;
    return (int64_t)value;
}
