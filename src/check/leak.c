/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups what is alive by kind and place.
 */
#include "check/leak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/made.h"
#include "check/order.h"
#include "check/reporter.h"

/* How a kind is called, and what gives it back. */
struct words {
    const char *one, *many;
    const char *end; /* the function */
};

static struct words words_of(int32_t kind)
{
    static const struct words all[MADE_KINDS] = {
        [HANDLE_TENSOR] = {"tensor", "tensors", "aclDestroyTensor"},
        [HANDLE_SCALAR] = {"scalar", "scalars", "aclDestroyScalar"},
        [HANDLE_INT_ARRAY] = {"int array", "int arrays", "aclDestroyIntArray"},
        [HANDLE_FLOAT_ARRAY] = {"float array", "float arrays", "aclDestroyFloatArray"},
        [HANDLE_BOOL_ARRAY] = {"bool array", "bool arrays", "aclDestroyBoolArray"},
        [HANDLE_TENSOR_LIST] = {"tensor list", "tensor lists", "aclDestroyTensorList"},
        [HANDLE_SCALAR_LIST] = {"scalar list", "scalar lists", "aclDestroyScalarList"},
        [HANDLE_EXECUTOR] = {"repeatable executor", "repeatable executors", "aclDestroyAclOpExecutor"},
        [HANDLE_CONTEXT] = {"context", "contexts", "aclrtDestroyContext"},
        [HANDLE_STREAM] = {"stream", "streams", "aclrtDestroyStream"},
        [HANDLE_EVENT] = {"event", "events", "aclrtDestroyEvent"},
        [HANDLE_DATA_BUFFER] = {"data buffer", "data buffers", "aclDestroyDataBuffer"},
        [HANDLE_TENSOR_DESC] = {"tensor description", "tensor descriptions", "aclDestroyTensorDesc"},
        [HANDLE_PHYSICAL_MEMORY] = {"piece of physical memory", "pieces of physical memory",
                                    "aclrtFreePhysical"},
        [HANDLE_COMMUNICATOR] = {"communicator", "communicators", "HcclCommDestroy"},
        [MADE_DEVICE_MEMORY] = {"block of device memory", "blocks of device memory", "aclrtFree"},
        [MADE_PINNED_MEMORY] = {"block of pinned host memory", "blocks of pinned host memory",
                                "aclrtFreeHost"},
    };
    return all[kind];
}

/* 0 for two of the same group. Kinds come first, and in a group the order is that of the calls. */
static int compare_groups(const struct made *a, const struct made *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if ((a->state == EXECUTOR_NEW) != (b->state == EXECUTOR_NEW))
        return a->state == EXECUTOR_NEW ? -1 : 1;
    if (a->place.address != b->place.address)
        return a->place.address < b->place.address ? -1 : 1;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    return strcmp(a->place.function, b->place.function);
}

static int compare(const void *left, const void *right)
{
    const struct made *a = (const struct made *)left, *b = (const struct made *)right;
    int order = compare_groups(a, b);
    return order != 0 ? order : a->place.number < b->place.number ? -1 : a->place.number > b->place.number;
}

/* Executors that were never run: the work is missing, which says more than that they are left. */
static void report_never_run(const struct made *first, uint64_t count)
{
    const char *function = first->place.function;
    char advice[256];
    snprintf(advice, sizeof advice,
             "Call %s with each: the first phase computes nothing, and its executor ends with the second.",
             function);
    report_finding(&(struct finding){.rule = RULE_ORDER,
                                     .advice = advice,
                                     .place = {{count == 1 ? "made by the first phase of"
                                                           : "the first made by the first phase of",
                                                &first->place}}},
                   "%s: %llu executor%s never run: there was a first phase, and no second one", function,
                   (unsigned long long)count, count == 1 ? " was" : "s were");
}

/* Groups of messages that were never ended: what was noted in them never happened. */
static void report_open_groups(const struct made *first, uint64_t count)
{
    report_finding(
        &(struct finding){.rule = RULE_ORDER,
                          .advice = "Call HcclGroupEnd, on the same thread, for each HcclGroupStart: until "
                                    "then nothing of the group is sent or received.",
                          .place = {{count == 1 ? "opened by" : "the first opened by", &first->place}}},
        "%s: %llu group%s never ended, so that %s messages were never queued", first->place.function,
        (unsigned long long)count, count == 1 ? " was" : "s were", count == 1 ? "its" : "their");
}

/* reset is the function that takes it all away, or NULL at the end of the process. */
static void report_group(const struct made *first, uint64_t count, uint64_t bytes, const char *reset)
{
    bool was_never_run = first->kind == HANDLE_EXECUTOR && first->state == EXECUTOR_NEW;
    if (was_never_run && check_is_on(CHECK_ORDER))
        report_never_run(first, count);
    bool is_open_group = first->kind == MADE_MESSAGE_GROUP;
    if (is_open_group && check_is_on(CHECK_ORDER))
        report_open_groups(first, count);
    if (was_never_run || is_open_group || !check_is_on(CHECK_LEAK))
        return;
    struct words words = words_of(first->kind);
    char size[64] = "", advice[256];
    if (bytes > 0)
        snprintf(size, sizeof size, " of %llu bytes%s", (unsigned long long)bytes,
                 count > 1 ? " in all" : "");
    snprintf(advice, sizeof advice, "Call %s for %s%s%s.", words.end, count == 1 ? "it" : "each",
             reset != NULL ? " before " : "", reset != NULL ? reset : "");
    report_finding(
        &(struct finding){.rule = RULE_LEAK,
                          .advice = advice,
                          .place = {{count == 1 ? "made by" : "the first made by", &first->place}}},
        "%s: %llu %s%s %s never given back%s%s", first->place.function, (unsigned long long)count,
        count == 1 ? words.one : words.many, size, count == 1 ? "was" : "were",
        reset != NULL ? " before " : "", reset != NULL ? reset : "");
}

static void report_all(int32_t device, const char *reset)
{
    uint64_t count;
    struct made *all = made_take(device, &count);
    if (all == NULL)
        return;
    qsort(all, count, sizeof *all, compare);
    for (uint64_t i = 0; i < count;) {
        uint64_t first = i, bytes = 0;
        for (; i < count && compare_groups(&all[first], &all[i]) == 0; i++)
            bytes += all[i].bytes;
        report_group(&all[first], i - first, bytes, reset);
    }
    free(all);
}

void leak_report_device(const char *api, int32_t device)
{
    if (check_is_on(MADE_IS_KEPT))
        report_all(device, api);
}

/*
 * Behind the functions that the program has for its end, destructors of the libraries that need this one
 * included. A process that ends in another way than exit has no such list.
 */
__attribute__((destructor)) static void report_at_exit(void)
{
    if (!check_is_on(MADE_IS_KEPT))
        return;
    order_end("exit", -1);
    if (check_is_on(CHECK_ORDER))
        order_end_errors();
    report_all(-1, NULL);
}
