/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * l = w ((1 - y) x + (1 + (p - 1) y) (ln(1 + e^-|x|) + max(-x, 0))); out = l, or the sum of all l, or their
 * mean.
 *
 * With s(x) = ln(1 + e^x) = ln(1 + e^-|x|) + max(x, 0) and x = s(x) - s(-x) the bracket is
 * (1 - y) s(x) + p y s(-x): of targets from 0 to 1 both terms have one sign, so that nothing cancels. It is
 * computed in doubles with a few units of error and rounded once. Where something is infinite the formula is
 * taken as it stands, and gives NaN where that multiplies 0 by infinity.
 *
 * A block of l is added in eight lanes, and these in pairs; blocks are added in their order.
 */
#include <stddef.h>
#include <stdint.h>

/* w and p may be NULL; l may be x. */
struct cross_entropy_inputs {
    const double *x, *y, *w, *p;
};

struct cross_entropy_kernels {
    void (*losses)(const struct cross_entropy_inputs *inputs, double *l, size_t count);
    double (*sum)(const double *l, size_t count);
};

#ifdef KERNEL_PASS

#include "ops/transfer.h"
#include "simd/maths_logarithm.h"

static inline doubles cross_entropy(doubles x, doubles y, doubles w, doubles p)
{
    const double infinity = (double)INFINITY;
    doubles rest = maths_log1p(maths_exp(-absolute(x)));
    doubles above = rest + at_least(x, 0), below = rest + at_least(-x, 0);
    doubles value = (1 - y) * above + p * y * below;
    longs is_infinite = (absolute(x) == infinity) | (absolute(y) == infinity) | (absolute(p) == infinity);
    return w * choose(is_infinite, (1 - y) * x + (1 + (p - 1) * y) * below, value);
}

/* The next elements of an input, 1 where there is none. */
static inline doubles next(const double *input, size_t i)
{
    doubles value;
    if (input == NULL)
        return broadcast(1);
    memcpy(&value, input + i, sizeof value);
    return value;
}

static void whole_vectors(const struct cross_entropy_inputs *inputs, double *l, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        doubles value =
            cross_entropy(next(inputs->x, i), next(inputs->y, i), next(inputs->w, i), next(inputs->p, i));
        memcpy(l + i, &value, sizeof value);
    }
}

static void losses(const struct cross_entropy_inputs *inputs, double *l, size_t count)
{
    const size_t whole = count / LANES * LANES, left = (count - whole) * sizeof(double);
    double last[5][LANES] = {{0}};
    if (left > 0) {
        memcpy(last[0], inputs->x + whole, left);
        memcpy(last[1], inputs->y + whole, left);
        if (inputs->w != NULL)
            memcpy(last[2], inputs->w + whole, left);
        if (inputs->p != NULL)
            memcpy(last[3], inputs->p + whole, left);
        const struct cross_entropy_inputs rest = {last[0], last[1], inputs->w != NULL ? last[2] : NULL,
                                                  inputs->p != NULL ? last[3] : NULL};
        whole_vectors(&rest, last[4], LANES);
    }
    whole_vectors(inputs, l, whole);
    memcpy(l + whole, last[4], left);
}

static double sum(const double *l, size_t count)
{
    enum { WIDTH = 8, VECTORS = WIDTH / LANES };
    doubles lane[VECTORS];
    for (int v = 0; v < VECTORS; v++)
        lane[v] = broadcast(0);
    size_t i = 0;
    for (; i + WIDTH <= count; i += WIDTH)
        for (int v = 0; v < VECTORS; v++)
            lane[v] += next(l, i + (size_t)v * LANES);
    double total[WIDTH];
    memcpy(total, lane, sizeof total);
    for (size_t k = 0; i + k < count; k++)
        total[k] += l[i + k];
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            total[k] += total[k + half];
    return total[0];
}

extern const struct cross_entropy_kernels AT_LEVEL(cross_entropy_kernels);
const struct cross_entropy_kernels AT_LEVEL(cross_entropy_kernels) = {losses, sum};

#else

#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/check.h"
#include "runtime/workers.h"

#include "aclnnop/aclnn_binary_cross_entropy_with_logits.h"

extern const struct cross_entropy_kernels cross_entropy_kernels_baseline;
#ifdef BELAY_LEVELS_ABOVE_BASELINE
extern const struct cross_entropy_kernels cross_entropy_kernels_avx2, cross_entropy_kernels_avx512;
#endif

static const struct cross_entropy_kernels *const kernels_of[ISA_LEVELS] = {
    [ISA_BASELINE] = &cross_entropy_kernels_baseline,
#ifdef BELAY_LEVELS_ABOVE_BASELINE
    [ISA_AVX2] = &cross_entropy_kernels_avx2,
    [ISA_AVX512] = &cross_entropy_kernels_avx512,
#endif
};

enum { SELF, TARGET, WEIGHT, POS_WEIGHT, REDUCTION, OUT, INPUTS = REDUCTION };
enum { NONE, MEAN, SUM };

static const char *const reductions[] = {"none", "mean", "sum", NULL};

/* A thread takes so many blocks at once; what an element costs on one thread. */
enum { BLOCKS_AT_ONCE = 8, ELEMENT_PS = 10000 };

struct plan {
    const struct cross_entropy_kernels *kernels;
    int64_t reduction;
    uint64_t count, cost_ns;
    aclDataType result;
    uint32_t out;           /* the output's place among the addresses */
    uint32_t place[INPUTS]; /* of each input among the blocks' operands; INPUTS: not given */
    struct blocks blocks;   /* last; of the inputs, and of the output without a reduction */
};

struct loss_job {
    const struct plan *plan;
    void *const *address;
    void *out;      /* where results go one behind the other, NULL: to where they belong */
    double *blocks; /* the sum of each, with a reduction */
};

static double *read_input(const struct loss_job *job, unsigned input, uint64_t block, double *to)
{
    const struct plan *plan = job->plan;
    const uint32_t place = plan->place[input];
    if (place == INPUTS)
        return NULL;
    block_read(&plan->blocks, place, job->address[plan->blocks.operand[place].address], block, to);
    return to;
}

static void run_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct loss_job *job = context;
    const struct plan *plan = job->plan;
    const struct blocks *blocks = &plan->blocks;
    _Alignas(64) double input[INPUTS][BLOCK_ELEMENTS] __attribute__((uninitialized));
    for (uint64_t block = begin; block < end; block++) {
        const size_t count = block_elements(blocks, block);
        double *l = input[SELF];
        const struct cross_entropy_inputs inputs = {
            .x = read_input(job, SELF, block, input[SELF]),
            .y = read_input(job, TARGET, block, input[TARGET]),
            .w = read_input(job, WEIGHT, block, input[WEIGHT]),
            .p = read_input(job, POS_WEIGHT, block, input[POS_WEIGHT])};
        plan->kernels->losses(&inputs, l, count);
        if (plan->reduction != NONE)
            job->blocks[block] = plan->kernels->sum(l, count);
        else if (job->out != NULL)
            memcpy((double *)job->out + block * BLOCK_ELEMENTS, l, count * sizeof *l);
        else
            block_write(blocks, blocks->operand_count - 1, job->address[plan->out], block, l);
    }
}

static void write_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct loss_job *job = context;
    const struct blocks *blocks = &job->plan->blocks;
    for (uint64_t block = begin; block < end; block++)
        block_write(blocks, blocks->operand_count - 1, job->address[job->plan->out], block,
                    (const double *)job->out + block * BLOCK_ELEMENTS);
}

static void run_all(job_body *body, struct loss_job *job)
{
    const uint64_t count = blocks_count(&job->plan->blocks);
    if (count > 1 && workers_pay(job->plan->cost_ns))
        workers_run(body, job, count, BLOCKS_AT_ONCE);
    else
        body(job, 0, count);
}

static void reduce(const struct plan *plan, struct loss_job *job)
{
    double few[1], total = 0;
    if (plan->count > 0) {
        const uint64_t count = blocks_count(&plan->blocks);
        job->blocks = count > 1 ? job->out : few;
        run_all(run_blocks, job);
        total = job->blocks[0];
        for (uint64_t block = 1; block < count; block++)
            total += job->blocks[block];
    }
    if (plan->reduction == MEAN)
        total = plan->count > 0 ? total / (double)plan->count : (double)NAN;
    transfer_of(ISA_BASELINE)->convert(&total, ACL_DOUBLE, job->address[plan->out], plan->result, 1);
}

static int run(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct plan *plan = plan_bytes;
    struct loss_job job = {.plan = plan, .address = address, .out = scratch};
    if (plan->reduction != NONE) {
        reduce(plan, &job);
        return 0;
    }
    run_all(run_blocks, &job);
    if (scratch != NULL)
        run_all(write_blocks, &job);
    return 0;
}

static bool is_output_view(const struct blocks *blocks, uint32_t input)
{
    const uint32_t output = blocks->operand_count - 1;
    for (uint32_t k = 0; k < blocks->nest.axis_count; k++)
        if (blocks->nest.axis[k].stride[input] != blocks->nest.axis[k].stride[output])
            return false;
    return true;
}

/* Whether an output block may be written over elements that another block still reads. */
static bool overlaps(const struct blocks *blocks, uint32_t input, void *const *address)
{
    const struct block_operand *read = &blocks->operand[input];
    const struct block_operand *written = &blocks->operand[blocks->operand_count - 1];
    uintptr_t from = (uintptr_t)address[read->address], to = (uintptr_t)address[written->address];
    if (from == to && is_output_view(blocks, input))
        return false;
    return from < to + written->extent * written->bytes && to < from + read->extent * read->bytes;
}

/* Without a reduction all results where they may not be written yet; with one the sums of many blocks. */
static size_t scratch_bytes(const void *plan_bytes, void *const *address)
{
    const struct plan *plan = plan_bytes;
    if (plan->count == 0)
        return 0;
    if (plan->reduction != NONE)
        return blocks_count(&plan->blocks) > 1 ? blocks_count(&plan->blocks) * sizeof(double) : 0;
    for (uint32_t i = 0; i + 1 < plan->blocks.operand_count; i++)
        if (overlaps(&plan->blocks, i, address))
            return plan->count * sizeof(double);
    return 0;
}

/* An optional input broadcasts to self. */
static aclnnStatus check_weight(const struct call *call, unsigned weight)
{
    const unsigned both[] = {SELF, weight};
    const struct tensor_view *self = &call->tensor[SELF];
    struct shape shape;
    TRY(check_broadcast_together(call, both, 2, &shape));
    bool is_self = shape.rank == self->rank;
    for (uint32_t i = 0; is_self && i < shape.rank; i++)
        is_self = shape.dim[i] == self->shape[i];
    return is_self
               ? ACLNN_SUCCESS
               : fail(ACLNN_ERR_PARAM_INVALID,
                      "%s: self broadcasts with %s to a larger shape than its own; a shape that broadcasts "
                      "to that of self is expected",
                      call->function->operation.name, call->function->parameter[weight].name);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    for (unsigned i = 0; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    for (unsigned i = TARGET; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_same_dtype(call, i, SELF, NULL));
    for (unsigned i = 0; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_rank(call, i));
    TRY(check_same_shape(call, TARGET, SELF, NULL));
    for (unsigned i = WEIGHT; i < INPUTS; i++)
        if (call_has(call, i))
            TRY(check_weight(call, i));
    TRY(check_choice(call, REDUCTION));
    result_like(result, call, SELF);
    if (call->argument[REDUCTION].int64 != NONE)
        result->output[0].shape_rule = SHAPE_ONE; /* of rank 0, as it begins */
    return ACLNN_SUCCESS;
}

static void fill(const struct call *call, struct plan *plan)
{
    const struct tensor_view *self = &call->tensor[SELF], *view[BLOCK_OPERANDS_MAX];
    uint32_t address[BLOCK_OPERANDS_MAX], count = 0;
    plan->kernels = kernels_of[call->settings->isa];
    plan->reduction = call->argument[REDUCTION].int64;
    plan->count = (uint64_t)self->count;
    plan->result = self->dtype;
    plan->out = call->first_operand[OUT];
    plan->cost_ns = plan->count < UINT64_C(1) << 40 ? plan->count * ELEMENT_PS / 1000 : UINT64_C(1) << 50;
    for (unsigned i = 0; i < INPUTS; i++) {
        plan->place[i] = call_has(call, i) ? count : INPUTS;
        view[count] = &call->tensor[i];
        address[count] = call->first_operand[i];
        count += call_has(call, i);
    }
    if (plan->reduction == NONE) {
        view[count] = &call->tensor[OUT];
        address[count++] = plan->out;
    }
    if (plan->count > 0)
        blocks_fill(&plan->blocks, call->settings->isa, view, address, count);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, offsetof(struct plan, blocks) + blocks_bytes(call->tensor[SELF].rank), &content,
                   &made));
    struct plan *plan = made;
    fill(call, plan);
    content->cost_ns = plan->cost_ns;
    content->is_idle = plan->count == 0 && plan->reduction == NONE;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [TARGET] = READ("target", &dtypes_fp32_fp16_bf16),
    [WEIGHT] = READ("weightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [POS_WEIGHT] = READ("posWeightOptional", &dtypes_fp32_fp16_bf16, .is_optional = true),
    [REDUCTION] = CHOICE("reduction", reductions, "mean"),
    [OUT] = WRITTEN("out", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnBinaryCrossEntropyWithLogits,
         (const aclTensor *self, const aclTensor *target, const aclTensor *weightOptional,
          const aclTensor *posWeightOptional, int64_t reduction, aclTensor *out),
         (ARG(self), ARG(target), ARG(weightOptional), ARG(posWeightOptional), ARG(reduction), ARG(out)),
         .stem = "binary_cross_entropy_with_logits", PARAMETERS(parameters), .promise = &promise_sum,
         .family = FAMILY_COMPOSITE, .operation.run = run, .operation.scratch_bytes = scratch_bytes,
         .infer = infer, .plan = plan);

#endif
