/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the copies of one and of two dimensions share.
 */
#ifndef BELAY_RUNTIME_MEMORY_COPY_H
#define BELAY_RUNTIME_MEMORY_COPY_H

#include <stdint.h>

#include "acl/acl_rt.h"
#include "runtime/memory/memory_side.h"

/*
 * For copies in stream order: 107000 when kind (0 to 5) does not agree with where the sides lie, 207000 when
 * both are host memory. Otherwise the place of a side that stands for device memory is MEMORY_DEVICE
 * afterwards, and where MEMORY_UNKNOWN is left the copy must be made before the call returns.
 */
int copy_check_kind(const char *api, aclrtMemcpyKind kind, struct memory_side *to, struct memory_side *from);

/* aclrtMemcpyAsync, on behalf of api. */
int copy_in_stream(const char *api, void *dst, size_t destMax, const void *src, size_t count,
                   aclrtMemcpyKind kind, aclrtStream stream);

/* 0, or what the blocking copy or set of these bytes returns, as a fault was asked for. */
int copy_struck(const char *api, uint64_t bytes) __attribute__((cold));

/* The predicted running time of a copy or set. */
uint64_t copy_cost_ns(uint64_t bytes);

#endif
