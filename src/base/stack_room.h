/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether the calling thread, which may be the program's, can take work of others upon itself.
 */
#ifndef BELAY_BASE_STACK_ROOM_H
#define BELAY_BASE_STACK_ROOM_H

#include <stdbool.h>

/*
 * Whether as much of the thread's stack is left as any operator takes. The program chooses how large the stacks of
 * its threads are, and may run on stacks of its own, of which nothing is known: those have none.
 */
bool stack_has_room(void);

#endif
