/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LinalgCross and Polar: whole tensors in random layouts, which broadcast, against loops; what is refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

/* A tensor of some of the sizes, or of 1 where it repeats. */
static struct view draw_part(unsigned in, aclDataType dtype, const struct view *out, uint32_t whole)
{
    int64_t shape[OPERAND_RANK_MAX];
    const uint32_t missing = whole > 0 && random_below(3) == 0 ? (uint32_t)random_below(whole) : 0;
    for (uint32_t i = missing; i < out->rank; i++)
        shape[i - missing] = i != whole && random_below(3) == 0 ? 1 : out->shape[i];
    return draw_like(in, dtype, out->rank - missing, shape);
}

/* The element of a part that an index of out means. */
static const unsigned char *element_at(const struct view *part, const struct view *out, const int64_t *at)
{
    int64_t own[OPERAND_RANK_MAX];
    for (uint32_t i = 0; i < part->rank; i++)
        own[i] = part->shape[i] == 1 ? 0 : at[out->rank - part->rank + i];
    return arena[part->arena] + place_of(part, own);
}

static void cross_products_are_those_of_a_loop(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                         ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        struct view out = draw_output(1 + (uint32_t)random_below(4), round % 20 == 0 ? 40 : 7);
        const uint32_t dim = (uint32_t)random_below(out.rank);
        int64_t shape[OPERAND_RANK_MAX], at[OPERAND_RANK_MAX] = {0};
        memcpy(shape, out.shape, sizeof shape);
        shape[dim] = 3;
        const aclDataType dtype = dtypes[random_below(9)];
        out = draw_like(1, dtype, out.rank, shape);
        struct view a = draw_part(0, dtype, &out, dim), b = draw_part(2, dtype, &out, dim);
        if (a.rank < out.rank && b.rank < out.rank)
            b = draw_like(2, dtype, out.rank, shape);
        bool is_whole = true;
        for (uint32_t i = 0; i < out.rank; i++) {
            const uint32_t of_a = out.rank - a.rank, of_b = out.rank - b.rank;
            is_whole = is_whole && (shape[i] == 1 || (i >= of_a && a.shape[i - of_a] == shape[i]) ||
                                    (i >= of_b && b.shape[i - of_b] == shape[i]));
        }
        if (!is_whole || is_too_large(&a) || is_too_large(&b) || is_too_large(&out))
            continue;
        fill_with_numbers(&a);
        fill_with_numbers(&b);
        begin_expecting(&out);
        do {
            struct number of[2][2], product = {.integer = 0};
            for (int i = 0; i < 2; i++) {
                int64_t there[OPERAND_RANK_MAX];
                memcpy(there, at, sizeof there);
                there[dim] = (at[dim] + 1 + i) % 3;
                of[0][i] = number_from(element_at(&a, &out, there), dtype);
                of[1][i] = number_from(element_at(&b, &out, there), dtype);
            }
            product.real[0] = of[0][0].real[0] * of[1][1].real[0] - of[0][1].real[0] * of[1][0].real[0];
            product.integer = (int64_t)((uint64_t)of[0][0].integer * (uint64_t)of[1][1].integer -
                                        (uint64_t)of[0][1].integer * (uint64_t)of[1][0].integer);
            store_number(product, expected + place_of(&out, at), dtype);
        } while (next_index(out.rank, out.shape, at));
        ASSERT_DONE("aclnnLinalgCross", TENSOR(&a), TENSOR(&b),
                    NUMBER(random_below(2) == 0 ? (int64_t)dim : (int64_t)dim - (int64_t)out.rank),
                    TENSOR(&out));
        assert_expected(&out);
    }
}

/* Which NaN infinity - infinity gives is each processor's choice: a result has the quiet one without a sign. */
static void nan_is_the_canonical_one(void **state)
{
    static const aclDataType dtypes[] = {ACL_DOUBLE, ACL_COMPLEX128};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const unsigned parts = i + 1;
        struct view self = draw_like(0, dtypes[i], 1, (int64_t[]){3}),
                    out = draw_like(1, dtypes[i], 1, (int64_t[]){3});
        for (int64_t element = 0; element < 3; element++)
            for (unsigned part = 0; part < parts; part++) {
                const double infinite = (double)INFINITY;
                memcpy(arena[0] + place_of(&self, &element) + part * sizeof infinite, &infinite,
                       sizeof infinite);
            }
        ASSERT_DONE("aclnnLinalgCross", TENSOR(&self), TENSOR(&self), NUMBER(0), TENSOR(&out));
        for (int64_t element = 0; element < 3; element++)
            for (unsigned part = 0; part < parts; part++) {
                uint64_t bits;
                memcpy(&bits, arena[1] + place_of(&out, &element) + part * sizeof bits, sizeof bits);
                assert_int_equal(bits, UINT64_C(0x7ff8000000000000));
            }
    }
}

static void sizes_and_angles_become_numbers(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        struct view out = draw_output(1 + (uint32_t)random_below(3), round % 10 == 0 ? 60 : 7);
        int64_t at[OPERAND_RANK_MAX] = {0};
        out = draw_like(1, ACL_COMPLEX64, out.rank, out.shape);
        struct view size = draw_like(0, ACL_FLOAT, out.rank, out.shape),
                    angle = draw_part(2, ACL_FLOAT, &out, out.rank);
        if (is_too_large(&size) || is_too_large(&angle) || is_too_large(&out))
            continue;
        fill_with_numbers(&size);
        fill_with_numbers(&angle);
        ASSERT_DONE("aclnnPolar", TENSOR(&size), TENSOR(&angle), TENSOR(&out));
        do {
            const double length = number_from(element_at(&size, &out, at), ACL_FLOAT).real[0],
                         turn = number_from(element_at(&angle, &out, at), ACL_FLOAT).real[0];
            const double wanted[] = {(double)((long double)length * cosl((long double)turn)),
                                     (double)((long double)length * sinl((long double)turn))};
            float part[2];
            memcpy(part, arena[1] + place_of(&out, at), sizeof part);
            for (int i = 0; i < 2; i++)
                assert_true((isnan(part[i]) && isnan(wanted[i])) ||
                            fabs((double)part[i] - wanted[i]) <= 0x1p-23 * fabs(wanted[i]) + 0x1p-149);
        } while (next_index(out.rank, out.shape, at));
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct view a = draw_like(0, ACL_FLOAT, 2, (int64_t[]){2, 3}),
                other = draw_like(2, ACL_DOUBLE, 2, (int64_t[]){2, 3}),
                out = draw_like(1, ACL_FLOAT, 2, (int64_t[]){2, 3}),
                row = draw_like(2, ACL_FLOAT, 1, (int64_t[]){2});
    const char *name = "aclnnLinalgCross";
    ASSERT_REFUSED(CALL(name, TENSOR(&a), TENSOR(&a), NUMBER(0), TENSOR(&out)),
                   "have size 2 along dim; 3 is expected");
    ASSERT_REFUSED(CALL(name, TENSOR(&a), TENSOR(&a), NUMBER(2), TENSOR(&out)), "dim is 2");
    ASSERT_REFUSED(CALL(name, TENSOR(&a), TENSOR(&other), NUMBER(1), TENSOR(&out)), "other has dtype DOUBLE");
    ASSERT_REFUSED(CALL(name, TENSOR(&a), TENSOR(&row), NUMBER(1), TENSOR(&out)), "broadcast");
    ASSERT_REFUSED(CALL("aclnnPolar", TENSOR(&a), TENSOR(&other), TENSOR(&out)), "angle has dtype DOUBLE");
    ASSERT_REFUSED(CALL("aclnnPolar", TENSOR(&a), TENSOR(&a), TENSOR(&out)), "out has dtype FLOAT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cross_products_are_those_of_a_loop),
        cmocka_unit_test(nan_is_the_canonical_one),
        cmocka_unit_test(sizes_and_angles_become_numbers),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
