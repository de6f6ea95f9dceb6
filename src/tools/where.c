/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay ops --where. A description says where its contract ends; places.inc, which a script writes, says in
 * which files its kernels and its tests are; and the lines are looked for in the files themselves.
 */
#include "tools/where.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* kernels: "name:file", with blanks between them; without a name it is plain C in that file. */
struct place {
    const char *function, *kernels, *tests;
};

static const struct place places[] = {
#include "tools/places.inc"
};

static int compare_places(const void *name, const void *place)
{
    return strcmp(name, ((const struct place *)place)->function);
}

/* The place of a function; one that the table does not have yet has no kernels and no tests. */
static struct place place_of(const struct function *function)
{
    const struct place none = {function->operation.name, "", ""};
    const struct place *found = bsearch(function->operation.name, places, sizeof places / sizeof places[0],
                                        sizeof places[0], compare_places);
    return found ? *found : none;
}

/* The folder of the tree that the current folder is in, with a slash behind it; false where it is in none. */
static bool find_tree(char tree[PATH_MAX])
{
    if (!getcwd(tree, PATH_MAX))
        return false;
    for (char *end = tree + strlen(tree); end; *end = '\0', end = strrchr(tree, '/')) {
        const size_t length = (size_t)(end - tree);
        if (length + sizeof "/src/ops/function.h" > PATH_MAX)
            continue;
        memcpy(end, "/src/ops/function.h", sizeof "/src/ops/function.h");
        if (access(tree, R_OK) == 0) {
            end[1] = '\0';
            return true;
        }
        *end = '\0';
    }
    return false;
}

static bool has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
        if ((at == line || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    return false;
}

/*
 * The line of a file that has a word: the last one up to the line `end`, or, where that is 0, the first one
 * that is no comment and begins with no blank, or else the first one. 0 where the file is not there, or lacks
 * it.
 */
static int line_of(const char *tree, const char *path, const char *word, int end)
{
    char whole[PATH_MAX + 256], *line = NULL;
    size_t size = 0;
    int found = 0;
    bool is_sure = false;
    snprintf(whole, sizeof whole, "%s%s", tree, path);
    FILE *file = fopen(whole, "r");
    if (!file)
        return 0;
    for (int number = 1; getline(&line, &size, file) > 0 && !(end && number > end); number++)
        if (has_word(line, word) && (end || !is_sure)) {
            const bool is_definition = isalpha((unsigned char)line[0]) != 0;
            if (end || !found || is_definition)
                found = number;
            is_sure = is_definition;
        }
    free(line);
    fclose(file);
    return found;
}

/* What a description says of its file, within the tree. */
static const char *contract_of(const struct function *function)
{
    const char *within = strstr(function->file, "src/ops/");
    return within ? within : function->file;
}

static void print_line(const char *what, const char *tree, const char *path, const char *word, int end)
{
    const int line = tree ? line_of(tree, path, word, end) : 0;
    printf("  %-9s %s", what, path);
    if (line || end)
        printf(":%d", line ? line : end);
}

void where_print(const struct function *function)
{
    const struct place place = place_of(function);
    const char *name = function->operation.name;
    char folder[PATH_MAX], header[256], text[4096], *rest = NULL;
    const char *tree = find_tree(folder) ? folder : NULL;
    printf("%s\n", name);
    print_line("contract", tree, contract_of(function), name, function->line);
    printf("\n");
    snprintf(text, sizeof text, "%s", place.kernels);
    for (char *kernel = strtok_r(text, " ", &rest); kernel; kernel = strtok_r(NULL, " ", &rest)) {
        char *path = strchr(kernel, ':');
        *path++ = '\0';
        if (*kernel) {
            print_line("kernel", tree, path, kernel, 0);
            printf("  %s\n", kernel);
        } else {
            printf("  %-9s %s  in plain C\n", "kernel", path);
        }
    }
    snprintf(header, sizeof header, "include/aclnnop/aclnn_%s.h", function->stem);
    print_line("header", tree, header, name, 0);
    printf("\n");
    snprintf(text, sizeof text, "%s", place.tests);
    for (char *path = strtok_r(text, " ", &rest); path; path = strtok_r(NULL, " ", &rest)) {
        print_line("test", tree, path, name, 0);
        printf("\n");
    }
}

static void print_list(const char *member, const char *texts)
{
    printf(", \"%s\": [", member);
    for (const char *at = texts; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        printf("%s\"%.*s\"", at == texts ? "" : ", ", (int)length, at);
        at += length;
    }
    printf("]");
}

void where_print_json(const struct function *function)
{
    const struct place place = place_of(function);
    printf(", \"where\": {\"contract\": \"%s:%d\"", contract_of(function), function->line);
    print_list("kernels", place.kernels);
    printf(", \"header\": \"include/aclnnop/aclnn_%s.h\"", function->stem);
    print_list("tests", place.tests);
    printf("}");
}
