/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What both passes are made of: products on the scratch, and rows on their way between tensors and floats.
 */
#include <string.h>

#include "ops/loops/tasks.h"
#include "ops/recurrent/recurrent.h"
#include "simd/vector/level_table.h"

LEVEL_TABLE(const struct cell_kernels, kernels_of, cell_kernels);

const struct cell_kernels *network_kernels(const struct network *network)
{
    return kernels_of[network->level];
}

enum { LEFT, RIGHT, ADDEND, OUT, ADDRESSES };

static struct contraction_matrix side(const struct matrix *matrix, uint32_t address, bool is_turned)
{
    return (struct contraction_matrix){.dtype = matrix->dtype,
                                       .bytes = matrix->dtype == ACL_FLOAT ? 4 : 2,
                                       .address = address,
                                       .stride = {matrix->stride[is_turned], matrix->stride[!is_turned]}};
}

void multiply_prepare(const struct network *network, struct memory *memory, const struct multiply *product,
                      struct contraction *plan)
{
    *plan = (struct contraction){
        .rows = product->rows,
        .columns = product->columns,
        .depth = product->depth,
        .left = side(&product->left, LEFT, false),
        .right = side(&product->right, RIGHT, true),
        .self = side(&product->addend, ADDEND, false),
        .out = side(&product->out, OUT, false),
        .alpha = 1,
        .beta = 1,
        .has_self = product->has_addend,
        .is_exact = network->is_exact,
    };
    if (product->rows == 0 || product->columns == 0)
        return;
    contraction_prepare(plan, network->level, network->threads);
    const size_t bytes = contraction_work_bytes(plan);
    memory->work_bytes = bytes > memory->work_bytes ? bytes : memory->work_bytes;
}

void multiply_repeat(const struct memory *memory, const struct multiply *product,
                     const struct contraction *plan)
{
    void *const address[ADDRESSES] = {[LEFT] = (void *)(uintptr_t)product->left.first,
                                      [RIGHT] = (void *)(uintptr_t)product->right.first,
                                      [ADDEND] = (void *)(uintptr_t)product->addend.first,
                                      [OUT] = (void *)(uintptr_t)product->out.first};
    if (product->rows > 0 && product->columns > 0 && !memory->is_dry)
        (void)contraction_run(plan, address, memory->work);
}

void multiply_run(const struct network *network, struct memory *memory, const struct multiply *product)
{
    struct contraction plan;
    multiply_prepare(network, memory, product, &plan);
    multiply_repeat(memory, product, &plan);
}

struct copy {
    const struct network *network;
    const struct memory *memory;
    struct rows rows;
    bool is_store;
};

static void copy_row(void *context, uint64_t i)
{
    const struct copy *copy = context;
    const struct rows *rows = &copy->rows;
    const struct cell_kernels *kernels = network_kernels(copy->network);
    for (uint64_t j = 0; j < rows->inner; j++) {
        float *floats = rows->floats + (i * rows->inner + j) * rows->float_step;
        unsigned char *elements = place_at(copy->network, copy->memory, rows->place, rows->first + i, j);
        const int64_t stride = rows->place->stride[2];
        if (elements == NULL)
            memset(floats, 0, rows->elements * sizeof *floats);
        else if (copy->is_store)
            kernels->store(floats, elements, copy->network->dtype, stride, rows->elements);
        else
            kernels->load(elements, copy->network->dtype, stride, rows->elements, floats);
    }
}

/* A sequence may be where it goes. */
static void share_rows(struct copy *copy)
{
    const struct rows *rows = &copy->rows;
    const bool is_dry = copy->memory->is_dry;
    const void *place = is_dry ? NULL : place_at(copy->network, copy->memory, rows->place, rows->first, 0);
    if (!is_dry && rows->elements > 0 && rows->floats != place)
        tasks_run(copy_row, copy, rows->outer, 64, rows->outer * rows->inner * rows->elements / 4);
}

void rows_load(const struct network *network, const struct memory *memory, struct rows rows)
{
    share_rows(&(struct copy){.network = network, .memory = memory, .rows = rows});
}

void rows_store(const struct network *network, const struct memory *memory, struct rows rows)
{
    if (rows.place->is_given)
        share_rows(&(struct copy){.network = network, .memory = memory, .rows = rows, .is_store = true});
}
