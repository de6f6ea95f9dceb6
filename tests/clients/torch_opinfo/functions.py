# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Which of the library's functions PyTorch's databases of samples compare: a line "function TAB kind TAB entry" each.

    belay run PYTHON functions.py [PATTERN [PROCESSES]] >LINES         PATTERN picks entries ("operator add")

Each entry runs in a process of its own, forked before the library is used, with a timeline: what it has is what was
really called. An entry counts where every one of its first samples is right (judge.py): then so is whatever its functions
computed. scripts/states.py puts the lines into tests/clients/compared.txt.
"""
import glob
import itertools
import os
import re
import sys
import tempfile
import time
import warnings

warnings.simplefilter("ignore")
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import torch  # noqa: E402
import torch_npu  # noqa: E402,F401

import judge  # noqa: E402
import subjects  # noqa: E402

DTYPES = ("float32", "int64", "bool")
SAMPLES = 10
SECONDS = 60
torch.set_num_threads(1)


def is_right(job):
    """Whether there are samples that the CPU computes, and each of the first of them is right."""
    count = 0
    torch.manual_seed(11)
    for sample in itertools.islice(subjects.samples(job), SAMPLES):
        try:
            expected = sample.run("cpu")
        except Exception:  # noqa: BLE001 - there is nothing to compare with
            continue
        values = sample.run("npu")
        torch.npu.synchronize()
        values = [value.cpu() if isinstance(value, torch.Tensor) else value for value in values]
        if judge.judge(values, expected, lambda sample=sample: sample.run("cpu", torch.float64)):
            return False
        count += 1
    return count > 0


def begin(job, folder):
    child = os.fork()
    if child:
        return child
    os.environ["BELAY_TRACE"] = f"{folder}/{job.replace(' ', '-')}"
    try:
        good = is_right(job)
    except Exception:  # noqa: BLE001 - refused, or no samples
        good = False
    os._exit(0 if good else 1)


def finish(children, folder, names):
    """Waits for one of them, and prints what it called."""
    while True:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            break
        for late, (_, started) in children.items():
            if time.monotonic() - started > SECONDS:
                os.kill(late, 9)
        time.sleep(0.02)
    job = children.pop(child)[0]
    for path in glob.glob(f"{folder}/{job.replace(' ', '-')}.*"):
        with open(path, "rb") as file:
            called = {name.decode() for name in re.findall(rb"\baclnn[A-Za-z0-9]+\b", file.read())}
        os.remove(path)
        for name in sorted(called) if status == 0 else ():
            answers.write(f"{name}\t{job.split()[0]}\t{names[job]}\n")
    answers.flush()


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    names = {job: name for job, name, dtype in subjects.jobs()
             if dtype in DTYPES and re.search(pattern, f"{job.split()[0]} {name}")}
    children = {}
    with tempfile.TemporaryDirectory() as folder:
        for job in names:
            if len(children) == processes:
                finish(children, folder, names)
            children[begin(job, folder)] = job, time.monotonic()
        while children:
            finish(children, folder, names)


if __name__ == "__main__":
    main()
