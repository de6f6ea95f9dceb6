/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Addresses that a program reserves, and physical memory that it maps there (aclrtReserveMemAddress and its
 * relatives).
 *
 * A reservation is tiled by address ranges of CLASS_MAPPED: a live one for each run of neighbouring mappings
 * of one device, which to every check of addresses is one block, and one that is not live for each hole. So
 * lookups need to know nothing of mappings. Physical memory is in one place at a time, and its pages are
 * those of the reservation: they are made usable when it is mapped and given back when it is unmapped.
 */
#ifndef BELAY_RUNTIME_MEMORY_RESERVATION_H
#define BELAY_RUNTIME_MEMORY_RESERVATION_H

#include <stdint.h>

enum { MAPPING_BITS = 21, MAPPING_BYTES = 1 << MAPPING_BITS }; /* everything is a multiple of 2 MiB */

/*
 * Reserves bytes, rounded up, at an address that is a multiple of alignment (a power of two), near wish if
 * that is possible. 207001: over 64 TiB of a device, or the system has not that many addresses.
 */
int reservation_create(const char *api, int32_t device, uint64_t bytes, uint64_t alignment, void *wish,
                       void **address);

/* 107000: no reservation begins there, or something is still mapped. */
int reservation_destroy(const char *api, void *address);

/* Takes bytes, rounded up, of a device's memory. 207001: it has not that much left. 200000. */
int physical_memory_create(const char *api, int32_t device, uint64_t bytes, uint64_t *handle);

/* Gives it back, when it is unmapped if it is mapped. 107000: not a live handle. */
int physical_memory_destroy(const char *api, uint64_t handle);

/*
 * Maps physical memory. 107000: the handle is not live, or mapped already; bytes is not its size; the address
 * is not in one reservation from there on, not at a multiple of 2 MiB, or something is mapped there. 200000.
 */
int reservation_map(const char *api, void *address, uint64_t bytes, uint64_t handle);

/*
 * Unmaps what is mapped at exactly this address, after all work that was submitted before has ended. 107000:
 * nothing begins there, or that work waits for the caller; then nothing has changed.
 */
int reservation_unmap(const char *api, void *address);

/* Ends all physical memory of a device, mapped or not; the allocator's lock is held. Reservations stay, and
 * their pages can still be touched by work of other devices that has not ended. */
void reservations_reset_device(int32_t device);

#endif
