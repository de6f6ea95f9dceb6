/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Batch normalisation and its gradients, against long double in any layout and dtype; outputs
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

enum { BN_INPUT, BN_WEIGHT, BN_BIAS, BN_MEAN, BN_VAR, BN_TRAINING, BN_MOMENTUM, BN_EPS, BN_OUT, BN_SAVED };
enum { BB_GRAD, BB_INPUT, BB_WEIGHT, BB_RUNNING, BB_SAVED = BB_RUNNING + 2, BB_TRAINING = BB_SAVED + 2 };
enum { BB_EPS = BB_TRAINING + 1, BB_MASK, BB_OUT };

static bool is_newest(void)
{
    const char *product = getenv("BELAY_SOC");
    return product != NULL && strncmp(product, "Ascend950", 9) == 0;
}

static void draw_batch_norm(unsigned rank, const int64_t *shape, bool is_training, double eps)
{
    const aclDataType dtype = draw_dtype();
    give(BN_INPUT, dtype, rank, shape, true, 4);
    for (unsigned i = BN_WEIGHT; i <= BN_MEAN; i++)
        if (random_below(3) > 0)
            give(i, draw_dtype(), 1, shape + 1, i != BN_MEAN, 2);
    if (random_below(3) > 0)
        give_positive(BN_VAR, draw_dtype(), 1, shape + 1);
    call.argument[BN_TRAINING].int64 = is_training;
    call.argument[BN_MOMENTUM].fp64 = 0.25;
    call.argument[BN_EPS].fp64 = eps;
    give(BN_OUT, draw_dtype(), rank, shape, false, 1);
    for (unsigned i = BN_SAVED; i < BN_SAVED + 2; i++)
        if (is_training || random_below(2) == 0)
            give(i, draw_dtype(), 1, is_training ? shape + 1 : (const int64_t[]){0}, false, 1);
}

/* The moments of each channel. */
static long double batch_mean[ELEMENTS], batch_variance[ELEMENTS];

static void find_moments(void)
{
    const struct layout *input = &call.tensor[BN_INPUT];
    const int64_t channels = input->shape[1];
    const long double n = (long double)(input->count / (channels > 0 ? channels : 1));
    for (int64_t c = 0; c < channels; c++)
        batch_mean[c] = batch_variance[c] = 0;
    for (int64_t i = 0; i < input->count; i++)
        batch_mean[channel_of(input, i)] += call.before[BN_INPUT][i] / n;
    for (int64_t i = 0; i < input->count; i++) {
        const int64_t c = channel_of(input, i);
        const long double distance = call.before[BN_INPUT][i] - batch_mean[c];
        batch_variance[c] += distance * distance / n;
    }
    for (int64_t c = 0; n == 0 && c < channels; c++)
        batch_variance[c] = (long double)NAN;
}

static void try_batch_norm(unsigned rank, const int64_t *shape, bool is_training)
{
    static long double running[2][ELEMENTS], saved[2][ELEMENTS], y[ELEMENTS];
    const long double eps = (long double)1e-3;
    draw_batch_norm(rank, shape, is_training, 1e-3);
    assert_int_equal(call_function(find("aclnnBatchNorm"), call.argument), 0);
    const struct layout *input = &call.tensor[BN_INPUT];
    find_moments();
    const long double n = (long double)(input->count / (shape[1] > 0 ? shape[1] : 1));
    for (int64_t c = 0; c < shape[1]; c++) {
        const long double mean = had(BN_MEAN, c, 0), variance = had(BN_VAR, c, 1);
        const bool moves = is_training && n > 0;
        running[0][c] = moves ? mean * 0.75L + batch_mean[c] * 0.25L : mean;
        running[1][c] =
            moves ? variance * 0.75L + batch_variance[c] * 0.25L * (n > 1 ? n / (n - 1) : 1) : variance;
        saved[0][c] = batch_mean[c];
        saved[1][c] = is_newest() ? 1 / sqrtl(batch_variance[c] + eps) : batch_variance[c];
    }
    for (int64_t i = 0; i < input->count; i++) {
        const int64_t c = channel_of(input, i);
        const long double mean = is_training ? batch_mean[c] : had(BN_MEAN, c, 0);
        const long double variance = is_training ? batch_variance[c] : had(BN_VAR, c, 1);
        y[i] = (call.before[BN_INPUT][i] - mean) / sqrtl(variance + eps) * had(BN_WEIGHT, c, 1) +
               had(BN_BIAS, c, 0);
    }
    assert_output("aclnnBatchNorm", BN_OUT, true, y, 0x1p-35L);
    for (unsigned i = 0; i < 2; i++) {
        assert_output("running", BN_MEAN + i, true, running[i], 0x1p-35L);
        assert_output("saved", BN_SAVED + i, is_training, saved[i], 0x1p-35L);
    }
    forget_call(find("aclnnBatchNorm"));
}

static void draw_batch_norm_backward(unsigned rank, const int64_t *shape, bool is_training, bool *mask)
{
    const aclDataType dtype = draw_dtype();
    give(BB_GRAD, dtype, rank, shape, true, 2);
    give(BB_INPUT, dtype, rank, shape, true, 4);
    for (unsigned i = BB_WEIGHT; i < BB_TRAINING; i++)
        if (random_below(4) > 0)
            i % 2 == 0 && i > BB_WEIGHT ? give_positive(i, draw_dtype(), 1, shape + 1)
                                        : give(i, draw_dtype(), 1, shape + 1, true, 2);
    if (!is_training && call.is_given[BB_SAVED]) { /* which is not looked at */
        layout_destroy(&call.tensor[BB_SAVED]);
        give(BB_SAVED, ACL_FLOAT, 1, (const int64_t[]){0}, true, 1);
    }
    call.argument[BB_TRAINING].int64 = is_training;
    call.argument[BB_EPS].fp64 = 1e-3;
    give_mask(BB_MASK, mask);
    for (unsigned i = 0; i < 3; i++)
        if (mask[i] || random_below(2) == 0)
            give(BB_OUT + i, i == 0 ? dtype : draw_dtype(), i == 0 ? rank : 1, i == 0 ? shape : shape + 1,
                 false, 1);
}

static void try_batch_norm_backward(unsigned rank, const int64_t *shape, bool is_training)
{
    const struct function *function = find("aclnnBatchNormBackward");
    const unsigned moments = is_training ? BB_SAVED : BB_RUNNING;
    bool mask[3];
    draw_batch_norm_backward(rank, shape, is_training, mask);
    union argument fast[BB_OUT + 4]; /* of the one with a version before the outputs */
    memcpy(fast, call.argument, BB_OUT * sizeof fast[0]);
    memcpy(fast + BB_OUT + 1, call.argument + BB_OUT, 3 * sizeof fast[0]);
    fast[BB_OUT].int64 = 1;
    const bool is_fast = random_below(3) == 0;
    assert_int_equal(call_function(is_fast ? find("aclnnFastBatchNormBackward") : function,
                                   is_fast ? fast : call.argument),
                     0);
    const struct layout *input = &call.tensor[BB_INPUT];
    const long double n = (long double)input->count / (long double)shape[1];
    static long double rstd[ELEMENTS];
    clear_exact();
    for (int64_t c = 0; c < shape[1]; c++) {
        const long double variance = had(moments + 1, c, 1);
        rstd[c] = is_training && is_newest() ? variance : 1 / sqrtl(variance + (long double)1e-3);
    }
    for (int64_t i = 0; i < input->count; i++) {
        const int64_t c = channel_of(input, i);
        exact[1][c] += call.before[BB_GRAD][i] * (call.before[BB_INPUT][i] - had(moments, c, 0)) * rstd[c];
        exact[2][c] += call.before[BB_GRAD][i];
    }
    for (int64_t i = 0; i < input->count; i++) {
        const int64_t c = channel_of(input, i);
        const long double normal = (call.before[BB_INPUT][i] - had(moments, c, 0)) * rstd[c];
        exact[0][i] =
            had(BB_WEIGHT, c, 1) * rstd[c] *
            (call.before[BB_GRAD][i] - (is_training ? exact[2][c] / n + normal * exact[1][c] / n : 0));
    }
    for (unsigned i = 0; i < 3; i++)
        assert_output("aclnnBatchNormBackward", BB_OUT + i, mask[i], exact[i], 0x1p-33L);
    forget_call(function);
}

static void batch_norms_of_all_layouts_are_near(void **state)
{
    static const int64_t shapes[][3] = {{0, 5, 3}, {2, 0, 3},    {3, 4, 0},   {4, 5, 200},
                                        {1, 9, 1}, {700, 20, 1}, {2, 3, 3000}};
    (void)state;
    for (int i = 0; i < times_effort(300); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 2, 4, 10000);
        i % 2 == 0 ? try_batch_norm(rank, shape, random_below(3) > 0)
                   : try_batch_norm_backward(rank, shape, random_below(3) > 0);
    }
    for (int i = 0; i < 28; i++) {
        try_batch_norm(3, shapes[i % 7], i < 14);
        try_batch_norm_backward(3, shapes[i % 7], i < 14);
    }
}

static void faults_of_batch_norm_are_refused(void **state)
{
    struct attempt attempt = accepted(find("aclnnBatchNorm"));
    (void)state;
    assert_accepted(&attempt);
    const aclTensor *kept = attempt.argument[BN_SAVED].tensor;
    attempt.argument[BN_SAVED].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "saveMean is NULL, which training asks for");
    attempt.argument[BN_TRAINING].int64 = 0;
    assert_accepted(&attempt);
    attempt.argument[BN_TRAINING].int64 = 1;
    attempt.argument[BN_SAVED].tensor = kept;
    replace(&attempt, BN_SAVED, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "saveMean has");
    replace(&attempt, BN_VAR, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "runningVar has 4 elements; 3, one for each channel");
    replace(&attempt, BN_INPUT, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input has 1 dims; from 2 to 8 are expected");
    replace_dtype(&attempt, BN_WEIGHT, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weight has dtype DOUBLE");
    release(&attempt);
    attempt = accepted(find("aclnnBatchNormBackward"));
    replace(&attempt, BB_SAVED, tensor_with(ACL_FLOAT, 1, DIMS(0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "saveMean has 0 elements; 3, one for each channel");
    attempt.argument[BB_TRAINING].int64 = 0;
    assert_accepted(&attempt);
    replace_dtype(&attempt, BB_OUT, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradInput");
    replace_dtype(&attempt, BB_GRAD, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][3] = {{300, 60, 1}, {10, 20, 90}, {2, 4, 2000}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    bool mask[3];
    for (int i = 0; i < 18; i++) {
        draw_batch_norm(3, shapes[i % 3], i % 2 == 0, 1e-5);
        hash = hash_of_call(find("aclnnBatchNorm"), hash);
        draw_batch_norm_backward(3, shapes[i % 3], i % 2 == 0, mask);
        hash = hash_of_call(find("aclnnBatchNormBackward"), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batch_norms_of_all_layouts_are_near),
        cmocka_unit_test(faults_of_batch_norm_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
