/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of operators and what their descriptions say.
 */
#include "ops/function.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/find_operator.h"
#include "tensor/dtype.h"

static void the_four_backward_operators_are_listed_with_their_parameters(void **state)
{
    (void)state;
    const struct {
        const char *name, *stem, *parameters;
    } expected[] = {
        {"aclnnHardswishBackward", "hardswish_backward", "gradOutput self out"},
        {"aclnnSiluBackward", "silu_backward", "gradOutput self gradInput"},
        {"aclnnSmoothL1LossBackward", "smooth_l1_loss_backward",
         "gradOut self target reduction beta gradInput"},
        {"aclnnLeakyReluBackward", "leaky_relu_backward", "gradOutput self negativeSlope selfIsResult out"},
    };
    for (unsigned i = 0; i < 4; i++) {
        const struct function *found = find(expected[i].name);
        char parameters[200] = "";
        for (unsigned p = 0; p < found->parameter_count; p++) {
            size_t length = strlen(parameters);
            snprintf(parameters + length, sizeof parameters - length, "%s%s", p == 0 ? "" : " ",
                     found->parameter[p].name);
        }
        assert_string_equal(found->stem, expected[i].stem);
        assert_string_equal(parameters, expected[i].parameters);
    }
}

static void every_description_is_whole(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        const struct function *function = list[i];
        char phase_1[128];
        snprintf(phase_1, sizeof phase_1, "%sGetWorkspaceSize", function->operation.name);
        assert_non_null(dlsym(RTLD_DEFAULT, phase_1));
        void *phase_2 = dlsym(RTLD_DEFAULT, function->operation.name);
        assert_memory_equal(&phase_2, &function->launch, sizeof phase_2);
        assert_non_null(function->infer);
        assert_non_null(function->plan);
        assert_non_null(function->promise);
        assert_non_null(function->operation.run);
        assert_in_range(function->parameter_count, 1, PARAMETERS_MAX);
        for (unsigned p = 0; p < function->parameter_count; p++) {
            const struct parameter *parameter = &function->parameter[p];
            assert_non_null(parameter->name);
            bool has_dtypes = parameter_is_tensor(parameter) || parameter->kind == PARAMETER_DTYPE;
            assert_true(!has_dtypes || parameter->dtypes != NULL);
        }
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(function->operation.name, list[other]->operation.name);
    }
}

static void operators_come_by_the_alphabet_of_their_stems(void **state)
{
    static const char *const add[] = {"aclnnAdd", "aclnnAdds", "aclnnInplaceAdd", "aclnnInplaceAdds"};
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    assert_true(count > 4);
    for (size_t i = 0; i + 1 < count; i++)
        assert_true(strcmp(list[i]->stem, list[i + 1]->stem) <= 0);
    size_t first = 0;
    while (first < count && strcmp(list[first]->stem, "add") != 0)
        first++;
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(list[first + i]->operation.name, add[i]);
}

static void only_the_oldest_product_lacks_bfloat16(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        for (unsigned p = 0; p < list[i]->parameter_count; p++) {
            const struct dtype_set *dtypes = list[i]->parameter[p].dtypes;
            if (dtypes == NULL)
                continue;
            assert_true((dtypes->on[PRODUCT_910A] & DTYPE_BIT(ACL_BF16)) == 0);
        }
}

static void descriptions_as_text_name_every_part(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++) {
        char text[16384], expected[128];
        size_t length = function_json(i, text, sizeof text);
        assert_in_range(length, 100, sizeof text - 1);
        assert_int_equal(strlen(text), length);
        snprintf(expected, sizeof expected, "{\"name\": \"%s\", \"stem\": \"%s\"", list[i]->operation.name,
                 list[i]->stem);
        assert_memory_equal(text, expected, strlen(expected));
        for (unsigned p = 0; p < list[i]->parameter_count; p++) {
            snprintf(expected, sizeof expected, "{\"name\": \"%s\", \"kind\": ", list[i]->parameter[p].name);
            assert_non_null(strstr(text, expected));
        }
        assert_string_equal(text + length - 2, "]}");
    }
    assert_int_equal(function_json(count, NULL, 0), 0);
}

static void text_that_is_too_long_is_cut_off(void **state)
{
    (void)state;
    char whole[8192], text[8192];
    size_t length = function_json(0, whole, sizeof whole);
    assert_int_equal(function_json(0, NULL, 0), length);
    for (size_t size = 1; size <= length + 1; size++) {
        memset(text, '?', sizeof text);
        assert_int_equal(function_json(0, text, size), length);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size - 1], 0);
        assert_int_equal(text[size], '?');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_backward_operators_are_listed_with_their_parameters),
        cmocka_unit_test(every_description_is_whole),
        cmocka_unit_test(operators_come_by_the_alphabet_of_their_stems),
        cmocka_unit_test(only_the_oldest_product_lacks_bfloat16),
        cmocka_unit_test(descriptions_as_text_name_every_part),
        cmocka_unit_test(text_that_is_too_long_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
