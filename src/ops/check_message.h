/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentences of refused calls: the API, the argument, what was found, what is expected, and which other
 * product would have allowed what was found.
 */
#ifndef BELAY_OPS_CHECK_MESSAGE_H
#define BELAY_OPS_CHECK_MESSAGE_H

#include "ops/call.h"

/* Records "API: " and the sentence, and returns ACLNN_ERR_PARAM_INVALID. */
aclnnStatus refuse(const struct call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* A piece of a sentence; what does not fit is cut off. */
struct text {
    size_t length;
    char bytes[320];
};

/* Room for a piece, as long as the block it stands in. */
#define TEXT (&(struct text){.length = 0})

void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* "[2, 3]"; of a longer shape only the first OPERAND_RANK_MAX dims are told. */
const char *dims_text(struct text *text, uint32_t rank, const int64_t *dim) __attribute__((cold));

static inline const char *shape_text(struct text *text, const struct tensor_view *view)
{
    return dims_text(text, view->rank, view->shape);
}

static inline const char *call_name(const struct call *call, unsigned parameter)
{
    return call->function->parameter[parameter].name;
}

/* The dtype is not in the parameter's set. */
aclnnStatus tell_dtype(const struct call *call, unsigned parameter, aclDataType dtype) __attribute__((cold));
/* The parameter's dtype has none in common with that of those before. */
aclnnStatus tell_promotion(const struct call *call, unsigned parameter, aclDataType before)
    __attribute__((cold));
/* A result of this dtype cannot be stored in the parameter. */
aclnnStatus tell_castable(const struct call *call, aclDataType dtype, unsigned parameter)
    __attribute__((cold));
/* A scalar cannot become the dtype that is computed in; allowed: those that can. */
aclnnStatus tell_scalar(const struct call *call, unsigned parameter, uint64_t allowed, aclDataType computed)
    __attribute__((cold));
aclnnStatus tell_list_count(const struct call *call, unsigned parameter, unsigned reference)
    __attribute__((cold));
/* The parameter does not broadcast to the shape, which is that of `what`. */
aclnnStatus tell_fit(const struct call *call, unsigned parameter, const struct shape *shape, const char *what)
    __attribute__((cold));

#endif
