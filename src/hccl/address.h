/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The address of this host that a communicator uses, and on which port its ranks meet.
 */
#ifndef BELAY_HCCL_ADDRESS_H
#define BELAY_HCCL_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "hccl/mesh_fault.h"

/* An address and a port, as it goes over the wire too. No padding. */
struct address {
    uint8_t family;   /* 4 or 6 */
    uint8_t unused;   /* 0 */
    uint16_t port;    /* in network order */
    uint8_t host[16]; /* of which 4 bytes for family 4, zeros behind */
};

enum { ADDRESS_TEXT = INET6_ADDRSTRLEN + 8 };

/* Whether it is of a family that is known and one host's own: not that of all interfaces, none of many hosts,
 * none that needs an interface named beside it. */
bool address_is_of_host(const struct address *address);
bool address_same_host(const struct address *a, const struct address *b);

socklen_t address_to_socket(const struct address *address, struct sockaddr_storage *socket);
/* False for other families. An IPv4 address in IPv6 form becomes IPv4. */
bool address_from_socket(struct address *address, const struct sockaddr_storage *socket);

/* Whether the text is one host's address, as 10.0.0.1 or fd00::1. */
bool address_is_text_of_host(const char *text);

/* "127.0.0.1", and with the port "127.0.0.1:4711", "[::1]:4711". */
const char *address_host_text(const struct address *address, char text[ADDRESS_TEXT]);
const char *address_text(const struct address *address, char text[ADDRESS_TEXT]);

/* The address, without a port, that the system would send from to there; nothing is sent. */
bool address_towards(struct address *chosen, const struct sockaddr *there, socklen_t length);

/*
 * The address that HCCL_IF_IP or HCCL_SOCKET_IFNAME chooses; *is_chosen is false where neither is set. The
 * sentence of a failure names the variable.
 */
HcclResult address_by_setting(struct address *chosen, bool *is_chosen, struct mesh_fault *fault);

/* The address that is set, or this host's to MASTER_ADDR, or 127.0.0.1. The log says which and why. */
HcclResult address_choose(struct address *chosen, struct mesh_fault *fault);

/* Listens at the address on a port that HCCL_HOST_SOCKET_PORT_RANGE or HCCL_IF_BASE_PORT allows, which it
 * fills in, or on one that the system chooses. The socket does not block and is closed on exec. */
HcclResult address_listen(struct address *address, int *listening, struct mesh_fault *fault);

/* Where the ranks meet who know the host's address, as text: also the port, the first that the two variables
 * name, or 60000. */
HcclResult address_known(struct address *address, const char *host, struct mesh_fault *fault);
HcclResult address_listen_at(const struct address *address, int *listening, struct mesh_fault *fault);

#endif
