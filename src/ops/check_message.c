/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The pieces of sentences, and those sentences that several rules share.
 */
#include "ops/check_message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ops/promote.h"
#include "base/error.h"
#include "tensor/dtype.h"

aclnnStatus refuse(const struct call *call, const char *format, ...)
{
    char sentence[ERROR_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail(ACLNN_ERR_PARAM_INVALID, "%s: %s", call->function->operation.name, sentence);
}

void text_append(struct text *text, const char *format, ...)
{
    size_t room = sizeof text->bytes - text->length;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        text->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

const char *dims_text(struct text *text, uint32_t rank, const int64_t *dim)
{
    text_append(text, "[");
    for (uint32_t i = 0; i < rank && i < OPERAND_RANK_MAX; i++)
        text_append(text, "%s%" PRId64, i == 0 ? "" : ", ", dim[i]);
    text_append(text, rank > OPERAND_RANK_MAX ? ", ...] (%u dims)" : "]", rank);
    return text->bytes;
}

static const char *dtype_text(struct text *text, aclDataType dtype)
{
    /* dtype_name has the same words for all that it does not know. */
    if (strcmp(dtype_name(dtype), dtype_name(ACL_DT_UNDEFINED)) != 0)
        return dtype_name(dtype);
    text_append(text, "%d (unknown)", (int)dtype);
    return text->bytes;
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
    for (unsigned product = 0; product < PRODUCTS; product++)
        if (dtypes->on[product] & DTYPE_BIT(dtype))
            text_append(text, "%s%s", accepting++ == 0 ? " (" : " and ", families[product]);
    if (accepting > 0)
        text_append(text, " accept%s %s)", accepting == 1 ? "s" : "", dtype_name(dtype));
}

/* "FLOAT, FLOAT16 or BFLOAT16 expected on Ascend910B": those of the parameter that are among the allowed. */
static const char *expected_text(struct text *text, const struct call *call, unsigned parameter,
                                 uint64_t allowed, aclDataType found)
{
    const struct dtype_set *dtypes = call->function->parameter[parameter].dtypes;
    const uint64_t set = dtypes->on[call->settings->product] & allowed;
    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
        const char *before = rest == set ? "" : (rest & (rest - 1)) == 0 ? " or " : ", ";
        text_append(text, "%s%s", before, dtype_name((aclDataType)__builtin_ctzll(rest)));
    }
    text_append(text, " expected on %s", call->settings->soc_name);
    if (found >= 0 && found < 64 && (allowed & DTYPE_BIT(found)) != 0)
        append_other_products(text, dtypes, found);
    return text->bytes;
}

aclnnStatus tell_dtype(const struct call *call, unsigned parameter, aclDataType dtype)
{
    bool is_dtype = call->function->parameter[parameter].kind == PARAMETER_DTYPE;
    return refuse(call, "%s %s %s; %s", call_name(call, parameter), is_dtype ? "is" : "has dtype",
                  dtype_text(TEXT, dtype), expected_text(TEXT, call, parameter, UINT64_MAX, dtype));
}

aclnnStatus tell_castable(const struct call *call, aclDataType dtype, unsigned parameter)
{
    const aclDataType found = call->tensor[parameter].dtype;
    return refuse(call, "%s has dtype %s, to which a result of dtype %s cannot be cast; %s",
                  call_name(call, parameter), dtype_text(TEXT, found), dtype_name(dtype),
                  expected_text(TEXT, call, parameter, castable_from(dtype), found));
}

aclnnStatus tell_scalar(const struct call *call, unsigned parameter, uint64_t allowed, aclDataType computed)
{
    const aclDataType found = call->scalar[parameter].dtype;
    return refuse(call, "%s has dtype %s, which does not fit the dtype of the result, %s; %s",
                  call_name(call, parameter), dtype_text(TEXT, found), dtype_name(computed),
                  expected_text(TEXT, call, parameter, allowed, found));
}

aclnnStatus tell_promotion(const struct call *call, unsigned parameter, aclDataType before)
{
    return refuse(call,
                  "%s has dtype %s, which does not promote with %s, the dtype of the arguments before; "
                  "dtypes with a common one are expected",
                  call_name(call, parameter), dtype_text(TEXT, call_dtype(call, parameter)),
                  dtype_text(TEXT, before));
}

aclnnStatus tell_list_count(const struct call *call, unsigned parameter, unsigned reference)
{
    return refuse(call, "%s has %" PRIu64 " elements; %" PRIu64 ", as many as %s has, are expected",
                  call_name(call, parameter), call->values[parameter].count, call->values[reference].count,
                  call_name(call, reference));
}

aclnnStatus tell_fit(const struct call *call, unsigned parameter, const struct shape *shape, const char *what)
{
    return refuse(call,
                  "%s has shape %s, which does not broadcast to %s, the shape of %s; sizes that are equal "
                  "or 1 are expected, aligned at the last dim",
                  call_name(call, parameter), shape_text(TEXT, &call->tensor[parameter]),
                  dims_text(TEXT, shape->rank, shape->dim), what);
}
