/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions over tensors that kernels call. All of them go along the lines of one dim: a line is brought into
 * doubles, or for integers into INT64, worked on there, and put where it belongs.
 */
#include "kernel/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

enum { RANK_MAX = 16 };

struct tensor {
    unsigned char *first;
    uint32_t rank;
    int64_t size[RANK_MAX], stride[RANK_MAX]; /* in elements */
};

struct head {
    void *base, *aligned;
    int64_t offset;
};

static const int64_t bytes_of[] = {
    [KERNEL_FP32] = 4,  [KERNEL_FP64] = 8,  [KERNEL_FP16] = 2,  [KERNEL_BF16] = 2, [KERNEL_INT8] = 1,
    [KERNEL_INT16] = 2, [KERNEL_INT32] = 4, [KERNEL_INT64] = 8, [KERNEL_BOOL] = 1};

static struct tensor read_tensor(uint32_t rank, int32_t type, const struct descriptor *descriptor)
{
    struct tensor tensor = {.rank = rank};
    struct head head;
    memcpy(&head, descriptor, sizeof head);
    memcpy(tensor.size, (const unsigned char *)descriptor + sizeof head, rank * sizeof tensor.size[0]);
    memcpy(tensor.stride, (const unsigned char *)descriptor + sizeof head + rank * sizeof tensor.size[0],
           rank * sizeof tensor.size[0]);
    tensor.first = (unsigned char *)head.aligned + head.offset * bytes_of[type];
    return tensor;
}

/* A contiguous tensor of the same shape, in the program's memory, which the result's descriptor says. */
static struct tensor make_result(const struct tensor *like, int32_t type, struct descriptor *descriptor)
{
    struct tensor tensor = *like;
    int64_t count = 1;
    for (uint32_t k = like->rank; k-- > 0; count *= like->size[k])
        tensor.stride[k] = count;
    tensor.first = belay_kernel_allocate((uint64_t)(count * bytes_of[type]));
    const struct head head = {tensor.first, tensor.first, 0};
    unsigned char *at = (unsigned char *)descriptor;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, tensor.size, like->rank * sizeof tensor.size[0]);
    memcpy(at + sizeof head + like->rank * sizeof tensor.size[0], tensor.stride,
           like->rank * sizeof tensor.size[0]);
    return tensor;
}

/* An element, whichever its type is. */
union number {
    double real;
    int64_t whole;
};

static bool is_real(int32_t type)
{
    return type <= KERNEL_BF16;
}

static double half_to_double(uint16_t half)
{
    const int exponent = half >> 10 & 31;
    const double fraction = half & 1023;
    const double size = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(fraction + 1024, exponent - 25);
    return (half & 0x8000) != 0 ? -size : size;
}

/* To nearest, ties to even; what is too large becomes an infinity. */
static uint16_t half_of(double value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fabs(value);
    if (value != value)
        return 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return sign | (uint16_t)nearbyint(size * 0x1p24);
    const int exponent = ilogb(size);
    const int steps = (int)nearbyint(ldexp(size, 10 - exponent)); /* 1024 to 2048, which carries by itself */
    return sign | (uint16_t)(((exponent + 14) << 10) + steps);
}

static uint16_t brain_of(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return single != single ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static union number read_number(const unsigned char *at, int32_t type)
{
    union number number = {.whole = 0};
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
        number.real = half_to_double(half);
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
static void write_number(unsigned char *at, int32_t type, union number number)
{
    const float single = is_real(type) ? (float)number.real : 0;
    const uint16_t half = type == KERNEL_FP16   ? half_of(number.real)
                          : type == KERNEL_BF16 ? brain_of(number.real)
                                                : 0;
    const void *from = type == KERNEL_FP32                          ? (const void *)&single
                       : type == KERNEL_FP16 || type == KERNEL_BF16 ? (const void *)&half
                                                                    : (const void *)&number;
    memcpy(at, from, (size_t)bytes_of[type]);
}

/* Works on the count numbers of a line. */
typedef void line_function(union number *line, int64_t count, int32_t type, bool flag);

/* Every line along a dim of x, worked on, becomes that line of the result. */
static void over_lines(uint32_t rank, int32_t type, struct descriptor *result,
                       const struct descriptor *descriptor, int64_t dim, line_function *function, bool flag)
{
    const struct tensor x = read_tensor(rank, type, descriptor), out = make_result(&x, type, result);
    const uint32_t along = (uint32_t)(dim < 0 ? dim + rank : dim);
    const int64_t count = x.size[along], bytes = bytes_of[type];
    int64_t index[RANK_MAX] = {0};
    union number *line = malloc((size_t)(count > 0 ? count : 1) * sizeof *line);
    if (line == NULL)
        abort();
    for (uint32_t k = 0;; k = 0) {
        int64_t from = 0, to = 0;
        for (uint32_t d = 0; d < rank; d++) {
            from += index[d] * x.stride[d];
            to += index[d] * out.stride[d];
        }
        for (int64_t i = 0; i < count; i++)
            line[i] = read_number(x.first + (from + i * x.stride[along]) * bytes, type);
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
static void accumulate(union number *line, int64_t count, int32_t type, bool reversed, bool multiplies)
{
    for (int64_t i = 1; i < count; i++) {
        union number *now = &line[reversed ? count - 1 - i : i];
        const union number before = line[reversed ? count - i : i - 1];
        if (!is_real(type))
            now->whole = (int64_t)(multiplies ? (uint64_t)now->whole * (uint64_t)before.whole
                                              : (uint64_t)now->whole + (uint64_t)before.whole);
        else if (type == KERNEL_FP64)
            now->real = multiplies ? before.real * now->real : before.real + now->real;
        else
            now->real = (double)(multiplies ? (float)before.real * (float)now->real
                                            : (float)before.real + (float)now->real);
    }
}

static void sum_line(union number *line, int64_t count, int32_t type, bool reversed)
{
    accumulate(line, count, type, reversed, false);
}

static void multiply_line(union number *line, int64_t count, int32_t type, bool reversed)
{
    accumulate(line, count, type, reversed, true);
}

static int by_real(const void *a, const void *b)
{
    const double x = ((const union number *)a)->real, y = ((const union number *)b)->real;
    return x != x || y != y ? (x != x) - (y != y) : (x > y) - (x < y);
}

static int by_whole(const void *a, const void *b)
{
    const int64_t x = ((const union number *)a)->whole, y = ((const union number *)b)->whole;
    return (x > y) - (x < y);
}

static void flip_line(union number *line, int64_t count, int32_t type, bool flag)
{
    (void)type;
    (void)flag;
    for (int64_t i = 0; i < count / 2; i++) {
        const union number kept = line[i];
        line[i] = line[count - 1 - i];
        line[count - 1 - i] = kept;
    }
}

static void sort_line(union number *line, int64_t count, int32_t type, bool descending)
{
    qsort(line, (size_t)count, sizeof *line, is_real(type) ? by_real : by_whole);
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
