/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the runtime asks of a device. There is one kind, the processors of this machine; another kind can be
 * added by another struct of this type.
 *
 * Every operation may be called by any thread that holds no lock of the runtime. Those that return nothing do
 * not fail: the caller has checked all ranges, and the memory stays until the operation has returned.
 */
#ifndef BELAY_RUNTIME_DEVICE_OPERATIONS_H
#define BELAY_RUNTIME_DEVICE_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/memory.h"

struct memory_request;

struct device_operations {
    const char *name;

    /* Gives out and takes back blocks of device memory: memory_allocate and memory_free of device_memory.h,
     * which say what they return and when freed memory is used again. Called by the program's threads. */
    int (*allocate)(const struct memory_request *request, void **address);
    int (*free)(const char *api, enum memory_place place, const void *address);

    /* Copies between any two places; the ranges may overlap. Called by the blocking copies on the program's
     * thread and by queued copies on whoever runs the stream. */
    void (*copy)(void *destination, const void *source, size_t bytes);

    /* Copies height rows of width bytes that begin pitch bytes apart; the rows of the two sides do not
     * overlap unless they are the same. Called as copy is. */
    void (*copy_rows)(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                      size_t width, size_t height);

    /* Sets every byte. Called as copy is. */
    void (*set)(void *address, uint8_t value, size_t bytes);

    /* Has body do every index below count, at most so many at a time, in any order and on any threads, and
     * returns when all are done. Called by whoever runs a task. */
    void (*run)(void (*body)(void *context, uint64_t begin, uint64_t end), void *context, uint64_t count,
                uint64_t most);
};

/* The processors of this machine. */
extern const struct device_operations host_device;

#endif
