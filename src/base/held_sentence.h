/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentence of work that fails while it runs, which the thread holds until the work has ended.
 */
#ifndef BELAY_BASE_HELD_SENTENCE_H
#define BELAY_BASE_HELD_SENTENCE_H

/* What it may hold; the rest is cut. */
enum { FAULT_SENTENCE_BYTES = 512 };

/* Where the thread keeps it, FAULT_SENTENCE_BYTES long and empty at first; NULL when there is no memory for
 * it. */
char *error_held_sentence(void);

#endif
