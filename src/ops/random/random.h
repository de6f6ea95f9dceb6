/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of the functions that fill a tensor with random numbers: element i, in row-major order of the view
 * whatever its strides, depends on seed, offset, i and the dtype alone.
 */
#ifndef BELAY_OPS_RANDOM_H
#define BELAY_OPS_RANDOM_H

#include <stdbool.h>

#include "ops/call.h"
#include "ops/random/draw.h"

enum { RANDOM_NONE = -1 };

/* What a function draws, by its parameters. */
struct random_request {
    unsigned out;
    int seed_tensor, offset_tensor; /* read when the task runs; or RANDOM_NONE */
    struct draw draw;               /* without is_long, which the dtype decides, and limit */
    double end; /* elements lie below it where it is greater than draw.base; or infinity */
};

aclnnStatus random_plan(const struct call *call, const struct random_request *request);
int random_run(const void *plan, void *const *address, void *scratch);

#define RANDOM .family = FAMILY_RANDOM, .operation.run = random_run

#endif
