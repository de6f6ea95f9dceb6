/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The cross entropy of rows of logits with a class y for each, smoothed by e: with l the logarithms of the
 * row's softmax a row's loss is -(1 - e) w[y] l[y] - e / C sum of w[c] l[c], 0 where y is ignored; their sum,
 * or that divided by the sum of all w[y] that count. The gradient has k (1 - e) w[y] (p - 1 at y) + k e / C
 * (p sum of w - w) with p = e^l and the row's k. In DOUBLE; sums of rows in their order, then over all rows;
 * rounded once. A target that is no class fails the work before anything is written.
 */
#include <stdbool.h>
#include <stddef.h>

#include "simd/vector/level_table.h"

struct class_entropy_kernels {
    /* x becomes the logarithms of its softmax; the sum of weights times them, where asked for. */
    double (*forward)(double *x, const double *weights, size_t count, double *room, bool has_sum);
    /* The logarithms become e^l by - weights less. */
    void (*backward)(double *x, const double *weights, size_t count, double by, double less);
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths/logarithm.h"
#include "simd/loops/row.h"
#include "simd/loops/row_exponential.h"

static double forward(double *x, const double *weights, size_t count, double *room, bool has_sum)
{
    const double greatest = row_greatest(ARITHMETIC_FP64, x, count);
    const double logarithm =
        maths_log(broadcast(row_sum(ARITHMETIC_FP64, x, count, NULL, exp_of_difference, greatest)))[0];
    for (size_t i = 0; i < count; i += LANES) {
        const doubles value = row_load(ARITHMETIC_FP64, x, i, count - i) - greatest - logarithm;
        const doubles term = value * row_load(ARITHMETIC_FP64, weights, i, count - i);
        row_store(ARITHMETIC_FP64, x, i, value, count - i, true);
        row_store(ARITHMETIC_FP64, room, i, term, count - i, false);
    }
    return has_sum ? row_sum(ARITHMETIC_FP64, room, count, NULL, row_itself, 0) : 0;
}

static void backward(double *x, const double *weights, size_t count, double by, double less)
{
    for (size_t i = 0; i < count; i += LANES) {
        const doubles p = row_exp(row_load(ARITHMETIC_FP64, x, i, count - i), broadcast(0));
        const doubles rest = less * row_load(ARITHMETIC_FP64, weights, i, count - i);
        row_store(ARITHMETIC_FP64, x, i, p * by - rest, count - i, true);
    }
}

extern const struct class_entropy_kernels AT_LEVEL(class_entropy_kernels);
const struct class_entropy_kernels AT_LEVEL(class_entropy_kernels) = {forward, backward};

#else

/* The contract. */
#include "aclnnop/aclnn_cross_entropy_loss.h"

#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "ops/canonical.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

LEVEL_TABLE(const struct class_entropy_kernels, kernels, class_entropy_kernels);

#define TARGETS(X, of)                                          \
    X(of, IN, target, &dtypes_int32_int64, .sample = "2:INT64") \
    X(of, IN, weightOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")
#define NUMBERS(X, of)                                                   \
    X(of, TEXT, reductionOptional, .is_optional = true, .usual = "mean") \
    X(of, INT64, ignoreIndex, .usual = "-100")                           \
    X(of, DOUBLE, labelSmoothing, .usual = "0")                          \
    X(of, DOUBLE, lseSquareScaleForZloss, .usual = "0")
#define LOSS(X, of)                                      \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)             \
    TARGETS(X, of)                                       \
    NUMBERS(X, of)                                       \
    X(of, BOOL, returnZloss, .usual = "false")           \
    X(of, CONST_OUT, lossOut, &dtypes_fp32_fp16_bf16)    \
    X(of, CONST_OUT, logProbOut, &dtypes_fp32_fp16_bf16) \
    X(of, UNUSED, zlossOut, &dtypes_all)                 \
    X(of, UNUSED, lseForZlossOut, &dtypes_all)
SIGNATURE(LOSS)
#define LOSS_GRAD(X, of)                                                 \
    X(of, IN, gradLoss, &dtypes_fp32_fp16_bf16, .sample = "1")           \
    X(of, IN, logProb, &dtypes_fp32_fp16_bf16)                           \
    TARGETS(X, of)                                                       \
    X(of, UNUSED, gradZlossOptional, &dtypes_all, .is_optional = true)   \
    X(of, UNUSED, lseForZlossOptional, &dtypes_all, .is_optional = true) \
    NUMBERS(X, of)                                                       \
    X(of, CONST_OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(LOSS_GRAD)
enum { NONE, MEAN, SUM };

/* What both have: the logits or logarithms, the losses or their gradients, and the matrix that is written. */
enum { AT_ROWS, AT_TARGET, AT_WEIGHT, AT_LOSS, AT_OUT, OPERANDS };

struct plan {
    const struct class_entropy_kernels *kernels;
    bool is_backward, has_weight;
    int reduction;
    int64_t ignored;
    double smoothing;
    uint64_t rows, classes, slots, cost_ns;
    struct port port[OPERANDS]; /* in doubles, the target in INT64 */
};

struct run {
    const struct plan *plan;
    void *const *address;
    double *weight;             /* of each class */
    double *loss, *row_weight;  /* of each row; loss is k of a gradient */
    double weight_sum, divisor; /* of all classes; of the rows that count, for a mean */
    int64_t *class;             /* of each row, or -1 */
};

/* The room of a thread: a row, and what the kernel needs. */
static size_t slot_bytes(const struct plan *plan)
{
    return 2 * whole_lines(plan->classes * sizeof(double));
}

static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return whole_lines(plan->classes * sizeof(double)) + 3 * whole_lines(plan->rows * sizeof(double)) +
           plan->slots * slot_bytes(plan);
}

static void read_doubles(const struct run *run, unsigned operand, uint64_t from, uint64_t count, double *to)
{
    port_bring(&run->plan->port[operand], run->address, from, count, to);
}

static void write_doubles(const struct run *run, unsigned operand, uint64_t from, uint64_t count,
                          double *value)
{
    canonical_nans(value, (size_t)count);
    port_deliver(&run->plan->port[operand], run->address, from, count, value);
}

static void take_row(void *context, uint64_t row, unsigned char *memory)
{
    struct run *run = context;
    const struct plan *plan = run->plan;
    const uint64_t classes = plan->classes;
    double *x = (double *)(void *)memory;
    double *room = (double *)(void *)(memory + whole_lines(classes * sizeof(double)));
    const int64_t class = run->class[row];
    const double smoothing = plan->smoothing, weight = class < 0 ? 0 : run->weight[class];
    read_doubles(run, AT_ROWS, row * classes, classes, x);
    if (!plan->is_backward) {
        const double sum = plan->kernels->forward(x, run->weight, (size_t)classes, room, smoothing > 0);
        run->loss[row] = class < 0 ? 0 : -(1 - smoothing) * weight * x[class];
        if (class >= 0 && smoothing > 0)
            run->loss[row] -= smoothing / (double)classes * sum;
    } else if (class < 0) {
        memset(x, 0, (size_t)classes * sizeof *x);
    } else {
        const double k = run->loss[row], own = k * (1 - smoothing) * weight,
                     spread = k * smoothing / (double)classes;
        plan->kernels->backward(x, run->weight, (size_t)classes, own + spread * run->weight_sum, spread);
        x[class] -= own;
    }
    write_doubles(run, AT_OUT, row * classes, classes, x);
}

static int read_targets(struct run *run)
{
    const struct plan *plan = run->plan;
    port_bring(&plan->port[AT_TARGET], run->address, 0, plan->rows, run->class);
    for (uint64_t row = 0; row < plan->rows; row++) {
        const int64_t class = run->class[row];
        if (class != plan->ignored && (class < 0 || (uint64_t) class >= plan->classes))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "target holds %" PRId64 " at [%" PRIu64 "]; 0 to %" PRIu64
                                  " or ignoreIndex, %" PRId64 ", is expected",
                                  class, row, plan->classes - 1, plan->ignored);
        run->class[row] = class == plan->ignored ? -1 : class;
        run->row_weight[row] = class == plan->ignored ? 0 : run->weight[class];
        run->divisor += run->row_weight[row];
    }
    return 0;
}

static void read_weights(struct run *run)
{
    const struct plan *plan = run->plan;
    for (uint64_t i = 0; i < plan->classes; i++)
        run->weight[i] = 1;
    if (plan->has_weight)
        read_doubles(run, AT_WEIGHT, 0, plan->classes, run->weight);
    for (uint64_t i = 0; i < plan->classes; i++)
        run->weight_sum += run->weight[i];
}

/* The gradient of each row's loss. */
static void read_gradients(struct run *run)
{
    const struct plan *plan = run->plan;
    for (uint64_t row = 0; row < plan->rows; row++) {
        read_doubles(run, AT_LOSS, plan->reduction == NONE ? row : 0, 1, &run->loss[row]);
        run->loss[row] /= plan->reduction == MEAN ? run->divisor : 1;
    }
}

static void write_losses(struct run *run)
{
    const struct plan *plan = run->plan;
    double sum = 0;
    for (uint64_t row = 0; row < plan->rows; row++) {
        sum += run->loss[row];
        if (plan->reduction == NONE)
            write_doubles(run, AT_LOSS, row, 1, &run->loss[row]);
    }
    sum = plan->reduction == MEAN ? sum / run->divisor : sum;
    if (plan->reduction != NONE)
        write_doubles(run, AT_LOSS, 0, 1, &sum);
}

static int run_plan(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const size_t of_rows = whole_lines(plan->rows * sizeof(double));
    unsigned char *own = scratch;
    struct run run = {.plan = plan, .address = address, .weight = scratch};
    own += whole_lines(plan->classes * sizeof(double));
    run.loss = (double *)(void *)own;
    run.row_weight = (double *)(void *)(own + of_rows);
    run.class = (int64_t *)(void *)(own + 2 * of_rows);
    read_weights(&run);
    const int status = read_targets(&run);
    if (status != 0)
        return status;
    if (plan->is_backward)
        read_gradients(&run);
    const struct task_memory memory = {own + 3 * of_rows, slot_bytes(plan), plan->slots};
    tasks_run_in_memory(take_row, &run, plan->rows, &memory, plan->cost_ns);
    if (!plan->is_backward)
        write_losses(&run);
    return 0;
}

/* NULL is the mean. */
static aclnnStatus find_reduction(const struct call *call, unsigned parameter, int *reduction)
{
    static const char *const names[] = {"none", "mean", "sum"};
    const char *text = call->argument[parameter].string;
    for (*reduction = NONE; *reduction <= SUM; ++*reduction)
        if (strcmp(text != NULL ? text : "mean", names[*reduction]) == 0)
            return ACLNN_SUCCESS;
    return refuse(call, "reductionOptional is \"%s\"; \"none\", \"mean\" or \"sum\" is expected", text);
}

/* What both check of a matrix and what goes with it. */
static aclnnStatus check_rows(const struct call *call, unsigned matrix, unsigned target, unsigned weight,
                              unsigned smoothing)
{
    const struct tensor_view *x = &call->tensor[matrix], *classes = &call->tensor[target];
    TRY(check_dtype(call, matrix));
    TRY(check_dtype(call, target));
    if (call_has(call, weight))
        TRY(check_dtype(call, weight));
    if (x->rank != 2 || x->shape[1] == 0)
        return refuse(call, "%s has shape %s; rows of 1 class or more are expected", call_name(call, matrix),
                      shape_text(TEXT, x));
    if (classes->rank != 1 || classes->shape[0] != x->shape[0])
        return refuse(call, "target has shape %s; [%" PRId64 "] is expected", shape_text(TEXT, classes),
                      x->shape[0]);
    if (call_has(call, weight) &&
        (call->tensor[weight].rank != 1 || call->tensor[weight].shape[0] != x->shape[1]))
        return refuse(call, "weightOptional has shape %s; [%" PRId64 "] is expected",
                      shape_text(TEXT, &call->tensor[weight]), x->shape[1]);
    const double number = call->argument[smoothing].fp64;
    return number >= 0 && number <= 1 ? ACLNN_SUCCESS
                                      : refuse(call, "labelSmoothing is %g; 0 to 1 is expected", number);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const int64_t *shape = call->tensor[LOSS_input].shape;
    int reduction;
    TRY(check_rows(call, LOSS_input, LOSS_target, LOSS_weightOptional, LOSS_labelSmoothing));
    TRY(find_reduction(call, LOSS_reductionOptional, &reduction));
    struct shape losses = {.rank = 1, .dim = {reduction == NONE ? shape[0] : 1}};
    result_reshaped(result, call, LOSS_input, losses);
    result->output[0].shape_rule = reduction == NONE ? SHAPE_EQUAL : SHAPE_ONE;
    result_like(result, call, LOSS_input);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    const struct tensor_view *grad = &call->tensor[LOSS_GRAD_gradLoss];
    int reduction;
    TRY(check_dtype(call, LOSS_GRAD_gradLoss));
    TRY(check_rows(call, LOSS_GRAD_logProb, LOSS_GRAD_target, LOSS_GRAD_weightOptional,
                   LOSS_GRAD_labelSmoothing));
    TRY(check_same_dtype(call, LOSS_GRAD_logProb, LOSS_GRAD_gradLoss, NULL));
    TRY(find_reduction(call, LOSS_GRAD_reductionOptional, &reduction));
    const int64_t wanted = reduction == NONE ? call->tensor[LOSS_GRAD_logProb].shape[0] : 1;
    if (grad->count != wanted || grad->rank > 1)
        return refuse(call, "gradLoss has %" PRId64 " elements in %u dims; %" PRId64 " are expected",
                      grad->count, grad->rank, wanted);
    result_like(result, call, LOSS_GRAD_logProb);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_of(const struct call *call, struct plan *plan, const unsigned *parameter)
{
    struct executor_content *content;
    void *made;
    for (unsigned i = 0; i < OPERANDS; i++)
        if (i != AT_WEIGHT || call_has(call, parameter[i]))
            plan->port[i] = port_of(call, parameter[i], i == AT_TARGET ? ACL_INT64 : ACL_DOUBLE);
    plan->kernels = kernels[call->settings->isa];
    plan->has_weight = call_has(call, parameter[AT_WEIGHT]);
    plan->rows = (uint64_t)call->tensor[parameter[AT_ROWS]].shape[0];
    plan->classes = (uint64_t)call->tensor[parameter[AT_ROWS]].shape[1];
    plan->slots = plan->rows < call->settings->thread_count ? plan->rows : call->settings->thread_count;
    plan->slots = plan->slots > 0 ? plan->slots : 1;
    plan->cost_ns = plan->rows * (50 + 4 * plan->classes);
    TRY(call_begin(call, sizeof *plan, &content, &made));
    memcpy(made, plan, sizeof *plan);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned parameter[] = {LOSS_input, LOSS_target, LOSS_weightOptional, LOSS_lossOut,
                                         LOSS_logProbOut};
    struct plan plan = {.ignored = call->argument[LOSS_ignoreIndex].int64,
                        .smoothing = call->argument[LOSS_labelSmoothing].fp64};
    (void)result;
    TRY(find_reduction(call, LOSS_reductionOptional, &plan.reduction));
    if (call->tensor[LOSS_lossOut].count == 0)
        return call_idle(call);
    return plan_of(call, &plan, parameter);
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    static const unsigned parameter[] = {LOSS_GRAD_logProb, LOSS_GRAD_target, LOSS_GRAD_weightOptional,
                                         LOSS_GRAD_gradLoss, LOSS_GRAD_out};
    struct plan plan = {.is_backward = true,
                        .ignored = call->argument[LOSS_GRAD_ignoreIndex].int64,
                        .smoothing = call->argument[LOSS_GRAD_labelSmoothing].fp64};
    (void)result;
    TRY(find_reduction(call, LOSS_GRAD_reductionOptional, &plan.reduction));
    if (call->tensor[LOSS_GRAD_out].count == 0)
        return call_idle(call);
    return plan_of(call, &plan, parameter);
}

#define CROSS_ENTROPY                                                           \
    .promise = &promise_sum, .family = FAMILY_INDEX, .operation.run = run_plan, \
    .operation.work_bytes = work_bytes
FUNCTION_OF(aclnnCrossEntropyLoss, LOSS, .stem = "cross_entropy_loss", CROSS_ENTROPY, .infer = infer,
            .plan = plan);

FUNCTION_OF(aclnnCrossEntropyLossGrad, LOSS_GRAD, .stem = "cross_entropy_loss_grad", CROSS_ENTROPY,
            .infer = infer_grad, .plan = plan_grad);

#endif
