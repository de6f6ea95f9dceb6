# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""What memory of this process is resident, as Linux tells it."""
import threading


def resident(name):
    """VmRSS, what is resident now, or VmHWM, the most that was, in bytes."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def forget_peak():
    """Makes VmHWM what is resident now."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def resident_of_no_file():
    """What is resident now of the process's own memory and of what it shares, without files that it has mapped."""
    with open("/proc/self/status") as lines:
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("RssAnon", "RssShmem")))


class PeakOfNoFile:
    """The most of it while this lives: Linux keeps no such number, so a thread looks again and again."""

    SECONDS = 0.005

    def __init__(self):
        self.most = resident_of_no_file()
        self.ended = threading.Event()
        self.watch = threading.Thread(target=self.look, daemon=True)
        self.watch.start()

    def look(self):
        while not self.ended.wait(self.SECONDS):
            self.most = max(self.most, resident_of_no_file())

    def end(self):
        self.ended.set()
        self.watch.join()
        return max(self.most, resident_of_no_file())
