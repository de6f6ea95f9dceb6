# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What is left when ranks leave, with work and without."""
import os
import time

from judged import SLACK, STREAM_OTHER, STREAM_REMOTE, expect, noticed, play
from process import PARAMETER, REMOTE


def threads_and_files():
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def test_destroyed_with_work():
    """What waits for others ends, in its time, when its communicator does."""
    def leaves(rank):
        rank.join()
        if rank.number == 1:
            rank.wait_for("left")
            return None
        rank.must(rank.all_reduce())
        begin = time.monotonic()
        status = rank.destroy()
        seconds = time.monotonic() - begin
        synchronized = rank.synchronize()
        said = rank.sentence()
        rank.mark("left")
        return {"status": status, "seconds": seconds, "synchronized": synchronized, "sentence": said}

    ends = play([leaves, leaves], 8, HCCL_EXEC_TIMEOUT=3)
    value = ends[0].value or {}
    expect(f"destroyed: {ends[0]}", value.get("status") == 0 and 2 < value.get("seconds", 99) < 3 + SLACK)
    expect(f"the stream: {ends[0]}", value.get("synchronized") != 0 and value.get("sentence"))


def test_destroyed_before_a_late_rank():
    """A rank that is late is none that has gone: a destroy waits for it."""
    def leaves(rank):
        rank.join()
        if rank.number == 1:
            time.sleep(6)
        rank.must(rank.all_reduce())
        rank.must(rank.destroy())
        rank.must(rank.synchronize())
        return {"status": 0}

    for number, end in enumerate(play([leaves, leaves], 8, HCCL_EXEC_TIMEOUT=60)):
        expect(f"rank {number}: {end}", (end.value or {}).get("status") == 0)


def test_exit_with_work():
    """A process whose collective waits for others may end, and the others are told."""
    def leaves(rank):
        rank.join()
        if rank.number == 1:
            rank.must(rank.all_reduce())
            return None
        time.sleep(1)
        rank.must(rank.broadcast())
        return rank.outcome(rank.synchronize())

    ends = play([leaves, leaves, leaves], 12, HCCL_EXEC_TIMEOUT=60)
    expect(f"rank 1: {ends[1]}", ends[1].status == 0)
    for number in (0, 2):
        noticed(f"rank {number}", ends[number], (STREAM_REMOTE, STREAM_OTHER), (REMOTE, PARAMETER), "rank 1")


def test_nothing_is_left():
    """After failures of all kinds the process has as many threads and files as before."""
    def fails(rank):
        rank.join("first")
        rank.must(rank.all_reduce())
        rank.must(rank.synchronize())
        rank.must(rank.destroy())
        counts = []
        for turn in range(4):
            rank.join(f"root{turn}")
            rank.must(rank.all_reduce(1000 + rank.number))
            assert rank.synchronize() != 0, "a mistake"
            rank.must(rank.destroy())
            if rank.number == 0:
                rank.describe_root()  # which nobody comes to
                rank.join_with(os.urandom(4108))
            time.sleep(2.5)
            for _ in range(50):  # what waits for nobody any more may take a while to go
                if turn < 2 or threads_and_files() <= counts[1]:
                    break
                time.sleep(0.1)
            counts.append(threads_and_files())
        return counts

    ends = play([fails, fails], 4 * 5 + 10, HCCL_CONNECT_TIMEOUT=2)
    for number, end in enumerate(ends):
        expect(f"rank {number}: {end}", isinstance(end.value, list) and end.value[-1] <= end.value[1])


def test_leaves_at_once():
    """Whoever is done first may go first: the others get all that it has sent."""
    def goes(rank):
        count, memory = 1 << 20, None
        for turn in range(10):
            rank.join(f"root{turn}")
            memory = memory or rank.memory(2 * count, 1.0)
            rank.must(rank.all_reduce(count, memory=memory))
            rank.must(rank.synchronize())
            rank.must(rank.destroy())
        return {"status": 0}

    for number, end in enumerate(play([goes, goes, goes], 20)):
        expect(f"rank {number}: {end}", (end.value or {}).get("status") == 0)
