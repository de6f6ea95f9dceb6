/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Faults that BELAY_FAULT asks for: what is understood, what is not and is told how, and programs that meet each
 * and go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "runtime/faults/plan.h"
#include "support/child.h"
#include "support/folder.h"

static void texts_that_are_understood(void **state)
{
    static const struct {
        const char *text;
        struct fault fault;
    } cases[] = {
        {"collective=5,rank=2:kill",
         {.event = FAULT_AT_COLLECTIVE, .times = TIMES_ONE, .number = 5, .rank = 2, .deed = DEED_KILL}},
        {"device=3,copy=2+:fail=507054",
         {.event = FAULT_AT_COPY,
          .times = TIMES_FROM,
          .number = 2,
          .rank = -1,
          .deed = DEED_FAIL,
          .code = 507054}},
        {"operator,name=Add*:507015",
         {.event = FAULT_AT_OPERATOR, .times = TIMES_ALL, .rank = -1, .deed = DEED_FAIL, .code = 507015}},
        {"operator=1/7:slow=20ms",
         {.event = FAULT_AT_OPERATOR,
          .times = TIMES_ODDS,
          .number = 7,
          .rank = -1,
          .deed = DEED_SLOW,
          .nanoseconds = 20000000}},
        {"alloc,held=2G:fail",
         {.event = FAULT_AT_ALLOC, .times = TIMES_ALL, .rank = -1, .deed = DEED_FAIL, .code = 207001}},
        {"collective=3,each:stop=2s",
         {.event = FAULT_AT_COLLECTIVE,
          .times = TIMES_ONE,
          .number = 3,
          .rank = -1,
          .deed = DEED_STOP,
          .nanoseconds = 2000000000}},
        {"copy:fail", {.event = FAULT_AT_COPY, .rank = -1, .deed = DEED_FAIL, .code = 507053}},
        {"stream=9:reset",
         {.event = FAULT_AT_STREAM, .times = TIMES_ONE, .number = 9, .rank = -1, .deed = DEED_RESET}},
        {"file:full", {.event = FAULT_AT_FILE, .rank = -1, .deed = DEED_FULL}},
    };
    static struct fault_plan plan;
    char sentence[FAULT_PLAN_SENTENCE_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fault *expected = &cases[i].fault, *found = &plan.fault[0];
        if (!fault_plan_read(cases[i].text, &plan, sentence))
            fail_msg("%s: %s", cases[i].text, sentence);
        assert_int_equal(plan.count, 1);
        assert_string_equal(found->text, cases[i].text);
        assert_int_equal(found->event, expected->event);
        assert_int_equal(found->times, expected->times);
        assert_int_equal(found->number, expected->number);
        assert_int_equal(found->rank, expected->rank);
        assert_int_equal(found->deed, expected->deed);
        assert_int_equal(found->nanoseconds, expected->nanoseconds);
        if (expected->deed == DEED_FAIL)
            assert_int_equal(found->code, expected->code);
    }
}

/* Of files: several, remarks, and a seed that draws the same each time, and another one something else. */
static void several_at_once(void **state)
{
    static const char text[] = "# which rank goes\n"
                               "rank=1,collective=2..1000000:kill  # drawn\n"
                               "\n"
                               "seed=7; alloc=4:fail;copy,product=910B,bytes=1K,restart=1:507053\n";
    static struct fault_plan first, again, other;
    char sentence[FAULT_PLAN_SENTENCE_BYTES], seeded[sizeof text];
    (void)state;
    assert_true(fault_plan_read(text, &first, sentence));
    assert_int_equal(first.count, 3);
    assert_int_equal(first.seed, 7);
    assert_in_range(first.fault[0].number, 2, 1000000);
    assert_int_equal(first.fault[2].least_bytes, 1024);
    assert_int_equal(first.fault[2].restart, 1);
    assert_true(fault_plan_read(text, &again, sentence));
    assert_int_equal(first.fault[0].number, again.fault[0].number);
    memcpy(seeded, text, sizeof text);
    *strchr(strstr(seeded, "seed="), '7') = '8';
    assert_true(fault_plan_read(seeded, &other, sentence));
    assert_int_not_equal(first.fault[0].number, other.fault[0].number);
}

static void texts_that_are_not(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "no fault is asked for"},
        {"alloc=5", "WHEN:WHAT is expected"},
        {"colective=5:kill", "no event and no condition 'colective'; did you mean 'collective'?"},
        {"alloc,rnk=1:kill", "did you mean 'rank'?"},
        {"train=1:kill", "no condition 'train'; collective, message, alloc"},
        {"rank=2:kill", "says no event; collective, message"},
        {"alloc,copy:kill", "two events, alloc and copy"},
        {"alloc:kil", "did you mean 'kill'?"},
        {"alloc:explode", "'explode' that could happen; kill, stop, slow, fail or reset"},
        {"alloc:full", "full cannot happen at the event alloc; kill, stop, slow, fail or reset is expected"},
        {"operator:cut", "cut cannot happen at the event operator"},
        {"message:disagree", "disagree cannot happen at the event message"},
        {"alloc=0:fail", "'0' is no number of an event"},
        {"alloc=:fail", "'' is no number of an event"},
        {"alloc=3..2:fail", "'3..2' is no number"},
        {"alloc=2/3:fail", "'2/3' is no number"},
        {"alloc=99999999999999999999:fail", "is no number"},
        {"copy:99", "the code is '99'"},
        {"copy:fail=508000", "the code is '508000'"},
        {"copy:slow", "slow has no value; slow=200ms"},
        {"copy:slow=5", "slow is '5'; a time is expected"},
        {"copy:stop=0s", "stop is '0s'; a time is expected"},
        {"copy:kill=9", "kill has no value"},
        {"alloc,bytes=2X:fail", "bytes is '2X'; bytes are expected"},
        {"alloc,bytes=99999999T:fail", "bytes are expected"},
        {"alloc,rank:fail", "rank has no value"},
        {"alloc,rank=-1:fail", "rank is '-1'"},
        {"alloc,product=310P:fail", "product is '310P'; 910A, 910B or 950"},
        {"operator,bytes=1K:fail", "bytes are known of alloc, pinned and copy alone"},
        {"copy,held=1K:fail", "held is known of alloc alone"},
        {"file,device=1:full", "file belongs to no device"},
        {"copy,each:kill", "each is for the event with a number, such as copy=3"},
        {"copy=1,each=2:kill", "each has no value"},
        {"seed=x;alloc:fail", "a seed is an integer"},
    };
    static struct fault_plan plan;
    char sentence[FAULT_PLAN_SENTENCE_BYTES], many[40 * 16] = "", longest[600];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_false(fault_plan_read(cases[i].text, &plan, sentence));
        if (strstr(sentence, cases[i].words) == NULL)
            fail_msg("'%s': %s", cases[i].text, sentence);
    }
    for (int i = 0; i < FAULTS_MAX + 1; i++)
        strcat(many, "alloc=1:fail;");
    assert_false(fault_plan_read(many, &plan, sentence));
    assert_non_null(strstr(sentence, "one too many"));
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(fault_plan_read(longest, &plan, sentence));
    longest[120] = ':';
    longest[140] = '\0';
    assert_false(fault_plan_read(longest, &plan, sentence));
}

/* A variable that is not understood is one of Belay's variables. */
static int refused_body(void)
{
    void *memory;
    CHILD_CHECK(aclrtSetDevice(0) == 100000);
    CHILD_CHECK(strstr(aclGetRecentErrMsg(), "BELAY_FAULT: the fault 'alloc=1:fial' is not understood") !=
                NULL);
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 100000);
    return 0;
}

static aclrtStream stream;
static unsigned char *block;
enum { BYTES = 4096 };

static int open_device(void)
{
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    CHILD_CHECK(aclrtMalloc((void **)&block, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    return 0;
}

static int queue_copy(void)
{
    return aclrtMemcpyAsync(block, 64, block + 128, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static bool says(const char *words)
{
    const char *message = aclGetRecentErrMsg();
    return message != NULL && strstr(message, words) != NULL;
}

/* Out of memory at the third: the program gives something back and goes on. "alloc=3:fail" */
static int third_allocation(void)
{
    void *first, *second, *third;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc(&first, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtMalloc(&second, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    third = &third;
    CHILD_CHECK(aclrtMalloc(&third, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(third == &third);
    CHILD_CHECK(says("aclrtMalloc: the fault 'alloc=3:fail' was asked for"));
    CHILD_CHECK(aclrtFree(first) == 0);
    CHILD_CHECK(aclrtMalloc(&third, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtFree(second) == 0 && aclrtFree(third) == 0);
    return aclrtResetDevice(0);
}

/* A device with less memory. "alloc,held=64K:fail" */
static int beyond_bytes(void)
{
    void *first, *second;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc(&first, 40 << 10, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    for (int i = 0; i < 3; i++)
        CHILD_CHECK(aclrtMalloc(&second, 40 << 10, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(aclrtFree(first) == 0);
    CHILD_CHECK(aclrtMalloc(&second, 40 << 10, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    return aclrtFree(second);
}

/* "pinned=2:fail;alloc,bytes=1M:fail" */
static int host_and_large(void)
{
    void *first, *second;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMallocHost(&first, 64) == 0 && aclrtMallocHost(&second, 64) == 207001);
    CHILD_CHECK(aclrtMallocHost(&second, 64) == 0);
    CHILD_CHECK(aclrtFreeHost(first) == 0 && aclrtFreeHost(second) == 0);
    CHILD_CHECK(aclrtMalloc(&first, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(aclrtMalloc(&first, (1 << 20) - 1, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                 .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 .memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtDrvMemHandle handle;
    CHILD_CHECK(aclrtMallocPhysical(&handle, 2 << 20, &prop, 0) == 207001);
    return aclrtFree(first);
}

/* A copy that fails while it runs: the stream says so, once, and the copy made again succeeds.
 * "copy=2:507054" */
static int second_copy(void)
{
    unsigned char host[64], found[64];
    memset(host, 5, sizeof host);
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(aclrtMemcpy(block + 128, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHILD_CHECK(queue_copy() == 0);
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 507054);
    CHILD_CHECK(says("aclrtSynchronizeStream: aclrtMemcpyAsync: the fault 'copy=2:507054' was asked for"));
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(queue_copy() == 0 && aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(aclrtMemcpy(found, 64, block, 64, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    return memcmp(found, host, sizeof host);
}

/* Blocking copies and sets return it. "copy=1,bytes=65:507053;copy=1,name=aclrtMemset:fail" */
static int blocking_copies(void)
{
    unsigned char host[128] = {0};
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(aclrtMemcpy(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHILD_CHECK(aclrtMemcpy(block, 128, host, 128, ACL_MEMCPY_HOST_TO_DEVICE) == 507053);
    CHILD_CHECK(aclrtMemcpy(block, 128, host, 128, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHILD_CHECK(aclrtMemset(block, 64, 0, 64) == 507053 && aclrtMemset(block, 64, 0, 64) == 0);
    CHILD_CHECK(aclrtMemcpy2d(block, 16, host, 16, 8, 4, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    return 0;
}

/* Queued copies know their bytes; work of streams counts together. "copy=1,bytes=100:fail;stream=4:507014" */
static int work_of_streams(void)
{
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(queue_copy() == 0 && aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(aclrtMemsetAsync(block, 128, 1, 128, stream) == 0);
    CHILD_CHECK(aclrtSynchronizeStream(stream) == 507053);
    CHILD_CHECK(queue_copy() == 0 && aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(queue_copy() == 0 && aclrtSynchronizeDevice() == 507014);
    return 0;
}

/* A device that resets answers nothing until the program resets it, too; then all works. "copy=2:reset" */
static int lost_device(void)
{
    void *memory;
    unsigned char host[64] = {0};
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(aclrtMemset(block, BYTES, 0, BYTES) == 0);
    CHILD_CHECK(queue_copy() == 0);
    for (int i = 0; i < 2; i++) {
        CHILD_CHECK(aclrtSynchronizeStream(stream) == 507010);
        CHILD_CHECK(says("device 0 is lost, as a fault was asked for"));
    }
    CHILD_CHECK(aclrtSynchronizeDevice() == 507010);
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 507010);
    CHILD_CHECK(aclrtMemcpy(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE) == 507010);
    CHILD_CHECK(aclrtSetDevice(1) == 0); /* the other one is well */
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0 && aclrtSynchronizeDevice() == 0);
    CHILD_CHECK(aclrtResetDeviceForce(0) == 0);
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(queue_copy() == 0 && aclrtSynchronizeStream(stream) == 0);
    return aclrtMemcpy(block, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE);
}

/* A graph's copies are struck as they run. "copy=3:507015" */
static int recorded_copy(void)
{
    aclmdlRI graph;
    CHILD_CHECK(open_device() == 0);
    CHILD_CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL) == 0);
    CHILD_CHECK(queue_copy() == 0 && queue_copy() == 0);
    CHILD_CHECK(aclmdlRICaptureEnd(stream, &graph) == 0);
    CHILD_CHECK(aclmdlRIExecuteAsync(graph, stream) == 0 && aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(aclmdlRIExecuteAsync(graph, stream) == 0 && aclrtSynchronizeStream(stream) == 507015);
    CHILD_CHECK(aclmdlRIExecuteAsync(graph, stream) == 0 && aclrtSynchronizeStream(stream) == 0);
    return aclmdlRIDestroy(graph);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* "alloc=1:slow=100ms;alloc=2:stop=100ms" */
static int slow_and_stopped(void)
{
    void *memory;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (int i = 0; i < 2; i++) {
        const uint64_t begin = now_ms();
        CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        CHILD_CHECK(now_ms() - begin >= 99);
    }
    CHILD_CHECK(waitpid(-1, NULL, 0) == -1); /* nobody is left to wait for */
    return aclrtFree(memory);
}

/* Where the rank, the device, the product or the restart is another one nothing comes.
 * "alloc,rank=1:fail;alloc,device=1:fail;alloc,product=950:fail;alloc,restart=1:fail;alloc,name=*Cached:fail" */
static int of_others(void)
{
    void *memory;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    CHILD_CHECK(aclrtMallocCached(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(aclrtSetDevice(1) == 0);
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    return 0;
}

/* The same with RANK=1. */
static int of_own_rank(void)
{
    void *memory;
    setenv("RANK", "1", 1);
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    return 0;
}

/* "alloc=1/4:fail;seed=3": the same ones each time. */
static int with_chance(void)
{
    void *memory;
    int failed = 0;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    for (int i = 0; i < 400; i++)
        failed += aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 207001;
    return failed > 60 && failed < 140 ? failed : 0;
}

/* A log on a full disk loses lines, and nothing else happens. "file,name=plog:full" */
static int full_log(void)
{
    char path[128];
    struct stat status;
    setenv("ASCEND_PROCESS_LOG_PATH", root, 1);
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtSetDevice(99) == 107001);
    snprintf(path, sizeof path, "%s/debug", root);
    CHILD_CHECK(stat(path, &status) != 0);
    CHILD_CHECK(aclInit(NULL) == 0 && says("aclrtSetDevice"));
    return 0;
}

/* A profile cannot be begun where there is no room. "file,name=PROF_*:full" */
static int full_profile(void)
{
    uint32_t devices[] = {0};
    CHILD_CHECK(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
    aclprofConfig *config = NULL;
    int status = aclprofInit(root, strlen(root));
    if (status == 0) {
        config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, NULL, ACL_PROF_ACL_API);
        CHILD_CHECK(config != NULL);
        status = aclprofStart(config);
    }
    CHILD_CHECK(status != 0 && says("No space left on device"));
    return 0;
}

static void expect(const char *faults, int (*body)(void))
{
    const int found = run_in_child("BELAY_FAULT", faults, body);
    if (found != 0)
        fail_msg("%s: %d (a line, modulo 256)", faults, found);
}

static void programs_that_go_on(void **state)
{
    (void)state;
    expect("alloc=1:fial", refused_body);
    expect("alloc=3:fail", third_allocation);
    expect("alloc,held=64K:fail", beyond_bytes);
    expect("pinned=2:fail;alloc,bytes=1M:fail", host_and_large);
    expect("copy=2:507054", second_copy);
    expect("copy=1,bytes=65:507053;copy=1,name=aclrtMemset:fail", blocking_copies);
    expect("copy=1,bytes=100:fail;stream=4:507014", work_of_streams);
    expect("copy=2:reset", lost_device);
    expect("copy=3:507015", recorded_copy);
    expect("alloc=1:slow=100ms;alloc=2:stop=100ms", slow_and_stopped);
}

static void conditions(void **state)
{
    static const char of_others_only[] = "alloc,rank=1:fail;alloc,device=1:fail;alloc,product=950:fail;"
                                         "alloc,restart=1:fail;alloc,name=*Cached:fail";
    (void)state;
    expect(of_others_only, of_others);
    expect(of_others_only, of_own_rank);
    const int failed = run_in_child("BELAY_FAULT", "alloc=1/4:fail;seed=3", with_chance);
    assert_true(failed > 0);
    assert_int_equal(run_in_child("BELAY_FAULT", "alloc=1/4:fail;seed=3", with_chance), failed);
}

static void full_disks(void **state)
{
    (void)state;
    expect("file,name=plog:full", full_log);
    expect("file,name=PROF_*:full", full_profile);
}

/* "alloc=2:kill" ends the process there. */
static void a_process_that_is_killed(void **state)
{
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        void *memory;
        setenv("BELAY_FAULT", "alloc=2:kill", 1);
        aclrtSetDevice(0);
        if (aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == 0)
            aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

int main(void)
{
    setenv("BELAY_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_that_are_understood),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(texts_that_are_not),
        cmocka_unit_test(programs_that_go_on),
        cmocka_unit_test(conditions),
        cmocka_unit_test(full_disks),
        cmocka_unit_test(a_process_that_is_killed),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
