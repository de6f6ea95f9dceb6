/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * CrossEntropyLoss and CrossEntropyLossGrad against their formulas in long double, in any layout and dtype,
 * with weights, smoothing and rows that do not count; a class that is none, and calls that are refused.
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

enum { NONE, MEAN, SUM };
static const char *const reductions[] = {"none", "mean", "sum"};

struct problem {
    int64_t rows, classes, ignored;
    int reduction;
    double smoothing;
    bool has_weight;
    struct layout x, target, weight, loss, log_prob, grad, out;
};

static long double weight_of(const struct problem *problem, int64_t class)
{
    return problem->has_weight ? at(&problem->weight, class) : 1;
}

static int64_t class_of(const struct problem *problem, int64_t row)
{
    int64_t wide = 0;
    int32_t narrow;
    memcpy(&wide, layout_element(&problem->target, row), problem->target.bytes);
    memcpy(&narrow, &wide, sizeof narrow);
    return problem->target.bytes == 4 ? narrow : wide;
}

/* The logarithm of the sum of a row's powers of e, from its greatest number on: exactly x for one class. */
static long double log_of_powers(const struct problem *problem, int64_t row)
{
    const int64_t first = row * problem->classes;
    long double greatest = at(&problem->x, first), powers = 0;
    for (int64_t c = 1; c < problem->classes; c++)
        greatest = fmaxl(greatest, at(&problem->x, first + c));
    for (int64_t c = 0; c < problem->classes; c++)
        powers += expl(at(&problem->x, first + c) - greatest);
    return greatest + logl(powers);
}

static void check_losses(const struct problem *problem)
{
    const long double e = (long double)problem->smoothing, classes = (long double)problem->classes;
    long double sum = 0, weights = 0, size = 0;
    for (int64_t row = 0; row < problem->rows; row++) {
        const int64_t class = class_of(problem, row), first = row * problem->classes;
        const long double powers = log_of_powers(problem, row);
        long double smooth = 0;
        for (int64_t c = 0; c < problem->classes; c++) {
            const long double logarithm = at(&problem->x, first + c) - powers;
            assert_near("logProb", &problem->log_prob, first + c, logarithm, problem->x.dtype, 1e-12L);
            smooth -= weight_of(problem, c) * logarithm;
        }
        long double loss = 0;
        if (class != problem->ignored) {
            loss = -(1 - e) * weight_of(problem, class) * (at(&problem->x, first + class) - powers) +
                   e / classes * smooth;
            weights += weight_of(problem, class);
        }
        sum += loss, size += fabsl(loss);
        if (problem->reduction == NONE)
            assert_near("the loss", &problem->loss, row, loss, problem->x.dtype, 1e-11L);
    }
    if (problem->reduction != NONE)
        assert_near("the loss", &problem->loss, 0, problem->reduction == MEAN ? sum / weights : sum,
                    problem->x.dtype,
                    problem->reduction == MEAN ? 1e-11L * size / fabsl(weights) : 1e-11L * size);
}

static void check_gradients(const struct problem *problem)
{
    const long double e = (long double)problem->smoothing, classes = (long double)problem->classes;
    long double divisor = 0, all = 0;
    for (int64_t row = 0; row < problem->rows; row++)
        divisor +=
            class_of(problem, row) != problem->ignored ? weight_of(problem, class_of(problem, row)) : 0;
    for (int64_t c = 0; c < problem->classes; c++)
        all += weight_of(problem, c);
    for (int64_t i = 0; i < problem->out.count; i++) {
        const int64_t row = i / problem->classes, c = i % problem->classes, class = class_of(problem, row);
        const long double k = at(&problem->grad, problem->reduction == NONE ? row : 0) /
                              (problem->reduction == MEAN ? divisor : 1);
        const long double p = expl(at(&problem->log_prob, i));
        const long double wanted = class == problem->ignored
                                       ? 0
                                       : k * (1 - e) * weight_of(problem, class) * (p - (c == class)) +
                                             k * e / classes * (p * all - weight_of(problem, c));
        assert_near("the gradient", &problem->out, i, wanted, problem->out.dtype,
                    1e-12L * fabsl(k) * (4 + fabsl(all)));
    }
}

static void losses_and_gradients_are_those_of_the_formula(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const aclDataType dtype = short_dtypes[round % 3];
        struct problem problem = {.rows = 1 + random_below(20),
                                  .classes = 1 + random_below(70),
                                  .reduction = (int)random_below(3),
                                  .smoothing = random_below(2) == 0   ? 0
                                               : random_below(4) == 0 ? 1
                                                                      : 0.125,
                                  .has_weight = random_below(2) == 0};
        const bool is_each = problem.reduction == NONE;
        problem.ignored = random_below(2) == 0 ? -100 : random_below(problem.classes);
        problem.x = draw(dtype, 2, DIMS(problem.rows, problem.classes), true);
        problem.target = draw(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, 1, DIMS(problem.rows), false);
        problem.weight = draw(random_below(2) == 0 ? ACL_FLOAT : dtype, 1, DIMS(problem.classes), true);
        problem.loss = draw(dtype, 1, DIMS(is_each ? problem.rows : 1), false);
        problem.log_prob = draw(dtype, 2, DIMS(problem.rows, problem.classes), false);
        problem.grad = draw(dtype, is_each ? 1 : 0, DIMS(problem.rows), true);
        problem.out = draw(dtype, 2, DIMS(problem.rows, problem.classes), false);
        for (int64_t i = 0; i < problem.classes; i++) /* sums of them do not cancel */
            set_element(&problem.weight, i, 0.5 + fabs(element_of(&problem.weight, i)));
        for (int64_t i = 0; i < problem.rows; i++) {
            const int64_t class = random_below(6) == 0 ? problem.ignored : random_below(problem.classes);
            memcpy(layout_element(&problem.target, i), &class, problem.target.bytes);
        }
        const void *weight = problem.has_weight ? problem.weight.tensor : NULL,
                   *text = problem.reduction == MEAN && random_below(2) == 0 ? NULL
                                                                             : reductions[problem.reduction];
        const union argument forward[] = {{.tensor = problem.x.tensor},
                                          {.tensor = problem.target.tensor},
                                          argument_of_pointer(weight),
                                          argument_of_pointer(text),
                                          {.int64 = problem.ignored},
                                          {.fp64 = problem.smoothing},
                                          {.fp64 = 0},
                                          argument_of_bool(false),
                                          {.tensor = problem.loss.tensor},
                                          {.tensor = problem.log_prob.tensor},
                                          {.tensor = problem.grad.tensor},
                                          {.tensor = problem.grad.tensor}};
        assert_int_equal(call_function(find("aclnnCrossEntropyLoss"), forward), 0);
        check_losses(&problem);
        const union argument back[] = {{.tensor = problem.grad.tensor},   {.tensor = problem.log_prob.tensor},
                                       {.tensor = problem.target.tensor}, argument_of_pointer(weight),
                                       argument_of_pointer(NULL),         argument_of_pointer(NULL),
                                       argument_of_pointer(text),         {.int64 = problem.ignored},
                                       {.fp64 = problem.smoothing},       {.fp64 = 0},
                                       {.tensor = problem.out.tensor}};
        assert_int_equal(call_function(find("aclnnCrossEntropyLossGrad"), back), 0);
        check_gradients(&problem);
        struct layout *const all[] = {&problem.x,        &problem.target, &problem.weight, &problem.loss,
                                      &problem.log_prob, &problem.grad,   &problem.out};
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
            layout_destroy(all[i]);
    }
}

/* The logarithms and all gradients take the place of x. */
static int call_in_place(const struct layout *x, const struct layout *target, const char *reduction,
                         const struct layout *loss)
{
    const union argument argument[] = {{.tensor = x->tensor},
                                       {.tensor = target->tensor},
                                       argument_of_pointer(NULL),
                                       argument_of_pointer(reduction),
                                       {.int64 = -100},
                                       {.fp64 = 0},
                                       {.fp64 = 0},
                                       argument_of_bool(false),
                                       {.tensor = loss->tensor},
                                       {.tensor = x->tensor},
                                       {.tensor = x->tensor},
                                       {.tensor = x->tensor}};
    return call_function(find("aclnnCrossEntropyLoss"), argument);
}

/* The logarithms take the place of what they are made of; before a class that is none nothing is written. */
static void in_place_and_not_at_all(void **state)
{
    (void)state;
    struct layout x = layout_create(ACL_FLOAT, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  target = layout_create(ACL_INT64, 1, DIMS(2), LAYOUT_CONTIGUOUS),
                  loss = layout_create(ACL_FLOAT, 1, DIMS(1), LAYOUT_CONTIGUOUS);
    memset(x.memory, 0, 16);
    memcpy(target.memory, ((const int64_t[]){1, 2}), 16);
    assert_int_equal(call_in_place(&x, &target, "sum", &loss), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("target holds 2 at [1]; 0 to 1 or ignoreIndex, -100, is expected");
    assert_true(element_of(&x, 0) == 0);
    memset(target.memory, 0, 16);
    assert_int_equal(call_in_place(&x, &target, "sum", &loss), 0);
    for (int64_t i = 0; i < 4; i++)
        assert_near("logProb", &x, i, -logl(2), ACL_FLOAT, 0);
    assert_near("the loss", &loss, 0, 2 * logl(2), ACL_FLOAT, 1e-12L);
    layout_destroy(&x), layout_destroy(&target), layout_destroy(&loss);
}

static void the_loss_of_no_rows_is_that_of_the_sum(void **state)
{
    (void)state;
    struct layout x = layout_create(ACL_FLOAT, 2, DIMS(0, 2), LAYOUT_CONTIGUOUS),
                  target = layout_create(ACL_INT64, 1, DIMS(0), LAYOUT_CONTIGUOUS),
                  loss = layout_create(ACL_FLOAT, 1, DIMS(1), LAYOUT_CONTIGUOUS);
    for (int reduction = 1; reduction < 3; reduction++) {
        assert_int_equal(call_in_place(&x, &target, reductions[reduction], &loss), 0);
        const double got = element_of(&loss, 0);
        assert_true(reduction == 1 ? isnan(got) : got == 0);
    }
    layout_destroy(&x), layout_destroy(&target), layout_destroy(&loss);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const char *const names[] = {"aclnnCrossEntropyLoss", "aclnnCrossEntropyLossGrad"};
    (void)state;
    for (unsigned back = 0; back < 2; back++) {
        struct attempt attempt = accepted(find(names[back]));
        const unsigned text = back == 0 ? 3 : 6;
        assert_accepted(&attempt);
        attempt.argument[text].string = "all";
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "reductionOptional is \"all\"");
        attempt.argument[text + 2].fp64 = 1.5;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "labelSmoothing is 1.5; 0 to 1 is expected");
        replace(&attempt, 2 + back, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "weightOptional has shape [2]; [3] is expected");
        replace(&attempt, 1 + back, tensor_with(ACL_INT64, 1, DIMS(3), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "target has shape [3]; [2] is expected");
        replace(&attempt, back, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       back == 0 ? "input has shape [2, 0]; rows of 1 class" : "logProb has shape [2, 0]");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnCrossEntropyLossGrad"));
    attempt.argument[6].string = "none";
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gradLoss has 1 elements in 1 dims; 2 are expected");
    replace_dtype(&attempt, 0, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "logProb has dtype FLOAT");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_are_those_of_the_formula),
        cmocka_unit_test(in_place_and_not_at_all),
        cmocka_unit_test(the_loss_of_no_rows_is_that_of_the_sum),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
