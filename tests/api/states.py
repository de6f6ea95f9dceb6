# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Whether what `belay ops` says stands behind each function is true: the digests, the suite or the test that it names is
there and has the function, and what it says refuses is exported and no operator.

    states.py BELAY SOURCE LIBRARY BUILD
"""
import ctypes
import json
import os
import re
import subprocess
import sys

belay, source, library, build = sys.argv[1:]
faults, texts = [], {}
SHORT = {"FLOAT16": ("fp16", "pairs"), "BFLOAT16": ("bf16", "pairs"), "FLOAT": ("fp32", "line")}

listing = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, capture_output=True, text=True).stdout
tests = set(re.findall(r"Test +#\d+: (\S+)", listing))


def text_of(path):
    if path not in texts:
        try:
            with open(os.path.join(source, path), encoding="utf-8", errors="replace") as file:
                texts[path] = file.read()
        except OSError:
            texts[path] = ""
    return texts[path]


def has_word(text, word):
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def is_registered(path):
    """Whether ctest runs it: by its own stem, or as a header of a file that it runs."""
    folder, name = os.path.split(path)
    if name.endswith(".c"):
        return f"{folder[len('tests/'):]}/{name[:-2]}" in tests
    return any(f'#include "{folder[len("tests/"):]}/{name}"' in text_of(f"{folder}/{other}") and is_registered(f"{folder}/{other}")
               for other in sorted(os.listdir(os.path.join(source, folder))) if other != name and other.endswith((".c", ".h")))


def stem_of(function):
    """The name that the proof has: aclnnHardswishBackwardV2 is hardswish_backward_v2."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", function[len("aclnn"):]).lower()


def fault_of_proof(function, dtype, path):
    if path == "tests/numerics/unary.c":
        named = re.search(rf"^UNARY\({function},", text_of("src/ops/pointwise/unary.h"), re.MULTILINE)
        judged = has_word(text_of(path), "65536") and '#include "ops/pointwise/unary.h"' in text_of(path)
        return None if named and judged and is_registered(path) else f"{path} does not judge {dtype}"
    short, sweep = SHORT[dtype]
    found = re.search(rf"^{stem_of(function)} {short} (both|default|exact) {sweep} .* (nearest|bounded)$", text_of(path), re.MULTILINE)
    return None if found else f"{path} has no {sweep} of {short}"


def fault_of_suite(function, suite, cases, records, known):
    if suite == "PyTorch's CPU":
        for case in cases:
            line = re.search(rf"^{re.escape(case)}\t(.*)$", text_of("tests/clients/torch/support/calls.txt"), re.MULTILINE)
            if not line or function not in line[1].split():
                return f"no table of tests/clients/torch saw {case} call it"
        return None
    record = [entry for entry in records if entry["name"] == suite]
    if not record:
        return f"docs/conformance.json has no {suite}"
    if any(entry["passed"] == 0 or entry["without_reason"] for entry in record):
        return f"{suite} has failures without a reason"
    return next((f"tests/clients/compared.txt does not have {case} of {entry['suite']}" for entry in record for case in cases
                 if f"{function}\t{entry['suite']}\t{case}" not in known), None)


def fault_of_reference(function, path):
    text = text_of(path)
    tables = re.findall(r'#include "(ops/[^"]+)"', text)
    if not has_word(text, function) and not any(has_word(text_of("src/" + table), function) for table in tables):
        return f"{path} does not have it"
    return None if is_registered(path) else f"{path} is run by no test"


def judge(function, states, records, known):
    if not states:
        yield "nothing stands behind it"
    for state in states:
        if state["state"] == "proved":
            yield from (fault_of_proof(function, dtype, path) for dtype in state["dtypes"] for path in state["by"])
        elif state["state"] == "suite":
            yield fault_of_suite(function, state["suite"], state["cases"], records, known)
        elif state["state"] == "reference":
            yield from (fault_of_reference(function, path) for path in state["by"])
        else:
            yield f"an operator is said to be {state['state']}"


def listed(*options):
    return json.loads(subprocess.run([belay, "ops", "--json", *options], check=True, capture_output=True).stdout)


subprocess.run([sys.executable, os.path.join(source, "scripts/states.py"), "--check"], check=True)
conformance, compared = json.loads(text_of("docs/conformance.json")), set(text_of("tests/clients/compared.txt").splitlines())
functions = listed()
for entry in functions:
    faults += [f"{entry['name']}: {fault}" for fault in judge(entry["name"], entry["states"], conformance["runs"], compared) if fault]
exported, names = ctypes.CDLL(library), {entry["name"] for entry in functions}
for entry in listed("--refused"):
    name = entry["name"]
    if [state["state"] for state in entry["states"]] != ["refused"] or name in names or not hasattr(exported, name):
        faults.append(f"{name} is no function that is exported to refuse")
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults or not functions else 0)
