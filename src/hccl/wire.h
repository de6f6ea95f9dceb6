/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What ranks tell one another of a call before data move, as it goes over the connections: all ranks are of
 * one release and one byte order.
 */
#ifndef BELAY_HCCL_WIRE_H
#define BELAY_HCCL_WIRE_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hccl/mesh.h"
#include "runtime/groups/groups.h"

/* The numbers go over the wire; 0 is no call. */
enum call_kind {
    CALL_NONE,
    CALL_ALL_REDUCE,
    CALL_REDUCE,
    CALL_REDUCE_SCATTER,
    CALL_REDUCE_SCATTER_V,
    CALL_BROADCAST,
    CALL_SCATTER,
    CALL_ALL_GATHER,
    CALL_ALL_GATHER_V,
    CALL_ALL_TO_ALL,
    CALL_ALL_TO_ALL_V,
    CALL_ALL_TO_ALL_VC,
    CALL_BARRIER,
    CALL_SEND,
    CALL_RECEIVE,
    CALL_OF_OPERATORS, /* and the kinds of runtime/groups */
    CALL_KINDS = CALL_OF_OPERATORS + GROUP_KINDS
};

struct wire_call {
    uint32_t kind, data_type, reduction, root; /* reduction and root are 0 where there is none */
    uint64_t number;         /* of the communicator's collectives, or of the pair's messages;
                                from 1 on */
    uint64_t count;          /* elements, where all ranks name the same; else 0 */
    uint64_t sends, expects; /* bytes to the rank that reads this, and from it */
    uint64_t check;          /* wire_seal: both sides are the same protocol */
};
_Static_assert(sizeof(struct wire_call) == MESH_HEAD_BYTES, "it is the head of a message");

/* What check is to be. */
uint64_t wire_seal(const struct wire_call *call);

/* Whether the two agree, own being the reader's and other what the peer has sent. */
bool wire_agrees(const struct wire_call *own, const struct wire_call *other);

enum { WIRE_TEXT_BYTES = 112 };

/* "HcclAllReduce of 12 fp32, sum". */
void wire_describe(const struct wire_call *call, char text[WIRE_TEXT_BYTES]);

/* How two calls that do not agree differ, for a sentence. */
void wire_tell_difference(const struct wire_call *own, uint32_t own_rank, const struct wire_call *other,
                          uint32_t other_rank, char *text, size_t bytes);

/* The names of functions, types and reductions; NULL where there is none. Bytes of an element; 0. */
const char *call_name(uint32_t kind);
const char *data_type_name(uint32_t data_type);
uint32_t data_type_bytes(uint32_t data_type);
bool data_type_can_be_reduced(uint32_t data_type);
const char *reduction_name(uint32_t reduction);

#endif
