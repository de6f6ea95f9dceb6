/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What processes that share memory or events tell one another: keys, and the names of files.
 */
#ifndef BELAY_BASE_SHARED_KEY_H
#define BELAY_BASE_SHARED_KEY_H

#include <stdint.h>

enum { SHARED_KEY_BYTES = 65 }; /* with the 0 behind it */
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

#endif
