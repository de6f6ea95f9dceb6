/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Device memory that several processes of one host share.
 *
 * What is exported first gets other pages, at the same addresses: those of a file in memory, which has the
 * chunks around the block and, behind them, what importers must know. A key names the process, its descriptor
 * of the file, a secret that is part of the file's name, and the place in the file; whoever has it opens the
 * file through /proc, which the system allows processes of the same user, and maps it. Memory lives as long
 * as somebody maps it. A key is worth nothing once the block was freed, the export closed, or the process
 * gone.
 */
#ifndef BELAY_RUNTIME_MEMORY_SHARED_MEMORY_H
#define BELAY_RUNTIME_MEMORY_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared_key.h"

/* A file in memory with a notice behind it. */
struct shared_notice;
struct shared_file {
    int file;                       /* the descriptor */
    char secret[SECRET_TEXT_BYTES]; /* of the process that made it */
    struct shared_notice *notice;   /* NULL in the others */
};

enum { STANDSTILL_S = 5 };

/* Makes one as long as that, with a secret of so many hexadecimal digits, zeros before them; false, with
 * errno, where the system refuses. */
bool shared_file_make(struct shared_file *file, uint64_t bytes, int digits);
void shared_file_end(struct shared_file *file);

/* Exchanges pages for the file's, which get what they hold; nothing reads or writes them meanwhile. */
bool shared_file_exchange(const struct shared_file *file, void *place, uint64_t bytes);

/* Opens the one that a key names, if its notice lets this process. The function is what names processes. */
int shared_file_open(const char *api, const struct shared_key *key, const char *function,
                     struct shared_file *file, uint64_t *bytes);

/* One process more that may import; false where there are too many. The allocator's lock is held. */
bool shared_notice_allow(struct shared_notice *notice, uint32_t place, int32_t process);

/* Exports bytes of a live block of device memory. 107000, 107020, 207000, 207005. */
int shared_memory_export(const char *api, const void *address, uint64_t bytes, bool checks_processes,
                         char key[SHARED_KEY_BYTES]);

/* The processes that may import what was exported with checks_processes, besides those named before. 107000:
 * not a key of this process. 107039: there are too many. */
int shared_memory_allow(const char *api, const char *key, const int32_t *processes, size_t count);

/* Maps what a key names; a key that is mapped already gives the same address. 107000, 207000, 207005, 207006.
 */
int shared_memory_import(const char *api, const char *key, void **address);

/* Undoes an import, when nothing uses it any more, or else an export. 107000: no such key in this process. */
int shared_memory_close(const char *api, const char *key);

/*
 * The pages of chunks, or of a block outside of the address space, are the process's own again: they are
 * given back, or to another block. The allocator's lock is held, and no work uses them.
 */
void shared_memory_end(uintptr_t start, uint64_t bytes, bool keeps_pages);

/* A block was freed: the keys of what lies in it are worth nothing. The allocator's lock is held. */
void shared_memory_freed(uintptr_t start, uint64_t bytes);

/* What was imported of a device has been unmapped by its reset. The allocator's lock is held. */
void shared_memory_reset_device(int32_t device);

#endif
