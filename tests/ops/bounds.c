/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bounds of what a description may ask for, for each of them: parameters, outputs, the executor's
 * operands and arguments, and the plan. The library finds executor_begin here first
 * (tests/ops/CMakeLists.txt).
 */
#include "ops/check.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "ops/attempt.h"
#include "ops/sample_group.h"
#include "ops/loops/elementwise.h"

/* No plan is longer; what is longer than EXECUTOR_PLAN_BYTES lies in a block of its own. */
enum { PLAN_BYTES_MOST = 16384 };

/* What the last call of phase 1 asked for. */
static uint32_t operands, arguments, begun;
static size_t plan_bytes_of_call;

aclnnStatus executor_begin(const struct operation *operation, uint32_t operand_count, uint32_t argument_count,
                           size_t plan_bytes, struct executor_content **content)
{
    aclnnStatus (*next)(const struct operation *, uint32_t, uint32_t, size_t, struct executor_content **);
    void *found = dlsym(RTLD_NEXT, "belay_executor_begin");
    memcpy(&next, &found, sizeof next);
    begun++;
    operands = operand_count;
    arguments = argument_count;
    plan_bytes_of_call = plan_bytes;
    return next(operation, operand_count, argument_count, plan_bytes, content);
}

static void parameters_and_outputs_have_room(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++) {
        const struct function *function = list[i];
        unsigned tensors = 0, outputs = 0;
        for (unsigned p = 0; p < function->parameter_count; p++) {
            tensors += parameter_is_tensor(&function->parameter[p]);
            outputs += parameter_is_written(&function->parameter[p]);
        }
        if (function->parameter_count > PARAMETERS_MAX || outputs < 1 || outputs > OUTPUTS_MAX)
            fail_msg("%s: %u parameters, %u outputs", function->operation.name, function->parameter_count,
                     outputs);
        if (function->family == FAMILY_POINTWISE && tensors - outputs > INPUTS_MAX)
            fail_msg("%s: %u inputs", function->operation.name, tensors - outputs);
    }
}

/* Of the call that every description describes. */
static void infer_tells_of_every_output_and_no_other(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++) {
        if (!is_on_this_product(list[i]))
            continue;
        struct attempt attempt = accepted(list[i]);
        struct result result;
        unsigned outputs = 0;
        for (unsigned p = 0; p < list[i]->parameter_count; p++)
            outputs += parameter_is_written(&list[i]->parameter[p]);
        assert_int_equal(function_infer(list[i], attempt.argument, &result), 0);
        if (result.count != outputs)
            fail_msg("%s: infer tells of %u outputs of %u", list[i]->operation.name, result.count, outputs);
        release(&attempt);
    }
}

/* A list that is given has as many tensors as its sample says; every other tensor is one operand, whether it
 * is given or not. */
static uint32_t operands_of(const struct attempt *attempt)
{
    const struct function *function = attempt->function;
    uint32_t expected = 0;
    for (unsigned p = 0; p < function->parameter_count; p++)
        if (parameter_is_tensor(&function->parameter[p]))
            expected +=
                function->parameter[p].kind == PARAMETER_TENSOR_LIST && attempt->argument[p].handle != NULL
                    ? sample_length(&function->parameter[p])
                    : 1;
    return expected;
}

static void executors_and_plans_stay_within_their_bounds(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++) {
        const struct function *function = list[i];
        if (!is_on_this_product(function))
            continue;
        struct attempt attempt = accepted(function);
        begun = 0;
        assert_accepted(&attempt);
        const uint32_t expected = operands_of(&attempt);
        release(&attempt);
        bool is_whole = begun == 1 && operands == expected &&
                        (arguments == 0 || arguments == function->parameter_count) &&
                        plan_bytes_of_call <= PLAN_BYTES_MOST;
        /* What is called most allocates nothing. */
        bool is_inside = operands <= EXECUTOR_OPERANDS && arguments <= EXECUTOR_ARGUMENTS &&
                         plan_bytes_of_call <= EXECUTOR_PLAN_BYTES;
        if (!is_whole || (function->family == FAMILY_POINTWISE && !is_inside))
            fail_msg("%s: %u executors, %u operands, %u arguments, a plan of %zu bytes",
                     function->operation.name, begun, operands, arguments, plan_bytes_of_call);
    }
}

static int open_group(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || open_sample_group() != 0;
}

static int close_group(void **state)
{
    (void)state;
    return close_sample_group();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_outputs_have_room),
        cmocka_unit_test(infer_tells_of_every_output_and_no_other),
        cmocka_unit_test(executors_and_plans_stay_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, open_group, close_group);
}
