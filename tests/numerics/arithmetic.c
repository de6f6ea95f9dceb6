/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * arithmetic [BLOCKS]: the kernels of Add, Sub, Mul and Div on every level. Those of floats against MPFR,
 * which rounds once, and a sample against integers (GMP); those of integers and complex numbers against each
 * other. Prints a line for each kernel: how many inputs were tried, and how many results were wrong.
 *
 * A block is as many random pairs, and in 16 bits one element with every fourth of the other input; 262144
 * BLOCKS are every pair of FLOAT16 or BFLOAT16 that there is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/draw.h"
#include "numerics/sweep.h"
#include "ops/pointwise/arithmetic.h"
#include "base/processor.h"
#include "simd/vector/kernel.h"

enum { BLOCK = 16384, PHASES = 65536 / BLOCK, SAMPLE = 61, BYTES_MOST = 16 };

enum { STEMS = ADDS - ADD };

KERNEL_LEVELS(linear);
KERNEL_LEVELS(mul);
KERNEL_LEVELS(div);
static const struct kernels *const *const tables[STEMS] = {linear_kernels, linear_kernels, mul_kernels,
                                                           div_kernels};

/* The parameters that are tried; other is NaN where there is a second tensor. */
static const struct {
    double alpha, other;
} variants[] = {{1, (double)NAN},
                {-1, (double)NAN},
                {0x1.333334p-2, (double)NAN},
                {-3, (double)NAN},
                {0x1p-70, (double)NAN},
                {0x1.8p+60, (double)NAN},
                {1, 0x1.99999ap-4},
                {0x1.333334p-2, -0x1.99999ap-4},
                {-1, 0x1.4p-80},
                {0x1.8p+3, 0x1.fffffep+90},
                {0, 3},
                {1, 0x1p-149}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static union {
    unsigned char bytes[BLOCK * BYTES_MOST];
    _Alignas(64) uint64_t words[BLOCK * BYTES_MOST / 8];
} first, second, result, other_result;

/* The task with a second tensor, or with the scalar other. Sub's kernel gets alpha with the other sign. */
static struct task task_of(enum reference_operator stem, enum arithmetic dtype, double alpha, double other)
{
    const bool is_scalar = !isnan(other);
    if (stem == SUB)
        alpha = -alpha;
    return (struct task){.stem = is_scalar ? stem - ADD + ADDS : stem,
                         .dtype = dtype,
                         .slope = is_scalar ? other : alpha,
                         .beta = (float)alpha};
}

static uint64_t wrong_of(const struct task *task)
{
    const size_t bytes = (size_t)formats[task->dtype].bits / 8;
    uint64_t wrong = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t input[INPUTS_MAX] = {0}, found = 0;
        memcpy(&input[0], first.bytes + i * bytes, bytes);
        memcpy(&input[1], second.bytes + i * bytes, bytes);
        memcpy(&found, result.bytes + i * bytes, bytes);
        const uint64_t expected = reference_mpfr(task, input);
        if (i % SAMPLE == 0 && reference_integer(task, input) != expected) {
            fprintf(stderr, "the references disagree: %s %llx %llx slope %a\n",
                    reference_operator_names[task->stem], (unsigned long long)input[0],
                    (unsigned long long)input[1], task->slope);
            wrong++;
        }
        if (found != expected && wrong++ < 3)
            fprintf(stderr, "%s %s %llx %llx slope %a: %llx, not %llx\n",
                    reference_operator_names[task->stem], formats[task->dtype].name,
                    (unsigned long long)input[0], (unsigned long long)input[1], task->slope,
                    (unsigned long long)found, (unsigned long long)expected);
    }
    return wrong;
}

/* What the other levels give, all at once and in pieces of every length at every place. */
static uint64_t differences_of(const struct kernels *const *levels,
                               kernel_function *(*pick)(const struct kernels *, int), int which, size_t bytes,
                               const struct arithmetic_parameters *parameters, int level)
{
    kernel_function *run = pick(levels[level], which);
    uint64_t different = 0;
    const void *const whole[INPUTS_MAX] = {first.bytes, second.bytes};
    run(whole, other_result.bytes, BLOCK, parameters, true);
    different += memcmp(result.bytes, other_result.bytes, BLOCK * bytes) != 0;
    size_t done = 0;
    memset(other_result.bytes, 0x5a, BLOCK * bytes);
    for (size_t length = 1; done + length <= BLOCK; done += length, length = length % 257 + 1) {
        const void *const part[INPUTS_MAX] = {first.bytes + done * bytes, second.bytes + done * bytes};
        run(part, other_result.bytes + done * bytes, length, parameters, false);
    }
    return different + (memcmp(result.bytes, other_result.bytes, done * bytes) != 0);
}

static kernel_function *of_floats(const struct kernels *kernels, int which)
{
    return kernels->run[ACCURACY_DEFAULT][which];
}

static kernel_function *of_others(const struct kernels *kernels, int which)
{
    return kernels->exact[which];
}

static struct arithmetic_parameters parameters_of(enum reference_operator stem, double alpha, double other)
{
    struct arithmetic_parameters parameters = {.alpha = {alpha, 0}, .has_scalar = !isnan(other)};
    parameters.other[0] = parameters.has_scalar ? other : 0;
    parameters.alpha_is_one = alpha == 1;
    parameters.alpha_bits = (uint64_t)(int64_t)fmin(fmax(alpha * 8, -1e9), 1e9);
    parameters.other_bits = (uint64_t)(int64_t)fmin(parameters.other[0] * 64, 1e9);
    parameters.subtracts = stem == SUB;
    return parameters;
}

static uint64_t try_floats(enum reference_operator stem, enum arithmetic dtype, uint64_t blocks)
{
    struct generator generator = {.state = (uint64_t)(stem - ADD) * 16 + dtype};
    const struct format *format = &formats[dtype];
    const size_t bytes = (size_t)format->bits / 8;
    uint64_t wrong = 0, tried = 0;
    for (uint64_t block = 0; block < blocks; block++)
        for (size_t v = 0; v < VARIANTS; v++) {
            double alpha = variants[v].alpha, other = variants[v].other;
            if (stem >= MUL && ((isnan(other) && v > 0) || (alpha != 1 && !isnan(other) && v % 2 == 0)))
                continue;
            uint64_t chosen = blocks == 65536 * PHASES ? block / PHASES : draw_element(&generator, format);
            for (size_t i = 0; i < BLOCK; i++) {
                uint64_t x =
                    bytes == 2 ? i * PHASES + (block + v) % PHASES : draw_element(&generator, format);
                uint64_t y = bytes == 2 ? chosen : draw_element(&generator, format);
                memcpy(first.bytes + i * bytes, &x, bytes);
                memcpy(second.bytes + i * bytes, &y, bytes);
            }
            const struct arithmetic_parameters parameters = parameters_of(stem, alpha, other);
            const void *const input[INPUTS_MAX] = {first.bytes, second.bytes};
            of_floats(tables[stem - ADD][ISA_BASELINE], (int)dtype)(input, result.bytes, BLOCK, &parameters,
                                                                    false);
            const struct task task = task_of(stem, dtype, alpha, other);
            wrong += wrong_of(&task);
            for (int level = 0; level <= (int)processor_kernel_level(); level++)
                wrong += differences_of(tables[stem - ADD], of_floats, (int)dtype, bytes, &parameters, level);
            tried += BLOCK;
        }
    printf("%s %s: %llu inputs on every level, %llu wrong\n", reference_operator_names[stem], format->name,
           (unsigned long long)tried, (unsigned long long)wrong);
    return wrong;
}

/* Bytes of every kind; of complex numbers the parts are floats that are hard. */
static void fill_others(struct generator *generator, enum arithmetic which, unsigned char *array,
                        size_t bytes)
{
    for (size_t i = 0; i < BLOCK; i++) {
        uint64_t part[2] = {draw_bits(generator), 0};
        if (draw_bits(generator) % 4 == 0)
            part[0] %= 3;
        size_t of_part = bytes;
        if (which >= ARITHMETIC_COMPLEX64) {
            enum arithmetic dtype = which == ARITHMETIC_COMPLEX64 ? ARITHMETIC_FP32 : ARITHMETIC_FP64;
            part[0] = draw_element(generator, &formats[dtype]);
            part[1] = draw_element(generator, &formats[dtype]);
            of_part = bytes / 2;
            memcpy(array + i * bytes + of_part, &part[1], of_part);
        }
        memcpy(array + i * bytes, &part[0], of_part);
    }
}

static uint64_t try_others(enum reference_operator stem, enum arithmetic which)
{
    static const struct {
        const char *name;
        size_t bytes;
    } dtypes[ARITHMETIC_ALL] = {
        [ARITHMETIC_INT8] = {"int8", 1},           [ARITHMETIC_INT16] = {"int16", 2},
        [ARITHMETIC_INT32] = {"int32", 4},         [ARITHMETIC_INT64] = {"int64", 8},
        [ARITHMETIC_UINT8] = {"uint8", 1},         [ARITHMETIC_BOOL] = {"bool", 1},
        [ARITHMETIC_COMPLEX64] = {"complex64", 8}, [ARITHMETIC_COMPLEX128] = {"complex128", 16}};
    struct generator generator = {.state = (uint64_t)(stem - ADD) * 16 + which};
    const size_t bytes = dtypes[which].bytes;
    uint64_t wrong = 0;
    fill_others(&generator, which, first.bytes, bytes);
    fill_others(&generator, which, second.bytes, bytes);
    for (size_t v = 0; v < VARIANTS; v += 3) {
        const struct arithmetic_parameters parameters =
            parameters_of(stem, variants[v].alpha, variants[v].other);
        const void *const input[INPUTS_MAX] = {first.bytes, second.bytes};
        of_others(tables[stem - ADD][ISA_BASELINE], (int)which)(input, result.bytes, BLOCK, &parameters,
                                                                false);
        for (int level = 0; level <= (int)processor_kernel_level(); level++)
            wrong += differences_of(tables[stem - ADD], of_others, (int)which, bytes, &parameters, level);
    }
    printf("%s %s: the same bits on every level, %llu wrong\n", reference_operator_names[stem],
           dtypes[which].name, (unsigned long long)wrong);
    return wrong;
}

int main(int count, char **arguments)
{
    const uint64_t blocks = count > 1 ? strtoull(arguments[1], NULL, 0) : 1;
    uint64_t wrong = 0;
    for (int stem = ADD; stem < ADDS; stem++) {
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            wrong += try_floats((enum reference_operator)stem, (enum arithmetic)dtype, blocks);
        for (int which = ARITHMETICS; which < ARITHMETIC_ALL; which++)
            if (tables[stem - ADD][ISA_BASELINE]->exact[which] != NULL)
                wrong += try_others((enum reference_operator)stem, (enum arithmetic)which);
    }
    return wrong != 0;
}
