/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Outputs that share memory with inputs, of every function, by its description: each output lies on each
 * input that is not its own, at several distances, tensors of lists too, and what comes out is what comes out
 * where the inputs were copied first.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

#include <cmocka.h>

#include "ops/attempt.h"
#include "support/random.h"

enum { OPERANDS_MOST = 64, PLACE_BYTES = 1 << 14, FAULT = 507035 };

struct operand_of_call {
    unsigned parameter;
    aclDataType dtype;
    uint32_t rank;
    int64_t shape[TENSOR_RANK_MAX];
    size_t bytes; /* of all elements, which lie side by side */
};

/* A call with its tensors, and where they lie: apart, or one of them on another. */
struct overlapped_call {
    const struct function *function;
    union argument argument[PARAMETERS_MAX];
    uint32_t length[PARAMETERS_MAX]; /* of tensors */
    uint32_t first[PARAMETERS_MAX];  /* the number of the first one */
    struct operand_of_call operand[OPERANDS_MOST];
    uint32_t operands;
    bool is_too_large;
    unsigned char *address[OPERANDS_MOST];
};

static unsigned char *arena; /* a place for each operand */
static unsigned char before[OPERANDS_MOST * PLACE_BYTES];
static unsigned char expected[OPERANDS_MOST][PLACE_BYTES];
static aclrtStream stream;
static const struct settings *settings;
static uint32_t calls, functions_tried, wrong;

static unsigned char *place(uint32_t operand)
{
    return arena + (size_t)operand * PLACE_BYTES + PLACE_BYTES / 4;
}

static void add_operand(struct overlapped_call *call, unsigned parameter, aclDataType dtype, uint32_t rank,
                        const int64_t *shape)
{
    struct operand_of_call *operand = &call->operand[call->operands++];
    assert_true(call->operands <= OPERANDS_MOST);
    *operand = (struct operand_of_call){.parameter = parameter, .dtype = dtype, .rank = rank};
    memcpy(operand->shape, shape, rank * sizeof shape[0]);
    operand->bytes = dtype_bytes(dtype);
    for (uint32_t i = 0; i < rank; i++)
        operand->bytes *= (size_t)shape[i];
    call->is_too_large |= operand->bytes > PLACE_BYTES / 2;
    call->length[parameter]++;
}

/* The tensor of a parameter as its sample says, with another dtype if it has it and its sample names none,
 * and larger where it may be of any shape. */
static void add_sample(struct overlapped_call *call, unsigned parameter, aclDataType dtype, bool is_large)
{
    const struct parameter *of = &call->function->parameter[parameter];
    struct tensor_view view;
    aclTensor *sample = sample_tensor(of);
    assert_true(tensor_read(sample, &view));
    const bool is_named = of->sample != NULL && strchr(of->sample, ':') != NULL;
    if (!is_named && dtype != ACL_DT_UNDEFINED && (of->dtypes->on[settings->product] & DTYPE_BIT(dtype)) != 0)
        view.dtype = dtype;
    if (is_large && of->sample == NULL) {
        view.shape[0] = 9;
        view.shape[1] = 130;
    }
    add_operand(call, parameter, view.dtype, view.rank, view.shape);
    assert_int_equal(aclDestroyTensor(sample), 0);
}

static aclTensor *tensor_of(const struct overlapped_call *call, uint32_t number)
{
    const struct operand_of_call *operand = &call->operand[number];
    return aclCreateTensor(operand->shape, operand->rank, operand->dtype, NULL, 0, ACL_FORMAT_ND,
                           operand->shape, operand->rank, call->address[number]);
}

/* The handles of a parameter's tensors, where they lie now. */
static void make_tensors(struct overlapped_call *call, unsigned parameter)
{
    const aclTensor *tensor[OPERANDS_MOST];
    if (call->length[parameter] == 0)
        return;
    for (uint32_t i = 0; i < call->length[parameter]; i++)
        tensor[i] = tensor_of(call, call->first[parameter] + i);
    call->argument[parameter].handle =
        call->function->parameter[parameter].kind == PARAMETER_TENSOR_LIST
            ? (const void *)aclCreateTensorList(tensor, call->length[parameter])
            : (const void *)tensor[0];
}

static void end_tensors(struct overlapped_call *call)
{
    for (unsigned i = 0; i < call->function->parameter_count; i++)
        if (call->length[i] > 0)
            release_argument(&call->function->parameter[i], call->argument[i]);
}

static void make_inputs(struct overlapped_call *call, aclDataType dtype, bool is_large)
{
    const struct function *function = call->function;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        call->first[i] = call->operands;
        if (parameter_is_output(parameter))
            continue;
        if (!parameter_is_tensor(parameter) || must_be_null(parameter)) {
            call->argument[i] = sample_argument(parameter);
            continue;
        }
        const bool is_list = parameter->kind == PARAMETER_TENSOR_LIST;
        for (unsigned k = 0; k < (is_list ? sample_length(parameter) : 1); k++)
            add_sample(call, i, dtype, is_large);
    }
}

/* False where infer refuses the inputs. */
static bool make_outputs(struct overlapped_call *call)
{
    const struct function *function = call->function;
    struct result result;
    for (unsigned i = 0; i < function->parameter_count; i++)
        make_tensors(call, i);
    const bool is_accepted = function_infer(function, call->argument, &result) == 0;
    end_tensors(call);
    for (unsigned i = 0, written = 0; is_accepted && i < function->parameter_count; i++) {
        const struct output *output = &result.output[written];
        written += parameter_is_written(&function->parameter[i]);
        if (!parameter_is_output(&function->parameter[i]))
            continue;
        call->first[i] = call->operands;
        if (function->parameter[i].kind != PARAMETER_TENSOR_LIST) {
            add_operand(call, i, output->dtype, output->shape.rank, output->shape.dim);
            continue;
        }
        for (uint32_t k = 0; k < call->length[output->like]; k++) {
            const struct operand_of_call like = call->operand[call->first[output->like] + k];
            add_operand(call, i, output->dtype == ACL_DT_UNDEFINED ? like.dtype : output->dtype, like.rank,
                        like.shape);
        }
    }
    return is_accepted;
}

/* What integers are: good as indices and ends, all 0, all 1, and 2, of which two make up four. With the last
 * one, floats are a matrix of three rows with a great diagonal. */
enum contents { CONTENTS_ENDS, CONTENTS_ZERO, CONTENTS_ONE, CONTENTS_TWO, CONTENTS };

/* Numbers of a view, by its dtype. */
static void fill_numbers(const struct operand_of_call *operand, unsigned char *to, enum contents contents)
{
    const size_t bytes = dtype_bytes(operand->dtype);
    for (size_t i = 0; i < operand->bytes / bytes; i++) {
        const double drawn = 0.25 + (double)random_below(1000) / 512,
                     number = contents == CONTENTS_TWO && operand->rank == 2 ? i % 4 == 0 ? 4 : 0.25 : drawn;
        const float single = (float)number;
        const uint16_t half = (uint16_t)(0x3800 + random_below(1024)), brain = (uint16_t)(0x3f00 + i % 128);
        const uint64_t whole = contents == CONTENTS_ENDS ? i > 0 : (uint64_t)contents - CONTENTS_ZERO;
        const void *from = operand->dtype == ACL_DOUBLE    ? (const void *)&number
                           : operand->dtype == ACL_FLOAT   ? (const void *)&single
                           : operand->dtype == ACL_FLOAT16 ? (const void *)&half
                           : operand->dtype == ACL_BF16    ? (const void *)&brain
                                                           : (const void *)&whole;
        memcpy(to + i * bytes, from, bytes < sizeof whole ? bytes : sizeof whole);
    }
}

static int run_call(struct overlapped_call *call)
{
    const struct function *function = call->function;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    for (unsigned i = 0; i < function->parameter_count; i++)
        make_tensors(call, i);
    int status = function_plan_anew(function, call->argument, &workspace_bytes, &executor);
    end_tensors(call);
    if (status != 0)
        return status;
    assert_int_equal(workspace_bytes, 0);
    status = function->launch(NULL, 0, executor, stream);
    return status != 0 ? status : aclrtSynchronizeStream(stream);
}

static bool is_written(const struct overlapped_call *call, uint32_t operand)
{
    return parameter_is_written(&call->function->parameter[call->operand[operand].parameter]);
}

/* What comes out where the output lies that far behind an input's first byte, against the same apart. */
static void try_distance(struct overlapped_call *call, uint32_t output, uint32_t input, int64_t distance)
{
    const uint32_t operands = call->operands;
    for (uint32_t i = 0; i < operands; i++)
        call->address[i] = place(i);
    call->address[output] = place(input) + distance;
    memcpy(before, arena, (size_t)operands * PLACE_BYTES);

    /* Apart, with what each one finds where it lies otherwise. */
    memcpy(place(output), call->address[output], call->operand[output].bytes);
    unsigned char *const there = call->address[output];
    call->address[output] = place(output);
    const int status = run_call(call);
    for (uint32_t i = 0; i < operands; i++)
        memcpy(expected[i], place(i), call->operand[i].bytes);
    memcpy(arena, before, (size_t)operands * PLACE_BYTES);

    call->address[output] = there;
    const int overlapped = run_call(call);
    if (overlapped != status)
        fail_msg("%s gives %d where it gave %d: %s", call->function->operation.name, overlapped, status,
                 aclGetRecentErrMsg());
    calls++;
    for (uint32_t i = 0; status == 0 && i < operands; i++)
        if (is_written(call, i) && memcmp(call->address[i], expected[i], call->operand[i].bytes) != 0)
            wrong++ < 20000
                ? print_message("%s: %s is another one where %s [%u] lies %lld bytes behind %s [%u]\n",
                                call->function->operation.name,
                                call->function->parameter[call->operand[i].parameter].name,
                                call->function->parameter[call->operand[output].parameter].name,
                                output - call->first[call->operand[output].parameter], (long long)distance,
                                call->function->parameter[call->operand[input].parameter].name,
                                input - call->first[call->operand[input].parameter])
                : (void)0;
    memcpy(arena, before, (size_t)operands * PLACE_BYTES);
}

static void try_pair(struct overlapped_call *call, uint32_t output, uint32_t input)
{
    const int64_t to = dtype_bytes(call->operand[output].dtype),
                  from = dtype_bytes(call->operand[input].dtype), step = to > from ? to : from,
                  end = (int64_t)call->operand[input].bytes;
    const int64_t distance[] = {0, step, -step, end / 2 / step * step,
                                end > step ? (end - step) / step * step : 0};
    for (size_t i = 0; i < sizeof distance / sizeof distance[0]; i++)
        try_distance(call, output, input, distance[i]);
}

/* Lists of tensors are done in ascending order, and each tensor finds what the earlier ones have written:
 * that is their rule. */
static bool is_read_later(const struct overlapped_call *call, uint32_t output, uint32_t input)
{
    const unsigned of_output = call->operand[output].parameter, of_input = call->operand[input].parameter;
    return call->function->family == FAMILY_FOREACH &&
           (call->length[of_input] < call->length[of_output] ||
            input - call->first[of_input] > output - call->first[of_output]);
}

/* Whether the call runs, with these contents. */
static bool prepare(struct overlapped_call *call, enum contents contents)
{
    memset(arena, 0, (size_t)OPERANDS_MOST * PLACE_BYTES);
    for (uint32_t i = 0; i < call->operands; i++) {
        call->address[i] = place(i);
        fill_numbers(&call->operand[i], place(i), contents);
    }
    memcpy(before, arena, (size_t)call->operands * PLACE_BYTES);
    const int status = run_call(call);
    (void)aclGetRecentErrMsg();
    memcpy(arena, before, (size_t)call->operands * PLACE_BYTES);
    return status == 0;
}

/* Whether the call was one. */
static bool try_function(const struct function *function, aclDataType dtype, bool is_large)
{
    static struct overlapped_call call;
    memset(&call, 0, sizeof call);
    call.function = function;
    for (uint32_t i = 0; i < OPERANDS_MOST; i++)
        call.address[i] = place(i);
    make_inputs(&call, dtype, is_large);
    const bool is_call = make_outputs(&call) && !call.is_too_large;
    bool is_tried = false;
    for (int contents = 0; is_call && !is_tried && contents < CONTENTS; contents++)
        is_tried = prepare(&call, (enum contents)contents);
    for (uint32_t output = 0; is_tried && output < call.operands; output++)
        for (uint32_t input = 0; is_written(&call, output) && input < call.operands; input++)
            if (!is_written(&call, input) && !is_read_later(&call, output, input))
                try_pair(&call, output, input);
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (call.length[i] == 0 && !parameter_is_output(&function->parameter[i]))
            release_argument(&function->parameter[i], call.argument[i]);
    (void)aclGetRecentErrMsg();
    return is_tried;
}

static void outputs_may_lie_on_inputs(void **state)
{
    static const aclDataType dtype[] = {ACL_DT_UNDEFINED, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32};
    size_t count;
    const struct function *const *list = functions(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        bool is_tried = false;
        for (size_t k = 0; k < sizeof dtype / sizeof dtype[0]; k++)
            for (int is_large = 0; is_large < 2; is_large++)
                is_tried |= try_function(list[i], dtype[k], is_large != 0);
        functions_tried += is_tried;
        if (!is_tried)
            print_message("%s is not tried: its sample is not accepted\n", list[i]->operation.name);
    }
    print_message("%u calls of %u functions of %zu\n", calls, functions_tried, count);
    assert_int_equal(wrong, 0);
    assert_true(functions_tried * 20 > count * 19);
}

static int set_up(void **state)
{
    (void)state;
    return settings_get(&settings) != 0 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 ||
           aclrtCreateStream(&stream) != 0 ||
           aclrtMalloc((void **)&arena, (size_t)OPERANDS_MOST * PLACE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(arena) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0 ||
           aclFinalize() != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_may_lie_on_inputs)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
