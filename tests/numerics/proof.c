/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/proof.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const accuracy_names[ACCURACY_COUNT] = {"default", "exact"};

/* Units in the last place; 0.5: nothing may be wrong. The promise of docs/accuracy.md. */
static double bound(const struct job *job, enum accuracy accuracy)
{
    bool is_fast = accuracy == ACCURACY_DEFAULT && job->sweep.task.dtype == ARITHMETIC_FP32;
    return is_fast && job->sweep.task.stem == SILU_BACKWARD ? 1 : 0.5;
}

bool is_kept(const struct job *job, enum accuracy accuracy, const struct verdict *verdict)
{
    double greatest = bound(job, accuracy);
    return verdict->wrong == 0 ||
           (greatest > 0.5 && verdict->misfits == 0 && verdict->greatest_error <= greatest);
}

static bool has_greatest(const struct job *job, const struct verdict *verdict)
{
    return verdict->wrong > 0 || job->sweep.task.dtype == ARITHMETIC_FP32;
}

static int inputs_of(const struct job *job)
{
    return job->sweep.task.stem == SMOOTH_L1_LOSS_BACKWARD ? 3 : 2;
}

void print_result(FILE *file, const struct job *job, enum accuracy accuracy, enum isa_level level)
{
    const struct verdict *verdict = &job->result[accuracy][level].verdict;
    const struct format *format = &formats[job->sweep.task.dtype];
    const int digits = format->bits / 4;
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    fprintf(file, "%-23s %s %-7s %-8s %-6s %-29s tried %11" PRIu64 " wrong %" PRIu64,
            reference_operator_names[job->sweep.task.stem], format->name, accuracy_names[accuracy],
            isa_level_name(level), sweep_kind_names[job->sweep.kind], detail, verdict->tried, verdict->wrong);
    if (verdict->misfits > 0)
        fprintf(file, " (%" PRIu64 " in sign, infinity or NaN)", verdict->misfits);
    if (has_greatest(job, verdict) && verdict->greatest_error == 0 && verdict->wrong == 0)
        fputs(" greatest error 0", file);
    if (verdict->greatest_error > 0 || verdict->wrong > 0) {
        fprintf(file, " greatest error %.6f ulp at", verdict->greatest_error);
        for (int i = 0; i < inputs_of(job); i++)
            fprintf(file, " %0*" PRIx64, digits, verdict->input[i]);
        if (job->sweep.task.stem == LEAKY_RELU_BACKWARD)
            fprintf(file, " slope %a", verdict->task.slope);
        if (job->sweep.task.stem == SMOOTH_L1_LOSS_BACKWARD)
            fprintf(file, " beta %a N %" PRIu64, (double)verdict->task.beta, verdict->task.divisor);
        fprintf(file, ": %0*" PRIx64 ", exactly %0*" PRIx64, digits, verdict->got, digits,
                reference_integer(&verdict->task, verdict->input));
    }
    fputs(is_kept(job, accuracy, verdict) ? "\n" : " NOT AS PROMISED\n", file);
}

static void print_json(FILE *file, const struct job *job, enum accuracy accuracy, enum isa_level level,
                       bool is_first)
{
    const struct verdict *verdict = &job->result[accuracy][level].verdict;
    const struct format *format = &formats[job->sweep.task.dtype];
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    fprintf(file,
            "%s\n    {\"operator\": \"%s\", \"dtype\": \"%s\", \"accuracy\": \"%s\", \"isa\": \"%s\", "
            "\"sweep\": \"%s\", \"attributes\": \"%s\", \"stride\": %" PRIu64 ", \"complete\": %s, "
            "\"tried\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"misfits\": %" PRIu64
            ", \"kept\": %s, \"seconds\": %.1f",
            is_first ? "" : ",", reference_operator_names[job->sweep.task.stem], format->name,
            accuracy_names[accuracy], isa_level_name(level), sweep_kind_names[job->sweep.kind], detail,
            job->sweep.stride, job->parts_done == job->parts ? "true" : "false", verdict->tried,
            verdict->wrong, verdict->misfits, is_kept(job, accuracy, verdict) ? "true" : "false",
            job->seconds);
    if (has_greatest(job, verdict)) {
        fprintf(file, ", \"greatest_error_ulp\": %.9g", verdict->greatest_error);
        fprintf(file, ", \"input\": [");
        for (int i = 0; i < inputs_of(job); i++)
            fprintf(file, "%s\"%0*" PRIx64 "\"", i ? ", " : "", format->bits / 4, verdict->input[i]);
        fprintf(file,
                "], \"slope\": \"%a\", \"beta\": \"%a\", \"N\": %" PRIu64 ", \"got\": \"%0*" PRIx64 "\"",
                verdict->task.slope, (double)verdict->task.beta, verdict->task.divisor, format->bits / 4,
                verdict->got);
    }
    fputs("}", file);
}

static bool for_each_result(const struct proof *proof, FILE *file, bool is_json)
{
    bool is_first = true;
    for (unsigned i = 0; i < proof->count; i++)
        for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
            for (int level = 0; level < ISA_LEVELS; level++) {
                const struct job *job = &proof->jobs[i];
                if (!job->result[accuracy][level].is_wanted || job->parts_done == 0)
                    continue;
                if (is_json)
                    print_json(file, job, (enum accuracy)accuracy, (enum isa_level)level, is_first);
                else
                    print_result(file, job, (enum accuracy)accuracy, (enum isa_level)level);
                is_first = false;
            }
    return !ferror(file);
}

static void write_one(const struct proof *proof, const char *suffix, bool is_json)
{
    char path[4096], draft[4096 + 8], date[32];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
    snprintf(path, sizeof path, "%s%s", proof->report_path, suffix);
    snprintf(draft, sizeof draft, "%s.new", path);
    FILE *file = fopen(draft, "w");
    if (!file) {
        fprintf(stderr, "prove: %s: %s\n", draft, strerror(errno));
        return;
    }
    unsigned done = 0;
    for (unsigned i = 0; i < proof->count; i++)
        done += proof->jobs[i].parts_done == proof->jobs[i].parts;
    if (is_json)
        fprintf(file,
                "{\n  \"date\": \"%s\", \"program\": \"%016" PRIx64
                "\", \"sweeps\": %u, \"complete\": %u,\n  \"results\": [",
                date, proof->fingerprint, proof->count, done);
    else
        fprintf(file, "%s, program %016" PRIx64 ", %u of %u sweeps complete\n\n", date, proof->fingerprint,
                done, proof->count);
    bool is_written = for_each_result(proof, file, is_json);
    if (is_json)
        fputs("\n  ]\n}\n", file);
    if (fclose(file) != 0 || !is_written || rename(draft, path) != 0)
        fprintf(stderr, "prove: %s: %s\n", path, strerror(errno));
}

void write_report(const struct proof *proof)
{
    if (!proof->report_path)
        return;
    write_one(proof, ".txt", false);
    write_one(proof, ".json", true);
}

/* What is done of each job by which the lines of the file are known. */
static void job_key(const struct job *job, char *key, size_t size)
{
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    snprintf(key, size, "%s %s %s %s %" PRIu64 "/%" PRIu64, reference_operator_names[job->sweep.task.stem],
             formats[job->sweep.task.dtype].name, sweep_kind_names[job->sweep.kind], detail,
             job->sweep.blocks, job->sweep.stride);
}

static uint64_t *done_parts; /* one bit per job and part */
static size_t done_size;

static uint64_t *done_word(const struct proof *proof, unsigned job, uint64_t part, uint64_t *bit)
{
    uint64_t index = part;
    for (unsigned i = 0; i < job; i++)
        index += proof->jobs[i].parts;
    if (index / 64 >= done_size) {
        size_t size = (size_t)(index / 64 + 1) * 2;
        done_parts = realloc(done_parts, size * sizeof *done_parts);
        if (!done_parts)
            abort();
        memset(done_parts + done_size, 0, (size - done_size) * sizeof *done_parts);
        done_size = size;
    }
    *bit = (uint64_t)1 << index % 64;
    return &done_parts[index / 64];
}

bool is_done(const struct proof *proof, unsigned job, uint64_t part)
{
    uint64_t bit, *word = done_word(proof, job, part, &bit);
    return *word & bit;
}

static void count_part(struct proof *proof, unsigned job, uint64_t part,
                       const struct verdict (*verdict)[ISA_LEVELS], double seconds)
{
    struct job *target = &proof->jobs[job];
    uint64_t bit, *word = done_word(proof, job, part, &bit);
    *word |= bit;
    target->parts_done++;
    target->seconds += seconds;
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++)
            verdict_add(&target->result[accuracy][level].verdict, &verdict[accuracy][level]);
}

void add_part(struct proof *proof, unsigned job, uint64_t part, const struct verdict (*verdict)[ISA_LEVELS],
              double seconds)
{
    count_part(proof, job, part, verdict, seconds);
    if (!proof->state_path)
        return;
    FILE *file = fopen(proof->state_path, "a");
    if (!file) {
        fprintf(stderr, "prove: %s: %s\n", proof->state_path, strerror(errno));
        return;
    }
    char key[200];
    job_key(&proof->jobs[job], key, sizeof key);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_LEVELS; level++) {
            const struct verdict *v = &verdict[accuracy][level];
            if (!proof->jobs[job].result[accuracy][level].is_wanted)
                continue;
            fprintf(file,
                    "%016" PRIx64 "\t%s\t%" PRIu64 "\t%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                    "\t%a\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%a\t%a\t%" PRIu64 "\t%.2f\n",
                    proof->fingerprint, key, part, accuracy, level, v->tried, v->wrong, v->misfits, v->exact,
                    v->greatest_error, v->input[0], v->input[1], v->input[2], v->got, v->task.slope,
                    (double)v->task.beta, v->task.divisor, seconds);
        }
    /* The last line says that the part is whole: a proof that is killed may leave half of one. */
    fprintf(file, "%016" PRIx64 "\t%s\t%" PRIu64 "\tend\n", proof->fingerprint, key, part);
    if (fflush(file) != 0 || fsync(fileno(file)) != 0)
        fprintf(stderr, "prove: %s: %s\n", proof->state_path, strerror(errno));
    fclose(file);
}

void load_state(struct proof *proof)
{
    FILE *file = proof->state_path ? fopen(proof->state_path, "r") : NULL;
    if (!file)
        return;
    static struct verdict pending[ACCURACY_COUNT][ISA_LEVELS], none[ACCURACY_COUNT][ISA_LEVELS];
    bool is_known[ACCURACY_COUNT][ISA_LEVELS] = {{false}};
    double seconds = 0;
    char line[1024];
    while (fgets(line, sizeof line, file)) {
        uint64_t fingerprint, part;
        char key[200], rest[800];
        if (sscanf(line, "%" SCNx64 "\t%199[^\t]\t%" SCNu64 "\t%799[^\n]", &fingerprint, key, &part, rest) !=
                4 ||
            fingerprint != proof->fingerprint)
            continue;
        unsigned job = 0;
        for (; job < proof->count; job++) {
            char other[200];
            job_key(&proof->jobs[job], other, sizeof other);
            if (strcmp(key, other) == 0)
                break;
        }
        struct verdict v = {0};
        int accuracy, level;
        double beta;
        if (strcmp(rest, "end") == 0) {
            /* Only if it has all that is wanted now. */
            bool is_whole = job < proof->count && part < proof->jobs[job].parts && !is_done(proof, job, part);
            for (int i = 0; i < ACCURACY_COUNT && is_whole; i++)
                for (int j = 0; j < ISA_LEVELS; j++)
                    is_whole = is_whole && (is_known[i][j] || !proof->jobs[job].result[i][j].is_wanted);
            if (is_whole)
                count_part(proof, job, part, (const struct verdict(*)[ISA_LEVELS])pending, seconds);
            memcpy(pending, none, sizeof pending);
            memset(is_known, 0, sizeof is_known);
        } else if (job < proof->count &&
                   sscanf(rest,
                          "%d\t%d\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%la\t%" SCNx64
                          "\t%" SCNx64 "\t%" SCNx64 "\t%" SCNx64 "\t%la\t%la\t%" SCNu64 "\t%lf",
                          &accuracy, &level, &v.tried, &v.wrong, &v.misfits, &v.exact, &v.greatest_error,
                          &v.input[0], &v.input[1], &v.input[2], &v.got, &v.task.slope, &beta,
                          &v.task.divisor, &seconds) == 15 &&
                   accuracy >= 0 && accuracy < ACCURACY_COUNT && level >= 0 && level < ISA_LEVELS) {
            v.task.stem = proof->jobs[job].sweep.task.stem;
            v.task.dtype = proof->jobs[job].sweep.task.dtype;
            v.task.beta = (float)beta;
            pending[accuracy][level] = v;
            is_known[accuracy][level] = true;
        }
    }
    fclose(file);
}

void release_proof(struct proof *proof)
{
    free(proof->jobs);
    free(done_parts);
    done_parts = NULL;
    done_size = 0;
}
