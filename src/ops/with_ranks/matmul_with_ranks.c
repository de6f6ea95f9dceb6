/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products before or after a collective: of rows that are gathered first, and of sums over ranks, of which
 * each gets all or its part. What ranks add up is FLOAT, as a product is summed, and is added in DOUBLE in the
 * order of ranks, rounded to FLOAT and then to the dtype of the output. With scales for their way they are INT8
 * there, once for the sum and once for what comes of it. A weight of whole numbers becomes FLOAT by its scales
 * first.
 */
#include "ops/with_ranks/matmul_forms.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/memory_product.h"
#include "ops/contraction/quantised.h"
#include "ops/loops/tasks.h"
#include "ops/quantise/number.h"

struct matmul_plan {
    struct met met;
    enum group_kind kind;
    uint64_t rows; /* of x1 */
    bool has_gathered;
    struct rank_product product;
    bool has_way;
    struct factors way_scale, sum_scale; /* of columns, for INT8 on the way to the sum and behind it */
    struct port x1, out, gathered;
};

static bool gathers(const struct call *call)
{
    return form_of(call)->choice == GROUP_ALL_GATHER_MATMUL;
}

static int64_t rows_of(const struct tensor_view *x1)
{
    return x1->rank == 3 ? x1->shape[0] * x1->shape[1] : x1->shape[0];
}

static aclnnStatus check_scale(const struct call *call, unsigned part, int64_t count)
{
    if (!part_has_elements(call, part))
        return ACLNN_SUCCESS;
    const struct tensor_view *scale = part_view(call, part);
    if ((scale->count == 1 || scale->count == count) && scale->rank <= 2)
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; 1 element or %" PRId64 " are expected",
                  call_name(call, part_at(call, part)), shape_text(TEXT, scale), count);
}

/* Rows of floats by a weight of whole numbers. */
static bool is_by_whole(const struct call *call)
{
    return form_of(call)->tensor[WEIGHT_SCALE] > 0;
}

static int64_t columns_of(const struct call *call)
{
    struct numbers numbers;
    if (!is_by_whole(call))
        return part_view(call, X2)->shape[1];
    return matrix_of_numbers(part_view(call, X2), false, 0, &numbers) ? numbers.size[1] : 0;
}

static int64_t depth_of(const struct call *call)
{
    const struct tensor_view *x1 = part_view(call, X1);
    return x1->shape[x1->rank - 1];
}

/* A scale, or an offset, of the weight. */
static aclnnStatus check_weight_factor(const struct call *call, unsigned part)
{
    const struct tensor_view *view = part_view(call, part);
    const int64_t columns = columns_of(call),
                  parts = quantised_groups(form_number(call, WEIGHT_GROUP, 0), depth_of(call));
    TRY(check_same_dtype(call, part_at(call, part), part_at(call, X1), NULL));
    if (quantised_factor_fits(view, parts, columns))
        return ACLNN_SUCCESS;
    return refuse(call,
                  "%s has shape %s; one element, %" PRId64 " or (%" PRId64 ", %" PRId64 ") are expected",
                  call_name(call, part_at(call, part)), shape_text(TEXT, view), columns, parts, columns);
}

static aclnnStatus check_weight(const struct call *call)
{
    const struct tensor_view *x2 = part_view(call, X2);
    struct numbers numbers;
    if (form_number(call, WEIGHT_GROUP, 0) < 0)
        return refuse(call, "antiquantGroupSize is %" PRId64 "; 0 or more is expected",
                      form_number(call, WEIGHT_GROUP, 0));
    if (!matrix_of_numbers(x2, false, 0, &numbers) || x2->rank != 2 || numbers.size[0] != depth_of(call))
        return refuse(call, "x2 has shape %s; (%" PRId64 ", columns) is expected", shape_text(TEXT, x2),
                      depth_of(call));
    TRY(check_weight_factor(call, WEIGHT_SCALE));
    return part_has_elements(call, WEIGHT_OFFSET) ? check_weight_factor(call, WEIGHT_OFFSET) : ACLNN_SUCCESS;
}

static aclnnStatus check_operands(const struct call *call)
{
    const struct tensor_view *x1 = part_view(call, X1);
    const bool is_whole = x1->dtype == ACL_INT8,
               takes_three = form_of(call)->choice == GROUP_MATMUL_ALL_REDUCE;
    for (unsigned part = X1; part < INPUTS; part++)
        TRY(part_has_elements(call, part) || part <= X2 ? check_part(call, part) : ACLNN_SUCCESS);
    for (unsigned part = GATHERED; call->has_outputs && part <= AMAX; part++)
        TRY(check_part(call, part));
    if (!is_by_whole(call))
        TRY(check_same_dtype(call, part_at(call, X2), part_at(call, X1), NULL));
    if (x1->rank != 2 && !(takes_three && x1->rank == 3))
        return refuse(call, "x1 has %u dims; 2%s are expected", x1->rank, takes_three ? " or 3" : "");
    TRY(is_by_whole(call) ? check_weight(call) : check_dims(call, X2, 2, x1->shape[x1->rank - 1], -1));
    const int64_t columns = columns_of(call);
    if (part_has_elements(call, BIAS)) {
        TRY(check_dims(call, BIAS, 1, columns, 0));
        if (!is_whole)
            TRY(check_same_dtype(call, part_at(call, BIAS), part_at(call, X1), NULL));
    }
    if (part_has_elements(call, X3)) {
        const struct tensor_view *x3 = part_view(call, X3);
        if (is_whole && call->has_outputs)
            TRY(check_part(call, OUT));
        if (!is_whole || call->has_outputs)
            TRY(check_same_dtype(call, part_at(call, X3), part_at(call, is_whole ? OUT : X1), NULL));
        if (x3->count != rows_of(x1) * columns || x3->rank < 2 || x3->shape[x3->rank - 1] != columns)
            return refuse(call, "x3 has shape %s; that of output is expected", shape_text(TEXT, x3));
    }
    if (part_has_elements(call, WAY_SCALE) != part_has_elements(call, SUM_SCALE))
        return refuse(call, "commQuantScale1 and commQuantScale2 are expected together");
    TRY(check_scale(call, WAY_SCALE, columns));
    TRY(check_scale(call, SUM_SCALE, columns));
    if (form_number(call, WAY_MODE, 0) != 0)
        return refuse(call, "commQuantMode is %" PRId64 "; 0 is expected", form_number(call, WAY_MODE, 0));
    for (unsigned part = X1_SCALE; part <= QUANT_SCALE; part++)
        if (part_has_elements(call, part) && (!is_whole || part == QUANT_SCALE))
            return refuse(call, "%s is given; NULL is expected%s", call_name(call, part_at(call, part)),
                          part == QUANT_SCALE ? "" : " unless x1 is INT8");
    TRY(is_whole && !part_has_elements(call, X2_SCALE) ? check_part_given(call, X2_SCALE, "x1 of INT8")
                                                       : ACLNN_SUCCESS);
    TRY(check_scale(call, X1_SCALE, rows_of(x1)));
    return check_scale(call, X2_SCALE, columns);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct met met;
    const struct tensor_view *x1 = part_view(call, X1);
    TRY(check_operands(call));
    if (form_of(call)->number[REDUCTION] > 0)
        TRY(check_reduction(call, REDUCTION));
    if (gathers(call) && form_number(call, GATHER_INDEX, 0) != 0)
        return refuse(call, "gatherIndex is %" PRId64 "; 0, to gather x1, is expected",
                      form_number(call, GATHER_INDEX, 0));
    TRY(find_group(call, GROUP_NAME, &met));
    const int64_t ranks = met.place.rank_count, columns = columns_of(call);
    if (form_of(call)->choice == GROUP_MATMUL_REDUCE_SCATTER && x1->shape[0] % ranks != 0)
        return refuse(call,
                      "x1 has %" PRId64 " rows; a multiple of the ranks of group, %" PRId64 ", is expected",
                      x1->shape[0], ranks);
    result->computed = x1->dtype;
    const aclDataType dtype = x1->dtype != ACL_INT8 ? x1->dtype
                              : call->has_outputs   ? part_view(call, OUT)->dtype
                                                    : ACL_FLOAT16;
    if (form_of(call)->choice == GROUP_MATMUL_ALL_REDUCE)
        add_dims(result, dtype, x1->rank, x1->shape[0], x1->rank == 3 ? x1->shape[1] : columns, columns);
    else
        add_dims(result, dtype, 2, gathers(call) ? x1->shape[0] * ranks : x1->shape[0] / ranks, columns, 0);
    if (gathers(call))
        add_dims(result, x1->dtype, 2, x1->shape[0] * ranks, x1->shape[1], 0)->is_unwanted =
            call->has_outputs && !part_has_elements(call, GATHERED);
    if (form_of(call)->tensor[AMAX] > 0)
        add_dims(result, ACL_FLOAT, 1, 1, 0, 0)->is_unwanted = true;
    return ACLNN_SUCCESS;
}

/* Scales of rows that other ranks have come with the rows. */
static bool sends_scales(const struct matmul_plan *plan)
{
    return plan->kind == GROUP_ALL_GATHER_MATMUL && plan->product.has_row_scale;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x1 = part_view(call, X1);
    struct matmul_plan plan = {.kind = (enum group_kind)form_of(call)->choice, .rows = (uint64_t)rows_of(x1)};
    struct rank_product *product = &plan.product;
    (void)result;
    TRY(find_group(call, GROUP_NAME, &plan.met));
    if (is_by_whole(call))
        set_made_product(product, call, x1->dtype, part_at(call, X2), part_at(call, WEIGHT_SCALE),
                         part_has_elements(call, WEIGHT_OFFSET) ? part_at(call, WEIGHT_OFFSET) : NO_PART,
                         (uint64_t)quantised_group(form_number(call, WEIGHT_GROUP, 0), depth_of(call)));
    else
        set_product(product, call, x1->dtype, part_at(call, X2), false);
    plan.x1 = port_of(call, part_at(call, X1), x1->dtype);
    plan.out = port_of(call, part_at(call, OUT), ACL_FLOAT);
    plan.has_gathered = gathers(call) && part_has_elements(call, GATHERED);
    if (plan.has_gathered)
        plan.gathered = port_of(call, part_at(call, GATHERED), x1->dtype);
    set_ends(product, call, part_has_elements(call, BIAS) ? part_at(call, BIAS) : NO_PART,
             part_has_elements(call, X2_SCALE) ? part_at(call, X2_SCALE) : NO_PART,
             part_has_elements(call, X1_SCALE) ? part_at(call, X1_SCALE) : NO_PART,
             part_has_elements(call, X3) ? part_at(call, X3) : NO_PART);
    plan.has_way = part_has_elements(call, WAY_SCALE);
    if (plan.has_way) {
        plan.way_scale = column_factors(call, part_at(call, WAY_SCALE));
        plan.sum_scale = column_factors(call, part_at(call, SUM_SCALE));
    }
    return finish_with_ranks(call, &plan, sizeof plan, sends_scales(&plan) ? 2 : 1);
}

static uint64_t ranks_of(const struct matmul_plan *plan)
{
    return plan->met.place.rank_count;
}

/* Ranks whose rows are multiplied here. */
static uint64_t ranks_multiplied(const struct matmul_plan *plan)
{
    return plan->kind == GROUP_ALL_GATHER_MATMUL ? ranks_of(plan) : 1;
}

static uint64_t rows_multiplied(const struct matmul_plan *plan)
{
    return plan->rows * ranks_multiplied(plan);
}

static size_t left_bytes(const struct matmul_plan *plan)
{
    return (size_t)(rows_multiplied(plan) * plan->product.depth) * dtype_bytes(plan->product.dtype);
}

static size_t work_bytes(const void *prepared)
{
    const struct matmul_plan *plan = prepared;
    const size_t rows = (size_t)rows_multiplied(plan);
    return lines_of(plan->rows * plan->product.depth,
                    ranks_multiplied(plan) * dtype_bytes(plan->product.dtype)) +
           lines_of_rows(rows, plan->product.columns, sizeof(float)) + lines_of(rows, sizeof(double)) +
           2 * whole_lines((size_t)ranks_of(plan) * sizeof(struct group_part)) +
           lines_of(product_bytes(&plan->product), 1);
}

/* Everybody's rows, of which the own ones are there; and then their scales. */
static int gather(const struct matmul_plan *plan, unsigned char *rows, aclDataType dtype, uint64_t bytes,
                  struct group_part *sends, struct group_part *receives)
{
    const uint32_t ranks = plan->met.place.rank_count, rank = plan->met.place.rank;
    line_up(receives, ranks, bytes);
    for (uint32_t i = 0; i < ranks; i++)
        sends[i] = (struct group_part){rank * bytes, bytes};
    return group_exchange(&(struct group_exchange){.kind = plan->kind,
                                                   .dtype = dtype,
                                                   .count = bytes / dtype_bytes(dtype),
                                                   .reads = rows,
                                                   .writes = rows,
                                                   .sends = sends,
                                                   .receives = receives});
}

/* The sums of all ranks, of each of whose parts one adds them up. */
static int reduce(const struct matmul_plan *plan, float *sums, struct group_part *sends)
{
    const uint32_t ranks = plan->met.place.rank_count;
    const uint64_t count = plan->rows * plan->product.columns;
    const bool scatters = plan->kind == GROUP_MATMUL_REDUCE_SCATTER;
    uint64_t first = 0;
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t own = count / ranks + (i < count % ranks);
        sends[i] = (struct group_part){first * sizeof(float), own * sizeof(float)};
        first += own;
    }
    float *to = scatters ? sums + sends[plan->met.place.rank].offset / sizeof(float) : sums;
    return group_exchange(&(struct group_exchange){.kind = plan->kind,
                                                   .dtype = ACL_FLOAT,
                                                   .sums = true,
                                                   .gathers = !scatters,
                                                   .count = count,
                                                   .reads = sums,
                                                   .writes = to,
                                                   .sends = sends,
                                                   .receives = sends});
}

struct way {
    const struct matmul_plan *plan;
    void *const *address;
    float *sums;
    bool is_summed;
};

/* A row as INT8 by the scales of columns, and behind the sum what INT8 makes of it again. */
static void round_row(void *context, uint64_t row)
{
    enum { PIECE = 512 };
    const struct way *way = context;
    const struct matmul_plan *plan = way->plan;
    const struct transfer *transfer = transfer_of(plan->product.isa);
    double first[PIECE], second[PIECE];
    for (uint64_t at = 0, some; at < plan->product.columns; at += some) {
        float *value = way->sums + row * plan->product.columns + at;
        some = plan->product.columns - at < PIECE ? plan->product.columns - at : PIECE;
        factors_read(&plan->way_scale, transfer, way->address, 0, at, some, first);
        factors_read(&plan->sum_scale, transfer, way->address, 0, at, some, second);
        for (uint64_t i = 0; i < some; i++)
            value[i] =
                !way->is_summed
                    ? (float)quantised_number((double)value[i] / first[i], 127)
                    : (float)(quantised_number((double)value[i] * first[i] / second[i], 127) * second[i]);
    }
}

static void round_for_the_way(const struct matmul_plan *plan, void *const *address, float *sums,
                              bool is_summed)
{
    struct way way = {plan, address, sums, is_summed};
    tasks_run(round_row, &way, plan->rows, 1, plan->rows * plan->product.columns);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct matmul_plan *plan = prepared;
    const struct rank_product *product = &plan->product;
    const bool is_gathered = plan->kind == GROUP_ALL_GATHER_MATMUL;
    const uint32_t ranks = plan->met.place.rank_count, rank = plan->met.place.rank;
    const uint64_t all = rows_multiplied(plan), own = left_bytes(plan) / (is_gathered ? ranks : 1);
    size_t used = 0;
    unsigned char *left = take_room(scratch, &used, left_bytes(plan));
    float *sums = take_room(scratch, &used, (size_t)(all * product->columns) * sizeof(float));
    double *scale = take_room(scratch, &used, (size_t)all * sizeof(double));
    struct group_part *sends = take_room(scratch, &used, ranks * sizeof *sends),
                      *receives = take_room(scratch, &used, ranks * sizeof *receives);
    void *room = take_room(scratch, &used, 0);
    int status = 0;
    port_bring(&plan->x1, address, 0, plan->rows * product->depth, left + (is_gathered ? rank * own : 0));
    if (is_gathered)
        status = gather(plan, left, product->dtype, own, sends, receives);
    if (status == 0 && product->has_row_scale)
        bring_row_scales(product, address, plan->rows, scale + (is_gathered ? rank * plan->rows : 0));
    if (status == 0 && sends_scales(plan))
        status =
            gather(plan, (unsigned char *)scale, ACL_FLOAT, plan->rows * sizeof(double), sends, receives);
    if (status != 0)
        return status;
    product_run(product, address, left, product->has_row_scale ? scale : NULL, 0, all, 0, sums, room);
    if (plan->has_way)
        round_for_the_way(plan, address, sums, false);
    if (!is_gathered)
        status = reduce(plan, sums, sends);
    if (status != 0)
        return status;
    if (plan->has_way)
        round_for_the_way(plan, address, sums, true);
    const bool scatters = plan->kind == GROUP_MATMUL_REDUCE_SCATTER;
    const uint64_t made = all * product->columns / (scatters ? ranks : 1);
    if (plan->has_gathered)
        port_deliver(&plan->gathered, address, 0, all * product->depth, left);
    port_deliver(&plan->out, address, 0, made, sums + (scatters ? rank * made : 0));
    return 0;
}

#define MULTIPLIES(form_)                                                                                    \
    .promise = &promise_sum, WITH_RANKS(&(form_)), .operation.work_bytes = work_bytes, .operation.run = run, \
    .infer = infer, .plan = plan

FUNCTION_OF(aclnnMatmulAllReduce, ALL_REDUCE_V1, .stem = "matmul_all_reduce", MULTIPLIES(form_all_reduce_v1));
FUNCTION_OF(aclnnMatmulAllReduceV2, ALL_REDUCE_V2, .stem = "matmul_all_reduce_v2",
            MULTIPLIES(form_all_reduce_v2));
FUNCTION_OF(aclnnMatmulAllReduceV3, ALL_REDUCE_V3, .stem = "matmul_all_reduce_v3",
            MULTIPLIES(form_all_reduce_v3));
FUNCTION_OF(aclnnQuantMatmulAllReduce, QUANT_V1, .stem = "quant_matmul_all_reduce",
            MULTIPLIES(form_quant_v1));
FUNCTION_OF(aclnnQuantMatmulAllReduceV2, QUANT_V2, .stem = "quant_matmul_all_reduce_v2",
            MULTIPLIES(form_quant_v2));
FUNCTION_OF(aclnnQuantMatmulAllReduceV3, QUANT_V3, .stem = "quant_matmul_all_reduce_v3",
            MULTIPLIES(form_quant_v3));
FUNCTION_OF(aclnnQuantMatmulAllReduceV4, QUANT_V4, .stem = "quant_matmul_all_reduce_v4",
            MULTIPLIES(form_quant_v4));
FUNCTION_OF(aclnnQuantMatmulAllReduceV5, QUANT_V5, .stem = "quant_matmul_all_reduce_v5",
            MULTIPLIES(form_quant_v5));
FUNCTION_OF(aclnnWeightQuantMatmulAllReduce, WEIGHT_V1, .stem = "weight_quant_matmul_all_reduce",
            MULTIPLIES(form_weight_v1));
FUNCTION_OF(aclnnWeightQuantMatmulAllReduceV2, WEIGHT_V2, .stem = "weight_quant_matmul_all_reduce_v2",
            MULTIPLIES(form_weight_v2));
FUNCTION_OF(aclnnAllGatherMatmul, GATHER, .stem = "all_gather_matmul", MULTIPLIES(form_gather));
FUNCTION_OF(aclnnAllGatherMatmulV2, GATHER_V2, .stem = "all_gather_matmul_v2", MULTIPLIES(form_gather_v2));
FUNCTION_OF(aclnnMatmulReduceScatter, SCATTER, .stem = "matmul_reduce_scatter", MULTIPLIES(form_scatter));
FUNCTION_OF(aclnnMatmulReduceScatterV2, SCATTER_V2, .stem = "matmul_reduce_scatter_v2",
            MULTIPLIES(form_scatter_v2));
