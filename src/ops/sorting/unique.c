/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Unique and Unique2: each value of self once, in ascending order, NaNs last; of -0 and +0 the bits that came
 * first. UniqueDim: the same of slices along a dim, in the order of their elements, the first one that
 * differs deciding. UniqueConsecutive: each run of equal elements, or of slices along a dim, once. NaN equals
 * nothing, so that every NaN stays. How many come out is known when the work has run: value and counts get
 * the shape of it then.
 */
#include "aclnnop/aclnn_unique.h"

#include <inttypes.h>

#include "aclnnop/aclnn_unique2.h"
#include "aclnnop/aclnn_unique_consecutive.h"
#include "aclnnop/aclnn_unique_dim.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/element_bytes.h"
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/sorting/key.h"
#include "ops/sorting/radix.h"
#include "ops/sorting/sorting.h"
#include "ops/port.h"

/* The places of parameters of all three functions: self is first, outputs are last. */
#define UNIQUE(X, of)                           \
    X(of, IN, self, &dtypes_reals)              \
    X(of, BOOL, sorted, .usual = "true")        \
    X(of, BOOL, returnInverse, .usual = "true") \
    X(of, OUT, valueOut, &dtypes_reals)         \
    X(of, OUT, inverseOut, &dtypes_int64)
SIGNATURE(UNIQUE)
#define UNIQUE2(X, of)                          \
    X(of, IN, self, &dtypes_reals)              \
    X(of, BOOL, sorted, .usual = "true")        \
    X(of, BOOL, returnInverse, .usual = "true") \
    X(of, BOOL, returnCounts, .usual = "true")  \
    X(of, OUT, valueOut, &dtypes_reals)         \
    X(of, OUT, inverseOut, &dtypes_int64)       \
    X(of, OUT, countsOut, &dtypes_int64)
SIGNATURE(UNIQUE2)
#define UNIQUE_DIM(X, of)                       \
    X(of, IN, self, &dtypes_reals)              \
    X(of, BOOL, sorted, .usual = "true")        \
    X(of, BOOL, returnInverse, .usual = "true") \
    X(of, INT64, dim, .usual = "0")             \
    X(of, OUT, valueOut, &dtypes_reals)         \
    X(of, OUT, inverseOut, &dtypes_int64)       \
    X(of, OUT, countsOut, &dtypes_int64)
SIGNATURE(UNIQUE_DIM)
#define UNIQUE_CONSECUTIVE(X, of)               \
    X(of, IN, self, &dtypes_all)                \
    X(of, BOOL, returnInverse, .usual = "true") \
    X(of, BOOL, returnCounts, .usual = "true")  \
    X(of, INT64, dim, .usual = "1000")          \
    X(of, OUT, valueOut, &dtypes_all)           \
    X(of, OUT, inverseOut, &dtypes_int32_int64) \
    X(of, OUT, countsOut, &dtypes_int32_int64)
SIGNATURE(UNIQUE_CONSECUTIVE)
enum { FLATTENED = 1000, LONG_ROW = 1 << 16, ELEMENT_PS = 12000 };

struct plan {
    const struct transfer *transfer;
    enum isa_level level;
    bool sorts, has_inverse, has_counts, is_packed; /* value has no strides of its own */
    struct operand self, value, counts;
    struct port inverse; /* in INT64 */
    const aclTensor *value_handle, *counts_handle;
    struct shape shape;      /* of value, but for its dim */
    uint32_t dim;            /* of value: what there is several of */
    uint64_t length, slices; /* elements along that, and lines of them */
    int64_t stride[OPERAND_RANK_MAX], counts_stride;
    struct nest lines; /* of self; last */
};

/* What a call is about. */
struct request {
    bool is_consecutive, has_inverse, has_counts, is_flat;
    unsigned value; /* the first output */
    uint32_t dim;
};

/* What of_family of these functions is. */
struct unique {
    bool is_consecutive;
    bool has_dim;                  /* of which the consecutive one may say that there is none */
    bool may_count, counts_always; /* asks by an argument; countsOut is an output whatever is asked */
};

static bool is_along(const struct call *call)
{
    const struct unique *unique = call->function->of_family;
    return unique->has_dim && (!unique->is_consecutive || call->argument[UNIQUE_DIM_dim].int64 != FLATTENED);
}

static struct request request_of(const struct call *call)
{
    const struct unique *unique = call->function->of_family;
    struct request request = {.is_consecutive = unique->is_consecutive, .is_flat = true};
    request.value = call_written(call, 0);
    if (request.is_consecutive) {
        request.has_inverse = call->argument[UNIQUE_CONSECUTIVE_returnInverse].boolean;
        request.has_counts = call->argument[UNIQUE_CONSECUTIVE_returnCounts].boolean;
    } else {
        request.has_counts = unique->may_count && call->argument[UNIQUE2_returnCounts].boolean;
        request.has_inverse = call->argument[UNIQUE_returnInverse].boolean || request.has_counts;
        request.has_counts = request.has_counts || unique->counts_always;
    }
    if (is_along(call)) {
        const int64_t dim = call->argument[UNIQUE_DIM_dim].int64, rank = call->tensor[UNIQUE_self].rank;
        request.is_flat = rank == 0;
        request.dim = (uint32_t)(dim < 0 ? dim + rank : dim);
    }
    return request;
}

static void add_integers(const struct call *call, struct result *result, unsigned parameter, bool is_wanted,
                         const struct shape *shape)
{
    const bool is_single = call->has_outputs && call_dtype(call, parameter) == ACL_INT32;
    struct output *output = result_add(result, is_single ? ACL_INT32 : ACL_INT64, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = *shape;
    output->is_unwanted = !is_wanted;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[UNIQUE_self];
    uint32_t dim;
    TRY(check_dtype(call, UNIQUE_self));
    TRY(check_rank(call, UNIQUE_self));
    if (is_along(call))
        TRY(check_dim(call, UNIQUE_DIM_dim, call->argument[UNIQUE_DIM_dim].int64, self->rank, &dim));
    const struct request request = request_of(call);
    const unsigned outputs = call->function->parameter_count - request.value;
    for (unsigned i = 1; call->has_outputs && i < outputs; i++) {
        TRY(check_dtype(call, request.value + i));
        if (i == 2 && call_dtype(call, request.value + 1) != call_dtype(call, request.value + 2))
            return refuse(call, "inverseOut is %s and countsOut is %s; one dtype of both is expected",
                          dtype_name(call_dtype(call, request.value + 1)),
                          dtype_name(call_dtype(call, request.value + 2)));
    }
    if (self->count >= SORTING_LENGTH_END && !request.is_consecutive)
        return refuse(call, "self has %" PRId64 " elements; fewer than %" PRId64 " are expected", self->count,
                      SORTING_LENGTH_END);
    const struct shape own = shape_of(self);
    const int64_t length = request.is_flat ? self->count : self->shape[request.dim];
    const struct shape line = {.rank = 1, .dim = {length}};
    struct output *value = result_add(result, self->dtype, DTYPE_EQUAL);
    value->like = UNIQUE_self;
    value->shape_rule = SHAPE_EQUAL;
    value->shape = request.is_flat ? line : own;
    add_integers(call, result, request.value + 1, request.has_inverse, request.is_flat ? &own : &line);
    if (outputs > 2)
        add_integers(call, result, request.value + 2, request.has_counts, &line);
    return ACLNN_SUCCESS;
}

/* Tells the outputs how many there are; gives the strides of value. */
static void set_views(const struct plan *plan, int64_t found, int64_t *stride)
{
    struct shape shape = plan->shape;
    int64_t step = 1;
    shape.dim[plan->dim] = found;
    for (uint32_t i = shape.rank; i-- > 0;) {
        stride[i] = plan->is_packed ? step : plan->stride[i];
        step *= shape.dim[i] > 0 ? shape.dim[i] : 1;
    }
    (void)tensor_set_view(plan->value_handle, shape.rank, shape.dim, stride);
    if (plan->has_counts)
        (void)tensor_set_view(plan->counts_handle, 1, &found, &plan->counts_stride);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct request request = request_of(call);
    const struct tensor_view *self = &call->tensor[UNIQUE_self], *value = &call->tensor[request.value];
    const unsigned inverse = request.value + 1, counts = request.value + 2;
    struct executor_content *content;
    void *made;
    struct plan plan = {.transfer = transfer_of(call->settings->isa),
                        .level = call->settings->isa,
                        .sorts = !request.is_consecutive,
                        .has_inverse = request.has_inverse,
                        .has_counts = request.has_counts,
                        .is_packed = value->is_contiguous,
                        .self = operand_of(call, UNIQUE_self),
                        .value = operand_of(call, request.value),
                        .value_handle = call->argument[request.value].tensor,
                        .shape = result->output[0].shape,
                        .dim = request.is_flat ? 0 : request.dim,
                        .counts_stride = 1};
    memcpy(plan.stride, value->stride, value->rank * sizeof value->stride[0]);
    plan.length = (uint64_t)plan.shape.dim[plan.dim];
    plan.slices = plan.length > 0 ? (uint64_t)self->count / plan.length : 0;
    if (request.has_inverse) {
        plan.inverse = port_of(call, inverse, ACL_INT64);
    }
    if (request.has_counts) {
        plan.counts = operand_of(call, counts);
        plan.counts_handle = call->argument[counts].tensor;
        plan.counts_stride = call->tensor[counts].stride[0];
    }
    if (self->count == 0) {
        int64_t stride[OPERAND_RANK_MAX];
        set_views(&plan, request.is_flat ? 0 : self->shape[request.dim], stride);
        return call_idle(call);
    }
    nest_of_rows(&plan.lines, self, request.is_flat ? SORTING_WHOLE : request.dim);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = (uint64_t)((double)self->count * ELEMENT_PS / 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Where everything is: self's lines side by side, whether an element begins a run, in the order in which they
 * are walked, which run a place belongs to, and what the sort takes. */
struct room {
    unsigned char *elements, *line, *begins; /* line: of slices in an order */
    int64_t *inverse;
    uint64_t *words, *other;
    uint32_t *counters, *order;
    size_t bytes;
};

static void *part(unsigned char *scratch, size_t *used, size_t bytes)
{
    void *own = scratch != NULL ? scratch + *used : NULL;
    *used += whole_lines(bytes);
    return own;
}

/* The parts of scratch, or its size alone where that is NULL. */
static struct room room_of(const struct plan *plan, unsigned char *scratch)
{
    const size_t words = plan->sorts ? plan->length * sizeof(uint64_t) : 0;
    struct room room = {.bytes = 0};
    room.elements = part(scratch, &room.bytes, plan->length * plan->slices * plan->self.bytes);
    room.line =
        part(scratch, &room.bytes, plan->sorts && plan->slices > 1 ? plan->length * plan->self.bytes : 0);
    room.order =
        part(scratch, &room.bytes, plan->sorts && plan->slices > 1 ? plan->length * sizeof(uint32_t) : 0);
    room.begins = part(scratch, &room.bytes, plan->length);
    room.inverse = part(scratch, &room.bytes, plan->has_inverse ? plan->length * sizeof(int64_t) : 0);
    room.words = part(scratch, &room.bytes, words);
    room.other = part(scratch, &room.bytes, words);
    room.counters =
        part(scratch, &room.bytes, plan->sorts ? sizeof(uint32_t) * RADIX_BLOCKS_MAX * RADIX_BUCKETS : 0);
    return room;
}

static size_t work_bytes(const void *plan)
{
    return room_of(plan, NULL).bytes;
}

/* Has words hold the places of one line's elements in their order. */
static void sort_line(const struct plan *plan, struct room *room, const unsigned char *line)
{
    struct radix radix = {.row = line,
                          .dtype = plan->self.dtype,
                          .level = plan->level,
                          .words = room->words,
                          .other = room->other,
                          .counts = room->counters};
    radix_divide(&radix, plan->length, plan->length >= LONG_ROW ? plan->length * (ELEMENT_PS / 1000) : 0);
    radix_sort_row(&radix);
    room->words = radix.words;
    room->other = radix.other;
}

/* Sorts slices, of which a line has one element each: a stable sort by one line after the other, the last one
 * first. */
static void sort_slices(const struct plan *plan, struct room *room)
{
    const size_t bytes = plan->self.bytes;
    if (plan->slices == 1) {
        sort_line(plan, room, room->elements);
        return;
    }
    for (uint64_t i = 0; i < plan->length; i++)
        room->words[i] = i;
    for (uint64_t slice = plan->slices; slice-- > 0;) {
        const unsigned char *line = room->elements + slice * plan->length * bytes;
        for (uint64_t i = 0; i < plan->length; i++) {
            room->order[i] = (uint32_t)(room->words[i] & UINT32_MAX);
            memcpy(room->line + i * bytes, line + room->order[i] * bytes, bytes);
        }
        sort_line(plan, room, room->line);
        for (uint64_t i = 0; i < plan->length; i++)
            room->words[i] = room->order[room->words[i] & UINT32_MAX];
    }
}

/* Marks where elements of a line, of which each number has so many bytes, differ from the one before; of floats
 * by their numbers, of which NaN differs from every one. */
struct marks {
    const struct plan *plan;
    const struct room *room;
    const unsigned char *line;
    aclDataType dtype;
};

static inline __attribute__((always_inline)) void mark_runs(const void *work, size_t bytes)
{
    const struct marks *marks = work;
    const unsigned char *line = marks->line;
    const uint64_t *words = marks->room->words, length = marks->plan->length;
    const size_t apart = marks->plan->self.bytes;
    const struct order order = order_of(marks->dtype, false);
    unsigned char *begins = marks->room->begins;
    uint64_t before = 0;
    for (uint64_t i = 0; i < length; i++) {
        const uint64_t place = marks->plan->sorts ? words[i] & UINT32_MAX : i;
        uint64_t raw[2] = {0}; /* no number has more than half of it */
        memcpy(raw, line + place * apart, bytes);
        const uint64_t key = key_of(raw[0], &order);
        begins[i] |= key != before || (order.kind == ORDER_FLOAT && key == order.mask);
        before = key;
    }
}

/* Marks where runs begin; returns how many there are. */
static uint64_t find_runs(const struct plan *plan, const struct room *room)
{
    const bool is_complex = plan->self.dtype == ACL_COMPLEX64 || plan->self.dtype == ACL_COMPLEX128;
    const uint32_t parts = is_complex ? 2 : 1, bytes = plan->self.bytes / parts;
    uint64_t found = 0;
    memset(room->begins, 0, plan->length);
    for (uint64_t i = 0; i < plan->slices * parts; i++) {
        const struct marks marks = {.plan = plan,
                                    .room = room,
                                    .line = room->elements + i / parts * plan->length * plan->self.bytes +
                                            i % parts * bytes,
                                    .dtype = !is_complex              ? plan->self.dtype
                                             : bytes == sizeof(float) ? ACL_FLOAT
                                                                      : ACL_DOUBLE};
        by_element_bytes(mark_runs, &marks, bytes);
    }
    room->begins[0] = 1;
    for (uint64_t i = 0; i < plan->length; i++)
        found += room->begins[i];
    return found;
}

/* The element that each run begins with, of one line; to is the line of value. */
static void write_values(const struct plan *plan, const struct room *room, const unsigned char *line,
                         unsigned char *to, int64_t step)
{
    for (uint64_t i = 0; i < plan->length; i++) {
        if (!room->begins[i])
            continue;
        const uint64_t place = plan->sorts ? room->words[i] & UINT32_MAX : i;
        memcpy(to, line + place * plan->self.bytes, plan->self.bytes);
        to += step * (int64_t)plan->self.bytes;
    }
}

static void write_inverse(const struct plan *plan, const struct room *room, void *const *address)
{
    int64_t run = -1;
    for (uint64_t i = 0; i < plan->length; i++) {
        run += room->begins[i];
        room->inverse[plan->sorts ? room->words[i] & UINT32_MAX : i] = run;
    }
    port_deliver(&plan->inverse, address, 0, plan->length, room->inverse);
}

static void write_counts(const struct plan *plan, const struct room *room, unsigned char *to)
{
    for (uint64_t i = 0, first = 0; i < plan->length; first = i) {
        for (i++; i < plan->length && !room->begins[i]; i++)
            ;
        const int64_t count = (int64_t)(i - first);
        const int32_t single = (int32_t)count;
        memcpy(to, plan->counts.dtype == ACL_INT32 ? (const void *)&single : &count, plan->counts.bytes);
        to += plan->counts_stride * (int64_t)plan->counts.bytes;
    }
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct room room = room_of(plan, scratch);
    int64_t stride[OPERAND_RANK_MAX] = {0};
    struct nest others;
    nest_gather(&plan->lines, 0, nest_place_at(&plan->lines, 0), plan->transfer, address[plan->self.address],
                plan->self.bytes, room.elements, plan->length * plan->slices);
    if (plan->sorts)
        sort_slices(plan, &room);
    set_views(plan, (int64_t)find_runs(plan, &room), stride);
    nest_begin(&others, 1);
    for (uint32_t i = 0; i < plan->shape.rank; i++)
        if (i != plan->dim)
            nest_add(&others, plan->shape.dim[i], &stride[i]);
    struct nest_place place = nest_place_at(&others, 0);
    for (uint64_t slice = 0; slice < plan->slices; slice++, nest_advance(&others, &place, 1))
        write_values(plan, &room, room.elements + slice * plan->length * plan->self.bytes,
                     (unsigned char *)address[plan->value.address] +
                         place.offset[0] * (int64_t)plan->value.bytes,
                     stride[plan->dim]);
    if (plan->has_counts)
        write_counts(plan, &room, address[plan->counts.address]);
    if (plan->has_inverse)
        write_inverse(plan, &room, address);
    return 0;
}

#define AS_UNIQUE(...)                                                                       \
    .family = FAMILY_SORTING, .promise = &promise_exact, .operation.work_bytes = work_bytes, \
    .operation.reads_first = true, .operation.run = run, .infer = infer, .plan = plan,       \
    .of_family = &(const struct unique)                                                      \
    {                                                                                        \
        __VA_ARGS__                                                                          \
    }

FUNCTION_OF(aclnnUnique, UNIQUE, .stem = "unique", AS_UNIQUE(.has_dim = false));
FUNCTION_OF(aclnnUnique2, UNIQUE2, .stem = "unique2", AS_UNIQUE(.may_count = true));

FUNCTION_OF(aclnnUniqueConsecutive, UNIQUE_CONSECUTIVE, .stem = "unique_consecutive",
            AS_UNIQUE(.is_consecutive = true, .has_dim = true));

FUNCTION_OF(aclnnUniqueDim, UNIQUE_DIM, .stem = "unique_dim",
            AS_UNIQUE(.has_dim = true, .counts_always = true));
