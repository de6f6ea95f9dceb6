/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The scores of experts, element by element in doubles: 1 / (1 + e^-x), and sqrt(log(1 + e^x)); and of the
 * latter, s, the derivative (1 - e^-s^2) / (2 s), which is 0 where s is.
 */
#include "ops/experts/scores.h"

#ifdef KERNEL_PASS

#include "simd/loops/row.h"
#include "simd/maths/exponential.h"
#include "simd/maths/logarithm.h"
#include "simd/maths/logistic.h"
#include "simd/maths/simple.h"

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|). */
static inline doubles softplus_root(doubles x)
{
    const doubles rest = maths_log1p(maths_exp(-absolute(x)));
    return choose(x != x, x, square_root(choose(x > 0, x, broadcast(0)) + rest));
}

static inline doubles softplus_root_slope(doubles s)
{
    const doubles slope = -maths_expm1(-(s * s)) / (2 * s);
    return choose(s == 0, broadcast(0), slope);
}

static inline __attribute__((always_inline)) void scores(enum arithmetic dtype, const void *const *input,
                                                         void *const *output, size_t count, double *room,
                                                         const void *parameters)
{
    const enum score score = *(const enum score *)parameters;
    (void)room;
    for (size_t i = 0; i < count; i += LANES) {
        const doubles x = row_load(dtype, input[0], i, count - i);
        row_store(dtype, output[0], i,
                  score == SCORE_SIGMOID         ? logistic(x)
                  : score == SCORE_SOFTPLUS_ROOT ? softplus_root(x)
                                                 : softplus_root_slope(x),
                  count - i, true);
    }
}

ROWS_KERNEL(scores_row, scores, ARITHMETIC_FP64)

#endif
