/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of functions with a tensor of indices: all indices are read first, then self becomes out, then
 * elements move.
 */
#include "ops/index/by_index.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"

/* Elements that a thread copies at once; of these, those that are on the stack. */
enum { COPY_SHARE = 1 << 14, COPY_PIECE = 1024 };

/* Fewer places than these are in the caches when they are met again. */
enum { CACHED_SUMS = 1 << 16 };

aclnnStatus by_index_check(const struct call *call, unsigned index)
{
    if (call->tensor[index].count > 0)
        TRY(check_dtype(call, index));
    return check_rank(call, index);
}

aclnnStatus by_index_check_size(const struct call *call, unsigned index, unsigned self, int64_t size)
{
    if (size > 0 || call->tensor[index].count == 0)
        return ACLNN_SUCCESS;
    return refuse(
        call, "%s has %" PRId64 " elements; none is expected, since there is nothing in %s for it to name",
        call_name(call, index), call->tensor[index].count, call_name(call, self));
}

struct by_index by_index_of(const struct call *call, enum by_index_kind kind, unsigned self, unsigned source,
                            unsigned out)
{
    const bool has_self = self != BY_INDEX_NONE, has_source = source != BY_INDEX_NONE;
    struct by_index plan = {.kind = kind,
                            .has_self = has_self,
                            .has_source = has_source,
                            .out = operand_of(call, out),
                            .out_span = span_of(&call->tensor[out], SPAN_AS_IT_IS)};
    if (has_self) {
        plan.self = operand_of(call, self);
        plan.self_span = span_of(&call->tensor[self], SPAN_AS_IT_IS);
        plan.is_in_self = views_agree(&call->tensor[self], &call->tensor[out]);
    }
    if (has_source)
        plan.source = operand_of(call, source);
    plan.walk = (struct index_walk){.transfer = transfer_of(call->settings->isa),
                                    .floats = index_floats_of(call->settings->isa),
                                    .dtype = plan.out.dtype,
                                    .bytes = plan.out.bytes,
                                    .puts = kind != BY_INDEX_READ,
                                    .extent = kind == BY_INDEX_READ ? plan.self.extent : plan.out.extent,
                                    .is_dense = plan.out.extent == plan.out_span.count};
    return plan;
}

struct index_entry *by_index_set(struct by_index *plan, const struct call *call, unsigned index, int64_t size,
                                 int64_t step)
{
    struct index_entry *entry = &plan->entry;
    index_describe(entry, call, index, -1);
    plan->index = operand_of(call, index);
    entry->size = size;
    entry->step = step;
    plan->positions = shape_of(&call->tensor[index]);
    return entry;
}

struct index_entry *by_index_set_array(struct by_index *plan, const struct call *call, unsigned index,
                                       int64_t size, int64_t step)
{
    const struct call_values *values = &call->values[index];
    plan->entry = (struct index_entry){.name = call->function->parameter[index].name,
                                       .level = call->settings->isa,
                                       .element = -1,
                                       .dtype = ACL_INT64,
                                       .rank = 1,
                                       .shape = {(int64_t)values->count},
                                       .stride = {1},
                                       .size = size,
                                       .step = step};
    plan->given = values->value.int64;
    plan->positions = (struct shape){.rank = 1, .dim = {(int64_t)values->count}};
    return &plan->entry;
}

void by_index_set_lines(struct by_index *plan, const struct call *call, unsigned index, unsigned source,
                        unsigned out, uint32_t dim)
{
    const struct tensor_view *of_index = &call->tensor[index], *of_out = &call->tensor[out];
    const struct span indices = span_of(of_index, SPAN_AS_IT_IS),
                      sources = span_of(&call->tensor[source], SPAN_AS_IT_IS);
    const struct index_walk *walk = &plan->walk;
    const bool adds = plan->kind == BY_INDEX_SUM;
    struct index_lines lines = {.transfer = walk->transfer,
                                .dtype = plan->out.dtype,
                                .adds = adds,
                                .outer = 1,
                                .count = 1,
                                .inner = 1,
                                .slots = call->settings->thread_count};
    if (!index_is_plain(&plan->entry) || !plan->entry.is_strict || of_index->rank == 0 ||
        of_index->rank != of_out->rank || of_index->count == 0 || sources.count != indices.count ||
        !span_is_contiguous(&indices) || !span_is_contiguous(&sources) ||
        !span_is_contiguous(&plan->self_span) || !span_is_contiguous(&plan->out_span))
        return;
    if (adds && (walk->sum_kind > INDEX_ADD || walk->skips_self || walk->has_factor || walk->divides ||
                 lines.dtype == ACL_COMPLEX64 || lines.dtype == ACL_COMPLEX128))
        return;
    for (uint32_t i = 0; i < of_out->rank; i++) {
        if (i != dim && of_index->shape[i] != of_out->shape[i])
            return;
        *(i == dim ? &lines.count : i < dim ? &lines.outer : &lines.inner) *= (uint64_t)of_index->shape[i];
    }
    lines.size = (uint64_t)of_out->shape[dim];
    if (index_lines_choose(&lines))
        plan->lines = lines;
}

/* Sums of complex numbers are those of their parts, which are the only axis of a slice where they are
 * multiplied. */
static void take_apart(struct by_index *plan)
{
    struct index_walk *walk = &plan->walk;
    walk->is_complex = true;
    walk->dtype = walk->dtype == ACL_COMPLEX64 ? ACL_FLOAT : ACL_DOUBLE;
    walk->bytes /= 2;
    walk->extent *= 2;
    plan->entry.step *= plan->is_flat ? 1 : 2;
    for (uint32_t i = 0; i < OPERAND_RANK_MAX; i++)
        plan->entry.along[i] *= 2;
    for (uint32_t i = 0; i < walk->position_count; i++)
        walk->position[i].to *= 2;
    for (uint32_t i = 0; i < walk->slice_count; i++) {
        walk->slice[i].from *= 2;
        walk->slice[i].to *= 2;
    }
    index_add_slice(walk, 2, 1, 1);
}

aclnnStatus by_index_finish(const struct call *call, struct by_index *plan)
{
    struct executor_content *content;
    void *made;
    uint64_t slice = 1;
    for (uint32_t i = 0; i < plan->walk.slice_count; i++)
        slice *= (uint64_t)plan->walk.slice[i].size;
    plan->walk.count = index_elements(&plan->positions);
    if (plan->kind == BY_INDEX_SUM && (plan->out.dtype == ACL_COMPLEX64 || plan->out.dtype == ACL_COMPLEX128))
        take_apart(plan);
    const size_t given_bytes = plan->given != NULL ? plan->walk.count * sizeof *plan->given : 0;
    TRY(call_begin(call, sizeof *plan + given_bytes, &content, &made));
    memcpy(made, plan, sizeof *plan);
    if (given_bytes > 0)
        memcpy((struct by_index *)made + 1, plan->given, given_bytes);
    if (plan->walk.puts && plan->has_self && plan->is_in_self)
        operands_may_be(content, plan->self.address, plan->out.address);
    const uint64_t sum_ns = plan->walk.count < CACHED_SUMS ? 8 : 24;
    content->cost_ns = plan->walk.count * (plan->kind == BY_INDEX_SUM ? sum_ns : 4) +
                       plan->walk.count * slice * plan->walk.bytes / 16 +
                       (plan->walk.puts ? plan->out_span.count * plan->out.bytes / 16 : 0);
    if (plan->lines.width > 0)
        content->cost_ns = index_lines_cost_ns(&plan->lines);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What run needs beside the plan: offsets, and room for sorting. */
struct room {
    bool reads_again; /* indices, instead of keeping their offsets: beside stores that wait it costs more */
    size_t offsets, sorting; /* bytes */
};

static struct room room_of(const struct by_index *plan)
{
    struct room room = {.reads_again = plan->kind != BY_INDEX_SUM && !plan->walk.puts &&
                                       plan->walk.slice_count == 0 && plan->columns == 0 && !plan->is_flat &&
                                       plan->given == NULL && index_is_plain(&plan->entry)};
    room.offsets = room.reads_again ? 0 : whole_lines(plan->walk.count * sizeof(int64_t));
    room.sorting = plan->kind == BY_INDEX_SUM ? whole_lines(index_sum_bytes(plan->walk.count)) : 0;
    return room;
}

size_t by_index_work_bytes(const void *plan)
{
    const struct by_index *by_index = plan;
    if (by_index->lines.width > 0)
        return index_lines_bytes(&by_index->lines);
    const struct room room = room_of(plan);
    return room.offsets + room.sorting;
}

/* All elements of self, or zeros, to out. */
struct copier {
    const struct by_index *plan;
    const unsigned char *self; /* NULL: zeros */
    unsigned char *out;
};

static void copy_share(void *context, uint64_t at, uint64_t count)
{
    const struct copier *copier = context;
    const struct by_index *plan = copier->plan;
    if (copier->self != NULL && span_is_contiguous(&plan->self_span) && span_is_contiguous(&plan->out_span)) {
        memcpy(copier->out + at * plan->out.bytes, copier->self + at * plan->out.bytes,
               count * plan->out.bytes);
        return;
    }
    _Alignas(64) unsigned char piece[COPY_PIECE * 16] = {0};
    for (uint64_t size; count > 0; at += size, count -= size) {
        size = count < COPY_PIECE ? count : COPY_PIECE;
        if (copier->self != NULL)
            span_read(&plan->self_span, plan->walk.transfer, copier->self, at, piece, size);
        span_write(&plan->out_span, plan->walk.transfer, copier->out, at, piece, size);
    }
}

static void copy_self(const struct by_index *plan, const unsigned char *self, unsigned char *out)
{
    struct copier copier = {plan, self, out};
    const uint64_t count = plan->out_span.count;
    pieces_run(copy_share, &copier, count, COPY_SHARE, 4, count * plan->out.bytes / 8);
}

/* Offsets of all positions: what all columns of the index add up to. */
static int read_columns(const struct by_index *plan, const unsigned char *first, int64_t *offset)
{
    struct index_entry entry = plan->entry;
    int status = index_read(&entry, first, &plan->positions, false, offset);
    memset(entry.along, 0, sizeof entry.along); /* once for all columns */
    for (uint32_t i = 0; i < plan->columns && status == 0; i++) {
        first += plan->column_stride * (int64_t)dtype_bytes(entry.dtype);
        entry.size = plan->column_size[i];
        entry.step = plan->column_step[i];
        status = index_read(&entry, first, &plan->positions, true, offset);
    }
    return status;
}

/* Whether all indices are legal. Where they lie side by side they are one row, whatever they lead to. */
static int check_alone(const struct by_index *plan, const void *index)
{
    struct index_entry entry = plan->entry;
    memset(entry.along, 0, sizeof entry.along);
    return index_read(&entry, index, &plan->positions, false, NULL);
}

/* From row-major numbers to places, a number of parts each. */
static void find_places(const struct span *span, int64_t parts, int64_t *offset, uint64_t count)
{
    if (span_is_contiguous(span) && parts == 1)
        return;
    for (uint64_t i = 0; i < count; i++)
        offset[i] = span_place(span, (uint64_t)offset[i]) * parts;
}

int by_index_run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct by_index *plan = plan_memory;
    const struct room room = room_of(plan);
    struct index_walk walk = plan->walk;
    struct index_reader reader;
    const bool has_lines = plan->lines.width > 0;
    const void *const index = plan->given != NULL ? (const void *)(plan + 1) : address[plan->entry.operand];
    if (room.reads_again)
        index_reader_begin(&reader, &plan->entry, index, &plan->positions);
    const int status =
        room.reads_again || has_lines ? check_alone(plan, index) : read_columns(plan, index, scratch);
    if (status != 0)
        return status;
    if (plan->is_flat)
        find_places(walk.puts ? &plan->out_span : &plan->self_span, walk.is_complex ? 2 : 1, scratch,
                    walk.count);
    const unsigned char *self = plan->has_self ? address[plan->self.address] : NULL;
    const unsigned char *source = plan->has_source ? address[plan->source.address] : plan->value;
    if (has_lines) {
        index_lines_run(&plan->lines, index, self, source, address[plan->out.address], scratch);
        return 0;
    }
    if (walk.puts && self != address[plan->out.address]) /* otherwise it is there already */
        copy_self(plan, self, address[plan->out.address]);
    if (walk.count == 0)
        return 0;
    walk.offset = room.reads_again ? NULL : scratch;
    walk.reader = room.reads_again ? &reader : NULL;
    walk.from = walk.puts ? source : self;
    walk.to = address[plan->out.address];
    if (plan->kind == BY_INDEX_SUM)
        index_sum(&walk, (unsigned char *)scratch + room.offsets);
    else
        index_move(&walk);
    return 0;
}
