/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of rows that lie in memory of the task by a weight of the call: FLOAT out of floats, as all
 * products are summed, or out of whole numbers, exact in INT32, or of floats of 8 bits, both then scaled by
 * columns and rows in DOUBLE (contraction/scaled.h).
 */
#ifndef BELAY_OPS_CONTRACTION_MEMORY_PRODUCT_H
#define BELAY_OPS_CONTRACTION_MEMORY_PRODUCT_H

#include "base/processor.h"
#include "ops/contraction/contraction.h"
#include "ops/contraction/scaled.h"
#include "ops/port.h"

/* No parameter. */
enum { NO_PART = UINT8_MAX };

struct rank_product {
    enum isa_level isa;
    uint32_t threads;
    aclDataType dtype; /* of the rows; INT8 of INT4, too */
    uint64_t columns, depth;
    uint64_t parts,
        part; /* of the depth, each with scales of rows of its own; their size, 0: the same for all */
    /* Rows that have their scales behind them, so many bytes from their first: FLOAT, or pairs of MX. */
    uint64_t row_bytes, scales_at;
    struct contraction_matrix right,
        bias;             /* of floats; strides of the weight: along columns, along the depth */
    struct numbers whole; /* of what is scaled, columns by the depth */
    struct factors whole_bias, column_scale;
    struct port row_scale, addend;
    bool has_bias, is_bias_whole, has_row_scale, row_scale_is_one, has_addend;
    bool is_made; /* `right` is FLOAT, made of `whole`: (number + offset) * scale, each operation in FLOAT */
    struct factors made_scale, made_offset; /* by groups of the depth, so many steps each, and columns */
    uint64_t made_group;
};

/* The weight is [depth, columns], or the other way round where it turns; has dims of its own in front where
 * there are several, of which the first is taken. */
void set_product(struct rank_product *product, const struct call *call, aclDataType dtype, unsigned weight,
                 bool turns);

/* The same of rows of floats by a weight of whole numbers, whose scale, and offset or NO_PART, are one element,
 * one for each column, or rows of these for groups of the depth. */
void set_made_product(struct rank_product *product, const struct call *call, aclDataType dtype,
                      unsigned weight, unsigned scale, unsigned offset, uint64_t group);

/* What comes behind the sums: parameters, or NO_PART. */
void set_ends(struct rank_product *product, const struct call *call, unsigned bias, unsigned column_scale,
              unsigned row_scale, unsigned addend);

/* Factors of columns: one for each, or one for all. */
struct factors column_factors(const struct call *call, unsigned parameter);

/* The scales of the own rows. */
void bring_row_scales(const struct rank_product *product, void *const *address, uint64_t rows, double *to);

size_t product_bytes(const struct rank_product *product);

/* to[row * columns + column], for rows whose numbers among all that there are begin with first. Scales of whole
 * rows are those in memory, `parts` for each row; where this is NULL they have none. The weight is `skip`
 * elements behind the first. */
void product_run(const struct rank_product *product, void *const *address, const void *left,
                 const double *scale, uint64_t first, uint64_t rows, int64_t skip, float *to, void *scratch);

#endif
