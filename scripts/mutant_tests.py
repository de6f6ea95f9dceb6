# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Runs the tests of a build for scripts/mutants.py and scripts/mutants_reach.py: one at a time, under a limit for processor
time, and so that a run may be ended or stand still at any moment."""
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

# What proves the kernels, or looks at the build and not at what the code does.
OTHER_TESTS = re.compile(r"^(numerics|install|headers)/|^api/(links|exports|hardening|header|names|bridge|"
                         r"prototypes|readme|adding)|^python/document|^programs/(soak|build|moved|other|samples)")


class Ended(Exception):
    """What runs is to be given up: the whole run ends, or stands still."""


class Pause:
    """Whether to go on."""

    def __init__(self, quiet):
        self.quiet = pathlib.Path(quiet) if quiet else None
        self.is_over = threading.Event()

    def is_asked_for(self):
        return self.is_over.is_set() or (self.quiet is not None and self.quiet.exists())

    def wait(self):
        """Until the file is gone; false when the run is over."""
        while not self.is_over.is_set() and self.is_asked_for():
            time.sleep(1)
        return not self.is_over.is_set()


def used(group):
    """The time that the process group has had of processors, and the longest that a thread of it has stood in a processor's
    queue, in seconds."""
    had, longest, tick = 0, 0, os.sysconf("SC_CLK_TCK")
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                had += sum(int(field) for field in fields[11:15]) / tick
                for thread in stat.parent.glob("task/*/schedstat"):
                    longest = max(longest, int(thread.read_text().split()[1]))
        except (OSError, IndexError):
            pass # it has ended
    return had, longest / 1e9


def run(command, folder, environment, limit, pause, every=0.1):
    """The exit status, None when it took more than limit seconds of processors, or twice that in which it did not wait for
    one on a busy machine. Nothing of it is left afterwards."""
    # A mutant may take all the memory there is: it, and nothing else, is to end then. The group is no session, which
    # would have the priority of one that somebody waits for.
    process = subprocess.Popen(["sh", "-c", 'echo 1000 >/proc/self/oom_score_adj; exec "$@"', "sh"] + command,
                               cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, process_group=0)
    begin, look = time.monotonic(), 2
    try:
        while True:
            try:
                return process.wait(every)
            except subprocess.TimeoutExpired:
                if pause.is_asked_for():
                    raise Ended from None
                if time.monotonic() > begin + look:
                    had, waited = used(process.pid)
                    if had > limit or time.monotonic() > begin + 2 * limit + waited:
                        return None
                    look += 2
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


PASSED, FAILED, TOOK_TOO_LONG = range(3)


class Test:
    def __init__(self, entry, build):
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        self.name = entry["name"]
        self.command = entry.get("command")
        self.folder = properties.get("WORKING_DIRECTORY", str(build))
        self.environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        self.must_fail = properties.get("WILL_FAIL", False)
        self.skip_status = properties.get("SKIP_RETURN_CODE", None)
        self.seconds = 0.0

    def outcome(self, pause):
        """PASSED, FAILED or TOOK_TOO_LONG."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("BELAY_", "ASCEND_", "LD_"))}
        status = run(self.command, self.folder, environment | self.environment, 6 + 6 * self.seconds, pause,
                     0.02 if self.seconds < 1 else 0.2)
        if status is None:
            return TOOK_TOO_LONG
        return PASSED if (status != 0) == bool(self.must_fail) or status == self.skip_status else FAILED
