/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sentences of the checks that take more than a format string; those of the checks in line are declared
 * beside them. Each records its sentence and returns
 * ACLNN_ERR_PARAM_INVALID.
 */
#ifndef BELAY_OPS_CHECK_MESSAGE_H
#define BELAY_OPS_CHECK_MESSAGE_H

#include "ops/check.h"

aclnnStatus tell_impossible_view(const struct call *call, unsigned parameter, const struct tensor_view *view)
    __attribute__((cold));
aclnnStatus tell_output_dtype(const struct call *call, unsigned parameter, const struct output *output)
    __attribute__((cold));
aclnnStatus tell_list_count(const struct call *call, unsigned parameter, unsigned reference)
    __attribute__((cold));
aclnnStatus tell_list_element(const struct call *call, unsigned parameter, uint64_t index, aclDataType dtype,
                              const struct tensor_view *expected) __attribute__((cold));
aclnnStatus tell_same_shape(const struct call *call, unsigned parameter, unsigned reference, const char *hint)
    __attribute__((cold));
/* shape is what the first checked parameters broadcast to, first being the name of the only one so far. */
aclnnStatus tell_broadcast(const struct call *call, unsigned parameter, unsigned first, unsigned checked,
                           const struct shape *shape) __attribute__((cold));
aclnnStatus tell_output_shape(const struct call *call, unsigned parameter, const struct shape *shape)
    __attribute__((cold));
aclnnStatus tell_promotion(const struct call *call, unsigned parameter, aclDataType before)
    __attribute__((cold));
aclnnStatus tell_castable(const struct call *call, aclDataType dtype, unsigned parameter)
    __attribute__((cold));
/* A scalar cannot become the dtype that is computed in; allowed: those that can. */
aclnnStatus tell_scalar(const struct call *call, unsigned parameter, uint64_t allowed, aclDataType computed)
    __attribute__((cold));
aclnnStatus tell_choice(const struct call *call, unsigned parameter) __attribute__((cold));
aclnnStatus tell_self_overlap(const struct call *call, unsigned parameter) __attribute__((cold));

#endif
