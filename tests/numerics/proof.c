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

#include "numerics/promise.h"

const char *const accuracy_names[ACCURACY_COUNT] = {"default", "exact"};

bool is_kept(const struct job *job, enum accuracy accuracy, const struct verdict *verdict)
{
    double greatest = promised_error(&job->sweep.task, accuracy);
    return verdict->wrong == 0 ||
           (greatest > 0.5 && verdict->misfits == 0 && verdict->greatest_error <= greatest);
}

static bool has_greatest(const struct job *job, const struct verdict *verdict)
{
    return verdict->wrong > 0 || job->sweep.task.dtype == ARITHMETIC_FP32;
}

static int inputs_of(const struct job *job)
{
    return reference_inputs(job->sweep.task.stem);
}

void print_result(FILE *file, const struct job *job, enum accuracy accuracy, enum isa_level level)
{
    const struct verdict *verdict = &job->result[accuracy][level].verdict;
    const struct format *format = &formats[job->sweep.task.dtype];
    const int digits = format->bits / 4;
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    fprintf(file, "%08x %-23s %s %-7s %-8s %-6s %-29s tried %11" PRIu64 " wrong %" PRIu64,
            (unsigned)(job->fingerprint >> 32), reference_operator_names[job->sweep.task.stem], format->name,
            accuracy_names[accuracy], isa_level_name(level), sweep_kind_names[job->sweep.kind], detail,
            verdict->tried, verdict->wrong);
    if (verdict->misfits > 0)
        fprintf(file, " (%" PRIu64 " in sign, infinity or NaN)", verdict->misfits);
    if (has_greatest(job, verdict) && verdict->greatest_error == 0 && verdict->wrong == 0)
        fputs(" greatest error 0", file);
    if (verdict->greatest_error > 0 || verdict->wrong > 0) {
        fprintf(file, " greatest error %.6f ulp at", verdict->greatest_error);
        for (int i = 0; i < inputs_of(job); i++)
            fprintf(file, " %0*" PRIx64, digits, verdict->input[i]);
        if (has_slope(job->sweep.task.stem))
            fprintf(file, " slope %a", verdict->task.slope);
        if (has_scalar(job->sweep.task.stem))
            fprintf(file, " alpha %a", (double)verdict->task.beta);
        if (has_beta(job->sweep.task.stem))
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
            "%s\n    {\"kernels\": \"%016" PRIx64
            "\", \"operator\": \"%s\", \"dtype\": \"%s\", \"accuracy\": \"%s\", \"isa\": \"%s\", "
            "\"sweep\": \"%s\", \"attributes\": \"%s\", \"stride\": %" PRIu64 ", \"complete\": %s, "
            "\"tried\": %" PRIu64 ", \"wrong\": %" PRIu64 ", \"misfits\": %" PRIu64
            ", \"kept\": %s, \"seconds\": %.1f",
            is_first ? "" : ",", job->fingerprint, reference_operator_names[job->sweep.task.stem],
            format->name, accuracy_names[accuracy], isa_level_name(level), sweep_kind_names[job->sweep.kind],
            detail, job->sweep.stride, is_complete(job) ? "true" : "false", verdict->tried, verdict->wrong,
            verdict->misfits, is_kept(job, accuracy, verdict) ? "true" : "false", job->seconds);
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
            for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
                const struct job *job = &proof->jobs[i];
                if (!job->result[accuracy][level].is_wanted ||
                    job->result[accuracy][level].verdict.tried == 0)
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
        done += is_complete(&proof->jobs[i]);
    fprintf(file,
            is_json ? "{\n  \"date\": \"%s\", \"sweeps\": %u, \"complete\": %u,\n  \"results\": ["
                    : "%s, %u sweeps, %u complete\n\n",
            date, proof->count, done);
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

kernel_set kernels_left(const struct job *job, uint64_t part)
{
    kernel_set wanted = 0;
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++)
            if (job->result[accuracy][level].is_wanted)
                wanted |= kernel_bit(accuracy, level);
    return (kernel_set)(wanted & ~job->known[part]);
}

bool is_complete(const struct job *job)
{
    for (uint64_t part = 0; part < job->parts; part++)
        if (kernels_left(job, part) != 0)
            return false;
    return true;
}

void add_job(struct proof *proof, const struct job *job)
{
    proof->jobs = realloc(proof->jobs, (proof->count + 1) * sizeof *proof->jobs);
    kernel_set *known = calloc((size_t)job->parts, sizeof *known);
    if (!proof->jobs || !known)
        abort();
    proof->jobs[proof->count] = *job;
    proof->jobs[proof->count++].known = known;
}

/* What the lines of the file begin with: kernels, sweep, part. */
static void part_key(const struct job *job, uint64_t part, char *key, size_t size)
{
    char detail[80];
    sweep_describe(&job->sweep, detail, sizeof detail);
    snprintf(key, size, "%016" PRIx64 "\t%s %s %s %s %" PRIu64 "/%" PRIu64 "\t%" PRIu64 "\t",
             job->fingerprint, reference_operator_names[job->sweep.task.stem],
             formats[job->sweep.task.dtype].name, sweep_kind_names[job->sweep.kind], detail,
             job->sweep.blocks, job->sweep.stride, part);
}

static void count_part(struct job *job, uint64_t part, int accuracy, int level, const struct verdict *verdict,
                       double seconds)
{
    job->known[part] |= kernel_bit(accuracy, level);
    job->seconds += seconds;
    verdict_add(&job->result[accuracy][level].verdict, verdict);
}

void add_part(struct proof *proof, struct job *job, uint64_t part, kernel_set kernels,
              const struct verdict (*verdict)[ISA_KERNEL_LEVELS], double seconds)
{
    FILE *file = proof->state_path ? fopen(proof->state_path, "a") : NULL;
    if (proof->state_path && !file)
        fprintf(stderr, "prove: %s: %s\n", proof->state_path, strerror(errno));
    char key[256];
    part_key(job, part, key, sizeof key);
    seconds /= __builtin_popcount(kernels);
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
            const struct verdict *v = &verdict[accuracy][level];
            if (!(kernels & kernel_bit(accuracy, level)))
                continue;
            count_part(job, part, accuracy, level, v, seconds);
            if (file)
                fprintf(file,
                        "%s%d\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%a\t%" PRIx64
                        "\t%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%a\t%a\t%" PRIu64 "\t%.2f\n",
                        key, accuracy, level, v->tried, v->wrong, v->misfits, v->exact, v->greatest_error,
                        v->input[0], v->input[1], v->input[2], v->got, v->task.slope, (double)v->task.beta,
                        v->task.divisor, seconds);
        }
    if (!file)
        return;
    if (fflush(file) != 0 || fsync(fileno(file)) != 0)
        fprintf(stderr, "prove: %s: %s\n", proof->state_path, strerror(errno));
    fclose(file);
}

/* A line of the file. Half of one, which a proof that is killed may leave, and what is of other kernels count
 * as nothing. */
static void load_line(struct proof *proof, const char *line)
{
    for (unsigned i = 0; i < proof->count; i++)
        for (uint64_t part = 0; part < proof->jobs[i].parts; part++) {
            struct job *job = &proof->jobs[i];
            struct verdict v = {.task = {.stem = job->sweep.task.stem, .dtype = job->sweep.task.dtype}};
            char key[256], end = 0;
            int accuracy, level;
            double beta, seconds;
            part_key(job, part, key, sizeof key);
            if (strncmp(line, key, strlen(key)) != 0)
                continue;
            if (sscanf(line + strlen(key),
                       "%d\t%d\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%la\t%" SCNx64
                       "\t%" SCNx64 "\t%" SCNx64 "\t%" SCNx64 "\t%la\t%la\t%" SCNu64 "\t%lf%c",
                       &accuracy, &level, &v.tried, &v.wrong, &v.misfits, &v.exact, &v.greatest_error,
                       &v.input[0], &v.input[1], &v.input[2], &v.got, &v.task.slope, &beta, &v.task.divisor,
                       &seconds, &end) != 16 ||
                end != '\n' || accuracy < 0 || accuracy >= ACCURACY_COUNT || level < 0 ||
                level >= ISA_KERNEL_LEVELS)
                return;
            v.task.beta = (float)beta;
            if (kernels_left(job, part) & kernel_bit(accuracy, level))
                count_part(job, part, accuracy, level, &v, seconds);
            return;
        }
}

void load_state(struct proof *proof)
{
    FILE *file = proof->state_path ? fopen(proof->state_path, "r") : NULL;
    if (!file)
        return;
    char line[1024];
    while (fgets(line, sizeof line, file))
        load_line(proof, line);
    fclose(file);
}

void release_proof(struct proof *proof)
{
    for (unsigned i = 0; i < proof->count; i++)
        free(proof->jobs[i].known);
    free(proof->jobs);
}
