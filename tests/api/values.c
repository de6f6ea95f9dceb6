/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The values of the public constants, written down a second time from the contract. They are part of the
 * binary interface: programs that were compiled elsewhere pass them as numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "aclnn/aclnn_base.h"
#include "api/constant.h"

static void enumerations_of_acl_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACL_PKG_NAME_CANN, 0),
                                                CONSTANT(ACL_PKG_NAME_RUNTIME, 1),
                                                CONSTANT(ACL_PKG_NAME_COMPILER, 2),
                                                CONSTANT(ACL_PKG_NAME_HCCL, 3),
                                                CONSTANT(ACL_PKG_NAME_TOOLKIT, 4),
                                                CONSTANT(ACL_PKG_NAME_OPP, 5),
                                                CONSTANT(ACL_PKG_NAME_OPP_KERNEL, 6),
                                                CONSTANT(ACL_PKG_NAME_DRIVER, 7),
                                                CONSTANT(ACL_CANN_ATTR_UNDEFINED, -1),
                                                CONSTANT(ACL_CANN_ATTR_INF_NAN, 0),
                                                CONSTANT(ACL_CANN_ATTR_BF16, 1),
                                                CONSTANT(ACL_CANN_ATTR_JIT_COMPILE, 2),
                                                CONSTANT(ACL_DT_UNDEFINED, -1),
                                                CONSTANT(ACL_FLOAT, 0),
                                                CONSTANT(ACL_FLOAT16, 1),
                                                CONSTANT(ACL_INT8, 2),
                                                CONSTANT(ACL_INT32, 3),
                                                CONSTANT(ACL_UINT8, 4),
                                                CONSTANT(ACL_INT16, 6),
                                                CONSTANT(ACL_UINT16, 7),
                                                CONSTANT(ACL_UINT32, 8),
                                                CONSTANT(ACL_INT64, 9),
                                                CONSTANT(ACL_UINT64, 10),
                                                CONSTANT(ACL_DOUBLE, 11),
                                                CONSTANT(ACL_BOOL, 12),
                                                CONSTANT(ACL_STRING, 13),
                                                CONSTANT(ACL_COMPLEX64, 16),
                                                CONSTANT(ACL_COMPLEX128, 17),
                                                CONSTANT(ACL_BF16, 27),
                                                CONSTANT(ACL_INT4, 29),
                                                CONSTANT(ACL_UINT1, 30),
                                                CONSTANT(ACL_COMPLEX32, 33),
                                                CONSTANT(ACL_HIFLOAT8, 34),
                                                CONSTANT(ACL_FLOAT8_E5M2, 35),
                                                CONSTANT(ACL_FLOAT8_E4M3FN, 36),
                                                CONSTANT(ACL_FLOAT8_E8M0, 37),
                                                CONSTANT(ACL_FLOAT6_E3M2, 38),
                                                CONSTANT(ACL_FLOAT6_E2M3, 39),
                                                CONSTANT(ACL_FLOAT4_E2M1, 40),
                                                CONSTANT(ACL_FLOAT4_E1M2, 41),
                                                CONSTANT(ACL_DEVICE_INFO_UNDEFINED, -1),
                                                CONSTANT(ACL_DEVICE_INFO_AI_CORE_NUM, 0),
                                                CONSTANT(ACL_DEVICE_INFO_VECTOR_CORE_NUM, 1),
                                                CONSTANT(ACL_DEVICE_INFO_L2_SIZE, 2),
                                                CONSTANT(ACL_FORMAT_UNDEFINED, -1),
                                                CONSTANT(ACL_FORMAT_NCHW, 0),
                                                CONSTANT(ACL_FORMAT_NHWC, 1),
                                                CONSTANT(ACL_FORMAT_ND, 2),
                                                CONSTANT(ACL_FORMAT_NC1HWC0, 3),
                                                CONSTANT(ACL_FORMAT_FRACTAL_Z, 4),
                                                CONSTANT(ACL_FORMAT_NC1HWC0_C04, 12),
                                                CONSTANT(ACL_FORMAT_HWCN, 16),
                                                CONSTANT(ACL_FORMAT_NDHWC, 27),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ, 29),
                                                CONSTANT(ACL_FORMAT_NCDHW, 30),
                                                CONSTANT(ACL_FORMAT_NDC1HWC0, 32),
                                                CONSTANT(ACL_FRACTAL_Z_3D, 33),
                                                CONSTANT(ACL_FORMAT_NC, 35),
                                                CONSTANT(ACL_FORMAT_NCL, 47),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ_C0_16, 50),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ_C0_32, 51),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ_C0_2, 52),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ_C0_4, 53),
                                                CONSTANT(ACL_FORMAT_FRACTAL_NZ_C0_8, 54),
                                                CONSTANT(ACL_DEBUG, 0),
                                                CONSTANT(ACL_INFO, 1),
                                                CONSTANT(ACL_WARNING, 2),
                                                CONSTANT(ACL_ERROR, 3),
                                                CONSTANT(ACL_MEMTYPE_DEVICE, 0),
                                                CONSTANT(ACL_MEMTYPE_HOST, 1),
                                                CONSTANT(ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT, 2),
                                                CONSTANT(ACL_OPT_DETERMINISTIC, 0),
                                                CONSTANT(ACL_OPT_ENABLE_DEBUG_KERNEL, 1),
                                                CONSTANT(ACL_OPT_STRONG_CONSISTENCY, 2),
                                                CONSTANT(ACL_OPT_ENABLE_KERNEL_EARLY_START, 3),
                                                CONSTANT(ACL_REG_TYPE_ACL_MODEL, 0),
                                                CONSTANT(ACL_REG_TYPE_ACL_OP_EXECUTOR, 1),
                                                CONSTANT(ACL_REG_TYPE_ACL_OP_CBLAS, 2),
                                                CONSTANT(ACL_REG_TYPE_ACL_OP_COMPILER, 3),
                                                CONSTANT(ACL_REG_TYPE_ACL_TDT_CHANNEL, 4),
                                                CONSTANT(ACL_REG_TYPE_ACL_TDT_QUEUE, 5),
                                                CONSTANT(ACL_REG_TYPE_ACL_DVPP, 6),
                                                CONSTANT(ACL_REG_TYPE_ACL_RETR, 7),
                                                CONSTANT(ACL_REG_TYPE_OTHER, 0xFFFF),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, 1),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_MODE_RELAXED, 2)};
    EXPECT_ALL(constants);
}

static void enumerations_of_the_runtime_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD, 1),
                                                CONSTANT(ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC, 2),
                                                CONSTANT(ACL_RT_BINARY_LOAD_OPT_MAGIC, 2),
                                                CONSTANT(ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, 3),
                                                CONSTANT(ACL_CALLBACK_NO_BLOCK, 0),
                                                CONSTANT(ACL_CALLBACK_BLOCK, 1),
                                                CONSTANT(ACL_RT_CMO_TYPE_PREFETCH, 0),
                                                CONSTANT(ACL_RT_CMO_TYPE_WRITEBACK, 1),
                                                CONSTANT(ACL_RT_CMO_TYPE_INVALID, 2),
                                                CONSTANT(ACL_RT_CMO_TYPE_FLUSH, 3),
                                                CONSTANT(ACL_RT_DEVICE_STATUS_NORMAL, 0),
                                                CONSTANT(ACL_RT_DEVICE_STATUS_ABNORMAL, 1),
                                                CONSTANT(ACL_RT_DEVICE_STATUS_END, 0xFFFF),
                                                CONSTANT(ACL_EVENT_RECORDED_STATUS_NOT_READY, 0),
                                                CONSTANT(ACL_EVENT_RECORDED_STATUS_COMPLETE, 1),
                                                CONSTANT(ACL_EVENT_STATUS_COMPLETE, 0),
                                                CONSTANT(ACL_EVENT_STATUS_NOT_READY, 1),
                                                CONSTANT(ACL_EVENT_STATUS_RESERVED, 2),
                                                CONSTANT(ACL_EVENT_WAIT_STATUS_COMPLETE, 0),
                                                CONSTANT(ACL_EVENT_WAIT_STATUS_NOT_READY, 1),
                                                CONSTANT(ACL_EVENT_WAIT_STATUS_RESERVED, 0xFFFF),
                                                CONSTANT(ACL_RT_OVERFLOW_MODE_SATURATION, 0),
                                                CONSTANT(ACL_RT_OVERFLOW_MODE_INFNAN, 1),
                                                CONSTANT(ACL_RT_OVERFLOW_MODE_UNDEF, 2),
                                                CONSTANT(ACL_GROUP_AICORE_INT, 0),
                                                CONSTANT(ACL_GROUP_AIV_INT, 1),
                                                CONSTANT(ACL_GROUP_AIC_INT, 2),
                                                CONSTANT(ACL_GROUP_SDMANUM_INT, 3),
                                                CONSTANT(ACL_GROUP_ASQNUM_INT, 4),
                                                CONSTANT(ACL_GROUP_GROUPID_INT, 5),
                                                CONSTANT(ACL_HOST_REGISTER_MAPPED, 0),
                                                CONSTANT(ACL_HOST_REGISTER_IOMEMORY, 0x04),
                                                CONSTANT(ACL_HOST_REGISTER_READONLY, 0x08),
                                                CONSTANT(ACL_RT_THREAD_LEVEL, 0),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, 1),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE, 2),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE, 2),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 3),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET, 4),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH, 5),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP, 6),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, 7),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, 8),
                                                CONSTANT(ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING, 9),
                                                CONSTANT(ACL_RT_MEM_ATTR_RSV, 0),
                                                CONSTANT(ACL_RT_MEM_ATTR_MODULE_ID, 1),
                                                CONSTANT(ACL_RT_MEM_ATTR_DEVICE_ID, 2),
                                                CONSTANT(ACL_RT_MEM_ATTR_VA_FLAG, 3),
                                                CONSTANT(ACL_MEM_ALLOCATION_TYPE_PINNED, 0),
                                                CONSTANT(ACL_DDR_MEM, 0),
                                                CONSTANT(ACL_HBM_MEM, 1),
                                                CONSTANT(ACL_DDR_MEM_HUGE, 2),
                                                CONSTANT(ACL_DDR_MEM_NORMAL, 3),
                                                CONSTANT(ACL_HBM_MEM_HUGE, 4),
                                                CONSTANT(ACL_HBM_MEM_NORMAL, 5),
                                                CONSTANT(ACL_DDR_MEM_P2P_HUGE, 6),
                                                CONSTANT(ACL_DDR_MEM_P2P_NORMAL, 7),
                                                CONSTANT(ACL_HBM_MEM_P2P_HUGE, 8),
                                                CONSTANT(ACL_HBM_MEM_P2P_NORMAL, 9),
                                                CONSTANT(ACL_HBM_MEM_HUGE1G, 10),
                                                CONSTANT(ACL_HBM_MEM_P2P_HUGE1G, 11),
                                                CONSTANT(ACL_MEM_NORMAL, 12),
                                                CONSTANT(ACL_MEM_HUGE, 13),
                                                CONSTANT(ACL_MEM_HUGE1G, 14),
                                                CONSTANT(ACL_MEM_P2P_NORMAL, 15),
                                                CONSTANT(ACL_MEM_P2P_HUGE, 16),
                                                CONSTANT(ACL_MEM_P2P_HUGE1G, 17),
                                                CONSTANT(ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, 0),
                                                CONSTANT(ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1),
                                                CONSTANT(ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, 0xFFFF),
                                                CONSTANT(ACL_MEM_HANDLE_TYPE_NONE, 0),
                                                CONSTANT(ACL_MEM_HANDLE_TYPE_POSIX, 2),
                                                CONSTANT(ACL_MEM_LOCATION_TYPE_HOST, 0),
                                                CONSTANT(ACL_MEM_LOCATION_TYPE_DEVICE, 1),
                                                CONSTANT(ACL_MEM_LOCATION_TYPE_UNREGISTERED, 2),
                                                CONSTANT(ACL_MEM_LOCATION_TYPE_MANAGED, 3),
                                                CONSTANT(ACL_MEM_LOCATION_TYPE_HOST_NUMA, 4),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE_FIRST, 0),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE_ONLY, 1),
                                                CONSTANT(ACL_MEM_MALLOC_NORMAL_ONLY, 2),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE_FIRST_P2P, 3),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE_ONLY_P2P, 4),
                                                CONSTANT(ACL_MEM_MALLOC_NORMAL_ONLY_P2P, 5),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE1G_ONLY, 6),
                                                CONSTANT(ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, 7),
                                                CONSTANT(ACL_MEM_TYPE_LOW_BAND_WIDTH, 0x0100),
                                                CONSTANT(ACL_MEM_TYPE_HIGH_BAND_WIDTH, 0x1000),
                                                CONSTANT(ACL_MEM_ACCESS_USER_SPACE_READONLY, 0x100000U),
                                                CONSTANT(ACL_MEMCPY_HOST_TO_HOST, 0),
                                                CONSTANT(ACL_MEMCPY_HOST_TO_DEVICE, 1),
                                                CONSTANT(ACL_MEMCPY_DEVICE_TO_HOST, 2),
                                                CONSTANT(ACL_MEMCPY_DEVICE_TO_DEVICE, 3),
                                                CONSTANT(ACL_MEMCPY_DEFAULT, 4),
                                                CONSTANT(ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, 5),
                                                CONSTANT(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, 6),
                                                CONSTANT(ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, 7),
                                                CONSTANT(ACL_DEVICE, 0),
                                                CONSTANT(ACL_HOST, 1),
                                                CONSTANT(ACL_RT_STREAM_WORK_ADDR_PTR, 0),
                                                CONSTANT(ACL_RT_STREAM_WORK_SIZE, 1),
                                                CONSTANT(ACL_RT_STREAM_FLAG, 2),
                                                CONSTANT(ACL_RT_STREAM_PRIORITY, 3),
                                                CONSTANT(ACL_STREAM_STATUS_COMPLETE, 0),
                                                CONSTANT(ACL_STREAM_STATUS_NOT_READY, 1),
                                                CONSTANT(ACL_STREAM_STATUS_RESERVED, 0xFFFF),
                                                CONSTANT(ACL_TS_ID_AICORE, 0),
                                                CONSTANT(ACL_TS_ID_AIVECTOR, 1),
                                                CONSTANT(ACL_TS_ID_RESERVED, 2),
                                                CONSTANT(ACL_DEV_ATTR_AICPU_CORE_NUM, 1),
                                                CONSTANT(ACL_DEV_ATTR_AICORE_CORE_NUM, 101),
                                                CONSTANT(ACL_DEV_ATTR_CUBE_CORE_NUM, 102),
                                                CONSTANT(ACL_DEV_ATTR_VECTOR_CORE_NUM, 201),
                                                CONSTANT(ACL_DEV_ATTR_WARP_SIZE, 202),
                                                CONSTANT(ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE, 203),
                                                CONSTANT(ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE, 204),
                                                CONSTANT(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 204),
                                                CONSTANT(ACL_DEV_ATTR_MAX_GRID_DIM_X, 205),
                                                CONSTANT(ACL_DEV_ATTR_MAX_GRID_DIM_Y, 206),
                                                CONSTANT(ACL_DEV_ATTR_MAX_GRID_DIM_Z, 207),
                                                CONSTANT(ACL_DEV_ATTR_MAX_BLOCK_PER_GRID, 208),
                                                CONSTANT(ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK, 209),
                                                CONSTANT(ACL_DEV_ATTR_MAX_BLOCK_DIM_X, 210),
                                                CONSTANT(ACL_DEV_ATTR_MAX_BLOCK_DIM_Y, 211),
                                                CONSTANT(ACL_DEV_ATTR_MAX_BLOCK_DIM_Z, 212),
                                                CONSTANT(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, 301),
                                                CONSTANT(ACL_DEV_ATTR_L2_CACHE_SIZE, 302),
                                                CONSTANT(ACL_DEV_ATTR_SMP_ID, 401U),
                                                CONSTANT(ACL_DEV_ATTR_PHY_CHIP_ID, 402U),
                                                CONSTANT(ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID, 403U),
                                                CONSTANT(ACL_DEV_ATTR_SUPER_POD_DEVICE_ID, 403U),
                                                CONSTANT(ACL_DEV_ATTR_SUPER_POD_SERVER_ID, 404U),
                                                CONSTANT(ACL_DEV_ATTR_SUPER_POD_ID, 405U),
                                                CONSTANT(ACL_DEV_ATTR_CUST_OP_PRIVILEGE, 406U),
                                                CONSTANT(ACL_DEV_ATTR_MAINBOARD_ID, 407U),
                                                CONSTANT(ACL_DEV_ATTR_HD_CONNECT_TYPE, 408U),
                                                CONSTANT(ACL_DEV_ATTR_DEVICE_FORM_FACTOR, 409U),
                                                CONSTANT(ACL_DEV_ATTR_IS_VIRTUAL, 501U),
                                                CONSTANT(ACL_DEV_ATTR_NPU_ARCH, 601U),
                                                CONSTANT(ACL_RT_DEV_RES_CUBE_CORE, 0),
                                                CONSTANT(ACL_RT_DEV_RES_VECTOR_CORE, 1),
                                                CONSTANT(ACL_STREAM_ATTR_FAILURE_MODE, 1),
                                                CONSTANT(ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, 2),
                                                CONSTANT(ACL_STREAM_ATTR_USER_CUSTOM_TAG, 3),
                                                CONSTANT(ACL_STREAM_ATTR_CACHE_OP_INFO, 4),
                                                CONSTANT(ACL_STREAM_ATTR_PRIORITY, 5),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_STATUS_NONE, 0),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, 1),
                                                CONSTANT(ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED, 2)};
    EXPECT_ALL(constants);
}

static void enumerations_of_the_other_headers_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACL_PRECISION_MODE, 0),
                                                CONSTANT(ACL_AICORE_NUM, 1),
                                                CONSTANT(ACL_AUTO_TUNE_MODE, 2),
                                                CONSTANT(ACL_OP_SELECT_IMPL_MODE, 3),
                                                CONSTANT(ACL_OPTYPELIST_FOR_IMPLMODE, 4),
                                                CONSTANT(ACL_OP_DEBUG_LEVEL, 5),
                                                CONSTANT(ACL_DEBUG_DIR, 6),
                                                CONSTANT(ACL_OP_COMPILER_CACHE_MODE, 7),
                                                CONSTANT(ACL_OP_COMPILER_CACHE_DIR, 8),
                                                CONSTANT(ACL_OP_PERFORMANCE_MODE, 9),
                                                CONSTANT(ACL_OP_JIT_COMPILE, 10),
                                                CONSTANT(ACL_OP_DETERMINISTIC, 11),
                                                CONSTANT(ACL_CUSTOMIZE_DTYPES, 12),
                                                CONSTANT(ACL_OP_PRECISION_MODE, 13),
                                                CONSTANT(ACL_ALLOW_HF32, 14),
                                                CONSTANT(ACL_PRECISION_MODE_V2, 15),
                                                CONSTANT(ACL_OP_DEBUG_OPTION, 16),
                                                CONSTANT(ACL_OP_COMPILE_DEFAULT, 0),
                                                CONSTANT(ACL_OP_COMPILE_FUZZ, 1),
                                                CONSTANT(ACL_COMPILE_SYS, 0),
                                                CONSTANT(ACL_COMPILE_UNREGISTERED, 1),
                                                CONSTANT(ACL_ENGINE_SYS, 0),
                                                CONSTANT(ACL_ENGINE_AICORE, 1),
                                                CONSTANT(ACL_ENGINE_VECTOR, 2),
                                                CONSTANT(ACL_AICORE_ARITHMETIC_UTILIZATION, 0),
                                                CONSTANT(ACL_AICORE_PIPE_UTILIZATION, 1),
                                                CONSTANT(ACL_AICORE_MEMORY_BANDWIDTH, 2),
                                                CONSTANT(ACL_AICORE_L0B_AND_WIDTH, 3),
                                                CONSTANT(ACL_AICORE_RESOURCE_CONFLICT_RATIO, 4),
                                                CONSTANT(ACL_AICORE_MEMORY_UB, 5),
                                                CONSTANT(ACL_AICORE_L2_CACHE, 6),
                                                CONSTANT(ACL_AICORE_PIPE_EXECUTE_UTILIZATION, 7),
                                                CONSTANT(ACL_AICORE_MEMORY_ACCESS, 8),
                                                CONSTANT(ACL_AICORE_NONE, 0xFF),
                                                CONSTANT(ACL_PROF_ARGS_MIN, 0),
                                                CONSTANT(ACL_PROF_STORAGE_LIMIT, 1),
                                                CONSTANT(ACL_PROF_SYS_HARDWARE_MEM_FREQ, 3),
                                                CONSTANT(ACL_PROF_LLC_MODE, 4),
                                                CONSTANT(ACL_PROF_SYS_IO_FREQ, 5),
                                                CONSTANT(ACL_PROF_SYS_INTERCONNECTION_FREQ, 6),
                                                CONSTANT(ACL_PROF_DVPP_FREQ, 7),
                                                CONSTANT(ACL_PROF_HOST_SYS, 8),
                                                CONSTANT(ACL_PROF_HOST_SYS_USAGE, 9),
                                                CONSTANT(ACL_PROF_HOST_SYS_USAGE_FREQ, 10),
                                                CONSTANT(ACL_PROF_LOW_POWER_FREQ, 11),
                                                CONSTANT(ACL_PROF_SYS_MEM_SERVICEFLOW, 12),
                                                CONSTANT(ACL_PROF_SYS_CPU_FREQ, 13),
                                                CONSTANT(ACL_PROF_OPTYPE, 14),
                                                CONSTANT(ACL_PROF_NTS_METRICS, 15),
                                                CONSTANT(ACL_PROF_PATH, 16),
                                                CONSTANT(ACL_PROF_ARGS_MAX, 17),
                                                CONSTANT(ACL_STEP_START, 0),
                                                CONSTANT(ACL_STEP_END, 1)};
    EXPECT_ALL(constants);
}

static void macros_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACL_MAJOR_VERSION, 1),
                                                CONSTANT(ACL_MINOR_VERSION, 13),
                                                CONSTANT(ACL_PATCH_VERSION, 0),
                                                CONSTANT(ACL_PKG_VERSION_MAX_SIZE, 128),
                                                CONSTANT(ACL_PKG_VERSION_PARTS_MAX_SIZE, 64),
                                                CONSTANT(ACL_TENSOR_SHAPE_RANGE_NUM, 2),
                                                CONSTANT(ACL_TENSOR_VALUE_RANGE_NUM, 2),
                                                CONSTANT(ACL_UNKNOWN_RANK, -2),
                                                CONSTANT(ACL_EVENT_SYNC, 0x00000001u),
                                                CONSTANT(ACL_EVENT_CAPTURE_STREAM_PROGRESS, 0x00000002u),
                                                CONSTANT(ACL_EVENT_TIME_LINE, 0x00000008u),
                                                CONSTANT(ACL_EVENT_EXTERNAL, 0x00000020u),
                                                CONSTANT(ACL_STREAM_FAST_LAUNCH, 0x00000001u),
                                                CONSTANT(ACL_STREAM_FAST_SYNC, 0x00000002u),
                                                CONSTANT(ACL_CONTINUE_ON_FAILURE, 0x00000000u),
                                                CONSTANT(ACL_STOP_ON_FAILURE, 0x00000001u),
                                                CONSTANT(ACL_PROF_ACL_API, 0x00000001ULL),
                                                CONSTANT(ACL_PROF_TASK_TIME, 0x00000002ULL),
                                                CONSTANT(ACL_PROF_AICORE_METRICS, 0x00000004ULL),
                                                CONSTANT(ACL_PROF_AICPU, 0x00000008ULL),
                                                CONSTANT(ACL_PROF_L2CACHE, 0x00000010ULL),
                                                CONSTANT(ACL_PROF_HCCL_TRACE, 0x00000020ULL),
                                                CONSTANT(ACL_PROF_TRAINING_TRACE, 0x00000040ULL),
                                                CONSTANT(ACL_PROF_MSPROFTX, 0x00000080ULL),
                                                CONSTANT(ACL_PROF_RUNTIME_API, 0x00000100ULL),
                                                CONSTANT(ACL_PROF_TASK_TIME_L0, 0x00000800ULL),
                                                CONSTANT(ACL_PROF_TASK_MEMORY, 0x00001000ULL),
                                                CONSTANT(ACL_PROF_OP_ATTR, 0x00004000ULL),
                                                CONSTANT(ACL_PROF_MAX_OP_NAME_LEN, 257),
                                                CONSTANT(ACL_PROF_MAX_OP_TYPE_LEN, 65),
                                                CONSTANT(ACL_OP_DUMP_OP_AICORE_ARGS, 0x00000001U),
                                                CONSTANT(ACL_EVENT_DEVICE_USE_ONLY, 0x10),
                                                CONSTANT(ACL_EVENT_IPC, 0x40),
                                                CONSTANT(ACL_STREAM_PERSISTENT, 4),
                                                CONSTANT(ACL_STREAM_HUGE, 8),
                                                CONSTANT(ACL_STREAM_CPU_SCHEDULE, 0x10),
                                                CONSTANT(ACL_STREAM_DEVICE_USE_ONLY, 0x20),
                                                CONSTANT(ACL_IPC_EVENT_HANDLE_SIZE, 64)};
    EXPECT_ALL(constants);
}

#define EXPECT_MEMBER(type, member, place) assert_int_equal(offsetof(type, member), place)

static void structures_have_their_layout(void **state)
{
    (void)state;
    assert_int_equal(sizeof(aclDataType), 4);
    assert_int_equal(sizeof(aclrtMemMallocPolicy), 4);
    assert_int_equal(sizeof(aclrtMemLocation), 8);
    EXPECT_MEMBER(aclrtMemLocation, type, 4);
    assert_int_equal(sizeof(aclrtPhysicalMemProp), 32);
    EXPECT_MEMBER(aclrtPhysicalMemProp, allocationType, 4);
    EXPECT_MEMBER(aclrtPhysicalMemProp, memAttr, 8);
    EXPECT_MEMBER(aclrtPhysicalMemProp, location, 12);
    EXPECT_MEMBER(aclrtPhysicalMemProp, reserve, 24);
    assert_int_equal(sizeof(aclrtPtrAttributes), 28);
    EXPECT_MEMBER(aclrtPtrAttributes, pageSize, 8);
    assert_int_equal(sizeof(aclrtMallocAttrValue), 8);
    assert_int_equal(sizeof(aclrtMallocAttribute), 12);
    EXPECT_MEMBER(aclrtMallocConfig, numAttrs, 8);
    assert_int_equal(sizeof(aclrtUtilizationInfo), 24);
    EXPECT_MEMBER(aclrtUtilizationInfo, utilizationExtend, 16);
    assert_int_equal(sizeof(aclrtMemUsageInfo), 112);
    EXPECT_MEMBER(aclrtMemUsageInfo, memPeakSize, 40);
    assert_int_equal(sizeof(aclrtMemcpyBatchAttr), 32);
    assert_int_equal(sizeof(aclrtUuid), 16);
    assert_int_equal(sizeof(aclrtIpcEventHandle), 64);
    assert_int_equal(sizeof(aclrtStreamConfigHandle), 32);
    EXPECT_MEMBER(aclrtStreamConfigHandle, priority, 24);
    assert_int_equal(sizeof(aclrtStreamAttrValue), 16);
    assert_int_equal(sizeof(aclCANNPackageVersion), 2 * 128 + 4 * 64);
    EXPECT_MEMBER(aclCANNPackageVersion, releaseVersion, 128 + 2 * 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(enumerations_of_acl_have_their_values),
        cmocka_unit_test(enumerations_of_the_runtime_have_their_values),
        cmocka_unit_test(enumerations_of_the_other_headers_have_their_values),
        cmocka_unit_test(macros_have_their_values),
        cmocka_unit_test(structures_have_their_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
