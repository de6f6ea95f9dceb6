/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * DynamicRNN, DynamicRNNV2 and their gradients by their names: a long short-term memory of one layer and one
 * direction, of which torch_npu under Ascend910 makes those of several, and its LSTMCell. The weights lie on
 * their sides, (I, 4H) and (H, 4H), in V2 in two tensors, else above each other in one: aclnnLSTM and
 * aclnnLstmBackward take that as strides.
 */
#include <string.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "ops/by_name.h"
#include "ops/by_name/program.h"
#include "ops/by_name/run.h"
#include "base/error.h"
#include "runtime/named/op_attribute.h"
#include "tensor/dtype.h"

enum { X, W, B, SEQUENCE_LENGTH, START_H, START_C, INPUTS };
enum { Y, OUTPUT_H, OUTPUT_C, GATE_I, GATE_J, GATE_F, GATE_O, TANH_C, OUTPUTS };

/* Inputs of the gradient: x, w and b as above (in V2 the second weight where b is), y, the states before,
 * what the forward pass has left, lengths and a mask of sequences, peepholes. */
enum {
    OF_Y = 3,
    OF_START_H,
    OF_START_C,
    OF_H,
    OF_C,
    DY,
    DH,
    DC,
    OF_I,
    OF_J,
    OF_F,
    OF_O,
    OF_TANH_C,
    OF_LENGTH,
    OF_MASK,
    PEEPHOLES,
    GRADIENT_INPUTS = PEEPHOLES + 3
};
enum { DW, DB, DX, DH_BEFORE, DC_BEFORE, GRADIENTS };

/* Steps, sequences, elements of one, elements of a state. */
struct sizes {
    int64_t t, n, i, h;
    aclDataType dtype;
};

/* Objects of one call, in the order in which they were made. */
struct objects {
    bool has_failed;
    int tensors, lists;
    aclTensor *tensor[32]; /* at once: lists take theirs */
    aclTensorList *list[16];
};

static aclTensor *tensor_at(struct objects *made, void *address, aclDataType dtype, uint64_t rank,
                            const int64_t *shape, const int64_t *stride)
{
    int64_t reach = 1;
    for (uint64_t k = 0; k < rank; k++)
        reach += (shape[k] - 1) * stride[k];
    aclTensor *tensor = aclCreateTensor(shape, rank, dtype, stride, 0, ACL_FORMAT_ND, &reach, 1, address);
    made->has_failed = made->has_failed || tensor == NULL;
    return made->tensor[made->tensors++] = tensor;
}

/* (a, b, c), packed. */
static aclTensor *packed(struct objects *made, const struct named_operand *operand, int64_t a, int64_t b,
                         int64_t c)
{
    const int64_t shape[] = {a, b, c}, stride[] = {b * c, c, 1};
    return tensor_at(made, operand->address, operand->view.dtype, 3, shape, stride);
}

/* The last so many tensors, which belong to the list from now on. */
static aclTensorList *list_of(struct objects *made, int tensors)
{
    aclTensorList *list = NULL;
    if (!made->has_failed)
        list = aclCreateTensorList((const aclTensor *const *)(made->tensor + made->tensors - tensors),
                                   (uint64_t)tensors);
    if (list != NULL)
        made->tensors -= tensors;
    made->has_failed = made->has_failed || list == NULL;
    return made->list[made->lists++] = list;
}

static void destroy(const struct objects *made)
{
    for (int i = 0; i < made->lists; i++)
        aclDestroyTensorList(made->list[i]);
    for (int i = 0; i < made->tensors; i++)
        aclDestroyTensor(made->tensor[i]);
}

/* Where the parameters lie: W_ih (I, 4H), W_hh (H, 4H) and both biases (4H). */
struct params {
    void *ih, *hh, *b, *second;
};

static aclTensorList *params_list(struct objects *made, const struct sizes *sizes,
                                  const struct params *params)
{
    const int64_t gates = 4 * sizes->h, stride[] = {1, gates};
    tensor_at(made, params->ih, sizes->dtype, 2, (const int64_t[]){gates, sizes->i}, stride);
    tensor_at(made, params->hh, sizes->dtype, 2, (const int64_t[]){gates, sizes->h}, stride);
    tensor_at(made, params->b, sizes->dtype, 1, &gates, stride);
    tensor_at(made, params->second, sizes->dtype, 1, &gates, stride);
    return list_of(made, 4);
}

/* Whether an operand, if it is there, has count elements, whatever dims of size 1 there are. */
static bool holds(const struct named_operand *operand, const struct sizes *sizes, int64_t count)
{
    return !operand->is_there || (operand->view.dtype == sizes->dtype &&
                                  operand->view.bytes == (size_t)count * dtype_bytes(sizes->dtype));
}

/* What torch calls i, f, g, o; and the order that it is where nobody says. */
static bool has_our_gates(const aclopAttr *attr)
{
    const char *order = op_attribute_text(attr, "gate_order", "ijfo");
    return strcmp(order, "ifjo") == 0 || strcmp(order, "ifco") == 0;
}

static bool knows_gates(const aclopAttr *attr)
{
    return has_our_gates(attr) || strcmp(op_attribute_text(attr, "gate_order", "ijfo"), "ijfo") == 0;
}

static bool is_tanh(const char *activation)
{
    return activation[0] == '\0' || strcmp(activation, "tanh") == 0;
}

/* What there is of it: gates in this order, one direction, nothing beside the cell. torch_npu gives
 * cell_type, cell_depth and keep_prob other values in the gradient, where they say nothing. */
static bool knows_attributes(const aclopAttr *attr, bool is_gradient)
{
    return strcmp(op_attribute_text(attr, "direction", "UNIDIRECTIONAL"), "UNIDIRECTIONAL") == 0 &&
           knows_gates(attr) && is_tanh(op_attribute_text(attr, "activation", "tanh")) &&
           op_attribute_number(attr, "use_peephole", 0) == 0 &&
           op_attribute_number(attr, "cell_clip", -1) < 0 && op_attribute_number(attr, "num_proj", 0) == 0 &&
           op_attribute_number(attr, "time_major", 1) == 1 &&
           op_attribute_number(attr, "forget_bias", 0) == 0 &&
           (is_gradient || (strcmp(op_attribute_text(attr, "cell_type", "LSTM"), "LSTM") == 0 &&
                            op_attribute_number(attr, "cell_depth", 1) == 1 &&
                            op_attribute_number(attr, "keep_prob", 1) == 1));
}

/* Reads the sizes of x (T, N, I) and of the weights behind it, which are one tensor or two. */
static bool read_sizes(const struct named_operand *in, bool is_split, struct sizes *sizes)
{
    const struct tensor_desc_view *x = &in[X].view, *w = &in[W].view;
    const int steps = x->rank == 3; /* a cell has one, and its gradient does not say so */
    if ((x->rank != 3 && x->rank != 2) || w->rank != 2 || w->dims[1] % 4 != 0)
        return false;
    *sizes =
        (struct sizes){steps ? x->dims[0] : 1, x->dims[steps], x->dims[steps + 1], w->dims[1] / 4, x->dtype};
    return sizes->t > 0 && sizes->n > 0 && sizes->i > 0 && sizes->h > 0 && w->dtype == x->dtype &&
           w->dims[0] == sizes->i + (is_split ? 0 : sizes->h) &&
           (!is_split || holds(&in[W + 1], sizes, 4 * sizes->h * sizes->h));
}

/* The weights that lie here, in one tensor or two. */
static struct params params_of(const struct named_operand *w, bool is_split, const struct sizes *sizes,
                               void *b, void *second)
{
    const int64_t bytes = 4 * sizes->h * sizes->i * (int64_t)dtype_bytes(sizes->dtype);
    return (struct params){w->address, is_split ? w[1].address : (unsigned char *)w->address + bytes, b,
                           second};
}

/* Gates in the other order, of so many rows. */
static int swap_gates(struct run *run, const struct sizes *sizes, int64_t rows, void *to, void *from)
{
    static const int second_and_third[] = {4, 1, 2};
    struct named_operand source = {.is_there = true, .address = from}, target;
    source.view = (struct tensor_desc_view){.dtype = sizes->dtype, .rank = 2, .dims = {rows, 4 * sizes->h}};
    target = source;
    target.address = to;
    return strided_swap_blocks(run, &target, &source, second_and_third);
}

static int swap_params(struct run *run, const struct sizes *sizes, const struct params *to,
                       const struct params *from)
{
    TRY(swap_gates(run, sizes, sizes->i, to->ih, from->ih));
    TRY(swap_gates(run, sizes, sizes->h, to->hh, from->hh));
    return swap_gates(run, sizes, 1, to->b, from->b);
}

/* Room for parameters whose gates are in our order, which lasts as long as the run. */
static int allocate_params(struct run *run, const struct sizes *sizes, struct params *params)
{
    const size_t row = 4 * (size_t)sizes->h * dtype_bytes(sizes->dtype);
    void *room;
    TRY(run_allocate(run, (size_t)(sizes->i + sizes->h + 1) * row, &room));
    params->ih = room;
    params->hh = (unsigned char *)room + (size_t)sizes->i * row;
    params->b = (unsigned char *)room + (size_t)(sizes->i + sizes->h) * row;
    return 0;
}

static int to_our_gates(struct run *run, const struct sizes *sizes, struct params *params)
{
    const struct params given = *params;
    if (has_our_gates(run->call->attr))
        return 0;
    TRY(allocate_params(run, sizes, params));
    return swap_params(run, sizes, params, &given);
}

/* Packed, of these tensors; NULL for one that is left out. */
static aclTensor *state_of(struct objects *made, const struct named_operand *operand,
                           const struct sizes *sizes)
{
    return operand->is_there ? packed(made, operand, 1, sizes->n, sizes->h) : NULL;
}

static aclTensor *steps_of(struct objects *made, const struct named_operand *operand,
                           const struct sizes *sizes)
{
    return operand->is_there ? packed(made, operand, sizes->t, sizes->n, sizes->h) : NULL;
}

static aclTensorList *states_before(struct objects *made, const struct named_operand *h,
                                    const struct named_operand *c, const struct sizes *sizes)
{
    if (!h->is_there)
        return NULL;
    state_of(made, h, sizes);
    state_of(made, c, sizes);
    return list_of(made, 2);
}

static bool all_hold(const struct named_operand *operand, int count, const struct sizes *sizes,
                     int64_t elements)
{
    bool fits = true;
    for (int i = 0; i < count; i++)
        fits = fits && holds(&operand[i], sizes, elements);
    return fits;
}

static int forward(const struct named_call *call, bool is_split, aclrtStream stream)
{
    struct sizes sizes;
    const struct named_operand *in = call->input, *out = call->output, *rest = in + (is_split ? 1 : 0);
    if (!read_sizes(in, is_split, &sizes) || !knows_attributes(call->attr, false) ||
        rest[SEQUENCE_LENGTH].is_there || rest[START_H].is_there != rest[START_C].is_there ||
        !holds(&rest[B], &sizes, 4 * sizes.h) || !all_hold(rest + START_H, 2, &sizes, sizes.n * sizes.h) ||
        !all_hold(out, OUTPUTS, &sizes, sizes.t * sizes.n * sizes.h))
        return NAMED_UNKNOWN;
    /* A second bias of zeros, and the last states, which output_h and output_c end with. */
    const size_t bytes = dtype_bytes(sizes.dtype), zeros = 4 * (size_t)sizes.h * bytes,
                 state = (size_t)(sizes.n * sizes.h) * bytes;
    struct run run = {.call = call, .stream = stream};
    void *room;
    TRY(run_allocate(&run, zeros + 2 * state, &room));
    struct objects made = {.has_failed = false};
    struct named_operand last_h = out[Y], last_c = out[Y];
    last_h.address = (unsigned char *)room + zeros;
    last_c.address = (unsigned char *)room + zeros + state;
    struct params lie = params_of(&in[W], is_split, &sizes, rest[B].address, room);
    int status = to_our_gates(&run, &sizes, &lie);
    aclTensorList *params = params_list(&made, &sizes, &lie);
    aclTensorList *start = states_before(&made, &rest[START_H], &rest[START_C], &sizes), *kept[OUTPUTS];
    for (int i = OUTPUT_H; i < OUTPUTS; i++) {
        steps_of(&made, &out[i], &sizes);
        kept[i] = list_of(&made, 1);
    }
    aclTensor *x = packed(&made, &in[X], sizes.t, sizes.n, sizes.i);
    aclTensor *y = steps_of(&made, &out[Y], &sizes);
    aclTensor *hy = state_of(&made, &last_h, &sizes), *cy = state_of(&made, &last_c, &sizes);
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    if (status == 0)
        status = made.has_failed ? ACL_ERROR_BAD_ALLOC : aclrtMemsetAsync(room, zeros, 0, zeros, stream);
    if (status == 0)
        status =
            aclnnLSTMGetWorkspaceSize(x, params, start, NULL, true, 1, 0, true, false, false, y, hy, cy,
                                      kept[GATE_I], kept[GATE_J], kept[GATE_F], kept[GATE_O], kept[OUTPUT_H],
                                      kept[OUTPUT_C], kept[TANH_C], &workspace_bytes, &executor);
    if (status == 0)
        status = by_name_run(aclnnLSTM, workspace_bytes, executor, stream);
    run_end(&run);
    destroy(&made);
    return status;
}

static int run_forward(const struct named_call *call, aclrtStream stream)
{
    return forward(call, false, stream);
}

static int run_forward_split(const struct named_call *call, aclrtStream stream)
{
    return forward(call, true, stream);
}

static int backward(const struct named_call *call, bool is_split, aclrtStream stream)
{
    struct sizes sizes;
    const struct named_operand *in = call->input, *out = call->output, *rest = out + (is_split ? 1 : 0);
    if (!read_sizes(in, is_split, &sizes) || !knows_attributes(call->attr, true))
        return NAMED_UNKNOWN;
    const int64_t state = sizes.n * sizes.h, steps = sizes.t * state;
    bool fits = (is_split || holds(&in[B], &sizes, 4 * sizes.h)) && all_hold(in + OF_Y, 1, &sizes, steps) &&
                all_hold(in + OF_START_H, 2, &sizes, state) && all_hold(in + OF_H, 3, &sizes, steps) &&
                all_hold(in + DH, 2, &sizes, state) && all_hold(in + OF_I, 5, &sizes, steps) &&
                holds(&out[DW], &sizes, (sizes.i + (is_split ? 0 : sizes.h)) * 4 * sizes.h) &&
                (!is_split || holds(&out[DW + 1], &sizes, 4 * sizes.h * sizes.h)) &&
                holds(&rest[DB], &sizes, 4 * sizes.h) &&
                holds(&rest[DX], &sizes, sizes.t * sizes.n * sizes.i) &&
                all_hold(rest + DH_BEFORE, 2, &sizes, state);
    for (int i = OF_LENGTH; i < GRADIENT_INPUTS; i++) /* torch_npu gives a number for what it leaves out */
        fits = fits && (!in[i].is_there || in[i].view.rank == 0);
    if (!fits)
        return NAMED_UNKNOWN;
    struct run run = {.call = call, .stream = stream};
    void *room; /* the gradient of the second bias, which is that of the first */
    TRY(run_allocate(&run, 4 * (size_t)sizes.h * dtype_bytes(sizes.dtype), &room));
    struct objects made = {.has_failed = false};
    /* The values of biases do not matter here; a second tensor of weights has their place. */
    struct params lie = params_of(&in[W], is_split, &sizes, in[B].address, in[B].address);
    struct params become = params_of(&out[DW], is_split, &sizes, rest[DB].address, room);
    const struct params wanted = become;
    const bool is_turned = !has_our_gates(call->attr);
    int status = to_our_gates(&run, &sizes, &lie);
    if (status == 0 && is_turned)
        status = allocate_params(&run, &sizes, &become);
    aclTensorList *params = params_list(&made, &sizes, &lie);
    aclTensorList *gradients = params_list(&made, &sizes, &become);
    aclTensorList *start = states_before(&made, &in[OF_START_H], &in[OF_START_C], &sizes), *kept[OF_LENGTH];
    for (int i = OF_H; i < OF_LENGTH; i++)
        if (i < DY || i > DC) {
            steps_of(&made, &in[i], &sizes);
            kept[i] = list_of(&made, 1);
        }
    aclTensor *x = packed(&made, &in[X], sizes.t, sizes.n, sizes.i);
    aclTensor *dy = steps_of(&made, &in[DY], &sizes), *dh = state_of(&made, &in[DH], &sizes);
    aclTensor *dc = state_of(&made, &in[DC], &sizes);
    aclTensor *dx = packed(&made, &rest[DX], sizes.t, sizes.n, sizes.i);
    aclTensor *dh_before = state_of(&made, &rest[DH_BEFORE], &sizes);
    aclTensor *dc_before = state_of(&made, &rest[DC_BEFORE], &sizes);
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    if (status == 0)
        status = made.has_failed
                     ? ACL_ERROR_BAD_ALLOC
                     : aclnnLstmBackwardGetWorkspaceSize(
                           x, start, params, dy, dh, dc, kept[OF_I], kept[OF_J], kept[OF_F], kept[OF_O],
                           kept[OF_H], kept[OF_C], kept[OF_TANH_C], NULL, true, 1, 0, true, false, false,
                           NULL, dx, dh_before, dc_before, gradients, &workspace_bytes, &executor);
    if (status == 0)
        status = by_name_run(aclnnLstmBackward, workspace_bytes, executor, stream);
    if (status == 0 && is_turned)
        status = swap_params(&run, &sizes, &wanted, &become);
    run_end(&run);
    destroy(&made);
    return status;
}

static int run_backward(const struct named_call *call, aclrtStream stream)
{
    return backward(call, false, stream);
}

static int run_backward_split(const struct named_call *call, aclrtStream stream)
{
    return backward(call, true, stream);
}

enum {
    LEFT_OUT_BEFORE = 1 << SEQUENCE_LENGTH | 1 << START_H | 1 << START_C,
    LEFT_OUT_BEHIND = 1 << DY | 1 << DH | 1 << DC | 1 << OF_LENGTH | 1 << OF_MASK | 7 << PEEPHOLES
};

__attribute__((constructor)) static void offer(void)
{
    static struct named_operator offered[] = {
        {"DynamicRNN", INPUTS, OUTPUTS, LEFT_OUT_BEFORE, run_forward, NULL, NULL},
        {"DynamicRNNV2", INPUTS + 1, OUTPUTS, 2 * LEFT_OUT_BEFORE, run_forward_split, NULL, NULL},
        {"DynamicRNNGrad", GRADIENT_INPUTS, GRADIENTS, LEFT_OUT_BEHIND, run_backward, NULL, NULL},
        {"DynamicRNNV2Grad", GRADIENT_INPUTS, GRADIENTS + 1, LEFT_OUT_BEHIND, run_backward_split, NULL,
         NULL}};
    program_offer(offered, sizeof offered / sizeof offered[0]);
}
