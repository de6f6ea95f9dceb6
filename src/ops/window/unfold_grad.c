/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradIn = for each element of a tensor the sum of gradOut over the windows of a dim that it is in, in their
 * order, in doubles that are rounded once. gradOut has the windows along that dim and their elements behind
 * all others; of a tensor without dims, whose only element is its only window, the elements alone. Windows of
 * size 0 add nothing.
 */
#include "aclnnop/aclnn_unfold_grad.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define UNFOLD_GRAD(X, of)                                        \
    X(of, IN, gradOut, &dtypes_fp32_fp16_bf16, .sample = "2x3x2") \
    X(of, INTS, inputSizes, .sample = "2,4")                      \
    X(of, INT64, dim, .usual = "-1")                              \
    X(of, INT64, size, .sample = "2")                             \
    X(of, INT64, step, .sample = "1")                             \
    X(of, CONST_OUT, gradIn, &dtypes_fp32_fp16_bf16)
SIGNATURE(UNFOLD_GRAD)

struct windows {
    uint32_t rank, dim, bytes;
    int64_t size, step, count;                                  /* of windows */
    int64_t shape[OPERAND_RANK_MAX];                            /* of gradIn */
    int64_t stride[OPERAND_RANK_MAX], packed[OPERAND_RANK_MAX]; /* of gradOut, the last one of a window */
};

/* Where the first window of an element has it in gradOut, how far it is to the next, and how many there are.
 */
struct place {
    int64_t first, count;
};

static struct place find_place(const struct windows *windows, const int64_t *stride, uint64_t number)
{
    struct place place = {.first = 0, .count = 0};
    for (uint32_t k = windows->rank; k-- > 0;) {
        const uint64_t size = (uint64_t)windows->shape[k];
        const int64_t index = (int64_t)(number % size);
        number /= size;
        if (k != windows->dim) {
            place.first += index * stride[k];
            continue;
        }
        const int64_t over = index - windows->size; /* of the window at 0 */
        const int64_t first = over < 0 ? 0 : over / windows->step + 1;
        const int64_t last =
            index / windows->step < windows->count ? index / windows->step : windows->count - 1;
        place.count = last >= first ? last - first + 1 : 0;
        place.first += first * stride[k] + (index - first * windows->step) * stride[windows->rank];
    }
    return place;
}

/* Window after window: of each element the one with that number among its own, or 0. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct windows *windows = (const struct windows *)walk->parameters;
    const bool is_packed = windows->size > 0 && span_is_contiguous(&walk->input[0].port.span);
    const int64_t *stride = is_packed ? windows->packed : windows->stride;
    const int64_t next = stride[windows->dim] - windows->step * stride[windows->rank];
    const uint32_t bytes = windows->bytes;
    struct place place[NUMBERED_PIECE] __attribute__((uninitialized));
    unsigned char gathered[NUMBERED_PIECE * sizeof(float)] __attribute__((uninitialized));
    double value[NUMBERED_PIECE] __attribute__((uninitialized));
    double *sum = (double *)elements;
    int64_t most = 0;
    for (uint64_t i = 0; i < count; i++) {
        place[i] = find_place(windows, stride, at + i);
        most = place[i].count > most ? place[i].count : most;
        sum[i] = 0;
    }
    for (int64_t n = 0; n < most; n++) {
        memset(gathered, 0, (size_t)count * bytes);
        for (uint64_t i = 0; i < count; i++)
            if (n < place[i].count)
                memcpy(gathered + i * bytes,
                       numbered_first(walk, 0) + (place[i].first + n * next) * (int64_t)bytes, bytes);
        walk->transfer->convert(gathered, walk->input[0].port.dtype, value, ACL_DOUBLE, (size_t)count);
        for (uint64_t i = 0; i < count; i++)
            sum[i] += value[i];
    }
}

static aclnnStatus read_windows(const struct call *call, struct windows *windows)
{
    const struct tensor_view *grad = &call->tensor[UNFOLD_GRAD_gradOut];
    const struct call_values *sizes = &call->values[UNFOLD_GRAD_inputSizes];
    if (grad->rank == 0 || sizes->count != grad->rank - 1)
        return refuse(call,
                      "inputSizes has %" PRIu64
                      " elements and gradOut has %u dims; one dim more than elements is expected",
                      sizes->count, grad->rank);
    const bool has_dims = sizes->count > 0;
    *windows = (struct windows){.rank = has_dims ? (uint32_t)sizes->count : 1,
                                .shape = {1},
                                .bytes = dtype_bytes(grad->dtype),
                                .size = call->argument[UNFOLD_GRAD_size].int64,
                                .step = call->argument[UNFOLD_GRAD_step].int64};
    TRY(check_dim(call, UNFOLD_GRAD_dim, call->argument[UNFOLD_GRAD_dim].int64, windows->rank,
                  &windows->dim));
    const int64_t whole = has_dims ? sizes->value.int64[windows->dim] : 1;
    if (windows->size < 0 || windows->size > whole || windows->step < 1)
        return refuse(call,
                      "size is %" PRId64 " and step is %" PRId64
                      "; 0 or more and 1 or more are expected, and a size of %" PRId64 " at most",
                      windows->size, windows->step, whole);
    windows->count = (whole - windows->size) / windows->step + 1;
    int64_t packed = 1;
    for (uint32_t k = grad->rank; k-- > 0; packed *= grad->shape[k]) {
        const uint32_t at = has_dims ? k : windows->rank;
        const int64_t expected = at == windows->rank  ? windows->size
                                 : at == windows->dim ? windows->count
                                                      : sizes->value.int64[at];
        if (grad->shape[k] != expected)
            return refuse(call, "dim %u of gradOut has size %" PRId64 "; %" PRId64 " is expected", k,
                          grad->shape[k], expected);
        windows->stride[at] = grad->stride[k];
        windows->packed[at] = packed;
        if (at < windows->rank)
            windows->shape[at] = sizes->value.int64[at];
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct windows windows;
    TRY(check_dtype(call, UNFOLD_GRAD_gradOut));
    TRY(check_rank(call, UNFOLD_GRAD_gradOut));
    TRY(read_windows(call, &windows));
    result->computed = call->tensor[UNFOLD_GRAD_gradOut].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = (uint32_t)call->values[UNFOLD_GRAD_inputSizes].count;
    memcpy(output->shape.dim, windows.shape, output->shape.rank * sizeof windows.shape[0]);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, UNFOLD_GRAD_gradIn, make, ACL_DOUBLE);
    struct windows windows;
    (void)result;
    TRY(read_windows(call, &windows));
    if (windows.size > 0)
        numbered_add_input(&request, call, UNFOLD_GRAD_gradOut, false);
    request.element_ps = 10000;
    request.parameters = &windows;
    request.parameter_bytes = sizeof windows;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnUnfoldGrad, UNFOLD_GRAD, .stem = "unfold_grad", .family = FAMILY_WINDOW,
            .promise = &promise_sum, NUMBERED, .infer = infer, .plan = plan);
