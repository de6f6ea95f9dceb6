/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Names and sizes of what is measured.
 */
#include "workload.h"

const char *operation_name(enum operation operation)
{
    static const char *const name[OPERATIONS] = {"silu", "hardswish", "leaky_relu", "smooth_l1"};
    return name[operation];
}

const char *dtype_name(enum dtype dtype)
{
    static const char *const name[DTYPES] = {"fp32", "fp16", "bf16", "fp64"};
    return name[dtype];
}

int64_t dtype_bytes(enum dtype dtype)
{
    return dtype == FP64 ? 8 : dtype == FP32 ? 4 : 2;
}

bool operation_has_operand(enum operation operation, enum operand operand)
{
    return operand != TARGET || operation == SMOOTH_L1;
}

bool operation_has_dtype(enum operation operation, enum dtype dtype)
{
    return dtype != FP64 || operation == LEAKY_RELU;
}

int64_t workload_payload_bytes(const struct workload *workload)
{
    int64_t elements = 0;
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        if (!operation_has_operand(workload->operation, operand))
            continue;
        int64_t distinct = 1;
        for (int64_t k = 0; k < workload->view[operand].rank; k++)
            if (workload->view[operand].stride[k] != 0)
                distinct *= workload->view[operand].shape[k];
        elements += distinct;
    }
    return elements * dtype_bytes(workload->dtype);
}
