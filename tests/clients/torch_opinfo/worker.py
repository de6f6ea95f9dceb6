# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Runs the jobs that come as lines of standard input, on both devices, and prints a line of JSON for each sample.

Before a sample a line says that it begins, so that whoever reads knows which one ended the process.
"""
import json
import os
import re
import sys
import traceback
import warnings

# What a library prints belongs to standard error; standard output is the protocol's alone.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
warnings.simplefilter("ignore")

import torch  # noqa: E402
import torch_npu  # noqa: E402,F401

import judge  # noqa: E402
import subjects  # noqa: E402

torch.set_num_threads(1)


def say(**line):
    answers.write(json.dumps(line) + "\n")
    answers.flush()


def settled():
    """Waits for the device; what failed late is raised here."""
    torch.npu.synchronize()


def clear():
    """Reads what failures are left, so that none of them is taken for the next sample's."""
    for _ in range(3):
        try:
            settled()
            return
        except Exception:  # noqa: BLE001 - they are of the sample before
            continue


def reason(error):
    """What an exception says, in one line: the library's sentence where there is one, without what torch_npu writes
    around it (times, processes, traces)."""
    said = " ".join(f"{type(error).__name__}: {error}".split())
    sentence = re.search(r"\b(?:acl|hccl|Hccl)\w*: .*?(?= TraceBack|$)", said)
    return (sentence.group() if sentence else said)[:400]


def run(sample):
    try:
        expected = sample.run("cpu")
    except Exception as error:  # noqa: BLE001 - whatever it is, there is nothing to compare with
        return "cpu", reason(error)
    try:
        values = sample.run("npu")
        settled()
        values = [value.cpu() if isinstance(value, torch.Tensor) else value for value in values]
        settled()
    except Exception as error:  # noqa: BLE001
        clear()
        return "refused", reason(error)
    try:
        fault = judge.judge(values, expected, lambda: sample.run("cpu", torch.float64))
    except Exception:  # noqa: BLE001
        return "wrong", "the judge failed: " + traceback.format_exc()[-400:]
    return ("wrong", fault) if fault else ("right", "")


for line in sys.stdin:
    job = line.strip()
    try:
        torch.manual_seed(11)
        for sample in subjects.samples(job):
            say(job=job, sample=sample.name, begins=True)
            outcome, detail = run(sample)
            say(job=job, sample=sample.name, outcome=outcome, detail=detail)
    except Exception as error:  # noqa: BLE001 - PyTorch's own samples cannot be made
        clear()
        say(job=job, sample="-", outcome="cpu", detail="samples: " + reason(error))
    say(job=job, done=True)
