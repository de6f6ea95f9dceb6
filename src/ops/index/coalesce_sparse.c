/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Entries of a sparse tensor whose index is the same become one: its index, and the sum of their values, in
 * DOUBLE in the order of the entries, rounded once; integers keep the low bits. Where each entry goes is
 * given.
 */
#include "aclnnop/aclnn_coalesce_sparse.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/span.h"
#include "runtime/streams/fault.h"
#include "simd/vector/kernels.h"

enum { UNIQUE, PLACES, INDICES, VALUES, NEW_INDICES, NEW_VALUES, PARAMETERS_ALL };
enum { PIECE = 512, ELEMENT_PS = 2000 };

struct coalesce_plan {
    const struct transfer *transfer;
    struct operand operand[PARAMETERS_ALL];
    struct span span[PARAMETERS_ALL];
    uint64_t entries, places, dims, width; /* of a value */
    bool is_float;
    uint64_t cost_ns;
};

/* The dims behind the first one are those of the reference. */
static aclnnStatus check_rows(const struct call *call, unsigned parameter, int64_t rows)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (view->rank == 0 || view->shape[0] != rows)
        return refuse(call,
                      "%s has %u dims and %" PRId64 " rows; 1 dim or more and %" PRId64
                      " rows, the elements of uniqueIndices, are expected",
                      call_name(call, parameter), view->rank, view->rank > 0 ? view->shape[0] : 0, rows);
    return ACLNN_SUCCESS;
}

static void add_rows(struct result *result, const struct call *call, unsigned of, int64_t rows)
{
    struct output *output = result_add(result, call->tensor[of].dtype, DTYPE_EQUAL);
    output->like = of;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(&call->tensor[of]);
    output->shape.dim[0] = rows;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *unique = &call->tensor[UNIQUE], *places = &call->tensor[PLACES];
    for (unsigned i = UNIQUE; i <= VALUES; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = UNIQUE; i <= VALUES; i++)
        TRY(check_rank(call, i));
    if (unique->rank != 1 || places->rank != 1)
        return refuse(call, "uniqueLen has %u dims and uniqueIndices %u; 1 of each is expected", unique->rank,
                      places->rank);
    if (call->tensor[INDICES].rank != 2)
        return refuse(call, "indices has %u dims; 2 are expected", call->tensor[INDICES].rank);
    TRY(check_rows(call, INDICES, places->shape[0]));
    TRY(check_rows(call, VALUES, places->shape[0]));
    if (unique->shape[0] == 0 && places->shape[0] > 0)
        return refuse(call,
                      "uniqueLen has no elements and uniqueIndices has %" PRId64
                      "; none is expected, since there is nothing for it to name",
                      places->shape[0]);
    add_rows(result, call, INDICES, unique->shape[0]);
    add_rows(result, call, VALUES, unique->shape[0]);
    TRY(check_element_count(call, &result->output[0].shape));
    return check_element_count(call, &result->output[1].shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *values = &call->tensor[VALUES];
    struct coalesce_plan plan = {.transfer = transfer_of(call->settings->isa),
                                 .entries = (uint64_t)call->tensor[PLACES].count,
                                 .places = (uint64_t)call->tensor[UNIQUE].count,
                                 .dims = (uint64_t)call->tensor[INDICES].shape[1],
                                 .width = 1,
                                 .is_float = arithmetic_of(values->dtype) < ARITHMETICS};
    struct executor_content *content;
    void *made;
    (void)result;
    if (plan.places == 0)
        return call_idle(call);
    for (unsigned i = 0; i < PARAMETERS_ALL; i++) {
        plan.operand[i] = operand_of(call, i);
        plan.span[i] = span_of(&call->tensor[i], SPAN_AS_IT_IS);
    }
    for (uint32_t i = 1; i < values->rank; i++)
        plan.width *= (uint64_t)values->shape[i];
    plan.cost_ns = (uint64_t)((double)(plan.entries + plan.places) * (double)(plan.width + plan.dims + 4) *
                              ELEMENT_PS / 1000);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Sums, then places in 64 bits. */
static size_t sums_bytes(const struct coalesce_plan *plan)
{
    return whole_lines(plan->places * plan->width * sizeof(double));
}

static size_t work_bytes(const void *prepared)
{
    const struct coalesce_plan *plan = prepared;
    return sums_bytes(plan) + whole_lines(plan->entries * sizeof(int64_t));
}

struct coalesce_work {
    const struct coalesce_plan *plan;
    const int64_t *place;
    const unsigned char *indices, *values;
    unsigned char *new_indices, *new_values;
    union {
        double *fp64;
        int64_t *int64;
    } sum;
};

/* Where entries go, in 64 bits. All are read, and judged, before anything is written. */
static int read_places(const struct coalesce_plan *plan, const unsigned char *from, int64_t *place)
{
    const aclDataType dtype = plan->operand[PLACES].dtype;
    for (uint64_t at = 0; at < plan->entries; at += PIECE) {
        const uint64_t count = plan->entries - at < PIECE ? plan->entries - at : PIECE;
        int64_t element[PIECE] __attribute__((uninitialized));
        span_read(&plan->span[PLACES], plan->transfer, from, at, element, count);
        if (dtype == ACL_INT64)
            memcpy(place + at, element, (size_t)count * sizeof *place);
        else
            plan->transfer->convert(element, dtype, place + at, ACL_INT64, (size_t)count);
    }
    for (uint64_t i = 0; i < plan->entries; i++)
        if (place[i] < 0 || (uint64_t)place[i] >= plan->places)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "uniqueIndices holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " are expected",
                                  place[i], i, plan->places - 1);
    return 0;
}

static void take_indices(const struct coalesce_work *work)
{
    const struct coalesce_plan *plan = work->plan;
    static const int64_t nothing[PIECE];
    for (uint64_t at = 0; at < plan->places * plan->dims; at += PIECE) {
        const uint64_t left = plan->places * plan->dims - at;
        span_write(&plan->span[NEW_INDICES], plan->transfer, work->new_indices, at, nothing,
                   left < PIECE ? left : PIECE);
    }
    int64_t index[PIECE] __attribute__((uninitialized));
    for (uint64_t i = 0; i < plan->entries; i++)
        for (uint64_t at = 0; at < plan->dims; at += PIECE) {
            const uint64_t count = plan->dims - at < PIECE ? plan->dims - at : PIECE;
            span_read(&plan->span[INDICES], plan->transfer, work->indices, i * plan->dims + at, index, count);
            span_write(&plan->span[NEW_INDICES], plan->transfer, work->new_indices,
                       (uint64_t)work->place[i] * plan->dims + at, index, count);
        }
}

/* Some columns of values. */
static void take_columns(void *context, uint64_t at, uint64_t count)
{
    const struct coalesce_work *work = context;
    const struct coalesce_plan *plan = work->plan;
    const aclDataType dtype = plan->operand[VALUES].dtype, wide = plan->is_float ? ACL_DOUBLE : ACL_INT64;
    double element[PIECE] __attribute__((uninitialized)), other[PIECE] __attribute__((uninitialized));
    for (uint64_t place = 0; place < plan->places; place++)
        memset(&work->sum.fp64[place * plan->width + at], 0, (size_t)count * sizeof(double));
    for (uint64_t i = 0; i < plan->entries; i++) {
        const uint64_t to = (uint64_t)work->place[i] * plan->width + at;
        span_read(&plan->span[VALUES], plan->transfer, work->values, i * plan->width + at, element, count);
        if (dtype != wide)
            plan->transfer->convert(element, dtype, other, wide, (size_t)count);
        const void *value = dtype != wide ? other : element;
        for (uint64_t k = 0; plan->is_float && k < count; k++)
            work->sum.fp64[to + k] += ((const double *)value)[k];
        for (uint64_t k = 0; !plan->is_float && k < count; k++)
            work->sum.int64[to + k] =
                (int64_t)((uint64_t)work->sum.int64[to + k] + ((const uint64_t *)value)[k]);
    }
    for (uint64_t place = 0; place < plan->places; place++) {
        const void *sum = &work->sum.fp64[place * plan->width + at];
        if (dtype != wide)
            plan->transfer->convert(sum, wide, element, dtype, (size_t)count);
        span_write(&plan->span[NEW_VALUES], plan->transfer, work->new_values, place * plan->width + at,
                   dtype != wide ? element : sum, count);
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct coalesce_plan *plan = prepared;
    struct coalesce_work work = {.plan = plan, .sum.fp64 = scratch};
    int64_t *const place = (int64_t *)(void *)((unsigned char *)scratch + sums_bytes(plan));
    const int status = read_places(plan, address[plan->operand[PLACES].address], place);
    if (status != 0)
        return status;
    work.place = place;
    work.indices = address[plan->operand[INDICES].address];
    work.values = address[plan->operand[VALUES].address];
    work.new_indices = address[plan->operand[NEW_INDICES].address];
    work.new_values = address[plan->operand[NEW_VALUES].address];
    take_indices(&work);
    pieces_run(take_columns, &work, plan->width, PIECE, 1, plan->cost_ns);
    return 0;
}

#define COALESCE_SPARSE(X, of)                                                             \
    X(of, IN, uniqueLen, &dtypes_int32_int64, .sample = "2:INT64", .is_partly_read = true) \
    X(of, IN, uniqueIndices, &dtypes_int32_int64, .sample = "3:INT64")                     \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "3x2:INT64")                         \
    X(of, IN, values, &dtypes_floats_integers, .sample = "3x2")                            \
    X(of, OUT, newIndices, &dtypes_int32_int64)                                            \
    X(of, OUT, newValues, &dtypes_floats_integers)
SIGNATURE(COALESCE_SPARSE)

FUNCTION_OF(aclnnCoalesceSparse, COALESCE_SPARSE, .stem = "coalesce_sparse", .family = FAMILY_INDEX,
            .promise = &promise_sum, .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer,
            .plan = plan);
