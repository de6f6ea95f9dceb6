/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * x in blocks of rows and columns of its last two dims: a scale for each block, in FLOAT the greatest size over
 * the greatest number, and numbers of 8 bits, x over the scale in DOUBLE. Of groups of rows each begins a block:
 * that of rows from b on has its first scales at row b / rows + g. In MX blocks of 32 by 32 a scale is a power of
 * two, and stands for each of its rows in one tensor, and for each of its columns in another.
 */
#include "aclnnop/aclnn_dynamic_block_mx_quant.h"
#include "aclnnop/aclnn_dynamic_block_quant.h"
#include "aclnnop/aclnn_dynamic_block_quant_v2.h"
#include "aclnnop/aclnn_grouped_dynamic_block_quant.h"
#include "aclnnop/aclnn_grouped_dynamic_block_quant_v2.h"

#include <inttypes.h>
#include <math.h>

#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/quantise/formats.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

enum { PIECE = 256, BLOCKS_AT_ONCE = 4, ELEMENT_PS = 6000 };

#define X_OF(X, of, sample_) X(of, IN, x, &dtypes_fp32_fp16_bf16, .sample = sample_)
#define ROUND(X, of)         X(of, CONST_TEXT, roundMode, .is_optional = true)
#define LEAST(X, of)         X(of, DOUBLE, minScale, .usual = "0")
#define MOST(X, of)          X(of, DOUBLE, dstTypeMax, .usual = "0")
#define SIZES_OF(X, of)                 \
    X(of, INT64, dstType, .usual = "2") \
    X(of, INT64, rowBlockSize, .usual = "1") X(of, INT64, colBlockSize, .usual = "128")
#define OUTPUTS(X, of) X(of, OUT, y, &dtypes_int8_on_950_float8_hifloat8) X(of, OUT, scale, &dtypes_fp32)
#define BLOCKS(X, of)  X_OF(X, of, "2x3") LEAST(X, of) ROUND(X, of) SIZES_OF(X, of)
#define GROUPED(X, of)                                       \
    X_OF(X, of, "2x3")                                       \
    X(of, IN, groupList, &dtypes_int32, .sample = "1:INT32") \
    LEAST(X, of) ROUND(X, of) SIZES_OF(X, of) X(of, INT64, groupListType, .usual = "0")
#define BLOCK_V1(X, of)   BLOCKS(X, of) OUTPUTS(X, of)
#define BLOCK_V2(X, of)   BLOCKS(X, of) MOST(X, of) OUTPUTS(X, of)
#define GROUPED_V1(X, of) GROUPED(X, of) OUTPUTS(X, of)
#define GROUPED_V2(X, of) GROUPED(X, of) MOST(X, of) OUTPUTS(X, of)
#define BLOCK_MX_RULE(X, of)             \
    X(of, INT64, dstType, .usual = "36") \
    X(of, INT64, scaleAlg, .usual = "0")
#define BLOCK_MX_OUTPUTS(X, of)                               \
    X(of, OUT, y, &dtypes_float8_float4, .is_unpacked = true) \
    X(of, OUT, scale1, &dtypes_float8_e8m0)                   \
    X(of, OUT, scale2, &dtypes_float8_e8m0)
#define BLOCK_MX(X, of) \
    X_OF(X, of, "4x64") ROUND(X, of) BLOCK_MX_RULE(X, of) MOST(X, of) BLOCK_MX_OUTPUTS(X, of)
SIGNATURE(BLOCK_V1)
SIGNATURE(BLOCK_V2)
SIGNATURE(GROUPED_V1)
SIGNATURE(GROUPED_V2)
SIGNATURE(BLOCK_MX)

/* Where a function has its parameters; 0 for those that it has not. x is the first of all. */
struct block_function {
    uint8_t groups, list_type, least, round, dtype, rows, columns, most, rule, y, scale[2];
};

struct request {
    const struct number_format *format;
    enum rounding rounding;
    enum mx_rule rule;
    int64_t rows, columns; /* of a block */
    float most,
        least; /* what sizes are divided by, and the least scale; of MX what mx_scale_of_block takes */
};

struct block_plan {
    struct port x, y, groups, scale[2];
    bool is_mx;
    uint64_t batch, rows, columns; /* of x */
    uint64_t down, across;         /* blocks of a matrix */
    uint64_t group_count, cost_ns;
    struct request request;
};

static const struct block_function *of_call(const struct call *call)
{
    return call->function->of_family;
}

static bool is_one_of(int64_t value, const int64_t *of, size_t count)
{
    bool is_one = false;
    for (size_t i = 0; i < count; i++)
        is_one = is_one || of[i] == value;
    return is_one;
}

#define IS_ONE_OF(value, ...) \
    is_one_of(value, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static aclnnStatus read_numbers(const struct call *call, struct request *request)
{
    const struct block_function *own = of_call(call);
    const struct dtype_set *set = call->function->parameter[own->y].dtypes;
    const int64_t dtype = call->argument[own->dtype].int64;
    const char *const text = call->argument[own->round].string;
    if (dtype < 0 || dtype > 63 || !dtype_is_in(set, call->settings->product, (aclDataType)dtype))
        return refuse(call, "dstType is %" PRId64 " on %s; %s is expected", dtype, call->settings->soc_name,
                      own->rule != 0 ? "35 (FLOAT8_E5M2), 36 (FLOAT8_E4M3FN), 40 (FLOAT4_E2M1) or 41 "
                                       "(FLOAT4_E1M2), on Ascend950,"
                                     : "2 (INT8) or, on Ascend950, 34 (HIFLOAT8), 35 (FLOAT8_E5M2) or 36 "
                                       "(FLOAT8_E4M3FN)");
    const bool is_hifloat8 = dtype == ACL_HIFLOAT8, is_float4 = dtype_is_packed((aclDataType)dtype);
    request->format = number_format_of((aclDataType)dtype);
    const bool is_known = rounding_read(text, &request->rounding);
    const bool is_even = request->rounding == ROUNDING_RINT;
    if (text == NULL && is_hifloat8)
        request->rounding = ROUNDING_ROUND;
    else if (!is_known ||
             (is_hifloat8 && request->rounding != ROUNDING_ROUND && request->rounding != ROUNDING_HYBRID) ||
             (!is_hifloat8 && !is_float4 && !is_even) || (is_float4 && request->rounding == ROUNDING_HYBRID))
        return refuse(call, "roundMode is \"%s\"; %s is expected for %s", text,
                      is_hifloat8 ? "\"round\" or \"hybrid\""
                      : is_float4 ? "\"rint\", \"round\", \"floor\", \"ceil\" or \"trunc\""
                                  : "\"rint\"",
                      dtype_name((aclDataType)dtype));
    return ACLNN_SUCCESS;
}

static aclnnStatus read_mx(const struct call *call, struct request *request)
{
    const struct block_function *own = of_call(call);
    const aclDataType dtype = request->format->dtype;
    const int64_t rule = call->argument[own->rule].int64, other = dtype_is_packed(dtype) ? 2 : 1;
    const double most = call->argument[own->most].fp64;
    const bool has_other = dtype != ACL_FLOAT4_E1M2;
    if (rule != 0 && (rule != other || !has_other))
        return refuse(call, "scaleAlg is %" PRId64 "; 0%s is expected for %s", rule,
                      !has_other   ? ""
                      : other == 2 ? " or 2"
                                   : " or 1",
                      dtype_name(dtype));
    if (most != 0 && !(dtype == ACL_FLOAT4_E2M1 && most >= 6 && most <= 12))
        return refuse(call, "dstTypeMax is %g; 0, or 6 to 12 of FLOAT4_E2M1, is expected for %s", most,
                      dtype_name(dtype));
    request->rule = (enum mx_rule)rule;
    request->rows = request->columns = MX_BLOCK;
    request->most = (float)most;
    request->least = 0;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_blocks(const struct call *call, struct request *request)
{
    const struct block_function *own = of_call(call);
    const double least = call->argument[own->least].fp64,
                 most = own->most != 0 ? call->argument[own->most].fp64 : 0;
    const bool is_hifloat8 = request->format->dtype == ACL_HIFLOAT8;
    request->rows = call->argument[own->rows].int64;
    request->columns = call->argument[own->columns].int64;
    if (!IS_ONE_OF(request->rows, 1, 64, 128, 256, 512) || !IS_ONE_OF(request->columns, 64, 128, 192, 256))
        return refuse(call,
                      "rowBlockSize is %" PRId64 " and colBlockSize %" PRId64
                      "; 1, 64, 128, 256 or 512, and 64, 128, 192 or 256, are expected",
                      request->rows, request->columns);
    if (!(least >= 0 && least - least == 0))
        return refuse(call, "minScale is %g; 0 or more is expected", least);
    if (most != 0 && !(is_hifloat8 && IS_ONE_OF((int64_t)(most < 40000 ? most : 0), 15, 56, 224, 32768) &&
                       most == floor(most)))
        return refuse(call, "dstTypeMax is %g; 0, or 15, 56, 224 or 32768 for HIFLOAT8, is expected", most);
    if (own->list_type != 0 && call->argument[own->list_type].int64 != 0)
        return refuse(call, "groupListType is %" PRId64 "; 0, where groups end, is expected",
                      call->argument[own->list_type].int64);
    request->most = most != 0 ? (float)most : (float)request->format->most;
    request->least = (float)least;
    return ACLNN_SUCCESS;
}

static aclnnStatus read_request(const struct call *call, struct request *request)
{
    const struct block_function *own = of_call(call);
    const struct tensor_view *x = &call->tensor[0];
    const uint32_t greatest = own->rule != 0 ? OPERAND_RANK_MAX - 1 : 3;
    TRY(check_dtype(call, 0));
    TRY(own->groups != 0 ? check_dtype(call, own->groups) : ACLNN_SUCCESS);
    TRY(check_rank(call, 0));
    if (x->rank < 2 || x->rank > greatest)
        return refuse(call, "x has %u dims; 2 to %u are expected", x->rank, greatest);
    TRY(read_numbers(call, request));
    TRY(own->rule != 0 ? read_mx(call, request) : read_blocks(call, request));
    if (dtype_is_packed(request->format->dtype) && x->shape[x->rank - 1] % 2 != 0)
        return refuse(call, "x has shape %s; an even last dim is expected for %s", shape_text(TEXT, x),
                      dtype_name(request->format->dtype));
    if (own->groups != 0 && (call->tensor[own->groups].rank != 1 || call->tensor[own->groups].count == 0))
        return refuse(call, "groupList has shape %s; one dim of 1 or more elements is expected",
                      shape_text(TEXT, &call->tensor[own->groups]));
    return ACLNN_SUCCESS;
}

static int64_t pieces_of(int64_t length, int64_t piece)
{
    return length / piece + (length % piece != 0);
}

static int64_t down_of(const struct call *call, const struct request *request)
{
    const struct block_function *own = of_call(call);
    const int64_t rows = call->tensor[0].shape[call->tensor[0].rank - 2];
    return own->groups != 0 ? rows / request->rows + call->tensor[own->groups].count
                            : pieces_of(rows, request->rows);
}

static void add_output(struct result *result, aclDataType dtype, struct shape shape)
{
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct block_function *own = of_call(call);
    const struct tensor_view *x = &call->tensor[0];
    const uint32_t rank = x->rank;
    struct request request;
    TRY(read_request(call, &request));
    result->computed = x->dtype;
    add_output(result, request.format->dtype, shape_of(x));
    struct shape scale = shape_of(x);
    if (own->rule == 0) {
        scale.dim[rank - 2] = down_of(call, &request);
        scale.dim[rank - 1] = pieces_of(x->shape[rank - 1], request.columns);
        add_output(result, ACL_FLOAT, scale);
    }
    for (uint32_t i = 0; own->rule != 0 && i < 2; i++) {
        scale = shape_of(x);
        scale.dim[rank - 1 - i] = pieces_of(x->shape[rank - 1 - i], 2 * MX_BLOCK);
        scale.dim[scale.rank++] = 2;
        add_output(result, ACL_FLOAT8_E8M0, scale);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct block_function *own = of_call(call);
    const struct tensor_view *x = &call->tensor[0];
    struct request request;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(read_request(call, &request));
    if (x->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct block_plan), &content, &made));
    struct block_plan *plan = made;
    *plan = (struct block_plan){.x = port_of(call, 0, ACL_DOUBLE),
                                .y = port_of(call, own->y, request.format->dtype),
                                .is_mx = own->rule != 0,
                                .rows = (uint64_t)x->shape[x->rank - 2],
                                .columns = (uint64_t)x->shape[x->rank - 1],
                                .down = (uint64_t)down_of(call, &request),
                                .request = request};
    plan->across = (uint64_t)pieces_of((int64_t)plan->columns, request.columns);
    plan->batch = (uint64_t)x->count / (plan->rows * plan->columns);
    for (int i = 0; i < (plan->is_mx ? 2 : 1); i++)
        plan->scale[i] = port_of(call, own->scale[i], plan->is_mx ? ACL_FLOAT8_E8M0 : ACL_FLOAT);
    if (plan->is_mx) { /* pairs of blocks down, so that the second one of each is told, there or not */
        plan->down += plan->down % 2;
        plan->across += plan->across % 2;
    }
    if (own->groups != 0) {
        plan->groups = port_of(call, own->groups, ACL_INT32);
        plan->group_count = (uint64_t)call->tensor[own->groups].count;
    }
    plan->cost_ns = (uint64_t)((double)x->count * ELEMENT_PS / 1000);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct work {
    const struct block_plan *plan;
    void *const *address;
};

/* Rows and columns of a matrix; none of either where the block is not there. */
struct block_at {
    uint64_t batch, row, rows, column, columns;
};

static uint64_t number_of(const struct block_plan *plan, const struct block_at *at, uint64_t row)
{
    return (at->batch * plan->rows + at->row + row) * plan->columns + at->column;
}

/* The greatest size, and NaN once there is one. A block has 256 columns at most. */
static float greatest_of(const struct work *work, const struct block_at *at)
{
    double value[PIECE] __attribute__((uninitialized)), greatest = 0;
    bool is_number = true;
    for (uint64_t row = 0; row < at->rows; row++) {
        port_bring(&work->plan->x, work->address, number_of(work->plan, at, row), at->columns, value);
        for (uint64_t i = 0; i < at->columns; i++) {
            const double size = fabs(value[i]);
            is_number = is_number && size == size;
            greatest = size > greatest ? size : greatest;
        }
    }
    return is_number ? (float)greatest : (float)NAN;
}

static void write_block(const struct work *work, const struct block_at *at, float scale, uint8_t power)
{
    const struct block_plan *plan = work->plan;
    const struct request *request = &plan->request;
    double value[PIECE] __attribute__((uninitialized));
    uint8_t code[PIECE] __attribute__((uninitialized));
    for (uint64_t row = 0; row < at->rows; row++) {
        const uint64_t number = number_of(plan, at, row);
        port_bring(&plan->x, work->address, number, at->columns, value);
        if (plan->is_mx)
            mx_encode_block(request->format, request->rounding, power, value, at->columns, code);
        else
            block_encode(request->format, request->rounding, scale, value, at->columns, code);
        port_deliver(&plan->y, work->address, number, at->columns, code);
    }
}

/* The power of a block for each of its rows, and for each of its columns: 0 of one beyond either end. */
static void write_powers(const struct work *work, const struct block_at *at, uint64_t down, uint64_t across,
                         uint8_t power)
{
    const struct block_plan *plan = work->plan;
    const uint64_t wide = plan->across / 2, high = plan->down / 2;
    for (uint64_t row = 0; row < at->rows; row++)
        port_deliver(&plan->scale[0], work->address,
                     ((at->batch * plan->rows + at->row + row) * wide + across / 2) * 2 + across % 2, 1,
                     &power);
    for (uint64_t i = 0; i < at->columns; i++)
        port_deliver(&plan->scale[1], work->address,
                     ((at->batch * high + down / 2) * plan->columns + at->column + i) * 2 + down % 2, 1,
                     &power);
}

static int32_t end_of_group(const struct work *work, uint64_t group)
{
    int32_t end;
    port_bring(&work->plan->groups, work->address, group, 1, &end);
    return end;
}

/* The rows that a row of scales is of, when there are groups; none, where it is no group's. */
static void find_rows(const struct work *work, uint64_t down, struct block_at *at)
{
    const uint64_t step = (uint64_t)work->plan->request.rows;
    uint64_t begin = 0;
    at->row = at->rows = 0;
    for (uint64_t g = 0; g < work->plan->group_count; g++) {
        const uint64_t last = (uint64_t)end_of_group(work, g), first = begin / step + g;
        if (down >= first && down < first + (last - begin + step - 1) / step) {
            at->row = begin + (down - first) * step;
            at->rows = last - at->row < step ? last - at->row : step;
        }
        begin = last;
    }
}

static uint64_t part_of(uint64_t length, uint64_t at, uint64_t piece)
{
    return at >= length ? 0 : length - at < piece ? length - at : piece;
}

static void take_block(void *context, uint64_t task)
{
    const struct work *work = context;
    const struct block_plan *plan = work->plan;
    const struct request *request = &plan->request;
    const uint64_t across = task % plan->across, down = task / plan->across % plan->down;
    struct block_at at = {.batch = task / plan->across / plan->down,
                          .row = down * (uint64_t)request->rows,
                          .column = across * (uint64_t)request->columns};
    at.columns = part_of(plan->columns, at.column, (uint64_t)request->columns);
    at.rows = part_of(plan->rows, at.row, (uint64_t)request->rows);
    if (plan->group_count > 0)
        find_rows(work, down, &at);
    const bool is_there = at.rows > 0 && at.columns > 0;
    const float greatest = is_there ? greatest_of(work, &at) : 0;
    if (plan->is_mx) {
        const uint8_t power = is_there ? mx_scale_of_block(request->format, request->rule, greatest,
                                                           request->most, request->least)
                                       : 0;
        write_powers(work, &at, down, across, power);
        if (is_there)
            write_block(work, &at, 0, power);
        return;
    }
    const float quotient = greatest / request->most, least = greatest == 0 ? 0 : request->least;
    const float scale = quotient < least ? least : quotient;
    if (is_there)
        write_block(work, &at, scale, 0);
    port_deliver(&plan->scale[0], work->address, task, 1, &scale);
}

/* Where groups end: numbers that do not fall, up to the number of rows. */
static int check_groups(const struct work *work)
{
    int64_t before = 0;
    for (uint64_t g = 0; g < work->plan->group_count; g++) {
        const int64_t end = end_of_group(work, g), rows = (int64_t)work->plan->rows;
        if (end < before || end > rows)
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupList holds %" PRId64 " at [%" PRIu64
                                  "]; numbers that do not fall, up to %" PRId64 ", are expected",
                                  end, g, rows);
        before = end;
    }
    return 0;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct block_plan *plan = prepared;
    struct work work = {plan, address};
    (void)scratch;
    const int status = check_groups(&work);
    if (status == 0)
        tasks_run(take_block, &work, plan->batch * plan->down * plan->across, BLOCKS_AT_ONCE, plan->cost_ns);
    return status;
}

#define IN_BLOCKS(...)                                                                          \
    .family = FAMILY_QUANTISE, .promise = &promise_exact, .operation.run = run, .infer = infer, \
    .plan = plan, .of_family = &(const struct block_function)                                   \
    {                                                                                           \
        __VA_ARGS__                                                                             \
    }
#define OF_BLOCKS(of)                                                                                  \
    .least = of##_minScale, .round = of##_roundMode, .dtype = of##_dstType, .rows = of##_rowBlockSize, \
    .columns = of##_colBlockSize, .y = of##_y, .scale = {of##_scale}

FUNCTION_OF(aclnnDynamicBlockQuant, BLOCK_V1, .stem = "dynamic_block_quant", IN_BLOCKS(OF_BLOCKS(BLOCK_V1)));
FUNCTION_OF(aclnnDynamicBlockQuantV2, BLOCK_V2, .stem = "dynamic_block_quant_v2",
            IN_BLOCKS(OF_BLOCKS(BLOCK_V2), .most = BLOCK_V2_dstTypeMax));
FUNCTION_OF(aclnnGroupedDynamicBlockQuant, GROUPED_V1, .stem = "grouped_dynamic_block_quant",
            IN_BLOCKS(OF_BLOCKS(GROUPED_V1), .groups = GROUPED_V1_groupList,
                      .list_type = GROUPED_V1_groupListType));
FUNCTION_OF(aclnnGroupedDynamicBlockQuantV2, GROUPED_V2, .stem = "grouped_dynamic_block_quant_v2",
            IN_BLOCKS(OF_BLOCKS(GROUPED_V2), .groups = GROUPED_V2_groupList,
                      .list_type = GROUPED_V2_groupListType, .most = GROUPED_V2_dstTypeMax));
FUNCTION_OF(aclnnDynamicBlockMxQuant, BLOCK_MX, .stem = "dynamic_block_mx_quant",
            IN_BLOCKS(.round = BLOCK_MX_roundMode, .dtype = BLOCK_MX_dstType, .rule = BLOCK_MX_scaleAlg,
                      .most = BLOCK_MX_dstTypeMax, .y = BLOCK_MX_y,
                      .scale = {BLOCK_MX_scale1, BLOCK_MX_scale2}));
