/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the kernels of scores take as their parameter.
 */
#ifndef BELAY_OPS_EXPERTS_SCORES_H
#define BELAY_OPS_EXPERTS_SCORES_H

/* As functions that choose number them; the softmax is that of src/ops/rows. */
enum score { SCORE_SOFTMAX, SCORE_SIGMOID, SCORE_SOFTPLUS_ROOT, SCORE_SOFTPLUS_ROOT_SLOPE };

#endif
