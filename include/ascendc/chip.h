/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The on-chip state of one block of an AscendC kernel: its memories, and under `belay check` what is known of each
 * byte. The header library calls this; programs do not. A function that finds a mistake which a device would not
 * survive does not return: the kernel ends by belay_kernel_fault().
 */
#ifndef ASCENDC_CHIP_H
#define ASCENDC_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The memories of a core, which lie one after another. BIAS and FACTORS are the tables of Mmad and Fixpipe. */
enum belay_chip_memory {
    CHIP_UB,
    CHIP_L1,
    CHIP_L0A,
    CHIP_L0B,
    CHIP_L0C,
    CHIP_BIAS,
    CHIP_FACTORS,
    CHIP_MEMORIES
};

enum belay_chip_pipe { CHIP_S, CHIP_V, CHIP_M, CHIP_MTE1, CHIP_MTE2, CHIP_MTE3, CHIP_FIX, CHIP_PIPES };

enum belay_chip_atomic { CHIP_STORE, CHIP_ADD, CHIP_MAXIMUM, CHIP_MINIMUM };

enum { CHIP_EVENTS = 8, CHIP_LINE = 32, CHIP_REPEAT = 256, CHIP_REPEATS_MAX = 255 };

/* The bytes of a core's memories on A2 and A3, and where each begins. */
enum {
    CHIP_UB_BYTES = 192 * 1024,
    CHIP_L1_BYTES = 512 * 1024,
    CHIP_L0A_BYTES = 64 * 1024,
    CHIP_L0B_BYTES = 64 * 1024,
    CHIP_L0C_BYTES = 128 * 1024,
    CHIP_BIAS_BYTES = 1024,
    CHIP_FACTORS_BYTES = 7 * 1024,
    CHIP_BYTES = CHIP_UB_BYTES + CHIP_L1_BYTES + CHIP_L0A_BYTES + CHIP_L0B_BYTES + CHIP_L0C_BYTES +
                 CHIP_BIAS_BYTES + CHIP_FACTORS_BYTES
};

/* Where a program called an instruction. */
struct belay_chip_place {
    const char *instruction;
    const char *file;
    int line;
};

struct belay_chip_shadow;

/* An image in L1, and what is around it: left, right, top, bottom. */
struct belay_chip_image {
    uint16_t height, width;
    uint8_t around[4];
};

/* A load of UB that waits: until it is settled the bytes are those of global memory. */
struct belay_chip_load {
    uint8_t *to;
    const uint8_t *from;
    uint64_t bytes;
};

enum { CHIP_LOADS = 8, CHIP_SOURCES = 4, CHIP_FORMULA_BYTES = 16 };

/* What an instruction over whole tensors leaves in UB, which waits to be made: element by element, from what it reads. */
struct belay_chip_result {
    void (*make)(const struct belay_chip_result *result, uint64_t first, uint64_t count);
    uint8_t *to;
    uint64_t bytes; /* 0: none waits */
    uint32_t element, sources;
    const uint8_t *from[CHIP_SOURCES];
    uint64_t formula[CHIP_FORMULA_BYTES / sizeof(uint64_t)];
};

/* One block's state. What stands here the header library reads and sets itself; the rest is in the shadow. */
struct belay_chip {
    uint8_t *memory;               /* CHIP_BYTES */
    uint32_t taken[CHIP_MEMORIES]; /* by InitBuffer so far */
    uint32_t used[CHIP_MEMORIES];  /* the most that was ever taken, or named by an address */
    uint64_t mask[2];              /* of SetVectorMask */
    bool counting;                 /* SetMaskCount: the mask is a count */
    uint8_t atomic;                /* enum belay_chip_atomic */
    uint8_t comparison[32];        /* the mask that Compare leaves for Select */
    float scale;                   /* of SetDeqScale */
    void *pipe;                    /* the TPipe of the block */
    void *workspace;               /* SetSysWorkspace */
    uint64_t tiling_key;
    uint8_t events[64];                                 /* AllocEventID: a bit each, by HardEvent */
    uint8_t flags[CHIP_PIPES][CHIP_PIPES][CHIP_EVENTS]; /* SetFlag less WaitFlag */
    uint64_t padding;                                   /* SetPadValue, the bits */
    uint32_t transposed[3];                             /* SetFixpipeNz2ndFlag */
    uint64_t control;                                   /* SetCtrlSpr */
    uint64_t merged;                  /* how many entries of each list the last MrgSort took, 16 bits each */
    uint64_t selected;                /* how many elements the last GatherMask took */
    struct belay_chip_shadow *shadow; /* NULL where nothing is checked */
    struct belay_chip_extent {
        uintptr_t low, high;
    } extents[4];                             /* of allocations that were met last */
    uint32_t extent;                          /* which of them is the oldest */
    uint64_t scale_out;                       /* SetFixpipePreQuantFlag */
    const uint8_t *scales_out;                /* SetFixPipeConfig: NULL at first */
    struct belay_chip_image images[2];        /* SetFmatrix: of the left and the right matrix */
    uint64_t around_image;                    /* SetLoadDataPaddingValue, the bits */
    struct belay_chip_load loads[CHIP_LOADS]; /* that wait */
    uint32_t load_count;
    bool has_raw;      /* the kernel has taken an address that it may use by itself: no load waits any more */
    bool has_streamed; /* what this core has stored went past the caches */
    struct belay_chip_result result; /* waits only while loads do */
};

#pragma GCC visibility push(default)

/* The chip of the block that runs on this thread. */
struct belay_chip *belay_chip_now(void);

/* One side of an instruction: `lanes` of so many bytes a repeat, those in the mask alone (a bit each, in words of
 * 64); strides in bytes. */
struct belay_chip_side {
    const uint8_t *base;
    const uint8_t *low, *high; /* the buffer */
    uint32_t bytes;            /* of an element */
    uint32_t block_stride, repeat_stride;
};

/* An access that is not plainly right: it is judged, and a kernel that may not do it ends with a sentence. */
void belay_chip_outside(const struct belay_chip_place *place, const uint8_t *address, uint64_t bytes,
                        const uint8_t *low, const uint8_t *high);
void belay_chip_misaligned(const struct belay_chip_place *place, const uint8_t *address, uint32_t alignment);
void belay_chip_repeats(const struct belay_chip_place *place, int64_t repeats);
void belay_chip_not_whole(const struct belay_chip_place *place, uint64_t bytes);

/* A pipe begins its next instruction (shadows alone; so do the five below). */
void belay_chip_issue(struct belay_chip *chip, int pipe);
void belay_chip_touch(struct belay_chip *chip, const struct belay_chip_place *place, int pipe,
                      const uint8_t *address, uint64_t bytes, bool writes);
void belay_chip_touch_lanes(struct belay_chip *chip, const struct belay_chip_place *place, int pipe,
                            const struct belay_chip_side *side, const uint64_t *mask, uint32_t lanes,
                            uint32_t repeats, bool writes);
/* Marks of what a pipe had done by then, that another pipe can wait for: slots are numbers of the caller's. */
uint32_t belay_chip_slots(struct belay_chip *chip, uint32_t count);
void belay_chip_mark(struct belay_chip *chip, uint32_t slot, int pipe);
void belay_chip_meet(struct belay_chip *chip, uint32_t slot, int pipe);

void belay_chip_set_flag(const struct belay_chip_place *place, int from, int to, int event);
void belay_chip_wait_flag(const struct belay_chip_place *place, int from, int to, int event);
void belay_chip_barrier(const struct belay_chip_place *place, int pipe); /* -1: all */

/* Global memory: `size` is what the GlobalTensor was given, 0 where nothing. */
void belay_chip_global(const struct belay_chip_place *place, const void *address, uint64_t bytes,
                       const void *base, uint64_t size, bool writes);

/*
 * Large loads wait (include/ascendc/late.h): an instruction over whole tensors reads global memory itself, and UB has
 * them when anything else looks at it, when what they read is written, or another core may be told, which a store of
 * few bytes may do. Such an instruction's result waits, too, for a store. Settles all.
 */
void belay_chip_settle(struct belay_chip *chip);

/* Makes the result that waits, if one does; the loads go on waiting. */
void belay_chip_make(struct belay_chip *chip);

/* Copies to global memory that belay_chip_global was told of; past the caches where that is large. */
void belay_chip_store(struct belay_chip *chip, void *to, const void *from, uint64_t bytes);

/* Waiting for other blocks. */
void belay_chip_sync_all(const struct belay_chip_place *place, bool same_sort);
void belay_chip_cross_set(const struct belay_chip_place *place, int mode, int flag);
void belay_chip_cross_wait(const struct belay_chip_place *place, int flag);
void belay_chip_neighbour_set(const struct belay_chip_place *place, int32_t *word);
void belay_chip_neighbour_wait(const struct belay_chip_place *place, int32_t *word);

/* A finding under `belay check`, what mends it (static storage), and the end of a kernel. */
void belay_chip_report(const struct belay_chip_place *place, const char *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void belay_chip_fault(const struct belay_chip_place *place, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* The name of a memory, and which one an address is in: CHIP_MEMORIES if in none. */
const char *belay_chip_memory_name(int memory);
int belay_chip_memory_of(const struct belay_chip *chip, const void *address, uint64_t *offset);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
