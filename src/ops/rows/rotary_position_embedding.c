/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rotary position embedding: pairs (a, b) of each row, turned by an angle whose cosines and sines are given:
 * (a cos - b sin, b cos + a sin); and its gradients. Modes say which elements make a pair: those of two
 * halves, neighbours, those of the first two and of the last two quarters, or neighbours whose results go to
 * two halves. In doubles, where products of floats are exact.
 */
#include <stdint.h>

/* What a kernel is told. */
struct pairs {
    int64_t mode;
};

#ifdef KERNEL_PASS

/* The maths. */
#include "ops/rows/rotary_pairs.h"
#include "simd/loops/row.h"

enum { X, COSINE, SINE };
enum { GRADIENT, OF_COSINE, OF_SINE, OF_X };
enum { GRADIENT_X, GRADIENT_COSINE, GRADIENT_SINE };

static inline double at(enum arithmetic dtype, const void *row, size_t i)
{
    return dtype == ARITHMETIC_FP64 ? ((const double *)row)[i] : (double)((const float *)row)[i];
}

/* All is read before anything is written: results may lie where an input does. */
static inline __attribute__((always_inline)) void rotary(enum arithmetic dtype, const void *const *input,
                                                         void *const *output, size_t count, double *room,
                                                         const void *parameters)
{
    const int64_t mode = ((const struct pairs *)parameters)->mode;
    for (size_t p = 0; p < count / 2; p++) {
        const struct rotary_places place = rotary_places(mode, p, count);
        const double a = at(dtype, input[X], place.from[0]), b = at(dtype, input[X], place.from[1]);
        for (int i = 0; i < 2; i++) {
            const double cosine = at(dtype, input[COSINE], place.to[i]),
                         sine = at(dtype, input[SINE], place.to[i]);
            room[place.to[i]] = i == 0 ? a * cosine - b * sine : b * cosine + a * sine;
        }
    }
    row_map(dtype, output[0], room, count, row_itself, 0, true);
}

ROWS_KERNELS(rotary_position_embedding, rotary)

static inline __attribute__((always_inline)) void rotary_grad(enum arithmetic dtype, const void *const *input,
                                                              void *const *output, size_t count, double *room,
                                                              const void *parameters)
{
    const int64_t mode = ((const struct pairs *)parameters)->mode;
    double *cosine_sums = output[GRADIENT_COSINE], *sine_sums = output[GRADIENT_SINE];
    for (size_t p = 0; p < count / 2; p++) {
        const struct rotary_places place = rotary_places(mode, p, count);
        double gradient[2], cosine[2], sine[2];
        for (int i = 0; i < 2; i++) {
            gradient[i] = at(dtype, input[GRADIENT], place.to[i]);
            cosine[i] = at(dtype, input[OF_COSINE], place.to[i]);
            sine[i] = at(dtype, input[OF_SINE], place.to[i]);
        }
        room[place.from[0]] = gradient[0] * cosine[0] + gradient[1] * sine[1];
        room[place.from[1]] = gradient[1] * cosine[1] - gradient[0] * sine[0];
        if (input[OF_X] == NULL || cosine_sums == NULL || sine_sums == NULL)
            continue;
        const double a = at(dtype, input[OF_X], place.from[0]), b = at(dtype, input[OF_X], place.from[1]);
        cosine_sums[place.to[0]] += gradient[0] * a;
        cosine_sums[place.to[1]] += gradient[1] * b;
        sine_sums[place.to[0]] -= gradient[0] * b;
        sine_sums[place.to[1]] += gradient[1] * a;
    }
    row_map(dtype, output[GRADIENT_X], room, count, row_itself, 0, true);
}

ROWS_KERNELS(rotary_position_embedding_grad, rotary_grad)

#else

/* The contract. */
#include "aclnnop/aclnn_interleave_rope.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "ops/check.h"
#include "ops/loops/rows.h"
#include "ops/signature.h"

static const char *const modes[] = {"half", "interleave", "quarter", "interleave_half", NULL};

enum { FIRST, COSINE, SINE }; /* FIRST: x or dy */

/* cos and sin: like x, or 1 in dims before the last. */
static aclnnStatus check_angles(const struct call *call)
{
    const struct shape shape = shape_of(&call->tensor[FIRST]);
    for (unsigned i = COSINE; i <= SINE; i++) {
        const struct shape own = shape_of(&call->tensor[i]);
        if (own.rank != shape.rank || !broadcasts_to(&own, &shape) ||
            own.dim[shape.rank - 1] != shape.dim[shape.rank - 1])
            return refuse(call, "%s has shape %s; that of %s is expected, or 1 in dims before the last",
                          call_name(call, i), shape_text(TEXT, &call->tensor[i]), call_name(call, FIRST));
    }
    return check_same_shape(call, SINE, COSINE, NULL);
}

static aclnnStatus check_rows(const struct call *call, const unsigned *inputs, unsigned count,
                              aclDataType *dtype)
{
    const struct tensor_view *view = &call->tensor[FIRST];
    for (unsigned i = 0; i < count; i++)
        TRY(check_dtype(call, inputs[i]));
    TRY(check_promotion(call, inputs, count, dtype));
    if (view->rank != 3 && view->rank != 4)
        return refuse(call, "%s has shape %s; rank 3 or 4 is expected", call_name(call, FIRST),
                      shape_text(TEXT, view));
    return check_angles(call);
}

static aclnnStatus check_pairs(const struct call *call, int64_t mode)
{
    const struct tensor_view *view = &call->tensor[FIRST];
    const int64_t multiple = mode == 2 ? 4 : 2;
    return view->shape[view->rank - 1] % multiple == 0
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; a multiple of %d as its last dim is expected with this mode",
                        call_name(call, FIRST), shape_text(TEXT, view), (int)multiple);
}

static aclnnStatus check_inputs(const struct call *call, unsigned mode, const unsigned *inputs,
                                unsigned count, aclDataType *dtype)
{
    TRY(check_rows(call, inputs, count, dtype));
    TRY(check_choice(call, mode));
    return check_pairs(call, call->argument[mode].int64);
}

enum { MODE = 3, OUT };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {FIRST, COSINE, SINE};
    aclDataType dtype;
    TRY(check_inputs(call, MODE, inputs, 3, &dtype));
    result_like(result, call, FIRST);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_pairs(const struct call *call, int64_t mode)
{
    static const struct rows_tensor input[] = {
        {.parameter = FIRST}, {.parameter = COSINE}, {.parameter = SINE}};
    const struct rows_tensor output = {.parameter = call_output(call)};
    const struct pairs pairs = {mode};
    const struct tensor_view *view = &call->tensor[FIRST];
    const struct rows_request request = {.rank = view->rank,
                                         .shape = view->shape,
                                         .along = UINT32_C(1) << (view->rank - 1),
                                         .input = input,
                                         .output = &output,
                                         .inputs = 3,
                                         .outputs = 1,
                                         .parameters = &pairs,
                                         .parameter_bytes = sizeof pairs};
    return rows_plan(call, &request);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_pairs(call, call->argument[MODE].int64);
}

ROWS_LEVELS(rotary_position_embedding);
static const struct rows rows = {rotary_position_embedding_rows, rotary_position_embedding_rows_fp32,
                                 .element_ps = 1500};
#define TENSOR(X, of, name) X(of, IN, name, &dtypes_fp32_fp16_bf16, .sample = "1x2x3x4")
#define ANGLES(X, of)                                           \
    X(of, IN, cos, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4") \
    X(of, IN, sin, &dtypes_fp32_fp16_bf16, .sample = "1x2x1x4")
#define ROTARY_POSITION_EMBEDDING(X, of)                  \
    TENSOR(X, of, x)                                      \
    ANGLES(X, of)                                         \
    X(of, INT64, mode, .choices = modes, .usual = "half") \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(ROTARY_POSITION_EMBEDDING)

FUNCTION_OF(aclnnRotaryPositionEmbedding, ROTARY_POSITION_EMBEDDING, .stem = "rotary_position_embedding",
            .promise = &promise_sum, ROWS(&rows), .infer = infer, .plan = plan);

/* Neighbours of each row to its halves. */
static aclnnStatus infer_interleave(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {FIRST, COSINE, SINE};
    aclDataType dtype;
    TRY(check_rows(call, inputs, 3, &dtype));
    if (call->tensor[FIRST].rank != 4)
        return refuse(call, "x has shape %s; rank 4 is expected", shape_text(TEXT, &call->tensor[FIRST]));
    TRY(check_pairs(call, 3));
    result_like(result, call, FIRST);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_interleave(const struct call *call, const struct result *result)
{
    (void)result;
    return plan_pairs(call, 3);
}

#define INTERLEAVE(X, of)                                          \
    X(of, IN, x, &dtypes_fp16_bf16, .sample = "1x2x3x4:FLOAT16")   \
    X(of, IN, cos, &dtypes_fp16_bf16, .sample = "1x1x3x4:FLOAT16") \
    X(of, IN, sin, &dtypes_fp16_bf16, .sample = "1x1x3x4:FLOAT16") \
    X(of, OUT, out, &dtypes_fp16_bf16)
SIGNATURE(INTERLEAVE)
FUNCTION_OF(aclnnInterleaveRope, INTERLEAVE, .stem = "interleave_rope", .promise = &promise_sum, ROWS(&rows),
            .infer = infer_interleave, .plan = plan_interleave);

enum { X = 3, MODE_OF_GRADIENT, DX, DCOS, DSIN };

static aclnnStatus infer_grad(const struct call *call, struct result *result)
{
    const unsigned inputs[] = {FIRST, COSINE, SINE, X};
    const bool has_x = call_has(call, X);
    aclDataType dtype;
    TRY(check_inputs(call, MODE_OF_GRADIENT, inputs, has_x ? 4 : 3, &dtype));
    if (has_x)
        TRY(check_same_shape(call, X, FIRST, NULL));
    result_like(result, call, FIRST);
    for (unsigned i = DCOS; i <= DSIN; i++) {
        struct output *output = result_add(result, call_dtype(call, i - DCOS + COSINE), DTYPE_EQUAL);
        output->like = i - DCOS + COSINE;
        output->is_unwanted = !has_x || (call->has_outputs && !call_has(call, i));
    }
    return ACLNN_SUCCESS;
}

/* The dims that cos has 1 in come first: the others, one after another, are the period of the sums. */
static struct tensor_view permuted(const struct call *call, unsigned parameter, uint64_t *period)
{
    const struct tensor_view *cosine = &call->tensor[COSINE], *view = call_view(call, parameter);
    struct tensor_view result = *view;
    uint32_t place = 0;
    *period = 1;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i + 1 < cosine->rank && view->rank == cosine->rank; i++)
            if ((cosine->shape[i] == 1) == (pass == 0)) {
                result.shape[place] = view->shape[i];
                result.stride[place++] = view->stride[i];
                *period *= (uint64_t)cosine->shape[i];
            }
    result.is_contiguous = false;
    return result;
}

static aclnnStatus plan_grad(const struct call *call, const struct result *result)
{
    static const unsigned whole[] = {FIRST, COSINE, SINE, X, DX};
    struct rows_tensor input[4],
        output[] = {{.parameter = DX}, ROWS_TENSOR(DCOS, SUMS), ROWS_TENSOR(DSIN, SUMS)};
    const struct pairs pairs = {call->argument[MODE_OF_GRADIENT].int64};
    struct tensor_view view[5];
    uint64_t period;
    for (unsigned i = 0; i < 5; i++) {
        view[i] = permuted(call, whole[i], &period);
        if (i < 4)
            input[i] = (struct rows_tensor){.parameter = whole[i], .view = &view[i]};
    }
    output[0].view = &view[4];
    if (!call_has(call, DCOS) || !call_has(call, DSIN) || !call_has(call, X))
        output[1].part = output[2].part = ROWS_ABSENT;
    const struct rows_request request = {.rank = view[0].rank,
                                         .shape = view[0].shape,
                                         .along = UINT32_C(1) << (view[0].rank - 1),
                                         .input = input,
                                         .output = output,
                                         .inputs = 4,
                                         .outputs = 3,
                                         .period = period,
                                         .parameters = &pairs,
                                         .parameter_bytes = sizeof pairs};
    (void)result;
    return rows_plan(call, &request);
}

ROWS_LEVELS(rotary_position_embedding_grad);
static const struct rows rows_grad = {rotary_position_embedding_grad_rows,
                                      rotary_position_embedding_grad_rows_fp32, .element_ps = 2500};
#define ROTARY_POSITION_EMBEDDING_GRAD(X, of)                                              \
    TENSOR(X, of, dy)                                                                      \
    ANGLES(X, of)                                                                          \
    X(of, IN, xOptional, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = "1x2x3x4") \
    X(of, INT64, mode, .choices = modes, .usual = "half")                                  \
    X(of, CONST_OUT, dxOut, &dtypes_fp32_fp16_bf16)                                        \
    X(of, CONST_OUT, dcosOut, &dtypes_fp32_fp16_bf16, .is_optional = true)                 \
    X(of, CONST_OUT, dsinOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
SIGNATURE(ROTARY_POSITION_EMBEDDING_GRAD)

FUNCTION_OF(aclnnRotaryPositionEmbeddingGrad, ROTARY_POSITION_EMBEDDING_GRAD,
            .stem = "rotary_position_embedding_grad", .promise = &promise_sum, ROWS(&rows_grad),
            .infer = infer_grad, .plan = plan_grad);

#endif
