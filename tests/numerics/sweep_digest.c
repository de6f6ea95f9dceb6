/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/sweep_digest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/kernel_table.h"

/* What the threads work on. */
struct work {
    struct runs *const *runs;
    int sweeps;
    uint64_t count;
    atomic_uint_fast64_t next;
};

/* Of a block of the widest dtype, or of two of half its width. */
static void *allocate_array(void)
{
    void *array = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t));
    if (!array)
        abort();
    return array;
}

void allocate_arrays(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++) {
        arrays->input[i] = allocate_array();
        arrays->other[i] = allocate_array();
        arrays->mixed[i] = allocate_array();
    }
    arrays->output = allocate_array();
    arrays->mixed_output = allocate_array();
}

void release_arrays(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++) {
        free(arrays->input[i]);
        free(arrays->other[i]);
        free(arrays->mixed[i]);
    }
    free(arrays->output);
    free(arrays->mixed_output);
}

uint64_t blocks_tried(const struct sweep *sweep)
{
    return (sweep->blocks + sweep->stride - 1) / sweep->stride;
}

/* Where among its elements the other block's stand: odd, so that each has one place. */
enum { STRIDE_OF_OTHER = 40503 };

static bool has_same_attributes(const struct task *a, const struct task *b)
{
    return memcmp(&a->slope, &b->slope, sizeof a->slope) == 0 &&
           memcmp(&a->beta, &b->beta, sizeof a->beta) == 0 && a->divisor == b->divisor;
}

/*
 * The block whose elements are put between those of this one: of pairs and lines the block's number is, or
 * begins, the argument that all of its elements have; subnormal ones get ordinary neighbours, and others
 * subnormal ones. Where that would have other attributes, it is the block itself.
 */
static uint64_t neighbour_of(const struct sweep *sweep, uint64_t block)
{
    const uint64_t exponent = sweep->task.dtype == ARITHMETIC_FP16 ? 0x7c00 : 0x7f80;
    const bool has_kinds = sweep->kind == SWEEP_PAIRS && sweep->task.stem == LEAKY_RELU_BACKWARD;
    const uint64_t other = has_kinds          ? block ^ 1
                           : block & exponent ? block & ~exponent
                                              : block | (exponent >> 1 & exponent);
    if (other >= sweep->blocks)
        return block;
    const struct task task = sweep_task(sweep, block), other_task = sweep_task(sweep, other);
    return has_same_attributes(&task, &other_task) ? other : block;
}

static void put_between(size_t bytes, const void *from, const void *other, void *mixed)
{
    if (bytes == 2)
        for (size_t i = 0; i < SWEEP_BLOCK; i++) {
            ((uint16_t *)mixed)[2 * i] = ((const uint16_t *)from)[i];
            ((uint16_t *)mixed)[2 * i + 1] = ((const uint16_t *)other)[i * STRIDE_OF_OTHER % SWEEP_BLOCK];
        }
    else
        for (size_t i = 0; i < SWEEP_BLOCK; i++) {
            ((uint32_t *)mixed)[2 * i] = ((const uint32_t *)from)[i];
            ((uint32_t *)mixed)[2 * i + 1] = ((const uint32_t *)other)[i * STRIDE_OF_OTHER % SWEEP_BLOCK];
        }
}

static void take_back(size_t bytes, const void *mixed, void *to)
{
    if (bytes == 2)
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint16_t *)to)[i] = ((const uint16_t *)mixed)[2 * i];
    else
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint32_t *)to)[i] = ((const uint32_t *)mixed)[2 * i];
}

void run_on_block(const struct sweep *sweep, kernel_function *function, uint64_t block,
                  const struct arrays *arrays)
{
    const struct task task = sweep_task(sweep, block);
    const struct kernel_parameters parameters = parameters_of(&task);
    const void *source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    const size_t bytes = (size_t)formats[task.dtype].bits / 8;
    /* Tuples are of all kinds as they stand. */
    if (!sweep->is_mixed || sweep->kind == SWEEP_TUPLES) {
        function(source, arrays->output, SWEEP_BLOCK, &parameters, block % 2);
        return;
    }
    sweep_fill(sweep, neighbour_of(sweep, block), arrays->other);
    for (int i = 0; i < reference_inputs(task.stem); i++) {
        put_between(bytes, arrays->input[i], arrays->other[i], arrays->mixed[i]);
        source[i] = arrays->mixed[i];
    }
    function(source, arrays->mixed_output, (size_t)2 * SWEEP_BLOCK, &parameters, block % 2);
    take_back(bytes, arrays->mixed_output, arrays->output);
}

static void *work_on(void *argument)
{
    struct work *work = argument;
    const struct sweep *sweep = &work->runs[0]->sweep;
    const size_t bytes = SWEEP_BLOCK * (size_t)formats[sweep->task.dtype].bits / 8;
    struct arrays arrays;
    allocate_arrays(&arrays);
    for (uint64_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) {
        const uint64_t block = sweep_pick(sweep, i * sweep->stride);
        sweep_fill(sweep, block, arrays.input);
        for (int j = 0; j < work->sweeps; j++) {
            for (int k = 0; k < work->runs[j]->count; k++) {
                struct run *run = &work->runs[j]->run[k];
                run_on_block(&work->runs[j]->sweep, run->function, block, &arrays);
                XXH128_canonicalFromHash(&run->blocks[i], XXH3_128bits(arrays.output, bytes));
            }
        }
    }
    release_arrays(&arrays);
    return NULL;
}

void write_digits(const XXH128_canonical_t *digest, char *text)
{
    for (size_t i = 0; i < sizeof digest->digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest->digest[i]);
}

void digest_of(const XXH128_canonical_t *blocks, uint64_t count, char *text)
{
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(blocks, (size_t)count * sizeof *blocks));
    write_digits(&digest, text);
}

void choose_runs(struct runs *runs, const struct sweep *sweep, int accuracy, int level)
{
    *runs = (struct runs){.sweep = *sweep};
    for (int a = 0; a < ACCURACY_COUNT; a++)
        for (int l = 0; l < ISA_KERNEL_LEVELS; l++) {
            runs->of[a][l] = -1;
            if (l > (int)processor_kernel_level() || (accuracy >= 0 && accuracy != a) ||
                (level >= 0 && level != l))
                continue;
            kernel_function *function = kernel_table[sweep->task.stem][l]->run[a][sweep->task.dtype];
            if (!function)
                continue;
            int same = 0;
            while (same < runs->count && runs->run[same].function != function)
                same++;
            runs->of[a][l] = same;
            if (same == runs->count)
                runs->run[runs->count++].function = function;
        }
}

void do_runs(struct runs *const *runs, int count, int threads)
{
    struct work work = {.runs = runs, .sweeps = count, .count = blocks_tried(&runs[0]->sweep)};
    pthread_t thread[64];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < runs[i]->count; j++)
            if (!(runs[i]->run[j].blocks = calloc((size_t)work.count, sizeof *runs[i]->run[j].blocks)))
                abort();
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work_on, &work))
            abort();
    work_on(&work);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < runs[i]->count; j++)
            digest_of(runs[i]->run[j].blocks, work.count, runs[i]->run[j].digest);
}

void release_runs(struct runs *runs)
{
    for (int i = 0; i < runs->count; i++)
        free(runs->run[i].blocks);
}
