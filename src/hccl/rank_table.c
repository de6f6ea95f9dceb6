/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rank tables: {"server_count": "1", "server_list": [{"server_id": "10.0.0.1", "device": [{"device_id": "0",
 * "rank_id": "0"}, ...]}, ...]}. The ranks meet at the host of rank 0: what its server has as container_ip,
 * host_ip or server_id, the first of these that is an address; where there is one server alone and none is,
 * the loopback. The addresses of devices are those of network cards that Belay has not. What the ranks show
 * each other is made of the bytes of the table, which must be the same everywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hccl/address.h"
#include "hccl/making.h"
#include "runtime/hash.h"
#include "runtime/json.h"
#include "runtime/trace.h"

enum { TABLE_BYTES_MAX = 16 << 20, RANK_DIGITS_MAX = 9 };

struct table {
    uint32_t count, servers;
    bool has_servers;
    bool is_there[RANKS_MAX];
    char host[ADDRESS_TEXT]; /* of rank 0's server; "": none of its members is an address */
    uint8_t identity[MESH_IDENTITY_BYTES];
};

/* One server while it is read. */
struct server {
    struct table *table;
    int liking; /* how good its host is: the place in host_members of the member that has it */
    char host[ADDRESS_TEXT];
    bool has_root, has_devices;
    bool has_rank; /* the device that is read */
};
static const char *const host_members[] = {"server_id", "host_ip", "container_ip"};

/* Calls take with each object of an array, whose text is JSON. 0, or what take ended it with, or 1 where
 * something else is in it. */
static int for_each_object(const struct json_value *array, int (*take)(void *, const char *, size_t),
                           void *context)
{
    const char *at = array->text + 1, *end = array->text + array->length - 1;
    if (array->type != JSON_ARRAY)
        return 1;
    while (at < end) {
        if (strchr(" \t\r\n,", *at) != NULL) {
            at++;
            continue;
        }
        /* The value ends where its braces are closed; those within texts do not count. */
        const char *begin = at;
        int depth = 0;
        bool is_text = false;
        do {
            if (*at == '"')
                is_text = !is_text;
            else if (is_text)
                at += *at == '\\';
            else
                depth += (*at == '{') - (*at == '}');
            at++;
        } while (at < end && (depth > 0 || is_text));
        int status = take(context, begin, (size_t)(at - begin));
        if (status != 0)
            return status;
    }
    return 0;
}

/* 1 where it is no object, or what visit ended it with. */
static int read_object(const char *text, size_t length, json_visit *visit, void *context)
{
    struct json_fault wrong = {NULL, 0, 0};
    enum json_type type = JSON_NULL;
    int status = json_read(text, length, visit, context, &type, &wrong);
    return status != 0 || wrong.what != NULL || type != JSON_OBJECT;
}

/* The number that a text or a number says. */
static bool read_rank(const struct json_value *value, uint32_t *rank)
{
    const bool is_text = value->type == JSON_STRING;
    const char *digits = value->text + is_text;
    size_t count = value->length - 2 * (size_t)is_text;
    if ((!is_text && value->type != JSON_NUMBER) || count == 0 || count > RANK_DIGITS_MAX)
        return false;
    *rank = 0;
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        *rank = *rank * 10 + (uint32_t)(digits[i] - '0');
    }
    return true;
}

static int take_device_member(void *context, const struct json_member *member)
{
    struct server *server = (struct server *)context;
    struct table *table = server->table;
    uint32_t rank;
    if (member->object.length != 0 || !json_is(&member->name, "rank_id"))
        return 0;
    if (!read_rank(&member->value, &rank) || rank >= RANKS_MAX || table->is_there[rank] || server->has_rank)
        return 1;
    server->has_rank = true;
    table->is_there[rank] = true;
    table->count++;
    server->has_root |= rank == 0;
    return 0;
}

static int take_device(void *context, const char *text, size_t length)
{
    struct server *server = (struct server *)context;
    server->has_rank = false;
    return read_object(text, length, take_device_member, server) != 0 || !server->has_rank;
}

static int take_server_member(void *context, const struct json_member *member)
{
    struct server *server = (struct server *)context;
    if (member->object.length != 0)
        return 0;
    if (json_is(&member->name, "device") && server->has_devices)
        return 1;
    server->has_devices |= json_is(&member->name, "device");
    if (json_is(&member->name, "device"))
        return for_each_object(&member->value, take_device, server);
    for (int i = server->liking + 1; i < (int)(sizeof host_members / sizeof host_members[0]); i++) {
        char host[ADDRESS_TEXT];
        if (!json_is(&member->name, host_members[i]) || member->value.type != JSON_STRING ||
            member->value.length - 2 >= sizeof host)
            continue;
        memcpy(host, member->value.text + 1, member->value.length - 2);
        host[member->value.length - 2] = '\0';
        if (!address_is_text_of_host(host))
            continue;
        strcpy(server->host, host);
        server->liking = i;
    }
    return 0;
}

static int take_server(void *context, const char *text, size_t length)
{
    struct table *table = (struct table *)context;
    struct server server = {.table = table, .liking = -1};
    if (read_object(text, length, take_server_member, &server) != 0 || !server.has_devices)
        return 1;
    table->servers++;
    if (server.has_root)
        memcpy(table->host, server.host, sizeof table->host);
    return 0;
}

static int take_member(void *context, const struct json_member *member)
{
    struct table *table = (struct table *)context;
    if (member->object.length != 0 || !json_is(&member->name, "server_list"))
        return 0;
    if (table->has_servers)
        return 1;
    table->has_servers = true;
    return for_each_object(&member->value, take_server, table);
}

/* Two hashes of the text, the second begun with another number: who has the table has it, and it is no secret
 * from who can guess what the table says. */
static void identify(const char *text, size_t length, uint8_t identity[MESH_IDENTITY_BYTES])
{
    for (int half = 0; half < 2; half++) {
        uint64_t hash = hash_add(HASH_START + (uint64_t)half, text, length);
        memcpy(identity + 8 * half, &hash, sizeof hash);
    }
}

/* All of a regular file, which the caller frees; NULL with errno set. */
static char *read_file(const char *path, size_t *length)
{
    struct stat status;
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return NULL;
    char *text = NULL;
    errno = EFBIG;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= TABLE_BYTES_MAX) {
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

static HcclResult read_table(const char *api, const char *path, struct table *table)
{
    size_t length = 0;
    char *text = read_file(path, &length);
    if (text == NULL)
        return (HcclResult)fail(
            HCCL_E_OPEN_FILE_FAILURE,
            "%s: clusterInfo '%.256s' cannot be read: %s; a regular file of 16 MiB at most "
            "is expected",
            api, path, strerror(errno));
    memset(table, 0, sizeof *table);
    int status = read_object(text, length, take_member, table);
    identify(text, length, table->identity);
    free(text);
    for (uint32_t rank = 0; rank < table->count; rank++)
        status |= !table->is_there[rank];
    if (status == 0 && table->has_servers && table->count > 0)
        return HCCL_SUCCESS;
    return (HcclResult)fail(
        HCCL_E_PARA,
        "%s: clusterInfo '%.256s' is no JSON object with a \"server_list\", whose "
        "servers have a \"device\" list with a \"rank_id\" each, from 0 on, each once, of "
        "%d at most",
        api, path, (int)RANKS_MAX);
}

/* Meets the others at rank 0's host. */
static HcclResult join_by_table(const char *api, const struct table *table, struct communicator_shape *shape,
                                HcclComm *comm)
{
    struct mesh_fault fault = {.peer = -1};
    struct link link = {.rank = shape->rank};
    char name[COMM_NAME_MAX_LENGTH];
    uint64_t number;
    if (table->host[0] == '\0' && table->servers > 1)
        return (HcclResult)fail(HCCL_E_NOT_SUPPORT,
                                "%s: the server of rank 0 has no address as container_ip, host_ip or "
                                "server_id; one is expected where there are several servers, %u here",
                                api, (unsigned)table->servers);
    HcclResult result = mesh_join_at(table->host[0] != '\0' ? table->host : "127.0.0.1", table->identity,
                                     shape->rank_count, shape->rank, &link.mesh, &fault);
    if (result != HCCL_SUCCESS)
        return making_tell(api, result, &fault);
    memcpy(&number, table->identity, sizeof number);
    snprintf(name, sizeof name, "belay_%016llx", (unsigned long long)number);
    return making_finish(api, shape, name, &link, comm);
}

static HcclResult init_table(const char *api, const char *path, uint32_t rank, const HcclCommConfig *config,
                             HcclComm *comm)
{
    struct communicator_shape shape;
    struct table table;
    char name[COMM_NAME_MAX_LENGTH];
    HcclResult result = communicator_check_process();
    if (result != HCCL_SUCCESS)
        return result;
    if (path == NULL || comm == NULL)
        return (HcclResult)fail(HCCL_E_PTR, "%s: argument %s is NULL; an address is expected", api,
                                path == NULL ? "clusterInfo" : "comm");
    result = making_read_config(api, config, name, &shape);
    if (result == HCCL_SUCCESS)
        result = read_table(api, path, &table);
    if (result == HCCL_SUCCESS && rank >= table.count)
        result = (HcclResult)fail(HCCL_E_NOT_FOUND, "%s: rank %u is not among the %u of '%.256s'", api,
                                  (unsigned)rank, (unsigned)table.count, path);
    if (result != HCCL_SUCCESS)
        return result;
    shape.rank = rank;
    shape.rank_count = table.count;
    return table.count == 1 ? making_alone(api, &shape, comm) : join_by_table(api, &table, &shape, comm);
}

HcclResult HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
    TRACE_THIS_CALL;
    return init_table(__func__, clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo, uint32_t rank, HcclCommConfig *config,
                                         HcclComm *comm)
{
    TRACE_THIS_CALL;
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS && config == NULL)
        result =
            (HcclResult)fail(HCCL_E_PTR, "%s: argument config is NULL; an address is expected", __func__);
    if (result != HCCL_SUCCESS)
        return result;
    return init_table(__func__, clusterInfo, rank, config, comm);
}
