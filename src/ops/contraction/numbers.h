/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands of products of whole numbers, and what scales their sums, as they lie in tensors: matrices of INT8
 * or INT4, the latter two to a byte or eight to an INT32, and factors of lanes, in any dtype.
 */
#ifndef BELAY_OPS_CONTRACTION_NUMBERS_H
#define BELAY_OPS_CONTRACTION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "ops/transfer.h"
#include "tensor/tensor.h"

/*
 * A matrix of numbers of 8 or of 4 bits. Element (i, j) lies first + i * stride[0] + j * stride[1] numbers
 * behind the address; where a side has blocks, i % block[0] * stride[0] + i / block[0] * outer[0].
 */
struct numbers {
    uint32_t address;
    bool is_in_halves;
    int64_t first, stride[2], block[2], outer[2];
    int64_t size[2]; /* of all that there is */
};

/* The last two dims of a view, or, of rank 4 or 5, those that its blocks are of; eight times the packed one of
 * INT32. False: it has no such dims. */
bool matrix_of_numbers(const struct tensor_view *view, bool is_stacked, uint32_t address,
                       struct numbers *numbers);
/* Its rows and columns exchanged. */
struct numbers numbers_turned(const struct numbers *numbers);

/* count elements of a row, from a column on. */
void numbers_read(const struct numbers *numbers, void *const *address, uint64_t row, uint64_t column,
                  uint64_t count, int8_t *to);
/* Where the rows lie, as they are, one behind the other; NULL: nowhere. */
const int8_t *numbers_direct(const struct numbers *numbers, void *const *address, uint64_t depth);

/*
 * Factors of lanes, and of parts of the common dim: that of (part, lane) lies first + part * stride[0] + lane /
 * lanes * stride[1] elements behind the address. Of 64 bits they are packed (scale_bits.h), or plain FLOAT in
 * the lower half.
 */
struct factors {
    bool is_given, is_plain;
    aclDataType dtype;
    uint32_t address, bytes;
    int64_t first, stride[2];
    uint64_t lanes;
};

void factors_read(const struct factors *factors, const struct transfer *transfer, void *const *address,
                  uint64_t part, uint64_t lane, uint64_t count, double *to);
/* The offsets that packed scales carry. */
void factors_read_offsets(const struct factors *factors, void *const *address, uint64_t lane, uint64_t count,
                          double *to);

#endif
