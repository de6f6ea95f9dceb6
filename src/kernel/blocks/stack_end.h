/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The end of a fibre's stack. A kernel that calls itself without end faults, with a sentence; what else it could do
 * is to end the process.
 */
#ifndef BELAY_KERNEL_BLOCKS_STACK_END_H
#define BELAY_KERNEL_BLOCKS_STACK_END_H

#include <stddef.h>
#include <stdint.h>

/* The stack of a fibre: guard bytes that are out of reach, and bytes above them. */
struct fibre_stack {
    unsigned char *guard;
    size_t guard_bytes, bytes;
};

/* Of the thread that is to step a fibre: it can take a signal when the fibre's stack has no room for its handler. */
void stack_end_watch(void);

/* Of the running core, which calls into this library: ends the kernel where so little is left that what the library
 * calls, under locks of its own, might not fit. */
void stack_end_check(const struct fibre_stack *stack);

#endif
