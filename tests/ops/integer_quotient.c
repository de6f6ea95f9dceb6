/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quotients of integers, where ways to divide them meet: around the largest integers that fp32 and doubles
 * have all of, in registers that hold those of one kind alone and of several kinds. MPFR knows the results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <mpfr.h>

#include "acl/acl_rt.h"
#include "aclnnop/aclnn_div.h"
#include "ops/host_side.h"

enum { CORNERS_MAX = 256, COUNT = 1 << 14 };

static aclrtStream stream;
static int64_t corner[CORNERS_MAX];
static int corners;

static void enter(int64_t value)
{
    corner[corners++] = value;
    corner[corners++] = -value;
}

/* Next to powers of two, next to what lies halfway between two fp32 there, and small ones. */
static void enter_corners(void)
{
    static const int bits[] = {23, 24, 25, 30, 31, 32, 52, 53, 54, 61};
    for (int64_t value = 0; value <= 5; value++)
        enter(value);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        int64_t power = INT64_C(1) << bits[i], half = power >> 24;
        for (int64_t side = -1; side <= 1; side++) {
            enter(power + side);
            enter(power + half + side);
            enter(power + 3 * half + side);
        }
    }
    enter(INT64_MAX);
    corner[corners++] = INT64_MIN;
}

static float nearest(int64_t self, int64_t other)
{
    if (self == 0 || other == 0)
        return (float)self / (float)other;
    mpfr_t quotient, over, under;
    mpfr_init2(quotient, 24);
    mpfr_init2(over, 64);
    mpfr_init2(under, 64);
    mpfr_set_sj(over, self, MPFR_RNDN);
    mpfr_set_sj(under, other, MPFR_RNDN);
    mpfr_div(quotient, over, under, MPFR_RNDN);
    float value = mpfr_get_flt(quotient, MPFR_RNDN);
    mpfr_clears(quotient, over, under, (mpfr_ptr)NULL);
    return value;
}

static aclTensor *create_tensor(aclDataType dtype, void *memory)
{
    const int64_t count = COUNT;
    return aclCreateTensor(&count, 1, dtype, NULL, 0, ACL_FORMAT_ND, &count, 1, memory);
}

/* One of the corners that the dtype has, and whose magnitude has no more than so many bits. */
static int64_t draw(int bits)
{
    int64_t value;
    do
        value = corner[rand() % corners];
    while (bits < 64 && (value >= INT64_C(1) << (bits - 1) || value < -(INT64_C(1) << (bits - 1))));
    return value;
}

/* In runs of 64 elements, each of numbers of one size but every third. */
static void fill(aclDataType dtype, void *memory)
{
    static const int sizes[] = {4, 26, 32, 55, 64};
    int widest = dtype == ACL_INT64 ? 64 : 32, bits = widest;
    for (int i = 0; i < COUNT; i++) {
        if (i % 64 == 0)
            bits = i / 64 % 3 == 0 ? widest : sizes[rand() % 5];
        int64_t value = draw(bits < widest ? bits : widest);
        if (dtype == ACL_INT64)
            ((int64_t *)memory)[i] = value;
        else
            ((int32_t *)memory)[i] = (int32_t)value;
    }
}

static int64_t element(aclDataType dtype, const void *memory, int i)
{
    return dtype == ACL_INT64 ? ((const int64_t *)memory)[i] : ((const int32_t *)memory)[i];
}

static void check_dtype(aclDataType dtype)
{
    void *memory[3];
    aclTensor *tensor[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclrtMalloc(&memory[i], COUNT * sizeof(int64_t), ACL_MEM_MALLOC_HUGE_FIRST), 0);
        tensor[i] = create_tensor(i < 2 ? dtype : ACL_FLOAT, memory[i]);
    }
    void *number[3];
    for (int i = 0; i < 3; i++)
        number[i] = host_side(memory[i], COUNT * sizeof(int64_t));
    fill(dtype, number[0]);
    fill(dtype, number[1]);
    uint64_t workspace_size;
    aclOpExecutor *executor;
    assert_int_equal(aclnnDivGetWorkspaceSize(tensor[0], tensor[1], tensor[2], &workspace_size, &executor),
                     0);
    assert_int_equal(workspace_size, 0);
    assert_int_equal(aclnnDiv(NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < COUNT; i++) {
        int64_t self = element(dtype, number[0], i), other = element(dtype, number[1], i);
        float found = ((const float *)number[2])[i], expected = nearest(self, other);
        if (memcmp(&found, &expected, sizeof found) != 0 && (found == found || expected == expected))
            fail_msg("%lld / %lld is %a, not %a", (long long)self, (long long)other, (double)found,
                     (double)expected);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclDestroyTensor(tensor[i]), 0);
        assert_int_equal(aclrtFree(memory[i]), 0);
    }
}

static void quotients_of_int32_are_rounded_once(void **state)
{
    (void)state;
    check_dtype(ACL_INT32);
}

static void quotients_of_int64_are_rounded_once(void **state)
{
    (void)state;
    check_dtype(ACL_INT64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_of_int32_are_rounded_once),
        cmocka_unit_test(quotients_of_int64_are_rounded_once),
    };
    enter_corners();
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL) || aclrtDestroyStream(stream) || aclrtResetDevice(0);
}
