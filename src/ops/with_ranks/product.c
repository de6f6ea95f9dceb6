/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of rows in memory by weights.
 */
#include "ops/with_ranks/product.h"

#include <string.h>

#include "ops/contraction/int8_product.h"
#include "ops/contraction/scale_bits.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "simd/vector/level_table.h"
#include "tensor/scratch.h"

enum { PIECE = 512, MULTIPLIED_PER_NS = 8 };

LEVEL_TABLE(int8_dots, dots, int8_dots);

void set_product(struct rank_product *product, const struct call *call, aclDataType dtype, unsigned weight,
                 bool turns)
{
    const struct tensor_view *view = &call->tensor[weight];
    struct tensor_view right = *view; /* columns, then the depth */
    const uint32_t rows = view->rank - 2 + (turns ? 1 : 0), columns = view->rank - 2 + (turns ? 0 : 1);
    right.rank = 2;
    right.shape[0] = view->shape[columns], right.stride[0] = view->stride[columns];
    right.shape[1] = view->shape[rows], right.stride[1] = view->stride[rows];
    right.count = right.shape[0] * right.shape[1];
    product->isa = call->settings->isa;
    product->threads = call->settings->thread_count;
    product->dtype = dtype;
    product->columns = (uint64_t)right.shape[0];
    product->depth = (uint64_t)right.shape[1];
    product->right = (struct contraction_matrix){.dtype = view->dtype,
                                                 .bytes = dtype_bytes(view->dtype),
                                                 .stride = {right.stride[0], right.stride[1]},
                                                 .address = call->first_operand[weight]};
    if (dtype == ACL_INT8)
        product->columns_of_right =
            port_of_view(transfer_of(call->settings->isa), &right, call->first_operand[weight], ACL_INT8);
}

void set_ends(struct rank_product *product, const struct call *call, unsigned bias, unsigned column_scale,
              unsigned row_scale, unsigned addend)
{
    product->has_bias = bias != NO_PART;
    product->has_column_scale = column_scale != NO_PART;
    product->has_row_scale = row_scale != NO_PART;
    product->has_addend = addend != NO_PART;
    if (product->has_bias && product->dtype == ACL_INT8) {
        product->whole_bias = port_of(call, bias, ACL_DOUBLE);
        product->is_bias_whole = call->tensor[bias].dtype == ACL_INT32;
    } else if (product->has_bias) {
        const struct tensor_view *view = &call->tensor[bias];
        product->bias = (struct contraction_matrix){.dtype = view->dtype,
                                                    .bytes = dtype_bytes(view->dtype),
                                                    .stride = {0, view->stride[view->rank - 1]},
                                                    .address = call->first_operand[bias]};
    }
    if (product->has_column_scale) {
        const aclDataType dtype = call->tensor[column_scale].dtype;
        product->has_bits = dtype == ACL_INT64 || dtype == ACL_UINT64;
        product->column_scale_is_one = call->tensor[column_scale].count == 1;
        product->column_scale = port_of(call, column_scale, product->has_bits ? dtype : ACL_DOUBLE);
    }
    if (product->has_row_scale) {
        product->row_scale_is_one = call->tensor[row_scale].count == 1;
        product->row_scale = port_of(call, row_scale, ACL_DOUBLE);
    }
    if (product->has_addend)
        product->addend = port_of(call, addend, ACL_FLOAT);
}

size_t product_bytes(const struct rank_product *product)
{
    return whole_lines(product->dtype == ACL_INT8
                           ? (size_t)(product->columns * product->depth)
                           : contraction_most_bytes(product->isa, product->threads, product->depth));
}

struct scaling {
    const struct rank_product *product;
    void *const *address;
    const double *scale;
    uint64_t first;
    float *to;
};

static void bring_some(const struct port *port, void *const *address, bool is_one, uint64_t at,
                       uint64_t count, double *to)
{
    port_bring(port, address, is_one ? 0 : at, is_one ? 1 : count, to);
    for (uint64_t i = 1; is_one && i < count; i++)
        to[i] = to[0];
}

void bring_row_scales(const struct rank_product *product, void *const *address, uint64_t rows, double *to)
{
    if (rows > 0)
        bring_some(&product->row_scale, address, product->row_scale_is_one, 0, rows, to);
}

static void scale_sums(const struct scaling *scaling, uint64_t row, uint64_t column, uint64_t count,
                       const int32_t *sums)
{
    const struct rank_product *product = scaling->product;
    double bias[INT8_COLUMNS] = {0}, scale[INT8_COLUMNS], own = 1;
    uint64_t bits[INT8_COLUMNS];
    float *to = scaling->to + row * product->columns + column;
    for (uint64_t i = 0; i < count; i++)
        scale[i] = 1;
    if (product->has_bias)
        port_bring(&product->whole_bias, scaling->address, column, count, bias);
    if (product->has_column_scale && product->has_bits) {
        port_bring(&product->column_scale, scaling->address, product->column_scale_is_one ? 0 : column,
                   product->column_scale_is_one ? 1 : count, bits);
        for (uint64_t i = 0; i < count; i++)
            scale[i] = scale_in_bits(bits[product->column_scale_is_one ? 0 : i]);
    } else if (product->has_column_scale) {
        bring_some(&product->column_scale, scaling->address, product->column_scale_is_one, column, count,
                   scale);
    }
    if (scaling->scale != NULL)
        own = scaling->scale[scaling->first + row];
    else if (product->has_row_scale)
        port_bring(&product->row_scale, scaling->address,
                   product->row_scale_is_one ? 0 : scaling->first + row, 1, &own);
    for (uint64_t i = 0; i < count; i++)
        to[i] = (float)(((double)sums[i] + (product->is_bias_whole ? bias[i] : 0)) * scale[i] * own +
                        (product->is_bias_whole ? 0 : bias[i]));
}

struct whole_work {
    const struct scaling *scaling;
    const int8_t *left, *right; /* rows, and columns, each along the depth */
    uint64_t rows;
};

/* INT8_ROWS rows, or the few that are left. */
static void multiply_rows_of(void *context, uint64_t block)
{
    const struct whole_work *work = context;
    const struct rank_product *product = work->scaling->product;
    const uint64_t row = block * INT8_ROWS, depth = product->depth;
    const uint64_t rows = work->rows - row < INT8_ROWS ? work->rows - row : INT8_ROWS;
    int32_t sums[INT8_ROWS][INT8_COLUMNS], some[INT8_ROWS];
    for (uint64_t column = 0; column < product->columns; column += INT8_COLUMNS) {
        const uint64_t count =
            product->columns - column < INT8_COLUMNS ? product->columns - column : INT8_COLUMNS;
        for (uint64_t j = 0; j < count; j++) {
            const int8_t *right = work->right + (column + j) * depth;
            if (rows == INT8_ROWS)
                dots[product->isa](work->left + row * depth, (size_t)depth, right, (size_t)depth, some);
            for (uint64_t i = 0; i < rows; i++) {
                uint32_t sum = rows == INT8_ROWS ? (uint32_t)some[i] : 0;
                for (uint64_t k = 0; rows < INT8_ROWS && k < depth; k++)
                    sum += (uint32_t)(work->left[(row + i) * depth + k] * right[k]);
                sums[i][j] = (int32_t)sum;
            }
        }
        for (uint64_t i = 0; i < rows; i++)
            scale_sums(work->scaling, row + i, column, count, sums[i]);
    }
}

static void multiply_whole(const struct rank_product *product, void *const *address, const void *left,
                           const double *scale, uint64_t first, uint64_t rows, float *to, void *scratch)
{
    const struct scaling scaling = {product, address, scale, first, to};
    struct whole_work work = {&scaling, left, scratch, rows};
    port_bring(&product->columns_of_right, address, 0, product->columns * product->depth, scratch);
    tasks_run(multiply_rows_of, &work, (rows + INT8_ROWS - 1) / INT8_ROWS, 1,
              rows * product->columns * product->depth / MULTIPLIED_PER_NS);
}

static void multiply_floats(const struct rank_product *product, void *const *address, const void *left,
                            uint64_t rows, int64_t skip, float *to, void *scratch)
{
    enum { LEFT, RIGHT, SELF, OUT };
    struct contraction plan = {
        .rows = rows,
        .columns = product->columns,
        .depth = product->depth,
        .left = {.dtype = product->dtype,
                 .bytes = dtype_bytes(product->dtype),
                 .stride = {(int64_t)product->depth, 1},
                 .address = LEFT},
        .right = product->right,
        .self = product->bias,
        .out = {.dtype = ACL_FLOAT,
                .bytes = sizeof(float),
                .stride = {(int64_t)product->columns, 1},
                .address = OUT},
        .alpha = 1,
        .beta = 1,
        .has_self = product->has_bias,
    };
    plan.right.address = RIGHT;
    plan.self.address = SELF;
    void *const all[] = {(void *)(uintptr_t)left,
                         (unsigned char *)address[product->right.address] +
                             skip * (int64_t)product->right.bytes,
                         product->has_bias ? address[product->bias.address] : NULL, to};
    contraction_prepare(&plan, product->isa, product->threads);
    (void)contraction_run(&plan, all, contraction_work_bytes(&plan) > 0 ? scratch : NULL);
}

void product_run(const struct rank_product *product, void *const *address, const void *left,
                 const double *scale, uint64_t first, uint64_t rows, int64_t skip, float *to, void *scratch)
{
    float addend[PIECE] __attribute__((uninitialized));
    const uint64_t all = rows * product->columns;
    if (all == 0)
        return;
    if (product->depth == 0 && product->dtype != ACL_INT8 && !product->has_bias)
        memset(to, 0, (size_t)all * sizeof(float));
    else if (product->dtype == ACL_INT8)
        multiply_whole(product, address, left, scale, first, rows, to, scratch);
    else
        multiply_floats(product, address, left, rows, skip, to, scratch);
    for (uint64_t at = 0; product->has_addend && at < all; at += PIECE) {
        const uint64_t count = all - at < PIECE ? all - at : PIECE;
        port_bring(&product->addend, address, first * product->columns + at, count, addend);
        for (uint64_t i = 0; i < count; i++)
            to[at + i] += addend[i];
    }
}
