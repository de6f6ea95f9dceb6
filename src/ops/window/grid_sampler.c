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
#include "ops/window/plane_walk.h"
#include "ops/window/pool.h"

enum { AXES = 3, TAPS = 4, CORNERS = TAPS * TAPS }; /* volumes have no cubics */
enum { ROOM_ELEMENTS = 1 << 18 };
enum sampled_mode { BILINEAR, NEAREST, BICUBIC };
enum sampled_padding { ZEROS, BORDER, REFLECTION };

/* A picture is a volume of one plane. */
struct sampled {
    int64_t size[AXES];
    uint64_t places, channels; /* of the result's plane; that a plane of a gradient has */
    uint32_t axes;
    enum sampled_mode mode;
    enum sampled_padding padding;
    bool aligns_corners, has_input_grad, has_grid_grad;
    aclDataType dtype;
};

_Static_assert(sizeof(struct sampled) <= PLANE_PARAMETERS, "it is what plane functions are given");

/* What a place is made of along an axis: elements, -1 for none, their weights, and how these change with the
 * number in the grid. */
struct taps {
    int64_t element[TAPS];
    double weight[TAPS], slope[TAPS];
    int count;
};

static double rounded(const struct sampled *plan, double x)
{
    return plan->dtype == ACL_DOUBLE ? x : (double)(float)x;
}

/* Back and forth between the ends, then between the first and the last element; *turn is multiplied by how
 * the result changes with x. */
static double padded(const struct sampled *plan, double x, int64_t size, double *turn)
{
    const double last = (double)(size - 1);
    if (plan->padding == ZEROS)
        return x;
    if (plan->padding == REFLECTION) {
        const double least = plan->aligns_corners ? 0 : -0.5, span = plan->aligns_corners ? last : last + 1;
        const double way = rounded(plan, x - least), apart = fabs(way), rest = fmod(apart, span);
        const bool is_odd = fmod(nearbyint((apart - rest) / span), 2) != 0;
        *turn *= (way < 0) != is_odd ? -1 : 1;
        x = span == 0 ? 0 : rounded(plan, (is_odd ? span - rest : rest) + least);
    }
    if (x > 0 && x < last)
        return x;
    *turn = 0;
    return x > 0 ? last : 0;
}

/* The cubic of Keys with the slope -0.75, up to 1 from the place and from there up to 2. */
static void set_cubic(double apart, double sign, double *weight, double *slope)
{
    const double x = apart;
    *weight = x <= 1 ? (1.25 * x - 2.25) * x * x + 1 : ((-0.75 * x + 3.75) * x - 6) * x + 3;
    *slope = sign * (x <= 1 ? (3.75 * x - 4.5) * x : (-2.25 * x + 7.5) * x - 6);
}

static void find_taps(const struct sampled *plan, double place, int64_t size, struct taps *taps)
{
    const double scale = (double)(plan->aligns_corners ? size - 1 : size) / 2;
    double x = rounded(plan, rounded(plan, place + 1) * scale), turn = scale, unused = 1;
    x = plan->aligns_corners ? x : rounded(plan, x - 0.5);
    if (!isfinite(x)) {
        x = plan->padding == ZEROS ? -8 : padded(plan, x, size, &unused);
        turn = 0;
    }
    if (plan->mode != BICUBIC)
        x = padded(plan, x, size, &turn);
    const double below = plan->mode == NEAREST ? nearbyint(x) : floor(x), t = x - below;
    taps->count = plan->mode == NEAREST ? 1 : plan->mode == BILINEAR ? 2 : TAPS;
    for (int i = 0; i < taps->count; i++) {
        const double at = plan->mode != BICUBIC ? below + i : padded(plan, below + i - 1, size, &unused);
        taps->element[i] = at >= 0 && at < (double)size ? (int64_t)at : -1;
        if (plan->mode == BICUBIC)
            set_cubic(i < 2 ? t + 1 - i : i - 1 - t, i < 2 ? 1 : -1, &taps->weight[i], &taps->slope[i]);
        else
            taps->weight[i] = plan->mode == NEAREST ? 1 : i == 0 ? 1 - t : t;
        if (plan->mode != BICUBIC)
            taps->slope[i] = plan->mode == NEAREST ? 0 : i == 0 ? -1 : 1;
        taps->slope[i] *= turn;
    }
}

/* An element of the volume that a place is made of. */
struct corner {
    int64_t element;
    double weight, slope[AXES]; /* by axis */
};

/* Those of a place, in row-major order; the grid names the last axis first. */
static int find_corners(const struct sampled *plan, const double *grid, struct corner *corner)
{
    struct taps taps[AXES] = {{.weight = {1}, .count = 1}};
    int count = 0;
    for (uint32_t i = 0; i < plan->axes; i++)
        find_taps(plan, grid[i], plan->size[AXES - 1 - i], &taps[AXES - 1 - i]);
    for (int a = 0; a < taps[0].count; a++)
        for (int b = 0; b < taps[1].count; b++) {
            const int64_t row = taps[0].element[a] * plan->size[1] + taps[1].element[b];
            const double weight = taps[0].weight[a] * taps[1].weight[b];
            for (int c = 0; c < taps[2].count; c++) {
                if (taps[0].element[a] < 0 || taps[1].element[b] < 0 || taps[2].element[c] < 0)
                    continue;
                corner[count++] = (struct corner){row * plan->size[2] + taps[2].element[c],
                                                  weight * taps[2].weight[c],
                                                  {taps[0].slope[a] * taps[1].weight[b] * taps[2].weight[c],
                                                   taps[0].weight[a] * taps[1].slope[b] * taps[2].weight[c],
                                                   weight * taps[2].slope[c]}};
            }
        }
    return count;
}

static uint64_t elements_of(const struct sampled *plan)
{
    return (uint64_t)(plan->size[0] * plan->size[1] * plan->size[2]);
}

/* Of some channels. Room: their elements, the grid and the results as doubles. */
static int64_t sample_planes(const struct plane_walk *walk, const void *const *input, void *const *output,
                             void *room)
{
    const struct sampled *plan = (const struct sampled *)(const void *)walk->parameters;
    const uint64_t elements = elements_of(plan), numbers = plan->places * plan->axes;
    double *plane = room, *grid = plane + plan->channels * elements, *result = grid + numbers;
    plane_convert(walk, input[0], plan->dtype, plane, ACL_DOUBLE, plan->channels * elements);
    plane_convert(walk, input[1], plan->dtype, grid, ACL_DOUBLE, numbers);
    for (uint64_t k = 0; k < plan->places; k++) {
        struct corner corner[CORNERS] __attribute__((uninitialized));
        const int count = find_corners(plan, grid + k * plan->axes, corner);
        for (uint64_t c = 0; c < plan->channels; c++) {
            double sum = 0;
            for (int i = 0; i < count; i++)
                sum += plane[c * elements + (uint64_t)corner[i].element] * corner[i].weight;
            result[c * plan->places + k] = sum == sum ? sum : (double)NAN;
        }
    }
    plane_convert(walk, result, ACL_DOUBLE, output[0], plan->dtype, plan->channels * plan->places);
    return -1;
}

/* One place of the result: what it adds to the gradients of all channels and of its place. */
static void spread(const struct sampled *plan, const struct corner *corner, int count, const double *gradient,
                   const double *plane, double *input_grad, double *grid_grad)
{
    const uint64_t elements = elements_of(plan);
    for (uint64_t c = 0; c < plan->channels; c++, gradient += plan->places)
        for (int i = 0; i < count; i++) {
            const uint64_t element = c * elements + (uint64_t)corner[i].element;
            input_grad[element] += gradient[0] * corner[i].weight;
            for (uint32_t axis = AXES - plan->axes; axis < AXES; axis++)
                grid_grad[AXES - 1 - axis] += gradient[0] * plane[element] * corner[i].slope[axis];
        }
}

static void store_gradient(const struct plane_walk *walk, aclDataType dtype, double *from, void *to,
                           uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        from[i] = from[i] == from[i] ? from[i] : (double)NAN;
    plane_convert(walk, from, ACL_DOUBLE, to, dtype, count);
}

/* Of all channels. Room: gradients, inputs, grid, and both results, as doubles. */
static int64_t spread_planes(const struct plane_walk *walk, const void *const *input, void *const *output,
                             void *room)
{
    const struct sampled *plan = (const struct sampled *)(const void *)walk->parameters;
    const uint64_t elements = plan->channels * elements_of(plan), numbers = plan->places * plan->axes;
    double *gradient = room, *plane = gradient + plan->channels * plan->places, *grid = plane + elements,
           *input_grad = grid + numbers, *grid_grad = input_grad + elements;
    plane_convert(walk, input[0], plan->dtype, gradient, ACL_DOUBLE, plan->channels * plan->places);
    plane_convert(walk, input[1], plan->dtype, plane, ACL_DOUBLE, elements);
    plane_convert(walk, input[2], plan->dtype, grid, ACL_DOUBLE, numbers);
    memset(input_grad, 0, (elements + numbers) * sizeof *input_grad);
    for (uint64_t k = 0; k < plan->places; k++) {
        struct corner corner[CORNERS] __attribute__((uninitialized));
        const int count = find_corners(plan, grid + k * plan->axes, corner);
        spread(plan, corner, count, gradient + k, plane, input_grad, grid_grad + k * plan->axes);
    }
    if (plan->has_input_grad)
        store_gradient(walk, plan->dtype, input_grad, output[0], elements);
    if (plan->has_grid_grad)
        store_gradient(walk, plan->dtype, grid_grad, output[plan->has_input_grad ? 1 : 0], numbers);
    return -1;
}

/* Parameters of a gradient lie one further on: gradOutput is first. */
struct sampler {
    uint32_t axes;
    bool is_gradient;
};
enum { INPUT, GRID, MODE, PADDING, ALIGN_CORNERS, OUT };
enum { GRAD_OUTPUT, OUTPUT_MASK = ALIGN_CORNERS + 2, INPUT_GRAD, GRID_GRAD };

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
    const unsigned input = is_gradient ? INPUT + 1 : INPUT, grid = input + 1;
    if (is_gradient)
        TRY(check_mask(call, OUTPUT_MASK, 2));
    for (unsigned i = 0; i <= grid; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = 1; i <= grid; i++)
        TRY(check_same_dtype(call, i, 0, NULL));
    TRY(check_shapes(call, input, grid));
    const struct shape shape = sampled_shape(call, input, grid);
    if (is_gradient)
        TRY(pool_check_shape(call, GRAD_OUTPUT, &shape));
    TRY(check_choice(call, input + MODE));
    TRY(check_choice(call, input + PADDING));
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
        output->is_unwanted = !mask_has(call, OUTPUT_MASK, i);
    }
    return ACLNN_SUCCESS;
}

/* How many parts of the channels are planes of their own: enough for the threads, and for their memory. */
static int64_t parts_of(const struct call *call, const struct sampled *plan, int64_t images, int64_t channels)
{
    for (int64_t parts = 1; parts < channels; parts++)
        if (channels % parts == 0 && parts * images >= (int64_t)call->settings->thread_count &&
            (uint64_t)(channels / parts) * (elements_of(plan) + plan->places) <= ROOM_ELEMENTS)
            return parts;
    return channels;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const bool is_gradient = sampler_of(call)->is_gradient;
    const unsigned input = is_gradient ? INPUT + 1 : INPUT, grid = input + 1;
    const struct tensor_view *in = &call->tensor[input], *places = &call->tensor[grid];
    struct sampled plan = {.size = {1, 1, 1},
                           .places = 1,
                           .channels = (uint64_t)in->shape[1],
                           .axes = sampler_of(call)->axes,
                           .mode = (enum sampled_mode)call->argument[input + MODE].int64,
                           .padding = (enum sampled_padding)call->argument[input + PADDING].int64,
                           .aligns_corners = call->argument[input + ALIGN_CORNERS].boolean,
                           .dtype = result->computed};
    for (uint32_t i = 0; i < plan.axes; i++) {
        plan.size[AXES - plan.axes + i] = in->shape[2 + i];
        plan.places *= (uint64_t)places->shape[1 + i];
    }
    const int64_t parts = is_gradient ? 1 : parts_of(call, &plan, in->shape[0], in->shape[1]);
    plan.channels /= parts > 0 ? (uint64_t)parts : 1;
    struct plane_request request = {.function = is_gradient ? spread_planes : sample_planes,
                                    .planes = (uint64_t)(in->shape[0] * parts),
                                    .inputs = is_gradient ? 3 : 2,
                                    .parameters = &plan,
                                    .parameter_bytes = sizeof plan};
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
    const unsigned wanted[] = {is_gradient ? INPUT_GRAD : OUT, GRID_GRAD};
    for (unsigned i = 0; i < (is_gradient ? 2 : 1); i++)
        if (!result->output[i].is_unwanted && call->tensor[wanted[i]].count > 0)
            request.parameter[request.inputs + request.outputs++] = wanted[i];
        else if (i == 0)
            plan.has_input_grad = false;
        else
            plan.has_grid_grad = false;
    if (request.outputs == 0)
        return call_idle(call);
    const uint64_t numbers = plan.places * plan.axes, elements = elements_of(&plan);
    const uint64_t of_plane =
        plan.channels * (plan.places + (is_gradient ? 2 : 1) * elements) + (is_gradient ? 2 : 1) * numbers;
    request.room_bytes = (size_t)of_plane * sizeof(double);
    request.plane_ns = plan.places * (40 + (is_gradient ? 40 : 6) * plan.channels) + plan.channels * elements;
    return plane_walk_plan(call, &request);
}

static const char *const modes[] = {"bilinear", "nearest", "bicubic", NULL};
static const char *const modes_of_volumes[] = {"bilinear", "nearest", NULL};
static const char *const paddings[] = {"zeros", "border", "reflection", NULL};

#define TENSOR(name_, sample_) READ(name_, &dtypes_floats, .sample = sample_)
#define GRADIENT(name_)        WRITTEN(name_, &dtypes_floats, .is_optional = true)
#define NUMBERS_OF(modes_)                                                                     \
    CHOICE("interpolationMode", modes_, "bilinear"), CHOICE("paddingMode", paddings, "zeros"), \
        USUAL("alignCorners", BOOL, "false")
#define SAMPLER(...)                                                                            \
    .promise = &promise_sum, .family = FAMILY_WINDOW, PLANE_WALK, .infer = infer, .plan = plan, \
    .of_family = &(const struct sampler)                                                        \
    {                                                                                           \
        __VA_ARGS__                                                                             \
    }

#define GRID_SAMPLER(name, stem_, axes, modes_, input_, grid_, result_)                                      \
    static const struct parameter name##_parameters[] = {                                                    \
        TENSOR("input", input_), TENSOR("grid", grid_), NUMBERS_OF(modes_), WRITTEN("out", &dtypes_floats)}; \
    FUNCTION(aclnn##name,                                                                                    \
             (const aclTensor *input, const aclTensor *grid, int64_t interpolationMode, int64_t paddingMode, \
              bool alignCorners, aclTensor *out),                                                            \
             (ARG(input), ARG(grid), ARG(interpolationMode), ARG(paddingMode), ARG(alignCorners), ARG(out)), \
             .stem = #stem_, PARAMETERS(name##_parameters), SAMPLER(axes, false));                           \
    static const struct parameter name##_backward_parameters[] = {                                           \
        TENSOR("gradOutput", result_),                                                                       \
        TENSOR("input", input_),                                                                             \
        TENSOR("grid", grid_),                                                                               \
        NUMBERS_OF(modes_),                                                                                  \
        {"outputMask", .kind = PARAMETER_BOOL_ARRAY, .usual = "true,true"},                                  \
        GRADIENT("inputGrad"),                                                                               \
        GRADIENT("gridGrad")};                                                                               \
    FUNCTION(aclnn##name##Backward,                                                                          \
             (const aclTensor *gradOutput, const aclTensor *input, const aclTensor *grid,                    \
              int64_t interpolationMode, int64_t paddingMode, bool alignCorners,                             \
              const aclBoolArray *outputMask, aclTensor *inputGrad, aclTensor *gridGrad),                    \
             (ARG(gradOutput), ARG(input), ARG(grid), ARG(interpolationMode), ARG(paddingMode),              \
              ARG(alignCorners), ARG(outputMask), ARG(inputGrad), ARG(gridGrad)),                            \
             .stem = #stem_ "_backward", PARAMETERS(name##_backward_parameters), SAMPLER(axes, true));

GRID_SAMPLER(GridSampler2D, grid_sampler2d, 2, modes, "2x3x4x5", "2x3x2x2", "2x3x3x2")
GRID_SAMPLER(GridSampler3D, grid_sampler3d, 3, modes_of_volumes, "2x3x4x5x2", "2x3x2x1x3", "2x3x3x2x1")
