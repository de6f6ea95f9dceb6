/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of experts back to their tokens: each rank sends what it has for the others, of which both sides
 * know how many there are and in what order, and adds up what comes back, in DOUBLE in the order of a token's
 * choices, then shared experts, and rounds once.
 */
#include "aclnnop/aclnn_moe_distribute_combine.h"
#include "aclnnop/aclnn_moe_distribute_combine_add_rms_norm.h"
#include "aclnnop/aclnn_moe_distribute_combine_add_rms_norm_v2.h"
#include "aclnnop/aclnn_moe_distribute_combine_v2.h"
#include "aclnnop/aclnn_moe_distribute_combine_v3.h"
#include "aclnnop/aclnn_moe_distribute_combine_v4.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/signature.h"
#include "ops/with_ranks/pairs.h"
#include "runtime/streams/fault.h"

/* What is read, then what is written. */
enum {
    ROWS,
    IDS,
    COUNTS,
    WEIGHTS,
    MASK,
    SHARED_X,
    ORIGINAL,
    ALPHA1,
    ALPHA2,
    V,
    RESIDUAL,
    GAMMA,
    Y,
    RSTD,
    OUT,
    PARTS
};
enum { OUT_DTYPE = COMMON_NUMBERS, LIST_TYPE, EPS };
enum { PIECE = EXPERTS_PIECE, ROW_NS = 500 };

#define FP                      &dtypes_fp16_bf16
#define NEVER(X, of, name, set) X(of, IN, name, set, .is_optional = true, .sample = "")
#define RETURNED(X, of, index)                                  \
    X(of, IN, expandX, FP, .sample = "6x4:FLOAT16")             \
    X(of, IN, expertIds, &dtypes_int32, .sample = "3x2:INT32")  \
    X(of, IN, index, &dtypes_int32, .sample = "6:INT32")        \
    X(of, IN, epSendCounts, &dtypes_int32, .sample = "4:INT32") \
    X(of, IN, expertScales, &dtypes_fp32, .sample = "3x2")
#define RESIDUALS(X, of)                                \
    X(of, IN, residualX, FP, .sample = "3x1x4:FLOAT16") \
    X(of, IN, gamma, FP, .sample = "4:FLOAT16")
#define MASKED(X, of)                                                                \
    X(of, IN, tpSendCounts, &dtypes_int32, .is_optional = true, .sample = "1:INT32") \
    X(of, IN, xActiveMask, &dtypes_bool, .is_optional = true, .sample = "3:BOOL")    \
    NEVER(X, of, activationScale, &dtypes_fp32)                                      \
    NEVER(X, of, weightScale, &dtypes_fp32)                                          \
    NEVER(X, of, groupList, &dtypes_int64)                                           \
    X(of, IN, expandScales, &dtypes_fp32, .is_optional = true, .sample = "6")
#define SHARED_OUT(X, of) X(of, IN, sharedExpertX, FP, .is_optional = true, .sample = "3x4:FLOAT16")
#define SPECIAL_X(X, of)                                                           \
    NEVER(X, of, elasticInfo, &dtypes_int32)                                       \
    X(of, IN, oriX, FP, .is_optional = true, .sample = "3x4:FLOAT16")              \
    X(of, IN, constExpertAlpha1, FP, .is_optional = true, .sample = "1x4:FLOAT16") \
    X(of, IN, constExpertAlpha2, FP, .is_optional = true, .sample = "1x4:FLOAT16") \
    X(of, IN, constExpertV, FP, .is_optional = true, .sample = "1x4:FLOAT16")
#define PLACES(X, of)                         \
    RANKS_OF_EXPERTS(X, of)                   \
    X(of, INT64, globalBs, .usual = "0")      \
    X(of, INT64, outDtype, .usual = "0")      \
    X(of, INT64, commQuantMode, .usual = "0") \
    X(of, INT64, groupListType, .usual = "0")
#define SPECIAL(X, of)                        \
    X(of, INT64, zeroExpertNum, .usual = "0") \
    X(of, INT64, copyExpertNum, .usual = "0") \
    X(of, INT64, constExpertNum, .usual = "1")
#define SUM(X, of) X(of, OUT, x, FP)
#define NORMED(X, of)              \
    X(of, OUT, y, FP)              \
    X(of, OUT, rstd, &dtypes_fp32) \
    X(of, OUT, x, FP)
#define NORM_EPS(X, of) X(of, FLOAT, normEps, .usual = "1e-6")

#define V1(X, of) RETURNED(X, of, expandIdx) MASKED(X, of) PLACES(X, of) SUM(X, of)
#define V2(X, of)                         \
    RETURNED(X, of, assistInfoForCombine) \
    MASKED(X, of) SHARED_OUT(X, of) PLACES(X, of) COMM_ALG(X, of) SUM(X, of)
#define V3(X, of)                         \
    RETURNED(X, of, assistInfoForCombine) \
    MASKED(X, of) SHARED_OUT(X, of) SPECIAL_X(X, of) PLACES(X, of) COMM_ALG(X, of) SPECIAL(X, of) SUM(X, of)
#define V4(X, of)                         \
    RETURNED(X, of, assistInfoForCombine) \
    MASKED(X, of)                         \
    SHARED_OUT(X, of)                     \
    SPECIAL_X(X, of) PERFORMANCE(X, of) PLACES(X, of) COMM_ALG(X, of) SPECIAL(X, of) SUM(X, of)
#define NORM_V1(X, of)         \
    RETURNED(X, of, expandIdx) \
    RESIDUALS(X, of)           \
    MASKED(X, of) SHARED_OUT(X, of) PLACES(X, of) COMM_ALG(X, of) NORM_EPS(X, of) NORMED(X, of)
#define NORM_V2(X, of)         \
    RETURNED(X, of, expandIdx) \
    RESIDUALS(X, of)           \
    MASKED(X, of)              \
    SHARED_OUT(X, of)          \
    SPECIAL_X(X, of) PLACES(X, of) COMM_ALG(X, of) NORM_EPS(X, of) SPECIAL(X, of) NORMED(X, of)
SIGNATURE(V1)
SIGNATURE(V2)
SIGNATURE(V3)
SIGNATURE(V4)
SIGNATURE(NORM_V1)
SIGNATURE(NORM_V2)

#define PARTS_OF(of)                                                                         \
    [ROWS] = AT(of##_expandX), [IDS] = AT(of##_expertIds), [COUNTS] = AT(of##_epSendCounts), \
    [WEIGHTS] = AT(of##_expertScales), [MASK] = AT(of##_xActiveMask), [OUT] = AT(of##_x)
#define SHARED_OF(of) [SHARED_X] = AT(of##_sharedExpertX)
#define SPECIAL_X_OF(of)                                               \
    [ORIGINAL] = AT(of##_oriX), [ALPHA1] = AT(of##_constExpertAlpha1), \
    [ALPHA2] = AT(of##_constExpertAlpha2), [V] = AT(of##_constExpertV)
#define NORM_OF(of) \
    [RESIDUAL] = AT(of##_residualX), [GAMMA] = AT(of##_gamma), [Y] = AT(of##_y), [RSTD] = AT(of##_rstd)
#define NUMBERS_OF(of) \
    COMMON_NUMBERS_OF(of), [OUT_DTYPE] = AT(of##_outDtype), [LIST_TYPE] = AT(of##_groupListType)
static const struct form form_v1 = {{PARTS_OF(V1)}, {NUMBERS_OF(V1)}, 0};
static const struct form form_v2 = {{PARTS_OF(V2), SHARED_OF(V2)}, {NUMBERS_OF(V2)}, 0};
static const struct form form_v3 = {
    {PARTS_OF(V3), SHARED_OF(V3), SPECIAL_X_OF(V3)}, {NUMBERS_OF(V3), SPECIAL_OF(V3)}, 0};
static const struct form form_v4 = {
    {PARTS_OF(V4), SHARED_OF(V4), SPECIAL_X_OF(V4)}, {NUMBERS_OF(V4), SPECIAL_OF(V4)}, 0};
static const struct form form_norm_v1 = {{PARTS_OF(NORM_V1), SHARED_OF(NORM_V1), NORM_OF(NORM_V1)},
                                         {NUMBERS_OF(NORM_V1), [EPS] = AT(NORM_V1_normEps)},
                                         1};
static const struct form form_norm_v2 = {
    {PARTS_OF(NORM_V2), SHARED_OF(NORM_V2), SPECIAL_X_OF(NORM_V2), NORM_OF(NORM_V2)},
    {NUMBERS_OF(NORM_V2), SPECIAL_OF(NORM_V2), [EPS] = AT(NORM_V2_normEps)},
    1};

struct combine_plan {
    struct met met;
    struct layout_of_experts layout;
    struct ports ports;
    struct port came; /* of a row in memory */
    uint64_t width, rows, zero, copy;
    double eps;
    bool normalises;
};

/* (tokens, width), with other dims in front of the width or not. */
static aclnnStatus check_rows(const struct call *call, unsigned part, int64_t tokens, int64_t width)
{
    const struct tensor_view *view = part_given(call, part) ? part_view(call, part) : NULL;
    if (view == NULL || (view->rank >= 2 && view->rank <= 3 && view->shape[view->rank - 1] == width &&
                         view->count == tokens * width))
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; [%" PRId64 ", %" PRId64 "] is expected",
                  call_name(call, part_at(call, part)), shape_text(TEXT, view), tokens, width);
}

static aclnnStatus check_special(const struct call *call, int64_t width)
{
    const int64_t constants = form_number(call, CONSTANT, 0);
    for (unsigned part = ORIGINAL; part <= V; part++) {
        if (constants > 0 || (part == ORIGINAL && form_number(call, COPY, 0) > 0))
            TRY(check_part_given(call, part, constants > 0 ? "constExpertNum" : "copyExpertNum"));
        if (part > ORIGINAL && constants > 0)
            TRY(check_dims(call, part, 2, constants, width));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_inputs(const struct call *call, struct met *met, struct layout_of_experts *layout)
{
    TRY(check_tensors(call));
    TRY(check_dims(call, ROWS, 2, -1, -1));
    TRY(read_layout(call, IDS, MASK, met, layout));
    TRY(check_number(call, OUT_DTYPE, 0, 0));
    TRY(check_number(call, LIST_TYPE, 0, 1));
    const int64_t width = part_view(call, ROWS)->shape[1], tokens = (int64_t)layout->tokens,
                  counts = (int64_t)(experts_at(layout, layout->rank) * layout->ranks);
    TRY(check_dims(call, COUNTS, 1, -1, 0));
    if (part_view(call, COUNTS)->count < counts)
        return refuse(call, "epSendCounts has shape %s; %" PRId64 " elements or more are expected",
                      shape_text(TEXT, part_view(call, COUNTS)), counts);
    TRY(check_dims(call, WEIGHTS, 2, tokens, (int64_t)layout->top_k));
    for (unsigned part = SHARED_X; part <= ORIGINAL; part++)
        TRY(check_rows(call, part, tokens, width));
    TRY(check_special(call, width));
    TRY(check_rows(call, RESIDUAL, tokens, width));
    return check_dims(call, GAMMA, 1, width, 0);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    struct layout_of_experts layout;
    TRY(check_inputs(call, &met, &layout));
    const struct tensor_view *rows = part_view(call, ROWS);
    const int64_t tokens = (int64_t)layout.tokens, width = rows->shape[1];
    result->computed = rows->dtype;
    if (form_of(call)->choice == 0) {
        add_dims(result, rows->dtype, 2, tokens, width, 0);
        return ACLNN_SUCCESS;
    }
    const struct tensor_view *residual = part_view(call, RESIDUAL);
    const bool is_deep = residual->rank == 3;
    const int64_t second = is_deep ? residual->shape[1] : width;
    add_dims(result, rows->dtype, residual->rank, residual->shape[0], second, width);
    add_dims(result, ACL_FLOAT, residual->rank, residual->shape[0], is_deep ? second : 1, 1);
    add_dims(result, rows->dtype, residual->rank, residual->shape[0], second, width);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *rows = part_view(call, ROWS);
    struct combine_plan plan = {.width = (uint64_t)rows->shape[1],
                                .rows = (uint64_t)rows->shape[0],
                                .zero = (uint64_t)form_number(call, ZERO, 0),
                                .copy = (uint64_t)form_number(call, COPY, 0),
                                .normalises = form_of(call)->choice != 0};
    const struct tensor_view line = {
        .dtype = rows->dtype, .rank = 1, .shape = {INT32_MAX}, .stride = {1}, .count = INT32_MAX};
    (void)result;
    if (plan.normalises)
        plan.eps = (double)call->argument[number_at(call, EPS)].fp32;
    TRY(read_layout(call, IDS, MASK, &plan.met, &plan.layout));
    for (unsigned part = ROWS; part < PARTS; part++)
        set_port(&plan.ports, call, part,
                 part == ROWS                    ? rows->dtype
                 : part == IDS || part == COUNTS ? ACL_INT64
                 : part == MASK                  ? ACL_BOOL
                                                 : ACL_DOUBLE);
    plan.came = port_of_view(transfer_of(call->settings->isa), &line, 0, ACL_DOUBLE);
    return finish_with_ranks(call, &plan, sizeof plan, 1);
}

static uint64_t row_bytes(const struct combine_plan *plan)
{
    return plan->width * plan->ports.at[ROWS].span.bytes;
}

static uint64_t choices_of(const struct combine_plan *plan)
{
    return plan->layout.top_k + plan->layout.shared;
}

static size_t work_bytes(const void *prepared)
{
    const struct combine_plan *plan = prepared;
    const struct layout_of_experts *layout = &plan->layout;
    return pairs_bytes(layout) + 2 * whole_lines(layout->ranks * sizeof(struct group_part)) +
           whole_lines((size_t)(layout->ranks * experts_most(layout)) * sizeof(int64_t)) +
           lines_of(plan->rows, row_bytes(plan)) +
           lines_of(layout->tokens * choices_of(plan), row_bytes(plan)) +
           (plan->normalises ? lines_of_rows(layout->tokens, plan->width, sizeof(double)) : 0);
}

struct combine {
    const struct combine_plan *plan;
    void *const *address;
    struct pairs pairs;
    struct group_part *sends, *receives;
    int64_t *end;             /* of the rows for each expert and rank */
    unsigned char *from, *to; /* rows */
    double *sum;              /* of tokens, where they are normalised */
};

/* The rows of each rank one behind the other, those of an expert before those of the next. */
static int collect(struct combine *work)
{
    const struct combine_plan *plan = work->plan;
    const struct layout_of_experts *layout = &plan->layout;
    const uint64_t own = experts_at(layout, layout->rank), slots = own * layout->ranks;
    uint64_t gone = 0, come = 0;
    port_bring(&plan->ports.at[COUNTS], work->address, 0, slots, work->end);
    for (uint64_t i = 0; i < slots; i++)
        if (work->end[i] < (i > 0 ? work->end[i - 1] : 0) || work->end[i] > (int64_t)plan->rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "epSendCounts holds %" PRId64 " at %" PRIu64
                                  "; sums that do not fall, up to the rows of expandX, %" PRIu64
                                  ", are expected",
                                  work->end[i], i, plan->rows);
    for (uint32_t rank = 0; rank < layout->ranks; rank++) {
        work->sends[rank].offset = gone * row_bytes(plan);
        for (uint64_t expert = 0; expert < own; expert++) {
            const uint64_t slot = expert * layout->ranks + rank;
            const uint64_t first = slot > 0 ? (uint64_t)work->end[slot - 1] : 0,
                           count = (uint64_t)work->end[slot] - first;
            port_bring(&plan->ports.at[ROWS], work->address, first * plan->width, count * plan->width,
                       work->from + gone * row_bytes(plan));
            gone += count;
        }
        work->sends[rank].bytes = gone * row_bytes(plan) - work->sends[rank].offset;
        work->receives[rank].offset = come * row_bytes(plan);
        for (uint64_t expert = 0; expert < experts_at(layout, rank); expert++)
            come += (uint64_t)work->pairs.count[rank * experts_most(layout) + expert];
        work->receives[rank].bytes = come * row_bytes(plan) - work->receives[rank].offset;
    }
    return 0;
}

/* What a choice of a token adds to a piece of its sum. */
static void add_choice(const struct combine *work, uint64_t token, uint64_t choice, double weight,
                       uint64_t at, uint64_t count, double *sum)
{
    const struct combine_plan *plan = work->plan;
    const struct layout_of_experts *layout = &plan->layout;
    const int64_t row = work->pairs.row[token * choices_of(plan) + choice];
    const bool is_shared = choice >= layout->top_k;
    const int64_t id = is_shared ? 0 : work->pairs.id[token * layout->top_k + choice];
    const uint64_t special = id < 0 ? 0 : (uint64_t)id - layout->experts;
    double value[PIECE] __attribute__((uninitialized)), factor[PIECE] __attribute__((uninitialized)),
        other[PIECE] __attribute__((uninitialized));
    if (row >= 0) {
        void *const came[] = {work->to + (uint64_t)row * row_bytes(plan)};
        port_bring(&plan->came, came, at, count, value);
    } else if (is_shared || id < (int64_t)layout->experts || special < plan->zero) {
        return;
    } else {
        port_bring(&plan->ports.at[ORIGINAL], work->address, token * plan->width + at, count, value);
        if (special >= plan->zero + plan->copy) {
            const uint64_t constant = special - plan->zero - plan->copy;
            port_bring(&plan->ports.at[ALPHA1], work->address, constant * plan->width + at, count, factor);
            for (uint64_t i = 0; i < count; i++)
                value[i] *= factor[i];
            port_bring(&plan->ports.at[ALPHA2], work->address, constant * plan->width + at, count, factor);
            port_bring(&plan->ports.at[V], work->address, constant * plan->width + at, count, other);
            for (uint64_t i = 0; i < count; i++)
                value[i] += factor[i] * other[i];
        }
    }
    for (uint64_t i = 0; i < count; i++)
        sum[i] += weight * value[i];
}

static void add_part(const struct combine *work, unsigned part, uint64_t at, uint64_t count, double *sum)
{
    double value[PIECE] __attribute__((uninitialized));
    if (!has_port(&work->plan->ports, part))
        return;
    port_bring(&work->plan->ports.at[part], work->address, at, count, value);
    for (uint64_t i = 0; i < count; i++)
        sum[i] += value[i];
}

/* The norm of a token's sum, before it is rounded. */
static void normalise(const struct combine *work, uint64_t token, double squares)
{
    const struct combine_plan *plan = work->plan;
    const double rstd = 1 / sqrt(squares / (double)plan->width + plan->eps),
                 *sum = work->sum + token * plan->width;
    double gamma[PIECE] __attribute__((uninitialized));
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        port_bring(&plan->ports.at[GAMMA], work->address, at, count, gamma);
        for (uint64_t i = 0; i < count; i++)
            gamma[i] *= sum[at + i] * rstd;
        port_deliver(&plan->ports.at[Y], work->address, token * plan->width + at, count, gamma);
    }
    port_deliver(&plan->ports.at[RSTD], work->address, token, 1, &rstd);
}

static void sum_token(void *context, uint64_t token)
{
    const struct combine *work = context;
    const struct combine_plan *plan = work->plan;
    double sum[PIECE] __attribute__((uninitialized)), squares = 0;
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        memset(sum, 0, sizeof sum);
        for (uint64_t choice = 0; choice < choices_of(plan); choice++) {
            double weight = 1;
            if (choice < plan->layout.top_k)
                port_bring(&plan->ports.at[WEIGHTS], work->address, token * plan->layout.top_k + choice, 1,
                           &weight);
            add_choice(work, token, choice, weight, at, count, sum);
        }
        add_part(work, SHARED_X, token * plan->width + at, count, sum);
        add_part(work, RESIDUAL, token * plan->width + at, count, sum);
        port_deliver(&plan->ports.at[OUT], work->address, token * plan->width + at, count, sum);
        for (uint64_t i = 0; plan->normalises && i < count; i++) {
            work->sum[token * plan->width + at + i] = sum[i];
            squares += sum[i] * sum[i];
        }
    }
    if (plan->normalises)
        normalise(work, token, squares);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct combine_plan *plan = prepared;
    const struct layout_of_experts *layout = &plan->layout;
    struct combine work = {.plan = plan, .address = address};
    size_t used = 0;
    int status = find_pairs(layout, &plan->ports, IDS, MASK, address, scratch, &used, &work.pairs);
    if (status != 0)
        return status;
    work.sends = take_room(scratch, &used, layout->ranks * sizeof(struct group_part));
    work.receives = take_room(scratch, &used, layout->ranks * sizeof(struct group_part));
    work.end = take_room(scratch, &used, (size_t)(layout->ranks * experts_most(layout)) * sizeof(int64_t));
    work.from = take_room(scratch, &used, (size_t)(plan->rows * row_bytes(plan)));
    work.to = take_room(scratch, &used, (size_t)(layout->tokens * choices_of(plan) * row_bytes(plan)));
    work.sum = take_room(scratch, &used, 0);
    status = collect(&work);
    if (status == 0)
        status = group_exchange(&(struct group_exchange){.kind = GROUP_COMBINE,
                                                         .dtype = plan->ports.at[ROWS].dtype,
                                                         .count = plan->width,
                                                         .reads = work.from,
                                                         .writes = work.to,
                                                         .sends = work.sends,
                                                         .receives = work.receives});
    if (status == 0)
        tasks_run(sum_token, &work, layout->tokens, 4,
                  layout->tokens * choices_of(plan) * (ROW_NS + plan->width));
    return status;
}

#define COMBINES(form_)                                                                                      \
    .promise = &promise_sum, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, .operation.run = run, \
    .infer = infer, .plan = plan

FUNCTION_OF(aclnnMoeDistributeCombine, V1, .stem = "moe_distribute_combine", COMBINES(form_v1));
FUNCTION_OF(aclnnMoeDistributeCombineV2, V2, .stem = "moe_distribute_combine_v2", COMBINES(form_v2));
FUNCTION_OF(aclnnMoeDistributeCombineV3, V3, .stem = "moe_distribute_combine_v3", COMBINES(form_v3));
FUNCTION_OF(aclnnMoeDistributeCombineV4, V4, .stem = "moe_distribute_combine_v4", COMBINES(form_v4));
FUNCTION_OF(aclnnMoeDistributeCombineAddRmsNorm, NORM_V1, .stem = "moe_distribute_combine_add_rms_norm",
            COMBINES(form_norm_v1));
FUNCTION_OF(aclnnMoeDistributeCombineAddRmsNormV2, NORM_V2, .stem = "moe_distribute_combine_add_rms_norm_v2",
            COMBINES(form_norm_v2));
