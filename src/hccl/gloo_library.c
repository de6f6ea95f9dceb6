/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The library lies beside this one, and nothing else says where. It must come by its symbols without those
 * that frameworks have loaded before (gloo.h), so it is opened with its own scope first.
 */
#include "hccl/gloo_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(IS_SANITIZED)
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL }; /* sanitizers refuse RTLD_DEEPBIND */
#else
enum { OPEN_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND };
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct gloo_transport *found; /* under the lock */

/* The path of libbelay_gloo.so. False when the library does not know where it lies itself. */
static bool beside_this(char *path, size_t bytes)
{
#ifdef BELAY_GLOO_LIBRARY /* a test, which holds this code without the library around it */
    return snprintf(path, bytes, "%s", BELAY_GLOO_LIBRARY) > 0;
#else
    static const char place; /* of this library */
    Dl_info here;
    const char *slash;
    if (dladdr(&place, &here) == 0 || here.dli_fname == NULL ||
        (slash = strrchr(here.dli_fname, '/')) == NULL)
        return false;
    int length =
        snprintf(path, bytes, "%.*s/libbelay_gloo.so", (int)(slash - here.dli_fname), here.dli_fname);
    return length > 0 && (size_t)length < bytes;
#endif
}

HcclResult gloo_library_open(const struct gloo_transport **transport, struct mesh_fault *fault)
{
    char path[4096];
    HcclResult result = HCCL_SUCCESS;
    pthread_mutex_lock(&lock);
    if (found == NULL) {
        void *library = beside_this(path, sizeof path) ? dlopen(path, OPEN_FLAGS) : NULL;
        const struct gloo_transport *(*get)(void) = NULL;
        if (library != NULL)
            *(void **)&get = dlsym(library, "belay_gloo_transport");
        if (get != NULL)
            found = get();
        else if (library == NULL && mesh_lacks_files())
            result = mesh_refuse(fault, HCCL_E_SYSCALL, -1,
                                 "libbelay_gloo.so cannot be opened: this process has too many open files "
                                 "(%.300s)",
                                 dlerror());
        else
            result = mesh_refuse(fault, HCCL_E_NOT_SUPPORT, -1,
                                 "several ranks speak to each other by Gloo, which is not here: install "
                                 "libgloo0 beside Belay's "
                                 "Debian packages, take a release's wheel, or build Belay by CMake where "
                                 "libgloo-dev is (%.300s)",
                                 library == NULL ? dlerror() : "libbelay_gloo.so is another one's");
    }
    *transport = found;
    pthread_mutex_unlock(&lock);
    return result;
}
