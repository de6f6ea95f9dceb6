# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks as processes: each has libhccl by ctypes, and the process that has started them sees how they end.

A rank's part is a function of a Rank. What it returns, or how it failed, comes back through a pipe.
"""
import ctypes
import json
import os
import pathlib
import signal
import sys
import tempfile
import time
import traceback

ROOT_INFO_BYTES = 4108
FP16, FP32, INT64 = 3, 4, 5
SUM, PROD, MAX, MIN = range(4)
SUCCESS, PARAMETER, NOT_SUPPORTED, MISSING, SYSTEM, TIMEOUT = 0, 1, 5, 6, 8, 9
CONNECT, TRANSFER, REMOTE, SUSPENDING = 11, 13, 21, 22


class Rank:
    """One rank of `size`, whose root info is a file in `folder` that its first rank writes."""

    def __init__(self, number, size, folder, libraries):
        self.number, self.size, self.folder = number, size, pathlib.Path(folder)
        self.acl = ctypes.CDLL(str(libraries / "libascendcl.so"), ctypes.RTLD_GLOBAL)
        self.hccl = ctypes.CDLL(str(libraries / "libhccl.so"), ctypes.RTLD_GLOBAL)
        self.acl.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.stream = ctypes.c_void_p()
        self.comm = ctypes.c_void_p()
        self.must(self.acl.aclrtSetDevice(0))
        self.must(self.acl.aclrtCreateStream(ctypes.byref(self.stream)))

    def sentence(self):
        """What the library has to say about the last failure."""
        return (self.acl.aclGetRecentErrMsg() or b"").decode(errors="replace")

    def must(self, status):
        if status != 0:
            raise RuntimeError(f"{status}: {self.sentence()}")

    def describe_root(self):
        info = ctypes.create_string_buffer(ROOT_INFO_BYTES)
        status = self.hccl.HcclGetRootInfo(info)
        return status, info.raw

    def root_info(self, name="root"):
        """The same bytes in all ranks."""
        path = self.folder / name
        if self.number == 0:
            status, info = self.describe_root()
            self.must(status)
            path.with_suffix(".new").write_bytes(info)
            path.with_suffix(".new").rename(path)
            return info
        while not path.exists():
            time.sleep(0.005)
        return path.read_bytes()

    def join_with(self, info, number=None, size=None):
        """The status; the communicator is self.comm."""
        return self.hccl.HcclCommInitRootInfo(
            ctypes.c_uint32(self.size if size is None else size), ctypes.create_string_buffer(info, ROOT_INFO_BYTES),
            ctypes.c_uint32(self.number if number is None else number), ctypes.byref(self.comm))

    def join(self, name="root"):
        self.must(self.join_with(self.root_info(name)))

    def memory(self, count, value=1.0):
        """So many floats on the device."""
        address = ctypes.c_void_p()
        self.must(self.acl.aclrtMalloc(ctypes.byref(address), ctypes.c_size_t(max(count, 1) * 4), 0))
        host = (ctypes.c_float * count)(*([value] * count if count < 100000 else []))
        self.must(self.acl.aclrtMemcpy(address, ctypes.c_size_t(count * 4), host, ctypes.c_size_t(count * 4), 1))
        return address

    def read(self, address, count):
        host = (ctypes.c_float * count)()
        self.must(self.acl.aclrtMemcpy(host, ctypes.c_size_t(count * 4), address, ctypes.c_size_t(count * 4), 2))
        return list(host)

    def all_reduce(self, count=1000, dtype=FP32, operation=SUM, memory=None):
        memory = memory or self.memory(2 * count)
        return self.hccl.HcclAllReduce(memory, memory, ctypes.c_uint64(count), dtype, operation, self.comm,
                                       self.stream)

    def broadcast(self, count=1000, root=0):
        return self.hccl.HcclBroadcast(self.memory(count), ctypes.c_uint64(count), FP32, ctypes.c_uint32(root),
                                       self.comm, self.stream)

    def send(self, peer, count=1000):
        return self.hccl.HcclSend(self.memory(count), ctypes.c_uint64(count), FP32, ctypes.c_uint32(peer), self.comm,
                                  self.stream)

    def receive(self, peer, count=1000):
        return self.hccl.HcclRecv(self.memory(count), ctypes.c_uint64(count), FP32, ctypes.c_uint32(peer), self.comm,
                                  self.stream)

    def synchronize(self):
        return self.acl.aclrtSynchronizeStream(self.stream)

    def asynchronous_error(self):
        error = ctypes.c_int(-1)
        self.must(self.hccl.HcclGetCommAsyncError(self.comm, ctypes.byref(error)))
        return error.value

    def destroy(self):
        return self.hccl.HcclCommDestroy(self.comm)

    def outcome(self, status):
        """Of a synchronise: its status, its sentence, the communicator's error, and what a later call says."""
        said = self.sentence()
        return {"status": status, "sentence": said, "error": self.asynchronous_error(), "later": self.all_reduce()}

    def wait_for(self, name):
        """Until another rank has marked this."""
        while not (self.folder / name).exists():
            time.sleep(0.005)

    def mark(self, name):
        (self.folder / name).touch()


class End:
    """How a rank ended: what its part returned, the signal or exit status, and the seconds since all began."""

    def __init__(self):
        self.value, self.status, self.seconds = None, None, None

    def __str__(self):
        return f"{self.value if self.value is not None else self.status} after {self.seconds:.1f} s"


def child(part, number, size, folder, libraries, pipe):
    status = 1
    try:
        value = part(Rank(number, size, folder, libraries))
        os.write(pipe, json.dumps(value).encode())
        status = 0
    except BaseException:  # pylint: disable=broad-except
        os.write(pipe, json.dumps({"exception": traceback.format_exc()}).encode())
    finally:
        # exit() with whatever is queued and open, as programs end.
        ctypes.CDLL(None).exit(status)


def play(parts, libraries, seconds, settings=None, meanwhile=None):
    """Runs parts[i] as rank i, and returns their Ends; kills those that last for longer, and at the end those that have
    stopped. `meanwhile` is called with the process ids and the folder when all have started."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        pids, pipes = [], []
        for number, part in enumerate(parts):
            reads, writes = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.environ.update({name: str(value) for name, value in (settings or {}).items()})
                child(part, number, len(parts), folder, libraries, writes)
            os.close(writes)
            pids.append(pid)
            pipes.append(reads)
        begin = time.monotonic()
        ends = [End() for _ in parts]
        if meanwhile:
            meanwhile(pids, pathlib.Path(folder))
        left, stopped = set(range(len(parts))), set()
        while left and time.monotonic() - begin < seconds:
            for number in sorted(left):
                pid, status = os.waitpid(pids[number], os.WNOHANG | os.WUNTRACED)
                if pid and os.WIFSTOPPED(status):
                    left.remove(number)
                    stopped.add(number)
                elif pid:
                    ends[number].status, ends[number].seconds = status, time.monotonic() - begin
                    left.remove(number)
            time.sleep(0.01)
        for number in left | stopped:
            os.kill(pids[number], signal.SIGKILL)
            os.waitpid(pids[number], 0)
            ends[number].seconds = float("inf")
        for end, pipe in zip(ends, pipes):
            with os.fdopen(pipe, "rb") as reader:
                text = reader.read()
            end.value = json.loads(text) if text else None
        return ends
