/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* The sentence about what is wrong in a kernel. */
#ifndef BELAY_KERNEL_BLOCKS_FAULT_H
#define BELAY_KERNEL_BLOCKS_FAULT_H

#include <stdarg.h>
#include <stddef.h>

struct core;

/* "block 3, add.asc:42: ...", without the line where file is NULL. */
__attribute__((format(printf, 6, 0))) void fault_write(const struct core *core, const char *file,
                                                       unsigned line, char *text, size_t bytes,
                                                       const char *format, va_list arguments);

#endif
