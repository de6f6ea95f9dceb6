/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * soak SECONDS [LOSS]: mixed work on 16 streams of 4 threads, round after round. Every round does the same,
 * so that it must give the same bits, leave the resident set as it is, and take as long as the first ones
 * did, measured in copies of memory that all threads make between the rounds. They wait for each other in
 * these, too: a busy host slows the waking of threads more than copies, and is to slow both alike. Prints a
 * line a minute and a summary; the exit status is 1 when results differ, memory grows, or throughput falls by
 * more than LOSS (a share, 0.03; 1 for a run that is too short to tell).
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

enum {
    THREADS = 4,
    STREAMS = 4,      /* of each thread */
    TURNS = 4000,     /* of each thread in a round */
    ELEMENTS = 16384, /* of each buffer */
    OPERANDS = 4,
    COPY_BYTES = 1 << 10, /* as most operands: neighbours that share only larger caches slow neither down */
    COPIES = 196608,
    MEETINGS = 256, /* in a round's copies */
    HELD_MS = 5,    /* of a stream after each wait, in the round that fills the queues */
    ROUNDS_MAX = 1 << 16,
};

struct lane {
    aclrtStream stream;
    aclrtEvent event;
    float *operand[OPERANDS]; /* device memory; the last one is written */
    float host[ELEMENTS];     /* what asynchronous copies read */
};

struct worker {
    int number;
    struct lane lane[STREAMS];
    unsigned char from[COPY_BYTES], to[COPY_BYTES];
    uint64_t digest, called;
    const char *fault; /* the first call that failed */
};

static pthread_barrier_t barrier, meeting; /* of all threads; of the workers */
static atomic_bool is_over;
static double work_seconds, copy_seconds; /* of a round; thread 0 writes them between barriers */

#define CALL(expression)                                  \
    do {                                                  \
        if ((expression) != 0 && worker->fault == NULL) { \
            worker->fault = #expression;                  \
        }                                                 \
    } while (0)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void open_lane(struct worker *worker, struct lane *lane)
{
    CALL(aclrtCreateStream(&lane->stream));
    CALL(aclrtCreateEvent(&lane->event));
}

static void close_lane(struct worker *worker, struct lane *lane)
{
    CALL(aclrtDestroyStream(lane->stream));
    CALL(aclrtDestroyEvent(lane->event));
}

static void call_operator(struct worker *worker, struct lane *lane, uint64_t random)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    const aclDataType dtype = dtypes[random % 3];
    /* Mostly small; the widest dtype fits the buffers. */
    int64_t count = 1 + (int64_t)(random >> 8) % (random >> 4 & 7 ? 256 : ELEMENTS), stride = 1;
    aclTensor *tensor[OPERANDS];
    for (int i = 0; i < OPERANDS; i++)
        tensor[i] = aclCreateTensor(&count, 1, dtype, &stride, 0, ACL_FORMAT_ND, &count, 1, lane->operand[i]);
    float slope = 0.25F;
    aclScalar *scalar = aclCreateScalar(&slope, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    switch (random >> 40 & 3) {
    case 0:
        CALL(aclnnHardswishBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[3], &size, &executor));
        CALL(aclnnHardswishBackward(NULL, size, executor, lane->stream));
        break;
    case 1:
        CALL(aclnnSiluBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[3], &size, &executor));
        CALL(aclnnSiluBackward(NULL, size, executor, lane->stream));
        break;
    case 2:
        CALL(aclnnSmoothL1LossBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[2], 0, 0.5F, tensor[3],
                                                       &size, &executor));
        CALL(aclnnSmoothL1LossBackward(NULL, size, executor, lane->stream));
        break;
    default:
        CALL(aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], scalar, false, tensor[3], &size,
                                                    &executor));
        CALL(aclnnLeakyReluBackward(NULL, size, executor, lane->stream));
    }
    for (int i = 0; i < OPERANDS; i++)
        CALL(aclDestroyTensor(tensor[i]));
    CALL(aclDestroyScalar(scalar));
}

static void pass_time(void *count)
{
    atomic_fetch_add((atomic_uint *)count, 1);
}

static void hold(void *unused)
{
    (void)unused;
    usleep(HELD_MS * 1000);
}

static void take_turn(struct worker *worker, uint64_t random, bool holds)
{
    static atomic_uint calls;
    struct lane *lane = &worker->lane[random >> 60 & (STREAMS - 1)];
    struct lane *other = &worker->lane[random >> 58 & (STREAMS - 1)];
    void *block = NULL;
    switch (random >> 50 & 31) {
    case 0:
        CALL(aclrtMemcpyAsync(lane->operand[1], sizeof lane->host, lane->host, sizeof lane->host,
                              ACL_MEMCPY_HOST_TO_DEVICE, lane->stream));
        break;
    case 1:
        CALL(aclrtMemsetAsync(lane->operand[2], ELEMENTS * sizeof(float), (int)(random & 63), 4096,
                              lane->stream));
        break;
    case 2:
        CALL(aclrtLaunchHostFunc(lane->stream, pass_time, &calls));
        break;
    case 3:
    case 4:
        CALL(aclrtRecordEvent(other->event, other->stream));
        CALL(aclrtStreamWaitEvent(lane->stream, other->event));
        break;
    case 5:
    case 6:
    case 7:
        CALL(aclrtMalloc(&block, (size_t)1 << (random & 15) << 6, ACL_MEM_MALLOC_HUGE_FIRST));
        CALL(aclrtFree(block));
        break;
    case 8:
        CALL(aclrtSynchronizeStream(lane->stream));
        if (holds)
            CALL(aclrtLaunchHostFunc(lane->stream, hold, NULL));
        break;
    case 9:
        if ((random & 7) == 0) {
            close_lane(worker, lane);
            open_lane(worker, lane);
        }
        break;
    default:
        call_operator(worker, lane, random);
    }
    worker->called++;
}

/* Every round begins with the same memory and draws the same turns. In one that holds the streams, queues
 * become as long as they ever can. */
static void run_round(struct worker *worker, bool holds)
{
    uint64_t state = (uint64_t)worker->number;
    for (int i = 0; i < STREAMS; i++)
        for (int k = 0; k < OPERANDS; k++)
            CALL(aclrtMemcpy(worker->lane[i].operand[k], sizeof worker->lane[i].host, worker->lane[i].host,
                             sizeof worker->lane[i].host, ACL_MEMCPY_HOST_TO_DEVICE));
    for (int turn = 0; turn < TURNS; turn++)
        take_turn(worker, draw(&state), holds);
    for (int i = 0; i < STREAMS; i++)
        CALL(aclrtSynchronizeStream(worker->lane[i].stream));
}

static uint64_t digest(struct worker *worker)
{
    static _Thread_local uint64_t words[ELEMENTS / 2];
    uint64_t hash = 0;
    for (int i = 0; i < STREAMS; i++) {
        CALL(aclrtMemcpy(words, sizeof words, worker->lane[i].operand[OPERANDS - 1], sizeof words,
                         ACL_MEMCPY_DEVICE_TO_HOST));
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            hash = (hash ^ words[k]) * 0x100000001b3;
    }
    return hash;
}

static void copy_memory(struct worker *worker)
{
    for (int i = 0; i < COPIES; i++) {
        memcpy(worker->to, worker->from, COPY_BYTES);
        __asm__ volatile("" : : "r"(worker->to) : "memory");
        if (i % (COPIES / MEETINGS) == 0)
            pthread_barrier_wait(&meeting);
    }
}

static bool create_worker(struct worker *worker)
{
    CALL(aclrtSetDevice(0));
    for (int i = 0; i < STREAMS; i++) {
        struct lane *lane = &worker->lane[i];
        open_lane(worker, lane);
        for (int k = 0; k < OPERANDS; k++)
            CALL(aclrtMalloc((void **)&lane->operand[k], sizeof lane->host, ACL_MEM_MALLOC_HUGE_FIRST));
        for (int k = 0; k < ELEMENTS; k++)
            lane->host[k] = (float)((k * 37 + i * 11 + worker->number) % 997 - 498) / 64;
    }
    return worker->fault == NULL;
}

static void destroy_worker(struct worker *worker)
{
    for (int i = 0; i < STREAMS; i++) {
        close_lane(worker, &worker->lane[i]);
        for (int k = 0; k < OPERANDS; k++)
            CALL(aclrtFree(worker->lane[i].operand[k]));
    }
    CALL(aclrtResetDevice(0));
}

static void *work(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    bool is_ready = create_worker(worker);
    for (bool is_first = true;; is_first = false) {
        pthread_barrier_wait(&barrier);
        if (atomic_load(&is_over))
            break;
        double begin = now();
        if (is_ready)
            run_round(worker, is_first);
        pthread_barrier_wait(&barrier);
        double middle = now();
        copy_memory(worker);
        pthread_barrier_wait(&barrier);
        if (worker->number == 0) {
            work_seconds = middle - begin;
            copy_seconds = now() - middle;
        }
        uint64_t found = is_ready ? digest(worker) : 0;
        if (is_first)
            worker->digest = found;
        else if (found != worker->digest && worker->fault == NULL)
            worker->fault = "the results of a round are not those of the first one";
        pthread_barrier_wait(&barrier);
    }
    destroy_worker(worker);
    return NULL;
}

static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &pages, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int compare_doubles(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

/* Sorts the values. */
static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count > 0 ? values[count / 2] : 0;
}

/* Of what the rounds of one minute, or of a tenth of a shorter run, have in common. */
struct span {
    double ratio[ROUNDS_MAX];
    int rounds;
    long greatest_kib;
};

static void add_round(struct span *span)
{
    if (span->rounds < ROUNDS_MAX)
        span->ratio[span->rounds++] = copy_seconds / work_seconds;
    long kib = resident_kib();
    span->greatest_kib = kib > span->greatest_kib ? kib : span->greatest_kib;
}

int main(int count, char **arguments)
{
    static struct worker worker[THREADS];
    static struct span first, last, minute;
    pthread_t thread[THREADS];
    double seconds = count > 1 ? atof(arguments[1]) : 0, loss = count > 2 ? atof(arguments[2]) : 0.03;
    if (seconds <= 0) {
        fprintf(stderr, "usage: soak SECONDS [LOSS]\n");
        return 2;
    }
    if (aclInit(NULL) != 0)
        return 1;
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    pthread_barrier_init(&meeting, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        worker[i].number = i;
        if (pthread_create(&thread[i], NULL, work, &worker[i]) != 0)
            return 1;
    }
    const double begin = now(), span = seconds >= 600 ? 60 : seconds / 10;
    double next_line = 60;
    long rounds = 0;
    while (now() - begin < seconds || rounds < 3) {
        for (int step = 0; step < 4; step++)
            pthread_barrier_wait(&barrier);
        double gone = now() - begin;
        /* The first round finds what it needs: memory, threads, queues. */
        if (rounds++ == 0)
            continue;
        if (gone < span || first.rounds == 0)
            add_round(&first);
        if (gone > seconds - span)
            add_round(&last);
        add_round(&minute);
        if (gone > next_line) {
            printf("%3.0f min: %ld rounds, ratio to memcpy %.4f, resident %ld KiB\n", next_line / 60, rounds,
                   median(minute.ratio, minute.rounds), minute.greatest_kib);
            fflush(stdout);
            minute.rounds = 0;
            next_line += 60;
        }
    }
    if (last.rounds == 0)
        add_round(&last);
    atomic_store(&is_over, true);
    pthread_barrier_wait(&barrier);
    uint64_t called = 0;
    const char *fault = NULL;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        called += worker[i].called;
        fault = fault != NULL ? fault : worker[i].fault;
    }
    double kept = median(last.ratio, last.rounds) / median(first.ratio, first.rounds);
    long growth = last.greatest_kib - first.greatest_kib;
    printf("%.0f s, %d streams, %llu turns in %ld rounds: throughput %.4f of the first (%d and %d rounds), "
           "resident set %ld KiB, %+ld KiB\n",
           now() - begin, THREADS * STREAMS, (unsigned long long)called, rounds, kept, first.rounds,
           last.rounds, last.greatest_kib, growth);
    if (fault != NULL)
        printf("fault: %s\n", fault);
    /* A page table or a stack of a thread may come late; the beginning of a short run has not seen all of
     * them. A byte lost by each turn would be some MiB in seconds. */
    bool is_flat = growth <= (seconds >= 600 ? 1024 : 8192), is_fast = kept >= 1 - loss;
    if (!is_flat)
        printf("fault: the resident set grew\n");
    if (!is_fast)
        printf("fault: throughput fell by more than %g\n", loss);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_destroy(&meeting);
    return aclFinalize() == 0 && fault == NULL && is_flat && is_fast ? 0 : 1;
}
