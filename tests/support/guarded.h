/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Memory behind which lies a page that nothing may touch: what reads or writes beyond its end ends the test.
 */
#ifndef BELAY_TESTS_SUPPORT_GUARDED_H
#define BELAY_TESTS_SUPPORT_GUARDED_H

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* The first byte behind such memory, which has at least so many; NULL where there is none. */
static inline unsigned char *guarded_end(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    unsigned char *memory =
        (unsigned char *)mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if ((void *)memory == MAP_FAILED || mprotect(memory + room, page, PROT_NONE) != 0)
        return NULL;
    return memory + room;
}

#endif
