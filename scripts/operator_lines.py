#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Prints what each public function costs in lines: everything that carries its stem.

    scripts/operator_lines.py build/bin/belay [--since COMMIT] [STEM...]

A file that is named after a stem counts whole: source, header, contract test. Of other files below src/ops, src/simd and
tests those lines count that name the function or its stem, as a row of a table does, and the whole of a formula
maths_<stem>. What functions share by their stem is divided among them. The last lines are the medians: of all functions, of
those of one line of a table, of each family, and with --since of those whose headers a commit lacks.
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


def formula_lines(lines, at):
    """Lines of the function that begins there, its comment included."""
    end = next(k for k in range(at, len(lines)) if lines[k].startswith("}"))
    while at > 0 and lines[at - 1].strip() and not lines[at - 1].startswith("}"):
        at -= 1
    return end - at + 1


def index(texts):
    """Which lines have each word, and each argument of its own; and how long each formula is."""
    words, formulas = defaultdict(set), Counter()
    for path, lines in texts.items():
        for i, line in enumerate(lines):
            formula = re.search(r"\bmaths_(\w+)\(", line)
            if formula and line.startswith("static"):
                formulas[formula[1]] += formula_lines(lines, i)
            if "maths_" in line:
                continue
            for word in re.findall(r"\baclnn\w+\b", line) + re.findall(r"(?=[(,] ?(\w+)[,)])", line):
                words[word].add((path, i))
    return words, formulas


def declared_in(commit):
    """The functions that the headers of a commit declare."""
    headers = subprocess.run(["git", "grep", "-ohE", r"\baclnn[A-Z][A-Za-z0-9]+", commit, "--", "include/aclnnop"],
                             cwd=root, check=True, capture_output=True, text=True).stdout
    return {re.sub("GetWorkspaceSize$", "", name) for name in headers.split()}


def main():
    command, wanted, before = sys.argv[1], set(sys.argv[2:]), None
    if sys.argv[2:3] == ["--since"]:
        wanted, before = set(sys.argv[4:]), declared_in(sys.argv[3])
    functions = json.loads(subprocess.run([command, "ops", "--json"], check=True, capture_output=True).stdout)
    of_stem = Counter(function["stem"] for function in functions)
    texts = {path: path.read_text().splitlines() for path in files()}
    words, formulas = index(texts)
    named = defaultdict(list)
    for path in texts:
        named[re.sub("^aclnn_", "", path.stem)].append(path)
    costs, table = {}, []
    for stem in of_stem:
        names = [function["name"] for function in functions if function["stem"] == stem]
        lines = sum(len(texts[path]) for path in named[stem]) + formulas[stem]
        if not any("src/ops" in str(path) for path in named[stem]):
            lines += sum(path not in named[stem] for path, _ in set().union(*(words[word] for word in [stem, *names])))
            table.append(stem)
        costs[stem] = lines / of_stem[stem]

    def median(what, of):
        if of:
            print(f"median of {len(of)} {what}: {statistics.median(costs[function['stem']] for function in of):.1f}")

    for function in functions:
        if not wanted or function["stem"] in wanted:
            print(f"{function['name']:45s}{function['family']:13s}{costs[function['stem']]:7.1f}")
    median("functions", functions)
    median("functions without a source of their own", [f for f in functions if f["stem"] in table])
    for family in sorted({function["family"] for function in functions}):
        median(family, [f for f in functions if f["family"] == family])
    if before is not None:
        median(f"functions that {sys.argv[3]} lacks", [f for f in functions if f["name"] not in before])


main()
