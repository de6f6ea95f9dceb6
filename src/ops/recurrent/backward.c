/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The backward pass: from the last layer to the first, and in each from the end of the sequences to their
 * beginning. Nothing of the forward pass is computed again.
 */
#include <string.h>

#include "ops/loops/tasks.h"
#include "ops/recurrent/recurrent.h"

/* A direction of a layer in work. */
struct pass {
    const struct network *network;
    struct memory *memory;
    const struct direction *direction;
    uint32_t layer, reverse;
    uint64_t index; /* of the states */
    uint64_t step;
};

/* The states before each step of an LSTM are c's in a list, those of a GRU floats. */
static unsigned h_list(const struct network *network)
{
    return network->cell == CELL_LSTM ? LSTM_H : GRU_H;
}

/* The gradients of what the weights of the states give. */
static float *gates_of_state(const struct pass *pass)
{
    return pass->memory->gates[pass->network->cell == CELL_GRU ? 1 : 0];
}

/* c before step t of a sequence. */
static struct cell_elements earlier_c(const struct pass *pass, uint64_t t, uint64_t b)
{
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const struct place *list = &pass->direction->list[LSTM_C], *start = &network->start[1];
    const bool is_first =
        pass->reverse == 0 ? t == 0 : t + 1 == network->steps || (int64_t)b >= memory->batch_size[t + 1];
    if (is_first)
        return (struct cell_elements){place_at(network, memory, start, pass->index, b), start->stride[2]};
    return (struct cell_elements){place_at(network, memory, list, pass->reverse != 0 ? t + 1 : t - 1, b),
                                  list->stride[2]};
}

static void step_row(void *context, uint64_t b)
{
    const struct pass *pass = context;
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const struct cell_kernels *kernels = network_kernels(network);
    const uint64_t hidden = network->hidden, width = network_width(network), t = pass->step;
    const uint64_t at = t * network->batch + b;
    struct cell_row row = {
        .hidden = (uint32_t)hidden,
        .dtype = network->dtype,
        .gates = memory->gates[0] + at * memory->gates_step,
        .of_state = memory->gates[1] + at * memory->gates_step,
        .h = memory->state[0] + b * hidden,
        .c = memory->state[1] + b * hidden,
        .output_gradient = memory->sequence[0] + (at * network->directions + pass->reverse) * hidden,
        .earlier_h = memory->earlier + at * hidden,
    };
    for (int i = 0; i < CELL_LISTS; i++)
        row.list[i] = (struct cell_elements){place_at(network, memory, &pass->direction->list[i], t, b),
                                             pass->direction->list[i].stride[2]};
    if ((int64_t)b >= memory->batch_size[t]) {
        memset(row.gates, 0, width * sizeof(float));
        if (network->cell == CELL_GRU)
            memset(row.of_state, 0, width * sizeof(float));
    } else if (network->cell == CELL_LSTM) {
        row.earlier_c = earlier_c(pass, t, b);
        kernels->lstm_backward(&row);
    } else {
        kernels->gru_backward(&row);
    }
}

/* What comes back to h by way of the gates: rows of sequences that have not begun yet get 0 added. */
static struct multiply state_product(const struct pass *pass, uint64_t t)
{
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const int64_t width = (int64_t)network_width(network), hidden = (int64_t)network->hidden,
                  step = (int64_t)memory->gates_step;
    const struct matrix h = {memory->state[0], ACL_FLOAT, {hidden, 1}};
    return (struct multiply){
        .rows = network->batch,
        .columns = (uint64_t)hidden,
        .depth = (uint64_t)width,
        .has_addend = true,
        .left = {gates_of_state(pass) + t * network->batch * memory->gates_step, ACL_FLOAT, {step, 1}},
        .right = {memory->weight, ACL_FLOAT, {(int64_t)memory->weight_step, 1}},
        .addend = h,
        .out = h,
    };
}

static void run_steps(struct pass *pass)
{
    const struct network *network = pass->network;
    const struct multiply prepared = state_product(pass, 0);
    struct contraction plan;
    multiply_prepare(network, pass->memory, &prepared, &plan);
    for (uint64_t n = 0; !pass->memory->is_dry && network->hidden > 0 && n < network->steps; n++) {
        pass->step = pass->reverse != 0 ? n : network->steps - 1 - n;
        tasks_run(step_row, pass, network->batch, 16, network->batch * network->hidden * 2);
        const struct multiply product = state_product(pass, pass->step);
        multiply_repeat(pass->memory, &product, &plan);
    }
}

/* The states before each step: those behind the one before, and in the beginning what was given. */
static void load_earlier(const struct pass *pass)
{
    const struct network *network = pass->network;
    const struct memory *memory = pass->memory;
    const uint64_t hidden = network->hidden, step = network->batch * hidden;
    const bool is_reverse = pass->reverse != 0;
    if (network->steps == 0)
        return;
    struct rows rows = {.place = &pass->direction->list[h_list(network)],
                        .first = is_reverse ? 1 : 0,
                        .outer = network->steps - 1,
                        .inner = network->batch,
                        .elements = hidden,
                        .floats = memory->earlier + (is_reverse || memory->is_dry ? 0 : step),
                        .float_step = hidden};
    rows_load(network, memory, rows);
    struct rows start = {.place = &network->start[0],
                         .first = pass->index,
                         .outer = 1,
                         .inner = network->batch,
                         .elements = hidden,
                         .floats = memory->state[0],
                         .float_step = hidden};
    rows_load(network, memory, start);
    for (uint64_t t = 0; !memory->is_dry && t < network->steps; t++) {
        const uint64_t size = (uint64_t)memory->batch_size[t];
        const uint64_t before = !is_reverse              ? (t > 0 ? size : 0)
                                : t + 1 < network->steps ? (uint64_t)memory->batch_size[t + 1]
                                                         : 0;
        float *row = memory->earlier + t * step;
        memcpy(row + before * hidden, memory->state[0] + before * hidden,
               (size - before) * hidden * sizeof(float));
        memset(row + size * hidden, 0, (network->batch - size) * hidden * sizeof(float));
    }
}

/* A parameter's gradient: that of the gates, turned, by what the parameter was multiplied with. */
static void run_gradient(const struct pass *pass, unsigned weight, uint64_t columns,
                         const struct matrix *right)
{
    const struct network *network = pass->network;
    const struct place *place = &pass->direction->gradient[weight];
    const bool is_of_state = weight == WEIGHT_STATE || weight == BIAS_STATE, is_bias = weight >= BIAS_INPUT;
    const int64_t width = (int64_t)network_width(network);
    const struct multiply product = {
        .rows = (uint64_t)width,
        .columns = columns,
        .depth = network->steps * network->batch,
        .left = {is_of_state ? gates_of_state(pass) : pass->memory->gates[0],
                 ACL_FLOAT,
                 {1, (int64_t)pass->memory->gates_step}},
        .right = *right,
        .out = {pass->memory->is_dry ? NULL : place_at(network, pass->memory, place, 0, 0),
                network->dtype,
                {place->stride[is_bias ? 2 : 1], is_bias ? 0 : place->stride[2]}},
    };
    multiply_run(network, pass->memory, &product);
}

/* Both biases of an LSTM are added to the same gates, and so have the same gradient. */
static void copy_bias_gradient(const struct pass *pass)
{
    const struct network *network = pass->network;
    const struct place *from = &pass->direction->gradient[BIAS_INPUT],
                       *to = &pass->direction->gradient[BIAS_STATE];
    const uint64_t bytes = network->bytes, width = network_width(network);
    const unsigned char *first = place_at(network, pass->memory, from, 0, 0);
    unsigned char *copy = place_at(network, pass->memory, to, 0, 0);
    for (uint64_t i = 0; i < width; i++)
        memcpy(copy + (int64_t)i * to->stride[2] * (int64_t)bytes,
               first + (int64_t)i * from->stride[2] * (int64_t)bytes, bytes);
}

static void run_bias_gradients(const struct pass *pass)
{
    const struct matrix one = {pass->memory->one, ACL_FLOAT, {0, 0}};
    run_gradient(pass, BIAS_INPUT, 1, &one);
    if (pass->network->cell != CELL_LSTM)
        run_gradient(pass, BIAS_STATE, 1, &one);
    else if (!pass->memory->is_dry)
        copy_bias_gradient(pass);
}

static void run_gradients(const struct pass *pass)
{
    const struct network *network = pass->network;
    struct memory *memory = pass->memory;
    const struct place *weight = &pass->direction->weight[WEIGHT_INPUT];
    const int64_t inputs = (int64_t)inputs_of(network, pass->layer), width = (int64_t)network_width(network),
                  hidden = (int64_t)network->hidden;
    const struct matrix input = {memory->input, ACL_FLOAT, {inputs, 1}},
                        earlier = {memory->earlier, ACL_FLOAT, {hidden, 1}},
                        gradient = {memory->sequence[1], ACL_FLOAT, {inputs, 1}};
    run_gradient(pass, WEIGHT_INPUT, (uint64_t)inputs, &input);
    run_gradient(pass, WEIGHT_STATE, (uint64_t)hidden, &earlier);
    if (network->has_bias)
        run_bias_gradients(pass);
    const struct multiply product = {
        .rows = network->steps * network->batch,
        .columns = (uint64_t)inputs,
        .depth = (uint64_t)width,
        .has_addend = pass->reverse != 0,
        .left = {memory->gates[0], ACL_FLOAT, {(int64_t)memory->gates_step, 1}},
        .right = {memory->is_dry ? NULL : place_at(network, memory, weight, 0, 0),
                  network->dtype,
                  {weight->stride[1], weight->stride[2]}},
        .addend = gradient,
        .out = gradient,
    };
    multiply_run(network, memory, &product);
}

static void run_direction(struct pass *pass)
{
    const struct network *network = pass->network;
    struct memory *memory = pass->memory;
    if (earlier_is_where_gradient_goes(network))
        memory->earlier = memory->sequence[1];
    rows_load(network, memory,
              (struct rows){.place = &pass->direction->weight[WEIGHT_STATE],
                            .outer = 1,
                            .inner = network_width(network),
                            .elements = network->hidden,
                            .floats = memory->weight,
                            .float_step = memory->weight_step});
    load_earlier(pass);
    struct rows states = {.first = pass->index,
                          .outer = 1,
                          .inner = network->batch,
                          .elements = network->hidden,
                          .float_step = network->hidden};
    for (int i = 0; i < 2; i++) {
        states.place = &network->end[i];
        states.floats = memory->state[i];
        rows_load(network, memory, states);
    }
    run_steps(pass);
    for (int i = 0; i < 2; i++) {
        states.place = &network->start_gradient[i];
        states.floats = memory->state[i];
        rows_store(network, memory, states);
    }
    run_gradients(pass);
}

/* What went into a layer: the input, or what the layer before has left. */
static void load_input(const struct network *network, const struct memory *memory, uint32_t layer)
{
    struct rows rows = {.outer = network->steps,
                        .inner = network->batch,
                        .elements = layer == 0 ? network->inputs : network->hidden,
                        .float_step = inputs_of(network, layer)};
    for (uint32_t i = 0; i < (layer == 0 ? 1 : network->directions); i++) {
        rows.place = layer == 0
                         ? &network->sequence
                         : &network->direction[(layer - 1) * network->directions + i].list[h_list(network)];
        rows.floats = memory->is_dry ? NULL : memory->input + i * network->hidden;
        rows_load(network, memory, rows);
    }
}

void run_backward(const struct network *network, struct memory *memory)
{
    const uint64_t between = network->directions * network->hidden;
    struct rows sequence = {.place = &network->output_gradient,
                            .outer = network->steps,
                            .inner = network->batch,
                            .elements = between,
                            .floats = memory->sequence[0],
                            .float_step = between};
    rows_load(network, memory, sequence);
    for (uint32_t layer = network->layers; layer-- > 0;) {
        load_input(network, memory, layer);
        for (uint32_t reverse = 0; reverse < network->directions; reverse++) {
            const uint32_t index = layer * network->directions + reverse;
            struct pass pass = {
                .network = network,
                .memory = memory,
                .direction = &network->direction[index],
                .layer = layer,
                .reverse = reverse,
                .index = index,
            };
            run_direction(&pass);
        }
        float *gradient = memory->sequence[1];
        memory->sequence[1] = memory->sequence[0];
        memory->sequence[0] = gradient;
    }
    sequence.place = &network->result;
    sequence.elements = sequence.float_step = network->inputs;
    sequence.floats = memory->sequence[0];
    rows_store(network, memory, sequence);
}
