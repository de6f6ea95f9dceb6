/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Asks the commands that every toolchain has, with an address on the line and two lines as the answer: the
 * function, and the file with the line.
 */
#include "tools/source_line.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tools/program/find.h"

enum { ANSWER_BYTES = 1024 };
static const long long module_bytes_max = 64 << 20;

/* The command's standard output, cut where it is longer; false where it does not run. */
static bool ask(const char *const *argv, char answer[ANSWER_BYTES])
{
    int ends[2];
    size_t length = 0;
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got; child > 0 && length < ANSWER_BYTES - 1; length += (size_t)got) {
        got = read(ends[0], answer + length, ANSWER_BYTES - 1 - length);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            break;
    }
    answer[length] = '\0';
    close(ends[0]);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && status == 0;
}

bool source_line_find(struct place_text *text)
{
    char path[PATH_MAX], address[32], answer[ANSWER_BYTES], raw[ANSWER_BYTES + 8], *rest = NULL;
    struct stat module;
    if (text->line[0] != '\0' || stat(text->module, &module) != 0 || module.st_size > module_bytes_max)
        return text->line[0] != '\0';
    const bool is_llvm = !program_find("addr2line", path, sizeof path);
    if (is_llvm && !program_find("llvm-symbolizer", path, sizeof path))
        return false;
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)text->offset);
    const char *const binutils[] = {path, "-f", "-s", "-C", "-e", text->module, address, NULL};
    const char *const llvm[] = {path, "--output-style=GNU", "-s",    "-C", "-f",
                                "-e", text->module,         address, NULL};
    if (!ask(is_llvm ? llvm : binutils, answer))
        return false;
    const char *function = strtok_r(answer, "\n", &rest);
    char *line = strtok_r(NULL, "\n", &rest);
    if (!function || !line || line[0] == '?' || strstr(line, ":?") || strstr(line, ":0"))
        return false;
    line[strcspn(line, " ")] = '\0'; /* "(discriminator 2)" */
    snprintf(raw, sizeof raw, "%s (%s)", line, function);
    error_escape(text->line, sizeof text->line, raw);
    if (text->symbol[0] == '\0')
        error_escape(text->symbol, sizeof text->symbol, function);
    return true;
}
