/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LayerNorm of a weighted residual and its gradients, against loops in long double; what is refused; and the same
 * bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { LENGTH_MAX = 600 };
static const double alpha = 0.75, epsilon = 1e-3;

/* A row's alpha x + y, its mean and 1 / its deviation. */
static void sum_of_row(const struct trial *trial, const char *x, const char *y, long double factor,
                       int64_t row, int64_t length, long double *sum, long double *mean, long double *rstd)
{
    long double square = 0;
    *mean = 0;
    for (int64_t i = 0; i < length; i++) {
        sum[i] = factor * (long double)at(trial, x, row * length + i) +
                 (long double)at(trial, y, row * length + i);
        *mean += sum[i] / length;
    }
    for (int64_t i = 0; i < length; i++)
        square += (sum[i] - *mean) * (sum[i] - *mean) / length;
    *rstd = 1 / sqrtl(square + (long double)epsilon);
}

/* Two dims of rows, one or two of the factors. */
static unsigned draw_shape(int64_t *shape, unsigned *factor_dims, int64_t *rows, int64_t *length)
{
    *factor_dims = 1 + (unsigned)random_below(2);
    shape[0] = 1 + random_below(3);
    shape[1] = 1 + random_below(4);
    shape[2] = *factor_dims == 2 ? 1 + random_below(3) : 1 + random_below(LENGTH_MAX / 2);
    shape[3] = 1 + random_below(150);
    const unsigned rank = 2 + *factor_dims;
    *rows = shape[0] * shape[1];
    *length = shape[2] * (*factor_dims == 2 ? shape[3] : 1);
    return rank;
}

static void give_residual(struct trial *trial, const char *const *rows, aclDataType dtype, unsigned rank,
                          const int64_t *shape, unsigned factor_dims, const char *const *factors)
{
    for (; *rows != NULL; rows++)
        give(trial, *rows, dtype, rank, shape, 1);
    for (; *factors != NULL; factors++)
        give(trial, *factors, dtype, factor_dims, shape + 2, 1);
}

static void deep_norm_normalises(void)
{
    int64_t shape[4], rows, length;
    unsigned factor_dims;
    const unsigned rank = draw_shape(shape, &factor_dims, &rows, &length);
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnDeepNorm");
    give_residual(&trial, (const char *[]){"x", "gx", "yOut", NULL}, dtype, rank, shape, factor_dims,
                  (const char *[]){"beta", "gamma", NULL});
    give(&trial, "meanOut", ACL_FLOAT, rank, DIMS(shape[0], shape[1], 1, 1), 1);
    give(&trial, "rstdOut", ACL_FLOAT, rank, DIMS(shape[0], shape[1], 1, 1), 1);
    give_value(&trial, "alphaOptional", argument_of_fp64(alpha));
    give_value(&trial, "epsOptional", argument_of_fp64(epsilon));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t r = 0; r < rows; r++) {
        long double sum[LENGTH_MAX], mean, rstd;
        sum_of_row(&trial, "x", "gx", (long double)alpha, r, length, sum, &mean, &rstd);
        assert_near("meanOut", given(&trial, "meanOut"), r, mean, ACL_FLOAT, 1e-14L);
        assert_near("rstdOut", given(&trial, "rstdOut"), r, rstd, ACL_FLOAT, 1e-11L);
        for (int64_t i = 0; i < length; i++)
            assert_near("yOut", given(&trial, "yOut"), r * length + i,
                        (sum[i] - mean) * rstd * (long double)at(&trial, "gamma", i) +
                            (long double)at(&trial, "beta", i),
                        dtype, 1e-10L);
    }
    end_trial(&trial);
}

struct names {
    const char *api, *x, *y, *dx, *dy, *added;
};
static const struct names deep = {"aclnnDeepNormGrad", "x", "gx", "dxOut", "dgxOut", NULL},
                          plain_sum = {"aclnnAddLayerNormGrad", "x1", "x2", "dxOut", NULL, "dsumOptional"};

static void gradients_of(const struct names *names)
{
    int64_t shape[4], rows, length;
    unsigned factor_dims;
    const unsigned rank = draw_shape(shape, &factor_dims, &rows, &length);
    const aclDataType dtype = short_dtypes[random_below(3)];
    const long double factor = names == &deep ? (long double)alpha : 1;
    long double *of_gamma = calloc((size_t)length * 2, sizeof *of_gamma), *of_beta = of_gamma + length;
    struct trial trial = trial_of(names->api);
    give_residual(&trial, (const char *[]){"dy", names->x, names->y, names->dx, names->dy, NULL}, dtype, rank,
                  shape, factor_dims, (const char *[]){"gamma", NULL});
    give(&trial, "mean", ACL_FLOAT, rank, DIMS(shape[0], shape[1], 1, 1), 1);
    give(&trial, "rstd", ACL_FLOAT, rank, DIMS(shape[0], shape[1], 1, 1), 1);
    give(&trial, "dbetaOut", ACL_FLOAT, factor_dims, shape + 2, 1);
    give(&trial, "dgammaOut", ACL_FLOAT, factor_dims, shape + 2, 1);
    if (names->added != NULL && random_below(2) == 0)
        give(&trial, names->added, dtype, rank, shape, 1);
    if (names == &deep)
        give_value(&trial, "alphaOptional", argument_of_fp64(alpha));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t r = 0; r < rows; r++) {
        long double sum[LENGTH_MAX], mean, rstd, of_h = 0, of_hn = 0;
        sum_of_row(&trial, names->x, names->y, factor, r, length, sum, &mean, &rstd);
        mean = (long double)at(&trial, "mean", r);
        rstd = (long double)at(&trial, "rstd", r);
        for (int64_t i = 0; i < length; i++) {
            const long double dy = (long double)at(&trial, "dy", r * length + i),
                              h = dy * (long double)at(&trial, "gamma", i), n = (sum[i] - mean) * rstd;
            of_h += h / length;
            of_hn += h * n / length;
            of_gamma[i] += dy * n;
            of_beta[i] += dy;
        }
        for (int64_t i = 0; i < length; i++) {
            const int64_t k = r * length + i;
            const long double h = (long double)at(&trial, "dy", k) * (long double)at(&trial, "gamma", i),
                              n = (sum[i] - mean) * rstd;
            long double g = rstd * (h - of_h - n * of_hn);
            if (names->added != NULL && was_given(&trial, names->added))
                g += (long double)at(&trial, names->added, k);
            assert_near(names->dx, given(&trial, names->dx), k, factor * g, dtype, 1e-11L);
            if (names->dy != NULL)
                assert_near(names->dy, given(&trial, names->dy), k, g, dtype, 1e-11L);
        }
    }
    for (int64_t i = 0; i < length; i++) {
        assert_near("dgammaOut", given(&trial, "dgammaOut"), i, of_gamma[i], ACL_FLOAT, 1e-11L);
        assert_near("dbetaOut", given(&trial, "dbetaOut"), i, of_beta[i], ACL_FLOAT, 1e-12L);
    }
    free(of_gamma);
    end_trial(&trial);
}

static void deep_norm_has_gradients(void)
{
    gradients_of(&deep);
}

static void add_layer_norm_has_gradients(void)
{
    gradients_of(&plain_sum);
}

static void (*const rounds[])(void) = {deep_norm_normalises, deep_norm_has_gradients,
                                       add_layer_norm_has_gradients};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(60));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 8);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnDeepNorm");
    refuse_tensor(&trial, "x", ACL_INT32, 2, DIMS(2, 4), "x has dtype INT32");
    refuse_tensor(&trial, "gx", ACL_FLOAT16, 2, DIMS(2, 4), "gx has dtype FLOAT16");
    refuse_tensor(&trial, "gx", ACL_FLOAT, 2, DIMS(1, 4), "gx has shape [1, 4]; [2, 4] is expected");
    refuse_tensor(&trial, "gamma", ACL_FLOAT, 1, DIMS(3), "gamma has shape [3]; [4] is expected");
    refuse_tensor(&trial, "gamma", ACL_FLOAT, 3, DIMS(1, 2, 4),
                  "gamma has shape [1, 2, 4]; last dims of [2, 4]");
    refuse_tensor(&trial, "beta", ACL_FLOAT, 2, DIMS(1, 4), "beta has shape [1, 4]; [4] is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnAddLayerNormGrad");
    refuse_tensor(&trial, "mean", ACL_FLOAT, 1, DIMS(2), "mean has shape [2]; [2, 1] is expected");
    refuse_tensor(&trial, "dy", ACL_BF16, 2, DIMS(2, 4), "dy has dtype BFLOAT16");
    refuse_tensor(&trial, "dsumOptional", ACL_FLOAT, 2, DIMS(2, 3), "dsumOptional has shape [2, 3]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
