/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The maths of kernels, one number at a time: Belay's own functions, which give the same bits on every machine,
 * in the place of libm's. A lane of a vector is what the operators compute for an element.
 */
#include "kernel/maths.h"

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
