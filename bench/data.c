/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes a block of numbers and repeats it: the kernels do not learn, and 64 million normal numbers take long.
 */
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A prime, so that the repetition falls on other lanes each time. */
enum { BLOCK = 262147 };

const char *data_set_name(enum data_set data_set)
{
    static const char *const name[] = {"normal",    "wide",     "uniform",  "ties", "zero_gradient",
                                       "subnormal", "nan",      "constant", "far",  "mixed",
                                       "infinite",  "in_place", "scattered"};
    return name[data_set];
}

static uint64_t random_state;

/* xorshift64*, of Marsaglia and Vigna. */
static uint64_t random_bits(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1d;
}

/* Above 0, at most 1. */
static double uniform(void)
{
    return ((double)(random_bits() >> 11) + 1) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double smallest_normal(enum dtype dtype)
{
    return dtype == FP16 ? 0x1p-14 : dtype == FP64 ? 0x1p-1022 : 0x1p-126;
}

static double draw(enum data_set data_set, enum dtype dtype, enum operand operand, bool has_gradient)
{
    switch (data_set) {
    case DATA_WIDE:
        return 3 * normal();
    case DATA_UNIFORM:
        return 40 * uniform() - 20;
    case DATA_TIES:
        return rint(8 * normal()) / 8;
    case DATA_ZERO_GRADIENT:
        return operand == FIRST ? 0 : normal();
    case DATA_SUBNORMAL:
        return operand == FIRST ? normal() * smallest_normal(dtype) / 8 : normal();
    case DATA_NAN:
        return uniform() < 0.5 ? (double)NAN : normal();
    case DATA_CONSTANT:
        return operand == FIRST ? 0.75 : operand == SECOND ? 1.5 : 1.25;
    case DATA_IN_PLACE:
        return operand == FIRST ? 3 + fabs(normal()) : uniform() < 0.5 ? -1 : 1;
    case DATA_SCATTERED:
        return copysign(exp(-40 * uniform()), normal());
    case DATA_FAR:
        return operand == FIRST && has_gradient ? normal() : 200 * uniform() - 100;
    case DATA_MIXED:
        return operand == FIRST && uniform() < 0.5 ? normal() * smallest_normal(dtype) / 8 : normal();
    case DATA_INFINITE:
        return operand == FIRST && uniform() < 0.5 ? copysign((double)INFINITY, normal()) : normal();
    default:
        return normal();
    }
}

/* Rounding may be any that keeps the value's kind; these are inputs. */
static uint16_t fp16_bits(double value)
{
    if (isnan(value))
        return 0x7e00;
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isinf(value))
        return sign | 0x7c00;
    value = fabs(value);
    if (value < 0x1p-14)
        return (uint16_t)(sign | (uint16_t)rint(value * 0x1p24));
    int exponent;
    double fraction = frexp(value, &exponent);
    return (uint16_t)(sign | (uint16_t)(((exponent + 14) << 10) + (int)rint((fraction * 2 - 1) * 1024)));
}

static uint16_t bf16_bits(double value)
{
    if (isnan(value))
        return 0x7fc0;
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return (uint16_t)((bits + 0x8000) >> 16);
}

/* Integers get 16 times the value, all of INT8's range for normal numbers, and none of them 0. */
static void put_integer(unsigned char *to, enum dtype dtype, double value)
{
    double whole = rint(16 * value);
    int64_t integer = whole > 127 ? 127 : whole < -127 ? -127 : whole == 0 ? 1 : (int64_t)whole;
    memcpy(to, &integer, (size_t)workload_dtype_bytes(dtype));
}

static void put(unsigned char *to, enum dtype dtype, double value)
{
    if (dtype >= INT32) {
        put_integer(to, dtype, value);
        return;
    }
    float single = (float)value;
    uint16_t half = dtype == FP16 ? fp16_bits(value) : bf16_bits(value);
    if (dtype == FP64)
        memcpy(to, &value, sizeof value);
    else if (dtype == FP32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &half, sizeof half);
}

void data_fill(const struct workload *workload, enum data_set data_set)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        if (!workload_has_operand(workload, operand))
            continue;
        enum dtype dtype = workload_dtype(workload, operand);
        size_t bytes = (size_t)workload_dtype_bytes(dtype);
        unsigned char *memory = workload->memory[operand];
        size_t total = (size_t)workload->view[operand].storage * bytes;
        if (operand == OUT) {
            memset(memory, 0, total);
            continue;
        }
        random_state = 0x9e3779b97f4a7c15 * (uint64_t)(operand + 1);
        size_t block = total < BLOCK * bytes ? total : BLOCK * bytes;
        for (size_t at = 0; at < block; at += bytes)
            put(memory + at, workload->dtype,
                draw(data_set, workload->dtype, operand, workload->subject->inputs > 1));
        for (size_t at = block; at < total; at += block)
            memcpy(memory + at, memory, total - at < block ? total - at : block);
    }
}
