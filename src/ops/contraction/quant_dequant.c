/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of floats that become INT8 by rows: q = round(x smooth / xScale), out = (q @ weight^T) weightScale
 * xScale, by one weight or by those of groups. A scale of a row that is not given is its greatest size over
 * 127. Scales of 64 bits have xScale in them.
 */
#include "aclnnop/aclnn_quant_grouped_matmul_dequant.h"
#include "aclnnop/aclnn_quant_grouped_matmul_dequant_weight_nz.h"
#include "aclnnop/aclnn_quant_matmul_dequant.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/activation.h"
#include "ops/contraction/group_list.h"
#include "ops/contraction/scaled.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"

enum { ELEMENT_PS = 3000, PIECE = 512 };

#define SOME(X, of, name, set) X(of, IN, name, set, .is_optional = true, .sample = "")
#define BY(X, of, weight_, scale_)                           \
    X(of, IN, x, &dtypes_fp16_bf16, .sample = "3x4:FLOAT16") \
    X(of, IN, weight, &dtypes_int8, .sample = weight_)       \
    X(of, IN, weightScale, &dtypes_fp32_int64, .sample = scale_)
#define ROWS(X, of)                                     \
    SOME(X, of, biasOptional, &dtypes_all)              \
    SOME(X, of, xScaleOptional, &dtypes_fp32_fp16)      \
    SOME(X, of, xOffsetOptional, &dtypes_all)           \
    SOME(X, of, smoothScaleOptional, &dtypes_fp32_fp16) \
    X(of, TEXT, quantModeOptional, .is_optional = true) \
    X(of, BOOL, transposeWeight, .usual = "true")       \
    X(of, OUT, out, &dtypes_fp16_bf16)
#define ONE(X, of) BY(X, of, "5x4:INT8", "5") ROWS(X, of)
#define GROUPED(X, of)                                       \
    BY(X, of, "2x5x4:INT8", "2x5")                           \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64") \
    ROWS(X, of)
SIGNATURE(ONE)
SIGNATURE(GROUPED)

static bool is_grouped(const struct call *call)
{
    return call->function->parameter_count == GROUPED_out + 1;
}

/* The place of what stands behind the list of groups. */
static unsigned at(const struct call *call, unsigned place)
{
    return place + (is_grouped(call) ? 1 : 0);
}

static bool is_given(const struct call *call, unsigned place)
{
    return call_has_elements(call, at(call, place));
}

static int64_t groups_of(const struct call *call)
{
    const struct tensor_view *list = &call->tensor[GROUPED_groupList];
    return !is_grouped(call) ? 1 : list->rank > 0 ? list->shape[0] : 0;
}

/* Of weight, as the product takes it: columns of the result by the depth. */
static int64_t weight_dim(const struct call *call, unsigned side)
{
    const struct tensor_view *weight = &call->tensor[ONE_weight];
    const bool turns = !call->argument[at(call, ONE_transposeWeight)].boolean;
    return weight->shape[weight->rank - 2 + (turns ? 1 - side : side)];
}

static int64_t weight_stride(const struct call *call, unsigned side)
{
    const struct tensor_view *weight = &call->tensor[ONE_weight];
    const bool turns = !call->argument[at(call, ONE_transposeWeight)].boolean;
    return weight->stride[weight->rank - 2 + (turns ? 1 - side : side)];
}

static aclnnStatus check_rows(const struct call *call)
{
    const struct tensor_view *x = &call->tensor[ONE_x], *scale = &call->tensor[ONE_weightScale];
    const char *mode = call->argument[at(call, ONE_quantModeOptional)].string;
    const int64_t columns = weight_dim(call, 0), groups = groups_of(call);
    const bool has_groups = scale->rank == 2 && scale->shape[0] == groups;
    if (scale->rank < 1 || scale->shape[scale->rank - 1] != columns ||
        (is_grouped(call) ? !has_groups : scale->count != columns))
        return refuse(call,
                      "weightScale has shape %s; scales of %" PRId64 " columns for %" PRId64
                      " groups are expected",
                      shape_text(TEXT, scale), columns, groups);
    if (is_given(call, ONE_biasOptional) || is_given(call, ONE_xOffsetOptional))
        return refuse(call, "%s is given; NULL is expected",
                      call_name(call, at(call, is_given(call, ONE_biasOptional) ? ONE_biasOptional
                                                                                : ONE_xOffsetOptional)));
    if (mode != NULL && strcmp(mode, "pertoken") != 0 && strcmp(mode, "pertensor") != 0)
        return refuse(call, "quantModeOptional is \"%s\"; \"pertoken\" or \"pertensor\" is expected", mode);
    for (unsigned i = ONE_xScaleOptional; i <= ONE_smoothScaleOptional; i += 2) {
        const struct tensor_view *view = &call->tensor[at(call, i)];
        const int64_t count = i == ONE_xScaleOptional ? x->shape[0] : x->shape[1];
        if (!is_given(call, i))
            continue;
        TRY(check_dtype(call, at(call, i)));
        if (view->rank != 1 || (view->count != count && (i != ONE_xScaleOptional || view->count != 1)))
            return refuse(call, "%s has shape %s; [%" PRId64 "] is expected", call_name(call, at(call, i)),
                          shape_text(TEXT, view), count);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[ONE_x], *weight = &call->tensor[ONE_weight];
    for (unsigned i = ONE_x; i <= ONE_weightScale; i++)
        TRY(check_dtype(call, i));
    if (x->rank != 2 || weight->rank != (is_grouped(call) ? 3U : 2U))
        return refuse(call, "x has %u dims and weight %u; 2 and %d are expected", x->rank, weight->rank,
                      is_grouped(call) ? 3 : 2);
    if (is_grouped(call)) {
        TRY(group_list_check(call, GROUPED_groupList, GROUPS_CUMULATED, groups_of(call)));
        if (weight->shape[0] != groups_of(call))
            return refuse(call,
                          "weight has %" PRId64 " matrices; %" PRId64 ", one for each group, are expected",
                          weight->shape[0], groups_of(call));
    }
    if (x->shape[1] != weight_dim(call, 1))
        return refuse(call,
                      "x has %" PRId64 " columns, and the sums of weight run along %" PRId64
                      " elements; as many are expected",
                      x->shape[1], weight_dim(call, 1));
    TRY(check_rows(call));
    result->computed = x->dtype;
    struct output *output = result_add(result, x->dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 2, .dim = {x->shape[0], weight_dim(call, 0)}};
    return ACLNN_SUCCESS;
}

enum { ADDRESSES = 12, NUMBERS = ADDRESSES - 2, SCALES = ADDRESSES - 1 };

struct dequant_plan {
    struct scaled scaled;
    struct scaled_product product; /* of the first group */
    struct target out;
    struct group_list list;
    struct port x, smooth, scale;
    bool is_grouped, has_smooth, has_scale, has_one_scale;
    uint32_t operands;
    uint64_t rows;
    int64_t weight_step, scale_step; /* from group to group */
};

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct transfer *transfer = transfer_of(call->settings->isa);
    const struct tensor_view *x = &call->tensor[ONE_x], *weight = &call->tensor[ONE_weight],
                             *scale = &call->tensor[ONE_weightScale], *out = &call->tensor[at(call, ONE_out)];
    struct executor_content *content;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct dequant_plan), &content, &made));
    struct dequant_plan *plan = made;
    const bool has_bits = scale->dtype == ACL_INT64;
    *plan = (struct dequant_plan){
        .scaled = {.transfer = transfer,
                   .isa = call->settings->isa,
                   .threads = call->settings->thread_count,
                   .columns = (uint64_t)weight_dim(call, 0),
                   .depth = (uint64_t)x->shape[1],
                   .parts = 1,
                   .part = x->shape[1] > 0 ? (uint64_t)x->shape[1] : 1,
                   .bias_place = BIAS_LAST},
        .product = {.left = {.address = NUMBERS,
                             .stride = {x->shape[1], 1},
                             .size = {x->shape[0], x->shape[1]}},
                    .right = {.address = call->first_operand[ONE_weight],
                              .stride = {weight_stride(call, 0), weight_stride(call, 1)},
                              .size = {weight_dim(call, 0), weight_dim(call, 1)}},
                    .columns = {.is_given = true,
                                .is_plain = true,
                                .dtype = scale->dtype,
                                .bytes = dtype_bytes(scale->dtype),
                                .address = call->first_operand[ONE_weightScale],
                                .stride = {0, scale->stride[scale->rank - 1]},
                                .lanes = 1},
                    .rows = {.is_given = !has_bits,
                             .dtype = ACL_FLOAT,
                             .bytes = sizeof(float),
                             .address = SCALES,
                             .stride = {0, 1},
                             .lanes = 1}},
        .out = target_of(transfer, call->settings->isa, out, call->first_operand[at(call, ONE_out)]),
        .x = port_of(call, ONE_x, ACL_DOUBLE),
        .is_grouped = is_grouped(call),
        .has_smooth = is_given(call, ONE_smoothScaleOptional),
        .has_scale = is_given(call, ONE_xScaleOptional),
        .has_one_scale =
            is_given(call, ONE_xScaleOptional) && call->tensor[at(call, ONE_xScaleOptional)].count == 1,
        .operands = call->operand_count,
        .rows = (uint64_t)x->shape[0],
        .weight_step = is_grouped(call) ? weight->stride[0] : 0,
        .scale_step = is_grouped(call) ? scale->stride[0] : 0,
    };
    if (plan->has_smooth)
        plan->smooth = port_of(call, at(call, ONE_smoothScaleOptional), ACL_DOUBLE);
    if (plan->has_scale)
        plan->scale = port_of(call, at(call, ONE_xScaleOptional), ACL_FLOAT);
    if (plan->is_grouped)
        plan->list = group_list_of(call, GROUPED_groupList, GROUPS_CUMULATED, (uint64_t)groups_of(call));
    content->cost_ns = scaled_cost_ns(&plan->scaled, plan->rows) + (uint64_t)x->count * ELEMENT_PS / 1000;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t numbers_bytes(const struct dequant_plan *plan)
{
    return whole_lines(plan->rows * plan->scaled.depth) + whole_lines(plan->rows * sizeof(float));
}

static size_t work_bytes(const void *prepared)
{
    const struct dequant_plan *plan = prepared;
    return numbers_bytes(plan) + scaled_work_bytes(&plan->scaled) +
           (plan->is_grouped ? group_list_bytes(&plan->list) : 0);
}

struct dequant_work {
    const struct dequant_plan *plan;
    void *const *address; /* of the operands, of the numbers and of their scales */
};

/* Elements of a row, smoothed. */
static void read_row(const struct dequant_work *work, uint64_t row, uint64_t first, uint64_t count,
                     double *to)
{
    const struct dequant_plan *plan = work->plan;
    double smooth[PIECE];
    port_bring(&plan->x, work->address, row * plan->scaled.depth + first, count, to);
    if (!plan->has_smooth)
        return;
    port_bring(&plan->smooth, work->address, first, count, smooth);
    for (uint64_t k = 0; k < count; k++)
        to[k] *= smooth[k];
}

static void quantise_row(void *context, uint64_t row)
{
    const struct dequant_work *work = context;
    const struct dequant_plan *plan = work->plan;
    const uint64_t depth = plan->scaled.depth;
    int8_t *to = (int8_t *)work->address[NUMBERS] + row * depth;
    double value[PIECE], greatest = 0;
    float scale;
    for (uint64_t k = 0, some; !plan->has_scale && k < depth; k += some) {
        some = depth - k < PIECE ? depth - k : PIECE;
        read_row(work, row, k, some, value);
        greatest = greatest_size(value, some, greatest);
    }
    if (plan->has_scale)
        port_bring(&plan->scale, work->address, plan->has_one_scale ? 0 : row, 1, &scale);
    else
        scale = scale_of_size(greatest, 127);
    for (uint64_t k = 0, some; k < depth; k += some) {
        some = depth - k < PIECE ? depth - k : PIECE;
        read_row(work, row, k, some, value);
        for (uint64_t i = 0; i < some; i++)
            to[k + i] = scale == 0 ? 0 : quantised_number(value[i] / (double)scale, 127);
    }
    ((float *)work->address[SCALES])[row] = scale;
}

static void multiply(const struct dequant_work *work, const struct group_piece *piece, void *scratch)
{
    const struct dequant_plan *plan = work->plan;
    struct scaled_product product = plan->product;
    struct scaled_work scaled;
    product.right.first += (int64_t)piece->group * plan->weight_step;
    product.columns.first += (int64_t)piece->group * plan->scale_step;
    scaled_use_memory(&scaled, &plan->scaled, work->address, scratch);
    scaled_begin(&scaled, &product);
    for (uint64_t done = 0, some; done < piece->count; done += some) {
        some = piece->count - done < SCALED_ROWS ? piece->count - done : SCALED_ROWS;
        scaled_multiply(&scaled, piece->first + done, some);
        target_take(&plan->out, work->address, piece->first + done, some, scaled.value);
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct dequant_plan *plan = prepared;
    const struct group_piece all = {0, 0, plan->rows};
    unsigned char *memory = (unsigned char *)scratch + numbers_bytes(plan);
    const struct group_piece *piece = &all;
    uint64_t pieces = 1, end = 0;
    void *own[ADDRESSES];
    struct dequant_work work = {plan, own};
    memcpy(own, address, plan->operands * sizeof *own);
    own[NUMBERS] = scratch;
    own[SCALES] = (unsigned char *)scratch + whole_lines(plan->rows * plan->scaled.depth);
    if (plan->is_grouped) {
        const int status = group_list_read(&plan->list, address, "groupList", plan->rows, memory);
        if (status != 0)
            return status;
        piece = (const struct group_piece *)(const void *)memory;
        pieces = plan->list.length;
        memory += group_list_bytes(&plan->list);
    }
    tasks_run(quantise_row, &work, plan->rows, 2, plan->rows * plan->scaled.depth * ELEMENT_PS / 1000);
    for (uint64_t i = 0; i < pieces; i++) {
        if (piece[i].count > 0)
            multiply(&work, &piece[i], memory);
        end += piece[i].count;
    }
    target_clear(&plan->out, address, end, plan->rows - end);
    return 0;
}

#define DEQUANTISES                                                              \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnQuantMatmulDequant, ONE, .stem = "quant_matmul_dequant", DEQUANTISES);
FUNCTION_OF(aclnnQuantGroupedMatmulDequant, GROUPED, .stem = "quant_grouped_matmul_dequant", DEQUANTISES);
FUNCTION_OF(aclnnQuantGroupedMatmulDequantWeightNZ, GROUPED, .stem = "quant_grouped_matmul_dequant_weight_nz",
            DEQUANTISES);
