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
    scripts/mutants.py --kernels --count 300    in kernels and formulas: scripts/mutant_kernels.py says how

A mutant changes a comparison, a condition, a constant, a sum or a truth value, drops a call, or negates what is
returned. Those that do not compile, or compile to the same code, are drawn anew; numbers that only say how long something
is taken to last are none (TUNING in mutant_places.py). Of those that no test noticed, which the report lists, some change
nothing that a program sees but time, and some are noticed by the tests under a sanitizer: about an eighth of all, by the last
look at each. All is done in copies of the tree below build-mutants, one for each worker, where a mutant costs the compilation of one source and a link of what holds it,
and the tests that are most likely to notice run first. After scripts/mutants_reach.py, those that never come to the line
of a mutant are left out. What is found is kept in build-mutants/results.json, so that a run
may be ended at any time; another one goes on from there. It has the lowest priority, and stands still while the file that
--quiet names exists. The exit status is 1 when less than four fifths were noticed.
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

from mutant_kernels import COUNTED, run_kernels
from mutant_places import draw, line_of
from mutant_tests import FAILED, OTHER_TESTS, PASSED, TOOK_TOO_LONG, Ended, Pause, Test, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
RESULTS, TIMES, REACH = WORK / "results.json", WORK / "times.json", WORK / "reach.json"
# What links the kernels' proof, and what no test here runs.
OTHER_TARGETS = re.compile(r"numerics|prove|digest|bin/(soak|large)$")


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
        # Without debug information, in which columns differ; without warnings, which are no tests.
        configure = ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None",
                     "-DBELAY_TESTS=ON", "-DBELAY_EXAMPLES=ON", "-DCMAKE_C_FLAGS=-O1 -w", "-DCMAKE_CXX_FLAGS=-O1 -w",
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
                is_open = (old == "survived" and self.again or old == "open" and (self.again or self.limit is None))
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


def report(results, places):
    """Prints what is known of the mutants of the tree as it is; true when the tests notice four fifths of them."""
    counted = [result for key, result in results.items() if key in places and result["verdict"] in COUNTED]
    for result in sorted(counted, key=lambda result: result["place"]):
        if result["verdict"] != "killed":
            print(f"{result['verdict']}: {result['place']}: {result['change']}: {result['line']}")
    number = {verdict: sum(result["verdict"] == verdict for result in counted) for verdict in COUNTED}
    share = 100 * number["killed"] / len(counted) if counted else 0
    print(f"{len(counted)} mutants: " + ", ".join(f"{value} {verdict}" for verdict, value in number.items()) +
          f"; noticed: {share:.1f} %")
    return share >= 80


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
    parser.add_argument("--kernels", action="store_true", help="in kernels and formulas (mutant_kernels.py)")
    parser.add_argument("--build", default="build-gcc", help="of --kernels: a build with the tests of tests/ops")
    parser.add_argument("--minutes", type=float, default=600, help="of --kernels: until no new one is begun")
    arguments = parser.parse_args()
    if arguments.kernels:
        return 0 if run_kernels(arguments) else 1
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if arguments.report:
        return 0 if report(results, {mutant[0] for mutant in draw(ROOT, arguments.seed)}) else 1
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
    every = draw(workers[0].tree, arguments.seed, arguments.only)
    print(f"{len(every)} places for a mutant", flush=True)
    shared = Run(arguments, every, results)
    threads = [threading.Thread(target=shared.work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0 if report(results, {mutant[0] for mutant in draw(ROOT, arguments.seed)}) else 1


if __name__ == "__main__":
    sys.exit(main())
