/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of all functions.
 */
#include "ops/function.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ops/finder.h"

/* The linker defines these two at the ends of the section that FUNCTION fills. */
extern const struct function *const __start_belay_functions[] __attribute__((visibility("hidden")));
extern const struct function *const __stop_belay_functions[] __attribute__((visibility("hidden")));

/* All of them in order; NULL where there was no memory for the list, which then has the linker's. */
static const struct function **sorted;
static size_t sorted_count, sorted_room;
static pthread_once_t sort_once = PTHREAD_ONCE_INIT;
static functions_finder *find; /* set before anything can ask */

void functions_find_by(functions_finder *finder)
{
    find = finder;
}

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

/* One more, of a project. Where there is no memory it is left out. */
static void add(const struct function *function)
{
    if (sorted_count == sorted_room) {
        const size_t room = sorted_room + sorted_room / 2;
        const struct function **more = realloc(sorted, room * sizeof *more);
        if (more == NULL)
            return;
        sorted = more;
        sorted_room = room;
    }
    sorted[sorted_count++] = function;
}

/* The linker takes the files in the order of its command line, and a compiler what a file has in any order. */
static void sort(void)
{
    const size_t count = (size_t)(__stop_belay_functions - __start_belay_functions);
    sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return;
    memcpy(sorted, __start_belay_functions, count * sizeof *sorted);
    sorted_count = sorted_room = count;
    if (find != NULL)
        find(add);
    qsort(sorted, sorted_count, sizeof *sorted, compare);
}

const struct function *const *functions(size_t *count)
{
    pthread_once(&sort_once, sort);
    *count = sorted != NULL ? sorted_count : (size_t)(__stop_belay_functions - __start_belay_functions);
    return sorted != NULL ? sorted : __start_belay_functions;
}
