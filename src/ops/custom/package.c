/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Packages of operators: where they are, and the libraries in them. Whoever calls a function has loaded its library, which
 * lies in the package; `belay ops` and its like load those that the environment names: ASCEND_CUSTOM_OPP_PATH, then those
 * of ASCEND_OPP_PATH/vendors that its config.ini lists.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/library_file.h"
#include "ops/custom/custom.h"
#include "ops/custom/generated.h"

#define LIBRARY "op_api/lib/libcust_opapi.so"

bool custom_package_of(const void *address, char package[PATH_MAX])
{
    Dl_info info;
    char *real = dladdr(address, &info) != 0 ? realpath(info.dli_fname, NULL) : NULL;
    if (real == NULL)
        return false;
    /* .../NAME/op_api/lib/libcust_opapi.so */
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(real, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    snprintf(package, PATH_MAX, "%s", real);
    free(real);
    return true;
}

void custom_keep(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) != 0)
        (void)dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* The dynamic linker would end the process at a file that was cut. What is no file it says itself. */
static bool is_cut(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    bool cut = false;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
        const size_t bytes = (size_t)about.st_size;
        void *content = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (content != MAP_FAILED) {
            cut = !library_is_whole(content, bytes);
            munmap(content, bytes);
        }
    }
    if (file >= 0)
        close(file);
    return cut;
}

static void *open_library(const char *path, int binding, char fault[CUSTOM_FAULT_BYTES])
{
    const bool cut = is_cut(path);
    void *library = cut ? NULL : dlopen(path, binding | RTLD_LOCAL | RTLD_NODELETE);
    if (cut)
        snprintf(fault, CUSTOM_FAULT_BYTES, "%.256s: the file is no library, or a part of one", path);
    else if (library == NULL)
        snprintf(fault, CUSTOM_FAULT_BYTES, "%s", dlerror());
    return library;
}

void *custom_open(const char *path, char fault[CUSTOM_FAULT_BYTES])
{
    return open_library(path, RTLD_NOW, fault);
}

/* What op_host was compiled to, in a package. The later ones are what older builds make. */
static void *open_host(const char *package, char *tried, size_t bytes)
{
    static const char *const places[] = {
        "op_impl/ai_core/tbe/op_tiling/lib/linux/%s/libcust_opmaster_rt2.0.so",
        "op_impl/ai_core/tbe/op_tiling/liboptiling.so", "op_proto/lib/linux/%s/libcust_opsproto_rt2.0.so"};
    struct utsname machine;
    uname(&machine);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[PATH_MAX + 128], inside[128];
        const char *mark = strstr(places[i], "%s");
        snprintf(inside, sizeof inside, "%.*s%s%s",
                 (int)(mark != NULL ? (size_t)(mark - places[i]) : strlen(places[i])), places[i],
                 mark != NULL ? machine.machine : "", mark != NULL ? mark + 2 : "");
        snprintf(path, sizeof path, "%s/%s", package, inside);
        if (access(path, R_OK) != 0)
            continue;
        char fault[CUSTOM_FAULT_BYTES];
        void *library = custom_open(path, fault);
        if (library == NULL)
            snprintf(tried, bytes, "the library of op_host cannot be loaded: %s", fault);
        return library;
    }
    snprintf(tried, bytes, "op_impl/ai_core/tbe/op_tiling of %.256s has no library of op_host", package);
    return NULL;
}

const struct belay_operator *custom_find_operator(const char *package, const char *name, char *sentence)
{
    char tried[400] = "";
    void *library = open_host(package, tried, sizeof tried);
    belay_operators_function *all = NULL;
    if (library != NULL)
        *(void **)&all = dlsym(library, BELAY_OPERATORS);
    const struct belay_operator *found = all != NULL ? all(BELAY_OPERATORS_VERSION) : NULL;
    if (library != NULL && found == NULL)
        snprintf(tried, sizeof tried, "the library of op_host in %.256s %s", package,
                 all == NULL ? "registers no operator"
                             : "was built with another version of Belay: build it again");
    for (; found != NULL; found = found->next)
        if (strcmp(found->name, name) == 0)
            return found;
    if (tried[0] == '\0')
        snprintf(tried, sizeof tried, "the library of op_host in %.256s has no OP_ADD(%.64s)", package, name);
    snprintf(sentence, CUSTOM_SENTENCE_BYTES, "%s", tried);
    return NULL;
}

static char first_fault[CUSTOM_SENTENCE_BYTES];

void custom_remember(const char *sentence)
{
    if (first_fault[0] == '\0')
        snprintf(first_fault, sizeof first_fault, "%s", sentence);
}

const char *custom_fault(void)
{
    return first_fault;
}

static void load(const char *package)
{
    char path[PATH_MAX], fault[CUSTOM_FAULT_BYTES];
    snprintf(path, sizeof path, "%.3900s/" LIBRARY, package);
    if (open_library(path, RTLD_LAZY, fault) == NULL)
        custom_remember(fault);
}

/* Calls load for each part of the list, with a folder in front of it. */
static void load_list(const char *list, const char *separators, const char *folder)
{
    char *copy = strdup(list), *rest = NULL;
    for (char *each = copy != NULL ? strtok_r(copy, separators, &rest) : NULL; each != NULL;
         each = strtok_r(NULL, separators, &rest)) {
        char package[PATH_MAX];
        snprintf(package, sizeof package, "%s%s%s", folder, folder[0] != '\0' ? "/" : "", each);
        load(package);
    }
    free(copy);
}

/* The line load_priority=a,b of vendors/config.ini. */
static void load_vendors(const char *opp)
{
    static const char key[] = "load_priority=";
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%.3900s/vendors/config.ini", opp);
    FILE *file = fopen(path, "re");
    snprintf(path, sizeof path, "%.3900s/vendors", opp);
    while (file != NULL && getline(&line, &room, file) >= 0)
        if (strncmp(line, key, sizeof key - 1) == 0)
            load_list(line + sizeof key - 1, ", \t\r\n", path);
    free(line);
    if (file != NULL)
        fclose(file);
}

void custom_load_all(void)
{
    const char *own = secure_getenv("ASCEND_CUSTOM_OPP_PATH"), *opp = secure_getenv("ASCEND_OPP_PATH");
    if (own != NULL)
        load_list(own, ":", "");
    if (opp != NULL)
        load_vendors(opp);
}
