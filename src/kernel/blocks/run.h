/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One run of a kernel over all of its blocks.
 */
#ifndef BELAY_KERNEL_BLOCKS_RUN_H
#define BELAY_KERNEL_BLOCKS_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/blocks/core_fibre.h"
#include "register/belay_operator.h"

enum { RUN_SENTENCE_BYTES = 480 };

struct run {
    const char *name;
    void (*function)(void *arguments);
    void *arguments;
    uint32_t blocks;
    uint32_t kind;
    uint64_t tiling_key;
    void (*prepare)(void);                      /* of each thread that steps cores; may be NULL */
    const struct belay_operator_memory *memory; /* beside that of the device: memory_count of them */
    uint32_t memory_count;

    /* What follows is run_blocks's own. */
    struct core *core;
    uint32_t count;
    bool is_in_turn;  /* one core after the other */
    uint32_t becomes; /* the kind to start again as; AUTO: none */
    bool was_launched_as_auto;
    void *shared;
    pthread_mutex_t lock;   /* of what follows, and of becomes */
    const struct core *bad; /* the first core, by its number, that has faulted */
    char sentence[RUN_SENTENCE_BYTES];
    uintptr_t ended_at; /* the instruction of bad that the sentence is about; 0: it has its line */
};

/* Runs the kernel: 0, or 507015 with the sentence in run->sentence, which does not name the kernel. */
int run_blocks(struct run *run);

/* "block 3", or "block 3, vector core 1". */
void run_name_core(const struct core *core, char *text, size_t bytes);

/* Of the running core: its turn begins, if it has not. */
void run_take_turn(struct core *core);

/* The core has done what ends the run. The sentence is copied; that of the first core by number counts.
 * Returns 507015. */
int run_blame(struct run *run, const struct core *core, const char *sentence);

#endif
