/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tensors of a list to whole numbers: 1 to nearest, ties to even; 2 down; 3 up; 4 to nearest, ties away
 * from 0; 5 towards 0; 6 what is not whole to the odd one of its neighbours; 7 what is lost by 5, +0 of whole
 * numbers and NaN of infinities. The others keep the sign of zeros. Integers are whole.
 */
#include "simd/vector/kernel.h"

enum { ROUND_OFF_MODES = 7 };

#ifdef KERNEL_PASS

#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/simple.h"

static inline doubles formula_round_off(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const doubles whole = maths_trunc(x[0]), rest = absolute(x[0] - whole);
    const doubles next = with_sign_of(absolute(whole) + 1, x[0]);
    switch ((int)number[0]) {
    case 1:
        return maths_round(x[0]);
    case 2:
        return maths_floor(x[0]);
    case 3:
        return maths_ceil(x[0]);
    case 4:
        return choose(rest >= 0.5, next, whole);
    case 5:
        return whole;
    case 6:
        return choose((rest > 0) & (maths_trunc(whole * 0.5) * 2 == whole), next, whole);
    default:
        return maths_frac(x[0]);
    }
}

static inline int64_t integer_round_off(const int64_t *x, const int64_t *number)
{
    return number[0] == ROUND_OFF_MODES ? 0 : x[0];
}

FORMULA_INTEGERS(round_off, 1)
FORMULA_KERNELS_BESIDE(round_off, (INTEGERS_OF(round_off)), 1, .doubles = formula_round_off)

#else

#include "aclnnop/aclnn_foreach_round_off_number.h"
#include "aclnnop/aclnn_foreach_round_off_number_v2.h"
#include "ops/foreach/lists.h"
#include "ops/scalar.h"

KERNEL_LEVELS(round_off);

/* Where the mode is known. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    enum { MODE = 1 };
    TRY(foreach_infer(call, result));
    const double mode = scalar_to_fp64(&call->scalar[MODE]);
    if (mode >= 1 && mode <= ROUND_OFF_MODES && mode == (double)(int)mode)
        return ACLNN_SUCCESS;
    return refuse(call, "roundMode is %g; 1 to %d are expected", mode, ROUND_OFF_MODES);
}

OVER_LISTS(aclnnForeachRoundOffNumberV2, round_off_number_v2, exact, round_off, 1, ONE, 0,
           foreach_fill_formula, infer, (OF_LIST_AND, &dtypes_floats_integers, ONE_SCALAR, roundMode));

/* A mode that is none of these counts as the next one below, as 7 beyond that and as 1 below 1. */
static void fill_mode(const struct foreach *foreach, const struct scalar_value *scalar, aclDataType dtype,
                      void *parameters)
{
    struct scalar_value mode = {.dtype = ACL_INT64};
    const double given = scalar_to_fp64(scalar);
    mode.value.integer = given >= ROUND_OFF_MODES ? ROUND_OFF_MODES : given >= 1 ? (int64_t)given : 1;
    foreach_fill_formula(foreach, &mode, dtype, parameters);
}

OVER_LISTS(aclnnForeachRoundOffNumber, round_off_number, exact, round_off, 1, TENSOR, 0, fill_mode,
           foreach_infer, (OF_LIST_AND, &dtypes_floats_integers, TENSOR_SCALAR, roundMode));

#endif
