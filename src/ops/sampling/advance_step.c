/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a step of decoding goes on with: the tokens that were sampled, one position further, and the slots of the
 * caches where their keys and values will lie; with guessed tokens behind each sampled one in the second version.
 */
#include "aclnnop/aclnn_advance_step.h"
#include "aclnnop/aclnn_advance_step_v2.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define NUMBERS(X, of, kind, name, sample_) X(of, kind, name, &dtypes_int64, .sample = sample_)
#define STATE(X, of)                                 \
    NUMBERS(X, of, BOTH, inputTokens, "2:INT64")     \
    NUMBERS(X, of, IN, sampledTokenIds, "2x1:INT64") \
    NUMBERS(X, of, BOTH, inputPositions, "2:INT64")  \
    NUMBERS(X, of, BOTH, seqLens, "2:INT64")         \
    NUMBERS(X, of, BOTH, slotMapping, "2:INT64")     \
    NUMBERS(X, of, IN, blockTables, "2x4:INT64")
#define COUNTS(X, of)                      \
    X(of, INT64, numSeqs, .usual = "2")    \
    X(of, INT64, numQueries, .usual = "2") \
    X(of, INT64, blockSize, .usual = "2")
#define STEP_V1(X, of) STATE(X, of) COUNTS(X, of)
#define STEP_V2(X, of)                                                               \
    STATE(X, of)                                                                     \
    X(of, IN, specTokenOptional, &dtypes_int64, .is_optional = true, .sample = "")   \
    X(of, IN, acceptedNumOptional, &dtypes_int64, .is_optional = true, .sample = "") \
    COUNTS(X, of)
SIGNATURE(STEP_V1)
SIGNATURE(STEP_V2)
enum { TOKENS, SAMPLED, POSITIONS, LENGTHS, SLOTS, TABLES, GUESSED, ACCEPTED };

struct step {
    uint64_t sequences, queries, guesses, sampled, columns;
    int64_t block;
    bool has_guesses;
};

static aclnnStatus read_step(const struct call *call, struct step *step)
{
    const bool is_v2 = call->function->parameter_count == STEP_V2_blockSize + 1;
    const unsigned counts = is_v2 ? STEP_V2_numSeqs : STEP_V1_numSeqs;
    const int64_t sequences = call->argument[counts].int64, queries = call->argument[counts + 1].int64;
    const struct tensor_view *sampled = &call->tensor[SAMPLED], *tables = &call->tensor[TABLES];
    for (unsigned i = TOKENS; i < counts; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    *step = (struct step){.sequences = (uint64_t)sequences,
                          .queries = (uint64_t)queries,
                          .block = call->argument[counts + 2].int64,
                          .has_guesses = is_v2 && call_has(call, GUESSED)};
    if (sequences < 1 || queries < 0 || queries > sequences || step->block < 1)
        return refuse(call,
                      "numSeqs, numQueries and blockSize are %" PRId64 ", %" PRId64 " and %" PRId64
                      "; 1 or more, up to as many, and 1 or more are expected",
                      sequences, queries, step->block);
    if (step->has_guesses != (is_v2 && call_has(call, ACCEPTED)))
        return refuse(
            call,
            "only one of specTokenOptional and acceptedNumOptional was given; both or none are expected");
    if (step->has_guesses) {
        const struct tensor_view *guessed = &call->tensor[GUESSED], *accepted = &call->tensor[ACCEPTED];
        if (guessed->rank != 2 || guessed->shape[0] != sequences || accepted->count != sequences)
            return refuse(call,
                          "specTokenOptional has shape %s and acceptedNumOptional %s; %" PRId64
                          " sequences are expected",
                          shape_text(TEXT, guessed), shape_text(TEXT, accepted), sequences);
        step->guesses = (uint64_t)guessed->shape[1];
    }
    const int64_t places = sequences * (int64_t)(1 + step->guesses);
    for (unsigned i = TOKENS; i <= SLOTS; i++)
        if (i != SAMPLED && (call->tensor[i].rank != 1 || call->tensor[i].shape[0] < places))
            return refuse(call, "%s has shape %s; one dim of %" PRId64 " is expected", call_name(call, i),
                          shape_text(TEXT, &call->tensor[i]), places);
    const int64_t needed = step->has_guesses ? sequences : queries;
    if (sampled->rank != 2 || sampled->shape[0] < needed || sampled->shape[1] < 1 || tables->rank != 2 ||
        tables->shape[0] < needed)
        return refuse(call,
                      "sampledTokenIds has shape %s and blockTables %s; a row for each of %" PRId64
                      " is expected",
                      shape_text(TEXT, sampled), shape_text(TEXT, tables), needed);
    step->sampled = (uint64_t)sampled->shape[1];
    step->columns = (uint64_t)tables->shape[1];
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct step step;
    TRY(read_step(call, &step));
    result->computed = ACL_INT64;
    for (unsigned i = TOKENS; i <= SLOTS; i++)
        if (i != SAMPLED)
            result_add(result, ACL_INT64, DTYPE_EQUAL)->like = i;
    return ACLNN_SUCCESS;
}

static int64_t next_position(const struct task *task, uint64_t place)
{
    const struct step *step = task->parameters;
    return step->has_guesses ? task_integer(task, POSITIONS, place) + 1 +
                                   task_integer(task, ACCEPTED, place / (1 + step->guesses))
                             : task_integer(task, LENGTHS, place);
}

/* Positions have a block in their row of the table. */
static int start(struct task *task)
{
    const struct step *step = task->parameters;
    const uint64_t places = step->has_guesses ? step->sequences * (1 + step->guesses) : step->queries;
    for (uint64_t i = 0; i < places; i++) {
        const int64_t position = next_position(task, i);
        if (position < 0 || position / step->block >= (int64_t)step->columns)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "position %" PRId64 " of place %" PRIu64 " is beyond the %" PRIu64
                                  " blocks of blockTables",
                                  position, i, step->columns);
    }
    return 0;
}

/* The last token before the first -1. */
static int64_t last_sampled(const struct task *task, uint64_t sequence)
{
    const struct step *step = task->parameters;
    int64_t token = task_integer(task, SAMPLED, sequence * step->sampled);
    for (uint64_t i = 1; step->has_guesses && i < step->sampled; i++) {
        const int64_t next = task_integer(task, SAMPLED, sequence * step->sampled + i);
        if (next == -1)
            break;
        token = next;
    }
    return token;
}

static void advance(const struct task *task, uint64_t place)
{
    const struct step *step = task->parameters;
    const uint64_t sequence = place / (1 + step->guesses), guess = place % (1 + step->guesses);
    if (!step->has_guesses && place >= step->queries) {
        task_set_integer(task, TOKENS, place, 0);
        task_set_integer(task, POSITIONS, place, 0);
        task_set_integer(task, SLOTS, place, -1);
        return;
    }
    const int64_t position = next_position(task, place),
                  block = task_integer(task, TABLES,
                                       sequence * step->columns + (uint64_t)(position / step->block));
    task_set_integer(task, TOKENS, place,
                     guess == 0 ? last_sampled(task, sequence)
                                : task_integer(task, GUESSED, sequence * step->guesses + guess - 1));
    task_set_integer(task, POSITIONS, place, position);
    task_set_integer(task, LENGTHS, place, position + 1);
    task_set_integer(task, SLOTS, place, block * step->block + position % step->block);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct step step;
    (void)result;
    TRY(read_step(call, &step));
    return row_tasks_plan(call, &(struct row_tasks_request){.body = advance,
                                                            .start = start,
                                                            .count = step.sequences * (1 + step.guesses),
                                                            .task_ns = 100,
                                                            .parameters = &step,
                                                            .parameter_bytes = sizeof step});
}

#define ADVANCES .family = FAMILY_SAMPLING, .promise = &promise_exact, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnAdvanceStep, STEP_V1, .stem = "advance_step", ADVANCES);
FUNCTION_OF(aclnnAdvanceStepV2, STEP_V2, .stem = "advance_step_v2", ADVANCES);
