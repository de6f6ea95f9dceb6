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
#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/random/draw.h"

/* Normal numbers in DOUBLE have the error of their radius and angle; narrower ones are rounded from them. */
static const struct promise promise_normal = {
    .halves = {TIER_ULP, 1}, .fp32 = {TIER_ULP, 1}, .fp32_exact = {TIER_ULP, 1}, .fp64 = {TIER_ULP, 8}};

/* All four have these places; a tensor instead of a number is followed by a number of its own. */
enum { SELF, FIRST, SECOND, SEED, OFFSET, MORE_OFFSET };

static bool has_seed_tensor(const struct call *call)
{
    return call->function->parameter[SEED].kind == PARAMETER_TENSOR;
}

static aclnnStatus check_one_number(const struct call *call, unsigned parameter)
{
    TRY(check_dtype(call, parameter));
    return check_one_element(call, parameter);
}

static aclnnStatus infer_filled(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    if (has_seed_tensor(call)) {
        TRY(check_one_number(call, SEED));
        TRY(check_one_number(call, OFFSET));
    }
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

LEVEL_TABLE(draw_function, draws, draw);

/* Elements of a piece, a number of whole draws; and what one takes, roughly. */
enum { PIECE = 1024, PIECES_AT_ONCE = 16, UNIFORM_PS = 2000, NORMAL_PS = 8000 };

struct random_fill {
    const struct transfer *transfer;
    draw_function *function;
    struct draw draw;
    double end; /* elements lie below it where it is greater than draw.base */
    struct operand out;
    uint32_t seed_at, offset_at; /* among the addresses */
    bool has_tensors;
    uint64_t cost_ns;
    struct nest nest; /* last */
};

/* draw has all but seed, offset and what the dtype decides. */
static aclnnStatus random_plan(const struct call *call, struct draw draw, double end)
{
    const struct tensor_view *out = &call->tensor[SELF];
    const bool has_tensors = has_seed_tensor(call);
    struct executor_content *content;
    void *made;
    if (out->count == 0)
        return call_idle(call);
    draw.seed = has_tensors ? 0 : (uint64_t)call->argument[SEED].int64;
    draw.offset = (uint64_t)call->argument[has_tensors ? MORE_OFFSET : OFFSET].int64;
    draw.is_long = out->dtype == ACL_DOUBLE;
    TRY(call_begin(call, sizeof(struct random_fill), &content, &made));
    struct random_fill *plan = made;
    plan->transfer = transfer_of(call->settings->isa);
    plan->function = draws[call->settings->isa];
    plan->draw = draw;
    plan->end = end;
    plan->out = operand_of(call, SELF);
    plan->has_tensors = has_tensors;
    plan->seed_at = has_tensors ? call->first_operand[SEED] : 0;
    plan->offset_at = has_tensors ? call->first_operand[OFFSET] : 0;
    nest_of_rows(&plan->nest, out, out->rank);
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
    plan->transfer->convert(&end, ACL_DOUBLE, &raw, plan->out.dtype, 1);
    plan->transfer->convert(&raw, plan->out.dtype, &value, ACL_DOUBLE, 1);
    if (value < end)
        return value;
    raw = float_below(raw, plan->out.bytes);
    plan->transfer->convert(&raw, plan->out.dtype, &value, ACL_DOUBLE, 1);
    return value;
}

struct random_work {
    const struct random_fill *plan;
    struct draw draw;
    unsigned char *first;
};

static void fill_piece(void *context, uint64_t at, uint64_t count)
{
    const struct random_work *work = context;
    const struct random_fill *plan = work->plan;
    const uint32_t drawn = draw_elements(&work->draw), bytes = plan->out.bytes;
    const bool is_linear = nest_is_linear(&plan->nest, 0);
    _Alignas(64) double value[PIECE] __attribute__((uninitialized));
    _Alignas(64) unsigned char element[PIECE * sizeof(double)] __attribute__((uninitialized));
    unsigned char *to = is_linear ? work->first + at * bytes : element;
    uint64_t block = at / drawn * DRAW_BLOCKS; /* pieces begin at a multiple of what is drawn at a time */
    for (size_t done = 0; done < count; done += drawn, block += DRAW_BLOCKS)
        plan->function(&work->draw, block, value + done);
    if (plan->out.dtype != ACL_DOUBLE)
        plan->transfer->convert(value, ACL_DOUBLE, to, plan->out.dtype, count);
    else
        memcpy(to, value, count * sizeof(double));
    if (!is_linear)
        nest_scatter(&plan->nest, 0, nest_place_at(&plan->nest, at), plan->transfer, work->first, bytes,
                     element, count);
}

static int random_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct random_fill *plan = (const struct random_fill *)plan_bytes;
    struct random_work work = {.plan = plan, .draw = plan->draw, .first = address[plan->out.address]};
    (void)scratch;
    if (plan->has_tensors) {
        uint64_t offset;
        memcpy(&work.draw.seed, address[plan->seed_at], sizeof work.draw.seed);
        memcpy(&offset, address[plan->offset_at], sizeof offset);
        work.draw.offset += offset;
    }
    work.draw.limit = plan->end > plan->draw.base ? below(plan, plan->end) : (double)__builtin_inf();
    pieces_run(fill_piece, &work, plan->nest.count, PIECE, PIECES_AT_ONCE, plan->cost_ns);
    return 0;
}

static aclnnStatus infer_uniform(const struct call *call, struct result *result)
{
    double from = call->argument[FIRST].fp64, to = call->argument[SECOND].fp64;
    TRY(infer_filled(call, result));
    if (!(from <= to))
        return refuse(call, "from is %g and to is %g; from is expected not to be greater", from, to);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_uniform(const struct call *call, const struct result *result)
{
    const double from = call->argument[FIRST].fp64, to = call->argument[SECOND].fp64;
    (void)result;
    return random_plan(call, (struct draw){.base = from, .scale = to - from}, to);
}

static aclnnStatus infer_normal(const struct call *call, struct result *result)
{
    TRY(infer_filled(call, result));
    if (call->argument[SECOND].fp32 < 0) /* NaN passes */
        return refuse(call, "std is %g; 0 or more is expected", (double)call->argument[SECOND].fp32);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_normal(const struct call *call, const struct result *result)
{
    const struct draw draw = {.is_normal = true,
                              .base = (double)call->argument[FIRST].fp32,
                              .scale = (double)call->argument[SECOND].fp32};
    (void)result;
    return random_plan(call, draw, (double)__builtin_inf());
}

#define RANDOM  .family = FAMILY_RANDOM, .operation.run = random_run
#define UNIFORM RANDOM, .promise = &promise_exact, .infer = infer_uniform, .plan = plan_uniform
#define NORMAL  RANDOM, .promise = &promise_normal, .infer = infer_normal, .plan = plan_normal

#define NUMBERS [SEED] = USUAL("seed", INT64, "0"), [OFFSET] = USUAL("offset", INT64, "0")
#define TENSORS(dtypes)                                           \
    [SEED] = READ("seedTensor", dtypes, .sample = "1:INT64"),     \
    [OFFSET] = READ("offsetTensor", dtypes, .sample = "1:INT64"), \
    [MORE_OFFSET] = USUAL("offset", INT64, "0")
#define RANGE                                                                                       \
    [SELF] = OVERWRITTEN("selfRef", &dtypes_floats_integers), [FIRST] = USUAL("from", DOUBLE, "0"), \
    [SECOND] = USUAL("to", DOUBLE, "1")
#define SPREAD                                                                                          \
    [SELF] = OVERWRITTEN("selfRef", &dtypes_floats_integers_bool), [FIRST] = USUAL("mean", FLOAT, "0"), \
    [SECOND] = USUAL("std", FLOAT, "1")

static const struct parameter of_uniform[] = {RANGE, NUMBERS};
static const struct parameter of_uniform_tensor[] = {RANGE, TENSORS(&dtypes_int64_uint64)};
static const struct parameter of_normal[] = {SPREAD, NUMBERS};
static const struct parameter of_normal_tensor[] = {SPREAD, TENSORS(&dtypes_int64)};

FUNCTION(aclnnInplaceUniform,
         (const aclTensor *selfRef, double from, double to, uint64_t seed, uint64_t offset),
         (ARG(selfRef), ARG(from), ARG(to), ARG((int64_t)seed), ARG((int64_t)offset)), .stem = "uniform",
         PARAMETERS(of_uniform), UNIFORM);

FUNCTION(aclnnInplaceUniformTensor,
         (const aclTensor *selfRef, double from, double to, const aclTensor *seedTensor,
          const aclTensor *offsetTensor, uint64_t offset),
         (ARG(selfRef), ARG(from), ARG(to), ARG(seedTensor), ARG(offsetTensor), ARG((int64_t)offset)),
         .stem = "uniform", PARAMETERS(of_uniform_tensor), UNIFORM);

FUNCTION(aclnnInplaceNormal, (const aclTensor *selfRef, float mean, float std, int64_t seed, int64_t offset),
         (ARG(selfRef), ARG(mean), ARG(std), ARG(seed), ARG(offset)), .stem = "normal", PARAMETERS(of_normal),
         NORMAL);

FUNCTION(aclnnInplaceNormalTensor,
         (const aclTensor *selfRef, float mean, float std, const aclTensor *seedTensor,
          const aclTensor *offsetTensor, int64_t offset),
         (ARG(selfRef), ARG(mean), ARG(std), ARG(seedTensor), ARG(offsetTensor), ARG(offset)),
         .stem = "normal", PARAMETERS(of_normal_tensor), NORMAL);
