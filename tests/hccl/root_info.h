/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What tests know of a root info, and connections to its place.
 */
#ifndef BELAY_TESTS_HCCL_ROOT_INFO_H
#define BELAY_TESTS_HCCL_ROOT_INFO_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hccl/hccl_types.h"

/* Where the fields of a root info are. */
enum { AT_VERSION = 8, AT_FAMILY = 12, AT_PORT = 14, AT_HOST = 16, AT_SECRET = 32, AT_END = 48 };

static inline uint16_t port_of(const HcclRootInfo *root)
{
    uint16_t port;
    memcpy(&port, root->internal + AT_PORT, sizeof port);
    return ntohs(port);
}

static inline int connect_to(const char *host, uint16_t port, const char *from)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in here = {.sin_family = AF_INET};
    int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    inet_pton(AF_INET, host, &there.sin_addr);
    if (from != NULL) {
        inet_pton(AF_INET, from, &here.sin_addr);
        bind(stranger, (struct sockaddr *)&here, sizeof here);
    }
    connect(stranger, (struct sockaddr *)&there, sizeof there);
    return stranger;
}

/* Those that say where and when ranks meet. */
static inline void unset_variables(void)
{
    static const char *const variables[] = {
        "HCCL_IF_IP",          "HCCL_SOCKET_IFNAME",          "HCCL_SOCKET_FAMILY",
        "HCCL_IF_BASE_PORT",   "HCCL_HOST_SOCKET_PORT_RANGE", "HCCL_WHITELIST_DISABLE",
        "HCCL_WHITELIST_FILE", "HCCL_CONNECT_TIMEOUT",        "MASTER_ADDR"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
}

#endif
