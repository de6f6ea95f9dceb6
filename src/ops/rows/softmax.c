/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = e^(x - m) / sum of e^(x - m) along a dim, m being the greatest x. NaN, +inf, or -inf alone give NaN
 * in the whole row, as inf - inf is NaN.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/row.h"

ROWS_KERNEL(softmax)
(const double *const *input, double *const *output, size_t count, const void *parameters)
{
    (void)parameters;
    const double *x = input[0];
    double *y = output[0];
    const double greatest = row_greatest(x, count);
    for (size_t i = 0; i < count; i += LANES) {
        /* The difference and what its rounding lost, which is nothing to e^-800. */
        const doubles value = row_load(x + i, count - i), high = value - greatest, back = high - value;
        const doubles low = (value - (high - back)) + (-greatest - back);
        row_store(y + i, row_exp(high, choose(high > -800, low, broadcast(0))), count - i);
    }
    const double sum = row_sum(y, count, row_itself, 0);
    for (size_t i = 0; i < count; i += LANES)
        row_store(y + i, row_load(y + i, count - i) / sum, count - i);
}

#else

/* The contract. */
#include "aclnnop/aclnn_softmax.h"
#include "ops/check.h"
#include "ops/rows/rows.h"

enum { SELF, DIM, OUT };

ROWS_LEVELS(softmax);
static const struct rows rows = {softmax_rows, .element_ps = 1200};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_axis(call, SELF, DIM, &along));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_ANY)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = {SELF, ROWS_WHOLE}, output = {OUT, ROWS_WHOLE};
    const struct shape shape = shape_of(&call->tensor[SELF]);
    axes along;
    (void)result;
    TRY(check_axis(call, SELF, DIM, &along));
    return rows_plan(call, &shape, along, &input, 1, &output, 1, NULL, 0);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats),
    [DIM] = USUAL("dim", INT64, "-1"),
    [OUT] = WRITTEN("out", &dtypes_floats),
};

FUNCTION(aclnnSoftmax, (const aclTensor *self, int64_t dim, aclTensor *out), (ARG(self), ARG(dim), ARG(out)),
         .stem = "softmax", PARAMETERS(parameters), .promise = &promise_sum, ROWS(&rows), .infer = infer,
         .plan = plan);

#endif
