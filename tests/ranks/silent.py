# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that stop, come too late or never."""
import os
import signal
import time

from judged import EXEC_SECONDS, STREAM_REMOTE, STREAM_TIMEOUT, expect, noticed, play, reduces
from process import REMOTE, TIMEOUT


def stops_in_between(rank):
    rank.join()
    os.kill(os.getpid(), signal.SIGSTOP)


def test_stopped():
    ends = play([reduces, reduces, stops_in_between], EXEC_SECONDS)
    for number in (0, 1):
        noticed(f"rank {number}", ends[number], (STREAM_TIMEOUT, STREAM_REMOTE), (TIMEOUT, REMOTE), "rank 2")
        expect(f"rank {number} waits for the timeout: {ends[number]}", ends[number].seconds > EXEC_SECONDS - 0.5)


def test_comes_too_late():
    def late(rank):
        rank.join()
        time.sleep(EXEC_SECONDS + 2)
        status = rank.all_reduce()
        return rank.outcome(rank.synchronize()) if status == 0 else {"status": 0, "error": status, "later": status}

    ends = play([reduces, reduces, late], EXEC_SECONDS + 3)
    for number in (0, 1):
        noticed(f"rank {number}", ends[number], (STREAM_TIMEOUT, STREAM_REMOTE), (TIMEOUT, REMOTE), "rank 2")
    expect(f"the late one: {ends[2]}", (ends[2].value or {}).get("error") not in (None, 0))


def test_never_calls():
    def idles(rank):
        rank.join()
        rank.wait_for("done")
        return rank.asynchronous_error()

    def times_out(rank):
        value = reduces(rank)
        rank.mark("done")
        return value

    ends = play([times_out, idles], EXEC_SECONDS)
    noticed("rank 0", ends[0], (STREAM_TIMEOUT,), (TIMEOUT,), "rank 1", "HcclAllReduce", "1000")


def test_nobody_receives():
    def sends(rank):
        rank.join()
        if rank.number == 0:
            rank.must(rank.send(1, 1 << 22))
            value = rank.outcome(rank.synchronize())
            rank.mark("done")
            return value
        rank.wait_for("done")
        return None

    ends = play([sends, sends], EXEC_SECONDS)
    noticed("rank 0", ends[0], (STREAM_TIMEOUT,), (TIMEOUT,), "rank 1", "HcclSend")
