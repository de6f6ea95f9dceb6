/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of an elementwise operator: walks the plan in chunks over threads and in tiles within a chunk.
 *
 * What a kernel takes as it lies in memory is passed as it lies; everything else goes through a tile on the
 * stack. Results depend on neither chunks nor tiles, because kernels treat each element alike.
 */
#include <string.h>

#include "ops/convert.h"
#include "ops/elementwise_plan.h"
#include "ops/strided.h"
#include "runtime/workers.h"
#include "simd/write.h"

/*
 * Bytes of a tile per operand, and of one whose elements are not of the arithmetic dtype yet or any more. All
 * tiles together, 24 KiB, stay in the first cache, and small work may run on a program's thread, whose stack
 * is not known to be large. A row at least ROW_MIN long gets tiles of its own, so that it can be passed in
 * place; shorter ones are packed together.
 */
enum { TILE_BYTES = 4096, STAGE_BYTES = 8192, ROW_MIN = 256, LINE_BYTES = 64 };

struct walk {
    const struct elementwise_plan *plan;
    bool streams; /* the plan's, unless the output is one of the inputs, whose lines are in the caches already
                   */
    unsigned char *first[OPERANDS]; /* the address of each operand's first element */
};

struct tiles {
    _Alignas(64) unsigned char operand[OPERANDS][TILE_BYTES];
    _Alignas(64) unsigned char stage[STAGE_BYTES]; /* elements before or after conversion */
};

/* A place in the walk: an index per axis. */
struct place {
    int64_t index[OPERAND_RANK_MAX];
};

static struct place place_at(const struct elementwise_plan *plan, uint64_t position)
{
    struct place place __attribute__((uninitialized));
    for (uint32_t k = plan->axis_count; k-- > 0;) {
        uint64_t size = (uint64_t)plan->axis[k].size;
        place.index[k] = (int64_t)(position % size);
        position /= size;
    }
    return place;
}

/* Moves on by steps of the last axis; past the end the first index is left too large, and is not used. */
static void advance(const struct elementwise_plan *plan, struct place *place, int64_t steps)
{
    uint32_t k = plan->axis_count - 1;
    place->index[k] += steps;
    for (; k > 0 && place->index[k] >= plan->axis[k].size; k--) {
        int64_t carry = place->index[k] / plan->axis[k].size;
        place->index[k] -= carry * plan->axis[k].size;
        place->index[k - 1] += carry;
    }
}

static unsigned char *element_at(const struct walk *walk, uint32_t operand, const struct place *place)
{
    const struct elementwise_plan *plan = walk->plan;
    int64_t offset = 0;
    for (uint32_t k = 0; k < plan->axis_count; k++)
        offset += place->index[k] * plan->axis[k].stride[operand];
    return walk->first[operand] + offset * (int64_t)plan->operand[operand].bytes;
}

/*
 * The longest part of the next count elements that the last two axes describe: the rest of a row, or whole
 * rows. Returns its elements.
 */
static size_t next_block(const struct elementwise_plan *plan, uint32_t operand, const struct place *place,
                         size_t count, struct block *block)
{
    uint32_t last = plan->axis_count - 1;
    uint64_t size = (uint64_t)plan->axis[last].size, left = size - (uint64_t)place->index[last];
    block->rows = 1;
    block->row_stride = 0;
    block->columns = count < left ? count : (size_t)left;
    block->column_stride = plan->axis[last].stride[operand];
    if (last > 0 && left == size && count > size) {
        uint64_t rows = (uint64_t)(plan->axis[last - 1].size - place->index[last - 1]);
        block->rows = count / size < rows ? count / size : (size_t)rows;
        block->row_stride = plan->axis[last - 1].stride[operand];
    }
    return block->rows * block->columns;
}

static void gather(const struct walk *walk, uint32_t operand, struct place place, unsigned char *to,
                   size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    uint32_t bytes = plan->operand[operand].bytes;
    while (count > 0) {
        struct block block __attribute__((uninitialized));
        size_t length = next_block(plan, operand, &place, count, &block);
        gather_block(to, element_at(walk, operand, &place), &block, bytes);
        to += length * bytes;
        count -= length;
        advance(plan, &place, (int64_t)length);
    }
}

static void scatter(const struct walk *walk, struct place place, const unsigned char *from, size_t count)
{
    const struct elementwise_plan *plan = walk->plan;
    uint32_t bytes = plan->operand[OUTPUT].bytes;
    while (count > 0) {
        struct block block __attribute__((uninitialized));
        size_t length = next_block(plan, OUTPUT, &place, count, &block);
        scatter_block(element_at(walk, OUTPUT, &place), &block, from, bytes);
        from += length * bytes;
        count -= length;
        advance(plan, &place, (int64_t)length);
    }
}

/* Whether the tile's elements of an operand lie side by side. */
static bool is_contiguous(const struct elementwise_plan *plan, uint32_t operand, bool is_in_row)
{
    return plan->operand[operand].is_linear ||
           (is_in_row && plan->axis[plan->axis_count - 1].stride[operand] == 1);
}

/* The tile of an input as the kernel wants it: in place, or brought to its buffer. */
static const void *fetch(const struct walk *walk, struct tiles *tiles, uint32_t input,
                         const struct place *place, size_t count, bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *operand = &plan->operand[input];
    bool is_same_dtype = operand->dtype == plan->arithmetic;
    const unsigned char *source;
    if (is_contiguous(plan, input, is_in_row)) {
        source = element_at(walk, input, place);
    } else {
        unsigned char *packed = is_same_dtype ? tiles->operand[input] : tiles->stage;
        gather(walk, input, *place, packed, count);
        source = packed;
    }
    if (is_same_dtype)
        return source;
    convert(source, operand->dtype, tiles->operand[input], plan->arithmetic, count);
    return tiles->operand[input];
}

/* Takes the tile of results from its buffer to the output. */
static void store(const struct walk *walk, struct tiles *tiles, const struct place *place, size_t count,
                  bool is_in_row)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct walk_operand *output = &plan->operand[OUTPUT];
    bool is_packed = is_contiguous(plan, OUTPUT, is_in_row);
    const unsigned char *source = tiles->operand[OUTPUT];
    if (output->dtype != plan->arithmetic) {
        unsigned char *target = is_packed ? element_at(walk, OUTPUT, place) : tiles->stage;
        convert(source, plan->arithmetic, target, output->dtype, count);
        source = target;
    }
    if (!is_packed)
        scatter(walk, *place, source, count);
}

/* Elements of a tile: as many as its buffers hold. */
static size_t tile_elements(const struct elementwise_plan *plan)
{
    size_t elements = TILE_BYTES / plan->arithmetic_bytes;
    elements = elements < CONVERT_MAX ? elements : (size_t)CONVERT_MAX;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if ((i < plan->input_count || i == OUTPUT) && STAGE_BYTES / plan->operand[i].bytes < elements)
            elements = STAGE_BYTES / plan->operand[i].bytes;
    return elements;
}

/* Kernels stream whole lines alone, so that what comes before the first and after the last one goes apart. */
static __attribute__((noinline)) void run_streaming(const struct elementwise_plan *plan,
                                                    const void *const *input, unsigned char *output,
                                                    size_t count)
{
    size_t bytes = plan->arithmetic_bytes, head = (-(uintptr_t)output % LINE_BYTES) / bytes;
    head = head < count ? head : count;
    size_t body = (count - head) / (LINE_BYTES / bytes) * (LINE_BYTES / bytes);
    size_t part[] = {head, body, count - head - body};
    const void *source[INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++)
        source[i] = input[i];
    for (int k = 0; k < 3; k++) {
        if (part[k] > 0)
            plan->kernel(source, output, part[k], plan->parameters, k == 1);
        for (uint32_t i = 0; i < plan->input_count; i++)
            source[i] = (const unsigned char *)source[i] + part[k] * bytes;
        output += part[k] * bytes;
    }
}

static void run_kernel(const struct walk *walk, const void *const *input, unsigned char *output, size_t count)
{
    if (walk->streams)
        run_streaming(walk->plan, input, output, count);
    else
        walk->plan->kernel(input, output, count, walk->plan->parameters, false);
}

static void walk_tiles(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    const struct axis *row = &plan->axis[plan->axis_count - 1];
    struct tiles tiles __attribute__((uninitialized));
    struct place place = place_at(plan, begin);
    const void *source[INPUTS_MAX];
    size_t tile = tile_elements(plan);

    /* An input that is one element fills its buffer once for all tiles. */
    size_t most = end - begin < tile ? (size_t)(end - begin) : tile;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (plan->operand[i].is_constant)
            source[i] = fetch(walk, &tiles, i, &place, most, false);

    while (begin < end) {
        size_t count = end - begin < tile ? (size_t)(end - begin) : tile;
        uint64_t left = (uint64_t)(row->size - place.index[plan->axis_count - 1]);
        if (row->size >= ROW_MIN && count > left)
            count = (size_t)left;
        bool is_in_row = count <= left;

        for (uint32_t i = 0; i < plan->input_count; i++)
            if (!plan->operand[i].is_constant)
                source[i] = fetch(walk, &tiles, i, &place, count, is_in_row);

        if (plan->operand[OUTPUT].dtype == plan->arithmetic && is_contiguous(plan, OUTPUT, is_in_row)) {
            run_kernel(walk, source, element_at(walk, OUTPUT, &place), count);
        } else {
            plan->kernel(source, tiles.operand[OUTPUT], count, plan->parameters, false);
            store(walk, &tiles, &place, count, is_in_row);
        }
        advance(plan, &place, (int64_t)count);
        begin += count;
    }
}

/* All operands as they lie; also the path of small contiguous work, which should cost nothing beyond it. */
static void walk_direct(const struct walk *walk, uint64_t begin, uint64_t end)
{
    const struct elementwise_plan *plan = walk->plan;
    uint64_t offset = begin * plan->arithmetic_bytes;
    const void *source[INPUTS_MAX];
    for (uint32_t i = 0; i < plan->input_count; i++)
        source[i] = walk->first[i] + offset;
    run_kernel(walk, source, walk->first[OUTPUT] + offset, (size_t)(end - begin));
}

static void walk_chunk(void *context, uint64_t index)
{
    const struct walk *walk = (const struct walk *)context;
    uint64_t chunk = walk->plan->chunk, count = walk->plan->count, begin = index * chunk;
    uint64_t end = count - begin > chunk ? begin + chunk : count;
    if (walk->plan->is_direct)
        walk_direct(walk, begin, end);
    else
        walk_tiles(walk, begin, end);
    if (walk->streams)
        put_fence();
}

/*
 * Whether an input shares memory with the output in a way that must be resolved by a copy. An input that is
 * the output itself is not: each tile is read before it is written, and no other tile's elements are touched.
 */
static bool needs_copy(const struct elementwise_plan *plan, uint32_t input, void *const *address)
{
    const struct walk_operand *operand = &plan->operand[input], *output = &plan->operand[OUTPUT];
    uintptr_t first = (uintptr_t)address[operand->address], written = (uintptr_t)address[output->address];
    if (first == written && operand->is_output_view)
        return false;
    return first < written + (uint64_t)output->extent * output->bytes &&
           written < first + (uint64_t)operand->extent * operand->bytes;
}

static bool is_in_place(const struct elementwise_plan *plan, void *const *address)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (address[plan->operand[i].address] == address[plan->operand[OUTPUT].address])
            return true;
    return false;
}

/* Elements of an input without its repetitions; more than its extent if strides make indices meet. */
static uint64_t distinct_count(const struct elementwise_plan *plan, uint32_t input)
{
    uint64_t count = 1;
    for (uint32_t k = 0; k < plan->axis_count; k++)
        if (plan->axis[k].stride[input] != 0)
            count *= (uint64_t)plan->axis[k].size; /* at most plan->count */
    return count;
}

static uint64_t copy_elements(const struct elementwise_plan *plan, uint32_t input)
{
    uint64_t distinct = distinct_count(plan, input), extent = (uint64_t)plan->operand[input].extent;
    return distinct < extent ? distinct : extent;
}

/* Each copy begins at a multiple of 64 bytes. */
static size_t copy_bytes(const struct elementwise_plan *plan, uint32_t input)
{
    return (copy_elements(plan, input) * plan->operand[input].bytes + 63) & ~(size_t)63;
}

size_t elementwise_scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    size_t bytes = 0;
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (needs_copy(plan, i, address))
            bytes += copy_bytes(plan, i);
    return bytes;
}

/*
 * Copies an input to memory of its own and makes the plan read it there: its elements one after the other, or
 * its whole range where indices share so many elements that this is less.
 */
static void copy_input(struct elementwise_plan *plan, struct walk *walk, uint32_t input, unsigned char *to)
{
    struct walk_operand *operand = &plan->operand[input];
    uint64_t distinct = distinct_count(plan, input);
    if (distinct > (uint64_t)operand->extent) {
        memcpy(to, walk->first[input], (size_t)operand->extent * operand->bytes);
        walk->first[input] = to;
        return;
    }

    /* A plan whose axes along which the input repeats are of size 1 visits every element once. */
    struct elementwise_plan once __attribute__((uninitialized));
    memcpy(&once, plan, elementwise_plan_bytes(plan));
    int64_t stride = 1;
    for (uint32_t k = plan->axis_count; k-- > 0;) {
        if (plan->axis[k].stride[input] == 0) {
            once.axis[k].size = 1;
            continue;
        }
        plan->axis[k].stride[input] = stride;
        stride *= plan->axis[k].size;
    }
    struct walk reader = {.plan = &once};
    reader.first[input] = walk->first[input];
    gather(&reader, input, place_at(&once, 0), to, (size_t)distinct);
    walk->first[input] = to;
}

static void run_chunks(struct walk *walk)
{
    uint64_t chunks = (walk->plan->count - 1) / walk->plan->chunk + 1;
    if (chunks == 1)
        walk_chunk(walk, 0);
    else
        workers_run(walk_chunk, walk, chunks);
}

/* Out of elementwise_run, whose frame stays small that way. */
static __attribute__((noinline)) void run_with_copies(const struct elementwise_plan *plan,
                                                      void *const *address, struct walk *walk,
                                                      unsigned char *scratch)
{
    struct elementwise_plan changed __attribute__((uninitialized));
    memcpy(&changed, plan, elementwise_plan_bytes(plan));
    for (uint32_t i = 0; i < plan->input_count; i++) {
        if (!needs_copy(plan, i, address))
            continue;
        copy_input(&changed, walk, i, scratch);
        scratch += copy_bytes(plan, i);
    }
    elementwise_classify(&changed);
    walk->plan = &changed;
    run_chunks(walk);
}

int elementwise_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct elementwise_plan *plan = (const struct elementwise_plan *)plan_bytes;
    struct walk walk __attribute__((uninitialized));
    walk.plan = plan;
    for (uint32_t i = 0; i < plan->input_count; i++)
        walk.first[i] = (unsigned char *)address[plan->operand[i].address];
    walk.first[OUTPUT] = (unsigned char *)address[plan->operand[OUTPUT].address];
    walk.streams = plan->streams && !is_in_place(plan, address);
    if (scratch != NULL)
        run_with_copies(plan, address, &walk, (unsigned char *)scratch);
    else
        run_chunks(&walk);
    return 0;
}
