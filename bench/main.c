/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The benchmark: Belay beside the roofline of the machine and beside the peers that are installed. One
 * process per number of threads measures and sends its rows here; docs/performance.md says how.
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "goals.h"
#include "lockstep.h"
#include "machine.h"
#include "report.h"
#include "roofline.h"
#include "session.h"

enum { EXIT_MISSED = 1, EXIT_WRONG = 2, PROGRAM_MAX = 4096, THREADS_MAX = 8 };

/* What the command line asks for. */
struct request {
    struct options options;
    int threads[THREADS_MAX], thread_counts;
    const char *peers, *json, *markdown, *goals, *without_checks;
    int child_rows; /* the descriptor to which a measuring process writes, or -1 */
    enum section serve;
};

static const char usage[] =
    "usage: bench [OPTION]...\n"
    "Times Belay, a roofline and peers (PyTorch, oneDNN, where they were built) on the same memory in the "
    "same\n"
    "rounds and prints tables. Exit status: 0, 1 when a goal is missed, 2 when something went wrong.\n"
    "  --sections LIST    throughput, layouts, data, calls, streams, speedup, family, shapes\n"
    "                     (default: all of these)\n"
    "  --operators LIST   silu, hardswish, leaky_relu, smooth_l1: these gradients; or names as aclnnTanh, "
    "which\n"
    "                     section family measures, the gradients' among them\n"
    "  --dtypes LIST      fp32, fp16, bf16, fp64\n"
    "  --sizes LIST       elements, with K or M behind; default 1,64,1K,16K,256K,4M,64M\n"
    "  --threads LIST     default 1,2 where there are two processors\n"
    "  --quick            few rounds and sizes, under a minute\n"
    "  --goals FILE       judge the results by this file\n"
    "  --json FILE        write the results for machines\n"
    "  --markdown FILE    write the tables to a file too\n"
    "  --peers FOLDER     where the peers' shared objects are; default: beside this program\n"
    "  --without-checks PROGRAM   the same benchmark built with BELAY_BENCH_WITHOUT_CHECKS: adds section "
    "checks\n"
    "  --before FOLDER    the libraries of an older build: adds section builds, which loads them beside "
    "those "
    "of\n"
    "                     --after FOLDER (default: the ones of this build)\n";

static void fail_usage(const char *what, const char *value)
{
    fprintf(stderr, "bench: %s: '%s' is not understood\n%s", what, value, usage);
    exit(EXIT_WRONG);
}

/* Sets flags[i] for each i that is called by a name in the list. */
static void read_list(const char *what, const char *list, bool *flags, int count,
                      bool (*is_called)(int, const char *))
{
    memset(flags, 0, (size_t)count * sizeof *flags);
    char copy[512], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int found = 0;
        while (found < count && !is_called(found, word))
            found++;
        if (found == count)
            fail_usage(what, word);
        flags[found] = true;
    }
}

static bool is_section(int section, const char *word)
{
    return strcmp(section_name((enum section)section), word) == 0;
}

static bool is_subject(int index, const char *word)
{
    const struct subject *subject = subject_at(index);
    return strcmp(subject->name, word) == 0 || strcmp(subject->api, word) == 0;
}

static bool is_dtype(int dtype, const char *word)
{
    return strcmp(workload_dtype_name((enum dtype)dtype), word) == 0;
}

static void read_counts(const char *list, struct options *options)
{
    char copy[512], *rest = NULL;
    options->counts = 0;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int64_t count = count_of_text(word);
        if (count < 1 || options->counts == COUNTS_MAX)
            fail_usage("--sizes", word);
        options->count[options->counts++] = count;
    }
}

static void read_threads(const char *list, struct request *request)
{
    char copy[512], *rest = NULL;
    request->thread_counts = 0;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        int threads = atoi(word);
        if (threads < 1 || threads > 1024 || request->thread_counts == THREADS_MAX)
            fail_usage("--threads", word);
        request->threads[request->thread_counts++] = threads;
    }
}

static struct request read_request(int argc, char **argv)
{
    enum {
        SECTIONS_OPTION,
        OPERATORS,
        TYPES,
        SIZES,
        THREADS,
        QUICK,
        GOALS,
        JSON,
        MARKDOWN,
        PEERS,
        WITHOUT_CHECKS,
        BEFORE,
        AFTER,
        ROWS,
        SERVE,
        HELP
    };
    static const struct option options[] = {{"sections", required_argument, NULL, SECTIONS_OPTION},
                                            {"operators", required_argument, NULL, OPERATORS},
                                            {"dtypes", required_argument, NULL, TYPES},
                                            {"sizes", required_argument, NULL, SIZES},
                                            {"threads", required_argument, NULL, THREADS},
                                            {"quick", no_argument, NULL, QUICK},
                                            {"goals", required_argument, NULL, GOALS},
                                            {"json", required_argument, NULL, JSON},
                                            {"markdown", required_argument, NULL, MARKDOWN},
                                            {"peers", required_argument, NULL, PEERS},
                                            {"without-checks", required_argument, NULL, WITHOUT_CHECKS},
                                            {"before", required_argument, NULL, BEFORE},
                                            {"after", required_argument, NULL, AFTER},
                                            {"rows", required_argument, NULL, ROWS},
                                            {"serve", required_argument, NULL, SERVE},
                                            {"help", no_argument, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    struct request request = {.child_rows = -1, .serve = SECTIONS};
    struct options *chosen = &request.options;
    bool sections[SECTIONS];
    memset(chosen->has_section, true, sizeof chosen->has_section);
    chosen->has_subject = malloc((size_t)subjects_count() * sizeof *chosen->has_subject);
    belay_check(chosen->has_subject ? ACL_SUCCESS : 1, "malloc");
    memset(chosen->has_subject, true, (size_t)subjects_count() * sizeof *chosen->has_subject);
    memset(chosen->has_dtype, true, sizeof chosen->has_dtype);
    read_threads(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "1,2" : "1", &request);
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case SECTIONS_OPTION:
            read_list("--sections", optarg, chosen->has_section, SECTIONS, is_section);
            break;
        case OPERATORS:
            read_list("--operators", optarg, chosen->has_subject, subjects_count(), is_subject);
            break;
        case TYPES:
            read_list("--dtypes", optarg, chosen->has_dtype, DTYPES, is_dtype);
            break;
        case SIZES:
            read_counts(optarg, chosen);
            break;
        case THREADS:
            read_threads(optarg, &request);
            break;
        case QUICK:
            chosen->is_quick = true;
            break;
        case GOALS:
            request.goals = optarg;
            break;
        case JSON:
            request.json = optarg;
            break;
        case MARKDOWN:
            request.markdown = optarg;
            break;
        case PEERS:
            request.peers = optarg;
            break;
        case WITHOUT_CHECKS:
            request.without_checks = optarg;
            break;
        case BEFORE:
            chosen->before = optarg;
            break;
        case AFTER:
            chosen->after = optarg;
            break;
        case ROWS:
            request.child_rows = atoi(optarg);
            break;
        case SERVE:
            read_list("--serve", optarg, sections, SECTIONS, is_section);
            while (request.serve > 0 && !sections[--request.serve])
                continue;
            break;
        case HELP:
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(EXIT_WRONG);
        }
    }
    if (optind < argc)
        fail_usage("argument", argv[optind]);
    if (chosen->counts == 0)
        read_counts(chosen->is_quick ? "64,1K,16K,4M" : "1,64,1K,16K,256K,4M,64M", chosen);
    return request;
}

static int rows_descriptor;

static void send_row(const struct row *row)
{
    const char *at = (const char *)row;
    size_t left = sizeof *row;
    while (left > 0) {
        ssize_t written = write(rows_descriptor, at, left);
        if (written <= 0)
            _exit(EXIT_WRONG);
        at += written;
        left -= (size_t)written;
    }
}

/*
 * One thread means one processor: otherwise a caller that polls while a worker computes would have its time
 * counted twice, and processor time is what one thread is measured by. The last one gets the fewest
 * interrupts.
 */
static void stay_on_one_processor(void)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&allowed);
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
        if (CPU_ISSET(cpu, &allowed)) {
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

static int measure(const struct request *request)
{
    static struct session session;
    session.options = request->options;
    session.threads = request->threads[0];
    session.emit = send_row;
    rows_descriptor = request->child_rows;
    if (session.threads == 1 && request->serve == SECTIONS)
        stay_on_one_processor();
    belay_start();
    session.stream = belay_create_stream();
    if (request->serve != SECTIONS)
        return lockstep_serve(&session, request->serve);
    session.peers = peers_load(request->peers, session.threads);
    session.clock_ghz = machine_read().clock_ghz;
    roofline_set_threads(session.threads);
    static void (*const sections[SECTIONS])(const struct session *) = {
        measure_throughput, measure_layouts, measure_data,  measure_calls, measure_streams, NULL, NULL,
        measure_family,     measure_builds,  measure_shapes};
    for (int i = 0; i < SECTIONS; i++)
        if (session.options.has_section[i] && sections[i])
            sections[i](&session);
    return 0;
}

static struct rows rows;

static void keep_row(const struct row *row)
{
    rows_add(&rows, row);
    if (!isatty(STDERR_FILENO))
        return;
    char count[24];
    fprintf(stderr, "\r\033[K%s: %s %s %s %s %s, %d threads", row->section, row->operation, row->dtype,
            row->layout, row->data, count_text(row->count, count), row->threads);
}

/* The child's command line: the same options, with its number of threads, its sections and its pipe. */
static void run_child(const char *program, const struct request *request, int argc, char **argv, int threads,
                      const bool *has_section)
{
    int ends[2];
    char sections[256] = "", threads_text[16], descriptor[16];
    for (int i = 0; i < SECTIONS; i++)
        if (has_section[i])
            snprintf(sections + strlen(sections), sizeof sections - strlen(sections), "%s%s",
                     sections[0] ? "," : "", section_name((enum section)i));
    if (!sections[0])
        return;
    if (pipe(ends) != 0)
        exit(EXIT_WRONG);
    snprintf(threads_text, sizeof threads_text, "%d", threads);
    snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
    const char **arguments = calloc((size_t)argc + 10, sizeof *arguments);
    if (!arguments)
        exit(EXIT_WRONG);
    int count = 0;
    for (int i = 0; i < argc; i++)
        arguments[count++] = argv[i];
    const char *own[] = {"--threads", threads_text, "--sections", sections,
                         "--rows",    descriptor,   "--peers",    request->peers};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        arguments[count++] = own[i];
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        setenv("BELAY_THREADS", threads_text, 1);
        setenv("OMP_NUM_THREADS", threads_text, 1);
        execv(program, (char *const *)arguments);
        _exit(127);
    }
    free(arguments);
    close(ends[1]);
    FILE *input = fdopen(ends[0], "r");
    struct row row;
    while (input && fread(&row, sizeof row, 1, input) == 1)
        keep_row(&row);
    if (input)
        fclose(input);
    int status = 0;
    waitpid(process, &status, 0);
    if (status != 0) {
        fprintf(stderr, "\nbench: the process for %d threads ended early (status 0x%x)\n", threads,
                (unsigned)status);
        exit(EXIT_WRONG);
    }
}

/* Throughput and shapes are measured with each number of threads, streams with the last, everything else with
 * the first. */
static void measure_all(const char *program, const struct request *request, int argc, char **argv,
                        const struct machine *machine)
{
    const bool *wanted = request->options.has_section;
    for (int i = 0; i < request->thread_counts; i++) {
        bool sections[SECTIONS] = {false};
        bool is_first = i == 0, is_last = i == request->thread_counts - 1;
        sections[SECTION_THROUGHPUT] = wanted[SECTION_THROUGHPUT];
        sections[SECTION_SHAPES] = wanted[SECTION_SHAPES];
        sections[SECTION_LAYOUTS] = wanted[SECTION_LAYOUTS] && is_first;
        sections[SECTION_DATA] = wanted[SECTION_DATA] && is_first;
        sections[SECTION_FAMILY] = wanted[SECTION_FAMILY] && is_first;
        sections[SECTION_BUILDS] = wanted[SECTION_BUILDS] && is_first && request->options.before;
        sections[SECTION_CALLS] = wanted[SECTION_CALLS] && is_first;
        sections[SECTION_STREAMS] = wanted[SECTION_STREAMS] && is_last;
        run_child(program, request, argc, argv, request->threads[i], sections);
    }
    struct session session = {.options = request->options, .threads = 1, .emit = keep_row};
    if (wanted[SECTION_SPEEDUP] && (machine->processors < 2 || machine->shares_a_core))
        fprintf(stderr, "\nbench: speed-up of two threads: skipped, %s\n", machine->topology);
    else if (wanted[SECTION_SPEEDUP])
        lockstep_measure(&session, SECTION_SPEEDUP, program, NULL);
    if (wanted[SECTION_CHECKS] && request->without_checks)
        lockstep_measure(&session, SECTION_CHECKS, program, request->without_checks);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int write_file(const char *path, const struct report *report,
                      void (*print)(const struct report *report, FILE *out))
{
    FILE *file = fopen(path, "we");
    if (!file) {
        fprintf(stderr, "bench: %s: cannot be written\n", path);
        return -1;
    }
    print(report, file);
    return fclose(file);
}

static int judge(const char *path, const char *markdown)
{
    struct verdict verdict;
    FILE *file = markdown ? fopen(markdown, "ae") : NULL;
    puts("\n### goals\n");
    if (goals_judge(path, &rows, stdout, &verdict) != 0)
        return EXIT_WRONG;
    printf("\n%d met, %d missed; %d lines of the file of goals were not measured in this run\n", verdict.met,
           verdict.missed, verdict.unknown);
    if (file) {
        fputs("\n### goals\n\n", file);
        goals_judge(path, &rows, file, &verdict);
        fprintf(file, "\n%d met, %d missed; %d lines of the file of goals were not measured in this run.\n",
                verdict.met, verdict.missed, verdict.unknown);
        fclose(file);
    }
    return verdict.missed ? EXIT_MISSED : 0;
}

int main(int argc, char **argv)
{
    struct request request = read_request(argc, argv);
    static char program[PROGRAM_MAX], folder[PROGRAM_MAX], libraries[PROGRAM_MAX], command[PROGRAM_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return EXIT_WRONG;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(program, '/') - program), program);
    if (!request.peers)
        request.peers = folder;
    snprintf(libraries, sizeof libraries, "%.*s/../lib64", PROGRAM_MAX - 16, folder);
    if (!request.options.after)
        request.options.after = libraries;
    if (request.child_rows >= 0 || request.serve != SECTIONS)
        return measure(&request);

    for (int i = 0; i < argc; i++)
        snprintf(command + strlen(command), sizeof command - strlen(command), "%s%s", i ? " " : "",
                 i ? argv[i] : "bench");
    struct report report = {
        .machine = machine_read(), .command = command, .version = BELAY_VERSION, .rows = &rows};
    report.peers = peers_load(request.peers, 1);
    measure_all(program, &request, argc, argv, &report.machine);
    report.use = machine_use_since(&report.machine);

    report_tables(&report, stdout);
    if ((request.json && write_file(request.json, &report, report_json) != 0) ||
        (request.markdown && write_file(request.markdown, &report, report_tables) != 0))
        return EXIT_WRONG;
    return request.goals ? judge(request.goals, request.markdown) : 0;
}
