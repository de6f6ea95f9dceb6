/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Stacks of calls: where public functions were called, and from where those callers were. Kept by numbers, as
 * the same few come again and again.
 */
#ifndef BELAY_CHECK_STACK_H
#define BELAY_CHECK_STACK_H

#include <stdbool.h>
#include <stdint.h>

enum { STACK_FRAMES = 6 };

/* The innermost frames outside of these libraries: where their calls return to. */
struct call_stack {
    uint32_t count;
    uintptr_t frame[STACK_FRAMES];
};

/* The stack of the call that the calling thread is in. Takes no lock. */
void stack_here(struct call_stack *stack);

/* In the handler of a signal that this instruction has raised: the frames behind it, those of these libraries
 * too. */
void stack_behind(uintptr_t instruction, struct call_stack *stack);

/* Whether none of the leaks are shown that are made by calls from there. */
bool stack_is_quiet(uintptr_t address);

/* A number for the stack, the same for equal ones; 0 for an empty one, or where there is no room. */
uint32_t stack_keep(const struct call_stack *stack);

/* The stack of a number; empty for 0. */
void stack_find(uint32_t number, struct call_stack *stack);

#endif
