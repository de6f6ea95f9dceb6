/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lists of groups, which say which rows of a tensor, or which part of its columns, belong to which group.
 */
#ifndef BELAY_OPS_CONTRACTION_GROUP_LIST_H
#define BELAY_OPS_CONTRACTION_GROUP_LIST_H

#include "ops/port.h"
#include "tensor/scratch.h"

/* Sums up to each group, counts, or pairs of a group and a count. */
enum group_list_type { GROUPS_CUMULATED, GROUPS_COUNTED, GROUPS_PAIRED };

struct group_list {
    struct port port; /* of INT64 */
    enum group_list_type type;
    uint64_t length; /* pieces: as many numbers, or pairs */
    uint64_t groups; /* that pairs may name */
};

/* Rows of a group, which lie behind those of the piece before. */
struct group_piece {
    uint64_t group, first, count;
};

/* Of a call: its dtype, its shape and its type, for so many groups. */
aclnnStatus group_list_check(const struct call *call, unsigned parameter, int64_t type, int64_t groups);
struct group_list group_list_of(const struct call *call, unsigned parameter, int64_t type, uint64_t groups);

static inline size_t group_list_bytes(const struct group_list *list)
{
    return whole_lines(list->length * sizeof(struct group_piece)) +
           whole_lines(2 * list->length * sizeof(int64_t));
}

/* Reads it into memory of so many bytes: pieces with `most` rows at most together; otherwise a fault, which
 * calls it by its name. */
int group_list_read(const struct group_list *list, void *const *address, const char *name, uint64_t most,
                    void *memory);
/* The pieces of such numbers. */
int group_pieces_of(const int64_t *number, uint64_t length, enum group_list_type type, uint64_t groups,
                    const char *name, uint64_t most, struct group_piece *piece);

#endif
