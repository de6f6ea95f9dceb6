/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Events that processes share: streams of one wait for work of the other, whoever ends first. Each case is
 * two processes, children of the test, which has not used the library itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "acl/acl.h"
#include "support/child.h"
#include "support/failure.h"
#include "support/pair.h"

static _Atomic bool may_go, is_done;

static void wait_until_it_may(void *unused)
{
    (void)unused;
    while (!atomic_load(&may_go))
        usleep(100);
}

static void note_done(void *unused)
{
    (void)unused;
    atomic_store(&is_done, true);
}

static int make(aclrtStream *stream, aclrtEvent *event, aclrtIpcEventHandle *handle)
{
    return aclrtSetDevice(0) | aclrtCreateStream(stream) | aclrtCreateEventExWithFlag(event, ACL_EVENT_IPC) |
           aclrtIpcGetEventHandle(*event, handle);
}

static int record_when_told(const struct end *end)
{
    aclrtStream stream;
    aclrtEvent event;
    aclrtIpcEventHandle handle, again;
    aclrtEventRecordedStatus status;
    char letter;
    CHILD_CHECK(make(&stream, &event, &handle) == 0);
    CHILD_CHECK(aclrtIpcGetEventHandle(event, &again) == 0 && memcmp(&handle, &again, sizeof handle) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(stream, wait_until_it_may, NULL) == 0 &&
                aclrtRecordEvent(event, stream) == 0);
    CHILD_CHECK(tell(end, &handle, sizeof handle) && hear(end, &letter, 1));
    atomic_store(&may_go, true);
    CHILD_CHECK(aclrtSynchronizeEvent(event) == 0 && hear(end, &letter, 1));
    /* What the other has recorded is waited for here. */
    CHILD_CHECK(aclrtQueryEventStatus(event, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHILD_CHECK(aclrtSynchronizeEventWithTimeout(event, 20) == 507047 && sentence_has("time was over"));
    CHILD_CHECK(aclrtStreamWaitEvent(stream, event) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(stream, note_done, NULL) == 0 && !atomic_load(&is_done));
    CHILD_CHECK(tell(end, "x", 1) && aclrtSynchronizeStream(stream) == 0 && atomic_load(&is_done));
    CHILD_CHECK(aclrtSynchronizeEvent(event) == 0);
    CHILD_CHECK(aclrtDestroyEvent(event) == 0 && tell(end, "x", 1));
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

static int wait_and_record(const struct end *end)
{
    aclrtStream stream;
    aclrtEvent event, late;
    aclrtIpcEventHandle handle;
    aclrtEventRecordedStatus status;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0 &&
                hear(end, &handle, sizeof handle));
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, &event) == 0);
    CHILD_CHECK(aclrtQueryEventStatus(event, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_NOT_READY);
    CHILD_CHECK(aclrtStreamWaitEvent(stream, event) == 0 &&
                aclrtLaunchHostFunc(stream, note_done, NULL) == 0);
    CHILD_CHECK(aclrtSynchronizeStreamWithTimeout(stream, 30) == 507046 && !atomic_load(&is_done));
    CHILD_CHECK(tell(end, "x", 1) && aclrtSynchronizeStream(stream) == 0 && atomic_load(&is_done));
    CHILD_CHECK(aclrtQueryEventStatus(event, &status) == 0 && status == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    CHILD_CHECK(aclrtIpcGetEventHandle(event, &handle) == 107000 && sentence_has("opened here"));
    CHILD_CHECK(aclrtLaunchHostFunc(stream, wait_until_it_may, NULL) == 0 &&
                aclrtRecordEvent(event, stream) == 0);
    CHILD_CHECK(tell(end, "x", 1) && hear(end, &letter, 1));
    usleep(20000);
    atomic_store(&may_go, true);
    CHILD_CHECK(aclrtSynchronizeEvent(event) == 0 && hear(end, &letter, 1));
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, &late) == 107000 && sentence_has("any more"));
    CHILD_CHECK(aclrtDestroyEvent(event) == 0);
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

static void streams_wait_for_work_of_another_process(void **state)
{
    (void)state;
    assert_int_equal(run_both(record_when_told, wait_and_record), 0);
}

static int record_and_end(const struct end *end)
{
    aclrtStream stream;
    aclrtEvent event;
    aclrtIpcEventHandle handle;
    char letter;
    CHILD_CHECK(make(&stream, &event, &handle) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(stream, wait_until_it_may, NULL) == 0 &&
                aclrtRecordEvent(event, stream) == 0);
    CHILD_CHECK(tell(end, &handle, sizeof handle) && hear(end, &letter, 1));
    raise(SIGKILL);
    return 1;
}

static int wait_in_vain(const struct end *end)
{
    aclrtStream stream;
    aclrtEvent event;
    aclrtIpcEventHandle handle;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0 &&
                hear(end, &handle, sizeof handle));
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, &event) == 0 && aclrtStreamWaitEvent(stream, event) == 0);
    CHILD_CHECK(tell(end, "x", 1));
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 507022 && sentence_has("has ended before its work"));
    CHILD_CHECK(aclrtSynchronizeEvent(event) == 507022 && sentence_has("has ended before its work"));
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0 && aclrtDestroyEvent(event) == 0);
    return aclrtDestroyStream(stream) | aclrtResetDevice(0);
}

/* The handle is asked for when the event is recorded already, and on the default stream: as PyTorch does it.
 */
static int record_first(const struct end *end)
{
    aclrtEvent event;
    aclrtIpcEventHandle handle;
    char letter;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC) == 0);
    CHILD_CHECK(aclrtLaunchHostFunc(NULL, wait_until_it_may, NULL) == 0 &&
                aclrtRecordEvent(event, NULL) == 0);
    CHILD_CHECK(aclrtIpcGetEventHandle(event, &handle) == 0 && tell(end, &handle, sizeof handle));
    CHILD_CHECK(hear(end, &letter, 1));
    atomic_store(&may_go, true);
    CHILD_CHECK(aclrtSynchronizeDevice() == 0 && hear(end, &letter, 1));
    return aclrtDestroyEvent(event) | aclrtResetDevice(0);
}

static int wait_for_what_was_recorded_first(const struct end *end)
{
    aclrtEvent event;
    aclrtIpcEventHandle handle;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && hear(end, &handle, sizeof handle));
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, &event) == 0 && aclrtStreamWaitEvent(NULL, event) == 0);
    CHILD_CHECK(aclrtDestroyEvent(event) == 0); /* the wait stays */
    CHILD_CHECK(aclrtSynchronizeStreamWithTimeout(NULL, 30) == 507046);
    CHILD_CHECK(tell(end, "x", 1) && aclrtSynchronizeStream(NULL) == 0 && tell(end, "x", 1));
    return aclrtResetDevice(0);
}

static void a_handle_may_come_behind_the_record(void **state)
{
    (void)state;
    assert_int_equal(run_both(record_first, wait_for_what_was_recorded_first), 0);
}

static void who_waits_for_a_process_that_was_killed_is_told(void **state)
{
    (void)state;
    assert_int_equal(run_both(record_and_end, wait_in_vain), 0);
}

static int refuse(void)
{
    aclrtEvent plain, event, opened;
    aclrtIpcEventHandle handle, rubbish;
    memset(&rubbish, 'x', sizeof rubbish);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateEvent(&plain) == 0);
    CHILD_CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC) == 0);
    CHILD_CHECK(aclrtIpcGetEventHandle(event, NULL) == 100000 && sentence_has("handle is NULL"));
    CHILD_CHECK(aclrtIpcGetEventHandle(NULL, &handle) == 100000 && sentence_has("event is NULL"));
    CHILD_CHECK(aclrtIpcGetEventHandle((aclrtEvent)&plain, &handle) == 107017);
    CHILD_CHECK(aclrtIpcGetEventHandle(plain, &handle) == 107000 && sentence_has("ACL_EVENT_IPC"));
    CHILD_CHECK(aclrtIpcGetEventHandle(event, &handle) == 0);
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, NULL) == 100000 && sentence_has("event is NULL"));
    CHILD_CHECK(aclrtIpcOpenEventHandle(rubbish, &opened) == 107000 && sentence_has("hexadecimal"));
    rubbish = handle;
    rubbish.reserved[63] = rubbish.reserved[63] == '0' ? '1' : '0'; /* the secret */
    CHILD_CHECK(aclrtIpcOpenEventHandle(rubbish, &opened) == 107000 && sentence_has("any more"));
    /* Pages and descriptors are given up with their events. */
    for (int i = 0; i < 3000; i++) {
        aclrtEvent one;
        CHILD_CHECK(aclrtCreateEventExWithFlag(&one, ACL_EVENT_IPC) == 0);
        CHILD_CHECK(aclrtIpcGetEventHandle(one, &rubbish) == 0 &&
                    aclrtIpcOpenEventHandle(rubbish, &opened) == 0);
        CHILD_CHECK(aclrtRecordEvent(one, NULL) == 0 && aclrtStreamWaitEvent(NULL, opened) == 0);
        CHILD_CHECK(aclrtDestroyEvent(opened) == 0 && aclrtDestroyEvent(one) == 0);
    }
    CHILD_CHECK(aclrtSynchronizeDevice() == 0 && aclrtDestroyEvent(event) == 0);
    CHILD_CHECK(aclrtIpcGetEventHandle(event, &handle) == 107017);
    CHILD_CHECK(aclrtIpcOpenEventHandle(handle, &opened) == 107000);
    return aclrtDestroyEvent(plain) | aclrtResetDevice(0);
}

static void what_is_no_shared_event_is_refused(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, refuse), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_wait_for_work_of_another_process),
        cmocka_unit_test(a_handle_may_come_behind_the_record),
        cmocka_unit_test(who_waits_for_a_process_that_was_killed_is_told),
        cmocka_unit_test(what_is_no_shared_event_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
