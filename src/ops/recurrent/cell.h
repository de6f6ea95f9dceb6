/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of a cell, for the row of elements of one sequence, and back. sigma is the logistic function:
 *
 *     LSTM  i, f, o = sigma, g = tanh of its part of gates;  c' = f c + i g;  h' = o tanh c'
 *     GRU   r, z = sigma of its parts of gates + of_state;  hn = its part of of_state;
 *           n = tanh(its part of gates + r hn);  h' = (1 - z) n + z h
 */
#ifndef BELAY_OPS_RECURRENT_CELL_H
#define BELAY_OPS_RECURRENT_CELL_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum cell_kind { CELL_LSTM, CELL_GRU };
enum { GATES_LSTM = 4, GATES_GRU = 3 };

/* What a forward pass leaves for the backward one, in the order of the arguments. */
enum { LSTM_I, LSTM_G, LSTM_F, LSTM_O, LSTM_H, LSTM_C, LSTM_TANH_C, LSTM_LISTS };
enum { GRU_R, GRU_Z, GRU_N, GRU_HN, GRU_H, GRU_LISTS };
enum { CELL_LISTS = LSTM_LISTS };

/* Elements of a tensor in the row; NULL: none. */
struct cell_elements {
    unsigned char *first;
    int64_t stride; /* elements */
};

/* Floats may be read up to a vector behind the row's last one. */
struct cell_row {
    uint32_t hidden;
    aclDataType dtype;                          /* of all elements */
    float *gates;                               /* the parts one behind the other; backward: their gradient */
    float *of_state;                            /* GRU: the same of what comes from the state */
    float *h, *c;                               /* before the step, then after it, rounded to dtype; backward:
                                                   their gradients behind the step, then before it */
    float *next;                                /* h once more, for the next layer, or NULL */
    struct cell_elements list[CELL_LISTS], out; /* backward: read; tanh c may be NULL */

    /* Backward. h becomes only what does not come by way of the gates; the caller adds that. */
    const float *output_gradient;   /* is added to h's */
    const float *earlier_h;         /* GRU */
    struct cell_elements earlier_c; /* LSTM; NULL: 0 */
};
typedef void cell_function(const struct cell_row *row);

/* What a level computes with. */
struct cell_kernels {
    void (*load)(const unsigned char *from, aclDataType dtype, int64_t stride, uint64_t count, float *to);
    void (*store)(const float *from, unsigned char *to, aclDataType dtype, int64_t stride, uint64_t count);
    cell_function *lstm, *gru, *lstm_backward, *gru_backward;
};

#endif
