/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an operator tells the loop of elementwise kernels, simd/map.h: the ways in which it can compute.
 */
#ifndef BELAY_SIMD_EVALUATION_H
#define BELAY_SIMD_EVALUATION_H

#include "simd/doubts.h"
#include "simd/late.h"
#include "simd/vector.h"

enum { EXTREME_LAST = 5 };

/*
 * How one operator computes. Both functions see LANES elements of each input as doubles and what the kernel
 * prepared from the operator's parameters.
 */
struct evaluation {
    int inputs;
    /* The result with a relative error of at most ESTIMATE_ERROR; exactly 0, infinite or NaN where the result
     * is. Where settle is NULL the estimate must round to every dtype as the exact result does. */
    doubles (*estimate)(const doubles *input, const void *prepared);
    /* A double that rounds to every narrower dtype as the exact result does. Only lanes with a finite
     * estimate other than 0 are used. */
    doubles (*settle)(const doubles *input, doubles estimate, const void *prepared);
    /* The result in fp32 for fp32, or doubts about it; NULL: there is no such way, or not with these
     * parameters. It is asked in two ways, doubts->is_careful, a constant: for a block of many vectors the
     * quick one, that only has to be sure of ordinary numbers; and where that had any doubt the careful one,
     * for fewer at a time, which should be sure of all but single elements. Both give the same results.
     * Inlined. */
    wide (*fast)(const wide *input, const void *prepared, struct doubts *doubts);
    /* NULL, or the quick way for a block of 16 bits, without a branch: as map_fast, but it always writes, and
     * returns the lanes of a pair of registers in which there is any doubt, those of both registers in turn.
     * block_by_fast() is one. Inlined. */
    uint32_t (*block)(enum arithmetic dtype, const char *const *source, char *target, size_t offset,
                      const void *prepared, bool streams);
    /* What is less than a block takes the quick way, too: fewer steps from load to store, which small
     * operators wait for. With block, few does that for one pair and for two; any doubt makes it false. */
    bool has_quick_rest;
    bool (*few[2])(enum arithmetic dtype, const char *const *source, char *target, size_t offset);
    /* NULL, or map_rest() of this, not inlined, so that the loop over blocks keeps the registers. */
    void (*rest)(const void *const *input, void *output, size_t bytes, const void *prepared);
    /* NULL, or what takes blocks that have too many doubts. *care is 0 for the first after one that block
     * took, and what it left there for the next. */
    bool (*other_block)(enum arithmetic dtype, const char *const *source, char *target, size_t offset,
                        int *care, struct late *late, bool streams);
    /* NULL, or what fast does for 16 bits from PAIR_LANES elements of each input; where it is careful it has
     * no doubts. */
    narrow (*narrow)(const narrow *input, const void *prepared, struct doubts *doubts);
    /* How extreme the inputs are, 0 to 4, which doubts.extreme, a constant, tells the careful way; the most
     * extreme vector of several decides. EXTREME_LAST is for what is in doubt even then: the most careful
     * way, for all inputs. NULL: there is but one careful way. */
    int (*extreme)(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors);
    /* Where doubts.extreme is 1 the quick way is one for nothing but subnormal gradients: input 0, of fp32 or
     * bf16. */
    bool has_small;
    /* Where doubts.extreme is 3 or 4, the quick ways are ones for subnormal gradients beside others and for
     * infinite ones and NaN: simd/any_gradient.h. Of narrow 3 is for both. */
    bool has_any;
    /* NULL, or a loop of its own over as many whole blocks as it has no doubts about, whose gradients may be
     * any: the bytes that are done. MAP_ANY_BLOCKS defines one. Inlined, what it calls is not. */
    size_t (*any_blocks)(const char *const *source, char *target, size_t offset, size_t end,
                         const void *prepared, bool streams);
    /* Not 0: where doubts.extreme is 2 the quick way is one for all x, input 1 of fp32, and pays where some
     * are beyond this. */
    float far;
    /* Where results stream, inputs are asked for ahead: pays where arithmetic takes about as long as memory,
     * or the processor does not foresee what is read. */
    bool asks_ahead;
    /* The result is what the careful way gives, which has no doubts: every level takes it, by map_wide(), and
     * there is no other one. */
    bool fast_decides;
};

#endif
