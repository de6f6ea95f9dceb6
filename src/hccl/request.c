/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * From the arguments of a collective to its spans.
 */
#include "hccl/request.h"

#include "hccl/overlap.h"

HcclResult request_open(const struct request *request, HcclComm comm, struct collective **collective)
{
    struct communicator *communicator;
    HcclResult found = communicator_find_working(request->api, comm, &communicator);
    if (found != HCCL_SUCCESS)
        return found;
    const uint32_t element_bytes = data_type_bytes((uint32_t)request->data_type);
    HcclResult result = HCCL_SUCCESS;
    if (element_bytes == 0)
        result =
            (HcclResult)fail(HCCL_E_PARA, "%s: argument dataType is %d; 0 to 12 or 14 to 17 are expected",
                             request->api, (int)request->data_type);
    else if (request->reduces && reduction_name((uint32_t)request->reduction) == NULL)
        result = (HcclResult)fail(HCCL_E_PARA, "%s: argument op is %d; 0 (sum) to 3 (minimum) are expected",
                                  request->api, (int)request->reduction);
    else if (request->reduces && !data_type_can_be_reduced((uint32_t)request->data_type))
        result = (HcclResult)fail(
            HCCL_E_NOT_SUPPORT, "%s: argument dataType is %s, which cannot be reduced; 0 to 11 are expected",
            request->api, data_type_name((uint32_t)request->data_type));
    else if (request->has_root && request->root >= communicator->rank_count)
        result = (HcclResult)fail(HCCL_E_PARA, "%s: argument root is %u; a rank below %u is expected",
                                  request->api, (unsigned)request->root, (unsigned)communicator->rank_count);
    struct collective *made = NULL;
    if (result == HCCL_SUCCESS) {
        made = collective_create(request->api, request->kind, communicator);
        result = made != NULL ? HCCL_SUCCESS : HCCL_E_MEMORY;
    }
    if (result != HCCL_SUCCESS) {
        communicator_drop(communicator);
        return result;
    }
    made->call.data_type = (uint32_t)request->data_type;
    made->call.reduction = request->reduces ? (uint32_t)request->reduction : 0;
    made->call.root = request->has_root ? request->root : 0;
    made->element_bytes = element_bytes;
    made->reduces = request->reduces;
    made->has_root = request->has_root;
    *collective = made;
    return HCCL_SUCCESS;
}

bool request_count_bytes(const struct collective *collective, const char *parameter, uint64_t count,
                         uint64_t *bytes)
{
    const uint64_t most =
        (uint64_t)INT64_MAX / collective->element_bytes / collective->work.communicator->rank_count;
    *bytes = count * collective->element_bytes;
    if (count <= most)
        return true;
    fail(HCCL_E_PARA, "%s: argument %s is %llu; at most %llu elements are expected", collective->work.api,
         parameter, (unsigned long long)count, (unsigned long long)most);
    return false;
}

bool request_overlaps(const struct collective *collective, const void *a, uint64_t a_bytes, const void *b,
                      uint64_t b_bytes, const char *allowed)
{
    uintptr_t a_at = (uintptr_t)a, b_at = (uintptr_t)b;
    if (a_bytes == 0 || b_bytes == 0 || a == NULL || b == NULL ||
        (a_at < b_at ? b_at - a_at >= a_bytes : a_at - b_at >= b_bytes))
        return false;
    fail(HCCL_E_PARA, "%s: sendBuf, %llu bytes at %p, and recvBuf, %llu at %p, overlap; %s expected",
         collective->work.api, (unsigned long long)a_bytes, a, (unsigned long long)b_bytes, b, allowed);
    return true;
}

void request_line_up(const struct collective *collective, struct span *spans, uint64_t bytes)
{
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        spans[rank] = (struct span){rank * bytes, bytes};
}

bool request_lay_out(const struct collective *collective, struct span *spans, const char *parameter,
                     const void *counts, const void *offsets, uint64_t *reach, HcclResult *result)
{
    const uint64_t most = (uint64_t)INT64_MAX / collective->element_bytes;
    *reach = 0;
    *result = HCCL_E_PTR;
    if (counts == NULL || offsets == NULL) {
        fail(HCCL_E_PTR, "%s: the counts or displacements of %s are NULL; one for each rank is expected",
             collective->work.api, parameter);
        return false;
    }
    *result = HCCL_E_PARA;
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++) {
        const uint64_t count = ((const uint64_t *)counts)[rank], offset = ((const uint64_t *)offsets)[rank];
        if (count > most || offset > most - count) {
            fail(HCCL_E_PARA,
                 "%s: the part of %s for rank %u is %llu elements from %llu on; at most %llu in all are "
                 "expected",
                 collective->work.api, parameter, (unsigned)rank, (unsigned long long)count,
                 (unsigned long long)offset, (unsigned long long)most);
            return false;
        }
        spans[rank] = (struct span){offset * collective->element_bytes, count * collective->element_bytes};
        if (count > 0 && spans[rank].offset + spans[rank].bytes > *reach)
            *reach = spans[rank].offset + spans[rank].bytes;
    }
    return true;
}

bool request_parts_overlap(const struct collective *collective, const struct span *spans,
                           const char *parameter)
{
    struct extent extents[RANKS_MAX];
    const uint32_t ranks = collective->work.communicator->rank_count;
    uint32_t first, second;
    for (uint32_t rank = 0; rank < ranks; rank++)
        extents[rank] = (struct extent){spans[rank].offset, spans[rank].bytes, rank, true};
    if (!overlap_find(extents, ranks, &first, &second))
        return false;
    fail(HCCL_E_PARA,
         "%s: the parts of %s for rank %u, %llu bytes from %llu on, and for rank %u, %llu from %llu on, "
         "overlap; "
         "parts apart from one another are expected",
         collective->work.api, parameter, (unsigned)first, (unsigned long long)spans[first].bytes,
         (unsigned long long)spans[first].offset, (unsigned)second, (unsigned long long)spans[second].bytes,
         (unsigned long long)spans[second].offset);
    return true;
}

bool request_is_own_count(const struct collective *collective, const struct span *spans,
                          const char *parameter, uint64_t count)
{
    const uint32_t rank = collective->work.communicator->rank;
    const uint64_t own = spans[rank].bytes / collective->element_bytes;
    if (own == count)
        return true;
    fail(HCCL_E_PARA, "%s: argument %s is %llu; the count for rank %u, %llu, is expected",
         collective->work.api, parameter, (unsigned long long)count, (unsigned)rank, (unsigned long long)own);
    return false;
}

const void *request_at(const void *buffer, uint64_t offset)
{
    return (const void *)((uintptr_t)buffer + offset);
}
