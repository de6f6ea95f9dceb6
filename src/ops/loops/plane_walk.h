/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of functions that work on planes: the last dims of tensors whose other dims agree. A function sees
 * the elements of one plane of each tensor side by side, in their own dtypes, and memory of its own; layouts
 * and threads are the loop's.
 */
#ifndef BELAY_OPS_LOOPS_PLANE_WALK_H
#define BELAY_OPS_LOOPS_PLANE_WALK_H

#include "ops/call.h"
#include "ops/port.h"
#include "tensor/scratch.h"

enum { PLANE_INPUTS = 5, PLANE_OPERANDS = 6, PLANE_PARAMETERS = 320 };

struct plane_walk;

/* Computes one plane, whose number, a uint64_t, room begins with. -1, or an element of the last input that
 * makes it a fault. */
typedef int64_t plane_function(const struct plane_walk *walk, const void *const *input, void *const *output,
                               void *room);

/* Says what is wrong with an element of the last input of a plane; its status. */
typedef int plane_explain(const struct plane_walk *walk, const void *last_input, int64_t plane,
                          int64_t element);

struct plane_request {
    plane_function *function;
    plane_explain *explain;
    uint64_t planes;
    unsigned inputs, outputs;
    unsigned parameter[PLANE_OPERANDS]; /* of the call: inputs, then outputs */
    const struct tensor_view
        *view[PLANE_OPERANDS]; /* instead of the call's: one that repeats planes; or NULL */
    size_t room_bytes;         /* for each thread, the number of the plane included where that is read */
    uint64_t plane_ns;         /* roughly */
    const void *parameters;    /* copied: PLANE_PARAMETERS at most */
    size_t parameter_bytes;
    const int64_t
        *table[2]; /* arrays of the call, a number for each plane: copied, for plane_table; or NULL */
};

struct plane_operand {
    struct port port; /* all elements, as they are */
    uint64_t count;   /* elements of a plane */
};

struct plane_walk {
    const struct transfer *transfer;
    plane_function *function;
    plane_explain *explain;
    uint64_t planes, slots, room_bytes, cost_ns, table;
    unsigned inputs, operands;
    struct plane_operand operand[PLANE_OPERANDS];
    _Alignas(8) unsigned char parameters[PLANE_PARAMETERS];
};

/* The end of phase 1. Outputs are not empty. */
aclnnStatus plane_walk_plan(const struct call *call, const struct plane_request *request);

static inline const int64_t *plane_table(const struct plane_walk *walk, uint64_t number)
{
    return (const int64_t *)(const void *)((const unsigned char *)walk + walk->table) + number * walk->planes;
}

size_t plane_walk_work_bytes(const void *plan);
int plane_walk_run(const void *plan, void *const *address, void *scratch);

/* Any number of elements in another dtype; of the same, a copy. */
void plane_convert(const struct plane_walk *walk, const void *from, aclDataType from_dtype, void *to,
                   aclDataType to_dtype, uint64_t count);

/* Elements as floats: where they are, or converted to `to`. */
const float *plane_floats(const struct plane_walk *walk, const void *from, aclDataType dtype, float *to,
                          uint64_t count);

#define PLANE_WALK .operation.work_bytes = plane_walk_work_bytes, .operation.run = plane_walk_run

#endif
