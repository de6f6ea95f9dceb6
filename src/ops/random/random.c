/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The walk over the elements that are drawn, in pieces that threads share.
 */
#include "ops/random/random.h"

#include <string.h>

#include "ops/span.h"
#include "runtime/error.h"
#include "runtime/workers.h"
#include "tensor/dtype.h"

/* Elements of a piece, a number of whole draws; and what one takes, roughly. */
enum { PIECE = 1024, PIECES_AT_ONCE = 16, UNIFORM_PS = 2000, NORMAL_PS = 8000 };

struct random_fill {
    const struct transfer *transfer;
    draw_function *function;
    struct draw draw;
    double end;
    struct span out;
    uint32_t out_at, seed_at, offset_at; /* among the addresses */
    bool has_seed_tensor, has_offset_tensor;
    aclDataType dtype;
    uint64_t cost_ns;
};

static draw_function *draw_of(enum isa_level level)
{
    static draw_function *const functions_of_levels[ISA_LEVELS] = {
        [ISA_BASELINE] = draw_baseline,
#ifdef BELAY_LEVELS_ABOVE_BASELINE
        [ISA_AVX2] = draw_avx2,
        [ISA_AVX512] = draw_avx512,
#endif
    };
    return functions_of_levels[level];
}

aclnnStatus random_plan(const struct call *call, const struct random_request *request)
{
    const struct tensor_view *out = &call->tensor[request->out];
    struct executor_content *content;
    void *bytes;
    if (out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct random_fill), &content, &bytes));
    struct random_fill *plan = (struct random_fill *)bytes;
    *plan = (struct random_fill){
        .transfer = transfer_of(call->settings->isa),
        .function = draw_of(call->settings->isa),
        .draw = request->draw,
        .end = request->end,
        .out = span_of(out, SPAN_AS_IT_IS),
        .out_at = call->first_operand[request->out],
        .has_seed_tensor = request->seed_tensor != RANDOM_NONE,
        .has_offset_tensor = request->offset_tensor != RANDOM_NONE,
        .dtype = out->dtype,
    };
    plan->draw.is_long = out->dtype == ACL_DOUBLE;
    if (plan->has_seed_tensor)
        plan->seed_at = call->first_operand[request->seed_tensor];
    if (plan->has_offset_tensor)
        plan->offset_at = call->first_operand[request->offset_tensor];
    double ps = plan->draw.is_normal ? NORMAL_PS : UNIFORM_PS;
    plan->cost_ns = (uint64_t)((double)out->count * ps / 1000);
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* The number of a float dtype below the one with these bits, which is no NaN. */
static uint64_t step_down(uint64_t raw, uint32_t bytes)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return raw == 0 ? sign + 1 : (raw & sign) != 0 ? raw + 1 : raw - 1;
}

/* The largest number below end that the dtype has; DOUBLE's for integers, which are cut off later. */
static double below(const struct random_fill *plan, double end)
{
    bool is_float = plan->dtype == ACL_FLOAT || plan->dtype == ACL_FLOAT16 || plan->dtype == ACL_BF16;
    uint64_t raw = 0;
    double value;
    end += 0.0; /* -0 becomes 0 */
    if (!is_float) {
        memcpy(&raw, &end, sizeof raw);
        raw = step_down(raw, sizeof raw);
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    plan->transfer->convert(&end, ACL_DOUBLE, &raw, plan->dtype, 1);
    plan->transfer->convert(&raw, plan->dtype, &value, ACL_DOUBLE, 1);
    if (value < end)
        return value;
    raw = step_down(raw, dtype_bytes(plan->dtype));
    plan->transfer->convert(&raw, plan->dtype, &value, ACL_DOUBLE, 1);
    return value;
}

struct random_work {
    const struct random_fill *plan;
    struct draw draw;
    unsigned char *first;
};

static void fill_piece(const struct random_work *work, uint64_t at, uint64_t count)
{
    const struct random_fill *plan = work->plan;
    const uint32_t drawn = draw_elements(&work->draw), bytes = plan->out.bytes;
    _Alignas(64) double value[PIECE] __attribute__((uninitialized));
    _Alignas(64) unsigned char element[PIECE * sizeof(double)] __attribute__((uninitialized));
    uint64_t block = at / drawn * DRAW_BLOCKS; /* pieces begin at a multiple of what is drawn at a time */
    for (uint64_t done = 0; done < count; done += drawn, block += DRAW_BLOCKS)
        plan->function(&work->draw, block, value + done);
    const void *from = value;
    bool is_contiguous = span_is_contiguous(&plan->out);
    if (plan->dtype != ACL_DOUBLE) {
        unsigned char *to = is_contiguous ? work->first + at * bytes : element;
        plan->transfer->convert(value, ACL_DOUBLE, to, plan->dtype, (size_t)count);
        from = element;
        if (is_contiguous)
            return;
    }
    span_write(&plan->out, plan->transfer, work->first, at, from, count);
}

static void fill_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct random_work *work = (const struct random_work *)context;
    const uint64_t all = work->plan->out.count;
    for (uint64_t piece = begin; piece < end; piece++) {
        uint64_t at = piece * PIECE;
        fill_piece(work, at, all - at < PIECE ? all - at : PIECE);
    }
}

int random_run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct random_fill *plan = (const struct random_fill *)plan_bytes;
    struct random_work work = {
        .plan = plan, .draw = plan->draw, .first = (unsigned char *)address[plan->out_at]};
    uint64_t number;
    (void)scratch;
    if (plan->has_seed_tensor)
        memcpy(&work.draw.seed, address[plan->seed_at], sizeof work.draw.seed);
    if (plan->has_offset_tensor) {
        memcpy(&number, address[plan->offset_at], sizeof number);
        work.draw.offset += number;
    }
    work.draw.limit = plan->end > plan->draw.base ? below(plan, plan->end) : (double)__builtin_inf();
    const uint64_t pieces = (plan->out.count + PIECE - 1) / PIECE;
    if (pieces == 1 || !workers_pay(plan->cost_ns))
        fill_pieces(&work, 0, pieces);
    else
        workers_run(fill_pieces, &work, pieces, PIECES_AT_ONCE);
    return 0;
}
