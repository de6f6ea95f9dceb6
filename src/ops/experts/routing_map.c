/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the experts that a map of tokens and experts names, and back, and the gradients of both. Slots,
 * the numbers of sortedIndices, are topK for each token, or, where experts are padded, so many for each
 * expert.
 */
#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"
#include "aclnnop/aclnn_moe_token_permute_with_routing_map_grad.h"
#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map.h"
#include "aclnnop/aclnn_moe_token_unpermute_with_routing_map_grad.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/experts/routing_map.h"
#include "ops/signature.h"

enum { OUT_COUNT, EXPERT_COUNT, TOKEN_COUNT, PADDED, RESTORE };
enum { ELEMENT_PS = 1500, PAIR_PS = 20000 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define PERMUTE(X, of)                                                   \
    X(of, IN, tokens, FLT3, .sample = "3x5")                             \
    X(of, IN, routingMap, &dtypes_int8_bool, .sample = "3x4:BOOL")       \
    X(of, IN, probsOptional, FLT3, .is_optional = true, .sample = "3x4") \
    X(of, INT64, numOutTokens, .sample = "12")                           \
    X(of, BOOL, dropAndPad, .usual = "false")                            \
    X(of, OUT, permuteTokensOut, FLT3)                                   \
    X(of, OUT, permuteProbsOutOptional, FLT3, .is_optional = true)       \
    X(of, OUT, sortedIndicesOut, &dtypes_int32)
#define PERMUTE_GRAD(X, of)                                                                     \
    X(of, IN, permutedTokensGrad, FLT3, .sample = "6x5")                                        \
    X(of, IN, permutedProbsGradOptional, FLT3, .is_optional = true, .sample = "6")              \
    X(of, IN, sortedIndices, &dtypes_int32, .sample = "6:INT32")                                \
    X(of, IN, routingMapOptional, &dtypes_int8_bool, .is_optional = true, .sample = "3x4:BOOL") \
    X(of, INT64, expertsNum, .sample = "4")                                                     \
    X(of, INT64, tokensNum, .sample = "3")                                                      \
    X(of, BOOL, dropAndPad, .usual = "false")                                                   \
    X(of, OUT, tokensGradOut, FLT3)                                                             \
    X(of, OUT, probsGradOutOptional, FLT3, .is_optional = true)
#define RESTORED(X, of) X(of, INTS, restoreShape, .sample = "3,5")
#define UNPERMUTE(X, of)                                                                        \
    X(of, IN, permutedTokens, FLT3, .sample = "6x5")                                            \
    X(of, IN, sortedIndices, &dtypes_int32, .sample = "6:INT32")                                \
    X(of, IN, routingMapOptional, &dtypes_int8_bool, .is_optional = true, .sample = "3x4:BOOL") \
    X(of, IN, probsOptional, FLT3, .is_optional = true, .sample = "3x4")                        \
    X(of, BOOL, paddedMode, .usual = "false")                                                   \
    RESTORED(X, of)                                                                             \
    X(of, OUT, unpermutedTokens, FLT3)                                                          \
    X(of, OUT, outIndex, &dtypes_int32)                                                         \
    X(of, OUT, permuteTokenId, &dtypes_int32)                                                   \
    X(of, OUT, permuteProbsOptional, FLT3, .is_optional = true)
#define UNPERMUTE_GRAD(X, of)                                                                   \
    X(of, IN, unpermutedTokensGrad, FLT3, .sample = "3x5")                                      \
    X(of, IN, outIndex, &dtypes_int32, .sample = "6:INT32")                                     \
    X(of, IN, permuteTokenId, &dtypes_int32, .sample = "6:INT32")                               \
    X(of, IN, routingMapOptional, &dtypes_int8_bool, .is_optional = true, .sample = "3x4:BOOL") \
    X(of, IN, permutedTokensOptional, FLT3, .is_optional = true, .sample = "6x5")               \
    X(of, IN, probsOptional, FLT3, .is_optional = true, .sample = "3x4")                        \
    X(of, BOOL, dropAndPad, .usual = "false")                                                   \
    RESTORED(X, of)                                                                             \
    X(of, OUT, permutedTokensGradOut, FLT3)                                                     \
    X(of, OUT, probsGradOutOptional, FLT3, .is_optional = true)
SIGNATURE(PERMUTE)
SIGNATURE(PERMUTE_GRAD)
SIGNATURE(UNPERMUTE)
SIGNATURE(UNPERMUTE_GRAD)

static const struct form form_permute = {
    {[ROWS] = AT(PERMUTE_tokens),
     [MAP] = AT(PERMUTE_routingMap),
     [PROBS] = AT(PERMUTE_probsOptional),
     [OUT_ROWS] = AT(PERMUTE_permuteTokensOut),
     [OUT_PROBS] = AT(PERMUTE_permuteProbsOutOptional),
     [OUT_SLOTS] = AT(PERMUTE_sortedIndicesOut)},
    {[OUT_COUNT] = AT(PERMUTE_numOutTokens), [PADDED] = AT(PERMUTE_dropAndPad)},
    THERE};
static const struct form form_permute_grad = {{[ROWS] = AT(PERMUTE_GRAD_permutedTokensGrad),
                                               [PROBS] = AT(PERMUTE_GRAD_permutedProbsGradOptional),
                                               [SLOTS] = AT(PERMUTE_GRAD_sortedIndices),
                                               [MAP] = AT(PERMUTE_GRAD_routingMapOptional),
                                               [OUT_ROWS] = AT(PERMUTE_GRAD_tokensGradOut),
                                               [OUT_PROBS] = AT(PERMUTE_GRAD_probsGradOutOptional)},
                                              {[EXPERT_COUNT] = AT(PERMUTE_GRAD_expertsNum),
                                               [TOKEN_COUNT] = AT(PERMUTE_GRAD_tokensNum),
                                               [PADDED] = AT(PERMUTE_GRAD_dropAndPad)},
                                              THERE_GRAD};
static const struct form form_unpermute = {
    {[ROWS] = AT(UNPERMUTE_permutedTokens),
     [SLOTS] = AT(UNPERMUTE_sortedIndices),
     [MAP] = AT(UNPERMUTE_routingMapOptional),
     [PROBS] = AT(UNPERMUTE_probsOptional),
     [OUT_ROWS] = AT(UNPERMUTE_unpermutedTokens),
     [OUT_SLOTS] = AT(UNPERMUTE_outIndex),
     [OUT_TOKENS] = AT(UNPERMUTE_permuteTokenId),
     [OUT_PROBS] = AT(UNPERMUTE_permuteProbsOptional)},
    {[PADDED] = AT(UNPERMUTE_paddedMode), [RESTORE] = AT(UNPERMUTE_restoreShape)},
    BACK};
static const struct form form_unpermute_grad = {
    {[ROWS] = AT(UNPERMUTE_GRAD_unpermutedTokensGrad),
     [SLOTS] = AT(UNPERMUTE_GRAD_outIndex),
     [TOKENS] = AT(UNPERMUTE_GRAD_permuteTokenId),
     [MAP] = AT(UNPERMUTE_GRAD_routingMapOptional),
     [PERMUTED] = AT(UNPERMUTE_GRAD_permutedTokensOptional),
     [PROBS] = AT(UNPERMUTE_GRAD_probsOptional),
     [OUT_ROWS] = AT(UNPERMUTE_GRAD_permutedTokensGradOut),
     [OUT_PROBS] = AT(UNPERMUTE_GRAD_probsGradOutOptional)},
    {[PADDED] = AT(UNPERMUTE_GRAD_dropAndPad), [RESTORE] = AT(UNPERMUTE_GRAD_restoreShape)},
    BACK_GRAD};

static enum mapping mapping_of(const struct call *call)
{
    return (enum mapping)form_of(call)->choice;
}

static bool is_padded(const struct call *call)
{
    return form_number(call, PADDED, 0) != 0;
}

/* Probs are by tokens and experts, but for the gradient of those of rows. */
static bool probs_are_by_token(const struct call *call)
{
    return mapping_of(call) != THERE_GRAD;
}

static int64_t tokens_of(const struct call *call)
{
    const unsigned restore = form_of(call)->number[RESTORE];
    return form_of(call)->number[TOKEN_COUNT] > 0 ? form_number(call, TOKEN_COUNT, 0)
           : restore > 0                          ? call->values[restore - 1].value.int64[0]
                                                  : part_view(call, ROWS)->shape[0];
}

/* -1 where nothing says it. */
static int64_t experts_of(const struct call *call)
{
    if (form_of(call)->number[EXPERT_COUNT] > 0)
        return form_number(call, EXPERT_COUNT, 0);
    return part_given(call, MAP)                                 ? part_view(call, MAP)->shape[1]
           : part_given(call, PROBS) && probs_are_by_token(call) ? part_view(call, PROBS)->shape[1]
                                                                 : -1;
}

static int64_t slots_of(const struct call *call)
{
    const int64_t asked = form_number(call, OUT_COUNT, 0), experts = experts_of(call);
    if (mapping_of(call) != THERE)
        return part_view(call, SLOTS)->shape[0];
    return is_padded(call) && experts > 0 ? asked / experts * experts : asked;
}

static aclnnStatus check_restored(const struct call *call)
{
    const unsigned restore = form_of(call)->number[RESTORE];
    if (restore == 0)
        return ACLNN_SUCCESS;
    const struct call_values *shape = &call->values[restore - 1];
    const int64_t width = part_view(call, ROWS)->shape[1];
    if (shape->count == 2 && shape->value.int64[0] >= 0 && shape->value.int64[1] == width)
        return mapping_of(call) == BACK_GRAD ? check_dims(call, ROWS, 2, shape->value.int64[0], width)
                                             : ACLNN_SUCCESS;
    return refuse(call, "%s is not the number of tokens and the width of the rows, %" PRId64,
                  call_name(call, restore - 1), width);
}

/* So many slots go to each token, or to each expert. */
static aclnnStatus check_slots(const struct call *call)
{
    const int64_t slots = mapping_of(call) == THERE ? form_number(call, OUT_COUNT, 0) : slots_of(call);
    const int64_t divisor = is_padded(call) ? experts_of(call) : tokens_of(call);
    const unsigned at = mapping_of(call) == THERE ? number_at(call, OUT_COUNT) : part_at(call, SLOTS);
    if (is_padded(call) && divisor < 1)
        return refuse(call, "the number of experts is not known; %s, or probs, with one or more is expected",
                      call_name(call, part_at(call, MAP)));
    if (slots >= 0 && slots <= INT32_MAX &&
        (divisor == 0 ? slots == 0 : slots % divisor == 0 || mapping_of(call) == THERE) &&
        (is_padded(call) || divisor == 0 || slots % divisor == 0))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s says %" PRId64 "; 0 to 2^31 - 1, and a multiple of the %s, %" PRId64 ", is expected",
                  call_name(call, at), slots, is_padded(call) ? "experts" : "tokens", divisor);
}

static aclnnStatus check_parts(const struct call *call)
{
    const enum mapping mapping = mapping_of(call);
    for (unsigned part = ROWS; part <= PERMUTED; part++)
        TRY(check_part(call, part));
    TRY(check_dims(call, ROWS, 2, -1, -1));
    TRY(check_restored(call));
    for (unsigned number = EXPERT_COUNT; number <= TOKEN_COUNT; number++)
        if (form_of(call)->number[number] > 0)
            TRY(check_number(call, number, 0, INT32_MAX));
    if (part_given(call, PROBS) && !is_padded(call))
        TRY(check_part_given(call, MAP, call_name(call, part_at(call, PROBS))));
    TRY(check_dims(call, MAP, 2, tokens_of(call),
                   form_of(call)->number[EXPERT_COUNT] > 0 ? experts_of(call) : -1));
    if (probs_are_by_token(call))
        TRY(check_dims(call, PROBS, 2, tokens_of(call), experts_of(call)));
    TRY(check_dims(call, SLOTS, 1, -1, 0));
    TRY(check_slots(call));
    if (mapping == THERE) {
        const int64_t asked = form_number(call, OUT_COUNT, 0);
        if (experts_of(call) == 0
                ? asked > 0
                : asked / experts_of(call) + (asked % experts_of(call) > 0) > tokens_of(call))
            return refuse(call,
                          "numOutTokens is %" PRId64 "; %" PRId64 " tokens times %" PRId64
                          " experts at most are expected",
                          asked, tokens_of(call), experts_of(call));
        return ACLNN_SUCCESS;
    }
    if (!probs_are_by_token(call))
        TRY(check_dims(call, PROBS, 1, slots_of(call), 0));
    if (mapping != BACK_GRAD)
        return check_dims(call, ROWS, 2, slots_of(call), -1);
    TRY(check_dims(call, TOKENS, 1, slots_of(call), 0));
    if (part_given(call, PROBS))
        TRY(check_part_given(call, PERMUTED, "probsOptional"));
    return check_dims(call, PERMUTED, 2, slots_of(call), part_view(call, ROWS)->shape[1]);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const enum mapping mapping = mapping_of(call);
    TRY(check_parts(call));
    const struct tensor_view *rows = part_view(call, ROWS);
    const bool has_probs = part_given(call, PROBS), is_back = mapping == BACK || mapping == THERE_GRAD;
    const aclDataType probs = has_probs ? part_view(call, PROBS)->dtype : ACL_FLOAT;
    if (call->has_outputs && has_probs && mapping != BACK)
        TRY(check_part_given(call, OUT_PROBS, call_name(call, part_at(call, PROBS))));
    result->computed = rows->dtype;
    add_dims(result, rows->dtype, 2, is_back ? tokens_of(call) : slots_of(call), rows->shape[1], 0);
    if (mapping == BACK) {
        add_dims(result, ACL_INT32, 1, slots_of(call), 0, 0);
        add_dims(result, ACL_INT32, 1, slots_of(call), 0, 0);
    }
    const bool is_grad = mapping == THERE_GRAD || mapping == BACK_GRAD;
    const int64_t experts = experts_of(call) > 0 ? experts_of(call) : 0;
    struct output *output = is_grad ? add_dims(result, probs, 2, tokens_of(call), experts, 0)
                                    : add_dims(result, probs, 1, slots_of(call), 0, 0);
    output->is_unwanted =
        !has_probs || (mapping == BACK && call->has_outputs && !part_given(call, OUT_PROBS));
    output->dtype_rule = is_grad ? DTYPE_ANY : DTYPE_EQUAL;
    if (mapping == THERE)
        add_dims(result, ACL_INT32, 1, slots_of(call), 0, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *rows = part_view(call, ROWS);
    const enum mapping mapping = mapping_of(call);
    struct map_plan plan = {.mapping = mapping,
                            .is_padded = is_padded(call),
                            .tokens = (uint64_t)tokens_of(call),
                            .experts = experts_of(call) > 0 ? (uint64_t)experts_of(call) : 0,
                            .slots = (uint64_t)slots_of(call),
                            .width = (uint64_t)rows->shape[1]};
    (void)result;
    plan.each = plan.is_padded ? plan.slots / plan.experts : plan.tokens > 0 ? plan.slots / plan.tokens : 0;
    const bool has_probs = part_given(call, PROBS);
    for (unsigned part = ROWS; part < PARTS; part++)
        if (part != OUT_PROBS || has_probs)
            set_port(&plan.ports, call, part,
                     part == MAP                                                                  ? ACL_INT8
                     : part == SLOTS || part == TOKENS || part == OUT_SLOTS || part == OUT_TOKENS ? ACL_INT64
                     : mapping == THERE && (part == ROWS || part == OUT_ROWS) ? rows->dtype
                                                                              : ACL_DOUBLE);
    const double cost_ns = ((double)plan.slots * ((double)plan.width * ELEMENT_PS + PAIR_PS) +
                            (double)plan.tokens * (double)plan.experts * ELEMENT_PS) /
                           1000;
    plan.cost_ns = (uint64_t)cost_ns;
    return finish_experts(call, &plan, sizeof plan, cost_ns);
}

#define MAPS(form_)                                                                                      \
    EXPERTS(&(form_)), .operation.work_bytes = map_work_bytes, .operation.run = map_run, .infer = infer, \
                       .plan = plan

FUNCTION_OF(aclnnMoeTokenPermuteWithRoutingMap, PERMUTE, .stem = "moe_token_permute_with_routing_map",
            .promise = &promise_exact, MAPS(form_permute));
FUNCTION_OF(aclnnMoeTokenPermuteWithRoutingMapGrad, PERMUTE_GRAD,
            .stem = "moe_token_permute_with_routing_map_grad", .promise = &promise_sum,
            MAPS(form_permute_grad));
FUNCTION_OF(aclnnMoeTokenUnpermuteWithRoutingMap, UNPERMUTE, .stem = "moe_token_unpermute_with_routing_map",
            .promise = &promise_sum, MAPS(form_unpermute));
FUNCTION_OF(aclnnMoeTokenUnpermuteWithRoutingMapGrad, UNPERMUTE_GRAD,
            .stem = "moe_token_unpermute_with_routing_map_grad", .promise = &promise_sum,
            MAPS(form_unpermute_grad));
