/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Descriptions as text, for languages that cannot read C structures: `belay ops --json` prints them, and the
 * Python package makes its functions from them. No name in a description needs escaping.
 */
#include <stdarg.h>
#include <stdio.h>

#include "ops/call.h"
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
    static const char *const role_names[] = {[ROLE_READ] = "read",
                                             [ROLE_WRITTEN] = "written",
                                             [ROLE_BOTH] = "both",
                                             [ROLE_OVERWRITTEN] = "overwritten",
                                             [ROLE_IGNORED] = "ignored"};
    put(writer, "{\"name\": \"%s\", \"kind\": \"%s\", \"role\": \"%s\"", parameter->name,
        parameter_kind_name(parameter->kind), role_names[parameter->role]);
    if (parameter->dtypes)
        put_dtypes(writer, parameter->dtypes);
    for (int i = 0; parameter->choices && parameter->choices[i]; i++)
        put(writer, "%s\"%s\"", i ? ", " : ", \"choices\": [", parameter->choices[i]);
    put(writer, "%s", parameter->choices ? "]" : "");
    if (parameter->usual)
        put(writer, ", \"default\": \"%s\"", parameter->usual);
    put(writer, ", \"optional\": %s}", parameter->is_optional ? "true" : "false");
}

static void put_tier(struct writer *writer, const char *dtypes, const struct tier_of *tier, const char *end)
{
    char text[64];
    put(writer, "\"%s\": \"%s\"%s", dtypes, tier_text(tier, text, sizeof text), end);
}

size_t function_json(size_t index, char *text, size_t size)
{
    size_t count;
    const struct function *const *list = functions(&count);
    if (index >= count)
        return 0;
    const struct function *function = list[index];
    struct writer writer = {text, size, 0};
    put(&writer, "{\"name\": \"%s\", \"stem\": \"%s\", \"family\": \"%s\", \"by_index\": %s, \"promise\": {",
        function->operation.name, function->stem, family_name(function->family),
        function->operation.run_index != NULL ? "true" : "false");
    put_tier(&writer, "16 bits", &function->promise->halves, ", ");
    put_tier(&writer, "FLOAT", &function->promise->fp32, ", ");
    put_tier(&writer, "FLOAT exact", &function->promise->fp32_exact, ", ");
    put_tier(&writer, "DOUBLE", &function->promise->fp64, "}, ");
    put(&writer, "\"parameters\": [");
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        put(&writer, "%s", i ? ", " : "");
        put_parameter(&writer, &function->parameter[i]);
    }
    put(&writer, "]}");
    return writer.length;
}

/* The parameter of the n-th output. */
static const struct parameter *written(const struct function *function, unsigned n)
{
    const struct parameter *parameter = function->parameter;
    while (!parameter_is_written(parameter) || n-- > 0)
        parameter++;
    return parameter;
}

size_t function_infer_json(size_t index, const union argument *argument, aclnnStatus *status, char *text,
                           size_t size)
{
    size_t count;
    const struct function *const *list = functions(&count);
    struct result result;
    *status = index < count ? function_infer(list[index], argument, &result) : ACLNN_ERR_PARAM_INVALID;
    if (*status != ACLNN_SUCCESS)
        return 0;
    struct writer writer = {text, size, 0};
    put(&writer, "{\"outputs\": [");
    for (unsigned i = 0; i < result.count; i++) {
        const struct output *output = &result.output[i];
        bool is_list = written(list[index], i)->kind == PARAMETER_TENSOR_LIST;
        put(&writer, "%s{\"dtype\": %d, ", i ? ", " : "", (int)output->dtype);
        if (is_list)
            put(&writer, "\"like\": %u, \"one\": %s, ", output->like,
                output->shape_rule == SHAPE_LIKE ? "false" : "true");
        put(&writer, "\"shape\": [");
        for (uint32_t k = 0; k < output->shape.rank; k++)
            put(&writer, "%s%lld", k ? ", " : "", (long long)output->shape.dim[k]);
        put(&writer, "]}");
    }
    put(&writer, "]}");
    return writer.length;
}
