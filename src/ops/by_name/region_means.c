/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pooling of regions whose bins have channels of their own, by name, as J. Dai and others define it (R-FCN, 2016): a
 * region of whole places, which ends behind its last one, cut into group by group bins; of each the mean of all
 * elements that it touches, of the channel that belongs to it, and 0 where it touches none or the image is not there;
 * and the gradient. A plane at a time, regions in their order, in doubles, rounded once.
 */
#include <math.h>

#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ROI = 5, ELEMENT_NS = 10, GROUPS = 127 };

#define MEANS(X, of)                                           \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "2x8x5x5")  \
    X(of, IN, rois, &dtypes_fp32_fp16_bf16, .sample = "2x5x3") \
    X(of, FLOAT, scale, .usual = "0.5")                        \
    X(of, INT64, channels, .usual = "2")                       \
    X(of, INT64, group, .usual = "2")                          \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define MEANS_BACKWARD(X, of)                                  \
    X(of, IN, dy, &dtypes_fp32_fp16_bf16, .sample = "6x2x2x2") \
    X(of, IN, rois, &dtypes_fp32_fp16_bf16, .sample = "2x5x3") \
    X(of, FLOAT, scale, .usual = "0.5")                        \
    X(of, INT64, channels, .usual = "2")                       \
    X(of, INT64, group, .usual = "2")                          \
    X(of, INT64, images, .usual = "2")                         \
    X(of, INTS, size, .sample = "5,5")                         \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(MEANS)
SIGNATURE(MEANS_BACKWARD)

struct regions {
    uint64_t count, of_sample, images, channels, group, size[2]; /* a height and a width */
    double scale;
};

/* size: the images' and the planes' sizes. */
static aclnnStatus read_regions(const struct call *call, const int64_t *size, struct regions *regions)
{
    const int64_t channels = call->argument[MEANS_channels].int64, group = call->argument[MEANS_group].int64;
    TRY(check_dtype(call, MEANS_x));
    TRY(check_same_dtype(call, MEANS_rois, MEANS_x, NULL));
    TRY(check_sizes(call, MEANS_rois, SIZES(-1, ROI, -1)));
    if (channels < 1 || channels > INT32_MAX || group < 1 || group > GROUPS)
        return refuse(call,
                      "output_dim and group_size are %lld and %lld; 1 or more, and 1 to %d, are expected",
                      (long long)channels, (long long)group, GROUPS);
    const int64_t *shape = call->tensor[MEANS_rois].shape;
    *regions = (struct regions){.count = (uint64_t)(shape[0] * shape[2]),
                                .of_sample = (uint64_t)shape[2],
                                .images = (uint64_t)size[0],
                                .channels = (uint64_t)channels,
                                .group = (uint64_t)group,
                                .size = {(uint64_t)size[1], (uint64_t)size[2]},
                                .scale = (double)call->argument[MEANS_scale].fp32};
    return ACLNN_SUCCESS;
}

static aclnnStatus read_means(const struct call *call, struct regions *regions)
{
    TRY(check_sizes(call, MEANS_x, SIZES(-1, -1, -1, -1)));
    const int64_t *shape = call->tensor[MEANS_x].shape, size[] = {shape[0], shape[2], shape[3]};
    TRY(read_regions(call, size, regions));
    return check_sizes(call, MEANS_x,
                       SIZES(-1, (int64_t)(regions->channels * regions->group * regions->group), -1, -1));
}

static aclnnStatus read_means_backward(const struct call *call, struct regions *regions)
{
    const struct call_values *values = &call->values[MEANS_BACKWARD_size];
    const int64_t *given = values->value.int64, images = call->argument[MEANS_BACKWARD_images].int64;
    bool fits = values->count == 2 && images >= 0 && images <= INT32_MAX;
    for (uint64_t i = 0; fits && i < values->count; i++)
        fits = given[i] >= 0 && given[i] <= INT32_MAX;
    if (!fits)
        return refuse(call, "input_size is no height and width, which are expected");
    const int64_t size[] = {images, given[0], given[1]};
    TRY(read_regions(call, size, regions));
    const int64_t group = (int64_t)regions->group;
    return check_sizes(call, MEANS_BACKWARD_dy,
                       SIZES((int64_t)regions->count, (int64_t)regions->channels, group, group));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct regions regions;
    TRY(read_means(call, &regions));
    const int64_t group = (int64_t)regions.group;
    result->computed = call->tensor[MEANS_x].dtype;
    return check_element_count(
        call, &result_sized(result, result->computed, DTYPE_EQUAL,
                            SIZES((int64_t)regions.count, (int64_t)regions.channels, group, group))
                   ->shape);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    struct regions regions;
    TRY(read_means_backward(call, &regions));
    const int64_t planes = (int64_t)(regions.channels * regions.group * regions.group);
    result->computed = call->tensor[MEANS_BACKWARD_dy].dtype;
    return check_element_count(call, &result_sized(result, result->computed, DTYPE_EQUAL,
                                                   SIZES((int64_t)regions.images, planes,
                                                         (int64_t)regions.size[0], (int64_t)regions.size[1]))
                                          ->shape);
}

/* The image of a region, and the elements of one of its bins: from the first to before the last of each axis. Halves
 * are rounded away from 0. */
struct bin {
    double image;
    uint64_t from[2], to[2];
};

static uint64_t within(double place, uint64_t size)
{
    return !(place > 0) ? 0 : place < (double)size ? (uint64_t)place : size;
}

static struct bin bin_of(const struct task *task, const struct regions *regions, uint64_t region,
                         uint64_t row, uint64_t column)
{
    const uint64_t each = regions->of_sample, at = region / each * ROI * each + region % each,
                   place[2] = {row, column};
    struct bin bin = {.image = task_number(task, MEANS_rois, at)};
    for (uint64_t k = 0; k < 2; k++) { /* of height, then of width */
        const double begin = round(task_number(task, MEANS_rois, at + (2 - k) * each)) * regions->scale,
                     end = (round(task_number(task, MEANS_rois, at + (4 - k) * each)) + 1) * regions->scale,
                     size = (end - begin > 0.1 ? end - begin : 0.1) / (double)regions->group;
        bin.from[k] = within(floor((double)place[k] * size + begin), regions->size[k]);
        bin.to[k] = within(ceil((double)(place[k] + 1) * size + begin), regions->size[k]);
    }
    return bin;
}

static double elements_of(const struct bin *bin)
{
    return bin->from[0] < bin->to[0] && bin->from[1] < bin->to[1]
               ? (double)(bin->to[0] - bin->from[0]) * (double)(bin->to[1] - bin->from[1])
               : 0;
}

/* A bin of one channel of a region. */
static void mean_of_bin(const struct task *task, uint64_t number)
{
    const struct regions *regions = task->parameters;
    const uint64_t group = regions->group, bins = group * group, planes = regions->channels * bins,
                   region = number / planes, plane = number % planes;
    const struct bin bin = bin_of(task, regions, region, plane % bins / group, plane % group);
    const double elements = elements_of(&bin);
    double sum = 0;
    if (elements > 0 && bin.image >= 0 && bin.image < (double)regions->images)
        for (uint64_t h = bin.from[0]; h < bin.to[0]; h++)
            for (uint64_t w = bin.from[1]; w < bin.to[1]; w++)
                sum += task_number(
                    task, MEANS_x,
                    (((uint64_t)bin.image * planes + plane) * regions->size[0] + h) * regions->size[1] + w);
    task_set(task, MEANS_out, number, elements > 0 ? sum / elements : 0);
}

/* A plane of an image. */
static void spread_bins(const struct task *task, uint64_t number)
{
    const struct regions *regions = task->parameters;
    const uint64_t group = regions->group, bins = group * group, planes = regions->channels * bins,
                   image = number / planes, plane = number % planes,
                   elements = regions->size[0] * regions->size[1];
    double *sum = task->room;
    for (uint64_t i = 0; i < elements; i++)
        sum[i] = 0;
    for (uint64_t region = 0; region < regions->count; region++) {
        const struct bin bin = bin_of(task, regions, region, plane % bins / group, plane % group);
        const double all = elements_of(&bin);
        if (!(bin.image >= (double)image && bin.image < (double)image + 1) || all == 0)
            continue;
        const double each = task_number(task, MEANS_BACKWARD_dy, region * planes + plane) / all;
        for (uint64_t h = bin.from[0]; h < bin.to[0]; h++)
            for (uint64_t w = bin.from[1]; w < bin.to[1]; w++)
                sum[h * regions->size[1] + w] += each;
    }
    task_write(task, MEANS_BACKWARD_out, number * elements, elements, sum);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct regions regions;
    (void)result;
    TRY(read_means(call, &regions));
    const uint64_t bins = regions.group * regions.group, elements = regions.size[0] * regions.size[1];
    return row_tasks_plan(call, &(struct row_tasks_request){.body = mean_of_bin,
                                                            .count = regions.count * regions.channels * bins,
                                                            .task_ns = (elements / bins + 8) * ELEMENT_NS,
                                                            .parameters = &regions,
                                                            .parameter_bytes = sizeof regions});
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct regions regions;
    (void)result;
    TRY(read_means_backward(call, &regions));
    const uint64_t bins = regions.group * regions.group, elements = regions.size[0] * regions.size[1];
    return row_tasks_plan(call, &(struct row_tasks_request){
                                    .body = spread_bins,
                                    .count = elements == 0 ? 0 : regions.images * regions.channels * bins,
                                    .task_ns = (regions.count + 1) * (elements / bins + 8) * ELEMENT_NS,
                                    .room = elements,
                                    .parameters = &regions,
                                    .parameter_bytes = sizeof regions});
}

KIND_FUNCTION(RegionMeans, MEANS, .stem = "region_means", .family = FAMILY_WINDOW, .promise = &promise_sum,
              ROW_TASKS, .infer = infer, .plan = plan);
KIND_FUNCTION(RegionMeansBackward, MEANS_BACKWARD, .stem = "region_means_backward", .family = FAMILY_WINDOW,
              .promise = &promise_sum, ROW_TASKS, .infer = infer_backward, .plan = plan_backward);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&RegionMeans_function);
    program_offer_function(&RegionMeansBackward_function);
}
