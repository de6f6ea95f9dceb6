/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numerics/draw.h"

const char *const sweep_kind_names[SWEEP_KINDS] = {"pairs", "line", "tuples"};

/* The kinds of x that leaky relu tells apart, and neighbours of them. */
static const double kinds_of_x[] = {1, 0, -0.0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e-3};
enum { KINDS = sizeof kinds_of_x / sizeof *kinds_of_x, SLOPES = 4096 };

static unsigned smooth_l1_sweeps(struct sweep *sweeps, struct sweep sweep, uint64_t variants)
{
    static const float betas[] = {0, 1e-7F, 0.3F, 1, INFINITY};
    /* N = 1 stands for none and for sum, which are computed alike. */
    static const uint64_t divisors[] = {1, 3, 218560549};
    enum { BETAS = sizeof betas / sizeof *betas, DIVISORS = sizeof divisors / sizeof *divisors };
    unsigned count = 0;
    /* First one for each beta, which together show every divisor and gradient; then all others. */
    for (unsigned i = 0; i < BETAS + BETAS * DIVISORS * 2 && count < variants; i++) {
        unsigned rest = i - BETAS, beta = i < BETAS ? i : rest / (DIVISORS * 2);
        unsigned divisor = i < BETAS ? i % DIVISORS : rest / 2 % DIVISORS,
                 random = i < BETAS ? i % 2 : rest % 2;
        /* The loss has neither. */
        if (sweep.task.stem == SMOOTH_L1_LOSS && i >= BETAS)
            break;
        if (i >= BETAS && divisor == beta % DIVISORS && random == beta % 2)
            continue;
        sweep.task.beta = betas[beta];
        sweep.task.divisor = sweep.task.stem == SMOOTH_L1_LOSS ? 1 : divisors[divisor];
        sweep.random_gradient =
            sweep.kind == SWEEP_PAIRS && random && sweep.task.stem == SMOOTH_L1_LOSS_BACKWARD;
        if (sweep.kind == SWEEP_PAIRS || i < BETAS)
            sweeps[count++] = sweep;
    }
    return count;
}

unsigned sweeps_of(struct sweep *sweeps, enum reference_operator stem, enum arithmetic dtype, uint64_t stride,
                   uint64_t tuples, uint64_t variants)
{
    unsigned count = 0;
    /* 16 bits have their pairs. */
    const uint64_t most = formats[dtype].bits == 16 ? 1000000000 : UINT64_MAX;
    tuples = tuples < most ? tuples : most;
    for (int kind = 0; kind < SWEEP_KINDS; kind++) {
        struct sweep sweep = {.task = nth_task(stem, dtype, 0), .kind = (enum sweep_kind)kind};
        if ((kind == SWEEP_PAIRS && formats[dtype].bits != 16) ||
            (kind == SWEEP_LINE && dtype != ARITHMETIC_FP32))
            continue;
        if (is_calculation(stem) && !has_scalar(stem))
            sweep.task.slope = 1;
        sweep.blocks = kind == SWEEP_TUPLES ? (tuples + SWEEP_BLOCK - 1) / SWEEP_BLOCK : 65536;
        sweep.stride = kind == SWEEP_TUPLES ? 1 : stride;
        if (kind == SWEEP_PAIRS && stem == LEAKY_RELU_BACKWARD)
            sweep.blocks = KINDS * SLOPES;
        if (kind == SWEEP_PAIRS && reference_inputs(stem) == 1)
            sweep.blocks = has_slope(stem) ? SLOPES : 1;
        if (kind != SWEEP_TUPLES && has_beta(stem))
            count += smooth_l1_sweeps(sweeps + count, sweep, variants);
        else
            sweeps[count++] = sweep;
    }
    return count;
}

uint64_t sweep_pick(const struct sweep *sweep, uint64_t first)
{
    if (sweep->stride == 1)
        return first;
    /* At equal distances would show only some exponents. */
    struct generator generator = {.state = first};
    uint64_t left = sweep->blocks - first;
    return first + draw_bits(&generator) % (left < sweep->stride ? left : sweep->stride);
}

struct task sweep_task(const struct sweep *sweep, uint64_t block)
{
    const struct task *task = &sweep->task;
    if (sweep->kind == SWEEP_TUPLES)
        return nth_task(task->stem, task->dtype, block);
    if (sweep->kind == SWEEP_PAIRS && task->stem == LEAKY_RELU_BACKWARD)
        return nth_task(task->stem, task->dtype, block / KINDS);
    const bool has_attributes = task->stem == SWISH_BACKWARD || is_of_other_family(task->stem);
    /* Of two tensors: every pair with alpha = 1. */
    if (is_calculation(task->stem) && !has_scalar(task->stem))
        return *task;
    if (sweep->kind == SWEEP_PAIRS && (reference_inputs(task->stem) == 1 || has_attributes))
        return nth_task(task->stem, task->dtype, block);
    return *task;
}

static void put(void *array, enum arithmetic dtype, size_t index, uint64_t bits)
{
    switch (formats[dtype].bits) {
    case 16:
        ((uint16_t *)array)[index] = (uint16_t)bits;
        break;
    case 32:
        ((uint32_t *)array)[index] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)array)[index] = bits;
    }
}

static void put_all(void *array, enum arithmetic dtype, uint64_t bits)
{
    if (formats[dtype].bits == 16)
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint16_t *)array)[i] = (uint16_t)bits;
    else
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint32_t *)array)[i] = (uint32_t)bits;
}

/* first, first + 1, ... */
static void put_series(void *array, enum arithmetic dtype, uint64_t first)
{
    if (formats[dtype].bits == 16)
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint16_t *)array)[i] = (uint16_t)(first + i);
    else
        for (size_t i = 0; i < SWEEP_BLOCK; i++)
            ((uint32_t *)array)[i] = (uint32_t)(first + i);
}

static void fill_tuples(const struct sweep *sweep, uint64_t block, void *const *input)
{
    const struct task task = sweep_task(sweep, block);
    struct generator generator = {.state = block * SWEEP_BLOCK + 1};
    for (size_t i = 0; i < SWEEP_BLOCK; i++) {
        uint64_t bits[INPUTS_MAX];
        draw_inputs(&generator, &task, bits);
        for (int j = 0; j < INPUTS_MAX; j++)
            put(input[j], task.dtype, i, bits[j]);
    }
}

void sweep_fill(const struct sweep *sweep, uint64_t block, void *const *input)
{
    const struct task *task = &sweep->task;
    const enum arithmetic dtype = task->dtype;
    const struct format *format = &formats[dtype];
    if (sweep->kind == SWEEP_TUPLES) {
        fill_tuples(sweep, block, input);
        return;
    }
    const bool is_leaky_relu = task->stem == LEAKY_RELU_BACKWARD;
    const bool is_smooth = task->stem == SMOOTH_L1_LOSS_BACKWARD;
    const uint64_t first = sweep->kind == SWEEP_LINE ? block * SWEEP_BLOCK : 0;
    if (task->stem == SMOOTH_L1_LOSS) {
        put_series(input[0], dtype, first);
        put_all(input[1], dtype, sweep->kind == SWEEP_PAIRS ? block : bits_of(format, 0.1));
        return;
    }
    if (reference_inputs(task->stem) == 1) {
        put_series(input[0], dtype, first);
        return;
    }
    put_series(input[is_leaky_relu ? 0 : 1], dtype, first);
    if (is_leaky_relu)
        put_all(input[1], dtype, bits_of(format, sweep->kind == SWEEP_LINE ? -1 : kinds_of_x[block % KINDS]));
    else
        put_all(input[0], dtype, sweep->kind == SWEEP_PAIRS && !is_smooth ? block : bits_of(format, 1));
    if (is_smooth)
        put_all(input[2], dtype, sweep->kind == SWEEP_PAIRS ? block : bits_of(format, 0.1));
    /* One for 64 elements: among that many an extreme one would keep kernels from their fast ways. */
    if (sweep->random_gradient) {
        struct generator generator = {.state = block};
        for (size_t i = 0; i < SWEEP_BLOCK; i += 64) {
            uint64_t bits = draw_bits(&generator);
            for (size_t j = 0; j < 64; j++)
                put(input[0], dtype, i + j, bits);
        }
    }
}

/* What draw_inputs() draws alike. */
static bool is_drawn_alike(const struct sweep *sweep)
{
    return sweep->kind == SWEEP_TUPLES && !is_of_other_family(sweep->task.stem) &&
           sweep->task.stem != SMOOTH_L1_LOSS;
}

bool sweep_same_inputs(const struct sweep *first, const struct sweep *second)
{
    return is_drawn_alike(first) && is_drawn_alike(second) && first->task.dtype == second->task.dtype &&
           first->blocks == second->blocks && first->stride == second->stride;
}

void sweep_describe(const struct sweep *sweep, char *text, unsigned long size)
{
    *text = '\0';
    if (sweep->task.stem == SMOOTH_L1_LOSS && sweep->kind != SWEEP_TUPLES)
        snprintf(text, size, "beta=%g", (double)sweep->task.beta);
    else if (sweep->task.stem == SMOOTH_L1_LOSS_BACKWARD && sweep->kind != SWEEP_TUPLES)
        snprintf(text, size, "beta=%g N=%llu g=%s", (double)sweep->task.beta,
                 (unsigned long long)sweep->task.divisor, sweep->random_gradient ? "random" : "1");
    else if (is_calculation(sweep->task.stem) && !has_scalar(sweep->task.stem) && sweep->kind != SWEEP_TUPLES)
        snprintf(text, size, "%s", sweep->task.stem == ADD || sweep->task.stem == SUB ? "alpha=1" : "");
    else if (has_slope(sweep->task.stem) && sweep->kind == SWEEP_LINE)
        snprintf(text, size, "%s=%g", has_scalar(sweep->task.stem) ? "other" : "slope", sweep->task.slope);
}
