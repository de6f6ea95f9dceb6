/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows to the experts of other ranks and their products there, and products of experts whose rows go back.
 * Counts are a number for each rank and expert of one rank, rank by rank, as many on all ranks.
 */
#include "aclnnop/aclnn_allto_allv_grouped_mat_mul.h"
#include "aclnnop/aclnn_allto_allv_grouped_mat_mul_v2.h"
#include "aclnnop/aclnn_grouped_mat_mul_allto_allv.h"
#include "aclnnop/aclnn_grouped_mat_mul_allto_allv_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/memory_product.h"
#include "ops/signature.h"
#include "ops/with_ranks/with_ranks.h"

enum { X, WEIGHT, MM_X, MM_WEIGHT, Y, MM_Y, PERMUTED };
enum { GROUP_NAME, WORLD, SENT, RECEIVED, TURNS, MM_TURNS, PERMUTES };

#define GROUPED(X, of)                                                                           \
    X(of, IN, gmmX, &dtypes_fp16_bf16, .sample = "3x4:FLOAT16")                                  \
    X(of, IN, gmmWeight, &dtypes_fp16_bf16, .sample = "2x4x3:FLOAT16")                           \
    X(of, IN, sendCountsTensorOptional, &dtypes_int32_int64, .is_optional = true, .sample = "")  \
    X(of, IN, recvCountsTensorOptional, &dtypes_int32_int64, .is_optional = true, .sample = "")  \
    X(of, IN, mmXOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "2x4:FLOAT16")      \
    X(of, IN, mmWeightOptional, &dtypes_fp16_bf16, .is_optional = true, .sample = "4x3:FLOAT16") \
    GROUP(X, of, group)
#define COUNTED(X, of)                            \
    X(of, INT64, epWorldSize, .usual = "1")       \
    X(of, INTS, sendCounts, .sample = "1,2")      \
    X(of, INTS, recvCounts, .sample = "1,2")      \
    X(of, BOOL, transGmmWeight, .usual = "false") \
    X(of, BOOL, transMmWeight, .usual = "false")
#define THERE_OUT(X, of)                                            \
    X(of, BOOL, permuteOutFlag, .usual = "true")                    \
    X(of, OUT, gmmY, &dtypes_fp16_bf16)                             \
    X(of, OUT, mmYOptional, &dtypes_fp16_bf16, .is_optional = true) \
    X(of, OUT, permuteOutOptional, &dtypes_fp16_bf16, .is_optional = true)
#define BACK_OUT(X, of)              \
    X(of, OUT, y, &dtypes_fp16_bf16) \
    X(of, OUT, mmYOptional, &dtypes_fp16_bf16, .is_optional = true)
#define THERE(X, of)    GROUPED(X, of) COUNTED(X, of) THERE_OUT(X, of)
#define THERE_V2(X, of) GROUPED(X, of) COMM_MODE(X, of) COUNTED(X, of) THERE_OUT(X, of)
#define BACK(X, of)     GROUPED(X, of) COUNTED(X, of) BACK_OUT(X, of)
#define BACK_V2(X, of)  GROUPED(X, of) COMM_MODE(X, of) COUNTED(X, of) BACK_OUT(X, of)
SIGNATURE(THERE)
SIGNATURE(THERE_V2)
SIGNATURE(BACK)
SIGNATURE(BACK_V2)

#define PARTS_OF(of)                                                                   \
    [X] = AT(of##_gmmX), [WEIGHT] = AT(of##_gmmWeight), [MM_X] = AT(of##_mmXOptional), \
    [MM_WEIGHT] = AT(of##_mmWeightOptional), [MM_Y] = AT(of##_mmYOptional)
#define NUMBERS_OF(of)                                                                           \
    [GROUP_NAME] = AT(of##_group), [WORLD] = AT(of##_epWorldSize), [SENT] = AT(of##_sendCounts), \
    [RECEIVED] = AT(of##_recvCounts), [TURNS] = AT(of##_transGmmWeight), [MM_TURNS] = AT(of##_transMmWeight)
#define THERE_OF(of)                                                                                \
    {                                                                                               \
        {PARTS_OF(of), [Y] = AT(of##_gmmY), [PERMUTED] = AT(of##_permuteOutOptional)},              \
            {NUMBERS_OF(of), [PERMUTES] = AT(of##_permuteOutFlag)}, GROUP_ALL_TO_ALL_GROUPED_MATMUL \
    }
#define BACK_OF(of)                                                                         \
    {                                                                                       \
        {PARTS_OF(of), [Y] = AT(of##_y)}, {NUMBERS_OF(of)}, GROUP_GROUPED_MATMUL_ALL_TO_ALL \
    }
static const struct form form_there = THERE_OF(THERE);
static const struct form form_there_v2 = THERE_OF(THERE_V2);
static const struct form form_back = BACK_OF(BACK);
static const struct form form_back_v2 = BACK_OF(BACK_V2);

struct grouped_ranks_plan {
    struct met met;
    bool is_there, permutes, has_mm;
    uint64_t experts, width, sent, received, mm_rows; /* sums of counts */
    int64_t step;                                     /* from weight to weight, in elements */
    struct rank_product product, mm;
    struct port x, y, permuted, mm_x, mm_y;
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

static aclnnStatus check_mm(const struct call *call)
{
    const bool turns = form_number(call, MM_TURNS, 0) != 0;
    if (part_given(call, MM_X) != part_given(call, MM_WEIGHT))
        return refuse(call, "one of mmXOptional and mmWeightOptional is NULL; both are expected, or none");
    if (!has_mm(call))
        return ACLNN_SUCCESS;
    TRY(check_same_dtype(call, part_at(call, MM_X), part_at(call, X), NULL));
    TRY(check_same_dtype(call, part_at(call, MM_WEIGHT), part_at(call, X), NULL));
    TRY(check_dims(call, MM_X, 2, -1, -1));
    const int64_t depth = part_view(call, MM_X)->shape[1];
    TRY(check_dims(call, MM_WEIGHT, 2, turns ? -1 : depth, turns ? depth : -1));
    return call->has_outputs ? check_part_given(call, MM_Y, "mmXOptional") : ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    const struct tensor_view *x = part_view(call, X), *weight = part_view(call, WEIGHT);
    const bool turns = form_number(call, TURNS, 0) != 0, permutes = form_number(call, PERMUTES, 0) != 0;
    TRY(check_tensors(call));
    TRY(check_same_dtype(call, part_at(call, WEIGHT), part_at(call, X), NULL));
    TRY(check_dims(call, X, 2, -1, -1));
    if (weight->rank != 3 || weight->shape[turns ? 2 : 1] != x->shape[1])
        return refuse(call,
                      "gmmWeight has shape %s; [experts, %s] with %" PRId64 " in place of k is expected",
                      shape_text(TEXT, weight), turns ? "n, k" : "k, n", x->shape[1]);
    TRY(find_group(call, GROUP_NAME, &met));
    TRY(check_ranks(call, WORLD, &met));
    const int64_t slots = weight->shape[0] * met.place.rank_count, columns = weight->shape[turns ? 1 : 2];
    TRY(check_counts(call, SENT, x->shape[0], slots));
    TRY(check_counts(call, RECEIVED, -1, slots));
    TRY(check_mm(call));
    if (call->has_outputs && permutes)
        TRY(check_part_given(call, PERMUTED, "permuteOutFlag"));
    const int64_t received = sum_of(counts_of(call, RECEIVED));
    result->computed = x->dtype;
    add_dims(result, x->dtype, 2, received, columns, 0);
    const struct tensor_view *other = has_mm(call) ? part_view(call, MM_WEIGHT) : weight;
    add_dims(result, x->dtype, 2, has_mm(call) ? part_view(call, MM_X)->shape[0] : 0,
             has_mm(call) ? other->shape[form_number(call, MM_TURNS, 0) != 0 ? 0 : 1] : 0, 0)
        ->is_unwanted = !has_mm(call);
    if (is_there(call))
        add_dims(result, x->dtype, 2, received, x->shape[1], 0)->is_unwanted = !permutes;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = part_view(call, X), *weight = part_view(call, WEIGHT);
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
                                        .experts = (uint64_t)weight->shape[0],
                                        .width = (uint64_t)x->shape[1],
                                        .sent = (uint64_t)sum_of(sent),
                                        .received = (uint64_t)sum_of(received),
                                        .step = weight->stride[0]};
    TRY(find_group(call, GROUP_NAME, &plan->met));
    memcpy(plan->count, sent->value.int64, (size_t)sent->count * sizeof(int64_t));
    memcpy(plan->count + sent->count, received->value.int64, (size_t)sent->count * sizeof(int64_t));
    set_product(&plan->product, call, x->dtype, part_at(call, WEIGHT), form_number(call, TURNS, 0) != 0);
    plan->x = port_of(call, part_at(call, X), x->dtype);
    plan->y = port_of(call, part_at(call, Y), plan->is_there ? ACL_FLOAT : x->dtype);
    if (plan->permutes)
        plan->permuted = port_of(call, part_at(call, PERMUTED), x->dtype);
    if (plan->has_mm) {
        plan->mm_rows = (uint64_t)part_view(call, MM_X)->shape[0];
        set_product(&plan->mm, call, x->dtype, part_at(call, MM_WEIGHT), form_number(call, MM_TURNS, 0) != 0);
        plan->mm_x = port_of(call, part_at(call, MM_X), x->dtype);
        plan->mm_y = port_of(call, part_at(call, MM_Y), ACL_FLOAT);
    }
    return finish_with_ranks(call, plan, bytes, 1);
}

/* Rows that are multiplied, by experts and then ranks; and elements of a row on its way. */
static uint64_t rows_multiplied(const struct grouped_ranks_plan *plan)
{
    return plan->is_there ? plan->received : plan->sent;
}

static uint64_t row_moved(const struct grouped_ranks_plan *plan)
{
    return plan->is_there ? plan->width : plan->product.columns;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static size_t work_bytes(const void *prepared)
{
    const struct grouped_ranks_plan *plan = prepared;
    const uint64_t rows = rows_multiplied(plan);
    const uint64_t sums = most_of(rows * plan->product.columns, plan->mm_rows * plan->mm.columns);
    const size_t own = product_bytes(&plan->product), other = plan->has_mm ? product_bytes(&plan->mm) : 0;
    return whole_lines((size_t)most_of(rows * plan->width, plan->mm_rows * plan->mm.depth) * 2) +
           whole_lines((size_t)sums * sizeof(float)) +
           whole_lines((size_t)(plan->sent * row_moved(plan)) * 2) +
           whole_lines((size_t)(plan->received * row_moved(plan)) * 2) +
           2 * whole_lines(plan->met.place.rank_count * sizeof(struct group_part)) +
           (own > other ? own : other);
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

static int exchange(const struct grouped_ranks_plan *plan, unsigned char *from, unsigned char *to,
                    struct group_part *sends, struct group_part *receives)
{
    const uint32_t ranks = plan->met.place.rank_count;
    const uint64_t bytes = row_moved(plan) * 2;
    uint64_t gone = 0, come = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        sends[rank].offset = gone, receives[rank].offset = come;
        for (uint64_t i = rank * plan->experts; i < (rank + 1) * plan->experts; i++) {
            gone += (uint64_t)plan->count[i] * bytes;
            come += (uint64_t)plan->count[ranks * plan->experts + i] * bytes;
        }
        sends[rank].bytes = gone - sends[rank].offset, receives[rank].bytes = come - receives[rank].offset;
    }
    return group_exchange(&(struct group_exchange){.kind = plan->is_there ? GROUP_ALL_TO_ALL_GROUPED_MATMUL
                                                                          : GROUP_GROUPED_MATMUL_ALL_TO_ALL,
                                                   .dtype = plan->product.dtype,
                                                   .count = row_moved(plan),
                                                   .reads = from,
                                                   .writes = to,
                                                   .sends = sends,
                                                   .receives = receives});
}

static void multiply(const struct grouped_ranks_plan *plan, void *const *address, const int64_t *count,
                     const unsigned char *left, float *sums, void *room)
{
    uint64_t row = 0;
    for (uint64_t expert = 0; expert < plan->experts; expert++) {
        uint64_t rows = 0;
        for (uint32_t rank = 0; rank < plan->met.place.rank_count; rank++)
            rows += (uint64_t)count[rank * plan->experts + expert];
        product_run(&plan->product, address, left + row * plan->width * 2, NULL, 0, rows,
                    (int64_t)expert * plan->step, sums + row * plan->product.columns, room);
        row += rows;
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct grouped_ranks_plan *plan = prepared;
    const uint32_t ranks = plan->met.place.rank_count;
    const uint64_t rows = rows_multiplied(plan), columns = plan->product.columns;
    const int64_t *count = plan->count + (plan->is_there ? ranks * plan->experts : 0);
    size_t used = 0;
    unsigned char *left =
        take_room(scratch, &used, (size_t)most_of(rows * plan->width, plan->mm_rows * plan->mm.depth) * 2);
    float *sums = take_room(
        scratch, &used, (size_t)most_of(rows * columns, plan->mm_rows * plan->mm.columns) * sizeof(float));
    unsigned char *from = take_room(scratch, &used, (size_t)(plan->sent * row_moved(plan)) * 2),
                  *to = take_room(scratch, &used, (size_t)(plan->received * row_moved(plan)) * 2);
    struct group_part *sends = take_room(scratch, &used, ranks * sizeof *sends),
                      *receives = take_room(scratch, &used, ranks * sizeof *receives);
    void *room = take_room(scratch, &used, 0);
    int status = 0;
    port_bring(&plan->x, address, 0, plan->sent * plan->width, plan->is_there ? from : left);
    if (plan->is_there) {
        status = exchange(plan, from, to, sends, receives);
        if (status != 0)
            return status;
        reorder(plan, count, plan->width * 2, to, left, true);
    }
    multiply(plan, address, count, left, sums, room);
    if (plan->is_there) {
        port_deliver(&plan->y, address, 0, rows * columns, sums);
        if (plan->permutes)
            port_deliver(&plan->permuted, address, 0, rows * plan->width, left);
    } else {
        unsigned char *rounded = (unsigned char *)sums; /* each is written behind what is read still */
        for (uint64_t at = 0; at < rows * columns; at += EXPERTS_PIECE) {
            float some[EXPERTS_PIECE] __attribute__((uninitialized));
            const uint64_t some_count =
                rows * columns - at < EXPERTS_PIECE ? rows * columns - at : EXPERTS_PIECE;
            memcpy(some, sums + at, (size_t)some_count * sizeof(float));
            plan->y.transfer->convert(some, ACL_FLOAT, rounded + at * 2, plan->product.dtype,
                                      (size_t)some_count);
        }
        reorder(plan, count, columns * 2, from, rounded, false);
        status = exchange(plan, from, to, sends, receives);
        if (status != 0)
            return status;
        port_deliver(&plan->y, address, 0, plan->received * columns, to);
    }
    if (plan->has_mm) {
        port_bring(&plan->mm_x, address, 0, plan->mm_rows * plan->mm.depth, left);
        product_run(&plan->mm, address, left, NULL, 0, plan->mm_rows, 0, sums, room);
        port_deliver(&plan->mm_y, address, 0, plan->mm_rows * plan->mm.columns, sums);
    }
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
