/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What Gloo does not do for its own sockets: have nobody but the peer connect, close on exec, notice a host
 * that has fallen silent. Gloo keeps the descriptors to itself, so they are looked up by their addresses.
 */
#ifndef BELAY_HCCL_PAIR_SOCKET_H
#define BELAY_HCCL_PAIR_SOCKET_H

#include <signal.h>

#include "hccl/address.h"

/* A host that says nothing for about a minute counts as gone. */
void socket_watch_peer(int socket);

/* The addresses at both ends. */
bool socket_here(int socket, struct address *address);
bool socket_there(int socket, struct address *address);

/*
 * Finds, for each entry, the socket of this process that is bound to the first address or connected to the
 * second, -1 where there is none to be seen, and has it closed on exec. Without `connected` nothing is
 * connected yet.
 */
void sockets_find(const struct address *bound, const struct address *connected, uint32_t count, int *sockets);

/* What a listening socket lets in from now on; the system drops the rest before it becomes a connection.
 * False where the system cannot do it. */
bool socket_admit_nobody(int listening);
bool socket_admit(int listening, const struct address *host);
/* For a socket that was accepted from such a one, which has inherited the rule. */
void socket_admit_all(int socket);

/* Keeps a write to a connection that the peer has closed from ending the process: for code that cannot say so
 * in the write itself. The calling thread's alone. */
struct pipe_signal {
    sigset_t mask;
    bool was_pending;
};
void pipe_signal_hold(struct pipe_signal *before);
void pipe_signal_restore(const struct pipe_signal *before);

#endif
