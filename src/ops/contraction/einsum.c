/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of products that an equation names. Each tensor is gathered first, in the order of what becomes of its
 * letters: those of both and the result, its own of the result, those of both that are summed over, and its
 * own that are, which this sums. Then it is a batch of products of matrices, with the bits of Matmul for
 * FLOAT and shorter floats, and by plain loops in DOUBLE and INT64; and the result is scattered.
 */
#include "aclnnop/aclnn_einsum.h"

#include <string.h>

#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/contraction/contraction.h"
#include "ops/contraction/equation.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "simd/vector/kernels.h"

#define EINSUM(X, of)                                                 \
    X(of, IN_LIST, tensors, &dtypes_floats_integers, .sample = "3x3") \
    X(of, CONST_TEXT, equation, .usual = "ij,jk->ik")                 \
    X(of, OUT, output, &dtypes_floats_integers)
SIGNATURE(EINSUM)
enum { LEFT, RIGHT, RESULT, PLACES };
enum { PIECE = 512, PIECES_AT_ONCE = 16, WIDE_BYTES = 8, ELEMENT_NS = 1 };

/* A tensor in the order in which it is gathered or scattered. */
struct gathered {
    struct port port;      /* as it is: to be brought in the dtype of what is gathered */
    uint64_t kept, summed; /* elements that are left, and of how many each is the sum */
};

struct einsum {
    const struct transfer *transfer;
    aclDataType dtype, wide; /* of the tensors; of what is gathered: FLOAT, DOUBLE, INT64, or the same */
    uint32_t wide_bytes, tensors;
    uint64_t batch, rows, columns, depth, cost_ns;
    struct gathered tensor[PLACES];
    struct contraction product; /* of two tensors in FLOAT */
};

/* A view whose dims are letters, in any order. */
struct arranged {
    struct tensor_view view;
    bool overflows;
};

/* Adds a letter to a view: where the tensor has it, a step along all dims that are the letter's. */
static void add_letter(struct arranged *arranged, const struct tensor_view *from,
                       const struct letters *letters, unsigned letter, int64_t size)
{
    struct tensor_view *view = &arranged->view;
    int64_t stride = 0;
    for (uint32_t i = 0; i < letters->count; i++)
        if (letters->letter[i] == letter && from->shape[i] != 1)
            stride += from->stride[i];
    view->shape[view->rank] = size;
    view->stride[view->rank++] = stride;
    arranged->overflows = __builtin_mul_overflow(view->count, size, &view->count) || arranged->overflows;
}

/* What an equation makes of its letters. */
enum fate { OF_BATCH, OF_ONE, OF_DEPTH, OF_SUM, FATES };

static enum fate fate_of(const struct equation *equation, unsigned letter)
{
    const bool is_shared =
        letters_have(&equation->operand[LEFT], letter) && letters_have(&equation->operand[RIGHT], letter);
    return letters_have(&equation->result, letter) ? (is_shared ? OF_BATCH : OF_ONE)
                                                   : (is_shared ? OF_DEPTH : OF_SUM);
}

/* The dims of a tensor in the order of their fates, those of the result in its order; count[fate] is the
 * elements of each. */
static struct arranged arrange(const struct equation *equation, const struct tensor_view *from,
                               const struct letters *letters, uint64_t count[FATES])
{
    struct arranged arranged = {.view = {.dtype = from->dtype, .count = 1}};
    for (int fate = 0; fate < FATES; fate++) {
        count[fate] = 1;
        for (unsigned i = 0; i < equation->result.count + EQUATION_LETTERS; i++) {
            const bool is_of_result = i < equation->result.count;
            const unsigned letter = is_of_result ? equation->result.letter[i] : i - equation->result.count;
            if (is_of_result != (fate <= OF_ONE) || fate_of(equation, letter) != (enum fate)fate ||
                !letters_have(letters, letter))
                continue;
            add_letter(&arranged, from, letters, letter, equation->size[letter]);
            count[fate] *= (uint64_t)equation->size[letter];
        }
    }
    return arranged;
}

/* The result's dims: of both tensors, of the first alone, of the second alone. */
static struct arranged arrange_result(const struct equation *equation, const struct tensor_view *output)
{
    struct arranged arranged = {.view = {.dtype = output->dtype, .count = 1}};
    for (int part = 0; part < PLACES; part++)
        for (uint32_t i = 0; i < equation->result.count; i++) {
            const unsigned letter = equation->result.letter[i];
            const int own = fate_of(equation, letter) == OF_BATCH            ? 0
                            : letters_have(&equation->operand[LEFT], letter) ? 1
                                                                             : 2;
            if (own == part)
                add_letter(&arranged, output, &equation->result, letter, equation->size[letter]);
        }
    return arranged;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    /* The most elements of 8 bytes of which 64 bits can count three times as many bytes. */
    const int64_t most = INT64_C(1) << 58;
    const struct call_values *list = &call->values[EINSUM_tensors];
    struct equation equation;
    for (uint64_t k = 0; k < list->count; k++) {
        const struct tensor_view *view = &list->value.tensor[k];
        TRY(check_dtype_in_list(call, EINSUM_tensors, view->dtype));
        if (view->dtype != list->value.tensor[0].dtype)
            return refuse(call, "tensor 1 of tensors has dtype %s; %s, that of tensor 0, is expected",
                          dtype_name(view->dtype), dtype_name(list->value.tensor[0].dtype));
        if (view->rank > OPERAND_RANK_MAX)
            return refuse(call, "a tensor of tensors has %u dims; at most %d are expected", view->rank,
                          OPERAND_RANK_MAX);
    }
    TRY(equation_read(call, EINSUM_tensors, call->argument[EINSUM_equation].string, &equation));
    result->computed = list->value.tensor[0].dtype;
    struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape.rank = equation.result.count;
    int64_t elements = 1;
    bool overflows = false, is_empty = false;
    for (uint32_t i = 0; i < equation.result.count; i++) {
        const int64_t size = output->shape.dim[i] = equation.size[equation.result.letter[i]];
        is_empty = is_empty || size == 0;
        overflows = __builtin_mul_overflow(elements, size, &elements) || elements > most || overflows;
    }
    if (overflows && !is_empty)
        return refuse(call, "output would have more than 2^58 elements; that many at most are expected");
    for (uint64_t k = 0; k < list->count && !is_empty; k++) {
        uint64_t count[FATES];
        const struct arranged arranged =
            arrange(&equation, &list->value.tensor[k], &equation.operand[k], count);
        if (arranged.overflows || arranged.view.count > most)
            return refuse(
                call, "a tensor would broadcast to more than 2^58 elements; that many at most are expected");
    }
    return ACLNN_SUCCESS;
}

static struct contraction_matrix matrix_of(uint32_t address, uint64_t rows, uint64_t columns)
{
    return (struct contraction_matrix){.dtype = ACL_FLOAT,
                                       .bytes = sizeof(float),
                                       .address = address,
                                       .stride = {(int64_t)columns, 1},
                                       .batch_stride = {(int64_t)(rows * columns)}};
}

/* Prepares the product of two tensors, in FLOAT. */
static void prepare_product(const struct call *call, struct einsum *plan)
{
    plan->product = (struct contraction){.rows = plan->rows,
                                         .columns = plan->columns,
                                         .depth = plan->depth,
                                         .batch_axes = plan->batch > 1,
                                         .batch_size = {plan->batch},
                                         .left = matrix_of(LEFT, plan->rows, plan->depth),
                                         .right = matrix_of(RIGHT, plan->columns, plan->depth),
                                         .out = matrix_of(RESULT, plan->rows, plan->columns),
                                         .alpha = 1};
    contraction_prepare(&plan->product, call->settings->isa, call->settings->thread_count);
    plan->cost_ns += plan->product.cost_ns;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct call_values *list = &call->values[EINSUM_tensors];
    const aclDataType dtype = result->computed;
    struct executor_content *content;
    struct equation equation;
    void *made;
    if (call->tensor[EINSUM_output].count == 0)
        return call_idle(call);
    TRY(equation_read(call, EINSUM_tensors, call->argument[EINSUM_equation].string, &equation));
    struct einsum plan = {.transfer = transfer_of(call->settings->isa),
                          .dtype = dtype,
                          .wide = dtype == ACL_DOUBLE                          ? ACL_DOUBLE
                                  : arithmetic_of(dtype) >= ARITHMETICS        ? ACL_INT64
                                  : call->settings->accuracy == ACCURACY_EXACT ? ACL_DOUBLE
                                                                               : ACL_FLOAT,
                          .tensors = equation.operands,
                          .batch = 1,
                          .rows = 1,
                          .columns = 1,
                          .depth = 1};
    for (uint32_t k = 0; k < plan.tensors; k++) {
        uint64_t count[FATES];
        const struct arranged arranged =
            arrange(&equation, &list->value.tensor[k], &equation.operand[k], count);
        plan.tensor[k] =
            (struct gathered){.port = port_of_view(plan.transfer, &arranged.view,
                                                   call->first_operand[EINSUM_tensors] + k, dtype),
                              .kept = count[OF_BATCH] * count[OF_ONE] * count[OF_DEPTH],
                              .summed = count[OF_SUM]};
        plan.batch = count[OF_BATCH];
        plan.depth = count[OF_DEPTH];
        *(k == LEFT ? &plan.rows : &plan.columns) = count[OF_ONE];
        plan.cost_ns += (uint64_t)arranged.view.count * ELEMENT_NS;
        if (plan.tensors == 1 && count[OF_SUM] == 1)
            plan.wide = dtype; /* bits are moved alone */
    }
    const struct arranged arranged = arrange_result(&equation, &call->tensor[EINSUM_output]);
    plan.tensor[RESULT] = (struct gathered){
        .port = port_of_view(plan.transfer, &arranged.view, call->first_operand[EINSUM_output], plan.wide),
        .kept = (uint64_t)arranged.view.count};
    plan.wide_bytes = dtype_bytes(plan.wide);
    const double products = (double)arranged.view.count * (double)plan.depth;
    if (plan.tensors == 2 && plan.wide == ACL_FLOAT)
        prepare_product(call, &plan);
    else
        plan.cost_ns += (uint64_t)(products < 1e15 ? products : 1e15);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What is gathered of each tensor, the result of two, and what products take. */
static size_t work_bytes(const void *prepared)
{
    const struct einsum *plan = prepared;
    size_t bytes = whole_lines(plan->tensor[LEFT].kept * plan->wide_bytes);
    if (plan->tensors == 1)
        return bytes;
    bytes += whole_lines(plan->tensor[RIGHT].kept * plan->wide_bytes) +
             whole_lines(plan->tensor[RESULT].kept * plan->wide_bytes);
    return bytes + (plan->wide == ACL_FLOAT ? contraction_work_bytes(&plan->product) : 0);
}

/* One tensor, from its memory to what is gathered or the other way. */
struct passage {
    const struct einsum *plan;
    const struct gathered *tensor;
    void *const *address;
    unsigned char *wide;
};

/* Sums, which begin with 0, of elements of a tensor's own: in DOUBLE, or with their low bits kept. */
static void sum_own(const struct passage *passage, uint64_t at, void *to)
{
    const struct einsum *plan = passage->plan;
    const uint64_t summed = passage->tensor->summed;
    const aclDataType dtype = plan->wide == ACL_INT64 ? ACL_INT64 : ACL_DOUBLE;
    union {
        double real[PIECE];
        uint64_t whole[PIECE];
    } element __attribute__((uninitialized));
    double real = 0;
    uint64_t whole = 0;
    for (uint64_t done = 0; done < summed; done += PIECE) {
        const uint64_t left = summed - done, count = left < PIECE ? left : PIECE;
        port_bring_as(&passage->tensor->port, passage->address, at * summed + done, count, dtype, &element);
        for (uint64_t i = 0; dtype == ACL_INT64 && i < count; i++)
            whole += element.whole[i];
        for (uint64_t i = 0; dtype == ACL_DOUBLE && i < count; i++)
            real += element.real[i];
    }
    canonical_nans(&real, 1);
    if (plan->wide == ACL_FLOAT)
        plan->transfer->convert(&real, ACL_DOUBLE, to, ACL_FLOAT, 1);
    else
        memcpy(to, dtype == ACL_INT64 ? (const void *)&whole : (const void *)&real, WIDE_BYTES);
}

static void gather(void *context, uint64_t at, uint64_t count)
{
    const struct passage *passage = context;
    const struct gathered *tensor = passage->tensor;
    const uint32_t bytes = passage->plan->wide_bytes;
    unsigned char *to = passage->wide + at * bytes;
    if (tensor->summed == 1)
        port_bring_as(&tensor->port, passage->address, at, count, passage->plan->wide, to);
    for (uint64_t i = 0; tensor->summed != 1 && i < count; i++)
        sum_own(passage, at + i, to + i * bytes);
}

static void scatter(void *context, uint64_t at, uint64_t count)
{
    const struct passage *passage = context;
    port_deliver(&passage->tensor->port, passage->address, at, count,
                 passage->wide + at * passage->plan->wide_bytes);
}

struct plain_products {
    const struct einsum *plan;
    const unsigned char *left, *right;
    unsigned char *result;
};

/* Rows of the result, of all matrices of the batch; elements are sums from 0 on, in the order of the depth.
 */
static void multiply_row(void *context, uint64_t row)
{
    const struct plain_products *products = context;
    const struct einsum *plan = products->plan;
    const uint64_t depth = plan->depth, columns = plan->columns, first = row / plan->rows * columns;
    for (uint64_t c = 0; c < columns; c++) {
        const size_t left = (size_t)(row * depth), right = (size_t)((first + c) * depth);
        if (plan->wide == ACL_INT64) {
            const uint64_t *a = (const uint64_t *)(const void *)products->left + left,
                           *b = (const uint64_t *)(const void *)products->right + right;
            uint64_t sum = 0;
            for (uint64_t k = 0; k < depth; k++)
                sum += a[k] * b[k];
            ((uint64_t *)(void *)products->result)[row * columns + c] = sum;
        } else {
            const double *a = (const double *)(const void *)products->left + left,
                         *b = (const double *)(const void *)products->right + right;
            double sum = 0;
            for (uint64_t k = 0; k < depth; k++)
                sum += a[k] * b[k];
            canonical_nans(&sum, 1);
            ((double *)(void *)products->result)[row * columns + c] = sum;
        }
    }
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct einsum *plan = prepared;
    unsigned char *wide[PLACES] = {scratch};
    for (int i = RIGHT; i < PLACES && plan->tensors == 2; i++)
        wide[i] = wide[i - 1] + whole_lines(plan->tensor[i - 1].kept * plan->wide_bytes);
    for (uint32_t k = 0; k < plan->tensors; k++) {
        struct passage passage = {plan, &plan->tensor[k], address, wide[k]};
        pieces_run(gather, &passage, plan->tensor[k].kept, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    }
    if (plan->tensors == 2 && plan->wide == ACL_FLOAT) {
        void *const places[] = {wide[LEFT], wide[RIGHT], wide[RESULT]};
        unsigned char *work = wide[RESULT] + whole_lines(plan->tensor[RESULT].kept * plan->wide_bytes);
        (void)contraction_run(&plan->product, places,
                              contraction_work_bytes(&plan->product) > 0 ? work : NULL);
    } else if (plan->tensors == 2) {
        struct plain_products products = {plan, wide[LEFT], wide[RIGHT], wide[RESULT]};
        tasks_run(multiply_row, &products, plan->batch * plan->rows, 1, plan->cost_ns);
    }
    struct passage passage = {plan, &plan->tensor[RESULT], address,
                              plan->tensors == 2 ? wide[RESULT] : wide[LEFT]};
    pieces_run(scatter, &passage, plan->tensor[RESULT].kept, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

FUNCTION_OF(aclnnEinsum, EINSUM, .stem = "einsum", .family = FAMILY_CONTRACTION, .promise = &promise_sum,
            .operation.work_bytes = work_bytes, .operation.reads_first = true, .operation.run = run,
            .infer = infer, .plan = plan);
