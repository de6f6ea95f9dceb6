# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Belay authors
"""blocks.py SOURCE BUILD CC CXX [PAGE...]: every block of code of the documents is run, and prints what the page says.

A block is what stands between two lines of ```; the language behind the first one says how it is run. All blocks of sh
and console of a page run in one shell, in the order of the page, in a copy of the source tree.
    sh        commands, each of which must succeed
    console   commands behind "$ ", lines of one that go on behind "> ", and what they print
    c, cpp    a program; with frame= a part of one
    python    a program; with >>> an example of doctest
    cmake     a CMakeLists.txt for program.cpp, the last program in C++ before it
    output    what the block before prints
A comment in the line before says what is different:
    <!-- not run: REASON -->     there is no way to run it here
    <!-- run by: FILE -->        that test runs it
    <!-- run NAME=VALUE... -->   frame=FILE: the file of tests/docs/frames into which the block goes at the line
                                 "/* the block */", without its lines that say "..."
                                 by="belay check": in front of the program
                                 status=N: its exit status; any
                                 file=NAME: what the block is called for what follows
                                 program=FILE: ./program and ./FILE without folder and suffix are made of it before
                                 numbers=any: numbers in the output are not compared, nor in which order lines stand
In output, "..." stands for anything; addresses, numbers of calls and how text is broken into lines are not compared. A
block with no way to run is a fault.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
compilers = {"c": [sys.argv[3], "-std=c11"], "cpp": [sys.argv[4], "-std=c++11"]}
frames = source / "tests/docs/frames"
LIBRARIES = ["-lascendcl", "-lnnopbase", "-lopapi"]
LANGUAGES = ("sh", "console", "c", "cpp", "python", "cmake", "output")
OURS = ("BELAY_", "ASCEND_", "LD_")
PYTHON = subprocess.run(["sh", source / "tests/python/interpreter.sh"], capture_output=True, text=True).stdout.strip()
PYTHON = shutil.which(PYTHON) or sys.executable
HAS_NUMPY = subprocess.run([PYTHON, "-c", "import numpy"], capture_output=True).returncode == 0
LIMIT = 120  # seconds, for a page's shell or a program


class Block:
    def __init__(self, page, line, language, mark):
        self.page, self.line, self.language, self.mark = page, line, language, mark
        self.text = ""
        self.options = {}
        self.output = None  # the block that says what this one prints
        self.printed = None

    def __str__(self):
        return f"{self.page}:{self.line}"

    def read_mark(self):
        """Returns what is wrong with the comment, or None."""
        if not self.mark or self.mark.startswith("not run: "):
            return None
        if self.mark.startswith("run by: "):
            return None if (source / self.mark[8:]).is_file() else f"there is no {self.mark[8:]}"
        self.options = dict(word.partition("=")[::2] for word in shlex.split(self.mark)[1:])
        unknown = self.options.keys() - {"frame", "by", "status", "file", "program", "numbers"}
        return f"{unknown.pop()} is not known" if unknown else None

    @property
    def runs(self):
        return not self.mark or self.mark.split()[0] == "run" and not self.mark.startswith("run by: ")


def read_blocks(page):
    """The blocks of a page, and what is wrong with them."""
    blocks, faults, block, mark = [], [], None, ""
    for number, line in enumerate((source / page).read_text().split("\n"), 1):
        fence = re.match(r" *```(\w*)$", line)
        if block is None and fence:
            block = Block(page, number, fence[1], mark)
            indent = len(line) - len(line.lstrip())
        elif fence:
            blocks.append(block)
            block = None
        elif block is not None:
            block.text += line[indent:] + "\n"
        comment = re.match(r" *<!-- ((?:not )?run.*) -->$", line)
        mark = comment[1] if comment else ""
    before = None
    for block in blocks:
        wrong = block.read_mark()
        if wrong:
            faults.append(f"{block}: {wrong}")
        elif block.runs and block.language == "output":
            if before is None or not before.runs or before.language == "output":
                faults.append(f"{block}: the block before it, whose output it is, is not run")
            else:
                before.output = block
        elif block.runs and block.language not in LANGUAGES:
            faults.append(f"{block}: a block of {block.language or 'no language'} has no way to run")
        before = block
    return blocks, faults


def plain(text, numbers):
    text = re.sub(r"0x[0-9a-f]+", "0x#", text)
    text = re.sub(r"\bcall \d+", "call #", text)
    return re.sub(r"\d+(\.\d+)?", "#", text) if numbers == "any" else text


def differs(expected, printed, numbers=None):
    """What the page says and is not printed, or None."""
    printed = " ".join(plain(printed, numbers).split())
    wanted = plain(expected, numbers)
    # Each line by itself where figures decide their order.
    for part in wanted.strip().split("\n") if numbers == "any" else [wanted]:
        pattern = r".*".join(re.escape(" ".join(piece.split())) for piece in re.split(r" ?\.\.\.", part))
        if not re.search(pattern, printed):
            return part
    return None


class Page:
    def __init__(self, page, blocks, work, toolkit):
        self.page, self.toolkit = page, toolkit
        self.blocks = [block for block in blocks if block.runs and block.language in LANGUAGES]
        self.folder = work / page.replace("/", "_")
        self.faults = []
        environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        self.environment = {**environment, "PATH": f"{work}/bin:{toolkit}/bin:{environment['PATH']}", "PS4": "",
                            "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}

    def fault(self, block, text, printed=""):
        self.faults.append(f"{block}: {text}" + "".join(f"\n    | {line}" for line in printed.rstrip().split("\n") if printed))

    def compile(self, text, language, name, block):
        source_file = f"{name}.{language}"
        (self.folder / source_file).write_text(text)
        # A part of a program need not use all that its frame has; of a whole one functions are found by name.
        strict = ["-Wno-unused"] if "frame" in block.options else ["-Wpedantic", "-rdynamic"]
        words = compilers[language] + ["-g", "-Wall", "-Wextra", "-Werror", *strict, source_file, "-o", name, f"-I{frames}",
                                       f"-I{self.toolkit}/include", f"-L{self.toolkit}/lib64", *LIBRARIES]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            self.fault(block, "does not compile", done.stderr)
        return done.returncode == 0

    def frame(self, block):
        text = (frames / block.options["frame"]).read_text()
        part = "".join(line for line in block.text.splitlines(True) if line.strip() != "...")
        if text.count("/* the block */") != 1:
            self.fault(block, f"{block.options['frame']} has no place for it")
        return text.replace("/* the block */", part)

    def run(self, block, words, **more):
        try:
            done = subprocess.run(words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT, **more)
        except subprocess.TimeoutExpired:
            return self.fault(block, f"runs longer than {LIMIT} s")
        block.printed = done.stdout.decode(errors="replace")
        status = block.options.get("status", "0")
        if status not in ("any", str(done.returncode)):
            self.fault(block, f"ends with {done.returncode}, not {status}", block.printed)

    def run_program(self, block):
        by = shlex.split(block.options.get("by", "belay run"))
        # Reports name the program.
        name = "program" if len([b for b in self.blocks if b.language == block.language]) == 1 else f"program{block.line}"
        if block.language == "python":
            (self.folder / f"{name}.py").write_text(block.text)
            self.run(block, [*by, PYTHON, f"{name}.py"])
        elif self.compile(self.frame(block) if "frame" in block.options else block.text, block.language, name, block):
            self.run(block, [*by, f"./{name}"])
        if block.printed:
            block.printed = block.printed.replace(name, "program")

    def run_cmake(self, block):
        (self.folder / "CMakeLists.txt").write_text(block.text)
        self.run(block, ["sh", "-ec", f"cmake -S . -B made -DCMAKE_PREFIX_PATH={self.toolkit} && cmake.real --build made"
                         " && belay run made/program"])

    def run_shell(self, shell):
        """One shell for all: the script of a block is read by it, and tells of each command that fails."""
        script = ["set -E; trap 'echo \"FAILED: $BASH_COMMAND\"' ERR"]
        for number, block in enumerate(shell):
            text = block.text
            if block.language == "console":
                text = "".join(line[2:] for line in text.splitlines(True) if line.startswith(("$ ", "> ")))
            if "program" in block.options:
                path = source / block.options["program"]
                for name in ("program", path.stem):
                    self.compile(path.read_text(), "c", name, block)
            # A place of the system's that a page installs to is one of the sandbox.
            text = text.replace("/opt/belay", f"{self.folder}/opt/belay")
            (self.folder / f".block{number}").write_text(text)
            expect = "trap - ERR;" if block.options.get("status") == "any" else ""
            script.append(f"{expect} source {self.folder}/.block{number} >{self.folder}/.printed{number} 2>&1")
            if expect:
                script.append(script[0])
        try:
            subprocess.run(["bash", "-c", "\n".join(script)], cwd=self.folder, env=self.environment,
                           stdin=subprocess.DEVNULL, timeout=LIMIT, capture_output=True)
        except subprocess.TimeoutExpired:
            self.fault(shell[0], f"the shell of the page runs longer than {LIMIT} s")
        for number, block in enumerate(shell):
            printed = self.folder / f".printed{number}"
            block.printed = printed.read_text(errors="replace") if printed.exists() else ""
            block.printed = block.printed.replace(str(self.folder), "/home/you")
            if not printed.exists() or "FAILED: " in block.printed:
                self.fault(block, "a command fails", block.printed)

    def run_doctest(self, blocks):
        text = "".join(block.text for block in blocks)
        program = "import doctest, sys; sys.exit(doctest.testfile(sys.argv[1], module_relative=False)[0] != 0)"
        (self.folder / "examples.txt").write_text(text)
        self.run(blocks[0], ["belay", "run", PYTHON, "-c", program, "examples.txt"])

    def run_all(self):
        # A copy: what installs, or writes beside the sources, must not reach these.
        if any(block.language in ("sh", "console") for block in self.blocks):
            shutil.copytree(source, self.folder, symlinks=True, ignore=lambda folder, names: [
                name for name in names if name == ".git" or pathlib.Path(folder) == source and name.startswith("build")])
        (self.folder / "home").mkdir(parents=True)
        shell, examples = [], []
        for block in self.blocks:
            if "file" in block.options:
                (self.folder / block.options["file"]).write_text(block.text)
            if block.language == "output" or (block.language == "python" and not HAS_NUMPY):
                pass
            elif block.language == "cmake":
                self.run_cmake(block)
            elif block.language in ("sh", "console"):
                shell.append(block)
            elif ">>> " in block.text:
                examples.append(block)
            else:
                self.run_program(block)
        if shell:
            self.run_shell(shell)
        if examples:
            self.run_doctest(examples)
        for block in self.blocks:
            if block.language == "console" and block.printed is not None:
                said = "".join(line for line in block.text.splitlines(True) if not line.startswith(("$ ", "> ")))
                self.compare(block, said, block.options)
            elif block.output and block.printed is not None:
                self.compare(block, block.output.text, block.output.options)
        return self.faults

    def compare(self, block, said, options):
        missing = differs(said, block.printed, options.get("numbers"))
        if missing is not None:
            self.fault(block, f"does not print {missing.strip()!r}, but", block.printed)


# Building takes minutes and is tested elsewhere: what was built is there.
STANDS_FOR_CMAKE = """#!/bin/sh -e
for word; do
    [ "$word" != --build ] || {{
        for cache in */CMakeCache.txt; do folder=${{cache%/*}}; (cd "$folder" && rm -rf bin lib64 share tools && ln -s {build}/bin {build}/lib64 {build}/share {build}/tools .); done
        exit 0
    }}
done
exec cmake.real "$@"
"""


def main():
    named = sys.argv[5:]
    pages = named or sorted(str(path.relative_to(source)) for folder in (".", "docs", "python")
                            for path in (source / folder).glob("*.md"))
    pages = {page: read_blocks(page) for page in pages}
    faults = [fault for _, wrong in pages.values() for fault in wrong]
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        toolkit = work / "toolkit"
        subprocess.run(["cmake", "--install", build, "--prefix", toolkit], check=True, stdout=subprocess.DEVNULL)
        (work / "bin").mkdir()
        (work / "bin/cmake").write_text(STANDS_FOR_CMAKE.format(build=build))
        (work / "bin/cmake").chmod(0o755)
        (work / "bin/cmake.real").symlink_to(shutil.which("cmake"))
        (work / "bin/python").symlink_to(PYTHON)
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            runs = [threads.submit(Page(page, blocks, work, toolkit).run_all)
                    for page, (blocks, _) in pages.items() if any(block.runs for block in blocks)]
            for run in runs:
                faults += run.result()
    blocks = [block for found, _ in pages.values() for block in found]
    for fault in faults:
        print(fault)
    if not HAS_NUMPY:
        print("blocks of Python are not run: there is no NumPy")
    for block in blocks:
        if not block.runs:
            print(f"{block}: {block.mark}")
    run = sum(block.runs for block in blocks)
    print(f"{len(blocks)} blocks of {len(pages)} pages: {run} run, {len(blocks) - run} marked, {len(faults)} faults")
    return 1 if faults or not run else 0


sys.exit(main())
