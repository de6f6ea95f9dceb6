/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Promotion and castability, against the whole tables of the contract.
 */
#include "ops/promote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tensor/dtype.h"

enum { NAMES = 13, DTYPE_MAX = 41 };

static const struct {
    const char *name;
    aclDataType dtype;
} names[NAMES] = {
    {"f32", ACL_FLOAT},       {"f16", ACL_FLOAT16}, {"f64", ACL_DOUBLE},    {"bf16", ACL_BF16},
    {"s8", ACL_INT8},         {"u8", ACL_UINT8},    {"s16", ACL_INT16},     {"s32", ACL_INT32},
    {"s64", ACL_INT64},       {"bool", ACL_BOOL},   {"c32", ACL_COMPLEX32}, {"c64", ACL_COMPLEX64},
    {"c128", ACL_COMPLEX128},
};

/* Rows and columns in the order of names. */
static const char *const promoted[NAMES] = {
    "f32 f32 f64 f32 f32 f32 f32 f32 f32 f32 c64 c64 c128",
    "f32 f16 f64 f32 f16 f16 f16 f16 f16 f16 c32 c64 c128",
    "f64 f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128",
    "f32 f32 f64 bf16 bf16 bf16 bf16 bf16 bf16 bf16 c64 c64 c128",
    "f32 f16 f64 bf16 s8 s16 s16 s32 s64 s8 c32 c64 c128",
    "f32 f16 f64 bf16 s16 u8 s16 s32 s64 u8 c32 c64 c128",
    "f32 f16 f64 bf16 s16 s16 s16 s32 s64 s16 c32 c64 c128",
    "f32 f16 f64 bf16 s32 s32 s32 s32 s64 s32 c32 c64 c128",
    "f32 f16 f64 bf16 s64 s64 s64 s64 s64 s64 c32 c64 c128",
    "f32 f16 f64 bf16 s8 u8 s16 s32 s64 bool c32 c64 c128",
    "c64 c32 c128 c64 c32 c32 c32 c32 c32 c32 c32 c64 c128",
    "c64 c64 c128 c64 c64 c64 c64 c64 c64 c64 c64 c64 c128",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
};

static aclDataType dtype_called(const char *name, size_t length)
{
    for (unsigned i = 0; i < NAMES; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return names[i].dtype;
    fail_msg("%.*s is no dtype", (int)length, name);
    return ACL_DT_UNDEFINED;
}

static void pairs_promote_as_the_table_says(void **state)
{
    (void)state;
    for (unsigned row = 0; row < NAMES; row++) {
        const char *cell = promoted[row];
        for (unsigned column = 0; column < NAMES; column++) {
            size_t length = strcspn(cell, " ");
            aclDataType expected = dtype_called(cell, length);
            aclDataType found = promote(names[row].dtype, names[column].dtype);
            if (found != expected)
                fail_msg("%s with %s: %s", names[row].name, names[column].name, dtype_name(found));
            cell += length + 1;
        }
    }
}

static bool is_in_table(int dtype)
{
    for (unsigned i = 0; i < NAMES; i++)
        if ((int)names[i].dtype == dtype)
            return true;
    return false;
}

static void what_is_not_in_the_table_promotes_with_itself_alone(void **state)
{
    (void)state;
    for (int a = -1; a <= DTYPE_MAX; a++)
        for (int b = -1; b <= DTYPE_MAX; b++)
            if (!is_in_table(a) || !is_in_table(b))
                assert_int_equal(promote((aclDataType)a, (aclDataType)b), a == b ? a : ACL_DT_UNDEFINED);
}

/* Kinds that may be cast, in the order in which values may move; 0 for what casts to and from nothing. */
static int kind_of(int dtype)
{
    switch (dtype) {
    case ACL_BOOL:
        return 1;
    case ACL_INT8:
    case ACL_INT16:
    case ACL_INT32:
    case ACL_INT64:
    case ACL_UINT8:
    case ACL_UINT16:
    case ACL_UINT32:
    case ACL_UINT64:
        return 2;
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
        return 3;
    case ACL_COMPLEX64:
    case ACL_COMPLEX128:
        return 4;
    default:
        return 0;
    }
}

static void casts_go_from_bool_to_integer_to_float_to_complex_and_never_back(void **state)
{
    (void)state;
    for (int from = -2; from <= DTYPE_MAX + 30; from++)
        for (int to = -2; to <= DTYPE_MAX + 30; to++) {
            bool expected = kind_of(from) > 0 && kind_of(to) > 0 && kind_of(from) <= kind_of(to);
            if (can_cast((aclDataType)from, (aclDataType)to) != expected)
                fail_msg("%d to %d", from, to);
        }
}

static void sets_of_casts_have_what_can_be_cast(void **state)
{
    (void)state;
    for (int dtype = -2; dtype <= DTYPE_MAX + 30; dtype++) {
        uint64_t to = 0, from = 0;
        for (int other = 0; other < 64; other++) {
            to |= (uint64_t)can_cast((aclDataType)other, (aclDataType)dtype) << other;
            from |= (uint64_t)can_cast((aclDataType)dtype, (aclDataType)other) << other;
        }
        assert_true(castable_to((aclDataType)dtype) == to);
        assert_true(castable_from((aclDataType)dtype) == from);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_promote_as_the_table_says),
        cmocka_unit_test(what_is_not_in_the_table_promotes_with_itself_alone),
        cmocka_unit_test(casts_go_from_bool_to_integer_to_float_to_complex_and_never_back),
        cmocka_unit_test(sets_of_casts_have_what_can_be_cast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
