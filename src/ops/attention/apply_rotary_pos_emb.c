/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding of queries and keys in place, with cosines and sines that all heads share. In
 * doubles, rounded to FLOAT and then to the dtype.
 */
#include <inttypes.h>
#include <string.h>

#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_apply_rotary_pos_emb_v2.h"
#include "ops/attention/attention.h"
#include "ops/check.h"
#include "ops/loops/tasks.h"
#include "ops/rows/rotary_pairs.h"
#include "ops/signature.h"
#include "simd/vector/level_table.h"
#include "tensor/dtype.h"

LEVEL_TABLE(const struct attention_kernels, kernels_of, attention_kernels);

#define REFERENCES(X, of)                                              \
    X(of, BOTH, queryRef, &dtypes_fp32_fp16_bf16, .sample = "1x2x3x4") \
    X(of, BOTH, keyRef, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")   \
    X(of, IN, cos, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")        \
    X(of, IN, sin, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")        \
    X(of, INT64, layout, .usual = "1")
#define ROTARY(X, of) REFERENCES(X, of)
SIGNATURE(ROTARY)
#define ROTARY_V2(X, of) REFERENCES(X, of) X(of, TEXT, rotaryMode, .usual = "half")
SIGNATURE(ROTARY_V2)
enum { BATCH, ROW, HEAD, ELEMENT, DIMS };
enum { ROW_NS = 20, ELEMENT_PS = 1500 };

/* The dims of each layout; of TND there is no batch. */
static const uint8_t dims[][DIMS] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 2, 1, 3}, {NOWHERE, 0, 1, 2}};

struct turned {
    struct operand operand;
    int64_t stride[DIMS]; /* 0 where there is one only */
    uint64_t size[DIMS];
};

struct apply {
    const struct attention_kernels *kernels;
    int64_t mode;
    uint64_t slots, rows, depth; /* rows of both */
    uint64_t cost_ns;
    struct turned tensor[ROTARY_layout];
};

static aclnnStatus find_mode(const struct call *call, int64_t *mode)
{
    static const char *const names[] = {"half", "interleave", "quarter"};
    *mode = HALVES;
    if (call->function->parameter_count <= ROTARY_V2_rotaryMode)
        return ACLNN_SUCCESS;
    for (*mode = HALVES; *mode <= QUARTERS; ++*mode)
        if (strcmp(call->argument[ROTARY_V2_rotaryMode].string, names[*mode]) == 0)
            return ACLNN_SUCCESS;
    return refuse(call, "rotaryMode is \"%s\"; half, interleave or quarter is expected",
                  call->argument[ROTARY_V2_rotaryMode].string);
}

static int64_t size_at(const struct call *call, unsigned parameter, unsigned dim)
{
    const uint8_t place = dims[call->argument[ROTARY_layout].int64 - 1][dim];
    return place == NOWHERE ? 1 : call->tensor[parameter].shape[place];
}

static aclnnStatus check_shapes(const struct call *call, int64_t mode)
{
    const int64_t layout = call->argument[ROTARY_layout].int64, multiple = mode == QUARTERS ? 4 : 2;
    if (layout < 1 || layout > 4)
        return refuse(call, "layout is %" PRId64 "; 1 to 4 is expected", layout);
    for (unsigned i = 0; i < ROTARY_layout; i++) {
        const struct tensor_view *view = &call->tensor[i];
        bool fits = view->rank == (layout == 4 ? 3 : 4);
        if (fits && i == ROTARY_queryRef)
            fits = size_at(call, i, ELEMENT) % multiple == 0;
        else if (fits)
            fits = size_at(call, i, ELEMENT) == size_at(call, ROTARY_queryRef, ELEMENT) &&
                   size_at(call, i, ROW) == size_at(call, ROTARY_queryRef, ROW) &&
                   (size_at(call, i, BATCH) == size_at(call, ROTARY_queryRef, BATCH) ||
                    (i >= ROTARY_cos && size_at(call, i, BATCH) == 1)) &&
                   (i < ROTARY_cos || size_at(call, i, HEAD) == 1);
        if (!fits)
            return refuse(call,
                          "%s has shape %s; rank %d, batches, rows and elements of queryRef, an even number "
                          "of these, and one head of cos and sin are expected",
                          call_name(call, i), shape_text(TEXT, view), layout == 4 ? 3 : 4);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    int64_t mode;
    for (unsigned i = 0; i < ROTARY_layout; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, ROTARY_keyRef, ROTARY_queryRef, NULL));
    TRY(find_mode(call, &mode));
    TRY(check_shapes(call, mode));
    result_like(result, call, ROTARY_queryRef);
    result_add(result, call_dtype(call, ROTARY_keyRef), DTYPE_EQUAL)->like = ROTARY_keyRef;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_apply(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    void *place;
    struct apply apply = {.kernels = kernels_of[call->settings->isa],
                          .depth = (uint64_t)size_at(call, ROTARY_queryRef, ELEMENT)};
    (void)result;
    TRY(find_mode(call, &apply.mode));
    for (unsigned i = 0; i < ROTARY_layout; i++) {
        struct turned *turned = &apply.tensor[i];
        turned->operand = operand_of(call, i);
        for (unsigned k = 0; k < DIMS; k++) {
            const uint8_t dim = dims[call->argument[ROTARY_layout].int64 - 1][k];
            turned->size[k] = (uint64_t)size_at(call, i, k);
            turned->stride[k] = turned->size[k] == 1 || dim == NOWHERE ? 0 : call->tensor[i].stride[dim];
        }
        if (i < ROTARY_cos && call->tensor[i].count > 0)
            apply.rows += turned->size[BATCH] * turned->size[ROW] * turned->size[HEAD];
    }
    if (apply.rows == 0 || apply.depth == 0)
        return call_idle(call);
    apply.cost_ns = apply.rows * (ROW_NS + apply.depth * ELEMENT_PS / 1000);
    apply.slots = call->settings->thread_count < apply.rows ? call->settings->thread_count : apply.rows;
    TRY(call_begin(call, sizeof apply, &content, &place));
    memcpy(place, &apply, sizeof apply);
    content->cost_ns = apply.cost_ns;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

struct apply_run {
    const struct apply *plan;
    unsigned char *at[ROTARY_layout];
};

enum { ROOM_X, ROOM_COS, ROOM_SIN, ROOM_OUT, ROOMS };

/* The room of a slot in floats: a row, and a vector's length behind it. */
static size_t room_floats(const struct apply *plan)
{
    return (plan->depth + 16 + 15) / 16 * 16;
}

static unsigned char *row_of(const struct apply_run *run, unsigned tensor, const uint64_t *index)
{
    const struct turned *turned = &run->plan->tensor[tensor];
    int64_t offset = 0;
    for (unsigned k = BATCH; k < ELEMENT; k++)
        offset += (int64_t)index[k] * turned->stride[k];
    return run->at[tensor] + offset * (int64_t)turned->operand.bytes;
}

static void turn_row(void *context, uint64_t number, unsigned char *memory)
{
    const struct apply_run *run = context;
    float *const room = (float *)(void *)memory;
    const struct apply *plan = run->plan;
    const struct turned *query = &plan->tensor[ROTARY_queryRef];
    const uint64_t queries =
        query->operand.extent > 0 ? query->size[BATCH] * query->size[ROW] * query->size[HEAD] : 0;
    const unsigned tensor = number < queries ? ROTARY_queryRef : ROTARY_keyRef;
    const struct turned *turned = &plan->tensor[tensor];
    const size_t step = room_floats(plan);
    number -= tensor == ROTARY_keyRef ? queries : 0;
    const uint64_t index[] = {number / turned->size[HEAD] / turned->size[ROW],
                              number / turned->size[HEAD] % turned->size[ROW], number % turned->size[HEAD]};
    const unsigned from[] = {tensor, ROTARY_cos, ROTARY_sin};
    for (unsigned i = 0; i < 3; i++) {
        const struct turned *source = &plan->tensor[from[i]];
        plan->kernels->read(row_of(run, from[i], index), source->operand.dtype, source->stride[ELEMENT],
                            (uint32_t)plan->depth, room + i * step);
    }
    for (size_t p = 0; p < plan->depth / 2; p++) {
        const struct rotary_places place = rotary_places(plan->mode, p, plan->depth);
        const double a = (double)room[place.from[0]], b = (double)room[place.from[1]];
        const float *cosine = room + ROOM_COS * step, *sine = room + ROOM_SIN * step;
        room[ROOM_OUT * step + place.to[0]] =
            (float)(a * (double)cosine[place.to[0]] - b * (double)sine[place.to[0]]);
        room[ROOM_OUT * step + place.to[1]] =
            (float)(b * (double)cosine[place.to[1]] + a * (double)sine[place.to[1]]);
    }
    plan->kernels->write(room + ROOM_OUT * step, 1, row_of(run, tensor, index), turned->operand.dtype,
                         turned->stride[ELEMENT], (uint32_t)plan->depth);
}

static size_t work_bytes(const void *plan_bytes)
{
    const struct apply *plan = (const struct apply *)plan_bytes;
    return plan->slots * ROOMS * room_floats(plan) * sizeof(float);
}

static int run_apply(const void *plan_bytes, void *const *address, void *scratch)
{
    const struct apply *plan = (const struct apply *)plan_bytes;
    struct apply_run run = {.plan = plan};
    const struct task_memory memory = {scratch, ROOMS * room_floats(plan) * sizeof(float), plan->slots};
    for (unsigned i = 0; i < ROTARY_layout; i++)
        run.at[i] = address[plan->tensor[i].operand.address];
    tasks_run_in_memory(turn_row, &run, plan->rows, &memory, plan->cost_ns);
    return 0;
}

#define APPLY(stem_)                                                                                  \
    .stem = (stem_), .family = FAMILY_ATTENTION, .promise = &promise_sum, .operation.run = run_apply, \
    .operation.work_bytes = work_bytes, .infer = infer, .plan = plan_apply

FUNCTION_OF(aclnnApplyRotaryPosEmb, ROTARY, APPLY("apply_rotary_pos_emb"));
FUNCTION_OF(aclnnApplyRotaryPosEmbV2, ROTARY_V2, APPLY("apply_rotary_pos_emb_v2"));
