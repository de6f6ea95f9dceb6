/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the calls of collectives have in common: the checks of their arguments, and parts laid out in buffers.
 */
#ifndef BELAY_HCCL_REQUEST_H
#define BELAY_HCCL_REQUEST_H

#include "hccl/collective.h"

/* What is asked for beside the kind. */
struct request {
    const char *api;
    enum call_kind kind;
    HcclDataType data_type;
    bool reduces, has_root;
    HcclReduceOp reduction;
    uint32_t root;
};

/* Makes the collective, with a reference to its communicator; else the result, and a sentence. */
HcclResult request_open(const struct request *request, HcclComm comm, struct collective **collective);

/* The bytes of count elements for each rank, in bytes of one rank's; false leaves a sentence. */
bool request_count_bytes(const struct collective *collective, const char *parameter, uint64_t count,
                         uint64_t *bytes);

/* Whether the two buffers overlap; in that case a sentence, which ends with what is allowed. */
bool request_overlaps(const struct collective *collective, const void *a, uint64_t a_bytes, const void *b,
                      uint64_t b_bytes, const char *allowed);

/* Parts of equal length, one behind the other. */
void request_line_up(const struct collective *collective, struct span *spans, uint64_t bytes);

/* Parts as two arrays of the program say, in elements. *reach is where the last one ends; false leaves a
 * sentence, and *result says which failure it is. */
bool request_lay_out(const struct collective *collective, struct span *spans, const char *parameter,
                     const void *counts, const void *offsets, uint64_t *reach, HcclResult *result);

/* Whether parts that are written overlap; in that case a sentence. */
bool request_parts_overlap(const struct collective *collective, const struct span *spans,
                           const char *parameter);

/* Whether the count is what the spans have for the caller; else a sentence. */
bool request_is_own_count(const struct collective *collective, const struct span *spans,
                          const char *parameter, uint64_t count);

/* A place in a buffer, which may be NULL. */
const void *request_at(const void *buffer, uint64_t offset);

#endif
