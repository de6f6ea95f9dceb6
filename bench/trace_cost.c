/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a timeline costs: small calls of this build with the recording off and on, and of an older build, in
 * the same rounds.
 *
 *   trace_cost AFTER [BEFORE]    folders of libraries; without BEFORE the recording off is what on is held to
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"
#include "measure.h"
#include "statistics.h"

enum { BEFORE, AFTER, RECORDING, BUILDS, ELEMENTS = 8 };

/* The functions of a build, which has its libraries, and the C library, to itself. */
struct build {
    __typeof__(aclrtMalloc) *allocate;
    __typeof__(aclrtFree) *free;
    __typeof__(aclrtMallocHost) *allocate_host;
    __typeof__(aclrtMemcpy) *copy;
    __typeof__(aclrtMemcpyAsync) *copy_async;
    __typeof__(aclrtRecordEvent) *record;
    __typeof__(aclrtSynchronizeEvent) *wait;
    __typeof__(aclrtSynchronizeStream) *synchronize;
    __typeof__(aclnnAddGetWorkspaceSize) *plan;
    __typeof__(aclnnAdd) *launch;
    aclrtStream stream;
    aclrtEvent event;
    void *device, *host;
    aclTensor *tensor;
    aclScalar *alpha;
};

static void check(int status, const char *call)
{
    if (status == 0)
        return;
    fprintf(stderr, "trace_cost: %s answers %d\n", call, status);
    exit(2);
}

static void find(void *library, void *function, const char *name)
{
    void *found = dlsym(library, name); /* ISO C has no cast from object to function */
    if (!found) {
        fprintf(stderr, "trace_cost: %s\n", dlerror());
        exit(2);
    }
    memcpy(function, &found, sizeof found);
}

/* recording: the file that BELAY_TRACE names in this build's environment, or NULL. */
static struct build load(const char *folder, const char *recording)
{
    char path[4096];
    struct build build;
    snprintf(path, sizeof path, "%s/libopapi.so", folder);
    void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "trace_cost: %s\n", dlerror());
        exit(2);
    }
    __typeof__(setenv) *set_variable;
    __typeof__(aclrtSetDevice) *set_device;
    __typeof__(aclrtCreateStream) *create_stream;
    __typeof__(aclrtCreateEvent) *create_event;
    __typeof__(aclCreateTensor) *create_tensor;
    __typeof__(aclCreateScalar) *create_scalar;
    find(library, &set_variable, "setenv");
    find(library, &set_device, "aclrtSetDevice");
    find(library, &create_stream, "aclrtCreateStream");
    find(library, &create_event, "aclrtCreateEvent");
    find(library, &create_tensor, "aclCreateTensor");
    find(library, &create_scalar, "aclCreateScalar");
    find(library, &build.allocate, "aclrtMalloc");
    find(library, &build.free, "aclrtFree");
    find(library, &build.allocate_host, "aclrtMallocHost");
    find(library, &build.copy, "aclrtMemcpy");
    find(library, &build.copy_async, "aclrtMemcpyAsync");
    find(library, &build.record, "aclrtRecordEvent");
    find(library, &build.wait, "aclrtSynchronizeEvent");
    find(library, &build.synchronize, "aclrtSynchronizeStream");
    find(library, &build.plan, "aclnnAddGetWorkspaceSize");
    find(library, &build.launch, "aclnnAdd");

    const int64_t shape = ELEMENTS, stride = 1;
    float one = 1;
    if (recording)
        check(set_variable("BELAY_TRACE", recording, 1), "setenv");
    check(set_device(0), "aclrtSetDevice");
    check(create_stream(&build.stream), "aclrtCreateStream");
    check(create_event(&build.event), "aclrtCreateEvent");
    check(build.allocate(&build.device, ELEMENTS * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(build.allocate_host(&build.host, ELEMENTS * sizeof(float)), "aclrtMallocHost");
    memset(build.device, 0, ELEMENTS * sizeof(float));
    build.tensor = create_tensor(&shape, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &shape, 1, build.device);
    build.alpha = create_scalar(&one, ACL_FLOAT);
    return build;
}

static void run_operator(void *context, uint64_t repetitions)
{
    const struct build *build = context;
    uint64_t bytes;
    aclOpExecutor *executor;
    for (uint64_t i = 0; i < repetitions; i++) {
        check(build->plan(build->tensor, build->tensor, build->alpha, build->tensor, &bytes, &executor),
              "aclnnAddGetWorkspaceSize");
        check(build->launch(NULL, 0, executor, build->stream), "aclnnAdd");
        check(build->synchronize(build->stream), "aclrtSynchronizeStream");
    }
}

static void run_copy(void *context, uint64_t repetitions)
{
    const struct build *build = context;
    const size_t bytes = ELEMENTS * sizeof(float);
    for (uint64_t i = 0; i < repetitions; i++)
        check(build->copy(build->device, bytes, build->host, bytes, ACL_MEMCPY_HOST_TO_DEVICE),
              "aclrtMemcpy");
}

static void run_queued_copy(void *context, uint64_t repetitions)
{
    const struct build *build = context;
    const size_t bytes = ELEMENTS * sizeof(float);
    for (uint64_t i = 0; i < repetitions; i++) {
        check(build->copy_async(build->device, bytes, build->host, bytes, ACL_MEMCPY_HOST_TO_DEVICE,
                                build->stream),
              "aclrtMemcpyAsync");
        check(build->synchronize(build->stream), "aclrtSynchronizeStream");
    }
}

static void run_event(void *context, uint64_t repetitions)
{
    const struct build *build = context;
    for (uint64_t i = 0; i < repetitions; i++) {
        check(build->record(build->event, build->stream), "aclrtRecordEvent");
        check(build->wait(build->event), "aclrtSynchronizeEvent");
    }
}

static void run_memory(void *context, uint64_t repetitions)
{
    const struct build *build = context;
    for (uint64_t i = 0; i < repetitions; i++) {
        void *memory;
        check(build->allocate(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(build->free(memory), "aclrtFree");
    }
}

/* events: slices and levels that a repetition puts into the timeline. */
static const struct subject {
    const char *name;
    void (*run)(void *context, uint64_t repetitions);
    int events;
} subjects[] = {
    {"operator of 8 elements", run_operator, 4},
    {"copy of 32 bytes", run_copy, 2},
    {"queued copy", run_queued_copy, 3},
    {"event: record, wait", run_event, 3},
    {"malloc, free", run_memory, 4},
};

static void remove_recording(const char *path)
{
    char raw[4200];
    snprintf(raw, sizeof raw, "%s.%ld.raw", path, (long)getpid());
    unlink(raw);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("trace_cost AFTER [BEFORE]: folders of libraries are expected\n", stderr);
        return 2;
    }
    const char *folder = getenv("TMPDIR");
    char recording[4096];
    snprintf(recording, sizeof recording, "%s/trace_cost", folder ? folder : "/tmp");
    struct build builds[BUILDS] = {[BEFORE] = load(argv[argc - 1], NULL),
                                   [AFTER] = load(argv[1], NULL),
                                   [RECORDING] = load(argv[1], recording)};
    const struct measure_plan plan = {
        .rounds = 40, .sample_ns = 1e6, .budget_ns = 1e10, .rounds_min = 20, .threads = 1};
    printf("%-24s %10s %10s %8s %10s %10s\n", "", "before ns", "off ns", "ratio", "on ns", "ns/event");
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        static struct variant variants[BUILDS];
        for (int k = 0; k < BUILDS; k++)
            variants[k] =
                (struct variant){.name = subjects[i].name, .run = subjects[i].run, .context = &builds[k]};
        size_t rounds = (size_t)measure_rounds(variants, BUILDS, &plan);
        double before = quartiles_of(variants[BEFORE].ns, rounds).median;
        double off = quartiles_of(variants[AFTER].ns, rounds).median;
        double on = quartiles_of(variants[RECORDING].ns, rounds).median;
        struct quartiles ratio = ratio_of(variants[AFTER].ns, variants[BEFORE].ns, rounds, 0);
        printf("%-24s %10.1f %10.1f %8.3f %10.1f %10.1f\n", subjects[i].name, before, off, ratio.median, on,
               (on - off) / subjects[i].events);
    }
    remove_recording(recording);
    return 0;
}
