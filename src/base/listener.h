/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the library tells the one who listens: the checker (src/check), which is above all that it listens to
 * and is called by no other way. Nobody calls a member without asking check_is_on first: the functions beside
 * each noun do (base/made.h, order.h, watch.h, place.h, report.h), so that where no check is on a call costs
 * a load and a branch. What the members do is said where the checker declares the function of that name.
 */
#ifndef BELAY_BASE_LISTENER_H
#define BELAY_BASE_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/export.h"

/* Where a call was made. A value of 0 in a member: not known. */
struct call_place {
    const char *function; /* the public function that was called; static storage */
    uint64_t number;      /* of the call, among all of this process of which places were taken */
    uintptr_t address;    /* where the call returns to: the first frame outside of these libraries */
    uint32_t line;        /* of a Python program: what python_line_text knows */
    uint32_t callers;     /* likewise if there is a line, or else the stack that stack_find knows */
};

/* Executors are made by the first phase of the operator that the place names. */
enum executor_state { EXECUTOR_NEW, EXECUTOR_REPEATABLE, EXECUTOR_RAN };

/* What becomes of an event, which its address stands for. */
enum watched_event {
    EVENT_IS_RECORDED,   /* by the stream */
    EVENT_IS_AWAITED,    /* by the stream */
    EVENT_HAS_COMPLETED, /* the host has seen that it has */
    EVENT_IS_GONE
};

struct finding;
struct memory_request;
struct race_world;
struct task;

struct listener {
    /* Reports (check/reporter.h, suppression.h, place.h): these are called where BELAY_CHECK names a check,
     * report alone included. */
    bool (*report_begin)(const char *path);
    bool (*suppressions_read)(const char *path, char *sentence, size_t bytes);
    void (*report_after_fork)(void);
    void (*report_shown)(const struct finding *finding, int code, const char *sentence);
    void (*report_failed_call)(const void *address, int rule, int code, const char *sentence);
    struct call_place (*place_of_report)(const char *function);

    /* The settings hold from now on: these checks are on. */
    void (*checks_begin)(uint32_t checks);

    /* What programs make and give back (check/made.h, leak.h). */
    void (*made_keep)(int32_t kind, uint64_t key, uint64_t bytes, int32_t device, const char *function);
    void (*made_drop)(uint64_t key);
    void (*made_change)(uint64_t key, enum executor_state state);
    uint64_t (*made_keep_group)(const char *function);
    void (*leak_report_device)(const char *api, int32_t device);

    /* Work that nobody waits for, and errors that nobody reads (check/order.h). */
    uint64_t (*order_epoch)(void);
    void (*order_keep)(const char *function, uint64_t stream, int32_t device, uint64_t epoch);
    void (*order_keep_workspace)(const char *function, uint64_t stream, const void *workspace);
    void (*order_look_for_workspace)(const char *function, const void *block);
    void (*order_forget)(void);
    void (*order_stream_ended)(uint64_t stream);
    void (*order_error_read)(void);
    void (*order_end)(const char *api, int32_t device);

    /* Tasks, events, copies and memory (check/watch.h). */
    void (*watch_submit)(uint64_t stream, struct task *task);
    void (*watch_function)(uint64_t stream, struct task *task);
    void (*watch_function_run)(const struct task *task);
    void (*watch_function_ended)(uint64_t stream);
    void (*watch_waited)(uint64_t stream, bool has_ended);
    void (*watch_event)(enum watched_event what, const void *event, uint64_t stream);
    void (*watch_captured)(struct race_world **world, uint32_t lane, struct task *task);
    void (*watch_captured_event)(struct race_world **world, enum watched_event what, const void *event,
                                 uint32_t lane);
    void (*watch_capture_end)(struct race_world **world);
    void (*watch_copy)(const char *api, void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
                       uint64_t width, uint64_t height);
    void (*watch_set)(const char *api, void *address, uint64_t bytes);
    void (*watch_allocated)(uintptr_t base, uint64_t bytes);
    void (*watch_free)(const char *api, const void *address, int place);
    void (*watch_unregister)(const char *api, const void *address);
    int (*watch_run)(struct task *task);

    /* Memory out of the host's reach (check/guarded_block.h, host_access.h): these are called where blocks
     * are guarded (memory/reach.h). */
    uint64_t (*guarded_block_take)(const struct memory_request *request, uintptr_t *start, bool *is_refused);
    void (*guarded_block_close)(uint64_t index, const struct call_place *freed);
    void (*guarded_block_put)(uint64_t index);
    void (*guarded_block_report)(void);
    void (*host_access_take_signals)(void);
};

/* The timeline (runtime/timeline), which BELAY_TRACE asks for; trace.h says what these do. */
struct recorder {
    bool (*start)(const char *path, const char **why);
    void (*after_fork)(void);
};
extern const struct recorder *recorder; /* as listener, below */

/* NULL: nobody listens, and no check can be asked for. Set once, while the library is loaded. */
extern const struct listener *listener SHARED(listener);

#endif
