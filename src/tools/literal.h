/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Arrays that are written out on the line: [[1,2],[3,4]], as Python has them, or 1,2,3.
 */
#ifndef BELAY_TOOLS_LITERAL_H
#define BELAY_TOOLS_LITERAL_H

#include "tools/array.h"

/* Whether the text is meant as one, rather than as a file or a single number: [a]/x.npy is a file. */
bool literal_is_array(const char *text);

/* The numbers become the dtype as element_parse says. The caller destroys the array. */
bool literal_read(const char *text, aclDataType dtype, struct array *array, struct fault *fault);

#endif
