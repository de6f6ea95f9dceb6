/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/proved.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/sweep_digest.h"

/* A sample has at most so many blocks: enough to see that the file tells of these kernels. Those of a line
 * have one in four exponents each, as most of them are tiny, huge or NaN. */
enum { SAMPLE_BLOCKS = 4, SAMPLE_BLOCKS_OF_LINE = 128 };

static uint64_t sample_stride(const struct sweep *sweep)
{
    uint64_t blocks = sweep->kind == SWEEP_LINE ? SAMPLE_BLOCKS_OF_LINE : SAMPLE_BLOCKS;
    return (sweep->blocks + blocks - 1) / blocks;
}

/* A line of the file: accuracies as a set of bits. */
struct known {
    struct sweep sweep;
    unsigned accuracies;
    char digest[DIGEST_DIGITS + 1], sample[DIGEST_DIGITS + 1];
    char judged[16];
    bool is_done;
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
    *known = (struct known){.is_done = false};
    char stem[32], dtype[8], accuracies[8], kind[8], attributes[80], kernels[16];
    const char *dtypes[ARITHMETICS];
    uint64_t results;
    for (int i = 0; i < ARITHMETICS; i++)
        dtypes[i] = formats[i].name;
    if (sscanf(line, "%31s %7s %7s %7s %79s %" SCNu64 " %32s %32s %15s %15s", stem, dtype, accuracies, kind,
               attributes, &results, known->digest, known->sample, kernels, known->judged) != 10)
        return false;
    const int which = index_of(stem, reference_operator_names, PROVED_OPERATORS);
    const int arithmetic = index_of(dtype, dtypes, ARITHMETICS);
    const int set = index_of(accuracies, sets_of_accuracies, 1 << ACCURACY_COUNT);
    known->accuracies = (unsigned)set;
    return which >= 0 && arithmetic >= 0 && set > 0 &&
           find_sweep(&known->sweep, which, arithmetic, index_of(kind, sweep_kind_names, SWEEP_KINDS),
                      attributes, results);
}

static void print_inputs(const struct task *task, const uint64_t *input)
{
    for (int i = 0; i < reference_inputs(task->stem); i++)
        printf(" %0*" PRIx64, formats[task->dtype].bits / 4, input[i]);
    if (has_slope(task->stem))
        printf(" slope %a", task->slope);
    if (has_scalar(task->stem))
        printf(" alpha %a", (double)task->beta);
    if (has_beta(task->stem))
        printf(" beta %a N %" PRIu64, (double)task->beta, task->divisor);
}

/* Whether there are results in the block that are not the exact value rounded once; says so. */
static bool has_wrong(struct judge *judge, const struct sweep *sweep, uint64_t block, const struct run *run,
                      struct arrays *arrays)
{
    const void *const source[INPUTS_MAX] = {arrays->input[0], arrays->input[1], arrays->input[2]};
    const int digits = formats[sweep->task.dtype].bits / 4;
    struct verdict verdict = {0};
    judge->task = sweep_task(sweep, block);
    sweep_fill(sweep, block, arrays->input);
    run_on_block(sweep, run->function, block, arrays);
    judge_results(judge, source, arrays->output, SWEEP_BLOCK, &verdict);
    if (verdict.wrong == 0)
        return false;
    printf("    the judge finds %" PRIu64 " wrong in block %" PRIu64 ":", verdict.wrong, block);
    print_inputs(&judge->task, verdict.input);
    printf(" gives %0*" PRIx64 ", exactly %0*" PRIx64 "\n", digits, verdict.got, digits,
           reference_integer(&verdict.task, verdict.input));
    return true;
}

/* The first result of a block that another kernel has with other bits. */
static void print_first(const struct sweep *sweep, uint64_t block, const struct run *run,
                        const struct run *right, struct arrays *arrays)
{
    const int digits = formats[sweep->task.dtype].bits / 4;
    const size_t bytes = (size_t)digits / 2;
    const struct task task = sweep_task(sweep, block);
    struct arrays other = *arrays;
    size_t i = 0;
    if (!(other.output = aligned_alloc(64, SWEEP_BLOCK * sizeof(uint64_t))))
        abort();
    sweep_fill(sweep, block, arrays->input);
    run_on_block(sweep, run->function, block, arrays);
    run_on_block(sweep, right->function, block, &other);
    while (i < SWEEP_BLOCK - 1 &&
           memcmp((char *)arrays->output + i * bytes, (char *)other.output + i * bytes, bytes) == 0)
        i++;
    uint64_t input[INPUTS_MAX] = {0}, got = 0, wanted = 0;
    for (int j = 0; j < reference_inputs(task.stem); j++)
        memcpy(&input[j], (char *)arrays->input[j] + i * bytes, bytes);
    memcpy(&got, (char *)arrays->output + i * bytes, bytes);
    memcpy(&wanted, (char *)other.output + i * bytes, bytes);
    print_inputs(&task, input);
    printf(" gives %0*" PRIx64 ", judged %0*" PRIx64 "\n", digits, got, digits, wanted);
    free(other.output);
}

/* Where the results of a run are not those that were judged. Another run that has the right digest tells;
 * without one the judge looks for the first that is wrong, if only one result is right. */
static void locate(const struct sweep *sweep, const struct run *run, const struct run *right, bool is_nearest)
{
    const uint64_t count = blocks_tried(sweep);
    struct arrays arrays;
    uint64_t differing = 0, first = 0, i = 0;
    if (!right && !is_nearest) {
        puts("    more than one result is within the bound: let the judge decide, without --digest");
        return;
    }
    allocate_arrays(&arrays);
    if (right) {
        for (; i < count; i++)
            if (memcmp(&run->blocks[i], &right->blocks[i], sizeof run->blocks[i]) != 0 && differing++ == 0)
                first = sweep_pick(sweep, i * sweep->stride);
        printf("    %" PRIu64 " of %" PRIu64 " blocks differ, the first is block %" PRIu64 ":", differing,
               count, first);
        print_first(sweep, first, run, right, &arrays);
    } else {
        struct judge judge;
        judge_init(&judge, &sweep->task);
        while (i < count && !has_wrong(&judge, sweep, sweep_pick(sweep, i * sweep->stride), run, &arrays))
            i++;
        if (i == count)
            printf("    the judge finds nothing wrong in %" PRIu64 " blocks: they are of other inputs\n",
                   count);
        judge_release(&judge);
    }
    release_arrays(&arrays);
}

static void write_blocks(const struct options *options, const struct sweep *sweep, const struct run *run,
                         enum accuracy accuracy, enum isa_level level)
{
    char path[4096], attributes[80];
    attributes_of(sweep, attributes, sizeof attributes);
    snprintf(path, sizeof path, "%s/%s-%s-%s-%s-%s-%s", options->blocks_to,
             reference_operator_names[sweep->task.stem], formats[sweep->task.dtype].name,
             accuracy_names[accuracy], sweep_kind_names[sweep->kind], attributes, isa_level_name(level));
    FILE *file = fopen(path, "w");
    for (uint64_t i = 0; file && i < blocks_tried(sweep); i++) {
        char digits[DIGEST_DIGITS + 1];
        write_digits(&run->blocks[i], digits);
        fprintf(file, "%" PRIu64 " %s\n", sweep_pick(sweep, i * sweep->stride), digits);
    }
    if (!file || ferror(file) | fclose(file))
        fprintf(stderr, "prove: %s: %s\n", path, strerror(errno));
}

/* Whether all chosen kernels gave what the line says. */
static bool report_line(const struct options *options, const struct known *known, const struct runs *runs,
                        name_kernels *name)
{
    const struct sweep *sweep = &runs->sweep;
    const char *expected = options->is_sample ? known->sample : known->digest;
    const struct run *right = NULL;
    bool is_same = true, is_located[RUNS_MAX] = {false};
    char attributes[80];
    for (int i = 0; i < runs->count; i++)
        if (strcmp(runs->run[i].digest, expected) == 0)
            right = &runs->run[i];
    sweep_describe(sweep, attributes, sizeof attributes);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
            if (!(known->accuracies >> accuracy & 1) || runs->of[accuracy][level] < 0)
                continue;
            const struct run *run = &runs->run[runs->of[accuracy][level]];
            const bool is_right = strcmp(run->digest, expected) == 0;
            printf("%08" PRIx32 " %-23s %s %-7s %-8s %-6s %-29s %11" PRIu64 " results %s: %s\n",
                   name(sweep->task.stem), reference_operator_names[sweep->task.stem],
                   formats[sweep->task.dtype].name, accuracy_names[accuracy],
                   isa_level_name((enum isa_level)level), sweep_kind_names[sweep->kind], attributes,
                   blocks_tried(sweep) * SWEEP_BLOCK, run->digest, is_right ? "same" : "DIFFERENT");
            if (!is_right && !is_located[runs->of[accuracy][level]])
                locate(sweep, run, right, strcmp(known->judged, "nearest") == 0);
            is_located[runs->of[accuracy][level]] |= !is_right;
            if (options->blocks_to)
                write_blocks(options, sweep, run, (enum accuracy)accuracy, (enum isa_level)level);
            is_same = is_same && is_right;
        }
    fflush(stdout);
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

/* Which kernels a line needs; -1: those of every accuracy. */
static int accuracy_of(const struct options *options, const struct known *known)
{
    if (options->accuracy >= 0)
        return options->accuracy;
    return known->accuracies == 1U << ACCURACY_DEFAULT ? ACCURACY_DEFAULT
           : known->accuracies == 1U << ACCURACY_EXACT ? ACCURACY_EXACT
                                                       : -1;
}

/* The chosen lines of the file; whether all of its lines tell of sweeps that there are. */
static bool read_lines(const struct options *options, struct known **lines, unsigned *count)
{
    FILE *file = fopen(options->digests, "r");
    char line[512];
    unsigned number = 0;
    bool is_read = true;
    *lines = NULL;
    *count = 0;
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
            if (!(*lines = realloc(*lines, (*count + 1) * sizeof **lines)))
                abort();
            (*lines)[(*count)++] = known;
        }
    }
    fclose(file);
    return is_read;
}

/* Sweeps that are run together. */
struct group {
    struct runs *runs[PROVED_OPERATORS];
    int count;
};

static bool joins(const struct group *group, const struct sweep *sweep)
{
    return group->count < PROVED_OPERATORS &&
           (group->count == 0 || sweep_same_inputs(&group->runs[0]->sweep, sweep));
}

static void join(struct group *group, const struct sweep *sweep, int accuracy, int level)
{
    struct runs *runs = malloc(sizeof *runs);
    if (!runs)
        abort();
    choose_runs(runs, sweep, accuracy, level);
    group->runs[group->count++] = runs;
}

static void leave(struct group *group)
{
    for (int i = 0; i < group->count; i++) {
        release_runs(group->runs[i]);
        free(group->runs[i]);
    }
}

bool compare_digests(const struct options *options, name_kernels *name)
{
    struct known *lines;
    unsigned count, same = 0, different = 0;
    const bool is_read = read_lines(options, &lines, &count);
    for (unsigned i = 0; i < count; i++) {
        struct group group = {.count = 0};
        const struct known *member[PROVED_OPERATORS];
        for (unsigned j = i; j < count; j++) {
            struct sweep sweep = lines[j].sweep;
            sweep.stride = options->is_sample ? sample_stride(&sweep) : 1;
            sweep.is_mixed = options->is_mixed;
            if (lines[j].is_done || !joins(&group, &sweep))
                continue;
            lines[j].is_done = true;
            member[group.count] = &lines[j];
            join(&group, &sweep, accuracy_of(options, &lines[j]), options->level);
        }
        if (group.count > 0)
            do_runs(group.runs, group.count, options->threads);
        for (int j = 0; j < group.count; j++) {
            if (report_line(options, member[j], group.runs[j], name))
                same++;
            else
                different++;
        }
        leave(&group);
    }
    free(lines);
    printf("%u sets with the bits that were judged, %u with others\n", same, different);
    return is_read && different == 0 && same > 0;
}

/* One line of the file, for a kernel with the accuracies. */
static void print_line(const struct job *job, unsigned accuracies, const struct run *run, bool is_nearest)
{
    struct sweep sample = job->sweep;
    XXH128_canonical_t picked[SAMPLE_BLOCKS_OF_LINE];
    char attributes[80], digits[DIGEST_DIGITS + 1];
    attributes_of(&sample, attributes, sizeof attributes);
    sample.stride = sample_stride(&sample);
    for (uint64_t i = 0; i < blocks_tried(&sample); i++)
        picked[i] = run->blocks[sweep_pick(&sample, i * sample.stride)];
    digest_of(picked, blocks_tried(&sample), digits);
    printf("%s %s %s %s %s %" PRIu64 " %s %s %08x %s\n", reference_operator_names[sample.task.stem],
           formats[sample.task.dtype].name, sets_of_accuracies[accuracies], sweep_kind_names[sample.kind],
           attributes, sample.blocks * SWEEP_BLOCK, run->digest, digits, (unsigned)(job->fingerprint >> 32),
           is_nearest ? "nearest" : "bounded");
}

/* The results of the job's kernels, which must be the same on all levels. */
static bool print_job(const struct job *job, const struct runs *runs)
{
    const struct run *of[ACCURACY_COUNT] = {NULL};
    bool is_nearest[ACCURACY_COUNT];
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
            if (runs->of[accuracy][level] < 0)
                continue;
            const struct run *run = &runs->run[runs->of[accuracy][level]];
            if (of[accuracy] && strcmp(of[accuracy]->digest, run->digest) != 0) {
                fprintf(stderr, "prove: %s %s %s: levels differ\n",
                        reference_operator_names[runs->sweep.task.stem], formats[runs->sweep.task.dtype].name,
                        sweep_kind_names[runs->sweep.kind]);
                return false;
            }
            of[accuracy] = run;
            is_nearest[accuracy] = job->result[accuracy][level].verdict.wrong == 0;
        }
    if (of[0] && of[1] && strcmp(of[0]->digest, of[1]->digest) == 0) {
        print_line(job, 3, of[0], is_nearest[0]);
    } else {
        for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
            if (of[accuracy])
                print_line(job, 1U << accuracy, of[accuracy], is_nearest[accuracy]);
    }
    fflush(stdout);
    return true;
}

/* Whether every kernel's results of the whole sweep are judged, and as promised. */
static bool is_judged(const struct job *job)
{
    if (job->sweep.stride != 1 || !is_complete(job))
        return false;
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++)
            if (job->result[accuracy][level].is_wanted &&
                !is_kept(job, (enum accuracy)accuracy, &job->result[accuracy][level].verdict))
                return false;
    return true;
}

bool print_digests(const struct proof *proof, const struct options *options)
{
    bool *is_done = calloc(proof->count + 1, sizeof *is_done), is_good = true;
    if (!is_done)
        abort();
    for (unsigned i = 0; i < proof->count; i++) {
        struct group group = {.count = 0};
        const struct job *member[PROVED_OPERATORS];
        for (unsigned j = i; j < proof->count; j++) {
            const struct job *job = &proof->jobs[j];
            if (is_done[j] || !is_judged(job) || !joins(&group, &job->sweep))
                continue;
            is_done[j] = true;
            member[group.count] = job;
            join(&group, &job->sweep, options->accuracy, options->level);
        }
        if (group.count > 0)
            do_runs(group.runs, group.count, options->threads);
        for (int j = 0; j < group.count; j++)
            is_good = print_job(member[j], group.runs[j]) && is_good;
        leave(&group);
    }
    for (unsigned i = 0; i < proof->count; i++)
        if (!is_done[i])
            fprintf(stderr, "prove: %s %s %s: not judged, no digest\n",
                    reference_operator_names[proof->jobs[i].sweep.task.stem],
                    formats[proof->jobs[i].sweep.task.dtype].name,
                    sweep_kind_names[proof->jobs[i].sweep.kind]);
    free(is_done);
    return is_good;
}
