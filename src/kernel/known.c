/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions over tensors that kernels call. Scans, sorts and flips go along the lines of one dim: a line is brought
 * into doubles, or for integers into INT64, worked on there, and put where it belongs.
 */
#include "kernel/known.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/view.h"
#include "simd/vector/memory.h"
#include "simd/vector/rounding.h"

static const int64_t type_bytes[] = {
    [KERNEL_FP32] = 4,  [KERNEL_FP64] = 8,  [KERNEL_FP16] = 2,  [KERNEL_BF16] = 2, [KERNEL_INT8] = 1,
    [KERNEL_INT16] = 2, [KERNEL_INT32] = 4, [KERNEL_INT64] = 8, [KERNEL_BOOL] = 1};

/* A contiguous tensor of the same shape, in the program's memory, which the result's descriptor says. */
static struct view make_result(const struct view *like, int32_t type, struct descriptor *descriptor)
{
    struct view tensor = *like;
    int64_t count = 1;
    tensor.bytes = kernel_type_bytes(type);
    for (uint32_t k = like->rank; k-- > 0; count *= like->size[k])
        tensor.stride[k] = count;
    tensor.first = belay_kernel_allocate((uint64_t)(count * type_bytes[type]));
    tensor.base = tensor.first;
    const struct view_head head = {tensor.first, tensor.first, 0};
    unsigned char *at = (unsigned char *)descriptor;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, tensor.size, like->rank * sizeof tensor.size[0]);
    memcpy(at + sizeof head + like->rank * sizeof tensor.size[0], tensor.stride,
           like->rank * sizeof tensor.size[0]);
    return tensor;
}

bool kernel_type_is_real(int32_t type)
{
    return type <= KERNEL_BF16;
}

uint32_t kernel_type_bytes(int32_t type)
{
    return (uint32_t)type_bytes[type];
}

/* What it rounds to, to nearest, ties to even; an infinity where it is too large. */
static uint16_t short_of(double value, enum arithmetic dtype)
{
    return (uint16_t)canonical_bits(dtype, round_bits(dtype, broadcast(value)))[0];
}

union kernel_number kernel_number_read(const unsigned char *at, int32_t type)
{
    union kernel_number number = {.whole = 0};
    float single;
    uint16_t half;
    uint32_t bits;
    int8_t byte;
    int16_t word;
    int32_t integer;
    switch (type) {
    case KERNEL_FP32:
        memcpy(&single, at, sizeof single);
        number.real = (double)single;
        break;
    case KERNEL_FP16:
        memcpy(&half, at, sizeof half);
        number.real = (double)fp16_values((halves){half})[0];
        break;
    case KERNEL_BF16:
        memcpy(&half, at, sizeof half);
        bits = (uint32_t)half << 16;
        memcpy(&single, &bits, sizeof single);
        number.real = (double)single;
        break;
    case KERNEL_INT8:
    case KERNEL_BOOL:
        memcpy(&byte, at, sizeof byte);
        number.whole = byte;
        break;
    case KERNEL_INT16:
        memcpy(&word, at, sizeof word);
        number.whole = word;
        break;
    case KERNEL_INT32:
        memcpy(&integer, at, sizeof integer);
        number.whole = integer;
        break;
    default:
        memcpy(&number, at, sizeof number); /* FP64 and INT64 */
    }
    return number;
}

/* Integers keep their low bits. */
static void write_number(unsigned char *at, int32_t type, union kernel_number number)
{
    const float single = kernel_type_is_real(type) ? (float)number.real : 0;
    const uint16_t half = type == KERNEL_FP16   ? short_of(number.real, ARITHMETIC_FP16)
                          : type == KERNEL_BF16 ? short_of(number.real, ARITHMETIC_BF16)
                                                : 0;
    const void *from = type == KERNEL_FP32                          ? (const void *)&single
                       : type == KERNEL_FP16 || type == KERNEL_BF16 ? (const void *)&half
                                                                    : (const void *)&number;
    memcpy(at, from, (size_t)type_bytes[type]);
}

/* Works on the count numbers of a line. */
typedef void line_function(union kernel_number *line, int64_t count, int32_t type, bool flag);

/* Every line along a dim of x, worked on, becomes that line of the result. */
static void over_lines(uint32_t rank, int32_t type, struct descriptor *result,
                       const struct descriptor *descriptor, int64_t dim, line_function *function, bool flag)
{
    const struct view x = view_read(rank, kernel_type_bytes(type), descriptor),
                      out = make_result(&x, type, result);
    const uint32_t along = (uint32_t)(dim < 0 ? dim + rank : dim);
    const int64_t count = x.size[along], bytes = type_bytes[type];
    int64_t index[KERNEL_RANK_MAX] = {0};
    union kernel_number *line = malloc((size_t)(count > 0 ? count : 1) * sizeof *line);
    if (line == NULL)
        abort();
    for (uint32_t k = 0;; k = 0) {
        int64_t from = 0, to = 0;
        for (uint32_t d = 0; d < rank; d++) {
            from += index[d] * x.stride[d];
            to += index[d] * out.stride[d];
        }
        for (int64_t i = 0; i < count; i++)
            line[i] = kernel_number_read(x.first + (from + i * x.stride[along]) * bytes, type);
        function(line, count, type, flag);
        for (int64_t i = 0; i < count; i++)
            write_number(out.first + (to + i * out.stride[along]) * bytes, type, line[i]);
        while (k < rank && (k == along || ++index[k] == x.size[k]))
            index[k++] = 0;
        if (k == rank)
            break;
    }
    free(line);
}

/* Sums, or products, in FLOAT for what is not DOUBLE. */
static void accumulate(union kernel_number *line, int64_t count, int32_t type, bool reversed, bool multiplies)
{
    for (int64_t i = 1; i < count; i++) {
        union kernel_number *now = &line[reversed ? count - 1 - i : i];
        const union kernel_number before = line[reversed ? count - i : i - 1];
        if (!kernel_type_is_real(type))
            now->whole = (int64_t)(multiplies ? (uint64_t)now->whole * (uint64_t)before.whole
                                              : (uint64_t)now->whole + (uint64_t)before.whole);
        else if (type == KERNEL_FP64)
            now->real = multiplies ? before.real * now->real : before.real + now->real;
        else
            now->real = (double)(multiplies ? (float)before.real * (float)now->real
                                            : (float)before.real + (float)now->real);
    }
}

static void sum_line(union kernel_number *line, int64_t count, int32_t type, bool reversed)
{
    accumulate(line, count, type, reversed, false);
}

static void multiply_line(union kernel_number *line, int64_t count, int32_t type, bool reversed)
{
    accumulate(line, count, type, reversed, true);
}

static int by_real(const void *a, const void *b)
{
    const double x = ((const union kernel_number *)a)->real, y = ((const union kernel_number *)b)->real;
    return x != x || y != y ? (x != x) - (y != y) : (x > y) - (x < y);
}

static int by_whole(const void *a, const void *b)
{
    const int64_t x = ((const union kernel_number *)a)->whole, y = ((const union kernel_number *)b)->whole;
    return (x > y) - (x < y);
}

static void flip_line(union kernel_number *line, int64_t count, int32_t type, bool flag)
{
    (void)type;
    (void)flag;
    for (int64_t i = 0; i < count / 2; i++) {
        const union kernel_number kept = line[i];
        line[i] = line[count - 1 - i];
        line[count - 1 - i] = kept;
    }
}

static void sort_line(union kernel_number *line, int64_t count, int32_t type, bool descending)
{
    qsort(line, (size_t)count, sizeof *line, kernel_type_is_real(type) ? by_real : by_whole);
    if (descending)
        flip_line(line, count, type, false);
}

void belay_kernel_cumsum(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                         int32_t dim, bool reversed)
{
    over_lines(rank, type, result, x, dim, sum_line, reversed);
}

void belay_kernel_cumprod(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                          int32_t dim, bool reversed)
{
    over_lines(rank, type, result, x, dim, multiply_line, reversed);
}

void belay_kernel_sort(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                       int64_t dim, bool descending)
{
    over_lines(rank, type, result, x, dim, sort_line, descending);
}

void belay_kernel_flip(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                       int32_t dim)
{
    over_lines(rank, type, result, x, dim, flip_line, false);
}

void belay_kernel_gather(uint32_t rank, int32_t type, struct descriptor *result, const struct descriptor *x,
                         int32_t index_type, const struct descriptor *index, int32_t dim)
{
    const uint32_t bytes = kernel_type_bytes(type), along = (uint32_t)(dim < 0 ? dim + (int32_t)rank : dim);
    const struct view at = view_read(rank, kernel_type_bytes(index_type), index),
                      from = view_read(rank, bytes, x), to = make_result(&at, type, result);
    struct view_walk walk = {.index = {0}};
    if (view_is_empty(&to))
        return;
    do {
        const int64_t place = kernel_number_read(view_at(&at, walk.index), index_type).whole;
        unsigned char *out = view_at(&to, walk.index);
        struct view_walk source = walk;
        source.index[along] = place;
        if (place >= 0 && place < from.size[along])
            memcpy(out, view_at(&from, source.index), bytes);
        else
            memset(out, 0, bytes);
    } while (view_next(&to, &walk));
}

void belay_kernel_histogram(uint32_t rank, int32_t type, struct descriptor *result,
                            const struct descriptor *x, int64_t bins)
{
    const struct view counts = make_result(&(struct view){.rank = 1, .size = {bins}}, KERNEL_INT32, result);
    const struct view from = view_read(rank, kernel_type_bytes(type), x);
    struct view_walk walk = {.index = {0}};
    memset(counts.first, 0, (size_t)bins * sizeof(int32_t));
    if (view_is_empty(&from))
        return;
    do {
        const int64_t value = kernel_number_read(view_at(&from, walk.index), type).whole;
        int32_t count;
        if (value < 0 || value >= bins)
            continue;
        memcpy(&count, counts.first + value * 4, sizeof count);
        count++;
        memcpy(counts.first + value * 4, &count, sizeof count);
    } while (view_next(&from, &walk));
}
