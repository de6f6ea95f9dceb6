/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The operators that can be measured: all that the library has, from its own descriptions.
 */
#ifndef BELAY_BENCH_SUBJECTS_H
#define BELAY_BENCH_SUBJECTS_H

#include "acl/acl_base.h"
#include "workload.h"

/*
 * The gradients come first, under short names: the sections that go through sizes, layouts, data and threads
 * do so with them. The others follow by the names of their functions.
 */
enum { SILU, HARDSWISH, LEAKY_RELU, SMOOTH_L1, GRADIENTS };

int subjects_count(void);
const struct subject *subject_at(int index);

/* The library's name of a dtype. */
aclDataType subject_dtype(enum dtype dtype);

bool subject_has_dtype(const struct subject *subject, enum dtype dtype);

/* Whether the caller names the dtype of the result, and whether it may ask for a result of one element. */
bool subject_converts(const struct subject *subject);
bool subject_reduces(const struct subject *subject);

/* What the library reckons for FLOAT, in cache, with the widest vectors. */
double subject_reckoned_ns(const struct subject *subject, int64_t count);

#endif
