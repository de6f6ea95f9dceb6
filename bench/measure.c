/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Times variants in rounds.
 */
#include "measure.h"

#include <stddef.h>
#include <time.h>

/* Threads of a peer may spin for some milliseconds after its last call, on the processor that others need. */
static const double SETTLE_NS = 4e6;

/* A call longer than this finds none of its data in a cache, so calling it once more before is no use. */
static const double WARM_UP_BELOW_NS = 2e6;

static double clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

double processor_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void pause_ns(double ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1e9)};
    time.tv_nsec = (long)(ns - (double)time.tv_sec * 1e9);
    nanosleep(&time, NULL);
}

/*
 * Time per repetition. In parts, because threads that wait for one another on a busy machine may take a
 * thousand times as long as they did when the number of repetitions was chosen: then fewer must do.
 */
static double sample(struct variant *variant, const struct measure_plan *plan)
{
    enum { PARTS = 8 };
    double (*now)(void) = plan->threads == 1 ? processor_ns : wall_ns;
    uint64_t part = variant->repetitions / PARTS + 1, done = 0;
    double begin = now(), ns = 0;
    while (done < variant->repetitions && ns < 10 * plan->sample_ns) {
        uint64_t left = variant->repetitions - done;
        uint64_t repetitions = left < part ? left : part;
        variant->run(variant->context, repetitions);
        done += repetitions;
        ns = now() - begin;
    }
    return ns / (double)done;
}

/* As many repetitions as fill a sample; the first calls also load code and touch pages. */
static void choose_repetitions(struct variant *variant, const struct measure_plan *plan)
{
    variant->repetitions = 1;
    sample(variant, plan);
    for (;;) {
        double ns = sample(variant, plan) * (double)variant->repetitions; /* as if none had been left out */
        if (ns >= plan->sample_ns / 4 || variant->repetitions >= (uint64_t)1 << 30) {
            double factor = plan->sample_ns / (ns > 1 ? ns : 1);
            if (factor > 1)
                variant->repetitions = (uint64_t)((double)variant->repetitions * factor) + 1;
            return;
        }
        variant->repetitions *= 4;
    }
}

int measure_rounds(struct variant *variants, int count, const struct measure_plan *plan)
{
    for (int i = 0; i < count; i++)
        choose_repetitions(&variants[i], plan);

    double begin = wall_ns();
    int rounds = 0;
    for (int round = -1; round < plan->rounds; round++) {
        if (round >= plan->rounds_min && wall_ns() - begin > plan->budget_ns)
            break;
        for (int i = 0; i < count; i++) {
            struct variant *variant = &variants[(i + round + 1) % count];
            if (plan->threads > 1)
                pause_ns(SETTLE_NS);
            if (round < 0 || variant->ns[0] < WARM_UP_BELOW_NS)
                variant->run(variant->context, variant->repetitions > 3 ? 3 : 1);
            variant->ns[round < 0 ? 0 : round] = sample(variant, plan);
        }
        rounds = round + 1;
    }
    return rounds;
}
