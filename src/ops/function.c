/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The list of all functions.
 */
#include "ops/function.h"

#include <pthread.h>
#include <string.h>

/* The linker defines these two at the ends of the section that OPERATOR fills. */
extern const struct function *const __start_belay_functions[] __attribute__((visibility("hidden")));
extern const struct function *const __stop_belay_functions[] __attribute__((visibility("hidden")));

/* Many times what there are. Were there more they would stay in the linker's order. */
enum { FUNCTIONS_MAX = 1024 };

static const struct function *sorted[FUNCTIONS_MAX];
static pthread_once_t sort_once = PTHREAD_ONCE_INIT;

static bool is_in_place(const struct function *description)
{
    static const char beginning[] = "aclnnInplace";
    return strncmp(description->operation.name, beginning, sizeof beginning - 1) == 0;
}

static bool comes_before(const struct function *first, const struct function *second)
{
    int order = strcmp(first->stem, second->stem);
    if (order == 0)
        order = is_in_place(first) - is_in_place(second);
    return (order != 0 ? order : strcmp(first->operation.name, second->operation.name)) < 0;
}

/* The linker takes the files in the order of its command line, and a compiler what a file has in any order.
 */
static void sort(void)
{
    size_t count = (size_t)(__stop_belay_functions - __start_belay_functions);
    for (size_t i = 0; i < count; i++) {
        size_t place = i;
        for (; place > 0 && comes_before(__start_belay_functions[i], sorted[place - 1]); place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = __start_belay_functions[i];
    }
}

const struct function *const *functions(size_t *count)
{
    *count = (size_t)(__stop_belay_functions - __start_belay_functions);
    if (*count > FUNCTIONS_MAX)
        return __start_belay_functions;
    pthread_once(&sort_once, sort);
    return sorted;
}
