/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of reflection, replication and circular pads: whole tensors in random layouts and overlaps
 * against sums in the order of gradOutput, and what they refuse.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/placed.h"
#include "ops/made.h"
#include "ops/moved.h"

enum edge { REFLECTED, REPLICATED, CIRCULAR };

static const struct {
    const char *name;
    uint32_t dims;
    enum edge edge;
} pads[] = {
    {"aclnnReflectionPad1dBackward", 1, REFLECTED},   {"aclnnReflectionPad2dBackward", 2, REFLECTED},
    {"aclnnReflectionPad3dBackward", 3, REFLECTED},   {"aclnnReplicationPad1dBackward", 1, REPLICATED},
    {"aclnnReplicationPad2dBackward", 2, REPLICATED}, {"aclnnReplicationPad3dBackward", 3, REPLICATED},
    {"aclnnCircularPad2dBackward", 2, CIRCULAR},      {"aclnnCircularPad3dBackward", 3, CIRCULAR},
};

static int64_t origin(enum edge edge, int64_t at, int64_t size)
{
    if (edge == CIRCULAR)
        return modulo(at, size);
    if (edge == REFLECTED)
        return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* Sums by the numbers of gradInput. */
struct sums {
    aclDataType dtype, wide;
    double (*sum)[2];
};

static void expect_sum(const void *context, int64_t i, unsigned char *element)
{
    const struct sums *sums = (const struct sums *)context;
    conversion_reference(sums->sum[i], sums->wide, element, sums->dtype);
}

static void what_came_from_an_element_is_added_up(void **state)
{
    (void)state;
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const unsigned which = (unsigned)round % 8;
        const uint32_t dims = pads[which].dims;
        const aclDataType dtype = draw_dtype_of(pads[which].name, 0);
        int64_t shape[OPERAND_RANK_MAX] = {0}, padded[OPERAND_RANK_MAX], low[OPERAND_RANK_MAX] = {0},
                padding[6];
        const uint32_t rank = draw_shape(shape, dims + 1, dims + 2);
        memcpy(padded, shape, sizeof padded);
        for (uint32_t n = 0; n < dims; n++) {
            const uint32_t k = rank - 1 - n;
            const int64_t most = pads[which].edge == REFLECTED ? shape[k] - 1 : shape[k];
            padding[2 * n] = random_below(4) == 0 ? -random_below(shape[k]) : random_below(most + 1);
            padding[2 * n + 1] = random_below(4) == 0 && padding[2 * n] >= 0 ? -random_below(shape[k])
                                                                             : random_below(most + 1);
            low[k] = padding[2 * n];
            padded[k] = shape[k] + padding[2 * n] + padding[2 * n + 1];
        }
        const bool is_complex = dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
        struct view out = drawn_view(0, dtype, rank, shape), self = drawn_view(2, dtype, rank, shape);
        struct view grad = drawn_view((unsigned)random_below(2), dtype, rank, padded);
        struct sums sums = {dtype, is_complex ? ACL_COMPLEX128 : ACL_DOUBLE,
                            calloc((size_t)count_of(&out), sizeof *sums.sum)};
        fill_bytes(0, bytes_of(&grad) + bytes_of(&out) + 64);
        for (int64_t i = 0; i < count_of(&grad); i++) {
            const double value[] = {(double)(random_below(2000) - 1000) / 16, (double)random_below(100)};
            unsigned char *element = element_of(arena[grad.arena], &grad, i);
            conversion_reference(value, sums.wide, element, dtype);
        }
        for (int64_t i = 0; i < count_of(&grad); i++) {
            double read[2] = {0, 0};
            int64_t number = 0, rest = i, index[OPERAND_RANK_MAX];
            for (uint32_t k = rank; k-- > 0; rest /= padded[k])
                index[k] = rest % padded[k];
            for (uint32_t k = 0; k < rank; k++)
                number = number * shape[k] + origin(pads[which].edge, index[k] - low[k], shape[k]);
            conversion_reference(element_of(arena[grad.arena], &grad, i), dtype, read, sums.wide);
            for (int part = 0; part < 2; part++)
                sums.sum[number][part] += read[part];
        }
        const union argument argument[] = {
            argument_of_pointer(create_placed(&grad)), argument_of_pointer(create_placed(&self)),
            int_array(padding, 2 * dims), argument_of_pointer(create_placed(&out))};
        assert_made(pads[which].name, argument, &out, expect_sum, &sums);
        free(sums.sum);
    }
}

static void gradients_have_rules(void **state)
{
    (void)state;
    for (unsigned which = 0; which < 8; which++) {
        struct attempt attempt = accepted(find(pads[which].name));
        replace_dtype(&attempt, 0, ACL_FLOAT16);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       "gradOutput has dtype FLOAT16; FLOAT, the dtype of");
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 3), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOutput has shape [2, 3, 3]");
        replace_dtype(&attempt, 1, ACL_INT32);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT32");
        release(&attempt);
        attempt = accepted(find(pads[which].name));
        set_ints(&attempt, 2, DIMS(1), 1);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "padding has 1 elements");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnReflectionPad1dBackward"));
    set_ints(&attempt, 2, DIMS(3, 1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "padding holds 3 and 1 for dim 1 of self, of size 3; 2 at");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_from_an_element_is_added_up),
        cmocka_unit_test(gradients_have_rules),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
