/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an elementwise function tells the loops of its kernels: how it computes in each kind of register. Two
 * loops take it: simd/loops/blocks.h is compiled once for all dtypes of a function, and simd/loops/map.h, for
 * functions of which many programs are made, once for each of their ways.
 */
#ifndef BELAY_SIMD_LOOPS_FORMULA_H
#define BELAY_SIMD_LOOPS_FORMULA_H

#include "simd/maths/unsettled.h"
#include "simd/vector/vector.h"

/* The functions of a formula have one signature each, and not every one needs all of it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/*
 * prepared is what the contract prepared for the kernels, or constant. Members that a formula does not have
 * are NULL: then there is no such way.
 */
struct formula {
    int inputs; /* where there is one the functions that map.h calls see it as the second one, too */
    /* LANES elements of each input: exactly 0, infinite or NaN where the result is, and otherwise rounded to
     * every dtype as the exact result is; with settle a relative error of at most ESTIMATE_ERROR will do. */
    doubles (*doubles)(const doubles *x, const void *prepared);
    /* The same without a branch, so that several can be computed in turn, where is_odd has no lane set; none of these
     * numbers is NaN. For a doubles whose steps wait for each other, both or neither; blocks.h alone takes them. */
    doubles (*usual)(const doubles *x, const void *prepared);
    longs (*is_odd)(const doubles *x);
    /* The same for DOUBLE, where that needs more than narrower dtypes do; blocks.h alone takes it. */
    doubles (*wide)(const doubles *x, const void *prepared);
    /* A double that rounds to every narrower dtype as the exact result does. Only lanes with a finite
     * value other than 0 are used. */
    doubles (*settle)(const doubles *x, doubles value, const void *prepared);
    /* In registers of fp32, within what the function promises for FLOAT. blocks.h alone takes it, for FLOAT
     * and for 16 bits, which are left to doubles where 2 units in the last place of fp32 would matter. */
    vector (*floats)(const vector *x, const void *prepared);
    /* Without floats: the same loop, by doubles. For a formula that takes no longer than to convert its inputs. */
    bool floats_by_doubles;
    /* floats gives the exact result rounded once, and so it is in 16 bits, too, after it has been rounded to these:
     * FLOAT has twice the bits of 16-bit numbers and two more, which is enough for products, quotients and roots of
     * them; subnormal ones have fewer, but those of 16 bits, too. So is what is 0 or an input. */
    bool floats_round_once;
    /*
     * What follows map.h alone takes. In registers of fp32, for every dtype but fp64. fast and lanes16 are
     * asked in two ways, unsettled->path, a constant: for a whole block the quick one, that only has to be
     * sure of ordinary numbers, and where that had any doubt the one for any number, which names the lanes
     * that it cannot settle. Where both are sure they give the same bits. Inlined.
     */
    vector (*fast)(const vector *input, const void *prepared, struct unsettled *unsettled);
    /* The quick way of 16 bits for PAIR_LANES elements, from where each input has them in memory; without
     * fast the other way, too, which then leaves no doubt. Inlined. */
    lanes16 (*lanes16)(const char *const *source, const void *prepared, struct unsettled *unsettled);
    /* Results are not rounded once, so that every level has to take fast, and doubles only for lanes that
     * fast leaves in doubt on all of them. */
    bool fast_decides;
    /* NULL, or what the functions get as prepared, a constant: of functions that share them. */
    const void *constant;
    /* How many pairs a block has; 0: as many as light work can use. Fewer leave registers for the steps of
     * heavy work. */
    int pairs;
};

/* Its functions: `static VECTOR_WAY fast_fp32(WAY) {...}`. */
#define WAY        const vector *input, const void *prepared, struct unsettled *unsettled
#define WAY_16     const char *const *source, const void *prepared, struct unsettled *unsettled
#define VECTOR_WAY inline __attribute__((always_inline)) vector
#define LANES_WAY  inline __attribute__((always_inline)) lanes16

/* Arguments in parentheses without these: members of a formula that several have in common. */
#define MEMBERS(...) __VA_ARGS__

#endif
