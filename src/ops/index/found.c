/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions whose result is as long as there are true elements: MaskedSelect, the elements of self where mask
 * is true, both broadcast, in row-major order; Nonzero, the coordinates of elements that are not 0 (NaN is
 * not), a row for each; NonzeroV2, the same as a column for each. What comes out lies packed at the beginning
 * of out, or along its strides where it has some of its own; out gets the shape of it once that is known.
 */
#include "aclnnop/aclnn_masked_select.h"

#include <inttypes.h>

#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_nonzero_v2.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/element_bytes.h"
#include "ops/loops/numbered.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "ops/port.h"
#include "ops/signature.h"

#define MASKED_SELECT(X, of)                                                                    \
    X(of, IN, self, &dtypes_floats_integers_bool_small_on_950_naturals, .is_partly_read = true) \
    X(of, IN, mask, &dtypes_uint8_bool, .sample = "2x3:BOOL")                                   \
    X(of, OUT, out, &dtypes_floats_integers_bool_small_on_950_naturals)
SIGNATURE(MASKED_SELECT)
#define NONZERO(X, of) X(of, IN, self, &dtypes_reals, .is_partly_read = true) X(of, OUT, out, &dtypes_int64)
SIGNATURE(NONZERO)

/* Elements that a thread looks at once; of these, those on the stack. Picoseconds for an element. */
enum { SHARE = 1 << 14, PIECE = 1024, ELEMENT_PS = 700 };

struct plan {
    bool selects, is_by_column; /* MaskedSelect; NonzeroV2 */
    bool is_packed;             /* out has no strides of its own */
    struct port self, mask;     /* as it is, and as BOOL */
    struct operand out;
    const aclTensor *handle; /* of out */
    struct shape shape;      /* that mask has, broadcast */
    int64_t stride[2];       /* of out */
};

static bool has_mask(const struct call *call)
{
    return call->function->parameter_count == MASKED_SELECT_out + 1;
}

static aclnnStatus infer_masked_select(const struct call *call, struct result *result)
{
    static const unsigned both[] = {MASKED_SELECT_self, MASKED_SELECT_mask};
    struct shape shape;
    TRY(check_dtype(call, MASKED_SELECT_self));
    TRY(check_dtype(call, MASKED_SELECT_mask));
    TRY(check_rank(call, MASKED_SELECT_self));
    TRY(check_rank(call, MASKED_SELECT_mask));
    TRY(check_broadcast_together(call, both, 2, &shape));
    struct output *output = result_add(result, call->tensor[MASKED_SELECT_self].dtype, DTYPE_ANY);
    output->like = MASKED_SELECT_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 1, .dim = {1}};
    for (uint32_t i = 0; i < shape.rank; i++)
        output->shape.dim[0] *= shape.dim[i];
    return ACLNN_SUCCESS;
}

/* What of_family of these functions is: whether coordinates are columns. */
static const bool by_row = false, by_column = true;

static bool is_by_column(const struct call *call)
{
    return *(const bool *)call->function->of_family;
}

/* What is contiguous may have any shape with room for all coordinates. */
static bool has_room(const struct call *call, const struct shape *most)
{
    const struct tensor_view *self = &call->tensor[MASKED_SELECT_self], *out = &call->tensor[NONZERO_out];
    const uint32_t along = is_by_column(call) ? 1 : 0;
    if (out->rank > OPERAND_RANK_MAX)
        return false;
    if (self->rank == 0) /* there are no coordinates, however many rows of them */
        return out->count == 0;
    if (out->is_contiguous)
        return out->count / self->rank >= self->count;
    return out->rank == 2 && out->shape[along] >= most->dim[along] &&
           out->shape[1 - along] == most->dim[1 - along];
}

static aclnnStatus infer_nonzero(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[MASKED_SELECT_self];
    TRY(check_dtype(call, MASKED_SELECT_self));
    TRY(check_rank(call, MASKED_SELECT_self));
    struct output *output = result_add(result, ACL_INT64, DTYPE_EQUAL);
    output->like = MASKED_SELECT_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 2, .dim = {self->count, self->rank}};
    if (is_by_column(call))
        output->shape = (struct shape){.rank = 2, .dim = {self->rank, self->count}};
    if (call->has_outputs && has_room(call, &output->shape))
        output->shape = shape_of(&call->tensor[NONZERO_out]);
    return ACLNN_SUCCESS;
}

/* Tells out how many there are; gives the strides of what is written. */
static void set_view(const struct plan *plan, int64_t count, int64_t *stride)
{
    const int64_t dims = plan->shape.rank;
    int64_t shape[2] = {count, dims};
    stride[0] = plan->is_packed && !plan->selects ? (dims > 0 ? dims : 1) : plan->stride[0];
    stride[1] = plan->is_packed ? 1 : plan->stride[1];
    if (plan->is_by_column) {
        shape[0] = dims;
        shape[1] = count;
        stride[0] = plan->is_packed ? (count > 0 ? count : 1) : plan->stride[0];
    }
    (void)tensor_set_view(plan->handle, plan->selects ? 1 : 2, shape, stride);
}

static aclnnStatus plan_found(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call),
                   mask = has_mask(call) ? MASKED_SELECT_mask : MASKED_SELECT_self;
    const struct tensor_view *out = &call->tensor[output];
    struct executor_content *content;
    struct tensor_view whole = {.rank = 0, .count = 1};
    void *made;
    struct plan plan = {.selects = has_mask(call),
                        .is_by_column = !has_mask(call) && is_by_column(call),
                        .handle = call->argument[output].tensor,
                        .out = operand_of(call, output),
                        .is_packed = !has_mask(call) && out->is_contiguous};
    (void)result;
    plan.stride[0] = out->rank > 0 ? out->stride[0] : 1;
    plan.stride[1] = out->rank > 1 ? out->stride[1] : 1;
    plan.shape = shape_of(&call->tensor[MASKED_SELECT_self]);
    if (plan.selects) {
        const struct shape masks = shape_of(&call->tensor[MASKED_SELECT_mask]);
        (void)broadcast(&plan.shape, &masks, &plan.shape); /* infer has checked that they do */
    }
    whole.rank = plan.shape.rank;
    for (uint32_t i = 0; i < whole.rank; i++) {
        whole.shape[i] = plan.shape.dim[i];
        whole.count *= whole.shape[i];
    }
    if (whole.count == 0) {
        set_view(&plan, 0, plan.stride);
        return call_idle(call);
    }
    plan.self = port_of(call, MASKED_SELECT_self, call->tensor[MASKED_SELECT_self].dtype);
    plan.mask = port_of(call, mask, ACL_BOOL);
    plan.self.span = numbered_broadcast(&call->tensor[MASKED_SELECT_self], &whole);
    plan.mask.span = numbered_broadcast(&call->tensor[mask], &whole);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = (uint64_t)whole.count * 2 * ELEMENT_PS / 1000 + 100;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Where the work is, which two passes share: the first one counts, the second one writes. */
struct finder {
    const struct plan *plan;
    void *const *address;
    unsigned char *out;
    int64_t stride[2];
    uint64_t *before; /* of each share: how many are true; then, in those before it */
};

static uint64_t share_count(const struct plan *plan)
{
    return (plan->mask.span.count + SHARE - 1) / SHARE;
}

static size_t work_bytes(const void *plan)
{
    return whole_lines(share_count(plan) * sizeof(uint64_t));
}

/* Whether each of some elements from a number on is true: 1 or 0. */
static void read_truth(const struct finder *finder, uint64_t at, uint64_t count, unsigned char *truth)
{
    port_bring(&finder->plan->mask, finder->address, at, count, truth);
    for (uint64_t i = 0; i < count; i++)
        truth[i] = truth[i] != 0;
}

static void count_share(void *context, uint64_t at, uint64_t count)
{
    const struct finder *finder = context;
    unsigned char truth[PIECE] __attribute__((uninitialized));
    uint64_t found = 0;
    uint64_t *const before = &finder->before[at / SHARE];
    for (uint64_t size; count > 0; at += size, count -= size) {
        size = count < PIECE ? count : PIECE;
        read_truth(finder, at, size, truth);
        for (uint64_t i = 0; i < size; i++)
            found += truth[i];
    }
    *before = found;
}

/* Elements of a piece, of which those that are true go together. */
struct packing {
    const unsigned char *truth;
    unsigned char *piece;
    uint64_t count;
};

/* The last one goes where the next one would. */
static inline __attribute__((always_inline)) void pack(const void *work, size_t bytes)
{
    const struct packing *packing = work;
    const unsigned char *truth = packing->truth;
    unsigned char *piece = packing->piece;
    const uint64_t count = packing->count;
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) { /* without a branch that none could foretell */
        memmove(piece + found * bytes, piece + i * bytes, bytes);
        found += truth[i];
    }
}

/* The elements that are true of a piece, from the number `to` on of what is written. */
static uint64_t select_piece(const struct finder *finder, const unsigned char *truth, uint64_t at,
                             uint64_t count, uint64_t to)
{
    const struct plan *plan = finder->plan;
    const uint32_t bytes = plan->self.span.bytes;
    _Alignas(64) unsigned char piece[PIECE * 8] __attribute__((uninitialized));
    _Alignas(64) unsigned char made[PIECE * 8] __attribute__((uninitialized));
    const unsigned char *elements = piece;
    uint64_t found = 0;
    port_bring(&plan->self, finder->address, at, count, piece);
    for (uint64_t i = 0; i < count; i++)
        found += truth[i];
    if (found == 0)
        return 0;
    by_element_bytes(pack, &(struct packing){truth, piece, count}, bytes);
    if (plan->out.dtype != plan->self.dtype) {
        plan->self.transfer->convert(piece, plan->self.dtype, made, plan->out.dtype, found);
        elements = made;
    }
    const struct block block = {1, found, 0, finder->stride[0]};
    plan->self.transfer->scatter(finder->out + (int64_t)to * finder->stride[0] * (int64_t)plan->out.bytes,
                                 &block, elements, plan->out.bytes);
    return found;
}

/* Their coordinates. */
static uint64_t write_coordinates(const struct finder *finder, const unsigned char *truth, uint64_t at,
                                  uint64_t count, uint64_t to)
{
    const struct shape *shape = &finder->plan->shape;
    const int64_t row = finder->stride[finder->plan->is_by_column],
                  column = finder->stride[!finder->plan->is_by_column];
    int64_t *out = (int64_t *)(void *)finder->out + (int64_t)to * row, at_axis[OPERAND_RANK_MAX] = {0};
    uint16_t place[PIECE + 1] __attribute__((uninitialized)), before = 0;
    uint64_t found = 0, number = at;
    for (uint64_t i = 0; i < count; i++) { /* without a branch that none could foretell */
        place[found] = (uint16_t)i;
        found += truth[i];
    }
    for (uint32_t k = shape->rank; k-- > 0; number /= (uint64_t)shape->dim[k])
        at_axis[k] = (int64_t)(number % (uint64_t)shape->dim[k]);
    if (shape->rank == 0)
        return found;
    const uint32_t last = shape->rank - 1;
    const int64_t size = shape->dim[last];
    for (uint64_t n = 0; n < found;) { /* those along the last axis, from one place on */
        const int64_t begin = (int64_t)place[n] - before;
        at_axis[last] += begin;
        before = place[n];
        if (at_axis[last] >= size && last > 0) {
            at_axis[last - 1] += at_axis[last] / size;
            at_axis[last] %= size;
            for (uint32_t k = last - 1; k > 0 && at_axis[k] >= shape->dim[k]; k--) {
                at_axis[k - 1] += at_axis[k] / shape->dim[k];
                at_axis[k] %= shape->dim[k];
            }
        }
        const int64_t shift = at_axis[last] - before, end = size - shift;
        const uint64_t first = n;
        for (; n < found && place[n] < end; n++)
            out[(int64_t)n * row + last * column] = place[n] + shift;
        for (uint32_t k = 0; k < last; k++)
            for (uint64_t i = first; i < n; i++)
                out[(int64_t)i * row + k * column] = at_axis[k];
    }
    return found;
}

static void write_share(void *context, uint64_t at, uint64_t count)
{
    const struct finder *finder = context;
    unsigned char truth[PIECE] __attribute__((uninitialized));
    uint64_t to = finder->before[at / SHARE];
    for (uint64_t size; count > 0; at += size, count -= size) {
        size = count < PIECE ? count : PIECE;
        read_truth(finder, at, size, truth);
        to += finder->plan->selects ? select_piece(finder, truth, at, size, to)
                                    : write_coordinates(finder, truth, at, size, to);
    }
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const uint64_t count = plan->mask.span.count, shares = share_count(plan),
                   cost_ns = count * ELEMENT_PS / 1000;
    uint64_t sum = 0;
    struct finder finder = {
        .plan = plan, .address = address, .out = address[plan->out.address], .before = scratch};
    pieces_run(count_share, &finder, count, SHARE, 4, cost_ns);
    for (uint64_t i = 0; i < shares; i++) {
        const uint64_t found = finder.before[i];
        finder.before[i] = sum;
        sum += found;
    }
    set_view(plan, (int64_t)sum, finder.stride);
    if (sum > 0 && finder.out != NULL)
        pieces_run(write_share, &finder, count, SHARE, 4, cost_ns);
    return 0;
}

#define FOUND(coordinates)                                                          \
    .family = FAMILY_INDEX, .of_family = &(coordinates), .promise = &promise_exact, \
    .operation.work_bytes = work_bytes, .operation.run = run, .plan = plan_found

FUNCTION_OF(aclnnMaskedSelect, MASKED_SELECT, .stem = "masked_select", FOUND(by_row),
            .infer = infer_masked_select);

FUNCTION_OF(aclnnNonzero, NONZERO, .stem = "nonzero", FOUND(by_row), .infer = infer_nonzero);
FUNCTION_OF(aclnnNonzeroV2, NONZERO, .stem = "nonzero_v2", FOUND(by_column), .infer = infer_nonzero);
