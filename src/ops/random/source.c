/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Seeds and offsets, and the words that follow from them.
 */
#include "ops/random/source.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "simd/vector/level_table.h"
#include "ops/dtypes.h"

static bool has_tensors(const struct call *call, unsigned seed)
{
    return call->function->parameter[seed].kind == PARAMETER_TENSOR;
}

aclnnStatus random_check_source(const struct call *call, unsigned seed)
{
    for (unsigned i = seed; has_tensors(call, seed) && i < seed + 2; i++) {
        TRY(check_dtype(call, i));
        TRY(check_one_element(call, i));
    }
    return ACLNN_SUCCESS;
}

LEVEL_TABLE(draw_words_function, words, draw_words);
LEVEL_TABLE(draw_function, draws, draw);
LEVEL_TABLE(draw_function, exponentials, draw_exponential);

struct random_source random_source_of(const struct call *call, unsigned seed,
                                      struct numbered_request *request)
{
    const enum isa_level level = call->settings->isa;
    struct random_source source = {.words = words[level],
                                   .draw = draws[level],
                                   .exponential = exponentials[level],
                                   .has_tensors = has_tensors(call, seed)};
    if (!source.has_tensors) {
        source.seed = (uint64_t)call->argument[seed].int64;
        source.offset = (uint64_t)call->argument[seed + 1].int64;
        return source;
    }
    source.offset = (uint64_t)call->argument[seed + 2].int64;
    if (request == NULL)
        return source;
    source.seed_at = request->input_count;
    numbered_add_input(request, call, seed, false);
    source.offset_at = request->input_count;
    numbered_add_input(request, call, seed + 1, false);
    return source;
}

struct draw random_draw_of(const struct random_source *source, const void *seed, const void *offset)
{
    struct draw draw = {
        .seed = source->seed, .offset = source->offset, .scale = 1, .limit = (double)__builtin_inf()};
    uint64_t more = 0;
    if (source->has_tensors) {
        memcpy(&draw.seed, seed, sizeof draw.seed);
        memcpy(&more, offset, sizeof more);
        draw.offset += more;
    }
    return draw;
}

struct draw random_draw(const struct numbered_walk *walk, const struct random_source *source)
{
    return source->has_tensors ? random_draw_of(source, numbered_first(walk, source->seed_at),
                                                numbered_first(walk, source->offset_at))
                               : random_draw_of(source, NULL, NULL);
}

void random_words(const struct numbered_walk *walk, const struct random_source *source, uint64_t at,
                  uint64_t count, uint32_t *word)
{
    const struct draw draw = random_draw(walk, source);
    uint64_t block = at / 4;
    for (uint64_t done = 0; done < count; done += DRAW_ELEMENTS_MAX, block += DRAW_BLOCKS)
        source->words(&draw, block, word + done);
}
