# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Runs a program's functions on the device, and in another process on MindSpore's CPU device, and compares what they give."""
import os
import subprocess
import sys
import tempfile
import traceback

import numpy as np

from support import target


def run(functions, rtol=1e-4, atol=1e-5):
    """functions: names and functions that return numbers, or lists of arrays. Does not return."""
    program, side = os.path.abspath(sys.argv[0]), os.environ.get("BELAY_CLIENTS_SIDE")
    target.choose("CPU" if side else None)
    found, failed = {}, 0
    for name, function in functions.items():
        try:
            for i, one in enumerate(function()):
                found[f"{name} {i}"] = np.asarray(one)
        except Exception as error:
            failed += 1
            traceback.print_exc(limit=4)
            print(f"failed   {name} on {'the CPU' if side else 'the device'}: {' '.join(str(error).split())[:200]}")
    if side:
        np.savez(side, **found)
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "found.npz")
        environment = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
        subprocess.run([sys.executable, "-B", program], env={**environment, "BELAY_CLIENTS_SIDE": path}, check=True)
        truth = dict(np.load(path))
    for key in truth:
        if key not in found:
            print(f"missing  {key}")
            failed += 1
        elif found[key].shape != truth[key].shape or not np.allclose(found[key], truth[key], rtol, atol, equal_nan=True):
            print(f"wrong    {key}: {found[key].reshape(-1)[:6]}, {truth[key].reshape(-1)[:6]} on the CPU")
            failed += 1
    print(f"{len(truth)} results as on the CPU, {failed} faults")
    sys.exit(failed > 0 or not truth)
