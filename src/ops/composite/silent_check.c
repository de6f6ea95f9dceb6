/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether the norm of a gradient is one that a fault of a processor may have made: 2 where it is not finite, or
 * beyond the first bound, 1 beyond the second, 0 otherwise; what is known of the values before goes on. A value is
 * beyond V1's bounds where it is above the threshold and further from the one before than so many times the spread
 * of all; beyond V2's where it is above so many times the running average of values, corrected for its beginning.
 * There is nothing to compare the first value with.
 */
#include "aclnnop/aclnn_silent_check.h"
#include "aclnnop/aclnn_silent_check_v2.h"

#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { PIECE = 1024 };

#define CHECK(X, of)                                                   \
    X(of, IN, val, &dtypes_fp32_fp16_bf16, .sample = "1")              \
    X(of, BOTH, inputGradRef, &dtypes_fp32_fp16_bf16, .sample = "2x3") \
    X(of, BOTH, sfdaRef, &dtypes_fp32, .sample = "3:FLOAT")            \
    X(of, BOTH, stepRef, &dtypes_int64, .sample = "1:INT64")           \
    X(of, INT32, cMinSteps, .usual = "100")                            \
    X(of, FLOAT, cThreshL1, .usual = "1000000")                        \
    X(of, FLOAT, cCoeffL1, .usual = "100000")                          \
    X(of, FLOAT, cThreshL2, .usual = "10000")                          \
    X(of, FLOAT, cCoeffL2, .usual = "5000")                            \
    X(of, INT32, npuAsdDetect, .usual = "1")                           \
    X(of, OUT, result, &dtypes_int32)
#define CHECK_V2(X, of)                                                \
    X(of, IN, val, &dtypes_fp32_fp16_bf16, .sample = "1")              \
    X(of, IN, max, &dtypes_fp32_fp16_bf16, .sample = "1")              \
    X(of, BOTH, avgRef, &dtypes_fp32, .sample = "1:FLOAT")             \
    X(of, BOTH, inputGradRef, &dtypes_fp32_fp16_bf16, .sample = "2x3") \
    X(of, BOTH, stepRef, &dtypes_int64, .sample = "1:INT64")           \
    X(of, INTS, dstSize, .is_optional = true, .sample = "2,3")         \
    X(of, INTS, dstStride, .is_optional = true, .sample = "3,1")       \
    X(of, INTS, dstOffset, .is_optional = true, .sample = "0")         \
    X(of, FLOAT, cThreshL1, .usual = "1000000")                        \
    X(of, FLOAT, cThreshL2, .usual = "10000")                          \
    X(of, FLOAT, beta1, .usual = "0.99")                               \
    X(of, INT32, npuAsdDetect, .usual = "1")                           \
    X(of, OUT, result, &dtypes_int32)
SIGNATURE(CHECK)
SIGNATURE(CHECK_V2)
enum { BOUNDS = 2, PREVIOUS = 0, LEAST, GREATEST, VALUES, ABNORMAL = 2, IS_LEFT = 1 };

/* of_family: where what both have is. */
struct check_places {
    uint8_t gradient, step, known, values, flag, result;
};

struct check_numbers {
    struct check_places at;
    double threshold[BOUNDS], coefficient[BOUNDS], beta;
    int64_t least_steps;
    uint64_t elements;
    bool is_zeroed; /* a gradient that is not trusted */
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct check_places *at = call->function->of_family;
    TRY(check_all_dtypes(call));
    TRY(check_one_element(call, 0));
    if (at->values == 1) {
        TRY(check_one_element(call, CHECK_V2_max));
        TRY(check_one_element(call, at->known));
    } else {
        TRY(check_sizes(call, at->known, SIZES(VALUES)));
    }
    TRY(check_one_element(call, at->step));
    result->computed = ACL_FLOAT;
    for (unsigned i = 1; i < at->result; i++)
        if (call->function->parameter[i].role == ROLE_BOTH)
            result_add(result, call_dtype(call, i), DTYPE_EQUAL)->like = i;
    struct output *output = result_sized(result, ACL_INT32, DTYPE_EQUAL, SIZES(1));
    output->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static bool is_finite(double value)
{
    return value - value == 0;
}

/* By the first bound that it is beyond. */
static int64_t judge(bool is_beyond_first, bool is_beyond_second)
{
    return is_beyond_first ? ABNORMAL : is_beyond_second ? 1 : 0;
}

static int64_t judge_by_spread(const struct task *task, double value, int64_t step)
{
    const struct check_numbers *numbers = task->parameters;
    double known[VALUES];
    bool is_beyond[BOUNDS];
    task_read(task, numbers->at.known, 0, VALUES, known);
    for (int i = 0; i < BOUNDS; i++)
        is_beyond[i] = step > 0 && step >= numbers->least_steps && value > numbers->threshold[i] &&
                       __builtin_fabs(value - known[PREVIOUS]) >
                           numbers->coefficient[i] * (known[GREATEST] - known[LEAST]);
    known[PREVIOUS] = value;
    known[LEAST] = step == 0 || value < known[LEAST] ? value : known[LEAST];
    known[GREATEST] = step == 0 || value > known[GREATEST] ? value : known[GREATEST];
    task_write(task, numbers->at.known, 0, VALUES, known);
    return judge(is_beyond[0], is_beyond[1]);
}

static int64_t judge_by_average(const struct task *task, double value, int64_t step)
{
    const struct check_numbers *numbers = task->parameters;
    const double average = task_number(task, numbers->at.known, 0);
    double power = 1, base = numbers->beta;
    bool is_beyond[BOUNDS];
    for (int64_t left = step; left > 0; left /= 2, base *= base)
        power *= left % 2 != 0 ? base : 1;
    const double expected = step > 0 && power < 1 ? average / (1 - power) : average;
    for (int i = 0; i < BOUNDS; i++)
        is_beyond[i] = expected > 0 && value > numbers->threshold[i] * expected;
    task_set(task, numbers->at.known, 0, numbers->beta * average + (1 - numbers->beta) * value);
    return judge(is_beyond[0], is_beyond[1]);
}

static void check_value(const struct task *task, uint64_t number)
{
    const struct check_numbers *numbers = task->parameters;
    const struct check_places *at = &numbers->at;
    const double value = task_number(task, 0, 0);
    const int64_t step = task_integer(task, at->step, 0);
    const bool is_average = at->values == 1;
    int64_t found = ABNORMAL;
    (void)number;
    if (is_finite(value) && (!is_average || is_finite(task_number(task, CHECK_V2_max, 0))))
        found = is_average ? judge_by_average(task, value, step) : judge_by_spread(task, value, step);
    task_set_integer(task, at->step, 0, step + 1);
    task_set_integer(task, at->result, 0, found);
    for (uint64_t i = 0; found == ABNORMAL && numbers->is_zeroed && i < numbers->elements; i += PIECE)
        task_clear(task, at->gradient, i, numbers->elements - i < PIECE ? numbers->elements - i : PIECE);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct check_places *at = call->function->of_family;
    const bool is_average = at->values == 1;
    struct check_numbers numbers = {.at = *at,
                                    .elements = (uint64_t)call->tensor[at->gradient].count,
                                    .is_zeroed = call->argument[at->flag].int64 != IS_LEFT};
    (void)result;
    for (unsigned i = 0; i < BOUNDS; i++) {
        const unsigned threshold = is_average ? CHECK_V2_cThreshL1 + i : CHECK_cThreshL1 + 2 * i;
        numbers.threshold[i] = (double)call->argument[threshold].fp32;
        if (!is_average)
            numbers.coefficient[i] = (double)call->argument[CHECK_cCoeffL1 + 2 * i].fp32;
    }
    if (is_average)
        numbers.beta = (double)call->argument[CHECK_V2_beta1].fp32;
    else
        numbers.least_steps = call->argument[CHECK_cMinSteps].int64;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = check_value,
                                                            .count = 1,
                                                            .task_ns = 500 + numbers.elements / 8,
                                                            .parameters = &numbers,
                                                            .parameter_bytes = sizeof numbers});
}

#define CHECKS \
    .family = FAMILY_COMPOSITE, .promise = &promise_formula, ROW_TASKS, .infer = infer, .plan = plan
static const struct check_places of_spread = {CHECK_inputGradRef, CHECK_stepRef, CHECK_sfdaRef, VALUES,
                                              CHECK_npuAsdDetect, CHECK_result};
static const struct check_places of_average = {CHECK_V2_inputGradRef, CHECK_V2_stepRef, CHECK_V2_avgRef, 1,
                                               CHECK_V2_npuAsdDetect, CHECK_V2_result};
FUNCTION_OF(aclnnSilentCheck, CHECK, .stem = "silent_check", CHECKS, .of_family = &of_spread);
FUNCTION_OF(aclnnSilentCheckV2, CHECK_V2, .stem = "silent_check_v2", CHECKS, .of_family = &of_average);
