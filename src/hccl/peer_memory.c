/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernel copies from one process to another, in pieces that it takes at once.
 */
#include "hccl/peer_memory.h"

#include <stdlib.h>
#include <sys/uio.h>

bool peer_process_read(pid_t process, void *to, uint64_t address, size_t bytes)
{
    enum { PIECE = 64 << 20 };
    for (size_t done = 0; done < bytes;) {
        const size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        struct iovec here = {(char *)to + done, piece};
        struct iovec there = {(void *)(uintptr_t)(address + done), piece};
        ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

bool peer_memory_is_read(const struct mesh *mesh, uint32_t peer)
{
    return mesh->memory != NULL && mesh->memory[peer].process != 0;
}

bool peer_memory_is_shown(const struct mesh *mesh, uint32_t peer)
{
    return mesh->memory != NULL && mesh->memory[peer].is_shown;
}

bool peer_memory_read(const struct mesh *mesh, uint32_t peer, void *to, uint64_t address, size_t bytes)
{
    return peer_process_read(mesh->memory[peer].process, to, address, bytes);
}

void peer_memory_end(struct mesh *mesh)
{
    free(mesh->memory);
}
