/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the options of the operator compiler have to do with what fails.
 */
#ifndef BELAY_RUNTIME_NAMED_COMPILE_OPTION_H
#define BELAY_RUNTIME_NAMED_COMPILE_OPTION_H

/* Part of a sentence about an operator by name that is missing: which option asked for it; empty where none
 * has. */
const char *compile_option_advice(void);

#endif
