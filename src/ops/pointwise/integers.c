/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of integers: the greatest common divisor, which is 0 of two zeros, and shifts. A distance below
 * 0, or of all bits of the dtype or more, shifts all of them out: to the left 0 is left, to the right what
 * the sign says, 0 or -1.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/formula_integers.h"

/* By Euclid, of absolute values. */
static inline int64_t integer_gcd(const int64_t *x, const int64_t *number)
{
    uint64_t a = x[0] < 0 ? 0 - (uint64_t)x[0] : (uint64_t)x[0],
             b = x[1] < 0 ? 0 - (uint64_t)x[1] : (uint64_t)x[1];
    (void)number;
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (int64_t)a;
}

/* Elements are of 64 bits here, with their sign, of which low ones are kept: distances between the dtype's
 * bits and 64 need no look. */
static inline int64_t integer_left_shift(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[1] < 0 || x[1] > 63 ? 0 : (int64_t)((uint64_t)x[0] << x[1]);
}

static inline int64_t integer_right_shift(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[0] >> (x[1] < 0 || x[1] > 63 ? 63 : x[1]);
}

/* UINT64 has no sign. */
static inline int64_t integer_right_shift_of_naturals(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[1] < 0 || x[1] > 63 ? 0 : (int64_t)((uint64_t)x[0] >> x[1]);
}

FORMULA_INTEGERS(gcd, 2)
FORMULA_INTEGERS(left_shift, 2)
FORMULA_NATURALS(left_shift, 2)
FORMULA_INTEGERS(right_shift, 2)
FORMULA_NATURALS(right_shift_of_naturals, 2)
KERNELS(gcd) = {.exact = {INTEGERS_OF(gcd)}};
KERNELS(left_shift) = {.exact = {INTEGERS_OF(left_shift), NATURALS_OF(left_shift)}};
KERNELS(right_shift) = {.exact = {INTEGERS_OF(right_shift), NATURALS_OF(right_shift_of_naturals)}};

#else

/* The contract. */
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_right_shift.h"
#include "ops/dtypes.h"
#include "ops/pointwise/forms.h"

FORMULA(gcd, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA(left_shift, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA(right_shift, .out = DTYPE_CASTABLE, .broadcasts = true);
FORMULA_BY(left_shifts, left_shift, 1500, .out = DTYPE_CASTABLE, .inputs = 2, .dtype = formula_beside_scalar);

#define OF_INTEGERS(name, stem, self, other, dtypes)                                         \
    FORM(name, stem, stem, exact, formula_infer, (IN, self, &dtypes, .sample = "2x3:INT32"), \
         (IN, other, &dtypes, .sample = "2x3:INT32"), (OUT, out, &dtypes_reals));

OF_INTEGERS(aclnnGcd, gcd, self, other, dtypes_integers)
OF_INTEGERS(aclnnLeftShift, left_shift, self, shiftBits, dtypes_integers_naturals)
OF_INTEGERS(aclnnRightShift, right_shift, input, shiftBits, dtypes_integers_naturals)
FORM(aclnnLeftShifts, left_shift, left_shifts, exact, formula_infer,
     (IN, self, &dtypes_integers_naturals, .sample = "2x3:INT32"),
     (SCALAR, shiftBits, &dtypes_integers, .usual = "1:INT64"), (OUT, out, &dtypes_reals));

#endif
