/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What recurrent networks accept, and their plans.
 */
#include "ops/recurrent/contract.h"
#include "ops/dims.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/overlap.h"
#include "ops/sizes.h"
#include "tensor/dtype.h"

struct sizes {
    int64_t steps, batch, inputs, hidden, states; /* states: layers times directions */
    int64_t layers, directions, gates, weights; /* weights: tensors of params for each direction of a layer */
    bool is_packed;
};

static const struct recurrent *recurrent_of(const struct call *call)
{
    return call->function->of_family;
}

static bool is_backward(const struct call *call)
{
    return recurrent_of(call)->gradient != NO_PARAMETER;
}

static unsigned list_count(const struct call *call)
{
    return recurrent_of(call)->cell == CELL_LSTM ? LSTM_LISTS : GRU_LISTS;
}

/* States that are tensors of their own: h and c, or h. */
static unsigned state_count(const struct call *call)
{
    return recurrent_of(call)->cell == CELL_LSTM ? 2 : 1;
}

static bool is_list(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST;
}

static bool writes_lists(const struct call *call)
{
    return is_backward(call) || call->argument[recurrent_of(call)->train].boolean;
}

/* The dtype of all tensors is that of input. */
static aclnnStatus check_dtypes(const struct call *call)
{
    const struct recurrent *recurrent = recurrent_of(call);
    TRY(check_dtype(call, recurrent->input));
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        if (!parameter_is_tensor(parameter) || parameter->role != ROLE_READ || !call_has(call, i))
            continue;
        const struct tensor_view *view = is_list(call, i) ? call->values[i].value.tensor : &call->tensor[i];
        for (uint64_t k = 0; k < (is_list(call, i) ? call->values[i].count : 1); k++) {
            TRY(check_dtype_in_list(call, i, view[k].dtype));
            if (i != recurrent->batch_sizes && view[k].dtype != call->tensor[recurrent->input].dtype)
                return refuse(call, "%s has dtype %s; %s, the dtype of %s, is expected", call_name(call, i),
                              dtype_name(view[k].dtype), dtype_name(call->tensor[recurrent->input].dtype),
                              call_name(call, recurrent->input));
        }
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_shape_of(const struct call *call, unsigned parameter, const struct tensor_view *view,
                                  uint32_t rank, const int64_t *dim)
{
    bool is_right = view->rank == rank;
    for (uint32_t i = 0; is_right && i < rank; i++)
        is_right = view->shape[i] == dim[i];
    return is_right ? ACLNN_SUCCESS
                    : refuse(call, "%s has shape %s; %s, to which the other arguments lead, is expected",
                             call_name(call, parameter), shape_text(TEXT, view), dims_text(TEXT, rank, dim));
}

static aclnnStatus check_count(const struct call *call, unsigned list, int64_t count)
{
    return call->values[list].count == (uint64_t)count
               ? ACLNN_SUCCESS
               : refuse(call, "%s has %" PRIu64 " tensors; %" PRId64 " are expected", call_name(call, list),
                        call->values[list].count, count);
}

/* How many layers and directions there are, and so many weights. */
static aclnnStatus find_layers(const struct call *call, struct sizes *sizes)
{
    const struct recurrent *recurrent = recurrent_of(call);
    const uint64_t count = call->values[recurrent->params].count;
    sizes->layers = call->argument[recurrent->layers].int64;
    sizes->directions = call->argument[recurrent->bidirectional].boolean ? 2 : 1;
    sizes->gates = recurrent->cell == CELL_LSTM ? GATES_LSTM : GATES_GRU;
    sizes->weights = call->argument[recurrent->has_bias].boolean ? 4 : 2;
    if (sizes->layers < 1 || sizes->layers > INT64_MAX / 8)
        return refuse(call, "%s is %" PRId64 "; 1 or more is expected", call_name(call, recurrent->layers),
                      sizes->layers);
    sizes->states = sizes->layers * sizes->directions;
    if (count != (uint64_t)(sizes->states * sizes->weights))
        return refuse(call,
                      "%s has %" PRIu64 " tensors; %" PRId64 " are expected, %" PRId64
                      " for each direction of each layer",
                      call_name(call, recurrent->params), count, sizes->states * sizes->weights,
                      sizes->weights);
    return ACLNN_SUCCESS;
}

static aclnnStatus find_steps(const struct call *call, struct sizes *sizes)
{
    const struct recurrent *recurrent = recurrent_of(call);
    const struct tensor_view *input = &call->tensor[recurrent->input],
                             *batches = &call->tensor[recurrent->batch_sizes];
    sizes->is_packed = call_has_elements(call, recurrent->batch_sizes);
    if (sizes->is_packed && recurrent->cell == CELL_GRU)
        return refuse(call, "%s is given; of a GRU NULL is expected",
                      call_name(call, recurrent->batch_sizes));
    if (sizes->is_packed && batches->rank != 1)
        return refuse(call, "%s has %u dims; 1 is expected", call_name(call, recurrent->batch_sizes),
                      batches->rank);
    const uint32_t rank = sizes->is_packed ? 2 : 3;
    if (input->rank != rank)
        return refuse(call, "%s has %u dims; %u are expected", call_name(call, recurrent->input), input->rank,
                      rank);
    sizes->inputs = input->shape[rank - 1];
    if (!sizes->is_packed) {
        const bool batch_first = call->argument[recurrent->batch_first].boolean;
        sizes->steps = input->shape[batch_first];
        sizes->batch = input->shape[!batch_first];
        return ACLNN_SUCCESS;
    }
    sizes->steps = batches->shape[0];
    sizes->batch = input->shape[0] / sizes->steps;
    if (input->shape[0] % sizes->steps != 0)
        return refuse(call, "%s has shape %s; a multiple of %" PRId64 " rows, the number of %s, is expected",
                      call_name(call, recurrent->input), shape_text(TEXT, input), sizes->steps,
                      call_name(call, recurrent->batch_sizes));
    return ACLNN_SUCCESS;
}

/* Checks params, which has for each direction of each layer weights of inputs and of states, and biases of
 * both. */
static aclnnStatus check_params(const struct call *call, struct sizes *sizes)
{
    const unsigned params = recurrent_of(call)->params;
    const struct tensor_view *view = call->values[params].value.tensor;
    if (view[1].rank != 2)
        return refuse(call, "tensor 1 of %s has %u dims; 2 are expected", call_name(call, params),
                      view[1].rank);
    sizes->hidden = view[1].shape[1];
    if (sizes->hidden > HIDDEN_MOST)
        return refuse(call, "%s has shape %s; at most %d columns are expected", call_name(call, params),
                      shape_text(TEXT, &view[1]), HIDDEN_MOST);
    for (int64_t k = 0; k < sizes->states; k++, view += sizes->weights) {
        const int64_t rows = sizes->gates * sizes->hidden;
        const bool is_first = k < sizes->directions;
        const int64_t inputs = is_first ? sizes->inputs : sizes->directions * sizes->hidden;
        TRY(check_shape_of(call, params, &view[WEIGHT_INPUT], 2, (const int64_t[]){rows, inputs}));
        TRY(check_shape_of(call, params, &view[WEIGHT_STATE], 2, (const int64_t[]){rows, sizes->hidden}));
        for (int64_t i = BIAS_INPUT; i < sizes->weights; i++)
            TRY(check_shape_of(call, params, &view[i], 1, &rows));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_states(const struct call *call, const struct sizes *sizes)
{
    const unsigned start = recurrent_of(call)->start;
    const int64_t shape[] = {sizes->states, sizes->batch, sizes->hidden};
    if (!is_list(call, start))
        return call_has_elements(call, start) ? check_shape_of(call, start, &call->tensor[start], 3, shape)
                                              : ACLNN_SUCCESS;
    if (!call_has(call, start) || call->values[start].count == 0)
        return ACLNN_SUCCESS;
    TRY(check_count(call, start, 2));
    for (int i = 0; i < 2; i++)
        TRY(check_shape_of(call, start, &call->values[start].value.tensor[i], 3, shape));
    return ACLNN_SUCCESS;
}

/* What the forward pass leaves: of its tensors dtypes and overlaps are to be checked, too. */
static aclnnStatus check_lists(const struct call *call, const struct sizes *sizes)
{
    const struct recurrent *recurrent = recurrent_of(call);
    const aclDataType dtype = call->tensor[recurrent->input].dtype;
    const int64_t shape[] = {sizes->steps, sizes->batch, sizes->hidden};
    for (unsigned list = recurrent->lists; list < recurrent->lists + list_count(call); list++) {
        if (!call_has(call, list))
            return fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL; a tensor list is expected for training",
                        call->function->operation.name, call_name(call, list));
        TRY(check_count(call, list, sizes->states));
        for (int64_t k = 0; k < sizes->states; k++) {
            const struct tensor_view *view = &call->values[list].value.tensor[k];
            TRY(check_shape_of(call, list, view, 3, shape));
            if (is_backward(call))
                continue;
            if (view->dtype != dtype || view_overlaps_itself(view))
                return refuse(call,
                              "tensor %" PRId64
                              " of %s has dtype %s; %s and no indices that share an element are expected",
                              k, call_name(call, list), dtype_name(view->dtype), dtype_name(dtype));
        }
    }
    return ACLNN_SUCCESS;
}

static struct shape output_shape(const struct call *call, const struct sizes *sizes)
{
    const bool batch_first = !sizes->is_packed && call->argument[recurrent_of(call)->batch_first].boolean;
    return (struct shape){.rank = 3,
                          .dim = {batch_first ? sizes->batch : sizes->steps,
                                  batch_first ? sizes->steps : sizes->batch,
                                  sizes->directions * sizes->hidden}};
}

/* Backward: the gradients of what came out. */
static aclnnStatus check_gradients(const struct call *call, const struct sizes *sizes)
{
    const unsigned gradient = recurrent_of(call)->gradient;
    const struct shape output = output_shape(call, sizes);
    const int64_t state[] = {sizes->states, sizes->batch, sizes->hidden};
    for (unsigned i = 0; i <= state_count(call); i++)
        if (call_has_elements(call, gradient + i))
            TRY(check_shape_of(call, gradient + i, &call->tensor[gradient + i], 3,
                               i == 0 ? output.dim : state));
    return ACLNN_SUCCESS;
}

static void add_output(const struct call *call, struct result *result, const struct shape *shape)
{
    struct output *output = result_add(result, call->tensor[recurrent_of(call)->input].dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = *shape;
}

/* The elements of a shape can be counted. */
static aclnnStatus check_countable(const struct call *call, const struct shape *shape)
{
    return dims_are_countable(shape->rank, shape->dim)
               ? ACLNN_SUCCESS
               : refuse(call, "%s has more steps and sequences than can be counted",
                        call_name(call, recurrent_of(call)->input));
}

static aclnnStatus find_sizes(const struct call *call, struct sizes *sizes)
{
    TRY(check_dtypes(call));
    TRY(find_layers(call, sizes));
    TRY(find_steps(call, sizes));
    TRY(check_params(call, sizes));
    TRY(check_states(call, sizes));
    if (is_backward(call))
        TRY(check_gradients(call, sizes));
    return writes_lists(call) ? check_lists(call, sizes) : ACLNN_SUCCESS;
}

aclnnStatus network_infer(const struct call *call, struct result *result)
{
    const struct recurrent *recurrent = recurrent_of(call);
    struct sizes sizes;
    TRY(find_sizes(call, &sizes));
    const struct shape output = output_shape(call, &sizes),
                       states = {.rank = 3, .dim = {sizes.states, sizes.batch, sizes.hidden}};
    TRY(check_countable(call, &output));
    TRY(check_countable(call, &states));
    if (is_backward(call))
        result_add(result, call->tensor[recurrent->input].dtype, DTYPE_EQUAL)->like = recurrent->input;
    else
        add_output(call, result, &output);
    for (unsigned i = 0; i < state_count(call); i++)
        add_output(call, result, &states);
    if (is_backward(call)) {
        result_add(result, ACL_DT_UNDEFINED, DTYPE_EQUAL)->like = recurrent->params;
        return ACLNN_SUCCESS;
    }
    for (unsigned i = 0; i < list_count(call); i++) {
        /* They are judged above. */
        struct output *list = result_add(result, call->tensor[recurrent->input].dtype, DTYPE_EQUAL);
        list->shape_rule = SHAPE_ONE;
        list->like = recurrent->lists + i;
    }
    return ACLNN_SUCCESS;
}

static struct place place_of(const struct tensor_view *view, uint32_t address)
{
    struct place place = {.address = address, .is_given = view->count > 0};
    for (uint32_t i = 0; i < view->rank && i < 3; i++)
        place.stride[3 - view->rank + i] = view->stride[i];
    return place;
}

struct place network_place(const struct call *call, unsigned parameter)
{
    return call_has_elements(call, parameter)
               ? place_of(&call->tensor[parameter], call->first_operand[parameter])
               : (struct place){.is_given = false};
}

static struct place element_place(const struct call *call, unsigned list, uint64_t index)
{
    return place_of(&call->values[list].value.tensor[index], call->first_operand[list] + (uint32_t)index);
}

/* Sequences are (step, batch, element): batches may come first, or steps and batches are one dim. */
static struct place sequence_place(const struct call *call, unsigned parameter, const struct sizes *sizes)
{
    struct place place = network_place(call, parameter);
    if (call_has(call, parameter) && call->tensor[parameter].rank == 2) {
        place.stride[0] = place.stride[1] * sizes->batch;
    } else if (!sizes->is_packed && call->argument[recurrent_of(call)->batch_first].boolean) {
        const int64_t stride = place.stride[0];
        place.stride[0] = place.stride[1];
        place.stride[1] = stride;
    }
    return place;
}

static void fill_direction(const struct call *call, const struct sizes *sizes, uint64_t index,
                           struct direction *direction)
{
    const struct recurrent *recurrent = recurrent_of(call);
    const unsigned gradients = recurrent->out + 1 + state_count(call);
    const uint64_t weights = (uint64_t)sizes->weights;
    *direction = (struct direction){0};
    for (uint64_t i = 0; i < weights; i++) {
        direction->weight[i] = element_place(call, recurrent->params, index * weights + i);
        if (is_backward(call))
            direction->gradient[i] = element_place(call, gradients, index * weights + i);
    }
    for (unsigned i = 0; writes_lists(call) && i < list_count(call); i++)
        direction->list[i] = element_place(call, recurrent->lists + i, index);
}

static void fill_states(const struct call *call, struct network *network)
{
    const struct recurrent *recurrent = recurrent_of(call);
    for (unsigned i = 0; i < state_count(call); i++) {
        if (!is_list(call, recurrent->start))
            network->start[i] = network_place(call, recurrent->start);
        else if (call_has(call, recurrent->start) && call->values[recurrent->start].count > 0)
            network->start[i] = element_place(call, recurrent->start, i);
        const struct place out = network_place(call, recurrent->out + 1 + i);
        network->end[i] = is_backward(call) ? network_place(call, recurrent->gradient + 1 + i) : out;
        network->start_gradient[i] = out;
    }
}

/* A multiply-add in FLOAT takes some 30 ps, an element of a cell 4 ns; both three times that backward. */
static uint64_t cost_of(const struct network *network)
{
    const double rows = (double)network->steps * (double)network->batch,
                 width = (double)network_width(network), hidden = (double)network->hidden;
    double ns = 0;
    for (uint32_t layer = 0; layer < network->layers; layer++)
        ns += rows * network->directions *
              (width * ((double)inputs_of(network, layer) + hidden) * 0.03 + hidden * 4);
    ns *= network->is_backward ? 3 : 1;
    return ns < 1e18 ? (uint64_t)ns + 1000 : UINT64_MAX / 4;
}

aclnnStatus network_plan(const struct call *call, const struct result *result)
{
    const struct recurrent *recurrent = recurrent_of(call);
    struct sizes sizes;
    (void)result;
    TRY(find_sizes(call, &sizes));
    const size_t head = sizeof(struct network) + (size_t)sizes.states * sizeof(struct direction);
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, head, &content, &made));
    struct network *network = made;
    *network = (struct network){
        .cell = recurrent->cell,
        .is_backward = is_backward(call),
        .has_bias = sizes.weights == WEIGHTS,
        .is_exact = call->settings->accuracy == ACCURACY_EXACT,
        .has_lists = writes_lists(call),
        .dtype = call->tensor[recurrent->input].dtype,
        .bytes = dtype_bytes(call->tensor[recurrent->input].dtype),
        .layers = (uint32_t)sizes.layers,
        .directions = (uint32_t)sizes.directions,
        .gates = (uint32_t)sizes.gates,
        .steps = (uint64_t)sizes.steps,
        .batch = (uint64_t)sizes.batch,
        .inputs = (uint64_t)sizes.inputs,
        .hidden = (uint64_t)sizes.hidden,
        .level = call->settings->isa,
        .threads = call->settings->thread_count,
        .sequence = sequence_place(call, recurrent->input, &sizes),
        .result = sequence_place(call, recurrent->out, &sizes),
    };
    if (is_backward(call))
        network->output_gradient = sequence_place(call, recurrent->gradient, &sizes);
    if (sizes.is_packed)
        network->batch_sizes = network_place(call, recurrent->batch_sizes);
    fill_states(call, network);
    for (uint64_t k = 0; k < (uint64_t)sizes.states; k++)
        fill_direction(call, &sizes, k, &network->direction[k]);
    content->cost_ns = cost_of(network);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
