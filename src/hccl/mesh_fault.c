/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentence of a failure, for whoever called the mesh to record.
 */
#include "hccl/mesh_fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

HcclResult mesh_refuse(struct mesh_fault *fault, HcclResult code, int64_t peer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->sentence, sizeof fault->sentence, format, arguments);
    va_end(arguments);
    fault->peer = peer;
    return code;
}

bool mesh_lacks_files(void)
{
    const int probe = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (probe >= 0)
        close(probe);
    return probe < 0 && (errno == EMFILE || errno == ENFILE);
}
