/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Making communicators: from a root info, and for all devices of a process.
 */
#include "hccl/making.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/agreement.h"
#include "hccl/meeting_place.h"
#include "hccl/mesh_fault.h"
#include "runtime/devices/context.h"
#include "runtime/devices/device.h"
#include "base/hash.h"
#include "base/report.h"
#include "runtime/timeline/trace.h"

enum { EXEC_TIMEOUT_S = 1836, EXEC_TIMEOUT_MAX_S = 1 << 30, SECOND_NS = 1000000000 };

/* HCCL_EXEC_TIMEOUT, in seconds; false leaves a sentence. */
static bool read_exec_timeout(const char *api, int64_t *seconds)
{
    const char *text = secure_getenv("HCCL_EXEC_TIMEOUT");
    *seconds = EXEC_TIMEOUT_S;
    if (text == NULL || text[0] == '\0')
        return true;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0 && value <= EXEC_TIMEOUT_MAX_S) {
        *seconds = value;
        return true;
    }
    fail(HCCL_E_PARA,
         "%s: HCCL_EXEC_TIMEOUT is %.256s; seconds from 1 to %d, or 0 for no limit, are expected", api, text,
         (int)EXEC_TIMEOUT_MAX_S);
    return false;
}

/* Whether the configuration, which is so long, has the field that ends there. */
#define HAS_FIELD(field, size) \
    ((size) >= offsetof(HcclCommConfig, field) + sizeof(((HcclCommConfig *)NULL)->field))

/* The program's structure may be shorter than this header's, so that it is read byte by byte. */
static HcclResult check_head(const char *api, const HcclCommConfig *config, size_t *size)
{
    uint32_t magic;
    memcpy(size, config, sizeof *size);
    memcpy(&magic, (const char *)config + sizeof *size, sizeof magic);
    if (magic != HCCL_COMM_CONFIG_MAGIC_WORD || *size < HCCL_COMM_CONFIG_INFO_BYTES + 8)
        return (HcclResult)fail(HCCL_E_PARA,
                                "%s: argument config has the size %zu and the magic word %#x; what "
                                "HcclCommConfigInit fills in is expected",
                                api, *size, (unsigned)magic);
    return HCCL_SUCCESS;
}

HcclResult making_read_config(const char *api, const HcclCommConfig *config, char name[COMM_NAME_MAX_LENGTH],
                              struct communicator_shape *shape)
{
    int64_t seconds;
    *shape = (struct communicator_shape){.name = name};
    name[0] = '\0';
    if (context_device(api, &shape->device) != 0) /* which has said why */
        return HCCL_E_RUNTIME;
    if (!read_exec_timeout(api, &seconds))
        return HCCL_E_PARA;
    if (config != NULL) {
        size_t size;
        HcclResult head = check_head(api, config, &size);
        if (head != HCCL_SUCCESS)
            return head;
        if (HAS_FIELD(hcclCommName, size)) {
            if (memchr(config->hcclCommName, '\0', sizeof config->hcclCommName) == NULL)
                return (HcclResult)fail(
                    HCCL_E_PARA,
                    "%s: hcclCommName of config does not end; at most %d bytes and a 0 are "
                    "expected",
                    api, COMM_NAME_MAX_LENGTH - 1);
            snprintf(name, COMM_NAME_MAX_LENGTH, "%s", config->hcclCommName);
        }
        if (HAS_FIELD(hcclExecTimeOut, size) && config->hcclExecTimeOut < -1)
            return (HcclResult)fail(HCCL_E_PARA,
                                    "%s: hcclExecTimeOut of config is %d; seconds, 0 for no limit, or -1 are "
                                    "expected",
                                    api, (int)config->hcclExecTimeOut);
        if (HAS_FIELD(hcclExecTimeOut, size) && config->hcclExecTimeOut >= 0)
            seconds = config->hcclExecTimeOut;
    }
    shape->timeout_ns = seconds > 0 ? seconds * SECOND_NS : INT64_MAX;
    return HCCL_SUCCESS;
}

HcclResult making_tell(const char *api, HcclResult result, const struct mesh_fault *fault)
{
    return (HcclResult)fail((int)result, "%s: %s", api, fault->sentence);
}

/* A name that all ranks have, as they have the same root info. */
static void name_after(const HcclRootInfo *root, char name[COMM_NAME_MAX_LENGTH])
{
    snprintf(name, COMM_NAME_MAX_LENGTH, "belay_%016llx",
             (unsigned long long)hash_add(HASH_START, root->internal, sizeof root->internal));
}

HcclResult making_check_rank(const char *api, uint32_t rank, uint32_t rank_count)
{
    if (rank_count == 0 || rank_count > RANKS_MAX)
        return (HcclResult)fail(HCCL_E_PARA, "%s: the number of ranks is %u; 1 to %d are expected", api,
                                (unsigned)rank_count, (int)RANKS_MAX);
    if (rank >= rank_count)
        return (HcclResult)fail(HCCL_E_PARA, "%s: argument rank is %u; one below %u is expected", api,
                                (unsigned)rank, (unsigned)rank_count);
    return HCCL_SUCCESS;
}

HcclResult making_check_pointer(const char *api, const char *argument, const void *pointer)
{
    return pointer != NULL ? HCCL_SUCCESS
                           : (HcclResult)fail(HCCL_E_PTR, "%s: argument %s is NULL; an address is expected",
                                              api, argument);
}

HcclResult making_alone(const char *api, const struct communicator_shape *shape, HcclComm *comm)
{
    const struct link link = {.neighbours = neighbours_create(1)};
    return link.neighbours != NULL
               ? communicator_create(api, shape, link, comm)
               : (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for a rank", api);
}

HcclResult making_finish(const char *api, struct communicator_shape *shape, const char *default_name,
                         struct link *link, HcclComm *comm)
{
    struct mesh_fault fault = {.peer = -1};
    int64_t timeout_ns;
    HcclResult result = connect_timeout(&timeout_ns, &fault);
    if (result == HCCL_SUCCESS)
        result = agreement_reach(link, TAG_JOINING, shape, NULL, monotonic_ns() + timeout_ns, &fault);
    if (result != HCCL_SUCCESS) {
        link_close(link);
        return making_tell(api, result, &fault);
    }
    const char *given = shape->name;
    if (given[0] == '\0')
        shape->name = default_name;
    result = communicator_create(api, shape, *link, comm);
    shape->name = given;
    return result;
}

static HcclResult join_by_root(const char *api, const HcclRootInfo *root, struct communicator_shape *shape,
                               HcclComm *comm)
{
    struct mesh_fault fault = {.peer = -1};
    struct link link = {.rank = shape->rank};
    char name[COMM_NAME_MAX_LENGTH];
    HcclResult result = mesh_join(root, shape->rank_count, shape->rank, &link.mesh, &fault);
    if (result != HCCL_SUCCESS)
        return making_tell(api, result, &fault);
    name_after(root, name);
    return making_finish(api, shape, name, &link, comm);
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    TRACE_THIS_CALL;
    struct mesh_fault fault = {.peer = -1};
    int32_t device;
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "rootInfo", rootInfo);
    if (result != HCCL_SUCCESS)
        return result;
    if (context_device(__func__, &device) != 0)
        return HCCL_E_RUNTIME;
    result = mesh_describe_root(rootInfo, &fault);
    return result == HCCL_SUCCESS ? result : making_tell(__func__, result, &fault);
}

static HcclResult init_root_info(const char *api, uint32_t rank_count, const HcclRootInfo *root,
                                 uint32_t rank, const HcclCommConfig *config, HcclComm *comm)
{
    struct communicator_shape shape;
    char name[COMM_NAME_MAX_LENGTH];
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(api, "rootInfo", root);
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(api, "comm", comm);
    if (result == HCCL_SUCCESS)
        result = making_check_rank(api, rank, rank_count);
    if (result == HCCL_SUCCESS)
        result = making_read_config(api, config, name, &shape);
    if (result != HCCL_SUCCESS)
        return result;
    shape.rank = rank;
    shape.rank_count = rank_count;
    return join_by_root(api, root, &shape, comm);
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm)
{
    TRACE_THIS_CALL;
    return init_root_info(__func__, nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo *rootInfo, uint32_t rank,
                                      const HcclCommConfig *config, HcclComm *comm)
{
    TRACE_THIS_CALL;
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "config", config);
    return result == HCCL_SUCCESS ? init_root_info(__func__, nRanks, rootInfo, rank, config, comm) : result;
}

/* The devices exist, and each is named once. */
static HcclResult check_devices(const char *api, uint32_t count, const int32_t *devices)
{
    if (count == 0 || count > DEVICES_MAX)
        return (HcclResult)fail(HCCL_E_PARA, "%s: argument ndev is %u; 1 to %d are expected", api,
                                (unsigned)count, (int)DEVICES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (device_check_as(api, devices[i], HCCL_E_PARA) != 0)
            return HCCL_E_PARA;
        for (uint32_t earlier = 0; earlier < i; earlier++)
            if (devices[earlier] == devices[i])
                return (HcclResult)fail(HCCL_E_PARA, "%s: device %d is named twice; each is expected once",
                                        api, (int)devices[i]);
    }
    return HCCL_SUCCESS;
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
    TRACE_THIS_CALL;
    static _Atomic uint32_t calls;
    int64_t seconds;
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "devices", devices);
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "comms", comms);
    if (result == HCCL_SUCCESS)
        result = check_devices(__func__, ndev, devices);
    if (result == HCCL_SUCCESS && !read_exec_timeout(__func__, &seconds))
        result = HCCL_E_PARA;
    if (result != HCCL_SUCCESS)
        return result;
    struct neighbours *neighbours = neighbours_create(ndev);
    if (neighbours == NULL)
        return (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u ranks", __func__,
                                (unsigned)ndev);
    char name[COMM_NAME_MAX_LENGTH];
    snprintf(name, sizeof name, "belay_process_%u", (unsigned)atomic_fetch_add(&calls, 1));
    uint32_t made = 0;
    while (made < ndev && result == HCCL_SUCCESS) {
        const struct communicator_shape shape = {.name = name,
                                                 .rank = made,
                                                 .rank_count = ndev,
                                                 .device = devices[made],
                                                 .timeout_ns = seconds > 0 ? seconds * SECOND_NS : INT64_MAX};
        const struct link link = {.neighbours = neighbours, .rank = made};
        result = communicator_create(__func__, &shape, link, &comms[made]);
        made++; /* its part of the neighbours is closed where that failed */
    }
    if (result == HCCL_SUCCESS)
        return HCCL_SUCCESS;
    for (uint32_t i = made; i < ndev; i++)
        neighbours_close(neighbours, i);
    for (uint32_t i = 0; i + 1 < made; i++)
        HcclCommDestroy(comms[i]);
    return result;
}
