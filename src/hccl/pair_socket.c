/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A pair of Gloo listens until somebody connects, and takes whoever is first for its peer. So the listening
 * socket gets a filter of packets, which every process may attach to its own sockets: at first none passes,
 * and when the peer's host is known, those from there. From which port it connects the system chooses, and
 * the peer tells when it has: then it is compared.
 */
#include "hccl/pair_socket.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void socket_watch_peer(int socket)
{
    static const struct {
        int level, option, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, 30}, {IPPROTO_TCP, TCP_KEEPINTVL, 10},
                   {IPPROTO_TCP, TCP_KEEPCNT, 3},   {IPPROTO_TCP, TCP_USER_TIMEOUT, 60000}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        setsockopt(socket, options[i].level, options[i].option, &options[i].value, sizeof options[i].value);
}

/* The address at one end of the socket. */
static bool read_end(int socket, int (*read)(int, struct sockaddr *, socklen_t *), struct address *address)
{
    struct sockaddr_storage end;
    socklen_t length = sizeof end;
    return read(socket, (struct sockaddr *)&end, &length) == 0 && address_from_socket(address, &end);
}

bool socket_here(int socket, struct address *address)
{
    return read_end(socket, getsockname, address);
}

bool socket_there(int socket, struct address *address)
{
    return read_end(socket, getpeername, address);
}

static void note_where_equal(const struct address *list, uint32_t count, const struct address *address,
                             int socket, int *sockets)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].port == 0 || memcmp(&list[i], address, sizeof *address) != 0)
            continue;
        fcntl(socket, F_SETFD, FD_CLOEXEC);
        sockets[i] = socket;
        return;
    }
}

void sockets_find(const struct address *bound, const struct address *connected, uint32_t count, int *sockets)
{
    for (uint32_t i = 0; i < count; i++)
        sockets[i] = -1;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct address address;
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        int number = (int)strtol(entry->d_name, NULL, 10);
        if (socket_here(number, &address))
            note_where_equal(bound, count, &address, number, sockets);
        if (connected != NULL && socket_there(number, &address))
            note_where_equal(connected, count, &address, number, sockets);
    }
    closedir(folder);
}

bool socket_admit_nobody(int listening)
{
    struct sock_filter drop = {BPF_RET | BPF_K, 0, 0, 0};
    struct sock_fprog program = {1, &drop};
    return setsockopt(listening, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

bool socket_admit(int listening, const struct address *host)
{
    /* A packet begins with the header of TCP, and that with the source's port; in front of it, at
     * SKF_NET_OFF, is the header of IP, with the source's address 12 bytes in, or 8. */
    struct sock_filter code[12];
    uint16_t length = 0;
    uint32_t words = host->family == 4 ? 1 : 4, at = (uint32_t)SKF_NET_OFF + (host->family == 4 ? 12 : 8);
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word;
        uint8_t to_drop =
            (uint8_t)(2 * (words - i) - 1); /* instructions between a comparison and the last one */
        memcpy(&word, host->host + 4 * i, sizeof word);
        code[length++] = (struct sock_filter){BPF_LD | BPF_W | BPF_ABS, 0, 0, at + 4 * i};
        code[length++] = (struct sock_filter){BPF_JMP | BPF_JEQ | BPF_K, 0, to_drop, ntohl(word)};
    }
    code[length++] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, UINT32_MAX};
    code[length++] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, 0};
    struct sock_fprog program = {length, code};
    return setsockopt(listening, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

void socket_admit_all(int socket)
{
    int unused = 0;
    setsockopt(socket, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused);
}

void pipe_signal_hold(struct pipe_signal *before)
{
    sigset_t only, pending;
    sigemptyset(&only);
    sigaddset(&only, SIGPIPE);
    before->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &only, &before->mask);
}

void pipe_signal_restore(const struct pipe_signal *before)
{
    static const struct timespec at_once = {0, 0};
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGPIPE);
    if (!before->was_pending)
        sigtimedwait(&only, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
}
