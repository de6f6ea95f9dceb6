/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What docs/accuracy.md promises, in units in the last place; 0.5: nothing may be wrong.
 */
#ifndef BELAY_TESTS_NUMERICS_PROMISE_H
#define BELAY_TESTS_NUMERICS_PROMISE_H

#include "numerics/reference.h"
#include "base/settings.h"

static inline double promised_error(const struct task *task, enum accuracy accuracy)
{
    if (task->dtype == ARITHMETIC_FP64) {
        bool is_plain =
            task->stem == SIGMOID || task->stem == SIGMOID_BACKWARD || task->stem == TANH_BACKWARD;
        return is_plain ? 2 : 0.5;
    }
    if (task->dtype != ARITHMETIC_FP32 || accuracy != ACCURACY_DEFAULT)
        return 0.5;
    switch (task->stem) {
    case SILU_BACKWARD:
    case SILU:
    case SWISH:
    case SWISH_BACKWARD:
    case SIGMOID:
    case TANH:
    case GELU:
    case GELU_BACKWARD:
        return 1;
    default:
        return 0.5;
    }
}

#endif
