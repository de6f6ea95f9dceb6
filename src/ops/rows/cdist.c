/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Distances of each row of one matrix from each row of another one, and the gradient of the first. p = 0
 * counts what differs, infinite p takes the greatest difference.
 *
 * Distances are computed in tiles (distances.h). The gradient goes by a loop over rows, of which one is one
 * pair.
 */
#include "ops/rows/distances.h"

struct distance_numbers {
    double p;
    enum arithmetic dtype; /* what distances were rounded to */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/simple.h"
#include "simd/vector/rounding.h"
#include "simd/loops/row_norm.h"

enum { X1, X2, GRADIENT, DISTANCE };

static inline __attribute__((always_inline)) doubles rounded_as(enum arithmetic dtype, doubles value)
{
    char bits[LANES * sizeof(float)];
    store(dtype, bits, round_bits(dtype, value), false);
    return load(dtype, bits);
}

/* A value rounded as a distance of that dtype is. */
static inline doubles rounded(enum arithmetic dtype, doubles value)
{
    return dtype == ARITHMETIC_FP32   ? rounded_as(ARITHMETIC_FP32, value)
           : dtype == ARITHMETIC_FP16 ? rounded_as(ARITHMETIC_FP16, value)
                                      : rounded_as(ARITHMETIC_BF16, value);
}

/* d |d|^(p - 2) / distance^(p - 1), as (|d| / distance)^(p - 1) with the sign of d; 0 where d is, or the
 * distance. */
static inline doubles slope_of(doubles difference, double distance, const struct distance_numbers *numbers)
{
    const double p = numbers->p;
    const doubles size = absolute(difference), sign = maths_sign(difference);
    if (p == 0 || distance == 0)
        return broadcast(0);
    if (p == 1)
        return sign;
    if (p == 2)
        return difference / distance;
    if (p == (double)INFINITY)
        return choose(rounded(numbers->dtype, size) == distance, sign, broadcast(0));
    return choose(difference == 0, broadcast(0), sign * norm_power(size / distance, p - 1));
}

static inline __attribute__((always_inline)) void cdist_backward(enum arithmetic dtype,
                                                                 const void *const *input,
                                                                 void *const *output, size_t count,
                                                                 double *room, const void *parameters)
{
    const struct distance_numbers *numbers = parameters;
    const double gradient = row_single(dtype, input[GRADIENT], 0),
                 distance = row_single(dtype, input[DISTANCE], 0);
    double *sums = output[0];
    (void)room;
    for (size_t i = 0; i < count; i += LANES) {
        const doubles difference =
            row_load(dtype, input[X1], i, count - i) - row_load(dtype, input[X2], i, count - i);
        const doubles value = gradient * slope_of(difference, distance, numbers);
        row_store(ARITHMETIC_FP64, sums, i, row_load(ARITHMETIC_FP64, sums, i, count - i) + value, count - i,
                  false);
    }
}

ROWS_KERNELS(cdist_backward, cdist_backward)

#else

/* The contract. */
#include <math.h>

#include "aclnnop/aclnn_cdist.h"
#include "aclnnop/aclnn_cdist_backward.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/loops/rows.h"
#include "ops/loops/plane_walk.h"
#include "ops/nest.h"
#include "ops/signature.h"

LEVEL_TABLE(distances_function, distances_functions, distances);
ROWS_LEVELS(cdist_backward);
static const struct rows backward_rows = {cdist_backward_rows, cdist_backward_rows_fp32, .is_roomless = true,
                                          .element_ps = 500};

#define FLT3 &dtypes_fp32_fp16_bf16
#define CDIST(X, of)                         \
    X(of, IN, x1, FLT3, .sample = "2x3x4")   \
    X(of, IN, x2, FLT3, .sample = "2x5x4")   \
    X(of, FLOAT, p, .usual = "2")            \
    X(of, INT64, compute_mode, .usual = "0") \
    X(of, OUT, out, FLT3)
SIGNATURE(CDIST)
#define CDIST_BACKWARD(X, of)                 \
    X(of, IN, grad, FLT3, .sample = "2x3x5")  \
    X(of, IN, x1, FLT3, .sample = "2x3x4")    \
    X(of, IN, x2, FLT3, .sample = "2x5x4")    \
    X(of, IN, cdist, FLT3, .sample = "2x3x5") \
    X(of, FLOAT, p, .usual = "2")             \
    X(of, OUT, out, FLT3)
SIGNATURE(CDIST_BACKWARD)

/* torch_npu has -1 for the infinite one of a gradient. */
static double p_of(const struct call *call, unsigned parameter)
{
    const double p = (double)call->argument[parameter].fp32;
    return p == -1 && parameter == CDIST_BACKWARD_p ? (double)INFINITY : p;
}

static aclnnStatus check_p(const struct call *call, unsigned parameter)
{
    const double p = p_of(call, parameter);
    return p >= 0 ? ACLNN_SUCCESS : refuse(call, "p is %g; 0 or more is expected", p);
}

/* Both are matrices, or batches of them, with rows of one length. */
static aclnnStatus check_matrices(const struct call *call, unsigned first)
{
    const struct tensor_view *view = &call->tensor[first];
    for (unsigned i = first; i <= first + 1; i++)
        if (call->tensor[i].rank < 2 || call->tensor[i].rank >= OPERAND_RANK_MAX)
            return refuse(call, "%s has %u dims; from 2 to %d are expected", call_name(call, i),
                          call->tensor[i].rank, OPERAND_RANK_MAX - 1);
    if (view[0].shape[view[0].rank - 1] == view[1].shape[view[1].rank - 1])
        return ACLNN_SUCCESS;
    return refuse(call,
                  "the rows of %s have %lld elements and those of %s %lld; as many of both are expected",
                  call_name(call, first), (long long)view[0].shape[view[0].rank - 1],
                  call_name(call, first + 1), (long long)view[1].shape[view[1].rank - 1]);
}

/* Batches, which broadcast, and rows of both: the shape of the distances. */
static aclnnStatus find_shape(const struct call *call, unsigned first, struct shape *shape)
{
    struct shape of_first = shape_of(&call->tensor[first]), of_second = shape_of(&call->tensor[first + 1]);
    of_first.rank -= 2;
    of_second.rank -= 2;
    if (!broadcast(&of_first, &of_second, shape))
        return refuse(call, "the dims of %s and %s before the last two do not broadcast",
                      call_name(call, first), call_name(call, first + 1));
    shape->dim[shape->rank] = of_first.dim[of_first.rank];
    shape->dim[shape->rank + 1] = of_second.dim[of_second.rank];
    shape->rank += 2;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, CDIST_x1));
    TRY(check_dtype(call, CDIST_x2));
    TRY(check_same_dtype(call, CDIST_x2, CDIST_x1, NULL));
    TRY(check_matrices(call, CDIST_x1));
    result->computed = call_dtype(call, CDIST_x1);
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    TRY(find_shape(call, CDIST_x1, &output->shape));
    return check_p(call, CDIST_p);
}

/* The matrices of each batch of distances, in so many parts of their rows, or all of them for each part. */
static struct tensor_view in_parts(const struct tensor_view *view, const struct shape *distances,
                                   int64_t parts, bool repeats)
{
    const uint32_t batches = distances->rank - 2, row = view->rank - 2;
    struct tensor_view divided = *view;
    divided.rank = batches + 3;
    for (uint32_t i = 0; i < batches; i++) {
        divided.shape[i] = distances->dim[i];
        divided.stride[i] = nest_stride(view, batches + 2, i);
    }
    const int64_t rows = repeats ? view->shape[row] : view->shape[row] / parts;
    const int64_t shape[] = {parts, rows, view->shape[row + 1]};
    const int64_t stride[] = {repeats ? 0 : rows * view->stride[row], view->stride[row],
                              view->stride[row + 1]};
    memcpy(divided.shape + batches, shape, sizeof shape);
    memcpy(divided.stride + batches, stride, sizeof stride);
    divided.count = 1;
    for (uint32_t i = 0; i < divided.rank; i++)
        divided.count *= divided.shape[i];
    return divided;
}

static int64_t find_distances(const struct plane_walk *walk, const void *const *input, void *const *output,
                              void *room)
{
    const struct distances *plan = (const struct distances *)(const void *)walk->parameters;
    plan->function(plan, input[0], input[1], output[0], (double *)room);
    return -1;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *first = &call->tensor[CDIST_x1], *second = &call->tensor[CDIST_x2];
    const struct shape *shape = &result->output[0].shape;
    const int64_t rows = first->shape[first->rank - 2], across = second->shape[second->rank - 2];
    int64_t batches = 1, parts = 1;
    for (uint32_t i = 0; i + 2 < shape->rank; i++)
        batches *= shape->dim[i];
    if (batches * rows * across == 0)
        return call_idle(call);
    /* Each part has the second matrix for itself: no more of them than threads need. */
    while (parts < rows && (rows % parts != 0 || batches * parts < (int64_t)call->settings->thread_count))
        parts++;
    const struct distances plan = {.function = distances_functions[call->settings->isa],
                                   .dtype = arithmetic_of(result->computed),
                                   .rows = (size_t)(rows / parts),
                                   .across = (size_t)across,
                                   .length = (size_t)first->shape[first->rank - 1],
                                   .p = (double)call->argument[CDIST_p].fp32};
    const struct tensor_view mine = in_parts(first, shape, parts, false),
                             other = in_parts(second, shape, parts, true);
    const struct plane_request request = {.function = find_distances,
                                          .planes = (uint64_t)(batches * parts),
                                          .inputs = 2,
                                          .outputs = 1,
                                          .parameter = {CDIST_x1, CDIST_x2, CDIST_out},
                                          .view = {&mine, &other},
                                          .room_bytes = distances_room(plan.rows, plan.length),
                                          .plane_ns = plan.rows * plan.across * (5 + plan.length / 8),
                                          .parameters = &plan,
                                          .parameter_bytes = sizeof plan};
    return plane_walk_plan(call, &request);
}

FUNCTION_OF(aclnnCdist, CDIST, .stem = "cdist", .promise = &promise_sum, .family = FAMILY_ROWS, PLANE_WALK,
            .infer = infer, .plan = plan);

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    struct shape distances;
    for (unsigned i = CDIST_BACKWARD_grad; i <= CDIST_BACKWARD_cdist; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = CDIST_BACKWARD_x1; i <= CDIST_BACKWARD_cdist; i++)
        TRY(check_same_dtype(call, i, CDIST_BACKWARD_grad, NULL));
    TRY(check_matrices(call, CDIST_BACKWARD_x1));
    TRY(find_shape(call, CDIST_BACKWARD_x1, &distances));
    TRY(check_same_shape(call, CDIST_BACKWARD_grad, CDIST_BACKWARD_cdist, NULL));
    const struct shape own = shape_of(&call->tensor[CDIST_BACKWARD_grad]),
                       of_first = shape_of(&call->tensor[CDIST_BACKWARD_x1]);
    bool fits = own.rank == distances.rank && of_first.rank == distances.rank;
    for (uint32_t i = 0; fits && i < own.rank; i++)
        fits = own.dim[i] == distances.dim[i] && (i + 2 >= own.rank || of_first.dim[i] == own.dim[i]);
    if (!fits)
        return refuse(call,
                      "grad and x1 are expected to have the batches of the distances, and grad a distance "
                      "of each row of x1 and x2");
    result->computed = call_dtype(call, CDIST_BACKWARD_x1);
    result_add(result, result->computed, DTYPE_EQUAL)->like = CDIST_BACKWARD_x1;
    return check_p(call, CDIST_BACKWARD_p);
}

/* A dim of size 1 before dim i. */
static struct tensor_view with_dim(const struct tensor_view *view, uint32_t before)
{
    struct tensor_view wider = *view;
    for (uint32_t i = wider.rank++; i > before; i--) {
        wider.shape[i] = wider.shape[i - 1];
        wider.stride[i] = wider.stride[i - 1];
    }
    wider.shape[before] = 1;
    wider.stride[before] = 0;
    return wider;
}

/* The rows of x2 come first, so that rows of x1 follow in a period. */
static struct tensor_view turned(const struct tensor_view *view, uint32_t last)
{
    struct tensor_view turned = *view;
    turned.shape[0] = view->shape[last];
    turned.stride[0] = view->stride[last];
    for (uint32_t i = 0; i < last; i++) {
        turned.shape[i + 1] = view->shape[i];
        turned.stride[i + 1] = view->stride[i];
    }
    return turned;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct tensor_view *first = &call->tensor[CDIST_BACKWARD_x1],
                             *second = &call->tensor[CDIST_BACKWARD_x2];
    const uint32_t last = first->rank - 1;
    const struct tensor_view gradients = turned(&call->tensor[CDIST_BACKWARD_grad], last),
                             distances = turned(&call->tensor[CDIST_BACKWARD_cdist], last);
    struct tensor_view padded = *second, mine, other;
    while (padded.rank < first->rank)
        padded = with_dim(&padded, 0);
    mine = with_dim(first, 0);
    padded = turned(&padded, last - 1); /* its rows, its batches, its elements */
    other = with_dim(&padded, last);
    const struct rows_tensor input[] = {
        {.parameter = CDIST_BACKWARD_x1, .part = ROWS_WHOLE, .view = &mine},
        {.parameter = CDIST_BACKWARD_x2, .part = ROWS_WHOLE, .view = &other},
        {.parameter = CDIST_BACKWARD_grad, .part = ROWS_SINGLE, .view = &gradients},
        {.parameter = CDIST_BACKWARD_cdist, .part = ROWS_SINGLE, .view = &distances}};
    const struct rows_tensor output = ROWS_TENSOR(CDIST_BACKWARD_out, SUMS);
    const struct distance_numbers numbers = {p_of(call, CDIST_BACKWARD_p), arithmetic_of(result->computed)};
    struct shape shape = shape_of(&mine);
    shape.dim[0] = second->shape[second->rank - 2];
    uint64_t period = 1;
    for (uint32_t i = 0; i < last; i++)
        period *= (uint64_t)first->shape[i];
    const struct rows_request request = {.rank = shape.rank,
                                         .shape = shape.dim,
                                         .along = UINT32_C(1) << (shape.rank - 1),
                                         .input = input,
                                         .output = &output,
                                         .inputs = 4,
                                         .outputs = 1,
                                         .period = period,
                                         .parameters = &numbers,
                                         .parameter_bytes = sizeof numbers};
    return rows_plan(call, &request);
}

FUNCTION_OF(aclnnCdistBackward, CDIST_BACKWARD, .stem = "cdist_backward", .promise = &promise_sum,
            ROWS(&backward_rows), .infer = infer_backward, .plan = plan_backward);

#endif
