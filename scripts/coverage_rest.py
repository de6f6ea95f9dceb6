#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""The branches that no test took, against the list of those that are known, with the reason for each.

    llvm-cov show -show-branches=count ... | scripts/coverage_rest.py tests/branches_not_taken.txt

scripts/coverage.sh rest calls it. A line of the list is FILE: LINE OF SOURCE: never true, and stands under the
reason for it, a line that begins with #. Prints what is missed and not listed; the exit status is 1 then.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"


def missed(lines):
    """
    FILE: SOURCE: WHAT of each branch that was never taken; where a file is compiled more than once, by none. The
    branch in TRY(...) belongs to the line that uses it; those in macros of kernels are not looked at.
    """
    taken, name, number, text = collections.Counter(), None, 0, ""
    for line in lines:
        if line.startswith(str(ROOT)) and line.endswith(":\n"):
            name = str(pathlib.Path(line[:-2]).relative_to(ROOT))
        outer = re.match(r" *(\d+)\|[^|]*\|(.*)", line)
        if outer:
            number, text = int(outer.group(1)), outer.group(2)
        match = re.search(r"Branch \((\d+):(\d+)\): \[True: ([^,]+), False: ([^]]+)\]", line)
        is_inside = "|  |" in line
        if match and name and (not is_inside or "TRY(" in text):
            place = name, number if is_inside else int(match.group(1)), match.group(1), match.group(2)
            taken[place + ("never true",)] += match.group(3) != "0"
            taken[place + ("never false",)] += match.group(4) != "0"
    for (name, number, _, _, what), count in sorted(taken.items()):
        if count == 0:
            yield f"{name}: {(ROOT / name).read_text().split(chr(10))[number - 1].strip()}: {what}"


def main():
    known = collections.Counter(line.strip() for line in pathlib.Path(sys.argv[1]).read_text().split("\n")
                                if line.strip() and not line.startswith("#"))
    unlisted = list((collections.Counter(missed(sys.stdin)) - known).elements())
    print("\n".join(sorted(unlisted)))
    print(f"{len(unlisted)} branches that no test took are not in the list of {sum(known.values())}", file=sys.stderr)
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
