/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Physical memory as reservations (reservation.h) map it: how much there is of it, and its file where
 * processes share it.
 *
 * What is exported first gets other pages, those of a file in memory with a notice behind them
 * (shared_notice.h). A shareable handle names the process, its descriptor of the file, and a secret that is
 * part of the file's name; what is imported by it is a handle of its own process, whose pages are the file's,
 * so that memory lives as long as one of its handles. Memory that was imported counts against no device.
 */
#ifndef BELAY_RUNTIME_MEMORY_PHYSICAL_MEMORY_H
#define BELAY_RUNTIME_MEMORY_PHYSICAL_MEMORY_H

#include <stddef.h>

#include "base/handle.h"
#include "runtime/memory/reservation.h"
#include "runtime/memory/shared_memory.h"

struct physical_memory;

struct reservation {
    struct reservation *next;
    uintptr_t base;
    uint64_t places;
    int32_t device;
    uint64_t mapping_count;
    struct physical_memory *
        *at; /* what is mapped in each place; pages of it that are not touched cost nothing */
};

/* address_space_lock guards every member, and every change of the handle. */
struct physical_memory {
    struct handle_slot slot;
    int32_t device;
    uint64_t bytes;
    struct reservation *reservation; /* NULL while it is not mapped */
    uint64_t place;                  /* where in it, in units of MAPPING_BYTES */
    bool is_destroyed;               /* by the program, while it is mapped */
    bool is_leaving;                 /* a thread waits for work to end before it unmaps this */
    bool is_imported;
    struct shared_file file; /* file -1: it is this process's alone */
};

static const uint64_t RESERVED_MOST = UINT64_C(64) << 40; /* bytes of a device */

extern struct handle_table physical_memories;

uint64_t physical_memory_round(uint64_t bytes);
void *physical_memory_address(const struct physical_memory *memory);

/* The handle is retired, and the memory not mapped. The allocator's lock is held. */
void physical_memory_end(struct physical_memory *memory);
int physical_memory_refuse(const char *api, uint64_t handle);

/* A shareable handle of the memory. 107000: not a live handle, or imported; 107020, 207000, 207005. */
int physical_memory_export(const char *api, uint64_t handle, bool checks_processes, uint64_t *shareable);

/* A handle of memory that another process, or this one, has exported, as a device's. 107000, 207000, 207005,
 * 207006. */
int physical_memory_import(const char *api, uint64_t shareable, int32_t device, uint64_t *handle);

/* The processes that may import, besides those named before. 107000: none that this process has exported.
 * 107039: there are too many. */
int physical_memory_allow(const char *api, uint64_t shareable, const int32_t *processes, size_t count);

#endif
