/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The reduction of what ranks contribute, element by element.
 */
#ifndef BELAY_HCCL_REDUCE_H
#define BELAY_HCCL_REDUCE_H

#include <hccl/hccl_types.h>

/*
 * out[i] is the reduction of from[0][i], from[1][i], ... in this order. out may be one of them. Elements are
 * aligned to their size, and the type is one that can be reduced.
 *
 * fp16, bf16 and fp32 are reduced in fp64 and rounded once, to nearest, ties to even; fp64 is reduced as it
 * is; integers wrap. MAX and MIN: a NaN wins, and -0 is less than +0. Every NaN that comes out is the quiet
 * one without sign and payload, as processors differ in which of two they pass on. The bits depend on the
 * elements alone.
 */
void reduce(HcclDataType data_type, HcclReduceOp reduction, const void *const *from, uint32_t rank_count,
            void *out, uint64_t count);

#endif
