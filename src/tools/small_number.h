/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 and 4 bits that have tables instead of a formula here: HIFLOAT8, FLOAT8_E8M0, FLOAT4 and INT4, each
 * a byte in arrays of the host, and two of 4 bits a byte in memory of the device.
 */
#ifndef BELAY_TOOLS_SMALL_NUMBER_H
#define BELAY_TOOLS_SMALL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

bool is_small_number(aclDataType dtype);

double small_number_value(aclDataType dtype, uint8_t code);

/* The nearest code, of two the one of the greater size; false where a finite number is beyond all of them, or what
 * is infinite or no number has none. */
bool small_number_code(aclDataType dtype, double value, uint8_t *code);

/* Codes of 4 bits to half as many bytes, and back; where may be codes. */
void small_numbers_pack(uint8_t *where, const uint8_t *code, size_t count);
void small_numbers_unpack(uint8_t *code, size_t count);

#endif
