/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operators that are called by their names (runtime/named/named_operator.h) and computed by functions of this
 * library.
 */
#ifndef BELAY_OPS_BY_NAME_H
#define BELAY_OPS_BY_NAME_H

#include "aclnn/acl_meta.h"
#include "runtime/named/named_operator.h"

typedef aclnnStatus second_phase(void *workspace, uint64_t bytes, aclOpExecutor *executor,
                                 aclrtStream stream);

/* Phase 2, with a workspace of its own where BELAY_WORKSPACE wants one. */
int by_name_run(second_phase *run, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream);

/* Frees memory that the call has taken for what it has queued: it lasts as long as that work. NULL is none. */
void by_name_free(void *memory);

/* The operand, in memory of its own or at this other address; NULL with a sentence. */
aclTensor *by_name_tensor(const struct named_operand *operand, void *address);

#endif
