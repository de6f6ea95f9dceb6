/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 2 demands of an operand, for the short way (launch_at_once.c) and the long one (launch.c).
 */
#ifndef BELAY_TENSOR_OPERAND_RULES_H
#define BELAY_TENSOR_OPERAND_RULES_H

#include "base/checks.h"
#include "tensor/executor.h"
#include "tensor/view.h"

/* Whether run gets an address for the operand; nothing is demanded of the others. */
static inline bool operand_has_elements(const struct executor_operand *operand)
{
    return operand->tensor != NULL && !operand->is_empty;
}

/* The first element, where data is the tensor's address: as a number, because it may be no address yet. */
static inline void *operand_first(const struct executor_operand *operand, void *data)
{
    return (void *)((uintptr_t)data + (size_t)operand->offset * operand->element_bytes);
}

/*
 * Whether all elements of the operand are aligned and lie in the usable bytes that begin at data. NULL has
 * none. What exactly is wrong otherwise judge_operand says, in the order of the rules.
 */
static inline bool operand_fits(const struct executor_operand *operand, const void *data,
                                uint64_t usable_bytes)
{
    return !CHECKS_ARE_ON || (((uintptr_t)data & (operand->element_bytes - 1)) == 0 && /* a power of two */
                              view_fits(operand->reach, operand->element_bytes, usable_bytes));
}

#endif
