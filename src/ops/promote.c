/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Type promotion and castability.
 */
#include "ops/promote.h"

#include <stdint.h>

#include "tensor/dtype.h"

/* Rows and columns of the promotion table; what is not in it promotes with itself only. */
enum { F32, F16, F64, B16, S8, U8, S16, S32, S64, BOL, C32, C64, C128, NAMES, NONE = -1 };

static const aclDataType dtype_of[NAMES] = {
    [F32] = ACL_FLOAT,       [F16] = ACL_FLOAT16, [F64] = ACL_DOUBLE,    [B16] = ACL_BF16,
    [S8] = ACL_INT8,         [U8] = ACL_UINT8,    [S16] = ACL_INT16,     [S32] = ACL_INT32,
    [S64] = ACL_INT64,       [BOL] = ACL_BOOL,    [C32] = ACL_COMPLEX32, [C64] = ACL_COMPLEX64,
    [C128] = ACL_COMPLEX128,
};

static const int8_t table[NAMES][NAMES] = {
    /*         f32   f16   f64   bf16  s8    u8    s16   s32   s64   bool  c32   c64   c128 */
    [F32] = {F32, F32, F64, F32, F32, F32, F32, F32, F32, F32, C64, C64, C128},
    [F16] = {F32, F16, F64, F32, F16, F16, F16, F16, F16, F16, C32, C64, C128},
    [F64] = {F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, C128, C128, C128},
    [B16] = {F32, F32, F64, B16, B16, B16, B16, B16, B16, B16, C64, C64, C128},
    [S8] = {F32, F16, F64, B16, S8, S16, S16, S32, S64, S8, C32, C64, C128},
    [U8] = {F32, F16, F64, B16, S16, U8, S16, S32, S64, U8, C32, C64, C128},
    [S16] = {F32, F16, F64, B16, S16, S16, S16, S32, S64, S16, C32, C64, C128},
    [S32] = {F32, F16, F64, B16, S32, S32, S32, S32, S64, S32, C32, C64, C128},
    [S64] = {F32, F16, F64, B16, S64, S64, S64, S64, S64, S64, C32, C64, C128},
    [BOL] = {F32, F16, F64, B16, S8, U8, S16, S32, S64, BOL, C32, C64, C128},
    [C32] = {C64, C32, C128, C64, C32, C32, C32, C32, C32, C32, C32, C64, C128},
    [C64] = {C64, C64, C128, C64, C64, C64, C64, C64, C64, C64, C64, C64, C128},
    [C128] = {C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128, C128},
};

static int row_of(aclDataType dtype)
{
    for (int i = 0; i < NAMES; i++)
        if (dtype_of[i] == dtype)
            return i;
    return NONE;
}

aclDataType promote(aclDataType a, aclDataType b)
{
    if (a == b)
        return a;
    int row = row_of(a), column = row_of(b);
    return row == NONE || column == NONE ? ACL_DT_UNDEFINED : dtype_of[table[row][column]];
}

/* The kinds in the order in which a value may move: never from a later one to an earlier one. */
enum { RUNGS = 4 };
static const uint64_t on_rung[RUNGS] = {DTYPE_BIT(ACL_BOOL), DTYPES_INTEGERS | DTYPES_NATURALS, DTYPES_FLOATS,
                                        DTYPES_COMPLEX};

static int rung(aclDataType dtype)
{
    for (int i = 0; i < RUNGS; i++)
        if (dtype_is_one_of(dtype, on_rung[i]))
            return i;
    return NONE;
}

bool can_cast(aclDataType from, aclDataType to)
{
    int source = rung(from), target = rung(to);
    return source != NONE && target != NONE && source <= target;
}

uint64_t castable_to(aclDataType dtype)
{
    uint64_t set = 0;
    for (int i = 0; i <= rung(dtype); i++)
        set |= on_rung[i];
    return set;
}

uint64_t castable_from(aclDataType dtype)
{
    uint64_t set = 0;
    for (int i = rung(dtype); i != NONE && i < RUNGS; i++)
        set |= on_rung[i];
    return set;
}
