/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a mixture of experts in the order of their experts and back. With n numbers of experts, topK
 * for each token, MoeTokenPermute sorts these, keeping the order of equal ones: row p of what comes out is
 * the token of the number with place p in the order, and sortedIndices[i] is the place of number i. Unpermute
 * gives each token the sum of its rows, times its probs. Rows behind the last one that is there, which had
 * been cut off, count as 0. Sums are in doubles in the order of the numbers, rounded once.
 */
#include "aclnnop/aclnn_moe_token_permute.h"
#include "aclnnop/aclnn_moe_token_permute_grad.h"
#include "aclnnop/aclnn_moe_token_unpermute.h"
#include "aclnnop/aclnn_moe_token_unpermute_grad.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/index/moe_tokens.h"

/* What an element of a row takes, and a number, roughly. */
enum { ELEMENT_PS = 1500, NUMBER_PS = 20000 };

/* Numbers are carried in 64 bits, everything else in doubles. */
static void set_part(struct tokens_plan *plan, const struct call *call, enum part part, unsigned parameter)
{
    plan->port[part] = port_of(call, parameter, part == NUMBERS ? ACL_INT64 : ACL_DOUBLE);
    plan->is_there[part] = true;
}

static aclnnStatus finish_plan(const struct call *call, struct tokens_plan *plan)
{
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof *plan, &content, &made));
    plan->cost_ns = (uint64_t)((double)count_of(plan) * (double)plan->width * ELEMENT_PS / 1000 +
                               (double)count_of(plan) * NUMBER_PS / 1000);
    memcpy(made, plan, sizeof *plan);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_matrix(const struct call *call, unsigned parameter)
{
    return call->tensor[parameter].rank == 2
               ? ACLNN_SUCCESS
               : refuse(call, "%s has %u dims; 2 are expected", call_name(call, parameter),
                        call->tensor[parameter].rank);
}

static aclnnStatus check_not_padded(const struct call *call, unsigned parameter)
{
    return call->argument[parameter].boolean
               ? refuse(call, "paddedMode is true; false is expected, the only one that is there")
               : ACLNN_SUCCESS;
}

/* One dim of as many numbers as topK divides; INT32_MAX at most. */
static aclnnStatus check_places(const struct call *call, unsigned parameter, int64_t top_k)
{
    const struct tensor_view *places = &call->tensor[parameter];
    if (places->rank != 1)
        return refuse(call, "%s has %u dims; 1 is expected", call_name(call, parameter), places->rank);
    if (places->count > INT32_MAX || places->count % top_k != 0)
        return refuse(call,
                      "%s has %" PRId64 " elements; a multiple of topK, %" PRId64
                      ", and 2^31 - 1 at most are expected",
                      call_name(call, parameter), places->count, top_k);
    return ACLNN_SUCCESS;
}

static void add_output(struct result *result, aclDataType dtype, unsigned like, uint32_t rank, int64_t rows,
                       int64_t columns)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->like = like;
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = rank;
    output->shape.dim[0] = rows;
    output->shape.dim[1] = columns;
}

/* MoeTokenPermute. */
enum { TOKENS, INDICES, NUM_OUT, PADDED, PERMUTED, SORTED };

static int64_t top_k_of(const struct call *call)
{
    const struct tensor_view *indices = &call->tensor[INDICES];
    return indices->rank == 2 ? indices->shape[1] : 1;
}

static int64_t permuted_rows(const struct call *call)
{
    const int64_t all = call->tensor[INDICES].count, asked = call->argument[NUM_OUT].int64;
    if (asked < 0)
        return all + asked > 0 ? all + asked : 0;
    return asked == 0 || asked > all ? all : asked;
}

static aclnnStatus infer_permute(const struct call *call, struct result *result)
{
    const struct tensor_view *tokens = &call->tensor[TOKENS], *indices = &call->tensor[INDICES];
    TRY(check_dtype(call, TOKENS));
    TRY(check_dtype(call, INDICES));
    TRY(check_matrix(call, TOKENS));
    if (indices->rank < 1 || indices->rank > 2)
        return refuse(call, "indices has %u dims; 1 or 2 are expected", indices->rank);
    if (indices->shape[0] != tokens->shape[0] || indices->count > INT32_MAX)
        return refuse(call,
                      "indices has %" PRId64 " rows and %" PRId64 " elements; %" PRId64
                      " rows, as tokens has, and 2^31 - 1 elements at most are expected",
                      indices->shape[0], indices->count, tokens->shape[0]);
    TRY(check_not_padded(call, PADDED));
    result->computed = tokens->dtype;
    add_output(result, tokens->dtype, TOKENS, 2, permuted_rows(call), tokens->shape[1]);
    add_output(result, ACL_INT32, SORTED, 1, indices->count, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_permute(const struct call *call, const struct result *result)
{
    struct tokens_plan plan = {.tokens = (uint64_t)call->tensor[TOKENS].shape[0],
                               .top_k = (uint64_t)top_k_of(call),
                               .width = (uint64_t)call->tensor[TOKENS].shape[1],
                               .permuted = (uint64_t)permuted_rows(call)};
    (void)result;
    if (call->tensor[INDICES].count == 0)
        return call_idle(call);
    set_part(&plan, call, ROWS, TOKENS);
    set_part(&plan, call, NUMBERS, INDICES);
    set_part(&plan, call, OUT, PERMUTED);
    set_part(&plan, call, OTHER_OUT, SORTED);
    return finish_plan(call, &plan);
}

#define MOE               .family = FAMILY_INDEX, .operation.work_bytes = moe_work_bytes
#define FLOATS(name, ...) READ(name, &dtypes_fp32_fp16_bf16, __VA_ARGS__)
#define RESULT(name)      WRITTEN(name, &dtypes_fp32_fp16_bf16)

static const struct parameter of_permute[] = {
    [TOKENS] = FLOATS("tokens", .sample = "3x4"),
    [INDICES] = READ("indices", &dtypes_int32_int64, .sample = "3x2:INT32"),
    [NUM_OUT] = USUAL("numOutTokens", INT64, "0"),
    [PADDED] = USUAL("paddedMode", BOOL, "false"),
    [PERMUTED] = RESULT("permuteTokensOut"),
    [SORTED] = WRITTEN("sortedIndicesOut", &dtypes_int32),
};
FUNCTION(aclnnMoeTokenPermute,
         (const aclTensor *tokens, const aclTensor *indices, int64_t numOutTokens, bool paddedMode,
          aclTensor *permuteTokensOut, aclTensor *sortedIndicesOut),
         (ARG(tokens), ARG(indices), ARG(numOutTokens), ARG(paddedMode), ARG(permuteTokensOut),
          ARG(sortedIndicesOut)),
         .stem = "moe_token_permute", PARAMETERS(of_permute), .promise = &promise_exact, MOE,
         .operation.run = moe_run_permute, .infer = infer_permute, .plan = plan_permute);

/* MoeTokenPermuteGrad: the sums without probs. */
enum { GRAD, PLACES, TOP_K, GRAD_PADDED, GRAD_OUT };

static aclnnStatus infer_permute_grad(const struct call *call, struct result *result)
{
    const int64_t top_k = call->argument[TOP_K].int64;
    TRY(check_dtype(call, GRAD));
    TRY(check_dtype(call, PLACES));
    TRY(check_matrix(call, GRAD));
    if (top_k < 1)
        return refuse(call, "numTopk is %" PRId64 "; 1 or more is expected", top_k);
    TRY(check_places(call, PLACES, top_k));
    TRY(check_not_padded(call, GRAD_PADDED));
    result->computed = call->tensor[GRAD].dtype;
    add_output(result, result->computed, GRAD, 2, call->tensor[PLACES].count / top_k,
               call->tensor[GRAD].shape[1]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_permute_grad(const struct call *call, const struct result *result)
{
    struct tokens_plan plan = {.top_k = (uint64_t)call->argument[TOP_K].int64,
                               .width = (uint64_t)call->tensor[GRAD].shape[1],
                               .permuted = (uint64_t)call->tensor[GRAD].shape[0]};
    (void)result;
    if (call->tensor[GRAD_OUT].count == 0)
        return call_idle(call);
    plan.tokens = (uint64_t)call->tensor[GRAD_OUT].shape[0];
    set_part(&plan, call, ROWS, GRAD);
    set_part(&plan, call, NUMBERS, PLACES);
    set_part(&plan, call, OUT, GRAD_OUT);
    return finish_plan(call, &plan);
}

static const struct parameter of_permute_grad[] = {
    [GRAD] = FLOATS("permutedTokensGrad", .sample = "6x4"),
    [PLACES] = READ("sortedIndices", &dtypes_int32, .sample = "6:INT32"),
    [TOP_K] = {"numTopk", .kind = PARAMETER_INT64, .sample = "2"},
    [GRAD_PADDED] = USUAL("paddedMode", BOOL, "false"),
    [GRAD_OUT] = RESULT("tokensGradOut"),
};
FUNCTION(aclnnMoeTokenPermuteGrad,
         (const aclTensor *permutedTokensGrad, const aclTensor *sortedIndices, int64_t numTopk,
          bool paddedMode, aclTensor *tokensGradOut),
         (ARG(permutedTokensGrad), ARG(sortedIndices), ARG(numTopk), ARG(paddedMode), ARG(tokensGradOut)),
         .stem = "moe_token_permute_grad", PARAMETERS(of_permute_grad), .promise = &promise_sum, MOE,
         .operation.run = moe_run_unpermute, .infer = infer_permute_grad, .plan = plan_permute_grad);

/* MoeTokenUnpermute, and its gradient with one parameter more behind the first. */
enum { U_ROWS, U_PLACES, U_PROBS, U_PADDED, U_SHAPE, U_OUT };
enum { G_ROWS, G_GRAD, G_PLACES, G_PROBS, G_PADDED, G_SHAPE, G_OUT, G_PROBS_OUT };

static bool is_grad(const struct call *call)
{
    return call->function->parameter_count == G_PROBS_OUT + 1;
}

static aclnnStatus infer_unpermute(const struct call *call, struct result *result)
{
    const unsigned more = is_grad(call) ? 1 : 0, places = U_PLACES + more, probs = U_PROBS + more;
    const struct tensor_view *rows = &call->tensor[U_ROWS], *factors = &call->tensor[probs];
    const bool has_probs = call_has(call, probs);
    for (unsigned i = U_ROWS; i <= probs; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    if (is_grad(call))
        TRY(check_same_dtype(call, G_GRAD, G_ROWS, NULL));
    TRY(check_matrix(call, U_ROWS));
    TRY(has_probs ? check_matrix(call, probs) : ACLNN_SUCCESS);
    const int64_t top_k = has_probs ? factors->shape[1] : 1;
    if (top_k < 1)
        return refuse(call, "probs has rows of %" PRId64 " elements; 1 or more are expected", top_k);
    TRY(check_places(call, places, top_k));
    const struct shape tokens = {.rank = 2, .dim = {call->tensor[places].count / top_k, rows->shape[1]}};
    if (has_probs && factors->shape[0] != tokens.dim[0])
        return refuse(call, "probs has %" PRId64 " rows; %" PRId64 " are expected", factors->shape[0],
                      tokens.dim[0]);
    if (is_grad(call) && (call->tensor[G_GRAD].rank != 2 || call->tensor[G_GRAD].shape[0] != tokens.dim[0] ||
                          call->tensor[G_GRAD].shape[1] != tokens.dim[1]))
        return tell_fit(call, G_GRAD, &tokens, "the tokens");
    TRY(check_not_padded(call, U_PADDED + more));
    result->computed = rows->dtype;
    if (!is_grad(call)) {
        add_output(result, rows->dtype, U_ROWS, 2, tokens.dim[0], tokens.dim[1]);
        return ACLNN_SUCCESS;
    }
    add_output(result, rows->dtype, G_ROWS, 2, rows->shape[0], rows->shape[1]);
    add_output(result, has_probs ? factors->dtype : ACL_FLOAT, G_PROBS, 2, tokens.dim[0], top_k);
    result->output[1].is_unwanted = !has_probs;
    if (call->has_outputs && has_probs && !call_has(call, G_PROBS_OUT))
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: probsGradOut is NULL; a tensor is expected beside probs",
                    call->function->operation.name);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_unpermute(const struct call *call, const struct result *result)
{
    const unsigned more = is_grad(call) ? 1 : 0, places = U_PLACES + more, probs = U_PROBS + more;
    const bool has_probs = call_has(call, probs);
    struct tokens_plan plan = {.top_k = has_probs ? (uint64_t)call->tensor[probs].shape[1] : 1,
                               .width = (uint64_t)call->tensor[U_ROWS].shape[1],
                               .permuted = (uint64_t)call->tensor[U_ROWS].shape[0]};
    (void)result;
    plan.tokens = (uint64_t)call->tensor[places].count / plan.top_k;
    if (call->tensor[U_OUT + more].count == 0 && !(is_grad(call) && has_probs && plan.tokens > 0))
        return call_idle(call);
    set_part(&plan, call, ROWS, U_ROWS);
    set_part(&plan, call, NUMBERS, places);
    set_part(&plan, call, OUT, U_OUT + more);
    if (has_probs)
        set_part(&plan, call, PROBS, probs);
    if (is_grad(call))
        set_part(&plan, call, MORE_ROWS, G_GRAD);
    if (is_grad(call) && has_probs)
        set_part(&plan, call, OTHER_OUT, G_PROBS_OUT);
    return finish_plan(call, &plan);
}

#define RESTORE_SHAPE                                                                           \
    {                                                                                           \
        .name = "restoreShape", .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = "1" \
    }
#define UNPERMUTE .promise = &promise_sum, MOE, .infer = infer_unpermute, .plan = plan_unpermute

static const struct parameter of_unpermute[] = {
    [U_ROWS] = FLOATS("permutedTokens", .sample = "6x4"),
    [U_PLACES] = READ("sortedIndices", &dtypes_int32, .sample = "6:INT32"),
    [U_PROBS] = FLOATS("probs", .is_optional = true, .sample = "3x2"),
    [U_PADDED] = USUAL("paddedMode", BOOL, "false"),
    [U_SHAPE] = RESTORE_SHAPE,
    [U_OUT] = RESULT("out"),
};
FUNCTION(aclnnMoeTokenUnpermute,
         (const aclTensor *permutedTokens, const aclTensor *sortedIndices, const aclTensor *probs,
          bool paddedMode, const aclIntArray *restoreShape, aclTensor *out),
         (ARG(permutedTokens), ARG(sortedIndices), ARG(probs), ARG(paddedMode), ARG(restoreShape), ARG(out)),
         .stem = "moe_token_unpermute", PARAMETERS(of_unpermute), .operation.run = moe_run_unpermute,
         UNPERMUTE);

static const struct parameter of_unpermute_grad[] = {
    [G_ROWS] = FLOATS("permutedTokens", .sample = "6x4"),
    [G_GRAD] = FLOATS("unpermutedTokensGrad", .sample = "3x4"),
    [G_PLACES] = READ("sortedIndices", &dtypes_int32, .sample = "6:INT32"),
    [G_PROBS] = FLOATS("probs", .is_optional = true, .sample = "3x2"),
    [G_PADDED] = USUAL("paddedMode", BOOL, "false"),
    [G_SHAPE] = RESTORE_SHAPE,
    [G_OUT] = RESULT("permutedTokensGradOut"),
    [G_PROBS_OUT] = WRITTEN("probsGradOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
};
FUNCTION(aclnnMoeTokenUnpermuteGrad,
         (const aclTensor *permutedTokens, const aclTensor *unpermutedTokensGrad,
          const aclTensor *sortedIndices, const aclTensor *probs, bool paddedMode,
          const aclIntArray *restoreShape, aclTensor *permutedTokensGradOut, aclTensor *probsGradOut),
         (ARG(permutedTokens), ARG(unpermutedTokensGrad), ARG(sortedIndices), ARG(probs), ARG(paddedMode),
          ARG(restoreShape), ARG(permutedTokensGradOut), ARG(probsGradOut)),
         .stem = "moe_token_unpermute_grad", PARAMETERS(of_unpermute_grad),
         .operation.run = moe_run_unpermute_grad, UNPERMUTE);
