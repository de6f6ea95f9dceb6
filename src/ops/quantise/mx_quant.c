/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x in MX blocks along a dim, or along each of the last two: a scale for each block, a power of two in a byte of
 * FLOAT8_E8M0, and numbers of 8 or 4 bits, x over the scale (quantise/formats.h). Of block b along a dim the
 * scale is number (b / 2, b % 2) there: the dim has half as many elements, and one more dim, of 2, is the last. A
 * second one that no block is of is 0. Of groups of rows each begins a block: that of rows from b on has its
 * first scales at row b / 64 + g.
 */
#include "aclnnop/aclnn_dynamic_mx_quant.h"
#include "aclnnop/aclnn_dynamic_mx_quant_v2.h"
#include "aclnnop/aclnn_dynamic_mx_quant_v3.h"
#include "aclnnop/aclnn_dynamic_mx_quant_with_dual_axis.h"
#include "aclnnop/aclnn_dynamic_mx_quant_with_dual_axis_v2.h"
#include "aclnnop/aclnn_grouped_dynamic_mx_quant.h"
#include "aclnnop/aclnn_grouped_dynamic_mx_quant_v2.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/quantise/mx_number.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { BLOCK_MOST = 1024, TILE = 4096, ROWS_AT_ONCE = 4, ELEMENT_PS = 6000, AXES = 2 };

#define X_OF(X, of, sample_) X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define ROUND(X, of)         X(of, CONST_TEXT, roundMode, .is_optional = true)
#define TO(X, of)            X(of, INT64, dstType, .usual = "36")
#define RULE(X, of)          X(of, INT64, scaleAlg, .usual = "0")
#define MOST(X, of)          X(of, DOUBLE, dstTypeMax, .usual = "0")
#define PAIR(X, of, y_, scale_)                                \
    X(of, OUT, y_, &dtypes_float8_float4, .is_unpacked = true) \
    X(of, OUT, scale_, &dtypes_float8_e8m0)
#define ALONG(X, of)                  \
    X_OF(X, of, "2x64")               \
    X(of, INT64, axis, .usual = "-1") \
    ROUND(X, of) TO(X, of) X(of, INT64, blocksize, .usual = "32") RULE(X, of)
#define MX_V1(X, of)      ALONG(X, of) PAIR(X, of, y, mxscale)
#define MX_V2(X, of)      ALONG(X, of) MOST(X, of) PAIR(X, of, y, mxscale)
#define MX_V3(X, of)      ALONG(X, of) MOST(X, of) X(of, DOUBLE, maxLowBound, .usual = "0") PAIR(X, of, y, mxscale)
#define DUAL(X, of)       X_OF(X, of, "4x64") ROUND(X, of) TO(X, of) RULE(X, of)
#define BOTH_PAIRS(X, of) PAIR(X, of, y1, mxscale1) PAIR(X, of, y2, mxscale2)
#define DUAL_V1(X, of)    DUAL(X, of) BOTH_PAIRS(X, of)
#define DUAL_V2(X, of)    DUAL(X, of) MOST(X, of) BOTH_PAIRS(X, of)
#define GROUPED(X, of)                                        \
    X_OF(X, of, "4x64")                                       \
    X(of, IN, groupIndex, &dtypes_int32, .sample = "1:INT32") \
    ROUND(X, of) TO(X, of) X(of, INT64, blocksize, .usual = "32")
#define GROUPED_V1(X, of) GROUPED(X, of) PAIR(X, of, y, mxscale)
#define GROUPED_V2(X, of) GROUPED(X, of) RULE(X, of) MOST(X, of) PAIR(X, of, y, mxscale)
SIGNATURE(MX_V1)
SIGNATURE(MX_V2)
SIGNATURE(MX_V3)
SIGNATURE(DUAL_V1)
SIGNATURE(DUAL_V2)
SIGNATURE(GROUPED_V1)
SIGNATURE(GROUPED_V2)

/* Where a function has its parameters; 0 for those that it has not. x is the first of all. */
struct mx_function {
    uint8_t axis, groups, round, dtype, block, rule, most, least, y[AXES], scale[AXES];
};

/* What a call asks for. */
struct request {
    struct mx_number number;
    uint64_t block;
    uint32_t axis[AXES], axes;
};

/* x along a dim: outer * length * inner elements, of which the middle ones are in blocks. */
struct along {
    struct port y, scale;
    uint64_t outer, length, inner, pairs, wide, tiles; /* pairs of blocks; a tile's columns, and how many */
};

struct mx_plan {
    struct port x, groups;
    struct along along[AXES];
    uint32_t axes;
    uint64_t group_count, cost_ns;
    struct request request;
};

static const struct mx_function *of_call(const struct call *call)
{
    return call->function->of_family;
}

static aclnnStatus read_numbers(const struct call *call, struct request *request)
{
    const struct mx_function *own = of_call(call);
    const struct mx_choices choices = {.dtype = own->dtype,
                                       .round = own->round,
                                       .rule = own->rule,
                                       .most = own->most,
                                       .least = own->least,
                                       .has_e1m2_rule = own->groups != 0};
    TRY(check_mx_dtype(call, &choices, &request->number));
    TRY(check_mx_rule(call, &choices, &request->number));
    const int64_t block = own->block != 0 ? call->argument[own->block].int64 : MX_BLOCK,
                  longest = own->groups != 0 || request->number.rule == MX_QUOTIENT_OF_FLOAT4 ? MX_BLOCK
                                                                                              : BLOCK_MOST;
    if (block < MX_BLOCK || block > longest || block % MX_BLOCK != 0)
        return refuse(call, "blocksize is %" PRId64 "; a multiple of %d, up to %" PRId64 ", is expected",
                      block, MX_BLOCK, longest);
    request->block = (uint64_t)block;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_shape(const struct call *call, struct request *request)
{
    const struct mx_function *own = of_call(call);
    const struct tensor_view *x = &call->tensor[0];
    const uint32_t fewest = own->axis != 0 ? 1 : 2, greatest = own->groups != 0 ? 2 : OPERAND_RANK_MAX - 1;
    if (x->rank < fewest || x->rank > greatest)
        return refuse(call, "x has %u dims; %u to %u are expected", x->rank, fewest, greatest);
    request->axes = own->y[1] != 0 ? 2 : 1;
    request->axis[0] = own->groups != 0 ? 0 : x->rank - 1;
    request->axis[1] = x->rank >= 2 ? x->rank - 2 : 0;
    if (own->axis != 0)
        TRY(check_dim(call, own->axis, call->argument[own->axis].int64, x->rank, &request->axis[0]));
    TRY(check_mx_width(call, 0, x->shape[x->rank - 1], &request->number));
    if (own->groups == 0)
        return ACLNN_SUCCESS;
    TRY(check_dtype(call, own->groups));
    if (call->tensor[own->groups].rank != 1 || call->tensor[own->groups].count == 0)
        return refuse(call, "groupIndex has shape %s; one dim of 1 or more elements is expected",
                      shape_text(TEXT, &call->tensor[own->groups]));
    return ACLNN_SUCCESS;
}

static int64_t pairs_of(const struct call *call, const struct request *request, uint32_t axis)
{
    const struct mx_function *own = of_call(call);
    const int64_t length = call->tensor[0].shape[axis], pair = 2 * (int64_t)request->block;
    return own->groups != 0 ? length / pair + call->tensor[own->groups].count
                            : length / pair + (length % pair != 0);
}

static aclnnStatus read_request(const struct call *call, struct request *request)
{
    TRY(check_dtype(call, 0));
    TRY(check_rank(call, 0));
    TRY(read_numbers(call, request));
    return read_shape(call, request);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[0];
    struct request request;
    TRY(read_request(call, &request));
    result->computed = x->dtype;
    for (uint32_t i = 0; i < request.axes; i++) {
        struct output *y = result_add(result, request.number.format->dtype, DTYPE_EQUAL);
        y->shape_rule = SHAPE_EQUAL;
        y->shape = shape_of(x);
        struct output *scale = result_add(result, ACL_FLOAT8_E8M0, DTYPE_EQUAL);
        scale->shape_rule = SHAPE_EQUAL;
        scale->shape = shape_of(x);
        scale->shape.dim[request.axis[i]] = pairs_of(call, &request, request.axis[i]);
        scale->shape.dim[scale->shape.rank++] = 2;
    }
    return ACLNN_SUCCESS;
}

static void set_along(const struct call *call, const struct request *request, uint32_t i, struct along *along)
{
    const struct mx_function *own = of_call(call);
    const struct tensor_view *x = &call->tensor[0];
    const uint32_t axis = request->axis[i];
    *along = (struct along){.y = port_of(call, own->y[i], request->number.format->dtype),
                            .scale = port_of(call, own->scale[i], ACL_FLOAT8_E8M0),
                            .outer = 1,
                            .length = (uint64_t)x->shape[axis],
                            .inner = 1,
                            .pairs = (uint64_t)pairs_of(call, request, axis)};
    for (uint32_t k = 0; k < axis; k++)
        along->outer *= (uint64_t)x->shape[k];
    for (uint32_t k = axis + 1; k < x->rank; k++)
        along->inner *= (uint64_t)x->shape[k];
    const uint64_t most = TILE / request->block;
    along->wide = along->inner < most ? along->inner : most;
    along->tiles = (along->inner + along->wide - 1) / along->wide;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct mx_function *own = of_call(call);
    struct request request;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(read_request(call, &request));
    if (call->tensor[0].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct mx_plan), &content, &made));
    struct mx_plan *plan = made;
    *plan = (struct mx_plan){.x = port_of(call, 0, ACL_DOUBLE), .axes = request.axes, .request = request};
    for (uint32_t i = 0; i < request.axes; i++)
        set_along(call, &request, i, &plan->along[i]);
    if (own->groups != 0) {
        plan->groups = port_of(call, own->groups, ACL_INT32);
        plan->group_count = (uint64_t)call->tensor[own->groups].count;
    }
    plan->cost_ns = (uint64_t)((double)call->tensor[0].count * ELEMENT_PS / 1000) * request.axes;
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct mx_plan *plan;
    void *const *address;
};

/* Rows of a block that are side by side in x: its columns, from one on. */
struct part {
    uint64_t outer, row, rows, column, columns;
};

static uint64_t number_in(const struct along *along, const struct part *part, uint64_t row)
{
    return (part->outer * along->length + part->row + row) * along->inner + part->column;
}

/* All rows of a column alone lie side by side where the dim is the last one. */
static void bring_part(const struct work *work, const struct along *along, const struct part *part,
                       double *to)
{
    if (along->inner == 1)
        port_bring(&work->plan->x, work->address, number_in(along, part, 0), part->rows, to);
    for (uint64_t row = 0; along->inner > 1 && row < part->rows; row++)
        port_bring(&work->plan->x, work->address, number_in(along, part, row), part->columns,
                   to + row * part->columns);
}

static void deliver_part(const struct work *work, const struct along *along, const struct part *part,
                         const uint8_t *code)
{
    if (along->inner == 1)
        port_deliver(&along->y, work->address, number_in(along, part, 0), part->rows, code);
    for (uint64_t row = 0; along->inner > 1 && row < part->rows; row++)
        port_deliver(&along->y, work->address, number_in(along, part, row), part->columns,
                     code + row * part->columns);
}

/* One block of each column: the codes, and the scales. */
static void quantise_part(const struct work *work, const struct along *along, const struct part *part,
                          uint8_t *scale)
{
    const struct request *request = &work->plan->request;
    double value[TILE] __attribute__((uninitialized)), one[BLOCK_MOST] __attribute__((uninitialized));
    uint8_t code[TILE] __attribute__((uninitialized)), of_one[BLOCK_MOST] __attribute__((uninitialized));
    bring_part(work, along, part, value);
    for (uint64_t i = 0; i < part->columns; i++) {
        for (uint64_t row = 0; row < part->rows; row++)
            one[row] = value[row * part->columns + i];
        scale[i] = mx_encode_values(&request->number, one, part->rows, of_one);
        for (uint64_t row = 0; row < part->rows; row++)
            code[row * part->columns + i] = of_one[row];
    }
    deliver_part(work, along, part, code);
}

/* Two blocks, the second of which need not be there, of the columns of a tile, and where their scales go. */
static void take_pair(const struct work *work, const struct along *along, struct part part, uint64_t end,
                      uint64_t pair)
{
    uint8_t scale[2][TILE / MX_BLOCK] = {{0}}, both[2 * TILE / MX_BLOCK];
    const uint64_t block = work->plan->request.block;
    for (unsigned j = 0; j < 2 && part.row < end; j++) {
        part.rows = end - part.row < block ? end - part.row : block;
        quantise_part(work, along, &part, scale[j]);
        part.row += part.rows;
    }
    for (uint64_t i = 0; i < part.columns; i++)
        for (unsigned j = 0; j < 2; j++)
            both[2 * i + j] = scale[j][i];
    port_deliver(&along->scale, work->address, 2 * (pair * along->inner + part.column), 2 * part.columns,
                 both);
}

static int32_t end_of_group(const struct work *work, uint64_t group)
{
    int32_t end;
    port_bring(&work->plan->groups, work->address, group, 1, &end);
    return end;
}

/* The rows that a row of scales is of, when there are groups; none, where it is no group's. */
static void find_rows(const struct work *work, uint64_t pair, uint64_t *row, uint64_t *end)
{
    const uint64_t two = 2 * work->plan->request.block;
    uint64_t begin = 0;
    *row = *end = 0;
    for (uint64_t g = 0; g < work->plan->group_count; g++) {
        const uint64_t last = (uint64_t)end_of_group(work, g), first = begin / two + g;
        if (pair >= first && pair < first + (last - begin + two - 1) / two) {
            *row = begin + (pair - first) * two;
            *end = last;
        }
        begin = last;
    }
}

static void take_task(void *context, uint64_t task)
{
    const struct work *work = context;
    const struct mx_plan *plan = work->plan;
    const struct along *along = plan->along;
    if (task >= along->outer * along->pairs * along->tiles)
        task -= along->outer * along->pairs * along->tiles, along++;
    const uint64_t tile = task % along->tiles, pair = task / along->tiles;
    const uint64_t left = along->inner - tile * along->wide;
    struct part part = {.outer = pair / along->pairs,
                        .row = pair % along->pairs * 2 * plan->request.block,
                        .column = tile * along->wide,
                        .columns = left < along->wide ? left : along->wide};
    uint64_t end = along->length;
    if (plan->group_count > 0)
        find_rows(work, pair, &part.row, &end);
    take_pair(work, along, part, end, pair);
}

/* Where groups end: numbers that do not fall, up to the number of rows. */
static int check_groups(const struct work *work)
{
    int64_t before = 0;
    for (uint64_t g = 0; g < work->plan->group_count; g++) {
        const int64_t end = end_of_group(work, g), rows = (int64_t)work->plan->along[0].length;
        if (end < before || end > rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupIndex holds %" PRId64 " at [%" PRIu64
                                  "]; numbers that do not fall, up to %" PRId64 ", are expected",
                                  end, g, rows);
        before = end;
    }
    return 0;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct mx_plan *plan = prepared;
    struct work work = {plan, address};
    uint64_t tasks = 0;
    (void)scratch;
    const int status = check_groups(&work);
    for (uint32_t i = 0; i < plan->axes; i++)
        tasks += plan->along[i].outer * plan->along[i].pairs * plan->along[i].tiles;
    if (status == 0)
        tasks_run(take_task, &work, tasks, ROWS_AT_ONCE, plan->cost_ns);
    return status;
}

#define MX(...)                                                                                 \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, .operation.run = run, .infer = infer, \
    .plan = plan, .of_family = &(const struct mx_function)                                      \
    {                                                                                           \
        __VA_ARGS__                                                                             \
    }
#define OF_ALONG(of)                                                                            \
    .axis = of##_axis, .round = of##_roundMode, .dtype = of##_dstType, .block = of##_blocksize, \
    .rule = of##_scaleAlg, .y = {of##_y}, .scale = {of##_mxscale}
#define OF_DUAL(of)                                                                                 \
    .round = of##_roundMode, .dtype = of##_dstType, .rule = of##_scaleAlg, .y = {of##_y1, of##_y2}, \
    .scale = {of##_mxscale1, of##_mxscale2}
#define OF_GROUPED(of)                                                                                  \
    .groups = of##_groupIndex, .round = of##_roundMode, .dtype = of##_dstType, .block = of##_blocksize, \
    .y = {of##_y}, .scale = {of##_mxscale}

FUNCTION_OF(aclnnDynamicMxQuant, MX_V1, .stem = "dynamic_mx_quant", MX(OF_ALONG(MX_V1)));
FUNCTION_OF(aclnnDynamicMxQuantV2, MX_V2, .stem = "dynamic_mx_quant_v2",
            MX(OF_ALONG(MX_V2), .most = MX_V2_dstTypeMax));
FUNCTION_OF(aclnnDynamicMxQuantV3, MX_V3, .stem = "dynamic_mx_quant_v3",
            MX(OF_ALONG(MX_V3), .most = MX_V3_dstTypeMax, .least = MX_V3_maxLowBound));
FUNCTION_OF(aclnnDynamicMxQuantWithDualAxis, DUAL_V1, .stem = "dynamic_mx_quant_with_dual_axis",
            MX(OF_DUAL(DUAL_V1)));
FUNCTION_OF(aclnnDynamicMxQuantWithDualAxisV2, DUAL_V2, .stem = "dynamic_mx_quant_with_dual_axis_v2",
            MX(OF_DUAL(DUAL_V2), .most = DUAL_V2_dstTypeMax));
FUNCTION_OF(aclnnGroupedDynamicMxQuant, GROUPED_V1, .stem = "grouped_dynamic_mx_quant",
            MX(OF_GROUPED(GROUPED_V1)));
FUNCTION_OF(aclnnGroupedDynamicMxQuantV2, GROUPED_V2, .stem = "grouped_dynamic_mx_quant_v2",
            MX(OF_GROUPED(GROUPED_V2), .rule = GROUPED_V2_scaleAlg, .most = GROUPED_V2_dstTypeMax));
