/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of libatb.so in C, a pair each: the first one prepares an operation, which it makes unless the
 * client has it already, the second one runs it. An aclTensor that is NULL is not there.
 */
#include "acl/acl_base.h"
#include "atb/attention.h"
#include "atb/cache.h"
#include "tensor/tensor.h"

#pragma GCC visibility push(default)
int AtbPagedCacheLoadGetWorkspaceSize(const aclTensor *keyCache, const aclTensor *valueCache,
                                      const aclTensor *blockTable, const aclTensor *contextLens,
                                      const aclTensor *key, const aclTensor *value,
                                      const aclTensor *seqStarts, int8_t kvCacheCfg, bool isSeqLensCumsumType,
                                      bool hasSeqStarts, uint64_t *workspaceSize, struct atb_operation **op,
                                      struct atb_context *context);
int AtbPagedCacheLoad(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                      struct atb_context *context);
int AtbFusedAddTopkDivGetWorkspaceSize(const aclTensor *x, const aclTensor *addNum,
                                       const aclTensor *mappingNum, const aclTensor *mappingTable,
                                       int64_t groupNum, int64_t groupTopk, int64_t n, int64_t k,
                                       int activationType, bool isNorm, float scale, bool enableExpertMapping,
                                       const aclTensor *y, const aclTensor *indices, uint64_t *workspaceSize,
                                       struct atb_operation **op, struct atb_context *context);
int AtbFusedAddTopkDiv(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                       struct atb_context *context);
int AtbSelfAttentionPrefixEncoderGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value, const aclTensor *blockTables,
    const aclTensor *mask, const aclTensor *seqLen, const aclTensor *kvSeqLen, const aclTensor *slopes,
    int maskType, int64_t headNum, int64_t kvHeadNum, float qkScale, const aclTensor *output,
    uint64_t *workspaceSize, struct atb_operation **op, struct atb_context *context);
int AtbSelfAttentionPrefixEncoder(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                                  struct atb_context *context);
int AtbMLAGetWorkspaceSize(const aclTensor *qNope, const aclTensor *qRope, const aclTensor *ctKV,
                           const aclTensor *kRope, const aclTensor *blockTables, const aclTensor *contextLens,
                           const aclTensor *mask, const aclTensor *qSeqLen, const aclTensor *qkDescale,
                           const aclTensor *pvDescale, int64_t headNum, float qkScale, int64_t kvHeadNum,
                           int maskType, int calcType, int cacheMode, const aclTensor *output,
                           const aclTensor *lse, uint64_t *workspaceSize, struct atb_operation **op,
                           struct atb_context *context);
int AtbMLA(void *workspace, uint64_t workspaceSize, struct atb_operation *op, struct atb_context *context);
int AtbRingMLAGetWorkspaceSize(const aclTensor *qNope, const aclTensor *qRope, const aclTensor *kNope,
                               const aclTensor *kRope, const aclTensor *value, const aclTensor *mask,
                               const aclTensor *seqLen, const aclTensor *prevOut, const aclTensor *prevLse,
                               int64_t headNum, int64_t kvHeadNum, float qkScale, int kernelType,
                               int maskType, int inputLayout, int calcType, const aclTensor *output,
                               const aclTensor *softmaxLse, uint64_t *workspaceSize,
                               struct atb_operation **op, struct atb_context *context);
int AtbRingMLA(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
               struct atb_context *context);
int AtbMLAPreprocessGetWorkspaceSize(void);
int AtbMLAPreprocess(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                     struct atb_context *context);
#pragma GCC visibility pop

/* The operand that an aclTensor is; false with a sentence where it is none. */
static bool take_operand(const char *api, const aclTensor *tensor, const char *name, struct operand *operand)
{
    struct tensor_view view;
    *operand = (struct operand){.name = name};
    if (tensor == NULL)
        return true;
    if (!tensor_read(tensor, &view) || !view.is_possible || view.rank > ATB_RANK_MAX) {
        fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is no tensor of at most %d dims, which is expected", api, name,
             ATB_RANK_MAX);
        return false;
    }
    operand->dtype = view.dtype;
    operand->rank = view.rank;
    operand->is_there = true;
    operand->data = view.data == NULL
                        ? NULL
                        : (unsigned char *)view.data + view.offset * (int64_t)aclDataTypeSize(view.dtype);
    for (unsigned i = 0; i < view.rank; i++) {
        operand->size[i] = view.shape[i];
        operand->stride[i] = view.stride[i];
    }
    return true;
}

struct given {
    const aclTensor *tensor;
    const char *name;
};

struct request {
    const struct kind *kind;
    const void *param;
    unsigned in_count, out_count;
    const struct given *in, *out;
    uint64_t *workspace_bytes;
    struct atb_operation **operation;
    const struct atb_context *context;
};

static int prepare(const struct request *request)
{
    struct setup setup = {.in_count = request->in_count, .out_count = request->out_count};
    const char *api = request->kind->name;
    if (request->workspace_bytes == NULL || request->operation == NULL) {
        fail(ACLNN_ERR_PARAM_NULLPTR, "%s: argument workspaceSize or op is NULL; a place is expected", api);
        return ATB_INVALID_PARAM;
    }
    *request->workspace_bytes = 0;
    if (!context_stream(request->context, &setup.stream)) {
        fail(ACLNN_ERR_PARAM_INVALID, "%s: context is none that there is; one that was made is expected",
             api);
        return ATB_INVALID_CONTEXT;
    }
    for (unsigned i = 0; i < request->in_count; i++)
        if (!take_operand(api, request->in[i].tensor, request->in[i].name, &setup.in[i]))
            return ATB_INVALID_TENSOR;
    for (unsigned i = 0; i < request->out_count; i++)
        if (!take_operand(api, request->out[i].tensor, request->out[i].name, &setup.out[i]))
            return ATB_INVALID_TENSOR;
    if (*request->operation != NULL &&
        (!operation_is_live(*request->operation) || (*request->operation)->kind != request->kind)) {
        fail(ACLNN_ERR_PARAM_INVALID,
             "%s: op is of another function, or none that there is; NULL is expected", api);
        return ATB_INVALID_OPERATION;
    }
    if (*request->operation == NULL)
        *request->operation = operation_create(request->kind, NULL);
    setup.operation = *request->operation;
    return setup.operation == NULL ? ATB_INTERNAL_ERROR
                                   : operation_prepare(&setup, request->param, request->workspace_bytes);
}

static int run(const struct kind *kind, void *workspace, uint64_t workspace_bytes,
               struct atb_operation *operation, const struct atb_context *context)
{
    aclrtStream stream;
    if (!operation_is_live(operation) || operation->kind != kind) {
        fail(ACLNN_ERR_PARAM_INVALID,
             "%s: op is none that was prepared; that of the first function is expected", kind->name);
        return ATB_INVALID_OPERATION;
    }
    if (!context_stream(context, &stream)) {
        fail(ACLNN_ERR_PARAM_INVALID, "%s: context is none that there is; one that was made is expected",
             kind->name);
        return ATB_INVALID_CONTEXT;
    }
    return operation_launch(operation, workspace, workspace_bytes, stream);
}

#define PREPARE(kind_, param_)                                                     \
    prepare(&(const struct request){&(kind_), &(param_), sizeof in / sizeof in[0], \
                                    sizeof out / sizeof out[0], in, out, workspaceSize, op, context})

int AtbPagedCacheLoadGetWorkspaceSize(const aclTensor *keyCache, const aclTensor *valueCache,
                                      const aclTensor *blockTable, const aclTensor *contextLens,
                                      const aclTensor *key, const aclTensor *value,
                                      const aclTensor *seqStarts, int8_t kvCacheCfg, bool isSeqLensCumsumType,
                                      bool hasSeqStarts, uint64_t *workspaceSize, struct atb_operation **op,
                                      struct atb_context *context)
{
    const struct paged_cache_load_param param = {
        .is_nz = kvCacheCfg == 0, .is_cumulated = isSeqLensCumsumType, .has_starts = hasSeqStarts};
    const struct given in[] = {{keyCache, "keyCache"},
                               {valueCache, "valueCache"},
                               {blockTable, "blockTable"},
                               {contextLens, "contextLens"},
                               {seqStarts, "seqStarts"}},
                       out[] = {{key, "key"}, {value, "value"}};
    return PREPARE(kind_paged_cache_load, param);
}

int AtbPagedCacheLoad(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                      struct atb_context *context)
{
    return run(&kind_paged_cache_load, workspace, workspaceSize, op, context);
}

int AtbFusedAddTopkDivGetWorkspaceSize(const aclTensor *x, const aclTensor *addNum,
                                       const aclTensor *mappingNum, const aclTensor *mappingTable,
                                       int64_t groupNum, int64_t groupTopk, int64_t n, int64_t k,
                                       int activationType, bool isNorm, float scale, bool enableExpertMapping,
                                       const aclTensor *y, const aclTensor *indices, uint64_t *workspaceSize,
                                       struct atb_operation **op, struct atb_context *context)
{
    enum { SIGMOID = 8 };
    const struct fused_add_topk_div_param param = {groupNum, groupTopk, n, k, isNorm, scale};
    const struct given in[] = {{x, "x"}, {addNum, "addNum"}}, out[] = {{y, "y"}, {indices, "indices"}};
    (void)mappingNum, (void)mappingTable;
    if (activationType != SIGMOID || enableExpertMapping) {
        fail(ACLNN_ERR_PARAM_INVALID,
             "FusedAddTopkDiv: activationType is %d and enableExpertMapping %d; 8, a sigmoid, and false are "
             "expected",
             activationType, enableExpertMapping);
        return ATB_INVALID_PARAM;
    }
    return PREPARE(kind_fused_add_topk_div, param);
}

int AtbFusedAddTopkDiv(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                       struct atb_context *context)
{
    return run(&kind_fused_add_topk_div, workspace, workspaceSize, op, context);
}

int AtbSelfAttentionPrefixEncoderGetWorkspaceSize(
    const aclTensor *query, const aclTensor *key, const aclTensor *value, const aclTensor *blockTables,
    const aclTensor *mask, const aclTensor *seqLen, const aclTensor *kvSeqLen, const aclTensor *slopes,
    int maskType, int64_t headNum, int64_t kvHeadNum, float qkScale, const aclTensor *output,
    uint64_t *workspaceSize, struct atb_operation **op, struct atb_context *context)
{
    const struct prefix_encoder_param param = {maskType, headNum, kvHeadNum, qkScale};
    const struct given in[] = {{query, "query"},       {key, "key"},
                               {value, "value"},       {blockTables, "blockTables"},
                               {mask, "mask"},         {seqLen, "seqLen"},
                               {kvSeqLen, "kvSeqLen"}, {slopes, "slopes"}},
                       out[] = {{output, "output"}};
    return PREPARE(kind_prefix_encoder, param);
}

int AtbSelfAttentionPrefixEncoder(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                                  struct atb_context *context)
{
    return run(&kind_prefix_encoder, workspace, workspaceSize, op, context);
}

int AtbMLAGetWorkspaceSize(const aclTensor *qNope, const aclTensor *qRope, const aclTensor *ctKV,
                           const aclTensor *kRope, const aclTensor *blockTables, const aclTensor *contextLens,
                           const aclTensor *mask, const aclTensor *qSeqLen, const aclTensor *qkDescale,
                           const aclTensor *pvDescale, int64_t headNum, float qkScale, int64_t kvHeadNum,
                           int maskType, int calcType, int cacheMode, const aclTensor *output,
                           const aclTensor *lse, uint64_t *workspaceSize, struct atb_operation **op,
                           struct atb_context *context)
{
    const struct latent_param param = {headNum, kvHeadNum, qkScale, maskType, calcType, cacheMode};
    const struct given in[] = {{qNope, "qNope"},
                               {qRope, "qRope"},
                               {ctKV, "ctKV"},
                               {kRope, "kRope"},
                               {blockTables, "blockTables"},
                               {contextLens, "contextLens"},
                               {mask, "mask"},
                               {qSeqLen, "qSeqLen"},
                               {qkDescale, "qkDescale"},
                               {pvDescale, "pvDescale"}},
                       out[] = {{output, "output"}, {lse, "lse"}};
    return PREPARE(kind_latent, param);
}

int AtbMLA(void *workspace, uint64_t workspaceSize, struct atb_operation *op, struct atb_context *context)
{
    return run(&kind_latent, workspace, workspaceSize, op, context);
}

int AtbRingMLAGetWorkspaceSize(const aclTensor *qNope, const aclTensor *qRope, const aclTensor *kNope,
                               const aclTensor *kRope, const aclTensor *value, const aclTensor *mask,
                               const aclTensor *seqLen, const aclTensor *prevOut, const aclTensor *prevLse,
                               int64_t headNum, int64_t kvHeadNum, float qkScale, int kernelType,
                               int maskType, int inputLayout, int calcType, const aclTensor *output,
                               const aclTensor *softmaxLse, uint64_t *workspaceSize,
                               struct atb_operation **op, struct atb_context *context)
{
    const struct ring_param param = {headNum,  kvHeadNum,   qkScale, kernelType,
                                     maskType, inputLayout, calcType};
    const struct given in[] = {{qNope, "qNope"},   {qRope, "qRope"},     {kNope, "kNope"},
                               {kRope, "kRope"},   {value, "value"},     {mask, "mask"},
                               {seqLen, "seqLen"}, {prevOut, "prevOut"}, {prevLse, "prevLse"}},
                       out[] = {{output, "output"}, {softmaxLse, "softmaxLse"}};
    return PREPARE(kind_ring, param);
}

int AtbRingMLA(void *workspace, uint64_t workspaceSize, struct atb_operation *op, struct atb_context *context)
{
    return run(&kind_ring, workspace, workspaceSize, op, context);
}

/* Its 33 arguments are not looked at. */
int AtbMLAPreprocessGetWorkspaceSize(void)
{
    fail(ACL_ERROR_API_NOT_SUPPORT, "MLAPreprocess is not supported by this library");
    return ATB_INVALID_PARAM;
}

int AtbMLAPreprocess(void *workspace, uint64_t workspaceSize, struct atb_operation *op,
                     struct atb_context *context)
{
    (void)workspace, (void)workspaceSize, (void)op, (void)context;
    return AtbMLAPreprocessGetWorkspaceSize();
}
