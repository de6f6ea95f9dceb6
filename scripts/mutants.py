#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""Do the tests notice? Plants one small fault after the other in the code that is no kernel, and runs the tests
until one of them fails.

    scripts/mutants.py                      500 mutants, or as many as are still to do of them
    scripts/mutants.py --count 50 --seed 7
    scripts/mutants.py --again              those that survived, after tests were added
    scripts/mutants.py --limit 15           with the quickest tests of these many seconds only; later runs do the rest
    scripts/mutants.py --report             what is known

A mutant changes a comparison, a condition, a constant, a sum or a truth value, drops a call, or negates what is
returned. Those that do not compile, or compile to the same code, are drawn anew. All is done in copies of the tree
below build-mutants, one for each worker, where a mutant costs the compilation of one source and a link of what holds it,
and the tests that are most likely to notice run first. After scripts/mutants_reach.py, those that never come to the line
of a mutant are left out. What is found is kept in build-mutants/results.json, so that a run
may be ended at any time; another one goes on from there. It has the lowest priority, and stands still while the file that
--quiet names exists. The exit status is 1 when less than nine tenths were noticed.
"""
import argparse
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
RESULTS, TIMES, REACH = WORK / "results.json", WORK / "times.json", WORK / "reach.json"
FOLDERS = ["runtime", "tensor", "ops", "tools", "check"]
# Compiled for each instruction-set level, as the kernels are, and proved with them.
KERNEL_FILES = {"src/ops/convert.c", "src/ops/strided.c"}
# What proves the kernels, or looks at the build and not at what the code does.
OTHER_TESTS = re.compile(r"^(numerics|install|headers)/|^api/(links|exports|hardening|header|names|bridge|"
                         r"prototypes|readme|adding)|^python/document|^programs/(soak|build|moved|other|samples)")

# What links the kernels' proof, and what no test here runs.
OTHER_TARGETS = re.compile(r"numerics|prove|digest|bin/(soak|large)$")

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


def sites(path, text):
    """(offset, length, what stands there instead, in words) for each change that a file offers."""
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


class Ended(Exception):
    """What runs is to be given up: the whole run ends, or stands still."""


class Pause:
    """Whether to go on."""

    def __init__(self, quiet):
        self.quiet = pathlib.Path(quiet) if quiet else None
        self.is_over = threading.Event()

    def is_asked_for(self):
        return self.is_over.is_set() or (self.quiet is not None and self.quiet.exists())

    def wait(self):
        """Until the file is gone; false when the run is over."""
        while not self.is_over.is_set() and self.is_asked_for():
            time.sleep(1)
        return not self.is_over.is_set()


def used(group):
    """The time that the process group has had of processors, and the longest that a thread of it has stood in a processor's
    queue, in seconds."""
    had, longest, tick = 0, 0, os.sysconf("SC_CLK_TCK")
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                had += sum(int(field) for field in fields[11:15]) / tick
                for thread in stat.parent.glob("task/*/schedstat"):
                    longest = max(longest, int(thread.read_text().split()[1]))
        except (OSError, IndexError):
            pass # it has ended
    return had, longest / 1e9


def run(command, folder, environment, limit, pause, every=0.1):
    """The exit status, None when it took more than limit seconds of processors, or twice that in which it did not wait for
    one on a busy machine. Nothing of it is left afterwards."""
    # A mutant may take all the memory there is: it, and nothing else, is to end then. The group is no session, which
    # would have the priority of one that somebody waits for.
    process = subprocess.Popen(["sh", "-c", 'echo 1000 >/proc/self/oom_score_adj; exec "$@"', "sh"] + command,
                               cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, process_group=0)
    begin, look = time.monotonic(), 2
    try:
        while True:
            try:
                return process.wait(every)
            except subprocess.TimeoutExpired:
                if pause.is_asked_for():
                    raise Ended from None
                if time.monotonic() > begin + look:
                    had, waited = used(process.pid)
                    if had > limit or time.monotonic() > begin + 2 * limit + waited:
                        return None
                    look += 2
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


PASSED, FAILED, TOOK_TOO_LONG = range(3)
# An open one was not noticed by the tests that --limit left.
COUNTED = "killed", "survived", "open"


class Test:
    def __init__(self, entry, build):
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        self.name = entry["name"]
        self.command = entry.get("command")
        self.folder = properties.get("WORKING_DIRECTORY", str(build))
        self.environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        self.must_fail = properties.get("WILL_FAIL", False)
        self.skip_status = properties.get("SKIP_RETURN_CODE", None)
        self.seconds = 0.0

    def outcome(self, pause):
        """PASSED, FAILED or TOOK_TOO_LONG."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("BELAY_", "ASCEND_", "LD_"))}
        status = run(self.command, self.folder, environment | self.environment, 6 + 6 * self.seconds, pause,
                     0.02 if self.seconds < 1 else 0.2)
        if status is None:
            return TOOK_TOO_LONG
        return PASSED if (status != 0) == bool(self.must_fail) or status == self.skip_status else FAILED


class Worker:
    """A copy of the tree, built, in which one mutant at a time is tried."""

    def __init__(self, number, pause):
        self.pause = pause
        self.tree, self.build = WORK / f"tree{number}", WORK / f"build{number}"

    def copy_tree(self):
        """Brings the copy up to date, leaving alone what has not changed."""
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, text=True,
                               capture_output=True).stdout.split("\n")
        names = {name for name in names if name and (ROOT / name).is_file()}
        for name in names:
            source, target = ROOT / name, self.tree / name
            if target.exists() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        for target in self.tree.rglob("*"):
            if target.is_file() and str(target.relative_to(self.tree)) not in names:
                target.unlink()

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.build] + list(words), check=True, text=True,
                              capture_output=True).stdout

    def prepare(self, jobs):
        self.copy_tree()
        # Without debug information, in which columns differ; without warnings, which are errors and no tests.
        configure = ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                     "-DBELAY_WERROR=OFF", "-DCMAKE_C_FLAGS=-O1 -w", "-DCMAKE_CXX_FLAGS=-O1 -w",
                     "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        linked = [line.split(": ")[0] for line in self.ninja("-t", "targets", "all").split("\n")
                  if re.search(r": \w+_(EXECUTABLE|LIBRARY)_LINKER__", line)]
        targets = [target for target in linked if not OTHER_TARGETS.search(target)]
        status = None
        while status is None:
            if not self.pause.wait():
                raise Ended
            try:
                status = run(["ninja", "-C", str(self.build), f"-j{jobs}"] + targets, self.build, os.environ, 36000, self.pause)
            except Ended:
                pass # ninja goes on from there
        if status != 0:
            sys.exit(f"mutants.py: the tree does not build; see ninja -C {self.build}")
        self.compiled = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            path = os.path.relpath(entry["file"], self.tree)
            name = os.path.relpath(pathlib.Path(entry["directory"]) /
                                   re.search(r" -o (\S+)", entry["command"]).group(1), self.build)
            if (self.build / name).exists() and "kernels" not in name:
                self.compiled.setdefault(path, []).append((name, entry["command"]))
        self.linked = {}

    def list_tests(self):
        listing = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True, text=True,
                                 capture_output=True)
        tests = [Test(entry, self.build) for entry in json.loads(listing.stdout)["tests"] if "command" in entry]
        return [test for test in tests if not OTHER_TESTS.search(test.name)]

    def digest(self):
        """Of what every test is made of: the sources of the libraries."""
        digest = hashlib.sha256()
        for path in sorted(path for path in (self.tree / "src").rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(self.tree)}\0".encode() + path.read_bytes())
        return digest.hexdigest()

    def measure(self):
        """Each test once on the tree as it is; one that fails there says nothing about mutants. What is known of this very
        code and this very test is taken over."""
        self.tests, digest = [], self.digest()
        known = json.loads(TIMES.read_text()) if TIMES.exists() else {}
        for test in self.list_tests():
            text = json.dumps([digest, test.command, test.environment]).encode()
            for word in test.command:
                path = self.build / word
                if path.is_file() and path.is_relative_to(WORK):
                    text += path.read_bytes()
            name = f"{test.name} {hashlib.sha256(text).hexdigest()[:16]}"
            if name in known:
                test.seconds = known[name]
                self.tests.append(test)
                continue
            if not self.pause.wait():
                raise Ended
            test.seconds = 24.0
            begin = time.monotonic()
            if test.outcome(self.pause) == PASSED:
                test.seconds = round(time.monotonic() - begin, 3)
                self.tests.append(test)
                known[name] = test.seconds
                TIMES.write_text(json.dumps(known, indent=1))
            else:
                print(f"left out, as it fails without a mutant: {test.name}", flush=True)

    def linked_from(self, name):
        """What holds an object, in the order of linking: (file, command). Whatever loads a library as it starts has its
        new code without being linked anew."""
        if name not in self.linked:
            found, last = [], [name]
            while last:
                listing = self.ninja("-t", "query", *last)
                outputs = re.findall(r"^    (\S+)$", "".join(re.findall(r"^  outputs:\n((?:    .*\n)*)", listing, re.M)),
                                     re.M)
                last = [output for output in dict.fromkeys(outputs)
                        if re.search(r"\.(a|so)$|^bin/", output) and not OTHER_TARGETS.search(output)
                        and (self.build / output).is_file()] # names of targets are outputs, too
                found += last
                last = [output for output in last if output.endswith(".a")]
            self.linked[name] = [(output, self.ninja("-t", "commands", "-s", output).strip().split("\n")[-1])
                                 for output in dict.fromkeys(found)]
        return self.linked[name]

    def does(self, command):
        environment = os.environ | {"LC_ALL": "C"}
        return run(["sh", "-c", command], self.build, environment, 600, self.pause) == 0

    def put_aside(self, name):
        if name not in self.aside:
            os.rename(self.build / name, self.build / f"{name}.aside")
            self.aside.append(name)

    def first_failure(self, tests, programs):
        """The test that takes too long, or fails twice, so that it is the mutant that it fails for. A program is linked when
        it runs."""
        for test in tests:
            for output, command in list(programs):
                if any(word.endswith(output) for word in test.command):
                    programs.remove((output, command))
                    self.put_aside(output)
                    if not self.does(command):
                        return "the linker"
            outcome = test.outcome(self.pause)
            if outcome == TOOK_TOO_LONG or (outcome == FAILED and test.outcome(self.pause) != PASSED):
                return test.name
        return None

    def attempt(self, path, tests):
        objects, outputs = self.compiled.get(path, []), {}
        is_same = True
        for name, command in objects:
            outputs |= dict(self.linked_from(name))
            self.put_aside(name)
            if not self.does(command):
                return "does not compile", None
            if (self.build / name).read_bytes() != (self.build / f"{name}.aside").read_bytes():
                is_same = False
        if is_same:
            return "the same code", None
        for output, command in outputs.items():
            if not output.startswith("bin/test_"):
                self.put_aside(output)
                if not self.does(command):
                    return "does not compile", None
        programs = [item for item in outputs.items() if item[0].startswith("bin/test_")]
        killer = self.first_failure(tests, programs)
        return ("killed", killer) if killer else ("survived", None)

    def try_mutant(self, path, site, tests):
        """killed, survived, or why it does not count; and the test that killed it. Leaves everything as it was, times of
        files included."""
        source = self.tree / path
        text, times = source.read_text(), source.stat()
        self.aside = []
        try:
            source.write_text(text[:site[0]] + site[2] + text[site[0] + site[1]:])
            return self.attempt(path, tests)
        finally:
            for name in self.aside:
                os.rename(self.build / f"{name}.aside", self.build / name)
            source.write_text(text)
            os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))


def in_order(path, tests, results):
    """The tests of the stem and those that have noticed mutants of the file, then all others, those of the folder rather
    than others; in each the quick ones, and those that notice much, first."""
    folder, stem = path.split("/")[1], pathlib.Path(path).stem
    noticed, here = {}, set()
    for key, result in results.items():
        noticed[result["killer"]] = noticed.get(result["killer"], 0) + 1
        if key.startswith(path + "|"):
            here.add(result["killer"])

    def place(test):
        is_own = test.name in here or re.match(rf"{folder}/{stem}(_|$)", test.name)
        far = 1 if test.name.startswith(folder + "/") else 3
        return not is_own, far * test.seconds / (1 + noticed.get(test.name, 0))

    return sorted(tests, key=place)


def within(limit, tests):
    """The first tests that take no longer than so many seconds together, with those behind that still fit."""
    chosen, seconds = [], 0
    for test in tests:
        if limit is None or seconds + test.seconds <= limit:
            chosen.append(test)
            seconds += test.seconds
    return chosen


class Reach:
    """What scripts/mutants_reach.py found: the lines that each test comes to. Nothing that happens before the line of a mutant
    differs, so that a test that never comes there cannot notice it."""

    def __init__(self):
        known = json.loads(REACH.read_text()) if REACH.exists() else {"tests": [], "files": {}}
        # Others are run whatever they reach.
        self.tests, self.files = set(known["tests"]), known["files"]
        for file in self.files.values():
            file["tests"] = {name: set(lines) for name, lines in file["tests"].items()}
            file["lines"] = set(file["lines"])

    def choose(self, path, text, site, tests):
        """Those that may notice: all where the line has no counter, as tables have none, or the file is not the one that
        was looked at. A label is found from elsewhere."""
        file, number = self.files.get(path), text.count("\n", 0, site[0]) + 1
        if file is None or file["digest"] != hashlib.sha256(text.encode()).hexdigest() or number not in file["lines"]:
            return tests
        is_label = re.match(r"(case|default)\b", line_of(text, site))
        return [test for test in tests if test.name not in self.tests or
                (file["lines"] if is_label else {number}) & file["tests"].get(test.name, set())]


class Run:
    """The mutants that are to be tried, and what is known of them; workers share it."""

    def __init__(self, arguments, every, results):
        self.count, self.again, self.limit = arguments.count, arguments.again, arguments.limit
        self.reach = Reach()
        self.every, self.results = iter(every), results
        self.counted, self.busy = 0, 0
        self.change = threading.Condition()

    def next(self):
        """The next mutant, or None when there are enough. As many are out as may still be needed at most."""
        with self.change:
            while True:
                if self.counted + self.busy >= self.count:
                    if self.busy == 0:
                        return None
                    self.change.wait()
                    continue
                mutant = next(self.every, None)
                if mutant is None:
                    return None
                old = self.results.get(mutant[0], {}).get("verdict")
                is_open = old == "survived" and self.again or old == "open" and (self.again or self.limit is None)
                if old is not None and not is_open or old is None and self.again:
                    self.counted += old in COUNTED
                    continue
                self.busy += 1
                return mutant

    def known(self):
        with self.change:
            return dict(self.results)

    def give_up(self):
        with self.change:
            self.busy -= 1
            self.change.notify_all()

    def enter(self, key, result):
        with self.change:
            self.results[key] = result
            self.busy -= 1
            self.counted += result["verdict"] in COUNTED
            RESULTS.with_suffix(".new").write_text(json.dumps(self.results, indent=1))
            RESULTS.with_suffix(".new").rename(RESULTS)
            self.change.notify_all()

    def work(self, worker):
        while not worker.pause.is_over.is_set():
            mutant = self.next()
            if mutant is None:
                return
            key, path, site = mutant
            while worker.pause.wait():
                try:
                    begin, text = time.monotonic(), (worker.tree / path).read_text()
                    tests = in_order(path, self.reach.choose(path, text, site, worker.tests), self.known())
                    chosen = within(self.limit, tests)
                    verdict, killer = worker.try_mutant(path, site, chosen)
                    if verdict == "survived" and len(chosen) < len(tests):
                        verdict = "open"
                    break
                except Ended:
                    pass # and anew
            else:
                self.give_up()
                return
            number = text.count("\n", 0, site[0]) + 1
            self.enter(key, {"verdict": verdict, "killer": killer, "place": f"{path}:{number}", "change": site[3],
                             "line": line_of(text, site), "seconds": round(time.monotonic() - begin, 1)})
            print(f"{verdict:9} {path}:{number}: {site[3]}" + (f"  ({killer})" if killer else ""), flush=True)


def report(results):
    counted = [result for result in results.values() if result["verdict"] in COUNTED]
    for result in sorted(counted, key=lambda result: result["place"]):
        if result["verdict"] != "killed":
            print(f"{result['verdict']:9} {result['place']}: {result['change']}: {result['line']}")
    number = {verdict: sum(result["verdict"] == verdict for result in counted) for verdict in COUNTED}
    share = 100 * number["killed"] / len(counted) if counted else 0
    print(f"{len(counted)} mutants, {number['killed']} killed, {number['survived']} survived, {number['open']} open: {share:.1f} %")
    return share >= 90


def lowest_priority():
    """Of this process and what it starts. Where sessions share the processor, it is the session's that counts."""
    os.nice(max(0, 19 - os.nice(0)))
    try:
        if os.getsid(0) != os.getpid():
            os.setsid()
        pathlib.Path("/proc/self/autogroup").write_text("19")
    except OSError:
        pass # it is the shell's then


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="workers, each with a copy of the tree")
    parser.add_argument("--only", default="", help="mutants of files whose path holds this")
    parser.add_argument("--again", action="store_true", help="try those that survived")
    parser.add_argument("--limit", type=float, help="seconds of tests for each; those that are not noticed stay open")
    parser.add_argument("--quiet", help="stand still while this file exists")
    parser.add_argument("--report", action="store_true", help="print what is known")
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if arguments.report:
        return 0 if report(results) else 1
    lowest_priority()
    WORK.mkdir(exist_ok=True)
    pause = Pause(arguments.quiet)
    for number in signal.SIGINT, signal.SIGTERM:
        signal.signal(number, lambda *_: pause.is_over.set())
    workers = [Worker(number, pause) for number in range(arguments.jobs)]
    try:
        for worker in workers:
            worker.prepare(arguments.jobs)
        while True:
            try:
                workers[0].measure()
                break
            except Ended: # in the midst of a test
                if not pause.wait():
                    raise
    except Ended:
        return 1
    seconds = {test.name: test.seconds for test in workers[0].tests}
    for worker in workers[1:]:
        worker.tests = [test for test in worker.list_tests() if test.name in seconds]
        for test in worker.tests:
            test.seconds = seconds[test.name]
    print(f"{len(seconds)} tests, {sum(seconds.values()):.0f} s", flush=True)
    every = []
    tree = workers[0].tree
    for folder in FOLDERS:
        for file in sorted((tree / "src" / folder).glob("*.c")):
            path = str(file.relative_to(tree))
            if path not in KERNEL_FILES and arguments.only in path:
                text = file.read_text()
                every += [(key_of(text, path, site), path, site) for site in sites(path, text)]
    # Drawn so that the others stay what they are when a file changes.
    every.sort(key=lambda mutant: hashlib.sha256(f"{arguments.seed}|{mutant[0]}".encode()).digest())
    print(f"{len(every)} places for a mutant", flush=True)
    shared = Run(arguments, every, results)
    threads = [threading.Thread(target=shared.work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0 if report(results) else 1


if __name__ == "__main__":
    sys.exit(main())
