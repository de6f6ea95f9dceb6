# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What samples and clients of pyACL use beside the runtime: figures, the log, descriptions, operators by name, threads."""
import os
import subprocess
import sys
import threading
import unittest

import numpy

import acl


class Names(unittest.TestCase):
    def setUp(self):
        self.assertEqual(acl.rt.set_device(0), 0)
        acl.get_recent_err_msg()

    def tearDown(self):
        self.assertEqual(acl.rt.reset_device(0), 0)

    def test_figures(self):
        self.assertEqual(acl.get_version(), acl.rt.get_version())
        self.assertEqual(len(acl.get_version()), 4)
        cores, ret = acl.get_device_capability(0, acl.ACL_DEVICE_INFO_AI_CORE_NUM)
        self.assertTrue(ret == 0 and cores >= 1)
        self.assertEqual(acl.get_device_capability(0, 77), (0, 100000))
        self.assertIn("deviceInfo is 77", acl.get_recent_err_msg())
        self.assertEqual(acl.get_cann_attribute(acl.ACL_CANN_ATTR_INF_NAN), (1, 0))
        self.assertEqual([acl.data_type_size(dtype) for dtype in (acl.ACL_FLOAT, acl.ACL_BF16, acl.ACL_COMPLEX128, -1)],
                         [4, 2, 16, 0])
        self.assertEqual(acl.float_to_float16(1.5), 0x3e00)
        self.assertEqual(acl.float16_to_float(0x3e00), 1.5)
        self.assertEqual(acl.rt.set_device_sat_mode(acl.ACL_RT_OVERFLOW_MODE_INFNAN), 0)
        self.assertEqual(acl.rt.get_device_sat_mode(), (acl.ACL_RT_OVERFLOW_MODE_INFNAN, 0))
        self.assertEqual(acl.set_compileopt(acl.ACL_OP_JIT_COMPILE, "disable"), 0)
        self.assertEqual(acl.get_compileopt(acl.ACL_OP_JIT_COMPILE), ("disable", 0))

    def test_lines_of_the_log(self):
        program = "import acl\ndef inside(): acl.app_log(acl.ACL_WARNING, '100% of 水')\ninside()\nacl.app_log(0, 'unasked')"
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                              env={**os.environ, "ASCEND_GLOBAL_LOG_LEVEL": "1", "ASCEND_SLOG_PRINT_TO_STDOUT": "1"})
        self.assertRegex(done.stdout, r"^\[WARNING\] APP\(.*<string>:2\].* inside: 100% of .*\n$")

    def test_descriptions(self):
        desc = acl.create_tensor_desc(acl.ACL_FLOAT16, [2, 3], acl.ACL_FORMAT_ND)
        self.assertNotEqual(desc, 0)
        self.assertEqual(acl.get_tensor_desc_type(desc), acl.ACL_FLOAT16)
        self.assertEqual(acl.get_tensor_desc_format(desc), acl.ACL_FORMAT_ND)
        self.assertEqual((acl.get_tensor_desc_num_dims(desc), acl.get_tensor_desc_element_count(desc),
                          acl.get_tensor_desc_size(desc)), (2, 6, 12))
        self.assertEqual(acl.get_tensor_desc_dim_v2(desc, 1), (3, 0))
        self.assertEqual(acl.get_tensor_desc_dim(desc, 0), 2)
        self.assertIsNone(acl.set_tensor_desc_name(desc, "x"))
        self.assertEqual(acl.get_tensor_desc_name(desc), "x")
        self.assertEqual(acl.set_tensor_shape(desc, [7]), 0)
        self.assertEqual(acl.set_tensor_format(desc, acl.ACL_FORMAT_NCHW), 0)
        self.assertEqual(acl.set_tensor_origin_shape(desc, [7]), 0)
        self.assertEqual(acl.set_tensor_storage_shape(desc, [7]), 0)
        self.assertNotEqual(acl.set_tensor_shape(0, [7]), 0)
        self.assertIsNone(acl.destroy_tensor_desc(desc))
        scalar = acl.create_tensor_desc(acl.ACL_FLOAT, [], acl.ACL_FORMAT_ND)
        self.assertEqual(acl.get_tensor_desc_element_count(scalar), 1)
        acl.destroy_tensor_desc(scalar)
        with self.assertRaises(OverflowError):
            acl.create_tensor_desc(acl.ACL_FLOAT, [1 << 63], acl.ACL_FORMAT_ND)

    def test_buffers(self):
        memory = numpy.zeros(4, numpy.float32)
        pointer = acl.util.numpy_contiguous_to_ptr(memory)
        buffer = acl.create_data_buffer(pointer, memory.nbytes)
        self.assertEqual((acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size(buffer)), (pointer, 16))
        self.assertEqual(acl.update_data_buffer(buffer, pointer + 4, 12), 0)
        self.assertEqual((acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)), (pointer + 4, 12))
        self.assertEqual(acl.destroy_data_buffer(buffer), 0)
        self.assertEqual(acl.get_data_buffer_addr(0), 0)

    def test_attributes(self):
        attr = acl.op.create_attr()
        self.assertNotEqual(attr, 0)
        for name, value in (("bool", True), ("int", -3), ("float", 0.5), ("string", "text"), ("list_bool", [True, False]),
                            ("list_int", [1, 2, 3]), ("list_float", [1.5]), ("list_string", ["a", "b"]),
                            ("list_list_int", [[1], [2, 3]]), ("data_type", 0), ("list_data_type", [0, 1])):
            self.assertEqual(getattr(acl.op, "set_attr_" + name)(attr, name, value), 0, name)
            self.assertNotEqual(getattr(acl.op, "set_attr_" + name)(0, name, value), 0, name)
            acl.get_recent_err_msg()
        self.assertNotEqual(acl.op.set_attr_int(attr, None, 1), 0)
        self.assertIsNone(acl.op.destroy_attr(attr))

    def test_an_operator_by_name(self):
        host = numpy.array([1.5, -2, 3], numpy.float32)
        memory = [acl.rt.malloc(12, acl.ACL_MEM_MALLOC_HUGE_FIRST)[0] for _ in range(2)]
        acl.rt.memcpy(memory[0], 12, acl.util.numpy_to_ptr(host), 12, acl.ACL_MEMCPY_HOST_TO_DEVICE)
        descs = [acl.create_tensor_desc(acl.ACL_FLOAT, [3], acl.ACL_FORMAT_ND) for _ in range(2)]
        buffers = [acl.create_data_buffer(address, 12) for address in memory]
        attr = acl.op.create_attr()
        stream, _ = acl.rt.create_stream()
        ret = acl.op.compile_and_execute("Identity", descs[:1], buffers[:1], descs[1:], buffers[1:], attr,
                                         acl.ACL_ENGINE_SYS, acl.ACL_COMPILE_SYS, None, stream)
        self.assertEqual((ret, acl.rt.synchronize_stream(stream)), (0, 0), acl.get_recent_err_msg())
        back = numpy.zeros(3, numpy.float32)
        acl.rt.memcpy(acl.util.numpy_to_ptr(back), 12, memory[1], 12, acl.ACL_MEMCPY_DEVICE_TO_HOST)
        numpy.testing.assert_array_equal(back, host)
        # A kind that is none is told by its name, at the call or when the stream is waited for.
        ret = acl.op.compile_and_execute("NoSuchKind", descs[:1], buffers[:1], descs[1:], buffers[1:], attr,
                                         acl.ACL_ENGINE_SYS, acl.ACL_COMPILE_SYS, None, stream)
        self.assertTrue(ret or acl.rt.synchronize_stream(stream))
        self.assertIn("NoSuchKind", acl.get_recent_err_msg())
        with self.assertRaises(ValueError):
            acl.op.execute("Identity", descs[:1], [], descs[1:], buffers[1:], attr, stream)
        handle, ret = acl.op.create_handle("NoSuchKind", descs[:1], descs[1:], attr)
        self.assertTrue(ret != 0 or handle != 0)
        if ret == 0:
            acl.op.destroy_handle(handle)
        acl.op.destroy_attr(attr)
        for desc, buffer, address in zip(descs, buffers, memory):
            acl.destroy_tensor_desc(desc)
            self.assertEqual((acl.destroy_data_buffer(buffer), acl.rt.free(address)), (0, 0))
        self.assertEqual(acl.rt.destroy_stream(stream), 0)

    def test_offline_models_are_told_what_to_use_instead(self):
        for function in (acl.mdl.load_from_file, acl.mdl.query_size):
            *results, ret = function("resnet50.om")
            self.assertTrue(ret != 0 and not any(results))
            self.assertIn("offline model", acl.get_recent_err_msg())
        self.assertNotEqual(acl.mdl.execute(1, 0, 0), 0)
        acl.get_recent_err_msg()
        dataset = acl.mdl.create_dataset()
        memory = bytearray(4)
        buffer = acl.create_data_buffer(acl.util.bytes_to_ptr(memory), 4)
        if dataset:
            self.assertEqual(acl.mdl.add_dataset_buffer(dataset, buffer), (dataset, 0))
            self.assertEqual((acl.mdl.get_dataset_num_buffers(dataset), acl.mdl.get_dataset_buffer(dataset, 0)), (1, buffer))
            self.assertEqual(acl.mdl.destroy_dataset(dataset), 0)
        else:
            self.assertNotEqual(acl.mdl.add_dataset_buffer(0, buffer)[1], 0)
        self.assertEqual(acl.destroy_data_buffer(buffer), 0)

    def test_threads_that_process_reports(self):
        stream, _ = acl.rt.create_stream()
        context, _ = acl.rt.get_context()
        seen, is_over = [], []

        def process(timeout):
            acl.rt.set_context(context)
            while not is_over:
                acl.rt.process_report(timeout)

        number, ret = acl.util.start_thread(process, [20])
        self.assertEqual(ret, 0)
        self.assertEqual(acl.rt.subscribe_report(number, stream), 0)
        self.assertEqual(acl.rt.launch_callback(lambda data: seen.append((data, threading.get_ident())), ["x"],
                                                acl.ACL_CALLBACK_BLOCK, stream), 0)
        self.assertEqual(acl.rt.synchronize_stream(stream), 0)
        self.assertEqual(seen, [(["x"], number)])
        is_over.append(True)
        self.assertEqual(acl.rt.unsubscribe_report(number, stream), 0)
        self.assertEqual(acl.util.stop_thread(number), 0)
        self.assertEqual(acl.util.stop_thread(number), 100000)
        self.assertEqual(acl.rt.destroy_stream(stream), 0)

    def test_failures_are_told_to_a_callback(self):
        told = threading.Event()
        codes = []

        def tell(info):
            codes.append((acl.rt.get_error_code_from_exception_info(info), acl.rt.get_device_id_from_exception_info(info)))
            told.set()

        stream, _ = acl.rt.create_stream()
        self.assertEqual(acl.rt.set_exception_info_callback(tell), 0)
        descs = [acl.create_tensor_desc(acl.ACL_FLOAT, [3], acl.ACL_FORMAT_ND)]
        memory, _ = acl.rt.malloc(12, 0)
        buffers = [acl.create_data_buffer(memory, 12)]
        acl.op.compile_and_execute("NoSuchKind", descs, buffers, descs, buffers, 0, 0, 0, None, stream)
        acl.rt.synchronize_stream(stream)
        self.assertTrue(told.wait(10))
        self.assertTrue(codes[0][0] != 0 and codes[0][1] == 0)
        self.assertEqual(acl.rt.set_exception_info_callback(None), 0)
        acl.destroy_tensor_desc(descs[0])
        acl.destroy_data_buffer(buffers[0])
        acl.rt.free(memory)
        acl.rt.destroy_stream(stream)


if __name__ == "__main__":
    unittest.main()
