#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Prints what each public function costs in lines: everything that carries its stem.

    scripts/operator_lines.py build/bin/belay [STEM...]

A file that is named after a stem counts whole: source, header, contract test. Of other files below src/ops, src/simd and
tests those lines count that name the function or its stem, as a row of a table does, and the whole of a formula
maths_<stem>. What functions share by their stem is divided among them. The last lines are the medians: of all functions, of
those of one line of a table, and of each family.
"""
import json
import re
import statistics
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

root = Path(__file__).resolve().parent.parent
FOLDERS = ("src/ops", "src/simd", "include/aclnnop", "tests/ops", "tests/numerics")


def files():
    listed = subprocess.run(["git", "ls-files", *FOLDERS], cwd=root, check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.splitlines() if name.endswith((".c", ".h", ".cpp"))]


def formula_lines(lines, stem):
    """Lines of the function maths_<stem>, its comment included."""
    for i, line in enumerate(lines):
        if re.search(rf"\bmaths_{stem}\(", line) and line.startswith("static"):
            end = next(k for k in range(i, len(lines)) if lines[k].startswith("}"))
            begin = i
            while begin > 0 and lines[begin - 1].strip() and not lines[begin - 1].startswith("}"):
                begin -= 1
            return end - begin + 1
    return 0


def main():
    command, wanted = sys.argv[1], set(sys.argv[2:])
    functions = json.loads(subprocess.run([command, "ops", "--json"], check=True, capture_output=True).stdout)
    of_stem = Counter(function["stem"] for function in functions)
    texts = {path: path.read_text().splitlines() for path in files()}
    named = defaultdict(list)
    for path in texts:
        named[re.sub("^aclnn_", "", path.stem)].append(path)
    costs, table = {}, []
    for stem in of_stem:
        names = [function["name"] for function in functions if function["stem"] == stem]
        mention = re.compile(rf"\b({'|'.join(names)})\b|[(,] ?{stem}[,)]")
        own = sum(len(texts[path]) for path in named[stem])
        elsewhere = sum(formula_lines(lines, stem) for lines in texts.values())
        has_source = any("src/ops" in str(path) for path in named[stem])
        if not has_source:
            elsewhere += sum(1 for path, lines in texts.items() if path not in named[stem]
                             for line in lines if mention.search(line) and "maths_" not in line)
        costs[stem] = (own + elsewhere) / of_stem[stem]
        if not has_source:
            table.append(stem)
    for function in functions:
        if not wanted or function["stem"] in wanted:
            print(f"{function['name']:45s}{function['family']:13s}{costs[function['stem']]:7.1f}")
    print(f"median of {len(functions)} functions: {statistics.median(costs[f['stem']] for f in functions):.1f}")
    of_table = [costs[function["stem"]] for function in functions if function["stem"] in table]
    if of_table:
        print(f"median of {len(of_table)} functions without a source of their own: {statistics.median(of_table):.1f}")
    for family in sorted({function["family"] for function in functions}):
        of_family = [costs[function["stem"]] for function in functions if function["family"] == family]
        print(f"median of {len(of_family)} {family}: {statistics.median(of_family):.1f}")


main()
