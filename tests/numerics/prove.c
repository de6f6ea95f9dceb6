/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * prove: runs kernels over all inputs, or over one in so many, judges every result and prints one line each:
 * operator, dtype, accuracy, instruction set, inputs tried, wrong results, greatest error and where. The exit
 * status is 1 if any result was not as promised.
 */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "numerics/draw.h"
#include "numerics/fingerprints.h"
#include "numerics/kernel_table.h"
#include "numerics/proof.h"
#include "numerics/proved.h"

/* A part of a job, while threads work on it. */
struct work {
    const struct job *job;
    kernel_set kernels;
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t ended;
    uint64_t next, end; /* blocks */
    int running;
    struct verdict verdict[ACCURACY_COUNT][ISA_KERNEL_LEVELS];
};

/* The arrays of one thread. */
struct arrays {
    void *input[INPUTS_MAX];
    void *output[ACCURACY_COUNT * ISA_KERNEL_LEVELS];
};

static void run_kernel(const struct task *task, kernel_function *run, const struct arrays *arrays,
                       void *output, bool streams)
{
    const struct kernel_parameters parameters = parameters_of(task);
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    run(source, output, SWEEP_BLOCK, &parameters, streams);
}

/* The kernels on one block. Results that are the same bits get the same verdict. */
static void prove_block(const struct job *job, kernel_set kernels, struct judge *judge, uint64_t block,
                        const struct arrays *arrays, struct verdict (*sum)[ISA_KERNEL_LEVELS])
{
    enum { KERNELS_MAX = ACCURACY_COUNT * ISA_KERNEL_LEVELS };
    const enum arithmetic dtype = job->sweep.task.dtype;
    const size_t bytes = SWEEP_BLOCK * (size_t)formats[dtype].bits / 8;
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    kernel_function *function[KERNELS_MAX];
    struct verdict verdict[KERNELS_MAX];
    int judged = 0;
    judge->task = sweep_task(&job->sweep, block);
    sweep_fill(&job->sweep, block, arrays->input);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
            if (!(kernels & kernel_bit(accuracy, level)))
                continue;
            kernel_function *run = kernel_table[judge->task.stem][level]->run[accuracy][dtype];
            int same = 0;
            while (same < judged && function[same] != run)
                same++;
            if (same == judged) {
                /* Every second block the way that is for large arrays. */
                run_kernel(&judge->task, run, arrays, arrays->output[judged], block % 2);
                function[judged] = run;
                int equal = 0;
                while (equal < judged && memcmp(arrays->output[equal], arrays->output[judged], bytes) != 0)
                    equal++;
                if (equal < judged) {
                    verdict[judged] = verdict[equal];
                } else {
                    verdict[judged] = (struct verdict){0};
                    judge_results(judge, source, arrays->output[judged], SWEEP_BLOCK, &verdict[judged]);
                }
                judged++;
            }
            verdict_add(&sum[accuracy][level], &verdict[same]);
        }
}

static void *work_on(void *argument)
{
    struct work *work = argument;
    const struct sweep *sweep = &work->job->sweep;
    static const struct verdict none[ACCURACY_COUNT][ISA_KERNEL_LEVELS];
    struct arrays arrays;
    struct judge judge;
    for (int i = 0; i < INPUTS_MAX; i++)
        if (!(arrays.input[i] = malloc(SWEEP_BLOCK * sizeof(uint64_t))))
            abort();
    for (int i = 0; i < ACCURACY_COUNT * ISA_KERNEL_LEVELS; i++)
        if (!(arrays.output[i] = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
            abort();
    judge_init(&judge, &sweep->task);
    pthread_mutex_lock(&work->lock);
    while (work->next < work->end) {
        uint64_t first = work->next;
        work->next += sweep->stride;
        pthread_mutex_unlock(&work->lock);
        struct verdict verdict[ACCURACY_COUNT][ISA_KERNEL_LEVELS];
        memcpy(verdict, none, sizeof verdict);
        prove_block(work->job, work->kernels, &judge, sweep_pick(sweep, first), &arrays, verdict);
        pthread_mutex_lock(&work->lock);
        for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
            for (int level = 0; level < ISA_KERNEL_LEVELS; level++)
                verdict_add(&work->verdict[accuracy][level], &verdict[accuracy][level]);
    }
    work->running--;
    pthread_cond_signal(&work->ended);
    pthread_mutex_unlock(&work->lock);
    judge_release(&judge);
    for (int i = 0; i < INPUTS_MAX; i++)
        free(arrays.input[i]);
    for (int i = 0; i < ACCURACY_COUNT * ISA_KERNEL_LEVELS; i++)
        free(arrays.output[i]);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* How the whole proof stands. A cost is a rough guess in nanoseconds of one thread. */
struct progress {
    double start, cost_done, cost_left;
    bool is_shown;
};

static double cost_of(const struct job *job, uint64_t blocks)
{
    return (double)(blocks / job->sweep.stride) * SWEEP_BLOCK * (job->sweep.kind == SWEEP_TUPLES ? 60 : 12);
}

static uint64_t part_end(const struct job *job, uint64_t part)
{
    uint64_t end = (part + 1) * PART_BLOCKS * job->sweep.stride;
    return end < job->sweep.blocks ? end : job->sweep.blocks;
}

static uint64_t part_begin(const struct job *job, uint64_t part)
{
    return part * PART_BLOCKS * job->sweep.stride;
}

/* One line on the terminal, over and over. */
static void show_progress(const struct progress *progress, const struct job *job, double share,
                          double part_cost)
{
    double gone = now() - progress->start, done = progress->cost_done + share * part_cost;
    double left = gone * (progress->cost_left - share * part_cost) / (done > 0 ? done : 1);
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    fprintf(stderr, "\r\033[K%3.0f %%, %.0f min gone",
            100 * done / (progress->cost_done + progress->cost_left), gone / 60);
    if (done > 0)
        fprintf(stderr, ", about %.0f min left", left / 60);
    fprintf(stderr, ": %s %s %s %s", reference_operator_names[job->sweep.task.stem],
            formats[job->sweep.task.dtype].name, sweep_kind_names[job->sweep.kind], detail);
    fflush(stderr);
}

static void run_part(struct proof *proof, struct job *job, uint64_t part, int threads,
                     struct progress *progress)
{
    struct work work = {.job = job,
                        .kernels = kernels_left(job, part),
                        .next = part_begin(job, part),
                        .end = part_end(job, part),
                        .running = threads};
    const uint64_t begin = work.next;
    const double start = now(), cost = cost_of(job, work.end - begin);
    pthread_t thread[64];
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&work.lock, NULL);
    pthread_cond_init(&work.ended, &attributes);
    pthread_condattr_destroy(&attributes);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work_on, &work))
            abort();
    pthread_mutex_lock(&work.lock);
    while (work.running > 0) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&work.ended, &work.lock, &until);
        uint64_t reached = work.next < work.end ? work.next : work.end;
        if (progress->is_shown)
            show_progress(progress, job, (double)(reached - begin) / (double)(work.end - begin), cost);
    }
    pthread_mutex_unlock(&work.lock);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    pthread_cond_destroy(&work.ended);
    pthread_mutex_destroy(&work.lock);
    progress->cost_done += cost;
    progress->cost_left -= cost;
    add_part(proof, job, part, work.kernels, (const struct verdict(*)[ISA_KERNEL_LEVELS])work.verdict,
             now() - start);
}

/* Whether all that was found is as promised. */
static bool run_jobs(struct proof *proof, const struct options *options)
{
    struct progress progress = {.start = now(), .is_shown = isatty(STDERR_FILENO) && !options->is_quiet};
    bool is_good = true;
    for (unsigned i = 0; i < proof->count; i++)
        for (uint64_t part = 0; part < proof->jobs[i].parts; part++)
            if (kernels_left(&proof->jobs[i], part) != 0) {
                const struct job *job = &proof->jobs[i];
                progress.cost_left += cost_of(job, part_end(job, part) - part_begin(job, part));
            }
    for (unsigned i = 0; i < proof->count; i++) {
        struct job *job = &proof->jobs[i];
        for (uint64_t part = 0; part < job->parts; part++)
            if (kernels_left(job, part) != 0) {
                run_part(proof, job, part, options->threads, &progress);
                write_report(proof);
            }
        if (progress.is_shown)
            fputs("\r\033[K", stderr);
        for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
            for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
                const struct result *result = &job->result[accuracy][level];
                if (!result->is_wanted)
                    continue;
                print_result(stdout, job, (enum accuracy)accuracy, (enum isa_level)level);
                is_good = is_good && is_kept(job, (enum accuracy)accuracy, &result->verdict);
            }
        fflush(stdout);
    }
    write_report(proof);
    return is_good;
}

/* Of the operator's kernels on all levels and of what judges them: results of others are worth nothing here,
 * and a change to one operator leaves those of the others. */
static uint64_t fingerprint_of(enum reference_operator stem)
{
    for (unsigned i = 0; i < sizeof fingerprints / sizeof *fingerprints; i++)
        if (strcmp(fingerprints[i].stem, kernels_name(stem)) == 0)
            return fingerprints[i].hash;
    fprintf(stderr, "prove: %s has no kernels\n", reference_operator_names[stem]);
    exit(2);
}

static uint32_t kernels_of(enum reference_operator stem)
{
    return (uint32_t)(fingerprint_of(stem) >> 32);
}

/* Adds the chosen jobs of one operator and dtype. */
static void add_jobs(struct proof *proof, const struct options *options, enum reference_operator stem,
                     enum arithmetic dtype)
{
    struct sweep sweeps[VARIANTS_MAX * SWEEP_KINDS];
    unsigned count = sweeps_of(sweeps, stem, dtype, options->stride, options->tuples, options->variants);
    for (unsigned i = 0; i < count; i++) {
        struct job job = {.sweep = sweeps[i], .fingerprint = fingerprint_of(stem)};
        bool is_any = false;
        for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
            for (int level = 0; level <= (int)processor_kernel_level(); level++) {
                bool is_wanted = (options->kind < 0 || options->kind == (int)sweeps[i].kind) &&
                                 (options->accuracy < 0 || options->accuracy == accuracy) &&
                                 (options->level < 0 || options->level == level) &&
                                 kernel_table[stem][level]->run[accuracy][dtype];
                job.result[accuracy][level].is_wanted = is_wanted;
                is_any = is_any || is_wanted;
            }
        uint64_t part = PART_BLOCKS * job.sweep.stride;
        job.parts = (job.sweep.blocks + part - 1) / part;
        if (is_any)
            add_job(proof, &job);
    }
}

/* Pairs first, then lines, then tuples; within those, smooth L1, which has many, last. */
static int order_of(const struct job *job)
{
    return (int)job->sweep.kind * 2 + (has_beta(job->sweep.task.stem) ? 1 : 0);
}

static int compare_jobs(const void *a, const void *b)
{
    const struct job *first = a, *second = b;
    int order = order_of(first) - order_of(second);
    return order != 0 ? order : (int)first->sweep.task.stem - (int)second->sweep.task.stem;
}

static int index_of(const char *name, const char *const *names, int count, struct argp_state *state)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    argp_error(state, "%s is not known", name);
    return -1;
}

static uint64_t number(const char *text, struct argp_state *state)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || *end || end == text || !(value >= 1 && value <= 1e18))
        argp_error(state, "%s is no number from 1 to 1e18", text);
    return (uint64_t)value;
}

struct choices {
    struct options options;
    struct proof proof;
    bool is_record;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct choices *choices = state->input;
    struct options *options = &choices->options;
    const char *dtypes[ARITHMETICS], *levels[ISA_KERNEL_LEVELS];
    for (int i = 0; i < ARITHMETICS; i++)
        dtypes[i] = formats[i].name;
    for (int i = 0; i < ISA_KERNEL_LEVELS; i++)
        levels[i] = isa_level_name((enum isa_level)i);
    switch (key) {
    case 'o':
        options->stem = index_of(text, reference_operator_names, PROVED_OPERATORS, state);
        return 0;
    case 'd':
        options->dtype = index_of(text, dtypes, ARITHMETICS, state);
        return 0;
    case 'a':
        options->accuracy = index_of(text, accuracy_names, ACCURACY_COUNT, state);
        return 0;
    case 'i':
        options->level = strcmp(text, "highest") == 0
                             ? (int)processor_kernel_level()
                             : index_of(text, levels, (int)processor_kernel_level() + 1, state);
        return 0;
    case 's':
        options->kind = index_of(text, sweep_kind_names, SWEEP_KINDS, state);
        return 0;
    case 'k':
        options->stride = number(text, state);
        return 0;
    case 't':
        options->tuples = number(text, state);
        return 0;
    case 'v':
        options->variants = number(text, state);
        return 0;
    case 'j':
        options->threads = (int)(number(text, state) < 64 ? number(text, state) : 64);
        return 0;
    case 'q':
        options->is_quiet = true;
        return 0;
    case 'D':
        options->digests = text;
        return 0;
    case 'S':
        options->is_sample = true;
        return 0;
    case 'M':
        options->is_mixed = true;
        return 0;
    case 'B':
        options->blocks_to = text;
        return 0;
    case 'R':
        choices->is_record = true;
        return 0;
    case 'f':
        choices->proof.state_path = text;
        return 0;
    case 'r':
        choices->proof.report_path = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int count, char **arguments)
{
    static const struct argp_option known[] = {
        {"operator", 'o', "STEM", 0, "Only this operator", 0},
        {"dtype", 'd', "DTYPE", 0, "Only this dtype", 0},
        {"accuracy", 'a', "LEVEL", 0, "Only default or exact", 0},
        {"isa", 'i', "LEVEL", 0, "Only this instruction-set level, or only the highest", 0},
        {"sweep", 's', "KIND", 0, "Only pairs, line or tuples", 0},
        {"stride", 'k', "COUNT", 0, "Of the pairs and lines, one block of 65536 in COUNT (1: all)", 0},
        {"tuples", 't', "COUNT", 0, "Random tuples per operator and dtype (1e6)", 0},
        {"variants", 'v', "COUNT", 0, "Attribute sets of smooth L1 in pairs and lines, at most 30", 0},
        {"threads", 'j', "COUNT", 0, "Threads (1)", 0},
        {"digest", 'D', "FILE", 0,
         "Judge nothing: compare digests of the results with those in FILE, of results that were judged", 0},
        {"sample", 'S', NULL, 0, "With --digest: only some blocks of each sweep", 0},
        {"mixed", 'M', NULL, 0, "With --digest: other elements stand between those of each block", 0},
        {"blocks", 'B', "FOLDER", 0, "With --digest: write the digest of each block there", 0},
        {"record", 'R', NULL, 0,
         "Judge nothing: print the digests of the sweeps that are judged already, as --state says", 0},
        {"state", 'f', "FILE", 0, "Keep what is done in FILE and go on from there", 0},
        {"report", 'r', "PATH", 0, "Write PATH.txt and PATH.json", 0},
        {"quiet", 'q', NULL, 0, "Do not show progress", 0},
        {0},
    };
    const struct argp parser = {known, parse, NULL, "Judges the kernels over all their inputs.", 0, 0, 0};
    struct choices choices = {
        .options = {-1, -1, -1, -1, -1, .stride = 1, .tuples = 1000000, .variants = 30, .threads = 1},
    };
    struct proof *proof = &choices.proof;
    argp_parse(&parser, count, arguments, 0, NULL, &choices);
    if (choices.options.digests)
        return compare_digests(&choices.options, kernels_of) ? 0 : 1;
    for (int stem = 0; stem < PROVED_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            if ((choices.options.stem < 0 || choices.options.stem == stem) &&
                (choices.options.dtype < 0 || choices.options.dtype == dtype))
                add_jobs(proof, &choices.options, (enum reference_operator)stem, (enum arithmetic)dtype);
    if (proof->count > 1)
        qsort(proof->jobs, proof->count, sizeof *proof->jobs, compare_jobs);
    load_state(proof);
    bool is_good =
        choices.is_record ? print_digests(proof, &choices.options) : run_jobs(proof, &choices.options);
    release_proof(proof);
    return is_good ? 0 : 1;
}
