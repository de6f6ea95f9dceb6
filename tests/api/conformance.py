# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""scripts/conformance.py: which suites come first in a run that has not time for all, and what a client script's lines and
its end count as: conformance.py ROOT"""
import sys

sys.path.insert(0, sys.argv[1] + "/scripts")
import conformance  # noqa: E402  pylint: disable=wrong-import-position


def run(suite, date, cut=False, not_begun=0):
    return {"suite": suite, "product": "A", "date": date, "is_cut": cut, "not_begun": not_begun}


runs = [run("new", "2026-11-29"), run("old", "2026-11-28"), run("cut", "2026-11-29", cut=True), run("short", "2026-11-29", not_begun=3)]
found = conformance.order(["new A", "old A", "cut A", "never A", "short A", "new B"], runs)
assert found == ["never A", "new B", "cut A", "short A", "old A", "new A"], found

lines = "passed  one    3 s\nFAILED  two of four words    4 s  why\nFAILED  three: why\n1 passed, 2 failed\n"
counted = conformance.read_lines("kernels", lines)
failed = [case for group in counted["failures"] for case in group["cases"]]
assert (counted["passed"], failed, counted["is_cut"]) == (1, ["three: why", "two of four words"], False), counted
assert conformance.read_lines("kernels", lines + '{"case": "", "outcome": "cut"}\n')["is_cut"]
