/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of small numbers by the weights of their groups, gated: with a and g the halves of a row of the scaled
 * product, s = a / (1 + e^-a) g, which becomes INT8, or floats of 8 bits, with a scale for each row, or floats of
 * 8 or of 4 bits with those of MX. In DOUBLE up to the scale.
 */
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant_v2.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant_weight_nz.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant_weight_nz_v2.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/contraction/whole_rows.h"
#include "ops/quantise/formats.h"
#include "ops/quantise/number.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { ELEMENT_PS = 4000, ROWS_AT_ONCE = 2, PIECE = 512 };

#define BY         &dtypes_int8_int32_int4
#define BY_NUMBERS &dtypes_int8_int32_int4_hifloat8_float8_float4
#define SCALES     &dtypes_fp32_fp16_bf16_int64_uint64
#define V1(X, of)                                                              \
    X(of, IN, x, BY, .sample = "5x4:INT8")                                     \
    X(of, IN, weight, BY, .sample = "2x4x6:INT8")                              \
    X(of, IN, biasOptional, &dtypes_fp32, .is_optional = true, .sample = "")   \
    X(of, IN, offsetOptional, &dtypes_fp32, .is_optional = true, .sample = "") \
    X(of, IN, weightScale, SCALES, .sample = "2x6")                            \
    X(of, IN, xScale, &dtypes_fp32, .sample = "5")                             \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64")                   \
    X(of, OUT, output, &dtypes_int8)                                           \
    X(of, OUT, outputScale, &dtypes_fp32)                                      \
    X(of, MUTABLE_UNUSED, outputOffset, &dtypes_all, .is_optional = true)
#define V2(X, of)                                                                                 \
    X(of, IN, x, BY_NUMBERS, .sample = "5x4:INT8")                                                \
    X(of, IN_LIST, weight, BY_NUMBERS, .sample = "2x4x6:INT8", .sample_length = 1)                \
    X(of, IN_LIST, weightScale, &dtypes_fp32_fp16_bf16_int64_uint64_float8_e8m0, .sample = "2x6", \
      .sample_length = 1)                                                                         \
    X(of, IN_LIST, weightAssistMatrixOptional, &dtypes_fp32, .is_optional = true, .sample = "")   \
    X(of, IN, biasOptional, &dtypes_all, .is_optional = true, .sample = "")                       \
    X(of, IN, xScale, &dtypes_fp32_float8_e8m0, .sample = "5")                                    \
    X(of, IN, smoothScaleOptional, &dtypes_fp32, .is_optional = true, .sample = "")               \
    X(of, IN, groupList, &dtypes_int64, .sample = "2:INT64")                                      \
    X(of, INT64, dequantMode, .usual = "0")                                                       \
    X(of, INT64, dequantDtype, .usual = "0")                                                      \
    X(of, INT64, quantMode, .usual = "0")                                                         \
    X(of, INT64, groupListType, .usual = "0")                                                     \
    X(of, INTS, tuningConfigOptional, .is_optional = true, .sample = "1")                         \
    X(of, OUT, output, &dtypes_int8_hifloat8_float8_float4, .is_unpacked = true)                  \
    X(of, OUT, outputScale, &dtypes_fp32_float8_e8m0)
SIGNATURE(V1)
SIGNATURE(V2)

/* The mode of scales of MX, of what comes and of what goes. */
enum { MX_MODE = 2 };

static bool is_v1(const struct call *call)
{
    return call->function->parameter_count == V1_outputOffset + 1;
}

static unsigned list_of(const struct call *call)
{
    return is_v1(call) ? V1_groupList : V2_groupList;
}

static int64_t list_type(const struct call *call)
{
    return is_v1(call) ? GROUPS_CUMULATED : call->argument[V2_groupListType].int64;
}

static struct whole_call whole_of(const struct call *call)
{
    const bool is_first = is_v1(call);
    const struct tensor_view *list = &call->tensor[list_of(call)];
    struct whole_call whole = {.call = call,
                               .x = given_of(call, V1_x),
                               .weight = given_of(call, V1_weight),
                               .scale = given_of(call, is_first ? V1_weightScale : V2_weightScale),
                               .rows_scale = given_of(call, is_first ? V1_xScale : V2_xScale),
                               .bias =
                                   given_of(call, is_first ? V1_biasOptional : V2_weightAssistMatrixOptional),
                               .groups = list->rank > 0 ? (uint64_t)list->shape[0] : 0,
                               .out = ACL_FLOAT};
    if (is_first)
        whole.offset = given_of(call, V1_offsetOptional);
    return whole;
}

static aclnnStatus check_modes(const struct call *call)
{
    if (is_v1(call))
        return ACLNN_SUCCESS;
    const int64_t dequant = call->argument[V2_dequantMode].int64, quant = call->argument[V2_quantMode].int64;
    const bool is_float = is_small_float(call->tensor[V2_x].dtype);
    if (dequant < 0 || dequant > (is_float ? MX_MODE : MX_MODE - 1) ||
        (quant != 0 && !(is_float && quant == MX_MODE)))
        return refuse(call, "dequantMode is %" PRId64 " and quantMode %" PRId64 " where x is %s; %s", dequant,
                      quant, dtype_name(call->tensor[V2_x].dtype),
                      is_float ? "0, 1 or 2, and 0 or 2, are expected" : "0 or 1, and 0, are expected");
    const int64_t dtype = call->argument[V2_dequantDtype].int64;
    if (dtype != ACL_FLOAT && dtype != ACL_FLOAT16 && dtype != ACL_BF16)
        return refuse(call, "dequantDtype is %" PRId64 "; 0, 1 or 27 is expected", dtype);
    if (call_has_elements(call, V2_biasOptional))
        return refuse(call, "biasOptional is given; NULL is expected");
    return ACLNN_SUCCESS;
}

/* A number for each group, or one for each column of the result and each group. */
static aclnnStatus check_smooth(const struct call *call, const struct whole_call *whole)
{
    if (is_v1(call) || !call_has(call, V2_smoothScaleOptional))
        return ACLNN_SUCCESS;
    const struct tensor_view *smooth = &call->tensor[V2_smoothScaleOptional];
    TRY(check_dtype(call, V2_smoothScaleOptional));
    if (smooth->rank < 1 || smooth->rank > 2 || smooth->shape[0] != (int64_t)whole->groups ||
        (smooth->rank == 2 && smooth->shape[1] != whole->columns / 2))
        return refuse(
            call, "smoothScaleOptional has shape %s; [%" PRIu64 "] or [%" PRIu64 ", %" PRId64 "] is expected",
            shape_text(TEXT, smooth), whole->groups, whole->groups, whole->columns / 2);
    return ACLNN_SUCCESS;
}

static bool has_mx(const struct call *call)
{
    return !is_v1(call) && call->argument[V2_quantMode].int64 == MX_MODE;
}

/* What the rows become, which the output says where there is a choice. */
static aclnnStatus check_number(const struct call *call, const struct whole_call *whole, aclDataType number)
{
    const bool has_scales_of_mx = whole->scale.view->dtype == ACL_FLOAT8_E8M0;
    if (!is_v1(call) && whole->is_float &&
        has_scales_of_mx != (call->argument[V2_dequantMode].int64 == MX_MODE))
        return refuse(call, "dequantMode is %" PRId64 " and weightScale %s; 2 and FLOAT8_E8M0 go together",
                      call->argument[V2_dequantMode].int64, dtype_name(whole->scale.view->dtype));
    if (!whole->is_float || dtype_is_one_of(number, DTYPES_FLOAT8) ||
        number == (has_mx(call) ? ACL_FLOAT4_E2M1 : ACL_HIFLOAT8))
        return ACLNN_SUCCESS;
    return refuse(call, "output is %s; FLOAT8_E4M3FN, FLOAT8_E5M2 or %s is expected", dtype_name(number),
                  has_mx(call) ? "FLOAT4_E2M1" : "HIFLOAT8");
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const unsigned list = list_of(call);
    struct whole_call whole = whole_of(call);
    TRY(check_modes(call));
    TRY(group_list_check(call, list, list_type(call), (int64_t)whole.groups));
    if (whole.groups == 0)
        return refuse(call, "groupList has 0 groups; 1 or more are expected");
    if (whole.weight.count == 0 || whole.scale.count == 0 || whole.rows_scale.count == 0)
        return refuse(call, "weight, weightScale or xScale is empty; tensors are expected");
    TRY(whole_check(&whole));
    if (whole.bias.count > 0 && !whole.is_mixed)
        return refuse(call, "%s is given; NULL is expected unless INT8 meets INT4",
                      call_name(call, whole.bias.parameter));
    if (whole.columns % 2 != 0)
        return refuse(call, "weight has %" PRId64 " columns; an even number is expected", whole.columns);
    TRY(check_smooth(call, &whole));
    result->computed = ACL_FLOAT;
    const int64_t rows = whole_rows(&whole), half = whole.columns / 2;
    const aclDataType number = !whole.is_float     ? ACL_INT8
                               : call->has_outputs ? call->tensor[V2_output].dtype
                                                   : ACL_FLOAT8_E4M3FN;
    TRY(check_number(call, &whole, number));
    struct output *output = result_add(result, number, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 2, .dim = {rows, half}};
    output = result_add(result, has_mx(call) ? ACL_FLOAT8_E8M0 : ACL_FLOAT, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = (struct shape){.rank = 1, .dim = {rows}};
    if (has_mx(call))
        output->shape = (struct shape){.rank = 3, .dim = {rows, (int64_t)mx_pairs((uint64_t)half), 2}};
    return ACLNN_SUCCESS;
}

struct swiglu_plan {
    struct whole_rows rows;
    struct port output, scale;
    struct factors smooth;
    const struct number_format *format;
    bool has_mx;
};

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct whole_call whole = whole_of(call);
    const unsigned output = is_v1(call) ? V1_output : V2_output;
    struct swiglu_plan plan = {.rows = {.own_bytes = sizeof plan},
                               .output = port_of(call, output, call->tensor[output].dtype),
                               .scale = port_of(call, output + 1, call->tensor[output + 1].dtype),
                               .format = number_format_of(call->tensor[output].dtype),
                               .has_mx = has_mx(call)};
    (void)result;
    TRY(whole_check(&whole));
    if (whole_rows(&whole) == 0)
        return call_idle(call);
    if (!is_v1(call) && call_has(call, V2_smoothScaleOptional)) {
        const struct tensor_view *smooth = &call->tensor[V2_smoothScaleOptional];
        plan.smooth = factors_of_view(smooth, call->first_operand[V2_smoothScaleOptional], smooth->stride[0],
                                      smooth->rank == 2 ? smooth->stride[1] : 0);
    }
    return whole_rows_plan(call, &whole, list_of(call), list_type(call), &plan.rows,
                           (uint64_t)(whole_rows(&whole) * whole.columns) * ELEMENT_PS / 1000);
}

struct swiglu_work {
    const struct swiglu_plan *plan;
    void *const *address;
    const struct some_rows *rows;
};

static enum rounding rounding_of(const struct number_format *format)
{
    return format->dtype == ACL_HIFLOAT8 ? ROUNDING_ROUND : ROUNDING_RINT;
}

/* Blocks of MX, whose scales lie in pairs, of which the last one may be none's. */
static void encode_blocks(const struct swiglu_work *work, uint64_t row, uint64_t half, const double *value)
{
    const struct swiglu_plan *plan = work->plan;
    const enum mx_rule rule = plan->format->dtype == ACL_FLOAT4_E2M1 ? MX_EXPONENT : MX_QUOTIENT;
    const uint64_t blocks = (half + MX_BLOCK - 1) / MX_BLOCK, scales = 2 * mx_pairs(half);
    const uint8_t none = 0;
    for (uint64_t block = 0; block < blocks; block++) {
        const uint64_t first = block * MX_BLOCK, count = half - first < MX_BLOCK ? half - first : MX_BLOCK;
        uint8_t code[MX_BLOCK];
        const double greatest = greatest_size(value + first, (size_t)count, 0);
        const uint8_t scale = mx_scale_of_block(plan->format, rule, (float)greatest, 0, 0);
        mx_encode_block(plan->format, rounding_of(plan->format), scale, value + first, (size_t)count, code);
        port_deliver(&plan->output, work->address, row * half + first, count, code);
        port_deliver(&plan->scale, work->address, row * scales + block, 1, &scale);
    }
    if (scales > blocks)
        port_deliver(&plan->scale, work->address, row * scales + blocks, 1, &none);
}

static void encode_floats(const struct swiglu_plan *plan, float scale, double *value, uint64_t count,
                          uint8_t *code)
{
    for (uint64_t i = 0; i < count; i++)
        value[i] = scale == 0 ? 0 : value[i] / (double)scale;
    numbers_encode(plan->format, rounding_of(plan->format), value, (size_t)count, code);
}

static void quantise_row(void *context, uint64_t row)
{
    const struct swiglu_work *work = context;
    const struct swiglu_plan *plan = work->plan;
    const uint64_t columns = plan->rows.scaled.columns, half = columns / 2, at = work->rows->first + row;
    double *value = work->rows->value + row * columns, room[PIECE], greatest = 0;
    int8_t number[PIECE];
    for (uint64_t j = 0, some; j < half; j += some) {
        some = half - j < PIECE ? half - j : PIECE;
        activate(ACTIVATION_SILU, plan->rows.scaled.isa, value + j, some, room);
        for (uint64_t i = j; i < j + some; i++)
            value[i] *= value[half + i];
        if (plan->smooth.is_given) {
            factors_read(&plan->smooth, plan->rows.scaled.transfer, work->address, work->rows->group, j, some,
                         room);
            for (uint64_t i = 0; i < some; i++)
                value[j + i] *= room[i];
        }
        greatest = greatest_size(value + j, some, greatest);
    }
    if (plan->has_mx) {
        encode_blocks(work, at, half, value);
        return;
    }
    const float scale = scale_of_size(greatest, plan->format->most);
    for (uint64_t j = 0, some; j < half; j += some) {
        some = half - j < PIECE ? half - j : PIECE;
        if (!plan->format->is_whole)
            encode_floats(plan, scale, value + j, some, (uint8_t *)number);
        for (uint64_t i = 0; plan->format->is_whole && i < some; i++)
            number[i] = scale == 0 ? 0 : quantised_number(value[j + i] / (double)scale, 127);
        port_deliver(&plan->output, work->address, at * half + j, some, number);
    }
    port_deliver(&plan->scale, work->address, at, 1, &scale);
}

static void take(const void *prepared, void *const *address, void *memory, const struct some_rows *rows)
{
    const struct swiglu_plan *plan = prepared;
    struct swiglu_work work = {plan, address, rows};
    (void)memory;
    tasks_run(quantise_row, &work, rows->count, ROWS_AT_ONCE,
              rows->count * plan->rows.scaled.columns * ELEMENT_PS / 1000);
}

/* Rows of no group are 0, and so are their scales. */
static void clear(const void *prepared, void *const *address, void *memory, uint64_t first, uint64_t rows)
{
    static const int8_t zeros[1024];
    const struct swiglu_plan *plan = prepared;
    const uint64_t half = plan->rows.scaled.columns / 2, begin = first * half, end = (first + rows) * half;
    const float none = 0;
    (void)memory;
    for (uint64_t at = begin, some; at < end; at += some) {
        some = end - at < sizeof zeros ? end - at : sizeof zeros;
        port_deliver(&plan->output, address, at, some, zeros);
    }
    const uint64_t scales = plan->has_mx ? 2 * mx_pairs(half) : 1;
    for (uint64_t row = first * scales; row < (first + rows) * scales; row++)
        port_deliver(&plan->scale, address, row, 1, &none);
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    static const struct whole_rows_taker taker = {.take = take, .end = clear};
    return whole_rows_run(prepared, address, scratch, NULL, &taker);
}

static size_t work_bytes(const void *prepared)
{
    return whole_rows_work_bytes(prepared);
}

#define GATES                                                                    \
    .family = FAMILY_CONTRACTION, .promise = &promise_sum, .operation.run = run, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan
FUNCTION_OF(aclnnGroupedMatmulSwigluQuant, V1, .stem = "grouped_matmul_swiglu_quant", GATES);
FUNCTION_OF(aclnnGroupedMatmulSwigluQuantWeightNZ, V1, .stem = "grouped_matmul_swiglu_quant_weight_nz",
            GATES);
FUNCTION_OF(aclnnGroupedMatmulSwigluQuantV2, V2, .stem = "grouped_matmul_swiglu_quant_v2", GATES);
FUNCTION_OF(aclnnGroupedMatmulSwigluQuantWeightNzV2, V2, .stem = "grouped_matmul_swiglu_quant_weight_nz_v2",
            GATES);
