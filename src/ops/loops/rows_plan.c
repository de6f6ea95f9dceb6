/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of a rows function: from checked arguments to a plan and an executor.
 */
#include "ops/loops/rows_plan.h"
#include "ops/level_cost.h"

#include <string.h>

#include "ops/check.h"
#include "tensor/dtype.h"

/* Elements of a batch whose rows are shorter, if they lie side by side and if not, where several at once use
 * more of each line of memory; and the most rows of one, which are more where there are many rows. */
enum { BATCH_ELEMENTS = 1 << 10, BATCH_APART = 1 << 18, BATCH_ROWS = 16, BATCH_MOST = 64 };

/* Elements that lie side by side, from which on more rows use no more of a line of memory. */
enum { RUN_MIN = 16 };

/* Parts that there is memory for, where the stack is too small, and what they have together. */
enum { SHARES = 64, SHARED_BYTES = 1 << 28 };

/* Blocks of rows that have sums of their own: so many at most, of so many rows at least, and with so many
 * doubles at most in all of them. */
enum { BLOCKS = 64, BLOCK_ROWS = 8, BLOCKS_SUMS = 1 << 24 };

/* Picoseconds for a row, and to bring an element that does not lie beside the last one. */
enum { ROW_PS = 30000, GATHER_PS = 300 };

struct nests {
    struct nest outer, row;
};

static const struct tensor_view *view_of(const struct call *call, const struct rows_tensor *tensor)
{
    return tensor->view != NULL && call_has(call, tensor->parameter) ? tensor->view
                                                                     : call_view(call, tensor->parameter);
}

static bool is_given(const struct call *call, const struct rows_tensor *tensor)
{
    return call_has(call, tensor->parameter) && tensor->part != ROWS_ABSENT;
}

static void make_nests(const struct call *call, struct nests *nests, const struct rows_tensor *tensor,
                       const struct rows_request *request)
{
    const struct tensor_view *view = view_of(call, tensor);
    const bool has_shape = tensor->part == ROWS_WHOLE || tensor->part == ROWS_CHANNELS;
    const bool is_of_row = tensor->part == ROWS_SUMS || tensor->part == ROWS_ALL;
    struct nest *const own = is_of_row ? &nests->row : &nests->outer;
    nest_begin(&nests->outer, 1);
    nest_begin(&nests->row, 1);
    if (!is_given(call, tensor))
        return;
    for (uint32_t dim = 0; !has_shape && dim < view->rank; dim++)
        nest_add(own, view->shape[dim], &view->stride[dim]);
    for (uint32_t dim = 0; tensor->part == ROWS_ALL && dim < request->rank; dim++)
        if ((request->along >> dim & 1) == 0)
            nest_add(&nests->outer, request->shape[dim], &(const int64_t){0});
    bool is_first = true;
    for (uint32_t dim = 0; has_shape && dim < request->rank; dim++) {
        const int64_t stride = nest_stride(view, request->rank, dim);
        const bool is_along = (request->along >> dim & 1) != 0;
        if (!is_along || is_first || tensor->part == ROWS_WHOLE)
            nest_add(is_along ? &nests->row : &nests->outer, request->shape[dim], &stride);
        is_first = is_first && !is_along;
    }
    nest_merge(&nests->outer);
    nest_merge(&nests->row);
}

static void set_operand(const struct call *call, struct rows_plan *plan, uint32_t index,
                        const struct rows_tensor *tensor, const struct nests *nests)
{
    struct rows_operand *operand = &plan->operand[index];
    operand->at = operand_of(call, tensor->parameter);
    operand->is_given = is_given(call, tensor);
    operand->at.extent = operand->is_given ? operand->at.extent : 0;
    operand->count = nests->row.count;
    operand->is_sums = operand->is_given && tensor->part == ROWS_SUMS;
    operand->is_shared = nests->outer.count > 1;
    for (uint32_t k = 0; k < nests->outer.axis_count; k++)
        operand->is_shared = operand->is_shared && nests->outer.axis[k].stride[0] == 0;
    operand->is_direct = operand->is_given && !operand->is_sums && operand->at.dtype == plan->carried &&
                         nests->row.axis_count <= 1 &&
                         (nest_inner(&nests->row).stride[0] == 1 || nests->row.count == 1);
    operand->first_sum = plan->sums;
    if (operand->is_sums) {
        plan->sums += operand->count;
        operand->count /= plan->period;
    }
}

/* Whether an operand's rows are as one array. */
static bool lies_together(const struct rows_operand *operand, const struct nest *outer)
{
    return operand->is_direct && outer->axis_count <= 1 &&
           (outer->count == 1 || nest_inner(outer).stride[0] == (int64_t)operand->count);
}

/* An input may be an output that lies as it does: the elements of a row are read before they are written. */
static void let_be_in_place(const struct call *call, const struct rows_tensor *input,
                            const struct rows_request *request, struct executor_content *content)
{
    for (unsigned k = 0; k < request->outputs; k++) {
        const struct rows_tensor *output = &request->output[k];
        if (is_given(call, input) && is_given(call, output) && input->part == output->part &&
            views_agree(view_of(call, input), view_of(call, output)))
            operands_may_be(content, call->first_operand[input->parameter],
                            call->first_operand[output->parameter]);
    }
}

/* Rows of a block: the same for every layout and level. */
static uint64_t block_rows(const struct rows_plan *plan)
{
    const uint64_t roomy = BLOCKS_SUMS / plan->sums, most = roomy < 1 ? 1 : roomy < BLOCKS ? roomy : BLOCKS;
    const uint64_t rows = plan->rows / most + (plan->rows % most != 0);
    return rows > BLOCK_ROWS ? rows : BLOCK_ROWS;
}

/* How rows are brought together, and what that costs. */
static void set_walk(const struct call *call, struct rows_plan *plan, const struct nest *row)
{
    const struct rows *rows = call->function->of_family;
    const struct nest_axis inner = nest_inner(row);
    const bool is_apart = inner.stride[0] > 1 || (row->axis_count > 1 && inner.size < RUN_MIN);
    const uint64_t length = plan->count > 0 ? plan->count : 1;
    uint64_t batch = (is_apart ? BATCH_APART : BATCH_ELEMENTS) / length;
    const uint64_t shared = plan->rows / BATCH_ROWS; /* so that threads have batches to share */
    const uint64_t rows_most = shared < BATCH_ROWS ? BATCH_ROWS : shared < BATCH_MOST ? shared : BATCH_MOST;
    batch = batch > rows_most ? rows_most : batch < 1 ? 1 : batch;
    plan->batch = batch < plan->rows ? batch : plan->rows > 0 ? plan->rows : 1;
    plan->unit = plan->sums > 0 ? block_rows(plan) : plan->batch;
    plan->units = plan->rows / plan->unit + (plan->rows % plan->unit != 0);
    plan->memory_bytes = rows_memory_bytes(plan); /* none of rows without elements */
    const bool is_on_stack = plan->memory_bytes <= ROWS_STACK_BYTES;
    const uint64_t roomy = is_on_stack ? 1 : SHARED_BYTES / plan->memory_bytes;
    const uint64_t most = roomy < 1 ? 1 : roomy < SHARES ? roomy : SHARES;
    plan->shares = is_on_stack ? 0 : plan->units < most ? plan->units : most;
    const uint64_t ps = rows->element_ps * level_cost_of(call->settings->isa) + (is_apart ? GATHER_PS : 0);
    plan->unit_ns = plan->unit * (plan->count * ps + ROW_PS) / 1000;
    if (__builtin_mul_overflow(plan->units, plan->unit_ns, &plan->cost_ns))
        plan->cost_ns = UINT64_MAX;
}

aclnnStatus rows_plan(const struct call *call, const struct rows_request *request)
{
    const unsigned inputs = request->inputs, operands = inputs + request->outputs;
    struct nests nests[ROWS_OPERANDS_MAX];
    const struct rows_tensor *tensor[ROWS_OPERANDS_MAX];
    size_t plan_bytes = sizeof(struct rows_plan);
    bool has_results = false, is_float = true;
    for (unsigned i = 0; i < operands; i++) {
        tensor[i] = i < inputs ? &request->input[i] : &request->output[i - inputs];
        make_nests(call, &nests[i], tensor[i], request);
        plan_bytes += nest_bytes(&nests[i].outer) + nest_bytes(&nests[i].row);
        if (!is_given(call, tensor[i]))
            continue;
        has_results = has_results || (i >= inputs && call->tensor[tensor[i]->parameter].count > 0);
        is_float =
            is_float && (tensor[i]->part == ROWS_SUMS || call_dtype(call, tensor[i]->parameter) == ACL_FLOAT);
    }
    if (!has_results)
        return call_idle(call);

    struct executor_content *content;
    void *made;
    TRY(call_begin(call, plan_bytes, &content, &made));
    struct rows_plan *plan = made;
    const struct rows *rows = call->function->of_family;
    size_t bytes = sizeof *plan;
    plan->kernel = (is_float ? rows->kernels_fp32 : rows->kernels)[call->settings->isa];
    plan->carried = is_float ? ACL_FLOAT : ACL_DOUBLE;
    plan->carried_bytes = dtype_bytes(plan->carried);
    plan->transfer = transfer_of(call->settings->isa);
    plan->inputs = inputs;
    plan->operands = operands;
    plan->is_roomless = rows->is_roomless;
    plan->rows = nests[0].outer.count;
    plan->count = nests[0].row.count;
    plan->sums = 0;
    plan->period = request->period > 0 ? request->period : 1;
    for (unsigned i = 0; i < operands; i++) {
        set_operand(call, plan, i, tensor[i], &nests[i]);
        plan->operand[i].outer = nest_append(&nests[i].outer, plan, &bytes);
        plan->operand[i].row = nest_append(&nests[i].row, plan, &bytes);
        if (i < inputs)
            let_be_in_place(call, tensor[i], request, content);
    }
    plan->together = NULL;
    if (rows->together != NULL && is_float && lies_together(&plan->operand[0], &nests[0].outer) &&
        lies_together(&plan->operand[1], &nests[1].outer))
        plan->together = rows->together[call->settings->isa];
    if (request->parameter_bytes > 0)
        memcpy(plan->parameters, request->parameters, request->parameter_bytes);
    set_walk(call, plan, &nests[0].row);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

enum { SELF, DIM, OUT };

aclnnStatus rows_infer_along(const struct call *call, struct result *result)
{
    axes along;
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    TRY(check_axis(call, SELF, DIM, &along));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_ANY)->like = SELF;
    return ACLNN_SUCCESS;
}

aclnnStatus rows_plan_along(const struct call *call, const struct result *result)
{
    static const struct rows_tensor input = ROWS_TENSOR(SELF, WHOLE), output = ROWS_TENSOR(OUT, WHOLE);
    axes along;
    (void)result;
    TRY(check_axis(call, SELF, DIM, &along));
    const bool is_short = call_dtype(call, SELF) != ACL_DOUBLE && call_dtype(call, OUT) != ACL_DOUBLE;
    const struct rows_request request = {.rank = call->tensor[SELF].rank,
                                         .shape = call->tensor[SELF].shape,
                                         .along = along,
                                         .input = &input,
                                         .output = &output,
                                         .inputs = 1,
                                         .outputs = 1,
                                         .parameters = &is_short,
                                         .parameter_bytes = sizeof is_short};
    return rows_plan(call, &request);
}
