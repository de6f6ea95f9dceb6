/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writing the file that a user names: it gets the whole of its new content, or keeps what it had.
 */
#ifndef BELAY_TOOLS_OUTPUT_FILE_H
#define BELAY_TOOLS_OUTPUT_FILE_H

#include <stddef.h>

#include "tools/array.h"

/* The content is what the pieces hold, one behind the other. */
struct piece {
    const void *bytes;
    size_t count;
};

/*
 * A new file beside the one at path, which takes its place, its mode and, where that is allowed, its owner
 * when all is written. Where path is a symbolic link, the file that it leads to is the one. Of a process that
 * is killed meanwhile a hidden file .belay-eval-* may stay. What is no regular file, or is named through
 * /proc (as /dev/stdout is), is written in place.
 */
bool output_file_write(const char *path, const struct piece *piece, size_t count, struct fault *fault);

#endif
