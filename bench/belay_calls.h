/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Belay as a program uses it, through the public API alone: both phases and a synchronise.
 */
#ifndef BELAY_BENCH_BELAY_CALLS_H
#define BELAY_BENCH_BELAY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "workload.h"

struct belay_calls;
union argument; /* ops/function.h */

/* What makes the objects of a call: the linked library's functions, or another build's. */
struct belay_objects {
    __typeof__(aclCreateTensor) *create_tensor;
    __typeof__(aclCreateScalar) *create_scalar;
    __typeof__(aclDestroyTensor) *destroy_tensor;
    __typeof__(aclDestroyScalar) *destroy_scalar;
};

/* The arguments of the workload's operator, in the order of the call, with objects of their own. */
void belay_create_arguments(const struct belay_objects *objects, const struct workload *workload,
                            union argument *argument);
void belay_destroy_arguments(const struct belay_objects *objects, const struct subject *subject,
                             const union argument *argument);

/* Ends the program with the library's sentence unless status is 0. */
void belay_check(int status, const char *call);

void belay_start(void);
aclrtStream belay_create_stream(void);
void *belay_allocate(size_t bytes);
void belay_free(void *memory);

/* Whether phase 1 takes the workload's dtypes. */
bool belay_accepts(const struct workload *workload);

struct belay_calls *belay_prepare(const struct workload *workload, aclrtStream stream);
void belay_release(struct belay_calls *calls);

/* Both phases, and a synchronise after each call. */
void belay_run(void *calls, uint64_t repetitions);

/* Both phases, without waiting. */
void belay_submit(struct belay_calls *calls);
void belay_wait(aclrtStream stream);

#endif
