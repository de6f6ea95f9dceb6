/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = e^(x - m) / sum of e^(x - m) along a dim, m being the greatest x. NaN, +inf, or -inf alone give NaN
 * in the whole row, as inf - inf is NaN.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row.h"
#include "simd/loops/row_exponential.h"

static inline doubles product(doubles x, double factor)
{
    return x * factor;
}

/* The parameter is whether all numbers have 24 bits at most. */
static inline __attribute__((always_inline)) void softmax(enum arithmetic dtype, const void *const *input,
                                                          void *const *output, size_t count, double *room,
                                                          const void *parameters)
{
    const bool is_short = dtype == ARITHMETIC_FP32 || *(const bool *)parameters;
    const double greatest = row_greatest(dtype, input[0], count);
    const double sum = is_short ? row_sum(dtype, input[0], count, room, exp_of_difference_short, greatest)
                                : row_sum(dtype, input[0], count, room, exp_of_whole_difference, greatest);
    if (sum == sum)
        row_map(dtype, output[0], room, count, product, 1 / sum, false);
    else /* all of it */
        row_map(dtype, output[0], room, count, product, sum, true);
}

ROWS_KERNELS(softmax, softmax)

#else

/* The contract. */
#include "aclnnop/aclnn_softmax.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

#define SOFTMAX(X, of)               \
    X(of, IN, self, &dtypes_floats)  \
    X(of, INT64, dim, .usual = "-1") \
    X(of, OUT, out, &dtypes_floats)
SIGNATURE(SOFTMAX)

ROWS_LEVELS(softmax);
static const struct rows rows = {softmax_rows, softmax_rows_fp32, .element_ps = 700};

FUNCTION_OF(aclnnSoftmax, SOFTMAX, .stem = "softmax", .promise = &promise_sum, ROWS(&rows),
            .infer = rows_infer_along, .plan = rows_plan_along);

#endif
