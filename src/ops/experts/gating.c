/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gate of a mixture of experts by scores, which a bias may change for the choice alone and groups of
 * experts may limit, and its gradient. Computed in DOUBLE, rounded once.
 */
#include "aclnnop/aclnn_moe_gating_top_k.h"
#include "aclnnop/aclnn_moe_gating_top_k_backward.h"
#include "aclnnop/aclnn_moe_gating_top_k_v2.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/experts/gating.h"
#include "ops/signature.h"

LEVEL_TABLE(rows_function, softmax_rows, softmax_row);
LEVEL_TABLE(rows_function, scores_rows, scores_row);

enum { K, GROUPS_KEPT, GROUPS, GROUP_SCORE, RENORM, NORM, FACTOR, EPS };
enum { ELEMENT_PS = 5000, SHARES_MAX = 16 };

#define GATE(X, of)                                       \
    X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = "3x4") \
    X(of, IN, biasOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "4")
#define TABLES(X, of)                                                                          \
    X(of, IN, inputIdsOptional, &dtypes_int32_int64, .is_optional = true, .sample = "3:INT32") \
    X(of, IN, tid2eidOptional, &dtypes_int32_int64, .is_optional = true, .sample = "5x2:INT32")
#define CHOICES(X, of)                               \
    X(of, INT64, k, .sample = "2")                   \
    X(of, INT64, kGroup, .usual = "1")               \
    X(of, INT64, groupCount, .usual = "1")           \
    X(of, INT64, groupSelectMode, .usual = "0")      \
    X(of, INT64, renorm, .usual = "0")               \
    X(of, INT64, normType, .usual = "0")             \
    X(of, BOOL, outFlag, .usual = "false")           \
    X(of, DOUBLE, routedScalingFactor, .usual = "1") \
    X(of, DOUBLE, eps, .usual = "1e-20")             \
    X(of, OUT, yOut, &dtypes_fp32_fp16_bf16)         \
    X(of, OUT, expertIdxOut, &dtypes_int32)          \
    X(of, OUT, outOut, &dtypes_fp32, .is_optional = true)
#define V1(X, of) GATE(X, of) CHOICES(X, of)
#define V2(X, of) GATE(X, of) TABLES(X, of) CHOICES(X, of)
#define BACKWARD(X, of)                                        \
    X(of, IN, xNorm, &dtypes_fp32, .sample = "3x4")            \
    X(of, IN, gradY, &dtypes_fp32_fp16_bf16, .sample = "3x2")  \
    X(of, IN, expertIdx, &dtypes_int32, .sample = "3x2:INT32") \
    X(of, INT64, renorm, .usual = "0")                         \
    X(of, INT64, normType, .usual = "1")                       \
    X(of, DOUBLE, routedScalingFactor, .usual = "1")           \
    X(of, DOUBLE, eps, .usual = "1e-20")                       \
    X(of, OUT, gradX, &dtypes_fp32_fp16_bf16)

SIGNATURE(V1)
SIGNATURE(V2)
SIGNATURE(BACKWARD)

#define PARTS_OF(of)                                                                                         \
    [X] = AT(of##_x), [BIAS] = AT(of##_biasOptional), [Y] = AT(of##_yOut), [CHOSEN] = AT(of##_expertIdxOut), \
    [SCORES] = AT(of##_outOut)
#define NORMS_OF(of)                                                                                 \
    [RENORM] = AT(of##_renorm), [NORM] = AT(of##_normType), [FACTOR] = AT(of##_routedScalingFactor), \
    [EPS] = AT(of##_eps)
#define NUMBERS_OF(of)                                                                     \
    {                                                                                      \
        [K] = AT(of##_k), [GROUPS_KEPT] = AT(of##_kGroup), [GROUPS] = AT(of##_groupCount), \
        [GROUP_SCORE] = AT(of##_groupSelectMode), NORMS_OF(of)                             \
    }

static const struct form form_v1 = {{PARTS_OF(V1)}, NUMBERS_OF(V1), 0};
static const struct form form_v2 = {
    {PARTS_OF(V2), [KEYS] = AT(V2_inputIdsOptional), [TABLE] = AT(V2_tid2eidOptional)}, NUMBERS_OF(V2), 0};
static const struct form form_backward = {{[BACK_SCORES] = AT(BACKWARD_xNorm),
                                           [BACK_Y] = AT(BACKWARD_gradY),
                                           [BACK_CHOSEN] = AT(BACKWARD_expertIdx),
                                           [BACK_X] = AT(BACKWARD_gradX)},
                                          {NORMS_OF(BACKWARD)},
                                          0};

static aclnnStatus check_groups(const struct call *call, int64_t experts)
{
    const int64_t groups = form_number(call, GROUPS, 1);
    TRY(check_number(call, GROUPS, 1, experts > 0 ? experts : 1));
    if (experts % groups != 0)
        return refuse(call,
                      "x has rows of %" PRId64 " experts; a multiple of groupCount, %" PRId64 ", is expected",
                      experts, groups);
    TRY(check_number(call, GROUPS_KEPT, 1, groups));
    TRY(check_number(call, GROUP_SCORE, 0, 1));
    if (groups > 1 && form_number(call, GROUP_SCORE, 0) == 1 && experts / groups < 2)
        return refuse(call, "groups have 1 expert each; 2 or more are expected with groupSelectMode 1");
    return check_number(call, K, 1, form_number(call, GROUPS_KEPT, 1) * (experts / groups));
}

static aclnnStatus check_norms(const struct call *call)
{
    TRY(check_number(call, RENORM, 0, 1));
    return check_number(call, NORM, SCORE_SOFTMAX, SCORE_SOFTPLUS_ROOT);
}

static aclnnStatus check_experts(const struct call *call, int64_t experts)
{
    return experts <= INT32_MAX
               ? ACLNN_SUCCESS
               : refuse(call, "rows have %" PRId64 " experts; at most %d are expected", experts, INT32_MAX);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = part_view(call, X);
    for (unsigned part = X; part <= TABLE; part++)
        TRY(check_part(call, part));
    TRY(check_dims(call, X, 2, -1, -1));
    TRY(check_experts(call, x->shape[1]));
    TRY(check_dims(call, BIAS, 1, x->shape[1], 0));
    TRY(check_groups(call, x->shape[1]));
    TRY(check_norms(call));
    TRY(part_given(call, TABLE) ? check_part_given(call, KEYS, "tid2eidOptional") : ACLNN_SUCCESS);
    TRY(part_given(call, KEYS) ? check_part_given(call, TABLE, "inputIdsOptional") : ACLNN_SUCCESS);
    TRY(check_dims(call, KEYS, 1, x->shape[0], 0));
    TRY(check_dims(call, TABLE, 2, -1, form_number(call, K, 1)));
    result->computed = x->dtype;
    add_dims(result, x->dtype, 2, x->shape[0], form_number(call, K, 1), 0);
    add_dims(result, ACL_INT32, 2, x->shape[0], form_number(call, K, 1), 0);
    add_dims(result, ACL_FLOAT, 2, x->shape[0], x->shape[1], 0)->is_unwanted =
        call->has_outputs && !part_given(call, SCORES);
    return ACLNN_SUCCESS;
}

/* What the gate and its gradient have in common. */
static struct gating_plan plan_of(const struct call *call, const struct tensor_view *scores, int64_t k)
{
    const int64_t norm = form_number(call, NORM, 0);
    struct gating_plan plan = {.normalises = norm != SCORE_SOFTMAX || form_number(call, RENORM, 0) == 1,
                               .choice = (enum score)norm,
                               .rows = (uint64_t)scores->shape[0],
                               .experts = (uint64_t)scores->shape[1],
                               .k = (uint64_t)k,
                               .factor = call->argument[number_at(call, FACTOR)].fp64,
                               .eps = call->argument[number_at(call, EPS)].fp64,
                               .cost_ns = (uint64_t)((double)scores->count * ELEMENT_PS / 1000)};
    plan.shares = plan.rows < SHARES_MAX ? plan.rows : SHARES_MAX;
    return plan;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const enum isa_level isa = call->settings->isa;
    struct gating_plan plan = plan_of(call, part_view(call, X), form_number(call, K, 1));
    (void)result;
    if (plan.rows == 0)
        return call_idle(call);
    plan.score = plan.choice == SCORE_SOFTMAX ? softmax_rows[isa] : scores_rows[isa];
    plan.groups = (uint64_t)form_number(call, GROUPS, 1);
    plan.groups_kept = (uint64_t)form_number(call, GROUPS_KEPT, 1);
    plan.sums_two = form_number(call, GROUP_SCORE, 0) == 1;
    for (unsigned part = X; part <= SCORES; part++)
        set_port(&plan.ports, call, part,
                 part == KEYS || part == TABLE || part == CHOSEN ? ACL_INT64 : ACL_DOUBLE);
    if (part_given(call, TABLE))
        plan.keys = (uint64_t)part_view(call, TABLE)->shape[0];
    return finish_experts(call, &plan, sizeof plan, (double)plan.cost_ns);
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const struct tensor_view *scores = part_view(call, BACK_SCORES);
    for (unsigned part = BACK_SCORES; part <= BACK_CHOSEN; part++)
        TRY(check_part(call, part));
    TRY(check_dims(call, BACK_SCORES, 2, -1, -1));
    TRY(check_experts(call, scores->shape[1]));
    TRY(check_dims(call, BACK_Y, 2, scores->shape[0], -1));
    TRY(check_dims(call, BACK_CHOSEN, 2, scores->shape[0], part_view(call, BACK_Y)->shape[1]));
    if (part_view(call, BACK_Y)->shape[1] > scores->shape[1])
        return refuse(
            call, "gradY has rows of %" PRId64 " elements; %" PRId64 ", the experts, at most are expected",
            part_view(call, BACK_Y)->shape[1], scores->shape[1]);
    TRY(check_norms(call));
    result->computed = part_view(call, BACK_Y)->dtype;
    add_dims(result, result->computed, 2, scores->shape[0], scores->shape[1], 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct gating_plan plan = plan_of(call, part_view(call, BACK_SCORES), part_view(call, BACK_Y)->shape[1]);
    (void)result;
    if (plan.rows == 0 || plan.experts == 0)
        return call_idle(call);
    if (plan.choice == SCORE_SOFTPLUS_ROOT) {
        plan.choice = SCORE_SOFTPLUS_ROOT_SLOPE;
        plan.score = scores_rows[call->settings->isa];
    }
    for (unsigned part = BACK_SCORES; part <= BACK_X; part++)
        set_port(&plan.ports, call, part, part == BACK_CHOSEN ? ACL_INT64 : ACL_DOUBLE);
    return finish_experts(call, &plan, sizeof plan, (double)plan.cost_ns);
}

#define GATES(form_) .promise = &promise_sum, EXPERTS(&(form_)), .operation.work_bytes = gating_work_bytes
FUNCTION_OF(aclnnMoeGatingTopK, V1, .stem = "moe_gating_top_k", GATES(form_v1), .operation.run = gating_run,
            .infer = infer, .plan = plan);
FUNCTION_OF(aclnnMoeGatingTopKV2, V2, .stem = "moe_gating_top_k_v2", GATES(form_v2),
            .operation.run = gating_run, .infer = infer, .plan = plan);
FUNCTION_OF(aclnnMoeGatingTopKBackward, BACKWARD, .stem = "moe_gating_top_k_backward", GATES(form_backward),
            .operation.run = gating_backward_run, .infer = infer_backward, .plan = plan_backward);
