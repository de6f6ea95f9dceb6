/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Operands that share memory. What is read is what was there before anything was written, so that an input
 * that meets an output is copied first, all bytes from its first element to its last, unless it may be that
 * output and is. Operations that go on by indices of lists (run_index) read each index as it is when its turn
 * comes; what is of no list is as it was at first for them, too. What two outputs have in common nobody
 * knows.
 *
 * Here is the only place that looks at which operands meet: run gets addresses that do not.
 */
#ifndef BELAY_TENSOR_COPIES_H
#define BELAY_TENSOR_COPIES_H

#include "tensor/executor.h"

/*
 * Bytes in whole lines that copies take with these addresses, and the addresses that run gets instead; 0
 * where none is needed, which is nearly always.
 */
size_t copies_bytes(const struct executor_content *content, void *const *address);

/* Makes the copies in scratch, which has so many bytes and then those of run, and runs the plan. */
int copies_run(const struct executor_content *content, void *const *address, void *scratch, size_t bytes);

#endif
