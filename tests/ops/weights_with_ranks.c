/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums over ranks of products of floats by weights of whole numbers, by several devices of this process, beside a
 * reference: INT8 and packed INT4, scales and offsets for all, by columns and by groups of the common dim; and
 * what is refused.
 */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rank_case.h"
#include "support/effort.h"

static struct rank_case ranks;
static const char *const weighted[] = {"aclnnWeightQuantMatmulAllReduce",
                                       "aclnnWeightQuantMatmulAllReduceV2"};

struct sizes {
    int64_t m, k, n, group; /* 0: one group */
    bool is_packed, is_one, has_offset, has_bias, has_x3;
    aclDataType dtype;
};

static struct sizes draw_sizes(int round)
{
    struct sizes s = {.m = 1 + random_below(3),
                      .k = 1 + random_below(round % 8 == 0 ? 6 : 40),
                      .n = 8 * (1 + random_below(round % 8 == 0 ? 80 : 3)),
                      .is_packed = round % 3 == 0,
                      .is_one = random_below(3) == 0,
                      .has_offset = random_below(2) == 0,
                      .has_bias = random_below(2) == 0,
                      .has_x3 = random_below(2) == 0,
                      .dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16};
    s.group = s.is_one || random_below(2) == 0 ? 0 : 1 + random_below(20);
    return s;
}

static int64_t groups_of(const struct sizes *s)
{
    return s->group > 0 ? (s->k + s->group - 1) / s->group : 1;
}

/* Everything is exact: small whole numbers, or halves, and powers of two. */
static void fill(const struct layout *tensor, double unit)
{
    for (int64_t i = 0; i < tensor->count; i++)
        set_element(tensor, i, (double)(random_below(9) - 4) * unit);
}

static const struct layout *give_factor(struct named_call *call, const char *name, const struct sizes *s)
{
    if (s->is_one)
        return GIVE(call, name, s->dtype, 1);
    return groups_of(s) == 1 && random_below(2) == 0 ? GIVE(call, name, s->dtype, s->n)
                                                     : GIVE(call, name, s->dtype, groups_of(s), s->n);
}

static void give_operands(struct named_call *call, const struct sizes *s)
{
    fill(GIVE(call, "x1", s->dtype, s->m, s->k), 1);
    if (s->is_packed) {
        struct layout *x2 = GIVE(call, "x2", ACL_INT32, s->k, s->n / 8);
        layout_destroy(x2); /* packed along the last dim, which therefore lies side by side */
        *x2 = layout_create(ACL_INT32, 2, (const int64_t[]){s->k, s->n / 8}, LAYOUT_CONTIGUOUS);
        call->argument[place_named(call, "x2")].tensor = x2->tensor;
        for (int64_t i = 0; i < x2->count; i++)
            set_whole(x2, i, (int32_t)((uint32_t)random_below(1 << 30) * 0x9e3779b9U));
    } else
        fill_small(GIVE(call, "x2", ACL_INT8, s->k, s->n));
    const struct layout *scale = give_factor(call, "antiquantScale", s);
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, 0x1p-6 * (double)(1 << random_below(5)));
    if (s->has_offset)
        fill(give_factor(call, "antiquantOffset", s), 1);
    if (s->has_bias)
        fill(GIVE(call, "bias", s->dtype, s->n), 0.5);
    if (s->has_x3)
        fill(GIVE(call, "x3", s->dtype, s->m, s->n), 0.5);
    give_number(call, "antiquantGroupSize", (double)s->group);
    GIVE(call, "output", s->dtype, s->m, s->n);
}

static double number_in(struct named_call *call, const char *name, int64_t i)
{
    return is_named(call, name) ? element_of(tensor_named(call, name), i) : 0;
}

static double weight_at(struct named_call *call, const struct sizes *s, int64_t row, int64_t column)
{
    const int64_t at = s->is_one ? 0 : (s->group > 0 ? row / s->group : 0) * s->n + column;
    const int64_t place = row * s->n + column;
    double number = 0;
    if (s->is_packed) {
        const uint32_t word = (uint32_t)whole_of(tensor_named(call, "x2"), place / 8);
        number = (double)((int)((word >> (place % 8 * 4) & 15) ^ 8) - 8);
    } else
        number = (double)whole_of(tensor_named(call, "x2"), place);
    return (number + number_in(call, "antiquantOffset", at)) * number_in(call, "antiquantScale", at);
}

static void judge(uint32_t rank, const struct sizes *s)
{
    const struct layout *out = tensor_named(&ranks.call[rank], "output");
    for (int64_t i = 0; i < out->count; i++) {
        double sum = 0;
        for (uint32_t other = 0; other < ranks.count; other++) {
            struct named_call *call = &ranks.call[other];
            for (int64_t k = 0; k < s->k; k++)
                sum += element_of(tensor_named(call, "x1"), i / s->n * s->k + k) *
                       weight_at(call, s, k, i % s->n);
            sum += number_in(call, "bias", i % s->n) + number_in(call, "x3", i);
        }
        assert_near("WeightQuantMatmulAllReduce", out, i, (long double)sum, out->dtype, 0);
    }
}

static void weights_become_floats(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= RANKS_AT_MOST; count++) {
        open_ranks(&ranks, count);
        for (int round = 0; round < times_effort(10); round++) {
            const struct sizes s = draw_sizes(round);
            for (uint32_t rank = 0; rank < count; rank++)
                give_operands(begin_rank(&ranks, rank, weighted[round % 2]), &s);
            run_ranks(&ranks);
            for (uint32_t rank = 0; rank < count; rank++)
                judge(rank, &s);
            end_ranks(&ranks);
        }
        close_ranks(&ranks);
    }
}

/* A call of 2 x 4 by 4 x 8 with something wrong in it. */
static void refuse_call(const char *sentence, aclDataType scale, int64_t rows, int64_t columns, double group,
                        int64_t depth)
{
    struct named_call *call = begin_rank(&ranks, 0, weighted[0]);
    fill(GIVE(call, "x1", ACL_FLOAT16, 2, 4), 1);
    fill_small(GIVE(call, "x2", ACL_INT8, depth, 8));
    fill(GIVE(call, "antiquantScale", scale, rows, columns), 1);
    give_number(call, "antiquantGroupSize", group);
    GIVE(call, "output", ACL_FLOAT16, 2, 8);
    assert_failure(queue_rank(&ranks, 0), ACLNN_ERR_PARAM_INVALID, sentence);
    end_ranks(&ranks);
}

static void scales_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    open_ranks(&ranks, 1);
    refuse_call("antiquantScale has dtype BFLOAT16; FLOAT16, the dtype of x1, is expected", ACL_BF16, 1, 8, 0,
                4);
    refuse_call("antiquantScale has shape [2, 8]; one element, 8 or (1, 8) are expected", ACL_FLOAT16, 2, 8,
                0, 4);
    refuse_call("antiquantScale has shape [2, 8]; one element, 8 or (4, 8) are expected", ACL_FLOAT16, 2, 8,
                1, 4);
    refuse_call("antiquantScale has shape [1, 7]; one element, 8 or (2, 8) are expected", ACL_FLOAT16, 1, 7,
                3, 4);
    refuse_call("antiquantGroupSize is -1; 0 or more is expected", ACL_FLOAT16, 1, 8, -1, 4);
    refuse_call("x2 has shape [5, 8]; (4, columns) is expected", ACL_FLOAT16, 1, 8, 0, 5);
    close_ranks(&ranks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_become_floats),
        cmocka_unit_test(scales_that_do_not_fit_are_refused),
    };
    setenv("BELAY_DEVICES", "4", 1);
    setenv("HCCL_EXEC_TIMEOUT", "3", 1);
    return cmocka_run_group_tests(tests, open_devices, close_devices);
}
