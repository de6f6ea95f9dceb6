/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operator by its name. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_FIND_OPERATOR_H
#define BELAY_TESTS_OPS_FIND_OPERATOR_H

#include <string.h>

#include "ops/function.h"

static inline const struct function *find(const char *name)
{
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->operation.name, name) == 0)
            return list[i];
    fail_msg("%s is not in the list", name);
    return NULL;
}

#endif
