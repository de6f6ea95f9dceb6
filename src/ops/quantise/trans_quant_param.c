/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A scale and an offset in 64 bits, as products take them: bits 0 to 31 a FLOAT of which the lowest 13 are 0,
 * bits 37 to 45 a whole number, and bit 46.
 */
#include "aclnnop/aclnn_trans_quant_param_v2.h"
#include "aclnnop/aclnn_trans_quant_param_v3.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/port.h"
#include "ops/signature.h"

#define PARAM(X, of)                              \
    X(of, IN, scale, &dtypes_fp32, .sample = "3") \
    X(of, IN, offsetOptional, &dtypes_fp32, .is_optional = true, .sample = "3")
#define V2(X, of) PARAM(X, of) X(of, OUT, out, &dtypes_int64_uint64)
#define V3(X, of) PARAM(X, of) X(of, INT64, roundMode, .usual = "0") X(of, OUT, out, &dtypes_int64_uint64)
SIGNATURE(V2)
SIGNATURE(V3)

enum { PIECE = 512, ELEMENT_PS = 3000, KEPT_FROM = 13, OFFSET_FROM = 37, MARK = 46 };

struct param_plan {
    struct port scale, offset, out;
    bool has_offset, rounds;
    uint64_t count, scales, offsets;
};

static unsigned out_of(const struct call *call)
{
    return call->function->parameter_count - 1;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *scale = &call->tensor[V2_scale], *offset = &call->tensor[V2_offsetOptional];
    struct shape shape = shape_of(scale);
    TRY(check_dtype(call, V2_scale));
    TRY(check_rank(call, V2_scale));
    if (scale->rank < 1 || scale->rank > 2)
        return refuse(call, "scale has %u dims; 1 or 2 are expected", scale->rank);
    if (call_has(call, V2_offsetOptional)) {
        TRY(check_dtype(call, V2_offsetOptional));
        TRY(check_rank(call, V2_offsetOptional));
        if (offset->count != scale->count && offset->count != 1 && (scale->count != 1 || scale->rank != 1))
            return refuse(
                call, "offsetOptional has %" PRId64 " elements; 1 or %" PRId64 ", as scale has, are expected",
                offset->count, scale->count);
        if (scale->rank == 1 && offset->count > scale->count)
            shape.dim[0] = offset->count;
    }
    if (call->function->parameter_count == V3_out + 1 &&
        (call->argument[V3_roundMode].int64 < 0 || call->argument[V3_roundMode].int64 > 1))
        return refuse(call, "roundMode is %" PRId64 "; 0 or 1 is expected",
                      call->argument[V3_roundMode].int64);
    result->computed = ACL_FLOAT;
    struct output *output = result_add(result, ACL_UINT64, DTYPE_ANY);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const unsigned out = out_of(call);
    struct executor_content *content;
    void *made;
    (void)result;
    if (call->tensor[out].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct param_plan), &content, &made));
    struct param_plan *plan = made;
    *plan = (struct param_plan){.scale = port_of(call, V2_scale, ACL_FLOAT),
                                .out = port_of(call, out, call->tensor[out].dtype),
                                .has_offset = call_has(call, V2_offsetOptional),
                                .rounds = out == V3_out && call->argument[V3_roundMode].int64 == 1,
                                .count = (uint64_t)call->tensor[out].count,
                                .scales = (uint64_t)call->tensor[V2_scale].count};
    if (plan->has_offset) {
        plan->offset = port_of(call, V2_offsetOptional, ACL_FLOAT);
        plan->offsets = (uint64_t)call->tensor[V2_offsetOptional].count;
    }
    content->cost_ns = (uint64_t)((double)plan->count * ELEMENT_PS / 1000);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* Some numbers of many, or the one that stands for all. */
static void read_some(const struct port *port, void *const *address, uint64_t all, uint64_t at,
                      uint64_t count, float *to)
{
    port_bring(port, address, all == 1 ? 0 : at, all == 1 ? 1 : count, to);
    for (uint64_t i = 1; all == 1 && i < count; i++)
        to[i] = to[0];
}

static uint64_t param_of(float scale, float offset, bool has_offset, bool rounds)
{
    const uint32_t lost = (UINT32_C(1) << KEPT_FROM) - 1;
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    if (rounds && scale == scale && !isinf(scale))
        bits += (lost >> 1) + (bits >> KEPT_FROM & 1); /* nearest, ties to even */
    uint64_t param = (bits & ~lost) | UINT64_C(1) << MARK;
    if (has_offset) {
        const double whole = nearbyint((double)offset);
        const int64_t limited = whole != whole ? 0 : whole < -256 ? -256 : whole > 255 ? 255 : (int64_t)whole;
        param |= ((uint64_t)limited & 0x1ff) << OFFSET_FROM;
    }
    return param;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct param_plan *plan = prepared;
    (void)scratch;
    for (uint64_t at = 0; at < plan->count; at += PIECE) {
        const uint64_t count = plan->count - at < PIECE ? plan->count - at : PIECE;
        float scale[PIECE], offset[PIECE];
        uint64_t param[PIECE];
        read_some(&plan->scale, address, plan->scales, at, count, scale);
        if (plan->has_offset)
            read_some(&plan->offset, address, plan->offsets, at, count, offset);
        for (uint64_t i = 0; i < count; i++)
            param[i] = param_of(scale[i], plan->has_offset ? offset[i] : 0, plan->has_offset, plan->rounds);
        port_deliver(&plan->out, address, at, count, param);
    }
    return 0;
}

#define PARAMS \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, .operation.run = run, .infer = infer, .plan = plan
FUNCTION_OF(aclnnTransQuantParamV2, V2, .stem = "trans_quant_param_v2", PARAMS);
FUNCTION_OF(aclnnTransQuantParamV3, V3, .stem = "trans_quant_param_v3", PARAMS);
