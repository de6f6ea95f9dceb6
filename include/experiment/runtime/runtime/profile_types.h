/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What launchers of kernels report to the profiler (MsprofReportApi, MsprofReportCompactInfo,
 * MsprofReportAdditionalInfo), as they fill it in. Belay's timeline knows of launches by itself and forgets what it
 * is told, so that sizes and numbers here are Belay's own.
 */
#ifndef BELAY_EXPERIMENT_RUNTIME_RUNTIME_PROFILE_TYPES_H
#define BELAY_EXPERIMENT_RUNTIME_RUNTIME_PROFILE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSPROF_REPORT_DATA_MAGIC_NUM      0x5a5aU
#define MSPROF_ADDTIONAL_INFO_DATA_LENGTH 232
#define MSPROF_GE_TENSOR_DATA_NUM         5
#define MSPROF_GE_TENSOR_DATA_SHAPE_LEN   8

enum {
    MSPROF_REPORT_NODE_LEVEL = 10000,
    MSPROF_REPORT_NODE_BASIC_INFO_TYPE = 0,
    MSPROF_REPORT_NODE_TENSOR_INFO_TYPE = 1,
    MSPROF_REPORT_NODE_CONTEXT_ID_INFO_TYPE = 4,
    MSPROF_REPORT_NODE_LAUNCH_TYPE = 5
};

enum {
    MSPROF_GE_TASK_TYPE_AI_CORE = 0,
    MSPROF_GE_TASK_TYPE_AI_CPU,
    MSPROF_GE_TASK_TYPE_AIV,
    MSPROF_GE_TASK_TYPE_MIX_AIC = 4,
    MSPROF_GE_TASK_TYPE_MIX_AIV
};

enum { MSPROF_GE_TENSOR_TYPE_INPUT = 0, MSPROF_GE_TENSOR_TYPE_OUTPUT };

/* What ProfCtrlHandle is told: profiling begins or ends, and what of. */
typedef struct MsprofCommandHandle {
    uint64_t profSwitch;
    uint64_t profSwitchHi;
    uint32_t devNums;
    uint32_t devIdList[64];
    uint32_t modelId;
    uint32_t type;
    uint32_t cacheFlag;
} MsprofCommandHandle;

/* A call on the host. */
typedef struct MsprofApi {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t reserve;
    uint64_t beginTime;
    uint64_t endTime;
    uint64_t itemId;
} MsprofApi;

typedef struct MsprofNodeBasicInfo {
    uint64_t opName;
    uint32_t taskType;
    uint64_t opType;
    uint32_t blockDim;
    uint32_t opFlag;
} MsprofNodeBasicInfo;

typedef struct MsprofCompactInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    union {
        uint8_t info[40];
        MsprofNodeBasicInfo nodeBasicInfo;
    } data;
} MsprofCompactInfo;

typedef struct MsprofAdditionalInfo {
    uint16_t magicNumber;
    uint16_t level;
    uint32_t type;
    uint32_t threadId;
    uint32_t dataLen;
    uint64_t timeStamp;
    uint8_t data[MSPROF_ADDTIONAL_INFO_DATA_LENGTH];
} MsprofAdditionalInfo;

typedef struct MsprofContextIdInfo {
    uint64_t opName;
    uint32_t ctxIdNum;
    uint32_t ctxIds[55];
} MsprofContextIdInfo;

typedef struct MsprofTensorData {
    uint32_t tensorType;
    uint32_t format;
    uint32_t dataType;
    uint32_t shape[MSPROF_GE_TENSOR_DATA_SHAPE_LEN];
} MsprofTensorData;

typedef struct MsprofTensorInfo {
    uint64_t opName;
    uint32_t tensorNum;
    MsprofTensorData tensorData[MSPROF_GE_TENSOR_DATA_NUM];
} MsprofTensorInfo;

int32_t MsprofReportCompactInfo(uint32_t nonPersistent, const void *data, uint32_t length);
int32_t MsprofReportAdditionalInfo(uint32_t nonPersistent, const void *data, uint32_t length);
uint64_t MsprofGetHashId(const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
