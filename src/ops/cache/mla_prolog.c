/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes before latent attention, in one step: queries from tokens by two products, taken into the space of
 * what caches keep by a third; what caches keep of the tokens; both parts turned. Arguments and their checks.
 */
#include "ops/cache/mla_prolog.h"

#include "aclnnop/aclnn_mla_prolog_v2_weight_nz.h"
#include "aclnnop/aclnn_mla_prolog_v3_weight_nz.h"

#include <inttypes.h>

#include "ops/sizes.h"

#define NUMBERS(X, of, name, sample_) X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_)
#define WEIGHTS(X, of, name, sample_) X(of, IN, name, &dtypes_fp16_bf16_int8, .sample = sample_)
#define SCALES(X, of, name)           X(of, IN, name, &dtypes_fp32, .is_optional = true, .sample = "")
#define INPUTS(X, of)                            \
    WEIGHTS(X, of, tokenX, "3x4:FLOAT16")        \
    WEIGHTS(X, of, weightDq, "4x5:FLOAT16")      \
    WEIGHTS(X, of, weightUqQr, "5x12:FLOAT16")   \
    NUMBERS(X, of, weightUk, "2x4x3:FLOAT16")    \
    WEIGHTS(X, of, weightDkvKr, "4x5:FLOAT16")   \
    NUMBERS(X, of, rmsnormGammaCq, "5:FLOAT16")  \
    NUMBERS(X, of, rmsnormGammaCkv, "3:FLOAT16") \
    NUMBERS(X, of, ropeSin, "3x2:FLOAT16")       \
    NUMBERS(X, of, ropeCos, "3x2:FLOAT16")
#define CACHES(X, of)                                                            \
    X(of, BOTH, kvCacheRef, &dtypes_fp16_bf16_int8, .sample = "2x2x1x3:FLOAT16") \
    X(of, BOTH, krCacheRef, &dtypes_fp16_bf16_int8, .sample = "2x2x1x2:FLOAT16")
#define ALL_SCALES(X, of)                     \
    SCALES(X, of, dequantScaleXOptional)      \
    SCALES(X, of, dequantScaleWDqOptional)    \
    SCALES(X, of, dequantScaleWUqQrOptional)  \
    SCALES(X, of, dequantScaleWDkvKrOptional) \
    SCALES(X, of, quantScaleCkvOptional)      \
    SCALES(X, of, quantScaleCkrOptional)      \
    SCALES(X, of, smoothScalesCqOptional)
#define EPSILONS(X, of)                                \
    X(of, DOUBLE, rmsnormEpsilonCq, .usual = "1e-05")  \
    X(of, DOUBLE, rmsnormEpsilonCkv, .usual = "1e-05") \
    X(of, TEXT, cacheModeOptional, .is_optional = true, .usual = "PA_BSND")
#define QUERIES(X, of)                                 \
    X(of, CONST_OUT, queryOut, &dtypes_fp16_bf16_int8) \
    X(of, CONST_OUT, queryRopeOut, &dtypes_fp16_bf16)  \
    X(of, CONST_OUT, dequantScaleQNopeOutOptional, &dtypes_fp32, .is_optional = true, .sample = "")
#define MLA_V2(X, of)                                         \
    INPUTS(X, of)                                             \
    X(of, IN, cacheIndex, &dtypes_int64, .sample = "3:INT64") \
    CACHES(X, of)                                             \
    ALL_SCALES(X, of)                                         \
    EPSILONS(X, of)                                           \
    QUERIES(X, of)
#define MLA_V3(X, of)                                                                      \
    INPUTS(X, of)                                                                          \
    CACHES(X, of)                                                                          \
    X(of, IN, cacheIndexOptional, &dtypes_int64, .is_optional = true, .sample = "3:INT64") \
    ALL_SCALES(X, of)                                                                      \
    X(of, IN, actualSeqLenOptional, &dtypes_int32, .is_optional = true, .sample = "")      \
    X(of, IN, kNopeClipAlphaOptional, &dtypes_fp32, .is_optional = true, .sample = "")     \
    EPSILONS(X, of)                                                                        \
    X(of, INT64, weightQuantMode, .usual = "0")                                            \
    X(of, INT64, kvCacheQuantMode, .usual = "0")                                           \
    X(of, INT64, queryQuantMode, .usual = "0")                                             \
    X(of, INT64, ckvkrRepoMode, .usual = "0")                                              \
    X(of, INT64, quantScaleRepoMode, .usual = "0")                                         \
    X(of, INT64, tileSize, .usual = "128")                                                 \
    X(of, DOUBLE, qcQrScale, .usual = "1")                                                 \
    X(of, DOUBLE, kcScale, .usual = "1")                                                   \
    QUERIES(X, of)                                                                         \
    X(of, CONST_OUT, queryNormOutOptional, &dtypes_fp16_bf16_int8, .is_optional = true)    \
    X(of, CONST_OUT, dequantScaleQNormOutOptional, &dtypes_fp32, .is_optional = true, .sample = "")
SIGNATURE(MLA_V2)
SIGNATURE(MLA_V3)
_Static_assert((int)MLA_V2_dequantScaleXOptional == (int)MLA_TOKEN_SCALE &&
                   (int)MLA_V3_dequantScaleXOptional == (int)MLA_TOKEN_SCALE &&
                   (int)MLA_V3_actualSeqLenOptional == (int)MLA_LENGTHS,
               "places that both versions have in common");

static bool is_v3(const struct call *call)
{
    return call->function->parameter_count == MLA_V3_dequantScaleQNormOutOptional + 1;
}

static aclnnStatus check_dims(const struct call *call, unsigned parameter, uint32_t rank, const uint64_t *dim)
{
    const struct tensor_view *view = &call->tensor[parameter];
    bool fits = view->rank == rank;
    int64_t wanted[3] = {0};
    for (uint32_t i = 0; i < rank; i++) {
        wanted[i] = (int64_t)dim[i];
        fits = fits && view->shape[i] == wanted[i];
    }
    return fits ? ACLNN_SUCCESS
                : refuse(call, "%s has shape %s; %s is expected", call_name(call, parameter),
                         shape_text(TEXT, view), dims_text(TEXT, rank, wanted));
}

static aclnnStatus check_count(const struct call *call, unsigned parameter, bool is_needed, uint64_t count)
{
    if (is_needed == call_has_elements(call, parameter) &&
        (!is_needed || (uint64_t)call->tensor[parameter].count == count))
        return ACLNN_SUCCESS;
    return is_needed
               ? refuse(call, "%s has shape %s; %" PRIu64 " numbers are expected", call_name(call, parameter),
                        call_has(call, parameter) ? shape_text(TEXT, &call->tensor[parameter]) : "none",
                        count)
               : refuse(call, "%s was given; none is expected of these dtypes and modes",
                        call_name(call, parameter));
}

/* What V3 is told V2 finds in dtypes: caches in INT8 have a scale for each element, or one for all where
 * tokens are INT8, too. */
static aclnnStatus read_modes(const struct call *call, struct mla *mla)
{
    const bool is_int8[] = {call_dtype(call, MLA_TOKENS) == ACL_INT8, call_dtype(call, MLA_UP) == ACL_INT8};
    mla->weights = is_int8[0] ? MLA_ALL_QUANTISED : is_int8[1] ? MLA_UP_QUANTISED : MLA_PLAIN;
    mla->caches = call_dtype(call, mla->cache[0]) != ACL_INT8   ? MLA_PLAIN_CACHES
                  : call_dtype(call, mla->cache[1]) != ACL_INT8 ? MLA_CACHE_BY_ONE
                                                                : MLA_CACHES_BY_ELEMENT;
    mla->query_scale = mla->kept_scale = 1;
    if (!is_v3(call))
        return ACLNN_SUCCESS;
    const union argument *mode = &call->argument[MLA_V3_weightQuantMode];
    mla->query_scale = call->argument[MLA_V3_qcQrScale].fp64;
    mla->kept_scale = call->argument[MLA_V3_kcScale].fp64;
    const int64_t expected[] = {mla->weights, mla->caches, mla->caches == MLA_CACHE_BY_ONE, 0, 0};
    for (unsigned i = 0; i < 5; i++)
        if (mode[i].int64 != expected[i])
            return refuse(call, "%s is %" PRId64 "; %" PRId64 " is expected of these dtypes",
                          call_name(call, MLA_V3_weightQuantMode + i), mode[i].int64, expected[i]);
    return call_has_elements(call, MLA_CLIP)
               ? refuse(call, "kNopeClipAlphaOptional was given; NULL is expected")
               : ACLNN_SUCCESS;
}

static aclnnStatus check_dtypes(const struct call *call, struct mla *mla)
{
    for (unsigned i = 0; i < mla->outputs; i++)
        if (parameter_is_tensor(&call->function->parameter[i]) && call_has(call, i))
            TRY(check_dtype(call, i));
    TRY(read_modes(call, mla));
    mla->dtype = call_dtype(call, MLA_SINE);
    for (unsigned i = 0; i <= MLA_COSINE; i++) {
        const bool is_int8 = i == MLA_UP ? mla->weights != MLA_PLAIN
                                         : mla->weights == MLA_ALL_QUANTISED &&
                                               (i == MLA_TOKENS || i == MLA_DOWN || i == MLA_KEPT);
        const aclDataType wanted = is_int8 ? ACL_INT8 : mla->dtype;
        if (call_dtype(call, i) != wanted)
            return refuse(call, "%s has dtype %s; %s is expected", call_name(call, i),
                          dtype_name(call_dtype(call, i)), dtype_name(wanted));
    }
    for (unsigned i = 0; i < 2; i++)
        if (call_dtype(call, mla->cache[i]) != ACL_INT8)
            TRY(check_same_dtype(call, mla->cache[i], MLA_SINE, NULL));
    return call_dtype(call, mla->cache[1]) == ACL_INT8 && mla->caches == MLA_PLAIN_CACHES
               ? refuse(call, "krCacheRef is INT8 and kvCacheRef is not; both or the latter are expected")
               : ACLNN_SUCCESS;
}

static aclnnStatus check_shapes(const struct call *call, struct mla *mla)
{
    const struct tensor_view *token = &call->tensor[MLA_TOKENS], *keys = &call->tensor[MLA_KEYS],
                             *down = &call->tensor[MLA_DOWN];
    if (token->rank != 2 && token->rank != 3)
        return refuse(call, "tokenX has shape %s; tokens, or batches and tokens, of elements are expected",
                      shape_text(TEXT, token));
    if (keys->rank != 3 || down->rank != 2 || keys->shape[0] < 1 || keys->shape[2] < 1 || down->shape[1] < 1)
        return refuse(call,
                      "weightUk has shape %s and weightDq %s; ranks 3 and 2 of some elements are expected",
                      shape_text(TEXT, keys), shape_text(TEXT, down));
    const struct tensor_view *sine = &call->tensor[MLA_SINE];
    const uint32_t last = token->rank - 1;
    mla->is_packed = token->rank == 2;
    mla->batch_tokens = (uint64_t)token->shape[last - 1];
    mla->tokens = mla->batch_tokens * (mla->is_packed ? 1 : (uint64_t)token->shape[0]);
    mla->width = (uint64_t)token->shape[last];
    mla->latent = (uint64_t)down->shape[1];
    mla->heads = (uint64_t)keys->shape[0];
    mla->depth = (uint64_t)keys->shape[1];
    mla->kept = (uint64_t)keys->shape[2];
    mla->turned = sine->rank > 0 ? (uint64_t)sine->shape[sine->rank - 1] : 0;
    if (mla->turned % 2 != 0 || mla->turned == 0)
        return refuse(call, "ropeSin has shape %s; an even number of elements is expected",
                      shape_text(TEXT, sine));
    const uint64_t angle[] = {mla->is_packed ? mla->tokens : (uint64_t)token->shape[0],
                              mla->is_packed ? mla->turned : mla->batch_tokens, mla->turned};
    TRY(check_dims(call, MLA_DOWN, 2, (const uint64_t[]){mla->width, mla->latent}));
    TRY(check_dims(call, MLA_UP, 2,
                   (const uint64_t[]){mla->latent, mla->heads * (mla->depth + mla->turned)}));
    TRY(check_dims(call, MLA_KEPT, 2, (const uint64_t[]){mla->width, mla->kept + mla->turned}));
    TRY(check_dims(call, MLA_GAMMA, 1, &mla->latent));
    TRY(check_dims(call, MLA_KEPT_GAMMA, 1, &mla->kept));
    TRY(check_dims(call, MLA_SINE, token->rank, angle));
    return check_dims(call, MLA_COSINE, token->rank, angle);
}

static aclnnStatus check_scales(const struct call *call, const struct mla *mla)
{
    const bool all = mla->weights == MLA_ALL_QUANTISED, up = mla->weights != MLA_PLAIN;
    TRY(check_count(call, MLA_TOKEN_SCALE, all && mla->tokens > 0, mla->tokens));
    TRY(check_count(call, MLA_DOWN_SCALE, all, mla->latent));
    TRY(check_count(call, MLA_UP_SCALE, up, mla->heads * (mla->depth + mla->turned)));
    TRY(check_count(call, MLA_KEPT_SCALE, all, mla->kept + mla->turned));
    TRY(check_count(call, MLA_CACHE_SCALE, mla->caches != MLA_PLAIN_CACHES,
                    mla->caches == MLA_CACHE_BY_ONE ? 1 : mla->kept));
    TRY(check_count(call, MLA_TURNED_CACHE_SCALE, mla->caches == MLA_CACHES_BY_ELEMENT, mla->turned));
    return check_count(call, MLA_SMOOTH, up && call_has_elements(call, MLA_SMOOTH), mla->latent);
}

static aclnnStatus read_caches(const struct call *call, struct mla *mla)
{
    enum { PAGES, PAGES_IN_TILES, BLOCKS, BLOCKS_IN_TILES, BATCHES, PACKED };
    static const char *const modes[] = {"PA_BSND", "PA_NZ", "PA_BLK_BSND", "PA_BLK_NZ", "BSND", "TND", NULL};
    const unsigned place = is_v3(call) ? MLA_V3_cacheModeOptional : MLA_V2_cacheModeOptional;
    const struct tensor_view *index = &call->tensor[mla->index];
    unsigned mode;
    TRY(slots_mode(call, place, modes, &mode));
    for (unsigned i = 0; i < 2; i++)
        TRY(slots_of(call, mla->cache[i], (int64_t)(i == 0 ? mla->kept : mla->turned),
                     mode == PAGES_IN_TILES || mode == BLOCKS_IN_TILES, &mla->slots[i]));
    if (mla->slots[0].blocks != mla->slots[1].blocks || mla->slots[0].rows != mla->slots[1].rows)
        return refuse(call, "krCacheRef has shape %s; the slots of kvCacheRef are expected",
                      shape_text(TEXT, &call->tensor[mla->cache[1]]));
    mla->has_index = mode < BATCHES;
    mla->by_blocks = mode == BLOCKS || mode == BLOCKS_IN_TILES;
    mla->has_norm = is_v3(call);
    mla->has_lengths = is_v3(call) && call_has_elements(call, MLA_LENGTHS);
    mla->sequences = mla->has_lengths ? (uint64_t)call->tensor[MLA_LENGTHS].count : 0;
    if (!mla->has_index)
        return slots_count(&mla->slots[0]) >= mla->tokens
                   ? ACLNN_SUCCESS
                   : refuse(call, "kvCacheRef has shape %s; a row for each of %" PRIu64 " tokens is expected",
                            shape_text(TEXT, &call->tensor[mla->cache[0]]), mla->tokens);
    if (!call_has(call, mla->index))
        return refuse(call, "%s was not given; slots of all tokens are expected with this cacheMode",
                      call_name(call, mla->index));
    mla->block_numbers = (uint64_t)index->count;
    if (mla->by_blocks && mla->slots[0].rows > 0 && !(mla->is_packed && mla->has_lengths)) {
        const uint64_t rows = mla->slots[0].rows,
                       batches = mla->is_packed ? 1 : (uint64_t)call->tensor[0].shape[0];
        TRY(check_count(call, mla->index, mla->tokens > 0,
                        batches * ((mla->batch_tokens + rows - 1) / rows)));
    }
    return mla->by_blocks ? ACLNN_SUCCESS : check_count(call, mla->index, mla->tokens > 0, mla->tokens);
}

aclnnStatus mla_read(const struct call *call, struct mla *mla)
{
    const bool v3 = is_v3(call);
    const unsigned epsilon = v3 ? MLA_V3_rmsnormEpsilonCq : MLA_V2_rmsnormEpsilonCq;
    *mla = (struct mla){
        .index = v3 ? MLA_V3_cacheIndexOptional : MLA_V2_cacheIndex,
        .cache = {v3 ? MLA_V3_kvCacheRef : MLA_V2_kvCacheRef, v3 ? MLA_V3_krCacheRef : MLA_V2_krCacheRef},
        .outputs = v3 ? MLA_V3_queryOut : MLA_V2_queryOut};
    for (unsigned i = 0; i < 2; i++)
        mla->epsilon[i] = call->argument[epsilon + i].fp64;
    TRY(check_dtypes(call, mla));
    TRY(check_shapes(call, mla));
    TRY(check_scales(call, mla));
    return read_caches(call, mla);
}

/* An output of so many elements for each token; not asked for where it is absent, empty or of no meaning. */
static void add_output(const struct call *call, const struct mla *mla, struct result *result, unsigned number,
                       aclDataType dtype, bool has_meaning, bool by_heads, uint64_t width)
{
    const struct tensor_view *token = &call->tensor[MLA_TOKENS];
    const unsigned parameter = mla->outputs + number;
    const bool is_optional = call->function->parameter[parameter].is_optional;
    const bool is_scale = dtype == ACL_FLOAT;
    int64_t dim[4];
    uint32_t rank = 0;
    if (is_scale)
        dim[rank++] = (int64_t)mla->tokens;
    else
        for (; rank + 1 < token->rank; rank++)
            dim[rank] = token->shape[rank];
    if (by_heads)
        dim[rank++] = (int64_t)mla->heads;
    dim[rank++] = (int64_t)width;
    struct output *output = slots_output(result, dtype, rank, dim);
    output->is_unwanted =
        !has_meaning || (call->has_outputs && is_optional && !call_has_elements(call, parameter));
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct mla mla;
    TRY(mla_read(call, &mla));
    const bool by_one = mla.caches == MLA_CACHE_BY_ONE, up = mla.weights != MLA_PLAIN;
    result->computed = mla.dtype;
    slots_kept(result, call, mla.cache[0]);
    slots_kept(result, call, mla.cache[1]);
    add_output(call, &mla, result, 0, by_one ? ACL_INT8 : mla.dtype, true, true, mla.kept);
    add_output(call, &mla, result, 1, mla.dtype, true, true, mla.turned);
    add_output(call, &mla, result, 2, ACL_FLOAT, by_one, true, 1);
    if (!is_v3(call))
        return ACLNN_SUCCESS;
    add_output(call, &mla, result, 3, call_dtype(call, MLA_UP), true, false, mla.latent);
    add_output(call, &mla, result, 4, ACL_FLOAT, up, false, 1);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct mla mla;
    (void)result;
    TRY(mla_read(call, &mla));
    const uint64_t multiplied = mla.width * (mla.latent + mla.kept + mla.turned) +
                                mla.latent * mla.heads * (mla.depth + mla.turned) +
                                mla.heads * mla.depth * mla.kept;
    return row_tasks_plan(
        call, &(struct row_tasks_request){.body = mla_take_tokens,
                                          .start = mla_start,
                                          .count = (mla.tokens + MLA_TASK_TOKENS - 1) / MLA_TASK_TOKENS,
                                          .task_ns = 3 * multiplied + 1000,
                                          .room = mla_room(&mla),
                                          .shared_bytes = slots_bytes(&mla.slots[0]),
                                          .parameters = &mla,
                                          .parameter_bytes = sizeof mla});
}

#define PROLOG .family = FAMILY_CACHE, .promise = &promise_sum, ROW_TASKS, .infer = infer, .plan = plan
FUNCTION_OF(aclnnMlaPrologV2WeightNz, MLA_V2, .stem = "mla_prolog_v2_weight_nz", PROLOG);
FUNCTION_OF(aclnnMlaPrologV3WeightNz, MLA_V3, .stem = "mla_prolog_v3_weight_nz", PROLOG);
