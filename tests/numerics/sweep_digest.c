/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/sweep_digest.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "numerics/kernel_table.h"

/* What the threads work on. */
struct work {
    struct runs *const *runs;
    int sweeps;
    uint64_t count;
    atomic_uint_fast64_t next;
};

void allocate_arrays(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++)
        if (!(arrays->input[i] = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
            abort();
    if (!(arrays->output = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
        abort();
}

void release_arrays(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++)
        free(arrays->input[i]);
    free(arrays->output);
}

uint64_t blocks_tried(const struct sweep *sweep)
{
    return (sweep->blocks + sweep->stride - 1) / sweep->stride;
}

void run_on_block(const struct task *task, kernel_function *function, uint64_t block,
                  const struct arrays *arrays)
{
    const struct kernel_parameters parameters = parameters_of(task);
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    function(source, arrays->output, SWEEP_BLOCK, &parameters, block % 2);
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
            const struct task task = sweep_task(&work->runs[j]->sweep, block);
            for (int k = 0; k < work->runs[j]->count; k++) {
                struct run *run = &work->runs[j]->run[k];
                run_on_block(&task, run->function, block, &arrays);
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
        for (int l = 0; l < ISA_LEVELS; l++) {
            runs->of[a][l] = -1;
            if (l > (int)processor_level() || (accuracy >= 0 && accuracy != a) || (level >= 0 && level != l))
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
