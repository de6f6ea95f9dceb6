# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A client as frameworks write them: acl for the runtime, ctypes for the rest, and no other package.

It opens the libraries by their names, each locally, declares no prototypes that the headers would, destroys
descriptors right after phase 2, leaves rubbish in the executor variable, and destroys executors that have run.
"""
import ctypes
import os
import struct
import unittest

os.environ["BELAY_DEVICES"] = "2"

import acl  # noqa: E402, the environment is read at its first use

names = ["libascendcl.so", "libnnopbase.so", "libopapi.so", "libaclnn_ops_infer.so", "libaclnn_math.so",
         "libopapi_nn.so"]
libraries = {name: ctypes.CDLL(name, mode=os.RTLD_LOCAL | os.RTLD_NOW) for name in names}
nnopbase = libraries["libnnopbase.so"]

FLOAT, ND, DOUBLE = 0, 2, 11
HUGE_FIRST, TO_DEVICE, TO_HOST = 0, 1, 2


def create_tensor(library, memory, shape):
    dims = (ctypes.c_int64 * len(shape))(*shape)
    strides = (ctypes.c_int64 * len(shape))(*(1 if axis + 1 == len(shape) else shape[-1] for axis in range(len(shape))))
    library.aclCreateTensor.restype = ctypes.c_void_p
    return ctypes.c_void_p(library.aclCreateTensor(
        dims, ctypes.c_uint64(len(shape)), ctypes.c_int(FLOAT), strides, ctypes.c_int64(0), ctypes.c_int(ND),
        dims, ctypes.c_uint64(len(shape)), ctypes.c_void_p(memory)))


def create_scalar(value):
    nnopbase.aclCreateScalar.restype = ctypes.c_void_p
    cell = ctypes.c_double(value)
    return ctypes.c_void_p(nnopbase.aclCreateScalar(ctypes.byref(cell), ctypes.c_int(DOUBLE)))


class Client(unittest.TestCase):
    def setUp(self):
        self.assertIn(acl.init(), (0, 100002))

    def succeed(self, ret):
        self.assertEqual(ret, 0, acl.get_recent_err_msg())

    def on_device(self, numbers):
        data = struct.pack(f"{len(numbers)}f", *numbers)
        memory, ret = acl.rt.malloc(len(data), HUGE_FIRST)
        self.succeed(ret)
        self.succeed(acl.rt.memcpy(memory, len(data), acl.util.bytes_to_ptr(data), len(data), TO_DEVICE))
        return memory

    def compute(self, library, operator, inputs, shape, attributes, stream):
        """The elements of the only output, which comes last, of an operator on lists of elements."""
        size = 4 * len(inputs[0])
        memory = [self.on_device(numbers) for numbers in inputs] + [self.on_device([7.0] * len(inputs[0]))]
        tensors = [create_tensor(library, address, shape) for address in memory]
        self.assertTrue(all(tensor.value for tensor in tensors), acl.get_recent_err_msg())
        workspace_size, executor = ctypes.c_uint64(1), ctypes.c_void_p(0xDEAD)
        self.succeed(getattr(library, operator + "GetWorkspaceSize")(
            *tensors[:-1], *attributes, tensors[-1], ctypes.byref(workspace_size), ctypes.byref(executor)))
        workspace = None
        if workspace_size.value:
            workspace, ret = acl.rt.malloc(workspace_size.value, HUGE_FIRST)
            self.succeed(ret)
        self.succeed(getattr(library, operator)(
            ctypes.c_void_p(workspace), workspace_size, executor, ctypes.c_void_p(stream)))
        for tensor in tensors:
            self.succeed(nnopbase.aclDestroyTensor(tensor))
        self.succeed(acl.rt.synchronize_stream(stream))
        nnopbase.aclDestroyAclOpExecutor(executor)  # it has run: harmless, whatever is answered

        result, ret = acl.rt.malloc_host(size)
        self.succeed(ret)
        self.succeed(acl.rt.memcpy(result, size, memory[-1], size, TO_HOST))
        numbers = struct.unpack(f"{len(inputs[0])}f", acl.util.ptr_to_bytes(result, size))
        self.succeed(acl.rt.free_host(result))
        for address in filter(None, [*memory, workspace]):
            self.succeed(acl.rt.free(address))
        return numbers

    def expect(self, numbers, expected):
        self.assertEqual([f"{number:.6f}" for number in numbers], [f"{number:.6f}" for number in expected])

    def use_device(self, device, library):
        self.succeed(acl.rt.set_device(device))
        self.assertEqual(acl.rt.get_device(), (device, 0))
        context, ret = acl.rt.create_context(device)
        self.succeed(ret)
        stream, ret = acl.rt.create_stream()
        self.succeed(ret)
        eight = [float(i) for i in range(8)]
        ones = [1.0] * 8
        self.expect(self.compute(library, "aclnnHardswishBackward", [eight, eight], (4, 2), [], stream),
                    [0, 0.833333, 2.333333, 4.5, 4, 5, 6, 7])
        self.expect(self.compute(library, "aclnnSiluBackward", [ones[:6], [1, 2, 3, 4, 5, 6]], (2, 3), [], stream),
                    [0.927671, 1.090784, 1.088104, 1.052665, 1.026547, 1.012326])
        self.expect(self.compute(library, "aclnnSmoothL1LossBackward", [ones, eight, ones], (4, 2),
                                 [ctypes.c_int64(0), ctypes.c_float(1)], stream),
                    [-1, 0, 1, 1, 1, 1, 1, 1])
        slope = create_scalar(0.25)
        self.expect(self.compute(library, "aclnnLeakyReluBackward", [[2, 3, 4, 5], [1, -2, 3, -4]], (4,),
                                 [slope, ctypes.c_bool(False)], stream),
                    [2, 0.75, 4, 1.25])
        self.succeed(nnopbase.aclDestroyScalar(slope))
        self.succeed(acl.rt.destroy_stream(stream))
        self.succeed(acl.rt.destroy_context(context))
        self.succeed(acl.rt.reset_device(device))

    def test_the_four_operators_run_on_both_devices_under_every_name(self):
        self.assertEqual(acl.rt.get_device_count(), (2, 0))
        for device in (0, 1):
            for name in names[2:]:
                with self.subTest(device=device, library=name):
                    self.use_device(device, libraries[name])

    def test_what_is_set_under_one_name_is_seen_under_the_others(self):
        self.succeed(acl.rt.set_device(1))
        device = ctypes.c_int32(-1)
        self.assertEqual(libraries["libascendcl.so"].aclrtGetDevice(ctypes.byref(device)), 0)
        self.assertEqual(device.value, 1)
        newer = ctypes.CDLL("libacl_rt.so", mode=os.RTLD_LOCAL)
        self.assertEqual(newer.aclrtGetDevice(ctypes.byref(device)), 0)
        self.assertEqual(device.value, 1)
        self.succeed(acl.rt.reset_device(1))

    def test_what_is_of_the_other_device_is_refused(self):
        self.succeed(acl.rt.set_device(0))
        memory = self.on_device([1.0] * 4)
        self.succeed(acl.rt.set_device(1))
        tensor = create_tensor(nnopbase, memory, (4,))
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        opapi = libraries["libopapi.so"]
        self.succeed(opapi.aclnnSiluBackwardGetWorkspaceSize(tensor, tensor, tensor, ctypes.byref(size),
                                                             ctypes.byref(executor)))
        self.assertEqual(opapi.aclnnSiluBackward(None, size, executor, None), 161002)
        self.assertIn("aclnnSiluBackward: gradOutput", acl.get_recent_err_msg())
        self.succeed(nnopbase.aclDestroyTensor(tensor))
        self.succeed(acl.rt.free(memory))
        self.succeed(acl.rt.reset_device(1))
        self.succeed(acl.rt.reset_device(0))


if __name__ == "__main__":
    unittest.main()
