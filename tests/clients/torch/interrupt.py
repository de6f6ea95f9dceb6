# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ctrl-C in the middle of work: the exception arrives, the device goes on, and a program that ends by it does end."""
import os
import signal
import subprocess
import sys

import torch

LOOP = """
import torch
x = torch.ones(1 << 20, device="npu")
print("working", flush=True)
while True:
    x = x * 1.0
"""

x = torch.ones(1 << 20, device="npu")
try:
    for step in range(1000):
        x = x + 1
        if step == 500:
            os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("the interrupt is lost")
assert x[0].item() in (501, 502) and torch.equal((x - x).cpu(), torch.zeros(1 << 20))

child = subprocess.Popen([sys.executable, "-c", LOOP], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
assert child.stdout.readline() == "working\n"
child.send_signal(signal.SIGINT)
_, complaints = child.communicate(timeout=60)
assert child.returncode == -signal.SIGINT and "KeyboardInterrupt" in complaints, (child.returncode, complaints)
