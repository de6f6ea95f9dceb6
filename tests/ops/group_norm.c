/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Group normalisation and its gradients, against long double in any layout and dtype; outputs
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

enum { GN_SELF, GN_GAMMA, GN_BETA, GN_SIZES, GN_EPS = GN_SIZES + 4, GN_OUT, GN_MEAN, GN_RSTD };
enum { GB_GRAD, GB_INPUT, GB_MEAN, GB_RSTD, GB_GAMMA, GB_SIZES, GB_MASK = GB_SIZES + 4, GB_OUT };

static void give_sizes(unsigned place, unsigned rank, const int64_t *shape, int64_t group)
{
    int64_t area = 1;
    for (unsigned i = 2; i < rank; i++)
        area *= shape[i];
    call.argument[place].int64 = shape[0];
    call.argument[place + 1].int64 = shape[1];
    call.argument[place + 2].int64 = area;
    call.argument[place + 3].int64 = group;
}

static void draw_group_norm(unsigned rank, const int64_t *shape, int64_t group)
{
    const aclDataType dtype = draw_dtype();
    const int64_t groups[] = {shape[0], group}, all = shape[0] * group;
    give(GN_SELF, dtype, rank, shape, true, 4);
    for (unsigned i = GN_GAMMA; i <= GN_BETA; i++)
        if (random_below(3) > 0)
            give(i, dtype, 1, shape + 1, true, 2);
    give_sizes(GN_SIZES, rank, shape, group);
    call.argument[GN_EPS].fp64 = 1e-3;
    give(GN_OUT, dtype, rank, shape, false, 1);
    give(GN_MEAN, draw_dtype(), 2, groups, false, 1);
    give(GN_RSTD, draw_dtype(), 1, &all, false, 1);
}

/* The call as one of GroupNormSilu, which takes the sizes from self. */
static int call_silu(void)
{
    const union argument argument[] = {
        call.argument[GN_SELF], call.argument[GN_GAMMA], call.argument[GN_BETA], call.argument[GN_SIZES + 3],
        call.argument[GN_EPS],  call.argument[GN_OUT],   call.argument[GN_MEAN], call.argument[GN_RSTD]};
    return call_function(find("aclnnGroupNormSilu"), argument);
}

/* Or of GroupNormSwish, which needs both factors. */
static int call_swish(bool is_activated, double scale)
{
    const union argument argument[] = {call.argument[GN_SELF],
                                       call.argument[GN_GAMMA],
                                       call.argument[GN_BETA],
                                       call.argument[GN_SIZES + 3],
                                       argument_of_pointer(random_below(2) == 0 ? NULL : "NCHW"),
                                       call.argument[GN_EPS],
                                       argument_of_bool(is_activated),
                                       argument_of_fp64(scale),
                                       call.argument[GN_OUT],
                                       call.argument[GN_MEAN],
                                       call.argument[GN_RSTD]};
    return call_function(find("aclnnGroupNormSwish"), argument);
}

static void try_group_norm(unsigned rank, const int64_t *shape, int64_t group)
{
    const bool is_silu = random_below(3) == 0, is_plain = random_below(3) == 0;
    const double scale = is_silu ? 1.75 : 1;
    static long double y[ELEMENTS], mean[ELEMENTS], rstd[ELEMENTS];
    draw_group_norm(rank, shape, group);
    const bool is_swish = is_silu && call.is_given[GN_GAMMA] && call.is_given[GN_BETA];
    assert_int_equal(is_swish  ? call_swish(!is_plain, scale)
                     : is_silu ? call_silu()
                               : call_function(find("aclnnGroupNorm"), call.argument),
                     0);
    const struct layout *self = &call.tensor[GN_SELF];
    const int64_t groups = shape[0] * group, n = groups > 0 ? self->count / groups : 0;
    for (int64_t g = 0; g < groups; g++) {
        long double variance = 0;
        mean[g] = 0;
        for (int64_t i = 0; i < n; i++)
            mean[g] += call.before[GN_SELF][g * n + i] / (long double)n;
        for (int64_t i = 0; i < n; i++)
            variance += powl(call.before[GN_SELF][g * n + i] - mean[g], 2) / (long double)n;
        rstd[g] = n > 0 ? 1 / sqrtl(variance + (long double)1e-3) : (long double)NAN;
        for (int64_t i = g * n; i < (g + 1) * n; i++)
            y[i] = (call.before[GN_SELF][i] - mean[g]) * rstd[g] * had(GN_GAMMA, channel_of(self, i), 1) +
                   had(GN_BETA, channel_of(self, i), 0);
    }
    for (int64_t i = 0; is_silu && !(is_swish && is_plain) && i < self->count; i++)
        y[i] /= 1 + expl(-y[i] * (is_swish ? (long double)scale : 1));
    assert_output("aclnnGroupNorm", GN_OUT, true, y, 0x1p-35L);
    assert_output("mean", GN_MEAN, true, mean, 0x1p-35L);
    assert_output("rstd", GN_RSTD, true, rstd, 0x1p-35L);
    forget_call(find("aclnnGroupNorm"));
}

static void draw_group_norm_backward(unsigned rank, const int64_t *shape, int64_t group, bool *mask)
{
    const aclDataType dtype = draw_dtype(), factor = random_below(2) == 0 ? dtype : ACL_FLOAT;
    const int64_t groups[] = {shape[0], group}, all = shape[0] * group;
    give(GB_GRAD, dtype, rank, shape, true, 2);
    give(GB_INPUT, dtype, rank, shape, true, 4);
    give(GB_MEAN, factor, 1, &all, true, 1);
    give_positive(GB_RSTD, factor, 2, groups);
    if (random_below(3) > 0)
        give(GB_GAMMA, factor, 1, shape + 1, true, 2);
    give_sizes(GB_SIZES, rank, shape, group);
    give_mask(GB_MASK, mask);
    for (unsigned i = 0; i < 3; i++)
        if (mask[i] || random_below(2) == 0)
            give(GB_OUT + i, draw_dtype(), i == 0 ? rank : 1, i == 0 ? shape : shape + 1, false, 1);
}

static void try_group_norm_backward(unsigned rank, const int64_t *shape, int64_t group)
{
    static long double sum_h[ELEMENTS], sum_hn[ELEMENTS];
    const struct function *function = find("aclnnGroupNormBackward");
    bool mask[3];
    draw_group_norm_backward(rank, shape, group, mask);
    assert_int_equal(call_function(function, call.argument), 0);
    const struct layout *input = &call.tensor[GB_INPUT];
    const int64_t groups = shape[0] * group, n = groups > 0 ? input->count / groups : 0;
    clear_exact();
    memset(sum_h, 0, sizeof sum_h);
    memset(sum_hn, 0, sizeof sum_hn);
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < input->count; i++) {
            const int64_t c = channel_of(input, i), g = i / n;
            const long double gradient = call.before[GB_GRAD][i], h = gradient * had(GB_GAMMA, c, 1);
            const long double rstd = call.before[GB_RSTD][g];
            const long double normal = (call.before[GB_INPUT][i] - call.before[GB_MEAN][g]) * rstd;
            if (pass == 0) {
                exact[1][c] += gradient * normal;
                exact[2][c] += gradient;
                sum_h[g] += h / (long double)n;
                sum_hn[g] += h * normal / (long double)n;
            } else {
                exact[0][i] = rstd * (h - sum_h[g] - normal * sum_hn[g]);
            }
        }
    for (unsigned i = 0; i < 3; i++)
        assert_output("aclnnGroupNormBackward", GB_OUT + i, mask[i], exact[i], 0x1p-33L);
    forget_call(function);
}

static void group_norms_of_all_layouts_are_near(void **state)
{
    static const int64_t shapes[][3] = {{0, 6, 3},   {2, 0, 3},   {3, 6, 0},
                                        {4, 6, 200}, {300, 6, 5}, {100, 60, 1}};
    static const int64_t divisors[] = {1, 2, 3, 5, 8, 17, 33, 130, 1500};
    (void)state;
    for (int i = 0; i < times_effort(300); i++) {
        int64_t shape[4], group;
        const unsigned rank = draw_dims(shape, 2, 4, 10000);
        do
            group = divisors[random_below(9)];
        while (shape[1] % group != 0);
        i % 2 == 0 ? try_group_norm(rank, shape, group) : try_group_norm_backward(rank, shape, group);
    }
    for (int i = 0; i < 18; i++) {
        try_group_norm(3, shapes[i % 6], 1 + i / 6);
        try_group_norm_backward(3, shapes[i % 6], 1 + i / 6);
    }
}

static void faults_of_group_norm_are_refused(void **state)
{
    struct attempt attempt = accepted(find("aclnnGroupNorm"));
    (void)state;
    assert_accepted(&attempt);
    replace(&attempt, GN_MEAN, tensor_with(ACL_FLOAT16, 1, DIMS(4), NULL));
    assert_accepted(&attempt);
    replace(&attempt, GN_RSTD, tensor_with(ACL_FLOAT, 1, DIMS(5), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "rstdOut has");
    replace(&attempt, GN_GAMMA, tensor_with(ACL_FLOAT, 2, DIMS(2, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gamma has 2 dims; one is expected");
    attempt.argument[GN_EPS].fp64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "eps is 0; more than 0 is expected");
    attempt.argument[GN_SIZES + 2].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "the dims of self are not N, C and those of HxW: 2, 4 and 4");
    attempt.argument[GN_SIZES + 3].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "group is 3; a divisor of C, 4, is expected");
    attempt.argument[GN_SIZES + 3].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "group is 0");
    replace_dtype(&attempt, GN_BETA, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "beta");
    release(&attempt);
    attempt = accepted(find("aclnnGroupNormSilu"));
    assert_accepted(&attempt);
    attempt.argument[4].fp64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "eps is -1; more than 0 is expected");
    attempt.argument[3].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "group is 3; a divisor of C, 4, is expected");
    release(&attempt);
    attempt = accepted(find("aclnnGroupNormBackward"));
    assert_accepted(&attempt);
    replace(&attempt, GB_GRAD, tensor_with(ACL_FLOAT, 1, DIMS(24), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradOut");
    replace(&attempt, GB_INPUT, tensor_with(ACL_FLOAT, 1, DIMS(24), NULL));
    replace(&attempt, GB_OUT, tensor_with(ACL_FLOAT, 1, DIMS(24), NULL));
    assert_accepted(&attempt);
    replace(&attempt, GB_MEAN, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "mean has 2 elements; 4, one for each group of each image");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][3] = {{300, 60, 1}, {10, 20, 90}, {2, 4, 2000}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    bool mask[3];
    for (int i = 0; i < 18; i++) {
        draw_group_norm(3, shapes[i % 3], 2);
        hash = hash_of_call(find("aclnnGroupNorm"), hash);
        draw_group_norm_backward(3, shapes[i % 3], 2, mask);
        hash = hash_of_call(find("aclnnGroupNormBackward"), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(group_norms_of_all_layouts_are_near),
        cmocka_unit_test(faults_of_group_norm_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
