/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a call costs beside its arithmetic: section calls (idle stream, busy stream, after a pause, memory)
 * and section streams (eight at a time, a small call beside a large operator).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "layout.h"
#include "session.h"

static struct workload contiguous(int gradient, int64_t count)
{
    struct workload workload = workload_of(subject_at(gradient), FP32, count, 1);
    layout_apply(&workload, LAYOUT_CONTIGUOUS);
    session_allocate(&workload);
    data_fill(&workload, DATA_NORMAL);
    return workload;
}

static void emit_ns(const struct session *session, const char *operation, const char *how, int64_t count,
                    const double *ns, size_t samples)
{
    struct row row = session_row(session, SECTION_CALLS, operation, "-", "-", how, count);
    row_add(&row, "ns", quartiles_of(ns, samples));
    session->emit(&row);
}

enum { CALLS_COUNT = 64, BATCH = 100, LARGE_COUNT = 1 << 24 };

static void measure_idle(const struct session *session, struct belay_calls *calls, int samples)
{
    static double ns[SAMPLES_MAX];
    for (int i = 0; i < samples; i++) {
        double begin = wall_ns();
        belay_run(calls, BATCH);
        ns[i] = (wall_ns() - begin) / BATCH;
    }
    emit_ns(session, "leaky_relu", "idle", CALLS_COUNT, ns, (size_t)samples);
}

/* Both phases while something larger is in front in the stream: what queueing costs the caller. */
static void measure_busy(const struct session *session, struct belay_calls *calls, struct belay_calls *large,
                         int samples)
{
    static double ns[SAMPLES_MAX];
    for (int i = 0; i < samples; i++) {
        belay_submit(large);
        double begin = wall_ns();
        for (int k = 0; k < BATCH; k++)
            belay_submit(calls);
        ns[i] = (wall_ns() - begin) / BATCH;
        belay_wait(session->stream);
    }
    emit_ns(session, "leaky_relu", "busy", CALLS_COUNT, ns, (size_t)samples);
}

static void measure_after_pause(const struct session *session, struct belay_calls *calls, int samples)
{
    static double ns[SAMPLES_MAX];
    for (int i = 0; i < samples; i++) {
        pause_ns(10e6);
        double begin = wall_ns();
        belay_run(calls, 1);
        ns[i] = wall_ns() - begin;
    }
    emit_ns(session, "leaky_relu", "after_10_ms", CALLS_COUNT, ns, (size_t)samples);
}

static void measure_memory(const struct session *session, int64_t bytes, int samples)
{
    static double ns[SAMPLES_MAX], share[SAMPLES_MAX];
    for (int i = 0; i < samples; i++) {
        double begin = wall_ns();
        for (int k = 0; k < BATCH; k++)
            belay_free(belay_allocate((size_t)bytes));
        ns[i] = (wall_ns() - begin) / BATCH;
        share[i] = 200 / ns[i];
    }
    struct row row = session_row(session, SECTION_CALLS, "malloc_free", "-", "-", "repeated", bytes);
    row_add(&row, "ns", quartiles_of(ns, (size_t)samples));
    row_add(&row, "200-ns", quartiles_of(share, (size_t)samples));
    session->emit(&row);
}

void measure_calls(const struct session *session)
{
    struct workload small = contiguous(LEAKY_RELU, CALLS_COUNT), much = contiguous(SILU, LARGE_COUNT);
    struct belay_calls *calls = belay_prepare(&small, session->stream);
    struct belay_calls *large = belay_prepare(&much, session->stream);
    bool is_quick = session->options.is_quick;
    measure_idle(session, calls, is_quick ? 200 : 2000);
    measure_busy(session, calls, large, is_quick ? 5 : 31);
    measure_after_pause(session, calls, is_quick ? 20 : 100);
    measure_memory(session, 1 << 12, is_quick ? 100 : 1000);
    measure_memory(session, 1 << 20, is_quick ? 100 : 1000);
    measure_memory(session, 1 << 28, is_quick ? 100 : 1000);
    belay_release(calls);
    belay_release(large);
    session_free(&small);
    session_free(&much);
}

enum { STREAMS = 8, MIX = 8 };

/* A stream and the operators that one thread or all of them send to it. */
struct lane {
    struct workload workload[MIX];
    struct belay_calls *calls[MIX];
    aclrtStream stream;
    pthread_t thread;
    pthread_barrier_t *begin;
    int passes;
};

static void lane_open(struct lane *lane)
{
    lane->stream = belay_create_stream();
    for (int i = 0; i < MIX; i++) {
        lane->workload[i] = contiguous(i % GRADIENTS, 64 << i / 2); /* 64 to 512 */
        lane->calls[i] = belay_prepare(&lane->workload[i], lane->stream);
    }
}

static void lane_close(struct lane *lane)
{
    for (int i = 0; i < MIX; i++) {
        belay_release(lane->calls[i]);
        session_free(&lane->workload[i]);
    }
    belay_check(aclrtDestroyStream(lane->stream), "aclrtDestroyStream");
}

/* Sends the mix passes times to each of the lanes in turn and waits for all. */
static void run_lanes(struct lane *lanes, int count, int passes)
{
    for (int pass = 0; pass < passes; pass++)
        for (int i = 0; i < MIX; i++)
            for (int k = 0; k < count; k++)
                belay_submit(lanes[k].calls[i]);
    for (int k = 0; k < count; k++)
        belay_wait(lanes[k].stream);
}

static void *lane_thread(void *argument)
{
    struct lane *lane = argument;
    belay_check(aclrtSetDevice(0), "aclrtSetDevice");
    pthread_barrier_wait(lane->begin);
    run_lanes(lane, 1, lane->passes);
    return NULL;
}

/* One thread per stream; the time from the moment when all have begun. */
static double run_threads(struct lane *lanes, int passes)
{
    pthread_barrier_t begin;
    pthread_barrier_init(&begin, NULL, STREAMS + 1);
    for (int k = 0; k < STREAMS; k++) {
        lanes[k].begin = &begin;
        lanes[k].passes = passes;
        belay_check(pthread_create(&lanes[k].thread, NULL, lane_thread, &lanes[k]), "pthread_create");
    }
    pthread_barrier_wait(&begin);
    double time = wall_ns();
    for (int k = 0; k < STREAMS; k++)
        pthread_join(lanes[k].thread, NULL);
    time = wall_ns() - time;
    pthread_barrier_destroy(&begin);
    return time;
}

/*
 * Operators per second and core, against one thread with one stream: eight streams that one thread feeds, and
 * eight threads with a stream each.
 */
static void measure_eight(const struct session *session, int processors)
{
    static double one[ROUNDS_MAX], round_robin[ROUNDS_MAX], threads[ROUNDS_MAX];
    static double one_processor[ROUNDS_MAX], threads_processor[ROUNDS_MAX];
    struct lane lanes[STREAMS];
    for (int k = 0; k < STREAMS; k++)
        lane_open(&lanes[k]);
    int rounds = session->options.is_quick ? 7 : 31, passes = session->options.is_quick ? 500 : 2000;
    int cores = processors < STREAMS ? processors : STREAMS;
    for (int round = -1; round < rounds; round++) {
        int place = round < 0 ? 0 : round;
        double begin = wall_ns(), processor = processor_ns();
        run_lanes(lanes, 1, passes * STREAMS);
        one[place] = wall_ns() - begin;
        one_processor[place] = processor_ns() - processor;
        begin = wall_ns();
        run_lanes(lanes, STREAMS, passes);
        round_robin[place] = wall_ns() - begin;
        processor = processor_ns();
        threads[place] = run_threads(lanes, passes) * cores;
        threads_processor[place] = processor_ns() - processor;
    }
    double operators = (double)passes * STREAMS * MIX;
    struct row row = session_row(session, SECTION_STREAMS, "mixed", "fp32", "-", "one_stream", 0);
    struct quartiles ns = quartiles_of(one, (size_t)rounds);
    row_add(&row, "ns",
            (struct quartiles){ns.lower / operators, ns.median / operators, ns.upper / operators});
    session->emit(&row);
    struct row eight = session_row(session, SECTION_STREAMS, "mixed", "fp32", "-", "eight_streams", 0);
    row_add(&eight, "per-core", ratio_of(one, round_robin, (size_t)rounds, 1));
    session->emit(&eight);
    struct row parallel = session_row(session, SECTION_STREAMS, "mixed", "fp32", "-", "eight_threads", 0);
    row_add(&parallel, "per-core", ratio_of(one, threads, (size_t)rounds, 1));
    /* What is left of it where other programs take the processors, too. */
    row_add(&parallel, "per processor time", ratio_of(one_processor, threads_processor, (size_t)rounds, 1));
    session->emit(&parallel);
    for (int k = 0; k < STREAMS; k++)
        lane_close(&lanes[k]);
}

/* Single calls, timed one by one; while_busy ends when the large operator has. */
static size_t time_calls(struct belay_calls *calls, aclrtStream busy, double *ns, size_t begin, size_t end)
{
    size_t at = begin;
    while (at < end) {
        double start = wall_ns();
        belay_run(calls, 1);
        ns[at++] = wall_ns() - start;
        if (busy && at % 64 == 0) {
            aclrtStreamStatus status;
            belay_check(aclrtStreamQuery(busy, &status), "aclrtStreamQuery");
            if (status == ACL_STREAM_STATUS_COMPLETE)
                break;
        }
    }
    return at;
}

static void emit_latency(const struct session *session, const char *how, const double *ns, size_t count,
                         const double *idle, size_t idle_count)
{
    struct row row = session_row(session, SECTION_STREAMS, "latency", "fp32", "-", how, CALLS_COUNT);
    double p50 = quantile(ns, count, 0.5), p99 = quantile(ns, count, 0.99);
    row_add(&row, "p50 ns", (struct quartiles){p50, p50, p50});
    row_add(&row, "p99 ns", (struct quartiles){p99, p99, p99});
    if (idle) {
        double ratio = quantile(idle, idle_count, 0.99) / p99;
        row_add(&row, "idle-p99/p99", (struct quartiles){ratio, ratio, ratio});
    }
    session->emit(&row);
}

static void measure_latency(const struct session *session)
{
    static double idle[SAMPLES_MAX], busy[SAMPLES_MAX];
    struct workload small = contiguous(LEAKY_RELU, CALLS_COUNT);
    struct workload much = contiguous(SILU, session->options.is_quick ? 1 << 24 : 1 << 26);
    aclrtStream other = belay_create_stream();
    struct belay_calls *calls = belay_prepare(&small, session->stream), *large = belay_prepare(&much, other);
    size_t idle_count = time_calls(calls, NULL, idle, 0, SAMPLES_MAX), busy_count = 0;
    for (int attempt = 0; attempt < 5 && busy_count < SAMPLES_MAX; attempt++) {
        size_t end = (size_t)(attempt + 1) * SAMPLES_MAX / 5;
        belay_submit(large);
        busy_count = time_calls(calls, other, busy, busy_count, end);
        belay_wait(other);
    }
    emit_latency(session, "idle", idle, idle_count, NULL, 0);
    emit_latency(session, "beside_64M", busy, busy_count, idle, idle_count);
    belay_release(calls);
    belay_release(large);
    belay_check(aclrtDestroyStream(other), "aclrtDestroyStream");
    session_free(&small);
    session_free(&much);
}

void measure_streams(const struct session *session)
{
    measure_eight(session, session->threads);
    measure_latency(session);
}
