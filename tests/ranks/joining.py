# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that never come, are killed, stop or say something wrong while they join."""
import os
import signal
import socket
import threading
import time

from judged import CONNECT_SECONDS, SLACK, die, expect, failed_to_join, joins, play
from process import CONNECT, MISSING, PARAMETER, REMOTE, SUCCESS, SYSTEM, TIMEOUT, TRANSFER


def test_one_never_comes():
    def absent(rank):
        return {"status": None}

    ends = play([joins, joins, absent], CONNECT_SECONDS)
    for number in (0, 1):
        failed_to_join(f"rank {number}", ends[number], (TIMEOUT,), "rank 2")


def test_one_is_killed_while_it_joins():
    def dies(rank):
        info = rank.root_info()
        threading.Timer(0.3, die).start()
        rank.join_with(info)

    def gives_up(rank):
        value = joins(rank)
        rank.mark("given up")
        return value

    def comes_late(rank):
        info = rank.root_info()
        rank.wait_for("given up")
        status = rank.join_with(info)
        return {"status": status, "sentence": rank.sentence()}

    ends = play([gives_up, dies, comes_late], 2 * CONNECT_SECONDS)
    failed_to_join("rank 0", ends[0], (TIMEOUT, REMOTE, CONNECT, TRANSFER), "rank 1")
    # The place is closed.
    failed_to_join("rank 2", ends[2], (TIMEOUT, REMOTE, CONNECT, TRANSFER), "one communicator")


def test_the_root_is_killed():
    def dies(rank):
        rank.root_info()
        die()

    def comes_late(rank):
        info = rank.root_info()
        time.sleep(0.3)
        status = rank.join_with(info)
        return {"status": status, "sentence": rank.sentence()}

    ends = play([dies, comes_late, comes_late], CONNECT_SECONDS)
    for number in (1, 2):
        failed_to_join(f"rank {number}", ends[number], (TIMEOUT, CONNECT, REMOTE), "127.0.0.1")


def test_one_stops_while_it_joins():
    def stops(rank):
        info = rank.root_info()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGSTOP)).start()
        rank.join_with(info)

    def comes_late(rank):
        time.sleep(1)
        return joins(rank)

    ends = play([joins, stops, comes_late], 1 + CONNECT_SECONDS)
    for number in (0, 2):
        failed_to_join(f"rank {number}", ends[number], (TIMEOUT, REMOTE, CONNECT, TRANSFER), "rank 1")


def test_the_same_rank_twice():
    def twice(rank):
        info = rank.root_info()
        status = rank.join_with(info, number=min(rank.number, 1))
        return {"status": status, "sentence": rank.sentence()}

    ends = play([twice, twice, twice], CONNECT_SECONDS)
    expect(f"one of the two: {[str(end) for end in ends]}",
           any((end.value or {}).get("status") == PARAMETER and "rank 1" in end.value["sentence"] for end in ends[1:]))
    for end in ends:
        expect(f"everyone: {end}", (end.value or {}).get("status") not in (None, SUCCESS))


def test_another_number_of_ranks():
    def other(rank):
        info = rank.root_info()
        status = rank.join_with(info, size=3 + (rank.number == 2))
        return {"status": status, "sentence": rank.sentence()}

    ends = play([other, other, other], CONNECT_SECONDS)
    failed_to_join("rank 2", ends[2], (PARAMETER,), "3", "4")
    for end in ends:
        expect(f"everyone: {end}", (end.value or {}).get("status") not in (None, SUCCESS))


def test_wrong_root_info():
    def garbage(rank):
        statuses = []
        status, info = rank.describe_root()
        rank.must(status)
        wrong = [bytes(4108), b"\xff" * 4108, b"GET / HTTP/1.0\r\n\r\n".ljust(4108, b" "), info[:8].ljust(4108, b"\0"),
                 os.urandom(4108)]
        wrong += [bytes(byte ^ (0x5a if place == at else 0) for place, byte in enumerate(info)) for at in range(48)]
        for one in wrong:
            begin = time.monotonic()
            status = rank.join_with(one, size=2)
            statuses.append((status, rank.sentence() if status else "", time.monotonic() - begin))
        return statuses

    (end,) = play([garbage], 53 * CONNECT_SECONDS, HCCL_CONNECT_TIMEOUT=1)
    expect(f"all are refused: {end}", isinstance(end.value, list) and len(end.value) == 53)
    for place, (status, sentence, seconds) in enumerate(end.value if isinstance(end.value, list) else []):
        expect(f"root info {place}: {status} {sentence}", status in (PARAMETER, CONNECT, TIMEOUT, REMOTE, SYSTEM))
        expect(f"root info {place}: a sentence", len(sentence) > 20)
        expect(f"root info {place}: {seconds} s", seconds < 1 + SLACK)


def test_a_root_info_serves_once():
    def again(rank):
        info = rank.root_info()
        rank.must(rank.join_with(info))
        rank.must(rank.destroy())
        status = rank.join_with(info)
        return {"status": status, "sentence": rank.sentence()}

    for number, end in enumerate(play([again, again], CONNECT_SECONDS)):
        failed_to_join(f"rank {number}", end, (CONNECT, TIMEOUT, PARAMETER), "127.0.0.1")


def test_a_port_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        def opens(rank):
            status, _ = rank.describe_root()
            return {"status": status, "sentence": rank.sentence()}

        (end,) = play([opens], 1, HCCL_IF_IP="127.0.0.1", HCCL_HOST_SOCKET_PORT_RANGE=str(port))
        failed_to_join("a range of one port", end, (SYSTEM, CONNECT, 7), str(port))


def test_addresses_that_are_none():
    def opens(rank):
        status, _ = rank.describe_root()
        return {"status": status, "sentence": rank.sentence()}

    for name, value in (("HCCL_IF_IP", "nonsense"), ("HCCL_IF_IP", "203.0.113.7"), ("HCCL_SOCKET_IFNAME", "=none0"),
                        ("HCCL_SOCKET_FAMILY", "AF_UNIX"), ("HCCL_CONNECT_TIMEOUT", "soon"),
                        ("HCCL_IF_BASE_PORT", "70000"), ("HCCL_HOST_SOCKET_PORT_RANGE", "5-1")):
        others = {"HCCL_SOCKET_IFNAME": "lo"} if name == "HCCL_SOCKET_FAMILY" else {}
        (end,) = play([opens], 1, **{name: value}, **others)
        failed_to_join(f"{name}={value}", end, (PARAMETER, MISSING, SYSTEM, CONNECT), value)
