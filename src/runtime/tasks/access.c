/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Accesses of what has no shape: plain ranges of bytes, and rows of them.
 */
#include "runtime/tasks/access.h"

#include <stddef.h>

_Atomic uint32_t access_watchers;

static void (*_Atomic watch_changed)(void);

void access_watch(uint32_t watcher, bool watches)
{
    if (watches)
        atomic_fetch_or_explicit(&access_watchers, watcher, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&access_watchers, ~watcher, memory_order_relaxed);
    void (*function)(void) = atomic_load_explicit(&watch_changed, memory_order_acquire);
    if (function != NULL)
        function();
}

void access_on_watch(void (*function)(void))
{
    atomic_store_explicit(&watch_changed, function, memory_order_release);
}

uint32_t access_number(void)
{
    static _Atomic uint32_t numbers;
    return atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1;
}

void access_visit_rows(struct access_visitor *visitor, const char *parameter, uint32_t mode,
                       const void *address, uint64_t width, uint64_t height, uint64_t pitch)
{
    const int64_t shape[] = {(int64_t)height, (int64_t)width}, stride[] = {(int64_t)pitch, 1};
    const struct access access = {.address = (void *)address,
                                  .parameter = parameter,
                                  .mode = mode,
                                  .dtype = ACL_DT_UNDEFINED,
                                  .element_bytes = 1,
                                  .rank = 2,
                                  .shape = shape,
                                  .stride = stride};
    visitor->visit(visitor, &access);
}

void access_visit_bytes(struct access_visitor *visitor, const char *parameter, uint32_t mode,
                        const void *address, uint64_t bytes)
{
    const int64_t shape[] = {(int64_t)bytes}, stride[] = {1};
    const struct access access = {.address = (void *)address,
                                  .parameter = parameter,
                                  .mode = mode,
                                  .dtype = ACL_DT_UNDEFINED,
                                  .element_bytes = 1,
                                  .rank = 1,
                                  .shape = shape,
                                  .stride = stride};
    visitor->visit(visitor, &access);
}

void access_visit_exchange(struct access_visitor *visitor, const struct exchange_part *part)
{
    struct exchange_part own = *part;
    visitor->visit(visitor, &(struct access){.address = &own,
                                             .parameter = "exchange",
                                             .mode = ACCESS_EXCHANGES,
                                             .dtype = ACL_DT_UNDEFINED});
}
