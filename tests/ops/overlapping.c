/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands that share memory, of every function, by its description: each one that is written lies on each
 * other one, tensors of lists too, at every small distance, and what comes out is what comes out of the same
 * bytes apart. Of functions that go on by indices of lists, each index apart is run on what the earlier ones
 * have left. Two outputs on each other have their own bytes where they have them alone.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/sampled_call.h"
#include "support/sanitizer.h"

/* A tensor may reach so far to both sides of the operand that it lies on. */
enum { AROUND = 1 << 13, REGION = 3 * AROUND, WRONG_TOLD = 30 };

static unsigned char before[OPERANDS_MOST][REGION], now[OPERANDS_MOST][REGION];
static unsigned char expected[OPERANDS_MOST][AROUND];
static uint32_t calls, wrong;

static unsigned char *region(uint32_t operand)
{
    return place_of(operand) - AROUND;
}

static bool goes_by_index(const struct sampled_call *call)
{
    return call->function->operation.run_index != NULL;
}

static bool is_of_list(const struct sampled_call *call, uint32_t operand)
{
    return parameter_of(call, operand)->kind == PARAMETER_TENSOR_LIST;
}

static uint32_t index_of(const struct sampled_call *call, uint32_t operand)
{
    return operand - call->first[call->operand[operand].parameter];
}

/* Where an operand lies in a copy of the arena: its bytes there. */
static unsigned char *bytes_in(unsigned char (*copy)[REGION], const struct sampled_call *call,
                               uint32_t operand)
{
    const size_t from_first = (size_t)(call->operand[operand].address - arena);
    const uint32_t of = (uint32_t)(from_first / PLACE_BYTES);
    return copy[of] + (call->operand[operand].address - region(of));
}

/* What the operands must be in the end: each step is a call on copies of what there is by then, of which the
 * results for its index are kept. */
static int expect(const struct sampled_call *overlapped, uint32_t steps)
{
    struct sampled_call apart = *overlapped;
    int status = 0;
    memcpy(now, before, overlapped->operands * sizeof now[0]);
    for (uint32_t step = 0; step < steps && status == 0; step++) {
        for (uint32_t i = 0; i < apart.operands; i++) {
            const bool waits = goes_by_index(&apart) && is_of_list(&apart, i);
            apart.operand[i].address = place_of(i);
            memcpy(place_of(i), bytes_in(waits ? now : before, overlapped, i), apart.operand[i].bytes);
        }
        status = run_call(&apart);
        for (uint32_t i = 0; i < apart.operands; i++)
            if (is_written(&apart, i) &&
                (steps == 1 || !is_of_list(&apart, i) || index_of(&apart, i) == step)) {
                memcpy(expected[i], place_of(i), apart.operand[i].bytes);
                memcpy(bytes_in(now, overlapped, i), place_of(i), apart.operand[i].bytes);
            }
    }
    for (uint32_t i = 0; i < apart.operands; i++)
        memcpy(region(i), before[i], REGION);
    return status;
}

static void tell(const struct sampled_call *call, uint32_t operand, uint32_t on, uint32_t under,
                 int64_t distance)
{
    char name[64], on_name[64], under_name[64];
    if (wrong++ < WRONG_TOLD)
        print_message("%s: %s is another one where %s lies %lld bytes behind %s\n",
                      call->function->operation.name, name_of(call, operand, &name),
                      name_of(call, on, &on_name), (long long)distance, name_of(call, under, &under_name));
}

/* Whether some other operand writes the byte too. */
static bool is_shared(const struct sampled_call *call, uint32_t operand, const unsigned char *byte)
{
    for (uint32_t i = 0; i < call->operands; i++) {
        const struct sampled_operand *other = &call->operand[i];
        if (i != operand && is_written(call, i) && byte >= other->address &&
            byte < other->address + other->bytes)
            return true;
    }
    return false;
}

/* Bytes that another operand writes too are either's. */
static bool is_as_expected(const struct sampled_call *call, uint32_t operand)
{
    const struct sampled_operand *own = &call->operand[operand];
    if (memcmp(own->address, expected[operand], own->bytes) == 0)
        return true;
    for (size_t i = 0; i < own->bytes; i++)
        if (own->address[i] != expected[operand][i] && !is_shared(call, operand, own->address + i))
            return false;
    return true;
}

/*
 * One operand on another, whose first bytes are so far apart. What comes out does not depend on who watches, so that
 * sanitizers see one distance in eight.
 */
static void try_distance(struct sampled_call *call, uint32_t on, uint32_t under, int64_t distance)
{
    static uint32_t distances;
    if (UNDER_SANITIZER && distances++ % 8 != 0)
        return;
    uint32_t steps = 1;
    for (uint32_t i = 0; goes_by_index(call) && i < call->operands; i++)
        if (is_of_list(call, i) && index_of(call, i) >= steps)
            steps = index_of(call, i) + 1;
    call->operand[on].address = place_of(under) + distance;
    const int status = expect(call, steps), overlapped = run_call(call);
    if (overlapped != status)
        fail_msg("%s gives %d where it gave %d: %s", call->function->operation.name, overlapped, status,
                 aclGetRecentErrMsg());
    calls++;
    for (uint32_t i = 0; status == 0 && i < call->operands; i++)
        if (is_written(call, i) && !is_as_expected(call, i))
            tell(call, i, on, under, distance);
    for (uint32_t i = 0; i < call->operands; i++)
        memcpy(region(i), before[i], REGION);
    call->operand[on].address = place_of(on);
}

/* All distances at which they meet, of few elements; some of many. */
static void try_pair(struct sampled_call *call, uint32_t on, uint32_t under)
{
    const int64_t step_on = dtype_bytes(call->operand[on].dtype),
                  step_under = dtype_bytes(call->operand[under].dtype),
                  step = step_on > step_under ? step_on : step_under,
                  below = (int64_t)call->operand[on].bytes, end = (int64_t)call->operand[under].bytes;
    const int64_t some[] = {0, step, -step, end / 2 / step * step,
                            end > step ? (end - step) / step * step : 0};
    if (below + end <= 32 * step)
        for (int64_t distance = (1 - below / step) * step; distance < end; distance += step)
            try_distance(call, on, under, distance);
    else
        for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
            try_distance(call, on, under, some[i]);
}

/* Of two that are changed in place neither is what it was: nothing is promised. */
static bool is_tried(const struct sampled_call *call, uint32_t on, uint32_t under)
{
    return on != under && is_written(call, on) &&
           (!is_written(call, under) || (parameter_is_output(parameter_of(call, on)) &&
                                         parameter_is_output(parameter_of(call, under)) && on < under));
}

/* An output on another operand, where one more output lies exactly. */
static void try_two(struct sampled_call *call, uint32_t on, uint32_t exactly, uint32_t under)
{
    if (on == exactly || is_written(call, under) || !is_written(call, exactly) ||
        !parameter_is_output(parameter_of(call, on)) || !parameter_is_output(parameter_of(call, exactly)))
        return;
    call->operand[exactly].address = place_of(under);
    try_pair(call, on, under);
    call->operand[exactly].address = place_of(exactly);
}

/* Whether the call was one. */
static bool try_function(const struct function *function, const struct sampling *sampling)
{
    static struct sampled_call call;
    enum contents contents;
    const bool runs = sample_call(&call, function, sampling, &contents);
    const bool has_two = sampling->dtype == ACL_DT_UNDEFINED && !sampling->is_large;
    for (uint32_t i = 0; runs && i < call.operands; i++) {
        memset(region(i), 0, REGION);
        fill_numbers(&call.operand[i], place_of(i), contents);
        memcpy(before[i], region(i), REGION);
    }
    for (uint32_t on = 0; runs && on < call.operands; on++)
        for (uint32_t under = 0; under < call.operands; under++)
            if (is_tried(&call, on, under)) {
                try_pair(&call, on, under);
                for (uint32_t exactly = 0; has_two && exactly < call.operands; exactly++)
                    try_two(&call, on, exactly, under);
            }
    end_call(&call);
    return runs;
}

static void what_is_written_may_lie_on_anything(void **state)
{
    static const struct sampling samplings[] = {{ACL_DT_UNDEFINED, false}, {ACL_DT_UNDEFINED, true},
                                                {ACL_FLOAT16, false},      {ACL_FLOAT16, true},
                                                {ACL_DOUBLE, false},       {ACL_INT32, false}};
    (void)state;
    size_t count;
    const uint32_t functions_tried =
        try_functions(try_function, samplings, sizeof samplings / sizeof samplings[0], &count);
    print_message("%u calls of %u functions of %zu\n", calls, functions_tried, count);
    assert_int_equal(wrong, 0);
    assert_true(functions_tried + 1 >= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_may_lie_on_anything)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
