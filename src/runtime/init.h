/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclInit and its opposite, and what a configuration file may ask for.
 */
#ifndef BELAY_RUNTIME_INIT_H
#define BELAY_RUNTIME_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/settings.h"

/* What a configuration file sets. */
struct configuration {
    int32_t default_device;   /* defaultDevice.default_device; -1 without it */
    bool messages_are_shared; /* err_msg_mode "1" */
    uint64_t hash;            /* of the text, to tell a second configuration from the first */
};

enum { CONFIGURATION_BYTES_MAX = 1 << 20 };

/*
 * Reads the file: a regular one of at most 1 MiB. 0 and *text, which ends with 0 and which the caller frees;
 * 100003 when it cannot be read, 100000 when it is not such a file, 200000.
 */
int configuration_load(const char *path, char **text, size_t *length);

/* Checks the text and the types of all values that have a meaning; other names are accepted. 0, 100000, or
 * 200000 where there is no memory. */
int configuration_parse(const char *text, size_t length, const struct settings *settings,
                        struct configuration *configuration);

#endif
