/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolutions whose places are moved by offsets (J. Dai and others, 2017), each sample times a mask where there are
 * some (X. Zhu and others, 2019): deformOut has the samples, between the four elements around each, zeros outside, of
 * every place of the kernel one behind the other, and out is its convolution with steps of the kernel's size. And
 * the gradient. In doubles; samples are rounded to the dtype of deformOut before they are multiplied.
 */
#include "aclnnop/aclnn_deformable_conv2d.h"
#include "aclnnop/aclnn_deformable_conv2d_backward.h"

#include <inttypes.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { SAMPLE_NS = 6, TERMS_PER_NS = 2 };

#define MOVED_BY(X, of)                          \
    X(of, INTS, kernelSize, .sample = "2,2")     \
    X(of, INTS, stride, .sample = "1,1,1,1")     \
    X(of, INTS, padding, .sample = "0,0,0,0")    \
    X(of, INTS, dilation, .sample = "1,1,1,1")   \
    X(of, INT64, groups, .usual = "1")           \
    X(of, INT64, deformableGroups, .usual = "1") \
    X(of, BOOL, modulated, .usual = "true")
#define DEFORMED(X, of)                                                                 \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x2x4x5")                           \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "3x2x2x2")                      \
    X(of, IN, offset, &dtypes_fp32_fp16_bf16, .sample = "2x12x3x4")                     \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3") \
    MOVED_BY(X, of)                                                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                             \
    X(of, OUT, deformOutOptional, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define DEFORMED_BACKWARD(X, of)                                       \
    X(of, IN, input, &dtypes_fp32_fp16_bf16, .sample = "2x2x4x5")      \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = "2x3x3x4") \
    X(of, IN, deformOut, &dtypes_fp32_fp16_bf16, .sample = "2x2x6x8")  \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "3x2x2x2")     \
    X(of, IN, offset, &dtypes_fp32_fp16_bf16, .sample = "2x12x3x4")    \
    MOVED_BY(X, of)                                                    \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)                      \
    X(of, OUT, gradWeight, &dtypes_fp32_fp16_bf16)                     \
    X(of, OUT, gradOffset, &dtypes_fp32_fp16_bf16)                     \
    X(of, OUT, gradBias, &dtypes_fp32_fp16_bf16)
SIGNATURE(DEFORMED)
SIGNATURE(DEFORMED_BACKWARD)

/* Sizes: of height and of width. */
struct deforming {
    int64_t images, channels, size[2], kernel[2], made[2], out;
    int64_t stride[2], padding[2], dilation[2], groups, moved_groups;
    uint64_t weights; /* elements */
    bool has_masks, is_backward;
    uint8_t x, weight, offset;
};

static const int64_t *numbers_of(const struct call *call, unsigned parameter)
{
    return call->values[parameter].value.int64;
}

static aclnnStatus check_numbers(const struct call *call, unsigned parameter, uint64_t count, int64_t least)
{
    const struct call_values *values = &call->values[parameter];
    bool fits = values->count == count;
    for (uint64_t i = 0; fits && i < count; i++)
        fits = values->value.int64[i] >= least && values->value.int64[i] <= INT32_MAX;
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s is %s; %" PRIu64 " numbers of %" PRId64 " or more are expected",
                         call_name(call, parameter),
                         dims_text(TEXT, (uint32_t)values->count, values->value.int64), count, least);
}

static int64_t kernel_places(const struct deforming *own)
{
    return own->kernel[0] * own->kernel[1];
}

static int64_t places_made(const struct deforming *own)
{
    return (int64_t)((uint64_t)own->made[0] * (uint64_t)own->made[1]); /* of no images any number */
}

/* Where the attributes of the list begin. */
static unsigned attributes_of(const struct call *call)
{
    return call->function->of_family != NULL ? DEFORMED_BACKWARD_kernelSize : DEFORMED_kernelSize;
}

static aclnnStatus read_attributes(const struct call *call, struct deforming *own)
{
    enum { KERNEL, STRIDE, PADDING, DILATION, GROUPS, MOVED_GROUPS, MODULATED };
    const unsigned first = attributes_of(call);
    TRY(check_numbers(call, first + KERNEL, 2, 1));
    TRY(check_numbers(call, first + STRIDE, 4, 1));
    TRY(check_numbers(call, first + PADDING, 4, 0));
    TRY(check_numbers(call, first + DILATION, 4, 1));
    own->groups = call->argument[first + GROUPS].int64;
    own->moved_groups = call->argument[first + MOVED_GROUPS].int64;
    own->has_masks = call->argument[first + MODULATED].boolean;
    if (own->groups < 1 || own->moved_groups < 1 || own->channels % own->groups != 0 ||
        own->channels % own->moved_groups != 0 || own->out % own->groups != 0)
        return refuse(call,
                      "groups and deformableGroups are %" PRId64 " and %" PRId64 "; divisors of %" PRId64
                      " channels, and groups of %" PRId64 " of the output, are expected",
                      own->groups, own->moved_groups, own->channels, own->out);
    const int64_t *padding = numbers_of(call, first + PADDING);
    for (int i = 0; i < 2; i++) {
        own->kernel[i] = numbers_of(call, first + KERNEL)[i];
        own->stride[i] = numbers_of(call, first + STRIDE)[2 + i];
        own->dilation[i] = numbers_of(call, first + DILATION)[2 + i];
        own->padding[i] = padding[2 * i];
        const int64_t around = padding[2 * i] + padding[2 * i + 1],
                      reach = (own->kernel[i] - 1) * own->dilation[i] + 1;
        int64_t padded, samples; /* of deformOut along the side */
        const bool is_counted = !__builtin_add_overflow(own->size[i], around, &padded);
        if (is_counted && padded < reach)
            return refuse(call,
                          "%s has %" PRId64 " elements along a side and its padding %" PRId64
                          "; as many as the kernel takes are expected",
                          call_name(call, own->x), own->size[i], around);
        own->made[i] = is_counted ? (padded - reach) / own->stride[i] + 1 : 0;
        if (!is_counted || __builtin_mul_overflow(own->made[i], own->kernel[i], &samples))
            return refuse(call, "%s has %" PRId64 " elements along a side; fewer are expected",
                          call_name(call, own->x), own->size[i]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus read_call(const struct call *call, struct deforming *own)
{
    const bool is_backward = call->function->of_family != NULL;
    *own = (struct deforming){.is_backward = is_backward,
                              .weight = is_backward ? DEFORMED_BACKWARD_weight : DEFORMED_weight,
                              .offset = is_backward ? DEFORMED_BACKWARD_offset : DEFORMED_offset};
    const struct tensor_view *x = &call->tensor[own->x];
    TRY(check_all_dtypes(call));
    for (unsigned i = 1; i < attributes_of(call); i++)
        if (call_has(call, i))
            TRY(check_same_dtype(call, i, own->x, NULL));
    TRY(check_sizes(call, own->x, SIZES(-1, -1, -1, -1)));
    TRY(check_sizes(call, own->weight, SIZES(-1, -1, -1, -1)));
    own->images = x->shape[0], own->channels = x->shape[1];
    own->size[0] = x->shape[2], own->size[1] = x->shape[3];
    own->out = call->tensor[own->weight].shape[0];
    own->weights = (uint64_t)call->tensor[own->weight].count;
    TRY(read_attributes(call, own));
    TRY(check_sizes(call, own->weight,
                    SIZES(own->out, own->channels / own->groups, own->kernel[0], own->kernel[1])));
    int64_t moves;
    if (__builtin_mul_overflow(kernel_places(own), own->has_masks ? 3 : 2, &moves) ||
        __builtin_mul_overflow(own->moved_groups, moves, &moves))
        return refuse(call, "the kernel has more places than can be counted");
    TRY(check_sizes(call, own->offset, SIZES(own->images, moves, own->made[0], own->made[1])));
    if (!is_backward)
        return check_optional_sizes(call, DEFORMED_biasOptional, SIZES(own->out));
    TRY(check_sizes(call, DEFORMED_BACKWARD_gradOutput,
                    SIZES(own->images, own->out, own->made[0], own->made[1])));
    return check_sizes(
        call, DEFORMED_BACKWARD_deformOut,
        SIZES(own->images, own->channels, own->made[0] * own->kernel[0], own->made[1] * own->kernel[1]));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct deforming own;
    TRY(read_call(call, &own));
    const aclDataType dtype = result->computed = call_dtype(call, own.x);
    const struct tensor_view *weight = &call->tensor[own.weight], *offset = &call->tensor[own.offset];
    if (own.is_backward) {
        (void)result_sized(result, dtype, DTYPE_EQUAL, 4, call->tensor[own.x].shape);
        (void)result_sized(result, dtype, DTYPE_EQUAL, 4, weight->shape);
        (void)result_sized(result, dtype, DTYPE_EQUAL, 4, offset->shape);
        (void)result_sized(result, dtype, DTYPE_EQUAL, SIZES(own.out));
        return ACLNN_SUCCESS;
    }
    struct output *out =
        result_sized(result, dtype, DTYPE_EQUAL, SIZES(own.images, own.out, own.made[0], own.made[1]));
    TRY(check_element_count(call, &out->shape));
    out = result_sized(
        result, dtype, DTYPE_EQUAL,
        SIZES(own.images, own.channels, own.made[0] * own.kernel[0], own.made[1] * own.kernel[1]));
    out->is_unwanted = call->has_outputs && !call_has_elements(call, DEFORMED_deformOutOptional);
    return check_element_count(call, &out->shape);
}

/* A place of the kernel at a place of the output: what moves it, and its mask. */
struct sample {
    double place[2], mask;
    uint64_t at[3]; /* in the offsets: of width, of height, of the mask */
};

static struct sample sample_of(const struct task *task, uint64_t image, uint64_t group, uint64_t k,
                               uint64_t to)
{
    const struct deforming *own = task->parameters;
    const uint64_t places = (uint64_t)kernel_places(own), made = (uint64_t)places_made(own),
                   moved = (uint64_t)own->moved_groups, kinds = own->has_masks ? 3 : 2;
    const int64_t at[2] = {(int64_t)to / own->made[1], (int64_t)to % own->made[1]},
                  kernel[2] = {(int64_t)k / own->kernel[1], (int64_t)k % own->kernel[1]};
    struct sample sample = {.mask = 1};
    for (uint64_t kind = 0; kind < kinds; kind++)
        sample.at[kind] = (((image * kinds + kind) * moved + group) * places + k) * made + to;
    for (int i = 0; i < 2; i++) /* width's lie before height's */
        sample.place[i] = (double)(at[i] * own->stride[i] - own->padding[i] + kernel[i] * own->dilation[i]) +
                          task_number(task, own->offset, sample.at[1 - i]);
    if (own->has_masks)
        sample.mask = task_number(task, own->offset, sample.at[2]);
    return sample;
}

/* The elements around it that there are: their numbers in a plane, weights, and what these change by along each
 * dim. */
struct around {
    int count;
    uint64_t at[4];
    double weight[4], slope[2][4];
};

static struct around around_of(const struct deforming *own, const struct sample *sample)
{
    struct around around = {.count = 0};
    int64_t low[2];
    double high[2];
    for (int i = 0; i < 2; i++) {
        if (!(sample->place[i] > -1 && sample->place[i] < (double)own->size[i]))
            return around;
        low[i] = (int64_t)__builtin_floor(sample->place[i]);
        high[i] = sample->place[i] - (double)low[i];
    }
    for (int k = 0; k < 4; k++) {
        const int64_t y = low[0] + k / 2, x = low[1] + k % 2;
        const double by_y = k / 2 ? high[0] : 1 - high[0], by_x = k % 2 ? high[1] : 1 - high[1];
        if (y < 0 || y >= own->size[0] || x < 0 || x >= own->size[1])
            continue;
        around.at[around.count] = (uint64_t)(y * own->size[1] + x);
        around.weight[around.count] = by_y * by_x;
        around.slope[0][around.count] = k / 2 ? by_x : -by_x;
        around.slope[1][around.count++] = k % 2 ? by_y : -by_y;
    }
    return around;
}

static double sum_around(const struct around *around, const double *weight, const double *plane)
{
    double sum = 0;
    for (int i = 0; i < around->count; i++)
        sum += weight[i] * plane[around->at[i]];
    return sum;
}

/* Where deformOut has a sample. */
static uint64_t deformed_at(const struct deforming *own, uint64_t image, uint64_t channel, uint64_t k,
                            uint64_t to)
{
    const uint64_t across = (uint64_t)(own->made[1] * own->kernel[1]), kernel = (uint64_t)own->kernel[1],
                   made = (uint64_t)own->made[1];
    const uint64_t y = to / made * (uint64_t)own->kernel[0] + k / kernel, x = to % made * kernel + k % kernel;
    return ((image * (uint64_t)own->channels + channel) * (uint64_t)(own->made[0] * own->kernel[0]) + y) *
               across +
           x;
}

/* A place of the output: all samples, and what they give each of its channels. */
static void make_place(const struct task *task, uint64_t image, uint64_t to, const double *planes,
                       const double *weight, double *sample)
{
    const struct deforming *own = task->parameters;
    const uint64_t places = (uint64_t)kernel_places(own), plane = (uint64_t)(own->size[0] * own->size[1]),
                   channels = (uint64_t)own->channels, outs = (uint64_t)own->out,
                   each = channels / (uint64_t)own->moved_groups,
                   depth = channels / (uint64_t)own->groups * places;
    for (uint64_t group = 0; group < (uint64_t)own->moved_groups; group++)
        for (uint64_t k = 0; k < places; k++) {
            const struct sample moved = sample_of(task, image, group, k, to);
            const struct around around = around_of(own, &moved);
            for (uint64_t c = group * each; c < (group + 1) * each; c++)
                sample[c * places + k] = sum_around(&around, around.weight, planes + c * plane) * moved.mask;
        }
    task_round(task, task_dtype(task, own->x), channels * places, sample);
    for (uint64_t i = 0; task_has(task, DEFORMED_deformOutOptional) && i < channels * places; i++)
        task_set(task, DEFORMED_deformOutOptional, deformed_at(own, image, i / places, i % places, to),
                 sample[i]);
    for (uint64_t o = 0; o < outs; o++) {
        const double *from = sample + o / (outs / (uint64_t)own->groups) * depth;
        double sum = task_has(task, DEFORMED_biasOptional) ? task_number(task, DEFORMED_biasOptional, o) : 0;
        for (uint64_t i = 0; i < depth; i++)
            sum += from[i] * weight[o * depth + i];
        task_set(task, DEFORMED_out, (image * outs + o) * (uint64_t)places_made(own) + to, sum);
    }
}

static void visit_rows(const struct task *task, uint64_t number)
{
    const struct deforming *own = task->parameters;
    const uint64_t image = number / (uint64_t)own->made[0], row = number % (uint64_t)own->made[0],
                   all = (uint64_t)(own->channels * own->size[0] * own->size[1]);
    double *planes = task->room, *weight = planes + all, *sample = weight + own->weights;
    if (all > 0)
        task_read(task, own->x, image * all, all, planes);
    if (own->weights > 0)
        task_read(task, own->weight, 0, own->weights, weight);
    for (uint64_t x = 0; x < (uint64_t)own->made[1]; x++)
        make_place(task, image, row * (uint64_t)own->made[1] + x, planes, weight, sample);
}

/* The gradients of an image's elements and offsets. */
static void visit_image(const struct task *task, uint64_t image)
{
    const struct deforming *own = task->parameters;
    const uint64_t places = (uint64_t)kernel_places(own), plane = (uint64_t)(own->size[0] * own->size[1]),
                   channels = (uint64_t)own->channels, outs = (uint64_t)own->out,
                   made = (uint64_t)places_made(own), each = channels / (uint64_t)own->moved_groups,
                   depth = channels / (uint64_t)own->groups * places, all = channels * plane;
    double *planes = task->room, *gradient = planes + all, *weight = gradient + all,
           *of_sample = weight + own->weights;
    if (all > 0)
        task_read(task, own->x, image * all, all, planes);
    if (own->weights > 0)
        task_read(task, own->weight, 0, own->weights, weight);
    for (uint64_t i = 0; i < all; i++)
        gradient[i] = 0;
    for (uint64_t to = 0; to < made; to++) {
        for (uint64_t i = 0; i < channels * places; i++)
            of_sample[i] = 0;
        for (uint64_t o = 0; o < outs; o++) {
            double *own_sample = of_sample + o / (outs / (uint64_t)own->groups) * depth;
            const double given =
                task_number(task, DEFORMED_BACKWARD_gradOutput, (image * outs + o) * made + to);
            for (uint64_t i = 0; i < depth; i++)
                own_sample[i] += given * weight[o * depth + i];
        }
        for (uint64_t group = 0; group < (uint64_t)own->moved_groups; group++)
            for (uint64_t k = 0; k < places; k++) {
                const struct sample moved = sample_of(task, image, group, k, to);
                const struct around around = around_of(own, &moved);
                double slope[3] = {0, 0, 0};
                for (uint64_t c = group * each; c < (group + 1) * each; c++) {
                    const double given = of_sample[c * places + k];
                    for (int i = 0; i < around.count; i++)
                        gradient[c * plane + around.at[i]] += given * moved.mask * around.weight[i];
                    for (int i = 0; i < 2; i++) /* of width before height */
                        slope[i] +=
                            given * moved.mask * sum_around(&around, around.slope[1 - i], planes + c * plane);
                    slope[2] += given * sum_around(&around, around.weight, planes + c * plane);
                }
                for (int i = 0; i < (own->has_masks ? 3 : 2); i++)
                    task_set(task, DEFORMED_BACKWARD_gradOffset, moved.at[i], slope[i]);
            }
    }
    task_write(task, DEFORMED_BACKWARD_gradInput, image * all, all, gradient);
}

/* The gradients of a channel of the output: its weight and bias. */
static void visit_channel(const struct task *task, uint64_t o)
{
    const struct deforming *own = task->parameters;
    const uint64_t places = (uint64_t)kernel_places(own),
                   channels = (uint64_t)own->channels / (uint64_t)own->groups, outs = (uint64_t)own->out,
                   made = (uint64_t)places_made(own), depth = channels * places,
                   first = o / (outs / (uint64_t)own->groups) * channels;
    double *weight = task->room, bias = 0;
    for (uint64_t i = 0; i < depth; i++)
        weight[i] = 0;
    for (uint64_t image = 0; image < (uint64_t)own->images; image++)
        for (uint64_t to = 0; to < made; to++) {
            const double given =
                task_number(task, DEFORMED_BACKWARD_gradOutput, (image * outs + o) * made + to);
            bias += given;
            for (uint64_t i = 0; i < depth; i++)
                weight[i] += given * task_number(task, DEFORMED_BACKWARD_deformOut,
                                                 deformed_at(own, image, first + i / places, i % places, to));
        }
    task_write(task, DEFORMED_BACKWARD_gradWeight, o * depth, depth, weight);
    task_set(task, DEFORMED_BACKWARD_gradBias, o, bias);
}

static void visit_gradient(const struct task *task, uint64_t number)
{
    const uint64_t images = (uint64_t)((const struct deforming *)task->parameters)->images;
    if (number < images)
        visit_image(task, number);
    else
        visit_channel(task, number - images);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct deforming own;
    (void)result;
    TRY(read_call(call, &own));
    const bool has_images = own.images > 0; /* otherwise sizes may be any */
    const uint64_t samples = (uint64_t)own.channels * (uint64_t)kernel_places(&own),
                   depth = samples / (uint64_t)own.groups,
                   all = has_images ? (uint64_t)(own.channels * own.size[0] * own.size[1]) : 0,
                   made = !has_images       ? 0
                          : own.is_backward ? (uint64_t)places_made(&own)
                                            : (uint64_t)own.made[1],
                   tasks = !has_images       ? 0
                           : own.is_backward ? (uint64_t)own.images
                                             : (uint64_t)(own.images * own.made[0]);
    uint64_t room = (own.is_backward ? 2 : 1) * all;
    if (__builtin_add_overflow(room, has_images ? samples : 0, &room) ||
        __builtin_add_overflow(room, own.weights, &room))
        room = UINT64_MAX;
    return row_tasks_plan(
        call,
        &(struct row_tasks_request){
            .body = own.is_backward ? visit_gradient : visit_rows,
            .count = tasks + (own.is_backward ? (uint64_t)own.out : 0),
            .task_ns = all + made * (samples * SAMPLE_NS + (uint64_t)own.out * depth / TERMS_PER_NS) + 100,
            .room = room,
            .parameters = &own,
            .parameter_bytes = sizeof own});
}

#define DEFORMS .family = FAMILY_WINDOW, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
static const bool backward = true; /* of_family */
FUNCTION_OF(aclnnDeformableConv2d, DEFORMED, .stem = "deformable_conv2d", DEFORMS);
FUNCTION_OF(aclnnDeformableConv2dBackward, DEFORMED_BACKWARD, .stem = "deformable_conv2d_backward", DEFORMS,
            .of_family = &backward);
