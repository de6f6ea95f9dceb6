/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Looks for numbers that are not finite. An output that has some before the task runs is not judged: nothing
 * appears there, or what was there before is garbage, which the task may leave as it is.
 */
#include "check/numbers.h"

#include <inttypes.h>
#include <string.h>

#include "check/extent.h"
#include "runtime/addresses/reach.h"
#include "check/reporter.h"
#include "check/submitted.h"

enum { BLOCK = 1024 };

/* How the numbers of a dtype are told: without the sign infinity is the least that is not finite, and NaN is
 * above it. */
struct number_format {
    uint32_t bytes; /* of one number; 0: all are finite */
    uint64_t magnitude, infinity;
    uint64_t least; /* that is bad */
};

static struct number_format format_of(aclDataType dtype)
{
    switch (dtype) {
    case ACL_FLOAT16:
        return (struct number_format){2, INT16_MAX, 0x7c00, 0x7c00};
    case ACL_BF16:
        return (struct number_format){2, INT16_MAX, 0x7f80, 0x7f80};
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        return (struct number_format){4, INT32_MAX, 0x7f800000, 0x7f800000};
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        return (struct number_format){8, INT64_MAX, UINT64_C(0x7ff) << 52, UINT64_C(0x7ff) << 52};
    default:
        return (struct number_format){0};
    }
}

/* The format whose numbers are reported. FLOAT16 ends at 65504, and programs that scale their loss go beyond
 * it on purpose, to find out how far they may. */
static struct number_format format_of_result(aclDataType dtype)
{
    struct number_format format = format_of(dtype);
    format.least += dtype == ACL_FLOAT16;
    return format;
}

static uint64_t read_number(const unsigned char *from, uint32_t bytes)
{
    uint16_t half;
    uint32_t word;
    uint64_t number;
    if (bytes == 2) {
        memcpy(&half, from, sizeof half);
        return half;
    }
    if (bytes == 4) {
        memcpy(&word, from, sizeof word);
        return word;
    }
    memcpy(&number, from, sizeof number);
    return number;
}

/* Whether number i is infinite or NaN: as large as least, without its sign. */
typedef bool bad_function(const void *number, size_t i, const struct number_format *format);

/* Whether some of count numbers is bad: without a branch for each, so that compilers use vectors. */
static inline __attribute__((always_inline)) bool
some_is_bad(bad_function *is_bad, const void *number, size_t count, const struct number_format *format)
{
    size_t at = 0;
    for (; count - at >= BLOCK; at += BLOCK) {
        unsigned bad = 0;
        for (size_t i = at; i < at + BLOCK; i++)
            bad |= is_bad(number, i, format);
        if (bad != 0)
            return true;
    }
    for (; at < count; at++)
        if (is_bad(number, at, format))
            return true;
    return false;
}

#define DEFINE_IS_BAD(type)                                                                            \
    static inline bool is_bad_##type(const void *number, size_t i, const struct number_format *format) \
    {                                                                                                  \
        return (((const type *)number)[i] & (type)format->magnitude) >= (type)format->least;           \
    }
DEFINE_IS_BAD(uint16_t)
DEFINE_IS_BAD(uint32_t)
DEFINE_IS_BAD(uint64_t)

static bool run_has_bad(const void *run, uint64_t bytes, const struct number_format *format)
{
    size_t count = bytes / format->bytes;
    if (format->bytes == 2)
        return some_is_bad(is_bad_uint16_t, run, count, format);
    if (format->bytes == 4)
        return some_is_bad(is_bad_uint32_t, run, count, format);
    return some_is_bad(is_bad_uint64_t, run, count, format);
}

static bool has_bad(const struct extent *extent, const struct number_format *format)
{
    struct extent_walk walk = extent_walk(extent);
    do
        if (run_has_bad(memory_reach((const void *)walk.run), extent->run, format))
            return true;
    while (extent_walk_next(&walk));
    return false;
}

/* A number of an access: the last axis goes fastest. */
static const unsigned char *address_of(const struct access *access, uint64_t element)
{
    const unsigned char *address = (const unsigned char *)access->address;
    for (uint32_t i = access->rank; i-- > 0;) {
        uint64_t count = (uint64_t)access->shape[i];
        address += element % count * (uint64_t)access->stride[i] * access->element_bytes;
        element /= count;
    }
    return address;
}

static uint64_t count_elements(const struct access *access)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < access->rank; i++)
        count *= (uint64_t)access->shape[i];
    return count;
}

/* The first of count elements that is not finite, and how. count: there was one, and other work has written
 * there since. */
static uint64_t find_bad(const struct access *access, uint64_t count, const struct number_format *format,
                         const char **what)
{
    for (uint64_t element = 0; element < count; element++)
        for (uint32_t at = 0; at < access->element_bytes; at += format->bytes) {
            uint64_t number = read_number(
                (const unsigned char *)memory_reach(address_of(access, element)) + at, format->bytes);
            if ((number & format->magnitude) < format->least)
                continue;
            *what = (number & format->magnitude) > format->infinity ? "NaN" : "infinite";
            return element;
        }
    return count;
}

/* The look before a task runs. */
struct look_before {
    struct access_visitor visitor;
    struct numbers_before *before;
    uint32_t outputs; /* that have been visited */
};

static bool is_finite(const struct access *access, const struct number_format *format)
{
    struct extent extent;
    return format->bytes == 0 || !extent_of_access(access, &extent) || !has_bad(&extent, format);
}

static void look_before(struct access_visitor *visitor, const struct access *access)
{
    struct look_before *look = (struct look_before *)visitor;
    const struct number_format format = format_of(access->dtype);
    if ((access->mode & ACCESS_WRITTEN) == 0)
        return;
    uint32_t output = look->outputs++;
    if (output < NUMBERS_OUTPUTS && format.bytes != 0 && is_finite(access, &format))
        look->before->is_finite[output / 64] |= UINT64_C(1) << output % 64;
}

void numbers_begin_on(const struct task *task, struct numbers_before *before)
{
    struct look_before look = {.visitor = {look_before}, .before = before};
    memset(before, 0, sizeof *before);
    task->describe(task, &look.visitor);
}

static bool was_finite(const struct numbers_before *before, uint32_t output)
{
    return output < NUMBERS_OUTPUTS && (before->is_finite[output / 64] >> output % 64 & 1) != 0;
}

/* The look behind it: the first output that has become bad. */
struct look_behind {
    struct access_visitor visitor;
    const struct numbers_before *before;
    const struct task *task;
    uint32_t outputs;
    bool has_found;
    const char *parameter, *what;
    uint64_t element, count;

    /* The inputs of a task with such an output. */
    bool has_inputs, inputs_are_finite;
};

static void look_behind(struct access_visitor *visitor, const struct access *access)
{
    struct look_behind *look = (struct look_behind *)visitor;
    const struct number_format format = format_of_result(access->dtype);
    if ((access->mode & ACCESS_WRITTEN) == 0)
        return;
    bool is_judged = was_finite(look->before, look->outputs++) && (access->mode & ACCESS_NOT_FINITE) == 0;
    if (look->has_found || !is_judged || is_finite(access, &format))
        return;
    look->has_found = true;
    look->parameter = access->parameter;
    look->count = count_elements(access);
    look->element = find_bad(access, look->count, &format, &look->what);
}

/* What the outputs of a task have done to an input that lies on them. */
struct look_over {
    struct access_visitor visitor;
    const struct numbers_before *before;
    const struct extent *input;
    uint32_t outputs;
    bool has_met, was_finite;
};

static void look_over(struct access_visitor *visitor, const struct access *access)
{
    struct look_over *look = (struct look_over *)visitor;
    struct extent extent;
    if ((access->mode & ACCESS_WRITTEN) == 0)
        return;
    bool was_good = was_finite(look->before, look->outputs++);
    if (!extent_of_access(access, &extent) || !extents_overlap(&extent, look->input))
        return;
    /* What was there before is known of all of an output, or of nothing. */
    look->has_met = true;
    look->was_finite &= was_good && memcmp(&extent, look->input, sizeof extent) == 0;
}

/* Inputs on which outputs lie were looked at before, if at all. */
static void look_at_input(struct access_visitor *visitor, const struct access *access)
{
    struct look_behind *look = (struct look_behind *)visitor;
    const struct number_format format = format_of(access->dtype);
    struct extent extent;
    if ((access->mode & ACCESS_READ) == 0 || format.bytes == 0 || !extent_of_access(access, &extent))
        return;
    struct look_over over = {
        .visitor = {look_over}, .before = look->before, .input = &extent, .was_finite = true};
    look->task->describe(look->task, &over.visitor);
    look->has_inputs = true;
    look->inputs_are_finite &= over.has_met ? over.was_finite : !has_bad(&extent, &format);
}

void numbers_end_on(const struct task *task, const struct numbers_before *before)
{
    struct look_behind look = {
        .visitor = {look_behind}, .before = before, .task = task, .inputs_are_finite = true};
    task->describe(task, &look.visitor);
    if (!look.has_found)
        return;
    look.visitor.visit = look_at_input;
    task->describe(task, &look.visitor);
    /* What has no floating-point input makes its numbers up, and may make them infinite. */
    if (!look.has_inputs || !look.inputs_are_finite)
        return;
    struct call_place place = submitted_at(task);
    struct finding finding = {
        .rule = RULE_NUMBER,
        .advice = "Look at what goes in there: a division by 0, the logarithm of 0, a root of something "
                  "negative, or a number too large for the dtype.",
        .place = {{NULL, &place}}};
    if (look.element == look.count) {
        finding.advice = "Other work writes there at the same time: let one of them wait for the other.";
        report_finding(&finding,
                       "%s: an element of %s was NaN or infinite, and overwritten meanwhile; all inputs are "
                       "finite",
                       task->api, look.parameter);
        return;
    }
    report_finding(&finding, "%s: element %" PRIu64 " of %" PRIu64 " of %s is %s, and all inputs are finite",
                   task->api, look.element, look.count, look.parameter, look.what);
}

int numbers_run(struct task *task)
{
    struct numbers_before before;
    numbers_begin_on(task, &before);
    int status = task->run(task);
    if (status == 0)
        numbers_end_on(task, &before);
    return status;
}
