/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Max, Min, the forms of Aminmax, Any and All in any layout and dtype against a loop over the elements; of
 * nothing; and what they refuse.
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

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_BOOL};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

/* Whether a stands before b, NaN before everything; by their own dtype, since INT64 has more bits than a
 * double. */
static bool is_before(const struct layout *self, int64_t a, int64_t b, bool is_max)
{
    int64_t x, y;
    if (is_float_dtype(self->dtype)) {
        const double p = element_of(self, a), q = element_of(self, b);
        if (isnan(p) || isnan(q))
            return isnan(p) && !isnan(q);
        if (p == q)
            return is_max ? signbit(p) < signbit(q) : signbit(p) > signbit(q);
        return is_max ? p > q : p < q;
    }
    conversion_reference(layout_element(self, a), self->dtype, &x, ACL_INT64);
    conversion_reference(layout_element(self, b), self->dtype, &y, ACL_INT64);
    return is_max ? x > y : x < y;
}

static void extremes_of_all_layouts_and_dtypes_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(300); i++) {
        const bool is_max = i % 2 == 0;
        const enum layout_kind kind = (enum layout_kind)random_below(LAYOUT_KINDS);
        int64_t shape[LAYOUT_RANK_MAX], best = 0;
        const unsigned rank = draw_dims(shape, 0, 4, 6000);
        struct layout self = layout_create(dtypes[random_below(DTYPES)], rank, shape, kind);
        struct layout out = layout_create(random_below(2) == 0 ? self.dtype : dtypes[random_below(DTYPES)],
                                          (unsigned)random_below(2), (const int64_t[]){1}, LAYOUT_GAPS);
        unsigned char wanted[16];
        layout_fill(&self, 9, random_below(2) == 0 ? MANY_SPECIALS : NO_SPECIALS);
        for (int64_t k = 0; i % 3 == 0 && is_float_dtype(self.dtype) && k < self.count; k++)
            set_element(&self, k, random_below(2) == 0 ? 0.0 : -0.0);
        for (int64_t k = 1; k < self.count; k++)
            best = is_before(&self, k, best, is_max) ? k : best;
        conversion_reference(layout_element(&self, best), self.dtype, wanted, out.dtype);
        const double nan = (double)NAN;
        if (is_float_dtype(self.dtype) && isnan(element_of(&self, best)))
            conversion_reference(&nan, ACL_DOUBLE, wanted, out.dtype);
        const union argument argument[] = {{.tensor = self.tensor}, {.tensor = out.tensor}};
        assert_int_equal(call_function(find(is_max ? "aclnnMax" : "aclnnMin"), argument), 0);
        assert_memory_equal(layout_element(&out, 0), wanted, out.bytes);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

/* Of the elements that one of an output is made of: all, or those along the middle dim of three. */
static void assert_extreme(const struct layout *self, const struct layout *out, int64_t o, bool is_whole,
                           bool is_max)
{
    const int64_t *shape = self->shape;
    const double nan = (double)NAN;
    int64_t best = -1;
    unsigned char wanted[16];
    for (int64_t k = 0; k < self->count; k++) {
        const bool is_own =
            is_whole || (k / (shape[1] * shape[2]) == o / shape[2] && k % shape[2] == o % shape[2]);
        if (is_own && (best < 0 || is_before(self, k, best, is_max)))
            best = k;
    }
    memcpy(wanted, layout_element(self, best), self->bytes);
    if (is_float_dtype(self->dtype) && isnan(element_of(self, best)))
        conversion_reference(&nan, ACL_DOUBLE, wanted, self->dtype);
    assert_memory_equal(layout_element(out, o), wanted, self->bytes);
}

static void both_extremes_at_once(void **state)
{
    static const char *const names[] = {"aclnnAminmax", "aclnnAminmaxDim", "aclnnAminmaxAll"};
    (void)state;
    for (int i = 0; i < times_effort(90); i++) {
        const bool is_all = i % 3 == 2, is_whole = is_all || (i % 3 == 0 && random_below(2) == 0);
        const bool keeps = !is_all && random_below(2) == 0;
        const int64_t shape[] = {1 + random_below(9), 1 + random_below(30), 1 + random_below(12)}, dim = -2;
        const int64_t kept[] = {shape[0], keeps ? 1 : shape[2], shape[2]}, ones[] = {1, 1, 1};
        const unsigned rank = is_whole ? (keeps ? 3 : 0) : keeps ? 3 : 2;
        struct layout self = layout_create(dtypes[random_below(DTYPES)], 3, shape,
                                           (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout out[2];
        for (int k = 0; k < 2; k++)
            out[k] = layout_create(self.dtype, rank, is_whole ? ones : kept, LAYOUT_GAPS);
        layout_fill(&self, 9, random_below(2) == 0 ? MANY_SPECIALS : NO_SPECIALS);
        for (int64_t k = 0; i % 4 == 0 && is_float_dtype(self.dtype) && k < self.count; k++)
            set_element(&self, k, random_below(2) == 0 ? 0.0 : -0.0);
        aclIntArray *dims = aclCreateIntArray(&dim, is_whole ? 0 : 1);
        union argument argument[5] = {{.tensor = self.tensor}, {.ints = dims}, argument_of_bool(keeps)};
        if (i % 3 == 1)
            argument[1] = argument_of_integer(dim);
        argument[is_all ? 1 : 3].tensor = out[0].tensor;
        argument[is_all ? 2 : 4].tensor = out[1].tensor;
        assert_int_equal(call_function(find(names[i % 3]), argument), 0);
        for (int64_t o = 0; o < 2 * out[0].count; o++)
            assert_extreme(&self, &out[o % 2], o / 2, is_whole, o % 2 == 1);
        if (is_whole && self.dtype != ACL_BOOL) { /* the least on self, which the greatest are read from */
            assert_int_equal(aclDestroyTensor(out[0].tensor), 0);
            const int64_t place = self.offset;
            unsigned char greatest[16];
            memcpy(greatest, layout_element(&out[1], 0), self.bytes);
            out[0].tensor = aclCreateTensor(ones, rank, self.dtype, ones, place, ACL_FORMAT_ND, &self.reach,
                                            1, memory_known_as(self.memory));
            argument[is_all ? 1 : 3].tensor = out[0].tensor;
            if (self.reach > place) {
                assert_int_equal(call_function(find(names[i % 3]), argument), 0);
                assert_memory_equal(layout_element(&out[1], 0), greatest, self.bytes);
            }
        }
        assert_int_equal(aclDestroyIntArray(dims), 0);
        layout_destroy(&self);
        layout_destroy(&out[0]);
        layout_destroy(&out[1]);
    }
}

/* Along one dim of three or all of them. */
static void truths_of_all_layouts_and_dtypes_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(60); i++) {
        const bool is_all = i % 2 == 0, keeps = random_below(2) == 0, is_whole = random_below(4) == 0;
        const int64_t shape[] = {1 + random_below(40), random_below(30), 1 + random_below(20)};
        const int64_t kept[] = {shape[0], keeps ? 1 : shape[2], shape[2]}, ones[] = {1, 1, 1}, dim = -2;
        struct layout self = layout_create(dtypes[random_below(DTYPES)], 3, shape,
                                           (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout out = layout_create(random_below(2) == 0 ? ACL_BOOL : ACL_UINT8,
                                          is_whole ? (keeps ? 3 : 0)
                                          : keeps  ? 3
                                                   : 2,
                                          is_whole ? ones : kept, LAYOUT_GAPS);
        layout_fill(&self, 2, MANY_SPECIALS);
        for (int64_t k = 0; k < self.count; k++) /* few of the rarer kind */
            if ((random_below(24) == 0) == is_all)
                memset(layout_element(&self, k), 0, self.bytes);
        aclIntArray *dims = aclCreateIntArray(&dim, is_whole ? 0 : 1);
        const union argument argument[] = {
            {.tensor = self.tensor}, {.ints = dims}, argument_of_bool(keeps), {.tensor = out.tensor}};
        assert_int_equal(call_function(find(is_all ? "aclnnAll" : "aclnnAny"), argument), 0);
        for (int64_t o = 0; o < out.count; o++) {
            bool is_true = is_all;
            for (int64_t k = 0; k < self.count; k++) {
                const bool is_own =
                    is_whole || (k / (shape[1] * shape[2]) == o / shape[2] && k % shape[2] == o % shape[2]);
                const double value = element_of(&self, k);
                const bool truth = !(value == 0);
                is_true = !is_own ? is_true : is_all ? is_true && truth : is_true || truth;
            }
            assert_int_equal(*layout_element(&out, o), is_true);
        }
        assert_int_equal(aclDestroyIntArray(dims), 0);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void faults_are_refused(void **state)
{
    struct attempt of_both = accepted(find("aclnnAminmaxDim"));
    replace(&of_both, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
    assert_refused(&of_both, ACLNN_ERR_PARAM_INVALID, "a dim of self that is to go has size 0");
    of_both.argument[1].int64 = 2;
    assert_refused(&of_both, ACLNN_ERR_PARAM_INVALID, "dim names dim 2");
    release(&of_both);
    static const char *const names[] = {"aclnnMax", "aclnnMin"}, *const truths[] = {"aclnnAny", "aclnnAll"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct attempt attempt = accepted(find(names[i]));
        replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2]");
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 2, DIMS(2, 0), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has no elements");
        release(&attempt);
        attempt = accepted(find(truths[i]));
        replace_dtype(&attempt, 3, ACL_FLOAT);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype FLOAT");
        release(&attempt);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_of_all_layouts_and_dtypes_are_exact),
        cmocka_unit_test(both_extremes_at_once),
        cmocka_unit_test(truths_of_all_layouts_and_dtypes_are_exact),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
