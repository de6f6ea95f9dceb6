/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One step of an LSTM cell whose products have been made, and its gradients. The plan is a network of one
 * step with one direction: its places are those of this call's tensors.
 */
#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/loops/tasks.h"
#include "ops/recurrent/contract.h"
#include "ops/signature.h"
#include "ops/sizes.h"

#define TENSOR(X, of, name, sample_) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define THNN_FUSED_LSTM_CELL(X, of)                   \
    TENSOR(X, of, inputGates, "3x8")                  \
    TENSOR(X, of, hiddenGates, "3x8")                 \
    TENSOR(X, of, cx, "3x2")                          \
    OPTIONAL_GRADIENT(X, of, inputBiasOptional, "8")  \
    OPTIONAL_GRADIENT(X, of, hiddenBiasOptional, "8") \
    X(of, OUT, hyOut, &dtypes_fp32_fp16_bf16)         \
    X(of, OUT, cyOut, &dtypes_fp32_fp16_bf16)         \
    X(of, OUT, storageOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(THNN_FUSED_LSTM_CELL)
#define THNN_FUSED_LSTM_CELL_BACKWARD(X, of)         \
    OPTIONAL_GRADIENT(X, of, gradHyOptional, "3x2")  \
    OPTIONAL_GRADIENT(X, of, gradCOptional, "3x2")   \
    TENSOR(X, of, cx, "3x2")                         \
    TENSOR(X, of, cy, "3x2")                         \
    TENSOR(X, of, storage, "3x8")                    \
    X(of, BOOL, hasBias, .usual = "true")            \
    X(of, OUT, gradGatesOut, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, gradCxOut, &dtypes_fp32_fp16_bf16)    \
    X(of, OUT, gradBiasOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(THNN_FUSED_LSTM_CELL_BACKWARD)

/* Where i, f, g and o lie in storage, of which list[0] is the place. */
static const uint8_t part_of[] = {LSTM_I, LSTM_F, LSTM_G, LSTM_O};

/* A tensor that was given has this shape and the dtype of the reference, or 0 dims of it count as absent. */
static aclnnStatus check_tensor(const struct call *call, unsigned parameter, unsigned reference,
                                uint32_t rank, const int64_t *dim)
{
    const struct tensor_view *view = &call->tensor[parameter];
    bool is_right = view->rank == rank;
    for (uint32_t i = 0; is_right && i < rank; i++)
        is_right = view->shape[i] == dim[i];
    if (!is_right)
        return refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter),
                      shape_text(TEXT, view), dims_text(TEXT, rank, dim));
    return check_same_dtype(call, parameter, reference, NULL);
}

/* The batch and the elements of cx; the width of the gates is four times as much. */
static aclnnStatus find_shape(const struct call *call, unsigned cx, struct shape *state, struct shape *gates)
{
    const struct tensor_view *view = &call->tensor[cx];
    if (view->rank != 2 || view->shape[1] > HIDDEN_MOST)
        return refuse(call, "%s has shape %s; 2 dims are expected, the last one at most %d",
                      call_name(call, cx), shape_text(TEXT, view), HIDDEN_MOST);
    *state = (struct shape){.rank = 2, .dim = {view->shape[0], view->shape[1]}};
    *gates = (struct shape){.rank = 2, .dim = {view->shape[0], GATES_LSTM * view->shape[1]}};
    return ACLNN_SUCCESS;
}

static void add_output(struct result *result, aclDataType dtype, const struct shape *shape)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = *shape;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct shape state, gates;
    for (unsigned i = THNN_FUSED_LSTM_CELL_inputGates; i <= THNN_FUSED_LSTM_CELL_hiddenBiasOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(find_shape(call, THNN_FUSED_LSTM_CELL_cx, &state, &gates));
    for (unsigned i = THNN_FUSED_LSTM_CELL_inputGates; i <= THNN_FUSED_LSTM_CELL_hiddenGates; i++)
        TRY(check_tensor(call, i, THNN_FUSED_LSTM_CELL_cx, 2, gates.dim));
    for (unsigned i = THNN_FUSED_LSTM_CELL_inputBiasOptional; i <= THNN_FUSED_LSTM_CELL_hiddenBiasOptional;
         i++)
        if (call_has_elements(call, i))
            TRY(check_tensor(call, i, THNN_FUSED_LSTM_CELL_cx, 1, &gates.dim[1]));
    const aclDataType dtype = call->tensor[THNN_FUSED_LSTM_CELL_cx].dtype;
    add_output(result, dtype, &state);
    add_output(result, dtype, &state);
    add_output(result, dtype, &gates);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    struct shape state, gates;
    for (unsigned i = THNN_FUSED_LSTM_CELL_BACKWARD_gradHyOptional;
         i <= THNN_FUSED_LSTM_CELL_BACKWARD_storage; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(find_shape(call, THNN_FUSED_LSTM_CELL_BACKWARD_cx, &state, &gates));
    for (unsigned i = THNN_FUSED_LSTM_CELL_BACKWARD_gradHyOptional; i <= THNN_FUSED_LSTM_CELL_BACKWARD_cy;
         i++)
        if (i == THNN_FUSED_LSTM_CELL_BACKWARD_cy ||
            (i <= THNN_FUSED_LSTM_CELL_BACKWARD_gradCOptional && call_has_elements(call, i)))
            TRY(check_tensor(call, i, THNN_FUSED_LSTM_CELL_BACKWARD_cx, 2, state.dim));
    TRY(check_tensor(call, THNN_FUSED_LSTM_CELL_BACKWARD_storage, THNN_FUSED_LSTM_CELL_BACKWARD_cx, 2,
                     gates.dim));
    const bool has_bias = call->argument[THNN_FUSED_LSTM_CELL_BACKWARD_hasBias].boolean;
    if (has_bias && call->has_outputs && !call_has(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradBiasOut))
        return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: gradBiasOut is NULL; a tensor is expected with hasBias",
                    call->function->operation.name);
    const aclDataType dtype = call->tensor[THNN_FUSED_LSTM_CELL_BACKWARD_cx].dtype;
    add_output(result, dtype, &gates);
    add_output(result, dtype, &state);
    add_output(result, dtype, &(struct shape){.rank = 1, .dim = {gates.dim[1]}});
    result->output[2].is_unwanted = !has_bias;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_cell(const struct call *call, unsigned cx, struct executor_content **content,
                             struct network **network)
{
    const size_t head = sizeof(struct network) + sizeof(struct direction);
    const struct tensor_view *view = &call->tensor[cx];
    void *made;
    TRY(call_begin(call, head, content, &made));
    *network = made;
    **network = (struct network){
        .cell = CELL_LSTM,
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
        .dtype = view->dtype,
        .bytes = view->dtype == ACL_FLOAT ? 4 : 2,
        .layers = 1,
        .directions = 1,
        .gates = GATES_LSTM,
        .steps = 1,
        .batch = (uint64_t)view->shape[0],
        .hidden = (uint64_t)view->shape[1],
        .level = call->settings->isa,
        .threads = call->settings->thread_count,
        .cost_ns = view->count < INT64_MAX / 16 ? (uint64_t)view->count * 8 + 500 : UINT64_MAX / 4,
    };
    (*network)->direction[0] = (struct direction){0};
    (*network)->start[1] = network_place(call, cx);
    (*content)->cost_ns = (*network)->cost_ns;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    struct network *network;
    (void)result;
    TRY(plan_cell(call, THNN_FUSED_LSTM_CELL_cx, &content, &network));
    struct direction *direction = &network->direction[0];
    direction->weight[WEIGHT_INPUT] = network_place(call, THNN_FUSED_LSTM_CELL_inputGates);
    direction->weight[WEIGHT_STATE] = network_place(call, THNN_FUSED_LSTM_CELL_hiddenGates);
    direction->weight[BIAS_INPUT] = network_place(call, THNN_FUSED_LSTM_CELL_inputBiasOptional);
    direction->weight[BIAS_STATE] = network_place(call, THNN_FUSED_LSTM_CELL_hiddenBiasOptional);
    direction->list[LSTM_H] = network_place(call, THNN_FUSED_LSTM_CELL_hyOut);
    direction->list[LSTM_C] = network_place(call, THNN_FUSED_LSTM_CELL_cyOut);
    direction->list[0] = network_place(call, THNN_FUSED_LSTM_CELL_storageOut);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    struct network *network;
    (void)result;
    TRY(plan_cell(call, THNN_FUSED_LSTM_CELL_BACKWARD_cx, &content, &network));
    struct direction *direction = &network->direction[0];
    network->is_backward = true;
    network->has_bias = call->argument[THNN_FUSED_LSTM_CELL_BACKWARD_hasBias].boolean;
    network->end[0] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradHyOptional);
    network->end[1] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradCOptional);
    network->result = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradGatesOut);
    network->start_gradient[1] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradCxOut);
    if (network->has_bias)
        direction->gradient[BIAS_INPUT] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_gradBiasOut);
    direction->list[LSTM_C] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_cy);
    direction->list[0] = network_place(call, THNN_FUSED_LSTM_CELL_BACKWARD_storage);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* A run, whose gates[1] are those of the state. */
struct run {
    const struct network *network;
    struct memory memory;
};

static void lay_out(const struct network *network, void *const *address, unsigned char *scratch,
                    struct memory *memory)
{
    *memory = (struct memory){.is_dry = scratch == NULL};
    memory->gates_step = memory_row_step(network_width(network));
    memory->address = address;
    for (int i = 0; i < 2; i++) {
        memory->gates[i] = memory_take(memory, scratch, memory_times(network->batch, memory->gates_step), 4);
        memory->state[i] = memory_take(memory, scratch, memory_times(network->batch, network->hidden), 4);
        memory->bias[i] = memory_take(memory, scratch, memory->gates_step, 4);
    }
    memory->one = memory_take(memory, scratch, 1, 4);
    memory->work = scratch != NULL ? scratch + memory->bytes : NULL;
}

static void load(const struct run *run, const struct place *place, uint64_t rows, uint64_t elements,
                 float *floats, uint64_t float_step)
{
    rows_load(run->network, &run->memory,
              (struct rows){.place = place,
                            .outer = 1,
                            .inner = rows,
                            .elements = elements,
                            .floats = floats,
                            .float_step = float_step});
}

static void run_row(void *context, uint64_t b)
{
    const struct run *run = context;
    const struct network *network = run->network;
    const struct memory *memory = &run->memory;
    const struct direction *direction = &network->direction[0];
    const uint64_t hidden = network->hidden, width = network_width(network);
    struct cell_row row = {
        .hidden = (uint32_t)hidden,
        .dtype = network->dtype,
        .gates = memory->gates[0] + b * memory->gates_step,
        .h = memory->state[0] + b * hidden,
        .c = memory->state[1] + b * hidden,
        .output_gradient = memory->gates[1] + b * memory->gates_step, /* backward: zeros */
        .earlier_c = {place_at(network, memory, &network->start[1], 0, b), network->start[1].stride[2]},
    };
    for (unsigned i = LSTM_H; i <= LSTM_C; i++)
        row.list[i] = (struct cell_elements){place_at(network, memory, &direction->list[i], 0, b),
                                             direction->list[i].stride[2]};
    const int64_t stride = direction->list[0].stride[2];
    for (unsigned i = 0; i < GATES_LSTM; i++)
        row.list[part_of[i]] =
            (struct cell_elements){place_at(network, memory, &direction->list[0], 0, b) +
                                       (int64_t)(i * hidden) * stride * (int64_t)network->bytes,
                                   stride};
    for (uint64_t i = 0; !network->is_backward && i < width; i++)
        row.gates[i] = (row.gates[i] + memory->bias[0][i]) + (row.output_gradient[i] + memory->bias[1][i]);
    if (network->is_backward)
        network_kernels(network)->lstm_backward(&row);
    else
        network_kernels(network)->lstm(&row);
}

/* The sums of the columns of the gates' gradients. */
static void run_bias(struct run *run)
{
    const struct network *network = run->network;
    const struct place *place = &network->direction[0].gradient[BIAS_INPUT];
    const struct multiply multiply = {
        .rows = network_width(network),
        .columns = 1,
        .depth = network->batch,
        .left = {run->memory.gates[0], ACL_FLOAT, {1, (int64_t)run->memory.gates_step}},
        .right = {run->memory.one, ACL_FLOAT, {0, 0}},
        .out = {run->memory.is_dry ? NULL : place_at(network, &run->memory, place, 0, 0),
                network->dtype,
                {place->stride[2], 0}},
    };
    if (network->has_bias)
        multiply_run(network, &run->memory, &multiply);
}

static size_t work_bytes(const void *plan_bytes)
{
    struct run run = {.network = plan_bytes};
    lay_out(run.network, NULL, NULL, &run.memory);
    if (run.memory.bytes > SIZE_MAX / 2)
        return SIZE_MAX / 2;
    run_bias(&run);
    return run.memory.bytes + run.memory.work_bytes;
}

static int run_cell(const void *plan_bytes, void *const *address, void *scratch)
{
    struct run run = {.network = plan_bytes};
    const struct network *network = run.network;
    const struct direction *direction = &network->direction[0];
    const uint64_t batch = network->batch, hidden = network->hidden, width = network_width(network);
    const struct place nothing = {.is_given = false};
    lay_out(network, address, scratch, &run.memory);
    struct memory *memory = &run.memory;
    const struct place *c = network->is_backward ? &network->end[1] : &network->start[1];
    *memory->one = 1;
    load(&run, &direction->weight[WEIGHT_INPUT], batch, width, memory->gates[0], memory->gates_step);
    load(&run, network->is_backward ? &nothing : &direction->weight[WEIGHT_STATE], batch, width,
         memory->gates[1], memory->gates_step);
    load(&run, &direction->weight[BIAS_INPUT], 1, width, memory->bias[0], width);
    load(&run, &direction->weight[BIAS_STATE], 1, width, memory->bias[1], width);
    load(&run, &network->end[0], batch, hidden, memory->state[0], hidden);
    load(&run, c, batch, hidden, memory->state[1], hidden);
    if (hidden > 0)
        tasks_run(run_row, &run, batch, 16, network->cost_ns);
    if (!network->is_backward)
        return 0;
    rows_store(network, memory,
               (struct rows){.place = &network->result,
                             .outer = 1,
                             .inner = batch,
                             .elements = width,
                             .floats = memory->gates[0],
                             .float_step = memory->gates_step});
    rows_store(network, memory,
               (struct rows){.place = &network->start_gradient[1],
                             .outer = 1,
                             .inner = batch,
                             .elements = hidden,
                             .floats = memory->state[1],
                             .float_step = hidden});
    run_bias(&run);
    return 0;
}

#define CELL                                                                                   \
    .operation.run = run_cell, .operation.work_bytes = work_bytes, .family = FAMILY_RECURRENT, \
    .promise = &promise_sum

FUNCTION_OF(aclnnThnnFusedLstmCell, THNN_FUSED_LSTM_CELL, .stem = "thnn_fused_lstm_cell", CELL,
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnThnnFusedLstmCellBackward, THNN_FUSED_LSTM_CELL_BACKWARD,
            .stem = "thnn_fused_lstm_cell_backward", CELL, .infer = infer_backward, .plan = plan_backward);
