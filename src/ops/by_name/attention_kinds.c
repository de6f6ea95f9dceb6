/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention by name (program.h), as torch_npu's older functions ask for it: scores of queries and keys times
 * a scale, a mask added, softmax, of which a mask of bytes drops some, and its product with the values, heads
 * side by side. In FLOAT, rounded once.
 */
#include "ops/by_name/program.h"

#define PLAIN   "need query_transpose=0; need key_transpose=0; "
#define FORWARD PLAIN "need bmm_score_transpose_a=0; need bmm_score_transpose_b=0; float; "
#define BACK    PLAIN "need value_transpose=0; need dx_transpose=0; float; "
/* to: what a mask keeps of a tensor, or all where there is no mask. */
#define KEPT(of, mask, to)                                                                         \
    "!" mask " see " to " " of "; ?" mask " like t9 " of "; ?" mask " Cast " mask " t9 t9; ?" mask \
    " Mul " of " t9 t10; ?" mask " Divs t10 keep_prob=1.0 " to "; "
#define HEADS "[0,2,1,3] "

static struct named_operator kinds[] = {
    KIND("AttentionScore", 6, 2, 1 << 5,
         FORWARD "Matmul x0 x1~ t0 0; Mul t0 x4 t1; Add t1 x3 1 t2; Softmax t2 -1 y1; " KEPT(
             "y1", "x5", "t3") "Matmul t3 x2 t4 0; Permute t4 " HEADS "y0"),
    /* Inputs: what softmax gave, the gradient, values, keys, queries, scale, mask; outputs: of values, queries, keys. */
    KIND("AttentionScoreGrad", 7, 3, X6,
         BACK KEPT("x0", "x6", "t0") "Matmul t0~ x1 t1 0; Permute t1 " HEADS "y0; Matmul x1 x2~ t2 0; " KEPT(
             "t2", "x6", "t3") "SoftmaxBackward t3 x0 -1 t4; Mul t4 x5 t5; Matmul t5 x3 t6 0; "
                               "Permute t6 " HEADS "y1; Matmul t5~ x4 t7 0; Permute t7 " HEADS "y2"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
