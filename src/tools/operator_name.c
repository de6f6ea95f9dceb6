/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Finds operators by name, and those that a misspelt name may mean: the ones that hold it, then the ones that
 * fewest changed letters lead to.
 */
#include "tools/operator_name.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/name_distance.h"
#include "ops/custom/generated.h"
#include "tools/belay.h"

enum { PLAIN_TEXT = NAME_DISTANCE_LETTERS, SUGGESTIONS_MAX = 6 };

/* A name in lower case, without underscores and the prefix that all have; what is too long is cut. */
static void make_plain(const char *name, char plain[PLAIN_TEXT])
{
    size_t length = 0;
    for (; *name && length + 1 < PLAIN_TEXT; name++)
        if (*name != '_')
            plain[length++] = (char)tolower((unsigned char)*name);
    plain[length] = 0;
    if (strncmp(plain, "aclnn", 5) == 0)
        memmove(plain, plain + 5, length - 4);
}

/* 0 for the same name; NAME_IS_FAR for one that is not meant. */
static unsigned far_from(const char *name, const struct function *function)
{
    char plain[PLAIN_TEXT];
    make_plain(function->operation.name, plain);
    unsigned letters = name_distance(name, plain);
    if (letters > 0 && strlen(name) >= 3 && strstr(plain, name))
        letters = 1; /* the end is missing */
    return letters > 0 && letters > 1 + strlen(name) / 6 ? NAME_IS_FAR : letters;
}

/* The nearest names as a question; nothing where none is near. */
static void suggest(const char *name, char *text, size_t size)
{
    size_t count, length = 0, found = 0;
    const struct function *const *list = functions(&count);
    text[0] = 0;
    for (unsigned far = 1; far <= 1 + PLAIN_TEXT / 6; far++)
        for (size_t i = 0; i < count && found < SUGGESTIONS_MAX && length < size; i++)
            if (far_from(name, list[i]) == far)
                length += (size_t)snprintf(text + length, size - length, "%s%s",
                                           found++ ? ", " : "; did you mean ", list[i]->operation.name);
    if (found && length < size)
        snprintf(text + length, size - length, "?");
}

const struct function *operator_named(const char *name)
{
    size_t count;
    const struct function *const *list = functions(&count);
    char wanted[PLAIN_TEXT], plain[PLAIN_TEXT];
    make_plain(name, wanted);
    for (size_t i = 0; i < count; i++) {
        make_plain(list[i]->operation.name, plain);
        if (strcmp(plain, wanted) == 0)
            return list[i];
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->stem, name) == 0)
            return list[i];
    return NULL;
}

/* The function of libhccl, which the command does not load, that a name means; NULL where it is none. */
static const char *collective_named(const char *name)
{
    static const char *const collectives[] = {
        "HcclAllGather", "HcclAllGatherV", "HcclAllReduce",     "HcclAlltoAll",   "HcclAlltoAllV",
        "HcclBarrier",   "HcclBroadcast",  "HcclBatchSendRecv", "HcclRecv",       "HcclReduce",
        "HcclScatter",   "HcclSend",       "HcclReduceScatter", "HcclAlltoAllVC", "HcclReduceScatterV"};
    const char *dot = strrchr(name, '.');
    char wanted[PLAIN_TEXT], plain[PLAIN_TEXT];
    make_plain(dot ? dot + 1 : name, wanted);
    for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++) {
        make_plain(collectives[i], plain);
        if (strcmp(wanted, plain) == 0 || strcmp(wanted, plain + strlen("hccl")) == 0)
            return collectives[i];
    }
    return NULL;
}

const struct function *operator_find(const char *verb, const char *name)
{
    const struct function *found = operator_named(name);
    if (found)
        return found;
    char wanted[PLAIN_TEXT], suggestions[512];
    make_plain(name, wanted);
    suggest(wanted, suggestions, sizeof suggestions);
    const char *collective = collective_named(name), *fault = custom_fault();
    complain("%s: there is no operator %.256s%s%s%s%s%s%s", verb, name,
             collective ? ", but a collective " : "", collective ? collective : "",
             collective ? " (hccl/hccl.h)" : "",
             suggestions[0] ? suggestions : "; belay ops --names lists them",
             fault[0] ? "; a package of operators cannot be used: " : "", fault);
    return NULL;
}

void operator_offer(const struct completion *completion)
{
    size_t count;
    const struct function *const *list = functions(&count);
    bool is_stem = strncmp(completion->begin, "aclnn", strnlen(completion->begin, strlen("aclnn"))) != 0;
    for (size_t i = 0; i < count; i++)
        if (!is_stem)
            completion_offer(completion, list[i]->operation.name, NULL);
        else if (i == 0 || strcmp(list[i]->stem, list[i - 1]->stem) != 0)
            completion_offer(completion, list[i]->stem, NULL);
}
