/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * RmsNorm, its gradients, and normalisations of sums, against long double in any layout and dtype; calls that
 * are refused; and that bits depend neither on the level nor on the number of threads.
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

enum { FORWARD, GRADIENT, SUM, BIASED, ADDED, FUNCTIONS };

static const char *const names[] = {"aclnnRmsNorm", "aclnnRmsNormGrad", "aclnnAddRmsNorm",
                                    "aclnnAddRmsNormBias", "aclnnAddLayerNorm"};

/* Where the summands, gamma, rstd and the outputs are; -1: there is none. */
static const struct {
    int x, gamma, beta, bias, epsilon, y, mean, rstd, sum;
} place[FUNCTIONS] = {{0, 1, -1, -1, 2, 3, -1, 4, -1},
                      {1, 3, -1, -1, -1, 4, -1, 2, -1},
                      {0, 2, -1, -1, 3, 4, -1, 5, 6},
                      {0, 2, 3, -1, 4, 5, -1, 6, 7},
                      {0, 2, 3, 4, 5, 7, 8, 9, 10}};

static void draw_rms(int m, unsigned rank, const int64_t *shape, unsigned last)
{
    const aclDataType dtype = draw_dtype(), other = m == ADDED && random_below(3) == 0 ? ACL_FLOAT : dtype;
    const aclDataType factor = m != SUM && m != BIASED && random_below(2) == 0 ? ACL_FLOAT : other,
                      result = other;
    const int64_t *const row = shape + rank - last;
    int64_t rows = 1;
    for (unsigned i = 0; i < rank - last; i++)
        rows *= shape[i];
    give(0, dtype, rank, shape, true, 2);
    if (m != FORWARD)
        give(1, other, rank, shape, true, 2);
    give((unsigned)place[m].gamma, factor, last, row, true, 2);
    if (m == ADDED || (m == BIASED && random_below(3) > 0))
        give(3, factor, last, row, true, 2);
    if (m == ADDED) {
        const bool is_whole = random_below(2) == 0;
        if (random_below(3) > 0)
            give(4, factor, is_whole ? rank : last, is_whole ? shape : row, true, 2);
        call.argument[6].int64 = random_below(2);
        give(8, ACL_FLOAT, 1, &rows, false, 1);
    }
    if (place[m].epsilon >= 0)
        call.argument[place[m].epsilon].fp64 = 1e-3;
    give((unsigned)place[m].y, result, rank, shape, false, 1);
    if (m == GRADIENT) {
        give_positive(2, ACL_FLOAT, 1, &rows);
        give(5, draw_dtype(), last, row, false, 1);
    } else if ((m != SUM && m != BIASED) || random_below(2) == 0) {
        give((unsigned)place[m].rstd, ACL_FLOAT, rank - last, shape, false, 1);
    }
    if (place[m].sum >= 0 && (call.is_given[place[m].rstd] || m == ADDED || random_below(2) == 0))
        give((unsigned)place[m].sum, result, rank, shape, false, 1);
}

static long double sums[ELEMENTS], moments[2][ELEMENTS];

/* What is normalised. */
static void add_up(int m, int64_t count, aclDataType dtype)
{
    for (int64_t i = 0; i < call.tensor[0].count; i++) {
        const bool is_whole = m == ADDED && call.is_given[4] && call.tensor[4].rank == call.tensor[0].rank &&
                              call.tensor[4].count == call.tensor[0].count;
        sums[i] = had((unsigned)place[m].x, i, 0);
        if (m >= SUM)
            sums[i] += had(1, i, 0);
        if (m == ADDED)
            sums[i] += had(4, is_whole ? i : i % count, 0);
        if (m == SUM || m == BIASED) {
            const double sum = (double)sums[i];
            unsigned char rounded[16];
            double value;
            conversion_reference(&sum, ACL_DOUBLE, rounded, dtype);
            conversion_reference(rounded, dtype, &value, ACL_DOUBLE);
            sums[i] = (long double)value;
        }
    }
}

static void find_moments(int m, int64_t rows, int64_t count)
{
    for (int64_t r = 0; r < rows; r++) {
        long double mean = 0, squares = 0;
        for (int64_t i = 0; i < count; i++)
            mean += m == ADDED ? sums[r * count + i] / (long double)count : 0;
        for (int64_t i = 0; i < count; i++)
            squares += powl(sums[r * count + i] - mean, 2) / (long double)count;
        moments[0][r] = mean;
        moments[1][r] = m == GRADIENT ? had(2, r, 0) : 1 / sqrtl(squares + (long double)1e-3);
    }
}

static void find_gradients(int64_t rows, int64_t count)
{
    for (int64_t r = 0; r < rows; r++) {
        const long double rstd = moments[1][r];
        long double mean = 0;
        for (int64_t i = 0; i < count; i++) {
            const long double gradient = had(0, r * count + i, 0), n = sums[r * count + i] * rstd;
            mean += gradient * had(3, i, 1) * n / (long double)count;
            exact[1][i] += gradient * n;
        }
        for (int64_t i = 0; i < count; i++)
            exact[0][r * count + i] =
                rstd * (had(0, r * count + i, 0) * had(3, i, 1) - sums[r * count + i] * rstd * mean);
    }
}

static void try_rms(int m, unsigned rank, const int64_t *shape, unsigned last)
{
    int64_t rows = 1, count = 1;
    for (unsigned i = 0; i < rank; i++)
        *(i < rank - last ? &rows : &count) *= shape[i];
    draw_rms(m, rank, shape, last);
    if (call_function(find(names[m]), call.argument) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    clear_exact();
    add_up(m, count, call.tensor[0].dtype);
    find_moments(m, rows, count);
    if (m == GRADIENT) {
        find_gradients(rows, count);
        assert_output(names[m], 5, true, exact[1], 0x1p-35L);
    } else {
        for (int64_t i = 0; i < rows * count; i++)
            exact[0][i] = (sums[i] - moments[0][i / count]) * moments[1][i / count] *
                              had((unsigned)place[m].gamma, i % count, 1) +
                          (m >= BIASED ? had(3, i % count, 0) : 0);
        assert_output(names[m], (unsigned)place[m].rstd, true, moments[1], 0x1p-35L);
    }
    if (m == ADDED)
        assert_output(names[m], 8, true, moments[0], 0x1p-35L);
    if (place[m].sum >= 0)
        assert_output(names[m], (unsigned)place[m].sum, m != ADDED || call.argument[6].int64 != 0, sums,
                      0x1p-40L);
    assert_output(names[m], (unsigned)place[m].y, true, exact[0], 0x1p-35L);
    forget_call(find(names[m]));
}

static void rms_norms_of_all_layouts_are_near(void **state)
{
    static const int64_t wide[] = {3, 5000}, tall[] = {3000, 6}, none[] = {0, 5};
    (void)state;
    for (int i = 0; i < times_effort(400); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 1, 4, 10000);
        try_rms(i % FUNCTIONS, rank, shape, 1 + (unsigned)random_below(rank));
    }
    for (int i = 0; i < 2 * FUNCTIONS; i++) {
        try_rms(i % FUNCTIONS, 2, wide, 1);
        try_rms(i % FUNCTIONS, 2, tall, 1);
        try_rms(i % FUNCTIONS, 2, none, 1);
    }
}

static void faults_are_refused(void **state)
{
    struct attempt attempt = accepted(find("aclnnRmsNorm"));
    (void)state;
    replace(&attempt, 4, tensor_with(ACL_FLOAT, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "rstdOut has");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "the shape of gamma is not that of the last dims of x");
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "gamma");
    release(&attempt);
    attempt = accepted(find("aclnnAddRmsNorm"));
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 2, DIMS(1, 3), NULL));
    assert_accepted(&attempt);
    const aclTensor *kept = attempt.argument[6].tensor;
    attempt.argument[6].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "xOut is NULL, which rstdOut asks for");
    attempt.argument[6].tensor = kept;
    attempt.argument[3].fp64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "epsilon is -1; 0 or more is expected");
    release(&attempt);
    attempt = accepted(find("aclnnAddRmsNormBias"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "betaOptional has shape [1]");
    attempt.argument[3].tensor = NULL;
    assert_accepted(&attempt);
    attempt.argument[7].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "x is NULL, which rstd asks for");
    release(&attempt);
    attempt = accepted(find("aclnnAddLayerNorm"));
    kept = attempt.argument[10].tensor;
    attempt.argument[10].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "xOut is NULL, which additionalOutput asks for");
    attempt.argument[6].int64 = 0;
    assert_accepted(&attempt);
    attempt.argument[10].tensor = kept;
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_accepted(&attempt); /* FLOAT beside it: all is FLOAT */
    replace_dtype(&attempt, 0, ACL_BF16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x2");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][2] = {{300, 60}, {20, 900}, {2500, 7}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 12 * FUNCTIONS; i++) {
        draw_rms(i % FUNCTIONS, 2, shapes[i / FUNCTIONS % 3], 1);
        hash = hash_of_call(find(names[i % FUNCTIONS]), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rms_norms_of_all_layouts_are_near),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
