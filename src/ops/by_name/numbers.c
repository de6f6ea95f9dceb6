/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The numbers of a program.
 */
#include "ops/by_name/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "acl/acl_rt.h"
#include "base/error.h"
#include "base/number_text.h"
#include "runtime/addresses/memory.h"
#include "runtime/named/op_attribute.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "tensor/dtype.h"

enum { NAME_BYTES = 48 };

struct named_operand *numbers_operand(const struct named_call *call, const char *token)
{
    const int place = atoi(token + 1);
    if (token[0] == 'x')
        return place < call->inputs ? &call->input[place] : NULL;
    return place < call->outputs ? &call->output[place] : NULL;
}

static double as_double(aclDataType dtype, const void *at)
{
    float fp32;
    double fp64;
    int32_t int32;
    int64_t int64;
    uint64_t uint64;
    uint16_t bits;
    switch (dtype) {
    case ACL_FLOAT:
        memcpy(&fp32, at, sizeof fp32);
        return (double)fp32;
    case ACL_FLOAT16:
        memcpy(&bits, at, sizeof bits);
        return (double)aclFloat16ToFloat(bits);
    case ACL_DOUBLE:
        memcpy(&fp64, at, sizeof fp64);
        return fp64;
    case ACL_INT64:
        memcpy(&int64, at, sizeof int64);
        return (double)int64;
    case ACL_UINT64:
        memcpy(&uint64, at, sizeof uint64);
        return (double)uint64;
    case ACL_INT32:
        memcpy(&int32, at, sizeof int32);
        return int32;
    case ACL_INT8:
        return *(const int8_t *)at;
    case ACL_UINT8:
    case ACL_BOOL:
        return *(const uint8_t *)at;
    default:
        return (double)NAN;
    }
}

int numbers_bring(const struct named_call *call, const struct named_operand *operand, aclrtStream stream,
                  void *to)
{
    const size_t size = operand->view.bytes;
    struct memory_block block;
    bool drops;
    if (size == 0)
        return 0;
    if (!memory_find(operand->address, &block) || block.place != MEMORY_DEVICE) {
        memcpy(to, operand->address, size);
        return 0;
    }
    TRY(stream_finish(call->api, stream, &drops));
    return aclrtMemcpy(to, size, operand->address, size, ACL_MEMCPY_DEVICE_TO_HOST);
}

static int read_input(const struct named_call *call, int place, aclrtStream stream, struct numbers *numbers)
{
    _Alignas(8) unsigned char bytes[NUMBERS_MAX * sizeof(int64_t)];
    const struct named_operand *operand = place < call->inputs ? &call->input[place] : NULL;
    if (operand == NULL || !operand->is_there)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: input %d of %s is left out; numbers are expected",
                    call->api, place, call->named->name);
    const size_t each = dtype_bytes(operand->view.dtype), size = operand->view.bytes;
    if (each == 0 || size > NUMBERS_MAX * each || size > sizeof bytes ||
        isnan(as_double(operand->view.dtype, (const uint64_t[]){0})))
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: input %d of %s has %zu bytes of %s; at most %d numbers are expected", call->api,
                    place, call->named->name, size, dtype_name(operand->view.dtype), NUMBERS_MAX);
    TRY(numbers_bring(call, operand, stream, bytes));
    numbers->count = size / each;
    numbers->dtype = operand->view.dtype;
    for (uint64_t i = 0; i < numbers->count; i++) {
        const double value = as_double(operand->view.dtype, bytes + i * each);
        numbers->value[i] = fabs(value) < 0x1p63 ? (int64_t)value : 0;
        if (operand->view.dtype == ACL_INT64 || operand->view.dtype == ACL_UINT64)
            memcpy(&numbers->value[i], bytes + i * each, sizeof(int64_t));
        numbers->first = i == 0 ? value : numbers->first;
    }
    return 0;
}

/* The one of them that is meant by "$2.1". */
static int pick(const struct named_call *call, const char *token, struct numbers *numbers)
{
    const char *point = strchr(token, '.');
    const uint64_t place = point != NULL ? (uint64_t)atoi(point + 1) : 0;
    if (point == NULL)
        return 0;
    if (place >= numbers->count)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: input %d of %s has %llu numbers; more than %llu are expected", call->api,
                    atoi(token + 1), call->named->name, (unsigned long long)numbers->count,
                    (unsigned long long)place);
    numbers->value[0] = numbers->value[place];
    numbers->first = (double)numbers->value[0];
    numbers->count = 1;
    return 0;
}

/* What no integer holds, an infinite order of a norm for one, is a FLOAT. */
static void one_number(struct numbers *numbers, double value, aclDataType dtype)
{
    const bool is_small = fabs(value) < 0x1p63;
    numbers->count = 1;
    numbers->value[0] = is_small ? (int64_t)value : 0;
    numbers->first = value;
    numbers->dtype = is_small ? dtype : ACL_FLOAT;
}

static void literals(const char *text, struct numbers *numbers)
{
    for (const char *at = text + 1; *at != '\0' && *at != ']' && numbers->count < NUMBERS_MAX;) {
        char *end;
        numbers->value[numbers->count++] = strtoll(at, &end, 10);
        at = end + (*end == ',');
    }
    numbers->first = (double)numbers->value[0];
    numbers->dtype = ACL_INT64;
}

/* How long each output is along an axis of the first. */
static int lengths_along(const struct named_call *call, const char *axis_token, aclrtStream stream,
                         struct numbers *numbers)
{
    struct numbers axis;
    TRY(numbers_of(call, axis_token, stream, &axis));
    for (int i = 0; i < call->outputs; i++) {
        const struct tensor_desc_view *view = &call->output[i].view;
        const int64_t at = axis.value[0] < 0 ? axis.value[0] + view->rank : axis.value[0];
        if (axis.count != 1 || at < 0 || at >= view->rank || i >= NUMBERS_MAX)
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: output %d of %s has no axis %lld; at most %d outputs that have it are expected",
                        call->api, i, call->named->name, (long long)axis.value[0], NUMBERS_MAX);
        numbers->value[numbers->count++] = view->dims[at];
    }
    return 0;
}

int32_t numbers_channel_axis(const struct named_call *call)
{
    const char *format = op_attribute_text(call->attr, "data_format", "NCHW");
    const size_t letters = strlen(format);
    const int32_t rank = call->input[0].view.rank;
    return rank < 2 ? 0 : letters > 2 && format[letters - 1] == 'C' ? rank - 1 : 1;
}

/* "@tail/x1": the dims that a norm is taken over. */
static int tail_of(const struct named_call *call, const char *token, struct numbers *numbers)
{
    const struct named_operand *like = numbers_operand(call, strchr(token, '/') + 1);
    const struct tensor_desc_view *x = &call->input[0].view;
    double from = op_attribute_number(call->attr, "begin_norm_axis", (double)NAN);
    if (isnan(from))
        from = like != NULL && like->is_there ? -(double)like->view.rank : 0;
    from += from < 0 ? x->rank : 0;
    if (from < 0 || from >= x->rank)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: begin_norm_axis of %s is none of %d axes", call->api,
                    call->named->name, (int)x->rank);
    for (int32_t k = (int32_t)from; k < x->rank; k++)
        numbers->value[numbers->count++] = x->dims[k];
    return 0;
}

static double count_of(const struct tensor_desc_view *view)
{
    double count = 1;
    for (int32_t k = 0; k < view->rank; k++)
        count *= (double)view->dims[k];
    return count;
}

/* "@rank", "@count", "@terms", "@y0", "@y0.1", and "@calls", which is another number each time. */
static int dims_of(const struct named_call *call, const char *token, struct numbers *numbers)
{
    static _Atomic int64_t calls;
    if (strcmp(token, "@calls") == 0) {
        one_number(numbers, (double)atomic_fetch_add(&calls, 1), ACL_INT64);
        return 0;
    }
    if (strcmp(token, "@elements") == 0) {
        one_number(numbers, count_of(&call->output[0].view), ACL_INT64);
        return 0;
    }
    if (strcmp(token, "@count") == 0 || strcmp(token, "@terms") == 0) {
        const double count = count_of(&call->input[0].view), each = count_of(&call->output[0].view);
        const double less =
            op_attribute_number(call->attr, "correction", op_attribute_number(call->attr, "unbiased", 1));
        one_number(numbers, token[1] == 'c' ? count : (each > 0 ? count / each : 0) - less, ACL_INT64);
        return 0;
    }
    const bool is_rank = strcmp(token, "@rank") == 0;
    const struct named_operand *operand = numbers_operand(call, is_rank ? "x0" : token + 1);
    const char *axis = strchr(token, '.');
    if (operand == NULL || !operand->is_there || (axis != NULL && atoi(axis + 1) >= (int)operand->view.rank))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: an operand of %s is left out, or of too few axes",
                    call->api, call->named->name);
    if (is_rank || axis != NULL) {
        one_number(numbers, (double)(is_rank ? operand->view.rank : operand->view.dims[atoi(axis + 1)]),
                   ACL_INT64);
        return 0;
    }
    numbers->count = (uint64_t)operand->view.rank;
    memcpy(numbers->value, operand->view.dims, numbers->count * sizeof(int64_t));
    return 0;
}

/* "mode=constant": in large letters or small, or not given. */
static bool text_is(const struct named_call *call, const char *condition)
{
    char name[NAME_BYTES];
    const char *value = strchr(condition, '=');
    snprintf(name, sizeof name, "%.*s", (int)(value - condition), condition);
    return strcasecmp(op_attribute_text(call->attr, name, value + 1), value + 1) == 0;
}

bool numbers_is_set(const struct named_call *call, const char *name, aclrtStream stream)
{
    const struct settings *settings;
    struct numbers numbers;
    if (name[0] == 'x' && isdigit((unsigned char)name[1])) {
        const struct named_operand *operand = numbers_operand(call, name);
        return operand != NULL && operand->is_there && (strchr(name, '+') == NULL || operand->view.rank > 0);
    }
    if (strcmp(name, "@same") == 0)
        return strcmp(op_attribute_text(call->attr, "padding", ""), "SAME") == 0;
    if (strcmp(name, "@even") == 0) {
        bool is_even = numbers_of(call, "pads", stream, &numbers) == 0;
        for (uint64_t i = 0; i + 1 < numbers.count; i += 2)
            is_even &= numbers.value[i] == numbers.value[i + 1];
        return is_even;
    }
    if (strcmp(name, "@eps") == 0)
        return op_attribute_number(call->attr, "eps", 1) != 1;
    if (strcmp(name, "@slots") == 0)
        return op_attribute_number(call->attr, "update_slots", 1) != 0;
    if (strcmp(name, "@none") == 0)
        return op_attribute_number(call->attr, "noop_with_empty_axes", 0) != 0 &&
               numbers_of(call, call->inputs > 1 ? "$1" : "axes=[]", stream, &numbers) == 0 &&
               numbers.count == 0;
    if (strcmp(name, "@whole") == 0)
        return numbers_of(call, "@tail/x1", stream, &numbers) == 0 &&
               (int64_t)numbers.count == call->input[1].view.rank;
    if (strchr(name, '=') != NULL)
        return text_is(call, name);
    if (strcmp(name, "@floats") == 0) {
        const aclDataType dtype = call->input[0].view.dtype;
        return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
    }
    if (strcmp(name, "@950") == 0)
        return settings_get(&settings) == 0 && settings->product == PRODUCT_950;
    if (name[0] == '#')
        return numbers_of(call, name, stream, &numbers) == 0 && numbers.first != 0;
    return op_attribute_number(call->attr, name, 0) != 0;
}

/* "reduction{none,mean,sum}": the place of the text. */
static int choice_of(const struct named_call *call, const char *name, const char *choices,
                     struct numbers *numbers)
{
    const char *text = op_attribute_text(call->attr, name, "");
    const size_t length = strlen(text);
    int place = 0;
    if (length == 0) { /* not given: the first is what is usual */
        one_number(numbers, 0, ACL_INT64);
        return 0;
    }
    for (const char *at = choices; *at != '\0'; place++) {
        const size_t letters = strcspn(at, ",}");
        if (letters == length && strncmp(at, text, length) == 0) {
            one_number(numbers, place, ACL_INT64);
            return 0;
        }
        at += letters + 1;
    }
    return fail(ACL_ERROR_INVALID_PARAM, "%s: the attribute %s of %s is \"%s\"; one of {%s is expected",
                call->api, name, call->named->name, text, choices);
}

static int attribute_of(const struct named_call *call, const char *token, struct numbers *numbers)
{
    char name[NAME_BYTES];
    const size_t letters = strcspn(token, "={");
    snprintf(name, sizeof name, "%.*s", (int)letters, token);
    if (token[letters] == '{')
        return choice_of(call, name, token + letters + 1, numbers);
    uint64_t count;
    const int64_t *list = op_attribute_list(call->attr, name, &count);
    if (list != NULL && count <= NUMBERS_MAX) {
        numbers->count = count;
        memcpy(numbers->value, list, count * sizeof *list);
        numbers->first = count > 0 ? (double)list[0] : 0;
        return 0;
    }
    const double value = op_attribute_number(call->attr, name, (double)NAN);
    if (!isnan(value)) {
        one_number(numbers, value, value == floor(value) ? ACL_INT64 : ACL_FLOAT);
        return 0;
    }
    const char *point = strchr(name, '.'); /* "means.2": of a list of other numbers */
    if (point != NULL) {
        const uint64_t place = (uint64_t)atoi(point + 1);
        name[point - name] = '\0';
        const float *floats = op_attribute_floats(call->attr, name, &count);
        if (floats != NULL && place < count && count <= NUMBERS_MAX) {
            one_number(numbers, (double)floats[place], ACL_FLOAT);
            return 0;
        }
    }
    if (token[letters] == '=')
        return numbers_of(call, token + letters + 1, NULL, numbers);
    return fail(ACL_ERROR_INVALID_PARAM, "%s: %s has no attribute %s, which is expected", call->api,
                call->named->name, name);
}

static void apply_suffix(const struct named_call *call, char suffix, struct numbers *numbers)
{
    struct numbers before = *numbers;
    const int64_t rank = call->input[0].view.rank;
    if (suffix == 's' && before.count >= 2) {
        numbers->count -= 2;
        memcpy(numbers->value, before.value + 2, numbers->count * sizeof(int64_t));
    } else if (suffix == 'd' && before.count >= 3) {
        numbers->count = 3;
        memcpy(numbers->value, before.value + before.count - 3, 3 * sizeof(int64_t));
    } else if (suffix == 'm' && before.count >= 2) {
        numbers->count -= 2;
        memcpy(numbers->value, before.value + 1, numbers->count * sizeof(int64_t));
    } else if (suffix == 'h') {
        numbers->count /= 2;
        for (uint64_t i = 0; i < numbers->count; i++)
            numbers->value[i] = before.value[2 * i];
    } else if (suffix == 'p' || suffix == 'q') { /* (b0, a0, b1, a1), :p as (b1, a1, b0, a0) */
        const uint64_t axes = before.count / 2;
        const bool is_paired = op_attribute_number(call->attr, "paddings_contiguous", 1) != 0;
        for (uint64_t i = 0; i < axes; i++) {
            int64_t *pair = numbers->value + 2 * (suffix == 'p' ? axes - 1 - i : i);
            pair[0] = before.value[is_paired ? 2 * i : i];
            pair[1] = before.value[is_paired ? 2 * i + 1 : axes + i];
        }
    } else if (suffix == 'a' && before.count == 0) {
        numbers->count = (uint64_t)rank;
        for (int64_t i = 0; i < rank; i++)
            numbers->value[i] = i;
    } else if (suffix == '1' || suffix == 'b') {
        numbers->count = 0;
        for (int64_t i = 0; i < rank; i++)
            if (suffix == '1' || i != numbers_channel_axis(call))
                numbers->value[numbers->count++] = suffix == '1' ? 1 : i;
    }
}

/* No function of the library pads one side of an axis more than the other. */
static int check_halves(const struct named_call *call, const char *text, const struct numbers *numbers)
{
    for (uint64_t i = 0; i + 1 < numbers->count; i += 2)
        if (numbers->value[i] != numbers->value[i + 1])
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: %s of %s has %lld before and %lld behind an axis; as much is expected",
                        call->api, text, call->named->name, (long long)numbers->value[i],
                        (long long)numbers->value[i + 1]);
    return 0;
}

/* Numbers that two tokens stand for, one by one. */
static int sum_of(const struct named_call *call, char *text, char *plus, aclrtStream stream,
                  struct numbers *numbers)
{
    struct numbers other;
    *plus = '\0';
    TRY(numbers_of(call, text, stream, numbers));
    TRY(numbers_of(call, plus + 1, stream, &other));
    if (numbers->count != other.count)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: %s has lists of %llu and %llu numbers; as many are expected", call->api,
                    call->named->name, (unsigned long long)numbers->count, (unsigned long long)other.count);
    for (uint64_t i = 0; i < other.count; i++)
        numbers->value[i] = (int64_t)((uint64_t)numbers->value[i] + (uint64_t)other.value[i]);
    return 0;
}

int numbers_of(const struct named_call *call, const char *token, aclrtStream stream, struct numbers *numbers)
{
    char text[NAME_BYTES * 2];
    char suffix = '\0', *end;
    *numbers = (struct numbers){.dtype = ACL_INT64};
    snprintf(text, sizeof text, "%s", token);
    const size_t length = strlen(text);
    if (length > 2 && text[length - 2] == ':') {
        suffix = text[length - 1];
        text[length - 2] = '\0';
    }
    int status = 0;
    char *plus = strchr(text, '+');
    if (plus != NULL)
        return sum_of(call, text, plus, stream, numbers);
    if (strncmp(text, "1-", 2) == 0) {
        TRY(numbers_of(call, text + 2, stream, numbers));
        one_number(numbers, 1 - numbers->first, ACL_FLOAT);
        return 0;
    }
    const double number = number_from_text(text, &end);
    if (end != text && *end == '\0')
        one_number(numbers, number, strchr(text, '.') != NULL ? ACL_FLOAT : ACL_INT64);
    else if (text[0] == '$' || text[0] == '#') {
        status = read_input(call, text[1] == 'l' ? call->inputs - 1 : atoi(text + 1), stream, numbers);
        status = status == 0 ? pick(call, text, numbers) : status;
    } else if (text[0] == '[')
        literals(text, numbers);
    else if (strncmp(text, "@along/", 7) == 0)
        status = lengths_along(call, text + 7, stream, numbers);
    else if (strncmp(text, "@later/", 7) == 0 || strncmp(text, "@earlier/", 9) == 0)
        status = numbers_moves(call, text, stream, numbers);
    else if (strncmp(text, "@blocks/", 8) == 0)
        status = numbers_blocks(call, text, numbers);
    else if (strncmp(text, "@tail/", 6) == 0)
        status = tail_of(call, text, numbers);
    else if (strncmp(text, "@fill/", 6) == 0 || strncmp(text, "@unfill/", 8) == 0)
        status = numbers_fill(call, text, numbers);
    else if (text[0] == '@' && strchr(text, '/') != NULL)
        status = numbers_around(call, text, numbers);
    else if (strcmp(text, "@labels") == 0 || strcmp(text, "@formats") == 0 || strcmp(text, "@lowest") == 0 ||
             strcmp(text, "@greatest") == 0)
        status = numbers_of_kind(call, text, stream, numbers);
    else if (text[0] == '@')
        status = dims_of(call, text, numbers);
    else
        status = attribute_of(call, text, numbers);
    if (status == 0 && suffix == 'h')
        status = check_halves(call, text, numbers);
    if (status == 0)
        apply_suffix(call, suffix, numbers);
    return status;
}
