/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions as tables in Markdown.
 */
#include "tools/operator_table.h"

#include <stdio.h>

#include "ops/promise.h"
#include "tensor/dtype.h"
#include "tools/state.h"

static void print_dtypes(uint64_t dtypes)
{
    const char *separator = "";
    for (int i = 0; i < 64; i++)
        if (dtypes & DTYPE_BIT(i)) {
            printf("%s%s", separator, dtype_name((aclDataType)i));
            separator = ", ";
        }
}

void print_parameter_table(const struct function *function)
{
    static const char *const roles[] = {[ROLE_READ] = "",
                                        [ROLE_WRITTEN] = ", output",
                                        [ROLE_BOTH] = ", in place",
                                        [ROLE_OVERWRITTEN] = ", overwritten",
                                        [ROLE_IGNORED] = ", ignored"};
    printf("<!-- table %s -->\n| parameter | | Ascend910A | Ascend910B, Ascend910_93 | Ascend950 |\n"
           "|---|---|---|---|---|\n",
           function->operation.name);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        printf("| %s | %s%s", parameter->name, parameter_kind_name(parameter->kind), roles[parameter->role]);
        for (int k = 0; parameter->choices && parameter->choices[k]; k++)
            printf("%s%s", k ? ", " : ": ", parameter->choices[k]);
        printf(" |");
        for (int product = 0; product < PRODUCTS; product++) {
            printf(" ");
            if (parameter->dtypes) {
                print_dtypes(parameter->dtypes->on[product]);
                printf(" ");
            }
            printf("|");
        }
        printf("\n");
    }
    printf("<!-- end -->\n");
}

static void print_promise(const struct function *function)
{
    const struct promise *promise = function->promise;
    const struct tier_of *tiers[] = {&promise->halves, &promise->fp32, &promise->fp32_exact, &promise->fp64};
    printf("| %s | %s%s |", function->operation.name, family_name(function->family),
           function->operation.run_index != NULL ? ", by index" : "");
    for (unsigned i = 0; i < sizeof tiers / sizeof tiers[0]; i++) {
        char text[64];
        printf(" %s |", tier_text(tiers[i], text, sizeof text));
    }
    printf(" ");
    state_print_cell(function->operation.name);
    printf(" |\n");
}

void print_promise_table(void)
{
    size_t count;
    const struct function *const *list = functions(&count);
    printf("<!-- table -->\n"
           "| operator | family | FLOAT16, BFLOAT16 | FLOAT | FLOAT, `BELAY_ACCURACY=exact` | DOUBLE, "
           "complex | state |\n"
           "|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        print_promise(list[i]);
    printf("<!-- end -->\n");
}
