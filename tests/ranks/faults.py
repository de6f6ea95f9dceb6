# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that are killed, stop, come late or never, do something else, and strangers: each other rank ends in time, with
a code and a sentence that names who is missing.

    faults.py LIBRARIES [GROUP...]      groups of tests: joining lost silent mistakes strangers leaving
"""
import ctypes
import os
import pathlib
import signal
import socket
import struct
import sys
import threading
import time

import process
from process import (CONNECT, FP16, FP32, MAX, MISSING, NOT_SUPPORTED, PARAMETER, REMOTE, SUCCESS, SUM, SUSPENDING, SYSTEM, TIMEOUT,
                     TRANSFER)

LIBRARIES = pathlib.Path(sys.argv[1]).resolve()
STREAM_TIMEOUT, STREAM_REMOTE, STREAM_OTHER = 107020, 507057, 507018
CONNECT_SECONDS, EXEC_SECONDS = 3, 3
SLACK = 4  # seconds that a loaded machine may take besides
SETTINGS = {"HCCL_CONNECT_TIMEOUT": CONNECT_SECONDS, "HCCL_EXEC_TIMEOUT": EXEC_SECONDS, "BELAY_THREADS": 2}

faults = []


def expect(what, truth):
    if not truth:
        faults.append(what)


def play(parts, seconds, meanwhile=None, **settings):
    return process.play(parts, LIBRARIES, seconds + SLACK, {**SETTINGS, **settings}, meanwhile)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def noticed(what, end, statuses, errors, *words):
    """A rank whose stream has failed in time, in a sentence with all the words."""
    value = end.value or {}
    expect(f"{what}: {end}", value.get("status") in statuses)
    expect(f"{what}: the communicator's error: {end}", value.get("error") in errors)
    expect(f"{what}: a later call: {end}", value.get("later") == value.get("error"))
    for word in words:
        expect(f"{what}: no '{word}' in: {end}", word in value.get("sentence", ""))


def failed_to_join(what, end, statuses, *words):
    value = end.value or {}
    expect(f"{what}: {end}", value.get("status") in statuses)
    for word in words:
        expect(f"{what}: no '{word}' in: {end}", word in value.get("sentence", ""))


def joins(rank):
    status = rank.join_with(rank.root_info())
    return {"status": status, "sentence": rank.sentence() if status else ""}


def reduces(rank):
    rank.join()
    rank.must(rank.all_reduce())
    return rank.outcome(rank.synchronize())


# Joining


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

    def comes_late(rank):
        time.sleep(1)
        return joins(rank)

    ends = play([joins, dies, comes_late], 1 + CONNECT_SECONDS)
    failed_to_join("rank 0", ends[0], (TIMEOUT, REMOTE, CONNECT, TRANSFER), "rank 1")
    # By then the others have given up, and the place is closed.
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


# Ranks that are lost


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


# Ranks that are silent


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


# Ranks that do something else


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


# Strangers


def listening(pids):
    """The places where these processes listen."""
    inodes = set()
    for pid in pids:
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                target = os.readlink(entry.path)
                if target.startswith("socket:["):
                    inodes.add(target[8:-1])
        except OSError:
            pass
    places = []
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and fields[9] in inodes:
            address, port = fields[1].split(":")
            places.append((socket.inet_ntoa(struct.pack("<I", int(address, 16))), int(port, 16)))
    return places


def annoy(places, noise, kept):
    for place in places:
        for _ in range(3):
            try:
                stranger = socket.create_connection(place, timeout=1)
                stranger.settimeout(0.05)
                stranger.sendall(noise)
            except OSError:
                continue
            kept.append(stranger)


def test_noise_while_they_join():
    """Strangers at every door from the first moment on. The ranks come together, or fail in time, with a sentence:
    Gloo takes whoever connects first for the peer."""
    for noise in (b"", b"GET / HTTP/1.0\r\n\r\n", b"\0" * 7, os.urandom(1 << 20), b"\xff" * 64):
        kept, seen = [], []

        def meanwhile(pids, folder):
            while not (folder / "root").exists():
                time.sleep(0.005)
            seen.extend(listening(pids))
            annoy(seen, noise, kept)
            (folder / "annoyed").touch()

        def waits(rank):
            info = rank.root_info()
            rank.wait_for("annoyed")
            status = rank.join_with(info)
            said = rank.sentence()
            if status == 0:
                memory = rank.memory(8, 3.0)
                rank.must(rank.all_reduce(4, memory=memory))
                rank.must(rank.synchronize())
                return {"status": 0, "sum": rank.read(memory, 4)}
            return {"status": status, "sentence": said}

        ends = play([waits, waits], CONNECT_SECONDS + 2, meanwhile)
        for stranger in kept:
            stranger.close()
        expect("only the loopback is listened on", seen and all(address == "127.0.0.1" for address, _ in seen))
        for number, end in enumerate(ends):
            expect(f"{len(noise)} bytes, rank {number}: {end}", (end.value or {}).get("sum") == [6.0] * 4)


def test_noise_all_the_time():
    """Whoever connects to whatever listens after the ranks have come together changes nothing."""
    kept = []

    def meanwhile(pids, folder):
        while not all((folder / f"joined{number}").exists() for number in range(2)):
            time.sleep(0.005)
        annoy(listening(pids), os.urandom(4096), kept)
        (folder / "annoyed").touch()

    def works(rank):
        rank.join()
        rank.mark(f"joined{rank.number}")
        rank.wait_for("annoyed")
        memory = rank.memory(200, 0.0)
        for _ in range(50):
            rank.must(rank.all_reduce(100, memory=memory))
        rank.must(rank.synchronize())
        return {"status": 0}

    for number, end in enumerate(play([works, works], 5, meanwhile)):
        expect(f"rank {number}: {end}", (end.value or {}).get("status") == 0)
    for stranger in kept:
        stranger.close()


def test_nothing_listens_before():
    """Opening the library, and a rank alone, open no door; nor does what has ended."""
    def alone(rank):
        before = listening([os.getpid()])
        rank.must(rank.join_with(bytes(4108), number=0, size=1) if False else 0)
        return before

    def behind(rank):
        rank.join()
        rank.must(rank.all_reduce())
        rank.must(rank.synchronize())
        rank.must(rank.destroy())
        time.sleep(0.2)
        return listening([os.getpid()])

    ends = play([alone], 2) + play([behind, behind], 2)
    for end in ends[:1]:
        expect(f"before: {end}", end.value == [])


# Leaving


def threads_and_files():
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))


def test_destroyed_with_work():
    """What waits for others ends when its communicator does, and nobody waits for long."""
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

    ends = play([leaves, leaves], 8, HCCL_EXEC_TIMEOUT=60)
    value = ends[0].value or {}
    expect(f"destroyed: {ends[0]}", value.get("status") == 0 and value.get("seconds", 99) < 7)
    expect(f"the stream: {ends[0]}", value.get("synchronized") != 0 and value.get("sentence"))


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
            counts.append(threads_and_files())
        return counts

    ends = play([fails, fails], 4 * 5, HCCL_CONNECT_TIMEOUT=2)
    for number, end in enumerate(ends):
        expect(f"rank {number}: {end}", isinstance(end.value, list) and end.value[-1] <= end.value[1])


def test_leaves_at_once():
    """Whoever is done first may go first: the others get all that it has sent."""
    def goes(rank):
        for turn in range(10):
            rank.join(f"root{turn}")
            count = 1 << 20
            memory = rank.memory(2 * count, 1.0) if turn == 0 else memory
            rank.must(rank.all_reduce(count, memory=memory))
            rank.must(rank.synchronize())
            rank.must(rank.destroy())
        return {"status": 0}

    for number, end in enumerate(play([goes, goes, goes], 20)):
        expect(f"rank {number}: {end}", (end.value or {}).get("status") == 0)


GROUPS = {
    "joining": (test_one_never_comes, test_one_is_killed_while_it_joins, test_the_root_is_killed,
                test_one_stops_while_it_joins, test_the_same_rank_twice, test_another_number_of_ranks,
                test_wrong_root_info, test_a_root_info_serves_once, test_a_port_is_taken,
                test_addresses_that_are_none),
    "lost": (test_killed_before_a_collective, test_killed_while_others_wait, test_killed_in_a_large_one,
             test_killed_before_it_sends, test_killed_with_much_queued, test_another_communicator_lives),
    "silent": (test_stopped, test_comes_too_late, test_never_calls, test_nobody_receives),
    "mistakes": (test_another_count, test_another_collective, test_another_dtype, test_another_operation,
                 test_another_root, test_a_large_one_against_a_small_one),
    "strangers": (test_noise_while_they_join, test_noise_all_the_time, test_nothing_listens_before),
    "leaving": (test_destroyed_with_work, test_exit_with_work, test_nothing_is_left, test_leaves_at_once),
}


def without_gloo(rank):
    status, _ = rank.describe_root()
    return {"status": status, "sentence": rank.sentence()}


def main():
    (end,) = play([without_gloo], 5)
    if (end.value or {}).get("status") == NOT_SUPPORTED:
        print(end.value["sentence"])
        return 77
    asked = sys.argv[2:] or list(GROUPS)
    tests = [test for name, group in GROUPS.items() for test in group if name in asked or test.__name__ in asked]
    for test in tests:
        before = len(faults)
        begin = time.monotonic()
        test()
        print(f"{'passed' if len(faults) == before else 'FAILED'} {test.__name__} {time.monotonic() - begin:.1f} s", flush=True)
        for fault in faults[before:]:
            print(f"    {fault}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
