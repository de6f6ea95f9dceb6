/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * EmbeddingRenorm, Pdist, MultilabelMarginLoss, MaxUnpool2d and MaxUnpool3d against plain loops in long
 * double, in any layout; indices and targets that are none, and calls that are refused.
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
    return layout_create(dtype, rank, shape,
                         (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
}

static aclDataType draw_index_dtype(void)
{
    return random_below(2) == 0 ? ACL_INT32 : ACL_INT64;
}

static void set_index(const struct layout *layout, int64_t i, int64_t value)
{
    memcpy(layout_element(layout, i), &value, layout->bytes);
}

static int64_t index_of(const struct layout *layout, int64_t i)
{
    int64_t wide = 0;
    int32_t narrow;
    memcpy(&wide, layout_element(layout, i), layout->bytes);
    memcpy(&narrow, &wide, sizeof narrow);
    return layout->bytes == 4 ? narrow : wide;
}

static void fill_indices(const struct layout *layout, int64_t least, int64_t behind)
{
    for (int64_t i = 0; i < layout->count; i++)
        set_index(layout, i, least + random_below(behind - least));
}

static const double norms[] = {0, 0.5, 1, 2, 3.5, (double)INFINITY};

/* Of differences, or of elements alone. */
static long double norm_of(const struct layout *self, int64_t first, int64_t other, int64_t width, double p)
{
    long double sum = 0;
    for (int64_t k = 0; k < width; k++) {
        const long double x = (long double)element_of(self, first * width + k) -
                              (other < 0 ? 0 : (long double)element_of(self, other * width + k));
        sum = isinf(p) ? fmaxl(sum, fabsl(x)) : sum + (x == 0 ? 0 : powl(fabsl(x), (long double)p));
    }
    return isinf(p) || p == 0 ? sum : powl(sum, 1 / (long double)p);
}

static void rows_that_are_named_get_shorter(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t rows = 1 + random_below(20), width = 1 + random_below(70);
        const double p = norms[random_below(6)], most = 0.25 + (double)random_below(40) / 4;
        struct layout self = draw(short_dtypes[round % 3], 2, DIMS(rows, width), false),
                      before = layout_create(self.dtype, 2, DIMS(rows, width), LAYOUT_CONTIGUOUS),
                      indices = draw(draw_index_dtype(), 2, DIMS(2, 1 + random_below(5)), true);
        layout_fill(&self, 2, false), fill_indices(&indices, 0, rows);
        for (int64_t i = 0; i < self.count; i++)
            set_element(&before, i, element_of(&self, i));
        const union argument argument[] = {
            {.tensor = self.tensor}, {.tensor = indices.tensor}, {.fp64 = most}, {.fp64 = p}};
        assert_int_equal(call_function(find("aclnnEmbeddingRenorm"), argument), 0);
        for (int64_t row = 0; row < rows; row++) {
            bool is_named = false;
            for (int64_t i = 0; i < indices.count; i++)
                is_named = is_named || index_of(&indices, i) == row;
            const long double norm = norm_of(&before, row, -1, width, p);
            if (fabsl(norm - (long double)most) < 1e-9L)
                continue;
            for (int64_t k = row * width; k < (row + 1) * width; k++) {
                const long double x = (long double)element_of(&before, k);
                if (is_named && norm > (long double)most)
                    assert_near("the row", &self, k, x * (long double)most / (norm + 1e-7L), self.dtype,
                                fabsl(x) * 0x1p-40L);
                else
                    assert_true((long double)element_of(&self, k) == x);
            }
        }
        layout_destroy(&self), layout_destroy(&before), layout_destroy(&indices);
    }
}

static void distances_of_all_pairs(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t rows = random_below(20), width = random_below(40);
        const double p = norms[random_below(6)];
        struct layout self = draw(short_dtypes[round % 3], 2, DIMS(rows, width), true),
                      out = draw(self.dtype, 1, DIMS(rows * (rows - 1) / 2), false);
        layout_fill(&self, 2, false);
        const union argument argument[] = {
            {.tensor = self.tensor}, argument_of_fp32((float)p), {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnPdist"), argument), 0);
        int64_t at = 0;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = i + 1; k < rows; k++, at++) {
                const long double wanted = norm_of(&self, i, k, width, p);
                assert_near("the distance", &out, at, wanted, self.dtype, wanted * 0x1p-40L);
            }
        layout_destroy(&self), layout_destroy(&out);
    }
}

/* The loss of a row, whose targets are marked. */
static long double margin_of(const struct layout *self, const struct layout *target, int64_t row,
                             int64_t classes, bool *is_target)
{
    long double sum = 0;
    int64_t count = 0;
    memset(is_target, 0, (size_t)classes);
    for (; count < classes && index_of(target, row * classes + count) >= 0; count++)
        is_target[index_of(target, row * classes + count)] = true;
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < classes; c++)
            if (!is_target[c])
                sum += fmaxl(
                    0,
                    1 - (long double)element_of(self, row * classes + index_of(target, row * classes + i)) +
                        (long double)element_of(self, row * classes + c));
    return sum / (long double)classes;
}

static void margins_of_targets_from_others(void **state)
{
    enum { CLASSES = 12 };
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const unsigned rank = random_below(4) == 0 ? (unsigned)random_below(2) : 2;
        const int64_t classes = rank == 0 ? 1 : 1 + random_below(CLASSES), rows = 1 + random_below(9),
                      reduction = random_below(3);
        const int64_t shape[] = {rows, classes}, all = rank < 2 ? 1 : rows;
        const bool is_each = reduction == 0 && rank == 2;
        struct layout self = draw(short_dtypes[round % 3], rank, shape + (2 - rank), true),
                      target = draw(draw_index_dtype(), rank, shape + (2 - rank), false),
                      out = draw(self.dtype, is_each ? 1 : 0, DIMS(rows), false),
                      marks = draw(self.dtype, rank, shape + (2 - rank), false);
        layout_fill(&self, 2, false), fill_indices(&target, -1, classes);
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.tensor = target.tensor},
                                           {.int64 = reduction},
                                           {.tensor = out.tensor},
                                           {.tensor = marks.tensor}};
        assert_int_equal(call_function(find("aclnnMultilabelMarginLoss"), argument), 0);
        long double sum = 0;
        for (int64_t row = 0; row < all; row++) {
            bool is_target[CLASSES];
            const long double loss = margin_of(&self, &target, row, classes, is_target);
            sum += loss;
            if (is_each)
                assert_near("the loss", &out, row, loss, self.dtype, 1e-12L);
            for (int64_t c = 0; c < classes; c++)
                assert_true(element_of(&marks, row * classes + c) == (is_target[c] ? 1 : 0));
        }
        if (!is_each)
            assert_near("the loss", &out, 0, reduction == 1 ? sum / (long double)all : sum, self.dtype,
                        1e-12L);
        layout_destroy(&self), layout_destroy(&target), layout_destroy(&out), layout_destroy(&marks);
    }
}

static void elements_go_where_indices_say(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_INT64};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const unsigned axes = 2 + (unsigned)random_below(2), rank = axes + 1 + (unsigned)random_below(2);
        int64_t shape[5], out_shape[5], planes = 1, in = 1, out_count = 1;
        for (unsigned i = 0; i < rank; i++) {
            const bool is_axis = i >= rank - axes;
            shape[i] = 1 + random_below(4);
            out_shape[i] = is_axis ? 1 + random_below(5) : shape[i];
            planes *= is_axis ? 1 : shape[i], in *= is_axis ? shape[i] : 1,
                out_count *= is_axis ? out_shape[i] : 1;
        }
        struct layout self = draw(dtypes[round % 6], rank, shape, true),
                      indices = draw(draw_index_dtype(), rank, shape, true),
                      out = draw(self.dtype, rank, out_shape, false);
        layout_fill(&self, 2, FEW_SPECIALS), fill_indices(&indices, 0, out_count);
        const aclIntArray *size = aclCreateIntArray(out_shape + rank - axes, axes),
                          *step = aclCreateIntArray(DIMS(2, 2, 2), 3);
        const union argument flat[] = {
            {.tensor = self.tensor}, {.tensor = indices.tensor}, {.ints = size}, {.tensor = out.tensor}};
        const union argument deep[] = {{.tensor = self.tensor}, {.tensor = indices.tensor},
                                       {.ints = size},          {.ints = step},
                                       {.ints = step},          {.tensor = out.tensor}};
        assert_int_equal(
            call_function(find(axes == 2 ? "aclnnMaxUnpool2d" : "aclnnMaxUnpool3d"), axes == 2 ? flat : deep),
            0);
        for (int64_t i = 0; i < planes * out_count; i++) {
            static const unsigned char zeros[8];
            const unsigned char *wanted = zeros;
            for (int64_t k = 0; k < in; k++)
                if (index_of(&indices, i / out_count * in + k) == i % out_count)
                    wanted = layout_element(&self, i / out_count * in + k);
            assert_memory_equal(layout_element(&out, i), wanted, self.bytes);
        }
        assert_int_equal(aclDestroyIntArray(size), 0), assert_int_equal(aclDestroyIntArray(step), 0);
        layout_destroy(&self), layout_destroy(&indices), layout_destroy(&out);
    }
}

static void indices_that_are_none_fail(void **state)
{
    (void)state;
    struct layout self = layout_create(ACL_FLOAT, 3, DIMS(2, 2, 3), LAYOUT_CONTIGUOUS),
                  indices = layout_create(ACL_INT64, 3, DIMS(2, 2, 3), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_FLOAT, 3, DIMS(2, 4, 6), LAYOUT_CONTIGUOUS),
                  table = layout_create(ACL_FLOAT, 2, DIMS(3, 4), LAYOUT_CONTIGUOUS),
                  target = layout_create(ACL_INT64, 2, DIMS(3, 4), LAYOUT_CONTIGUOUS),
                  loss = layout_create(ACL_FLOAT, 0, DIMS(0), LAYOUT_CONTIGUOUS);
    fill_indices(&indices, 0, 3), layout_fill(&self, 1, false), layout_fill(&table, 3, false);
    set_index(&indices, 8, 24), fill_indices(&target, 0, 4), set_index(&target, 5, 4);
    const aclIntArray *size = aclCreateIntArray(DIMS(4, 6), 2);
    const union argument unpool[] = {
        {.tensor = self.tensor}, {.tensor = indices.tensor}, {.ints = size}, {.tensor = out.tensor}};
    assert_int_equal(call_function(find("aclnnMaxUnpool2d"), unpool), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("indices holds 24 for element 2 of plane 1; 0 to 23 are expected");
    const union argument renorm[] = {
        {.tensor = table.tensor}, {.tensor = indices.tensor}, {.fp64 = 0.5}, {.fp64 = 2}};
    const double first = element_of(&table, 0);
    assert_int_equal(call_function(find("aclnnEmbeddingRenorm"), renorm), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("indices holds 24 as element 8; 0 to 2 are expected");
    assert_true(element_of(&table, 0) == first);
    const union argument margin[] = {{.tensor = table.tensor},
                                     {.tensor = target.tensor},
                                     {.int64 = 2},
                                     {.tensor = loss.tensor},
                                     {.tensor = table.tensor}};
    assert_int_equal(call_function(find("aclnnMultilabelMarginLoss"), margin),
                     ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("target holds 4 at 1 of row 1; -1 to 3 are expected");
    assert_int_equal(aclDestroyIntArray(size), 0);
    struct layout *const all[] = {&self, &indices, &out, &table, &target, &loss};
    for (unsigned i = 0; i < 6; i++)
        layout_destroy(all[i]);
}

static void refuse_number(struct attempt *attempt, unsigned parameter, double number, const char *text)
{
    const union argument kept = attempt->argument[parameter];
    if (attempt->function->parameter[parameter].kind == PARAMETER_FLOAT)
        attempt->argument[parameter] = argument_of_fp32((float)number);
    else
        attempt->argument[parameter].fp64 = number;
    assert_refused(attempt, ACLNN_ERR_PARAM_INVALID, text);
    attempt->argument[parameter] = kept;
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnEmbeddingRenorm"));
    refuse_number(&attempt, 2, -1, "maxNorm is -1; 0 or more is expected");
    refuse_number(&attempt, 3, (double)NAN, "normType is ");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "selfRef has 3 dims; 2 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
    release(&attempt);
    attempt = accepted(find("aclnnPdist"));
    refuse_number(&attempt, 1, -1, "p is -1; 0 or more is expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 2 are expected");
    release(&attempt);
    attempt = accepted(find("aclnnMultilabelMarginLoss"));
    attempt.argument[2].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "reduction is 3");
    replace(&attempt, 1, tensor_with(ACL_INT64, 2, DIMS(2, 4), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "target has shape [2, 4]");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has no classes; 1 or more are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 2 at most are expected");
    release(&attempt);
    attempt = accepted(find("aclnnMaxUnpool3d"));
    (void)aclDestroyIntArray(attempt.argument[3].ints);
    attempt.argument[3].ints = aclCreateIntArray(DIMS(1, 0, 1), 3);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "stride holds 0 at [1]; 1 or more is expected");
    (void)aclDestroyIntArray(attempt.argument[2].ints);
    attempt.argument[2].ints = aclCreateIntArray(DIMS(1, 1), 2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "outputSize has 2 elements; 3 are expected");
    replace(&attempt, 1, tensor_with(ACL_INT64, 3, DIMS(2, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "indices has shape [2, 2, 3]");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 4 or 5 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_named_get_shorter), cmocka_unit_test(distances_of_all_pairs),
        cmocka_unit_test(margins_of_targets_from_others),  cmocka_unit_test(elements_go_where_indices_say),
        cmocka_unit_test(indices_that_are_none_fail),      cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
