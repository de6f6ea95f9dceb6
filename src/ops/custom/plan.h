/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 of an operator of a project leaves for phase 2.
 */
#ifndef BELAY_OPS_CUSTOM_PLAN_H
#define BELAY_OPS_CUSTOM_PLAN_H

#include "ops/port.h"
#include "register/belay_operator.h"

/* A tensor: where the kernel finds it. Of a copy the bytes are in scratch. */
struct custom_tensor {
    uint32_t address; /* its index among the addresses of phase 2 */
    bool is_written;
    bool is_copied; /* it is not contiguous */
    uint64_t bytes; /* of its elements, or up to the last one where it comes as it is */
    uint64_t copy_at;
    struct port port;
};

enum custom_argument_kind {
    CUSTOM_NONE,
    CUSTOM_TENSOR,
    CUSTOM_LIST,
    CUSTOM_VALUES,
    CUSTOM_WORKSPACE,
    CUSTOM_TILING
};

/* A parameter of the kernel. */
struct custom_argument {
    enum custom_argument_kind kind;
    uint32_t first, count; /* of its tensors */
    uint64_t at, bytes;    /* of a list's words, or of values: in the plan's data */
    uint64_t made_at;      /* of a list: in scratch, with its addresses */
};

struct custom_plan {
    const char *name; /* the kernel's */
    const struct belay_operator_kernel *kernel;
    uint64_t tiling_key;
    uint64_t workspace_bytes;
    uint64_t scratch_bytes;
    uint64_t tiling_at, tiling_bytes; /* in the data */
    uint32_t blocks;
    uint32_t argument_count, tensor_count;
    uint64_t tensors_at, data_at; /* from the plan's beginning */
    struct custom_argument argument[];
};

static inline struct custom_tensor *custom_tensors(const struct custom_plan *plan)
{
    return (struct custom_tensor *)((uintptr_t)plan + plan->tensors_at);
}

static inline unsigned char *custom_data(const struct custom_plan *plan)
{
    return (unsigned char *)((uintptr_t)plan + plan->data_at);
}

#endif
