/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Profiling: a program has a timeline of its own calls and work written into a folder, of which
 * `msprof --export=on` makes tables (docs/profiler.md).
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_prof.h>)
#include <third_party/acl/inc/acl/acl_prof.h>
#elif !defined(BELAY_ACL_ACL_PROF_H)
#define BELAY_ACL_ACL_PROF_H

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct aclprofConfig aclprofConfig;
typedef struct aclprofStopConfig aclprofStopConfig;
typedef struct aclprofAicoreEvents aclprofAicoreEvents;
typedef struct aclprofSubscribeConfig aclprofSubscribeConfig;
typedef struct aclprofStepInfo aclprofStepInfo;

/* What to collect: bits of dataTypeConfig. */
#define ACL_PROF_ACL_API        0x00000001ULL
#define ACL_PROF_TASK_TIME      0x00000002ULL
#define ACL_PROF_AICORE_METRICS 0x00000004ULL
#define ACL_PROF_AICPU          0x00000008ULL
#define ACL_PROF_L2CACHE        0x00000010ULL
#define ACL_PROF_HCCL_TRACE     0x00000020ULL
#define ACL_PROF_TRAINING_TRACE 0x00000040ULL
#define ACL_PROF_MSPROFTX       0x00000080ULL
#define ACL_PROF_RUNTIME_API    0x00000100ULL
#define ACL_PROF_TASK_TIME_L0   0x00000800ULL
#define ACL_PROF_TASK_MEMORY    0x00001000ULL
#define ACL_PROF_OP_ATTR        0x00004000ULL

#define ACL_PROF_MAX_OP_NAME_LEN 257
#define ACL_PROF_MAX_OP_TYPE_LEN 65

typedef enum aclprofAicoreMetrics {
    ACL_AICORE_ARITHMETIC_UTILIZATION = 0,
    ACL_AICORE_PIPE_UTILIZATION = 1,
    ACL_AICORE_MEMORY_BANDWIDTH = 2,
    ACL_AICORE_L0B_AND_WIDTH = 3,
    ACL_AICORE_RESOURCE_CONFLICT_RATIO = 4,
    ACL_AICORE_MEMORY_UB = 5,
    ACL_AICORE_L2_CACHE = 6,
    ACL_AICORE_PIPE_EXECUTE_UTILIZATION = 7,
    ACL_AICORE_MEMORY_ACCESS = 8,
    ACL_AICORE_NONE = 0xFF,
} aclprofAicoreMetrics;

typedef enum aclprofConfigType {
    ACL_PROF_ARGS_MIN = 0,
    ACL_PROF_STORAGE_LIMIT = 1,
    ACL_PROF_SYS_HARDWARE_MEM_FREQ = 3,
    ACL_PROF_LLC_MODE = 4,
    ACL_PROF_SYS_IO_FREQ = 5,
    ACL_PROF_SYS_INTERCONNECTION_FREQ = 6,
    ACL_PROF_DVPP_FREQ = 7,
    ACL_PROF_HOST_SYS = 8,
    ACL_PROF_HOST_SYS_USAGE = 9,
    ACL_PROF_HOST_SYS_USAGE_FREQ = 10,
    ACL_PROF_LOW_POWER_FREQ = 11,
    ACL_PROF_SYS_MEM_SERVICEFLOW = 12,
    ACL_PROF_SYS_CPU_FREQ = 13,
    ACL_PROF_OPTYPE = 14,
    ACL_PROF_NTS_METRICS = 15,
    ACL_PROF_PATH = 16,
    ACL_PROF_ARGS_MAX = 17,
} aclprofConfigType;

typedef enum aclprofStepTag {
    ACL_STEP_START = 0,
    ACL_STEP_END = 1,
} aclprofStepTag;

/*
 * Collecting into files. One configuration collects at a time, for all threads of the process; everything is
 * collected, and of what the configuration asks for only the times of tasks can be left out (none of
 * ACL_PROF_TASK_TIME, ACL_PROF_TASK_TIME_L0, ACL_PROF_AICORE_METRICS).
 *
 * Besides what is said below each returns 0; 107002 in a forked child of a process that had used the library;
 * 100000 for a configuration that is NULL, stale or none.
 */

/* The folder for results, length bytes, which is made where it is missing. 100000 for NULL, and for a length
 * that is not the text's or is above 4095; 100002 where profiling is initialised; 200000 without memory. */
aclError aclprofInit(const char *profilerResultPath, size_t length);

/* Settings of what is not collected here: looked at and forgotten. 100000 as above, and for a type that is
 * not above ACL_PROF_ARGS_MIN. */
aclError aclprofSetConfig(aclprofConfigType configType, const char *config, size_t configLength);

/* Ends what still collects, too: 500005 as for aclprofStop. 100043 where profiling is not initialised. */
aclError aclprofFinalize(void);

/* The program's to destroy; NULL, with a sentence, for a device that there is not, aicoreEvents that is not
 * NULL, or without memory. The devices are those whose tasks are told. */
aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
                                   aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents *aicoreEvents, uint64_t dataTypeConfig);

/* 100042 for the one that collects. */
aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig);

/* Makes a folder PROF_... in that of aclprofInit and begins. 100043 where profiling is not initialised,
 * 100042 where a configuration collects already, 500005 where no file can be written. */
aclError aclprofStart(const aclprofConfig *profilerConfig);

/* Ends it: work that has not ended by then is left out, so synchronise before. 100043 for a configuration
 * that does not collect, 500005 where there was no room for all of it. */
aclError aclprofStop(const aclprofConfig *profilerConfig);

/*
 * Collecting the operators of an offline model into a subscriber's file descriptor, and reading what came.
 * There are no offline models: these return 200001 (NULL or 0 where they return no status) and change
 * nothing.
 */
aclprofSubscribeConfig *aclprofCreateSubscribeConfig(int8_t timeInfoSwitch,
                                                     aclprofAicoreMetrics aicoreMetrics, void *fd);
aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig *profSubscribeConfig);
aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig *profSubscribeConfig);
aclError aclprofModelUnSubscribe(uint32_t modelId);
aclError aclprofGetOpDescSize(size_t *opDescSize);
aclError aclprofGetOpNum(const void *opInfo, size_t opInfoLen, uint32_t *opNumber);
aclError aclprofGetOpTypeLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opTypeLen);
aclError aclprofGetOpType(const void *opInfo, size_t opInfoLen, uint32_t index, char *opType,
                          size_t opTypeLen);
aclError aclprofGetOpNameLen(const void *opInfo, size_t opInfoLen, uint32_t index, size_t *opNameLen);
aclError aclprofGetOpName(const void *opInfo, size_t opInfoLen, uint32_t index, char *opName,
                          size_t opNameLen);
uint64_t aclprofGetOpStart(const void *opInfo, size_t opInfoLen, uint32_t index);
uint64_t aclprofGetOpEnd(const void *opInfo, size_t opInfoLen, uint32_t index);
uint64_t aclprofGetOpDuration(const void *opInfo, size_t opInfoLen, uint32_t index);
size_t aclprofGetModelId(const void *opInfo, size_t opInfoLen, uint32_t index);

/*
 * Steps: ranges named "step 1" and so on, with the stream's times where it is not NULL. GetStepTimestamp
 * returns 100000 for a step that is NULL, stale or none, a tag that is none, and an end without a begin; the
 * codes of aclrtRecordEvent for the stream, which is only looked at while a profile is taken.
 */
aclprofStepInfo *aclprofCreateStepInfo(void);
void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo);
aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream);

/*
 * Stamps: marks and ranges that the program names, which come into the profile where one is taken. 100000 for
 * a stamp that is NULL, stale or none, for a message that is NULL or not of 1 to 1023 bytes, for a pop
 * without a push of the same thread, and for a number of no open range; 200000 without memory. A range may
 * end on another thread.
 */
void *aclprofCreateStamp(void);
void aclprofDestroyStamp(void *stamp);
aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen);
aclError aclprofPush(void *stamp);
aclError aclprofPop(void);
aclError aclprofRangeStart(void *stamp, uint32_t *rangeId);
aclError aclprofRangeStop(uint32_t rangeId);
aclError aclprofMark(void *stamp);
aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream);

/* Getting ready to collect: 0, and nothing happens. */
aclError aclprofWarmup(const aclprofConfig *profilerConfig);
aclError aclprofRegisterDeviceCallback(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
