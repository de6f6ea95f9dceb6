/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers at equal distances. Arange and Range: start + k step, in doubles with one rounding before that to
 * out's dtype, in INT32 and INT64 in 64 bits that wrap. Linspace: start + k step in the first half, end - k
 * step from the end in the second, so that both ends are exact; LogSpace: base to the power of these.
 */
#include "simd/loops/rows_kernel.h"

#ifdef KERNEL_PASS

#include "simd/maths/power.h"
#include "simd/loops/row.h"

/* output = *parameters to the power of input, in doubles. */
rows_function AT_LEVEL(powers);
void AT_LEVEL(powers)(const void *const *input, void *const *output, size_t count, double *room,
                      const void *parameters)
{
    const doubles base = broadcast(*(const double *)parameters);
    (void)room;
    for (size_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, output[0], i,
                  maths_pow(base, row_load(ARITHMETIC_FP64, input[0], i, count - i)), count - i, true);
}

#else

#include <inttypes.h>
#include <math.h>

#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_log_space.h"
#include "aclnnop/aclnn_range.h"
#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/scalar.h"
#include "base/float_environment.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define ARANGE(X, of)                                                \
    X(of, SCALAR, start, &dtypes_floats_integers_bool, .usual = "0") \
    X(of, SCALAR, end, &dtypes_floats_integers_bool)                 \
    X(of, SCALAR, step, &dtypes_floats_integers_bool, .usual = "1")  \
    X(of, OUT, out, &dtypes_floats_int32_int64)
SIGNATURE(ARANGE)

__extension__ typedef __int128 wide;

struct progression {
    double start, end, step;
    int64_t first, distance; /* of whole numbers */
    int64_t steps;           /* of Linspace and LogSpace */
    double base;             /* of LogSpace */
    rows_function *powers;
};

static void make_numbers(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct progression *made = (const struct progression *)walk->parameters;
    double *value = (double *)elements;
    for (uint64_t i = 0; i < count; i++)
        value[i] = fma((double)(at + i), made->step, made->start);
}

static void make_whole(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct progression *made = (const struct progression *)walk->parameters;
    int64_t *value = (int64_t *)elements;
    for (uint64_t i = 0; i < count; i++)
        value[i] = (int64_t)((uint64_t)made->first + (at + i) * (uint64_t)made->distance);
}

static bool is_whole(aclDataType dtype)
{
    return dtype == ACL_INT32 || dtype == ACL_INT64;
}

static bool is_of_floats(const struct call *call)
{
    for (unsigned i = ARANGE_start; i <= ARANGE_step; i++) {
        const aclDataType dtype = call->scalar[i].dtype;
        if (dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE)
            return true;
    }
    return false;
}

static struct progression progression_of(const struct call *call)
{
    struct progression made = {.start = scalar_to_fp64(&call->scalar[ARANGE_start]),
                               .end = scalar_to_fp64(&call->scalar[ARANGE_end]),
                               .step = scalar_to_fp64(&call->scalar[ARANGE_step])};
    scalar_convert(&call->scalar[ARANGE_start], ACL_INT64, &made.first);
    scalar_convert(&call->scalar[ARANGE_step], ACL_INT64, &made.distance);
    return made;
}

/* How many numbers there are; below 0 where the step is 0, no number, or leads away from the end, and where
 * there would be 2^62 or more. */
static int64_t count_numbers(const struct call *call, bool whole, bool ends_with_end)
{
    const struct progression made = progression_of(call);
    const int64_t limit = INT64_C(1) << 62;
    if (whole) {
        int64_t end;
        scalar_convert(&call->scalar[ARANGE_end], ACL_INT64, &end);
        const wide distance = (wide)end - made.first, step = made.distance;
        if (step == 0 || (step > 0 && distance < 0) || (step < 0 && distance > 0))
            return -1;
        const wide steps = distance / step, count = steps + (ends_with_end || steps * step != distance);
        return count < limit ? (int64_t)count : -1;
    }
    struct float_environment saved = float_environment_enter();
    const double steps = (made.end - made.start) / made.step;
    const double count = ends_with_end ? floor(steps) + 1 : ceil(steps);
    const bool is_legal = made.step != 0 && steps >= 0 && count < (double)limit;
    float_environment_leave(saved);
    return is_legal ? (int64_t)count : -1;
}

static aclnnStatus infer_progression(const struct call *call, struct result *result, bool ends_with_end)
{
    const struct tensor_view *out = &call->tensor[ARANGE_out];
    for (unsigned i = ARANGE_start; i <= ARANGE_step; i++)
        TRY(check_dtype(call, i));
    const bool whole = call->has_outputs ? is_whole(out->dtype) : !is_of_floats(call);
    const int64_t count = count_numbers(call, whole, ends_with_end);
    if (count < 0)
        return refuse(call,
                      "start is %g, end is %g and step is %g, as the dtype of out has them; a step other "
                      "than 0 is expected that leads from start to end",
                      scalar_to_fp64(&call->scalar[ARANGE_start]), scalar_to_fp64(&call->scalar[ARANGE_end]),
                      scalar_to_fp64(&call->scalar[ARANGE_step]));
    if (call->has_outputs && ends_with_end && out->rank == 0)
        return refuse(call, "out has 0 dims; 1 or more are expected");
    result->computed = whole ? ACL_INT64 : ACL_FLOAT;
    struct output *output = result_add(result, result->computed, DTYPE_ANY);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = 1;
    output->shape.dim[0] = count;
    /* Programs that count in FLOAT may be out by one. */
    if (call->has_outputs && out->count >= count - 1 && out->count <= count + 1)
        output->shape.dim[0] = out->count;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_arange(const struct call *call, struct result *result)
{
    return infer_progression(call, result, false);
}

static aclnnStatus infer_range(const struct call *call, struct result *result)
{
    return infer_progression(call, result, true);
}

static aclnnStatus plan_progression(const struct call *call, const struct result *result)
{
    const struct progression made = progression_of(call);
    const bool whole = is_whole(call->tensor[ARANGE_out].dtype);
    struct numbered_request request =
        numbered_request(call, ARANGE_out, whole ? make_whole : make_numbers, whole ? ACL_INT64 : ACL_DOUBLE);
    (void)result;
    request.parameters = &made;
    request.parameter_bytes = sizeof made;
    return numbered_plan(call, &request, 1);
}

#define CREATE .family = FAMILY_CREATE, .promise = &promise_exact, NUMBERED

FUNCTION_OF(aclnnArange, ARANGE, .stem = "arange", CREATE, .infer = infer_arange, .plan = plan_progression);
FUNCTION_OF(aclnnRange, ARANGE, .stem = "range", CREATE, .infer = infer_range, .plan = plan_progression);

static void make_between(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct progression *made = (const struct progression *)walk->parameters;
    const uint64_t steps = (uint64_t)made->steps;
    const double step = steps > 1 ? (made->end - made->start) / (double)(steps - 1) : 0;
    double *value = (double *)elements;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t k = at + i;
        value[i] = steps == 1      ? made->start
                   : k < steps / 2 ? fma((double)k, step, made->start)
                                   : fma(-(double)(steps - 1 - k), step, made->end);
    }
}

static void make_powers(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct progression *made = (const struct progression *)walk->parameters;
    make_between(walk, at, count, elements);
    made->powers((const void *const[]){elements}, (void *const[]){elements}, (size_t)count, NULL,
                 &made->base);
}

static aclnnStatus infer_linspace(const struct call *call, struct result *result)
{
    const int64_t steps = call->argument[ARANGE_step].int64;
    TRY(check_dtype(call, ARANGE_start));
    TRY(check_dtype(call, ARANGE_end));
    if (steps < 0)
        return refuse(call, "steps is %" PRId64 "; 0 or more is expected", steps);
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result, ACL_FLOAT, DTYPE_ANY);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = 1;
    output->shape.dim[0] = steps;
    return ACLNN_SUCCESS;
}

LEVEL_TABLE(rows_function, powers, powers);

/* LogSpace has a base behind steps. */
static aclnnStatus plan_linspace(const struct call *call, const struct result *result)
{
    const bool has_base = call->function->parameter_count > ARANGE_out + 1;
    const struct progression made = {.start = scalar_to_fp64(&call->scalar[ARANGE_start]),
                                     .end = scalar_to_fp64(&call->scalar[ARANGE_end]),
                                     .steps = call->argument[ARANGE_step].int64,
                                     .base = has_base ? call->argument[ARANGE_step + 1].fp64 : 0,
                                     .powers = powers[call->settings->isa]};
    struct numbered_request request =
        numbered_request(call, call_output(call), has_base ? make_powers : make_between, ACL_DOUBLE);
    (void)result;
    request.element_ps = has_base ? 5000 : request.element_ps;
    request.parameters = &made;
    request.parameter_bytes = sizeof made;
    return numbered_plan(call, &request, 1);
}

#define LINSPACE(X, of)                               \
    X(of, SCALAR, start, &dtypes_reals, .usual = "0") \
    X(of, SCALAR, end, &dtypes_reals, .usual = "1")   \
    X(of, INT64, steps, .sample = "5")                \
    X(of, OUT, out, &dtypes_floats_integers)
SIGNATURE(LINSPACE)

FUNCTION_OF(aclnnLinspace, LINSPACE, .stem = "linspace", CREATE, .infer = infer_linspace,
            .plan = plan_linspace);

#define LOG_SPACE(X, of)                              \
    X(of, SCALAR, start, &dtypes_reals, .usual = "0") \
    X(of, SCALAR, end, &dtypes_reals, .usual = "1")   \
    X(of, INT64, steps, .sample = "5")                \
    X(of, DOUBLE, base, .usual = "10")                \
    X(of, OUT, result, &dtypes_floats_integers)
SIGNATURE(LOG_SPACE)

FUNCTION_OF(aclnnLogSpace, LOG_SPACE, .stem = "log_space", .family = FAMILY_CREATE, .promise = &promise_ulp1,
            NUMBERED, .infer = infer_linspace, .plan = plan_linspace);

#endif
