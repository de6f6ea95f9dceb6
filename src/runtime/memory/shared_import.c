/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory of other processes in this one: a mapping of their file, which lookups find as an address range of
 * CLASS_IMPORTED.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/addresses/address_ranges.h"
#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "runtime/memory/device_memory.h"
#include "base/error.h"
#include "runtime/addresses/reach.h"
#include "base/settings.h"
#include "base/shared_key.h"
#include "runtime/memory/shared_memory.h"
#include "runtime/memory/shared_notice.h"

static const uint64_t PAGE_BYTES = 4096;

/* All under address_space_lock. */
struct imported {
    struct imported *next;
    char key[SHARED_KEY_BYTES];
    uintptr_t base;
    int32_t device;
    uint64_t count; /* of imports less closes */
};

static struct imported *imports;

/* Lock held. */
static struct imported **find(const char *key)
{
    struct imported **link = &imports;
    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

static int tell_open(const char *api, const struct shared_key *key, int why)
{
    if (why == EACCES || why == EPERM)
        return fail(ACL_ERROR_RT_NO_PERMISSION,
                    "%s: the system does not let this process reach memory of process %" PRIu32
                    "; one of the same user is expected",
                    api, key->process);
    if (why == EMFILE || why == ENFILE || why == ENOMEM)
        return fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "%s: the system refuses another file: %s", api,
                    strerror(why));
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                "%s: process %" PRIu32 " shares nothing by this key any more, or has ended; a process that "
                "keeps the memory until it was imported is expected",
                api, key->process);
}

/* What the exporter says of the key; 0, or the code of the refusal. */
static int judge(const struct shared_notice *notice, const struct shared_key *key, uint64_t run_bytes)
{
    const uint32_t place = run_bytes == CHUNK_BYTES ? (uint32_t)(key->offset >> GRANULE_BITS) : 0;
    const uint8_t state = atomic_load(&notice->state[place]);
    if (state != EXPORTED_FOR_SOME)
        return state == EXPORTED_FOR_ALL ? 0 : ACL_ERROR_RT_PARAM_INVALID;
    const uint32_t told = atomic_load(&notice->allowed_count);
    for (uint32_t i = 0; i < told && i < ALLOWED_MOST; i++)
        if (notice->allowed[i].place == place && notice->allowed[i].process == (int32_t)getpid())
            return 0;
    return ACL_ERROR_RT_NO_PERMISSION;
}

static int check_notice(const char *api, const struct shared_key *key, const char *function, int file,
                        uint64_t run_bytes)
{
    void *notice = mmap(NULL, sizeof(struct shared_notice), PROT_READ, MAP_SHARED, file, (off_t)run_bytes);
    if (notice == MAP_FAILED)
        return tell_open(api, key, ENOMEM);
    const int code = judge((const struct shared_notice *)notice, key, run_bytes);
    munmap(notice, sizeof(struct shared_notice));
    if (code == ACL_ERROR_RT_NO_PERMISSION)
        return fail(code,
                    "%s: process %" PRIu32
                    " shares the memory with processes that it names, and %ld is none; "
                    "%s, or the flag that disables that, is expected there",
                    api, key->process, (long)getpid(), function);
    return code == 0 ? 0 : tell_open(api, key, ESTALE);
}

/* How many bytes lie before the notice. */
static int measure(const char *api, const struct shared_key *key, int file, uint64_t *bytes)
{
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size < (off_t)(sizeof(struct shared_notice) + PAGE_BYTES))
        return tell_open(api, key, ESTALE);
    *bytes = (uint64_t)status.st_size - sizeof(struct shared_notice);
    return 0;
}

int shared_file_open(const char *api, const struct shared_key *key, const char *function,
                     struct shared_file *file, uint64_t *bytes)
{
    *file = (struct shared_file){.file = shared_key_open(key)};
    if (file->file < 0)
        return tell_open(api, key, errno);
    int status = measure(api, key, file->file, bytes);
    if (status == 0)
        status = check_notice(api, key, function, file->file, *bytes);
    if (status != 0)
        shared_file_end(file);
    return status;
}

/* The part of the file that the key names, and whole pages around it. */
static int map(const char *api, const struct shared_key *key, int file, struct address_range *range)
{
    uint64_t run_bytes;
    TRY(measure(api, key, file, &run_bytes));
    if (key->bytes == 0 || key->offset >= run_bytes || key->bytes > run_bytes - key->offset)
        return tell_open(api, key, ESTALE);
    TRY(check_notice(api, key, "aclrtIpcMemSetImportPid", file, run_bytes));
    const uint64_t before = key->offset % PAGE_BYTES;
    const uint64_t needed = before + key->bytes + MEMORY_SLACK_BYTES;
    const uint64_t mapped = (needed + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    void *start = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(key->offset - before));
    if (start == MAP_FAILED)
        return tell_open(api, key, ENOMEM);
    madvise(start, mapped, MADV_HUGEPAGE);
    range->base = (uintptr_t)start + before;
    range->mapped = mapped;
    return 0;
}

/* Lock held. A key that another thread has imported meanwhile is imported once. */
static bool enter(const char *key, const struct address_range *range, int32_t device, uintptr_t *base)
{
    struct imported **link = find(key);
    if (*link == NULL) {
        struct imported *imported = (struct imported *)calloc(1, sizeof *imported);
        if (imported == NULL || !address_ranges_insert(range)) {
            free(imported);
            return false;
        }
        memcpy(imported->key, key, sizeof imported->key);
        imported->base = range->base;
        imported->device = device;
        *link = imported;
    }
    (*link)->count++;
    *base = (*link)->base;
    return true;
}

int shared_memory_import(const char *api, const char *key, void **address)
{
    const struct settings *settings;
    struct shared_key parts;
    TRY(settings_get(&settings));
    TRY(shared_key_read(api, key, &parts));
    if (atomic_load_explicit(&memory_window.distance, memory_order_acquire) != 0 ||
        (settings->checks & CHECK_MEMORY) != 0)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "%s: under the check of memory (BELAY_CHECK=mem) every block is guarded, and none can be "
                    "shared; the other checks allow it",
                    api);
    int32_t device;
    TRY(context_device(api, &device));
    if (parts.device < (uint32_t)settings->device_count)
        device = (int32_t)parts.device;
    TRY(memory_open());
    pthread_mutex_lock(&address_space_lock);
    struct imported *known = *find(key);
    if (known != NULL)
        known->count++;
    const uintptr_t known_base = known != NULL ? known->base : 0;
    pthread_mutex_unlock(&address_space_lock);
    if (known != NULL) {
        *address = (void *)known_base;
        return 0;
    }
    const int file = shared_key_open(&parts);
    if (file < 0)
        return tell_open(api, &parts, errno);
    struct address_range range = {
        .record = record_make(RECORD_LIVE, MEMORY_DEVICE, device, CLASS_IMPORTED, parts.bytes)};
    const int status = map(api, &parts, file, &range);
    close(file);
    TRY(status);
    uintptr_t base = 0;
    pthread_mutex_lock(&address_space_lock);
    const bool is_entered = enter(key, &range, device, &base);
    pthread_mutex_unlock(&address_space_lock);
    if (base != range.base)
        munmap((void *)(range.base & ~(PAGE_BYTES - 1)), range.mapped);
    if (!is_entered)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another import", api);
    *address = (void *)base;
    return 0;
}

bool shared_import_close(const char *key)
{
    pthread_mutex_lock(&address_space_lock);
    struct imported **link = find(key);
    struct imported *found = *link;
    if (found != NULL && --found->count == 0) {
        *link = found->next;
        memory_retire_imported(found->base);
        free(found);
    }
    pthread_mutex_unlock(&address_space_lock);
    return found != NULL;
}

void shared_memory_reset_device(int32_t device)
{
    for (struct imported **link = &imports; *link != NULL;) {
        struct imported *imported = *link;
        if (imported->device != device) {
            link = &imported->next;
            continue;
        }
        *link = imported->next;
        free(imported);
    }
}
