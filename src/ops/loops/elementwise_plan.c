/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Phase 1 of an elementwise operator: from checked arguments to a plan and an executor.
 */
#include "ops/loops/elementwise_plan.h"

#include <string.h>

#include "ops/cache_size.h"
#include "ops/check.h"
#include "ops/operands.h"
#include "tensor/dtype.h"

/* Elements of a chunk, and its time: some CHUNKS of them at least, so that threads share work evenly, but
 * none so short that handing it out counts. Powers of two, so that chunks of contiguous operands begin at
 * cache lines. A thread takes several at once, up to the longest time of one. */
enum { CHUNK_MIN = 1 << 10, CHUNK_MAX = 1 << 16, CHUNK_NS_MIN = 500, CHUNK_NS_MAX = 16000, CHUNKS = 16 };

/* One call of the kernel past the caches: each begins with waiting for memory. */
enum { STREAM_NS_MAX = 64000 };

/* No last cache is smaller; small plans need not ask how large it is. */
enum { STREAMS_MIN = 1 << 20 };

/*
 * What one element costs beyond the kernel, in picoseconds, measured on one core of a server: its bytes from
 * caches and from memory, at the same time as which the kernel computes; gathering it from rows or columns,
 * or in tiles of two axes; converting it.
 */
enum { CACHED_BYTE_PS = 9, BYTE_PS = 25, GATHER_PS = 100, TURN_PS = 150, CONVERT_PS = 100 };

/* How much longer than at the highest level kernels take. */
static const uint64_t level_cost[ISA_LEVELS] = {
    [ISA_BASELINE] = 16, [ISA_AVX2] = 2, [ISA_AVX512] = 1, [ISA_AVX512_BF16] = 1};

kernel_function *elementwise_find_kernel(const struct elementwise *elementwise,
                                         const struct settings *settings, aclDataType dtype)
{
    enum arithmetic arithmetic = arithmetic_of(dtype);
    const struct kernels *kernels = elementwise->kernels[settings->isa];
    if (kernels == NULL)
        return NULL;
    if (arithmetic == ARITHMETIC_ALL) /* what is only moved */
        return kernels->any;
    kernel_function *kernel =
        arithmetic < ARITHMETICS ? kernels->run[settings->accuracy][arithmetic] : kernels->exact[arithmetic];
    return kernel != NULL ? kernel : kernels->any;
}

static void classify_operand(struct elementwise_plan *plan, uint32_t index)
{
    bool is_constant = true, is_output_view = true;
    for (uint32_t k = plan->nest.axis_count; k-- > 0;) {
        const struct nest_axis *axis = &plan->nest.axis[k];
        is_constant = is_constant && axis->stride[index] == 0;
        is_output_view = is_output_view && axis->stride[index] == axis->stride[OUTPUT];
    }
    struct walk_operand *operand = &plan->operand[index];
    operand->is_linear = nest_is_linear(&plan->nest, index);
    operand->is_constant = is_constant;
    operand->is_output_view = is_output_view && operand->dtype == plan->operand[OUTPUT].dtype;
}

static bool is_direct(const struct elementwise_plan *plan, uint32_t operand)
{
    return plan->operand[operand].is_linear && plan->operand[operand].dtype == kernel_dtype(plan, operand);
}

void elementwise_classify(struct elementwise_plan *plan)
{
    classify_operand(plan, OUTPUT);
    plan->is_direct = is_direct(plan, OUTPUT);
    for (uint32_t i = 0; i < plan->input_count; i++) {
        classify_operand(plan, i);
        plan->is_direct = plan->is_direct && is_direct(plan, i);
    }
    transpose_tiles_find(plan);
}

size_t elementwise_plan_bytes(const struct elementwise_plan *plan)
{
    return offsetof(struct elementwise_plan, nest) + nest_bytes(&plan->nest);
}

/*
 * Whether writing past the caches is worth it: below their size it costs several times more. From three
 * quarters of the last one on little of what a plain loop leaves there is found again, as others use it, too:
 * even work that goes on with the results is faster for it (docs/performance.md).
 */
static bool exceeds_caches(const struct elementwise_plan *plan)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++)
        if (i < plan->input_count || i == OUTPUT)
            bytes += plan->operand[i].extent * plan->operand[i].bytes; /* each below 2^63 */
    return bytes >= STREAMS_MIN && bytes >= last_cache_bytes() / 4 * 3;
}

/* What the kernel takes for one element. That of 16 bits is the same at every accuracy. */
static uint64_t kernel_ps(const struct elementwise *elementwise, const struct settings *settings,
                          const struct elementwise_plan *plan)
{
    uint64_t ps = elementwise->cost_ps[settings->accuracy];
    if (plan->arithmetic_bytes == 2)
        ps = elementwise->cost_16_bits_ps != 0 ? elementwise->cost_16_bits_ps
                                               : elementwise->cost_ps[ACCURACY_DEFAULT];
    return ps * level_cost[settings->isa];
}

/* What it costs to bring one element of the operand to the kernel or back. */
static uint64_t transfer_ps(const struct elementwise_plan *plan, uint32_t index)
{
    const struct walk_operand *operand = &plan->operand[index];
    uint64_t ps = operand->dtype != kernel_dtype(plan, index) ? CONVERT_PS : 0;
    if (!operand->is_linear && !operand->is_constant)
        ps += plan->is_transposed ? TURN_PS : GATHER_PS;
    return ps;
}

/* What one element costs for one thread in all. */
static uint64_t element_ps(const struct elementwise_plan *plan, uint64_t computing_ps)
{
    uint64_t bytes = plan->operand[OUTPUT].bytes, ps = transfer_ps(plan, OUTPUT);
    for (uint32_t i = 0; i < plan->input_count; i++) {
        bytes += plan->operand[i].is_constant ? 0 : plan->operand[i].bytes;
        ps += transfer_ps(plan, i);
    }
    uint64_t memory_ps = bytes * (plan->non_temporal ? BYTE_PS : CACHED_BYTE_PS);
    return ps + (computing_ps > memory_ps ? computing_ps : memory_ps);
}

static void set_chunk(struct elementwise_plan *plan, uint64_t ps)
{
    plan->chunk = CHUNK_MIN;
    plan->chunks_at_once = 1;
    if (plan->count <= CHUNK_MIN)
        return;
    uint64_t most = plan->count / CHUNKS < CHUNK_MAX ? plan->count / CHUNKS * ps / 1000 : CHUNK_NS_MAX;
    most = most < CHUNK_NS_MIN ? CHUNK_NS_MIN : most > CHUNK_NS_MAX ? CHUNK_NS_MAX : most;
    plan->chunk = CHUNK_MAX;
    while (plan->chunk > CHUNK_MIN && plan->chunk * ps > most * 1000)
        plan->chunk /= 2;
    uint64_t longest = plan->non_temporal ? STREAM_NS_MAX : CHUNK_NS_MAX;
    uint64_t at_once = longest * 1000 / (plan->chunk * ps);
    plan->chunks_at_once = at_once > 0 ? at_once : 1;
}

static struct walk_operand walk_operand(const struct elementwise_plan *plan, const struct tensor_view *view,
                                        uint32_t address, aclDataType output_dtype)
{
    return (struct walk_operand){
        .dtype = view->dtype,
        .bytes = view->dtype == plan->arithmetic ? plan->arithmetic_bytes : dtype_bytes(view->dtype),
        .address = address,
        .is_linear = true,
        .is_output_view = view->dtype == output_dtype,
        .extent = (uint64_t)(view->reach - view->offset) + 1,
    };
}

/* Where the tensors are uniform this is all that axes could tell: whatever is contiguous in the end has one
 * axis. */
static void set_one_axis(struct elementwise_plan *plan)
{
    nest_begin(&plan->nest, OPERANDS);
    plan->nest.axis_count = 1;
    plan->nest.count = plan->count;
    plan->is_transposed = false;
    plan->nest.axis[0].size = (int64_t)plan->count;
    for (uint32_t i = 0; i < OPERANDS; i++)
        plan->nest.axis[0].stride[i] = 1;
}

/* The axes of operands that are not uniform, and what follows from them. */
static void set_axes(struct elementwise_plan *plan, const struct tensor_view *const *view)
{
    nest_of_views(&plan->nest, view[OUTPUT]->rank, view[OUTPUT]->shape, view, OPERANDS);
    nest_sort(&plan->nest, OUTPUT);
    nest_merge(&plan->nest);
    if (plan->nest.axis_count == 0)
        set_one_axis(plan);
    elementwise_classify(plan);
}

/* What follows from operands and axes of a plan with something to do. */
static void set_work(struct elementwise_plan *plan, uint64_t computing_ps)
{
    plan->is_direct = is_direct(plan, OUTPUT);
    for (uint32_t i = 0; i < plan->input_count; i++)
        plan->is_direct = plan->is_direct && is_direct(plan, i);
    plan->non_temporal = plan->count > CHUNK_MIN && exceeds_caches(plan);
    uint64_t ps = element_ps(plan, computing_ps);
    set_chunk(plan, ps);
    /* Beyond 2^40 elements the product might not fit; such work is never cheap. */
    plan->cost_ns = plan->count < UINT64_C(1) << 40 ? plan->count * ps / 1000 : UINT64_MAX;
}

static void fill(struct elementwise_plan *plan, const struct elementwise *elementwise,
                 const struct settings *settings, kernel_function *kernel,
                 const struct elementwise_views *views)
{
    const struct tensor_view *output = views->view[OUTPUT];
    plan->kernel = kernel;
    plan->copies = kernel != NULL && kernel == elementwise->kernels[settings->isa]->any;
    plan->arithmetic = views->arithmetic;
    plan->result = views->result;
    plan->arithmetic_bytes = dtype_bytes(views->arithmetic);
    plan->count = (uint64_t)output->count;
    plan->input_count = views->input_count;
    for (uint32_t i = 0; i < views->input_count; i++)
        plan->operand[i] = walk_operand(plan, views->view[i], views->address[i], output->dtype);
    plan->operand[OUTPUT] = walk_operand(plan, output, views->address[OUTPUT], output->dtype);
    plan->transfer = transfer_of(settings->isa);
    if (plan->count == 0)
        return;
    if (views->is_uniform)
        set_one_axis(plan);
    else
        set_axes(plan, views->view);
    set_work(plan, kernel_ps(elementwise, settings, plan));
}

void elementwise_fill(struct elementwise_plan *plan, const struct elementwise *elementwise,
                      const struct settings *settings, const struct elementwise_views *views)
{
    fill(plan, elementwise, settings, elementwise_find_kernel(elementwise, settings, views->arithmetic),
         views);
}

/* Each tile is read before it is written, and no other tile's elements are touched. */
void elementwise_may_be_in_place(const struct elementwise_plan *plan, struct executor_content *content)
{
    for (uint32_t i = 0; i < plan->input_count; i++)
        if (plan->operand[i].is_output_view)
            operands_may_be(content, plan->operand[i].address, plan->operand[OUTPUT].address);
}

size_t elementwise_fill_bytes(const struct tensor_view *output)
{
    uint32_t axes = output->rank > 0 ? output->rank : 1;
    return offsetof(struct elementwise_plan, nest.axis) + axes * sizeof(struct nest_axis);
}

aclnnStatus elementwise_plan_to(const struct call *call, aclDataType arithmetic, aclDataType result,
                                const void *parameters, size_t parameter_bytes)
{
    return elementwise_plan_of(call, call->function->of_family, arithmetic, result, parameters,
                               parameter_bytes);
}

aclnnStatus elementwise_plan_of(const struct call *call, const struct elementwise *elementwise,
                                aclDataType arithmetic, aclDataType result, const void *parameters,
                                size_t parameter_bytes)
{
    struct elementwise_views views = {
        .arithmetic = arithmetic, .result = result, .is_uniform = call->is_uniform};
    for (uint32_t i = 0; i < call->tensor_count; i++) {
        const unsigned parameter = call->tensor_parameter[i];
        if (elementwise->skips_absent && !call_has(call, parameter))
            continue;
        const struct parameter *description = &call->function->parameter[parameter];
        if (parameter_is_read(description)) {
            views.view[views.input_count] = call_view(call, parameter);
            views.address[views.input_count++] = call->first_operand[parameter];
        }
        if (parameter_is_written(description)) {
            views.view[OUTPUT] = &call->tensor[parameter];
            views.address[OUTPUT] = call->first_operand[parameter];
        }
    }
    return elementwise_plan_views(call, elementwise, &views, parameters, parameter_bytes);
}

aclnnStatus elementwise_plan_views(const struct call *call, const struct elementwise *elementwise,
                                   const struct elementwise_views *views, const void *parameters,
                                   size_t parameter_bytes)
{
    const struct settings *settings = call->settings;
    kernel_function *kernel = elementwise_find_kernel(elementwise, settings, views->arithmetic);
    if (kernel == NULL && views->view[OUTPUT]->count != 0)
        return fail(ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
                    "%s: there is no kernel for %s at level %s; one in the operator's table is expected",
                    call->function->operation.name, dtype_name(views->arithmetic),
                    isa_level_name(settings->isa));
    struct executor_content *content;
    void *made;
    TRY(call_begin(call, sizeof(struct elementwise_plan), &content, &made));
    struct elementwise_plan *plan = made;
    fill(plan, elementwise, settings, kernel, views);
    if (parameter_bytes > 0)
        memcpy(plan->parameters, parameters, parameter_bytes);
    content->is_idle = plan->count == 0;
    if (plan->count != 0) {
        content->cost_ns = plan->cost_ns;
        elementwise_may_be_in_place(plan, content);
    }
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

aclnnStatus elementwise_plan(const struct call *call, aclDataType arithmetic, const void *parameters,
                             size_t parameter_bytes)
{
    return elementwise_plan_to(call, arithmetic, arithmetic, parameters, parameter_bytes);
}

aclnnStatus elementwise_plan_plain(const struct call *call, const struct result *result)
{
    return elementwise_plan(call, result->computed, NULL, 0);
}

aclnnStatus elementwise_infer_ranked(const struct call *call, struct result *result)
{
    TRY(elementwise_infer_like(call, result));
    return check_rank(call, 0);
}

aclnnStatus elementwise_infer_like(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, 0));
    result_like(result, call, 0);
    return ACLNN_SUCCESS;
}

aclnnStatus elementwise_infer_alike(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, 0));
    TRY(check_dtype(call, 1));
    TRY(check_same_dtype(call, 0, 1, NULL));
    TRY(check_rank(call, 0));
    TRY(check_rank(call, 1));
    TRY(check_same_shape(call, 0, 1, NULL));
    result_like(result, call, 1);
    return ACLNN_SUCCESS;
}

aclnnStatus elementwise_infer_together(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {0, 1};
    TRY(check_dtype(call, 0));
    TRY(check_dtype(call, 1));
    TRY(check_promotion(call, inputs, 2, &result->computed));
    TRY(check_rank(call, 0));
    TRY(check_rank(call, 1));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_CASTABLE);
}

aclDataType elementwise_computed_dtype(const struct elementwise *elementwise, aclDataType dtype)
{
    const enum arithmetic arithmetic = arithmetic_of(dtype);
    bool is_own = arithmetic < ARITHMETICS || (arithmetic < ARITHMETIC_ALL &&
                                               elementwise->kernels[ISA_BASELINE]->exact[arithmetic] != NULL);
    return is_own ? dtype : ACL_FLOAT;
}
