/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Integers by their definitions, floats by way of tests/support/conversion.c, which rounds in integers.
 */
#include "hccl/reference.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support/bits.h"
#include "support/conversion.h"
#include "support/random.h"

static const struct {
    aclDataType dtype;
    size_t bytes;
    char kind; /* i, u or f */
} types[REDUCED_TYPES] = {
    [HCCL_DATA_TYPE_INT8] = {ACL_INT8, 1, 'i'},     [HCCL_DATA_TYPE_INT16] = {ACL_INT16, 2, 'i'},
    [HCCL_DATA_TYPE_INT32] = {ACL_INT32, 4, 'i'},   [HCCL_DATA_TYPE_FP16] = {ACL_FLOAT16, 2, 'f'},
    [HCCL_DATA_TYPE_FP32] = {ACL_FLOAT, 4, 'f'},    [HCCL_DATA_TYPE_INT64] = {ACL_INT64, 8, 'i'},
    [HCCL_DATA_TYPE_UINT64] = {ACL_UINT64, 8, 'u'}, [HCCL_DATA_TYPE_UINT8] = {ACL_UINT8, 1, 'u'},
    [HCCL_DATA_TYPE_UINT16] = {ACL_UINT16, 2, 'u'}, [HCCL_DATA_TYPE_UINT32] = {ACL_UINT32, 4, 'u'},
    [HCCL_DATA_TYPE_FP64] = {ACL_DOUBLE, 8, 'f'},   [HCCL_DATA_TYPE_BFP16] = {ACL_BF16, 2, 'f'},
};

size_t reference_bytes(HcclDataType type)
{
    return types[type].bytes;
}

static bool is_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static void reduce_floats(HcclDataType type, HcclReduceOp reduction, const void *const *from, uint32_t count,
                          void *to)
{
    static const uint64_t quiet[] = {[HCCL_DATA_TYPE_FP16] = 0x7e00,
                                     [HCCL_DATA_TYPE_FP32] = 0x7fc00000,
                                     [HCCL_DATA_TYPE_FP64] = 0x7ff8000000000000,
                                     [HCCL_DATA_TYPE_BFP16] = 0x7fc0};
    volatile double sum = 0; /* rounded to fp64 at each step */
    for (uint32_t i = 0; i < count; i++) {
        double value;
        conversion_reference(from[i], types[type].dtype, &value, ACL_DOUBLE);
        if (i == 0)
            sum = value;
        else if (isnan(sum) || isnan(value))
            sum = (double)NAN;
        else if (reduction == HCCL_REDUCE_SUM)
            sum = sum + value;
        else if (reduction == HCCL_REDUCE_PROD)
            sum = sum * value;
        else if (reduction == HCCL_REDUCE_MAX ? is_less(sum, value) : is_less(value, sum))
            sum = value;
    }
    double last = sum;
    if (isnan(last))
        memcpy(to, &quiet[type], types[type].bytes);
    else
        conversion_reference(&last, ACL_DOUBLE, to, types[type].dtype);
}

void reference_reduce(HcclDataType type, HcclReduceOp reduction, const void *const *from, uint32_t count,
                      void *to)
{
    if (types[type].kind == 'f') {
        reduce_floats(type, reduction, from, count, to);
        return;
    }
    /* Sums and products are taken of the low 64 bits; the comparison is of whole values. */
    const bool is_signed = types[type].kind == 'i';
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, from[i], types[type].bytes);
        unsigned unused = 64 - 8 * (unsigned)types[type].bytes;
        if (is_signed)
            value = (uint64_t)((int64_t)(value << unused) >> unused);
        bool is_larger = is_signed ? (int64_t)value > (int64_t)sum : value > sum;
        bool is_smaller = is_signed ? (int64_t)value < (int64_t)sum : value < sum;
        if (i == 0)
            sum = value;
        else if (reduction == HCCL_REDUCE_SUM)
            sum += value;
        else if (reduction == HCCL_REDUCE_PROD)
            sum *= value;
        else if (reduction == HCCL_REDUCE_MAX ? is_larger : is_smaller)
            sum = value;
    }
    memcpy(to, &sum, types[type].bytes);
}

void reference_fill(HcclDataType type, void *to, uint64_t count, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    unsigned char *at = (unsigned char *)to;
    const size_t bytes = (int)type < REDUCED_TYPES ? types[type].bytes : 1;
    for (uint64_t i = 0; i < count; i++, at += bytes) {
        uint64_t bits = random_next(&state);
        if ((int)type < REDUCED_TYPES && types[type].kind == 'f' && (bits & 1) != 0) {
            double value = ((double)(bits >> 11) / 0x1p53 - 0.5) * 8;
            conversion_reference(&value, ACL_DOUBLE, at, types[type].dtype);
        } else {
            memcpy(at, &bits, bytes < 8 ? bytes : 8);
        }
    }
}
