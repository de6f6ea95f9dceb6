/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of dtypes that have no kernels of their own: sums in INT64, which wrap, in DOUBLE, in COMPLEX128,
 * or of truth, where a product is and, a sum or. A sum begins with 0 and takes the products in the order of
 * the common dim; alpha and beta, which complex numbers do not have, come after it, and the result is rounded
 * once to the dtype that the operands promote to.
 */
#include "ops/contraction/plain_product.h"

#include <string.h>

#include "ops/canonical.h"
#include "ops/loops/tasks.h"
#include "ops/scalar.h"
#include "ops/transfer.h"
#include "tensor/dtype.h"

enum { TILE_ROWS = 8, TILE_COLUMNS = 64, WIDE_BYTES = 16, PRODUCT_PS = 2500 };

/* Elements in the dtype that sums are made in. */
union wide {
    double real[2 * TILE_COLUMNS];
    uint64_t whole[TILE_COLUMNS];
    uint8_t truth[TILE_COLUMNS];
    unsigned char bytes[WIDE_BYTES * TILE_COLUMNS];
};

struct plain_product {
    struct contraction of; /* first: what contraction_run is given */
    const struct transfer *transfer;
    aclDataType computed, wide;
    union wide_number {
        double real;
        uint64_t whole;
        uint8_t truth;
    } alpha, beta; /* not of complex numbers */
};

static aclDataType wide_of(aclDataType dtype)
{
    return dtype == ACL_BOOL                                           ? ACL_BOOL
           : dtype_is_one_of(dtype, DTYPES_INTEGERS | DTYPES_NATURALS) ? ACL_INT64
           : dtype_is_one_of(dtype, DTYPES_COMPLEX)                    ? ACL_COMPLEX128
                                                                       : ACL_DOUBLE;
}

/* By way of the dtype that is computed in, which elements and scalars are read in and results rounded to. */
static void convert(const struct plain_product *plan, const void *from, aclDataType from_dtype, void *to,
                    aclDataType to_dtype, uint64_t count)
{
    _Alignas(16) unsigned char between[WIDE_BYTES * TILE_COLUMNS];
    if (from_dtype == to_dtype) {
        memcpy(to, from, (size_t)count * dtype_bytes(to_dtype));
        return;
    }
    if (from_dtype == plan->computed || to_dtype == plan->computed) {
        plan->transfer->convert(from, from_dtype, to, to_dtype, (size_t)count);
        return;
    }
    plan->transfer->convert(from, from_dtype, between, plan->computed, (size_t)count);
    if (plan->computed == to_dtype)
        memcpy(to, between, (size_t)count * dtype_bytes(to_dtype));
    else
        plan->transfer->convert(between, plan->computed, to, to_dtype, (size_t)count);
}

/* At most TILE_COLUMNS elements of a matrix, as many bytes apart. */
static void read_wide(const struct plain_product *plan, const struct contraction_matrix *matrix,
                      const unsigned char *first, int64_t stride, uint64_t count, union wide *to)
{
    _Alignas(16) unsigned char element[WIDE_BYTES * TILE_COLUMNS] = {0};
    const uint32_t bytes = matrix->bytes;
    for (uint64_t i = 0; i < count; i++)
        memcpy(element + i * bytes, first + (int64_t)i * stride * (int64_t)bytes, bytes);
    convert(plan, element, matrix->dtype, to, plan->wide, count);
    for (uint64_t i = 0; plan->wide == ACL_BOOL && i < count; i++) /* any byte but 0 is true */
        to->truth[i] = to->truth[i] != 0;
}

/* What one task computes: rows and columns of one matrix of the batch. */
struct tile {
    const struct plain_product *plan;
    const unsigned char *left, *right, *self;
    unsigned char *out;
    uint64_t row, column, rows, columns;
};

static const unsigned char *place(const struct contraction_matrix *matrix, const unsigned char *first,
                                  uint64_t i, uint64_t j)
{
    return first + ((int64_t)i * matrix->stride[0] + (int64_t)j * matrix->stride[1]) * (int64_t)matrix->bytes;
}

static void add_products(aclDataType wide, const union wide *left, uint64_t row, const union wide *right,
                         uint64_t columns, union wide *sum)
{
    const double a = left->real[2 * row], b = left->real[2 * row + 1];
    for (uint64_t c = 0; wide == ACL_COMPLEX128 && c < columns; c++) {
        const double x = right->real[2 * c], y = right->real[2 * c + 1];
        sum->real[2 * c] += a * x - b * y;
        sum->real[2 * c + 1] += a * y + b * x;
    }
    for (uint64_t c = 0; wide == ACL_DOUBLE && c < columns; c++)
        sum->real[c] += left->real[row] * right->real[c];
    for (uint64_t c = 0; wide == ACL_INT64 && c < columns; c++)
        sum->whole[c] += left->whole[row] * right->whole[c];
    for (uint64_t c = 0; wide == ACL_BOOL && c < columns; c++)
        sum->truth[c] |= left->truth[row] & right->truth[c];
}

/* sum = alpha sum + beta self, or alpha sum alone. */
static void add_self(const struct plain_product *plan, const union wide *self, uint64_t columns,
                     union wide *sum)
{
    const union wide_number *alpha = &plan->alpha, *beta = &plan->beta;
    const bool has_self = plan->of.has_self;
    for (uint64_t c = 0; plan->wide == ACL_DOUBLE && c < columns; c++)
        sum->real[c] = alpha->real * sum->real[c] + (has_self ? beta->real * self->real[c] : 0);
    for (uint64_t c = 0; plan->wide == ACL_INT64 && c < columns; c++)
        sum->whole[c] = alpha->whole * sum->whole[c] + (has_self ? beta->whole * self->whole[c] : 0);
    for (uint64_t c = 0; plan->wide == ACL_BOOL && c < columns; c++)
        sum->truth[c] = (alpha->truth & sum->truth[c]) | (has_self ? beta->truth & self->truth[c] : 0);
}

static void write_row(const struct tile *tile, uint64_t row, union wide *sum)
{
    const struct plain_product *plan = tile->plan;
    const struct contraction_matrix *out = &plan->of.out;
    _Alignas(16) unsigned char element[WIDE_BYTES * TILE_COLUMNS];
    if (plan->wide == ACL_COMPLEX128 || plan->wide == ACL_DOUBLE)
        canonical_nans(sum->real, (size_t)tile->columns * (plan->wide == ACL_COMPLEX128 ? 2 : 1));
    convert(plan, sum, plan->wide, element, out->dtype, tile->columns);
    for (uint64_t c = 0; c < tile->columns; c++) {
        const int64_t at =
            (int64_t)(tile->row + row) * out->stride[0] + (int64_t)(tile->column + c) * out->stride[1];
        memcpy(tile->out + at * (int64_t)out->bytes, element + c * out->bytes, out->bytes);
    }
}

static void compute_tile(const struct tile *tile)
{
    const struct plain_product *plan = tile->plan;
    const struct contraction *of = &plan->of;
    union wide sum[TILE_ROWS], left, right, self;
    memset(sum, 0, sizeof sum);
    for (uint64_t k = 0; k < of->depth; k++) {
        read_wide(plan, &of->left, place(&of->left, tile->left, tile->row, k), of->left.stride[0], tile->rows,
                  &left);
        read_wide(plan, &of->right, place(&of->right, tile->right, tile->column, k), of->right.stride[0],
                  tile->columns, &right);
        for (uint64_t r = 0; r < tile->rows; r++)
            add_products(plan->wide, &left, r, &right, tile->columns, &sum[r]);
    }
    for (uint64_t r = 0; r < tile->rows; r++) {
        if (of->has_self)
            read_wide(plan, &of->self, place(&of->self, tile->self, tile->row + r, tile->column),
                      of->self.stride[1], tile->columns, &self);
        add_self(plan, &self, tile->columns, &sum[r]);
        write_row(tile, r, &sum[r]);
    }
}

struct plain_run {
    const struct plain_product *plan;
    struct contraction_places places;
};

static int64_t batch_bytes(const struct contraction *of, const struct contraction_matrix *matrix,
                           uint64_t batch)
{
    int64_t offset = 0;
    for (uint32_t axis = of->batch_axes; axis-- > 0; batch /= of->batch_size[axis])
        offset += (int64_t)(batch % of->batch_size[axis]) * matrix->batch_stride[axis];
    return offset * (int64_t)matrix->bytes;
}

static void take_tile(void *context, uint64_t number)
{
    const struct plain_run *run = (const struct plain_run *)context;
    const struct contraction *of = &run->plan->of;
    const uint64_t across = of->tiles_across, down = of->tiles_down, batch = number / across / down;
    struct tile tile = {.plan = run->plan,
                        .left = run->places.left + batch_bytes(of, &of->left, batch),
                        .right = run->places.right + batch_bytes(of, &of->right, batch),
                        .self = run->places.self,
                        .out = run->places.out + batch_bytes(of, &of->out, batch),
                        .row = number / across % down * TILE_ROWS,
                        .column = number % across * TILE_COLUMNS};
    if (of->has_self)
        tile.self += batch_bytes(of, &of->self, batch);
    tile.rows = of->rows - tile.row < TILE_ROWS ? of->rows - tile.row : TILE_ROWS;
    tile.columns = of->columns - tile.column < TILE_COLUMNS ? of->columns - tile.column : TILE_COLUMNS;
    compute_tile(&tile);
}

static void plain_run(const struct contraction *of, const struct contraction_places *places)
{
    struct plain_run run = {(const struct plain_product *)(const void *)of, *places};
    tasks_run(take_tile, &run, of->tile_count, 1, of->cost_ns);
}

/* A real scalar in the dtype that is computed in, and then as sums are. */
static void set_number(const struct plain_product *plan, const struct scalar_value *scalar,
                       union wide_number *number)
{
    _Alignas(16) unsigned char element[WIDE_BYTES];
    scalar_convert(scalar, plan->computed, element);
    convert(plan, element, plan->computed, number, plan->wide, 1);
}

aclnnStatus plain_product_plan(const struct call *call, const struct contraction *of, aclDataType computed,
                               const struct scalar_value *alpha, const struct scalar_value *beta)
{
    struct plain_product plan = {.of = *of,
                                 .transfer = transfer_of(call->settings->isa),
                                 .computed = computed,
                                 .wide = wide_of(computed)};
    if (plan.wide != ACL_COMPLEX128) {
        set_number(&plan, alpha, &plan.alpha);
        set_number(&plan, beta, &plan.beta);
    }
    plan.of.plain = plain_run;
    plan.of.tiles_down = (of->rows + TILE_ROWS - 1) / TILE_ROWS;
    plan.of.tiles_across = (of->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    plan.of.tile_count = plan.of.tiles_down * plan.of.tiles_across;
    for (uint32_t axis = 0; axis < of->batch_axes; axis++)
        plan.of.tile_count *= of->batch_size[axis];
    const double products = (double)plan.of.tile_count * TILE_ROWS * TILE_COLUMNS * (double)(of->depth + 1);
    plan.of.cost_ns = (uint64_t)(products < 1e15 ? products * PRODUCT_PS / 1000 : 1e15);
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    contraction_may_be_in_place(&plan.of, content);
    content->cost_ns = plan.of.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}
