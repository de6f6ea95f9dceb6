/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mistakes of programs that the rules of the checker are about.
 */
#ifndef BELAY_TESTS_CHECK_MISUSE_H
#define BELAY_TESTS_CHECK_MISUSE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

enum { BLOCK_BYTES = 4096 };

/* Of device 0, which is current. */
extern aclrtStream stream;
extern void *block;

struct mistake {
    const char *name; /* begins with the rule's id */
    void (*commit)(void);
};

extern const struct mistake operator_mistakes[];
extern const size_t operator_mistake_count;

/* A number that is no handle. */
static inline void *forged(void)
{
    return (void *)(uintptr_t)0x1234;
}

/* A tensor of FLOAT with one dim, and an operator on some of them. */
aclTensor *tensor(int64_t count, int64_t stride, int64_t offset, void *data);
void launch_on(void *data, int64_t count, int64_t offset);

/* Calls whose codes are answers, in which nothing is wrong either. */
void ask(void);

/* An executor for a call in which nothing is wrong. */
aclOpExecutor *prepare_well(void);

#endif
