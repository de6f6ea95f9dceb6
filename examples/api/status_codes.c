/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The values of the status codes, written down a second time from the contract. They are part of the binary
 * interface: programs that were compiled elsewhere compare with the numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

struct constant {
    const char *name;
    long long found;
    long long expected;
};

#define CONSTANT(name, value)           \
    {                                   \
#name, (long long)(name), value \
    }

static void expect_all(const struct constant *constants, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (constants[i].found != constants[i].expected)
            fail_msg("%s is %lld; %lld is expected", constants[i].name, constants[i].found,
                     constants[i].expected);
}

#define EXPECT_ALL(constants) expect_all(constants, sizeof constants / sizeof constants[0])

static void codes_of_acl_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACL_SUCCESS, 0),
                                                CONSTANT(ACL_ERROR_NONE, 0),
                                                CONSTANT(ACL_RT_SUCCESS, 0),
                                                CONSTANT(ACL_ERROR_INVALID_PARAM, 100000),
                                                CONSTANT(ACL_ERROR_UNINITIALIZE, 100001),
                                                CONSTANT(ACL_ERROR_REPEAT_INITIALIZE, 100002),
                                                CONSTANT(ACL_ERROR_INVALID_FILE, 100003),
                                                CONSTANT(ACL_ERROR_WRITE_FILE, 100004),
                                                CONSTANT(ACL_ERROR_INVALID_FILE_SIZE, 100005),
                                                CONSTANT(ACL_ERROR_PARSE_FILE, 100006),
                                                CONSTANT(ACL_ERROR_FILE_MISSING_ATTR, 100007),
                                                CONSTANT(ACL_ERROR_FILE_ATTR_INVALID, 100008),
                                                CONSTANT(ACL_ERROR_INVALID_DUMP_CONFIG, 100009),
                                                CONSTANT(ACL_ERROR_INVALID_PROFILING_CONFIG, 100010),
                                                CONSTANT(ACL_ERROR_INVALID_MODEL_ID, 100011),
                                                CONSTANT(ACL_ERROR_DESERIALIZE_MODEL, 100012),
                                                CONSTANT(ACL_ERROR_PARSE_MODEL, 100013),
                                                CONSTANT(ACL_ERROR_READ_MODEL_FAILURE, 100014),
                                                CONSTANT(ACL_ERROR_MODEL_SIZE_INVALID, 100015),
                                                CONSTANT(ACL_ERROR_MODEL_MISSING_ATTR, 100016),
                                                CONSTANT(ACL_ERROR_MODEL_INPUT_NOT_MATCH, 100017),
                                                CONSTANT(ACL_ERROR_MODEL_OUTPUT_NOT_MATCH, 100018),
                                                CONSTANT(ACL_ERROR_MODEL_NOT_DYNAMIC, 100019),
                                                CONSTANT(ACL_ERROR_OP_TYPE_NOT_MATCH, 100020),
                                                CONSTANT(ACL_ERROR_OP_INPUT_NOT_MATCH, 100021),
                                                CONSTANT(ACL_ERROR_OP_OUTPUT_NOT_MATCH, 100022),
                                                CONSTANT(ACL_ERROR_OP_ATTR_NOT_MATCH, 100023),
                                                CONSTANT(ACL_ERROR_OP_NOT_FOUND, 100024),
                                                CONSTANT(ACL_ERROR_OP_LOAD_FAILED, 100025),
                                                CONSTANT(ACL_ERROR_UNSUPPORTED_DATA_TYPE, 100026),
                                                CONSTANT(ACL_ERROR_FORMAT_NOT_MATCH, 100027),
                                                CONSTANT(ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED, 100028),
                                                CONSTANT(ACL_ERROR_KERNEL_NOT_FOUND, 100029),
                                                CONSTANT(ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, 100030),
                                                CONSTANT(ACL_ERROR_KERNEL_ALREADY_REGISTERED, 100031),
                                                CONSTANT(ACL_ERROR_INVALID_QUEUE_ID, 100032),
                                                CONSTANT(ACL_ERROR_REPEAT_SUBSCRIBE, 100033),
                                                CONSTANT(ACL_ERROR_STREAM_NOT_SUBSCRIBE, 100034),
                                                CONSTANT(ACL_ERROR_THREAD_NOT_SUBSCRIBE, 100035),
                                                CONSTANT(ACL_ERROR_WAIT_CALLBACK_TIMEOUT, 100036),
                                                CONSTANT(ACL_ERROR_REPEAT_FINALIZE, 100037),
                                                CONSTANT(ACL_ERROR_NOT_STATIC_AIPP, 100038),
                                                CONSTANT(ACL_ERROR_COMPILING_STUB_MODE, 100039),
                                                CONSTANT(ACL_ERROR_GROUP_NOT_SET, 100040),
                                                CONSTANT(ACL_ERROR_GROUP_NOT_CREATE, 100041),
                                                CONSTANT(ACL_ERROR_PROF_ALREADY_RUN, 100042),
                                                CONSTANT(ACL_ERROR_PROF_NOT_RUN, 100043),
                                                CONSTANT(ACL_ERROR_DUMP_ALREADY_RUN, 100044),
                                                CONSTANT(ACL_ERROR_DUMP_NOT_RUN, 100045),
                                                CONSTANT(ACL_ERROR_PROF_REPEAT_SUBSCRIBE, 148046),
                                                CONSTANT(ACL_ERROR_PROF_API_CONFLICT, 148047),
                                                CONSTANT(ACL_ERROR_INVALID_MAX_OPQUEUE_NUM_CONFIG, 148048),
                                                CONSTANT(ACL_ERROR_INVALID_OPP_PATH, 148049),
                                                CONSTANT(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC, 148050),
                                                CONSTANT(ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED, 148051),
                                                CONSTANT(ACL_ERROR_UNSUPPORTED_JPEG, 148052),
                                                CONSTANT(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, 148053),
                                                CONSTANT(ACL_ERROR_BAD_ALLOC, 200000),
                                                CONSTANT(ACL_ERROR_API_NOT_SUPPORT, 200001),
                                                CONSTANT(ACL_ERROR_INVALID_DEVICE, 200002),
                                                CONSTANT(ACL_ERROR_MEMORY_ADDRESS_UNALIGNED, 200003),
                                                CONSTANT(ACL_ERROR_RESOURCE_NOT_MATCH, 200004),
                                                CONSTANT(ACL_ERROR_INVALID_RESOURCE_HANDLE, 200005),
                                                CONSTANT(ACL_ERROR_FEATURE_UNSUPPORTED, 200006),
                                                CONSTANT(ACL_ERROR_PROF_MODULES_UNSUPPORTED, 200007),
                                                CONSTANT(ACL_ERROR_STORAGE_OVER_LIMIT, 300000),
                                                CONSTANT(ACL_ERROR_INTERNAL_ERROR, 500000),
                                                CONSTANT(ACL_ERROR_FAILURE, 500001),
                                                CONSTANT(ACL_ERROR_GE_FAILURE, 500002),
                                                CONSTANT(ACL_ERROR_RT_FAILURE, 500003),
                                                CONSTANT(ACL_ERROR_DRV_FAILURE, 500004),
                                                CONSTANT(ACL_ERROR_PROFILING_FAILURE, 500005)};
    EXPECT_ALL(constants);
}

static void codes_of_the_runtime_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {
        CONSTANT(ACL_ERROR_RT_PARAM_INVALID, 107000),
        CONSTANT(ACL_ERROR_RT_INVALID_DEVICEID, 107001),
        CONSTANT(ACL_ERROR_RT_CONTEXT_NULL, 107002),
        CONSTANT(ACL_ERROR_RT_STREAM_CONTEXT, 107003),
        CONSTANT(ACL_ERROR_RT_MODEL_CONTEXT, 107004),
        CONSTANT(ACL_ERROR_RT_STREAM_MODEL, 107005),
        CONSTANT(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, 107006),
        CONSTANT(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, 107007),
        CONSTANT(ACL_ERROR_RT_ADDR_UNALIGNED, 107008),
        CONSTANT(ACL_ERROR_RT_FILE_OPEN, 107009),
        CONSTANT(ACL_ERROR_RT_FILE_WRITE, 107010),
        CONSTANT(ACL_ERROR_RT_STREAM_SUBSCRIBE, 107011),
        CONSTANT(ACL_ERROR_RT_THREAD_SUBSCRIBE, 107012),
        CONSTANT(ACL_ERROR_RT_GROUP_NOT_SET, 107013),
        CONSTANT(ACL_ERROR_RT_GROUP_NOT_CREATE, 107014),
        CONSTANT(ACL_ERROR_RT_STREAM_NO_CB_REG, 107015),
        CONSTANT(ACL_ERROR_RT_INVALID_MEMORY_TYPE, 107016),
        CONSTANT(ACL_ERROR_RT_INVALID_HANDLE, 107017),
        CONSTANT(ACL_ERROR_RT_INVALID_MALLOC_TYPE, 107018),
        CONSTANT(ACL_ERROR_RT_WAIT_TIMEOUT, 107019),
        CONSTANT(ACL_ERROR_RT_TASK_TIMEOUT, 107020),
        CONSTANT(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, 107021),
        CONSTANT(ACL_ERROR_RT_DEVICE_TASK_ABORT, 107022),
        CONSTANT(ACL_ERROR_RT_STREAM_ABORT, 107023),
        CONSTANT(ACL_ERROR_RT_CAPTURE_DEPENDENCY, 107024),
        CONSTANT(ACL_ERROR_RT_STREAM_UNJOINED, 107025),
        CONSTANT(ACL_ERROR_RT_MODEL_CAPTURED, 107026),
        CONSTANT(ACL_ERROR_RT_STREAM_CAPTURED, 107027),
        CONSTANT(ACL_ERROR_RT_EVENT_CAPTURED, 107028),
        CONSTANT(ACL_ERROR_RT_STREAM_NOT_CAPTURED, 107029),
        CONSTANT(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, 107030),
        CONSTANT(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, 107031),
        CONSTANT(ACL_ERROR_STREAM_CAPTURE_CONFLICT, 107032),
        CONSTANT(ACL_ERROR_STREAM_TASK_GROUP_STATUS, 107033),
        CONSTANT(ACL_ERROR_STREAM_TASK_GROUP_INTR, 107034),
        CONSTANT(ACL_ERROR_RT_TASK_ABORT_STOP, 107035),
        CONSTANT(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, 107036),
        CONSTANT(ACL_ERROR_RT_MODEL_RUNNING, 107037),
        CONSTANT(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, 107038),
        CONSTANT(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY, 107039),
        CONSTANT(ACL_ERROR_RT_MODEL_UPDATE_FAILED, 107040),
        CONSTANT(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, 107041),
        CONSTANT(ACL_ERROR_RT_SYMBOL_NOT_FOUND, 107042),
        CONSTANT(ACL_ERROR_RT_INVALID_SYMBOL, 107043),
        CONSTANT(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, 107044),
        CONSTANT(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, 107045),
        CONSTANT(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 207000),
        CONSTANT(ACL_ERROR_RT_MEMORY_ALLOCATION, 207001),
        CONSTANT(ACL_ERROR_RT_MEMORY_FREE, 207002),
        CONSTANT(ACL_ERROR_RT_AICORE_OVER_FLOW, 207003),
        CONSTANT(ACL_ERROR_RT_NO_DEVICE, 207004),
        CONSTANT(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, 207005),
        CONSTANT(ACL_ERROR_RT_NO_PERMISSION, 207006),
        CONSTANT(ACL_ERROR_RT_NO_EVENT_RESOURCE, 207007),
        CONSTANT(ACL_ERROR_RT_NO_STREAM_RESOURCE, 207008),
        CONSTANT(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, 207009),
        CONSTANT(ACL_ERROR_RT_NO_MODEL_RESOURCE, 207010),
        CONSTANT(ACL_ERROR_RT_NO_CDQ_RESOURCE, 207011),
        CONSTANT(ACL_ERROR_RT_OVER_LIMIT, 207012),
        CONSTANT(ACL_ERROR_RT_QUEUE_EMPTY, 207013),
        CONSTANT(ACL_ERROR_RT_QUEUE_FULL, 207014),
        CONSTANT(ACL_ERROR_RT_REPEATED_INIT, 207015),
        CONSTANT(ACL_ERROR_RT_AIVEC_OVER_FLOW, 207016),
        CONSTANT(ACL_ERROR_RT_OVER_FLOW, 207017),
        CONSTANT(ACL_ERROR_RT_DEVICE_OOM, 207018),
        CONSTANT(ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP, 207019),
        CONSTANT(ACL_ERROR_RT_TIMEOUT, 207020),
        CONSTANT(ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED, 207021),
        CONSTANT(ACL_ERROR_RT_INTERNAL_ERROR, 507000),
        CONSTANT(ACL_ERROR_RT_TS_ERROR, 507001),
        CONSTANT(ACL_ERROR_RT_STREAM_TASK_FULL, 507002),
        CONSTANT(ACL_ERROR_RT_STREAM_TASK_EMPTY, 507003),
        CONSTANT(ACL_ERROR_RT_STREAM_NOT_COMPLETE, 507004),
        CONSTANT(ACL_ERROR_RT_END_OF_SEQUENCE, 507005),
        CONSTANT(ACL_ERROR_RT_EVENT_NOT_COMPLETE, 507006),
        CONSTANT(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, 507007),
        CONSTANT(ACL_ERROR_RT_SOC_VERSION, 507008),
        CONSTANT(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, 507009),
        CONSTANT(ACL_ERROR_RT_LOST_HEARTBEAT, 507010),
        CONSTANT(ACL_ERROR_RT_MODEL_EXECUTE, 507011),
        CONSTANT(ACL_ERROR_RT_REPORT_TIMEOUT, 507012),
        CONSTANT(ACL_ERROR_RT_SYS_DMA, 507013),
        CONSTANT(ACL_ERROR_RT_AICORE_TIMEOUT, 507014),
        CONSTANT(ACL_ERROR_RT_AICORE_EXCEPTION, 507015),
        CONSTANT(ACL_ERROR_RT_AICORE_TRAP_EXCEPTION, 507016),
        CONSTANT(ACL_ERROR_RT_AICPU_TIMEOUT, 507017),
        CONSTANT(ACL_ERROR_RT_AICPU_EXCEPTION, 507018),
        CONSTANT(ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR, 507019),
        CONSTANT(ACL_ERROR_RT_AICPU_MODEL_RSP_ERR, 507020),
        CONSTANT(ACL_ERROR_RT_PROFILING_ERROR, 507021),
        CONSTANT(ACL_ERROR_RT_IPC_ERROR, 507022),
        CONSTANT(ACL_ERROR_RT_MODEL_ABORT_NORMAL, 507023),
        CONSTANT(ACL_ERROR_RT_KERNEL_UNREGISTERING, 507024),
        CONSTANT(ACL_ERROR_RT_RINGBUFFER_NOT_INIT, 507025),
        CONSTANT(ACL_ERROR_RT_RINGBUFFER_NO_DATA, 507026),
        CONSTANT(ACL_ERROR_RT_KERNEL_LOOKUP, 507027),
        CONSTANT(ACL_ERROR_RT_KERNEL_DUPLICATE, 507028),
        CONSTANT(ACL_ERROR_RT_DEBUG_REGISTER_FAIL, 507029),
        CONSTANT(ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL, 507030),
        CONSTANT(ACL_ERROR_RT_LABEL_CONTEXT, 507031),
        CONSTANT(ACL_ERROR_RT_PROGRAM_USE_OUT, 507032),
        CONSTANT(ACL_ERROR_RT_DEV_SETUP_ERROR, 507033),
        CONSTANT(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT, 507034),
        CONSTANT(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, 507035),
        CONSTANT(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION, 507036),
        CONSTANT(ACL_ERROR_RT_CDQ_BATCH_ABNORMAL, 507037),
        CONSTANT(ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR, 507038),
        CONSTANT(ACL_ERROR_RT_DIE_SET_ERROR, 507039),
        CONSTANT(ACL_ERROR_RT_INVALID_DIEID, 507040),
        CONSTANT(ACL_ERROR_RT_DIE_MODE_NOT_SET, 507041),
        CONSTANT(ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW, 507042),
        CONSTANT(ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW, 507043),
        CONSTANT(ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW, 507044),
        CONSTANT(ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW, 507045),
        CONSTANT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, 507046),
        CONSTANT(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, 507047),
        CONSTANT(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, 507048),
        CONSTANT(ACL_ERROR_RT_FFTS_PLUS_EXCEPTION, 507049),
        CONSTANT(ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION, 507050),
        CONSTANT(ACL_ERROR_RT_SEND_MSG, 507051),
        CONSTANT(ACL_ERROR_RT_COPY_DATA, 507052),
        CONSTANT(ACL_ERROR_RT_DEVICE_MEM_ERROR, 507053),
        CONSTANT(ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR, 507054),
        CONSTANT(ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR, 507055),
        CONSTANT(ACL_ERROR_RT_LINK_ERROR, 507056),
        CONSTANT(ACL_ERROR_RT_SUSPECT_REMOTE_ERROR, 507057),
        CONSTANT(ACL_ERROR_RT_DRV_INTERNAL_ERROR, 507899),
        CONSTANT(ACL_ERROR_RT_AICPU_INTERNAL_ERROR, 507900),
        CONSTANT(ACL_ERROR_RT_SOCKET_CLOSE, 507901),
        CONSTANT(ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR, 507902),
        CONSTANT(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, 507903),
        CONSTANT(ACL_ERROR_RT_COMM_OP_RETRY_FAIL, 507904),
        CONSTANT(ACL_ERROR_RT_L3_PORT_ERROR, 507914),
        CONSTANT(ACL_ERROR_RT_CCU_TIMEOUT, 507915),
        CONSTANT(ACL_ERROR_RT_CCU_EXCEPTION, 507916),
        CONSTANT(ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT, 507905),
        CONSTANT(ACL_ERROR_SNAPSHOT_LOCK_FAILED, 507906),
        CONSTANT(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, 507907),
        CONSTANT(ACL_ERROR_SNAPSHOT_BACKUP_FAILED, 507908),
        CONSTANT(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, 507909),
        CONSTANT(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 507910),
        CONSTANT(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, 507911),
        CONSTANT(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED, 507912),
        CONSTANT(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, 507913)};
    EXPECT_ALL(constants);
}

static void codes_of_the_graph_engine_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {
        CONSTANT(ACL_ERROR_GE_PARAM_INVALID, 145000),
        CONSTANT(ACL_ERROR_GE_EXEC_NOT_INIT, 145001),
        CONSTANT(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, 145002),
        CONSTANT(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, 145003),
        CONSTANT(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, 145006),
        CONSTANT(ACL_ERROR_GE_EXEC_MODEL_ADDR_INVALID, 145007),
        CONSTANT(ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID, 145008),
        CONSTANT(ACL_ERROR_GE_EXEC_LOAD_MODEL_REPEATED, 145009),
        CONSTANT(ACL_ERROR_GE_DYNAMIC_INPUT_ADDR_INVALID, 145011),
        CONSTANT(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, 145012),
        CONSTANT(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, 145013),
        CONSTANT(ACL_ERROR_GE_AIPP_BATCH_EMPTY, 145014),
        CONSTANT(ACL_ERROR_GE_AIPP_NOT_EXIST, 145015),
        CONSTANT(ACL_ERROR_GE_AIPP_MODE_INVALID, 145016),
        CONSTANT(ACL_ERROR_GE_OP_TASK_TYPE_INVALID, 145017),
        CONSTANT(ACL_ERROR_GE_OP_KERNEL_TYPE_INVALID, 145018),
        CONSTANT(ACL_ERROR_GE_PLGMGR_PATH_INVALID, 145019),
        CONSTANT(ACL_ERROR_GE_FORMAT_INVALID, 145020),
        CONSTANT(ACL_ERROR_GE_SHAPE_INVALID, 145021),
        CONSTANT(ACL_ERROR_GE_DATATYPE_INVALID, 145022),
        CONSTANT(ACL_ERROR_GE_MEMORY_ALLOCATION, 245000),
        CONSTANT(ACL_ERROR_GE_MEMORY_OPERATE_FAILED, 245001),
        CONSTANT(ACL_ERROR_GE_DEVICE_MEMORY_OPERATE_FAILED, 245002),
        CONSTANT(ACL_ERROR_GE_SUBHEALTHY, 345102),
        CONSTANT(ACL_ERROR_GE_USER_RAISE_EXCEPTION, 345103),
        CONSTANT(ACL_ERROR_GE_DATA_NOT_ALIGNED, 345104),
        CONSTANT(ACL_ERROR_GE_INTERNAL_ERROR, 545000),
        CONSTANT(ACL_ERROR_GE_LOAD_MODEL, 545001),
        CONSTANT(ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, 545002),
        CONSTANT(ACL_ERROR_GE_EXEC_RELEASE_MODEL_DATA, 545006),
        CONSTANT(ACL_ERROR_GE_COMMAND_HANDLE, 545007),
        CONSTANT(ACL_ERROR_GE_GET_TENSOR_INFO, 545008),
        CONSTANT(ACL_ERROR_GE_UNLOAD_MODEL, 545009),
        CONSTANT(ACL_ERROR_GE_MODEL_EXECUTE_TIMEOUT, 545601),
        CONSTANT(ACL_ERROR_GE_REDEPLOYING, 545602),
        CONSTANT(ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED, 545003),
        CONSTANT(ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED, 545004),
        CONSTANT(ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED, 545005)};
    EXPECT_ALL(constants);
}

static void codes_of_aclnn_have_their_values(void **state)
{
    (void)state;
    static const struct constant constants[] = {CONSTANT(ACLNN_ERR_JSON_VALUE_NOT_FOUND, 561109),
                                                CONSTANT(ACLNN_ERR_PARAM_NULLPTR, 161001),
                                                CONSTANT(ACLNN_ERR_JSON_FORMAT_INVALID, 561110),
                                                CONSTANT(ACLNN_ERR_PARAM_INVALID, 161002),
                                                CONSTANT(ACLNN_ERR_JSON_DTYPE_INVALID, 561111),
                                                CONSTANT(ACLNN_ERR_RUNTIME_ERROR, 361001),
                                                CONSTANT(ACLNN_ERR_OPP_KERNEL_PKG_NOT_FOUND, 561112),
                                                CONSTANT(ACLNN_ERR_INNER, 561000),
                                                CONSTANT(ACLNN_ERR_OP_FILE_INVALID, 561113),
                                                CONSTANT(ACLNN_ERR_INNER_INFERSHAPE_ERROR, 561001),
                                                CONSTANT(ACLNN_ERR_ATTR_NUM_OUT_OF_BOUND, 561114),
                                                CONSTANT(ACLNN_ERR_INNER_TILING_ERROR, 561002),
                                                CONSTANT(ACLNN_ERR_ATTR_LEN_NOT_ENOUGH, 561115),
                                                CONSTANT(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, 561003),
                                                CONSTANT(ACLNN_ERR_INPUT_NUM_IN_JSON_TOO_LARGE, 561116),
                                                CONSTANT(ACLNN_ERR_INNER_CREATE_EXECUTOR, 561101),
                                                CONSTANT(ACLNN_ERR_INPUT_JSON_IS_NULL, 561117),
                                                CONSTANT(ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR, 561102),
                                                CONSTANT(ACLNN_ERR_STATIC_WORKSPACE_INVALID, 561118),
                                                CONSTANT(ACLNN_ERR_INNER_NULLPTR, 561103),
                                                CONSTANT(ACLNN_ERR_STATIC_BLOCK_DIM_INVALID, 561119),
                                                CONSTANT(ACLNN_ERR_WRONG_ATTR_INFO_SIZE, 561104),
                                                CONSTANT(ACLNN_ERR_OPP_PATH_NOT_FOUND, 561107),
                                                CONSTANT(ACLNN_ERR_KEY_CONFLICT, 561105),
                                                CONSTANT(ACLNN_ERR_LOAD_JSON_FAILED, 561108),
                                                CONSTANT(ACLNN_ERR_INVALID_IMPL_MODE, 561106),
                                                CONSTANT(ACLNN_SUCCESS, 0)};
    EXPECT_ALL(constants);
}

static int kind_of(int status)
{
    switch (status) {
    case ACL_SUCCESS:
        return 0;
    case ACL_ERROR_INVALID_PARAM:
    case ACL_ERROR_RT_PARAM_INVALID:
        return 1;
    case ACLNN_ERR_PARAM_INVALID:
        return 2;
    default:
        return 3;
    }
}

static void codes_are_case_labels_in_C(void **state)
{
    (void)state;
    assert_int_equal(kind_of(0), 0);
    assert_int_equal(kind_of(107000), 1);
    assert_int_equal(kind_of(161002), 2);
    assert_int_equal(kind_of(100037), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_acl_have_their_values),
        cmocka_unit_test(codes_of_the_runtime_have_their_values),
        cmocka_unit_test(codes_of_the_graph_engine_have_their_values),
        cmocka_unit_test(codes_of_aclnn_have_their_values),
        cmocka_unit_test(codes_are_case_labels_in_C),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
