/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that meet other ranks: their group, and the end of phase 1. Parts of a function are found by a
 * form, as those of mixtures of experts are. Plans begin with what was met. The work of a rank runs whether
 * its own tensors have elements or not, as the others wait for it.
 */
#ifndef BELAY_OPS_WITH_RANKS_WITH_RANKS_H
#define BELAY_OPS_WITH_RANKS_WITH_RANKS_H

#include "ops/experts/experts.h"
#include "ops/sizes.h"
#include "runtime/groups/groups.h"

enum { RANKS_MOST = 1024 }; /* of a group */

/* The group of a call. */
struct met {
    char name[GROUP_NAME_BYTES];
    struct group_place place;
};

/* How tests, which make a communicator of one rank first, call a function with a group. */
#define GROUP(X, of, name)        X(of, CONST_TEXT, name, .usual = "belay_process_0")
#define GROUP_ABSENT(X, of, name) X(of, CONST_TEXT, name, .is_optional = true, .usual = "")
/* What says how data go, which changes nothing here. */
#define COMM_TURN(X, of) X(of, INT64, commTurn, .usual = "0") X(of, INT64, streamMode, .usual = "1")
#define COMM_MODE(X, of) X(of, CONST_TEXT, commMode, .is_optional = true, .usual = "")

/* The communicator that a text among the numbers of the form names, of the current device. 161002: there is none
 * of that name; 361001: there is no libhccl. */
aclnnStatus find_group(const struct call *call, unsigned number, struct met *met);

/* Frameworks pass empty tensors for what is absent. */
static inline bool part_has_elements(const struct call *call, unsigned part)
{
    return form_of(call)->tensor[part] > 0 && call_has_elements(call, part_at(call, part));
}

/* All tensors that are given have dtypes of theirs, and those that must be NULL are. */
aclnnStatus check_tensors(const struct call *call);

/* A text among the numbers of a form is "sum", the only reduction that there is. */
aclnnStatus check_reduction(const struct call *call, unsigned number);

/* A size of the group that the call names is that of the group. */
aclnnStatus check_ranks(const struct call *call, unsigned number, const struct met *met);

/* The end of phase 1, of a plan that begins with a struct met. */
aclnnStatus finish_with_ranks(const struct call *call, const void *plan, size_t bytes, uint32_t exchanges);

/* Parts of the same length one behind the other. */
void line_up(struct group_part *part, uint32_t ranks, uint64_t bytes);

#define WITH_RANKS(form_) .family = FAMILY_WITH_RANKS, .of_family = (form_)

#endif
