/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * InplaceUniform and InplaceNormal, with seed and offset as numbers or in tensors. Element i, in row-major
 * order of the view whatever its strides, depends on seed, offset, i and the dtype alone. Threads share
 * pieces.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "simd/vector/level_table.h"
#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/random/draw.h"
#include "ops/signature.h"

/* Normal numbers in DOUBLE have the error of their radius and angle; narrower ones are rounded from them. */
static const struct promise promise_normal = {
    .halves = {TIER_ULP, 1}, .fp32 = {TIER_ULP, 1}, .fp32_exact = {TIER_ULP, 1}, .fp64 = {TIER_ULP, 8}};

/* All four have these places; a tensor instead of a number is followed by a number of its own. */
#define NUMBERS(X, of, kind) X(of, kind, seed, .usual = "0") X(of, kind, offset, .usual = "0")
#define TENSORS(X, of, dtypes, kind)                     \
    X(of, IN, seedTensor, dtypes, .sample = "1:INT64")   \
    X(of, IN, offsetTensor, dtypes, .sample = "1:INT64") \
    X(of, kind, offset, .usual = "0")
#define RANGE(X, of)                                           \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers) \
    X(of, DOUBLE, from, .usual = "0")                          \
    X(of, DOUBLE, to, .usual = "1")
#define SPREAD(X, of)                                               \
    X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_bool) \
    X(of, FLOAT, mean, .usual = "0")                                \
    X(of, FLOAT, std, .usual = "1")
#define UNIFORM(X, of) RANGE(X, of) NUMBERS(X, of, UINT64)
SIGNATURE(UNIFORM)
#define UNIFORM_TENSOR(X, of) RANGE(X, of) TENSORS(X, of, &dtypes_int64_uint64, UINT64)
SIGNATURE(UNIFORM_TENSOR)
#define NORMAL(X, of) SPREAD(X, of) NUMBERS(X, of, INT64)
SIGNATURE(NORMAL)
#define NORMAL_TENSOR(X, of) SPREAD(X, of) TENSORS(X, of, &dtypes_int64, INT64)
SIGNATURE(NORMAL_TENSOR)

static bool has_seed_tensor(const struct call *call)
{
    return call->function->parameter[UNIFORM_seed].kind == PARAMETER_TENSOR;
}

static aclnnStatus check_one_number(const struct call *call, unsigned parameter)
{
    TRY(check_dtype(call, parameter));
    return check_one_element(call, parameter);
}

static aclnnStatus infer_filled(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, UNIFORM_selfRef));
    TRY(check_rank(call, UNIFORM_selfRef));
    if (has_seed_tensor(call)) {
        TRY(check_one_number(call, UNIFORM_seed));
        TRY(check_one_number(call, UNIFORM_offset));
    }
    result_like(result, call, UNIFORM_selfRef);
    return ACLNN_SUCCESS;
}

LEVEL_TABLE(draw_function, draws, draw);

/* Elements of a piece, a number of whole draws; and what one takes, roughly. */
enum { PIECE = 1024, PIECES_AT_ONCE = 16, UNIFORM_PS = 2000, NORMAL_PS = 8000 };

struct random_fill {
    draw_function *function;
    struct draw draw;
    double end;                  /* elements lie below it where it is greater than draw.base */
    struct port out;             /* in doubles */
    uint32_t seed_at, offset_at; /* among the addresses */
    bool has_tensors;
    uint64_t cost_ns;
};

/* draw has all but seed, offset and what the dtype decides. */
static aclnnStatus random_plan(const struct call *call, struct draw draw, double end)
{
    const struct tensor_view *out = &call->tensor[UNIFORM_selfRef];
    const bool has_tensors = has_seed_tensor(call);
    struct executor_content *content;
    void *made;
    if (out->count == 0)
        return call_idle(call);
    draw.seed = has_tensors ? 0 : (uint64_t)call->argument[UNIFORM_seed].int64;
    draw.offset = (uint64_t)call->argument[has_tensors ? UNIFORM_TENSOR_offset : UNIFORM_offset].int64;
    draw.is_long = out->dtype == ACL_DOUBLE;
    TRY(call_begin(call, sizeof(struct random_fill), &content, &made));
    struct random_fill *plan = made;
    plan->function = draws[call->settings->isa];
    plan->draw = draw;
    plan->end = end;
    plan->out = port_of(call, UNIFORM_selfRef, ACL_DOUBLE);
    plan->has_tensors = has_tensors;
    plan->seed_at = has_tensors ? call->first_operand[UNIFORM_seed] : 0;
    plan->offset_at = has_tensors ? call->first_operand[UNIFORM_offset] : 0;
    plan->cost_ns = (uint64_t)((double)out->count * (draw.is_normal ? NORMAL_PS : UNIFORM_PS) / 1000);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The largest number below end that the dtype has; DOUBLE's for integers, which are cut off later. */
static double below(const struct random_fill *plan, double end)
{
    bool is_float =
        plan->out.dtype == ACL_FLOAT || plan->out.dtype == ACL_FLOAT16 || plan->out.dtype == ACL_BF16;
    uint64_t raw = 0;
    double value;
    end += 0.0; /* -0 becomes 0 */
    if (!is_float) {
        memcpy(&raw, &end, sizeof raw);
        raw = float_below(raw, sizeof raw);
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    plan->out.transfer->convert(&end, ACL_DOUBLE, &raw, plan->out.dtype, 1);
    plan->out.transfer->convert(&raw, plan->out.dtype, &value, ACL_DOUBLE, 1);
    if (value < end)
        return value;
    raw = float_below(raw, plan->out.span.bytes);
    plan->out.transfer->convert(&raw, plan->out.dtype, &value, ACL_DOUBLE, 1);
    return value;
}

struct random_work {
    const struct random_fill *plan;
    struct draw draw;
    void *const *address;
};

static void fill_piece(void *context, uint64_t at, uint64_t count)
{
    const struct random_work *work = context;
    const struct random_fill *plan = work->plan;
    const uint32_t drawn = draw_elements(&work->draw);
    _Alignas(64) double value[PIECE] __attribute__((uninitialized));
    uint64_t block = at / drawn * DRAW_BLOCKS; /* pieces begin at a multiple of what is drawn at a time */
    for (size_t done = 0; done < count; done += drawn, block += DRAW_BLOCKS)
        plan->function(&work->draw, block, value + done);
    port_deliver(&plan->out, work->address, at, count, value);
}

static int random_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct random_fill *plan = (const struct random_fill *)plan_bytes;
    struct random_work work = {.plan = plan, .draw = plan->draw, .address = address};
    (void)scratch;
    if (plan->has_tensors) {
        uint64_t offset;
        memcpy(&work.draw.seed, address[plan->seed_at], sizeof work.draw.seed);
        memcpy(&offset, address[plan->offset_at], sizeof offset);
        work.draw.offset += offset;
    }
    work.draw.limit = plan->end > plan->draw.base ? below(plan, plan->end) : (double)__builtin_inf();
    pieces_run(fill_piece, &work, plan->out.span.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

static aclnnStatus infer_uniform(const struct call *call, struct result *result)
{
    double from = call->argument[UNIFORM_from].fp64, to = call->argument[UNIFORM_to].fp64;
    TRY(infer_filled(call, result));
    if (!(from <= to))
        return refuse(call, "from is %g and to is %g; from is expected not to be greater", from, to);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_uniform(const struct call *call, const struct result *result)
{
    const double from = call->argument[UNIFORM_from].fp64, to = call->argument[UNIFORM_to].fp64;
    (void)result;
    return random_plan(call, (struct draw){.base = from, .scale = to - from}, to);
}

static aclnnStatus infer_normal(const struct call *call, struct result *result)
{
    TRY(infer_filled(call, result));
    if (call->argument[NORMAL_std].fp32 < 0) /* NaN passes */
        return refuse(call, "std is %g; 0 or more is expected", (double)call->argument[NORMAL_std].fp32);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_normal(const struct call *call, const struct result *result)
{
    const struct draw draw = {.is_normal = true,
                              .base = (double)call->argument[NORMAL_mean].fp32,
                              .scale = (double)call->argument[NORMAL_std].fp32};
    (void)result;
    return random_plan(call, draw, (double)__builtin_inf());
}

#define RANDOM     .family = FAMILY_RANDOM, .operation.run = random_run
#define AS_UNIFORM RANDOM, .promise = &promise_exact, .infer = infer_uniform, .plan = plan_uniform
#define AS_NORMAL  RANDOM, .promise = &promise_normal, .infer = infer_normal, .plan = plan_normal

FUNCTION_OF(aclnnInplaceUniform, UNIFORM, .stem = "uniform", AS_UNIFORM);
FUNCTION_OF(aclnnInplaceUniformTensor, UNIFORM_TENSOR, .stem = "uniform", AS_UNIFORM);
FUNCTION_OF(aclnnInplaceNormal, NORMAL, .stem = "normal", AS_NORMAL);
FUNCTION_OF(aclnnInplaceNormalTensor, NORMAL_TENSOR, .stem = "normal", AS_NORMAL);
