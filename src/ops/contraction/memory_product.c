/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of rows in memory by weights.
 */
#include "ops/contraction/memory_product.h"

#include <string.h>

#include "ops/operands.h"
#include "tensor/scratch.h"

enum { PIECE = 512 };

static bool is_scaled(const struct rank_product *product)
{
    return product->dtype == ACL_INT8 || is_small_float(product->dtype);
}

void set_product(struct rank_product *product, const struct call *call, aclDataType dtype, unsigned weight,
                 bool turns)
{
    const struct tensor_view *view = &call->tensor[weight];
    const uint32_t rows = view->rank - 2 + (turns ? 1 : 0), columns = view->rank - 2 + (turns ? 0 : 1);
    product->isa = call->settings->isa;
    product->threads = call->settings->thread_count;
    product->dtype = dtype;
    product->parts = 1;
    product->columns = (uint64_t)view->shape[columns];
    product->depth = (uint64_t)view->shape[rows];
    product->right = (struct contraction_matrix){.dtype = view->dtype,
                                                 .bytes = dtype_bytes(view->dtype),
                                                 .stride = {view->stride[columns], view->stride[rows]},
                                                 .address = call->first_operand[weight]};
    if (!is_scaled(product))
        return;
    (void)matrix_of_numbers(view, view->rank == 3, call->first_operand[weight], &product->whole);
    if (!turns)
        product->whole = numbers_turned(&product->whole);
    product->columns = (uint64_t)product->whole.size[0];
    product->depth = (uint64_t)product->whole.size[1];
}

struct factors column_factors(const struct call *call, unsigned part)
{
    const struct tensor_view *view = &call->tensor[part];
    struct factors factors = factors_of_view(view, call->first_operand[part], 0, 0);
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] == view->count && view->count > 1)
            factors.stride[1] = view->stride[i];
    return factors;
}

void set_ends(struct rank_product *product, const struct call *call, unsigned bias, unsigned column_scale,
              unsigned row_scale, unsigned addend)
{
    product->has_bias = bias != NO_PART;
    product->has_row_scale = row_scale != NO_PART;
    product->has_addend = addend != NO_PART;
    if (product->has_bias && is_scaled(product)) {
        product->whole_bias = column_factors(call, bias);
        product->is_bias_whole = call->tensor[bias].dtype == ACL_INT32;
    } else if (product->has_bias) {
        const struct tensor_view *view = &call->tensor[bias];
        product->bias = (struct contraction_matrix){.dtype = view->dtype,
                                                    .bytes = dtype_bytes(view->dtype),
                                                    .stride = {0, view->stride[view->rank - 1]},
                                                    .address = call->first_operand[bias]};
    }
    if (column_scale != NO_PART)
        product->column_scale = column_factors(call, column_scale);
    if (product->has_row_scale) {
        product->row_scale_is_one = call->tensor[row_scale].count == 1;
        product->row_scale = port_of(call, row_scale, ACL_DOUBLE);
    }
    if (product->has_addend)
        product->addend = port_of(call, addend, ACL_FLOAT);
}

/* One for all, a row of columns, or rows of them. */
static struct factors made_factors(const struct call *call, unsigned part)
{
    struct factors factors = column_factors(call, part);
    const struct tensor_view *view = &call->tensor[part];
    if (view->rank == 2 && view->shape[0] > 1) {
        factors.stride[0] = view->stride[0];
        factors.stride[1] = view->stride[1];
    }
    return factors;
}

void set_made_product(struct rank_product *product, const struct call *call, aclDataType dtype,
                      unsigned weight, unsigned scale, unsigned offset, uint64_t group)
{
    set_product(product, call, dtype, weight, false);
    (void)matrix_of_numbers(&call->tensor[weight], false, call->first_operand[weight], &product->whole);
    product->depth = (uint64_t)product->whole.size[0];
    product->columns = (uint64_t)product->whole.size[1];
    product->right = (struct contraction_matrix){
        .dtype = ACL_FLOAT, .bytes = sizeof(float), .stride = {1, (int64_t)product->columns}};
    product->is_made = true;
    product->made_group = group;
    product->made_scale = made_factors(call, scale);
    if (offset != NO_PART)
        product->made_offset = made_factors(call, offset);
}

static size_t made_bytes(const struct rank_product *product)
{
    return product->is_made ? lines_of(product->depth, product->columns * sizeof(float)) : 0;
}

struct making {
    const struct rank_product *product;
    void *const *address;
    float *to;
};

static void make_row(void *context, uint64_t row)
{
    const struct making *making = context;
    const struct rank_product *product = making->product;
    const struct transfer *transfer = transfer_of(product->isa);
    const uint64_t columns = product->columns, group = row / product->made_group;
    int8_t number[PIECE];
    double scale[PIECE], offset[PIECE];
    memset(offset, 0, sizeof offset);
    for (uint64_t at = 0, some; at < columns; at += some) {
        float *to = making->to + row * columns + at;
        some = columns - at < PIECE ? columns - at : PIECE;
        numbers_read(&product->whole, making->address, row, at, some, number);
        factors_read(&product->made_scale, transfer, making->address, group, at, some, scale);
        if (product->made_offset.is_given)
            factors_read(&product->made_offset, transfer, making->address, group, at, some, offset);
        for (uint64_t i = 0; i < some; i++)
            to[i] = ((float)number[i] + (float)offset[i]) * (float)scale[i];
    }
}

static struct scaled scaled_of(const struct rank_product *product)
{
    return (struct scaled){.transfer = transfer_of(product->isa),
                           .isa = product->isa,
                           .threads = product->threads,
                           .columns = product->columns,
                           .depth = product->depth,
                           .parts = product->depth > 0 ? product->parts : 1,
                           .part = product->part > 0    ? product->part
                                   : product->depth > 0 ? product->depth / product->parts
                                                        : 1,
                           .rows_have_parts = product->parts > 1,
                           .is_float = is_small_float(product->dtype),
                           .bias_place = product->is_bias_whole ? BIAS_OF_SUMS : BIAS_LAST};
}

size_t product_bytes(const struct rank_product *product)
{
    const struct scaled scaled = scaled_of(product);
    return made_bytes(product) +
           whole_lines(is_scaled(product)
                           ? scaled_work_bytes(&scaled)
                           : contraction_most_bytes(product->isa, product->threads, product->depth));
}

void bring_row_scales(const struct rank_product *product, void *const *address, uint64_t rows, double *to)
{
    if (rows > 0)
        port_bring(&product->row_scale, address, 0, product->row_scale_is_one ? 1 : rows, to);
    for (uint64_t i = 1; product->row_scale_is_one && i < rows; i++)
        to[i] = to[0];
}

static void multiply_whole(const struct rank_product *product, void *const *address, const void *left,
                           const double *scale, uint64_t first, uint64_t rows, int64_t skip, float *to,
                           void *scratch)
{
    enum { LEFT, RIGHT, BIAS, COLUMNS, ROWS };
    const struct scaled scaled = scaled_of(product);
    const uint64_t row_bytes = product->row_bytes > 0 ? product->row_bytes : product->depth;
    struct scaled_product own = {.left = {.address = LEFT,
                                          .codes = product->dtype,
                                          .stride = {(int64_t)row_bytes, 1},
                                          .size = {(int64_t)rows, (int64_t)product->depth}},
                                 .right = product->whole,
                                 .columns = product->column_scale,
                                 .bias = product->whole_bias};
    void *const all[] = {(void *)(uintptr_t)left, address[product->whole.address],
                         product->has_bias ? address[product->whole_bias.address] : NULL,
                         product->column_scale.is_given ? address[product->column_scale.address] : NULL,
                         (void *)(uintptr_t)scale};
    struct scaled_work work;
    own.right.address = RIGHT, own.right.first += skip;
    own.bias.address = BIAS, own.columns.address = COLUMNS;
    if (scale != NULL)
        own.rows = (struct factors){.is_given = true,
                                    .dtype = ACL_DOUBLE,
                                    .bytes = sizeof(double),
                                    .address = ROWS,
                                    .first = (int64_t)(first * product->parts),
                                    .stride = {1, (int64_t)product->parts},
                                    .lanes = 1};
    if (product->row_bytes > 0)
        own.rows = product->part > 0
                       ? (struct factors){.is_given = true,
                                          .is_paired = true,
                                          .dtype = ACL_FLOAT8_E8M0,
                                          .bytes = 1,
                                          .address = LEFT,
                                          .first = (int64_t)product->scales_at,
                                          .stride = {2, (int64_t)row_bytes},
                                          .second = 1,
                                          .lanes = 1}
                       : (struct factors){.is_given = true,
                                          .dtype = ACL_FLOAT,
                                          .bytes = sizeof(float),
                                          .address = LEFT,
                                          .first = (int64_t)(product->scales_at / sizeof(float)),
                                          .stride = {0, (int64_t)(row_bytes / sizeof(float))},
                                          .lanes = 1};
    scaled_use_memory(&work, &scaled, all, scratch);
    scaled_begin(&work, &own);
    for (uint64_t row = 0, some; row < rows; row += some) {
        some = rows - row < SCALED_ROWS ? rows - row : SCALED_ROWS;
        scaled_multiply(&work, row, some);
        transfer_convert(scaled.transfer, work.value, ACL_DOUBLE, to + row * product->columns, ACL_FLOAT,
                         some * product->columns);
    }
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
    struct making making = {product, address, scratch};
    if (product->is_made) {
        tasks_run(make_row, &making, product->depth, 1, product->depth * product->columns);
        scratch = (unsigned char *)scratch + made_bytes(product);
    }
    void *const all[] = {(void *)(uintptr_t)left,
                         product->is_made ? (unsigned char *)making.to
                                          : (unsigned char *)address[product->right.address] +
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
    if (product->depth == 0 && !is_scaled(product) && !product->has_bias)
        memset(to, 0, (size_t)all * sizeof(float));
    else if (is_scaled(product))
        multiply_whole(product, address, left, scale, first, rows, skip, to, scratch);
    else
        multiply_floats(product, address, left, rows, skip, to, scratch);
    for (uint64_t at = 0; product->has_addend && at < all; at += PIECE) {
        const uint64_t count = all - at < PIECE ? all - at : PIECE;
        port_bring(&product->addend, address, first * product->columns + at, count, addend);
        for (uint64_t i = 0; i < count; i++)
            to[at + i] += addend[i];
    }
}
