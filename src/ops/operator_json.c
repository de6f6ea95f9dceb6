/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions as text, for languages that cannot read C structures: `belay ops --json` prints them, and the
 * Python package makes its functions from them. No name in a description needs escaping.
 */
#include <stdarg.h>
#include <stdio.h>

#include "ops/elementwise.h"
#include "ops/operator.h"
#include "tensor/dtype.h"

/* A text that may be too short for what is written. length counts all that was, as snprintf does. */
struct writer {
    char *text;
    size_t size, length;
};

static __attribute__((format(printf, 2, 3))) void put(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = writer->length < writer->size ? writer->size - writer->length : 0;
    char *end = room ? writer->text + writer->length : NULL;
    int written = vsnprintf(end, room, format, arguments);
    va_end(arguments);
    writer->length += written > 0 ? (size_t)written : 0;
}

static void put_dtypes(struct writer *writer, const struct dtype_set *set)
{
    static const char *const product_names[PRODUCTS] = {
        [PRODUCT_910A] = "910A", [PRODUCT_910B] = "910B", [PRODUCT_950] = "950"};
    put(writer, ", \"dtypes\": {");
    for (int product = 0; product < PRODUCTS; product++) {
        put(writer, "%s\"%s\": [", product ? ", " : "", product_names[product]);
        const char *separator = "";
        for (int i = 0; i < 64; i++)
            if (set->on[product] & DTYPE_BIT(i)) {
                put(writer, "%s\"%s\"", separator, dtype_name((aclDataType)i));
                separator = ", ";
            }
        put(writer, "]");
    }
    put(writer, "}");
}

static void put_parameter(struct writer *writer, const struct parameter *parameter)
{
    static const char *const kind_names[] = {
        [PARAMETER_INPUT] = "input",       [PARAMETER_OUTPUT] = "output",
        [PARAMETER_IN_PLACE] = "in place", [PARAMETER_OVERWRITTEN] = "overwritten",
        [PARAMETER_DTYPE] = "dtype",       [PARAMETER_SCALAR] = "scalar",
        [PARAMETER_INT64] = "int64",       [PARAMETER_FLOAT] = "float",
        [PARAMETER_DOUBLE] = "double",     [PARAMETER_BOOL] = "bool",
    };
    put(writer, "{\"name\": \"%s\", \"kind\": \"%s\"", parameter->name, kind_names[parameter->kind]);
    if (parameter->dtypes)
        put_dtypes(writer, parameter->dtypes);
    for (int i = 0; parameter->choice_names && parameter->choice_names[i]; i++)
        put(writer, "%s\"%s\"", i ? ", " : ", \"choices\": [", parameter->choice_names[i]);
    put(writer, "%s", parameter->choice_names ? "]" : "");
    if (parameter->default_text)
        put(writer, ", \"default\": \"%s\"", parameter->default_text);
    put(writer, ", \"optional\": %s}", parameter->is_optional ? "true" : "false");
}

size_t operator_json(size_t index, char *text, size_t size)
{
    size_t count;
    const struct operator_description *const *list = operators(&count);
    if (index >= count)
        return 0;
    const struct operator_description *description = list[index];
    struct writer writer = {text, size, 0};
    put(&writer, "{\"name\": \"%s\", \"stem\": \"%s\", \"speed\": \"%s\", ", description->operation.name,
        description->stem, elementwise_speed(description->elementwise));
    put(&writer, "\"fp32_within_one_ulp\": %s, \"fp64_within_two_ulp\": %s, ",
        description->is_fp32_within_one_ulp ? "true" : "false",
        description->is_fp64_within_two_ulp ? "true" : "false");
    if (description->reduced_by)
        put(&writer, "\"reduced_by\": \"%s\", ", description->reduced_by);
    put(&writer, "\"parameters\": [");
    for (uint32_t i = 0; i < description->parameter_count; i++) {
        put(&writer, "%s", i ? ", " : "");
        put_parameter(&writer, &description->parameter[i]);
    }
    put(&writer, "]}");
    return writer.length;
}
