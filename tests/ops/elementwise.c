/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The walker, with kernels of its own whose results are exact in every dtype, against a loop over indices:
 * random views, dtypes, broadcasts and overlaps. The build runs this program with several numbers of threads.
 */
#include "ops/host_side.h"
#include "ops/loops/elementwise.h"

#include "acl/acl.h"
#include "ops/check.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/promote.h"
#include "ops/random_view.h"
#include "ops/signature.h"
#include "ops/transfer.h"
#include "support/effort.h"
#include "tensor/dtype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENAS = INPUTS_MAX + 1, ARENA_BYTES = 48 << 20 };

static unsigned char *arena[ARENAS], *snapshot;
static aclrtStream stream;

static void convert(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, size_t count)
{
    transfer_of(ISA_BASELINE)->convert(from, from_dtype, to, to_dtype, count);
}

/* The operator is input[0] + 2 * input[1] + 4 * input[2], in whole numbers below 128. */

static atomic_uint broken_promises, kernel_calls;

/* What the walker promises to kernels. */
static void check_promises(const void *const *input, unsigned inputs, const void *output, size_t count,
                           size_t bytes, bool streams)
{
    uintptr_t written = (uintptr_t)output;
    bool is_kept = count > 0 && written % bytes == 0;
    is_kept = is_kept && (!streams || (written % 64 == 0 && count * bytes % 64 == 0));
    for (unsigned i = 0; i < inputs; i++) {
        uintptr_t read = (uintptr_t)input[i];
        bool is_apart = read + count * bytes <= written || written + count * bytes <= read;
        is_kept = is_kept && read % bytes == 0 && (read == written || is_apart);
    }
    if (!is_kept)
        atomic_fetch_add(&broken_promises, 1);
}

static void sum(const void *const *input, void *output, size_t count, const void *parameters,
                aclDataType dtype, bool streams)
{
    unsigned inputs, bytes = dtype_bytes(dtype);
    memcpy(&inputs, parameters, sizeof inputs);
    check_promises(input, inputs, output, count, bytes, streams);
    atomic_fetch_add(&kernel_calls, 1);
    for (size_t n = 0; n < count; n++) {
        double result = 0;
        for (unsigned i = 0; i < inputs; i++) {
            double value;
            const unsigned char *source = (const unsigned char *)input[i] + n * bytes;
            if (dtype == ACL_DOUBLE)
                memcpy(&value, source, sizeof value);
            else
                convert(source, dtype, &value, ACL_DOUBLE, 1);
            result += (double)(1u << i) * value;
        }
        unsigned char *target = (unsigned char *)output + n * bytes;
        if (dtype == ACL_DOUBLE)
            memcpy(target, &result, sizeof result);
        else
            convert(&result, ACL_DOUBLE, target, dtype, 1);
    }
}

static void sum_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    sum(input, output, count, parameters, ACL_FLOAT, streams);
}

static void sum_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    sum(input, output, count, parameters, ACL_FLOAT16, streams);
}

static void sum_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    sum(input, output, count, parameters, ACL_BF16, streams);
}

static void sum_fp64(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    sum(input, output, count, parameters, ACL_DOUBLE, streams);
}

#define SUMS                                   \
    {                                          \
        sum_fp32, sum_fp16, sum_bf16, sum_fp64 \
    }
static const struct kernels sums = {.run = {SUMS, SUMS}};
static const struct kernels *const levels[ISA_LEVELS] = {&sums, &sums, &sums, &sums};
static const struct elementwise elementwise = {levels, .cost_ps = {1000, 1000}};

static aclDataType arithmetic_of_call; /* what the next call computes in */

static aclnnStatus infer(const struct call *call, struct result *result)
{
    /* The output has whatever shape it is given, to which the inputs broadcast. */
    result_add(result, arithmetic_of_call, DTYPE_ANY)->like = call->function->parameter_count - 1;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    const unsigned inputs = call->function->parameter_count - 1;
    return elementwise_plan(call, arithmetic_of_call, &inputs, sizeof inputs);
}

#define SUM(name_) .operation.name = (name_), ELEMENTWISE(&elementwise), .infer = infer, .plan = plan
#define INPUT      ENTRY_IN(input, &dtypes_floats_complex, )
#define RESULT     ENTRY_OUT(output, &dtypes_floats_complex, )
static const struct parameter of_one[] = {INPUT, RESULT};
static const struct parameter of_two[] = {INPUT, INPUT, RESULT};
static const struct parameter of_three[] = {INPUT, INPUT, INPUT, RESULT};
static const struct function descriptions[INPUTS_MAX] = {
    {SUM("sumOfOne"), PARAMETERS(of_one)},
    {SUM("sumOfTwo"), PARAMETERS(of_two)},
    {SUM("sumOfThree"), PARAMETERS(of_three)},
};

static unsigned char *element(unsigned char *const *memory, const struct view *view, const int64_t *index,
                              uint32_t rank)
{
    int64_t place = view->offset;
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] != 1)
            place += index[i + rank - view->rank] * view->stride[i];
    return memory[view->arena] + place * dtype_bytes(view->dtype);
}

static double read_value(const unsigned char *source, aclDataType dtype)
{
    double value;
    if (dtype == ACL_DOUBLE)
        memcpy(&value, source, sizeof value);
    else
        convert(source, dtype, &value, ACL_DOUBLE, 1);
    return value;
}

static void write_value(unsigned char *target, aclDataType dtype, double value)
{
    if (dtype == ACL_DOUBLE)
        memcpy(target, &value, sizeof value);
    else
        convert(&value, ACL_DOUBLE, target, dtype, 1);
}

/* Fills an arena, as far as any view of the case reaches, with values that the dtype holds exactly. */
static void fill(unsigned which, aclDataType dtype, size_t bytes)
{
    uint32_t step = dtype_bytes(dtype);
    for (size_t at = 0; at + step <= bytes; at += step)
        write_value(arena[which] + at, dtype, (double)random_below(16));
}

static aclTensor *create(const struct view *view)
{
    int64_t storage = last_of(view) + 1;
    aclTensor *tensor = aclCreateTensor(view->shape, view->rank, view->dtype, view->stride, view->offset,
                                        ACL_FORMAT_ND, &storage, 1, memory_known_as(arena[view->arena]));
    assert_non_null(tensor);
    return tensor;
}

static void run(const struct view *input, unsigned inputs, const struct view *output, aclDataType arithmetic)
{
    union argument argument[ARENAS];
    uint64_t workspace_bytes = 1;
    aclOpExecutor *executor = NULL;
    for (unsigned i = 0; i < inputs; i++)
        argument[i].tensor = create(&input[i]);
    argument[inputs].tensor = create(output);
    arithmetic_of_call = arithmetic;
    assert_int_equal(function_plan_anew(&descriptions[inputs - 1], argument, &workspace_bytes, &executor), 0);
    assert_int_equal(workspace_bytes, 0);
    for (unsigned i = 0; i <= inputs; i++)
        assert_int_equal(aclDestroyTensor(argument[i].tensor), 0);
    assert_int_equal(executor_launch(&descriptions[inputs - 1].operation, NULL, 0, executor, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

/*
 * Runs the call and compares all of the output's arena, as far as it was filled, with what the loop over
 * indices writes into a copy of it, having read everything from copies.
 */
static void compare(const struct view *input, unsigned inputs, const struct view *output,
                    aclDataType arithmetic, unsigned round)
{
    size_t used = 0;
    for (unsigned i = 0; i <= inputs; i++) {
        const struct view *view = i < inputs ? &input[i] : output;
        size_t bytes = (size_t)(last_of(view) + 1) * dtype_bytes(view->dtype) + 64;
        assert_true(bytes < ARENA_BYTES);
        used = bytes > used ? bytes : used;
    }
    for (unsigned i = 0; i < ARENAS; i++)
        memset(arena[i], 0, used);
    for (unsigned i = 0; i < inputs; i++)
        fill(input[i].arena, input[i].dtype, used);

    memcpy(snapshot, arena[output->arena], used);
    int64_t count = count_of(output), index[OPERAND_RANK_MAX] = {0};
    for (int64_t n = 0; n < count; n++) {
        double result = 0;
        for (unsigned i = 0; i < inputs; i++)
            result += (double)(1u << i) *
                      read_value(element(arena, &input[i], index, output->rank), input[i].dtype);
        unsigned char *const copies[ARENAS] = {snapshot, snapshot, snapshot, snapshot};
        write_value(element(copies, output, index, output->rank), output->dtype, result);
        for (uint32_t k = output->rank; k-- > 0 && ++index[k] == output->shape[k];)
            index[k] = 0;
    }

    run(input, inputs, output, arithmetic);
    for (size_t at = 0; at < used; at++)
        if (snapshot[at] != arena[output->arena][at])
            fail_msg("round %u: %u inputs, rank %u, %lld elements: byte %zu of the output differs", round,
                     inputs, output->rank, (long long)count, at);
    assert_int_equal(atomic_load(&broken_promises), 0);
}

static const aclDataType floats[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
static const aclDataType results[] = {ACL_FLOAT,  ACL_FLOAT16,   ACL_BF16,
                                      ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};

static void random_views_give_what_a_loop_over_indices_gives(void **state)
{
    (void)state;
    for (unsigned round = 0; round < (unsigned)times_effort(1000); round++) {
        unsigned inputs = 1 + (unsigned)random_below(INPUTS_MAX);
        uint32_t rank = (uint32_t)random_below(OPERAND_RANK_MAX + 1);
        struct view output = draw_output(rank, rank < 3 ? 60 : rank < 5 ? 9 : 4), input[INPUTS_MAX];
        for (unsigned i = 0; i < inputs; i++)
            input[i] = draw_input(&output);
        shrink(&output, input, inputs);

        bool is_mixed = random_below(2) == 0;
        aclDataType dtype = floats[random_below(4)], arithmetic = ACL_DT_UNDEFINED;
        for (unsigned i = 0; i < inputs; i++) {
            input[i].arena = i;
            input[i].dtype = is_mixed ? floats[random_below(4)] : dtype;
            arithmetic = i == 0 ? input[i].dtype : promote(arithmetic, input[i].dtype);
        }
        output.arena = INPUTS_MAX;
        output.dtype = is_mixed ? results[random_below(6)] : dtype;
        compare(input, inputs, &output, arithmetic, round);
    }
}

static void overlapping_views_give_what_copied_inputs_give(void **state)
{
    (void)state;
    for (unsigned round = 0; round < (unsigned)times_effort(1000); round++) {
        unsigned inputs = 1 + (unsigned)random_below(INPUTS_MAX);
        uint32_t rank = (uint32_t)random_below(5);
        struct view output = draw_output(rank, rank < 2 ? 3000 : rank < 3 ? 60 : 9), input[INPUTS_MAX];
        for (unsigned i = 0; i < inputs; i++)
            input[i] = draw_input(&output);
        shrink(&output, input, inputs);

        aclDataType dtype = floats[random_below(4)];
        output.arena = 0;
        output.dtype = random_below(4) == 0 ? results[random_below(6)] : dtype;
        for (unsigned i = 0; i < inputs; i++) {
            if (random_below(4) == 0) {
                input[i] = output; /* exactly the output, unless the dtype is another */
                input[i].offset = random_below(2) == 0 ? output.offset : random_below(8);
            }
            input[i].arena = random_below(3) == 0 ? i : 0;
            input[i].dtype = dtype;
        }
        compare(input, inputs, &output, dtype, round);
    }
}

static struct view contiguous(unsigned which, aclDataType dtype, uint32_t rank, const int64_t *shape)
{
    struct view view = {.arena = which, .dtype = dtype, .rank = rank};
    memcpy(view.shape, shape, rank * sizeof shape[0]);
    lay_out(&view, false, false);
    return view;
}

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static void large_work_is_shared_out_and_complete(void **state)
{
    (void)state;
    enum { ROWS = 701, COLUMNS = 1003 };
    struct view output = contiguous(3, ACL_FLOAT, 2, DIMS(ROWS, COLUMNS));
    struct view plain = contiguous(0, ACL_FLOAT, 2, DIMS(ROWS, COLUMNS));
    struct view turned = {1, ACL_FLOAT, 2, {ROWS, COLUMNS}, {1, ROWS}, 0};
    struct view sliced = {2, ACL_FLOAT, 2, {ROWS, COLUMNS}, {1100, 1}, 5};
    compare((struct view[]){plain, turned, sliced}, 3, &output, ACL_FLOAT, 0);

    struct view row = contiguous(1, ACL_FLOAT, 1, DIMS(COLUMNS));
    struct view column = contiguous(2, ACL_FLOAT, 2, DIMS(ROWS, 1));
    compare((struct view[]){plain, row, column}, 3, &output, ACL_FLOAT, 1);

    struct view scalar = contiguous(2, ACL_FLOAT, 0, DIMS(1));
    compare((struct view[]){scalar, plain}, 2, &output, ACL_FLOAT, 2);
    plain.arena = 3;
    compare((struct view[]){plain, row}, 2, &output, ACL_FLOAT, 3);

    struct view halves = contiguous(0, ACL_FLOAT16, 2, DIMS(ROWS, COLUMNS));
    struct view brains = contiguous(1, ACL_BF16, 2, DIMS(ROWS, COLUMNS));
    output.dtype = ACL_BF16;
    compare((struct view[]){halves, brains}, 2, &output, ACL_FLOAT, 4);
}

static void a_large_overlap_is_copied_first(void **state)
{
    (void)state;
    enum { COUNT = 300007 };
    struct view output = contiguous(0, ACL_FLOAT, 1, DIMS(COUNT));
    struct view behind = output, before = output;
    behind.offset = 1;
    output.offset = 2;
    compare((struct view[]){before, behind}, 2, &output, ACL_FLOAT, 0);
    output.offset = 0;
    compare((struct view[]){behind}, 1, &output, ACL_FLOAT, 1);
    struct view every_second = {0, ACL_FLOAT, 1, {COUNT}, {2}, 1};
    compare((struct view[]){every_second}, 1, &output, ACL_FLOAT, 2);
    /* Windows of 1000 that move by one: fewer elements than indices. */
    struct view windows = {0, ACL_FLOAT, 2, {300, 1000}, {1, 1}, 50},
                square = contiguous(0, ACL_FLOAT, 2, DIMS(300, 1000));
    compare((struct view[]){windows}, 1, &square, ACL_FLOAT, 3);
    struct view one = contiguous(0, ACL_FLOAT, 0, DIMS(1));
    one.offset = 777;
    compare((struct view[]){one, square}, 2, &square, ACL_FLOAT, 4);
}

static void operands_that_are_permuted_alike_are_passed_in_one_piece(void **state)
{
    (void)state;
    /* As few elements as make one chunk at every level. */
    struct view output = {3, ACL_FLOAT, 4, {10, 1, 20, 5}, {1, 7, 10, 200}, 0};
    struct view input = output, other = output;
    input.arena = 0;
    other.arena = 1;
    atomic_store(&kernel_calls, 0);
    compare((struct view[]){input, other}, 2, &output, ACL_FLOAT, 0);
    assert_int_equal(atomic_load(&kernel_calls), 1);

    /* Slices of rows are passed row by row. */
    output = (struct view){3, ACL_FLOAT, 2, {3, 340}, {425, 1}, 0};
    input = output;
    input.arena = 0;
    atomic_store(&kernel_calls, 0);
    compare((struct view[]){input}, 1, &output, ACL_FLOAT, 1);
    assert_int_equal(atomic_load(&kernel_calls), 3);
}

static void an_empty_output_runs_and_writes_nothing(void **state)
{
    (void)state;
    struct view output = contiguous(3, ACL_FLOAT, 2, DIMS(4, 0)),
                input = contiguous(0, ACL_FLOAT, 2, DIMS(1, 0));
    output.offset = input.offset = 8; /* last_of is before the offset */
    compare((struct view[]){input}, 1, &output, ACL_FLOAT, 0);
}

static int set_up(void **state)
{
    (void)state;
    snapshot = (unsigned char *)malloc(ARENA_BYTES);
    bool is_ready =
        snapshot != NULL && aclInit(NULL) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0;
    for (unsigned i = 0; i < ARENAS && is_ready; i++)
        is_ready = aclrtMalloc((void **)&arena[i], ARENA_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0;
    for (unsigned i = 0; i < ARENAS; i++)
        arena[i] = (unsigned char *)host_side(arena[i], ARENA_BYTES);
    return is_ready ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(snapshot);
    for (unsigned i = 0; i < ARENAS; i++)
        aclrtFree(memory_known_as(arena[i]));
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return aclFinalize();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_views_give_what_a_loop_over_indices_gives),
        cmocka_unit_test(overlapping_views_give_what_copied_inputs_give),
        cmocka_unit_test(large_work_is_shared_out_and_complete),
        cmocka_unit_test(a_large_overlap_is_copied_first),
        cmocka_unit_test(operands_that_are_permuted_alike_are_passed_in_one_piece),
        cmocka_unit_test(an_empty_output_runs_and_writes_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
