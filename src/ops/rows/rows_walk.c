/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 2 of a rows function: rows that do not lie as the kernel takes them are brought together in batches,
 * the kernel takes each row, and what it makes is converted and put where the outputs are.
 */
#include <string.h>

#include "ops/rows/rows_plan.h"
#include "runtime/workers.h"

/* The longest time that a thread takes work for, and the least work that threads share. */
enum { SHARE_NS = 20000, SHARED_NS_MIN = 10000 };

struct walk {
    const struct rows_plan *plan;
    unsigned char *first[ROWS_OPERANDS_MAX];
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

/* And of an output. */
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
    if (operand->count == 0 || operand->is_direct || lane->is_there)
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

static void run_kernel(const struct walk *walk, struct lane *lane, size_t rows, double *kernel_room)
{
    const struct rows_plan *plan = walk->plan;
    for (size_t row = 0; row < rows; row++) {
        const void *input[ROWS_INPUTS_MAX];
        void *output[ROWS_OUTPUTS_MAX];
        for (uint32_t i = 0; i < plan->operands; i++) {
            unsigned char *value = row_of(walk, i, &lane[i], row);
            if (i < plan->inputs)
                input[i] = value;
            else
                output[i - plan->inputs] = value;
        }
        plan->kernel(input, output, (size_t)plan->count, kernel_room, plan->parameters);
    }
}

/* The batches from begin to end. */
static void run_batches(const struct walk *walk, uint64_t begin, uint64_t end, unsigned char *memory)
{
    const struct rows_plan *plan = walk->plan;
    struct lane lane[ROWS_OPERANDS_MAX] __attribute__((uninitialized));
    for (uint32_t i = 0; i < plan->operands; i++) {
        const struct rows_operand *operand = &plan->operand[i];
        lane[i].operand = operand;
        lane[i].outer = nest_in(plan, operand->outer);
        lane[i].row = nest_in(plan, operand->row);
        lane[i].value = memory;
        lane[i].is_there = false;
        if (operand->is_given)
            lane[i].place = nest_place_at(lane[i].outer, begin * plan->batch);
        memory += rows_operand_bytes(plan, operand);
    }
    double *const kernel_room = (double *)(void *)memory;
    memory += rows_room_bytes(plan);
    for (uint64_t number = begin; number < end; number++) {
        const uint64_t left = plan->rows - number * plan->batch;
        const size_t rows = (size_t)(left < plan->batch ? left : plan->batch);
        for (uint32_t i = 0; i < plan->inputs; i++)
            if (plan->operand[i].is_given)
                move_batch(walk, i, &lane[i], rows, memory);
        run_kernel(walk, lane, rows, kernel_room);
        for (uint32_t i = plan->inputs; i < plan->operands; i++)
            if (plan->operand[i].is_given)
                move_batch(walk, i, &lane[i], rows, memory);
    }
}

static void run_on_stack(void *context, uint64_t begin, uint64_t end)
{
    _Alignas(64) unsigned char memory[ROWS_STACK_BYTES] __attribute__((uninitialized));
    run_batches(context, begin, end, memory);
}

/* Shares, each of which has memory. */
static void run_in_memory(void *context, uint64_t begin, uint64_t end)
{
    const struct walk *walk = context;
    const struct rows_plan *plan = walk->plan;
    const uint64_t each = plan->batches / plan->shares, more = plan->batches % plan->shares;
    for (uint64_t share = begin; share < end; share++) {
        const uint64_t first = share * each + (share < more ? share : more);
        run_batches(walk, first, first + each + (share < more), walk->memory + share * plan->memory_bytes);
    }
}

/* Whether an input must be copied before outputs are written: all of them are, but for one that lies exactly
 * where the input does, whose rows are read before they are written. */
static bool needs_copy(const struct rows_plan *plan, uint32_t input, void *const *address)
{
    const struct rows_operand *operand = &plan->operand[input];
    for (uint32_t k = plan->inputs; k < plan->operands; k++) {
        const struct operand *output = &plan->operand[k].at;
        const bool is_in_place = (operand->same_view >> (k - plan->inputs) & 1) != 0 &&
                                 address[output->address] == address[operand->at.address];
        if (operand->at.extent > 0 && output->extent > 0 && !is_in_place &&
            operands_meet(&operand->at, output, address))
            return true;
    }
    return false;
}

size_t rows_scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct rows_plan *plan = plan_bytes;
    size_t bytes = (size_t)(plan->shares * plan->memory_bytes);
    for (uint32_t i = 0; i < plan->inputs; i++)
        bytes += needs_copy(plan, i, address) ? operand_copy_bytes(&plan->operand[i].at) : 0;
    return bytes;
}

int rows_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct rows_plan *plan = plan_bytes;
    unsigned char *room = scratch;
    struct walk walk = {.plan = plan};
    for (uint32_t i = 0; i < plan->operands; i++) {
        const struct operand *operand = &plan->operand[i].at;
        const bool is_copied = i < plan->inputs && needs_copy(plan, i, address);
        walk.first[i] = is_copied ? operand_copy(operand, address, &room) : address[operand->address];
    }
    walk.memory = room;
    const uint64_t most = plan->batch_ns < SHARE_NS ? SHARE_NS / (plan->batch_ns + 1) : 1;
    const bool is_shared = plan->cost_ns >= SHARED_NS_MIN && workers_pay(plan->cost_ns);
    if (plan->shares > 0 && is_shared)
        workers_run(run_in_memory, &walk, plan->shares, 1);
    else if (plan->shares > 0)
        run_batches(&walk, 0, plan->batches, walk.memory);
    else if (is_shared)
        workers_run(run_on_stack, &walk, plan->batches, most);
    else
        run_on_stack(&walk, 0, plan->batches);
    return 0;
}
