/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cumsum, CumsumV2, Cumprod and InplaceCumprod in any layout and dtype against a loop over each line in the
 * order that is promised; and what they refuse.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "ops/lines.h"
#include "support/effort.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16,   ACL_BF16,      ACL_DOUBLE,
                                     ACL_INT8,  ACL_INT16,     ACL_INT32,     ACL_INT64,
                                     ACL_UINT8, ACL_COMPLEX64, ACL_COMPLEX128};

enum cumulation { CUMSUM, CUMSUM_V2, CUMPROD, INPLACE_CUMPROD, FUNCTIONS };
static const char *const names[] = {"aclnnCumsum", "aclnnCumsumV2", "aclnnCumprod", "aclnnInplaceCumprod"};

/* A running sum or product in the wide type of a dtype. */
union running {
    double real[2];
    uint64_t integer;
};

static aclDataType wide_of(aclDataType dtype)
{
    return is_complex_dtype(dtype) ? ACL_COMPLEX128 : is_float_dtype(dtype) ? ACL_DOUBLE : ACL_INT64;
}

static union running take(union running running, union running next, aclDataType wide, bool is_product)
{
    running.integer = wide != ACL_INT64 ? running.integer
                      : is_product      ? running.integer * next.integer
                                        : running.integer + next.integer;
    for (int i = 0; wide != ACL_INT64 && i < (wide == ACL_COMPLEX128 ? 2 : 1); i++)
        running.real[i] = is_product ? running.real[i] * next.real[i] : running.real[i] + next.real[i];
    return running;
}

/* Whether the element holds it, with the canonical NaN. */
static void assert_holds(const char *name, const struct layout *out, int64_t index, union running running,
                         aclDataType wide)
{
    unsigned char wanted[16];
    for (int i = 0; wide != ACL_INT64 && i < 2; i++)
        running.real[i] = isnan(running.real[i]) ? (double)NAN : running.real[i];
    conversion_reference(&running, wide, wanted, out->dtype);
    if (memcmp(wanted, layout_element(out, index), out->bytes) != 0)
        fail_msg("%s of %s: element %lld is %a, not %a", name, dtype_name(out->dtype), (long long)index,
                 element_of(out, index), running.real[0]);
}

static void try_lines(enum cumulation which, const struct lines *lines, aclDataType from, aclDataType dtype)
{
    const bool is_product = which >= CUMPROD, is_inplace = which == INPLACE_CUMPROD;
    const bool is_exclusive = which == CUMSUM_V2 && random_below(2) == 0;
    const bool is_reversed = which == CUMSUM_V2 && random_below(2) == 0;
    const aclDataType wide = wide_of(dtype);
    struct layout self =
        layout_create(from, lines->rank, lines->shape,
                      (enum layout_kind)random_below(is_inplace ? LAYOUT_REPEATED : LAYOUT_KINDS));
    struct layout out =
        create_along(lines, dtype, lines->length, true, (enum layout_kind)random_below(LAYOUT_REPEATED));
    struct layout before = create_along(lines, from, lines->length, true, LAYOUT_CONTIGUOUS);
    layout_fill(&self, is_product ? 2 : 9, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
    for (int64_t k = 0; k < self.count; k++)
        memcpy(layout_element(&before, k), layout_element(&self, k), self.bytes);
    const int64_t dim = dim_argument(lines);
    const int32_t single = (int32_t)dim;
    aclScalar *scalar = random_below(2) == 0 ? aclCreateScalar((void *)(uintptr_t)&dim, ACL_INT64)
                                             : aclCreateScalar((void *)(uintptr_t)&single, ACL_INT32);
    union argument argument[5] = {{.tensor = self.tensor}, argument_of_integer(dim)};
    if (is_product)
        argument[1].scalar = scalar;
    argument[2] = argument_of_integer(is_product && random_below(2) == 0 ? ACL_DT_UNDEFINED : dtype);
    if (which == CUMSUM_V2)
        argument[2] = argument_of_bool(is_exclusive);
    argument[3].tensor = out.tensor;
    if (which == CUMSUM_V2) {
        argument[3] = argument_of_bool(is_reversed);
        argument[4].tensor = out.tensor;
    }
    assert_int_equal(call_function(find(names[which]), argument), 0);
    for (int64_t line = 0; line < lines->count; line++) {
        union running running = {.real = {is_product ? 1 : 0, 0}};
        if (wide == ACL_INT64)
            running.integer = is_product;
        for (int64_t i = 0; i < lines->length; i++) {
            const int64_t place = is_reversed ? lines->length - 1 - i : i;
            const int64_t k = line_element(lines, line, place, lines->length);
            unsigned char cast[16];
            union running next = {.real = {0, 0}};
            conversion_reference(layout_element(&before, k), from, cast, dtype);
            conversion_reference(cast, dtype, &next, wide);
            const union running taken = take(running, next, wide, is_product);
            assert_holds(names[which], is_inplace ? &self : &out, k, is_exclusive ? running : taken, wide);
            running = taken;
        }
    }
    assert_int_equal(aclDestroyScalar(scalar), 0);
    layout_destroy(&self);
    layout_destroy(&out);
    layout_destroy(&before);
}

static void all_layouts_and_dtypes(void **state)
{
    (void)state;
    for (int i = 0; i < times_effort(600); i++) {
        const enum cumulation which = (enum cumulation)(i % FUNCTIONS);
        const struct lines lines = draw_lines(4, 20000);
        aclDataType dtype = dtypes[random_below(which >= CUMPROD ? 9 : 11)], from = dtype;
        if (which == CUMSUM && random_below(2) == 0)
            from = random_below(2) == 0 ? ACL_BOOL : dtypes[random_below(9)];
        if (which == CUMSUM && is_float_dtype(from) && !is_float_dtype(dtype) && !is_complex_dtype(dtype))
            from = ACL_UINT8;
        if (which == CUMPROD && random_below(2) == 0)
            from = dtypes[random_below(9)];
        try_lines(which, &lines, from, dtype);
    }
}

static void long_lines(void **state)
{
    static const aclDataType some[] = {ACL_FLOAT, ACL_BF16, ACL_INT64, ACL_COMPLEX64};
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct lines lines = {.rank = 1, .shape = {100001}, .length = 100001, .inner = 1, .count = 1};
        try_lines((enum cumulation)(i / 4), &lines, some[i % 4], some[i % 4]);
    }
}

static void faults_are_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnCumsum"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim is 2");
    attempt.argument[1].int64 = 0;
    replace_dtype(&attempt, 3, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype DOUBLE");
    attempt.argument[2].int64 = ACL_INT32;
    replace_dtype(&attempt, 3, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self is FLOAT, which is not cast to dtype INT32");
    attempt.argument[2].int64 = ACL_BOOL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dtype is BOOL");
    attempt.argument[2].int64 = ACL_FLOAT;
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [3, 2]");
    release(&attempt);
    const double number = 1;
    attempt = accepted(find("aclnnCumprod"));
    assert_int_equal(aclDestroyScalar(attempt.argument[1].scalar), 0);
    attempt.argument[1].scalar = aclCreateScalar((void *)(uintptr_t)&number, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dim has dtype DOUBLE");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layouts_and_dtypes),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(faults_are_refused),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
