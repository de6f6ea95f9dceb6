/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Compiles C++ with kernels, for the host.
 */
#ifndef BELAY_TOOLS_ASCENDC_COMPILE_H
#define BELAY_TOOLS_ASCENDC_COMPILE_H

/* bisheng's command line; the exit status. */
int ascendc_compile(int argc, char **argv);

#endif
