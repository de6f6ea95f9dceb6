/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GroupNormSwishGrad and GemmaRmsNorm against their formulas in long double, in any layout and dtype, and the
 * calls that are refused.
 */
#include "ops/check.h"

#include <math.h>
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
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    layout_fill(&layout, 2, false);
    return layout;
}

static long double at(const struct layout *layout, int64_t i)
{
    return (long double)element_of(layout, i);
}

/* A call: images, channels in groups, elements of each; and sums of it. */
struct problem {
    int64_t images, channels, groups, area;
    double swish;
    struct layout dy, mean, rstd, x, gamma, beta, dx, dgamma, dbeta;
    long double of_gamma[64], of_beta[64];
};

/* n of an element, and the gradient at it before normalisation. */
static long double gradient_at(const struct problem *problem, int64_t i, long double *normal)
{
    const int64_t channel = i / problem->area % problem->channels;
    const int64_t group = i / problem->area / (problem->channels / problem->groups);
    *normal = (at(&problem->x, i) - at(&problem->mean, group)) * at(&problem->rstd, group);
    const long double z = *normal * at(&problem->gamma, channel) + at(&problem->beta, channel),
                      s = (long double)problem->swish, sigmoid = 1 / (1 + expl(-s * z));
    return at(&problem->dy, i) * (sigmoid + s * z * sigmoid * (1 - sigmoid));
}

static void check_gradients(struct problem *problem)
{
    const int64_t count = problem->channels / problem->groups * problem->area;
    memset(problem->of_gamma, 0, sizeof problem->of_gamma);
    memset(problem->of_beta, 0, sizeof problem->of_beta);
    for (int64_t first = 0; first < problem->x.count; first += count) {
        long double sum = 0, product = 0, normal;
        for (int64_t i = first; i < first + count; i++) {
            const int64_t channel = i / problem->area % problem->channels;
            const long double gradient = gradient_at(problem, i, &normal);
            sum += gradient * at(&problem->gamma, channel) / (long double)count;
            product += gradient * at(&problem->gamma, channel) * normal / (long double)count;
            problem->of_gamma[channel] += gradient * normal;
            problem->of_beta[channel] += gradient;
        }
        for (int64_t i = first; i < first + count; i++) {
            const long double gradient = gradient_at(problem, i, &normal),
                              h = gradient * at(&problem->gamma, i / problem->area % problem->channels);
            assert_near("dx", &problem->dx, i,
                        (h - sum - normal * product) * at(&problem->rstd, first / count), problem->dx.dtype,
                        1e-10L);
        }
    }
}

static void gradients_are_those_of_the_formula(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const aclDataType dtype = short_dtypes[round % 3], factor = random_below(2) == 0 ? ACL_FLOAT : dtype;
        struct problem problem = {.images = 1 + random_below(3),
                                  .groups = 1 + random_below(3),
                                  .area = 1 + random_below(round % 5 == 0 ? 200 : 9),
                                  .swish = random_below(2) == 0 ? 1 : 1.5};
        problem.channels = problem.groups * (1 + random_below(4));
        const int64_t shape[] = {problem.images, problem.channels, problem.area};
        const int64_t groups[] = {problem.images, problem.groups};
        const bool wants_gamma = random_below(3) > 0, wants_beta = random_below(3) > 0;
        problem.dy = draw(dtype, 3, shape, true), problem.x = draw(dtype, 3, shape, true);
        problem.mean = draw(factor, 2, groups, true), problem.rstd = draw(factor, 2, groups, true);
        problem.gamma = draw(factor, 1, shape + 1, true), problem.beta = draw(factor, 1, shape + 1, true);
        problem.dx = draw(dtype, 3, shape, false);
        problem.dgamma = draw(factor, 1, shape + 1, false), problem.dbeta = draw(factor, 1, shape + 1, false);
        const union argument argument[] = {{.tensor = problem.dy.tensor},
                                           {.tensor = problem.mean.tensor},
                                           {.tensor = problem.rstd.tensor},
                                           {.tensor = problem.x.tensor},
                                           {.tensor = problem.gamma.tensor},
                                           {.tensor = problem.beta.tensor},
                                           {.int64 = problem.groups},
                                           argument_of_pointer(random_below(2) == 0 ? NULL : "NCHW"),
                                           {.fp64 = problem.swish},
                                           argument_of_bool(wants_gamma),
                                           argument_of_bool(wants_beta),
                                           {.tensor = problem.dx.tensor},
                                           {.tensor = wants_gamma ? problem.dgamma.tensor : NULL},
                                           {.tensor = wants_beta ? problem.dbeta.tensor : NULL}};
        assert_int_equal(call_function(find("aclnnGroupNormSwishGrad"), argument), 0);
        check_gradients(&problem);
        for (int64_t i = 0; i < problem.channels; i++) {
            if (wants_gamma)
                assert_near("dgamma", &problem.dgamma, i, problem.of_gamma[i], factor, 1e-10L);
            if (wants_beta)
                assert_near("dbeta", &problem.dbeta, i, problem.of_beta[i], factor, 1e-10L);
        }
        struct layout *const all[] = {&problem.dy, &problem.mean,   &problem.rstd,
                                      &problem.x,  &problem.gamma,  &problem.beta,
                                      &problem.dx, &problem.dgamma, &problem.dbeta};
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
            layout_destroy(all[i]);
    }
}

static void rows_are_normalised_by_gamma_and_1(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const aclDataType dtype = short_dtypes[round % 3], factor = random_below(2) == 0 ? ACL_FLOAT : dtype;
        const int64_t rows = 1 + random_below(9), width = 1 + random_below(90);
        struct layout x = draw(dtype, 2, DIMS(rows, width), true), gamma = draw(factor, 1, DIMS(width), true),
                      y = draw(dtype, 2, DIMS(rows, width), false),
                      rstd = draw(ACL_FLOAT, 2, DIMS(rows, 1), false);
        const union argument argument[] = {{.tensor = x.tensor},
                                           {.tensor = gamma.tensor},
                                           {.fp64 = 1e-3},
                                           {.tensor = y.tensor},
                                           {.tensor = rstd.tensor}};
        assert_int_equal(call_function(find("aclnnGemmaRmsNorm"), argument), 0);
        for (int64_t row = 0; row < rows; row++) {
            long double squares = 0;
            for (int64_t i = row * width; i < (row + 1) * width; i++)
                squares += at(&x, i) * at(&x, i) / (long double)width;
            const long double factor_of_row = 1 / sqrtl(squares + 1e-3L);
            assert_near("rstd", &rstd, row, factor_of_row, ACL_FLOAT, 1e-10L);
            for (int64_t i = row * width; i < (row + 1) * width; i++)
                assert_near("y", &y, i, at(&x, i) * factor_of_row * (1 + at(&gamma, i % width)), dtype,
                            1e-10L);
        }
        layout_destroy(&x), layout_destroy(&gamma), layout_destroy(&y), layout_destroy(&rstd);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnGroupNormSwishGrad"));
    assert_accepted(&attempt);
    attempt.argument[6].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "group is 3; a divisor of C, 4, is expected");
    attempt.argument[6].int64 = 2;
    replace(&attempt, 4, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gamma has 3 elements");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mean has 3 elements");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 4, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dy has shape [2, 4, 4]");
    replace_dtype(&attempt, 0, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x has dtype FLOAT");
    release(&attempt);
    attempt = accepted(find("aclnnGemmaRmsNorm"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the shape of gamma is not that of the last dims of x");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_the_formula),
        cmocka_unit_test(rows_are_normalised_by_gamma_and_1),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
