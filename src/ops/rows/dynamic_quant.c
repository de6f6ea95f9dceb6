/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of x, times smooth scales, as INT8 or INT4 and a scale: of v the greatest |v| / MAX, or with an offset
 * (greatest - least) / (MAX - MIN), and the offset MAX - greatest / scale; both rounded to FLOAT. y = v /
 * scale, plus the offset, in DOUBLE, rounded to the nearest whole number, ties to even, and no further than
 * MIN and MAX; 0 where that is no number, as in rows that are all 0. MIN and MAX are -128 and 127, or -8 and
 * 7. INT4 lie two to a byte, or eight to an element of an INT32 tensor, the first one in the lowest bits.
 */
#include "aclnnop/aclnn_dynamic_quant.h"
#include "aclnnop/aclnn_dynamic_quant_v2.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ops/check.h"
#include "ops/check_message.h"
#include "ops/dtypes.h"
#include "ops/loops/tasks.h"
#include "ops/operands.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define INPUTS(X, of)                    \
    X(of, IN, x, &dtypes_fp32_fp16_bf16) \
    X(of, IN, smoothScalesOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "3")
#define DYNAMIC_QUANT(X, of)                  \
    INPUTS(X, of)                             \
    X(of, OUT, yOut, &dtypes_int8_int32_int4) \
    X(of, OUT, scaleOut, &dtypes_fp32)
SIGNATURE(DYNAMIC_QUANT)
#define DYNAMIC_QUANT_V2(X, of)                                                     \
    INPUTS(X, of)                                                                   \
    X(of, IN, groupIndexOptional, &dtypes_int32, .is_optional = true, .sample = "") \
    X(of, INT64, dstType, .usual = "2")                                             \
    X(of, OUT, yOut, &dtypes_int8_int32_int4)                                       \
    X(of, OUT, scaleOut, &dtypes_fp32)                                              \
    X(of, OUT, offsetOut, &dtypes_fp32, .is_optional = true)
SIGNATURE(DYNAMIC_QUANT_V2)
enum { PIECE = 512, ROWS_AT_ONCE = 4, ELEMENT_PS = 3000 };
enum { HALF = 2, WORD = 8 }; /* INT4 in a byte, and in an INT32 */

/* What is read, then what is written. */
enum part { P_X, P_SMOOTH, P_GROUPS, P_Y, P_SCALE, P_OFFSET, PARTS };

struct quant_plan {
    struct port port[PARTS];
    bool is_there[PARTS];
    uint64_t rows, width, groups, cost_ns;
    unsigned packs; /* INT4 in what is written at once; 0: INT8 */
};

static bool is_v2(const struct call *call)
{
    return call->function->parameter_count == DYNAMIC_QUANT_V2_offsetOut + 1;
}

static bool has_groups(const struct call *call)
{
    return is_v2(call) && call_has(call, DYNAMIC_QUANT_V2_groupIndexOptional);
}

static aclnnStatus check_smooth(const struct call *call, int64_t width)
{
    const struct tensor_view *smooth = &call->tensor[DYNAMIC_QUANT_smoothScalesOptional];
    const uint32_t rank = has_groups(call) ? 2 : 1;
    if (smooth->rank != rank || smooth->shape[rank - 1] != width)
        return refuse(call, "smoothScalesOptional has %u dims; %u, the last of %" PRId64 ", are expected",
                      smooth->rank, rank, width);
    if (has_groups(call) && call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].count == 0)
        return refuse(call, "groupIndexOptional has 0 elements; 1 or more are expected");
    if (has_groups(call) && (call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].rank != 1 ||
                             call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].shape[0] != smooth->shape[0]))
        return refuse(call,
                      "groupIndexOptional has %" PRId64 " elements in %u dims; one dim of %" PRId64
                      " is expected",
                      call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].count,
                      call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].rank, smooth->shape[0]);
    return ACLNN_SUCCESS;
}

/* What y is of: V2 says it, and the first version's y, which is INT8 where there is none yet. */
static aclDataType dtype_of_y(const struct call *call)
{
    if (is_v2(call))
        return (aclDataType)call->argument[DYNAMIC_QUANT_V2_dstType].int64;
    const aclDataType given = call->has_outputs && call_has(call, DYNAMIC_QUANT_yOut)
                                  ? call->tensor[DYNAMIC_QUANT_yOut].dtype
                                  : ACL_INT8;
    return given == ACL_INT32 || given == ACL_INT4 ? given : ACL_INT8;
}

/* INT4 have no places of their own in memory, so that their rows are whole bytes, one behind the other. */
static aclnnStatus check_packs(const struct call *call, aclDataType dtype)
{
    const struct tensor_view *x = &call->tensor[DYNAMIC_QUANT_x];
    const unsigned y = is_v2(call) ? DYNAMIC_QUANT_V2_yOut : DYNAMIC_QUANT_yOut;
    const int64_t width = x->shape[x->rank - 1], packs = dtype == ACL_INT4 ? HALF : WORD;
    if (dtype == ACL_INT8)
        return ACLNN_SUCCESS;
    if (width % packs != 0)
        return refuse(call,
                      "x has rows of %" PRId64 " elements; multiples of %" PRId64 " are expected for %s",
                      width, packs, dtype == ACL_INT4 ? "INT4" : "INT4 in INT32");
    if (dtype != ACL_INT4 || !call->has_outputs || !call_has(call, y) || call->tensor[y].dtype != ACL_INT4 ||
        call->tensor[y].count == 0)
        return ACLNN_SUCCESS;
    const struct span span = span_of(&call->tensor[y], SPAN_AS_IT_IS);
    if (!span_is_contiguous(&span) || call->tensor[y].offset % 2 != 0)
        return refuse(call, "yOut of INT4 is a view; a contiguous one that begins with a byte is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[DYNAMIC_QUANT_x];
    TRY(check_dtype(call, DYNAMIC_QUANT_x));
    TRY(call_has(call, DYNAMIC_QUANT_smoothScalesOptional)
            ? check_dtype(call, DYNAMIC_QUANT_smoothScalesOptional)
            : ACLNN_SUCCESS);
    TRY(has_groups(call) ? check_dtype(call, DYNAMIC_QUANT_V2_groupIndexOptional) : ACLNN_SUCCESS);
    TRY(call_has(call, DYNAMIC_QUANT_smoothScalesOptional)
            ? check_same_dtype(call, DYNAMIC_QUANT_smoothScalesOptional, DYNAMIC_QUANT_x, NULL)
            : ACLNN_SUCCESS);
    TRY(check_rank(call, DYNAMIC_QUANT_x));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    if (has_groups(call) && !call_has(call, DYNAMIC_QUANT_smoothScalesOptional))
        return refuse(call, "groupIndexOptional is given without smoothScalesOptional");
    TRY(call_has(call, DYNAMIC_QUANT_smoothScalesOptional) ? check_smooth(call, x->shape[x->rank - 1])
                                                           : ACLNN_SUCCESS);
    const aclDataType dtype = dtype_of_y(call);
    if (is_v2(call) && dtype != ACL_INT8 && dtype != ACL_INT32 && dtype != ACL_INT4)
        return refuse(
            call, "dstType is %" PRId64 "; %d, INT8, %d, INT32 of eight INT4 each, or %d, INT4, is expected",
            call->argument[DYNAMIC_QUANT_V2_dstType].int64, ACL_INT8, ACL_INT32, ACL_INT4);
    TRY(check_packs(call, dtype));
    result->computed = x->dtype;
    struct output *output = result_add(result, dtype, DTYPE_EQUAL);
    output->shape_rule = SHAPE_EQUAL;
    output->shape = shape_of(x);
    if (dtype == ACL_INT32)
        output->shape.dim[x->rank - 1] /= WORD;
    for (int i = 0; i < (is_v2(call) ? 2 : 1); i++) {
        output = result_add(result, ACL_FLOAT, DTYPE_EQUAL);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape_of(x);
        output->shape.rank--;
        output->is_unwanted = i == 1 && call->has_outputs && !call_has(call, DYNAMIC_QUANT_V2_offsetOut);
    }
    return ACLNN_SUCCESS;
}

/* A tensor, of which the work sees elements of a dtype. */
static void set_part(struct quant_plan *plan, const struct call *call, enum part part, unsigned parameter,
                     aclDataType carried)
{
    plan->port[part] = port_of(call, parameter, carried);
    plan->is_there[part] = true;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[DYNAMIC_QUANT_x];
    struct quant_plan plan = {.packs = 0};
    struct executor_content *content;
    void *made;
    (void)result;
    plan.width = (uint64_t)x->shape[x->rank - 1];
    plan.rows = 1; /* of no elements as well: such a row has a scale, 0 */
    for (uint32_t i = 0; i + 1 < x->rank; i++)
        plan.rows *= (uint64_t)x->shape[i];
    if (plan.rows == 0)
        return call_idle(call);
    plan.cost_ns = (uint64_t)((double)x->count * ELEMENT_PS / 1000);
    set_part(&plan, call, P_X, DYNAMIC_QUANT_x, ACL_DOUBLE);
    if (call_has(call, DYNAMIC_QUANT_smoothScalesOptional))
        set_part(&plan, call, P_SMOOTH, DYNAMIC_QUANT_smoothScalesOptional, ACL_DOUBLE);
    if (has_groups(call)) {
        set_part(&plan, call, P_GROUPS, DYNAMIC_QUANT_V2_groupIndexOptional, ACL_INT32);
        plan.groups = (uint64_t)call->tensor[DYNAMIC_QUANT_V2_groupIndexOptional].count;
    }
    const unsigned y = is_v2(call) ? DYNAMIC_QUANT_V2_yOut : DYNAMIC_QUANT_yOut;
    const aclDataType dtype = call->tensor[y].dtype;
    set_part(&plan, call, P_Y, y, dtype);
    plan.packs = dtype == ACL_INT8 ? 0 : dtype == ACL_INT4 ? HALF : WORD;
    if (dtype == ACL_INT4)
        plan.port[P_Y].span = span_contiguous((uint64_t)x->count / HALF, 1);
    set_part(&plan, call, P_SCALE, is_v2(call) ? DYNAMIC_QUANT_V2_scaleOut : DYNAMIC_QUANT_scaleOut,
             ACL_FLOAT);
    if (is_v2(call) && call_has(call, DYNAMIC_QUANT_V2_offsetOut))
        set_part(&plan, call, P_OFFSET, DYNAMIC_QUANT_V2_offsetOut, ACL_FLOAT);
    TRY(call_begin(call, sizeof plan, &content, &made));
    memcpy(made, &plan, sizeof plan);
    content->cost_ns = plan.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct quant_work {
    const struct quant_plan *plan;
    void *const *address;
};

static int32_t group_at(const struct quant_work *work, uint64_t group)
{
    int32_t end;
    port_bring(&work->plan->port[P_GROUPS], work->address, group, 1, &end);
    return end;
}

static void read_part(const struct quant_work *work, enum part part, uint64_t at, uint64_t count, double *to)
{
    port_bring(&work->plan->port[part], work->address, at, count, to);
}

/* Reads count of a row's elements, times their scales. */
static void read_smooth(const struct quant_work *work, uint64_t row, uint64_t at, uint64_t count, double *to)
{
    const struct quant_plan *plan = work->plan;
    double factor[PIECE] __attribute__((uninitialized));
    uint64_t group = 0;
    read_part(work, P_X, row * plan->width + at, count, to);
    if (!plan->is_there[P_SMOOTH])
        return;
    while (group + 1 < plan->groups && row >= (uint64_t)group_at(work, group))
        group++;
    read_part(work, P_SMOOTH, group * plan->width + at, count, factor);
    for (uint64_t i = 0; i < count; i++)
        to[i] *= factor[i];
}

static int8_t quantised(double value, double greatest)
{
    const double whole = nearbyint(value), least = -greatest - 1;
    return whole != whole ? 0 : (int8_t)(whole < least ? least : whole > greatest ? greatest : whole);
}

/* A row's elements, from one that begins an element of y. */
static void write_y(const struct quant_work *work, uint64_t at, const int8_t *y, uint64_t count)
{
    const struct quant_plan *plan = work->plan;
    uint8_t halves[PIECE / HALF] __attribute__((uninitialized));
    uint32_t words[PIECE / WORD] __attribute__((uninitialized));
    const uint64_t packs = plan->packs > 0 ? plan->packs : 1;
    for (uint64_t i = 0; plan->packs == HALF && i < count; i += HALF)
        halves[i / HALF] = (uint8_t)((y[i] & 15) | (y[i + 1] & 15) << 4);
    for (uint64_t i = 0; plan->packs == WORD && i < count; i += WORD) {
        uint32_t word = 0;
        for (unsigned k = 0; k < WORD; k++)
            word |= (uint32_t)(y[i + k] & 15) << 4 * k;
        words[i / WORD] = word;
    }
    port_deliver(&plan->port[P_Y], work->address, at / packs, count / packs,
                 plan->packs == HALF   ? (const void *)halves
                 : plan->packs == WORD ? (const void *)words
                                       : (const void *)y);
}

static void write_number(const struct quant_work *work, enum part part, uint64_t row, float number)
{
    port_deliver(&work->plan->port[part], work->address, row, 1, &number);
}

static void take_row(void *context, uint64_t row)
{
    const struct quant_work *work = context;
    const struct quant_plan *plan = work->plan;
    const bool has_offset = plan->is_there[P_OFFSET];
    const double most = plan->packs > 0 ? 7 : 127, levels = 2 * most + 1;
    double value[PIECE] __attribute__((uninitialized)), greatest = -(double)INFINITY,
                                                        least = (double)INFINITY;
    bool is_number = true;
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        read_smooth(work, row, at, count, value);
        for (uint64_t i = 0; i < count; i++) {
            is_number = is_number && value[i] == value[i];
            greatest = value[i] > greatest ? value[i] : greatest;
            least = value[i] < least ? value[i] : least;
        }
    }
    const double size = greatest > -least ? greatest : 0 - least; /* +0 in rows of zeros */
    const float scale = plan->width == 0 ? 0
                        : !is_number     ? (float)NAN
                        : has_offset     ? (float)((greatest - least) / levels)
                                         : (float)(size / most);
    const float offset = has_offset && plan->width > 0 ? (float)(most - greatest / (double)scale) : 0;
    for (uint64_t at = 0; at < plan->width; at += PIECE) {
        const uint64_t count = plan->width - at < PIECE ? plan->width - at : PIECE;
        int8_t y[PIECE] __attribute__((uninitialized));
        read_smooth(work, row, at, count, value);
        for (uint64_t i = 0; i < count; i++)
            y[i] = quantised(value[i] / (double)scale + (double)offset, most);
        write_y(work, row * plan->width + at, y, count);
    }
    write_number(work, P_SCALE, row, scale);
    if (has_offset)
        write_number(work, P_OFFSET, row, isnan(offset) ? (float)NAN : offset);
}

/* Where groups end: numbers that do not fall, the last of them all rows. */
static int check_ends(const struct quant_work *work)
{
    int64_t before = 0;
    for (uint64_t g = 0; g < work->plan->groups; g++) {
        const int64_t end = group_at(work, g);
        const bool is_last = g + 1 == work->plan->groups;
        if (end < before || end > (int64_t)work->plan->rows || (is_last && end != (int64_t)work->plan->rows))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "groupIndex holds %" PRId64 " at [%" PRIu64
                                  "]; numbers that do not fall, and %" PRIu64 " in the end, are expected",
                                  end, g, work->plan->rows);
        before = end;
    }
    return 0;
}

static int run(const void *prepared, void *const *address, void *scratch)
{
    const struct quant_plan *plan = prepared;
    struct quant_work work = {.plan = plan, .address = address};
    (void)scratch;
    const int status = check_ends(&work);
    if (status == 0)
        tasks_run(take_row, &work, plan->rows, ROWS_AT_ONCE, plan->cost_ns);
    return status;
}

#define QUANTISES \
    .family = FAMILY_ROWS, .promise = &promise_exact, .operation.run = run, .infer = infer, .plan = plan

FUNCTION_OF(aclnnDynamicQuant, DYNAMIC_QUANT, .stem = "dynamic_quant", QUANTISES);
FUNCTION_OF(aclnnDynamicQuantV2, DYNAMIC_QUANT_V2, .stem = "dynamic_quant_v2", QUANTISES);
