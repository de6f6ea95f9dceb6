#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Runs tests of a build under valgrind's memcheck, each in the environment that ctest gives it.

    scripts/memcheck.py build-soak '^(runtime|tensor|ops)/'

A line for each program that has a report, or fails without one, as those do that look at time or at how much memory is
resident; logs lie in BUILD/memcheck. The last line is the figure. The exit status is 1 when there was a report.
Memory that threads hold while the process ends is no leak.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

VALGRIND = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite,indirect",
            "--errors-for-leak-kinds=definite,indirect", "--error-exitcode=99"]
# Conversions of every pair of dtypes: half a minute even without valgrind. And a program that replaces operators that
# valgrind replaces, too.
LEFT_OUT = re.compile(r"^(ops/convert_pairs|tensor/getter_replaced)$")
LIMIT_SECONDS = 3600


def check(build, entry):
    """(name, reports, what is wrong or None)"""
    properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
    environment = os.environ | dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
    name, log = entry["name"], build / "memcheck" / (re.sub(r"\W", "_", entry["name"]) + ".log")
    with log.open("w") as output:
        try:
            status = subprocess.run(VALGRIND + entry["command"], cwd=properties.get("WORKING_DIRECTORY", build),
                                    env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                    timeout=LIMIT_SECONDS).returncode
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
    # Of its children, too.
    reports = sum(int(number) for number in re.findall(r"ERROR SUMMARY: (\d+) errors", log.read_text(errors="replace")))
    is_fault = status not in (0, properties.get("SKIP_RETURN_CODE", 0))
    return name, reports, f"status {status}, {reports} reports: {log}" if is_fault or reports else None


def main():
    build, pattern = pathlib.Path(sys.argv[1]).resolve(), re.compile(sys.argv[2])
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, text=True,
                             capture_output=True)
    tests = [entry for entry in json.loads(listing.stdout)["tests"] if "command" in entry and
             "/bin/test_" in entry["command"][0] and pattern.search(entry["name"]) and not LEFT_OUT.search(entry["name"])]
    (build / "memcheck").mkdir(exist_ok=True)
    all_reports, failures = 0, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, reports, fault in pool.map(lambda entry: check(build, entry), tests):
            if fault:
                print(f"{name}: {fault}", flush=True)
            all_reports += reports
            failures += fault is not None and reports == 0
    print(f"{len(tests)} programs, {all_reports} reports, {failures} fail without one")
    return 1 if all_reports or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
