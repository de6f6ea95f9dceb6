/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Chooses how a side is cut into planes (by the common divisor of a kernel's offsets), and fills planes with
 * the elements of a side and zeros for its padding.
 */
#include "ops/convolution/planes.h"

#include <string.h>

#include "ops/contraction/sizes.h"
#include "tensor/scratch.h"

/* What the last panel of a plane may read beyond it. */
enum { PLANES_SLACK = 64 };

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void planes_of_large(const struct geometry *geometry, struct planes *planes)
{
    *planes = (struct planes){.planes = 1};
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        const struct convolution_axis *axis = &geometry->axis[i];
        const int64_t period = axis->stride / greatest_divisor(axis->stride, axis->dilation);
        const int64_t last = (axis->kernel - 1) * axis->dilation - axis->padding;
        const int64_t first = floor_quotient(-axis->padding, axis->stride);
        planes->axis[i] = (struct planes_axis){
            .in = axis->large,
            .count = axis->small,
            .step = axis->stride,
            .first = first,
            .reach = floor_quotient(last, axis->stride) - first,
            .phases = axis->kernel < period ? axis->kernel : period,
            .dilation = axis->dilation,
            .base = -axis->padding,
        };
        planes->planes *= planes->axis[i].phases;
    }
    planes_choose_cut(planes);
}

/* Large element i = j * stride + f takes of small element j + (f + padding - k * dilation) / stride. */
void planes_of_small(const struct geometry *geometry, struct planes *planes)
{
    *planes = (struct planes){.planes = 1};
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++) {
        const struct convolution_axis *axis = &geometry->axis[i];
        const int64_t stride = axis->stride, least = axis->padding - (axis->kernel - 1) * axis->dilation;
        const int64_t first = -floor_quotient(-least, stride);
        planes->axis[i] = (struct planes_axis){
            .in = axis->small,
            .count = (axis->large - 1) / stride + 1,
            .step = 1,
            .first = first,
            .reach = floor_quotient(stride - 1 + axis->padding, stride) - first,
            .phases = 1,
        };
    }
    planes_choose_cut(planes);
}

void planes_of_side(const int64_t *size, struct planes *planes)
{
    *planes = (struct planes){.planes = 1};
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        planes->axis[i] = (struct planes_axis){.in = size[i], .count = size[i], .step = 1, .phases = 1};
    planes_choose_cut(planes);
}

void planes_choose_cut(struct planes *planes)
{
    planes->cut = 0;
    while (planes->cut + 1 < CONVOLUTION_AXES && planes->axis[planes->cut].count == 1)
        planes->cut++;
}

uint64_t planes_positions(const struct planes *planes)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        count *= (uint64_t)planes->axis[i].count;
    return count;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Elements of a plane along an axis that are the side's, from begin on, for positions from row on. */
static void real_elements(const struct planes_axis *axis, int64_t residue, int64_t row, int64_t size,
                          int64_t *begin, int64_t *end)
{
    const int64_t behind = axis->in > residue ? (axis->in - residue - 1) / axis->step + 1 : 0;
    *begin = clamp(-axis->first - row, 0, size);
    *end = clamp(behind - axis->first - row, *begin, size);
}

/* Positions of a tile along an axis with the elements that their kernels reach. */
static int64_t size_along(const struct planes *planes, uint32_t axis, uint64_t rows)
{
    return (axis == planes->cut ? (int64_t)rows : planes->axis[axis].count) + planes->axis[axis].reach;
}

/* From the first element of a row to that of the next: zeros at the end of one are those before the next. */
static int64_t length_along(const struct planes *planes, uint32_t axis)
{
    const int64_t size = size_along(planes, axis, planes->rows);
    int64_t begin, end;
    if (axis == planes->cut && planes->tiles_rows > 1)
        return size;
    real_elements(&planes->axis[axis], 0, 0, size, &begin, &end);
    const int64_t shared = size - begin > end ? size - begin : end;
    return shared > planes->axis[axis].count ? shared : planes->axis[axis].count;
}

/* A product, or SCRATCH_MOST: of views that repeat one element there are planes of any size, which no memory has. */
static int64_t limited_product(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > (int64_t)SCRATCH_MOST ? (int64_t)SCRATCH_MOST
                                                                                     : product;
}

void planes_choose_tile(struct planes *planes, int64_t batch, uint64_t images, uint64_t rows)
{
    const uint64_t count = (uint64_t)planes->axis[planes->cut].count;
    planes->images = least(images, (uint64_t)batch);
    planes->rows = least(rows, count);
    planes->tiles_batch = divide_up((uint64_t)batch, planes->images);
    planes->tiles_rows = divide_up(count, planes->rows);
    int64_t pitch = 1, reach = 0;
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0;) {
        planes->pitch[i] = pitch;
        reach += limited_product(size_along(planes, i, planes->rows) - 1, pitch);
        pitch = limited_product(length_along(planes, i), pitch);
    }
    planes->image = pitch;
    planes->span = reach + 1 + limited_product((int64_t)(planes->images - 1), pitch);
    /* Planes a multiple of the caches' sets apart would push one another out. */
    planes->floats = (int64_t)round_up((uint64_t)planes->span, 16);
    planes->floats += planes->floats % 256 == 0 ? 16 : 0;
}

struct planes_tile planes_tile_at(const struct planes *planes, int64_t batch, uint64_t number)
{
    const uint64_t count = (uint64_t)planes->axis[planes->cut].count;
    struct planes_tile tile = {.image = number / planes->tiles_rows * planes->images,
                               .row = number % planes->tiles_rows * planes->rows};
    tile.images = least(planes->images, (uint64_t)batch - tile.image);
    tile.rows = least(planes->rows, count - tile.row);
    tile.columns = (int64_t)(tile.images - 1) * planes->image + 1;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        tile.columns += (size_along(planes, i, tile.rows) - planes->axis[i].reach - 1) * planes->pitch[i];
    return tile;
}

uint64_t planes_floats(const struct planes *planes, uint64_t channels)
{
    uint64_t floats;
    const bool is_too_much = __builtin_mul_overflow(channels, (uint64_t)planes->planes, &floats) ||
                             __builtin_mul_overflow(floats, (uint64_t)planes->floats, &floats);
    return is_too_much || floats >= SCRATCH_MOST ? SCRATCH_MOST : floats + PLANES_SLACK;
}

/* Rows are short, as a rule: a call for each would take as long as what it copies. */
static inline void copy_floats(float *to, const unsigned char *from, int64_t count)
{
    enum { SOME = 8, LONG = 64 };
    if (count >= LONG) {
        memcpy(to, from, (size_t)count * sizeof(float));
        return;
    }
    if (count < SOME) {
        for (int64_t i = 0; i < count; i++)
            memcpy(to + i, from + 4 * i, 4);
        return;
    }
    for (int64_t i = 0; i < count - SOME; i += SOME)
        memcpy(to + i, from + 4 * i, SOME * sizeof(float));
    memcpy(to + count - SOME, from + 4 * (count - SOME), SOME * sizeof(float));
}

/* Every other float; nothing is read behind the last one. */
static inline void copy_every_other(float *to, const unsigned char *from, int64_t count)
{
    typedef float four_floats __attribute__((vector_size(16)));
    enum { SOME = 4 };
    for (int64_t i = 0; i < count && count < SOME; i++)
        memcpy(to + i, from + 8 * i, 4);
    for (int64_t i = 0; i < count && count >= SOME; i += SOME) {
        const int64_t at = i + SOME <= count ? i : count - SOME;
        four_floats low, high;
        memcpy(&low, from + 8 * at, sizeof low);
        memcpy(&high, from + 8 * at + 12, sizeof high);
        low = __builtin_shufflevector(low, high, 0, 2, 5, 7);
        memcpy(to + at, &low, sizeof low);
    }
}

/* Whether elements of a side that are so far apart are floats side by side. */
static bool are_floats_together(const struct side *side, int64_t stride)
{
    return side->dtype == ACL_FLOAT && stride == 1;
}

void planes_read(const struct transfer *transfer, const unsigned char *from, const struct side *side,
                 int64_t stride, int64_t count, float *to)
{
    unsigned char gathered[CONVERT_MAX * sizeof(float)] __attribute__((uninitialized));
    if (are_floats_together(side, stride)) {
        copy_floats(to, from, count);
        return;
    }
    for (int64_t done = 0, some; done < count; done += some) {
        some = count - done < CONVERT_MAX ? count - done : CONVERT_MAX;
        const unsigned char *part = from + done * stride * (int64_t)side->bytes;
        const struct block block = {1, (size_t)some, 0, stride};
        void *place = side->dtype == ACL_FLOAT ? (void *)(to + done) : gathered;
        if (stride != 1)
            transfer->gather(place, part, &block, side->bytes);
        if (side->dtype != ACL_FLOAT)
            transfer->convert(stride == 1 ? (const void *)part : gathered, side->dtype, to + done, ACL_FLOAT,
                              (size_t)some);
    }
}

/* What is to be filled in of a plane along each axis. */
struct part {
    int64_t begin[CONVOLUTION_AXES], end[CONVOLUTION_AXES]; /* elements of the plane */
    int64_t origin[CONVOLUTION_AXES];                       /* which of the side's is element 0 */
};

static void find_part(const struct planes *planes, const struct planes_tile *tile, int64_t phase,
                      struct part *part)
{
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0; phase /= planes->axis[i].phases) {
        const struct planes_axis *axis = &planes->axis[i];
        const int64_t row = i == planes->cut ? (int64_t)tile->row : 0;
        const int64_t residue =
            floor_remainder(phase % axis->phases * axis->dilation + axis->base, axis->step);
        real_elements(axis, residue, row, size_along(planes, i, tile->rows), &part->begin[i], &part->end[i]);
        part->origin[i] = (row + axis->first) * axis->step + residue;
    }
}

static int64_t real_count(const struct part *part)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < CONVOLUTION_AXES; i++)
        count *= part->end[i] - part->begin[i];
    return count;
}

static void fill_plane(const struct planes *planes, const struct part *part, const struct side *side,
                       const unsigned char *image, const struct transfer *transfer, float *to)
{
    const struct planes_axis *axis = planes->axis;
    const int64_t count = part->end[2] - part->begin[2], stride = side->axis[2] * axis[2].step;
    const bool is_plain = are_floats_together(side, stride),
               is_every_other = side->dtype == ACL_FLOAT && stride == 2;
    for (int64_t a = part->begin[0]; a < part->end[0]; a++)
        for (int64_t b = part->begin[1]; b < part->end[1]; b++) {
            const int64_t place = (part->origin[0] + a * axis[0].step) * side->axis[0] +
                                  (part->origin[1] + b * axis[1].step) * side->axis[1] +
                                  (part->origin[2] + part->begin[2] * axis[2].step) * side->axis[2];
            const unsigned char *from = image + place * (int64_t)side->bytes;
            float *row = to + a * planes->pitch[0] + b * planes->pitch[1] + part->begin[2];
            if (is_plain)
                copy_floats(row, from, count);
            else if (is_every_other)
                copy_every_other(row, from, count);
            else
                planes_read(transfer, from, side, stride, count, row);
        }
}

void planes_fill(const struct planes *planes, const struct planes_tile *tile, const struct side *side,
                 const unsigned char *first, uint64_t channels, const struct transfer *transfer, float *to)
{
    memset(to + planes_floats(planes, channels) - PLANES_SLACK, 0, PLANES_SLACK * sizeof(float));
    for (int64_t phase = 0; phase < planes->planes; phase++) {
        struct part part;
        find_part(planes, tile, phase, &part);
        const bool has_gaps = real_count(&part) * (int64_t)tile->images != planes->span;
        for (uint64_t channel = 0; channel < channels; channel++) {
            float *plane = to + ((int64_t)channel * planes->planes + phase) * planes->floats;
            if (has_gaps)
                memset(plane, 0, (size_t)planes->floats * sizeof(float));
            for (uint64_t n = 0; n < tile->images && real_count(&part) > 0; n++) {
                const int64_t place =
                    (int64_t)channel * side->channel + (int64_t)(tile->image + n) * side->batch;
                fill_plane(planes, &part, side, first + place * (int64_t)side->bytes, transfer,
                           plane + (int64_t)n * planes->image);
            }
        }
    }
}
