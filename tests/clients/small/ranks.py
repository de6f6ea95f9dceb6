# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""pyhccl's bindings of HCCL, by as many processes as the argument says, each with a device of its own.

    BELAY_DEVICES=4 belay run PYTHON ranks.py 4
"""
import array
import ctypes
import multiprocessing
import sys

import pyhccl as hccl

COUNT, SET, READ = 6, 1, 2  # directions of aclrtMemcpy: to the device, and from there


def right(status):
    assert int(status) == 0, status


def rank_of(rank, ranks, channels):
    acl = ctypes.CDLL("libascendcl.so")
    right(acl.aclrtSetDevice(rank))
    if rank == 0:
        status, root = hccl.HcclGetRootInfo()
        right(status)
        for channel in channels:
            channel.put(root.internal)  # at once: the client keeps other threads of Python from running
    root = hccl.HcclRootInfo()
    root.internal = channels[rank].get()
    status, comm = hccl.HcclCommInitRootInfo(ranks, root, rank)
    right(status)
    assert hccl.HcclGetRankSize(comm) == (0, ranks) and hccl.HcclGetRankId(comm) == (0, rank)
    stream = ctypes.c_void_p()
    right(acl.aclrtCreateStream(ctypes.byref(stream)))

    def put(values):
        memory, data = ctypes.c_void_p(), array.array("f", values)
        right(acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(4 * len(values)), 0))
        right(acl.aclrtMemcpy(memory, ctypes.c_size_t(4 * len(values)), ctypes.c_void_p(data.buffer_info()[0]),
                              ctypes.c_size_t(4 * len(values)), SET))
        return memory.value

    def get(memory, count):
        data = array.array("f", [0] * count)
        right(acl.aclrtSynchronizeStream(stream))
        right(acl.aclrtMemcpy(ctypes.c_void_p(data.buffer_info()[0]), ctypes.c_size_t(4 * count), ctypes.c_void_p(memory),
                              ctypes.c_size_t(4 * count), READ))
        return list(data)

    fp32, total = hccl.HCCL_DATA_TYPE_FP32, hccl.HCCL_REDUCE_SUM
    mine = [10 * rank + i for i in range(COUNT)]
    every = [10 * r + i for r in range(ranks) for i in range(COUNT)]
    sums = [sum(10 * r + i for r in range(ranks)) for i in range(COUNT)]
    source, out, many = put(mine), put([0] * COUNT), put([0] * COUNT * ranks)
    right(hccl.HcclAllReduce(source, out, COUNT, fp32, total, comm, stream.value))
    assert get(out, COUNT) == sums
    right(hccl.HcclAllReduce(source, out, COUNT, fp32, hccl.HCCL_REDUCE_MAX, comm, stream.value))
    assert get(out, COUNT) == every[-COUNT:]
    right(hccl.HcclAllGather(source, many, COUNT, fp32, comm, stream.value))
    assert get(many, COUNT * ranks) == every
    right(hccl.HcclReduceScatter(many, out, COUNT, fp32, total, comm, stream.value))
    assert get(out, COUNT) == [ranks * x for x in mine]
    right(hccl.HcclBroadcast(source, COUNT, fp32, ranks - 1, comm, stream.value))
    assert get(source, COUNT) == every[-COUNT:]
    right(hccl.HcclCommDestroy(comm))
    right(acl.aclrtResetDevice(rank))
    print(f"rank {rank} of {ranks} is right", flush=True)


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start = multiprocessing.get_context("spawn")
    channels = [start.SimpleQueue() for _ in range(ranks)]
    others = [start.Process(target=rank_of, args=(rank, ranks, channels)) for rank in range(ranks)]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0] * ranks
    print(f"{ranks} ranks are right")
