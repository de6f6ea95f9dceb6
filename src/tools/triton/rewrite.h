/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What upstream's passes do not know, or what means something else on a host, is said otherwise.
 */
#ifndef BELAY_TOOLS_TRITON_REWRITE_H
#define BELAY_TOOLS_TRITON_REWRITE_H

#include "tools/triton/made.h"

/* The text (text_with_marks), rewritten: owned by the caller; NULL without memory. */
char *kernel_rewrite(const char *text, struct made_list *made);

/* The same text with a check before each access to memory that is not the program's own. */
char *kernel_check_accesses(const char *text, struct made_list *made);

/* The text once it has become loops over memory, without copies of what is only read. */
char *kernel_read_in_place(const char *text, struct made_list *made);

/* Whether the value, as it is known at line, is memory of the program's own: an alloc, or a view of one. */
bool is_own_memory(const char *text, const char *line, const char *value);

#endif
