/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Experts by numbers alone: how many rows lie up to each, rows of several ranks put in the order of experts,
 * and the places of experts that lie in several.
 */
#include "aclnnop/aclnn_moe_compute_expert_tokens.h"
#include "aclnnop/aclnn_moe_re_routing.h"
#include "aclnnop/aclnn_moe_update_expert.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/experts/along_map.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { PIECE = EXPERTS_PIECE, ELEMENT_PS = 400, NUMBER_PS = 4000 };

/* MoeComputeExpertTokens. */
#define COMPUTE(X, of)                                                 \
    X(of, IN, sortedExperts, &dtypes_int32_int64, .sample = "6:INT32") \
    X(of, INT64, numExperts, .sample = "4")                            \
    X(of, CONST_OUT, out, &dtypes_int32_int64)
SIGNATURE(COMPUTE)

enum { SORTED, TOTALS, SORTED_PARTS };
enum { EXPERT_COUNT };
static const struct form form_compute = {{[SORTED] = AT(COMPUTE_sortedExperts), [TOTALS] = AT(COMPUTE_out)},
                                         {[EXPERT_COUNT] = AT(COMPUTE_numExperts)},
                                         0};

struct compute_plan {
    struct ports ports;
    uint64_t rows, experts;
};

static aclnnStatus infer_compute(const struct call *call, struct result *result)
{
    TRY(check_part(call, SORTED));
    TRY(check_dims(call, SORTED, 1, -1, 0));
    TRY(check_number(call, EXPERT_COUNT, 1, INT32_MAX));
    result->computed = part_view(call, SORTED)->dtype;
    add_dims(result, result->computed, 1, form_number(call, EXPERT_COUNT, 0), 0, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_compute(const struct call *call, const struct result *result)
{
    struct compute_plan plan = {.rows = (uint64_t)part_view(call, SORTED)->count,
                                .experts = (uint64_t)form_number(call, EXPERT_COUNT, 0)};
    (void)result;
    for (unsigned part = SORTED; part < SORTED_PARTS; part++)
        set_port(&plan.ports, call, part, ACL_INT64);
    return finish_experts(call, &plan, sizeof plan, (double)(plan.rows + plan.experts) * NUMBER_PS / 1000);
}

static size_t compute_work_bytes(const void *prepared)
{
    const struct compute_plan *plan = prepared;
    return whole_lines((size_t)plan->experts * sizeof(int64_t));
}

static int compute_run(const void *prepared, void *const *address, void *scratch)
{
    const struct compute_plan *plan = prepared;
    int64_t *total = scratch, expert[PIECE] __attribute__((uninitialized));
    memset(total, 0, (size_t)plan->experts * sizeof total[0]);
    for (uint64_t at = 0; at < plan->rows; at += PIECE) {
        const uint64_t count = plan->rows - at < PIECE ? plan->rows - at : PIECE;
        port_bring(&plan->ports.at[SORTED], address, at, count, expert);
        for (uint64_t i = 0; i < count; i++)
            if (expert[i] < (int64_t)plan->experts)
                total[expert[i] > 0 ? expert[i] : 0]++;
    }
    for (uint64_t i = 1; i < plan->experts; i++)
        total[i] += total[i - 1];
    port_deliver(&plan->ports.at[TOTALS], address, 0, plan->experts, total);
    return 0;
}

FUNCTION_OF(aclnnMoeComputeExpertTokens, COMPUTE, .stem = "moe_compute_expert_tokens",
            .promise = &promise_exact, EXPERTS(&form_compute), .operation.work_bytes = compute_work_bytes,
            .operation.run = compute_run, .infer = infer_compute, .plan = plan_compute);

/* MoeReRouting. */
#define RE_ROUTING(X, of)                                                               \
    X(of, IN, tokens, &dtypes_fp32_fp16_bf16_int8, .sample = "6x4")                     \
    X(of, IN, expertTokenNumPerRank, &dtypes_int32_int64, .sample = "2x3:INT32")        \
    X(of, IN, perTokenScalesOptional, &dtypes_fp32, .is_optional = true, .sample = "6") \
    X(of, INT64, expertTokenNumType, .usual = "1")                                      \
    X(of, INT64, idxType, .usual = "0")                                                 \
    X(of, CONST_OUT, permuteTokens, &dtypes_fp32_fp16_bf16_int8)                        \
    X(of, CONST_OUT, permutePerTokenScales, &dtypes_fp32, .is_optional = true)          \
    X(of, CONST_OUT, permuteTokenIdx, &dtypes_int32)                                    \
    X(of, CONST_OUT, expertTokenNum, &dtypes_int32_int64)
SIGNATURE(RE_ROUTING)

enum { TOKENS, COUNTS, SCALES, OUT_TOKENS, OUT_SCALES, INDEX, OUT_COUNTS };
enum { COUNT_TYPE, INDEX_TYPE };
static const struct form form_re_routing = {
    {[TOKENS] = AT(RE_ROUTING_tokens),
     [COUNTS] = AT(RE_ROUTING_expertTokenNumPerRank),
     [SCALES] = AT(RE_ROUTING_perTokenScalesOptional),
     [OUT_TOKENS] = AT(RE_ROUTING_permuteTokens),
     [OUT_SCALES] = AT(RE_ROUTING_permutePerTokenScales),
     [INDEX] = AT(RE_ROUTING_permuteTokenIdx),
     [OUT_COUNTS] = AT(RE_ROUTING_expertTokenNum)},
    {[COUNT_TYPE] = AT(RE_ROUTING_expertTokenNumType), [INDEX_TYPE] = AT(RE_ROUTING_idxType)},
    0};

struct re_routing_plan {
    struct ports ports;
    uint64_t rows, width, scale_width, ranks, experts, cost_ns;
    bool is_cumulated, is_inverse;
};

static aclnnStatus infer_re_routing(const struct call *call, struct result *result)
{
    const struct tensor_view *tokens = part_view(call, TOKENS), *counts = part_view(call, COUNTS);
    for (unsigned part = TOKENS; part <= SCALES; part++)
        TRY(check_part(call, part));
    TRY(check_dims(call, TOKENS, 2, -1, -1));
    TRY(check_dims(call, COUNTS, 2, -1, -1));
    TRY(check_number(call, COUNT_TYPE, 0, 1));
    TRY(check_number(call, INDEX_TYPE, 0, 1));
    const bool has_scales = part_given(call, SCALES);
    if (has_scales && (part_view(call, SCALES)->rank < 1 || part_view(call, SCALES)->rank > 3 ||
                       part_view(call, SCALES)->shape[0] != tokens->shape[0]))
        return refuse(
            call, "perTokenScalesOptional has shape %s; [%" PRId64 "], or up to two dims more, is expected",
            shape_text(TEXT, part_view(call, SCALES)), tokens->shape[0]);
    if (tokens->shape[0] > INT32_MAX)
        return refuse(call, "tokens has %" PRId64 " rows; 2^31 - 1 at most are expected", tokens->shape[0]);
    if (call->has_outputs && has_scales)
        TRY(check_part_given(call, OUT_SCALES, "perTokenScalesOptional"));
    result->computed = tokens->dtype;
    add_dims(result, tokens->dtype, 2, tokens->shape[0], tokens->shape[1], 0);
    const struct tensor_view *scales = call_view(call, part_at(call, SCALES));
    add_dims(result, ACL_FLOAT, has_scales ? scales->rank : 1, tokens->shape[0],
             has_scales ? scales->shape[1] : 0, has_scales ? scales->shape[2] : 0)
        ->is_unwanted = !has_scales;
    add_dims(result, ACL_INT32, 1, tokens->shape[0], 0, 0);
    add_dims(result, counts->dtype, 1, counts->shape[1], 0, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_re_routing(const struct call *call, const struct result *result)
{
    const struct tensor_view *tokens = part_view(call, TOKENS), *counts = part_view(call, COUNTS);
    struct re_routing_plan plan = {.rows = (uint64_t)tokens->shape[0],
                                   .width = (uint64_t)tokens->shape[1],
                                   .ranks = (uint64_t)counts->shape[0],
                                   .experts = (uint64_t)counts->shape[1],
                                   .is_cumulated = form_number(call, COUNT_TYPE, 1) == 0,
                                   .is_inverse = form_number(call, INDEX_TYPE, 0) == 1};
    (void)result;
    for (unsigned part = TOKENS; part <= OUT_COUNTS; part++) {
        const bool is_row = part == TOKENS || part == OUT_TOKENS,
                   is_scale = part == SCALES || part == OUT_SCALES;
        if (!is_scale || part_given(call, SCALES))
            set_port(&plan.ports, call, part, is_row ? tokens->dtype : is_scale ? ACL_FLOAT : ACL_INT64);
    }
    if (part_given(call, SCALES) && plan.rows > 0)
        plan.scale_width = (uint64_t)part_view(call, SCALES)->count / plan.rows;
    const double cost_ns = (double)plan.rows * ((double)plan.width * ELEMENT_PS + NUMBER_PS) / 1000 +
                           (double)counts->count * NUMBER_PS / 1000;
    plan.cost_ns = (uint64_t)cost_ns;
    return finish_experts(call, &plan, sizeof plan, cost_ns);
}

static size_t re_routing_work_bytes(const void *prepared)
{
    const struct re_routing_plan *plan = prepared;
    return 2 * whole_lines((size_t)plan->rows * sizeof(int64_t)) +
           2 * whole_lines((size_t)(plan->ranks * plan->experts) * sizeof(int64_t)) +
           whole_lines((size_t)plan->experts * sizeof(int64_t));
}

/* Where the rows of each rank and expert begin, from how many there are. */
static int place_counts(const struct re_routing_plan *plan, const int64_t *count, int64_t *first)
{
    uint64_t all = 0;
    for (uint64_t i = 0; i < plan->ranks * plan->experts; i++) {
        if (count[i] < 0 || (uint64_t)count[i] > plan->rows - all)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "expertTokenNumPerRank holds %" PRId64 " at [%" PRIu64 ", %" PRIu64
                                  "]; counts of 0 or more with a sum up to the rows of tokens, %" PRIu64
                                  ", are expected",
                                  count[i], i / plan->experts, i % plan->experts, plan->rows);
        first[i] = (int64_t)all;
        all += (uint64_t)count[i];
    }
    return 0;
}

static int re_routing_run(const void *prepared, void *const *address, void *scratch)
{
    const struct re_routing_plan *plan = prepared;
    const size_t rows = (size_t)plan->rows * sizeof(int64_t);
    size_t used = 0;
    int64_t *source = take_room(scratch, &used, rows), *goal = take_room(scratch, &used, rows);
    const size_t counts = (size_t)(plan->ranks * plan->experts) * sizeof(int64_t);
    int64_t *count = take_room(scratch, &used, counts), *first = take_room(scratch, &used, counts);
    int64_t *total = take_room(scratch, &used, (size_t)plan->experts * sizeof(int64_t));
    port_bring(&plan->ports.at[COUNTS], address, 0, plan->ranks * plan->experts, count);
    const int status = place_counts(plan, count, first);
    if (status != 0)
        return status;
    memset(source, 0xff, rows);
    memset(goal, 0xff, rows);
    int64_t row = 0;
    for (uint64_t expert = 0; expert < plan->experts; expert++) {
        const int64_t before = plan->is_cumulated ? 0 : row;
        for (uint64_t rank = 0; rank < plan->ranks; rank++) {
            const uint64_t pair = rank * plan->experts + expert;
            for (int64_t i = 0; i < count[pair]; i++, row++) {
                source[row] = first[pair] + i;
                goal[first[pair] + i] = row;
            }
        }
        total[expert] = row - before;
    }
    struct row_copies copies = {.from = &plan->ports.at[TOKENS],
                                .to = &plan->ports.at[OUT_TOKENS],
                                .address = address,
                                .source = source,
                                .rows = plan->rows,
                                .width = plan->width,
                                .cost_ns = plan->cost_ns};
    copy_rows(&copies);
    copies.from = &plan->ports.at[SCALES];
    copies.to = &plan->ports.at[OUT_SCALES];
    copies.width = plan->scale_width;
    if (plan->scale_width > 0)
        copy_rows(&copies);
    port_deliver(&plan->ports.at[INDEX], address, 0, plan->rows, plan->is_inverse ? goal : source);
    port_deliver(&plan->ports.at[OUT_COUNTS], address, 0, plan->experts, total);
    return 0;
}

FUNCTION_OF(aclnnMoeReRouting, RE_ROUTING, .stem = "moe_re_routing", .promise = &promise_exact,
            EXPERTS(&form_re_routing), .operation.work_bytes = re_routing_work_bytes,
            .operation.run = re_routing_run, .infer = infer_re_routing, .plan = plan_re_routing);

/* MoeUpdateExpert. */
#define UPDATE(X, of)                                                                             \
    X(of, IN, expertIds, &dtypes_int32_int64, .sample = "3x2:INT32")                              \
    X(of, IN, eplbTable, &dtypes_int32, .sample = "4x3:INT32")                                    \
    X(of, IN, expertScalesOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3x2") \
    X(of, IN, pruningThresholdOptional, &dtypes_fp32, .is_optional = true, .sample = "2")         \
    X(of, IN, activeMaskOptional, &dtypes_bool, .is_optional = true, .sample = "3:BOOL")          \
    X(of, INT64, localRankId, .usual = "0")                                                       \
    X(of, INT64, worldSize, .usual = "1")                                                         \
    X(of, INT64, balanceMode, .usual = "0")                                                       \
    X(of, CONST_OUT, balancedExpertIds, &dtypes_int32_int64)                                      \
    X(of, CONST_OUT, balancedActiveMask, &dtypes_bool, .is_optional = true)
SIGNATURE(UPDATE)

enum { IDS, TABLE, CHOICE_SCALES, THRESHOLD, ACTIVE, OUT_IDS, OUT_MASK };
enum { LOCAL_RANK, WORLD, MODE };
static const struct form form_update = {
    {[IDS] = AT(UPDATE_expertIds),
     [TABLE] = AT(UPDATE_eplbTable),
     [CHOICE_SCALES] = AT(UPDATE_expertScalesOptional),
     [THRESHOLD] = AT(UPDATE_pruningThresholdOptional),
     [ACTIVE] = AT(UPDATE_activeMaskOptional),
     [OUT_IDS] = AT(UPDATE_balancedExpertIds),
     [OUT_MASK] = AT(UPDATE_balancedActiveMask)},
    {[LOCAL_RANK] = AT(UPDATE_localRankId), [WORLD] = AT(UPDATE_worldSize), [MODE] = AT(UPDATE_balanceMode)},
    0};

struct update_plan {
    struct ports ports;
    uint64_t tokens, top_k, experts, columns;
    int64_t rank, world;
    bool is_by_token, prunes;
};

static aclnnStatus infer_update(const struct call *call, struct result *result)
{
    const struct tensor_view *ids = part_view(call, IDS);
    for (unsigned part = IDS; part <= ACTIVE; part++)
        TRY(check_part(call, part));
    TRY(check_dims(call, IDS, 2, -1, -1));
    TRY(check_dims(call, TABLE, 2, -1, -1));
    if (part_view(call, TABLE)->shape[1] < 2)
        return refuse(call,
                      "eplbTable has shape %s; a count and one place or more of each expert are expected",
                      shape_text(TEXT, part_view(call, TABLE)));
    const bool prunes = part_given(call, CHOICE_SCALES);
    if (prunes != part_given(call, THRESHOLD) || (part_given(call, ACTIVE) && !prunes))
        return refuse(call, "of expertScalesOptional and pruningThresholdOptional %s; both are expected%s",
                      prunes || part_given(call, THRESHOLD) ? "one is NULL" : "none is there",
                      part_given(call, ACTIVE) ? " beside activeMaskOptional" : ", or none");
    TRY(check_dims(call, CHOICE_SCALES, 2, ids->shape[0], ids->shape[1]));
    if (prunes && part_view(call, THRESHOLD)->rank == 2)
        TRY(check_dims(call, THRESHOLD, 2, 1, ids->shape[1]));
    else
        TRY(check_dims(call, THRESHOLD, 1, ids->shape[1], 0));
    TRY(check_dims(call, ACTIVE, 1, ids->shape[0], 0));
    TRY(check_number(call, MODE, 0, 1));
    if (form_number(call, MODE, 0) == 0) {
        TRY(check_number(call, WORLD, 1, INT32_MAX));
        TRY(check_number(call, LOCAL_RANK, 0, form_number(call, WORLD, 1) - 1));
    }
    if (call->has_outputs && prunes)
        TRY(check_part_given(call, OUT_MASK, "pruningThresholdOptional"));
    result->computed = ids->dtype;
    add_dims(result, ids->dtype, 2, ids->shape[0], ids->shape[1], 0);
    add_dims(result, ACL_BOOL, 2, ids->shape[0], ids->shape[1], 0)->is_unwanted = !prunes;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_update(const struct call *call, const struct result *result)
{
    const struct tensor_view *ids = part_view(call, IDS), *table = part_view(call, TABLE);
    struct update_plan plan = {.tokens = (uint64_t)ids->shape[0],
                               .top_k = (uint64_t)ids->shape[1],
                               .experts = (uint64_t)table->shape[0],
                               .columns = (uint64_t)table->shape[1],
                               .rank = form_number(call, LOCAL_RANK, 0),
                               .world = form_number(call, WORLD, 1),
                               .is_by_token = form_number(call, MODE, 0) == 1,
                               .prunes = part_given(call, CHOICE_SCALES)};
    (void)result;
    for (unsigned part = IDS; part <= OUT_MASK; part++)
        if (part != OUT_MASK || plan.prunes)
            set_port(&plan.ports, call, part,
                     part == ACTIVE || part == OUT_MASK           ? ACL_BOOL
                     : part == CHOICE_SCALES || part == THRESHOLD ? ACL_DOUBLE
                                                                  : ACL_INT64);
    return finish_experts(call, &plan, sizeof plan, (double)ids->count * 16 * NUMBER_PS / 1000);
}

static size_t update_work_bytes(const void *prepared)
{
    const struct update_plan *plan = prepared;
    return whole_lines((size_t)(plan->tokens * plan->top_k) * sizeof(int64_t)) +
           2 * whole_lines((size_t)plan->top_k * sizeof(double)) + whole_lines((size_t)plan->top_k);
}

/* Which place stands for an expert of a token; operation_fail where the table does not say. */
static int find_place(const struct update_plan *plan, void *const *address, uint64_t pair, int64_t *expert)
{
    int64_t count = 0;
    if ((uint64_t)*expert >= plan->experts)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "expertIds holds %" PRId64 " at [%" PRIu64 ", %" PRIu64
                              "]; 0 up to the rows of eplbTable, %" PRIu64 ", is expected",
                              *expert, pair / plan->top_k, pair % plan->top_k, plan->experts);
    const uint64_t row = (uint64_t)*expert * plan->columns;
    port_bring(&plan->ports.at[TABLE], address, row, 1, &count);
    if (count < 1 || (uint64_t)count >= plan->columns)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "eplbTable holds %" PRId64 " at [%" PRId64 ", 0]; a count of 1 to %" PRIu64
                              " is expected",
                              count, *expert, plan->columns - 1);
    const int64_t share = (plan->world - 1) / count + 1;
    const int64_t place = plan->is_by_token ? (int64_t)(pair / plan->top_k) % count : plan->rank / share;
    port_bring(&plan->ports.at[TABLE], address, row + 1 + (uint64_t)place, 1, expert);
    return 0;
}

static int update_run(const void *prepared, void *const *address, void *scratch)
{
    const struct update_plan *plan = prepared;
    const uint64_t pairs = plan->tokens * plan->top_k;
    size_t used = 0;
    int64_t *expert = take_room(scratch, &used, (size_t)pairs * sizeof(int64_t));
    double *scale = take_room(scratch, &used, (size_t)plan->top_k * sizeof(double));
    double *threshold = take_room(scratch, &used, (size_t)plan->top_k * sizeof(double));
    bool *keeps = take_room(scratch, &used, (size_t)plan->top_k);
    port_bring(&plan->ports.at[IDS], address, 0, pairs, expert);
    for (uint64_t pair = 0; pair < pairs; pair++) {
        const int status = find_place(plan, address, pair, &expert[pair]);
        if (status != 0)
            return status;
    }
    port_deliver(&plan->ports.at[OUT_IDS], address, 0, pairs, expert);
    if (!plan->prunes)
        return 0;
    port_bring(&plan->ports.at[THRESHOLD], address, 0, plan->top_k, threshold);
    for (uint64_t token = 0; token < plan->tokens; token++) {
        uint8_t is_active = 1; /* a BOOL of any bits */
        double sum = 0;
        if (has_port(&plan->ports, ACTIVE))
            port_bring(&plan->ports.at[ACTIVE], address, token, 1, &is_active);
        port_bring(&plan->ports.at[CHOICE_SCALES], address, token * plan->top_k, plan->top_k, scale);
        for (uint64_t k = 0; k < plan->top_k; k++)
            sum += scale[k];
        for (uint64_t k = 0; k < plan->top_k; k++)
            keeps[k] = is_active != 0 && scale[k] >= threshold[k] * sum;
        port_deliver(&plan->ports.at[OUT_MASK], address, token * plan->top_k, plan->top_k, keeps);
    }
    return 0;
}

FUNCTION_OF(aclnnMoeUpdateExpert, UPDATE, .stem = "moe_update_expert", .promise = &promise_exact,
            EXPERTS(&form_update), .operation.work_bytes = update_work_bytes, .operation.run = update_run,
            .infer = infer_update, .plan = plan_update);
