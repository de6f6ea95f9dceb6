# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Programs of others that processes run together, each by one and two: a line of JSON for each, as beside.py has them.

    launched.py BELAY PYTHON accelerate|deepspeed      the scripts of accelerate.test_utils, or tests/clients/torch_deepspeed
"""
import json
import os
import pathlib
import subprocess
import sys

belay, python, suite = sys.argv[1:]
SECONDS = int(os.environ.get("BELAY_CLIENTS_SECONDS", "300"))
here = pathlib.Path(__file__).resolve().parents[1]
ACCELERATE = ("test_script", "test_ops", "test_sync", "test_distributed_data_loop", "test_ddp_comm_hook", "external_deps/test_checkpointing")


def programs():
    if suite == "deepspeed":
        return {"zero": here / "torch_deepspeed/zero.py"}
    found = subprocess.run([belay, "run", python, "-c", "import accelerate.test_utils as t; print(t.__path__[0])"], check=True,
                           capture_output=True, text=True).stdout.strip().splitlines()[-1]
    return {name: pathlib.Path(found, "scripts", name + ".py") for name in ACCELERATE}


for name, path in programs().items():
    for count in (1, 2):
        environment = {**os.environ, "BELAY_DEVICES": str(count), "BELAY_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore",
                       "ACCELERATE_USE_NPU": "true"}
        command = [belay, "run", python, "-B", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count), str(path)]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
            status, said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            # No answer of the program's: a run on a machine that is busy says so, and is cut.
            print(json.dumps({"case": f"{name} x{count}", "outcome": "cut", "detail": f"longer than {SECONDS} s"}), flush=True)
            continue
        lines = [line.strip() for line in said.splitlines() if "Error" in line and "elastic" not in line and "ChildFailedError" not in line]
        print(json.dumps({"case": f"{name} x{count}", "outcome": "right" if status == 0 else "failed",
                          "detail": "" if status == 0 else f"status {status}: {(lines or [said[-200:]])[-1][:300]}"}), flush=True)
