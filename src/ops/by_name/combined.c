/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What rows of indices name, multiplied or divided by what comes there, or the greatest or the smallest of
 * all, by name: places of a tensor, and segments of rows.
 */
#include "ops/by_name/program.h"
#include "ops/index/index_nd.h"
#include "ops/signature.h"

#define COMBINE_ROWS(X, of)                                              \
    X(of, BOTH, target, &dtypes_floats_integers, .is_partly_read = true) \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "4x1:INT64")       \
    X(of, IN, updates, &dtypes_floats_integers, .sample = "4x3")         \
    X(of, INT64, how)
SIGNATURE(COMBINE_ROWS)

static const struct index_nd combines = {BY_INDEX_SUM, COMBINE_ROWS_how};
KIND_FUNCTION(CombineRows, COMBINE_ROWS, .stem = "combine_rows", INDEX_ND(combines, promise_sum));

/* Multiplied, or the greatest or the smallest, as aclnnScatter counts these. */
#define COMBINED(name, how)                                                              \
    KIND("Scatter" name, 3, 1, 0, "own CombineRows x0 x1/a x2 " how "; copy y0 x0"),     \
        KIND("ScatterNd" name, 3, 1, 0, "own CombineRows x0 x1 x2 " how "; copy y0 x0"), \
        KIND("TensorScatter" name, 3, 1, 0, "copy y0 x0; own CombineRows y0 x1 x2 " how)
/* t1: what x0 or y0 is divided by at each place, the product of all. */
#define DIVISORS(of, rows) "like t0 " of "; InplaceOne t0; own CombineRows t0 " rows " x2 2; "
#define DIVIDED(of)        "?@floats Div " of " t0 t1; !@floats DivMod " of " t0 1 t1; copy "
/* Segments without a row have what changes nothing; rows whose number is below 0 have none. */
#define SEGMENTS(empty, how) \
    "InplaceFillScalar y0 " empty "; ClampMin x1 -1 t0; own CombineRows y0 t0/a x0 " how

static struct named_operator kinds[] = {
    COMBINED("Mul", "2"),
    COMBINED("Max", "3"),
    COMBINED("Min", "4"),
    KIND("ScatterDiv", 3, 1, 0, DIVISORS("x0", "x1/a") DIVIDED("x0") "x0 t1; copy y0 x0"),
    KIND("ScatterNdDiv", 3, 1, 0, DIVISORS("x0", "x1") DIVIDED("x0") "x0 t1; copy y0 x0"),
    KIND("TensorScatterDiv", 3, 1, 0, DIVISORS("x0", "x1") DIVIDED("x0") "y0 t1"),
    KIND("UnsortedSegmentMax", 3, 1, 0, SEGMENTS("@lowest", "3")),
    KIND("UnsortedSegmentMin", 3, 1, 0, SEGMENTS("@greatest", "4")),
    KIND("UnsortedSegmentProd", 3, 1, 0, SEGMENTS("1", "2")),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&CombineRows_function);
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
