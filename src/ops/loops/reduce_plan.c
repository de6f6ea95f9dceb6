/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of a reduction: from checked arguments to a plan and an executor.
 */
#include "ops/loops/reduce_plan.h"
#include "ops/level_cost.h"

#include <string.h>

#include "ops/check.h"
#include "tensor/dtype.h"

/* Fewer outputs than this side by side are not worth it, nor are runs that are shorter worth a loop each. */
enum { ACROSS_MIN = 8, ALONG_MIN = 32 };

/* Elements that a tile is made of at least, where there are enough, and tiles that are enough for threads. */
enum { TILE_ELEMENTS = 1 << 15, TILES_MIN = 32 };

/* Picoseconds beyond the kernel's: to gather or convert an element, and for an output. */
enum { GATHER_PS = 300, CONVERT_PS = 200, OUTPUT_PS = 20000 };

/* Kept axes in the order of the first input's memory, reduced ones in their own. The output has the kept dims
 * alone, or is aligned with the shape by the last one, with 1 or nothing for others. */
static void collect(const struct reduce_views *views, struct nest *kept, struct nest *gone)
{
    const struct tensor_view *output = views->output;
    const uint32_t rank = views->shape->rank, inputs = views->input_count;
    uint32_t output_dim = 0, kept_dims = 0;
    for (uint32_t dim = 0; dim < rank; dim++)
        kept_dims += (views->reduced >> dim & 1) == 0;
    const bool is_aligned = output->rank != kept_dims && output->rank <= rank;
    nest_begin(kept, inputs + 1);
    nest_begin(gone, inputs);
    for (uint32_t dim = 0; dim < rank; dim++) {
        int64_t stride[REDUCE_INPUTS_MAX + 1] = {0};
        for (unsigned i = 0; i < inputs; i++)
            stride[i] = nest_stride(views->input[i], rank, dim);
        if ((views->reduced >> dim & 1) != 0) {
            nest_add(gone, views->shape->dim[dim], stride);
            continue;
        }
        stride[inputs] = is_aligned                  ? nest_stride(output, rank, dim)
                         : output_dim < output->rank ? output->stride[output_dim]
                                                     : 0;
        output_dim++;
        nest_add(kept, views->shape->dim[dim], stride);
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

/* How the elements are walked, and what that costs. */
static void set_walk(struct reduce_plan *plan, enum isa_level level, const struct nest *gone)
{
    const struct nest_axis run = nest_inner(gone);
    const uint64_t width = plan->kernel->width, row = (uint64_t)plan->kept_inner.size;
    const bool is_run = is_side_by_side(&run, plan->input_count) && plan->elements >= ALONG_MIN;
    const bool is_row = is_side_by_side(&plan->kept_inner, plan->input_count);
    plan->is_across = row >= ACROSS_MIN && !is_run && (is_row || plan->elements < ALONG_MIN);
    plan->is_direct = plan->is_across ? is_row : is_side_by_side(&run, plan->input_count);
    uint64_t ps = plan->reduction->element_ps * level_cost_of(level) * plan->input_count * width;
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

static const struct operation reduction_operation = {
    .name = "a reduction", .run = reduce_run, .work_bytes = reduce_work_bytes};

size_t reduce_fill_bytes(uint32_t rank)
{
    return offsetof(struct reduce_plan, kept.axis) + offsetof(struct nest, axis) +
           rank * sizeof(struct nest_axis);
}

void reduce_fill(struct reduce_plan *plan, enum isa_level level, const struct reduce_views *views)
{
    const enum arithmetic arithmetic = arithmetic_of(views->computed);
    struct nest kept, gone;
    collect(views, &kept, &gone);
    plan->kept_inner = nest_take_inner(&kept);
    plan->reduction = views->reduction;
    plan->kernel = &views->reduction->kernels[level]->of[arithmetic];
    plan->transfer = transfer_of(level);
    plan->computed = views->computed;
    plan->carrier = carrier_of(arithmetic);
    plan->computed_bytes = dtype_bytes(plan->computed);
    plan->carrier_bytes = dtype_bytes(plan->carrier);
    plan->input_count = views->input_count;
    plan->stage_bytes = STAGES_BYTES / (views->input_count <= 2 ? 2u : (uint32_t)REDUCE_INPUTS_MAX);
    plan->elements = gone.count;
    for (unsigned i = 0; i < views->input_count; i++)
        plan->input[i] = operand_of_view(views->input[i], views->address[i]);
    plan->output = operand_of_view(views->output, views->output_address);
    size_t bytes = offsetof(struct reduce_plan, kept);
    nest_append(&kept, plan, &bytes);
    plan->reduced_offset = nest_append(&gone, plan, &bytes);
    plan->plan_bytes = (uint32_t)bytes;
    set_walk(plan, level, &gone);
}

aclnnStatus reduce_plan(const struct call *call, const struct reduction *reduction, const unsigned *inputs,
                        unsigned input_count, const struct shape *shape, axes reduced, aclDataType computed,
                        const void *parameters, size_t parameter_bytes)
{
    const unsigned output = call_output(call);
    struct reduce_views views = {.reduction = reduction,
                                 .output = &call->tensor[output],
                                 .output_address = call->first_operand[output],
                                 .input_count = input_count,
                                 .shape = shape,
                                 .reduced = reduced,
                                 .computed = computed};
    struct executor_content *content;
    void *made;
    for (unsigned i = 0; i < input_count; i++) {
        views.input[i] = call_view(call, inputs[i]);
        views.address[i] = call->first_operand[inputs[i]];
    }
    if (views.output->count == 0)
        return call_idle(call);
    TRY(call_begin(call, reduce_fill_bytes(shape->rank), &content, &made));
    struct reduce_plan *plan = made;
    reduce_fill(plan, call->settings->isa, &views);
    if (parameter_bytes > 0)
        memcpy(plan->parameters, parameters, parameter_bytes);
    content->runs = &reduction_operation;
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
