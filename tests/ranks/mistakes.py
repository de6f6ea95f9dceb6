# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that do something else than the others."""
from judged import EXEC_SECONDS, STREAM_OTHER, expect, noticed, play
from process import FP16, FP32, MAX, PARAMETER, SUM


def mistake(what, first, second, *words):
    def one(rank):
        rank.join()
        rank.must((first, second)[rank.number == 1](rank))
        return rank.outcome(rank.synchronize())

    ends = play([one, one, one], 1)
    for number, end in enumerate(ends):
        noticed(f"{what}, rank {number}", end, (STREAM_OTHER,), (PARAMETER,), *words)
        # Three processes start and join besides.
        expect(f"{what}, rank {number}, at once: {end}", end.seconds < EXEC_SECONDS)


def test_another_count():
    mistake("count", lambda rank: rank.all_reduce(1000), lambda rank: rank.all_reduce(1001), "1000", "1001", "rank 1")


def test_another_collective():
    mistake("kind", lambda rank: rank.all_reduce(1000), lambda rank: rank.broadcast(1000), "HcclAllReduce",
            "HcclBroadcast", "rank 1")


def test_another_dtype():
    mistake("dtype", lambda rank: rank.all_reduce(1000), lambda rank: rank.all_reduce(1000, FP16), "fp32", "fp16",
            "rank 1")


def test_another_operation():
    mistake("operation", lambda rank: rank.all_reduce(1000, FP32, SUM), lambda rank: rank.all_reduce(1000, FP32, MAX),
            "sum", "maximum", "rank 1")


def test_another_root():
    mistake("root", lambda rank: rank.broadcast(1000, 0), lambda rank: rank.broadcast(1000, 2), "root", "rank 1")


def test_a_large_one_against_a_small_one():
    mistake("sizes", lambda rank: rank.all_reduce(1 << 22), lambda rank: rank.all_reduce(1), str(1 << 22), "rank 1")
