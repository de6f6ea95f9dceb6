/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * bisheng: kernels and the programs around them, by the C++ compiler that the machine has.
 *
 *   x.ii     the source, preprocessed, with the qualifiers of kernels as words of their own
 *   x.cpp.ii the same with launches as calls (source.c)
 *   x.o
 */
#include "tools/ascendc/compile.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/ascendc/options.h"
#include "tools/ascendc/source.h"
#include "tools/program/find.h"

extern char **environ;

static const char *const compilers[] = {"clang++", "g++", "c++"};

/* What a run works with. */
struct work {
    char root[PATH_MAX], compiler[PATH_MAX], folder[PATH_MAX];
    struct options options;
    struct words made; /* files to remove at the end */
};

static int refuse(const char *sentence)
{
    fprintf(stderr, "bisheng: %s\n", sentence);
    return 1;
}

static bool find_compiler(struct work *work)
{
    const char *named = getenv("BELAY_CXX");
    if (named != NULL && named[0] != '\0') {
        if (program_find(named, work->compiler, sizeof work->compiler))
            return true;
        fprintf(stderr, "bisheng: BELAY_CXX names %s, which is no program here; a C++ compiler is expected\n",
                named);
        return false;
    }
    /* That of a build, unless it is this command. */
    named = work->options.instead_of;
    const char *slash = named != NULL ? strrchr(named, '/') : NULL, *name = slash != NULL ? slash + 1 : named;
    if (named != NULL && strcmp(name, "bisheng") != 0 && strcmp(name, "ccec") != 0 &&
        program_find(named, work->compiler, sizeof work->compiler))
        return true;
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++)
        if (program_find(compilers[i], work->compiler, sizeof work->compiler))
            return true;
    refuse("kernels are compiled by a C++ compiler of the host, and there is none: install g++ or clang++, "
           "or set "
           "BELAY_CXX");
    return false;
}

/* Runs a program and waits for its end: its exit status. */
static int run(const struct words *words)
{
    pid_t process;
    int status = 1;
    const int error = posix_spawn(&process, words->word[0], NULL, NULL, words->word, environ);
    if (error != 0) {
        fprintf(stderr, "bisheng: %s cannot be run: %s\n", words->word[0], strerror(error));
        return 1;
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The name of a file of the run: the source's own with this ending. */
static const char *file_of(struct work *work, const char *source, size_t number, const char *ending)
{
    const char *slash = strrchr(source, '/');
    struct text path = {.data = NULL};
    text_print(&path, "%s/%zu-%s%s", work->folder, number, slash != NULL ? slash + 1 : source, ending);
    words_add(&work->made, path.data);
    free(path.data);
    return work->made.word[work->made.count - 1];
}

static bool is_file(const char *folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* Where the headers are: beside the command, or, in a build tree, in the tree's source. */
static void add_headers(const struct work *work, struct words *words)
{
    static const char *const places[] = {"include", "../include"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char folder[PATH_MAX + 32];
        snprintf(folder, sizeof folder, "%s/%s", work->root, places[i]);
        if (is_file(folder, "kernel_operator.h")) {
            words_add(words, "-isystem");
            words_add(words, folder);
            return;
        }
    }
}

/* What preprocessor and compiler are both told. Bits of floats are the same on every machine. */
static void begin_words(const struct work *work, struct words *words)
{
    words_add(words, work->compiler);
    words_add(words, "-std=gnu++20");
    words_add(words, "-O2");
    words_add_all(words, &work->options.compile);
    if (strstr(work->compiler, "clang") ==
        NULL) { /* instructions are loops, which g++ makes vectors of only so */
        words_add(words, "-ftree-vectorize");
        words_add(words, "-fvect-cost-model=dynamic");
    }
    words_add(words, "-fPIC");
    words_add(words, "-ffp-contract=off");
    words_add(words, "-fno-strict-aliasing");
}

static int preprocess(const struct work *work, const char *source, const char *to, bool marks_kernels)
{
    static const char *const marks[] = {SOURCE_DEFINES};
    struct words words = {.word = NULL};
    begin_words(work, &words);
    words_add(&words, "-E");
    words_add_all(&words, &work->options.preprocess);
    if (work->options.npu != 0) {
        words_print(&words, "-D__NPU_ARCH__=%u", work->options.npu);
        words_print(&words, "-D__CCE_AICORE__=%u", work->options.core);
    }
    words_add(&words, "-DBELAY_BISHENG");
    for (size_t i = 0; marks_kernels && i < sizeof marks / sizeof marks[0]; i++)
        words_add(&words, marks[i]);
    add_headers(work, &words);
    words_add(&words, "-x");
    words_add(&words, "c++");
    words_add(&words, source);
    if (to != NULL) {
        words_add(&words, "-o");
        words_add(&words, to);
    }
    return run(&words);
}

/* Rules for make say what the object is, which the preprocessor does not know. */
static void name_dependencies(struct work *work, const char *object)
{
    struct words *words = &work->options.preprocess;
    const bool is_asked = words_have(words, "-MD") || words_have(words, "-MMD");
    if (is_asked && !words_have(words, "-MT") && !words_have(words, "-MQ")) {
        words_add(words, "-MT");
        words_add(words, object);
    }
    if (!is_asked || words_have(words, "-MF"))
        return;
    const char *point = strrchr(object, '.');
    words_add(words, "-MF");
    words_print(words, "%.*s.d", (int)(point != NULL ? point - object : (long)strlen(object)), object);
}

static int compile_text(const struct work *work, const char *from, const char *object)
{
    struct words words = {.word = NULL};
    begin_words(work, &words);
    words_add(&words, work->options.assembles ? "-S" : "-c");
    words_add(&words, "-x");
    words_add(&words, "c++-cpp-output");
    words_add(&words, from);
    words_add(&words, "-o");
    words_add(&words, object);
    return run(&words);
}

/* The kernels and launches of a source. 0, and text and parts are owned then. */
static int read_source(struct work *work, const char *source, size_t number, struct text *text,
                       struct source *parts)
{
    const char *raw = file_of(work, source, number, ".ii");
    const int status = preprocess(work, source, raw, true);
    if (status != 0)
        return status;
    *text = (struct text){.data = NULL};
    if (!text_read(text, raw))
        return refuse("what the preprocessor has written cannot be read");
    source_read(parts, text->data);
    return 0;
}

static int compile_source(struct work *work, const char *source, size_t number, const char *object)
{
    const char *made = file_of(work, source, number, ".cpp.ii");
    struct text text, out = {.data = NULL};
    struct source parts;
    name_dependencies(work, object);
    int status = read_source(work, source, number, &text, &parts);
    if (status != 0)
        return status;
    if (!source_rewrite(&parts, work->options.has_launchers, &out))
        status = 1;
    else if (!text_write(&out, made))
        status = refuse("the folder for temporary files cannot be written");
    source_free(&parts);
    free(text.data);
    free(out.data);
    return status != 0 ? status : compile_text(work, made, object);
}

static int write_headers(struct work *work, const char *source, size_t number)
{
    struct text text;
    struct source parts;
    int status = read_source(work, source, number, &text, &parts);
    if (status != 0)
        return status;
    for (size_t i = 0; i < parts.kernel_count && status == 0; i++) {
        struct text header = {.data = NULL}, path = {.data = NULL};
        if (parts.kernel[i].is_template || !parts.kernel[i].is_defined)
            continue;
        source_write_header(&parts, &parts.kernel[i], &header);
        text_print(&path, "%s/aclrtlaunch_%s.h", work->options.headers, parts.kernel[i].name);
        if (!text_write(&header, path.data))
            status = refuse("the folder of --belay-launch-headers cannot be written");
        free(header.data);
        free(path.data);
    }
    source_free(&parts);
    free(text.data);
    return status;
}

/* With the libraries that kernels call, which the root has. */
static int link_objects(const struct work *work, const struct words *objects)
{
    struct words words = {.word = NULL};
    words_add(&words, work->compiler);
    words_add_all(&words, &work->options.compile);
    words_add_all(&words, objects);
    words_add_all(&words, &work->options.link);
    words_print(&words, "-L%s/lib64", work->root);
    words_add(&words, "-lbelay_kernel");
    words_add(&words, "-lascendcl");
    words_add(&words, "-o");
    words_add(&words, work->options.output != NULL ? work->options.output : "a.out");
    return run(&words);
}

/* What -c makes of a source: the name that was given, or the source's with another ending, here. */
static const char *object_of(struct work *work, const char *source, size_t number)
{
    const char *slash = strrchr(source, '/'), *name = slash != NULL ? slash + 1 : source;
    const char *point = strrchr(name, '.');
    static char path[PATH_MAX];
    if (!work->options.compiles_only)
        return file_of(work, source, number, ".o");
    if (work->options.output != NULL)
        return work->options.output;
    snprintf(path, sizeof path, "%.*s.%s", (int)(point != NULL ? point - name : (long)strlen(name)), name,
             work->options.assembles ? "s" : "o");
    return path;
}

static int compile_all(struct work *work)
{
    const struct words *sources = &work->options.sources;
    struct words objects = {.word = NULL};
    int status = 0;
    for (size_t i = 0; i < sources->count && status == 0; i++) {
        const char *source = sources->word[i];
        if (access(source, R_OK) != 0) {
            fprintf(stderr, "bisheng: %s cannot be read: %s\n", source, strerror(errno));
            status = 1;
        } else if (work->options.headers != NULL) {
            status = write_headers(work, source, i);
        } else if (work->options.preprocesses_only) {
            status = preprocess(work, source, work->options.output, false);
        } else {
            const char *object = object_of(work, source, i);
            status = compile_source(work, source, i, object);
            words_add(&objects, object);
        }
    }
    const bool links = !work->options.compiles_only && !work->options.preprocesses_only;
    return status != 0 || !links || work->options.headers != NULL ? status : link_objects(work, &objects);
}

/* The command line as it is: of C, of objects alone, or questions to the compiler. */
static int pass_on(struct work *work, int argc, char **argv)
{
    struct words words = {.word = NULL};
    char compiler[PATH_MAX];
    snprintf(compiler, sizeof compiler, "%s", work->compiler);
    if (work->options.is_c) { /* g++'s is gcc, clang++'s clang */
        char *plus = strstr(compiler, "++");
        if (plus != NULL && plus >= compiler + 2 && plus[-1] == 'g' &&
            (plus - compiler < 5 || plus[-2] != 'n'))
            memcpy(plus, "cc", 2);
        else if (plus != NULL)
            memmove(plus, plus + 2, strlen(plus + 2) + 1);
    }
    words_add(&words, compiler);
    words_add_all(&words, &work->options.compile);
    for (int i = 1; i < argc; i++)
        if (words_have(&work->options.preprocess, argv[i]) || words_have(&work->options.link, argv[i]) ||
            strcmp(argv[i], "-E") == 0 || strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "-S") == 0)
            words_add(&words, argv[i]);
        else if (strcmp(argv[i], "-x") == 0 && i + 1 < argc) {
            words_add(&words, "-x");
            words_add(&words, strcmp(argv[i + 1], "asc") == 0 ? "c++" : argv[i + 1]);
        }
    if (work->options.output != NULL) {
        words_add(&words, "-o");
        words_add(&words, work->options.output);
    }
    const bool links = !work->options.compiles_only && !work->options.preprocesses_only &&
                       work->options.output != NULL && !work->options.is_c;
    if (links) {
        words_print(&words, "-L%s/lib64", work->root);
        words_add(&words, "-lbelay_kernel");
        words_add(&words, "-lascendcl");
    }
    return run(&words);
}

int ascendc_compile(int argc, char **argv)
{
    static struct work work;
    const char *temporary = getenv("TMPDIR");
    if (!options_read(&work.options, argc, argv) || !find_compiler(&work))
        return 1;
    if (!program_root(work.root, sizeof work.root))
        return refuse("/proc/self/exe cannot be read");
    if (work.options.is_plain)
        return pass_on(&work, argc, argv);
    snprintf(work.folder, sizeof work.folder, "%s/belay-kernel-XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (mkdtemp(work.folder) == NULL)
        return refuse("the folder for temporary files cannot be written");
    const int status = compile_all(&work);
    for (size_t i = 0; i < work.made.count; i++)
        unlink(work.made.word[i]);
    rmdir(work.folder);
    return status;
}
