/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program gets the same bits from every instruction set, number of threads, length, alignment, layout and
 * chunk size, whether work runs at once or from the queue. Each combination of the environment's variables
 * is a process of its own, which prints what it compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "base/settings.h"
#include "numerics/call.h"
#include "numerics/draw.h"
#include "numerics/kernel_table.h"
#include "numerics/sweep.h"
#include "ops/loops/elementwise_plan.h"
#include "base/processor.h"
#include "numerics/hold.h"
#include "support/child.h"
#include "support/effort.h"

/* LENGTH elements are drawn; longer inputs repeat them. CALLS wait for the stream at a time. */
enum {
    LENGTH = 257,
    ALIGNMENT = 64,
    CALLS = 128,
    ROWS = 12,
    COLUMNS = 20,
    LARGE = 40000,
    ARENA_BYTES = 8 << 20
};

static enum accuracy accuracy;
static enum isa_level level_in_use;
static aclrtStream stream;
static char *arena; /* memory of a device that a test can look into */
static size_t arena_used;
static struct call calls[CALLS];
static int call_count;
static uint64_t compared, different;

/* The elements under test, as the bits of their dtype. */
static struct task task;
static uint64_t drawn[LENGTH][INPUTS_MAX];

static bool run_all(bool is_queued)
{
    if (is_queued && hold_stream(stream) != 0)
        return false;
    for (int i = 0; i < call_count; i++)
        if (launch(&calls[i], stream) != 0 || (!is_queued && aclrtSynchronizeStream(stream) != 0))
            return false;
    let_stream_go();
    if (aclrtSynchronizeStream(stream) != 0)
        return false;
    for (int i = 0; i < call_count; i++) {
        compared += count_elements(&calls[i]);
        different += count_differences(&calls[i], accuracy);
    }
    return true;
}

static bool flush(void)
{
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        for (int i = 0; i < call_count; i++) {
            const struct view *output = &calls[i].output;
            int64_t reach =
                (output->shape[0] - 1) * output->stride[0] + (output->shape[1] - 1) * output->stride[1];
            if (count_elements(&calls[i]) > 0)
                memset(output->data, 0x5a, (size_t)(reach + 1) * (size_t)formats[task.dtype].bits / 8);
        }
        if (!run_all(is_queued))
            return false;
    }
    call_count = 0;
    arena_used = 0;
    return true;
}

/* Memory for a view with these strides, at offset bytes past a multiple of ALIGNMENT. */
static struct view reserve(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                           size_t offset)
{
    const size_t bytes = (size_t)formats[task.dtype].bits / 8;
    int64_t reach = rows && columns ? (rows - 1) * row_stride + (columns - 1) * column_stride + 1 : 0;
    struct view view = {{rows, columns}, {row_stride, column_stride}, arena + arena_used + offset};
    arena_used += ((size_t)reach * bytes + offset + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    assert_true(arena_used <= ARENA_BYTES);
    return view;
}

/* Writes the drawn elements from first on to the view in its logical order. */
static void fill(const struct view *view, int input, size_t first)
{
    const size_t bytes = (size_t)formats[task.dtype].bits / 8;
    for (int64_t i = 0; i < view->shape[0] * view->shape[1]; i++) {
        int64_t place = i / view->shape[1] * view->stride[0] + i % view->shape[1] * view->stride[1];
        memcpy(view->data + place * (int64_t)bytes, &drawn[(first + (size_t)i) % LENGTH][input], bytes);
    }
}

/* Inputs of count elements at the offsets, the output's last. */
static bool add_row(int64_t count, size_t first, const size_t *offset)
{
    struct call *call = &calls[call_count++];
    call->task = task;
    for (int i = 0; i < INPUTS_MAX; i++) {
        call->input[i] = reserve(1, count, count, 1, offset[i]);
        fill(&call->input[i], i, first);
    }
    call->output = reserve(1, count, count, 1, offset[INPUTS_MAX]);
    return call_count < CALLS || flush();
}

static bool try_lengths(void)
{
    const size_t aligned[INPUTS_MAX + 1] = {0};
    for (int64_t count = 0; count <= LENGTH; count++)
        if (!add_row(count, (size_t)(LENGTH - count) / 2, aligned))
            return false;
    return flush() && add_row(LARGE, 0, aligned) && flush();
}

static bool try_alignments(void)
{
    for (size_t offset = 0; offset < ALIGNMENT; offset += (size_t)formats[task.dtype].bits / 8)
        for (int which = 0; which <= INPUTS_MAX; which++) {
            size_t offsets[INPUTS_MAX + 1] = {0};
            offsets[which] = offset;
            if (!add_row(70, offset, offsets))
                return false;
        }
    return flush();
}

/* How an operand may lie: in order, permuted, sliced along both axes; inputs also repeating. */
enum layout {
    PLAIN,
    PERMUTED,
    SLICED,
    LAYOUTS_OF_OUTPUT,
    SAME_ROWS = LAYOUTS_OF_OUTPUT,
    SAME_COLUMNS,
    SAME,
    LAYOUTS
};

static struct view lay_out(enum layout layout, int64_t rows, int64_t columns)
{
    switch (layout) {
    case PERMUTED:
        return reserve(rows, columns, 1, rows, 0);
    case SLICED:
        return reserve(rows, columns, 2 * columns + 3, 2, 6 * 8);
    case SAME_ROWS:
        return reserve(rows, columns, 0, 1, 0);
    case SAME_COLUMNS:
        return reserve(rows, columns, 1, 0, 0);
    case SAME:
        return reserve(rows, columns, 0, 0, 0);
    default:
        return reserve(rows, columns, columns, 1, 0);
    }
}

/* A repeating view also as one of size 1, which the operator is to broadcast. */
static void broadcast(struct view *view)
{
    for (int axis = 0; axis < CALL_RANK; axis++)
        if (view->stride[axis] == 0)
            view->shape[axis] = 1;
}

static bool add_layout(const int *layout, int64_t rows, int64_t columns, bool is_broadcast)
{
    struct call *call = &calls[call_count++];
    call->task = task;
    for (int i = 0; i < INPUTS_MAX; i++) {
        call->input[i] = lay_out((enum layout)layout[i], rows, columns);
        fill(&call->input[i], i, 0);
        if (is_broadcast)
            broadcast(&call->input[i]);
    }
    call->output = lay_out((enum layout)layout[INPUTS_MAX], rows, columns);
    return call_count < CALLS || flush();
}

static bool try_layouts(void)
{
    const bool may_broadcast = task.stem == SMOOTH_L1_LOSS_BACKWARD || task.stem == LEAKY_RELU_BACKWARD ||
                               (is_of_other_family(task.stem) && reference_inputs(task.stem) == 2);
    /* Every layout of each operand beside plain ones, then all operands at once. */
    for (int which = 0; which <= INPUTS_MAX; which++)
        for (int layout = 0; layout < (which == INPUTS_MAX ? LAYOUTS_OF_OUTPUT : LAYOUTS); layout++) {
            int layouts[INPUTS_MAX + 1] = {PLAIN};
            layouts[which] = layout;
            if (!add_layout(layouts, ROWS, COLUMNS, false) || !add_layout(layouts, 3, 300, false) ||
                (may_broadcast && !add_layout(layouts, ROWS, COLUMNS, true)))
                return false;
        }
    for (int a = 0; a < LAYOUTS; a++)
        for (int b = 0; b < LAYOUTS; b++) {
            const int layouts[] = {a, b, PERMUTED, (a + b) % LAYOUTS_OF_OUTPUT};
            if (!add_layout(layouts, ROWS, COLUMNS, false))
                return false;
        }
    const int large[] = {PERMUTED, PLAIN, SLICED, PERMUTED};
    return flush() && add_layout(large, 200, LARGE / 200, false) && flush();
}

/* The walker with the plan of a contiguous or sliced operator, whose chunks are of every size. */
static bool try_chunks(void)
{
    static const aclDataType dtypes[ARITHMETICS] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    const struct kernel_parameters parameters = parameters_of(&task);
    for (uint64_t chunk = 1; chunk <= LENGTH; chunk++) {
        struct elementwise_plan plan = {
            .kernel = kernel_table[task.stem][level_in_use]->run[accuracy][task.dtype],
            .transfer = transfer_of(level_in_use),
            .arithmetic = dtypes[task.dtype],
            .result = dtypes[task.dtype],
            .arithmetic_bytes = (uint32_t)formats[task.dtype].bits / 8,
            .input_count = (uint32_t)reference_inputs(task.stem),
            .nest = {.view_count = OPERANDS, .axis_count = 1, .count = LENGTH},
            .count = LENGTH,
            .chunk = chunk,
        };
        memcpy(plan.parameters, &parameters, sizeof parameters);
        struct call call = {.task = task};
        void *address[OPERANDS];
        plan.nest.axis[0].size = LENGTH;
        for (uint32_t i = 0; i < OPERANDS; i++) {
            if (i >= INPUTS_MAX && i != OUTPUT)
                continue;
            int64_t stride = i == 1 ? 1 + (int64_t)(chunk % 2) : 1;
            struct view view = reserve(1, LENGTH, LENGTH * stride, stride, 0);
            plan.operand[i] = (struct walk_operand){.dtype = plan.arithmetic,
                                                    .bytes = plan.arithmetic_bytes,
                                                    .address = i,
                                                    .extent = (uint64_t)(LENGTH * stride)};
            plan.nest.axis[0].stride[i] = stride;
            address[i] = view.data;
            if (i == OUTPUT) {
                call.output = view;
                memset(view.data, 0x5a, LENGTH * plan.arithmetic_bytes);
            } else {
                call.input[i] = view;
                fill(&view, (int)i, 0);
            }
        }
        elementwise_classify(&plan);
        if (elementwise_run(&plan, address, NULL) != 0)
            return false;
        compared += LENGTH;
        different += count_differences(&call, accuracy);
        arena_used = 0;
    }
    return true;
}

/* The same kernels have been looked at with the other accuracy. */
static bool is_as_by_default(int stem, int dtype)
{
    const struct kernels *lowest = kernel_table[stem][ISA_BASELINE], *used = kernel_table[stem][level_in_use];
    return accuracy != ACCURACY_DEFAULT &&
           lowest->run[ACCURACY_DEFAULT][dtype] == lowest->run[accuracy][dtype] &&
           used->run[ACCURACY_DEFAULT][dtype] == used->run[accuracy][dtype];
}

static int compare_everything(void)
{
    const struct settings *settings;
    CHILD_CHECK(aclInit(NULL) == 0);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    CHILD_CHECK(aclrtMallocHost((void **)&arena, ARENA_BYTES) == 0);
    CHILD_CHECK(settings_get(&settings) == 0);
    accuracy = settings->accuracy;
    level_in_use = settings->isa;
    int result = 0;
    for (int stem = 0; stem < REFERENCE_OPERATORS; stem++)
        for (int dtype = 0; dtype < ARITHMETICS; dtype++) {
            if (!kernel_table[stem][ISA_BASELINE]->run[accuracy][dtype] || is_as_by_default(stem, dtype))
                continue;
            /* Slope 0.3 and beta 0.7, which send elements through both branches. */
            task = nth_task((enum reference_operator)stem, (enum arithmetic)dtype,
                            has_beta((enum reference_operator)stem) ? 6 : 5);
            struct generator generator = {.state = (uint64_t)(stem * ARITHMETICS + dtype)};
            for (size_t i = 0; i < LENGTH; i++)
                draw_inputs(&generator, &task, drawn[i]);
            compared = different = 0;
            CHILD_CHECK(try_lengths() && try_alignments() && try_layouts() && try_chunks());
            printf("%-23s %s %-7s %-8s %s threads: compared %llu different %llu\n",
                   reference_operator_names[stem], formats[dtype].name,
                   accuracy == ACCURACY_EXACT ? "exact" : "default", isa_level_name(settings->isa),
                   getenv("BELAY_THREADS"), (unsigned long long)compared, (unsigned long long)different);
            result |= different != 0;
        }
    fflush(stdout);
    CHILD_CHECK(aclrtFreeHost(arena) == 0 && aclrtDestroyStream(stream) == 0 && aclrtResetDevice(0) == 0);
    CHILD_CHECK(aclFinalize() == 0);
    return result;
}

static void every_environment_gives_the_bits_of_each_element_alone(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "2", "3", "8"};
    static const char *const accuracies[] = {"default", "exact"};
    for (int level = 0; level <= (int)processor_kernel_level(); level++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++) {
                /* What threads share out does not depend on level and accuracy, and what the levels read not
                 * on the accuracy: each value is seen, and with more effort each beside each. */
                const bool is_highest = level == (int)processor_kernel_level();
                if (times_effort(1) == 1 && ((i > 0 && !is_highest) || j != (i == 0 ? level : 3)))
                    continue;
                setenv("BELAY_ACCURACY", accuracies[i], 1);
                setenv("BELAY_THREADS", threads[j], 1);
                assert_int_equal(
                    run_in_child("BELAY_ISA", isa_level_name((enum isa_level)level), compare_everything), 0);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_environment_gives_the_bits_of_each_element_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
