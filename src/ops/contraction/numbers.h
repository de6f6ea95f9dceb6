/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands of products of small numbers, and what scales their sums, as they lie in tensors: matrices of INT8,
 * of INT4, two to a byte or eight to an INT32, and of floats of 8 or of 4 bits, of which a FLOAT has eight
 * FLOAT4_E2M1; and factors of lanes, in any dtype.
 */
#ifndef BELAY_OPS_CONTRACTION_NUMBERS_H
#define BELAY_OPS_CONTRACTION_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "ops/transfer.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

/* Floats of 8 and of 4 bits that products have. */
static inline bool is_small_float(aclDataType dtype)
{
    return dtype_is_one_of(dtype, DTYPES_FLOAT8 | DTYPES_FLOAT4 | DTYPE_BIT(ACL_HIFLOAT8));
}

/*
 * A matrix of numbers of 8 or of 4 bits. Element (i, j) lies first + i * stride[0] + j * stride[1] numbers
 * behind the address; where a side has blocks, i % block[0] * stride[0] + i / block[0] * outer[0].
 */
struct numbers {
    uint32_t address;
    bool is_in_halves;
    aclDataType codes; /* INT8 of whole numbers, otherwise the floats' dtype */
    int64_t first, stride[2], block[2], outer[2];
    int64_t size[2]; /* of all that there is */
};

/* How many numbers an element holds. */
static inline int64_t numbers_in(aclDataType dtype)
{
    return dtype == ACL_INT32 || dtype == ACL_FLOAT ? 8 : 1;
}

/* A product of sizes or strides: too large only where there are no elements, and of no meaning then. */
static inline int64_t size_times(int64_t size, int64_t times)
{
    return (int64_t)((uint64_t)size * (uint64_t)times);
}

/* The last two dims of a view, or, of rank 4 or 5, those that its blocks are of; eight times the packed one of
 * INT32. False: it has no such dims. */
bool matrix_of_numbers(const struct tensor_view *view, bool is_stacked, uint32_t address,
                       struct numbers *numbers);
/* Its rows and columns exchanged. */
struct numbers numbers_turned(const struct numbers *numbers);

/* count elements of a row, from a column on. */
void numbers_read(const struct numbers *numbers, void *const *address, uint64_t row, uint64_t column,
                  uint64_t count, int8_t *to);
/* The same of floats. */
void numbers_read_floats(const struct numbers *numbers, const struct transfer *transfer, void *const *address,
                         uint64_t row, uint64_t column, uint64_t count, float *to);
/* Where the rows lie, as they are, one behind the other; NULL: nowhere. */
const int8_t *numbers_direct(const struct numbers *numbers, void *const *address, uint64_t depth);

/*
 * Factors of lanes, and of parts of the common dim: that of (part, lane) lies first + part * stride[0] + lane /
 * lanes * stride[1] elements behind the address; where parts lie in pairs, part / 2 * stride[0] + part % 2 *
 * second. Of 64 bits they are packed (scale_bits.h), or plain FLOAT in the lower half.
 */
struct factors {
    bool is_given, is_plain, is_paired;
    aclDataType dtype;
    uint32_t address, bytes;
    int64_t first, stride[2], second;
    uint64_t lanes;
};

/* Those that lie in a tensor, with so many elements from part to part and from lane to lane. */
struct factors factors_of_view(const struct tensor_view *view, uint32_t address, int64_t part_stride,
                               int64_t lane_stride);
void factors_read(const struct factors *factors, const struct transfer *transfer, void *const *address,
                  uint64_t part, uint64_t lane, uint64_t count, double *to);
/* The offsets that packed scales carry. */
void factors_read_offsets(const struct factors *factors, void *const *address, uint64_t lane, uint64_t count,
                          double *to);

#endif
