/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Names and sizes of what is measured.
 */
#include "workload.h"

const char *workload_dtype_name(enum dtype dtype)
{
    static const char *const name[DTYPES] = {"fp32", "fp16", "bf16", "fp64", "int32", "int64", "int8"};
    return name[dtype];
}

int64_t workload_dtype_bytes(enum dtype dtype)
{
    static const int64_t bytes[DTYPES] = {4, 2, 2, 8, 4, 8, 1};
    return bytes[dtype];
}

struct workload workload_of(const struct subject *subject, enum dtype dtype, int64_t count, int threads)
{
    return (struct workload){
        .subject = subject, .dtype = dtype, .out_dtype = dtype, .count = count, .threads = threads};
}

bool workload_has_operand(const struct workload *workload, enum operand operand)
{
    return operand == OUT || (int)operand < workload->subject->inputs;
}

enum dtype workload_dtype(const struct workload *workload, enum operand operand)
{
    if (operand == OUT)
        return workload->out_dtype;
    return operand != FIRST && operand == workload->indices ? INT64 : workload->dtype;
}

int64_t workload_element_bytes(const struct workload *workload, enum operand operand)
{
    return workload_dtype_bytes(workload_dtype(workload, operand));
}

int64_t workload_payload_bytes(const struct workload *workload)
{
    int64_t bytes = 0;
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        if (!workload_has_operand(workload, operand))
            continue;
        int64_t distinct = 1;
        for (int64_t k = 0; k < workload->view[operand].rank; k++)
            if (workload->view[operand].stride[k] != 0)
                distinct *= workload->view[operand].shape[k];
        bytes += distinct * workload_element_bytes(workload, operand);
    }
    return bytes;
}
