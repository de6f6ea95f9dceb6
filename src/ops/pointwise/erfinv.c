/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverse of the error function: infinite at 1 and -1, NaN beyond.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <math.h>

#include "simd/loops/blocks.h"
#include "simd/maths/short.h"

/*
 * y / |x| by a polynomial of w = -ln(1 - x^2), whose root takes its place where w is large, as Giles
 * ("Approximating the erfinv function", 2010) has it: scripts/maths_polynomials.sollya, 2^-32.6. For x that
 * FLOAT has w is 16 at most, but for the infinity.
 */
static inline doubles size_logarithm(doubles size)
{
    return -0x1.62e42fefa39efp-1 * short_log2((1 - size) * (1 + size));
}

static inline doubles middle_ratio(doubles w)
{
    static const double coefficient[] = {
        0x1.9fa072edc3487p0,    0x1.eedbebdc1bf53p-3,   -0x1.780df287788bap-8,  -0x1.b666626d21027p-11,
        0x1.991380d4e51cep-13,  -0x1.aab51baa02318p-17, -0x1.d578c8923ebeap-20, 0x1.e37e87ea120f7p-22,
        -0x1.922570a70ee9cp-26, -0x1.7e74b6520ad49p-28, 0x1.25ae251a152dap-30,  -0x1.05894ba8e19f6p-36,
        -0x1.003322bc15c0ap-36, 0x1.6665fd0642c4ap-40};
    return POLYNOMIAL(w - 3, coefficient);
}

static const double middle_end = 6;

static inline doubles formula_erfinv(const doubles *x, const void *prepared)
{
    static const double outer[] = {0x1.8abcc38076185p1,   0x1.0158a6d6cce8cp0,    0x1.5ffd5231846a8p-8,
                                   -0x1.ebae2604187a3p-9, 0x1.468316cff99bep-9,   -0x1.ba80cc1fe44d4p-10,
                                   0x1.f5021330a7edbp-11, -0x1.761c5ae0f016ap-12, 0x1.22e57c7a2037cp-16,
                                   0x1.349c0e23cadf1p-14, -0x1.45e9ac11c6c5bp-15, 0x1.5068c16ec7dc5p-18};
    const doubles size = absolute(x[0]), w = size_logarithm(size);
    const longs is_outer = w > middle_end;
    doubles ratio = middle_ratio(w);
    if (any(is_outer))
        ratio = choose(is_outer, POLYNOMIAL(square_root(w) - 3.25, outer), ratio);
    ratio = choose(size == 1, broadcast((double)INFINITY), choose(size < 1, ratio, broadcast((double)NAN)));
    return x[0] * ratio;
}

static inline doubles usual_erfinv(const doubles *x, const void *prepared)
{
    return x[0] * middle_ratio(size_logarithm(absolute(x[0])));
}

/* Up to 0.998 w is 5.52 at most. */
static inline longs erfinv_is_odd(const doubles *x)
{
    return ~(absolute(x[0]) < 0.998);
}

FORMULA_KERNELS(erfinv, 1, .doubles = formula_erfinv, .usual = usual_erfinv, .is_odd = erfinv_is_odd)

#else

/* The contract. */
#include "aclnnop/aclnn_erfinv.h"
#include "ops/pointwise/forms.h"

FORMULA(erfinv, .out = DTYPE_CASTABLE);
OF_ONE(aclnnErfinv, erfinv, erfinv, ulp1, self, dtypes_fp32_fp16_bf16_integers_bool, dtypes_floats_complex)
OF_ONE_IN_PLACE(aclnnInplaceErfinv, erfinv, erfinv, ulp1, selfRef, dtypes_fp32_fp16_bf16)

#endif
