/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Configuration files for aclInit, in the folder of support/folder.h. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_RUNTIME_CONFIGURATION_FILE_H
#define BELAY_TESTS_RUNTIME_CONFIGURATION_FILE_H

#include <string.h>

#include "support/folder.h"

static char path[128];

/* Leaves the name of the file in path. */
static inline void write_config(const char *text, size_t length)
{
    snprintf(path, sizeof path, "%s/acl.json", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static inline void write_text(const char *text)
{
    write_config(text, strlen(text));
}

#endif
