/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What everything in acl rests on: status codes, handles, data types and formats, half precision, the log and
 * the facts about the product.
 *
 * True of every acl and aclrt function, and not repeated at each:
 * - It returns 0 (ACL_SUCCESS) or a code; aclGetRecentErrMsg() then has the reason in a sentence.
 * - Any thread may call it at any time.
 * - Handles are looked up and never dereferenced: one that is stale, foreign or of another kind is refused.
 * - What is passed by pointer is read or written before the call returns and not kept, unless it says so.
 * - Besides the codes listed: 100000 when an environment variable is set to something that is not understood
 *   (docs/environment.md), 107002 in the child of a fork() of a process that had used the library, 200000
 *   when the memory for the library's own objects runs out.
 * A "not supported" function is there so that programs link; it changes nothing and returns 200001.
 */
/* PyTorch for Ascend brings this header, too: where a program has both, that one is it, as it defines the same. */
#if defined(__has_include) && __has_include(<third_party/acl/inc/acl/acl_base_rt.h>)
#include <third_party/acl/inc/acl/acl_base_rt.h>
#elif !defined(BELAY_ACL_ACL_BASE_RT_H)
#define BELAY_ACL_ACL_BASE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/error_codes/ge_error_codes.h"
#include "acl/error_codes/rt_error_codes.h"
#include "acl/error_codes/status_code.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef int aclError;
typedef uint16_t aclFloat16; /* the bits of an IEEE 754 binary16 number */
typedef void *aclrtStream;
typedef void *aclrtTaskGrp;
typedef void *aclrtEvent;
typedef void *aclrtContext;

BELAY_STATUS_CODE(aclError, ACL_SUCCESS, 0);
BELAY_STATUS_CODE(aclError, ACL_ERROR_NONE, 0);

/* The program's mistake. A comment stands above a code that Belay returns. */
/* An argument that is never valid: NULL, a value outside its enumeration, a size of 0. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_PARAM, 100000);
BELAY_STATUS_CODE(aclError, ACL_ERROR_UNINITIALIZE, 100001);
/* aclInit when it had been called before. The call counts; programs may go on. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_REPEAT_INITIALIZE, 100002);
/* A file that cannot be read. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_FILE, 100003);
BELAY_STATUS_CODE(aclError, ACL_ERROR_WRITE_FILE, 100004);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_FILE_SIZE, 100005);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PARSE_FILE, 100006);
BELAY_STATUS_CODE(aclError, ACL_ERROR_FILE_MISSING_ATTR, 100007);
BELAY_STATUS_CODE(aclError, ACL_ERROR_FILE_ATTR_INVALID, 100008);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_DUMP_CONFIG, 100009);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_PROFILING_CONFIG, 100010);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_MODEL_ID, 100011);
BELAY_STATUS_CODE(aclError, ACL_ERROR_DESERIALIZE_MODEL, 100012);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PARSE_MODEL, 100013);
BELAY_STATUS_CODE(aclError, ACL_ERROR_READ_MODEL_FAILURE, 100014);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MODEL_SIZE_INVALID, 100015);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MODEL_MISSING_ATTR, 100016);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MODEL_INPUT_NOT_MATCH, 100017);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, 100018);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MODEL_NOT_DYNAMIC, 100019);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_TYPE_NOT_MATCH, 100020);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_INPUT_NOT_MATCH, 100021);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_OUTPUT_NOT_MATCH, 100022);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_ATTR_NOT_MATCH, 100023);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_NOT_FOUND, 100024);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_LOAD_FAILED, 100025);
BELAY_STATUS_CODE(aclError, ACL_ERROR_UNSUPPORTED_DATA_TYPE, 100026);
BELAY_STATUS_CODE(aclError, ACL_ERROR_FORMAT_NOT_MATCH, 100027);
BELAY_STATUS_CODE(aclError, ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, 100028);
BELAY_STATUS_CODE(aclError, ACL_ERROR_KERNEL_NOT_FOUND, 100029);
BELAY_STATUS_CODE(aclError, ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, 100030);
BELAY_STATUS_CODE(aclError, ACL_ERROR_KERNEL_ALREADY_REGISTERED, 100031);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_QUEUE_ID, 100032);
BELAY_STATUS_CODE(aclError, ACL_ERROR_REPEAT_SUBSCRIBE, 100033);
BELAY_STATUS_CODE(aclError, ACL_ERROR_STREAM_NOT_SUBSCRIBE, 100034);
BELAY_STATUS_CODE(aclError, ACL_ERROR_THREAD_NOT_SUBSCRIBE, 100035);
BELAY_STATUS_CODE(aclError, ACL_ERROR_WAIT_CALLBACK_TIMEOUT, 100036);
/* aclFinalize, or the last aclFinalizeReference, when everything was finalised. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_REPEAT_FINALIZE, 100037);
BELAY_STATUS_CODE(aclError, ACL_ERROR_NOT_STATIC_AIPP, 100038);
BELAY_STATUS_CODE(aclError, ACL_ERROR_COMPILING_STUB_MODE, 100039);
BELAY_STATUS_CODE(aclError, ACL_ERROR_GROUP_NOT_SET, 100040);
BELAY_STATUS_CODE(aclError, ACL_ERROR_GROUP_NOT_CREATE, 100041);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROF_ALREADY_RUN, 100042);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROF_NOT_RUN, 100043);
BELAY_STATUS_CODE(aclError, ACL_ERROR_DUMP_ALREADY_RUN, 100044);
BELAY_STATUS_CODE(aclError, ACL_ERROR_DUMP_NOT_RUN, 100045);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROF_REPEAT_SUBSCRIBE, 148046);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROF_API_CONFLICT, 148047);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG, 148048);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_OPP_PATH, 148049);
BELAY_STATUS_CODE(aclError, ACL_ERROR_OP_UNSUPPORTED_DYNAMIC, 148050);
BELAY_STATUS_CODE(aclError, ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED, 148051);
BELAY_STATUS_CODE(aclError, ACL_ERROR_UNSUPPORTED_JPEG, 148052);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_BUNDLE_MODEL_ID, 148053);

/* The request is fine, but cannot be met. */
/* Memory for the library's own objects ran out. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_BAD_ALLOC, 200000);
/* The function is declared but not part of this library; aclGetRecentErrMsg() has its name. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_API_NOT_SUPPORT, 200001);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_DEVICE, 200002);
BELAY_STATUS_CODE(aclError, ACL_ERROR_MEMORY_ADDRESS_UNALIGNED, 200003);
BELAY_STATUS_CODE(aclError, ACL_ERROR_RESOURCE_NOT_MATCH, 200004);
BELAY_STATUS_CODE(aclError, ACL_ERROR_INVALID_RESOURCE_HANDLE, 200005);
BELAY_STATUS_CODE(aclError, ACL_ERROR_FEATURE_UNSUPPORTED, 200006);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROF_MODULES_UNSUPPORTED, 200007);
BELAY_STATUS_CODE(aclError, ACL_ERROR_STORAGE_OVER_LIMIT, 300000);

/* Something failed inside. */
BELAY_STATUS_CODE(aclError, ACL_ERROR_INTERNAL_ERROR, 500000);
BELAY_STATUS_CODE(aclError, ACL_ERROR_FAILURE, 500001);
BELAY_STATUS_CODE(aclError, ACL_ERROR_GE_FAILURE, 500002);
BELAY_STATUS_CODE(aclError, ACL_ERROR_RT_FAILURE, 500003);
BELAY_STATUS_CODE(aclError, ACL_ERROR_DRV_FAILURE, 500004);
BELAY_STATUS_CODE(aclError, ACL_ERROR_PROFILING_FAILURE, 500005);

typedef enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12, /* one byte; false is 0 */
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,  /* two FLOAT, the real part first */
    ACL_COMPLEX128 = 17, /* two DOUBLE */
    ACL_BF16 = 27,       /* the upper half of a FLOAT */
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33, /* two FLOAT16 */
    /* From here on: newer toolkits only. */
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37,
    ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39,
    ACL_FLOAT4_E2M1 = 40,
    ACL_FLOAT4_E1M2 = 41,
} aclDataType;

/* How the dims of a tensor are to be understood. Belay takes every format as plain dims (ND). */
typedef enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    /* From here on: newer toolkits only. */
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
} aclFormat;

typedef enum aclLogLevel {
    ACL_DEBUG = 0,
    ACL_INFO = 1,
    ACL_WARNING = 2,
    ACL_ERROR = 3,
} aclLogLevel;

typedef enum aclMemType {
    ACL_MEMTYPE_DEVICE = 0,
    ACL_MEMTYPE_HOST = 1,
    ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT = 2,
} aclMemType;

typedef enum aclCannAttr {
    ACL_CANN_ATTR_UNDEFINED = -1,
    ACL_CANN_ATTR_INF_NAN = 0,     /* infinities and NaN are computed with, not saturated */
    ACL_CANN_ATTR_BF16 = 1,        /* the product has bfloat16 */
    ACL_CANN_ATTR_JIT_COMPILE = 2, /* operators are compiled when called */
} aclCannAttr;

typedef enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2, /* bytes */
} aclDeviceInfo;

/*
 * The value of a half-precision number. There are no infinities and no NaN in this encoding: exponent 31 is
 * one more binade, so that 0x7C00 is 65536 and 0x7E00 is 98304. (Operators follow IEEE 754 instead.)
 * Never fails.
 */
float aclFloat16ToFloat(aclFloat16 value);

/*
 * The nearest half-precision number, ties to even; subnormals are kept. Infinities, NaN and everything from
 * 65520 on become +-65504 (0x7BFF, 0xFBFF), with the sign of the value. Never fails.
 */
aclFloat16 aclFloatToFloat16(float value);

/*
 * Bytes of one element: 1 for BOOL, INT8, UINT8, INT4, UINT1, HIFLOAT8 and FLOAT8_*; 2 for FLOAT16, BF16,
 * INT16, UINT16; 4 for FLOAT, INT32, UINT32, COMPLEX32; 16 for COMPLEX128; 0 for STRING and UNDEFINED; 8 for
 * everything else, unknown values and the 4- and 6-bit floats included. Never fails.
 */
size_t aclDataTypeSize(aclDataType dataType);

/*
 * Writes a line to the log as module APP, if ASCEND_GLOBAL_LOG_LEVEL or ASCEND_MODULE_LOG_LEVEL lets
 * logLevel through (docs/environment.md). func, file and line say where the program is; fmt is printf's. A
 * NULL func, file or fmt drops the line.
 */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* aclAppLog with the place filled in: ACL_APP_LOG(ACL_INFO, "%d elements", count). */
#define ACL_APP_LOG(level, ...) aclAppLog(level, __func__, __FILE__, __LINE__, __VA_ARGS__)

/*
 * The name of the product whose rules apply (BELAY_SOC), such as "Ascend910B3". A static string; NULL when
 * the environment is not understood. Needs no device.
 */
const char *aclrtGetSocName(void);

/* All attributes: *cannAttrList points to *num entries in static memory. 100000: an argument is NULL. */
aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num);

/* *value is 1 where the product has the attribute, else 0. 100000: value is NULL, or no such attribute. */
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value);

/* A figure of the device: cores are the threads that compute. 100000: value is NULL, no such deviceId or no
 * such deviceInfo. */
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
