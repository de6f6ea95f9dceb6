/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Layouts of the tensors of every function, by its description: each operand in each layout, one at a time and
 * all at once, against the same elements side by side: the same bits come out, and nothing is written beside
 * the elements of outputs.
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

enum layout {
    LAYOUT_PLAIN,
    LAYOUT_BEHIND,         /* side by side, behind an offset */
    LAYOUT_GAPS,           /* gaps between elements, and others between rows */
    LAYOUT_FIRST_FASTEST,  /* the first dim lies side by side */
    LAYOUT_TURNED_GAPS,    /* the same with gaps, behind an offset */
    LAYOUT_EXPANDED_FIRST, /* all along the first dim share their elements, of what is read */
    LAYOUT_EXPANDED_LAST,  /* along the last one */
    LAYOUTS
};

static const char *const layout_names[LAYOUTS] = {"plain",
                                                  "behind an offset",
                                                  "with gaps",
                                                  "with the first dim fastest",
                                                  "turned with gaps behind an offset",
                                                  "expanded along the first dim",
                                                  "expanded along the last dim"};

enum { FILLED = 0xA5, WRONG_TOLD = 30, REFUSED_TOLD = 60 };

/* Elements of each operand side by side: what is given, and what came out of it so. */
static unsigned char given[OPERANDS_MOST][PLACE_BYTES / 8], expected[OPERANDS_MOST][PLACE_BYTES / 8];
static unsigned char shaped[OPERANDS_MOST][PLACE_BYTES / 8], beside[PLACE_BYTES];
static uint32_t calls, wrong, refused;

static bool is_expanded(enum layout layout)
{
    return layout >= LAYOUT_EXPANDED_FIRST;
}

/* The dim that an operand is expanded along: one with elements to share; or none, its rank. */
static uint32_t expanded_dim(const struct sampled_operand *operand, enum layout layout)
{
    const uint32_t dim = layout == LAYOUT_EXPANDED_FIRST ? 0 : operand->rank - 1;
    return operand->rank > 0 && operand->shape[dim] > 1 ? dim : operand->rank;
}

static void lay_out(struct sampled_operand *operand, enum layout layout)
{
    int64_t step = layout == LAYOUT_GAPS ? 2 : layout == LAYOUT_TURNED_GAPS ? 3 : 1;
    set_contiguous(operand);
    operand->offset = layout == LAYOUT_BEHIND ? 3 : layout == LAYOUT_TURNED_GAPS ? 1 : 0;
    if (layout == LAYOUT_GAPS)
        for (uint32_t i = operand->rank; i-- > 0; step = step * operand->shape[i] + 1)
            operand->stride[i] = step;
    if (layout == LAYOUT_FIRST_FASTEST || layout == LAYOUT_TURNED_GAPS)
        for (uint32_t i = 0; i < operand->rank; step *= operand->shape[i++])
            operand->stride[i] = step;
    if (is_expanded(layout) && expanded_dim(operand, layout) < operand->rank)
        operand->stride[expanded_dim(operand, layout)] = 0;
}

/* Where the element with a row-major number lies, in elements from the address. */
static int64_t place_at(const struct sampled_operand *operand, size_t number)
{
    int64_t place = operand->offset;
    for (uint32_t i = operand->rank; i-- > 0; number /= (size_t)operand->shape[i])
        place += (int64_t)(number % (size_t)operand->shape[i]) * operand->stride[i];
    return place;
}

static size_t reach_bytes(const struct sampled_operand *operand)
{
    return operand->count == 0
               ? 0
               : (size_t)(place_at(operand, operand->count - 1) + 1) * dtype_bytes(operand->dtype);
}

static void scatter(const struct sampled_operand *operand, const unsigned char *from)
{
    const size_t bytes = dtype_bytes(operand->dtype);
    memset(operand->address - 64, FILLED, reach_bytes(operand) + 128);
    for (size_t i = 0; i < operand->count; i++)
        memcpy(operand->address + (size_t)place_at(operand, i) * bytes, from + i * bytes, bytes);
}

static void gather(const struct sampled_operand *operand, unsigned char *to)
{
    const size_t bytes = dtype_bytes(operand->dtype);
    for (size_t i = 0; i < operand->count; i++)
        memcpy(to + i * bytes, operand->address + (size_t)place_at(operand, i) * bytes, bytes);
}

/* Whether nothing has changed but the elements of what is written. */
static bool is_whole(struct sampled_operand *operand, const unsigned char *elements)
{
    const size_t all = reach_bytes(operand) + 128;
    memcpy(beside, operand->address - 64, all);
    scatter(operand, elements);
    return memcmp(beside, operand->address - 64, all) == 0;
}

/* The elements of what is expanded, each as often as it stands there. */
static void repeat_expanded(const struct sampled_operand *operand, enum layout layout,
                            unsigned char *elements)
{
    const size_t bytes = dtype_bytes(operand->dtype);
    const uint32_t dim = is_expanded(layout) ? expanded_dim(operand, layout) : operand->rank;
    size_t inner = 1;
    for (uint32_t i = dim + 1; i < operand->rank; i++)
        inner *= (size_t)operand->shape[i];
    for (size_t i = 0; dim < operand->rank && i < operand->count; i++) {
        const size_t at = i / inner % (size_t)operand->shape[dim];
        memcpy(elements + i * bytes, elements + (i - at * inner) * bytes, bytes);
    }
}

/* The views that the tensors have now: some functions say how much of an output they have filled. */
static bool read_views(struct sampled_call *call)
{
    bool are_given = true;
    for (uint32_t i = 0; i < call->operands; i++) {
        struct sampled_operand *operand = &call->operand[i];
        struct tensor_view view;
        assert_true(tensor_read(operand->tensor, &view));
        bool is_given = view.rank == operand->rank;
        for (uint32_t k = 0; is_given && k < view.rank; k++)
            is_given = view.shape[k] == operand->shape[k] && view.stride[k] == operand->stride[k];
        operand->rank = view.rank;
        memcpy(operand->shape, view.shape, view.rank * sizeof view.shape[0]);
        memcpy(operand->stride, view.stride, view.rank * sizeof view.stride[0]);
        operand->count = (size_t)view.count;
        operand->bytes = operand->count * dtype_bytes(operand->dtype);
        are_given = are_given && is_given;
    }
    return are_given;
}

static void tell(const struct sampled_call *call, uint32_t operand, const char *what, uint32_t subject,
                 enum layout layout)
{
    char name[64], subject_name[64];
    if (wrong++ < WRONG_TOLD)
        print_message("%s: %s %s where %s %s %s\n", call->function->operation.name,
                      name_of(call, operand, &name), what,
                      subject < call->operands ? name_of(call, subject, &subject_name) : "everything",
                      subject < call->operands ? "lies" : "lies", layout_names[layout]);
}

/* The call with elements as they lie in a layout that subjects have, of which repeated ones are the same. */
static int run_plain(const struct sampled_call *call, const enum layout *layout)
{
    struct sampled_call plain = *call;
    for (uint32_t i = 0; i < plain.operands; i++) {
        memcpy(shaped[i], given[i], plain.operand[i].bytes);
        repeat_expanded(&plain.operand[i], layout[i], shaped[i]);
        scatter(&plain.operand[i], shaped[i]);
    }
    begin_tensors(&plain);
    const int status = run_tensors(&plain);
    (void)read_views(&plain);
    end_tensors(&plain);
    for (uint32_t i = 0; status == 0 && i < plain.operands; i++)
        gather(&plain.operand[i], expected[i]);
    return status;
}

static void try_layouts(const struct sampled_call *call, const enum layout *layout, uint32_t subject,
                        enum layout told)
{
    struct sampled_call laid = *call;
    const int expected_status = run_plain(call, layout);
    (void)aclGetRecentErrMsg();
    for (uint32_t i = 0; i < laid.operands; i++) {
        lay_out(&laid.operand[i], layout[i]);
        scatter(&laid.operand[i], shaped[i]);
    }
    begin_tensors(&laid);
    const int status = run_tensors(&laid);
    const struct sampled_call asked = laid;
    const bool are_given = read_views(&laid);
    end_tensors(&laid);
    calls++;
    if (status != expected_status) {
        if (refused++ < REFUSED_TOLD)
            print_message("%s gives %d and not %d %s: %s\n", call->function->operation.name, status,
                          expected_status, layout_names[told], aclGetRecentErrMsg());
        return;
    }
    for (uint32_t i = 0; status == 0 && i < laid.operands; i++) {
        struct sampled_operand *operand = &laid.operand[i], whole = asked.operand[i];
        static unsigned char found[PLACE_BYTES / 8];
        gather(operand, found);
        if (is_written(call, i) && memcmp(found, expected[i], operand->bytes) != 0)
            tell(call, i, "is another one", subject, told);
        if (!are_given && is_written(call, i))
            continue;
        gather(&whole, found);
        if (!is_whole(&whole, is_written(call, i) ? found : shaped[i]))
            tell(call, i, "is written beside its elements", subject, told);
    }
}

static bool may_lie(const struct sampled_call *call, uint32_t operand, enum layout layout)
{
    return !is_expanded(layout) ||
           (!is_written(call, operand) && call->operand[operand].rank > 0 &&
            expanded_dim(&call->operand[operand], layout) < call->operand[operand].rank);
}

static bool try_function(const struct function *function, const struct sampling *sampling)
{
    static struct sampled_call call;
    enum contents contents;
    const bool runs = sample_call(&call, function, sampling, &contents);
    for (uint32_t i = 0; i < call.operands; i++)
        fill_numbers(&call.operand[i], given[i], contents);
    for (enum layout layout = LAYOUT_BEHIND; runs && layout < LAYOUTS; layout++) {
        enum layout all[OPERANDS_MOST] = {LAYOUT_PLAIN};
        for (uint32_t i = 0; i < call.operands; i++) {
            enum layout one[OPERANDS_MOST] = {LAYOUT_PLAIN};
            if (!may_lie(&call, i, layout))
                continue;
            one[i] = all[i] = layout;
            try_layouts(&call, one, i, layout);
        }
        try_layouts(&call, all, call.operands, layout);
    }
    end_call(&call);
    return runs;
}

static void elements_lie_as_they_like(void **state)
{
    static const struct sampling samplings[] = {{ACL_DT_UNDEFINED, false}, {ACL_DT_UNDEFINED, true},
                                                {ACL_FLOAT16, false},      {ACL_BF16, true},
                                                {ACL_DOUBLE, false},       {ACL_INT32, true}};
    (void)state;
    size_t count;
    const uint32_t functions_tried =
        try_functions(try_function, samplings, sizeof samplings / sizeof samplings[0], &count);
    print_message("%u calls of %u functions of %zu, %u refused\n", calls, functions_tried, count, refused);
    assert_int_equal(wrong, 0);
    assert_true(functions_tried + 1 >= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_lie_as_they_like)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
