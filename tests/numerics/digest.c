/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * digest [--levels-agree | --highest]: prints a hash of each kernel's results for the same random inputs, so
 * that builds for different processors can be compared: of the baseline's kernels, or of the highest level's
 * here; or checks that every level here gives the same.
 */
#include <stdio.h>
#include <string.h>

#include "numerics/draw.h"
#include "numerics/kernel_table.h"

enum { COUNT = 4096, BLOCKS = 24 };

static const uint64_t hash_start = 0xcbf29ce484222325;

/* FNV-1a over words, which an emulator gets through in time, with the high half mixed into the low one. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *from = data;
    while (bytes > 0) {
        uint64_t word = 0;
        const size_t length = bytes < sizeof word ? bytes : sizeof word;
        memcpy(&word, from, length);
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 32;
        from += length;
        bytes -= length;
    }
    return hash;
}

static uint64_t digest(enum reference_operator stem, enum arithmetic dtype, enum accuracy accuracy,
                       enum isa_level level)
{
    static uint64_t arrays[INPUTS_MAX + 1][COUNT];
    const size_t bytes = (size_t)formats[dtype].bits / 8;
    uint64_t hash = hash_start;
    for (uint64_t block = 0; block < BLOCKS; block++) {
        const struct task task = nth_task(stem, dtype, block);
        struct generator generator = {.state = block};
        for (size_t i = 0; i < COUNT; i++) {
            uint64_t bits[INPUTS_MAX];
            draw_inputs(&generator, &task, bits);
            for (int j = 0; j < INPUTS_MAX; j++)
                memcpy((char *)arrays[j] + i * bytes, &bits[j], bytes);
        }
        const struct kernel_parameters parameters = parameters_of(&task);
        const void *const input[INPUTS_MAX] = {arrays[0], arrays[1], arrays[2]};
        kernel_table[stem][level]->run[accuracy][dtype](input, arrays[INPUTS_MAX], COUNT, &parameters, false);
        hash = hash_of(hash, arrays[INPUTS_MAX], COUNT * bytes);
    }
    return hash;
}

/* Parts of complex numbers are drawn as floats are, and of integers all bits. */
static const struct {
    enum arithmetic arithmetic;
    const char *name;
    size_t bytes;
    enum arithmetic part; /* ARITHMETICS: none */
} others[] = {
    {ARITHMETIC_INT8, "int8", 1, ARITHMETICS},
    {ARITHMETIC_UINT8, "uint8", 1, ARITHMETICS},
    {ARITHMETIC_INT32, "int32", 4, ARITHMETICS},
    {ARITHMETIC_INT64, "int64", 8, ARITHMETICS},
    {ARITHMETIC_COMPLEX64, "complex64", 8, ARITHMETIC_FP32},
    {ARITHMETIC_COMPLEX128, "complex128", 16, ARITHMETIC_FP64},
};

/* Of a kernel for integers or complex numbers, with a length that leaves a tail. */
static uint64_t digest_other(enum reference_operator stem, size_t which, enum isa_level level)
{
    enum { LENGTH = 1021 };
    static uint64_t arrays[INPUTS_MAX + 1][2 * LENGTH + 1];
    struct generator generator = {.state = which};
    const enum arithmetic part = others[which].part;
    const size_t words = LENGTH * others[which].bytes / 8 + 1;
    uint64_t hash = hash_start;
    for (uint64_t block = 0; block < 2; block++) {
        for (int j = 0; j < INPUTS_MAX; j++)
            for (size_t i = 0; i < words; i++) {
                arrays[j][i] =
                    part == ARITHMETICS ? draw_bits(&generator) : draw_element(&generator, &formats[part]);
                if (part == ARITHMETIC_FP32)
                    arrays[j][i] = arrays[j][i] << 32 | draw_element(&generator, &formats[part]);
            }
        const struct task task = nth_task(stem, ARITHMETIC_FP32, block);
        const struct kernel_parameters parameters = parameters_of(&task);
        const void *const input[INPUTS_MAX] = {arrays[0], arrays[1], arrays[2]};
        kernel_table[stem][level]->exact[others[which].arithmetic](input, arrays[INPUTS_MAX], LENGTH,
                                                                   &parameters, false);
        hash = hash_of(hash, arrays[INPUTS_MAX], LENGTH * others[which].bytes);
    }
    return hash;
}

static int compare_others(int first, int last)
{
    int differences = 0;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            if (!kernel_table[stem][ISA_BASELINE]->exact[others[i].arithmetic])
                continue;
            uint64_t expected = 0;
            for (int level = first; level <= last; level++) {
                uint64_t hash = digest_other((enum reference_operator)stem, i, (enum isa_level)level);
                if (level == first)
                    expected = hash;
                differences += hash != expected;
                printf("%d %s %016llx\n", stem, others[i].name, (unsigned long long)hash);
            }
        }
    return differences;
}

/* The digests of one kernel on each of the levels; the number of those that differ from the first. */
static int compare(enum reference_operator stem, enum arithmetic dtype, int first, int last)
{
    int differences = 0;
    uint64_t hash[ACCURACY_COUNT][ISA_KERNEL_LEVELS];
    for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++) {
        if (!kernel_table[stem][ISA_BASELINE]->run[accuracy][dtype])
            continue;
        for (int level = first; level <= last; level++) {
            const struct kernels *kernels = kernel_table[stem][level];
            /* What is exact by default has one kernel for both. */
            if (accuracy > 0 && kernels->run[accuracy][dtype] == kernels->run[accuracy - 1][dtype])
                hash[accuracy][level] = hash[accuracy - 1][level];
            else
                hash[accuracy][level] = digest(stem, dtype, (enum accuracy)accuracy, (enum isa_level)level);
            differences += hash[accuracy][level] != hash[accuracy][first];
            printf("%d %s %d %016llx\n", stem, formats[dtype].name, accuracy,
                   (unsigned long long)hash[accuracy][level]);
        }
    }
    return differences;
}

int main(int count, char **arguments)
{
    const char *word = count > 1 ? arguments[1] : "";
    const int highest = (int)processor_kernel_level();
    const int first = strcmp(word, "--highest") == 0 ? highest : 0;
    const int last = *word ? highest : 0;
    int differences = 0;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            differences += compare((enum reference_operator)stem, (enum arithmetic)dtype, first, last);
    differences += compare_others(first, last);
    return differences != 0;
}
