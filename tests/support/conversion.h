/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What an element becomes in another dtype, in integers: every number is a sign, a significand and a power of
 * two. A reference that shares nothing with the library.
 */
#ifndef BELAY_TESTS_SUPPORT_CONVERSION_H
#define BELAY_TESTS_SUPPORT_CONVERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum { CONVERSION_DTYPES = 15 };
extern const aclDataType conversion_dtypes[CONVERSION_DTYPES];

size_t conversion_bytes(aclDataType dtype);

/* From one element to another; of the same dtype: the same bytes. */
void conversion_reference(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype);

#endif
