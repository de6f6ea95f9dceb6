/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentences of the checks: the API, the argument, what was found, what is allowed, and which other
 * product would have allowed what was found.
 */
#include "ops/check_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/report.h"
#include "tensor/dtype.h"

/* Text that is put together piece by piece; what does not fit is cut off. */
struct text {
    size_t length;
    char bytes[320];
};

static void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void append(struct text *text, const char *format, ...)
{
    size_t room = sizeof text->bytes - text->length;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        text->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static const char *api(const struct call *call)
{
    return call->function->operation.name;
}

static const char *name(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].name;
}

static void append_dtype(struct text *text, aclDataType dtype)
{
    /* dtype_name has the same words for all that it does not know. */
    if (strcmp(dtype_name(dtype), dtype_name(ACL_DT_UNDEFINED)) != 0)
        append(text, "%s", dtype_name(dtype));
    else
        append(text, "%d (unknown)", (int)dtype);
}

/* "FLOAT, FLOAT16 or BFLOAT16" */
static void append_dtypes(struct text *text, uint64_t set)
{
    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
        const char *before = rest == set ? "" : (rest & (rest - 1)) == 0 ? " or " : ", ";
        append(text, "%s%s", before, dtype_name((aclDataType)__builtin_ctzll(rest)));
    }
}

/* "[2, 3]"; of a longer shape only the first OPERAND_RANK_MAX dims are told. */
static void append_shape(struct text *text, uint32_t rank, const int64_t *dim)
{
    append(text, "[");
    for (uint32_t i = 0; i < rank && i < OPERAND_RANK_MAX; i++)
        append(text, "%s%" PRId64, i == 0 ? "" : ", ", dim[i]);
    append(text, rank > OPERAND_RANK_MAX ? ", ...] (%u dims)" : "]", rank);
}

/* " (Ascend910B and Ascend950 accept BFLOAT16)", or nothing when no product accepts the dtype. */
static void append_other_products(struct text *text, const struct dtype_set *dtypes, aclDataType dtype)
{
    static const char *const families[PRODUCTS] = {
        [PRODUCT_910A] = "Ascend910A",
        [PRODUCT_910B] = "Ascend910B",
        [PRODUCT_950] = "Ascend950",
    };
    unsigned accepting = 0;
    for (unsigned product = 0; dtype >= 0 && dtype < 64 && product < PRODUCTS; product++)
        if (dtypes->on[product] & DTYPE_BIT(dtype))
            append(text, "%s%s", accepting++ == 0 ? " (" : " and ", families[product]);
    if (accepting > 0)
        append(text, " accept%s %s)", accepting == 1 ? "s" : "", dtype_name(dtype));
}

/* Those of the parameter that are among the allowed ones. */
static void append_expected_dtypes(struct text *text, const struct call *call, unsigned parameter,
                                   uint64_t allowed, aclDataType found)
{
    const struct dtype_set *dtypes = call->function->parameter[parameter].dtypes;
    append_dtypes(text, dtypes->on[call->settings->product] & allowed);
    append(text, " expected on %s", call->settings->soc_name);
    bool is_allowed = found >= 0 && found < 64 && (allowed & DTYPE_BIT(found)) != 0;
    if (is_allowed)
        append_other_products(text, dtypes, found);
}

aclnnStatus tell_dtype(const struct call *call, unsigned parameter, aclDataType dtype)
{
    struct text found = {0}, expected = {0};
    append_dtype(&found, dtype);
    append_expected_dtypes(&expected, call, parameter, UINT64_MAX, dtype);
    bool is_dtype = call->function->parameter[parameter].kind == PARAMETER_DTYPE;
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s %s %s; %s", api(call), name(call, parameter),
                is_dtype ? "is" : "has dtype", found.bytes, expected.bytes);
}

aclnnStatus tell_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    struct text found = {0}, expected = {0};
    append_dtype(&found, call->tensor[parameter].dtype);
    append_expected_dtypes(&expected, call, parameter, castable_from(dtype), call->tensor[parameter].dtype);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has dtype %s, to which a result of dtype %s cannot be cast; %s", api(call),
                name(call, parameter), found.bytes, dtype_name(dtype), expected.bytes);
}

aclnnStatus tell_scalar(const struct call *call, unsigned parameter, uint64_t allowed, aclDataType computed)
{
    struct text found = {0}, expected = {0};
    append_dtype(&found, call->scalar[parameter].dtype);
    append_expected_dtypes(&expected, call, parameter, allowed, call->scalar[parameter].dtype);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has dtype %s, which does not fit the dtype of the result, %s; %s", api(call),
                name(call, parameter), found.bytes, dtype_name(computed), expected.bytes);
}

/* hint in brackets behind the product, or nothing. */
static void append_hint(struct text *text, const struct call *call, const char *hint)
{
    if (hint != NULL)
        append(text, " on %s (%s)", call->settings->soc_name, hint);
}

aclnnStatus tell_same_dtype(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
{
    struct text product = {0};
    append_hint(&product, call, hint);
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has dtype %s; %s, the dtype of %s, is expected%s", api(call),
                name(call, parameter), dtype_name(call->tensor[parameter].dtype),
                dtype_name(call->tensor[reference].dtype), name(call, reference), product.bytes);
}

aclnnStatus tell_same_shape(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
{
    struct text found = {0}, expected = {0}, product = {0};
    append_shape(&found, call->tensor[parameter].rank, call->tensor[parameter].shape);
    append_shape(&expected, call->tensor[reference].rank, call->tensor[reference].shape);
    append_hint(&product, call, hint);
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s has shape %s; %s, the shape of %s, is expected%s", api(call),
                name(call, parameter), found.bytes, expected.bytes, name(call, reference), product.bytes);
}

aclnnStatus tell_output_dtype(const struct call *call, unsigned parameter, const struct output *output)
{
    if (output->shape_rule == SHAPE_LIKE && call->tensor[output->like].dtype == output->dtype)
        return tell_same_dtype(call, parameter, output->like, NULL);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has dtype %s; %s, the dtype that the inputs promote to, is expected", api(call),
                name(call, parameter), dtype_name(call->tensor[parameter].dtype), dtype_name(output->dtype));
}

aclnnStatus tell_list_count(const struct call *call, unsigned parameter, unsigned reference)
{
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has %" PRIu64 " elements; %" PRIu64 ", as many as %s has, are expected", api(call),
                name(call, parameter), call->values[parameter].count, call->values[reference].count,
                name(call, reference));
}

aclnnStatus tell_list_element(const struct call *call, unsigned parameter, uint64_t index, aclDataType dtype,
                              const struct tensor_view *expected)
{
    const struct tensor_view *view = &call->values[parameter].value.tensor[index];
    struct text found = {0}, wanted = {0};
    append_shape(&found, view->rank, view->shape);
    append_shape(&wanted, expected->rank, expected->shape);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: tensor %" PRIu64
                " of %s has dtype %s and shape %s; %s and %s, without indices that share "
                "an element, are expected",
                api(call), index, name(call, parameter), dtype_name(view->dtype), found.bytes,
                dtype_name(dtype), wanted.bytes);
}

aclnnStatus tell_broadcast(const struct call *call, unsigned parameter, unsigned first, unsigned checked,
                           const struct shape *shape)
{
    struct text found = {0}, common = {0};
    append_shape(&found, call->tensor[parameter].rank, call->tensor[parameter].shape);
    append_shape(&common, shape->rank, shape->dim);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has shape %s, which does not broadcast with %s, the shape of %s%s; "
                "sizes that are equal or 1 are expected, aligned at the last dim",
                api(call), name(call, parameter), found.bytes, common.bytes, name(call, first),
                checked == 1 ? "" : " broadcast with the arguments before");
}

aclnnStatus tell_output_shape(const struct call *call, unsigned parameter, const struct shape *shape)
{
    struct text found = {0}, expected = {0};
    append_shape(&found, call->tensor[parameter].rank, call->tensor[parameter].shape);
    append_shape(&expected, shape->rank, shape->dim);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has shape %s; %s, the shape that the inputs lead to, is expected", api(call),
                name(call, parameter), found.bytes, expected.bytes);
}

aclnnStatus tell_promotion(const struct call *call, unsigned parameter, aclDataType before)
{
    struct text found = {0}, common = {0};
    append_dtype(&found, call_dtype(call, parameter));
    append_dtype(&common, before);
    return fail(ACLNN_ERR_PARAM_INVALID,
                "%s: %s has dtype %s, which does not promote with %s, the dtype of the arguments before; "
                "dtypes with a common one are expected",
                api(call), name(call, parameter), found.bytes, common.bytes);
}

aclnnStatus tell_choice(const struct call *call, unsigned parameter)
{
    const char *const *names = call->function->parameter[parameter].choices;
    struct text expected = {0};
    for (unsigned i = 0; names[i] != NULL; i++)
        append(&expected, "%s%u (%s)", i == 0 ? "" : names[i + 1] != NULL ? ", " : " or ", i, names[i]);
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %" PRId64 "; %s is expected", api(call),
                name(call, parameter), call->argument[parameter].int64, expected.bytes);
}

aclnnStatus tell_self_overlap(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct text shape = {0}, stride = {0};
    append_shape(&shape, view->rank, view->shape);
    append_shape(&stride, view->rank, view->stride);
    return report_misuse(
        RULE_SELF_OVERLAP, ACLNN_ERR_PARAM_INVALID,
        "%s: %s overlaps itself with shape %s and strides %s; an output is expected to have one "
        "element for each index",
        api(call), name(call, parameter), shape.bytes, stride.bytes);
}

aclnnStatus tell_impossible_view(const struct call *call, unsigned parameter, const struct tensor_view *view)
{
    struct text shape = {0}, stride = {0};
    append_shape(&shape, view->rank, view->shape);
    append_shape(&stride, view->rank, view->stride);
    return report_misuse(RULE_VIEW, ACLNN_ERR_PARAM_INVALID,
                         "%s: %s has shape %s, strides %s and offset %" PRId64
                         "; dims, strides and offset of 0 or "
                         "more and at most 2^63 - 1 elements, the last one included, are expected",
                         api(call), name(call, parameter), shape.bytes, stride.bytes, view->offset);
}
