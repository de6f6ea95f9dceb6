/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels and the loop of optimizers, in the order of torch.optim's. NaN of v or of the maximum stay in
 * the maximum.
 */
#include "ops/composite/optimizer_numbers.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/power.h"
#include "simd/loops/row.h"

/* rate and root, once for all pieces. */
void AT_LEVEL(adam_rates)(const void *const *input, void *const *output, size_t count, double *room,
                          const void *parameters)
{
    const struct adam_numbers *by = parameters;
    const doubles t = broadcast(by->t);
    const doubles rate = by->lr / (1 - maths_pow(broadcast(by->beta1), t));
    const doubles root = 1 / square_root(1 - maths_pow(broadcast(by->beta2), t));
    (void)input, (void)count, (void)room;
    row_store(ARITHMETIC_FP64, output[0], 0, rate, 1, true);
    row_store(ARITHMETIC_FP64, output[1], 0, root, 1, true);
}

/* Outputs are where the inputs are; that of MAX is not looked at without amsgrad. */
void AT_LEVEL(adam)(const void *const *input, void *const *output, size_t count, double *room,
                    const void *parameters)
{
    const struct adam_numbers *by = parameters;
    const double kept = by->is_in_gradient ? 1 : 1 - by->lr * by->decay;
    const double rest1 = 1 - by->beta1, rest2 = 1 - by->beta2;
    (void)room;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles before = row_load(ARITHMETIC_FP64, input[VAR], i, left);
        doubles g = row_load(ARITHMETIC_FP64, input[GRAD], i, left);
        g = by->has_scale ? g / by->scale : g;
        g = by->maximize ? -g : g;
        if (by->is_in_gradient && by->decay != 0)
            g += by->decay * before;
        doubles m = row_load(ARITHMETIC_FP64, input[M], i, left);
        doubles v = row_load(ARITHMETIC_FP64, input[V], i, left);
        m += (g - m) * rest1;
        v = by->beta2 * v + rest2 * (g * g);
        doubles size = v;
        if (by->amsgrad) {
            const doubles max = row_load(ARITHMETIC_FP64, input[MAX], i, left);
            size = choose((v > max) | (v != v), v, max);
            row_store(ARITHMETIC_FP64, output[by->max_is_v ? V : MAX], i, size, left, true);
        }
        const doubles move = by->is_nesterov ? m * by->beta1 + g * rest1 : m;
        row_store(ARITHMETIC_FP64, output[VAR], i,
                  before * kept - by->rate * move / (square_root(size) * by->root + by->eps), left, true);
        row_store(ARITHMETIC_FP64, output[M], i, m, left, true);
        if (!by->amsgrad || !by->max_is_v)
            row_store(ARITHMETIC_FP64, output[V], i, v, left, true);
    }
}

/* M is the momentum. */
void AT_LEVEL(sgd)(const void *const *input, void *const *output, size_t count, double *room,
                   const void *parameters)
{
    const struct sgd_numbers *by = parameters;
    const double rest = 1 - by->dampening;
    (void)room;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles var = row_load(ARITHMETIC_FP64, input[VAR], i, left);
        doubles g = row_load(ARITHMETIC_FP64, input[GRAD], i, left);
        g = by->has_scale ? g / by->scale : g;
        g = by->maximize ? -g : g;
        if (by->decay != 0)
            g += by->decay * var;
        if (by->momentum != 0) {
            doubles m = g;
            if (!by->is_first)
                m = by->momentum * row_load(ARITHMETIC_FP64, input[M], i, left) + rest * g;
            g = by->nesterov ? g + by->momentum * m : m;
            row_store(ARITHMETIC_FP64, output[M], i, m, left, true);
        }
        row_store(ARITHMETIC_FP64, output[VAR], i, var - by->lr * g, left, true);
    }
}

#else

#include "ops/composite/optimizer.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"

/* Elements that are read and written at a time, how many times that a thread takes, picoseconds of one. */
enum { PIECE = 512, PIECES_AT_ONCE = 16, ELEMENT_PS = 3000 };

struct optimizer_plan optimizer_plan_of(const struct call *call, rows_function *const *kernels)
{
    struct optimizer_plan plan = {.transfer = transfer_of(call->settings->isa),
                                  .kernel = kernels[call->settings->isa]};
    for (unsigned i = VAR; i < OPTIMIZER_TENSORS; i++)
        plan.port[i].dtype = ACL_DT_UNDEFINED;
    return plan;
}

void optimizer_add(struct optimizer_plan *plan, unsigned tensor, const struct tensor_view *view,
                   uint32_t address, bool is_written)
{
    plan->port[tensor] = port_of_view(plan->transfer, view, address, ACL_DOUBLE);
    plan->written |= (uint32_t)is_written << tensor;
    plan->cost_ns = (uint64_t)((double)view->count * ELEMENT_PS / 1000);
}

static bool is_there(const struct optimizer_plan *plan, unsigned tensor)
{
    return plan->port[tensor].dtype != ACL_DT_UNDEFINED;
}

static bool is_written(const struct optimizer_plan *plan, unsigned tensor)
{
    return (plan->written >> tensor & 1) != 0;
}

void optimizer_may_be_in_place(const struct optimizer_plan *plan, struct executor_content *content)
{
    for (unsigned read = VAR; read < OPTIMIZER_TENSORS; read++)
        for (unsigned i = VAR; i < OPTIMIZER_TENSORS; i++)
            if (is_there(plan, read) && !is_written(plan, read) && is_written(plan, i) &&
                ports_agree(&plan->port[read], &plan->port[i]))
                operands_may_be(content, plan->port[read].address, plan->port[i].address);
}

struct optimizer_work {
    const struct optimizer_plan *plan;
    const void *numbers;
    void *const *address;
};

static void take_piece(void *context, uint64_t at, uint64_t count)
{
    const struct optimizer_work *work = context;
    const struct optimizer_plan *plan = work->plan;
    _Alignas(64) double value[OPTIMIZER_TENSORS][PIECE] __attribute__((uninitialized));
    void *const row[OPTIMIZER_TENSORS] = {value[VAR], value[M], value[V], value[MAX], value[GRAD]};
    const void *const input[OPTIMIZER_TENSORS] = {row[VAR], row[M], row[V], row[MAX], row[GRAD]};
    for (unsigned i = VAR; i < OPTIMIZER_TENSORS; i++)
        if (is_there(plan, i))
            port_bring(&plan->port[i], work->address, at, count, value[i]);
    plan->kernel(input, row, (size_t)count, NULL, work->numbers);
    for (unsigned i = VAR; i < OPTIMIZER_TENSORS; i++)
        if (is_written(plan, i))
            port_deliver(&plan->port[i], work->address, at, count, value[i]);
}

void optimizer_run(const struct optimizer_plan *plan, const void *numbers, void *const *address)
{
    struct optimizer_work work = {.plan = plan, .numbers = numbers, .address = address};
    pieces_run(take_piece, &work, plan->port[VAR].span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
}

double optimizer_number(const struct transfer *transfer, const void *element, aclDataType dtype)
{
    double value;
    transfer->convert(element, dtype, &value, ACL_DOUBLE, 1);
    return value;
}

void adam_set_rates(struct adam_numbers *numbers, rows_function *rates)
{
    rates(NULL, (void *const[]){&numbers->rate, &numbers->root}, 1, NULL, numbers);
}

#endif
