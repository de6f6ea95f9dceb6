/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Two products with an activation between them, of all rows or of the rows of experts: y = act(x @ weight1 +
 * bias1) @ weight2 + bias2. What lies between them is of the dtype of x, as a device stores it: rounded, or
 * INT8 by a scale and an offset where x is INT8. Weights of INT8 beside floats are those floats that their
 * scales make of them, in FLOAT.
 */
#include "aclnnop/aclnn_ffn.h"
#include "aclnnop/aclnn_ffn_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/contraction/ffn_call.h"
#include "ops/contraction/memory_product.h"
#include "ops/loops/tasks.h"
#include "ops/quantise/number.h"
#include "ops/sizes.h"
#include "tensor/scratch.h"

/* Operands are the tensors: expertTokens is none, and y is one. */
enum {
    ROWS_AT_ONCE = 256,
    PIECE = 512,
    OPERANDS = V2_antiquantOffset2Optional + 1,
    MADE = OPERANDS,
    ELEMENT_PS = 4000,
    STEP_PS = 60
};

/* A row for each expert, of so many columns, or of one number, where that may be. */
static aclnnStatus check_row(const struct call *call, unsigned parameter, int64_t columns, bool may_be_one)
{
    const struct tensor_view *view = &call->tensor[parameter];
    const uint32_t rank = has_experts(call) ? 2 : 1;
    if (!call_has_elements(call, parameter))
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, parameter));
    const bool has_experts_dim = rank == 1 || (view->rank > 0 && view->shape[0] == expert_count(call));
    if (has_experts_dim && view->rank == rank && view->shape[rank - 1] == columns)
        return ACLNN_SUCCESS;
    if (may_be_one && has_experts_dim && view->rank == 1 && view->count == expert_count(call))
        return ACLNN_SUCCESS;
    return refuse(call, "%s has shape %s; %s%" PRId64 "]%s is expected", call_name(call, parameter),
                  shape_text(TEXT, view), has_experts(call) ? "[experts, " : "[", columns,
                  may_be_one ? ", or one number for each expert," : "");
}

/* Of its kind a layer has all that it takes, and nothing else. */
static aclnnStatus check_kind(const struct call *call, const struct layer *layer)
{
    const bool is_of_floats = !is_whole(call), has_scale = call_has_elements(call, layer->scale);
    const aclDataType bias =
        call_has_elements(call, layer->bias) ? call->tensor[layer->bias].dtype : ACL_DT_UNDEFINED;
    const aclDataType weight = call->tensor[layer->weight].dtype;
    if (weight != ACL_INT8 ? weight != call->tensor[V2_x].dtype : is_of_floats && !has_scale)
        return refuse(call, "%s is %s%s; the dtype of x is expected, or INT8 with %s beside floats",
                      call_name(call, layer->weight), dtype_name(weight),
                      has_scale ? "" : " and has no scale", call_name(call, layer->scale));
    if (is_of_floats ? call_has_elements(call, layer->deq_scale) : !call_has_elements(call, layer->deq_scale))
        return refuse(call, "%s is %s; it is expected where x is INT8, and there alone",
                      call_name(call, layer->deq_scale), is_of_floats ? "given" : "NULL");
    if (weight != ACL_INT8 || !is_of_floats)
        for (unsigned i = 0; i < 2; i++)
            if (call_has_elements(call, i == 0 ? layer->scale : layer->offset))
                return refuse(call, "%s is given; NULL is expected where x and the weight have one dtype",
                              call_name(call, i == 0 ? layer->scale : layer->offset));
    if (bias != ACL_DT_UNDEFINED && (bias == ACL_INT32) == is_of_floats)
        return refuse(call, "%s is %s; %s is expected where x is %s", call_name(call, layer->bias),
                      dtype_name(bias), is_of_floats ? "a float" : "INT32",
                      dtype_name(call->tensor[V2_x].dtype));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_layer(const struct call *call, const struct layer *layer, int64_t depth)
{
    const struct tensor_view *weight = &call->tensor[layer->weight];
    const uint32_t rank = has_experts(call) ? 3 : 2;
    TRY(check_dtype(call, layer->weight));
    if (weight->rank != rank || size_of(call, layer->weight, 0) != depth ||
        (rank == 3 && weight->shape[0] != expert_count(call)))
        return refuse(call, "%s has shape %s; %s%" PRId64 ", columns] is expected",
                      call_name(call, layer->weight), shape_text(TEXT, weight),
                      rank == 3 ? "[experts, " : "[", depth);
    const int64_t columns = size_of(call, layer->weight, 1);
    TRY(check_kind(call, layer));
    TRY(check_row(call, layer->bias, columns, false));
    TRY(check_row(call, layer->deq_scale, columns, false));
    TRY(check_row(call, layer->scale, columns, true));
    return check_row(call, layer->offset, columns, true);
}

/* The end of an expert's rows. */
static aclnnStatus check_tokens(const struct call *call, int64_t rows)
{
    const struct call_values *tokens = &call->values[V2_expertTokensOptional];
    int64_t end = 0;
    for (uint64_t i = 0; has_experts(call) && i < tokens->count; i++) {
        const int64_t number = tokens->value.int64[i], count = are_ends(call) ? number - end : number;
        if (number < 0 || count < 0 || count > rows - end)
            return refuse(call,
                          "expertTokensOptional holds %" PRId64 " at [%" PRIu64 "]; %s of %" PRId64
                          " rows in order are expected",
                          number, i, are_ends(call) ? "ends" : "counts", rows);
        end += count;
    }
    if (has_experts(call) && end != rows)
        return refuse(call,
                      "expertTokensOptional has %" PRId64 " rows; those of x, %" PRId64 ", are expected", end,
                      rows);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[V2_x];
    const struct named_activation *activation = activation_of(call);
    TRY(check_dtype(call, V2_x));
    TRY(check_rank(call, V2_x));
    if (x->rank < 2)
        return refuse(call, "x has %u dims; 2 to 8 are expected", x->rank);
    if (activation == NULL)
        return refuse(
            call,
            "activation is \"%.40s\"; \"relu\", \"gelu\", \"fastgelu\", \"silu\", \"reglu\", \"geglu\" or "
            "\"swiglu\" is expected",
            call->argument[V2_activation].string);
    TRY(check_layer(call, &layers[0], x->shape[x->rank - 1]));
    const int64_t width = size_of(call, V2_weight1, 1), half = activation->is_gated ? width / 2 : width;
    if (activation->is_gated && width % 2 != 0)
        return refuse(call, "weight1 has %" PRId64 " columns; an even number is expected of \"%s\"", width,
                      activation->name);
    TRY(check_layer(call, &layers[1], half));
    if (call->tensor[V2_weight1].dtype != call->tensor[V2_weight2].dtype)
        return refuse(call, "weight2 is %s; %s, as weight1 is, is expected",
                      dtype_name(call->tensor[V2_weight2].dtype), dtype_name(call->tensor[V2_weight1].dtype));
    for (unsigned i = V2_scaleOptional; i <= V2_offsetOptional; i++) {
        if (call_has_elements(call, i) ? !is_whole(call) : is_whole(call) && i == V2_scaleOptional)
            return refuse(call, "%s is %s; scaleOptional is expected where x is INT8, and there alone",
                          call_name(call, i), call_has_elements(call, i) ? "given" : "NULL");
        TRY(check_row(call, i, half, true));
    }
    TRY(check_tokens(call, rows_of(x)));
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result,
                                       !is_whole(call)     ? x->dtype
                                       : call->has_outputs ? call->tensor[y_of(call)].dtype
                                                           : ACL_FLOAT16,
                                       DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = x->rank};
    memcpy(output->shape.dim, x->shape, x->rank * sizeof x->shape[0]);
    output->shape.dim[x->rank - 1] = size_of(call, V2_weight2, 1);
    return ACLNN_SUCCESS;
}

struct ffn_layer {
    struct rank_product product;
    int64_t step; /* from an expert's weight to the next one's: elements */
    struct factors bias, deq_scale, scale, offset;
    struct port weight; /* as FLOAT, where its scales make floats of it */
};

/* Ends of the rows of experts lie behind it. */
struct ffn_plan {
    struct ffn_layer layer[2];
    struct factors scale, offset;
    struct port x, y;
    const struct transfer *transfer;
    const struct named_activation *activation;
    enum isa_level isa;
    aclDataType dtype, rounded; /* of x; and of what an activation takes of INT8 */
    uint64_t rows, depth, width, half, columns, experts;
    bool is_whole, is_scaled;
    uint64_t end[];
};

/* stride[0] is from expert to expert. */
static struct factors factors_of(const struct call *call, unsigned parameter, int64_t columns)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (!call_has_elements(call, parameter))
        return (struct factors){.is_given = false};
    const bool has_columns = view->rank == 2 || (!has_experts(call) && view->count == columns);
    return factors_of_view(view, call->first_operand[parameter], has_experts(call) ? view->stride[0] : 0,
                           has_columns ? view->stride[view->rank - 1] : 0);
}

static void set_layer(const struct call *call, const struct layer *from, const struct ffn_plan *plan,
                      struct ffn_layer *layer)
{
    const struct tensor_view *weight = &call->tensor[from->weight];
    const int64_t columns = size_of(call, from->weight, 1);
    set_product(&layer->product, call, plan->dtype, from->weight, false);
    layer->step = weight->rank == 3 ? weight->stride[0] : 0;
    layer->bias = factors_of(call, from->bias, columns);
    layer->deq_scale = factors_of(call, from->deq_scale, columns);
    layer->scale = factors_of(call, from->scale, columns);
    layer->offset = factors_of(call, from->offset, columns);
    layer->product.has_bias = layer->bias.is_given;
    layer->product.is_bias_whole = true;
    if (!plan->is_scaled)
        return;
    layer->weight = port_of(call, from->weight, ACL_FLOAT);
    layer->product.right = (struct contraction_matrix){
        .dtype = ACL_FLOAT, .bytes = sizeof(float), .stride = {1, columns}, .address = MADE};
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[V2_x];
    const uint64_t experts = (uint64_t)expert_count(call);
    const size_t bytes = sizeof(struct ffn_plan) + experts * sizeof(uint64_t);
    struct executor_content *content;
    void *made;
    (void)result;
    if (rows_of(x) == 0 || size_of(call, V2_weight2, 1) == 0)
        return call_idle(call);
    TRY(call_begin(call, bytes, &content, &made));
    struct ffn_plan *const plan = made;
    *plan = (struct ffn_plan){.x = port_of(call, V2_x, x->dtype),
                              .y = port_of(call, y_of(call), ACL_FLOAT),
                              .transfer = transfer_of(call->settings->isa),
                              .activation = activation_of(call),
                              .isa = call->settings->isa,
                              .dtype = x->dtype,
                              .rounded = call->tensor[y_of(call)].dtype,
                              .rows = (uint64_t)rows_of(x),
                              .depth = (uint64_t)x->shape[x->rank - 1],
                              .width = (uint64_t)size_of(call, V2_weight1, 1),
                              .half = (uint64_t)size_of(call, V2_weight2, 0),
                              .columns = (uint64_t)size_of(call, V2_weight2, 1),
                              .experts = experts,
                              .is_whole = is_whole(call),
                              .is_scaled = !is_whole(call) && call->tensor[V2_weight1].dtype == ACL_INT8};
    for (unsigned i = 0; i < 2; i++)
        set_layer(call, &layers[i], plan, &plan->layer[i]);
    plan->scale = factors_of(call, V2_scaleOptional, (int64_t)plan->half);
    plan->offset = factors_of(call, V2_offsetOptional, (int64_t)plan->half);
    uint64_t end = has_experts(call) ? 0 : plan->rows;
    for (uint64_t i = 0; i < experts; i++) {
        if (has_experts(call))
            end = (uint64_t)call->values[V2_expertTokensOptional].value.int64[i] + (are_ends(call) ? 0 : end);
        plan->end[i] = end;
    }
    content->cost_ns = plan->rows * (plan->depth * plan->width + plan->half * plan->columns) * STEP_PS / 1000;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static uint64_t most_rows(const struct ffn_plan *plan)
{
    return plan->rows < ROWS_AT_ONCE ? plan->rows : ROWS_AT_ONCE;
}

static size_t widest(const struct ffn_plan *plan)
{
    return (size_t)(plan->width > plan->columns ? plan->width : plan->columns);
}

/* The weight that scales make. */
static size_t made_elements(const struct ffn_plan *plan)
{
    const uint64_t first = plan->depth * plan->width, second = plan->half * plan->columns;
    return plan->is_scaled ? (size_t)(first > second ? first : second) : 0;
}

static size_t work_bytes(const void *prepared)
{
    const struct ffn_plan *plan = prepared;
    const size_t rows = (size_t)most_rows(plan), first = product_bytes(&plan->layer[0].product),
                 second = product_bytes(&plan->layer[1].product);
    return whole_lines(rows * (size_t)plan->depth * dtype_bytes(plan->dtype)) +
           whole_lines(rows * (size_t)plan->half * dtype_bytes(plan->dtype)) +
           whole_lines(rows * widest(plan) * sizeof(float)) +
           whole_lines(made_elements(plan) * sizeof(float)) + (first > second ? first : second);
}

struct ffn_work {
    const struct ffn_plan *plan;
    void *const *address;
    uint64_t expert;
    const float *sums;
    unsigned char *hidden;
    const struct ffn_layer *layer;
    float *made;
};

/* What the first product has made of INT8 is rounded as y is. */
static void read_sums(const struct ffn_plan *plan, const float *from, uint64_t count, double *to)
{
    uint16_t rounded[PIECE];
    if (!plan->is_whole) {
        transfer_convert(plan->transfer, from, ACL_FLOAT, to, ACL_DOUBLE, count);
        return;
    }
    transfer_convert(plan->transfer, from, ACL_FLOAT, rounded, plan->rounded, count);
    transfer_convert(plan->transfer, rounded, plan->rounded, to, ACL_DOUBLE, count);
}

/* A row of the first product to what the second one takes. */
static void activate_row(void *context, uint64_t row)
{
    const struct ffn_work *work = context;
    const struct ffn_plan *plan = work->plan;
    const float *from = work->sums + row * plan->width;
    const size_t bytes = dtype_bytes(plan->dtype);
    unsigned char *to = work->hidden + row * plan->half * bytes;
    double value[PIECE], room[PIECE], offset[PIECE];
    for (uint64_t at = 0, some; at < plan->half; at += some) {
        some = plan->half - at < PIECE ? plan->half - at : PIECE;
        read_sums(plan, from + at, some, value);
        activate(plan->activation->activation, plan->isa, value, some, room);
        if (plan->activation->is_gated)
            read_sums(plan, from + plan->half + at, some, room);
        for (uint64_t i = 0; plan->activation->is_gated && i < some; i++)
            value[i] *= room[i];
        if (!plan->is_whole) {
            transfer_convert(plan->transfer, value, ACL_DOUBLE, to + at * bytes, plan->dtype, some);
            continue;
        }
        memset(offset, 0, sizeof offset);
        factors_read(&plan->scale, plan->transfer, work->address, work->expert, at, some, room);
        if (plan->offset.is_given)
            factors_read(&plan->offset, plan->transfer, work->address, work->expert, at, some, offset);
        for (uint64_t i = 0; i < some; i++)
            ((int8_t *)to)[at + i] = quantised_number(value[i] * room[i] + offset[i], 127);
    }
}

/* A row of a weight: (number + offset) * scale. */
static void make_row(void *context, uint64_t row)
{
    const struct ffn_work *work = context;
    const struct ffn_layer *layer = work->layer;
    const uint64_t columns = layer->product.columns, depth = layer->product.depth;
    double factor[PIECE];
    for (uint64_t at = 0, some; at < columns; at += some) {
        some = columns - at < PIECE ? columns - at : PIECE;
        float *to = work->made + row * columns + at;
        port_bring(&layer->weight, work->address, (work->expert * depth + row) * columns + at, some, to);
        if (layer->offset.is_given) {
            factors_read(&layer->offset, work->plan->transfer, work->address, work->expert, at, some, factor);
            for (uint64_t i = 0; i < some; i++)
                to[i] = (float)((double)to[i] + factor[i]);
        }
        factors_read(&layer->scale, work->plan->transfer, work->address, work->expert, at, some, factor);
        for (uint64_t i = 0; i < some; i++)
            to[i] = (float)((double)to[i] * factor[i]);
    }
}

static void multiply(const struct ffn_work *work, unsigned which, const void *left, uint64_t rows, float *to,
                     void *memory)
{
    const struct ffn_plan *plan = work->plan;
    const struct ffn_layer *layer = &plan->layer[which];
    struct rank_product product = layer->product;
    void *address[MADE + 1];
    memcpy(address, work->address, OPERANDS * sizeof *address);
    address[MADE] = work->made;
    const int64_t expert = (int64_t)work->expert;
    if (plan->is_whole) {
        product.column_scale = layer->deq_scale,
        product.column_scale.first = expert * layer->deq_scale.stride[0];
        product.whole_bias = layer->bias, product.whole_bias.first = expert * layer->bias.stride[0];
    } else if (product.has_bias) {
        product.bias = (struct contraction_matrix){.dtype = layer->bias.dtype,
                                                   .bytes = layer->bias.bytes,
                                                   .stride = {0, layer->bias.stride[1]},
                                                   .address = layer->bias.address};
        address[layer->bias.address] = (unsigned char *)address[layer->bias.address] +
                                       expert * layer->bias.stride[0] * (int64_t)layer->bias.bytes;
    }
    product_run(&product, address, left, NULL, 0, rows, plan->is_scaled ? 0 : expert * layer->step, to,
                memory);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct ffn_plan *plan = prepared;
    const size_t most = (size_t)most_rows(plan), bytes = dtype_bytes(plan->dtype);
    size_t used = 0;
    unsigned char *left = take_room(scratch, &used, most * (size_t)plan->depth * bytes),
                  *hidden = take_room(scratch, &used, most * (size_t)plan->half * bytes);
    float *sums = take_room(scratch, &used, most * widest(plan) * sizeof(float)),
          *made = take_room(scratch, &used, made_elements(plan) * sizeof(float));
    void *memory = take_room(scratch, &used, 0);
    struct ffn_work work = {.plan = plan, .address = address, .sums = sums, .hidden = hidden, .made = made};
    for (uint64_t row = 0, some; row < plan->rows; row += some) {
        while (plan->end[work.expert] <= row)
            work.expert++;
        some = plan->end[work.expert] - row < ROWS_AT_ONCE ? plan->end[work.expert] - row : ROWS_AT_ONCE;
        port_bring(&plan->x, address, row * plan->depth, some * plan->depth, left);
        for (unsigned which = 0; which < 2; which++) {
            work.layer = &plan->layer[which];
            if (plan->is_scaled)
                tasks_run(make_row, &work, work.layer->product.depth, ROWS_AT_ONCE,
                          work.layer->product.depth * work.layer->product.columns);
            multiply(&work, which, which == 0 ? left : hidden, some, sums, memory);
            if (which == 0)
                tasks_run(activate_row, &work, some, 1, some * plan->half * ELEMENT_PS / 1000);
        }
        port_deliver(&plan->y, address, row * plan->columns, some * plan->columns, sums);
    }
    return 0;
}

#define MULTIPLIES_TWICE                                                         \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnFFN, V1, .stem = "ffn", MULTIPLIES_TWICE);
FUNCTION_OF(aclnnFFNV2, V2, .stem = "ffn_v2", MULTIPLIES_TWICE);
