/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How much the caches hold, from sysfs: sysconf gives all of a package's caches together on some processors.
 */
#include "ops/cache_size.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Caches beyond the fourth level are not known to exist; index counts the two of the first level. */
enum { INDEXES = 8 };
static const uint64_t TYPICAL = 32 << 20;

/* 0 when the file does not tell. */
static uint64_t cache_bytes(const char *folder, int index)
{
    char path[128], unit = 0;
    unsigned long long size = 0;
    snprintf(path, sizeof path, "%s/index%d/size", folder, index);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    int fields = fscanf(file, "%10llu%c", &size, &unit);
    fclose(file);
    if (fields < 1)
        return 0;
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

uint64_t largest_cache_bytes(const char *folder)
{
    uint64_t largest = 0;
    for (int index = 0; index < INDEXES; index++) {
        uint64_t bytes = cache_bytes(folder, index);
        largest = bytes > largest ? bytes : largest;
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    long known = largest == 0 ? sysconf(_SC_LEVEL3_CACHE_SIZE) : 0;
    largest = known > 0 ? (uint64_t)known : largest;
#endif
    return largest > 0 ? largest : TYPICAL;
}

uint64_t last_cache_bytes(void)
{
    static _Atomic uint64_t found; /* several threads may find the same at once */
    uint64_t bytes = atomic_load_explicit(&found, memory_order_relaxed);
    if (bytes == 0) {
        bytes = largest_cache_bytes("/sys/devices/system/cpu/cpu0/cache");
        atomic_store_explicit(&found, bytes, memory_order_relaxed);
    }
    return bytes;
}
