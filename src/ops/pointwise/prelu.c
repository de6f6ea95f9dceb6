/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Prelu: x where it is above 0, elsewhere x times the weight of its channel, which is its index along dim 1.
 * The gradient of the weights is the sum of gradOutput x where x is not above 0, in fp64, element by element
 * in the order of the tensor, and rounded once.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/loops/blocks.h"

/* x: x and its weight. */
static inline doubles formula_prelu(const doubles *x, const void *prepared)
{
    return choose(x[0] > 0, x[0], x[0] * x[1]);
}

/* x: the gradient, x and its weight. */
static inline doubles formula_prelu_gradient(const doubles *x, const void *prepared)
{
    return choose(x[1] > 0, x[0], x[0] * x[2]);
}

static inline doubles formula_prelu_term(const doubles *x, const void *prepared)
{
    return choose(x[1] > 0, broadcast(0), x[0] * x[1]);
}

FORMULA_KERNELS(prelu, 2, .doubles = formula_prelu)
FORMULA_KERNELS(prelu_gradient, 3, .doubles = formula_prelu_gradient)
FORMULA_KERNELS(prelu_term, 2, .doubles = formula_prelu_term)

#else

/* The contract. */
#include <string.h>

#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "ops/entries.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/pointwise/formula.h"
#include "tensor/dtype.h"

KERNEL_LEVELS(prelu);
KERNEL_LEVELS(prelu_gradient);
KERNEL_LEVELS(prelu_term);
static const struct elementwise of_prelu = {prelu_kernels, .cost_ps = {400, 400}};
static const struct elementwise of_gradient = {prelu_gradient_kernels, .cost_ps = {400, 400}};
static const struct elementwise of_terms = {prelu_term_kernels, .cost_ps = {400, 400}};

static int64_t channels_of(const struct tensor_view *self)
{
    return self->rank > 1 ? self->shape[1] : 1;
}

/* One weight, or one for each channel. */
static aclnnStatus check_weight(const struct call *call, unsigned weight, unsigned self)
{
    const struct tensor_view *view = &call->tensor[weight];
    const int64_t channels = channels_of(&call->tensor[self]);
    unsigned sized = 0;
    for (uint32_t i = 0; i < view->rank; i++)
        sized += view->shape[i] != 1;
    if (view->count == 1 || (view->count == channels && sized <= 1))
        return ACLNN_SUCCESS;
    return refuse(call, "weight has %lld elements; 1 or %lld, the channels of self, is expected",
                  (long long)view->count, (long long)channels);
}

/* The weights as a view that broadcasts with self. */
static struct tensor_view channel_view(const struct tensor_view *weight, const struct tensor_view *self)
{
    struct tensor_view view = *weight;
    view.rank = 0;
    if (weight->count == 1)
        return view;
    view.rank = self->rank;
    for (uint32_t i = 0; i < self->rank; i++) {
        view.shape[i] = 1;
        view.stride[i] = 1;
    }
    view.shape[1] = weight->count;
    for (uint32_t i = 0; i < weight->rank; i++)
        if (weight->shape[i] != 1)
            view.stride[1] = weight->stride[i];
    return view;
}

static aclnnStatus infer_prelu(const struct call *call, struct result *result)
{
    enum { SELF, WEIGHT };
    static const unsigned both[] = {SELF, WEIGHT};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, WEIGHT));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, WEIGHT));
    TRY(check_weight(call, WEIGHT, SELF));
    result_add(result, result->computed, DTYPE_CASTABLE)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_prelu(const struct call *call, const struct result *result)
{
    enum { SELF, WEIGHT, OUT };
    const struct tensor_view weight = channel_view(&call->tensor[WEIGHT], &call->tensor[SELF]);
    const struct elementwise_views views = {
        .arithmetic = result->computed,
        .result = result->computed,
        .input_count = 2,
        .view = {&call->tensor[SELF], &weight, [OUTPUT] = &call->tensor[OUT]},
        .address = {call->first_operand[SELF],
                    call->first_operand[WEIGHT], [OUTPUT] = call->first_operand[OUT]}};
    static const struct formula_numbers none;
    return elementwise_plan_views(call, &of_prelu, &views, &none, sizeof none);
}

FUNCTION_WITH(aclnnPrelu,
              ((IN, self, &dtypes_fp32_fp16_bf16), (IN, weight, &dtypes_fp32_fp16_bf16, .sample = "1"),
               (OUT, out, &dtypes_fp32_fp16_bf16)),
              .stem = "prelu", .promise = &promise_exact, ELEMENTWISE(&of_prelu), .infer = infer_prelu,
              .plan = plan_prelu);

enum { GRAD, X, WEIGHT, GRAD_INPUT, GRAD_WEIGHT };

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    static const unsigned both[] = {GRAD, X};
    for (unsigned i = GRAD; i <= WEIGHT; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, X, GRAD, NULL));
    TRY(check_same_dtype(call, WEIGHT, GRAD, NULL));
    for (unsigned i = GRAD; i <= WEIGHT; i++)
        TRY(check_rank(call, i));
    struct shape shape;
    TRY(check_broadcast_together(call, both, 2, &shape));
    bool is_like_x = shape.rank == call->tensor[X].rank;
    for (uint32_t i = 0; is_like_x && i < shape.rank; i++)
        is_like_x = shape.dim[i] == call->tensor[X].shape[i];
    if (!is_like_x)
        return refuse(call, "gradOutput does not broadcast to the shape of self");
    TRY(check_weight(call, WEIGHT, X));
    result->computed = call->tensor[X].dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = X;
    struct output *weights = result_add(result, result->computed, DTYPE_EQUAL);
    weights->shape_rule = SHAPE_BY_COUNT;
    weights->shape.rank = 1;
    weights->shape.dim[0] = call->tensor[WEIGHT].count;
    return ACLNN_SUCCESS;
}

struct backward_plan {
    const struct transfer *transfer;
    uint32_t operand[GRAD_WEIGHT + 1];
    int64_t count, channels, inner; /* inner: elements of one channel side by side */
    struct tensor_view weights;     /* gradWeight */
    size_t terms_at;                /* of the second plan */
    struct elementwise_plan gradient;
};

/* The terms of sums, one after the other. */
static struct tensor_view terms_view(const struct tensor_view *x)
{
    struct tensor_view view = *x;
    int64_t stride = 1;
    view.dtype = ACL_DOUBLE;
    view.offset = 0;
    view.reach = view.count - 1;
    for (uint32_t i = view.rank; i-- > 0; stride *= view.shape[i])
        view.stride[i] = stride;
    return view;
}

/* A plan in memory of its own: views and where they are among the addresses. */
static void fill(struct elementwise_plan *plan, const struct elementwise *elementwise,
                 const struct call *call, const struct elementwise_views *views)
{
    elementwise_fill(plan, elementwise, call->settings, views);
    memset(plan->parameters, 0, sizeof(struct formula_numbers)); /* no scalars */
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[X];
    const size_t head = (sizeof(struct backward_plan) + 63) / 64 * 64;
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, head + sizeof(struct elementwise_plan), &content, &made));
    struct backward_plan *plan = made;
    plan->transfer = transfer_of(call->settings->isa);
    for (unsigned i = GRAD; i <= GRAD_WEIGHT; i++)
        plan->operand[i] = call->first_operand[i];
    plan->count = x->count;
    plan->channels = call->tensor[WEIGHT].count;
    plan->inner = 1;
    for (uint32_t i = 2; i < x->rank; i++)
        plan->inner *= x->shape[i];
    plan->weights = call->tensor[GRAD_WEIGHT];
    plan->terms_at = head;
    if (x->count > 0) {
        const struct tensor_view weight = channel_view(&call->tensor[WEIGHT], x), terms = terms_view(x);
        const struct elementwise_views gradient = {
            .arithmetic = result->computed,
            .result = result->computed,
            .input_count = 3,
            .view = {&call->tensor[GRAD], x, &weight, [OUTPUT] = &call->tensor[GRAD_INPUT]},
            .address = {plan->operand[GRAD], plan->operand[X],
                        plan->operand[WEIGHT], [OUTPUT] = plan->operand[GRAD_INPUT]}};
        const struct elementwise_views sums = {.arithmetic = ACL_DOUBLE,
                                               .result = ACL_DOUBLE,
                                               .input_count = 2,
                                               .view = {&call->tensor[GRAD], x, [OUTPUT] = &terms},
                                               .address = {0, 1, [OUTPUT] = 2}};
        struct elementwise_plan *second = (void *)((unsigned char *)made + head);
        fill(&plan->gradient, &of_gradient, call, &gradient);
        fill(second, &of_terms, call, &sums);
        content->cost_ns = plan->gradient.cost_ns + second->cost_ns;
        elementwise_may_be_in_place(&plan->gradient, content);
    }
    content->is_idle = false; /* sums of nothing are 0 */
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t backward_work_bytes(const void *prepared)
{
    const struct backward_plan *plan = prepared;
    return ((size_t)plan->count * sizeof(double) + 63) / 64 * 64;
}

/* The sum of a channel to its element of gradWeight. */
static void write_sum(const struct backward_plan *plan, int64_t channel, double sum, unsigned char *weights)
{
    const struct tensor_view *view = &plan->weights;
    int64_t place = 0;
    for (uint32_t i = view->rank; i-- > 0; channel /= view->shape[i])
        place += channel % view->shape[i] * view->stride[i];
    unsigned char *element = weights + place * (int64_t)dtype_bytes(view->dtype);
    plan->transfer->convert(&sum, ACL_DOUBLE, element, view->dtype, 1);
}

/* The terms first: gradInput may take the memory of what they are made of. */
static int backward_run(const void *prepared, void *const *address, void *scratch)
{
    const struct backward_plan *plan = prepared;
    const double *terms = scratch;
    if (plan->count > 0) {
        void *const place[] = {address[plan->operand[GRAD]], address[plan->operand[X]], scratch};
        (void)elementwise_run((const unsigned char *)prepared + plan->terms_at, place, NULL);
        (void)elementwise_run(&plan->gradient, address, NULL);
    }
    for (int64_t channel = 0; channel < plan->channels; channel++) {
        const int64_t run = plan->channels == 1 ? plan->count : plan->inner, step = run * plan->channels;
        double sum = 0;
        for (int64_t first = channel * run; first < plan->count; first += step)
            for (int64_t i = 0; i < run; i++)
                sum += terms[first + i];
        write_sum(plan, channel, sum, address[plan->operand[GRAD_WEIGHT]]);
    }
    return 0;
}

FUNCTION_WITH(aclnnPreluBackward,
              ((IN, gradOutput, &dtypes_fp32_fp16_bf16), (IN, self, &dtypes_fp32_fp16_bf16),
               (IN, weight, &dtypes_fp32_fp16_bf16, .sample = "1"), (OUT, gradInput, &dtypes_fp32_fp16_bf16),
               (OUT, gradWeight, &dtypes_fp32_fp16_bf16)),
              .stem = "prelu_backward", .promise = &promise_sum, .family = FAMILY_COMPOSITE,
              .operation.run = backward_run, .operation.work_bytes = backward_work_bytes,
              .infer = infer_backward, .plan = plan_backward);

#endif
