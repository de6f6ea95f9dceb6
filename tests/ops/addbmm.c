/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Addbmm has the bits of Addmm of the matrices that its batches are side by side, in any layout, in place and
 * with an output that lies in an input; and calls that are refused.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

static struct layout draw(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    return layout_create(dtype, rank, shape,
                         (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
}

/* (b, m, k) as (m, b k), or (b, k, n) as (b k, n); b of them where the batch has one for all. */
static struct layout joined(const struct layout *batch, int64_t b, bool is_left)
{
    const int64_t rows = batch->shape[1], columns = batch->shape[2];
    const int64_t shape[] = {is_left ? rows : b * rows, is_left ? b * columns : columns};
    struct layout matrix = layout_create(batch->dtype, 2, shape, LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < matrix.count; i++) {
        const int64_t row = i / shape[1], column = i % shape[1];
        const int64_t part = batch->shape[0] == 1 ? 0 : is_left ? column / columns : row / rows;
        memcpy(layout_element(&matrix, i),
               layout_element(batch, (part * rows + row % rows) * columns + column % columns), batch->bytes);
    }
    return matrix;
}

static void assert_same(const struct layout *out, const struct layout *wanted)
{
    for (int64_t i = 0; i < out->count; i++)
        assert_memory_equal(layout_element(out, i), layout_element(wanted, i), out->bytes);
}

static void batches_are_one_long_sum(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        const bool is_large = round % 8 == 0;
        const int64_t b = random_below(5), m = 1 + random_below(is_large ? 300 : 20),
                      k = random_below(is_large ? 200 : 9), n = 1 + random_below(is_large ? 300 : 20);
        const int64_t one = random_below(4); /* the batch that has one for all */
        const float beta = random_below(3) == 0 ? 0.0F : 0.5F, alpha = random_below(5) == 0 ? 0.0F : 2.0F;
        struct layout left = draw(short_dtypes[random_below(3)], 3, DIMS(one == 0 ? 1 : b, m, k), true),
                      right = draw(short_dtypes[random_below(3)], 3, DIMS(one == 1 ? 1 : b, k, n), true),
                      self = draw(short_dtypes[random_below(3)], 1, DIMS(random_below(2) == 0 ? 1 : n), true),
                      out = draw(short_dtypes[random_below(3)], 2, DIMS(m, n), false),
                      wanted = layout_create(out.dtype, 2, DIMS(m, n), LAYOUT_CONTIGUOUS);
        layout_fill(&left, 1, false), layout_fill(&right, 1, false), layout_fill(&self, 1, false);
        struct layout lefts = joined(&left, b, true), rights = joined(&right, b, false);
        const aclScalar *scalars[] = {aclCreateScalar((void *)(uintptr_t)&beta, ACL_FLOAT),
                                      aclCreateScalar((void *)(uintptr_t)&alpha, ACL_FLOAT)};
        union argument argument[] = {{.tensor = self.tensor},  {.tensor = left.tensor},
                                     {.tensor = right.tensor}, {.scalar = scalars[0]},
                                     {.scalar = scalars[1]},   {.tensor = out.tensor},
                                     argument_of_integer(0)};
        assert_int_equal(call_function(find("aclnnAddbmm"), argument), 0);
        argument[1].tensor = lefts.tensor, argument[2].tensor = rights.tensor,
        argument[5].tensor = wanted.tensor;
        assert_int_equal(call_function(find("aclnnAddmm"), argument), 0);
        assert_same(&out, &wanted);
        argument[0].tensor = wanted.tensor;
        assert_int_equal(call_function(find("aclnnAddmm"), argument), 0);
        const union argument in_place[] = {{.tensor = out.tensor},   {.tensor = left.tensor},
                                           {.tensor = right.tensor}, {.scalar = scalars[0]},
                                           {.scalar = scalars[1]},   argument_of_integer(0)};
        assert_int_equal(call_function(find("aclnnInplaceAddbmm"), in_place), 0);
        assert_same(&out, &wanted);
        assert_int_equal(aclDestroyScalar(scalars[0]), 0), assert_int_equal(aclDestroyScalar(scalars[1]), 0);
        struct layout *const all[] = {&left, &right, &self, &out, &wanted, &lefts, &rights};
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
            layout_destroy(all[i]);
    }
}

/* The second matrix of the batch lies where the output is written. */
static void an_output_may_lie_in_a_batch(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAddbmm"));
    struct layout left = layout_create(ACL_FLOAT, 3, DIMS(2, 3, 3), LAYOUT_CONTIGUOUS),
                  right = layout_create(ACL_FLOAT, 3, DIMS(2, 3, 3), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_FLOAT, 2, DIMS(3, 3), LAYOUT_CONTIGUOUS);
    const int64_t shape[] = {3, 3}, stride[] = {3, 1}, storage = 18;
    aclTensor *second = aclCreateTensor(shape, 2, ACL_FLOAT, stride, 9, ACL_FORMAT_ND, &storage, 1,
                                        memory_known_as(left.memory));
    layout_fill(&left, 1, false), layout_fill(&right, 1, false), layout_fill(&out, 1, false);
    union argument argument[] = {{.tensor = out.tensor}, {.tensor = left.tensor}, {.tensor = right.tensor},
                                 attempt.argument[3],    attempt.argument[4],     {.tensor = out.tensor},
                                 argument_of_integer(0)};
    float own[9];
    memcpy(own, out.memory, sizeof own);
    assert_int_equal(call_function(find("aclnnAddbmm"), argument), 0);
    float wanted[9];
    memcpy(wanted, out.memory, sizeof wanted);
    memcpy(out.memory, own, sizeof own);
    argument[5].tensor = second;
    assert_int_equal(call_function(find("aclnnAddbmm"), argument), 0);
    assert_memory_equal(left.memory + 36, wanted, sizeof wanted);
    assert_int_equal(aclDestroyTensor(second), 0);
    layout_destroy(&left), layout_destroy(&right), layout_destroy(&out);
    release(&attempt);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAddbmm"));
    assert_accepted(&attempt);
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(1, 3, 5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has shape [1, 3, 5]");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(3, 3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the shapes of batch1 and batch2 do not fit");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the shapes of batch1 and batch2 do not fit: the sums");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "batch1 has 2 dims; 3 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_one_long_sum),
        cmocka_unit_test(an_output_may_lie_in_a_batch),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
