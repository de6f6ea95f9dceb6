/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads a file that a program names: opened without waiting, refused where it is no regular file or too long,
 * and read whole.
 */
#include "hccl/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *regular_file_read(const char *path, size_t most, size_t *length)
{
    struct stat status;
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return NULL;
    char *text = NULL;
    errno = EFBIG;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (off_t)most) {
        text = (char *)malloc((size_t)status.st_size + 1);
        ssize_t found = text != NULL ? read(file, text, (size_t)status.st_size) : -1;
        *length = found > 0 ? (size_t)found : 0;
        if (found < 0) {
            free(text);
            text = NULL;
        }
    }
    int error = errno;
    close(file);
    errno = error;
    return text;
}
