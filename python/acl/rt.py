# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Devices, contexts, streams, events, callbacks and memory."""
import ctypes
import itertools

from acl.binding import bind

# Devices
set_device = bind("aclrtSetDevice(int32 device_id)")
reset_device = bind("aclrtResetDevice(int32 device_id)")
reset_device_force = bind("aclrtResetDeviceForce(int32 device_id)")
get_device = bind("aclrtGetDevice(int32 *device_id)")
get_device_count = bind("aclrtGetDeviceCount(uint32 *count)")
synchronize_device = bind("aclrtSynchronizeDevice()")
synchronize_device_with_timeout = bind("aclrtSynchronizeDeviceWithTimeout(int32 timeout_ms)")
get_run_mode = bind("aclrtGetRunMode(int32 *run_mode)")
query_device_status = bind("aclrtQueryDeviceStatus(int32 device_id, int32 *status)")
get_device_info = bind("aclrtGetDeviceInfo(uint32 device_id, int32 attr, int64 *value)")
device_can_access_peer = bind("aclrtDeviceCanAccessPeer(int32 *can_access, int32 device_id, int32 peer_device_id)")
device_enable_peer_access = bind("aclrtDeviceEnablePeerAccess(int32 peer_device_id, uint32 flags)")
device_disable_peer_access = bind("aclrtDeviceDisablePeerAccess(int32 peer_device_id)")
set_ts_device = bind("aclrtSetTsDevice(int32 ts_id)")
set_device_sat_mode = bind("aclrtSetDeviceSatMode(int32 mode)")
get_device_sat_mode = bind("aclrtGetDeviceSatMode(int32 *mode)")
set_op_wait_timeout = bind("aclrtSetOpWaitTimeout(uint32 timeout_s)")
set_op_execute_time_out = bind("aclrtSetOpExecuteTimeOut(uint32 timeout_s)")
set_op_execute_time_out_with_ms = bind("aclrtSetOpExecuteTimeOutWithMs(uint32 timeout_ms)")
device_task_abort = bind("aclrtDeviceTaskAbort(int32 device_id, uint32 timeout_ms)")
get_version = bind("aclrtGetVersion(int32 *major, int32 *minor, int32 *patch)")
get_last_error = bind("aclrtGetLastError(int32 level)")
peek_at_last_error = bind("aclrtPeekAtLastError(int32 level)")

# Contexts
create_context = bind("aclrtCreateContext(handle *context, int32 device_id)")
destroy_context = bind("aclrtDestroyContext(handle context)")
set_context = bind("aclrtSetCurrentContext(handle context)")
get_context = bind("aclrtGetCurrentContext(handle *context)")
ctx_get_current_default_stream = bind("aclrtCtxGetCurrentDefaultStream(handle *stream)")
get_sys_param_opt = bind("aclrtGetSysParamOpt(int32 opt, int64 *value)")
set_sys_param_opt = bind("aclrtSetSysParamOpt(int32 opt, int64 value)")
ctx_get_sys_param_opt = bind("aclrtCtxGetSysParamOpt(int32 opt, int64 *value)")
ctx_set_sys_param_opt = bind("aclrtCtxSetSysParamOpt(int32 opt, int64 value)")

# Streams
create_stream = bind("aclrtCreateStream(handle *stream)")
create_stream_with_config = bind("aclrtCreateStreamWithConfig(handle *stream, uint32 priority, uint32 flag)")
destroy_stream = bind("aclrtDestroyStream(handle stream)")
destroy_stream_force = bind("aclrtDestroyStreamForce(handle stream)")
synchronize_stream = bind("aclrtSynchronizeStream(handle stream)")
synchronize_stream_with_timeout = bind("aclrtSynchronizeStreamWithTimeout(handle stream, int32 timeout_ms)")
stream_query = bind("aclrtStreamQuery(handle stream, int32 *status)")
stream_wait_event = bind("aclrtStreamWaitEvent(handle stream, handle event)")
stream_wait_event_with_timeout = bind(
    "aclrtStreamWaitEventWithTimeout(handle stream, handle event, int32 timeout_s)")
stream_get_id = bind("aclrtStreamGetId(handle stream, int32 *stream_id)")
stream_get_priority = bind("aclrtStreamGetPriority(handle stream, uint32 *priority)")
stream_get_flags = bind("aclrtStreamGetFlags(handle stream, uint32 *flags)")
stream_abort = bind("aclrtStreamAbort(handle stream)")
stream_stop = bind("aclrtStreamStop(handle stream)")
set_stream_overflow_switch = bind("aclrtSetStreamOverflowSwitch(handle stream, uint32 flag)")
get_stream_overflow_switch = bind("aclrtGetStreamOverflowSwitch(handle stream, uint32 *flag)")
get_overflow_status = bind("aclrtGetOverflowStatus(handle output, size size, handle stream)")
reset_overflow_status = bind("aclrtResetOverflowStatus(handle stream)")
set_stream_failure_mode = bind("aclrtSetStreamFailureMode(handle stream, uint64 mode)")

# Events
create_event = bind("aclrtCreateEvent(handle *event)")
create_event_with_flag = bind("aclrtCreateEventWithFlag(handle *event, uint32 flag)")
create_event_ex_with_flag = bind("aclrtCreateEventExWithFlag(handle *event, uint32 flag)")
destroy_event = bind("aclrtDestroyEvent(handle event)")
record_event = bind("aclrtRecordEvent(handle event, handle stream)")
reset_event = bind("aclrtResetEvent(handle event, handle stream)")
query_event = bind("aclrtQueryEvent(handle event, int32 *status)")
query_event_status = bind("aclrtQueryEventStatus(handle event, int32 *status)")
query_event_wait_status = bind("aclrtQueryEventWaitStatus(handle event, int32 *status)")
synchronize_event = bind("aclrtSynchronizeEvent(handle event)")
synchronize_event_with_timeout = bind("aclrtSynchronizeEventWithTimeout(handle event, int32 timeout_ms)")
event_elapsed_time = bind("aclrtEventElapsedTime(float *ms, handle start, handle end)")
event_get_timestamp = bind("aclrtEventGetTimestamp(handle event, uint64 *us)")

# Memory
malloc = bind("aclrtMalloc(handle *ptr, size size, int32 policy)")
malloc_align32 = bind("aclrtMallocAlign32(handle *ptr, size size, int32 policy)")
malloc_cached = bind("aclrtMallocCached(handle *ptr, size size, int32 policy)")
free = bind("aclrtFree(handle ptr)")
malloc_host = bind("aclrtMallocHost(handle *ptr, size size)")
free_host = bind("aclrtFreeHost(handle ptr)")
host_register = bind("aclrtHostRegister(handle ptr, uint64 size, int32 type, handle *device_ptr)")
host_unregister = bind("aclrtHostUnregister(handle ptr)")
memcpy = bind("aclrtMemcpy(handle dst, size dest_max, handle src, size count, int32 kind)")
memcpy_async = bind("aclrtMemcpyAsync(handle dst, size dest_max, handle src, size count, int32 kind, handle stream)")
memcpy2d = bind(
    "aclrtMemcpy2d(handle dst, size dpitch, handle src, size spitch, size width, size height, int32 kind)")
memcpy2d_async = bind(
    "aclrtMemcpy2dAsync(handle dst, size dpitch, handle src, size spitch, size width, size height, int32 kind, "
    "handle stream)")
memset = bind("aclrtMemset(handle ptr, size max_count, int32 value, size count)")
memset_async = bind("aclrtMemsetAsync(handle ptr, size max_count, int32 value, size count, handle stream)")
mem_flush = bind("aclrtMemFlush(handle ptr, size size)")
mem_invalidate = bind("aclrtMemInvalidate(handle ptr, size size)")
get_mem_info = bind("aclrtGetMemInfo(int32 attr, size *free, size *total)")
cmo_async = bind("aclrtCmoAsync(handle ptr, size size, int32 cmo_type, handle stream)")
value_write = bind("aclrtValueWrite(handle ptr, uint64 value, uint32 flag, handle stream)")
value_wait = bind("aclrtValueWait(handle ptr, uint64 value, uint32 flag, handle stream)")
reserve_mem_address = bind(
    "aclrtReserveMemAddress(handle *ptr, size size, size alignment, handle expected, uint64 flags)")
release_mem_address = bind("aclrtReleaseMemAddress(handle ptr)")

# Callbacks
subscribe_report = bind("aclrtSubscribeReport(uint64 thread_id, handle stream)")
process_report = bind("aclrtProcessReport(int32 timeout_ms)")
unsubscribe_report = un_subscribe_report = bind("aclrtUnSubscribeReport(uint64 thread_id, handle stream)")

_launch_callback = bind("aclrtLaunchCallback(handle fn, handle user_data, int32 block_type, handle stream)")
_launch_host_func = bind("aclrtLaunchHostFunc(handle stream, handle fn, handle args)")

# What is queued: its function and argument, by the number that the library hands back in place of the argument.
_queued = {}
_numbers = itertools.count(1)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _run(number):
    function, user_data = _queued.pop(number)
    function(user_data)


_run_address = ctypes.cast(_run, ctypes.c_void_p).value


def _queue(function, user_data, launch):
    if not callable(function):
        return launch(0, 0)
    number = next(_numbers)
    _queued[number] = (function, user_data)
    ret = launch(_run_address, number)
    if ret:
        del _queued[number]
    return ret


def launch_callback(function, user_data, block_type, stream):
    """aclrtLaunchCallback(function, user_data, block_type, stream) -> ret.

    function(user_data) runs inside process_report of the thread that subscribed to the stream. Both are kept until
    then. 107000 where function cannot be called.
    """
    return _queue(function, user_data, lambda fn, data: _launch_callback(fn, data, block_type, stream))


def launch_host_func(stream, function, user_data):
    """aclrtLaunchHostFunc(stream, function, user_data) -> ret.

    function(user_data) runs on a thread of the library, in stream order. Both are kept until then. Synchronise before
    the program ends: Python cannot run what comes later. 107000 where function cannot be called.
    """
    return _queue(function, user_data, lambda fn, data: _launch_host_func(stream, fn, data))


# What is told of work that failed, inside the callback only
get_task_id_from_exception_info = bind("uint32 aclrtGetTaskIdFromExceptionInfo(handle info)")
get_stream_id_from_exception_info = bind("uint32 aclrtGetStreamIdFromExceptionInfo(handle info)")
get_thread_id_from_exception_info = bind("uint32 aclrtGetThreadIdFromExceptionInfo(handle info)")
get_device_id_from_exception_info = bind("uint32 aclrtGetDeviceIdFromExceptionInfo(handle info)")
get_error_code_from_exception_info = bind("uint32 aclrtGetErrorCodeFromExceptionInfo(handle info)")

_set_exception_callback = bind("aclrtSetExceptionInfoCallback(handle callback)")
_tell_exception = None


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _on_exception(info):
    function = _tell_exception
    if function is not None:
        function(info)


def set_exception_info_callback(function):
    """aclrtSetExceptionInfoCallback(function) -> ret.

    function(info) is called when work fails; None ends that. The process has one such callback.
    """
    global _tell_exception
    before, _tell_exception = _tell_exception, function
    ret = _set_exception_callback(ctypes.cast(_on_exception, ctypes.c_void_p).value if function is not None else 0)
    if ret:
        _tell_exception = before
    return ret
