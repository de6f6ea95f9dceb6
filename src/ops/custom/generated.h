/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the functions call that are made of the operators of a project (include/register/belay_generated.h): each has
 * one of these for good, and enters it when its library is loaded.
 */
#ifndef BELAY_OPS_CUSTOM_GENERATED_H
#define BELAY_OPS_CUSTOM_GENERATED_H

#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/export.h"
#include "register/belay_generated.h"

void generated_enter(struct belay_generated *generated) SHARED(generated_enter);

/* Phase 1, with the arguments as words, in the order of the call. */
aclnnStatus generated_plan(struct belay_generated *generated, const uint64_t *argument,
                           uint64_t *workspaceSize, aclOpExecutor **executor) SHARED(generated_plan);
aclnnStatus generated_launch(struct belay_generated *generated, void *workspace, uint64_t workspaceSize,
                             aclOpExecutor *executor, aclrtStream stream) SHARED(generated_launch);

/* Loads the libraries of all packages that the environment names, so that their operators are entered. */
void custom_load_all(void);

/* Why a package that the environment names cannot be used, as far as functions() has met it; "" where all can. */
const char *custom_fault(void) SHARED(custom_fault);

#endif
