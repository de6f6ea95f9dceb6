/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lists of groups are checked when the call is made, as far as their shape goes, and read when the work runs.
 */
#include "ops/contraction/group_list.h"

#include <inttypes.h>

#include "ops/check.h"
#include "runtime/streams/fault.h"

aclnnStatus group_list_check(const struct call *call, unsigned parameter, int64_t type, int64_t groups)
{
    const struct tensor_view *list = &call->tensor[parameter];
    const bool is_paired = type == GROUPS_PAIRED;
    TRY(check_dtype(call, parameter));
    if (type < GROUPS_CUMULATED || type > GROUPS_PAIRED)
        return refuse(call, "groupListType is %" PRId64 "; 0 to 2 is expected", type);
    if (list->rank != (is_paired ? 2U : 1U))
        return refuse(call, "%s has %u dims; %d %s expected", call_name(call, parameter), list->rank,
                      1 + is_paired, is_paired ? "are" : "is");
    if (list->shape[0] != groups || (is_paired && list->shape[1] != 2))
        return refuse(call, "%s has shape %s; [%" PRId64 "%s] is expected, for as many groups",
                      call_name(call, parameter), shape_text(TEXT, list), groups, is_paired ? ", 2" : "");
    return ACLNN_SUCCESS;
}

struct group_list group_list_of(const struct call *call, unsigned parameter, int64_t type, uint64_t groups)
{
    return (struct group_list){.port = port_of(call, parameter, ACL_INT64),
                               .type = (enum group_list_type)type,
                               .length = groups,
                               .groups = groups};
}

int group_pieces_of(const int64_t *number, uint64_t length, enum group_list_type type, uint64_t groups,
                    const char *name, uint64_t most, struct group_piece *piece)
{
    uint64_t before = 0;
    for (uint64_t i = 0; i < length; i++) {
        const bool is_paired = type == GROUPS_PAIRED, is_sum = type == GROUPS_CUMULATED;
        const int64_t found = number[is_paired ? 2 * i + 1 : i], group = is_paired ? number[2 * i] : 0;
        const uint64_t least = is_sum ? before : 0, left = is_sum ? most : most - before;
        if (found < 0 || (uint64_t)found < least || (uint64_t)found > left)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "%s holds %" PRId64 " at [%" PRIu64 "%s]; %s", name, found, i,
                                  is_paired ? ", 1" : "",
                                  is_sum ? "sums are expected that do not fall, up to x's size"
                                         : "counts are expected that add up to x's size at most");
        const uint64_t count = (uint64_t)found - least;
        if (is_paired && count > 0 && (group < 0 || (uint64_t)group >= groups))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "%s holds %" PRId64 " at [%" PRIu64 ", 0]; a group from 0 to %" PRIu64
                                  " is expected",
                                  name, group, i, groups - 1);
        piece[i] = (struct group_piece){.group = !is_paired  ? i
                                                 : count > 0 ? (uint64_t)group
                                                             : 0,
                                        .first = before,
                                        .count = count};
        before += count;
    }
    return 0;
}

int group_list_read(const struct group_list *list, void *const *address, const char *name, uint64_t most,
                    void *memory)
{
    const uint64_t numbers = list->length * (list->type == GROUPS_PAIRED ? 2 : 1);
    int64_t *number =
        (int64_t *)(void *)((unsigned char *)memory + whole_lines(list->length * sizeof(struct group_piece)));
    port_bring(&list->port, address, 0, numbers, number);
    return group_pieces_of(number, list->length, list->type, list->groups, name, most, memory);
}
