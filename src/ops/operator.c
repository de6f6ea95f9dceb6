/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of all operators.
 */
#include "ops/operator.h"

/* The linker defines these two at the ends of the section that OPERATOR fills. */
extern const struct operator_description *const __start_belay_operators[]
    __attribute__((visibility("hidden")));
extern const struct operator_description *const __stop_belay_operators[]
    __attribute__((visibility("hidden")));

const struct operator_description *const *operators(size_t *count)
{
    *count = (size_t)(__stop_belay_operators - __start_belay_operators);
    return __start_belay_operators;
}
