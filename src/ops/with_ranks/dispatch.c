/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the ranks of their experts: each rank tells the others how many come, and sends them, quantised
 * if need be; what has come lies by experts, then ranks, then tokens.
 */
#include "aclnnop/aclnn_moe_distribute_dispatch.h"
#include "aclnnop/aclnn_moe_distribute_dispatch_v2.h"
#include "aclnnop/aclnn_moe_distribute_dispatch_v3.h"
#include "aclnnop/aclnn_moe_distribute_dispatch_v4.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/signature.h"
#include "ops/with_ranks/dispatch_modes.h"
#include "ops/with_ranks/pairs.h"
#include "runtime/streams/fault.h"

enum { QUANT = COMMON_NUMBERS, COUNT_TYPE };
enum { ASSIST_STEP = 128, PIECE = MOVED_PIECE, ROW_NS = 500 };

#define ROUTED(X, of)                                                                        \
    X(of, IN, x, &dtypes_fp16_bf16_on_950_int32_hifloat8_float8_float4, .is_unpacked = true, \
      .sample = "3x4:FLOAT16")                                                               \
    X(of, IN, expertIds, &dtypes_int32, .sample = "3x2:INT32")                               \
    X(of, IN, scales, &dtypes_fp32_float8_e8m0, .is_optional = true, .sample = "4x4")        \
    X(of, IN, xActiveMask, &dtypes_bool, .is_optional = true, .sample = "3:BOOL")            \
    X(of, IN, expertScales, &dtypes_fp32, .is_optional = true, .sample = "3x2")
#define ELASTIC(X, of) X(of, IN, elasticInfo, &dtypes_int32, .is_optional = true, .sample = "")
#define PLACES(X, of)                     \
    RANKS_OF_EXPERTS(X, of)               \
    X(of, INT64, quantMode, .usual = "2") \
    X(of, INT64, globalBs, .usual = "0")  \
    X(of, INT64, expertTokenNumsType, .usual = "1")
#define SPECIAL(X, of)                        \
    X(of, INT64, zeroExpertNum, .usual = "0") \
    X(of, INT64, copyExpertNum, .usual = "0") \
    X(of, INT64, constExpertNum, .usual = "0")
#define ROWS_OUT(X, of, index)                                                                           \
    X(of, OUT, expandX, &dtypes_fp16_bf16_int8_on_950_int32_hifloat8_float8_float4, .is_unpacked = true) \
    X(of, OUT, dynamicScales, &dtypes_fp32_float8_e8m0, .is_optional = true)                             \
    X(of, OUT, index, &dtypes_int32)                                                                     \
    X(of, OUT, expertTokenNums, &dtypes_int64)                                                           \
    X(of, OUT, epRecvCounts, &dtypes_int32)                                                              \
    X(of, OUT, tpRecvCounts, &dtypes_int32, .is_optional = true)                                         \
    X(of, OUT, expandScales, &dtypes_fp32, .is_optional = true)
#define V1(X, of) ROUTED(X, of) PLACES(X, of) ROWS_OUT(X, of, expandIdx)
#define V2(X, of) ROUTED(X, of) PLACES(X, of) COMM_ALG(X, of) ROWS_OUT(X, of, assistInfoForCombine)
#define V3(X, of) \
    ROUTED(X, of) \
    ELASTIC(X, of) PLACES(X, of) COMM_ALG(X, of) SPECIAL(X, of) ROWS_OUT(X, of, assistInfoForCombine)
#define V4(X, of)  \
    ROUTED(X, of)  \
    ELASTIC(X, of) \
    PERFORMANCE(X, of) PLACES(X, of) COMM_ALG(X, of) SPECIAL(X, of) ROWS_OUT(X, of, assistInfoForCombine)
SIGNATURE(V1)
SIGNATURE(V2)
SIGNATURE(V3)
SIGNATURE(V4)

#define PARTS_OF(of)                                                                                         \
    [X] = AT(of##_x), [IDS] = AT(of##_expertIds), [SCALES] = AT(of##_scales), [MASK] = AT(of##_xActiveMask), \
    [WEIGHTS] = AT(of##_expertScales), [ROWS] = AT(of##_expandX), [ROW_SCALES] = AT(of##_dynamicScales),     \
    [TOKEN_COUNTS] = AT(of##_expertTokenNums), [RECEIVED] = AT(of##_epRecvCounts),                           \
    [TP_RECEIVED] = AT(of##_tpRecvCounts), [ROW_WEIGHTS] = AT(of##_expandScales)
#define NUMBERS_OF(of) \
    COMMON_NUMBERS_OF(of), [QUANT] = AT(of##_quantMode), [COUNT_TYPE] = AT(of##_expertTokenNumsType)
static const struct form form_v1 = {{PARTS_OF(V1), [INDEX] = AT(V1_expandIdx)}, {NUMBERS_OF(V1)}, 0};
static const struct form form_v2 = {
    {PARTS_OF(V2), [ASSIST] = AT(V2_assistInfoForCombine)}, {NUMBERS_OF(V2)}, 0};
static const struct form form_v3 = {
    {PARTS_OF(V3), [ASSIST] = AT(V3_assistInfoForCombine)}, {NUMBERS_OF(V3), SPECIAL_OF(V3)}, 0};
static const struct form form_v4 = {
    {PARTS_OF(V4), [ASSIST] = AT(V4_assistInfoForCombine)}, {NUMBERS_OF(V4), SPECIAL_OF(V4)}, 0};

struct dispatch_plan {
    struct met met;
    struct layout_of_experts layout;
    struct ports ports;
    uint64_t width, rows;      /* of a row; that there is room for */
    struct moved_rows numbers; /* what rows become; no format: they stay as they are */
    uint64_t scales;           /* that each of them has, or has got before */
    aclDataType scale_dtype;
    bool is_cumulated;
};

static struct moved_rows rows_made(const struct call *call)
{
    return dispatched_rows(call, part_at(call, ROWS), form_number(call, QUANT, 0));
}

static bool is_quantised(const struct dispatch_plan *plan)
{
    return plan->numbers.number.format != NULL;
}

/* How many rows may come, where that is not what there is room for. */
static int64_t rows_most(const struct call *call, const struct layout_of_experts *layout)
{
    const int64_t asked = form_number(call, GLOBAL_BATCH, 0), ranks = layout->ranks;
    const int64_t batch = asked > 0 ? asked : (int64_t)layout->tokens * ranks;
    if (layout->rank >= layout->shared_ranks)
        return batch * (int64_t)(layout->each < layout->top_k ? layout->each : layout->top_k);
    const int64_t places = layout->shared_ranks / (int64_t)layout->shared;
    return batch / ranks * ((ranks + places - 1) / places);
}

/* One dim, of the given tensor's length where that is `least` or more. */
static aclnnStatus add_room(const struct call *call, struct result *result, unsigned part, aclDataType dtype,
                            int64_t least)
{
    const bool is_there = call->has_outputs && part_given(call, part);
    const struct tensor_view *given = is_there ? part_view(call, part) : NULL;
    if (is_there && (given->rank != 1 || given->shape[0] < least))
        return refuse(call, "%s has shape %s; one dim of %" PRId64 " or more is expected",
                      call_name(call, part_at(call, part)), shape_text(TEXT, given), least);
    add_dims(result, dtype, 1, is_there ? given->shape[0] : least, 0, 0);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_inputs(const struct call *call, struct met *met, struct layout_of_experts *layout)
{
    TRY(check_tensors(call));
    TRY(check_dims(call, X, 2, -1, -1));
    TRY(read_layout(call, IDS, MASK, met, layout));
    TRY(check_dims(call, IDS, 2, part_view(call, X)->shape[0], -1));
    TRY(check_dispatched(call, part_at(call, ROWS), form_number(call, QUANT, 0)));
    TRY(check_scales_of_mode(call, form_number(call, QUANT, 0), (int64_t)(layout->shared + layout->experts)));
    TRY(check_number(call, COUNT_TYPE, 0, 1));
    return check_dims(call, WEIGHTS, 2, (int64_t)layout->tokens, (int64_t)layout->top_k);
}

/* Whether rows have got scales before, which go with them. */
static bool scales_go_along(const struct call *call, const struct moved_rows *made)
{
    return made->number.format == NULL && part_given(call, SCALES);
}

static aclDataType row_scale_dtype(const struct call *call, const struct moved_rows *made)
{
    return scales_go_along(call, made) ? part_view(call, SCALES)->dtype : moved_scale_dtype(made);
}

static int64_t row_scales(const struct call *call, const struct moved_rows *made)
{
    if (!scales_go_along(call, made))
        return (int64_t)moved_scale_count(made, (uint64_t)part_view(call, X)->shape[1]);
    const struct tensor_view *given = part_view(call, SCALES);
    return given->rank == 1 ? 1 : given->shape[1];
}

/* One for each row, and room for more; or some for each, in any shape of as many. */
static aclnnStatus add_scales(const struct call *call, struct result *result, const struct moved_rows *made,
                              int64_t rows)
{
    const int64_t scales = row_scales(call, made);
    const aclDataType dtype = row_scale_dtype(call, made);
    const bool go_along = scales_go_along(call, made);
    if (made->scales == MOVED_ROW_SCALES || (go_along && part_view(call, SCALES)->rank == 1))
        return add_room(call, result, ROW_SCALES, dtype, rows);
    struct output *output = add_dims(result, dtype, 2, rows, scales, 0);
    output->shape_rule = SHAPE_BY_COUNT;
    output->is_unwanted = made->scales == MOVED_NO_SCALES && !go_along;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    struct layout_of_experts layout;
    TRY(check_inputs(call, &met, &layout));
    const struct tensor_view *x = part_view(call, X);
    const struct moved_rows made = rows_made(call);
    const bool has_rows = call->has_outputs && part_view(call, ROWS)->rank == 2;
    const int64_t rows = has_rows ? part_view(call, ROWS)->shape[0] : rows_most(call, &layout);
    const int64_t own = (int64_t)experts_at(&layout, layout.rank);
    if (has_rows && rows > INT32_MAX)
        return refuse(call, "expandX has %" PRId64 " rows; 2^31 - 1 at most are expected", rows);
    result->computed = x->dtype;
    const aclDataType dtype = made.number.format != NULL ? made.number.format->dtype : x->dtype;
    if (dtype_is_packed(dtype) && x->shape[1] % 2 != 0)
        return refuse(call, "x has shape %s; an even last dim is expected for %s", shape_text(TEXT, x),
                      dtype_name(dtype));
    if (call->has_outputs && row_scales(call, &made) > 0)
        TRY(check_part_given(call, ROW_SCALES, made.number.format != NULL ? "quantMode" : "scales"));
    add_dims(result, dtype, 2, rows, x->shape[1], 0);
    TRY(add_scales(call, result, &made, rows));
    TRY(form_of(call)->tensor[INDEX] > 0
            ? add_room(call, result, INDEX, ACL_INT32, (int64_t)(layout.tokens * layout.top_k))
            : add_room(call, result, ASSIST, ACL_INT32, rows * ASSIST_STEP));
    add_dims(result, ACL_INT64, 1, own, 0, 0);
    TRY(add_room(call, result, RECEIVED, ACL_INT32, own * (int64_t)layout.ranks));
    TRY(add_room(call, result, TP_RECEIVED, ACL_INT32, call->has_outputs ? 0 : 1));
    return add_room(call, result, ROW_WEIGHTS, ACL_FLOAT, call->has_outputs ? 0 : rows);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = part_view(call, X);
    struct dispatch_plan plan = {.width = (uint64_t)x->shape[1],
                                 .rows = (uint64_t)part_view(call, ROWS)->shape[0],
                                 .numbers = rows_made(call),
                                 .is_cumulated = form_number(call, COUNT_TYPE, 1) == 0};
    (void)result;
    plan.scales = (uint64_t)row_scales(call, &plan.numbers);
    plan.scale_dtype = row_scale_dtype(call, &plan.numbers);
    TRY(read_layout(call, IDS, MASK, &plan.met, &plan.layout));
    for (unsigned part = X; part < PARTS; part++) {
        const aclDataType carried = part == X            ? is_quantised(&plan) ? ACL_DOUBLE : x->dtype
                                    : part == SCALES     ? is_quantised(&plan) ? ACL_DOUBLE : plan.scale_dtype
                                    : part == ROWS       ? part_view(call, ROWS)->dtype
                                    : part == MASK       ? ACL_BOOL
                                    : part == ROW_SCALES ? plan.scale_dtype
                                    : part == WEIGHTS || part == ROW_WEIGHTS ? ACL_FLOAT
                                                                             : ACL_INT64;
        if (part != ROW_SCALES || plan.scales > 0)
            set_port(&plan.ports, call, part, carried);
    }
    return finish_with_ranks(call, &plan, sizeof plan, 2);
}

/* A row on its way: its elements, its scales, and behind them what follows them; each begins at a multiple of 4 bytes.
 */
struct label {
    float weight;
    int32_t token, choice;
};

static uint64_t whole_words(uint64_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

static uint64_t scale_bytes(const struct dispatch_plan *plan)
{
    return plan->scale_dtype == ACL_FLOAT ? sizeof(float) : 1;
}

/* Where the scales begin: numbers of few bits have a byte each. */
static uint64_t elements_bytes(const struct dispatch_plan *plan)
{
    return whole_words(plan->width * (is_quantised(plan) ? 1 : plan->ports.at[X].carried_bytes));
}

static uint64_t record_bytes(const struct dispatch_plan *plan)
{
    return elements_bytes(plan) + whole_words(plan->scales * scale_bytes(plan)) + sizeof(struct label);
}

static size_t work_bytes(const void *prepared)
{
    const struct dispatch_plan *plan = prepared;
    const struct layout_of_experts *layout = &plan->layout;
    const size_t slots = (size_t)(layout->ranks * experts_most(layout));
    return pairs_bytes(layout) + 2 * whole_lines(slots * sizeof(int32_t)) +
           2 * whole_lines(layout->ranks * sizeof(struct group_part)) +
           lines_of(layout->tokens * (layout->top_k + layout->shared), record_bytes(plan)) +
           lines_of(plan->rows, record_bytes(plan));
}

struct dispatch {
    const struct dispatch_plan *plan;
    void *const *address;
    struct pairs pairs;
    int32_t *sent, *received; /* counts: ranks * experts_most */
    struct group_part *sends, *receives;
    unsigned char *from, *to; /* records */
    uint64_t came;            /* records of all */
};

static void bring_scaled(const void *context, uint64_t row, uint64_t at, uint64_t count, double *to)
{
    const struct dispatch *work = context;
    const struct dispatch_plan *plan = work->plan;
    const struct pair *pair = &work->pairs.pair[row];
    double factor[PIECE] __attribute__((uninitialized));
    port_bring(&plan->ports.at[X], work->address, (uint64_t)pair->token * plan->width + at, count, to);
    if (!has_port(&plan->ports, SCALES))
        return;
    port_bring(&plan->ports.at[SCALES], work->address, (uint64_t)pair->expert * plan->width + at, count,
               factor);
    for (uint64_t i = 0; i < count; i++)
        to[i] *= factor[i];
}

static void put_numbers(const void *context, uint64_t row, uint64_t at, uint64_t count, const uint8_t *code)
{
    const struct dispatch *work = context;
    memcpy(work->from + row * record_bytes(work->plan) + at, code, (size_t)count);
}

static void put_scales(const void *context, uint64_t row, uint64_t at, uint64_t count, const void *scale)
{
    const struct dispatch *work = context;
    const struct dispatch_plan *plan = work->plan;
    memcpy(work->from + row * record_bytes(plan) + elements_bytes(plan) + at * scale_bytes(plan), scale,
           (size_t)(count * scale_bytes(plan)));
}

static void write_record(void *context, uint64_t number)
{
    const struct dispatch *work = context;
    const struct dispatch_plan *plan = work->plan;
    const struct pair *pair = &work->pairs.pair[number];
    unsigned char *record = work->from + number * record_bytes(plan);
    struct label label = {.token = (int32_t)pair->token, .choice = (int32_t)pair->choice};
    memset(record, 0, (size_t)record_bytes(plan));
    if (is_quantised(plan))
        moved_row_write(&plan->numbers, &(struct moved_way){work, bring_scaled, put_numbers, put_scales},
                        number, plan->width);
    else
        port_bring(&plan->ports.at[X], work->address, (uint64_t)pair->token * plan->width, plan->width,
                   record);
    if (!is_quantised(plan) && plan->scales > 0)
        port_bring(&plan->ports.at[SCALES], work->address, (uint64_t)pair->token * plan->scales, plan->scales,
                   record + elements_bytes(plan));
    if (has_port(&plan->ports, WEIGHTS) && (uint64_t)pair->choice < plan->layout.top_k)
        port_bring(&plan->ports.at[WEIGHTS], work->address,
                   (uint64_t)pair->token * plan->layout.top_k + (uint64_t)pair->choice, 1, &label.weight);
    memcpy(record + record_bytes(plan) - sizeof label, &label, sizeof label);
}

static int exchange_counts(struct dispatch *work)
{
    const struct layout_of_experts *layout = &work->plan->layout;
    const uint64_t most = experts_most(layout), own = experts_at(layout, layout->rank);
    for (uint32_t rank = 0; rank < layout->ranks; rank++) {
        for (uint64_t i = 0; i < most; i++)
            work->sent[rank * most + i] = (int32_t)work->pairs.count[rank * most + i];
        work->sends[rank] =
            (struct group_part){rank * most * sizeof(int32_t), experts_at(layout, rank) * sizeof(int32_t)};
        work->receives[rank] = (struct group_part){rank * most * sizeof(int32_t), own * sizeof(int32_t)};
    }
    memset(work->received, 0, (size_t)(layout->ranks * most) * sizeof(int32_t));
    return group_exchange(&(struct group_exchange){.kind = GROUP_DISPATCH,
                                                   .dtype = ACL_INT32,
                                                   .count = work->plan->width + work->plan->scales,
                                                   .reads = work->sent,
                                                   .writes = work->received,
                                                   .sends = work->sends,
                                                   .receives = work->receives});
}

static int exchange_rows(struct dispatch *work)
{
    const struct dispatch_plan *plan = work->plan;
    const struct layout_of_experts *layout = &plan->layout;
    const uint64_t most = experts_most(layout), bytes = record_bytes(plan);
    uint64_t sent = 0;
    for (uint32_t rank = 0; rank < layout->ranks; rank++) {
        uint64_t goes = 0, comes = 0;
        for (uint64_t i = 0; i < most; i++) {
            goes += (uint64_t)work->sent[rank * most + i];
            comes += (uint64_t)work->received[rank * most + i];
        }
        work->sends[rank] = (struct group_part){sent * bytes, goes * bytes};
        work->receives[rank] = (struct group_part){work->came * bytes, comes * bytes};
        sent += goes;
        work->came += comes;
    }
    if (work->came > plan->rows)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "expandX has %" PRIu64 " rows and %" PRIu64 " come; room for all is expected",
                              plan->rows, work->came);
    return group_exchange(&(struct group_exchange){.kind = GROUP_DISPATCH,
                                                   .dtype = plan->ports.at[ROWS].dtype,
                                                   .count = plan->width + plan->scales,
                                                   .reads = work->from,
                                                   .writes = work->to,
                                                   .sends = work->sends,
                                                   .receives = work->receives});
}

/* A row of the result from a record, of a rank; or one that nothing has come for. */
static void deliver(const struct dispatch *work, uint64_t row, const unsigned char *record, int64_t rank)
{
    const struct dispatch_plan *plan = work->plan;
    struct label label;
    memcpy(&label, record + record_bytes(plan) - sizeof label, sizeof label);
    port_deliver(&plan->ports.at[ROWS], work->address, row * plan->width, plan->width, record);
    if (has_port(&plan->ports, ROW_SCALES))
        port_deliver(&plan->ports.at[ROW_SCALES], work->address, row * plan->scales, plan->scales,
                     record + elements_bytes(plan));
    if (has_port(&plan->ports, ROW_WEIGHTS) && row < plan->ports.at[ROW_WEIGHTS].span.count)
        port_deliver(&plan->ports.at[ROW_WEIGHTS], work->address, row, 1, &label.weight);
    if (has_port(&plan->ports, ASSIST)) {
        const int64_t from[ASSIST_STEP] = {rank, label.token, label.choice};
        port_deliver(&plan->ports.at[ASSIST], work->address, row * ASSIST_STEP, ASSIST_STEP, from);
    }
}

/* What lies behind the rows of a part of one dim. */
static void clear_from(const struct dispatch *work, unsigned part, uint64_t at)
{
    static const double zero[PIECE];
    const struct port *port = &work->plan->ports.at[part];
    for (; has_port(&work->plan->ports, part) && at < port->span.count; at += PIECE)
        port_deliver(port, work->address, at, port->span.count - at < PIECE ? port->span.count - at : PIECE,
                     zero);
}

/* By experts, then ranks, then tokens. What has come of a rank is in the order of experts. */
static void place_rows(struct dispatch *work)
{
    const struct dispatch_plan *plan = work->plan;
    const struct layout_of_experts *layout = &plan->layout;
    const uint64_t own = experts_at(layout, layout->rank), most = experts_most(layout),
                   bytes = record_bytes(plan);
    uint64_t row = 0;
    for (uint64_t expert = 0; expert < own; expert++) {
        const uint64_t before = row;
        for (uint32_t rank = 0; rank < layout->ranks; rank++) {
            uint64_t skipped = 0;
            for (uint64_t i = 0; i < expert; i++)
                skipped += (uint64_t)work->received[rank * most + i];
            const unsigned char *record = work->to + work->receives[rank].offset + skipped * bytes;
            for (int32_t i = 0; i < work->received[rank * most + expert]; i++, record += bytes)
                deliver(work, row++, record, rank);
            const int64_t so_far = (int64_t)row;
            port_deliver(&plan->ports.at[RECEIVED], work->address, expert * layout->ranks + rank, 1, &so_far);
        }
        const int64_t count = (int64_t)(plan->is_cumulated ? row : row - before);
        port_deliver(&plan->ports.at[TOKEN_COUNTS], work->address, expert, 1, &count);
    }
    clear_from(work, ROWS, row * plan->width);
    clear_from(work, ROW_SCALES, row * plan->scales);
    clear_from(work, ROW_WEIGHTS, row);
    clear_from(work, ASSIST, row * ASSIST_STEP);
    clear_from(work, RECEIVED, own * layout->ranks);
    clear_from(work, TP_RECEIVED, 0);
}

/* Of each pair, how many before it go to its expert. */
static void number_pairs(const struct dispatch *work)
{
    const struct layout_of_experts *layout = &work->plan->layout;
    const uint64_t choices = layout->top_k + layout->shared;
    int64_t first = 0;
    clear_from(work, INDEX, layout->tokens * layout->top_k);
    for (uint64_t i = 0; i < layout->tokens * layout->top_k; i++) {
        const int64_t own = work->pairs.row[i / layout->top_k * choices + i % layout->top_k];
        int64_t number = 0;
        for (first = own; first > 0 && work->pairs.pair[first - 1].expert == work->pairs.pair[own].expert;
             first--)
            number++;
        port_deliver(&work->plan->ports.at[INDEX], work->address, i, 1, &number);
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct dispatch_plan *plan = prepared;
    const struct layout_of_experts *layout = &plan->layout;
    const size_t slots = (size_t)(layout->ranks * experts_most(layout)) * sizeof(int32_t);
    struct dispatch work = {.plan = plan, .address = address};
    size_t used = 0;
    int status = find_pairs(layout, &plan->ports, IDS, MASK, address, scratch, &used, &work.pairs);
    if (status != 0)
        return status;
    work.sent = take_room(scratch, &used, slots);
    work.received = take_room(scratch, &used, slots);
    work.sends = take_room(scratch, &used, layout->ranks * sizeof(struct group_part));
    work.receives = take_room(scratch, &used, layout->ranks * sizeof(struct group_part));
    work.from = take_room(scratch, &used,
                          (size_t)(layout->tokens * (layout->top_k + layout->shared) * record_bytes(plan)));
    work.to = take_room(scratch, &used, 0);
    tasks_run(write_record, &work, work.pairs.pairs, 4, work.pairs.pairs * (ROW_NS + plan->width));
    status = exchange_counts(&work);
    if (status == 0)
        status = exchange_rows(&work);
    if (status != 0)
        return status;
    place_rows(&work);
    if (has_port(&plan->ports, INDEX))
        number_pairs(&work);
    return 0;
}

#define DISPATCHES(form_)                                                                \
    .promise = &promise_exact, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, \
    .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnMoeDistributeDispatch, V1, .stem = "moe_distribute_dispatch", DISPATCHES(form_v1));
FUNCTION_OF(aclnnMoeDistributeDispatchV2, V2, .stem = "moe_distribute_dispatch_v2", DISPATCHES(form_v2));
FUNCTION_OF(aclnnMoeDistributeDispatchV3, V3, .stem = "moe_distribute_dispatch_v3", DISPATCHES(form_v3));
FUNCTION_OF(aclnnMoeDistributeDispatchV4, V4, .stem = "moe_distribute_dispatch_v4", DISPATCHES(form_v4));
