#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Do the tests notice? Plants one small fault after the other in the code that is no kernel, and runs the tests
until one of them fails.

    scripts/mutants.py                      500 mutants, or as many as are still to do of them
    scripts/mutants.py --count 50 --seed 7
    scripts/mutants.py --again              those that survived, after tests were added
    scripts/mutants.py --report             what is known

A mutant changes a comparison, a condition, a constant, a sum or a truth value, drops a call, or negates what is
returned. Those that do not compile, or compile to the same code, are drawn anew. All is done in a copy of the
tree, build-mutants; what is found is kept in build-mutants/results.json, so that a run may be ended at any time.
The exit status is 1 when less than nine tenths were noticed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
TREE, BUILD, RESULTS = WORK / "tree", WORK / "build", WORK / "results.json"
FOLDERS = ["runtime", "tensor", "ops", "tools", "check"]
# Compiled for each instruction-set level, as the kernels are, and proved with them.
KERNEL_FILES = {"src/ops/convert.c", "src/ops/strided.c"}
# What proves the kernels, or looks at the build and not at what the code does.
OTHER_TESTS = re.compile(r"^(numerics|install|headers)/|^api/(links|exports|hardening|header|names|bridge|"
                         r"prototypes|readme|adding)|^python/document|^programs/(soak|build|moved|other|samples)")

COMPARISONS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}


def blank(text):
    """The text with comments, strings, characters and preprocessor lines as spaces, so that offsets stay."""
    pattern = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*",
                         re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def kernel_part(path, text):
    """Up to where the kernels of an operator's file end and its contract begins."""
    if not re.search(r"^#if\w* .*KERNEL_PASS", text, re.MULTILINE):
        return 0
    return text.index("\n#else") if "\n#else" in text else len(text)


def closing(code, at):
    """The offset of the parenthesis that closes the one at this offset."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if depth == 0:
            return i
    return -1


def sites(path):
    """(offset, length, what stands there instead, in words) for each change that a file offers."""
    text = (TREE / path).read_text()
    code, start = blank(text), kernel_part(path, text)
    found = []
    for match in re.finditer(r" (==|!=|<=|>=|<|>|&&|\|\|)(?=[ \n])", code):
        other = COMPARISONS[match.group(1)]
        found.append((match.start(1), len(match.group(1)), other, f"{match.group(1)} becomes {other}"))
    for match in re.finditer(r"(?<=[\w)\]]) ([+-]) (?=[\w(])", code):
        other = "-" if match.group(1) == "+" else "+"
        found.append((match.start(1), 1, other, f"{match.group(1)} becomes {other}"))
    for match in re.finditer(r"\bif (\()", code):
        end = closing(code, match.start(1))
        if end > 0:
            found.append((match.start(1), end + 1 - match.start(1), f"(!{text[match.start(1):end + 1]})",
                          "the condition is negated"))
    for match in re.finditer(r"(?<![\w.])(\d+)(u?)(?![\w.])", code):
        number = int(match.group(1), 8 if re.match(r"0\d", match.group(1)) else 10)
        for other in (number + 1, number - 1) if number > 0 else (1,):
            found.append((match.start(), len(match.group()), f"{other}{match.group(2)}",
                          f"{match.group()} becomes {other}{match.group(2)}"))
    for match in re.finditer(r"\b(true|false)\b", code):
        other = "false" if match.group() == "true" else "true"
        found.append((match.start(), len(match.group()), other, f"{match.group()} becomes {other}"))
    for match in re.finditer(r"^[ ]+([A-Za-z_]\w*)(\()", code, re.MULTILINE):
        end = closing(code, match.start(2))
        is_call = match.group(1) not in ("if", "while", "for", "switch", "return", "sizeof", "va_start", "va_end")
        if end > 0 and is_call and code[end + 1:end + 2] == ";":
            dropped = "\n" * text[match.start(1):end + 1].count("\n")
            found.append((match.start(1), end + 1 - match.start(1), dropped, f"{match.group(1)}() is dropped"))
    for match in re.finditer(r"\breturn ([^;{}]*(?:==|!=|[<>]=? |&&|\|\||^!)[^;{}]*);", code):
        if "?" not in match.group(1):
            value = text[match.start(1):match.end(1)]
            found.append((match.start(1), len(value), f"!({value})", "what is returned is negated"))
    return [site for site in found if site[0] >= start]


def line_of(text, site):
    begin = text.rfind("\n", 0, site[0]) + 1
    return text[begin:text.find("\n", site[0])].strip()


def key_of(text, path, site):
    """A name that stays while the file changes elsewhere: the line, which of its like, and the change."""
    begin = text.rfind("\n", 0, site[0]) + 1
    line = line_of(text, site)
    return f"{path}|{line}|{text[:begin].count(line)}|{site[0] - begin}|{site[3]}"


def copy_tree():
    """Brings the copy of the tree up to date, leaving alone what has not changed."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, text=True,
                           capture_output=True).stdout.split("\n")
    names = {name for name in names if name and (ROOT / name).is_file()}
    for name in names:
        source, target = ROOT / name, TREE / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for target in TREE.rglob("*"):
        if target.is_file() and str(target.relative_to(TREE)) not in names:
            target.unlink()


def build():
    done = subprocess.run(["cmake", "--build", BUILD], capture_output=True, text=True)
    return done.returncode == 0


def prepare():
    WORK.mkdir(exist_ok=True)
    copy_tree()
    # Without debug information, in which columns differ; without warnings, which are errors and no tests.
    configure = ["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DBELAY_WERROR=OFF",
                 "-DCMAKE_C_FLAGS=-O1 -w", "-DCMAKE_CXX_FLAGS=-O1 -w", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"]
    subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
    if not build():
        sys.exit("mutants.py: the tree does not build")


class Test:
    def __init__(self, entry):
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        self.name = entry["name"]
        self.command = entry.get("command")
        self.folder = properties.get("WORKING_DIRECTORY", str(BUILD))
        self.environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        self.must_fail = properties.get("WILL_FAIL", False)
        self.skip_status = properties.get("SKIP_RETURN_CODE", None)
        self.seconds = 0.0

    def passes(self, stop, limit):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("BELAY_", "ASCEND_", "LD_"))}
        # A mutant may take all the memory there is: it, and nothing else, is to end then.
        process = subprocess.Popen(["sh", "-c", 'echo 1000 >/proc/self/oom_score_adj; exec "$@"', "sh"] + self.command,
                                   cwd=self.folder, env=environment | self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        end = time.monotonic() + limit
        while True:
            try:
                status = process.wait(0.02 if self.seconds < 1 else 0.2)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set() or time.monotonic() > end:
                    status = None
                    break
        # Its children too, whether it has ended or not.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        if status is None:
            return stop.is_set()
        return (status != 0) == bool(self.must_fail) or status == self.skip_status


def list_tests():
    listing = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, text=True,
                             capture_output=True)
    tests = [Test(entry) for entry in json.loads(listing.stdout)["tests"] if "command" in entry]
    return [test for test in tests if not OTHER_TESTS.search(test.name)]


def first_failure(stages, jobs):
    """The name of a test that fails, or None; later stages are for those that pass the earlier ones."""
    for stage in stages:
        stop, failed = threading.Event(), []

        def run(test):
            if not stop.is_set() and not test.passes(stop, 30 + 10 * test.seconds):
                if not stop.is_set():
                    failed.append(test.name)
                stop.set()

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(run, stage))
        if failed:
            return failed[0]
    return None


def measure(tests):
    """Each test once on the tree as it is; one that fails there says nothing about mutants."""
    good, stop = [], threading.Event()
    for test in tests:
        begin = time.monotonic()
        if test.passes(stop, 300):
            test.seconds = time.monotonic() - begin
            good.append(test)
        else:
            print(f"left out, as it fails without a mutant: {test.name}", flush=True)
    return sorted(good, key=lambda test: test.seconds)


def stages_for(path, tests):
    """The tests of the stem, those of the folder, then all others, in each the quick ones first."""
    folder, stem = path.split("/")[1], pathlib.Path(path).stem
    own = [test for test in tests if re.match(rf"{folder}/{stem}(_|$)", test.name)]
    near = [test for test in tests if test.name.startswith(folder + "/") and test not in own]
    far = [test for test in tests if test not in own and test not in near]
    return [own, near, far]


def objects_of(path):
    """Hashes of what a source is compiled to, in the libraries and in tests."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"] == str(TREE / path):
            name = pathlib.Path(entry["directory"]) / re.search(r" -o (\S+)", entry["command"]).group(1)
            found[name] = hashlib.sha256(name.read_bytes()).hexdigest()
    return found


def try_mutant(path, site, tests, jobs):
    """killed, survived, or why it does not count; and the test that killed it."""
    source = TREE / path
    text, before = source.read_text(), objects_of(path)
    try:
        source.write_text(text[:site[0]] + site[2] + text[site[0] + site[1]:])
        if not build():
            return "does not compile", None
        if objects_of(path) == before:
            return "the same code", None
        killer = first_failure(stages_for(path, tests), jobs)
        return ("killed", killer) if killer else ("survived", None)
    finally:
        source.write_text(text)
        if not build():
            sys.exit("mutants.py: the tree does not build any more")


def report(results):
    counted = [result for result in results.values() if result["verdict"] in ("killed", "survived")]
    survivors = [result for result in counted if result["verdict"] == "survived"]
    for result in sorted(survivors, key=lambda result: result["place"]):
        print(f"survived  {result['place']}: {result['change']}: {result['line']}")
    killed = len(counted) - len(survivors)
    share = 100 * killed / len(counted) if counted else 0
    print(f"{len(counted)} mutants, {killed} killed, {len(survivors)} survived: {share:.1f} %")
    return share >= 90


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="mutants of files whose path holds this")
    parser.add_argument("--again", action="store_true", help="try those that survived")
    parser.add_argument("--report", action="store_true", help="print what is known")
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if arguments.report:
        return 0 if report(results) else 1
    os.nice(max(0, 19 - os.nice(0)))
    prepare()
    tests = measure(list_tests())
    print(f"{len(tests)} tests, {sum(test.seconds for test in tests):.0f} s", flush=True)
    every = []
    for folder in FOLDERS:
        for file in sorted((TREE / "src" / folder).glob("*.c")):
            path = str(file.relative_to(TREE))
            if path not in KERNEL_FILES and arguments.only in path:
                text = (TREE / path).read_text()
                every += [(key_of(text, path, site), path, site) for site in sites(path)]
    # Drawn so that the others stay what they are when a file changes.
    every.sort(key=lambda mutant: hashlib.sha256(f"{arguments.seed}|{mutant[0]}".encode()).digest())
    print(f"{len(every)} places for a mutant", flush=True)
    counted = 0
    for key, path, site in every:
        if counted >= arguments.count:
            break
        old = results.get(key, {}).get("verdict")
        if old != "survived" if arguments.again else old is not None:
            counted += old in ("killed", "survived")
            continue
        verdict, killer = try_mutant(path, site, tests, arguments.jobs)
        text = (TREE / path).read_text()
        number = text.count("\n", 0, site[0]) + 1
        results[key] = {"verdict": verdict, "killer": killer, "place": f"{path}:{number}", "change": site[3],
                        "line": line_of(text, site)}
        RESULTS.write_text(json.dumps(results, indent=1))
        counted += verdict in ("killed", "survived")
        print(f"{verdict:9} {path}:{number}: {site[3]}" + (f"  ({killer})" if killer else ""), flush=True)
    return 0 if report(results) else 1


if __name__ == "__main__":
    sys.exit(main())
