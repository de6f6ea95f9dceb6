/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sign and logarithm of the size of determinants: the product of the pivots of an elimination in DOUBLE, as
 * m 2^k, so that it leaves no range; ln m + k ln 2, rounded once. Without any row it is 1; where a pivot is 0
 * the sign is 0 and the logarithm -infinity; an element that is not finite gives NaN.
 */
#include "simd/vector/kernel.h"
#include "simd/vector/level_table.h"

typedef double slogdet_logarithm(double m, double k);

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logarithm.h"

slogdet_logarithm AT_LEVEL(slogdet_logarithm);
double AT_LEVEL(slogdet_logarithm)(double m, double k)
{
    struct logarithm l = logarithm_of(broadcast(m));
    l.k += k;
    return logarithm_value(l, NULL, maths_ln2_part)[0];
}

#else

/* The contract. */
#include "aclnnop/aclnn_slogdet.h"

#include <math.h>

#include "ops/contraction/decompositions.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

LEVEL_TABLE(slogdet_logarithm, logarithms, slogdet_logarithm);

#define SLOGDET(X, of)                                    \
    X(of, IN, self, &dtypes_fp32_fp64, .sample = "2x3x3") \
    X(of, OUT, signOut, &dtypes_fp32_fp64)                \
    X(of, OUT, logOut, &dtypes_fp32_fp64)
SIGNATURE(SLOGDET)

struct determinants {
    struct matrices of;
    slogdet_logarithm *logarithm;
};

static int64_t run_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                         void *room)
{
    const struct determinants *plan = (const struct determinants *)(const void *)walk->parameters;
    const uint64_t size = plan->of.rows;
    double *a = room, m = 1, k = 0;
    int exponent;
    const double scale = matrix_scaled(walk, input[0], plan->of.dtype, a, size * size);
    for (uint64_t column = 0; column < size && m != 0; column++) {
        const uint64_t pivot = pivot_of(a, size, column);
        rows_exchange(a, size, column, pivot);
        m = frexp(m * a[column * size + column], &exponent) * (pivot == column ? 1 : -1);
        k += exponent;
        for (uint64_t row = column + 1; row < size && m != 0; row++)
            rows_subtract(a, size, row, column, a[row * size + column] / a[column * size + column], column);
    }
    (void)frexp(scale, &exponent);
    double sign = m > 0 ? 1 : m < 0 ? -1 : 0, logarithm = -(double)INFINITY;
    if (!(scale == scale))
        sign = logarithm = (double)NAN;
    else if (m != 0)
        logarithm = plan->logarithm(fabs(m), k + (double)size * (exponent - 1));
    matrix_store(walk, &sign, 1, output[0], plan->of.dtype, 1);
    matrix_store(walk, &logarithm, 1, output[1], plan->of.dtype, 1);
    return -1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(matrices_check(call, SLOGDET_self, true));
    for (unsigned i = 0; i < 2; i++)
        result_reshaped(result, call, SLOGDET_self,
                        matrices_shape(&call->tensor[SLOGDET_self], UINT64_MAX, UINT64_MAX));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct determinants plan = {.of = matrices_of(&call->tensor[SLOGDET_self]),
                                      .logarithm = logarithms[call->settings->isa]};
    const uint64_t size = plan.of.rows;
    (void)result;
    if (plan.of.batches == 0)
        return call_idle(call);
    const struct plane_request request = {.function = run_plane,
                                          .planes = plan.of.batches,
                                          .inputs = 1,
                                          .outputs = 2,
                                          .parameter = {SLOGDET_self, SLOGDET_signOut, SLOGDET_logOut},
                                          .room_bytes = size * size * sizeof(double),
                                          .plane_ns = size * size * (size / 3 + 4) + 50,
                                          .parameters = &plan,
                                          .parameter_bytes = sizeof plan};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnSlogdet, SLOGDET, .stem = "slogdet", .promise = &promise_sum, .family = FAMILY_CONTRACTION,
            PLANE_WALK, .infer = infer, .plan = plan);

#endif
