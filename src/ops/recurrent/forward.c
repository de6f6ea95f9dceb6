/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The forward pass.
 */
#include <string.h>

#include "ops/contraction/sizes.h"
#include "ops/loops/tasks.h"
#include "ops/recurrent/recurrent.h"

/* Steps of a panel, as threads share the weights' transposition. */
enum { PANEL_STEPS = 64 };

/* A direction of a layer in work. */
struct pass {
    const struct network *network;
    struct memory *memory;
    const struct direction *direction;
    const struct contraction *plan;
    uint32_t layer, reverse;
    uint64_t index; /* of the states */
    uint64_t step;
    float *next; /* what goes into the next layer; NULL of the last one */
};

static float *gates_of(const struct pass *pass, uint64_t row)
{
    return pass->memory->gates[0] + row * pass->memory->gates_step;
}

/* Sequences that have ended leave zeros. */
static void clear_row(const struct network *network, const struct cell_row *row)
{
    const struct cell_kernels *kernels = network_kernels(network);
    memset(row->gates, 0, network->hidden * sizeof(float));
    if (row->next != NULL)
        memset(row->next, 0, network->hidden * sizeof(float));
    for (int i = 0; i < CELL_LISTS; i++)
        if (row->list[i].first != NULL)
            kernels->store(row->gates, row->list[i].first, network->dtype, row->list[i].stride,
                           network->hidden);
    if (row->out.first != NULL)
        kernels->store(row->gates, row->out.first, network->dtype, row->out.stride, network->hidden);
}

static void step_row(void *context, uint64_t b)
{
    const struct pass *pass = context;
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const struct cell_kernels *kernels = network_kernels(network);
    const uint64_t hidden = network->hidden, t = pass->step;
    const uint64_t at = t * network->batch + b;
    struct cell_row row = {
        .hidden = (uint32_t)hidden,
        .dtype = network->dtype,
        .gates = gates_of(pass, at),
        .of_state = memory->gates[1] + b * memory->gates_step,
        .h = memory->state[0] + b * hidden,
        .c = memory->state[1] + b * hidden,
        .next = pass->next != NULL ? pass->next + at * network->directions * hidden : NULL,
    };
    for (int i = 0; network->has_lists && i < CELL_LISTS; i++)
        row.list[i] = (struct cell_elements){place_at(network, memory, &pass->direction->list[i], t, b),
                                             pass->direction->list[i].stride[2]};
    if (pass->next == NULL) {
        const int64_t stride = network->result.stride[2];
        row.out =
            (struct cell_elements){place_at(network, memory, &network->result, t, b) +
                                       (int64_t)(pass->reverse * hidden) * stride * (int64_t)network->bytes,
                                   stride};
    }
    if ((int64_t)b >= memory->batch_size[t])
        clear_row(network, &row);
    else if (network->cell == CELL_LSTM)
        kernels->lstm(&row);
    else
        kernels->gru(&row);
}

/* The states' part: of an LSTM it is added to the gates of the step, of a GRU it is on its own. */
static struct multiply state_product(const struct pass *pass, uint64_t t)
{
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const int64_t width = (int64_t)network_width(network), step = (int64_t)memory->gates_step;
    const struct matrix gates = {gates_of(pass, t * network->batch), ACL_FLOAT, {step, 1}},
                        of_state = {memory->gates[1], ACL_FLOAT, {step, 1}},
                        bias = {memory->bias[1], ACL_FLOAT, {0, 1}};
    const bool is_lstm = network->cell == CELL_LSTM;
    return (struct multiply){
        .rows = network->batch,
        .columns = (uint64_t)width,
        .depth = network->hidden,
        .has_addend = is_lstm || network->has_bias,
        .left = {memory->state[0], ACL_FLOAT, {(int64_t)network->hidden, 1}},
        .right = {memory->weight, ACL_FLOAT, {(int64_t)memory->weight_step, 1}},
        .addend = is_lstm ? gates : bias,
        .out = is_lstm ? gates : of_state,
    };
}

static void run_steps(struct pass *pass)
{
    const struct network *network = pass->network;
    for (uint64_t n = 0; n < network->steps; n++) {
        pass->step = pass->reverse != 0 ? network->steps - 1 - n : n;
        const struct multiply product = state_product(pass, pass->step);
        multiply_repeat(pass->memory, &product, pass->plan);
        if (network->hidden > 0)
            tasks_run(step_row, pass, network->batch, 16, network->batch * network->hidden * 3);
    }
}

/* Some of the weights of the states, a row for each of these. */
static void turn_weights(void *context, uint64_t i)
{
    const struct pass *pass = context;
    const struct network *network = pass->network;
    const struct place *place = &pass->direction->weight[WEIGHT_STATE];
    const struct contraction_matrix matrix = {
        .dtype = network->dtype, .bytes = network->bytes, .stride = {place->stride[1], place->stride[2]}};
    const struct contraction_panel panel = {
        .operand = &matrix,
        .matrix = place_at(network, pass->memory, place, 0, 0),
        .first = i * PANEL_STEPS,
        .lanes = (uint32_t)network_width(network),
        .width = (uint32_t)pass->memory->weight_step,
        .depth = (uint32_t)least(PANEL_STEPS, network->hidden - i * PANEL_STEPS),
        .to = pass->memory->weight + i * PANEL_STEPS * pass->memory->weight_step,
    };
    pass->plan->kernels->pack(pass->plan, &panel);
}

/* Both biases are one of an LSTM. */
static void load_biases(const struct pass *pass)
{
    const struct network *network = pass->network;
    float *const *bias = pass->memory->bias;
    for (int i = 0; network->has_bias && i < 2; i++)
        rows_load(network, pass->memory,
                  (struct rows){.place = &pass->direction->weight[BIAS_INPUT + i],
                                .outer = 1,
                                .inner = 1,
                                .elements = network_width(network),
                                .floats = bias[i]});
    if (!network->has_bias || network->cell != CELL_LSTM || pass->memory->is_dry)
        return;
    for (uint64_t i = 0; i < network_width(network); i++)
        bias[0][i] += bias[1][i];
}

/* All steps' inputs by their weights. */
static void multiply_inputs(const struct pass *pass)
{
    const struct network *network = pass->network;
    const struct place *weight = &pass->direction->weight[WEIGHT_INPUT];
    const int64_t inputs = (int64_t)inputs_of(network, pass->layer), width = (int64_t)network_width(network);
    const struct multiply product = {
        .rows = network->steps * network->batch,
        .columns = (uint64_t)width,
        .depth = (uint64_t)inputs,
        .has_addend = network->has_bias,
        .left = {pass->memory->sequence[0], ACL_FLOAT, {inputs, 1}},
        .right = {pass->memory->is_dry ? NULL : place_at(network, pass->memory, weight, 0, 0),
                  network->dtype,
                  {weight->stride[2], weight->stride[1]}},
        .addend = {pass->memory->bias[0], ACL_FLOAT, {0, 1}},
        .out = {pass->memory->gates[0], ACL_FLOAT, {(int64_t)pass->memory->gates_step, 1}},
    };
    multiply_run(network, pass->memory, &product);
}

static void run_direction(struct pass *pass)
{
    const struct network *network = pass->network;
    struct memory *memory = pass->memory;
    struct contraction plan;
    struct multiply product = state_product(pass, 0);
    multiply_prepare(network, memory, &product, &plan);
    pass->plan = &plan;
    load_biases(pass);
    multiply_inputs(pass);
    struct rows states = {.first = pass->index,
                          .outer = 1,
                          .inner = network->batch,
                          .elements = network->hidden,
                          .float_step = network->hidden};
    for (int i = 0; i < 2; i++) {
        states.place = &network->start[i];
        states.floats = memory->state[i];
        rows_load(network, memory, states);
    }
    if (memory->is_dry)
        return;
    if (network->batch > 0 && network->hidden > 0)
        tasks_run(turn_weights, pass, divide_up(network->hidden, PANEL_STEPS), 1,
                  network->hidden * network_width(network) / 2);
    run_steps(pass);
    for (int i = 0; i < 2; i++) {
        states.place = &network->end[i];
        states.floats = memory->state[i];
        rows_store(network, memory, states);
    }
}

void run_forward(const struct network *network, struct memory *memory)
{
    rows_load(network, memory,
              (struct rows){.place = &network->sequence,
                            .outer = network->steps,
                            .inner = network->batch,
                            .elements = network->inputs,
                            .floats = memory->sequence[0],
                            .float_step = network->inputs});
    for (uint32_t layer = 0; layer < network->layers; layer++) {
        for (uint32_t reverse = 0; reverse < network->directions; reverse++) {
            const uint32_t index = layer * network->directions + reverse;
            struct pass pass = {
                .network = network,
                .memory = memory,
                .direction = &network->direction[index],
                .layer = layer,
                .reverse = reverse,
                .index = index,
                .next = layer + 1 < network->layers && !memory->is_dry
                            ? memory->sequence[1] + reverse * network->hidden
                            : NULL,
            };
            run_direction(&pass);
        }
        float *out = memory->sequence[1];
        memory->sequence[1] = memory->sequence[0];
        memory->sequence[0] = out;
    }
}
