# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Ranks that are killed, stop, come late or never, do something else, and strangers: each other rank ends in time, with
a code and a sentence that names who is missing.

    faults.py LIBRARIES [GROUP...]      groups of tests: joining lost silent mistakes strangers leaving
"""
import sys
import time

import joining
import leaving
import lost
import mistakes
import silent
import strangers
from judged import faults, play
from process import NOT_SUPPORTED

GROUPS = {module.__name__: [test for name, test in vars(module).items() if name.startswith("test_")]
          for module in (joining, lost, silent, mistakes, strangers, leaving)}


def without_gloo(rank):
    status, _ = rank.describe_root()
    return {"status": status, "sentence": rank.sentence()}


def main():
    (end,) = play([without_gloo], 5)
    if (end.value or {}).get("status") == NOT_SUPPORTED:
        print(end.value["sentence"])
        return 77
    asked = sys.argv[2:] or list(GROUPS)
    tests = [test for name, group in GROUPS.items() for test in group if name in asked or test.__name__ in asked]
    for test in tests:
        before = len(faults)
        begin = time.monotonic()
        test()
        end = "passed" if len(faults) == before else "FAILED"
        print(f"{end} {test.__name__} {time.monotonic() - begin:.1f} s", flush=True)
        for fault in faults[before:]:
            print(f"    {fault}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
