# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""scripts/mutants.py --kernels: small faults in the kernels and their formulas, each in a library of its own.

A mutant costs the compilation of one source, a link of libopapi.so beside that of the build, and the tests that can
notice; one that is the same code as before does not count. First it is tried at this processor's highest level by
tests/ops/special_values and its like and tests/ops/recorded, with the functions that the mutated code is part of, and one
in a header of the maths by tests/numerics/maths_bits; then at all levels, by the digests of judged results
(tests/numerics/prove) of those functions that have some, and the tests that name one of these, quick ones first. One in a
header is tried with one of the sources that include it, with --again with others. Tests that are expected to take longer
than --limit seconds together are left to --again; with --limit 0 all but the first are left to the next run. What is found
is kept in build-mutants/kernels.json, so that a run that was ended goes on.
"""
import hashlib
import json
import os
import pathlib
import re
import select
import shlex
import shutil
import struct
import subprocess
import threading
import time

from mutant_places import blank, closing, is_tuning, key_of, line_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build-mutants"
# Those that nobody can notice, each with the reason below it.
EQUIVALENT = ROOT / "scripts/mutants_kernels.txt"
RESULTS, TIMES = WORK / "kernels.json", WORK / "kernel-times.json"
DIGESTS = ROOT / "tests/numerics/proved_digests.txt"
# An open one was not noticed by the tests that --limit left.
COUNTED = "killed", "survived", "open"
USERS = 3 # sources with which one in a header is tried

TURNED = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
          "&&": ("||",), "||": ("&&",), "&": ("|",), "|": ("&",)}
# One for the other: the lesser for the greater, one rounding for another, what is added for what is taken away.
EXCHANGED = [("at_least", "at_most"), ("take_least", "take_most"), ("merge_least", "merge_most"), ("vector_least", "vector_greatest"),
             ("maths_floor", "maths_ceil"), ("maths_trunc", "maths_floor"), ("maths_round", "maths_trunc"),
             ("vector_odd_difference", "vector_odd_product"), ("fused", "fused_minus"), ("fmin", "fmax"), ("INT64_MIN", "INT64_MAX"),
             ("maths_exp", "maths_expm1"), ("maths_log", "maths_log1p"), ("vector_cut_sum", "vector_cut_product")]
# The first argument alone: no sign, no rounding to odd.
DROPPED_CALLS = re.compile(r"\b(absolute|with_sign_of|round_to_odd|vector_absolute|vector_with_sign_of|vector_round_to_odd|"
                           r"vector_canonical|keep_off_zero|vector_signed_as|sign_bit)(\()")
PRIMARY = r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|[\w.]+(?:->\w+|\.\w+)*(?:\[[^\]]*\])?(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?)"


def next_number(text):
    """The text of a floating-point number one unit in the last place farther from 0, in its precision."""
    is_single = text[-1] in "fF" and not text.lower().startswith("0x") or text[-1] == "F"
    digits = text.rstrip("fFlL") if is_single or text[-1] in "lL" else text
    value = float.fromhex(digits) if digits.lower().startswith("0x") else float(digits)
    pack, number = ("<f", "<I") if is_single else ("<d", "<Q")
    bits = struct.unpack(number, struct.pack(pack, value))[0]
    return struct.unpack(pack, struct.pack(number, bits + 1))[0].hex() + ("F" if is_single else "")


def part_of_kernels(text):
    """Where the kernels of an operator's file begin and end; a header is all kernels."""
    begin = re.search(r"^#ifdef KERNEL_PASS", text, re.M)
    if begin is None:
        return None
    end = text.find("\n#else", begin.start())
    return begin.start(), end if end > 0 else len(text)


# What no result hangs on: what is brought into caches ahead, how an array is aligned, and how much longer than needed it is;
# one that is too short is what the address sanitizer's tests are for.
NO_RESULT = re.compile(r"\b(?:__builtin_)?prefetch(\()|\b_Alignas(\()")
SIZE_OF_ARRAY = re.compile(r"^[ \t]*(?:static )?(?:const )?(?:(?:un)?signed )?(?!return)\w+ \w+(?:\[[^\]\n]*\])+(?= = \{|;| __attribute__)", re.M)


def without_result(code):
    """The spans of it."""
    spans = [match.span() for match in SIZE_OF_ARRAY.finditer(code)]
    for match in NO_RESULT.finditer(code):
        spans.append((match.start(), closing(code, match.end() - 1)))
    return spans


def split_arguments(code, begin, end):
    """The offsets of the arguments between two parentheses."""
    depth, last, found = 0, begin, []
    for i in range(begin, end):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if code[i] == "," and depth == 0:
            found.append((last, i))
            last = i + 1
    return found + [(last, end)]


def kernel_sites(path, text):
    """As mutant_places.sites, of kernels."""
    # Macros are code here.
    code = blank(re.sub(r"^([ \t]*)#define", r"\1 define", text, flags=re.M))
    bounds = (0, len(text)) if path.endswith(".h") else part_of_kernels(text)
    if bounds is None:
        return []
    found = []

    def add(begin, end, other, words):
        found.append((begin, end - begin, other, words))

    for match in re.finditer(r" (==|!=|<=|>=|<|>|&&|\|\||&|\|)(?=[ \n])", code):
        for other in TURNED[match.group(1)]:
            add(match.start(1), match.end(1), other, f"{match.group(1)} becomes {other}")
    for match in re.finditer(r"(?<=[\w)\]]) ([-+*/]) (?=[\w(-])", code):
        other = {"+": "-", "-": "+", "*": "+", "/": "*"}[match.group(1)]
        add(match.start(1), match.end(1), other, f"{match.group(1)} becomes {other}")
    for match in re.finditer(rf"(?<=[\w)\]]) [-+*/&|] ({PRIMARY})", code):
        add(match.start(), match.end(), "", f"{text[match.start():match.end()]} is dropped")
    for match in re.finditer(r"(?<![\w.])(\d+)(u|U|ULL|UL)?(?![\w.])", code):
        number = int(match.group(1), 8 if re.match(r"0\d", match.group(1)) else 10)
        if re.search(r"\[$", code[:match.start()]) or re.search(r"\b(unroll|LANES|aligned)\s*\(?$", code[:match.start()][-12:]):
            continue
        for other in (number + 1, number - 1) if number > 0 else (1,):
            add(match.start(), match.end(1), str(other), f"{match.group()} becomes {other}")
    for match in re.finditer(r"(?<![\w.])(0[xX][\da-fA-F]*\.?[\da-fA-F]*[pP][-+]?\d+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)[fFlL]?(?![\w.])", code):
        try:
            other = next_number(match.group())
        except (OverflowError, ValueError, struct.error):
            continue
        add(match.start(), match.end(), other, f"{match.group()} is off by a unit in the last place")
    for match in re.finditer(r"(?<=[(,=?:] )-(?=[\w(])|(?<=\()-(?=[\w(])|(?<=return )-(?=[\w(])", code):
        add(match.start(), match.end(), "", "a minus is dropped")
    for match in DROPPED_CALLS.finditer(code):
        end = closing(code, match.start(2))
        if end > 0 and not re.search(r"\b(doubles|vector|longs|flags|inline) $", code[:match.start()]):
            first = split_arguments(code, match.end(), end)[0]
            add(match.start(), end + 1, f"({text[first[0]:first[1]]})", f"{match.group(1)}() is dropped")
    for match in re.finditer(r"\b(choose|vector_choose|lanes16_choose)(\()", code):
        end = closing(code, match.start(2))
        parts = split_arguments(code, match.end(), end) if end > 0 else []
        if len(parts) == 3 and "doubles" not in text[match.start():parts[0][1]]:
            yes, no = (text[begin:stop].strip() for begin, stop in parts[1:])
            add(match.start(), end + 1, f"({no})", f"{match.group(1)}() is its last argument")
            add(match.start(), end + 1, f"({yes})", f"{match.group(1)}() is its second argument")
    for one, other in EXCHANGED:
        for name, instead in (one, other), (other, one):
            for match in re.finditer(rf"\b{name}\b(?=\(|[,;) ])", code):
                if not re.search(r"\b(doubles|vector|longs|flags|pair) $", code[:match.start()]):
                    add(match.start(), match.end(), instead, f"{name} becomes {instead}")
    for match in re.finditer(r"\b(true|false)\b", code):
        other = "false" if match.group() == "true" else "true"
        add(match.start(), match.end(), other, f"{match.group()} becomes {other}")
    spans = without_result(code)
    return [site for site in found if bounds[0] <= site[0] < bounds[1] and not is_tuning(code, site)
            and not any(begin <= site[0] < end for begin, end in spans)
            and not re.match(r"\s*#\s*(if|include|ifndef|ifdef|endif|pragma)", line_of(text, site))]


def headers_of_kernels(tree):
    """src/simd, and what the kernels of operators' files include."""
    found, named = {path.relative_to(tree) for path in (tree / "src/simd").rglob("*.h")}, []
    for source in (tree / "src/ops").rglob("*.c"):
        text = source.read_text()
        begin, end = part_of_kernels(text) or (0, 0)
        named += re.findall(r'#include "(ops/[^"]+)"', text[begin:end])
    while named:
        header = pathlib.Path("src") / named.pop()
        if header not in found:
            found.add(header)
            named += re.findall(r'#include "(ops/[^"]+)"', (tree / header).read_text())
    return found


def draw_kernels(tree, seed, only=""):
    """All mutants of kernels: (key, path, site), in an order that the seed gives."""
    every = []
    sources = {path.relative_to(tree) for path in (tree / "src/ops").rglob("*.c")} | headers_of_kernels(tree)
    for path in sorted(str(source) for source in sources):
        file = tree / path
        if only in path:
            text = file.read_text()
            every += [(key_of(text, path, site), path, site) for site in kernel_sites(path, text)]
    every.sort(key=lambda mutant: hashlib.sha256(f"{seed}|{mutant[0]}".encode()).digest())
    return every


# The time of processors that what this thread started has taken, in seconds.
spent = threading.local()


def quietly(command, folder, environment=None, limit=600):
    """The exit status, not 0 after so many seconds of a processor, or None after ten times as many, as a busy machine may
    leave it little; nothing that it started is left."""
    process = subprocess.Popen(["sh", "-c", f'ulimit -t {int(limit)}; exec "$@"', "sh", *command], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0)
    watch = os.pidfd_open(process.pid)
    has_ended = bool(select.select([watch], [], [], 10 * limit)[0])
    os.close(watch)
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    spent.seconds = getattr(spent, "seconds", 0) + usage.ru_utime + usage.ru_stime
    return process.returncode if has_ended else None


class Build:
    """A build of the tree as it is, with its tests: what is compiled, linked and run how."""

    def __init__(self, folder):
        self.folder = folder
        flags = set(re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1).split()) \
            if re.search(r"^flags\s*:", pathlib.Path("/proc/cpuinfo").read_text(), re.M) else set()
        self.levels = ["baseline"] + ["avx2"] * ("avx2" in flags) + ["avx512"] * ("avx512bw" in flags)
        self.compiled, self.object_of = {}, {}
        for entry in json.loads(self.ninja("-t", "compdb")):
            match = re.match(r"src/ops/CMakeFiles/(opapi|belay_kernels_(\w+))\.dir/(.*)\.o$", entry["output"])
            if match and (match.group(1) == "opapi" or match.group(2) in self.levels):
                path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
                self.compiled.setdefault(path, []).append((entry["output"], entry["command"]))
                self.object_of[entry["output"]] = path
        self.library = next(line for line in self.ninja("-t", "targets", "all").split("\n")
                            if re.match(r"\S*libopapi\.so: ", line)).split(":")[0]
        self.link = self.ninja("-t", "commands", "-s", self.library).strip().split("\n")[-1]
        self.find_names()
        self.find_includers()
        self.find_tests()
        self.find_maths()

    def ninja(self, *words):
        return subprocess.run(["ninja", *words], cwd=self.folder, check=True, text=True, capture_output=True).stdout

    def find_names(self):
        """The functions whose kernels a source has: those of the contracts that use its symbols, or those of what has no
        contract itself."""
        defined, used, functions = {}, {}, {}
        listing = subprocess.run(["nm", "-A"] + sorted(self.object_of), cwd=self.folder, text=True, capture_output=True).stdout
        for line in listing.split("\n"):
            match = re.match(r"(\S+?):\s*[0-9a-f]*\s+(\w) (\w+)$", line)
            if match is None:
                continue
            name, kind, symbol = match.groups()
            if kind == "T" and symbol.startswith("aclnn") and not symbol.endswith("GetWorkspaceSize"):
                functions.setdefault(self.object_of[name], set()).add(symbol)
            elif kind == "U":
                used.setdefault(symbol, set()).add(self.object_of[name])
            elif kind.isupper():
                defined.setdefault(self.object_of[name], set()).add(symbol)
        users = {path: set().union(*(used.get(symbol, set()) for symbol in symbols)) for path, symbols in defined.items()}
        self.functions = {}
        for path in self.compiled:
            names, ahead, seen = set(functions.get(path, ())), set(users.get(path, ())), {path}
            while ahead:
                user = ahead.pop()
                seen.add(user)
                names |= functions.get(user, set())
                if user not in functions: # what a contract calls in between
                    ahead |= users.get(user, set()) - seen
            self.functions[path] = names

    def find_includers(self):
        self.includers, paths = {}, {}
        name = None
        for line in self.ninja("-t", "deps").split("\n"):
            if line.startswith("    "):
                if line not in paths:
                    paths[line] = os.path.relpath(os.path.normpath(self.folder / line.strip()), ROOT)
                path = paths[line]
                if name in self.object_of and path.startswith("src/") and path.endswith(".h"):
                    self.includers.setdefault(path, set()).add(self.object_of[name])
            else:
                name = line.split(":")[0]

    def find_tests(self):
        """Programs of tests/ops that are built, the text of each with its headers, and how long it takes."""
        self.tests, self.sound = {}, {}
        listing = subprocess.run(["ctest", "--test-dir", str(self.folder), "--show-only=json-v1"], check=True, text=True,
                                 capture_output=True)
        settings = {}
        for entry in json.loads(listing.stdout)["tests"]:
            for item in entry.get("properties", []):
                if item["name"] == "ENVIRONMENT":
                    settings[entry["name"]] = dict(setting.split("=", 1) for setting in item["value"])
        times = json.loads(TIMES.read_text()) if TIMES.exists() else {}
        programs = sorted(self.folder.glob("bin/test_ops_*"))
        commands = self.ninja("-t", "commands", "-s", *(f"bin/{program.name}" for program in programs)).split("\n")
        linked = {re.search(r" -o bin/(\S+)", command).group(1): command for command in commands if " -o bin/" in command}
        for program in programs:
            stem = program.name[len("test_ops_"):]
            source = ROOT / "tests/ops" / f"{stem}.c"
            if not source.exists():
                found = list((ROOT / "tests/ops").rglob(f"{stem}.c"))
                source = found[0] if found else None
            if source is None:
                continue
            text = source.read_text()
            for header in re.findall(r'#include "(ops/[\w/]+\.h)"', text):
                for place in ROOT / "tests" / header, ROOT / "src" / header:
                    if place.exists() and not re.search(r"attempt|find_operator|contract|layout|arena", header):
                        text += place.read_text()
            command = linked.get(program.name, "")
            self.tests[stem] = {"words": set(re.findall(r"\w+", text)), "seconds": times.get(stem, 2.0),
                                "environment": settings.get(f"ops/{stem}", {}),
                                "link": command if "ops_internal" in command or "numerics_kernels" in command else None}
        # What numerics/proved_digests runs, of one operator.
        self.judged = set()
        if (self.folder / "bin/prove").exists():
            self.judged = set(re.findall(r"^[a-z]\w*(?= )", DIGESTS.read_text(), re.M))
            self.tests["prove"] = {"words": set(), "seconds": 1, "program": "prove",
                                   "link": self.ninja("-t", "commands", "-s", "bin/prove").strip().split("\n")[-1]}
        self.times = times

    def find_maths(self):
        """The maths on their own (tests/numerics/maths_bits): what is compiled of them, the headers in it, and the link."""
        self.maths, self.maths_headers, self.link_maths = [], set(), ""
        program = self.folder / "bin/test_numerics_maths_bits"
        if not program.exists() or quietly([str(program)], self.folder, clean_environment(), 60) != 0:
            return # nor does what it says of a mutant count where it fails without one
        for entry in json.loads(self.ninja("-t", "compdb")):
            match = re.match(r"tests/numerics/CMakeFiles/numerics_maths_(\w+)\.dir/", entry["output"])
            if match and match.group(1) in self.levels:
                self.maths.append((entry["output"], entry["command"]))
        for line in self.ninja("-t", "deps", *(name for name, _ in self.maths)).split("\n"):
            if line.startswith("    "):
                self.maths_headers.add(os.path.relpath(os.path.normpath(self.folder / line.strip()), ROOT))
        self.link_maths = self.ninja("-t", "commands", "-s", "bin/test_numerics_maths_bits").strip().split("\n")[-1]

    def program(self, stem):
        return self.folder / "bin" / self.tests[stem].get("program", f"test_ops_{stem}")

    def is_sound(self, stem, words, environment):
        """Whether the program, called in this way, passes with the library as it is: what it says of a mutant counts."""
        call = stem, *words, str(environment)
        if call not in self.sound:
            begin = time.monotonic()
            status = quietly([str(self.program(stem)), *words], self.folder, clean_environment() | environment, 300)
            self.sound[call] = status == 0
            if stem not in self.times:
                self.times[stem] = round(time.monotonic() - begin, 2)
                TIMES.write_text(json.dumps(self.times, indent=1))
        return self.sound[call]


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(("BELAY_", "LD_"))} | {"TEST_EFFORT": "1"}


# What all functions have in common, of those alone that are named.
QUICK = re.compile(r"special|recorded$")


class Mutant:
    """A library with one fault."""

    def __init__(self, build, number=0):
        self.build, self.folder = build, WORK / f"kernels{number}"
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "lib").mkdir(parents=True)

    def compile(self, name, command, is_mutated):
        """The object of a source, from the mutated one that lies before the others; None where that does not compile."""
        words = [word for word in shlex.split(command) if word not in ("ccache", "-MD", "-Werror") and not word.startswith("-O")]
        words = words[words.index(next(word for word in words if re.search(r"(cc|clang)(-\d+)?$", word))):]
        for option in "-MT", "-MF":
            if option in words:
                del words[words.index(option):words.index(option) + 2]
        target = self.folder / f"{hashlib.sha256((name + str(is_mutated)).encode()).hexdigest()[:12]}.o"
        words[words.index("-o") + 1] = str(target)
        source = words[words.index("-c") + 1]
        own = self.folder / "src" / os.path.relpath(os.path.join(self.build.folder, source), ROOT / "src")
        if is_mutated and own.exists():
            words[words.index("-c") + 1] = str(own)
        if is_mutated:
            words.insert(1, f"-I{self.folder}/src")
        words += ["-w", "-O1"]
        return target if quietly(words, self.build.folder) == 0 else None

    def is_same_code(self, name, command, compiled):
        """Whether the object is, byte for byte, that of the source without the fault, which is kept."""
        kept = WORK / "kernels-without" / hashlib.sha256(name.encode()).hexdigest()[:12]
        digest = hashlib.sha256(pathlib.Path(self.build.folder / name).read_bytes()).hexdigest()
        if not kept.exists() or kept.read_text().split()[0] != digest:
            without = self.compile(name, command, False)
            kept.parent.mkdir(exist_ok=True)
            kept.with_suffix(f".{self.folder.name}").write_text(digest + " " + hashlib.sha256(without.read_bytes()).hexdigest())
            kept.with_suffix(f".{self.folder.name}").rename(kept)
        return hashlib.sha256(compiled.read_bytes()).hexdigest() == kept.read_text().split()[1]

    def attempt(self, path, text, site, sources, tests_of, has_contract=False):
        """killed, survived or why it does not count; and the test. has_contract: the place may be in what is compiled once."""
        shutil.rmtree(self.folder / "src", ignore_errors=True)
        own = self.folder / path
        own.parent.mkdir(parents=True)
        own.write_text(text[:site[0]] + site[2] + text[site[0] + site[1]:])
        objects = [item for source in sources for item in self.build.compiled[source]
                   if has_contract or not (path.endswith(".c") and "/opapi.dir/" in item[0])]
        # First the highest level alone, with tests that take a moment; then all.
        highest = [item for item in objects if f"belay_kernels_{self.build.levels[-1]}.dir" in item[0]]
        compiled = {}
        quick = [item for item in tests_of if QUICK.match(item[0])]
        for part, tests in (highest, quick), (objects, [item for item in tests_of if item not in quick] + quick):
            if not part or has_contract and part is highest:
                continue
            for name, command in part:
                compiled[name] = compiled.get(name) or self.compile(name, command, True)
                if compiled[name] is None:
                    return "does not compile", None
            if all(self.is_same_code(name, command, compiled[name]) for name, command in part):
                return "the same code", None
            killer = self.try_objects(compiled, tests, len(part) < len(objects))
            if killer == "does not compile":
                return killer, None
            if not killer and part is highest and path in self.build.maths_headers:
                killer = self.try_maths()
            if killer:
                return "killed", killer
            if all(QUICK.match(stem) for stem, _ in tests_of):
                return "open", None
        return "survived", None

    def try_maths(self):
        """The test of the maths on their own, if it notices."""
        program, link = self.folder / "test_numerics_maths_bits", self.build.link_maths
        for name, command in self.build.maths:
            target = self.compile(name, command, True)
            if target is None:
                return None
            link = link.replace(f" {name} ", f" {target} ")
        if quietly(["sh", "-c", re.sub(r"-o \S+", f"-o {program}", link, count=1)], self.build.folder) != 0:
            return None
        return "maths_bits" if quietly([str(program)], self.build.folder, clean_environment(), 60) != 0 else None

    def try_objects(self, compiled, tests, is_quick):
        """The test that notices these objects in the library."""
        link = self.build.link
        for name, object_file in compiled.items():
            link = link.replace(f" {name} ", f" {object_file} ")
        library = self.folder / "lib" / pathlib.Path(self.build.library).name
        link = link.replace(f"-o {self.build.library}", f"-o {library}").replace(" -shared ", " -shared -fuse-ld=lld ", 1)
        if quietly(["sh", "-c", link], self.build.folder) != 0:
            return "does not compile"
        libraries = f"{self.folder}/lib:{self.build.folder / pathlib.Path(self.build.library).parent}"
        environment = clean_environment() | {"LD_LIBRARY_PATH": libraries}
        for stem, words in tests:
            killer = self.run_test(stem, words, environment, [str(item) for item in compiled.values()], is_quick)
            if killer:
                return killer
        return None

    def run_test(self, stem, words, environment, extra, is_quick):
        test = self.build.tests[stem]
        program = self.build.program(stem)
        if test["link"] is not None:
            own = self.folder / f"test_ops_{stem}"
            command = re.sub(r"-o \S+", f"-fuse-ld=lld -o {own}", test["link"], count=1)
            command = re.sub(r" (\S*lib(?:ops_internal|numerics_kernels)\.a)", " " + " ".join(extra) + r" \1", command, count=1)
            if quietly(["sh", "-c", command], self.build.folder) != 0:
                return None
            program = own
        # The library's path in the program gives way to LD_LIBRARY_PATH, as it is a RUNPATH.
        others = [{"BELAY_ISA": "baseline", "BELAY_ACCURACY": "exact"}, {"BELAY_ACCURACY": "exact"}]
        others += [{"BELAY_SOC": "Ascend950PR"}] * (stem == "recorded") # the only product of some functions
        for own in [{}] + others * (bool(QUICK.match(stem)) and not is_quick):
            own = test.get("environment", {}) | own
            status = quietly([str(program), *words], self.build.folder, environment | own,
                             12 if QUICK.match(stem) else 12 + 6 * test["seconds"])
            if status != 0:
                return stem if self.build.is_sound(stem, words, own) else None
        return None


# Tests of every function of a family, which find them by lists that the description's names are pasted from.
OF_FAMILY = {"pointwise": ["formula", "formula_choice", "formula_halves", "unary", "compare", "product", "elementwise", "scalar_sums"],
             "reduction": ["reduce", "amax", "statistics", "extremes"], "rows": ["rows", "statistics", "renorm"],
             "scan": ["cumsum", "extremes", "ctc_loss"], "sorting": ["sorting", "median", "searchsorted", "unique2", "found"],
             "composite": ["composite", "losses", "likelihoods", "optimizers"], "foreach": ["foreach", "foreach_functions"],
             "random": ["random", "random_more", "random_choices", "random_activations", "random_dropout"]}


# The test that decides most mutants of a family: it runs before its other tests, however long it takes.
DECIDES = {"contraction": "contraction"}


# Programs that try the functions alone that are named to them, or one.
TAKE_NAMES, TAKE_ONE_NAME = {"formula"}, {"unary", "compare"}


def within(limit, tests, build):
    """The first test, and those behind that take no longer than so many seconds together; those with names take little."""
    chosen, seconds = [], 0
    for stem, words in tests:
        own = 0 if words else build.times.get(stem, 2)
        if words and (limit != 0 or QUICK.match(stem)) or limit is None or limit > 0 and (seconds == 0 or seconds + own <= limit):
            chosen.append((stem, words))
            seconds += own
    return chosen


def stem_of(name):
    """hardswish_backward of aclnnHardswishBackward; a number behind a letter belongs to it (L1)."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removeprefix("aclnn")).lower()


def tests_for(build, path, sources):
    """(test, words) in the order in which they run."""
    names = set().union(*(build.functions[source] for source in sources))
    stems = {pathlib.Path(source).stem for source in sources}
    quick = [(stem, sorted(names)) for stem in sorted(build.tests) if QUICK.match(stem) and names]
    families = {source.split("/")[2] for source in sources if source.count("/") > 2}
    deciding = {DECIDES[family] for family in families if family in DECIDES} & set(build.tests)
    likely = [stem for stem, test in build.tests.items() if not QUICK.match(stem) and
              (stem in stems or stem in deciding or test["words"] & names or
               any(stem in OF_FAMILY.get(family, ()) for family in families))]
    likely.sort(key=lambda stem: (stem not in deciding, build.tests[stem]["seconds"] * (0.2 if stem in stems else 1)))
    tests = quick + [("prove", ["--digest", str(DIGESTS), "--sample", "--threads", "1", "--operator", stem])
                       for stem in sorted({stem_of(name) for name in names} & build.judged)]
    for stem in likely:
        own = sorted(names & build.tests[stem]["words"]) or sorted(names)
        if stem in TAKE_ONE_NAME:
            tests += [(stem, [name]) for name in own[:3]]
        else:
            tests.append((stem, own if stem in TAKE_NAMES else []))
    return tests


def report_kernels(results, judged):
    counted = [item for item in results.items() if item[1]["verdict"] in COUNTED]
    equivalent = {key for key, result in counted if result["verdict"] != "killed" and key in judged}
    counted = [(key, result) for key, result in counted if key not in equivalent]
    for key, result in sorted(counted, key=lambda item: item[1]["place"]):
        if result["verdict"] != "killed":
            print(f"{result['verdict']}: {result['place']}: {result['change']}: {result['line']}")
    noticed = sum(result["verdict"] == "killed" for _, result in counted)
    share = 100 * noticed / len(counted) if counted else 0
    print(f"{len(counted)} mutants of kernels: {noticed} noticed, {share:.1f} %; beside them {len(equivalent)} that change nothing")
    return share >= 90


def read_equivalent():
    """{key: reason}"""
    found, key = {}, None
    for line in EQUIVALENT.read_text().split("\n") if EQUIVALENT.exists() else ():
        if line.startswith("    ") and key is not None:
            found[key] = (found[key] + " " + line.strip()).strip()
        elif "|" in line and not line.startswith("#"):
            key = line
            found[key] = ""
    return found


def run_kernels(arguments):
    judged = read_equivalent()
    WORK.mkdir(exist_ok=True)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    every = draw_kernels(ROOT, arguments.seed, arguments.only)
    if arguments.report:
        return report_kernels({key: results[key] for key, *_ in every if key in results}, judged)
    build = Build(ROOT / arguments.build)
    shared = Shared(arguments, every, results)
    os.nice(max(0, 10 - os.nice(0)))
    print(f"{len(every)} places for a mutant in kernels; levels {' '.join(build.levels)}", flush=True)
    threads = [threading.Thread(target=shared.work, args=(build, Mutant(build, number))) for number in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report_kernels({key: results[key] for key, *_ in every if key in results}, judged)


class Shared:
    """The mutants that are to be tried, and what is known of them; workers share it."""

    def __init__(self, arguments, every, results):
        self.arguments, self.every, self.results = arguments, iter(every), results
        self.counted, self.lock = 0, threading.Lock()
        self.end = time.monotonic() + arguments.minutes * 60

    def next(self):
        with self.lock:
            for key, path, site in self.every:
                if self.counted >= self.arguments.count or time.monotonic() > self.end:
                    return None
                old = self.results.get(key, {}).get("verdict")
                is_open = old == "open" and self.arguments.limit != 0
                if old is None or is_open or (self.arguments.again and old in ("survived", "open")):
                    self.counted += 1
                    return key, path, site
                self.counted += old in COUNTED
            return None

    def enter(self, key, result):
        with self.lock:
            self.results[key] = result
            self.counted -= result["verdict"] not in COUNTED
            RESULTS.with_suffix(".new").write_text(json.dumps(self.results, indent=1))
            RESULTS.with_suffix(".new").rename(RESULTS)

    def work(self, build, mutant):
        while (drawn := self.next()) is not None:
            key, path, site = drawn
            text, spent.seconds = (ROOT / path).read_text(), 0
            verdict, killer = self.verdict(build, mutant, key, path, text, site)
            seconds = round(spent.seconds, 1)
            place = f"{path}:{text.count(chr(10), 0, site[0]) + 1}"
            self.enter(key, {"verdict": verdict, "killer": killer, "place": place, "change": site[3],
                             "line": line_of(text, site), "seconds": seconds})
            print(f"{verdict:16} {place}: {site[3]}" + (f"  ({killer})" if killer else "") + f"  {seconds} s", flush=True)

    def verdict(self, build, mutant, key, path, text, site):
        """killed, survived, or why it does not count; and the test."""
        includers = sorted(source for source in build.includers.get(path, ())
                           if any("/belay_kernels_" in name for name, _ in build.compiled[source]))
        includers.sort(key=lambda source: hashlib.sha256((key + source).encode()).digest())
        groups = [[path]] if path.endswith(".c") else [includers[:1]] + [includers[1:USERS]] * (self.arguments.again and self.arguments.limit != 0)
        verdict = "of no kernel"
        for sources in groups:
            if not sources:
                continue
            tests = within(self.arguments.limit, tests_for(build, path, sources), build)
            found, killer = mutant.attempt(path, text, site, sources, tests)
            if killer or found == "does not compile":
                return found, killer
            verdict = found if verdict != "survived" else verdict
        return verdict, None
