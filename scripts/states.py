#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes src/tools/states.inc, from which `belay ops` knows what stands behind each function, and pytorch_names.inc beside
it, from which it knows which functions one of PyTorch's calls. Run it after scripts/places.py, build, and run
scripts/operator_tables.sh; the test api/states holds the tables against the tree.

    states.py [--check]
    states.py --compared SUITE FILE...     puts what a suite's run has compared, lines "function TAB kind TAB case",
                                           into tests/clients/compared.txt, in the place of what was there of SUITE

proved: a sweep of all inputs was judged (tests/numerics/proved_digests.txt), or the test numerics/unary judges all 65,536
numbers of 16 bits each time. suite: cases that others wrote called it, and all of them were right (compared.txt), or it
was compared with PyTorch's CPU (tests/clients/torch). reference: a test of tests/ops has its name and computes the result
a second time. refused: exported, and refuses (src/absent/names.txt).
"""
import argparse
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE, NAMES = "src/tools/states.inc", "src/tools/pytorch_names.inc"
COMPARED = "tests/clients/compared.txt"
DIGESTS = "tests/numerics/proved_digests.txt"
CASES_MAX = 3
STATES = ("STATE_PROVED", "STATE_SUITE", "STATE_REFERENCE", "STATE_REFUSED")
SUITES = {
    "torch-operators": "PyTorch's operator database",
    "torch-modules": "PyTorch's module database",
    "torch-optimizers": "PyTorch's optimizer database",
    "ggml-operators": "ggml's test-backend-ops",
    "mindspore": "MindSpore's CPU",
    "torch-cpu": "PyTorch's CPU",
}
# Tests that look at refusals, descriptions, layouts or names, and compute nothing a second time.
NO_REFERENCE = re.compile(r"refused|/check|/operator\.c|max_workspace|contract|by_name|layouts|overlapping|^tests/fuzz|^src/"
                          r"|^tests/numerics/(call|unary)\.c")
ROW = re.compile(r'^\{"(\w+)", "(.*?)", "(.*?)"\},$', re.MULTILINE)
HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * {}; scripts/states.py writes it.
 */
/* clang-format off */
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def lines(path):
    return [line for line in read(path).splitlines() if line and not line.startswith("#")]


def proved():
    """{function: {dtype: the file that says so}}."""
    result = collections.defaultdict(dict)
    for line in lines(DIGESTS):
        stem, dtype, _, sweep, attributes = line.split()[:5]
        function = "aclnn" + "".join(part.capitalize() for part in stem.split("_"))
        # All pairs of 16 bits; all FLOATs of a function that takes one, and nothing else.
        if sweep == "pairs":
            result[function][{"fp16": "FLOAT16", "bf16": "BFLOAT16"}[dtype]] = DIGESTS
        elif sweep == "line" and attributes == "-" and re.fullmatch("relu|sigmoid|tanh|gelu|silu|hardswish", stem):
            result[function]["FLOAT"] = DIGESTS
    for match in re.finditer(r"^UNARY\((\w+),", read("src/ops/pointwise/unary.h"), re.MULTILINE):
        for dtype in ("FLOAT16", "BFLOAT16"):
            result[match[1]].setdefault(dtype, "tests/numerics/unary.c")
    return result


def compared():
    """{function: {suite: [case, ...]}}."""
    result = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in lines(COMPARED):
        function, suite, case = line.split("\t")
        result[function][suite].append(case)
    for line in lines("tests/clients/torch/support/calls.txt"):
        case, functions = line.split("\t")
        for function in functions.split():
            result[function]["torch-cpu"].append(case)
    return result


def refused(functions):
    """{function: why it is exported}, of those that the library has only to refuse."""
    result, word, exports = {}, "", False
    for line in lines("src/absent/names.txt"):
        if line[0] in "=-":
            parts = line.split()
            exports = parts[0] == "="
            word = parts[1] if parts[1] in ("raises", "upgrade", "older", "kind", "other") else word
        elif exports:
            result.update({"aclnn" + name: word for name in line.split() if "aclnn" + name not in functions})
    return result


def fewest(function, cases):
    """Those that tell most: named as the function is, or short, which are not of variants."""
    def rank(case):
        plain = re.sub(r"\W|_", "", case.split(".")[-1]).lower()
        return plain not in function.lower(), len(case), case
    return ", ".join(sorted(sorted(set(cases), key=rank)[:CASES_MAX]))


def rows():
    """(function, what, by) of all."""
    places = {match[1]: match[3].split() for match in ROW.finditer(read("src/tools/places.inc"))}
    all_proved, all_compared = proved(), compared()
    for function in sorted(places):
        for path in sorted(set(all_proved[function].values())):
            dtypes = [dtype for dtype in ("FLOAT16", "BFLOAT16", "FLOAT") if all_proved[function].get(dtype) == path]
            yield function, "STATE_PROVED", " ".join(dtypes), path
        for suite, name in SUITES.items():
            if all_compared[function][suite]:
                yield function, "STATE_SUITE", name, fewest(function, all_compared[function][suite])
        tests = [path for path in places[function] if not NO_REFERENCE.search(path)]
        if tests:
            yield function, "STATE_REFERENCE", "", " ".join(tests)
    for function, word in sorted(refused(places).items()):
        yield function, "STATE_REFUSED", "", word


def table():
    ordered = sorted(rows(), key=lambda row: (row[0], STATES.index(row[1]), row))
    return HEAD.format("What stands behind each function") + "".join(
        f'{{"{function}", {state}, "{what}", "{by}"}},\n' for function, state, what, by in ordered)


def layers(known):
    """{name: functions} of torch.nn's names that PyTorch's databases of samples alone have, where the operator behind the name
    is among what compared.txt keeps of them."""
    found = collections.defaultdict(list)
    for line in lines(COMPARED):
        function, suite, case = line.split("\t")
        if suite in ("torch-modules", "torch-operators"):
            found[case.replace("nn_functional_", "F.")].append(function)
    result = {}
    for name in sorted(found, reverse=True):  # nn.Linear before F.linear
        prefix, _, last = name.rpartition(".")
        word = re.sub(r"\dd$|loss$|_", "", last.lower())
        if prefix in ("nn", "F") and last.lower() not in known and (
                word == "linear" or any(word in function.lower() for function in found[name])):
            known.add(last.lower())
            result[name] = " ".join(found[name])
    return result


def names_table():
    """PyTorch's functions as the tables of tests/clients/torch name them, and the functions that they called."""
    found = {}
    for line in lines("tests/clients/torch/support/calls.txt"):
        case, functions = line.split("\t")
        if re.fullmatch(r"[\w.]+", case):
            found[case] = functions
    found.update(layers({name.split(".")[-1].lower() for name in found}))
    return HEAD.format("Which functions each of PyTorch's calls") + "".join(
        f'{{"{name}", "{functions}"}},\n' for name, functions in sorted(found.items()))


def enter(suite, files):
    """What a run has compared takes the place of what was known of that suite."""
    found = {tuple(line.split("\t")) for path in files for line in open(path, encoding="utf-8").read().splitlines()}
    kinds = {"torch-operators": "operator", "torch-modules": "module", "torch-optimizers": "optimizer"}
    cases = collections.defaultdict(list)
    for function, kind, case in found:
        if kind == kinds.get(suite, kind):
            cases[function].append(case)
    text = read(COMPARED)
    head = "".join(line for line in text.splitlines(True) if line.startswith("#"))
    kept = [line for line in lines(COMPARED) if line.split("\t")[1] != suite]
    for function, of_function in cases.items():
        kept += [f"{function}\t{suite}\t{case}" for case in fewest(function, of_function).split(", ")]
    with open(os.path.join(ROOT, COMPARED), "w", encoding="utf-8") as file:
        file.write(head + "\n" + "\n".join(sorted(kept)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="fail where the table is not what would be written")
    parser.add_argument("--compared", choices=list(SUITES), help="the suite that the files are of")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    if arguments.compared:
        enter(arguments.compared, arguments.files)
    for path, text in ((TABLE, table()), (NAMES, names_table())):
        if not arguments.check:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(text)
        elif text != read(path):
            sys.exit(f"states.py: {path} is not what the tree says; scripts/states.py writes it")


if __name__ == "__main__":
    main()
