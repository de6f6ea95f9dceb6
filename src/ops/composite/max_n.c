/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest, or the least, of the elements of several tensors, which broadcast together: NaN if one of
 * them is; of equal numbers the first stays.
 */
#include "aclnnop/aclnn_max_n.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_min_n.h"
#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "simd/vector/kernels.h"

#define MAX_N(X, of) X(of, IN_LIST, tensors, &dtypes_floats_integers_bool) X(of, OUT, out, &dtypes_all)
SIGNATURE(MAX_N)
enum { PIECE = 1024, PIECES_AT_ONCE = 4, ELEMENT_PS = 2000 };

struct extremes_plan {
    bool is_least, is_float;
    uint64_t count, cost_ns;
    struct port out;
    struct port source[]; /* count, of out's shape */
};

/* What one call has of it. */
struct of_list {
    bool is_least;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct call_values *list = &call->values[MAX_N_tensors];
    if (list->count == 0)
        return refuse(call, "tensors is an empty list; 1 tensor or more is expected");
    const struct tensor_view *view = list->value.tensor;
    TRY(check_dtype_in_list(call, MAX_N_tensors, view->dtype));
    struct shape shape = {.rank = 0};
    for (uint64_t i = 0; i < list->count; i++) {
        if (view[i].dtype != view[0].dtype)
            return refuse(call,
                          "tensor %" PRIu64 " of tensors has dtype %s; %s, that of tensor 0, is expected", i,
                          dtype_name(view[i].dtype), dtype_name(view[0].dtype));
        if (view[i].rank > OPERAND_RANK_MAX)
            return refuse(call, "tensor %" PRIu64 " of tensors has %u dims; at most %d are expected", i,
                          view[i].rank, OPERAND_RANK_MAX);
        const struct shape own = shape_of(&view[i]);
        if (!broadcast(&shape, &own, &shape))
            return refuse(call, "tensor %" PRIu64 " of tensors does not broadcast with those before", i);
    }
    result->computed = view[0].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_CASTABLE);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return check_element_count(call, &shape);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[MAX_N_tensors];
    const struct tensor_view *out = &call->tensor[MAX_N_out];
    struct executor_content *content;
    void *made;
    if (out->count == 0)
        return call_idle(call);
    const size_t bytes = sizeof(struct extremes_plan) + list->count * sizeof(struct port);
    TRY(call_begin(call, bytes, &content, &made));
    struct extremes_plan *plan = made;
    const bool is_float = arithmetic_of(result->computed) < ARITHMETICS;
    const aclDataType wide = is_float ? ACL_DOUBLE : ACL_INT64; /* which have all numbers of the dtype */
    *plan = (struct extremes_plan){.is_least = ((const struct of_list *)call->function->of_family)->is_least,
                                   .is_float = is_float,
                                   .out = port_of(call, MAX_N_out, wide),
                                   .count = list->count};
    for (uint64_t i = 0; i < list->count; i++) {
        const uint32_t address = call->first_operand[MAX_N_tensors] + (uint32_t)i;
        struct port *source = &plan->source[i];
        *source = port_of_view(plan->out.transfer, &list->value.tensor[i], address, wide);
        source->span = numbered_broadcast(&list->value.tensor[i], out);
        if (spans_agree(&source->span, &plan->out.span)) /* a piece of all is read before it is written */
            operands_may_be(content, address, plan->out.address);
    }
    plan->cost_ns = (uint64_t)((double)out->count * (double)list->count * ELEMENT_PS / 1000);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct extremes_work {
    const struct extremes_plan *plan;
    void *const *address;
};

/* Whether something is the least is a constant where these are called, so that it is asked once. */
static inline __attribute__((always_inline)) void choose_floats(bool is_least, double *chosen,
                                                                const double *other, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if ((is_least ? other[i] < chosen[i] : other[i] > chosen[i]) || other[i] != other[i])
            chosen[i] = other[i];
}

static inline __attribute__((always_inline)) void choose_integers(bool is_least, int64_t *chosen,
                                                                  const int64_t *other, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (is_least ? other[i] < chosen[i] : other[i] > chosen[i])
            chosen[i] = other[i];
}

static void take_piece(void *context, uint64_t at, uint64_t count)
{
    const struct extremes_work *work = context;
    const struct extremes_plan *plan = work->plan;
    union {
        double fp64[PIECE];
        int64_t int64[PIECE];
    } chosen __attribute__((uninitialized)), other __attribute__((uninitialized));
    port_bring(&plan->source[0], work->address, at, count, &chosen);
    for (uint64_t i = 1; i < plan->count; i++) {
        port_bring(&plan->source[i], work->address, at, count, &other);
        if (plan->is_float && plan->is_least)
            choose_floats(true, chosen.fp64, other.fp64, count);
        else if (plan->is_float)
            choose_floats(false, chosen.fp64, other.fp64, count);
        else if (plan->is_least)
            choose_integers(true, chosen.int64, other.int64, count);
        else
            choose_integers(false, chosen.int64, other.int64, count);
    }
    port_deliver(&plan->out, work->address, at, count, &chosen);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct extremes_plan *plan = prepared;
    struct extremes_work work = {.plan = plan, .address = address};
    (void)scratch;
    pieces_run(take_piece, &work, plan->out.span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

static const struct of_list greatest = {false}, least = {true};
#define OF_LIST \
    .family = FAMILY_COMPOSITE, .promise = &promise_exact, .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnMaxN, MAX_N, .stem = "max_n", OF_LIST, .of_family = &greatest);
FUNCTION_OF(aclnnMinN, MAX_N, .stem = "min_n", OF_LIST, .of_family = &least);
