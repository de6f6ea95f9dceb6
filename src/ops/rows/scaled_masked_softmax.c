/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * y = softmax of x scale along the last dim, with -10000 where the mask is true; and its gradient,
 * (gradOutput y - y sum of gradOutput y) scale, 0 where the mask is true.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/row.h"
#include "simd/loops/row_exponential.h"

enum { X, MASK };
enum { GRADIENT, RESULT, GRADIENT_MASK };

static inline __attribute__((always_inline)) doubles
masked(enum arithmetic dtype, doubles value, double otherwise, const void *mask, size_t i, size_t left)
{
    return mask == NULL ? value : choose(row_load(dtype, mask, i, left) != 0, broadcast(otherwise), value);
}

static inline doubles product(doubles x, double factor)
{
    return x * factor;
}

static inline __attribute__((always_inline)) void scaled_masked_softmax(enum arithmetic dtype,
                                                                        const void *const *input,
                                                                        void *const *output, size_t count,
                                                                        double *room, const void *parameters)
{
    const double scale = *(const double *)parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const doubles x = row_load(dtype, input[X], i, count - i) * scale;
        row_store(ARITHMETIC_FP64, room, i, masked(dtype, x, -10000, input[MASK], i, count - i), count - i,
                  false);
    }
    const double greatest = row_greatest(ARITHMETIC_FP64, room, count);
    const double sum = row_sum(ARITHMETIC_FP64, room, count, room, exp_of_whole_difference, greatest);
    if (sum == sum)
        row_map(dtype, output[0], room, count, product, 1 / sum, false);
    else /* all of it */
        row_map(dtype, output[0], room, count, product, sum, true);
}

ROWS_KERNELS(scaled_masked_softmax, scaled_masked_softmax)

static inline __attribute__((always_inline)) void
scaled_masked_softmax_backward(enum arithmetic dtype, const void *const *input, void *const *output,
                               size_t count, double *room, const void *parameters)
{
    const double scale = *(const double *)parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles term =
            row_load(dtype, input[GRADIENT], i, left) * row_load(dtype, input[RESULT], i, left);
        row_store(ARITHMETIC_FP64, room, i, term, left, false);
    }
    const double sum = row_sum(ARITHMETIC_FP64, room, count, NULL, row_itself, 0);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles term = row_load(ARITHMETIC_FP64, room, i, left);
        const doubles value = (term - row_load(dtype, input[RESULT], i, left) * sum) * scale;
        row_store(dtype, output[0], i, masked(dtype, value, 0, input[GRADIENT_MASK], i, left), left, true);
    }
}

ROWS_KERNELS(scaled_masked_softmax_backward, scaled_masked_softmax_backward)

#else

/* The contract. */
#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

/* x, or gradOutput and y; then mask, scale, fixedTriuMask and the result. */
struct form {
    struct rows rows;
    unsigned mask;
};

static const struct form *form_of(const struct call *call)
{
    return (const struct form *)call->function->of_family;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const unsigned mask = form_of(call)->mask;
    for (unsigned i = 0; i < mask; i++)
        TRY(check_dtype(call, i));
    TRY(check_dtype(call, mask));
    for (unsigned i = 1; i < mask; i++)
        TRY(check_same_dtype(call, i, 0, NULL));
    if (call->tensor[0].rank != 4)
        return refuse(call, "%s has shape %s; rank 4 is expected", call_name(call, 0),
                      shape_text(TEXT, &call->tensor[0]));
    for (unsigned i = 1; i < mask; i++)
        TRY(check_same_shape(call, i, 0, NULL));
    const struct shape shape = shape_of(&call->tensor[0]);
    TRY(check_rank(call, mask));
    const struct shape own = shape_of(&call->tensor[mask]);
    if (!broadcasts_to(&own, &shape))
        return tell_fit(call, mask, &shape, call_name(call, 0));
    if (call->argument[mask + 2].boolean)
        return refuse(call, "%s is true; false is expected, with the triangle in the mask",
                      call_name(call, mask + 2));
    result_like(result, call, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned mask = form_of(call)->mask;
    const struct rows_tensor input[] = {
        {.parameter = 0}, {.parameter = 1}, {.parameter = mask}}; /* one after the other */
    const struct rows_tensor output = {.parameter = mask + 3};
    const struct rows_request request = {.rank = 4,
                                         .shape = call->tensor[0].shape,
                                         .along = 1 << 3,
                                         .input = input,
                                         .output = &output,
                                         .inputs = mask + 1,
                                         .outputs = 1,
                                         .parameters = &call->argument[mask + 1].fp64,
                                         .parameter_bytes = sizeof(double)};
    (void)result;
    return rows_plan(call, &request);
}

#define FORM(form, stem_) \
    .stem = (stem_), .promise = &promise_sum, ROWS(&(form)), .infer = infer, .plan = plan

ROWS_LEVELS(scaled_masked_softmax);
static const struct form forward = {
    {scaled_masked_softmax_rows, scaled_masked_softmax_rows_fp32, .element_ps = 900}, .mask = 1};
#define TENSOR(X, of, name) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "1x2x2x3")
#define MASK_AND_REST(X, of, triangle, result)          \
    X(of, IN, mask, &dtypes_bool, .sample = "2x3:BOOL") \
    X(of, DOUBLE, scale, .usual = "1")                  \
    X(of, BOOL, triangle, .usual = "false")             \
    X(of, OUT, result, &dtypes_fp32_fp16_bf16)
#define MASKED_SOFTMAX(X, of) TENSOR(X, of, x) MASK_AND_REST(X, of, fixedTriuMask, y)
SIGNATURE(MASKED_SOFTMAX)

FUNCTION_OF(aclnnScaledMaskedSoftmax, MASKED_SOFTMAX, FORM(forward, "scaled_masked_softmax"));

ROWS_LEVELS(scaled_masked_softmax_backward);
static const struct form backward = {
    {scaled_masked_softmax_backward_rows, scaled_masked_softmax_backward_rows_fp32, .element_ps = 700},
    .mask = 2};
#define MASKED_SOFTMAX_BACKWARD(X, of) \
    TENSOR(X, of, gradOutput)          \
    TENSOR(X, of, y)                   \
    MASK_AND_REST(X, of, fixTriuMask, out)
SIGNATURE(MASKED_SOFTMAX_BACKWARD)

FUNCTION_OF(aclnnScaledMaskedSoftmaxBackward, MASKED_SOFTMAX_BACKWARD,
            FORM(backward, "scaled_masked_softmax_backward"));

#endif
