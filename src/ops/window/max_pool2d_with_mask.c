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
#include "ops/window/max_pool_kernels.h"
#include "ops/window/window_sizes.h"
#include "simd/vector/level_table.h"

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
    PLACES = 64,  /* of windows that are computed side by side, at most; there are few larger ones */
    WINDOW_PS = 3000,
    ELEMENT_PS = 1000,
};

struct max_pool {
    const struct transfer *transfer;
    const struct max_pool_kernels *kernels;
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

LEVEL_TABLE(const struct max_pool_kernels, kernels_of, max_pool_kernels);

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
        .kernels = kernels_of[call->settings->isa],
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
            uint32_t bits = 0;
            memcpy(&bits, plane + at, bytes);
            const int32_t order = order_of_bits(bits, bytes == 4 ? 0x80000000 : 0x8000, plan->infinity);
            const int64_t takes = -(int64_t)((order > greatest) | (order == INT32_MAX));
            greatest ^= (greatest ^ order) & (int32_t)takes;
            place ^= (place ^ (i * plan->wide.kernel + j)) & takes;
            found ^= (found ^ at) & takes;
        }
    }
    *from = plane + found;
    return place;
}

/* Windows in work: of a block, element by element of each, or side by side. */
struct block_work {
    const unsigned char *self; /* of the plane */
    unsigned char *mask;
    uint64_t begin, end;
    uint32_t value[BLOCK + WINDOWS_SLACK];
    int32_t order[BLOCK + WINDOWS_SLACK], place[BLOCK + WINDOWS_SLACK]; /* -1: its bit is set already */
};

static inline __attribute__((always_inline)) void
pool_window(const struct pool_work *work, struct block_work *block, uint64_t window, uint32_t bytes)
{
    const struct max_pool *plan = work->plan;
    const uint64_t width = (uint64_t)plan->wide.out, at = window - block->begin;
    const unsigned char *from = block->self;
    const int64_t place =
        find_greatest(work, block->self, (int64_t)(window / width), (int64_t)(window % width), bytes, &from);
    memcpy(&block->value[at], from, bytes);
    block->place[at] = -1;
    block->mask[(uint64_t)place * plan->row_bytes + window / 8] |= (unsigned char)(1u << window % 8);
}

/* Windows along an axis that lie on the tensor as a whole. */
static void whole_windows(const struct window *window, int64_t *first, int64_t *behind)
{
    const int64_t last = window->in + window->padding - window->kernel;
    *first = window->padding > 0 ? (window->padding - 1) / window->stride + 1 : 0;
    *behind = last < 0 ? 0 : last / window->stride + 1;
    *behind = *behind < window->out ? *behind : window->out;
}

/* Rows and columns of windows that all lie on the tensor as a whole along W, and of several rows along H, too. */
struct side_by_side {
    int64_t row, column, rows, columns;
};

/* Place by place. */
static void pool_side_by_side(const struct pool_work *work, struct block_work *block, uint64_t window,
                              const struct side_by_side *windows)
{
    const struct max_pool *plan = work->plan;
    const uint32_t bytes = plan->self.bytes;
    const uint64_t at = window - block->begin;
    const size_t count = (size_t)(windows->rows * windows->columns);
    const struct windows_met met = {block->value + at, block->order + at, block->place + at};
    /* A stride that no second window needs may be of any size. */
    const struct block step = {(size_t)windows->rows, (size_t)windows->columns,
                               windows->rows > 1 ? plan->high.stride * plan->stride[2] : 0,
                               windows->columns > 1 ? plan->wide.stride * plan->stride[3] : 0};
    unsigned char gathered[(BLOCK + WINDOWS_SLACK) * sizeof(float)] __attribute__((uninitialized));
    const int64_t left = windows->column * plan->wide.stride - plan->wide.padding;
    int64_t top, first, behind;
    real_places(&plan->high, windows->row, &top, &first, &behind);
    memset(met.value, 0, count * sizeof *met.value);
    for (size_t i = 0; i < count; i++)
        met.order[i] = INT32_MIN; /* no element has it */
    for (int64_t i = first; i < behind; i++)
        for (int64_t j = 0; j < plan->wide.kernel; j++) {
            const int64_t place = (top + i) * plan->stride[2] + (left + j) * plan->stride[3];
            plan->transfer->gather(gathered, block->self + place * (int64_t)bytes, &step, bytes);
            plan->kernels->meet(gathered, bytes, plan->infinity, (int32_t)(i * plan->wide.kernel + j), count,
                                &met);
        }
}

/* The next windows up to the end: rows of them, or some of a row; their number. Side by side they are where
 * there is a column. */
static uint64_t next_windows(const struct max_pool *plan, uint64_t begin, uint64_t end,
                             struct side_by_side *windows)
{
    const int64_t width = plan->wide.out, count = (int64_t)(end - begin);
    const bool are_small = plan->high.kernel <= PLACES && plan->wide.kernel <= PLACES / plan->high.kernel;
    int64_t first, behind, first_row, behind_row;
    whole_windows(&plan->wide, &first, &behind);
    whole_windows(&plan->high, &first_row, &behind_row);
    const int64_t row = (int64_t)begin / width, column = (int64_t)begin % width;
    *windows = (struct side_by_side){row, column, 1, 0};
    if (!are_small || column < first || column >= behind) {
        const int64_t next = are_small && column < first && first < behind ? first : width;
        return (uint64_t)(next - column < count ? next - column : count);
    }
    windows->columns = behind - column < count ? behind - column : count;
    if (windows->columns == width && row >= first_row && row < behind_row)
        windows->rows = behind_row - row < count / width ? behind_row - row : count / width;
    return (uint64_t)(windows->rows * windows->columns);
}

/* The values as elements, side by side. */
static const void *elements_of(uint32_t *value, uint64_t count, uint32_t bytes)
{
    uint16_t *half = (uint16_t *)(void *)value;
    for (uint64_t i = 0; bytes == 2 && i < count; i++) {
        const uint16_t element = (uint16_t)value[i];
        memcpy(half + i, &element, sizeof element);
    }
    return value;
}

static void pool_windows(const struct pool_work *work, uint64_t plane, uint64_t begin, uint64_t end)
{
    const struct max_pool *plan = work->plan;
    struct block_work block __attribute__((uninitialized));
    const uint32_t bytes = plan->self.bytes;
    const uint64_t places = (uint64_t)(plan->high.kernel * plan->wide.kernel), count = end - begin;
    const int64_t n = (int64_t)(plane / plan->channels), c = (int64_t)(plane % plan->channels);
    bool has_places = false;
    block.self = work->self + (n * plan->stride[0] + c * plan->stride[1]) * (int64_t)bytes;
    block.mask = work->mask + plane * places * plan->row_bytes;
    block.begin = begin;
    block.end = end;

    /* The last block clears what follows the bits. */
    const uint64_t first_byte = begin / 8;
    const uint64_t behind_byte = end == plan->windows ? plan->row_bytes : end / 8;
    for (uint64_t place = 0; place < places; place++)
        memset(block.mask + place * plan->row_bytes + first_byte, 0, behind_byte - first_byte);

    for (uint64_t window = begin, some; window < end; window += some) {
        struct side_by_side windows;
        some = next_windows(plan, window, end, &windows);
        has_places = has_places || windows.columns > 0;
        if (windows.columns > 0)
            pool_side_by_side(work, &block, window, &windows);
        else if (bytes == 4)
            for (uint64_t i = 0; i < some; i++)
                pool_window(work, &block, window + i, 4);
        else
            for (uint64_t i = 0; i < some; i++)
                pool_window(work, &block, window + i, 2);
    }
    for (uint64_t i = count; i % 8 != 0; i++)
        block.place[i] = -1;
    for (uint64_t place = 0; has_places && place < places; place++)
        plan->kernels->mark(block.place, (int32_t)place, (size_t)(count + 7) / 8,
                            block.mask + place * plan->row_bytes + first_byte);
    const struct nest *out = nest_in(plan, plan->out_all);
    nest_scatter(out, 0, nest_place_at(out, plane * plan->windows + begin), plan->transfer, work->out, bytes,
                 elements_of(block.value, count, bytes), (size_t)count);
}

static void pool_unit(void *context, uint64_t unit)
{
    const struct pool_work *work = (const struct pool_work *)context;
    const struct max_pool *plan = work->plan;
    uint64_t begin = unit % plan->blocks * BLOCK, end = begin + BLOCK;
    end = end < plan->windows ? end : plan->windows;
    pool_windows(work, unit / plan->blocks, begin, end);
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
