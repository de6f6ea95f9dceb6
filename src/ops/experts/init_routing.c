/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a mixture of experts in the order of their experts: the versions of MoeInitRouting, which say
 * one thing in different words.
 */
#include "aclnnop/aclnn_moe_init_routing.h"
#include "aclnnop/aclnn_moe_init_routing_custom.h"
#include "aclnnop/aclnn_moe_init_routing_quant_v2.h"
#include "aclnnop/aclnn_moe_init_routing_v2.h"
#include "aclnnop/aclnn_moe_init_routing_v3.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/experts/init_routing.h"
#include "ops/signature.h"

enum { ELEMENT_PS = 400, PAIR_PS = 30000 };

#define ROWS_IN &dtypes_fp32_fp16_bf16
#define ROUTED(X, of, rows)             \
    X(of, IN, x, rows, .sample = "3x4") \
    X(of, IN, expertIdx, &dtypes_int32_int64, .sample = "3x2:INT32")
#define FACTORS(X, of, scales)                                          \
    X(of, IN, scaleOptional, scales, .is_optional = true, .sample = "") \
    X(of, IN, offsetOptional, &dtypes_fp32, .is_optional = true, .sample = "")
#define LIMITS(X, of)                          \
    X(of, INT64, activeNum, .usual = "0")      \
    X(of, INT64, expertCapacity, .usual = "0") \
    X(of, INT64, expertNum, .sample = "4")     \
    X(of, INT64, dropPadMode, .usual = "0")
#define COUNTED(X, of)                                        \
    X(of, INT64, expertTokensCountOrCumsumFlag, .usual = "0") \
    X(of, BOOL, expertTokensBeforeCapacityFlag, .usual = "false")
#define ROUTED_OUT(X, of, rows)    \
    X(of, OUT, expandedXOut, rows) \
    X(of, OUT, expandedRowIdxOut, &dtypes_int32)
#define COUNTED_OUT(X, of)                                                                     \
    X(of, OUT, expertTokensCountOrCumsumOutOptional, &dtypes_int32_int64, .is_optional = true) \
    X(of, OUT, expertTokensBeforeCapacityOutOptional, &dtypes_int32, .is_optional = true)

#define V1(X, of)                                              \
    X(of, IN, x, ROWS_IN, .sample = "3x4")                     \
    X(of, IN, rowIdx, &dtypes_int32, .sample = "3x2:INT32")    \
    X(of, IN, expertIdx, &dtypes_int32, .sample = "3x2:INT32") \
    X(of, INT64, activeNum, .usual = "99")                     \
    ROUTED_OUT(X, of, ROWS_IN)                                 \
    X(of, OUT, expandedExpertIdxOut, &dtypes_int32)
#define V2(X, of) \
    ROUTED(X, of, ROWS_IN) LIMITS(X, of) COUNTED(X, of) ROUTED_OUT(X, of, ROWS_IN) COUNTED_OUT(X, of)
#define QUANT_V2(X, of)                   \
    ROUTED(X, of, ROWS_IN)                \
    FACTORS(X, of, &dtypes_fp32)          \
    LIMITS(X, of)                         \
    COUNTED(X, of)                        \
    X(of, INT64, quantMode, .usual = "1") \
    ROUTED_OUT(X, of, &dtypes_int8)       \
    COUNTED_OUT(X, of) X(of, OUT, dynamicQuantScaleOutOptional, &dtypes_fp32, .is_optional = true)
#define SCALES_OF_MX &dtypes_fp32_float8_e8m0
#define V3(X, of)                                                                                          \
    X(of, IN, x, &dtypes_fp32_fp16_bf16_int8_hifloat8_float8_float4, .is_unpacked = true, .sample = "3x4") \
    X(of, IN, expertIdx, &dtypes_int32_int64, .sample = "3x2:INT32")                                       \
    FACTORS(X, of, SCALES_OF_MX)                                                                           \
    LIMITS(X, of)                                                                                          \
    X(of, INT64, expertTokensNumType, .usual = "1")                                                        \
    X(of, BOOL, expertTokensNumFlag, .usual = "true")                                                      \
    X(of, INT64, quantMode, .usual = "-1")                                                                 \
    X(of, INTS, activeExpertRangeOptional, .is_optional = true, .sample = "1,3")                           \
    X(of, INT64, rowIdxType, .usual = "0")                                                                 \
    X(of, OUT, expandedXOut, &dtypes_fp32_fp16_bf16_int8_int32_int4_hifloat8_float8_float4,                \
      .is_unpacked = true)                                                                                 \
    X(of, OUT, expandedRowIdxOut, &dtypes_int32)                                                           \
    X(of, OUT, expertTokensCountOrCumsumOut, &dtypes_int64, .is_optional = true)                           \
    X(of, OUT, expandedScaleOut, SCALES_OF_MX, .is_optional = true)

SIGNATURE(V1)
SIGNATURE(V2)
SIGNATURE(QUANT_V2)
SIGNATURE(V3)

#define COMMON(of)                                                                  \
    [X] = AT(of##_x), [INDEX] = AT(of##_expertIdx), [ROWS] = AT(of##_expandedXOut), \
    [MAP] = AT(of##_expandedRowIdxOut)
#define LIMITED(of)                                                      \
    [ACTIVE] = AT(of##_activeNum), [CAPACITY] = AT(of##_expertCapacity), \
    [EXPERT_COUNT] = AT(of##_expertNum), [PAD] = AT(of##_dropPadMode)
#define SCALED(of) [SCALE] = AT(of##_scaleOptional), [OFFSET] = AT(of##_offsetOptional)
#define COUNTS_OF(of)                                         \
    [COUNTS] = AT(of##_expertTokensCountOrCumsumOutOptional), \
    [BEFORE] = AT(of##_expertTokensBeforeCapacityOutOptional)
#define FLAGS_OF(of)                                                       \
    [COUNT_TYPE] = AT(of##_expertTokensCountOrCumsumFlag), [BEFORE_FLAG] = \
                                                               AT(of##_expertTokensBeforeCapacityFlag)

static const struct form form_v1 = {
    {COMMON(V1), [ROW_NUMBERS] = AT(V1_rowIdx), [SORTED] = AT(V1_expandedExpertIdxOut)},
    {[ACTIVE] = AT(V1_activeNum)},
    FIRST};
static const struct form form_v2 = {{COMMON(V2), COUNTS_OF(V2)}, {LIMITED(V2), FLAGS_OF(V2)}, SECOND};
static const struct form form_quant_v2 = {
    {COMMON(QUANT_V2), SCALED(QUANT_V2),
     COUNTS_OF(QUANT_V2), [ROW_SCALES] = AT(QUANT_V2_dynamicQuantScaleOutOptional)},
    {LIMITED(QUANT_V2), FLAGS_OF(QUANT_V2), [QUANT] = AT(QUANT_V2_quantMode)},
    SECOND};
static const struct form form_v3 = {
    {COMMON(V3),
     SCALED(V3), [COUNTS] = AT(V3_expertTokensCountOrCumsumOut), [ROW_SCALES] = AT(V3_expandedScaleOut)},
    {LIMITED(V3), [COUNT_TYPE] = AT(V3_expertTokensNumType), [COUNT_FLAG] = AT(V3_expertTokensNumFlag),
     [QUANT] = AT(V3_quantMode), [RANGE] = AT(V3_activeExpertRangeOptional), [ROW_TYPE] = AT(V3_rowIdxType)},
    THIRD};

/* What is counted, by the versions' numbers: V2 says nothing, sums, each; V3 has a flag, and pairs besides. */
static enum counts counts_of(const struct call *call)
{
    const int64_t type = form_number(call, COUNT_TYPE, 0);
    if (form_of(call)->choice == THIRD)
        return form_number(call, COUNT_FLAG, 0) == 0 ? COUNTS_NONE
               : type == 0                           ? COUNTS_CUMULATED
               : type == 1                           ? COUNTS_EACH
                                                     : COUNTS_PAIRS;
    return type == 0 ? COUNTS_NONE : type == 1 ? COUNTS_CUMULATED : COUNTS_EACH;
}

static bool is_padded(const struct call *call)
{
    return form_number(call, PAD, 0) == 1;
}

/* Without counts and capacities older versions need no number of experts: then all count that are not
 * negative. */
static void read_range(const struct call *call, int64_t *low, int64_t *high)
{
    const unsigned range = form_of(call)->number[RANGE];
    const int64_t experts = form_number(call, EXPERT_COUNT, 0);
    *low = 0;
    *high = experts > 0 || is_padded(call) || counts_of(call) != COUNTS_NONE ? experts : INT64_MAX;
    if (range > 0 && call_has(call, range - 1) && call->values[range - 1].count == 2) {
        *low = call->values[range - 1].value.int64[0];
        *high = call->values[range - 1].value.int64[1];
    }
}

static aclnnStatus check_range(const struct call *call)
{
    const unsigned range = form_of(call)->number[RANGE];
    const int64_t experts = form_number(call, EXPERT_COUNT, 0);
    int64_t low, high;
    if (range == 0 || !call_has(call, range - 1) || call->values[range - 1].count == 0)
        return ACLNN_SUCCESS;
    if (call->values[range - 1].count != 2)
        return refuse(call,
                      "%s has %" PRIu64 " numbers; the first expert and the one behind the last are expected",
                      call_name(call, range - 1), call->values[range - 1].count);
    read_range(call, &low, &high);
    if (low < 0 || low >= high || high > experts)
        return refuse(call,
                      "%s is [%" PRId64 ", %" PRId64 "]; rising numbers from 0 to expertNum, %" PRId64
                      ", are expected",
                      call_name(call, range - 1), low, high, experts);
    if (is_padded(call) && (low != 0 || high != experts))
        return refuse(call, "%s is [%" PRId64 ", %" PRId64 "]; all experts are expected with dropPadMode 1",
                      call_name(call, range - 1), low, high);
    return ACLNN_SUCCESS;
}

static aclnnStatus check_numbers(const struct call *call)
{
    const bool is_third = form_of(call)->choice == THIRD;
    if (form_of(call)->choice == FIRST)
        return check_number(call, ACTIVE, 0, INT64_MAX);
    TRY(check_number(call, PAD, 0, 1));
    TRY(check_number(call, COUNT_TYPE, 0, 2));
    TRY(check_number(call, ROW_TYPE, 0, 1));
    TRY(check_number(call, EXPERT_COUNT, is_third || is_padded(call) || counts_of(call) != COUNTS_NONE,
                     INT32_MAX));
    TRY(is_padded(call) ? check_number(call, CAPACITY, 1, part_view(call, INDEX)->shape[0]) : ACLNN_SUCCESS);
    if (is_padded(call) && form_number(call, CAPACITY, 0) > INT32_MAX / form_number(call, EXPERT_COUNT, 1))
        return refuse(call, "expertNum times expertCapacity is more than 2^31 - 1");
    TRY(check_mode(call));
    return check_range(call);
}

/* The rows that come out where they lie one behind the other. */
static int64_t rows_of(const struct call *call)
{
    const struct tensor_view *index = part_view(call, INDEX);
    const int64_t active = form_number(call, ACTIVE, 0), top_k = index->rank == 2 ? index->shape[1] : 1;
    if (form_of(call)->choice == FIRST)
        return (active < index->shape[0] ? active : index->shape[0]) * top_k;
    return active > 0 && active < index->count ? active : index->count;
}

static bool has_before(const struct call *call)
{
    return is_padded(call) && form_number(call, BEFORE_FLAG, 0) != 0;
}

/* torch_npu calls the older versions so: without the counts, whatever it was told to count. */
static bool may_lack_counts(const struct call *call)
{
    return form_of(call)->choice == SECOND && is_padded(call);
}

static void add_outputs(const struct call *call, struct result *result)
{
    const struct tensor_view *x = part_view(call, X);
    const int64_t experts = form_number(call, EXPERT_COUNT, 0), capacity = form_number(call, CAPACITY, 0);
    const int64_t rows = is_padded(call) ? experts * capacity : rows_of(call);
    const enum counts counts = counts_of(call);
    int64_t low, high;
    read_range(call, &low, &high);
    const aclDataType dtype = dtype_made(call);
    const int64_t width = dtype == ACL_INT32 ? x->shape[1] / packs_made(call) : x->shape[1];
    if (is_padded(call))
        add_dims(result, dtype, 3, experts, capacity, width);
    else
        add_dims(result, dtype, 2, rows, width, 0);
    add_dims(result, ACL_INT32, 1, part_view(call, INDEX)->count, 0, 0);
    if (form_of(call)->tensor[SORTED] > 0)
        add_dims(result, ACL_INT32, 1, part_view(call, INDEX)->count, 0, 0);
    if (form_of(call)->tensor[COUNTS] > 0) {
        struct output *output = counts == COUNTS_PAIRS ? add_dims(result, ACL_INT64, 2, experts, 2, 0)
                                                       : add_dims(result, ACL_INT64, 1, high - low, 0, 0);
        output->is_unwanted = counts == COUNTS_NONE;
        output->dtype_rule = form_of(call)->choice == SECOND ? DTYPE_ANY : DTYPE_EQUAL;
    }
    if (form_of(call)->tensor[BEFORE] > 0)
        add_dims(result, ACL_INT32, 1, experts, 0, 0)->is_unwanted = !has_before(call);
    if (form_of(call)->tensor[ROW_SCALES] > 0)
        add_row_scales(call, result, rows);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = part_view(call, X), *index = part_view(call, INDEX);
    for (unsigned part = X; part < PARTS; part++) /* what is not asked for has its dtype, too */
        TRY(part <= ROW_NUMBERS || (part >= COUNTS && call->has_outputs) ? check_part(call, part)
                                                                         : ACLNN_SUCCESS);
    TRY(check_dims(call, X, 2, -1, -1));
    if (index->rank != 1 || form_of(call)->choice == FIRST)
        TRY(check_dims(call, INDEX, 2, x->shape[0], -1));
    else
        TRY(check_dims(call, INDEX, 1, x->shape[0], 0));
    TRY(check_dims(call, ROW_NUMBERS, 2, x->shape[0], index->shape[1]));
    if (index->count > INT32_MAX)
        return refuse(call, "expertIdx has %" PRId64 " elements; 2^31 - 1 at most are expected",
                      index->count);
    TRY(check_numbers(call));
    int64_t low, high;
    read_range(call, &low, &high);
    TRY(check_quantising(call, high - low));
    if (call->has_outputs && counts_of(call) != COUNTS_NONE && !may_lack_counts(call))
        TRY(check_part_given(call, COUNTS, "the number that says what to count"));
    if (call->has_outputs && has_before(call))
        TRY(check_part_given(call, BEFORE, "expertTokensBeforeCapacityFlag"));
    result->computed = x->dtype;
    add_outputs(call, result);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = part_view(call, X), *index = part_view(call, INDEX);
    struct routing_plan plan = {.tokens = (uint64_t)x->shape[0],
                                .top_k = index->rank == 2 ? (uint64_t)index->shape[1] : 1,
                                .width = (uint64_t)x->shape[1],
                                .experts = form_number(call, EXPERT_COUNT, 0),
                                .capacity = is_padded(call) ? form_number(call, CAPACITY, 0) : 0,
                                .counts = counts_of(call),
                                .numbers = rows_made(call),
                                .packs_words = packs_made(call) == 8,
                                .is_first = form_of(call)->choice == FIRST,
                                .is_scatter = form_number(call, ROW_TYPE, 0) == 1 && !is_padded(call)};
    (void)result;
    plan.rows = (uint64_t)(is_padded(call) ? plan.experts * plan.capacity : rows_of(call));
    read_range(call, &plan.low, &plan.high);
    const struct quant_mode *mode = quant_mode_of(call);
    const bool is_quantised = mode != NULL;
    aclDataType scale_dtype;
    plan.scales = row_scales(call, &scale_dtype);
    plan.factors = is_quantised ? mode->factors : FACTORS_NONE;
    plan.has_scale_each = part_given(call, SCALE) && plan.factors == FACTORS_COLUMNS &&
                          part_view(call, SCALE)->rank == 2 && part_view(call, SCALE)->shape[0] > 1;
    set_port(&plan.ports, call, X, is_quantised ? ACL_DOUBLE : x->dtype);
    set_port(&plan.ports, call, INDEX, ACL_INT64);
    if (plan.factors != FACTORS_NONE)
        set_port(&plan.ports, call, SCALE, ACL_DOUBLE);
    else if (!is_quantised && has_row_scales(call))
        set_port(&plan.ports, call, SCALE, scale_dtype);
    if (is_quantised && mode->has_offset)
        set_port(&plan.ports, call, OFFSET, ACL_DOUBLE);
    set_port(&plan.ports, call, ROW_NUMBERS, ACL_INT64);
    set_port(&plan.ports, call, ROWS, dtype_made(call));
    set_port(&plan.ports, call, MAP, ACL_INT64);
    set_port(&plan.ports, call, SORTED, ACL_INT64);
    if (!part_given(call, COUNTS))
        plan.counts = COUNTS_NONE;
    if (plan.counts != COUNTS_NONE)
        set_port(&plan.ports, call, COUNTS, ACL_INT64);
    if (has_before(call))
        set_port(&plan.ports, call, BEFORE, ACL_INT64);
    if (has_row_scales(call))
        set_port(&plan.ports, call, ROW_SCALES, scale_dtype);
    const double cost_ns =
        (double)plan.rows * (double)plan.width * ELEMENT_PS / 1000 * (is_quantised ? 8 : 1) +
        (double)index->count * PAIR_PS / 1000;
    plan.cost_ns = (uint64_t)cost_ns;
    return finish_experts(call, &plan, sizeof plan, cost_ns);
}

#define ROUTES(form_)                                                                         \
    .promise = &promise_exact, EXPERTS(&(form_)), .operation.work_bytes = routing_work_bytes, \
    .operation.run = routing_run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnMoeInitRouting, V1, .stem = "moe_init_routing", ROUTES(form_v1));
FUNCTION_OF(aclnnMoeInitRoutingV2, V2, .stem = "moe_init_routing_v2", ROUTES(form_v2));
FUNCTION_OF(aclnnMoeInitRoutingQuantV2, QUANT_V2, .stem = "moe_init_routing_quant_v2", ROUTES(form_quant_v2));
FUNCTION_OF(aclnnMoeInitRoutingV3, V3, .stem = "moe_init_routing_v3", ROUTES(form_v3));

/* The same under the name by which vllm-ascend calls it. */
FUNCTION_OF(aclnnMoeInitRoutingCustom, V3, .stem = "moe_init_routing_custom", ROUTES(form_v3));
