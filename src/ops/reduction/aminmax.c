/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The least and the greatest along some dims, one dim, or all: two reductions one after the other. NaN where
 * one of the elements is.
 */
#include "aclnnop/aclnn_aminmax.h"

#include <string.h>

#include "aclnnop/aclnn_aminmax_all.h"
#include "aclnnop/aclnn_aminmax_dim.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/loops/reduce_plan.h"
#include "ops/signature.h"

#define AMINMAX(X, of)                               \
    X(of, IN, self, &dtypes_floats_integers_bool)    \
    X(of, INTS, dim, .sample = "1")                  \
    X(of, BOOL, keepDim, .usual = "false")           \
    X(of, OUT, minOut, &dtypes_floats_integers_bool) \
    X(of, OUT, maxOut, &dtypes_floats_integers_bool)
SIGNATURE(AMINMAX)

REDUCE_LEVELS(amax);
REDUCE_LEVELS(amin);

static const struct reduction reductions[] = {{amin_reduce_kernels, .element_ps = 60},
                                              {amax_reduce_kernels, .element_ps = 60}};

/* Two plans lie behind it. */
struct plan {
    size_t offset[2]; /* of the plans, from the beginning */
};

static aclnnStatus check_dims(const struct call *call, axes *reduced)
{
    *reduced = (UINT32_C(1) << call->tensor[AMINMAX_self].rank) - 1;
    if (call->function->parameter_count < AMINMAX_keepDim + 2)
        return ACLNN_SUCCESS;
    return call->function->parameter[AMINMAX_dim].kind == PARAMETER_INT_ARRAY
               ? check_axes(call, AMINMAX_self, AMINMAX_dim, reduced)
               : check_axis(call, AMINMAX_self, AMINMAX_dim, reduced);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[AMINMAX_self];
    const bool keeps =
        call->function->parameter_count > AMINMAX_keepDim + 2 && call->argument[AMINMAX_keepDim].boolean;
    axes reduced;
    TRY(check_dtype(call, AMINMAX_self));
    TRY(check_rank(call, AMINMAX_self));
    TRY(check_dims(call, &reduced));
    result->computed = self->dtype;
    (void)result_reduced(result, call, AMINMAX_self, reduced, keeps, self->dtype, DTYPE_EQUAL);
    (void)result_reduced(result, call, AMINMAX_self, reduced, keeps, self->dtype, DTYPE_EQUAL);
    for (uint32_t i = 0; i < self->rank; i++)
        if ((reduced >> i & 1) == 0 && self->shape[i] == 0)
            return ACLNN_SUCCESS;
    if (self->count == 0)
        return refuse(call, "a dim of self that is to go has size 0; a size of 1 or more is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned outputs = call->function->parameter_count - 2;
    const struct shape shape = shape_of(&call->tensor[AMINMAX_self]);
    const size_t own = (sizeof(struct plan) + 63) / 64 * 64;
    const size_t each = (reduce_fill_bytes(shape.rank) + 63) / 64 * 64;
    struct executor_content *content;
    axes reduced;
    void *made;
    TRY(check_dims(call, &reduced));
    if (call->tensor[AMINMAX_self].count == 0)
        return call_idle(call);
    TRY(call_begin(call, own + 2 * each, &content, &made));
    struct plan *plan = made;
    for (unsigned i = 0; i < 2; i++) {
        const struct reduce_views views = {.reduction = &reductions[i],
                                           .input = {&call->tensor[AMINMAX_self]},
                                           .output = &call->tensor[outputs + i],
                                           .address = {call->first_operand[AMINMAX_self]},
                                           .output_address = call->first_operand[outputs + i],
                                           .input_count = 1,
                                           .shape = &shape,
                                           .reduced = reduced,
                                           .computed = result->computed};
        plan->offset[i] = own + i * each;
        struct reduce_plan *one = (struct reduce_plan *)(void *)((unsigned char *)made + plan->offset[i]);
        reduce_fill(one, call->settings->isa, &views);
        content->cost_ns += one->cost_ns;
    }
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static const void *plan_at(const void *plan_memory, unsigned i)
{
    return (const unsigned char *)plan_memory + ((const struct plan *)plan_memory)->offset[i];
}

static size_t work_bytes(const void *plan)
{
    const size_t least = reduce_work_bytes(plan_at(plan, 0)), greatest = reduce_work_bytes(plan_at(plan, 1));
    return least > greatest ? least : greatest;
}

static int run(const void *plan, void *const *address, void *scratch)
{
    (void)reduce_run(plan_at(plan, 0), address, scratch);
    return reduce_run(plan_at(plan, 1), address, scratch);
}

#define AMINMAX_DIM(X, of)                           \
    X(of, IN, self, &dtypes_floats_integers_bool)    \
    X(of, INT64, dim, .usual = "-1")                 \
    X(of, BOOL, keepDim, .usual = "false")           \
    X(of, OUT, minOut, &dtypes_floats_integers_bool) \
    X(of, OUT, maxOut, &dtypes_floats_integers_bool)
SIGNATURE(AMINMAX_DIM)

#define AMINMAX_ALL(X, of)                           \
    X(of, IN, self, &dtypes_floats_integers_bool)    \
    X(of, OUT, minOut, &dtypes_floats_integers_bool) \
    X(of, OUT, maxOut, &dtypes_floats_integers_bool)
SIGNATURE(AMINMAX_ALL)

#define AS_AMINMAX                                                                             \
    .family = FAMILY_REDUCTION, .promise = &promise_exact, .operation.work_bytes = work_bytes, \
    .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnAminmax, AMINMAX, .stem = "aminmax", AS_AMINMAX);
FUNCTION_OF(aclnnAminmaxDim, AMINMAX_DIM, .stem = "aminmax_dim", AS_AMINMAX);
FUNCTION_OF(aclnnAminmaxAll, AMINMAX_ALL, .stem = "aminmax_all", AS_AMINMAX);
