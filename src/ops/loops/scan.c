/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The plan of a walk along lines and the walk: groups of lines that lie side by side, or are brought so, piece
 * after piece. A line alone is taken as it lies, and so are rows by kernels that take them.
 */
#include "ops/loops/scan.h"

#include "ops/loops/scan_follow.h"

#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/nest.h"
#include "ops/operands.h"

/* Lines shorter than this are brought side by side also where each lies in one piece. Parts of a line that
 * threads share out have so many elements at least. */
enum { SHORT_LINE = 128, PART_MIN = 1 << 15, PARTS_MAX = 64 };

/* Lines that a kernel of rows is given: enough for steps of one to hide those of the others. */
enum { ROWS_AT_ONCE = 8 };

LEVEL_TABLE(const struct scan_follow, follow_of, scan_follow);

/* The views of the nest of lines. */
enum { OF_SELF, OF_VALUES, OF_INDICES, VIEWS };

struct scan_plan {
    const struct transfer *transfer;
    scan_kernel *kernel;
    const struct scan_follow *follow;
    enum scan_kind kind;
    struct operand self, values, indices;
    aclDataType cast, computed;
    uint32_t parts_of_number; /* 2 of complex numbers, which kernels see as doubles */
    bool has_values, has_indices, is_exclusive, is_least;
    bool is_alone;                             /* a group is one line */
    bool is_rows;                              /* a group is lines that each lie in one piece */
    int64_t length, step[VIEWS], begin[VIEWS]; /* along a line; where the first element in order is */
    uint64_t tile, tiles_in_row, groups;       /* lines of a group; groups of a row of lines, and all */
    uint64_t parts;                            /* that threads take of a line */
    uint64_t cost_ns;
    struct nest_axis inner;
    struct nest lines; /* the other axes; last */
};

uint32_t scan_dim(const struct call *call, unsigned self, int64_t dim)
{
    const int64_t rank = call->tensor[self].rank;
    return (uint32_t)(dim < 0 ? dim + (rank > 0 ? rank : 1) : dim);
}

/* The stride of an output along a dim of self, which it has or, behind a dim that is gone, in front of it. */
static int64_t stride_along(const struct tensor_view *self, const struct tensor_view *out, uint32_t dim,
                            uint32_t gone)
{
    const uint32_t own = out->rank < self->rank && dim > gone ? dim - 1 : dim;
    return own < out->rank ? out->stride[own] : 0;
}

static void set_lines(struct scan_plan *plan, const struct call *call, const struct scan_request *request)
{
    const struct tensor_view *self = &call->tensor[request->self];
    const int outputs[VIEWS] = {[OF_VALUES] = request->values, [OF_INDICES] = request->indices};
    nest_begin(&plan->lines, VIEWS);
    for (uint32_t i = 0; i < self->rank; i++) {
        int64_t stride[VIEWS] = {[OF_SELF] = self->stride[i]};
        for (int k = OF_VALUES; k < VIEWS; k++)
            if (outputs[k] != SCAN_NONE)
                stride[k] = stride_along(self, &call->tensor[outputs[k]], i, request->dim);
        if (i != request->dim) {
            nest_add(&plan->lines, self->shape[i], stride);
            continue;
        }
        for (int k = 0; k < VIEWS; k++) {
            plan->step[k] = request->is_reversed ? -stride[k] : stride[k];
            plan->begin[k] = request->is_reversed ? stride[k] * (self->shape[i] - 1) : 0;
        }
    }
    nest_sort(&plan->lines, OF_SELF);
    nest_merge(&plan->lines);
    plan->inner = nest_take_inner(&plan->lines);
}

/* Whether lines go from where they lie to where they are to lie, nothing being converted. */
static bool lie_as_rows(const struct scan_plan *plan)
{
    return plan->kind == SCAN_VALUES && plan->step[OF_SELF] == 1 && plan->step[OF_VALUES] == 1 &&
           plan->parts_of_number == 1 && plan->self.dtype == plan->cast && plan->cast == plan->computed &&
           plan->values.dtype == plan->computed;
}

static void choose_groups(struct scan_plan *plan, uint32_t threads, bool takes_rows)
{
    const bool is_across = plan->inner.stride[OF_SELF] == 1 && plan->inner.size >= 8;
    plan->is_rows = takes_rows && !is_across && plan->inner.size > 1 && lie_as_rows(plan);
    plan->is_alone = plan->inner.size == 1 ||
                     (!plan->is_rows && !is_across && plan->length >= SHORT_LINE && plan->step[OF_SELF] == 1);
    const uint64_t lines = (uint64_t)plan->inner.size, each = plan->lines.count * lines / threads;
    const uint64_t rows = each < 1 ? 1 : each < ROWS_AT_ONCE ? each : ROWS_AT_ONCE;
    const uint64_t width = plan->is_alone ? 1 : plan->is_rows ? rows : SCAN_WIDTH;
    plan->tile = lines < width ? lines : width;
    plan->tiles_in_row = ((uint64_t)plan->inner.size + plan->tile - 1) / plan->tile;
    plan->groups = plan->lines.count * plan->tiles_in_row;
    plan->parts = 1;
    if (plan->kind != SCAN_LAST || plan->groups >= threads)
        return;
    const uint64_t most = (uint64_t)plan->length / PART_MIN;
    plan->parts = most < 1 ? 1 : most < PARTS_MAX ? most : PARTS_MAX;
}

static scan_kernel *kernel_of(const struct scan_kernels *kernels, aclDataType computed)
{
    return computed == ACL_FLOAT   ? kernels->fp32
           : computed == ACL_INT32 ? kernels->int32
           : computed == ACL_INT64 ? kernels->int64
                                   : kernels->fp64;
}

aclnnStatus scan_plan(const struct call *call, const struct scan_request *request)
{
    const struct tensor_view *self = &call->tensor[request->self];
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct scan_plan), &content, &made));
    struct scan_plan *plan = made;
    *plan = (struct scan_plan){
        .transfer = transfer_of(call->settings->isa),
        .kernel = kernel_of(request->kernels[call->settings->isa], request->computed),
        .follow = follow_of[call->settings->isa],
        .kind = request->kind,
        .self = operand_of(call, request->self),
        .cast = request->cast,
        .computed = request->computed,
        .parts_of_number = request->computed == ACL_COMPLEX128 ? 2 : 1,
        .has_values = request->values != SCAN_NONE,
        .has_indices = request->indices != SCAN_NONE,
        .is_exclusive = request->is_exclusive,
        .is_least = request->is_least,
        .length = self->rank > 0 ? self->shape[request->dim] : 1,
        .cost_ns = (uint64_t)((double)self->count * request->element_ps / 1000),
    };
    if (plan->has_values) {
        plan->values = operand_of(call, (unsigned)request->values);
        /* An element is read before what is written for it. */
        if (request->kind != SCAN_LAST && views_agree(self, &call->tensor[request->values]))
            operands_may_be(content, plan->self.address, plan->values.address);
    }
    if (plan->has_indices)
        plan->indices = operand_of(call, (unsigned)request->indices);
    set_lines(plan, call, request);
    choose_groups(plan, call->settings->thread_count, request->takes_rows);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

enum { STATE_WORDS = 2 * SCAN_WIDTH };

static size_t state_bytes(const struct scan_plan *plan)
{
    return plan->parts > 1 ? plan->groups * plan->parts * STATE_WORDS * sizeof(int64_t) : 0;
}

size_t scan_work_bytes(const void *plan)
{
    return state_bytes(plan);
}

struct scan_work {
    const struct scan_plan *plan;
    const unsigned char *self;
    unsigned char *values, *indices;
    int64_t *state; /* of each part of each group, where there are several */
};

/* A group: where its first line begins, and how many it has. */
struct group {
    const unsigned char *self;
    unsigned char *values, *indices;
    uint64_t width;
};

static struct group group_of(const struct scan_work *work, uint64_t number)
{
    const struct scan_plan *plan = work->plan;
    const struct nest_place place = nest_place_at(&plan->lines, number / plan->tiles_in_row);
    const uint64_t line = number % plan->tiles_in_row * plan->tile;
    const uint64_t left = (uint64_t)plan->inner.size - line;
    int64_t at[VIEWS];
    for (int k = 0; k < VIEWS; k++)
        at[k] = place.offset[k] + (int64_t)line * plan->inner.stride[k] + plan->begin[k];
    return (struct group){
        .self = work->self + at[OF_SELF] * (int64_t)plan->self.bytes,
        .values = plan->has_values ? work->values + at[OF_VALUES] * (int64_t)plan->values.bytes : NULL,
        .indices = plan->has_indices ? work->indices + at[OF_INDICES] * (int64_t)plan->indices.bytes : NULL,
        .width = left < plan->tile ? left : plan->tile};
}

/* Memory for a piece, which is converted from one to the other and back. */
struct rooms {
    _Alignas(64) unsigned char a[SCAN_PIECE * 16], b[SCAN_PIECE * 16], c[SCAN_PIECE * 16], d[SCAN_PIECE * 8];
};

static struct block block_of(const struct scan_plan *plan, int view, int64_t length, size_t width)
{
    if (width == 1)
        return (struct block){1, (size_t)length, 0, plan->step[view]};
    return (struct block){(size_t)length, width, plan->step[view], plan->inner.stride[view]};
}

/* self's elements as they are: side by side in `to`, unless they lie so. Gives the step from one element of
 * a line to the next. */
static const unsigned char *bring(const struct scan_plan *plan, const unsigned char *from, int64_t length,
                                  size_t width, bool as_it_lies, unsigned char *to, int64_t *step)
{
    *step = plan->step[OF_SELF];
    if (as_it_lies)
        return from;
    const struct block block = block_of(plan, OF_SELF, length, width);
    plan->transfer->gather(to, from, &block, plan->self.bytes);
    *step = (int64_t)width;
    return to;
}

static void deliver(const struct scan_plan *plan, int view, const struct operand *operand, unsigned char *to,
                    int64_t length, size_t width, const void *from, aclDataType dtype, void *room)
{
    const struct block block = block_of(plan, view, length, width);
    if (dtype != operand->dtype)
        plan->transfer->convert(from, dtype, room, operand->dtype, (size_t)length * width);
    plan->transfer->scatter(to, &block, dtype != operand->dtype ? room : from, operand->bytes);
}

/* Elements from a number on, of all lines of a group; kept is what follow keeps. */
static void scan_part(const struct scan_plan *plan, const struct group *group, int64_t begin, int64_t length,
                      int64_t *state, struct kept *kept)
{
    struct rooms rooms __attribute__((uninitialized));
    const size_t width = group->width;
    const int64_t parts = plan->parts_of_number, most = SCAN_PIECE / (int64_t)width;
    const bool is_converted = plan->self.dtype != plan->computed || plan->self.dtype != plan->cast;
    const bool is_direct =
        plan->is_rows || (plan->kind == SCAN_VALUES && plan->values.dtype == plan->computed &&
                          (width == 1 || plan->inner.stride[OF_VALUES] == 1));
    const bool lies_so = plan->is_rows || width == 1 || plan->inner.stride[OF_SELF] == 1;
    const bool lies_plain = lies_so && (!is_converted || (width == 1 && plan->step[OF_SELF] == 1));
    const bool are_lines =
        plan->kind == SCAN_PLACES && plan->has_values && width > 1 && plan->step[OF_SELF] == 1 &&
        plan->step[OF_VALUES] == 1 && plan->step[OF_INDICES] == 1 && plan->values.dtype == plan->self.dtype &&
        plan->indices.dtype == ACL_INT64 && (uintptr_t)group->indices % sizeof(int64_t) == 0;
    for (int64_t i = begin, done; i < begin + length; i += done) {
        const int64_t left = begin + length - i;
        const unsigned char *own = group->self + i * plan->step[OF_SELF] * (int64_t)plan->self.bytes;
        int64_t step;
        /* Nothing limits a piece of which nothing is kept. */
        done = left < most || ((plan->is_rows || plan->kind == SCAN_LAST) && !is_converted && lies_so) ? left
                                                                                                       : most;
        const unsigned char *raw = bring(plan, own, done, width, lies_plain, rooms.a, &step);
        const unsigned char *input = raw;
        if (plan->cast != plan->self.dtype) {
            plan->transfer->convert(input, plan->self.dtype, rooms.b, plan->cast, (size_t)done * width);
            input = rooms.b;
        }
        if (plan->computed != plan->cast) {
            unsigned char *to = input == rooms.b ? rooms.a : rooms.b;
            plan->transfer->convert(input, plan->cast, to, plan->computed, (size_t)done * width);
            input = to;
        }
        const int64_t raw_step = step;
        if (is_converted)
            step = (int64_t)width;
        unsigned char *values = NULL;
        if (plan->has_values && plan->kind != SCAN_LAST)
            values = group->values + i * plan->step[OF_VALUES] * (int64_t)plan->values.bytes;
        const struct scan_piece piece = {
            .input = input,
            .output = is_direct ? values : rooms.c,
            .step = step * parts,
            .output_step = (is_direct ? plan->step[OF_VALUES] : (int64_t)width) * parts,
            .line_step = plan->is_rows ? plan->inner.stride[OF_SELF] : 1,
            .output_line_step = plan->is_rows ? plan->inner.stride[OF_VALUES] : 1,
            .length = (size_t)done,
            .width = width * (size_t)parts,
            .first = i,
            .state = state,
            .begins = i == begin,
            .is_exclusive = plan->is_exclusive,
            .is_least = plan->is_least};
        plan->kernel(&piece);
        if (plan->kind == SCAN_VALUES && !is_direct)
            deliver(plan, OF_VALUES, &plan->values, values, done, width, rooms.c, plan->computed, rooms.a);
        if (are_lines) {
            const struct followed_lines followed = {.piece = &piece,
                                                    .self = group->self,
                                                    .values = group->values,
                                                    .indices = (int64_t *)(void *)group->indices,
                                                    .self_stride = plan->inner.stride[OF_SELF],
                                                    .values_stride = plan->inner.stride[OF_VALUES],
                                                    .indices_stride = plan->inner.stride[OF_INDICES],
                                                    .kept = kept};
            plan->follow->lines(&followed, plan->self.bytes);
        } else if (plan->kind == SCAN_PLACES) {
            /* What was converted lay in b. A line's values may lie in self's place: where one is its own, it
             * stays. */
            unsigned char *places =
                group->indices + i * plan->step[OF_INDICES] * (int64_t)plan->indices.bytes;
            const bool values_lie = width == 1 && plan->step[OF_VALUES] == 1;
            const bool places_lie = width == 1 && plan->step[OF_INDICES] == 1 &&
                                    plan->indices.dtype == ACL_INT64 &&
                                    (uintptr_t)places % sizeof(int64_t) == 0;
            const struct followed followed = {.piece = &piece,
                                              .element = raw,
                                              .step = raw_step,
                                              .kept = kept,
                                              .to = values_lie ? values : rooms.b,
                                              .place = (int64_t *)(void *)(places_lie ? places : rooms.d)};
            plan->follow->piece(&followed, plan->self.bytes);
            if (!values_lie)
                deliver(plan, OF_VALUES, &plan->values, values, done, width, rooms.b, plan->values.dtype,
                        NULL);
            if (!places_lie)
                deliver(plan, OF_INDICES, &plan->indices, places, done, width, rooms.d, ACL_INT64, rooms.c);
        }
    }
}

/* What is left of a group's lines: the places in its state's second words. */
static void finish_last(const struct scan_plan *plan, const struct group *group, const int64_t *state)
{
    const int64_t *place = state + SCAN_WIDTH;
    for (size_t k = 0; k < group->width; k++) {
        const int64_t *stride = plan->inner.stride;
        const int64_t line = (int64_t)k;
        if (plan->has_values)
            memcpy(group->values + line * stride[OF_VALUES] * (int64_t)plan->values.bytes,
                   group->self +
                       (line * stride[OF_SELF] + place[k] * plan->step[OF_SELF]) * (int64_t)plan->self.bytes,
                   plan->self.bytes);
        const int32_t single = (int32_t)place[k];
        memcpy(group->indices + line * stride[OF_INDICES] * (int64_t)plan->indices.bytes,
               plan->indices.bytes == sizeof single ? (const void *)&single : &place[k], plan->indices.bytes);
    }
}

static void scan_group(void *context, uint64_t i)
{
    const struct scan_work *work = context;
    const struct scan_plan *plan = work->plan;
    int64_t own[STATE_WORDS] __attribute__((uninitialized));
    struct kept kept __attribute__((uninitialized));
    const struct group group = group_of(work, i / plan->parts);
    const int64_t first = (int64_t)(i % plan->parts) * (plan->length / (int64_t)plan->parts);
    const bool is_last = i % plan->parts + 1 == plan->parts;
    int64_t *state = plan->parts > 1 ? work->state + i * STATE_WORDS : own;
    memset(own, 0, sizeof own);
    scan_part(plan, &group, first, is_last ? plan->length - first : plan->length / (int64_t)plan->parts,
              state, &kept);
    if (plan->kind == SCAN_LAST && plan->parts == 1)
        finish_last(plan, &group, own);
}

/* Finds among the parts of each group the one that counts, line by line. */
static void merge_parts(const struct scan_work *work)
{
    const struct scan_plan *plan = work->plan;
    for (uint64_t i = 0; i < plan->groups; i++) {
        const struct group group = group_of(work, i);
        int64_t *state = work->state + i * plan->parts * STATE_WORDS;
        for (uint64_t part = 1; part < plan->parts; part++) {
            const int64_t *other = state + part * STATE_WORDS;
            for (size_t k = 0; k < group.width; k++)
                if (other[k] > state[k]) {
                    state[k] = other[k];
                    state[SCAN_WIDTH + k] = other[SCAN_WIDTH + k];
                }
        }
        finish_last(plan, &group, state);
    }
}

int scan_run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct scan_plan *plan = plan_memory;
    struct scan_work work = {.plan = plan,
                             .self = address[plan->self.address],
                             .values = plan->has_values ? address[plan->values.address] : NULL,
                             .indices = plan->has_indices ? address[plan->indices.address] : NULL,
                             .state = scratch};
    tasks_run(scan_group, &work, plan->groups * plan->parts, 4, plan->cost_ns);
    if (plan->parts > 1)
        merge_parts(&work);
    return 0;
}
