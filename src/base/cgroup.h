/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The limits that control groups, version 1 or 2, put on this process: what containers are given.
 */
#ifndef BELAY_BASE_CGROUP_H
#define BELAY_BASE_CGROUP_H

#include <stdint.h>

/* Processors that the quota amounts to, rounded up; UINT32_MAX without a quota. root is "" outside of tests:
 * a folder that holds proc/ and sys/. */
uint32_t cgroup_processors(const char *root);

/* Bytes of memory; UINT64_MAX without a limit. */
uint64_t cgroup_memory(const char *root);

/* Bytes that may still be taken before a limit is reached, page cache that can be dropped included;
 * UINT64_MAX without a limit. */
uint64_t cgroup_memory_left(const char *root);

#endif
