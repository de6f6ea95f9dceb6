/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Replays runtime calls that recorder.c wrote down, each recorded thread in a thread of its own: a call
 * begins when every call has ended that had ended before it began, so that calls that overlapped may do so
 * again, and the program's own order is kept. Each call must answer as it did. Of an operator the replay has
 * a task that reads one of its tensors: its executor is made on the thread that made the tensor, and launched
 * where the operator was. Run under a thread sanitizer it finds what the runtime's functions do not order
 * among themselves.
 *
 *   replay CONFIGURATION FILE...
 *
 * The configuration is what the program gave to aclInit.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_equal.h"

enum { ARGUMENTS = 9, THREADS = 64, RANK = 8 };

/* An object or a block that a call made, from its making to its end. */
struct instance {
    uint64_t name;  /* its address in the recording */
    uint64_t bytes; /* of a block; 0: an object */
    long ended;     /* when the call began that destroyed it */
    void *value;    /* here */
    /* Of a tensor: the read of it that stands for an operator, and whether a launch has taken it. */
    bool is_read;
    aclOpExecutor *executor;
    void *answer; /* one byte of device memory */
};

struct argument {
    char kind;
    int64_t number;
    struct instance
        *instance; /* of h, and what o and b make; `number` is the distance from a block's begin */
};

struct call {
    int thread;
    long began;
    long ended;
    char name[48];
    int status;
    struct argument arguments[ARGUMENTS];
    int count;
    char *rest;    /* of a tensor: its shape */
    size_t before; /* calls that had ended when it began */
    bool is_done;
};

static struct call *calls; /* by the moment when they ended */
static size_t count;
static struct instance **alive; /* while the recording is read */
static size_t alive_count;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of is_done, all_done and differences */
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static size_t all_done; /* the calls before this one are done */
static int differences;

static const struct {
    const char *name;
    const char *kinds;
    void (*function)(void);
} functions[] = {
#define RECORDED(name, kinds) {#name, kinds, (void (*)(void))name},
#include "recorded.h"
#undef RECORDED
    {"aclCreateTensor", "oh", NULL},
    {"aclDestroyTensor", "h", (void (*)(void))aclDestroyTensor},
    {"launch", "h", NULL},
};

static const char *kinds_of(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].kinds;
    fprintf(stderr, "replay: %s is no function of recordings\n", name);
    exit(2);
}

static void *get(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL)
        exit(2);
    return memory;
}

/* The thing at this address: an object, or the block around it. Blocks that were made later lie in earlier
 * ones. */
static struct instance *find(uint64_t address)
{
    for (size_t i = alive_count; i-- > 0;)
        if (address - alive[i]->name < (alive[i]->bytes != 0 ? alive[i]->bytes : 1))
            return alive[i];
    return NULL;
}

static void read_calls(const char *path)
{
    FILE *file = fopen(path, "r");
    static char line[4096];
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    calls = NULL;
    count = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if ((count & (count - 1)) == 0) {
            calls = realloc(calls, (count == 0 ? 1 : 2 * count) * sizeof *calls);
            if (calls == NULL)
                exit(2);
        }
        struct call *call = &calls[count++];
        *call = (struct call){0};
        int used = 0;
        if (sscanf(line, "%d %ld %ld %47s %d%n", &call->thread, &call->began, &call->ended, call->name,
                   &call->status, &used) != 5 ||
            call->thread < 1 || call->thread >= THREADS) {
            fprintf(stderr, "replay: %s: line %zu is none\n", path, count);
            exit(2);
        }
        char *rest = line + used;
        for (const char *kind = kinds_of(call->name); *kind != '\0'; kind++) {
            struct argument *argument = &call->arguments[call->count++];
            argument->kind = *kind;
            if (*kind == 's')
                continue;
            rest += strspn(rest, " ");
            bool is_name = strchr("hob", *kind) != NULL;
            argument->number = (int64_t)strtoull(rest + is_name, &rest, is_name ? 16 : 10);
        }
        call->rest = strdup(rest);
    }
    fclose(file);
}

/* A moment of the recording: a call begins and takes its handles, or ends and gives some. */
struct moment {
    long time;
    struct call *call;
};

static int by_time(const void *a, const void *b)
{
    long left = ((const struct moment *)a)->time;
    long right = ((const struct moment *)b)->time;
    return (left > right) - (left < right);
}

static bool destroys(const struct call *call)
{
    return strstr(call->name, "Destroy") != NULL || strstr(call->name, "Free") != NULL ||
           strcmp(call->name, "aclrtReleaseMemAddress") == 0;
}

static void begin(struct call *call)
{
    for (int i = 0; i < call->count; i++) {
        struct argument *argument = &call->arguments[i];
        if (argument->kind != 'h' || argument->number == 0)
            continue;
        struct instance *instance = find((uint64_t)argument->number);
        argument->instance = instance;
        if (instance != NULL)
            argument->number -= (int64_t)instance->name;
    }
    struct instance *gone = call->arguments[0].instance;
    if (!destroys(call) || call->status != 0 || gone == NULL)
        return;
    gone->ended = call->began;
    size_t at = 0;
    while (alive[at] != gone)
        at++;
    memmove(alive + at, alive + at + 1, (--alive_count - at) * sizeof *alive);
}

static void end(struct call *call)
{
    for (int i = 0; i < call->count; i++) {
        struct argument *argument = &call->arguments[i];
        if ((argument->kind != 'o' && argument->kind != 'b') || argument->number == 0)
            continue;
        struct instance *same = find((uint64_t)argument->number); /* the context that was asked for again */
        if (same != NULL && same->bytes == 0) {
            argument->instance = same;
            continue;
        }
        struct instance *instance = get(sizeof *instance);
        instance->name = (uint64_t)argument->number;
        instance->bytes = argument->kind == 'b' ? (uint64_t)call->arguments[i + 1].number : 0;
        argument->instance = alive[alive_count++] = instance;
    }
}

/* Of the tensors that are alive when an operator is launched, the one that goes first after it is most likely
 * its. */
static void choose_tensor(struct call *launch, struct call *const *tensors, size_t tensor_count)
{
    struct instance *best = NULL;
    for (size_t i = 0; i < tensor_count; i++) {
        struct instance *instance = tensors[i]->arguments[0].instance;
        if (!instance->is_read && tensors[i]->ended < launch->began && instance->ended > launch->ended &&
            (best == NULL || instance->ended < best->ended))
            best = instance;
    }
    if (best != NULL)
        best->is_read = true;
    launch->arguments[1].instance = best;
}

static void resolve(void)
{
    struct moment *moments = get(2 * count * sizeof *moments);
    struct call **tensors = get((count + 1) * sizeof(struct call *));
    size_t tensor_count = 0;
    size_t ended = 0;
    alive = get((count + 1) * sizeof(struct instance *));
    alive_count = 0;
    for (size_t i = 0; i < count; i++) {
        moments[2 * i] = (struct moment){calls[i].began, &calls[i]};
        moments[2 * i + 1] = (struct moment){calls[i].ended, &calls[i]};
    }
    qsort(moments, 2 * count, sizeof *moments, by_time);
    for (size_t i = 0; i < 2 * count; i++) {
        struct call *call = moments[i].call;
        if (moments[i].time == call->began) {
            call->before = ended;
            begin(call);
        } else {
            ended++;
            end(call);
            if (strcmp(call->name, "aclCreateTensor") == 0 && call->arguments[0].instance != NULL)
                tensors[tensor_count++] = call;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(calls[i].name, "launch") == 0)
            choose_tensor(&calls[i], tensors, tensor_count);
    free(alive);
    free(tensors);
    free(moments);
}

/* Host memory of the program's is no part of a recording: each thread has some for all. */
static _Thread_local char *host_memory;
static _Thread_local size_t host_bytes;

static void *host(size_t bytes)
{
    if (bytes > host_bytes) {
        free(host_memory);
        host_memory = get(bytes);
        host_bytes = bytes;
    }
    return host_memory;
}

static int64_t value_of(const struct call *call, int i)
{
    const struct argument *argument = &call->arguments[i];
    if (argument->kind != 'h')
        return argument->number;
    if (argument->instance != NULL)
        return (int64_t)(intptr_t)argument->instance->value + argument->number;
    bool is_copy = strncmp(call->name, "aclrtMemcpy", 11) == 0;
    return argument->number == 0 ? 0
           : is_copy             ? (int64_t)(intptr_t)host((size_t)call->arguments[3].number)
                                 : -1;
}

static int create_tensor(const struct call *call)
{
    int64_t dims[RANK], strides[RANK], storage[RANK], offset;
    int dtype, format, rank, storage_rank;
    char *at = call->rest;
    int used;
    if (sscanf(at, "%d %d %" SCNd64 " %d%n", &dtype, &format, &offset, &rank, &used) != 4 || rank > RANK)
        return -1;
    at += used;
    for (int i = 0; i < rank; i++) {
        dims[i] = strtoll(at, &at, 10);
        strides[i] = strtoll(at, &at, 10);
    }
    storage_rank = (int)strtol(at, &at, 10);
    for (int i = 0; i < storage_rank && i < RANK; i++)
        storage[i] = strtoll(at, &at, 10);
    struct instance *tensor = call->arguments[0].instance;
    void *memory = (void *)(intptr_t)value_of(call, 1);
    tensor->value = aclCreateTensor(dims, (uint64_t)rank, (aclDataType)dtype, strides, offset,
                                    (aclFormat)format, storage, (uint64_t)storage_rank, memory);
    if (tensor->value == NULL)
        return -1;
    uint64_t workspace;
    int64_t one = 1;
    if (!tensor->is_read || aclrtMalloc(&tensor->answer, 1, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return 0;
    aclTensor *answer = aclCreateTensor(&one, 1, ACL_BOOL, &one, 0, ACL_FORMAT_ND, &one, 1, tensor->answer);
    if (aclnnEqualGetWorkspaceSize(tensor->value, tensor->value, answer, &workspace, &tensor->executor) != 0)
        tensor->executor = NULL; /* not of every dtype: then nothing stands for the operator */
    aclDestroyTensor(answer);
    return 0;
}

static int run(const struct call *call)
{
    if (strcmp(call->name, "aclCreateTensor") == 0)
        return create_tensor(call);
    if (strcmp(call->name, "launch") == 0) {
        struct instance *tensor = call->arguments[1].instance;
        if (tensor == NULL || tensor->executor == NULL)
            return call->status;
        return aclnnEqual(NULL, 0, tensor->executor, (aclrtStream)(intptr_t)value_of(call, 0));
    }
    size_t which = 0;
    while (strcmp(functions[which].name, call->name) != 0)
        which++;
    int64_t values[ARGUMENTS] = {0};
    int64_t answers[ARGUMENTS] = {0};
    aclrtPhysicalMemProp memory = {.memAttr = ACL_HBM_MEM_HUGE,
                                   .location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
    for (int i = 0; i < call->count; i++) {
        values[i] = value_of(call, i);
        if (strchr("obs", call->arguments[i].kind) != NULL)
            values[i] = (int64_t)(intptr_t)&answers[i];
        if (call->arguments[i].kind == 'p') {
            memory.location.id = (uint32_t)values[i];
            values[i] = (int64_t)(intptr_t)&memory;
        }
    }
    int status = ((int (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t))functions[which].function)(
        values[0], values[1], values[2], values[3], values[4], values[5]);
    for (int i = 0; i < call->count; i++)
        if (call->arguments[i].instance != NULL && strchr("ob", call->arguments[i].kind) != NULL)
            call->arguments[i].instance->value = (void *)(intptr_t)answers[i];
    return status;
}

static void *replay_thread(void *number)
{
    for (size_t i = 0; i < count; i++) {
        struct call *call = &calls[i];
        if (call->thread != (int)(intptr_t)number)
            continue;
        pthread_mutex_lock(&lock);
        while (all_done < call->before)
            pthread_cond_wait(&progress, &lock);
        pthread_mutex_unlock(&lock);
        int status = run(call);
        pthread_mutex_lock(&lock);
        if (status != call->status && differences++ < 10)
            fprintf(stderr, "replay: %s at %ld answered %d, not %d: %s\n", call->name, call->began, status,
                    call->status, status != 0 ? aclGetRecentErrMsg() : "");
        call->is_done = true;
        while (all_done < count && calls[all_done].is_done)
            all_done++;
        pthread_cond_broadcast(&progress);
        pthread_mutex_unlock(&lock);
    }
    free(host_memory);
    return NULL;
}

static bool replay(const char *path)
{
    pthread_t threads[THREADS];
    bool is_thread[THREADS] = {false};
    read_calls(path);
    resolve();
    all_done = 0;
    int before = differences;
    for (size_t i = 0; i < count; i++)
        is_thread[calls[i].thread] = true;
    for (int i = 0; i < THREADS; i++)
        if (is_thread[i] && pthread_create(&threads[i], NULL, replay_thread, (void *)(intptr_t)i) != 0)
            exit(2);
    int thread_count = 0;
    for (int i = 0; i < THREADS; i++)
        if (is_thread[i]) {
            pthread_join(threads[i], NULL);
            thread_count++;
        }
    int launches = 0;
    for (size_t i = 0; i < count; i++)
        launches += strcmp(calls[i].name, "launch") == 0 && calls[i].arguments[1].instance != NULL &&
                    calls[i].arguments[1].instance->executor != NULL;
    printf("%s: %zu calls of %d threads, %d of operators, %d with another answer\n", path, count,
           thread_count, launches, differences - before);
    return differences == before && launches > 0;
}

int main(int argc, char **argv)
{
    bool is_right = argc > 2 && aclInit(argv[1]) == 0;
    for (int i = 2; i < argc; i++)
        is_right = replay(argv[i]) && is_right;
    aclFinalize();
    return is_right ? 0 : 1;
}
