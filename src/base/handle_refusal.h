/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What calls answer to a handle that they do not find in its table.
 */
#ifndef BELAY_BASE_HANDLE_REFUSAL_H
#define BELAY_BASE_HANDLE_REFUSAL_H

#include "base/handle.h"

/* 100000, and a report of the rule: "api: argument dataset was destroyed; a live one is expected", where argument
 * is "argument dataset" and expected "a live one is". */
int handle_refuse(const char *api, const char *argument, const char *expected,
                  const struct handle_table *table, const void *handle) __attribute__((cold));
#ifdef __clang_analyzer__
/* The analyser is told the status, as in base/error.h. */
#define handle_refuse(api, argument, expected, table, handle) \
    (handle_refuse(api, argument, expected, table, handle), ACL_ERROR_INVALID_PARAM)
#endif

#endif
