/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The grammar of faults:
 *
 *   fault      WHEN:WHAT, or seed=NUMBER
 *   WHEN       an event and conditions in any order, with commas between them
 *   WHAT       a deed, with a value behind "=" where it has one, or a code alone
 */
#include "runtime/faults/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/name_distance.h"
#include "base/product.h"
#include "base/splitmix.h"

static const struct {
    const char *word, *about;
} events[FAULT_EVENTS] = {
    [FAULT_AT_COLLECTIVE] = {"collective", "a rank begins a collective"},
    [FAULT_AT_MESSAGE] = {"message", "a rank begins to send or receive"},
    [FAULT_AT_ALLOC] = {"alloc", "memory of a device is asked for"},
    [FAULT_AT_PINNED] = {"pinned", "pinned memory of the host is asked for"},
    [FAULT_AT_OPERATOR] = {"operator", "an operator or kernel begins to run"},
    [FAULT_AT_COPY] = {"copy", "a copy or set begins"},
    [FAULT_AT_STREAM] = {"stream", "any of these begins to run in a stream"},
    [FAULT_AT_FILE] = {"file", "Belay writes to a file of its own"},
};

enum {
    OF_RANKS = 1 << FAULT_AT_COLLECTIVE | 1 << FAULT_AT_MESSAGE,
    OF_MEMORY = 1 << FAULT_AT_ALLOC | 1 << FAULT_AT_PINNED,
    OF_WORK = 1 << FAULT_AT_OPERATOR | 1 << FAULT_AT_COPY | 1 << FAULT_AT_STREAM,
    OF_ALL = (1 << FAULT_EVENTS) - 1
};

/* Of which events a deed can be, and whether something stands behind its "=". */
static const struct {
    const char *word;
    uint32_t events;
    enum { VALUE_NONE, VALUE_MAYBE, VALUE_NEEDED } value;
} deeds[DEEDS] = {
    [DEED_KILL] = {"kill", OF_ALL, VALUE_NONE},
    [DEED_STOP] = {"stop", OF_ALL, VALUE_MAYBE},
    [DEED_SLOW] = {"slow", OF_ALL, VALUE_NEEDED},
    [DEED_CUT] = {"cut", OF_RANKS, VALUE_NONE},
    [DEED_DISAGREE] = {"disagree", 1 << FAULT_AT_COLLECTIVE, VALUE_NONE},
    [DEED_FAIL] = {"fail", OF_RANKS | OF_MEMORY | OF_WORK, VALUE_MAYBE},
    [DEED_RESET] = {"reset", OF_RANKS | 1 << FAULT_AT_ALLOC | OF_WORK, VALUE_NONE},
    [DEED_FULL] = {"full", 1 << FAULT_AT_FILE, VALUE_NONE},
};

static const char *const conditions[] = {"rank", "device", "restart", "product",
                                         "name", "bytes",  "held",    "each"};

enum { WORD_BYTES = 96 };

/* The text of one fault, and where to say what is wrong with it. */
struct reading {
    const char *text;
    int length;
    char *sentence;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct reading *reading, const char *format,
                                                         ...)
{
    char reason[FAULT_PLAN_SENTENCE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(reading->sentence, FAULT_PLAN_SENTENCE_BYTES, "the fault '%.*s' is not understood: %.350s",
             reading->length > 100 ? 100 : reading->length, reading->text, reason);
    return false;
}

/* The word that was meant, with what stands before it in a sentence; "" where none is near. */
static void suggest(const char *word, const char *const *words, size_t count, char text[64])
{
    struct nearest_name nearest = nearest_name_to(word);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        nearest_name_try(&nearest, words[i]);
    if (nearest.name != NULL)
        snprintf(text, 64, "; did you mean '%s'?", nearest.name);
}

/* Words with commas between them, for a sentence. */
static void list(const char *const *words, size_t count, char *text, size_t bytes)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && length < bytes; i++)
        length += (size_t)snprintf(text + length, bytes - length, "%s%s",
                                   i == 0           ? ""
                                   : i + 1 == count ? " or "
                                                    : ", ",
                                   words[i]);
}

static bool read_number(const char **at, uint64_t *number)
{
    uint64_t sum = 0;
    const char *begin = *at;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (__builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(**at - '0'), &sum))
            return false;
    *number = sum;
    return *at != begin;
}

static bool read_whole_number(const char *text, uint64_t *number)
{
    return read_number(&text, number) && *text == '\0';
}

/* N, N+, N..M or 1/N behind the "=" of an event. */
static bool read_times(const struct reading *reading, const char *value, uint64_t draw, struct fault *fault)
{
    static const char expected[] =
        "N (the N-th, from 1), N+ (from there on), N..M (one of them, drawn) or 1/N "
        "(each with that chance) is expected";
    const char *at = value;
    uint64_t last;
    fault->times = TIMES_ONE;
    if (!read_number(&at, &fault->number) || fault->number == 0)
        return refuse(reading, "'%.40s' is no number of an event; %s", value, expected);
    if (*at == '\0')
        return true;
    if (strcmp(at, "+") == 0) {
        fault->times = TIMES_FROM;
        return true;
    }
    if (*at == '/' && fault->number == 1) {
        at++;
        fault->times = TIMES_ODDS;
        if (read_whole_number(at, &fault->number) && fault->number > 0)
            return true;
    } else if (strncmp(at, "..", 2) == 0) {
        at += 2;
        if (read_whole_number(at, &last) && last >= fault->number) {
            fault->number += last - fault->number < UINT64_MAX ? draw % (last - fault->number + 1) : 0;
            return true;
        }
    }
    return refuse(reading, "'%.40s' is no number of an event; %s", value, expected);
}

/* An integer that K, M, G or T may follow, as BELAY_MEMORY has it. */
static bool read_bytes(const struct reading *reading, const char *word, const char *value, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    const char *at = value;
    if (read_number(&at, bytes)) {
        const char *suffix = *at != '\0' ? strchr(suffixes, *at) : NULL;
        bool is_good = *at == '\0' || (suffix != NULL && at[1] == '\0');
        for (const char *step = suffixes; is_good && suffix != NULL && step <= suffix; step++)
            is_good = !__builtin_mul_overflow(*bytes, 1024u, bytes);
        if (is_good)
            return true;
    }
    return refuse(reading, "%s is '%.40s'; bytes are expected, an integer that K, M, G or T may follow", word,
                  value);
}

/* 200ms, 5s, 100us. */
static bool read_time(const struct reading *reading, const char *word, const char *value,
                      uint64_t *nanoseconds)
{
    static const struct {
        const char *unit;
        uint64_t nanoseconds;
    } units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", UINT64_C(60000000000)}};
    const char *at = value;
    uint64_t number;
    if (read_number(&at, &number))
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
            if (strcmp(at, units[i].unit) == 0 &&
                !__builtin_mul_overflow(number, units[i].nanoseconds, nanoseconds) && number > 0)
                return true;
    return refuse(reading, "%s is '%.40s'; a time is expected, an integer with us, ms, s or m behind it",
                  word, value);
}

static bool read_product(const struct reading *reading, const char *value, struct fault *fault)
{
    static const struct {
        const char *word;
        enum product product;
    } products[] = {{"910A", PRODUCT_910A}, {"910B", PRODUCT_910B}, {"950", PRODUCT_950}};
    enum product found;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        if (strcmp(value, products[i].word) == 0) {
            fault->product = (int32_t)products[i].product;
            return true;
        }
    if (!product_find(value, &found))
        return refuse(reading,
                      "product is '%.40s'; 910A, 910B or 950, or a name that BELAY_SOC takes, is "
                      "expected",
                      value);
    fault->product = (int32_t)found;
    return true;
}

static bool read_small(const struct reading *reading, const char *word, const char *value, int64_t *number)
{
    uint64_t found;
    if (!read_whole_number(value, &found) || found > INT32_MAX)
        return refuse(reading, "%s is '%.40s'; an integer from 0 on is expected", word, value);
    *number = (int64_t)found;
    return true;
}

static bool read_condition(const struct reading *reading, const char *word, const char *value,
                           struct fault *fault)
{
    if (strcmp(word, "each") == 0) {
        fault->is_in_each_process = true;
        return value == NULL || refuse(reading, "each has no value");
    }
    if (value == NULL || *value == '\0')
        return refuse(reading, "%s has no value; %s=... is expected", word, word);
    if (strcmp(word, "rank") == 0)
        return read_small(reading, word, value, &fault->rank);
    if (strcmp(word, "device") == 0)
        return read_small(reading, word, value, &fault->device);
    if (strcmp(word, "restart") == 0)
        return read_small(reading, word, value, &fault->restart);
    if (strcmp(word, "product") == 0)
        return read_product(reading, value, fault);
    if (strcmp(word, "bytes") == 0)
        return read_bytes(reading, word, value, &fault->least_bytes);
    if (strcmp(word, "held") == 0)
        return read_bytes(reading, word, value, &fault->held_bytes);
    if (strlen(value) >= sizeof fault->name)
        return refuse(reading, "name is '%.70s'; at most %zu characters are expected", value,
                      sizeof fault->name - 1);
    memcpy(fault->name, value, strlen(value) + 1);
    return true;
}

static bool is_condition(const char *word)
{
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++)
        if (strcmp(word, conditions[i]) == 0)
            return true;
    return false;
}

/* One word of WHEN. */
static bool read_word(const struct reading *reading, char *word, uint64_t draw, struct fault *fault,
                      bool *has_event)
{
    char *value = strchr(word, '=');
    if (value != NULL)
        *value++ = '\0';
    for (uint32_t i = 0; i < FAULT_EVENTS; i++) {
        if (strcmp(word, events[i].word) != 0)
            continue;
        if (*has_event)
            return refuse(reading, "it has two events, %s and %s; one is expected", events[fault->event].word,
                          word);
        *has_event = true;
        fault->event = (enum fault_event)i;
        return value == NULL || read_times(reading, value, draw, fault);
    }
    if (is_condition(word))
        return read_condition(reading, word, value, fault);
    const char *words[FAULT_EVENTS + sizeof conditions / sizeof conditions[0]];
    char meant[64], all[200];
    const size_t count = sizeof words / sizeof words[0];
    for (size_t i = 0; i < count; i++)
        words[i] = i < FAULT_EVENTS ? events[i].word : conditions[i - FAULT_EVENTS];
    suggest(word, words, count, meant);
    list(words, count, all, sizeof all);
    return refuse(reading, "there is no event and no condition '%.40s'%s%s%s", word, meant,
                  meant[0] == '\0' ? "; " : "", meant[0] == '\0' ? all : "");
}

/* What a device says where the fault does not say it. */
static int32_t usual_code(enum fault_event event)
{
    switch (event) {
    case FAULT_AT_ALLOC:
    case FAULT_AT_PINNED:
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    case FAULT_AT_COPY:
        return ACL_ERROR_RT_DEVICE_MEM_ERROR;
    case FAULT_AT_COLLECTIVE:
    case FAULT_AT_MESSAGE:
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    default:
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
}

static bool read_code(const struct reading *reading, const char *value, struct fault *fault)
{
    uint64_t code;
    if (!read_whole_number(value, &code) ||
        (code / 1000 != 107 && code / 1000 != 207 && code / 1000 != 507 && code != ACL_ERROR_BAD_ALLOC))
        return refuse(reading,
                      "the code is '%.40s'; one of the runtime, such as 507015 (107000 to 107999, "
                      "200000, 207000 to 207999, 507000 to 507999) is expected",
                      value);
    fault->code = (int32_t)code;
    return true;
}

static bool read_deed(const struct reading *reading, char *what, struct fault *fault)
{
    fault->code = usual_code(fault->event);
    char *value = strchr(what, '=');
    if (value != NULL)
        *value++ = '\0';
    const bool is_code = *what >= '0' && *what <= '9' && value == NULL;
    uint32_t deed = is_code ? DEED_FAIL : 0;
    while (!is_code && deed < DEEDS && strcmp(what, deeds[deed].word) != 0)
        deed++;
    const char *words[DEEDS];
    size_t count = 0;
    for (uint32_t i = 0; i < DEEDS; i++)
        if ((deeds[i].events & 1u << fault->event) != 0)
            words[count++] = deeds[i].word;
    char meant[64], all[200];
    list(words, count, all, sizeof all);
    if (deed == DEEDS) {
        suggest(what, words, count, meant);
        return refuse(reading, "nothing is called '%.40s' that could happen%s%s%s", what, meant,
                      meant[0] == '\0' ? "; " : "", meant[0] == '\0' ? all : "");
    }
    if ((deeds[deed].events & 1u << fault->event) == 0)
        return refuse(reading, "%s cannot happen at the event %s; %s is expected", deeds[deed].word,
                      events[fault->event].word, all);
    fault->deed = (enum fault_deed)deed;
    if (is_code)
        return read_code(reading, what, fault);
    if (value != NULL && deeds[deed].value == VALUE_NONE)
        return refuse(reading, "%s has no value", what);
    if (value == NULL && deeds[deed].value == VALUE_NEEDED)
        return refuse(reading, "%s has no value; %s=200ms, say, is expected", what, what);
    if (value == NULL)
        return true;
    return deed == DEED_FAIL ? read_code(reading, value, fault)
                             : read_time(reading, what, value, &fault->nanoseconds);
}

/* Conditions that this event cannot have: nothing would ever fit. */
static bool check_conditions(const struct reading *reading, const struct fault *fault)
{
    const uint32_t bit = 1u << fault->event;
    if (fault->least_bytes > 0 && (bit & (OF_MEMORY | 1u << FAULT_AT_COPY)) == 0)
        return refuse(reading, "bytes are known of alloc, pinned and copy alone");
    if (fault->held_bytes != UINT64_MAX && fault->event != FAULT_AT_ALLOC)
        return refuse(reading, "held is known of alloc alone");
    if (fault->device >= 0 && (bit & (1u << FAULT_AT_PINNED | 1u << FAULT_AT_FILE)) != 0)
        return refuse(reading, "%s belongs to no device", events[fault->event].word);
    if (fault->is_in_each_process && fault->times != TIMES_ONE)
        return refuse(reading, "each is for the event with a number, such as %s=3",
                      events[fault->event].word);
    return true;
}

static bool read_fault(const struct reading *reading, uint64_t draw, struct fault *fault)
{
    char copy[256];
    *fault = (struct fault){.rank = -1, .device = -1, .restart = -1, .product = -1, .held_bytes = UINT64_MAX};
    if ((size_t)reading->length >= sizeof copy)
        return refuse(reading, "it is too long");
    memcpy(copy, reading->text, (size_t)reading->length);
    copy[reading->length] = '\0';
    snprintf(fault->text, sizeof fault->text, "%.127s", copy);
    char *what = strrchr(copy, ':');
    if (what == NULL)
        return refuse(reading, "WHEN:WHAT is expected, such as collective=5:kill");
    *what++ = '\0';
    bool has_event = false;
    for (char *word = copy, *next; word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL)
            *next++ = '\0';
        if (strlen(word) >= WORD_BYTES)
            return refuse(reading, "'%.40s...' is too long", word);
        if (!read_word(reading, word, draw, fault, &has_event))
            return false;
    }
    const char *words[FAULT_EVENTS];
    char all[200];
    for (uint32_t i = 0; i < FAULT_EVENTS; i++)
        words[i] = events[i].word;
    list(words, FAULT_EVENTS, all, sizeof all);
    if (!has_event)
        return refuse(reading, "it says no event; %s is expected", all);
    if (strlen(what) >= WORD_BYTES)
        return refuse(reading, "'%.40s...' is too long", what);
    return read_deed(reading, what, fault) && check_conditions(reading, fault);
}

/* The next fault of the text without the spaces around it; false at the end. '#' begins a remark. */
static bool next_item(const char **at, struct reading *reading)
{
    while (**at != '\0') {
        const char *begin = *at + strspn(*at, " \t\r\n;");
        if (*begin == '#') {
            *at = begin + strcspn(begin, "\n");
            continue;
        }
        size_t length = strcspn(begin, ";\n#");
        *at = begin + length;
        while (length > 0 && strchr(" \t\r", begin[length - 1]) != NULL)
            length--;
        reading->text = begin;
        reading->length = length < 1000 ? (int)length : 1000;
        if (length > 0)
            return true;
    }
    return false;
}

/* seed=NUMBER, wherever it stands, goes before what it draws. */
static bool is_seed(const struct reading *reading)
{
    return reading->length > 5 && strncmp(reading->text, "seed=", 5) == 0;
}

static bool read_seed(const struct reading *reading, uint64_t *seed)
{
    const char *at = reading->text + 5;
    return (read_number(&at, seed) && at == reading->text + reading->length) ||
           refuse(reading, "a seed is an integer of 64 bits");
}

bool fault_plan_read(const char *text, struct fault_plan *plan, char sentence[FAULT_PLAN_SENTENCE_BYTES])
{
    struct reading reading = {.sentence = sentence};
    plan->count = 0;
    plan->seed = 0;
    for (const char *at = text; next_item(&at, &reading);)
        if (is_seed(&reading) && !read_seed(&reading, &plan->seed))
            return false;
    for (const char *at = text; next_item(&at, &reading);) {
        if (is_seed(&reading))
            continue;
        if (plan->count == FAULTS_MAX)
            return refuse(&reading, "it is one too many; at most %d are expected", FAULTS_MAX);
        const uint64_t draw = splitmix_at(plan->seed + (plan->count + 1) * SPLITMIX_STEP);
        if (!read_fault(&reading, draw, &plan->fault[plan->count]))
            return false;
        plan->count++;
    }
    if (plan->count == 0)
        snprintf(sentence, FAULT_PLAN_SENTENCE_BYTES,
                 "no fault is asked for; WHEN:WHAT is expected, such as collective=5:kill");
    return plan->count > 0;
}

const char *fault_event_word(uint32_t event, const char **about)
{
    if (event >= FAULT_EVENTS)
        return NULL;
    *about = events[event].about;
    return events[event].word;
}
