#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes tests/ops/recorded_digests.txt: the digest of what every function computes (tests/ops/recorded.c); and
tests/numerics/maths_bits.txt, of what the maths give (tests/numerics/maths_bits.c).

    scripts/recorded_digests.py build-gcc

After a function is added, or computes other bits on purpose: its line alone changes. The build has to be that of the tree.
Levels of instructions that the machine does not have keep what is recorded of them.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What every function computes, as digests of its bits: with no setting, and, where they are others, where accuracy
# is exact and where the product is another one. Written by scripts/recorded_digests.py, compared by ops/recorded.
#
"""
HEAD_OF_MATHS = """# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# What the maths give, as digests of its bits: one, or of estimates whose last bits are a level's own one for each level from
# the lowest, the last one for those above, too. Written by scripts/recorded_digests.py, compared by numerics/maths_bits.
#
"""
DIGEST = re.compile(r"^(aclnn\w+) ([0-9a-f]{16})$", re.M)
MATHS_LINE = re.compile(r"^\w+(?: [0-9a-f]{16})+$", re.M)
LEVELS = 3  # that have kernels: baseline, avx2, avx512
SETTINGS = {"default": {}, "exact": {"BELAY_ACCURACY": "exact"}, "Ascend950PR": {"BELAY_SOC": "Ascend950PR"}}


def digests(program, setting):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BELAY_")}
    run = subprocess.run([program, "--record"], env=environment | setting, check=False, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit("\n".join(line for line in (run.stdout + run.stderr).split("\n") if not DIGEST.match(line)))
    return dict(DIGEST.findall(run.stdout))


def with_levels_of_others(found, before):
    """A row of the maths: what was found on this machine's levels, and what was recorded of those that it does not have,
    where they had a digest of their own; without those that repeat at its end."""
    before = before and before + before[-1:] * (LEVELS - len(before))
    absent = range(len(found), LEVELS)
    row = found + [before[i] if before and before[i] != before[len(found) - 1] else found[-1] for i in absent]
    while len(row) > 1 and row[-1] == row[-2]:
        row.pop()
    return row


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve() / "bin/test_ops_recorded"
    found = {name: digests(program, setting) for name, setting in SETTINGS.items()}
    lines = []
    for name in sorted(set().union(*found.values())):
        usual = found["default"].get(name)
        words = [f"{key}={values[name]}" for key, values in found.items() if name in values and values[name] != usual]
        lines.append(" ".join([name] + ([usual] if usual else []) + words))
    (ROOT / "tests/ops/recorded_digests.txt").write_text(HEAD + "\n".join(lines) + "\n")
    print(f"{len(lines)} functions")
    program = pathlib.Path(sys.argv[1]).resolve() / "bin/test_numerics_maths_bits"
    run = subprocess.run([program, "--record"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    recorded = ROOT / "tests/numerics/maths_bits.txt"
    before = {line.split()[0]: line.split()[1:] for line in MATHS_LINE.findall(recorded.read_text())}
    lines = [" ".join([name] + with_levels_of_others(digests, before.get(name, [])))
             for name, *digests in map(str.split, MATHS_LINE.findall(run.stdout))]
    recorded.write_text(HEAD_OF_MATHS + "\n".join(lines) + "\n")
    print(f"{len(lines)} of the maths")


if __name__ == "__main__":
    main()
