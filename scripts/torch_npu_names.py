#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Writes the table of docs/torch-npu-operators.md anew: each name of torch.ops.npu, and whether it is right here.

    scripts/torch_npu_names.py BELAY                  rewrites the page; BELAY is the command (build/bin/belay)
    scripts/torch_npu_names.py --check BELAY          fails where the page differs from what would be written
    scripts/torch_npu_names.py --renew BELAY PYTHON   first writes the list of names from the wheel that PYTHON has

tests/clients/torch/support/npu_names.txt is the list: a name, and the operator functions that the wheel's library looks
up whose names are like its own. npu_ways.txt beside it is written by hand: the functions or kinds (kind:Slice) of names
that call something else, "-" for those that call none, and why a name is refused or absent.

A name is right where a client program (tests/clients) calls it and the library has a function for it, or where one of its functions has a test that compares
it with a reference of its own; refused where npu_ways.txt says why; absent otherwise.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/torch-npu-operators.md"
SUPPORT = ROOT / "tests/clients/torch/support"
NAMES, WAYS = SUPPORT / "npu_names.txt", SUPPORT / "npu_ways.txt"
PROGRAMS = ("tests/clients/torch", "tests/clients/torch_distributed", "tests/clients/torch_distributed/alone",
            "examples/pytorch")
# Their calls are those that fail.
REFUSALS = {"absent.py", "refused.py", "errors.py", "not_positive.py"}
HEAD = """# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
#
# The names of torch.ops.npu in torch_npu %s, and the functions of like names that its library looks up.
# scripts/torch_npu_names.py --renew writes this.
"""
LISTED = """
import json, os, torch, torch_npu
names = sorted({s.name[5:] for s in torch._C._jit_get_all_schemas() if s.name.startswith("npu::")})
print("NAMES" + json.dumps([torch_npu.__version__, names, os.path.dirname(torch_npu.__file__)]))
"""


def alike(name, functions):
    """The functions whose names are the name's, but for the case, the version, and words that are written otherwise."""
    plain = re.sub(r"_v\d$", "", re.sub("^_?npu_", "", name).strip("_").replace("_functional", "")).replace("_", "").lower()
    forms = {plain, "inplace" + plain, plain.replace("backward", "grad"), plain.replace("gmm", "groupedmatmul")}
    return [f for f in functions if re.sub(r"v\d+$", "", f[5:].lower()) in forms]


def renew(belay, python):
    told = subprocess.run([belay, "run", python, "-c", LISTED], capture_output=True, text=True, check=True).stdout
    version, names, folder = json.loads(told[told.index("NAMES") + 5:])
    library = (pathlib.Path(folder) / "lib/libtorch_npu.so").read_bytes()
    found = {f.decode() for f in re.findall(rb"\0(aclnn[A-Z]\w+)(?=\0)", library)}
    functions = sorted({re.sub("GetWorkspaceSize$", "", f) for f in found})
    lines = ["\t".join(filter(None, (name, " ".join(alike(name, functions))))) for name in names]
    NAMES.write_text(HEAD % version + "\n".join(lines) + "\n")


def rows_of(path, parts):
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {row[0]: (row + [""] * parts)[1:parts] for row in rows}


def callers(names):
    """The client programs that call each name."""
    found = collections.defaultdict(list)
    wanted = set(names)
    for folder in PROGRAMS:
        for path in sorted((ROOT / folder).glob("*.py")):
            if path.name in REFUSALS:
                continue
            text = re.sub(r"(?m)#.*$", "", path.read_text())
            called = re.findall(r"\b(?:NPU|torch_npu|ops\.npu|npu)\.(\w+)|\"(\w+)\"|\.(npu_\w+)\(", text)
            for name in wanted & {part for parts in called for part in parts}:
                found[name].append(str(path.relative_to(ROOT)))
    return found


def compared(belay):
    """The tests that compare each function; those that hold many functions alike come last."""
    functions = json.loads(subprocess.run([belay, "ops", "--json"], capture_output=True, text=True, check=True).stdout)
    held = collections.Counter(test for function in functions for test in function["where"]["tests"])
    return {f["name"]: sorted((t for t in f["where"]["tests"] if not t.startswith("tests/fuzz/") and has(t, f["name"])),
                              key=lambda t: (held[t], t))
            for f in functions}


def has(path, function):
    """Whether the test is there and speaks of the function, itself or by a table that it includes."""
    path = ROOT / path
    if not path.exists():
        return False
    text = path.read_text()
    included = [path.parent / name for name in re.findall(r'(?m)^#include "(?:\w+/)*(\w+\.h)"', text)]
    texts = [text] + [other.read_text() for other in included if other.exists()]
    return any(re.search(rf"\b(?:{function}|{function.removeprefix('aclnn')})\b", some) for some in texts)


def link(path):
    """No link: what is installed has the pages and not the tests."""
    return f"`{path.removeprefix('tests/')}`"


def judge(name, alike_functions, way, programs, tests):
    """(state, functions, what stands for it)"""
    ways, why = way
    functions = (ways or alike_functions).split()
    shown = ", ".join(f"`{f.removeprefix('kind:')}`" for f in functions if f != "-")
    refused = why.startswith("refused: ")
    if refused:
        return "refused", shown, why.removeprefix("refused: ")
    aclnn = [f for f in functions if f.startswith("aclnn")]
    can_be = not aclnn or len(aclnn) < len(functions) or any(f in tests for f in aclnn)
    if programs and can_be:
        return "right", shown, ", ".join(map(link, programs[:2]))
    there = [f for f in functions if tests.get(f)]
    if there:
        return "right", shown, ", ".join(map(link, sorted({tests[f][0] for f in there})[:2]))
    return "absent", shown, why.removeprefix("absent: ") or "the library has none of its functions yet"


def table(belay):
    names, ways = rows_of(NAMES, 2), rows_of(WAYS, 3)
    unknown = sorted(set(ways) - set(names))
    if unknown:
        sys.exit(f"{WAYS.name}: {', '.join(unknown)}: not in {NAMES.name}")
    programs, tests = callers(names), compared(belay)
    rows = {name: judge(name, alike_functions, ways.get(name, ["", ""]), programs[name], tests)
            for name, (alike_functions,) in names.items()}
    count = collections.Counter(state for state, _, _ in rows.values())
    lines = [f"Of {len(rows)} names {count['right']} are right, {count['refused']} are refused and {count['absent']} absent.", ""]
    by_client = sum(state == "right" and bool(programs[name]) for name, (state, _, _) in rows.items())
    lines += [f"{by_client} of those that are right are called by a program in PyTorch.", ""]
    lines += ["| name | state | functions, kinds | tests, or why |", "|---|---|---|---|"]
    lines += [f"| `{name}` | {state} | {shown} | {by} |" for name, (state, shown, by) in rows.items()]
    return lines


def main():
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    rest = [a for a in sys.argv[1:] if not a.startswith("--")]
    if options not in ([], ["--check"], ["--renew"]) or len(rest) != (2 if options == ["--renew"] else 1):
        sys.exit(__doc__)
    if options == ["--renew"]:
        renew(*rest)
    before = PAGE.read_text()
    begin, end = "<!-- names begin -->\n", "<!-- names end -->"
    if before.count(begin) != 1 or before.count(end) != 1:
        sys.exit(f"{PAGE.name} has no place for the table")
    head, _, tail = before.partition(begin)
    after = head + begin + "\n".join(table(rest[0])) + "\n" + end + tail.partition(end)[2]
    if options != ["--check"]:
        PAGE.write_text(after)
    elif before != after:
        written = set(before.splitlines())
        for line in [line for line in after.splitlines() if line not in written][:12]:
            print("+ " + line)
        sys.exit(f"{PAGE.name} is not what scripts/torch_npu_names.py writes: run scripts/torch_npu_names.py {rest[0]}")


if __name__ == "__main__":
    main()
