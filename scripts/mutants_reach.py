#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Which tests reach which lines, so that scripts/mutants.py need not run those that cannot notice a mutant.

    scripts/mutants_reach.py        after scripts/coverage.sh has built build-coverage

Runs each test of the instrumented build by itself and keeps the lines that it took in build-mutants/reach.json. Its profiles
together are those of scripts/coverage.sh, whose figures they give without another run.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import mutants
from mutant_tests import OTHER_TESTS, PASSED, Pause, Test

BUILD = mutants.ROOT / "build-coverage"
# They run programs in environments of their own making, or under limits that leave no room for counters.
ALWAYS = re.compile(r"^(api|check|faults|python|tools)/|^runtime/(device_memory|log|log_places|settings|version)$")


def lines_taken(profile, program):
    """The lines with counters of each file: (those that were taken, all)."""
    objects = [str(BUILD / "lib64" / f"lib{name}.so") for name in ("ascendcl", "nnopbase", "opapi")]
    objects += [str(BUILD / "bin" / "belay")] + ([program] if program else [])
    listing = subprocess.run(["llvm-cov", "export", "-format=lcov", "-instr-profile", str(profile), objects[0]] +
                             [word for name in objects[1:] for word in ("-object", name)], check=True, text=True,
                             capture_output=True).stdout
    found, name = {}, None
    for line in listing.split("\n"):
        if line.startswith("SF:"):
            path = pathlib.Path(line[3:])
            name = str(path.relative_to(mutants.ROOT)) if path.is_relative_to(mutants.ROOT / "src") else None
        elif line.startswith("DA:") and name:
            number, count = line[3:].split(",")[:2]
            taken, every = found.setdefault(name, (set(), set()))
            every.add(int(number))
            if count != "0":
                taken.add(int(number))
    return found


def reached_by(test):
    folder = BUILD / "reach" / test.name.replace("/", "_").replace(":", "_")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        old.unlink()
    # The counters are in files that are mapped (%c), so that children that are killed count, too.
    test.environment["LLVM_PROFILE_FILE"] = str(folder / "%c%m.profraw")
    test.seconds = 120.0
    if test.outcome(Pause(None)) != PASSED:
        return None
    raw = [str(path) for path in folder.glob("*.profraw")]
    if not raw:
        return None
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", str(folder / "profdata")] + raw, check=True)
    program = test.command[0] if "/bin/test_" in test.command[0] else None
    return lines_taken(folder / "profdata", program)


def main():
    listing = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, text=True,
                             capture_output=True)
    tests = [Test(entry, BUILD) for entry in json.loads(listing.stdout)["tests"] if "command" in entry]
    tests = [test for test in tests if not OTHER_TESTS.search(test.name)]
    files, unknown = {}, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for test, found in zip(tests, pool.map(reached_by, tests)):
            if found is None:
                unknown.append(test.name)
                print(f"always run, as it fails with counters: {test.name}", flush=True)
                continue
            for name, (taken, every) in found.items():
                known = files.setdefault(name, {"tests": {}, "lines": set()})
                known["lines"] |= every
                if taken and not ALWAYS.search(test.name):
                    known["tests"][test.name] = sorted(taken)
    for name, known in files.items():
        known["lines"] = sorted(known["lines"])
        known["digest"] = hashlib.sha256((mutants.ROOT / name).read_bytes()).hexdigest()
    known = [test.name for test in tests if test.name not in unknown and not ALWAYS.search(test.name)]
    mutants.WORK.mkdir(exist_ok=True)
    mutants.REACH.write_text(json.dumps({"tests": known, "files": files}))
    print(f"{len(known)} tests of {len(tests)}, {len(files)} files", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
