/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rule leak: what the program has made and never gave back, one report for each place that made it. At
 * the end of the process, and of a device what its last reset takes away. The rule order has its executors
 * here that were never run.
 */
#ifndef BELAY_CHECK_LEAK_H
#define BELAY_CHECK_LEAK_H

#include <stdint.h>

/* In front of the reset; api is the function that makes it. */
void leak_report_device(const char *api, int32_t device);

#endif
