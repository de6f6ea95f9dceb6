/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A kernel of Triton's, lowered to a shared library of the host by LLVM's own programs, which are found when they
 * are needed.
 */
#ifndef BELAY_TOOLS_TRITON_LOWER_H
#define BELAY_TOOLS_TRITON_LOWER_H

#include <stdbool.h>

/* Reads the kernel's text from one file and writes what rtDevBinaryRegister takes (host_kernel.h) to another one.
 * False, with one sentence on stderr, when it cannot be done; nothing is written then. */
bool kernel_lower(const char *from, const char *to);

#endif
