/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cores that run a kernel: each is a fibre, which leaves its thread where it has to wait, and goes on later,
 * maybe on another one.
 */
#ifndef BELAY_KERNEL_BLOCKS_CORE_FIBRE_H
#define BELAY_KERNEL_BLOCKS_CORE_FIBRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ascendc/host.h"

enum core_state {
    CORE_IS_NEW,
    CORE_GOES_ON, /* when it is its turn */
    CORE_WAITS,   /* until ready(of) */
    CORE_MEETS,   /* all cores, or all of its sort */
    CORE_HAS_ENDED
};

/* The stack of a fibre: guard bytes that are out of reach, and bytes above them. */
struct fibre_stack {
    unsigned char *guard;
    size_t guard_bytes, bytes;
};

struct fibre;
struct run;

struct core {
    struct belay_kernel_block block; /* what the kernel sees: first */
    struct run *run;
    struct fibre *fibre; /* from its begin to its end */
    uintptr_t stack_low; /* of the fibre's: its lowest byte */
    enum core_state state;
    bool meets_sort;
    int (*ready)(void *);
    void *of;
    const char *what;
    void (*at_end)(void *chip);
    uintptr_t ends_at; /* the instruction that its stack ends by */
    bool is_in_line;   /* what it printed last has not ended its line */
};

/* The core that runs on this thread; NULL outside of a kernel. */
struct core *core_running(void);

/* The stack that the core runs on; NULL before its begin and behind its end. */
const struct fibre_stack *core_stack(const struct core *core);

/* Nothing that the running core has on its stack is used any more. */
void core_leaves_stack(struct core *core);

/* Runs it until it leaves its thread or ends, when its fibre is given back. False when there is no memory for a
 * fibre. */
bool core_step(struct core *core);

/* Of the running core: back to who stepped it. Returns, maybe on another thread, when it is stepped again. */
void core_leave(struct core *core);

/* The core is never stepped again. */
void core_drop(struct core *core);

/* The memory of its chip, which goes with the fibre. NULL when there is none left. */
void *core_chip(struct core *core, uint64_t layout, size_t bytes);

#endif
