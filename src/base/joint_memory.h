/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory that processes share by a file which the command has made for them: the board of the checker, the journal of
 * faults.
 */
#ifndef BELAY_BASE_JOINT_MEMORY_H
#define BELAY_BASE_JOINT_MEMORY_H

#include <stddef.h>

/* The bytes of the file at path, which is a plain file of exactly so many; for NULL memory of this process alone, of
 * zeros. NULL where the file is another one or cannot be mapped. Never unmapped. */
void *joint_memory_open(const char *path, size_t bytes);

#endif
