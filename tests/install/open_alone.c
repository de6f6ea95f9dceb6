/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * open_alone FOLDER: opens each library by its name in the folder, one after the other and locally, as Python
 * clients do, and calls functions through it. State set through one name must be seen through all others.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int set_device_function(int32_t device);
typedef int get_device_function(int32_t *device);
typedef int phase_1_function(const void *, const void *, void *, uint64_t *, void **);

static int wrong;

static void expect(int is_right, const char *library, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "%s: %s\n", library, what);
    wrong++;
}

/* A function of the library; its own when is_own, which a dependency's function of that name is not. */
static void *find(void *library, const char *name, const char *symbol, int is_own)
{
    void *function = library ? dlsym(library, symbol) : NULL;
    Dl_info place;
    expect(function != NULL, name, symbol);
    if (function && is_own)
        expect(dladdr(function, &place) && strstr(place.dli_fname, name), name,
               "takes a function from elsewhere");
    return function;
}

static void *open_library(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    expect(library != NULL, name, library ? "" : dlerror());
    return library;
}

int main(int argc, char **argv)
{
    static const char *const runtimes[] = {"libacl_rt.so", "libascendcl.so"};
    static const char *const operators[] = {
        "libopapi_nn.so",          "libopapi_math.so", "libopapi_cv.so",
        "libopapi_transformer.so", "libaclnn_math.so", "libaclnn_ops_infer.so",
        "libaclnn_ops_train.so",   "libaclnn_rand.so", "libopapi.so"};
    /* Some clients load these in advance, or link them without calling them. */
    static const char *const others[] = {"libacl_op_compiler.so",
                                         "libmsprofiler.so",
                                         "libacl_cblas.so",
                                         "libacl_dvpp.so",
                                         "libacl_retr.so",
                                         "libacl_tdt_channel.so",
                                         "libacl_tdt_queue.so",
                                         "libascend_dump.so",
                                         "libascend_ml.so",
                                         "libascend_protobuf.so",
                                         "libascend_protobuf.so.3.13.0.0",
                                         "libascendalog.so",
                                         "libc_sec.so",
                                         "liberror_manager.so",
                                         "libge_common_base.so",
                                         "libge_runner.so",
                                         "libgraph.so",
                                         "libgraph_base.so",
                                         "libhccl.so",
                                         "libhcomm.so",
                                         "libmmpa.so",
                                         "libop_common.so",
                                         "libplatform.so",
                                         "libregister.so",
                                         "libruntime.so",
                                         "libunified_dlog.so"};
    if (argc != 2)
        return 2;
    for (int i = 0; i < 2; i++) {
        void *library = open_library(argv[1], runtimes[i]);
        set_device_function *set_device =
            (set_device_function *)find(library, runtimes[i], "aclrtSetDevice", 1);
        get_device_function *get_device =
            (get_device_function *)find(library, runtimes[i], "aclrtGetDevice", 1);
        int32_t device = -1;
        if (!set_device || !get_device)
            continue;
        /* The first name sets the device, the second only looks. */
        expect(i == 1 || set_device(1) == 0, runtimes[i], "aclrtSetDevice fails");
        expect(get_device(&device) == 0 && device == 1, runtimes[i], "does not see the device that was set");
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        void *library = open_library(argv[1], operators[i]);
        phase_1_function *phase_1 =
            (phase_1_function *)find(library, operators[i], "aclnnSiluBackwardGetWorkspaceSize", 1);
        expect(phase_1 && phase_1(NULL, NULL, NULL, NULL, NULL) == 161001, operators[i],
               "phase 1 does not answer");
        /* Clients look for the tensor functions in the operator library. */
        find(library, operators[i], "aclCreateTensor", 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        open_library(argv[1], others[i]);
    printf("%d faults\n", wrong);
    return wrong != 0;
}
