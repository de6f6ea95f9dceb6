/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Section builds: the libraries of two builds in one process, in the same rounds on the same memory, for
 * every pointwise operator that both have.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "layout.h"
#include "ops/function.h"
#include "session.h"

enum { BEFORE, AFTER, BUILDS };

/* Ordinary numbers first, then those that may take twice as long. */
static const enum data_set any_place[] = {DATA_NORMAL, DATA_UNIFORM,  DATA_SUBNORMAL, DATA_MIXED,
                                          DATA_NAN,    DATA_INFINITE, DATA_FAR};
static const enum data_set in_place[] = {DATA_IN_PLACE, DATA_NAN, DATA_INFINITE};
enum { DATA_MAX = 7, WORDS = 14, REALS = 4, SHORT = 1 << 14 };

/* A build's functions: each has its own copies of the libraries, their threads and the C library. */
struct build {
    void *library;
    struct belay_objects objects;
    __typeof__(aclrtMalloc) *allocate;
    __typeof__(aclrtFree) *free;
    __typeof__(aclrtSynchronizeStream) *synchronize;
    __typeof__(aclGetRecentErrMsg) *message;
    aclrtStream stream;
};

static void *symbol(const struct build *build, const char *name)
{
    void *found = dlsym(build->library, name);
    if (!found) {
        fprintf(stderr, "bench: %s\n", dlerror());
        exit(2);
    }
    return found;
}

/* ISO C has no cast from object to function. */
#define FIND(build, to, name)                  \
    do {                                       \
        void *found_ = symbol(build, name);    \
        memcpy(&(to), &found_, sizeof found_); \
    } while (0)

static void fail(const struct build *build, int status, const char *call)
{
    const char *message = build->message();
    fprintf(stderr, "bench: %s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(2);
}

static struct build load(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/libopapi.so", folder);
    /* A namespace of its own: otherwise the names of the other build's libraries would serve for this one's.
     */
    struct build build = {.library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL)};
    if (!build.library) {
        fprintf(stderr, "bench: %s\n", dlerror());
        exit(2);
    }
    __typeof__(aclInit) *init;
    __typeof__(aclrtSetDevice) *set_device;
    __typeof__(aclrtCreateStream) *create_stream;
    FIND(&build, init, "aclInit");
    FIND(&build, set_device, "aclrtSetDevice");
    FIND(&build, create_stream, "aclrtCreateStream");
    FIND(&build, build.message, "aclGetRecentErrMsg");
    FIND(&build, build.allocate, "aclrtMalloc");
    FIND(&build, build.free, "aclrtFree");
    FIND(&build, build.synchronize, "aclrtSynchronizeStream");
    FIND(&build, build.objects.create_tensor, "aclCreateTensor");
    FIND(&build, build.objects.create_scalar, "aclCreateScalar");
    FIND(&build, build.objects.create_ints, "aclCreateIntArray");
    FIND(&build, build.objects.create_list, "aclCreateTensorList");
    FIND(&build, build.objects.destroy_ints, "aclDestroyIntArray");
    FIND(&build, build.objects.destroy_list, "aclDestroyTensorList");
    FIND(&build, build.objects.destroy_tensor, "aclDestroyTensor");
    FIND(&build, build.objects.destroy_scalar, "aclDestroyScalar");
    belay_check(init(NULL), "aclInit");
    belay_check(set_device(0), "aclrtSetDevice");
    belay_check(create_stream(&build.stream), "aclrtCreateStream");
    return build;
}

/*
 * Phase 1 of any operator: in the calling conventions of x86-64 and AArch64 under Linux, words and real
 * numbers fill registers of their own, each in the order of the call, and words that find none the stack.
 * That makes one call of all signatures with few real numbers, which costs both builds the same.
 */
typedef int plan_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double,
                          double);
typedef int launch_function(void *, uint64_t, aclOpExecutor *, aclrtStream);

struct build_calls {
    const struct build *build;
    struct workload workload; /* with memory of the build's own: it may remember where that lies */
    plan_function *plan;
    launch_function *launch;
    union argument argument[PARAMETERS_MAX];
    uint64_t word[WORDS];
    double real[REALS];
    void *workspace;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
};

static void *allocate(const struct build *build, uint64_t bytes)
{
    void *memory;
    int status = build->allocate(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status)
        fail(build, status, "aclrtMalloc");
    return memory;
}

static void run(void *context, uint64_t repetitions)
{
    struct build_calls *calls = context;
    const uint64_t *w = calls->word;
    const double *r = calls->real;
    for (uint64_t i = 0; i < repetitions; i++) {
        int status = calls->plan(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
                                 w[12], w[13], r[0], r[1], r[2], r[3]);
        if (!status && calls->workspace_bytes > 0 && !calls->workspace)
            calls->workspace = allocate(calls->build, calls->workspace_bytes);
        if (!status)
            status = calls->launch(calls->workspace, calls->workspace_bytes, calls->executor,
                                   calls->build->stream);
        if (!status)
            status = calls->build->synchronize(calls->build->stream);
        if (status)
            fail(calls->build, status, calls->workload.subject->api);
    }
}

static struct build_calls *prepare(const struct build *build, const struct workload *like,
                                   enum data_set data_set)
{
    struct build_calls *calls = calloc(1, sizeof *calls);
    belay_check(calls ? 0 : 1, "calloc");
    calls->build = build;
    calls->workload = *like;
    const struct workload *workload = &calls->workload;
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        if (workload_has_operand(workload, operand))
            calls->workload.memory[operand] =
                allocate(build, (uint64_t)(workload->view[operand].storage *
                                           workload_element_bytes(workload, operand)));
    data_fill(workload, data_set);
    char name[128];
    snprintf(name, sizeof name, "%sGetWorkspaceSize", like->subject->api);
    FIND(build, calls->plan, name);
    FIND(build, calls->launch, like->subject->api);
    belay_create_arguments(&build->objects, workload, calls->argument);
    const struct function *function = like->subject->function;
    uint32_t words = 0, reals = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        enum parameter_kind kind = function->parameter[i].kind;
        if (kind == PARAMETER_FLOAT || kind == PARAMETER_DOUBLE)
            memcpy(&calls->real[reals++], &calls->argument[i], sizeof(double));
        else
            memcpy(&calls->word[words++], &calls->argument[i], sizeof(uint64_t));
    }
    calls->word[words++] = (uintptr_t)&calls->workspace_bytes;
    calls->word[words++] = (uintptr_t)&calls->executor;
    run(calls, 1);
    return calls;
}

static void release(struct build_calls *calls)
{
    const struct build *build = calls->build;
    belay_destroy_arguments(&build->objects, calls->workload.subject, calls->argument);
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        if (calls->workload.memory[operand])
            build->free(calls->workload.memory[operand]);
    if (calls->workspace)
        build->free(calls->workspace);
    free(calls);
}

/* An older build has names of functions that it answers as absent, whatever it is given. */
static bool has(const struct build *build, const struct subject *subject)
{
    char name[128];
    snprintf(name, sizeof name, "%sGetWorkspaceSize", subject->api);
    void *found = dlsym(build->library, name);
    plan_function *plan;
    memcpy(&plan, &found, sizeof plan);
    return found != NULL && plan(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) != ACLNN_ERR_INNER;
}

/* The logarithms of what is averaged. */
struct mean {
    double sum;
    int count;
};

static int data_sets_of(const struct workload *workload, const enum data_set **sets)
{
    const bool is_in_place = workload->subject->is_in_place;
    *sets = is_in_place ? in_place : any_place;
    return (int)(is_in_place ? sizeof in_place / sizeof *in_place : sizeof any_place / sizeof *any_place);
}

/* How long an element takes in both builds and all data sets together. */
static double reckoned_ns(const struct build *build, const struct workload *like)
{
    const enum data_set *sets;
    const int count = data_sets_of(like, &sets);
    double ns = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < BUILDS; k++) {
            struct build_calls *calls = prepare(&build[k], like, sets[i]);
            const double begin = processor_ns();
            run(calls, 1);
            ns += processor_ns() - begin;
            release(calls);
        }
    return ns / (double)like->count;
}

/* All data sets in the same rounds. The ordinary ones go into the mean; the others' speed is told beside that
 * of the first one. */
static void compare(const struct session *session, const struct build *build, const struct workload *like,
                    struct mean *mean)
{
    const enum data_set *sets;
    const int count = data_sets_of(like, &sets);
    struct variant variant[DATA_MAX * BUILDS];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < BUILDS; k++)
            variant[BUILDS * i + k] =
                (struct variant){.name = "build", .run = run, .context = prepare(&build[k], like, sets[i])};
    }
    struct measure_plan plan = session_plan(session, SECTION_BUILDS, like->count);
    size_t rounds = (size_t)measure_rounds(variant, count * BUILDS, &plan);
    const double *ordinary = variant[AFTER].ns;
    for (int i = 0; i < count; i++) {
        const double *before = variant[BUILDS * i + BEFORE].ns, *after = variant[BUILDS * i + AFTER].ns;
        struct row row = session_row(
            session, SECTION_BUILDS, like->subject->api, workload_dtype_name(like->dtype),
            like->is_reduced ? "mean" : layout_name(LAYOUT_CONTIGUOUS), data_set_name(sets[i]), like->count);
        bool is_ordinary = sets[i] == DATA_NORMAL || sets[i] == DATA_UNIFORM || sets[i] == DATA_IN_PLACE;
        struct quartiles ratio = ratio_of(before, after, rounds, session->threads > 1);
        row_add(&row, "ns", quartiles_of(after, rounds));
        row_add(&row, "before", ratio);
        if (!is_ordinary)
            row_add(&row, "normal", ratio_of(ordinary, after, rounds, session->threads > 1));
        if (is_ordinary) {
            mean->sum += log(ratio.median);
            mean->count++;
        }
        session->emit(&row);
    }
    for (int i = 0; i < count * BUILDS; i++)
        release(variant[i].context);
}

static bool is_accepted(struct workload workload)
{
    session_allocate(&workload);
    bool is_accepted = belay_accepts(&workload);
    session_free(&workload);
    return is_accepted;
}

static struct workload workload_like(const struct session *session, const struct subject *subject,
                                     enum dtype dtype, bool is_reduced, int64_t count)
{
    struct workload workload = workload_of(subject, dtype, count, session->threads);
    workload.is_reduced = is_reduced;
    if (subject_converts(subject))
        workload.out_dtype = dtype == FP32 ? BF16 : FP32;
    layout_apply(&workload, LAYOUT_CONTIGUOUS);
    return workload;
}

/* A turn of all that is compared takes no longer than this: of what is slow, fewer elements are taken. */
static const double TURN_NS = 4e9;

/* One size: every operator and dtype, and where it has one its mean. */
static void compare_all(const struct session *session, const struct build *build, int64_t count,
                        struct mean *mean)
{
    const struct options *options = &session->options;
    for (int i = 0; i < subjects_count(); i++) {
        const struct subject *subject = subject_at(i);
        if (!options->has_subject[i] || !subject->is_any_shape || !has(&build[BEFORE], subject) ||
            !has(&build[AFTER], subject))
            continue;
        for (enum dtype dtype = FP32; dtype <= BF16; dtype++)
            for (int k = 0; k <= subject_reduces(subject); k++) {
                struct workload workload = workload_like(session, subject, dtype, k > 0, count);
                if (!options->has_dtype[dtype] || !subject_has_dtype(subject, dtype) ||
                    !is_accepted(workload))
                    continue;
                if (count > SHORT) {
                    const struct workload part = workload_like(session, subject, dtype, k > 0, SHORT);
                    const double ns = reckoned_ns(build, &part);
                    int64_t some = count;
                    while (some > SHORT && ns * (double)some > TURN_NS)
                        some /= 4;
                    workload = workload_like(session, subject, dtype, k > 0, some);
                }
                compare(session, build, &workload, mean);
            }
    }
}

void measure_builds(const struct session *session)
{
    static const int64_t count[] = {64, SHORT, 1 << 24};
    const struct build build[BUILDS] = {load(session->options.before), load(session->options.after)};
    struct mean mean = {0};
    for (int i = 0; i < (session->options.is_quick ? 2 : 3); i++)
        compare_all(session, build, count[i], &mean);
    if (mean.count == 0)
        return;
    struct row row =
        session_row(session, SECTION_BUILDS, "geometric_mean", "all", "contiguous", "ordinary", 0);
    double value = exp(mean.sum / mean.count);
    row_add(&row, "before", (struct quartiles){value, value, value});
    session->emit(&row);
}
