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
#include "ops/signature.h"

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
#define RESULT(X, of, name)  X(of, OUT, name, &dtypes_fp32_fp16_bf16)
#define RESTORE_SHAPE(X, of) X(of, INTS, restoreShape, .is_optional = true, .sample = "1")
#define MOE_TOKEN_PERMUTE(X, of)                                   \
    X(of, IN, tokens, &dtypes_fp32_fp16_bf16, .sample = "3x4")     \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "3x2:INT32") \
    X(of, INT64, numOutTokens, .usual = "0")                       \
    X(of, BOOL, paddedMode, .usual = "false")                      \
    RESULT(X, of, permuteTokensOut)                                \
    X(of, OUT, sortedIndicesOut, &dtypes_int32)
SIGNATURE(MOE_TOKEN_PERMUTE)

static int64_t top_k_of(const struct call *call)
{
    const struct tensor_view *indices = &call->tensor[MOE_TOKEN_PERMUTE_indices];
    return indices->rank == 2 ? indices->shape[1] : 1;
}

static int64_t permuted_rows(const struct call *call)
{
    const int64_t all = call->tensor[MOE_TOKEN_PERMUTE_indices].count,
                  asked = call->argument[MOE_TOKEN_PERMUTE_numOutTokens].int64;
    if (asked < 0)
        return all + asked > 0 ? all + asked : 0;
    return asked == 0 || asked > all ? all : asked;
}

static aclnnStatus infer_permute(const struct call *call, struct result *result)
{
    const struct tensor_view *tokens = &call->tensor[MOE_TOKEN_PERMUTE_tokens],
                             *indices = &call->tensor[MOE_TOKEN_PERMUTE_indices];
    TRY(check_dtype(call, MOE_TOKEN_PERMUTE_tokens));
    TRY(check_dtype(call, MOE_TOKEN_PERMUTE_indices));
    TRY(check_matrix(call, MOE_TOKEN_PERMUTE_tokens));
    if (indices->rank < 1 || indices->rank > 2)
        return refuse(call, "indices has %u dims; 1 or 2 are expected", indices->rank);
    if (indices->shape[0] != tokens->shape[0] || indices->count > INT32_MAX)
        return refuse(call,
                      "indices has %" PRId64 " rows and %" PRId64 " elements; %" PRId64
                      " rows, as tokens has, and 2^31 - 1 elements at most are expected",
                      indices->shape[0], indices->count, tokens->shape[0]);
    TRY(check_not_padded(call, MOE_TOKEN_PERMUTE_paddedMode));
    result->computed = tokens->dtype;
    add_output(result, tokens->dtype, MOE_TOKEN_PERMUTE_tokens, 2, permuted_rows(call), tokens->shape[1]);
    add_output(result, ACL_INT32, MOE_TOKEN_PERMUTE_sortedIndicesOut, 1, indices->count, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_permute(const struct call *call, const struct result *result)
{
    struct tokens_plan plan = {.tokens = (uint64_t)call->tensor[MOE_TOKEN_PERMUTE_tokens].shape[0],
                               .top_k = (uint64_t)top_k_of(call),
                               .width = (uint64_t)call->tensor[MOE_TOKEN_PERMUTE_tokens].shape[1],
                               .permuted = (uint64_t)permuted_rows(call)};
    (void)result;
    if (call->tensor[MOE_TOKEN_PERMUTE_indices].count == 0)
        return call_idle(call);
    set_part(&plan, call, ROWS, MOE_TOKEN_PERMUTE_tokens);
    set_part(&plan, call, NUMBERS, MOE_TOKEN_PERMUTE_indices);
    set_part(&plan, call, OUT, MOE_TOKEN_PERMUTE_permuteTokensOut);
    set_part(&plan, call, OTHER_OUT, MOE_TOKEN_PERMUTE_sortedIndicesOut);
    plan.port[ROWS] =
        port_of(call, MOE_TOKEN_PERMUTE_tokens,
                call->tensor[MOE_TOKEN_PERMUTE_tokens].dtype); /* which are copied as they are */
    plan.port[OUT] =
        port_of(call, MOE_TOKEN_PERMUTE_permuteTokensOut, call->tensor[MOE_TOKEN_PERMUTE_tokens].dtype);
    plan.port[OTHER_OUT] = port_of(call, MOE_TOKEN_PERMUTE_sortedIndicesOut, ACL_INT64);
    return finish_plan(call, &plan);
}

#define MOE .family = FAMILY_INDEX, .operation.work_bytes = moe_work_bytes

FUNCTION_OF(aclnnMoeTokenPermute, MOE_TOKEN_PERMUTE, .stem = "moe_token_permute", .promise = &promise_exact,
            MOE, .operation.run = moe_run_permute, .infer = infer_permute, .plan = plan_permute);

/* MoeTokenPermuteGrad: the sums without probs. */
#define MOE_TOKEN_PERMUTE_GRAD(X, of)                                      \
    X(of, IN, permutedTokensGrad, &dtypes_fp32_fp16_bf16, .sample = "6x4") \
    X(of, IN, sortedIndices, &dtypes_int32, .sample = "6:INT32")           \
    X(of, INT64, numTopk, .sample = "2")                                   \
    X(of, BOOL, paddedMode, .usual = "false")                              \
    RESULT(X, of, tokensGradOut)
SIGNATURE(MOE_TOKEN_PERMUTE_GRAD)

static aclnnStatus infer_permute_grad(const struct call *call, struct result *result)
{
    const int64_t top_k = call->argument[MOE_TOKEN_PERMUTE_GRAD_numTopk].int64;
    TRY(check_dtype(call, MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad));
    TRY(check_dtype(call, MOE_TOKEN_PERMUTE_GRAD_sortedIndices));
    TRY(check_matrix(call, MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad));
    if (top_k < 1)
        return refuse(call, "numTopk is %" PRId64 "; 1 or more is expected", top_k);
    TRY(check_places(call, MOE_TOKEN_PERMUTE_GRAD_sortedIndices, top_k));
    TRY(check_not_padded(call, MOE_TOKEN_PERMUTE_GRAD_paddedMode));
    result->computed = call->tensor[MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad].dtype;
    add_output(result, result->computed, MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad, 2,
               call->tensor[MOE_TOKEN_PERMUTE_GRAD_sortedIndices].count / top_k,
               call->tensor[MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad].shape[1]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_permute_grad(const struct call *call, const struct result *result)
{
    struct tokens_plan plan = {
        .top_k = (uint64_t)call->argument[MOE_TOKEN_PERMUTE_GRAD_numTopk].int64,
        .width = (uint64_t)call->tensor[MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad].shape[1],
        .permuted = (uint64_t)call->tensor[MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad].shape[0]};
    (void)result;
    if (call->tensor[MOE_TOKEN_PERMUTE_GRAD_tokensGradOut].count == 0)
        return call_idle(call);
    plan.tokens = (uint64_t)call->tensor[MOE_TOKEN_PERMUTE_GRAD_tokensGradOut].shape[0];
    set_part(&plan, call, ROWS, MOE_TOKEN_PERMUTE_GRAD_permutedTokensGrad);
    set_part(&plan, call, NUMBERS, MOE_TOKEN_PERMUTE_GRAD_sortedIndices);
    set_part(&plan, call, OUT, MOE_TOKEN_PERMUTE_GRAD_tokensGradOut);
    return finish_plan(call, &plan);
}

FUNCTION_OF(aclnnMoeTokenPermuteGrad, MOE_TOKEN_PERMUTE_GRAD, .stem = "moe_token_permute_grad",
            .promise = &promise_sum, MOE, .operation.run = moe_run_unpermute, .infer = infer_permute_grad,
            .plan = plan_permute_grad);

/* MoeTokenUnpermute, and its gradient with one parameter more behind the first. */
#define MOE_TOKEN_UNPERMUTE(X, of)                                                 \
    X(of, IN, permutedTokens, &dtypes_fp32_fp16_bf16, .sample = "6x4")             \
    X(of, IN, sortedIndices, &dtypes_int32, .sample = "6:INT32")                   \
    X(of, IN, probs, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3x2") \
    X(of, BOOL, paddedMode, .usual = "false")                                      \
    RESTORE_SHAPE(X, of)                                                           \
    RESULT(X, of, out)
SIGNATURE(MOE_TOKEN_UNPERMUTE)
#define MOE_TOKEN_UNPERMUTE_GRAD(X, of)                                            \
    X(of, IN, permutedTokens, &dtypes_fp32_fp16_bf16, .sample = "6x4")             \
    X(of, IN, unpermutedTokensGrad, &dtypes_fp32_fp16_bf16, .sample = "3x4")       \
    X(of, IN, sortedIndices, &dtypes_int32, .sample = "6:INT32")                   \
    X(of, IN, probs, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3x2") \
    X(of, BOOL, paddedMode, .usual = "false")                                      \
    RESTORE_SHAPE(X, of)                                                           \
    RESULT(X, of, permutedTokensGradOut)                                           \
    X(of, OUT, probsGradOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(MOE_TOKEN_UNPERMUTE_GRAD)

static bool is_grad(const struct call *call)
{
    return call->function->parameter_count == MOE_TOKEN_UNPERMUTE_GRAD_probsGradOut + 1;
}

static aclnnStatus infer_unpermute(const struct call *call, struct result *result)
{
    const unsigned more = is_grad(call) ? 1 : 0, places = MOE_TOKEN_UNPERMUTE_sortedIndices + more,
                   probs = MOE_TOKEN_UNPERMUTE_probs + more;
    const struct tensor_view *rows = &call->tensor[MOE_TOKEN_UNPERMUTE_permutedTokens],
                             *factors = &call->tensor[probs];
    const bool has_probs = call_has(call, probs);
    for (unsigned i = MOE_TOKEN_UNPERMUTE_permutedTokens; i <= probs; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    if (is_grad(call))
        TRY(check_same_dtype(call, MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad,
                             MOE_TOKEN_UNPERMUTE_GRAD_permutedTokens, NULL));
    TRY(check_matrix(call, MOE_TOKEN_UNPERMUTE_permutedTokens));
    TRY(has_probs ? check_matrix(call, probs) : ACLNN_SUCCESS);
    const int64_t top_k = has_probs ? factors->shape[1] : 1;
    if (top_k < 1)
        return refuse(call, "probs has rows of %" PRId64 " elements; 1 or more are expected", top_k);
    TRY(check_places(call, places, top_k));
    const struct shape tokens = {.rank = 2, .dim = {call->tensor[places].count / top_k, rows->shape[1]}};
    if (has_probs && factors->shape[0] != tokens.dim[0])
        return refuse(call, "probs has %" PRId64 " rows; %" PRId64 " are expected", factors->shape[0],
                      tokens.dim[0]);
    if (is_grad(call) &&
        (call->tensor[MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad].rank != 2 ||
         call->tensor[MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad].shape[0] != tokens.dim[0] ||
         call->tensor[MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad].shape[1] != tokens.dim[1]))
        return tell_fit(call, MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad, &tokens, "the tokens");
    TRY(check_not_padded(call, MOE_TOKEN_UNPERMUTE_paddedMode + more));
    result->computed = rows->dtype;
    if (!is_grad(call)) {
        add_output(result, rows->dtype, MOE_TOKEN_UNPERMUTE_permutedTokens, 2, tokens.dim[0], tokens.dim[1]);
        return ACLNN_SUCCESS;
    }
    add_output(result, rows->dtype, MOE_TOKEN_UNPERMUTE_GRAD_permutedTokens, 2, rows->shape[0],
               rows->shape[1]);
    add_output(result, has_probs ? factors->dtype : ACL_FLOAT, MOE_TOKEN_UNPERMUTE_GRAD_probs, 2,
               tokens.dim[0], top_k);
    result->output[1].is_unwanted = !has_probs;
    if (call->has_outputs && has_probs && !call_has(call, MOE_TOKEN_UNPERMUTE_GRAD_probsGradOut))
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: probsGradOut is NULL; a tensor is expected beside probs",
                    call->function->operation.name);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_unpermute(const struct call *call, const struct result *result)
{
    const unsigned more = is_grad(call) ? 1 : 0, places = MOE_TOKEN_UNPERMUTE_sortedIndices + more,
                   probs = MOE_TOKEN_UNPERMUTE_probs + more;
    const bool has_probs = call_has(call, probs);
    struct tokens_plan plan = {.top_k = has_probs ? (uint64_t)call->tensor[probs].shape[1] : 1,
                               .width = (uint64_t)call->tensor[MOE_TOKEN_UNPERMUTE_permutedTokens].shape[1],
                               .permuted =
                                   (uint64_t)call->tensor[MOE_TOKEN_UNPERMUTE_permutedTokens].shape[0]};
    (void)result;
    plan.tokens = (uint64_t)call->tensor[places].count / plan.top_k;
    if (call->tensor[MOE_TOKEN_UNPERMUTE_out + more].count == 0 &&
        !(is_grad(call) && has_probs && plan.tokens > 0))
        return call_idle(call);
    set_part(&plan, call, ROWS, MOE_TOKEN_UNPERMUTE_permutedTokens);
    set_part(&plan, call, NUMBERS, places);
    set_part(&plan, call, OUT, MOE_TOKEN_UNPERMUTE_out + more);
    if (has_probs)
        set_part(&plan, call, PROBS, probs);
    if (is_grad(call))
        set_part(&plan, call, MORE_ROWS, MOE_TOKEN_UNPERMUTE_GRAD_unpermutedTokensGrad);
    if (is_grad(call) && has_probs)
        set_part(&plan, call, OTHER_OUT, MOE_TOKEN_UNPERMUTE_GRAD_probsGradOut);
    return finish_plan(call, &plan);
}

#define UNPERMUTE .promise = &promise_sum, MOE, .infer = infer_unpermute, .plan = plan_unpermute

FUNCTION_OF(aclnnMoeTokenUnpermute, MOE_TOKEN_UNPERMUTE, .stem = "moe_token_unpermute",
            .operation.run = moe_run_unpermute, UNPERMUTE);

FUNCTION_OF(aclnnMoeTokenUnpermuteGrad, MOE_TOKEN_UNPERMUTE_GRAD, .stem = "moe_token_unpermute_grad",
            .operation.run = moe_run_unpermute_grad, UNPERMUTE);
