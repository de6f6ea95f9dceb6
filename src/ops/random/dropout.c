/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dropout. A mask has a bit for each element, 1 to keep it, in row-major order from the lowest bit of each
 * byte on, up to a multiple of 128 bits: the bit is 1 where w + 1/2 < (1 - prob) 2^32 for the word w of its
 * number, evaluated exactly.
 */
#include "aclnnop/aclnn_dropout.h"

#include <inttypes.h>

#include "aclnnop/aclnn_dropout_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_dropout_v3.h"
#include "aclnnop/aclnn_dropout_v3_grad.h"
#include "ops/check.h"
#include "ops/random/source.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

enum { MASK_BITS = 128, MASK_BYTES = MASK_BITS / 8 };

struct mask_parameters {
    struct random_source source;
    uint64_t kept; /* words below it keep: 0 none, 2^32 all */
};

/*
 * w + 1/2 < (1 - prob) 2^32 is the opposite of w' + 1/2 <= prob 2^32 for w' = 2^32 - 1 - w: so as many words
 * drop as there are w', and those that keep are below 2^32 less that. The difference is exact.
 */
static uint64_t words_kept(double prob)
{
    const double limit = prob * 0x1p32;
    const uint64_t dropped = limit >= 0.5 ? (uint64_t)(limit - 0.5) + 1 : 0;
    return (UINT64_C(1) << 32) - dropped;
}

static void make_mask(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct mask_parameters *parameters = (const struct mask_parameters *)walk->parameters;
    uint32_t word[8 * NUMBERED_PIECE] __attribute__((uninitialized));
    uint8_t *byte = (uint8_t *)elements;
    random_words(walk, &parameters->source, 8 * at, 8 * count, word);
    for (uint64_t i = 0; i < count; i++) {
        unsigned bits = 0;
        for (unsigned k = 0; k < 8; k++)
            bits |= (unsigned)(word[8 * i + k] < parameters->kept) << k;
        byte[i] = (uint8_t)bits;
    }
}

static aclnnStatus check_probability(const struct call *call, unsigned parameter)
{
    const double prob = call->argument[parameter].fp64;
    return prob >= 0 && prob <= 1
               ? ACLNN_SUCCESS
               : refuse(call, "%s is %g; 0 to 1 are expected", call_name(call, parameter), prob);
}

/* A mask that is written, of any shape with the bytes that so many elements take. */
static void add_mask(struct result *result, uint64_t elements)
{
    struct output *output = result_add(result, ACL_UINT8, DTYPE_EQUAL);
    output->shape_rule = SHAPE_BY_COUNT;
    output->shape.rank = 1;
    output->shape.dim[0] = (int64_t)((elements + MASK_BITS - 1) / MASK_BITS * MASK_BYTES);
}

/* DropoutGenMask and its kin. */
#define SHAPE_AND_PROB(X, of) X(of, INTS, shape, .sample = "2,3") X(of, DOUBLE, prob, .usual = "0.5")
#define GEN_MASK(X, of)   \
    SHAPE_AND_PROB(X, of) \
    SEED_NUMBERS(X, of)   \
    X(of, OUT, out, &dtypes_uint8)
SIGNATURE(GEN_MASK)
#define GEN_MASK_V2(X, of)                             \
    SHAPE_AND_PROB(X, of)                              \
    SEED_NUMBERS(X, of)                                \
    X(of, DTYPE, probDataType, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, out, &dtypes_uint8)
SIGNATURE(GEN_MASK_V2)
#define GEN_MASK_V2_TENSOR(X, of)                      \
    SHAPE_AND_PROB(X, of)                              \
    SEED_TENSORS(X, of)                                \
    X(of, DTYPE, probDataType, &dtypes_fp32_fp16_bf16) \
    X(of, OUT, out, &dtypes_uint8)
SIGNATURE(GEN_MASK_V2_TENSOR)

static aclnnStatus infer_gen_mask(const struct call *call, struct result *result)
{
    const struct call_values *shape = &call->values[GEN_MASK_shape];
    const unsigned count = call->function->parameter_count;
    uint64_t elements = 1;
    bool is_too_large = false, is_empty = false;
    TRY(random_check_source(call, GEN_MASK_seed));
    for (unsigned i = 0; i < count; i++)
        if (call->function->parameter[i].kind == PARAMETER_DTYPE)
            TRY(check_dtype(call, i));
    for (uint64_t i = 0; i < shape->count; i++) {
        const int64_t size = shape->value.int64[i];
        if (size < 0)
            return refuse(call, "shape has a size of %" PRId64 "; 0 or more is expected", size);
        is_empty = is_empty || size == 0;
        is_too_large = __builtin_mul_overflow(elements, (uint64_t)size, &elements) || is_too_large;
    }
    if (!is_empty && (is_too_large || elements > INT64_MAX))
        return refuse(call, "shape has more than 2^63 - 1 elements; that many at most");
    TRY(check_probability(call, GEN_MASK_prob));
    result->computed = ACL_UINT8;
    add_mask(result, is_empty ? 0 : elements);
    return ACLNN_SUCCESS;
}

static struct numbered_request mask_request(const struct call *call, unsigned mask, unsigned seed,
                                            double prob, struct mask_parameters *parameters)
{
    struct numbered_request request = numbered_request(call, mask, make_mask, ACL_UINT8);
    *parameters = (struct mask_parameters){.kept = words_kept(prob)};
    parameters->source = random_source_of(call, seed, &request);
    request.element_ps = 8000;
    request.parameters = parameters;
    request.parameter_bytes = sizeof *parameters;
    return request;
}

static aclnnStatus plan_gen_mask(const struct call *call, const struct result *result)
{
    struct mask_parameters parameters;
    (void)result;
    struct numbered_request request =
        mask_request(call, call_output(call), GEN_MASK_seed, call->argument[GEN_MASK_prob].fp64, &parameters);
    return numbered_plan(call, &request, 1);
}

#define AS_DROPOUT  .family = FAMILY_RANDOM, .promise = &promise_exact, NUMBERED
#define AS_GEN_MASK .stem = "dropout_gen_mask", AS_DROPOUT, .infer = infer_gen_mask, .plan = plan_gen_mask

FUNCTION_OF(aclnnDropoutGenMask, GEN_MASK, AS_GEN_MASK);
FUNCTION_OF(aclnnDropoutGenMaskV2, GEN_MASK_V2, AS_GEN_MASK);
FUNCTION_OF(aclnnDropoutGenMaskV2Tensor, GEN_MASK_V2_TENSOR, AS_GEN_MASK);

/*
 * What is done by a mask: elements in DOUBLE that lose nothing, since a float times a float is exact there;
 * so that one rounding to self's dtype is left, and the cast from there to out's.
 */
enum keeping { KEEP_ALL, KEEP_NONE, KEEP_BY_MASK, KEEP_BY_DRAW };

struct apply_parameters {
    struct mask_parameters drawn; /* of KEEP_BY_DRAW */
    enum keeping keeping;
    bool is_product;      /* what is dropped is multiplied by 0 */
    bool has_probability; /* the number is one, otherwise the scale */
    double number;
    aclDataType dtype, result;
};

enum { VALUES, BITS };

/* Whether each element of a piece is kept: a byte of 1 or 0. */
static void read_bits(const struct numbered_walk *walk, uint64_t at, uint64_t count, uint8_t *bit)
{
    const struct apply_parameters *parameters = (const struct apply_parameters *)walk->parameters;
    uint8_t byte[NUMBERED_PIECE / 8] __attribute__((uninitialized));
    uint32_t word[NUMBERED_PIECE] __attribute__((uninitialized));
    switch (parameters->keeping) {
    case KEEP_ALL:
    case KEEP_NONE:
        memset(bit, parameters->keeping == KEEP_ALL, (size_t)count);
        break;
    case KEEP_BY_MASK:
        numbered_read(walk, BITS, at / 8, (count + 7) / 8, byte);
        for (uint64_t i = 0; i < count; i++)
            bit[i] = byte[i / 8] >> i % 8 & 1;
        break;
    case KEEP_BY_DRAW:
        random_words(walk, &parameters->drawn.source, at, count, word);
        for (uint64_t i = 0; i < count; i++)
            bit[i] = word[i] < parameters->drawn.kept;
        break;
    }
}

/* Rounded to FLOAT: here, since phase 1 runs in the caller's rounding mode. */
static double scale_of(const struct apply_parameters *parameters)
{
    double number = parameters->number;
    if (parameters->has_probability)
        number = number == 1 ? 1 : 1 / (1 - number);
    return (double)(float)number;
}

static void make_applied(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct apply_parameters *parameters = (const struct apply_parameters *)walk->parameters;
    double value[NUMBERED_PIECE] __attribute__((uninitialized));
    _Alignas(64) uint8_t rounded[NUMBERED_PIECE * sizeof(float)] __attribute__((uninitialized));
    uint8_t bit[NUMBERED_PIECE] __attribute__((uninitialized));
    const double scale = scale_of(parameters);
    read_bits(walk, at, count, bit);
    numbered_read_as(walk, VALUES, at, count, ACL_DOUBLE, value);
    for (uint64_t i = 0; i < count; i++)
        value[i] = parameters->is_product ? value[i] * bit[i] * scale : bit[i] != 0 ? value[i] * scale : 0;
    bool is_cast = parameters->dtype != parameters->result;
    walk->transfer->convert(value, ACL_DOUBLE, is_cast ? rounded : elements, parameters->dtype,
                            (size_t)count);
    if (is_cast)
        walk->transfer->convert(rounded, parameters->dtype, elements, parameters->result, (size_t)count);
}

/* Elements as they are, and as they are cast. */
static void make_copied(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    numbered_read(walk, VALUES, at, count, elements);
}

static struct numbered_request apply_request(const struct call *call, unsigned self, unsigned out,
                                             struct apply_parameters *parameters)
{
    bool is_copied = parameters->keeping == KEEP_ALL; /* by 1 */
    parameters->dtype = call->tensor[self].dtype;
    parameters->result = call->tensor[out].dtype;
    struct numbered_request request = numbered_request(call, out, is_copied ? make_copied : make_applied,
                                                       is_copied ? parameters->dtype : parameters->result);
    numbered_add_input(&request, call, self, true);
    request.element_ps = 2000;
    request.parameters = parameters;
    request.parameter_bytes = sizeof *parameters;
    return request;
}

static aclnnStatus tell_mask(const struct call *call, unsigned mask, int64_t bytes, bool may_be_longer)
{
    return refuse(call, "%s has %" PRId64 " elements; %" PRId64 "%s are expected", call_name(call, mask),
                  call->tensor[mask].count, bytes, may_be_longer ? " or more" : "");
}

/* A mask that is read: the bytes of self's elements, or more. */
static aclnnStatus check_mask(const struct call *call, unsigned self, unsigned mask, bool may_be_longer)
{
    const int64_t bytes = (call->tensor[self].count + MASK_BITS - 1) / MASK_BITS * MASK_BYTES;
    const int64_t found = call->tensor[mask].count;
    return found == bytes || (may_be_longer && found > bytes) ? ACLNN_SUCCESS
                                                              : tell_mask(call, mask, bytes, may_be_longer);
}

/* The places of self, mask and the number are alike in the three. */
#define DROPOUT_DO_MASK(X, of)                           \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)              \
    X(of, IN, mask, &dtypes_uint8, .sample = "16:UINT8") \
    X(of, DOUBLE, prob, .usual = "0.5")                  \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(DROPOUT_DO_MASK)

static aclnnStatus infer_masked(const struct call *call, struct result *result, bool is_do_mask)
{
    TRY(check_dtype(call, DROPOUT_DO_MASK_self));
    TRY(check_dtype(call, DROPOUT_DO_MASK_mask));
    TRY(check_rank(call, DROPOUT_DO_MASK_self));
    TRY(check_rank(call, DROPOUT_DO_MASK_mask));
    result->computed = call->tensor[DROPOUT_DO_MASK_self].dtype;
    struct output *output = result_add(result, result->computed, is_do_mask ? DTYPE_CASTABLE : DTYPE_EQUAL);
    output->like = DROPOUT_DO_MASK_self;
    bool is_nothing = is_do_mask && (call->tensor[DROPOUT_DO_MASK_self].count == 0 ||
                                     call->tensor[DROPOUT_DO_MASK_mask].count == 0);
    if (is_nothing) /* nothing is done, and nothing else asked */
        return ACLNN_SUCCESS;
    return check_mask(call, DROPOUT_DO_MASK_self, DROPOUT_DO_MASK_mask, is_do_mask);
}

static aclnnStatus infer_do_mask(const struct call *call, struct result *result)
{
    TRY(infer_masked(call, result, true));
    return check_probability(call, DROPOUT_DO_MASK_prob);
}

static aclnnStatus plan_do_mask(const struct call *call, const struct result *result)
{
    const double prob = call->argument[DROPOUT_DO_MASK_prob].fp64;
    struct apply_parameters parameters = {.keeping = prob == 0   ? KEEP_ALL
                                                     : prob == 1 ? KEEP_NONE
                                                                 : KEEP_BY_MASK,
                                          .has_probability = true,
                                          .number = prob};
    (void)result;
    if (call->tensor[DROPOUT_DO_MASK_mask].count == 0)
        return call_idle(call);
    struct numbered_request request =
        apply_request(call, DROPOUT_DO_MASK_self, DROPOUT_DO_MASK_out, &parameters);
    if (parameters.keeping == KEEP_BY_MASK)
        numbered_add_input(&request, call, DROPOUT_DO_MASK_mask, false);
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnDropoutDoMask, DROPOUT_DO_MASK, .stem = "dropout_do_mask", AS_DROPOUT,
            .infer = infer_do_mask, .plan = plan_do_mask);

static aclnnStatus infer_backward(const struct call *call, struct result *result)
{
    const double scale = call->argument[DROPOUT_DO_MASK_prob].fp64;
    TRY(infer_masked(call, result, false));
    return scale == 0 || scale >= 1 ? ACLNN_SUCCESS
                                    : refuse(call, "scale is %g; 0, 1 or more is expected", scale);
}

static aclnnStatus plan_backward(const struct call *call, const struct result *result)
{
    const double scale = call->argument[DROPOUT_DO_MASK_prob].fp64;
    struct apply_parameters parameters = {.keeping = scale == 1   ? KEEP_ALL
                                                     : scale == 0 ? KEEP_NONE
                                                                  : KEEP_BY_MASK,
                                          .number = scale};
    (void)result;
    struct numbered_request request =
        apply_request(call, DROPOUT_DO_MASK_self, DROPOUT_DO_MASK_out, &parameters);
    if (parameters.keeping == KEEP_BY_MASK)
        numbered_add_input(&request, call, DROPOUT_DO_MASK_mask, false);
    return numbered_plan(call, &request, 1);
}

#define DROPOUT_BACKWARD(X, of)                          \
    X(of, IN, gradOutput, &dtypes_fp32_fp16_bf16)        \
    X(of, IN, mask, &dtypes_uint8, .sample = "16:UINT8") \
    X(of, DOUBLE, scale, .usual = "2")                   \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)
SIGNATURE(DROPOUT_BACKWARD)

FUNCTION_OF(aclnnDropoutBackward, DROPOUT_BACKWARD, .stem = "dropout_backward", AS_DROPOUT,
            .infer = infer_backward, .plan = plan_backward);

static aclnnStatus infer_v3_grad(const struct call *call, struct result *result)
{
    return infer_masked(call, result, false);
}

static aclnnStatus plan_v3_grad(const struct call *call, const struct result *result)
{
    struct apply_parameters parameters = {
        .keeping = KEEP_BY_MASK, .is_product = true, .number = call->argument[DROPOUT_DO_MASK_prob].fp64};
    (void)result;
    struct numbered_request request =
        apply_request(call, DROPOUT_DO_MASK_self, DROPOUT_DO_MASK_out, &parameters);
    numbered_add_input(&request, call, DROPOUT_DO_MASK_mask, false);
    return numbered_plan(call, &request, 1);
}

#define DROPOUT_V3_GRAD(X, of)                           \
    X(of, IN, gradY, &dtypes_fp32_fp16_bf16)             \
    X(of, IN, mask, &dtypes_uint8, .sample = "16:UINT8") \
    X(of, DOUBLE, scale, .usual = "2")                   \
    X(of, OUT, gradX, &dtypes_fp32_fp16_bf16)
SIGNATURE(DROPOUT_V3_GRAD)

FUNCTION_OF(aclnnDropoutV3Grad, DROPOUT_V3_GRAD, .stem = "dropout_v3_grad", AS_DROPOUT,
            .infer = infer_v3_grad, .plan = plan_v3_grad);

/* Dropout and DropoutV3: the element in hand is kept by the draw that the mask is made of, too. What is
 * written comes behind the seed, of two parameters or, with tensors, three. */
#define DROPOUT(X, of)                       \
    X(of, IN, input, &dtypes_fp32_fp16_bf16) \
    X(of, DOUBLE, p, .usual = "0.5")         \
    X(of, BOOL, train, .usual = "true")      \
    SEED_NUMBERS(X, of)                      \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)  \
    X(of, OUT, maskOut, &dtypes_uint8)
SIGNATURE(DROPOUT)
#define DROPOUT_V3(X, of)                                                         \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                      \
    X(of, IN, optionalNoiseShape, &dtypes_all, .is_optional = true, .sample = "") \
    X(of, DOUBLE, p, .usual = "0.5")                                              \
    SEED_NUMBERS(X, of)                                                           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                       \
    X(of, OUT, maskOut, &dtypes_uint8)
SIGNATURE(DROPOUT_V3)
#define DROPOUT_V3_TENSOR(X, of)                                                  \
    X(of, IN, input, &dtypes_fp32_fp16_bf16)                                      \
    X(of, IN, optionalNoiseShape, &dtypes_all, .is_optional = true, .sample = "") \
    X(of, DOUBLE, p, .usual = "0.5")                                              \
    SEED_TENSORS(X, of)                                                           \
    X(of, OUT, out, &dtypes_fp32_fp16_bf16)                                       \
    X(of, OUT, maskOut, &dtypes_uint8)
SIGNATURE(DROPOUT_V3_TENSOR)

/* train is second in Dropout's own order, behind p; optionalNoiseShape before it in DropoutV3's. */
static double probability_of(const struct call *call)
{
    bool is_v3 = call->function->parameter[DROPOUT_V3_optionalNoiseShape].kind == PARAMETER_TENSOR;
    bool is_off = !is_v3 && !call->argument[DROPOUT_train].boolean;
    return is_off ? 0 : call->argument[is_v3 ? DROPOUT_V3_p : DROPOUT_p].fp64;
}

static aclnnStatus infer_whole(const struct call *call, struct result *result)
{
    bool is_v3 = call->function->parameter[DROPOUT_V3_optionalNoiseShape].kind == PARAMETER_TENSOR;
    TRY(check_dtype(call, DROPOUT_input));
    TRY(check_rank(call, DROPOUT_input));
    if (is_v3 && call_has(call, DROPOUT_V3_optionalNoiseShape))
        return refuse(call, "optionalNoiseShape is a tensor; NULL is expected");
    TRY(random_check_source(call, DROPOUT_seed));
    TRY(check_probability(call, is_v3 ? DROPOUT_V3_p : DROPOUT_p));
    result_like(result, call, DROPOUT_input);
    add_mask(result, (uint64_t)call->tensor[DROPOUT_input].count);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_whole(const struct call *call, const struct result *result)
{
    const double prob = probability_of(call);
    struct apply_parameters parameters = {.keeping = prob == 0   ? KEEP_ALL
                                                     : prob == 1 ? KEEP_NONE
                                                                 : KEEP_BY_DRAW,
                                          .has_probability = true,
                                          .number = prob};
    struct mask_parameters mask;
    struct numbered_request request[2];
    (void)result;
    request[1] = mask_request(call, call_written(call, 1), DROPOUT_seed, prob, &mask);
    request[0] = apply_request(call, DROPOUT_input, call_written(call, 0), &parameters);
    parameters.drawn = mask;
    parameters.drawn.source = random_source_of(call, DROPOUT_seed, &request[0]);
    return numbered_plan(call, request, parameters.keeping == KEEP_BY_DRAW ? 2 : 1);
}

#define WHOLE AS_DROPOUT, .infer = infer_whole, .plan = plan_whole

FUNCTION_OF(aclnnDropout, DROPOUT, .stem = "dropout", WHOLE);
FUNCTION_OF(aclnnDropoutV3, DROPOUT_V3, .stem = "dropout_v3", WHOLE);
FUNCTION_OF(aclnnDropoutV3Tensor, DROPOUT_V3_TENSOR, .stem = "dropout_v3", WHOLE);
