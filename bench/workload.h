/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is measured: an operator on tensors of one dtype in one layout. Belay, the roofline and every peer get
 * the same workload, with the same memory.
 */
#ifndef BELAY_BENCH_WORKLOAD_H
#define BELAY_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum operation { SILU, HARDSWISH, LEAKY_RELU, SMOOTH_L1, OPERATIONS };
enum dtype { FP32, FP16, BF16, FP64, DTYPES };

/* TARGET is an operand of SMOOTH_L1 alone. */
enum operand { GRADIENT, SELF, TARGET, OUT, OPERANDS };

enum { RANK_MAX = 3 };

/* Elements, not bytes, as in aclCreateTensor; all operands of a workload have the same shape. */
struct view {
    int64_t rank, shape[RANK_MAX], stride[RANK_MAX], offset;
    int64_t storage; /* elements of the memory, offset included */
};

struct workload {
    enum operation operation;
    enum dtype dtype;
    int64_t count;
    int threads;
    struct view view[OPERANDS];
    void *memory[OPERANDS]; /* where storage begins */
};

/* The attributes that every party uses. */
#define NEGATIVE_SLOPE 0.01
#define BETA           1.0

const char *operation_name(enum operation operation);
const char *dtype_name(enum dtype dtype);
int64_t dtype_bytes(enum dtype dtype);
bool operation_has_operand(enum operation operation, enum operand operand);
bool operation_has_dtype(enum operation operation, enum dtype dtype);

/* Bytes that the operator must read and write: repeated elements of an input count once. */
int64_t workload_payload_bytes(const struct workload *workload);

#ifdef __cplusplus
}
#endif

#endif
