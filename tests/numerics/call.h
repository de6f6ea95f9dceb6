/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of the operators as programs make them, and what each element must be: the result of the baseline
 * kernel for that element alone.
 */
#ifndef BELAY_TESTS_NUMERICS_CALL_H
#define BELAY_TESTS_NUMERICS_CALL_H

#include "aclnn/acl_meta.h"
#include "numerics/reference.h"

enum { CALL_RANK = 2 };

struct view {
    int64_t shape[CALL_RANK], stride[CALL_RANK];
    char *data; /* of the element at index 0, 0 */
};

/* The inputs may have size 1 where the output has more. */
struct call {
    struct task task;
    struct view input[INPUTS_MAX], output;
};

/* A view of all elements one after the other. */
struct view row_of(void *data, int64_t count);

/* Both phases; the status of the first that fails. The views are no longer needed then, their memory is. */
aclnnStatus launch(const struct call *call, aclrtStream stream);

/* How many elements of the output are not as they must be. */
uint64_t count_differences(const struct call *call, enum accuracy accuracy);

uint64_t count_elements(const struct call *call);

#endif
