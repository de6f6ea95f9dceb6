/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rank tables: {"server_count": "1", "server_list": [{"server_id": "10.0.0.1", "device": [{"device_id": "0",
 * "rank_id": "0"}, ...]}, ...]}. The addresses in them are those of the network cards of devices, which Belay
 * has not, and nothing in them is secret: tables are read and checked, and a rank that is alone in one joins;
 * where there are several, programs fall back to a root info.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hccl/making.h"
#include "runtime/json.h"
#include "runtime/trace.h"

enum { TABLE_BYTES_MAX = 16 << 20, RANK_DIGITS_MAX = 9 };

struct table {
    uint32_t wanted, count; /* the caller's rank, and how many there are */
    bool has_wanted;
    bool has_servers;
};

/* Calls visit with the members of each object of an array, whose text is JSON. 0, or what visit ended it
 * with, or 1 where something else is in it. */
static int for_each_object(const struct json_value *array, json_visit *visit, void *context)
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
        struct json_fault wrong = {NULL, 0, 0};
        enum json_type type = JSON_NULL;
        int status = json_read(begin, (size_t)(at - begin), visit, context, &type, &wrong);
        if (status != 0 || wrong.what != NULL || type != JSON_OBJECT)
            return 1;
    }
    return 0;
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
    struct table *table = (struct table *)context;
    uint32_t rank;
    if (member->object.length != 0 || !json_is(&member->name, "rank_id"))
        return 0;
    if (!read_rank(&member->value, &rank) || table->count == RANKS_MAX)
        return 1;
    table->count++;
    table->has_wanted |= rank == table->wanted;
    return 0;
}

static int take_server_member(void *context, const struct json_member *member)
{
    return member->object.length == 0 && json_is(&member->name, "device")
               ? for_each_object(&member->value, take_device_member, context)
               : 0;
}

static int take_member(void *context, const struct json_member *member)
{
    struct table *table = (struct table *)context;
    if (member->object.length != 0 || !json_is(&member->name, "server_list"))
        return 0;
    table->has_servers = true;
    return for_each_object(&member->value, take_server_member, table);
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
    struct json_fault wrong = {NULL, 0, 0};
    enum json_type type = JSON_NULL;
    int status = json_read(text, length, take_member, table, &type, &wrong);
    free(text);
    if (status != 0 || wrong.what != NULL || type != JSON_OBJECT || !table->has_servers)
        return (HcclResult)fail(HCCL_E_PARA,
                                "%s: clusterInfo '%.256s' is no JSON object with a \"server_list\", whose "
                                "servers have a \"device\" list with a \"rank_id\" each, of %d at most",
                                api, path, (int)RANKS_MAX);
    if (!table->has_wanted)
        return (HcclResult)fail(HCCL_E_NOT_FOUND, "%s: rank %u is not among the %u of '%.256s'", api,
                                (unsigned)table->wanted, (unsigned)table->count, path);
    return HCCL_SUCCESS;
}

static HcclResult init_table(const char *api, const char *path, uint32_t rank, const HcclCommConfig *config,
                             HcclComm *comm)
{
    struct communicator_shape shape;
    struct table table = {.wanted = rank};
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
    if (result != HCCL_SUCCESS)
        return result;
    if (table.count > 1)
        return (HcclResult)fail(
            HCCL_E_NOT_SUPPORT,
            "%s: the rank table has %u ranks; HcclCommInitRootInfo is expected where there "
            "are several",
            api, (unsigned)table.count);
    shape.rank = 0;
    shape.rank_count = 1;
    return making_alone(api, &shape, comm);
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
