/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Columns of windows: out[n, (c, i, j), (y, x)] = self[n, c, y stride - padding + i dilation, ...], 0 outside
 * self, with bits as they are; and what takes them back, the sum of all columns' elements of one place of
 * self, by i and j, in DOUBLE that is rounded once.
 */
#include "aclnnop/aclnn_im2col.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_im2col_backward.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"
#include "ops/window/window_sizes.h"
#include "tensor/dtype.h"

#define NUMBERS(X, of, name_, sample_) X(of, INTS, name_, .sample = sample_)
#define WINDOWS(X, of)                \
    NUMBERS(X, of, kernelSize, "2,2") \
    NUMBERS(X, of, dilation, "1,1")   \
    NUMBERS(X, of, padding, "0,0")    \
    NUMBERS(X, of, stride, "1,1")
#define IM2COL(X, of)                                       \
    X(of, IN, self, &dtypes_all_small, .sample = "2x3x4x5") \
    WINDOWS(X, of)                                          \
    X(of, CONST_OUT, out, &dtypes_all_small)
SIGNATURE(IM2COL)
#define IM2COL_BACKWARD(X, of)                                         \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = "2x12x12") \
    NUMBERS(X, of, inputSize, "4,5")                                   \
    WINDOWS(X, of)                                                     \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(IM2COL_BACKWARD)
/* The places of parameters of the sums: inputSize comes second, the other arrays behind it. */
enum { AXES = 2 };

struct columns {
    struct window axis[AXES];
    int64_t channels;
    int64_t stride[3], packed[3]; /* of gradOutput: N, rows, positions */
    uint32_t bytes;
};

static int64_t taps_of(const struct columns *columns)
{
    return columns->axis[0].kernel * columns->axis[1].kernel;
}

/* The windows of an axis with so many elements; the arrays begin with the kernel's. */
static aclnnStatus read_axis(const struct call *call, unsigned kernel_size, uint32_t i, int64_t in,
                             struct window *axis)
{
    const struct window_parameters parameters = {.kernel = kernel_size,
                                                 .dilation = kernel_size + 1,
                                                 .padding = kernel_size + 2,
                                                 .stride = kernel_size + 3,
                                                 .rounds_up = WINDOW_UNFOLDS};
    return window_along(call, &parameters, i, AXES, in, axis);
}

static aclnnStatus read_ranks(const struct call *call, unsigned parameter, uint32_t least,
                              struct columns *columns)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (view->rank != least && view->rank != least + 1)
        return refuse(call, "%s has %u dims; %u or %u are expected", call_name(call, parameter), view->rank,
                      least, least + 1);
    *columns =
        (struct columns){.channels = view->shape[view->rank - least], .bytes = dtype_bytes(view->dtype)};
    return ACLNN_SUCCESS;
}

/* The dims of an output: N where the input has one, and two or three more. */
static aclnnStatus add_output(const struct call *call, struct result *result, unsigned input, uint32_t more,
                              const int64_t *dim)
{
    const struct tensor_view *view = &call->tensor[input];
    struct shape shape = {.rank = more};
    if (view->rank > (more == 2 ? 3 : 2))
        shape.dim[shape.rank++ - more] = view->shape[0];
    memcpy(shape.dim + (shape.rank - more), dim, more * sizeof *dim);
    result_reshaped(result, call, input, shape);
    return check_element_count(call, &shape);
}

static aclnnStatus read_columns(const struct call *call, struct columns *columns)
{
    const struct tensor_view *self = &call->tensor[IM2COL_self];
    TRY(read_ranks(call, IM2COL_self, AXES + 1, columns));
    for (uint32_t i = 0; i < AXES; i++)
        TRY(read_axis(call, IM2COL_kernelSize, i, self->shape[self->rank - AXES + i], &columns->axis[i]));
    return ACLNN_SUCCESS;
}

/* Counts that no shape holds are told of the shape. */
static int64_t product_of(int64_t a, int64_t b, int64_t c)
{
    int64_t product;
    if (a == 0)
        return 0;
    return __builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, c, &product) ? INT64_MAX
                                                                                                  : product;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct columns columns;
    TRY(check_dtype(call, IM2COL_self));
    TRY(read_columns(call, &columns));
    const int64_t dim[] = {product_of(columns.channels, columns.axis[0].kernel, columns.axis[1].kernel),
                           product_of(columns.axis[0].out, columns.axis[1].out, 1)};
    return add_output(call, result, IM2COL_self, 2, dim);
}

/* Row by row of windows: those of one place of the kernel that lie in one row of self. */
static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct columns *columns = (const struct columns *)walk->parameters;
    const struct window *high = &columns->axis[0], *wide = &columns->axis[1];
    unsigned char *element = (unsigned char *)elements;
    uint64_t row = at / (uint64_t)wide->out;
    int64_t x = (int64_t)(at % (uint64_t)wide->out), left = (int64_t)count;
    memset(elements, 0, count * columns->bytes);
    for (; left > 0; row++, x = 0) {
        const int64_t end = wide->out - x < left ? wide->out : x + left;
        const int64_t y = (int64_t)(row % (uint64_t)high->out);
        const uint64_t tap = row / (uint64_t)high->out; /* and, before it, channels and N */
        const int64_t j = (int64_t)(tap % (uint64_t)wide->kernel);
        const int64_t i = (int64_t)(tap / (uint64_t)wide->kernel % (uint64_t)high->kernel);
        const int64_t plane = (int64_t)(tap / (uint64_t)taps_of(columns));
        const int64_t from_y = y * high->stride - high->padding + i * high->dilation;
        const int64_t shift = j * wide->dilation - wide->padding;
        const int64_t number = (plane * high->in + from_y) * wide->in + shift;
        int64_t first = shift < 0 ? (-shift + wide->stride - 1) / wide->stride : 0;
        int64_t behind = wide->in > shift ? (wide->in - shift - 1) / wide->stride + 1 : 0;
        first = first > x ? first : x;
        behind = behind < end ? behind : end;
        if (from_y >= 0 && from_y < high->in && first < behind) {
            unsigned char *to = element + (first - x) * (int64_t)columns->bytes;
            if (wide->stride == 1)
                numbered_read(walk, 0, (uint64_t)(number + first), (uint64_t)(behind - first), to);
            else
                for (int64_t k = first; k < behind; k++, to += columns->bytes)
                    numbered_read(walk, 0, (uint64_t)(number + k * wide->stride), 1, to);
        }
        element += (end - x) * (int64_t)columns->bytes;
        left -= end - x;
    }
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, IM2COL_out, make, result->computed);
    struct columns columns;
    TRY(read_columns(call, &columns));
    if (call->tensor[IM2COL_self].count > 0)
        numbered_add_input(&request, call, IM2COL_self, false);
    request.element_ps = 1500;
    request.parameters = &columns;
    request.parameter_bytes = sizeof columns;
    return numbered_plan(call, &request, 1);
}

static aclnnStatus read_sums(const struct call *call, struct columns *columns)
{
    const struct tensor_view *grad = &call->tensor[IM2COL_BACKWARD_gradOutput];
    const struct call_values *size = &call->values[IM2COL_BACKWARD_inputSize];
    TRY(read_ranks(call, IM2COL_BACKWARD_gradOutput, 2, columns));
    if (size->count != AXES || size->value.int64[0] < 1 || size->value.int64[1] < 1)
        return refuse(call, "inputSize has %" PRIu64 " numbers; 2 that are positive are expected",
                      size->count);
    for (uint32_t i = 0; i < AXES; i++)
        TRY(read_axis(call, IM2COL_BACKWARD_inputSize + 1, i, size->value.int64[i], &columns->axis[i]));
    const int64_t taps = product_of(1, columns->axis[0].kernel, columns->axis[1].kernel);
    const int64_t positions = product_of(columns->axis[0].out, columns->axis[1].out, 1);
    if (columns->channels % taps != 0)
        return refuse(call,
                      "gradOutput has %" PRId64 " rows; a multiple of %" PRId64
                      ", the places of the kernel, is expected",
                      columns->channels, taps);
    if (grad->shape[grad->rank - 1] != positions)
        return refuse(call, "gradOutput has %" PRId64 " columns; %" PRId64 ", the windows, are expected",
                      grad->shape[grad->rank - 1], positions);
    columns->channels /= taps;
    int64_t packed = 1;
    for (uint32_t k = 0; k < grad->rank; k++) {
        const uint32_t dim = grad->rank - 1 - k;
        columns->stride[2 - k] = grad->stride[dim];
        columns->packed[2 - k] = packed;
        packed *= grad->shape[dim];
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_sums(const struct call *call, struct result *result)
{
    struct columns columns;
    TRY(check_dtype(call, IM2COL_BACKWARD_gradOutput));
    TRY(read_sums(call, &columns));
    const int64_t dim[] = {columns.channels, columns.axis[0].in, columns.axis[1].in};
    return add_output(call, result, IM2COL_BACKWARD_gradOutput, 3, dim);
}

/* The window that has a place as its tap of that number; -1 where none has. */
static int64_t window_of(const struct window *axis, int64_t place, int64_t tap)
{
    const int64_t begin = place + axis->padding - tap * axis->dilation;
    return begin < 0 || begin % axis->stride != 0 || begin / axis->stride >= axis->out ? -1
                                                                                       : begin / axis->stride;
}

/* Place by place of the kernel: of each element what its window there has of it, or 0. */
static void make_sums(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct columns *columns = (const struct columns *)walk->parameters;
    const struct window *high = &columns->axis[0], *wide = &columns->axis[1];
    const int64_t *stride = span_is_contiguous(&walk->input[0].port.span) ? columns->packed : columns->stride;
    const uint32_t bytes = columns->bytes;
    int64_t x[NUMBERED_PIECE] __attribute__((uninitialized)),
        y[NUMBERED_PIECE] __attribute__((uninitialized)),
        first[NUMBERED_PIECE] __attribute__((uninitialized));
    unsigned char gathered[NUMBERED_PIECE * sizeof(float)] __attribute__((uninitialized));
    double value[NUMBERED_PIECE] __attribute__((uninitialized));
    double *sum = (double *)elements;
    for (uint64_t n = 0; n < count; n++) {
        const uint64_t row = (at + n) / (uint64_t)wide->in, plane = row / (uint64_t)high->in;
        x[n] = (int64_t)((at + n) % (uint64_t)wide->in);
        y[n] = (int64_t)(row % (uint64_t)high->in);
        first[n] = (int64_t)(plane / (uint64_t)columns->channels) * stride[0] +
                   (int64_t)(plane % (uint64_t)columns->channels) * taps_of(columns) * stride[1];
        sum[n] = 0;
    }
    for (int64_t tap = 0; tap < taps_of(columns); tap++) {
        memset(gathered, 0, (size_t)count * bytes);
        for (uint64_t n = 0; n < count; n++) {
            const int64_t row = window_of(high, y[n], tap / wide->kernel);
            const int64_t column = window_of(wide, x[n], tap % wide->kernel);
            if (row < 0 || column < 0)
                continue;
            const int64_t place = first[n] + tap * stride[1] + (row * wide->out + column) * stride[2];
            memcpy(gathered + n * bytes, numbered_first(walk, 0) + place * (int64_t)bytes, bytes);
        }
        walk->transfer->convert(gathered, walk->input[0].port.dtype, value, ACL_DOUBLE, (size_t)count);
        for (uint64_t n = 0; n < count; n++)
            sum[n] += value[n];
    }
}

static aclnnStatus plan_sums(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, IM2COL_BACKWARD_out, make_sums, ACL_DOUBLE);
    struct columns columns;
    (void)result;
    TRY(read_sums(call, &columns));
    if (call->tensor[IM2COL_BACKWARD_gradOutput].count > 0)
        numbered_add_input(&request, call, IM2COL_BACKWARD_gradOutput, false);
    request.element_ps = (uint32_t)(taps_of(&columns) < 1000 ? taps_of(&columns) * 5000 : 5000000);
    request.parameters = &columns;
    request.parameter_bytes = sizeof columns;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnIm2col, IM2COL, .stem = "im2col", .promise = &promise_exact, .family = FAMILY_MOVE, NUMBERED,
            .infer = infer, .plan = plan);

FUNCTION_OF(aclnnIm2colBackward, IM2COL_BACKWARD, .stem = "im2col_backward", .promise = &promise_sum,
            .family = FAMILY_WINDOW, NUMBERED, .infer = infer_sums, .plan = plan_sums);
