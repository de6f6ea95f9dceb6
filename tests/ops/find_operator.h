/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * An operator by its name, and whether the product has it. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_FIND_OPERATOR_H
#define BELAY_TESTS_OPS_FIND_OPERATOR_H

#include <string.h>

#include "base/settings.h"
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

/* Whether the product of this process has what the function's tensors are of: some have outputs of floats of 8
 * bits alone. */
static inline bool is_on_this_product(const struct function *function)
{
    const struct settings *settings;
    assert_int_equal(settings_get(&settings), 0);
    bool is_on = true;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        is_on = is_on && (parameter->is_optional || !parameter_is_tensor(parameter) ||
                          parameter->dtypes == NULL || parameter->dtypes->on[settings->product] != 0);
    }
    return is_on;
}

#endif
