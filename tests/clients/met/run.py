# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Runs each entry of the files beside this one on toolkits, and prints a table of what holds.

    run.py [--only PATTERN] [--write FILE] PYTHON [BEFORE] ROOT

PYTHON has torch_npu; BEFORE and ROOT are installed toolkits. Where an entry does not hold, its last line of text is given.
The exit status is 0 where all hold on the last ROOT. --write puts the table into FILE, between its marks."""
import argparse
import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FILES = ("silent", "misleading", "profilers", "blocks", "by_name", "boxes", "dtypes", "surroundings", "told")
SECONDS = 100
BEGIN, END = "<!-- entries begin -->\n", "<!-- entries end -->\n"


def entries():
    """(file, number, what, product, command): of the heads of the functions, which name no product but the newest."""
    for name in FILES:
        for node in ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8")).body:
            for head in getattr(node, "decorator_list", []):
                number, what = [argument.value for argument in head.args[:2]]
                given = {key.arg: key.value.value for key in head.keywords}
                yield name, number, what, "Ascend950PR_9599" if len(head.args) > 2 else "Ascend910B3", given.get("under", "run")


class Toolkit:
    """Processes of a toolkit, one for each way to run them; holds() gives whether, and the last that was said."""

    def __init__(self, root, python):
        self.command, self.python, self.servers = f"{root}/bin/belay", python, {}

    def holds(self, name, number, product, under):
        key = under, product
        if key not in self.servers:
            quiet = {key: value for key, value in os.environ.items() if not key.startswith(("BELAY_", "ASCEND_"))}
            self.servers[key] = subprocess.Popen(
                [self.command, under, self.python, "-B", str(HERE / "entry.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
                env={**quiet, "BELAY_SOC": product, "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore", "OMP_NUM_THREADS": "1", "BELAY_THREADS": "1"})
        server = self.servers[key]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "said")
            server.stdin.write(f"{number}\t{name}\t{product}\t{path}\t{SECONDS}\n")
            server.stdin.flush()
            status = server.stdout.readline().strip()
            said = pathlib.Path(path).read_text(encoding="utf-8", errors="replace") if os.path.exists(path) else ""
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        if "holds" in lines and status == "0":
            return True, ""
        if status == "late":
            return False, f"still runs after {SECONDS} s"
        errors = [line for line in lines if re.match(r"[\w.]*(Error|Interrupt|Exit|Empty)\b", line)]
        last = (errors or lines or ["nothing"])[-1] if int(status) > 255 else f"ended by signal {status}"
        return False, re.sub(r"[|`<>]", " ", last)[:110]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--write", default="")
    parser.add_argument("python")
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    options = parser.parse_args()
    toolkits = [Toolkit(root, options.python) for root in options.roots]
    found, every = [], list(entries())
    for name, number, what, product, under in every:
        if not re.match(options.only, number):
            continue
        answers = [toolkit.holds(name, number, product, under) for toolkit in toolkits]
        found.append(f"| {number} | {what} | " + " | ".join("holds" if is_so else f"not: {why}" for is_so, why in answers) + " |\n")
        print(found[-1], end="", flush=True)
    good = sum(line.endswith("| holds |\n") for line in found)
    print(f"{len(found)} entries, {good} hold on {options.roots[-1]}")
    if options.write:
        path = pathlib.Path(options.write)
        before, rest = path.read_text(encoding="utf-8").split(BEGIN)
        heads = " | ".join(["f53b65d0", "now"][-len(options.roots):])
        path.write_text(before + BEGIN + f"| entry | what | {heads} |\n|---|---|" + "---|" * len(options.roots) + "\n" + "".join(found) + END
                        + rest.split(END)[1], encoding="utf-8")
    return good != len(found)


if __name__ == "__main__":
    sys.exit(main())
