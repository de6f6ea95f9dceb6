/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arrays of numbers and lists of tensors or scalars: copied values behind a handle. A list is an array of
 * handles.
 */
#ifndef BELAY_TENSOR_ARRAY_H
#define BELAY_TENSOR_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/handle.h"
#include "base/report.h"

/* kind is HANDLE_INT_ARRAY to HANDLE_SCALAR_LIST everywhere; the size of a value follows from it. */

/*
 * The handle of a copy of count values; an empty one when values is NULL. NULL with a recorded sentence that
 * begins with api when memory runs out.
 */
void *array_create(const char *api, enum handle_kind kind, const void *values, uint64_t count);

/* False when the handle is not a live object of this kind. */
bool array_count(enum handle_kind kind, const void *array, uint64_t *count);

/*
 * Copies at most capacity values, from index first on, and writes the number of all. False as for
 * array_count.
 */
bool array_read(enum handle_kind kind, const void *array, uint64_t first, uint64_t capacity, void *values,
                uint64_t *count) SHARED(array_read);

/* Where the values lie for as long as the object lives, NULL where there are none. False as for array_count.
 */
bool array_values(enum handle_kind kind, const void *array, const void **values);

/* Whether the object is live, and all elements are that a list of scalars has. (Those of a list of tensors
 * are watched one by one: they can change.) */
bool array_is_whole(enum handle_kind kind, const void *array);

/* Destroys the object and hands over its values, which the caller frees. False as for array_count. */
bool array_take(enum handle_kind kind, const void *array, void **values, uint64_t *count);

/* The public functions, which differ by kind only. */
aclnnStatus array_destroy(const char *api, enum handle_kind kind, const void *array);
aclnnStatus array_size(const char *api, enum handle_kind kind, const void *array, uint64_t *size);

/* What is wrong with a handle that the functions above refused. */
const char *array_fault(enum handle_kind kind, const void *array) SHARED(array_fault);
enum rule array_rule(enum handle_kind kind, const void *array) SHARED(array_rule); /* behind that */

#endif
