/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/proved.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "numerics/kernel_table.h"

/* A sample has at most so many blocks: enough to see that the file tells of these kernels. */
enum { SAMPLE_BLOCKS = 4, DIGEST_DIGITS = 32, RUNS_MAX = ACCURACY_COUNT * ISA_LEVELS };

/* One kernel over a sweep. */
struct run {
    kernel_function *function;
    XXH128_canonical_t *blocks; /* of those that are tried, in order */
    char digest[DIGEST_DIGITS + 1];
};

/* The kernels of a sweep, each once, and who they are. */
struct runs {
    struct run run[RUNS_MAX];
    int count;
    int of[ACCURACY_COUNT][ISA_LEVELS]; /* -1: not chosen, or there is none */
};

/* What the threads work on. */
struct work {
    const struct sweep *sweep;
    struct runs *runs;
    uint64_t count;
    atomic_uint_fast64_t next;
};

/* Inputs and results of one block. */
struct arrays {
    void *input[INPUTS_MAX], *output;
};

static void allocate(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++)
        if (!(arrays->input[i] = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
            abort();
    if (!(arrays->output = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
        abort();
}

static void release(struct arrays *arrays)
{
    for (int i = 0; i < INPUTS_MAX; i++)
        free(arrays->input[i]);
    free(arrays->output);
}

static size_t result_bytes(const struct sweep *sweep)
{
    return SWEEP_BLOCK * (size_t)formats[sweep->task.dtype].bits / 8;
}

static uint64_t blocks_tried(const struct sweep *sweep)
{
    return (sweep->blocks + sweep->stride - 1) / sweep->stride;
}

/* On inputs that are there already. As prove does it, every second block the way that is for large arrays. */
static void run_kernel(const struct task *task, kernel_function *function, uint64_t block,
                       const struct arrays *arrays)
{
    const struct kernel_parameters parameters = parameters_of(task);
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    function(source, arrays->output, SWEEP_BLOCK, &parameters, block % 2);
}

static void *work_on(void *argument)
{
    struct work *work = argument;
    const size_t bytes = result_bytes(work->sweep);
    struct arrays arrays;
    allocate(&arrays);
    for (uint64_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) {
        const uint64_t block = sweep_pick(work->sweep, i * work->sweep->stride);
        const struct task task = sweep_task(work->sweep, block);
        sweep_fill(work->sweep, block, arrays.input);
        for (int j = 0; j < work->runs->count; j++) {
            struct run *run = &work->runs->run[j];
            run_kernel(&task, run->function, block, &arrays);
            XXH128_canonicalFromHash(&run->blocks[i], XXH3_128bits(arrays.output, bytes));
        }
    }
    release(&arrays);
    return NULL;
}

static void write_digits(const XXH128_canonical_t *digest, char *text)
{
    for (size_t i = 0; i < sizeof digest->digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest->digest[i]);
}

static void digest_of(const XXH128_canonical_t *blocks, uint64_t count, char *text)
{
    XXH128_canonical_t digest;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(blocks, (size_t)count * sizeof *blocks));
    write_digits(&digest, text);
}

static void choose_runs(struct runs *runs, const struct options *options, const struct task *task)
{
    *runs = (struct runs){0};
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++) {
            runs->of[accuracy][level] = -1;
            if (level > (int)processor_level() || (options->accuracy >= 0 && options->accuracy != accuracy) ||
                (options->level >= 0 && options->level != level))
                continue;
            kernel_function *function = kernel_table[task->stem][level]->run[accuracy][task->dtype];
            if (!function)
                continue;
            int same = 0;
            while (same < runs->count && runs->run[same].function != function)
                same++;
            runs->of[accuracy][level] = same;
            if (same == runs->count)
                runs->run[runs->count++].function = function;
        }
}

static void do_runs(struct runs *runs, const struct sweep *sweep, int threads)
{
    struct work work = {.sweep = sweep, .runs = runs, .count = blocks_tried(sweep)};
    pthread_t thread[64];
    for (int i = 0; i < runs->count; i++)
        if (!(runs->run[i].blocks = calloc((size_t)work.count, sizeof *runs->run[i].blocks)))
            abort();
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work_on, &work))
            abort();
    work_on(&work);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < runs->count; i++)
        digest_of(runs->run[i].blocks, work.count, runs->run[i].digest);
}

static void release_runs(struct runs *runs)
{
    for (int i = 0; i < runs->count; i++)
        free(runs->run[i].blocks);
}

static uint64_t sample_stride(const struct sweep *sweep)
{
    return (sweep->blocks + SAMPLE_BLOCKS - 1) / SAMPLE_BLOCKS;
}

/* A line of the file: accuracies as a set of bits. */
struct known {
    struct sweep sweep;
    unsigned accuracies;
    char digest[DIGEST_DIGITS + 1], sample[DIGEST_DIGITS + 1];
    char judged[16];
};

static const char *const sets_of_accuracies[] = {"none", "default", "exact", "both"};

/* "beta=0.3,N=3,g=random", or "-". */
static void attributes_of(const struct sweep *sweep, char *text, size_t size)
{
    sweep_describe(sweep, text, size);
    for (char *c = text; *c; c++)
        if (*c == ' ')
            *c = ',';
    if (!*text)
        snprintf(text, size, "-");
}

static int index_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

/* The sweep of that name, of as many results. */
static bool find_sweep(struct sweep *found, int stem, int dtype, int kind, const char *attributes,
                       uint64_t results)
{
    struct sweep sweeps[VARIANTS_MAX * SWEEP_KINDS];
    unsigned count =
        sweeps_of(sweeps, (enum reference_operator)stem, (enum arithmetic)dtype, 1, results, VARIANTS_MAX);
    for (unsigned i = 0; i < count; i++) {
        char text[80];
        attributes_of(&sweeps[i], text, sizeof text);
        if ((int)sweeps[i].kind != kind || strcmp(text, attributes) != 0)
            continue;
        *found = sweeps[i];
        if (kind == SWEEP_TUPLES)
            found->blocks = results / SWEEP_BLOCK;
        return results == found->blocks * SWEEP_BLOCK;
    }
    return false;
}

static bool parse_line(const char *line, struct known *known)
{
    char stem[32], dtype[8], accuracies[8], kind[8], attributes[80], kernels[16];
    const char *dtypes[ARITHMETICS];
    uint64_t results;
    for (int i = 0; i < ARITHMETICS; i++)
        dtypes[i] = formats[i].name;
    if (sscanf(line, "%31s %7s %7s %7s %79s %" SCNu64 " %32s %32s %15s %15s", stem, dtype, accuracies, kind,
               attributes, &results, known->digest, known->sample, kernels, known->judged) != 10)
        return false;
    const int which = index_of(stem, reference_operator_names, REFERENCE_OPERATORS);
    const int arithmetic = index_of(dtype, dtypes, ARITHMETICS);
    const int set = index_of(accuracies, sets_of_accuracies, 1 << ACCURACY_COUNT);
    known->accuracies = (unsigned)set;
    return which >= 0 && arithmetic >= 0 && set > 0 &&
           find_sweep(&known->sweep, which, arithmetic, index_of(kind, sweep_kind_names, SWEEP_KINDS),
                      attributes, results);
}

/* What is wrong in a block, in which one kernel gives what another one, if any, does not give. */
static uint64_t judge_block(const struct sweep *sweep, uint64_t block, const struct run *run,
                            struct arrays *arrays, struct judge *judge)
{
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    struct verdict verdict = {0};
    judge->task = sweep_task(sweep, block);
    sweep_fill(sweep, block, arrays->input);
    run_kernel(&judge->task, run->function, block, arrays);
    judge_results(judge, source, arrays->output, SWEEP_BLOCK, &verdict);
    if (verdict.wrong == 0)
        return 0;
    const int digits = formats[sweep->task.dtype].bits / 4;
    printf("    the judge finds %" PRIu64 " wrong in block %" PRIu64 ":", verdict.wrong, block);
    for (int i = 0; i < reference_inputs(sweep->task.stem); i++)
        printf(" %0*" PRIx64, digits, verdict.input[i]);
    if (has_slope(sweep->task.stem))
        printf(" slope %a", verdict.task.slope);
    if (has_beta(sweep->task.stem))
        printf(" beta %a N %" PRIu64, (double)verdict.task.beta, verdict.task.divisor);
    printf(" gives %0*" PRIx64 ", exactly %0*" PRIx64 "\n", digits, verdict.got, digits,
           reference_integer(&verdict.task, verdict.input));
    return verdict.wrong;
}

/* Where the results of a run are not those that were judged. Another run that has the right digest tells the
 * block; without one the judge looks for it. */
static void locate(const struct sweep *sweep, const struct run *run, const struct run *right)
{
    const uint64_t count = blocks_tried(sweep);
    struct arrays arrays;
    struct judge judge;
    uint64_t differing = 0, first = 0;
    allocate(&arrays);
    judge_init(&judge, &sweep->task);
    for (uint64_t i = 0; right && i < count; i++)
        if (memcmp(&run->blocks[i], &right->blocks[i], sizeof run->blocks[i]) != 0 && differing++ == 0)
            first = i;
    if (right) {
        printf("    %" PRIu64 " of %" PRIu64 " blocks differ from another kernel that is right; the first is "
               "block %" PRIu64 "\n",
               differing, count, sweep_pick(sweep, first * sweep->stride));
        judge_block(sweep, sweep_pick(sweep, first * sweep->stride), run, &arrays, &judge);
    } else {
        uint64_t i = 0;
        while (i < count &&
               judge_block(sweep, sweep_pick(sweep, i * sweep->stride), run, &arrays, &judge) == 0)
            i++;
        if (i == count)
            printf("    the judge finds nothing wrong in %" PRIu64 " blocks: the inputs are others, or more "
                   "than one result is allowed\n",
                   count);
    }
    judge_release(&judge);
    release(&arrays);
}

static void write_blocks(const struct options *options, const struct known *known, const struct run *run,
                         enum accuracy accuracy, enum isa_level level)
{
    char path[4096], attributes[80];
    attributes_of(&known->sweep, attributes, sizeof attributes);
    snprintf(path, sizeof path, "%s/%s-%s-%s-%s-%s-%s", options->blocks_to,
             reference_operator_names[known->sweep.task.stem], formats[known->sweep.task.dtype].name,
             accuracy_names[accuracy], sweep_kind_names[known->sweep.kind], attributes,
             isa_level_name(level));
    FILE *file = fopen(path, "w");
    for (uint64_t i = 0; file && i < blocks_tried(&known->sweep); i++) {
        char digits[DIGEST_DIGITS + 1];
        write_digits(&run->blocks[i], digits);
        fprintf(file, "%" PRIu64 " %s\n", sweep_pick(&known->sweep, i * known->sweep.stride), digits);
    }
    if (!file || ferror(file) | fclose(file))
        fprintf(stderr, "prove: %s: %s\n", path, strerror(errno));
}

/* Whether all chosen kernels give what the line says. */
static bool compare_line(const struct options *options, struct known *known, name_kernels *name)
{
    struct runs runs;
    bool is_same = true;
    const char *expected = options->is_sample ? known->sample : known->digest;
    const struct run *right = NULL;
    char attributes[80];
    known->sweep.stride = options->is_sample ? sample_stride(&known->sweep) : 1;
    choose_runs(&runs, options, &known->sweep.task);
    do_runs(&runs, &known->sweep, options->threads);
    for (int i = 0; i < runs.count; i++)
        if (strcmp(runs.run[i].digest, expected) == 0)
            right = &runs.run[i];
    sweep_describe(&known->sweep, attributes, sizeof attributes);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++) {
            if (!(known->accuracies >> accuracy & 1) || runs.of[accuracy][level] < 0)
                continue;
            const struct run *run = &runs.run[runs.of[accuracy][level]];
            const bool is_right = strcmp(run->digest, expected) == 0;
            printf("%08" PRIx32 " %-23s %s %-7s %-8s %-6s %-29s %11" PRIu64 " results %s: %s\n",
                   name(known->sweep.task.stem), reference_operator_names[known->sweep.task.stem],
                   formats[known->sweep.task.dtype].name, accuracy_names[accuracy],
                   isa_level_name((enum isa_level)level), sweep_kind_names[known->sweep.kind], attributes,
                   blocks_tried(&known->sweep) * SWEEP_BLOCK, run->digest, is_right ? "same" : "DIFFERENT");
            if (!is_right)
                locate(&known->sweep, run, right);
            if (options->blocks_to)
                write_blocks(options, known, run, (enum accuracy)accuracy, (enum isa_level)level);
            is_same = is_same && is_right;
        }
    fflush(stdout);
    release_runs(&runs);
    return is_same;
}

static bool is_chosen(const struct options *options, const struct known *known)
{
    const struct task *task = &known->sweep.task;
    return (options->stem < 0 || options->stem == (int)task->stem) &&
           (options->dtype < 0 || options->dtype == (int)task->dtype) &&
           (options->kind < 0 || options->kind == (int)known->sweep.kind) &&
           (options->accuracy < 0 || (known->accuracies >> options->accuracy & 1));
}

bool compare_digests(const struct options *options, name_kernels *name)
{
    FILE *file = fopen(options->digests, "r");
    char line[512];
    unsigned number = 0, same = 0, different = 0;
    bool is_read = true;
    if (!file) {
        fprintf(stderr, "prove: %s: %s\n", options->digests, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        struct known known;
        number++;
        if (*line == '#' || *line == '\n')
            continue;
        if (!parse_line(line, &known)) {
            fprintf(stderr, "prove: %s:%u: the line tells of no sweep that there is\n", options->digests,
                    number);
            is_read = false;
        } else if (is_chosen(options, &known)) {
            if (compare_line(options, &known, name))
                same++;
            else
                different++;
        }
    }
    fclose(file);
    printf("%u sets with the bits that were judged, %u with others\n", same, different);
    return is_read && different == 0 && same > 0;
}

/* The results of the job's kernels, which must be the same on all levels; which accuracies are alike. */
static bool print_job(const struct job *job, const struct options *options)
{
    struct runs runs;
    struct sweep sweep = job->sweep, sample = sweep;
    const char *digest[ACCURACY_COUNT] = {NULL};
    const struct run *of[ACCURACY_COUNT];
    bool is_good = true;
    char attributes[80];
    choose_runs(&runs, options, &sweep.task);
    do_runs(&runs, &sweep, options->threads);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++) {
            if (runs.of[accuracy][level] < 0)
                continue;
            of[accuracy] = &runs.run[runs.of[accuracy][level]];
            is_good = is_good && (!digest[accuracy] || strcmp(digest[accuracy], of[accuracy]->digest) == 0);
            digest[accuracy] = of[accuracy]->digest;
        }
    sample.stride = sample_stride(&sweep);
    attributes_of(&sweep, attributes, sizeof attributes);
    const bool is_both = digest[0] && digest[1] && strcmp(digest[0], digest[1]) == 0;
    for (int accuracy = 0; accuracy < ACCURACY_COUNT && is_good; accuracy++) {
        if (!digest[accuracy] || (accuracy == 1 && is_both))
            continue;
        XXH128_canonical_t picked[SAMPLE_BLOCKS];
        char digits[DIGEST_DIGITS + 1];
        for (uint64_t i = 0; i < blocks_tried(&sample); i++)
            picked[i] = of[accuracy]->blocks[sweep_pick(&sample, i * sample.stride)];
        digest_of(picked, blocks_tried(&sample), digits);
        const struct verdict *verdict = NULL;
        for (int level = 0; level < ISA_LEVELS; level++)
            if (job->result[accuracy][level].is_wanted)
                verdict = &job->result[accuracy][level].verdict;
        printf("%s %s %s %s %s %" PRIu64 " %s %s %08x %s\n", reference_operator_names[sweep.task.stem],
               formats[sweep.task.dtype].name, is_both ? "both" : sets_of_accuracies[1 << accuracy],
               sweep_kind_names[sweep.kind], attributes, sweep.blocks * SWEEP_BLOCK, digest[accuracy], digits,
               (unsigned)(job->fingerprint >> 32), verdict && verdict->wrong == 0 ? "nearest" : "bounded");
    }
    if (!is_good)
        fprintf(stderr, "prove: %s %s %s %s: levels differ\n", reference_operator_names[sweep.task.stem],
                formats[sweep.task.dtype].name, sweep_kind_names[sweep.kind], attributes);
    fflush(stdout);
    release_runs(&runs);
    return is_good;
}

/* Whether every kernel's results of the whole sweep are judged, and as promised. */
static bool is_judged(const struct job *job)
{
    if (job->sweep.stride != 1 || !is_complete(job))
        return false;
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++)
            if (job->result[accuracy][level].is_wanted &&
                !is_kept(job, (enum accuracy)accuracy, &job->result[accuracy][level].verdict))
                return false;
    return true;
}

bool print_digests(const struct proof *proof, const struct options *options)
{
    bool is_good = true;
    for (unsigned i = 0; i < proof->count; i++) {
        if (is_judged(&proof->jobs[i]))
            is_good = print_job(&proof->jobs[i], options) && is_good;
        else
            fprintf(stderr, "prove: %s %s %s: not judged, no digest\n",
                    reference_operator_names[proof->jobs[i].sweep.task.stem],
                    formats[proof->jobs[i].sweep.task.dtype].name,
                    sweep_kind_names[proof->jobs[i].sweep.kind]);
    }
    return is_good;
}
