/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of optimizers: a loop over tensors of one shape, of any layouts and dtypes, some of which are
 * written. Piece by piece all are read as doubles, a kernel changes these where they are, and those that are
 * written are rounded once.
 */
#ifndef BELAY_OPS_COMPOSITE_OPTIMIZER_H
#define BELAY_OPS_COMPOSITE_OPTIMIZER_H

#include <stdbool.h>

#include "ops/call.h"
#include "ops/composite/optimizer_numbers.h"
#include "ops/port.h"

struct optimizer_plan {
    const struct transfer *transfer;
    rows_function *kernel;               /* input and output i are tensor i */
    struct port port[OPTIMIZER_TENSORS]; /* to doubles; of what is not there with no dtype */
    uint32_t written;                    /* a bit for each tensor */
    uint64_t cost_ns;
};

struct optimizer_plan optimizer_plan_of(const struct call *call, rows_function *const *kernels);
void optimizer_add(struct optimizer_plan *plan, unsigned tensor, const struct tensor_view *view,
                   uint32_t address, bool is_written);

/* A tensor that is only read may be one that is written where they lie alike. */
void optimizer_may_be_in_place(const struct optimizer_plan *plan, struct executor_content *content);
void optimizer_run(const struct optimizer_plan *plan, const void *numbers, void *const *address);

/* One element of the tensor there. */
double optimizer_number(const struct transfer *transfer, const void *element, aclDataType dtype);

/* rate and root by powers of beta1 and beta2. */
void adam_set_rates(struct adam_numbers *numbers, rows_function *rates);

#endif
