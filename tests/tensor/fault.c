/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work that fails while it runs: an operator that looks numbers up by an index, which is only known then.
 * Whether it runs at once or queued, and under every schedule, phase 2 succeeds and whoever asks next is
 * told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "runtime/streams/fault.h"
#include "support/executor_request.h"
#include "support/failure.h"
#include "support/open_stream.h"
#include "support/thread.h"
#include "tensor/executor.h"

enum { NUMBERS = 4 };
static const uint64_t AT_ONCE = 10, QUEUED = 1000000000; /* predicted nanoseconds */

static struct memory {
    float table[NUMBERS], out;
    int32_t index, padding[2];
} * memory;
static _Atomic unsigned runs;

static int look_up(const void *plan, void *const *address, void *scratch)
{
    (void)plan;
    (void)scratch;
    int32_t index = *(const int32_t *)address[1];
    atomic_fetch_add(&runs, 1);
    if (index < 0 || index >= NUMBERS)
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "index holds %d at [0]; 0 to %d are expected", (int)index, NUMBERS - 1);
    *(float *)address[2] = ((const float *)address[0])[index];
    return 0;
}

static const struct operation operation = {.name = "aclnnLookUp", .run = look_up};

static aclTensor *tensors[3]; /* table, index, out */

static struct executor_operand operand_of(int i, const char *name)
{
    struct tensor_view view;
    assert_true(tensor_read(tensors[i], &view));
    return (struct executor_operand){
        .tensor = tensors[i], .data = view.data, .element_bytes = 4, .version = view.version, .name = name};
}

static aclnnStatus launch(aclrtStream on, uint64_t cost_ns)
{
    struct executor_request request = {
        .operation = &operation,
        .operand_count = 3,
        .operand = {operand_of(0, "table"), operand_of(1, "index"), operand_of(2, "out")},
        .cost_ns = cost_ns};
    uint64_t workspace;
    aclOpExecutor *executor;
    assert_int_equal(executor_create(&request, &workspace, &executor), 0);
    return executor_launch(&operation, NULL, 0, executor, on);
}

static void set_index(int32_t index)
{
    assert_int_equal(aclrtMemcpy(&memory->index, 4, &index, 4, ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

static int set_up(void **state)
{
    (void)state;
    const struct memory values = {{10, 11, 12, 13}, 0, 2, {0}};
    atomic_store(&runs, 0);
    if (aclrtMalloc((void **)&memory, sizeof *memory, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    void *places[3] = {memory->table, &memory->index, &memory->out};
    for (int i = 0; i < 3; i++)
        tensors[i] = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, places[i]);
    return aclrtMemcpy(memory, sizeof values, &values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        (void)aclDestroyTensor(tensors[i]);
    return aclrtSetExceptionInfoCallback(NULL) | aclrtSynchronizeStream(stream) | aclrtFree(memory);
}

/* The answer once nothing of the stream is left to run. */
static int query(void)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    int result = 0;
    while (result == 0 && status == ACL_STREAM_STATUS_NOT_READY)
        result = aclrtStreamQuery(stream, &status);
    return result;
}

static int synchronize_event(void)
{
    aclrtEvent event;
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    int status = aclrtSynchronizeEvent(event);
    const char *message = status != 0 ? aclGetRecentErrMsg() : NULL;
    assert_int_equal(aclrtDestroyEvent(event), 0);
    if (message != NULL)
        assert_non_null(
            strstr(message, "aclrtSynchronizeEvent: aclnnLookUp: index holds 7 at [0]; 0 to 3 are"));
    return status;
}

static int synchronize(int way)
{
    return way == 0   ? aclrtSynchronizeStream(stream)
           : way == 1 ? aclrtSynchronizeStreamWithTimeout(stream, 10000)
           : way == 2 ? aclrtSynchronizeDevice()
           : way == 3 ? query()
                      : synchronize_event();
}

static void whoever_asks_first_is_told_once(void **state)
{
    (void)state;
    for (int way = 0; way < 5; way++) {
        for (int is_queued = 0; is_queued < 2; is_queued++) {
            set_index(7);
            (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
            assert_int_equal(launch(stream, is_queued ? QUEUED : AT_ONCE), 0);
            assert_null(aclGetRecentErrMsg());
            assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
            if (way == 4)
                assert_int_equal(synchronize(way), 507035);
            else
                assert_failure(synchronize(way), 507035, "aclnnLookUp: index holds 7 at [0]; 0 to 3 are");
            assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 507035);
            assert_int_equal(synchronize(way), 0);

            set_index(3);
            assert_int_equal(launch(stream, is_queued ? QUEUED : AT_ONCE), 0);
            assert_int_equal(synchronize(way), 0);
            float out;
            assert_int_equal(aclrtMemcpy(&out, 4, &memory->out, 4, ACL_MEMCPY_DEVICE_TO_HOST), 0);
            assert_true(out == 13);
        }
    }
}

static void work_behind_a_failure_runs_and_its_failures_are_counted(void **state)
{
    (void)state;
    set_index(-1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(launch(stream, i % 2 == 0 ? AT_ONCE : QUEUED), 0);
    const int32_t later = 1;
    int32_t *pinned;
    assert_int_equal(aclrtMallocHost((void **)&pinned, 4), 0);
    *pinned = later;
    assert_int_equal(aclrtMemcpyAsync(&memory->index, 4, pinned, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    assert_int_equal(launch(stream, QUEUED), 0);
    /* Memory of the program's own is copied now, behind all work, whatever became of that. */
    float out = 0;
    assert_int_equal(aclrtMemcpyAsync(&out, 4, &memory->out, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    assert_true(out == 11);
    assert_failure(
        aclrtSynchronizeStream(stream), 507035,
        "aclrtSynchronizeStream: aclnnLookUp: index holds -1 at [0]; 0 to 3 are expected (and 4 more "
        "failures of the stream behind it)");
    assert_int_equal(runs, 6);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtFreeHost(pinned), 0);
}

static void a_stream_that_stops_drops_its_work_until_someone_is_told(void **state)
{
    (void)state;
    aclrtStream stops;
    aclrtEvent event;
    assert_int_equal(aclrtCreateStream(&stops), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtSetStreamFailureMode(stops, ACL_STOP_ON_FAILURE), 0);
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        atomic_store(&runs, 0);
        set_index(7);
        for (int i = 0; i < 4; i++)
            assert_int_equal(launch(stops, is_queued ? QUEUED : AT_ONCE), 0);
        assert_int_equal(aclrtRecordEvent(event, stops), 0);
        int32_t host = 5;
        assert_int_equal(aclrtMemcpyAsync(&host, 4, memory->table, 4, ACL_MEMCPY_DEVICE_TO_HOST, stops), 0);
        assert_int_equal(host, 5);
        assert_int_equal(runs, 1);
        /* Another stream, which waits for that event, runs. */
        assert_int_equal(aclrtStreamWaitEvent(stream, event), 0);
        set_index(0);
        assert_int_equal(launch(stream, QUEUED), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(runs, 2);

        assert_failure(aclrtSynchronizeEvent(event), 507035, "aclnnLookUp: index holds 7");
        assert_int_equal(aclrtSynchronizeEvent(event), 0);
        assert_int_equal(aclrtSynchronizeStream(stops), 0);
        uint64_t time;
        assert_int_equal(aclrtEventGetTimestamp(event, &time), 0);
        assert_int_equal(launch(stops, is_queued ? QUEUED : AT_ONCE), 0);
        assert_int_equal(aclrtSynchronizeStream(stops), 0);
        assert_int_equal(runs, 3);
    }
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyStream(stops), 0);
}

static void an_event_tells_of_failures_before_its_record_alone(void **state)
{
    (void)state;
    aclrtEvent before, behind;
    assert_int_equal(aclrtCreateEvent(&before), 0);
    assert_int_equal(aclrtCreateEvent(&behind), 0);
    assert_int_equal(aclrtRecordEvent(before, stream), 0);
    set_index(7);
    assert_int_equal(launch(stream, QUEUED), 0);
    assert_int_equal(aclrtRecordEvent(behind, stream), 0);
    assert_int_equal(aclrtSynchronizeEvent(before), 0);
    assert_failure(aclrtSynchronizeEventWithTimeout(behind, 10000), 507035, "aclnnLookUp");
    assert_int_equal(aclrtSynchronizeEvent(before), 0);
    /* Another failure is not that of the event. */
    assert_int_equal(launch(stream, QUEUED), 0);
    assert_int_equal(aclrtSynchronizeEvent(behind), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "aclnnLookUp");
    assert_int_equal(aclrtDestroyEvent(before), 0);
    assert_int_equal(aclrtDestroyEvent(behind), 0);
}

static void *ask_elsewhere(void *status)
{
    *(int *)status = aclrtSetDevice(0);
    if (*(int *)status == 0)
        *(int *)status = aclrtSynchronizeStream(stream);
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || strstr(message, "aclnnLookUp: index holds 9 at [0]") == NULL)
        *(int *)status = -1;
    (void)aclrtResetDevice(0);
    return NULL;
}

static void the_thread_that_asks_gets_the_sentence(void **state)
{
    (void)state;
    int status = 0;
    set_index(9);
    assert_int_equal(launch(stream, AT_ONCE), 0);
    (void)run_in_thread(ask_elsewhere, &status);
    assert_int_equal(status, 507035);
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

/* What the callback was told last. */
static struct told {
    _Atomic unsigned times;
    uint32_t stream, task, thread, device, code;
    _Atomic int inner; /* of a wait inside the callback */
    bool is_foreign;
} told;
static pthread_t main_thread;

static void note(aclrtExceptionInfo *info)
{
    told.times++;
    told.stream = aclrtGetStreamIdFromExceptionInfo(info);
    told.task = aclrtGetTaskIdFromExceptionInfo(info);
    told.thread = aclrtGetThreadIdFromExceptionInfo(info);
    told.device = aclrtGetDeviceIdFromExceptionInfo(info);
    told.code = aclrtGetErrorCodeFromExceptionInfo(info);
    told.is_foreign = !pthread_equal(pthread_self(), main_thread);
}

static void callbacks_are_called_before_anyone_is_told(void **state)
{
    (void)state;
    main_thread = pthread_self();
    assert_int_equal(aclrtSetExceptionInfoCallback(note), 0);
    set_index(7);
    int32_t id;
    told.times = 0;
    assert_int_equal(aclrtStreamGetId(stream, &id), 0);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t number;
        told.code = 0;
        assert_int_equal(launch(stream, i % 2 == 0 ? AT_ONCE : QUEUED), 0);
        assert_int_equal(aclrtGetThreadLastTaskId(&number), 0);
        assert_failure(aclrtSynchronizeStream(stream), 507035, "index holds 7");
        assert_int_equal(told.times, i + 1);
        assert_int_equal(told.stream, id);
        assert_int_equal(told.task, number);
        assert_int_equal(told.thread, gettid());
        assert_int_equal(told.device, 0);
        assert_int_equal(told.code, 507035);
        assert_true(told.is_foreign);
    }
    /* Once for each failure, not for each report. */
    told.times = 0;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(launch(stream, QUEUED), 0);
    assert_failure(aclrtSynchronizeStream(stream), 507035, "2 more failures");
    assert_int_equal(told.times, 3);
}

static void wait_inside(aclrtExceptionInfo *info)
{
    (void)info;
    told.times++;
    told.inner = aclrtSetDevice(0) | aclrtSynchronizeStream(stream);
    (void)aclrtResetDevice(0);
}

static void a_callback_may_synchronise(void **state)
{
    (void)state;
    told.inner = -1;
    told.times = 0;
    assert_int_equal(aclrtSetExceptionInfoCallback(wait_inside), 0);
    set_index(7);
    assert_int_equal(launch(stream, QUEUED), 0);
    int outer = aclrtSynchronizeStream(stream);
    assert_int_equal(aclrtSetExceptionInfoCallback(NULL), 0);
    /* One of the two has been told. Who leaves the stream without a failure need not have waited. */
    for (int i = 0; i < 60000 && told.inner == -1; i++)
        usleep(1000);
    assert_int_equal(outer ^ told.inner, 507035);
    assert_int_equal(told.times, 1);
}

static void a_stream_that_ends_takes_its_failure_along(void **state)
{
    (void)state;
    aclrtStream made;
    for (int is_queued = 0; is_queued < 2; is_queued++) {
        set_index(7);
        assert_int_equal(aclrtCreateStream(&made), 0);
        assert_int_equal(launch(made, is_queued ? QUEUED : AT_ONCE), 0);
        assert_int_equal(aclrtDestroyStream(made), 0);
        assert_int_equal(aclrtCreateStream(&made), 0);
        assert_int_equal(aclrtSynchronizeStream(made), 0);
        assert_int_equal(aclrtDestroyStream(made), 0);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(whoever_asks_first_is_told_once),
        TEST(work_behind_a_failure_runs_and_its_failures_are_counted),
        TEST(a_stream_that_stops_drops_its_work_until_someone_is_told),
        TEST(an_event_tells_of_failures_before_its_record_alone),
        TEST(the_thread_that_asks_gets_the_sentence),
        TEST(callbacks_are_called_before_anyone_is_told),
        TEST(a_callback_may_synchronise),
        TEST(a_stream_that_ends_takes_its_failure_along),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
