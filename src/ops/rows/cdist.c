/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Distances of each row of one matrix from each row of another one, and the gradient of the first. p = 0
 * counts what differs, infinite p takes the greatest difference.
 *
 * Distances are computed in tiles of some rows of the one matrix and some of the other, whose elements are
 * laid side by side: a lane of a vector is a pair of rows, and adds up in the order of their elements. The
 * gradient goes by a loop over rows, of which one is one pair.
 */
#include <stddef.h>

#include "simd/kernels.h"
#include "simd/level_table.h"

struct distance_numbers {
    double p;
    enum arithmetic dtype; /* what distances were rounded to */
};

/* Of some rows of the first matrix from all of the second, side by side, of floats of 16 or 32 bits. */
struct distances;
typedef void distances_function(const struct distances *plan, const void *first, const void *second,
                                void *result, double *room);
struct distances {
    distances_function *function;
    enum arithmetic dtype;
    size_t rows, across, length;
    double p;
};

enum { TILE_ROWS = 4, TILE_COLUMNS = 16, TILES = 4 };

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths_simple.h"
#include "simd/rounding.h"
#include "simd/row_norm.h"

/* How differences are put together: that of p = 0, 1, 2, infinite and of others. */
enum distance { COUNTED, ADDED, SQUARED, GREATEST, POWERS };

static inline __attribute__((always_inline)) doubles with_difference(enum distance way, doubles sum,
                                                                     doubles difference)
{
    const doubles size = absolute(difference);
    switch (way) {
    case COUNTED:
        return sum + is_not_0(difference, 0);
    case ADDED:
        return sum + size;
    case SQUARED:
        return sum + difference * difference;
    default:
        return choose((size > sum) | (size != size), size, sum); /* NaN stays */
    }
}

/* row: elements of TILE_ROWS rows, column: of TILE_COLUMNS rows of the other matrix, all first elements
 * first. Two vectors of sums for each row fit into the registers of every level. */
static inline __attribute__((always_inline)) void tile(enum distance way, const double *row,
                                                       const double *column, size_t length, double *to)
{
    for (size_t at = 0; at < TILE_COLUMNS; at += (size_t)2 * LANES) {
        doubles sum[TILE_ROWS][2];
#pragma GCC unroll 4
        for (size_t r = 0; r < TILE_ROWS; r++)
            sum[r][0] = sum[r][1] = broadcast(0);
        for (size_t k = 0; k < length; k++) {
            doubles left, right;
            memcpy(&left, column + k * TILE_COLUMNS + at, sizeof left);
            memcpy(&right, column + k * TILE_COLUMNS + at + LANES, sizeof right);
#pragma GCC unroll 4
            for (size_t r = 0; r < TILE_ROWS; r++) {
                const doubles here = broadcast(row[r * length + k]);
                sum[r][0] = with_difference(way, sum[r][0], here - left);
                sum[r][1] = with_difference(way, sum[r][1], here - right);
            }
        }
#pragma GCC unroll 4
        for (size_t r = 0; r < TILE_ROWS; r++) {
            memcpy(to + r * TILE_COLUMNS + at, &sum[r][0], sizeof sum[r][0]);
            memcpy(to + r * TILE_COLUMNS + at + LANES, &sum[r][1], sizeof sum[r][1]);
        }
    }
}

/* Of powers of other p, which are of differences over the greatest one: they neither overflow nor vanish. */
static __attribute__((noinline)) void tile_of_powers(const double *row, const double *column, size_t length,
                                                     double p, double *to)
{
    tile(GREATEST, row, column, length, to);
    for (size_t r = 0; r < TILE_ROWS; r++)
        for (size_t at = 0; at < TILE_COLUMNS; at += LANES, to += LANES) {
            doubles most, sum = broadcast(0);
            memcpy(&most, to, sizeof most);
            for (size_t k = 0; k < length; k++) {
                doubles there;
                memcpy(&there, column + k * TILE_COLUMNS + at, sizeof there);
                sum += norm_power(absolute(broadcast(row[r * length + k]) - there) / most, p);
            }
            for (int i = 0; i < LANES; i++)
                if (to[i] > 0 && to[i] < (double)INFINITY)
                    to[i] *= norm_root_of(sum[i], p);
        }
}

static inline __attribute__((always_inline)) void find_tile(const double *row, const double *column,
                                                            size_t length, double p, double *to)
{
    if (p == 2) {
        tile(SQUARED, row, column, length, to);
        for (size_t i = 0; i < TILE_ROWS * TILE_COLUMNS; i += LANES) {
            doubles square;
            memcpy(&square, to + i, sizeof square);
            square = square_root(square);
            memcpy(to + i, &square, sizeof square);
        }
    } else if (p == 1)
        tile(ADDED, row, column, length, to);
    else if (p == 0)
        tile(COUNTED, row, column, length, to);
    else if (p == (double)INFINITY)
        tile(GREATEST, row, column, length, to);
    else
        tile_of_powers(row, column, length, p, to);
}

static inline __attribute__((always_inline)) void widen_some(enum arithmetic dtype, const void *from,
                                                             size_t count, double *to)
{
    for (size_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, to, i, row_load(dtype, from, i, count - i), count - i, false);
}

static void widen_row(enum arithmetic dtype, const void *matrix, size_t row, size_t length, double *to)
{
    const char *from = (const char *)matrix + row * length * bytes_of(dtype);
    if (dtype == ARITHMETIC_FP32)
        widen_some(ARITHMETIC_FP32, from, length, to);
    else if (dtype == ARITHMETIC_FP16)
        widen_some(ARITHMETIC_FP16, from, length, to);
    else
        widen_some(ARITHMETIC_BF16, from, length, to);
}

static inline __attribute__((always_inline)) void round_all(enum arithmetic dtype, const double *from,
                                                            char *to, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        char bits[LANES * sizeof(float)] __attribute__((uninitialized));
        doubles value;
        memcpy(&value, from + i, sizeof value);
        store(dtype, bits, canonical_bits(dtype, round_bits(dtype, value)), false);
        if (count - i >= LANES)
            memcpy(to + i * bytes_of(dtype), bits, LANES * bytes_of(dtype));
        else
            memcpy(to + i * bytes_of(dtype), bits, (count - i) * bytes_of(dtype));
    }
}

/* As many as a tile has, or fewer. */
static void round_row(enum arithmetic dtype, const double *from, char *to, size_t count)
{
    if (dtype == ARITHMETIC_FP32)
        round_all(ARITHMETIC_FP32, from, to, count);
    else if (dtype == ARITHMETIC_FP16)
        round_all(ARITHMETIC_FP16, from, to, count);
    else
        round_all(ARITHMETIC_BF16, from, to, count);
}

/* Room: TILE_ROWS rows, then so many tiles of rows of the second matrix, by columns: they stay in the cache
 * for all rows of the first. */
distances_function AT_LEVEL(distances);
void AT_LEVEL(distances)(const struct distances *plan, const void *first, const void *second, void *result,
                         double *room)
{
    const size_t length = plan->length, width = (size_t)TILES * TILE_COLUMNS;
    double *row = room, *column = room + TILE_ROWS * length;
    if (length > 0)
        memset(room, 0, (TILE_ROWS + width) * length * sizeof *room);
    for (size_t c = 0; c < plan->across; c += width) {
        const size_t columns = plan->across - c < width ? plan->across - c : width;
        for (size_t i = 0; i < columns; i++) {
            double *to = column + i / TILE_COLUMNS * TILE_COLUMNS * length + i % TILE_COLUMNS;
            widen_row(plan->dtype, second, c + i, length, row);
            for (size_t k = 0; k < length; k++)
                to[k * TILE_COLUMNS] = row[k];
        }
        for (size_t r = 0; r < plan->rows; r += TILE_ROWS) {
            const size_t rows = plan->rows - r < TILE_ROWS ? plan->rows - r : TILE_ROWS;
            for (size_t i = 0; i < rows; i++)
                widen_row(plan->dtype, first, r + i, length, row + i * length);
            for (size_t t = 0; t < columns; t += TILE_COLUMNS) {
                const size_t some = columns - t < TILE_COLUMNS ? columns - t : TILE_COLUMNS;
                double value[TILE_ROWS * TILE_COLUMNS] __attribute__((aligned(64), uninitialized));
                find_tile(row, column + t * length, length, plan->p, value);
                for (size_t i = 0; i < rows; i++)
                    round_row(plan->dtype, value + i * TILE_COLUMNS,
                              (char *)result + ((r + i) * plan->across + c + t) * bytes_of(plan->dtype),
                              some);
            }
        }
    }
}

enum { X1, X2, GRADIENT, DISTANCE };

static inline __attribute__((always_inline)) doubles rounded_as(enum arithmetic dtype, doubles value)
{
    char bits[LANES * sizeof(float)];
    store(dtype, bits, round_bits(dtype, value), false);
    return load(dtype, bits);
}

/* As a distance is. */
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
#include "ops/rows/rows.h"
#include "ops/window/plane_walk.h"

LEVEL_TABLE(distances_function, distances_functions, distances);
ROWS_LEVELS(cdist_backward);
static const struct rows backward_rows = {cdist_backward_rows, cdist_backward_rows_fp32, .is_roomless = true,
                                          .element_ps = 500};

enum { FIRST, SECOND, P, COMPUTE_MODE, OUT };
enum { GRAD, BACK_FIRST, BACK_SECOND, CDIST, BACK_P, BACK_OUT };

/* torch_npu has -1 for the infinite one of a gradient. */
static double p_of(const struct call *call, unsigned parameter)
{
    const double p = (double)call->argument[parameter].fp32;
    return p == -1 && parameter == BACK_P ? (double)INFINITY : p;
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
    TRY(check_dtype(call, FIRST));
    TRY(check_dtype(call, SECOND));
    TRY(check_same_dtype(call, SECOND, FIRST, NULL));
    TRY(check_matrices(call, FIRST));
    result->computed = call_dtype(call, FIRST);
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    TRY(find_shape(call, FIRST, &output->shape));
    return check_p(call, P);
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
    const struct tensor_view *first = &call->tensor[FIRST], *second = &call->tensor[SECOND];
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
                                   .p = (double)call->argument[P].fp32};
    const struct tensor_view mine = in_parts(first, shape, parts, false),
                             other = in_parts(second, shape, parts, true);
    const struct plane_request request = {.function = find_distances,
                                          .planes = (uint64_t)(batches * parts),
                                          .inputs = 2,
                                          .outputs = 1,
                                          .parameter = {FIRST, SECOND, OUT},
                                          .view = {&mine, &other},
                                          .room_bytes = (TILE_ROWS + TILES * TILE_COLUMNS) * plan.length *
                                                        sizeof(double),
                                          .plane_ns = plan.rows * plan.across * (5 + plan.length / 8),
                                          .parameters = &plan,
                                          .parameter_bytes = sizeof plan};
    return plane_walk_plan(call, &request);
}

#define FLT3 &dtypes_fp32_fp16_bf16
static const struct parameter parameters[] = {
    [FIRST] = READ("x1", FLT3, .sample = "2x3x4"),
    [SECOND] = READ("x2", FLT3, .sample = "2x5x4"),
    [P] = USUAL("p", FLOAT, "2"),
    [COMPUTE_MODE] = USUAL("compute_mode", INT64, "0"),
    [OUT] = WRITTEN("out", FLT3),
};
FUNCTION(aclnnCdist,
         (const aclTensor *x1, const aclTensor *x2, float p, int64_t compute_mode, aclTensor *out),
         (ARG(x1), ARG(x2), ARG(p), ARG(compute_mode), ARG(out)), .stem = "cdist", PARAMETERS(parameters),
         .promise = &promise_sum, .family = FAMILY_ROWS, PLANE_WALK, .infer = infer, .plan = plan);

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    struct shape distances;
    for (unsigned i = GRAD; i <= CDIST; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = BACK_FIRST; i <= CDIST; i++)
        TRY(check_same_dtype(call, i, GRAD, NULL));
    TRY(check_matrices(call, BACK_FIRST));
    TRY(find_shape(call, BACK_FIRST, &distances));
    TRY(check_same_shape(call, GRAD, CDIST, NULL));
    const struct shape own = shape_of(&call->tensor[GRAD]), of_first = shape_of(&call->tensor[BACK_FIRST]);
    bool fits = own.rank == distances.rank && of_first.rank == distances.rank;
    for (uint32_t i = 0; fits && i < own.rank; i++)
        fits = own.dim[i] == distances.dim[i] && (i + 2 >= own.rank || of_first.dim[i] == own.dim[i]);
    if (!fits)
        return refuse(call,
                      "grad and x1 are expected to have the batches of the distances, and grad a distance "
                      "of each row of x1 and x2");
    result->computed = call_dtype(call, BACK_FIRST);
    result_add(result, result->computed, DTYPE_EQUAL)->like = BACK_FIRST;
    return check_p(call, BACK_P);
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
    const struct tensor_view *first = &call->tensor[BACK_FIRST], *second = &call->tensor[BACK_SECOND];
    const uint32_t last = first->rank - 1;
    const struct tensor_view gradients = turned(&call->tensor[GRAD], last),
                             distances = turned(&call->tensor[CDIST], last);
    struct tensor_view padded = *second, mine, other;
    while (padded.rank < first->rank)
        padded = with_dim(&padded, 0);
    mine = with_dim(first, 0);
    padded = turned(&padded, last - 1); /* its rows, its batches, its elements */
    other = with_dim(&padded, last);
    const struct rows_tensor input[] = {{.parameter = BACK_FIRST, .part = ROWS_WHOLE, .view = &mine},
                                        {.parameter = BACK_SECOND, .part = ROWS_WHOLE, .view = &other},
                                        {.parameter = GRAD, .part = ROWS_SINGLE, .view = &gradients},
                                        {.parameter = CDIST, .part = ROWS_SINGLE, .view = &distances}};
    const struct rows_tensor output = ROWS_TENSOR(BACK_OUT, SUMS);
    const struct distance_numbers numbers = {p_of(call, BACK_P), arithmetic_of(result->computed)};
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

static const struct parameter backward_parameters[] = {
    [GRAD] = READ("grad", FLT3, .sample = "2x3x5"),
    [BACK_FIRST] = READ("x1", FLT3, .sample = "2x3x4"),
    [BACK_SECOND] = READ("x2", FLT3, .sample = "2x5x4"),
    [CDIST] = READ("cdist", FLT3, .sample = "2x3x5"),
    [BACK_P] = USUAL("p", FLOAT, "2"),
    [BACK_OUT] = WRITTEN("out", FLT3),
};
FUNCTION(aclnnCdistBackward,
         (const aclTensor *grad, const aclTensor *x1, const aclTensor *x2, const aclTensor *cdist, float p,
          aclTensor *out),
         (ARG(grad), ARG(x1), ARG(x2), ARG(cdist), ARG(p), ARG(out)), .stem = "cdist_backward",
         PARAMETERS(backward_parameters), .promise = &promise_sum, ROWS(&backward_rows),
         .infer = infer_backward, .plan = plan_backward);

#endif
