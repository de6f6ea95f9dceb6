/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of an elementwise operator: walks the plan in chunks over threads and in tiles within a chunk.
 *
 * What a kernel takes as it lies in memory is passed as it lies; everything else goes through a tile on the
 * stack. Results depend on neither chunks nor tiles, because kernels treat each element alike.
 */
#include "ops/loops/elementwise_walk.h"

#include <string.h>

#include "runtime/streams/workers.h"
#include "simd/vector/write.h"

_Static_assert((int)WALK_INPUTS_MAX <= (int)SHORTCUT_INPUTS_MAX, "a shortcut takes all inputs");

/* All operands as they lie. */
static void walk_direct(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    uint64_t offset = begin * plan->arithmetic_bytes;
    const void *source[WALK_INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++)
        source[i] = walk->first[i] + offset;
    walk_kernel(walk, source, walk->first[OUTPUT] + offset, (size_t)(end - begin));
}

/* Whether converting is all there is to do, from where the input lies to where the output does. What is
 * written past the caches goes through tiles, because that is for kernels to do. */
static bool is_conversion(const struct walk *walk)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *input = &plan->operand[0], *output = &plan->operand[OUTPUT];
    return plan->copies && plan->input_count == 1 && !walk->non_temporal && input->is_linear &&
           output->is_linear && input->dtype != plan->arithmetic && output->dtype == plan->result &&
           plan->arithmetic == plan->result;
}

static void walk_conversion(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *input = &plan->operand[0], *output = &plan->operand[OUTPUT];
    plan->transfer->convert(walk->first[0] + begin * input->bytes, input->dtype,
                            walk->first[OUTPUT] + begin * output->bytes, output->dtype,
                            (size_t)(end - begin));
}

static void walk_chunks(void *context, uint64_t first, uint64_t last)
{
    const struct walk *walk = (const struct walk *)context;
    uint64_t begin = first * walk->chunk, end = last * walk->chunk;
    end = end < walk->units ? end : walk->units;
    if (walk->plan->is_direct)
        walk_direct(walk, begin, end);
    else if (is_conversion(walk))
        walk_conversion(walk, begin, end);
    else if (walk->plan->is_transposed)
        walk_transpose_tiles(walk, begin, end);
    else
        walk_tiles(walk, begin, end);
    if (walk->non_temporal)
        put_fence();
}

/* Whether the output is one of the inputs, whose lines are in the caches then. */
static bool is_in_place(const struct elementwise_plan *plan, void *const *address)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (address[plan->operand[i].address] == address[plan->operand[OUTPUT].address])
            return true;
    return false;
}

static void run_chunks(struct walk *walk)
{
    const struct elementwise_plan *plan = walk->plan;
    bool is_whole = plan->count <= plan->chunk || !workers_pay(plan->cost_ns);
    walk->units = plan->count;
    walk->chunk = plan->chunk;
    if (plan->is_transposed) {
        uint64_t tiles = plan->chunk / transpose_tile_elements(plan);
        walk->units = transpose_tile_count(plan);
        walk->chunk = tiles > 0 ? tiles : 1;
    }
    if (is_whole)
        walk->chunk = walk->units;
    if (walk->units <= walk->chunk)
        walk_chunks(walk, 0, 1);
    else
        workers_run(walk_chunks, walk, (walk->units - 1) / walk->chunk + 1, plan->chunks_at_once);
}

static __attribute__((noinline)) void run_walk(const struct elementwise_plan *plan, void *const *address)
{
    static const double absent = 1; /* of an input that was not given; nobody writes to it */
    struct walk walk __attribute__((uninitialized));
    walk.plan = plan;
    for (uint32_t i = 0; i < plan->input_count; i++) {
        void *first = address[plan->operand[i].address];
        walk.first[i] = first != NULL ? first : (unsigned char *)(uintptr_t)&absent;
    }
    walk.first[OUTPUT] = (unsigned char *)address[plan->operand[OUTPUT].address];
    walk.non_temporal = plan->non_temporal && !is_in_place(plan, address);
    run_chunks(&walk);
}

/* Small contiguous work costs nothing beyond the kernel. */
bool elementwise_find_shortcut(const void *plan_bytes, void *const *address, struct shortcut *shortcut)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    if (!plan->is_direct || plan->non_temporal || plan->count > plan->chunk)
        return false;
    shortcut->function = plan->kernel;
    for (uint32_t i = 0; i < plan->input_count; i++)
        shortcut->input[i] = address[plan->operand[i].address];
    shortcut->output = address[plan->operand[OUTPUT].address];
    shortcut->count = (size_t)plan->count;
    shortcut->parameters = plan->parameters;
    return true;
}

uint64_t elementwise_copied_bytes(const void *plan_bytes)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    const struct walk_operand *input = &plan->operand[0], *output = &plan->operand[OUTPUT];
    const bool is_one = plan->copies && plan->input_count == 1 && input->is_linear && output->is_linear &&
                        input->dtype == output->dtype;
    return is_one ? plan->count * output->bytes : 0;
}

int elementwise_run(const void *plan_bytes, void *const *address, void *scratch)
{
    struct shortcut shortcut;
    (void)scratch;
    if (elementwise_find_shortcut(plan_bytes, address, &shortcut))
        shortcut.function(shortcut.input, shortcut.output, shortcut.count, shortcut.parameters, false);
    else
        run_walk((const struct elementwise_plan *)plan_bytes, address);
    return 0;
}
