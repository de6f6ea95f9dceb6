/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "ops/index/index_lines.h"

#include <string.h>

#include "ops/canonical.h"
#include "ops/element_bytes.h"
#include "ops/loops/tasks.h"
#include "tensor/dtype.h"

/* Bytes that the places of lines may take, the most lines at a time, the least of them where there are more:
 * a line of the cache, elements that are converted at a time, and rows ahead that are asked for. */
enum { PLACES_BYTES = 1 << 19, WIDTH_MAX = 64, WIDTH_MIN = 16, TOGETHER = 1024, ROWS_AHEAD = 8 };
/* Picoseconds for a position and for a place. */
enum { POSITION_PS = 900, PLACE_PS = 600 };

static uint64_t place_bytes(const struct index_lines *lines)
{
    return lines->adds ? sizeof(double) + 1 : dtype_bytes(lines->dtype);
}

/* How many parts of so many lines at a time lie side by side. */
static uint64_t parts_of(const struct index_lines *lines)
{
    return (lines->inner - 1) / lines->width + 1;
}

bool index_lines_choose(struct index_lines *lines)
{
    const uint64_t most = PLACES_BYTES / place_bytes(lines) / lines->size;
    const uint64_t wanted = lines->inner < WIDTH_MAX ? lines->inner : WIDTH_MAX;
    const uint64_t least = lines->inner < WIDTH_MIN ? lines->inner : WIDTH_MIN;
    lines->width = most < wanted ? most / WIDTH_MIN * WIDTH_MIN : wanted;
    if (lines->width < least || lines->width == 0 || lines->count < lines->size / 2)
        return false;
    const uint64_t tasks = lines->outer * parts_of(lines);
    lines->slots = tasks < lines->slots ? tasks : lines->slots;
    return true;
}

static size_t slot_bytes(const struct index_lines *lines)
{
    return whole_lines((size_t)(lines->size * lines->width * place_bytes(lines)));
}

size_t index_lines_bytes(const struct index_lines *lines)
{
    return (size_t)lines->slots * slot_bytes(lines);
}

uint64_t index_lines_cost_ns(const struct index_lines *lines)
{
    return lines->outer * lines->inner * (lines->count * POSITION_PS + lines->size * PLACE_PS) / 1000;
}

struct lines_run {
    const struct index_lines *lines;
    const int64_t *index;
    const unsigned char *self, *source;
    unsigned char *out;
};

/* Some lines: what a task has of everything, where their first elements are. */
struct lines_part {
    const struct index_lines *lines;
    uint64_t width;
    const int64_t *index;
    const unsigned char *self, *source;
    unsigned char *out;
    void *places;            /* of the lines side by side, elements or what they are summed in */
    unsigned char *is_added; /* of integers: something was added to the place; of floats: it made it NaN */
};

/* What has been checked before may have changed since. */
static inline uint64_t legal(int64_t index, uint64_t size)
{
    return __builtin_expect((uint64_t)index < size, 1) ? (uint64_t)index : 0;
}

/* Asks for a row that does not lie behind the one before, which the processor does not expect. */
static inline void ask_for(const struct lines_part *part, const void *row, size_t bytes)
{
    enum { LINE = 64 };
    for (uint64_t i = 0; part->width < part->lines->inner && i < part->width * bytes; i += LINE)
        __builtin_prefetch((const char *)row + i);
}

static inline __attribute__((always_inline)) void put_rows(const void *work, size_t bytes)
{
    const struct lines_part *part = work;
    const struct index_lines *lines = part->lines;
    const uint64_t width = part->width, size = lines->size;
    unsigned char *const places = part->places;
    for (uint64_t i = 0; i < lines->count; i++) {
        const int64_t *index = part->index + i * lines->inner;
        const unsigned char *source = part->source + i * lines->inner * bytes;
        ask_for(part, index + ROWS_AHEAD * lines->inner, sizeof *index);
        ask_for(part, source + ROWS_AHEAD * lines->inner * bytes, bytes);
        for (uint64_t k = 0; k < width; k++)
            memcpy(places + (legal(index[k], size) * width + k) * bytes, source + k * bytes, bytes);
    }
}

static void put_lines(const struct lines_part *part)
{
    const struct index_lines *lines = part->lines;
    const uint32_t bytes = (uint32_t)dtype_bytes(lines->dtype);
    const struct block block = {(size_t)lines->size, (size_t)part->width, (int64_t)lines->inner, 1};
    lines->transfer->gather(part->places, part->self, &block, bytes);
    by_element_bytes(put_rows, part, bytes);
    lines->transfer->scatter(part->out, &block, part->places, bytes);
}

static aclDataType sum_dtype(aclDataType dtype)
{
    return index_sums_doubles(dtype) ? ACL_DOUBLE : ACL_INT64;
}

/* Some rows of elements as what they are summed in: TOGETHER of them at most. As many more are asked for. */
static void fetch_rows(const struct lines_part *part, const unsigned char *from, uint64_t rows, void *to)
{
    _Alignas(64) unsigned char gathered[TOGETHER * sizeof(double)] __attribute__((uninitialized));
    const struct index_lines *lines = part->lines;
    const uint32_t bytes = (uint32_t)dtype_bytes(lines->dtype);
    const struct block block = {(size_t)rows, (size_t)part->width, (int64_t)lines->inner, 1};
    for (uint64_t i = rows; i < 2 * rows; i++)
        ask_for(part, from + i * lines->inner * bytes, bytes);
    if (part->width < lines->inner) {
        lines->transfer->gather(gathered, from, &block, bytes);
        from = gathered;
    }
    transfer_convert(lines->transfer, from, lines->dtype, to, sum_dtype(lines->dtype), rows * part->width);
}

/* Position after position of some rows, the first of which is `row`. */
static void add_rows(const struct lines_part *part, uint64_t row, uint64_t rows)
{
    _Alignas(64) int64_t more[TOGETHER] __attribute__((uninitialized));
    const struct index_lines *lines = part->lines;
    const uint64_t width = part->width, size = lines->size;
    double *const real = part->places;
    uint64_t *const integer = part->places;
    fetch_rows(part, part->source + row * lines->inner * dtype_bytes(lines->dtype), rows, more);
    for (uint64_t i = 0; i < rows; i++) {
        const int64_t *index = part->index + (row + i) * lines->inner;
        ask_for(part, index + ROWS_AHEAD * lines->inner, sizeof *index);
        for (uint64_t k = 0; index_sums_doubles(lines->dtype) && k < width; k++) {
            const uint64_t place = legal(index[k], size) * width + k;
            const double sum = real[place] + ((const double *)(const void *)more)[i * width + k];
            real[place] = sum;
            if (__builtin_expect(sum != sum, 0))
                part->is_added[place] = 1;
        }
        for (uint64_t k = 0; !index_sums_doubles(lines->dtype) && k < width; k++) {
            const uint64_t place = legal(index[k], size) * width + k;
            integer[place] += (uint64_t)more[i * width + k];
            part->is_added[place] = 1;
        }
    }
}

static bool has_nan(const double *number, uint64_t count)
{
    int64_t is_there = 0;
    for (uint64_t i = 0; i < count; i++)
        is_there |= number[i] != number[i];
    return is_there != 0;
}

/* Rounds rows once. What nothing was added to stays: a float that is a number is the same after its two
 * conversions. */
static void write_rows(const struct lines_part *part, uint64_t row, uint64_t rows)
{
    _Alignas(64) unsigned char made[TOGETHER * sizeof(double)] __attribute__((uninitialized));
    const struct index_lines *lines = part->lines;
    const uint64_t width = part->width, count = rows * width, first = row * width;
    const uint32_t bytes = (uint32_t)dtype_bytes(lines->dtype);
    double *const sums = (double *)part->places + first;
    const unsigned char *const self = part->self + row * lines->inner * bytes, *const is_added =
                                                                                   part->is_added + first;
    const struct block block = {(size_t)rows, (size_t)width, (int64_t)lines->inner, 1};
    const bool is_real = index_sums_doubles(lines->dtype), may_stay = !is_real || has_nan(sums, count);
    if (may_stay && lines->dtype == ACL_DOUBLE)
        canonical_nans(sums, (size_t)count);
    transfer_convert(lines->transfer, sums, sum_dtype(lines->dtype), made, lines->dtype, count);
    for (uint64_t i = 0; may_stay && i < count; i++)
        if ((!is_real || sums[i] != sums[i]) && is_added[i] == 0)
            memcpy(made + i * bytes, self + (i / width * lines->inner + i % width) * bytes, bytes);
    lines->transfer->scatter(part->out + row * lines->inner * bytes, &block, made, bytes);
}

static void add_lines(const struct lines_part *part)
{
    const struct index_lines *lines = part->lines;
    const uint64_t most = TOGETHER / part->width, bytes = dtype_bytes(lines->dtype);
    memset(part->is_added, 0, (size_t)(lines->size * part->width));
    for (uint64_t row = 0, rows; row < lines->size; row += rows) {
        rows = lines->size - row < most ? lines->size - row : most;
        fetch_rows(part, part->self + row * lines->inner * bytes, rows,
                   (int64_t *)part->places + row * part->width);
    }
    for (uint64_t row = 0, rows; row < lines->count; row += rows) {
        rows = lines->count - row < most ? lines->count - row : most;
        add_rows(part, row, rows);
    }
    for (uint64_t row = 0, rows; row < lines->size; row += rows) {
        rows = lines->size - row < most ? lines->size - row : most;
        write_rows(part, row, rows);
    }
}

static void do_lines(void *context, uint64_t task, unsigned char *memory)
{
    const struct lines_run *run = context;
    const struct index_lines *lines = run->lines;
    const uint64_t parts = parts_of(lines), bytes = dtype_bytes(lines->dtype);
    const uint64_t outer = task / parts, line = task % parts * lines->width;
    const uint64_t left = lines->inner - line, width = left < lines->width ? left : lines->width;
    const uint64_t position = outer * lines->count * lines->inner + line,
                   place = outer * lines->size * lines->inner + line;
    const struct lines_part part = {.lines = lines,
                                    .width = width,
                                    .index = run->index + position,
                                    .self = run->self + place * bytes,
                                    .source = run->source + position * bytes,
                                    .out = run->out + place * bytes,
                                    .places = memory,
                                    .is_added = memory + lines->size * width * sizeof(double)};
    if (lines->adds)
        add_lines(&part);
    else
        put_lines(&part);
}

void index_lines_run(const struct index_lines *lines, const int64_t *index, const unsigned char *self,
                     const unsigned char *source, unsigned char *out, void *room)
{
    const struct lines_run run = {lines, index, self, source, out};
    const struct task_memory memory = {room, slot_bytes(lines), lines->slots};
    tasks_run_in_memory(do_lines, (void *)&run, lines->outer * parts_of(lines), &memory,
                        index_lines_cost_ns(lines));
}
