/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The values of a dtype at which formulas change what they do: zeros, the ends of the subnormal, normal and
 * finite numbers, halves, ones, infinities, NaN, the bounds of integers, and the numbers of a call with the
 * values next to them.
 */
#ifndef BELAY_TESTS_OPS_SPECIAL_SET_H
#define BELAY_TESTS_OPS_SPECIAL_SET_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl.h"
#include "support/conversion.h"

enum { SPECIALS_MAX = 64 };

struct special_set {
    aclDataType dtype;
    unsigned count;
    unsigned char element[SPECIALS_MAX][8];
};

/* How many bits of a float's number are written down; 0: it is no float. */
static inline unsigned special_digits(aclDataType dtype)
{
    return dtype == ACL_FLOAT     ? 23
           : dtype == ACL_FLOAT16 ? 10
           : dtype == ACL_BF16    ? 7
           : dtype == ACL_DOUBLE  ? 52
                                  : 0;
}

static inline void special_add_bits(struct special_set *set, uint64_t bits)
{
    unsigned char element[8];
    memcpy(element, &bits, sizeof element);
    for (unsigned i = 0; i < set->count; i++)
        if (memcmp(set->element[i], element, conversion_bytes(set->dtype)) == 0)
            return;
    if (set->count < SPECIALS_MAX)
        memcpy(set->element[set->count++], element, sizeof element);
}

/* A number of either sign. */
static inline void special_add_both(struct special_set *set, uint64_t bits)
{
    special_add_bits(set, bits);
    special_add_bits(set, bits | UINT64_C(1) << (8 * conversion_bytes(set->dtype) - 1));
}

/* What is far from the ends of the range as well: kernels take another way for vectors of such numbers alone. */
static inline void special_add_moderate(struct special_set *set)
{
    static const double moderate[] = {0, 0.3, 0.5, 1, 3};
    for (unsigned i = 0; i < sizeof moderate / sizeof moderate[0]; i++) {
        uint64_t bits = 0;
        conversion_reference(&moderate[i], ACL_DOUBLE, (unsigned char *)&bits, set->dtype);
        special_add_both(set, bits);
    }
}

static inline void special_add_floats(struct special_set *set)
{
    const unsigned digits = special_digits(set->dtype);
    const unsigned exponent = 8 * (unsigned)conversion_bytes(set->dtype) - 1 - digits;
    const uint64_t infinity = ((UINT64_C(1) << exponent) - 1) << digits;
    const uint64_t one = ((UINT64_C(1) << (exponent - 1)) - 1) << digits;
    special_add_both(set, 0);
    special_add_both(set, 1);
    special_add_both(set, (UINT64_C(1) << digits) - 1);
    special_add_both(set, UINT64_C(1) << digits);
    special_add_both(set, one - (UINT64_C(1) << digits));
    special_add_both(set, one);
    special_add_both(set, infinity - 1);
    special_add_both(set, infinity);
    special_add_bits(set, infinity | UINT64_C(1) << (digits - 1));
}

static inline bool special_has_sign(aclDataType dtype)
{
    return dtype == ACL_INT8 || dtype == ACL_INT16 || dtype == ACL_INT32 || dtype == ACL_INT64;
}

static inline void special_add_integers(struct special_set *set)
{
    const unsigned bits = 8 * (unsigned)conversion_bytes(set->dtype);
    const uint64_t half = UINT64_C(1) << (bits - 1);
    static const int64_t small[] = {0, 1, 2, 3, 7, 8, -1, -2, -3, 31, 32, 63, 64};
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++)
        if (set->dtype != ACL_BOOL || (small[i] & ~1) == 0)
            special_add_bits(set, (uint64_t)small[i]);
    for (int64_t i = -1; i <= 1 && set->dtype != ACL_BOOL; i++)
        special_add_bits(set, half + (uint64_t)i);
}

/* A number, and the values of the dtype next to it. */
static inline void special_add_number(struct special_set *set, double value)
{
    uint64_t bits = 0;
    if (special_digits(set->dtype) == 0 && !(fabs(value) < 0x1p31))
        return;
    const int64_t whole = special_digits(set->dtype) == 0 ? (int64_t)value : 0;
    if (special_digits(set->dtype) != 0)
        conversion_reference(&value, ACL_DOUBLE, (unsigned char *)&bits, set->dtype);
    else
        bits = (uint64_t)whole;
    special_add_bits(set, bits);
    if (set->dtype == ACL_BOOL || value == 0 || isinf(value) || isnan(value))
        return;
    special_add_bits(set, bits + 1);
    special_add_bits(set, bits - 1);
}

static inline struct special_set special_set_of(aclDataType dtype, const double *number, unsigned numbers,
                                                bool is_moderate)
{
    struct special_set set = {.dtype = dtype};
    if (special_digits(dtype) != 0 && is_moderate)
        special_add_moderate(&set);
    else if (special_digits(dtype) != 0)
        special_add_floats(&set);
    else
        special_add_integers(&set);
    for (unsigned i = 0; i < numbers; i++)
        special_add_number(&set, number[i]);
    return set;
}

#endif
