/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What mixed precision does with gradients that were scaled: ForeachNonFiniteCheckAndUnscale multiplies them
 * by invScale and tells in foundInf whether one was infinite or NaN before; AmpUpdateScale chooses the next
 * scale. Both read their numbers when the work runs.
 */
#include "simd/vector/kernel.h"

#ifdef KERNEL_PASS

#include <math.h>

#include "simd/loops/blocks.h"

/* number[1] holds the address of an int that becomes 1. */
static inline doubles formula_unscale(const doubles *x, const void *prepared)
{
    const double *number = prepared;
    int *found;
    memcpy(&found, &number[1], sizeof found);
    if (any(~(absolute(x[0]) < (double)INFINITY)))
        __atomic_store_n(found, 1, __ATOMIC_RELAXED);
    return x[0] * number[0];
}

FORMULA_KERNELS(unscale, 1, .doubles = formula_unscale)

#else

/* The contract. */
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_amp_update_scale.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "ops/foreach/foreach.h"
#include "ops/loops/elementwise_plan.h"
#include "ops/signature.h"
#include "simd/loops/formula_numbers.h"
#include "tensor/dtype.h"

KERNEL_LEVELS(unscale);
static const struct elementwise unscale = {unscale_kernels, .cost_ps = {300, 300}};
static const struct foreach of_unscale = {&unscale, 1, SCALARS_NONE, .fill = NULL};

#define UNSCALE(X, of)                                                         \
    X(of, BOTH_LIST, scaledGrads, &dtypes_fp32_fp16_bf16)                      \
    X(of, BOTH, foundInf, &dtypes_fp32, .sample = "1", .is_partly_read = true) \
    X(of, IN, invScale, &dtypes_fp32, .sample = "1")
SIGNATURE(UNSCALE)

static aclnnStatus infer_unscale(const struct call *call, struct result *result)
{
    TRY(check_lists(call, 1, &result->computed));
    TRY(check_dtype(call, UNSCALE_foundInf));
    TRY(check_dtype(call, UNSCALE_invScale));
    TRY(check_list_shapes(call, 1));
    TRY(check_one_element(call, UNSCALE_invScale));
    result_add(result, ACL_DT_UNDEFINED, DTYPE_EQUAL)->like = UNSCALE_scaledGrads;
    result_add(result, ACL_FLOAT, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

/* The list's tensors come first among the addresses. */
static int unscale_index(const void *row, uint64_t index, void *const *address, void *scratch)
{
    const uint64_t count = ((const struct plan_row *)row)->count;
    float *const found_inf = address[count];
    const void *one = row_plan(row, index);
    int found = 0, *place = &found;
    struct formula_numbers numbers = {.fp64 = {(double)*(const float *)address[count + 1]}};
    struct elementwise_plan plan __attribute__((uninitialized));
    if (one == NULL)
        return 0;
    memcpy(&numbers.fp64[1], &place, sizeof place);
    memcpy(&plan, one, elementwise_plan_bytes(one));
    memcpy(plan.parameters, &numbers, sizeof numbers);
    (void)elementwise_run(&plan, address, scratch);
    if (found != 0)
        *found_inf = 1;
    return 0;
}

static int run_unscale(const void *row, void *const *address, void *scratch)
{
    return row_run(row, address, scratch, unscale_index);
}

FUNCTION_OF(aclnnForeachNonFiniteCheckAndUnscale, UNSCALE, .stem = "foreach_non_finite_check_and_unscale",
            .family = FAMILY_FOREACH, .of_family = &of_unscale, .promise = &promise_exact,
            .operation.run = run_unscale, .operation.run_index = unscale_index, .infer = infer_unscale,
            .plan = foreach_plan);

#define UPDATE(X, of)                                                                  \
    X(of, IN, currentScale, &dtypes_fp32_fp16_bf16, .sample = "1")                     \
    X(of, IN, growthTracker, &dtypes_int32, .sample = "1:INT32")                       \
    X(of, IN, foundInf, &dtypes_fp32_fp16_bf16, .sample = "1", .is_partly_read = true) \
    X(of, DOUBLE, growthFactor, .usual = "2")                                          \
    X(of, DOUBLE, backoffFactor, .usual = "0.5")                                       \
    X(of, INT64, growthInterval, .usual = "2000")                                      \
    X(of, OUT, updatedScale, &dtypes_fp32_fp16_bf16)                                   \
    X(of, OUT, updatedGrowthTracker, &dtypes_int32)
SIGNATURE(UPDATE)

struct update_plan {
    const struct transfer *transfer;
    aclDataType dtype;
    double growth, backoff;
    int64_t interval;
    uint32_t address[UPDATE_updatedGrowthTracker + 1];
};

static aclnnStatus infer_update(const struct call *call, struct result *result)
{
    static const unsigned read[] = {UPDATE_currentScale, UPDATE_growthTracker, UPDATE_foundInf};
    const int64_t interval = call->argument[UPDATE_growthInterval].int64;
    for (int i = 0; i < 3; i++)
        TRY(check_dtype(call, read[i]));
    TRY(check_same_dtype(call, UPDATE_foundInf, UPDATE_currentScale, NULL));
    for (int i = 0; i < 3; i++)
        TRY(check_one_element(call, read[i]));
    if (interval < 1 || interval > INT32_MAX)
        return refuse(call, "growthInterval is %lld; 1 to 2^31 - 1 is expected", (long long)interval);
    result->computed = call->tensor[UPDATE_currentScale].dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    result_add(result, ACL_INT32, DTYPE_EQUAL)->shape_rule = SHAPE_ONE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_update(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct update_plan), &content, &made));
    struct update_plan *plan = made;
    *plan = (struct update_plan){.transfer = transfer_of(call->settings->isa),
                                 .dtype = result->computed,
                                 .growth = call->argument[UPDATE_growthFactor].fp64,
                                 .backoff = call->argument[UPDATE_backoffFactor].fp64,
                                 .interval = call->argument[UPDATE_growthInterval].int64};
    for (unsigned i = 0; i < call->tensor_count; i++)
        plan->address[call->tensor_parameter[i]] = call->first_operand[call->tensor_parameter[i]];
    content->is_idle = false;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static double read_number(const struct update_plan *plan, const void *element)
{
    double value;
    plan->transfer->convert(element, plan->dtype, &value, ACL_DOUBLE, 1);
    return value;
}

/* a * b as a double from which the product's rounding to fewer bits is that of the exact one: odd where it
 * is none. */
static double odd_product(double a, double b)
{
    double product = a * b, lost = fma(a, b, -product);
    uint64_t bits;
    memcpy(&bits, &product, sizeof bits);
    if (lost != 0 && (bits & 1) == 0 && isfinite(product))
        bits += (lost > 0) == (product > 0) ? 1 : UINT64_MAX;
    memcpy(&product, &bits, sizeof product);
    return product;
}

/* All is read before anything is written: the tensors may be the same. */
static int run_update(const void *prepared, void *const *address, void *scratch)
{
    const struct update_plan *plan = prepared;
    const double scale = read_number(plan, address[plan->address[UPDATE_currentScale]]);
    const double found = read_number(plan, address[plan->address[UPDATE_foundInf]]);
    const int32_t tracker = *(const int32_t *)address[plan->address[UPDATE_growthTracker]];
    int32_t next = (int32_t)((uint32_t)tracker + 1);
    double updated = scale;
    unsigned char element[8];
    (void)scratch;
    if (found != 0) { /* NaN, too */
        updated = odd_product(scale, plan->backoff);
        next = 0;
    } else if (next == plan->interval) {
        updated = odd_product(scale, plan->growth);
        next = 0;
    }
    plan->transfer->convert(&updated, ACL_DOUBLE, element, plan->dtype, 1);
    if (found == 0 && !isfinite(read_number(plan, element)))
        plan->transfer->convert(&scale, ACL_DOUBLE, element, plan->dtype, 1);
    memcpy(address[plan->address[UPDATE_updatedScale]], element, dtype_bytes(plan->dtype));
    *(int32_t *)address[plan->address[UPDATE_updatedGrowthTracker]] = next;
    return 0;
}

FUNCTION_OF(aclnnAmpUpdateScale, UPDATE, .stem = "amp_update_scale", .family = FAMILY_COMPOSITE,
            .promise = &promise_exact, .operation.run = run_update, .operation.reads_first = true,
            .infer = infer_update, .plan = plan_update);

#endif
