/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of a rows function: from checked arguments to a plan and an executor.
 */
#include "ops/rows/rows_plan.h"

#include <string.h>

#include "ops/check.h"
#include "tensor/dtype.h"

/* Elements of a batch whose rows are shorter, if they lie side by side and if not, where several at once use
 * more of each line of memory; and the most rows of one. */
enum { BATCH_ELEMENTS = 1 << 10, BATCH_APART = 1 << 18, BATCH_ROWS = 16 };

/* Parts that there is memory for, where the stack is too small, and what they have together. */
enum { SHARES = 64, SHARED_BYTES = 1 << 28 };

/* Picoseconds for a row, and to bring an element that does not lie beside the last one. */
enum { ROW_PS = 30000, GATHER_PS = 300 };

static const uint64_t level_cost[ISA_LEVELS] = {[ISA_BASELINE] = 4, [ISA_AVX2] = 2, [ISA_AVX512] = 1};

struct nests {
    struct nest outer, row;
};

static void make_nests(struct nests *nests, const struct tensor_view *view, enum rows_part part,
                       const struct shape *shape, axes along)
{
    nest_begin(&nests->outer, 1);
    nest_begin(&nests->row, 1);
    if (part == ROWS_SINGLE) {
        for (uint32_t dim = 0; dim < view->rank; dim++)
            nest_add(&nests->outer, view->shape[dim], &view->stride[dim]);
    } else {
        for (uint32_t dim = 0; dim < shape->rank; dim++) {
            const int64_t stride = nest_stride(view, shape->rank, dim);
            nest_add((along >> dim & 1) != 0 ? &nests->row : &nests->outer, shape->dim[dim], &stride);
        }
    }
    nest_merge(&nests->outer);
    nest_merge(&nests->row);
}

static void set_operand(const struct call *call, struct rows_operand *operand,
                        const struct rows_tensor *tensor, const struct nests *nests)
{
    operand->at = operand_of(call, tensor->parameter);
    operand->is_given = call_has(call, tensor->parameter);
    operand->at.extent = operand->is_given ? operand->at.extent : 0;
    operand->same_view = 0;
    operand->count = nests->row.count;
    operand->is_shared = nests->outer.count > 1;
    for (uint32_t k = 0; k < nests->outer.axis_count; k++)
        operand->is_shared = operand->is_shared && nests->outer.axis[k].stride[0] == 0;
}

/* How rows are brought together, and what that costs. */
static void set_walk(const struct call *call, struct rows_plan *plan, const struct nests *nests)
{
    const struct rows *rows = call->function->of_family;
    const bool is_apart = nests[0].row.axis_count > 1 || nest_inner(&nests[0].row).stride[0] > 1;
    const uint64_t length = plan->count > 0 ? plan->count : 1;
    uint64_t batch = (is_apart ? BATCH_APART : BATCH_ELEMENTS) / length;
    batch = batch > BATCH_ROWS ? BATCH_ROWS : batch < 1 ? 1 : batch;
    plan->batch = batch < plan->rows ? batch : plan->rows > 0 ? plan->rows : 1;
    plan->batches = plan->rows / plan->batch + (plan->rows % plan->batch != 0);
    plan->memory_bytes = rows_memory_bytes(plan); /* none of rows without elements */
    const bool is_on_stack = plan->memory_bytes <= ROWS_STACK_BYTES;
    const uint64_t roomy = is_on_stack ? 1 : SHARED_BYTES / plan->memory_bytes;
    const uint64_t most = roomy < 1 ? 1 : roomy < SHARES ? roomy : SHARES;
    plan->shares = is_on_stack ? 0 : plan->batches < most ? plan->batches : most;
    const uint64_t ps = rows->element_ps * level_cost[call->settings->isa] + (is_apart ? GATHER_PS : 0);
    plan->batch_ns = plan->batch * (plan->count * ps + ROW_PS) / 1000;
    if (__builtin_mul_overflow(plan->batches, plan->batch_ns, &plan->cost_ns))
        plan->cost_ns = UINT64_MAX;
}

aclnnStatus rows_plan(const struct call *call, const struct shape *shape, axes along,
                      const struct rows_tensor *input, unsigned inputs, const struct rows_tensor *output,
                      unsigned outputs, const void *parameters, size_t parameter_bytes)
{
    const unsigned operands = inputs + outputs;
    struct nests nests[ROWS_OPERANDS_MAX];
    struct rows_tensor tensor[ROWS_OPERANDS_MAX];
    size_t plan_bytes = sizeof(struct rows_plan);
    bool has_results = false, is_float = true;
    for (unsigned i = 0; i < operands; i++) {
        tensor[i] = i < inputs ? input[i] : output[i - inputs];
        const bool is_given = call_has(call, tensor[i].parameter);
        const struct tensor_view *view = call_view(call, tensor[i].parameter);
        make_nests(&nests[i], view, is_given ? tensor[i].part : ROWS_SINGLE, shape, along);
        plan_bytes += nest_bytes(&nests[i].outer) + nest_bytes(&nests[i].row);
        has_results = has_results || (i >= inputs && is_given && view->count > 0);
        is_float = is_float && (!is_given || call_dtype(call, tensor[i].parameter) == ACL_FLOAT);
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
    plan->rows = nests[0].outer.count;
    plan->count = nests[0].row.count;
    for (unsigned i = 0; i < operands; i++) {
        set_operand(call, &plan->operand[i], &tensor[i], &nests[i]);
        plan->operand[i].is_direct = plan->operand[i].is_given &&
                                     plan->operand[i].at.dtype == plan->carried &&
                                     nests[i].row.axis_count <= 1 &&
                                     (nest_inner(&nests[i].row).stride[0] == 1 || nests[i].row.count == 1);
        plan->operand[i].outer = nest_append(&nests[i].outer, plan, &bytes);
        plan->operand[i].row = nest_append(&nests[i].row, plan, &bytes);
        for (unsigned k = inputs; i < inputs && k < operands; k++)
            if (call_has(call, tensor[i].parameter) && call_has(call, tensor[k].parameter) &&
                tensor[i].part == tensor[k].part &&
                views_agree(&call->tensor[tensor[i].parameter], &call->tensor[tensor[k].parameter]))
                plan->operand[i].same_view |= (uint8_t)(1 << (k - inputs));
    }
    if (parameter_bytes > 0)
        memcpy(plan->parameters, parameters, parameter_bytes);
    set_walk(call, plan, nests);
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
    static const struct rows_tensor input = {SELF, ROWS_WHOLE}, output = {OUT, ROWS_WHOLE};
    const struct shape shape = shape_of(&call->tensor[SELF]);
    axes along;
    (void)result;
    TRY(check_axis(call, SELF, DIM, &along));
    const bool is_short = call_dtype(call, SELF) != ACL_DOUBLE && call_dtype(call, OUT) != ACL_DOUBLE;
    return rows_plan(call, &shape, along, &input, 1, &output, 1, &is_short, sizeof is_short);
}
