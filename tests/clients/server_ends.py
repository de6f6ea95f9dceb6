# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Whether what tests/clients/vllm and its script start ends with them, however they end: server_ends.py TREE."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TREE = pathlib.Path(sys.argv.pop())
# A server with a process of its own, and a program that runs it until it is told to end or, with a word, fails.
PROGRAM = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import server
server.PATIENCE = 5
command = ["sh", "-c", "trap 'exit 1' TERM; sleep 600 & echo $$ $!; wait"]
with server.running(command, dict(os.environ)):
    time.sleep(1 if sys.argv[2:] else 600)
    sys.exit(1)
"""


def has_ended(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


class Ends(unittest.TestCase):
    def assert_ended(self, *processes):
        deadline = time.monotonic() + 30
        while not all(map(has_ended, processes)):
            self.assertLess(time.monotonic(), deadline, "what was started still runs")
            time.sleep(0.05)

    def start(self, *words):
        program = subprocess.Popen([sys.executable, "-B", "-c", PROGRAM, TREE / "tests/clients/vllm/support", *words],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(program.stdout.close)
        started = [int(word) for word in program.stdout.readline().split()]
        self.assertEqual(len(started), 2)
        for process in started:
            self.addCleanup(lambda process=process: has_ended(process) or os.kill(process, signal.SIGKILL))
        return program, started

    def test_a_program_that_fails(self):
        program, started = self.start("fails")
        self.assertEqual(program.wait(60), 1)
        self.assert_ended(*started)

    def test_a_program_that_is_told_to_end(self):
        program, started = self.start()
        program.terminate()
        program.wait(60)
        self.assert_ended(*started)

    def test_a_program_that_is_killed(self):
        program, (server, _) = self.start()
        program.kill()
        program.wait(60)
        self.assert_ended(server)

    def test_the_script(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "vllm").mkdir()
            (root / "vllm/complete").touch()
            (root / "bin").mkdir()
            (root / "bin/belay").write_text(f"#!/bin/sh\necho $$ >{root}/process\nexec sleep 600\n")
            (root / "bin/belay").chmod(0o755)
            script = subprocess.Popen([TREE / "scripts/clients_vllm.sh", root], env=dict(os.environ, BELAY_CLIENTS=folder),
                                      stdout=subprocess.DEVNULL)
            deadline = time.monotonic() + 60
            while not (root / "process").exists() or not (root / "process").read_text():
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            row = int((root / "process").read_text())
            self.addCleanup(lambda: has_ended(row) or os.kill(row, signal.SIGKILL))
            script.terminate()
            self.assertNotEqual(script.wait(60), 0)
            self.assert_ended(row)


unittest.main()
