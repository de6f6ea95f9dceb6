/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The two references of the activations.
 */
#ifndef BELAY_TESTS_NUMERICS_REFERENCE_ACTIVATIONS_H
#define BELAY_TESTS_NUMERICS_REFERENCE_ACTIVATIONS_H

#include "numerics/reference.h"

uint64_t reference_integer_activations(const struct task *task, const uint64_t *input);
uint64_t reference_mpfr_activations(const struct task *task, const uint64_t *input);

#endif
