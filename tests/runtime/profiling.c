/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclprof: the order of its calls, what each refuses, and the folder that a profile is. What msprof makes of
 * it tests/tools/msprof.py reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "base/handle.h"
#include "mstx/ms_tools_ext.h"
#include "support/failure.h"

enum { INVALID = 100000, REPEATED = 100002, RUNS = 100042, RUNS_NOT = 100043, FAILED = 500005 };
enum { TIMES = ACL_PROF_ACL_API | ACL_PROF_TASK_TIME };

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/profiling_XXXXXX");
    return mkdtemp(folder) != NULL && aclrtSetDevice(0) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return aclrtResetDevice(0) == 0 && system(command) == 0 ? 0 : -1;
}

static aclprofConfig *create_config(uint64_t data)
{
    uint32_t device = 0;
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, data);
    assert_non_null(config);
    return config;
}

/* How many profiles the folder has; the path of the last one found. */
static int count_profiles(char path[512])
{
    DIR *listing = opendir(folder);
    int count = 0;
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (strncmp(entry->d_name, "PROF_", 5) == 0) {
            snprintf(path, 512, "%s/%s", folder, entry->d_name);
            count++;
        }
    closedir(listing);
    return count;
}

static off_t size_of(const char *path, const char *name)
{
    char whole[1024];
    struct stat status;
    snprintf(whole, sizeof whole, "%s/%s", path, name);
    return stat(whole, &status) == 0 ? status.st_size : -1;
}

static void paths_and_settings_are_looked_at(void **state)
{
    (void)state;
    static char long_text[5000];
    memset(long_text, 'a', sizeof long_text - 1);
    assert_failure(aclprofInit(NULL, 3), INVALID, "aclprofInit: profilerResultPath is NULL");
    assert_failure(aclprofInit(folder, 0), INVALID, "aclprofInit: length is 0");
    assert_failure(aclprofInit(folder, strlen(folder) + 1), INVALID, "aclprofInit: length is");
    assert_failure(aclprofInit(long_text, 4999), INVALID, "aclprofInit: length is 4999");
    assert_failure(aclprofSetConfig(ACL_PROF_ARGS_MIN, "1", 1), INVALID, "aclprofSetConfig: configType is 0");
    assert_failure(aclprofSetConfig((aclprofConfigType)-1, "1", 1), INVALID, "configType is -1");
    assert_failure(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, NULL, 1), INVALID,
                   "aclprofSetConfig: config is NULL");
    assert_failure(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "1", 0), INVALID, "configLength is 0");
    assert_failure(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "1", 2), INVALID, "configLength is 2");
    assert_int_equal(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "50", 2), 0);
    assert_int_equal(aclprofSetConfig((aclprofConfigType)18, "a domain", 8), 0);
}

static void configurations_are_looked_at(void **state)
{
    (void)state;
    uint32_t devices[65] = {1};
    int other = 0;
    (void)aclGetRecentErrMsg();
    assert_null(aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, NULL, TIMES));
    assert_sentence("aclprofCreateConfig");
    assert_null(aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, TIMES));
    assert_sentence("deviceIdList NULL");
    assert_null(aclprofCreateConfig(devices, 65, ACL_AICORE_NONE, NULL, TIMES));
    assert_sentence("deviceNums is 65");
    devices[0] = 0;
    assert_null(aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, (const aclprofAicoreEvents *)&other, TIMES));
    assert_sentence("aicoreEvents is not NULL");
    aclprofConfig *none = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, 0);
    assert_non_null(none);
    assert_int_equal(aclprofDestroyConfig(none), 0);
    void *stamp = aclprofCreateStamp();
    void *const wrong[] = {NULL, none, stamp, &other};
    static const char *const words[] = {"is NULL", "was destroyed", "is a stamp", "is not a handle"};
    for (size_t i = 0; i < 4; i++) {
        assert_failure(aclprofDestroyConfig(wrong[i]), INVALID, words[i]);
        assert_failure(aclprofStart(wrong[i]), INVALID, words[i]);
        assert_failure(aclprofStop(wrong[i]), INVALID, words[i]);
    }
    aclprofDestroyStamp(stamp);
}

/* What a program that dates its own events by the processor's counter reads. */
static uint64_t counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t found;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(found));
    return found;
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
#endif
}

static uint64_t counter_in(const char *path, const char *file)
{
    char name[600], line[128];
    unsigned long long clock = 0, found = 0;
    snprintf(name, sizeof name, "%s/%s", path, file);
    FILE *stream = fopen(name, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) != NULL)
        if (sscanf(line, "clock_monotonic_raw = %llu", &clock) != 1)
            (void)sscanf(line, "cntvct = %llu", &found);
    fclose(stream);
    assert_true(clock > 0);
    return found;
}

static void the_counter_is_told(void **state)
{
    (void)state;
    char path[512];
    aclprofConfig *config = create_config(TIMES);
    assert_int_equal(aclprofInit(folder, strlen(folder)), 0);
    const int others = count_profiles(path);
    uint64_t before = counter();
    assert_int_equal(aclprofStart(config), 0);
    uint64_t between = counter();
    assert_int_equal(aclprofStop(config), 0);
    uint64_t after = counter();
    assert_int_equal(aclprofFinalize(), 0);
    assert_int_equal(aclprofDestroyConfig(config), 0);
    assert_int_equal(count_profiles(path), others + 1);
    assert_in_range(counter_in(path, "host/host_start.log"), before, between);
    assert_in_range(counter_in(path, "host/host_end.log"), between, after);
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

static void calls_have_an_order(void **state)
{
    (void)state;
    char path[512];
    aclprofConfig *config = create_config(TIMES), *second = create_config(TIMES);
    assert_failure(aclprofStart(config), RUNS_NOT, "aclprofStart: profiling is not initialised");
    assert_failure(aclprofFinalize(), RUNS_NOT, "aclprofFinalize: profiling is not initialised");
    assert_int_equal(aclprofInit(folder, strlen(folder)), 0);
    assert_failure(aclprofInit(folder, strlen(folder)), REPEATED,
                   "aclprofInit: profiling is initialised already");
    assert_int_equal(aclprofWarmup(config), 0);
    assert_int_equal(aclprofRegisterDeviceCallback(), 0);
    assert_failure(aclprofStop(config), RUNS_NOT, "aclprofStop: the configuration does not collect");
    assert_int_equal(count_profiles(path), 0);
    assert_int_equal(aclprofStart(config), 0);
    assert_int_equal(count_profiles(path), 1);
    assert_true(size_of(path, "host/start_info") > 0 && size_of(path, "device_0/start_info.0") > 0);
    assert_int_equal(size_of(path, "host/end_info"), -1);
    assert_failure(aclprofStart(config), RUNS, "aclprofStart: another configuration collects already");
    assert_failure(aclprofStart(second), RUNS, "aclprofStart: another configuration collects already");
    assert_failure(aclprofDestroyConfig(config), RUNS, "aclprofDestroyConfig: the configuration is the one");
    assert_failure(aclprofStop(second), RUNS_NOT, "aclprofStop: the configuration does not collect");
    assert_int_equal(aclprofStop(config), 0);
    assert_true(size_of(path, "host/end_info") > 0 && size_of(path, "device_0/end_info.0") > 0);
    assert_true(size_of(path, "host/data/timeline.belay") > 0);
    assert_int_equal(aclprofStart(second), 0); /* a folder of its own */
    assert_int_equal(count_profiles(path), 2);
    assert_int_equal(aclprofFinalize(), 0); /* ends it */
    assert_failure(aclprofStop(second), RUNS_NOT, "does not collect");
    assert_int_equal(aclprofDestroyConfig(config), 0);
    assert_int_equal(aclprofDestroyConfig(second), 0);
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    char path[512], below[600];
    aclprofConfig *config = create_config(TIMES);
    assert_int_equal(aclprofInit("/dev/null/profiles", 18), 0);
    assert_failure(aclprofStart(config), FAILED, "aclprofStart: no folder can be made");
    assert_int_equal(aclprofFinalize(), 0);
    /* A folder that is not there is made, with those above it. */
    snprintf(below, sizeof below, "%s/a/b", folder);
    assert_int_equal(aclprofInit(below, strlen(below)), 0);
    assert_int_equal(aclprofStart(config), 0);
    assert_int_equal(aclprofStop(config), 0);
    assert_int_equal(aclprofFinalize(), 0);
    assert_true(size_of(below, ".") > 0);
    /* No file may have a byte. */
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(aclprofInit(folder, strlen(folder)), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int status = aclprofStart(config);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, FAILED);
    assert_sentence("aclprofStart: no file can be made");
    assert_int_equal(aclprofFinalize(), 0);
    assert_int_equal(aclprofDestroyConfig(config), 0);
    (void)count_profiles(path);
}

static void *pop(void *argument)
{
    *(int *)argument = aclprofPop();
    return NULL;
}

static void stamps_are_looked_at(void **state)
{
    (void)state;
    static char long_text[2000];
    memset(long_text, 'a', sizeof long_text - 1);
    uint32_t range = 0;
    void *stamp = aclprofCreateStamp(), *dead = aclprofCreateStamp();
    assert_non_null(stamp);
    assert_ptr_not_equal(stamp, dead);
    aclprofDestroyStamp(dead);
    int other = 0;
    void *const wrong[] = {NULL, dead, &other};
    static const char *const words[] = {"is NULL", "was destroyed", "is not a handle"};
    for (size_t i = 0; i < 3; i++) {
        assert_failure(aclprofSetStampTraceMessage(wrong[i], "a", 1), INVALID, words[i]);
        assert_failure(aclprofPush(wrong[i]), INVALID, words[i]);
        assert_failure(aclprofMark(wrong[i]), INVALID, words[i]);
        assert_failure(aclprofRangeStart(wrong[i], &range), INVALID, words[i]);
        (void)aclGetRecentErrMsg();
        aclprofDestroyStamp(wrong[i]);
        assert_sentence(words[i]);
    }
    assert_failure(aclprofSetStampTraceMessage(stamp, NULL, 1), INVALID, "msg is NULL");
    assert_failure(aclprofSetStampTraceMessage(stamp, "a", 0), INVALID, "the length of msg is 0");
    assert_failure(aclprofSetStampTraceMessage(stamp, long_text, 1024), INVALID, "the length of msg is 1024");
    assert_int_equal(aclprofSetStampTraceMessage(stamp, long_text, 1023), 0);
    assert_int_equal(aclprofMark(stamp), 0);
    assert_failure(aclprofMarkEx(NULL, 1, NULL), INVALID, "msg is NULL");
    assert_failure(aclprofMarkEx("a", 0, NULL), INVALID, "the length of msg is 0");
    assert_int_equal(aclprofMarkEx("a", 1, NULL), 0);
    assert_failure(aclprofRangeStart(stamp, NULL), INVALID, "rangeId is NULL");
    assert_int_equal(aclprofRangeStart(stamp, &range), 0);
    assert_int_not_equal(range, 0);
    assert_failure(aclprofRangeStop(range + 1), INVALID, "aclprofRangeStop: rangeId is");
    assert_failure(aclprofRangeStop(0), INVALID, "rangeId is 0");
    assert_int_equal(aclprofRangeStop(range), 0);
    assert_failure(aclprofRangeStop(range), INVALID, "aclprofRangeStop: rangeId is");
    /* A push is popped by its own thread. */
    pthread_t thread;
    int status = 0;
    assert_int_equal(aclprofPush(stamp), 0);
    assert_int_equal(aclprofPush(stamp), 0);
    assert_int_equal(pthread_create(&thread, NULL, pop, &status), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(status, INVALID);
    assert_int_equal(aclprofPop(), 0);
    assert_int_equal(aclprofPop(), 0);
    assert_failure(aclprofPop(), INVALID, "aclprofPop: this thread has no range open");
    aclprofDestroyStamp(stamp);
}

static void steps_are_looked_at(void **state)
{
    (void)state;
    aclprofStepInfo *step = aclprofCreateStepInfo(), *dead = aclprofCreateStepInfo();
    assert_non_null(step);
    /* MindSpore writes the step's number where a member of its own declaration lies. */
    const uint64_t number = 7;
    memcpy((unsigned char *)(void *)step + 8, &number, sizeof number);
    assert_failure(aclprofGetStepTimestamp((aclprofStepInfo *)(void *)((unsigned char *)(void *)step + 8),
                                           ACL_STEP_START, NULL),
                   INVALID, "stepInfo is not a handle");
    /* Numbers that name steps inside are not what programs have. */
    for (uint64_t generation = 1; generation <= 16; generation++)
        for (uint64_t index = 0; index < 64; index++) {
            const uint64_t forged = HANDLE_TAG | (uint64_t)HANDLE_STEP_INFO << HANDLE_KIND_SHIFT |
                                    generation << HANDLE_GENERATION_SHIFT | index;
            assert_failure(
                aclprofGetStepTimestamp((aclprofStepInfo *)(uintptr_t)forged, ACL_STEP_START, NULL), INVALID,
                "stepInfo ");
        }
    aclprofDestroyStepInfo(dead);
    assert_failure(aclprofGetStepTimestamp(NULL, ACL_STEP_START, NULL), INVALID, "stepInfo is NULL");
    assert_failure(aclprofGetStepTimestamp(dead, ACL_STEP_START, NULL), INVALID, "stepInfo was destroyed");
    assert_failure(aclprofGetStepTimestamp(step, (aclprofStepTag)2, NULL), INVALID, "tag is 2");
    assert_failure(aclprofGetStepTimestamp(step, ACL_STEP_END, NULL), INVALID, "the step has not begun");
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), 0);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_END, NULL), 0);
    assert_failure(aclprofGetStepTimestamp(step, ACL_STEP_END, NULL), INVALID, "the step has not begun");
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), 0);
    aclprofDestroyStepInfo(step); /* which ends it */
    (void)aclGetRecentErrMsg();
    aclprofDestroyStepInfo(step);
    assert_sentence("stepinfo was destroyed");
}

static void marks_are_looked_at_where_they_are_kept(void **state)
{
    (void)state;
    mstxDomainHandle_t domain = mstxDomainCreateA("domain"), dead = mstxDomainCreateA("dead");
    assert_non_null(domain);
    mstxDomainDestroy(dead);
    (void)aclGetRecentErrMsg();
    assert_null(mstxDomainCreateA(NULL));
    assert_sentence("mstxDomainCreateA: the text is NULL");
    mstxDomainDestroy(dead);
    assert_sentence("was destroyed");
    /* Nothing is kept, and nothing looked at. */
    assert_int_equal(mstxRangeStartA(NULL, NULL), MSTX_INVALID_RANGE_ID);
    mstxMarkA(NULL, NULL);
    mstxDomainMarkA(dead, "a", NULL);
    assert_null(aclGetRecentErrMsg());
    assert_null(mstxMemHeapRegister(domain, NULL));
    mstxMemHeapUnregister(domain, NULL);
    mstxMemRegionsRegister(domain, NULL);
    mstxMemRegionsUnregister(domain, NULL);

    aclprofConfig *config = create_config(ACL_PROF_MSPROFTX);
    aclrtStream stream, gone;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateStream(&gone), 0);
    assert_int_equal(aclrtDestroyStream(gone), 0);
    assert_int_equal(aclprofInit(folder, strlen(folder)), 0);
    assert_int_equal(aclprofStart(config), 0);
    assert_int_equal(mstxRangeStartA(NULL, NULL), MSTX_INVALID_RANGE_ID);
    assert_sentence("mstxRangeStartA: the text is NULL");
    mstxMarkA("a", gone);
    assert_sentence("mstxMarkA: argument stream was destroyed");
    mstxDomainMarkA(dead, "a", NULL);
    assert_sentence("mstxDomainMarkA: domain was destroyed");
    assert_int_equal(mstxDomainRangeStartA(NULL, "a", NULL), MSTX_INVALID_RANGE_ID);
    assert_sentence("mstxDomainRangeStartA: domain is NULL");
    mstxRangeId range = mstxRangeStartA("a", stream), other = mstxDomainRangeStartA(domain, "b", NULL);
    assert_true(range != 0 && other != 0 && range != other);
    mstxRangeEnd(range);
    mstxRangeEnd(range);
    mstxRangeEnd(0);
    mstxDomainRangeEnd(domain, other);
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclprofStop(config), 0);
    assert_int_equal(aclprofFinalize(), 0);
    assert_int_equal(aclprofDestroyConfig(config), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    mstxDomainDestroy(domain);
}

static void a_forked_child_is_told(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        bool is_told = aclprofInit(folder, strlen(folder)) == 107002 && aclprofFinalize() == 107002 &&
                       aclprofStart(NULL) == 107002 && aclprofWarmup(NULL) == 107002 &&
                       aclprofRegisterDeviceCallback() == 107002 && aclprofPop() == 107002 &&
                       aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "1", 1) == 107002 &&
                       aclprofCreateStamp() == NULL && aclprofCreateStepInfo() == NULL &&
                       aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, 0) == NULL;
        mstxMarkA("a", NULL);
        _exit(is_told ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_settings_are_looked_at),
        cmocka_unit_test(configurations_are_looked_at),
        cmocka_unit_test(the_counter_is_told),
        cmocka_unit_test(calls_have_an_order),
        cmocka_unit_test(what_cannot_be_written_is_told),
        cmocka_unit_test(stamps_are_looked_at),
        cmocka_unit_test(steps_are_looked_at),
        cmocka_unit_test(marks_are_looked_at_where_they_are_kept),
        cmocka_unit_test(a_forked_child_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
