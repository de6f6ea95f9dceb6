/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions that frameworks look up and the library lacks (src/absent/names.txt): those without which a
 * framework has no other way refuse with their names, and are counted for who asks for it; no other one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/failure.h"

typedef int32_t any_function(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                             int64_t, int64_t, int64_t);

static any_function *find(const char *name, const char *phase)
{
    char whole[256];
    snprintf(whole, sizeof whole, "aclnn%s%s", name, phase);
    void *address = dlsym(RTLD_DEFAULT, whole);
    any_function *function;
    memcpy(&function, &address, sizeof function);
    return function;
}

/* Whether the library has the function: a real first phase knows NULL when it sees it. */
static bool is_absent(const char *name)
{
    (void)aclGetRecentErrMsg();
    return find(name, "GetWorkspaceSize")(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == 561000;
}

/* A paragraph of the list: '=' for names that refuse, '-' for names that are not there, a word and the reason. */
struct reason {
    char kind, word[32];
    size_t length; /* Of the reason. */
};

static uint32_t for_each_name(void (*body)(const char *name, const struct reason *reason))
{
    char line[256];
    uint32_t count = 0;
    struct reason reason = {0};
    bool in_heading = false;
    FILE *list = fopen(NAMES, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list) != NULL) {
        if (line[0] == '=' || line[0] == '-') {
            if (!in_heading)
                assert_int_equal(sscanf(line, "%c %31s", &reason.kind, reason.word), 2);
            assert_int_equal(line[0], reason.kind);
            reason.length = (in_heading ? reason.length : 0) + strlen(line);
            in_heading = true;
            continue;
        }
        char *rest = line;
        for (char *name; line[0] != '#' && (name = strtok_r(rest, " \n", &rest)) != NULL; count++) {
            in_heading = false;
            body(name, &reason);
        }
    }
    fclose(list);
    return count;
}

static uint32_t refused, left_out;

static void expect_the_name(const char *name, const struct reason *reason)
{
    char sentence[256];
    bool refuses = reason->kind == '=', is_found = find(name, "GetWorkspaceSize") != NULL;
    if (reason->length < 40)
        fail_msg("%s stands in the list without a reason", name);
    if (is_found != (find(name, "") != NULL))
        fail_msg("one phase of aclnn%s alone is found", name);
    if (!refuses && is_found && is_absent(name))
        fail_msg("aclnn%s refuses; without it there is another way: %s", name, reason->word);
    if (refuses && !is_found)
        fail_msg("aclnn%s is not found", name);
    left_out += !refuses;
    if (!refuses || !is_absent(name))
        return;
    refused++;
    snprintf(sentence, sizeof sentence, "aclnn%s is not in this release of Belay", name);
    assert_sentence(sentence);
    assert_failure(find(name, "")(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 561000, sentence);
}

/* That nothing else refuses is what api/exports_opapi looks at. */
static void what_refuses_and_what_is_not_there_has_a_reason_each(void **state)
{
    (void)state;
    uint32_t count = for_each_name(expect_the_name);
    assert_in_range(left_out, 20, count);
    assert_in_range(refused, 1, count);
    assert_false(is_absent("Relu"));
}

/* Compressed weights, whose form no release can know: the arguments are at fault, in both phases. */
static void what_cannot_be_known_is_refused_with_the_reason(void **state)
{
    (void)state;
    static const char *const phases[] = {"GetWorkspaceSize", ""};
    for (int i = 0; i < 2; i++)
        assert_failure(find("MatmulCompressDequant", phases[i])(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 161002,
                       "aclnnMatmulCompressDequant: x2 is compressed");
}

static void expect_once(const char *name, const struct reason *reason)
{
    static char seen[1000][64];
    static size_t count;
    (void)reason;
    for (size_t i = 0; i < count; i++)
        if (strcmp(seen[i], name) == 0)
            fail_msg("%s stands in the list twice", name);
    assert_in_range(count, 0, 999);
    snprintf(seen[count++], sizeof seen[0], "%s", name);
}

static void no_name_has_two_reasons(void **state)
{
    (void)state;
    assert_in_range(for_each_name(expect_once), 100, 1000);
}

static void what_the_operators_are_called_with_around_them_does_nothing(void **state)
{
    (void)state;
    any_function *function;
    static const char *const names[] = {
        "InitHugeMemThreadLocal", "UnInitHugeMemThreadLocal",  "ReleaseHugeMem",
        "aclnnSetPytorchRandom",  "aclnnReselectStaticKernel", "aclnnReselectStaticKernelWithPath"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *address = dlsym(RTLD_DEFAULT, names[i]);
        assert_non_null(address);
        memcpy(&function, &address, sizeof function);
        int32_t result = function(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (i == 0 || i >= 3)
            assert_int_equal(result, 0);
    }
    static const char *const caches[] = {
        "PTAGetExecCache", "PTAFindExecCache",   "InitPTACacheThreadLocal", "UnInitPTACacheThreadLocal",
        "SetPTAHashKey",   "SetPTACacheHashKey", "CanUsePTACache"};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        assert_null(dlsym(RTLD_DEFAULT, caches[i]));
}

static char absent_name[128];

static void keep_one(const char *name, const struct reason *reason)
{
    if (absent_name[0] == '\0' && reason->kind == '=' && is_absent(name))
        snprintf(absent_name, sizeof absent_name, "%s", name);
}

/* This program again, as a child that calls an absent function so many times and ends. */
static void run_again(const char *mode, const char *setting, char *text, size_t bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (setting != NULL)
            setenv("BELAY_ABSENT", setting, 1);
        else
            unsetenv("BELAY_ABSENT");
        execl("/proc/self/exe", "absent", mode, absent_name, (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    size_t filled = 0;
    for (ssize_t count; (count = read(ends[0], text + filled, bytes - 1 - filled)) > 0;)
        filled += (size_t)count;
    text[filled] = '\0';
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void the_end_of_a_process_tells_what_was_asked_for(void **state)
{
    (void)state;
    char text[4096], line[256];
    for_each_name(keep_one);
    run_again("3", "report", text, sizeof text);
    snprintf(line, sizeof line,
             "belay: 1 function was asked for that this release lacks\nbelay:        3  aclnn%s\n",
             absent_name);
    assert_string_equal(text, line);
    run_again("0", "report", text, sizeof text);
    assert_string_equal(text, "");
    run_again("3", NULL, text, sizeof text);
    assert_string_equal(text, "");
}

int main(int argc, char **argv)
{
    /* With the libraries that it needs. */
    if (dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL) == NULL)
        return 1;
    if (argc == 3) {
        for (int i = 0; i < atoi(argv[1]); i++)
            if (!is_absent(argv[2]))
                return 1;
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_refuses_and_what_is_not_there_has_a_reason_each),
        cmocka_unit_test(what_cannot_be_known_is_refused_with_the_reason),
        cmocka_unit_test(no_name_has_two_reasons),
        cmocka_unit_test(what_the_operators_are_called_with_around_them_does_nothing),
        cmocka_unit_test(the_end_of_a_process_tells_what_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
