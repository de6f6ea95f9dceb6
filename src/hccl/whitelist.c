/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The file is JSON: {"host_ip": ["192.168.1.1", ...], "device_ip": [...]}. Belay has no devices on the
 * network, so that "device_ip" and whatever else there is says nothing.
 */
#include "hccl/whitelist.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/regular_file.h"
#include "base/json.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static bool read_address(const char *text, struct address *host)
{
    *host = (struct address){.family = 4};
    if (text == NULL)
        return false;
    if (inet_pton(AF_INET, text, host->host) == 1)
        return true;
    host->family = 6;
    return inet_pton(AF_INET6, text, host->host) == 1;
}

/* HCCL_E_PARA for what is no list of addresses. Without one there are none. */
static HcclResult read_hosts(struct whitelist *list, yyjson_val *root)
{
    yyjson_val *host, *hosts = json_only(root, "host_ip");
    size_t i, count = yyjson_arr_size(hosts);
    if (!yyjson_is_obj(root) || (yyjson_obj_get(root, "host_ip") != NULL && !yyjson_is_arr(hosts)))
        return HCCL_E_PARA;
    list->hosts = count > 0 ? (struct address *)malloc(count * sizeof *list->hosts) : NULL;
    if (count > 0 && list->hosts == NULL)
        return HCCL_E_MEMORY;
    yyjson_arr_foreach(hosts, i, count, host)
    {
        if (!read_address(json_text(host), &list->hosts[list->count++]))
            return HCCL_E_PARA;
    }
    return HCCL_SUCCESS;
}

static HcclResult read_list(struct whitelist *list, const char *path, const char *text, size_t length,
                            struct mesh_fault *fault)
{
    struct json_fault wrong;
    yyjson_doc *document = json_read(text, length, &wrong);
    if (document == NULL && wrong.what != NULL)
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "line %zu, column %zu of HCCL_WHITELIST_FILE '%.256s': %s; JSON is expected",
                           wrong.line, wrong.column, path, wrong.what);
    HcclResult result = document == NULL ? HCCL_E_MEMORY : read_hosts(list, yyjson_doc_get_root(document));
    yyjson_doc_free(document);
    if (result == HCCL_E_MEMORY)
        return mesh_refuse(fault, result, -1, "there is no memory to read HCCL_WHITELIST_FILE");
    if (result == HCCL_E_PARA)
        return mesh_refuse(fault, result, -1,
                           "HCCL_WHITELIST_FILE '%.256s' is no JSON object whose \"host_ip\" is an array of "
                           "addresses",
                           path);
    return result;
}

HcclResult whitelist_read(struct whitelist *list, struct mesh_fault *fault)
{
    const char *disable = secure_getenv("HCCL_WHITELIST_DISABLE");
    const char *path = secure_getenv("HCCL_WHITELIST_FILE");
    memset(list, 0, sizeof *list);
    if (disable == NULL || *disable == '\0' || strcmp(disable, "1") == 0)
        return HCCL_SUCCESS;
    if (strcmp(disable, "0") != 0)
        return mesh_refuse(fault, HCCL_E_PARA, -1, "HCCL_WHITELIST_DISABLE is '%.64s'; 0 or 1 is expected",
                           disable);
    if (path == NULL || *path == '\0')
        return mesh_refuse(fault, HCCL_E_PARA, -1,
                           "HCCL_WHITELIST_DISABLE is 0, and HCCL_WHITELIST_FILE is not set; the file of the "
                           "hosts that may come is expected");
    size_t length;
    char *text = regular_file_read(path, FILE_BYTES_MAX, &length);
    HcclResult result;
    if (text != NULL)
        result = read_list(list, path, text, length, fault);
    else if (errno == ENOMEM)
        result = mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory to read HCCL_WHITELIST_FILE");
    else
        result =
            mesh_refuse(fault, HCCL_E_OPEN_FILE_FAILURE, -1,
                        "HCCL_WHITELIST_FILE '%.256s' cannot be read: %s; a regular file of 1 MiB at most is "
                        "expected",
                        path, strerror(errno));
    free(text);
    list->is_on = true;
    if (result != HCCL_SUCCESS)
        whitelist_release(list);
    return result;
}

bool whitelist_allows(const struct whitelist *list, const struct address *host)
{
    bool is_listed = !list->is_on;
    for (size_t i = 0; i < list->count && !is_listed; i++)
        is_listed = address_same_host(&list->hosts[i], host);
    return is_listed;
}

void whitelist_release(struct whitelist *list)
{
    free(list->hosts);
    memset(list, 0, sizeof *list);
}
