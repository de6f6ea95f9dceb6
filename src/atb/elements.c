/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operations of elements, rows and matrices: rotary embedding, products that are added up, quantised numbers,
 * norms. Quantised is what x / scale rounds to, of two the even one, plus the offset, within the dtype.
 */
#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_apply_rotary_pos_emb_v2.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_quantize.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "atb/operation.h"

/* The offsets are the clients'. */
struct rope_param {
    int32_t coefficient, cosine_format;
    int64_t reserved;
};

struct linear_param {
    bool transposes_a, transposes_b, has_bias;
    int32_t out_dtype;
    bool accumulates;
    unsigned char more[23];
};

struct elewise_param {
    int32_t type;
    unsigned char more[60];
};

struct rms_norm_param {
    int32_t layer;
    int32_t padding;
    int32_t quant_type;
    float epsilon;
    unsigned char more[128];
};

static_assert(sizeof(struct rope_param) == 16 && sizeof(struct linear_param) == 32 &&
                  offsetof(struct linear_param, accumulates) == 8 && sizeof(struct elewise_param) == 64 &&
                  sizeof(struct rms_norm_param) == 144,
              "the layout is the clients'");

/* Scalars live until the calls are made. */
static int32_t add_whole(struct setup *setup, aclTensor *to, const aclTensor *what)
{
    int64_t one = 1; /* which fits any dtype */
    aclScalar *alpha = aclCreateScalar(&one, ACL_INT64);
    const aclnnStatus status = PLAN(setup, aclnnInplaceAdd, to, what, alpha);
    aclDestroyScalar(alpha);
    return add_step(setup, aclnnInplaceAdd, status);
}

/* The operand in FLOAT: itself, or a copy in the workspace. */
static int32_t widen(struct setup *setup, const struct operand *operand, aclTensor **tensor)
{
    aclTensor *given = make_tensor(setup, operand);
    *tensor = given;
    if (operand->dtype == ACL_FLOAT)
        return ATB_NO_ERROR;
    make_temporary(setup, ACL_FLOAT, operand->rank, operand->size, tensor);
    CALL(setup, aclnnCast, given, ACL_FLOAT, *tensor);
    return ATB_NO_ERROR;
}

/* What is changed in place is brought there first where the client has another place for it. */
static int32_t move(struct setup *setup, const struct operand *from, aclTensor *to,
                    const struct operand *to_where)
{
    if (from->data == to_where->data)
        return ATB_NO_ERROR;
    CALL(setup, aclnnInplaceCopy, to, make_tensor(setup, from));
    return ATB_NO_ERROR;
}

/* Heads of as many elements as a row of cosines has; the number of tokens is that of the rows. */
static int32_t set_up_rope(struct setup *setup, const void *bytes)
{
    enum { COS = 2, SIN = 3, LAYOUT_TND = 4 };
    static char halves[] = "half", neighbours[] = "interleave";
    const struct rope_param *param = (const struct rope_param *)bytes;
    aclTensor *turned[2], *tables[2];
    for (unsigned i = COS; i <= SIN; i++)
        TRY(expect_rank(setup, &setup->in[i], 2));
    const int64_t tokens = setup->in[COS].size[0], depth = setup->in[COS].size[1];
    const bool is_halves = param->coefficient == 2;
    if (!is_halves && param->coefficient != depth)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "rotaryCoeff is %d; 2 or the elements of a head are expected", param->coefficient);
    for (unsigned i = 0; i < 2; i++) {
        struct operand table = setup->in[COS + i], rows = setup->out[i];
        const int64_t elements = operand_count(&rows);
        const int64_t one_head[] = {tokens, 1, depth};
        const int64_t heads[] = {tokens, tokens * depth > 0 ? elements / (tokens * depth) : 1, depth};
        if (!operand_reshape(&table, 3, one_head) || !operand_reshape(&rows, 3, heads))
            return atb_refuse(
                setup, ATB_INVALID_TENSOR,
                "%s has %lld elements; whole heads of %lld for each of %lld tokens are expected", rows.name,
                (long long)elements, (long long)depth, (long long)tokens);
        if (operand_count(&setup->in[i]) != elements || setup->in[i].dtype != rows.dtype)
            return atb_refuse(setup, ATB_INVALID_TENSOR,
                              "%s is not as %s is; the same shape and dtype are expected", rows.name,
                              setup->in[i].name);
        tables[i] = make_tensor(setup, &table);
        turned[i] = make_tensor(setup, &rows);
        TRY(move(setup, &setup->in[i], make_tensor(setup, &setup->out[i]), &rows));
    }
    CALL(setup, aclnnApplyRotaryPosEmbV2, turned[0], turned[1], tables[0], tables[1], LAYOUT_TND,
         is_halves ? halves : neighbours);
    return ATB_NO_ERROR;
}

const struct kind kind_rope = {"Rope", sizeof(struct rope_param), 4, 5, 2, 2, 1 << 4, set_up_rope};

/* The matrix that a product takes. */
static int32_t take_matrix(struct setup *setup, const struct operand *operand, bool is_transposed,
                           aclTensor **tensor)
{
    TRY(expect_rank(setup, operand, 2));
    struct operand matrix = *operand;
    aclTensor *given = NULL;
    if (is_transposed) {
        matrix.size[0] = operand->size[1];
        matrix.size[1] = operand->size[0];
        matrix.stride[0] = operand->stride[1];
        matrix.stride[1] = operand->stride[0];
    }
    given = make_tensor(setup, &matrix);
    *tensor = given;
    if (operand->dtype == ACL_FLOAT)
        return ATB_NO_ERROR;
    make_temporary(setup, ACL_FLOAT, 2, matrix.size, tensor);
    CALL(setup, aclnnCast, given, ACL_FLOAT, *tensor);
    return ATB_NO_ERROR;
}

/* out += a b, in FLOAT, which has all products of numbers of 16 bits. */
static int32_t set_up_linear(struct setup *setup, const void *bytes)
{
    enum { A, B, SUM };
    const struct linear_param *param = (const struct linear_param *)bytes;
    aclTensor *a, *b, *sum = make_tensor(setup, &setup->out[0]);
    float one = 1;
    if (!param->accumulates || param->has_bias)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "enAccum is %d and hasBias %d; products that are added to a sum are expected",
                          param->accumulates, param->has_bias);
    if (setup->out[0].dtype != ACL_FLOAT)
        return atb_refuse(setup, ATB_INVALID_TENSOR, "the sum is not of FLOAT, which is expected");
    TRY(move(setup, &setup->in[SUM], sum, &setup->out[0]));
    TRY(take_matrix(setup, &setup->in[A], param->transposes_a, &a));
    TRY(take_matrix(setup, &setup->in[B], param->transposes_b, &b));
    aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
    const aclnnStatus status = PLAN(setup, aclnnInplaceAddmm, sum, a, b, scalar, scalar, 0);
    aclDestroyScalar(scalar);
    return add_step(setup, aclnnInplaceAddmm, status);
}

const struct kind kind_linear = {"Linear", sizeof(struct linear_param), 3, 3, 1, 1, 0, set_up_linear};

/* y = x / scale, rounded, + offset, within INT8; x is a tensor of this shape. */
static int32_t quantise(struct setup *setup, const aclTensor *x, unsigned rank, const int64_t *size,
                        const struct operand *scale, const struct operand *offset)
{
    aclTensor *whole, *wide_scale, *y = make_tensor(setup, &setup->out[0]);
    int64_t ends[] = {-128, 127};
    if (setup->out[0].dtype != ACL_INT8)
        return atb_refuse(setup, ATB_INVALID_TENSOR, "%s is not of INT8, which is expected",
                          setup->out[0].name);
    TRY(widen(setup, scale, &wide_scale));
    make_temporary(setup, ACL_INT32, rank, size, &whole);
    CALL(setup, aclnnQuantize, x, wide_scale, NULL, ACL_INT32, (int32_t)rank - 1, whole);
    if (offset->is_there && operand_count(offset) > 0)
        TRY(add_whole(setup, whole, make_tensor(setup, offset)));
    aclScalar *least = aclCreateScalar(&ends[0], ACL_INT64), *most = aclCreateScalar(&ends[1], ACL_INT64);
    const aclnnStatus status = PLAN(setup, aclnnClamp, whole, least, most, whole);
    aclDestroyScalar(least);
    aclDestroyScalar(most);
    TRY(add_step(setup, aclnnClamp, status));
    CALL(setup, aclnnCast, whole, ACL_INT8, y);
    return ATB_NO_ERROR;
}

static int32_t set_up_elewise(struct setup *setup, const void *bytes)
{
    enum { X, SCALE, OFFSET, QUANTISE_BY_CHANNEL = 17 };
    const struct elewise_param *param = (const struct elewise_param *)bytes;
    const struct operand *x = &setup->in[X];
    aclTensor *wide;
    if (param->type != QUANTISE_BY_CHANNEL)
        return atb_refuse(setup, ATB_INVALID_PARAM, "elewiseType is %d; 17 is expected", param->type);
    TRY(widen(setup, x, &wide));
    return quantise(setup, wide, x->rank, x->size, &setup->in[SCALE], &setup->in[OFFSET]);
}

const struct kind kind_elewise = {"Elewise",     sizeof(struct elewise_param), 2, 3, 1, 1, 1 << 2,
                                  set_up_elewise};

/* x / sqrt(mean(x * x) + epsilon) * gamma + beta, quantised; all in FLOAT. */
static int32_t set_up_rms_norm(struct setup *setup, const void *bytes)
{
    enum { X, GAMMA, BETA, SCALE, OFFSET, LAYER_NORM = 1, QUANT_INT8 = 2 };
    const struct rms_norm_param *param = (const struct rms_norm_param *)bytes;
    const struct operand *x = &setup->in[X];
    aclTensor *wide, *gamma, *beta, *y, *deviation;
    int64_t rows[ATB_RANK_MAX];
    if (param->layer != LAYER_NORM || param->quant_type != QUANT_INT8)
        return atb_refuse(setup, ATB_INVALID_PARAM,
                          "layerType is %d and quantType %d; 1 and 2, a norm in INT8, are expected",
                          param->layer, param->quant_type);
    memcpy(rows, x->size, sizeof rows);
    if (x->rank > 0)
        rows[x->rank - 1] = 1;
    TRY(widen(setup, x, &wide));
    TRY(widen(setup, &setup->in[GAMMA], &gamma));
    make_temporary(setup, ACL_FLOAT, x->rank, x->size, &y);
    make_temporary(setup, ACL_FLOAT, x->rank, rows, &deviation);
    CALL(setup, aclnnRmsNorm, wide, gamma, (double)param->epsilon, y, deviation);
    TRY(widen(setup, &setup->in[BETA], &beta));
    TRY(add_whole(setup, y, beta));
    return quantise(setup, y, x->rank, x->size, &setup->in[SCALE], &setup->in[OFFSET]);
}

const struct kind kind_rms_norm = {"RmsNorm",      sizeof(struct rms_norm_param), 5, 5, 1, 1, 1 << 4,
                                   set_up_rms_norm};
