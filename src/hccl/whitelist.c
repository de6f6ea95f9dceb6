/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The file is JSON: {"host_ip": ["192.168.1.1", ...], "device_ip": [...]}. Belay has no devices on the
 * network, so that "device_ip" and whatever else there is says nothing.
 */
#include "hccl/whitelist.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/json.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/* Adds the address that the quotes hold; an escape is no part of one. */
static bool add(struct whitelist *list, const char *text, size_t length)
{
    char copy[ADDRESS_TEXT];
    struct address host = {.family = 4};
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (inet_pton(AF_INET, copy, host.host) != 1) {
        host.family = 6;
        if (inet_pton(AF_INET6, copy, host.host) != 1)
            return false;
    }
    struct address *hosts = (struct address *)realloc(list->hosts, (list->count + 1) * sizeof *hosts);
    if (hosts == NULL)
        return false;
    hosts[list->count++] = host;
    list->hosts = hosts;
    return true;
}

/* json_visit: the array has been found to be JSON when it is shown. */
static int take_member(void *context, const struct json_member *member)
{
    struct whitelist *list = (struct whitelist *)context;
    if (member->object.length != 0 || !json_is(&member->name, "host_ip"))
        return 0;
    if (member->value.type != JSON_ARRAY)
        return 1;
    const char *at = member->value.text + 1, *end = member->value.text + member->value.length - 1;
    for (; at < end; at++) {
        if (*at == '"') {
            const char *closing = (const char *)memchr(at + 1, '"', (size_t)(end - at - 1));
            if (closing == NULL || !add(list, at + 1, (size_t)(closing - at - 1)))
                return 1;
            at = closing;
        } else if (strchr(" \t\r\n,", *at) == NULL) {
            return 1; /* a number or an object, say */
        }
    }
    return 0;
}

/* Up to FILE_BYTES_MAX bytes of a regular file; -1 with errno set otherwise. */
static ssize_t read_file(const char *path, char *text)
{
    struct stat status;
    ssize_t length = -1;
    /* Without O_NONBLOCK, opening a pipe would wait for a writer. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return -1;
    errno = EFBIG;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_BYTES_MAX)
        length = read(file, text, FILE_BYTES_MAX);
    close(file);
    return length;
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
    char *text = (char *)malloc(FILE_BYTES_MAX);
    if (text == NULL)
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory to read HCCL_WHITELIST_FILE");
    HcclResult result = HCCL_SUCCESS;
    ssize_t length = read_file(path, text);
    if (length < 0) {
        result =
            mesh_refuse(fault, HCCL_E_OPEN_FILE_FAILURE, -1,
                        "HCCL_WHITELIST_FILE '%.256s' cannot be read: %s; a regular file of 1 MiB at most is "
                        "expected",
                        path, strerror(errno));
    } else {
        struct json_fault wrong = {NULL, 0, 0};
        enum json_type type = JSON_NULL;
        int status = json_read(text, (size_t)length, take_member, list, &type, &wrong);
        if (status != 0 || wrong.what != NULL || type != JSON_OBJECT)
            result =
                mesh_refuse(fault, HCCL_E_PARA, -1,
                            "HCCL_WHITELIST_FILE '%.256s' is no JSON object whose \"host_ip\" is an array of "
                            "addresses",
                            path);
    }
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
