/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to the experts of other ranks and their products there, and products of experts whose rows go back.
 * Counts are a number for each rank and expert of one rank, rank by rank, as many on all ranks. Rows and weights
 * may be quantised, with scales of the whole, of rows and columns, or of MX.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/memory_product.h"
#include "ops/quantise/formats.h"
#include "ops/with_ranks/grouped_forms.h"

/* Scales of quantised rows and weights: one of all, one of each column or row, or pairs of MX. */
enum { BY_TENSOR = 1, BY_COLUMN = 2, BY_ROW = 3, BY_MX = 6 };

/* Rows and what multiplies them: those of experts, or the others. Quantised ones have their scales behind them,
 * which go with them: other ranks may have others. */
struct rows {
    struct rank_product product;
    struct port x, scale, y;
    uint64_t row_bytes, scales; /* of a row */
    int64_t step, scale_step;   /* from expert to expert */
    bool has_one_scale;
};

struct grouped_ranks_plan {
    struct met met;
    bool is_there, permutes, has_mm;
    uint64_t experts, sent, received, mm_rows; /* sums of counts */
    struct rows own, mm;
    struct port permuted;
    int64_t count[]; /* sent, then received: ranks * experts each */
};

static bool is_there(const struct call *call)
{
    return form_of(call)->choice == GROUP_ALL_TO_ALL_GROUPED_MATMUL;
}

static bool has_mm(const struct call *call)
{
    return part_given(call, MM_X) && part_given(call, MM_WEIGHT);
}

static bool is_quantised(const struct call *call)
{
    return form_of(call)->tensor[X_SCALE] > 0;
}

static const struct call_values *counts_of(const struct call *call, unsigned number)
{
    return &call->values[number_at(call, number)];
}

/* Their sum; -1 where one is negative or it is too large. */
static int64_t sum_of(const struct call_values *counts)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < counts->count; i++)
        if (counts->value.int64[i] < 0 || __builtin_add_overflow(sum, counts->value.int64[i], &sum) ||
            sum > INT32_MAX)
            return -1;
    return sum;
}

static aclnnStatus check_counts(const struct call *call, unsigned number, int64_t rows, int64_t slots)
{
    const struct call_values *counts = counts_of(call, number);
    if ((int64_t)counts->count == slots && sum_of(counts) >= 0 && (rows < 0 || sum_of(counts) == rows))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s has %" PRIu64 " numbers with the sum %" PRId64
                  "; one of 0 or more for each rank and expert, %" PRId64 ", with the sum %s%" PRId64
                  ", is expected",
                  call_name(call, number_at(call, number)), counts->count, sum_of(counts), slots,
                  rows < 0 ? "up to " : "", rows < 0 ? (int64_t)INT32_MAX : rows);
}

/* The parts of the others stand behind those of the experts as these do. */
static unsigned part_of(unsigned part, bool is_mm)
{
    return is_mm ? part + (MM_X - X) : part;
}

static int64_t mode_of(const struct call *call, unsigned mode, bool is_mm)
{
    return form_number(call, is_mm ? mode + (MM_TURNS - TURNS) : mode, 0);
}

static aclnnStatus check_scale(const struct call *call, unsigned part, int64_t mode, int64_t of_tensor,
                               uint32_t rank, const int64_t *size)
{
    const unsigned at = part_at(call, part);
    const struct tensor_view *view = &call->tensor[at];
    if ((view->dtype == ACL_FLOAT8_E8M0) != (mode == BY_MX))
        return refuse(call, "%s is %s; %s is expected of mode %" PRId64, call_name(call, at),
                      dtype_name(view->dtype), mode == BY_MX ? "FLOAT8_E8M0" : "FLOAT", mode);
    if (mode == BY_TENSOR && view->rank <= 1 && (view->count == 1 || view->count == of_tensor))
        return ACLNN_SUCCESS;
    return check_sizes(call, at, mode == BY_TENSOR ? 1 : rank, size);
}

static aclnnStatus check_scales(const struct call *call, bool is_mm)
{
    const unsigned x = part_of(X, is_mm), weight = part_of(WEIGHT, is_mm);
    const struct tensor_view *rows = part_view(call, x), *matrix = part_view(call, weight);
    const int64_t mode = mode_of(call, X_MODE, is_mm), by = mode_of(call, WEIGHT_MODE, is_mm);
    const bool turns = mode_of(call, TURNS, is_mm) != 0;
    const int64_t pairs = (int64_t)mx_pairs((uint64_t)rows->shape[1]), experts = is_mm ? 1 : matrix->shape[0],
                  columns = matrix->shape[matrix->rank - (turns ? 2 : 1)];
    if ((mode == BY_MX) != (by == BY_MX) || (mode != BY_TENSOR && mode != BY_ROW && mode != BY_MX) ||
        (by != BY_TENSOR && by != BY_COLUMN && by != BY_MX))
        return refuse(call,
                      "%s is %" PRId64 " and %s %" PRId64
                      "; 1 or 3 and 1 or 2, or 6 and 6, which is MX, are expected",
                      call_name(call, number_at(call, is_mm ? MM_X_MODE : X_MODE)), mode,
                      call_name(call, number_at(call, is_mm ? MM_WEIGHT_MODE : WEIGHT_MODE)), by);
    if (mode == BY_MX && !dtype_is_one_of(rows->dtype, DTYPES_FLOAT8))
        return refuse(call, "%s is %s; FLOAT8_E4M3FN or FLOAT8_E5M2 is expected of MX",
                      call_name(call, part_at(call, x)), dtype_name(rows->dtype));
    TRY(check_scale(call, part_of(X_SCALE, is_mm), mode, 1, mode == BY_MX ? 3 : 1,
                    (const int64_t[]){mode == BY_TENSOR ? 1 : rows->shape[0], pairs, 2}));
    const int64_t size[] = {by == BY_TENSOR ? 1 : experts, by == BY_MX && !turns ? pairs : columns,
                            turns ? pairs : columns, 2};
    return check_scale(call, part_of(WEIGHT_SCALE, is_mm), by, experts,
                       (by == BY_MX ? 4U : 2U) - (is_mm ? 1U : 0U),
                       size + (is_mm && by != BY_TENSOR ? 1 : 0));
}

/* Rows and weights of one dtype, or both floats of 8 bits. */
static aclnnStatus check_pair(const struct call *call, bool is_mm)
{
    const unsigned x = part_of(X, is_mm), weight = part_of(WEIGHT, is_mm);
    if (!dtype_is_one_of(part_view(call, x)->dtype, DTYPES_FLOAT8) ||
        !dtype_is_one_of(part_view(call, weight)->dtype, DTYPES_FLOAT8))
        TRY(check_same_dtype(call, part_at(call, weight), part_at(call, x), NULL));
    return check_dims(call, x, 2, -1, -1);
}

static aclnnStatus check_mm(const struct call *call)
{
    const bool turns = form_number(call, MM_TURNS, 0) != 0;
    if (part_given(call, MM_X) != part_given(call, MM_WEIGHT))
        return refuse(call, "one of mmXOptional and mmWeightOptional is NULL; both are expected, or none");
    if (!has_mm(call))
        return ACLNN_SUCCESS;
    TRY(check_pair(call, true));
    if (!is_quantised(call))
        TRY(check_same_dtype(call, part_at(call, MM_X), part_at(call, X), NULL));
    const int64_t depth = part_view(call, MM_X)->shape[1];
    TRY(check_dims(call, MM_WEIGHT, 2, turns ? -1 : depth, turns ? depth : -1));
    if (is_quantised(call)) {
        TRY(check_part_given(call, MM_X_SCALE, "mmXOptional"));
        TRY(check_part_given(call, MM_WEIGHT_SCALE, "mmWeightOptional"));
        TRY(check_scales(call, true));
    }
    return call->has_outputs ? check_part_given(call, MM_Y, "mmXOptional") : ACLNN_SUCCESS;
}

/* Results are of the rows' dtype, or of the one that is asked for. */
static aclDataType made_of(const struct call *call, unsigned part)
{
    if (!is_quantised(call))
        return part_view(call, X)->dtype;
    return call->has_outputs && part_given(call, part) ? part_view(call, part)->dtype : ACL_FLOAT16;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    const struct tensor_view *x = part_view(call, X), *weight = part_view(call, WEIGHT);
    const bool turns = form_number(call, TURNS, 0) != 0, permutes = form_number(call, PERMUTES, 0) != 0;
    TRY(check_tensors(call));
    TRY(check_pair(call, false));
    if (weight->rank != 3 || weight->shape[turns ? 2 : 1] != x->shape[1])
        return refuse(call,
                      "gmmWeight has shape %s; [experts, %s] with %" PRId64 " in place of k is expected",
                      shape_text(TEXT, weight), turns ? "n, k" : "k, n", x->shape[1]);
    if (is_quantised(call))
        TRY(check_scales(call, false));
    if (form_number(call, WAY_MODE, 0) != 0)
        return refuse(call, "%s is %" PRId64 "; 0, rows that go as they are, is expected",
                      call_name(call, number_at(call, WAY_MODE)), form_number(call, WAY_MODE, 0));
    TRY(find_group(call, GROUP_NAME, &met));
    TRY(check_ranks(call, WORLD, &met));
    /* Weights without elements may be of more experts than there can be counts. */
    const int64_t experts = weight->shape[0], columns = weight->shape[turns ? 1 : 2],
                  slots = experts <= INT32_MAX ? experts * met.place.rank_count : INT64_MAX;
    TRY(check_counts(call, SENT, x->shape[0], slots));
    TRY(check_counts(call, RECEIVED, -1, slots));
    TRY(check_mm(call));
    if (call->has_outputs && permutes)
        TRY(check_part_given(call, PERMUTED, "permuteOutFlag"));
    const int64_t received = sum_of(counts_of(call, RECEIVED));
    result->computed = x->dtype;
    add_dims(result, made_of(call, Y), 2, received, columns, 0);
    const struct tensor_view *other = has_mm(call) ? part_view(call, MM_WEIGHT) : weight;
    add_dims(result, made_of(call, MM_Y), 2, has_mm(call) ? part_view(call, MM_X)->shape[0] : 0,
             has_mm(call) ? other->shape[form_number(call, MM_TURNS, 0) != 0 ? 0 : 1] : 0, 0)
        ->is_unwanted = !has_mm(call);
    if (is_there(call))
        add_dims(result, x->dtype, 2, received, x->shape[1], 0)->is_unwanted = !permutes;
    return ACLNN_SUCCESS;
}

/* Scales of a weight's columns: behind the dim of experts, where it has one. */
static struct factors weight_scales(const struct call *call, bool is_mm, bool turns, int64_t *step)
{
    const unsigned at = part_at(call, part_of(WEIGHT_SCALE, is_mm));
    const struct tensor_view *view = &call->tensor[at];
    const uint32_t first = is_mm ? 0 : 1;
    struct factors factors = factors_of_view(view, call->first_operand[at], 0, 0);
    *step = !is_mm && view->rank > 0 && view->shape[0] > 1 ? view->stride[0] : 0;
    if (view->dtype == ACL_FLOAT8_E8M0) {
        factors.is_paired = true;
        factors.second = view->stride[first + 2];
        factors.stride[0] = view->stride[first + (turns ? 1 : 0)];
        factors.stride[1] = view->stride[first + (turns ? 0 : 1)];
    } else if (view->rank > first && view->shape[first] > 1) {
        factors.stride[1] = view->stride[first];
    }
    return factors;
}

static void set_rows(struct rows *rows, const struct call *call, bool is_mm, aclDataType made)
{
    const unsigned x = part_of(X, is_mm), weight = part_of(WEIGHT, is_mm);
    const aclDataType dtype = part_view(call, x)->dtype;
    const bool turns = mode_of(call, TURNS, is_mm) != 0, is_mx = mode_of(call, X_MODE, is_mm) == BY_MX;
    struct rank_product *product = &rows->product;
    set_product(product, call, dtype, part_at(call, weight), turns);
    rows->x = port_of(call, part_at(call, x), dtype);
    rows->y = port_of(call, part_at(call, part_of(Y, is_mm)), made);
    rows->step = part_view(call, weight)->stride[0];
    rows->row_bytes = product->depth * dtype_bytes(dtype);
    if (!is_quantised(call))
        return;
    product->column_scale = weight_scales(call, is_mm, turns, &rows->scale_step);
    rows->scale = port_of(call, part_at(call, part_of(X_SCALE, is_mm)), is_mx ? ACL_FLOAT8_E8M0 : ACL_FLOAT);
    rows->scales = is_mx ? 2 * mx_pairs(product->depth) : 1;
    rows->has_one_scale = !is_mx && part_view(call, part_of(X_SCALE, is_mm))->count == 1;
    product->scales_at = (product->depth + sizeof(float) - 1) / sizeof(float) * sizeof(float);
    product->row_bytes = rows->row_bytes = product->scales_at + (is_mx ? rows->scales : sizeof(float));
    if (is_mx && product->depth == 0) {
        product->column_scale.is_given = false; /* no steps have no scales */
    } else if (is_mx) {
        product->part = MX_BLOCK;
        product->parts = (product->depth - 1) / MX_BLOCK + 1;
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *sent = counts_of(call, SENT), *received = counts_of(call, RECEIVED);
    const size_t bytes = sizeof(struct grouped_ranks_plan) + (size_t)(2 * sent->count) * sizeof(int64_t);
    struct grouped_ranks_plan *plan = call_allocate((struct call *)(uintptr_t)call, bytes);
    (void)result;
    if (plan == NULL)
        return fail(ACLNN_ERR_INNER_NULLPTR, "%s: there is no memory for the plan",
                    call->function->operation.name);
    *plan = (struct grouped_ranks_plan){.is_there = is_there(call),
                                        .permutes = form_number(call, PERMUTES, 0) != 0,
                                        .has_mm = has_mm(call),
                                        .experts = (uint64_t)part_view(call, WEIGHT)->shape[0],
                                        .sent = (uint64_t)sum_of(sent),
                                        .received = (uint64_t)sum_of(received)};
    TRY(find_group(call, GROUP_NAME, &plan->met));
    memcpy(plan->count, sent->value.int64, (size_t)sent->count * sizeof(int64_t));
    memcpy(plan->count + sent->count, received->value.int64, (size_t)sent->count * sizeof(int64_t));
    set_rows(&plan->own, call, false, plan->is_there ? ACL_FLOAT : part_view(call, Y)->dtype);
    if (plan->permutes)
        plan->permuted = port_of(call, part_at(call, PERMUTED), part_view(call, X)->dtype);
    if (plan->has_mm) {
        plan->mm_rows = (uint64_t)part_view(call, MM_X)->shape[0];
        set_rows(&plan->mm, call, true, ACL_FLOAT);
    }
    return finish_with_ranks(call, plan, bytes, 1);
}

/* Rows that are multiplied, by experts and then ranks; and bytes of a row on its way. */
static uint64_t rows_multiplied(const struct grouped_ranks_plan *plan)
{
    return plan->is_there ? plan->received : plan->sent;
}

static uint64_t bytes_moved(const struct grouped_ranks_plan *plan)
{
    return plan->is_there ? plan->own.row_bytes : plan->own.product.columns * plan->own.y.carried_bytes;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct rooms {
    unsigned char *left, *from, *to;
    float *sums;
    struct group_part *sends, *receives;
    void *product;
};

static size_t set_rooms(const struct grouped_ranks_plan *plan, void *scratch, struct rooms *rooms)
{
    const uint64_t rows = rows_multiplied(plan), ranks = plan->met.place.rank_count;
    const size_t own = product_bytes(&plan->own.product),
                 other = plan->has_mm ? product_bytes(&plan->mm.product) : 0;
    size_t used = 0;
    rooms->left = take_room(scratch, &used,
                            most_of(lines_of_rows(rows, plan->own.row_bytes, 1),
                                    lines_of_rows(plan->mm_rows, plan->mm.row_bytes, 1)));
    rooms->sums = take_room(scratch, &used,
                            most_of(lines_of_rows(rows, plan->own.product.columns, sizeof(float)),
                                    lines_of_rows(plan->mm_rows, plan->mm.product.columns, sizeof(float))));
    rooms->from = take_room(scratch, &used, lines_of_rows(plan->sent, bytes_moved(plan), 1));
    rooms->to = take_room(scratch, &used, lines_of_rows(plan->received, bytes_moved(plan), 1));
    rooms->sends = take_room(scratch, &used, (size_t)ranks * sizeof *rooms->sends);
    rooms->receives = take_room(scratch, &used, (size_t)ranks * sizeof *rooms->receives);
    rooms->product = take_room(scratch, &used, lines_of(most_of(own, other), 1));
    return used;
}

static size_t work_bytes(const void *prepared)
{
    struct rooms rooms;
    static unsigned char nothing[1];
    return set_rooms(prepared, nothing, &rooms);
}

/* Between the order of ranks and then experts, and that of experts and then ranks, by counts of the first. */
static void reorder(const struct grouped_ranks_plan *plan, const int64_t *count, uint64_t row_bytes,
                    unsigned char *by_rank, unsigned char *by_expert, bool is_to_expert)
{
    const uint32_t ranks = plan->met.place.rank_count;
    for (uint64_t expert = 0; expert < plan->experts; expert++) {
        uint64_t at = 0;
        for (uint32_t rank = 0; rank < ranks; rank++)
            for (uint64_t other = 0; other < plan->experts; other++) {
                const uint64_t bytes = (uint64_t)count[rank * plan->experts + other] * row_bytes;
                if (other == expert && bytes > 0) {
                    memcpy(is_to_expert ? by_expert : by_rank + at, is_to_expert ? by_rank + at : by_expert,
                           (size_t)bytes);
                    by_expert += bytes;
                }
                at += bytes;
            }
    }
}

static int exchange(const struct grouped_ranks_plan *plan, const struct rooms *rooms)
{
    const uint32_t ranks = plan->met.place.rank_count;
    const uint64_t bytes = bytes_moved(plan);
    uint64_t gone = 0, come = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct group_part *sends = &rooms->sends[rank], *receives = &rooms->receives[rank];
        sends->offset = gone, receives->offset = come;
        for (uint64_t i = rank * plan->experts; i < (rank + 1) * plan->experts; i++) {
            gone += (uint64_t)plan->count[i] * bytes;
            come += (uint64_t)plan->count[ranks * plan->experts + i] * bytes;
        }
        sends->bytes = gone - sends->offset, receives->bytes = come - receives->offset;
    }
    return group_exchange(&(struct group_exchange){.kind = plan->is_there ? GROUP_ALL_TO_ALL_GROUPED_MATMUL
                                                                          : GROUP_GROUPED_MATMUL_ALL_TO_ALL,
                                                   .dtype = plan->own.product.dtype,
                                                   .count = bytes,
                                                   .reads = rooms->from,
                                                   .writes = rooms->to,
                                                   .sends = rooms->sends,
                                                   .receives = rooms->receives});
}

/* Rows as they are multiplied. */
static void bring(const struct rows *rows, void *const *address, uint64_t count, unsigned char *to)
{
    const uint64_t depth = rows->product.depth;
    if (rows->scales == 0)
        port_bring(&rows->x, address, 0, count * depth, to);
    for (uint64_t row = 0; rows->scales > 0 && row < count; row++, to += rows->row_bytes) {
        memset(to + depth, 0, (size_t)(rows->product.scales_at - depth));
        port_bring(&rows->x, address, row * depth, depth, to);
        port_bring(&rows->scale, address, rows->has_one_scale ? 0 : row * rows->scales, rows->scales,
                   to + rows->product.scales_at);
    }
}

static void multiply(const struct rows *rows, void *const *address, uint64_t expert,
                     const unsigned char *left, uint64_t count, float *sums, void *room)
{
    struct rank_product product = rows->product;
    product.column_scale.first += (int64_t)expert * rows->scale_step;
    product_run(&product, address, left, NULL, 0, count, (int64_t)expert * rows->step, sums, room);
}

static void multiply_experts(const struct grouped_ranks_plan *plan, void *const *address,
                             const struct rooms *rooms)
{
    const uint32_t ranks = plan->met.place.rank_count;
    const int64_t *count = plan->count + (plan->is_there ? ranks * plan->experts : 0);
    uint64_t row = 0;
    for (uint64_t expert = 0; expert < plan->experts; expert++) {
        uint64_t rows = 0;
        for (uint32_t rank = 0; rank < ranks; rank++)
            rows += (uint64_t)count[rank * plan->experts + expert];
        multiply(&plan->own, address, expert, rooms->left + row * plan->own.row_bytes, rows,
                 rooms->sums + row * plan->own.product.columns, rooms->product);
        row += rows;
    }
}

static int go_there(const struct grouped_ranks_plan *plan, void *const *address, const struct rooms *rooms)
{
    const struct rows *own = &plan->own;
    const uint64_t depth = own->product.depth, rows = plan->received;
    bring(own, address, plan->sent, rooms->from);
    const int status = exchange(plan, rooms);
    if (status != 0)
        return status;
    reorder(plan, plan->count + plan->met.place.rank_count * plan->experts, own->row_bytes, rooms->to,
            rooms->left, true);
    multiply_experts(plan, address, rooms);
    port_deliver(&own->y, address, 0, rows * own->product.columns, rooms->sums);
    for (uint64_t row = 0; plan->permutes && row < rows; row++)
        port_deliver(&plan->permuted, address, row * depth, depth, rooms->left + row * own->row_bytes);
    return 0;
}

static int come_back(const struct grouped_ranks_plan *plan, void *const *address, const struct rooms *rooms)
{
    const struct rows *own = &plan->own;
    const uint64_t columns = own->product.columns, count = plan->sent * columns;
    unsigned char *rounded = (unsigned char *)rooms->sums; /* each is written behind what is read still */
    bring(own, address, plan->sent, rooms->left);
    multiply_experts(plan, address, rooms);
    for (uint64_t at = 0; at < count; at += EXPERTS_PIECE) {
        float some[EXPERTS_PIECE] __attribute__((uninitialized));
        const uint64_t some_count = count - at < EXPERTS_PIECE ? count - at : EXPERTS_PIECE;
        memcpy(some, rooms->sums + at, (size_t)some_count * sizeof(float));
        transfer_convert(own->y.transfer, some, ACL_FLOAT, rounded + at * own->y.carried_bytes,
                         own->y.carried, some_count);
    }
    reorder(plan, plan->count, columns * own->y.carried_bytes, rooms->from, rounded, false);
    const int status = exchange(plan, rooms);
    if (status == 0)
        port_deliver(&own->y, address, 0, plan->received * columns, rooms->to);
    return status;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct grouped_ranks_plan *plan = prepared;
    const struct rows *mm = &plan->mm;
    struct rooms rooms;
    (void)set_rooms(plan, scratch, &rooms);
    const int status = plan->is_there ? go_there(plan, address, &rooms) : come_back(plan, address, &rooms);
    if (status != 0 || !plan->has_mm)
        return status;
    bring(mm, address, plan->mm_rows, rooms.left);
    multiply(mm, address, 0, rooms.left, plan->mm_rows, rooms.sums, rooms.product);
    port_deliver(&mm->y, address, 0, plan->mm_rows * mm->product.columns, rooms.sums);
    return 0;
}

#define EXCHANGES(form_)                                                                                     \
    .promise = &promise_sum, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, .operation.run = run, \
    .infer = infer, .plan = plan
FUNCTION_OF(aclnnAlltoAllvGroupedMatMul, THERE, .stem = "allto_allv_grouped_mat_mul", EXCHANGES(form_there));
FUNCTION_OF(aclnnAlltoAllvGroupedMatMulV2, THERE_V2, .stem = "allto_allv_grouped_mat_mul_v2",
            EXCHANGES(form_there_v2));
FUNCTION_OF(aclnnGroupedMatMulAlltoAllv, BACK, .stem = "grouped_mat_mul_allto_allv", EXCHANGES(form_back));
FUNCTION_OF(aclnnGroupedMatMulAlltoAllvV2, BACK_V2, .stem = "grouped_mat_mul_allto_allv_v2",
            EXCHANGES(form_back_v2));
FUNCTION_OF(aclnnAlltoAllvQuantGroupedMatMul, QUANT_THERE, .stem = "allto_allv_quant_grouped_mat_mul",
            EXCHANGES(form_quant_there));
FUNCTION_OF(aclnnAlltoAllvQuantGroupedMatMulV2, QUANT_THERE_V2, .stem = "allto_allv_quant_grouped_mat_mul_v2",
            EXCHANGES(form_quant_there_v2));
FUNCTION_OF(aclnnQuantGroupedMatMulAlltoAllv, QUANT_BACK, .stem = "quant_grouped_mat_mul_allto_allv",
            EXCHANGES(form_quant_back));
FUNCTION_OF(aclnnQuantGroupedMatMulAlltoAllvV2, QUANT_BACK_V2, .stem = "quant_grouped_mat_mul_allto_allv_v2",
            EXCHANGES(form_quant_back_v2));
