/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The text of a kernel in LLVM's language.
 */
#ifndef BELAY_TOOLS_TRITON_LLVM_TEXT_H
#define BELAY_TOOLS_TRITON_LLVM_TEXT_H

#include "tools/triton/made.h"
#include "tools/triton/source.h"

/* raw: what mlir-translate wrote; text: the kernel in MLIR, whose declarations say what is called. False without
 * memory. */
bool llvm_text_write(const char *raw, const char *text, const struct made_list *made,
                     const struct kernel_source *source, FILE *to);

#endif
