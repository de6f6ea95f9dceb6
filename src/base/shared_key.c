/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keys as text, and how the file that one names is opened in another process.
 */
#include "base/shared_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Digits of each part; the secret has the rest. */
enum { PROCESS_DIGITS = 8, FILE_DIGITS = 6, DEVICE_DIGITS = 2, OFFSET_DIGITS = 12, LENGTH_DIGITS = 12 };
_Static_assert(PROCESS_DIGITS + FILE_DIGITS + DEVICE_DIGITS + OFFSET_DIGITS + LENGTH_DIGITS +
                       SECRET_TEXT_BYTES - 1 ==
                   SHARED_KEY_BYTES - 1,
               "64 digits");

void shared_key_write(const struct shared_key *key, char text[SHARED_KEY_BYTES])
{
    snprintf(text, SHARED_KEY_BYTES, "%0*" PRIx32 "%0*" PRIx32 "%0*" PRIx32 "%0*" PRIx64 "%0*" PRIx64 "%s",
             PROCESS_DIGITS, key->process, FILE_DIGITS, key->file, DEVICE_DIGITS, key->device, OFFSET_DIGITS,
             key->offset, LENGTH_DIGITS, key->bytes, key->secret);
}

static uint64_t take_digits(const char **at, int digits)
{
    char part[17] = "";
    memcpy(part, *at, (size_t)digits);
    *at += digits;
    return strtoull(part, NULL, 16);
}

int shared_key_read(const char *api, const char *text, struct shared_key *key)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = strnlen(text, SHARED_KEY_BYTES);
    if (length != SHARED_KEY_BYTES - 1 || strspn(text, digits) != length)
        return fail(
            ACL_ERROR_RT_PARAM_INVALID,
            "%s: argument key is '%.64s'; a key of aclrtIpcMemGetExportKey, %d hexadecimal digits, is "
            "expected",
            api, text, SHARED_KEY_BYTES - 1);
    key->process = (uint32_t)take_digits(&text, PROCESS_DIGITS);
    key->file = (uint32_t)take_digits(&text, FILE_DIGITS);
    key->device = (uint32_t)take_digits(&text, DEVICE_DIGITS);
    key->offset = take_digits(&text, OFFSET_DIGITS);
    key->bytes = take_digits(&text, LENGTH_DIGITS);
    memcpy(key->secret, text, sizeof key->secret);
    return 0;
}

void shared_key_name(char name[SHARED_NAME_BYTES], const char *secret)
{
    snprintf(name, SHARED_NAME_BYTES, "belay-%s", secret);
}

int shared_key_open(const struct shared_key *key)
{
    char path[64], found[128], name[SHARED_NAME_BYTES], expected[128];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu32, key->process, key->file);
    /* Looked at before it is opened, as opening some files has effects, and afterwards, as another may have
     * taken its place. */
    shared_key_name(name, key->secret);
    snprintf(expected, sizeof expected, "/memfd:%s (deleted)", name);
    int file = -1;
    for (int turn = 0; turn < 2; turn++) {
        ssize_t length = readlink(path, found, sizeof found - 1);
        found[length > 0 ? length : 0] = '\0';
        if (length < 0 || strcmp(found, expected) != 0) {
            const int why = length < 0 ? errno : ESTALE;
            if (file >= 0)
                close(file);
            errno = why;
            return -1;
        }
        if (turn == 1)
            return file;
        file = open(path, O_RDWR | O_CLOEXEC);
        if (file < 0)
            return -1;
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    return file;
}
