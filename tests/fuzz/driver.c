/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs a fuzz target: built with FUZZ_ENGINE it is what libFuzzer calls, and otherwise a program that runs
 * the files, or all files of the folders, that it is given, and with --random SECONDS SEED draws bytes
 * itself.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/fuzz.h"

enum { BYTES_MOST = 1 << 16, DRAWN_MOST = 4096 };

#ifdef FUZZ_ENGINE

int LLVMFuzzerInitialize(int *argument_count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argument_count, char ***arguments)
{
    (void)argument_count;
    (void)arguments;
    fuzz_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(data, size);
    return 0;
}

#else

static unsigned inputs;

static int run_file(const char *path)
{
    static uint8_t bytes[BYTES_MOST];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that failed */
    fuzz_one(bytes, size);
    inputs++;
    return 0;
}

static int run_path(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return run_file(path);
    int status = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        status |= run_file(name);
    }
    closedir(folder);
    return status;
}

/* The input that fails is left in the file drawn-input. */
static int run_random(long seconds, uint64_t seed)
{
    static uint8_t bytes[DRAWN_MOST];
    for (time_t end = time(NULL) + seconds; time(NULL) < end; inputs++) {
        size_t size = 0;
        do {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[size++] = (uint8_t)(seed >> 56);
        } while (size < sizeof bytes && (seed >> 32 & 1023) != 0);
        FILE *file = fopen("drawn-input", "wb");
        if (file != NULL) {
            fwrite(bytes, 1, size, file);
            fclose(file);
        }
        fuzz_one(bytes, size);
    }
    return 0;
}

int main(int argument_count, char **arguments)
{
    int status = 0;
    fuzz_begin();
    if (argument_count == 4 && strcmp(arguments[1], "--random") == 0)
        status = run_random(strtol(arguments[2], NULL, 10), strtoull(arguments[3], NULL, 10));
    else
        for (int i = 1; i < argument_count; i++)
            status |= run_path(arguments[i]);
    printf("%u inputs, no fault\n", inputs);
    return status != 0 || inputs == 0;
}

#endif
