/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * prove: runs kernels over all inputs, or over one in so many, judges every result and prints one line each:
 * operator, dtype, accuracy, instruction set, inputs tried, wrong results, greatest error and where. The exit
 * status is 1 if any result was wrong.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "numerics/draw.h"
#include "numerics/judge.h"
#include "numerics/kernel_table.h"

enum { BLOCK = 65536 };

static const char *const operator_names[REFERENCE_OPERATORS] = {
    [HARDSWISH_BACKWARD] = "hardswish_backward",
    [LEAKY_RELU_BACKWARD] = "leaky_relu_backward",
    [SILU_BACKWARD] = "silu_backward",
    [SMOOTH_L1_LOSS_BACKWARD] = "smooth_l1_loss_backward",
};
static const char *const accuracy_names[ACCURACY_COUNT] = {"default", "exact"};
/* What one sweep feeds. A block is BLOCK elements; blocks are numbered. */
enum sweep {
    PAIRS,  /* 16 bits: block b holds gradient b with every x; smooth L1: target b with every x */
    LINE,   /* fp32: every x (leaky relu: every gradient) with gradient 1 */
    TUPLES, /* random tuples, random attributes */
    SWEEPS
};
static const char *const sweep_names[SWEEPS] = {"pairs", "line", "tuples"};

/* One line of the report. */
struct job {
    struct task task;
    enum accuracy accuracy;
    enum isa_level level;
    enum sweep sweep;
    bool random_gradient; /* smooth L1 pairs */
    uint64_t blocks, stride;
    pthread_mutex_t lock; /* guards next and verdict */
    uint64_t next;
    struct verdict verdict;
};

struct options {
    int stem, dtype, accuracy, level, sweep; /* -1: all */
    uint64_t stride, tuples, variants;
    int threads;
};

static void put(void *array, enum arithmetic dtype, size_t index, uint64_t bits)
{
    size_t bytes = (size_t)formats[dtype].bits / 8;
    memcpy((char *)array + index * bytes, &bits, bytes);
}

static void fill(const struct job *job, uint64_t block, void *const *input)
{
    const struct task *task = &job->task;
    const struct format *format = &formats[task->dtype];
    /* The kinds of x that leaky relu tells apart, and neighbours of them. */
    const double kind[] = {1, 0, -0.0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e-3};
    const uint64_t one = bits_of(format, 1), minus_one = bits_of(format, -1), tenth = bits_of(format, 0.1);
    const uint64_t kind_of_x = bits_of(format, kind[block % 8]);
    struct generator generator = {block * BLOCK + 1};
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t bits[INPUTS_MAX] = {0};
        if (job->sweep == PAIRS && task->stem == SMOOTH_L1_LOSS_BACKWARD) {
            bits[0] = job->random_gradient ? draw_element(&generator, format) : one;
            bits[1] = i;
            bits[2] = block;
        } else if (job->sweep == PAIRS && task->stem == LEAKY_RELU_BACKWARD) {
            bits[0] = i;
            bits[1] = kind_of_x;
        } else if (job->sweep == PAIRS) {
            bits[0] = block;
            bits[1] = i;
        } else if (job->sweep == LINE && task->stem == LEAKY_RELU_BACKWARD) {
            bits[0] = block * BLOCK + i;
            bits[1] = minus_one;
        } else if (job->sweep == LINE) {
            bits[0] = one;
            bits[1] = block * BLOCK + i;
            bits[2] = tenth;
        } else {
            draw_inputs(&generator, task, bits);
        }
        for (int j = 0; j < INPUTS_MAX; j++)
            put(input[j], task->dtype, i, bits[j]);
    }
}

static void run_kernel(const struct job *job, const struct task *task, void *const *input, void *output)
{
    const struct leaky_relu_backward_parameters slope = {task->slope};
    const struct smooth_l1_loss_backward_parameters smooth = {task->beta, task->divisor};
    const void *parameters = task->stem == LEAKY_RELU_BACKWARD ? (const void *)&slope : &smooth;
    const void *const source[INPUTS_MAX] = {input[0], input[1], input[2]};
    kernel_table[task->stem][job->level]->run[job->accuracy][task->dtype](source, output, BLOCK, parameters,
                                                                          false);
}

static void *work(void *argument)
{
    struct job *job = argument;
    void *array[INPUTS_MAX + 1];
    for (int i = 0; i <= INPUTS_MAX; i++)
        if (!(array[i] = malloc(BLOCK * sizeof(uint64_t))))
            abort();
    struct judge judge;
    struct task task = job->task;
    judge_init(&judge, &task);
    for (;;) {
        pthread_mutex_lock(&job->lock);
        uint64_t block = job->next;
        job->next += job->stride;
        pthread_mutex_unlock(&job->lock);
        if (block >= job->blocks)
            break;
        /* With a stride the blocks are spread over each part instead of standing at equal distances, which
         * would show only some exponents. */
        if (job->stride > 1) {
            struct generator generator = {block};
            uint64_t part = job->blocks - block < job->stride ? job->blocks - block : job->stride;
            block += draw_bits(&generator) % part;
        }
        if (job->sweep == TUPLES || (job->sweep == PAIRS && task.stem == LEAKY_RELU_BACKWARD))
            judge.task = task = nth_task(task.stem, task.dtype, job->sweep == PAIRS ? block / 8 : block);
        fill(job, block, array);
        run_kernel(job, &task, array, array[INPUTS_MAX]);
        struct verdict verdict = {0};
        const void *const source[INPUTS_MAX] = {array[0], array[1], array[2]};
        judge_results(&judge, source, array[INPUTS_MAX], BLOCK, &verdict);
        pthread_mutex_lock(&job->lock);
        verdict_add(&job->verdict, &verdict);
        pthread_mutex_unlock(&job->lock);
    }
    judge_release(&judge);
    for (int i = 0; i <= INPUTS_MAX; i++)
        free(array[i]);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Runs the job and prints its line; the number of wrong results. */
static uint64_t run_job(struct job *job, int threads)
{
    pthread_t thread[64];
    double start = now();
    pthread_mutex_init(&job->lock, NULL);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, job))
            abort();
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&job->lock);
    const struct verdict *verdict = &job->verdict;
    printf("%-23s %s %-7s %-8s %-6s", operator_names[job->task.stem], formats[job->task.dtype].name,
           accuracy_names[job->accuracy], isa_level_name(job->level), sweep_names[job->sweep]);
    if (job->task.stem == SMOOTH_L1_LOSS_BACKWARD && job->sweep != TUPLES)
        printf(" beta=%g N=%llu g=%s", (double)job->task.beta, (unsigned long long)job->task.divisor,
               job->random_gradient ? "random" : "1");
    printf(" tried %llu wrong %llu", (unsigned long long)verdict->tried, (unsigned long long)verdict->wrong);
    if (verdict->wrong) {
        const struct format *format = &formats[job->task.dtype];
        printf(" greatest error %.4f ulp at", verdict->greatest_error);
        for (int i = 0; i < INPUTS_MAX; i++)
            printf(" %a", value_of(format, verdict->input[i]));
        printf(" got %0*llx wanted %0*llx", format->bits / 4, (unsigned long long)verdict->got,
               format->bits / 4, (unsigned long long)verdict->wanted);
    }
    printf(" (%llu by integers, %.1f s)\n", (unsigned long long)verdict->exact, now() - start);
    fflush(stdout);
    return verdict->wrong;
}

/* All jobs of one kernel. */
static uint64_t prove_kernel(const struct options *options, struct job kernel)
{
    const enum arithmetic dtype = kernel.task.dtype;
    const enum reference_operator stem = kernel.task.stem;
    const bool narrow = formats[dtype].bits == 16;
    uint64_t wrong = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        if ((options->sweep >= 0 && options->sweep != sweep) || (sweep == PAIRS && !narrow) ||
            (sweep == LINE && dtype != ARITHMETIC_FP32))
            continue;
        struct job job = kernel;
        job.sweep = (enum sweep)sweep;
        job.stride = sweep == TUPLES ? 1 : options->stride;
        job.blocks = sweep == TUPLES ? (options->tuples + BLOCK - 1) / BLOCK : 65536;
        if (sweep == PAIRS && stem == LEAKY_RELU_BACKWARD)
            job.blocks = (uint64_t)8 * 4096; /* kinds of x times slopes */
        if (stem != SMOOTH_L1_LOSS_BACKWARD || sweep == TUPLES) {
            wrong += run_job(&job, options->threads);
            continue;
        }
        static const float betas[] = {0, 1e-7F, 0.3F, 1, INFINITY};
        static const uint64_t divisors[] = {1, 3, 218560549};
        for (uint64_t variant = 0; variant < 30 && variant < options->variants; variant++) {
            struct job part = job;
            /* The first five already show every beta and divisor. */
            part.task.beta = betas[variant % 5];
            part.task.divisor = divisors[(variant / 5 + variant) % 3];
            part.random_gradient = variant / 15 != variant % 2;
            if (!part.random_gradient || sweep == PAIRS)
                wrong += run_job(&part, options->threads);
        }
    }
    return wrong;
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
    if (errno || *end || end == text || value < 1 || value > 1e18)
        argp_error(state, "%s is no number from 1 to 1e18", text);
    return (uint64_t)value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    const char *dtypes[ARITHMETICS];
    for (int i = 0; i < ARITHMETICS; i++)
        dtypes[i] = formats[i].name;
    const char *levels[ISA_LEVELS];
    for (int i = 0; i < ISA_LEVELS; i++)
        levels[i] = isa_level_name((enum isa_level)i);
    switch (key) {
    case 'o':
        options->stem = index_of(text, operator_names, REFERENCE_OPERATORS, state);
        return 0;
    case 'd':
        options->dtype = index_of(text, dtypes, ARITHMETICS, state);
        return 0;
    case 'a':
        options->accuracy = index_of(text, accuracy_names, ACCURACY_COUNT, state);
        return 0;
    case 'i':
        options->level = index_of(text, levels, (int)processor_level() + 1, state);
        return 0;
    case 's':
        options->sweep = index_of(text, sweep_names, SWEEPS, state);
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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int count, char **arguments)
{
    static const struct argp_option choices[] = {
        {"operator", 'o', "STEM", 0, "Only this operator", 0},
        {"dtype", 'd', "DTYPE", 0, "Only this dtype", 0},
        {"accuracy", 'a', "LEVEL", 0, "Only default or exact", 0},
        {"isa", 'i', "LEVEL", 0, "Only this instruction-set level", 0},
        {"sweep", 's', "KIND", 0, "Only pairs, line or tuples", 0},
        {"stride", 'k', "COUNT", 0, "Of the pairs and lines, one block of 65536 in COUNT (1: all)", 0},
        {"tuples", 't', "COUNT", 0, "Random tuples per kernel (1e6)", 0},
        {"variants", 'v', "COUNT", 0, "Attribute sets of smooth L1 in pairs and lines, at most 30", 0},
        {"threads", 'j', "COUNT", 0, "Threads (1)", 0},
        {0},
    };
    const struct argp parser = {choices, parse, NULL, "Judges the kernels over all their inputs.", 0, 0, 0};
    struct options options = {-1,          -1, -1, -1, -1, .stride = 1, .tuples = 1000000, .variants = 30,
                              .threads = 1};
    argp_parse(&parser, count, arguments, 0, NULL, &options);
    uint64_t wrong = 0;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++)
                for (int level = 0; level <= (int)processor_level(); level++) {
                    if ((options.stem >= 0 && options.stem != stem) ||
                        (options.dtype >= 0 && options.dtype != dtype) ||
                        (options.accuracy >= 0 && options.accuracy != accuracy) ||
                        (options.level >= 0 && options.level != level) ||
                        !kernel_table[stem][level]->run[accuracy][dtype])
                        continue;
                    struct job job = {.accuracy = (enum accuracy)accuracy, .level = (enum isa_level)level};
                    job.task = nth_task((enum reference_operator)stem, (enum arithmetic)dtype, 0);
                    wrong += prove_kernel(&options, job);
                }
    return wrong != 0;
}
