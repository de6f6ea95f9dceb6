/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lines of a tensor along a dim, for tests of what goes along them: elements by line and place. Include
 * cmocka.h and ops/losses.h before.
 */
#ifndef BELAY_TESTS_OPS_LINES_H
#define BELAY_TESTS_OPS_LINES_H

/* A tensor whose dim has `length` elements, with the elements of the other dims behind it: inner. */
struct lines {
    unsigned rank, dim;
    int64_t shape[LAYOUT_RANK_MAX], length, inner, count; /* count: lines */
};

static inline struct lines draw_lines(unsigned most_rank, int64_t elements)
{
    struct lines lines = {.length = 1, .inner = 1, .count = 1};
    lines.rank = draw_dims(lines.shape, 0, most_rank, elements);
    lines.dim = lines.rank > 0 ? (unsigned)random_below(lines.rank) : 0;
    for (unsigned i = 0; i < lines.rank; i++) {
        if (i == lines.dim)
            lines.length = lines.shape[i];
        else
            lines.count *= lines.shape[i];
        lines.inner *= i > lines.dim ? lines.shape[i] : 1;
    }
    return lines;
}

/* The dim as an argument: from either end. */
static inline int64_t dim_argument(const struct lines *lines)
{
    const int64_t rank = lines->rank > 0 ? lines->rank : 1;
    return random_below(2) == 0 ? (int64_t)lines->dim : (int64_t)lines->dim - rank;
}

/* The row-major number of an element, of a tensor with so many along the dim. */
static inline int64_t line_element(const struct lines *lines, int64_t line, int64_t place, int64_t length)
{
    return (line / lines->inner * length + place) * lines->inner + line % lines->inner;
}

/* A layout whose dim has so many elements, or is gone where `keeps` is false. */
static inline struct layout create_along(const struct lines *lines, aclDataType dtype, int64_t length,
                                         bool keeps, enum layout_kind kind)
{
    int64_t shape[LAYOUT_RANK_MAX];
    unsigned rank = 0;
    for (unsigned i = 0; i < lines->rank; i++)
        if (i != lines->dim || keeps)
            shape[rank++] = i == lines->dim ? length : lines->shape[i];
    return layout_create(dtype, rank, shape, kind);
}

/* As the dtype of an element, which long doubles have all numbers of. */
static inline long double number_of_element(const struct layout *layout, int64_t index)
{
    int64_t integer;
    if (is_float_dtype(layout->dtype))
        return (long double)element_of(layout, index);
    conversion_reference(layout_element(layout, index), layout->dtype, &integer, ACL_INT64);
    return layout->dtype == ACL_UINT64 ? (long double)(uint64_t)integer : (long double)integer;
}

/* Numbers of which many are equal, zeros of both signs and NaNs, or any. */
static inline void fill_with_ties(const struct layout *layout)
{
    layout_fill(layout, 9, random_below(2) == 0 ? MANY_SPECIALS : NO_SPECIALS);
    for (int64_t k = 0; random_below(2) == 0 && k < layout->count; k++)
        for (; k < layout->count; k += 1 + random_below(3))
            set_element(layout, k,
                        random_below(40) == 0 && is_float_dtype(layout->dtype) ? (double)NAN
                        : random_below(2) == 0                                 ? -0.0
                                                                               : (double)random_below(3));
}

static inline void set_index(const struct layout *layout, int64_t index, int64_t value)
{
    conversion_reference(&value, ACL_INT64, layout_element(layout, index), layout->dtype);
}

static inline int64_t index_of(const struct layout *layout, int64_t index)
{
    int64_t value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_INT64);
    return value;
}

#endif
