/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gated delta rule (S. Yang and others, Gated Delta Networks: Improving Mamba2 with Delta Rule, 2024): along
 * the tokens of a sequence the state S of each head becomes e^g S, column d times e^gk[d], and then S + beta (v - S
 * k) k^T; what comes out of a token is S (scale q). Everything is in doubles, token by token.
 */
#include "aclnnop/aclnn_chunk_gated_delta_rule.h"
#include "aclnnop/aclnn_recurrent_gated_delta_rule.h"

#include <inttypes.h>
#include <string.h>

#include "ops/sizes.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 1500 };

#define ROWS(X, of, name, sample_)             X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define OPTIONAL(X, of, name, dtypes, sample_) X(of, IN, name, dtypes, .is_optional = true, .sample = sample_)
#define TOKENS(X, of)           \
    ROWS(X, of, query, "3x1x2") \
    ROWS(X, of, key, "3x1x2")   \
    ROWS(X, of, value, "3x2x4") \
    OPTIONAL(X, of, betaOptional, &dtypes_fp32_fp16_bf16, "3x2")
#define RECURRENT(X, of)                                                \
    TOKENS(X, of)                                                       \
    X(of, BOTH, stateRef, &dtypes_fp32_fp16_bf16, .sample = "3x2x4x2")  \
    OPTIONAL(X, of, actualSeqLengthsOptional, &dtypes_int32, "2:INT32") \
    OPTIONAL(X, of, ssmStateIndicesOptional, &dtypes_int32, "3:INT32")  \
    OPTIONAL(X, of, gOptional, &dtypes_fp32, "3x2:FLOAT")               \
    OPTIONAL(X, of, gkOptional, &dtypes_fp32, "3x2x2:FLOAT")            \
    OPTIONAL(X, of, numAcceptedTokensOptional, &dtypes_int32, "")       \
    X(of, FLOAT, scaleValue, .usual = "1")                              \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define CHUNK(X, of)                                                         \
    TOKENS(X, of)                                                            \
    OPTIONAL(X, of, initialStateOptional, &dtypes_fp32_fp16_bf16, "2x2x4x2") \
    OPTIONAL(X, of, actualSeqLengthsOptional, &dtypes_int32, "2:INT32")      \
    X(of, FLOAT, scaleValue, .usual = "1")                                   \
    OPTIONAL(X, of, gOptional, &dtypes_fp32, "3x2:FLOAT")                    \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                  \
    X(of, OUT, finalState, &dtypes_fp32_fp16_bf16)
SIGNATURE(RECURRENT)
SIGNATURE(CHUNK)
enum { QUERY, KEY, VALUE, BETA, STATE };

struct gated_rule {
    uint64_t tokens, key_heads, heads, depth, width, sequences, states;
    uint8_t lengths, gate, gates, indices, accepted, out, last; /* places; 0: none */
    double scale;
};

static aclnnStatus read_rule(const struct call *call, struct gated_rule *rule)
{
    const bool is_chunk = call->function->parameter_count == CHUNK_finalState + 1;
    const struct tensor_view *query = &call->tensor[QUERY], *value = &call->tensor[VALUE];
    *rule = is_chunk ? (struct gated_rule){.lengths = CHUNK_actualSeqLengthsOptional,
                                           .gate = CHUNK_gOptional,
                                           .out = CHUNK_out,
                                           .last = CHUNK_finalState,
                                           .scale = (double)call->argument[CHUNK_scaleValue].fp32}
                     : (struct gated_rule){.lengths = RECURRENT_actualSeqLengthsOptional,
                                           .gate = RECURRENT_gOptional,
                                           .gates = RECURRENT_gkOptional,
                                           .indices = RECURRENT_ssmStateIndicesOptional,
                                           .accepted = RECURRENT_numAcceptedTokensOptional,
                                           .out = RECURRENT_out,
                                           .scale = (double)call->argument[RECURRENT_scaleValue].fp32};
    for (unsigned i = QUERY; i <= VALUE; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, KEY, QUERY, NULL));
    TRY(check_same_dtype(call, VALUE, QUERY, NULL));
    TRY(check_sizes(call, QUERY, SIZES(-1, -1, -1)));
    TRY(check_sizes(call, KEY, 3, query->shape));
    TRY(check_sizes(call, VALUE, SIZES(query->shape[0], -1, -1)));
    const int64_t heads = value->shape[1], width = value->shape[2], depth = query->shape[2],
                  tokens = query->shape[0];
    if (query->shape[1] < 1 || heads < 1 || heads % query->shape[1] != 0)
        return refuse(call, "value has %" PRId64 " heads and key %" PRId64 "; a multiple is expected", heads,
                      query->shape[1]);
    const bool has_lengths = call_has_elements(call, rule->lengths);
    rule->sequences = has_lengths ? (uint64_t)call->tensor[rule->lengths].count : 1;
    TRY(check_optional_sizes(call, rule->lengths, SIZES(-1)));
    TRY(check_optional_sizes(call, BETA, SIZES(tokens, heads)));
    TRY(check_optional_sizes(call, rule->gate, SIZES(tokens, heads)));
    TRY(check_optional_sizes(call, rule->gates, SIZES(tokens, heads, depth)));
    TRY(check_optional_sizes(call, rule->indices, SIZES(tokens)));
    TRY(check_optional_sizes(call, rule->accepted, SIZES((int64_t)rule->sequences)));
    const int64_t states[] = {is_chunk ? (int64_t)rule->sequences : -1, heads, width, depth};
    TRY(check_optional_sizes(call, STATE, 4, states));
    rule->tokens = (uint64_t)tokens;
    rule->key_heads = (uint64_t)query->shape[1];
    rule->heads = (uint64_t)heads;
    rule->depth = (uint64_t)depth;
    rule->width = (uint64_t)width;
    rule->states = is_chunk ? rule->sequences : (uint64_t)call->tensor[STATE].shape[0];
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct gated_rule rule;
    TRY(read_rule(call, &rule));
    const bool is_chunk = rule.last != 0;
    result->computed = call_dtype(call, QUERY);
    if (!is_chunk)
        result_add(result, call_dtype(call, STATE), DTYPE_EQUAL)->like = STATE;
    struct output *out = result_add(result, result->computed, DTYPE_EQUAL);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = shape_of(&call->tensor[VALUE]);
    if (!is_chunk)
        return ACLNN_SUCCESS;
    out = result_add(result, call_has(call, STATE) ? call_dtype(call, STATE) : ACL_FLOAT, DTYPE_ANY);
    out->shape_rule = SHAPE_EQUAL;
    out->shape = (struct shape){
        .rank = 4,
        .dim = {(int64_t)rule.sequences, (int64_t)rule.heads, (int64_t)rule.width, (int64_t)rule.depth}};
    return ACLNN_SUCCESS;
}

/* The state that a token leaves its own in. */
static int64_t state_of(const struct task *task, uint64_t sequence, uint64_t token)
{
    const struct gated_rule *rule = task->parameters;
    return rule->indices != 0 && task_has(task, rule->indices) ? task_integer(task, rule->indices, token)
                                                               : (int64_t)sequence;
}

/* Where each sequence begins, and the end of the last one; its states are there. */
static int start(struct task *task)
{
    const struct gated_rule *rule = task->parameters;
    uint64_t *first = task->shared;
    first[0] = 0;
    for (uint64_t b = 0; b < rule->sequences; b++) {
        const uint64_t left = rule->tokens - first[b];
        const int64_t length =
            task_has(task, rule->lengths) ? task_integer(task, rule->lengths, b) : (int64_t)left;
        if (length < 0 || (uint64_t)length > left)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "actualSeqLengths holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " are expected",
                                  length, b, left);
        first[b + 1] = first[b] + (uint64_t)length;
        const bool has_accepted = rule->accepted != 0 && task_has(task, rule->accepted);
        const int64_t accepted = has_accepted ? task_integer(task, rule->accepted, b) : 1;
        if (length > 0 && (accepted < 1 || accepted > length))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "numAcceptedTokens holds %" PRId64 " at [%" PRIu64 "]; 1 to %" PRId64
                                  " are expected",
                                  accepted, b, length);
        for (uint64_t t = first[b]; t < first[b + 1]; t++)
            if (state_of(task, b, t) < 0 || state_of(task, b, t) >= (int64_t)rule->states)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "ssmStateIndices holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                      " are expected",
                                      state_of(task, b, t), t, rule->states - 1);
    }
    return 0;
}

/* The first state of a sequence's head; zeros without one. */
static void read_state(const struct task *task, uint64_t sequence, uint64_t head, double *state)
{
    const struct gated_rule *rule = task->parameters;
    const uint64_t *first = task->shared, count = rule->width * rule->depth;
    const bool has_accepted = rule->accepted != 0 && task_has(task, rule->accepted);
    const uint64_t accepted = has_accepted ? (uint64_t)task_integer(task, rule->accepted, sequence) : 1;
    memset(state, 0, count * sizeof *state);
    if (task_has(task, STATE))
        task_read(task, STATE,
                  ((uint64_t)state_of(task, sequence, first[sequence] + accepted - 1) * rule->heads + head) *
                      count,
                  count, state);
}

/* A token: the state goes on, and what comes out of it. */
static void take_token(const struct task *task, uint64_t token, uint64_t head, double *state, double *row)
{
    const struct gated_rule *rule = task->parameters;
    const uint64_t depth = rule->depth, width = rule->width, place = token * rule->heads + head;
    const uint64_t key_place = token * rule->key_heads + head / (rule->heads / rule->key_heads);
    double *query = row, *key = query + depth, *decay = key + depth, *value = decay + depth;
    task_read(task, QUERY, key_place * depth, depth, query);
    task_read(task, KEY, key_place * depth, depth, key);
    task_read(task, VALUE, place * width, width, value);
    memset(decay, 0, depth * sizeof *decay);
    if (rule->gates != 0 && task_has(task, rule->gates))
        task_read(task, rule->gates, place * depth, depth, decay);
    const double gate = task_has(task, rule->gate) ? task_number(task, rule->gate, place) : 0,
                 beta = task_has(task, BETA) ? task_number(task, BETA, place) : 1;
    for (uint64_t d = 0; d < depth; d++) {
        decay[d] = decay[d] + gate < -700 ? -700 : decay[d] + gate > 700 ? 700 : decay[d] + gate;
        query[d] *= rule->scale;
    }
    task->maths->exponential(decay, depth);
    for (uint64_t v = 0; v < width; v++) {
        double *line = state + v * depth;
        for (uint64_t d = 0; d < depth; d++)
            line[d] *= decay[d];
        task->maths->add_scaled(line, key, beta * (value[v] - task->maths->dot(line, key, depth)), depth);
        value[v] = task->maths->dot(line, query, depth);
    }
    task_write(task, rule->out, place * width, width, value);
}

/* A head of a sequence; behind the last sequence zeros come out. */
static void take_head(const struct task *task, uint64_t number)
{
    const struct gated_rule *rule = task->parameters;
    const uint64_t sequence = number / rule->heads, head = number % rule->heads,
                   count = rule->width * rule->depth;
    const uint64_t *first = task->shared;
    double *state = task->room, *row = state + count;
    if (sequence == rule->sequences) {
        for (uint64_t t = first[sequence]; t < rule->tokens; t++)
            task_clear(task, rule->out, (t * rule->heads + head) * rule->width, rule->width);
        return;
    }
    const bool is_empty = first[sequence] == first[sequence + 1];
    if (is_empty && rule->last == 0)
        return;
    read_state(task, sequence, head, state);
    for (uint64_t t = first[sequence]; t < first[sequence + 1]; t++) {
        take_token(task, t, head, state, row);
        if (rule->last == 0)
            task_write(task, STATE, ((uint64_t)state_of(task, sequence, t) * rule->heads + head) * count,
                       count, state);
    }
    if (rule->last != 0)
        task_write(task, rule->last, (sequence * rule->heads + head) * count, count, state);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct gated_rule rule;
    (void)result;
    TRY(read_rule(call, &rule));
    const uint64_t count = rule.width * rule.depth;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = take_head,
                                          .start = start,
                                          .count = count == 0 ? 0 : (rule.sequences + 1) * rule.heads,
                                          .task_ns = (rule.tokens / rule.sequences + 1) *
                                                     (count * ELEMENT_PS / 1000 + 100),
                                          .room = count + 3 * rule.depth + rule.width,
                                          .shared_bytes = (rule.sequences + 1) * sizeof(uint64_t),
                                          .parameters = &rule,
                                          .parameter_bytes = sizeof rule});
}

#define RULE .family = FAMILY_RECURRENT, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnRecurrentGatedDeltaRule, RECURRENT, .stem = "recurrent_gated_delta_rule", RULE);
FUNCTION_OF(aclnnChunkGatedDeltaRule, CHUNK, .stem = "chunk_gated_delta_rule", RULE);
