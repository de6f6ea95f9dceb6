/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inverse of the error function: infinite at 1 and -1, NaN beyond.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

#include <math.h>

#include "simd/formula.h"
#include "simd/maths_error_function.h"
#include "simd/short_maths.h"

/*
 * Giles' polynomials ("Approximating the erfinv function", 2010) give 6 digits of y for |x| up to 1 - 2^-24.
 * One step of Halley's rule for erf y - |x|, whose slopes are 2 / sqrt(pi) e^(-y^2) and that times -2 y,
 * makes 17 of them. Near 1 the difference is one of erfc y and 1 - |x|, which is exact.
 */
static inline doubles formula_erfinv(const doubles *x, const double *number)
{
    static const double middle[] = {1.50140941,     0.246640727,    -0.00417768164,
                                    -0.00125372503, 0.00021858087,  -4.39150654e-06,
                                    -3.5233877e-06, 3.43273939e-07, 2.81022636e-08};
    static const double outer[] = {2.83297682,    1.00167406,     0.00943887047,
                                   -0.0076224613, 0.00573950773,  -0.00367342844,
                                   0.00134934322, 0.000100950558, -0.000200214257};
    (void)number;
    const doubles size = absolute(x[0]), left = 1 - size,
                  w = -0x1.62e42fefa39efp-1 * short_log2(left * (1 + size));
    const doubles near = w - 2.5, far = square_root(w) - 3;
    doubles y = size * choose(w < 5, POLYNOMIAL(near, middle), POLYNOMIAL(far, outer));
    doubles power;
    const struct pair near_0 = erf_of_small(y), far_off = erfc_of_large(erf_argument(y), &power);
    const doubles beyond = choose(y < 0.5, near_0.high - size + near_0.low,
                                  left - (far_off.high + far_off.low) * whole_power(power));
    const doubles step = beyond * 0x1.c5bf891b4ef6bp-1 * short_exp(y * y);
    y = y - step / (1 + y * step);
    y = choose(size == 1, broadcast((double)INFINITY), choose(size < 1, y, broadcast((double)NAN)));
    return with_sign_of(y, x[0]);
}

FORMULA_KERNELS(erfinv, 1)

#else

/* The contract. */
#include "aclnnop/aclnn_erfinv.h"
#include "ops/pointwise/forms.h"

FORMULA(erfinv, .out = DTYPE_CASTABLE);
OF_ONE(Erfinv, erfinv, erfinv, ulp1, self, dtypes_tanh, dtypes_float_results)
OF_ONE_IN_PLACE(InplaceErfinv, erfinv, erfinv, ulp1, selfRef, dtypes_fp32_fp16_bf16)

#endif
