/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where values would go in sorted rows: lo = 0, hi = n; while lo < hi, mid = (lo + hi) / 2 and lo = mid + 1
 * unless the element there is the value or greater, or with `right` greater, when hi = mid. So NaN leads to
 * n.
 */
#include "aclnnop/aclnn_bucketize.h"
#include "aclnnop/aclnn_searchsorted.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "ops/sorting/sorting.h"
#include "runtime/streams/fault.h"

#define SEARCH_SORTED(X, of)                                                   \
    X(of, IN, sortedSequence, &dtypes_floats_integers, .sample = "4")          \
    X(of, IN, self, &dtypes_floats_integers)                                   \
    X(of, BOOL, outInt32, .usual = "false")                                    \
    X(of, BOOL, right, .usual = "false")                                       \
    X(of, IN, sorter, &dtypes_int64, .is_optional = true, .sample = "4:INT64") \
    X(of, OUT, out, &dtypes_int32_int64)
SIGNATURE(SEARCH_SORTED)
#define BUCKETIZE(X, of)                                          \
    X(of, IN, self, &dtypes_floats_integers)                      \
    X(of, IN, boundaries, &dtypes_floats_integers, .sample = "4") \
    X(of, BOOL, outInt32, .usual = "false")                       \
    X(of, BOOL, right, .usual = "false")                          \
    X(of, OUT, out, &dtypes_int32_int64)
SIGNATURE(BUCKETIZE)
enum { PIECE = 512, PIECES_AT_ONCE = 16, ELEMENT_PS = 2000, STEP_PS = 3000 };

struct plan {
    aclDataType dtype, wide; /* what values promote to; DOUBLE or INT64, in which they are compared */
    bool right, has_sorter, is_scalar;
    struct port sequence, self, sorter, out;
    uint64_t length, values; /* of a row of the sequence; that are looked for in each */
    uint64_t cost_ns;
    unsigned char value[8]; /* of a scalar, wide */
};

static bool is_bucketize(const struct call *call)
{
    return call->function->parameter_count == BUCKETIZE_out + 1;
}

/* Bucketize has the two in the other order, and no sorter. */
static unsigned sequence_of(const struct call *call)
{
    return is_bucketize(call) ? SEARCH_SORTED_self : SEARCH_SORTED_sortedSequence;
}

static unsigned self_of(const struct call *call)
{
    return is_bucketize(call) ? SEARCH_SORTED_sortedSequence : SEARCH_SORTED_self;
}

static bool has_sorter(const struct call *call)
{
    return !is_bucketize(call) && call_has(call, SEARCH_SORTED_sorter);
}

static bool is_of_scalar(const struct call *call)
{
    return call->function->parameter[self_of(call)].kind == PARAMETER_SCALAR;
}

static aclnnStatus check_shapes(const struct call *call)
{
    const struct tensor_view *sequence = &call->tensor[sequence_of(call)],
                             *self = &call->tensor[self_of(call)];
    const bool is_of_row = is_of_scalar(call) || is_bucketize(call);
    if (sequence->rank == 0 || (is_of_row && sequence->rank != 1))
        return refuse(call, "%s has %u dims; 1%s expected", call_name(call, sequence_of(call)),
                      sequence->rank, is_of_row ? " is" : " or more are");
    if (!is_of_scalar(call) && sequence->rank > 1) {
        bool is_like = self->rank == sequence->rank;
        for (uint32_t i = 0; is_like && i + 1 < self->rank; i++)
            is_like = self->shape[i] == sequence->shape[i];
        if (!is_like)
            return refuse(call, "the shapes of sortedSequence and self differ before their last dims; equal "
                                "ones, or a sortedSequence of 1 dim, are expected");
    }
    if (has_sorter(call)) {
        TRY(check_dtype(call, SEARCH_SORTED_sorter));
        TRY(check_same_shape(call, SEARCH_SORTED_sorter, SEARCH_SORTED_sortedSequence, NULL));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const unsigned both[] = {sequence_of(call), self_of(call)};
    const bool is_single = call->argument[SEARCH_SORTED_outInt32].boolean;
    TRY(check_dtype(call, 0));
    TRY(check_dtype(call, 1));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_rank(call, both[0]));
    if (!is_of_scalar(call))
        TRY(check_rank(call, both[1]));
    TRY(check_shapes(call));
    struct output *output = result_add(result, is_single ? ACL_INT32 : ACL_INT64, DTYPE_EQUAL);
    output->shape_rule = is_of_scalar(call) ? SHAPE_ONE : SHAPE_EQUAL;
    if (!is_of_scalar(call))
        output->shape = shape_of(&call->tensor[both[1]]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned self = self_of(call);
    const struct tensor_view *sequence = &call->tensor[sequence_of(call)];
    const struct tensor_view *out = &call->tensor[call_output(call)];
    struct executor_content *content;
    void *made;
    if (out->count == 0)
        return call_idle(call);
    const uint64_t dtypes = DTYPES_COMMON_FLOATS | DTYPE_BIT(ACL_BF16);
    struct plan plan = {.dtype = result->computed,
                        .wide = (DTYPE_BIT(result->computed) & dtypes) != 0 ? ACL_DOUBLE : ACL_INT64,
                        .right = call->argument[SEARCH_SORTED_right].boolean,
                        .has_sorter = has_sorter(call),
                        .is_scalar = is_of_scalar(call),
                        .sequence = port_of(call, sequence_of(call), result->computed),
                        .out = port_of(call, call_output(call), ACL_INT64),
                        .length = (uint64_t)sequence->shape[sequence->rank - 1],
                        .values = (uint64_t)out->count};
    if (plan.is_scalar) {
        uint64_t element[2];
        scalar_convert(&call->scalar[self], plan.dtype, element);
        if (plan.dtype != plan.wide)
            plan.out.transfer->convert(element, plan.dtype, plan.value, plan.wide, 1);
        else
            memcpy(plan.value, element, sizeof plan.value);
    } else {
        plan.self = port_of(call, self, plan.dtype);
        if (sequence->rank > 1)
            plan.values = (uint64_t)call->tensor[self].shape[sequence->rank - 1];
    }
    if (plan.has_sorter)
        plan.sorter = port_of(call, SEARCH_SORTED_sorter, ACL_INT64);
    uint64_t steps = 1;
    while (plan.length >> steps > 0)
        steps++;
    plan.cost_ns = (uint64_t)((double)out->count * (double)steps * STEP_PS / 1000 +
                              (double)sequence->count * ELEMENT_PS / 1000);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The sequences in wide numbers, twice where they are to be put in order. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(plan->sequence.span.count * sizeof(int64_t)) * (plan->has_sorter ? 2 : 1);
}

struct work {
    const struct plan *plan;
    void *const *address;
    int64_t *rows; /* doubles where these are compared */
};

/* Elements from a number on in the wide dtype. */
static void read_wide(const struct work *work, const struct port *port, uint64_t at, uint64_t count,
                      void *wide)
{
    _Alignas(64) unsigned char cast[PIECE * 8] __attribute__((uninitialized));
    const struct plan *plan = work->plan;
    const bool is_wide = plan->dtype == plan->wide;
    port_bring(port, work->address, at, count, is_wide ? wide : cast);
    if (!is_wide)
        port->transfer->convert(cast, plan->dtype, wide, plan->wide, count);
}

static void widen_piece(void *context, uint64_t at, uint64_t count)
{
    const struct work *work = context;
    read_wide(work, &work->plan->sequence, at, count, work->rows + at);
}

/* The rows in the order of the sorter, into the memory behind; fails where that is in no row. */
static int put_in_order(struct work *work)
{
    const struct plan *plan = work->plan;
    const uint64_t all = plan->sequence.span.count;
    int64_t *to = (int64_t *)(void *)((unsigned char *)work->rows + whole_lines(all * sizeof(int64_t)));
    int64_t place[PIECE];
    for (uint64_t at = 0; at < all; at += PIECE) {
        const uint64_t count = all - at < PIECE ? all - at : PIECE;
        port_bring(&plan->sorter, work->address, at, count, place);
        for (uint64_t i = at; i < at + count; i++) {
            if ((uint64_t)place[i - at] >= plan->length)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "sorter holds %" PRId64 " at element %" PRIu64 "; 0 to %" PRIu64
                                      " are expected",
                                      place[i - at], i, plan->length - 1);
            to[i] = work->rows[i / plan->length * plan->length + (uint64_t)place[i - at]];
        }
    }
    work->rows = to;
    return 0;
}

/* The row holds doubles or int64s. */
static inline __attribute__((always_inline)) bool is_behind(const int64_t *row, uint64_t place,
                                                            const int64_t *value, bool right, bool is_double)
{
    if (is_double) {
        const double element = ((const double *)(const void *)row)[place],
                     sought = *(const double *)(const void *)value;
        return right ? element > sought : element >= sought;
    }
    return right ? row[place] > *value : row[place] >= *value;
}

static inline __attribute__((always_inline)) int64_t search(const int64_t *row, uint64_t length,
                                                            const int64_t *value, bool right, bool is_double)
{
    uint64_t low = 0, high = length;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const bool is_beyond = is_behind(row, middle, value, right, is_double);
        low = is_beyond ? low : middle + 1;
        high = is_beyond ? middle : high;
    }
    return (int64_t)low;
}

static void search_piece(void *context, uint64_t at, uint64_t count)
{
    const struct work *work = context;
    const struct plan *plan = work->plan;
    _Alignas(64) int64_t value[PIECE] __attribute__((uninitialized)),
        found[PIECE] __attribute__((uninitialized));
    if (plan->is_scalar)
        memcpy(value, plan->value, sizeof plan->value);
    else
        read_wide(work, &plan->self, at, count, value);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t *row = work->rows + (at + i) / plan->values * plan->length;
        found[i] = plan->wide == ACL_DOUBLE ? search(row, plan->length, &value[i], plan->right, true)
                                            : search(row, plan->length, &value[i], plan->right, false);
    }
    port_deliver(&plan->out, work->address, at, count, found);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct work work = {.plan = plan, .address = address, .rows = scratch};
    pieces_run(widen_piece, &work, plan->sequence.span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    const int status = plan->has_sorter ? put_in_order(&work) : 0;
    if (status == 0)
        pieces_run(search_piece, &work, plan->out.span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return status;
}

#define SEARCH_SORTEDS(X, of)                                                  \
    X(of, IN, sortedSequence, &dtypes_floats_integers, .sample = "4")          \
    X(of, SCALAR, self, &dtypes_floats_integers, .usual = "1:FLOAT")           \
    X(of, BOOL, outInt32, .usual = "false")                                    \
    X(of, BOOL, right, .usual = "false")                                       \
    X(of, IN, sorter, &dtypes_int64, .is_optional = true, .sample = "4:INT64") \
    X(of, OUT, out, &dtypes_int32_int64)
SIGNATURE(SEARCH_SORTEDS)

#define SEARCHED                                                                             \
    .family = FAMILY_SORTING, .promise = &promise_exact, .operation.work_bytes = work_bytes, \
    .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnSearchSorted, SEARCH_SORTED, .stem = "searchsorted", SEARCHED);
FUNCTION_OF(aclnnSearchSorteds, SEARCH_SORTEDS, .stem = "searchsorted", SEARCHED);
FUNCTION_OF(aclnnBucketize, BUCKETIZE, .stem = "bucketize", SEARCHED);
