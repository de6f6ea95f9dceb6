/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What processes that share memory tell one another: keys, the names of files, and the notice behind a file's
 * memory.
 */
#ifndef BELAY_BASE_SHARED_KEY_H
#define BELAY_BASE_SHARED_KEY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/addresses/address_space.h"
#include "runtime/memory/shared_memory.h"

enum { SECRET_BYTES = 12, SECRET_TEXT_BYTES = 2 * SECRET_BYTES + 1, SHARED_NAME_BYTES = 48 };

struct shared_key {
    uint32_t process;
    uint32_t file; /* descriptor of the process */
    uint32_t device;
    uint64_t offset; /* in the file */
    uint64_t bytes;
    char secret[SECRET_TEXT_BYTES];
};

/* The 64 hexadecimal digits of a key. */
void shared_key_write(const struct shared_key *key, char text[SHARED_KEY_BYTES]);

/* 107000 with a sentence where text is no key. */
int shared_key_read(const char *api, const char *text, struct shared_key *key);

/* What the file with the secret is called. */
void shared_key_name(char name[SHARED_NAME_BYTES], const char *secret);

/* Opens the file of a key; -1 with errno, ESTALE where the descriptor is another file's by now. */
int shared_key_open(const struct shared_key *key);

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
