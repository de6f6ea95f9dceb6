/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups of ranks by name, for work of operators that meets the same work of other ranks. libhccl has the
 * communicators, and leaves what it does with them here when it is loaded; operators do not link it.
 */
#ifndef BELAY_RUNTIME_GROUPS_GROUPS_H
#define BELAY_RUNTIME_GROUPS_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"
#include "runtime/tasks/access.h"

enum { GROUP_NAME_BYTES = 128 };

/* What the ranks of a group do together; the numbers go over the wire. */
enum group_kind {
    GROUP_MATMUL_ALL_REDUCE,
    GROUP_QUANT_MATMUL_ALL_REDUCE,
    GROUP_WEIGHT_QUANT_MATMUL_ALL_REDUCE,
    GROUP_ALL_GATHER_MATMUL,
    GROUP_MATMUL_REDUCE_SCATTER,
    GROUP_ALL_TO_ALL_MATMUL,
    GROUP_MATMUL_ALL_TO_ALL,
    GROUP_ALL_TO_ALL_GROUPED_MATMUL,
    GROUP_GROUPED_MATMUL_ALL_TO_ALL,
    GROUP_DISPATCH,
    GROUP_COMBINE,
    GROUP_BARRIER,
    GROUP_KINDS
};

/* Bytes of a buffer that are for one rank, or from there. */
struct group_part {
    uint64_t offset, bytes;
};

/*
 * One exchange of a call. Part r of sends goes to rank r, and what comes from there lies at part r of
 * receives. Where it sums, sends[r] is what this rank adds to the part that rank r sums, in the order of
 * ranks, in DOUBLE, rounded once to FLOAT; the own part lies at the beginning of writes, or, where it gathers,
 * all parts lie where they were read.
 */
struct group_exchange {
    enum group_kind kind;
    aclDataType dtype;
    bool sums, gathers;
    uint64_t count; /* elements, where all ranks name the same; else 0 */
    void *reads, *writes;
    const struct group_part *sends, *receives;
};

struct group_place {
    uint32_t rank, rank_count;
};

struct group_call;

struct groups {
    /* The communicator of that name on the device; false: there is none. */
    bool (*find)(const char *name, int32_t device, struct group_place *place);
    /* Takes numbers for the exchanges of a call that is about to be queued: NULL and a sentence. */
    struct group_call *(*queue)(const char *api, const char *name, int32_t device, uint32_t exchanges);
    /* The call has ended, or could not be queued: then its numbers are free again. */
    void (*release)(struct group_call *call, bool was_queued);
    /* Around the work; and an exchange of it. 0, or the status of the task, whose sentence is told. What ends
     * with a failure of its own ends the group's other ranks. */
    int (*begin)(struct group_call *call);
    int (*exchange)(struct group_call *call, const struct group_exchange *exchange);
    void (*end)(struct group_call *call, int status);
    void (*describe)(const struct group_call *call, struct access_visitor *visitor);
};

extern const struct groups *groups SHARED(groups); /* NULL without libhccl */

/* Runs work of a call, whose exchanges are then this thread's. */
int group_run(struct group_call *call, int (*run)(void *context), void *context) SHARED(group_run);

/* An exchange of the call that this thread runs. */
int group_exchange(const struct group_exchange *exchange) SHARED(group_exchange);

#endif
