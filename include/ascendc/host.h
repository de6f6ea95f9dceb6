/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What AscendC kernels that are compiled for the host call of libbelay_kernel.so: blocks, which run as fibres, how they
 * wait for one another, what is wrong with them, and launches. Kernels include kernel_operator.h, which is made
 * on it; programs call nothing of this themselves.
 *
 * The blocks of a launch run side by side until they do what others may see in another order: they wait, they add
 * to memory that all have, they print. From there on the launch goes on one block after the other, in the order of
 * their numbers, until all have come to belay_kernel_sync_all. So results have the same bits on any number of
 * threads. Under a check, and with BELAY_SCHEDULE, it goes one after the other from the start; random:SEED draws
 * who is next.
 *
 * A block that faults ends where it is: nothing that its stack holds may own memory.
 */
#ifndef BELAY_ASCENDC_HOST_H
#define BELAY_ASCENDC_HOST_H

#include <stddef.h>
#include <stdint.h>

#if defined __GNUC__
#define BELAY_KERNEL_FORMAT(position, first) __attribute__((__format__(__printf__, position, first)))
#define BELAY_KERNEL_NO_RETURN               __attribute__((__noreturn__))
#else
#define BELAY_KERNEL_FORMAT(position, first)
#define BELAY_KERNEL_NO_RETURN
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What a launch asks for. AUTO is a vector kernel, until it calls belay_kernel_become. */
enum {
    BELAY_KERNEL_AUTO = 0,
    BELAY_KERNEL_VECTOR = 1,
    BELAY_KERNEL_CUBE = 2,
    BELAY_KERNEL_MIXED_1_1 = 3, /* each block is a cube core and a vector core */
    BELAY_KERNEL_MIXED_1_2 = 4  /* and two of them */
};

/* What a fibre is. */
enum { BELAY_CORE_VECTOR = 0, BELAY_CORE_CUBE = 1 };

/* The core that runs: one of a block's, where the kernel is a mixed one. */
struct belay_kernel_block {
    uint32_t index; /* of the block, below count: that of the launch, also where a block has several cores */
    uint32_t count;
    uint32_t sub_index; /* of the vector core in its block; 0 of the cube core */
    uint32_t sub_count; /* of the vector cores of a block; 1 where there is none */
    uint32_t core;      /* BELAY_CORE_ */
    uint32_t kind;      /* BELAY_KERNEL_, never AUTO */
    uint64_t tiling_key;
    const char *kernel;
    void *chip; /* what belay_kernel_chip has given; NULL before */
};

/* The core that runs on this thread; NULL outside of a kernel. */
struct belay_kernel_block *belay_kernel_block(void);

/*
 * Memory for what is on the core's chip, aligned to 4096 bytes: the same one for each call of a core, and chip of its
 * block from the first call on. New memory is zero; memory that a core of an earlier launch had, with the same
 * layout and so many bytes, is as that one has left it. Faults when there is none left.
 */
void *belay_kernel_chip(uint64_t layout, size_t bytes);

/* Has the function called with the core's chip when the kernel has returned on it, on its fibre: it may report and fault.
 * Not for cores that faulted, or were ended because another one has. */
void belay_kernel_at_end(void (*function)(void *chip));

/* Memory that all cores of the launch share, zero at first; aligned to 64 bytes. Who uses it has called
 * belay_kernel_order or belay_kernel_wait. All ask for as many bytes. */
void *belay_kernel_shared(size_t bytes);

/* What comes next others may see in another order: an atomic sum in global memory, a flag. Returns when it is the turn of
 * this core, and keeps the turn until the core waits. */
void belay_kernel_order(void);

/* The other cores have a turn: for loops that look at memory which others write. */
void belay_kernel_yield(void);

/* Returns when ready(of) is not 0; it is called in turn, by any thread. Where no core of the launch can go on the
 * kernel faults, and says of each core what it waits for. what is static storage: "flag 3 of its cube core". */
void belay_kernel_wait(int (*ready)(void *), void *of, const char *what);

/* Returns when all cores of the launch have called it; or all of the same sort, vector or cube cores. */
void belay_kernel_sync_all(void);
void belay_kernel_sync_sort(void);

/* The kernel is of this kind: where it was launched as AUTO it starts again as that. To be called before anything that
 * others could see. */
void belay_kernel_become(uint32_t kind);

/* Ends the kernel. The stream fails with 507015 and a sentence with the kernel, the block, the place in the source and
 * what the format says. file may be NULL: not known. */
BELAY_KERNEL_NO_RETURN void belay_kernel_fault(const char *file, unsigned line, const char *format, ...)
    BELAY_KERNEL_FORMAT(3, 4);

/* Something is wrong, and the kernel goes on: belay check shows it, with the advice (static storage; may be NULL), once
 * for each file, line and format. Does nothing where belay_kernel_checks() is 0. */
void belay_kernel_report(const char *file, unsigned line, const char *advice, const char *format, ...)
    BELAY_KERNEL_FORMAT(4, 5);

/* What is to be looked for beside the rules that always hold. 0: nothing. 1: bytes that are read and were never
 * written. 2: and races. */
int belay_kernel_checks(void);

/*
 * The live allocation around an address of global memory: how many bytes lie before it, and how many from it on. 0
 * when there is none. The address is one that the kernel has, reached or not.
 */
int belay_kernel_extent(const void *address, uint64_t *before, uint64_t *after);

/* Where a kernel reads and writes what the program knows by a device address. Pointers among the arguments of a launch
 * are reached already; those that a kernel finds in memory are not. To reach twice is to reach once. */
void *belay_kernel_reach(const void *address);

/* printf, each line of the output with the number of the block before it, to standard output. */
int belay_kernel_print(const char *format, ...) BELAY_KERNEL_FORMAT(1, 2);

/*
 * Queues the kernel to the stream (NULL: the default one): for each core, function is called with a copy of the
 * arguments, aligned to 16 bytes, in which addresses of device memory are reached. A bit of pointers for each of
 * the first 64 words of 8 bytes of the arguments says that it is a pointer: one to what is no device memory any more is
 * refused. name may be NULL; function, arguments with bytes of them that are NULL and other than 1 to 65535 blocks
 * are refused. 0, or the status of the call, with a sentence; the stream fails with it then, too, as far as there
 * is one.
 */
int belay_kernel_launch(void *stream, const char *name, void (*function)(void *arguments),
                        const void *arguments, size_t bytes, uint64_t pointers, uint32_t blocks,
                        uint32_t kind);

/* The tiling key of this thread's next launch, which takes it; 0 otherwise. */
void belay_kernel_set_tiling_key(uint64_t key);

/* The same here and now, without a stream: ICPU_RUN_KF. 0, or 507015 with the sentence on standard error. */
int belay_kernel_run(const char *name, void (*function)(void *arguments), const void *arguments, size_t bytes,
                     uint32_t blocks, uint32_t kind);

/* The kernel of an operator of a project, in its task: function gets the pointers of the launch. 0, or 507015 with a
 * sentence for the stream. */
struct belay_operator_launch;
int belay_kernel_compute(const struct belay_operator_launch *launch, void (*function)(void *arguments));

/* Memory for kernels that are run so: zero, aligned to 512 bytes. NULL when there is none. Free takes NULL. */
void *belay_kernel_memory(size_t bytes);
void belay_kernel_memory_free(void *memory);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
