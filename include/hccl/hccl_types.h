/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The types of collectives: results, dtypes, reductions, and the structures whose bytes programs lay out.
 */
#ifndef BELAY_HCCL_HCCL_TYPES_H
#define BELAY_HCCL_HCCL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every function returns. Where it is not HCCL_SUCCESS, aclGetRecentErrMsg has a sentence. */
typedef enum {
    HCCL_SUCCESS = 0,
    HCCL_E_PARA = 1,     /* an argument is wrong, or ranks did not call the same */
    HCCL_E_PTR = 2,      /* an argument is NULL */
    HCCL_E_MEMORY = 3,   /* there is no memory */
    HCCL_E_INTERNAL = 4, /* a fault of this library */
    HCCL_E_NOT_SUPPORT =
        5,                /* Belay has no such thing, or its part that speaks to other processes is missing */
    HCCL_E_NOT_FOUND = 6, /* a file, or a rank in it, does not exist */
    HCCL_E_UNAVAIL = 7,   /* used up, or not to be used in this process */
    HCCL_E_SYSCALL = 8,   /* the system refuses */
    HCCL_E_TIMEOUT = 9,   /* a rank did not come in time */
    HCCL_E_OPEN_FILE_FAILURE = 10,
    HCCL_E_TCP_CONNECT = 11, /* no connection to another rank */
    HCCL_E_ROCE_CONNECT = 12,
    HCCL_E_TCP_TRANSFER = 13, /* a connection broke */
    HCCL_E_ROCE_TRANSFER = 14,
    HCCL_E_RUNTIME = 15, /* a call of acl failed: no device, a stream that takes no work */
    HCCL_E_DRV = 16,
    HCCL_E_PROFILING = 17,
    HCCL_E_CCE = 18,
    HCCL_E_NETWORK = 19,
    HCCL_E_AGAIN = 20,
    HCCL_E_REMOTE = 21,     /* another rank has gone */
    HCCL_E_SUSPENDING = 22, /* the communicator was destroyed while the work was under way */
    HCCL_E_OPRETRY_FAIL = 23,
    HCCL_E_OOM = 24,
    HCCL_E_RESERVED = 25,
} HcclResult;

/* One rank's part in one communicator: a handle, which the functions that make it give out, and
 * HcclCommDestroy ends. */
typedef void *HcclComm;

/* There is no 13. All can be moved; those up to 11 can be reduced. */
typedef enum {
    HCCL_DATA_TYPE_INT8 = 0,
    HCCL_DATA_TYPE_INT16 = 1,
    HCCL_DATA_TYPE_INT32 = 2,
    HCCL_DATA_TYPE_FP16 = 3,
    HCCL_DATA_TYPE_FP32 = 4,
    HCCL_DATA_TYPE_INT64 = 5,
    HCCL_DATA_TYPE_UINT64 = 6,
    HCCL_DATA_TYPE_UINT8 = 7,
    HCCL_DATA_TYPE_UINT16 = 8,
    HCCL_DATA_TYPE_UINT32 = 9,
    HCCL_DATA_TYPE_FP64 = 10,
    HCCL_DATA_TYPE_BFP16 = 11,
    HCCL_DATA_TYPE_INT128 = 12, /* 16 bytes */
    HCCL_DATA_TYPE_HIF8 = 14,   /* this and those behind it: 1 byte */
    HCCL_DATA_TYPE_FP8E4M3 = 15,
    HCCL_DATA_TYPE_FP8E5M2 = 16,
    HCCL_DATA_TYPE_FP8E8M0 = 17,
    HCCL_DATA_TYPE_RESERVED = 255,
} HcclDataType;

typedef enum {
    HCCL_REDUCE_SUM = 0,
    HCCL_REDUCE_PROD = 1,
    HCCL_REDUCE_MAX = 2,
    HCCL_REDUCE_MIN = 3,
    HCCL_REDUCE_RESERVED = 255,
} HcclReduceOp;

typedef enum {
    HCCL_SEND = 0,
    HCCL_RECV = 1,
    HCCL_SEND_RECV_RESERVED = 2,
} HcclSendRecvType;

typedef enum {
    HCCL_DETERMINISTIC = 0, /* 0 to 2 */
    HCCL_ACCELERATOR = 1,
    HCCL_CONFIG_RESERVED = 2,
} HcclConfig;

typedef union {
    int32_t value;
} HcclConfigValue;

/* What HcclGetRootInfo writes and the program carries to all ranks, whole and as it is. */
#define HCCL_ROOT_INFO_BYTES 4108
typedef struct HcclRootInfoDef {
    char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

/* One message of HcclBatchSendRecv. */
typedef struct HcclSendRecvItemDef {
    HcclSendRecvType sendRecvType;
    void *buf;
    uint64_t count; /* elements */
    HcclDataType dataType;
    uint32_t remoteRank;
} HcclSendRecvItem;

/*
 * How a communicator is to be. Fill it with HcclCommConfigInit (hccl.h) first: the functions read a field
 * where the structure reaches that far by the size in it, so that programs may be older or newer than this
 * header. Belay acts on hcclCommName and hcclExecTimeOut; the others are for hardware.
 */
#define HCCL_COMM_CONFIG_INFO_BYTES       24
#define HCCL_COMM_CONFIG_MAGIC_WORD       0xf0f0f0f0u
#define HCCL_COMM_CONFIG_VERSION          10
#define HCCL_COMM_DEFAULT_BUFFSIZE        200u
#define HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET 0xffffffffu
#define COMM_NAME_MAX_LENGTH              128
#define UDI_MAX_LENGTH                    128
#define HCCL_COMM_ALGO_MAX_LENGTH         1600
#define HCCL_COMM_RETRY_ENABLE_MAX_LENGTH 50
#define HCCL_COMM_RETRY_PARAMS_MAX_LENGTH 128
#define BUFFER_NAME_MAX_LENGTH            128
typedef struct HcclCommConfigDef {
    char reserved[HCCL_COMM_CONFIG_INFO_BYTES]; /* size_t size, uint32_t magic word, uint32_t version, 8 zeros
                                                 */
    uint32_t hcclBufferSize;                    /* MB; 0xffffffff: HCCL_BUFFSIZE, else 200 */
    uint32_t hcclDeterministic;                 /* 0xffffffff: not set */
    char hcclCommName[COMM_NAME_MAX_LENGTH];    /* the same on all ranks; "": one of Belay's */
    char hcclUdi[UDI_MAX_LENGTH];
    uint32_t hcclOpExpansionMode;
    uint32_t hcclRdmaTrafficClass;
    uint32_t hcclRdmaServiceLevel;
    uint32_t hcclWorldRankID;
    uint64_t hcclJobID;
    uint8_t aclGraphZeroCopyEnable;
    int32_t
        hcclExecTimeOut; /* seconds for one collective, 0 for no limit; -1: HCCL_EXEC_TIMEOUT, else 1836 */
    char hcclAlgo[HCCL_COMM_ALGO_MAX_LENGTH];
    char hcclRetryEnable[HCCL_COMM_RETRY_ENABLE_MAX_LENGTH];
    char hcclRetryParams[HCCL_COMM_RETRY_PARAMS_MAX_LENGTH];
    char hcclBufferName[BUFFER_NAME_MAX_LENGTH];
    uint32_t hcclQos;
    uint64_t hcclSymWinMaxMemSizePerRank; /* GB */
} HcclCommConfig;

#ifdef __cplusplus
}
#endif

#endif
