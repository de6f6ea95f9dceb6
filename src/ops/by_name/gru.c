/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Gated recurrent units by name (program.h): one layer and one direction, the weights on their sides, (I, 3H)
 * and (H, 3H), in the order that `gate_order` says: rzh, reset and update and new, as aclnnGRU has them, or
 * zrh, which it is where nobody says. What is of 16 bits is computed in FLOAT.
 */
#include "ops/by_name/program.h"

#define UNIT                                                                                          \
    "need direction=UNIDIRECTIONAL; need gate_order=rzh,zrh; need reset_after=1; need time_major=1; " \
    "need num_proj=0; need activation=tanh; float; see t1 x1; see t2 x2; "                            \
    "?gate_order=zrh swap t1 x1 3 0 1; ?gate_order=zrh swap t2 x2 3 0 1; "
#define LISTS      "{y3} {y2} {y4} {y5} {y1}"
#define LISTS_READ "{x9} {x8} {x10} {x11} {x5}"

static struct named_operator kinds[] = {
    /* Inputs: x, both weights, both biases, lengths, the first state. Outputs: y, states, update, reset, new
     * and what new has of the state. */
    KIND("DynamicGRUV2", 7, 6, X3 | X4 | X5 | X6,
         "?x5 seq_length; " UNIT "?x3 see t3 x3; ?x4 see t4 x4; ?x3 ?gate_order=zrh swap t3 x3 3 0 1; "
         "?x4 ?gate_order=zrh swap t4 x4 3 0 1; "
         "?x3 GRU x0 {t1~,t2~,t3,t4} x6?/h - 1 1 0 1 0 0 y0 t9 " LISTS "; "
         "!x3 GRU x0 {t1~,t2~} x6?/h - 0 1 0 1 0 0 y0 t9 " LISTS),
    /* Inputs: x, both weights, y, the first state, states, the gradients of y and the last state, what the
     * other has left, lengths and a mask, of which torch_npu passes a number for
     * none. Outputs: the gradients of weights, biases, x, the first state. */
    KIND("DynamicGRUV2Grad", 14, 6, 1 << 12 | 1 << 13,
         "?x12+ seq_length; ?x13+ mask; " UNIT "like t5 y0; like t6 y1; like t7 y2; like t8 y3; "
         "InplaceZero t7; InplaceZero t8; "
         "GRUBackward x0 {t1~,t2~,t7,t8} x4/h x6 x7/h " LISTS_READ " - 1 1 0 0 y4 y5 {t5~,t6~,t7,t8}; "
         "!gate_order=zrh copy y0 t5; !gate_order=zrh copy y1 t6; !gate_order=zrh copy y2 t7; "
         "!gate_order=zrh copy y3 t8; ?gate_order=zrh swap y0 t5 3 0 1; ?gate_order=zrh swap y1 t6 3 0 1; "
         "?gate_order=zrh swap y2 t7 3 0 1; ?gate_order=zrh swap y3 t8 3 0 1"),
};

__attribute__((constructor)) static void offer(void)
{
    program_offer(kinds, sizeof kinds / sizeof kinds[0]);
}
