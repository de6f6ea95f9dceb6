/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of a reduction: from checked arguments to a plan and an executor.
 */
#include "ops/reduction/reduce_plan.h"

#include <string.h>

#include "ops/check.h"
#include "tensor/dtype.h"

/* Fewer outputs than this side by side are not worth it, nor are runs that are shorter worth a loop each. */
enum { ACROSS_MIN = 8, ALONG_MIN = 64 };

/* Elements that a tile is made of at least, where there are enough, and tiles that are enough for threads. */
enum { TILE_ELEMENTS = 1 << 14, TILES_MIN = 32 };

/* Picoseconds beyond the kernel's: to gather or convert an element, and for an output. */
enum { GATHER_PS = 300, CONVERT_PS = 200, OUTPUT_PS = 20000 };

static const uint64_t level_cost[ISA_LEVELS] = {[ISA_BASELINE] = 4, [ISA_AVX2] = 2, [ISA_AVX512] = 1};

/* The strides of the inputs along a dim of the shape, and behind them the output's, if it has that dim. */
static void strides_of(const struct call *call, const unsigned *inputs, unsigned input_count,
                       const struct shape *shape, uint32_t dim, int64_t *stride)
{
    for (unsigned i = 0; i < input_count; i++)
        stride[i] = nest_stride(&call->tensor[inputs[i]], shape->rank, dim);
}

/* Kept axes in the order of the first input's memory, reduced ones in their own. */
static void collect(const struct call *call, const unsigned *inputs, unsigned input_count,
                    const struct shape *shape, axes reduced, struct nest *kept, struct nest *gone)
{
    const struct tensor_view *output = &call->tensor[call_output(call)];
    const bool keeps = output->rank == shape->rank;
    uint32_t output_dim = 0;
    nest_begin(kept, input_count + 1);
    nest_begin(gone, input_count);
    for (uint32_t dim = 0; dim < shape->rank; dim++) {
        const bool is_reduced = (reduced >> dim & 1) != 0;
        int64_t stride[REDUCE_INPUTS_MAX + 1] = {0};
        strides_of(call, inputs, input_count, shape, dim, stride);
        if (is_reduced) {
            nest_add(gone, shape->dim[dim], stride);
            output_dim += keeps;
            continue;
        }
        stride[input_count] = output_dim < output->rank ? output->stride[output_dim] : 0;
        output_dim++;
        nest_add(kept, shape->dim[dim], stride);
    }
    nest_sort(kept, 0);
    nest_merge(kept);
    nest_merge(gone);
}

static bool is_side_by_side(const struct nest_axis *axis, unsigned input_count)
{
    bool is_contiguous = true;
    for (unsigned i = 0; i < input_count; i++)
        is_contiguous = is_contiguous && (axis->stride[i] == 1 || axis->size == 1);
    return is_contiguous;
}

static struct reduce_operand operand_of(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    return (struct reduce_operand){
        .dtype = view->dtype,
        .bytes = dtype_bytes(view->dtype),
        .address = call->first_operand[parameter],
        .extent = view->count == 0 ? 0 : view->reach - view->offset + 1,
    };
}

/* How the elements are walked, and what that costs. */
static void set_walk(const struct call *call, struct reduce_plan *plan, const struct nest *gone)
{
    const struct nest_axis run = nest_inner(gone);
    const uint64_t width = plan->kernel->width, row = (uint64_t)plan->kept_inner.size;
    const bool is_run = is_side_by_side(&run, plan->input_count) && plan->elements >= ALONG_MIN;
    const bool is_row = is_side_by_side(&plan->kept_inner, plan->input_count);
    plan->is_across = row >= ACROSS_MIN && !is_run && (is_row || plan->elements < ALONG_MIN);
    plan->is_direct = plan->is_across ? is_row : is_side_by_side(&run, plan->input_count);
    uint64_t ps = plan->reduction->element_ps * level_cost[call->settings->isa] * plan->input_count * width;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        plan->is_direct = plan->is_direct && plan->input[i].dtype == plan->computed;
        ps += plan->input[i].dtype != plan->computed ? CONVERT_PS : 0;
    }
    ps += plan->is_direct ? 0 : GATHER_PS;

    const uint64_t most = REDUCE_TILE_WORDS / width, run_length = plan->elements > 0 ? plan->elements : 1;
    uint64_t tile = plan->is_across ? most : TILE_ELEMENTS / run_length;
    tile = tile > most ? most : tile < 1 ? 1 : tile;
    plan->tile = tile < row ? tile : row;
    plan->tiles_in_row = row == 0 ? 0 : (row - 1) / plan->tile + 1;
    plan->tiles = plan->tiles_in_row * plan->kept.count;
    plan->blocks = plan->elements == 0 ? 1 : (plan->elements - 1) / REDUCE_BLOCK + 1;
    plan->by_blocks = plan->tiles < TILES_MIN && plan->blocks > 1;
    const uint64_t in_block = plan->elements < REDUCE_BLOCK ? plan->elements : REDUCE_BLOCK;
    plan->tile_block_ns = plan->tile * (in_block * ps + OUTPUT_PS) / 1000;
    uint64_t units; /* far beyond 2^40 elements the product might not fit; such work is never cheap */
    if (__builtin_mul_overflow(plan->tiles, plan->blocks, &units) ||
        __builtin_mul_overflow(units, plan->tile_block_ns, &plan->cost_ns))
        plan->cost_ns = UINT64_MAX;
}

static aclDataType carrier_of(enum arithmetic computed)
{
    return computed < ARITHMETICS             ? ACL_DOUBLE
           : computed >= ARITHMETIC_COMPLEX64 ? ACL_COMPLEX128
                                              : ACL_INT64;
}

const char reduce_mark = 0;

aclnnStatus reduce_plan(const struct call *call, const struct reduction *reduction, const unsigned *inputs,
                        unsigned input_count, const struct shape *shape, axes reduced, aclDataType computed,
                        const void *parameters, size_t parameter_bytes)
{
    const enum arithmetic arithmetic = arithmetic_of(computed);
    struct nest kept, gone;
    collect(call, inputs, input_count, shape, reduced, &kept, &gone);
    if (kept.count == 0)
        return call_idle(call);
    const struct nest_axis kept_inner = nest_take_inner(&kept);

    struct executor_content *content;
    void *made;
    const size_t own_bytes = (offsetof(struct reduce_plan, kept) + nest_bytes(&kept) + 7) & ~(size_t)7;
    TRY(call_begin(call, own_bytes + nest_bytes(&gone), &content, &made));
    struct reduce_plan *plan = made;
    plan->mark = &reduce_mark;
    plan->reduction = reduction;
    plan->kernel = &reduction->kernels[call->settings->isa]->of[arithmetic];
    plan->transfer = transfer_of(call->settings->isa);
    plan->computed = computed;
    plan->carrier = carrier_of(arithmetic);
    plan->computed_bytes = dtype_bytes(computed);
    plan->carrier_bytes = dtype_bytes(plan->carrier);
    plan->input_count = input_count;
    plan->outputs = kept.count * (uint64_t)kept_inner.size;
    plan->elements = gone.count;
    for (unsigned i = 0; i < input_count; i++)
        plan->input[i] = operand_of(call, inputs[i]);
    plan->output = operand_of(call, call_output(call));
    if (parameter_bytes > 0)
        memcpy(plan->parameters, parameters, parameter_bytes);
    plan->kept_inner = kept_inner;
    plan->reduced_offset = (uint32_t)own_bytes;
    memcpy(&plan->kept, &kept, nest_bytes(&kept));
    memcpy((unsigned char *)made + own_bytes, &gone, nest_bytes(&gone));
    set_walk(call, plan, &gone);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

aclnnStatus reduce_plan_tensor(const struct call *call, unsigned tensor, axes reduced, aclDataType computed,
                               const void *parameters, size_t parameter_bytes)
{
    const struct tensor_view *view = &call->tensor[tensor];
    struct shape shape = {.rank = view->rank};
    for (uint32_t i = 0; i < view->rank; i++)
        shape.dim[i] = view->shape[i];
    return reduce_plan(call, call->function->of_family, &tensor, 1, &shape, reduced, computed, parameters,
                       parameter_bytes);
}
