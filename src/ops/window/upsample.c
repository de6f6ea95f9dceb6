/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Places are computed in FLOAT as PyTorch does on the CPU, so that the same neighbours are taken. Means of
 * DOUBLE, and sums of it, are in upsample_wide.c.
 */
#include "ops/window/upsample.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tensor/dtype.h"

/* The elements that one of the result is made of along an axis, and their weights. */
struct neighbours {
    int64_t element[4];
    float weight[4];
    int count;
};

/* The cubic of Keys with the slope -0.75: up to 1 from the place, and from there up to 2. */
static float cubic_near(float x)
{
    return (1.25f * x - 2.25f) * x * x + 1;
}

static float cubic_far(float x)
{
    return ((-0.75f * x + 3.75f) * x - 6) * x + 3;
}

/* Beyond the border is the element at the border. */
static struct neighbours find_cubic(float x, int64_t last)
{
    struct neighbours found = {.count = 4};
    const float below = floorf(x);
    const int64_t middle = below < (float)last ? (int64_t)below : last;
    const float apart = x - (float)middle, t = apart < 1 ? apart : 1;
    for (int i = 0; i < 4; i++) {
        const int64_t element = middle + i - 1;
        found.element[i] = element < 0 ? 0 : element < last ? element : last;
    }
    found.weight[0] = cubic_far(t + 1);
    found.weight[1] = cubic_near(t);
    found.weight[2] = cubic_near(1 - t);
    found.weight[3] = cubic_far(1 - t + 1);
    return found;
}

/* The integer below a number that is not negative, at most `most`. */
static int64_t whole_part(float value, int64_t most)
{
    const int64_t whole = value < 0x1p62f ? (int64_t)value : most;
    return whole < most ? whole : most;
}

int64_t upsample_nearest_element(enum upsample_way way, const struct upsample_axis *axis, int64_t o)
{
    const int64_t last = axis->in - 1;
    if (way == UPSAMPLE_NEAREST)
        return axis->out == axis->in       ? o
               : axis->out == 2 * axis->in ? o / 2
                                           : whole_part((float)o * axis->ratio, last);
    /* The product is exact in double: a fused multiply-add, rounded once. */
    const float x = (float)((double)axis->ratio * (double)((float)o + 0.5f) - 0.5);
    return whole_part((x > 0 ? x : 0) + 0.5f, last);
}

static struct neighbours find_neighbours(const struct upsampled *plan, const struct upsample_axis *axis,
                                         int64_t o)
{
    const int64_t last = axis->in - 1;
    struct neighbours found = {.weight = {1, 0}, .count = 1};
    if (last == 0 && axis->out == 1)
        return found;
    if (plan->way < UPSAMPLE_LINEAR) {
        found.element[0] = upsample_nearest_element(plan->way, axis, o);
        return found;
    }
    float x = axis->ratio * (plan->aligns_corners ? (float)o : (float)o + 0.5f);
    x = plan->aligns_corners ? x : x - 0.5f;
    if (plan->way == UPSAMPLE_CUBIC)
        return find_cubic(x, last);
    x = x > 0 ? x : 0;
    found.element[0] = whole_part(x, last);
    found.element[1] = found.element[0] + (found.element[0] < last);
    found.weight[1] = x - (float)found.element[0];
    found.weight[0] = 1 - found.weight[1];
    found.count = 2;
    return found;
}

static void spread(const struct upsampled *plan, float *plane, const struct neighbours *at, float grad)
{
    const int64_t height = plan->axis[1].in, width = plan->axis[2].in;
    if (plan->way < UPSAMPLE_LINEAR) {
        plane[(at[0].element[0] * height + at[1].element[0]) * width + at[2].element[0]] += grad;
        return;
    }
    for (int a = 0; a < at[0].count; a++)
        for (int b = 0; b < at[1].count; b++)
            for (int c = 0; c < at[2].count; c++) {
                float *to = plane + (at[0].element[a] * height + at[1].element[b]) * width + at[2].element[c];
                *to += at[0].weight[a] * at[1].weight[b] * at[2].weight[c] * grad;
            }
}

/* What becomes of one element of the result, or of its gradient. */
typedef void upsample_element(const struct upsampled *plan, const struct neighbours *at, uint64_t number,
                              const void *from, void *to);

static void copy_element(const struct upsampled *plan, const struct neighbours *at, uint64_t number,
                         const void *from, void *to)
{
    const int64_t place =
        (at[0].element[0] * plan->axis[1].in + at[1].element[0]) * plan->axis[2].in + at[2].element[0];
    const uint32_t bytes = dtype_bytes(plan->dtype);
    memcpy((unsigned char *)to + number * bytes, (const unsigned char *)from + place * (int64_t)bytes, bytes);
}

static void spread_element(const struct upsampled *plan, const struct neighbours *at, uint64_t number,
                           const void *from, void *to)
{
    spread(plan, (float *)to, at, ((const float *)from)[number]);
}

/* Neighbours along the last axis are found once. */
static void walk_elements(const struct upsampled *plan, upsample_element *element, const void *from, void *to,
                          struct neighbours *along_last)
{
    const struct upsample_axis *axis = plan->axis;
    struct neighbours at[POOL_AXES];
    uint64_t number = 0;
    for (int64_t c = 0; c < axis[2].out; c++)
        along_last[c] = find_neighbours(plan, &axis[2], c);
    for (int64_t a = 0; a < axis[0].out; a++) {
        at[0] = find_neighbours(plan, &axis[0], a);
        for (int64_t b = 0; b < axis[1].out; b++) {
            at[1] = find_neighbours(plan, &axis[1], b);
            for (int64_t c = 0; c < axis[2].out; c++, number++) {
                at[2] = along_last[c];
                element(plan, at, number, from, to);
            }
        }
    }
}

/* A row along the last axis alone. */
static void blend_row(const struct neighbours *along_last, int64_t count, const float *from, float *to)
{
    for (int64_t c = 0; c < count; c++) {
        const struct neighbours *at = &along_last[c];
        float sum = at->weight[0] * from[at->element[0]];
        for (int i = 1; i < at->count; i++)
            sum += at->weight[i] * from[at->element[i]];
        to[c] = sum;
    }
}

/* to = weight from, or to += weight from. */
static void add_row(bool is_first, float weight, int64_t count, const float *restrict from,
                    float *restrict to)
{
    for (int64_t c = 0; is_first && c < count; c++)
        to[c] = weight * from[c];
    for (int64_t c = 0; !is_first && c < count; c++)
        to[c] += weight * from[c];
}

/* Rows of the input, blended along the last axis: those that the row of the result before was made of stay.
 */
enum { BLENDED_ROWS = 4 };
struct blended {
    int64_t row[BLENDED_ROWS];
    const struct neighbours *along_last;
    float *rows, *sum; /* BLENDED_ROWS, and one */
};

/* One row of the result: along the last axis first. Neighbours follow one another, so that no two rows of
 * them have the same place. */
static void blend_rows(const struct upsampled *plan, const struct neighbours *at, struct blended *blended,
                       const float *from, float *to)
{
    const int64_t in = plan->axis[2].in, out = plan->axis[2].out;
    for (int a = 0; a < at[0].count; a++) {
        for (int b = 0; b < at[1].count; b++) {
            const int64_t row = at[0].element[a] * plan->axis[1].in + at[1].element[b];
            const int64_t place =
                at[0].element[a] % at[0].count * at[1].count + at[1].element[b] % at[1].count;
            float *rows = blended->rows + place * out;
            if (blended->row[place] != row)
                blend_row(blended->along_last, out, from + row * in, rows);
            blended->row[place] = row;
            add_row(b == 0, at[1].weight[b], out, rows, blended->sum);
        }
        add_row(a == 0, at[0].weight[a], out, blended->sum, to);
    }
}

static void blend_all(const struct upsampled *plan, const float *from, float *to,
                      struct neighbours *along_last, float *rows)
{
    const struct upsample_axis *axis = plan->axis;
    struct blended blended = {{-1, -1, -1, -1}, along_last, rows, rows + BLENDED_ROWS * axis[2].out};
    for (int64_t c = 0; c < axis[2].out; c++)
        along_last[c] = find_neighbours(plan, &axis[2], c);
    for (int64_t a = 0; a < axis[0].out; a++)
        for (int64_t b = 0; b < axis[1].out; b++, to += axis[2].out) {
            const struct neighbours at[] = {find_neighbours(plan, &axis[0], a),
                                            find_neighbours(plan, &axis[1], b)};
            blend_rows(plan, at, &blended, from, to);
        }
}

static uint64_t count_in(const struct upsampled *plan)
{
    return (uint64_t)(plan->axis[0].in * plan->axis[1].in * plan->axis[2].in);
}

static uint64_t count_out(const struct upsampled *plan)
{
    return (uint64_t)(plan->axis[0].out * plan->axis[1].out * plan->axis[2].out);
}

/* Floats of blended rows. */
static uint64_t rows_of(const struct upsampled *plan)
{
    return (BLENDED_ROWS + 1) * (uint64_t)plan->axis[2].out;
}

static int64_t copy_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                          void *room)
{
    walk_elements((const struct upsampled *)(const void *)walk->parameters, copy_element, input[0], output[0],
                  (struct neighbours *)room);
    return -1;
}

/* Room: neighbours along the last axis, floats of what comes out, of blended rows, then of what goes in. */
static int64_t compute_plane(const struct plane_walk *walk, const void *input, void *output,
                             struct neighbours *along_last, bool is_gradient)
{
    const struct upsampled *plan = (const struct upsampled *)(const void *)walk->parameters;
    const uint64_t of_input = is_gradient ? count_out(plan) : count_in(plan),
                   of_output = is_gradient ? count_in(plan) : count_out(plan);
    float *room = (float *)(along_last + plan->axis[2].out), *rows = room + of_output;
    const float *from = plane_floats(walk, input, plan->dtype, rows + rows_of(plan), of_input);
    if (is_gradient) {
        memset(room, 0, (size_t)of_output * sizeof *room);
        walk_elements(plan, spread_element, from, room, along_last);
    } else
        blend_all(plan, from, room, along_last, rows);
    for (uint64_t i = 0; i < of_output; i++)
        room[i] = room[i] == room[i] ? room[i] : __builtin_nanf("");
    plane_convert(walk, room, ACL_FLOAT, output, plan->dtype, of_output);
    return -1;
}

static int64_t blend_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                           void *room)
{
    return compute_plane(walk, input[0], output[0], (struct neighbours *)room, false);
}

static int64_t spread_plane(const struct plane_walk *walk, const void *const *input, void *const *output,
                            void *room)
{
    return compute_plane(walk, input[0], output[0], (struct neighbours *)room, true);
}

static const struct upsample *upsample_of(const struct call *call)
{
    return (const struct upsample *)call->function->of_family;
}

/* An axis is stretched by the ratio of its sizes, unless a scale is given that gives just as many
 * elements. */
static void set_ratios(const struct upsampled *plan, struct upsample_axis *axis, double scale)
{
    const bool aligns = plan->way >= UPSAMPLE_LINEAR && plan->aligns_corners;
    const int64_t in = axis->in - aligns, out = axis->out - aligns;
    const double scaled = (double)axis->in * scale;
    const bool counts = !aligns && scale > 0 && scaled >= (double)axis->out && scaled < (double)axis->out + 1;
    axis->ratio = counts ? (float)(1 / scale) : out > 0 ? (float)in / (float)out : 0;
    axis->fine_ratio = counts ? 1 / scale : out > 0 ? (double)in / (double)out : 0;
}

static double scale_of(const struct call *call, unsigned parameter)
{
    const bool is_single = call->function->parameter[parameter].kind == PARAMETER_FLOAT;
    return is_single ? (double)call->argument[parameter].fp32 : call->argument[parameter].fp64;
}

/* The sizes of what is not resampled, and of both planes. */
static aclnnStatus read_upsampled(const struct call *call, struct upsampled *plan, struct shape *in,
                                  struct shape *out)
{
    enum { TENSOR, OUTPUT_SIZE, INPUT_SIZE };
    const struct upsample *upsample = upsample_of(call);
    const struct tensor_view *tensor = &call->tensor[TENSOR];
    const struct call_values *sizes = &call->values[OUTPUT_SIZE], *inputs = &call->values[INPUT_SIZE];
    const uint32_t axes = upsample->axes, rank = axes + 2;
    unsigned next = upsample->is_gradient ? 3 : 2;
    *plan = (struct upsampled){.way = upsample->way, .dtype = tensor->dtype};
    if (tensor->rank != rank)
        return refuse(call, "%s has %u dims; %u are expected", call_name(call, TENSOR), tensor->rank, rank);
    if (sizes->count != axes)
        return refuse(call, "outputSize has %" PRIu64 " numbers; %u are expected", sizes->count, axes);
    if (upsample->is_gradient && inputs->count != rank)
        return refuse(call, "inputSize has %" PRIu64 " numbers; %u are expected", inputs->count, rank);
    if (upsample->way >= UPSAMPLE_LINEAR)
        plan->aligns_corners = call->argument[next++].boolean;
    in->rank = out->rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        in->dim[i] = upsample->is_gradient ? inputs->value.int64[i] : tensor->shape[i];
        out->dim[i] = i < 2 ? in->dim[i] : sizes->value.int64[i - 2];
        if (in->dim[i] < (i < 2 ? 0 : 1) || out->dim[i] < (i < 2 ? 0 : 1))
            return refuse(call, "dim %u of %s has size %" PRId64 "; 1 or more is expected", i,
                          in->dim[i] < 1 ? "the input" : "the output",
                          in->dim[i] < 1 ? in->dim[i] : out->dim[i]);
    }
    for (uint32_t i = 0; i < POOL_AXES; i++)
        plan->axis[i] = (struct upsample_axis){1, 1, 1, 1};
    for (uint32_t i = 0; i < axes; i++) {
        struct upsample_axis *axis = &plan->axis[POOL_AXES - axes + i];
        *axis = (struct upsample_axis){in->dim[2 + i], out->dim[2 + i], 1, 1};
        set_ratios(plan, axis, upsample->has_scales ? scale_of(call, next + i) : 0);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus upsample_infer(const struct call *call, struct result *result)
{
    struct upsampled plan;
    struct shape in, out;
    TRY(check_dtype(call, 0));
    TRY(read_upsampled(call, &plan, &in, &out));
    if (upsample_of(call)->is_gradient)
        TRY(pool_check_shape(call, 0, &out));
    result->computed = plan.dtype;
    struct output *output = result_add(result, plan.dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = upsample_of(call)->is_gradient ? in : out;
    return ACLNN_SUCCESS;
}

aclnnStatus upsample_plan(const struct call *call, const struct result *result)
{
    const struct upsample *upsample = upsample_of(call);
    const unsigned output = call_output(call);
    struct upsampled plan;
    struct shape in, out;
    (void)result;
    TRY(read_upsampled(call, &plan, &in, &out));
    if (call->tensor[output].count == 0)
        return call_idle(call);
    if (upsample->way >= UPSAMPLE_SMOOTH_LINEAR)
        return upsample_smooth_plan(call, &plan, (uint64_t)(in.dim[0] * in.dim[1]));
    const bool copies = !upsample->is_gradient && upsample->way < UPSAMPLE_LINEAR;
    if (plan.dtype == ACL_DOUBLE && !copies)
        return upsample_wide_plan(call, &plan, (uint64_t)(in.dim[0] * in.dim[1]));
    const uint64_t of_input = upsample->is_gradient ? count_out(&plan) : count_in(&plan),
                   of_output = upsample->is_gradient ? count_in(&plan) : count_out(&plan);
    const struct plane_request request = {
        .function = copies                  ? copy_plane
                    : upsample->is_gradient ? spread_plane
                                            : blend_plane,
        .planes = (uint64_t)(in.dim[0] * in.dim[1]),
        .inputs = 1,
        .outputs = 1,
        .parameter = {0, output},
        .room_bytes = (size_t)plan.axis[2].out * sizeof(struct neighbours) +
                      (copies ? 0 : of_output + rows_of(&plan) + (plan.dtype == ACL_FLOAT ? 0 : of_input)) *
                          sizeof(float),
        .plane_ns = (plan.way == UPSAMPLE_CUBIC ? 16 : 4) * count_out(&plan) + count_in(&plan),
        .parameters = &plan,
        .parameter_bytes = sizeof plan,
    };
    return plane_walk_plan(call, &request);
}
