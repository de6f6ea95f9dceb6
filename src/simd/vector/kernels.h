/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of functions that compute element by element: contiguous arrays of one dtype and a count, and
 * nothing else.
 */
#ifndef BELAY_SIMD_VECTOR_KERNELS_H
#define BELAY_SIMD_VECTOR_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/acl_meta.h"
#include "base/accuracy.h"

enum { INPUTS_MAX = 3, PARAMETER_BYTES = 128 };

/* The dtypes that kernels are written for: first those whose results depend on the accuracy that is asked
 * for.
 */
enum arithmetic {
    ARITHMETIC_FP32,
    ARITHMETIC_FP16,
    ARITHMETIC_BF16,
    ARITHMETIC_FP64,
    ARITHMETICS, /* of floats */
    ARITHMETIC_INT8 = ARITHMETICS,
    ARITHMETIC_INT16,
    ARITHMETIC_INT32,
    ARITHMETIC_INT64,
    ARITHMETIC_UINT8,
    ARITHMETIC_UINT16,
    ARITHMETIC_UINT32,
    ARITHMETIC_UINT64,
    ARITHMETIC_BOOL,
    ARITHMETIC_COMPLEX64,
    ARITHMETIC_COMPLEX128,
    ARITHMETIC_ALL
};

/* ARITHMETIC_ALL for a dtype that nothing computes in. */
static inline enum arithmetic arithmetic_of(aclDataType dtype)
{
    static const uint8_t arithmetic[ACL_BF16 + 1] = {
        [ACL_FLOAT] = ARITHMETIC_FP32,
        [ACL_FLOAT16] = ARITHMETIC_FP16,
        [ACL_BF16] = ARITHMETIC_BF16,
        [ACL_DOUBLE] = ARITHMETIC_FP64,
        [ACL_INT8] = ARITHMETIC_INT8,
        [ACL_INT16] = ARITHMETIC_INT16,
        [ACL_INT32] = ARITHMETIC_INT32,
        [ACL_INT64] = ARITHMETIC_INT64,
        [ACL_UINT8] = ARITHMETIC_UINT8,
        [ACL_UINT16] = ARITHMETIC_UINT16,
        [ACL_UINT32] = ARITHMETIC_UINT32,
        [ACL_UINT64] = ARITHMETIC_UINT64,
        [ACL_BOOL] = ARITHMETIC_BOOL,
        [ACL_COMPLEX64] = ARITHMETIC_COMPLEX64,
        [ACL_COMPLEX128] = ARITHMETIC_COMPLEX128,
    };
    bool is_known = (unsigned)dtype <= ACL_BF16 && (dtype == ACL_FLOAT || arithmetic[dtype] != 0);
    return is_known ? (enum arithmetic)arithmetic[dtype] : ARITHMETIC_ALL;
}

/*
 * Computes count elements. input[i] and output are contiguous, of the kernel's dtype, aligned to the dtype's
 * size and to nothing more. output may be exactly one of the inputs, and otherwise overlaps none. parameters
 * is what the operator's contract prepared. The floating-point environment is the default one (the walker
 * sees to it); whatever flags a kernel raises are dropped.
 *
 * non_temporal asks for results to be written past the caches (put, in src/simd/vector/write.h): then the
 * output begins at a multiple of 64 bytes and its bytes are a multiple of 64, and the walker fences. Results
 * are the same.
 */
typedef void kernel_function(const void *const *input, void *output, size_t count, const void *parameters,
                             bool non_temporal);

/* The kernels of one operator for one instruction-set level; NULL where the operator does not have the dtype.
 */
struct kernels {
    kernel_function *run[ACCURACY_COUNT][ARITHMETICS];
    kernel_function *exact[ARITHMETIC_ALL]; /* of dtypes with one kernel for every accuracy: no floats */
    kernel_function *any; /* where there is none of these: moves elements, whose bytes the parameters tell */
};

#endif
