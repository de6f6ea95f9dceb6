/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels call: who runs, the memory of a core and of the launch, turns and waits.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/blocks/run.h"
#include "kernel/blocks/stack_end.h"

enum { SHARED_ALIGNMENT = 64 };

struct belay_kernel_block *belay_kernel_block(void)
{
    struct core *core = core_calls();
    return core != NULL ? &core->block : NULL;
}

void *belay_kernel_chip(uint64_t layout, size_t bytes)
{
    struct core *core = core_calls();
    if (core == NULL)
        return NULL;
    if (core->block.chip == NULL && core_chip(core, layout, bytes) == NULL)
        belay_kernel_fault(NULL, 0, "there is no memory for %zu bytes of a core's chip", bytes);
    return core->block.chip;
}

void belay_kernel_at_end(void (*function)(void *chip))
{
    struct core *core = core_calls();
    if (core != NULL)
        core->at_end = function;
}

void *belay_kernel_shared(size_t bytes)
{
    struct core *core = core_calls();
    if (core == NULL)
        return NULL;
    struct run *run = core->run;
    run_take_turn(core);
    if (run->shared == NULL) {
        void *made = NULL;
        if (posix_memalign(&made, SHARED_ALIGNMENT, bytes != 0 ? bytes : 1) != 0)
            belay_kernel_fault(NULL, 0, "there is no memory for %zu bytes that all blocks share", bytes);
        memset(made, 0, bytes);
        run->shared = made;
    }
    return run->shared;
}

void belay_kernel_order(void)
{
    struct core *core = core_calls();
    if (core != NULL)
        run_take_turn(core);
}

void belay_kernel_yield(void)
{
    struct core *core = core_calls();
    if (core == NULL)
        return;
    run_take_turn(core);
    core->state = CORE_GOES_ON;
    core_leave(core);
}

void belay_kernel_wait(int (*ready)(void *), void *of, const char *what)
{
    struct core *core = core_calls();
    if (core == NULL)
        return;
    run_take_turn(core);
    if (ready(of) != 0)
        return;
    core->ready = ready;
    core->of = of;
    core->what = what;
    core->state = CORE_WAITS;
    core_leave(core);
}

static void meet(bool sort)
{
    struct core *core = core_calls();
    if (core == NULL)
        return;
    core->meets_sort = sort;
    core->state = CORE_MEETS;
    core_leave(core);
}

void belay_kernel_sync_all(void)
{
    meet(false);
}

void belay_kernel_sync_sort(void)
{
    meet(true);
}

void belay_kernel_become(uint32_t kind)
{
    struct core *core = core_calls();
    if (core == NULL || !core->run->was_launched_as_auto || kind <= BELAY_KERNEL_AUTO ||
        kind > BELAY_KERNEL_MIXED_1_2)
        return;
    struct run *run = core->run;
    if (kind == run->kind)
        return;
    pthread_mutex_lock(&run->lock);
    run->becomes = kind;
    pthread_mutex_unlock(&run->lock);
    core->state = CORE_GOES_ON;
    core_leave(core);
    abort(); /* nobody steps it again */
}
