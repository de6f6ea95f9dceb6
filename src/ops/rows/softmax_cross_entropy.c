/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross entropy of each row x and its labels y. With m the greatest x and s the sum of e^(x - m): loss =
 * -(sum of y (x - m - log s)), where y = 0 counts nothing whatever the logarithm, and backprop = e^(x - m) /
 * s - y. A row with NaN or +inf, or of -inf alone, is NaN.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logarithm.h"
#include "simd/loops/row.h"
#include "simd/loops/row_exponential.h"
#include "simd/loops/row_moments.h"

enum { FEATURES, LABELS };
enum { LOSS, BACKPROP };

static inline __attribute__((always_inline)) void cross_entropy(enum arithmetic dtype,
                                                                const void *const *input, void *const *output,
                                                                size_t count, double *room,
                                                                const void *parameters)
{
    const double greatest = row_greatest(dtype, input[FEATURES], count);
    const double sum = row_sum(dtype, input[FEATURES], count, room, exp_of_difference, greatest);
    const double logarithm = maths_log(broadcast(sum))[0];
    const double nothing = sum == sum ? 0 : sum; /* which is NaN */
    (void)parameters;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles x = row_load(dtype, input[FEATURES], i, left),
                      y = row_load(dtype, input[LABELS], i, left);
        const doubles softmax = row_load(ARITHMETIC_FP64, room, i, left) / sum;
        const doubles term = choose(y == 0, broadcast(nothing), y * (x - greatest - logarithm));
        row_store(ARITHMETIC_FP64, room, i, term, left, false);
        row_store(dtype, output[BACKPROP], i, softmax - y, left, true);
    }
    row_store_single(dtype, output[LOSS], 0 - row_sum(ARITHMETIC_FP64, room, count, NULL, row_itself, 0));
}

ROWS_KERNELS(cross_entropy, cross_entropy)

#else

/* The contract. */
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

#define CROSS_ENTROPY(X, of)                          \
    X(of, IN, features, &dtypes_fp32_fp16_bf16)       \
    X(of, MUTABLE_IN, labels, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, loss, &dtypes_fp32_fp16_bf16)          \
    X(of, OUT, backprop, &dtypes_fp32_fp16_bf16)
SIGNATURE(CROSS_ENTROPY)

ROWS_LEVELS(cross_entropy);
static const struct rows rows = {cross_entropy_rows, cross_entropy_rows_fp32, .element_ps = 1500};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *features = &call->tensor[CROSS_ENTROPY_features];
    TRY(check_dtype(call, CROSS_ENTROPY_features));
    TRY(check_dtype(call, CROSS_ENTROPY_labels));
    TRY(check_same_dtype(call, CROSS_ENTROPY_labels, CROSS_ENTROPY_features, NULL));
    if (features->rank != 2)
        return refuse(call, "features has %u dims; 2 are expected", features->rank);
    TRY(check_same_shape(call, CROSS_ENTROPY_labels, CROSS_ENTROPY_features, NULL));
    struct output *loss = result_add(result, features->dtype, DTYPE_EQUAL);
    loss->like = CROSS_ENTROPY_features;
    loss->shape_rule = SHAPE_BY_COUNT;
    loss->shape = (struct shape){.rank = 1, .dim = {features->shape[0]}};
    result_add(result, features->dtype, DTYPE_EQUAL)->like = CROSS_ENTROPY_features;
    result->computed = features->dtype;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input[] = {ROWS_TENSOR(CROSS_ENTROPY_features, WHOLE),
                                               ROWS_TENSOR(CROSS_ENTROPY_labels, WHOLE)},
                                    output[] = {ROWS_TENSOR(CROSS_ENTROPY_loss, SINGLE),
                                                ROWS_TENSOR(CROSS_ENTROPY_backprop, WHOLE)};
    const struct rows_request request = {.rank = 2,
                                         .shape = call->tensor[CROSS_ENTROPY_features].shape,
                                         .along = 2, /* dim 1 */
                                         .input = input,
                                         .output = output,
                                         .inputs = 2,
                                         .outputs = 2};
    (void)result;
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnSoftmaxCrossEntropyWithLogits, CROSS_ENTROPY, .stem = "softmax_cross_entropy_with_logits",
            .promise = &promise_sum, ROWS(&rows), .infer = infer, .plan = plan);

#endif
