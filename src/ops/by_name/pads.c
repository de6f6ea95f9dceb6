/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers of a program that say how much to put around a tensor, or to take away.
 */
#include <string.h>

#include "base/error.h"
#include "ops/by_name/numbers.h"
#include "runtime/named/op_attribute.h"

/* What the attribute `padding` puts around the last two axes of an operand: nothing, or for SAME as much as
 * makes the windows, one each stride, whole, the odd one behind. */
int numbers_around(const struct named_call *call, const char *token, struct numbers *numbers)
{
    const struct named_operand *operand = numbers_operand(call, strchr(token, '/') + 1);
    const bool is_same = strcmp(op_attribute_text(call->attr, "padding", ""), "SAME") == 0;
    int64_t before[2] = {0, 0}, behind[2] = {0, 0};
    struct numbers window, stride;
    TRY(numbers_of(call, "ksize", NULL, &window));
    TRY(numbers_of(call, "strides", NULL, &stride));
    if (operand == NULL || operand->view.rank != 4 || window.count != 4 || stride.count != 4)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s has no tensor, ksize or strides of 4 axes", call->api,
                    call->named->name);
    for (int i = 0; is_same && i < 2; i++) {
        const int64_t size = operand->view.dims[2 + i], step = stride.value[2 + i],
                      wide = window.value[2 + i];
        if (step <= 0 || step > INT32_MAX || wide <= 0 || wide > INT32_MAX || size > INT32_MAX)
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: %s has a window of %lld each %lld; 1 or more is expected", call->api,
                        call->named->name, (long long)wide, (long long)step);
        const int64_t sum = size > 0 ? ((size - 1) / step) * step + wide - size : 0;
        before[i] = sum > 0 ? sum / 2 : 0;
        behind[i] = sum > 0 ? sum - before[i] : 0;
    }
    const int64_t sign = strncmp(token, "@crop", 5) == 0 ? -1 : 1;
    numbers->count = 4;
    if (strncmp(token, "@edges", 6) == 0)
        memcpy(numbers->value, (const int64_t[]){before[0], before[1], behind[0], behind[1]},
               4 * sizeof(int64_t));
    else
        memcpy(numbers->value,
               (const int64_t[]){sign * before[1], sign * behind[1], sign * before[0], sign * behind[0]},
               4 * sizeof(int64_t));
    return 0;
}

/* What has to be put around an operand so that as many windows as another one has end with it, the last axis
 * first: torch_npu says how many there are by the tensors, and more of `pads` than they take. */
int numbers_fill(const struct named_call *call, const char *token, struct numbers *numbers)
{
    const char *first = strchr(token, '/') + 1;
    const struct named_operand *operand = numbers_operand(call, first),
                               *windows = numbers_operand(call, strchr(first, '/') + 1);
    const int64_t sign = token[1] == 'u' ? -1 : 1, most = INT32_MAX;
    struct numbers window, stride, pads;
    TRY(numbers_of(call, "ksize:d", NULL, &window));
    TRY(numbers_of(call, "strides:d", NULL, &stride));
    TRY(numbers_of(call, "pads", NULL, &pads));
    bool fits = operand->view.rank >= 3 && windows->view.rank >= 3 && window.count == 3 &&
                stride.count == 3 && pads.count == 6;
    numbers->count = 6;
    for (int i = 0; i < 3 && fits; i++) {
        const int64_t size = operand->view.dims[operand->view.rank - 3 + i], before = pads.value[2 * i],
                      count = windows->view.dims[windows->view.rank - 3 + i], step = stride.value[i];
        fits = size <= most && count <= most && step >= 0 && step <= most && before >= -most &&
               before <= most && window.value[i] >= 0 && window.value[i] <= most;
        numbers->value[4 - 2 * i] = sign * before;
        numbers->value[5 - 2 * i] = fits ? sign * ((count - 1) * step + window.value[i] - size - before) : 0;
    }
    return fits ? 0
                : fail(ACL_ERROR_INVALID_PARAM, "%s: ksize, strides or pads of %s are none of 3 axes",
                       call->api, call->named->name);
}

/* "@later/#1": a place more before the axis and one less behind it; "@earlier/#1" the other way. */
int numbers_moves(const struct named_call *call, const char *token, aclrtStream stream,
                  struct numbers *numbers)
{
    const int64_t rank = call->input[0].view.rank, sign = token[1] == 'l' ? 1 : -1;
    struct numbers axis;
    TRY(numbers_of(call, strchr(token, '/') + 1, stream, &axis));
    const int64_t at = axis.value[0] < 0 ? axis.value[0] + rank : axis.value[0];
    if (at < 0 || at >= rank)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s has no axis %lld", call->api, call->named->name,
                    (long long)axis.value[0]);
    numbers->count = 2 * (uint64_t)rank;
    numbers->value[2 * (rank - 1 - at)] = sign;
    numbers->value[2 * (rank - 1 - at) + 1] = -sign;
    return 0;
}

/* "@blocks/x1/x2_c1_offset": channels from 16 times an attribute on, as many as the output has. */
int numbers_blocks(const struct named_call *call, const char *token, struct numbers *numbers)
{
    enum { BLOCK = 16 };
    const char *word = strchr(token, '/') + 1;
    const struct named_operand *operand = numbers_operand(call, word);
    const struct tensor_desc_view *out = &call->output[0].view;
    struct numbers offset;
    TRY(numbers_of(call, strchr(word, '/') + 1, NULL, &offset));
    const int64_t first = offset.value[0], rank = operand->view.rank;
    if (rank < 2 || out->rank != rank || first < 0 || first > INT32_MAX || out->dims[1] > INT32_MAX ||
        first * BLOCK > operand->view.dims[1])
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s takes channels from %lld of an operand on", call->api,
                    call->named->name, (long long)first * BLOCK);
    numbers->count = 2 * (uint64_t)rank;
    numbers->value[2 * (rank - 2)] = -first * BLOCK;
    numbers->value[2 * (rank - 2) + 1] = out->dims[1] - (operand->view.dims[1] - first * BLOCK);
    return 0;
}
