/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a scenario holds of the library, so that it can stop at the first call that fails and everything is
 * still destroyed; and the verdict on every code that the library returned.
 */
#ifndef BELAY_TESTS_FAULTS_WORLD_H
#define BELAY_TESTS_FAULTS_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

/* Which codes a call may return when the system refuses something. */
enum family {
    CALL_RUNTIME,  /* 200000 */
    CALL_MEMORY,   /* 207001, or 200000 */
    CALL_QUEUEING, /* 207005 when there is no thread, or 200000 */
    CALL_FILE,     /* 100003, 100000 or 200000 */
    CALL_PHASE_1,  /* 561101; 361001 when nothing of the library can be used */
    CALL_PHASE_2,  /* 361001 */
    CALL_GETTER,   /* 561000, or 361001 */
    CALL_CLEANUP   /* none: what gives back must work when nothing can be had */
};

enum { STREAMS = 80, EVENTS = 80, BLOCKS = 16, TENSORS = 80, SMALL = 80, HOST_ELEMENTS = 1 << 16 };

struct world {
    bool is_initialised;
    int32_t devices_set; /* device i has been set while i is below */
    aclrtContext home;   /* to which everything but context belongs */
    aclrtContext context;
    aclrtStream stream[STREAMS];
    aclrtStream subscribed;
    aclrtEvent event[EVENTS];
    aclrtStream captured; /* on which a capture was begun */
    aclmdlRI graph;
    void *device[BLOCKS];
    void *host[BLOCKS];
    void *registered;
    aclTensor *tensor[TENSORS];
    aclScalar *scalar[SMALL];
    aclIntArray *int_array[SMALL];
    aclFloatArray *float_array[SMALL];
    aclBoolArray *bool_array[SMALL];
    aclTensorList *tensor_list[SMALL];
    aclScalarList *scalar_list[SMALL];
    aclDataBuffer *buffer[SMALL];
    aclTensorDesc *description[SMALL];
    aclrtStreamConfigHandle *configuration;
    aclOpExecutor *executor[SMALL]; /* that no phase 2 has consumed */
};

extern struct world world;

/* Host memory for scenarios; they allocate nothing themselves. */
extern float host_memory[6][HOST_ELEMENTS];

/* The first thing that went against the contract, or "". */
extern char complaint[512];
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True when code is 0. A failure must have a code of its family and a sentence. */
bool went_well(enum family family, const char *call, int code);

/* The same for creators. */
bool was_made(const char *call, const void *object);

/* How many calls have failed since the start of the process. */
extern uint32_t calls_failed;

/* Destroys everything, each of which must succeed. */
void world_end(void);

enum op { LEAKY_RELU, HARDSWISH, SILU, SMOOTH_L1, OPS };

/*
 * A whole use of an operator on count elements: memory, copies, tensors, both phases, synchronise, copy back,
 * and every result compared. False when a call failed. Uses blocks and tensors from first on.
 */
bool operate(enum op op, aclrtStream stream, int64_t count, uint32_t first);

/* Its parts. The tensors are first (gradient) to first + 3 (output); the last needs beta's target. */
bool operands_create(int64_t count, uint32_t first);
bool operator_prepare(enum op op, uint32_t first, uint64_t *workspace, aclOpExecutor **executor);
int operator_run(enum op op, uint64_t workspace, aclOpExecutor *executor, aclrtStream stream);
bool results_check(enum op op, int64_t count, uint32_t first);

#endif
