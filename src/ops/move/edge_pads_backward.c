/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of tensors that are continued at their edges: the sum of what came from each element, in the
 * order of gradOutput, in doubles that are rounded once. A row of gradInput at a time takes the rows of
 * gradOutput that came from it.
 */
#include "aclnnop/aclnn_circular_pad2d_backward.h"
#include "aclnnop/aclnn_circular_pad3d_backward.h"
#include "aclnnop/aclnn_pad2d_backward.h"
#include "aclnnop/aclnn_reflection_pad1d_backward.h"
#include "aclnnop/aclnn_reflection_pad3d_backward.h"
#include "aclnnop/aclnn_replication_pad1d_backward.h"
#include "aclnnop/aclnn_replication_pad3d_backward.h"
#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/move/edges.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/transfer.h"

#define EDGE_GRADIENTS(X, of, set, padded_, sample_, numbers) \
    X(of, IN, gradOutput, &(set), .sample = padded_)          \
    X(of, IN, self, &(set), .sample = sample_)                \
    X(of, INTS, padding, .sample = numbers)                   \
    X(of, OUT, gradInput, &(set))
SIGNATURE_PLACES(EDGE_GRADIENTS, , , , )

/* Elements of gradOutput that are brought together at a time. */
enum { PIECE = 512, ELEMENT_PS = 2000 };

struct plan {
    const struct transfer *transfer;
    aclDataType wide; /* of sums */
    uint32_t parts;   /* doubles of an element */
    struct operand grad, out;
    uint32_t last; /* the last dim */
    int64_t size[OPERAND_RANK_MAX], grad_stride[OPERAND_RANK_MAX], out_stride[OPERAND_RANK_MAX];
    struct segments segments[OPERAND_RANK_MAX];
    uint64_t rows, slots, cost_ns;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct shape shape;
    TRY(check_dtype(call, EDGE_GRADIENTS_gradOutput));
    TRY(check_dtype(call, EDGE_GRADIENTS_self));
    TRY(check_same_dtype(call, EDGE_GRADIENTS_gradOutput, EDGE_GRADIENTS_self, NULL));
    TRY(edges_check(call, EDGE_GRADIENTS_self, &shape));
    const struct shape given = shape_of(&call->tensor[EDGE_GRADIENTS_gradOutput]);
    if (given.rank != shape.rank || memcmp(given.dim, shape.dim, shape.rank * sizeof shape.dim[0]) != 0)
        return tell_fit(call, EDGE_GRADIENTS_gradOutput, &shape, "what self is padded to");
    result_like(result, call, EDGE_GRADIENTS_self);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *out = &call->tensor[EDGE_GRADIENTS_gradInput],
                             *grad = &call->tensor[EDGE_GRADIENTS_gradOutput];
    struct executor_content *content;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    const bool is_complex = out->dtype == ACL_COMPLEX64 || out->dtype == ACL_COMPLEX128;
    struct plan plan = {.transfer = transfer_of(call->settings->isa),
                        .wide = is_complex ? ACL_COMPLEX128 : ACL_DOUBLE,
                        .parts = is_complex ? 2 : 1,
                        .grad = operand_of(call, EDGE_GRADIENTS_gradOutput),
                        .out = operand_of(call, EDGE_GRADIENTS_gradInput),
                        .last = out->rank - 1};
    memcpy(plan.size, out->shape, out->rank * sizeof out->shape[0]);
    memcpy(plan.out_stride, out->stride, out->rank * sizeof out->stride[0]);
    memcpy(plan.grad_stride, grad->stride, out->rank * sizeof grad->stride[0]);
    edges_segments(call, EDGE_GRADIENTS_self, plan.segments);
    plan.rows = (uint64_t)(out->count / out->shape[plan.last]);
    plan.slots = call->settings->thread_count < plan.rows ? call->settings->thread_count : plan.rows;
    plan.cost_ns = (uint64_t)((double)(grad->count + out->count) * ELEMENT_PS / 1000);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Sums of a row, which become its elements. */
static size_t row_bytes(const struct plan *plan)
{
    return whole_lines((uint64_t)plan->size[plan->last] * 2 * sizeof(double) * plan->parts);
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return plan->slots * row_bytes(plan);
}

struct work {
    const struct plan *plan;
    const unsigned char *grad;
    unsigned char *out;
};

/* A row of gradOutput to that of the sums, piece by piece. */
static void add_row(const struct plan *plan, const unsigned char *from, double *sum)
{
    _Alignas(64) unsigned char raw[PIECE * 16] __attribute__((uninitialized));
    _Alignas(64) double value[PIECE * 2] __attribute__((uninitialized));
    const struct segments *segments = &plan->segments[plan->last];
    const int64_t stride = plan->grad_stride[plan->last], parts = plan->parts;
    for (uint32_t s = 0; s < segments->count; s++) {
        const struct segment segment = segments->segment[s];
        for (int64_t at = 0; at < segment.size; at += PIECE) {
            const int64_t left = segment.size - at, count = left < PIECE ? left : PIECE;
            const struct block block = {1, (size_t)count, 0, stride};
            plan->transfer->gather(raw, from + (segment.to + at) * stride * (int64_t)plan->grad.bytes, &block,
                                   plan->grad.bytes);
            const double *read = value;
            if (plan->grad.dtype == plan->wide)
                read = (const double *)(const void *)raw;
            else
                plan->transfer->convert(raw, plan->grad.dtype, value, plan->wide, (size_t)count);
            for (int64_t i = 0; i < count; i++)
                for (int64_t k = 0; k < parts; k++)
                    sum[(segment.from + (at + i) * segment.step) * parts + k] += read[i * parts + k];
        }
    }
}

/* The rows of gradOutput that came from the row with this index, from a dim on, in their order. */
static void add_rows(const struct plan *plan, const int64_t *index, uint32_t dim, const unsigned char *from,
                     double *sum)
{
    if (dim == plan->last) {
        add_row(plan, from, sum);
        return;
    }
    const int64_t bytes = plan->grad_stride[dim] * (int64_t)plan->grad.bytes;
    for (uint32_t s = 0; s < plan->segments[dim].count; s++) {
        const struct segment segment = plan->segments[dim].segment[s];
        const int64_t away = index[dim] - segment.from;
        const bool repeats = segment.step == 0;
        const int64_t first = repeats ? 0 : away * segment.step, count = repeats ? segment.size : 1;
        if (repeats ? away != 0 : first < 0 || first >= segment.size)
            continue;
        for (int64_t i = first; i < first + count; i++)
            add_rows(plan, index, dim + 1, from + (segment.to + i) * bytes, sum);
    }
}

static void sum_row(void *context, uint64_t row, unsigned char *memory)
{
    const struct work *work = context;
    const struct plan *plan = work->plan;
    const uint64_t length = (uint64_t)plan->size[plan->last];
    double *const sum = (double *)(void *)memory, *made = sum;
    int64_t index[OPERAND_RANK_MAX], place = 0;
    uint64_t number = row;
    for (uint32_t i = plan->last; i-- > 0; number /= (uint64_t)plan->size[i]) {
        index[i] = (int64_t)(number % (uint64_t)plan->size[i]);
        place += index[i] * plan->out_stride[i];
    }
    memset(sum, 0, length * plan->parts * sizeof *sum);
    add_rows(plan, index, 0, work->grad, sum);
    if (plan->out.dtype == plan->wide) {
        canonical_nans(sum, length * plan->parts);
    } else {
        made = sum + length * plan->parts;
        plan->transfer->convert(sum, plan->wide, made, plan->out.dtype, length);
    }
    const struct block block = {1, length, 0, plan->out_stride[plan->last]};
    plan->transfer->scatter(work->out + place * (int64_t)plan->out.bytes, &block, made, plan->out.bytes);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct work work = {.plan = plan, .grad = address[plan->grad.address], .out = address[plan->out.address]};
    const struct task_memory memory = {scratch, row_bytes(plan), plan->slots};
    tasks_run_in_memory(sum_row, &work, plan->rows, &memory, plan->cost_ns);
    return 0;
}

#define EDGE_GRADIENT(api, stem_, dims_, edge_, ...)                                                 \
    static const struct padded api##_padded = {.dims = (dims_), .edge = (edge_)};                    \
    FUNCTION_LIKE(api, (EDGE_GRADIENTS, __VA_ARGS__), .stem = (stem_), .family = FAMILY_MOVE,        \
                  .promise = &promise_sum, .operation.run = run, .operation.work_bytes = work_bytes, \
                  .infer = infer, .plan = plan, .of_family = &api##_padded)

EDGE_GRADIENT(aclnnReflectionPad1dBackward, "reflection_pad1d_backward", 1, REFLECTED, dtypes_floats_complex,
              "2x5", "2x3", "1,1");
EDGE_GRADIENT(aclnnReflectionPad2dBackward, "pad2d_backward", 2, REFLECTED, dtypes_floats_complex, "2x5x6",
              "2x3x4", "1,1,1,1");
EDGE_GRADIENT(aclnnReflectionPad3dBackward, "reflection_pad3d_backward", 3, REFLECTED, dtypes_floats_complex,
              "2x5x6x4", "2x3x4x2", "1,1,1,1,1,1");
EDGE_GRADIENT(aclnnReplicationPad1dBackward, "replication_pad1d_backward", 1, REPLICATED,
              dtypes_floats_complex, "2x5", "2x3", "1,1");
EDGE_GRADIENT(aclnnReplicationPad2dBackward, "pad2d_backward", 2, REPLICATED, dtypes_floats_complex, "2x5x6",
              "2x3x4", "1,1,1,1");
EDGE_GRADIENT(aclnnReplicationPad3dBackward, "replication_pad3d_backward", 3, REPLICATED,
              dtypes_floats_complex, "2x5x6x4", "2x3x4x2", "1,1,1,1,1,1");
EDGE_GRADIENT(aclnnCircularPad2dBackward, "circular_pad2d_backward", 2, CIRCULAR, dtypes_fp32_fp16_bf16,
              "2x5x6", "2x3x4", "1,1,1,1");
EDGE_GRADIENT(aclnnCircularPad3dBackward, "circular_pad3d_backward", 3, CIRCULAR, dtypes_fp32_fp16_bf16,
              "2x5x6x4", "2x3x4x2", "1,1,1,1,1,1");
