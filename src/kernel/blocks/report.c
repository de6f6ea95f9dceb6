/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a kernel says and goes on: reports of checks, and what it prints.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/report.h"
#include "base/settings.h"
#include "kernel/blocks/fault.h"
#include "kernel/blocks/run.h"
#include "kernel/blocks/stack_end.h"

enum { NAME_BYTES = 64, LINE_BYTES = 1024 };

/* Whether the key is new; when there is no room left it counts as known. */
static bool is_first(uint64_t key)
{
    enum { SLOTS = 4096 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t seen[SLOTS];
    bool is_new = false;
    key = key != 0 ? key : 1;
    pthread_mutex_lock(&lock);
    uint64_t at = key % SLOTS, tried = 0;
    while (seen[at] != 0 && seen[at] != key && tried < SLOTS) {
        at = (at + 1) % SLOTS;
        tried++;
    }
    if (tried < SLOTS && seen[at] == 0) {
        seen[at] = key;
        is_new = true;
    }
    pthread_mutex_unlock(&lock);
    return is_new;
}

void belay_kernel_report(const char *file, unsigned line, const char *advice, const char *format, ...)
{
    struct core *core = core_calls();
    if (core == NULL || belay_kernel_checks() == 0)
        return;
    const char *name = core->run->name;
    uint64_t key = hash_add(HASH_START, name, strlen(name) + 1);
    key = hash_add(key, &line, sizeof line);
    key = hash_add(key, format, strlen(format) + 1);
    if (file != NULL)
        key = hash_add(key, file, strlen(file) + 1);
    if (!is_first(key))
        return;
    char found[RUN_SENTENCE_BYTES], sentence[RUN_SENTENCE_BYTES + NAME_BYTES];
    va_list arguments;
    va_start(arguments, format);
    fault_write(core, file, line, found, sizeof found, format, arguments);
    va_end(arguments);
    snprintf(sentence, sizeof sentence, "%.60s: %s", name, found);
    report_failed_work(&(struct finding){.rule = RULE_KERNEL, .advice = advice}, 0, sentence);
}

int belay_kernel_checks(void)
{
    return check_is_on(CHECK_RACE) ? 2 : check_is_on(CHECK_INIT) ? 1 : 0;
}

/* In turn, so that lines of several blocks come in the order of the blocks. */
int belay_kernel_print(const char *format, ...)
{
    struct core *core = core_calls();
    char name[NAME_BYTES], line[LINE_BYTES];
    va_list arguments;
    if (core != NULL)
        run_take_turn(core);
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0)
        return length;
    if (core != NULL)
        run_name_core(core, name, sizeof name);
    flockfile(stdout);
    for (char *at = line; *at != '\0';) {
        const size_t count = strcspn(at, "\n");
        const bool is_whole = at[count] == '\n';
        if (core != NULL && !core->is_in_line)
            printf("[%s] ", name);
        printf("%.*s%s", (int)count, at, is_whole ? "\n" : "");
        if (core != NULL)
            core->is_in_line = !is_whole;
        at += count + is_whole;
    }
    funlockfile(stdout);
    return length;
}
