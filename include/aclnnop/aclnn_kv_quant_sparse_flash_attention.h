/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, by the rules of aclnn_sparse_flash_attention.h, of
 * keys that are quantised and have everything in rows of bytes.
 * - query: FLOAT16 or BFLOAT16; its last ropeHeadDim elements of each head are turned ones. key: INT8; on
 *   Ascend950 FLOAT8_E4M3FN, FLOAT8_E5M2 and HIFLOAT8, too: rows of bytes, of which the first are n = D -
 *   ropeHeadDim numbers of that dtype, then ropeHeadDim elements of the dtype of query, then FLOAT scales, one
 *   for each tileSize of the n numbers (656 bytes of D = 576, tiles of 128 and ropeHeadDim 64). A key is the
 *   numbers times their scales and the turned elements, its value the former alone.
 * - value: of the dtype and shape of key; the rows are read from key. keyDequantScale and valueDequantScale are
 *   not looked at.
 * - attentionOut: the shape of query with n elements; 0 of rows without keys. keyQuantMode and valueQuantMode:
 *   2; quantScaleRepoMode: 1.
 * In DOUBLE, rounded once. 161002 too: other shapes, layouts, modes. The order of its parameters is known from
 * one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_KV_QUANT_SPARSE_FLASH_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_KV_QUANT_SPARSE_FLASH_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnKvQuantSparseFlashAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *sparseIndices,
               const aclTensor *keyDequantScaleOptional, const aclTensor *valueDequantScaleOptional,
               const aclTensor *blockTableOptional, const aclTensor *actualSeqLengthsQueryOptional,
               const aclTensor *actualSeqLengthsKvOptional, double scaleValue, int64_t keyQuantMode,
               int64_t valueQuantMode, int64_t sparseBlockSize, char *layoutQuery, char *layoutKv,
               int64_t sparseMode, int64_t preTokens, int64_t nextTokens, int64_t attentionMode,
               int64_t quantScaleRepoMode, int64_t tileSize, int64_t ropeHeadDim, aclTensor *attentionOut)
#endif
