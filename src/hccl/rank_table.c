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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/address.h"
#include "hccl/making.h"
#include "hccl/regular_file.h"
#include "base/hash.h"
#include "base/json.h"
#include "runtime/timeline/trace.h"

enum { TABLE_BYTES_MAX = 16 << 20, RANK_DIGITS_MAX = 9 };

struct table {
    uint32_t count, servers;
    bool is_there[RANKS_MAX];
    char host[ADDRESS_TEXT]; /* of rank 0's server; "": none of its members is an address */
    uint8_t identity[MESH_IDENTITY_BYTES];
};

/* From the member that is taken first. */
static const char *const host_members[] = {"container_ip", "host_ip", "server_id"};

/* The number that a text or a number says. */
static bool read_rank(yyjson_val *value, uint32_t *rank)
{
    const char *digits = yyjson_is_raw(value) ? yyjson_get_raw(value) : json_text(value);
    size_t count = digits != NULL ? strlen(digits) : 0;
    if (count == 0 || count > RANK_DIGITS_MAX || strspn(digits, "0123456789") != count)
        return false;
    *rank = (uint32_t)strtoul(digits, NULL, 10);
    return true;
}

/* False for what is no list of devices with a new rank each. */
static bool read_devices(struct table *table, yyjson_val *devices, bool *has_root)
{
    size_t i, count;
    yyjson_val *device;
    yyjson_arr_foreach(devices, i, count, device)
    {
        uint32_t rank;
        if (!read_rank(json_only(device, "rank_id"), &rank) || rank >= RANKS_MAX || table->is_there[rank])
            return false;
        table->is_there[rank] = true;
        table->count++;
        *has_root |= rank == 0;
    }
    return yyjson_is_arr(devices);
}

static void read_host(yyjson_val *server, char host[ADDRESS_TEXT])
{
    for (size_t i = 0; i < sizeof host_members / sizeof host_members[0]; i++) {
        const char *text = json_text(yyjson_obj_get(server, host_members[i]));
        if (text != NULL && strlen(text) < ADDRESS_TEXT && address_is_text_of_host(text)) {
            strcpy(host, text);
            return;
        }
    }
}

/* False for what is no rank table. */
static bool read_servers(struct table *table, yyjson_val *root)
{
    size_t i, count;
    yyjson_val *server, *servers = json_only(root, "server_list");
    yyjson_arr_foreach(servers, i, count, server)
    {
        bool has_root = false;
        if (!read_devices(table, json_only(server, "device"), &has_root))
            return false;
        table->servers++;
        if (has_root)
            read_host(server, table->host);
    }
    for (uint32_t rank = 0; rank < table->count; rank++)
        if (!table->is_there[rank])
            return false;
    return table->count > 0;
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

static HcclResult read_table(const char *api, const char *path, struct table *table)
{
    size_t length = 0;
    char *text = regular_file_read(path, TABLE_BYTES_MAX, &length);
    if (text == NULL)
        return (HcclResult)fail(
            HCCL_E_OPEN_FILE_FAILURE,
            "%s: clusterInfo '%.256s' cannot be read: %s; a regular file of 16 MiB at most "
            "is expected",
            api, path, strerror(errno));
    memset(table, 0, sizeof *table);
    struct json_fault fault;
    yyjson_doc *document = json_read(text, length, &fault);
    const bool is_table = read_servers(table, yyjson_doc_get_root(document));
    identify(text, length, table->identity);
    yyjson_doc_free(document);
    free(text);
    if (document == NULL && fault.what == NULL)
        return (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory to read clusterInfo '%.256s'", api,
                                path);
    if (document == NULL)
        return (HcclResult)fail(HCCL_E_PARA,
                                "%s: line %zu, column %zu of clusterInfo '%.256s': %s; JSON is expected", api,
                                fault.line, fault.column, path, fault.what);
    if (is_table)
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
