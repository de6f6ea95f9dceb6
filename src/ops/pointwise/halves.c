/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gated units: a tensor's halves along a dim, A and B, one of which gates the other. Glu is A s(B), SwiGlu
 * silu(A) B, GeGlu gelu of one half times the other, with s(x) = 1 / (1 + e^-x); and their gradients. Each
 * is one walk over elements for each result, whose views are halves of the tensors.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <math.h>

#include "simd/loops/blocks.h"
#include "simd/maths/exponential_fp32.h"
#include "simd/maths/error_function.h"
#include "simd/maths/exponential.h"
#include "simd/maths/simple.h"
#include "simd/maths/short.h"

/* s(x) by power = e^-|x|, and 1 less that in *rest, both without cancellation. */
static inline doubles gate_by(doubles power, doubles x, doubles *rest)
{
    doubles large = 1 / (1 + power), small = power / (1 + power);
    *rest = choose(x < 0, large, small);
    return choose(x < 0, small, large);
}

static inline doubles gate_of(doubles x, doubles *rest)
{
    return gate_by(short_exp(-absolute(x)), x, rest);
}

static inline doubles formula_glu(const doubles *x, const void *prepared)
{
    doubles rest;
    return x[0] * gate_by(maths_exp(-absolute(x[1])), x[1], &rest);
}

/* Within 1.8 ulp; by doubles where s(B) is so small that fp32 has fewer bits of it. */
static inline vector fp32_glu(const vector *x, const void *prepared)
{
    vector size = vector_absolute(x[1]), power = fp32_maths_exp(-size), sum = 1 + power;
    vector above = vector_choose(vector_greater(vector_of(0), x[1]), power, vector_of(1));
    vector inverse = 1 / sum, gate = above * inverse;
    vector rest = fused_from(gate, (1 - sum) + power, fused_from(gate, sum, above));
    vector value = x[0] * fused(rest, inverse, gate);
    const flags is_far = vector_above((vector_bits)size, 0x42a00000); /* 80 */
    if (__builtin_expect(!vector_any_flag(is_far), 1))
        return value;
    return vector_choose(is_far, fp32_by_doubles(x, 2, formula_glu, prepared), value);
}

/* x: g, A, B. */
static inline doubles formula_glu_gate(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_of(x[2], &rest);
    return x[0] * x[1] * gate * rest;
}

static inline doubles formula_glu_gate_wide(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_by(maths_exp(-absolute(x[2])), x[2], &rest);
    return x[0] * x[1] * gate * rest;
}

static inline doubles silu(doubles x)
{
    return x / (1 + short_exp(-x));
}

static inline doubles formula_swiglu(const doubles *x, const void *prepared)
{
    return silu(x[0]) * x[1];
}

/* x: g, A, B; s(A) (1 + A (1 - s(A))) cancels nothing but at its root. */
static inline doubles formula_swiglu_gate(const doubles *x, const void *prepared)
{
    doubles rest, gate = gate_of(x[1], &rest);
    return x[0] * x[2] * (gate * (1 + x[1] * rest));
}

/* g B, where the formula's number is not 0; g silu(B) elsewhere. */
static inline doubles formula_times(const doubles *x, const void *prepared)
{
    return x[0] * x[1];
}

static inline doubles formula_times_silu(const doubles *x, const void *prepared)
{
    return x[0] * silu(x[1]);
}

/* number[0] = 1: x / (1 + e^-2u) with u = sqrt(2 / pi) (x + 0.044715 x^3); otherwise x Phi(x). */
static inline doubles gelu(doubles x, const double *number)
{
    if (number[0] == 1) {
        doubles u = x * (0x1.9884533d43651p-1 * (1 + 0.044715 * x * x));
        return x / (1 + short_exp(-2 * u));
    }
    return x * (0.5 * maths_erfc(x * -0x1.6a09e667f3bcdp-1));
}

/* The derivative of that: Phi(x) + x phi(x), or with s = s(2u), s + x s (1 - s) 2u'(x). At +-inf 1 and 0. */
static inline doubles gelu_slope(doubles x, const double *number)
{
    doubles size = absolute(x), slope;
    if (number[0] == 1) {
        doubles u = x * (0x1.9884533d43651p-1 * (1 + 0.044715 * x * x)), rest, gate = gate_of(2 * u, &rest);
        slope = gate + x * (gate * rest) * (2 * 0x1.9884533d43651p-1 * (1 + 3 * 0.044715 * x * x));
    } else {
        slope = 0.5 * maths_erfc(x * -0x1.6a09e667f3bcdp-1) +
                x * (0x1.9884533d43651p-2 * short_exp(-0.5 * x * x));
    }
    return choose(size > 60, truth(x > 0), slope);
}

static inline doubles formula_gelu_of(const doubles *x, const void *prepared)
{
    return gelu(x[0], prepared);
}

static inline doubles formula_geglu(const doubles *x, const void *prepared)
{
    return gelu(x[0], prepared) * x[1];
}

/* x: g, the half that is not activated, and that which is. */
static inline doubles formula_geglu_gate(const doubles *x, const void *prepared)
{
    return x[0] * x[1] * gelu_slope(x[2], prepared);
}

static inline doubles formula_gelu_backward_v2(const doubles *x, const void *prepared)
{
    return x[0] * gelu_slope(x[1], prepared);
}

FORMULA_KERNELS(glu, 2, .doubles = formula_glu, .floats = fp32_glu)
FORMULA_KERNELS(glu_gate, 3, .doubles = formula_glu_gate, .wide = formula_glu_gate_wide)
FORMULA_KERNELS(swiglu, 2, .doubles = formula_swiglu)
FORMULA_KERNELS(swiglu_gate, 3, .doubles = formula_swiglu_gate)
FORMULA_KERNELS(times, 2, .doubles = formula_times)
FORMULA_KERNELS(times_silu, 2, .doubles = formula_times_silu)
FORMULA_KERNELS(gelu_of, 1, .doubles = formula_gelu_of)
FORMULA_KERNELS(geglu, 2, .doubles = formula_geglu)
FORMULA_KERNELS(geglu_gate, 3, .doubles = formula_geglu_gate)
FORMULA_KERNELS(gelu_backward_v2, 2, .doubles = formula_gelu_backward_v2)

#else

/* The contract. */
#include <string.h>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/pointwise/forms.h"
#include "tensor/dtype.h"

/* A walk: what it computes of which tensors. Lower case is a whole tensor, by its parameter from a on; A and
 * B are the halves of the tensor that is split, or of the one that its gradient goes to. */
struct half_walk {
    const struct elementwise *elementwise;
    const char *inputs;
    char output;
};

enum { WALKS_MAX = 2 };

struct halves {
    unsigned split, dim, approximate, left; /* parameters; 0: there is none of the last two */
    enum dtype_rule out;
    struct half_walk walk[WALKS_MAX];
};

/* Operands of the call that a walk reads, and by how many bytes their halves are off. */
struct half_plan {
    uint32_t walks;
    struct {
        uint32_t operand[OPERANDS];
        int64_t shift[OPERANDS];
        size_t offset; /* of the plan */
    } walk[WALKS_MAX];
};

static aclnnStatus check_half(const struct call *call, int64_t *dim)
{
    const struct halves *halves = call->function->of_family;
    const struct tensor_view *split = &call->tensor[halves->split];
    const int64_t given = call->argument[halves->dim].int64, rank = split->rank;
    *dim = given < 0 ? given + rank : given;
    if (*dim < 0 || *dim >= rank)
        return refuse(call, "dim is %lld; a dim of the %lld of %s is expected", (long long)given,
                      (long long)rank, call_name(call, halves->split));
    if (split->shape[*dim] % 2 != 0)
        return refuse(call, "dim %lld of %s has size %lld; an even one is expected", (long long)*dim,
                      call_name(call, halves->split), (long long)split->shape[*dim]);
    return ACLNN_SUCCESS;
}

static bool has_half_shape(const struct tensor_view *view, const struct tensor_view *split, int64_t dim)
{
    bool is_equal = view->rank == split->rank;
    for (uint32_t i = 0; is_equal && i < split->rank; i++)
        is_equal = view->shape[i] == (i == dim ? split->shape[i] / 2 : split->shape[i]);
    return is_equal;
}

static aclnnStatus infer_halves(const struct call *call, struct result *result)
{
    const struct halves *halves = call->function->of_family;
    const unsigned count = call->function->parameter_count;
    int64_t dim;
    for (unsigned i = 0; i < count; i++)
        if (parameter_is_read(&call->function->parameter[i]))
            TRY(check_dtype(call, i));
    for (unsigned i = 0; i < count; i++)
        if (parameter_is_read(&call->function->parameter[i])) {
            TRY(check_same_dtype(call, i, halves->split, NULL));
            TRY(check_rank(call, i));
        }
    TRY(check_half(call, &dim));
    const struct tensor_view *split = &call->tensor[halves->split];
    bool is_gradient = false;
    for (unsigned i = 0; i < count; i++) {
        if (!parameter_is_read(&call->function->parameter[i]) || i == halves->split)
            continue;
        is_gradient = true;
        if (!has_half_shape(&call->tensor[i], split, dim))
            return refuse(call, "%s has another shape than half of %s", call_name(call, i),
                          call_name(call, halves->split));
    }
    if (halves->approximate != 0)
        TRY(check_choice(call, halves->approximate));
    result->computed = split->dtype;
    for (unsigned i = 0; i < count; i++) {
        if (!parameter_is_written(&call->function->parameter[i]))
            continue;
        struct output *output = result_add(result, split->dtype, halves->out);
        output->like = halves->split;
        if (is_gradient)
            continue;
        output->shape_rule = SHAPE_EQUAL;
        output->shape.rank = split->rank;
        for (uint32_t k = 0; k < split->rank; k++)
            output->shape.dim[k] = k == dim ? split->shape[k] / 2 : split->shape[k];
    }
    return ACLNN_SUCCESS;
}

/* Without activateLeft the other half is activated. */
static char letter_of(const struct call *call, char letter)
{
    const struct halves *halves = call->function->of_family;
    bool is_turned = halves->left != 0 ? !call->argument[halves->left].boolean : false;
    if (halves->approximate != 0 && halves->left == 0)
        is_turned = true;
    return is_turned && letter == 'A' ? 'B' : is_turned && letter == 'B' ? 'A' : letter;
}

/* The view that a letter stands for, and where it begins. */
static uint32_t find_view(const struct call *call, char letter, bool is_output, int64_t dim,
                          struct tensor_view *view, int64_t *shift)
{
    const struct halves *halves = call->function->of_family;
    bool is_half = letter < 'a';
    unsigned parameter = !is_half ? (unsigned)(letter - 'a') : is_output ? call_output(call) : halves->split;
    *view = call->tensor[parameter];
    *shift = 0;
    if (is_half) {
        const int64_t half = view->shape[dim] / 2;
        *shift = letter == 'B' ? half * view->stride[dim] * (int64_t)dtype_bytes(view->dtype) : 0;
        view->shape[dim] = half;
        view->count /= 2;
        if (view->count > 0)
            view->reach -= half * view->stride[dim];
    }
    return call->first_operand[parameter];
}

static void fill_walk(const struct call *call, const struct half_walk *walk, int64_t dim,
                      struct half_plan *plan, unsigned index, struct elementwise_plan *made)
{
    const struct halves *halves = call->function->of_family;
    struct tensor_view view[OPERANDS];
    struct elementwise_views views = {.arithmetic = call->tensor[halves->split].dtype};
    struct formula_numbers numbers = {{0}, {0}, {0}};
    for (uint32_t k = 0; walk->inputs[k] != 0; k++) {
        plan->walk[index].operand[k] = find_view(call, letter_of(call, walk->inputs[k]), false, dim, &view[k],
                                                 &plan->walk[index].shift[k]);
        views.view[k] = &view[k];
        views.address[k] = k;
        views.input_count = k + 1;
    }
    plan->walk[index].operand[OUTPUT] = find_view(call, letter_of(call, walk->output), true, dim,
                                                  &view[OUTPUT], &plan->walk[index].shift[OUTPUT]);
    views.view[OUTPUT] = &view[OUTPUT];
    views.address[OUTPUT] = OUTPUT;
    elementwise_fill(made, walk->elementwise, call->settings, &views);
    if (halves->approximate != 0)
        numbers.fp64[0] = (double)call->argument[halves->approximate].int64;
    memcpy(made->parameters, &numbers, sizeof numbers);
}

static aclnnStatus plan_halves(const struct call *call, const struct result *result)
{
    const struct halves *halves = call->function->of_family;
    const size_t head = (sizeof(struct half_plan) + 63) / 64 * 64;
    const size_t each = (sizeof(struct elementwise_plan) + 63) / 64 * 64;
    int64_t dim;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(check_half(call, &dim));
    TRY(call_begin(call, head + WALKS_MAX * each, &content, &made));
    struct half_plan *plan = made;
    memset(plan, 0, sizeof *plan);
    content->is_idle = call->tensor[halves->split].count == 0;
    for (unsigned i = 0; i < WALKS_MAX && halves->walk[i].elementwise != NULL && !content->is_idle; i++) {
        struct elementwise_plan *walk = (void *)((unsigned char *)made + head + i * each);
        plan->walk[i].offset = head + i * each;
        fill_walk(call, &halves->walk[i], dim, plan, i, walk);
        content->cost_ns += walk->cost_ns;
        plan->walks++;
    }
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* One walk must not see what another one wrote: no input is an output. */
static int halves_run(const void *prepared, void *const *address, void *scratch)
{
    const struct half_plan *plan = prepared;
    (void)scratch;
    for (uint32_t i = 0; i < plan->walks; i++) {
        void *place[OPERANDS];
        for (uint32_t k = 0; k < OPERANDS; k++)
            place[k] = (unsigned char *)address[plan->walk[i].operand[k]] + plan->walk[i].shift[k];
        (void)elementwise_run((const unsigned char *)prepared + plan->walk[i].offset, place, NULL);
    }
    return 0;
}

#define KERNELS_FOR(stem) \
    KERNEL_LEVELS(stem);  \
    static const struct elementwise stem = {stem##_kernels, .cost_ps = {1500, 1500}}
KERNELS_FOR(glu);
KERNELS_FOR(glu_gate);
KERNELS_FOR(swiglu);
KERNELS_FOR(swiglu_gate);
KERNELS_FOR(times);
KERNELS_FOR(times_silu);
KERNELS_FOR(gelu_of);
KERNELS_FOR(geglu);
KERNELS_FOR(geglu_gate);

static const struct halves of_glu = {
    .split = 0, .dim = 1, .out = DTYPE_CASTABLE, .walk = {{&glu, "AB", 'c'}}};
static const struct halves of_glu_gradient = {
    .split = 1, .dim = 2, .walk = {{&glu, "aB", 'A'}, {&glu_gate, "aAB", 'B'}}};
static const struct halves of_swiglu = {.split = 0, .dim = 1, .walk = {{&swiglu, "AB", 'c'}}};
static const struct halves of_swiglu_gradient = {
    .split = 1, .dim = 2, .walk = {{&swiglu_gate, "aAB", 'A'}, {&times_silu, "aA", 'B'}}};
static const struct halves of_geglu = {
    .split = 0, .dim = 1, .approximate = 2, .walk = {{&geglu, "AB", 'd'}, {&gelu_of, "A", 'e'}}};
static const struct halves of_geglu_v3 = {
    .split = 0, .dim = 1, .approximate = 2, .left = 3, .walk = {{&geglu, "AB", 'e'}, {&gelu_of, "A", 'f'}}};
static const struct halves of_geglu_gradient = {
    .split = 1, .dim = 3, .approximate = 4, .walk = {{&times, "ac", 'B'}, {&geglu_gate, "aBA", 'A'}}};
static const struct halves of_geglu_v3_gradient = {.split = 1,
                                                   .dim = 3,
                                                   .approximate = 4,
                                                   .left = 5,
                                                   .walk = {{&times, "ac", 'B'}, {&geglu_gate, "aBA", 'A'}}};

#define GATED(name, stem_, halves, tier, list, declarations, arguments)                      \
    static const struct parameter name##_parameters[] = {UNWRAP list};                       \
    FUNCTION(name, declarations, arguments, .stem = #stem_, PARAMETERS(name##_parameters),   \
             .promise = &promise_##tier, .family = FAMILY_COMPOSITE, .of_family = &(halves), \
             .operation.run = halves_run, .infer = infer_halves, .plan = plan_halves)

static const char *const approximations[] = {"none", "tanh", NULL};
#define WHOLE(name, set)   READ(name, &dtypes_##set, .sample = "2x4")
#define HALF(name, set)    READ(name, &dtypes_##set, .sample = "2x2")
#define DIM                USUAL("dim", INT64, "-1")
#define APPROXIMATE(usual) CHOICE("approximate", approximations, usual)
#define OUT(name, set)     WRITTEN(name, &dtypes_##set)

GATED(aclnnGlu, glu, of_glu, ulp2, (WHOLE("self", floats), DIM, OUT("out", floats_complex)),
      (const aclTensor *self, int64_t dim, aclTensor *out), (ARG(self), ARG(dim), ARG(out)));
GATED(aclnnGluBackward, glu_backward, of_glu_gradient, ulp2,
      (HALF("gradOut", floats), WHOLE("self", floats), DIM, OUT("out", floats)),
      (const aclTensor *gradOut, const aclTensor *self, int64_t dim, aclTensor *out),
      (ARG(gradOut), ARG(self), ARG(dim), ARG(out)));
GATED(aclnnSwiGlu, swi_glu, of_swiglu, ulp2, (WHOLE("x", fp32_fp16_bf16), DIM, OUT("out", fp32_fp16_bf16)),
      (const aclTensor *x, int64_t dim, aclTensor *out), (ARG(x), ARG(dim), ARG(out)));
GATED(aclnnSwiGluGrad, swi_glu_grad, of_swiglu_gradient, ulp2,
      (HALF("yGrad", fp32_fp16_bf16), WHOLE("x", fp32_fp16_bf16), DIM, OUT("out", fp32_fp16_bf16)),
      (const aclTensor *yGrad, const aclTensor *x, int64_t dim, aclTensor *out),
      (ARG(yGrad), ARG(x), ARG(dim), ARG(out)));
GATED(aclnnGeGlu, geglu, of_geglu, ulp2,
      (WHOLE("self", fp32_fp16_bf16), DIM, APPROXIMATE("tanh"), OUT("out", fp32_fp16_bf16),
       OUT("outGelu", fp32_fp16_bf16)),
      (const aclTensor *self, int64_t dim, int64_t approximate, aclTensor *out, aclTensor *outGelu),
      (ARG(self), ARG(dim), ARG(approximate), ARG(out), ARG(outGelu)));
GATED(aclnnGeGluV3, geglu, of_geglu_v3, ulp2,
      (WHOLE("self", fp32_fp16_bf16), DIM, APPROXIMATE("tanh"), USUAL("activateLeft", BOOL, "false"),
       OUT("out", fp32_fp16_bf16), OUT("outGelu", fp32_fp16_bf16)),
      (const aclTensor *self, int64_t dim, int64_t approximate, bool activateLeft, aclTensor *out,
       aclTensor *outGelu),
      (ARG(self), ARG(dim), ARG(approximate), ARG(activateLeft), ARG(out), ARG(outGelu)));
GATED(aclnnGeGluBackward, geglu_backward, of_geglu_gradient, ulp2,
      (HALF("gradOutput", fp32_fp16_bf16), WHOLE("self", fp32_fp16_bf16), HALF("gelu", fp32_fp16_bf16), DIM,
       APPROXIMATE("tanh"), OUT("gradInput", fp32_fp16_bf16)),
      (const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gelu, int64_t dim,
       int64_t approximate, aclTensor *gradInput),
      (ARG(gradOutput), ARG(self), ARG(gelu), ARG(dim), ARG(approximate), ARG(gradInput)));
GATED(aclnnGeGluV3Backward, geglu_backward, of_geglu_v3_gradient, ulp2,
      (HALF("gradOutput", fp32_fp16_bf16), WHOLE("self", fp32_fp16_bf16), HALF("gelu", fp32_fp16_bf16), DIM,
       APPROXIMATE("tanh"), USUAL("activateLeft", BOOL, "false"), OUT("gradInput", fp32_fp16_bf16)),
      (const aclTensor *gradOutput, const aclTensor *self, const aclTensor *gelu, int64_t dim,
       int64_t approximate, bool activateLeft, aclTensor *gradInput),
      (ARG(gradOutput), ARG(self), ARG(gelu), ARG(dim), ARG(approximate), ARG(activateLeft), ARG(gradInput)));

/* approximate is a text. */
FORMULA(gelu_backward_v2, .out = DTYPE_EQUAL, .broadcasts = true);
enum { APPROXIMATE_TEXT = 2 };

static aclnnStatus infer_gelu_backward(const struct call *call, struct result *result)
{
    const char *text = call->argument[APPROXIMATE_TEXT].string;
    TRY(formula_infer(call, result));
    if (strcmp(text, "none") == 0 || strcmp(text, "tanh") == 0)
        return ACLNN_SUCCESS;
    return refuse(call, "approximate is \"%.20s\"; \"none\" or \"tanh\" is expected", text);
}

static aclnnStatus plan_gelu_backward(const struct call *call, const struct result *result)
{
    struct formula_numbers numbers = {{0}, {0}, {0}};
    numbers.fp64[0] = strcmp(call->argument[APPROXIMATE_TEXT].string, "tanh") == 0;
    return elementwise_plan(call, result->computed, &numbers, sizeof numbers);
}

static const struct parameter of_gelu_backward[] = {READ_FLOATS("gradOutput"), READ_FLOATS("self"),
                                                    USUAL("approximate", STRING, "none"),
                                                    WRITTEN("gradInput", &dtypes_fp32_fp16_bf16)};
FUNCTION(aclnnGeluBackwardV2,
         (const aclTensor *gradOutput, const aclTensor *self, char *approximate, aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG((const void *)approximate), ARG(gradInput)),
         .stem = "gelu_backward_v2", PARAMETERS(of_gelu_backward), .promise = &promise_ulp2,
         ELEMENTWISE(&gelu_backward_v2_formula.elementwise), .infer = infer_gelu_backward,
         .plan = plan_gelu_backward);

#endif
