/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Maps a file that processes share. It is opened without waiting, since a path may lead to a pipe.
 */
#include "base/joint_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void *joint_memory_open(const char *path, size_t bytes)
{
    int flags = path != NULL ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    int file = -1;
    if (path != NULL) {
        struct stat status;
        file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (file < 0)
            return NULL;
        if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != (off_t)bytes) {
            close(file);
            return NULL;
        }
    }
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
    if (file >= 0)
        close(file);
    return mapped != MAP_FAILED ? mapped : NULL;
}
