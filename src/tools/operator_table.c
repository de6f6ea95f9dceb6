/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions as tables in Markdown.
 */
#include "tools/operator_table.h"

#include <stdio.h>

#include "ops/elementwise.h"
#include "tensor/dtype.h"

static void print_dtypes(uint64_t dtypes)
{
    const char *separator = "";
    for (int i = 0; i < 64; i++)
        if (dtypes & DTYPE_BIT(i)) {
            printf("%s%s", separator, dtype_name((aclDataType)i));
            separator = ", ";
        }
}

void print_parameter_table(const struct operator_description *description)
{
    static const char *const kinds[] = {
        [PARAMETER_INPUT] = "input",       [PARAMETER_OUTPUT] = "output",
        [PARAMETER_IN_PLACE] = "in place", [PARAMETER_OVERWRITTEN] = "overwritten",
        [PARAMETER_DTYPE] = "dtype",       [PARAMETER_SCALAR] = "scalar",
        [PARAMETER_INT64] = "int64",       [PARAMETER_FLOAT] = "float",
        [PARAMETER_DOUBLE] = "double",     [PARAMETER_BOOL] = "bool",
    };
    printf("<!-- table %s -->\n| parameter | | Ascend910A | Ascend910B, Ascend910_93 | Ascend950 |\n"
           "|---|---|---|---|---|\n",
           description->operation.name);
    for (uint32_t i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        printf("| %s | %s", parameter->name, kinds[parameter->kind]);
        for (int k = 0; parameter->choice_names && parameter->choice_names[k]; k++)
            printf("%s%s", k ? ", " : ": ", parameter->choice_names[k]);
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

/* Whether tensors of the dtype are computed on: some kernel is for it, or the one for all. */
static bool computes(const struct operator_description *description, enum arithmetic arithmetic)
{
    const struct kernels *baseline = description->elementwise->kernels[0];
    return baseline->any || baseline->run[ACCURACY_EXACT][arithmetic] || baseline->reduce[arithmetic];
}

static void print_promise(const struct operator_description *description)
{
    const char *fp32 = description->is_fp32_within_one_ulp ? "within 1 ulp" : "rounded once";
    const char *fp64 = description->is_fp64_within_two_ulp ? "within 2 ulp " : "rounded once ";
    printf("| %s | rounded once | %s | rounded once | %s| %s |\n", description->operation.name, fp32,
           computes(description, ARITHMETIC_FP64) ? fp64 : "", elementwise_speed(description->elementwise));
}

void print_promise_table(void)
{
    size_t count;
    const struct operator_description *const *list = operators(&count);
    printf("<!-- table -->\n"
           "| operator | FLOAT16, BFLOAT16 | FLOAT | FLOAT, `BELAY_ACCURACY=exact` | DOUBLE | speed |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        print_promise(list[i]);
    printf("<!-- end -->\n");
}
