/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is known of a block's on-chip memory under `belay check`, and what the blocks of a launch share. The part
 * that the header library sees is include/ascendc/chip.h.
 */
#ifndef BELAY_KERNEL_CHIP_H
#define BELAY_KERNEL_CHIP_H

#include "ascendc/chip.h"

#include "ascendc/host.h"

enum { CHIP_LINES = CHIP_BYTES / CHIP_LINE, PLACES_MAX = 1 << 12, SLOTS_MAX = 1 << 10, MARKS_MAX = 4 };
enum { CROSS_FLAGS = 16, CORE_KINDS = 2, CORES_MAX = 256, PAGES_HASHED = 1 << 10, WRITES_MAX = 1 << 14 };

/* Who touched 32 bytes last: by pipe, at that pipe's instruction number, from the place of that number. */
struct chip_line {
    uint32_t write_time;
    uint32_t read_time[CHIP_PIPES];
    uint16_t write_place;
    uint16_t read_place[CHIP_PIPES];
    uint8_t write_pipe; /* CHIP_PIPES: nobody has */
};

struct chip_clock {
    uint32_t of[CHIP_PIPES];
};

struct belay_chip_shadow {
    bool races;           /* else never-written bytes alone */
    uint32_t core, cores; /* the number of this one among all of the launch */
    uint32_t slot_count;
    struct chip_clock pipes[CHIP_PIPES];
    uint32_t now[CHIP_PIPES];
    struct chip_clock slots[SLOTS_MAX];
    struct flag_marks {
        struct chip_clock marks[MARKS_MAX]; /* the oldest first; what is set more often joins the last */
        struct belay_chip_place place;
        uint32_t count;
    } flags[CHIP_PIPES][CHIP_PIPES][CHIP_EVENTS];
    struct belay_chip_place places[PLACES_MAX];
    uint32_t known[CORES_MAX]; /* of the other cores: how far each was when this one met it last */
    struct chip_line lines[CHIP_LINES];
    uint8_t written[CHIP_BYTES]; /* not 0: something has */
};

/* What one core wrote to a page of global memory. */
struct global_write {
    uintptr_t low, high;
    struct belay_chip_place place;
    uint32_t core, time;
    uint32_t next; /* of the same page */
};

/* What the cores of a launch share; all of it is used in turn. */
struct chip_launch {
    struct cross_core {
        uint32_t set[3][CROSS_FLAGS]; /* by mode */
        uint32_t received[CROSS_FLAGS];
    } cross[CORE_KINDS][CORES_MAX];
    uint32_t meeting[CORES_MAX]; /* how far each was when it last met others */
    uint32_t write_count;
    uint32_t pages[PAGES_HASHED]; /* the last write of a page, 1 more than its index */
    struct global_write writes[]; /* WRITES_MAX, where races are looked for */
};

/* NULL where the launch has more cores than are followed. */
struct chip_launch *chip_launch(void);

/* How many cores a launch has, and the number of the one that runs. */
uint32_t chip_cores(void);
uint32_t chip_core(void);

/* The number by which a place stands in lines. */
uint32_t chip_place_number(struct belay_chip_shadow *shadow, const struct belay_chip_place *place);

/* Without its folders. */
const char *chip_file_name(const char *file);

/* Flags that nobody waited for. */
void chip_shadow_end(void *chip);

/* Remembers a write to global memory, and reports one of another block that nothing orders. */
void chip_global_wrote(struct belay_chip *chip, const struct belay_chip_place *place, uintptr_t address,
                       uint64_t bytes);

#endif
