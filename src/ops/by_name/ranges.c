/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows by name: ranges of them that are filled, as much of them as is normalised, signs as bits.
 */
#include "ops/by_name/program.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { BITS = 8, NUMBER_PS = 2000 };

#define SMALL_CONSTANT 1e-5 /* beside a deviation */

#define NORMALIZE(X, of)                                   \
    X(of, IN, x, &dtypes_fp32, .sample = "2x3x4")          \
    X(of, IN, lengths, &dtypes_int32, .sample = "2:INT32") \
    X(of, BOOL, overChannels, .usual = "false")            \
    X(of, OUT, out, &dtypes_fp32)
SIGNATURE(NORMALIZE)

/* Of (N, C, D); of what is filled (outer, along, inner), and how many of N have ranges. */
struct rows {
    uint64_t first, second, last;
    uint64_t ranges, ranged, between; /* rows of one index of the first axis */
    bool is_over_channels;
};

static aclnnStatus infer_normalize(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[NORMALIZE_x];
    TRY(check_dtype(call, NORMALIZE_x));
    TRY(check_dtype(call, NORMALIZE_lengths));
    TRY(check_sizes(call, NORMALIZE_x, SIZES(-1, -1, -1)));
    TRY(check_sizes(call, NORMALIZE_lengths, SIZES(x->shape[0])));
    result->computed = x->dtype;
    result_sized(result, x->dtype, DTYPE_EQUAL, SIZES(x->shape[0], x->shape[1], x->shape[2]));
    return ACLNN_SUCCESS;
}

/* A group of rows has one mean and one deviation, of their first numbers; all numbers are changed by them. */
static void normalize_group(const struct task *task, uint64_t group)
{
    const struct rows *rows = task->parameters;
    const uint64_t channels = rows->is_over_channels ? rows->second : 1,
                   sample = rows->is_over_channels ? group : group / rows->second,
                   at = group * channels * rows->last, all = channels * rows->last;
    const int64_t given = task_integer(task, NORMALIZE_lengths, sample);
    const uint64_t length = given < 0 ? 0 : (uint64_t)given < rows->last ? (uint64_t)given : rows->last;
    double *x = task->room, sum = 0, squares = 0;
    task_read(task, NORMALIZE_x, at, all, x);
    const double count = (double)(channels * length);
    for (uint64_t i = 0; i < all; i++)
        sum += i % rows->last < length ? x[i] : 0;
    const double mean = sum / count;
    for (uint64_t i = 0; i < all; i++)
        squares += i % rows->last < length ? (x[i] - mean) * (x[i] - mean) : 0;
    const double deviation = __builtin_sqrt(squares / (count - 1)) + SMALL_CONSTANT;
    for (uint64_t i = 0; i < all; i++)
        x[i] = (x[i] - mean) / deviation;
    task_write(task, NORMALIZE_out, at, all, x);
}

static aclnnStatus plan_normalize(const struct call *call, const struct result *result)
{
    const int64_t *shape = call->tensor[NORMALIZE_x].shape;
    const struct rows rows = {.first = (uint64_t)shape[0],
                              .second = (uint64_t)shape[1],
                              .last = (uint64_t)shape[2],
                              .is_over_channels = call->argument[NORMALIZE_overChannels].boolean};
    const uint64_t each = rows.last * (rows.is_over_channels ? rows.second : 1);
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = normalize_group,
                                                            .count = call->tensor[NORMALIZE_x].count == 0 ? 0
                                                                     : rows.is_over_channels
                                                                         ? rows.first
                                                                         : rows.first * rows.second,
                                                            .task_ns = each * NUMBER_PS / 1000 + 100,
                                                            .room = each,
                                                            .parameters = &rows,
                                                            .parameter_bytes = sizeof rows});
}

KIND_FUNCTION(NormalizeRows, NORMALIZE, .stem = "normalize_rows", .family = FAMILY_ROWS,
              .promise = &promise_sum, ROW_TASKS, .infer = infer_normalize, .plan = plan_normalize);

#define FILL(X, of)                                             \
    X(of, IN, x, &dtypes_fp32_fp16_integers, .sample = "3x4")   \
    X(of, IN, start, &dtypes_int32, .sample = "1x3:INT32")      \
    X(of, IN, end, &dtypes_int32, .sample = "1x3:INT32")        \
    X(of, IN, value, &dtypes_fp32_fp16_integers, .sample = "1") \
    X(of, INT64, axis, .usual = "-1")                           \
    X(of, OUT, out, &dtypes_fp32_fp16_integers)
SIGNATURE(FILL)

static aclnnStatus infer_fill(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[FILL_x];
    TRY(check_all_dtypes(call));
    TRY(check_same_dtype(call, FILL_value, FILL_x, NULL));
    if (x->dtype == ACL_INT64) /* which doubles do not hold */
        return refuse(call, "x has dtype INT64; integers of at most 32 bits are expected");
    TRY(check_sizes(call, FILL_start, SIZES(-1, -1)));
    TRY(check_sizes(call, FILL_end,
                    SIZES(call->tensor[FILL_start].shape[0], call->tensor[FILL_start].shape[1])));
    TRY(check_sizes(call, FILL_value, SIZES(call->tensor[FILL_start].shape[0])));
    const int64_t axis =
        call->argument[FILL_axis].int64 + (call->argument[FILL_axis].int64 < 0 ? x->rank : 0);
    if (x->rank < 1 || x->rank > 3 || axis < 0 || axis >= (int64_t)x->rank)
        return refuse(call, "x has %u dims and axis is %lld; 1 to 3 and one of them are expected", x->rank,
                      (long long)call->argument[FILL_axis].int64);
    result->computed = x->dtype;
    result_add(result, x->dtype, DTYPE_EQUAL)->shape = shape_of(x);
    return ACLNN_SUCCESS;
}

/* All elements of one index of the first axis, or all where that is filled itself; later ranges win. */
static void fill_row(const struct task *task, uint64_t row)
{
    const struct rows *rows = task->parameters;
    const uint64_t each = rows->second * rows->last;
    double *x = task->room;
    task_read(task, FILL_x, row * each, each, x);
    const uint64_t first = row / rows->between;
    for (uint64_t k = 0; k < rows->ranges && first < rows->ranged; k++) {
        const int64_t start = task_integer(task, FILL_start, k * rows->ranged + first),
                      end = task_integer(task, FILL_end, k * rows->ranged + first);
        const double value = task_number(task, FILL_value, k);
        for (uint64_t i = 0; i < each; i++) {
            const int64_t at = (int64_t)(i / rows->last % rows->second);
            x[i] = at >= start && at < end ? value : x[i];
        }
    }
    task_write(task, FILL_out, row * each, each, x);
}

static aclnnStatus plan_fill(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[FILL_x];
    const uint32_t axis =
        (uint32_t)(call->argument[FILL_axis].int64 + (call->argument[FILL_axis].int64 < 0 ? x->rank : 0));
    struct rows rows = {.first = 1, .second = 1, .last = 1};
    rows.ranges = (uint64_t)call->tensor[FILL_start].shape[0];
    rows.ranged = (uint64_t)call->tensor[FILL_start].shape[1];
    rows.first = axis > 0 ? (uint64_t)x->shape[0] : 1;
    rows.second = (uint64_t)x->shape[axis];
    for (uint32_t k = axis + 1; k < x->rank; k++)
        rows.last *= (uint64_t)x->shape[k];
    (void)result;
    rows.between = axis == 2 ? (uint64_t)x->shape[1] : 1;
    const uint64_t each = rows.second * rows.last;
    return row_tasks_plan(call,
                          &(struct row_tasks_request){.body = fill_row,
                                                      .count = x->count == 0 ? 0 : (uint64_t)x->count / each,
                                                      .task_ns = each * NUMBER_PS / 1000 + 100,
                                                      .room = each,
                                                      .parameters = &rows,
                                                      .parameter_bytes = sizeof rows});
}

KIND_FUNCTION(FillRanges, FILL, .stem = "fill_ranges", .family = FAMILY_ROWS, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_fill, .plan = plan_fill);

#define PACK(X, of)                                \
    X(of, IN, x, &dtypes_fp32_fp16, .sample = "5") \
    X(of, OUT, out, &dtypes_uint8)
SIGNATURE(PACK)

static aclnnStatus infer_pack(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, PACK_x));
    TRY(check_sizes(call, PACK_x, SIZES(-1)));
    result->computed = call->tensor[PACK_x].dtype;
    result_sized(result, ACL_UINT8, DTYPE_EQUAL, SIZES((call->tensor[PACK_x].shape[0] + BITS - 1) / BITS));
    return ACLNN_SUCCESS;
}

/* The lowest bit is the first number's, 1 where that is not below 0; what is missing counts as below. */
static void pack_byte(const struct task *task, uint64_t byte)
{
    const uint64_t all = *(const uint64_t *)task->parameters, left = all - byte * BITS;
    double x[BITS];
    int64_t bits = 0;
    const uint64_t count = left < BITS ? left : BITS;
    task_read(task, PACK_x, byte * BITS, count, x);
    for (uint64_t i = 0; i < count; i++)
        bits |= (int64_t)(x[i] >= 0) << i;
    task_set_integer(task, PACK_out, byte, bits);
}

static aclnnStatus plan_pack(const struct call *call, const struct result *result)
{
    const uint64_t all = (uint64_t)call->tensor[PACK_x].shape[0];
    (void)result;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = pack_byte,
                                                            .count = (all + BITS - 1) / BITS,
                                                            .task_ns = 40,
                                                            .parameters = &all,
                                                            .parameter_bytes = sizeof all});
}

KIND_FUNCTION(PackSigns, PACK, .stem = "pack_signs", .family = FAMILY_ROWS, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_pack, .plan = plan_pack);

#define UNPACK(X, of)                                \
    X(of, IN, x, &dtypes_uint8, .sample = "5:UINT8") \
    X(of, OUT, out, &dtypes_fp32_fp16)
SIGNATURE(UNPACK)

static aclnnStatus infer_unpack(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, UNPACK_x));
    TRY(check_sizes(call, UNPACK_x, SIZES(-1)));
    result->computed = ACL_FLOAT;
    const struct output *output =
        result_sized(result, ACL_FLOAT, DTYPE_EQUAL, SIZES(call->tensor[UNPACK_x].shape[0] * BITS));
    return check_element_count(call, &output->shape);
}

static void unpack_byte(const struct task *task, uint64_t byte)
{
    const int64_t bits = task_integer(task, UNPACK_x, byte);
    double x[BITS];
    for (int i = 0; i < BITS; i++)
        x[i] = (bits >> i & 1) != 0 ? 1 : -1;
    task_write(task, UNPACK_out, byte * BITS, BITS, x);
}

static aclnnStatus plan_unpack(const struct call *call, const struct result *result)
{
    (void)result;
    return row_tasks_plan(
        call, &(struct row_tasks_request){
                  .body = unpack_byte, .count = (uint64_t)call->tensor[UNPACK_x].shape[0], .task_ns = 40});
}

KIND_FUNCTION(UnpackSigns, UNPACK, .stem = "unpack_signs", .family = FAMILY_ROWS, .promise = &promise_exact,
              ROW_TASKS, .infer = infer_unpack, .plan = plan_unpack);

__attribute__((constructor)) static void offer(void)
{
    program_offer_function(&NormalizeRows_function);
    program_offer_function(&FillRanges_function);
    program_offer_function(&PackSigns_function);
    program_offer_function(&UnpackSigns_function);
}
