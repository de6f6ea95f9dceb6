/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of all functions.
 */
#include "ops/function.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The linker defines these two at the ends of the section that FUNCTION fills. */
extern const struct function *const __start_belay_functions[] __attribute__((visibility("hidden")));
extern const struct function *const __stop_belay_functions[] __attribute__((visibility("hidden")));

/* What the section holds, in order; NULL where there was no memory for the list, which then has the linker's. */
static const struct function **sorted;
static pthread_once_t sort_once = PTHREAD_ONCE_INIT;

static bool is_in_place(const struct function *description)
{
    static const char beginning[] = "aclnnInplace";
    return strncmp(description->operation.name, beginning, sizeof beginning - 1) == 0;
}

static int compare(const void *first, const void *second)
{
    const struct function *one = *(const struct function *const *)first,
                          *other = *(const struct function *const *)second;
    int order = strcmp(one->stem, other->stem);
    if (order == 0)
        order = is_in_place(one) - is_in_place(other);
    return order != 0 ? order : strcmp(one->operation.name, other->operation.name);
}

/* The linker takes the files in the order of its command line, and a compiler what a file has in any order. */
static void sort(void)
{
    const size_t count = (size_t)(__stop_belay_functions - __start_belay_functions);
    sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return;
    memcpy(sorted, __start_belay_functions, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
}

const struct function *const *functions(size_t *count)
{
    *count = (size_t)(__stop_belay_functions - __start_belay_functions);
    pthread_once(&sort_once, sort);
    return sorted != NULL ? sorted : __start_belay_functions;
}
