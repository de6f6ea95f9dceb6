/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What every function computes, bit for bit as it is recorded: calls made of its description, in each dtype, with
 * one operand after the other left out and one attribute after the other changed, on three kinds of numbers. Other
 * tests judge what is right; this one sees that nothing else comes out on any machine, at any level, with any number
 * of threads, or after a change of the code. recorded_digests.txt is written by scripts/recorded_digests.py.
 *
 *     recorded [NAME...]          some functions
 *     recorded --record           prints a digest for each function
 *     recorded --calls [NAME...]  prints one for each call too, to find the call that two builds differ in
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

#include "base/splitmix.h"
#include "ops/sampled_call.h"
#include "support/effort.h"

/* Bytes in front of an operand and behind it that hold what no call may take for a number of its own. */
enum { IN_FRONT = 256, BEHIND = 2048, WRONG_TOLD = 30 };

/* Numbers near 1; of both signs, over eight binary orders; the same with every fourth one special, but finite; any bits
 * at all, every fourth one a special value, and integers that are small but for every fourth one. Before that, integers
 * are good as indices. */
enum numbers { NUMBERS_NEAR, NUMBERS_SIGNED, NUMBERS_FINITE, NUMBERS_ANY };

/* How often a call is made, each time on other numbers. */
enum { ROUNDS = 10 };

static enum numbers numbers_of(unsigned round)
{
    return round == 0 ? NUMBERS_NEAR : (enum numbers)(NUMBERS_SIGNED + round % 3);
}

static char **chosen;
static bool is_recording, tells_calls;

/* How a dtype holds floats: some dtypes hold two. */
struct float_format {
    aclDataType dtype;
    unsigned bytes, fraction, bias;
};

static const struct float_format formats[] = {
    {ACL_FLOAT, 4, 23, 127},      {ACL_FLOAT16, 2, 10, 15},    {ACL_BF16, 2, 7, 127},
    {ACL_DOUBLE, 8, 52, 1023},    {ACL_COMPLEX64, 4, 23, 127}, {ACL_COMPLEX128, 8, 52, 1023},
    {ACL_FLOAT8_E4M3FN, 1, 3, 7}, {ACL_FLOAT8_E5M2, 1, 2, 15},
};

static const struct float_format *format_of(aclDataType dtype)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

/* The bits of a float, drawn. */
static uint64_t draw_float(const struct float_format *format, enum numbers numbers, uint64_t drawn)
{
    const unsigned sign = format->bytes * 8 - 1;
    const uint64_t fraction = drawn & ((UINT64_C(1) << format->fraction) - 1), minus = drawn >> 63 << sign,
                   inf = (UINT64_C(1) << sign) - (UINT64_C(1) << format->fraction),
                   one = (uint64_t)format->bias << format->fraction;
    const uint64_t specials[] = {0,  1, UINT64_C(1) << format->fraction, one, inf - 1, inf, inf | inf >> 1,
                                 one};
    const bool is_special = (drawn >> 53 & 3) == 0;
    if (numbers == NUMBERS_NEAR)
        return (one | fraction) - ((drawn >> 60 & 1) << format->fraction);
    if (numbers == NUMBERS_ANY && is_special)
        return minus | specials[drawn >> 57 & 7];
    if (numbers == NUMBERS_ANY)
        return drawn & ((UINT64_C(2) << sign) - 1);
    if (numbers == NUMBERS_FINITE && is_special)
        return minus | specials[drawn >> 57 & 3];
    return minus |
           ((one | fraction) + ((drawn >> 57 & 7) << format->fraction) - (UINT64_C(4) << format->fraction));
}

static uint64_t draw_integer(enum numbers numbers, enum contents contents, size_t index, uint64_t drawn)
{
    if (numbers == NUMBERS_ANY)
        return (drawn >> 38 & 3) == 0 ? drawn : (drawn >> 40) % 64 - 24;
    return contents == CONTENTS_ENDS ? index > 0 : (uint64_t)contents - CONTENTS_ZERO;
}

/* Bytes for an operand, the same for the same seed. Where the integers are 2, matrices of floats near 1 have a great
 * diagonal, as those of sampled_call.h. */
static void draw_operand(const struct sampled_operand *operand, enum numbers numbers, enum contents contents,
                         uint64_t seed)
{
    const struct float_format *format = format_of(operand->dtype);
    const size_t bytes = format != NULL ? format->bytes : dtype_bytes(operand->dtype);
    memset(operand->address - IN_FRONT, 0x7E, IN_FRONT);
    memset(operand->address + operand->bytes, 0x7E, BEHIND);
    for (size_t i = 0; bytes > 0 && i < operand->bytes / bytes; i++) {
        const uint64_t drawn = splitmix_at(seed + i * SPLITMIX_STEP);
        uint64_t number =
            format != NULL ? draw_float(format, numbers, drawn) : draw_integer(numbers, contents, i, drawn);
        if (format != NULL && numbers == NUMBERS_NEAR && contents == CONTENTS_TWO &&
            is_on_diagonal(operand, i))
            number += UINT64_C(3) << format->fraction;
        if (operand->dtype == ACL_BOOL && numbers != NUMBERS_NEAR)
            number = drawn >> 63;
        memset(operand->address + i * bytes, 0, bytes);
        memcpy(operand->address + i * bytes, &number, bytes < sizeof number ? bytes : sizeof number);
    }
}

static void draw_operands(const struct sampled_call *call, unsigned round, enum contents contents)
{
    const char *name = call->function->operation.name;
    for (uint32_t i = 0; i < call->operands; i++)
        draw_operand(&call->operand[i], numbers_of(round), contents,
                     XXH64(name, strlen(name), (uint64_t)round * OPERANDS_MOST + i));
}

/* Goes on from the digest of what was before. */
static uint64_t digest_of_call(struct sampled_call *call, unsigned round, enum contents contents,
                               uint64_t digest)
{
    draw_operands(call, round, contents);
    const int status = run_call(call);
    (void)aclGetRecentErrMsg();
    digest = XXH64(&status, sizeof status, digest);
    for (uint32_t i = 0; status == 0 && i < call->operands; i++)
        if (is_written(call, i))
            digest = XXH64(call->operand[i].address, call->operand[i].bytes, digest);
    return digest;
}

/* What the integers must be for the call to run; CONTENTS where it does not with any. */
static enum contents contents_of(struct sampled_call *call)
{
    for (enum contents contents = CONTENTS_ENDS; contents < CONTENTS; contents++) {
        draw_operands(call, 0, contents);
        const bool runs = run_call(call) == 0;
        (void)aclGetRecentErrMsg();
        if (runs)
            return contents;
    }
    return CONTENTS;
}

static uint64_t digest_of_sampling(const struct function *function, const struct sampling *sampling,
                                   uint64_t digest)
{
    static struct sampled_call call;
    memset(&call, 0, sizeof call);
    call.function = function;
    sample_inputs(&call, sampling);
    bool is_taken = infer_outputs(&call);
    if (sampling->dtype != ACL_DT_UNDEFINED) {
        bool has_dtype = false;
        for (uint32_t i = 0; i < call.operands; i++)
            has_dtype |= call.operand[i].dtype == sampling->dtype;
        is_taken &= has_dtype;
    }
    const enum contents contents = is_taken ? contents_of(&call) : CONTENTS;
    for (unsigned round = 0; contents < CONTENTS && round < ROUNDS; round++) {
        digest = digest_of_call(&call, round, contents, digest);
        if (tells_calls)
            printf("  %s dtype %d%s%s %dx%d, %d for %d%s%s (%u), round %u: %016llx\n",
                   function->operation.name, (int)sampling->dtype, sampling->is_large ? ", large" : "",
                   sampling->is_empty ? ", empty" : "", (int)sampling->rows, (int)sampling->columns,
                   (int)sampling->other_size, (int)sampling->size, sampling->other != NULL ? ", other " : "",
                   sampling->other != NULL ? sampling->other->name : "", sampling->which, round,
                   (unsigned long long)digest);
    }
    end_call(&call);
    return digest;
}

/* With each optional tensor left out, and with each attribute changed. */
static uint64_t digest_of_others(const struct function *function, aclDataType dtype, uint64_t digest)
{
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *other = &function->parameter[i];
        const bool is_tensor = parameter_is_tensor(other);
        if (parameter_is_output(other) || must_be_null(other) || (is_tensor && !other->is_optional))
            continue;
        for (unsigned k = 0; k < (is_tensor || other->kind == PARAMETER_BOOL ? 1 : OTHERS); k++) {
            const struct sampling small = {.dtype = dtype, .other = other, .which = k},
                                  large = {.dtype = dtype, .other = other, .which = k, .is_large = true};
            digest = digest_of_sampling(function, &large, digest_of_sampling(function, &small, digest));
        }
    }
    return digest;
}

/* Samples are small, and their sizes hang together: each size that there is becomes two greater ones everywhere. */
static uint64_t digest_of_sizes(const struct function *function, aclDataType dtype, uint64_t digest)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        const char *text = !parameter_is_tensor(parameter) ? ""
                           : parameter->sample != NULL     ? parameter->sample
                                                           : "2x3"; /* as sample_tensor has it */
        while (*text >= '0' && *text <= '9') {
            char *end;
            const int64_t size = strtoll(text, &end, 10);
            text = *end == 'x' ? end + 1 : end;
            if (size < 2 || size > 63 || (seen >> size & 1) != 0)
                continue;
            seen |= UINT64_C(1) << size;
            for (unsigned k = 0; k < 2; k++) {
                const struct sampling sampling = {
                    .dtype = dtype, .size = size, .other_size = k == 0 ? size + 33 : size * 16};
                digest = digest_of_sampling(function, &sampling, digest);
            }
        }
    }
    return digest;
}

static uint64_t digest_of(const struct function *function)
{
    static const struct sampling samplings[] = {
        {.dtype = ACL_DT_UNDEFINED},
        {.dtype = ACL_DT_UNDEFINED, .is_large = true},
        {.dtype = ACL_DT_UNDEFINED, .is_large = true, .rows = 1, .columns = 1003},
        {.dtype = ACL_DT_UNDEFINED, .is_large = true, .rows = 85, .columns = 12},
        {.dtype = ACL_DT_UNDEFINED, .is_large = true, .is_empty = true},
        {.dtype = ACL_FLOAT16, .is_large = true},
        {.dtype = ACL_FLOAT16, .is_large = true, .rows = 1, .columns = 1003},
        {.dtype = ACL_BF16, .is_large = true},
        {.dtype = ACL_BF16, .is_large = true, .rows = 85, .columns = 12},
        {.dtype = ACL_DOUBLE, .is_large = true},
        {.dtype = ACL_DOUBLE, .is_large = true, .rows = 1, .columns = 1003},
        {.dtype = ACL_INT32, .is_large = true},
        {.dtype = ACL_INT64, .is_large = true},
        {.dtype = ACL_INT64, .is_large = true, .rows = 1, .columns = 1003},
        {.dtype = ACL_INT16, .is_large = true},
        {.dtype = ACL_INT8, .is_large = true},
        {.dtype = ACL_UINT8, .is_large = true},
        {.dtype = ACL_BOOL, .is_large = true},
        {.dtype = ACL_COMPLEX64, .is_large = true},
        {.dtype = ACL_COMPLEX128, .is_large = true, .rows = 7}, /* more is too large */
    };
    uint64_t digest = 0;
    for (size_t i = 0; i < sizeof samplings / sizeof samplings[0]; i++)
        digest = digest_of_sampling(function, &samplings[i], digest);
    digest = digest_of_others(function, ACL_INT32, digest_of_others(function, ACL_DT_UNDEFINED, digest));
    return digest_of_sizes(function, ACL_FLOAT16, digest_of_sizes(function, ACL_DT_UNDEFINED, digest));
}

static bool is_chosen(const char *name)
{
    for (char **next = chosen; *next != NULL; next++)
        if (strcmp(*next, name) == 0)
            return true;
    return *chosen == NULL;
}

/* Of a line such as "NAME 0123 exact=4567 Ascend950PR=89ab" the digest for the settings of this run. */
static uint64_t digest_in(const char *line)
{
    const char *key = settings->product == PRODUCT_950       ? " Ascend950PR="
                      : settings->accuracy == ACCURACY_EXACT ? " exact="
                                                             : NULL;
    const char *own = key != NULL ? strstr(line, key) : NULL;
    return strtoull(own != NULL ? own + strlen(key) : strchr(line, ' ') + 1, NULL, 16);
}

static const char *recorded_line(const char *name)
{
    static char line[512];
    FILE *file = fopen(RECORDED_DIGESTS, "r");
    const size_t length = strlen(name);
    const char *found = NULL;
    assert_non_null(file);
    while (found == NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            found = line;
    (void)fclose(file);
    return found;
}

/* How many names there are on the command line that no function has: each is told. */
static unsigned unknown_names(const struct function *const *list, size_t count)
{
    unsigned unknown = 0;
    for (char **next = chosen; *next != NULL; next++) {
        size_t i = 0;
        while (i < count && strcmp(list[i]->operation.name, *next) != 0)
            i++;
        if (i == count)
            print_message("%s: there is no such function\n", *next);
        unknown += i == count;
    }
    return unknown;
}

static void bits_are_as_recorded(void **state)
{
    size_t count;
    const struct function *const *list = functions(&count);
    unsigned wrong = unknown_names(list, count), tried = 0;
    /* With the least effort, which is the sanitizers', each fourth function: other tests call all functions there. */
    const size_t stride = *chosen == NULL && !is_recording && effort() < 0.1 ? 4 : 1;
    (void)state;
    if (settings->product == PRODUCT_910A ||
        (settings->product == PRODUCT_950 && settings->accuracy == ACCURACY_EXACT))
        skip(); /* no digests are recorded of these */
    for (size_t i = 0; i < count; i++) {
        const char *name = list[i]->operation.name;
        if (!is_chosen(name) || !is_on_this_product(list[i]) || i % stride != 0)
            continue;
        const uint64_t digest = digest_of(list[i]);
        tried++;
        if (digest == 0) {
            print_message("%s: no call of it succeeds, so that nothing is compared\n", name);
            wrong++;
            continue;
        }
        if (is_recording) {
            printf("%s %016llx\n", name, (unsigned long long)digest);
            continue;
        }
        const char *line = recorded_line(name);
        if ((line == NULL || digest_in(line) != digest) && wrong++ < WRONG_TOLD)
            print_message("%s: %s\n", name,
                          line == NULL
                              ? "is not in recorded_digests.txt; scripts/recorded_digests.py writes it"
                              : "other bits come out than are recorded");
    }
    print_message("%u functions of %zu\n", tried, count);
    assert_int_equal(wrong, 0);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_as_recorded)};
    chosen = words + 1;
    is_recording = count > 1 && strcmp(words[1], "--record") == 0;
    tells_calls = count > 1 && strcmp(words[1], "--calls") == 0;
    chosen += is_recording || tells_calls;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
