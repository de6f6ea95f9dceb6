/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * prove_conversions: what aclnnCast and aclnnInplaceCopy make of elements, on every level, against a
 * reference in integers: from every dtype to every other one, all elements of 32 bits and less, and of longer
 * ones as many as it is told, drawn where it is hard. A line for each pair; the exit status is 1 if any
 * result was another.
 */
#include <argp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/fingerprints.h"
#include "ops/transfer.h"
#include "support/conversion.h"
#include "support/conversion_draw.h"
#include "tensor/dtype.h"

enum { BLOCK = CONVERT_MAX * 64, THREADS_MAX = 64 };

struct choices {
    int from; /* in conversion_dtypes; -1: all */
    uint64_t count, stride;
    int threads;
    const char *state_path;
};

/* What was found of one dtype's elements. */
struct findings {
    uint64_t tried, wrong[CONVERSION_DTYPES][ISA_KERNEL_LEVELS];
    unsigned char example[CONVERSION_DTYPES][ISA_KERNEL_LEVELS]
                         [16]; /* an element that became something else */
};

struct work {
    const struct choices *choices;
    aclDataType from;
    bool is_whole; /* every element there is */
    uint64_t blocks;
    pthread_mutex_t lock; /* guards all below */
    uint64_t next;
    struct findings found;
};

static bool is_short(aclDataType dtype)
{
    return conversion_bytes(dtype) <= 4;
}

static void fill(const struct work *work, uint64_t block, unsigned char *source)
{
    const size_t bytes = conversion_bytes(work->from);
    /* Each block a row of its own: what it has does not depend on who draws it. */
    uint64_t state = (block + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    for (uint64_t i = 0; i < BLOCK; i++) {
        uint64_t number = block * BLOCK + i;
        if (work->is_whole)
            memcpy(source + i * bytes, &number, bytes);
        else
            conversion_draw(&state, work->from, number, source + i * bytes);
    }
}

static void compare(const struct work *work, int to, const unsigned char *source,
                    const unsigned char *expected, unsigned char *result, struct findings *found)
{
    const size_t from_bytes = conversion_bytes(work->from), bytes = conversion_bytes(conversion_dtypes[to]);
    for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
        transfer_of(level)->convert(source, work->from, result, conversion_dtypes[to], BLOCK);
        if (memcmp(result, expected, BLOCK * bytes) == 0)
            continue;
        for (size_t i = 0; i < BLOCK; i++)
            if (memcmp(result + i * bytes, expected + i * bytes, bytes) != 0 &&
                found->wrong[to][level]++ == 0)
                memcpy(found->example[to][level], source + i * from_bytes, from_bytes);
    }
}

static void add_findings(struct findings *sum, const struct findings *found)
{
    sum->tried += found->tried;
    for (int to = 0; to < CONVERSION_DTYPES; to++)
        for (int level = 0; level < ISA_KERNEL_LEVELS; level++) {
            if (sum->wrong[to][level] == 0)
                memcpy(sum->example[to][level], found->example[to][level], sizeof sum->example[to][level]);
            sum->wrong[to][level] += found->wrong[to][level];
        }
}

static void *work_on(void *argument)
{
    struct work *work = argument;
    const size_t from_bytes = conversion_bytes(work->from);
    static const struct findings nothing;
    struct findings found = nothing;
    unsigned char *source = aligned_alloc(64, BLOCK * 16), *expected = aligned_alloc(64, BLOCK * 16),
                  *result = aligned_alloc(64, BLOCK * 16);
    if (!source || !expected || !result)
        abort();
    for (;;) {
        pthread_mutex_lock(&work->lock);
        uint64_t block = work->next;
        work->next += work->choices->stride;
        pthread_mutex_unlock(&work->lock);
        if (block >= work->blocks)
            break;
        fill(work, block, source);
        for (int to = 0; to < CONVERSION_DTYPES; to++) {
            aclDataType dtype = conversion_dtypes[to];
            size_t bytes = conversion_bytes(dtype);
            if (dtype == work->from)
                continue;
            for (size_t i = 0; i < BLOCK; i++)
                conversion_reference(source + i * from_bytes, work->from, expected + i * bytes, dtype);
            compare(work, to, source, expected, result, &found);
        }
        found.tried += BLOCK;
    }
    free(source);
    free(expected);
    free(result);
    pthread_mutex_lock(&work->lock);
    add_findings(&work->found, &found);
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

/* By which it is known what was judged: of the code that converts, on all levels. */
static unsigned kernels(void)
{
    for (unsigned i = 0; i < sizeof fingerprints / sizeof *fingerprints; i++)
        if (strcmp(fingerprints[i].stem, "convert") == 0)
            return (unsigned)(fingerprints[i].hash >> 32);
    abort();
}

/* Prints what was found, and keeps it in the state. */
static bool print_findings(const struct work *work, FILE *state)
{
    bool is_good = true;
    for (int to = 0; to < CONVERSION_DTYPES; to++) {
        if (conversion_dtypes[to] == work->from)
            continue;
        for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
            uint64_t wrong = work->found.wrong[to][level];
            is_good = is_good && wrong == 0;
            printf("%08x cast %-10s to %-10s %-8s %s tried %12llu wrong %llu", kernels(),
                   dtype_name(work->from), dtype_name(conversion_dtypes[to]), isa_level_name(level),
                   work->is_whole ? "all   " : "random", (unsigned long long)work->found.tried,
                   (unsigned long long)wrong);
            for (size_t i = conversion_bytes(work->from); wrong > 0 && i > 0; i--)
                printf("%s%02x", i == conversion_bytes(work->from) ? ", such as that of 0x" : "",
                       work->found.example[to][level][i - 1]);
            printf("\n");
        }
    }
    if (is_good && state)
        fprintf(state, "%08x %s %llu\n", kernels(), dtype_name(work->from),
                (unsigned long long)work->found.tried);
    fflush(NULL);
    return is_good;
}

/* Whether the state says that so many elements were right with these kernels. */
static bool is_known(FILE *state, aclDataType from, uint64_t count)
{
    char name[32];
    unsigned hash;
    unsigned long long tried;
    if (state)
        rewind(state);
    while (state && fscanf(state, "%x %31s %llu", &hash, name, &tried) == 3)
        if (hash == kernels() && strcmp(name, dtype_name(from)) == 0 && tried >= count) {
            printf("%08x cast %s to all others: %llu were right before\n", hash, name, tried);
            return true;
        }
    return false;
}

static bool judge_all_of(aclDataType from, const struct choices *choices, FILE *state)
{
    struct work work = {.choices = choices, .from = from, .is_whole = is_short(from)};
    uint64_t count = work.is_whole ? UINT64_C(1) << 8 * conversion_bytes(from) : choices->count;
    /* Of 8 bits a block has each many times. */
    work.blocks = (count + BLOCK - 1) / BLOCK;
    if (is_known(state, from, (work.blocks + choices->stride - 1) / choices->stride * BLOCK))
        return true;
    pthread_t thread[THREADS_MAX];
    pthread_mutex_init(&work.lock, NULL);
    for (int i = 0; i < choices->threads; i++)
        if (pthread_create(&thread[i], NULL, work_on, &work))
            abort();
    for (int i = 0; i < choices->threads; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_destroy(&work.lock);
    return print_findings(&work, state);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct choices *choices = state->input;
    if (!text) /* no option: each has a value */
        return ARGP_ERR_UNKNOWN;
    const double number = strtod(text, NULL);
    switch (key) {
    case 'd':
        for (int i = 0; i < CONVERSION_DTYPES; i++)
            if (strcmp(text, dtype_name(conversion_dtypes[i])) == 0)
                choices->from = i;
        if (choices->from < 0)
            argp_error(state, "%s is not a dtype", text);
        return 0;
    case 't':
    case 'k':
    case 'j':
        if (!(number >= 1 && number <= 1e15))
            argp_error(state, "%s is not a number from 1 to 1e15", text);
        if (key == 't')
            choices->count = (uint64_t)number;
        else if (key == 'k')
            choices->stride = (uint64_t)number;
        else
            choices->threads = number < THREADS_MAX ? (int)number : THREADS_MAX;
        return 0;
    case 'f':
        choices->state_path = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int count, char **arguments)
{
    static const struct argp_option known[] = {
        {"dtype", 'd', "DTYPE", 0, "Only from this dtype", 0},
        {"stride", 'k', "COUNT", 0, "One block of 65536 elements in COUNT (1: all)", 0},
        {"tuples", 't', "COUNT", 0, "Elements of each dtype of more than 32 bits (1e6)", 0},
        {"threads", 'j', "COUNT", 0, "Threads (1)", 0},
        {"state", 'f', "FILE", 0, "Keep what is done in FILE, and do only the rest", 0},
        {0},
    };
    const struct argp parser = {known, parse, NULL, "Judges conversions between dtypes.", 0, 0, 0};
    struct choices choices = {.from = -1, .count = 1000000, .stride = 1, .threads = 1};
    argp_parse(&parser, count, arguments, 0, NULL, &choices);
    FILE *state = NULL;
    if (choices.state_path && !(state = fopen(choices.state_path, "a+"))) {
        perror(choices.state_path);
        return 2;
    }
    bool is_good = true;
    for (int i = 0; i < CONVERSION_DTYPES; i++)
        if (choices.from < 0 || choices.from == i)
            is_good = judge_all_of(conversion_dtypes[i], &choices, state) && is_good;
    if (state)
        fclose(state);
    return is_good ? 0 : 1;
}
