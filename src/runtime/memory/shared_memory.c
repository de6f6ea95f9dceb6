/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The files behind exported memory: how pages are exchanged for them and back, and what keys name.
 */
#include "runtime/memory/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/addresses/address_ranges.h"
#include "runtime/addresses/address_space.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "base/futex.h"
#include "runtime/addresses/memory.h"
#include "runtime/addresses/reach.h"
#include "base/settings.h"
#include "base/shared_key.h"
#include "runtime/memory/shared_notice.h"
#include "runtime/streams/standstill.h"

enum { PAGE_BYTES = 4096 };

/* Memory of this process whose pages are a file's. All under address_space_lock. */
struct shared_run {
    struct shared_run *next;
    uintptr_t start;
    uint64_t bytes;
    int32_t device;
    struct shared_file file;
};

static struct shared_run *runs;

/* Lock held. */
static struct shared_run *run_at(uintptr_t address)
{
    struct shared_run *run = runs;
    while (run != NULL && address - run->start >= run->bytes)
        run = run->next;
    return run;
}

/* Where the notice has what it says of an export that begins at an address. */
static uint32_t notice_place(uint64_t run_bytes, uint64_t offset)
{
    return run_bytes == CHUNK_BYTES ? (uint32_t)(offset >> GRANULE_BITS) : 0;
}

/* The chunks, or the mapping, that hold a live block of device memory. Lock held. */
static bool find_run(const struct memory_block *block, uintptr_t *start, uint64_t *bytes)
{
    uint64_t offset;
    if (address_space_contains(block->base, &offset)) {
        uint64_t chunk = offset >> CHUNK_BITS;
        const bool is_large = address_space.chunks[chunk].use == CHUNK_LARGE_BLOCK;
        *start = block->base - (offset & (CHUNK_BYTES - 1));
        *bytes = (uint64_t)(is_large ? address_space.chunks[chunk].block_chunks : 1) << CHUNK_BITS;
        return true;
    }
    struct address_range range;
    if (!address_ranges_find(block->base, &range) || range.base != block->base || range.mapped == 0 ||
        record_class(range.record) != CLASS_LARGE)
        return false;
    *start = range.base;
    *bytes = range.mapped;
    return true;
}

static bool draw_secret(char text[SECRET_TEXT_BYTES])
{
    unsigned char drawn[SECRET_BYTES];
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn)
        return false;
    for (size_t i = 0; i < sizeof drawn; i++)
        snprintf(text + 2 * i, 3, "%02x", drawn[i]);
    return true;
}

/*
 * Pages that were never written stay without memory. Word by word, and not by libc's functions: under the
 * address sanitizer parts of the chunks are poisoned, and are copied as well.
 */
__attribute__((no_sanitize("address"))) static void copy_pages(unsigned char *to, const unsigned char *from,
                                                               uint64_t bytes)
{
    enum { WORDS = PAGE_BYTES / sizeof(uint64_t) };
    for (uint64_t at = 0; at < bytes; at += PAGE_BYTES) {
        const volatile uint64_t *source = (const volatile uint64_t *)(const void *)(from + at);
        volatile uint64_t *target = (volatile uint64_t *)(void *)(to + at);
        uint64_t any = 0;
        for (int i = 0; i < WORDS && any == 0; i++)
            any = source[i];
        for (int i = 0; i < WORDS && any != 0; i++)
            target[i] = source[i];
    }
}

void shared_file_end(struct shared_file *file)
{
    if (file->notice != NULL) {
        memset((void *)file->notice->state, NOT_EXPORTED, sizeof file->notice->state);
        munmap(file->notice, sizeof *file->notice);
    }
    if (file->file >= 0)
        close(file->file);
    *file = (struct shared_file){.file = -1};
}

static void release(struct shared_run *run)
{
    shared_file_end(&run->file);
    free(run);
}

bool shared_file_make(struct shared_file *file, uint64_t bytes, int digits)
{
    char name[SHARED_NAME_BYTES];
    const uint64_t file_bytes = bytes + sizeof *file->notice;
    *file = (struct shared_file){.file = -1};
    if (draw_secret(file->secret)) {
        memset(file->secret, '0', (size_t)(SECRET_TEXT_BYTES - 1 - digits));
        shared_key_name(name, file->secret);
        file->file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
    if (file->file >= 0 && ftruncate(file->file, (off_t)file_bytes) == 0 &&
        fcntl(file->file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        void *notice =
            mmap(NULL, sizeof *file->notice, PROT_READ | PROT_WRITE, MAP_SHARED, file->file, (off_t)bytes);
        file->notice = notice != MAP_FAILED ? (struct shared_notice *)notice : NULL;
    }
    if (file->notice != NULL)
        return true;
    const int why = errno;
    shared_file_end(file);
    errno = why;
    return false;
}

/* NULL where the system refuses, which errno says. */
static struct shared_run *make_run(uintptr_t start, uint64_t bytes, int32_t device)
{
    struct shared_run *run = (struct shared_run *)calloc(1, sizeof *run);
    if (run == NULL)
        return NULL;
    *run = (struct shared_run){.start = start, .bytes = bytes, .device = device};
    if (shared_file_make(&run->file, bytes, SECRET_TEXT_BYTES - 1))
        return run;
    free(run);
    return NULL;
}

bool shared_file_exchange(const struct shared_file *file, void *place, uint64_t bytes)
{
    void *beside = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->file, 0);
    if (beside == MAP_FAILED)
        return false;
    madvise(beside, bytes, MADV_HUGEPAGE); /* where the system has them for files in memory */
    copy_pages((unsigned char *)beside, (const unsigned char *)place, bytes);
    munmap(beside, bytes);
    if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file->file, 0) == MAP_FAILED)
        return false;
    madvise(place, bytes, MADV_HUGEPAGE);
    return true;
}

static int tell_block(const char *api, const void *address, uint64_t bytes)
{
    char text[MEMORY_TEXT_BYTES];
    memory_describe(address, text, sizeof text);
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: devPtr %p with size %" PRIu64
                " %s; memory inside a block that aclrtMalloc gave is expected",
                api, address, bytes, text);
}

/* The live block that has all the bytes, and its run. Lock held. */
static bool find_block(const void *address, uint64_t bytes, struct memory_block *block, uintptr_t *start,
                       uint64_t *run_bytes)
{
    return memory_find(address, block) && block->place == MEMORY_DEVICE && !block->is_registered &&
           bytes <= block->bytes - ((uintptr_t)address - block->base) && find_run(block, start, run_bytes);
}

/* Makes the run of an address a file's, if it is not. The lock is not held. */
static int share(const char *api, const void *address, uint64_t bytes)
{
    struct memory_block block;
    uintptr_t start;
    uint64_t run_bytes;
    TRY(standstill_begin(api, clock_after_ns(UINT64_C(1000000000) * STANDSTILL_S)));
    pthread_mutex_lock(&address_space_lock);
    bool is_found = find_block(address, bytes, &block, &start, &run_bytes), is_shared = false;
    int why = 0;
    if (is_found && run_at((uintptr_t)address) != NULL) {
        is_shared = true; /* by another thread meanwhile */
    } else if (is_found) {
        struct shared_run *run = make_run(start, run_bytes, block.device);
        is_shared = run != NULL && shared_file_exchange(&run->file, (void *)run->start, run->bytes);
        why = errno;
        if (is_shared) {
            run->next = runs;
            runs = run;
        } else if (run != NULL) {
            release(run);
        }
    }
    pthread_mutex_unlock(&address_space_lock);
    standstill_end();
    if (!is_found)
        return tell_block(api, address, bytes);
    return is_shared
               ? 0
               : fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                      "%s: the system gives no memory that processes can share: %s", api, strerror(why));
}

/* Lock held. */
static void write_key(struct shared_run *run, uintptr_t address, uint64_t bytes, bool checks_processes,
                      char key[SHARED_KEY_BYTES])
{
    struct shared_key parts = {.process = (uint32_t)getpid(),
                               .file = (uint32_t)run->file.file,
                               .device = (uint32_t)run->device,
                               .offset = address - run->start,
                               .bytes = bytes};
    memcpy(parts.secret, run->file.secret, sizeof parts.secret);
    _Atomic uint8_t *state = &run->file.notice->state[notice_place(run->bytes, parts.offset)];
    /* Who has exported it for all has done so. */
    if (!checks_processes || atomic_load(state) != EXPORTED_FOR_ALL)
        atomic_store(state, checks_processes ? EXPORTED_FOR_SOME : EXPORTED_FOR_ALL);
    shared_key_write(&parts, key);
}

int shared_memory_export(const char *api, const void *address, uint64_t bytes, bool checks_processes,
                         char key[SHARED_KEY_BYTES])
{
    if (atomic_load_explicit(&memory_window.distance, memory_order_acquire) != 0)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "%s: under the check of memory (BELAY_CHECK=mem) every block is guarded, and none can be "
                    "shared; the other checks allow it",
                    api);
    for (int turn = 0; turn < 2; turn++) {
        struct memory_block block;
        uintptr_t start;
        uint64_t run_bytes;
        pthread_mutex_lock(&address_space_lock);
        bool is_found = find_block(address, bytes, &block, &start, &run_bytes);
        struct shared_run *run = is_found ? run_at((uintptr_t)address) : NULL;
        if (run != NULL)
            write_key(run, (uintptr_t)address, bytes, checks_processes, key);
        pthread_mutex_unlock(&address_space_lock);
        if (run != NULL)
            return 0;
        if (!is_found)
            break;
        TRY(share(api, address, bytes));
    }
    return tell_block(api, address, bytes);
}

/* The run that a key of this process names. Lock held. */
static struct shared_run *run_of_key(const struct shared_key *key)
{
    struct shared_run *run = runs;
    while (run != NULL && (key->process != (uint32_t)getpid() || strcmp(run->file.secret, key->secret) != 0))
        run = run->next;
    return run != NULL && key->offset < run->bytes ? run : NULL;
}

static int tell_key(const char *api)
{
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: argument key is none that this process has exported and not closed; one of "
                "aclrtIpcMemGetExportKey is expected",
                api);
}

bool shared_notice_allow(struct shared_notice *notice, uint32_t place, int32_t process)
{
    const uint32_t used = atomic_load(&notice->allowed_count);
    if (used >= ALLOWED_MOST)
        return false;
    notice->allowed[used] = (struct shared_allowed){place, process};
    atomic_store(&notice->allowed_count, used + 1);
    return true;
}

int shared_memory_allow(const char *api, const char *key, const int32_t *processes, size_t count)
{
    struct shared_key parts;
    TRY(shared_key_read(api, key, &parts));
    bool is_full = false;
    pthread_mutex_lock(&address_space_lock);
    struct shared_run *run = run_of_key(&parts);
    const uint32_t place = run != NULL ? notice_place(run->bytes, parts.offset) : 0;
    const bool is_there = run != NULL && atomic_load(&run->file.notice->state[place]) != NOT_EXPORTED;
    for (size_t i = 0; is_there && i < count && !is_full; i++)
        is_full = !shared_notice_allow(run->file.notice, place, processes[i]);
    pthread_mutex_unlock(&address_space_lock);
    if (!is_there)
        return tell_key(api);
    return is_full ? fail(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
                          "%s: more than %d processes are named for this memory and its neighbours; at most "
                          "that many are expected",
                          api, ALLOWED_MOST)
                   : 0;
}

int shared_memory_close(const char *api, const char *key)
{
    struct shared_key parts;
    TRY(shared_key_read(api, key, &parts));
    if (shared_import_close(key))
        return 0;
    pthread_mutex_lock(&address_space_lock);
    struct shared_run *run = run_of_key(&parts);
    _Atomic uint8_t *state =
        run != NULL ? &run->file.notice->state[notice_place(run->bytes, parts.offset)] : NULL;
    const bool is_there = run != NULL && atomic_exchange(state, NOT_EXPORTED) != NOT_EXPORTED;
    pthread_mutex_unlock(&address_space_lock);
    return is_there ? 0 : tell_key(api);
}

void shared_memory_freed(uintptr_t start, uint64_t bytes)
{
    struct shared_run *run = runs != NULL ? run_at(start) : NULL;
    if (run == NULL)
        return;
    const uint32_t first = notice_place(run->bytes, start - run->start);
    const uint32_t last = notice_place(run->bytes, start - run->start + (bytes > 0 ? bytes - 1 : 0));
    for (uint32_t place = first; place <= last; place++)
        atomic_store(&run->file.notice->state[place], NOT_EXPORTED);
}

void shared_memory_end(uintptr_t start, uint64_t bytes, bool keeps_pages)
{
    for (struct shared_run **link = &runs; *link != NULL;) {
        struct shared_run *run = *link;
        if (run->start - start >= bytes) {
            link = &run->next;
            continue;
        }
        /* If the system refuses, the pages stay those of the file, which nobody can open any more. */
        if (keeps_pages)
            mmap((void *)run->start, run->bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *link = run->next;
        release(run);
    }
}
