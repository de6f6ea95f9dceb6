/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What contraction computes with, compiled once for each instruction-set level with KERNEL_PASS set to its
 * name.
 */
#include "ops/contraction/contraction.h"

#ifdef KERNEL_PASS
#include "ops/contraction/pairs.h"
#include "ops/contraction/single_row.h"
#include "simd/vector/level_table.h"
#include "ops/contraction/finish.h"
#include "ops/contraction/multiply.h"
#include "ops/contraction/panel.h"

static contraction_multiply *const packed[2][14] = {FOR_ROWS(ENTRY_ROWS, 1) FOR_ROWS(ENTRY_ROWS, 2)};
static contraction_multiply *const direct[2][14] = {FOR_DIRECT_ROWS(ENTRY_DIRECT, 1)
                                                        FOR_DIRECT_ROWS(ENTRY_DIRECT, 2)};
static contraction_multiply *const exact[2][14] = {FOR_EXACT_ROWS(ENTRY_EXACT, 1)
                                                       FOR_EXACT_ROWS(ENTRY_EXACT, 2)};
static contraction_multiply *const placed[14] = {FOR_ROWS(ENTRY_PLACED, 2)};
static contraction_multiply *const direct_placed[14] = {FOR_DIRECT_ROWS(ENTRY_DIRECT_PLACED, 2)};
static contraction_multiply *const spread[2][14] = {FOR_DIRECT_ROWS(ENTRY_SPREAD, 1)
                                                        FOR_DIRECT_ROWS(ENTRY_SPREAD, 2)};
static contraction_multiply *const placed_exact[14] = {FOR_EXACT_ROWS(ENTRY_PLACED_EXACT, 2)};
#if defined(__AVX512F__)
static contraction_multiply *const direct_halves[2][14] = {FOR_DIRECT_ROWS(ENTRY_HALVES, 1)
                                                               FOR_DIRECT_ROWS(ENTRY_HALVES, 2)};
static contraction_multiply *const pairs[2][14] = {FOR_ROWS(ENTRY_PAIRS, 1) FOR_ROWS(ENTRY_PAIRS, 2)};
static contraction_multiply *const direct_pairs[2][14] = {FOR_DIRECT_ROWS(ENTRY_DIRECT_PAIRS, 1)
                                                              FOR_DIRECT_ROWS(ENTRY_DIRECT_PAIRS, 2)};
#endif

extern const struct contraction_kernels AT_LEVEL(contraction_kernels);
const struct contraction_kernels AT_LEVEL(contraction_kernels) = {
    .vector_lanes = VECTOR_LANES,
    .lane_block = LANE_BLOCK,
    .rows_max = ROWS_MAX,
    .rows_direct_max = ROWS_DIRECT,
    .rows_exact_max = ROWS_EXACT,
    .packed = packed,
    .direct = direct,
    .exact = exact,
    .placed = placed,
    .direct_placed = direct_placed,
    .spread = spread,
    .placed_row = multiply_placed_row,
    .placed_exact = placed_exact,
#if defined(__AVX512F__)
    .direct_halves = direct_halves,
    .pairs = pairs,
    .direct_pairs = direct_pairs,
    .pack_pairs = pack_pairs,
    .are_ordinary = steps_are_ordinary,
#endif
    .wide = multiply_wide,
    .wide_bytes = WIDE_BYTES,
#if defined(__AVX2__)
    .across = multiply_row_across,
#endif
    .pack = pack_strided,
    .widen = widen_rows,
    .finish = finish_tile,
};

#endif
