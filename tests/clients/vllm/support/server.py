# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""A server, with all that it starts, that ends with the program that has started it."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys

PR_SET_PDEATHSIG = 1
PATIENCE = 60  # seconds


def end_program(number, _):
    sys.exit(128 + number)


def end_group(server):
    os.killpg(server.pid, signal.SIGINT)
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


@contextlib.contextmanager
def running(command, environment):
    """The process of the command, a group of its own, until the block ends or the program is told to. If the program is
    killed, the process is told to end."""
    prctl = ctypes.CDLL(None).prctl
    told = signal.SIGTERM, signal.SIGHUP

    def prepare():
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, told)

    for number in told:
        signal.signal(number, end_program)
    signal.pthread_sigmask(signal.SIG_BLOCK, told)  # until there is something that has to end
    server = subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=prepare)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, told)
        yield server
    finally:
        for number in told:
            signal.signal(number, signal.SIG_IGN)
        end_group(server)
        for number in told:
            signal.signal(number, signal.SIG_DFL)
