/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Hyper-connections, against loops in long double: results by their formulas, gradients by how a weighted sum of the
 * results changes with each number; what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { N_MAX = 4, D_MAX = 40, T_MAX = 5, ALL_MAX = N_MAX * D_MAX, MIXES = N_MAX * (N_MAX + 2) };

struct sizes {
    int64_t tokens, n, width, mixes;
    bool has_gamma, has_res;
};

/* Everything that MhcPre reads, and what it makes of a token. */
struct model {
    struct sizes of;
    long double x[T_MAX * ALL_MAX], phi[MIXES * ALL_MAX], alpha[3], bias[MIXES], gamma[ALL_MAX];
};
struct joined {
    long double in[D_MAX], mix[MIXES], inverse, part[MIXES]; /* hPre, hPost and hRes */
};
static struct model model;
static const long double norm_epsilon = 1e-3L, epsilon = 1e-2L;

static long double logistic_of(long double x)
{
    return 1 / (1 + expl(-x));
}

static struct joined join(int64_t token)
{
    const struct sizes *of = &model.of;
    const int64_t all = of->n * of->width;
    const long double *x = model.x + token * all;
    struct joined joined = {.inverse = 0};
    for (int64_t i = 0; i < all; i++)
        joined.inverse += x[i] * x[i] / all;
    joined.inverse = 1 / sqrtl(joined.inverse + norm_epsilon);
    for (int64_t r = 0; r < of->mixes; r++) {
        for (int64_t i = 0; i < all; i++)
            joined.mix[r] += model.phi[r * all + i] * x[i] * (of->has_gamma ? model.gamma[i] : 1);
        const long double h = model.alpha[r < of->n       ? 0
                                          : r < 2 * of->n ? 1
                                                          : 2] *
                                  joined.mix[r] * joined.inverse +
                              model.bias[r];
        joined.part[r] = r < of->n ? logistic_of(h) + epsilon : r < 2 * of->n ? 2 * logistic_of(h) : h;
    }
    for (int64_t i = 0; i < all; i++)
        joined.in[i % of->width] += joined.part[i / of->width] * x[i];
    return joined;
}

static void copy_numbers(const struct trial *trial, const char *name, long double *to)
{
    for (int64_t i = 0; i < given(trial, name)->count; i++)
        to[i] = (long double)at(trial, name, i);
}

static void give_model(struct trial *trial, aclDataType dtype)
{
    struct sizes *of = &model.of;
    *of = (struct sizes){.tokens = 1 + random_below(T_MAX),
                         .n = 1 + random_below(N_MAX),
                         .width = 1 + random_below(D_MAX),
                         .has_gamma = random_below(2) == 0,
                         .has_res = random_below(3) > 0};
    of->mixes = of->has_res ? of->n * (of->n + 2) : 2 * of->n;
    give(trial, "x", dtype, 3, DIMS(of->tokens, of->n, of->width), 1);
    give(trial, "phi", ACL_FLOAT, 2, DIMS(of->mixes, of->n * of->width), 0.3);
    give(trial, "alpha", ACL_FLOAT, 1, DIMS(of->has_res ? 3 : 2), 1);
    copy_numbers(trial, "x", model.x);
    copy_numbers(trial, "phi", model.phi);
    copy_numbers(trial, "alpha", model.alpha);
    if (of->has_gamma) {
        give(trial, "gammaOptional", ACL_FLOAT, 2, DIMS(of->n, of->width), 1);
        copy_numbers(trial, "gammaOptional", model.gamma);
    }
}

static void streams_are_joined(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of(random_below(2) == 0 ? "aclnnMhcPre" : "aclnnMhcPreV2");
    const struct sizes *of = &model.of;
    const bool is_whole = random_below(2) == 0;
    give_model(&trial, dtype);
    give(&trial, "bias", ACL_FLOAT, 1, DIMS(of->mixes), 1);
    copy_numbers(&trial, "bias", model.bias);
    give(&trial, "hIn", dtype, 2, DIMS(of->tokens, of->width), 1);
    give(&trial, "hPost", ACL_FLOAT, 2, DIMS(of->tokens, of->n), 1);
    if (of->has_res)
        give(&trial, "hRes", ACL_FLOAT, 3, DIMS(of->tokens, of->n, of->n), 1);
    else
        give(&trial, "hRes", ACL_FLOAT, 1, DIMS(1), 1);
    if (is_whole) {
        give(&trial, "invRmsOptional", ACL_FLOAT, 1, DIMS(of->tokens), 1);
        give(&trial, "hMixOptional", ACL_FLOAT, 2, DIMS(of->tokens, of->mixes), 1);
        give(&trial, "hPreOptional", ACL_FLOAT, 2, DIMS(of->tokens, of->n), 1);
    }
    give_value(&trial, "normEps", argument_of_fp64((double)norm_epsilon));
    give_value(&trial, "hcEps", argument_of_fp64((double)epsilon));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t t = 0; t < of->tokens; t++) {
        const struct joined wanted = join(t);
        for (int64_t d = 0; d < of->width; d++)
            assert_near("hIn", given(&trial, "hIn"), t * of->width + d, wanted.in[d], dtype, 1e-10L);
        for (int64_t r = 0; r < of->n; r++)
            assert_near("hPost", given(&trial, "hPost"), t * of->n + r, wanted.part[of->n + r], ACL_FLOAT,
                        1e-10L);
        for (int64_t r = 0; of->has_res && r < of->n * of->n; r++)
            assert_near("hRes", given(&trial, "hRes"), t * of->n * of->n + r, wanted.part[2 * of->n + r],
                        ACL_FLOAT, 1e-10L);
        if (!is_whole)
            continue;
        assert_near("invRms", given(&trial, "invRmsOptional"), t, wanted.inverse, ACL_FLOAT, 1e-10L);
        for (int64_t r = 0; r < of->mixes; r++)
            assert_near("hMix", given(&trial, "hMixOptional"), t * of->mixes + r, wanted.mix[r], ACL_FLOAT,
                        1e-10L);
        for (int64_t r = 0; r < of->n; r++)
            assert_near("hPre", given(&trial, "hPreOptional"), t * of->n + r, wanted.part[r], ACL_FLOAT,
                        1e-10L);
    }
    end_trial(&trial);
}

/* The sum of the results weighted by their gradients. */
static long double weighted(const struct trial *trial, int64_t only)
{
    const struct sizes *of = &model.of;
    long double sum = 0;
    for (int64_t t = only < 0 ? 0 : only; t < (only < 0 ? of->tokens : only + 1); t++) {
        const struct joined made = join(t);
        for (int64_t d = 0; d < of->width; d++)
            sum += made.in[d] * (long double)at(trial, "gradHIn", t * of->width + d);
        for (int64_t r = 0; r < of->n; r++)
            sum += made.part[of->n + r] * (long double)at(trial, "gradHPost", t * of->n + r);
        for (int64_t r = 0; of->has_res && r < of->n * of->n; r++)
            sum += made.part[2 * of->n + r] * (long double)at(trial, "gradHRes", t * of->n * of->n + r);
    }
    return sum;
}

/* How that changes with numbers. What was rounded to FLOAT before stands in for what it is made of. */
static void expect_changes(const struct trial *trial, const char *name, long double *number,
                           const char *added)
{
    const long double step = 1e-5L, slack = 3e-5L;
    const struct layout *layout = given(trial, name);
    const int64_t all = model.of.n * model.of.width;
    for (int64_t i = 0; i < layout->count; i++) {
        const long double kept = number[i];
        const int64_t only = number == model.x ? i / all : -1;
        number[i] = kept + step;
        long double change = weighted(trial, only);
        number[i] = kept - step;
        change = (change - weighted(trial, only)) / (2 * step);
        number[i] = kept;
        if (added != NULL && was_given(trial, added))
            change += (long double)at(trial, added, i);
        assert_near(name, layout, i, change, layout->dtype, slack * (1 + fabsl(change)));
    }
}

static void gradients_are_how_sums_change(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of(random_below(2) == 0 ? "aclnnMhcPreBackward" : "aclnnMhcPreBackwardV2");
    const struct sizes *of = &model.of;
    give_model(&trial, dtype);
    for (int64_t r = 0; r < of->mixes; r++)
        model.bias[r] = (long double)random_below(100) / 50 - 1;
    give(&trial, "gradHIn", dtype, 2, DIMS(of->tokens, of->width), 1);
    give(&trial, "gradHPost", ACL_FLOAT, 2, DIMS(of->tokens, of->n), 1);
    give(&trial, "gradHRes", ACL_FLOAT, 3, DIMS(of->has_res ? of->tokens : 1, of->n, of->n), 1);
    trial.is_example = true; /* elements of what follows are set */
    give(&trial, "invRms", ACL_FLOAT, 1, DIMS(of->tokens), 1);
    give(&trial, "hMix", ACL_FLOAT, 2, DIMS(of->tokens, of->mixes), 1);
    give(&trial, "hPre", ACL_FLOAT, 2, DIMS(of->tokens, of->n), 1);
    give(&trial, "hPost", ACL_FLOAT, 2, DIMS(of->tokens, of->n), 1);
    if (random_below(2) == 0)
        give(&trial, "gradXPostOptional", dtype, 3, DIMS(of->tokens, of->n, of->width), 1);
    give(&trial, "gradX", dtype, 3, DIMS(of->tokens, of->n, of->width), 1);
    give(&trial, "gradPhi", ACL_FLOAT, 2, DIMS(of->mixes, of->n * of->width), 1);
    give(&trial, "gradAlpha", ACL_FLOAT, 1, DIMS(of->has_res ? 3 : 2), 1);
    give(&trial, "gradBias", ACL_FLOAT, 1, DIMS(of->mixes), 1);
    give(&trial, "gradGamma", ACL_FLOAT, 2, DIMS(of->n, of->width), 1);
    give_value(&trial, "hcEps", argument_of_fp32((float)epsilon));
    for (int64_t t = 0; t < of->tokens; t++) {
        const struct joined made = join(t);
        set_element(given(&trial, "invRms"), t, (double)made.inverse);
        for (int64_t r = 0; r < of->mixes; r++)
            set_element(given(&trial, "hMix"), t * of->mixes + r, (double)made.mix[r]);
        for (int64_t r = 0; r < of->n; r++) {
            set_element(given(&trial, "hPre"), t * of->n + r, (double)made.part[r]);
            set_element(given(&trial, "hPost"), t * of->n + r, (double)made.part[of->n + r]);
        }
    }
    assert_int_equal(run_trial(&trial), 0);
    expect_changes(&trial, "gradX", model.x, "gradXPostOptional");
    expect_changes(&trial, "gradPhi", model.phi, NULL);
    expect_changes(&trial, "gradAlpha", model.alpha, NULL);
    expect_changes(&trial, "gradBias", model.bias, NULL);
    if (of->has_gamma)
        expect_changes(&trial, "gradGamma", model.gamma, NULL);
    for (int64_t i = 0; !of->has_gamma && i < of->n * of->width; i++)
        assert_true(at(&trial, "gradGamma", i) == 0);
    end_trial(&trial);
}

static long double mixing(const struct trial *trial, int64_t token, int64_t j, int64_t i, int64_t n)
{
    return was_given(trial, "hResOptional") ? (long double)at(trial, "hResOptional", (token * n + j) * n + i)
                                            : (long double)(i == j);
}

static void give_parts(struct trial *trial, aclDataType dtype, int64_t tokens, int64_t n, int64_t width)
{
    give(trial, "x", dtype, 4, DIMS(tokens, 1, n, width), 1);
    give(trial, "hOut", dtype, 3, DIMS(tokens, 1, width), 1);
    give(trial, "hPost", ACL_FLOAT, 3, DIMS(tokens, 1, n), 1);
    if (random_below(3) > 0)
        give(trial, "hResOptional", ACL_FLOAT, 4, DIMS(tokens, 1, n, n), 1);
}

static void results_are_parted(void)
{
    const int64_t tokens = 1 + random_below(6), n = 1 + random_below(6), width = 1 + random_below(50);
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnMhcPost");
    give_parts(&trial, dtype, tokens, n, width);
    give(&trial, "out", dtype, 4, DIMS(tokens, 1, n, width), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t k = 0; k < tokens * n * width; k++) {
        const int64_t d = k % width, i = k / width % n, t = k / width / n;
        long double sum =
            (long double)at(&trial, "hPost", t * n + i) * (long double)at(&trial, "hOut", t * width + d);
        for (int64_t j = 0; j < n; j++)
            sum += mixing(&trial, t, j, i, n) * (long double)at(&trial, "x", (t * n + j) * width + d);
        assert_near("out", given(&trial, "out"), k, sum, dtype, 1e-12L);
    }
    end_trial(&trial);
}

static void gradients_are_parted(void)
{
    const int64_t tokens = 1 + random_below(6), n = 1 + random_below(6), width = 1 + random_below(50);
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnMhcPostBackward");
    give_parts(&trial, dtype, tokens, n, width);
    give(&trial, "gradOutput", dtype, 4, DIMS(tokens, 1, n, width), 1);
    give(&trial, "gradX", dtype, 4, DIMS(tokens, 1, n, width), 1);
    if (was_given(&trial, "hResOptional"))
        give(&trial, "gradHres", ACL_FLOAT, 4, DIMS(tokens, 1, n, n), 1);
    else
        give(&trial, "gradHres", ACL_FLOAT, 1, DIMS(1), 1);
    give(&trial, "gradHout", dtype, 3, DIMS(tokens, 1, width), 1);
    give(&trial, "gradHpost", ACL_FLOAT, 3, DIMS(tokens, 1, n), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t t = 0; t < tokens; t++)
        for (int64_t j = 0; j < n; j++) {
            long double post = 0;
            for (int64_t d = 0; d < width; d++) {
                long double x = 0, layer = 0;
                post += (long double)at(&trial, "gradOutput", (t * n + j) * width + d) *
                        (long double)at(&trial, "hOut", t * width + d);
                for (int64_t i = 0; i < n; i++) {
                    const long double g = (long double)at(&trial, "gradOutput", (t * n + i) * width + d);
                    x += mixing(&trial, t, j, i, n) * g;
                    layer += (long double)at(&trial, "hPost", t * n + i) * g;
                }
                assert_near("gradX", given(&trial, "gradX"), (t * n + j) * width + d, x, dtype, 1e-12L);
                assert_near("gradHout", given(&trial, "gradHout"), t * width + d, layer, dtype, 1e-12L);
            }
            assert_near("gradHpost", given(&trial, "gradHpost"), t * n + j, post, ACL_FLOAT, 1e-12L);
            for (int64_t i = 0; was_given(&trial, "hResOptional") && i < n; i++) {
                long double sum = 0;
                for (int64_t d = 0; d < width; d++)
                    sum += (long double)at(&trial, "gradOutput", (t * n + i) * width + d) *
                           (long double)at(&trial, "x", (t * n + j) * width + d);
                assert_near("gradHres", given(&trial, "gradHres"), (t * n + j) * n + i, sum, ACL_FLOAT,
                            1e-12L);
            }
        }
    end_trial(&trial);
}

/* A matrix after all steps. */
static void balance(const long double *x, int64_t n, int64_t iterations, long double eps, long double *c)
{
    for (int64_t i = 0; i < n; i++) {
        long double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += c[i * n + j] = expl(x[i * n + j]);
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = c[i * n + j] / sum + eps;
    }
    for (int64_t step = 1; step < 2 * iterations; step++)
        for (int64_t i = 0; i < n; i++) {
            long double sum = eps;
            for (int64_t j = 0; j < n; j++)
                sum += c[step % 2 == 1 ? j * n + i : i * n + j];
            for (int64_t j = 0; j < n; j++)
                c[step % 2 == 1 ? j * n + i : i * n + j] /= sum;
        }
}

static void matrices_are_balanced(void)
{
    const int64_t tokens = 1 + random_below(4), n = 1 + random_below(8), iterations = 1 + random_below(6);
    const float eps = 0.0625F;
    struct trial trial = trial_of("aclnnMhcSinkhorn"), back = trial_of("aclnnMhcSinkhornBackward");
    const int64_t sums = 2 * iterations * tokens * 8;
    long double x[64], c[64], changed[64];
    give(&trial, "x", ACL_FLOAT, 3, DIMS(tokens, n, n), 1);
    give(&trial, "out", ACL_FLOAT, 3, DIMS(tokens, n, n), 1);
    give(&trial, "normOutOptional", ACL_FLOAT, 1, DIMS(sums * n), 1);
    give(&trial, "sumOutOptional", ACL_FLOAT, 1, DIMS(sums), 1);
    give_value(&trial, "eps", argument_of_fp32(eps));
    give_value(&trial, "numIters", argument_of_integer(iterations));
    assert_int_equal(run_trial(&trial), 0);
    give(&back, "gradOutput", ACL_FLOAT, 3, DIMS(tokens, n, n), 1);
    give(&back, "gradInput", ACL_FLOAT, 3, DIMS(tokens, n, n), 1);
    give_value(&back, "normOut", argument_of_pointer(given(&trial, "normOutOptional")->tensor));
    give_value(&back, "sumOut", argument_of_pointer(given(&trial, "sumOutOptional")->tensor));
    assert_int_equal(run_trial(&back), 0);
    for (int64_t t = 0; t < tokens; t++) {
        for (int64_t k = 0; k < n * n; k++)
            x[k] = (long double)at(&trial, "x", t * n * n + k);
        balance(x, n, iterations, (long double)eps, c);
        for (int64_t k = 0; k < n * n; k++) {
            const long double kept = x[k], step = 1e-5L;
            long double change = 0;
            assert_near("out", given(&trial, "out"), t * n * n + k, c[k], ACL_FLOAT, 1e-11L);
            for (int sign = 1; sign >= -1; sign -= 2) {
                x[k] = kept + sign * step;
                balance(x, n, iterations, (long double)eps, changed);
                for (int64_t i = 0; i < n * n; i++)
                    change +=
                        sign * changed[i] * (long double)at(&back, "gradOutput", t * n * n + i) / (2 * step);
            }
            x[k] = kept;
            assert_near("gradInput", given(&back, "gradInput"), t * n * n + k, change, ACL_FLOAT, 2e-5L);
        }
    }
    end_trial(&trial);
    end_trial(&back);
}

static void (*const rounds[])(void) = {streams_are_joined, gradients_are_how_sums_change, results_are_parted,
                                       gradients_are_parted, matrices_are_balanced};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(20));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 3);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnMhcPre");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(2, 4), "x has shape [2, 4]; 3 or 4 dims");
    refuse_tensor(&trial, "x", ACL_FLOAT, 3, DIMS(1, 17, 4), "x has shape [1, 17, 4]; 1 to 16 streams");
    refuse_tensor(&trial, "phi", ACL_FLOAT, 2, DIMS(7, 8), "phi has shape [7, 8]; [8, 8] is expected");
    refuse_tensor(&trial, "alpha", ACL_FLOAT, 1, DIMS(4), "alpha has 4 elements; 3, or 2 without hRes");
    refuse_tensor(&trial, "bias", ACL_FLOAT, 1, DIMS(7), "bias has shape [7]; [8] is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMhcPreBackward");
    refuse_tensor(&trial, "hMix", ACL_FLOAT, 2, DIMS(3, 7),
                  "hMix has shape [3, 7]; 8 elements for each of 3 tokens");
    refuse_tensor(&trial, "gradHIn", ACL_FLOAT16, 2, DIMS(3, 4), "gradHIn has dtype FLOAT16");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMhcPost");
    refuse_tensor(&trial, "hPost", ACL_FLOAT, 2, DIMS(3, 3), "hPost has shape [3, 3]; [3, 2] is expected");
    refuse_tensor(&trial, "hOut", ACL_FLOAT, 2, DIMS(3, 5), "hOut has shape [3, 5]; [3, 4] is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMhcSinkhorn");
    refuse_tensor(&trial, "x", ACL_FLOAT, 3, DIMS(3, 2, 3), "x has shape [3, 2, 3]; 3 or 4 dims");
    refuse_tensor(&trial, "x", ACL_FLOAT, 3, DIMS(3, 9, 9), "matrices of 1 to 8 rows are expected");
    refuse_trial(&trial, "numIters", argument_of_integer(0), "numIters is 0; 1 or more are expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMhcSinkhornBackward");
    refuse_tensor(&trial, "sumOut", ACL_FLOAT, 1, DIMS(40),
                  "sumOut has 40 elements; a multiple of 48 is expected");
    refuse_tensor(&trial, "normOut", ACL_FLOAT, 1, DIMS(40),
                  "normOut has 40 elements; 288, as sumOut has it");
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
