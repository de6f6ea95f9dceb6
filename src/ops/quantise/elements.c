/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements with factors along a dim, one after the other: numbers of few bits become floats again, floats become what
 * numbers of few bits would be. In doubles, rounded once.
 */
#include "aclnnop/aclnn_anti_mx_quant.h"
#include "aclnnop/aclnn_ascend_anti_quant.h"
#include "aclnnop/aclnn_fake_quant_per_channel_affine_cachemask.h"
#include "aclnnop/aclnn_fake_quant_per_tensor_affine_cachemask.h"

#include <inttypes.h>
#include <math.h>

#include "ops/dims.h"
#include "ops/quantise/mx_number.h"
#include "ops/signature.h"
#include "ops/sizes.h"

enum { PIECE = 512, ELEMENT_PS = 2500, ROOM = 3, WORD = 8 };

#define FLT3 &dtypes_fp32_fp16_bf16
#define ANTI(X, of)                                                                                  \
    X(of, IN, x, &dtypes_int8_int32_int4_hifloat8_float8, .sample = "2x3:INT8", .is_unpacked = true) \
    X(of, IN, scale, &dtypes_fp32_bf16, .sample = "3")                                               \
    X(of, IN, offsetOptional, &dtypes_fp32_bf16, .is_optional = true, .sample = "3")                 \
    X(of, INT64, dstType, .usual = "1")                                                              \
    X(of, BOOL, sqrtMode, .usual = "false")                                                          \
    X(of, OUT, y, &dtypes_fp16_bf16)
#define ANTI_MX(X, of)                                                                       \
    X(of, IN, x, &dtypes_float8_float4, .sample = "2x64:FLOAT8_E4M3FN", .is_unpacked = true) \
    X(of, IN, mxscale, &dtypes_float8_e8m0, .sample = "2x1x2:FLOAT8_E8M0")                   \
    X(of, INT64, axis, .usual = "-1")                                                        \
    X(of, INT64, dstType, .usual = "0")                                                      \
    X(of, OUT, y, FLT3)
#define FAKE_ENDS(X, of)                    \
    X(of, INT64, quantMin, .usual = "-128") \
    X(of, INT64, quantMax, .usual = "127")  \
    X(of, OUT, out, FLT3) X(of, OUT, mask, &dtypes_bool)
#define FAKE(X, of, sample_)                               \
    X(of, IN, self, FLT3)                                  \
    X(of, IN, scale, &dtypes_fp32_fp16, .sample = sample_) \
    X(of, IN, zeroPoint, &dtypes_int32, .sample = sample_ ":INT32")
#define FAKE_TENSOR(X, of)  FAKE(X, of, "1") X(of, FLOAT, fakeQuantEnabled, .usual = "1") FAKE_ENDS(X, of)
#define FAKE_CHANNEL(X, of) FAKE(X, of, "3") X(of, INT64, axis, .usual = "1") FAKE_ENDS(X, of)
SIGNATURE(ANTI)
SIGNATURE(ANTI_MX)
SIGNATURE(FAKE_TENSOR)
SIGNATURE(FAKE_CHANNEL)

struct elements {
    uint64_t count, inner, factors; /* element k has factor k / inner % factors */
    uint64_t length, pairs;         /* of MX blocks: the dim, and pairs of blocks along it */
    int64_t least, most;
    bool is_squared, is_whole_words, is_enabled;
    uint8_t zero, out, mask;
};

static void set_inner(struct elements *elements, const struct tensor_view *view, uint32_t dim, uint64_t packs)
{
    elements->inner = 1;
    for (uint32_t i = dim + 1; i < view->rank; i++)
        elements->inner *= (uint64_t)view->shape[i];
    if (dim + 1 < view->rank)
        elements->inner *= packs;
}

/* Factors of elements from one on: each its own, or all the same as long as they are. */
static uint64_t read_factors(const struct task *task, unsigned parameter, uint64_t at, uint64_t count,
                             double *factor)
{
    const struct elements *elements = task->parameters;
    const uint64_t first = at / elements->inner % elements->factors,
                   left = elements->inner - at % elements->inner;
    if (elements->inner == 1 && elements->factors > 1) {
        const uint64_t some = count < elements->factors - first ? count : elements->factors - first;
        task_read(task, parameter, first, some, factor);
        return some;
    }
    const uint64_t some = elements->factors == 1 || count < left ? count : left;
    const double number = task_number(task, parameter, first);
    for (uint64_t i = 0; i < some; i++)
        factor[i] = number;
    return some;
}

static aclnnStatus plan_pieces(const struct call *call, const struct elements *elements,
                               void (*body)(const struct task *, uint64_t))
{
    return row_tasks_plan(call, &(struct row_tasks_request){.body = body,
                                                            .count = (elements->count + PIECE - 1) / PIECE,
                                                            .task_ns = PIECE * ELEMENT_PS / 1000,
                                                            .room = ROOM * PIECE,
                                                            .parameters = elements,
                                                            .parameter_bytes = sizeof *elements});
}

static uint64_t piece_of(const struct elements *elements, uint64_t number)
{
    const uint64_t left = elements->count - number * PIECE;
    return left < PIECE ? left : PIECE;
}

/* (x + offset) scale. */

/* One number, as many as the last dim has or else the one before, or dims of 1 around those of one dim. */
static aclnnStatus find_dim(const struct call *call, unsigned parameter, const struct shape *shape,
                            uint32_t *dim, uint64_t *count)
{
    const struct tensor_view *factor = &call->tensor[parameter];
    const uint32_t rank = shape->rank;
    *count = (uint64_t)factor->count;
    *dim = rank - 1;
    if (factor->count == 1)
        return ACLNN_SUCCESS;
    if (factor->rank == 1 && factor->shape[0] == shape->dim[rank - 1])
        return ACLNN_SUCCESS;
    if (factor->rank == 1 && rank > 1 && factor->shape[0] == shape->dim[rank - 2]) {
        *dim = rank - 2;
        return ACLNN_SUCCESS;
    }
    bool fits = factor->rank == rank;
    uint32_t others = 0;
    for (uint32_t i = 0; fits && i < rank; i++) {
        fits = factor->shape[i] == 1 || factor->shape[i] == shape->dim[i];
        *dim = factor->shape[i] != 1 ? i : *dim;
        others += factor->shape[i] != 1;
    }
    return fits && others == 1
               ? ACLNN_SUCCESS
               : refuse(call, "%s has shape %s; 1 element, or those of one dim of y, %s, are expected",
                        call_name(call, parameter), shape_text(TEXT, factor),
                        dims_text(TEXT, rank, shape->dim));
}

static aclnnStatus read_anti(const struct call *call, struct elements *elements, struct shape *shape)
{
    const struct tensor_view *x = &call->tensor[ANTI_x], *scale = &call->tensor[ANTI_scale];
    const int64_t to = call->argument[ANTI_dstType].int64;
    const bool is_whole_words = x->dtype == ACL_INT32;
    uint32_t dim;
    TRY(check_all_dtypes(call));
    TRY(check_rank(call, ANTI_x));
    if (x->rank < 1)
        return refuse(call, "x has 0 dims; 1 or more are expected");
    if ((to != ACL_FLOAT16 && to != ACL_BF16) ||
        !dtype_is_in(&dtypes_fp16_bf16, call->settings->product, (aclDataType)to))
        return refuse(call, "dstType is %" PRId64 "; 1 (FLOAT16) or 27 (BFLOAT16) is expected", to);
    *shape = shape_of(x);
    if (is_whole_words &&
        __builtin_mul_overflow(shape->dim[x->rank - 1], (int64_t)WORD, &shape->dim[x->rank - 1]))
        return refuse(call, "x has shape %s, of too many INT4", shape_text(TEXT, x));
    TRY(check_element_count(call, shape));
    *elements = (struct elements){.count = (uint64_t)x->count * (is_whole_words ? WORD : 1),
                                  .is_whole_words = is_whole_words,
                                  .is_squared = call->argument[ANTI_sqrtMode].boolean};
    TRY(find_dim(call, ANTI_scale, shape, &dim, &elements->factors));
    set_inner(elements, x, dim, is_whole_words ? WORD : 1);
    if (call_has(call, ANTI_offsetOptional)) {
        TRY(check_same_dtype(call, ANTI_offsetOptional, ANTI_scale, NULL));
        if (!dims_are_same(call->tensor[ANTI_offsetOptional].rank, call->tensor[ANTI_offsetOptional].shape,
                           scale->rank, scale->shape))
            return refuse(call, "offsetOptional has shape %s; that of scale, %s, is expected",
                          shape_text(TEXT, &call->tensor[ANTI_offsetOptional]), shape_text(TEXT, scale));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_anti(const struct call *call, struct result *result)
{
    struct elements elements;
    struct shape shape;
    TRY(read_anti(call, &elements, &shape));
    result->computed = (aclDataType)call->argument[ANTI_dstType].int64;
    result_sized(result, result->computed, DTYPE_EQUAL, shape.rank, shape.dim);
    return ACLNN_SUCCESS;
}

/* Elements of a piece, which begins with a whole word. */
static void read_numbers(const struct task *task, unsigned x, uint64_t first, uint64_t count, double *to)
{
    const struct elements *elements = task->parameters;
    int32_t word[PIECE / WORD];
    uint8_t code[PIECE];
    if (!elements->is_whole_words) {
        task_read(task, x, first, count, to);
        return;
    }
    task_get(task, x, first / WORD, count / WORD, word);
    numbers_unpack((const uint8_t *)word, count, code);
    for (uint64_t i = 0; i < count; i++)
        to[i] = code[i] > 7 ? code[i] - 16 : code[i];
}

static void anti_piece(const struct task *task, uint64_t number)
{
    const struct elements *elements = task->parameters;
    const uint64_t first = number * PIECE, count = piece_of(elements, number);
    double *x = task->room, *scale = x + PIECE, *offset = scale + PIECE;
    const bool has_offset = task_has(task, ANTI_offsetOptional);
    read_numbers(task, ANTI_x, first, count, x);
    for (uint64_t i = 0, some; i < count; i += some) {
        some = read_factors(task, ANTI_scale, first + i, count - i, scale);
        if (has_offset)
            read_factors(task, ANTI_offsetOptional, first + i, some, offset);
        for (uint64_t k = 0; k < some; k++) {
            const double value = (x[i + k] + (has_offset ? offset[k] : 0)) * scale[k];
            x[i + k] = elements->is_squared ? value * scale[k] : value;
        }
    }
    task_write(task, ANTI_y, first, count, x);
}

static aclnnStatus plan_anti(const struct call *call, const struct result *result)
{
    struct elements elements;
    struct shape shape;
    (void)result;
    TRY(read_anti(call, &elements, &shape));
    return plan_pieces(call, &elements, anti_piece);
}

/* x 2^(scale - 127), of MX blocks along a dim. */

static aclnnStatus read_anti_mx(const struct call *call, struct elements *elements)
{
    const struct tensor_view *x = &call->tensor[ANTI_MX_x], *scale = &call->tensor[ANTI_MX_mxscale];
    const int64_t to = call->argument[ANTI_MX_dstType].int64;
    int64_t size[OPERAND_RANK_MAX + 1];
    uint32_t dim;
    TRY(check_all_dtypes(call));
    if (x->rank < 1 || x->rank > OPERAND_RANK_MAX - 1)
        return refuse(call, "x has %u dims; 1 to %d are expected", x->rank, OPERAND_RANK_MAX - 1);
    TRY(check_dim(call, ANTI_MX_axis, call->argument[ANTI_MX_axis].int64, x->rank, &dim));
    if (to != ACL_FLOAT && to != ACL_FLOAT16 && to != ACL_BF16)
        return refuse(call, "dstType is %" PRId64 "; 0 (FLOAT), 1 (FLOAT16) or 27 (BFLOAT16) is expected",
                      to);
    memcpy(size, x->shape, x->rank * sizeof *size);
    size[x->rank] = 2;
    size[dim] = (int64_t)mx_pairs((uint64_t)size[dim]);
    if (!dims_are_same(scale->rank, scale->shape, x->rank + 1, size))
        return refuse(call, "mxscale has shape %s; %s is expected", shape_text(TEXT, scale),
                      dims_text(TEXT, x->rank + 1, size));
    *elements = (struct elements){
        .count = (uint64_t)x->count, .length = (uint64_t)x->shape[dim], .pairs = (uint64_t)size[dim]};
    set_inner(elements, x, dim, 1);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_anti_mx(const struct call *call, struct result *result)
{
    struct elements elements;
    TRY(read_anti_mx(call, &elements));
    result->computed = (aclDataType)call->argument[ANTI_MX_dstType].int64;
    result_sized(result, result->computed, DTYPE_EQUAL, call->tensor[ANTI_MX_x].rank,
                 call->tensor[ANTI_MX_x].shape);
    return ACLNN_SUCCESS;
}

static void anti_mx_piece(const struct task *task, uint64_t number)
{
    const struct elements *elements = task->parameters;
    const uint64_t first = number * PIECE, count = piece_of(elements, number);
    double *x = task->room, scale = 0;
    uint64_t known = UINT64_MAX;
    task_read(task, ANTI_MX_x, first, count, x);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t k = first + i, along = k / elements->inner % elements->length,
                       outer = k / elements->inner / elements->length,
                       at = ((outer * elements->pairs + along / MX_PAIR) * elements->inner +
                             k % elements->inner) *
                                2 +
                            along / MX_BLOCK % 2;
        if (at != known)
            scale = task_number(task, ANTI_MX_mxscale, at);
        known = at;
        x[i] *= scale;
    }
    task_write(task, ANTI_MX_y, first, count, x);
}

static aclnnStatus plan_anti_mx(const struct call *call, const struct result *result)
{
    struct elements elements;
    (void)result;
    TRY(read_anti_mx(call, &elements));
    return plan_pieces(call, &elements, anti_mx_piece);
}

/* What a number would be that had been quantised: q = rint(x / scale) + zero, and (q between the ends - zero) scale. */

static bool is_of_channels(const struct call *call)
{
    return call->function->parameter == FAKE_CHANNEL_parameters;
}

static aclnnStatus read_fake(const struct call *call, struct elements *elements)
{
    const struct tensor_view *self = &call->tensor[FAKE_TENSOR_self];
    const bool has_channels = is_of_channels(call);
    const int64_t least = call->argument[FAKE_TENSOR_quantMin].int64,
                  most = call->argument[FAKE_TENSOR_quantMax].int64;
    uint32_t dim = 0;
    TRY(check_all_dtypes(call));
    TRY(check_rank(call, FAKE_TENSOR_self));
    if (has_channels)
        TRY(check_dim(call, FAKE_CHANNEL_axis, call->argument[FAKE_CHANNEL_axis].int64, self->rank, &dim));
    const int64_t factors = has_channels && self->rank > 0 ? self->shape[dim] : 1;
    for (unsigned i = FAKE_TENSOR_scale; i <= FAKE_TENSOR_zeroPoint; i++)
        if (call->tensor[i].count != factors || call->tensor[i].rank > 1)
            return refuse(call, "%s has shape %s; %" PRId64 " elements in one dim are expected",
                          call_name(call, i), shape_text(TEXT, &call->tensor[i]), factors);
    if (least > most)
        return refuse(call, "quantMin is %" PRId64 " and quantMax %" PRId64 "; no more than that is expected",
                      least, most);
    *elements = (struct elements){.count = (uint64_t)self->count,
                                  .factors = (uint64_t)factors,
                                  .inner = 1,
                                  .least = least,
                                  .most = most,
                                  .is_enabled = has_channels ||
                                                !(call->argument[FAKE_TENSOR_fakeQuantEnabled].fp32 < 1)};
    if (has_channels)
        set_inner(elements, self, dim, 1);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_fake(const struct call *call, struct result *result)
{
    struct elements elements;
    TRY(read_fake(call, &elements));
    result_like(result, call, FAKE_TENSOR_self);
    result_sized(result, ACL_BOOL, DTYPE_EQUAL, call->tensor[FAKE_TENSOR_self].rank,
                 call->tensor[FAKE_TENSOR_self].shape);
    return ACLNN_SUCCESS;
}

static void fake_piece(const struct task *task, uint64_t number)
{
    const struct elements *elements = task->parameters;
    const uint64_t first = number * PIECE, count = piece_of(elements, number);
    double *x = task->room, *scale = x + PIECE, *zero = scale + PIECE;
    bool inside[PIECE];
    task_read(task, FAKE_TENSOR_self, first, count, x);
    for (uint64_t i = 0, some; i < count; i += some) {
        some = read_factors(task, FAKE_TENSOR_scale, first + i, count - i, scale);
        read_factors(task, FAKE_TENSOR_zeroPoint, first + i, some, zero);
        for (uint64_t k = 0; k < some; k++) {
            const double least = (double)elements->least, most = (double)elements->most,
                         q = __builtin_nearbyint(x[i + k] / scale[k]) + zero[k];
            inside[i + k] = !elements->is_enabled || (q >= least && q <= most);
            if (elements->is_enabled)
                x[i + k] = ((q < least ? least : q > most ? most : q) - zero[k]) * scale[k];
        }
    }
    task_write(task, FAKE_TENSOR_out, first, count, x);
    task_put(task, FAKE_TENSOR_mask, first, count, inside);
}

static aclnnStatus plan_fake(const struct call *call, const struct result *result)
{
    struct elements elements;
    (void)result;
    TRY(read_fake(call, &elements));
    return plan_pieces(call, &elements, fake_piece);
}

_Static_assert((int)FAKE_TENSOR_mask == (int)FAKE_CHANNEL_mask, "both have their places in common");

#define ELEMENTS .family = FAMILY_QUANTISE, .promise = &promise_exact, ROW_TASKS
FUNCTION_OF(aclnnAscendAntiQuant, ANTI, .stem = "ascend_anti_quant", ELEMENTS, .infer = infer_anti,
            .plan = plan_anti);
FUNCTION_OF(aclnnAntiMxQuant, ANTI_MX, .stem = "anti_mx_quant", ELEMENTS, .infer = infer_anti_mx,
            .plan = plan_anti_mx);
FUNCTION_OF(aclnnFakeQuantPerTensorAffineCachemask, FAKE_TENSOR,
            .stem = "fake_quant_per_tensor_affine_cachemask", ELEMENTS, .infer = infer_fake,
            .plan = plan_fake);
FUNCTION_OF(aclnnFakeQuantPerChannelAffineCachemask, FAKE_CHANNEL,
            .stem = "fake_quant_per_channel_affine_cachemask", ELEMENTS, .infer = infer_fake,
            .plan = plan_fake);
