/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sweeps and the judge as a library of plain functions, so that scripts/prove_torch.py can put another
 * implementation to the same test. One operator and dtype at a time, one thread.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numerics/judge.h"
#include "numerics/sweep.h"

#pragma GCC visibility push(default)

/* Chooses the operator and dtype; the number of its sweeps, or -1. */
int peer_open(const char *stem, const char *dtype, uint64_t stride, uint64_t tuples);

/* The number of blocks that sweep i tries. */
uint64_t peer_blocks(int i);

/* The inputs of the sweep's n-th block: SWEEP_BLOCK elements each. */
void peer_fill(int i, uint64_t n, void *g, void *x, void *t);

/* The attributes of that block. */
void peer_attributes(int i, uint64_t n, double *slope, double *beta, uint64_t *divisor);

/* Judges results for them. Every NaN counts as the canonical one. */
void peer_judge(int i, uint64_t n, const void *g, const void *x, const void *t, void *output);

/* The sweep's line so far. */
void peer_print(int i, char *text, size_t size);

#pragma GCC visibility pop

static struct sweep sweeps[VARIANTS_MAX * SWEEP_KINDS];
static struct verdict verdicts[VARIANTS_MAX * SWEEP_KINDS];
static struct judge judge;
static bool is_open;

int peer_open(const char *stem, const char *dtype, uint64_t stride, uint64_t tuples)
{
    int which_stem = 0, which_dtype = 0;
    while (which_stem < REFERENCE_OPERATORS && strcmp(stem, reference_operator_names[which_stem]) != 0)
        which_stem++;
    while (which_dtype < ARITHMETICS && strcmp(dtype, formats[which_dtype].name) != 0)
        which_dtype++;
    if (which_stem == REFERENCE_OPERATORS || which_dtype == ARITHMETICS)
        return -1;
    if (is_open)
        judge_release(&judge);
    memset(verdicts, 0, sizeof verdicts);
    unsigned count = sweeps_of(sweeps, (enum reference_operator)which_stem, (enum arithmetic)which_dtype,
                               stride, tuples, 30);
    judge_init(&judge, &sweeps[0].task);
    is_open = true;
    return (int)count;
}

uint64_t peer_blocks(int i)
{
    return (sweeps[i].blocks + sweeps[i].stride - 1) / sweeps[i].stride;
}

static uint64_t nth_block(int i, uint64_t n)
{
    return sweep_pick(&sweeps[i], n * sweeps[i].stride);
}

void peer_fill(int i, uint64_t n, void *g, void *x, void *t)
{
    void *const input[INPUTS_MAX] = {g, x, t};
    sweep_fill(&sweeps[i], nth_block(i, n), input);
}

void peer_attributes(int i, uint64_t n, double *slope, double *beta, uint64_t *divisor)
{
    const struct task task = sweep_task(&sweeps[i], nth_block(i, n));
    *slope = task.slope;
    *beta = (double)task.beta;
    *divisor = task.divisor;
}

void peer_judge(int i, uint64_t n, const void *g, const void *x, const void *t, void *output)
{
    const enum arithmetic dtype = sweeps[i].task.dtype;
    const struct format *format = &formats[dtype];
    const size_t bytes = (size_t)format->bits / 8;
    for (size_t j = 0; j < SWEEP_BLOCK; j++) {
        uint64_t bits = 0, nan = nan_bits(format);
        memcpy(&bits, (char *)output + j * bytes, bytes);
        if ((bits & magnitude_mask(format)) > infinity_bits(format))
            memcpy((char *)output + j * bytes, &nan, bytes);
    }
    const void *const input[INPUTS_MAX] = {g, x, t};
    struct verdict verdict = {0};
    judge.task = sweep_task(&sweeps[i], nth_block(i, n));
    judge_results(&judge, input, output, SWEEP_BLOCK, &verdict);
    verdict_add(&verdicts[i], &verdict);
}

void peer_print(int i, char *text, size_t size)
{
    const struct verdict *verdict = &verdicts[i];
    const struct format *format = &formats[sweeps[i].task.dtype];
    const int digits = format->bits / 4;
    char detail[80];
    sweep_describe(&sweeps[i], detail, sizeof detail);
    int length = snprintf(
        text, size,
        "%-23s %s %-6s %-29s tried %11" PRIu64 " wrong %10" PRIu64 " (%" PRIu64 " in sign, infinity or NaN)",
        reference_operator_names[sweeps[i].task.stem], format->name, sweep_kind_names[sweeps[i].kind], detail,
        verdict->tried, verdict->wrong, verdict->misfits);
    if ((verdict->greatest_error == 0 && verdict->wrong == 0) || length < 0 || (size_t)length >= size)
        return;
    snprintf(text + length, size - (size_t)length,
             " greatest error %.6g ulp at %0*" PRIx64 " %0*" PRIx64 " %0*" PRIx64
             " slope %g beta %g: %0*" PRIx64 ", exactly %0*" PRIx64,
             verdict->greatest_error, digits, verdict->input[0], digits, verdict->input[1], digits,
             verdict->input[2], verdict->task.slope, (double)verdict->task.beta, digits, verdict->got, digits,
             reference_integer(&verdict->task, verdict->input));
}
