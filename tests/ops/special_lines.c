/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that take elements along a dim - reductions, running results, order, rows - on every line of
 * three special values, in every dtype that each takes, against a loop in long double; and that each function
 * of these families has a row, or a test of its own that is named. The build runs this program for each level
 * and accuracy.
 *
 *     special_lines [NAME...]     some functions: aclnnMean
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <strings.h>

#include <cmocka.h>

#include "ops/special_line_rows.h"

/* A call on all lines. */
struct line_call {
    const struct line_row *row;
    const struct function *function;
    struct special_set set;
    union argument argument[PARAMETERS_MAX];
    struct layout tensor[PARAMETERS_MAX];
    double number[NUMBERS_MAX + 1];
    int64_t lines, first; /* the tuple of the first line */
    unsigned output;
    bool is_refused;
};

static unsigned value_at(const struct line_call *call, int64_t line, unsigned k)
{
    int64_t tuple = call->first + line;
    for (; k > 0; k--)
        tuple /= call->set.count;
    return (unsigned)(tuple % call->set.count);
}

static void give_input(struct line_call *call, unsigned i)
{
    const int64_t shape[] = {call->lines, LENGTH};
    call->tensor[i] = layout_create(call->set.dtype, call->row->is_whole ? 1 : 2,
                                    call->row->is_whole ? shape + 1 : shape, LAYOUT_CONTIGUOUS);
    call->argument[i].tensor = call->tensor[i].tensor;
    for (int64_t k = 0; k < call->tensor[i].count; k++)
        memcpy(layout_element(&call->tensor[i], k),
               call->set.element[value_at(call, k / LENGTH, (unsigned)(k % LENGTH))], call->tensor[i].bytes);
}

static bool is_dim(const struct parameter *parameter)
{
    return strcmp(parameter->name, "dim") == 0;
}

static void give_arguments(struct line_call *call)
{
    static const int64_t dim = 1;
    unsigned given = 0;
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        double number = given < NUMBERS_MAX ? call->row->number[given] : 0;
        if (parameter_is_read(parameter)) {
            give_input(call, i);
        } else if (parameter->kind == PARAMETER_INT_ARRAY) {
            call->argument[i].ints = aclCreateIntArray(&dim, 1);
        } else if (parameter->kind == PARAMETER_DTYPE) {
            call->argument[i] = argument_of_integer(call->set.dtype);
        } else if (is_dim(parameter) && parameter->kind == PARAMETER_SCALAR) {
            int64_t own = dim;
            call->argument[i].scalar = aclCreateScalar(&own, ACL_INT64);
        } else if (is_dim(parameter)) {
            call->argument[i] = argument_of_integer(dim);
        } else if (parameter->kind == PARAMETER_BOOL && strncasecmp(parameter->name, "keepdim", 7) == 0) {
            call->argument[i] = argument_of_bool(false);
        } else if (!parameter_is_tensor(parameter)) {
            float single = (float)number;
            call->number[given < NUMBERS_MAX ? given : NUMBERS_MAX] = number;
            given++;
            call->argument[i] = parameter->kind == PARAMETER_SCALAR
                                    ? argument_of_pointer(aclCreateScalar(&single, ACL_FLOAT))
                                : parameter->kind == PARAMETER_BOOL  ? argument_of_bool(number != 0)
                                : parameter->kind == PARAMETER_FLOAT ? argument_of_fp32(single)
                                                                     : argument_of_integer((int64_t)number);
        }
    }
}

static bool give_outputs(struct line_call *call)
{
    struct result result;
    if (function_infer(call->function, call->argument, &result) != 0)
        return false;
    for (unsigned i = 0, written = 0; i < call->function->parameter_count; i++) {
        const struct parameter *parameter = &call->function->parameter[i];
        if (!parameter_is_written(parameter))
            continue;
        const struct output *output = &result.output[written];
        if (written++ == call->row->output)
            call->output = i;
        if (!parameter_is_output(parameter))
            continue;
        if ((parameter->dtypes->on[special_settings()->product] & DTYPE_BIT(output->dtype)) == 0)
            return false;
        call->tensor[i] =
            layout_create(output->dtype, output->shape.rank, output->shape.dim, LAYOUT_CONTIGUOUS);
        call->argument[i].tensor = call->tensor[i].tensor;
    }
    return true;
}

static void judge_lines(const struct line_call *call)
{
    const struct layout *output = &call->tensor[call->output];
    const int64_t lines = call->row->is_whole ? 1 : call->lines, results = output->count / lines;
    for (int64_t i = 0; i < output->count; i++) {
        long double x[LENGTH];
        const unsigned char *found = layout_element(output, i);
        for (unsigned k = 0; k < LENGTH; k++) {
            double value;
            conversion_reference(call->set.element[value_at(call, i / results, k)], call->set.dtype, &value,
                                 ACL_DOUBLE);
            x[k] = value;
        }
        const long double exact = call->row->function(x, (unsigned)(i % results), call->number);
        const bool is_float = special_digits(output->dtype) != 0;
        const bool is_truth = output->dtype == ACL_BOOL;
        const int64_t whole = is_float || isnan(exact) ? 0 : is_truth ? exact != 0 : (int64_t)exact;
        if (is_float ? special_matches(call->function, output->dtype, found, exact)
                     : memcmp(found, &whole, output->bytes) == 0)
            continue;
        double value;
        conversion_reference(found, output->dtype, &value, ACL_DOUBLE);
        if (call->row->is_difference && output->dtype == ACL_DOUBLE &&
            fabsl((long double)value - exact) < 0x1p-48L)
            continue;
        special_failures++;
        if (special_failures_of_row++ < FAILURES_TOLD)
            print_error(
                "%s of %s (numbers %g, %g): (%.9Lg, %.9Lg, %.9Lg): output %u, result %lld is %.17g and not "
                "%.17Lg\n",
                call->function->operation.name, dtype_name(call->set.dtype), call->number[0], call->number[1],
                x[0], x[1], x[2], call->row->output, (long long)(i % results), value, exact);
    }
}

static void release_line(struct line_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++) {
        if (call->argument[i].handle != NULL)
            release_argument(&call->function->parameter[i], call->argument[i]);
        if (call->tensor[i].memory != NULL)
            assert_int_equal(aclrtFree(memory_known_as(call->tensor[i].memory)), 0);
        call->tensor[i].memory = NULL;
        call->argument[i] = argument_of_integer(0);
    }
}

static bool try_lines(const struct line_row *row, aclDataType dtype, bool is_moderate)
{
    struct line_call call = {
        .row = row, .function = find(row->name), .set = special_set_of(dtype, NULL, 0, is_moderate)};
    const bool is_float = special_digits(dtype) != 0;
    if (!is_float && (!row->is_of_integers || dtype == ACL_UINT64 || dtype == ACL_INT64))
        return false;
    for (unsigned i = 0; i < call.function->parameter_count; i++) {
        const struct parameter *parameter = &call.function->parameter[i];
        if (parameter_is_read(parameter) &&
            (parameter->dtypes->on[special_settings()->product] & DTYPE_BIT(dtype)) == 0)
            return false;
    }
    const int64_t tuples = (int64_t)call.set.count * call.set.count * call.set.count;
    call.lines = row->is_whole ? 1 : tuples;
    for (; call.first < tuples; call.first += call.lines) {
        uint64_t bytes;
        aclOpExecutor *executor;
        give_arguments(&call);
        call.is_refused = !give_outputs(&call);
        if (!call.is_refused) {
            if (function_plan(call.function, call.argument, &bytes, &executor) != 0)
                fail_msg("%s", aclGetRecentErrMsg());
            assert_int_equal(call.function->launch(NULL, 0, executor, NULL), 0);
            assert_int_equal(aclrtSynchronizeStream(NULL), 0);
            judge_lines(&call);
        }
        release_line(&call);
        if (call.is_refused)
            return false;
    }
    return true;
}

static char **chosen;

static bool is_chosen(const char *name)
{
    for (char **next = chosen; *next != NULL; next++)
        if (strcmp(*next, name) == 0)
            return true;
    return *chosen == NULL;
}

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16, ACL_INT32,   ACL_UINT8, ACL_BOOL};

static void functions_of_lines_hold_at_special_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof line_rows / sizeof line_rows[0]; i++) {
        unsigned taken = 0;
        for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0] && is_chosen(line_rows[i].name); k++) {
            special_failures_of_row = 0;
            taken += try_lines(&line_rows[i], dtypes[k], false);
            taken += special_digits(dtypes[k]) != 0 && try_lines(&line_rows[i], dtypes[k], true);
            if (special_failures_of_row > FAILURES_TOLD)
                print_error("%s of %s: %u in all\n", line_rows[i].name, dtype_name(dtypes[k]),
                            special_failures_of_row);
        }
        if (taken == 0 && is_chosen(line_rows[i].name))
            fail_msg("%s takes no dtype: %s", line_rows[i].name, aclGetRecentErrMsg());
    }
    assert_int_equal(special_failures, 0);
}

/* A new function of these families is to come with a row. */
static void every_function_of_lines_has_a_row(void **state)
{
    size_t count, missing = 0;
    const struct function *const *list = functions(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const enum function_family family = list[i]->family;
        const char *name = list[i]->operation.name;
        bool has_row = family != FAMILY_REDUCTION && family != FAMILY_SCAN && family != FAMILY_SORTING &&
                       family != FAMILY_ROWS;
        for (size_t k = 0; k < sizeof line_rows / sizeof line_rows[0]; k++)
            has_row = has_row || strcmp(line_rows[k].name, name) == 0;
        for (size_t k = 0; k < sizeof without_row / sizeof without_row[0]; k++)
            has_row = has_row || strcmp(without_row[k][0], name) == 0;
        if (!has_row)
            print_error("%s has no row\n", name);
        missing += has_row ? 0 : 1;
    }
    for (size_t k = 0; k < sizeof without_row / sizeof without_row[0]; k++)
        (void)find(without_row[k][0]);
    assert_int_equal(missing, 0);
}

int main(int count, char **word)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_lines_has_a_row),
        cmocka_unit_test(functions_of_lines_hold_at_special_values),
    };
    (void)count;
    chosen = word + 1;
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
