/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, means or maxima of rows of weight, a bag of them for each row of output: indices name the rows, and
 * offsets where among them each bag begins. Sums are taken in doubles in the order of the indices and rounded
 * once; of equal maxima the first one counts, and NaN before numbers. Indices that are paddingIdx take no
 * part. Indices and offsets are checked before anything is written.
 */
#include "aclnnop/aclnn_embedding_bag.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/index/by_index.h"
#include "ops/loops/tasks.h"
#include "ops/port.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"
#include "tensor/dtype.h"

#define NUMBERS_OF(X, of, name_, sample_) X(of, IN, name_, &dtypes_int32_int64, .sample = sample_)
#define EMBEDDING_BAG(X, of)                                                               \
    X(of, IN, weight, &dtypes_fp32_fp16_bf16, .is_partly_read = true)                      \
    NUMBERS_OF(X, of, indices, "4:INT64")                                                  \
    NUMBERS_OF(X, of, offsets, "2:INT64")                                                  \
    X(of, BOOL, scaleGradByFreq, .usual = "false")                                         \
    X(of, INT64, mode, .sample = "2")                                                      \
    X(of, BOOL, sparse, .usual = "false")                                                  \
    X(of, IN, perSampleWeights, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "") \
    X(of, BOOL, includeLastOffset, .usual = "false")                                       \
    X(of, INT64, paddingIdx, .usual = "-1")                                                \
    X(of, OUT, output, &dtypes_fp32_fp16_bf16)                                             \
    X(of, OUT, offset2bag, &dtypes_int32_int64)                                            \
    X(of, OUT, bagSize, &dtypes_int32_int64)                                               \
    X(of, OUT, maxIndices, &dtypes_int32_int64)
SIGNATURE(EMBEDDING_BAG)
enum { SUM, MEAN, MAX };
enum { CHUNK = 256, ELEMENT_PS = 1500 };

struct embedding_bag {
    int64_t padding;
    uint64_t rows, width, count, bags, offsets;
    int64_t mode;
    bool has_samples;
    struct index_entry index, offset; /* whose values are kept as they are */
    struct shape index_shape, offset_shape;
    struct port weight, samples, output, offset2bag, bag_size, max_indices; /* in doubles or INT64 */
    uint64_t cost_ns;
};

/* What phase 2 works with: all numbers as INT64 and doubles. */
struct bags {
    const struct embedding_bag *plan;
    void *const *address;
    const int64_t *index, *begin; /* one more beginning than bags */
    const double *sample;
    int64_t *size;
};

static void reduce_bag(const struct bags *bags, uint64_t bag, uint64_t column, uint64_t count)
{
    const struct embedding_bag *plan = bags->plan;
    double sum[CHUNK] = {0}, row[CHUNK] __attribute__((uninitialized));
    int64_t from[CHUNK] = {0}, taken = 0;
    for (int64_t k = bags->begin[bag]; k < bags->begin[bag + 1]; k++) {
        if (bags->index[k] == plan->padding)
            continue;
        const double factor = plan->has_samples ? bags->sample[k] : 1;
        taken++;
        if (count > 0)
            port_bring(&plan->weight, bags->address, (uint64_t)bags->index[k] * plan->width + column, count,
                       row);
        for (uint64_t i = 0; i < count && plan->mode < MAX; i++)
            sum[i] += plan->has_samples ? factor * row[i] : row[i];
        for (uint64_t i = 0; i < count && plan->mode >= MAX; i++)
            if (taken == 1 || row[i] > sum[i] || (row[i] != row[i] && sum[i] == sum[i])) {
                sum[i] = row[i];
                from[i] = bags->index[k];
            }
    }
    for (uint64_t i = 0; i < count && plan->mode == MEAN && taken > 0; i++)
        sum[i] /= (double)taken;
    for (uint64_t i = 0; i < count; i++)
        sum[i] = sum[i] == sum[i] ? sum[i] : __builtin_nan("");
    bags->size[bag] = taken;
    if (count == 0)
        return;
    port_deliver(&plan->output, bags->address, bag * plan->width + column, count, sum);
    if (plan->mode >= MAX)
        port_deliver(&plan->max_indices, bags->address, bag * plan->width + column, count, from);
}

static void take_bag(void *context, uint64_t bag)
{
    const struct bags *bags = context;
    const uint64_t width = bags->plan->width;
    for (uint64_t column = 0; column == 0 || column < width; column += CHUNK)
        reduce_bag(bags, bag, column, width - column < CHUNK ? width - column : CHUNK);
}

/* Indices, beginnings, sizes of bags and factors. */
static size_t work_bytes(const void *memory)
{
    const struct embedding_bag *plan = memory;
    return whole_lines((2 * plan->count + 2 * plan->bags + plan->offsets + 2) * sizeof(int64_t));
}

/* Bags begin at 0 and follow one another. */
static int read_beginnings(const struct embedding_bag *plan, const void *address, int64_t *begin)
{
    const int status = index_read(&plan->offset, address, &plan->offset_shape, false, begin);
    for (uint64_t i = 0; status == 0 && i < plan->offsets; i++)
        if (i == 0 ? begin[0] != 0 : begin[i] < begin[i - 1])
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "offsets holds %" PRId64 " at [%" PRIu64 "]; %s is expected", begin[i], i,
                                  i == 0 ? "0" : "no less than before");
    if (plan->offsets == plan->bags)
        begin[plan->bags] = (int64_t)plan->count;
    return status;
}

static int run(const void *memory, void *const *address, void *scratch)
{
    const struct embedding_bag *plan = memory;
    int64_t *index = scratch, *begin = index + plan->count, *size = begin + plan->offsets + 1;
    double *sample = (double *)(void *)(size + plan->bags + 1);
    int status = index_read(&plan->index, address[plan->index.operand], &plan->index_shape, false, index);
    if (status == 0)
        status = read_beginnings(plan, address[plan->offset.operand], begin);
    if (status != 0)
        return status;
    if (plan->has_samples)
        port_bring(&plan->samples, address, 0, plan->count, sample);
    struct bags bags = {
        .plan = plan, .address = address, .index = index, .begin = begin, .sample = sample, .size = size};
    tasks_run(take_bag, &bags, plan->bags, 16, plan->cost_ns);
    size[plan->bags] = 0; /* where there is a place for the last offset too */
    port_deliver(&plan->bag_size, address, 0, plan->bag_size.span.count, size);
    for (uint64_t bag = 0; bag < plan->bags; bag++)
        for (int64_t k = begin[bag]; k < begin[bag + 1]; k++)
            index[k] = (int64_t)bag;
    const uint64_t told = plan->offset2bag.span.count > 0 ? (uint64_t)begin[plan->bags] : 0;
    port_deliver(&plan->offset2bag, address, 0, told, index);
    return 0;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *weight = &call->tensor[EMBEDDING_BAG_weight],
                             *indices = &call->tensor[EMBEDDING_BAG_indices];
    const bool is_max =
        call->argument[EMBEDDING_BAG_mode].int64 != SUM && call->argument[EMBEDDING_BAG_mode].int64 != MEAN;
    for (unsigned i = EMBEDDING_BAG_weight; i <= EMBEDDING_BAG_offsets; i++)
        TRY(check_dtype(call, i));
    if (call_has(call, EMBEDDING_BAG_perSampleWeights)) {
        TRY(check_dtype(call, EMBEDDING_BAG_perSampleWeights));
        TRY(check_same_dtype(call, EMBEDDING_BAG_perSampleWeights, EMBEDDING_BAG_weight, NULL));
    }
    for (unsigned i = EMBEDDING_BAG_weight; i <= EMBEDDING_BAG_offsets; i++)
        if (call->tensor[i].rank != (i == EMBEDDING_BAG_weight ? 2 : 1))
            return refuse(call, "%s has %u dims; %d %s expected", call_name(call, i), call->tensor[i].rank,
                          i == EMBEDDING_BAG_weight ? 2 : 1, i == EMBEDDING_BAG_weight ? "are" : "is");
    TRY(by_index_check_size(call, EMBEDDING_BAG_indices, EMBEDDING_BAG_weight, weight->shape[0]));
    const int64_t offsets = call->tensor[EMBEDDING_BAG_offsets].count,
                  bags = offsets - (call->argument[EMBEDDING_BAG_includeLastOffset].boolean ? 1 : 0);
    if (bags < 0)
        return refuse(call, "offsets has 0 elements; the last offset is expected there at least");
    if (call_has(call, EMBEDDING_BAG_perSampleWeights)) {
        if (call->argument[EMBEDDING_BAG_mode].int64 != SUM)
            return refuse(call, "mode is %" PRId64 " beside perSampleWeights; 0 (sum) is expected",
                          call->argument[EMBEDDING_BAG_mode].int64);
        TRY(check_same_shape(call, EMBEDDING_BAG_perSampleWeights, EMBEDDING_BAG_indices, NULL));
    }
    const struct shape shape[] = {{.rank = 2, .dim = {bags, weight->shape[1]}},
                                  {.rank = 1, .dim = {indices->count}},
                                  {.rank = 1, .dim = {bags}},
                                  {.rank = 2, .dim = {bags, weight->shape[1]}}};
    result->computed = weight->dtype;
    for (int i = 0; i < 4; i++) {
        struct output *output =
            result_add(result, i == 0 ? weight->dtype : ACL_INT64, i == 0 ? DTYPE_EQUAL : DTYPE_ANY);
        output->shape_rule = SHAPE_EQUAL;
        output->shape = shape[i];
        output->is_unwanted = i == 3 && !is_max;
        /* PyTorch gives an empty one where it needs none. */
        if (i == 1 && call->has_outputs && call->tensor[EMBEDDING_BAG_offset2bag].count == 0)
            output->is_unwanted = true;
        /* torch_npu gives it as many as offsets has on Ascend950. */
        if (i == 2 && call->has_outputs && call->tensor[EMBEDDING_BAG_bagSize].count == offsets)
            output->shape.dim[0] = offsets;
    }
    return ACLNN_SUCCESS;
}

static struct index_entry entry_of(const struct call *call, unsigned parameter, int64_t size)
{
    struct index_entry entry;
    index_describe(&entry, call, parameter, -1);
    entry.size = size;
    entry.step = 1;
    entry.is_strict = true;
    return entry;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *weight = &call->tensor[EMBEDDING_BAG_weight];
    struct executor_content *content;
    void *made;
    if (call->tensor[EMBEDDING_BAG_output].count == 0 && call->tensor[EMBEDDING_BAG_bagSize].count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct embedding_bag), &content, &made));
    struct embedding_bag *plan = made;
    *plan = (struct embedding_bag){
        .weight = port_of(call, EMBEDDING_BAG_weight, ACL_DOUBLE),
        .padding = call->argument[EMBEDDING_BAG_paddingIdx].int64,
        .rows = (uint64_t)weight->shape[0],
        .width = (uint64_t)weight->shape[1],
        .count = (uint64_t)call->tensor[EMBEDDING_BAG_indices].count,
        .bags = (uint64_t)result->output[0].shape.dim[0],
        .offsets = (uint64_t)call->tensor[EMBEDDING_BAG_offsets].count,
        .mode = call->argument[EMBEDDING_BAG_mode].int64,
        .has_samples = call_has(call, EMBEDDING_BAG_perSampleWeights),
        .index = entry_of(call, EMBEDDING_BAG_indices, weight->shape[0]),
        .offset = entry_of(call, EMBEDDING_BAG_offsets, call->tensor[EMBEDDING_BAG_indices].count + 1),
        .index_shape = shape_of(&call->tensor[EMBEDDING_BAG_indices]),
        .offset_shape = shape_of(&call->tensor[EMBEDDING_BAG_offsets]),
        .output = port_of(call, EMBEDDING_BAG_output, ACL_DOUBLE),
        .offset2bag = port_of(call, EMBEDDING_BAG_offset2bag, ACL_INT64),
        .bag_size = port_of(call, EMBEDDING_BAG_bagSize, ACL_INT64)};
    plan->mode = plan->mode == SUM || plan->mode == MEAN ? plan->mode : MAX;
    if (plan->has_samples)
        plan->samples = port_of(call, EMBEDDING_BAG_perSampleWeights, ACL_DOUBLE);
    if (plan->mode == MAX)
        plan->max_indices = port_of(call, EMBEDDING_BAG_maxIndices, ACL_INT64);
    plan->cost_ns = plan->count * (plan->width * ELEMENT_PS / 1000 + 20) + plan->bags * 20;
    content->cost_ns = plan->cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

FUNCTION_OF(aclnnEmbeddingBag, EMBEDDING_BAG, .stem = "embedding_bag", .promise = &promise_sum,
            .family = FAMILY_INDEX, .operation.run = run, .operation.work_bytes = work_bytes, .infer = infer,
            .plan = plan);
