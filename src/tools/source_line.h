/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The lines of C and C++ programs, which their debug information has.
 */
#ifndef BELAY_TOOLS_SOURCE_LINE_H
#define BELAY_TOOLS_SOURCE_LINE_H

#include <stdbool.h>

#include "check/place.h"

/*
 * Fills in the line of a place in a program or library, "program.cpp:12 (step)", and its symbol, by addr2line
 * or llvm-symbolizer where one is installed. False where it stays unknown: no such command, no debug
 * information, or a library so large that to read it takes longer than anybody waits.
 */
bool source_line_find(struct place_text *text);

#endif
