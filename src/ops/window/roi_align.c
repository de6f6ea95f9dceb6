/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Regions of planes, each cut into bins of one number: the mean of samples that lie on a grid in the bin, between the
 * four elements around each (K. He and others, Mask R-CNN, 2017); and the gradient. A plane at a time, regions in their
 * order, in doubles.
 */
#include "aclnnop/aclnn_roi_align.h"
#include "aclnnop/aclnn_roi_align_backward.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { SAMPLE_NS = 20, GRID_MAX = 4096, CORNERS = 5 };

#define ALIGN(X, of)                                                 \
    X(of, IN, features, &dtypes_fp32_fp16_bf16, .sample = "3x2x5x5") \
    X(of, IN, rois, &dtypes_fp32_fp16_bf16, .sample = "3x5")         \
    X(of, FLOAT, spatialScale, .usual = "0.5")                       \
    X(of, INT64, pooledHeight, .usual = "2")                         \
    X(of, INT64, pooledWidth, .usual = "2")                          \
    X(of, INT64, sampleNum, .usual = "2")                            \
    X(of, INT64, roiEndMode, .usual = "1")                           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define ALIGN_BACKWARD(X, of)                                          \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = "3x2x2x2") \
    X(of, IN, rois, &dtypes_fp32_fp16_bf16, .sample = "3x5")           \
    X(of, INTS, xShape, .sample = "3,2,5,5")                           \
    X(of, INT64, pooledWidth, .usual = "2")                            \
    X(of, INT64, pooledHeight, .usual = "2")                           \
    X(of, FLOAT, spatialScale, .usual = "0.5")                         \
    X(of, INT64, sampleNum, .usual = "2")                              \
    X(of, INT64, roiEndMode, .usual = "1")                             \
    X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)
SIGNATURE(ALIGN)
SIGNATURE(ALIGN_BACKWARD)
enum { PLANES = 0, ROIS = 1 };

struct regions {
    uint64_t count, images, channels, size[2], bins[2]; /* height and width */
    double scale;
    int64_t samples, mode;
    uint8_t out;
};

static aclnnStatus read_regions(const struct call *call, struct regions *regions)
{
    const bool is_backward = call->function->of_family != NULL;
    const union argument *argument = call->argument;
    const struct tensor_view *planes = &call->tensor[PLANES];
    const int64_t rois = call->tensor[ROIS].shape[0], *shape = planes->shape;
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, ROIS, PLANES, NULL));
    TRY(check_sizes(call, PLANES, SIZES(-1, -1, -1, -1)));
    TRY(check_sizes(call, ROIS, SIZES(-1, CORNERS)));
    *regions = (struct regions){
        .count = (uint64_t)rois,
        .samples = argument[is_backward ? ALIGN_BACKWARD_sampleNum : ALIGN_sampleNum].int64,
        .mode = argument[is_backward ? ALIGN_BACKWARD_roiEndMode : ALIGN_roiEndMode].int64,
        .scale = (double)argument[is_backward ? ALIGN_BACKWARD_spatialScale : ALIGN_spatialScale].fp32,
        .out = is_backward ? ALIGN_BACKWARD_gradInput : ALIGN_out};
    const int64_t bins[2] = {argument[is_backward ? ALIGN_BACKWARD_pooledHeight : ALIGN_pooledHeight].int64,
                             argument[is_backward ? ALIGN_BACKWARD_pooledWidth : ALIGN_pooledWidth].int64};
    if (bins[0] < 1 || bins[1] < 1 || bins[0] > INT32_MAX || bins[1] > INT32_MAX)
        return refuse(call,
                      "pooledHeight and pooledWidth are %" PRId64 " and %" PRId64 "; 1 or more are expected",
                      bins[0], bins[1]);
    if (regions->samples < 0 || regions->samples > GRID_MAX)
        return refuse(call, "sampleNum is %" PRId64 "; 0 to %d are expected", regions->samples, GRID_MAX);
    if (regions->mode < 0 || regions->mode > 2)
        return refuse(call, "roiEndMode is %" PRId64 "; 0, 1 or 2 is expected", regions->mode);
    if (is_backward) {
        const struct call_values *values = &call->values[ALIGN_BACKWARD_xShape];
        bool fits = values->count == 4;
        for (uint64_t i = 0; fits && i < 4; i++)
            fits = values->value.int64[i] >= 0 && values->value.int64[i] <= INT32_MAX;
        if (!fits)
            return refuse(call, "xShape is %s; four sizes are expected",
                          dims_text(TEXT, (uint32_t)values->count, values->value.int64));
        shape = values->value.int64;
        TRY(check_sizes(call, PLANES, SIZES(rois, shape[1], bins[0], bins[1])));
    }
    if (rois > 0 && shape[0] == 0)
        return refuse(call, "there are %" PRId64 " regions of no image; one or more are expected", rois);
    regions->images = (uint64_t)shape[0];
    regions->channels = (uint64_t)shape[1];
    for (int i = 0; i < 2; i++) {
        regions->size[i] = (uint64_t)shape[2 + i];
        regions->bins[i] = (uint64_t)bins[i];
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct regions regions;
    TRY(read_regions(call, &regions));
    const bool is_backward = regions.out == ALIGN_BACKWARD_gradInput;
    const uint64_t *size = is_backward ? regions.size : regions.bins;
    result->computed = call_dtype(call, PLANES);
    struct output *output =
        result_sized(result, result->computed, DTYPE_EQUAL,
                     SIZES((int64_t)(is_backward ? regions.images : regions.count), (int64_t)regions.channels,
                           (int64_t)size[0], (int64_t)size[1]));
    return check_element_count(call, &output->shape);
}

/* Where a region begins and the size of its bins, of height and of width, and how many samples a bin has there. */
struct region {
    double begin[2], bin[2];
    uint64_t grid[2];
};

static struct region region_of(const struct regions *regions, const double *corner)
{
    struct region region;
    for (int i = 0; i < 2; i++) { /* y is behind x */
        const double shift = regions->mode == 2 ? 0.5 : 0;
        const double end = (corner[4 - i] + (regions->mode == 1 ? 1 : 0)) * regions->scale - shift;
        region.begin[i] = corner[2 - i] * regions->scale - shift;
        double size = end - region.begin[i];
        size = regions->mode != 2 && !(size > 1) ? 1 : size;
        region.bin[i] = size / (double)regions->bins[i];
        const double samples = __builtin_ceil(region.bin[i]);
        region.grid[i] = regions->samples > 0 ? (uint64_t)regions->samples
                         : samples > 0        ? (uint64_t)samples
                                              : 0;
    }
    return region;
}

static int start(struct task *task)
{
    const struct regions *regions = task->parameters;
    for (uint64_t r = 0; r < regions->count; r++) {
        double corner[CORNERS];
        bool is_finite = true;
        task_read(task, ROIS, r * CORNERS, CORNERS, corner);
        for (int i = 1; i < CORNERS; i++)
            is_finite = is_finite && corner[i] - corner[i] == 0;
        for (int i = 0; is_finite && regions->samples == 0 && i < 2; i++)
            is_finite = (corner[4 - i] - corner[2 - i] + 1) * regions->scale <=
                        (double)GRID_MAX * (double)regions->bins[i];
        if (!(corner[0] >= 0 && corner[0] < (double)regions->images))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "rois holds %g for the image of region %" PRIu64 "; 0 to %" PRIu64
                                  " are expected",
                                  corner[0], r, regions->images - 1);
        if (!is_finite)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "region %" PRIu64
                                  " of rois has corners that are not finite, or bins of more than "
                                  "%d samples",
                                  r, GRID_MAX);
    }
    return 0;
}

/* The two elements around a place along one dim, and how near each is; false outside. */
static bool find_neighbours(double place, uint64_t size, uint64_t *near, double *weight)
{
    if (!(place >= -1 && place <= (double)size) || size == 0)
        return false;
    place = place > 0 ? place : 0;
    uint64_t low = (uint64_t)place;
    if (low >= size - 1) {
        low = size - 1;
        place = (double)low;
    }
    near[0] = low;
    near[1] = low + 1 < size ? low + 1 : low;
    weight[1] = place - (double)low;
    weight[0] = 1 - weight[1];
    return true;
}

/* The mean of a bin's samples; or, with a gradient, what goes to the plane. */
static double visit_bin(const struct regions *regions, const struct region *region, const uint64_t *bin,
                        double *plane, const double *gradient)
{
    const double count = (double)(region->grid[0] * region->grid[1]);
    double sum = 0;
    for (uint64_t y = 0; y < region->grid[0]; y++)
        for (uint64_t x = 0; x < region->grid[1]; x++) {
            const uint64_t sample[2] = {y, x};
            uint64_t near[2][2];
            double weight[2][2];
            bool is_inside = true;
            for (int i = 0; i < 2; i++) {
                const double place = region->begin[i] + (double)bin[i] * region->bin[i] +
                                     ((double)sample[i] + 0.5) * region->bin[i] / (double)region->grid[i];
                is_inside = is_inside && find_neighbours(place, regions->size[i], near[i], weight[i]);
            }
            for (int k = 0; is_inside && k < 4; k++) {
                double *element = plane + near[0][k / 2] * regions->size[1] + near[1][k % 2];
                const double factor = weight[0][k / 2] * weight[1][k % 2];
                if (gradient != NULL)
                    *element += *gradient * factor / count;
                else
                    sum += *element * factor;
            }
        }
    return count > 0 ? sum / count : 0;
}

static void visit_plane(const struct task *task, uint64_t number)
{
    const struct regions *regions = task->parameters;
    const uint64_t elements = regions->size[0] * regions->size[1], bins = regions->bins[0] * regions->bins[1],
                   image = number / regions->channels, channel = number % regions->channels;
    const bool is_backward = regions->out == ALIGN_BACKWARD_gradInput;
    double *plane = task->room, *bin = plane + elements;
    memset(plane, 0, elements * sizeof *plane);
    if (!is_backward && elements > 0)
        task_read(task, PLANES, number * elements, elements, plane);
    for (uint64_t r = 0; r < regions->count; r++) {
        double corner[CORNERS];
        task_read(task, ROIS, r * CORNERS, CORNERS, corner);
        if ((uint64_t)corner[0] != image)
            continue;
        const struct region region = region_of(regions, corner);
        const uint64_t at = (r * regions->channels + channel) * bins;
        if (is_backward)
            task_read(task, PLANES, at, bins, bin);
        for (uint64_t b = 0; b < bins; b++) {
            const uint64_t place[2] = {b / regions->bins[1], b % regions->bins[1]};
            const double mean = visit_bin(regions, &region, place, plane, is_backward ? &bin[b] : NULL);
            if (!is_backward)
                bin[b] = mean;
        }
        if (!is_backward)
            task_write(task, ALIGN_out, at, bins, bin);
    }
    if (is_backward)
        task_write(task, ALIGN_BACKWARD_gradInput, number * elements, elements, plane);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct regions regions;
    (void)result;
    TRY(read_regions(call, &regions));
    const uint64_t elements = regions.size[0] * regions.size[1], bins = regions.bins[0] * regions.bins[1],
                   samples = regions.samples > 0 ? (uint64_t)(regions.samples * regions.samples) : 4;
    const uint64_t each = regions.count / (regions.images + 1) + 1;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = visit_plane,
                                          .start = start,
                                          .count = regions.images * regions.channels,
                                          .task_ns = elements + each * bins * samples * SAMPLE_NS + 200,
                                          .room = elements + bins,
                                          .parameters = &regions,
                                          .parameter_bytes = sizeof regions});
}

#define ALIGNS .family = FAMILY_WINDOW, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
static const bool backward = true; /* of_family */
FUNCTION_OF(aclnnROIAlign, ALIGN, .stem = "roi_align", ALIGNS);
FUNCTION_OF(aclnnROIAlignBackward, ALIGN_BACKWARD, .stem = "roi_align_backward", ALIGNS,
            .of_family = &backward);
