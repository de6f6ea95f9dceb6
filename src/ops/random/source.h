/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the functions that make elements by their numbers have random bits from: seed and offset as numbers,
 * or in tensors that are read when the work runs.
 */
#ifndef BELAY_OPS_RANDOM_SOURCE_H
#define BELAY_OPS_RANDOM_SOURCE_H

#include "ops/loops/numbered.h"
#include "ops/random/draw.h"

struct random_source {
    draw_words_function *words;
    draw_function *draw, *exponential;
    uint64_t seed, offset;
    bool has_tensors;            /* whose numbers take the place of seed, and are added to offset: */
    unsigned seed_at, offset_at; /* among the inputs of the walk */
};

/*
 * The parameter is a seed, and the next one an offset; where they are tensors, a number that is added to the
 * offset comes behind them. These have one element and a dtype of their sets.
 */
aclnnStatus random_check_source(const struct call *call, unsigned seed);

/* Adds the tensors to the request's inputs. */
struct random_source random_source_of(const struct call *call, unsigned seed,
                                      struct numbered_request *request);

/* What a source whose seed and offset are numbers draws, for functions that run otherwise. */
struct draw random_draw_of(const struct random_source *source, const void *seed, const void *offset);

/* While the work runs: with base 0, scale 1 and no limit. */
struct draw random_draw(const struct numbered_walk *walk, const struct random_source *source);

/* Words from a number on that DRAW_ELEMENTS_MAX divides; room is for as many as that divides again. */
void random_words(const struct numbered_walk *walk, const struct random_source *source, uint64_t at,
                  uint64_t count, uint32_t *word);

/* The parameters at the end of what has numbers, and of what has tensors. */
#define SEED_NUMBERS(X, of) X(of, INT64, seed, .usual = "0") X(of, INT64, offset, .usual = "0")
#define SEED_TENSORS(X, of)                                     \
    X(of, IN, seedTensor, &dtypes_int64, .sample = "1:INT64")   \
    X(of, IN, offsetTensor, &dtypes_int64, .sample = "1:INT64") \
    X(of, INT64, offset, .usual = "0")

#endif
