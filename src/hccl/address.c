/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The address of this host: what HCCL_IF_IP says; else the first of the interfaces that HCCL_SOCKET_IFNAME
 * names; else the one by which MASTER_ADDR is reached; else loopback. Never that of all interfaces: a
 * communicator is to be reached from where its ranks are, and from nowhere else.
 */
#include "hccl/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

_Static_assert(sizeof(struct address) == 20, "an address goes over the wire as it lies in memory");

static bool is_zero(const uint8_t *bytes, size_t count)
{
    uint8_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= bytes[i];
    return any == 0;
}

bool address_is_of_host(const struct address *address)
{
    const uint8_t *host = address->host;
    if (address->unused != 0 || is_zero(host, 16))
        return false;
    if (address->family == 4) /* 224 and above: many hosts, or nobody's */
        return is_zero(host + 4, 12) && host[0] != 0 && host[0] < 224;
    bool is_link_local = host[0] == 0xfe && (host[1] & 0xc0) == 0x80;
    bool is_mapped = is_zero(host, 10) && host[10] == 0xff && host[11] == 0xff;
    return address->family == 6 && host[0] != 0xff && !is_link_local && !is_mapped;
}

bool address_same_host(const struct address *a, const struct address *b)
{
    return a->family == b->family && memcmp(a->host, b->host, sizeof a->host) == 0;
}

static bool is_loopback(const struct address *address)
{
    return address->family == 4 ? address->host[0] == 127
                                : is_zero(address->host, 15) && address->host[15] == 1;
}

socklen_t address_to_socket(const struct address *address, struct sockaddr_storage *socket)
{
    memset(socket, 0, sizeof *socket);
    if (address->family == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)socket;
        in->sin_family = AF_INET;
        in->sin_port = address->port;
        memcpy(&in->sin_addr, address->host, 4);
        return sizeof *in;
    }
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)socket;
    in6->sin6_family = AF_INET6;
    in6->sin6_port = address->port;
    memcpy(&in6->sin6_addr, address->host, 16);
    return sizeof *in6;
}

bool address_from_socket(struct address *address, const struct sockaddr_storage *socket)
{
    memset(address, 0, sizeof *address);
    if (socket->ss_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)socket;
        address->family = 4;
        address->port = in->sin_port;
        memcpy(address->host, &in->sin_addr, 4);
        return true;
    }
    if (socket->ss_family != AF_INET6)
        return false;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)socket;
    bool is_mapped = IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
    address->family = is_mapped ? 4 : 6;
    address->port = in6->sin6_port;
    memcpy(address->host, in6->sin6_addr.s6_addr + (is_mapped ? 12 : 0), is_mapped ? 4 : 16);
    return true;
}

const char *address_host_text(const struct address *address, char text[ADDRESS_TEXT])
{
    if (inet_ntop(address->family == 4 ? AF_INET : AF_INET6, address->host, text, ADDRESS_TEXT) == NULL)
        snprintf(text, ADDRESS_TEXT, "?");
    return text;
}

const char *address_text(const struct address *address, char text[ADDRESS_TEXT])
{
    char host[ADDRESS_TEXT];
    address_host_text(address, host);
    snprintf(text, ADDRESS_TEXT, address->family == 4 ? "%.46s:%u" : "[%.46s]:%u", host,
             ntohs(address->port));
    return text;
}

/* "127.0.0.1" or "::1"; nothing is looked up. */
static bool read_address(struct address *address, const char *text)
{
    memset(address, 0, sizeof *address);
    address->family = 4;
    if (inet_pton(AF_INET, text, address->host) == 1)
        return true;
    address->family = 6;
    return inet_pton(AF_INET6, text, address->host) == 1;
}

bool address_is_text_of_host(const char *text)
{
    struct address address;
    return read_address(&address, text) && address_is_of_host(&address);
}

/* One name of the list, which ends at a comma. */
static bool name_fits(const char *name, const char *wanted, bool is_exact)
{
    size_t length = strcspn(wanted, ",");
    return length > 0 && strncmp(name, wanted, length) == 0 && (!is_exact || name[length] == '\0');
}

/* `list` is HCCL_SOCKET_IFNAME: names, or beginnings of names, after "=" whole names, after "^" those that
 * are not to be taken. */
static bool interface_fits(const char *name, const char *list)
{
    bool is_negative = *list == '^';
    list += is_negative;
    bool is_exact = *list == '=';
    list += is_exact;
    bool is_named = false;
    for (const char *wanted = list; wanted != NULL && !is_named; wanted = strchr(wanted, ',')) {
        wanted += *wanted == ',';
        is_named = name_fits(name, wanted, is_exact);
    }
    return is_named != is_negative;
}

static HcclResult by_interface(struct address *chosen, const char *list, struct mesh_fault *fault)
{
    const char *family_name = secure_getenv("HCCL_SOCKET_FAMILY");
    uint8_t family = 4;
    if (family_name != NULL && strcmp(family_name, "AF_INET6") == 0)
        family = 6;
    else if (family_name != NULL && *family_name != '\0' && strcmp(family_name, "AF_INET") != 0)
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "HCCL_SOCKET_FAMILY is '%.64s'; AF_INET or AF_INET6 is expected", family_name);
    struct ifaddrs *all;
    if (getifaddrs(&all) != 0)
        return mesh_refuse(fault, HCCL_E_SYSCALL, -1, "the interfaces of this host cannot be listed: %s",
                           strerror(errno));
    bool is_found = false;
    char name[IF_NAMESIZE] = "";
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        struct address address;
        if (one->ifa_addr == NULL || (one->ifa_flags & IFF_UP) == 0 || !interface_fits(one->ifa_name, list) ||
            !address_from_socket(&address, (const struct sockaddr_storage *)one->ifa_addr) ||
            address.family != family || !address_is_of_host(&address))
            continue;
        /* Loopback, which every list of what not to take lets through, is for want of others. */
        if (is_found && !is_loopback(chosen))
            break;
        if (is_found && is_loopback(&address))
            continue;
        address.port = 0;
        *chosen = address;
        is_found = true;
        snprintf(name, sizeof name, "%s", one->ifa_name);
    }
    freeifaddrs(all);
    if (!is_found)
        return mesh_refuse(fault, HCCL_E_NOT_FOUND, -1,
                           "HCCL_SOCKET_IFNAME is '%.128s'; no interface of this host that is up and has an "
                           "IPv%d address fits it",
                           list, family);
    if (log_wants(LOG_MODULE_APP, LOG_INFO)) {
        char text[ADDRESS_TEXT];
        log_line(LOG_MODULE_APP, LOG_INFO, __FILE__, __LINE__,
                 "collectives use the address %s of the interface %s: HCCL_SOCKET_IFNAME is '%.128s'",
                 address_host_text(chosen, text), name, list);
    }
    return HCCL_SUCCESS;
}

HcclResult address_by_setting(struct address *chosen, bool *is_chosen, struct mesh_fault *fault)
{
    const char *text = secure_getenv("HCCL_IF_IP");
    const char *list = secure_getenv("HCCL_SOCKET_IFNAME");
    *is_chosen = true;
    if (text != NULL && *text != '\0') {
        if (read_address(chosen, text) && address_is_of_host(chosen))
            return HCCL_SUCCESS;
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "HCCL_IF_IP is '%.64s'; one IPv4 or IPv6 address of this host is expected", text);
    }
    if (list != NULL && *list != '\0')
        return by_interface(chosen, list, fault);
    *is_chosen = false;
    return HCCL_SUCCESS;
}

bool address_towards(struct address *chosen, const struct sockaddr *there, socklen_t length)
{
    struct sockaddr_storage here;
    socklen_t here_length = sizeof here;
    int probe = socket(there->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0)
        return false;
    bool is_known = connect(probe, there, length) == 0 &&
                    getsockname(probe, (struct sockaddr *)&here, &here_length) == 0 &&
                    address_from_socket(chosen, &here) && address_is_of_host(chosen);
    close(probe);
    chosen->port = 0;
    return is_known;
}

static bool by_master(struct address *chosen, const char *master)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *all = NULL;
    if (getaddrinfo(master, "9", &hints, &all) != 0)
        return false;
    bool is_known = false;
    for (const struct addrinfo *one = all; one != NULL && !is_known; one = one->ai_next)
        is_known = address_towards(chosen, one->ai_addr, one->ai_addrlen);
    freeaddrinfo(all);
    return is_known;
}

HcclResult address_choose(struct address *chosen, struct mesh_fault *fault)
{
    bool is_chosen;
    HcclResult result = address_by_setting(chosen, &is_chosen, fault);
    if (result != HCCL_SUCCESS || is_chosen)
        return result;
    const char *master = secure_getenv("MASTER_ADDR");
    bool is_known = master != NULL && *master != '\0' && by_master(chosen, master);
    if (!is_known)
        read_address(chosen, "127.0.0.1");
    if (log_wants(LOG_MODULE_APP, LOG_INFO)) {
        char text[ADDRESS_TEXT];
        log_line(LOG_MODULE_APP, LOG_INFO, __FILE__, __LINE__, "collectives use the address %s: %s%.128s",
                 address_host_text(chosen, text),
                 is_known         ? "it leads to MASTER_ADDR, "
                 : master == NULL ? "neither HCCL_IF_IP nor HCCL_SOCKET_IFNAME nor MASTER_ADDR is set"
                                  : "no address leads to MASTER_ADDR, ",
                 master == NULL ? "" : master);
    }
    return HCCL_SUCCESS;
}

/* Has connections wait in the system until something has been sent over them, for some seconds. */
static bool defer_strangers(int listening)
{
    const int seconds = 5;
    return setsockopt(listening, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof seconds) == 0;
}

/* False when the port is taken or not to be had; *listening is -1 then. */
static bool listen_on(struct address *address, unsigned long port, int *listening)
{
    struct sockaddr_storage at;
    socklen_t length;
    int one = 1;
    address->port = htons((uint16_t)port);
    length = address_to_socket(address, &at);
    *listening = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*listening < 0)
        return false;
    /* A port that a communicator of before has just given up may be taken again. */
    if ((port == 0 || setsockopt(*listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0) &&
        bind(*listening, (struct sockaddr *)&at, length) == 0 && defer_strangers(*listening) &&
        listen(*listening, 128) == 0 && getsockname(*listening, (struct sockaddr *)&at, &length) == 0 &&
        address_from_socket(address, &at))
        return true;
    close(*listening);
    *listening = -1;
    return false;
}

/* A number from 1 to 65535, and what follows it. */
static bool read_port(const char **text, unsigned long *port)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *port = strtoul(*text, &end, 10);
    *text = end;
    return *port >= 1 && *port <= 65535;
}

/* "60000,60050-60100": tries one after the other until one is free. False when the text is not such a list.
 */
static bool listen_in_range(struct address *address, const char *list, int *listening)
{
    const char *at = list;
    *listening = -1;
    for (;;) {
        unsigned long first, last;
        if (!read_port(&at, &first))
            return false;
        last = first;
        if (*at == '-' && (at++, !read_port(&at, &last)))
            return false;
        if (last < first)
            return false;
        for (unsigned long port = first; port <= last && *listening < 0; port++)
            listen_on(address, port, listening);
        if (*at == '\0')
            return true;
        if (*at++ != ',')
            return false;
    }
}

/* What the variables say of ports: a list as above, which may be kept in `text`; NULL or "auto" where the
 * system is to choose. *name is the variable. */
static HcclResult read_ports(char text[16], const char **list, const char **name, struct mesh_fault *fault)
{
    const char *base = secure_getenv("HCCL_IF_BASE_PORT");
    *name = "HCCL_HOST_SOCKET_PORT_RANGE";
    *list = secure_getenv(*name);
    if (*list != NULL && **list != '\0')
        return HCCL_SUCCESS;
    *list = NULL;
    if (base == NULL || *base == '\0')
        return HCCL_SUCCESS;
    unsigned long first;
    const char *end = base;
    *name = "HCCL_IF_BASE_PORT";
    if (!read_port(&end, &first) || *end != '\0' || first < 1024 || first > 65520)
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "HCCL_IF_BASE_PORT is '%.64s'; a number from 1024 to 65520 is expected", base);
    snprintf(text, 16, "%lu-%lu", first, first + 15);
    *list = text;
    return HCCL_SUCCESS;
}

static HcclResult refuse_range(const char *range, struct mesh_fault *fault)
{
    return mesh_refuse(fault, HCCL_E_PARA, -1,
                       "HCCL_HOST_SOCKET_PORT_RANGE is '%.128s'; auto, or ports and ranges like "
                       "60000,60050-60100 are expected",
                       range);
}

HcclResult address_listen(struct address *address, int *listening, struct mesh_fault *fault)
{
    char text[ADDRESS_TEXT], base_range[16];
    const char *range, *name;
    *listening = -1;
    HcclResult result = read_ports(base_range, &range, &name, fault);
    if (result != HCCL_SUCCESS)
        return result;
    address_host_text(address, text);
    if (range == NULL || strcmp(range, "auto") == 0) {
        if (!listen_on(address, 0, listening))
            return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1,
                               "no socket can listen at %s: %s; an address of this host is expected", text,
                               strerror(errno));
        return HCCL_SUCCESS;
    }
    if (!listen_in_range(address, range, listening)) {
        if (*listening >= 0)
            close(*listening);
        return refuse_range(range, fault);
    }
    if (*listening < 0)
        return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1,
                           "no socket can listen at %s on a port of %.128s (%s): the last one says: %s", text,
                           range, name, strerror(errno));
    return HCCL_SUCCESS;
}

HcclResult address_known(struct address *address, const char *host, struct mesh_fault *fault)
{
    char base_range[16];
    const char *range, *name;
    unsigned long port = 60000;
    HcclResult result = read_ports(base_range, &range, &name, fault);
    if (result != HCCL_SUCCESS)
        return result;
    if (range != NULL && strcmp(range, "auto") != 0 && !read_port(&range, &port))
        return refuse_range(range, fault);
    if (!read_address(address, host) || !address_is_of_host(address))
        return mesh_refuse(fault, HCCL_E_PARA, -1, "'%.64s' is no address of one host", host);
    address->port = htons((uint16_t)port);
    return HCCL_SUCCESS;
}

HcclResult address_listen_at(const struct address *address, int *listening, struct mesh_fault *fault)
{
    struct address own = *address;
    char text[ADDRESS_TEXT];
    if (listen_on(&own, ntohs(address->port), listening))
        return HCCL_SUCCESS;
    return mesh_refuse(fault, HCCL_E_TCP_CONNECT, -1,
                       "no socket can listen at %s: %s; an address of rank 0's host, and a port that is free "
                       "there (HCCL_IF_BASE_PORT chooses another, on all ranks), are expected",
                       address_text(address, text), strerror(errno));
}
