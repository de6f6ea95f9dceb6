/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A communicator of some ranks of another. They compare what each of them was asked for, over the old one;
 * then the new rank 0 opens the place where they meet, and tells the others.
 */
#include <stdio.h>
#include <string.h>

#include "hccl/agreement.h"
#include "hccl/making.h"
#include "hccl/meeting_place.h"
#include "hccl/mesh_fault.h"
#include "runtime/timeline/trace.h"

/* What one rank asks for. */
struct part {
    const char *api;
    struct communicator *parent;
    uint64_t id;
    const uint32_t *ranks;
    struct communicator_shape shape;
};

/* The ranks exist, each is named once, and the caller is where it says. */
static HcclResult check_members(const char *api, const struct communicator *parent, uint32_t count,
                                const uint32_t *ranks, uint32_t own)
{
    HcclResult result = making_check_rank(api, own, count);
    if (result != HCCL_SUCCESS)
        return result;
    if (ranks[own] != parent->rank)
        return (HcclResult)fail(HCCL_E_PARA, "%s: rankIds[%u] is %u; the caller's rank, %u, is expected", api,
                                (unsigned)own, (unsigned)ranks[own], (unsigned)parent->rank);
    for (uint32_t i = 0; i < count; i++) {
        if (ranks[i] >= parent->rank_count)
            return (HcclResult)fail(HCCL_E_PARA, "%s: rankIds[%u] is %u; a rank below %u is expected", api,
                                    (unsigned)i, (unsigned)ranks[i], (unsigned)parent->rank_count);
        for (uint32_t earlier = 0; earlier < i; earlier++)
            if (ranks[earlier] == ranks[i])
                return (HcclResult)fail(HCCL_E_PARA,
                                        "%s: rank %u is named twice in rankIds; each is expected once", api,
                                        (unsigned)ranks[i]);
    }
    return HCCL_SUCCESS;
}

/* Tells the others where they meet, or, by zeros, that there is no such place. */
static HcclResult tell_others(const struct part *part, uint64_t tag, HcclRootInfo *root, int64_t deadline,
                              bool *is_well, struct mesh_fault *fault)
{
    const struct link *link = &part->parent->link;
    struct mesh_fault unopened;
    memset(root, 0, sizeof *root);
    const HcclResult opened = link_describe_root(link, part->shape.rank_count, root, &unopened);
    HcclResult result = HCCL_SUCCESS;
    for (uint32_t rank = 1; rank < part->shape.rank_count && result == HCCL_SUCCESS; rank++) {
        const struct mesh_message message = {.data = root, .bytes = sizeof *root, .peer = part->ranks[rank]};
        result = link_exchange(link, tag, &message, 1, deadline, fault);
        if (result != HCCL_SUCCESS && opened == HCCL_SUCCESS)
            link_abandon_root(link, root, rank, part->shape.rank_count);
    }
    *is_well = result == HCCL_SUCCESS;
    if (*is_well && opened != HCCL_SUCCESS)
        *fault = unopened;
    return *is_well ? opened : result;
}

/* *is_well: no exchange has failed, so that the old communicator is as good as before. */
static HcclResult meet_over(const struct part *part, struct link *link, bool *is_well,
                            struct mesh_fault *fault)
{
    const struct link *old = &part->parent->link;
    const uint64_t tag = TAG_SUB_COMMUNICATOR | part->id % TAG_SUB_COMMUNICATOR;
    int64_t timeout_ns;
    HcclRootInfo root;
    *is_well = true;
    HcclResult result = connect_timeout(&timeout_ns, fault);
    if (result != HCCL_SUCCESS)
        return result;
    const int64_t deadline = monotonic_ns() + timeout_ns;
    result = agreement_reach(old, tag, &part->shape, part->ranks, deadline, fault);
    *is_well = result == HCCL_SUCCESS || result == HCCL_E_PARA || result == HCCL_E_MEMORY;
    if (result != HCCL_SUCCESS)
        return result;
    if (part->shape.rank == 0) {
        result = tell_others(part, tag, &root, deadline, is_well, fault);
    } else {
        static const HcclRootInfo none;
        const struct mesh_message message = {
            .data = &root, .bytes = sizeof root, .peer = part->ranks[0], .receives = true};
        result = link_exchange(old, tag, &message, 1, deadline, fault);
        *is_well = result == HCCL_SUCCESS;
        if (*is_well && memcmp(&root, &none, sizeof root) == 0)
            result = mesh_refuse(fault, HCCL_E_REMOTE, 0,
                                 "rank 0 of the new communicator could not open the place where its ranks "
                                 "meet; it says why");
    }
    return result == HCCL_SUCCESS
               ? link_join(old, &root, part->shape.rank_count, part->shape.rank, link, fault)
               : result;
}

static HcclResult create(struct part *part, HcclComm *comm)
{
    struct communicator *parent = part->parent;
    struct link link;
    struct mesh_fault fault = {.peer = -1};
    HcclResult result;
    bool is_well;
    char default_name[COMM_NAME_MAX_LENGTH];
    if (!communicator_begin(parent, &result, fault.sentence, sizeof fault.sentence))
        return making_tell(part->api, result, &fault);
    result = meet_over(part, &link, &is_well, &fault);
    if (!is_well && result == HCCL_E_TIMEOUT)
        mesh_refuse(&fault, result, fault.peer,
                    "rank %lld of %.60s did not make the same call, with subCommId %llu, within "
                    "HCCL_CONNECT_TIMEOUT; all that rankIds names are expected to",
                    (long long)fault.peer, parent->name, (unsigned long long)part->id);
    if (!is_well) {
        /* An exchange that has failed leaves nothing that another one could go over. */
        char sentence[sizeof fault.sentence + 64];
        snprintf(sentence, sizeof sentence, "%s: %s", part->api, fault.sentence);
        communicator_fail(parent, result, sentence);
    }
    communicator_end(parent);
    if (result != HCCL_SUCCESS)
        return making_tell(part->api, result, &fault);
    if (part->shape.name[0] == '\0') {
        snprintf(default_name, sizeof default_name, "%.80s_%llu", parent->name, (unsigned long long)part->id);
        part->shape.name = default_name;
    }
    return communicator_create(part->api, &part->shape, link, comm);
}

HcclResult HcclCreateSubCommConfig(HcclComm *comm, uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
                                   uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm)
{
    TRACE_THIS_CALL;
    struct part part = {.api = __func__, .id = subCommId, .ranks = rankIds};
    char name[COMM_NAME_MAX_LENGTH];
    HcclResult result = communicator_check_process();
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "comm", comm);
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "config", config);
    if (result == HCCL_SUCCESS)
        result = making_check_pointer(__func__, "subComm", subComm);
    if (result == HCCL_SUCCESS)
        result = communicator_find_working(__func__, *comm, &part.parent);
    if (result != HCCL_SUCCESS)
        return result;
    if (rankIds == NULL && subCommId == UINT32_MAX) {
        communicator_drop(part.parent);
        *subComm = NULL;
        return HCCL_SUCCESS;
    }
    result = making_check_pointer(__func__, "rankIds", rankIds);
    if (result == HCCL_SUCCESS)
        result = check_members(__func__, part.parent, rankNum, rankIds, subCommRankId);
    if (result == HCCL_SUCCESS)
        result = making_read_config(__func__, config, name, &part.shape);
    if (result == HCCL_SUCCESS) {
        part.shape.device = part.parent->device;
        part.shape.rank = subCommRankId;
        part.shape.rank_count = rankNum;
        result = create(&part, subComm);
    }
    communicator_drop(part.parent);
    return result;
}
