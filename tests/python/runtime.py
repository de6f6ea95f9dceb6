# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The conventions of acl: results, statuses, handles, callbacks, buffers."""
import importlib
import inspect
import os
import subprocess
import sys
import threading
import unittest

os.environ["BELAY_DEVICES"] = "2"

import numpy  # noqa: E402, the environment is read at the first use

import acl  # noqa: E402
from acl.binding import bind  # noqa: E402


class Runtime(unittest.TestCase):
    def setUp(self):
        self.assertEqual(acl.rt.set_device(0), 0)
        self.stream, ret = acl.rt.create_stream()
        self.assertEqual(ret, 0)
        acl.get_recent_err_msg()

    def tearDown(self):
        self.assertEqual(acl.rt.destroy_stream(self.stream), 0)
        self.assertEqual(acl.rt.reset_device(0), 0)

    def test_initialising_twice_is_100002_and_finalising_twice_100037(self):
        self.assertEqual(acl.init(), 0)
        self.assertEqual(acl.init(), acl.ACL_ERROR_REPEAT_INITIALIZE)
        self.assertEqual(acl.ACL_ERROR_REPEAT_INITIALIZE, 100002)
        self.assertEqual(acl.finalize(), 0)
        self.assertEqual(acl.finalize(), 100037)
        self.assertEqual(acl.init("/no/such/file"), 100003)
        self.assertEqual(acl.init(None), 0)
        self.assertEqual(acl.finalize_reference(), (0, 0))

    def test_the_product_has_a_name(self):
        self.assertEqual(acl.get_soc_name(), "Ascend910B3")
        self.assertEqual(acl.rt.get_soc_name(), "Ascend910B3")
        self.assertEqual(acl.rt.get_run_mode(), (acl.ACL_HOST, 0))
        self.assertEqual(acl.rt.get_version()[3], 0)

    def test_messages_are_taken_once(self):
        self.assertEqual(acl.get_recent_err_msg(), "")
        self.assertEqual(acl.rt.set_device(2), acl.ACL_ERROR_RT_INVALID_DEVICEID)
        self.assertIn("aclrtSetDevice: device 2 does not exist", acl.get_recent_err_msg())
        self.assertEqual(acl.get_recent_err_msg(), "")

    def test_a_thread_without_a_device_is_told_so(self):
        results = []
        thread = threading.Thread(target=lambda: results.extend([acl.rt.get_device(), acl.rt.create_stream()]))
        thread.start()
        thread.join()
        self.assertEqual(results, [(0, 107002), (0, 107002)])

    def test_contexts_are_switched(self):
        self.assertEqual(acl.rt.get_device_count(), (2, 0))
        first, ret = acl.rt.get_context()
        self.assertEqual(ret, 0)
        second, ret = acl.rt.create_context(1)
        self.assertEqual((ret, acl.rt.get_context()), (0, (second, 0)))
        self.assertEqual(acl.rt.get_device(), (1, 0))
        self.assertEqual(acl.rt.set_context(first), 0)
        self.assertEqual(acl.rt.get_device(), (0, 0))
        self.assertEqual(acl.rt.destroy_context(second), 0)
        self.assertNotEqual(acl.rt.set_context(second), 0)

    def test_memory_is_copied_and_set(self):
        array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
        back = numpy.zeros_like(array)
        memory, ret = acl.rt.malloc(array.nbytes, acl.ACL_MEM_MALLOC_HUGE_FIRST)
        self.assertEqual(ret, 0)
        source, target = acl.util.numpy_to_ptr(array), acl.util.numpy_to_ptr(back)
        self.assertEqual(acl.rt.memcpy(memory, 24, source, 24, acl.ACL_MEMCPY_HOST_TO_DEVICE), 0)
        self.assertEqual(
            acl.rt.memcpy_async(target, 24, memory, 24, acl.ACL_MEMCPY_DEVICE_TO_HOST, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        numpy.testing.assert_array_equal(back, array)
        self.assertEqual(acl.rt.memset_async(memory, 24, 0, 24, self.stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(acl.rt.memcpy(target, 24, memory, 24, acl.ACL_MEMCPY_DEVICE_TO_HOST), 0)
        self.assertFalse(back.any())
        self.assertEqual(acl.rt.memcpy(memory, 24, source, 25, acl.ACL_MEMCPY_HOST_TO_DEVICE), 107000)
        self.assertEqual(acl.rt.free(memory), 0)
        self.assertEqual(acl.rt.free(None), 100000)
        self.assertEqual(acl.rt.malloc(0, 0), (0, 100000))
        free, total, ret = acl.rt.get_mem_info(acl.ACL_HBM_MEM)
        self.assertTrue(ret == 0 and 0 < free <= total)

    def test_events_are_recorded_and_waited_for(self):
        start, ret = acl.rt.create_event()
        self.assertEqual(ret, 0)
        flag = acl.ACL_EVENT_SYNC | acl.ACL_EVENT_TIME_LINE
        end, ret = acl.rt.create_event_ex_with_flag(flag)
        self.assertEqual(ret, 0)
        other, ret = acl.rt.create_stream_with_config(0, acl.ACL_STREAM_FAST_LAUNCH)
        self.assertEqual(ret, 0)
        self.assertEqual(acl.rt.record_event(start, self.stream), 0)
        self.assertEqual(acl.rt.stream_wait_event(other, start), 0)
        self.assertEqual(acl.rt.record_event(end, other), 0)
        self.assertEqual(acl.rt.synchronize_event(end), 0)
        milliseconds, ret = acl.rt.event_elapsed_time(start, end)
        self.assertTrue(ret == 0 and milliseconds >= 0)
        self.assertEqual(acl.rt.query_event(start), (acl.ACL_EVENT_STATUS_COMPLETE, 0))
        self.assertEqual(acl.rt.query_event_status(end), (acl.ACL_EVENT_RECORDED_STATUS_COMPLETE, 0))
        self.assertEqual(acl.rt.create_event_with_flag(0), (0, 107000))
        for event in (start, end):
            self.assertEqual(acl.rt.destroy_event(event), 0)
            self.assertNotEqual(acl.rt.destroy_event(event), 0)
        self.assertEqual(acl.rt.destroy_stream(other), 0)

    def test_callbacks_run_on_the_thread_that_subscribed(self):
        seen = []

        def callback(data):
            seen.append((data, threading.get_ident()))

        self.assertEqual(acl.rt.launch_callback(callback, "early", acl.ACL_CALLBACK_BLOCK, self.stream), 107015)
        self.assertEqual(acl.rt.subscribe_report(threading.get_ident(), self.stream), 0)
        self.assertEqual(acl.rt.launch_callback(None, 0, acl.ACL_CALLBACK_BLOCK, self.stream), 107000)
        self.assertEqual(acl.rt.launch_callback(callback, [1, 2], acl.ACL_CALLBACK_BLOCK, self.stream), 0)
        self.assertEqual(acl.rt.process_report(5000), 0)
        self.assertEqual(seen, [([1, 2], threading.get_ident())])
        self.assertEqual(acl.rt.process_report(1), 507012)
        self.assertEqual(acl.rt.unsubscribe_report(threading.get_ident(), self.stream), 0)

    def test_host_functions_run_in_stream_order(self):
        seen = []
        for number in range(100):
            self.assertEqual(acl.rt.launch_host_func(self.stream, seen.append, number), 0)
        self.assertEqual(acl.rt.synchronize_stream(self.stream), 0)
        self.assertEqual(seen, list(range(100)))
        self.assertEqual(acl.rt.launch_host_func(self.stream, "no function", 0), 107000)
        self.assertFalse(acl.rt._queued)

    def test_buffers_have_addresses(self):
        self.assertIs(importlib.import_module("acl.util"), acl.util)
        for data in (b"text", bytearray(b"text")):
            self.assertEqual(acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), 4), b"text")
        array = numpy.arange(6, dtype=numpy.float16).reshape(2, 3)
        view = acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(array), (2, 3), array.dtype.num)
        view[1, 2] = 7
        self.assertEqual(array[1, 2], 7)
        self.assertEqual(acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(array), (0, 3), 11).shape, (0, 3))
        with self.assertRaises(ValueError):
            acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(array), (1,), 12345)
        with self.assertRaises(ValueError):
            acl.util.numpy_to_ptr(array[:, ::2])

    def test_arguments_that_c_could_not_hold_raise(self):
        for wrong in ((1 << 31,), (-(1 << 31) - 1,)):
            with self.assertRaises(OverflowError):
                acl.rt.set_device(*wrong)
        with self.assertRaises(OverflowError):
            acl.rt.malloc(-1, 0)
        with self.assertRaises(TypeError):
            acl.rt.set_device()
        for wrong in ("0", 0.0, object()):
            with self.assertRaisesRegex(TypeError, "cannot be interpreted as an integer"):
                acl.rt.set_device(wrong)
        self.assertEqual(acl.rt.set_device(-1), 107001)

    def test_the_product_may_be_asked_for_before_a_fork(self):
        program = """
import os, acl
def forked(work):
    child = os.fork()
    if child == 0:
        print(*work(), sep="|", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
assert acl.get_soc_name() and acl.rt.get_device_count() == (1, 0)
forked(lambda: (acl.get_soc_name(), acl.rt.set_device(0)))
acl.rt.set_device(0)
forked(lambda: (acl.get_soc_name(), acl.get_recent_err_msg()))
"""
        done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "BELAY_DEVICES": "1"}, check=True,
                              capture_output=True, text=True)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Ascend910B3|0")
        self.assertRegex(lines[1], "^None.*is a child of one.*start method spawn$")

    def test_functions_say_what_they_take_and_return(self):
        self.assertEqual(str(inspect.signature(acl.rt.malloc)), "(size, policy, /)")
        self.assertEqual(acl.rt.malloc.__doc__, "aclrtMalloc(size, policy) -> (ptr, ret)")

    def test_a_function_that_the_library_lacks_is_not_supported(self):
        function = bind("aclrtOfAnotherRelease(handle *result, int32 number)")
        self.assertEqual(function(1), (0, acl.ACL_ERROR_API_NOT_SUPPORT))

    def test_operators_by_name_accept_a_folder(self):
        self.assertEqual(acl.op.set_model_dir("anywhere"), 0)
        self.assertEqual(acl.op.set_model_dir(None), 100000)


if __name__ == "__main__":
    unittest.main()
