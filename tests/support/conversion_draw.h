/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers to convert: first special ones, then others, half of which lie where a rounding or a bound decides.
 */
#ifndef BELAY_TESTS_SUPPORT_CONVERSION_DRAW_H
#define BELAY_TESTS_SUPPORT_CONVERSION_DRAW_H

#include <stdint.h>

#include "acl/acl_base.h"

/* Writes the element with that number in a row of draws; state is random.h's. Little-endian, as everything
 * here. */
void conversion_draw(uint64_t *state, aclDataType dtype, uint64_t number, void *element);

#endif
