/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The names in a timeline, for who reads its file; timeline_text (timeline.h) gives them out.
 */
#ifndef BELAY_TOOLS_TIMELINE_TEXT_H
#define BELAY_TOOLS_TIMELINE_TEXT_H

#include "tools/timeline.h"

/* The text stays in the mapped file. false without memory. */
bool timeline_add_text(struct timeline *timeline, uint64_t address, const char *text);

#endif
