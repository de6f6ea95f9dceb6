/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What of a row of logits may be sampled, and samples, against loops over sorted rows; examples of known results;
 * what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { WIDTH_MAX = 64 };

/* Descending, of equal ones the first first; NaN is the greatest. */
static void sort_row(const double *row, int64_t width, int64_t *index)
{
    for (int64_t i = 0; i < width; i++) {
        int64_t place = i;
        for (; place > 0; place--) {
            const double before = row[index[place - 1]];
            if (!(row[i] > before || (isnan(row[i]) && !isnan(before))))
                break;
            index[place] = index[place - 1];
        }
        index[place] = i;
    }
}

/* Few different numbers, so that many are equal, and some that are not finite. */
static void draw_rows(struct trial *trial, const char *name, bool are_parts)
{
    const struct layout *layout = given(trial, name);
    for (int64_t i = 0; i < layout->count; i++) {
        const double drawn =
            are_parts ? 0.125 * (double)random_below(8) : (double)(random_below(30) - 15) / 4;
        set_element(layout, i, !are_parts && random_below(40) == 0 ? -(double)INFINITY : drawn);
    }
}

static void expect_applied(const struct trial *trial, int64_t row, int64_t width)
{
    double x[WIDTH_MAX], part[WIDTH_MAX], sum = 0, so_far = 0;
    int64_t index[WIDTH_MAX];
    for (int64_t i = 0; i < width; i++)
        x[i] = at(trial, "logits", row * width + i);
    sort_row(x, width, index);
    if (was_given(trial, "kOptional")) {
        const int64_t k = (int64_t)at(trial, "kOptional", row);
        const double least = x[index[(k < width ? k : width) - 1]];
        for (int64_t i = 0; i < width; i++)
            x[i] = x[i] < least ? -(double)INFINITY : x[i];
    }
    const double greatest = x[index[0]];
    bool stays[WIDTH_MAX], is_open = true;
    for (int64_t i = 0; i < width; i++)
        sum += part[i] = x[i] == -(double)INFINITY ? 0 : exp(x[i] - greatest);
    for (int64_t place = width - 1; place >= 0;
         place--) { /* the least one that is left, the first of equal ones */
        int64_t next = -1;
        for (int64_t i = 0; i < width; i++)
            if (place == width - 1)
                stays[i] = false;
        for (int64_t i = 0; i < width; i++)
            if (!stays[i] && (next < 0 || x[i] < x[next]))
                next = i;
        stays[next] = true;
        so_far += part[next] / sum;
        const bool is_cut =
            was_given(trial, "pOptional") && so_far <= 1 - at(trial, "pOptional", row) && place > 0;
        is_open = is_open && is_cut;
        const double wanted = is_open ? -(double)INFINITY : x[next],
                     got = at(trial, "out", row * width + next);
        if (got != wanted && fabs(so_far - (1 - at(trial, "pOptional", row))) > 1e-12)
            fail_msg("row %lld, element %lld: %g instead of %g", (long long)row, (long long)next, got,
                     wanted);
    }
}

static void the_most_probable_are_left(void)
{
    const int64_t rows = random_below(4), width = 1 + random_below(WIDTH_MAX), shape[] = {rows, width};
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnApplyTopKTopP");
    int64_t k[4];
    for (int64_t i = 0; i < rows; i++)
        k[i] = 1 + random_below(width + 3);
    give(&trial, "logits", dtype, 2, shape, 2);
    draw_rows(&trial, "logits", false);
    give(&trial, "out", dtype, 2, shape, 2);
    if (random_below(3) > 0)
        give_numbers(&trial, "kOptional", ACL_INT32, 1, &rows, k);
    if (random_below(3) > 0) {
        give(&trial, "pOptional", dtype, 1, &rows, 1);
        for (int64_t i = 0; i < rows; i++)
            set_element(given(&trial, "pOptional"), i, (double)random_below(9) / 8);
    }
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t row = 0; row < rows; row++)
        expect_applied(&trial, row, width);
    end_trial(&trial);
}

static void expect_sampled(const struct trial *trial, int64_t row, int64_t width, int64_t most,
                           bool is_of_logits)
{
    double x[WIDTH_MAX], part[WIDTH_MAX], sum = 0, before = 0;
    int64_t index[WIDTH_MAX], kept = 0, best = 0;
    for (int64_t i = 0; i < width; i++)
        x[i] = at(trial, "logits", row * width + i);
    sort_row(x, width, index);
    const int64_t k = (int64_t)at(trial, "topK", row), limit = most < width ? most : width,
                  count = k >= 1 && k <= limit ? k : width;
    const double p = at(trial, "topP", row);
    const bool has_least = strcmp(trial->function->operation.name, "aclnnTopKTopPSampleV2") == 0 &&
                           was_given(trial, "minPsOptional");
    const double least = has_least ? at(trial, "minPsOptional", row) : 0;
    for (int64_t i = 0; i < count; i++)
        sum += part[i] = is_of_logits ? exp(x[index[i]] - x[index[0]]) : x[index[i]];
    for (int64_t i = 0; i < count; i++)
        part[i] /= is_of_logits ? sum : 1;
    for (; kept < count; kept++) {
        const bool stays = kept == 0 || (p > 0 && least < 1 && (p >= 1 || before <= p) &&
                                         (least <= 0 || part[kept] >= least * part[0]));
        if (!stays)
            break;
        before += part[kept];
    }
    for (int64_t i = 1; was_given(trial, "qOptional") && i < kept; i++)
        if (part[i] / (at(trial, "qOptional", row * width + i) + 0.5) >
            part[best] / (at(trial, "qOptional", row * width + best) + 0.5) * (1 + 1e-14))
            best = i;
    if (was_given(trial, "logitsSelectIdx"))
        assert_int_equal((int64_t)at(trial, "logitsSelectIdx", row), index[best]);
    for (int64_t i = 0; was_given(trial, "logitsTopKPSelect") && i < width; i++)
        assert_true(at(trial, "logitsTopKPSelect", row * width + index[i]) == (i < kept ? x[index[i]]
                                                                               : is_of_logits
                                                                                   ? -(double)INFINITY
                                                                                   : 0));
    if (strcmp(trial->function->operation.name, "aclnnTopKTopPSampleV2") != 0 ||
        !was_given(trial, "logitsIdx"))
        return;
    for (int64_t i = 0; i < width; i++) {
        assert_int_equal((int64_t)at(trial, "logitsIdx", row * width + i), i < kept ? index[i] : 0);
        assert_near("logitsSortMasked", given(trial, "logitsSortMasked"), row * width + i,
                    i < kept ? (long double)part[i] : 0, ACL_FLOAT, 1e-9L);
    }
}

static void rows_are_sampled(void)
{
    const bool is_v2 = random_below(3) > 0, is_of_logits = !is_v2 || random_below(2) == 0,
               wants_order = is_v2 && random_below(2) == 0;
    const int64_t rows = random_below(4), width = 1 + random_below(WIDTH_MAX), shape[] = {rows, width},
                  most = 1 + random_below(20);
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of(is_v2 ? "aclnnTopKTopPSampleV2" : "aclnnTopKTopPSample");
    int64_t k[4];
    for (int64_t i = 0; i < rows; i++)
        k[i] = random_below(width + 3);
    give(&trial, "logits", dtype, 2, shape, 2);
    draw_rows(&trial, "logits", !is_of_logits);
    give_numbers(&trial, "topK", ACL_INT32, 1, &rows, k);
    give(&trial, "topP", dtype, 1, &rows, 1);
    for (int64_t i = 0; i < rows; i++) /* no sum of parts is equal to it */
        set_element(given(&trial, "topP"), i,
                    (double)random_below(5) / 4 + 0.03125 * (double)random_below(2));
    if (is_v2 && random_below(2) == 0) {
        give(&trial, "minPsOptional", dtype, 1, &rows, 1);
        for (int64_t i = 0; i < rows; i++)
            set_element(given(&trial, "minPsOptional"), i, (double)random_below(9) / 8 + 0.01);
    }
    if (random_below(2) == 0) {
        give(&trial, "qOptional", ACL_FLOAT, 2, shape, 1);
        for (int64_t i = 0; i < rows * width; i++)
            set_element(given(&trial, "qOptional"), i, fabs(at(&trial, "qOptional", i)));
    }
    give_value(&trial, "eps", argument_of_fp64(0.5));
    if (is_v2) {
        give_value(&trial, "ksMax", argument_of_integer(most));
        give_value(&trial, "inputIsLogits", argument_of_bool(is_of_logits));
        give_value(&trial, "isNeedSampleResult", argument_of_bool(wants_order));
    }
    const bool wants_logits = random_below(2) == 0;
    give_value(&trial, "isNeedLogits", argument_of_bool(wants_logits));
    if (!wants_order)
        give(&trial, "logitsSelectIdx", ACL_INT64, 1, &rows, 1);
    if (wants_logits)
        give(&trial, "logitsTopKPSelect", ACL_FLOAT, 2, shape, 1);
    if (wants_order) {
        give(&trial, "logitsIdx", ACL_INT64, 2, shape, 1);
        give(&trial, "logitsSortMasked", ACL_FLOAT, 2, shape, 1);
    }
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t row = 0; row < rows; row++)
        expect_sampled(&trial, row, width, is_v2 ? (most + 7) / 8 * 8 : 1024, is_of_logits);
    end_trial(&trial);
}

static void (*const rounds[])(void) = {the_most_probable_are_left, rows_are_sampled};

static void results_are_those_of_sorted_rows(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(200));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 20);
    return trial_hash;
}

static void examples_are_cut_as_they_should_be(void **state)
{
    static const double x[] = {3, 1, 4, 2, 3}, none = -(double)INFINITY;
    static const struct {
        int64_t k;
        double p, out[5];
    } examples[] = {{3, 0.5, {none, none, 4, none, none}}, {2, 0.875, {3, none, 4, none, 3}}};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct trial trial = example_of("aclnnApplyTopKTopP");
        give(&trial, "logits", ACL_FLOAT, 2, DIMS(1, 5), 1);
        give(&trial, "out", ACL_FLOAT, 2, DIMS(1, 5), 1);
        give(&trial, "pOptional", ACL_FLOAT, 1, DIMS(1), 1);
        give_numbers(&trial, "kOptional", ACL_INT32, 1, DIMS(1), &examples[i].k);
        set_element(given(&trial, "pOptional"), 0, examples[i].p);
        for (int e = 0; e < 5; e++)
            set_element(given(&trial, "logits"), e, x[e]);
        assert_int_equal(run_trial(&trial), 0);
        for (int e = 0; e < 5; e++)
            assert_true(at(&trial, "out", e) == examples[i].out[e]);
        set_element(given(&trial, "logits"), 1, (double)NAN); /* the greatest, which makes all chances none */
        assert_int_equal(run_trial(&trial), 0);
        assert_true(isnan(at(&trial, "out", 1)) && at(&trial, "out", 2) == 4);
        const int32_t wrong = 0;
        memcpy(layout_element(given(&trial, "kOptional"), 0), &wrong, sizeof wrong);
        expect_fault(&trial, "k holds 0 at [0]; 1 or more is expected");
        end_trial(&trial);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnApplyTopKTopP");
    refuse_tensor(&trial, "logits", ACL_FLOAT, 1, DIMS(5),
                  "logits has shape [5]; rows and elements are expected");
    refuse_tensor(&trial, "pOptional", ACL_FLOAT, 1, DIMS(3),
                  "pOptional has shape [3]; a number for each of 2 rows");
    refuse_tensor(&trial, "pOptional", ACL_FLOAT16, 1, DIMS(2), "pOptional has dtype FLOAT16");
    refuse_tensor(&trial, "kOptional", ACL_INT32, 2, DIMS(2, 1),
                  "kOptional has shape [2, 1]; a number for each of 2");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnTopKTopPSampleV2");
    refuse_tensor(&trial, "logits", ACL_FLOAT, 2, DIMS(2, 0), "qOptional has shape [2, 5]");
    refuse_tensor(&trial, "qOptional", ACL_FLOAT, 2, DIMS(2, 4), "qOptional has shape [2, 4]");
    refuse_tensor(&trial, "topK", ACL_INT32, 1, DIMS(3),
                  "topK has shape [3]; a number for each of 2 rows is expected");
    refuse_tensor(&trial, "topP", ACL_BF16, 1, DIMS(2), "topP has dtype BFLOAT16");
    refuse_tensor(&trial, "minPsOptional", ACL_FLOAT, 1, DIMS(1),
                  "minPsOptional has shape [1]; a number for each of 2");
    refuse_trial(&trial, "ksMax", argument_of_integer(0), "ksMax is 0; 1 or more is expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_sorted_rows),
        cmocka_unit_test(examples_are_cut_as_they_should_be),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
