/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LSTM and GRU, in random sizes and layouts: the forward pass against loops over elements, the backward pass
 * against differences of the sums that these loops give. What is refused is in recurrent_refused.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/check.h"

#include <cmocka.h>

#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/attempt.h"
#include "ops/recurrent_reference.h"
#include "support/effort.h"
#include "support/open_stream.h"

/* The tensors of both passes. */
struct tensors {
    enum layout_kind kind; /* LAYOUT_KINDS: any */
    struct layout input, output, input_gradient, output_gradient, sizes;
    struct layout start[2], end[2], start_gradient[2], end_gradient[2];
    struct layout param[PARAMS_MOST], param_gradient[PARAMS_MOST], list[LISTS_MOST][STATES_MOST];
};

static struct layout create(const struct tensors *tensors, aclDataType dtype, unsigned rank,
                            const int64_t *shape)
{
    return layout_create(dtype, rank, shape,
                         tensors->kind == LAYOUT_KINDS ? (enum layout_kind)random_below(LAYOUT_REPEATED)
                                                       : tensors->kind);
}

static struct layout create_sequence(const struct net *net, const struct tensors *tensors, int64_t last,
                                     bool is_flat)
{
    const bool batch_first = net->batch_first && !net->is_packed;
    if (is_flat && net->is_packed)
        return create(tensors, net->dtype, 2, DIMS(net->steps * net->batch, last));
    return create(tensors, net->dtype, 3,
                  DIMS(batch_first ? net->batch : net->steps, batch_first ? net->steps : net->batch, last));
}

static struct tensors create_tensors(const struct net *net, const struct numbers *numbers,
                                     enum layout_kind kind)
{
    struct tensors tensors = {.kind = kind};
    const int64_t rows = gates_of(net) * net->hidden, width = net->directions * net->hidden;
    tensors.input = create_sequence(net, &tensors, net->inputs, true);
    tensors.input_gradient = create_sequence(net, &tensors, net->inputs, true);
    tensors.output = create_sequence(net, &tensors, width, false);
    tensors.output_gradient = create_sequence(net, &tensors, width, false);
    tensors.sizes = create(&tensors, ACL_INT64, 1, &net->steps);
    for (int64_t t = 0; t < net->steps; t++)
        memcpy(layout_element(&tensors.sizes, t), &net->sizes[t], sizeof net->sizes[t]);
    write_numbers(net, &tensors.input, true, numbers->input);
    for (int i = 0; i < 2; i++) {
        struct layout *const state[] = {&tensors.start[i], &tensors.end[i], &tensors.start_gradient[i],
                                        &tensors.end_gradient[i]};
        for (int k = 0; k < 4; k++)
            *state[k] = create(&tensors, net->dtype, 3, DIMS(states_of(net), net->batch, net->hidden));
        write_numbers(net, &tensors.start[i], false, numbers->start[i]);
    }
    for (int64_t s = 0; s < states_of(net); s++) {
        for (int i = 0; i < weights_of(net); i++) {
            const int64_t k = s * weights_of(net) + i, columns = i == 0 ? inputs_of(net, s) : net->hidden;
            tensors.param[k] = create(&tensors, net->dtype, i < 2 ? 2 : 1, DIMS(rows, columns));
            tensors.param_gradient[k] = create(&tensors, net->dtype, i < 2 ? 2 : 1, DIMS(rows, columns));
            write_numbers(net, &tensors.param[k], false, numbers->params[k]);
        }
        for (int k = 0; k < lists_of(net); k++)
            tensors.list[k][s] = create(&tensors, net->dtype, 3, DIMS(net->steps, net->batch, net->hidden));
    }
    return tensors;
}

/* Lists are destroyed with their tensors; what is left is memory. */
static void free_layouts(struct layout *layouts, int count, bool has_tensors)
{
    for (int i = 0; i < count; i++)
        if (layouts[i].memory != NULL) {
            if (has_tensors)
                assert_int_equal(aclDestroyTensor(layouts[i].tensor), 0);
            assert_int_equal(aclrtFree(memory_known_as(layouts[i].memory)), 0);
        }
}

static void free_tensors(struct tensors *tensors)
{
    const size_t count = (sizeof *tensors - offsetof(struct tensors, input)) / sizeof(struct layout);
    free_layouts(&tensors->input, (int)count, true);
}

static aclTensorList *list_of(struct layout *layouts, int64_t count)
{
    const aclTensor *tensor[PARAMS_MOST];
    for (int64_t i = 0; i < count; i++) {
        const struct layout *own = &layouts[i];
        const int64_t storage = own->reach + 1;
        tensor[i] = aclCreateTensor(own->shape, own->rank, own->dtype, own->stride, own->offset,
                                    ACL_FORMAT_ND, &storage, 1, memory_known_as(own->memory));
    }
    return aclCreateTensorList(tensor, (uint64_t)count);
}

static aclnnStatus finish(aclnnStatus status, const uint64_t *workspace, aclOpExecutor *const *executor,
                          aclnnStatus (*launch)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    if (status != 0)
        return status;
    assert_int_equal(*workspace, 0);
    assert_int_equal(launch(NULL, 0, *executor, stream), 0);
    return aclrtSynchronizeStream(stream);
}

/* has_start: with hx, and the gradients of hy and cy. */
static aclnnStatus call(const struct net *net, struct tensors *tensors, bool is_backward, bool has_lists,
                        bool has_start)
{
    const int64_t states = states_of(net);
    aclTensorList *list[LISTS_MOST], *params = list_of(tensors->param, states * weights_of(net)),
                                     *gradients = list_of(tensors->param_gradient, states * weights_of(net)),
                                     *start = has_start ? list_of(tensors->start, 2) : NULL;
    const aclTensor *sizes = net->is_packed ? tensors->sizes.tensor : NULL;
    aclTensor *h = has_start ? tensors->start[0].tensor : NULL;
    const bool both = net->directions == 2;
    uint64_t bytes = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus status;
    for (int k = 0; k < LISTS_MOST; k++)
        list[k] = has_lists && k < lists_of(net) ? list_of(tensors->list[k], states) : NULL;
    const struct tensors *t = tensors;
    if (net->is_gru && !is_backward)
        status = finish(aclnnGRUGetWorkspaceSize(t->input.tensor, params, h, sizes, net->has_bias,
                                                 net->layers, 0, has_lists, both, net->batch_first,
                                                 t->output.tensor, t->end[0].tensor, list[0], list[1],
                                                 list[2], list[3], list[4], &bytes, &executor),
                        &bytes, &executor, aclnnGRU);
    else if (net->is_gru)
        status = finish(aclnnGRUBackwardGetWorkspaceSize(
                            t->input.tensor, params, h, t->output_gradient.tensor, t->end_gradient[0].tensor,
                            list[0], list[1], list[2], list[3], list[4], sizes, net->has_bias, net->layers,
                            both, net->batch_first, t->input_gradient.tensor, t->start_gradient[0].tensor,
                            gradients, &bytes, &executor),
                        &bytes, &executor, aclnnGRUBackward);
    else if (!is_backward)
        status = finish(aclnnLSTMGetWorkspaceSize(
                            t->input.tensor, params, start, sizes, net->has_bias, net->layers, 0, has_lists,
                            both, net->batch_first, t->output.tensor, t->end[0].tensor, t->end[1].tensor,
                            list[0], list[1], list[2], list[3], list[4], list[5], list[6], &bytes, &executor),
                        &bytes, &executor, aclnnLSTM);
    else
        status =
            finish(aclnnLstmBackwardGetWorkspaceSize(
                       t->input.tensor, start, params, t->output_gradient.tensor, t->end_gradient[0].tensor,
                       t->end_gradient[1].tensor, list[0], list[1], list[2], list[3], list[4], list[5],
                       list[6], sizes, net->has_bias, net->layers, 0, true, both, net->batch_first, NULL,
                       t->input_gradient.tensor, t->start_gradient[0].tensor, t->start_gradient[1].tensor,
                       gradients, &bytes, &executor),
                   &bytes, &executor, aclnnLstmBackward);
    for (int k = 0; k < LISTS_MOST; k++)
        (void)aclDestroyTensorList(list[k]);
    (void)aclDestroyTensorList(params);
    (void)aclDestroyTensorList(gradients);
    (void)aclDestroyTensorList(start);
    return status;
}

/* Half an ulp at 1 for what is stored, and the roundings of a few steps. */
static double tolerance_of(aclDataType dtype)
{
    return dtype == ACL_FLOAT ? 3e-6 : dtype == ACL_FLOAT16 ? 4e-3 : 3e-2;
}

static void assert_close(const struct net *net, const struct layout *layout, bool is_sequence,
                         const double *expected, const char *name)
{
    for (int64_t i = 0; i < layout->count; i++) {
        const double found = number_at(net, layout, is_sequence, i);
        const double size = fabs(expected[i]) > 1 ? fabs(expected[i]) : 1;
        if (!(fabs(found - expected[i]) <= tolerance_of(net->dtype) * size))
            fail_msg("%s: %s[%lld] is %g; %g is expected (steps %lld, batch %lld, inputs %lld, hidden %lld, "
                     "layers %lld, directions %lld)",
                     net->is_gru ? "GRU" : "LSTM", name, (long long)i, found, expected[i],
                     (long long)net->steps, (long long)net->batch, (long long)net->inputs,
                     (long long)net->hidden, (long long)net->layers, (long long)net->directions);
    }
}

/* Other layouts give the same bits. */
static void assert_same_bits(const struct layout *a, const struct layout *b)
{
    for (int64_t i = 0; i < a->count; i++)
        assert_memory_equal(layout_element(a, i), layout_element(b, i), a->bytes);
}

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

/* One layer of whole vectors, whose sequences may be used where they lie. */
static void fill_vectors(struct net *net)
{
    net->layers = 1;
    net->inputs = 16 * (1 + random_below(2));
    net->hidden = 16;
}

static void forward_passes(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(90); round++) {
        struct net net = draw_net(dtypes[round % 3], round % 10 == 0 ? 60 : 20);
        if (round % 6 == 3)
            fill_vectors(&net);
        const bool has_lists = random_below(3) > 0, has_start = random_below(3) > 0;
        const struct numbers numbers = draw_numbers(&net);
        struct tensors tensors = create_tensors(&net, &numbers, LAYOUT_KINDS),
                       plain = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS);
        if (!has_start)
            for (int i = 0; i < 2; i++)
                memset(numbers.start[i], 0,
                       (size_t)(states_of(&net) * net.batch * net.hidden) * sizeof(double));
        forward(&net, &numbers, true);
        if (call(&net, &tensors, false, has_lists, has_start) != 0 ||
            call(&net, &plain, false, has_lists, has_start) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_close(&net, &tensors.output, true, numbers.output, "output");
        assert_close(&net, &tensors.end[0], false, numbers.end[0], "hy");
        if (!net.is_gru)
            assert_close(&net, &tensors.end[1], false, numbers.end[1], "cy");
        for (int64_t s = 0; has_lists && s < states_of(&net); s++)
            for (int k = 0; k < lists_of(&net); k++)
                assert_close(&net, &tensors.list[k][s], false, numbers.list[k][s], "a list");
        assert_same_bits(&tensors.output, &plain.output);
        assert_same_bits(&tensors.end[0], &plain.end[0]);
        free_tensors(&tensors);
        free_tensors(&plain);
        free_numbers(&numbers);
    }
}

/* What the gradients are of: everything that comes out, by the gradients that go in. */
static double weighted_sum(const struct net *net, const struct numbers *numbers, double *const *gradient)
{
    const int64_t states = states_of(net) * net->batch * net->hidden;
    double sum = 0;
    forward(net, numbers, false);
    for (int64_t i = 0; i < net->steps * net->batch * net->directions * net->hidden; i++)
        sum += numbers->output[i] * gradient[0][i];
    for (int k = 0; k < (net->is_gru ? 1 : 2); k++)
        for (int64_t i = 0; i < states; i++)
            sum += numbers->end[k][i] * gradient[1 + k][i];
    return sum;
}

/* Some elements of a gradient: by how much the sum grows with what the gradient is of. */
static void assert_gradient(const struct net *net, const struct numbers *numbers, double *const *gradient,
                            double *of, const struct layout *layout, bool is_sequence, const char *name)
{
    const double change = 1e-5;
    for (int n = 0; n < 12 && layout->count > 0; n++) {
        const int64_t i = random_below(layout->count);
        const double kept = of[i], found = number_at(net, layout, is_sequence, i);
        of[i] = kept + change;
        const double above = weighted_sum(net, numbers, gradient);
        of[i] = kept - change;
        const double expected = (above - weighted_sum(net, numbers, gradient)) / (2 * change);
        of[i] = kept;
        if (!(fabs(found - expected) <= 8 * tolerance_of(net->dtype) * (1 + fabs(expected))))
            fail_msg("%s: %s[%lld] is %g; %g is expected", net->is_gru ? "GRU" : "LSTM", name, (long long)i,
                     found, expected);
    }
}

static void backward_passes(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(60); round++) {
        struct net net = draw_net(dtypes[round % 3], round % 10 == 0 ? 40 : 9);
        if (round % 6 == 3)
            fill_vectors(&net);
        const struct numbers numbers = draw_numbers(&net);
        struct tensors tensors = create_tensors(&net, &numbers, LAYOUT_KINDS);
        const struct layout *const given[] = {&tensors.output_gradient, &tensors.end_gradient[0],
                                              &tensors.end_gradient[1]};
        double *gradient[3];
        for (int i = 0; i < 3; i++) {
            gradient[i] = drawn(given[i]->count, 1, net.dtype);
            write_numbers(&net, given[i], i == 0, gradient[i]);
        }
        if (call(&net, &tensors, false, true, true) != 0 || call(&net, &tensors, true, true, true) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        assert_gradient(&net, &numbers, gradient, numbers.input, &tensors.input_gradient, true, "dxOut");
        for (int i = 0; i < (net.is_gru ? 1 : 2); i++)
            assert_gradient(&net, &numbers, gradient, numbers.start[i], &tensors.start_gradient[i], false,
                            i == 0 ? "dhPrevOut" : "dcPrevOut");
        for (int64_t k = 0; k < states_of(&net) * weights_of(&net); k++)
            assert_gradient(&net, &numbers, gradient, numbers.params[k], &tensors.param_gradient[k], false,
                            "dparamsOut");
        for (int i = 0; i < 3; i++)
            free(gradient[i]);
        free_tensors(&tensors);
        free_numbers(&numbers);
    }
}

/* Another tensor of this layout on the memory of that one. */
static struct layout moved(const struct layout *layout, const struct layout *to)
{
    struct layout moved = *layout;
    moved.memory = to->memory;
    moved.tensor = aclCreateTensor(moved.shape, moved.rank, moved.dtype, moved.stride, 0, ACL_FORMAT_ND,
                                   moved.shape, moved.rank, memory_known_as(moved.memory));
    return moved;
}

/* output takes the memory of input or of parameters, hy that of hx. */
static void outputs_may_be_inputs(void **state)
{
    (void)state;
    struct net net = {.dtype = ACL_FLOAT,
                      .has_bias = true,
                      .steps = 4,
                      .batch = 4,
                      .inputs = 12,
                      .hidden = 6,
                      .layers = 2,
                      .directions = 2,
                      .sizes = {4, 4, 4, 4}};
    for (int round = 0; round < 12; round++) {
        net.is_gru = round % 2 == 1;
        /* Sequences of one layer that lie as those of the scratch do are used where they are. */
        net.layers = round < 6 ? 2 : 1;
        net.inputs = round < 6 ? 12 : 32;
        net.hidden = round < 6 ? 6 : 16;
        const struct numbers numbers = draw_numbers(&net);
        struct tensors apart = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS),
                       tensors = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS);
        const struct layout *const met[] = {&tensors.input, &tensors.param[4],
                                            &tensors.param[net.layers == 1 ? 5 : 8]};
        const struct layout output = tensors.output, end = tensors.end[0];
        tensors.output = moved(&output, met[round / 2 % 3]);
        tensors.end[0] = moved(&end, &tensors.start[0]);
        assert_int_equal(call(&net, &apart, false, true, true), 0);
        assert_int_equal(call(&net, &tensors, false, true, true), 0);
        assert_same_bits(&apart.output, &tensors.output);
        assert_same_bits(&apart.end[0], &tensors.end[0]);
        assert_int_equal(aclDestroyTensor(tensors.output.tensor), 0);
        assert_int_equal(aclDestroyTensor(tensors.end[0].tensor), 0);
        tensors.output = output;
        tensors.end[0] = end;
        free_tensors(&apart);
        free_tensors(&tensors);
        free_numbers(&numbers);
    }
}

/* The gradient of the input takes the memory of the input, of the output's gradient or of what the forward pass left:
 * earlier states, which lie there first, push out nothing that is still to be read. */
static void a_gradient_may_be_what_is_read(void **state)
{
    (void)state;
    struct net net = {.dtype = ACL_FLOAT,
                      .steps = 4,
                      .batch = 3,
                      .inputs = 16,
                      .hidden = 16,
                      .layers = 1,
                      .directions = 1,
                      .sizes = {3, 3, 3, 3}};
    for (int round = 0; round < 10; round++) {
        net.is_gru = round % 2 == 1;
        const struct numbers numbers = draw_numbers(&net);
        struct tensors apart = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS),
                       tensors = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS);
        const struct layout *const met[] = {&tensors.input, &tensors.output_gradient, &tensors.list[0][0],
                                            &tensors.list[1][0], &tensors.list[lists_of(&net) - 1][0]};
        const struct layout gradient = tensors.input_gradient;
        const size_t bytes = (size_t)apart.output_gradient.count * apart.output_gradient.bytes;
        layout_fill(&apart.output_gradient, 1, false);
        memcpy(tensors.output_gradient.memory, apart.output_gradient.memory, bytes);
        assert_int_equal(call(&net, &apart, false, true, true), 0);
        assert_int_equal(call(&net, &tensors, false, true, true), 0);
        tensors.input_gradient = moved(&gradient, met[round / 2]);
        assert_int_equal(call(&net, &apart, true, true, true), 0);
        assert_int_equal(call(&net, &tensors, true, true, true), 0);
        assert_same_bits(&apart.input_gradient, &tensors.input_gradient);
        for (int64_t k = 0; k < weights_of(&net); k++)
            assert_same_bits(&apart.param_gradient[k], &tensors.param_gradient[k]);
        assert_int_equal(aclDestroyTensor(tensors.input_gradient.tensor), 0);
        tensors.input_gradient = gradient;
        free_tensors(&apart);
        free_tensors(&tensors);
        free_numbers(&numbers);
    }
}

/* The gradient of the output is used where it lies; behind its end nothing is mapped, and before it lies that of the
 * input, whose memory has earlier states in it as long as they have room there. */
static void a_gradient_may_end_where_memory_does(void **state)
{
    enum { PIECE = 2 << 20 };
    static const aclrtPhysicalMemProp device_memory = {.memAttr = ACL_HBM_MEM_HUGE,
                                                       .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    struct net net = {.dtype = ACL_FLOAT, .steps = 2, .batch = 2, .inputs = 16, .layers = 1, .sizes = {2, 2}};
    aclrtDrvMemHandle handle;
    unsigned char *base = NULL;
    (void)state;
    assert_int_equal(aclrtReserveMemAddress((void **)&base, 2 * PIECE, 0, NULL, 0), 0);
    assert_int_equal(aclrtMallocPhysical(&handle, PIECE, &device_memory, 0), 0);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    for (int round = 0; round < 12; round++) {
        net.is_gru = round % 2 == 1;
        net.directions = 1 + round / 6;
        net.hidden = (int64_t[]){8, 24, 32}[round / 2 % 3];
        const struct numbers numbers = draw_numbers(&net);
        struct tensors tensors = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS);
        const struct layout gradient = tensors.output_gradient, input_gradient = tensors.input_gradient;
        const size_t bytes = (size_t)gradient.count * gradient.bytes;
        layout_fill(&gradient, 1, false);
        assert_int_equal(call(&net, &tensors, false, true, true), 0);
        assert_int_equal(call(&net, &tensors, true, true, true), 0);
        tensors.output_gradient.memory = memory_reach(base + PIECE - bytes);
        tensors.input_gradient.memory = (unsigned char *)tensors.output_gradient.memory -
                                        (size_t)input_gradient.count * input_gradient.bytes;
        memcpy(tensors.output_gradient.memory, gradient.memory, bytes);
        tensors.output_gradient = moved(&gradient, &tensors.output_gradient);
        tensors.input_gradient = moved(&input_gradient, &tensors.input_gradient);
        assert_int_equal(call(&net, &tensors, true, true, true), 0);
        assert_same_bits(&input_gradient, &tensors.input_gradient);
        assert_same_bits(&gradient, &tensors.output_gradient);
        assert_int_equal(aclDestroyTensor(tensors.output_gradient.tensor), 0);
        assert_int_equal(aclDestroyTensor(tensors.input_gradient.tensor), 0);
        tensors.output_gradient = gradient;
        tensors.input_gradient = input_gradient;
        free_tensors(&tensors);
        free_numbers(&numbers);
    }
    assert_int_equal(aclrtUnmapMem(base) | aclrtFreePhysical(handle) | aclrtReleaseMemAddress(base), 0);
}

static void batch_sizes_that_grow_fail(void **state)
{
    (void)state;
    struct net net = {.dtype = ACL_FLOAT,
                      .steps = 3,
                      .batch = 3,
                      .inputs = 2,
                      .hidden = 2,
                      .layers = 1,
                      .directions = 1,
                      .is_packed = true};
    static const int64_t sizes[][3] = {{3, 1, 2}, {4, 1, 1}, {3, 1, -1}};
    for (int i = 0; i < 3; i++) {
        memcpy(net.sizes, sizes[i], sizeof sizes[i]);
        const struct numbers numbers = draw_numbers(&net);
        struct tensors tensors = create_tensors(&net, &numbers, LAYOUT_CONTIGUOUS);
        assert_int_equal(call(&net, &tensors, false, true, true), 507035);
        const char *sentence = aclGetRecentErrMsg();
        assert_non_null(sentence);
        assert_non_null(strstr(sentence, "batchSizes"));
        free_tensors(&tensors);
        free_numbers(&numbers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_passes),
        cmocka_unit_test(backward_passes),
        cmocka_unit_test(outputs_may_be_inputs),
        cmocka_unit_test(a_gradient_may_be_what_is_read),
        cmocka_unit_test(a_gradient_may_end_where_memory_does),
        cmocka_unit_test(batch_sizes_that_grow_fail),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
