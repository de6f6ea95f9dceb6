/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with adapters of low rank, for the stand-ins of vllm-ascend's kernels: queued like any work, and
 * what is wrong with a call fails in the stream.
 */
#ifndef BELAY_ATB_LORA_H
#define BELAY_ATB_LORA_H

#include <stdint.h>

#include "acl/acl_base.h"
#include "base/export.h"

/* Addresses of the device; lengths of sequences are NULL where each row has an index of its own. */
struct lora_call {
    void *x, *weight, *indices, *lengths, *y;
};

/* type: 0 FLOAT16, 1 BFLOAT16. y (FLOAT) = scale x W^T, with W [rank, hidden]. */
void lora_shrink(int32_t type, aclrtStream stream, const struct lora_call *call, uint32_t index_count,
                 uint32_t rows, uint32_t hidden, uint32_t rank, float scale) SHARED(lora_shrink);

/* x is FLOAT. y += x W^T, with W [hidden, rank], at `offset` elements of a row that has `whole`. */
void lora_expand(int32_t type, aclrtStream stream, const struct lora_call *call, uint32_t index_count,
                 uint32_t rows, uint32_t rank, uint32_t hidden, uint32_t offset, uint32_t whole)
    SHARED(lora_expand);

#endif
