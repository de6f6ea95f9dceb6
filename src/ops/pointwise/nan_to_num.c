/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers in place of NaN and infinities.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <float.h>
#include <math.h>

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"

static inline doubles formula_nan_to_num(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double infinity = (double)INFINITY;
    doubles value = choose(x[0] == infinity, broadcast(number[1]), x[0]);
    value = choose(x[0] == -infinity, broadcast(number[2]), value);
    return choose(x[0] != x[0], broadcast(number[0]), value);
}

static inline vector fp32_nan_to_num(const vector *x, const void *prepared)
{
    const double *number = prepared;
    const vector most = vector_of(FLT_MAX);
    vector value = vector_choose(vector_greater(x[0], most), vector_of((float)number[1]), x[0]);
    value = vector_choose(vector_greater(-most, x[0]), vector_of((float)number[2]), value);
    return vector_choose(vector_is_nan(x[0]), vector_of((float)number[0]), value);
}

static inline int64_t integer_nan_to_num(const int64_t *x, const int64_t *number)
{
    return x[0];
}

FORMULA_INTEGERS(nan_to_num, 1)
FORMULA_KERNELS_BESIDE(nan_to_num, (INTEGERS_OF(nan_to_num)), 1, .doubles = formula_nan_to_num,
                       .floats = fp32_nan_to_num)

#else

/* The contract. */
#include "aclnnop/aclnn_nan_to_num.h"
#include "ops/pointwise/forms.h"

FORMULA(nan_to_num, .out = DTYPE_EQUAL);

#define NUMBERS \
    (FLOAT, nan, .usual = "0"), (FLOAT, posinf, .usual = "1e38"), (FLOAT, neginf, .usual = "-1e38")
FORM(aclnnNanToNum, nan_to_num, nan_to_num, exact, formula_infer_as_first,
     (IN, self, &dtypes_floats_integers_bool), NUMBERS, (OUT, out, &dtypes_floats_integers_bool));
FORM(aclnnInplaceNanToNum, nan_to_num, nan_to_num, exact, formula_infer_as_first,
     (BOTH, selfRef, &dtypes_floats_integers_bool), NUMBERS);

#endif
