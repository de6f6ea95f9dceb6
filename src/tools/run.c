/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * belay run: replaces itself by the program, in an environment in which the loader finds Belay's libraries
 * for the names that the program was linked with.
 *
 * LD_LIBRARY_PATH is enough for most programs. It is searched after a DT_RPATH (one without a DT_RUNPATH
 * beside it), and not at all for a library that is named with its folder; where the program, or a library
 * that it needs, does so, the libraries are preloaded, which settles the names before anyone's wishes are
 * looked at.
 */
#include "tools/belay.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/name_distance.h"
#include "base/settings.h"
#include "tools/complete.h"
#include "tools/elf_needs.h"
#include "tools/faults.h"
#include "tools/program/find.h"
#include "tools/run.h"

enum { PRELOAD_TEXT = 16 * PATH_MAX };

/* Options without a letter. */
enum { OPTION_FAULT = 256, OPTION_FAULT_REPORT };

struct request {
    bool preload_is_forced;
    bool is_refused; /* a fault cannot be read, which has been said */
    struct asked_faults faults;
    const char *report; /* of the faults; NULL: standard error */
    char **argv;        /* the program and its arguments */
};

error_t run_parse(int key, struct argp_state *state, char ***argv)
{
    switch (key) {
    case ARGP_KEY_ARG:
        *argv = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        /* An option has eaten what was to be run. */
        if (state->argc > 2 && state->argv[state->argc - 2][0] == '-' &&
            access(state->argv[state->argc - 1], X_OK) == 0)
            argp_error(state, "PROGRAM is missing: %.256s was taken as the argument of %.256s",
                       state->argv[state->argc - 1], state->argv[state->argc - 2]);
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'p':
        request->preload_is_forced = true;
        return 0;
    case OPTION_FAULT:
        request->is_refused |= !faults_add(&request->faults, "belay run", argument);
        return 0;
    case OPTION_FAULT_REPORT:
        request->report = argument;
        return 0;
    default:
        return run_parse(key, state, &request->argv);
    }
}

bool run_find_root(const char *verb, char *root)
{
    ssize_t length = readlink("/proc/self/exe", root, PATH_MAX - 1);
    if (length < 0) {
        complain("%s: /proc/self/exe does not say where Belay lies: %s", verb, strerror(errno));
        return false;
    }
    root[length] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');
        if (!slash) {
            complain("%s: no toolkit root is above %s", verb, root);
            return false;
        }
        *slash = 0;
    }
    return true;
}

/* Where execvp would find the program; false when nowhere, which execvp then says better. */
static bool find_program(const char *name, char *path)
{
    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    return program_find(name, path, PATH_MAX);
}

/* name=value, with what name held before appended behind separator. */
static bool prepend(const char *name, const char *value, char separator)
{
    const char *old = getenv(name);
    if (!old || !*old)
        return setenv(name, value, 1) == 0;
    size_t size = strlen(value) + strlen(old) + 2;
    char *both = malloc(size);
    if (!both)
        return false;
    snprintf(both, size, "%s%c%s", value, separator, old);
    bool is_good = setenv(name, both, 1) == 0;
    free(both);
    return is_good;
}

/* What runs the program: itself, or the interpreter of a script. "#!/usr/bin/env NAME" is NAME. */
static bool find_runner(const char *program, char *path)
{
    char line[PATH_MAX], name[PATH_MAX], argument[PATH_MAX];
    /* A pipe is not waited for, and holds nothing: exec says what it thinks of one. */
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = file >= 0 ? read(file, line, sizeof line - 1) : -1;
    if (file >= 0)
        close(file);
    line[length > 0 ? length : 0] = 0;
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "#!", 2) != 0)
        return snprintf(path, PATH_MAX, "%s", program) < PATH_MAX;
    int words = sscanf(line + 2, " %4095s %4095s", name, argument);
    const char *slash = words > 0 ? strrchr(name, '/') : NULL;
    if (words == 2 && slash && strcmp(slash, "/env") == 0)
        return find_program(argument, path);
    return words > 0 && snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
}

static bool is_library(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".so") == 0;
}

/*
 * Whether a library has functions to offer: it is the runtime or rests on it. Those that only fill a name
 * must not be put in front of a program's own library of that name, nor must those whose functions all
 * refuse, or nearly so.
 */
static bool offers_functions(const char *folder, const char *name)
{
    static const char runtime[] = "libascendcl.so", refusing[] = "libplatform.so", graphs[] = "libgraph.so";
    char path[PATH_MAX];
    struct elf_needs needs;
    if (strcmp(name, runtime) == 0)
        return true;
    if (strcmp(name, refusing) == 0 || strcmp(name, graphs) == 0 ||
        snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        !elf_needs_read(path, &needs))
        return false;
    bool rests_on_it = false;
    for (uint32_t i = 0; i < needs.count; i++)
        rests_on_it =
            rests_on_it || strcmp(needs.name[i], runtime) == 0 || strcmp(needs.name[i], "libopapi.so") == 0;
    elf_needs_destroy(&needs);
    return rests_on_it;
}

/* All libraries of the folder that offer functions, in front of what LD_PRELOAD holds. */
static bool preload_all(const char *folder)
{
    DIR *listing = opendir(folder);
    if (!listing)
        return false;
    char list[PRELOAD_TEXT];
    size_t filled = 0;
    bool has_room = true;
    for (const struct dirent *entry; has_room && (entry = readdir(listing));) {
        if (!is_library(entry) || !offers_functions(folder, entry->d_name))
            continue;
        int written =
            snprintf(list + filled, sizeof list - filled, filled ? ":%s/%s" : "%s/%s", folder, entry->d_name);
        has_room = written >= 0 && (size_t)written < sizeof list - filled;
        filled += has_room ? (size_t)written : 0;
    }
    closedir(listing);
    return has_room && filled && prepend("LD_PRELOAD", list, ':');
}

/* Whether the program is Python, or one of those that start it for a user. */
static bool may_run_python(const char *runner)
{
    static const char *const starters[] = {
        "sh",     "bash",    "dash",  "ksh",     "zsh",     "fish",  "env",    "nice",   "nohup",
        "setsid", "stdbuf",  "time",  "timeout", "taskset", "sudo",  "strace", "ltrace", "gdb",
        "perf",   "numactl", "xargs", "make",    "ninja",   "conda", "uv",     "mpirun", "srun"};
    const char *slash = strrchr(runner, '/');
    const char *name = slash ? slash + 1 : runner;
    bool is_starter = false;
    for (size_t i = 0; i < sizeof starters / sizeof starters[0]; i++)
        is_starter = is_starter || strcmp(name, starters[i]) == 0;
    return is_starter || strncmp(name, "python", 6) == 0;
}

/* torch_npu refuses to work where PyTorch sees a GPU. */
static bool hide_gpus(const char *verb)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    bool is_hidden = visible && (!*visible || strcmp(visible, "-1") == 0);
    if (is_hidden || (access("/dev/nvidiactl", F_OK) != 0 && access("/proc/driver/nvidia", F_OK) != 0))
        return true;
    complain(
        "%s: CUDA_VISIBLE_DEVICES is set to nothing, because PyTorch for Ascend refuses to run beside a GPU",
        verb);
    return setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;
}

/* What PyTorch for Ascend needs besides the libraries: see torch_allocator_keys.c and torch_release_thread.c. */
static bool prepare_torch(const char *verb, const char *folder)
{
    char library[PATH_MAX];
    if (snprintf(library, sizeof library, "%s/libbelay_torch.so", folder) >= (int)sizeof library ||
        strpbrk(library, ":; ") || access(library, R_OK) != 0)
        return true; /* not for a list of libraries, or not there: other programs run all the same */
    return prepend("LD_PRELOAD", library, ':') && hide_gpus(verb);
}

/* Triton's kernels are compiled with the lines of Python that messages about them name. */
static bool prepare_triton(void)
{
    return setenv("TRITON_DISABLE_LINE_INFO", "0", 0) == 0;
}

/* What set_env.sh sets, too: folders of the root, which come first or stand alone. */
static bool name_folders(const char *root)
{
    static const struct {
        const char *name, *below;
        bool is_list, is_optional;
    } variables[] = {
        {"ASCEND_HOME_PATH", "", false, false},
        {"ASCEND_TOOLKIT_HOME", "", false, false},
        {"TOOLCHAIN_HOME", "", false, false},
        {"ASCEND_AICPU_PATH", "", false, false},
        {"ASCEND_OPP_PATH", "/opp", false, false},
        {"LD_LIBRARY_PATH", "/lib64", true, false},
        {"LD_LIBRARY_PATH", "/latest/lib64", true, true}, /* by whose name MindSpore finds the root */
        {"PATH", "/tools/profiler/bin", true, false},     /* msprof, which wheels have nowhere else */
        {"PATH", "/bin", true, false},
        {"PYTHONPATH", "/python/site-packages", true, false},
        {"PKG_CONFIG_PATH", "/lib64/pkgconfig", true, false},
        {"CMAKE_PREFIX_PATH", "", true, false},
    };
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        char folder[PATH_MAX];
        const char *name = variables[i].name, *old = getenv(name);
        if (snprintf(folder, sizeof folder, "%s%s", root, variables[i].below) >= (int)sizeof folder)
            return false;
        if (variables[i].is_optional && access(folder, X_OK) != 0)
            continue;
        /* Without a PATH the system's folders are searched, and with one of ours no more. */
        if (strcmp(name, "PATH") == 0 && (!old || !*old))
            continue;
        if (variables[i].is_list ? !prepend(name, folder, ':') : setenv(name, folder, 1) != 0)
            return false;
    }
    return true;
}

/* Whether the loader will not listen to the environment: the program has rights that its user lacks. */
static bool gains_rights(const char *program)
{
    struct stat status;
    if (stat(program, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
           (status.st_mode & S_ISGID && status.st_mode & S_IXGRP && status.st_gid != getgid()) ||
           (getuid() != 0 && getxattr(program, "security.capability", NULL, 0) > 0);
}

/* Programs to which the libraries cannot be brought run all the same, as what they start may need them. */
static void warn(const char *verb, const char *runner)
{
    const char *why = gains_rights(runner)    ? "has more rights than its user, so that the loader ignores"
                      : elf_is_static(runner) ? "is statically linked, and needs no loader that would read"
                                              : NULL;
    if (why)
        complain("%s: %.256s %s LD_LIBRARY_PATH: it does not get Belay's libraries", verb, runner, why);
}

/* On failure a sentence has been printed. */
static bool prepare(const char *verb, const char *name, const char *root, bool preload_is_forced)
{
    char folder[PATH_MAX], program[PATH_MAX], runner[PATH_MAX];
    if (snprintf(folder, sizeof folder, "%s/lib64", root) >= (int)sizeof folder) {
        complain("%s: the path of Belay's folder is too long", verb);
        return false;
    }
    bool is_found = find_program(name, program) && find_runner(program, runner);
    bool preloads = preload_is_forced || (is_found && elf_needs_preload(runner, folder));
    bool is_python = preload_is_forced || (is_found && may_run_python(runner));
    /* What ends an entry in the lists that the loader reads; it knows no way to escape it. */
    if (strpbrk(folder, preloads ? ":; " : ":;")) {
        complain("%s: %s has %s in it, which the loader cannot take; move it", verb, folder,
                 preloads ? "a colon, a semicolon or a space" : "a colon or a semicolon");
        return false;
    }
    if (is_found)
        warn(verb, runner);
    bool is_good = name_folders(root) && setenv("BELAY_ABSENT", "report", 0) == 0 &&
                   (!preloads || preload_all(folder)) &&
                   (!is_python || (prepare_torch(verb, folder) && prepare_triton()));
    if (!is_good)
        complain("%s: the environment cannot be made: there is not enough room, or %s has no libraries", verb,
                 folder);
    return is_good;
}

bool run_knows_variable(const char *entry)
{
    /* Those of the commands that compile kernels, of builds, and of the tree's own scripts. */
    static const char *const others[] = {
        "BELAY_CXX=",   "BELAY_LLVM=",         "BELAY_GLOO_SOURCE=",  "BELAY_CLIENTS",
        "BELAY_WHEEL_", "BELAY_BUILD_FOLDER=", "BELAY_HOST_COMMAND=", "BELAY_RELEASE="};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(entry, others[i], strlen(others[i])) == 0)
            return true;
    const size_t length = strcspn(entry, "=");
    const char *name;
    for (uint32_t i = 0; (name = settings_variable(i)) != NULL; i++)
        if (strlen(name) == length && memcmp(name, entry, length) == 0)
            return true;
    return false;
}

static const char prefix[] = "BELAY_";

/* What behind the prefix a misspelt name may mean; NULL where it means nothing. */
static const char *meant_variable(const char *entry, size_t length)
{
    const size_t skipped = sizeof prefix - 1;
    char misspelt[NAME_DISTANCE_LETTERS];
    const char *name;
    if (length - skipped >= sizeof misspelt)
        return NULL;
    memcpy(misspelt, entry + skipped, length - skipped);
    misspelt[length - skipped] = '\0';
    struct nearest_name nearest = nearest_name_to(misspelt);
    for (uint32_t i = 0; (name = settings_variable(i)) != NULL; i++)
        if (strncmp(name, prefix, skipped) == 0)
            nearest_name_try(&nearest, name + skipped);
    return nearest.name;
}

bool run_prepare(const char *verb, const char *program, bool preload_is_forced)
{
    char root[PATH_MAX];
    /* Others have variables with this prefix, too: those that look like none of Belay's are not spoken of. */
    for (char **entry = environ; entry && *entry; entry++) {
        const size_t length = strcspn(*entry, "=");
        const bool is_unknown =
            strncmp(*entry, prefix, sizeof prefix - 1) == 0 && !run_knows_variable(*entry);
        const char *meant = is_unknown ? meant_variable(*entry, length) : NULL;
        if (meant != NULL)
            complain("%s: %.*s is not a variable of Belay: it has no effect; did you mean %s%s?", verb,
                     (int)length, *entry, prefix, meant);
    }
    return run_find_root(verb, root) && prepare(verb, program, root, preload_is_forced);
}

int run_replace(const char *verb, char **argv)
{
    execvp(argv[0], argv);
    int error = errno;
    struct stat here;
    const size_t length = strlen(argv[0]);
    /* Names without a slash are looked for in PATH alone. */
    const bool is_here =
        error == ENOENT && !strchr(argv[0], '/') && stat(argv[0], &here) == 0 && S_ISREG(here.st_mode);
    const bool is_python =
        length > 3 && strcmp(argv[0] + length - 3, ".py") == 0 && (is_here || error == EACCES);
    complain("%s: %.256s: %s%s%.256s%s", verb, argv[0], strerror(error),
             is_python ? "; did you mean python "
             : is_here ? "; did you mean ./"
                       : "",
             is_python || is_here ? argv[0] : "", is_python || is_here ? "?" : "");
    /* What shells answer: not found, or found but not runnable. */
    return error == ENOENT ? 127 : 126;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    verb_parse(&verb_run, parse, argc, argv, &request);
    if (request.is_refused)
        return STATUS_USAGE;
    if (!faults_add_environment(&request.faults, "belay run"))
        return STATUS_REFUSED;
    if (request.faults.text == NULL && request.report != NULL) {
        complain(
            "belay run: --fault-report is given, but no fault: --fault or BELAY_FAULT is expected beside it");
        return STATUS_USAGE;
    }
    if (!run_prepare("belay run", request.argv[0], request.preload_is_forced))
        return STATUS_REFUSED;
    if (request.faults.text == NULL)
        return run_replace("belay run", request.argv);
    int status = faults_run(&request.faults, "belay run", request.argv, request.report);
    free(request.faults.text);
    return status;
}

static void complete(struct completion *completion, const char *option, int count, const char *const *words)
{
    (void)count;
    (void)words;
    if (option != NULL && strcmp(option, "fault") == 0)
        faults_complete(completion);
}

static const struct argp_option options[] = {
    {"preload", 'p', NULL, 0, "preload all of Belay's libraries, into PROGRAM and whatever it starts", 0},
    {"fault", OPTION_FAULT, "WHEN:WHAT", 0,
     "have WHAT happen WHEN, such as collective=5,rank=2:kill; @FILE: the faults of a file; may be repeated",
     0},
    {"fault-report", OPTION_FAULT_REPORT, "FILE", 0,
     "write what came of the faults to FILE instead of standard error", 0},
    {0}};

static const struct example examples[] = {
    {"belay run ./program", "a program, whatever toolkit it was built against"},
    {"belay run python train.py", "PyTorch for Ascend; Python programs find acl and belay_npu, too"},
    {"BELAY_DEVICES=2 belay run ./program", "with another setting"},
    {"belay run --fault alloc=1:fail ./program", "the first allocation fails: does the program try again?"},
    {"belay run -p ./launcher", "where a library that the program opens has a DT_RPATH of its own"},
    {0}};

const struct verb verb_run = {
    .name = "run",
    .summary = "run a program on Belay, whatever toolkit it was built against",
    .words = "PROGRAM [ARGUMENT...]",
    .about =
        "Runs PROGRAM on Belay, whatever toolkit it was built against and wherever it would look for it. "
        "Sets what set_env.sh sets, so that builds find headers and libraries, too.",
    .options = options,
    .more =
        "The libraries are found by LD_LIBRARY_PATH. Where a DT_RPATH of PROGRAM, of a library that it "
        "needs, or of a script's interpreter would win over that, they are preloaded. What is not looked "
        "at: libraries that a program opens while it runs (modules of Python), and programs that a script "
        "starts. Where such a one has a DT_RPATH of its own, use -p.\n\n"
        "WHEN is an event (collective, message, alloc, pinned, operator, copy, stream or file), with a "
        "number "
        "or without, such as copy=5, the fifth, once, or copy=5+, from there on, and conditions behind "
        "commas, "
        "such as rank=2, device=0 or name=Add. WHAT is kill, stop, slow=200ms, cut, disagree, fail, a code "
        "such "
        "as 507015, reset or full. What came, and which calls failed then, is printed at the end.",
    .status = "The exit status is PROGRAM's; 126 where it cannot be run and 127 where it is not found. With "
              "faults it is 1 where PROGRAM's is 0 and one of them did not come.",
    .examples = examples,
    .takes_program = true,
    .run = run,
    .complete = complete,
};
