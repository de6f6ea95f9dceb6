/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Equal: whether two tensors are, in shape and in every element; NaN equals nothing. And IsClose, element by
 * element: |x - y| <= atol + rtol |y| with the exact difference and a bound in fp64, for finite y; equal
 * numbers are close, and NaN to NaN where equalNan says so.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include "simd/vector/exact.h"
#include "simd/loops/blocks.h"
#include "simd/loops/formula_integers.h"
#include "simd/maths/simple.h"

static inline doubles formula_differ(const doubles *x, const void *prepared)
{
    return truth(x[0] != x[1]);
}

static inline int64_t integer_differ(const int64_t *x, const int64_t *number)
{
    return x[0] != x[1];
}

static inline doubles formula_isclose(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    const double rtol = number[0], atol = number[1];
    struct pair difference = two_sum(x[0], -x[1]);
    doubles bound = atol + rtol * absolute(x[1]), size = absolute(difference.high);
    doubles rest = negate_where(difference.high < 0, difference.low);
    longs is_near = (size < bound) | ((size == bound) & ~(rest > 0));
    longs both_nan = number[2] != 0 ? (x[0] != x[0]) & (x[1] != x[1]) : (longs){0};
    return truth((x[0] == x[1]) | both_nan | (is_near & (absolute(x[1]) < (double)INFINITY)));
}

/* The numbers are the bits of doubles. */
static inline int64_t integer_isclose(const int64_t *x, const int64_t *number)
{
    double rtol, atol;
    memcpy(&rtol, &number[0], sizeof rtol);
    memcpy(&atol, &number[1], sizeof atol);
    const double size = (double)x[1], bound = atol + rtol * (size < 0 ? -size : size);
    const uint64_t difference =
        x[0] < x[1] ? (uint64_t)x[1] - (uint64_t)x[0] : (uint64_t)x[0] - (uint64_t)x[1];
    return difference == 0 || bound >= 0x1p64 || (bound >= 0 && difference <= (uint64_t)bound);
}

FORMULA_INTEGERS(differ, 2)
FORMULA_NATURALS(differ, 2)
FORMULA_BOOL(differ, 2)
FORMULA_INTEGERS(isclose, 2)
FORMULA_BOOL(isclose, 2)
FORMULA_KERNELS_BESIDE(differ, (INTEGERS_OF(differ), NATURALS_OF(differ), BOOL_OF(differ)), 2,
                       .doubles = formula_differ)
FORMULA_KERNELS_BESIDE(isclose, (INTEGERS_OF(isclose), BOOL_OF(isclose)), 2, .doubles = formula_isclose)

#else

/* The contract. */
#include <string.h>

#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_isclose.h"
#include "ops/entries.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/pointwise/formula.h"
#include "simd/loops/formula_numbers.h"
#include "tensor/dtype.h"

FORMULA(isclose, .out = DTYPE_EQUAL, .broadcasts = true, .is_of_one_dtype = true);

static aclnnStatus infer_isclose(const struct call *call, struct result *result)
{
    TRY(formula_infer(call, result));
    result->output[0].dtype = ACL_BOOL;
    return ACLNN_SUCCESS;
}

FUNCTION_WITH(aclnnIsClose,
              ((IN, self, &dtypes_floats_integers_bool), (IN, other, &dtypes_floats_integers_bool),
               (DOUBLE, rtol, .usual = "1e-5"), (DOUBLE, atol, .usual = "1e-8"),
               (BOOL, equalNan, .usual = "false"), (OUT, out, &dtypes_bool)),
              .stem = "isclose", .promise = &promise_exact, OF_FORMULA(isclose, infer_isclose));

KERNEL_LEVELS(differ);
static const struct elementwise differences = {differ_kernels, .cost_ps = {200, 200}};

enum { SELF, OTHER, OUT };

/* Where the tensors differ is written to memory of phase 2's, as elements of their dtype that are not 0. */
struct equal_plan {
    bool have_one_shape;
    uint32_t out;
    size_t bytes;
    struct elementwise_plan walk; /* last: only so much of it is there as it needs */
};

static aclnnStatus infer_equal(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, OTHER};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, OTHER));
    TRY(check_promotion(call, both, 2, &result->computed));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OTHER));
    result_add(result, ACL_BOOL, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static bool have_one_shape(const struct tensor_view *a, const struct tensor_view *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

/* One of the dtype and shape, contiguous. */
static struct tensor_view scratch_view(const struct tensor_view *like, aclDataType dtype)
{
    struct tensor_view view = *like;
    int64_t stride = 1;
    view.dtype = dtype;
    view.offset = 0;
    view.reach = view.count - 1;
    view.is_contiguous = true;
    for (uint32_t i = view.rank; i-- > 0; stride *= view.shape[i])
        view.stride[i] = stride;
    return view;
}

static aclnnStatus plan_equal(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *other = &call->tensor[OTHER];
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct equal_plan), &content, &made));
    struct equal_plan *plan = made;
    plan->have_one_shape = have_one_shape(self, other);
    plan->out = call->first_operand[OUT];
    plan->bytes = plan->have_one_shape ? (size_t)self->count * dtype_bytes(result->computed) : 0;
    if (plan->bytes > 0) {
        const struct tensor_view differ = scratch_view(self, result->computed);
        const struct elementwise_views views = {.arithmetic = result->computed,
                                                .result = result->computed,
                                                .input_count = 2,
                                                .view = {self, other, [OUTPUT] = &differ},
                                                .address = {SELF, OTHER, [OUTPUT] = 2}};
        elementwise_fill(&plan->walk, &differences, call->settings, &views);
        memset(plan->walk.parameters, 0, sizeof(struct formula_numbers)); /* no scalars */
        content->cost_ns = plan->walk.cost_ns;
    }
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static size_t equal_work_bytes(const void *plan)
{
    return ((const struct equal_plan *)plan)->bytes;
}

static int equal_run(const void *prepared, void *const *address, void *scratch)
{
    const struct equal_plan *plan = prepared;
    const unsigned char *differ = scratch;
    bool is_equal = plan->have_one_shape;
    if (plan->bytes > 0) {
        void *const place[] = {address[SELF], address[OTHER], scratch};
        (void)elementwise_run(&plan->walk, place, NULL);
        for (size_t i = 0; is_equal && i < plan->bytes; i++)
            is_equal = differ[i] == 0;
    }
    *(unsigned char *)address[plan->out] = is_equal;
    return 0;
}

FUNCTION_WITH(aclnnEqual, ((IN, self, &dtypes_reals), (IN, other, &dtypes_reals), (OUT, out, &dtypes_bool)),
              .stem = "equal", .promise = &promise_exact, .family = FAMILY_COMPOSITE,
              .operation.run = equal_run, .operation.work_bytes = equal_work_bytes,
              .operation.reads_first = true, .infer = infer_equal, .plan = plan_equal);

#endif
