/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Files that a program names: rank tables, lists of hosts.
 */
#ifndef BELAY_HCCL_REGULAR_FILE_H
#define BELAY_HCCL_REGULAR_FILE_H

#include <stddef.h>

/* All of a regular file of so many bytes at most, without a 0 behind it, for the caller to free; NULL with
 * errno set. */
char *regular_file_read(const char *path, size_t most, size_t *length);

#endif
