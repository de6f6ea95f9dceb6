/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lowers kernels. triton-ascend's own program has turned Triton's language into dialects that MLIR knows, with the
 * meaning that they have on any host; upstream passes take them to LLVM's language, and LLVM to a shared library.
 *
 *   kernel.mlir   what came, rewritten (rewrite.c), with checks (checks.c) and its declarations marked (known.c)
 *   loops.mlir    loops over memory, by mlir-opt; rounded.mlir the same, with each operation of 16 bits rounded, and
 *                 without copies of what is only read (in_place.c)
 *   low.mlir      LLVM's dialect, by mlir-opt
 *   raw.ll        the same in LLVM's language, by mlir-translate
 *   kernel.ll     with Belay's maths for libm's, the known functions and the entry
 *   kernel.bc, .o, .so
 *
 * No pass may join a product with a sum, or change the order of sums: the same kernel gives the same bits on every
 * machine.
 */
#include "tools/triton/lower.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/program/find.h"
#include "tools/triton/llvm_text.h"
#include "tools/triton/rewrite.h"
#include "tools/triton/source.h"

extern char **environ;

/* Versions of LLVM whose text the wheel's is, the nearest first. */
static const int versions[] = {19, 20, 18, 21};

/* What a run works with. */
struct work {
    char folder[PATH_MAX / 2], llvm[PATH_MAX / 4], root[PATH_MAX / 2];
    struct kernel_source source;
    char *text; /* owned */
    struct made_list made;
    bool is_wide; /* compiled for processors with AVX2, FMA and F16C */
};

static bool refuse(const char *sentence)
{
    fprintf(stderr, "bishengir-compile: %s\n", sentence);
    return false;
}

/* The file's bytes, with a 0 behind them; NULL when it cannot be read. */
static char *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    *bytes = 0;
    for (size_t room = 1 << 16, got = 1; file != NULL && got > 0; room *= 2) {
        char *more = realloc(text, room + 1);
        if (more == NULL)
            break;
        text = more;
        got = fread(text + *bytes, 1, room - *bytes, file);
        *bytes += got;
    }
    if (file != NULL)
        fclose(file);
    if (text != NULL)
        text[*bytes] = '\0';
    return text;
}

static const char *in_folder(const struct work *work, const char *name)
{
    static char path[4][PATH_MAX];
    static unsigned next;
    char *place = path[next++ % 4];
    snprintf(place, PATH_MAX, "%s/%s", work->folder, name);
    return place;
}

static bool find_llvm(struct work *work)
{
    const char *given = getenv("BELAY_LLVM");
    char path[PATH_MAX];
    if (given != NULL && *given != '\0') {
        snprintf(work->llvm, sizeof work->llvm, "%s", given);
        snprintf(path, sizeof path, "%s/mlir-opt", work->llvm);
        return access(path, X_OK) == 0 || refuse("BELAY_LLVM names a folder without mlir-opt");
    }
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        snprintf(work->llvm, sizeof work->llvm, "/usr/lib/llvm-%d/bin", versions[i]);
        bool is_there = true;
        static const char *const programs[] = {"mlir-opt", "mlir-translate", "opt", "llc"};
        for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
            snprintf(path, sizeof path, "%s/%s", work->llvm, programs[k]);
            is_there = is_there && access(path, X_OK) == 0;
        }
        if (is_there)
            return true;
    }
    return refuse("Triton's kernels are compiled by LLVM's programs, which are not here: install llvm-19 and "
                  "mlir-19-tools, or set BELAY_LLVM to the folder of mlir-opt, mlir-translate, opt and llc");
}

/* Runs a program, whose output goes to messages.txt; false when it fails. */
static bool run(const struct work *work, char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t process;
    int status = -1;
    const char *messages = in_folder(work, "messages.txt");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int error = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        fprintf(stderr, "bishengir-compile: %s cannot be run: %s\n", arguments[0], strerror(error));
        return false;
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A program of LLVM's: its name, its options up to NULL, the file that it reads and the one that it writes. */
static bool run_llvm(const struct work *work, const char *program, const char *const *options,
                     const char *from, const char *to)
{
    char path[PATH_MAX];
    const char *arguments[48] = {path};
    size_t count = 1;
    snprintf(path, sizeof path, "%s/%s", work->llvm, program);
    while (*options != NULL && count < 40)
        arguments[count++] = *options++;
    arguments[count++] = in_folder(work, from);
    arguments[count++] = "-o";
    arguments[count++] = in_folder(work, to);
    return run(work, (char *const *)arguments);
}

/* The line of the text that a message names as :LINE:COLUMN:, and the line of Python that it comes from. */
static void tell_line(const struct work *work, const char *message)
{
    size_t bytes;
    char *text = read_file(in_folder(work, "kernel.mlir"), &bytes), mark[PLACE_BYTES];
    const char *place = strstr(message, ".mlir:"), *at = text;
    long line = place != NULL ? strtol(place + 6, NULL, 10) : 0;
    for (; line > 1 && at != NULL; line--)
        at = next_line(at);
    if (place != NULL && at != NULL) {
        at += strspn(at, " ");
        place_of(at, mark);
        fprintf(stderr, "    %.*s\n", (int)(statement_end(at) - at), at);
        if (mark[0] != '\0')
            fprintf(stderr, "    at %s\n", mark);
    }
    free(text);
}

/* Says what the last program could not do: its first error, and the line of the kernel's text. */
static bool tell_failure(const struct work *work, const char *program)
{
    size_t bytes;
    char *messages = read_file(in_folder(work, "messages.txt"), &bytes);
    const char *error = messages != NULL ? strstr(messages, "error: ") : NULL;
    const char *first = error != NULL ? error + 7 : messages != NULL ? messages : "";
    fprintf(stderr, "bishengir-compile: kernel %s is not lowered to the host: %s: %.*s\n", work->source.name,
            program, (int)strcspn(first, "\n"), first);
    if (error != NULL)
        tell_line(work, messages);
    free(messages);
    return false;
}

/* The text that mlir-opt gets: marks of places, what is said otherwise here, checks, declarations. */
static bool prepare(struct work *work)
{
    char *(*const steps[])(const char *, struct made_list *) = {kernel_rewrite, kernel_check_accesses};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        char *next = steps[i](work->text, &work->made);
        if (next == NULL)
            return refuse("there is no memory");
        free(work->text);
        work->text = next;
    }
    FILE *file = fopen(in_folder(work, "kernel.mlir"), "w");
    if (file == NULL)
        return refuse("there is no room for temporary files");
    const bool is_good = known_functions_mark(work->text, &work->made, file);
    return fclose(file) == 0 && is_good;
}

/*
 * In this order: elementwise operations become loops that are fused; tensors become memory, of which what a loop
 * needs anew each time is taken before it; 16-bit floats are computed as FLOAT and rounded; then, in another run,
 * everything that is left becomes LLVM's.
 */
static const char *const passes_to_loops[] = {
    "--allow-unregistered-dialect",
    "--inline",
    "--convert-elementwise-to-linalg",
    "--linalg-fuse-elementwise-ops",
    "--eliminate-empty-tensors",
    "--empty-tensor-to-alloc-tensor",
    "--one-shot-bufferize=allow-return-allocs-from-loops=true "
    "bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map",
    "--buffer-loop-hoisting",
    "--convert-bufferization-to-memref",
    "--convert-linalg-to-loops",
    "--math-legalize-to-f32",
    "--arith-emulate-unsupported-floats=source-types=bf16,f16 target-type=f32",
    NULL};
static const char *const passes_to_llvm[] = {"--allow-unregistered-dialect",
                                             "--expand-strided-metadata",
                                             "--convert-scf-to-cf",
                                             "--lower-affine",
                                             "--arith-expand=include-bf16=true",
                                             "--convert-math-to-llvm",
                                             "--convert-math-to-libm",
                                             "--finalize-memref-to-llvm",
                                             "--convert-func-to-llvm",
                                             "--convert-cf-to-llvm",
                                             "--convert-index-to-llvm",
                                             "--convert-arith-to-llvm",
                                             "--reconcile-unrealized-casts",
                                             NULL};

/* What is only read is read where it lies. And the pass that computes 16-bit floats as FLOAT says that they need not be
 * rounded between two operations: here they are, as the device does. */
static bool rewrite_loops(struct work *work)
{
    static const char may_skip[] = " fastmath<contract>";
    size_t bytes;
    char *loops = read_file(in_folder(work, "loops.mlir"), &bytes);
    char *text = loops != NULL ? kernel_read_in_place(loops, &work->made) : NULL;
    free(loops);
    FILE *file = text != NULL ? fopen(in_folder(work, "rounded.mlir"), "w") : NULL;
    const char *at = text;
    for (const char *found; file != NULL && (found = strstr(at, may_skip)) != NULL;
         at = found + strlen(may_skip))
        fwrite(at, 1, (size_t)(found - at), file);
    if (file != NULL)
        fputs(at, file);
    free(text);
    return (file != NULL && fclose(file) == 0) || refuse("there is no room for temporary files");
}

static bool write_llvm(const struct work *work)
{
    size_t bytes;
    char *raw = read_file(in_folder(work, "raw.ll"), &bytes);
    FILE *file = raw != NULL ? fopen(in_folder(work, "kernel.ll"), "w") : NULL;
    bool is_good = file != NULL && llvm_text_write(raw, work->text, &work->made, &work->source, file);
    if (file != NULL)
        is_good = fclose(file) == 0 && is_good;
    free(raw);
    return is_good || refuse("there is no room for temporary files");
}

static const char *processor(const struct work *work)
{
#ifdef __x86_64__
    return work->is_wide ? "-mcpu=x86-64-v3" : "-mcpu=x86-64";
#else
    (void)work;
    return "-mcpu=generic";
#endif
}

/* BELAY_ISA=baseline keeps kernels on the lowest level, as it does operators. */
static bool can_be_wide(void)
{
#ifdef __x86_64__
    const char *level = getenv("BELAY_ISA");
    return (level == NULL || strcmp(level, "baseline") != 0) && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

static bool link_library(const struct work *work)
{
    static const char *const compilers[] = {"cc", "gcc", "clang", "c++", "g++", "clang++"};
    char folder[2][PATH_MAX], program[PATH_MAX];
    snprintf(folder[0], PATH_MAX, "-L%s/lib64", work->root);
    snprintf(folder[1], PATH_MAX, "-L%s/lib", work->root);
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        const char *const arguments[] = {compilers[i],
                                         "-shared",
                                         "-o",
                                         in_folder(work, "kernel.so"),
                                         in_folder(work, "kernel.o"),
                                         folder[0],
                                         folder[1],
                                         "-lbelay_kernel",
                                         "-lm",
                                         NULL};
        if (program_find(compilers[i], program, sizeof program))
            return run(work, (char *const *)arguments) || tell_failure(work, compilers[i]);
    }
    return refuse("a kernel is linked by the C compiler, and there is none: install gcc");
}

/* Compiles for this processor's level, which the container says. */
static bool compile(struct work *work)
{
    const char *const translate[] = {"--mlir-to-llvmir", "--allow-unregistered-dialect", NULL};
    const char *const optimise[] = {"-O2", processor(work), NULL};
    const char *const generate[] = {
        "-O2", "-relocation-model=pic", "-filetype=obj", "-fp-contract=off", processor(work), NULL};
    if (!run_llvm(work, "mlir-opt", passes_to_loops, "kernel.mlir", "loops.mlir"))
        return tell_failure(work, "mlir-opt");
    if (!rewrite_loops(work))
        return false;
    if (!run_llvm(work, "mlir-opt", passes_to_llvm, "rounded.mlir", "low.mlir"))
        return tell_failure(work, "mlir-opt");
    if (!run_llvm(work, "mlir-translate", translate, "low.mlir", "raw.ll"))
        return tell_failure(work, "mlir-translate");
    if (!write_llvm(work))
        return false;
    if (!run_llvm(work, "opt", optimise, "kernel.ll", "kernel.bc"))
        return tell_failure(work, "opt");
    if (!run_llvm(work, "llc", generate, "kernel.bc", "kernel.o"))
        return tell_failure(work, "llc");
    return link_library(work);
}

/* The container: header, pointers, library. */
static bool write_container(const struct work *work, const char *to)
{
    size_t bytes;
    char *library = read_file(in_folder(work, "kernel.so"), &bytes);
    FILE *file = library != NULL ? fopen(to, "wb") : NULL;
    struct host_kernel_header header = {.magic = HOST_KERNEL_MAGIC,
                                        .version = HOST_KERNEL_VERSION,
                                        .is_serial = work->source.is_serial,
                                        .is_wide = work->is_wide,
                                        .argument_bytes = work->source.argument_bytes,
                                        .grid_at = work->source.grid_at};
    struct host_kernel_pointer pointer[ARGUMENTS_MAX];
    memcpy(header.name, work->source.name, sizeof header.name);
    for (uint32_t i = 0; i + ARGUMENTS_OF_GRID < work->source.argument_count; i++)
        if (work->source.argument[i].is_pointer)
            pointer[header.pointer_count++] =
                (struct host_kernel_pointer){work->source.argument[i].at, work->source.argument[i].use};
    header.library_at = (uint32_t)(sizeof header + header.pointer_count * sizeof pointer[0]);
    bool is_written =
        file != NULL && fwrite(&header, sizeof header, 1, file) == 1 &&
        fwrite(pointer, sizeof pointer[0], header.pointer_count, file) == header.pointer_count &&
        fwrite(library, 1, bytes, file) == bytes;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    free(library);
    if (!is_written)
        unlink(to);
    return is_written || refuse("the kernel cannot be written");
}

static void remove_folder(const struct work *work)
{
    static const char *const names[] = {"kernel.mlir", "loops.mlir",  "rounded.mlir", "low.mlir",
                                        "raw.ll",      "kernel.ll",   "kernel.bc",    "kernel.o",
                                        "kernel.so",   "messages.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(in_folder(work, names[i]));
    rmdir(work->folder);
}

bool kernel_lower(const char *from, const char *to)
{
    static struct work work;
    size_t bytes;
    const char *folder = getenv("TMPDIR");
    char *given = read_file(from, &bytes);
    work = (struct work){.is_wide = can_be_wide(), .text = given != NULL ? text_with_marks(given) : NULL};
    free(given);
    if (work.text == NULL) {
        fprintf(stderr, "bishengir-compile: %s cannot be read: %s\n", from, strerror(errno));
        return false;
    }
    bool is_done = kernel_source_read(work.text, &work.source) && find_llvm(&work) &&
                   (program_root(work.root, sizeof work.root) || refuse("/proc/self/exe cannot be read"));
    snprintf(work.folder, sizeof work.folder, "%s/belay-kernel-XXXXXX", folder != NULL ? folder : "/tmp");
    if (is_done && mkdtemp(work.folder) == NULL)
        is_done = refuse("there is no room for temporary files");
    else if (is_done) {
        is_done = prepare(&work) && compile(&work) && write_container(&work, to);
        remove_folder(&work);
    }
    free(work.text);
    free(work.made.made);
    return is_done;
}
