/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of a reduction: blocks of elements become states, those of an output one state, and that a result.
 */
#include <stddef.h>
#include <string.h>

#include "ops/canonical.h"
#include "ops/loops/reduce_plan.h"
#include "runtime/streams/workers.h"

/* Runs that lie apart are taken as they lie from this length on. */
enum { RUN_MIN = 256 };

/* Rows that the kernel gets at a time. */
enum { ROWS_MAX = 8 * REDUCE_LANES };

/* The longest time that a thread takes work for, and the least work that threads share the blocks of. */
enum { SHARE_NS = 20000, SHARED_NS_MIN = 10000 };

_Static_assert(RUN_MIN % REDUCE_LANES == 0 && STAGES_BYTES / REDUCE_INPUTS_MAX / 16 % REDUCE_LANES == 0,
               "parts keep the lanes");

struct memory {
    const struct reduce_plan *plan;
    const unsigned char *first[REDUCE_INPUTS_MAX];
    unsigned char *output;
    int64_t *partial; /* the states of every tile's blocks, where threads share blocks */
};

/* What a thread computes with. */
struct bench {
    _Alignas(64) int64_t lane[REDUCE_LANES * REDUCE_TILE_WORDS];
    _Alignas(64) unsigned char stages[STAGES_BYTES];
    _Alignas(64) unsigned char raw[STAGES_BYTES / 2]; /* elements before conversion */
};

/* Some outputs of a row. */
struct tile {
    struct nest_place place; /* of its first output */
    size_t count;
};

/* Elements of an input as the kernel takes them. */
static unsigned char *stage_of(const struct reduce_plan *plan, struct bench *bench, uint32_t input)
{
    return bench->stages + (size_t)input * plan->stage_bytes;
}

static struct tile tile_at(const struct reduce_plan *plan, uint64_t number)
{
    const uint64_t row = number / plan->tiles_in_row, column = number % plan->tiles_in_row * plan->tile;
    const uint64_t left = (uint64_t)plan->kept_inner.size - column;
    struct tile tile = {.place = nest_place_at(&plan->kept, row),
                        .count = (size_t)(left < plan->tile ? left : plan->tile)};
    for (uint32_t i = 0; i <= plan->input_count; i++)
        tile.place.offset[i] += (int64_t)column * plan->kept_inner.stride[i];
    return tile;
}

/* The elements of one input that a kernel is to get: count of the reduced ones, from a place on, of each of
 * so many outputs from an offset on. They are brought to the bench row by row, converted. */
static void bring(const struct memory *memory, struct bench *bench, uint32_t input, int64_t offset,
                  size_t outputs, struct nest_place place, size_t count)
{
    const struct reduce_plan *plan = memory->plan;
    const struct nest *nest = reduce_nest(plan);
    const int64_t step = nest_inner(nest).stride[input];
    const struct operand *operand = &plan->input[input];
    const unsigned char *first = memory->first[input] + offset * (int64_t)operand->bytes;
    const unsigned char *from = first + place.offset[input] * (int64_t)operand->bytes;
    const bool converts = operand->dtype != plan->computed;
    unsigned char *to = converts ? bench->raw : stage_of(plan, bench, input);
    const bool is_run = outputs == 1 && step == 1 && (size_t)nest_left(nest, &place) >= count;
    if (!converts || !is_run) {
        from = to;
        if (outputs == 1)
            nest_gather(nest, input, place, plan->transfer, first, operand->bytes, to, count);
        for (size_t done = 0, rows; outputs > 1 && done < count; done += rows) {
            const size_t left = (size_t)nest_left(nest, &place);
            rows = left < count - done ? left : count - done;
            const struct block block = {rows, outputs, step, plan->kept_inner.stride[input]};
            plan->transfer->gather(to + done * outputs * operand->bytes,
                                   first + place.offset[input] * (int64_t)operand->bytes, &block,
                                   operand->bytes);
            nest_advance(nest, &place, rows);
        }
    }
    if (converts)
        plan->transfer->convert(from, operand->dtype, stage_of(plan, bench, input), plan->computed,
                                count * outputs);
}

/* How many elements the bench has room for. */
static size_t room(const struct reduce_plan *plan)
{
    uint32_t bytes = plan->computed_bytes;
    for (uint32_t i = 0; i < plan->input_count; i++)
        bytes = plan->input[i].bytes > bytes ? plan->input[i].bytes : bytes;
    const size_t elements = plan->stage_bytes / bytes;
    return elements < CONVERT_MAX ? elements : CONVERT_MAX;
}

/* One output's elements from a place on, into the lanes. */
static void reduce_run_of(const struct memory *memory, struct bench *bench, const int64_t *offset,
                          struct nest_place place, size_t count)
{
    const struct reduce_plan *plan = memory->plan;
    const struct nest *nest = reduce_nest(plan);
    const size_t most = room(plan);
    while (count > 0) {
        const void *source[REDUCE_INPUTS_MAX];
        const uint64_t left = (uint64_t)nest_left(nest, &place);
        size_t part = left < count ? (size_t)left / REDUCE_LANES * REDUCE_LANES : count;
        const bool is_direct = plan->is_direct && (part >= RUN_MIN || (part == count && left >= count));
        if (!is_direct)
            part = count < most ? count : most;
        for (uint32_t i = 0; i < plan->input_count; i++) {
            source[i] = is_direct ? memory->first[i] + (offset[i] + place.offset[i]) * plan->input[i].bytes
                                  : stage_of(plan, bench, i);
            if (!is_direct)
                bring(memory, bench, i, offset[i], 1, place, part);
        }
        plan->kernel->along(source, part, is_direct ? (size_t)left : part, bench->lane, plan->parameters);
        nest_advance(nest, &place, part);
        count -= part;
    }
}

/* The elements of all outputs of a tile from a place on, into lanes of as many states side by side. */
static void reduce_rows(const struct memory *memory, struct bench *bench, const struct tile *tile,
                        struct nest_place place, size_t count)
{
    const struct reduce_plan *plan = memory->plan;
    const struct nest *nest = reduce_nest(plan);
    size_t most = plan->is_direct ? ROWS_MAX : room(plan) / tile->count;
    most = most < ROWS_MAX ? most : ROWS_MAX;
    for (size_t done = 0; done < count;) {
        const void *row[REDUCE_INPUTS_MAX][ROWS_MAX];
        const void *const *rows[REDUCE_INPUTS_MAX];
        const size_t part = count - done < most ? count - done : most;
        for (uint32_t i = 0; i < plan->input_count; i++) {
            rows[i] = row[i];
            if (!plan->is_direct)
                bring(memory, bench, i, tile->place.offset[i], tile->count, place, part);
            for (size_t k = 0; !plan->is_direct && k < part; k++)
                row[i][k] = stage_of(plan, bench, i) + k * tile->count * plan->computed_bytes;
        }
        for (size_t k = 0, run; plan->is_direct && k < part; k += run) {
            const size_t left = (size_t)nest_left(nest, &place);
            run = left < part - k ? left : part - k;
            for (uint32_t i = 0; i < plan->input_count; i++) {
                const int64_t bytes = plan->input[i].bytes, step = nest_inner(nest).stride[i] * bytes;
                const unsigned char *from =
                    memory->first[i] + (tile->place.offset[i] + place.offset[i]) * bytes;
                for (size_t j = 0; j < run; j++)
                    row[i][k + j] = from + (int64_t)j * step;
            }
            nest_advance(nest, &place, run);
        }
        if (!plan->is_direct)
            nest_advance(nest, &place, part);
        plan->kernel->across(rows, part, done, tile->count, bench->lane, plan->parameters);
        done += part;
    }
}

/* How many lanes have elements of a block, to the next power of two. */
static size_t lanes_of(size_t count)
{
    size_t lanes = 1;
    while (lanes < REDUCE_LANES && lanes < count)
        lanes *= 2;
    return lanes;
}

/* Whether the elements of a block of so many lie as a kernel takes whole runs. */
static bool is_run(const struct reduce_plan *plan, uint64_t count)
{
    return !plan->is_across && plan->is_direct && count >= REDUCE_LANES && reduce_nest(plan)->axis_count <= 1;
}

/* The states of runs of count elements from one place on, of which each begins so many elements behind the
 * one before. */
static void reduce_runs_at(const struct memory *memory, const struct tile *tile, struct nest_place place,
                           const int64_t *stride, size_t runs, size_t count, int64_t *state)
{
    const struct reduce_plan *plan = memory->plan;
    const void *run[REDUCE_INPUTS_MAX];
    int64_t step[REDUCE_INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const int64_t bytes = plan->input[i].bytes;
        run[i] = memory->first[i] + (tile->place.offset[i] + place.offset[i]) * bytes;
        step[i] = stride[i] * bytes;
    }
    plan->kernel->runs(run, step, runs, count, plan->kernel->first, state, plan->parameters);
}

/* The states of a tile's outputs after one block. */
static void reduce_block(const struct memory *memory, struct bench *bench, const struct tile *tile,
                         uint64_t block, int64_t *state)
{
    const struct reduce_plan *plan = memory->plan;
    const struct reduce_kernel *kernel = plan->kernel;
    const uint64_t begin = block * REDUCE_BLOCK, left = plan->elements - begin;
    const size_t count = (size_t)(left < REDUCE_BLOCK ? left : REDUCE_BLOCK), lanes = lanes_of(count);
    const struct nest_place place = nest_place_at(reduce_nest(plan), begin);
    if (plan->is_across) {
        const size_t words = tile->count * kernel->width;
        kernel->begin(bench->lane, kernel->first, lanes * words);
        reduce_rows(memory, bench, tile, place, count);
        kernel->fold(bench->lane, lanes, words);
        memcpy(state, bench->lane, words * sizeof(int64_t));
        return;
    }
    if (is_run(plan, count)) {
        reduce_runs_at(memory, tile, place, plan->kept_inner.stride, tile->count, count, state);
        return;
    }
    int64_t offset[REDUCE_INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++)
        offset[i] = tile->place.offset[i];
    for (size_t k = 0; k < tile->count; k++) {
        kernel->begin(bench->lane, kernel->first, (size_t)REDUCE_LANES * kernel->width);
        reduce_run_of(memory, bench, offset, place, count);
        kernel->fold(bench->lane, lanes, kernel->width);
        memcpy(state + k * kernel->width, bench->lane, kernel->width * sizeof(int64_t));
        for (uint32_t i = 0; i < plan->input_count; i++)
            offset[i] += plan->kept_inner.stride[i];
    }
}

/* The states after each of some blocks of a tile, one behind the other; `most` are wanted. How many they are is
 * what it returns: whole blocks of tiles of one output are runs, of which one does not wait for the other. */
static uint64_t reduce_some_blocks(const struct memory *memory, struct bench *bench, const struct tile *tile,
                                   uint64_t block, uint64_t most, int64_t *state)
{
    static const int64_t stride[] = {REDUCE_BLOCK, REDUCE_BLOCK, REDUCE_BLOCK, REDUCE_BLOCK};
    _Static_assert(sizeof stride / sizeof stride[0] == REDUCE_INPUTS_MAX, "each input has one");
    const struct reduce_plan *plan = memory->plan;
    const uint64_t whole = plan->elements / REDUCE_BLOCK - block, runs = whole < most ? whole : most;
    if (plan->tile != 1 || whole == 0 || !is_run(plan, REDUCE_BLOCK)) {
        reduce_block(memory, bench, tile, block, state);
        return 1;
    }
    const struct nest_place place = nest_place_at(reduce_nest(plan), block * REDUCE_BLOCK);
    reduce_runs_at(memory, tile, place, stride, (size_t)runs, REDUCE_BLOCK, state);
    return runs;
}

/* From states to the output's elements: rounded to the dtype that is computed in, then to the output's. */
static void finish(const struct memory *memory, struct bench *bench, const struct tile *tile, int64_t *state)
{
    const struct reduce_plan *plan = memory->plan;
    const struct operand *output = &plan->output;
    if (plan->reduction->end != NULL)
        plan->reduction->end(state, tile->count, plan->elements, plan->computed, plan->parameters);
    if (plan->carrier != ACL_INT64)
        canonical_nans((double *)(void *)state, tile->count * plan->carrier_bytes / sizeof(double));
    const void *result = state;
    if (plan->computed != plan->carrier) {
        plan->transfer->convert(result, plan->carrier, bench->stages, plan->computed, tile->count);
        result = bench->stages;
    }
    if (output->dtype != plan->computed) {
        plan->transfer->convert(result, plan->computed, bench->raw, output->dtype, tile->count);
        result = bench->raw;
    }
    const struct block line = {1, tile->count, 0, plan->kept_inner.stride[plan->input_count]};
    plan->transfer->scatter(memory->output + tile->place.offset[plan->input_count] * output->bytes, &line,
                            result, output->bytes);
}

/* Whole tiles. */
static void reduce_tiles(void *context, uint64_t begin, uint64_t end)
{
    const struct memory *memory = context;
    const struct reduce_plan *plan = memory->plan;
    struct bench bench __attribute__((uninitialized));
    for (uint64_t number = begin; number < end; number++) {
        const struct tile tile = tile_at(plan, number);
        _Alignas(64) int64_t state[REDUCE_TILE_WORDS], next[REDUCE_TILE_WORDS];
        const size_t words = tile.count * plan->kernel->width;
        plan->kernel->begin(state, plan->kernel->first, words);
        const uint64_t most = REDUCE_TILE_WORDS / words;
        for (uint64_t block = 0, made; plan->elements > 0 && block < plan->blocks; block += made) {
            const uint64_t left = plan->blocks - block;
            made = reduce_some_blocks(memory, &bench, &tile, block, left < most ? left : most, next);
            if (block == 0)
                memcpy(state, next, words * sizeof(int64_t));
            for (uint64_t k = block == 0 ? 1 : 0; k < made; k++)
                plan->kernel->merge(state, next + k * words, words);
        }
        finish(memory, &bench, &tile, state);
    }
}

/* Blocks of tiles, whose states are kept. */
static void reduce_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct memory *memory = context;
    const struct reduce_plan *plan = memory->plan;
    struct bench bench __attribute__((uninitialized));
    for (uint64_t number = begin, made; number < end; number += made) {
        const struct tile tile = tile_at(plan, number / plan->blocks);
        const uint64_t block = number % plan->blocks, left = plan->blocks - block;
        const uint64_t most = left < end - number ? left : end - number;
        made = reduce_some_blocks(memory, &bench, &tile, block, most,
                                  memory->partial + number * plan->tile * plan->kernel->width);
    }
}

/* Merges the states of blocks in their order, and writes the results. */
static void merge_blocks(const struct memory *memory)
{
    const struct reduce_plan *plan = memory->plan;
    const size_t step = (size_t)plan->tile * plan->kernel->width;
    struct bench bench __attribute__((uninitialized));
    for (uint64_t number = 0; number < plan->tiles; number++) {
        const struct tile tile = tile_at(plan, number);
        int64_t *state = memory->partial + number * plan->blocks * step;
        for (uint64_t block = 1; block < plan->blocks; block++)
            plan->kernel->merge(state, state + block * step, tile.count * plan->kernel->width);
        finish(memory, &bench, &tile, state);
    }
}

static size_t partial_bytes(const struct reduce_plan *plan)
{
    return plan->by_blocks && plan->cost_ns >= SHARED_NS_MIN
               ? (size_t)(plan->tiles * plan->blocks * plan->tile * plan->kernel->width * sizeof(int64_t))
               : 0;
}

size_t reduce_work_bytes(const void *plan)
{
    return whole_lines(partial_bytes(plan));
}

int reduce_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct reduce_plan *plan = plan_bytes;
    struct memory memory = {.plan = plan, .output = address[plan->output.address], .partial = scratch};
    for (uint32_t i = 0; i < plan->input_count; i++)
        memory.first[i] = operand_first(&plan->input[i], address);
    const bool is_shared = plan->cost_ns >= SHARED_NS_MIN && workers_pay(plan->cost_ns);
    const uint64_t unit_ns = plan->tile_block_ns * (plan->by_blocks ? 1 : plan->blocks);
    const uint64_t most = unit_ns < SHARE_NS ? SHARE_NS / (unit_ns + 1) : 1;
    if (!is_shared) {
        reduce_tiles(&memory, 0, plan->tiles);
    } else if (plan->by_blocks) {
        workers_run(reduce_blocks, &memory, plan->tiles * plan->blocks, most);
        merge_blocks(&memory);
    } else {
        workers_run(reduce_tiles, &memory, plan->tiles, most);
    }
    return 0;
}
