# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Entries of what people met: functions that raise where the library is wrong. run.py reads their heads, and has this
file run each of them in a process of its own."""
import ctypes
import os
import subprocess
import sys
import tempfile
import time
import traceback

BEFORE = ("torch", "sympy", "torch.distributed.fsdp", "torch.distributed.checkpoint", "torch.distributed.tensor", "torch.testing")
ENTRIES = {}
NEWEST = "Ascend950PR_9599"


def entry(number, what, soc="Ascend910B3", under="run"):
    """A function of this number; under which product, and whether by `belay run` or `belay check`."""
    def add(function):
        ENTRIES[number] = function
        return function
    return add


def answer(number, file, product, path):
    """In a child: the entry, whose text goes to the path."""
    os.setsid()
    output = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ["BELAY_SOC"] = product
    status = 1
    try:
        __import__(file)
        ENTRIES[number]()
        print("holds", flush=True)
        status = 0
    except BaseException:  # pylint: disable=broad-except # which the table tells
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


def serve():
    """Lines of "number, file, product, path, seconds", tabs between; a status each. What takes long to import and asks no
    library of the toolkit is there before, so that an entry is a fork."""
    sys.modules["entry"] = sys.modules["__main__"]
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    answers = os.dup(1)
    os.dup2(2, 1)
    for name in BEFORE:
        __import__(name)
    for line in sys.stdin:
        *what, seconds = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            answer(*what)
        end, found = time.monotonic() + float(seconds), (0, 0)
        while not found[0] and time.monotonic() < end:
            time.sleep(0.05)
            found = os.waitpid(child, os.WNOHANG)
        try:
            os.killpg(child, 9)  # and what it started
        except ProcessLookupError:
            pass
        if not found[0]:
            os.waitpid(child, 0)
        os.write(answers, f"{found[1] if found[0] else 'late'}\n".encode())


def root():
    return os.environ["ASCEND_HOME_PATH"]


def message_of(function):
    """What a failure says, which may come at the next synchronise."""
    import torch
    try:
        function()
        torch.npu.synchronize()
    except (RuntimeError, OSError) as error:
        return str(error)
    raise AssertionError("nothing was refused")


def refused(function):
    try:
        message_of(function)
    except AssertionError:
        return False
    return True


def equal(found, wanted, tolerance=0.0):
    import torch
    found = found.cpu() if isinstance(found, torch.Tensor) else torch.tensor(found)
    wanted = wanted if isinstance(wanted, torch.Tensor) else torch.tensor(wanted)
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    difference = (found.to(torch.complex128) - wanted.to(torch.complex128)).abs()
    assert bool((difference <= tolerance * (1 + wanted.to(torch.complex128).abs())).all()), (found, wanted)


def compiled(source, *libraries, language="c"):
    """A C program on the toolkit under test, run; its text."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "program." + language), "w", encoding="utf-8") as file:
            file.write(source)
        lib = os.path.join(root(), "lib64")
        done = subprocess.run(["c++" if language == "cpp" else "cc", "program." + language, "-o", "program", "-I",
                               os.path.join(root(), "include"), "-L", lib, *[f"-l{name}" for name in libraries], f"-Wl,-rpath,{lib}"],
                              check=False, capture_output=True, text=True, cwd=folder)
        faults = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        assert done.returncode == 0, (faults or [done.stderr])[0]
        done = subprocess.run([os.path.join(folder, "program")], check=False, capture_output=True, text=True, timeout=40)
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        return done.stdout


class Functions:
    """aclnn functions by ctypes, on tensors of torch that lie on the device."""

    def __init__(self):
        import torch
        self.core, self.operators = ctypes.CDLL("libnnopbase.so"), ctypes.CDLL("libopapi.so")
        self.codes = {torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.int64: 9, torch.bfloat16: 27}
        self.core.aclCreateTensor.restype = self.core.aclCreateTensorList.restype = ctypes.c_void_p
        self.core.aclCreateIntArray.restype = ctypes.c_void_p

    def tensor(self, of):
        if of is None:
            return None
        dims, strides = (ctypes.c_int64 * of.dim())(*of.shape), (ctypes.c_int64 * of.dim())(*of.stride())
        return ctypes.c_void_p(self.core.aclCreateTensor(dims, ctypes.c_uint64(of.dim()), self.codes[of.dtype], strides, ctypes.c_int64(0), 2, dims,
                                                         ctypes.c_uint64(of.dim()), ctypes.c_void_p(of.data_ptr())))

    def tensors(self, of):
        return ctypes.c_void_p(self.core.aclCreateTensorList((ctypes.c_void_p * len(of))(*[self.tensor(one) for one in of]),
                                                             ctypes.c_uint64(len(of))))

    def integers(self, of):
        return ctypes.c_void_p(self.core.aclCreateIntArray((ctypes.c_int64 * len(of))(*of), ctypes.c_uint64(len(of))))

    def call(self, name, *arguments):
        """0, or the status of the phase that failed."""
        import torch
        size, executor = ctypes.c_uint64(), ctypes.c_void_p()
        stream = ctypes.c_void_p(torch.npu.current_stream().npu_stream)
        torch.npu.synchronize()
        status = getattr(self.operators, name + "GetWorkspaceSize")(*arguments, ctypes.byref(size), ctypes.byref(executor))
        if status:
            return status
        workspace = torch.empty(max(size.value, 1), dtype=torch.uint8, device="npu")
        status = getattr(self.operators, name)(ctypes.c_void_p(workspace.data_ptr()), size, executor, stream)
        torch.npu.synchronize()
        return status


if __name__ == "__main__":
    serve()
