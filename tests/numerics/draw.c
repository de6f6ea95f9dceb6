/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/draw.h"

#include <math.h>
#include <pthread.h>

#include "numerics/family.h"

/* splitmix64 */
uint64_t draw_bits(struct generator *generator)
{
    uint64_t z = generator->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

uint64_t bits_of(const struct format *format, double value)
{
    uint64_t sign = signbit(value) ? magnitude_mask(format) + 1 : 0;
    if (isnan(value))
        return nan_bits(format);
    /* The greatest magnitude that does not exceed it. */
    uint64_t low = 0, high = infinity_bits(format) + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (value_of(format, middle) <= fabs(value))
            low = middle;
        else
            high = middle;
    }
    return sign | low;
}

/* Roots, ends of branches, and where a result stops being 1, normal or more than half of the least number. */
static const double landmark[] = {0,
                                  1,
                                  1.5,
                                  2,
                                  3,
                                  0.25,
                                  0.5,
                                  0.75,
                                  1.2784645427610738,
                                  2.3993572805154475,
                                  4,
                                  6,
                                  7,
                                  16,
                                  17,
                                  20,
                                  87,
                                  88,
                                  88.8,
                                  89,
                                  92,
                                  95,
                                  99,
                                  103,
                                  104,
                                  106,
                                  300,
                                  0.1};
enum { LANDMARKS = sizeof landmark / sizeof *landmark };

static pthread_once_t landmarks_found = PTHREAD_ONCE_INIT;
static uint64_t landmark_bits[ARITHMETICS][LANDMARKS];

static void find_landmarks(void)
{
    for (int dtype = 0; dtype < ARITHMETICS; dtype++)
        for (int i = 0; i < LANDMARKS; i++)
            landmark_bits[dtype][i] = bits_of(&formats[dtype], landmark[i]);
}

/* Of the eight kinds below those from the first on; the first comes in the place of those before it. */
static uint64_t draw_one_of(struct generator *generator, const struct format *format, unsigned first)
{
    const uint64_t random = draw_bits(generator), choice = draw_bits(generator);
    const uint64_t all = 2 * magnitude_mask(format) + 1, sign = random & (magnitude_mask(format) + 1);
    const uint64_t fraction_mask = ((uint64_t)1 << format->fraction_bits) - 1;
    const uint64_t pick = choice >> 8;
    const unsigned kind = choice % 8;
    switch (kind > first ? kind : first) {
    case 0:
        return random & all;
    case 1:
        pthread_once(&landmarks_found, find_landmarks);
        return (landmark_bits[format - formats][pick % LANDMARKS] + (pick >> 16) % 9 - 4) & all;
    case 2:
        return sign | (random & fraction_mask) >> pick % (uint64_t)format->fraction_bits; /* subnormal */
    case 3:
        return sign | (infinity_bits(format) - 2 + pick % 5);
    case 4:
    case 5: {
        uint64_t kept = pick % (uint64_t)format->fraction_bits;
        uint64_t exponent = (((uint64_t)1 << (format->exponent_bits - 1)) - 9 + (pick >> 8) % 16);
        return sign | exponent << format->fraction_bits | (random & (fraction_mask << kept) & fraction_mask);
    }
    default: {
        uint64_t exponent = (((uint64_t)1 << (format->exponent_bits - 1)) - 9 + pick % 15);
        return sign | exponent << format->fraction_bits | (random & fraction_mask);
    }
    }
}

uint64_t draw_element(struct generator *generator, const struct format *format)
{
    return draw_one_of(generator, format, 0);
}

void fold_result(const struct task *task, uint64_t *input)
{
    const struct format *format = &formats[ARITHMETIC_FP64];
    const double result = value_of(format, input[1]);
    if (task->dtype == ARITHMETIC_FP64 && (task->stem == SIGMOID_BACKWARD || task->stem == TANH_BACKWARD) &&
        isfinite(result) && fabs(result) > 1)
        input[1] = bits_of(format, 1 / result);
}

void draw_inputs(struct generator *generator, const struct task *task, uint64_t *input)
{
    static const unsigned first[] = {0, 4, 6, 6};
    const struct format *format = &formats[task->dtype];
    const unsigned run = (unsigned)(generator->inputs++ / 64 % 4);
    for (int i = 0; i < INPUTS_MAX; i++)
        input[i] = draw_one_of(generator, format, first[run]);
    uint64_t choice = draw_bits(generator);
    if (is_of_other_family(task->stem)) {
        if (run < 2 && choice % 4 == 0)
            family_of(task->stem)->draw(generator, task, input);
        fold_result(task, input);
        return;
    }
    if (run < 3 && choice % 4 == 0)
        input[task->stem == SMOOTH_L1_LOSS ? 0 : 2] =
            (input[1] + (choice >> 8) % 17 - 8) & (2 * magnitude_mask(format) + 1);
}

/* Any float, one of usual size, and one with a short significand, which makes ties. */
static float draw_float(struct generator *generator)
{
    const uint64_t random = draw_bits(generator), choice = draw_bits(generator);
    const struct format *format = &formats[ARITHMETIC_FP32];
    uint64_t sign = random >> 63 << 31, bits = random & 0xffffffff;
    if (choice % 3 > 0)
        bits = sign | (115 + (choice >> 8) % 16) << 23 | (random & 0x7fffff);
    if (choice % 3 == 2)
        bits &= ~(uint64_t)0 << (8 + (choice >> 16) % 16);
    return (float)value_of(format, bits);
}

struct task nth_task(enum reference_operator stem, enum arithmetic dtype, uint64_t index)
{
    static const double slopes[] = {0.01,
                                    -0.5,
                                    0,
                                    1,
                                    -0.0,
                                    0.3,
                                    1e-40,
                                    3e38,
                                    1.0 / 3,
                                    -0.2,
                                    (double)INFINITY,
                                    -(double)INFINITY,
                                    (double)NAN,
                                    0.1,
                                    0.2,
                                    0.5,
                                    -1,
                                    2,
                                    0x1p-126,
                                    1e-45,
                                    0.05,
                                    0.22916666667,
                                    1 + 0x1p-10,
                                    1e-3};
    static const float betas[] = {0, 1e-7F, 0.3F,  1,      INFINITY,   1e-40F, 0.7F,
                                  3, 1e30F, -0.0F, 1e-45F, 0x1.8p-20F, 0.25F,  8};
    static const uint64_t counts[] = {1, 3,       218560549, 1,      7, 1000003, ((uint64_t)1 << 40) + 12345,
                                      1, 8388607, 65536,     1 << 30};
    enum { SLOPES = sizeof slopes / sizeof *slopes, BETAS = sizeof betas / sizeof *betas };
    enum { COUNTS = sizeof counts / sizeof *counts };
    struct generator generator = {.state = index};
    struct task task = {.stem = stem, .dtype = dtype, .divisor = 1};
    if (has_slope(stem)) {
        task.slope = index < SLOPES ? slopes[index] : (double)draw_float(&generator);
        if (dtype != ARITHMETIC_FP64)
            task.slope = (double)(float)task.slope;
        else if (index >= SLOPES && index % 2)
            task.slope = value_of(&formats[ARITHMETIC_FP64], draw_bits(&generator));
    }
    if (is_calculation(stem)) {
        /* alpha is 1 in most calls. */
        const float alpha = draw_float(&generator);
        task.beta = index % 4 == 3 ? alpha : 1;
        if (!has_scalar(stem) && index % 2)
            task.slope = 1;
    }
    if (has_beta(stem)) {
        task.beta = betas[index % BETAS];
        task.divisor = counts[index / BETAS % COUNTS];
        if (index >= BETAS * COUNTS && index % 3) {
            float beta = draw_float(&generator);
            task.beta = isnan(beta) ? 1 : fabsf(beta);
        }
    }
    return task;
}
