/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The command msprof, as far as PyTorch for Ascend asks for it: makes tables and a timeline of the folders
 * that aclprofStart to aclprofStop leave (`--export=on`), and accounts of collectives (`--analyze=on`). It
 * collects nothing itself: `belay trace` does.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/profile.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2, FOLDER_MODE = 0750, FILE_MODE = 0640 };

static const char help[] =
    "Usage: msprof --export=on --output=FOLDER\n"
    "       msprof --analyze=on --output=FOLDER\n"
    "\n"
    "Makes files of the profiles that programs have taken of themselves on Belay, by aclprofStart to\n"
    "aclprofStop or torch_npu.profiler. FOLDER is one of them, PROF_..., or has such folders in it.\n"
    "\n"
    "  --export=on    tables and a timeline, in FOLDER/mindstudio_profiler_output\n"
    "  --analyze=on   times and amounts of collectives, in FOLDER/analyze\n"
    "  --type=text    CSV and JSON, as where nothing is said\n"
    "  --type=db      SQLite files, FOLDER/msprof_....db and FOLDER/analyze/communication_analyzer.db,\n"
    "                 by libsqlite3.so.0 (Debian's package libsqlite3-0)\n"
    "\n"
    "To record a program from outside use `belay trace PROGRAM`.\n";

struct request {
    bool exports, analyses, is_of_databases;
    const char *output;
};

/* What a folder gets: written anew beside the file, which is there only when it is whole. */
struct product {
    const char *name; /* with the stamp in place of %s */
    void (*write)(const struct profile *profile, FILE *file);
};

/* The tables last: when one is there PyTorch's analysis takes the timeline for written. */
static const struct product exported[] = {{"msprof_%s.json", profile_write_timeline},
                                          {"op_statistic_%s.csv", profile_write_op_statistic},
                                          {"api_statistic_%s.csv", profile_write_api_statistic},
                                          {"task_time_%s.csv", profile_write_task_time},
                                          {"npu_module_mem_%s.csv", profile_write_module_memory},
                                          {"npu_mem_%s.csv", profile_write_memory},
                                          {"msprof_tx_%s.csv", profile_write_marks},
                                          {"op_summary_%s.csv", profile_write_op_summary}};
static const struct product analysed[] = {{"communication.json", profile_write_communication},
                                          {"communication_matrix.json", profile_write_matrix}};

static bool write_product(const struct profile *profile, const char *folder, const struct product *product)
{
    char name[96], path[PATH_MAX], part[PATH_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the table above has them */
    snprintf(name, sizeof name, product->name, profile->stamp);
#pragma GCC diagnostic pop
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    int part_length = snprintf(part, sizeof part, "%s/.%s.%ld", folder, name, (long)getpid());
    errno = ENAMETOOLONG;
    if (length < 0 || length >= PATH_MAX || part_length < 0 || part_length >= PATH_MAX)
        return false;
    int descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file) {
        if (descriptor >= 0)
            close(descriptor);
        return false;
    }
    product->write(profile, file);
    bool is_good = !ferror(file);
    is_good = fclose(file) == 0 && is_good && rename(part, path) == 0;
    int error = errno;
    if (!is_good)
        unlink(part);
    errno = error;
    return is_good;
}

static bool write_products(const struct profile *profile, const char *folder, const char *inner,
                           const struct product *product, size_t count)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, inner);
    errno = ENAMETOOLONG;
    bool is_good = length >= 0 && length < PATH_MAX && (mkdir(path, FOLDER_MODE) == 0 || errno == EEXIST);
    for (size_t i = 0; is_good && i < count; i++)
        is_good = write_product(profile, path, &product[i]);
    if (!is_good)
        fprintf(stderr, "msprof: %.512s/%s cannot be written: %s\n", folder, inner, strerror(errno));
    return is_good;
}

/* The file is there only when it is whole. */
static bool
write_database(const struct profile *profile, const char *folder, const char *inner, const char *name,
               bool (*write)(const struct profile *profile, const char *path, char why[PROFILE_WHY_BYTES]))
{
    char above[PATH_MAX], path[PATH_MAX], part[PATH_MAX], why[PROFILE_WHY_BYTES] = "its name is too long";
    int lengths[] = {snprintf(above, sizeof above, "%s/%s", folder, inner),
                     snprintf(path, sizeof path, "%s/%s/%s", folder, inner, name),
                     snprintf(part, sizeof part, "%s/%s/.%s.%ld", folder, inner, name, (long)getpid())};
    bool is_good = true;
    for (int i = 0; i < 3; i++)
        is_good = is_good && lengths[i] >= 0 && lengths[i] < PATH_MAX;
    if (is_good && mkdir(above, FOLDER_MODE) != 0 && errno != EEXIST) {
        snprintf(why, sizeof why, "%s", strerror(errno));
        is_good = false;
    }
    if (is_good) {
        unlink(part);
        mode_t mask = umask((mode_t)~FILE_MODE & 0777);
        is_good = write(profile, part, why);
        umask(mask);
        if (is_good && rename(part, path) != 0) {
            snprintf(why, sizeof why, "%s", strerror(errno));
            is_good = false;
        }
        if (!is_good)
            unlink(part);
    }
    if (!is_good)
        fprintf(stderr, "msprof: %.512s/%s cannot be written: %s\n", folder, name, why);
    return is_good;
}

static bool write_databases(const struct request *request, const struct profile *profile, const char *folder)
{
    char name[48];
    snprintf(name, sizeof name, "msprof_%s.db", profile->stamp);
    return (!request->exports || write_database(profile, folder, ".", name, profile_write_database)) &&
           (!request->analyses || profile_collectives(profile) == 0 ||
            write_database(profile, folder, "analyze", "communication_analyzer.db",
                           profile_write_communication_database));
}

static bool write_texts(const struct request *request, const struct profile *profile, const char *folder)
{
    return (!request->exports || write_products(profile, folder, "mindstudio_profiler_output", exported,
                                                sizeof exported / sizeof exported[0])) &&
           (!request->analyses || profile_collectives(profile) == 0 ||
            write_products(profile, folder, "analyze", analysed, sizeof analysed / sizeof analysed[0]));
}

static bool is_profile(const char *folder)
{
    char path[PATH_MAX];
    struct stat status;
    int length = snprintf(path, sizeof path, "%s/host/start_info", folder);
    return length >= 0 && length < PATH_MAX && stat(path, &status) == 0;
}

static bool work_on(const struct request *request, const char *folder)
{
    struct profile profile;
    const char *why;
    if (!profile_read(folder, &profile, &why)) {
        fprintf(stderr, "msprof: %.512s cannot be read: %s\n", folder, why);
        return false;
    }
    bool is_good = request->is_of_databases ? write_databases(request, &profile, folder)
                                            : write_texts(request, &profile, folder);
    if (is_good)
        printf("msprof: %.512s: %zu tasks\n", folder, profile.task_count);
    profile_destroy(&profile);
    return is_good;
}

/* The folder itself, or those in it. */
static int work(const struct request *request)
{
    if (is_profile(request->output))
        return work_on(request, request->output) ? 0 : STATUS_FAILED;
    DIR *listing = opendir(request->output);
    int count = 0, status = 0;
    for (const struct dirent *entry; listing && (entry = readdir(listing));) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, "%s/%s", request->output, entry->d_name);
        if (strncmp(entry->d_name, "PROF_", 5) != 0 || length < 0 || length >= PATH_MAX || !is_profile(path))
            continue;
        count++;
        if (!work_on(request, path))
            status = STATUS_FAILED;
    }
    if (listing)
        closedir(listing);
    if (count == 0)
        fprintf(stderr, "msprof: %.512s is no profile, and has none in it; a folder PROF_... is expected\n",
                request->output);
    return count == 0 ? STATUS_FAILED : status;
}

/* The value behind the name of an option, or NULL. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

/* Options that choose among what there is not, or say what is so anyway. */
static bool is_without_effect(const char *word)
{
    static const char *const names[] = {"--clear",   "--iteration-id", "--model-id",      "--python-path",
                                        "--reports", "--rule",         "--summary-format"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (value_of(word, names[i]))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help, stdout);
        return fflush(stdout) == 0 ? 0 : STATUS_FAILED;
    }
    for (int i = 1; i < argc; i++) {
        const char *exports = value_of(argv[i], "--export"), *analyses = value_of(argv[i], "--analyze"),
                   *output = value_of(argv[i], "--output"), *type = value_of(argv[i], "--type");
        if (type && (strcmp(type, "text") == 0 || strcmp(type, "db") == 0))
            request.is_of_databases = strcmp(type, "db") == 0;
        else if (exports)
            request.exports = strcmp(exports, "on") == 0;
        else if (analyses)
            request.analyses = strcmp(analyses, "on") == 0;
        else if (output)
            request.output = output;
        else if (!is_without_effect(argv[i])) {
            fprintf(stderr,
                    "msprof: '%.256s' is not offered: msprof makes files of profiles that are there "
                    "(msprof --help); belay trace PROGRAM records a program\n",
                    argv[i]);
            return STATUS_USAGE;
        }
    }
    if (!request.output || (!request.exports && !request.analyses)) {
        fprintf(stderr, "msprof: --output=FOLDER and --export=on or --analyze=on are expected; belay trace "
                        "PROGRAM records a program\n");
        return STATUS_USAGE;
    }
    return work(&request);
}
