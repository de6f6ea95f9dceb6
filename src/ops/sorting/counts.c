/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Bincount: how often each number from 0 on is there, or the sum of the weights of those that are, in their
 * order, in doubles for a float out and else in integers; numbers that out is too short for are dropped.
 * Histc: how many elements are in each of some bins of equal width, of which the last one is closed.
 */
#include "aclnnop/aclnn_bincount.h"

#include <inttypes.h>
#include <math.h>

#include "aclnnop/aclnn_histc.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "ops/sorting/sorting.h"
#include "ops/port.h"
#include "runtime/streams/fault.h"

#define BINCOUNT(X, of)                                                                         \
    X(of, IN, self, &dtypes_integers, .sample = "6:INT64")                                      \
    X(of, IN, weights, &dtypes_common_floats_integers_bool, .is_optional = true, .sample = "6") \
    X(of, INT64, minlength, .usual = "3")                                                       \
    X(of, OUT, out, &dtypes_fp32_fp64_int32_int64)
SIGNATURE(BINCOUNT)
#define HISTC(X, of)                                \
    X(of, IN, self, &dtypes_fp32_fp16_integers)     \
    X(of, INT64, bins, .usual = "100")              \
    X(of, SCALAR, min, &dtypes_reals, .usual = "0") \
    X(of, SCALAR, max, &dtypes_reals, .usual = "0") \
    X(of, OUT, out, &dtypes_fp32_fp16_integers)
SIGNATURE(HISTC)
enum { PIECE = 512, ELEMENT_PS = 3000 };

struct plan {
    bool has_weights;
    aclDataType wide; /* of sums and weights: DOUBLE or INT64 */
    struct port self, weights, out;
    double least, greatest; /* of bins */
};

static aclnnStatus infer_bincount(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[BINCOUNT_self];
    const int64_t least = call->argument[BINCOUNT_minlength].int64;
    TRY(check_dtype(call, BINCOUNT_self));
    if (call_has(call, BINCOUNT_weights))
        TRY(check_dtype(call, BINCOUNT_weights));
    if (self->rank != 1)
        return refuse(call, "self has %u dims; 1 is expected", self->rank);
    if (call_has(call, BINCOUNT_weights))
        TRY(check_same_shape(call, BINCOUNT_weights, BINCOUNT_self, NULL));
    if (least < 0)
        return refuse(call, "minlength is %" PRId64 "; 0 or more is expected", least);
    struct output *output =
        result_add(result, call_has(call, BINCOUNT_weights) ? ACL_DOUBLE : ACL_INT64, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 1, .dim = {least}};
    if (call->has_outputs && call->tensor[BINCOUNT_out].rank == 1)
        output->shape = shape_of(&call->tensor[BINCOUNT_out]);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_histc(const struct call *call, struct result *result)
{
    const int64_t bins = call->argument[HISTC_bins].int64;
    TRY(check_dtype(call, BINCOUNT_self));
    TRY(check_dtype(call, HISTC_min));
    TRY(check_dtype(call, HISTC_max));
    TRY(check_rank(call, BINCOUNT_self));
    const aclDataType dtype = call->tensor[BINCOUNT_self].dtype;
    if (call->has_outputs && !can_cast(dtype, call->tensor[HISTC_out].dtype) &&
        !can_cast(call->tensor[HISTC_out].dtype, dtype))
        TRY(check_castable(call, dtype, HISTC_out));
    if (bins < 1)
        return refuse(call, "bins is %" PRId64 "; 1 or more is expected", bins);
    const double least = scalar_to_fp64(&call->scalar[HISTC_min]),
                 greatest = scalar_to_fp64(&call->scalar[HISTC_max]);
    if (!isfinite(least) || !isfinite(greatest) || least > greatest)
        return refuse(call, "min is %g and max is %g; finite numbers, the former not greater, are expected",
                      least, greatest);
    struct output *output = result_add(result, dtype, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 1, .dim = {bins}};
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_counts(const struct call *call, const struct result *result)
{
    const unsigned output = call_output(call);
    const struct tensor_view *out = &call->tensor[output];
    const bool is_float = (DTYPE_BIT(out->dtype) & DTYPES_COMMON_FLOATS) != 0, bins = output == HISTC_out;
    struct executor_content *content;
    void *made;
    (void)result;
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    const bool has_weights = !bins && call_has(call, BINCOUNT_weights);
    const aclDataType wide = has_weights && is_float ? ACL_DOUBLE : ACL_INT64;
    *plan = (struct plan){.has_weights = has_weights,
                          .wide = wide,
                          .self = port_of(call, BINCOUNT_self, bins ? ACL_DOUBLE : ACL_INT64),
                          .out = port_of(call, output, wide)};
    if (has_weights)
        plan->weights = port_of(call, BINCOUNT_weights, wide);
    if (bins) {
        plan->least = scalar_to_fp64(&call->scalar[HISTC_min]);
        plan->greatest = scalar_to_fp64(&call->scalar[HISTC_max]);
    }
    content->cost_ns =
        (uint64_t)((double)(call->tensor[BINCOUNT_self].count + out->count) * ELEMENT_PS / 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* A sum for each element of out: nothing is written before all are known. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return plan->out.span.count * sizeof(uint64_t);
}

static int run_bincount(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const uint64_t length = plan->out.span.count;
    int64_t number[PIECE] __attribute__((uninitialized)), *sum = scratch;
    _Alignas(64) unsigned char weight[PIECE * 8] __attribute__((uninitialized));
    double *real = scratch;
    memset(scratch, 0, length * sizeof *sum);
    for (uint64_t at = 0; at < plan->self.span.count; at += PIECE) {
        const uint64_t left = plan->self.span.count - at, count = left < PIECE ? left : PIECE;
        port_bring(&plan->self, address, at, count, number);
        if (plan->has_weights)
            port_bring(&plan->weights, address, at, count, weight);
        for (uint64_t i = 0; i < count; i++) {
            if (number[i] < 0)
                return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                      "self holds %" PRId64 " at [%" PRIu64 "]; 0 or more is expected",
                                      number[i], at + i);
            if ((uint64_t)number[i] >= length)
                continue;
            if (!plan->has_weights)
                sum[number[i]]++;
            else if (plan->wide == ACL_DOUBLE)
                real[number[i]] += ((const double *)(const void *)weight)[i];
            else
                sum[number[i]] =
                    (int64_t)((uint64_t)sum[number[i]] + ((const uint64_t *)(const void *)weight)[i]);
        }
    }
    port_deliver(&plan->out, address, 0, plan->out.span.count, scratch);
    return 0;
}

/* The least and the greatest element that is a number. */
static void find_range(const struct plan *plan, void *const *address, double *least, double *greatest)
{
    _Alignas(64) double value[PIECE] __attribute__((uninitialized));
    double low = __builtin_inf(), high = -__builtin_inf();
    for (uint64_t at = 0; at < plan->self.span.count; at += PIECE) {
        const uint64_t left = plan->self.span.count - at, count = left < PIECE ? left : PIECE;
        port_bring(&plan->self, address, at, count, value);
        for (uint64_t i = 0; i < count; i++) {
            low = value[i] < low ? value[i] : low;
            high = value[i] > high ? value[i] : high;
        }
    }
    *least = low <= high ? low : 0;
    *greatest = low <= high ? high : 0;
}

static int run_histc(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const double bins = (double)plan->out.span.count;
    _Alignas(64) double value[PIECE] __attribute__((uninitialized));
    double least = plan->least, greatest = plan->greatest;
    int64_t *sum = scratch;
    memset(scratch, 0, plan->out.span.count * sizeof *sum);
    if (least == greatest)
        find_range(plan, address, &least, &greatest);
    if (!isfinite(least) || !isfinite(greatest))
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "self holds numbers from %g to %g; finite ones are expected where min is max",
                              least, greatest);
    if (least == greatest) {
        least -= 1;
        greatest += 1;
    }
    for (uint64_t at = 0; at < plan->self.span.count; at += PIECE) {
        const uint64_t left = plan->self.span.count - at, count = left < PIECE ? left : PIECE;
        port_bring(&plan->self, address, at, count, value);
        for (uint64_t i = 0; i < count; i++) {
            if (!(value[i] >= least && value[i] <= greatest))
                continue;
            const uint64_t bin = (uint64_t)((value[i] - least) * bins / (greatest - least));
            sum[bin < plan->out.span.count ? bin : plan->out.span.count - 1]++;
        }
    }
    port_deliver(&plan->out, address, 0, plan->out.span.count, scratch);
    return 0;
}

FUNCTION_OF(aclnnBincount, BINCOUNT, .stem = "bincount", .family = FAMILY_SORTING, .promise = &promise_sum,
            .operation.work_bytes = work_bytes, .operation.reads_first = true, .operation.run = run_bincount,
            .infer = infer_bincount, .plan = plan_counts);

FUNCTION_OF(aclnnHistc, HISTC, .stem = "histc", .family = FAMILY_SORTING, .promise = &promise_exact,
            .operation.work_bytes = work_bytes, .operation.reads_first = true, .operation.run = run_histc,
            .infer = infer_histc, .plan = plan_counts);
