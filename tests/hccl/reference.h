/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The formula of reductions once more, an element at a time, sharing nothing with the library.
 */
#ifndef BELAY_TESTS_HCCL_REFERENCE_H
#define BELAY_TESTS_HCCL_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "hccl/hccl_types.h"

enum { REDUCED_TYPES = 12, REDUCTIONS = 4 };

size_t reference_bytes(HcclDataType type);

/* from[0], from[1], ... are one element of each rank. */
void reference_reduce(HcclDataType type, HcclReduceOp reduction, const void *const *from, uint32_t count,
                      void *to);

/* Elements that look random; of floats half are ordinary, the others any bits, special values among them. */
void reference_fill(HcclDataType type, void *to, uint64_t count, uint64_t seed);

#endif
