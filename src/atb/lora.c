/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What vllm-ascend multiplies by for adapters of low rank (LoRA): rows of x times the matrix that an index names
 * for each, to the rank and back. The kernels in its own library are code for a device; the stand-ins that
 * `belay run` preloads (forwarding/vllm_kernels.c) call these.
 *
 * A row whose index is negative stays as it is. Sums are of doubles, in the order of the elements, and rounded
 * once.
 */
#include "atb/lora.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "atb/own.h"
#include "base/error.h"
#include "runtime/addresses/memory.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/refusal.h"
#include "runtime/streams/workers.h"

enum { X, WEIGHT, INDICES, LENGTHS, Y, OPERANDS };

struct lora_plan {
    bool expands, is_bf16;
    uint32_t rows, in, out; /* rows of x, their elements, and those of the result */
    uint32_t step, offset;  /* of the result: elements from a row to the next one, and before the first one */
    uint32_t index_count;   /* of rows, or of sequences of them */
    int64_t matrices;       /* that there is memory for */
    float scale;
};

static double widen(uint16_t bits, bool is_bf16)
{
    if (!is_bf16)
        return (double)aclFloat16ToFloat(bits);
    const uint32_t word = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &word, sizeof number);
    return (double)number;
}

/* To the nearest, of two the even one; a NaN stays one. */
static uint16_t narrow(double number, bool is_bf16)
{
    const float rounded = (float)number;
    uint32_t word;
    if (!is_bf16)
        return aclFloatToFloat16(rounded);
    memcpy(&word, &rounded, sizeof word);
    if (rounded != rounded)
        return (uint16_t)(word >> 16 | 0x40);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

struct lora_run {
    const struct lora_plan *plan;
    void *const *address;
    int64_t matrix; /* of the row */
    uint32_t row;
};

static void multiply(void *context, uint64_t begin, uint64_t end)
{
    const struct lora_run *run = (const struct lora_run *)context;
    const struct lora_plan *plan = run->plan;
    const uint16_t *weight =
        (const uint16_t *)run->address[WEIGHT] + (uint64_t)run->matrix * plan->in * plan->out;
    const size_t x = (size_t)run->row * plan->in, y = (size_t)run->row * plan->step + plan->offset;
    for (uint64_t o = begin; o < end; o++) {
        double sum = 0;
        for (uint32_t i = 0; i < plan->in; i++) {
            const double element = plan->expands
                                       ? (double)((const float *)run->address[X])[x + i]
                                       : widen(((const uint16_t *)run->address[X])[x + i], plan->is_bf16);
            sum += element * widen(weight[o * plan->in + i], plan->is_bf16);
        }
        if (plan->expands) {
            uint16_t *to = (uint16_t *)run->address[Y] + y + o;
            *to = narrow(widen(*to, plan->is_bf16) + sum, plan->is_bf16);
        } else {
            ((float *)run->address[Y])[y + o] = (float)((double)plan->scale * sum);
        }
    }
}

enum { OUTPUTS_AT_ONCE = 16, PRODUCT_PS = 2000 };

static int run_lora(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct lora_plan *plan = (const struct lora_plan *)plan_bytes;
    const int64_t *index = (const int64_t *)address[INDICES], *length = (const int64_t *)address[LENGTHS];
    uint32_t row = 0;
    (void)scratch;
    for (uint32_t i = 0; i < plan->index_count; i++) {
        const int64_t rows = length != NULL ? length[i] : 1;
        if (index[i] >= plan->matrices || rows < 0 || rows > (int64_t)(plan->rows - row))
            return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                  "index %" PRIu32 " is %" PRId64 " for %" PRId64 " rows; less than %" PRId64
                                  " and at most %" PRIu32 " rows are expected",
                                  i, index[i], rows, plan->matrices, plan->rows - row);
        for (int64_t k = 0; k < rows; k++, row++) {
            struct lora_run run = {plan, address, index[i], row};
            if (index[i] >= 0)
                workers_share(multiply, &run, plan->out, OUTPUTS_AT_ONCE,
                              (uint64_t)plan->in * plan->out * PRODUCT_PS / 1000);
        }
    }
    return 0;
}

static const struct operation operations[] = {
    {.name = "bgmv_shrink", .run = run_lora},
    {.name = "bgmv_expand", .run = run_lora},
    {.name = "sgmv_shrink", .run = run_lora},
    {.name = "sgmv_expand", .run = run_lora},
};

/* What there is from an address on, of elements; the client says nothing of the number of matrices. */
static int64_t room_at(const void *address, uint64_t element_bytes)
{
    int32_t device = 0;
    if (aclrtGetDevice(&device) != 0)
        return 0;
    return (int64_t)(memory_usable_bytes(address, device) / element_bytes);
}

static aclTensor *line_at(aclDataType dtype, int64_t count, void *address)
{
    return aclCreateTensor(&count, 1, dtype, NULL, 0, ACL_FORMAT_ND, &count, 1, address);
}

static aclnnStatus begin(const struct operation *operation, struct lora_plan *plan,
                         const struct lora_call *call, aclOpExecutor **executor)
{
    static const char *const names[OPERANDS] = {"x", "weight", "indices", "seqLen", "y"};
    const aclDataType narrow_dtype = plan->is_bf16 ? ACL_BF16 : ACL_FLOAT16;
    const int64_t matrix = (int64_t)plan->in * plan->out, room = room_at(call->weight, sizeof(uint16_t));
    aclTensor *tensor[OPERANDS] = {NULL};
    struct own_operand operand[OPERANDS];
    struct setup setup = {.operation = NULL};
    plan->matrices = matrix > 0 ? room / matrix : 0;
    tensor[X] = line_at(plan->expands ? ACL_FLOAT : narrow_dtype, (int64_t)plan->rows * plan->in, call->x);
    tensor[WEIGHT] = line_at(narrow_dtype, plan->matrices * matrix, call->weight);
    tensor[INDICES] = line_at(ACL_INT64, plan->index_count, call->indices);
    if (call->lengths != NULL)
        tensor[LENGTHS] = line_at(ACL_INT64, plan->index_count, call->lengths);
    const int64_t reach =
        plan->rows == 0 ? 0 : (int64_t)(plan->rows - 1) * plan->step + plan->offset + plan->out;
    tensor[Y] = line_at(plan->expands ? narrow_dtype : ACL_FLOAT, reach, call->y);
    for (int i = 0; i < OPERANDS; i++)
        operand[i] = (struct own_operand){tensor[i], names[i],
                                          i == Y ? ACCESS_READ | ACCESS_WRITTEN | ACCESS_PARTLY
                                                 : ACCESS_READ | ACCESS_PARTLY};
    /* What could not be made, which has been told, is not what is not there. */
    bool is_short = false;
    for (int i = 0; i < OPERANDS; i++)
        is_short = is_short || (tensor[i] == NULL && (i != LENGTHS || call->lengths != NULL));
    const aclnnStatus status =
        is_short ? ACLNN_ERR_INNER
                 : own_plan(&setup, operation, operand, OPERANDS, plan, sizeof *plan,
                            (uint64_t)plan->rows * plan->in * plan->out * PRODUCT_PS / 1000);
    for (int i = 0; i < OPERANDS; i++)
        aclDestroyTensor(tensor[i]);
    *executor = setup.executor;
    return status;
}

/* The client has no status to look at: what is wrong fails in the stream. */
static void launch(int which, struct lora_plan *plan, const struct lora_call *call, aclrtStream stream)
{
    const struct operation *operation = &operations[which];
    aclOpExecutor *executor = NULL;
    aclnnStatus status = begin(operation, plan, call, &executor);
    if (status == 0)
        status = executor_launch(operation, NULL, 0, executor, stream);
    if (status != 0) {
        char sentence[ERROR_SENTENCE_BYTES];
        snprintf(sentence, sizeof sentence, "%s", error_last_sentence());
        refusal_queue(operation->name, stream, sentence);
    }
}

void lora_shrink(int32_t type, aclrtStream stream, const struct lora_call *call, uint32_t index_count,
                 uint32_t rows, uint32_t hidden, uint32_t rank, float scale)
{
    struct lora_plan plan = {.is_bf16 = type == 1,
                             .rows = rows,
                             .in = hidden,
                             .out = rank,
                             .step = rank,
                             .index_count = call->lengths != NULL || index_count < rows ? index_count : rows,
                             .scale = scale};
    launch(call->lengths != NULL ? 2 : 0, &plan, call, stream);
}

void lora_expand(int32_t type, aclrtStream stream, const struct lora_call *call, uint32_t index_count,
                 uint32_t rows, uint32_t rank, uint32_t hidden, uint32_t offset, uint32_t whole)
{
    struct lora_plan plan = {.expands = true,
                             .is_bf16 = type == 1,
                             .rows = rows,
                             .in = rank,
                             .out = hidden,
                             .step = whole,
                             .offset = offset,
                             .index_count = call->lengths != NULL || index_count < rows ? index_count : rows};
    launch(call->lengths != NULL ? 3 : 1, &plan, call, stream);
}
