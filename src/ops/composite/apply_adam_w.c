/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of AdamW, in the order of torch.optim.AdamW: piece by piece, all tensors are read as doubles before
 * those that change are written, each result rounded once. NaN of v or of the maximum stay in the maximum.
 */
#include <stdbool.h>

struct adamw_numbers {
    double lr, beta1, beta2, decay, eps;
    double t;          /* with this step */
    double rate, root; /* lr / (1 - beta1^t), 1 / sqrt(1 - beta2^t) */
    bool amsgrad, maximize;
};

enum { VAR, M, V, MAX, GRAD, ADAMW_TENSORS };

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/maths_power.h"
#include "simd/row.h"
#include "simd/rows_kernel.h"

/* rate and root, once for all pieces. */
rows_function AT_LEVEL(adamw_rates);
void AT_LEVEL(adamw_rates)(const void *const *input, void *const *output, size_t count, double *room,
                           const void *parameters)
{
    const struct adamw_numbers *by = parameters;
    const doubles t = broadcast(by->t);
    const doubles rate = by->lr / (1 - maths_pow(broadcast(by->beta1), t));
    const doubles root = 1 / square_root(1 - maths_pow(broadcast(by->beta2), t));
    (void)input, (void)count, (void)room;
    row_store(ARITHMETIC_FP64, output[0], 0, rate, 1, true);
    row_store(ARITHMETIC_FP64, output[1], 0, root, 1, true);
}

/* Outputs are where the inputs are; that of MAX is not looked at without amsgrad. */
rows_function AT_LEVEL(adamw);
void AT_LEVEL(adamw)(const void *const *input, void *const *output, size_t count, double *room,
                     const void *parameters)
{
    const struct adamw_numbers *by = parameters;
    const double kept = 1 - by->lr * by->decay, rest1 = 1 - by->beta1, rest2 = 1 - by->beta2;
    (void)room;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const doubles grad = row_load(ARITHMETIC_FP64, input[GRAD], i, left);
        const doubles g = by->maximize ? -grad : grad;
        doubles m = row_load(ARITHMETIC_FP64, input[M], i, left);
        doubles v = row_load(ARITHMETIC_FP64, input[V], i, left);
        m += (g - m) * rest1;
        v = by->beta2 * v + rest2 * (g * g);
        doubles size = v;
        if (by->amsgrad) {
            const doubles max = row_load(ARITHMETIC_FP64, input[MAX], i, left);
            size = choose((v > max) | (v != v), v, max);
            row_store(ARITHMETIC_FP64, output[MAX], i, size, left, true);
        }
        const doubles var = row_load(ARITHMETIC_FP64, input[VAR], i, left) * kept;
        row_store(ARITHMETIC_FP64, output[VAR], i,
                  var - by->rate * m / (square_root(size) * by->root + by->eps), left, true);
        row_store(ARITHMETIC_FP64, output[M], i, m, left, true);
        row_store(ARITHMETIC_FP64, output[V], i, v, left, true);
    }
}

#else

/* The contract. */
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "ops/check.h"
#include "ops/operand.h"
#include "ops/rows/normalise.h"
#include "ops/span.h"
#include "runtime/workers.h"
#include "simd/rows_kernel.h"

LEVEL_TABLE(rows_function, adamw, adamw);
LEVEL_TABLE(rows_function, adamw_rates, adamw_rates);

enum { STEP = ADAMW_TENSORS, LR, BETA1, BETA2, DECAY, EPS, AMSGRAD, MAXIMIZE };

/* Elements that are read and written at a time, how many times that a thread takes, picoseconds of one. */
enum { PIECE = 512, PIECES_AT_ONCE = 16, ELEMENT_PS = 3000 };

struct adamw_plan {
    const struct transfer *transfer;
    rows_function *rates, *kernel;
    struct span span[ADAMW_TENSORS];
    uint32_t address[STEP + 1];
    aclDataType dtype[STEP + 1];
    uint64_t cost_ns;
    struct adamw_numbers numbers;
};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    if (call->argument[AMSGRAD].boolean)
        TRY(check_given(call, MAX, "amsgrad"));
    for (unsigned i = VAR; i <= STEP; i++)
        TRY(call_has(call, i) ? check_dtype(call, i) : ACLNN_SUCCESS);
    for (unsigned i = M; i <= MAX; i++)
        TRY(call_has(call, i) ? check_same_dtype(call, i, VAR, NULL) : ACLNN_SUCCESS);
    for (unsigned i = VAR; i <= STEP; i++)
        TRY(call_has(call, i) ? check_rank(call, i) : ACLNN_SUCCESS);
    for (unsigned i = M; i <= GRAD; i++)
        TRY(call_has(call, i) ? check_same_shape(call, i, VAR, NULL) : ACLNN_SUCCESS);
    TRY(check_one_element(call, STEP));
    result->computed = call_dtype(call, VAR);
    for (unsigned i = VAR; i <= MAX; i++) {
        struct output *output = result_add(result, result->computed, DTYPE_EQUAL);
        output->like = VAR;
        output->is_unwanted = !call_has(call, i);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const union argument *argument = call->argument;
    struct executor_content *content;
    void *made;
    (void)result;
    if (call->tensor[VAR].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct adamw_plan), &content, &made));
    struct adamw_plan *plan = made;
    *plan = (struct adamw_plan){
        .transfer = transfer_of(call->settings->isa),
        .rates = adamw_rates[call->settings->isa],
        .kernel = adamw[call->settings->isa],
        .cost_ns = (uint64_t)((double)call->tensor[VAR].count * ELEMENT_PS / 1000),
        .numbers = {.lr = (double)argument[LR].fp32,
                    .beta1 = (double)argument[BETA1].fp32,
                    .beta2 = (double)argument[BETA2].fp32,
                    .decay = (double)argument[DECAY].fp32,
                    .eps = (double)argument[EPS].fp32,
                    .amsgrad = argument[AMSGRAD].boolean,
                    .maximize = argument[MAXIMIZE].boolean},
    };
    for (unsigned i = VAR; i <= STEP; i++) {
        if (i == MAX && !plan->numbers.amsgrad) /* it is left alone */
            continue;
        plan->address[i] = call->first_operand[i];
        plan->dtype[i] = call->tensor[i].dtype;
        if (i < ADAMW_TENSORS)
            plan->span[i] = span_of(&call->tensor[i], SPAN_AS_IT_IS);
    }
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What is written shares memory with the input, other than as the same element. MAX has no elements there
 * without amsgrad. */
static bool needs_copy(const struct adamw_plan *plan, unsigned input, void *const *address)
{
    const struct span *span = &plan->span[input];
    const void *first = address[plan->address[input]];
    for (unsigned i = VAR; span->count > 0 && i <= MAX; i++) {
        const struct span *written = &plan->span[i];
        void *const to = address[plan->address[i]];
        if (written->count > 0 && spans_meet(span, first, written, to) &&
            !spans_agree(span, first, written, to))
            return true;
    }
    return false;
}

static size_t scratch_bytes(const void *prepared, void *const *address)
{
    const struct adamw_plan *plan = prepared;
    size_t bytes = 0;
    for (unsigned i = VAR; i < ADAMW_TENSORS; i++)
        bytes += needs_copy(plan, i, address) ? whole_lines(plan->span[i].count * plan->span[i].bytes) : 0;
    return bytes;
}

struct adamw_work {
    const struct adamw_plan *plan;
    struct adamw_numbers numbers;
    const void *from[ADAMW_TENSORS];
    void *to[ADAMW_TENSORS];
    struct span span[ADAMW_TENSORS]; /* of from */
};

static void take_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct adamw_work *work = context;
    const struct adamw_plan *plan = work->plan;
    const uint64_t all = plan->span[VAR].count;
    _Alignas(64) double value[ADAMW_TENSORS][PIECE] __attribute__((uninitialized));
    _Alignas(64) float element[PIECE] __attribute__((uninitialized));
    void *const row[ADAMW_TENSORS] = {value[VAR], value[M], value[V], value[MAX], value[GRAD]};
    const void *const input[ADAMW_TENSORS] = {row[VAR], row[M], row[V], row[MAX], row[GRAD]};
    for (uint64_t piece = begin; piece < end; piece++) {
        const uint64_t at = piece * PIECE, count = all - at < PIECE ? all - at : PIECE;
        for (unsigned i = VAR; i < ADAMW_TENSORS; i++) {
            if (work->span[i].count == 0)
                continue;
            span_read(&work->span[i], plan->transfer, work->from[i], at, element, count);
            plan->transfer->convert(element, plan->dtype[i], value[i], ACL_DOUBLE, (size_t)count);
        }
        plan->kernel(input, row, (size_t)count, NULL, &work->numbers);
        for (unsigned i = VAR; i <= MAX; i++) {
            if (plan->span[i].count == 0)
                continue;
            plan->transfer->convert(value[i], ACL_DOUBLE, element, plan->dtype[i], (size_t)count);
            span_write(&plan->span[i], plan->transfer, work->to[i], at, element, count);
        }
    }
}

/* The step is read before anything is written, wherever it lies. */
static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct adamw_plan *plan = prepared;
    struct adamw_work work = {.plan = plan, .numbers = plan->numbers};
    unsigned char *copy = scratch;
    double step;
    plan->transfer->convert(address[plan->address[STEP]], plan->dtype[STEP], &step, ACL_DOUBLE, 1);
    work.numbers.t = step + 1;
    plan->rates(NULL, (void *const[]){&work.numbers.rate, &work.numbers.root}, 1, NULL, &work.numbers);
    for (unsigned i = VAR; i < ADAMW_TENSORS; i++) {
        const struct span *span = &plan->span[i];
        work.from[i] = work.to[i] = address[plan->address[i]];
        work.span[i] = *span;
        if (!needs_copy(plan, i, address))
            continue;
        span_read(span, plan->transfer, work.from[i], 0, copy, span->count);
        work.from[i] = copy;
        work.span[i] = span_contiguous(span->count, span->bytes);
        copy += whole_lines(span->count * span->bytes);
    }
    const uint64_t pieces = (plan->span[VAR].count + PIECE - 1) / PIECE;
    workers_share(take_pieces, &work, pieces, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

static const struct dtype_set dtypes_step = DTYPES_ON_ALL(DTYPE_BIT(ACL_FLOAT) | DTYPE_BIT(ACL_INT64));

static const struct parameter parameters[] = {
    [VAR] = BOTH("varRef", &dtypes_fp32_fp16_bf16),
    [M] = BOTH("mRef", &dtypes_fp32_fp16_bf16),
    [V] = BOTH("vRef", &dtypes_fp32_fp16_bf16),
    [MAX] = BOTH("maxGradNormOptionalRef", &dtypes_fp32_fp16_bf16, .is_optional = true,
                 .is_partly_read = true), /* with amsgrad */
    [GRAD] = READ("grad", &dtypes_fp32_fp16_bf16),
    [STEP] = READ("step", &dtypes_step, .sample = "1"),
    [LR] = USUAL("lr", FLOAT, "0.001"),
    [BETA1] = USUAL("beta1", FLOAT, "0.9"),
    [BETA2] = USUAL("beta2", FLOAT, "0.999"),
    [DECAY] = USUAL("weightDecay", FLOAT, "0.01"),
    [EPS] = USUAL("eps", FLOAT, "1e-08"),
    [AMSGRAD] = USUAL("amsgrad", BOOL, "false"),
    [MAXIMIZE] = USUAL("maximize", BOOL, "false"),
};
FUNCTION(aclnnApplyAdamWV2,
         (aclTensor * varRef, aclTensor *mRef, aclTensor *vRef, aclTensor *maxGradNormOptionalRef,
          const aclTensor *grad, const aclTensor *step, float lr, float beta1, float beta2, float weightDecay,
          float eps, bool amsgrad, bool maximize),
         (ARG(varRef), ARG(mRef), ARG(vRef), ARG(maxGradNormOptionalRef), ARG(grad), ARG(step), ARG(lr),
          ARG(beta1), ARG(beta2), ARG(weightDecay), ARG(eps), ARG(amsgrad), ARG(maximize)),
         .stem = "apply_adam_w_v2", PARAMETERS(parameters), .family = FAMILY_COMPOSITE,
         .promise = &promise_formula, .operation.run = run, .operation.scratch_bytes = scratch_bytes,
         .infer = infer, .plan = plan);

#endif
