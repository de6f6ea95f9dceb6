/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list is read once, before the first report, and constant afterwards.
 */
#include "check/suppression.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 65536, WORDS = 3 };

struct suppression {
    const char *word[WORDS]; /* rule, function, module */
};

/*
 * PyTorch's allocator keeps its memory, streams and events until the process ends, and never gives them back:
 * what a program of its could do about that is nothing. Nor about its collectives, which pad the memory that
 * a result will go to as they pad what is sent. MindSpore keeps executors for the next call of a function, and
 * what they were made of.
 */
static struct suppression list[SUPPRESSIONS_MAX] = {
    {{"DC-017", "*", "libtorch_npu.so*"}},
    {{"DC-018", "*", "libtorch_npu.so*"}},
    {{"DC-010", "aclnnConstantPadNd", "libtorch_npu.so*"}},
    {{"DC-017", "*", "libmindspore_*"}},
    {{"DC-018", "*", "libmindspore_*"}},
    {{"DC-002", "aclrtAllocatorUnregister", "libmindspore_*"}},
};
static size_t count = 6;
static char text[FILE_MAX + 1]; /* the words of the file */

static bool read_file(const char *path, char *sentence, size_t bytes)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(sentence, bytes, "'%.256s' is no file that can be read: %s", path,
                 strerror(file < 0 ? errno : EINVAL));
        if (file >= 0)
            close(file);
        return false;
    }
    size_t length = 0;
    ssize_t part;
    while (length < FILE_MAX && (part = read(file, text + length, FILE_MAX - length)) > 0)
        length += (size_t)part;
    bool is_whole = length < FILE_MAX;
    close(file);
    text[length] = '\0';
    if (!is_whole)
        snprintf(sentence, bytes, "'%.256s' has %d bytes or more; fewer are expected", path, FILE_MAX);
    return is_whole;
}

/* Splits a line in place. */
static size_t split(char *line, const char *word[WORDS])
{
    size_t found = 0;
    char *rest = NULL;
    for (char *at = strtok_r(line, " \t\r", &rest); at != NULL; at = strtok_r(NULL, " \t\r", &rest)) {
        if (found < WORDS)
            word[found] = at;
        found++;
    }
    return found;
}

bool suppressions_read(const char *path, char *sentence, size_t bytes)
{
    if (!read_file(path, sentence, bytes))
        return false;
    char *rest = text;
    for (unsigned number = 1; rest != NULL; number++) {
        char *line = strsep(&rest, "\n");
        struct suppression entry = {{NULL, NULL, "*"}};
        line[strcspn(line, "#")] = '\0';
        size_t words = split(line, entry.word);
        if (words == 0)
            continue;
        bool has_rule = strncmp(entry.word[0], "DC-", 3) == 0 || entry.word[0][0] == '*';
        if (words < 2 || words > WORDS || !has_rule || count == SUPPRESSIONS_MAX) {
            snprintf(sentence, bytes,
                     "line %u of '%.256s' is not understood; a rule (DC-017, or *), a pattern of functions "
                     "and perhaps one of libraries are expected, in at most %d lines",
                     number, path, SUPPRESSIONS_MAX);
            return false;
        }
        list[count++] = entry;
    }
    return true;
}

bool suppressions_match(int rule, const char *function, const char *module)
{
    char id[16];
    const char *slash = strrchr(module, '/');
    snprintf(id, sizeof id, "DC-%03d", rule);
    for (size_t i = 0; i < count; i++)
        if (fnmatch(list[i].word[0], id, 0) == 0 && fnmatch(list[i].word[1], function, 0) == 0 &&
            fnmatch(list[i].word[2], slash != NULL ? slash + 1 : module, 0) == 0)
            return true;
    return false;
}
