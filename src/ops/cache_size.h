/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much the caches hold.
 */
#ifndef BELAY_OPS_CACHE_SIZE_H
#define BELAY_OPS_CACHE_SIZE_H

#include <stdint.h>

/* Bytes of the last cache before memory, as one core sees it; 32 MiB where the system does not tell. The
 * first call asks the system; later ones cost a load. */
uint64_t last_cache_bytes(void);

/* What a folder such as /sys/devices/system/cpu/cpu0/cache tells of that, each time anew. */
uint64_t largest_cache_bytes(const char *folder);

#endif
