/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The parts of batch normalisation over several devices, against long double in any layout and dtype; outputs
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

static const long double SLACK = 0x1p-33L;
static long double sums[6][ELEMENTS];

static void give_result(unsigned place, aclDataType dtype, unsigned rank, const int64_t *shape)
{
    give(place, dtype, rank, shape, false, 1);
}

static void compute(const char *name)
{
    assert_int_equal(call_function(find(name), call.argument), 0);
}

/* Results of one function, an element for each channel, and the end of the call. */
static void judge(const char *name, unsigned first, unsigned count, unsigned written)
{
    for (unsigned i = 0; i < count; i++)
        assert_output(name, first + i, (written >> i & 1) != 0, sums[i], SLACK);
    forget_call(find(name));
    memset(sums, 0, sizeof sums);
}

static void try_stats(unsigned rank, const int64_t *shape, bool is_sums)
{
    const char *name = is_sums ? "aclnnBatchNormReduce" : "aclnnBatchNormStats";
    const unsigned out = is_sums ? 1 : 2;
    give(0, draw_dtype(), rank, shape, true, 4);
    call.argument[1].fp64 = 1e-3;
    give_result(out, ACL_FLOAT, 1, shape + 1), give_result(out + 1, ACL_FLOAT, 1, shape + 1);
    compute(name);
    const struct layout *input = &call.tensor[0];
    const long double n = (long double)(input->count / shape[1]);
    for (int64_t i = 0; i < input->count; i++)
        sums[0][channel_of(input, i)] += is_sums ? call.before[0][i] : call.before[0][i] / n;
    for (int64_t i = 0; i < input->count; i++) {
        const long double apart = call.before[0][i] - (is_sums ? 0 : sums[0][channel_of(input, i)]);
        sums[1][channel_of(input, i)] += is_sums ? apart * apart : apart * apart / n;
    }
    for (int64_t c = 0; !is_sums && c < shape[1]; c++)
        sums[1][c] = n > 0 ? 1 / sqrtl(sums[1][c] + (long double)1e-3) : (long double)NAN;
    judge(name, out, 2, 3);
}

static void try_elemt(unsigned rank, const int64_t *shape)
{
    static long double y[ELEMENTS];
    give(0, draw_dtype(), rank, shape, true, 4);
    for (unsigned i = 1; i <= 4; i++)
        if (i > 2 || random_below(2) == 0)
            give(i, draw_dtype(), 1, shape + 1, true, 2);
    call.argument[5].fp64 = 1e30;
    give_result(6, draw_dtype(), rank, shape);
    compute("aclnnBatchNormElemt");
    for (int64_t i = 0; i < call.tensor[0].count; i++) {
        const int64_t c = channel_of(&call.tensor[0], i);
        y[i] = (call.before[0][i] - had(3, c, 0)) * had(4, c, 0) * had(1, c, 1) + had(2, c, 0);
    }
    assert_output("aclnnBatchNormElemt", 6, true, y, SLACK);
    forget_call(find("aclnnBatchNormElemt"));
}

static void draw_elemt_backward(unsigned rank, const int64_t *shape)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64};
    const aclDataType dtype = draw_dtype();
    give(0, dtype, rank, shape, true, 2), give(1, dtype, rank, shape, true, 4);
    for (unsigned i = 2; i <= 6; i++)
        if (i != 4 || random_below(2) == 0)
            give(i, draw_dtype(), 1, shape + 1, true, 2);
    const int64_t devices = 1 + random_below(random_below(4) == 0 ? 500 : 5);
    give(7, dtypes[random_below(4)], 2, (const int64_t[]){devices, 1}, false, 1);
    for (int64_t i = 0; i < devices; i++) {
        call.before[7][i] = (long double)(1 + random_below(9));
        set_element(&call.tensor[7], i, (double)call.before[7][i]);
    }
    give_result(8, draw_dtype(), rank, shape);
}

static void try_elemt_backward(unsigned rank, const int64_t *shape)
{
    static long double gradient[ELEMENTS];
    long double n = 0;
    draw_elemt_backward(rank, shape);
    compute("aclnnBatchNormElemtBackward");
    for (int64_t i = 0; i < call.tensor[7].count; i++)
        n += call.before[7][i];
    for (int64_t i = 0; i < call.tensor[0].count; i++) {
        const int64_t c = channel_of(&call.tensor[0], i);
        const long double invstd = had(3, c, 0), apart = call.before[1][i] - had(2, c, 0);
        gradient[i] = (call.before[0][i] - had(5, c, 0) / n - apart * invstd * invstd * had(6, c, 0) / n) *
                      invstd * had(4, c, 1);
    }
    assert_output("aclnnBatchNormElemtBackward", 8, true, gradient, SLACK);
    forget_call(find("aclnnBatchNormElemtBackward"));
}

static void try_reduce_backward(unsigned rank, const int64_t *shape)
{
    const aclDataType dtype = draw_dtype();
    unsigned wanted = 0;
    give(0, dtype, rank, shape, true, 2), give(1, dtype, rank, shape, true, 4);
    for (unsigned i = 2; i <= 4; i++)
        if (i != 4 || random_below(2) == 0)
            give(i, draw_dtype(), 1, shape + 1, true, 2);
    for (unsigned i = 0; i < 3; i++) {
        call.argument[5 + i].int64 = 0;
        call.argument[5 + i].boolean = random_below(3) > 0;
        wanted |= call.argument[5 + i].boolean ? i == 0 ? 3U : 2U << i : 0;
    }
    for (unsigned i = 0; i < 4; i++)
        if ((wanted >> i & 1) != 0 || random_below(2) == 0)
            give_result(8 + i, draw_dtype(), 1, shape + 1);
    compute("aclnnBatchNormReduceBackward");
    for (int64_t i = 0; i < call.tensor[0].count; i++) {
        const int64_t c = channel_of(&call.tensor[0], i);
        sums[0][c] += call.before[0][i];
        sums[1][c] += call.before[0][i] * (call.before[1][i] - had(2, c, 0));
    }
    for (int64_t c = 0; c < shape[1]; c++) {
        sums[2][c] = sums[1][c] * had(3, c, 0);
        sums[3][c] = sums[0][c];
    }
    judge("aclnnBatchNormReduceBackward", 8, 4, wanted);
}

/* Of statistics, whose input comes first, or of sums, whose running tensors are always given. */
static void try_gathered(int64_t devices, int64_t channels, bool is_sums)
{
    const char *name = is_sums ? "aclnnSyncBatchNormGatherStats" : "aclnnBatchNormGatherStatsWithCounts";
    const unsigned first = is_sums ? 0 : 1, counts = is_sums ? 2 : 7, running = 3, out = is_sums ? 7 : 8;
    const int64_t rows[] = {devices, channels};
    if (!is_sums)
        give(0, draw_dtype(), 3, (const int64_t[]){2, channels, 3}, true, 1);
    give(first, ACL_FLOAT, 2, rows, true, 2);
    give_positive(first + 1, ACL_FLOAT, 2, rows);
    give_positive(counts, draw_dtype(), 1, rows);
    for (int64_t i = 0; i < call.tensor[first].count && is_sums; i++) { /* of squares, more than sums allow */
        call.before[1][i] = (long double)(float)(call.before[1][i] + 20);
        set_element(&call.tensor[1], i, (double)call.before[1][i]);
    }
    for (unsigned i = 0; i < 2; i++)
        if (is_sums || random_below(2) == 0)
            give(running + i, draw_dtype(), 1, rows + 1, false, 2);
    if (is_sums) {
        call.argument[5].fp32 = 0.25F;
        call.argument[6].fp32 = 0.5F;
    } else {
        call.argument[5].fp64 = 0.25;
        call.argument[6].fp64 = 0.5;
    }
    give_result(out, draw_dtype(), 1, rows + 1), give_result(out + 1, draw_dtype(), 1, rows + 1);
    compute(name);
    for (int64_t c = 0; c < channels; c++) {
        long double n = 0, mean = 0, variance = 0;
        for (int64_t k = 0; k < devices; k++) {
            const long double own = call.before[counts][k], at = call.before[first][k * channels + c];
            n += own;
            mean += is_sums ? at : own * at;
        }
        mean /= n;
        for (int64_t k = 0; k < devices; k++) {
            const long double own = call.before[counts][k], at = call.before[first][k * channels + c],
                              spread = call.before[first + 1][k * channels + c];
            variance += is_sums ? spread : own * (1 / (spread * spread) - 0.5L + (at - mean) * (at - mean));
        }
        variance = variance / n - (is_sums ? mean * mean : 0);
        variance = variance < 0 ? 0 : variance;
        sums[0][c] = mean;
        sums[1][c] = 1 / sqrtl(variance + 0.5L);
        sums[2][c] = had(running, c, 0) * 0.75L + mean * 0.25L;
        sums[3][c] = had(running + 1, c, 0) * 0.75L + variance * 0.25L * (n > 1 ? n / (n - 1) : 1);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_output("running", running + i, true, sums[2 + i], 0x1p-25L * (long double)devices);
    judge(name, out, 2, 3);
}

static void all_layouts_are_near(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(250); i++) {
        int64_t shape[4];
        const unsigned rank = draw_dims(shape, 2, 4, 10000);
        switch (i % 7) {
        case 0:
        case 1:
            try_stats(rank, shape, i % 7 == 0);
            break;
        case 2:
            try_elemt(rank, shape);
            break;
        case 3:
            try_elemt_backward(rank, shape);
            break;
        case 4:
            try_reduce_backward(rank, shape);
            break;
        default:
            try_gathered(1 + random_below(i % 3 == 0 ? 60 : 5), 1 + random_below(70), i % 7 == 5);
            break;
        }
    }
    try_stats(3, (const int64_t[]){2, 3, 0}, true);
    try_stats(3, (const int64_t[]){2, 3, 0}, false);
    try_elemt(3, (const int64_t[]){2, 3, 0});
    try_reduce_backward(3, (const int64_t[]){0, 3, 5});
}

static void faults_are_refused(void **state)
{
    struct attempt attempt = accepted(find("aclnnBatchNormStats"));
    (void)state;
    replace(&attempt, 2, tensor_with(ACL_FLOAT16, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mean has dtype FLOAT16; FLOAT");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(3, 0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input has 0 channels; 1 or more is expected");
    release(&attempt);
    attempt = accepted(find("aclnnBatchNormElemt"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mean has 2 elements; 3, one for each channel");
    release(&attempt);
    attempt = accepted(find("aclnnBatchNormElemtBackward"));
    replace_dtype(&attempt, 0, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "input has dtype FLOAT");
    replace_dtype(&attempt, 7, ACL_INT8);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "counter has dtype INT8");
    release(&attempt);
    attempt = accepted(find("aclnnBatchNormReduceBackward"));
    const aclTensor *kept = attempt.argument[10].tensor;
    attempt.argument[10].tensor = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "gradWeight is NULL, which weightG asks for");
    attempt.argument[6].boolean = false;
    assert_accepted(&attempt);
    attempt.argument[10].tensor = kept;
    release(&attempt);
    attempt = accepted(find("aclnnBatchNormGatherStatsWithCounts"));
    replace(&attempt, 7, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "counts has 3 elements; 2, one for each device");
    replace(&attempt, 2, tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "invstd is expected to have a row for each device, of 3");
    release(&attempt);
}

static uint64_t everything(void)
{
    static const int64_t shapes[][3] = {{300, 60, 1}, {10, 20, 90}, {2, 4, 2000}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < 9; i++) {
        draw_elemt_backward(3, shapes[i % 3]);
        hash = hash_of_call(find("aclnnBatchNormElemtBackward"), hash);
        give(0, draw_dtype(), 3, shapes[i % 3], true, 4);
        give_result(1, ACL_FLOAT, 1, shapes[i % 3] + 1), give_result(2, ACL_FLOAT, 1, shapes[i % 3] + 1);
        hash = hash_of_call(find("aclnnBatchNormReduce"), hash);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_are_near),
        cmocka_unit_test(faults_are_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
