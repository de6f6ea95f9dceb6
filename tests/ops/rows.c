/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of the rows family: their kernels against long double and, bit by bit, those of every level
 * against one another; and calls, whose layouts, dims and dtypes are drawn at random, against the kernel on
 * the same rows. The build runs this program for several numbers of threads and for each level.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_softmax.h"
#include "ops/attempt.h"
#include "ops/layout.h"
#include "simd/loops/rows_kernel.h"
#include "base/processor.h"
#include "support/effort.h"

ROWS_LEVELS(softmax);
ROWS_LEVELS(layer_norm);

enum { COUNT_MAX = 3000 };

static double x[COUNT_MAX], weight[COUNT_MAX], bias[COUNT_MAX], room[1 << 17], mean, rstd;

static void draw_row(size_t count, double size)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = draw_number(size, false);
        weight[i] = draw_number(2, false);
        bias[i] = draw_number(2, false);
    }
}

/* Lengths about the lanes and far beyond. */
static size_t draw_count(void)
{
    return (size_t)(random_below(4) == 0 ? 1 + random_below(COUNT_MAX) : 1 + random_below(100));
}

/* Within so many units in the last place of a double, of the exact value or, below it, of what is given. */
static void assert_close(double found, long double exact, long double least, long double ulps)
{
    const long double size = fabsl(exact) > least ? fabsl(exact) : least;
    if (!(fabsl((long double)found - exact) <= size * ulps * 0x1p-52L + 0x1p-1073L))
        fail_msg("%a is %La", found, exact);
}

static void assert_levels_agree(rows_function *const *kernel, const void *const *input, size_t count,
                                const void *parameters, const double *expected)
{
    static double out[COUNT_MAX];
    void *const output[] = {out, &mean, &rstd};
    for (enum isa_level level = 0; level <= processor_kernel_level(); level++) {
        kernel[level](input, output, count, room, parameters);
        for (size_t i = 0; i < count; i++)
            if (memcmp(&out[i], &expected[i], sizeof out[i]) != 0 && !(isnan(out[i]) && isnan(expected[i])))
                fail_msg("level %s: %a and not %a", isa_level_name(level), out[i], expected[i]);
    }
}

/* What the kernel is told of its numbers: whether they have 24 bits at most. */
static const bool are_long = false, are_short = true;

/* Of short numbers, within 2^-30. */
static void softmax_is_within_four_ulp_on_every_level(void **state)
{
    static double out[COUNT_MAX];
    const void *const input[] = {x};
    void *const output[] = {out};
    (void)state;
    for (int i = 0; i < times_effort(1200); i++) {
        const size_t count = draw_count();
        const bool *length = i % 2 == 0 ? &are_long : &are_short;
        draw_row(count, (double[]){1, 10, 100, 800, 1e30}[i / 2 % 5]);
        for (size_t k = 0; *length && k < count; k++)
            x[k] = (double)(float)x[k];
        softmax_row_baseline(input, output, count, room, length);
        long double greatest = -(long double)INFINITY, sum = 0;
        for (size_t k = 0; k < count; k++)
            greatest = (long double)x[k] > greatest ? (long double)x[k] : greatest;
        for (size_t k = 0; k < count; k++)
            sum += expl((long double)x[k] - greatest);
        for (size_t k = 0; k < count; k++)
            assert_close(out[k], expl((long double)x[k] - greatest) / sum, *length ? 0x1p-160L : 0,
                         *length ? 0x1p22L : 4);
        assert_levels_agree(softmax_rows, input, count, length, out);
    }
}

/* Bit by bit, and every NaN the canonical one, with the output in an input's place too. */
static void floats_agree(rows_function *kernel, rows_function *const *of_floats, size_t count,
                         const void *parameters)
{
    static float in[3][COUNT_MAX], out[COUNT_MAX], statistic[2];
    static double y[COUNT_MAX];
    double *const rows[] = {x, weight, bias};
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            rows[k][i] = (double)(float)rows[k][i];
    kernel((const void *const[]){x, weight, bias}, (void *const[]){y, &mean, &rstd}, count, room, parameters);
    for (enum isa_level level = 0; level <= processor_kernel_level(); level++)
        for (int is_in_place = 0; is_in_place < 2; is_in_place++) {
            float *to = is_in_place ? in[0] : out;
            for (size_t i = 0; i < count; i++)
                for (int k = 0; k < 3; k++)
                    in[k][i] = (float)rows[k][i];
            of_floats[level]((const void *const[]){in[0], in[1], in[2]},
                             (void *const[]){to, &statistic[0], &statistic[1]}, count, room, parameters);
            for (size_t i = 0; i < count; i++) {
                const float expected = isnan(y[i]) ? NAN : (float)y[i];
                if (memcmp(&to[i], &expected, sizeof expected) != 0)
                    fail_msg("level %s: %a and not %a", isa_level_name(level), (double)to[i],
                             (double)expected);
            }
        }
}

static void kernels_of_floats_round_what_those_of_doubles_give(void **state)
{
    const double eps = 1e-5;
    (void)state;
    for (int i = 0; i < times_effort(400); i++) {
        const size_t count = draw_count();
        draw_row(count, (double[]){1, 10, 100, 1e30}[i % 4]);
        if (i % 5 == 0)
            x[random_below((int64_t)count)] = i % 2 == 0 ? -(double)NAN : -(double)INFINITY;
        floats_agree(softmax_rows[ISA_BASELINE], softmax_rows_fp32, count, &are_short);
        floats_agree(layer_norm_rows[ISA_BASELINE], layer_norm_rows_fp32, count, &eps);
    }
}

static void rows_with_infinities_and_nan_are_nan(void **state)
{
    static double out[COUNT_MAX];
    static const double special[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    const void *const input[] = {x};
    void *const output[] = {out};
    (void)state;
    for (size_t count = 1; count < 70; count++)
        for (int k = 0; k < 3; k++) {
            draw_row(count, 3);
            const size_t place = (size_t)random_below((int64_t)count);
            x[place] = special[k];
            const bool *length = random_below(2) == 0 ? &are_long : &are_short;
            softmax_row_baseline(input, output, count, room, length);
            for (size_t i = 0; i < count; i++)
                assert_true(k < 2 || count == 1 ? isnan(out[i])
                            : i == place        ? out[i] < 0x1p-200
                                                : out[i] > 0);
            assert_levels_agree(softmax_rows, input, count, length, out);
        }
}

static void layer_norm_is_near_on_every_level(void **state)
{
    static double out[COUNT_MAX];
    void *const output[] = {out, &mean, &rstd};
    const double eps = 1e-5;
    (void)state;
    for (int i = 0; i < times_effort(600); i++) {
        const void *const input[] = {x, i % 3 == 0 ? NULL : weight, i % 2 == 0 ? NULL : bias};
        const size_t count = draw_count();
        const double size = (double[]){1e-3, 1, 1000}[i % 3];
        draw_row(count, size);
        layer_norm_row_baseline(input, output, count, room, &eps);
        long double sum = 0, squares = 0;
        for (size_t k = 0; k < count; k++)
            sum += (long double)x[k];
        sum /= (long double)count;
        for (size_t k = 0; k < count; k++)
            squares += ((long double)x[k] - sum) * ((long double)x[k] - sum);
        const long double exact = 1 / sqrtl(squares / (long double)count + (long double)eps);
        assert_close(mean, sum, (long double)size, 100);
        assert_close(rstd, exact, 0, 100);
        for (size_t k = 0; k < count; k++)
            assert_close(out[k],
                         ((long double)x[k] - sum) * exact * (input[1] != NULL ? (long double)weight[k] : 1) +
                             (input[2] != NULL ? (long double)bias[k] : 0),
                         fmaxl(1, (long double)size * exact) * 4, 400);
        assert_levels_agree(layer_norm_rows, input, count, &eps, out);
    }
}

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};

/* Elements of a tensor whose indices are first, first + step, ...; as doubles. */
static void take_row(const struct layout *layout, int64_t first, int64_t step, int64_t count, double *row)
{
    for (int64_t i = 0; i < count; i++)
        conversion_reference(layout_element(layout, first + i * step), layout->dtype, &row[i], ACL_DOUBLE);
}

static void assert_element(const struct layout *layout, int64_t index, double wanted, const char *what)
{
    unsigned char expected[8];
    wanted = isnan(wanted) ? (double)NAN : wanted;
    conversion_reference(&wanted, ACL_DOUBLE, expected, layout->dtype);
    if (memcmp(expected, layout_element(layout, index), layout->bytes) != 0)
        fail_msg("%s: element %lld of %lld of %s is not %a", what, (long long)index, (long long)layout->count,
                 dtype_name(layout->dtype), wanted);
}

static void finish(aclnnStatus status, aclOpExecutor *executor,
                   aclnnStatus (*launch)(void *, uint64_t, aclOpExecutor *, aclrtStream))
{
    if (status != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static unsigned draw_shape(int64_t *shape, unsigned least_rank)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 33, 70, 300, 1500};
    const unsigned rank = least_rank + (unsigned)random_below(LAYOUT_RANK_MAX - least_rank);
    int64_t count = 1;
    for (unsigned k = 0; k < rank; k++) {
        shape[k] = sizes[random_below(sizeof sizes / sizeof sizes[0])];
        shape[k] = count * shape[k] > 60000 ? 1 : shape[k];
        count *= shape[k];
    }
    return rank;
}

/* In place too, which from here on means the same tensor. */
static void try_softmax(aclDataType dtype, aclDataType out_dtype, unsigned rank, const int64_t *shape,
                        int64_t dim, enum layout_kind kind, bool is_in_place)
{
    static double in[1 << 17], y[1 << 17];
    struct layout self = layout_create(dtype, rank, shape, kind);
    struct layout out =
        is_in_place ? self
                    : layout_create(out_dtype, rank, shape, kind == LAYOUT_REPEATED ? LAYOUT_GAPS : kind);
    layout_fill(&self, 8, FEW_SPECIALS);
    for (int64_t i = 0; i < self.count; i++)
        take_row(&self, i, 1, 1, &in[i]);
    uint64_t bytes;
    aclOpExecutor *executor;
    aclnnStatus status = aclnnSoftmaxGetWorkspaceSize(
        self.tensor, random_below(2) == 0 && rank > 0 ? dim - rank : dim, out.tensor, &bytes, &executor);
    finish(status, executor, aclnnSoftmax);
    const int64_t size = rank > 0 ? shape[dim] : 1;
    int64_t step = 1;
    for (unsigned k = (unsigned)dim + 1; k < rank; k++)
        step *= shape[k];
    for (int64_t row = 0; row < self.count / size; row++) {
        static double values[1 << 17];
        const void *const input[] = {values};
        void *const output[] = {y};
        const int64_t first = row / step * step * size + row % step;
        for (int64_t i = 0; i < size; i++)
            values[i] = in[first + i * step];
        softmax_row_baseline(input, output, (size_t)size, room,
                             dtype == ACL_DOUBLE || (!is_in_place && out_dtype == ACL_DOUBLE) ? &are_long
                                                                                              : &are_short);
        for (int64_t i = 0; i < size; i++)
            assert_element(&out, first + i * step, y[i], "aclnnSoftmax");
    }
    layout_destroy(&self);
    if (!is_in_place)
        layout_destroy(&out);
}

static void softmax_of_all_layouts_has_the_kernels_bits(void **state)
{
    static const int64_t wide[] = {3, 20000}, tall[] = {5000, 7};
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_shape(shape, 0);
        const aclDataType dtype = dtypes[random_below(4)];
        const enum layout_kind kind = (enum layout_kind)random_below(LAYOUT_KINDS);
        try_softmax(dtype, dtypes[random_below(4)], rank, shape, rank > 0 ? random_below(rank) : 0, kind,
                    random_below(4) == 0 && kind != LAYOUT_REPEATED);
    }
    for (int dim = 0; dim < 2; dim++)
        for (int kind = 0; kind < LAYOUT_REPEATED; kind++) {
            try_softmax(ACL_FLOAT, ACL_FLOAT, 2, wide, dim, (enum layout_kind)kind, kind == 1);
            try_softmax(ACL_FLOAT16, ACL_FLOAT, 2, tall, dim, (enum layout_kind)kind, false);
        }
}

/* weight and bias where asked for, of 16 bits or FLOAT; mean and rstd in shapes of their own. */
static void try_layer_norm(unsigned rank, const int64_t *shape, unsigned last, enum layout_kind kind)
{
    static double row[1 << 17], w[1 << 17], b[1 << 17], y[1 << 17];
    const aclDataType dtype = dtypes[random_below(3)], factor = random_below(2) == 0 ? dtype : ACL_FLOAT;
    const bool has_weight = random_below(3) > 0, has_bias = random_below(3) > 0,
               has_mean = random_below(3) > 0;
    int64_t rows = 1;
    for (unsigned i = 0; i < rank - last; i++)
        rows *= shape[i];
    struct layout input = layout_create(dtype, rank, shape, kind);
    struct layout out =
        layout_create(dtypes[random_below(3)], rank, shape, kind == LAYOUT_REPEATED ? LAYOUT_PERMUTED : kind);
    struct layout factors[] = {layout_create(factor, last, shape + rank - last, kind),
                               layout_create(factor, last, shape + rank - last, LAYOUT_GAPS)};
    struct layout statistics[] = {layout_create(ACL_FLOAT, 1, &rows, LAYOUT_GAPS),
                                  layout_create(dtype, rank - last, shape, LAYOUT_PERMUTED)};
    const struct layout before = input;
    layout_fill(&before, 4, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
    layout_fill(&factors[0], 4, false);
    layout_fill(&factors[1], 4, false);
    aclIntArray *normalized = aclCreateIntArray(shape + rank - last, last);
    uint64_t bytes;
    aclOpExecutor *executor;
    const double eps = 1e-3;
    const int which = (int)random_below(3); /* of three that are the same */
    aclTensor *const mean_out = has_mean ? statistics[0].tensor : NULL;
    const aclTensor *const w_in = has_weight ? factors[0].tensor : NULL, *const b_in = has_bias
                                                                                           ? factors[1].tensor
                                                                                           : NULL;
    aclnnStatus status =
        which == 0 ? aclnnLayerNormGetWorkspaceSize(input.tensor, normalized, w_in, b_in, eps, out.tensor,
                                                    mean_out, statistics[1].tensor, &bytes, &executor)
        : which == 1
            ? aclnnFastLayerNormGetWorkspaceSize(input.tensor, normalized, w_in, b_in, eps, out.tensor,
                                                 mean_out, statistics[1].tensor, &bytes, &executor)
            : aclnnLayerNormWithImplModeGetWorkspaceSize(input.tensor, normalized, w_in, b_in, eps,
                                                         out.tensor, mean_out, statistics[1].tensor, 1,
                                                         &bytes, &executor);
    finish(status, executor,
           which == 0   ? aclnnLayerNorm
           : which == 1 ? aclnnFastLayerNorm
                        : aclnnLayerNormWithImplMode);
    const int64_t count = input.count / rows;
    take_row(&factors[0], 0, 1, count, w);
    take_row(&factors[1], 0, 1, count, b);
    for (int64_t i = 0; i < rows; i++) {
        const void *const inputs[] = {row, has_weight ? w : NULL, has_bias ? b : NULL};
        void *const outputs[] = {y, &mean, &rstd};
        take_row(&before, i * count, 1, count, row);
        layer_norm_row_baseline(inputs, outputs, (size_t)count, room, &eps);
        for (int64_t k = 0; k < count; k++)
            assert_element(&out, i * count + k, y[k], "aclnnLayerNorm out");
        if (has_mean)
            assert_element(&statistics[0], i, mean, "aclnnLayerNorm mean");
        assert_element(&statistics[1], i, rstd, "aclnnLayerNorm rstd");
    }
    assert_int_equal(aclDestroyIntArray(normalized), 0);
    for (int i = 0; i < 2; i++) {
        layout_destroy(&factors[i]);
        layout_destroy(&statistics[i]);
    }
    layout_destroy(&input);
    layout_destroy(&out);
}

static void layer_norm_of_all_layouts_has_the_kernels_bits(void **state)
{
    static const int64_t wide[] = {3, 20000}, tall[] = {5000, 7};
    (void)state;
    for (int i = 0; i < times_effort(200); i++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_shape(shape, 1);
        try_layer_norm(rank, shape, 1 + (unsigned)random_below(rank),
                       (enum layout_kind)random_below(LAYOUT_KINDS));
    }
    for (int kind = 0; kind < LAYOUT_REPEATED; kind++) {
        try_layer_norm(2, wide, 1, (enum layout_kind)kind);
        try_layer_norm(2, tall, 1, (enum layout_kind)kind);
    }
}

/* Rows without elements: mean 0, rstd NaN. */
static void rows_of_nothing(void **state)
{
    static const int64_t shape[] = {3, 0};
    (void)state;
    struct layout input = layout_create(ACL_FLOAT, 2, shape, LAYOUT_CONTIGUOUS);
    struct layout statistics[] = {layout_create(ACL_FLOAT, 1, shape, LAYOUT_CONTIGUOUS),
                                  layout_create(ACL_FLOAT, 1, shape, LAYOUT_CONTIGUOUS)};
    aclIntArray *normalized = aclCreateIntArray(shape + 1, 1);
    uint64_t bytes;
    aclOpExecutor *executor;
    aclnnStatus status =
        aclnnLayerNormGetWorkspaceSize(input.tensor, normalized, NULL, NULL, 1e-5, input.tensor,
                                       statistics[0].tensor, statistics[1].tensor, &bytes, &executor);
    finish(status, executor, aclnnLayerNorm);
    for (int64_t i = 0; i < 3; i++) {
        assert_element(&statistics[0], i, 0, "mean");
        assert_element(&statistics[1], i, (double)NAN, "rstd");
    }
    status = aclnnSoftmaxGetWorkspaceSize(input.tensor, 1, input.tensor, &bytes, &executor);
    finish(status, executor, aclnnSoftmax);
    assert_int_equal(aclDestroyIntArray(normalized), 0);
    layout_destroy(&input);
    layout_destroy(&statistics[0]);
    layout_destroy(&statistics[1]);
}

/* As if inputs had been copied first: the output begins so many elements into the input. */
static void an_output_may_overlap_the_input(void **state)
{
    enum { ROWS = 40, COLUMNS = 300, MOST = 700 };
    static const int64_t shape[] = {ROWS, COLUMNS}, stride[] = {COLUMNS, 1}, all[] = {ROWS * COLUMNS + MOST};
    static double before[ROWS * COLUMNS + MOST], y[COLUMNS];
    (void)state;
    for (int64_t offset = -MOST; offset <= MOST; offset += 70) {
        struct layout whole = layout_create(ACL_FLOAT, 1, all, LAYOUT_CONTIGUOUS), out = whole;
        layout_fill(&whole, 8, false);
        take_row(&whole, 0, 1, all[0], before);
        const int64_t from = offset < 0 ? -offset : 0, to = offset < 0 ? 0 : offset;
        aclTensor *self = aclCreateTensor(shape, 2, ACL_FLOAT, stride, from, ACL_FORMAT_ND, all, 1,
                                          memory_known_as(whole.memory));
        aclTensor *result = aclCreateTensor(shape, 2, ACL_FLOAT, stride, to, ACL_FORMAT_ND, all, 1,
                                            memory_known_as(whole.memory));
        uint64_t bytes;
        aclOpExecutor *executor;
        aclnnStatus status = aclnnSoftmaxGetWorkspaceSize(self, 1, result, &bytes, &executor);
        finish(status, executor, aclnnSoftmax);
        for (int64_t row = 0; row < ROWS; row++) {
            const void *const input[] = {before + from + row * COLUMNS};
            void *const output[] = {y};
            softmax_row_baseline(input, output, COLUMNS, room, &are_short);
            for (int64_t i = 0; i < COLUMNS; i++)
                assert_element(&out, to + row * COLUMNS + i, y[i], "overlapping output");
        }
        assert_int_equal(aclDestroyTensor(self), 0);
        assert_int_equal(aclDestroyTensor(result), 0);
        layout_destroy(&whole);
    }
}

static void faults_are_refused(void **state)
{
    static const struct {
        int64_t shape[3];
        uint64_t count;
        const char *text;
    } faults[] = {{{0}, 0, "normalizedShape has 0 dims and input 2"},
                  {{2, 2, 3}, 3, "normalizedShape has 3 dims"},
                  {{2}, 1, "normalizedShape has 2 at 0 where input has 3"},
                  {{2, 3}, 2, "weightOptional has another shape"}};
    (void)state;
    struct attempt attempt = accepted(find("aclnnLayerNorm"));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        assert_int_equal(aclDestroyIntArray(attempt.argument[1].ints), 0);
        attempt.argument[1].ints = aclCreateIntArray(faults[i].shape, faults[i].count);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, faults[i].text);
    }
    release(&attempt);
    attempt = accepted(find("aclnnLayerNorm"));
    replace_dtype(&attempt, 3, ACL_FLOAT16); /* beside an input of FLOAT */
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "biasOptional");
    release(&attempt);
    attempt = accepted(find("aclnnSoftmax"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "dim names dim 2 of self; one from -2 to 1 is expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_is_within_four_ulp_on_every_level),
        cmocka_unit_test(rows_with_infinities_and_nan_are_nan),
        cmocka_unit_test(kernels_of_floats_round_what_those_of_doubles_give),
        cmocka_unit_test(layer_norm_is_near_on_every_level),
        cmocka_unit_test(softmax_of_all_layouts_has_the_kernels_bits),
        cmocka_unit_test(layer_norm_of_all_layouts_has_the_kernels_bits),
        cmocka_unit_test(rows_of_nothing),
        cmocka_unit_test(an_output_may_overlap_the_input),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
