/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The second pass of functions that add by indices. Every place is summed by one thread, in the order of the
 * positions that add to it, and written once. Single elements have a sum for each place where those are not
 * far more than the positions; otherwise positions are sorted by their place.
 */
#include "ops/index/index.h"

#include <string.h>

#include "ops/canonical.h"
#include "ops/index/index_lines.h"
#include "ops/loops/tasks.h"

LEVEL_TABLE(const struct index_floats, floats_of, index_floats);

const struct index_floats *index_floats_of(enum isa_level level)
{
    return floats_of[level];
}

/* Elements that are summed side by side, positions that a thread takes at once, and how many of them ahead the
 * sum of a single element is asked for. */
enum { SUM_ELEMENTS = 1024, SUM_POSITIONS = 1024, SUMS_AHEAD = 16, SUM_PS = 20000 };
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

size_t index_sum_bytes(uint64_t count)
{
    uint64_t bytes;
    return __builtin_mul_overflow(count, 4 * sizeof(int64_t), &bytes) ? SIZE_MAX : (size_t)bytes;
}

struct pairs {
    int64_t *key, *position;
};

/* Stable, by one digit of the keys. */
static void sort_by_digit(struct pairs from, struct pairs to, uint64_t count, int shift)
{
    uint64_t place[DIGITS] = {0};
    for (uint64_t i = 0; i < count; i++)
        place[from.key[i] >> shift & (DIGITS - 1)]++;
    for (uint64_t digit = 0, sum = 0; digit < DIGITS; digit++) {
        uint64_t size = place[digit];
        place[digit] = sum;
        sum += size;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t target = place[from.key[i] >> shift & (DIGITS - 1)]++;
        to.key[target] = from.key[i];
        to.position[target] = from.position[i];
    }
}

static void sort_positions(struct index_walk *walk, int64_t *room)
{
    const uint64_t count = walk->count;
    struct pairs from = {room, room + count}, to = {room + 2 * count, room + 3 * count};
    memcpy(from.key, walk->offset, count * sizeof *room);
    for (uint64_t i = 0; i < count; i++)
        from.position[i] = (int64_t)i;
    for (int shift = 0; shift < 63 && walk->extent >> shift != 0; shift += DIGIT_BITS) {
        sort_by_digit(from, to, count, shift);
        struct pairs swapped = from;
        from = to;
        to = swapped;
    }
    walk->sorted = from.key;
    walk->ordered = from.position;
}

/* Sums of one dtype as doubles or as integers. */
union sums {
    double real[SUM_ELEMENTS];
    uint64_t integer[SUM_ELEMENTS];
};

/* A single element, if it takes no more than a cast. */
static bool fetch_one(aclDataType dtype, const unsigned char *from, union sums *sums)
{
    float single;
    int32_t word;
    switch (dtype) {
    case ACL_FLOAT:
        memcpy(&single, from, sizeof single);
        sums->real[0] = (double)single;
        return true;
    case ACL_INT32:
        memcpy(&word, from, sizeof word);
        sums->integer[0] = (uint64_t)word;
        return true;
    case ACL_DOUBLE:
    case ACL_INT64:
        memcpy(sums, from, sizeof(int64_t));
        return true;
    default:
        return false;
    }
}

/* Elements of a row as what they are summed in. */
static void fetch(const struct index_walk *walk, const unsigned char *from, int64_t stride, size_t count,
                  union sums *sums)
{
    _Alignas(64) unsigned char gathered[SUM_ELEMENTS * 8] __attribute__((uninitialized));
    const aclDataType wide = index_sums_doubles(walk->dtype) ? ACL_DOUBLE : ACL_INT64;
    const struct block block = {1, count, 0, stride};
    if (count == 1 && fetch_one(walk->dtype, from, sums))
        return;
    if (walk->dtype == wide) {
        walk->transfer->gather(sums, from, &block, walk->bytes);
        return;
    }
    if (stride != 1 && count > 1) {
        walk->transfer->gather(gathered, from, &block, walk->bytes);
        from = gathered;
    }
    walk->transfer->convert(from, walk->dtype, sums, wide, count);
}

/* Rounds once. What is NaN is the canonical one, as convert makes it. */
static void store(const struct index_walk *walk, union sums *sums, size_t count, unsigned char *to,
                  int64_t stride)
{
    _Alignas(64) unsigned char buffer[SUM_ELEMENTS * 8] __attribute__((uninitialized));
    const aclDataType wide = index_sums_doubles(walk->dtype) ? ACL_DOUBLE : ACL_INT64;
    const struct block block = {1, count, 0, stride};
    if (walk->dtype == ACL_DOUBLE)
        canonical_nans(sums->real, count);
    if (walk->dtype != wide && stride == 1) {
        walk->transfer->convert(sums, wide, to, walk->dtype, count);
        return;
    }
    if (walk->dtype != wide)
        walk->transfer->convert(sums, wide, buffer, walk->dtype, count);
    walk->transfer->scatter(to, &block, walk->dtype == wide ? (const void *)sums : buffer, walk->bytes);
}

static void multiply(const struct index_walk *walk, union sums *sums, size_t size)
{
    if (!walk->has_factor)
        return;
    if (index_sums_doubles(walk->dtype))
        for (size_t i = 0; i < size && walk->factor != 1; i++)
            sums->real[i] *= walk->factor;
    else
        for (size_t i = 0; i < size; i++)
            sums->integer[i] *= (uint64_t)walk->integer_factor;
}

/* One step for one piece of a slice. NaN stays in what is kept of two numbers. */
static void take_in(const struct index_walk *walk, union sums *sums, union sums *more, size_t size)
{
    const bool is_real = index_sums_doubles(walk->dtype);
    double *real = sums->real;
    uint64_t *integer = sums->integer;
    multiply(walk, more, size);
    if (walk->sum_kind == INDEX_MULTIPLY && walk->is_complex) {
        const double first = real[0] * more->real[0] - real[1] * more->real[1];
        real[1] = real[0] * more->real[1] + real[1] * more->real[0];
        real[0] = first;
        return;
    }
    switch (walk->sum_kind) {
    case INDEX_MULTIPLY:
        for (size_t i = 0; i < size; i++)
            if (is_real)
                real[i] *= more->real[i];
            else
                integer[i] *= more->integer[i];
        return;
    case INDEX_MAXIMUM:
        for (size_t i = 0; i < size; i++)
            if (is_real)
                real[i] = more->real[i] > real[i] || more->real[i] != more->real[i] ? more->real[i] : real[i];
            else
                integer[i] = (int64_t)more->integer[i] > (int64_t)integer[i] ? more->integer[i] : integer[i];
        return;
    case INDEX_MINIMUM:
        for (size_t i = 0; i < size; i++)
            if (is_real)
                real[i] = more->real[i] < real[i] || more->real[i] != more->real[i] ? more->real[i] : real[i];
            else
                integer[i] = (int64_t)more->integer[i] < (int64_t)integer[i] ? more->integer[i] : integer[i];
        return;
    default:
        if (is_real)
            for (size_t i = 0; i < size; i++)
                real[i] += more->real[i];
        else
            for (size_t i = 0; i < size; i++)
                integer[i] += more->integer[i];
        return;
    }
}

/* By a count of 1 at least; integers round down. */
static void divide(const struct index_walk *walk, union sums *sums, uint64_t count, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int64_t sum = (int64_t)sums->integer[i], by = (int64_t)count;
        if (index_sums_doubles(walk->dtype))
            sums->real[i] /= (double)count;
        else
            sums->integer[i] = (uint64_t)(sum / by - (sum % by < 0));
    }
}

/* All positions of one place, for one piece of a slice. */
static void sum_place(const struct index_walk *walk, const unsigned char *from, int64_t from_stride,
                      unsigned char *to, int64_t to_stride, size_t size, const int64_t *position,
                      uint64_t count)
{
    union sums sums __attribute__((uninitialized)), more __attribute__((uninitialized));
    const bool adds_floats = walk->dtype == ACL_FLOAT && from_stride == 1 && walk->sum_kind <= INDEX_ADD;
    const bool takes_self = !walk->skips_self, divides = walk->divides || walk->sum_kind == INDEX_MEAN;
    if (adds_floats && takes_self && !divides && to_stride == 1 && count <= INDEX_ROWS) {
        struct index_rows rows = {
            .to = to, .rows = count, .count = size, .factor = walk->has_factor ? walk->factor : 1};
        for (uint64_t k = 0; k < count; k++)
            rows.from[k] = from + index_place(walk, (uint64_t)position[k]) * (int64_t)walk->bytes;
        walk->floats->add_rows(&rows);
        return;
    }
    if (takes_self)
        fetch(walk, to, to_stride, size, &sums);
    for (uint64_t k = 0; k < count; k++) {
        const unsigned char *place = from + index_place(walk, (uint64_t)position[k]) * (int64_t)walk->bytes;
        if (k == 0 && !takes_self) {
            fetch(walk, place, from_stride, size, &sums);
            multiply(walk, &sums, size);
            continue;
        }
        if (adds_floats) {
            walk->floats->add(place, walk->has_factor ? walk->factor : 1, sums.real, size);
            continue;
        }
        fetch(walk, place, from_stride, size, &more);
        take_in(walk, &sums, &more, size);
    }
    if (divides)
        divide(walk, &sums, count + (walk->sum_kind == INDEX_MEAN && takes_self), size);
    store(walk, &sums, size, to, to_stride);
}

/* Whether positions add single elements to so few places that each has a sum in the room. */
static bool has_sums(const struct index_walk *walk)
{
    return walk->is_dense && walk->slice_count == 0 && walk->sum_kind <= INDEX_ADD && !walk->divides &&
           !walk->skips_self && walk->extent / 2 <= walk->count;
}

/* Adds positions that lie side by side in what is read, as far as their places are in the bucket. */
static void add_positions(const struct index_walk *walk, uint64_t position, size_t count, int64_t begin,
                          int64_t end)
{
    union sums more __attribute__((uninitialized));
    const int64_t *const offset = walk->offset + position;
    double *const real = walk->sums;
    uint64_t *const integer = walk->sums;
    unsigned char *const is_added = walk->is_added;
    const bool is_real = index_sums_doubles(walk->dtype);
    fetch(walk, walk->from + index_place(walk, position) * (int64_t)walk->bytes,
          walk->position[walk->position_count - 1].to, count, &more);
    multiply(walk, &more, count);
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(real + offset[i + SUMS_AHEAD < count ? i + SUMS_AHEAD : i], 1);
        if (offset[i] < begin || offset[i] >= end)
            continue;
        if (is_real) {
            const double sum = real[offset[i]] += more.real[i];
            if (sum != sum)
                is_added[offset[i]] = 1;
        } else {
            integer[offset[i]] += more.integer[i];
            is_added[offset[i]] = 1;
        }
    }
}

/* What nothing was added to stays: a float that is a number is the same after its two conversions. */
static void write_sums(const struct index_walk *walk, int64_t first, size_t count)
{
    _Alignas(64) unsigned char kept[SUM_ELEMENTS * 8] __attribute__((uninitialized));
    union sums sums __attribute__((uninitialized));
    unsigned char *const to = walk->to + first * (int64_t)walk->bytes;
    const unsigned char *const is_added = walk->is_added + first;
    const bool is_real = index_sums_doubles(walk->dtype);
    const size_t bytes = walk->bytes;
    memcpy(kept, to, count * walk->bytes);
    memcpy(&sums, (const int64_t *)walk->sums + first, count * sizeof(int64_t));
    store(walk, &sums, count, to, 1);
    for (size_t i = 0; i < count; i++)
        if ((!is_real || sums.real[i] != sums.real[i]) && is_added[i] == 0)
            memcpy(to + i * bytes, kept + i * bytes, bytes);
}

/* A bucket of places, which looks through all positions. */
static void sum_bucket(void *context, uint64_t bucket)
{
    const struct index_walk *walk = context;
    const uint64_t row = (uint64_t)walk->position[walk->position_count - 1].size;
    const int64_t width = (int64_t)(walk->extent / walk->buckets) + 1, extent = (int64_t)walk->extent;
    const int64_t begin = (int64_t)bucket * width;
    const int64_t end = begin + width < extent ? begin + width : extent;
    for (int64_t i = begin, count; i < end; i += count) {
        count = end - i < SUM_ELEMENTS ? end - i : SUM_ELEMENTS;
        fetch(walk, walk->to + i * (int64_t)walk->bytes, 1, (size_t)count,
              (union sums *)(void *)((int64_t *)walk->sums + i));
        memset(walk->is_added + i, 0, (size_t)count);
    }
    for (uint64_t i = 0, count; i < walk->count; i += count) {
        count = row - i % row < SUM_ELEMENTS ? row - i % row : SUM_ELEMENTS;
        add_positions(walk, i, (size_t)count, begin, end);
    }
    for (int64_t i = begin, count; i < end; i += count) {
        count = end - i < SUM_ELEMENTS ? end - i : SUM_ELEMENTS;
        write_sums(walk, i, (size_t)count);
    }
}

/* The first place that begins at a sorted position or behind it. */
static uint64_t next_place(const struct index_walk *walk, uint64_t position)
{
    while (position > 0 && position < walk->count && walk->sorted[position] == walk->sorted[position - 1])
        position++;
    return position;
}

/* The beginning of a piece of a slice that comes next, which no processor foresees. */
static void ask_for(const struct index_walk *walk, const unsigned char *from, const unsigned char *to,
                    size_t size)
{
    enum { LINE = 64, LINES = 16 };
    for (size_t i = 0; i < LINES && i * LINE < size * walk->bytes; i++) {
        __builtin_prefetch(from + i * LINE);
        __builtin_prefetch(to + i * LINE, 1);
    }
}

static void sum_share(void *context, uint64_t number)
{
    const struct index_walk *walk = context;
    const bool is_one = walk->slice_count == 0;
    const struct move_axis *along = &walk->slice[walk->inner];
    int64_t from, to, size = index_slice(walk, number / walk->shares, &from, &to);
    uint64_t first = number % walk->shares * SUM_POSITIONS, last = first + SUM_POSITIONS;
    last = next_place(walk, last < walk->count ? last : walk->count);
    for (uint64_t i = next_place(walk, first), next; i < last; i = next) {
        for (next = i + 1; next < walk->count && walk->sorted[next] == walk->sorted[i];)
            next++;
        if (next < last && !is_one)
            ask_for(walk,
                    walk->from + (from + index_place(walk, (uint64_t)walk->ordered[next])) * walk->bytes,
                    walk->to + (to + walk->sorted[next]) * (int64_t)walk->bytes, (size_t)size);
        sum_place(walk, walk->from + from * (int64_t)walk->bytes, is_one ? 1 : along->from,
                  walk->to + (to + walk->sorted[i]) * (int64_t)walk->bytes, is_one ? 1 : along->to,
                  (size_t)size, walk->ordered + i, next - i);
    }
}

void index_sum(struct index_walk *walk, void *room)
{
    index_arrange(walk);
    if (has_sums(walk)) {
        walk->sums = room;
        walk->is_added = (unsigned char *)room + walk->extent * sizeof(int64_t);
        walk->buckets = index_buckets();
        tasks_run(sum_bucket, walk, walk->buckets, 1, walk->count * SUM_PS / 1000);
        return;
    }
    sort_positions(walk, room);
    while (walk->count > 0 && walk->sorted[walk->count - 1] == INDEX_NO_PLACE)
        walk->count--; /* those come last: no other key has all bits that were sorted by */
    if (walk->count == 0)
        return;
    walk->inner = walk->slice_count > 0 ? walk->slice_count - 1 : 0;
    int64_t size = walk->slice_count > 0 ? walk->slice[walk->inner].size : 1;
    walk->piece = size < SUM_ELEMENTS ? size : SUM_ELEMENTS;
    walk->pieces = (uint64_t)((size - 1) / walk->piece + 1);
    walk->outer = 1;
    for (uint32_t i = 0; i < walk->inner; i++)
        walk->outer *= (uint64_t)walk->slice[i].size;
    walk->shares = (walk->count - 1) / SUM_POSITIONS + 1;
    const uint64_t numbers = walk->outer * walk->pieces * walk->shares;
    const uint64_t elements = walk->outer * (uint64_t)size * walk->count;
    tasks_run(sum_share, walk, numbers, 4, elements / 2 + walk->count * walk->outer * SUM_PS / 1000);
}
