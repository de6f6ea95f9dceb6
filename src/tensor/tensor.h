/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors and scalars as operators see them: copies, taken once through the handle.
 */
#ifndef BELAY_TENSOR_TENSOR_H
#define BELAY_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/export.h"
#include "base/report.h"

/* What a tensor may have, and what most operators accept. */
enum { TENSOR_RANK_MAX = 25, OPERAND_RANK_MAX = 8 };

/*
 * A copy of what a tensor was when it was read; of shape and stride only the first rank entries are filled
 * in.
 *
 * is_possible: no dim, stride or offset is negative, and neither the element count nor the reach below
 * exceeds 2^63 - 1. Where it is false, count and reach mean nothing.
 */
struct tensor_view {
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[TENSOR_RANK_MAX];
    int64_t stride[TENSOR_RANK_MAX]; /* elements */
    int64_t offset;                  /* elements */
    int64_t count;                   /* product of the dims, of all of them */
    int64_t reach; /* offset + sum of (dim - 1) * stride: the last element; offset when count is 0 */
    bool is_possible;
    bool is_contiguous; /* its elements lie one behind the other, the last dim's fastest */
    bool is_in_blocks;  /* or would, if its memory were not in another format (tensor/blocks.h) */
    uint32_t version;   /* even, and another one after each change of the tensor */
    void *data;         /* the raw address; the first element lies offset elements behind it */
};

/* False when the handle is not a live tensor; tensor_fault then says what is wrong with it, for a message. */
bool tensor_read(const aclTensor *tensor, struct tensor_view *view) SHARED(tensor_read);
const char *tensor_fault(const aclTensor *tensor) SHARED(tensor_fault);
enum rule tensor_rule(const aclTensor *tensor) SHARED(tensor_rule); /* behind that */

/* The raw address that the tensor has now; false when the handle is no longer live. */
bool tensor_address(const aclTensor *tensor, void **data) SHARED(tensor_address);

/*
 * Gives the tensor another raw address, which it has as long as it has *version, or destroys it; false when
 * the handle is no longer live.
 */
bool tensor_set_address(const aclTensor *tensor, void *data, uint32_t *version);
bool tensor_destroy(const aclTensor *tensor);

/*
 * Gives the tensor the shape and strides that its contents have turned out to have, which lie within those
 * that it had; false when the handle is no longer live. Any thread.
 */
bool tensor_set_view(const aclTensor *tensor, uint32_t rank, const int64_t *shape, const int64_t *stride)
    SHARED(tensor_set_view);

/* The value of a scalar in its own dtype. */
struct scalar_value {
    aclDataType dtype;
    union {
        double real;        /* FLOAT, FLOAT16, BF16, DOUBLE, and the 8-bit and smaller floats: exact */
        int64_t integer;    /* INT8..INT64, BOOL (0 or 1) */
        uint64_t natural;   /* UINT8..UINT64 */
        double complex_[2]; /* COMPLEX64, COMPLEX128 */
    } value;
};

/* False when the handle is not a live scalar. */
bool scalar_read(const aclScalar *scalar, struct scalar_value *value) SHARED(scalar_read);
/* The value in its own dtype, which stays where it is for as long as the scalar lives; NULL when it does not.
 */
const void *scalar_given(const aclScalar *scalar);
const char *scalar_fault(const aclScalar *scalar) SHARED(scalar_fault);
enum rule scalar_rule(const aclScalar *scalar) SHARED(scalar_rule);

bool scalar_destroy(const aclScalar *scalar);

#endif
