/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Physical memory: its handles, and those that processes give one another.
 */
#include "runtime/memory/physical_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/futex.h"
#include "base/made.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/addresses/reach.h"
#include "runtime/memory/device_memory.h"
#include "runtime/memory/shared_notice.h"
#include "runtime/streams/standstill.h"

struct handle_table physical_memories =
    HANDLE_TABLE(HANDLE_PHYSICAL_MEMORY, struct physical_memory, HANDLES_MAX);

uint64_t physical_memory_round(uint64_t bytes)
{
    return (bytes + MAPPING_BYTES - 1) & ~(uint64_t)(MAPPING_BYTES - 1);
}

void *physical_memory_address(const struct physical_memory *memory)
{
    return (void *)(memory->reservation->base + (memory->place << MAPPING_BITS));
}

/* Takes the file. 0 where there is no memory for a handle. */
static uint64_t publish(int32_t device, uint64_t bytes, const struct shared_file *file)
{
    struct physical_memory *memory = (struct physical_memory *)handle_acquire(&physical_memories);
    uint64_t handle = 0;
    pthread_mutex_lock(&address_space_lock);
    if (memory != NULL) {
        memory->device = device;
        memory->bytes = bytes;
        memory->reservation = NULL;
        memory->is_destroyed = memory->is_leaving = false;
        memory->is_imported = file->file >= 0;
        memory->file = *file;
        handle = handle_publish(&physical_memories, memory);
    }
    pthread_mutex_unlock(&address_space_lock);
    return handle;
}

static int tell_full(const char *api)
{
    return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another piece of memory", api);
}

int physical_memory_create(const char *api, int32_t device, uint64_t bytes, uint64_t *handle)
{
    if (bytes > RESERVED_MOST)
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: size is %llu; no device has that much memory", api,
                    (unsigned long long)bytes);
    const uint64_t rounded = physical_memory_round(bytes);
    TRY(memory_take_budget(api, device, rounded));
    const uint64_t published = publish(device, rounded, &(struct shared_file){.file = -1});
    if (published == 0) {
        pthread_mutex_lock(&address_space_lock);
        memory_give_budget(device, rounded);
        pthread_mutex_unlock(&address_space_lock);
        return tell_full(api);
    }
    *handle = published;
    made(HANDLE_PHYSICAL_MEMORY, published, rounded, device, api);
    return 0;
}

void physical_memory_end(struct physical_memory *memory)
{
    if (!memory->is_imported)
        memory_give_budget(memory->device, memory->bytes);
    if (memory->file.file >= 0)
        shared_file_end(&memory->file);
    handle_release(&physical_memories, memory);
}

int physical_memory_refuse(const char *api, uint64_t handle)
{
    return report_misuse(handle_rule(&physical_memories, handle), ACL_ERROR_RT_PARAM_INVALID,
                         "%s: handle %s; a live handle of aclrtMallocPhysical is expected", api,
                         handle_fault(&physical_memories, handle));
}

int physical_memory_destroy(const char *api, uint64_t handle)
{
    pthread_mutex_lock(&address_space_lock);
    struct physical_memory *memory = (struct physical_memory *)handle_find(&physical_memories, handle);
    const bool is_ours = memory != NULL && handle_retire(memory, handle);
    if (is_ours && memory->reservation != NULL)
        memory->is_destroyed = true;
    else if (is_ours)
        physical_memory_end(memory);
    pthread_mutex_unlock(&address_space_lock);
    return is_ours ? 0 : physical_memory_refuse(api, handle);
}

/* A shareable handle: 24 bits of the process, 16 of its descriptor and 24 of the secret. */
enum { PROCESS_BITS = 24, FILE_BITS = 16, DIGITS = 6 };

static uint64_t pack(const struct shared_file *file)
{
    const uint64_t secret = strtoull(file->secret, NULL, 16);
    return (uint64_t)getpid() << (FILE_BITS + 4 * DIGITS) | (uint64_t)file->file << (4 * DIGITS) | secret;
}

static struct shared_key unpack(uint64_t shareable)
{
    struct shared_key key = {
        .process = (uint32_t)(shareable >> (FILE_BITS + 4 * DIGITS)),
        .file = (uint32_t)(shareable >> (4 * DIGITS)) & ((1u << FILE_BITS) - 1),
    };
    snprintf(key.secret, sizeof key.secret, "%0*" PRIx64, SECRET_TEXT_BYTES - 1,
             shareable & ((UINT64_C(1) << (4 * DIGITS)) - 1));
    return key;
}

/* Makes the memory a file's, if it is not. The lock is not held. */
static int share(const char *api, uint64_t handle)
{
    TRY(standstill_begin(api, clock_after_ns(UINT64_C(1000000000) * STANDSTILL_S)));
    pthread_mutex_lock(&address_space_lock);
    struct physical_memory *memory = (struct physical_memory *)handle_find(&physical_memories, handle);
    struct shared_file file;
    bool is_shared = true;
    int why = 0;
    if (memory != NULL && memory->file.file < 0) {
        is_shared = shared_file_make(&file, memory->bytes, DIGITS);
        why = errno;
        if (is_shared && (file.file >= 1 << FILE_BITS || getpid() >= 1 << PROCESS_BITS)) {
            is_shared = false;
            why = EMFILE;
            shared_file_end(&file);
        }
        if (is_shared && memory->reservation != NULL && !memory->is_leaving &&
            !shared_file_exchange(&file, memory_reach(physical_memory_address(memory)), memory->bytes)) {
            is_shared = false;
            why = errno;
            shared_file_end(&file);
        }
        if (is_shared)
            memory->file = file;
    }
    pthread_mutex_unlock(&address_space_lock);
    standstill_end();
    if (memory == NULL)
        return physical_memory_refuse(api, handle);
    return is_shared
               ? 0
               : fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                      "%s: the system gives no memory that processes can share: %s", api, strerror(why));
}

static int check_window(const char *api)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return atomic_load_explicit(&memory_window.distance, memory_order_acquire) == 0 &&
                   (settings->checks & CHECK_MEMORY) == 0
               ? 0
               : fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                      "%s: under the check of memory (BELAY_CHECK=mem) every block is guarded, and none can "
                      "be shared; the other checks allow it",
                      api);
}

int physical_memory_export(const char *api, uint64_t handle, bool checks_processes, uint64_t *shareable)
{
    TRY(check_window(api));
    for (;;) {
        pthread_mutex_lock(&address_space_lock);
        struct physical_memory *memory = (struct physical_memory *)handle_find(&physical_memories, handle);
        const bool is_imported = memory != NULL && memory->is_imported,
                   is_done = memory != NULL && !is_imported && memory->file.file >= 0;
        if (is_done) {
            _Atomic uint8_t *state = &memory->file.notice->state[0];
            if (!checks_processes || atomic_load(state) != EXPORTED_FOR_ALL)
                atomic_store(state, checks_processes ? EXPORTED_FOR_SOME : EXPORTED_FOR_ALL);
            *shareable = pack(&memory->file);
        }
        pthread_mutex_unlock(&address_space_lock);
        if (is_done)
            return 0;
        if (memory == NULL)
            return physical_memory_refuse(api, handle);
        if (is_imported)
            return fail(
                ACL_ERROR_RT_PARAM_INVALID,
                "%s: handle is of memory that was imported; memory of aclrtMallocPhysical is expected", api);
        TRY(share(api, handle));
    }
}

int physical_memory_import(const char *api, uint64_t shareable, int32_t device, uint64_t *handle)
{
    TRY(check_window(api));
    struct shared_key key = unpack(shareable);
    struct shared_file file = {.file = -1};
    uint64_t bytes;
    TRY(memory_open());
    TRY(shared_file_open(api, &key, "aclrtMemSetPidToShareableHandle", &file, &bytes));
    const uint64_t published = bytes % MAPPING_BYTES == 0 ? publish(device, bytes, &file) : 0;
    if (published == 0) {
        shared_file_end(&file);
        return tell_full(api);
    }
    *handle = published;
    made(HANDLE_PHYSICAL_MEMORY, published, bytes, device, api);
    return 0;
}

/* The memory of this process that was exported so. Lock held. */
static struct physical_memory *exported_as(uint64_t shareable)
{
    const uint32_t count = atomic_load_explicit(&physical_memories.slot_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct physical_memory *memory = (struct physical_memory *)handle_slot_at(&physical_memories, i);
        if (atomic_load_explicit(&memory->slot.handle, memory_order_relaxed) != 0 && !memory->is_imported &&
            memory->file.file >= 0 && pack(&memory->file) == shareable &&
            atomic_load(&memory->file.notice->state[0]) != NOT_EXPORTED)
            return memory;
    }
    return NULL;
}

int physical_memory_allow(const char *api, uint64_t shareable, const int32_t *processes, size_t count)
{
    bool is_full = false;
    pthread_mutex_lock(&address_space_lock);
    struct physical_memory *memory = exported_as(shareable);
    for (size_t i = 0; memory != NULL && i < count && !is_full; i++)
        is_full = !shared_notice_allow(memory->file.notice, 0, processes[i]);
    pthread_mutex_unlock(&address_space_lock);
    if (memory == NULL)
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: shareableHandle is none that this process has exported and not freed; one of "
                    "aclrtMemExportToShareableHandle is expected",
                    api);
    return is_full ? fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
                          "%s: more than %d processes are named for this memory; at most that many are "
                          "expected",
                          api, ALLOWED_MOST)
                   : 0;
}
