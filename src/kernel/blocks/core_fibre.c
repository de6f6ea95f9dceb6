/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fibres: stacks of their own, which are kept for the cores of later launches, with what was on their chips.
 */
#include "kernel/blocks/core_fibre.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/blocks/run.h"
#include "kernel/blocks/sanitizer.h"
#include "simd/vector/write.h"

enum { STACK_BYTES = 512 * 1024, GUARD_BYTES = 64 * 1024, FIBRES_KEPT = 128, CHIP_ALIGNMENT = 4096 };

struct fibre {
    struct fibre *next; /* of those that are kept */
    ucontext_t here, back;
    struct fibre_stack stack;
    struct core *core;
    void *chip;
    uint64_t chip_layout;
    size_t chip_bytes;
    struct fibre_notes notes;
};

/* Guards the fibres that are kept. No other lock is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fibre *kept;
static unsigned kept_count;

static __thread struct core *running;

/* Not inlined: a fibre goes on on other threads, whose variable is another one. */
__attribute__((noinline)) struct core *core_running(void)
{
    return running;
}

static __attribute__((noinline)) void set_running(struct core *core)
{
    running = core;
}

const struct fibre_stack *core_stack(const struct core *core)
{
    return core->fibre != NULL ? &core->fibre->stack : NULL;
}

void core_leaves_stack(struct core *core)
{
    fibre_stack_is_anew(&core->fibre->notes);
}

static void free_fibre(struct fibre *fibre)
{
    fibre_notes_end(&fibre->notes);
    if (fibre->stack.guard != NULL)
        munmap(fibre->stack.guard, STACK_BYTES + GUARD_BYTES);
    free(fibre->chip);
    free(fibre);
}

static struct fibre *make_fibre(void)
{
    struct fibre *fibre = calloc(1, sizeof *fibre);
    if (fibre == NULL)
        return NULL;
    void *stack = mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) != 0) {
        if (stack != MAP_FAILED)
            munmap(stack, STACK_BYTES + GUARD_BYTES);
        free(fibre);
        return NULL;
    }
    fibre->stack = (struct fibre_stack){.guard = stack, .guard_bytes = GUARD_BYTES, .bytes = STACK_BYTES};
    fibre_notes_begin(&fibre->notes, fibre->stack.guard + GUARD_BYTES, STACK_BYTES);
    return fibre;
}

static struct fibre *take_fibre(void)
{
    pthread_mutex_lock(&lock);
    struct fibre *fibre = kept;
    if (fibre != NULL) {
        kept = fibre->next;
        kept_count--;
    }
    pthread_mutex_unlock(&lock);
    return fibre != NULL ? fibre : make_fibre();
}

static void give_back(struct fibre *fibre)
{
    pthread_mutex_lock(&lock);
    const bool is_kept = kept_count < FIBRES_KEPT;
    if (is_kept) {
        fibre->next = kept;
        kept = fibre;
        kept_count++;
    }
    pthread_mutex_unlock(&lock);
    if (!is_kept)
        free_fibre(fibre);
}

/* A fibre begins here for its first core, and goes on here for the others. */
static void live(unsigned high, unsigned low)
{
    struct fibre *fibre = (struct fibre *)((uintptr_t)high << 16 << 16 | low);
    fibre_has_begun(&fibre->notes);
    for (;;) {
        struct core *core = fibre->core;
        core->run->function(core->run->arguments);
        if (core->at_end != NULL)
            core->at_end(core->block.chip);
        core->state = CORE_HAS_ENDED;
        core_leave(core);
    }
}

/* A function of its own: getcontext is one of those that may return twice. */
static __attribute__((noinline)) void begin_anew(struct fibre *fibre)
{
    const uintptr_t address = (uintptr_t)fibre;
    fibre_stack_is_anew(&fibre->notes);
    getcontext(&fibre->here);
    fibre->here.uc_stack.ss_sp = fibre->stack.guard + GUARD_BYTES;
    fibre->here.uc_stack.ss_size = STACK_BYTES;
    fibre->here.uc_link = NULL;
    makecontext(&fibre->here, (void (*)(void))live, 2, (unsigned)(address >> 16 >> 16), (unsigned)address);
}

static bool begin(struct core *core)
{
    struct fibre *fibre = take_fibre();
    if (fibre == NULL)
        return false;
    fibre->core = core;
    core->fibre = fibre;
    core->stack_low = (uintptr_t)fibre->stack.guard + fibre->stack.guard_bytes;
    core->state = CORE_GOES_ON;
    /* One that a core has ended on goes on in its loop; a new one, or one that a core was dropped on, begins. */
    if (!fibre->notes.is_idle)
        begin_anew(fibre);
    fibre->notes.is_idle = false;
    return true;
}

bool core_step(struct core *core)
{
    if (core->state == CORE_IS_NEW && !begin(core))
        return false;
    struct fibre *fibre = core->fibre;
    struct core *outer = core_running();
    set_running(core);
    fibre_enters(&fibre->notes);
    swapcontext(&fibre->back, &fibre->here);
    fibre_has_left(&fibre->notes);
    set_running(outer);
    if (core->state == CORE_HAS_ENDED && core->fibre != NULL) {
        fibre->notes.is_idle = true;
        core->fibre = NULL;
        give_back(fibre);
    }
    return true;
}

void core_leave(struct core *core)
{
    struct fibre *fibre = core->fibre;
    put_fence(); /* others see what it has written past the caches */
    fibre_leaves(&fibre->notes);
    swapcontext(&fibre->here, &fibre->back);
    fibre_has_entered(&fibre->notes);
}

void core_drop(struct core *core)
{
    struct fibre *fibre = core->fibre;
    core->state = CORE_HAS_ENDED;
    core->fibre = NULL;
    if (fibre == NULL)
        return;
    fibre->notes.is_idle = false;
    give_back(fibre);
}

void *core_chip(struct core *core, uint64_t layout, size_t bytes)
{
    struct fibre *fibre = core->fibre;
    if (fibre->chip == NULL || fibre->chip_layout != layout || fibre->chip_bytes != bytes) {
        free(fibre->chip);
        fibre->chip = NULL;
        void *made;
        if (posix_memalign(&made, CHIP_ALIGNMENT, bytes != 0 ? bytes : 1) == 0) {
            fibre->chip = made;
            fibre->chip_layout = layout;
            fibre->chip_bytes = bytes;
            __builtin_memset(made, 0, bytes);
        }
    }
    return core->block.chip = fibre->chip;
}
