/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The negative log likelihood of a class for each position, l = -weight[class] self[class], the sum of all l,
 * or that divided by the sum of the weights; and its gradient. Positions whose class is ignoreIndex count 0
 * in both sums. Any other class that is not one fails the work before anything is written.
 *
 * Products are exact in doubles. Sums are in fp64: the positions of a block one after the other, then the
 * blocks in their order, so that the number of threads does not matter.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss2d_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/signature.h"
#include "ops/transfer.h"
#include "runtime/streams/fault.h"

static const char *const reductions[] = {"none", "mean", "sum", NULL};
#define LOSS_OF(X, of, sample_, targets)                                               \
    X(of, IN, self, &dtypes_fp32_fp16_bf16, .sample = sample_, .is_partly_read = true) \
    X(of, IN, target, &dtypes_int32_int64_uint8, .sample = targets)                    \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .sample = "3", .is_partly_read = true)   \
    X(of, INT64, reduction, .choices = reductions, .usual = "mean")                    \
    X(of, INT64, ignoreIndex, .usual = "-100")
#define LOSS(X, of, sample_, targets)       \
    LOSS_OF(X, of, sample_, targets)        \
    X(of, OUT, out, &dtypes_floats_complex) \
    X(of, OUT, totalWeightOut, &dtypes_floats_complex)
SIGNATURE_PLACES(LOSS, , )
#define BACK(X, of, sample_, targets, total)                         \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16, .sample = "1")     \
    LOSS_OF(X, of, sample_, targets)                                 \
    X(of, total, totalWeight, &dtypes_fp32_fp16_bf16, .sample = "1") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE_PLACES(BACK, , , IN)
enum { NONE, MEAN, SUM };

/* Positions of a block, and nanoseconds for one. */
enum { BLOCK = 4096, POSITION_NS = 20 };

/* What a position has a place in: the classes (self or its gradient), the targets, and one element for each
 * (the losses or their gradients). */
enum { CLASSES, TARGETS, ELEMENTS, VIEWS };

/* What is read, and then what is written; forward and backward each have five of them. */
enum { AT_TARGET, AT_WEIGHT, AT_SELF, AT_OUT, AT_TOTAL, AT_GRADIENT, OPERANDS };

struct plan {
    const struct transfer *transfer;
    aclDataType computed;
    bool is_backward;
    int64_t reduction, ignored, classes;
    int64_t class_stride, weight_stride;
    uint64_t blocks;
    struct operand at[OPERANDS];
    struct nest nest;   /* of positions */
    struct shape shape; /* of the targets, for sentences */
};

struct sums {
    double loss, weight;
};

struct work {
    const struct plan *plan;
    unsigned char *first[OPERANDS];
    struct sums *sums; /* of each block */
    double divisor;    /* of the gradient */
    _Atomic uint64_t first_fault;
};

static double read_number(const struct work *work, unsigned operand, int64_t element)
{
    const struct operand *at = &work->plan->at[operand];
    double value;
    work->plan->transfer->convert(work->first[operand] + element * (int64_t)at->bytes, at->dtype, &value,
                                  ACL_DOUBLE, 1);
    return value;
}

/* Rounded to the dtype that is computed in, then to the tensor's. */
static void write_number(const struct work *work, unsigned operand, int64_t element, double value)
{
    const struct operand *at = &work->plan->at[operand];
    const aclDataType computed = work->plan->computed;
    _Alignas(16) unsigned char rounded[16];
    unsigned char *to = work->first[operand] + element * (int64_t)at->bytes;
    canonical_nans(&value, 1);
    if (at->dtype == computed) {
        work->plan->transfer->convert(&value, ACL_DOUBLE, to, computed, 1);
        return;
    }
    work->plan->transfer->convert(&value, ACL_DOUBLE, rounded, computed, 1);
    work->plan->transfer->convert(rounded, computed, to, at->dtype, 1);
}

static int64_t class_at(const struct work *work, int64_t element)
{
    const struct operand *at = &work->plan->at[AT_TARGET];
    const unsigned char *from = work->first[AT_TARGET] + element * (int64_t)at->bytes;
    int64_t wide;
    int32_t narrow;
    if (at->dtype == ACL_UINT8)
        return *from;
    if (at->dtype == ACL_INT64) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

/* Finds the first position whose class is none. */
static void check_block(void *context, uint64_t at, uint64_t count)
{
    struct work *work = context;
    const struct plan *plan = work->plan;
    struct nest_place place = nest_place_at(&plan->nest, at);
    for (uint64_t i = at; i < at + count; i++) {
        const int64_t class = class_at(work, place.offset[TARGETS]);
        nest_advance(&plan->nest, &place, 1);
        if (class == plan->ignored || (class >= 0 && class < plan->classes))
            continue;
        note_fault(&work->first_fault, i);
        return;
    }
}

static void add_block(void *context, uint64_t at, uint64_t count)
{
    struct work *work = context;
    const struct plan *plan = work->plan;
    struct nest_place place = nest_place_at(&plan->nest, at);
    struct sums sums = {0, 0};
    for (uint64_t i = 0; i < count; i++) {
        const int64_t class = class_at(work, place.offset[TARGETS]);
        double loss = 0;
        if (class != plan->ignored) {
            const double weight = read_number(work, AT_WEIGHT, class * plan->weight_stride);
            loss = -(weight * read_number(work, AT_SELF, place.offset[CLASSES] + class * plan->class_stride));
            sums.loss += loss;
            sums.weight += weight;
        }
        if (plan->reduction == NONE)
            write_number(work, AT_OUT, place.offset[ELEMENTS], loss);
        nest_advance(&plan->nest, &place, 1);
    }
    work->sums[at / BLOCK] = sums;
}

static void derive_block(void *context, uint64_t at, uint64_t count)
{
    struct work *work = context;
    const struct plan *plan = work->plan;
    struct nest_place place = nest_place_at(&plan->nest, at);
    const uint32_t bytes = plan->at[AT_OUT].bytes;
    for (uint64_t i = 0; i < count; i++) {
        const int64_t class = class_at(work, place.offset[TARGETS]);
        unsigned char *row = work->first[AT_OUT] + place.offset[CLASSES] * (int64_t)bytes;
        for (int64_t k = 0; k < plan->classes; k++)
            memset(row + k * plan->class_stride * (int64_t)bytes, 0, bytes);
        if (class != plan->ignored) {
            const double gradient = read_number(work, AT_GRADIENT, place.offset[ELEMENTS]);
            const double weight = read_number(work, AT_WEIGHT, class * plan->weight_stride);
            write_number(work, AT_OUT, place.offset[CLASSES] + class * plan->class_stride,
                         -(gradient * weight) / work->divisor);
        }
        nest_advance(&plan->nest, &place, 1);
    }
}

/* "target holds 12 at [3]; 0 to 9 are expected" */
static int tell_class(const struct work *work, uint64_t position)
{
    const struct plan *plan = work->plan;
    const int64_t class = class_at(work, nest_place_at(&plan->nest, position).offset[TARGETS]);
    char place[8 + 21 * OPERAND_RANK_MAX] = "";
    int64_t index[OPERAND_RANK_MAX] = {0};
    size_t length = 0;
    for (uint32_t i = plan->shape.rank; i-- > 0; position /= (uint64_t)plan->shape.dim[i])
        index[i] = (int64_t)(position % (uint64_t)plan->shape.dim[i]);
    for (uint32_t i = 0; i < plan->shape.rank; i++)
        length += (size_t)snprintf(place + length, sizeof place - length, "%s%" PRId64, i > 0 ? ", " : "",
                                   index[i]);
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "target holds %" PRId64 " at [%s]; 0 to %" PRId64 " or ignoreIndex, %" PRId64
                          ", is expected",
                          class, place, plan->classes - 1, plan->ignored);
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(plan->is_backward ? 0 : plan->blocks * sizeof(struct sums));
}

static void finish_sums(const struct work *work)
{
    const struct plan *plan = work->plan;
    struct sums sums = {0, 0};
    for (uint64_t block = 0; block < plan->blocks; block++) {
        sums.loss += work->sums[block].loss;
        sums.weight += work->sums[block].weight;
    }
    if (plan->reduction != NONE)
        write_number(work, AT_OUT, 0, plan->reduction == MEAN ? sums.loss / sums.weight : sums.loss);
    write_number(work, AT_TOTAL, 0, plan->reduction == NONE ? 0 : sums.weight);
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    struct work work = {.plan = plan, .sums = scratch, .divisor = 1};
    const uint64_t cost = plan->nest.count * POSITION_NS;
    for (unsigned i = 0; i < OPERANDS; i++)
        work.first[i] = plan->at[i].extent == 0 ? NULL : address[plan->at[i].address];
    atomic_init(&work.first_fault, UINT64_MAX);
    pieces_run(check_block, &work, plan->nest.count, BLOCK, 4, cost / 4);
    if (atomic_load(&work.first_fault) != UINT64_MAX)
        return tell_class(&work, atomic_load(&work.first_fault));
    if (plan->is_backward) {
        work.divisor = plan->reduction == MEAN ? read_number(&work, AT_TOTAL, 0) : 1;
        pieces_run(derive_block, &work, plan->nest.count, BLOCK, 4,
                   cost + plan->nest.count * (uint64_t)plan->classes);
        return 0;
    }
    pieces_run(add_block, &work, plan->nest.count, BLOCK, 4, cost);
    finish_sums(&work);
    return 0;
}

/* The dim of the classes: the only one, or behind the first. */
static uint32_t class_dim(const struct tensor_view *self)
{
    return self->rank == 1 ? 0 : 1;
}

/* What of_family of these functions is: whether self has planes of elements. */
static const bool of_planes = true, of_rows = false;

static aclnnStatus check_shapes(const struct call *call, unsigned self_parameter, unsigned target_parameter,
                                unsigned weight_parameter)
{
    const struct tensor_view *self = &call->tensor[self_parameter], *target = &call->tensor[target_parameter],
                             *weight = &call->tensor[weight_parameter];
    const bool is_2d = *(const bool *)call->function->of_family;
    if (is_2d ? self->rank != 4 : self->rank != 1 && self->rank != 2)
        return refuse(call, "self has %u dims; %s is expected", self->rank, is_2d ? "4" : "1 or 2");
    const uint32_t dim = class_dim(self);
    bool fits = target->rank + 1 == self->rank;
    for (uint32_t i = 0, k = 0; fits && i < self->rank; i++)
        fits = i == dim || target->shape[k++] == self->shape[i];
    if (!fits && !(self->rank == 1 && target->rank == 1 && target->count == 1))
        return refuse(call, "target has not the shape of self without its dim of classes");
    if (weight->rank != 1 || weight->shape[0] != self->shape[dim])
        return refuse(call, "weight has %lld elements in %u dims; %lld in 1 are expected",
                      (long long)weight->count, weight->rank, (long long)self->shape[dim]);
    return ACLNN_SUCCESS;
}

static void add_one(struct result *result, aclDataType dtype, enum dtype_rule rule)
{
    result_add(result, dtype, rule)->shape_rule = SHAPE_ONE;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, LOSS_self));
    TRY(check_dtype(call, LOSS_target));
    TRY(check_dtype(call, LOSS_weight));
    TRY(check_same_dtype(call, LOSS_weight, LOSS_self, NULL));
    TRY(check_rank(call, LOSS_self));
    TRY(check_shapes(call, LOSS_self, LOSS_target, LOSS_weight));
    TRY(check_choice(call, LOSS_reduction));
    result->computed = call_dtype(call, LOSS_self);
    if (call->argument[LOSS_reduction].int64 != NONE || call->tensor[LOSS_self].rank == 1)
        add_one(result, result->computed, DTYPE_CASTABLE);
    else
        result_add(result, result->computed, DTYPE_CASTABLE)->like = LOSS_target;
    add_one(result, result->computed, DTYPE_CASTABLE);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const struct tensor_view *gradient = &call->tensor[BACK_gradOutput];
    TRY(check_dtype(call, BACK_gradOutput));
    TRY(check_dtype(call, BACK_self));
    TRY(check_dtype(call, BACK_target));
    TRY(check_dtype(call, BACK_weight));
    TRY(check_dtype(call, BACK_totalWeight));
    TRY(check_same_dtype(call, BACK_gradOutput, BACK_self, NULL));
    TRY(check_same_dtype(call, BACK_weight, BACK_self, NULL));
    TRY(check_same_dtype(call, BACK_totalWeight, BACK_self, NULL));
    TRY(check_rank(call, BACK_self));
    TRY(check_shapes(call, BACK_self, BACK_target, BACK_weight));
    TRY(check_choice(call, BACK_reduction));
    if (call->argument[BACK_reduction].int64 == NONE && call->tensor[BACK_self].rank > 1)
        TRY(check_same_shape(call, BACK_gradOutput, BACK_target, NULL));
    else if (gradient->count != 1 || gradient->rank > 1)
        return refuse(call, "gradOutput has %lld elements in %u dims; a single one is expected",
                      (long long)gradient->count, gradient->rank);
    if (call->tensor[BACK_totalWeight].count != 1)
        return refuse(call, "totalWeight has %lld elements; a single one is expected",
                      (long long)call->tensor[BACK_totalWeight].count);
    result->computed = call_dtype(call, BACK_self);
    result_add(result, result->computed, DTYPE_EQUAL)->like = BACK_self;
    return ACLNN_SUCCESS;
}

/* The positions: strides of the tensor with classes, of the targets, and of what has one element for each,
 * where it has. */
static void set_positions(struct plan *plan, const struct tensor_view *classes,
                          const struct tensor_view *target, const struct tensor_view *elements)
{
    const uint32_t dim = class_dim(classes);
    plan->classes = classes->shape[dim];
    plan->class_stride = classes->stride[dim];
    plan->shape = shape_of(target);
    nest_begin(&plan->nest, VIEWS);
    for (uint32_t i = 0; i < target->rank; i++) {
        const int64_t stride[VIEWS] = {classes->rank > 1 ? classes->stride[i < dim ? i : i + 1] : 0,
                                       target->stride[i], elements != NULL ? elements->stride[i] : 0};
        nest_add(&plan->nest, target->shape[i], stride);
    }
    nest_merge(&plan->nest);
    plan->blocks = (plan->nest.count + BLOCK - 1) / BLOCK;
}

static aclnnStatus plan_of(const struct call *call, const struct plan *made, unsigned weight)
{
    struct executor_content *content;
    void *memory;
    TRY(call_begin(call, sizeof *made, &content, &memory));
    struct plan *plan = memory;
    *plan = *made;
    plan->transfer = transfer_of(call->settings->isa);
    plan->weight_stride = call->tensor[weight].stride[0];
    content->cost_ns =
        plan->nest.count * POSITION_NS + (plan->is_backward ? plan->nest.count * (uint64_t)plan->classes : 0);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const int64_t reduction = call->argument[LOSS_reduction].int64;
    const bool has_losses = reduction == NONE && call->tensor[LOSS_self].rank > 1;
    struct plan plan = {.computed = result->computed,
                        .reduction = reduction,
                        .ignored = call->argument[LOSS_ignoreIndex].int64,
                        .at = {[AT_TARGET] = operand_of(call, LOSS_target),
                               [AT_WEIGHT] = operand_of(call, LOSS_weight),
                               [AT_SELF] = operand_of(call, LOSS_self),
                               [AT_OUT] = operand_of(call, LOSS_out),
                               [AT_TOTAL] = operand_of(call, LOSS_totalWeightOut)}};
    set_positions(&plan, &call->tensor[LOSS_self], &call->tensor[LOSS_target],
                  has_losses ? &call->tensor[LOSS_out] : NULL);
    return plan_of(call, &plan, LOSS_weight);
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const int64_t reduction = call->argument[BACK_reduction].int64;
    const bool has_gradients = reduction == NONE && call->tensor[BACK_self].rank > 1;
    if (call->tensor[BACK_out].count == 0)
        return call_idle(call);
    struct plan plan = {.computed = result->computed,
                        .is_backward = true,
                        .reduction = reduction,
                        .ignored = call->argument[BACK_ignoreIndex].int64,
                        .at = {[AT_TARGET] = operand_of(call, BACK_target),
                               [AT_WEIGHT] = operand_of(call, BACK_weight),
                               [AT_OUT] = operand_of(call, BACK_out),
                               [AT_TOTAL] = operand_of(call, BACK_totalWeight),
                               [AT_GRADIENT] = operand_of(call, BACK_gradOutput)}};
    set_positions(&plan, &call->tensor[BACK_out], &call->tensor[BACK_target],
                  has_gradients ? &call->tensor[BACK_gradOutput] : NULL);
    return plan_of(call, &plan, BACK_weight);
}

#define ROWS   "2x3", "2:INT64"
#define PLANES "2x3x2x2", "2x2x2:INT64"
#define NLL(which, ...)                                                    \
    .promise = &promise_sum, .family = FAMILY_INDEX, .operation.run = run, \
    .operation.work_bytes = work_bytes, .of_family = &(which), __VA_ARGS__

FUNCTION_LIKE(aclnnNLLLoss, (LOSS, ROWS), .stem = "nll_loss", NLL(of_rows, .infer = infer, .plan = plan));
FUNCTION_LIKE(aclnnNLLLoss2d, (LOSS, PLANES), .stem = "nll_loss2d",
              NLL(of_planes, .infer = infer, .plan = plan));
FUNCTION_LIKE(aclnnNLLLossBackward, (BACK, ROWS, IN), .stem = "nll_loss_backward",
              NLL(of_rows, .infer = infer_backward, .plan = plan_backward));
FUNCTION_LIKE(aclnnNLLLoss2dBackward, (BACK, PLANES, MUTABLE_IN), .stem = "nll_loss2d_backward",
              NLL(of_planes, .infer = infer_backward, .plan = plan_backward));
