/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One model on llama.cpp's CPU back end and on CANN devices, side by side.
 *
 *     model text FILE FLASH DEVICES              the 128 tokens that each finds likeliest, one after the
 * other, agree model logits FILE FLASH NMSE AGREEING      the same 96 tokens given to both: errors and
 * likeliest tokens model speed FILE FLASH THREADS             milliseconds for 256 tokens at once and for one
 * after the other
 *
 * FLASH is 0 or 1: whether attention is one operator. The exit status is 0 where all is as it should be.
 * speed prints medians of rounds that take turns, and the memory that the device's side takes beside that of
 * weights and cache.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ggml-backend.h"
#include "llama.h"

enum {
    CONTEXT = 512,
    PROMPT = 17,
    TEXT = 128,
    GIVEN = 96,
    AT_ONCE = 32,
    ROUNDS = 7,
    PREFILL = 256,
    DECODE = 16
};

struct side {
    struct llama_model *model;
    struct llama_context *context;
    const struct llama_vocab *vocab;
    int tokens;
};

static void stop(const char *why)
{
    fprintf(stderr, "model: %s\n", why);
    exit(2);
}

static void log_faults(enum ggml_log_level level, const char *text, void *context)
{
    (void)context;
    if (level == GGML_LOG_LEVEL_ERROR)
        fputs(text, stderr);
}

static int number_of(const char *text)
{
    return (int)strtol(text, NULL, 10);
}

/* On so many devices, 0 being the CPU alone. */
static struct side open_side(const char *path, int devices, bool flash, int threads)
{
    ggml_backend_dev_t device[3] = {NULL};
    struct llama_model_params model = llama_model_default_params();
    struct llama_context_params context = llama_context_default_params();
    for (int i = 0; i < devices; i++) {
        char name[16];
        snprintf(name, sizeof name, "CANN%d", i);
        device[i] = ggml_backend_dev_by_name(name);
        if (device[i] == NULL)
            stop("there are not so many CANN devices");
    }
    model.devices = device;
    model.use_extra_bufts = false; /* AMX, which some virtual machines announce and do not have */
    model.n_gpu_layers = devices > 0 ? 999 : 0;
    model.split_mode = devices > 1 ? LLAMA_SPLIT_MODE_LAYER : LLAMA_SPLIT_MODE_NONE;
    context.n_ctx = CONTEXT;
    context.n_batch = context.n_ubatch = PREFILL;
    context.n_threads = context.n_threads_batch = threads;
    context.flash_attn_type = flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    context.op_offload = devices > 0;
    context.offload_kqv = devices > 0;
    struct side side = {.model = llama_model_load_from_file(path, model)};
    if (side.model == NULL)
        stop("the model cannot be loaded");
    side.context = llama_init_from_model(side.model, context);
    if (side.context == NULL)
        stop("there is no context");
    side.vocab = llama_model_get_vocab(side.model);
    side.tokens = llama_vocab_n_tokens(side.vocab);
    return side;
}

static void close_side(struct side *side)
{
    llama_free(side->context);
    llama_model_free(side->model);
}

/* The logits behind the last of so many tokens. */
static const float *give(struct side *side, llama_token *token, int count)
{
    if (llama_decode(side->context, llama_batch_get_one(token, count)) != 0)
        stop("llama_decode failed");
    return llama_get_logits_ith(side->context, -1);
}

static llama_token likeliest(const struct side *side, const float *logits)
{
    llama_token found = 0;
    for (llama_token i = 1; i < side->tokens; i++)
        if (logits[i] > logits[found])
            found = i;
    return found;
}

/* The same numbers each time. */
static void draw_tokens(const struct side *side, llama_token *token, int count)
{
    uint32_t state = 12345;
    for (int i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        token[i] = 3 + (llama_token)((state >> 8) % (uint32_t)(side->tokens - 3));
    }
}

static void write_text(struct side *side, llama_token *text)
{
    llama_token prompt[PROMPT];
    draw_tokens(side, prompt, PROMPT);
    const float *logits = give(side, prompt, PROMPT);
    for (int i = 0; i < TEXT; i++) {
        text[i] = likeliest(side, logits);
        if (i + 1 < TEXT)
            logits = give(side, &text[i], 1);
    }
}

static int compare_text(const char *path, bool flash, int devices)
{
    llama_token text[2][TEXT];
    for (int i = 0; i < 2; i++) {
        struct side side = open_side(path, i == 0 ? 0 : devices, flash, 2);
        write_text(&side, text[i]);
        close_side(&side);
    }
    for (int i = 0; i < TEXT; i++)
        if (text[0][i] != text[1][i]) {
            printf("token %d of %d is %d; the CPU has %d\n", i, TEXT, text[1][i], text[0][i]);
            return 1;
        }
    printf("%d tokens agree\n", TEXT);
    return 0;
}

static int compare_logits(const char *path, bool flash, double most, int least)
{
    struct side side[2] = {open_side(path, 0, flash, 2), open_side(path, 1, flash, 2)};
    llama_token token[GIVEN + AT_ONCE];
    double error = 0, size = 0;
    int agreeing = 0;
    draw_tokens(&side[0], token, GIVEN + AT_ONCE);
    for (int i = 0; i <= GIVEN; i++) {
        const float *logits[2];
        for (int k = 0; k < 2; k++)
            logits[k] = i == 0 ? give(&side[k], token, AT_ONCE) : give(&side[k], &token[AT_ONCE + i - 1], 1);
        if (i == 0)
            continue;
        for (int j = 0; j < side[0].tokens; j++) {
            const double difference = (double)logits[1][j] - (double)logits[0][j];
            error += difference * difference;
            size += (double)logits[0][j] * (double)logits[0][j];
        }
        agreeing += likeliest(&side[0], logits[0]) == likeliest(&side[1], logits[1]);
    }
    printf("NMSE %.2g, %d of %d agree\n", error / size, agreeing, GIVEN);
    close_side(&side[0]);
    close_side(&side[1]);
    return error / size <= most && agreeing >= least ? 0 : 1;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare_doubles(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(double *value)
{
    qsort(value, ROUNDS, sizeof *value, compare_doubles);
    return value[ROUNDS / 2];
}

static size_t free_bytes(void)
{
    size_t free_now, all;
    ggml_backend_dev_memory(ggml_backend_dev_by_name("CANN0"), &free_now, &all);
    return free_now;
}

/* Keys and values of each position, of 16 bits. */
static double cache_bytes(const struct llama_model *model)
{
    const int width = llama_model_n_embd(model) / llama_model_n_head(model) * llama_model_n_head_kv(model);
    return 2.0 * 2 * width * llama_model_n_layer(model) * CONTEXT;
}

static int compare_speed(const char *path, bool flash, const char *threads)
{
    double prefill[2][ROUNDS], decode[2][ROUNDS];
    llama_token token[PREFILL];
    setenv("BELAY_THREADS", threads, 1); /* before anything asks */
    const size_t free_before = free_bytes();
    struct side side[2] = {open_side(path, 0, flash, number_of(threads)),
                           open_side(path, 1, flash, number_of(threads))};
    draw_tokens(&side[0], token, PREFILL);
    for (int round = -1; round < ROUNDS; round++) /* the first one warms up */
        for (int k = 0; k < 2; k++) {
            llama_memory_clear(llama_get_memory(side[k].context), true);
            const double begin = now_ms();
            give(&side[k], token, PREFILL);
            const double middle = now_ms();
            for (int i = 0; i < DECODE; i++)
                give(&side[k], &token[i], 1);
            if (round >= 0) {
                prefill[k][round] = middle - begin;
                decode[k][round] = (now_ms() - middle) / DECODE;
            }
        }
    const double weights = (double)llama_model_size(side[1].model), cache = cache_bytes(side[1].model);
    const double used = (double)(free_before - free_bytes());
    for (int k = 0; k < 2; k++)
        printf("%-5s %d tokens in %8.2f ms, 1 in %7.3f ms\n", k == 0 ? "CPU" : "CANN", PREFILL,
               median(prefill[k]), median(decode[k]));
    printf("ratio %.2f and %.2f; %.1f MB of device memory, %.2f of weights and cache\n",
           median(prefill[0]) / median(prefill[1]), median(decode[0]) / median(decode[1]), used / 1e6,
           used / (weights + cache));
    close_side(&side[0]);
    close_side(&side[1]);
    return 0;
}

int main(int count, char **argument)
{
    llama_log_set(log_faults, NULL);
    const char *verb = count > 3 ? argument[1] : "";
    if (strcmp(verb, "text") == 0 && count == 5)
        return compare_text(argument[2], number_of(argument[3]) != 0, number_of(argument[4]));
    if (strcmp(verb, "logits") == 0 && count == 6)
        return compare_logits(argument[2], number_of(argument[3]) != 0, strtod(argument[4], NULL),
                              number_of(argument[5]));
    if (strcmp(verb, "speed") == 0 && count == 5)
        return compare_speed(argument[2], number_of(argument[3]) != 0, argument[4]);
    stop("text FILE FLASH DEVICES, logits FILE FLASH NMSE AGREEING or speed FILE FLASH THREADS is expected");
}
