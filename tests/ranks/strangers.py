# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Others than ranks at the places where ranks listen."""
import os
import pathlib
import socket
import struct
import time

from judged import CONNECT_SECONDS, expect, play


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
