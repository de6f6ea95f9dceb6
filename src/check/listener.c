/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The checker as the one who listens to the library (base/listener.h).
 */
#include "base/listener.h"

#include "check/guarded_block.h"
#include "check/host_access.h"
#include "check/leak.h"
#include "check/made.h"
#include "check/order.h"
#include "check/place.h"
#include "check/python_line.h"
#include "check/reporter.h"
#include "check/suppression.h"
#include "check/watch.h"
#include "check/whereabouts.h"
#include "runtime/tasks/access.h"

/* Work that fails says where it was queued, as far as that is known and whoever reports it does not say so. */
static void report_shown(const struct finding *finding, int code, const char *sentence)
{
    struct finding placed = *finding;
    struct call_place queued;
    if (finding->rule == RULE_WORK && finding->place[0].place == NULL && watch_running_place(&queued))
        placed.place[0] = (struct finding_place){"queued by", &queued};
    report_show(&placed, code, sentence);
}

/* Where address is not NULL, the places where the block around it was allocated and freed are told too. */
static void report_failed_call(const void *address, int rule, int code, const char *sentence)
{
    struct call_place place = place_of_report(NULL);
    struct finding finding = {.rule = (enum rule)rule, .place = {{NULL, &place}}};
    struct guarded_block block;
    if (address != NULL && guarded_block_find((uintptr_t)address, &block))
        guarded_block_places(&block, &finding.place[1]);
    bool is_shown = report_show(&finding, code, sentence);
    char function[BOARD_FUNCTION_BYTES];
    report_read_function(function, sentence);
    if (is_shown && check_is_on(CHECK_ORDER))
        order_call_failed(function, &place);
}

/* In the child: the locks can be used whoever held them in the parent. */
static void after_fork(void)
{
    report_after_fork();
    python_line_after_fork();
    made_after_fork();
    order_after_fork();
    whereabouts_after_fork();
}

/* What work reads and writes is told where a check needs it. */
static void checks_begin(uint32_t checks)
{
    if ((checks & CHECKS_OF_ACCESSES) != 0)
        access_watch(WATCHER_CHECKER, true);
    whereabouts_begin();
}

static const struct listener checker = {
    .report_begin = report_begin,
    .suppressions_read = suppressions_read,
    .report_after_fork = after_fork,
    .report_shown = report_shown,
    .report_failed_call = report_failed_call,
    .place_of_report = place_of_report,
    .checks_begin = checks_begin,
    .made_keep = made_keep,
    .made_drop = made_drop,
    .made_change = made_change,
    .made_keep_group = made_keep_group,
    .leak_report_device = leak_report_device,
    .order_epoch = order_epoch,
    .order_keep = order_keep,
    .order_keep_workspace = order_keep_workspace,
    .order_look_for_workspace = order_look_for_workspace,
    .order_forget = order_forget,
    .order_stream_ended = order_forget_stream,
    .order_error_read = order_forget_errors,
    .order_end = order_report_unwaited,
    .watch_submit = watch_submit_on,
    .watch_function = watch_function_on,
    .watch_function_run = watch_function_run_on,
    .watch_function_ended = watch_function_ended_on,
    .watch_waited = watch_waited_on,
    .watch_event = watch_event_on,
    .watch_captured = watch_captured_on,
    .watch_captured_event = watch_captured_event_on,
    .watch_capture_end = watch_capture_end_on,
    .watch_copy = watch_copy_on,
    .watch_set = watch_set_on,
    .watch_allocated = watch_allocated_on,
    .watch_free = watch_free_on,
    .watch_unregister = watch_unregister_on,
    .watch_run = watch_run_on,
    .guarded_block_take = guarded_block_take,
    .guarded_block_close = guarded_block_close,
    .guarded_block_put = guarded_block_put,
    .guarded_block_report = guarded_block_report,
    .host_access_take_signals = host_access_take_signals,
};

/* Before the first call of any program, as that needs the library whole. */
__attribute__((constructor)) static void listen_to_library(void)
{
    listener = &checker;
}
