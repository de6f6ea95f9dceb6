/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Runs a fuzz target: built with FUZZ_ENGINE it is what libFuzzer calls, and otherwise a program that runs
 * the files, or all files of the folders, that it is given. With --mutate SECONDS SEED before them it changes
 * them instead, at random but the same way for the same seed, until the time, of which TEST_EFFORT makes more or
 * less, is over.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/fuzz.h"
#include "support/effort.h"

enum { BYTES_MOST = 1 << 16, FILES_MOST = 1 << 14, CHANGES_MOST = 8, MOVED_MOST = 64 };

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

struct input {
    uint8_t *bytes;
    size_t size;
    char *path;
};

static struct input files[FILES_MOST];
static unsigned file_count, inputs;

/* 0, or -1 for what cannot be read. */
static int read_file(const char *path)
{
    static uint8_t bytes[BYTES_MOST];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    struct input *input = &files[file_count];
    input->size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    input->path = strdup(path);
    input->bytes = malloc(input->size + 1);
    if (input->path == NULL || input->bytes == NULL || file_count == FILES_MOST - 1)
        return -1;
    memcpy(input->bytes, bytes, input->size);
    file_count++;
    return 0;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct input *)a)->path, ((const struct input *)b)->path);
}

static int read_path(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return read_file(path);
    int status = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        status |= read_file(name);
    }
    closedir(folder);
    return status;
}

static void run_files(void)
{
    for (unsigned i = 0; i < file_count; i++, inputs++) {
        fprintf(stderr, "%s\n", files[i].path); /* the last one named is the one that failed */
        fuzz_one(files[i].bytes, files[i].size);
    }
}

/* Below a bound, which is not 0. */
static size_t draw_below(uint64_t *seed, size_t bound)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*seed >> 33) % bound;
}

/* Another byte, another bit, a piece left out, a piece of another input put in, or the rest of one. Returns
 * the new size, which is not 0. */
static size_t change(uint64_t *seed, uint8_t *bytes, size_t size)
{
    const struct input *other = &files[draw_below(seed, file_count)];
    const size_t at = draw_below(seed, size);
    size_t piece = 1 + draw_below(seed, MOVED_MOST), from = other->size ? draw_below(seed, other->size) : 0;
    switch (draw_below(seed, 5)) {
    case 0:
        bytes[at] = (uint8_t)draw_below(seed, 256);
        return size;
    case 1:
        bytes[at] ^= (uint8_t)(1U << draw_below(seed, 8));
        return size;
    case 2:
        piece = piece < size - at ? piece : size - at;
        memmove(bytes + at, bytes + at + piece, size - at - piece);
        return size > piece ? size - piece : 1;
    case 3:
        piece = piece < other->size - from ? piece : other->size - from;
        piece = piece < BYTES_MOST - size ? piece : BYTES_MOST - size;
        memmove(bytes + at + piece, bytes + at, size - at);
        memcpy(bytes + at, other->bytes + from, piece);
        return size + piece;
    default:
        piece = other->size - from < BYTES_MOST - at ? other->size - from : BYTES_MOST - at;
        memcpy(bytes + at, other->bytes + from, piece);
        return at + piece > 0 ? at + piece : 1;
    }
}

/* The input that fails is left in the file mutated-input. */
static void run_mutated(long seconds, uint64_t seed)
{
    static uint8_t bytes[BYTES_MOST];
    for (time_t end = time(NULL) + seconds; time(NULL) < end; inputs++) {
        const struct input *input = &files[draw_below(&seed, file_count)];
        size_t size = input->size > 0 ? input->size : 1;
        memcpy(bytes, input->bytes, input->size);
        for (size_t i = 1 + draw_below(&seed, CHANGES_MOST); i > 0; i--)
            size = change(&seed, bytes, size);
        FILE *file = fopen("mutated-input", "wb");
        if (file != NULL) {
            fwrite(bytes, 1, size, file);
            fclose(file);
        }
        fuzz_one(bytes, size);
    }
}

int main(int argument_count, char **arguments)
{
    const bool mutates = argument_count > 4 && strcmp(arguments[1], "--mutate") == 0;
    int status = 0;
    fuzz_begin();
    for (int i = mutates ? 4 : 1; i < argument_count; i++)
        status |= read_path(arguments[i]);
    /* A folder has no order, and the seed is to give the same inputs everywhere. */
    qsort(files, file_count, sizeof *files, by_path);
    if (mutates && file_count > 0)
        run_mutated(times_effort((int)strtol(arguments[2], NULL, 10)), strtoull(arguments[3], NULL, 10));
    else
        run_files();
    for (unsigned i = 0; i < file_count; i++) {
        free(files[i].bytes);
        free(files[i].path);
    }
    printf("%u inputs, no fault\n", inputs);
    return status != 0 || inputs == 0;
}

#endif
