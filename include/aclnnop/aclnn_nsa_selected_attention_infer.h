/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of one row for each sequence over blocks of keys that are listed, in pages.
 * - query (B, N, D), with layoutOptional "BSND" (B, 1, N, D), with "BSH" (B, 1, N D); key (pages,
 *   pageBlockSize, Nkv, D) or Nkv D joined, value the same with Dv; output like query, of Dv.
 *   FLOAT16 or BFLOAT16, one dtype.
 * - topkIndices: INT32 (B, Nkv, selectBlockCount), blocks of selectBlockSize keys; negative ones,
 *   and those behind the last key, are none. blockTableOptional (B, columns): INT32, the pages of
 *   each; actualKvSeqLenOptional: the B lengths. Both must be given. attenMaskOptional: NULL.
 *   sparseMode changes nothing.
 * A row that sees nothing is 0. A page that is not there fails the work (507035). In doubles.
 */
#ifndef BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_INFER_H
#define BELAY_ACLNNOP_ACLNN_NSA_SELECTED_ATTENTION_INFER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnNsaSelectedAttentionInfer, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *topkIndices, const aclTensor *attenMaskOptional,
               const aclTensor *blockTableOptional, const aclIntArray *actualQSeqLenOptional,
               const aclIntArray *actualKvSeqLenOptional, char *layoutOptional, int64_t numHeads,
               int64_t numKeyValueHeads, int64_t selectBlockSize, int64_t selectBlockCount,
               int64_t pageBlockSize, double scaleValue, int64_t sparseMode, aclTensor *output)
#endif
