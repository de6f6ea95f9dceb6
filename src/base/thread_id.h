/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the system calls a thread.
 */
#ifndef BELAY_BASE_THREAD_ID_H
#define BELAY_BASE_THREAD_ID_H

#include <stdint.h>

/* The number of the calling thread, which asks the system once. */
uint32_t thread_id(void);

#endif
