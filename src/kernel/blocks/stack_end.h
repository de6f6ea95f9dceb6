/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The end of a fibre's stack. A kernel that calls itself without end faults, with a sentence; what else it could do
 * is to end the process.
 */
#ifndef BELAY_KERNEL_BLOCKS_STACK_END_H
#define BELAY_KERNEL_BLOCKS_STACK_END_H

struct core;

/* Of the thread that is to step a core: it can take a signal when the core's stack has no room for its handler. */
void stack_end_watch(void);

/* core_running(), of a kernel that calls this library. It ends here where so little of its stack is left that what the
 * library calls, under locks of its own, might not fit. */
struct core *core_calls(void);

#endif
