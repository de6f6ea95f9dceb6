/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A request is one byte, NEXT or SAMPLE; the answer to SAMPLE is a double. Both sides go through the same
 * list of workloads.
 */
#include "lockstep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data.h"
#include "layout.h"

enum { SAMPLE = 's', NEXT = 'n', CASES_MAX = 64 };

/*
 * Where the pages of a library lie in memory is good for several nanoseconds of a call, and does not change
 * while its file is in the system's cache. What checks cost is therefore the median of several pairs of
 * processes that have copies of the libraries.
 */
enum { COPIES = 9, COPIES_QUICK = 3, ROUNDS_OF_COPY = 9 };

/*
 * The library remembers a call and takes a short way when the next one is the same, past most of the checks.
 * Calls that take turns with so many others, on tensors of their own, are new each time.
 */
enum { CALLS_IN_TURN = 32 };

/* Only work that takes one thread this long is asked to be faster on two. */
static const double SPEEDUP_FROM_NS = 10e3;

struct lockstep_case {
    int gradient;
    enum dtype dtype;
    int64_t count;
    const char *data; /* what the rows say of the data or the calls */
    int calls;        /* that take turns */
};

static int list_cases(const struct options *options, enum section section, struct lockstep_case *cases)
{
    if (section == SECTION_CHECKS) {
        cases[0] = (struct lockstep_case){LEAKY_RELU, FP32, 256, "new calls", CALLS_IN_TURN};
        cases[1] = (struct lockstep_case){LEAKY_RELU, FP32, 256, "same call", 1};
        return 2;
    }
    static const int64_t counts[] = {1 << 16, 1 << 18};
    int count = 0;
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
            for (int i = 0; i < 2; i++)
                if (options->has_subject[gradient] && options->has_dtype[dtype] &&
                    subject_has_dtype(subject_at(gradient), dtype))
                    cases[count++] = (struct lockstep_case){gradient, dtype, counts[i], "normal", 1};
    return count;
}

/* Calls over the same memory that are made in turn. */
struct turns {
    struct belay_calls *calls[CALLS_IN_TURN];
    int count;
};

static void run(const struct turns *turns, uint64_t repetitions)
{
    if (turns->count == 1)
        belay_run(turns->calls[0], repetitions);
    else
        for (uint64_t i = 0; i < repetitions; i++)
            belay_run(turns->calls[i % (uint64_t)turns->count], 1);
}

int lockstep_serve(const struct session *session, enum section section)
{
    struct lockstep_case cases[CASES_MAX];
    int count = list_cases(&session->options, section, cases);
    /* Two threads share their work, so only what runs on one is told by the processor's time. */
    double (*now)(void) = section == SECTION_SPEEDUP ? wall_ns : processor_ns;
    for (int i = 0; i < count; i++) {
        struct workload workload =
            workload_of(subject_at(cases[i].gradient), cases[i].dtype, cases[i].count, session->threads);
        layout_apply(&workload, LAYOUT_CONTIGUOUS);
        session_allocate(&workload);
        data_fill(&workload, DATA_NORMAL);
        struct turns turns = {.count = cases[i].calls};
        for (int k = 0; k < turns.count; k++)
            turns.calls[k] = belay_prepare(&workload, session->stream);
        uint64_t repetitions = 1;
        double ns = 0, enough = session->options.is_quick ? 0.5e6 : 2e6;
        while (ns < enough) {
            repetitions *= 2;
            ns = now();
            run(&turns, repetitions);
            ns = now() - ns;
        }
        for (;;) {
            char request;
            if (read(STDIN_FILENO, &request, 1) != 1)
                return 0;
            if (request == NEXT)
                break;
            run(&turns, 3);
            ns = now();
            run(&turns, repetitions);
            ns = (now() - ns) / (double)repetitions;
            if (write(STDOUT_FILENO, &ns, sizeof ns) != sizeof ns)
                return 1;
        }
        for (int k = 0; k < turns.count; k++)
            belay_release(turns.calls[k]);
        session_free(&workload);
    }
    return 0;
}

struct partner {
    pid_t process;
    int requests, answers;
};

static void fail_partner(const char *what)
{
    fprintf(stderr, "bench: %s: a process that measures in turns does not answer\n", what);
    exit(2);
}

/* libraries: a folder of those that the process uses, or NULL for the program's own. */
static struct partner partner_start(const char *program, const struct session *session, enum section section,
                                    int threads, const char *libraries)
{
    int requests[2], answers[2];
    char operators[128] = "", dtypes[64] = "", text[16];
    for (int gradient = 0; gradient < GRADIENTS; gradient++)
        if (session->options.has_subject[gradient])
            snprintf(operators + strlen(operators), sizeof operators - strlen(operators), "%s%s",
                     operators[0] ? "," : "", subject_at(gradient)->name);
    for (enum dtype dtype = 0; dtype < DTYPES; dtype++)
        if (session->options.has_dtype[dtype])
            snprintf(dtypes + strlen(dtypes), sizeof dtypes - strlen(dtypes), "%s%s", dtypes[0] ? "," : "",
                     workload_dtype_name(dtype));
    snprintf(text, sizeof text, "%d", threads);
    if (pipe(requests) != 0 || pipe(answers) != 0)
        fail_partner(program);
    pid_t process = fork();
    if (process == 0) {
        dup2(requests[0], STDIN_FILENO);
        dup2(answers[1], STDOUT_FILENO);
        close(requests[1]);
        close(answers[0]);
        setenv("BELAY_THREADS", text, 1);
        if (libraries)
            setenv("LD_LIBRARY_PATH", libraries, 1);
        execl(program, program, "--serve", section_name(section), "--threads", text, "--operators", operators,
              "--dtypes", dtypes, session->options.is_quick ? "--quick" : NULL, (char *)NULL);
        _exit(127);
    }
    close(requests[0]);
    close(answers[1]);
    if (process < 0)
        fail_partner(program);
    return (struct partner){process, requests[1], answers[0]};
}

static double ask(const struct partner *partner)
{
    char request = SAMPLE;
    double ns = 0;
    if (write(partner->requests, &request, 1) != 1 || read(partner->answers, &ns, sizeof ns) != sizeof ns)
        fail_partner("lockstep");
    return ns;
}

static void finish(const struct partner *partner)
{
    int status;
    close(partner->requests);
    close(partner->answers);
    waitpid(partner->process, &status, 0);
}

/* How often the cost goes into what is allowed: 5 ns or 10 %. */
static double allowed_share(double cost, double without)
{
    double allowed = without / 10 > 5 ? without / 10 : 5;
    return allowed / (cost > 0.1 ? cost : 0.1);
}

/* The rows of one workload: the times of both, and what they are to one another. */
static void emit_case(const struct session *session, enum section section, const struct lockstep_case *one,
                      const double *first, const double *second, size_t rounds)
{
    struct row row = session_row(session, section, subject_at(one->gradient)->name,
                                 workload_dtype_name(one->dtype), "contiguous", one->data, one->count);
    row.threads = section == SECTION_SPEEDUP ? 2 : 1;
    struct quartiles a = quartiles_of(first, rounds), b = quartiles_of(second, rounds);
    if (section == SECTION_SPEEDUP) {
        row_add(&row, "1 thread ns", a);
        row_add(&row, "2 threads ns", b);
        struct quartiles ratio = ratio_of(first, second, rounds, 1);
        row_add(&row, a.lower >= SPEEDUP_FROM_NS ? "speedup" : "speedup-below-10-us", ratio);
    } else {
        static double cost[ROUNDS_MAX];
        for (size_t i = 0; i < rounds; i++)
            cost[i] = first[i] - second[i];
        struct quartiles all = quartiles_of(cost, rounds);
        row_add(&row, "with checks ns", a);
        row_add(&row, "without ns", b);
        row_add(&row, "cost ns", all);
        row_add(&row, "allowed/cost",
                (struct quartiles){allowed_share(all.upper, b.median), allowed_share(all.median, b.median),
                                   allowed_share(all.lower, b.median)});
    }
    session->emit(&row);
}

/* The rounds of one case; both go on to the next one. */
static void take_turns(const struct partner *partner, int rounds, double (*ns)[ROUNDS_MAX])
{
    for (int round = -1; round < rounds; round++)
        for (int k = 0; k < 2; k++) {
            int which = (k + round + 1) % 2;
            ns[which][round < 0 ? 0 : round] = ask(&partner[which]);
        }
    char request = NEXT;
    for (int k = 0; k < 2; k++)
        if (write(partner[k].requests, &request, 1) != 1)
            fail_partner("lockstep");
}

static void measure_speedup(const struct session *session, const char *program)
{
    struct lockstep_case cases[CASES_MAX];
    int count = list_cases(&session->options, SECTION_SPEEDUP, cases);
    int rounds = session->options.is_quick ? 9 : 41;
    const struct partner partner[2] = {partner_start(program, session, SECTION_SPEEDUP, 1, NULL),
                                       partner_start(program, session, SECTION_SPEEDUP, 2, NULL)};
    for (int i = 0; i < count; i++) {
        static double ns[2][ROUNDS_MAX];
        take_turns(partner, rounds, ns);
        emit_case(session, SECTION_SPEEDUP, &cases[i], ns[0], ns[1], (size_t)rounds);
    }
    for (int k = 0; k < 2; k++)
        finish(&partner[k]);
}

static void run_command(const char *command)
{
    if (system(command) != 0)
        fail_partner(command);
}

/* A process that has copies of the program's libraries, which are gone when it answers. */
static struct partner start_with_copies(const char *program, const struct session *session)
{
    char folder[] = "/tmp/belay-bench-XXXXXX", command[1024];
    if (mkdtemp(folder) == NULL)
        fail_partner(folder);
    snprintf(command, sizeof command,
             "cd \"$(dirname '%s')/../lib64\" && cp libascendcl.so libnnopbase.so libopapi.so %s", program,
             folder);
    run_command(command);
    struct partner partner = partner_start(program, session, SECTION_CHECKS, 1, folder);
    ask(&partner);
    snprintf(command, sizeof command, "rm -r %s", folder);
    run_command(command);
    return partner;
}

static void measure_checks(const struct session *session, const char *program, const char *other)
{
    struct lockstep_case cases[CASES_MAX];
    int count = list_cases(&session->options, SECTION_CHECKS, cases);
    int copies = session->options.is_quick ? COPIES_QUICK : COPIES;
    static double lower[CASES_MAX][2][COPIES];
    for (int copy = 0; copy < copies; copy++) {
        const struct partner partner[2] = {start_with_copies(program, session),
                                           start_with_copies(other, session)};
        for (int i = 0; i < count; i++) {
            static double ns[2][ROUNDS_MAX];
            take_turns(partner, ROUNDS_OF_COPY, ns);
            for (int k = 0; k < 2; k++)
                lower[i][k][copy] = quartiles_of(ns[k], ROUNDS_OF_COPY).lower;
        }
        for (int k = 0; k < 2; k++)
            finish(&partner[k]);
    }
    for (int i = 0; i < count; i++)
        emit_case(session, SECTION_CHECKS, &cases[i], lower[i][0], lower[i][1], (size_t)copies);
}

void lockstep_measure(const struct session *session, enum section section, const char *program,
                      const char *other)
{
    if (section == SECTION_SPEEDUP)
        measure_speedup(session, program);
    else
        measure_checks(session, program, other);
}
