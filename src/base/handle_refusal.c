/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentence about a handle that is not found.
 */
#include "base/handle_refusal.h"

#include "base/error.h"
#include "base/report.h"

int(handle_refuse)(const char *api, const char *argument, const char *expected,
                   const struct handle_table *table, const void *handle)
{
    return report_misuse(handle_rule(table, (uintptr_t)handle),
                         ACL_ERROR_INVALID_PARAM | (handle == NULL ? ARGUMENT_IS_NULL : 0),
                         "%s: %s %s; %s expected", api, argument, handle_fault(table, (uintptr_t)handle),
                         expected);
}
