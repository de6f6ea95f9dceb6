/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What kernels call that are compiled for the host: running sums and products, sorts, opposite orders over tensors of
 * any type and strides, copies between memrefs, memory, and maths, which is the operators'.
 */
#include "kernel/known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel/maths.h"

/* A memref of rank 2, as LLVM lowers it. */
struct descriptor {
    void *base, *aligned;
    int64_t offset, size[2], stride[2];
};

static struct descriptor described(void *first, int64_t rows, int64_t columns, int64_t row, int64_t column)
{
    return (struct descriptor){first, first, 0, {rows, columns}, {row, column}};
}

static void sums_go_along_a_dim_either_way(void **state)
{
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6};
    static const float along[2][2][6] = {{{1, 2, 3, 5, 7, 9}, {5, 7, 9, 4, 5, 6}},
                                         {{1, 3, 6, 4, 9, 15}, {6, 5, 3, 15, 11, 6}}};
    struct descriptor from = described(x, 2, 3, 3, 1), to;
    for (int dim = -1; dim < 2; dim++)
        for (int reversed = 0; reversed < 2; reversed++) {
            belay_kernel_cumsum(2, KERNEL_FP32, &to, &from, dim, reversed != 0);
            assert_int_equal(to.size[0] * 10 + to.size[1], 23);
            assert_memory_equal(to.aligned, along[dim < 0 ? 1 : dim][reversed], sizeof x);
        }
    /* Columns first: the same elements in another layout. */
    int64_t turned[] = {1, 4, 2, 5, 3, 6};
    static const int64_t products[] = {1, 2, 6, 4, 20, 120};
    from = described(turned, 2, 3, 1, 2);
    belay_kernel_cumprod(2, KERNEL_INT64, &to, &from, 1, false);
    assert_memory_equal(to.aligned, products, sizeof products);
    belay_kernel_end();
}

static void integers_wrap_and_short_floats_are_summed_in_float(void **state)
{
    (void)state;
    int8_t bytes[] = {100, 100, -128};
    static const int8_t wrapped[] = {100, -56, 72};
    uint16_t brain[] = {0x4380, 0x3f80, 0x3f80}, half[] = {0x6800, 0x3c00, 0x3c00}; /* 256 1 1 and 2048 1 1 */
    struct descriptor from = described(bytes, 1, 3, 3, 1), to;
    belay_kernel_cumsum(2, KERNEL_INT8, &to, &from, 1, false);
    assert_memory_equal(to.aligned, wrapped, sizeof wrapped);
    from = described(brain, 1, 3, 3, 1);
    belay_kernel_cumsum(2, KERNEL_BF16, &to, &from, 1, false);
    assert_int_equal(((uint16_t *)to.aligned)[2], 0x4381); /* 258 */
    from = described(half, 1, 3, 3, 1);
    belay_kernel_cumsum(2, KERNEL_FP16, &to, &from, 1, false);
    assert_int_equal(((uint16_t *)to.aligned)[2], 0x6801); /* 2050 */
    belay_kernel_end();
}

static void lines_are_sorted_with_nan_behind(void **state)
{
    (void)state;
    double x[] = {3, (double)NAN, -1, 2};
    static const double up[] = {-1, 2, 3}, down[] = {3, 2, -1};
    struct descriptor from = described(x, 1, 4, 4, 1), to;
    belay_kernel_sort(2, KERNEL_FP64, &to, &from, 1, false);
    assert_memory_equal(to.aligned, up, sizeof up);
    assert_true(isnan(((double *)to.aligned)[3]));
    belay_kernel_sort(2, KERNEL_FP64, &to, &from, -1, true);
    assert_memory_equal((double *)to.aligned + 1, down, sizeof down);
    int32_t whole[] = {5, -7, 6};
    static const int32_t sorted[] = {-7, 5, 6}, flipped[] = {6, -7, 5};
    from = described(whole, 1, 3, 3, 1);
    belay_kernel_sort(2, KERNEL_INT32, &to, &from, 1, false);
    assert_memory_equal(to.aligned, sorted, sizeof sorted);
    belay_kernel_flip(2, KERNEL_INT32, &to, &from, 1);
    assert_memory_equal(to.aligned, flipped, sizeof flipped);
    belay_kernel_end();
}

static void elements_are_gathered_along_a_dim(void **state)
{
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6};
    int32_t places[] = {2, 0, 1, 7};
    int64_t rows[] = {1, 0, -1};
    static const float along[] = {3, 1, 5, 0}, down[] = {4, 2, 0};
    struct descriptor from = described(x, 2, 3, 3, 1), index = described(places, 2, 2, 2, 1), to;
    belay_kernel_gather(2, KERNEL_FP32, &to, &from, KERNEL_INT32, &index, 1);
    assert_int_equal(to.size[0] * 10 + to.size[1], 22);
    assert_memory_equal(to.aligned, along, sizeof along);
    index = described(rows, 1, 3, 3, 1);
    belay_kernel_gather(2, KERNEL_FP32, &to, &from, KERNEL_INT64, &index, -2);
    assert_memory_equal(to.aligned, down, sizeof down);
    belay_kernel_end();
}

static void values_are_counted(void **state)
{
    (void)state;
    int16_t x[] = {0, 3, 1, 3, -1, 4};
    static const int32_t counts[] = {1, 1, 0, 2};
    struct descriptor from = described(x, 2, 3, 3, 1), to;
    belay_kernel_histogram(2, KERNEL_INT16, &to, &from, 4);
    assert_memory_equal(to.aligned, counts, sizeof counts);
    belay_kernel_end();
}

/* Each half has to come back from FLOAT as it is. */
static void halves_are_rounded_to_nearest(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
        uint16_t half[2] = {(uint16_t)bits, 0};
        struct descriptor from = described(half, 1, 1, 1, 1), to;
        belay_kernel_cumsum(2, KERNEL_FP16, &to, &from, 1, false);
        const uint16_t got = *(uint16_t *)to.aligned;
        const int is_nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
        assert_int_equal(got, is_nan ? 0x7e00 : bits);
        belay_kernel_end();
    }
}

static void copies_go_by_strides(void **state)
{
    (void)state;
    int16_t from_memory[] = {1, 2, 3, 4, 5, 6}, to_memory[6] = {0};
    static const int16_t turned[] = {1, 4, 2, 5, 3, 6};
    struct descriptor from = described(from_memory, 3, 2, 1, 3), to = described(to_memory, 3, 2, 2, 1);
    struct memref source = {2, &from}, target = {2, &to};
    memrefCopy(2, &source, &target);
    assert_memory_equal(to_memory, turned, sizeof turned);
    from.size[0] = to.size[0] = 0;
    memset(to_memory, 0, sizeof to_memory);
    memrefCopy(2, &source, &target);
    assert_int_equal(to_memory[0], 0);
    struct memref one = {0, &from}, place = {0, &to};
    memrefCopy(2, &one, &place);
    assert_int_equal(to_memory[0], 1);
}

static void memory_is_apart_and_used_again(void **state)
{
    (void)state;
    unsigned char *first = belay_kernel_allocate(100), *second = belay_kernel_allocate(5 << 20),
                  *third = belay_kernel_allocate(0);
    assert_int_equal((uintptr_t)first % 64 + (uintptr_t)second % 64 + (uintptr_t)third % 64, 0);
    memset(first, 1, 100);
    memset(second, 2, 5 << 20);
    assert_int_equal(first[99], 1);
    belay_kernel_end();
    assert_ptr_equal(belay_kernel_allocate(100), first);
    assert_ptr_equal(belay_kernel_allocate(5 << 20), second);
    belay_kernel_end();
}

static void maths_is_near_to_libm(void **state)
{
    (void)state;
#define NEAR(name, x)                                                                                  \
    do {                                                                                               \
        assert_true(fabs(belay_kernel_##name##_fp64(x) - name(x)) <= 1e-14 * fmax(1, fabs(name(x))));  \
        assert_true(fabs((double)belay_kernel_##name##_fp32((float)(x)) - name((double)(float)(x))) <= \
                    2e-7 * fmax(1, fabs(name(x))));                                                    \
    } while (0)
#define OF_EACH(name) NEAR(name, 0.37);
    KERNEL_MATHS_OF_FLOATS(OF_EACH)
    NEAR(sin, 1.7);
    NEAR(cos, 1.7);
    NEAR(tan, 1.1);
    NEAR(asin, 0.3);
    NEAR(acos, 0.3);
    NEAR(atan, -2.5);
    NEAR(sinh, 0.9);
    NEAR(cosh, 0.9);
    NEAR(tanh, -0.9);
    NEAR(tanh, 25.0);
    NEAR(asinh, 0.4);
    NEAR(acosh, 1.4);
    NEAR(atanh, 0.4);
    NEAR(erf, -0.7);
    NEAR(erfc, 0.7);
    assert_true(signbit(belay_kernel_tanh_fp64(-0.0)) && isnan(belay_kernel_tanh_fp64((double)NAN)));
    assert_true(fabs(belay_kernel_pow_fp64(1.5, 2.5) - pow(1.5, 2.5)) < 1e-14);
    assert_true(fabs((double)belay_kernel_pow_fp32(1.5F, 2.5F) - pow(1.5, 2.5)) < 1e-6);
    for (int i = -2; i < 3; i++)
        for (int k = -2; k < 3; k++) {
            const double angle = atan2(i, k);
            assert_true(fabs(belay_kernel_atan2_fp64(i, k) - angle) < 1e-15);
            assert_true(fabs((double)belay_kernel_atan2_fp32((float)i, (float)k) - angle) < 2e-7);
        }
    assert_true(fabs(belay_kernel_fmod_fp64(-7.5, 2) + 1.5) < 1e-15);
    assert_true(fabsf(belay_kernel_fmod_fp32(7.5F, -2) - 1.5F) < 1e-7F);
    assert_int_equal(belay_kernel_ilogb_fp32(-10), 3);
    assert_int_equal(belay_kernel_ldexp_fp32(3, 4), 48);
    assert_true(isinf(belay_kernel_ldexp_fp32(3, 1e30F)) &&
                fpclassify(belay_kernel_ldexp_fp32(3, -1e30F)) == FP_ZERO);
    assert_int_equal(belay_kernel_pow_int64(-3, 3), -27);
    assert_int_equal(belay_kernel_pow_int64(7, 0), 1);
    assert_int_equal(belay_kernel_pow_int64(-1, -3), -1);
    assert_int_equal(belay_kernel_pow_int64(1, -2) + belay_kernel_pow_int64(5, -1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_go_along_a_dim_either_way),
        cmocka_unit_test(integers_wrap_and_short_floats_are_summed_in_float),
        cmocka_unit_test(lines_are_sorted_with_nan_behind),
        cmocka_unit_test(elements_are_gathered_along_a_dim),
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(halves_are_rounded_to_nearest),
        cmocka_unit_test(copies_go_by_strides),
        cmocka_unit_test(memory_is_apart_and_used_again),
        cmocka_unit_test(maths_is_near_to_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
