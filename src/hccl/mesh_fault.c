/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentence of a failure, for whoever called the mesh to record.
 */
#include "hccl/mesh_fault.h"

#include <stdarg.h>
#include <stdio.h>

HcclResult mesh_refuse(struct mesh_fault *fault, HcclResult code, int64_t peer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->sentence, sizeof fault->sentence, format, arguments);
    va_end(arguments);
    fault->peer = peer;
    return code;
}
