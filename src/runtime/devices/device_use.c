/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A process says which devices it has: see device_use.h. What fails here is nobody's failure; the process is
 * not shown then.
 */
#include "runtime/devices/device_use.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/settings_peek.h"

_Atomic(struct device_use_page *) device_use_page;

static pthread_once_t open_once = PTHREAD_ONCE_INIT;

/*
 * The descriptor is held for its name alone: a program that closes it is not shown any more, and nothing
 * else. It is numbered high, out of the way of programs that count on the lowest numbers.
 */
static void open_page(void)
{
    enum { LEAST_DESCRIPTOR = 200 };
    int kept_errno = errno;
    int low = memfd_create(DEVICE_USE_NAME, MFD_CLOEXEC);
    int file = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR) : -1;
    if (file >= 0)
        close(low);
    else
        file = low;
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct device_use_page)) == 0)
        memory = mmap(NULL, sizeof(struct device_use_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) {
        struct device_use_page *page = (struct device_use_page *)memory;
        page->process = (int32_t)getpid();
        page->magic = DEVICE_USE_MAGIC;
        atomic_store_explicit(&device_use_page, page, memory_order_release);
    } else if (file >= 0) {
        close(file);
    }
    errno = kept_errno;
}

/* Who has a context has settings. */
static struct device_use *use_of(struct device_use_page *page, int32_t device)
{
    return &page->device[settings_visible_device(device)];
}

void device_use_begin(int32_t device)
{
    const struct settings *settings;
    pthread_once(&open_once, open_page);
    struct device_use_page *page = atomic_load_explicit(&device_use_page, memory_order_acquire);
    if (page == NULL || settings_get(&settings) != 0)
        return;
    struct device_use *use = use_of(page, device);
    atomic_store_explicit(&use->memory_bytes, settings->memory_bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&use->contexts, 1, memory_order_relaxed);
}

void device_use_end(int32_t device)
{
    struct device_use_page *page = atomic_load_explicit(&device_use_page, memory_order_acquire);
    if (page != NULL)
        atomic_fetch_sub_explicit(&use_of(page, device)->contexts, 1, memory_order_relaxed);
}

void device_use_tell(struct device_use_page *page, int32_t device, uint64_t live_bytes)
{
    atomic_store_explicit(&use_of(page, device)->live_bytes, live_bytes, memory_order_relaxed);
}
