/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements of pictures and volumes at places that a grid names, between -1 and 1 along each axis, by means of
 * neighbours; and the gradients of input and grid.
 *
 * Along an axis of n elements x is at ((x + 1) n - 1) / 2, or with alignCorners at (x + 1) (n - 1) / 2: in
 * FLOAT, but in DOUBLE beside DOUBLE. Means and gradients are computed in DOUBLE, in row-major order of the
 * result, and rounded once. A place that is NaN is outside where zeros lie there, and 0 otherwise; one that
 * is infinite is at the border, and 0 where it would be reflected.
 */
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"
#include "ops/check.h"
#include "ops/rows/normalise.h"
#include "ops/window/grid_sampler.h"
#include "ops/loops/plane_walk.h"
#include "ops/signature.h"
#include "ops/window/pool.h"

LEVEL_TABLE(grid_sample, sample_of, grid_sample);
LEVEL_TABLE(grid_spread, spread_of, grid_spread);

/* Doubles that a part of the channels has room for; the most places that are sampled at a time where there is
 * room, so that their grid and results stay in the caches. */
enum { ROOM_ELEMENTS = 1 << 18, PLACES_MAX = 512 };

struct sampler_plan {
    struct sampled sampled;
    grid_sample *sample;
    grid_spread *spread;
};

_Static_assert(sizeof(struct sampler_plan) <= PLANE_PARAMETERS, "it is what plane functions are given");

/* How many places are sampled at a time where there is room. */
static uint64_t places_at_once(const struct sampled *plan)
{
    return plan->places < PLACES_MAX ? plan->places : PLACES_MAX;
}

/* Samples some channels. Room, unless they are floats: some places' grid and results, and the elements, as
 * doubles. */
static int64_t sample_planes(const struct plane_walk *walk, const void *const *input, void *const *output,
                             void *room)
{
    const struct sampler_plan *plan = (const struct sampler_plan *)(const void *)walk->parameters;
    const struct sampled *sampled = &plan->sampled;
    const uint64_t bytes = dtype_bytes(sampled->dtype), most = places_at_once(sampled);
    if (sampled->dtype == ACL_FLOAT) {
        plan->sample(sampled, input[1], sampled->places, input[0], output[0], sampled->places);
        return -1;
    }
    double *grid = room, *result = grid + most * sampled->axes, *plane = result + most * sampled->channels;
    plane_convert(walk, input[0], sampled->dtype, plane, ACL_DOUBLE,
                  sampled->channels * elements_of(sampled));
    for (uint64_t i = 0, count; i < sampled->places; i += count) {
        count = sampled->places - i < most ? sampled->places - i : most;
        plane_convert(walk, (const unsigned char *)input[1] + i * sampled->axes * bytes, sampled->dtype, grid,
                      ACL_DOUBLE, count * sampled->axes);
        plan->sample(sampled, grid, count, plane, result, most);
        for (uint64_t c = 0; c < sampled->channels; c++)
            plane_convert(walk, result + c * most, ACL_DOUBLE,
                          (unsigned char *)output[0] + (c * sampled->places + i) * bytes, sampled->dtype,
                          count);
    }
    return -1;
}

static void store_gradient(const struct plane_walk *walk, aclDataType dtype, double *from, void *to,
                           uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        from[i] = from[i] == from[i] ? from[i] : (double)NAN;
    plane_convert(walk, from, ACL_DOUBLE, to, dtype, count);
}

/* Spreads the gradients of all channels. Room: gradients, inputs, grid, and both results, as doubles. */
static int64_t spread_planes(const struct plane_walk *walk, const void *const *input, void *const *output,
                             void *room)
{
    const struct sampler_plan *plan = (const struct sampler_plan *)(const void *)walk->parameters;
    const struct sampled *sampled = &plan->sampled;
    const uint64_t elements = sampled->channels * elements_of(sampled),
                   numbers = sampled->places * sampled->axes, gradients = sampled->channels * sampled->places;
    double *gradient = room, *plane = gradient + gradients, *grid = plane + elements,
           *input_grad = grid + numbers, *grid_grad = input_grad + elements;
    plane_convert(walk, input[0], sampled->dtype, gradient, ACL_DOUBLE, gradients);
    plane_convert(walk, input[1], sampled->dtype, plane, ACL_DOUBLE, elements);
    plane_convert(walk, input[2], sampled->dtype, grid, ACL_DOUBLE, numbers);
    memset(input_grad, 0, (elements + numbers) * sizeof *input_grad);
    plan->spread(sampled, grid, gradient, plane, input_grad, grid_grad);
    if (sampled->has_input_grad)
        store_gradient(walk, sampled->dtype, input_grad, output[0], elements);
    if (sampled->has_grid_grad)
        store_gradient(walk, sampled->dtype, grid_grad, output[sampled->has_input_grad ? 1 : 0], numbers);
    return -1;
}

/* Parameters of a gradient lie one further on: gradOutput is first. */
struct sampler {
    uint32_t axes;
    bool is_gradient;
};
static const char *const modes[] = {"bilinear", "nearest", "bicubic", NULL};
static const char *const modes_of_volumes[] = {"bilinear", "nearest", NULL};
static const char *const paddings[] = {"zeros", "border", "reflection", NULL};

#define TENSOR(X, of, name, sample_) X(of, IN, name, &dtypes_floats, .sample = sample_)
#define GRADIENT(X, of, name)        X(of, OUT, name, &dtypes_floats, .is_optional = true)
#define SAMPLED(X, of, modes, input_, grid_)                               \
    TENSOR(X, of, input, input_)                                           \
    TENSOR(X, of, grid, grid_)                                             \
    X(of, INT64, interpolationMode, .choices = modes, .usual = "bilinear") \
    X(of, INT64, paddingMode, .choices = paddings, .usual = "zeros")       \
    X(of, BOOL, alignCorners, .usual = "false")
#define SAMPLES(X, of, modes, input_, grid_) \
    SAMPLED(X, of, modes, input_, grid_) X(of, OUT, out, &dtypes_floats)
SIGNATURE_PLACES(SAMPLES, , , )
#define BACKWARD(X, of, modes, input_, grid_, result) \
    TENSOR(X, of, gradOutput, result)                 \
    SAMPLED(X, of, modes, input_, grid_)              \
    X(of, BOOLS, outputMask, .usual = "true,true")    \
    GRADIENT(X, of, inputGrad)                        \
    GRADIENT(X, of, gridGrad)
SIGNATURE_PLACES(BACKWARD, , , , )

static const struct sampler *sampler_of(const struct call *call)
{
    return (const struct sampler *)call->function->of_family;
}

static aclnnStatus check_shapes(const struct call *call, unsigned input, unsigned grid)
{
    const struct tensor_view *in = &call->tensor[input], *places = &call->tensor[grid];
    const uint32_t rank = sampler_of(call)->axes + 2;
    for (unsigned i = input; i <= grid; i++)
        if (call->tensor[i].rank != rank)
            return refuse(call, "%s has %u dims; %u are expected", call_name(call, i), call->tensor[i].rank,
                          rank);
    for (uint32_t i = 2; i < rank; i++)
        if (in->shape[i] < 1)
            return refuse(call, "dim %u of %s has size 0; 1 or more is expected", i, call_name(call, input));
    if (places->shape[0] != in->shape[0] || places->shape[rank - 1] != (int64_t)rank - 2)
        return refuse(call, "the first size of grid is %lld and the last one %lld; %lld and %u are expected",
                      (long long)places->shape[0], (long long)places->shape[rank - 1],
                      (long long)in->shape[0], rank - 2);
    return ACLNN_SUCCESS;
}

static struct shape sampled_shape(const struct call *call, unsigned input, unsigned grid)
{
    struct shape shape = shape_of(&call->tensor[grid]);
    shape.rank = sampler_of(call)->axes + 2;
    for (uint32_t i = shape.rank; i-- > 2;)
        shape.dim[i] = shape.dim[i - 1];
    shape.dim[1] = call->tensor[input].shape[1];
    return shape;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const bool is_gradient = sampler_of(call)->is_gradient;
    const unsigned input = is_gradient ? SAMPLES_input + 1 : SAMPLES_input, grid = input + 1;
    if (is_gradient)
        TRY(check_mask(call, BACKWARD_outputMask, 2));
    for (unsigned i = 0; i <= grid; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = 1; i <= grid; i++)
        TRY(check_same_dtype(call, i, 0, NULL));
    TRY(check_shapes(call, input, grid));
    const struct shape shape = sampled_shape(call, input, grid);
    if (is_gradient)
        TRY(pool_check_shape(call, BACKWARD_gradOutput, &shape));
    TRY(check_choice(call, input + SAMPLES_interpolationMode));
    TRY(check_choice(call, input + SAMPLES_paddingMode));
    result->computed = call_dtype(call, input);
    if (!is_gradient) {
        struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape;
        return ACLNN_SUCCESS;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
        output->like = input + i;
        output->is_unwanted = !mask_has(call, BACKWARD_outputMask, i);
    }
    return ACLNN_SUCCESS;
}

/* How many parts of the channels are planes of their own: enough for the threads, and for their memory. */
static int64_t parts_of(const struct call *call, const struct sampled *plan, int64_t images, int64_t channels)
{
    for (int64_t parts = 1; parts < channels; parts++)
        if (channels % parts == 0 && parts * images >= (int64_t)call->settings->thread_count &&
            (plan->dtype == ACL_FLOAT ||
             (uint64_t)(channels / parts) * (elements_of(plan) + places_at_once(plan)) <= ROOM_ELEMENTS))
            return parts;
    return channels;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_gradient = sampler_of(call)->is_gradient;
    const unsigned input = is_gradient ? SAMPLES_input + 1 : SAMPLES_input, grid = input + 1;
    const struct tensor_view *in = &call->tensor[input], *places = &call->tensor[grid];
    struct sampled plan = {.size = {1, 1, 1},
                           .places = 1,
                           .channels = (uint64_t)in->shape[1],
                           .axes = sampler_of(call)->axes,
                           .mode = (enum sampled_mode)call->argument[input + SAMPLES_interpolationMode].int64,
                           .padding = (enum sampled_padding)call->argument[input + SAMPLES_paddingMode].int64,
                           .aligns_corners = call->argument[input + SAMPLES_alignCorners].boolean,
                           .dtype = result->computed};
    for (uint32_t i = 0; i < plan.axes; i++) {
        plan.size[AXES - plan.axes + i] = in->shape[2 + i];
        plan.places *= (uint64_t)places->shape[1 + i];
    }
    const int64_t parts = is_gradient ? 1 : parts_of(call, &plan, in->shape[0], in->shape[1]);
    plan.channels /= parts > 0 ? (uint64_t)parts : 1;
    struct plane_request request = {.function = is_gradient ? spread_planes : sample_planes,
                                    .planes = (uint64_t)(in->shape[0] * parts),
                                    .inputs = is_gradient ? 3 : 2};
    for (unsigned i = 0; i < request.inputs; i++)
        request.parameter[i] = i;
    struct tensor_view each = *places; /* for each part again */
    if (!is_gradient) {
        each.rank++;
        for (uint32_t i = places->rank; i-- > 1;) {
            each.shape[i + 1] = places->shape[i];
            each.stride[i + 1] = places->stride[i];
        }
        each.shape[1] = parts;
        each.stride[1] = 0;
        each.count *= parts;
        request.view[1] = &each;
    }
    plan.has_input_grad = is_gradient && !result->output[0].is_unwanted;
    plan.has_grid_grad = is_gradient && !result->output[1].is_unwanted;
    const unsigned wanted[] = {is_gradient ? BACKWARD_inputGrad : SAMPLES_out, BACKWARD_gridGrad};
    for (unsigned i = 0; i < (is_gradient ? 2 : 1); i++)
        if (!result->output[i].is_unwanted && call->tensor[wanted[i]].count > 0)
            request.parameter[request.inputs + request.outputs++] = wanted[i];
        else if (i == 0)
            plan.has_input_grad = false;
        else
            plan.has_grid_grad = false;
    if (request.outputs == 0)
        return call_idle(call);
    const struct sampler_plan made = {plan, sample_of[call->settings->isa], spread_of[call->settings->isa]};
    request.parameters = &made;
    request.parameter_bytes = sizeof made;
    const uint64_t elements = elements_of(&plan);
    const bool is_direct = !is_gradient && plan.dtype == ACL_FLOAT;
    const uint64_t at_once = is_gradient ? plan.places : places_at_once(&plan), sides = is_gradient ? 2 : 1;
    const uint64_t of_plane = plan.channels * (at_once + sides * elements) + sides * at_once * plan.axes;
    request.room_bytes = is_direct ? 0 : (size_t)of_plane * sizeof(double);
    const bool is_quick = is_direct && plan.mode == BILINEAR && plan.axes == 2 && plan.padding != REFLECTION;
    request.plane_ns = plan.places * ((is_quick ? 8 : 40) + (is_gradient ? 40 : 6) * plan.channels) +
                       (is_direct ? 0 : plan.channels * elements);
    return plane_walk_plan(call, &request);
}

#define SAMPLER(...)                                                                            \
    .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan, \
    .of_family = &(const struct sampler)                                                        \
    {                                                                                           \
        __VA_ARGS__                                                                             \
    }

FUNCTION_LIKE(aclnnGridSampler2D, (SAMPLES, modes, "2x3x4x5", "2x3x2x2"), .stem = "grid_sampler2d",
              SAMPLER(2, false));
FUNCTION_LIKE(aclnnGridSampler2DBackward, (BACKWARD, modes, "2x3x4x5", "2x3x2x2", "2x3x3x2"),
              .stem = "grid_sampler2d_backward", SAMPLER(2, true));
FUNCTION_LIKE(aclnnGridSampler3D, (SAMPLES, modes_of_volumes, "2x3x4x5x2", "2x3x2x1x3"),
              .stem = "grid_sampler3d", SAMPLER(3, false));
FUNCTION_LIKE(aclnnGridSampler3DBackward, (BACKWARD, modes_of_volumes, "2x3x4x5x2", "2x3x2x1x3", "2x3x3x2x1"),
              .stem = "grid_sampler3d_backward", SAMPLER(3, true));
