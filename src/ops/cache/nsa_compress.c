/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Windows of a sequence's rows as one row each, the sum of what they have by weights of each head; the gradients of
 * that; and the window that ends a sequence, if one does, into a slot of a cache. Sums are in doubles, rounded once.
 */
#include "aclnnop/aclnn_nsa_compress.h"
#include "aclnnop/aclnn_nsa_compress_grad.h"
#include "aclnnop/aclnn_nsa_compress_with_cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cache/slots.h"
#include "ops/sizes.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 1500 };

#define H2            &dtypes_fp16_bf16
#define ENDS(X, of)   X(of, INTS, actSeqLenOptional, .is_optional = true, .sample = "2,4")
#define LAYOUT(X, of) X(of, TEXT, layoutOptional, .is_optional = true, .usual = "TND")
#define WINDOW(X, of, type)                       \
    X(of, INT64, compressBlockSize, .usual = "2") \
    X(of, INT64, compressStride, .usual = "1")    \
    X(of, INT64, actSeqLenType, .usual = type)
#define INPUT(X, of) \
    X(of, IN, input, H2, .sample = "4x2x3:FLOAT16") X(of, IN, weight, H2, .sample = "2x2:FLOAT16")
#define COMPRESS(X, of) INPUT(X, of) ENDS(X, of) LAYOUT(X, of) WINDOW(X, of, "0") X(of, OUT, output, H2)
#define COMPRESS_GRAD(X, of)                             \
    X(of, IN, outputGrad, H2, .sample = "2x2x3:FLOAT16") \
    INPUT(X, of)                                         \
    ENDS(X, of) WINDOW(X, of, "0") LAYOUT(X, of) X(of, OUT, inputGrad, H2) X(of, OUT, weightGrad, H2)
#define WITH_CACHE(X, of)                                                                    \
    X(of, IN, input, H2, .sample = "3x2x2x3:FLOAT16", .is_partly_read = true)                \
    X(of, IN, weight, H2, .sample = "2x2:FLOAT16", .is_partly_read = true)                   \
    X(of, IN, slotMapping, &dtypes_int32_int64, .sample = "2:INT32", .is_partly_read = true) \
    ENDS(X, of)                                                                              \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "2x2:INT32", \
      .is_partly_read = true)                                                                \
    LAYOUT(X, of)                                                                            \
    WINDOW(X, of, "1")                                                                       \
    X(of, INT64, pageBlockSize, .usual = "2") X(of, BOTH, outputCacheRef, H2, .sample = "4x2x3:FLOAT16")
SIGNATURE(COMPRESS)
SIGNATURE(COMPRESS_GRAD)
SIGNATURE(WITH_CACHE)

/* Where a function has what; weight follows input. */
struct compress_form {
    uint8_t input, ends, layout, window;
    bool has_pages;
};
#define FORM_OF(list)                                                                         \
    .input = list##_input, .ends = list##_actSeqLenOptional, .layout = list##_layoutOptional, \
    .window = list##_compressBlockSize
static const struct compress_form compress = {FORM_OF(COMPRESS)}, gradient = {FORM_OF(COMPRESS_GRAD)},
                                  with_cache = {FORM_OF(WITH_CACHE), .has_pages = true};

struct windows {
    uint64_t rows, heads, depth, size, stride, sequences, count; /* count: of windows of all sequences */
    uint64_t page, columns, pages;
};

/* A sequence: where its rows and its windows begin, and its rows; with pages its length alone. */
struct sequence {
    int64_t row, rows, window;
};

/* The windows of a sequence of so many rows. */
static uint64_t windows_in(const struct windows *windows, uint64_t rows)
{
    return rows >= windows->size ? (rows - windows->size) / windows->stride + 1 : 0;
}

static aclnnStatus read_windows(const struct call *call, struct windows *windows)
{
    const struct compress_form *form = call->function->of_family;
    const struct tensor_view *input = &call->tensor[form->input];
    const char *const layout = call->argument[form->layout].string;
    const int64_t *const window[] = {&call->argument[form->window].int64,
                                     &call->argument[form->window + 1].int64};
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, form->input + 1U, form->input, NULL));
    if (layout != NULL && *layout != 0 && strcmp(layout, "TND") != 0)
        return refuse(call, "layout is \"%s\"; \"TND\" is expected", layout);
    if (*window[0] < 1 || *window[1] < 1)
        return refuse(
            call, "compressBlockSize is %" PRId64 " and compressStride %" PRId64 "; 1 or more are expected",
            *window[0], *window[1]);
    if (call->argument[form->window + 2].int64 != form->has_pages)
        return refuse(call, "actSeqLenType is %" PRId64 "; %d is expected",
                      call->argument[form->window + 2].int64, form->has_pages);
    TRY(form->has_pages ? check_sizes(call, form->input, SIZES(-1, -1, -1, -1))
                        : check_sizes(call, form->input, SIZES(-1, -1, -1)));
    const int64_t heads = input->shape[input->rank - 2];
    TRY(check_sizes(call, form->input + 1U, SIZES(*window[0], heads)));
    if (!call_has(call, form->ends) || call->values[form->ends].count == 0)
        return refuse(call, "actSeqLenOptional is not given; the lengths of sequences are expected");
    *windows = (struct windows){.rows = (uint64_t)input->shape[0],
                                .heads = (uint64_t)heads,
                                .depth = (uint64_t)input->shape[input->rank - 1],
                                .size = (uint64_t)*window[0],
                                .stride = (uint64_t)*window[1],
                                .sequences = call->values[form->ends].count};
    for (uint64_t b = 0, before = 0; !form->has_pages && b < windows->sequences; b++) {
        const int64_t end = call->values[form->ends].value.int64[b];
        if (end < (int64_t)before || (uint64_t)end > windows->rows)
            return refuse(call,
                          "actSeqLenOptional has %" PRId64 " at [%" PRIu64
                          "]; ends that do not fall, up to %" PRIu64 ", are expected",
                          end, b, windows->rows);
        windows->count += windows_in(windows, (uint64_t)end - before);
        before = (uint64_t)end;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_windows(const struct call *call, const struct windows *windows,
                                void (*body)(const struct task *, uint64_t), int (*start)(struct task *),
                                uint64_t tasks)
{
    const struct compress_form *form = call->function->of_family;
    const uint64_t elements = windows->heads * windows->depth;
    struct sequence *sequence = calloc(windows->sequences, sizeof *sequence);
    if (sequence == NULL)
        return fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for its sequences",
                    call->function->operation.name);
    for (uint64_t b = 0, row = 0, window = 0; b < windows->sequences; b++) {
        const int64_t end = call->values[form->ends].value.int64[b];
        const uint64_t length = (uint64_t)end - (form->has_pages ? 0 : row);
        sequence[b] = (struct sequence){(int64_t)row, (int64_t)length, (int64_t)window};
        window += windows_in(windows, length);
        row = (uint64_t)end;
    }
    const aclnnStatus status = row_tasks_plan(
        call,
        &(struct row_tasks_request){.body = body,
                                    .start = start,
                                    .count = elements == 0 ? 0 : tasks,
                                    .task_ns = elements * windows->size * ELEMENT_PS / 1000 + 50,
                                    .room = 2 * elements + windows->heads,
                                    .parameters = windows,
                                    .parameter_bytes = sizeof *windows,
                                    .numbers = (const int64_t *)(const void *)sequence,
                                    .number_count = windows->sequences * sizeof *sequence / sizeof(int64_t)});
    free(sequence);
    return status;
}

static const struct sequence *sequences_of(const struct task *task)
{
    return (const struct sequence *)(const void *)task->numbers;
}

/* sums += a row of x, each head by its weight. */
static void add_row(const struct task *task, unsigned x, uint64_t row, unsigned weight, uint64_t at,
                    double *sums)
{
    const struct windows *windows = task->parameters;
    const uint64_t elements = windows->heads * windows->depth;
    double *own = sums + elements, *of_head = own + elements;
    task_read(task, x, row * elements, elements, own);
    task_read(task, weight, at * windows->heads, windows->heads, of_head);
    for (uint64_t n = 0; n < windows->heads; n++)
        task->maths->add_scaled(sums + n * windows->depth, own + n * windows->depth, of_head[n],
                                windows->depth);
}

/* The sequence of a window of all, or of a row of all; the last one may have rows behind it. */
static const struct sequence *sequence_with(const struct task *task, uint64_t number, bool is_window)
{
    const struct windows *windows = task->parameters;
    const struct sequence *sequence = sequences_of(task);
    for (uint64_t b = 0; b < windows->sequences; b++) {
        const int64_t next = b + 1 == windows->sequences
                                 ? (is_window ? (int64_t)windows->count : sequence[b].row + sequence[b].rows)
                             : is_window ? sequence[b + 1].window
                                         : sequence[b + 1].row;
        if ((int64_t)number < next)
            return &sequence[b];
    }
    return NULL;
}

static uint64_t first_row(const struct task *task, uint64_t window)
{
    const struct windows *windows = task->parameters;
    const struct sequence *sequence = sequence_with(task, window, true);
    return (uint64_t)sequence->row + (window - (uint64_t)sequence->window) * windows->stride;
}

static void take_window(const struct task *task, uint64_t window)
{
    const struct windows *windows = task->parameters;
    const uint64_t elements = windows->heads * windows->depth, first = first_row(task, window);
    memset(task->room, 0, elements * sizeof(double));
    for (uint64_t i = 0; i < windows->size; i++)
        add_row(task, COMPRESS_input, first + i, COMPRESS_weight, i, task->room);
    task_write(task, COMPRESS_output, window * elements, elements, task->room);
}

static aclnnStatus infer_compress(const struct call *call, struct result *result)
{
    struct windows windows;
    TRY(read_windows(call, &windows));
    result->computed = call_dtype(call, COMPRESS_input);
    result_sized(result, result->computed, DTYPE_EQUAL,
                 SIZES((int64_t)windows.count, (int64_t)windows.heads, (int64_t)windows.depth));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_compress(const struct call *call, const struct result *result)
{
    struct windows windows;
    (void)result;
    TRY(read_windows(call, &windows));
    return plan_windows(call, &windows, take_window, NULL, windows.count);
}

/* A row's gradient: of the windows that it is in, one after the other. */
static void take_row(const struct task *task, uint64_t row)
{
    const struct windows *windows = task->parameters;
    const uint64_t elements = windows->heads * windows->depth;
    const struct sequence *sequence = sequence_with(task, row, false);
    memset(task->room, 0, elements * sizeof(double));
    if (sequence != NULL) {
        const uint64_t place = row - (uint64_t)sequence->row, stride = windows->stride,
                       count = windows_in(windows, (uint64_t)sequence->rows),
                       first = place >= windows->size ? (place - windows->size) / stride + 1 : 0;
        for (uint64_t w = first; w < count && w * stride <= place; w++)
            add_row(task, COMPRESS_GRAD_outputGrad, (uint64_t)sequence->window + w, COMPRESS_GRAD_weight,
                    place - w * stride, task->room);
    }
    task_write(task, COMPRESS_GRAD_inputGrad, row * elements, elements, task->room);
}

/* The gradient of a row of weights. */
static void take_weights(const struct task *task, uint64_t i)
{
    const struct windows *windows = task->parameters;
    const uint64_t elements = windows->heads * windows->depth;
    double *x = task->room, *grad = x + elements, *sum = grad + elements;
    memset(sum, 0, windows->heads * sizeof *sum);
    for (uint64_t w = 0; w < windows->count; w++) {
        task_read(task, COMPRESS_GRAD_input, (first_row(task, w) + i) * elements, elements, x);
        task_read(task, COMPRESS_GRAD_outputGrad, w * elements, elements, grad);
        for (uint64_t n = 0; n < windows->heads; n++)
            sum[n] += task->maths->dot(x + n * windows->depth, grad + n * windows->depth, windows->depth);
    }
    task_write(task, COMPRESS_GRAD_weightGrad, i * windows->heads, windows->heads, sum);
}

static void take_gradient(const struct task *task, uint64_t number)
{
    const struct windows *windows = task->parameters;
    if (number < windows->rows)
        take_row(task, number);
    else
        take_weights(task, number - windows->rows);
}

static aclnnStatus read_gradient(const struct call *call, struct windows *windows)
{
    TRY(read_windows(call, windows));
    TRY(check_same_dtype(call, COMPRESS_GRAD_outputGrad, COMPRESS_GRAD_input, NULL));
    return check_sizes(call, COMPRESS_GRAD_outputGrad,
                       SIZES((int64_t)windows->count, (int64_t)windows->heads, (int64_t)windows->depth));
}

static aclnnStatus infer_gradient(const struct call *call, struct result *result)
{
    struct windows windows;
    TRY(read_gradient(call, &windows));
    result_like(result, call, COMPRESS_GRAD_input);
    result_sized(result, result->computed, DTYPE_EQUAL, SIZES((int64_t)windows.size, (int64_t)windows.heads));
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_gradient(const struct call *call, const struct result *result)
{
    struct windows windows;
    (void)result;
    TRY(read_gradient(call, &windows));
    return plan_windows(call, &windows, take_gradient, NULL, windows.rows + windows.size);
}

/* The last window of each sequence, where it ends with it. */

static aclnnStatus read_cached(const struct call *call, struct windows *windows)
{
    const struct tensor_view *input = &call->tensor[WITH_CACHE_input],
                             *cache = &call->tensor[WITH_CACHE_outputCacheRef];
    const int64_t page = call->argument[WITH_CACHE_pageBlockSize].int64;
    TRY(read_windows(call, windows));
    TRY(check_dtype(call, WITH_CACHE_outputCacheRef));
    TRY(check_same_dtype(call, WITH_CACHE_outputCacheRef, WITH_CACHE_input, NULL));
    TRY(check_sizes(call, WITH_CACHE_slotMapping, SIZES((int64_t)windows->sequences)));
    if (page < 1 || page != input->shape[1])
        return refuse(call, "pageBlockSize is %" PRId64 "; %" PRId64 ", as input has, is expected", page,
                      input->shape[1]);
    if (!call_has_elements(call, WITH_CACHE_blockTableOptional))
        return refuse(call, "blockTableOptional is not given; pages are found by it");
    TRY(check_sizes(call, WITH_CACHE_blockTableOptional, SIZES((int64_t)windows->sequences, -1)));
    windows->pages = windows->rows;
    windows->page = (uint64_t)page;
    windows->columns = (uint64_t)call->tensor[WITH_CACHE_blockTableOptional].shape[1];
    for (uint64_t b = 0; b < windows->sequences; b++) {
        const int64_t length = call->values[WITH_CACHE_actSeqLenOptional].value.int64[b];
        if (length < 0 || (uint64_t)length > windows->columns * windows->page)
            return refuse(call,
                          "actSeqLenOptional has %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64 " are expected",
                          length, b, windows->columns * windows->page);
    }
    if (cache->rank < 3 || cache->shape[cache->rank - 1] != input->shape[3] ||
        cache->shape[cache->rank - 2] != input->shape[2])
        return refuse(call, "outputCacheRef has shape %s; rows of [%" PRId64 ", %" PRId64 "] are expected",
                      shape_text(TEXT, cache), input->shape[2], input->shape[3]);
    const uint64_t elements = windows->heads * windows->depth;
    windows->count = elements > 0 ? (uint64_t)cache->count / elements : 0; /* slots */
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_cached(const struct call *call, struct result *result)
{
    struct windows windows;
    TRY(read_cached(call, &windows));
    result->computed = call_dtype(call, WITH_CACHE_input);
    slots_kept(result, call, WITH_CACHE_outputCacheRef);
    return ACLNN_SUCCESS;
}

static bool ends_a_window(const struct task *task, uint64_t b)
{
    const struct windows *windows = task->parameters;
    const uint64_t rows = (uint64_t)sequences_of(task)[b].rows;
    return rows >= windows->size && (rows - windows->size) % windows->stride == 0;
}

static int start_cached(struct task *task)
{
    const struct windows *windows = task->parameters;
    task->in_order = true; /* of two sequences with one slot the last one stays */
    for (uint64_t b = 0; b < windows->sequences; b++) {
        if (!ends_a_window(task, b))
            continue;
        const int64_t slot = task_integer(task, WITH_CACHE_slotMapping, b), rows = sequences_of(task)[b].rows;
        if (slot >= (int64_t)windows->count)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "slotMapping holds %" PRId64 " at [%" PRIu64 "]; up to %" PRIu64
                                  " are expected",
                                  slot, b, windows->count - 1);
        for (int64_t at = (rows - (int64_t)windows->size) / (int64_t)windows->page;
             at <= (rows - 1) / (int64_t)windows->page; at++) {
            const int64_t page =
                task_integer(task, WITH_CACHE_blockTableOptional, b * windows->columns + (uint64_t)at);
            if (page < 0 || (uint64_t)page >= windows->pages)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "blockTable holds %" PRId64 " for sequence %" PRIu64 "; 0 to %" PRIu64
                                      " are expected",
                                      page, b, windows->pages - 1);
        }
    }
    return 0;
}

static void take_last(const struct task *task, uint64_t b)
{
    const struct windows *windows = task->parameters;
    const uint64_t elements = windows->heads * windows->depth, rows = (uint64_t)sequences_of(task)[b].rows;
    const int64_t slot = ends_a_window(task, b) ? task_integer(task, WITH_CACHE_slotMapping, b) : -1;
    if (slot < 0)
        return;
    memset(task->room, 0, elements * sizeof(double));
    for (uint64_t i = 0; i < windows->size; i++) {
        const uint64_t row = rows - windows->size + i;
        const uint64_t page = (uint64_t)task_integer(task, WITH_CACHE_blockTableOptional,
                                                     b * windows->columns + row / windows->page);
        add_row(task, WITH_CACHE_input, page * windows->page + row % windows->page, WITH_CACHE_weight, i,
                task->room);
    }
    task_write(task, WITH_CACHE_outputCacheRef, (uint64_t)slot * elements, elements, task->room);
}

static aclnnStatus plan_cached(const struct call *call, const struct result *result)
{
    struct windows windows;
    (void)result;
    TRY(read_cached(call, &windows));
    return plan_windows(call, &windows, take_last, start_cached, windows.sequences);
}

#define NSA .family = FAMILY_CACHE, .promise = &promise_sum, ROW_TASKS
FUNCTION_OF(aclnnNsaCompress, COMPRESS, .stem = "nsa_compress", NSA, .of_family = &compress,
            .infer = infer_compress, .plan = plan_compress);
FUNCTION_OF(aclnnNsaCompressGrad, COMPRESS_GRAD, .stem = "nsa_compress_grad", NSA, .of_family = &gradient,
            .infer = infer_gradient, .plan = plan_gradient);
FUNCTION_OF(aclnnNsaCompressWithCache, WITH_CACHE, .stem = "nsa_compress_with_cache", NSA,
            .of_family = &with_cache, .infer = infer_cached, .plan = plan_cached);
