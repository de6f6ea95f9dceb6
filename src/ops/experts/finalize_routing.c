/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each token's sum of its experts' rows, with weights, biases of experts and what goes around them; experts
 * that pass nothing on, or the token itself, or a mixture of it with a row that stays the same.
 */
#include "aclnnop/aclnn_moe_finalize_routing.h"
#include "aclnnop/aclnn_moe_finalize_routing_v2.h"
#include "aclnnop/aclnn_moe_finalize_routing_v3.h"
#include "aclnnop/aclnn_moe_finalize_routing_v4.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/experts/along_map.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

/* What is read, then what is written. */
enum part { ROWS, MAP, X1, X2, BIAS, SCALES, CHOSEN, X, ALPHA1, ALPHA2, V, OUT, PARTS };
enum { PAD, K, NOTHING, ITSELF, CONSTANT, RANGES = 3 };
enum { ELEMENT_PS = 1500, PAIR_PS = 30000, AROUND = 2 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define EXPANDED(X, of)                         \
    X(of, IN, expandedX, FLT3, .sample = "6x4") \
    X(of, IN, expandedRowIdx, &dtypes_int32, .sample = "6:INT32")
#define AROUND_IT(X, of)                                                  \
    X(of, IN, x1Optional, FLT3, .is_optional = true, .sample = "3x4")     \
    X(of, IN, x2Optional, FLT3, .is_optional = true, .sample = "3x4")     \
    X(of, IN, biasOptional, FLT3, .is_optional = true, .sample = "5x4")   \
    X(of, IN, scalesOptional, FLT3, .is_optional = true, .sample = "3x2") \
    X(of, IN, expertIdxOptional, &dtypes_int32, .is_optional = true, .sample = "3x2:INT32")
#define EXPERTS_OF_OWN(X, of)                                                        \
    X(of, IN, xOptional, FLT3, .is_optional = true, .sample = "3x4")                 \
    X(of, IN, constExpertAlpha1Optional, FLT3, .is_optional = true, .sample = "1x4") \
    X(of, IN, constExpertAlpha2Optional, FLT3, .is_optional = true, .sample = "1x4") \
    X(of, IN, constExpertVOptional, FLT3, .is_optional = true, .sample = "1x4")
#define RANGES_OF_OWN(X, of)                                                     \
    X(of, INTS, zeroExpertRangeOptional, .is_optional = true, .sample = "-1,-1") \
    X(of, INTS, copyExpertRangeOptional, .is_optional = true, .sample = "-1,-1") \
    X(of, INTS, constantExpertRangeOptional, .is_optional = true, .sample = "-1,-1")
#define MODE(X, of) X(of, INT64, dropPadMode, .usual = "0")
#define SUM(X, of)  X(of, OUT, out, FLT3)

#define V1(X, of)                                                                   \
    X(of, IN, expandedX, FLT3, .sample = "6x4")                                     \
    X(of, IN, x1, FLT3, .is_optional = true, .sample = "3x4")                       \
    X(of, IN, x2Optional, FLT3, .is_optional = true, .sample = "3x4")               \
    X(of, IN, bias, FLT3, .is_optional = true, .sample = "5x4")                     \
    X(of, IN, scales, FLT3, .is_optional = true, .sample = "3x2")                   \
    X(of, IN, expandedRowIdx, &dtypes_int32, .sample = "6:INT32")                   \
    X(of, IN, expertIdx, &dtypes_int32, .is_optional = true, .sample = "3x2:INT32") \
    SUM(X, of)
#define V2(X, of) EXPANDED(X, of) AROUND_IT(X, of) MODE(X, of) SUM(X, of)
#define V3(X, of) \
    EXPANDED(X, of) AROUND_IT(X, of) EXPERTS_OF_OWN(X, of) MODE(X, of) RANGES_OF_OWN(X, of) SUM(X, of)
#define V4(X, of)    \
    EXPANDED(X, of)  \
    AROUND_IT(X, of) \
    EXPERTS_OF_OWN(X, of) MODE(X, of) RANGES_OF_OWN(X, of) X(of, INT64, k, .usual = "1") SUM(X, of)

SIGNATURE(V1)
SIGNATURE(V2)
SIGNATURE(V3)
SIGNATURE(V4)

#define PARTS_OF(of)                                                                                \
    [ROWS] = AT(of##_expandedX), [MAP] = AT(of##_expandedRowIdx), [X1] = AT(of##_x1Optional),       \
    [X2] = AT(of##_x2Optional), [BIAS] = AT(of##_biasOptional), [SCALES] = AT(of##_scalesOptional), \
    [CHOSEN] = AT(of##_expertIdxOptional), [OUT] = AT(of##_out)
#define OWN_OF(of)                                                           \
    [X] = AT(of##_xOptional), [ALPHA1] = AT(of##_constExpertAlpha1Optional), \
    [ALPHA2] = AT(of##_constExpertAlpha2Optional), [V] = AT(of##_constExpertVOptional)
#define NUMBERS_OF(of)                                                          \
    [PAD] = AT(of##_dropPadMode), [NOTHING] = AT(of##_zeroExpertRangeOptional), \
    [ITSELF] = AT(of##_copyExpertRangeOptional), [CONSTANT] = AT(of##_constantExpertRangeOptional)

static const struct form form_v1 = {{[ROWS] = AT(V1_expandedX),
                                     [MAP] = AT(V1_expandedRowIdx),
                                     [X1] = AT(V1_x1),
                                     [X2] = AT(V1_x2Optional),
                                     [BIAS] = AT(V1_bias),
                                     [SCALES] = AT(V1_scales),
                                     [CHOSEN] = AT(V1_expertIdx),
                                     [OUT] = AT(V1_out)},
                                    {0},
                                    0};
static const struct form form_v2 = {{PARTS_OF(V2)}, {[PAD] = AT(V2_dropPadMode)}, 0};
static const struct form form_v3 = {{PARTS_OF(V3), OWN_OF(V3)}, {NUMBERS_OF(V3)}, 0};
static const struct form form_v4 = {{PARTS_OF(V4), OWN_OF(V4)}, {NUMBERS_OF(V4), [K] = AT(V4_k)}, 0};

struct finalize_plan {
    struct ports ports;
    bool is_by_columns;
    uint64_t tokens, top_k, width, rows, experts; /* rows that there are; experts that have a bias */
    int64_t low[RANGES], high[RANGES];
    uint64_t constants; /* experts with numbers of their own */
    uint64_t cost_ns;
};

static int64_t top_k_of(const struct call *call)
{
    return part_given(call, SCALES) ? part_view(call, SCALES)->shape[1] : form_number(call, K, 1);
}

static int64_t rows_of(const struct tensor_view *rows)
{
    return rows->rank == 3 ? rows->shape[0] * rows->shape[1] : rows->shape[0];
}

/* Experts of a range; none where it is NULL, or [-1, -1]. */
static bool read_range(const struct call *call, unsigned number, int64_t *low, int64_t *high)
{
    const unsigned at = form_of(call)->number[number];
    *low = *high = 0;
    if (at == 0 || !call_has(call, at - 1) || call->values[at - 1].count == 0)
        return true;
    const int64_t *range = call->values[at - 1].value.int64;
    if (call->values[at - 1].count != 2)
        return false;
    if (range[0] == -1 && range[1] == -1)
        return true;
    *low = range[0], *high = range[1];
    return *low >= 0 && *low <= *high;
}

static aclnnStatus check_own(const struct call *call, int64_t tokens, int64_t width)
{
    for (unsigned i = NOTHING; i <= CONSTANT; i++) {
        int64_t low, high;
        if (!read_range(call, i, &low, &high))
            return refuse(call, "%s is not two numbers that rise from 0 on, or [-1, -1]",
                          call_name(call, number_at(call, i)));
        if (low == high)
            continue;
        TRY(check_part_given(call, CHOSEN, call_name(call, number_at(call, i))));
        for (unsigned part = i == NOTHING ? OUT : X; part <= (i == ITSELF ? X : V); part++)
            TRY(check_part_given(call, part, call_name(call, number_at(call, i))));
        for (unsigned part = ALPHA1; i == CONSTANT && part <= V; part++)
            TRY(check_dims(call, part, 2, high - low, width));
    }
    return check_dims(call, X, 2, tokens, width);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *rows = part_view(call, ROWS), *map = part_view(call, MAP);
    for (unsigned part = ROWS; part <= V; part++)
        TRY(check_part(call, part));
    TRY(check_number(call, PAD, 0, 3));
    if (rows->rank < 2 || rows->rank > 3)
        return refuse(call, "expandedX has %u dims; 2, or 3 of experts and places, are expected", rows->rank);
    TRY(check_dims(call, MAP, 1, -1, 0));
    TRY(check_dims(call, SCALES, 2, -1, -1));
    const int64_t top_k = top_k_of(call), width = rows->shape[rows->rank - 1];
    if (top_k < 1 || map->shape[0] % top_k != 0)
        return refuse(call,
                      "expandedRowIdx has %" PRId64 " elements for %" PRId64 " experts of each token; a "
                      "multiple of 1 or more is expected",
                      map->shape[0], top_k);
    const int64_t tokens = map->shape[0] / top_k;
    TRY(check_dims(call, SCALES, 2, tokens, top_k));
    TRY(check_dims(call, X1, 2, tokens, width));
    TRY(check_dims(call, X2, 2, tokens, width));
    TRY(part_given(call, BIAS) ? check_part_given(call, CHOSEN, "bias") : ACLNN_SUCCESS);
    TRY(check_dims(call, BIAS, 2, -1, width));
    TRY(check_dims(call, CHOSEN, 2, tokens, top_k));
    TRY(check_own(call, tokens, width));
    result->computed = rows->dtype;
    add_dims(result, rows->dtype, 2, tokens, width, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *rows = part_view(call, ROWS), *out = part_view(call, OUT);
    struct finalize_plan plan = {.is_by_columns = form_number(call, PAD, 0) < 2,
                                 .top_k = (uint64_t)top_k_of(call),
                                 .tokens = (uint64_t)out->shape[0],
                                 .width = (uint64_t)out->shape[1],
                                 .rows = (uint64_t)rows_of(rows)};
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    for (unsigned i = 0; i < RANGES; i++)
        read_range(call, NOTHING + i, &plan.low[i], &plan.high[i]);
    for (unsigned part = ROWS; part <= OUT; part++)
        set_port(&plan.ports, call, part, part == MAP || part == CHOSEN ? ACL_INT64 : ACL_DOUBLE);
    if (part_given(call, BIAS))
        plan.experts = (uint64_t)part_view(call, BIAS)->shape[0];
    const double pairs = (double)plan.tokens * (double)plan.top_k,
                 cost_ns = pairs * ((double)plan.width * ELEMENT_PS + PAIR_PS) / 1000;
    plan.cost_ns = (uint64_t)cost_ns;
    return finish_experts(call, &plan, sizeof plan, cost_ns);
}

/* The most terms of all sums: what is around them, and two of each expert. */
static uint64_t terms_of(const struct finalize_plan *plan)
{
    return plan->tokens * AROUND + plan->tokens * plan->top_k * 2;
}

static size_t work_bytes(const void *prepared)
{
    const struct finalize_plan *plan = prepared;
    const size_t pairs = (size_t)(plan->tokens * plan->top_k);
    return 3 * whole_lines(pairs * sizeof(int64_t)) +
           whole_lines((size_t)(plan->tokens + 1) * sizeof(uint64_t)) +
           whole_lines((size_t)terms_of(plan) * sizeof(struct term));
}

struct finalize {
    const struct finalize_plan *plan;
    int64_t *row, *chosen;
    double *scale;
    struct term *term;
    uint64_t terms;
};

static void add(struct finalize *work, double weight, unsigned source, int64_t row, int factor,
                int64_t factor_row)
{
    work->term[work->terms++] = (struct term){
        .weight = weight, .row = row, .factor_row = factor_row, .source = (int32_t)source, .factor = factor};
}

static bool is_within(const struct finalize_plan *plan, unsigned range, int64_t expert)
{
    return expert >= plan->low[range - NOTHING] && expert < plan->high[range - NOTHING];
}

/* What one expert of a token adds. */
static int add_pair(struct finalize *work, uint64_t token, uint64_t choice)
{
    const struct finalize_plan *plan = work->plan;
    const uint64_t pair = token * plan->top_k + choice;
    const int64_t row = work->row[plan->is_by_columns ? choice * plan->tokens + token : pair];
    const bool has_chosen = has_port(&plan->ports, CHOSEN);
    const int64_t expert = has_chosen ? work->chosen[pair] : -1;
    const double weight = work->scale[pair];
    if (has_chosen && is_within(plan, NOTHING, expert))
        return 0;
    if (has_chosen && is_within(plan, ITSELF, expert)) {
        add(work, weight, X, (int64_t)token, -1, 0);
        return 0;
    }
    if (has_chosen && is_within(plan, CONSTANT, expert)) {
        const int64_t own = expert - plan->low[CONSTANT - NOTHING];
        add(work, weight, X, (int64_t)token, ALPHA1, own);
        add(work, weight, V, own, ALPHA2, own);
        return 0;
    }
    if (row < -1 || row >= (int64_t)plan->rows)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "expandedRowIdx holds %" PRId64 " for expert %" PRIu64 " of token %" PRIu64
                              "; -1, or 0 up to the rows of expandedX, %" PRIu64 ", is expected",
                              row, choice, token, plan->rows);
    if (has_port(&plan->ports, BIAS) && (uint64_t)expert >= plan->experts)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "expertIdx holds %" PRId64 " at [%" PRIu64 ", %" PRIu64
                              "]; 0 up to the rows of bias, %" PRIu64 ", is expected",
                              expert, token, choice, plan->experts);
    if (row >= 0)
        add(work, weight, ROWS, row, -1, 0);
    if (has_port(&plan->ports, BIAS))
        add(work, weight, BIAS, expert, -1, 0);
    return 0;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct finalize_plan *plan = prepared;
    const uint64_t pairs = plan->tokens * plan->top_k;
    struct finalize work = {.plan = plan};
    size_t used = 0;
    work.row = take_room(scratch, &used, (size_t)pairs * sizeof(int64_t));
    work.chosen = take_room(scratch, &used, (size_t)pairs * sizeof(int64_t));
    work.scale = take_room(scratch, &used, (size_t)pairs * sizeof(double));
    uint64_t *begin = take_room(scratch, &used, (size_t)(plan->tokens + 1) * sizeof(uint64_t));
    work.term = take_room(scratch, &used, 0);
    port_bring(&plan->ports.at[MAP], address, 0, pairs, work.row);
    if (has_port(&plan->ports, CHOSEN))
        port_bring(&plan->ports.at[CHOSEN], address, 0, pairs, work.chosen);
    for (uint64_t i = 0; i < pairs; i++)
        work.scale[i] = 1;
    if (has_port(&plan->ports, SCALES))
        port_bring(&plan->ports.at[SCALES], address, 0, pairs, work.scale);
    for (uint64_t token = 0; token < plan->tokens; token++) {
        begin[token] = work.terms;
        for (unsigned part = X1; part <= X2; part++)
            if (has_port(&plan->ports, part))
                add(&work, 1, part, (int64_t)token, -1, 0);
        for (uint64_t choice = 0; choice < plan->top_k; choice++) {
            const int status = add_pair(&work, token, choice);
            if (status != 0)
                return status;
        }
    }
    begin[plan->tokens] = work.terms;
    sum_rows(&(struct row_sums){.source = plan->ports.at,
                                .to = &plan->ports.at[OUT],
                                .address = address,
                                .begin = begin,
                                .term = work.term,
                                .rows = plan->tokens,
                                .width = plan->width,
                                .cost_ns = plan->cost_ns});
    return 0;
}

#define FINALIZES(form_)                                                                                  \
    .promise = &promise_sum, EXPERTS(&(form_)), .operation.work_bytes = work_bytes, .operation.run = run, \
    .infer = infer, .plan = plan
FUNCTION_OF(aclnnMoeFinalizeRouting, V1, .stem = "moe_finalize_routing", FINALIZES(form_v1));
FUNCTION_OF(aclnnMoeFinalizeRoutingV2, V2, .stem = "moe_finalize_routing_v2", FINALIZES(form_v2));
FUNCTION_OF(aclnnMoeFinalizeRoutingV3, V3, .stem = "moe_finalize_routing_v3", FINALIZES(form_v3));
FUNCTION_OF(aclnnMoeFinalizeRoutingV4, V4, .stem = "moe_finalize_routing_v4", FINALIZES(form_v4));
