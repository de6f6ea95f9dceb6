/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rule order: work that nobody waits for before the end, or before its workspace is freed, and errors
 * that nobody reads. The host may know in many ways that work has ended, and by other work that follows it,
 * so any wait of any thread counts for all work submitted before.
 */
#ifndef BELAY_CHECK_ORDER_H
#define BELAY_CHECK_ORDER_H

#include <stdint.h>

#include "base/order.h"
#include "check/place.h"

/* What base/order.h tells. */
void order_forget(void);
void order_keep_workspace(const char *function, uint64_t stream, const void *workspace);
void order_look_for_workspace(const char *function, const void *block);
void order_forget_stream(uint64_t stream);
void order_forget_errors(void);
void order_report_unwaited(const char *api, int32_t device);

/* What order_keep is told. */
uint64_t order_epoch(void);

/* The calling thread is in function, which has given the stream (by its handle) work of a device to do;
 * order_epoch told epoch before that. CHECK_ORDER is on. */
void order_keep(const char *function, uint64_t stream, int32_t device, uint64_t epoch);

/* A call of function failed, at place, which was reported. */
void order_call_failed(const char *function, const struct call_place *place);

/* The process ends: reports errors that nobody has read, where the program went on with work behind them. */
void order_end_errors(void);

void order_after_fork(void);

#endif
