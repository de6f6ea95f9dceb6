/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors whose dims are moved each on its own: where each element of the result comes from. Include made.h
 * before.
 */
#ifndef BELAY_TESTS_OPS_MOVED_H
#define BELAY_TESTS_OPS_MOVED_H

enum { ROUNDS = 300 };

/* For each dim of out: the dim of self that it is of, or -1, and the index there of each index. */
struct source {
    struct view self, out;
    int64_t dim[OPERAND_RANK_MAX];
    int64_t fixed[OPERAND_RANK_MAX]; /* of dims of self that out lacks */
    int64_t (*index)(const struct source *source, uint32_t out_dim, int64_t index);
    int64_t begin[OPERAND_RANK_MAX], step[OPERAND_RANK_MAX]; /* by dim of out: what index works with */
    unsigned char value[16];                                 /* where the index is not in self */
};

static inline void expect_moved(const void *context, int64_t i, unsigned char *element)
{
    const struct source *source = (const struct source *)context;
    int64_t index[OPERAND_RANK_MAX], number = 0;
    memcpy(index, source->fixed, sizeof index);
    bool is_inside = true;
    for (uint32_t k = source->out.rank; k-- > 0; i /= source->out.shape[k]) {
        if (source->dim[k] < 0)
            continue;
        const int64_t from = source->index(source, k, i % source->out.shape[k]);
        is_inside = is_inside && from >= 0 && from < source->self.shape[source->dim[k]];
        index[source->dim[k]] = from;
    }
    for (uint32_t k = 0; k < source->self.rank; k++)
        number = number * source->self.shape[k] + index[k];
    memcpy(element, is_inside ? element_of(arena[source->self.arena], &source->self, number) : source->value,
           dtype_bytes(source->out.dtype));
}

static inline int64_t stepped(const struct source *source, uint32_t k, int64_t index)
{
    return source->begin[k] + index * source->step[k];
}

/* self as drawn, out of the same dims; layouts come last, when shapes are known. */
static inline struct source draw_self(const char *name, unsigned self, uint32_t least_rank,
                                      uint32_t most_rank)
{
    struct source source = {.index = stepped};
    int64_t shape[OPERAND_RANK_MAX];
    const uint32_t rank = draw_shape(shape, least_rank, most_rank);
    source.self = view_of(1, draw_dtype_of(name, self), rank, shape);
    source.out = source.self;
    for (uint32_t k = 0; k < rank; k++) {
        source.dim[k] = k;
        source.step[k] = 1;
    }
    return source;
}

static inline void draw_layouts(struct source *source)
{
    const unsigned in = random_below(3) == 0 ? 0 : 1;
    source->self = drawn_view(in, source->self.dtype, source->self.rank, source->self.shape);
    source->out = drawn_view(0, source->self.dtype, source->out.rank, source->out.shape);
    if (random_below(5) == 0 && source->self.rank > 0)
        source->self.stride[random_below(source->self.rank)] = 0;
    fill_bytes(0, bytes_of(&source->out) + bytes_of(&source->self) + 64);
    fill_bytes(1, bytes_of(&source->self));
}

static inline int64_t either_way(int64_t dim, uint32_t rank)
{
    return random_below(2) == 0 ? dim : dim - (int64_t)rank;
}

static inline int64_t modulo(int64_t value, int64_t size)
{
    return (value % size + size) % size;
}

/* Another array in a call that was accepted: attempt.h comes before. */
static inline void set_ints(struct attempt *attempt, unsigned parameter, const int64_t *value, uint64_t count)
{
    assert_int_equal(aclDestroyIntArray(attempt->argument[parameter].ints), 0);
    attempt->argument[parameter] = int_array(value, count);
}

#endif
