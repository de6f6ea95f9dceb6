/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ROIAlign, its gradient and Iou against loops in long double; examples of known results; what is a fault, what is
 * refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { IMAGES = 2, ROIS_MAX = 4, PLANE_MAX = 100 };

struct regions {
    int64_t rois, channels, size[2], bins[2], samples, mode;
    long double scale;
};

/* What a place has of each element of a plane. */
static void weigh_place(const struct regions *of, long double y, long double x, long double share,
                        long double *weight)
{
    const long double place[] = {y, x};
    for (int i = 0; i < 2; i++)
        if (place[i] < -1 || place[i] > of->size[i])
            return;
    for (int64_t k = 0; k < of->size[0] * of->size[1]; k++) {
        const int64_t at[] = {k / of->size[1], k % of->size[1]};
        long double near = share;
        for (int i = 0; i < 2; i++) {
            const long double limited = fminl(fmaxl(place[i], 0), of->size[i] - 1),
                              apart = fabsl(limited - at[i]);
            near *= apart < 1 ? 1 - apart : 0;
        }
        weight[k] += near;
    }
}

/* What a bin of a region has of each element of its plane. */
static void weigh_bin(const struct trial *trial, const struct regions *of, int64_t roi, int64_t bin,
                      long double *weight)
{
    const int64_t place[] = {bin / of->bins[1], bin % of->bins[1]};
    long double begin[2], size[2];
    int64_t grid[2];
    for (int i = 0; i < 2; i++) {
        const long double shift = of->mode == 2 ? 0.5L : 0, more = of->mode == 1 ? 1 : 0;
        begin[i] = (long double)at(trial, "rois", roi * 5 + 2 - i) * of->scale - shift;
        size[i] = ((long double)at(trial, "rois", roi * 5 + 4 - i) + more) * of->scale - shift - begin[i];
        size[i] = (of->mode != 2 && size[i] < 1 ? 1 : size[i]) / of->bins[i];
        grid[i] = of->samples > 0 ? of->samples : (int64_t)fmaxl(ceill(size[i]), 0);
    }
    memset(weight, 0, PLANE_MAX * sizeof *weight);
    for (int64_t y = 0; y < grid[0]; y++)
        for (int64_t x = 0; x < grid[1]; x++)
            weigh_place(of, begin[0] + place[0] * size[0] + (y + 0.5L) * size[0] / grid[0],
                        begin[1] + place[1] * size[1] + (x + 0.5L) * size[1] / grid[1],
                        1.0L / (grid[0] * grid[1]), weight);
}

static struct regions give_regions(struct trial *trial, aclDataType dtype)
{
    struct regions of = {
        .rois = random_below(ROIS_MAX + 1), .channels = 1 + random_below(3), .mode = random_below(3)};
    for (int i = 0; i < 2; i++) {
        of.size[i] = 1 + random_below(9);
        of.bins[i] = 1 + random_below(4);
    }
    of.samples = random_below(3);
    of.scale = random_below(2) == 0 ? 0.25L : 1;
    trial->is_example = true; /* corners are set */
    give(trial, "rois", dtype, 2, DIMS(of.rois, 5), 1);
    for (int64_t r = 0; r < of.rois; r++) {
        set_element(given(trial, "rois"), r * 5, (double)random_below(IMAGES));
        for (int i = 1; i < 5;
             i++) /* in parts that all dtypes have, of which the grid is not near another one */
            set_element(given(trial, "rois"), r * 5 + i,
                        (double)random_below(128) / 8 - (i < 3 ? 4 : 0) + 0.0625);
    }
    trial->is_example = false;
    give_value(trial, "spatialScale", argument_of_fp32((float)of.scale));
    give_value(trial, "pooledHeight", argument_of_integer(of.bins[0]));
    give_value(trial, "pooledWidth", argument_of_integer(of.bins[1]));
    give_value(trial, "sampleNum", argument_of_integer(of.samples));
    give_value(trial, "roiEndMode", argument_of_integer(of.mode));
    return of;
}

static void regions_are_sampled(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnROIAlign");
    const struct regions of = give_regions(&trial, dtype);
    const int64_t bins = of.bins[0] * of.bins[1], elements = of.size[0] * of.size[1];
    give(&trial, "features", dtype, 4, DIMS(IMAGES, of.channels, of.size[0], of.size[1]), 2);
    give(&trial, "out", dtype, 4, DIMS(of.rois, of.channels, of.bins[0], of.bins[1]), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t k = 0; k < of.rois * of.channels * bins; k++) {
        const int64_t roi = k / bins / of.channels, image = (int64_t)at(&trial, "rois", roi * 5),
                      plane = image * of.channels + k / bins % of.channels;
        long double weight[PLANE_MAX], sum = 0;
        weigh_bin(&trial, &of, roi, k % bins, weight);
        for (int64_t e = 0; e < elements; e++)
            sum += weight[e] * (long double)at(&trial, "features", plane * elements + e);
        assert_near("out", given(&trial, "out"), k, sum, dtype, 1e-12L);
    }
    if (of.rois > 0) {
        set_element(given(&trial, "rois"), 0, IMAGES);
        expect_fault(&trial, "rois holds 2 for the image of region 0; 0 to 1 are expected");
        set_element(given(&trial, "rois"), 0, 0);
        set_element(given(&trial, "rois"), 3, (double)INFINITY);
        expect_fault(&trial, "region 0 of rois has corners that are not finite");
    }
    end_trial(&trial);
}

static void samples_give_back(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnROIAlignBackward");
    const struct regions of = give_regions(&trial, dtype);
    const int64_t bins = of.bins[0] * of.bins[1], elements = of.size[0] * of.size[1],
                  shape[] = {IMAGES, of.channels, of.size[0], of.size[1]};
    long double *sum = calloc((size_t)(IMAGES * of.channels * elements), sizeof *sum);
    give(&trial, "gradOutput", dtype, 4, DIMS(of.rois, of.channels, of.bins[0], of.bins[1]), 2);
    give(&trial, "gradInput", dtype, 4, shape, 1);
    give_value(&trial, "xShape", argument_of_pointer(aclCreateIntArray(shape, 4)));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t k = 0; k < of.rois * of.channels * bins; k++) {
        const int64_t roi = k / bins / of.channels, image = (int64_t)at(&trial, "rois", roi * 5),
                      plane = image * of.channels + k / bins % of.channels;
        long double weight[PLANE_MAX];
        weigh_bin(&trial, &of, roi, k % bins, weight);
        for (int64_t e = 0; e < elements; e++)
            sum[plane * elements + e] += weight[e] * (long double)at(&trial, "gradOutput", k);
    }
    for (int64_t i = 0; i < IMAGES * of.channels * elements; i++)
        assert_near("gradInput", given(&trial, "gradInput"), i, sum[i], dtype, 1e-12L);
    free(sum);
    end_trial(&trial);
}

static void boxes_overlap(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool is_aligned = random_below(2) == 0, is_of_second = random_below(2) == 0;
    const int64_t rows = random_below(9), columns = is_aligned ? rows : random_below(600);
    struct trial trial = trial_of("aclnnIou");
    trial.is_example = true;
    give(&trial, "bBoxes", dtype, 2, DIMS(rows, 4), 1);
    give(&trial, "gtBoxes", dtype, 2, DIMS(columns, 4), 1);
    for (int64_t i = 0; i < (rows + columns) * 4;
         i++) { /* from 0 to 63 apart in corners that all dtypes have */
        const bool is_second = i >= rows * 4;
        set_element(given(&trial, is_second ? "gtBoxes" : "bBoxes"), is_second ? i - rows * 4 : i,
                    (double)(random_below(32) + (i % 4 > 1 ? 24 : 0)));
    }
    give(&trial, "overlap", dtype, 2, DIMS(rows, is_aligned ? 1 : columns), 1);
    static char iou[] = "iou", iof[] = "iof";
    give_value(&trial, "mode", argument_of_pointer(is_of_second ? iof : iou));
    give_value(&trial, "aligned", argument_of_bool(is_aligned));
    give_value(&trial, "eps", argument_of_fp32(0.5F));
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t k = 0; k < given(&trial, "overlap")->count; k++) {
        const int64_t row = is_aligned ? k : k / columns, column = is_aligned ? k : k % columns;
        long double a[4], b[4], common = 1, first = 1, second = 1;
        for (int i = 0; i < 4; i++) {
            a[i] = (long double)at(&trial, "bBoxes", row * 4 + i);
            b[i] = (long double)at(&trial, "gtBoxes", column * 4 + i);
        }
        for (int i = 0; i < 2; i++) {
            common *= fmaxl(fminl(a[i + 2], b[i + 2]) - fmaxl(a[i], b[i]), 0);
            first *= a[i + 2] - a[i] + 0.5L;
            second *= b[i + 2] - b[i] + 0.5L;
        }
        const long double by = is_of_second ? second : first + second - common;
        if (by != 0)
            assert_near("overlap", given(&trial, "overlap"), k, common / by, dtype, 1e-12L);
    }
    for (unsigned i = 0; i < trial.function->parameter_count; i++) /* the text is nobody's to free */
        if (trial.function->parameter[i].kind == PARAMETER_STRING)
            trial.argument[i].string = NULL;
    end_trial(&trial);
}

static void (*const rounds[])(void) = {regions_are_sampled, samples_give_back, boxes_overlap};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(150));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 10);
    return trial_hash;
}

static void an_example_gives_what_it_should(void **state)
{
    static const double corner[] = {0, -2, -2, 22, 22},
                        wanted[] = {4.5, 6.5, 8.5, 16.5, 18.5, 20.5, 28.5, 30.5, 32.5};
    static const double boxes[2][4] = {{0, 0, 10, 10}, {0, 0, 10, 20}};
    (void)state;
    struct trial trial = example_of("aclnnROIAlign");
    give(&trial, "features", ACL_FLOAT, 4, DIMS(1, 1, 6, 6), 1);
    give(&trial, "rois", ACL_FLOAT, 2, DIMS(1, 5), 1);
    give(&trial, "out", ACL_FLOAT, 4, DIMS(1, 1, 3, 3), 1);
    for (int i = 0; i < 36; i++)
        set_element(given(&trial, "features"), i, i + 1);
    for (int i = 0; i < 5; i++)
        set_element(given(&trial, "rois"), i, corner[i]);
    give_value(&trial, "spatialScale", argument_of_fp32(0.25F));
    give_value(&trial, "pooledHeight", argument_of_integer(3));
    give_value(&trial, "pooledWidth", argument_of_integer(3));
    give_value(&trial, "roiEndMode", argument_of_integer(0));
    assert_int_equal(run_trial(&trial), 0);
    for (int i = 0; i < 9; i++)
        assert_true(at(&trial, "out", i) == wanted[i]);
    end_trial(&trial);
    trial = example_of("aclnnIou");
    give(&trial, "bBoxes", ACL_FLOAT, 2, DIMS(1, 4), 1);
    give(&trial, "gtBoxes", ACL_FLOAT, 2, DIMS(1, 4), 1);
    give(&trial, "overlap", ACL_FLOAT, 2, DIMS(1, 1), 1);
    for (int i = 0; i < 4; i++) {
        set_element(given(&trial, "bBoxes"), i, boxes[0][i]);
        set_element(given(&trial, "gtBoxes"), i, boxes[1][i]);
    }
    assert_int_equal(run_trial(&trial), 0);
    assert_near("overlap", given(&trial, "overlap"), 0, 0.49875L, ACL_FLOAT, 1e-5L);
    end_trial(&trial);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnROIAlign");
    refuse_tensor(&trial, "features", ACL_FLOAT, 3, DIMS(2, 5, 5), "features has shape [2, 5, 5]");
    refuse_tensor(&trial, "features", ACL_FLOAT, 4, DIMS(0, 2, 5, 5), "there are 3 regions of no image");
    refuse_tensor(&trial, "rois", ACL_FLOAT, 2, DIMS(3, 4), "rois has shape [3, 4]; [-1, 5] is expected");
    refuse_trial(&trial, "pooledWidth", argument_of_integer(0), "pooledHeight and pooledWidth are 2 and 0");
    refuse_trial(&trial, "sampleNum", argument_of_integer(-1), "sampleNum is -1; 0 to 4096 are expected");
    refuse_trial(&trial, "roiEndMode", argument_of_integer(3), "roiEndMode is 3; 0, 1 or 2 is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnROIAlignBackward");
    refuse_tensor(&trial, "gradOutput", ACL_FLOAT, 4, DIMS(3, 2, 2, 3), "gradOutput has shape [3, 2, 2, 3]");
    aclIntArray *sizes = aclCreateIntArray(DIMS(2, 5, 5), 3);
    refuse_trial(&trial, "xShape", argument_of_pointer(sizes),
                 "xShape is [2, 5, 5]; four sizes are expected");
    assert_int_equal(aclDestroyIntArray(sizes), 0);
    release(&attempt);
    trial = sample_of(&attempt, "aclnnIou");
    refuse_tensor(&trial, "bBoxes", ACL_FLOAT, 2, DIMS(3, 5), "bBoxes has shape [3, 5]; [-1, 4] is expected");
    refuse_tensor(&trial, "gtBoxes", ACL_FLOAT16, 2, DIMS(3, 4), "gtBoxes has dtype FLOAT16");
    static char other[] = "giou";
    refuse_trial(&trial, "mode", argument_of_pointer(other), "mode is \"giou\"; iou or iof is expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(an_example_gives_what_it_should),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
