/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest or least element along a dim with its place, and the one up to each element. NaN is before
 * every number, -0 equals +0. Of equal elements the first counts, of those up to an element the latest.
 */
#include "simd/loops/scan_kernel.h"

#ifdef KERNEL_PASS

/* The maths: whole numbers that order as the elements do; flip turns the order round, but for NaN. */
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

/* Without branches; a shift by all bits but one makes a mask of a sign. */
#define FLOAT_KEY(name, type, most, infinity)                                          \
    static inline type name(type bits, type flip)                                      \
    {                                                                                  \
        const int all = 8 * (int)sizeof(type) - 1;                                     \
        const type size = bits & (most), is_zero = (size - 1) >> all;                  \
        const type is_nan = ((infinity)-size) >> all;                                  \
        const type order = (bits ^ (bits >> all & (most))) & ~is_zero; /* of -0 too */ \
        return ((order ^ flip) & ~is_nan) | ((most)&is_nan);                           \
    }
#define INTEGER_KEY(name, type)                   \
    static inline type name(type bits, type flip) \
    {                                             \
        return bits ^ flip;                       \
    }

FLOAT_KEY(key_fp32, int32_t, INT32_MAX, 0x7f800000)
FLOAT_KEY(key_fp64, int64_t, INT64_MAX, INT64_C(0x7ff0000000000000))
INTEGER_KEY(key_int32, int32_t)
INTEGER_KEY(key_int64, int64_t)

/*
 * The greatest keys of so many lines side by side, STRIP where that is constant, and where they are. A line
 * alone is one of rows that lie side by side, STRIP elements each; of its STRIP places the best one counts.
 * Rows are numbered in the size of keys.
 */
enum { ROWS = 1 << 20, STRIP = 32 };

#define EXTREME(name, type, bits, key)                                                                       \
    static inline __attribute__((always_inline)) void name##_strip(                                          \
        const bits *input, int64_t step, type flip, size_t count, size_t width, type *greatest, type *row)   \
    {                                                                                                        \
        type best[STRIP] __attribute__((uninitialized)), place[STRIP] __attribute__((uninitialized));        \
        for (size_t k = 0; k < width; k++) {                                                                 \
            best[k] = greatest[k];                                                                           \
            place[k] = -1;                                                                                   \
        }                                                                                                    \
        for (size_t i = 0; i < count; i++, input += step)                                                    \
            for (size_t k = 0; k < width; k++) {                                                             \
                const type own = key(input[k], flip);                                                        \
                place[k] = own > best[k] ? (type)i : place[k];                                               \
                best[k] = own > best[k] ? own : best[k];                                                     \
            }                                                                                                \
        for (size_t k = 0; k < width; k++) {                                                                 \
            greatest[k] = best[k];                                                                           \
            row[k] = place[k];                                                                               \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_whole_strip(const bits *input, int64_t step, type flip, size_t count, type *greatest, \
                                   type *row)                                                                \
    {                                                                                                        \
        name##_strip(input, step, flip, count, STRIP, greatest, row);                                        \
    }                                                                                                        \
    static void name##_line(const struct scan_piece *piece)                                                  \
    {                                                                                                        \
        const bits *input = (const bits *)piece->input;                                                      \
        const type flip = -(type)piece->is_least;                                                            \
        type best = piece->begins ? key(input[0], flip) : (type)piece->state[0], greatest[STRIP],            \
             row[STRIP];                                                                                     \
        int64_t place = piece->begins ? piece->first : piece->state[SCAN_WIDTH];                             \
        for (size_t i = 0; i < piece->length; i += (size_t)ROWS * STRIP) {                                   \
            const size_t left = (piece->length - i) / STRIP, rows = left < ROWS ? left : ROWS;               \
            const type before = best;                                                                        \
            int64_t in_block = INT64_MAX;                                                                    \
            for (size_t k = 0; k < STRIP; k++)                                                               \
                greatest[k] = before;                                                                        \
            name##_whole_strip(input + i, STRIP, flip, rows, greatest, row);                                 \
            for (size_t k = 0; k < STRIP; k++) {                                                             \
                const int64_t own = (int64_t)row[k] * STRIP + (int64_t)k;                                    \
                if (row[k] >= 0 && (greatest[k] > best || (greatest[k] == best && own < in_block))) {        \
                    best = greatest[k];                                                                      \
                    in_block = own;                                                                          \
                }                                                                                            \
            }                                                                                                \
            if (in_block != INT64_MAX)                                                                       \
                place = piece->first + (int64_t)i + in_block;                                                \
            for (size_t k = rows * STRIP; k < piece->length - i && rows < ROWS; k++)                         \
                if (key(input[i + k], flip) > best) {                                                        \
                    best = key(input[i + k], flip);                                                          \
                    place = piece->first + (int64_t)(i + k);                                                 \
                }                                                                                            \
        }                                                                                                    \
        piece->state[0] = best;                                                                              \
        piece->state[SCAN_WIDTH] = place;                                                                    \
    }                                                                                                        \
    static void name(const struct scan_piece *piece)                                                         \
    {                                                                                                        \
        const bits *input = (const bits *)piece->input;                                                      \
        const type flip = -(type)piece->is_least;                                                            \
        type greatest[STRIP], row[STRIP];                                                                    \
        if (piece->width == 1 && piece->step == 1) {                                                         \
            name##_line(piece);                                                                              \
            return;                                                                                          \
        }                                                                                                    \
        for (size_t k = 0; k < piece->width && piece->begins; k++) {                                         \
            piece->state[k] = key(input[k], flip);                                                           \
            piece->state[SCAN_WIDTH + k] = piece->first;                                                     \
        }                                                                                                    \
        for (size_t i = 0; i < piece->length; i += ROWS, input += ROWS * piece->step) {                      \
            const size_t count = piece->length - i < ROWS ? piece->length - i : ROWS;                        \
            for (size_t k = 0; k < piece->width; k += STRIP) {                                               \
                const size_t width = piece->width - k < STRIP ? piece->width - k : STRIP;                    \
                int64_t *state = piece->state + k;                                                           \
                for (size_t n = 0; n < width; n++)                                                           \
                    greatest[n] = (type)state[n];                                                            \
                if (width == STRIP)                                                                          \
                    name##_whole_strip(input + k, piece->step, flip, count, greatest, row);                  \
                else                                                                                         \
                    name##_strip(input + k, piece->step, flip, count, width, greatest, row);                 \
                for (size_t n = 0; n < width; n++) {                                                         \
                    state[n] = greatest[n];                                                                  \
                    if (row[n] >= 0)                                                                         \
                        state[SCAN_WIDTH + n] = piece->first + (int64_t)i + row[n];                          \
                }                                                                                            \
            }                                                                                                \
        }                                                                                                    \
    }

EXTREME(extreme_fp32, int32_t, bits32, key_fp32)
EXTREME(extreme_fp64, int64_t, bits64, key_fp64)
EXTREME(extreme_int32, int32_t, bits32, key_int32)
EXTREME(extreme_int64, int64_t, bits64, key_int64)

/* The rows of the greatest keys up to each, of so many lines side by side, STRIP where that is constant. */
#define RUNNING(name, type, bits, key)                                                                 \
    static inline __attribute__((always_inline)) void name##_strip(const struct scan_piece *piece,     \
                                                                   size_t line, size_t width)          \
    {                                                                                                  \
        const bits *input = (const bits *)piece->input + line;                                         \
        int32_t *output = (int32_t *)piece->output + line, made[STRIP] __attribute__((uninitialized)); \
        const type flip = -(type)piece->is_least;                                                      \
        type best[STRIP] __attribute__((uninitialized)), row[STRIP] __attribute__((uninitialized));    \
        for (size_t k = 0; k < width; k++) {                                                           \
            best[k] = piece->begins ? key(input[k], flip) : (type)piece->state[line + k];              \
            row[k] = -1;                                                                               \
        }                                                                                              \
        for (size_t i = 0; i < piece->length; i++) {                                                   \
            for (size_t k = 0; k < width; k++) {                                                       \
                const type own = key(input[k], flip);                                                  \
                row[k] = own >= best[k] ? (type)i : row[k];                                            \
                best[k] = own >= best[k] ? own : best[k];                                              \
                made[k] = (int32_t)row[k];                                                             \
            }                                                                                          \
            memcpy(output, made, width * sizeof *made);                                                \
            input += piece->step;                                                                      \
            output += piece->output_step;                                                              \
        }                                                                                              \
        for (size_t k = 0; k < width; k++)                                                             \
            piece->state[line + k] = best[k];                                                          \
    }                                                                                                  \
    static void name##_line(const struct scan_piece *piece, size_t line)                               \
    {                                                                                                  \
        const bits *input = (const bits *)piece->input + line;                                         \
        int32_t *output = (int32_t *)piece->output + line, row = -1;                                   \
        const type flip = -(type)piece->is_least;                                                      \
        type best = piece->begins ? key(*input, flip) : (type)piece->state[line];                      \
        const int64_t step = piece->step, output_step = piece->output_step;                            \
        for (size_t i = 0, count; i < piece->length; i += count) {                                     \
            type most = INT8_MIN * ((type)1 << (8 * sizeof(type) - 8));                                \
            count = piece->length - i < STRIP ? piece->length - i : STRIP;                             \
            if (step == 1 && output_step == 1 && count == STRIP) {                                     \
                for (size_t k = 0; k < STRIP; k++) {                                                   \
                    const type own = key(input[i + k], flip);                                          \
                    most = own > most ? own : most;                                                    \
                }                                                                                      \
                for (size_t k = 0; k < STRIP && most < best; k++) /* most strips have no new one */    \
                    output[i + k] = row;                                                               \
                if (most < best)                                                                       \
                    continue;                                                                          \
            }                                                                                          \
            for (size_t k = i; k < i + count; k++) {                                                   \
                const type own = key(input[(int64_t)k * step], flip);                                  \
                row = own >= best ? (int32_t)k : row;                                                  \
                best = own >= best ? own : best;                                                       \
                output[(int64_t)k * output_step] = row;                                                \
            }                                                                                          \
        }                                                                                              \
        piece->state[line] = best;                                                                     \
    }                                                                                                  \
    static void name(const struct scan_piece *piece)                                                   \
    {                                                                                                  \
        size_t line = 0;                                                                               \
        for (; line + STRIP <= piece->width; line += STRIP)                                            \
            name##_strip(piece, line, STRIP);                                                          \
        for (; line < piece->width; line++)                                                            \
            name##_line(piece, line);                                                                  \
    }

RUNNING(running_fp32, int32_t, bits32, key_fp32)
RUNNING(running_fp64, int64_t, bits64, key_fp64)
RUNNING(running_int32, int32_t, bits32, key_int32)
RUNNING(running_int64, int64_t, bits64, key_int64)

SCAN_KERNELS(extremes) = {extreme_fp32, extreme_fp64, extreme_int32, extreme_int64};
SCAN_KERNELS(running) = {running_fp32, running_fp64, running_int32, running_int64};

#else

/* The contract. */
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argmin.h"
#include "aclnnop/aclnn_cummax.h"
#include "aclnnop/aclnn_cummin.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_min_dim.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/reduction/reduce.h"
#include "ops/scan/scan.h"

SCAN_LEVELS(extremes);
SCAN_LEVELS(running);

enum { SELF, DIM, KEEP_DIM };

/* What the kernels see: the float or integer that has all of the dtype's numbers. */
static aclDataType computed_of(aclDataType dtype)
{
    return dtype == ACL_DOUBLE || dtype == ACL_INT64 || dtype == ACL_FLOAT ? dtype
           : dtype == ACL_FLOAT16 || dtype == ACL_BF16                     ? ACL_FLOAT
                                                                           : ACL_INT32;
}

static unsigned outputs_of(const struct call *call)
{
    return call->function->parameter_count - 1 - call_written(call, 0) + 1;
}

/* What of_family of these functions is: whether the least element is asked for. */
static const bool least = true, greatest = false;

/* Indices are INT32 or INT64, whichever was given. */
static void set_indices(const struct call *call, struct output *output)
{
    const unsigned indices = call->function->parameter_count - 1;
    output->dtype = ACL_INT64;
    if (call->has_outputs && call_dtype(call, indices) == ACL_INT32)
        output->dtype = ACL_INT32;
}

static aclnnStatus infer_extreme(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF];
    const bool keeps = call->argument[KEEP_DIM].boolean;
    axes reduced;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_axis(call, SELF, DIM, &reduced));
    if (outputs_of(call) == 2)
        (void)result_reduced(result, call, SELF, reduced, keeps, self->dtype, DTYPE_EQUAL);
    struct output *output = result_reduced(result, call, SELF, reduced, keeps, ACL_INT64, DTYPE_EQUAL);
    set_indices(call, output);
    for (uint32_t i = 0; i < self->rank; i++)
        if ((reduced >> i & 1) == 0 && self->shape[i] == 0)
            return ACLNN_SUCCESS;
    if (self->count == 0)
        return refuse(call, "dim names a dim of self that has size 0; a size of 1 or more is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_running(const struct call *call, struct result *result)
{
    uint32_t dim;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_dim(call, DIM, call->argument[DIM].int64, call->tensor[SELF].rank, &dim));
    result_like(result, call, SELF);
    struct output *output = result_add(result, ACL_INT64, DTYPE_EQUAL);
    output->like = SELF;
    set_indices(call, output);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_along(const struct call *call, enum scan_kind kind,
                              const struct scan_kernels *const *kernels)
{
    if (call->tensor[SELF].count == 0)
        return call_idle(call);
    const int indices = (int)call->function->parameter_count - 1;
    const struct scan_request request = {
        .kind = kind,
        .kernels = kernels,
        .self = SELF,
        .values = outputs_of(call) == 2 ? indices - 1 : SCAN_NONE,
        .indices = indices,
        .dim = scan_dim(call, SELF, call->argument[DIM].int64),
        .cast = call_dtype(call, SELF),
        .computed = computed_of(call_dtype(call, SELF)),
        .is_least = *(const bool *)call->function->of_family,
        .element_ps = kind == SCAN_LAST ? 300 : 3000,
    };
    return scan_plan(call, &request);
}

static aclnnStatus plan_extreme(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_along(call, SCAN_LAST, extremes_scan_kernels);
}

static aclnnStatus plan_running(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_along(call, SCAN_PLACES, running_scan_kernels);
}

#define EXTREME_PARAMETERS(stem, values, indices)         \
    static const struct parameter stem##_parameters[] = { \
        READ("self", &dtypes_floats_integers_bool),       \
        USUAL("dim", INT64, "-1"),                        \
        USUAL("keepdim", BOOL, "false"),                  \
        WRITTEN(values, &dtypes_floats_integers_bool),    \
        WRITTEN(indices, &dtypes_int32_int64),            \
    };
EXTREME_PARAMETERS(extreme, "out", "indices")

static const struct parameter place_parameters[] = {
    READ("self", &dtypes_floats_integers_on_950_uint16),
    USUAL("dim", INT64, "-1"),
    USUAL("keepdim", BOOL, "false"),
    WRITTEN("out", &dtypes_int32_int64),
};

static const struct parameter running_parameters[] = {
    READ("self", &dtypes_floats_integers_bool),
    USUAL("dim", INT64, "-1"),
    WRITTEN("valuesOut", &dtypes_floats_integers_bool),
    WRITTEN("indicesOut", &dtypes_int32_int64),
};

#define EXTREME_FUNCTION(api, stem_, which)                                                               \
    FUNCTION(api, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out, aclTensor *indices), \
             (ARG(self), ARG(dim), ARG(keepdim), ARG(out), ARG(indices)), .stem = (stem_),                \
             PARAMETERS(extreme_parameters), SCAN, .of_family = &(which), .promise = &promise_exact,      \
             .infer = infer_extreme, .plan = plan_extreme)
#define PLACE_FUNCTION(api, stem_, which)                                                                  \
    FUNCTION(api, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out),                      \
             (ARG(self), ARG(dim), ARG(keepdim), ARG(out)), .stem = (stem_), PARAMETERS(place_parameters), \
             SCAN, .of_family = &(which), .promise = &promise_exact, .infer = infer_extreme,               \
             .plan = plan_extreme)
#define RUNNING_FUNCTION(api, stem_, which)                                                          \
    FUNCTION(api, (const aclTensor *self, int64_t dim, aclTensor *valuesOut, aclTensor *indicesOut), \
             (ARG(self), ARG(dim), ARG(valuesOut), ARG(indicesOut)), .stem = (stem_),                \
             PARAMETERS(running_parameters), SCAN, .of_family = &(which), .promise = &promise_exact, \
             .infer = infer_running, .plan = plan_running)

EXTREME_FUNCTION(aclnnMaxDim, "max_dim", greatest);
EXTREME_FUNCTION(aclnnMinDim, "min_dim", least);
PLACE_FUNCTION(aclnnArgMax, "argmax", greatest);
PLACE_FUNCTION(aclnnArgMin, "argmin", least);
RUNNING_FUNCTION(aclnnCummax, "cummax", greatest);
RUNNING_FUNCTION(aclnnCummin, "cummin", least);

#endif
