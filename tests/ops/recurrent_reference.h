/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Recurrent networks of random sizes, and what comes out of them, by loops over elements in doubles. Include
 * cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_RECURRENT_REFERENCE_H
#define BELAY_TESTS_OPS_RECURRENT_REFERENCE_H

#include <math.h>

#include "ops/layout.h"

enum { LISTS_MOST = 7, STATES_MOST = 4, PARAMS_MOST = STATES_MOST * 4, STEPS_MOST = 16 };

struct net {
    bool is_gru, has_bias, batch_first, is_packed;
    aclDataType dtype;
    int64_t steps, batch, inputs, hidden, layers, directions;
    int64_t sizes[STEPS_MOST];
};

/* Everything about a call, as doubles, in the order of contiguous tensors with the steps first. */
struct numbers {
    double *input, *params[PARAMS_MOST], *start[2]; /* what goes in */
    double *output, *end[2], *list[LISTS_MOST][STATES_MOST];
};

static inline int64_t states_of(const struct net *net)
{
    return net->layers * net->directions;
}

static inline int gates_of(const struct net *net)
{
    return net->is_gru ? 3 : 4;
}

static inline int lists_of(const struct net *net)
{
    return net->is_gru ? 5 : 7;
}

static inline int weights_of(const struct net *net)
{
    return net->has_bias ? 4 : 2;
}

static inline int64_t inputs_of(const struct net *net, int64_t state)
{
    return state < net->directions ? net->inputs : net->directions * net->hidden;
}

/* Elements of parameter i of a direction of a layer. */
static inline int64_t param_count(const struct net *net, int64_t state, int i)
{
    return gates_of(net) * net->hidden * (i == 0 ? inputs_of(net, state) : i == 1 ? net->hidden : 1);
}

static inline double rounded(double value, aclDataType dtype)
{
    unsigned char element[8];
    conversion_reference(&value, ACL_DOUBLE, element, dtype);
    conversion_reference(element, dtype, &value, ACL_DOUBLE);
    return value;
}

static inline double *room_for(int64_t count)
{
    double *room = calloc((size_t)count + 1, sizeof *room);
    assert_non_null(room);
    return room;
}

static inline double *drawn(int64_t count, double size, aclDataType dtype)
{
    double *numbers = room_for(count);
    for (int64_t i = 0; i < count; i++)
        numbers[i] = rounded(draw_number(size, false), dtype);
    return numbers;
}

static inline double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

/* One sum of a row of weights and its bias. */
static inline double product(const struct net *net, const double *weight, const double *bias, int64_t row,
                             const double *x, int64_t count)
{
    double sum = net->has_bias ? bias[row] : 0;
    for (int64_t k = 0; k < count; k++)
        sum += weight[row * count + k] * x[k];
    return sum;
}

/* Step t of sequence b; h and c are its states. Rounds what is stored where is_rounded. */
static inline void step(const struct net *net, double *const *param, const double *x, int64_t inputs,
                        double *h, double *c, double *const *list, bool is_rounded)
{
    const int64_t n = net->hidden;
    double next[64];
    for (int64_t j = 0; j < n; j++) {
        double of_input[4], of_state[4], value[LISTS_MOST];
        for (int g = 0; g < gates_of(net); g++) {
            of_input[g] = product(net, param[0], param[2], g * n + j, x, inputs);
            of_state[g] = product(net, param[1], param[3], g * n + j, h, n);
        }
        if (net->is_gru) {
            const double r = logistic(of_input[0] + of_state[0]), z = logistic(of_input[1] + of_state[1]);
            const double new_one = tanh(of_input[2] + r * of_state[2]);
            const double result = (1 - z) * new_one + z * h[j];
            next[j] = is_rounded ? rounded(result, net->dtype) : result;
            memcpy(value, (double[]){r, z, new_one, of_state[2], next[j]}, 5 * sizeof *value);
        } else {
            const double i = logistic(of_input[0] + of_state[0]), f = logistic(of_input[1] + of_state[1]),
                         g = tanh(of_input[2] + of_state[2]), o = logistic(of_input[3] + of_state[3]);
            c[j] = f * c[j] + i * g;
            c[j] = is_rounded ? rounded(c[j], net->dtype) : c[j];
            next[j] = is_rounded ? rounded(o * tanh(c[j]), net->dtype) : o * tanh(c[j]);
            memcpy(value, (double[]){i, g, f, o, next[j], c[j], tanh(c[j])}, 7 * sizeof *value);
        }
        for (int k = 0; list != NULL && k < lists_of(net); k++)
            list[k][j] = value[k];
    }
    memcpy(h, next, (size_t)n * sizeof *h);
}

static inline void forward(const struct net *net, const struct numbers *numbers, bool has_lists)
{
    const int64_t width = net->directions * net->hidden;
    double *input = numbers->input, *output = NULL;
    for (int64_t s = 0; s < states_of(net); s++) {
        const int64_t direction = s % net->directions, state = net->batch * net->hidden;
        double *const *param = &numbers->params[s * weights_of(net)];
        if (direction == 0)
            output = room_for(net->steps * net->batch * width);
        double *h = numbers->end[0] + s * state, *c = numbers->end[1] + s * state;
        memcpy(h, numbers->start[0] + s * state, (size_t)state * sizeof *h);
        memcpy(c, numbers->start[1] + s * state, (size_t)state * sizeof *c);
        for (int64_t i = 0; i < net->steps; i++) {
            const int64_t t = direction == 1 ? net->steps - 1 - i : i;
            for (int64_t b = 0; b < net->sizes[t]; b++) {
                const int64_t at = t * net->batch + b;
                double *list[LISTS_MOST];
                for (int k = 0; k < lists_of(net); k++)
                    list[k] = numbers->list[k][s] + at * net->hidden;
                step(net, param, input + at * inputs_of(net, s), inputs_of(net, s), h + b * net->hidden,
                     c + b * net->hidden, has_lists ? list : NULL, has_lists);
                memcpy(output + at * width + direction * net->hidden, h + b * net->hidden,
                       (size_t)net->hidden * sizeof *h);
            }
        }
        if (direction + 1 < net->directions)
            continue;
        if (input != numbers->input)
            free(input);
        input = output;
    }
    memcpy(numbers->output, output, (size_t)(net->steps * net->batch * width) * sizeof *output);
    free(output);
}

static inline struct net draw_net(aclDataType dtype, int64_t hidden_most)
{
    struct net net = {.is_gru = random_below(2) == 0,
                      .has_bias = random_below(3) > 0,
                      .batch_first = random_below(2) == 0,
                      .dtype = dtype,
                      .steps = random_below(8),
                      .batch = random_below(6),
                      .inputs = random_below(hidden_most),
                      .hidden = 1 + random_below(hidden_most),
                      .layers = 1 + random_below(2),
                      .directions = 1 + random_below(2)};
    net.is_packed = !net.is_gru && net.steps > 0 && random_below(2) == 0;
    for (int64_t t = 0, size = net.batch; t < net.steps; t++) {
        size -= net.is_packed && t > 0 && size > 0 ? random_below(3) : 0;
        net.sizes[t] = size = size < 0 ? 0 : size;
    }
    return net;
}

static inline struct numbers draw_numbers(const struct net *net)
{
    const int64_t states = states_of(net) * net->batch * net->hidden;
    struct numbers numbers = {.input = drawn(net->steps * net->batch * net->inputs, 1, net->dtype)};
    for (int64_t s = 0; s < states_of(net); s++)
        for (int i = 0; i < weights_of(net); i++)
            numbers.params[s * weights_of(net) + i] = drawn(param_count(net, s, i), 0.5, net->dtype);
    for (int i = 0; i < 2; i++) {
        numbers.start[i] = drawn(states, 1, net->dtype);
        numbers.end[i] = room_for(states);
    }
    numbers.output = room_for(net->steps * net->batch * net->directions * net->hidden);
    for (int k = 0; k < lists_of(net); k++)
        for (int64_t s = 0; s < states_of(net); s++)
            numbers.list[k][s] = room_for(net->steps * net->batch * net->hidden);
    return numbers;
}

static inline void free_numbers(const struct numbers *numbers)
{
    free(numbers->input);
    free(numbers->output);
    for (int i = 0; i < PARAMS_MOST; i++)
        free(numbers->params[i]);
    for (int i = 0; i < 2; i++) {
        free(numbers->start[i]);
        free(numbers->end[i]);
    }
    for (int k = 0; k < LISTS_MOST; k++)
        for (int s = 0; s < STATES_MOST; s++)
            free(numbers->list[k][s]);
}

/* Where sequences lie batch first, the tensor's elements are in another order than the numbers. */
static inline int64_t element_index(const struct net *net, const struct layout *layout, bool is_sequence,
                                    int64_t i)
{
    if (!is_sequence || !net->batch_first || net->is_packed || layout->rank != 3)
        return i;
    const int64_t last = layout->shape[2], row = i / last, t = row / net->batch, b = row % net->batch;
    return (b * net->steps + t) * last + i % last;
}

static inline void write_numbers(const struct net *net, const struct layout *layout, bool is_sequence,
                                 const double *numbers)
{
    for (int64_t i = 0; i < layout->count; i++)
        conversion_reference(&numbers[i], ACL_DOUBLE,
                             layout_element(layout, element_index(net, layout, is_sequence, i)),
                             layout->dtype);
}

static inline double number_at(const struct net *net, const struct layout *layout, bool is_sequence,
                               int64_t i)
{
    double number;
    conversion_reference(layout_element(layout, element_index(net, layout, is_sequence, i)), layout->dtype,
                         &number, ACL_DOUBLE);
    return number;
}

#endif
