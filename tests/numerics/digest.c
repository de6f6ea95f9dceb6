/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * digest [--levels-agree]: prints a hash of each baseline kernel's results for the same random inputs, so
 * that builds for different processors can be compared; or checks that every level here gives the same.
 */
#include <stdio.h>
#include <string.h>

#include "numerics/draw.h"
#include "numerics/kernel_table.h"

enum { COUNT = 4096, BLOCKS = 24 };

static uint64_t digest(enum reference_operator stem, enum arithmetic dtype, enum accuracy accuracy,
                       enum isa_level level)
{
    static uint64_t arrays[INPUTS_MAX + 1][COUNT];
    const size_t bytes = (size_t)formats[dtype].bits / 8;
    uint64_t hash = 0xcbf29ce484222325;
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
        const unsigned char *output = (const unsigned char *)arrays[INPUTS_MAX];
        for (size_t i = 0; i < COUNT * bytes; i++)
            hash = (hash ^ output[i]) * 0x100000001b3; /* FNV-1a */
    }
    return hash;
}

int main(int count, char **arguments)
{
    const int levels =
        count > 1 && strcmp(arguments[1], "--levels-agree") == 0 ? (int)processor_level() + 1 : 1;
    int differences = 0;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++)
            for (int accuracy = 0; accuracy < ACCURACY_COUNT; accuracy++) {
                if (!kernel_table[stem][ISA_BASELINE]->run[accuracy][dtype])
                    continue;
                uint64_t baseline = 0;
                for (int level = 0; level < levels; level++) {
                    uint64_t hash = digest((enum reference_operator)stem, (enum arithmetic)dtype,
                                           (enum accuracy)accuracy, (enum isa_level)level);
                    if (level == 0)
                        baseline = hash;
                    differences += hash != baseline;
                    printf("%d %s %d %016llx\n", stem, formats[dtype].name, accuracy,
                           (unsigned long long)hash);
                }
            }
    return differences != 0;
}
