/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What triton-ascend compiles its launchers with.
 */
#ifndef BELAY_TOOLS_TRITON_LAUNCHER_H
#define BELAY_TOOLS_TRITON_LAUNCHER_H

/* Says on the standard error stream what is missing, when a Python has started this command. */
void launcher_tell_missing(const char *name);

#endif
