/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of layer normalisation, against long double in any layout and dtype; outputs
 * that are not asked for; calls that are refused; and that bits depend neither on the level nor on the number
 * of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/normalisation.h"
#include "support/effort.h"

enum { LN_GRAD, LN_INPUT, LN_SHAPE, LN_MEAN, LN_RSTD, LN_WEIGHT, LN_BIAS, LN_MASK, LN_OUT };

static void layer_norm_gradients(int64_t rows, int64_t count)
{
    clear_exact();
    for (int64_t r = 0; r < rows; r++) {
        const long double mean = had(LN_MEAN, r, 0), rstd = had(LN_RSTD, r, 0);
        long double sum_h = 0, sum_hn = 0;
        for (int64_t i = 0; i < count; i++) {
            const long double g = had(LN_GRAD, r * count + i, 0);
            const long double n = (had(LN_INPUT, r * count + i, 0) - mean) * rstd;
            exact[1][i] += g * n;
            exact[2][i] += g;
            sum_h += g * had(LN_WEIGHT, i, 1);
            sum_hn += g * had(LN_WEIGHT, i, 1) * n;
        }
        for (int64_t i = 0; i < count; i++) {
            const long double n = (had(LN_INPUT, r * count + i, 0) - mean) * rstd;
            exact[0][r * count + i] = rstd * (had(LN_GRAD, r * count + i, 0) * had(LN_WEIGHT, i, 1) -
                                              sum_h / (long double)count - n * (sum_hn / (long double)count));
        }
    }
}

static void draw_layer_norm(unsigned rank, const int64_t *shape, unsigned last, bool *mask)
{
    const aclDataType dtype = draw_dtype(), factor = random_below(2) == 0 ? dtype : ACL_FLOAT;
    int64_t rows = 1;
    for (unsigned i = 0; i < rank - last; i++)
        rows *= shape[i];
    give(LN_GRAD, dtype, rank, shape, true, 2);
    give(LN_INPUT, dtype, rank, shape, true, 4);
    call.argument[LN_SHAPE].ints = aclCreateIntArray(shape + rank - last, last);
    give(LN_MEAN, draw_dtype(), 1, &rows, true, 1);
    give_positive(LN_RSTD, draw_dtype(), rank - last, shape);
    if (random_below(3) > 0)
        give(LN_WEIGHT, factor, last, shape + rank - last, true, 2);
    if (random_below(3) > 0)
        give(LN_BIAS, factor, last, shape + rank - last, true, 2);
    give_mask(LN_MASK, mask);
    for (unsigned i = 0; i < 3; i++)
        if (mask[i] || random_below(2) == 0)
            give(LN_OUT + i, draw_dtype(), i == 0 ? rank : last, i == 0 ? shape : shape + rank - last, false,
                 1);
}

static void try_layer_norm_backward(unsigned rank, const int64_t *shape, unsigned last)
{
    const struct function *function = find("aclnnLayerNormBackward");
    bool mask[3];
    int64_t rows = 1, count = 1;
    for (unsigned i = 0; i < rank; i++)
        *(i < rank - last ? &rows : &count) *= shape[i];
    draw_layer_norm(rank, shape, last, mask);
    assert_int_equal(call_function(function, call.argument), 0);
    layer_norm_gradients(rows, count);
    for (unsigned i = 0; i < 3; i++)
        assert_output("aclnnLayerNormBackward", LN_OUT + i, mask[i], exact[i], 0x1p-35L);
    forget_call(function);
}

static void layer_norm_backward_of_all_layouts_is_near(void **state)
{
    static const int64_t wide[] = {3, 5000}, tall[] = {3000, 6}, none[] = {0, 5}, empty[] = {5, 0};
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 1, 4, 10000);
        try_layer_norm_backward(rank, shape, 1 + (unsigned)random_below(rank));
    }
    for (int i = 0; i < 6; i++) {
        try_layer_norm_backward(2, wide, 1);
        try_layer_norm_backward(2, tall, 1);
        try_layer_norm_backward(2, none, 1);
        try_layer_norm_backward(2, empty, 1);
    }
}

/* gradInput in the place of gradOut or of input. */
static void gradients_may_be_written_in_place(void **state)
{
    static const int64_t shape[] = {50, 300};
    const struct function *function = find("aclnnLayerNormBackward");
    (void)state;
    for (unsigned place = LN_GRAD; place <= LN_INPUT; place++) {
        bool mask[3] = {true, true, true};
        const int64_t rows = shape[0];
        give(LN_GRAD, ACL_FLOAT, 2, shape, false, 2);
        give(LN_INPUT, ACL_FLOAT, 2, shape, false, 4);
        call.argument[LN_SHAPE].ints = aclCreateIntArray(shape + 1, 1);
        give(LN_MEAN, ACL_FLOAT, 1, &rows, true, 1);
        give_positive(LN_RSTD, ACL_FLOAT, 1, &rows);
        give(LN_WEIGHT, ACL_FLOAT, 1, shape + 1, false, 2);
        call.argument[LN_MASK].bools = aclCreateBoolArray(mask, 3);
        call.argument[LN_OUT].tensor = call.tensor[place].tensor;
        call.argument[LN_OUT + 1].tensor = call.tensor[LN_WEIGHT].tensor;
        give(LN_OUT + 2, ACL_FLOAT, 1, shape + 1, false, 1);
        assert_int_equal(call_function(function, call.argument), 0);
        layer_norm_gradients(shape[0], shape[1]);
        assert_output("in place", place, true, exact[0], 0x1p-35L);
        assert_output("in place", LN_WEIGHT, true, exact[1], 0x1p-35L);
        assert_output("in place", LN_OUT + 2, true, exact[2], 0x1p-35L);
        forget_call(function);
    }
}

static void faults_of_layer_norm_backward_are_refused(void **state)
{
    static const bool two[] = {true, true};
    struct attempt attempt = accepted(find("aclnnLayerNormBackward"));
    (void)state;
    assert_accepted(&attempt);
    const aclTensor *kept = attempt.argument[LN_OUT + 1].tensor;
    attempt.argument[LN_OUT + 1].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "gradWeightOut is NULL, which outputMask asks for");
    attempt.argument[LN_OUT + 1].tensor = kept;
    replace(&attempt, LN_OUT + 1, tensor_with(ACL_FLOAT16, 2, DIMS(3, 1), NULL));
    assert_accepted(&attempt);
    replace(&attempt, LN_OUT + 1, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradWeightOut has");
    replace(&attempt, LN_WEIGHT, tensor_with(ACL_FLOAT, 2, DIMS(1, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weightOptional has another shape");
    replace(&attempt, LN_RSTD, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "rstd has 3 elements; 2, one for each row");
    replace(&attempt, LN_GRAD, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOut");
    replace_dtype(&attempt, LN_GRAD, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input");
    (void)aclDestroyBoolArray(attempt.argument[LN_MASK].bools);
    attempt.argument[LN_MASK].bools = aclCreateBoolArray(two, 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputMask has 2 entries; 3 are expected");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][2] = {{300, 60}, {20, 900}, {2500, 7}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    bool mask[3];
    for (int i = 0; i < 18; i++) {
        draw_layer_norm(2, shapes[i % 3], 1, mask);
        hash = hash_of_call(find("aclnnLayerNormBackward"), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layer_norm_backward_of_all_layouts_is_near),
        cmocka_unit_test(gradients_may_be_written_in_place),
        cmocka_unit_test(faults_of_layer_norm_backward_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
