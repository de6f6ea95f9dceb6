/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The order in which the cores of a kernel run.
 *
 * A round has two halves. In the first one the cores run side by side, on the threads of the pool, each until it
 * ends or does what others may see in another order (run_take_turn). In the second one those that are left run
 * one after the other, by their numbers, each until it waits, again and again until none can go on. When all
 * meet then, the next round begins. Which core does what in which half follows from the kernel alone, so that
 * results do not depend on threads.
 */
#include "kernel/blocks/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/settings.h"
#include "base/splitmix.h"
#include "runtime/streams/workers.h"

enum { WAITERS_NAMED = 3 };

void run_name_core(const struct core *core, char *text, size_t bytes)
{
    const struct belay_kernel_block *block = &core->block;
    if (block->kind < BELAY_KERNEL_MIXED_1_1)
        snprintf(text, bytes, "block %u", (unsigned)block->index);
    else if (block->core == BELAY_CORE_CUBE)
        snprintf(text, bytes, "block %u, cube core", (unsigned)block->index);
    else
        snprintf(text, bytes, "block %u, vector core %u", (unsigned)block->index, (unsigned)block->sub_index);
}

static uint32_t cores_of_block(uint32_t kind)
{
    return kind == BELAY_KERNEL_MIXED_1_2 ? 3 : kind == BELAY_KERNEL_MIXED_1_1 ? 2 : 1;
}

/* The cube core of a block comes before its vector cores. */
static void set_core(struct run *run, uint32_t number)
{
    const uint32_t each = cores_of_block(run->kind), of_block = number % each;
    const bool is_cube = run->kind == BELAY_KERNEL_CUBE || (each > 1 && of_block == 0);
    run->core[number] = (struct core){
        .block = {.index = number / each,
                  .count = run->blocks,
                  .sub_index = is_cube || each == 1 ? 0 : of_block - 1,
                  .sub_count = each == 3 ? 2 : 1,
                  .core = is_cube ? BELAY_CORE_CUBE : BELAY_CORE_VECTOR,
                  .kind = run->kind,
                  .tiling_key = run->tiling_key,
                  .kernel = run->name},
        .run = run,
    };
}

static bool make_cores(struct run *run)
{
    if (run->blocks > UINT32_MAX / 4)
        return false;
    run->count = run->blocks * cores_of_block(run->kind);
    run->core = malloc((size_t)run->count * sizeof *run->core);
    for (uint32_t i = 0; run->core != NULL && i < run->count; i++)
        set_core(run, i);
    return run->core != NULL;
}

int run_blame(struct run *run, const struct core *core, const char *sentence)
{
    pthread_mutex_lock(&run->lock);
    if (run->bad == NULL || core < run->bad) {
        __atomic_store_n(&run->bad, core, __ATOMIC_RELAXED);
        snprintf(run->sentence, sizeof run->sentence, "%s", sentence);
        run->ended_at = core != NULL ? core->ends_at : 0;
    }
    pthread_mutex_unlock(&run->lock);
    return ACL_ERROR_RT_AICORE_EXCEPTION;
}

static void step(struct run *run, struct core *core)
{
    if (run->prepare != NULL)
        run->prepare();
    if (core_step(core))
        return;
    core->state = CORE_HAS_ENDED;
    run_blame(run, core, "there is no memory for the stack of another block");
}

static bool is_over(struct run *run)
{
    pthread_mutex_lock(&run->lock);
    const bool is_over = run->bad != NULL || run->becomes != BELAY_KERNEL_AUTO;
    pthread_mutex_unlock(&run->lock);
    return is_over;
}

/* Behind a core that has faulted none begins: which one is the first to fault is known without it, and what a core
 * that faults holds is given back when the launch ends. */
static bool is_behind_bad(struct run *run, const struct core *core)
{
    const struct core *bad = __atomic_load_n(&run->bad, __ATOMIC_RELAXED);
    return bad != NULL && core > bad;
}

static void step_side_by_side(void *context, uint64_t begin, uint64_t end)
{
    struct run *run = context;
    for (uint64_t i = begin; i < end && !is_behind_bad(run, &run->core[i]); i++)
        if (run->core[i].state == CORE_IS_NEW || run->core[i].state == CORE_GOES_ON)
            step(run, &run->core[i]);
}

static bool can_go_on(struct core *core)
{
    return core->state == CORE_IS_NEW || core->state == CORE_GOES_ON ||
           (core->state == CORE_WAITS && core->ready(core->of) != 0);
}

static uint64_t draw(uint64_t *seed)
{
    return splitmix_at(*seed += SPLITMIX_STEP);
}

/* Each core has a turn that can go on; false when none could. */
static bool step_in_turn(struct run *run, bool is_drawn, uint64_t *seed)
{
    bool has_moved = false;
    const uint64_t first = is_drawn ? draw(seed) % run->count : 0;
    /* Drawn: every core with an odd step from a drawn one, which meets each one where it has no common factor. */
    const uint64_t stride = is_drawn && run->count % 3 != 0 && draw(seed) % 2 == 0 ? 3 : 1;
    const bool is_backwards = is_drawn && draw(seed) % 2 == 0;
    for (uint64_t i = 0; i < run->count && !is_over(run); i++) {
        const uint64_t at = (first + i * stride) % run->count;
        struct core *core = &run->core[is_backwards ? run->count - 1 - at : at];
        if (!can_go_on(core))
            continue;
        core->state = core->state == CORE_IS_NEW ? CORE_IS_NEW : CORE_GOES_ON;
        step(run, core);
        has_moved = true;
    }
    return has_moved;
}

/* Those that have met go on. sort: BELAY_CORE_ of those that meet among themselves, or -1 of all. */
static bool release(struct run *run, int sort)
{
    uint32_t cores = 0, meeting = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        const struct core *core = &run->core[i];
        const bool is_meant = sort < 0 || core->block.core == (uint32_t)sort;
        cores += is_meant;
        meeting += is_meant && core->state == CORE_MEETS && core->meets_sort == (sort >= 0);
    }
    if (cores == 0 || meeting < cores)
        return false;
    for (uint32_t i = 0; i < run->count; i++)
        if (sort < 0 || run->core[i].block.core == (uint32_t)sort)
            run->core[i].state = CORE_GOES_ON;
    return true;
}

static bool all_have_ended(const struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++)
        if (run->core[i].state != CORE_HAS_ENDED)
            return false;
    return true;
}

__attribute__((format(printf, 4, 5))) static void append(char *text, size_t bytes, size_t *length,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(text + *length, bytes - *length, format, arguments);
    va_end(arguments);
    *length += more > 0 ? (size_t)more : 0;
    *length = *length < bytes ? *length : bytes - 1;
}

/* Who waits for what, the first few of them. */
static int blame_deadlock(struct run *run)
{
    char text[RUN_SENTENCE_BYTES], name[64];
    const struct core *first = NULL;
    size_t length = 0;
    uint32_t waiting = 0, ended = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        waiting += run->core[i].state != CORE_HAS_ENDED;
        ended += run->core[i].state == CORE_HAS_ENDED;
    }
    append(text, sizeof text, &length, "no block can go on: ");
    for (uint32_t i = 0, named = 0; i < run->count && named < WAITERS_NAMED; i++) {
        const struct core *core = &run->core[i];
        if (core->state == CORE_HAS_ENDED)
            continue;
        run_name_core(core, name, sizeof name);
        append(text, sizeof text, &length, "%s%s waits for %s", named > 0 ? ", " : "", name,
               core->state == CORE_WAITS ? core->what
               : core->meets_sort        ? "all cores of its sort in SyncAll"
                                         : "all blocks in SyncAll");
        first = first != NULL ? first : core;
        named++;
    }
    if (waiting > WAITERS_NAMED)
        append(text, sizeof text, &length, ", and %u more wait", (unsigned)(waiting - WAITERS_NAMED));
    if (ended > 0)
        append(text, sizeof text, &length, "; %u of %u have ended", (unsigned)ended, (unsigned)run->count);
    return run_blame(run, first, text);
}

static int run_rounds(struct run *run)
{
    const struct settings *settings = atomic_load_explicit(&settings_current, memory_order_acquire);
    const bool has_order = settings == NULL || settings->schedule != SCHEDULE_EAGER || checks_are_on();
    const bool is_drawn = settings != NULL && settings->schedule == SCHEDULE_RANDOM;
    uint64_t seed = is_drawn ? settings->schedule_seed : 0;
    while (!is_over(run) && !all_have_ended(run)) {
        run->is_in_turn = has_order || run->count == 1;
        if (!run->is_in_turn)
            workers_run(step_side_by_side, run, run->count, 0);
        run->is_in_turn = true;
        bool has_met = false;
        while (!has_met && !is_over(run)) {
            const bool has_moved = step_in_turn(run, is_drawn, &seed);
            has_met = release(run, -1) || all_have_ended(run);
            if (!has_met && !release(run, BELAY_CORE_VECTOR) && !release(run, BELAY_CORE_CUBE) &&
                !has_moved && !is_over(run))
                return blame_deadlock(run);
        }
    }
    return run->bad != NULL ? ACL_ERROR_RT_AICORE_EXCEPTION : 0;
}

static int run_as(struct run *run)
{
    if (!make_cores(run))
        return run_blame(run, NULL, "there is no memory for so many blocks");
    const int status = run_rounds(run);
    for (uint32_t i = 0; i < run->count; i++)
        core_drop(&run->core[i]);
    free(run->core);
    free(run->shared);
    run->shared = NULL;
    return status;
}

int run_blocks(struct run *run)
{
    run->bad = NULL;
    run->becomes = BELAY_KERNEL_AUTO;
    run->shared = NULL;
    run->sentence[0] = '\0';
    run->ended_at = 0;
    run->was_launched_as_auto = run->kind == BELAY_KERNEL_AUTO;
    run->kind = run->was_launched_as_auto ? BELAY_KERNEL_VECTOR : run->kind;
    pthread_mutex_init(&run->lock, NULL);
    int status = run_as(run);
    if (status == 0 && run->becomes != BELAY_KERNEL_AUTO) {
        run->kind = run->becomes;
        run->becomes = BELAY_KERNEL_AUTO;
        run->was_launched_as_auto = false;
        status = run_as(run);
    }
    pthread_mutex_destroy(&run->lock);
    return status;
}

void run_take_turn(struct core *core)
{
    if (core->run->is_in_turn)
        return;
    core->state = CORE_GOES_ON;
    core_leave(core);
}
