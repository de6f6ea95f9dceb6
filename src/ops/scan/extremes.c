/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest or least element along a dim with its place, and the one up to each element. NaN is before
 * every number, -0 equals +0. Of equal elements the first counts, of those up to an element the latest.
 */
#include "ops/scan/scan.h"

#ifdef KERNEL_PASS

/* The maths: whole numbers that order as the elements do; flip turns the order round, but for NaN. */
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

#define FLOAT_KEY(name, type, most, infinity)                                   \
    static inline type name(type bits, type flip)                               \
    {                                                                           \
        const type size = bits & (most), sign = -(type)(bits < 0);              \
        const type order = size == 0 ? 0 : bits ^ (sign & (most)); /* -0 too */ \
        return size > (infinity) ? (most) : order ^ flip;                       \
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
 * The greatest key of a line: of a block at a time, whose place is looked for where it is greater than those
 * before. Of lines side by side, the places in a block are numbers of the keys' size.
 */
enum { BLOCK = 1 << 12 };

#define EXTREME(name, type, bits, key)                                                                \
    static inline                                                                                     \
        __attribute__((always_inline)) void name##_line(const struct scan_piece *piece, int64_t step) \
    {                                                                                                 \
        const bits *input = (const bits *)piece->input;                                               \
        const type flip = -(type)piece->is_least;                                                     \
        type best = (type)piece->state[0];                                                            \
        bool begins = piece->begins;                                                                  \
        for (size_t i = 0; i < piece->length; i += BLOCK, input += BLOCK * step) {                    \
            const size_t count = piece->length - i < BLOCK ? piece->length - i : BLOCK;               \
            type most = key(input[0], flip);                                                          \
            for (size_t j = 0; j < count; j++) {                                                      \
                const type own = key(input[(int64_t)j * step], flip);                                 \
                most = own > most ? own : most;                                                       \
            }                                                                                         \
            if (!begins && most <= best)                                                              \
                continue;                                                                             \
            size_t place = 0;                                                                         \
            while (key(input[(int64_t)place * step], flip) != most)                                   \
                place++;                                                                              \
            best = most;                                                                              \
            begins = false;                                                                           \
            piece->state[SCAN_WIDTH] = piece->first + (int64_t)(i + place);                           \
        }                                                                                             \
        piece->state[0] = best;                                                                       \
    }                                                                                                 \
    static inline __attribute__((always_inline)) void name##_block(                                   \
        const struct scan_piece *piece, const bits *input, size_t count, int64_t first, size_t width) \
    {                                                                                                 \
        const type flip = -(type)piece->is_least;                                                     \
        type best[SCAN_WIDTH] __attribute__((uninitialized)), place[SCAN_WIDTH];                      \
        for (size_t k = 0; k < width; k++) {                                                          \
            best[k] = (type)piece->state[k];                                                          \
            place[k] = -1;                                                                            \
        }                                                                                             \
        for (size_t i = 0; i < count; i++, input += piece->step)                                      \
            for (size_t k = 0; k < width; k++) {                                                      \
                const type own = key(input[k], flip);                                                 \
                place[k] = own > best[k] ? (type)i : place[k];                                        \
                best[k] = own > best[k] ? own : best[k];                                              \
            }                                                                                         \
        for (size_t k = 0; k < width; k++) {                                                          \
            piece->state[k] = best[k];                                                                \
            if (place[k] >= 0)                                                                        \
                piece->state[SCAN_WIDTH + k] = first + place[k];                                      \
        }                                                                                             \
    }                                                                                                 \
    static void name(const struct scan_piece *piece)                                                  \
    {                                                                                                 \
        const bits *input = (const bits *)piece->input;                                               \
        if (piece->width == 1 && piece->step == 1) {                                                  \
            name##_line(piece, 1);                                                                    \
            return;                                                                                   \
        }                                                                                             \
        for (size_t k = 0; k < piece->width && piece->begins; k++) {                                  \
            piece->state[k] = key(input[k], -(type)piece->is_least);                                  \
            piece->state[SCAN_WIDTH + k] = piece->first;                                              \
        }                                                                                             \
        for (size_t i = 0; i < piece->length; i += BLOCK, input += BLOCK * piece->step) {             \
            const size_t count = piece->length - i < BLOCK ? piece->length - i : BLOCK;               \
            if (piece->width == SCAN_WIDTH)                                                           \
                name##_block(piece, input, count, piece->first + (int64_t)i, SCAN_WIDTH);             \
            else                                                                                      \
                name##_block(piece, input, count, piece->first + (int64_t)i, piece->width);           \
        }                                                                                             \
    }

EXTREME(extreme_fp32, int32_t, bits32, key_fp32)
EXTREME(extreme_fp64, int64_t, bits64, key_fp64)
EXTREME(extreme_int32, int32_t, bits32, key_int32)
EXTREME(extreme_int64, int64_t, bits64, key_int64)

/* The place of the greatest key up to each. */
#define RUNNING(name, type, bits, key)                                                                 \
    static inline                                                                                      \
        __attribute__((always_inline)) void name##_lines(const struct scan_piece *piece, size_t width) \
    {                                                                                                  \
        const bits *input = (const bits *)piece->input;                                                \
        int64_t *output = (int64_t *)piece->output;                                                    \
        const type flip = -(type)piece->is_least;                                                      \
        int64_t best[SCAN_WIDTH] __attribute__((uninitialized)),                                       \
            place[SCAN_WIDTH] __attribute__((uninitialized));                                          \
        for (size_t k = 0; k < width; k++) {                                                           \
            best[k] = piece->begins ? INT64_MIN : piece->state[k];                                     \
            place[k] = piece->state[SCAN_WIDTH + k];                                                   \
        }                                                                                              \
        for (size_t i = 0; i < piece->length; i++) {                                                   \
            for (size_t k = 0; k < width; k++) {                                                       \
                const int64_t own = key(input[k], flip);                                               \
                place[k] = own >= best[k] ? piece->first + (int64_t)i : place[k];                      \
                best[k] = own >= best[k] ? own : best[k];                                              \
                output[k] = place[k];                                                                  \
            }                                                                                          \
            input += piece->step;                                                                      \
            output += piece->output_step;                                                              \
        }                                                                                              \
        memcpy(piece->state, best, width * sizeof *best);                                              \
        memcpy(piece->state + SCAN_WIDTH, place, width * sizeof *place);                               \
    }                                                                                                  \
    static void name(const struct scan_piece *piece)                                                   \
    {                                                                                                  \
        if (piece->width == 1)                                                                         \
            name##_lines(piece, 1);                                                                    \
        else                                                                                           \
            name##_lines(piece, piece->width);                                                         \
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
#include "ops/dtype_bits.h"
#include "ops/reduction/reduce.h"

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

static bool is_least(const struct call *call)
{
    return strstr(call->function->stem, "min") != NULL;
}

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
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: dim names a dim of self that has size 0; a size of 1 or "
                    "more is expected",
                    call->function->operation.name);
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
        .is_least = is_least(call),
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

static const struct dtype_set positioned =
    SET_WITH_BF16_AND(BITS_REALS & ~DTYPE_BIT(ACL_BOOL), 0, DTYPE_BIT(ACL_UINT16));

#define EXTREME_PARAMETERS(stem, values, indices)                                  \
    static const struct parameter stem##_parameters[] = {                          \
        READ("self", &dtypes_real_scalars), USUAL("dim", INT64, "-1"),             \
        USUAL("keepdim", BOOL, "false"),    WRITTEN(values, &dtypes_real_scalars), \
        WRITTEN(indices, &dtypes_indices),                                         \
    };
EXTREME_PARAMETERS(extreme, "out", "indices")

static const struct parameter place_parameters[] = {
    READ("self", &positioned),
    USUAL("dim", INT64, "-1"),
    USUAL("keepdim", BOOL, "false"),
    WRITTEN("out", &dtypes_indices),
};

static const struct parameter running_parameters[] = {
    READ("self", &dtypes_real_scalars),
    USUAL("dim", INT64, "-1"),
    WRITTEN("valuesOut", &dtypes_real_scalars),
    WRITTEN("indicesOut", &dtypes_indices),
};

#define EXTREME_FUNCTION(api, stem_)                                                                      \
    FUNCTION(api, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out, aclTensor *indices), \
             (ARG(self), ARG(dim), ARG(keepdim), ARG(out), ARG(indices)), .stem = (stem_),                \
             PARAMETERS(extreme_parameters), SCAN, .promise = &promise_exact, .infer = infer_extreme,     \
             .plan = plan_extreme)
#define PLACE_FUNCTION(api, stem_)                                                                         \
    FUNCTION(api, (const aclTensor *self, int64_t dim, bool keepdim, aclTensor *out),                      \
             (ARG(self), ARG(dim), ARG(keepdim), ARG(out)), .stem = (stem_), PARAMETERS(place_parameters), \
             SCAN, .promise = &promise_exact, .infer = infer_extreme, .plan = plan_extreme)
#define RUNNING_FUNCTION(api, stem_)                                                                  \
    FUNCTION(api, (const aclTensor *self, int64_t dim, aclTensor *valuesOut, aclTensor *indicesOut),  \
             (ARG(self), ARG(dim), ARG(valuesOut), ARG(indicesOut)), .stem = (stem_),                 \
             PARAMETERS(running_parameters), SCAN, .promise = &promise_exact, .infer = infer_running, \
             .plan = plan_running)

EXTREME_FUNCTION(aclnnMaxDim, "max_dim");
EXTREME_FUNCTION(aclnnMinDim, "min_dim");
PLACE_FUNCTION(aclnnArgMax, "argmax");
PLACE_FUNCTION(aclnnArgMin, "argmin");
RUNNING_FUNCTION(aclnnCummax, "cummax");
RUNNING_FUNCTION(aclnnCummin, "cummin");

#endif
