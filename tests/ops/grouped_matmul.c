/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * GroupedMatmul of all its generations against sums in long double, in any layout and dtype: groups of lists,
 * of rows and of the common dim, whose numbers are sums or counts; lists with one y; rows of no group;
 * outputs over inputs; what is refused or fails; and that bits depend neither on the level nor on the number
 * of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

enum { FAULT = 507035, GROUPS_MAX = 5 };
static const char *const names[] = {
    [1] = "aclnnGroupedMatmul", [4] = "aclnnGroupedMatmulV4", [5] = "aclnnGroupedMatmulV5"};
enum type { OF_LISTS = -1, OF_ROWS = 0, OF_DEPTH = 2 };

struct grouped {
    enum type type;
    int version; /* 1, 4 or 5 */
    bool is_stacked, has_bias, is_counted;
    int64_t groups, rows, columns, depth, end[GROUPS_MAX];
    struct layout x[GROUPS_MAX], weight[GROUPS_MAX], bias[GROUPS_MAX], y[GROUPS_MAX], numbers;
    unsigned x_count, weight_count, bias_count;
};

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    if (is_float_dtype(dtype))
        layout_fill(&layout, 1, false);
    return layout;
}

/* Groups of up to so many in all; some are empty, and some of it may be in no group. */
static void draw_groups(struct grouped *call, int64_t most)
{
    int64_t at = 0;
    for (int64_t g = 0; g < call->groups; g++)
        call->end[g] = at += random_below(3) == 0 ? 0 : random_below(most - at + 1);
    if (random_below(2) == 0)
        call->end[call->groups - 1] = most;
    call->numbers = made(ACL_INT64, 1, &call->groups, false);
    for (int64_t g = 0; g < call->groups; g++) {
        const int64_t number =
            call->is_counted ? call->end[g] - (g > 0 ? call->end[g - 1] : 0) : call->end[g];
        memcpy(layout_element(&call->numbers, g), &number, sizeof number);
    }
}

static struct grouped draw_call(int64_t size)
{
    static const enum type types[] = {OF_LISTS, OF_ROWS, OF_DEPTH};
    static const int versions[] = {1, 4, 5};
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct grouped call = {.version = versions[random_below(3)],
                           .is_stacked = random_below(2) == 0,
                           .groups = 1 + random_below(GROUPS_MAX),
                           .rows = 1 + random_below(size),
                           .columns = 1 + random_below(size),
                           .depth = 1 + random_below(random_below(4) == 0 ? 400 : size)};
    call.type = types[random_below(call.version == 1 ? 2 : 3)];
    call.is_stacked = call.is_stacked && call.type == OF_ROWS;
    call.is_counted = call.version > 1 && random_below(2) == 0;
    call.has_bias = call.type != OF_DEPTH && random_below(2) == 0;
    call.x_count = call.type == OF_LISTS ? (unsigned)call.groups : 1;
    call.weight_count = call.type == OF_DEPTH || call.is_stacked ? 1 : (unsigned)call.groups;
    call.bias_count = call.is_stacked ? 1 : (unsigned)call.groups;
    const int64_t weight[] = {call.groups, call.depth, call.columns}, bias[] = {call.groups, call.columns};
    const int64_t x[] = {call.rows, call.depth}, y[] = {call.groups, call.rows, call.columns};
    for (unsigned i = 0; i < call.x_count; i++) {
        call.x[i] = made(dtype, 2, x, true);
        call.y[i] = made(dtype, call.type == OF_DEPTH ? 3 : 2, call.type == OF_DEPTH ? y : y + 1, false);
    }
    for (unsigned i = 0; i < call.weight_count; i++)
        call.weight[i] = made(dtype, call.is_stacked ? 3 : 2, call.is_stacked ? weight : weight + 1, true);
    for (unsigned i = 0; call.has_bias && i < call.bias_count; i++)
        call.bias[i] = made(short_dtypes[random_below(3)], call.is_stacked ? 2 : 1,
                            call.is_stacked ? bias : bias + 1, true);
    if (call.type != OF_LISTS)
        draw_groups(&call, call.type == OF_ROWS ? call.rows : call.depth);
    return call;
}

static const aclTensorList *tensors_of(const struct layout *layout, unsigned count)
{
    const aclTensor *tensor[GROUPS_MAX];
    for (unsigned i = 0; i < count; i++)
        tensor[i] = layout[i].tensor;
    return aclCreateTensorList(tensor, count);
}

static int run_call(const struct grouped *call)
{
    const int64_t split = call->type == OF_LISTS ? random_below(2) : 2 + random_below(2);
    union argument argument[PARAMETERS_MAX] = {
        {.tensors = tensors_of(call->x, call->x_count)},
        {.tensors = tensors_of(call->weight, call->weight_count)},
        {.tensors = call->has_bias ? tensors_of(call->bias, call->bias_count) : NULL}};
    if (call->version == 1) {
        argument[7].ints =
            call->type == OF_LISTS ? NULL : aclCreateIntArray(call->end, (uint64_t)call->groups);
        argument[8] = argument_of_integer(split);
        argument[9].tensors = tensors_of(call->y, call->x_count);
    } else {
        argument[8].tensor = call->type == OF_LISTS ? NULL : call->numbers.tensor;
        argument[12] = argument_of_integer(split);
        argument[13] = argument_of_integer(call->type);
        argument[14] = argument_of_integer(call->is_counted);
        argument[call->version == 4 ? 16 : 17].tensors = tensors_of(call->y, call->x_count);
    }
    return call_function(find(names[call->version]), argument);
}

static void forget(struct grouped *call)
{
    for (unsigned i = 0; i < call->x_count; i++) {
        layout_destroy(&call->x[i]);
        layout_destroy(&call->y[i]);
    }
    for (unsigned i = 0; i < call->weight_count; i++)
        layout_destroy(&call->weight[i]);
    for (unsigned i = 0; call->has_bias && i < call->bias_count; i++)
        layout_destroy(&call->bias[i]);
    if (call->type != OF_LISTS)
        layout_destroy(&call->numbers);
}

/* Element (row, column) of a group's product, over steps from one on. */
static void judge(const struct grouped *call, int64_t g, int64_t row, int64_t column, int64_t first,
                  int64_t last, const struct layout *out, int64_t at, const struct layout *x)
{
    const struct layout *weight = &call->weight[call->weight_count == 1 || g < 0 ? 0 : g];
    const struct layout *bias = call->has_bias && g >= 0 ? &call->bias[call->bias_count == 1 ? 0 : g] : NULL;
    const int64_t matrix = call->is_stacked ? g * call->depth * call->columns : 0;
    long double sum = 0, size = 0;
    for (int64_t k = first; k < last; k++) {
        const long double product = (long double)element_of(x, row * call->depth + k) *
                                    (long double)element_of(weight, matrix + k * call->columns + column);
        sum += product;
        size += fabsl(product);
    }
    if (bias != NULL)
        sum += (long double)element_of(bias, call->is_stacked ? g * call->columns + column : column);
    assert_near("GroupedMatmul", out, at, sum, out->dtype, (size + fabsl(sum)) * 0x1p-18L);
}

static void judge_all(const struct grouped *call)
{
    for (int64_t row = 0; row < call->rows; row++)
        for (int64_t column = 0; column < call->columns; column++) {
            const int64_t at = row * call->columns + column;
            if (call->type == OF_ROWS) {
                int64_t g = 0;
                while (g < call->groups && row >= call->end[g])
                    g++;
                const bool is_in = g < call->groups;
                judge(call, is_in ? g : -1, row, column, 0, is_in ? call->depth : 0, &call->y[0], at,
                      &call->x[0]);
                continue;
            }
            for (int64_t g = 0; g < call->groups; g++)
                if (call->type == OF_DEPTH)
                    judge(call, -1, row, column, g > 0 ? call->end[g - 1] : 0, call->end[g], &call->y[0],
                          g * call->rows * call->columns + at, &call->x[0]);
                else
                    judge(call, g, row, column, 0, call->depth, &call->y[g], at, &call->x[g]);
        }
}

static void all_groups_are_near(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        struct grouped call = draw_call(40);
        assert_int_equal(run_call(&call), 0);
        judge_all(&call);
        forget(&call);
    }
}

/* An x, a depth and rows for each group, and one y; a list of groups may say the rows again. */
struct joined {
    struct grouped call;
    int64_t group_rows[GROUPS_MAX], group_depth[GROUPS_MAX];
    bool is_told, is_of_rows;
};

static struct joined draw_joined(void)
{
    static const int versions[] = {1, 4, 5};
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct joined joined = {.is_told = random_below(2) == 0, .is_of_rows = true};
    struct grouped *call = &joined.call;
    *call = (struct grouped){.type = OF_LISTS,
                             .version = versions[random_below(3)],
                             .is_stacked = random_below(3) == 0,
                             .has_bias = random_below(2) == 0,
                             .groups = 2 + random_below(GROUPS_MAX - 1),
                             .columns = 1 + random_below(30)};
    call->is_counted = call->version > 1 && random_below(2) == 0;
    joined.is_of_rows = joined.is_told || random_below(2) == 0;
    call->x_count = (unsigned)call->groups;
    call->weight_count = call->is_stacked ? 1 : call->x_count;
    call->bias_count = call->weight_count;
    for (int64_t g = 0; g < call->groups; g++) {
        joined.group_rows[g] = random_below(4) == 0 ? 0 : random_below(20);
        joined.group_depth[g] = call->is_stacked && g > 0 ? joined.group_depth[0] : 1 + random_below(60);
        const int64_t x[] = {joined.group_rows[g], joined.group_depth[g]};
        const int64_t weight[] = {call->groups, joined.group_depth[g], call->columns};
        const int64_t bias[] = {call->groups, call->columns};
        call->x[g] = made(dtype, 2, x, true);
        call->end[g] = (g > 0 ? call->end[g - 1] : 0) + joined.group_rows[g];
        if (g > 0 && call->is_stacked)
            continue;
        call->weight[g] = made(dtype, call->is_stacked ? 3 : 2, call->is_stacked ? weight : weight + 1, true);
        if (call->has_bias)
            call->bias[g] = made(short_dtypes[random_below(3)], call->is_stacked ? 2 : 1,
                                 call->is_stacked ? bias : bias + 1, true);
    }
    const int64_t y[] = {call->end[call->groups - 1], call->columns};
    call->y[0] = made(dtype, 2, y, false);
    call->numbers = made(ACL_INT64, 1, &call->groups, false);
    for (int64_t g = 0; g < call->groups; g++)
        memcpy(layout_element(&call->numbers, g), call->is_counted ? &joined.group_rows[g] : &call->end[g],
               sizeof(int64_t));
    return joined;
}

static int run_joined(const struct joined *joined)
{
    const struct grouped *call = &joined->call;
    const unsigned y = call->version == 1 ? 9 : call->version == 4 ? 16 : 17;
    union argument argument[PARAMETERS_MAX] = {
        {.tensors = tensors_of(call->x, call->x_count)},
        {.tensors = tensors_of(call->weight, call->weight_count)},
        {.tensors = call->has_bias ? tensors_of(call->bias, call->bias_count) : NULL}};
    argument[call->version == 1 ? 8 : 12] = argument_of_integer(2 + random_below(2));
    argument[y].tensors = tensors_of(call->y, 1);
    if (call->version == 1) {
        argument[7].ints = joined->is_told ? aclCreateIntArray(call->end, (uint64_t)call->groups) : NULL;
    } else {
        argument[8].tensor = joined->is_told ? call->numbers.tensor : NULL;
        argument[13] = argument_of_integer(joined->is_of_rows ? 0 : -1);
        argument[14] = argument_of_integer(call->is_counted);
    }
    return call_function(find(names[call->version]), argument);
}

static void forget_joined(struct joined *joined)
{
    struct grouped *call = &joined->call;
    for (unsigned i = 0; i < call->x_count; i++)
        layout_destroy(&call->x[i]);
    for (unsigned i = 0; i < call->weight_count; i++) {
        layout_destroy(&call->weight[i]);
        if (call->has_bias)
            layout_destroy(&call->bias[i]);
    }
    layout_destroy(&call->y[0]);
    layout_destroy(&call->numbers);
}

static void results_of_lists_lie_one_behind_the_other(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(150); round++) {
        struct joined joined = draw_joined();
        struct grouped *call = &joined.call;
        assert_int_equal(run_joined(&joined), 0);
        for (int64_t g = 0; g < call->groups; g++)
            for (int64_t i = 0; i < joined.group_rows[g] * call->columns; i++) {
                const int64_t first = (call->end[g] - joined.group_rows[g]) * call->columns;
                call->depth = joined.group_depth[g];
                judge(call, g, i / call->columns, i % call->columns, 0, call->depth, &call->y[0], first + i,
                      &call->x[g]);
            }
        forget_joined(&joined);
    }
}

/* An array cuts one x, and each group has a weight and a y of as many columns as it likes. */
static void rows_of_one_x_may_have_a_result_each(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(80); round++) {
        const aclDataType dtype = short_dtypes[round % 3];
        const int64_t x[] = {random_below(30), 1 + random_below(50)};
        struct grouped call = {.groups = 1 + random_below(GROUPS_MAX), .depth = x[1], .weight_count = 9};
        const unsigned groups = (unsigned)call.groups;
        call.x[0] = made(dtype, 2, x, true);
        draw_groups(&call, x[0]);
        for (unsigned g = 0; g < groups; g++) {
            const int64_t weight[] = {x[1], 1 + random_below(20)};
            const int64_t y[] = {call.end[g] - (g > 0 ? call.end[g - 1] : 0), weight[1]};
            call.weight[g] = made(dtype, 2, weight, true);
            call.y[g] = made(dtype, 2, y, false);
        }
        union argument argument[PARAMETERS_MAX] = {{.tensors = tensors_of(call.x, 1)},
                                                   {.tensors = tensors_of(call.weight, groups)}};
        argument[7].ints = aclCreateIntArray(call.end, (uint64_t)call.groups);
        argument[8] = argument_of_integer(random_below(2));
        argument[9].tensors = tensors_of(call.y, groups);
        assert_int_equal(call_function(find("aclnnGroupedMatmul"), argument), 0);
        for (unsigned g = 0; g < groups; g++)
            for (int64_t i = 0; i < call.y[g].count; i++) {
                call.columns = call.y[g].shape[1];
                judge(&call, g, (g > 0 ? call.end[g - 1] : 0) + i / call.columns, i % call.columns, 0,
                      call.depth, &call.y[g], i, &call.x[0]);
            }
        int64_t wrong[GROUPS_MAX];
        memcpy(wrong, call.end, sizeof wrong);
        wrong[random_below(call.groups)] = random_below(2) == 0 ? -1 : x[0] + 1;
        argument[7].ints = aclCreateIntArray(wrong, (uint64_t)call.groups);
        uint64_t bytes;
        aclOpExecutor *executor;
        assert_int_equal(function_plan_anew(find("aclnnGroupedMatmul"), argument, &bytes, &executor),
                         ACLNN_ERR_PARAM_INVALID);
        assert_non_null(strstr(aclGetRecentErrMsg(), "groupListOptional holds"));
        layout_destroy(&call.x[0]);
        layout_destroy(&call.numbers);
        for (unsigned g = 0; g < 2 * groups; g++)
            layout_destroy(g < groups ? &call.weight[g] : &call.y[g - groups]);
    }
}

/* A list of groups beside an x for each is not what these have. */
static void rows_that_are_told_wrongly_fail(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(40); round++) {
        struct joined joined = draw_joined();
        const int64_t which = random_below(joined.call.groups);
        int64_t number;
        if (joined.call.version > 1 && joined.is_told && joined.call.y[0].count > 0) {
            const double kept = element_of(&joined.call.y[0], 0);
            memcpy(&number, layout_element(&joined.call.numbers, which), sizeof number);
            number += number > 0 && random_below(2) == 0 ? -1 : 1;
            memcpy(layout_element(&joined.call.numbers, which), &number, sizeof number);
            assert_failure(run_joined(&joined), FAULT, "groupList holds");
            assert_true(element_of(&joined.call.y[0], 0) == kept);
        }
        forget_joined(&joined);
    }
}

/* y is where x is, whose rows are as long. */
static void results_may_lie_over_inputs(void **state)
{
    (void)state;
    static const int64_t square[] = {60, 60}, stack[] = {2, 60, 60};
    struct grouped call = {.type = OF_ROWS,
                           .version = 1,
                           .is_stacked = true,
                           .groups = 2,
                           .rows = 60,
                           .columns = 60,
                           .depth = 60,
                           .end = {25, 60},
                           .x_count = 1,
                           .weight_count = 1};
    struct layout kept = layout_create(ACL_FLOAT, 2, square, LAYOUT_CONTIGUOUS);
    call.x[0] = layout_create(ACL_FLOAT, 2, square, LAYOUT_CONTIGUOUS);
    layout_fill(&call.x[0], 1, false);
    memcpy(kept.memory, call.x[0].memory, sizeof(float) * 60 * 60);
    call.weight[0] = made(ACL_FLOAT, 3, stack, true);
    call.y[0] = call.x[0];
    assert_int_equal(run_call(&call), 0);
    for (int64_t i = 0; i < 60 * 60; i++)
        judge(&call, i / 60 >= 25, i / 60, i % 60, 0, 60, &call.y[0], i, &kept);
    layout_destroy(&kept);
    layout_destroy(&call.x[0]);
    layout_destroy(&call.weight[0]);
}

static void numbers_outside_fail(void **state)
{
    (void)state;
    static const int64_t bad[][2] = {{3, 2}, {2, 5}, {-1, 4}};
    for (int i = 0; i < 6; i++) {
        static const int64_t x[] = {4, 3}, weight[] = {2, 3, 2}, y[] = {4, 2}, two = 2;
        struct grouped call = {.type = OF_ROWS,
                               .version = 5,
                               .is_stacked = true,
                               .is_counted = i >= 3,
                               .groups = 2,
                               .x_count = 1,
                               .weight_count = 1};
        call.x[0] = made(ACL_FLOAT, 2, x, true);
        call.weight[0] = made(ACL_FLOAT, 3, weight, true);
        call.y[0] = made(ACL_FLOAT, 2, y, false);
        call.numbers = made(ACL_INT64, 1, &two, false);
        for (int k = 0; k < 2; k++)
            memcpy(layout_element(&call.numbers, k), &bad[i % 3][k], sizeof(int64_t));
        const double kept = element_of(&call.y[0], 5);
        assert_failure(run_call(&call), FAULT, "groupList holds");
        assert_true(element_of(&call.y[0], 5) == kept);
        forget(&call);
    }
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnGroupedMatmulV5"));
    attempt.argument[15].int64 = 6;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "actType is 6; 0 to 5 is expected");
    attempt.argument[15].int64 = 0;
    attempt.argument[3].tensors = aclCreateTensorList((const aclTensor *const[]){plain(ACL_FLOAT)}, 1);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "scaleOptional is given; NULL is expected where x is FLOAT");
    attempt.argument[3].tensors = aclCreateTensorList(NULL, 0);
    assert_accepted(&attempt);
    attempt.argument[13].int64 = 1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "groupType is 1; -1, 0 or 2 is expected");
    attempt.argument[13].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "splitItem is 0; 2 or 3 is expected");
    attempt.argument[12].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has 2 tensors; 1 are expected");
    replace(&attempt, 8, tensor_with(ACL_INT64, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "groupListOptional has 3 numbers; 2 are expected");
    attempt.argument[13].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x has 2 tensors; one is expected");
    attempt.argument[13].int64 = 0;
    const aclTensorList *two = attempt.argument[0].tensors;
    attempt.argument[0].tensors =
        aclCreateTensorList((const aclTensor *const[]){tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL)}, 1);
    replace(&attempt, 8, tensor_with(ACL_INT64, 1, DIMS(0), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "there are 0 groups of rows; 1 or more are expected");
    replace(&attempt, 8, NULL);
    assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, "groupListOptional is NULL; groupType 0 asks for it");
    attempt.argument[0].tensors = aclCreateTensorList(NULL, 0);
    attempt.argument[13].int64 = -1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x is an empty list; 1 tensor or more is expected");
    attempt.argument[0].tensors = two;
    attempt.argument[12].int64 = 4;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "splitItem is 4; 0 to 3 is expected");
    attempt.argument[12].int64 = 0;
    attempt.argument[14].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "groupListType is 3; 0 to 2 is expected");
    attempt.argument[14].int64 = 0;
    attempt.argument[1].tensors =
        aclCreateTensorList((const aclTensor *const[]){tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL),
                                                       tensor_with(ACL_FLOAT, 2, DIMS(2, 3), NULL)},
                            2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "x has 3 columns and weight 2 rows in group 1");
    attempt.argument[1].tensors =
        aclCreateTensorList((const aclTensor *const[]){tensor_with(ACL_FLOAT, 2, DIMS(3, 3), NULL),
                                                       tensor_with(ACL_BF16, 2, DIMS(3, 3), NULL)},
                            2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "tensor 1 of weight has dtype BFLOAT16; FLOAT, that of x");
    attempt.argument[1].tensors =
        aclCreateTensorList((const aclTensor *const[]){tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL),
                                                       tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL)},
                            2);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "bias has 3 columns in group 0; 2 are expected");
    attempt.argument[2].tensors = NULL;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "tensor 0 of out is expected to have");
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 20; round++) {
        struct grouped call = draw_call(round < 4 ? 300 : 60);
        if (run_call(&call) != 0)
            return 0;
        for (unsigned i = 0; i < call.x_count; i++)
            hash = hash_of(call.y[i].memory, (size_t)(call.y[i].reach + 1) * call.y[i].bytes, hash);
        forget(&call);
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_groups_are_near),
        cmocka_unit_test(results_of_lists_lie_one_behind_the_other),
        cmocka_unit_test(rows_of_one_x_may_have_a_result_each),
        cmocka_unit_test(rows_that_are_told_wrongly_fail),
        cmocka_unit_test(results_may_lie_over_inputs),
        cmocka_unit_test(numbers_outside_fail),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
