/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The products of groups one after the other, whose threads are those of each product.
 */
#include "ops/contraction/grouped.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/streams/fault.h"
#include "tensor/dtype.h"

enum { LEFT, RIGHT, ADDEND, INPUTS, RESULT = INPUTS };
enum { ROOM_ROWS = SCALED_ROWS };

static uint64_t list_bytes(const struct grouped_plan *plan)
{
    return whole_lines(plan->groups * sizeof(struct group_piece)) +
           whole_lines(2 * plan->groups * sizeof(int64_t));
}

/* The pieces of the groups, what products take, and rows on their way through an activation. */
size_t grouped_work_bytes(const void *prepared)
{
    const struct grouped_plan *plan = prepared;
    return list_bytes(plan) + whole_lines(plan->work_bytes) + plan->room_bytes;
}

static const int64_t *array_of(const struct grouped_plan *plan)
{
    return (const int64_t *)(const void *)((const unsigned char *)plan->group +
                                           groups_bytes(plan->is_whole, plan->is_antiquant, plan->groups));
}

/* Rows, or parts of the common dim, that are counted and in order; a fault otherwise. */
static int read_pieces(const struct grouped_plan *plan, void *const *address, struct group_piece *piece)
{
    uint64_t most = plan->type == GROUPS_OF_DEPTH ? plan->group[0].depth : plan->group[0].rows;
    int64_t *number = (int64_t *)(void *)((unsigned char *)piece + whole_lines(plan->groups * sizeof *piece));
    for (uint64_t g = 1; plan->type == GROUPS_OF_LISTS && g < plan->groups; g++)
        most += plan->group[g].rows;
    if (plan->has_array)
        memcpy(number, array_of(plan), plan->number_count * sizeof *number);
    else
        port_bring(&plan->list, address, 0, plan->groups * (plan->list_type == GROUPS_PAIRED ? 2 : 1),
                   number);
    const int status =
        group_pieces_of(number, plan->groups, plan->list_type, plan->groups, "groupList", most, piece);
    for (uint64_t g = 0; status == 0 && plan->type == GROUPS_OF_LISTS && g < plan->groups; g++)
        if (piece[g].count != plan->group[piece[g].group].rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupList holds %" PRId64 " at [%" PRIu64 "]; %" PRIu64
                                  " rows are expected in this group: those of its x",
                                  number[plan->list_type == GROUPS_PAIRED ? 2 * g + 1 : g], g,
                                  plan->group[piece[g].group].rows);
    return status;
}

struct grouped_work {
    const struct grouped_plan *plan;
    void *const *address;
    unsigned char *work; /* what products take */
    unsigned char *room; /* rows as FLOAT, and as DOUBLE */
};

static struct contraction_matrix matrix_of(const struct side *side, uint32_t address, bool is_turned)
{
    return (struct contraction_matrix){.dtype = side->operand.dtype,
                                       .bytes = side->operand.bytes,
                                       .address = address,
                                       .stride = {side->stride[is_turned], side->stride[!is_turned]}};
}

static void *first_of(const struct side *side, void *const *address)
{
    return (unsigned char *)address[side->operand.address] + side->offset;
}

/* A product whose operands are at these addresses. */
static void run_product(const struct grouped_work *work, struct contraction *product, void *const *own)
{
    contraction_prepare(product, work->plan->level, work->plan->threads);
    (void)contraction_run(product, own, contraction_work_bytes(product) > 0 ? work->work : NULL);
}

static const unsigned char *factors_first(const struct factors *factors, void *const *address)
{
    return factors->is_given
               ? (const unsigned char *)address[factors->address] + factors->first * (int64_t)factors->bytes
               : NULL;
}

static void multiply_antiquant(const struct grouped_work *work, uint64_t g, const struct contraction *product,
                               void *const *own)
{
    const struct antiquant_group *group = &antiquant_groups(work->plan)[g];
    struct quantised quantised = group->quantised;
    const struct contraction_matrix right = quantised.product.right;
    contraction_pack *pack = quantised.product.pack_right;
    contraction_multiply_row *multiply_row = quantised.product.multiply_row;
    quantised.product = *product;
    quantised.product.right = right;
    quantised.product.right.address = RIGHT;
    quantised.product.pack_right = pack;
    quantised.product.multiply_row = multiply_row;
    quantised.scale.first = factors_first(&group->scale, work->address);
    quantised.offset.first = factors_first(&group->offset, work->address);
    run_product(work, &quantised.product, own);
}

static void multiply_one(const struct grouped_work *work, uint64_t g, struct contraction *product,
                         void *const *own)
{
    if (work->plan->is_antiquant)
        multiply_antiquant(work, g, product, own);
    else
        run_product(work, product, own);
}

/* A few rows at a time as FLOAT, which then go to y. */
static void multiply_and_activate(const struct grouped_work *work, uint64_t g, uint64_t first_row,
                                  const struct contraction *product, void *const *own)
{
    const struct group *group = &work->plan->group[g];
    const uint64_t columns = group->columns;
    float *sums = (float *)(void *)work->room;
    double *value = (double *)(void *)(work->room + whole_lines(ROOM_ROWS * columns * sizeof(float)));
    for (uint64_t done = 0, some; done < product->rows; done += some) {
        some = product->rows - done < ROOM_ROWS ? product->rows - done : ROOM_ROWS;
        struct contraction part = *product;
        void *const at[] = {(unsigned char *)own[LEFT] +
                                (int64_t)done * group->x.stride[0] * (int64_t)group->x.operand.bytes,
                            own[RIGHT], own[ADDEND], sums};
        part.rows = some;
        part.out = (struct contraction_matrix){
            .dtype = ACL_FLOAT, .bytes = sizeof(float), .address = RESULT, .stride = {(int64_t)columns, 1}};
        multiply_one(work, g, &part, at);
        transfer_convert(work->plan->transfer, sums, ACL_FLOAT, value, ACL_DOUBLE, some * columns);
        target_take(&group->target, work->address, first_row + done, some, value);
    }
}

/* Multiplies some rows of a group, by some of its depth, from first_row and first_step on; no depth makes
 * zeros. */
static void multiply(const struct grouped_work *work, uint64_t g, uint64_t first_row, uint64_t rows,
                     uint64_t first_step, uint64_t depth, bool is_zero)
{
    const struct grouped_plan *plan = work->plan;
    const struct group *group = &plan->group[g];
    const bool has_bias = plan->has_bias && !is_zero;
    struct contraction product = {.rows = rows,
                                  .columns = group->columns,
                                  .depth = depth,
                                  .left = matrix_of(&group->x, LEFT, false),
                                  .right = matrix_of(&group->weight, RIGHT, true),
                                  .out = matrix_of(&group->y, RESULT, false),
                                  .alpha = 1,
                                  .beta = 1,
                                  .has_self = has_bias,
                                  .is_exact = plan->is_exact};
    if (rows == 0 || group->columns == 0)
        return;
    if (has_bias)
        product.self = matrix_of(&group->bias, ADDEND, false);
    const int64_t x_step = (int64_t)first_row * group->x.stride[0] + (int64_t)first_step * group->x.stride[1];
    void *const own[] = {
        (unsigned char *)first_of(&group->x, work->address) + x_step * (int64_t)group->x.operand.bytes,
        (unsigned char *)first_of(&group->weight, work->address) +
            (int64_t)first_step * group->weight.stride[0] * (int64_t)group->weight.operand.bytes,
        has_bias ? first_of(&group->bias, work->address) : NULL,
        (unsigned char *)first_of(&group->y, work->address) +
            (int64_t)first_row * group->y.stride[0] * (int64_t)group->y.operand.bytes};
    if (is_zero || depth == 0)
        run_product(work, &product, own);
    else if (plan->activation != ACTIVATION_NONE)
        multiply_and_activate(work, g, first_row, &product, own);
    else
        multiply_one(work, g, &product, own);
}

/* Of whole numbers: rows of x from one on, to rows of y from one on. */
static void multiply_whole(const struct grouped_work *work, uint64_t g, uint64_t first_row, uint64_t rows)
{
    const struct whole_group *whole = &whole_groups(work->plan)[g];
    const struct group *group = &work->plan->group[g];
    struct scaled_work scaled;
    if (rows == 0 || group->columns == 0)
        return;
    scaled_use_memory(&scaled, &whole->scaled, work->address, work->work);
    scaled_begin(&scaled, &whole->product);
    for (uint64_t done = 0, some; done < rows; done += some) {
        some = rows - done < SCALED_ROWS ? rows - done : SCALED_ROWS;
        scaled_multiply(&scaled, whole->first_row + first_row + done, some);
        target_take(&group->target, work->address, first_row + done, some, scaled.value);
    }
}

int grouped_run(const void *prepared, void *const *address, void *scratch)
{
    const struct grouped_plan *plan = prepared;
    struct group_piece *piece = scratch;
    unsigned char *memory = (unsigned char *)scratch + list_bytes(plan);
    const struct grouped_work work = {
        .plan = plan, .address = address, .work = memory, .room = memory + whole_lines(plan->work_bytes)};
    if (plan->has_numbers) {
        const int status = read_pieces(plan, address, piece);
        if (status != 0)
            return status;
    }
    uint64_t end = 0;
    for (uint64_t i = 0; i < plan->groups; i++) {
        const uint64_t g = plan->type == GROUPS_OF_LISTS ? i : piece[i].group;
        const struct group *group = &plan->group[g];
        const bool has_rows = plan->type == GROUPS_OF_ROWS, has_steps = plan->type == GROUPS_OF_DEPTH;
        const uint64_t first_row = has_rows ? piece[i].first : 0;
        const uint64_t rows = has_rows ? piece[i].count : group->rows;
        if (plan->is_whole)
            multiply_whole(&work, g, first_row, rows);
        else
            multiply(&work, g, first_row, rows, has_steps ? piece[i].first : 0,
                     has_steps ? piece[i].count : group->depth, false);
        end = has_rows ? first_row + rows : 0;
    }
    if (plan->type == GROUPS_OF_ROWS && plan->is_whole)
        target_clear(&plan->group[0].target, address, end, plan->group[0].rows - end);
    else if (plan->type == GROUPS_OF_ROWS)
        multiply(&work, 0, end, plan->group[0].rows - end, 0, 0, true);
    return 0;
}
