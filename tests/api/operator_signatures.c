/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The headers against the list of operators: each operator is declared with the parameters that its
 * description has, and nothing else is declared.
 */
#include "api/operator_signatures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ops/function.h"

static char letter_of_kind(enum parameter_kind kind)
{
    static const char letters[] = {
        [PARAMETER_TENSOR] = 't',      [PARAMETER_TENSOR_LIST] = 'T', [PARAMETER_SCALAR] = 's',
        [PARAMETER_SCALAR_LIST] = 'S', [PARAMETER_INT_ARRAY] = 'I',   [PARAMETER_BOOL_ARRAY] = 'B',
        [PARAMETER_FLOAT_ARRAY] = 'F', [PARAMETER_DTYPE] = 'D',       [PARAMETER_INT64] = 'l',
        [PARAMETER_INT32] = 'i',       [PARAMETER_INT8] = 'c',        [PARAMETER_FLOAT] = 'f',
        [PARAMETER_DOUBLE] = 'd',      [PARAMETER_BOOL] = 'b',        [PARAMETER_STRING] = 'z',
    };
    _Static_assert(sizeof letters == PARAMETER_KINDS, "every kind has its letter");
    return letters[kind];
}

static const struct signature *find_signature(const char *name)
{
    for (const struct signature *at = signatures; at->name != NULL; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    fail_msg("no header declares %s", name);
    return NULL;
}

static void every_operator_is_declared_with_the_parameters_of_its_description(void **state)
{
    (void)state;
    size_t count;
    const struct function *const *all = functions(&count);
    for (size_t i = 0; i < count; i++) {
        char letters[PARAMETERS_MAX + 3];
        for (uint32_t k = 0; k < all[i]->parameter_count; k++)
            letters[k] = letter_of_kind(all[i]->parameter[k].kind);
        memcpy(letters + all[i]->parameter_count, "we", 3);
        const struct signature *found = find_signature(all[i]->operation.name);
        if (strcmp(found->letters, letters) != 0)
            fail_msg("%s is declared as %s and described as %s", found->name, found->letters, letters);
    }
}

static void nothing_else_is_declared(void **state)
{
    (void)state;
    size_t count, declared = 0;
    functions(&count);
    while (signatures[declared].name != NULL)
        declared++;
    assert_true(count > 0);
    assert_int_equal(declared, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_declared_with_the_parameters_of_its_description),
        cmocka_unit_test(nothing_else_is_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
