/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolutions drawn at random and what comes out of them, loop by loop, in the order of operations that
 * correlation.h states. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_CONVOLVING_H
#define BELAY_TESTS_OPS_CONVOLVING_H

#include <math.h>
#include <stdlib.h>

#include "ops/losses.h"

enum { AXES = 3, TERMS = 256 };

/* Leading axes that there are not have size 1. Channels are those of a group. */
struct convolving {
    unsigned axes;
    bool is_transposed, has_both_pads;
    int64_t batch, groups, small_channels, large_channels;
    int64_t small[AXES], large[AXES], kernel[AXES], stride[AXES], dilation[AXES];
    int64_t padding[AXES], behind[AXES], more[AXES];
};

/* padding and behind along the last two axes, and no more. */
#define PADS(a, b)        \
    {0, a, b}, {0, a, b}, \
    {                     \
        0                 \
    }

/* Numbers in row-major order. */
struct numbers {
    int64_t channels; /* of all groups */
    const int64_t *size;
    double *value;
};

static inline bool is_exact(void)
{
    const char *accuracy = getenv("BELAY_ACCURACY");
    return accuracy != NULL && strcmp(accuracy, "exact") == 0;
}

/* Whether both sides of the products are BFLOAT16: of each pair of terms the second one comes first then. */
static bool chains_take_pairs;

static inline bool are_pairs(const struct layout *a, const struct layout *b)
{
    return a->dtype == ACL_BF16 && b->dtype == ACL_BF16 && !is_exact();
}

/* A sum of products, term by term. */
struct chain {
    double total, block;
    double waiting[2]; /* the first term of a pair */
    int terms;
    bool has_total;
};

static inline void chain_multiply(struct chain *chain, double a, double b)
{
    chain->block =
        is_exact() ? fma(a, b, chain->block) : (double)fmaf((float)a, (float)b, (float)chain->block);
}

static inline void chain_close(struct chain *chain)
{
    if (chains_take_pairs && chain->terms % 2 != 0)
        chain_multiply(chain, chain->waiting[0], chain->waiting[1]);
    const double sum =
        is_exact() ? chain->total + chain->block : (double)((float)chain->total + (float)chain->block);
    chain->total = chain->has_total ? sum : chain->block;
    chain->has_total = true;
    chain->block = 0;
    chain->terms = 0;
}

static inline void chain_add(struct chain *chain, double a, double b)
{
    if (chain->terms == TERMS)
        chain_close(chain);
    if (chains_take_pairs && chain->terms % 2 == 0) {
        chain->waiting[0] = a, chain->waiting[1] = b;
    } else {
        chain_multiply(chain, a, b);
        if (chains_take_pairs)
            chain_multiply(chain, chain->waiting[0], chain->waiting[1]);
    }
    chain->terms++;
}

static inline double chain_end(struct chain *chain)
{
    if (chain->terms > 0 || !chain->has_total)
        chain_close(chain);
    return chain->total;
}

static inline double with_bias(double sum, double bias)
{
    return is_exact() ? sum + bias : (double)((float)sum + (float)bias);
}

/* 0 where there is no such element. */
static inline double number_in(const struct numbers *numbers, int64_t n, int64_t channel,
                               const int64_t *index)
{
    int64_t place = n * numbers->channels + channel;
    for (int i = 0; i < AXES; i++) {
        if (index[i] < 0 || index[i] >= numbers->size[i])
            return 0;
        place = place * numbers->size[i] + index[i];
    }
    return numbers->value[place];
}

static inline int64_t product_of(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

static inline void split_index(int64_t number, const int64_t *size, int64_t *index)
{
    for (int i = AXES; i-- > 0; number /= size[i])
        index[i] = number % size[i];
}

static inline double weight_at(const struct convolving *drawn, const double *weight, int64_t small,
                               int64_t large, int64_t k)
{
    return weight[(small * drawn->large_channels + large) * product_of(drawn->kernel) + k];
}

static inline double small_from_large(const struct convolving *drawn, const struct numbers *large,
                                      const double *weight, int64_t n, int64_t channel, const int64_t *j)
{
    struct chain chain = {0};
    const int64_t group = channel / drawn->small_channels, steps = product_of(drawn->kernel);
    for (int64_t c = 0; c < drawn->large_channels; c++)
        for (int64_t k = 0; k < steps; k++) {
            int64_t step[AXES], at[AXES];
            split_index(k, drawn->kernel, step);
            for (int i = 0; i < AXES; i++)
                at[i] = j[i] * drawn->stride[i] - drawn->padding[i] + step[i] * drawn->dilation[i];
            chain_add(&chain, weight_at(drawn, weight, channel, c, k),
                      number_in(large, n, group * drawn->large_channels + c, at));
        }
    return chain_end(&chain);
}

static inline double large_from_small(const struct convolving *drawn, const struct numbers *small,
                                      const double *weight, int64_t n, int64_t channel, const int64_t *place)
{
    struct chain chain = {0};
    const int64_t group = channel / drawn->large_channels, own = channel % drawn->large_channels,
                  steps = product_of(drawn->kernel);
    for (int64_t c = 0; c < drawn->small_channels; c++)
        for (int64_t k = 0; k < steps; k++) {
            int64_t step[AXES], at[AXES];
            bool takes_part = true;
            split_index(k, drawn->kernel, step);
            for (int i = 0; i < AXES; i++) {
                const int64_t whole = place[i] + drawn->padding[i] - step[i] * drawn->dilation[i];
                takes_part = takes_part && whole % drawn->stride[i] == 0;
                at[i] = whole / drawn->stride[i];
            }
            if (takes_part)
                chain_add(&chain, weight_at(drawn, weight, group * drawn->small_channels + c, own, k),
                          number_in(small, n, group * drawn->small_channels + c, at));
        }
    return chain_end(&chain);
}

/* Which sides are which: a transposed convolution goes from the small side to the large one. */
static inline const int64_t *input_size(const struct convolving *drawn)
{
    return drawn->is_transposed ? drawn->small : drawn->large;
}

static inline const int64_t *output_size(const struct convolving *drawn)
{
    return drawn->is_transposed ? drawn->large : drawn->small;
}

static inline int64_t input_channels(const struct convolving *drawn)
{
    return drawn->groups * (drawn->is_transposed ? drawn->small_channels : drawn->large_channels);
}

static inline int64_t output_channels(const struct convolving *drawn)
{
    return drawn->groups * (drawn->is_transposed ? drawn->large_channels : drawn->small_channels);
}

/* The output, or with is_back the gradient of the input. */
static inline double element_from(const struct convolving *drawn, bool is_back, const struct numbers *from,
                                  const double *weight, int64_t number)
{
    const bool is_large = drawn->is_transposed != is_back;
    const int64_t *size = is_large ? drawn->large : drawn->small;
    const int64_t channels = drawn->groups * (is_large ? drawn->large_channels : drawn->small_channels);
    const int64_t plane = number / product_of(size);
    int64_t index[AXES];
    split_index(number % product_of(size), size, index);
    return (is_large ? large_from_small : small_from_large)(drawn, from, weight, plane / channels,
                                                            plane % channels, index);
}

/* False where there is no output. */
static inline bool find_sizes(struct convolving *drawn)
{
    for (int i = 0; i < AXES; i++) {
        const int64_t reach = drawn->dilation[i] * (drawn->kernel[i] - 1) + 1,
                      pads = drawn->padding[i] + drawn->behind[i];
        if (drawn->is_transposed)
            drawn->large[i] = (drawn->small[i] - 1) * drawn->stride[i] - pads + reach + drawn->more[i];
        else
            drawn->small[i] =
                drawn->large[i] + pads < reach ? 0 : (drawn->large[i] + pads - reach) / drawn->stride[i] + 1;
        if (drawn->small[i] < 1 || drawn->large[i] < 1)
            return false;
    }
    return true;
}

static inline struct convolving draw_convolving(int64_t size, int64_t channels)
{
    struct convolving drawn;
    do {
        drawn = (struct convolving){.axes = 1 + (unsigned)random_below(3)};
        drawn.is_transposed = random_below(2) == 0;
        drawn.has_both_pads = random_below(3) == 0;
        drawn.batch = 1 + random_below(4);
        drawn.groups = 1 + random_below(3);
        drawn.small_channels = 1 + random_below(channels);
        drawn.large_channels = 1 + random_below(channels);
        const int64_t most = drawn.axes == 3 ? size / 3 : size;
        for (unsigned i = 0; i < AXES; i++) {
            const bool is_there = i >= AXES - drawn.axes;
            drawn.kernel[i] = is_there ? 1 + random_below(4) : 1;
            drawn.stride[i] = is_there ? 1 + random_below(3) : 1;
            drawn.dilation[i] = is_there ? 1 + random_below(3) : 1;
            drawn.padding[i] = is_there ? random_below(4) : 0;
            drawn.behind[i] = is_there && drawn.has_both_pads ? random_below(4) : drawn.padding[i];
            const int64_t above = drawn.stride[i] > drawn.dilation[i] ? drawn.stride[i] : drawn.dilation[i];
            drawn.more[i] = is_there && drawn.is_transposed ? random_below(above) : 0;
            (drawn.is_transposed ? drawn.small : drawn.large)[i] = is_there ? 1 + random_below(most) : 1;
        }
    } while (!find_sizes(&drawn));
    return drawn;
}

static inline struct layout side_layout(const struct convolving *drawn, aclDataType dtype, int64_t channels,
                                        const int64_t *size, enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->batch, channels};
    memcpy(shape + 2, size + AXES - drawn->axes, drawn->axes * sizeof *size);
    return layout_create(dtype, 2 + drawn->axes, shape, kind);
}

static inline struct layout weight_layout(const struct convolving *drawn, aclDataType dtype,
                                          enum layout_kind kind)
{
    int64_t shape[2 + AXES] = {drawn->groups * drawn->small_channels, drawn->large_channels};
    memcpy(shape + 2, drawn->kernel + AXES - drawn->axes, drawn->axes * sizeof *shape);
    return layout_create(dtype, 2 + drawn->axes, shape, kind);
}

static inline double *numbers_of(const struct layout *layout)
{
    double *value = malloc((size_t)(layout->count + 1) * sizeof *value);
    for (int64_t i = 0; i < layout->count; i++)
        value[i] = element_of(layout, i);
    return value;
}

/* Arrays of one number for each axis, or for all where they are equal. */
static inline union argument along_axes(const struct convolving *drawn, const int64_t *number)
{
    bool is_one = random_below(2) == 0;
    for (unsigned i = 1; i < drawn->axes; i++)
        is_one = is_one && number[AXES - 1 - i] == number[AXES - 1];
    return argument_of_pointer(aclCreateIntArray(number + AXES - drawn->axes, is_one ? 1 : drawn->axes));
}

static inline union argument paddings(const struct convolving *drawn)
{
    int64_t both[2 * AXES];
    if (!drawn->has_both_pads)
        return along_axes(drawn, drawn->padding);
    for (unsigned i = 0; i < drawn->axes; i++) {
        both[2 * i] = drawn->padding[AXES - drawn->axes + i];
        both[2 * i + 1] = drawn->behind[AXES - drawn->axes + i];
    }
    return argument_of_pointer(aclCreateIntArray(both, 2 * drawn->axes));
}

/* Every element is the number, rounded, bit for bit; any NaN is the canonical one. */
static inline void expect_element(const struct layout *out, int64_t i, double number, const char *what)
{
    unsigned char wanted[8];
    const double value = isnan(number) ? (double)NAN : number;
    conversion_reference(&value, ACL_DOUBLE, wanted, out->dtype);
    if (memcmp(layout_element(out, i), wanted, out->bytes) != 0)
        fail_msg("%s: element %lld is %.9g; %.9g is expected", what, (long long)i, element_of(out, i), value);
}

#endif
