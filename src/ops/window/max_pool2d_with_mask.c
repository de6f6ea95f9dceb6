/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the greatest element of each window of self's planes; indices = where in its window it is, a bit.
 *
 * The first of equal elements counts, -0 equals +0, and the last NaN counts before every number. Threads
 * share blocks of a plane's windows, whose bits are bytes of their own.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/window/window_sizes.h"

#define MAX_POOL2D_WITH_MASK(X, of)                              \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = "2x3x4x5") \
    X(of, INTS, kernelSize, .sample = "2,2")                     \
    X(of, INTS, stride, .is_optional = true, .sample = "2,2")    \
    X(of, INTS, padding, .sample = "0,0")                        \
    X(of, INTS, dilation, .sample = "1,1")                       \
    X(of, BOOL, ceilMode, .usual = "false")                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                      \
    X(of, OUT, indices, &dtypes_int8_uint8)
SIGNATURE(MAX_POOL2D_WITH_MASK)

enum {
    BLOCK = 1024, /* windows of a block: whole bytes of bits */
    WINDOW_PS = 3000,
    ELEMENT_PS = 1000,
};

struct max_pool {
    const struct transfer *transfer;
    struct operand self, out, mask;
    uint32_t out_all, mask_all; /* their nests in row-major order, behind the plan */
    uint32_t infinity;
    struct window high, wide; /* along H and W */
    int64_t stride[4];        /* of self: N, C, H, W */
    uint64_t channels, windows, blocks, units;
    uint64_t row_bytes; /* of the mask, for each place in a window */
    uint64_t cost_ns;
};

static const struct window_parameters window_parameters = {
    MAX_POOL2D_WITH_MASK_kernelSize, MAX_POOL2D_WITH_MASK_stride, MAX_POOL2D_WITH_MASK_padding,
    MAX_POOL2D_WITH_MASK_dilation, MAX_POOL2D_WITH_MASK_ceilMode};

static aclnnStatus windows_of(const struct call *call, struct window *high, struct window *wide)
{
    const struct tensor_view *self = &call->tensor[MAX_POOL2D_WITH_MASK_self];
    TRY(window_along(call, &window_parameters, 0, 2, self->shape[self->rank - 2], high));
    TRY(window_along(call, &window_parameters, 1, 2, self->shape[self->rank - 1], wide));
    if (high->dilation == 1 && wide->dilation == 1)
        return ACLNN_SUCCESS;
    return refuse(call, "dilation has %" PRId64 "; 1 is expected",
                  high->dilation > 1 ? high->dilation : wide->dilation);
}

/* Bytes of a row of the mask: those that the contract gives, of which the bits take less. */
static bool row_bytes_of(const struct window *high, const struct window *wide, int64_t *bytes)
{
    int64_t windows;
    if (__builtin_mul_overflow(high->out, wide->out, &windows) || windows > INT64_MAX / 2 - 64)
        return false;
    *bytes = ((windows + 15) / 16 + 1) * 32;
    return true;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MAX_POOL2D_WITH_MASK_self];
    struct window high, wide;
    int64_t places, row;
    TRY(check_dtype(call, MAX_POOL2D_WITH_MASK_self));
    if (self->rank != 3 && self->rank != 4)
        return refuse(call, "self has %u dims; 3 or 4 are expected", self->rank);
    TRY(windows_of(call, &high, &wide));
    if (__builtin_mul_overflow(high.kernel, wide.kernel, &places) || !row_bytes_of(&high, &wide, &row))
        return refuse(call, "indices has more than 2^63 - 1 elements; that many at most are expected");
    result->computed = self->dtype;
    struct output *out = result_add(result, self->dtype, DTYPE_EQUAL);
    struct output *mask = result_add(result, ACL_INT8, DTYPE_ANY);
    out->like = mask->like = MAX_POOL2D_WITH_MASK_self;
    out->shape_rule = mask->shape_rule = SHAPE_EQUAL;
    out->shape.rank = mask->shape.rank = self->rank;
    for (uint32_t i = 0; i + 2 < self->rank; i++)
        out->shape.dim[i] = mask->shape.dim[i] = self->shape[i];
    out->shape.dim[self->rank - 2] = high.out;
    out->shape.dim[self->rank - 1] = wide.out;
    mask->shape.dim[self->rank - 2] = places;
    mask->shape.dim[self->rank - 1] = row;
    return ACLNN_SUCCESS;
}

static uint32_t infinity_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT ? 0x7f800000 : dtype == ACL_FLOAT16 ? 0x7c00 : 0x7f80;
}

static uint32_t append_all(const struct call *call, unsigned parameter, void *plan, size_t *bytes)
{
    struct nest all;
    nest_of_rows(&all, &call->tensor[parameter], TENSOR_RANK_MAX);
    return nest_append(&all, plan, bytes);
}

static aclnnStatus plan_pool(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[MAX_POOL2D_WITH_MASK_self];
    struct window high, wide;
    struct executor_content *content;
    void *made;
    TRY(windows_of(call, &high, &wide));
    if (self->count == 0)
        return call_idle(call);
    const size_t nest_most = offsetof(struct nest, axis) + self->rank * sizeof(struct nest_axis);
    size_t bytes = sizeof(struct max_pool);
    TRY(call_begin(call, bytes + 2 * nest_most, &content, &made));
    struct max_pool *plan = made;
    *plan = (struct max_pool){
        .transfer = transfer_of(call->settings->isa),
        .self = operand_of(call, MAX_POOL2D_WITH_MASK_self),
        .out = operand_of(call, MAX_POOL2D_WITH_MASK_out),
        .mask = operand_of(call, MAX_POOL2D_WITH_MASK_indices),
        .infinity = infinity_of(self->dtype),
        .high = high,
        .wide = wide,
        .channels = (uint64_t)self->shape[self->rank - 3],
        .windows = (uint64_t)(high.out * wide.out),
        .row_bytes = (uint64_t)result->output[1].shape.dim[self->rank - 1],
    };
    plan->out_all = append_all(call, MAX_POOL2D_WITH_MASK_out, plan, &bytes);
    plan->mask_all = append_all(call, MAX_POOL2D_WITH_MASK_indices, plan, &bytes);
    for (uint32_t i = 0; i < self->rank; i++)
        plan->stride[4 - self->rank + i] = self->stride[i];
    plan->blocks = (plan->windows + BLOCK - 1) / BLOCK;
    plan->units = plan->blocks * ((uint64_t)call->tensor[MAX_POOL2D_WITH_MASK_out].count / plan->windows);
    plan->cost_ns =
        (uint64_t)((double)call->tensor[MAX_POOL2D_WITH_MASK_out].count * WINDOW_PS / 1000 +
                   (double)call->tensor[MAX_POOL2D_WITH_MASK_indices].count / 8 * ELEMENT_PS / 1000);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct pool_work {
    const struct max_pool *plan;
    const unsigned char *self;
    unsigned char *out;
    unsigned char *mask; /* contiguous: the operand or scratch */
};

/* Greater for greater elements, the same for both zeros, greatest for NaN: no number has it. */
static inline int32_t order_of(const unsigned char *element, uint32_t bytes, uint32_t infinity)
{
    uint32_t raw = 0;
    memcpy(&raw, element, bytes);
    const uint32_t sign = bytes == 4 ? 0x80000000 : 0x8000, size = raw & ~sign;
    const int32_t negative = -(int32_t)((raw & sign) != 0);
    return size > infinity ? INT32_MAX : ((int32_t)size ^ negative) - negative;
}

/* The part of a window that lies on the tensor: places first to behind. */
static inline void real_places(const struct window *window, int64_t number, int64_t *begin, int64_t *first,
                               int64_t *behind)
{
    *begin = number * window->stride - window->padding;
    *first = *begin < 0 ? -*begin : 0;
    *behind = window->in - *begin < window->kernel ? window->in - *begin : window->kernel;
}

/* Compiled for both sizes of elements. The place in the window of what it finds; *from points there. */
static inline __attribute__((always_inline)) int64_t find_greatest(const struct pool_work *work,
                                                                   const unsigned char *plane, int64_t row,
                                                                   int64_t column, uint32_t bytes,
                                                                   const unsigned char **from)
{
    const struct max_pool *plan = work->plan;
    const int64_t step = plan->stride[3] * bytes;
    int64_t top, first_row, behind_row, left, first, behind, place = -1, found = 0;
    int32_t greatest = INT32_MIN; /* no element has it */
    real_places(&plan->high, row, &top, &first_row, &behind_row);
    real_places(&plan->wide, column, &left, &first, &behind);
    for (int64_t i = first_row; i < behind_row; i++) {
        int64_t at = (top + i) * plan->stride[2] * bytes + (left + first) * step;
        for (int64_t j = first; j < behind; j++, at += step) {
            /* Masks: compilers would branch, which nothing foretells. */
            const int32_t order = order_of(plane + at, bytes, plan->infinity);
            const int64_t takes = -(int64_t)((order > greatest) | (order == INT32_MAX));
            greatest ^= (greatest ^ order) & (int32_t)takes;
            place ^= (place ^ (i * plan->wide.kernel + j)) & takes;
            found ^= (found ^ at) & takes;
        }
    }
    *from = plane + found;
    return place;
}

static inline __attribute__((always_inline)) void pool_windows(const struct pool_work *work, uint64_t plane,
                                                               uint64_t begin, uint64_t end, uint32_t bytes)
{
    const struct max_pool *plan = work->plan;
    unsigned char value[BLOCK * sizeof(float)] __attribute__((uninitialized));
    const uint64_t places = (uint64_t)(plan->high.kernel * plan->wide.kernel),
                   width = (uint64_t)plan->wide.out;
    const int64_t n = (int64_t)(plane / plan->channels), c = (int64_t)(plane % plan->channels);
    const unsigned char *self = work->self + (n * plan->stride[0] + c * plan->stride[1]) * bytes;
    unsigned char *mask = work->mask + plane * places * plan->row_bytes;

    /* The last block clears what follows the bits. */
    const uint64_t first_byte = begin / 8;
    const uint64_t behind_byte = end == plan->windows ? plan->row_bytes : end / 8;
    for (uint64_t place = 0; place < places; place++)
        memset(mask + place * plan->row_bytes + first_byte, 0, behind_byte - first_byte);

    int64_t row = (int64_t)(begin / width), column = (int64_t)(begin % width);
    for (uint64_t window = begin; window < end; window++) {
        const unsigned char *from = self;
        int64_t place = find_greatest(work, self, row, column, bytes, &from);
        memcpy(value + (window - begin) * bytes, from, bytes);
        mask[(uint64_t)place * plan->row_bytes + window / 8] |= (unsigned char)(1u << window % 8);
        if (++column == plan->wide.out) {
            column = 0;
            row++;
        }
    }
    const struct nest *out = nest_in(plan, plan->out_all);
    nest_scatter(out, 0, nest_place_at(out, plane * plan->windows + begin), plan->transfer, work->out, bytes,
                 value, (size_t)(end - begin));
}

static void pool_unit(void *context, uint64_t unit)
{
    const struct pool_work *work = (const struct pool_work *)context;
    const struct max_pool *plan = work->plan;
    uint64_t begin = unit % plan->blocks * BLOCK, end = begin + BLOCK;
    end = end < plan->windows ? end : plan->windows;
    if (plan->self.bytes == 4)
        pool_windows(work, unit / plan->blocks, begin, end, 4);
    else
        pool_windows(work, unit / plan->blocks, begin, end, 2);
}

static size_t pool_work_bytes(const void *plan_bytes)
{
    const struct max_pool *plan = (const struct max_pool *)plan_bytes;
    const struct nest *mask = nest_in(plan, plan->mask_all);
    return nest_is_linear(mask, 0) ? 0 : whole_lines(mask->count);
}

static int pool_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct max_pool *plan = (const struct max_pool *)plan_bytes;
    const struct nest *mask = nest_in(plan, plan->mask_all);
    unsigned char *const mask_first = address[plan->mask.address];
    struct pool_work work = {
        .plan = plan,
        .self = (const unsigned char *)address[plan->self.address],
        .out = (unsigned char *)address[plan->out.address],
        .mask = nest_is_linear(mask, 0) ? mask_first : scratch,
    };
    tasks_run(pool_unit, &work, plan->units, 1, plan->cost_ns);
    if (work.mask != mask_first)
        nest_scatter(mask, 0, nest_place_at(mask, 0), plan->transfer, mask_first, 1, work.mask,
                     (size_t)mask->count);
    return 0;
}

FUNCTION_OF(aclnnMaxPool2dWithMask, MAX_POOL2D_WITH_MASK, .stem = "max_pool2d_with_indices",
            .promise = &promise_exact, .family = FAMILY_WINDOW, .operation.run = pool_run,
            .operation.work_bytes = pool_work_bytes, .infer = infer, .plan = plan_pool);
