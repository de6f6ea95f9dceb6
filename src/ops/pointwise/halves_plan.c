/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of gated units (halves_formulas.c): a tensor is split into its halves along a dim. Each result
 * is one walk over elements, whose views are whole tensors and halves of them.
 */
#include <string.h>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "ops/dtypes.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/pointwise/formula.h"
#include "ops/signature.h"
#include "simd/vector/kernel.h"
#include "tensor/dtype.h"

/* What a walk reads and writes: a whole tensor, by its parameter, or a half: of the tensor that is split, and
 * of an output of the one that its gradient goes to. */
enum { FIRST_HALF = PARAMETERS_MAX, SECOND_HALF };

struct half_walk {
    const struct elementwise *elementwise;
    unsigned output, inputs;
    unsigned input[INPUTS_MAX];
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
static bool is_turned(const struct call *call)
{
    const struct halves *halves = call->function->of_family;
    return halves->left != 0 ? !call->argument[halves->left].boolean : halves->approximate != 0;
}

/* The view that a walk reads or writes, and the operand and the bytes at which it begins. */
static void add_view(const struct call *call, unsigned what, unsigned whole, int64_t dim,
                     struct tensor_view *view, uint32_t *operand, int64_t *shift)
{
    const unsigned parameter = what < FIRST_HALF ? what : whole;
    *view = call->tensor[parameter];
    *operand = call->first_operand[parameter];
    if (what < FIRST_HALF)
        return;
    const int64_t half = view->shape[dim] / 2;
    if ((what == SECOND_HALF) != is_turned(call))
        *shift = half * view->stride[dim] * (int64_t)dtype_bytes(view->dtype);
    view->shape[dim] = half;
    view->count /= 2;
    if (view->count > 0)
        view->reach -= half * view->stride[dim];
}

static void fill_walk(const struct call *call, const struct half_walk *walk, int64_t dim,
                      struct half_plan *plan, unsigned index, struct elementwise_plan *made)
{
    const struct halves *halves = call->function->of_family;
    const aclDataType dtype = call->tensor[halves->split].dtype;
    struct tensor_view view[OPERANDS];
    struct elementwise_views views = {.arithmetic = dtype,
                                      .result = dtype,
                                      .input_count = walk->inputs,
                                      .view = {[OUTPUT] = &view[OUTPUT]}};
    struct formula_numbers numbers = {{0}, {0}, {0}};
    for (uint32_t k = 0; k < walk->inputs; k++) {
        add_view(call, walk->input[k], halves->split, dim, &view[k], &plan->walk[index].operand[k],
                 &plan->walk[index].shift[k]);
        views.view[k] = &view[k];
    }
    add_view(call, walk->output, call_output(call), dim, &view[OUTPUT], &plan->walk[index].operand[OUTPUT],
             &plan->walk[index].shift[OUTPUT]);
    for (uint32_t k = 0; k < OPERANDS; k++)
        views.address[k] = k;
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

static const char *const approximations[] = {"none", "tanh", NULL};

/* The parameters: what is split, what has the shape of a half, and how. */
#define SPLIT(X, of, name, set) X(of, IN, name, &dtypes_##set, .sample = "2x4")
#define HALF(X, of, name, set)  X(of, IN, name, &dtypes_##set, .sample = "2x2")
#define DIM(X, of)              X(of, INT64, dim, .usual = "-1")
#define APPROXIMATE(X, of)      X(of, INT64, approximate, .choices = approximations, .usual = "tanh")
#define LEFT(X, of)             X(of, BOOL, activateLeft, .usual = "false")

#define GLU(X, of)             \
    SPLIT(X, of, self, floats) \
    DIM(X, of)                 \
    X(of, OUT, out, &dtypes_floats_complex)
#define GLU_BACKWARD(X, of)      \
    HALF(X, of, gradOut, floats) \
    SPLIT(X, of, self, floats)   \
    DIM(X, of)                   \
    X(of, OUT, out, &dtypes_floats)
#define SWI_GLU(X, of)              \
    SPLIT(X, of, x, fp32_fp16_bf16) \
    DIM(X, of)                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define SWI_GLU_GRAD(X, of)            \
    HALF(X, of, yGrad, fp32_fp16_bf16) \
    SPLIT(X, of, x, fp32_fp16_bf16)    \
    DIM(X, of)                         \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
#define GEGLU_OUT(X, of)                    \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, outGelu, &dtypes_fp32_fp16_bf16)
#define GEGLU(X, of) SPLIT(X, of, self, fp32_fp16_bf16) DIM(X, of) APPROXIMATE(X, of) GEGLU_OUT(X, of)
#define GEGLU_V3(X, of) \
    SPLIT(X, of, self, fp32_fp16_bf16) DIM(X, of) APPROXIMATE(X, of) LEFT(X, of) GEGLU_OUT(X, of)
#define GEGLU_GRADIENT(X, of)               \
    HALF(X, of, gradOutput, fp32_fp16_bf16) \
    SPLIT(X, of, self, fp32_fp16_bf16)      \
    HALF(X, of, gelu, fp32_fp16_bf16)       \
    DIM(X, of)                              \
    APPROXIMATE(X, of)
#define GEGLU_BACKWARD(X, of) GEGLU_GRADIENT(X, of) X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)
#define GEGLU_V3_BACKWARD(X, of) \
    GEGLU_GRADIENT(X, of) LEFT(X, of) X(of, OUT, gradInput, &dtypes_fp32_fp16_bf16)

/* The places of split, dim and so on, and the walks. */
#define GATED(api, stem_, list, ...)                                                             \
    SIGNATURE(list)                                                                              \
    static const struct halves api##_halves = {__VA_ARGS__};                                     \
    FUNCTION_OF(api, list, .stem = #stem_, .promise = &promise_ulp2, .family = FAMILY_COMPOSITE, \
                .of_family = &api##_halves, .operation.run = halves_run, .infer = infer_halves,  \
                .plan = plan_halves)

GATED(aclnnGlu, glu, GLU, .split = GLU_self, .dim = GLU_dim, .out = DTYPE_CASTABLE,
      .walk = {{&glu, GLU_out, 2, {FIRST_HALF, SECOND_HALF}}});
GATED(aclnnGluBackward, glu_backward, GLU_BACKWARD, .split = GLU_BACKWARD_self, .dim = GLU_BACKWARD_dim,
      .walk = {{&glu, FIRST_HALF, 2, {GLU_BACKWARD_gradOut, SECOND_HALF}},
               {&glu_gate, SECOND_HALF, 3, {GLU_BACKWARD_gradOut, FIRST_HALF, SECOND_HALF}}});
GATED(aclnnSwiGlu, swi_glu, SWI_GLU, .split = SWI_GLU_x, .dim = SWI_GLU_dim,
      .walk = {{&swiglu, SWI_GLU_out, 2, {FIRST_HALF, SECOND_HALF}}});
GATED(aclnnSwiGluGrad, swi_glu_grad, SWI_GLU_GRAD, .split = SWI_GLU_GRAD_x, .dim = SWI_GLU_GRAD_dim,
      .walk = {{&swiglu_gate, FIRST_HALF, 3, {SWI_GLU_GRAD_yGrad, FIRST_HALF, SECOND_HALF}},
               {&times_silu, SECOND_HALF, 2, {SWI_GLU_GRAD_yGrad, FIRST_HALF}}});
GATED(aclnnGeGlu, geglu, GEGLU, .split = GEGLU_self, .dim = GEGLU_dim, .approximate = GEGLU_approximate,
      .walk = {{&geglu, GEGLU_out, 2, {FIRST_HALF, SECOND_HALF}},
               {&gelu_of, GEGLU_outGelu, 1, {FIRST_HALF}}});
GATED(aclnnGeGluV3, geglu, GEGLU_V3, .split = GEGLU_V3_self, .dim = GEGLU_V3_dim,
      .approximate = GEGLU_V3_approximate, .left = GEGLU_V3_activateLeft,
      .walk = {{&geglu, GEGLU_V3_out, 2, {FIRST_HALF, SECOND_HALF}},
               {&gelu_of, GEGLU_V3_outGelu, 1, {FIRST_HALF}}});

/* The gradient of the half that gates by the gelu of the other one, and that of the activated half. */
#define GEGLU_WALKS(list)                                                       \
    .split = list##_self, .dim = list##_dim, .approximate = list##_approximate, \
    .walk = {{&times, SECOND_HALF, 2, {list##_gradOutput, list##_gelu}},        \
             {&geglu_gate, FIRST_HALF, 3, {list##_gradOutput, SECOND_HALF, FIRST_HALF}}}
GATED(aclnnGeGluBackward, geglu_backward, GEGLU_BACKWARD, GEGLU_WALKS(GEGLU_BACKWARD));
GATED(aclnnGeGluV3Backward, geglu_backward, GEGLU_V3_BACKWARD, GEGLU_WALKS(GEGLU_V3_BACKWARD),
      .left = GEGLU_V3_BACKWARD_activateLeft);
