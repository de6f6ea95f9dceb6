/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a fuzz target defines; driver.c calls it for a fuzzing engine, or for files that are named to it.
 */
#ifndef BELAY_TESTS_FUZZ_FUZZ_H
#define BELAY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Once, before the library is used. */
void fuzz_begin(void);

/* Ends the process, by abort or by a signal, when something is wrong. */
void fuzz_one(const uint8_t *data, size_t size);

#endif
