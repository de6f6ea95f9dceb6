/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of a rows function: rows that do not lie as the kernel takes them are brought together in batches,
 * the kernel takes each row, and what it makes is converted and put where the outputs are. Sums over rows are
 * added up in the end.
 */
#include <string.h>

#include "ops/loops/rows_plan.h"
#include "runtime/streams/workers.h"

/* The longest time that a thread takes work for, and the least work that threads share. */
enum { SHARE_NS = 20000, SHARED_NS_MIN = 10000 };

struct walk {
    const struct rows_plan *plan;
    unsigned char *first[ROWS_OPERANDS_MAX];
    double *sums;          /* of each block, one behind the other */
    unsigned char *memory; /* of all shares; NULL: on the stack */
};

/* An operand on its way: where it stands, and its part of the memory. */
struct lane {
    const struct rows_operand *operand;
    const struct nest *outer, *row;
    struct nest_place place;
    unsigned char *value;
    bool is_there; /* a shared row that has been brought */
};

static void to_carried(const struct rows_plan *plan, const void *from, aclDataType dtype, unsigned char *to,
                       size_t count)
{
    if (dtype == plan->carried)
        memcpy(to, from, count * plan->carried_bytes);
    else
        plan->transfer->convert(from, dtype, to, plan->carried, count);
}

/* Rows of an input that follow one another along its last outer axis. */
static void bring_rows(const struct rows_plan *plan, const struct lane *lane, const unsigned char *from,
                       unsigned char *to, size_t rows, unsigned char *raw)
{
    const struct operand *operand = &lane->operand->at;
    const size_t count = (size_t)lane->operand->count, row_bytes = count * operand->bytes;
    const int64_t outer = nest_inner(lane->outer).stride[0], inner = nest_inner(lane->row).stride[0];
    unsigned char *gathered = operand->dtype == plan->carried ? to : raw;
    if (lane->row->axis_count <= 1 && (inner == 1 || count == 1)) {
        if (rows == 1 || outer == (int64_t)count) { /* all of it side by side */
            to_carried(plan, from, operand->dtype, to, rows * count);
            return;
        }
        for (size_t k = 0; count >= 16 && k < rows; k++)
            to_carried(plan, from + (int64_t)k * outer * operand->bytes, operand->dtype,
                       to + k * count * plan->carried_bytes, count);
        if (count >= 16)
            return;
    }
    const struct block block = {rows, count, outer, inner};
    if (lane->row->axis_count <= 1)
        plan->transfer->gather(gathered, from, &block, operand->bytes);
    for (size_t k = 0; lane->row->axis_count > 1 && k < rows; k++)
        nest_gather(lane->row, 0, nest_place_at(lane->row, 0), plan->transfer,
                    from + (int64_t)k * outer * operand->bytes, operand->bytes, gathered + k * row_bytes,
                    count);
    if (gathered == raw)
        to_carried(plan, raw, operand->dtype, to, rows * count);
}

/* Converts rows of an output to its dtype, and scatters them. */
static void deliver_rows(const struct rows_plan *plan, const struct lane *lane, unsigned char *to,
                         unsigned char *from, size_t rows, unsigned char *raw)
{
    const struct operand *operand = &lane->operand->at;
    const size_t count = (size_t)lane->operand->count, row_bytes = count * operand->bytes;
    const int64_t outer = nest_inner(lane->outer).stride[0], inner = nest_inner(lane->row).stride[0];
    const bool is_side_by_side =
        lane->row->axis_count <= 1 && (inner == 1 || count == 1) && (rows == 1 || outer == (int64_t)count);
    const unsigned char *converted = from;
    if (operand->dtype != plan->carried) {
        unsigned char *target = is_side_by_side ? to : raw;
        plan->transfer->convert(from, plan->carried, target, operand->dtype, rows * count);
        if (is_side_by_side)
            return;
        converted = raw;
    }
    const struct block block = {rows, count, outer, inner};
    if (lane->row->axis_count <= 1)
        plan->transfer->scatter(to, &block, converted, operand->bytes);
    for (size_t k = 0; lane->row->axis_count > 1 && k < rows; k++)
        nest_scatter(lane->row, 0, nest_place_at(lane->row, 0), plan->transfer,
                     to + (int64_t)k * outer * operand->bytes, operand->bytes, converted + k * row_bytes,
                     count);
}

/* Moves the rows of a batch, from the lane's place on, between the tensor and the memory. */
static void move_batch(const struct walk *walk, uint32_t index, struct lane *lane, size_t rows,
                       unsigned char *raw)
{
    const struct rows_operand *operand = lane->operand;
    const bool is_input = index < walk->plan->inputs;
    if (operand->count == 0 || operand->is_direct || operand->is_sums || lane->is_there)
        return;
    if (operand->is_shared) {
        bring_rows(walk->plan, lane, walk->first[index], lane->value, 1, raw);
        lane->is_there = true;
        return;
    }
    for (size_t done = 0; done < rows;) {
        const size_t left = (size_t)nest_left(lane->outer, &lane->place);
        const size_t part = left < rows - done ? left : rows - done;
        unsigned char *there = walk->first[index] + lane->place.offset[0] * (int64_t)operand->at.bytes;
        unsigned char *here = lane->value + done * operand->count * walk->plan->carried_bytes;
        if (is_input)
            bring_rows(walk->plan, lane, there, here, part, raw);
        else
            deliver_rows(walk->plan, lane, there, here, part, raw);
        nest_advance(lane->outer, &lane->place, part);
        done += part;
    }
}

/* Where an operand's row of the batch is; what is direct goes on to the next one. */
static unsigned char *row_of(const struct walk *walk, uint32_t index, struct lane *lane, size_t row)
{
    const struct rows_operand *operand = lane->operand;
    if (!operand->is_given)
        return NULL;
    if (!operand->is_direct)
        return lane->value + (operand->is_shared ? 0 : row * operand->count * walk->plan->carried_bytes);
    unsigned char *value = walk->first[index] + lane->place.offset[0] * (int64_t)operand->at.bytes;
    if (!operand->is_shared)
        nest_advance(lane->outer, &lane->place, 1);
    return value;
}

static void run_kernel(const struct walk *walk, struct lane *lane, uint64_t first, size_t rows, double *sums,
                       double *kernel_room)
{
    const struct rows_plan *plan = walk->plan;
    for (size_t row = 0; row < rows; row++) {
        const void *input[ROWS_INPUTS_MAX];
        void *output[ROWS_OUTPUTS_MAX];
        for (uint32_t i = 0; i < plan->operands; i++) {
            const struct rows_operand *operand = &plan->operand[i];
            unsigned char *value = operand->is_sums ? NULL : row_of(walk, i, &lane[i], row);
            if (i < plan->inputs)
                input[i] = value;
            else if (operand->is_sums)
                output[i - plan->inputs] =
                    sums + operand->first_sum + (first + row) % plan->period * operand->count;
            else
                output[i - plan->inputs] = value;
        }
        plan->kernel(input, output, (size_t)plan->count, kernel_room, plan->parameters);
    }
}

/* The rows from begin to end. */
static void run_rows(const struct walk *walk, uint64_t begin, uint64_t end, double *sums,
                     unsigned char *memory)
{
    const struct rows_plan *plan = walk->plan;
    struct lane lane[ROWS_OPERANDS_MAX] __attribute__((uninitialized));
    if (plan->together != NULL) {
        plan->together((const float *)(const void *)walk->first[0] + begin * plan->count,
                       (float *)(void *)walk->first[1] + begin * plan->count, (size_t)(end - begin),
                       (size_t)plan->count, plan->parameters);
        return;
    }
    for (uint32_t i = 0; i < plan->operands; i++) {
        const struct rows_operand *operand = &plan->operand[i];
        lane[i].operand = operand;
        lane[i].outer = nest_in(plan, operand->outer);
        lane[i].row = nest_in(plan, operand->row);
        lane[i].value = memory;
        lane[i].is_there = false;
        if (operand->is_given && !operand->is_sums)
            lane[i].place = nest_place_at(lane[i].outer, begin);
        memory += rows_operand_bytes(plan, operand);
    }
    double *const kernel_room = (double *)(void *)memory;
    memory += rows_room_bytes(plan);
    while (begin < end) {
        const size_t rows = (size_t)(end - begin < plan->batch ? end - begin : plan->batch);
        for (uint32_t i = 0; i < plan->inputs; i++)
            if (plan->operand[i].is_given)
                move_batch(walk, i, &lane[i], rows, memory);
        run_kernel(walk, lane, begin, rows, sums, kernel_room);
        for (uint32_t i = plan->inputs; i < plan->operands; i++)
            if (plan->operand[i].is_given)
                move_batch(walk, i, &lane[i], rows, memory);
        begin += rows;
    }
}

static void run_units(const struct walk *walk, uint64_t begin, uint64_t end, unsigned char *memory)
{
    const struct rows_plan *plan = walk->plan;
    const uint64_t last = end * plan->unit < plan->rows ? end * plan->unit : plan->rows;
    if (plan->sums == 0) {
        run_rows(walk, begin * plan->unit, last, NULL, memory);
        return;
    }
    for (uint64_t unit = begin; unit < end; unit++) {
        double *const sums = walk->sums + unit * plan->sums;
        const uint64_t next = (unit + 1) * plan->unit;
        memset(sums, 0, (size_t)plan->sums * sizeof *sums);
        run_rows(walk, unit * plan->unit, next < last ? next : last, sums, memory);
    }
}

static void run_on_stack(void *context, uint64_t begin, uint64_t end)
{
    _Alignas(64) unsigned char memory[ROWS_STACK_BYTES] __attribute__((uninitialized));
    run_units(context, begin, end, memory);
}

/* Shares, each of which has memory. */
static void run_in_memory(void *context, uint64_t begin, uint64_t end)
{
    const struct walk *walk = context;
    const struct rows_plan *plan = walk->plan;
    const uint64_t each = plan->units / plan->shares, more = plan->units % plan->shares;
    for (uint64_t share = begin; share < end; share++) {
        const uint64_t first = share * each + (share < more ? share : more);
        run_units(walk, first, first + each + (share < more), walk->memory + share * plan->memory_bytes);
    }
}

/* An output that is a sum over rows. */
static void deliver_sums(const struct walk *walk, uint32_t index)
{
    enum { SUMS_PART = 1024 };
    const struct rows_plan *plan = walk->plan;
    const struct rows_operand *operand = &plan->operand[index];
    const struct nest *nest = nest_in(plan, operand->row);
    struct nest_place place = nest_place_at(nest, 0);
    for (uint64_t begin = 0; begin < nest->count; begin += SUMS_PART) {
        double sum[SUMS_PART] = {0};
        unsigned char converted[SUMS_PART * sizeof(double)] __attribute__((uninitialized));
        const size_t count = (size_t)(nest->count - begin < SUMS_PART ? nest->count - begin : SUMS_PART);
        for (uint64_t block = 0; block < plan->units; block++) {
            const double *sums = walk->sums + block * plan->sums + operand->first_sum + begin;
            for (size_t i = 0; i < count; i++)
                sum[i] += sums[i];
        }
        plan->transfer->convert(sum, ACL_DOUBLE, converted, operand->at.dtype, count);
        nest_scatter(nest, 0, place, plan->transfer, walk->first[index], operand->at.bytes, converted, count);
        for (size_t left = count; left > 0 && begin + SUMS_PART < nest->count;) {
            const size_t inner = (size_t)nest_left(nest, &place), steps = inner < left ? inner : left;
            nest_advance(nest, &place, steps);
            left -= steps;
        }
    }
}

static size_t sums_bytes(const struct rows_plan *plan)
{
    return whole_lines(plan->units * plan->sums * sizeof(double));
}

size_t rows_work_bytes(const void *plan_bytes)
{
    const struct rows_plan *plan = plan_bytes;
    return (size_t)(plan->shares * plan->memory_bytes) + sums_bytes(plan);
}

int rows_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct rows_plan *plan = plan_bytes;
    struct walk walk = {.plan = plan, .sums = scratch};
    for (uint32_t i = 0; i < plan->operands; i++)
        walk.first[i] = address[plan->operand[i].at.address];
    walk.memory = scratch == NULL ? NULL : (unsigned char *)scratch + sums_bytes(plan);
    const uint64_t most = plan->unit_ns < SHARE_NS ? SHARE_NS / (plan->unit_ns + 1) : 1;
    const bool is_shared = plan->cost_ns >= SHARED_NS_MIN && workers_pay(plan->cost_ns);
    if (plan->shares > 0 && is_shared)
        workers_run(run_in_memory, &walk, plan->shares, 1);
    else if (plan->shares > 0)
        run_units(&walk, 0, plan->units, walk.memory);
    else if (is_shared)
        workers_run(run_on_stack, &walk, plan->units, most);
    else
        run_on_stack(&walk, 0, plan->units);
    for (uint32_t i = plan->inputs; i < plan->operands; i++)
        if (plan->operand[i].is_sums)
            deliver_sums(&walk, i);
    return 0;
}
