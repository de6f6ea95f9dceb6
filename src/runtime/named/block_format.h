/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The formats that are in blocks. How tensors lie in them is told by tensor/blocks.h.
 */
#ifndef BELAY_RUNTIME_NAMED_BLOCK_FORMAT_H
#define BELAY_RUNTIME_NAMED_BLOCK_FORMAT_H

#include "acl/acl_base.h"
#include "base/export.h"

/* "FRACTAL_NZ"; NULL for a format whose elements lie in the order of the dims. */
const char *block_format_name(aclFormat format) SHARED(block_format_name);

#endif
