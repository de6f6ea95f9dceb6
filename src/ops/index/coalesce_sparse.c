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
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"
#include "simd/vector/kernels.h"

#define COALESCE(X, of)                                                                    \
    X(of, IN, uniqueLen, &dtypes_int32_int64, .sample = "2:INT64", .is_partly_read = true) \
    X(of, IN, uniqueIndices, &dtypes_int32_int64, .sample = "3:INT64")                     \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "3x2:INT64")                         \
    X(of, IN, values, &dtypes_floats_integers, .sample = "3x2")                            \
    X(of, OUT, newIndices, &dtypes_int32_int64)                                            \
    X(of, OUT, newValues, &dtypes_floats_integers)
SIGNATURE(COALESCE)
enum { PARAMETERS_ALL = COALESCE_newValues + 1 };
enum { PIECE = 512, ELEMENT_PS = 2000 };

struct coalesce_plan {
    struct port port[PARAMETERS_ALL];
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
    const struct tensor_view *unique = &call->tensor[COALESCE_uniqueLen],
                             *places = &call->tensor[COALESCE_uniqueIndices];
    for (unsigned i = COALESCE_uniqueLen; i <= COALESCE_values; i++)
        TRY(check_dtype(call, i));
    for (unsigned i = COALESCE_uniqueLen; i <= COALESCE_values; i++)
        TRY(check_rank(call, i));
    if (unique->rank != 1 || places->rank != 1)
        return refuse(call, "uniqueLen has %u dims and uniqueIndices %u; 1 of each is expected", unique->rank,
                      places->rank);
    if (call->tensor[COALESCE_indices].rank != 2)
        return refuse(call, "indices has %u dims; 2 are expected", call->tensor[COALESCE_indices].rank);
    TRY(check_rows(call, COALESCE_indices, places->shape[0]));
    TRY(check_rows(call, COALESCE_values, places->shape[0]));
    if (unique->shape[0] == 0 && places->shape[0] > 0)
        return refuse(call,
                      "uniqueLen has no elements and uniqueIndices has %" PRId64
                      "; none is expected, since there is nothing for it to name",
                      places->shape[0]);
    add_rows(result, call, COALESCE_indices, unique->shape[0]);
    add_rows(result, call, COALESCE_values, unique->shape[0]);
    TRY(check_element_count(call, &result->output[0].shape));
    return check_element_count(call, &result->output[1].shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *values = &call->tensor[COALESCE_values];
    struct coalesce_plan plan = {.entries = (uint64_t)call->tensor[COALESCE_uniqueIndices].count,
                                 .places = (uint64_t)call->tensor[COALESCE_uniqueLen].count,
                                 .dims = (uint64_t)call->tensor[COALESCE_indices].shape[1],
                                 .width = 1,
                                 .is_float = arithmetic_of(values->dtype) < ARITHMETICS};
    const aclDataType wide = plan.is_float ? ACL_DOUBLE : ACL_INT64;
    struct executor_content *content;
    void *made;
    (void)result;
    if (plan.places == 0)
        return call_idle(call);
    for (unsigned i = COALESCE_uniqueIndices; i < PARAMETERS_ALL; i++)
        plan.port[i] = port_of(call, i, i == COALESCE_values || i == COALESCE_newValues ? wide : ACL_INT64);
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
    void *const *address;
    const int64_t *place;
    union {
        double *fp64;
        uint64_t *integer;
    } sum;
};

/* Where entries go, in 64 bits. All are read, and judged, before anything is written. */
static int read_places(const struct coalesce_plan *plan, void *const *address, int64_t *place)
{
    port_bring(&plan->port[COALESCE_uniqueIndices], address, 0, plan->entries, place);
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
    int64_t index[PIECE] __attribute__((uninitialized));
    for (uint64_t at = 0; at < plan->places * plan->dims; at += PIECE) {
        const uint64_t left = plan->places * plan->dims - at;
        port_deliver(&plan->port[COALESCE_newIndices], work->address, at, left < PIECE ? left : PIECE,
                     nothing);
    }
    for (uint64_t i = 0; i < plan->entries; i++)
        for (uint64_t at = 0; at < plan->dims; at += PIECE) {
            const uint64_t count = plan->dims - at < PIECE ? plan->dims - at : PIECE;
            port_bring(&plan->port[COALESCE_indices], work->address, i * plan->dims + at, count, index);
            port_deliver(&plan->port[COALESCE_newIndices], work->address,
                         (uint64_t)work->place[i] * plan->dims + at, count, index);
        }
}

/* Some columns of values. */
static void take_columns(void *context, uint64_t at, uint64_t count)
{
    const struct coalesce_work *work = context;
    const struct coalesce_plan *plan = work->plan;
    union {
        double fp64[PIECE];
        uint64_t integer[PIECE];
    } value __attribute__((uninitialized));
    for (uint64_t place = 0; place < plan->places; place++)
        memset(&work->sum.fp64[place * plan->width + at], 0, (size_t)count * sizeof(double));
    for (uint64_t i = 0; i < plan->entries; i++) {
        const uint64_t to = (uint64_t)work->place[i] * plan->width + at;
        port_bring(&plan->port[COALESCE_values], work->address, i * plan->width + at, count, &value);
        for (uint64_t k = 0; plan->is_float && k < count; k++)
            work->sum.fp64[to + k] += value.fp64[k];
        for (uint64_t k = 0; !plan->is_float && k < count; k++)
            work->sum.integer[to + k] += value.integer[k];
    }
    for (uint64_t place = 0; place < plan->places; place++)
        port_deliver(&plan->port[COALESCE_newValues], work->address, place * plan->width + at, count,
                     &work->sum.fp64[place * plan->width + at]);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct coalesce_plan *plan = prepared;
    struct coalesce_work work = {.plan = plan, .address = address, .sum.fp64 = scratch};
    int64_t *const place = (int64_t *)(void *)((unsigned char *)scratch + sums_bytes(plan));
    const int status = read_places(plan, address, place);
    if (status != 0)
        return status;
    work.place = place;
    take_indices(&work);
    pieces_run(take_columns, &work, plan->width, PIECE, 1, plan->cost_ns);
    return 0;
}

FUNCTION_OF(aclnnCoalesceSparse, COALESCE, .stem = "coalesce_sparse", .family = FAMILY_INDEX,
            .promise = &promise_sum, .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer,
            .plan = plan);
