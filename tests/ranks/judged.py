# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""How tests of ranks play their parts, and what they expect of each rank's end."""
import os
import pathlib
import signal
import sys

import process

LIBRARIES = pathlib.Path(sys.argv[1]).resolve()
STREAM_TIMEOUT, STREAM_REMOTE, STREAM_OTHER = 107020, 507057, 507018
CONNECT_SECONDS, EXEC_SECONDS = 3, 3
SLACK = 20  # seconds that a loaded machine may take besides; the library's own limits are minutes
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
