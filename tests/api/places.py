# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Whether each place that `belay ops --where` tells of a function is true: the file is there, the line has the name of the
function, or of the kernel, as a word, and each function has a contract, something that computes it, a header and a test.

    places.py BELAY SOURCE COMPILER
"""
import os
import re
import subprocess
import sys

belay, source, compiler = sys.argv[1:]
faults = []
lines_of = {}


def lines(path):
    if path not in lines_of:
        try:
            with open(os.path.join(source, path), encoding="utf-8", errors="replace") as file:
                lines_of[path] = file.read().split("\n")
        except OSError:
            lines_of[path] = None
    return lines_of[path]


def has_word(text, word):
    return re.search(rf"(?<!\w){word}(?!\w)", text) is not None


def judge(function, what, path, number, kernel):
    text = lines(path)
    word = kernel or function
    if text is None:
        return f"{path} is not there"
    if number is not None:
        if not 1 <= number <= len(text) or not has_word(text[number - 1], word):
            return f"{path}:{number} has no {word}"
        if what == "contract" and not re.match(rf"[A-Z][A-Z0-9_]*\({function}\b", text[number - 1]):
            return f"{path}:{number} does not define it"
        if what == "header" and not re.match(r"ACLNN_|aclnnStatus ", text[number - 1]):
            return f"{path}:{number} does not declare it"
        return None
    if what == "test":
        tables = re.findall(r'#include "(ops/[^"]+)"', "\n".join(text))
        if not any(has_word("\n".join(lines("src/" + table) or []), word) for table in tables):
            return f"{path} neither has its name nor includes a table that has it"
        return None
    return None if what == "kernel" and kernel is None else f"{what} in {path} has no line"


subprocess.run([sys.executable, os.path.join(source, "scripts/places.py"), "--check", "--compiler", compiler], check=True)
text = subprocess.run([belay, "ops", "--where"], cwd=os.path.join(source, "src/ops"), check=True, capture_output=True,
                      text=True).stdout
seen = {}
for line in text.splitlines():
    if not line.startswith(" "):
        function = line
        seen[function] = set()
        continue
    match = re.fullmatch(r"  (\w+) +([^ :]+)(?::(\d+))?(?:  (.*))?", line)
    what, path, number, kernel = match.groups()
    seen[function].add(what)
    fault = judge(function, what, path, int(number) if number else None, None if kernel == "in plain C" else kernel)
    if fault:
        faults.append(f"{function}: {fault}")
names = subprocess.run([belay, "ops", "--names"], check=True, capture_output=True, text=True).stdout.split()
if sorted(names) != sorted(seen):
    faults.append("--where lists other functions than --names")
for function, kinds in seen.items():
    faults += [f"{function} has no {what}" for what in ("contract", "kernel", "header", "test") if what not in kinds]
# Out of the tree the command knows files, and the line of the contract.
outside = subprocess.run([belay, "ops", "--where", "aclnnAbs"], cwd="/", check=True, capture_output=True, text=True).stdout
if not re.search(r"contract +src/ops/pointwise/unary\.h:\d+\n", outside):
    faults.append("outside of the tree the contract of aclnnAbs is not known")
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults or not names else 0)
