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

enum dtype { FP32, FP16, BF16, FP64, INT32, INT64, INT8, DTYPES };

/*
 * The tensors of a call: those that it reads, in the order of its parameters, and the one that it writes. An
 * operator in place writes to FIRST; OUT is a block of the same size then, on which the roofline works, as
 * copies of bits would turn FIRST's numbers into noise.
 */
enum operand { FIRST, SECOND, THIRD, OUT, OPERANDS };

enum { RANK_MAX = 3, ATTRIBUTES_MAX = 4 };

struct function; /* ops/function.h */

/* Elements, not bytes, as in aclCreateTensor. */
struct view {
    int64_t rank, shape[RANK_MAX], stride[RANK_MAX], offset;
    int64_t storage; /* elements of the memory, offset included */
};

/* An operator, as every party must know it. */
struct subject {
    const char *name;                 /* in the rows */
    const char *api;                  /* "aclnnSiluBackward" */
    const struct function *function;  /* the library's description, or NULL */
    int inputs;                       /* tensors that are read, 0 to 3 */
    bool is_in_place, is_any_shape;   /* the latter: what pointwise operators take */
    double attribute[ATTRIBUTES_MAX]; /* what is neither a tensor nor a dtype, in the order of the call */
};

struct workload {
    const struct subject *subject;
    enum dtype dtype, out_dtype;
    bool is_reduced; /* to one element, the mean */
    int64_t count;
    int threads;
    enum operand indices;   /* the input that has indices, INT64 whatever dtype is; FIRST: none */
    int64_t axis[RANK_MAX]; /* of the attribute that is an array */
    int axes;
    struct view view[OPERANDS];
    void *memory[OPERANDS]; /* where storage begins */
};

const char *workload_dtype_name(enum dtype dtype);
int64_t workload_dtype_bytes(enum dtype dtype);

/* Without views and memory. */
struct workload workload_of(const struct subject *subject, enum dtype dtype, int64_t count, int threads);
bool workload_has_operand(const struct workload *workload, enum operand operand);
enum dtype workload_dtype(const struct workload *workload, enum operand operand);
int64_t workload_element_bytes(const struct workload *workload, enum operand operand);

/* Bytes that the operator must read and write: repeated elements of an input count once. */
int64_t workload_payload_bytes(const struct workload *workload);

#ifdef __cplusplus
}
#endif

#endif
