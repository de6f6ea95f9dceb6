/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Loads kernels: the library in the container goes to a file in memory, which the dynamic linker opens.
 */
#include "runtime/kernels/load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "base/error.h"
#include "base/library_file.h"

enum { SLASHES = 512, ARGUMENT_BYTES_MAX = 1 << 20 };

/* What stands in the header agrees with itself and with the file. */
static bool is_sound(const struct host_kernel_header *header, uint64_t count)
{
    const uint64_t pointers = (uint64_t)header->pointer_count * sizeof(struct host_kernel_pointer);
    return header->version == HOST_KERNEL_VERSION && header->library_at == sizeof *header + pointers &&
           header->library_at < count && header->argument_bytes % 8 == 0 &&
           header->argument_bytes <= ARGUMENT_BYTES_MAX && header->grid_at % 4 == 0 &&
           (uint64_t)header->grid_at + 3 * sizeof(int32_t) <= header->argument_bytes &&
           memchr(header->name, '\0', sizeof header->name) != NULL;
}

static bool pointers_are_sound(const struct host_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->header.pointer_count; i++)
        if (kernel->pointer[i].at % 8 != 0 ||
            (uint64_t)kernel->pointer[i].at + 8 > kernel->header.argument_bytes)
            return false;
    return true;
}

static bool processor_can(const struct host_kernel_header *header)
{
#ifdef __x86_64__
    return !header->is_wide || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                __builtin_cpu_supports("bmi2"));
#else
    return !header->is_wide;
#endif
}

/* Without the library, which lies beside this one, nothing is stopped. */
static bool run_alone(const struct host_kernel_launch *launch, uint64_t begin, uint64_t end,
                      struct host_kernel_fault *fault)
{
    const uint64_t x = (uint64_t)launch->grid[0], y = (uint64_t)launch->grid[1];
    (void)fault;
    for (uint64_t i = begin; i < end; i++)
        launch->program(launch->arguments, (int32_t)(i % x), (int32_t)(i / x % y), (int32_t)(i / x / y));
    return true;
}

/* The kernel's library needs this one, and finds it so by its name. The function that runs programs. */
static host_kernel_run *open_kernel_library(void)
{
    static void *library;
    char path[PATH_MAX];
    Dl_info own;
    host_kernel_run *run = run_alone;
    void *found = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
    if (found == NULL && dladdr((void *)(uintptr_t)host_kernel_load, &own) != 0) {
        const char *slash = strrchr(own.dli_fname, '/');
        snprintf(path, sizeof path, "%.*s" HOST_KERNEL_LIBRARY,
                 slash != NULL ? (int)(slash + 1 - own.dli_fname) : 0, own.dli_fname);
        found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        __atomic_store_n(&library, found, __ATOMIC_RELEASE);
    }
    void *symbol = found != NULL ? dlsym(found, HOST_KERNEL_RUN) : NULL;
    if (symbol != NULL)
        memcpy(&run, &symbol, sizeof symbol);
    return run;
}

/* NULL, with a sentence, when it cannot be opened. */
static void *open_library(const char *api, const struct host_kernel_header *header, const void *bytes,
                          uint64_t count)
{
    static _Atomic unsigned loaded;
    char path[64 + 2 * SLASHES];
    void *library = NULL;
    const int file = memfd_create("belay-kernel", MFD_CLOEXEC);
    bool is_written = file >= 0;
    for (uint64_t at = 0; is_written && at < count;) {
        const ssize_t wrote = write(file, (const unsigned char *)bytes + at, count - at);
        is_written = wrote > 0;
        at += is_written ? (uint64_t)wrote : 0;
    }
    /* The linker knows libraries by their paths, and numbers of files come again: each load has its own slashes. */
    const unsigned number = atomic_fetch_add(&loaded, 1) % (SLASHES * SLASHES);
    char slashes[SLASHES];
    memset(slashes, '/', sizeof slashes);
    snprintf(path, sizeof path, "/proc/%.*sself/fd/%.*s%d", (int)(number / SLASHES), slashes,
             (int)(number % SLASHES), slashes, file);
    if (is_written)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kernel %s cannot be loaded: %s", api, header->name,
             is_written ? dlerror() : "there is no memory for it");
    if (file >= 0)
        close(file);
    return library;
}

static int load(const char *api, const struct host_kernel_header *header, const unsigned char *bytes,
                uint64_t count, struct host_kernel *kernel)
{
    kernel->header = *header;
    memcpy(kernel->pointer, bytes + sizeof *header, header->pointer_count * sizeof kernel->pointer[0]);
    if (!pointers_are_sound(kernel))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the kernel's arguments lie outside of one another", api);
    kernel->run = open_kernel_library();
    void *library = open_library(api, header, bytes + header->library_at, count - header->library_at);
    if (library == NULL)
        return ACL_ERROR_RT_PARAM_INVALID;
    void *symbol = dlsym(library, HOST_KERNEL_ENTRY);
    memcpy(&kernel->program, &symbol, sizeof symbol);
    return symbol != NULL ? 0
                          : fail(ACL_ERROR_RT_PARAM_INVALID,
                                 "%s: kernel %s has no function " HOST_KERNEL_ENTRY, api, header->name);
}

int host_kernel_load(const char *api, const void *bytes, uint64_t count, const struct host_kernel **kernel)
{
    struct host_kernel_header header;
    if (bytes == NULL || count < sizeof header ||
        memcmp(bytes, HOST_KERNEL_MAGIC, sizeof HOST_KERNEL_MAGIC) != 0)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: the binary is no kernel for the host; what bishengir-compile of this installation writes is "
            "expected",
            api);
    memcpy(&header, bytes, sizeof header);
    if (!is_sound(&header, count) ||
        !library_is_whole((const unsigned char *)bytes + header.library_at, count - header.library_at))
        return fail(ACL_ERROR_RT_PARAM_INVALID,
                    "%s: the binary is damaged, or of another release of Belay; compile the kernel again",
                    api);
    if (!processor_can(&header))
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: kernel %s was compiled on a machine with AVX2, which this one has not; compile it here", api,
            header.name);
    struct host_kernel *made = calloc(1, sizeof *made);
    struct host_kernel_pointer *pointer = calloc(header.pointer_count + 1, sizeof *pointer);
    int status = made != NULL && pointer != NULL
                     ? 0
                     : fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another kernel", api);
    if (status == 0) {
        made->pointer = pointer;
        status = load(api, &header, bytes, count, made);
    }
    if (status != 0) {
        free(pointer);
        free(made);
        return status;
    }
    *kernel = made;
    return 0;
}
