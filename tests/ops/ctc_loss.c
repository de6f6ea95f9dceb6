/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * CtcLoss and CtcLossBackward against all paths there are, one by one, and logAlpha against sums of
 * probabilities in long double; labels that are none, and calls that are refused.
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

enum { SAMPLES = 3, TIMES = 6, CLASSES = 4, LABELS = 4 };

/* A call: lengths and labels of its samples, and where the labels of one begin. */
struct problem {
    int64_t times, classes, samples, blank, states;
    int64_t time[SAMPLES], labels[SAMPLES], first[SAMPLES];
    bool are_joined, zero_infinity;
    struct layout log_probs, targets, loss, alpha, grad, out;
};

static struct layout draw(aclDataType dtype, unsigned rank, const int64_t *shape)
{
    return layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
}

static int64_t target_of(const struct problem *problem, int64_t sample, int64_t i)
{
    int64_t wide = 0;
    memcpy(&wide, layout_element(&problem->targets, problem->first[sample] + i), problem->targets.bytes);
    return wide;
}

static long double log_prob(const struct problem *problem, int64_t sample, int64_t time, int64_t class)
{
    return (long double)element_of(&problem->log_probs,
                                   (time * problem->samples + sample) * problem->classes + class);
}

static struct problem draw_problem(int round)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_DOUBLE, ACL_FLOAT16, ACL_BF16};
    const aclDataType dtype = dtypes[round % 4];
    struct problem problem = {.times = 1 + random_below(TIMES),
                              .classes = 2 + random_below(CLASSES - 1),
                              .samples = 1 + random_below(SAMPLES),
                              .are_joined = random_below(2) == 0,
                              .zero_infinity = random_below(2) == 0};
    problem.blank = random_below(problem.classes);
    int64_t all = 0, longest = 0;
    for (int64_t n = 0; n < problem.samples; n++) {
        problem.time[n] = random_below(problem.times + 1);
        problem.labels[n] = random_below(LABELS + 1);
        problem.first[n] = problem.are_joined ? all : n * LABELS;
        all += problem.labels[n];
        longest = problem.labels[n] > longest ? problem.labels[n] : longest;
    }
    problem.states = 2 * longest + 1 + random_below(3);
    const int64_t t = problem.times, n = problem.samples, c = problem.classes;
    problem.log_probs = draw(dtype, 3, DIMS(t, n, c));
    problem.targets = draw(random_below(2) == 0 ? ACL_INT32 : ACL_INT64, problem.are_joined ? 1 : 2,
                           problem.are_joined ? DIMS(all) : DIMS(n, LABELS));
    problem.loss = draw(dtype, 1, DIMS(n));
    problem.grad = draw(dtype, 1, DIMS(n));
    problem.alpha = draw(dtype, 3, DIMS(n, t, problem.states));
    problem.out = draw(dtype, 3, DIMS(t, n, c));
    layout_fill(&problem.log_probs, 1, false), layout_fill(&problem.grad, 1, false);
    for (int64_t i = 0; i < problem.log_probs.count; i++) /* below 0, not sums of 1 */
        set_element(&problem.log_probs, i, element_of(&problem.log_probs, i) - 1.25);
    for (int64_t i = 0; i < problem.targets.count; i++) {
        const int64_t label = (problem.blank + 1 + random_below(c - 1)) % c;
        memcpy(layout_element(&problem.targets, i), &label, problem.targets.bytes);
    }
    return problem;
}

static void run_problem(const struct problem *problem)
{
    const aclIntArray *times = aclCreateIntArray(problem->time, (uint64_t)problem->samples),
                      *labels = aclCreateIntArray(problem->labels, (uint64_t)problem->samples);
    const union argument forward[] = {{.tensor = problem->log_probs.tensor},
                                      {.tensor = problem->targets.tensor},
                                      {.ints = times},
                                      {.ints = labels},
                                      {.int64 = problem->blank},
                                      argument_of_bool(problem->zero_infinity),
                                      {.tensor = problem->loss.tensor},
                                      {.tensor = problem->alpha.tensor}};
    const union argument backward[] = {{.tensor = problem->grad.tensor},
                                       {.tensor = problem->log_probs.tensor},
                                       {.tensor = problem->targets.tensor},
                                       {.ints = times},
                                       {.ints = labels},
                                       {.tensor = problem->loss.tensor},
                                       {.tensor = problem->alpha.tensor},
                                       {.int64 = problem->blank},
                                       argument_of_bool(problem->zero_infinity),
                                       {.tensor = problem->out.tensor}};
    assert_int_equal(call_function(find("aclnnCtcLoss"), forward), 0);
    assert_int_equal(call_function(find("aclnnCtcLossBackward"), backward), 0);
    assert_int_equal(aclDestroyIntArray(times), 0);
    assert_int_equal(aclDestroyIntArray(labels), 0);
}

static bool reads_as_target(const struct problem *problem, int64_t sample, const int64_t *path)
{
    int64_t found = 0;
    for (int64_t t = 0; t < problem->time[sample]; t++) {
        if (path[t] == problem->blank || (t > 0 && path[t] == path[t - 1]))
            continue;
        if (found == problem->labels[sample] || path[t] != target_of(problem, sample, found))
            return false;
        found++;
    }
    return found == problem->labels[sample];
}

/* The sum over all paths, and over those that have a class at a time. */
static long double add_paths(const struct problem *problem, int64_t sample, long double (*of)[CLASSES])
{
    long double all = 0;
    int64_t paths = 1, path[TIMES];
    for (int64_t t = 0; t < problem->time[sample]; t++)
        paths *= problem->classes;
    memset(of, 0, TIMES * sizeof of[0]);
    for (int64_t i = 0; i < paths; i++) {
        long double logarithm = 0;
        for (int64_t t = 0, rest = i; t < problem->time[sample]; t++, rest /= problem->classes) {
            path[t] = rest % problem->classes;
            logarithm += log_prob(problem, sample, t, path[t]);
        }
        if (!reads_as_target(problem, sample, path))
            continue;
        all += expl(logarithm);
        for (int64_t t = 0; t < problem->time[sample]; t++)
            of[t][path[t]] += expl(logarithm);
    }
    return all;
}

static int64_t state_label(const struct problem *problem, int64_t sample, int64_t state)
{
    return state % 2 == 0 ? problem->blank : target_of(problem, sample, state / 2);
}

/* Probabilities of beginnings that end in a state, plain sums. */
static void check_alpha(const struct problem *problem, int64_t sample)
{
    enum { STATES = 2 * LABELS + 1 };
    long double now[STATES] = {0}, before[STATES];
    const int64_t states = 2 * problem->labels[sample] + 1;
    for (int64_t t = 0; t < problem->times; t++) {
        memcpy(before, now, sizeof before);
        for (int64_t s = 0; s < problem->states; s++) {
            long double sum = 0;
            if (t < problem->time[sample] && s < states) {
                const int64_t label = state_label(problem, sample, s);
                sum = t == 0 ? s < 2 : before[s] + (s > 0 ? before[s - 1] : 0);
                if (t > 0 && s > 1 && label != state_label(problem, sample, s - 2))
                    sum += before[s - 2];
                now[s] = sum *= expl(log_prob(problem, sample, t, label));
            }
            assert_near("logAlpha", &problem->alpha, (sample * problem->times + t) * problem->states + s,
                        logl(sum), problem->alpha.dtype, 1e-13L);
        }
    }
}

static void losses_are_sums_over_all_paths(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        struct problem problem = draw_problem(round);
        const aclDataType dtype = problem.loss.dtype;
        run_problem(&problem);
        for (int64_t n = 0; n < problem.samples; n++) {
            long double of[TIMES][CLASSES];
            const long double all = add_paths(&problem, n, of),
                              grad = (long double)element_of(&problem.grad, n);
            const long double loss = all == 0 && problem.zero_infinity ? 0 : -logl(all);
            assert_near("the loss", &problem.loss, n, loss, dtype, 1e-13L);
            check_alpha(&problem, n);
            for (int64_t i = 0; i < problem.times * problem.classes; i++) {
                const int64_t t = i / problem.classes, c = i % problem.classes;
                long double wanted = 0;
                if (t < problem.time[n] && !(all == 0 && problem.zero_infinity))
                    wanted = (expl(log_prob(&problem, n, t, c)) - of[t][c] / all) * grad;
                /* The loss and two of alpha were rounded; each was at most 20. */
                assert_near("the gradient", &problem.out, (t * problem.samples + n) * problem.classes + c,
                            wanted, dtype, 60 * (long double)unit_of(dtype) * fabsl(grad) + 1e-13L);
            }
        }
        struct layout *const all[] = {&problem.log_probs, &problem.targets, &problem.loss,
                                      &problem.alpha,     &problem.grad,    &problem.out};
        for (unsigned i = 0; i < 6; i++)
            layout_destroy(all[i]);
    }
}

static void a_label_that_is_no_class_fails(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnCtcLoss"));
    struct layout targets = layout_create(ACL_INT64, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  log_probs = layout_create(ACL_FLOAT, 3, DIMS(4, 2, 3), LAYOUT_CONTIGUOUS),
                  loss = layout_create(ACL_FLOAT, 1, DIMS(2), LAYOUT_CONTIGUOUS),
                  alpha = layout_create(ACL_FLOAT, 3, DIMS(2, 4, 8), LAYOUT_CONTIGUOUS);
    static const int64_t labels[] = {1, 77, 2, 3}; /* 77 is behind the end of the first sample */
    memcpy(targets.memory, labels, sizeof labels);
    layout_fill(&log_probs, 1, false);
    const union argument argument[] = {{.tensor = log_probs.tensor}, {.tensor = targets.tensor},
                                       attempt.argument[2],          attempt.argument[3],
                                       argument_of_integer(0),       argument_of_bool(false),
                                       {.tensor = loss.tensor},      {.tensor = alpha.tensor}};
    assert_int_equal(call_function(find("aclnnCtcLoss"), argument), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("targets holds 3 as element 1 of its row, for sample 1; 0 to 2 are expected");
    layout_destroy(&targets), layout_destroy(&log_probs), layout_destroy(&loss), layout_destroy(&alpha);
    release(&attempt);
}

static void replace_lengths(struct attempt *attempt, unsigned parameter, const int64_t *length,
                            uint64_t count)
{
    (void)aclDestroyIntArray(attempt->argument[parameter].ints);
    attempt->argument[parameter].ints = aclCreateIntArray(length, count);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 2; shift++) {
        struct attempt attempt = accepted(find(shift == 0 ? "aclnnCtcLoss" : "aclnnCtcLossBackward"));
        assert_accepted(&attempt);
        attempt.argument[4 + 3 * shift].int64 = 3;
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "blank is 3; 0 to 2 is expected");
        attempt.argument[4 + 3 * shift].int64 = 0;
        replace(&attempt, 1 + shift, tensor_with(ACL_INT64, 1, DIMS(2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       "targets has 2 elements; targetLengths has more in all");
        replace_lengths(&attempt, 3 + shift, DIMS(1, 3), 2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       "targetLengths holds 3 at [1]; 0 to 2 are expected");
        replace_lengths(&attempt, 2 + shift, DIMS(-1, 3), 2);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       "inputLengths holds -1 at [0]; 0 to 4 are expected");
        replace_lengths(&attempt, 2 + shift, DIMS(1), 1);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "inputLengths has 1 elements; 2, one for each");
        replace(&attempt, 1 + shift, tensor_with(ACL_INT64, 2, DIMS(3, 2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "targets has shape [3, 2]; those of all");
        replace(&attempt, shift, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "logProbs has 2 dims; 3 are expected");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnCtcLossBackward"));
    replace(&attempt, 6, tensor_with(ACL_FLOAT, 3, DIMS(2, 4, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "logAlpha has shape [2, 4, 4]; [2, 4, 5], or more");
    replace_dtype(&attempt, 6, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "logAlpha has dtype DOUBLE");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    replace_dtype(&attempt, 6, ACL_FLOAT);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "gradOut and negLogLikelihood have 3 and 2 elements; 2");
    release(&attempt);
    attempt = accepted(find("aclnnCtcLoss"));
    replace(&attempt, 7, tensor_with(ACL_FLOAT, 3, DIMS(2, 4, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "logAlphaOut has shape [2, 4, 4]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_sums_over_all_paths),
        cmocka_unit_test(a_label_that_is_no_class_fails),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
