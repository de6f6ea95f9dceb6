/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The notice behind the memory of a shared file, and how imports of it end.
 */
#ifndef BELAY_RUNTIME_MEMORY_SHARED_NOTICE_H
#define BELAY_RUNTIME_MEMORY_SHARED_NOTICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/addresses/address_space.h"

enum { NOT_EXPORTED, EXPORTED_FOR_ALL, EXPORTED_FOR_SOME };
enum { ALLOWED_MOST = 512 };

struct shared_allowed {
    uint32_t place;
    int32_t process;
};

/* Behind the memory of a file, whose length is otherwise a multiple of pages, as this is. */
struct shared_notice {
    _Atomic uint8_t state[CHUNK_RECORDS]; /* of exports, by granules where small blocks share the file */
    struct shared_allowed allowed[ALLOWED_MOST];
    _Atomic uint32_t allowed_count;
    char padding[4096 - sizeof(uint32_t)];
};

_Static_assert(sizeof(struct shared_notice) % 4096 == 0, "whole pages");

/* Undoes an import of a key; false where the process has none. */
bool shared_import_close(const char *key);

#endif
