/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an operator computes, on the shadows of the blocks that its operands lie in.
 */
#include <string.h>

#include "fuzz/contract.h"
#include "support/reference.h"

/* Sums of more terms are taken over, and so are most elements of outputs of more than COMPUTE_MOST. */
enum { TERMS_MOST = 64 * COMPUTE_MOST };

/* The operands of a call. */
struct operands {
    const struct executor *executor;
    const struct contract *contract;
    struct block *block[OPERANDS_MOST]; /* NULL where there are no elements */
    unsigned char *data[OPERANDS_MOST];
    aclDataType arithmetic; /* what float inputs promote to */
};

/* What the blocks held before the call. */
static unsigned char before[BLOCKS][BLOCK_LARGE];

static bool is_read(const struct contract *contract, uint32_t index)
{
    return index != contract->output || contract->reads_output;
}

static void find_operands(struct world *world, struct operands *operands)
{
    bool is_first = true;
    for (uint32_t i = 0; i < operands->contract->operand_count; i++) {
        const struct view *view = &operands->executor->view[i];
        operands->data[i] = operand_data(world, operands->executor, i);
        operands->block[i] = view_count(view) > 0 ? find_block(world, operands->data[i]) : NULL;
        if (operands->block[i] != NULL)
            memcpy(before[operands->block[i] - world->block], operands->block[i]->shadow,
                   operands->block[i]->bytes);
        if (is_read(operands->contract, i))
            operands->arithmetic = is_first ? view->dtype : promote_floats(operands->arithmetic, view->dtype);
        is_first = is_first && !is_read(operands->contract, i);
    }
}

/* Where in its block an element of the operand begins. */
static uint64_t offset_of(const struct operands *operands, uint32_t index, uint32_t rank, const int64_t *at)
{
    const struct view *view = &operands->executor->view[index];
    return (uint64_t)(operands->data[index] - operands->block[index]->address) +
           (uint64_t)place_of(view, rank, at) * aclDataTypeSize(view->dtype);
}

/* The element of an input that belongs to this place of a shape. */
static const unsigned char *element_of(const struct world *world, const struct operands *operands,
                                       uint32_t index, uint32_t rank, const int64_t *at)
{
    return before[operands->block[index] - world->block] + offset_of(operands, index, rank, at);
}

static void compute_term(const struct world *world, const struct operands *operands, uint32_t rank,
                         const int64_t *at, struct terms *terms, mpfr_ptr result)
{
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < operands->contract->operand_count; i++)
        if (is_read(operands->contract, i))
            terms->input[inputs++] =
                reference_load(operands->executor->view[i].dtype, element_of(world, operands, i, rank, at));
    operands->contract->formula(result, terms);
}

static void move_one_element(const struct world *world, const struct operands *operands, uint32_t rank,
                             const int64_t *at, unsigned char *to)
{
    const struct executor *executor = operands->executor;
    struct source source = {
        .scalar = &executor->scalar, .alpha = &executor->alpha, .kind = executor->call.kind};
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < operands->contract->operand_count; i++)
        if (is_read(operands->contract, i)) {
            source.element[inputs] = element_of(world, operands, i, rank, at);
            source.dtype[inputs++] = executor->view[i].dtype;
        }
    operands->contract->move(&source, to, executor->view[operands->contract->output].dtype);
}

static struct terms terms_of(const struct operands *operands)
{
    const struct operator_call *call = &operands->executor->call;
    const struct scalar *scalar = &operands->executor->scalar;
    return (struct terms){.scalar = !scalar->is_live                     ? 1
                                    : operands->arithmetic == ACL_DOUBLE ? (double)scalar->value
                                                                         : (double)(float)scalar->value,
                          .beta = (double)call->beta,
                          .divisor = 1};
}

/* The sum, or the mean, of everything. */
static void compute_sum(const struct world *world, const struct operands *operands, mpfr_ptr result)
{
    struct view views[OPERANDS_MOST], *view[OPERANDS_MOST], shape;
    for (uint32_t i = 0; i < operands->contract->operand_count; i++) {
        views[i] = operands->executor->view[i];
        view[i] = &views[i];
    }
    (void)broadcast_inputs(&operands->executor->call, view, &shape);
    struct terms terms = terms_of(operands);
    int64_t at[DIMS_MOST] = {0};
    uint64_t count = view_count(&shape);
    mpfr_t term;
    mpfr_init2(term, REFERENCE_BITS);
    mpfr_set_zero(result, 1);
    for (uint64_t n = 0; n < count; n++, next_index(&shape, at)) {
        compute_term(world, operands, shape.rank, at, &terms, term);
        mpfr_add(result, result, term, MPFR_RNDN);
    }
    if (operands->executor->call.reduction == 1)
        mpfr_div_ui(result, result, (unsigned long)count, MPFR_RNDN);
    mpfr_clear(term);
}

static bool is_wide(aclDataType dtype)
{
    return dtype == ACL_DOUBLE || dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

bool is_within_bound(const struct executor *executor)
{
    const struct contract *contract = contract_of(executor->call.kind);
    bool is_any = is_wide(executor->scalar.dtype) || is_wide(executor->alpha.dtype);
    for (uint32_t i = 0; i < contract->operand_count; i++)
        is_any = is_any || is_wide(executor->view[i].dtype);
    return contract->move != NULL && is_any;
}

void compute(struct world *world, const struct executor *executor)
{
    struct operands operands = {.executor = executor, .contract = contract_of(executor->call.kind)};
    uint32_t index = operands.contract->output;
    const struct view *output = &executor->view[index];
    uint64_t count = view_count(output), work = work_of(executor), done = 0;
    if (count == 0)
        return;
    find_operands(world, &operands);
    struct block *block = operands.block[index];
    bool is_sum = operands.contract->reduces && executor->call.reduction != 0;
    uint64_t step = count > COMPUTE_MOST ? count / COMPUTE_MOST : 1;
    uint32_t size = (uint32_t)aclDataTypeSize(output->dtype);
    struct terms terms = terms_of(&operands);
    terms.divisor = executor->call.reduction == 1 ? count : 1;
    mpfr_t result;
    mpfr_init2(result, REFERENCE_BITS);
    int64_t at[DIMS_MOST] = {0};
    do {
        uint64_t to = offset_of(&operands, index, output->rank, at);
        if (is_sum ? work > TERMS_MOST : done++ % step != 0) {
            memcpy(block->shadow + to, block->address + to, size);
            continue;
        }
        if (operands.contract->move != NULL) {
            if (is_within_bound(executor)) /* what was found stays where the promise allows it */
                memcpy(block->shadow + to, block->address + to, size);
            move_one_element(world, &operands, output->rank, at, block->shadow + to);
            continue;
        }
        if (is_sum)
            compute_sum(world, &operands, result);
        else
            compute_term(world, &operands, output->rank, at, &terms, result);
        reference_round(result, operands.arithmetic);
        reference_store(output->dtype, result, block->shadow + to);
    } while (next_index(output, at));
    mpfr_clear(result);
}
