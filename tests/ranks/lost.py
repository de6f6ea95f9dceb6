# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that are killed before, in and between collectives."""
import ctypes
import threading
import time

from judged import STREAM_REMOTE, die, expect, noticed, play, reduces
from process import REMOTE


def dies_in_between(rank):
    rank.join()
    die()


def test_killed_before_a_collective():
    ends = play([reduces, reduces, dies_in_between], 1)
    for number in (0, 1):
        noticed(f"rank {number}", ends[number], (STREAM_REMOTE,), (REMOTE,), "rank 2", "HcclAllReduce")


def test_killed_while_others_wait():
    def dies(rank):
        rank.join()
        time.sleep(1)
        die()

    ends = play([reduces, reduces, dies], 2)
    for number in (0, 1):
        noticed(f"rank {number}", ends[number], (STREAM_REMOTE,), (REMOTE,), "rank 2", "HcclAllReduce")


def test_killed_in_a_large_one():
    def large(rank):
        rank.join()
        memory = rank.memory(2 << 22)
        if rank.number == 1:
            threading.Timer(0.5, die).start()
        status = 0
        while not status:
            rank.must(rank.all_reduce(1 << 22, memory=memory))
            status = rank.synchronize()
        return rank.outcome(status)

    ends = play([large, large, large], 4)
    for number in (0, 2):
        noticed(f"rank {number}", ends[number], (STREAM_REMOTE,), (REMOTE,), "rank ")


def test_killed_before_it_sends():
    def receives(rank):
        rank.join()
        rank.must(rank.receive(1))
        return rank.outcome(rank.synchronize())

    ends = play([receives, dies_in_between], 1)
    noticed("rank 0", ends[0], (STREAM_REMOTE,), (REMOTE,), "rank 1", "HcclRecv")


def test_killed_with_much_queued():
    def queues(rank):
        rank.join()
        memory = rank.memory(2000)
        if rank.number == 1:
            time.sleep(0.5)
            die()
        for _ in range(100):
            rank.must(rank.all_reduce(memory=memory))
        return rank.outcome(rank.synchronize())

    ends = play([queues, queues], 2)
    noticed("rank 0", ends[0], (STREAM_REMOTE,), (REMOTE,), "rank 1")


def test_another_communicator_lives():
    """What one has lost does not hurt the others of its process."""
    def two(rank):
        info = rank.root_info("all")
        if rank.number < 2:
            rank.must(rank.join_with(rank.root_info("pair"), size=2))
        pair, rank.comm = rank.comm, ctypes.c_void_p()
        rank.must(rank.join_with(info))
        if rank.number == 2:
            die()
        rank.must(rank.all_reduce())
        first = rank.outcome(rank.synchronize())
        rank.must(rank.destroy())
        rank.comm = pair
        memory = rank.memory(4, 2.0)
        rank.must(rank.all_reduce(2, memory=memory))
        rank.must(rank.synchronize())
        return {**first, "pair": rank.read(memory, 2)}

    ends = play([two, two, two], 2)
    for number in (0, 1):
        noticed(f"rank {number}", ends[number], (STREAM_REMOTE,), (REMOTE,), "rank 2")
        expect(f"the pair: {ends[number]}", (ends[number].value or {}).get("pair") == [4.0, 4.0])
