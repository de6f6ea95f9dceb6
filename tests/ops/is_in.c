/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * IsInTensorScalar and IsInScalarTensor, in any layout and dtype, against loops over long doubles.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "ops/lines.h"
#include "ops/promote.h"
#include "support/effort.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_INT64, ACL_UINT8};

/* As the dtype that both are compared in has it. */
static long double number_in(const void *element, aclDataType dtype, aclDataType computed)
{
    unsigned char cast[8];
    double real;
    int64_t integer;
    conversion_reference(element, dtype, cast, computed);
    if (is_float_dtype(computed)) {
        conversion_reference(cast, computed, &real, ACL_DOUBLE);
        return (long double)real;
    }
    conversion_reference(cast, computed, &integer, ACL_INT64);
    return (long double)integer;
}

/* Beside integers an integer is compared as INT64. */
static bool are_equal(const void *a, aclDataType a_dtype, const void *tensor, aclDataType tensor_dtype)
{
    const aclDataType computed = is_float_dtype(tensor_dtype) ? tensor_dtype
                                 : is_float_dtype(a_dtype)    ? promote(a_dtype, tensor_dtype)
                                                              : ACL_INT64;
    return number_in(a, a_dtype, computed) == number_in(tensor, tensor_dtype, computed);
}

static void elements_are_looked_for(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(600); round++) {
        static const double numbers[] = {0, -1, 1, 2.5, 3, 300, -0.0, 0.1, (double)NAN};
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 3, round % 50 == 0 ? 60000 : 40);
        const aclDataType dtype = dtypes[random_below(9)], own = dtypes[random_below(9)];
        const bool invert = random_below(2) == 0;
        struct layout tensor =
            layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout each = layout_create(ACL_BOOL, rank, shape, LAYOUT_PERMUTED);
        struct layout one = layout_create(ACL_BOOL, 0, NULL, LAYOUT_CONTIGUOUS);
        unsigned char element[8];
        bool is_found = false;
        fill_with_ties(&tensor);
        for (int64_t i = 0; i < tensor.count; i++)
            if (random_below(9) == 0 && is_float_dtype(dtype))
                set_element(&tensor, i, numbers[random_below(9)]);
        double number = numbers[random_below(is_float_dtype(own) ? 9 : 7)];
        conversion_reference(&number, ACL_DOUBLE, element, own);
        if (tensor.count > 0 && random_below(3) == 0 && own == dtype)
            memcpy(element, layout_element(&tensor, tensor.count - 1), tensor.bytes);
        aclScalar *scalar = aclCreateScalar(element, own);
        const union argument among[] = {{.tensor = tensor.tensor},
                                        {.scalar = scalar},
                                        argument_of_bool(random_below(2) == 0),
                                        argument_of_bool(invert),
                                        {.tensor = each.tensor}};
        const union argument any[] = {among[1], among[0], among[2], among[3], {.tensor = one.tensor}};
        assert_int_equal(call_function(find("aclnnIsInTensorScalar"), among), 0);
        assert_int_equal(call_function(find("aclnnIsInScalarTensor"), any), 0);
        for (int64_t i = 0; i < tensor.count; i++) {
            const bool is_equal = are_equal(element, own, layout_element(&tensor, i), dtype);
            is_found = is_found || is_equal;
            if (*layout_element(&each, i) != (is_equal != invert))
                fail_msg("%s beside %s: element %lld", dtype_name(dtype), dtype_name(own), (long long)i);
        }
        if (*layout_element(&one, 0) != (is_found != invert))
            fail_msg("%s among %s", dtype_name(own), dtype_name(dtype));
        assert_int_equal(aclDestroyScalar(scalar), 0);
        layout_destroy(&tensor);
        layout_destroy(&each);
        layout_destroy(&one);
    }
}

static void outputs_are_judged(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnIsInScalarTensor"));
    replace(&attempt, 4, tensor_with(ACL_BOOL, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape [2]");
    replace(&attempt, 4, tensor_with(ACL_INT8, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype INT8");
    release(&attempt);
    attempt = accepted(find("aclnnIsInTensorScalar"));
    replace(&attempt, 0, plain(ACL_UINT32));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "element has dtype UINT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_looked_for),
        cmocka_unit_test(outputs_are_judged),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
